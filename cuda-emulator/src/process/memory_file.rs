//! Files in memory, which several places of a process, and several processes, can map.
//!
//! They have no name in the file system: what is left of one goes with the last process that has it open or mapped.

use std::ffi::CStr;
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};

/// The unit of mappings, and of what is said of managed memory.
pub const PAGE: u64 = 4096;

/// A file in memory whose size can't change: what is mapped stays there, whatever another process does.
pub struct Memfd(File);

/// What a file is, among all of the system.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    pub device: u64,
    pub inode: u64,
}

/// Pages of a file that are mapped at an address of the system's choice, for as long as this lives.
pub struct Mapped {
    pub address: u64,
    size: u64,
}

/// The size limit of files that the process may write, beyond which the system kills it.
fn largest() -> u64 {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: a place for the result.
    match unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) } {
        0 => limit.rlim_cur,
        _ => 0,
    }
}

impl Memfd {
    /// A new one, all zeros. Pages are taken as they are touched.
    pub fn create(name: &CStr, size: u64) -> Option<Memfd> {
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
        // SAFETY: just opened, and nobody else's.
        let file = File::from(unsafe { OwnedFd::from_raw_fd(fd) });
        file.set_len(size).ok()?;
        let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
        // SAFETY: an open file.
        (unsafe { libc::fcntl(fd, libc::F_ADD_SEALS, seals) } == 0).then_some(Memfd(file))
    }

    /// One that came from elsewhere: `None` for a file that isn't in memory, or that could be shortened.
    pub fn adopt(file: File) -> Option<Memfd> {
        // SAFETY: an open file; the call fails for those that can't be sealed.
        let seals = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GET_SEALS) };
        (seals >= 0 && seals & libc::F_SEAL_SHRINK != 0).then_some(Memfd(file))
    }

    /// One that came from elsewhere by its number, which stays the client's.
    pub fn adopt_fd(fd: RawFd) -> Option<Memfd> {
        // SAFETY: the call fails for what is no open file.
        let own = unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 0) };
        // SAFETY: just opened, and nobody else's.
        (own >= 0).then(|| Memfd::adopt(File::from(unsafe { OwnedFd::from_raw_fd(own) })))?
    }

    /// One of another process of the same user.
    pub fn of_process(process: u32, fd: RawFd) -> Option<Memfd> {
        let path = format!("/proc/{process}/fd/{fd}");
        // A handle is foreign input: what it names may be a terminal, or a pipe that nobody writes.
        let flags = libc::O_NOCTTY | libc::O_NONBLOCK;
        let file = File::options()
            .read(true)
            .write(true)
            .custom_flags(flags)
            .open(path);
        Memfd::adopt(file.ok()?)
    }

    /// Another number for the file, which is the client's from now on.
    pub fn duplicate(&self) -> Option<RawFd> {
        // SAFETY: an open file.
        let fd = unsafe { libc::fcntl(self.0.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 0) };
        (fd >= 0).then_some(fd)
    }

    pub fn number(&self) -> RawFd {
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

    /// Writes what a few bytes of the file are.
    pub fn write(&self, bytes: &[u8], offset: u64) -> Option<()> {
        self.0.write_all_at(bytes, offset).ok()
    }

    /// Reads a few bytes of the file.
    pub fn read(&self, bytes: &mut [u8], offset: u64) -> Option<()> {
        self.0.read_exact_at(bytes, offset).ok()
    }

    /// Gives whole pages back to the system; they read as zeros from now on.
    pub fn punch(&self, offset: u64, size: u64) {
        let how = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        // SAFETY: an open file. What fails leaves the pages there.
        unsafe { libc::fallocate(self.number(), how, offset as i64, size as i64) };
    }

    /// Has pages of the file appear in place of what is mapped at an address.
    ///
    /// # Safety
    /// The range is memory that the arena has given out, whole pages, and the file has as many.
    pub unsafe fn map_at(&self, address: u64, offset: u64, size: u64) -> bool {
        // SAFETY: as this function's contract says: it replaces pages of the caller's own.
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

    /// Maps pages of the file.
    pub fn map(&self, offset: u64, size: u64) -> Option<Mapped> {
        // SAFETY: a new mapping at an address of the system's choice touches nothing that exists.
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
        // SAFETY: mapped by `map`, and used no more.
        unsafe { libc::munmap(self.address as *mut _, self.size as usize) };
    }
}

/// Puts empty pages of the process's own in place of a file's. False where the system has no room for another mapping: the
/// file's may still be there, and nobody else must get the range.
///
/// # Safety
/// As [`Memfd::map_at`]; nothing of the range is used any more.
pub unsafe fn unmap_at(address: u64, size: u64) -> bool {
    // SAFETY: as this function's contract says.
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
    // SAFETY: just mapped. As around it, in the arena: a failure only makes core files larger.
    unsafe { libc::madvise(mapped, size as usize, libc::MADV_DONTDUMP) };
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_views_are_the_same_memory() {
        let file = Memfd::create(c"test", 4 * PAGE).unwrap();
        let (one, two) = (
            file.map(0, 4 * PAGE).unwrap(),
            file.map(PAGE, PAGE).unwrap(),
        );
        let place = (one.address + PAGE) as *mut u32;
        // SAFETY: both are mapped, and long enough.
        unsafe {
            place.write_volatile(7);
            assert_eq!((two.address as *const u32).read_volatile(), 7);
        }
        let mut bytes = [0; 4];
        file.read(&mut bytes, PAGE).unwrap();
        assert_eq!(u32::from_le_bytes(bytes), 7);
    }

    #[test]
    fn another_number_is_the_same_file_and_nothing_shortens_it() {
        let file = Memfd::create(c"test", PAGE).unwrap();
        let own = std::process::id();
        let again = Memfd::of_process(own, file.number()).unwrap();
        assert!(again.identity() == file.identity());
        assert_eq!(again.size(), Some(PAGE));
        assert!(again.0.set_len(0).is_err());
        let other = Memfd::create(c"test", PAGE).unwrap();
        assert!(other.identity() != file.identity());
        assert!(Memfd::of_process(own, 10_000).is_none());
    }

    #[test]
    fn what_is_no_sealed_file_in_memory_is_refused() {
        assert!(Memfd::adopt(File::open("/dev/zero").unwrap()).is_none());
        assert!(Memfd::adopt(File::open("/proc/self/exe").unwrap()).is_none());
        assert!(Memfd::adopt_fd(-1).is_none());
        // SAFETY: a name that ends in NUL.
        let fd = unsafe { libc::memfd_create(c"open".as_ptr(), libc::MFD_CLOEXEC) };
        // SAFETY: just opened.
        let unsealed = File::from(unsafe { OwnedFd::from_raw_fd(fd) });
        assert!(Memfd::adopt(unsealed).is_none());
    }
}
