//! Control flow: branches, calls, returns, barriers.

use crate::state::context::Ctx;
use crate::state::op::{Flow, Op};

/// `bra`: the lanes of the mask jump to `x`.
pub(crate) unsafe fn branch(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let backward = op.x < ctx.pc;
    if mask != ctx.mask {
        ctx.budget -= i32::from(backward);
        ctx.event_mask = mask;
        return Flow::Diverge;
    }
    ctx.pc = op.x;
    if backward {
        ctx.budget -= 1;
        if ctx.budget < 0 {
            return Flow::Yield;
        }
    }
    Flow::Jump
}

macro_rules! event {
    ($($(#[$doc:meta])* $name:ident => $flow:ident;)*) => {$(
        $(#[$doc])*
        pub(crate) unsafe fn $name(ctx: &mut Ctx<'_>, _: &Op, mask: u32) -> Flow {
            ctx.event_mask = mask;
            Flow::$flow
        }
    )*};
}

event! {
    /// `brx.idx`: a jump through table `x`, indexed by `a`.
    switch => Switch;
    /// `call` with call site `x`. An indirect call has the address in `a`.
    call => Call;
    /// `ret`
    ret => Return;
    /// `exit`
    exit => Exit;
    /// `bar`, `barrier`: the number is in `a`, the thread count in `b`, and `imm` is an index into
    /// [`Barrier`].
    barrier => Barrier;
}

/// The kind of a barrier instruction, in the instruction's `imm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
#[repr(u8)]
#[allow(missing_docs)]
pub(crate) enum Barrier {
    Sync,
    Arrive,
    ReduceCount,
    ReduceAnd,
    ReduceOr,
    /// `barrier.cluster.arrive`, and `.wait` below.
    ClusterArrive,
    ClusterWait,
}

impl Barrier {
    pub(crate) fn of(imm: u64) -> Barrier {
        match imm {
            0 => Barrier::Sync,
            1 => Barrier::Arrive,
            2 => Barrier::ReduceCount,
            3 => Barrier::ReduceAnd,
            4 => Barrier::ReduceOr,
            5 => Barrier::ClusterArrive,
            _ => Barrier::ClusterWait,
        }
    }
}

/// `nanosleep`: yields to other warps and blocks.
pub(crate) unsafe fn pause(ctx: &mut Ctx<'_>, _: &Op, _: u32) -> Flow {
    ctx.polled = true;
    Flow::Yield
}

/// A hint.
pub(crate) unsafe fn nothing(_: &mut Ctx<'_>, _: &Op, _: u32) -> Flow {
    Flow::Next
}

/// `trap`
pub(crate) unsafe fn trap(ctx: &mut Ctx<'_>, _: &Op, mask: u32) -> Flow {
    ctx.fail(
        crate::boundary::FaultKind::Trap,
        mask.trailing_zeros(),
        "the kernel executed `trap`".into(),
    )
}

/// `brkpt`. Without a debugger, a breakpoint ends the kernel, as on a GPU.
pub(crate) unsafe fn breakpoint(ctx: &mut Ctx<'_>, _: &Op, mask: u32) -> Flow {
    ctx.fail(
        crate::boundary::FaultKind::Trap,
        mask.trailing_zeros(),
        "the kernel executed `brkpt` (a breakpoint, but no debugger is attached)".into(),
    )
}
