//! Atomic read-modify-write of memory.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering};

use super::SHARED_WINDOW;
use super::lanes::{Reg, each};
use super::memory::{Mem, Touch, access, space};
use super::state::{Ctx, Exec, Flow, Op};
use crate::lock::Unpoisoned;

/// A type that memory can be updated with as a whole.
pub(super) trait Memory: Mem + PartialEq {
    /// Replaces the value by `f` of it; the old one.
    ///
    /// # Safety
    /// `at` is live, aligned memory of this size.
    unsafe fn update(at: u64, f: impl Fn(Self) -> Self) -> Self;
}

macro_rules! memory {
    ($($t:ty, $atomic:ty;)*) => {$(
        impl Memory for $t {
            #[inline(always)]
            unsafe fn update(at: u64, f: impl Fn($t) -> $t) -> $t {
                // SAFETY: as the caller promises.
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

/// Orders the 16-byte atomics among each other.
static SIXTEEN: Mutex<()> = Mutex::new(());

impl Memory for u128 {
    unsafe fn update(at: u64, f: impl Fn(u128) -> u128) -> u128 {
        let _guard = SIXTEEN.lock().unpoisoned();
        // SAFETY: as the caller promises.
        unsafe {
            let old = u128::load(at);
            f(old).store(at);
            old
        }
    }
}

/// `x` of an instruction that doesn't look at what was there.
pub(super) const EXCHANGE: u32 = 1;

/// `d = [a + imm]; [a + imm] = f(d, b, c, shared)`, where `shared` says that the address is in shared memory
pub(super) fn update<
    A: Reg + 'static,
    T: Memory + Reg + 'static,
    F: Fn(T, T, T, bool) -> T + Copy + 'static,
    const S: u8,
>(
    _: F,
) -> Exec
where
    A::Slot: Into<u64>,
{
    unsafe fn run<A: Reg, T: Memory + Reg, F: Fn(T, T, T, bool) -> T + Copy, const S: u8>(
        ctx: &mut Ctx<'_>,
        op: &Op,
        mask: u32,
    ) -> Flow
    where
        A::Slot: Into<u64>,
    {
        let f = super::lanes::summon::<F>();
        // SAFETY: the operands are registers of these types by the lowering; the access is checked.
        unsafe {
            let touch = if op.x == EXCHANGE {
                Touch::Exchange
            } else {
                Touch::Atomic
            };
            let Some(access) = access::<A, S>(ctx, op, mask, size_of::<T>() as u64, touch) else {
                return Flow::Fault;
            };
            let (b, c) = (ctx.at::<T::Slot>(op.b), ctx.at::<T::Slot>(op.c));
            let d = ctx.at::<T::Slot>(op.d);
            let addresses = ctx.at::<A::Slot>(op.a);
            each(mask, |i| {
                let shared = S == space::SHARED
                    || S == space::GENERIC
                        && (*addresses.add(i)).into().wrapping_add(op.imm) >> 60
                            == SHARED_WINDOW >> 60;
                let (b, c) = (T::get(*b.add(i)), T::get(*c.add(i)));
                let old = T::update(access.hosts[i], |old| f(old, b, c, shared));
                *d.add(i) = old.put();
            });
        }
        Flow::Next
    }
    run::<A, T, F, S>
}
