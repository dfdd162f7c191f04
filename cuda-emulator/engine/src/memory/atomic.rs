//! Atomic read-modify-write operations.

use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering};

use crate::lanes::arithmetic::Reg;
use crate::memory::cluster::is_peer;
use crate::memory::reach::Reach;
use crate::memory::resolve::Mem;
use crate::state::context::Ctx;
use crate::state::op::each;
use crate::state::op::{Exec, Flow, Op};

/// A type that can be updated in memory in one step.
pub(crate) trait Memory: Mem + PartialEq {
    /// Replaces the value by `f(value)`. Returns the old value.
    ///
    /// # Safety
    ///
    /// The caller must ensure that `at` is live, aligned memory of this size.
    unsafe fn update(at: u64, f: impl Fn(Self) -> Self) -> Self;
}

macro_rules! memory {
    ($($t:ty, $atomic:ty;)*) => {$(
        impl Memory for $t {
            #[inline(always)]
            unsafe fn update(at: u64, f: impl Fn($t) -> $t) -> $t {
                // SAFETY: guaranteed by the caller.
                let cell = unsafe { &*(at as *const $atomic) };
                let mut old = cell.load(Ordering::Relaxed);
                loop {
                    match cell.compare_exchange_weak(old, f(old), Ordering::SeqCst, Ordering::Relaxed) {
                        Ok(_) => return old,
                        Err(now) => old = now,
                    }
                }
            }
        }
    )*};
}

memory! {
    u16, AtomicU16;
    u32, AtomicU32;
    u64, AtomicU64;
}

impl Memory for u128 {
    unsafe fn update(at: u64, f: impl Fn(u128) -> u128) -> u128 {
        // SAFETY: guaranteed by the caller.
        unsafe { crate::memory::sixteen::update(at, f) }
    }
}

/// `d = [a + imm]; [a + imm] = f(d, b, c, shared)`. `x` selects the addressing. `shared`
/// is true for addresses in shared memory.
pub(crate) const fn update<
    T: Memory + Reg + 'static,
    F: Fn(T, T, T, bool) -> T + Copy + 'static,
>(
    _: F,
) -> Exec {
    unsafe fn run<T: Memory + Reg, F: Fn(T, T, T, bool) -> T + Copy>(
        ctx: &mut Ctx<'_>,
        op: &Op,
        mask: u32,
    ) -> Flow {
        let f = crate::lanes::arithmetic::summon::<F>();
        let reach = Reach::decode(op.x);
        // SAFETY: the operands are registers of these types, as lowered, and the access is checked.
        unsafe {
            let Some(access) = reach.access(ctx, op, mask, size_of::<T>() as u64, reach.update())
            else {
                return Flow::Fault;
            };
            let (b, c) = (ctx.at::<T::Slot>(op.b), ctx.at::<T::Slot>(op.c));
            let d = ctx.at::<T::Slot>(op.d);
            let (base, size) = (ctx.shared as u64, ctx.shared_size);
            each(mask, |i| {
                let host = access.hosts[i];
                let (b, c) = (T::get(*b.add(i)), T::get(*c.add(i)));
                // Most operations ignore this flag, so their code omits the computation.
                let shared = host.wrapping_sub(base) < size || is_peer(ctx, host);
                let old = T::update(host, |old| f(old, b, c, shared));
                *d.add(i) = old.put();
            });
        }
        Flow::Next
    }
    run::<T, F>
}
