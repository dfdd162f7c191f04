//! Transfers of values between memory, which other threads may access, and registers.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

use crate::memory::sixteen;
#[cfg(all(target_arch = "x86_64", not(cuda_emulator_tsan)))]
use crate::state::op::LANES;

/// A value in memory. Accesses are relaxed atomics, since other threads may access the same bytes.
pub(crate) trait Mem: Copy {
    /// # Safety
    ///
    /// The caller must have checked that the access is to live, aligned memory.
    unsafe fn load(at: u64) -> Self;
    /// # Safety
    ///
    /// The caller must meet the conditions of [`load`](Mem::load).
    unsafe fn store(self, at: u64);

    /// The same as [`load`](Mem::load), but 16 bytes are also one access. `W` means that the
    /// processor has AVX2.
    ///
    /// # Safety
    ///
    /// The caller must meet the conditions of [`load`](Mem::load).
    #[inline(always)]
    unsafe fn load_whole<const W: bool>(at: u64) -> Self {
        // SAFETY: guaranteed by the caller.
        unsafe { Self::load(at) }
    }

    /// The same as [`store`](Mem::store), but 16 bytes are also one access.
    ///
    /// # Safety
    ///
    /// The caller must meet the conditions of [`load`](Mem::load).
    #[inline(always)]
    unsafe fn store_whole<const W: bool>(self, at: u64) {
        // SAFETY: guaranteed by the caller.
        unsafe { self.store(at) }
    }
}

macro_rules! mem {
    ($($t:ty, $u:ty, $atomic:ty;)*) => {$(
        impl Mem for $t {
            #[inline(always)]
            unsafe fn load(at: u64) -> $t {
                // SAFETY: the access was checked: live memory, aligned.
                unsafe { (*(at as *const $atomic)).load(Relaxed) as $t }
            }
            #[inline(always)]
            unsafe fn store(self, at: u64) {
                // SAFETY: as in `load`.
                unsafe { (*(at as *const $atomic)).store(self as $u, Relaxed) }
            }
        }
    )*};
}

mem! {
    u8, u8, AtomicU8;
    i8, u8, AtomicU8;
    u16, u16, AtomicU16;
    i16, u16, AtomicU16;
    u32, u32, AtomicU32;
    i32, u32, AtomicU32;
    u64, u64, AtomicU64;
}

impl Mem for u128 {
    #[inline(always)]
    unsafe fn load(at: u64) -> u128 {
        // SAFETY: guaranteed by the caller. 16 bytes are two parts of 8.
        unsafe { u128::from(u64::load(at)) | u128::from(u64::load(at + 8)) << 64 }
    }
    #[inline(always)]
    unsafe fn store(self, at: u64) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            (self as u64).store(at);
            ((self >> 64) as u64).store(at + 8);
        }
    }
    #[inline(always)]
    unsafe fn load_whole<const W: bool>(at: u64) -> u128 {
        // SAFETY: guaranteed by the caller.
        unsafe { sixteen::load::<W>(at) }
    }
    #[inline(always)]
    unsafe fn store_whole<const W: bool>(self, at: u64) {
        // SAFETY: guaranteed by the caller.
        unsafe { sixteen::store::<W>(at, self) }
    }
}

/// Widens a loaded value to the type of the register.
pub(crate) trait Widen<D> {
    fn widen(self) -> D;
}

macro_rules! widen {
    ($($t:ty => $($d:ty),*;)*) => {$($(
        impl Widen<$d> for $t {
            #[inline(always)]
            fn widen(self) -> $d { self as $d }
        }
    )*)*};
}

widen! {
    u8 => u32, u64;
    i8 => u32, u64;
    u16 => u32, u64;
    i16 => u32, u64;
    u32 => u8, u16, u32, u64;
    i32 => u64;
    u64 => u8, i8, u16, i16, u32, i32, u64;
    u128 => u128;
}

/// Copies the elements of all lanes between memory that other threads may access and a register.
/// `bytes` is a multiple of 128. `W` means that the processor has AVX2.
///
/// Elements have up to 8 bytes. Processors document that an aligned access of up to 8 bytes is one
/// access, but not for parts of a vector move. In practice, all processors move vectors in aligned
/// parts of at least 8 bytes.
#[inline(always)]
pub(crate) unsafe fn copy_run<const W: bool>(from: u64, to: u64, bytes: usize) {
    // Assembly, since a racing plain copy would be undefined behavior in Rust, and 32 single atomic
    // loads are slower.
    #[cfg(all(target_arch = "x86_64", not(cuda_emulator_tsan)))]
    // SAFETY: guaranteed by the caller. The code changes only the named registers.
    unsafe {
        if W {
            return copy_wide(from, to, bytes);
        }
        std::arch::asm!(
            "2:",
            "movups {a}, [{from}]",
            "movups {b}, [{from} + 16]",
            "movups {c}, [{from} + 32]",
            "movups {d}, [{from} + 48]",
            "movups [{to}], {a}",
            "movups [{to} + 16], {b}",
            "movups [{to} + 32], {c}",
            "movups [{to} + 48], {d}",
            "add {from}, 64",
            "add {to}, 64",
            "sub {n}, 64",
            "jnz 2b",
            from = inout(reg) from => _,
            to = inout(reg) to => _,
            n = inout(reg) bytes => _,
            a = out(xmm_reg) _,
            b = out(xmm_reg) _,
            c = out(xmm_reg) _,
            d = out(xmm_reg) _,
            options(nostack)
        );
    }
    #[cfg(not(all(target_arch = "x86_64", not(cuda_emulator_tsan))))]
    for i in (0..bytes as u64).step_by(4) {
        // SAFETY: both ends are valid for `bytes` and aligned to 4.
        unsafe { u32::load(from + i).store(to + i) }
    }
}

