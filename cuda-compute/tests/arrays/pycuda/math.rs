//! Mathematical functions, within the errors that PyCUDA allows: absolute, and the same for `f32`
//! and `f64`. The expected value is the result in `f64` for the same input, rounded to the type.
//!
//! Inputs of real logarithms start at 1e-3. Nearer to 0, the last bit of their `f32` result exceeds
//! the allowed error.

use std::f64::consts::FRAC_PI_2;

use cuda_compute::{Array, Element};
use cuda_safe::Stream;
use num_complex::Complex;

use super::{singles, uniform, values};
use crate::{OnHost, random::Random, stream, upload};

const SIZES: [usize; 4] = [10, 128, 1024, 8192];

/// Returns the largest absolute error.
fn far(got: impl IntoIterator<Item = Complex<f64>>, wanted: &[Complex<f64>]) -> f64 {
    let off = |(got, wanted): (Complex<f64>, &Complex<f64>)| (got - wanted).norm();
    got.into_iter().zip(wanted).map(off).fold(0.0, f64::max)
}

fn wide<T: Into<f64>>(value: T) -> Complex<f64> {
    value.into().into()
}

/// Evaluates a function into a new array and into an existing one.
fn both<T: Element>(
    x: &Array<T>,
    function: impl Fn(&Array<T>) -> cuda_compute::Expr<T>,
) -> [Vec<T>; 2] {
    let mut out = x.copy().unwrap();
    let address = out.as_device_ptr();
    out.assign(function(x)).unwrap();
    assert_eq!(out.as_device_ptr(), address);
    [values(function(x)), out.host()]
}

macro_rules! real_functions {
    ($($test:ident $method:ident $from:expr, $to:expr, $tolerance:expr;)*) => {$(
        #[test]
        fn $test() {
            let stream = stream();
            for count in SIZES {
                let host = uniform(&mut Random(1), count, $from, $to);
                let x = upload(&stream, &host);
                let wanted: Vec<_> = host.iter().map(|v| wide(v.$method())).collect();
                for got in both(&x, |x| x.$method()) {
                    let off = far(got.into_iter().map(wide), &wanted);
                    assert!(off <= $tolerance, "f64: {off}");
                }
                let host = singles(&host);
                let x = upload(&stream, &host);
                let wanted: Vec<_> = host.iter().map(|v| wide(f64::from(*v).$method() as f32)).collect();
                for got in both(&x, |x| x.$method()) {
                    let off = far(got.into_iter().map(wide), &wanted);
                    assert!(off <= $tolerance, "f32: {off}");
                }
            }
        }
    )*};
}

real_functions! {
    ceil ceil -10.0, 10.0, 0.0;
    floor floor -10.0, 10.0, 0.0;
    fabs abs -10.0, 10.0, 0.0;
    exp exp -3.0, 3.0, 1e-5;
    log ln 1e-3, 1.0, 5e-7;
    log10 log10 1e-3, 1.0, 3e-7;
    sqrt sqrt 1e-5, 1.0, 2e-7;
    sin sin -10.0, 10.0, 1e-7;
    cos cos -10.0, 10.0, 1e-7;
    asin asin -0.9, 0.9, 5e-7;
    acos acos -0.9, 0.9, 5e-7;
    tan tan -FRAC_PI_2 + 0.1, FRAC_PI_2 - 0.1, 1e-5;
    atan atan -10.0, 10.0, 2e-7;
    sinh sinh -3.0, 3.0, 2e-6;
    cosh cosh -3.0, 3.0, 2e-6;
    tanh tanh -3.0, 3.0, 2e-6;
}

fn complexes(count: usize, from: f64, to: f64) -> Vec<Complex<f64>> {
    let numbers = uniform(&mut Random(1), 2 * count, from, to);
    numbers
        .chunks(2)
        .map(|pair| Complex::new(pair[0], pair[1]))
        .collect()
}

fn narrow(z: &Complex<f64>) -> Complex<f32> {
    Complex::new(z.re as f32, z.im as f32)
}

fn widened(z: Complex<f32>) -> Complex<f64> {
    Complex::new(z.re.into(), z.im.into())
}

