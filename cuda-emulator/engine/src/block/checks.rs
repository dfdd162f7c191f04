//! The check for barriers that only some threads of a block reach.

use crate::block::worker::{Block, Worker};
use crate::boundary::FaultKind;
use crate::state::frame::Wait;
use crate::state::op::CLUSTER;

impl Worker<'_> {
    /// With the barrier check: returns whether all threads that wait at the barrier wait at the
    /// same instruction. Otherwise sets a fault.
    pub(crate) fn check_barrier(&mut self, block: &Block, w: usize, number: usize) -> bool {
        if !self.launch.options.check_barrier {
            return true;
        }
        let wait = Wait::Barrier(number as u32);
        let mut places = block
            .warps
            .iter()
            .flat_map(|w| &w.fragments)
            .filter(|f| f.wait == wait)
            .map(|f| f.pc);
        let Some(first) = places.next() else {
            return true;
        };
        if let Some(other) = places.find(|&pc| pc != first) {
            let places = &self.launch.program.places;
            let text = format!(
                "divergent barrier: threads of the block wait at barrier {number} in PTX line {} and in PTX line {}",
                places[first as usize - 1].line,
                places[other as usize - 1].line
            );
            let lane = block.warps[w].live.trailing_zeros() & 31;
            self.ctx.fail(FaultKind::Check, lane, text);
            return false;
        }
        true
    }

    /// With the barrier check: reports a fault if a thread ends while others of its block wait for
    /// all threads.
    pub(crate) fn check_exit(&mut self, block: &Block, number: usize) -> bool {
        // An ended thread counts as arrived at the cluster's barrier.
        if !self.launch.options.check_barrier
            || block.barriers[number].expected != 0
            || number == CLUSTER
        {
            return true;
        }
        let text = format!(
            "divergent barrier: a thread ended while {} threads of its block wait at barrier {number}",
            block.barriers[number].arrived
        );
        let lane = self.ctx.event_mask.trailing_zeros() & 31;
        self.ctx.fail(FaultKind::Check, lane, text);
        false
    }
}
