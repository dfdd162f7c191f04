//! The same work on the CPU, to check results and compare times.

use std::thread;

use super::filter::Filter;

/// Returns the sum in float64, as the exact result.
pub fn sum_f64(x: &[f32]) -> f64 {
    x.iter().map(|&value| f64::from(value)).sum()
}

/// Returns the sum of absolute values, the scale of a sum's rounding errors.
pub fn sum_of_magnitudes(x: &[f32]) -> f64 {
    x.iter().map(|&value| f64::from(value.abs())).sum()
}

/// Adds one number after another in float32, which is slow and accumulates rounding errors.
pub fn sum_plain(x: &[f32]) -> f32 {
    x.iter().sum()
}

/// Adds on one core, with enough independent sums for its vector registers.
pub fn sum_one_core(x: &[f32]) -> f32 {
    const LANES: usize = 64;
    let mut sums = [0.0f32; LANES];
    let (blocks, rest) = x.as_chunks::<LANES>();
    for block in blocks {
        for (sum, value) in sums.iter_mut().zip(block) {
            *sum += value;
        }
    }
    sums.iter().sum::<f32>() + rest.iter().sum::<f32>()
}

/// Adds on all cores, each with a part.
pub fn sum_all_cores(x: &[f32]) -> f32 {
    let part = x.len().div_ceil(cores()).max(1);
    thread::scope(|scope| {
        let workers: Vec<_> = x
            .chunks(part)
            .map(|part| scope.spawn(|| sum_one_core(part)))
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().expect("a sum does not panic"))
            .sum()
    })
}

/// Convolves rows on one core, with a zero border. `first_row` is the number of the first row of
/// `out`.
fn convolve_rows(out: &mut [f32], first_row: usize, image: &[f32], width: usize, filter: &Filter) {
    let (size, radius) = (filter.size, filter.size / 2);
    let height = image.len() / width;
    for (i, out_row) in out.chunks_mut(width).enumerate() {
        let row = first_row + i;
        out_row.fill(0.0);
        for fy in 0..size {
            // Convolution reverses the filter: the image's upper row meets the filter's lower row.
            let Some(y) = (row + radius).checked_sub(fy).filter(|&y| y < height) else {
                continue;
            };
            let image_row = &image[y * width..(y + 1) * width];
            for fx in 0..size {
                let weight = filter.weights[fy * size + fx];
                // out[x] uses image[x + radius - fx] if that exists.
                let (to, from) = (fx.saturating_sub(radius), radius.saturating_sub(fx));
                if to >= width || from >= width {
                    continue;
                }
                for (out, value) in out_row[to..].iter_mut().zip(&image_row[from..]) {
                    *out += weight * value;
                }
            }
        }
    }
}

/// Convolves on one core.
pub fn convolve_one_core(image: &[f32], width: usize, filter: &Filter) -> Vec<f32> {
    let mut out = vec![0.0; image.len()];
    convolve_rows(&mut out, 0, image, width, filter);
    out
}

/// Convolves on all cores, each with some rows.
pub fn convolve_all_cores(image: &[f32], width: usize, filter: &Filter) -> Vec<f32> {
    let mut out = vec![0.0; image.len()];
    let rows = (image.len() / width).div_ceil(cores()).max(1);
    thread::scope(|scope| {
        for (i, part) in out.chunks_mut(rows * width).enumerate() {
            scope.spawn(move || convolve_rows(part, i * rows, image, width, filter));
        }
    });
    out
}

pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Returns the largest difference between two results, and its position.
pub fn largest_difference(a: &[f32], b: &[f32]) -> (f32, usize) {
    assert_eq!(a.len(), b.len(), "results of different lengths");
    let differences = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    differences
        .enumerate()
        .fold((0.0, 0), |(most, at), (i, d)| {
            // A NaN counts as the largest difference.
            if d > most || d.is_nan() {
                (d, i)
            } else {
                (most, at)
            }
        })
}
