//! Address ranges of device memory. The system provides pages when they are touched.

use super::MemoryFile;
use crate::system::PAGE;

/// A range of the address space that is reserved until the process ends.
pub struct Reservation {
    pub base: u64,
    pub size: u64,
    /// The file mapped there, if any.
    file: Option<MemoryFile>,
}

impl Reservation {
    /// Reserves a range for this process alone.
    pub fn private(size: u64) -> Option<Reservation> {
        Self::reserve(size, None)
    }

    /// Reserves a range with a file that other processes may open.
    pub fn shared(size: u64) -> Option<Reservation> {
        let file = MemoryFile::create(c"cuda-emulator-memory", size)?;
        Self::reserve(size, Some(file))
    }

    fn reserve(size: u64, file: Option<MemoryFile>) -> Option<Reservation> {
        let (kind, fd) = match &file {
            None => (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1),
            Some(file) => (libc::MAP_SHARED, file.number()),
        };
        // SAFETY: a new mapping at an address chosen by the system does not affect existing
        // mappings.
        let address = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                size as usize,
                libc::PROT_READ | libc::PROT_WRITE,
                kind | libc::MAP_NORESERVE,
                fd,
                0,
            )
        };
        if address == libc::MAP_FAILED {
            return None;
        }
        // SAFETY: the range is the mapping just created. A failure only makes core files larger.
        unsafe { libc::madvise(address, size as usize, libc::MADV_DONTDUMP) };
        Some(Reservation {
            base: address as u64,
            size,
            file,
        })
    }

    /// Returns the file mapped there, if any.
    pub fn file(&self) -> Option<&MemoryFile> {
        self.file.as_ref()
    }

    /// Prepares a block for use. Returns false if the system has no memory for it, which here shows
    /// only when the pages are touched.
    pub fn provide(&self, address: u64, size: u64) -> bool {
        if size >= 4 << 20 {
            let (start, length) = whole_pages(address, size);
            // SAFETY: whole pages inside a block of the reservation. The advice is only a hint.
            unsafe { libc::madvise(start as *mut _, length, libc::MADV_HUGEPAGE) };
        }
        true
    }

    /// Returns the whole pages of a block to the system. They read as zeros from now on.
    ///
    /// # Safety
    /// Nothing may use the contents of the block any longer.
    pub unsafe fn discard(&self, address: u64, size: u64) {
        let (start, length) = whole_pages(address, size);
        let advice = match self.file {
            Some(_) => libc::MADV_REMOVE,
            None => libc::MADV_DONTNEED,
        };
        // SAFETY: whole pages inside a block that nothing uses, by the contract of this function.
        unsafe { libc::madvise(start as *mut _, length, advice) };
    }
}

/// Returns the start and length of the whole pages in a range.
fn whole_pages(address: u64, size: u64) -> (u64, usize) {
    let start = address.next_multiple_of(PAGE);
    let end = (address + size) / PAGE * PAGE;
    (start, end.saturating_sub(start) as usize)
}
