//! Matrix products. The first tests run without cuBLAS: empty products, and errors if the library
//! is missing. The others compare cuBLAS with loops in `f64`. They need a GPU and the library,
//! which the emulator lacks, so they are ignored by default and fail if either is missing:
//!
//! `cargo test -p cuda-compute --test matmul -- --ignored`

use cuda_compute::{Array, Expr, Math, MatmulOptions, Order, s};
use cuda_safe::{Context, Stream};
use half::{bf16, f16};
use num_complex::Complex;

#[path = "../../cuda-safe/tests/common/failure.rs"]
mod failure;
#[path = "shared/missing.rs"]
mod missing;
#[path = "shared/random.rs"]
mod random;
use failure::failure;
use random::Random;

fn stream() -> Stream {
    Stream::new(&Context::primary(0).unwrap()).unwrap()
}

#[test]
fn empty_products_need_no_library() {
    let stream = stream();
    let zeros = |shape: &[usize]| Array::<f32>::zeros(&stream, shape).unwrap();
    let sums_of_nothing = zeros(&[2, 0]).matmul(zeros(&[0, 3])).unwrap();
    assert_eq!(sums_of_nothing.shape(), [2, 3]);
    assert_eq!(sums_of_nothing.to_vec().unwrap(), [0.0; 6]);
    assert_eq!(
        zeros(&[0, 4]).matmul(zeros(&[4, 3])).unwrap().shape(),
        [0, 3]
    );
    assert_eq!(
        zeros(&[0, 2, 4]).matmul(zeros(&[4])).unwrap().shape(),
        [0, 2]
    );
    assert_eq!(
        zeros(&[0]).matmul(zeros(&[0])).unwrap().item().unwrap(),
        0.0
    );
}

#[test]
fn shapes_without_a_product_are_rejected() {
    let stream = stream();
    let a = Array::<f64>::zeros(&stream, [2, 3]).unwrap();
    failure(a.matmul(&a))
        .mentions("[2, 3] and [2, 3] have no matrix product")
        .mentions("3 elements")
        .mentions("have 2");
    failure(a.matmul(2.0)).mentions("multiply by it with `*`");
}

#[test]
fn a_missing_library_is_reported() {
    let names = missing::Names {
        library: "cuBLAS",
        variable: "CUDA_COMPUTE_LIBCUBLAS",
        function: "cublasCreate_v2",
        pip: "nvidia-cublas",
        conda: "libcublas",
        apt: "libcublas-13-0",
    };
    missing::check("a_missing_library_is_reported", &names, || {
        let a = Array::<f32>::ones(&stream(), [2, 2]).unwrap();
        let error = a.matmul(&a).unwrap_err();
        let advice = "Without cuBLAS: `a.inner(&b.t())` multiplies two matrices";
        assert!(error.to_string().ends_with(advice), "{error}");
        assert_eq!((&a + &a).eval().unwrap().to_vec().unwrap(), [2.0; 4]);
        error
    });
}

/// An element type that converts to and from a complex number of `f64`.
trait Wide: Math {
    fn of(value: Complex<f64>) -> Self;
    fn wide(self) -> Complex<f64>;
}

macro_rules! wide {
    ($($type:ty: $of:expr, $wide:expr;)*) => {$(
        impl Wide for $type {
            fn of(value: Complex<f64>) -> Self {
                let of: fn(Complex<f64>) -> Self = $of;
                of(value)
            }

            fn wide(self) -> Complex<f64> {
                let wide: fn(Self) -> Complex<f64> = $wide;
                wide(self)
            }
        }
    )*};
}

wide! {
    f16: |x| Self::from_f64(x.re), |x| Complex::new(x.to_f64(), 0.0);
    bf16: |x| Self::from_f64(x.re), |x| Complex::new(x.to_f64(), 0.0);
    f32: |x| x.re as f32, |x| Complex::new(x.into(), 0.0);
    f64: |x| x.re, |x| Complex::new(x, 0.0);
    Complex<f32>: |x| Complex::new(x.re as f32, x.im as f32), |x| Complex::new(x.re.into(), x.im.into());
    Complex<f64>: |x| x, |x| x;
}

