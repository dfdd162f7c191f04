//! `mbarrier`: barriers that are words of shared memory.
//!
//! The layout of the word is private to the engine:
//!
//! - bits 0 to 19: pending arrivals of this phase
//! - bits 20 to 39: arrivals per phase
//! - bits 40 to 61: pending bytes, offset by 2^21
//! - bit 63: the parity of the phase

use crate::memory::atomic::Memory;
use crate::memory::cluster::{place_of_host, races as races_of};
use crate::memory::reach::Reach;
use crate::memory::resolve::resolve;
use crate::state::cluster::Place;
use crate::state::context::Ctx;
use crate::state::op::POLL_COST;
use crate::state::op::each;
use crate::state::op::{Flow, Op};
use crate::state::shadow::races;
use crate::state::touch::{Touch, space};

const COUNT: u64 = (1 << 20) - 1;
const NO_BYTES: u64 = 1 << 61;
const PHASE: u64 = 1 << 63;

/// The action of an instruction on the word. `b` is the number, and `x` of the instruction selects
/// the action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Action {
    Init,
    Arrive,
    /// Arrives, and no longer takes part in later phases.
    Drop,
    /// Expects more bytes, or fewer if `b` is negative.
    Bytes,
    Nothing,
    /// Counts `b` bytes of an asynchronous store as arrived.
    Sent,
}

const ACTIONS: [Action; 6] = [
    Action::Init,
    Action::Arrive,
    Action::Drop,
    Action::Bytes,
    Action::Nothing,
    Action::Sent,
];

/// Returns the word after a change. If nothing is pending, the next phase begins.
fn settle(word: u64) -> u64 {
    if word & COUNT == 0 && word & !(PHASE | COUNT | COUNT << 20) == NO_BYTES {
        (word ^ PHASE) | (word >> 20 & COUNT)
    } else {
        word
    }
}

impl Action {
    fn apply(self, word: u64, number: u32) -> u64 {
        let count = u64::from(number);
        match self {
            Action::Init => count & COUNT | (count & COUNT) << 20 | NO_BYTES,
            Action::Arrive => settle(word & !COUNT | (word & COUNT).saturating_sub(count)),
            Action::Drop => {
                let expected = (word >> 20 & COUNT).saturating_sub(count);
                settle(
                    word & !(COUNT | COUNT << 20)
                        | (word & COUNT).saturating_sub(count)
                        | expected << 20,
                )
            }
            Action::Bytes => {
                let sum = (word & !PHASE).wrapping_add((number as i32 as i64 as u64) << 40);
                settle(word & PHASE | sum & !PHASE)
            }
            Action::Sent => Action::Bytes.apply(word, number.wrapping_neg()),
            Action::Nothing => word,
        }
    }

    /// Changes the word at `host`. Returns the old word.
    ///
    /// # Safety
    ///
    /// The caller must ensure that `host` is 8 bytes of live, aligned shared memory.
    unsafe fn change(self, ctx: &mut Ctx<'_>, host: u64, number: u32) -> u64 {
        // SAFETY: guaranteed by the caller.
        let old = unsafe { <u64 as Memory>::update(host, |word| self.apply(word, number)) };
        if ctx.shadow.is_none() {
            return old;
        }
        let (place, warp) = (place_of_host(ctx, host), ctx.warp as usize);
        let arrives = matches!(self, Action::Arrive | Action::Drop | Action::Sent);
        if let Place::Peer(..) = place
            && arrives
            && let Some(races) = races(ctx)
        {
            races.leave(warp);
        }
        let (Place::Own(offset) | Place::Peer(_, offset)) = place;
        if let Some(races) = races_of(ctx, place) {
            match self {
                Action::Init => races.mbarrier(offset),
                Action::Nothing => races.invalidate(offset),
                Action::Bytes => {}
                _ if matches!(place, Place::Peer(..)) => races.arrive_from_peer(offset),
                _ => races.arrive(offset, warp),
            }
            // A thread that waits for the phase that ends here is ordered after all arrivals in it.
            if self != Action::Init && (self.apply(old, number) ^ old) & PHASE != 0 {
                races.complete(offset);
            }
        }
        old
    }
}

/// Returns the pending arrivals of a state word.
pub(crate) fn pending(word: u64) -> u32 {
    (word & COUNT) as u32
}

/// `complete_tx`: counts bytes of a bulk copy as arrived. Returns false with `ctx.fault` set on a
/// fault.
pub(crate) fn complete(ctx: &mut Ctx<'_>, lane: u32, offset: u64, bytes: u64) -> bool {
    match resolve(ctx, None, space::SHARED, lane, offset, 8, true) {
        Some(host) => {
            // SAFETY: resolved just now.
            unsafe { Action::Bytes.change(ctx, host, (bytes as u32).wrapping_neg()) };
            true
        }
        None => false,
    }
}

/// `d` = the old word. Applies the action `x` with the number `b` to the word.
pub(crate) unsafe fn change(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let action = ACTIONS[op.x as usize % ACTIONS.len()];
    let touch = if action == Action::Init {
        Touch::Write
    } else {
        Touch::Atomic
    };
    // SAFETY: `a` is an address register, `b` a 32-bit and `d` a 64-bit register. The access is
    // checked.
    unsafe {
        let Some(access) = Reach::decode(op.c).access(ctx, op, mask, 8, touch) else {
            return Flow::Fault;
        };
        let (b, d) = (ctx.at::<u32>(op.b), ctx.at::<u64>(op.d));
        each(mask, |i| {
            *d.add(i) = action.change(ctx, access.hosts[i], *b.add(i));
        });
    }
    Flow::Next
}

/// `d` = whether the phase that `b` names is complete. `b` is a parity if `x` is 1, otherwise a
/// state word.
///
/// Executes copies whose bytes the barrier counts. A thread that has to wait yields to others.
pub(crate) unsafe fn wait(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: `a` is an address register, `b` a 32- or 64-bit register, and `d` a predicate. The
    // access is checked.
    unsafe {
        let Some(access) = Reach::decode(op.c).access(ctx, op, mask, 8, Touch::Atomic) else {
            return Flow::Fault;
        };
        if !ctx.bulk.is_empty() {
            let base = ctx.shared as u64;
            each(mask, |i| {
                if ctx.fault.is_none() {
                    crate::memory::bulk::finish_barrier(ctx, access.hosts[i].wrapping_sub(base));
                }
            });
            if ctx.fault.is_some() {
                return Flow::Fault;
            }
        }
        let mut over = 0;
        each(mask, |i| {
            let word = <u64 as Memory>::update(access.hosts[i], |word| word);
            let phase = if op.x == 1 {
                u64::from(*ctx.at::<u32>(op.b).add(i) & 1)
            } else {
                *ctx.at::<u64>(op.b).add(i) >> 63
            };
            over |= u32::from(word >> 63 != phase) << i;
        });
        if ctx.launch.checked {
            let (base, warp) = (ctx.shared as u64, ctx.warp as usize);
            if let Some(races) = races(ctx) {
                each(over, |i| {
                    races.pass(access.hosts[i].wrapping_sub(base), warp)
                });
            }
        }
        let d = ctx.at::<u32>(op.d);
        *d = *d & !mask | over;
        ctx.polled = true;
        ctx.budget -= POLL_COST;
        if over == mask && ctx.budget >= 0 {
            Flow::Next
        } else {
            Flow::Yield
        }
    }
}
