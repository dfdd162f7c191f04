//! Bulk copies: `cp.async.bulk` between global and shared memory.
//!
//! A copy is checked where it is issued and done as late as may be: when somebody waits for its barrier or its group,
//! or when the block ends. A program that forgets to wait then reads what was there before. With a seed, some copies are
//! done at once, which is as allowed, and shows a copy into a place that is still being read.

use crate::engine::memory::check;
use crate::engine::memory::mbarrier;
use crate::engine::memory::resolve::{Mem, name, resolve, resolve_range};
use crate::engine::memory::tensor_map;
use crate::engine::state::bulk::Bulk;
use crate::engine::state::bulk::Direction;
use crate::engine::state::bulk::End;
use crate::engine::state::context::Ctx;
use crate::engine::state::op::each;
use crate::engine::state::op::{Flow, LANES, Op};
use crate::engine::state::shadow::races;
use crate::engine::state::touch::{Touch, space};
use crate::engine::{FaultKind, SHARED_WINDOW};

/// Address, size: whatever isn't a multiple of 16 is a fault. False with `ctx.fault` set.
fn aligned(ctx: &mut Ctx<'_>, lane: u32, what: &str, value: u64, place: String) -> bool {
    if value & 15 == 0 {
        return true;
    }
    let text = format!("misaligned bulk copy: its {what} {place} isn't a multiple of 16");
    ctx.fail(FaultKind::MisalignedAddress, lane, text);
    false
}

/// `cp.async.bulk`: from `b` to `a`, `c` bytes, [`Direction`] in `imm`; an mbarrier's address in `x` unless to global.
pub(in crate::engine) unsafe fn issue(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let direction = Direction::of(op.imm);
    let (source, target) = direction.spaces();
    // SAFETY: `a`, `b` and `x` are 64-bit, `c` a 32-bit register.
    let (to, from, count, barrier) = unsafe {
        (
            *ctx.at::<[u64; LANES]>(op.a),
            *ctx.at::<[u64; LANES]>(op.b),
            *ctx.at::<[u32; LANES]>(op.c),
            *ctx.at::<[u64; LANES]>(op.x),
        )
    };
    each(mask, |i| {
        if ctx.fault.is_some() {
            return;
        }
        let (lane, to, from, bytes) = (i as u32, to[i], from[i], u64::from(count[i]));
        let good = aligned(ctx, lane, "destination", to, name(target, to))
            && aligned(ctx, lane, "source", from, name(source, from))
            && aligned(ctx, lane, "size", bytes, format!("of {bytes} bytes"));
        if !good {
            return;
        }
        // A copy of nothing touches nothing, but its end is told.
        if bytes > 0 {
            check::range(ctx, source, lane, from, bytes, Touch::Read);
            if target == space::SHARED {
                check::range(ctx, target, lane, to, bytes, Touch::Pending);
            }
            if ctx.fault.is_some()
                || resolve_range(ctx, None, source, lane, from, bytes, false).is_none()
                || resolve_range(ctx, None, target, lane, to, bytes, true).is_none()
            {
                return;
            }
        }
        let end = if direction == Direction::SharedToGlobal {
            End::Group(0)
        } else {
            let Some(host) = resolve(ctx, None, space::SHARED, lane, barrier[i], 8, true) else {
                return;
            };
            End::Barrier(host - ctx.shared as u64)
        };
        let copy = Bulk {
            to,
            from,
            bytes,
            direction,
            end,
            thread: ctx.warp * 32 + lane,
            pc: ctx.pc - 1,
            tensor: None,
        };
        enqueue(ctx, copy);
    });
    if ctx.fault.is_some() {
        Flow::Fault
    } else {
        Flow::Next
    }
}

/// Does a copy that was checked, or notes it for later; may set `ctx.fault`.
pub(in crate::engine) fn enqueue(ctx: &mut Ctx<'_>, copy: Bulk) {
    if ctx.coin() {
        finish(ctx, &copy);
    } else {
        ctx.bulk.push(copy);
    }
}

/// `cp.async.bulk.prefetch`: from `b`, `c` bytes. Nothing to do; the alignment is checked.
pub(in crate::engine) unsafe fn prefetch(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: `b` is a 64-bit, `c` a 32-bit register.
    let (from, count) = unsafe { (*ctx.at::<[u64; LANES]>(op.b), *ctx.at::<[u32; LANES]>(op.c)) };
    each(mask, |i| {
        let (lane, bytes) = (i as u32, u64::from(count[i]));
        if ctx.fault.is_none() && aligned(ctx, lane, "source", from[i], name(0, from[i])) {
            aligned(ctx, lane, "size", bytes, format!("of {bytes} bytes"));
        }
    });
    if ctx.fault.is_some() {
        Flow::Fault
    } else {
        Flow::Next
    }
}

