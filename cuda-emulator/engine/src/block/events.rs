//! Events of a fragment: splits, calls, returns and exits.

use crate::block::worker::{Block, Worker};
use crate::boundary::{CODE_WINDOW, FaultKind};
use crate::program::Program;
use crate::state::frame::{Fragment, FrameId, NO_FRAME, Wait};
use crate::state::op::{CLUSTER, Flow};
use crate::state::shadow::races;

/// The greatest depth of nested calls.
const MAX_DEPTH: u32 = 8192;

impl Worker<'_> {
    /// Splits the lanes of `mask` off a fragment. They continue at `pc` in a new fragment. If these
    /// are all its lanes, the fragment itself moves.
    pub(crate) fn split(
        &mut self,
        block: &mut Block,
        w: usize,
        f: usize,
        mask: u32,
        pc: u32,
    ) -> usize {
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

    /// Handles an event of fragment `f`. Returns false with `ctx.fault` set on a fault.
    pub(crate) fn event(&mut self, block: &mut Block, w: usize, f: usize, flow: Flow) -> bool {
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
                    crate::state::op::each(left, |i| {
                        same |= u32::from(index[i] == index[lane]) << i
                    });
                    left &= !same;
                    let Some(&target) = table.get(index[lane] as usize) else {
                        let text = format!(
                            "brx.idx with index {}, but the list has {} targets",
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

    pub(crate) fn call(
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
                crate::state::op::each(mask, |i| same |= u32::from(target[i] == target[lane]) << i);
                if same != mask {
                    // The lanes with other targets execute this instruction again later.
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
        // Every nested call takes some stack, as the return address and saved registers do on a
        // GPU.
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
        crate::memory::check::forget_local(&mut self.ctx, base, top, mask);
        block.warps[w].fragments[at].frame = callee;
        true
    }

    pub(crate) fn exit(&mut self, block: &mut Block, w: usize, f: usize, mask: u32) -> bool {
        if let Some(races) = races(&mut self.ctx) {
            races.end(w);
        }
        let warp = &mut block.warps[w];
        warp.live &= !mask;
        self.ctx.live = warp.live;
        block.live -= mask.count_ones();
        // An ended thread counts as arrived at the cluster's barrier, but only once.
        let came = warp.cluster_came & !(warp.cluster_phases ^ block.cluster_phase) & mask;
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
        if self.ctx.cluster.is_some() {
            self.meet(block, 0, mask.count_ones(), came.count_ones());
        } else if came != 0 {
            let arrived = &mut block.barriers[CLUSTER].arrived;
            *arrived = arrived.saturating_sub(came.count_ones());
        }
        let mut waited = if block.live != 0 { block.awaited } else { 0 };
        while waited != 0 {
            let number = waited.trailing_zeros() as usize;
            waited &= waited - 1;
            if !self.check_exit(block, w, number) {
                return false;
            }
            self.try_release(block, number);
        }
        true
    }

    pub(crate) fn load_frame(&mut self, frame: FrameId) {
        self.ctx.bases[0] = self.frames[frame as usize].memory.ptr();
    }
}
