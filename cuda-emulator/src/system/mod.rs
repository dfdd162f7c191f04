//! The functions of the operating system that the emulator uses. Of the other files, only
//! `abi/external.rs` and `exports/provide.rs` depend on the system.
//!
//! `unix/` and `windows/` define the same names:
//!
//! | file | contents |
//! | --- | --- |
//! | `memory_file.rs` | memory that can be mapped at several addresses, and shared with other processes where the system allows it |
//! | `reservation.rs` | the address range of device memory, whose pages are provided when they are needed |
//! | `pages.rs` | queries about the process's own pages |
//! | `process.rs` | the process: its end, its memory, other processes |

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub use unix::*;

#[cfg(windows)]
mod windows;
#[cfg(windows)]
pub use windows::*;

#[cfg(not(any(target_os = "linux", windows)))]
compile_error!("cuda-emulator supports Linux and Windows");

/// The unit of mappings, and the unit in which properties of managed memory are kept.
pub const PAGE: u64 = 4096;

/// Identifies a memory file on the system.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    pub device: u64,
    pub inode: u64,
}

/// Functions that reserve addresses for mappings of files, on systems that cannot map a file inside
/// a [`Reservation`].
pub struct MapAddresses {
    /// Reserves whole pages with this size and alignment.
    pub reserve: fn(u64, u64) -> Option<u64>,
    /// Releases the addresses of a reservation, in which nothing is mapped.
    pub release: fn(u64, u64),
}

#[cfg(test)]
mod tests {
    use super::*;

    static CONSTANT: [u8; 64] = [7; 64];

    #[test]
    fn permissions_of_pages_are_detected() {
        let mut own = vec![0u8; 100_000];
        let start = own.as_mut_ptr() as u64;
        assert!(are_accessible(start, 100_000, true) && are_accessible(start + 5, 1, false));
        let constant = CONSTANT.as_ptr() as u64;
        assert!(are_accessible(constant, 64, false) && !are_accessible(constant, 64, true));
        assert!(!are_accessible(0x1000, 10, false) && !are_accessible(u64::MAX - 5, 10, false));
    }

    #[test]
    fn two_mappings_share_memory() {
        const UNIT: u64 = MAP_UNIT;
        let file = MemoryFile::create(c"test", 4 * UNIT).unwrap();
        let (one, two) = (
            file.map(0, 4 * UNIT).unwrap(),
            file.map(UNIT, UNIT).unwrap(),
        );
        let place = (one.address + UNIT) as *mut u32;
        // SAFETY: both are mapped and long enough.
        unsafe {
            place.write_volatile(7);
            assert_eq!((two.address as *const u32).read_volatile(), 7);
        }
        let mut bytes = [0; 4];
        file.read(&mut bytes, UNIT).unwrap();
        assert_eq!(u32::from_le_bytes(bytes), 7);
    }

    #[test]
    fn only_running_processes_have_a_start_time() {
        let own = std::process::id();
        assert!(is_running(own) && start_time(own).is_some());
        assert!(!is_running(0x3fff_fff1) && start_time(0x3fff_fff1).is_none());
    }
}
