//! Barriers of a block, and operations for which the lanes of a warp wait for each other.

use crate::block::worker::{Block, FIRST_LEAD, Worker};
use crate::boundary::FaultKind;
use crate::program::Program;
use crate::state::frame::{Fragment, Wait};
use crate::state::op::CLUSTER;
use crate::state::shadow::races;
use crate::warp::control::Barrier;
use crate::warp::exchange::{Exchange, kind};

impl Worker<'_> {
    /// Lanes arrive at a block barrier.
    pub(crate) fn arrive(
        &mut self,
        block: &mut Block,
        w: usize,
        f: usize,
        mask: u32,
        next: u32,
    ) -> bool {
        let op = &self.launch.program.code[next as usize - 1];
        match Barrier::of(op.imm) {
            Barrier::ClusterArrive => {
                let warp = &mut block.warps[w];
                warp.cluster_phases = warp.cluster_phases & !mask | block.cluster_phase & mask;
                warp.cluster_came |= mask;
                let opened = self.ctx.cluster.as_ref().map(|cluster| cluster.opened);
                if let Some(races) = races(&mut self.ctx) {
                    match opened {
                        Some(opened) => races.come_to_cluster(w, opened),
                        None => races.come(CLUSTER, w),
                    }
                }
                if self.ctx.cluster.is_some() {
                    self.meet(block, mask.count_ones(), 0, 0);
                    return true;
                }
                block.barriers[CLUSTER].arrived += mask.count_ones();
                block.awaited |= 1 << CLUSTER;
                self.try_release(block, CLUSTER);
                return true;
            }
            Barrier::ClusterWait => {
                // Their phase is still the one in which they arrived.
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
                format!("barrier {number} does not exist: a block has barriers 0 to 15"),
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
        if !self.check_barrier(block, number as usize) {
            return false;
        }
        self.try_release(block, number as usize);
        true
    }

    /// Opens a barrier if all expected threads have arrived.
    pub(crate) fn try_release(&mut self, block: &mut Block, number: usize) {
        let barrier = block.barriers[number];
        let expected = if barrier.expected == 0 {
            block.live
        } else {
            barrier.expected
        };
        if barrier.arrived < expected {
            return;
        }
        self.open(block, number);
    }

    /// Opens a barrier.
    pub(crate) fn open(&mut self, block: &mut Block, number: usize) {
        let barrier = block.barriers[number];
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
                // SAFETY: `d` is a register or predicate of the fragment's function, and `memory` is
                // the frame of that function.
                unsafe {
                    let d = memory.add((op.d & 0x3fff_ffff) as usize).cast::<u32>();
                    if what == Barrier::ReduceCount {
                        crate::state::op::each(fragment.mask, |i| *d.add(i) = barrier.holds);
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
    pub(crate) fn resolve_sync(&mut self, block: &mut Block, w: usize) {
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
                // SAFETY: the fragment is at a warp-wide operation and its frame is loaded.
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
}
