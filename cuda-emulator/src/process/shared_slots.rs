//! The state that a process shares with others: one slot in a file in memory for each shared event
//! and each shared piece of memory.
//!
//! Another process opens the file through the descriptor number in a handle. Slots are never
//! reused, so a handle cannot refer to a different object later. Data written by another process is
//! untrusted: it is read once and checked.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

use crate::system::{self, Descriptor, Identity, Mapped, MemoryFile, PAGE};
use cuda_emulator_engine::Unpoisoned;

/// Words of a slot.
const WORDS: usize = 8;
const SLOT: u64 = 8 * WORDS as u64;
const SIZE: u64 = SLOT << 20;
/// The index of the word in a memory slot that states whether the memory can be opened.
const LIVE: usize = 1;
/// How often a waiting thread checks whether the other process is still alive.
const HEARTBEAT: Duration = Duration::from_millis(20);

/// The kind of object a handle refers to. The discriminant is the first word of the handle's bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum HandleKind {
    Memory = u64::from_le_bytes(*b"emu-mem1"),
    Event = u64::from_le_bytes(*b"emu-evt1"),
}

/// A handle as the client passes it: 64 bytes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Handle(pub [u64; 8]);

crate::abi::pointers::opaque!(Handle);

/// The location of a slot, taken from a handle.
#[derive(Clone, Copy)]
struct Place {
    process: u32,
    fd: Descriptor,
    identity: Identity,
    offset: u64,
    id: u64,
}

struct SlotFile {
    file: MemoryFile,
    identity: Identity,
    all: Arc<Mapped>,
    next: AtomicU64,
}

/// A slot of this process or of another.
#[derive(Clone)]
pub struct Slot {
    /// Keeps the slot mapped.
    _page: Arc<Mapped>,
    address: u64,
    place: Place,
}

/// Identifies a slot on the system.
pub type Key = (u64, u64, u64);

/// The reason why a handle cannot be opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OpenError {
    /// The bytes are not a valid handle.
    Invalid,
    /// The handle is from this process.
    SameProcess,
    /// The process has ended or belongs to another user.
    Unreachable,
}

fn slot_file() -> Option<&'static SlotFile> {
    static SLOT_FILE: OnceLock<Option<SlotFile>> = OnceLock::new();
    let made = SLOT_FILE.get_or_init(|| {
        let file = MemoryFile::create(c"cuda-emulator-board", SIZE)?;
        Some(SlotFile {
            identity: file.identity()?,
            all: Arc::new(file.map(0, SIZE)?),
            file,
            next: AtomicU64::new(0),
        })
    });
    made.as_ref()
}

impl Slot {
    /// Allocates a slot of this process. Returns `None` if none is left.
    pub fn new() -> Option<Slot> {
        let slot_file = slot_file()?;
        let number = slot_file.next.fetch_add(1, Ordering::Relaxed);
        let offset = number.checked_mul(SLOT).filter(|&offset| offset < SIZE)?;
        let slot = Slot {
            _page: slot_file.all.clone(),
            address: slot_file.all.address + offset,
            place: Place {
                process: std::process::id(),
                fd: slot_file.file.number(),
                identity: slot_file.identity,
                offset,
                id: number + 1,
            },
        };
        slot.word(0).store(slot.place.id, Ordering::Release);
        Some(slot)
    }

    /// Opens the slot of a handle from another process.
    ///
    /// # Errors
    /// Returns the reason why the slot cannot be opened.
    pub fn open(sort: HandleKind, handle: &Handle) -> Result<Slot, OpenError> {
        let [first, process_key, device, inode, offset, id, ..] = handle.0;
        let place = Place {
            process: process_key as u32,
            fd: (process_key >> 32) as Descriptor,
            identity: Identity { device, inode },
            offset,
            id,
        };
        if first != sort as u64 || offset >= SIZE || !offset.is_multiple_of(SLOT) || id == 0 {
            return Err(OpenError::Invalid);
        }
        if place.process == std::process::id() {
            return Err(OpenError::SameProcess);
        }
        let file = MemoryFile::of_process(place.process, place.fd).ok_or(OpenError::Unreachable)?;
        if file.identity() != Some(place.identity) || file.size() != Some(SIZE) {
            return Err(OpenError::Unreachable);
        }
        let page = file
            .map(offset / PAGE * PAGE, PAGE)
            .ok_or(OpenError::Unreachable)?;
        let slot = Slot {
            address: page.address + offset % PAGE,
            _page: Arc::new(page),
            place,
        };
        if slot.word(0).load(Ordering::Acquire) != id {
            return Err(OpenError::Invalid);
        }
        Ok(slot)
    }

