//! NumPy's functions of numbers: powers, divisors, decimals, tolerances and cross products.

use cuda_compute::{CastFrom, Complex, Integer, s};
use half::{bf16, f16};

use crate::{elements, failure::failure, random::Random, shaped, stream, upload, values};

/// Compares functions of all pairs of some integers with those of `i128`, which then wrap around.
fn integers<T: Integer + CastFrom<i64>>(wrapped: fn(i128) -> T, bits: u32) {
    let stream = stream();
    let signed = wrapped(-1).to_i128() < 0;
    let lowest = if signed { -(1i128 << (bits - 1)) } else { 0 };
    let numbers = [
        0, 1, 2, 3, 4, 6, 7, 12, 30, 35, 100, 120, -1, -2, -3, -12, -50, lowest, !lowest,
    ];
    let numbers: Vec<T> = numbers.map(wrapped).to_vec();
    let pairs = numbers
        .iter()
        .flat_map(|&a| numbers.iter().map(move |&b| (a, b)));
    let (a, b): (Vec<T>, Vec<T>) = pairs.unzip();
    let (x, y) = (upload(&stream, &a), upload(&stream, &b));
    let on_host = |of: fn(i128, i128) -> i128| -> Vec<T> {
        let pairs = a.iter().zip(&b);
        pairs
            .map(|(a, b)| wrapped(of(a.to_i128(), b.to_i128())))
            .collect()
    };
    fn gcd(a: i128, b: i128) -> i128 {
        let (mut a, mut b) = (a.abs(), b.abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    }
    assert_eq!(values(x.gcd(&y)), on_host(gcd), "{:?}", T::DATA_TYPE);
    let lcm = |a: i128, b: i128| match gcd(a, b) {
        0 => 0,
        divisor => (a.abs() / divisor).wrapping_mul(b.abs()),
    };
    assert_eq!(values(x.lcm(&y)), on_host(lcm), "{:?}", T::DATA_TYPE);
    let power = |base: i128, exponent: i128| match (exponent, base) {
        (0.., _) => (0..128).rev().fold(1i128, |power, bit| {
            let square = power.wrapping_mul(power);
            if exponent >> bit & 1 == 1 {
                square.wrapping_mul(base)
            } else {
                square
            }
        }),
        (_, 1) => 1,
        (_, -1) => {
            if exponent % 2 == 0 {
                1
            } else {
                -1
            }
        }
        _ => 0,
    };
    assert_eq!(values(x.pow(&y)), on_host(power), "{:?}", T::DATA_TYPE);
}

#[test]
fn powers_and_divisors_of_integers_wrap_around() {
    integers::<i8>(|x| x as i8, 8);
    integers::<u8>(|x| x as u8, 8);
    integers::<i16>(|x| x as i16, 16);
    integers::<u16>(|x| x as u16, 16);
    integers::<i32>(|x| x as i32, 32);
    integers::<u32>(|x| x as u32, 32);
    integers::<i64>(|x| x as i64, 64);
    integers::<u64>(|x| x as u64, 64);
}

#[test]
fn integer_powers_of_floats_are_repeated_multiplications() {
    let stream = stream();
    let bases = [2.0f64, -3.0, 0.5, 1.1, 0.0, f64::INFINITY];
    let exponents = [0, 1, 2, 5, -1, -3];
    let x = shaped(&stream, [6, 1], &bases);
    let got = values(x.powi(upload(&stream, &exponents)));
    for (i, &base) in bases.iter().enumerate() {
        for (j, &exponent) in exponents.iter().enumerate() {
            let wanted = base.powi(exponent);
            let close = (got[6 * i + j] - wanted).abs() <= 1e-15 * wanted.abs();
            assert!(got[6 * i + j] == wanted || close, "{base} {exponent}");
        }
    }
    let halves = upload(&stream, &[f16::from_f32(3.0)]);
    assert_eq!(values(halves.powi(-2)), [f16::from_f32(1.0 / 9.0)]);
    let nan = values(upload(&stream, &[f32::NAN]).powi(2));
    assert!(nan[0].is_nan());
}

#[test]
fn logarithms_of_sums_do_not_overflow() {
    let stream = stream();
    let infinity = f64::INFINITY;
    let a = [
        0.0,
        1.0,
        -800.0,
        800.0,
        3.0,
        infinity,
        -infinity,
        -infinity,
        f64::NAN,
        5.0,
    ];
    let b = [
        0.0, 2.0, -801.0, 1.0, -900.0, infinity, -infinity, 4.0, 1.0, -infinity,
    ];
    let (x, y) = (upload(&stream, &a), upload(&stream, &b));
    let check = |got: Vec<f64>, exp: fn(f64) -> f64, log: fn(f64) -> f64| {
        for (i, got) in got.into_iter().enumerate() {
            let top = a[i].max(b[i]);
            let wanted = match a[i] + b[i] {
                sum if sum.is_nan() => f64::NAN,
                _ if top.is_infinite() => top,
                _ => top + log(exp(a[i] - top) + exp(b[i] - top)),
            };
            let close = (got - wanted).abs() <= 4e-16 * wanted.abs();
            assert!(
                got == wanted || close || (got.is_nan() && wanted.is_nan()),
                "{i}: {got} {wanted}"
            );
        }
    };
    check(values(x.logaddexp(&y)), f64::exp, f64::ln);
    check(values(x.logaddexp2(&y)), f64::exp2, f64::log2);
    let halves = upload(&stream, &[bf16::from_f32(2.0)]).logaddexp(bf16::from_f32(2.0));
    assert_eq!(values(halves), [bf16::from_f32(2.0 + 2f32.ln())]);
}

#[test]
fn decimals_are_rounded_to_even() {
    let stream = stream();
    let mut random = Random(3);
    let mut host: Vec<f64> = (0..500).map(|_| random.between(-1e5, 1e5)).collect();
    host.extend([
        0.5,
        1.5,
        2.5,
        -0.125,
        1e300,
        -1e300,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
        -0.0,
    ]);
    let x = upload(&stream, &host);
    for decimals in [0, 1, 2, 10, -1, -3] {
        let power = 10f64.powi(i32::abs(decimals));
        let wanted = host.iter().map(|&x| {
            let scaled = if decimals < 0 { x / power } else { x * power };
            let whole = scaled.round_ties_even();
            match scaled.is_finite() {
                true => {
                    if decimals < 0 {
                        whole * power
                    } else {
                        whole / power
                    }
                }
                false => x,
            }
        });
        let bits = |x: f64| if x.is_nan() { 0 } else { x.to_bits() };
        let wanted: Vec<u64> = wanted.map(bits).collect();
        let got: Vec<u64> = values(x.around(decimals)).into_iter().map(bits).collect();
        assert_eq!(got, wanted, "{decimals}");
    }
    let halves = upload(&stream, &[f16::from_f32(1234.0), f16::from_f32(0.125)]);
    assert_eq!(values(halves.around(2)), [1234.0, 0.12].map(f16::from_f32));
    assert_eq!(values(upload(&stream, &[1e38f32]).around(3)), [1e38]);
    // The power of 10 is infinite.
    assert_eq!(
        values(upload(&stream, &[5.0f32, 1e38]).around(-39)),
        [0.0; 2]
    );
    assert_eq!(values(upload(&stream, &[-5.0f64]).around(-400)), [0.0]);
}

#[test]
fn closeness_has_tolerances_relative_to_the_other_number() {
    let stream = stream();
    let (nan, infinity) = (f32::NAN, f32::INFINITY);
    let a = [1.0, 1.1, 100.0, infinity, infinity, nan, 1.0, 0.0, 1.0];
    let b = [
        1.05, 1.0, 109.0, infinity, -infinity, nan, nan, 1e-3, infinity,
    ];
    let (x, y) = (upload(&stream, &a), upload(&stream, &b));
    let wanted = |rtol: f32, atol: f32| -> Vec<bool> {
        let pairs = a.iter().zip(&b);
        let close = |(a, b): (&f32, &f32)| {
            a == b || (b.is_finite() && (a - b).abs() <= atol + rtol * b.abs())
        };
        pairs.map(close).collect()
    };
    assert_eq!(values(x.isclose(&y, 0.09, 0.0)), wanted(0.09, 0.0));
    assert_eq!(values(x.isclose(&y, 0.0, 0.07)), wanted(0.0, 0.07));
    assert_eq!(values(x.allclose(&x + 1e-9, 1e-5, 1e-8)), [false]); // NaN
    let head = x.slice(s![..3]).unwrap();
    assert_eq!(
        values(head.allclose(&y.slice(s![..3]).unwrap(), 0.2, 0.0)),
        [true]
    );
    let z = upload(&stream, &[Complex::new(3.0f64, 4.0)]);
    assert_eq!(values(z.isclose(Complex::new(3.3, 4.4), 0.1, 0.0)), [true]);
    assert_eq!(values(z.isclose(Complex::new(3.3, 4.5), 0.1, 0.0)), [false]);
    // The tolerance is less than half a unit of the type, but the distance is exact.
    let halves = upload(&stream, &[f16::from_f32(1.0)]);
    assert_eq!(
        values(halves.isclose(f16::from_f32(1.001), 0.0, 9e-4)),
        [false]
    );
    assert_eq!(
        values(halves.isclose(f16::from_f32(1.001), 0.0, 1e-3)),
        [true]
    );
}

#[test]
fn cross_products_are_broadcast() {
    let stream = stream();
    let mut random = Random(5);
    let a: Vec<i64> = (0..4 * 3).map(|_| random.below(100) as i64 - 50).collect();
    let b: Vec<i64> = (0..5 * 3).map(|_| random.below(100) as i64 - 50).collect();
    let (x, y) = (shaped(&stream, [4, 1, 3], &a), shaped(&stream, [5, 3], &b));
    let mut wanted = Vec::new();
    for a in a.chunks(3) {
        for b in b.chunks(3) {
            wanted.extend([1, 2, 0].map(|i| {
                let j = (i + 1) % 3;
                a[i] * b[j] - a[j] * b[i]
            }));
        }
    }
    let product = x.cross(&y).unwrap().eval().unwrap();
    assert_eq!(product.shape(), [4, 5, 3]);
    assert_eq!(elements(Ok(product)), wanted);
    failure(x.cross(upload(&stream, &[1, 2]))).mentions("cross: shapes [4, 1, 3] and [2]");
    failure(x.cross(1)).mentions("length 3");
}
