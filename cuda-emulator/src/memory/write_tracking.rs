//! Tracking of written bytes of device memory, for `CUDA_EMULATOR_CHECK=uninit`.

use super::allocations::{find, parts};

/// Marks bytes as written.
pub fn note_write(address: u64, size: u64) {
    parts(address, size, |allocation, offset, size| {
        if let Some(shadow) = &allocation.shadow {
            shadow.mark(offset, size);
        }
        true
    });
}

/// Returns whether bytes have been written. Bytes that are not tracked count as written.
pub fn is_initialized(address: u64, size: u64) -> bool {
    parts(address, size, |allocation, offset, size| {
        let shadow = allocation.shadow.as_ref();
        shadow.is_none_or(|shadow| shadow.is_marked(offset, size))
    })
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
