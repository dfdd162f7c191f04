//! Address ranges of device memory. Pages are committed at their first allocation, and stay
//! committed.

use std::ptr;
use std::sync::Mutex;

use cuda_emulator_engine::Unpoisoned;
use windows_sys::Win32::System::Memory::{
    MEM_COMMIT, MEM_RESERVE, MEM_RESET, PAGE_READWRITE, VirtualAlloc,
};

use super::MemoryFile;
use crate::system::PAGE;

/// The unit in which pages are committed, so that small allocations rarely need a system call.
const STEP: u64 = 1 << 20;

/// A range of the address space that is reserved until the process ends.
pub struct Reservation {
    pub base: u64,
    pub size: u64,
    /// The end of the committed pages. The arena prefers small free blocks, so it reaches for the
    /// large one at the end only if no other is left.
    committed: Mutex<u64>,
}

impl Reservation {
    /// Reserves a range for this process alone.
    pub fn private(size: u64) -> Option<Reservation> {
        // SAFETY: a new reservation at an address chosen by the system.
        let base = unsafe { VirtualAlloc(ptr::null(), size as usize, MEM_RESERVE, PAGE_READWRITE) };
        (!base.is_null()).then(|| Reservation {
            base: base as u64,
            size,
            committed: Mutex::new(base as u64),
        })
    }

    /// Returns `None`, because a file of this size would take memory before it is used.
    pub fn shared(_size: u64) -> Option<Reservation> {
        None
    }

    /// Returns the file mapped there, which never exists.
    pub fn file(&self) -> Option<&MemoryFile> {
        None
    }

    /// Prepares a block for use. Returns false if the system has no memory for it.
    pub fn provide(&self, address: u64, size: u64) -> bool {
        let end = (address + size).next_multiple_of(STEP);
        let end = end.min(self.base + self.size);
        let mut committed = self.committed.lock().unpoisoned();
        if end <= *committed {
            return true;
        }
        let more = (end - *committed) as usize;
        // SAFETY: pages within the reservation that are not yet committed.
        let done =
            unsafe { VirtualAlloc(*committed as *const _, more, MEM_COMMIT, PAGE_READWRITE) };
        if done.is_null() {
            return false;
        }
        *committed = end;
        true
    }

    /// Returns the whole pages of a block to the system. Their contents are undefined from now on.
    ///
    /// # Safety
    /// Nothing may use the contents of the block any longer.
    pub unsafe fn discard(&self, address: u64, size: u64) {
        let start = address.next_multiple_of(PAGE);
        let length = ((address + size) / PAGE * PAGE).saturating_sub(start) as usize;
        // SAFETY: whole pages inside a block that nothing uses, by the contract of this function.
        // They stay accessible. If the call fails, they keep their contents.
        unsafe { VirtualAlloc(start as *const _, length, MEM_RESET, PAGE_READWRITE) };
    }
}