    /// Returns the handle by which another process finds the slot.
    pub fn handle(&self, sort: HandleKind) -> Handle {
        let place = &self.place;
        let process_key = u64::from(place.process) | (place.fd as u64) << 32;
        let Identity { device, inode } = place.identity;
        Handle([
            sort as u64,
            process_key,
            device,
            inode,
            place.offset,
            place.id,
            0,
            0,
        ])
    }

    /// Returns the process that created the slot.
    pub fn process(&self) -> u32 {
        self.place.process
    }

    /// Returns the slot's identity.
    pub fn key(&self) -> Key {
        (self.place.identity.inode, self.place.offset, self.place.id)
    }

    /// Marks the object as existing, so that other processes can open it.
    pub fn publish(&self) {
        self.word(LIVE).store(1, Ordering::Release);
    }

    /// Marks the object as freed, so that no process can open it any more.
    pub fn retire(&self) {
        self.word(LIVE).store(0, Ordering::Release);
    }

    /// Returns whether the object can be opened.
    pub fn is_live(&self) -> bool {
        self.word(LIVE).load(Ordering::Acquire) == 1
    }

    /// Returns a word of the slot. Word 0 holds the slot's id.
    pub fn word(&self, index: usize) -> &AtomicU64 {
        assert!(index < WORDS, "a slot has {WORDS} words");
        // SAFETY: within the slot, which is mapped as long as `self` exists, and aligned. All
        // processes use atomics.
        unsafe { &*(self.address as *const AtomicU64).add(index) }
    }
}

/// Bits of a process id. Linux never assigns more.
const PROCESS_BITS: u32 = 22;

/// Returns a word that identifies a process, even if its id is reused. It is a single word so that
/// no reader sees half of it.
fn process_key(process: u32) -> Option<u64> {
    let start_time = system::start_time(process)?;
    Some(start_time << PROCESS_BITS | u64::from(process))
}

/// Returns the identity of this process.
fn own() -> u64 {
    static OWN: OnceLock<u64> = OnceLock::new();
    *OWN.get_or_init(|| process_key(std::process::id()).unwrap_or(0))
}

/// The words of an event slot.
const RECORDED: usize = 1;
const REACHED: usize = 2;
const RECORDER: usize = 3;

/// The state of an event that processes share: the last record, and the last record reached.
#[derive(Clone)]
pub struct SharedEvent(pub Slot);

/// A record of a shared event, and the process that made it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SharedRecord {
    pub number: u64,
    recorder: u64,
}

/// This process's records of an event that are not yet published as reached.
#[derive(Default)]
struct Unpublished {
    open: BTreeSet<u64>,
    /// Records that were reached before an earlier one. This can happen because streams run
    /// independently.
    reached: BTreeSet<u64>,
}

fn unpublished() -> MutexGuard<'static, BTreeMap<Key, Unpublished>> {
    static UNPUBLISHED: Mutex<BTreeMap<Key, Unpublished>> = Mutex::new(BTreeMap::new());
    UNPUBLISHED.lock().unpoisoned()
}

impl SharedEvent {
    /// Records the event for this process. Returns the number of the record.
    pub fn record(&self) -> u64 {
        let mut unpublished = unpublished();
        self.0.word(RECORDER).store(own(), Ordering::SeqCst);
        let number = self.0.word(RECORDED).fetch_add(1, Ordering::SeqCst) + 1;
        unpublished
            .entry(self.0.key())
            .or_default()
            .open
            .insert(number);
        number
    }

    /// Marks a record of this process as reached, or as never going to run.
    ///
    /// Other processes see only one number, up to which all records of this process are reached. If
    /// several processes record an event at once, a process does not know which records of the
    /// others are not yet reached.
    pub fn reach(&self, number: u64) {
        let mut unpublished = unpublished();
        let Some(own) = unpublished.get_mut(&self.0.key()) else {
            return;
        };
        if own.open.remove(&number) {
            own.reached.insert(number);
        }
        let first = own.open.first().copied().unwrap_or(u64::MAX);
        if let Some(&last) = own.reached.range(..first).next_back() {
            self.0.word(REACHED).fetch_max(last, Ordering::SeqCst);
            own.reached = own.reached.split_off(&first);
        }
        if own.open.is_empty() {
            unpublished.remove(&self.0.key());
        }
    }

