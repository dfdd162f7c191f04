//! Convolution on the CPU.

use rayon::prelude::*;

use super::for_this_processor;
use crate::convolution::{ConvolutionOptions, Filter};

/// An image that is padded with the pixels beyond its edges, so that the loops need no checks.
struct Padded {
    width: usize,
    pixels: Vec<f32>,
}

/// The filter as applied to the image, and the size of the result.
struct Job {
    filter: Filter,
    columns: usize,
    rows: usize,
}

impl Job {
    fn new(
        image: &[f32],
        width: usize,
        height: usize,
        filter: &Filter,
        options: ConvolutionOptions,
    ) -> Self {
        assert_eq!(
            image.len(),
            width * height,
            "an image of {width} x {height}"
        );
        let (columns, rows) = options.output_size(filter, width, height);
        Self {
            filter: options.oriented(filter).into_owned(),
            columns,
            rows,
        }
    }
}

/// Convolves a dense image of `width` x `height` with plain nested loops that check the edges for
/// every pixel.
///
/// # Panics
/// Panics if `image` does not have `width * height` elements.
#[must_use]
pub fn convolve_plain(
    image: &[f32],
    width: usize,
    height: usize,
    filter: &Filter,
    options: ConvolutionOptions,
) -> Vec<f32> {
    let job = Job::new(image, width, height, filter, options);
    let pixel = pixel_of(image, width, height, filter, options);
    let mut out = Vec::with_capacity(job.columns * job.rows);
    for y in 0..job.rows {
        for x in 0..job.columns {
            let mut sum = 0.0;
            for j in 0..filter.height() {
                for i in 0..filter.width() {
                    sum += job.filter.weights()[j * filter.width() + i] * pixel(x, i, y, j);
                }
            }
            out.push(sum);
        }
    }
    out
}

/// Convolves a dense image like [`convolve_plain`], but in `f64` and on all cores.
///
/// # Panics
/// Panics if `image` does not have `width * height` elements.
#[must_use]
pub fn convolve_reference(
    image: &[f32],
    width: usize,
    height: usize,
    filter: &Filter,
    options: ConvolutionOptions,
) -> Vec<f64> {
    let job = Job::new(image, width, height, filter, options);
    let pixel = pixel_of(image, width, height, filter, options);
    (0..job.rows)
        .into_par_iter()
        .flat_map_iter(|y| {
            let (job, pixel) = (&job, &pixel);
            (0..job.columns).map(move |x| {
                let mut sum = 0.0;
                for j in 0..filter.height() {
                    for i in 0..filter.width() {
                        sum += f64::from(job.filter.weights()[j * filter.width() + i])
                            * f64::from(pixel(x, i, y, j));
                    }
                }
                sum
            })
        })
        .collect()
}

/// Convolves a dense image like [`convolve_plain`], but with vector instructions, one block of
/// columns at a time. Uses one thread.
///
/// # Panics
/// Panics if `image` does not have `width * height` elements.
#[must_use]
pub fn convolve_vectorised(
    image: &[f32],
    width: usize,
    height: usize,
    filter: &Filter,
    options: ConvolutionOptions,
) -> Vec<f32> {
    let job = Job::new(image, width, height, filter, options);
    let padded = pad(image, width, height, &job, options);
    let mut out = vec![0.0; job.columns * job.rows];
    for (y, line) in out.chunks_mut(job.columns.max(1)).enumerate() {
        row(&padded, &job.filter, y, line);
    }
    out
}

/// Convolves a dense image like [`convolve_plain`], but on all cores with [`convolve_vectorised`]
/// on each.
///
/// # Panics
/// Panics if `image` does not have `width * height` elements.
#[must_use]
pub fn convolve_parallel(
    image: &[f32],
    width: usize,
    height: usize,
    filter: &Filter,
    options: ConvolutionOptions,
) -> Vec<f32> {
    let job = Job::new(image, width, height, filter, options);
    let padded = pad(image, width, height, &job, options);
    let mut out = vec![0.0; job.columns * job.rows];
    out.par_chunks_mut(job.columns.max(1))
        .enumerate()
        .with_min_len(8)
        .for_each(|(y, line)| row(&padded, &job.filter, y, line));
    out
}

/// Returns a function of (x, i, y, j): the pixel that the filter's element (i, j) multiplies for
/// the output pixel (x, y).
fn pixel_of(
    image: &[f32],
    width: usize,
    height: usize,
    filter: &Filter,
    options: ConvolutionOptions,
) -> impl Fn(usize, usize, usize, usize) -> f32 + Sync {
    let (left, top) = options.origin(filter);
    move |x, i, y, j| {
        let beside = |at: usize, element: usize, origin: usize, size: usize| {
            let index = (at + element) as isize - origin as isize;
            options.border.index(index, size)
        };
        match (beside(x, i, left, width), beside(y, j, top, height)) {
            (Some(x), Some(y)) => image[y * width + x],
            _ => 0.0,
        }
    }
}

