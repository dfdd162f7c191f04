//! The race check: the accesses to each byte of shared memory, and the order of all accesses of a
//! block. [`GridRaces`] has the accesses to global memory.
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
use std::sync::Arc;

use crate::state::clock::{Clock, Mark, WARPS};
use crate::state::grid_race::{Access, GridRaces};
use crate::state::op::CLUSTER;
use crate::state::touch::Touch;

/// The number of bytes in a word of shared memory.
const WORD: u64 = 4;

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
    /// Whether it has read global memory by a strong access that may have seen releases of other
    /// blocks. They count at the next use of the clock, because the access has happened by then.
    heard: bool,
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
    /// The number of bytes of a cell.
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
    /// The accesses of all blocks to global memory, and the block's linear index in the grid.
    grid: Arc<GridRaces>,
    block: u32,
    /// The accesses after which their warp has executed a fence.
    fenced: Clock,
    /// Whether the block is in a cluster with others, and whether one of them has signaled it.
    clustered: bool,
    signaled: bool,
}

impl Races {
    pub(crate) fn new(bytes: usize, grid: Arc<GridRaces>, clustered: bool) -> Races {
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
            grid,
            block: 0,
            fenced: Clock::default(),
            clustered,
            signaled: false,
        };
        races.reset(0);
        races
    }

    /// Resets the state for the block with this linear index.
    pub(crate) fn reset(&mut self, block: u32) {
        self.cells.clear();
        self.grain = WORD;
        let words = self.bytes.div_ceil(WORD as usize);
        self.cells.resize(words, Cell::default());
        self.lists = 0;
        self.warps = [Times::default(); WARPS];
        for (w, times) in self.warps.iter_mut().enumerate() {
            times.now.warps[w] = 1;
        }
        self.barriers = [BarrierClocks::default(); CLUSTER + 1];
        self.mbarriers.clear();
        self.words.clear();
        (self.global, self.ended) = (Clock::default(), Clock::default());
        self.foreign.clear();
        self.block = block;
        self.fenced = Clock::default();
        self.signaled = false;
    }

    /// Returns a warp's state, with the releases of other blocks that it may have seen.
    fn times(&mut self, warp: usize) -> &mut Times {
        let times = &mut self.warps[warp];
        if std::mem::take(&mut times.heard) || self.signaled {
            times.now.releases = self.grid.releases();
        }
        times
    }

    /// Starts a new time, since the warp's later accesses are not part of the released clock.
    fn advance(&mut self, warp: usize) {
        let times = &mut self.warps[warp];
        times.released_until = times.now.warps[warp];
        times.now.warps[warp] += 1;
    }

    /// Executes a fence. Releases seen by earlier strong reads are ordered before later accesses,
    /// and later strong writes release earlier accesses.
    pub(crate) fn fence(&mut self, warp: usize) {
        self.acquire(warp, &Clock::default());
        self.fenced.join(&self.warps[warp].released);
    }

    /// Orders the accesses in `clock` before the warp's next access.
    fn acquire(&mut self, warp: usize, clock: &Clock) {
        let times = self.times(warp);
        times.met.join(clock);
        times.now.join(&times.met);
        times.released = times.now;
        self.advance(warp);
    }

    /// Releases all accesses ordered before the warp's next one to other blocks.
    fn release(&mut self, warp: usize) {
        let now = self.times(warp).now;
        self.fenced.join(&now);
        self.grid.release(self.block, &now);
    }

    /// Records that lanes of a warp have arrived at a barrier of the block.
    pub(crate) fn come(&mut self, number: usize, warp: usize) {
        let now = self.times(warp).now;
        self.barriers[number].arriving.join(&now);
        self.advance(warp);
    }

    /// Records that lanes of a warp have arrived at the barrier of a multi-block cluster, which has
    /// opened this number of times.
    pub(crate) fn come_to_cluster(&mut self, warp: usize, opened: u64) {
        self.release(warp);
        self.barriers[CLUSTER].arriving.join(&self.warps[warp].now);
        let times = &mut self.warps[warp];
        // The arrival is not visible before the barrier opens.
        let before = if opened > times.opened { times.came } else { 0 };
        times.released_until = times.released_until.max(before);
        (times.came, times.opened) = (times.now.warps[warp], opened);
        times.now.warps[warp] += 1;
    }

    /// Returns whether nothing that the warp did since this access can have ordered it before
    /// another block's current access. The cluster's barrier has opened `opened` times.
    pub(crate) fn is_untold(&self, mark: &Mark, opened: u64) -> bool {
        let times = &self.warps[mark.warp()];
        mark.time > times.released_until && (mark.time > times.came || opened <= times.opened)
    }

    /// Returns the mark of an access by this block to memory that other blocks can access.
    pub(crate) fn mark(&self, thread: u16, pc: u32, touch: Touch) -> Mark {
        let warp = usize::from(thread / 32) % WARPS;
        Mark {
            time: self.warps[warp].now.warps[warp],
            pc,
            thread,
            touch,
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
            mark.time != 0
                && (mark.touch.writes() || touch.writes())
                && !(mark.touch.strong() && touch.strong())
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
            self.foreign.entry(byte).or_default()[usize::from(!mark.touch.writes())] =
                Some((rank, mark));
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
        // Any block of the cluster may have passed on releases of other blocks.
        self.warps[warp].heard |= number == CLUSTER;
        self.acquire(warp, &arrived);
    }

    /// Records that lanes of a warp have ended.
    pub(crate) fn end(&mut self, warp: usize) {
        let now = self.times(warp).now;
        self.ended.join(&now);
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
        let now = self.times(warp).now;
        let clocks = self.mbarriers.entry(offset).or_default();
        clocks.arriving.join(&now);
        self.advance(warp);
    }

    /// Records that a warp arrives at another block's mbarrier. Its accesses may become visible to
    /// this block through it.
    pub(crate) fn leave(&mut self, warp: usize) {
        self.release(warp);
        self.global.join(&self.warps[warp].now);
        self.advance(warp);
    }

    /// Records that another block, or a copy that it issued, arrives at an mbarrier of this block.
    pub(crate) fn arrive_from_peer(&mut self, offset: u64) {
        let global = self.global;
        self.signaled = true;
        let clocks = self.mbarriers.entry(offset).or_default();
        clocks.arriving.join(&global);
    }

    /// Records a strong write by another block. A thread that reads it is ordered after everything
    /// that this block has released to others.
    pub(crate) fn strong_by_peer(&mut self, offset: u64, size: u64) {
        self.signaled = true;
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
        // Other blocks of a cluster can access shared memory, too.
        if place.is_none() || self.clustered {
            if touch != Touch::StrongRead {
                let now = self.times(warp).now;
                self.grid.release(self.block, &self.fenced.common(&now));
            }
            self.warps[warp].heard |= touch != Touch::StrongWrite;
        }
        let times = &mut self.warps[warp];
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
            if touch.atomic() {
                let clock = self.words.entry(word).or_default();
                clock.join(&times.released);
            } else if touch == Touch::StrongWrite {
                self.words.insert(word, times.released);
            }
        }
    }

    /// Records an access to global memory. Returns an earlier access that it races with, if any.
    pub(crate) fn touch_global(&mut self, mark: Mark, address: u64, size: u64) -> Option<Access> {
        self.times(mark.warp());
        let times = &self.warps[mark.warp()];
        let (grid, block) = (&self.grid, self.block);
        let access = Access {
            block,
            releases: grid.releases(),
            mark,
        };
        grid.touch(address, size, &access, &|earlier| {
            let (mark, seen) = (&earlier.mark, times.now.releases > earlier.releases);
            if seen && mark.touch.writes() && mark.touch.strong() {
                return true;
            }
            if earlier.block == block {
                return times.now.contains(mark) || times.met.contains(mark);
            }
            seen && grid.has_released(earlier)
        })
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
        if self.grain > 1 && !(offset | size).is_multiple_of(WORD) {
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
            time: now.warps[warp],
            pc,
            thread,
            touch,
        };
        let before = |m: &Mark| now.contains(m);
        let races = |m: &Mark| {
            (m.touch.writes() || touch.writes()) && !(before(m) || m.touch.strong() && strong)
        };
        // Any access that would race with an earlier access also races with this one, if the
        // earlier one is ordered before this one and this one is no stronger.
        let covered = |m: &Mark| m.time == 0 || before(m) && (m.touch.strong() || !strong);
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
            if touch.writes() {
                if let Some(at) = list {
                    more[at].retain(|m| !m.touch.strong() && strong);
                }
                if covered(&cell.read) || cell.read.touch.strong() {
                    cell.read = Mark::default();
                }
                let last = std::mem::replace(&mut cell.write, mark);
                if last.time != 0 && !last.touch.strong() && strong {
                    add(cell, more, lists, last);
                }
                continue;
            }
            if let Some(at) = list {
                more[at].retain(|m| m.touch.writes() || !covered(m));
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
