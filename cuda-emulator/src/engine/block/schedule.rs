//! Runs warps: picks a fragment, executes it up to an event, handles the event.
//!
//! Of a warp's fragments the one runs that is deepest in calls and lowest in the code, up to where another one waits,
//! so that divergent lanes join again where their paths meet. A fragment that takes many backward branches, or polls
//! memory, gives way to the others: one lane may wait for another's store.

use crate::engine::block::worker::{Block, FIRST_LEAD, LAST_LEAD, Outcome, Warp, Worker};
use crate::engine::check::access::races;
use crate::engine::ir::Faults;
use crate::engine::program::Program;
use crate::engine::state::context::{Flow, Fragment, FrameId, NO_FRAME, Wait};
use crate::engine::warp::control::{Barrier, CLUSTER};
use crate::engine::warp::exchange::{Exchange, kind};
use crate::engine::{CODE_WINDOW, FaultKind};

/// Passes over a block's warps before another block gets its turn, unless a warp polls memory. A pass with a short
/// slice in it counts for a quarter.
const PASSES: u32 = 64;
/// The greatest depth of nested calls.
const MAX_DEPTH: u32 = 8192;

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
    pub(in crate::engine) fn run_block(&mut self, block: &mut Block) -> Outcome {
        self.ctx.shared = block.shared.ptr();
        self.ctx.bases[3] = block.area.ptr();
        self.ctx.block = block.index;
        std::mem::swap(&mut self.ctx.shadow, &mut block.shadow);
        std::mem::swap(&mut self.ctx.bulk, &mut block.bulk);
        let outcome = self.passes(block);
        std::mem::swap(&mut self.ctx.shadow, &mut block.shadow);
        std::mem::swap(&mut self.ctx.bulk, &mut block.bulk);
        outcome
    }

    fn passes(&mut self, block: &mut Block) -> Outcome {
        self.ctx.polled = false;
        let count = block.warps.len();
        let mut left = 4 * PASSES;
        while left > 0 {
            let (mut ran, mut yielded, mut short) = (false, false, false);
            let (mut w, step) = if self.random != 0 {
                // A step prime to the count visits every warp once: an odd one if the count is a power of two, else
                // one backwards.
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
                crate::engine::memory::bulk::finish_block(&mut self.ctx);
                if self.ctx.fault.is_some() {
                    self.report(block, 0);
                    return Outcome::Stop;
                }
                return Outcome::Done;
            }
            if !ran {
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
        // A loop around a barrier comes here, and never to the end of a slice.
        if self.stopped(block) {
            return Outcome::Stop;
        }
        Outcome::Waiting
    }

    /// Whether the launch is to stop; says where the block was if its time is up.
    fn stopped(&mut self, block: &Block) -> bool {
        let stop = self.launch.should_stop(&mut self.ctx);
        if stop {
            self.note_timeout(block);
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
        // The two sides of a branch, by far the most frequent case, without the loops below.
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
            // Who opens a barrier lets the others begin.
            if self.ctx.executed >= end || std::mem::take(&mut block.opened) {
                return Turn::Short;
            }
        }
        Turn::Blocked
    }

    /// Where a warp's slice ends, in executed instructions, if it has to be a short one.
    ///
    /// After a barrier, a GPU's warps run side by side: none is far ahead when another one reads what it has to read
    /// before that is overwritten. So each warp has a few instructions first, then twice as many, and only after some
    /// such rounds a whole slice. A program that forgot a barrier then often gets away with it, as on a GPU.
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

    /// Whether the instruction list says that the running instruction can fault so.
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
                | FaultKind::StackOverflow => faults.has(Faults::ADDRESS),
                FaultKind::IllegalInstruction | FaultKind::InvalidPc => faults.has(Faults::ILLEGAL),
                FaultKind::Trap | FaultKind::Assert => faults.has(Faults::TRAP),
                FaultKind::Timeout | FaultKind::Check | FaultKind::InvalidLaunch => true,
            })
    }

    /// Executes until an event, to where another fragment waits, or until about `end` instructions are executed.
    fn step(&mut self, program: &Program, end: u64) -> Flow {
        let ctx = &mut self.ctx;
        let code = program.code.as_ptr();
        // In straight code the number of instructions is a place.
        let left = u32::try_from(end - ctx.executed).unwrap_or(u32::MAX);
        let limit = ctx.limit.min(ctx.pc.saturating_add(left));
        // Kept here, since instructions other than branches leave them alone: the next instruction's address then
        // doesn't wait for memory.
        let (mut pc, mut executed) = (ctx.pc, ctx.executed);
        loop {
            // SAFETY: the lowering ends every function with a return and keeps branches within the code.
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

    /// Splits the lanes of `mask` off a fragment: they continue at `pc` in a fragment of their own. If these are all
    /// its lanes, the fragment itself moves.
    fn split(&mut self, block: &mut Block, w: usize, f: usize, mask: u32, pc: u32) -> usize {
        let fragments = &mut block.warps[w].fragments;
        let whole = fragments[f];
        if whole.mask == mask {
            fragments[f].pc = pc;
            return f;
        }
        fragments[f].mask &= !mask;
        fragments.push(Fragment { mask, pc, ..whole });
        self.frames[whole.frame as usize].holders += 1;
        fragments.len() - 1
    }

    /// Handles an event of fragment `f`; false with `ctx.fault` set.
    fn event(&mut self, block: &mut Block, w: usize, f: usize, flow: Flow) -> bool {
        let program: &Program = self.launch.program;
        let mask = self.ctx.event_mask;
        let next = self.ctx.pc;
        let op = &program.code[next as usize - 1];
        match flow {
            Flow::Diverge => {
                self.split(block, w, f, mask, op.x);
            }
            Flow::Switch => {
                // SAFETY: `a` is a 32-bit register of this function.
                let index = unsafe { *self.ctx.at::<[u32; 32]>(op.a) };
                let table = &program.tables[op.x as usize];
                self.ctx.budget -= 1;
                let mut f = f;
                let mut left = mask;
                while left != 0 {
                    let lane = left.trailing_zeros() as usize;
                    let mut same = 0;
                    crate::engine::lanes::arithmetic::each(left, |i| {
                        same |= u32::from(index[i] == index[lane]) << i
                    });
                    left &= !same;
                    let Some(&target) = table.get(index[lane] as usize) else {
                        let text = format!(
                            "brx.idx with index {} of a table of {}",
                            index[lane],
                            table.len()
                        );
                        self.ctx.fail(FaultKind::InvalidPc, lane as u32, text);
                        return false;
                    };
                    let moved = self.split(block, w, f, same, target);
                    if moved == f && left != 0 {
                        f = moved;
                    }
                }
            }
            Flow::Call => return self.call(block, w, f, mask, op.x, op.a),
            Flow::Return => {
                let id = block.warps[w].fragments[f].frame;
                let frame = &self.frames[id as usize];
                let (parent, pc, site, function) =
                    (frame.parent, frame.return_pc, frame.site, frame.function);
                if parent == NO_FRAME {
                    return self.exit(block, w, f, mask);
                }
                let site = &program.sites[site as usize];
                self.copy_slices(
                    id,
                    &program.functions[function as usize].returns,
                    parent,
                    &site.returns,
                    mask,
                );
                let at = self.split(block, w, f, mask, pc);
                block.warps[w].fragments[at].frame = parent;
                self.frames[parent as usize].holders += 1;
                self.release(id);
            }
            Flow::Exit => return self.exit(block, w, f, mask),
            Flow::Barrier => return self.arrive(block, w, f, mask, next),
            Flow::Sync => {
                let at = self.split(block, w, f, mask, next - 1);
                block.warps[w].fragments[at].wait = Wait::Sync;
                self.resolve_sync(block, w);
            }
            Flow::Next | Flow::Jump | Flow::Yield | Flow::Fault => {}
        }
        true
    }

    fn call(
        &mut self,
        block: &mut Block,
        w: usize,
        f: usize,
        mask: u32,
        site_index: u32,
        address: u32,
    ) -> bool {
        let program: &Program = self.launch.program;
        let site = &program.sites[site_index as usize];
        let next = self.ctx.pc;
        let mut mask = mask;
        let function = match site.function {
            Some(function) => function,
            None => {
                // SAFETY: `a` of an indirect call is a 64-bit register.
                let target = unsafe { *self.ctx.at::<[u64; 32]>(address) };
                let lane = mask.trailing_zeros() as usize;
                let mut same = 0;
                crate::engine::lanes::arithmetic::each(mask, |i| {
                    same |= u32::from(target[i] == target[lane]) << i
                });
                if same != mask {
                    // The lanes with other targets come back to this instruction.
                    self.split(block, w, f, mask & !same, next - 1);
                    mask = same;
                }
                let index = target[lane].wrapping_sub(CODE_WINDOW) / 16;
                let fits = program
                    .functions
                    .get(index as usize)
                    .is_some_and(|function| {
                        function.params.len() == site.arguments.len()
                            && function.returns.len() >= site.returns.len()
                    });
                if !fits || target[lane] & 15 != 0 {
                    let text = format!(
                        "indirect call of 0x{:x}, which isn't a function with {} parameters and {} results",
                        target[lane],
                        site.arguments.len(),
                        site.returns.len()
                    );
                    self.ctx.fail(FaultKind::InvalidPc, lane as u32, text);
                    return false;
                }
                index as u32
            }
        };
        let info = &program.functions[function as usize];
        let at = self.split(block, w, f, mask, info.entry_pc);
        let caller = block.warps[w].fragments[at].frame;
        let frame = &self.frames[caller as usize];
        let (depth, base) = (frame.depth + 1, frame.local_top.next_multiple_of(16));
        let top = base + u64::from(info.local_size);
        // Every nested call takes some stack, as return address and saved registers do.
        if top + u64::from(depth) * 16 > self.launch.local_stride + 65536
            || top > self.launch.local_stride
            || depth > MAX_DEPTH
        {
            let text = format!(
                "stack overflow: {depth} nested calls, {top} bytes of local variables of {} (the limit is CU_LIMIT_STACK_SIZE)",
                self.launch.local_stride
            );
            block.warps[w].fragments[at].pc = next;
            self.ctx
                .fail(FaultKind::StackOverflow, mask.trailing_zeros(), text);
            return false;
        }
        let callee = self.new_frame(function, caller, next, site_index, depth, base);
        self.copy_slices(caller, &site.arguments, callee, &info.params, mask);
        crate::engine::check::access::forget_local(&mut self.ctx, base, top, mask);
        block.warps[w].fragments[at].frame = callee;
        true
    }

    fn exit(&mut self, block: &mut Block, w: usize, f: usize, mask: u32) -> bool {
        if let Some(races) = races(&mut self.ctx) {
            races.end(w);
        }
        let warp = &mut block.warps[w];
        warp.live &= !mask;
        self.ctx.live = warp.live;
        block.live -= mask.count_ones();
        let fragment = &mut warp.fragments[f];
        fragment.mask &= !mask;
        let frame = fragment.frame;
        if fragment.mask == 0 {
            warp.fragments.swap_remove(f);
            self.release(frame);
        }
        if warp.live != 0 && warp.fragments.iter().any(|f| f.wait == Wait::Sync) {
            self.resolve_sync(block, w);
        }
        let mut waited = if block.live != 0 { block.awaited } else { 0 };
        while waited != 0 {
            let number = waited.trailing_zeros() as usize;
            waited &= waited - 1;
            if !self.check_exit(block, number) {
                return false;
            }
            self.try_release(block, number);
        }
        true
    }

    /// Lanes arrive at a block barrier.
    fn arrive(&mut self, block: &mut Block, w: usize, f: usize, mask: u32, next: u32) -> bool {
        let op = &self.launch.program.code[next as usize - 1];
        match Barrier::of(op.imm) {
            Barrier::ClusterArrive => {
                let warp = &mut block.warps[w];
                warp.cluster_phases = warp.cluster_phases & !mask | block.cluster_phase & mask;
                if let Some(races) = races(&mut self.ctx) {
                    races.come(CLUSTER, w);
                }
                block.barriers[CLUSTER].arrived += mask.count_ones();
                block.awaited |= 1 << CLUSTER;
                self.try_release(block, CLUSTER);
                return true;
            }
            Barrier::ClusterWait => {
                // The phase is still the one in which they arrived.
                let waiting = !(block.warps[w].cluster_phases ^ block.cluster_phase) & mask;
                if waiting != mask
                    && let Some(races) = races(&mut self.ctx)
                {
                    races.go(CLUSTER, w);
                }
                if waiting != 0 {
                    let at = self.split(block, w, f, waiting, next);
                    block.warps[w].fragments[at].wait = Wait::Barrier(CLUSTER as u32);
                }
                return true;
            }
            _ => {}
        }
        let first = mask.trailing_zeros() as usize;
        // SAFETY: `a` and `b` are 32-bit operands of this function.
        let (number, count) = unsafe {
            (
                *self.ctx.at::<u32>(op.a).add(first),
                *self.ctx.at::<u32>(op.b).add(first),
            )
        };
        if number > 15 {
            self.ctx.fail(
                FaultKind::IllegalInstruction,
                first as u32,
                format!("barrier {number}: there are 16, numbered from 0"),
            );
            return false;
        }
        let what = Barrier::of(op.imm);
        if let Some(races) = races(&mut self.ctx) {
            races.come(number as usize, w);
        }
        let barrier = &mut block.barriers[number as usize];
        barrier.expected = count;
        barrier.arrived += mask.count_ones();
        block.awaited |= 1 << number;
        if matches!(
            what,
            Barrier::ReduceCount | Barrier::ReduceAnd | Barrier::ReduceOr
        ) {
            // SAFETY: `c` is a predicate of this function.
            let holds = unsafe { *self.ctx.at::<u32>(op.c) } ^ op.y;
            barrier.holds += (holds & mask).count_ones();
            barrier.reduces = true;
        }
        let at = self.split(block, w, f, mask, next);
        if what != Barrier::Arrive {
            block.warps[w].fragments[at].wait = Wait::Barrier(number);
        }
        if !self.check_barrier(block, w, number as usize) {
            return false;
        }
        self.try_release(block, number as usize);
        true
    }

    /// Opens a barrier if everybody expected has arrived.
    fn try_release(&mut self, block: &mut Block, number: usize) {
        let barrier = block.barriers[number];
        let expected = if barrier.expected == 0 {
            block.live
        } else {
            barrier.expected
        };
        if barrier.arrived < expected {
            return;
        }
        block.barriers[number] = Default::default();
        block.awaited &= !(1 << number);
        block.opened = true;
        if number == CLUSTER {
            block.cluster_phase = !block.cluster_phase;
        }
        let mut races = races(&mut self.ctx);
        if let Some(races) = &mut races {
            races.open(number);
        }
        let program: &Program = self.launch.program;
        for (w, warp) in block.warps.iter_mut().enumerate() {
            for fragment in &mut warp.fragments {
                if fragment.wait != Wait::Barrier(number as u32) {
                    continue;
                }
                fragment.wait = Wait::Ready;
                warp.lead = FIRST_LEAD;
                if let Some(races) = &mut races {
                    races.go(number, w);
                }
                if !barrier.reduces {
                    continue;
                }
                let op = &program.code[fragment.pc as usize - 1];
                let what = Barrier::of(op.imm);
                if matches!(what, Barrier::Sync | Barrier::Arrive | Barrier::ClusterWait) {
                    continue;
                }
                let memory = self.frames[fragment.frame as usize].memory.ptr();
                // SAFETY: `d` is a register or predicate of the fragment's function, whose frame this is.
                unsafe {
                    let d = memory.add((op.d & 0x3fff_ffff) as usize).cast::<u32>();
                    if what == Barrier::ReduceCount {
                        crate::engine::lanes::arithmetic::each(fragment.mask, |i| {
                            *d.add(i) = barrier.holds
                        });
                    } else {
                        let all = what == Barrier::ReduceAnd;
                        let value = if all {
                            barrier.holds >= barrier.arrived
                        } else {
                            barrier.holds > 0
                        };
                        *d = *d & !fragment.mask | if value { fragment.mask } else { 0 };
                    }
                }
            }
        }
    }

    /// Completes warp-wide operations whose lanes have all arrived.
    fn resolve_sync(&mut self, block: &mut Block, w: usize) {
        let program: &Program = self.launch.program;
        let (saved_base, saved_mask) = (self.ctx.bases[0], self.ctx.mask);
        let waiting = |block: &Block| -> Vec<(usize, Fragment)> {
            block.warps[w]
                .fragments
                .iter()
                .copied()
                .enumerate()
                .filter(|(_, f)| f.wait == Wait::Sync)
                .collect()
        };
        let all = waiting(block);
        for &(_, leader) in &all {
            let what = kind(&program.code[leader.pc as usize]);
            let same: Vec<_> = waiting(block)
                .into_iter()
                .filter(|(_, f)| kind(&program.code[f.pc as usize]) == what)
                .collect();
            let mut exchange = Exchange::new();
            let mut present = 0;
            for (_, f) in &same {
                self.load_frame(f.frame);
                present |= f.mask;
                // SAFETY: the fragment stands at a warp-wide operation and its frame is loaded.
                unsafe { exchange.collect(&self.ctx, &program.code[f.pc as usize], f.mask) };
            }
            let ready = exchange.ready(present, block.warps[w].live);
            if ready == 0 {
                continue;
            }
            exchange.compute(what, program.code[leader.pc as usize].imm, ready);
            for (index, f) in same {
                let lanes = f.mask & ready;
                if lanes == 0 {
                    continue;
                }
                self.load_frame(f.frame);
                // SAFETY: as above.
                unsafe { exchange.deliver(&mut self.ctx, &program.code[f.pc as usize], lanes) };
                let at = self.split(block, w, index, lanes, f.pc + 1);
                block.warps[w].fragments[at].wait = Wait::Ready;
            }
        }
        (self.ctx.bases[0], self.ctx.mask) = (saved_base, saved_mask);
    }

    fn load_frame(&mut self, frame: FrameId) {
        self.ctx.bases[0] = self.frames[frame as usize].memory.ptr();
    }
}
