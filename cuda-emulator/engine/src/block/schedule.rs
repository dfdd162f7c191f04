//! Runs warps: picks a fragment, executes it up to an event, handles the event.
//!
//! Of a warp's fragments, the one that is deepest in calls and earliest in the code runs, up to the
//! instruction at which another one waits. Divergent lanes therefore reconverge where their paths
//! meet. A fragment that takes many backward branches, or polls memory, yields to the others,
//! because one lane may wait for another's store.

use crate::block::worker::{Block, LAST_LEAD, Outcome, Warp, Worker};
use crate::boundary::FaultKind;
use crate::ir::Faults;
use crate::program::Program;
use crate::state::cluster::window;
use crate::state::frame::{Fragment, Wait};
use crate::state::op::Flow;

/// Number of passes over a block's warps before another block gets its turn, unless a warp polls
/// memory. A pass with a short slice in it counts for a quarter.
const PASSES: u32 = 64;

/// How a warp's slice ended.
enum Turn {
    /// Every fragment waits or has ended.
    Blocked,
    /// The slice is used up.
    Yielded,
    /// A short slice is used up.
    Short,
    /// `ctx.fault` is set.
    Fault,
}

impl Worker<'_> {
    /// Runs a block until it ends, or until its slice is used up.
    pub(crate) fn run_block(&mut self, block: &mut Block) -> Outcome {
        self.ctx.shared = block.shared.ptr();
        self.ctx.bases[3] = block.area.ptr();
        self.ctx.block = block.index;
        self.ctx.shared_window = window(self.ctx.cluster.as_deref());
        self.exchange_own(block);
        let outcome = self.passes(block);
        self.exchange_own(block);
        outcome
    }

    /// Swaps the block's shadow and pending copies into or out of the context, which holds them
    /// while the block runs. At other times, the other blocks of a cluster find them in `peers`.
    fn exchange_own(&mut self, block: &mut Block) {
        let ctx = &mut self.ctx;
        let (shadow, bulk) = match &mut ctx.cluster {
            None => (&mut block.shadow, &mut block.bulk),
            Some(cluster) => {
                let peer = &mut cluster.peers[cluster.rank as usize];
                (&mut peer.shadow, &mut peer.bulk)
            }
        };
        std::mem::swap(&mut ctx.shadow, shadow);
        std::mem::swap(&mut ctx.bulk, bulk);
    }

    fn passes(&mut self, block: &mut Block) -> Outcome {
        self.ctx.polled = false;
        let count = block.warps.len();
        let mut left = 4 * PASSES;
        while left > 0 {
            let (mut ran, mut yielded, mut short) = (false, false, false);
            let (mut w, step) = if self.random != 0 {
                // A step that is coprime to the count visits every warp once: an odd step if the
                // count is a power of two, otherwise one step backwards.
                let r = self.next_random() as usize;
                let step = if count.is_power_of_two() {
                    (r >> 32 | 1) % count
                } else {
                    count - 1
                };
                (r % count, step)
            } else {
                (0, 1)
            };
            for _ in 0..count {
                let this = w;
                w += step;
                if w >= count {
                    w -= count;
                }
                let ready = |f: &Fragment| f.wait == Wait::Ready;
                if !block.warps[this].fragments.iter().any(ready) {
                    continue;
                }
                ran = true;
                match self.run_warp(block, this) {
                    Turn::Blocked => {}
                    Turn::Yielded => yielded = true,
                    Turn::Short => short = true,
                    Turn::Fault => {
                        self.report(block, this);
                        return Outcome::Stop;
                    }
                }
            }
            if block.live == 0 {
                crate::memory::bulk::finish_block(&mut self.ctx);
                if self.ctx.fault.is_some() || self.has_read_unwritten() {
                    self.report(block, 0);
                    return Outcome::Stop;
                }
                return Outcome::Done;
            }
            if !ran {
                if self.ctx.cluster.is_some() {
                    return Outcome::Blocked;
                }
                self.deadlock(block);
                return Outcome::Stop;
            }
            if yielded {
                if self.stopped(block) {
                    return Outcome::Stop;
                }
                if self.ctx.polled || self.random != 0 {
                    return Outcome::Waiting;
                }
            }
            left = left.saturating_sub(if short { 1 } else { 4 });
        }
        // A loop around a barrier reaches this point but never the end of a slice.
        if self.stopped(block) {
            return Outcome::Stop;
        }
        Outcome::Waiting
    }

    /// Returns whether the launch must stop. If its time is up, reports where the block was. If it
    /// takes long, notes that.
    fn stopped(&mut self, block: &Block) -> bool {
        /// How many passes there are between two looks at the clock.
        const PASSES: u32 = 64;
        let stop = self.launch.should_stop(&mut self.ctx);
        self.passes = self.passes.wrapping_add(1);
        if stop {
            self.note_timeout(block);
        } else if self.passes.is_multiple_of(PASSES)
            && let Some(elapsed) = self.launch.takes_long()
        {
            self.note_long_run(block, elapsed);
        }
        stop
    }

    /// Joins fragments that are at the same place, picks the next one to run, and sets the limit.
    fn pick(&mut self, block: &mut Block, w: usize) -> Option<usize> {
        let warp = &mut block.warps[w];
        let fragments = &mut warp.fragments;
        self.ctx.limit = u32::MAX;
        if let [only] = fragments.as_slice() {
            return (only.wait == Wait::Ready).then_some(0);
        }
        // The two sides of a branch are by far the most frequent case, handled without the loops
        // below.
        if let [a, b] = fragments.as_mut_slice()
            && a.frame == b.frame
            && (a.wait, b.wait) == (Wait::Ready, Wait::Ready)
        {
            if a.pc == b.pc {
                a.mask |= b.mask;
                a.turn = a.turn.min(b.turn);
                self.frames[b.frame as usize].holders -= 1;
                fragments.pop();
                warp.fair = false;
                return Some(0);
            }
            if !warp.fair {
                self.ctx.limit = a.pc.max(b.pc);
                return Some(usize::from(b.pc < a.pc));
            }
        }
        let mut i = 0;
        while i < fragments.len() {
            let mut j = i + 1;
            while j < fragments.len() {
                let (a, b) = (fragments[i], fragments[j]);
                if a.pc == b.pc && a.frame == b.frame && a.wait == b.wait && a.wait != Wait::Sync {
                    fragments[i].mask |= b.mask;
                    fragments[i].turn = a.turn.min(b.turn);
                    fragments.swap_remove(j);
                    self.frames[b.frame as usize].holders -= 1;
                } else {
                    j += 1;
                }
            }
            i += 1;
        }
        let ready = |f: &&Fragment| f.wait == Wait::Ready;
        let fair = std::mem::take(&mut warp.fair);
        let depth = |f: &Fragment| self.frames[f.frame as usize].depth;
        let key = |f: &Fragment| {
            if fair {
                (f.turn, 0)
            } else {
                (u32::MAX - depth(f), f.pc)
            }
        };
        let best = (0..fragments.len())
            .filter(|&i| ready(&&fragments[i]))
            .min_by_key(|&i| key(&fragments[i]))?;
        let chosen = fragments[best];
        self.ctx.limit = fragments
            .iter()
            .filter(ready)
            .filter(|f| f.pc > chosen.pc && depth(f) == depth(&chosen))
            .map(|f| f.pc)
            .min()
            .unwrap_or(u32::MAX);
        Some(best)
    }

    fn run_warp(&mut self, block: &mut Block, w: usize) -> Turn {
        let program: &Program = self.launch.program;
        self.ctx.warp = w as u32;
        self.ctx.bases[2] = block.warps[w].area.ptr();
        self.ctx.local = block.warps[w]
            .local
            .as_ref()
            .map_or(std::ptr::null_mut(), |l| l.ptr());
        self.ctx.local_written = block.warps[w]
            .local_written
            .as_ref()
            .map_or(std::ptr::null_mut(), |l| l.ptr().cast());
        self.ctx.live = block.warps[w].live;
        self.ctx.budget = self.slice();
        let end = self.short_slice(&mut block.warps[w]);
        while let Some(f) = self.pick(block, w) {
            let fragment = block.warps[w].fragments[f];
            let frame = &self.frames[fragment.frame as usize];
            self.ctx.bases[0] = frame.memory.ptr();
            self.ctx.frame_size = frame.memory.size() as u64;
            self.ctx.local_base = frame.local_base;
            self.ctx.local_top = frame.local_top;
            self.ctx.pc = fragment.pc;
            self.ctx.mask = fragment.mask;
            let flow = self.step(program, end);
            let fragment = &mut block.warps[w].fragments[f];
            fragment.pc = self.ctx.pc;
            self.frames[fragment.frame as usize].local_top = self.ctx.local_top;
            match flow {
                Flow::Next | Flow::Jump => {}
                Flow::Yield => {
                    let warp = &mut block.warps[w];
                    warp.turn += 1;
                    warp.fragments[f].turn = warp.turn;
                    warp.fair = warp.fragments.len() > 1;
                    return Turn::Yielded;
                }
                Flow::Fault => {
                    debug_assert!(self.foreseen(program), "{:?}", self.ctx.fault);
                    return Turn::Fault;
                }
                flow => {
                    if !self.event(block, w, f, flow) {
                        return Turn::Fault;
                    }
                }
            }
            if block.opened && self.has_read_unwritten() {
                return Turn::Fault;
            }
            // After opening a barrier, the warp lets the others begin.
            if self.ctx.executed >= end || std::mem::take(&mut block.opened) {
                return Turn::Short;
            }
        }
        Turn::Blocked
    }

    /// Returns the end of the warp's slice, in executed instructions, if the slice must be short.
    ///
    /// After a barrier, a GPU's warps run concurrently, and none is far ahead of the others. So a
    /// value is usually read before another warp overwrites it. To match that, each warp first runs
    /// a few instructions, then twice that number, and only after several such rounds a whole
    /// slice. A program with a missing barrier then often works by luck, as on a GPU.
    fn short_slice(&mut self, warp: &mut Warp) -> u64 {
        let length = if self.random != 0 {
            // Half of the slices are short.
            match self.next_random() % 64 {
                n @ ..32 => n + 1,
                _ => return u64::MAX,
            }
        } else {
            let length = u64::from(warp.lead);
            warp.lead = match warp.lead {
                0 => return u64::MAX,
                LAST_LEAD.. => 0,
                lead => lead * 2,
            };
            length
        };
        self.ctx.executed + length
    }

    /// Returns whether the instruction list declares this fault for the running instruction.
    fn foreseen(&self, program: &Program) -> bool {
        let at = self.ctx.pc.saturating_sub(1) as usize;
        let faults = program.opcodes[at].code.faults;
        self.ctx
            .fault
            .as_ref()
            .is_some_and(|trouble| match trouble.kind {
                FaultKind::IllegalAddress
                | FaultKind::MisalignedAddress
                | FaultKind::InvalidAddressSpace
                | FaultKind::Cluster
                | FaultKind::StackOverflow => faults.has(Faults::ADDRESS),
                FaultKind::IllegalInstruction | FaultKind::InvalidPc => {
                    // An address can also contain a rank that the cluster does not have.
                    faults.has(Faults::ILLEGAL) || faults.has(Faults::ADDRESS)
                }
                FaultKind::Trap | FaultKind::Assert => faults.has(Faults::TRAP),
                FaultKind::Timeout | FaultKind::Check | FaultKind::InvalidLaunch => true,
            })
    }

    /// Executes until an event, the instruction at which another fragment waits, or about `end`
    /// executed instructions.
    fn step(&mut self, program: &Program, end: u64) -> Flow {
        let ctx = &mut self.ctx;
        let code = program.code.as_ptr();
        // In straight-line code, an instruction count determines a position.
        let left = u32::try_from(end - ctx.executed).unwrap_or(u32::MAX);
        let limit = ctx.limit.min(ctx.pc.saturating_add(left));
        // Kept in local variables, since only branches change them. The next instruction's address
        // then does not depend on a load.
        let (mut pc, mut executed) = (ctx.pc, ctx.executed);
        loop {
            // SAFETY: the lowering ends every function with a return and keeps branches within the
            // code.
            let op = unsafe { &*code.add(pc as usize) };
            // SAFETY: the guard is a predicate of this function or the constant true.
            let mask = unsafe { *ctx.at::<u32>(op.guard) ^ op.flip } & ctx.mask;
            pc += 1;
            executed += 1;
            ctx.pc = pc;
            ctx.executed = executed;
            if mask != 0 {
                // SAFETY: the operands belong to this function, whose frame is loaded.
                match unsafe { (op.exec)(ctx, op, mask) } {
                    Flow::Next => {}
                    Flow::Jump => {
                        pc = ctx.pc;
                        if executed >= end {
                            return Flow::Next;
                        }
                    }
                    flow => return flow,
                }
            }
            if pc >= limit {
                return Flow::Next;
            }
        }
    }
}
