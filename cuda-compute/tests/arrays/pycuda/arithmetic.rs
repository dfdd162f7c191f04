//! Operators, assignment, comparisons and elementwise kernels.

use cuda_compute::{Array, Expr, device_fn, eval, s};
use cuda_safe::Stream;
use num_complex::Complex;

use super::{assert_near, every, singles, uniform, value, values};
use crate::{OnHost, failure::failure, random::Random, stream, upload};

#[test]
fn powers() {
    let stream = stream();
    let a = upload(&stream, &every(1, 5, 1));
    let b = upload(&stream, &[1.0f64, 2.0, 3.0, 4.0, 5.0]);
    let wanted = [1.0, 4.0, 27.0, 256.0, 3125.0];
    assert_near(&values(a.cast::<f64>().pow(&b)), &wanted, 1e-6);
    assert_near(&values(a.pow(&a)), &wanted, 1e-6);
    let a = upload(&stream, &every(1, 10, 1));
    let squares: Vec<f64> = (1..=10).map(|i| f64::from(i * i)).collect();
    assert_near(&values(a.pow(2.0)), &squares, 1e-6);
    assert_near(&values(a.cast::<f64>().pow(2.0)), &squares, 1e-6);
    let powers: Vec<f64> = (1..=10).map(|i| 2f64.powi(i)).collect();
    assert_near(&values(Expr::scalar(2.0f32).pow(&a)), &powers, 1e-6);
    assert_near(
        &values(Expr::scalar(2.0).pow(a.cast::<f64>())),
        &powers,
        1e-7,
    );
}

#[test]
fn sizes() {
    let stream = stream();
    let host: Vec<f32> = (0..111).map(|i| -i as f32).collect();
    let a = upload(&stream, &host);
    let wanted: Vec<f32> = (0..111).map(|i| i as f32).collect();
    assert_eq!(values(a.abs()), wanted);
    // Unsigned integers, too.
    let a = upload(&stream, &[0u32, 7, u32::MAX]);
    assert_eq!(values(a.abs()), [0, 7, u32::MAX]);
}

#[test]
fn products_with_a_number() {
    let stream = stream();
    for count in [10, 50_000] {
        let host: Vec<f32> = (0..count).map(|i| i as f32).collect();
        let a = upload(&stream, &host);
        let wanted: Vec<f32> = host.iter().map(|v| v * 2.0).collect();
        assert_eq!(values(2.0 * &a), wanted);
        let host: Vec<Complex<f32>> = host.iter().map(|&v| Complex::new(v, 1.0)).collect();
        let a = upload(&stream, &host);
        for factor in [Complex::new(2.0, 0.0), Complex::new(0.0, 2.0)] {
            let wanted: Vec<_> = host.iter().map(|v| v * factor).collect();
            assert_eq!(values(&a * factor), wanted);
        }
    }
}

#[test]
fn two_arrays_and_arrays_without_axes() {
    let stream = stream();
    let (host_a, host_b) = (every(1, 10, 1), every(10, 100, 10));
    let a = upload(&stream, &host_a);
    let b = upload(&stream, &host_b);
    let seven = Array::full(&stream, [], 7.0f32).unwrap();
    let with = |f: fn(f32, f32) -> f32| -> [Vec<f32>; 3] {
        let both = host_a.iter().zip(&host_b).map(|(&a, &b)| f(a, b));
        [
            both.collect(),
            host_a.iter().map(|&a| f(7.0, a)).collect(),
            host_a.iter().map(|&a| f(a, 7.0)).collect(),
        ]
    };
    macro_rules! check {
        ($operator:tt, $near:expr) => {
            let wanted = with(|a, b| a $operator b);
            let got = [&a $operator &b, &seven $operator &a, &a $operator &seven];
            for (got, wanted) in got.into_iter().zip(&wanted) {
                for (got, wanted) in values(got).iter().zip(wanted) {
                    assert!((got - wanted).abs() <= $near, "{got} {wanted}");
                }
            }
            for (got, wanted) in [7.0 $operator &a, &a $operator 7.0].into_iter().zip(&wanted[1..]) {
                for (got, wanted) in values(got).iter().zip(wanted) {
                    assert!((got - wanted).abs() <= $near, "{got} {wanted}");
                }
            }
        };
    }
    check!(+, 0.0);
    check!(-, 0.0);
    check!(*, 0.0);
    check!(/, 1e-3);
    let halves: Vec<f32> = host_a.iter().map(|a| a / 2.0).collect();
    let inverse: Vec<f32> = host_a.iter().map(|a| 2.0 / a).collect();
    assert_eq!(values(&a / 2.0), halves);
    assert_eq!(values(2.0 / &a), inverse);
    // Two arrays without axes give an array without axes.
    assert_eq!((&seven + &seven).eval().unwrap().shape(), []);
}

