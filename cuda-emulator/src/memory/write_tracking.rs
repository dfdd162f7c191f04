//! Tracking of written bytes of device memory, for `CUDA_EMULATOR_CHECK=uninit`.

use super::allocations::find;
use super::shadow::Shadow;

/// Marks bytes as written.
pub fn note_write(address: u64, size: u64) {
    for_each(address, size, |shadow, offset, size| {
        shadow.mark(offset, size);
        true
    });
}

/// Returns whether bytes have been written. Bytes that are not tracked count as written.
pub fn is_initialized(address: u64, size: u64) -> bool {
    for_each(address, size, |shadow, offset, size| {
        shadow.is_marked(offset, size)
    })
}

/// Calls `visit` for each tracked allocation in the range, with the offset and size of its part,
/// until it returns false. Returns whether all calls returned true. The range ends at the first byte
/// that belongs to no allocation.
fn for_each(mut address: u64, mut size: u64, visit: impl Fn(&Shadow, u64, u64) -> bool) -> bool {
    while size > 0
        && let Some(allocation) = find(address)
    {
        let offset = address - allocation.base;
        let part = size.min(allocation.size - offset);
        if let Some(shadow) = &allocation.shadow
            && !visit(shadow, offset, part)
        {
            return false;
        }
        (address, size) = (address + part, size - part);
    }
    true
}

/// Copies the written bits along with the bytes.
pub fn note_copy(to: u64, from: u64, size: u64) {
    let Some(target) = find(to) else { return };
    let Some(marks) = &target.shadow else { return };
    match find(from) {
        Some(source) if source.shadow.is_some() => {
            let shadow = source.shadow.as_ref().expect("just seen");
            marks.copy(to - target.base, shadow, from - source.base, size);
        }
        _ => marks.mark(to - target.base, size),
    }
}
