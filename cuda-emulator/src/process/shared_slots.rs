//! What a process shows to others: for every event and every piece of memory that it shares, a slot in a file in memory.
//!
//! Another process opens the file by the number that stands in a handle. Slots are never used again, so a handle can't lead
//! to something else than what it was made for. Nothing that another process has written is believed: it is looked at
//! once, and checked.

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
/// The word of a slot of memory that says whether it can be opened.
const LIVE: usize = 1;
/// How often a waiting thread looks whether the other process still lives.
const HEARTBEAT: Duration = Duration::from_millis(20);

/// What a handle is of. The number is the first word of its bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum Sort {
    Memory = u64::from_le_bytes(*b"emu-mem1"),
    Event = u64::from_le_bytes(*b"emu-evt1"),
}

/// A handle as the client sends it: 64 bytes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Handle(pub [u64; 8]);

crate::abi::pointers::opaque!(Handle);

/// Where a slot is, from a handle.
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

/// A slot, of this process or of another.
#[derive(Clone)]
pub struct Slot {
    /// Keeps it mapped.
    _page: Arc<Mapped>,
    address: u64,
    place: Place,
}

/// What tells a slot from all others.
pub type Key = (u64, u64, u64);

/// Why a handle leads nowhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lost {
    /// It is none of these.
    Nonsense,
    /// It is this process's own.
    Own,
    /// The process isn't there, or is somebody else's.
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
    /// A new one of this process; `None` where none is left.
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

    /// The slot that a handle leads to, in another process.
    ///
    /// # Errors
    /// Why there is none.
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

    /// The bytes by which another process finds it.
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

    /// The process that has made it.
    pub fn process(&self) -> u32 {
        self.place.process
    }

    /// What tells it from all others.
    pub fn key(&self) -> Key {
        (self.place.identity.inode, self.place.offset, self.place.id)
    }

    /// The thing it stands for is there, and can be opened.
    pub fn publish(&self) {
        self.word(LIVE).store(1, Ordering::Release);
    }

    /// Nobody opens it any more.
    pub fn retire(&self) {
        self.word(LIVE).store(0, Ordering::Release);
    }

    /// Whether it can be opened.
    pub fn is_live(&self) -> bool {
        self.word(LIVE).load(Ordering::Acquire) == 1
    }

    /// One of its words; the first is its own.
    pub fn word(&self, index: usize) -> &AtomicU64 {
        assert!(index < WORDS, "a slot has {WORDS} words");
        // SAFETY: within the slot, which is mapped for as long as this lives, and aligned. All processes use atomics.
        unsafe { &*(self.address as *const AtomicU64).add(index) }
    }
}

/// When a process began, in the system's ticks; `None` if it is no more, or only waits to be collected.
fn began(process: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?;
    (!matches!(state, "Z" | "X" | "x")).then(|| fields.nth(18)?.parse().ok())?
}

/// Bits of a process's number: Linux gives none of more.
const PROCESS_BITS: u32 = 22;

/// A process, told from all that have had its number before: one word, of which nobody sees half.
fn who(process: u32) -> Option<u64> {
    let began = began(process)?;
    Some(began << PROCESS_BITS | u64::from(process))
}

/// This process.
fn own() -> u64 {
    static OWN: OnceLock<u64> = OnceLock::new();
    *OWN.get_or_init(|| who(std::process::id()).unwrap_or(0))
}

/// The words of a slot of an event.
const RECORDED: usize = 1;
const REACHED: usize = 2;
const RECORDER: usize = 3;

/// What processes know together of an event: which record is the last, and which was reached.
#[derive(Clone)]
pub struct SharedEvent(pub Slot);

/// A record of a shared event, and who has made it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SharedRecord {
    pub number: u64,
    recorder: u64,
}

/// This process's records of an event that aren't told yet.
#[derive(Default)]
struct Untold {
    open: BTreeSet<u64>,
    /// Reached, while one before them is open: streams don't follow each other.
    reached: BTreeSet<u64>,
}

fn untold() -> MutexGuard<'static, BTreeMap<Key, Untold>> {
    static UNTOLD: Mutex<BTreeMap<Key, Untold>> = Mutex::new(BTreeMap::new());
    UNTOLD.lock().unpoisoned()
}

impl SharedEvent {
    /// The event is recorded, by this process. Gives the number of the record.
    pub fn record(&self) -> u64 {
        let mut untold = untold();
        self.0.word(RECORDER).store(own(), Ordering::SeqCst);
        let number = self.0.word(RECORDED).fetch_add(1, Ordering::SeqCst) + 1;
        untold.entry(self.0.key()).or_default().open.insert(number);
        number
    }

    /// A record of this process has been reached, or never will be. Others see a number alone, up to which all records of this
    /// process are reached. Where several processes record an event at once, one doesn't know what others have not reached.
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

    /// The number of the last record; 0 for none.
    pub fn recorded(&self) -> u64 {
        self.0.word(RECORDED).load(Ordering::SeqCst)
    }

    /// The last record.
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

    /// Whether a record has been reached. One of a process that has ended never will be, and counts as reached. (On an H200
    /// it keeps others waiting for ever.)
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
    /// Whether its process has ended.
    fn is_orphan(self) -> bool {
        let process = self.recorder & ((1 << PROCESS_BITS) - 1);
        who(process as u32) != Some(self.recorder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_found_by_their_handles_alone() {
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
        // Processes that aren't there, and that aren't ours to look into.
        assert_eq!(changed(1, 0x3fff_fff0), Some(Lost::Gone));
        assert_eq!(
            lost(&Handle([u64::MAX; 8]), Sort::Event),
            Some(Lost::Nonsense)
        );
    }

    #[test]
    fn records_are_reached_in_turn() {
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
        // A process that began at another time is another one.
        let recorder = event.0.word(RECORDER);
        recorder.fetch_add(1 << PROCESS_BITS, Ordering::SeqCst);
        assert!(event.is_reached(event.last()) && !event.is_reached(second));
        event.wait(event.last());
        recorder.store(u64::MAX, Ordering::SeqCst);
        assert!(event.is_reached(event.last()));
    }

    #[test]
    fn a_record_that_is_reached_before_others_says_nothing_of_them() {
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
    fn processes_are_there_or_not() {
        assert!(began(std::process::id()).is_some_and(|ticks| ticks > 0));
        assert!(began(0x3fff_fff0).is_none());
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let end = Instant::now() + Duration::from_secs(10);
        // Ended, though nobody has collected it.
        while began(child.id()).is_some() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(began(child.id()).is_none());
        child.wait().unwrap();
    }
}
