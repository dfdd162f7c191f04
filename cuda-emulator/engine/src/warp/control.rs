//! Branches, calls, returns, barriers: what changes where the lanes go on.

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
    /// `brx.idx`: by the index in `a` through table `x`.
    switch => Switch;
    /// `call` by call site `x`; indirect by the address in `a`.
    call => Call;
    /// `ret`
    ret => Return;
    /// `exit`
    exit => Exit;
    /// `bar`, `barrier`: number in `a`, threads in `b`, `imm` an index into [`Barrier`].
    barrier => Barrier;
}

/// What a barrier instruction does; `imm` of the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
#[repr(u8)]
#[allow(missing_docs)]
pub(crate) enum Barrier {
    Sync,
    Arrive,
    ReduceCount,
    ReduceAnd,
    ReduceOr,
    /// `barrier.cluster.arrive` and `.wait`. A cluster is one block.
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

/// `nanosleep`: lets the other warps and blocks run.
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

/// `brkpt`: without a debugger a breakpoint ends the kernel, as on a GPU.
pub(crate) unsafe fn breakpoint(ctx: &mut Ctx<'_>, _: &Op, mask: u32) -> Flow {
    ctx.fail(
        crate::boundary::FaultKind::Trap,
        mask.trailing_zeros(),
        "the kernel executed `brkpt` (a breakpoint, and no debugger is there)".into(),
    )
}
