//! Addresses of variables and parameters, the stack, address-space tests, and asynchronous copies.

use crate::boundary::{FaultKind, SHARED_WINDOW};
use crate::lanes::arithmetic::write;
use crate::memory::check;
use crate::memory::cluster::place;
use crate::memory::resolve::{Mem, resolve};
use crate::memory::sixteen;
use crate::state::cluster::Place;
use crate::state::context::Ctx;
use crate::state::op::POLL_COST;
use crate::state::op::each;
use crate::state::op::{Flow, LANES, Op};
use crate::state::shadow::races;
use crate::state::touch::{Touch, space};

/// `d` = the address of a local variable.
pub(crate) unsafe fn local(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let value = ctx.local_base.wrapping_add(op.imm);
    // SAFETY: `d` is a 64-bit register.
    unsafe { write(ctx.at::<u64>(op.d), mask, |_| value) };
    Flow::Next
}

/// `d` = the address of a kernel's parameter.
pub(crate) unsafe fn kernel_param(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let value = ctx.launch.params().0.wrapping_add(op.imm);
    // SAFETY: `d` is a 64-bit register.
    unsafe { write(ctx.at::<u64>(op.d), mask, |_| value) };
    Flow::Next
}

/// `d` = the address of a function's parameter: `a` in the frame, with `x` bytes per lane.
pub(crate) unsafe fn param(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: `d` is a 64-bit register, and `a` is in the frame.
    unsafe {
        let base = (ctx.at::<u8>(op.a) as u64).wrapping_add(op.imm);
        write(ctx.at::<u64>(op.d), mask, |i| {
            base + i as u64 * u64::from(op.x)
        });
    }
    Flow::Next
}

/// `createpolicy`: an empty policy.
pub(crate) unsafe fn no_policy(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: `d` is a 64-bit register.
    unsafe { write(ctx.at::<u64>(op.d), mask, |_| 0) };
    Flow::Next
}

pub(crate) unsafe fn poll(ctx: &mut Ctx<'_>, _: &Op, _: u32) -> Flow {
    ctx.polled = true;
    ctx.budget -= POLL_COST;
    Flow::Next
}

pub(crate) unsafe fn fence(ctx: &mut Ctx<'_>, _: &Op, _: u32) -> Flow {
    let warp = ctx.warp as usize;
    if let Some(races) = races(ctx) {
        races.fence(warp);
    }
    std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
    Flow::Next
}

/// Sets bits of a predicate from a test of the address in `a`.
unsafe fn set(
    ctx: &mut Ctx<'_>,
    op: &Op,
    mask: u32,
    holds: impl Fn(&Ctx<'_>, u64) -> bool,
) -> Flow {
    // SAFETY: `a` is a 64-bit register, `d` a predicate.
    unsafe {
        let a = *ctx.at::<[u64; LANES]>(op.a);
        let mut bits = 0;
        each(mask, |i| bits |= u32::from(holds(ctx, a[i])) << i);
        let d = ctx.at::<u32>(op.d);
        *d = *d & !mask | bits;
    }
    Flow::Next
}

fn in_constants(ctx: &Ctx<'_>, address: u64) -> bool {
    ctx.launch
        .image
        .constant_ranges
        .iter()
        .any(|&(base, size)| address >= base && address - base < size)
}

fn in_params(ctx: &Ctx<'_>, address: u64) -> bool {
    let (base, size) = ctx.launch.params();
    address >= base && address - base < size
}

pub(crate) unsafe fn is_constant(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: guaranteed by the caller.
    unsafe { set(ctx, op, mask, in_constants) }
}

pub(crate) unsafe fn is_param(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: guaranteed by the caller.
    unsafe { set(ctx, op, mask, in_params) }
}

pub(crate) unsafe fn is_own_shared(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let own = |ctx: &Ctx<'_>, address: u64| {
        address >> 60 == SHARED_WINDOW >> 60
            && matches!(place(ctx, address - SHARED_WINDOW), Place::Own(_))
    };
    // SAFETY: guaranteed by the caller.
    unsafe { set(ctx, op, mask, own) }
}

pub(crate) unsafe fn is_global(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: guaranteed by the caller.
    unsafe {
        set(ctx, op, mask, |ctx, a| {
            a >> 60 == 0 && !in_constants(ctx, a) && !in_params(ctx, a)
        })
    }
}

