//! Anonymous files in memory, which can be mapped several times and by several processes.
//!
//! They have no name in the file system. The system frees a file when the last process that has it
//! open or mapped ends.

use std::ffi::CStr;
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};

use crate::system::Identity;

/// An open file, as the driver's calls pass it.
pub type Descriptor = RawFd;

/// A file in memory whose size is sealed: mapped pages stay valid whatever another process does.
pub struct MemoryFile(File);

/// Pages of a file mapped at an address chosen by the system, until this is dropped.
pub struct Mapped {
    pub address: u64,
    size: u64,
}

/// Returns the process's file size limit. The system kills a process that writes beyond it.
fn largest() -> u64 {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: `limit` is a place for the result.
    match unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) } {
        0 => limit.rlim_cur,
        _ => 0,
    }
}

impl MemoryFile {
    /// Files may be far larger than the memory, because untouched pages cost nothing.
    pub const SPARSE: bool = true;

    /// Creates a file of zeros. The system allocates pages when they are first touched.
    pub fn create(name: &CStr, size: u64) -> Option<MemoryFile> {
        if size > largest() || size > i64::MAX as u64 {
            return None;
        }
        // SAFETY: the name ends in NUL.
        let fd = unsafe {
            libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING)
        };
        if fd < 0 {
            return None;
        }
        // SAFETY: the descriptor was just opened and has no other owner.
        let file = File::from(unsafe { OwnedFd::from_raw_fd(fd) });
        file.set_len(size).ok()?;
        let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
        // SAFETY: an open file.
        (unsafe { libc::fcntl(fd, libc::F_ADD_SEALS, seals) } == 0).then_some(MemoryFile(file))
    }

    /// Takes over a file from elsewhere. Returns `None` if it is not in memory or could be
    /// shortened.
    pub fn adopt(file: File) -> Option<MemoryFile> {
        // SAFETY: an open file. The call fails for files that cannot be sealed.
        let seals = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GET_SEALS) };
        (seals >= 0 && seals & libc::F_SEAL_SHRINK != 0).then_some(MemoryFile(file))
    }

    /// Duplicates a file descriptor that the client keeps. Returns `None` if it is not a sealed
    /// file in memory.
    pub fn adopt_fd(fd: Descriptor) -> Option<MemoryFile> {
        // SAFETY: the call fails if `fd` is not an open file.
        let own = unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 0) };
        // SAFETY: the descriptor was just opened and has no other owner.
        (own >= 0).then(|| MemoryFile::adopt(File::from(unsafe { OwnedFd::from_raw_fd(own) })))?
    }

    /// Opens a file of another process of the same user.
    pub fn of_process(process: u32, fd: Descriptor) -> Option<MemoryFile> {
        let path = format!("/proc/{process}/fd/{fd}");
        // A handle is untrusted input. The file may be a terminal, or a pipe without a writer.
        let flags = libc::O_NOCTTY | libc::O_NONBLOCK;
        let file = File::options()
            .read(true)
            .write(true)
            .custom_flags(flags)
            .open(path);
        MemoryFile::adopt(file.ok()?)
    }

    /// Returns a new descriptor of the file, which the client owns.
    pub fn duplicate(&self) -> Option<Descriptor> {
        // SAFETY: an open file.
        let fd = unsafe { libc::fcntl(self.0.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 0) };
        (fd >= 0).then_some(fd)
    }

    pub fn number(&self) -> Descriptor {
        self.0.as_raw_fd()
    }

    pub fn size(&self) -> Option<u64> {
        self.0.metadata().ok().map(|data| data.len())
    }

    pub fn identity(&self) -> Option<Identity> {
        let data = self.0.metadata().ok()?;
        Some(Identity {
            device: data.dev(),
            inode: data.ino(),
        })
    }

    /// Writes bytes to the file.
    pub fn write(&self, bytes: &[u8], offset: u64) -> Option<()> {
        self.0.write_all_at(bytes, offset).ok()
    }

    /// Reads bytes from the file.
    pub fn read(&self, bytes: &mut [u8], offset: u64) -> Option<()> {
        self.0.read_exact_at(bytes, offset).ok()
    }

    /// Returns whole pages to the system. They then read as zeros.
    pub fn punch(&self, offset: u64, size: u64) {
        let how = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        // SAFETY: an open file. If the call fails, the pages stay allocated.
        unsafe { libc::fallocate(self.number(), how, offset as i64, size as i64) };
    }

    /// Maps pages of the file at an address, in place of the previous mapping.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - the range consists of whole pages that the arena has allocated to the caller;
    /// - the file has that many pages from `offset` on.
    pub unsafe fn map_at(&self, address: u64, offset: u64, size: u64) -> bool {
        // SAFETY: by the contract of this function, it replaces only pages that belong to the
        // caller.
        let mapped = unsafe {
            libc::mmap(
                address as *mut _,
                size as usize,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_FIXED | libc::MAP_NORESERVE,
                self.number(),
                offset as i64,
            )
        };
        mapped != libc::MAP_FAILED
    }

    /// Maps pages of the file at an address chosen by the system.
    pub fn map(&self, offset: u64, size: u64) -> Option<Mapped> {
        // SAFETY: a new mapping at an address chosen by the system does not affect existing
        // mappings.
        let address = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                size as usize,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_NORESERVE,
                self.number(),
                offset as i64,
            )
        };
        (address != libc::MAP_FAILED).then_some(Mapped {
            address: address as u64,
            size,
        })
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: mapped by `map`, and no longer used.
        unsafe { libc::munmap(self.address as *mut _, self.size as usize) };
    }
}

/// Replaces pages of a file by empty private pages.
///
/// Returns false if the system has no room for another mapping. The file's pages may then still be
/// mapped, so the range must not be reused.
///
/// # Safety
/// The caller must ensure that:
/// - the conditions of [`MemoryFile::map_at`] hold for the range;
/// - nothing in the range is used any more.
pub unsafe fn unmap_at(address: u64, size: u64) -> bool {
    // SAFETY: by the contract of this function.
    let mapped = unsafe {
        libc::mmap(
            address as *mut _,
            size as usize,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    if mapped == libc::MAP_FAILED {
        return false;
    }
    // SAFETY: the range was just mapped. The arena around it has the same advice. A failure only
    // makes core files larger.
    unsafe { libc::madvise(mapped, size as usize, libc::MADV_DONTDUMP) };
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::PAGE;

    #[test]
    fn duplicated_descriptor_is_the_same_sealed_file() {
        let file = MemoryFile::create(c"test", PAGE).unwrap();
        let own = std::process::id();
        let again = MemoryFile::of_process(own, file.number()).unwrap();
        assert!(again.identity() == file.identity());
        assert_eq!(again.size(), Some(PAGE));
        assert!(again.0.set_len(0).is_err());
        let other = MemoryFile::create(c"test", PAGE).unwrap();
        assert!(other.identity() != file.identity());
        assert!(MemoryFile::of_process(own, 10_000).is_none());
    }

    #[test]
    fn adopt_rejects_unsealed_files() {
        assert!(MemoryFile::adopt(File::open("/dev/zero").unwrap()).is_none());
        assert!(MemoryFile::adopt(File::open("/proc/self/exe").unwrap()).is_none());
        assert!(MemoryFile::adopt_fd(-1).is_none());
        // SAFETY: the name ends in NUL.
        let fd = unsafe { libc::memfd_create(c"open".as_ptr(), libc::MFD_CLOEXEC) };
        // SAFETY: just opened.
        let unsealed = File::from(unsafe { OwnedFd::from_raw_fd(fd) });
        assert!(MemoryFile::adopt(unsealed).is_none());
    }
}
