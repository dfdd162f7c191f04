//! The race check: the accesses to each byte of shared memory, and their order.
//!
//! Each warp has a vector clock, as each thread has in thread sanitizers. For every warp of the
//! block, it contains the time up to which that warp's accesses are ordered before this warp's next
//! access. Barriers, phases of mbarriers, and synchronization by strong accesses and fences between
//! warps update these clocks. Two accesses race if one is a write, neither is ordered before the
//! other, and at least one is weak.
//!
//! If the check is inexact, it misses races instead of reporting false ones:
//!
//! - Lanes of a warp count as one thread.
//! - Of the writes to a byte, only the last weak one and the last strong one are kept.
//! - A warp that acquires through global memory is ordered after everything that was released
//!   through global memory, at any address, because the synchronization may go through other
//!   blocks.
//! - A thread that has ended counts as having arrived at all barriers.
//! - The order from a fence applies to the whole warp.
//! - Other blocks of a cluster are treated like global memory: data from them may come from any
//!   warp that released anything out of the block.
//! - Accesses of two blocks to the same byte race if the warp of the first has released nothing
//!   since, and the cluster's barrier has not opened since the warp arrived there.

use std::collections::HashMap;

use crate::state::op::CLUSTER;
use crate::state::touch::Touch;

/// Maximum number of warps in a block.
const WARPS: usize = 32;

/// The number of bytes in a word of shared memory.
const WORD: u64 = 4;

/// For each warp, the time up to which everything is ordered.
#[derive(Clone, Copy, Default)]
struct Clock([u32; WARPS]);

impl Clock {
    fn join(&mut self, other: &Clock) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(*theirs);
        }
    }
}

/// The clocks of a warp.
#[derive(Clone, Copy, Default)]
struct Times {
    /// The accesses ordered before its next access. Its own element is its own time.
    now: Clock,
    /// The clock that its strong writes release: accesses before its last fence.
    released: Clock,
    /// The clocks that its strong reads have seen, which its next fence acquires.
    met: Clock,
    /// The time up to which it has released its accesses, by a barrier of the block, a fence or an
    /// mbarrier. Also the time at which it arrived at the cluster's barrier, and how often that had
    /// opened.
    released_until: u32,
    came: u32,
    opened: u64,
}

/// An access.
#[derive(Clone, Copy, Default)]
pub(crate) struct Mark {
    /// The time of its warp. 0 means no access.
    time: u32,
    pub pc: u32,
    pub thread: u16,
    pub strong: bool,
    pub wrote: bool,
}

/// The accesses to a word or byte that later ones may race with.
#[derive(Clone, Copy, Default)]
struct Cell {
    write: Mark,
    read: Mark,
    /// Further reads, and the last weak write if a strong one followed it: an index into
    /// [`Races::more`], plus 1.
    more: u32,
}

/// The clocks of arrivals at a barrier.
#[derive(Clone, Copy, Default)]
struct BarrierClocks {
    /// The accesses of the threads that have arrived in this phase.
    arriving: Clock,
    /// The accesses of the threads that had arrived when it last opened.
    arrived: Clock,
}

impl BarrierClocks {
    fn open(&mut self) {
        self.arrived.join(&std::mem::take(&mut self.arriving));
    }
}

/// The race check's state of a block.
pub(crate) struct Races {
    /// The number of bytes of shared memory.
    bytes: usize,
    /// One for each [`WORD`] bytes, until an access covers only a part of a word. From then on, one
    /// for each byte.
    cells: Vec<Cell>,
    /// The number of bytes that a cell stands for.
    grain: u64,
    /// Lists of marks, of which the first `lists` are in use.
    more: Vec<Vec<Mark>>,
    lists: usize,
    warps: [Times; WARPS],
    barriers: [BarrierClocks; CLUSTER + 1],
    /// The clocks of mbarriers, by their offset in shared memory.
    mbarriers: HashMap<u64, BarrierClocks>,
    /// The released clock of each word of shared memory, by its offset over 4, and of global
    /// memory.
    words: HashMap<u64, Clock>,
    global: Clock,
    /// The accesses of ended threads.
    ended: Clock,
    /// For each byte, the last write and the last read by other blocks of the cluster, with their
    /// ranks.
    foreign: HashMap<u64, [Option<(u32, Mark)>; 2]>,
}

