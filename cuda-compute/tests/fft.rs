//! Fourier transforms. The first test runs without cuFFT. The others compare cuFFT with sums in
//! `f64`. They need a GPU and the library, which the emulator lacks, so they are ignored by default
//! and fail if either is missing:
//!
//! `cargo test -p cuda-compute --test fft -- --ignored`

use std::f64::consts::TAU;

use cuda_compute::{Array, eval};
use cuda_safe::{Context, Stream};
use num_complex::Complex;

#[path = "shared/missing.rs"]
mod missing;
#[path = "shared/random.rs"]
mod random;
use random::Random;

fn stream() -> Stream {
    Stream::new(&Context::primary(0).unwrap()).unwrap()
}

#[test]
fn a_missing_library_is_reported() {
    let names = missing::Names {
        library: "cuFFT",
        variable: "CUDA_COMPUTE_LIBCUFFT",
        function: "cufftCreate",
        pip: "nvidia-cufft",
        conda: "libcufft",
        apt: "libcufft-13-0",
    };
    missing::check("a_missing_library_is_reported", &names, || {
        let x = Array::<f32>::ones(&stream(), [2, 2]).unwrap();
        x.rfft(0).unwrap_err()
    });
}

/// Transforms along one axis by the definition, without a division.
fn dft(values: &[Complex<f64>], shape: &[usize], axis: usize, sign: f64) -> Vec<Complex<f64>> {
    let length = shape[axis];
    let stride: usize = shape[axis + 1..].iter().product();
    let roots: Vec<_> = (0..length)
        .map(|k| Complex::from_polar(1.0, sign * TAU * k as f64 / length as f64))
        .collect();
    let element = |place: usize| {
        let k = place / stride % length;
        let first = place - k * stride;
        let term = |j: usize| values[first + j * stride] * roots[j * k % length];
        (0..length).map(term).sum()
    };
    (0..values.len()).map(element).collect()
}

fn random(seed: u64, shape: &[usize]) -> Vec<Complex<f64>> {
    let mut random = Random(seed);
    let count = shape.iter().product();
    (0..count)
        .map(|_| Complex::new(random.real(), random.real()))
        .collect()
}

/// Asserts that the root of the mean square of the differences is at most `error` of that of the
/// values.
fn assert_close(found: &[Complex<f64>], wanted: &[Complex<f64>], error: f64, what: &str) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    let difference: f64 = found
        .iter()
        .zip(wanted)
        .map(|(a, b)| (a - b).norm_sqr())
        .sum();
    let size: f64 = wanted.iter().map(|value| value.norm_sqr()).sum();
    let relative = (difference / size).sqrt();
    assert!(
        relative <= error,
        "{what}: the relative error is {relative:e}"
    );
}

/// Lengths that are powers of two, products of small primes, a large prime, and 1.
const CASES: [(&[usize], &[usize]); 14] = [
    (&[1], &[0]),
    (&[4096], &[0]),
    (&[6000], &[0]),
    (&[1009], &[0]),
    (&[7, 64], &[1]),
    (&[7, 64], &[0]),
    (&[48, 50], &[0, 1]),
    (&[48, 50], &[1, 0]),
    (&[5, 6, 35], &[1]),
    (&[8, 9, 10], &[0, 2]),
    (&[8, 9, 10], &[0, 1, 2]),
    (&[3, 4, 5, 6], &[0, 1, 2, 3]),
    (&[3, 4, 5, 6, 7], &[4, 0, 2, 1, 3]),
    (&[300, 8], &[0]),
];