fn pad(
    image: &[f32],
    width: usize,
    height: usize,
    job: &Job,
    options: ConvolutionOptions,
) -> Padded {
    let (left, top) = options.origin(&job.filter);
    let padded_width = job.columns + job.filter.width() - 1;
    let padded_height = job.rows + job.filter.height() - 1;
    if job.columns == 0 || job.rows == 0 {
        return Padded {
            width: padded_width,
            pixels: Vec::new(),
        };
    }
    let index = |at: usize, before: usize, size: usize| {
        options.border.index(at as isize - before as isize, size)
    };
    let columns: Vec<Option<usize>> = (0..padded_width).map(|x| index(x, left, width)).collect();
    let mut pixels = vec![0.0f32; padded_width * padded_height];
    pixels
        .par_chunks_mut(padded_width)
        .enumerate()
        .for_each(|(y, line)| {
            let Some(y) = index(y, top, height) else {
                return;
            };
            let from = &image[y * width..][..width];
            // Copy the middle as one slice and the padding by index.
            let middle = left..left + width.min(padded_width - left);
            line[middle.clone()].copy_from_slice(&from[..middle.len()]);
            for x in (0..middle.start).chain(middle.end..padded_width) {
                line[x] = columns[x].map_or(0.0, |x| from[x]);
            }
        });
    Padded {
        width: padded_width,
        pixels,
    }
}

for_this_processor! {
    /// Computes one row of the result.
    fn row(image: &Padded, filter: &Filter, y: usize, out: &mut [f32]) = row_in_blocks
}

/// Computes a row in blocks of 64 columns, whose sums stay in eight AVX2 registers.
#[inline(always)]
fn row_in_blocks<const FUSED: bool>(image: &Padded, filter: &Filter, y: usize, out: &mut [f32]) {
    const BLOCK: usize = 64;
    let mut x = 0;
    while x < out.len() {
        let count = BLOCK.min(out.len() - x);
        let mut sums = [0.0f32; BLOCK];
        for (j, weights) in filter.weights().chunks_exact(filter.width()).enumerate() {
            let line = &image.pixels[(y + j) * image.width + x..];
            for (i, &weight) in weights.iter().enumerate() {
                let pixels = &line[i..];
                if let Some(pixels) = pixels.first_chunk::<BLOCK>()
                    && count == BLOCK
                {
                    for (sum, pixel) in sums.iter_mut().zip(pixels) {
                        *sum = add_product::<FUSED>(weight, *pixel, *sum);
                    }
                } else {
                    for (sum, pixel) in sums[..count].iter_mut().zip(pixels) {
                        *sum = add_product::<FUSED>(weight, *pixel, *sum);
                    }
                }
            }
        }
        out[x..x + count].copy_from_slice(&sums[..count]);
        x += count;
    }
}

#[inline(always)]
fn add_product<const FUSED: bool>(weight: f32, pixel: f32, sum: f32) -> f32 {
    if FUSED {
        weight.mul_add(pixel, sum)
    } else {
        weight * pixel + sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convolution::{Border, Extent, Kind};

    const BORDERS: [Border; 4] = [Border::Zero, Border::Clamp, Border::Reflect, Border::Wrap];

    #[test]
    fn plain_convolution_matches_values_computed_by_hand() {
        let filter = Filter::new(3, 1, &[1.0, 10.0, 100.0]).unwrap();
        let image = [1.0, 2.0, 3.0, 4.0];
        let run = |options| convolve_plain(&image, 4, 1, &filter, options);
        let options = ConvolutionOptions::default();
        assert_eq!(run(options), [12.0, 123.0, 234.0, 340.0]);
        let correlation = options.kind(Kind::Correlation);
        assert_eq!(run(correlation), [210.0, 321.0, 432.0, 43.0]);
        assert_eq!(
            run(correlation.border(Border::Clamp)),
            [211.0, 321.0, 432.0, 443.0]
        );
        assert_eq!(
            run(correlation.border(Border::Reflect)),
            [212.0, 321.0, 432.0, 343.0]
        );
        assert_eq!(
            run(correlation.border(Border::Wrap)),
            [214.0, 321.0, 432.0, 143.0]
        );
        assert_eq!(run(correlation.extent(Extent::Valid)), [321.0, 432.0]);
    }

    #[test]
    fn all_implementations_agree_with_the_reference() {
        let value = |i: usize| ((i * 7919) % 1000) as f32 / 500.0 - 1.0;
        for (width, height) in [(1, 1), (5, 3), (64, 10), (131, 17)] {
            let image: Vec<f32> = (0..width * height).map(value).collect();
            for (kw, kh) in [(1, 1), (3, 3), (4, 5), (9, 2)] {
                let weights: Vec<f32> = (0..kw * kh).map(|i| value(i + 17)).collect();
                let filter = Filter::new(kw, kh, &weights).unwrap();
                let bound = 2e-6 * weights.iter().map(|w| w.abs()).sum::<f32>();
                for border in BORDERS {
                    for kind in [Kind::Convolution, Kind::Correlation] {
                        for extent in [Extent::Same, Extent::Valid, Extent::ValidRows] {
                            let options = ConvolutionOptions::default()
                                .border(border)
                                .kind(kind)
                                .extent(extent);
                            let run = |f: fn(&_, _, _, &_, _) -> _| {
                                f(&image[..], width, height, &filter, options)
                            };
                            let wanted =
                                convolve_reference(&image, width, height, &filter, options);
                            let results: [Vec<f32>; 3] = [
                                run(convolve_plain),
                                run(convolve_vectorised),
                                run(convolve_parallel),
                            ];
                            for result in results {
                                assert_eq!(result.len(), wanted.len());
                                for (got, wanted) in result.iter().zip(&wanted) {
                                    let error = (f64::from(*got) - wanted).abs();
                                    assert!(error <= f64::from(bound), "{kw} x {kh} {options:?}");
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