pub(crate) unsafe fn alloca<T: Copy + Into<u64> + TryFrom<u64>>(
    ctx: &mut Ctx<'_>,
    op: &Op,
    mask: u32,
) -> Flow {
    // SAFETY: `a` and `d` are registers of this width.
    unsafe {
        let a = *ctx.at::<[T; LANES]>(op.a);
        let mut most = 0u64;
        each(mask, |i| most = most.max(a[i].into()));
        let base = ctx.local_top.next_multiple_of(op.imm.max(16));
        if most > ctx.local_stride || base + most > ctx.local_stride {
            let text = format!(
                "stack overflow: alloca of {most} bytes, {} of {} bytes are in use",
                ctx.local_top, ctx.local_stride
            );
            return ctx.fail(FaultKind::StackOverflow, mask.trailing_zeros(), text);
        }
        ctx.local_top = base + most;
        check::forget_local(ctx, base, base + most, mask);
        let d = ctx.at::<T>(op.d);
        each(mask, |i| {
            if let Ok(value) = T::try_from(base) {
                d.add(i).write(value);
            }
        });
    }
    Flow::Next
}

pub(crate) unsafe fn stack_save<T: Copy + TryFrom<u64>>(
    ctx: &mut Ctx<'_>,
    op: &Op,
    mask: u32,
) -> Flow {
    // SAFETY: `d` is a register of this width.
    unsafe {
        let d = ctx.at::<T>(op.d);
        let top = ctx.local_top;
        each(mask, |i| {
            if let Ok(value) = T::try_from(top) {
                d.add(i).write(value);
            }
        });
    }
    Flow::Next
}

pub(crate) unsafe fn stack_restore<T: Copy + Into<u64>>(
    ctx: &mut Ctx<'_>,
    op: &Op,
    mask: u32,
) -> Flow {
    // SAFETY: `a` is a register of this width.
    let top: u64 = unsafe { (*ctx.at::<T>(op.a).add(mask.trailing_zeros() as usize)).into() };
    // Other fragments may share the frame and still use the memory above. Only growth is checked.
    if top <= ctx.local_top && top >= ctx.local_base && mask == ctx.live {
        ctx.local_top = top;
    }
    Flow::Next
}

/// Reads up to 16 bytes. 4, 8 and 16 bytes are one access.
unsafe fn copy_in(data: &mut [u8; 16], host: u64, bytes: u64) {
    // SAFETY: the caller has checked the access.
    unsafe {
        match bytes {
            4 => data[..4].copy_from_slice(&u32::load(host).to_le_bytes()),
            8 => data[..8].copy_from_slice(&u64::load(host).to_le_bytes()),
            16 => *data = sixteen::read(host).to_le_bytes(),
            _ => {
                for (n, byte) in data[..bytes as usize].iter_mut().enumerate() {
                    *byte = Mem::load(host + n as u64);
                }
            }
        }
    }
}

/// Writes 4, 8 or 16 bytes in one access.
unsafe fn copy_out(data: &[u8; 16], host: u64, size: u64) {
    let value = u128::from_le_bytes(*data);
    // SAFETY: the caller has checked the access.
    unsafe {
        match size {
            4 => (value as u32).store(host),
            8 => (value as u64).store(host),
            _ => sixteen::write(host, value),
        }
    }
}

pub(crate) unsafe fn copy_async(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: `a` and `b` are 64-bit registers, `c` is a 32-bit register, and `x` is a predicate.
    // Each access is checked.
    unsafe {
        let (to, from) = (*ctx.at::<[u64; LANES]>(op.a), *ctx.at::<[u64; LANES]>(op.b));
        let count = *ctx.at::<[u32; LANES]>(op.c);
        let ignore = *ctx.at::<u32>(op.x) ^ (op.imm >> 32) as u32;
        let size = op.imm & 0xff;
        let mut left = mask;
        while left != 0 {
            let i = left.trailing_zeros() as usize;
            left &= left - 1;
            let bytes = if ignore >> i & 1 != 0 {
                0
            } else {
                u64::from(count[i]).min(size)
            };
            let mut data = [0u8; 16];
            if bytes > 0 {
                if ctx.launch.checked {
                    check::range(ctx, space::GENERIC, i as u32, from[i], bytes, Touch::Read);
                    if ctx.fault.is_some() {
                        return Flow::Fault;
                    }
                }
                let Some(host) = resolve(ctx, None, space::GENERIC, i as u32, from[i], size, false)
                else {
                    return Flow::Fault;
                };
                copy_in(&mut data, host, bytes);
            }
            let Some(host) = resolve(ctx, None, space::SHARED, i as u32, to[i], size, true) else {
                return Flow::Fault;
            };
            if ctx.launch.checked {
                check::range(ctx, space::SHARED, i as u32, to[i], size, Touch::Write);
                if ctx.fault.is_some() {
                    return Flow::Fault;
                }
            }
            copy_out(&data, host, size);
        }
    }
    Flow::Next
}
