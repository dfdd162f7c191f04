//! Complex numbers.

use cuda_compute::{Array, Expr, Order};
use num_complex::Complex;

use super::{uniform, values};
use crate::{OnHost, random::Random, shaped, stream, upload};

macro_rules! parts {
    ($($test:ident $real:ty;)*) => {$(
        #[test]
        fn $test() {
            let stream = stream();
            let mut random = Random(20);
            let numbers = uniform(&mut random, 40, 0.0, 1.0);
            let host: Vec<Complex<$real>> =
                numbers.chunks(2).map(|pair| Complex::new(pair[0] as $real, pair[1] as $real)).collect();
            let z = upload(&stream, &host);
            assert_eq!(values(z.real()), host.iter().map(|v| v.re).collect::<Vec<_>>());
            assert_eq!(values(z.imag()), host.iter().map(|v| v.im).collect::<Vec<_>>());
            let conjugates: Vec<_> = host.iter().map(Complex::conj).collect();
            assert_eq!(values(z.conj()), conjugates);
            let mut out = Array::zeros_like(&z).unwrap();
            let address = out.as_device_ptr();
            out.assign(z.conj()).unwrap();
            assert_eq!((out.host(), out.as_device_ptr()), (conjugates, address));
            let again = Expr::<Complex<$real>>::complex(z.real(), z.imag());
            assert_eq!(values(again), host);
            // The parts have the memory order of the numbers.
            let matrix = z.reshape([4, 5]).unwrap();
            for (z, order) in [(matrix.clone(), Order::C), (matrix.t(), Order::F)] {
                assert!(z.real().eval().unwrap().is_contiguous(order));
                assert!(z.imag().eval().unwrap().is_contiguous(order));
                assert!(z.conj().eval().unwrap().is_contiguous(order));
            }
            // A real number has an imaginary part of zero.
            let real = upload(&stream, &[1.5 as $real, -2.0]);
            let wide = real.cast::<Complex<$real>>();
            assert_eq!(values(wide.imag()), [0.0, 0.0]);
            assert_eq!(values(wide.real()), [1.5, -2.0]);
            assert_eq!(values(wide.not_equal(Complex::new(1.5, 0.0))), [false, true]);
        }
    )*};
}

parts! {
    parts_of_single_precision f32;
    parts_of_double_precision f64;
}

/// Asserts that each number is within a relative tolerance of the expected one.
#[track_caller]
fn near<T: Copy + Into<f64>>(got: &[Complex<T>], wanted: &[Complex<f64>], part: f64) {
    assert_eq!(got.len(), wanted.len());
    for (got, wanted) in got.iter().zip(wanted) {
        let off = (Complex::new(got.re.into(), got.im.into()) - wanted).norm();
        assert!(off <= part * wanted.norm(), "{wanted}: {off}");
    }
}

#[test]
fn logarithms_of_base_10() {
    let stream = stream();
    let mut random = Random(10);
    let numbers = uniform(&mut random, 80, -1.0, 1.0);
    let host: Vec<Complex<f64>> = numbers
        .chunks(2)
        .map(|p| Complex::new(p[0], p[1]))
        .collect();
    let log = |z: &Complex<f64>| z.ln() / std::f64::consts::LN_10;
    let z = shaped(&stream, [10, 4], &host);
    near(
        &values(z.log10()),
        &host.iter().map(log).collect::<Vec<_>>(),
        1e-14,
    );
    let narrow = z.cast::<Complex<f32>>().eval().unwrap();
    let host: Vec<_> = narrow.host();
    let wide = host
        .iter()
        .map(|z| Complex::new(f64::from(z.re), f64::from(z.im)));
    near(
        &values(narrow.log10()),
        &wide.map(|z| log(&z)).collect::<Vec<_>>(),
        1e-6,
    );
}