#[test]
fn linear_combinations() {
    let stream = stream();
    let (host_a, host_b) = (every(1, 10, 1), every(10, 100, 10));
    let a = upload(&stream, &host_a);
    let b = upload(&stream, &host_b);
    let both = || host_a.iter().zip(&host_b);
    let wanted: Vec<f32> = both().map(|(a, b)| 2.0 * a + 3.0 * b).collect();
    assert_eq!(values(&a * 2.0 + &b * 3.0), wanted);
    // Assigns to existing memory.
    let mut out = Array::zeros_like(&a).unwrap();
    let address = out.as_device_ptr();
    out.assign(&a * 2.0 + &b * 3.0).unwrap();
    assert_eq!((out.host(), out.as_device_ptr()), (wanted.clone(), address));
    // On another stream.
    let other = Stream::new(stream.context()).unwrap();
    let on = (&a * 2.0 + &b * 3.0).eval_on(&other).unwrap();
    assert_eq!((on.stream(), on.host()), (&other, wanted));
    let mut random = Random(8);
    let x = singles(&uniform(&mut random, 50, 0.0, 1.0));
    let y = singles(&uniform(&mut random, 50, 0.0, 1.0));
    let combine = device_fn!(|a: f32, x: f32, b: f32, y: f32| a * x + b * y);
    let a = upload(&stream, &x);
    let b = upload(&stream, &y);
    let got = values(combine.map((5.0, &a, 6.0, &b)));
    let pairs = x.iter().zip(&y).map(|(a, b)| 5.0 * a + 6.0 * b);
    let off: f32 = got.iter().zip(pairs).map(|(g, w)| (g - w).powi(2)).sum();
    assert!(off.sqrt() < 1e-5, "{off}");
}

#[test]
fn in_place() {
    let stream = stream();
    let mut a = upload(&stream, &every(1, 10, 1));
    let address = a.as_device_ptr();
    a.assign(&a + &a).unwrap();
    assert_eq!(a.host(), every(2, 20, 2));
    a.assign(&a + 7.0).unwrap();
    assert_eq!(a.host(), every(9, 27, 2));
    assert_eq!(a.as_device_ptr(), address);
}

#[test]
fn comparisons() {
    let stream = stream();
    let a = upload(&stream, &[5.0f32, 10.0]);
    for b in [[2.0f32, 10.0], [5.0, 10.0], [12.0, 2.0]] {
        let other = upload(&stream, &b);
        let all = (
            a.greater(&other),
            a.greater_equal(&other),
            a.less(&other),
            a.less_equal(&other),
            a.equal(&other),
            a.not_equal(&other),
        );
        let (gt, ge, lt, le, eq, ne) = eval(all).unwrap();
        let wanted = |f: fn(f32, f32) -> bool| vec![f(5.0, b[0]), f(10.0, b[1])];
        assert_eq!(gt.host(), wanted(|a, b| a > b));
        assert_eq!(ge.host(), wanted(|a, b| a >= b));
        assert_eq!(lt.host(), wanted(|a, b| a < b));
        assert_eq!(le.host(), wanted(|a, b| a <= b));
        assert_eq!(eq.host(), wanted(|a, b| a == b));
        assert_eq!(ne.host(), wanted(|a, b| a != b));
    }
    let a = upload(&stream, &[1.0f32, 0.25, 0.1, -0.1, 0.0]);
    assert_eq!(values(a.greater(0.25)), [true, false, false, false, false]);
    assert_eq!(values(a.equal(0.25)), [false, true, false, false, false]);
    let b = upload(&stream, &[1, 0, 2]);
    assert_eq!(values(b.not_equal(1)), [false, true, true]);
    // An operand without axes on the left is compared with all elements.
    let quarter = Array::full(&stream, [], 0.25f32).unwrap();
    assert_eq!(values(quarter.less(&a)), [true, false, false, false, false]);
    assert_eq!(
        values(Expr::scalar(0.25f32).greater_equal(&a)),
        [false, true, true, true, true]
    );
    assert!(value(a.equal(1.0).any()));
}

