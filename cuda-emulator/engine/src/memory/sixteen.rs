//! Accesses of 16 bytes as a single access.
//!
//! Intel and AMD document that on processors with AVX, an aligned move of 16 bytes (`vmovdqa` and
//! similar instructions) is one access, and that `cmpxchg16b` is an update that is ordered with
//! such moves. The wide code, which needs AVX2, uses this. Otherwise a lock makes accesses of 16
//! bytes atomic among each other. Older processors may move a vector in two halves, and reading
//! with `cmpxchg16b` would need writable memory.

use std::sync::{Mutex, MutexGuard};

use crate::lock::Unpoisoned;
use crate::memory::transfer::Mem;

/// Returns whether the processor supports this. The result is the same for the whole process, since
/// all accesses must agree.
fn hardware() -> bool {
    cfg!(all(target_arch = "x86_64", not(cuda_emulator_tsan))) && crate::state::op::wide()
}

/// Returns the lock for an address.
#[cold]
fn lock(at: u64) -> MutexGuard<'static, ()> {
    static LOCKS: [Mutex<()>; 64] = [const { Mutex::new(()) }; 64];
    LOCKS[(at >> 4) as usize % LOCKS.len()].lock().unpoisoned()
}

/// Reads 16 bytes. `W` means that the processor has AVX2.
///
/// # Safety
///
/// The caller must ensure that `at` is live memory, aligned to 16.
#[inline(always)]
pub(crate) unsafe fn load<const W: bool>(at: u64) -> u128 {
    #[cfg(all(target_arch = "x86_64", not(cuda_emulator_tsan)))]
    if W {
        let value: std::arch::x86_64::__m128i;
        // SAFETY: guaranteed by the caller. Only the register changes.
        unsafe {
            std::arch::asm!(
                "vmovdqa {value}, [{at}]",
                at = in(reg) at,
                value = out(xmm_reg) value,
                options(nostack, readonly, preserves_flags)
            );
            return std::mem::transmute::<std::arch::x86_64::__m128i, u128>(value);
        }
    }
    // SAFETY: guaranteed by the caller.
    unsafe { load_locked(at) }
}

/// Writes 16 bytes.
///
/// # Safety
///
/// The caller must meet the conditions of [`load`].
#[inline(always)]
pub(crate) unsafe fn store<const W: bool>(at: u64, value: u128) {
    #[cfg(all(target_arch = "x86_64", not(cuda_emulator_tsan)))]
    if W {
        // SAFETY: guaranteed by the caller. Only the memory changes.
        unsafe {
            std::arch::asm!(
                "vmovdqa [{at}], {value}",
                at = in(reg) at,
                value = in(xmm_reg) std::mem::transmute::<u128, std::arch::x86_64::__m128i>(value),
                options(nostack, preserves_flags)
            );
            return;
        }
    }
    // SAFETY: guaranteed by the caller.
    unsafe { store_locked(at, value) }
}

/// The same as [`load`] for an unknown processor.
///
/// # Safety
///
/// The caller must meet the conditions of [`load`].
pub(crate) unsafe fn read(at: u64) -> u128 {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if hardware() {
            load::<true>(at)
        } else {
            load::<false>(at)
        }
    }
}

/// The same as [`store`] for an unknown processor.
///
/// # Safety
///
/// The caller must meet the conditions of [`load`].
pub(crate) unsafe fn write(at: u64, value: u128) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if hardware() {
            store::<true>(at, value);
        } else {
            store::<false>(at, value);
        }
    }
}

#[inline(never)]
unsafe fn load_locked(at: u64) -> u128 {
    let _guard = lock(at);
    // SAFETY: guaranteed by the caller.
    unsafe { u128::load(at) }
}

#[inline(never)]
unsafe fn store_locked(at: u64, value: u128) {
    let _guard = lock(at);
    // SAFETY: guaranteed by the caller.
    unsafe { value.store(at) }
}

/// Replaces 16 bytes by `f(bytes)`. Returns the old bytes.
///
/// # Safety
///
/// The caller must meet the conditions of [`load`].
pub(crate) unsafe fn update(at: u64, f: impl Fn(u128) -> u128) -> u128 {
    #[cfg(all(target_arch = "x86_64", not(cuda_emulator_tsan)))]
    if hardware() {
        // SAFETY: guaranteed by the caller. A processor with AVX2 has both instructions.
        unsafe {
            let mut old = load::<true>(at);
            loop {
                let now = exchange(at, old, f(old));
                if now == old {
                    return old;
                }
                old = now;
            }
        }
    }
    debug_assert!(!hardware());
    let _guard = lock(at);
    // SAFETY: guaranteed by the caller.
    unsafe {
        let old = u128::load(at);
        f(old).store(at);
        old
    }
}

/// `cmpxchg16b`. Returns the old value.
///
/// # Safety
///
/// The caller must meet the conditions of [`load`], and the processor must have the instruction.
#[cfg(all(target_arch = "x86_64", not(cuda_emulator_tsan)))]
#[inline]
unsafe fn exchange(at: u64, old: u128, new: u128) -> u128 {
    let (low, high): (u64, u64);
    // SAFETY: guaranteed by the caller. The compiler reserves `rbx`, so it is restored.
    unsafe {
        std::arch::asm!(
            "xchg rbx, rsi",
            "lock cmpxchg16b [rdi]",
            "mov rbx, rsi",
            in("rdi") at,
            inout("rsi") new as u64 => _,
            in("rcx") (new >> 64) as u64,
            inout("rax") old as u64 => low,
            inout("rdx") (old >> 64) as u64 => high,
            options(nostack)
        );
    }
    u128::from(low) | u128::from(high) << 64
}