fn random<T: Wide>(stream: &Stream, seed: u64, shape: &[usize]) -> Array<T> {
    let mut random = Random(seed);
    let count = shape.iter().product();
    let values: Vec<T> = (0..count)
        .map(|_| T::of(Complex::new(random.real(), random.real())))
        .collect();
    Array::from_shape(stream, shape, &values).unwrap()
}

/// Compares `[batch, m, k] × [batch, k, n]` with a loop. `rounding` is the error of sums and of the
/// result, relative to the sum of absolute products.
fn compare<T: Wide>(left: &Array<T>, right: &Array<T>, options: MatmulOptions, rounding: f64) {
    let got = left.matmul_with(right, options).unwrap();
    let (&[batch, m, k], &[_, _, n]) = (left.shape().as_slice(), right.shape().as_slice()) else {
        panic!("batches of matrices");
    };
    assert_eq!(got.shape(), [batch, m, n]);
    let wide = |x: &Array<T>| -> Vec<_> { x.to_vec().unwrap().into_iter().map(T::wide).collect() };
    let (a, b, got) = (wide(left), wide(right), wide(&got));
    for p in 0..batch {
        for i in 0..m {
            for j in 0..n {
                let products = (0..k).map(|l| a[(p * m + i) * k + l] * b[(p * k + l) * n + j]);
                let (mut sum, mut size) = (Complex::new(0.0, 0.0), 0.0);
                for product in products {
                    sum += product;
                    size += product.norm();
                }
                let off = (got[(p * m + i) * n + j] - sum).norm();
                assert!(
                    off <= rounding * size,
                    "[{p}, {i}, {j}]: off by {off}, of {size}"
                );
            }
        }
    }
}

/// Checks all layouts, with lengths that are not multiples of a power of two.
fn layouts<T: Wide>(rounding: f64) {
    let stream = stream();
    let plain = MatmulOptions::default();
    let (batch, m, k, n) = (3, 37, 65, 41);
    let left = random::<T>(&stream, 1, &[batch, m, k]);
    let right = random::<T>(&stream, 2, &[batch, k, n]);
    compare(&left, &right, plain, rounding);
    let turned = |seed, rows, columns| {
        random::<T>(&stream, seed, &[batch, columns, rows])
            .permute([0, 2, 1])
            .unwrap()
    };
    let (left_turned, right_turned) = (turned(3, m, k), turned(4, k, n));
    compare(&left_turned, &right, plain, rounding);
    compare(&left, &right_turned, plain, rounding);
    compare(&left_turned, &right_turned, plain, rounding);
    // A slice that starts at an odd element, a reversed matrix (which is copied), and one matrix
    // for the whole batch on either side.
    let part = random::<T>(&stream, 5, &[batch + 1, m + 2, k + 3]);
    let part = part.slice(s![1.., 1..=m as isize, 3..]).unwrap();
    compare(&part, &right, plain, rounding);
    compare(
        &left.flip(2).unwrap(),
        &right.flip(1).unwrap(),
        plain,
        rounding,
    );
    compare(&left.flip(0).unwrap(), &right, plain, rounding);
    let shared = random::<T>(&stream, 6, &[m, k])
        .broadcast_to([batch, m, k])
        .unwrap();
    compare(&shared, &right, plain, rounding);
    let shared = random::<T>(&stream, 7, &[k, n])
        .broadcast_to([batch, k, n])
        .unwrap();
    compare(&left, &shared, plain, rounding);
    // Rows and columns.
    compare(&left.slice(s![.., ..1]).unwrap(), &right, plain, rounding);
    compare(
        &left,
        &right.slice(s![.., .., ..1]).unwrap(),
        plain,
        rounding,
    );
    // Long sums, which are split between several blocks.
    let left = random(&stream, 8, &[1, 8, 20_000]);
    let right = random(&stream, 9, &[1, 20_000, 8]);
    compare::<T>(&left, &right, plain, rounding);
}

macro_rules! on_a_gpu {
    ($($name:ident: $type:ty, $rounding:expr;)*) => {$(
        #[test]
        #[ignore = "needs a GPU and cuBLAS"]
        fn $name() {
            layouts::<$type>($rounding);
        }
    )*};
}