/// The same as [`copy_run`] with wide registers. It does not use the instructions above, which
/// stall while wide registers are in use.
#[cfg(all(target_arch = "x86_64", not(cuda_emulator_tsan)))]
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn copy_wide(from: u64, to: u64, bytes: usize) {
    // SAFETY: both ends are valid for `bytes`, a multiple of 128. The code changes only the named
    // registers.
    unsafe {
        std::arch::asm!(
            "2:",
            "vmovups {a}, [{from}]",
            "vmovups {b}, [{from} + 32]",
            "vmovups {c}, [{from} + 64]",
            "vmovups {d}, [{from} + 96]",
            "vmovups [{to}], {a}",
            "vmovups [{to} + 32], {b}",
            "vmovups [{to} + 64], {c}",
            "vmovups [{to} + 96], {d}",
            "add {from}, 128",
            "add {to}, 128",
            "sub {n}, 128",
            "jnz 2b",
            from = inout(reg) from => _,
            to = inout(reg) to => _,
            n = inout(reg) bytes => _,
            a = out(ymm_reg) _,
            b = out(ymm_reg) _,
            c = out(ymm_reg) _,
            d = out(ymm_reg) _,
            options(nostack)
        );
    }
}

/// Returns whether [`load_some`] and [`store_some`] are available.
pub(crate) const fn masked<const W: bool>(size: usize) -> bool {
    W && size == 4 && cfg!(all(target_arch = "x86_64", not(cuda_emulator_tsan)))
}

/// The left shift that moves a lane's bit to the sign.
#[cfg(all(target_arch = "x86_64", not(cuda_emulator_tsan)))]
static TO_SIGN: [u32; LANES] = {
    let mut shifts = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        shifts[lane] = 31 - lane as u32;
        lane += 1;
    }
    shifts
};

/// Copies the 4-byte elements of the lanes of the mask from memory to a register.
///
/// # Safety
///
/// The caller must ensure that:
///
/// - the processor has AVX2;
/// - the memory is valid for those lanes;
/// - the register is valid for all lanes.
#[cfg(all(target_arch = "x86_64", not(cuda_emulator_tsan)))]
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn load_some(from: u64, to: u64, mask: u32) {
    // SAFETY: guaranteed by the caller. Masked-off elements of `from` are not accessed.
    unsafe {
        std::arch::asm!(
            "vmovd {all:x}, {mask:e}",
            "vpbroadcastd {all}, {all:x}",
            "2:",
            "vpsllvd {some}, {all}, [{shifts} + {n}]",
            "vpmaskmovd {new}, {some}, [{from} + {n}]",
            "vmovups {old}, [{to} + {n}]",
            "vblendvps {new}, {old}, {new}, {some}",
            "vmovups [{to} + {n}], {new}",
            "add {n}, 32",
            "cmp {n}, 128",
            "jne 2b",
            from = in(reg) from,
            to = in(reg) to,
            shifts = in(reg) &raw const TO_SIGN,
            mask = in(reg) mask,
            n = inout(reg) 0u64 => _,
            all = out(ymm_reg) _,
            some = out(ymm_reg) _,
            new = out(ymm_reg) _,
            old = out(ymm_reg) _,
            options(nostack)
        );
    }
}

/// Copies the 4-byte elements of the lanes of the mask from a register to memory.
///
/// # Safety
///
/// The caller must meet the conditions of [`load_some`].
#[cfg(all(target_arch = "x86_64", not(cuda_emulator_tsan)))]
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn store_some(from: u64, to: u64, mask: u32) {
    // SAFETY: guaranteed by the caller. Masked-off elements of `to` are not accessed.
    unsafe {
        std::arch::asm!(
            "vmovd {all:x}, {mask:e}",
            "vpbroadcastd {all}, {all:x}",
            "2:",
            "vpsllvd {some}, {all}, [{shifts} + {n}]",
            "vmovups {new}, [{from} + {n}]",
            "vpmaskmovd [{to} + {n}], {some}, {new}",
            "add {n}, 32",
            "cmp {n}, 128",
            "jne 2b",
            from = in(reg) from,
            to = in(reg) to,
            shifts = in(reg) &raw const TO_SIGN,
            mask = in(reg) mask,
            n = inout(reg) 0u64 => _,
            all = out(ymm_reg) _,
            some = out(ymm_reg) _,
            new = out(ymm_reg) _,
            options(nostack)
        );
    }
}

#[cfg(not(all(target_arch = "x86_64", not(cuda_emulator_tsan))))]
pub(crate) unsafe fn load_some(_: u64, _: u64, _: u32) {
    unreachable!("see masked()")
}

#[cfg(not(all(target_arch = "x86_64", not(cuda_emulator_tsan))))]
pub(crate) unsafe fn store_some(_: u64, _: u64, _: u32) {
    unreachable!("see masked()")
}