#[test]
#[ignore = "needs a GPU and cuFFT"]
fn transforms_match_sums() {
    let stream = stream();
    for (seed, (shape, axes)) in CASES.into_iter().enumerate() {
        let values = random(seed as u64, shape);
        let x = Array::from_shape(&stream, shape, &values).unwrap();
        let what = format!("axes {axes:?} of {shape:?}");
        let transform = |sign| {
            let apply = |values: Vec<_>, &axis: &usize| dft(&values, shape, axis, sign);
            axes.iter().fold(values.clone(), apply)
        };
        let elements: f64 = axes.iter().map(|&axis| shape[axis] as f64).product();
        let (forward, backward) = (transform(-1.0), transform(1.0));
        let backward: Vec<_> = backward.iter().map(|value| value / elements).collect();
        let (y, z) = (x.fft(axes).unwrap(), x.ifft(axes).unwrap());
        assert_close(&y.to_vec().unwrap(), &forward, 1e-13, &what);
        assert_close(&z.to_vec().unwrap(), &backward, 1e-13, &what);
        assert_close(
            &y.ifft(axes).unwrap().to_vec().unwrap(),
            &values,
            1e-13,
            &what,
        );
        assert_eq!(
            x.to_vec().unwrap(),
            values,
            "{what}: the operand is unchanged"
        );
        // In f32.
        let narrow = x.cast::<Complex<f32>>();
        let wide = |array: Array<Complex<f32>>| {
            array
                .cast::<Complex<f64>>()
                .eval()
                .unwrap()
                .to_vec()
                .unwrap()
        };
        assert_close(&wide(narrow.fft(axes).unwrap()), &forward, 1e-6, &what);
        assert_close(&wide(narrow.ifft(axes).unwrap()), &backward, 1e-6, &what);
        // Of real numbers.
        let last = axes[axes.len() - 1];
        let real = x.real().eval().unwrap();
        let half = real.rfft(axes).unwrap();
        let whole = real.cast::<Complex<f64>>().fft(axes).unwrap();
        let whole = whole.take_along_half(last, shape[last] / 2 + 1);
        assert_close(&half.to_vec().unwrap(), &whole, 1e-13, &what);
        let back = half.irfft(axes, shape[last]).unwrap();
        let difference = eval((&back - &real).abs().max_or_nan())
            .unwrap()
            .item()
            .unwrap();
        assert!(difference < 1e-12, "{what}: {difference:e}");
        let narrow = real.cast::<f32>().rfft(axes).unwrap();
        assert_close(&wide(narrow), &whole, 1e-6, &what);
    }
}

/// The first elements along an axis.
trait Half {
    fn take_along_half(&self, axis: usize, count: usize) -> Vec<Complex<f64>>;
}

impl Half for Array<Complex<f64>> {
    fn take_along_half(&self, axis: usize, count: usize) -> Vec<Complex<f64>> {
        let mut items = vec![cuda_compute::SliceItem::from(..); self.rank()];
        items[axis] = (..count).into();
        self.slice(items).unwrap().to_vec().unwrap()
    }
}

/// Several streams and threads use one plan, with and without memory for intermediate results.
#[test]
#[ignore = "needs a GPU and cuFFT"]
fn threads_share_plans() {
    let context = Context::primary(0).unwrap();
    for shape in [[64, 256], [3, 1009]] {
        let values = random(1, &shape);
        let wanted = dft(&values, &shape, 1, -1.0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let stream = Stream::new(&context).unwrap();
                    let x = Array::from_shape(&stream, shape, &values).unwrap();
                    for _ in 0..50 {
                        let y = x.fft(1).unwrap();
                        assert_close(&y.to_vec().unwrap(), &wanted, 1e-13, "of a thread");
                    }
                });
            }
        });
    }
}

/// A capture with a transform fails, and the stream can be used again.
#[test]
#[ignore = "needs a GPU and cuFFT"]
fn transforms_are_not_captured() {
    let stream = stream();
    let x = Array::from_shape(&stream, [8, 1009], &random(1, &[8, 1009])).unwrap();
    let wanted = x.fft(1).unwrap().to_vec().unwrap();
    // With a plan and without one.
    for axes in [&[1usize][..], &[0, 1]] {
        // SAFETY: no graph is made.
        let failed = unsafe { stream.capture(|_| x.fft(axes).map(drop)) };
        let error = failed.map(drop).unwrap_err().to_string();
        assert!(error.contains("captur"), "{error}");
    }
    assert_eq!(x.fft(1).unwrap().to_vec().unwrap(), wanted);
    assert_eq!(x.fft([0, 1]).unwrap().shape(), [8, 1009]);
}
