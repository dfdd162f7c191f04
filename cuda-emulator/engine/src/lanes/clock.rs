//! Clocks and timers.

use crate::state::context::Ctx;
use crate::state::op::each;
use crate::state::op::{Flow, Op};

/// Returns cycles since the launch at the clock rate of the options. The value always increases.
fn cycles(ctx: &Ctx<'_>) -> u64 {
    let launch = ctx.launch;
    (launch.started.elapsed().as_nanos() as u64 / 1000)
        .wrapping_mul(u64::from(launch.options.clock_khz))
        / 1000
        + ctx.executed
}

fn nanoseconds() -> u64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |d| d.as_nanos() as u64)
}

unsafe fn put<T: Copy>(ctx: &mut Ctx<'_>, op: &Op, mask: u32, value: T) -> Flow {
    ctx.budget -= 1;
    // SAFETY: `d` is a register of this width.
    unsafe {
        let d = ctx.at::<T>(op.d);
        each(mask, |i| d.add(i).write(value));
    }
    Flow::Next
}

/// Truncates a 64-bit count.
pub(crate) trait Low: Copy {
    fn low(v: u64) -> Self;
}

impl Low for u32 {
    fn low(v: u64) -> u32 {
        v as u32
    }
}

impl Low for u64 {
    fn low(v: u64) -> u64 {
        v
    }
}

pub(crate) unsafe fn clock<T: Low>(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let value = T::low(cycles(ctx));
    // SAFETY: guaranteed by the caller.
    unsafe { put(ctx, op, mask, value) }
}

pub(crate) unsafe fn clock_high(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let value = (cycles(ctx) >> 32) as u32;
    // SAFETY: guaranteed by the caller.
    unsafe { put(ctx, op, mask, value) }
}

pub(crate) unsafe fn timer<T: Low>(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: guaranteed by the caller.
    unsafe { put(ctx, op, mask, T::low(nanoseconds())) }
}

pub(crate) unsafe fn timer_high(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: guaranteed by the caller.
    unsafe { put(ctx, op, mask, (nanoseconds() >> 32) as u32) }
}
