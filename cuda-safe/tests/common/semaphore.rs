//! Semaphores that the emulator imports: pages of memory, as described in its
//! `docs/driver-calls.md`.

use std::{
    ptr::NonNull,
    sync::atomic::{AtomicU64, Ordering},
};

#[cfg_attr(windows, path = "semaphore_windows.rs")]
#[cfg_attr(not(windows), path = "semaphore_unix.rs")]
mod system;

#[allow(unused_imports, reason = "some programs need only one")]
pub use system::{BINARY, TIMELINE};

const PAGE: usize = 4096;

/// A semaphore's page, mapped by this process.
pub struct Page {
    file: system::File,
    words: NonNull<AtomicU64>,
}

// SAFETY: all accesses to the page are atomic.
unsafe impl Send for Page {}
// SAFETY: as above.
unsafe impl Sync for Page {}

#[allow(dead_code, reason = "some programs need only the file")]
impl Page {
    /// Creates a semaphore of a kind, with CUDA's numbers of handle kinds: [`BINARY`] or
    /// [`TIMELINE`].
    pub fn new(kind: u32, value: u64) -> Self {
        let (file, address) = system::create(PAGE);
        let words = NonNull::new(address.cast()).unwrap();
        let page = Self { file, words };
        page.word(0)
            .store(u64::from_le_bytes(*b"emu-sema"), Ordering::SeqCst);
        page.word(1).store(kind.into(), Ordering::SeqCst);
        page.word(2).store(value, Ordering::SeqCst);
        page
    }

    fn word(&self, index: usize) -> &AtomicU64 {
        assert!(index < PAGE / 8);
        // SAFETY: the word is within the page, which stays mapped while `self` lives.
        unsafe { self.words.add(index).as_ref() }
    }

    /// Returns a new descriptor or handle of the semaphore's file, to be imported.
    pub fn export(&self) -> system::File {
        self.file.try_clone().unwrap()
    }

    pub fn value(&self) -> u64 {
        self.word(2).load(Ordering::SeqCst)
    }

    pub fn set(&self, value: u64) {
        self.word(2).store(value, Ordering::SeqCst);
    }

    /// Returns the number of the file's descriptor in this process.
    #[cfg(unix)]
    pub fn number(&self) -> i32 {
        std::os::fd::AsRawFd::as_raw_fd(&self.file)
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // SAFETY: `new` created the mapping, and nothing uses it any more.
        unsafe { system::unmap(self.words.as_ptr().cast(), PAGE) };
    }
}
