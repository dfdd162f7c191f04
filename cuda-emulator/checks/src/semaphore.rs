//! Semaphores that the emulator imports: pages in memory, as `docs/driver-calls.md` says.

use std::{
    ffi::c_void,
    os::fd::{AsRawFd, FromRawFd, OwnedFd},
    ptr::{self, NonNull},
    sync::atomic::{AtomicU64, Ordering},
};

const PAGE: usize = 4096;

/// A semaphore's page, which this side has mapped.
pub struct Page {
    file: OwnedFd,
    words: NonNull<AtomicU64>,
}

// SAFETY: the page is reached by atomic operations only.
unsafe impl Send for Page {}
// SAFETY: as above.
unsafe impl Sync for Page {}

#[allow(dead_code, reason = "some programs need only the file")]
impl Page {
    /// One of a kind, as CUDA numbers those of handles: 1 for a binary semaphore, 9 for a timeline.
    pub fn new(kind: u32, value: u64) -> Self {
        // SAFETY: the name ends in NUL.
        let number = unsafe {
            libc::memfd_create(
                c"semaphore".as_ptr(),
                libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING,
            )
        };
        assert!(number >= 0);
        // SAFETY: just opened, and nobody else's; a new mapping, as long as the file is from then on.
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
        // SAFETY: within the page, which is mapped as long as this lives.
        unsafe { self.words.add(index).as_ref() }
    }

    /// A file to be imported.
    pub fn export(&self) -> OwnedFd {
        self.file.try_clone().unwrap()
    }

    pub fn value(&self) -> u64 {
        self.word(2).load(Ordering::SeqCst)
    }

    pub fn set(&self, value: u64) {
        self.word(2).store(value, Ordering::SeqCst);
    }

    /// The file's number, of this process.
    pub fn number(&self) -> i32 {
        self.file.as_raw_fd()
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // SAFETY: mapped by `new`, and used no more.
        unsafe { libc::munmap(self.words.as_ptr().cast::<c_void>(), PAGE) };
    }
}