#[test]
fn nan_propagates() {
    let stream = stream();
    let mut random = Random(4);
    let mut numbers = || {
        let mut host = singles(&uniform(&mut random, 1 << 20, 0.0, 1.0));
        for _ in 0..host.len() / 10 {
            host[random.below(1 << 20)] = f32::NAN;
        }
        host
    };
    let (host_a, host_b) = (numbers(), numbers());
    let a = upload(&stream, &host_a);
    let b = upload(&stream, &host_b);
    let got = values(&a * &b);
    let wanted = host_a.iter().zip(&host_b).map(|(a, b)| (a * b).is_nan());
    assert!(got.iter().map(|v| v.is_nan()).eq(wanted));
}

#[test]
fn kernels_of_a_range() {
    let stream = stream();
    for (part, places) in [
        (s![5..20_000], (5..20_000).collect::<Vec<_>>()),
        (s![5..20_000;17], (5..20_000).step_by(17).collect()),
        (s![6..3001;-1], (6..3001).collect()), // from 3000 down to 6
        (s![1000..-1], (1000..49_999).collect()),
    ] {
        let mut a = Array::<f32>::zeros(&stream, 50_000).unwrap();
        a.slice_mut(part).unwrap().fill(7.0).unwrap();
        let mut wanted = vec![0.0; 50_000];
        places.into_iter().for_each(|i| wanted[i] = 7.0);
        assert_eq!(a.host(), wanted);
    }
}

#[test]
fn choices() {
    let stream = stream();
    let signs = upload(&stream, &[1.0f32, 0.0, -1.0]);
    assert_eq!(
        values(signs.greater(0.0).select(2.0f32, 3.0)),
        [2.0, 3.0, 3.0]
    );
    assert_eq!(
        values(signs.cast::<bool>().select(2.0f32, 3.0)),
        [2.0, 3.0, 2.0]
    );
    let mut random = Random(6);
    let host_a = singles(&uniform(&mut random, 20, -1.0, 1.0));
    let host_b = singles(&uniform(&mut random, 20, -1.0, 1.0));
    let a = upload(&stream, &host_a);
    let b = upload(&stream, &host_b);
    let both = |f: fn(f32, f32) -> f32| -> Vec<f32> {
        host_a.iter().zip(&host_b).map(|(&a, &b)| f(a, b)).collect()
    };
    assert_eq!(values(a.maximum(&b)), both(f32::max));
    assert_eq!(values(a.minimum(&b)), both(f32::min));
    let zero = |f: fn(f32, f32) -> f32| host_a.iter().map(|&a| f(a, 0.0)).collect::<Vec<_>>();
    assert_eq!(values(a.maximum(0.0)), zero(f32::max));
    assert_eq!(values(a.minimum(0.0)), zero(f32::min));
    // A condition that lacks axes is broadcast. One that does not fit is an error, not a read past
    // the end.
    let whole = Array::<f32>::zeros(&stream, [4, 6]).unwrap();
    let row = Array::<f32>::ones(&stream, 6).unwrap();
    let chosen = whole.equal(0.0).select(&row, -&row).eval().unwrap();
    assert_eq!(chosen.host(), [1.0; 24]);
    let short = Array::<f32>::ones(&stream, 4).unwrap();
    failure(whole.equal(0.0).select(&short, &row).eval()).mentions("[4, 6] and [4] and [6]");
}
