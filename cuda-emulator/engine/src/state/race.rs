//! The race check: who touched each byte of shared memory, and what has been ordered before what.
//!
//! Each warp has a vector clock, as thread sanitizers have one for each thread: for every warp of the block, up to when
//! its accesses are ordered before what this warp does next. Barriers, phases of mbarriers, and what strong accesses
//! and fences establish between warps carry these clocks on. Two accesses race if one is a write, neither is ordered
//! before the other, and at least one of them is weak.
//!
//! Where it is inexact, it says nothing rather than accuse. Lanes of a warp count as one thread. Of the writes to a
//! byte the last weak one and the last strong one are kept. Whoever acquires through global memory is ordered after everything that was released through
//! global memory, wherever that was: the way may lead through other blocks. A thread that has ended counts as having
//! come to all barriers. The order that a fence gives belongs to the whole warp. Other blocks of a cluster are to it as
//! global memory is: what they pass on may come from any warp that passed something out of the block. Two blocks'
//! accesses to the same byte race if the first one's warp has told nobody of anything since, and the cluster's barrier
//! hasn't opened since it came there.

use std::collections::HashMap;

use crate::state::op::CLUSTER;
use crate::state::touch::Touch;

/// Warps of a block at most.
const WARPS: usize = 32;

/// For each warp, up to which of its times everything is ordered.
#[derive(Clone, Copy, Default)]
struct Clock([u32; WARPS]);

impl Clock {
    fn join(&mut self, other: &Clock) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(*theirs);
        }
    }
}

/// What a warp knows of the others.
#[derive(Clone, Copy, Default)]
struct Times {
    /// What is ordered before its next access; its own time in its own place.
    now: Clock,
    /// What its strong writes pass on: what was ordered before its last fence.
    released: Clock,
    /// What its strong reads have met, which its next fence puts in order.
    met: Clock,
    /// Up to which of its times it has told somebody, by a barrier of the block, a fence or an mbarrier; and with which
    /// it came to the cluster's barrier, which had opened so often.
    told: u32,
    came: u32,
    opened: u64,
}

/// One access.
#[derive(Clone, Copy, Default)]
pub(crate) struct Mark {
    /// The time of its warp; 0 for no access.
    time: u32,
    pub pc: u32,
    pub thread: u16,
    pub strong: bool,
    pub wrote: bool,
}

/// The accesses to a byte that later ones may race with.
#[derive(Clone, Copy, Default)]
struct Cell {
    write: Mark,
    read: Mark,
    /// Further reads, and the last weak write if a strong one came after it: an index into [`Races::more`], plus 1.
    more: u32,
}

/// Arrivals at a barrier.
#[derive(Clone, Copy, Default)]
struct Meeting {
    /// What those have done that came so far.
    coming: Clock,
    /// What those had done that came until it opened last.
    gone: Clock,
}

impl Meeting {
    fn open(&mut self) {
        self.gone.join(&std::mem::take(&mut self.coming));
    }
}

/// What the check knows about a block.
pub(crate) struct Races {
    cells: Vec<Cell>,
    more: Vec<Vec<Mark>>,
    warps: [Times; WARPS],
    barriers: [Meeting; CLUSTER + 1],
    /// By the mbarrier's offset in shared memory.
    mbarriers: HashMap<u64, Meeting>,
    /// What was released at each word of shared memory, by its offset over 4; and in global memory.
    words: HashMap<u64, Clock>,
    global: Clock,
    /// What threads did that have ended.
    ended: Clock,
    /// Of each byte, the last write and the last read by other blocks of the cluster, with their ranks.
    foreign: HashMap<u64, [Option<(u32, Mark)>; 2]>,
}

impl Races {
    pub(crate) fn new(bytes: usize) -> Races {
        let mut races = Races {
            cells: vec![Cell::default(); bytes],
            more: Vec::new(),
            warps: [Times::default(); WARPS],
            barriers: [Meeting::default(); CLUSTER + 1],
            mbarriers: HashMap::new(),
            words: HashMap::new(),
            global: Clock::default(),
            ended: Clock::default(),
            foreign: HashMap::new(),
        };
        races.reset();
        races
    }