impl Races {
    pub(crate) fn new(bytes: usize) -> Races {
        let mut races = Races {
            bytes,
            cells: Vec::new(),
            grain: WORD,
            more: Vec::new(),
            lists: 0,
            warps: [Times::default(); WARPS],
            barriers: [BarrierClocks::default(); CLUSTER + 1],
            mbarriers: HashMap::new(),
            words: HashMap::new(),
            global: Clock::default(),
            ended: Clock::default(),
            foreign: HashMap::new(),
        };
        races.reset();
        races
    }

    /// Resets the state for another block.
    pub(crate) fn reset(&mut self) {
        self.cells.clear();
        self.grain = WORD;
        let words = self.bytes.div_ceil(WORD as usize);
        self.cells.resize(words, Cell::default());
        self.lists = 0;
        self.warps = [Times::default(); WARPS];
        for (w, times) in self.warps.iter_mut().enumerate() {
            times.now.0[w] = 1;
        }
        self.barriers = [BarrierClocks::default(); CLUSTER + 1];
        self.mbarriers.clear();
        self.words.clear();
        (self.global, self.ended) = (Clock::default(), Clock::default());
        self.foreign.clear();
    }

    /// Starts a new time, since the warp's later accesses are not part of the released clock.
    fn advance(&mut self, warp: usize) {
        let times = &mut self.warps[warp];
        times.released_until = times.now.0[warp];
        times.now.0[warp] += 1;
    }

    /// Executes a fence. Releases seen by earlier strong reads are ordered before later accesses,
    /// and later strong writes release earlier accesses.
    pub(crate) fn fence(&mut self, warp: usize) {
        let times = &mut self.warps[warp];
        times.now.join(&times.met);
        times.released = times.now;
        self.advance(warp);
    }

    /// Orders the accesses in `clock` before the warp's next access.
    fn acquire(&mut self, warp: usize, clock: &Clock) {
        self.warps[warp].met.join(clock);
        self.fence(warp);
    }

    /// Records that lanes of a warp have arrived at a barrier of the block.
    pub(crate) fn come(&mut self, number: usize, warp: usize) {
        self.barriers[number].arriving.join(&self.warps[warp].now);
        self.advance(warp);
    }

    /// Records that lanes of a warp have arrived at the barrier of a multi-block cluster, which has
    /// opened this number of times.
    pub(crate) fn come_to_cluster(&mut self, warp: usize, opened: u64) {
        self.barriers[CLUSTER].arriving.join(&self.warps[warp].now);
        let times = &mut self.warps[warp];
        // The arrival is not visible before the barrier opens.
        let before = if opened > times.opened { times.came } else { 0 };
        times.released_until = times.released_until.max(before);
        (times.came, times.opened) = (times.now.0[warp], opened);
        times.now.0[warp] += 1;
    }

    /// Returns whether nothing that the warp did since this access can have ordered it before
    /// another block's current access. The cluster's barrier has opened `opened` times.
    pub(crate) fn is_untold(&self, mark: &Mark, opened: u64) -> bool {
        let times = &self.warps[usize::from(mark.thread / 32) % WARPS];
        mark.time > times.released_until && (mark.time > times.came || opened <= times.opened)
    }

    /// Returns the mark of this block's access to another block's memory.
    pub(crate) fn mark(&self, thread: u16, pc: u32, touch: Touch) -> Mark {
        let warp = usize::from(thread / 32) % WARPS;
        Mark {
            time: self.warps[warp].now.0[warp],
            pc,
            thread,
            strong: touch.strong(),
            wrote: touch.writes(),
        }
    }

    /// Returns accesses to these bytes that may race with an access of block `rank`: those of other
    /// blocks with their ranks, and the block's own with None.
    pub(crate) fn others(
        &self,
        rank: Option<u32>,
        offset: u64,
        size: u64,
        touch: Touch,
    ) -> Vec<(Option<u32>, Mark)> {
        let mut found = Vec::new();
        let may = |mark: &Mark| {
            mark.time != 0 && (mark.wrote || touch.writes()) && !(mark.strong && touch.strong())
        };
        for byte in offset..offset.saturating_add(size) {
            let foreign = self.foreign.get(&byte).into_iter().flatten().flatten();
            let foreign = foreign.filter(|(other, _)| rank != Some(*other));
            let foreign = foreign.map(|(other, mark)| (Some(*other), *mark));
            let cell = self.cells.get((byte / self.grain) as usize);
            let cell = cell.filter(|_| rank.is_some());
            let own = cell.into_iter().flat_map(|cell| {
                let list = cell.more.checked_sub(1).map(|at| at as usize);
                let more = list.map_or(&[][..], |at| &self.more[at][..]);
                [cell.write, cell.read]
                    .into_iter()
                    .chain(more.iter().copied())
            });
            for one in foreign.chain(own.map(|mark| (None, mark))) {
                let known = |(other, mark): &(Option<u32>, Mark)| {
                    (*other, mark.thread, mark.pc) == (one.0, one.1.thread, one.1.pc)
                };
                if may(&one.1) && !found.iter().any(known) {
                    found.push(one);
                }
            }
        }
        found
    }

