//! Checks of a block: barriers that only some of its threads reach, and reads of shared memory that
//! no thread has written.

use crate::block::worker::{Block, Worker};
use crate::boundary::FaultKind;
use crate::memory::check::INITIALIZE_SHARED;
use crate::state::context::Trouble;
use crate::state::frame::Wait;
use crate::state::op::CLUSTER;

const REACH_ALL: &str = "Fix: let all threads of the block reach the same barrier. Move __syncthreads() out of the branch, and \
                         return only after the last one";

/// The threads that wait for a barrier at one instruction.
struct Waiting {
    pc: u32,
    threads: u32,
    /// The one with the lowest number.
    first: u32,
}

impl Worker<'_> {
    /// Returns where the threads of a block wait for a barrier, in the order of the warps.
    fn waiting(&self, block: &Block, number: usize) -> Vec<Waiting> {
        let mut places: Vec<Waiting> = Vec::new();
        for (w, warp) in block.warps.iter().enumerate() {
            let fragments = warp.fragments.iter();
            for f in fragments.filter(|f| f.wait == Wait::Barrier(number as u32)) {
                let (pc, threads) = (f.pc.saturating_sub(1), f.mask.count_ones());
                let first = w as u32 * 32 + f.mask.trailing_zeros();
                match places.iter_mut().find(|place| place.pc == pc) {
                    Some(place) => {
                        place.threads += threads;
                        place.first = place.first.min(first);
                    }
                    None => places.push(Waiting { pc, threads, first }),
                }
            }
        }
        places
    }

    /// Sets a fault at a barrier.
    fn diverge(&mut self, at: &Waiting, text: String) {
        self.ctx.fault = Some(Box::new(Trouble {
            kind: FaultKind::Check,
            lane: at.first % 32,
            text,
            at: Some((at.first / 32, at.pc)),
        }));
    }

    /// Returns whether all threads that wait at the barrier wait at the same instruction. Otherwise
    /// sets a fault. Returns true if the barrier check is off.
    pub(crate) fn check_barrier(&mut self, block: &Block, number: usize) -> bool {
        if !self.launch.options.check_barrier {
            return true;
        }
        let places = self.waiting(block, number);
        let [one, other, ..] = &places[..] else {
            return true;
        };
        let name = |place: &Waiting| {
            let (threads, first) = (place.threads, self.launch.thread_name(place.first));
            format!("where {} wait, the first of them {first}", count(threads))
        };
        let at = self.launch.place_within(one.pc);
        let text = format!(
            "divergent barrier: threads of the block wait at barrier {number} in two places\n{REACH_ALL}\n  one place, \
             {}:{at}\n  the other place, {}:",
            name(one),
            name(other),
        );
        self.diverge(other, text);
        false
    }

    /// Sets a fault and returns false if a thread ends while others of its block wait for all
    /// threads. Returns true if the barrier check is off.
    pub(crate) fn check_exit(&mut self, block: &Block, w: usize, number: usize) -> bool {
        // An ended thread counts as arrived at the cluster's barrier.
        if !self.launch.options.check_barrier
            || block.barriers[number].expected != 0
            || number == CLUSTER
        {
            return true;
        }
        let lane = self.ctx.event_mask.trailing_zeros() & 31;
        let all = self.launch.threads;
        let ended = all - block.live;
        let places = self.waiting(block, number);
        // Without a place, threads have arrived and do not wait.
        let Some(barrier) = places.first() else {
            let text = format!(
                "divergent barrier: {} of the block ended while {} had arrived at barrier {number} without waiting\n{REACH_ALL}",
                count(ended),
                block.barriers[number].arrived
            );
            self.ctx.fail(FaultKind::Check, lane, text);
            return false;
        };
        let one = self.launch.thread_name(w as u32 * 32 + lane);
        let running = block.live.saturating_sub(barrier.threads);
        let rest = match running {
            0 => String::new(),
            n => format!(", and {} not reached it yet", has(n)),
        };
        let text = format!(
            "divergent barrier: {} of the block's {all} threads wait at barrier {number}, {} ended without reaching \
             it{rest}\n{REACH_ALL}\n  the end of {one}:{}\n  the barrier, where {} wait, the first of them {}:",
            barrier.threads,
            has(ended),
            self.launch.place_within(self.ctx.pc.saturating_sub(1)),
            count(barrier.threads),
            self.launch.thread_name(barrier.first),
        );
        self.diverge(barrier, text);
        false
    }

    /// Sets a fault and returns true if a thread has read shared memory that no thread had written,
    /// and no other warp has written it since.
    pub(crate) fn has_read_unwritten(&mut self) -> bool {
        let fault = self.unwritten();
        let found = fault.is_some();
        if found {
            self.ctx.fault = fault;
        }
        found
    }

    /// Takes the fault of a thread that has read shared memory that no thread had written.
    pub(crate) fn unwritten(&mut self) -> Option<Box<Trouble>> {
        let unwritten = self.ctx.shadow.as_deref_mut()?.unwritten.take()?;
        Some(unwritten.fault(format!("{}\n{INITIALIZE_SHARED}", unwritten.text())))
    }
}

fn count(threads: u32) -> String {
    format!("{threads} thread{}", if threads == 1 { "" } else { "s" })
}

fn has(threads: u32) -> String {
    format!("{threads} {}", if threads == 1 { "has" } else { "have" })
}