    /// For another block.
    pub(crate) fn reset(&mut self) {
        self.cells.fill(Cell::default());
        self.more.clear();
        self.warps = [Times::default(); WARPS];
        for (w, times) in self.warps.iter_mut().enumerate() {
            times.now.0[w] = 1;
        }
        self.barriers = [Meeting::default(); CLUSTER + 1];
        self.mbarriers.clear();
        self.words.clear();
        (self.global, self.ended) = (Clock::default(), Clock::default());
        self.foreign.clear();
    }

    /// What the warp does from here on isn't what it has passed on.
    fn advance(&mut self, warp: usize) {
        let times = &mut self.warps[warp];
        times.told = times.now.0[warp];
        times.now.0[warp] += 1;
    }

    /// A fence: what strong reads before it have met is ordered before what comes, and strong writes after it pass on
    /// what came before.
    pub(crate) fn fence(&mut self, warp: usize) {
        let times = &mut self.warps[warp];
        times.now.join(&times.met);
        times.released = times.now;
        self.advance(warp);
    }

    /// Orders what `clock` says before what the warp does next.
    fn acquire(&mut self, warp: usize, clock: &Clock) {
        self.warps[warp].met.join(clock);
        self.fence(warp);
    }

    /// Lanes of a warp have come to a barrier of the block.
    pub(crate) fn come(&mut self, number: usize, warp: usize) {
        self.barriers[number].coming.join(&self.warps[warp].now);
        self.advance(warp);
    }

    /// Lanes of a warp have come to the barrier of a cluster of several blocks, which has opened so often.
    pub(crate) fn come_to_cluster(&mut self, warp: usize, opened: u64) {
        self.barriers[CLUSTER].coming.join(&self.warps[warp].now);
        let times = &mut self.warps[warp];
        // Before the barrier opens nobody knows.
        let before = if opened > times.opened { times.came } else { 0 };
        times.told = times.told.max(before);
        (times.came, times.opened) = (times.now.0[warp], opened);
        times.now.0[warp] += 1;
    }

    /// Whether nothing that the warp has done since this access of its can have ordered it before what another block
    /// does now, where the cluster's barrier has opened so often.
    pub(crate) fn is_untold(&self, mark: &Mark, opened: u64) -> bool {
        let times = &self.warps[usize::from(mark.thread / 32) % WARPS];
        mark.time > times.told && (mark.time > times.came || opened <= times.opened)
    }

    /// An access of this block's to another one's memory.
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

    /// Accesses to some bytes with which one of block `rank` may race, which does so: those of other blocks, with their
    /// ranks, and the block's own, with None.
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
            let cell = self.cells.get(byte as usize).filter(|_| rank.is_some());
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

    /// Whether other blocks have been here.
    pub(crate) fn has_foreign(&self) -> bool {
        !self.foreign.is_empty()
    }

    /// Records an access of block `rank`.
    pub(crate) fn touch_by_peer(&mut self, rank: u32, offset: u64, size: u64, mark: Mark) {
        for byte in offset..offset.saturating_add(size) {
            self.foreign.entry(byte).or_default()[usize::from(!mark.wrote)] = Some((rank, mark));
        }
    }

    /// A barrier opens.
    pub(crate) fn open(&mut self, number: usize) {
        let barrier = &mut self.barriers[number];
        barrier.coming.join(&self.ended);
        barrier.gone = Clock::default();
        barrier.open();
    }

    /// A warp that waited goes on after a barrier.
    pub(crate) fn go(&mut self, number: usize, warp: usize) {
        let gone = self.barriers[number].gone;
        self.acquire(warp, &gone);
    }

    /// Lanes of a warp have ended.
    pub(crate) fn end(&mut self, warp: usize) {
        self.ended.join(&self.warps[warp].now);
        self.advance(warp);
    }

    /// There is an mbarrier at this offset from now on.
    pub(crate) fn mbarrier(&mut self, offset: u64) {
        self.mbarriers.insert(offset, Meeting::default());
    }