    /// Returns the number of the last record, or 0 if there is none.
    pub fn recorded(&self) -> u64 {
        self.0.word(RECORDED).load(Ordering::SeqCst)
    }

    /// Returns the last record.
    pub fn last(&self) -> SharedRecord {
        loop {
            let number = self.recorded();
            let recorder = self.0.word(RECORDER).load(Ordering::SeqCst);
            if self.recorded() == number {
                return SharedRecord { number, recorder };
            }
        }
    }

    fn is_marked(&self, number: u64) -> bool {
        self.0.word(REACHED).load(Ordering::SeqCst) >= number
    }

    /// Returns whether a record has been reached. A record of a process that has ended counts as
    /// reached. (On an H200 such a record keeps others waiting forever.)
    pub fn is_reached(&self, record: SharedRecord) -> bool {
        self.is_marked(record.number) || record.is_orphan()
    }

    /// Waits until a record is reached.
    pub fn wait(&self, record: SharedRecord) {
        let mut looked = Instant::now();
        let mut pause = Duration::from_micros(20);
        while !self.is_marked(record.number) {
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(1));
            if looked.elapsed() > HEARTBEAT {
                looked = Instant::now();
                if record.is_orphan() {
                    return;
                }
            }
        }
    }
}

impl SharedRecord {
    /// Returns whether the recording process has ended.
    fn is_orphan(self) -> bool {
        let process = self.recorder & ((1 << PROCESS_BITS) - 1);
        process_key(process as u32) != Some(self.recorder)
    }
}

// Windows does not share files.
#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn slot_handles_are_validated() {
        let (one, two) = (Slot::new().unwrap(), Slot::new().unwrap());
        assert_ne!(one.key(), two.key());
        let handle = one.handle(HandleKind::Event);
        let lost = |handle: &Handle, sort| Slot::open(sort, handle).err();
        assert_eq!(
            lost(&handle, HandleKind::Event),
            Some(OpenError::SameProcess)
        );
        assert_eq!(lost(&handle, HandleKind::Memory), Some(OpenError::Invalid));
        let changed = |index: usize, value: u64| {
            let mut other = handle;
            other.0[index] = value;
            lost(&other, HandleKind::Event)
        };
        for (index, value) in [(0, 0), (4, 1), (4, SIZE), (4, u64::MAX), (5, 0)] {
            assert_eq!(changed(index, value), Some(OpenError::Invalid), "{index}");
        }
        // Processes that do not exist, or that this one may not inspect.
        assert_eq!(changed(1, 0x3fff_fff0), Some(OpenError::Unreachable));
        assert_eq!(
            lost(&Handle([u64::MAX; 8]), HandleKind::Event),
            Some(OpenError::Invalid)
        );
    }

    #[test]
    fn records_are_reached_in_order() {
        let event = SharedEvent(Slot::new().unwrap());
        assert_eq!(event.recorded(), 0);
        let recorded = || {
            let number = event.record();
            assert_eq!(event.last().number, number);
            event.last()
        };
        let (first, second) = (recorded(), recorded());
        assert_eq!((first.number, second.number, event.recorded()), (1, 2, 2));
        assert!(!event.is_reached(first));
        event.reach(1);
        assert!(event.is_reached(first) && !event.is_reached(second));
        event.wait(first);
        // A process with the same id but another start time is a different process.
        let recorder = event.0.word(RECORDER);
        recorder.fetch_add(1 << PROCESS_BITS, Ordering::SeqCst);
        assert!(event.is_reached(event.last()) && !event.is_reached(second));
        event.wait(event.last());
        recorder.store(u64::MAX, Ordering::SeqCst);
        assert!(event.is_reached(event.last()));
    }

    #[test]
    fn record_reached_early_does_not_mark_earlier_records() {
        let event = SharedEvent(Slot::new().unwrap());
        let all = [1, 2, 3, 4].map(|number| {
            assert_eq!(event.record(), number);
            event.last()
        });
        let reached = || all.map(|record| event.is_reached(record));
        event.reach(2);
        assert_eq!(reached(), [false; 4]);
        event.reach(4);
        event.reach(1);
        assert_eq!(reached(), [true, true, false, false]);
        event.reach(3);
        assert_eq!(reached(), [true; 4]);
        assert!(!unpublished().contains_key(&event.0.key()));
    }
}