/// `cp.async.bulk.commit_group`: closes the threads' groups.
pub(in crate::engine) unsafe fn commit(ctx: &mut Ctx<'_>, _: &Op, mask: u32) -> Flow {
    let warp = ctx.warp;
    for copy in &mut ctx.bulk {
        if let End::Group(age) = &mut copy.end
            && copy.thread / 32 == warp
            && mask >> (copy.thread % 32) & 1 != 0
        {
            *age += 1;
        }
    }
    Flow::Next
}

/// `cp.async.bulk.wait_group`: all but the `imm` youngest groups of each thread are done.
pub(in crate::engine) unsafe fn wait_group(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let (warp, most) = (ctx.warp, op.imm);
    finish_all(ctx, |copy| match copy.end {
        End::Group(age) => {
            copy.thread / 32 == warp && mask >> (copy.thread % 32) & 1 != 0 && u64::from(age) > most
        }
        End::Barrier(_) => false,
    });
    if ctx.fault.is_some() {
        Flow::Fault
    } else {
        Flow::Next
    }
}

/// Does the copies that count on the mbarrier at this offset in shared memory; may set `ctx.fault`.
pub(in crate::engine) fn finish_barrier(ctx: &mut Ctx<'_>, offset: u64) {
    finish_all(ctx, |copy| copy.end == End::Barrier(offset));
}

/// Does what the block has left; may set `ctx.fault`.
pub(in crate::engine) fn finish_block(ctx: &mut Ctx<'_>) {
    finish_all(ctx, |_| true);
}

/// Does the chosen copies in the order of their issue, up to a fault.
fn finish_all(ctx: &mut Ctx<'_>, chosen: impl Fn(&Bulk) -> bool) {
    let mut n = 0;
    while n < ctx.bulk.len() && ctx.fault.is_none() {
        if chosen(&ctx.bulk[n]) {
            let copy = ctx.bulk.remove(n);
            finish(ctx, &copy);
            if let Some(trouble) = &mut ctx.fault {
                trouble.at = Some((copy.thread / 32, copy.pc));
            }
        } else {
            n += 1;
        }
    }
}

/// Does a copy and signals its end; may set `ctx.fault`.
fn finish(ctx: &mut Ctx<'_>, copy: &Bulk) {
    let lane = copy.thread % 32;
    let (source, target) = copy.direction.spaces();
    if let Some(tensor) = &copy.tensor {
        if tensor_map::transfer(ctx, copy, tensor).is_none() {
            return;
        }
    } else if copy.bytes > 0 {
        // Again, since global memory may have been freed in between.
        let Some(from) = resolve_range(ctx, None, source, lane, copy.from, copy.bytes, false)
        else {
            return;
        };
        let Some(to) = resolve_range(ctx, None, target, lane, copy.to, copy.bytes, true) else {
            return;
        };
        if target == space::GLOBAL {
            check::range(ctx, target, lane, copy.to, copy.bytes, Touch::Write);
        } else if let Some(shadow) = &mut ctx.shadow {
            shadow.written(copy.to, copy.bytes);
        }
        for at in (0..copy.bytes).step_by(8) {
            // SAFETY: both ends were resolved for all bytes, a multiple of 16, and are aligned to 16.
            unsafe { u64::load(from + at).store(to + at) };
        }
    }
    if let End::Barrier(offset) = copy.end {
        if let Some(races) = races(ctx) {
            races.arrive(offset, copy.thread as usize / 32);
        }
        mbarrier::complete(ctx, lane, offset, copy.bytes);
    }
}

/// `mapa`: in a cluster of one block, the address of rank 0 is the address itself. `imm` is 1 for generic addresses.
pub(in crate::engine) unsafe fn map_address<T: Copy + Into<u64>>(
    ctx: &mut Ctx<'_>,
    op: &Op,
    mask: u32,
) -> Flow {
    // SAFETY: `a` and `d` are registers of this width, `b` a 32-bit one.
    unsafe {
        let (a, b) = (*ctx.at::<[T; LANES]>(op.a), *ctx.at::<[u32; LANES]>(op.b));
        let d = ctx.at::<T>(op.d);
        each(mask, |i| {
            let address: u64 = a[i].into();
            if b[i] != 0 {
                let text = format!("mapa of block {} in a cluster of one block", b[i]);
                ctx.fail(FaultKind::IllegalAddress, i as u32, text);
            } else if op.imm == 1 && address >> 60 != SHARED_WINDOW >> 60 {
                let text = format!("mapa of 0x{address:x}, which isn't in shared memory");
                ctx.fail(FaultKind::IllegalAddress, i as u32, text);
            } else {
                d.add(i).write(a[i]);
            }
        });
    }
    if ctx.fault.is_some() {
        Flow::Fault
    } else {
        Flow::Next
    }
}