    /// The mbarrier is no longer one.
    pub(crate) fn invalidate(&mut self, offset: u64) {
        self.mbarriers.remove(&offset);
    }

    /// A warp, or a copy that it issued, arrives at an mbarrier.
    pub(crate) fn arrive(&mut self, offset: u64, warp: usize) {
        let meeting = self.mbarriers.entry(offset).or_default();
        meeting.coming.join(&self.warps[warp].now);
        self.advance(warp);
    }

    /// A warp arrives at an mbarrier of another block: what it has done may come back from there.
    pub(crate) fn leave(&mut self, warp: usize) {
        self.global.join(&self.warps[warp].now);
        self.advance(warp);
    }

    /// Another block, or a copy that it issued, arrives at an mbarrier of this one.
    pub(crate) fn arrive_from_peer(&mut self, offset: u64) {
        let global = self.global;
        let meeting = self.mbarriers.entry(offset).or_default();
        meeting.coming.join(&global);
    }

    /// A strong write of another block: whoever reads it is ordered after what this block has passed to others.
    pub(crate) fn strong_by_peer(&mut self, offset: u64, size: u64) {
        if self.mbarriers.contains_key(&offset) {
            return;
        }
        for word in offset / 4..(offset + size).div_ceil(4) {
            self.words.entry(word).or_default().join(&self.global);
        }
    }

    /// A phase of an mbarrier is over.
    pub(crate) fn complete(&mut self, offset: u64) {
        self.mbarriers.entry(offset).or_default().open();
    }

    /// A warp has seen that a phase of an mbarrier is over.
    pub(crate) fn pass(&mut self, offset: u64, warp: usize) {
        if let Some(meeting) = self.mbarriers.get(&offset) {
            let gone = meeting.gone;
            self.acquire(warp, &gone);
        }
    }

    /// A strong access: what it meets and what it passes on. `place` is its offset and size in shared memory, None
    /// for global memory.
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
        // The word of an mbarrier is changed by instructions with an order of their own.
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

    /// Records an access to shared memory. The earlier one that it races with, if there is one.
    pub(crate) fn touch(
        &mut self,
        thread: u16,
        pc: u32,
        offset: u64,
        size: u64,
        touch: Touch,
    ) -> Option<Mark> {
        let Races {
            cells,
            more,
            warps,
            mbarriers,
            ..
        } = self;
        let warp = usize::from(thread / 32) % WARPS;
        let now = warps[warp].now;
        let end = offset.checked_add(size)?;
        let cells = cells.get_mut(usize::try_from(offset).ok()?..usize::try_from(end).ok()?)?;
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
        // Whatever would race with an earlier access races with this one too, if that one came before and is no weaker.
        let covered = |m: &Mark| m.time == 0 || before(m) && (m.strong || !strong);
        let mut found = None;
        for cell in cells {
            let list = cell.more.checked_sub(1).map(|at| at as usize);
            let others = list.map_or(&[][..], |at| &more[at][..]);
            let kept = [cell.write, cell.read].into_iter();
            found = kept.chain(others.iter().copied()).find(&races).or(found);
            if mark.wrote {
                if let Some(at) = list {
                    more[at].retain(|m| !m.strong && strong);
                }
                if covered(&cell.read) || cell.read.strong {
                    cell.read = Mark::default();
                }
                let last = std::mem::replace(&mut cell.write, mark);
                if last.time != 0 && !last.strong && strong {
                    add(cell, more, last);
                }
                continue;
            }
            if let Some(at) = list {
                more[at].retain(|m| m.wrote || !covered(m));
            }
            if covered(&cell.read) {
                cell.read = mark;
            } else {
                add(cell, more, mark);
            }
        }
        found
    }
}

/// Keeps one more access to a byte.
fn add(cell: &mut Cell, more: &mut Vec<Vec<Mark>>, mark: Mark) {
    if cell.more == 0 {
        more.push(Vec::new());
        cell.more = more.len() as u32;
    }
    more[cell.more as usize - 1].push(mark);
}