macro_rules! complex_functions {
    ($($test:ident $method:ident $from:expr, $to:expr, $tolerance:expr;)*) => {$(
        #[test]
        fn $test() {
            let stream = stream();
            for count in SIZES {
                let host = complexes(count, $from, $to);
                let z = upload(&stream, &host);
                let wanted: Vec<_> = host.iter().map(|z| z.$method()).collect();
                for got in both(&z, |z| z.$method()) {
                    let off = far(got, &wanted);
                    assert!(off <= $tolerance, "f64: {off}");
                }
                let host: Vec<_> = host.iter().map(narrow).collect();
                let z = upload(&stream, &host);
                let wanted: Vec<_> = host.iter().map(|z| widened(narrow(&widened(*z).$method()))).collect();
                for got in both(&z, |z| z.$method()) {
                    let off = far(got.into_iter().map(widened), &wanted);
                    assert!(off <= $tolerance, "f32: {off}");
                }
            }
        }
    )*};
}

complex_functions! {
    complex_exp exp -3.0, 3.0, 1e-5;
    complex_log ln 1e-5, 1.0, 5e-7;
    complex_sqrt sqrt 1e-5, 1.0, 2e-7;
    complex_sin sin -2.0, 2.0, 2.1e-6;
    complex_cos cos -2.0, 2.0, 2.1e-6;
    complex_tan tan -FRAC_PI_2 + 0.1, FRAC_PI_2 - 0.1, 3e-5;
    complex_sinh sinh -3.0, 3.0, 3e-6;
    complex_cosh cosh -3.0, 3.0, 3e-6;
    complex_tanh tanh -2.0, 2.0, 3e-5;
}

/// Returns 0, 1, 2 … divided by a number.
fn counted(count: usize, divisor: f32) -> Vec<f32> {
    (0..count).map(|i| i as f32 / divisor).collect()
}

#[test]
fn remainders() {
    let stream = stream();
    for count in SIZES {
        let a = counted(count, 10.0);
        let b: Vec<f32> = (0..count).map(|i| i as f32 / 45.2 + 0.1).collect();
        let x = upload(&stream, &a);
        let y = upload(&stream, &b);
        let wanted: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a % b).collect();
        assert_eq!(values(&x % &y), wanted);
        // Doubles are not read as floats.
        let wanted: Vec<f64> = a
            .iter()
            .zip(&b)
            .map(|(&a, &b)| f64::from(a) % f64::from(b))
            .collect();
        assert_eq!(values(x.cast::<f64>() % y.cast::<f64>()), wanted);
    }
}

#[test]
fn significands_and_exponents() {
    let stream = stream();
    for count in SIZES {
        let significands = counted(count, 1.0);
        let powers: Vec<i32> = (0..count).map(|i| (i as f64 * 1e-3) as i32).collect();
        let x = upload(&stream, &significands);
        let powers_there = upload(&stream, &powers);
        let pairs = significands.iter().zip(&powers);
        let wanted: Vec<f32> = pairs.map(|(x, &p)| x * 2f32.powi(p)).collect();
        assert_eq!(values(x.ldexp(&powers_there)), wanted);

        let host = counted(count, 10.0);
        let x = upload(&stream, &host);
        let (fractions, exponents) = (values(x.frexp_fraction()), values(x.frexp_exponent()));
        for ((x, fraction), exponent) in host.iter().zip(&fractions).zip(exponents) {
            assert!((0.5..1.0).contains(fraction) || (*x == 0.0 && *fraction == 0.0));
            assert_eq!(fraction * 2f32.powi(exponent), *x);
        }
        let double = x.cast::<f64>();
        let wanted: Vec<f64> = fractions.iter().map(|&v| v.into()).collect();
        assert_eq!(values(double.frexp_fraction()), wanted);

        assert_eq!(
            values(x.trunc()),
            host.iter().map(|v| v.trunc()).collect::<Vec<_>>()
        );
        for (got, x) in values(x.fract()).iter().zip(&host) {
            assert!((got - x.fract()).abs() < 1e-4);
        }
    }
}

#[test]
fn functions_write_to_memory_and_run_on_a_stream() {
    let stream = stream();
    let host = singles(&uniform(&mut Random(1), 1000, -3.0, 3.0));
    let x = upload(&stream, &host);
    let other = Stream::new(stream.context()).unwrap();
    let mut out = Array::<f32>::zeros(&other, 1000).unwrap();
    let address = out.as_device_ptr();
    out.assign(x.exp()).unwrap(); // on the stream of `out`
    assert_eq!((out.stream(), out.as_device_ptr()), (&other, address));
    for got in [
        out,
        x.exp().eval_on(&other).unwrap(),
        x.exp().eval().unwrap(),
    ] {
        for (got, x) in got.host().iter().zip(&host) {
            assert!((got - x.exp()).abs() < 1e-5);
        }
    }
}