// The rounding of the result, plus that of sums in f32 or f64: a few units, because most errors of
// long sums cancel.
on_a_gpu! {
    products_of_f16: f16, 1.0 / 2048.0 + 1e-5;
    products_of_bf16: bf16, 1.0 / 256.0 + 1e-5;
    products_of_f32: f32, 1e-6;
    products_of_f64: f64, 1e-14;
    products_of_complex_f32: Complex<f32>, 2e-6;
    products_of_complex_f64: Complex<f64>, 2e-14;
}

#[test]
#[ignore = "needs a GPU and cuBLAS"]
fn tf32_is_used_only_on_request() {
    let stream = stream();
    // TF32 cannot represent 1 + 2^-12 and rounds it to 1.
    let fine = Array::full(&stream, [1, 256, 256], 1.0f32 + 1.0 / 4096.0).unwrap();
    let ones = Array::<f32>::ones(&stream, [1, 256, 256]).unwrap();
    compare(&fine, &ones, MatmulOptions::default(), 1e-6);
    let rough = MatmulOptions::default().tf32(true);
    compare(&fine, &ones, rough, 1.0 / 2048.0);
    let value = fine.matmul_with(&ones, rough).unwrap().to_vec().unwrap()[0];
    assert_eq!(value, 256.0, "tensor cores were not used");
}

/// Intermediate sums exceed the range of `f16`, but the results do not.
#[test]
#[ignore = "needs a GPU and cuBLAS"]
fn f16_products_are_summed_in_f32() {
    let stream = stream();
    let large = Array::full(&stream, [64, 4096], f16::from_f32(60.0)).unwrap();
    let signs = Expr::index(4096, 0).unwrap();
    let signs = signs
        .less(2048)
        .select(f16::ONE, -f16::ONE)
        .eval_on(&stream)
        .unwrap();
    let zeros = large.matmul(&signs).unwrap().to_vec().unwrap();
    assert!(zeros.iter().all(|&sum| sum == f16::ZERO), "{zeros:?}");
}

#[test]
#[ignore = "needs a GPU and cuBLAS"]
fn products_run_on_many_streams_and_threads() {
    let one = stream();
    let other = Stream::new(one.context()).unwrap();
    let a = random::<f64>(&one, 1, &[1, 200, 300]);
    let b = random::<f64>(&other, 2, &[1, 300, 100]);
    compare(&a, &b, MatmulOptions::default(), 1e-14);
    std::thread::scope(|scope| {
        for seed in 0..4 {
            let (a, b) = (&a, &b);
            scope.spawn(move || {
                let own = Stream::new(a.stream().context()).unwrap();
                let c = random::<f64>(&own, seed, &[1, 300, 50]);
                compare(a, b, MatmulOptions::default(), 1e-14);
                compare(a, &c, MatmulOptions::default(), 1e-14);
            });
        }
    });
    // More streams than the cache of handles can hold.
    for _ in 0..40 {
        let own = Stream::new(one.context()).unwrap();
        let a = random::<f64>(&own, 1, &[1, 20, 30])
            .contiguous(Order::C)
            .unwrap();
        compare(
            &a,
            &random(&own, 2, &[1, 30, 10]),
            MatmulOptions::default(),
            1e-14,
        );
    }
}

/// A long chain of products reveals missing synchronization of memory.
#[test]
#[ignore = "needs a GPU and cuBLAS"]
fn long_chains_of_products() {
    let stream = stream();
    let turn = [0.6f64, -0.8, 0.8, 0.6]; // a rotation
    let turn = Array::from_shape(&stream, [2, 2], &turn).unwrap();
    let mut all = turn.clone();
    for _ in 1..1000 {
        all = all.matmul(&turn).unwrap();
    }
    let angle = 1000.0 * 0.8f64.atan2(0.6);
    let got = all.to_vec().unwrap();
    for (got, wanted) in got
        .into_iter()
        .zip([angle.cos(), -angle.sin(), angle.sin(), angle.cos()])
    {
        assert!((got - wanted).abs() < 1e-11, "{got}, not {wanted}");
    }
}