    /// Returns whether other blocks have accessed the memory.
    pub(crate) fn has_foreign(&self) -> bool {
        !self.foreign.is_empty()
    }

    /// Records an access of block `rank`.
    pub(crate) fn touch_by_peer(&mut self, rank: u32, offset: u64, size: u64, mark: Mark) {
        for byte in offset..offset.saturating_add(size) {
            self.foreign.entry(byte).or_default()[usize::from(!mark.wrote)] = Some((rank, mark));
        }
    }

    /// Records that a barrier opens.
    pub(crate) fn open(&mut self, number: usize) {
        let barrier = &mut self.barriers[number];
        barrier.arriving.join(&self.ended);
        barrier.arrived = Clock::default();
        barrier.open();
    }

    /// Records that a waiting warp continues after a barrier.
    pub(crate) fn go(&mut self, number: usize, warp: usize) {
        let arrived = self.barriers[number].arrived;
        self.acquire(warp, &arrived);
    }

    /// Records that lanes of a warp have ended.
    pub(crate) fn end(&mut self, warp: usize) {
        self.ended.join(&self.warps[warp].now);
        self.advance(warp);
    }

    /// Records a new mbarrier at this offset.
    pub(crate) fn mbarrier(&mut self, offset: u64) {
        self.mbarriers.insert(offset, BarrierClocks::default());
    }

    /// Records that an mbarrier was invalidated.
    pub(crate) fn invalidate(&mut self, offset: u64) {
        self.mbarriers.remove(&offset);
    }

    /// Records that a warp, or a copy that it issued, arrives at an mbarrier.
    pub(crate) fn arrive(&mut self, offset: u64, warp: usize) {
        let clocks = self.mbarriers.entry(offset).or_default();
        clocks.arriving.join(&self.warps[warp].now);
        self.advance(warp);
    }

    /// Records that a warp arrives at another block's mbarrier. Its accesses may become visible to
    /// this block through it.
    pub(crate) fn leave(&mut self, warp: usize) {
        self.global.join(&self.warps[warp].now);
        self.advance(warp);
    }

    /// Records that another block, or a copy that it issued, arrives at an mbarrier of this block.
    pub(crate) fn arrive_from_peer(&mut self, offset: u64) {
        let global = self.global;
        let clocks = self.mbarriers.entry(offset).or_default();
        clocks.arriving.join(&global);
    }

    /// Records a strong write by another block. A thread that reads it is ordered after everything
    /// that this block has released to others.
    pub(crate) fn strong_by_peer(&mut self, offset: u64, size: u64) {
        if self.mbarriers.contains_key(&offset) {
            return;
        }
        for word in offset / 4..(offset + size).div_ceil(4) {
            self.words.entry(word).or_default().join(&self.global);
        }
    }

    /// Records that a phase of an mbarrier is complete.
    pub(crate) fn complete(&mut self, offset: u64) {
        self.mbarriers.entry(offset).or_default().open();
    }

    /// Records that a warp has seen the completion of an mbarrier's phase.
    pub(crate) fn pass(&mut self, offset: u64, warp: usize) {
        if let Some(clocks) = self.mbarriers.get(&offset) {
            let arrived = clocks.arrived;
            self.acquire(warp, &arrived);
        }
    }

