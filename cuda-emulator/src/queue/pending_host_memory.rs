//! Host memory that enqueued work will still use.

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

use super::stream::{self, Stream};
use cuda_emulator_engine::Unpoisoned;

/// How work will use host memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HostAccess {
    /// A copy reads it.
    CopyFrom,
    /// A copy writes to it.
    CopyTo,
    /// A fill writes to it.
    Fill,
    /// A stream memory operation waits for a value in it, or writes one.
    Word,
    /// A host function gets its address.
    HostFunction,
}

/// Unfinished work on a stream that uses host memory.
///
/// `Display` describes it in a phrase without a main verb: "a copy on stream 0x12..., which will
/// read 64 bytes at 0x7f...".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HostWork {
    /// The kind of use.
    pub access: HostAccess,
    /// The first byte that it uses.
    pub start: usize,
    /// Bytes from the first to the last, including those between the rows of a pitched copy.
    pub length: usize,
    /// The stream's handle as the driver returned it: 1 for the default stream, 2 for a thread's
    /// own.
    pub stream: u64,
}

impl HostWork {
    fn touches(&self, range: &Range<usize>) -> bool {
        self.start < range.end && range.start < self.start.saturating_add(self.length)
    }
}

impl fmt::Display for HostWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, does) = match self.access {
            HostAccess::CopyFrom => ("a copy", "read"),
            HostAccess::CopyTo => ("a copy", "write"),
            HostAccess::Fill => ("a fill", "write"),
            HostAccess::Word => ("a stream memory operation", "use"),
            HostAccess::HostFunction => {
                return write!(
                    f,
                    "a host function on {}, which will receive the address {:#x}",
                    stream::name_of(self.stream),
                    self.start
                );
            }
        };
        write!(
            f,
            "{what} on {}, which will {does} {} bytes at {:#x}",
            stream::name_of(self.stream),
            self.length,
            self.start
        )
    }
}

struct Entries {
    list: Vec<(u64, HostWork)>,
    next: u64,
}

/// No memory is freed while this lock is held, because an allocator may take it in a thread that is
/// freeing memory.
static ENTRIES: Mutex<Entries> = Mutex::new(Entries {
    list: Vec::new(),
    next: 0,
});
/// Number of entries.
static COUNT: AtomicUsize = AtomicUsize::new(0);

fn entries() -> MutexGuard<'static, Entries> {
    ENTRIES.lock().unpoisoned()
}

/// Registers host memory that work will use, as long as this value exists. It is moved into the
/// work.
pub struct Pending(u64);

impl Pending {
    pub fn new(stream: &Stream, access: HostAccess, start: u64, length: u64) -> Pending {
        let work = HostWork {
            access,
            start: start as usize,
            length: length as usize,
            stream: stream.handle,
        };
        let mut entries = entries();
        if entries.list.len() == entries.list.capacity() {
            let mut larger = Vec::with_capacity((2 * entries.list.len()).max(64));
            larger.extend_from_slice(&entries.list);
            // The old list is leaked: see ENTRIES. All leaked lists together are smaller than the
            // largest.
            std::mem::forget(std::mem::replace(&mut entries.list, larger));
        }
        let number = entries.next;
        entries.next += 1;
        entries.list.push((number, work));
        COUNT.store(entries.list.len(), Ordering::SeqCst);
        Pending(number)
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        let mut entries = entries();
        if let Some(at) = entries
            .list
            .iter()
            .position(|(number, _)| *number == self.0)
        {
            entries.list.swap_remove(at);
        }
        COUNT.store(entries.list.len(), Ordering::SeqCst);
    }
}

/// Returns unfinished work on any stream that will use one of the `length` bytes of host memory at
/// `start`, pageable or page-locked. It returns `None` if the memory may be freed. This function is
/// for test programs.
///
/// It covers copies, fills, stream memory operations, and the addresses passed to host functions.
/// It does not cover kernels, whose use of page-locked memory is unknown before they run. It finds
/// most with `CUDA_EMULATOR_HOLD`, which delays work until something waits for it.
///
/// The call is cheap while nothing is enqueued. It never frees memory itself and takes no lock that
/// is held while memory is freed. So a global allocator may call it before it frees a block.
///
/// ```
/// let host = vec![0u8; 64];
/// let work = cuda_emulator::pending_host_work(host.as_ptr(), host.len());
/// assert!(work.is_none(), "{}", work.unwrap());
/// ```
pub fn pending_host_work(start: *const u8, length: usize) -> Option<HostWork> {
    if COUNT.load(Ordering::SeqCst) == 0 {
        return None;
    }
    let range = start as usize..(start as usize).saturating_add(length);
    entries()
        .list
        .iter()
        .map(|(_, work)| *work)
        .find(|work| work.touches(&range))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_share_a_byte_overlap() {
        let work = HostWork {
            access: HostAccess::Fill,
            start: 100,
            length: 10,
            stream: 1,
        };
        for (range, touches) in [
            (90..100, false),
            (90..101, true),
            (100..110, true),
            (104..105, true),
            (109..200, true),
            (110..200, false),
            (0..usize::MAX, true),
            (105..105, true),
        ] {
            assert_eq!(work.touches(&range), touches, "{range:?}");
        }
    }
}
