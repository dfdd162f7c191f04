//! Sums on the CPU.

use rayon::prelude::*;

use super::for_this_processor;

/// Returns the sum, added element by element. The compiler must keep this order.
#[must_use]
pub fn sum_plain(data: &[f32]) -> f32 {
    let mut sum = 0.0;
    for value in data {
        sum += value;
    }
    sum
}

for_this_processor! {
    /// Returns the sum, computed on one thread with enough partial sums to keep its vector units
    /// busy.
    #[must_use]
    pub fn sum_vectorised(data: &[f32]) -> f32 = lanes
}

/// Returns the sum, computed on all cores with [`sum_vectorised`] on each.
#[must_use]
pub fn sum_parallel(data: &[f32]) -> f32 {
    // Large enough that the cost of passing a piece to a thread is negligible.
    const PIECE: usize = 1 << 18;
    if data.len() <= PIECE {
        return sum_vectorised(data);
    }
    data.par_chunks(PIECE).map(sum_vectorised).sum()
}

/// Returns the sum in `f64`, computed on all cores in a fixed order. Its error is negligible
/// compared to the rounding of any `f32` sum.
#[must_use]
pub fn sum_reference(data: &[f32]) -> f64 {
    let pieces: Vec<f64> = data
        .par_chunks(1 << 16)
        .map(|piece| piece.iter().map(|&value| f64::from(value)).sum())
        .collect();
    pieces.iter().sum()
}

/// Adds with 64 partial sums, which fill eight AVX2 registers.
#[inline(always)]
fn lanes<const FUSED: bool>(data: &[f32]) -> f32 {
    const LANES: usize = 64;
    let mut sums = [0.0f32; LANES];
    let (whole, rest) = data.as_chunks::<LANES>();
    for chunk in whole {
        for (sum, value) in sums.iter_mut().zip(chunk) {
            *sum += value;
        }
    }
    for (sum, value) in sums.iter_mut().zip(rest) {
        *sum += value;
    }
    let mut width = LANES / 2;
    while width > 0 {
        for i in 0..width {
            sums[i] += sums[i + width];
        }
        width /= 2;
    }
    sums[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(len: usize) -> Vec<f32> {
        let mut state = 1u32;
        (0..len)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 8) as f32 / (1 << 24) as f32 - 0.3
            })
            .collect()
    }

    #[test]
    fn all_sums_agree_with_the_reference() {
        for len in [
            0,
            1,
            3,
            63,
            64,
            65,
            1000,
            (1 << 18) - 1,
            (1 << 18) + 1,
            1 << 20,
        ] {
            let data = data(len);
            let reference = sum_reference(&data);
            let absolute: f64 = data.iter().map(|value| f64::from(value.abs())).sum();
            for (name, sum, bound) in [
                ("plain", sum_plain(&data), 1e-4),
                ("vectorised", sum_vectorised(&data), 2e-6),
                ("parallel", sum_parallel(&data), 2e-6),
            ] {
                let error = (f64::from(sum) - reference).abs();
                assert!(error <= bound * absolute, "{name} of {len}: off by {error}");
            }
        }
    }

    #[test]
    fn sums_propagate_nan_and_infinity() {
        let mut data = data(1000);
        data[777] = f32::INFINITY;
        assert_eq!(sum_vectorised(&data), f32::INFINITY);
        data[3] = f32::NAN;
        assert!(sum_plain(&data).is_nan());
        assert!(sum_vectorised(&data).is_nan());
        assert!(sum_parallel(&data).is_nan());
        assert!(sum_reference(&data).is_nan());
    }
}
