//! Queries about the process's own pages.

use std::mem;

use windows_sys::Win32::System::Memory::{
    MEM_COMMIT, MEMORY_BASIC_INFORMATION, PAGE_EXECUTE_READ, PAGE_EXECUTE_READWRITE,
    PAGE_EXECUTE_WRITECOPY, PAGE_GUARD, PAGE_READONLY, PAGE_READWRITE, PAGE_WRITECOPY,
    VirtualQuery,
};

/// Returns whether a range is readable, and writable if `writable`.
pub fn are_accessible(address: u64, size: u64, writable: bool) -> bool {
    const WRITABLE: u32 =
        PAGE_READWRITE | PAGE_WRITECOPY | PAGE_EXECUTE_READWRITE | PAGE_EXECUTE_WRITECOPY;
    const READABLE: u32 = WRITABLE | PAGE_READONLY | PAGE_EXECUTE_READ;
    let wanted = if writable { WRITABLE } else { READABLE };
    let Some(end) = address.checked_add(size) else {
        return false;
    };
    let mut reached = address;
    while reached < end {
        let mut pages = MEMORY_BASIC_INFORMATION::default();
        let length = mem::size_of_val(&pages);
        // SAFETY: `pages` has room for the result. The address is not accessed.
        if unsafe { VirtualQuery(reached as *const _, &mut pages, length) } == 0
            || pages.State != MEM_COMMIT
            || pages.Protect & PAGE_GUARD != 0
            || pages.Protect & wanted == 0
        {
            return false;
        }
        reached = pages.BaseAddress as u64 + pages.RegionSize as u64;
    }
    true
}
