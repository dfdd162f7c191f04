//! Vectors of eight 32-bit integers.
//!
//! LLVM vectorizes loops over arrays well only if they stand alone. Inside other loops it
//! vectorizes the wrong one.

use super::fused::Line;

pub(super) trait Vector: Copy {
    fn load(from: &Line<i32>) -> Self;
    fn store(self, to: &mut Line<i32>);
    fn splat(x: i32) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;
    /// Returns the low bits of the product.
    fn mul(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    /// All ones if equal, otherwise zero.
    fn equal(self, other: Self) -> Self;
    /// Shifts in zeros. The shift count is a constant at every use.
    fn left(self, by: u32) -> Self;
    fn right(self, by: u32) -> Self;
    /// Applies the sign of the other number to this one.
    fn negated_as(self, other: Self) -> Self;
    /// Shifts right by each count, rounding towards zero. Counts of 32 or more give zero.
    fn cut(self, by: Self) -> Self;
}

/// For any processor.
#[derive(Clone, Copy)]
pub(super) struct Plain(Line<i32>);

impl Plain {
    #[inline(always)]
    fn each(self, other: Self, f: impl Fn(i32, i32) -> i32) -> Self {
        let mut out = self.0;
        for (x, y) in out.iter_mut().zip(other.0) {
            *x = f(*x, y);
        }
        Plain(out)
    }
}

impl Vector for Plain {
    #[inline(always)]
    fn load(from: &Line<i32>) -> Self {
        Plain(*from)
    }
    #[inline(always)]
    fn store(self, to: &mut Line<i32>) {
        *to = self.0;
    }
    #[inline(always)]
    fn splat(x: i32) -> Self {
        Plain([x; 8])
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.each(other, i32::wrapping_add)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.each(other, i32::wrapping_sub)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.each(other, i32::max)
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.each(other, i32::wrapping_mul)
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.each(other, |a, b| a & b)
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self.each(other, |a, b| a | b)
    }
    #[inline(always)]
    fn equal(self, other: Self) -> Self {
        self.each(other, |a, b| -i32::from(a == b))
    }
    #[inline(always)]
    fn left(self, by: u32) -> Self {
        self.each(self, |a, _| a << by)
    }
    #[inline(always)]
    fn right(self, by: u32) -> Self {
        self.each(self, |a, _| (a as u32 >> by) as i32)
    }
    #[inline(always)]
    fn negated_as(self, other: Self) -> Self {
        self.each(other, |a, b| if b < 0 { a.wrapping_neg() } else { a })
    }
    #[inline(always)]
    fn cut(self, by: Self) -> Self {
        self.each(by, |x, by| {
            let sign = x >> 31;
            let magnitude = (x ^ sign) - sign;
            ((magnitude >> by.min(31)) ^ sign) - sign
        })
    }
}

/// For AVX2.
#[cfg(target_arch = "x86_64")]
pub(super) mod wide {
    use std::arch::x86_64::*;

    use super::{Line, Vector};

    /// Created only in functions for AVX2.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Wide(__m256i);

    macro_rules! wide {
        ($($name:ident($($arg:ident),*) = $e:expr;)*) => {$(
            #[inline(always)]
            fn $name(self $(, $arg: Self)*) -> Self {
                // SAFETY: the processor has AVX2, as guaranteed by the existence of the value.
                Wide(unsafe { $e(self.0 $(, $arg.0)*) })
            }
        )*};
    }

    impl Vector for Wide {
        #[inline(always)]
        fn load(from: &Line<i32>) -> Self {
            // SAFETY: eight integers are read, and the processor has AVX2 if this type is chosen.
            Wide(unsafe { _mm256_loadu_si256(from.as_ptr().cast()) })
        }
        #[inline(always)]
        fn store(self, to: &mut Line<i32>) {
            // SAFETY: eight integers are written, and the processor has AVX2, as guaranteed by the
            // existence of the value.
            unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), self.0) }
        }
        #[inline(always)]
        fn splat(x: i32) -> Self {
            // SAFETY: the processor has AVX2 if this type is chosen.
            Wide(unsafe { _mm256_set1_epi32(x) })
        }
        wide! {
            add(other) = _mm256_add_epi32;
            sub(other) = _mm256_sub_epi32;
            max(other) = _mm256_max_epi32;
            mul(other) = _mm256_mullo_epi32;
            and(other) = _mm256_and_si256;
            or(other) = _mm256_or_si256;
            equal(other) = _mm256_cmpeq_epi32;
        }
        #[inline(always)]
        fn left(self, by: u32) -> Self {
            // SAFETY: the processor has AVX2, as guaranteed by the existence of the value.
            Wide(unsafe { _mm256_sllv_epi32(self.0, _mm256_set1_epi32(by as i32)) })
        }
        #[inline(always)]
        fn right(self, by: u32) -> Self {
            // SAFETY: the processor has AVX2, as guaranteed by the existence of the value.
            Wide(unsafe { _mm256_srlv_epi32(self.0, _mm256_set1_epi32(by as i32)) })
        }
        #[inline(always)]
        fn negated_as(self, other: Self) -> Self {
            // SAFETY: the processor has AVX2, as guaranteed by the existence of the value.
            Wide(unsafe {
                // A zero would give zeros.
                let sign = _mm256_or_si256(other.0, _mm256_set1_epi32(1));
                _mm256_sign_epi32(self.0, sign)
            })
        }
        #[inline(always)]
        fn cut(self, by: Self) -> Self {
            // SAFETY: the processor has AVX2, as guaranteed by the existence of the value.
            Wide(unsafe {
                let magnitude = _mm256_srlv_epi32(_mm256_abs_epi32(self.0), by.0);
                _mm256_sign_epi32(magnitude, self.0)
            })
        }
    }
}
