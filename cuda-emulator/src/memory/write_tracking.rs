//! Which bytes of device memory have been written, as far as anybody watches (`CUDA_EMULATOR_CHECK=uninit`).

use super::allocations::find;

/// Marks bytes as written, for the check of uninitialised reads.
pub fn note_write(address: u64, size: u64) {
    if let Some(allocation) = find(address)
        && let Some(shadow) = &allocation.shadow
    {
        shadow.mark(address - allocation.base, size);
    }
}

/// Whether bytes have been written, as far as anybody watched.
pub fn is_initialised(address: u64, size: u64) -> bool {
    match find(address) {
        Some(allocation) => match &allocation.shadow {
            Some(shadow) => shadow.is_marked(address - allocation.base, size),
            None => true,
        },
        None => true,
    }
}

/// Carries the written marks along with a copy.
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
