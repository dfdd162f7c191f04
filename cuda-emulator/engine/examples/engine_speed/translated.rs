//! Two kernels translated by hand, as a compiler would that keeps the emulator's guarantees: every
//! address is checked, NaNs follow PTX, lanes may diverge, and slices end. This is the maximum
//! speed of a compiler back end.
//!
//! Each is compiled twice: for 256-bit vectors, which LLVM supports, and for 128-bit vectors, which
//! Cranelift supports.

use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering};

type Lanes<T> = [T; 32];

/// The vector widths that a translation is compiled for.
#[derive(Clone, Copy, Debug)]
pub enum Width {
    Bits128,
    Bits256,
}

pub const WIDTHS: [Width; 2] = [Width::Bits128, Width::Bits256];

/// Compiles a body for both widths.
macro_rules! both {
    ($name:ident = $body:ident($($arg:ident: $ty:ty),*) -> $out:ty) => {
        /// Runs the kernel. Panics on a processor without AVX2.
        pub fn $name(width: Width, $($arg: $ty),*) -> $out {
            #[target_feature(enable = "sse4.1")]
            fn narrow($($arg: $ty),*) -> $out { $body($($arg),*) }
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
            fn wide($($arg: $ty),*) -> $out { $body($($arg),*) }
            assert!(std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma"));
            match width {
                // SAFETY: the processor has AVX2, so it has SSE4.1.
                Width::Bits128 => unsafe { narrow($($arg),*) },
                // SAFETY: checked above. The other features are older than AVX2.
                Width::Bits256 => unsafe { wide($($arg),*) },
            }
        }
    };
}

/// PTX's arithmetic has a single NaN.
#[inline(always)]
fn quiet(x: f32) -> f32 {
    if x.is_nan() {
        f32::from_bits(0x7fff_ffff)
    } else {
        x
    }
}

#[inline(always)]
fn below(a: &Lanes<u32>, n: u32) -> u32 {
    let mut bits = [0; 32];
    for i in 0..32 {
        bits[i] = u32::from(a[i] < n) << i;
    }
    bits.iter().fold(0, |all, bit| all | bit)
}

/// Called if the lanes diverge. A compiler would have to call the interpreter here.
#[cold]
#[inline(never)]
fn part(mask: u32) {
    black_box(mask);
}

#[inline(always)]
fn integers_body(warps: u32, n: u32) -> u64 {
    let mut executed = 0;
    for _ in 0..warps {
        let mut r1: Lanes<u32> = std::array::from_fn(|i| i as u32);
        // The compiler must not know that all lanes are equal.
        let mut r2: Lanes<u32> = black_box([0; 32]);
        let mut budget = 8192;
        loop {
            for i in 0..32 {
                let x = r1[i].wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let x = ((x ^ r2[i]) << 3).wrapping_add(x);
                r1[i] = x.wrapping_sub(x & 65535);
                r2[i] = r2[i].wrapping_add(1);
            }
            executed += 9;
            let mask = below(&r2, n);
            if mask == 0 {
                break;
            }
            if mask != u32::MAX {
                part(mask);
                break;
            }
            budget -= 1;
            if budget < 0 {
                part(0);
                budget = 8192;
            }
        }
        black_box(&mut r1);
        executed += 6;
    }
    executed
}

both!(integers = integers_body(warps: u32, n: u32) -> u64);

/// Memory that the kernel may read: the region that the interpreter caches for each instruction.
#[derive(Clone, Copy)]
pub struct Region {
    pub first: u64,
    pub end: u64,
}

/// Returns the first lane's address if the addresses of all lanes are consecutive and in the
/// region.
#[inline(always)]
fn run(addresses: &Lanes<u64>, region: Region) -> Option<u64> {
    let mut steps = 0;
    for (i, address) in addresses.iter().enumerate() {
        steps |= address ^ (addresses[0] + 4 * i as u64);
    }
    let (low, high) = (addresses[0], addresses[31]);
    (steps == 0
        && low.is_multiple_of(4)
        && low >= region.first
        && high + 4 <= region.end
        && low <= high)
        .then_some(low)
}

#[inline(always)]
fn one(address: u64, region: Region) -> u64 {
    assert!(address.is_multiple_of(4) && address >= region.first && address + 4 <= region.end);
    address
}

#[inline(always)]
fn sum_body(grid: u32, out: &AtomicU32, input: Region, n: u32) {
    let mut shared = [0f32; 256];
    let window = shared.as_mut_ptr() as u64;
    let window = Region {
        first: window,
        end: window + 1024,
    };
    for block in 0..grid {
        for w in 0..8 {
            let mut index: Lanes<u32> = std::array::from_fn(|i| block * 256 + w * 32 + i as u32);
            let mut total = [0f32; 32];
            let mut mask = below(&index, n);
            while mask != 0 {
                let addresses: Lanes<u64> =
                    std::array::from_fn(|i| input.first + 4 * u64::from(index[i]));
                if mask == u32::MAX
                    && let Some(start) = run(&addresses, input)
                {
                    // SAFETY: these are 128 bytes of the region, as checked above.
                    let values = unsafe { (start as *const Lanes<f32>).read_unaligned() };
                    for i in 0..32 {
                        total[i] = quiet(total[i] + values[i]);
                    }
                } else {
                    for i in (0..32).filter(|i| mask >> i & 1 != 0) {
                        // SAFETY: checked above.
                        let value = unsafe { (one(addresses[i], input) as *const f32).read() };
                        total[i] = quiet(total[i] + value);
                    }
                }
                for i in &mut index {
                    *i = i.wrapping_add(grid * 256);
                }
                mask &= below(&index, n);
            }
            let addresses: Lanes<u64> =
                std::array::from_fn(|i| window.first + 4 * (u64::from(w) * 32 + i as u64));
            let start = run(&black_box(addresses), window).expect("it fits");
            // SAFETY: these are 128 bytes of the shared memory, as checked above.
            unsafe { (start as *mut Lanes<f32>).write_unaligned(total) };
        }
        // Each barrier ends a loop over the warps.
        for k in [128u32, 64, 32, 16, 8, 4, 2, 1] {
            for w in 0..8u32 {
                let threads: Lanes<u32> = black_box(std::array::from_fn(|i| w * 32 + i as u32));
                let mask = below(&threads, k);
                if mask == 0 {
                    continue;
                }
                let addresses = |offset: u32| -> Lanes<u64> {
                    std::array::from_fn(|i| window.first + 4 * u64::from(threads[i] + offset))
                };
                if mask == u32::MAX {
                    let from = run(&addresses(k), window).expect("it fits");
                    let to = run(&addresses(0), window).expect("it fits");
                    // SAFETY: checked above.
                    let (a, b) = unsafe {
                        (
                            (from as *const Lanes<f32>).read_unaligned(),
                            (to as *const Lanes<f32>).read_unaligned(),
                        )
                    };
                    let sums: Lanes<f32> = std::array::from_fn(|i| quiet(a[i] + b[i]));
                    // SAFETY: checked above.
                    unsafe { (to as *mut Lanes<f32>).write_unaligned(sums) };
                } else {
                    for i in (0..32).filter(|i| mask >> i & 1 != 0) {
                        let to = one(addresses(0)[i], window) as *mut f32;
                        let from = one(addresses(k)[i], window) as *const f32;
                        // SAFETY: checked above.
                        unsafe { *to = quiet(*to + *from) };
                    }
                }
            }
        }
        let add = black_box(&shared)[0];
        let _ = out.fetch_update(Ordering::SeqCst, Ordering::Relaxed, |old| {
            Some(quiet(f32::from_bits(old) + add).to_bits())
        });
    }
}

both!(sum = sum_body(grid: u32, out: &AtomicU32, input: Region, n: u32) -> ());
