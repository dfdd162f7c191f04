//! The state that a process shares with others: one slot in a file in memory for each shared event
//! and each shared piece of memory.
//!
//! Another process opens the file through the descriptor number in a handle. Slots are never
//! reused, so a handle cannot refer to a different object later. Data written by another process is
//! untrusted: it is read once and checked.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

use super::memory_file::{Identity, Mapped, Memfd, PAGE};
use cuda_emulator_engine::Unpoisoned;

/// Words of a slot.
const WORDS: usize = 8;
const SLOT: u64 = 8 * WORDS as u64;
const SIZE: u64 = SLOT << 20;
/// The word of a memory slot that says whether the memory can be opened.
const LIVE: usize = 1;
/// How often a waiting thread checks whether the other process is still alive.
const HEARTBEAT: Duration = Duration::from_millis(20);

/// The kind of object a handle refers to. The discriminant is the first word of the handle's bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum Sort {
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
    fd: i32,
    identity: Identity,
    offset: u64,
    id: u64,
}

struct Board {
    file: Memfd,
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
pub enum Lost {
    /// The bytes are not a valid handle.
    Nonsense,
    /// The handle is from this process.
    Own,
    /// The process has ended or belongs to another user.
    Gone,
}

fn board() -> Option<&'static Board> {
    static BOARD: OnceLock<Option<Board>> = OnceLock::new();
    let made = BOARD.get_or_init(|| {
        let file = Memfd::create(c"cuda-emulator-board", SIZE)?;
        Some(Board {
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
        let board = board()?;
        let number = board.next.fetch_add(1, Ordering::Relaxed);
        let offset = number.checked_mul(SLOT).filter(|&offset| offset < SIZE)?;
        let slot = Slot {
            _page: board.all.clone(),
            address: board.all.address + offset,
            place: Place {
                process: std::process::id(),
                fd: board.file.number(),
                identity: board.identity,
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
    pub fn open(sort: Sort, handle: &Handle) -> Result<Slot, Lost> {
        let [first, who, device, inode, offset, id, ..] = handle.0;
        let place = Place {
            process: who as u32,
            fd: (who >> 32) as i32,
            identity: Identity { device, inode },
            offset,
            id,
        };
        if first != sort as u64 || offset >= SIZE || !offset.is_multiple_of(SLOT) || id == 0 {
            return Err(Lost::Nonsense);
        }
        if place.process == std::process::id() {
            return Err(Lost::Own);
        }
        let file = Memfd::of_process(place.process, place.fd).ok_or(Lost::Gone)?;
        if file.identity() != Some(place.identity) || file.size() != Some(SIZE) {
            return Err(Lost::Gone);
        }
        let page = file.map(offset / PAGE * PAGE, PAGE).ok_or(Lost::Gone)?;
        let slot = Slot {
            address: page.address + offset % PAGE,
            _page: Arc::new(page),
            place,
        };
        if slot.word(0).load(Ordering::Acquire) != id {
            return Err(Lost::Nonsense);
        }
        Ok(slot)
    }

    /// Returns the handle by which another process finds the slot.
    pub fn handle(&self, sort: Sort) -> Handle {
        let place = &self.place;
        let who = u64::from(place.process) | (place.fd as u64) << 32;
        let Identity { device, inode } = place.identity;
        Handle([
            sort as u64,
            who,
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

    /// Marks the object as gone, so that no process can open it any more.
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

/// Returns when a process started, in clock ticks, or `None` if it has ended (a zombie counts as
/// ended).
fn began(process: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?;
    (!matches!(state, "Z" | "X" | "x")).then(|| fields.nth(18)?.parse().ok())?
}

/// Bits of a process id. Linux never assigns more.
const PROCESS_BITS: u32 = 22;

/// Returns a word that identifies a process, even if its id is reused. It is a single word so that
/// no reader sees half of it.
fn who(process: u32) -> Option<u64> {
    let began = began(process)?;
    Some(began << PROCESS_BITS | u64::from(process))
}

/// Returns the identity of this process.
fn own() -> u64 {
    static OWN: OnceLock<u64> = OnceLock::new();
    *OWN.get_or_init(|| who(std::process::id()).unwrap_or(0))
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
struct Untold {
    open: BTreeSet<u64>,
    /// Records that were reached while an earlier one is open, because streams do not follow each
    /// other.
    reached: BTreeSet<u64>,
}

fn untold() -> MutexGuard<'static, BTreeMap<Key, Untold>> {
    static UNTOLD: Mutex<BTreeMap<Key, Untold>> = Mutex::new(BTreeMap::new());
    UNTOLD.lock().unpoisoned()
}

impl SharedEvent {
    /// Records the event for this process. Returns the number of the record.
    pub fn record(&self) -> u64 {
        let mut untold = untold();
        self.0.word(RECORDER).store(own(), Ordering::SeqCst);
        let number = self.0.word(RECORDED).fetch_add(1, Ordering::SeqCst) + 1;
        untold.entry(self.0.key()).or_default().open.insert(number);
        number
    }

    /// Marks a record of this process as reached, or as never going to run.
    ///
    /// Other processes see only one number, up to which all records of this process are reached. If
    /// several processes record an event at once, a process does not know which records of the
    /// others are not yet reached.
    pub fn reach(&self, number: u64) {
        let mut untold = untold();
        let Some(own) = untold.get_mut(&self.0.key()) else {
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
            untold.remove(&self.0.key());
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
        who(process as u32) != Some(self.recorder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slot_handles_are_validated() {
        let (one, two) = (Slot::new().unwrap(), Slot::new().unwrap());
        assert_ne!(one.key(), two.key());
        let handle = one.handle(Sort::Event);
        let lost = |handle: &Handle, sort| Slot::open(sort, handle).err();
        assert_eq!(lost(&handle, Sort::Event), Some(Lost::Own));
        assert_eq!(lost(&handle, Sort::Memory), Some(Lost::Nonsense));
        let changed = |index: usize, value: u64| {
            let mut other = handle;
            other.0[index] = value;
            lost(&other, Sort::Event)
        };
        for (index, value) in [(0, 0), (4, 1), (4, SIZE), (4, u64::MAX), (5, 0)] {
            assert_eq!(changed(index, value), Some(Lost::Nonsense), "{index}");
        }
        // Processes that do not exist, or that this one may not inspect.
        assert_eq!(changed(1, 0x3fff_fff0), Some(Lost::Gone));
        assert_eq!(
            lost(&Handle([u64::MAX; 8]), Sort::Event),
            Some(Lost::Nonsense)
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
        assert!(!untold().contains_key(&event.0.key()));
    }

    #[test]
    fn start_time_exists_only_for_live_processes() {
        assert!(began(std::process::id()).is_some_and(|ticks| ticks > 0));
        assert!(began(0x3fff_fff0).is_none());
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let end = Instant::now() + Duration::from_secs(10);
        // The child has ended but has not been waited for.
        while began(child.id()).is_some() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(began(child.id()).is_none());
        child.wait().unwrap();
    }
}
