//! Semaphores that the emulator imports: pages of memory, as described in its
//! `docs/driver-calls.md`.

use std::{
    ffi::c_void,
    os::fd::{AsRawFd, FromRawFd, OwnedFd},
    ptr::{self, NonNull},
    sync::atomic::{AtomicU64, Ordering},
};

const PAGE: usize = 4096;

/// A semaphore's page, mapped by this process.
pub struct Page {
    file: OwnedFd,
    words: NonNull<AtomicU64>,
}

// SAFETY: all accesses to the page are atomic.
unsafe impl Send for Page {}
// SAFETY: as above.
unsafe impl Sync for Page {}

#[allow(dead_code, reason = "some programs need only the file")]
impl Page {
    /// Creates a semaphore of a kind, with CUDA's numbers of handle kinds: 1 for a binary
    /// semaphore, 9 for a timeline.
    pub fn new(kind: u32, value: u64) -> Self {
        // SAFETY: the name ends in NUL.
        let number = unsafe {
            libc::memfd_create(
                c"semaphore".as_ptr(),
                libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING,
            )
        };
        assert!(number >= 0);
        // SAFETY: the new descriptor has no other owner, and the mapping is new and within the
        // file.
        let (file, address) = unsafe {
            assert_eq!(libc::ftruncate(number, PAGE as i64), 0);
            let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW;
            assert_eq!(libc::fcntl(number, libc::F_ADD_SEALS, seals), 0);
            let both = libc::PROT_READ | libc::PROT_WRITE;
            let address = libc::mmap(ptr::null_mut(), PAGE, both, libc::MAP_SHARED, number, 0);
            assert_ne!(address, libc::MAP_FAILED);
            (OwnedFd::from_raw_fd(number), address)
        };
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

    /// Returns a new descriptor of the semaphore's file, to be imported.
    pub fn export(&self) -> OwnedFd {
        self.file.try_clone().unwrap()
    }

    pub fn value(&self) -> u64 {
        self.word(2).load(Ordering::SeqCst)
    }

    pub fn set(&self, value: u64) {
        self.word(2).store(value, Ordering::SeqCst);
    }

    /// Returns the number of the file's descriptor in this process.
    pub fn number(&self) -> i32 {
        self.file.as_raw_fd()
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // SAFETY: `new` created the mapping, and nothing uses it any more.
        unsafe { libc::munmap(self.words.as_ptr().cast::<c_void>(), PAGE) };
    }
}
