//! Tracking of written bytes of device memory, for `CUDA_EMULATOR_CHECK=uninit`.

use super::allocations::find;

/// Marks bytes as written.
pub fn note_write(address: u64, size: u64) {
    if let Some(allocation) = find(address)
        && let Some(shadow) = &allocation.shadow
    {
        shadow.mark(address - allocation.base, size);
    }
}

/// Returns whether bytes have been written. Bytes that are not tracked count as written.
pub fn is_initialized(address: u64, size: u64) -> bool {
    match find(address) {
        Some(allocation) => match &allocation.shadow {
            Some(shadow) => shadow.is_marked(address - allocation.base, size),
            None => true,
        },
        None => true,
    }
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
