//! Large pages for newly allocated host memory.

/// Asks the system to use large pages for newly allocated memory, so that the first write to it
/// faults once per 2 MiB instead of once per 4 KiB. It is only a hint, so failures are ignored.
#[cfg(target_os = "linux")]
pub(in crate::memory) fn prefer_large_pages(begin: *mut u8, bytes: usize) {
    const LARGE: usize = 2 << 20;
    if bytes < 2 * LARGE {
        return; // small allocations usually reuse memory
    }
    let first = begin.addr().next_multiple_of(LARGE);
    let end = (begin.addr() + bytes) / LARGE * LARGE;
    if first < end {
        let offset = first - begin.addr();
        // SAFETY: the range consists of whole pages within the caller's memory. Their contents do
        // not change.
        let _ =
            unsafe { libc::madvise(begin.add(offset).cast(), end - first, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
pub(in crate::memory) fn prefer_large_pages(_begin: *mut u8, _bytes: usize) {}