    /// Records the acquire and release of a strong access. `place` is its offset and size in shared
    /// memory, or None for global memory.
    pub(crate) fn strong(&mut self, warp: usize, place: Option<(u64, u64)>, touch: Touch) {
        let times = &mut self.warps[warp];
        let update = matches!(touch, Touch::Atomic | Touch::Exchange);
        let Some((offset, size)) = place else {
            if touch != Touch::StrongWrite {
                times.met.join(&self.global);
            }
            if touch != Touch::StrongRead {
                self.global.join(&times.released);
            }
            return;
        };
        // The word of an mbarrier is changed by instructions that have their own ordering rules.
        if self.mbarriers.contains_key(&offset) {
            return;
        }
        for word in offset / 4..(offset + size).div_ceil(4) {
            if touch != Touch::StrongWrite
                && let Some(clock) = self.words.get(&word)
            {
                times.met.join(clock);
            }
            if update {
                let clock = self.words.entry(word).or_default();
                clock.join(&times.released);
            } else if touch == Touch::StrongWrite {
                self.words.insert(word, times.released);
            }
        }
    }

    /// Replaces the cells of words by cells of bytes.
    #[cold]
    fn split(&mut self) {
        let words = std::mem::take(&mut self.cells);
        self.grain = 1;
        for word in words {
            for _ in 0..WORD {
                let mut cell = Cell { more: 0, ..word };
                for at in 0..word
                    .more
                    .checked_sub(1)
                    .map_or(0, |list| self.more[list as usize].len())
                {
                    let mark = self.more[word.more as usize - 1][at];
                    add(&mut cell, &mut self.more, &mut self.lists, mark);
                }
                self.cells.push(cell);
            }
        }
        self.cells.truncate(self.bytes);
    }

    /// Records an access to shared memory. Returns the earlier access that it races with, if any.
    pub(crate) fn touch(
        &mut self,
        thread: u16,
        pc: u32,
        offset: u64,
        size: u64,
        touch: Touch,
    ) -> Option<Mark> {
        let end = offset.checked_add(size)?;
        if end > self.bytes as u64 {
            return None;
        }
        if self.grain > 1 && (offset | size) % WORD != 0 {
            self.split();
        }
        let Races {
            cells,
            grain,
            more,
            lists,
            warps,
            mbarriers,
            ..
        } = self;
        let warp = usize::from(thread / 32) % WARPS;
        let now = &warps[warp].now;
        let cells = &mut cells[(offset / *grain) as usize..(end / *grain) as usize];
        let strong = touch.strong();
        if !mbarriers.is_empty() && touch.writes() && !strong {
            mbarriers.retain(|at, _| *at >= end || *at + 8 <= offset);
        }
        let mark = Mark {
            time: now.0[warp],
            pc,
            thread,
            strong,
            wrote: touch.writes(),
        };
        let before = |m: &Mark| m.time <= now.0[usize::from(m.thread / 32) % WARPS];
        let races = |m: &Mark| (m.wrote || mark.wrote) && !(before(m) || m.strong && strong);
        // Any access that would race with an earlier access also races with this one, if the
        // earlier one is ordered before this one and this one is no stronger.
        let covered = |m: &Mark| m.time == 0 || before(m) && (m.strong || !strong);
        let mut found = None;
        for cell in cells {
            let list = cell.more.checked_sub(1).map(|at| at as usize);
            let others = list.map_or(&[][..], |at| &more[at][..]);
            found = if races(&cell.write) {
                Some(cell.write)
            } else if races(&cell.read) {
                Some(cell.read)
            } else {
                others.iter().copied().find(&races).or(found)
            };
            if mark.wrote {
                if let Some(at) = list {
                    more[at].retain(|m| !m.strong && strong);
                }
                if covered(&cell.read) || cell.read.strong {
                    cell.read = Mark::default();
                }
                let last = std::mem::replace(&mut cell.write, mark);
                if last.time != 0 && !last.strong && strong {
                    add(cell, more, lists, last);
                }
                continue;
            }
            if let Some(at) = list {
                more[at].retain(|m| m.wrote || !covered(m));
            }
            if covered(&cell.read) {
                cell.read = mark;
            } else {
                add(cell, more, lists, mark);
            }
        }
        found
    }
}

/// Adds another access to a cell.
fn add(cell: &mut Cell, more: &mut Vec<Vec<Mark>>, lists: &mut usize, mark: Mark) {
    if cell.more == 0 {
        match more.get_mut(*lists) {
            Some(unused) => unused.clear(),
            None => more.push(Vec::new()),
        }
        *lists += 1;
        cell.more = *lists as u32;
    }
    more[cell.more as usize - 1].push(mark);
}
