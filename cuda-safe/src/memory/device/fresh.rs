//! Host memory that was allocated a moment ago.

/// Asks the system for large pages, where a range of new memory gets its pages as it is written to: a fault for every
/// 2 MiB in place of every 4 KiB. It is a hint, and its failure is none.
#[cfg(target_os = "linux")]
pub(in crate::memory) fn prefer_large_pages(begin: *mut u8, bytes: usize) {
    const LARGE: usize = 2 << 20;
    if bytes < 2 * LARGE {
        return; // whoever allocates little gets memory that was used before
    }
    let first = begin.addr().next_multiple_of(LARGE);
    let end = (begin.addr() + bytes) / LARGE * LARGE;
    if first < end {
        let offset = first - begin.addr();
        // SAFETY: whole pages within memory of the caller's; their contents stay as they are.
        let _ =
            unsafe { libc::madvise(begin.add(offset).cast(), end - first, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
pub(in crate::memory) fn prefer_large_pages(_begin: *mut u8, _bytes: usize) {}
