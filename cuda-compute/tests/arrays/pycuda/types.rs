//! Operands of several types, bools, integers and half precision.

use std::ops::{Add, Mul, Sub};

use cuda_compute::{Array, CastFrom, DataType, Element, Number, eval};
use cuda_safe::Stream;
use half::{bf16, f16};
use num_complex::Complex;

use super::{value, values};
use crate::{OnHost, random::Random, shaped, stream, upload};

/// Numbers that can be converted to the widest type for comparison.
trait Wide: Number {
    fn of(integer: i32) -> Self;
    fn wide(self) -> Complex<f64>;
}

macro_rules! wide {
    ($($type:ty: $of:expr, $wide:expr;)*) => {
        $(impl Wide for $type {
            fn of(integer: i32) -> Self {
                $of(integer)
            }
            fn wide(self) -> Complex<f64> {
                $wide(self)
            }
        })*
    };
}

wide! {
    i32: |i| i, |v| Complex::from(f64::from(v));
    i64: i64::from, |v| Complex::from(v as f64);
    f32: |i| i as f32, |v| Complex::from(f64::from(v));
    f64: f64::from, Complex::from;
    Complex<f32>: |i| Complex::new(i as f32, (i % 7) as f32), |v: Complex<f32>| Complex::new(v.re.into(), v.im.into());
    Complex<f64>: |i| Complex::new(f64::from(i), f64::from(i % 7)), |v| v;
}

#[track_caller]
fn near<T: Wide>(got: &Array<T>, wanted: impl Iterator<Item = Complex<f64>>, what: &str) {
    assert_eq!(got.shape(), [10, 4]);
    for (got, wanted) in got.host().into_iter().zip(wanted) {
        let off = (got.wide() - wanted).norm();
        let equal = got.wide() == wanted || (got.wide().is_nan() && wanted.is_nan());
        assert!(
            equal || off <= 5e-5 * wanted.norm(),
            "{what}: {got:?}, not {wanted}"
        );
    }
}

/// Checks sums, differences and products in `R`, and quotients in `Q`. These are the types that
/// NumPy chooses for `A` and `B`.
fn pair<A: Wide, B: Wide, R, Q>(stream: &Stream)
where
    R: Wide + CastFrom<A> + CastFrom<B> + Add<Output = R> + Sub<Output = R> + Mul<Output = R>,
    Q: Wide + CastFrom<A> + CastFrom<B>,
{
    let mut random = Random(42);
    let integers = |random: &mut Random| -> Vec<i32> {
        (0..40).map(|_| random.below(84) as i32 - 42).collect()
    };
    let a: Vec<A> = integers(&mut random).into_iter().map(A::of).collect();
    let mut b = integers(&mut random);
    let real = |data| !matches!(data, DataType::Complex32 | DataType::Complex64);
    let reals = real(A::DATA_TYPE) && real(B::DATA_TYPE);
    b[7] = 0;
    if !reals {
        // The quotient of a complex number and 0 depends on the formula, so it is not compared.
        b.iter_mut().filter(|v| **v == 0).for_each(|v| *v = 5);
    }
    let b: Vec<B> = b.into_iter().map(B::of).collect();
    let x = Array::from_shape(stream, [10, 4], &a).unwrap();
    let y = Array::from_shape(stream, [10, 4], &b).unwrap();
    let as_r = (x.cast::<R>(), y.cast::<R>());
    let as_q = (x.cast::<Q>(), y.cast::<Q>());
    let (sum, difference, product, quotient) = eval((
        &as_r.0 + &as_r.1,
        &as_r.0 - &as_r.1,
        &as_r.0 * &as_r.1,
        &as_q.0 / &as_q.1,
    ))
    .unwrap();
    let both = || a.iter().zip(&b).map(|(a, b)| (a.wide(), b.wide()));
    let what = format!("{:?} and {:?}", A::DATA_TYPE, B::DATA_TYPE);
    near(&sum, both().map(|(a, b)| a + b), &what);
    near(&difference, both().map(|(a, b)| a - b), &what);
    near(&product, both().map(|(a, b)| a * b), &what);
    match reals {
        true => near(&quotient, both().map(|(a, b)| (a.re / b.re).into()), &what),
        false => near(&quotient, both().map(|(a, b)| a / b), &what),
    }
}

#[test]
fn two_types() {
    type C32 = Complex<f32>;
    type C64 = Complex<f64>;
    let stream = stream();
    macro_rules! pairs {
        ($($a:ty, $b:ty => $result:ty, $quotient:ty;)*) => {
            $(pair::<$a, $b, $result, $quotient>(&stream);)*
        };
    }
    pairs! {
        i32, i32 => i32, f64; i32, i64 => i64, f64; i32, f32 => f64, f64;
        i32, f64 => f64, f64; i32, C32 => C64, C64; i32, C64 => C64, C64;
        i64, i32 => i64, f64; i64, i64 => i64, f64; i64, f32 => f64, f64;
        i64, f64 => f64, f64; i64, C32 => C64, C64; i64, C64 => C64, C64;
        f32, i32 => f64, f64; f32, i64 => f64, f64; f32, f32 => f32, f32;
        f32, f64 => f64, f64; f32, C32 => C32, C32; f32, C64 => C64, C64;
        f64, i32 => f64, f64; f64, i64 => f64, f64; f64, f32 => f64, f64;
        f64, f64 => f64, f64; f64, C32 => C64, C64; f64, C64 => C64, C64;
        C32, i32 => C64, C64; C32, i64 => C64, C64; C32, f32 => C32, C32;
        C32, f64 => C64, C64; C32, C32 => C32, C32; C32, C64 => C64, C64;
        C64, i32 => C64, C64; C64, i64 => C64, C64; C64, f32 => C64, C64;
        C64, f64 => C64, C64; C64, C32 => C64, C64; C64, C64 => C64, C64;
    }
}

#[test]
fn bools() {
    let stream = stream();
    let host: Vec<f32> = (0..40).map(|i| ((i * 7) % 5) as f32).collect();
    let x = shaped(&stream, [10, 4], &host).cast::<bool>();
    let ones = Array::full(&stream, [10, 4], true).unwrap();
    let zeros = Array::full(&stream, [10, 4], false).unwrap();
    let truth: Vec<bool> = host.iter().map(|&v| v != 0.0).collect();
    let no: Vec<bool> = truth.iter().map(|t| !t).collect();
    assert_eq!(values(&x & &ones), truth);
    assert_eq!(values(&x & &zeros), [false; 40]);
    assert_eq!(values(&x | &ones), [true; 40]);
    assert_eq!(values(&x | &zeros), truth);
    assert_eq!(values(&x & true), truth);
    assert_eq!(values(false | &x), truth);
    assert_eq!(values(&x ^ true), no);
    assert_eq!(values(!&x), no);
    // A single element has a truth value. Several elements do not.
    assert!(value(
        Array::full(&stream, [1, 1], 5).unwrap().cast::<bool>()
    ));
    assert!(x.eval().unwrap().item().is_err());
    let mut y = Array::<i32>::zeros(&stream, [10, 4]).unwrap();
    y.fill(1729).unwrap();
    assert_eq!(y.host(), [1729; 40]);
}

#[test]
fn integers() {
    let stream = stream();
    let a = upload(&stream, &[7, -7, 100, i32::MAX]);
    let b = upload(&stream, &[2, 2, -7, 1]);
    assert_eq!(values(&a / &b), [3, -3, -14, i32::MAX]);
    assert_eq!(values(&a % &b), [1, -1, 2, 0]);
    assert_eq!(values(&a / 2), [3, -3, 50, i32::MAX / 2]);
    assert_eq!(values(100 / &b), [50, 50, -14, 100]);
    assert_eq!(values(&a / 0), [0; 4]);
    assert_eq!(values(&a << 1), [14, -14, 200, -2]);
    assert_eq!(values((&a & 3) | 8), [11, 9, 8, 11]);
    // PyCUDA lacks some operations for halves, small integers and unsigned integers. Here all types
    // have them.
    fn all<T: Number + PartialEq>(stream: &Stream) {
        let two = Array::full(stream, 5, T::ONE).unwrap() + T::ONE;
        let four = (&two * &two).eval().unwrap();
        assert_eq!(
            values(&four / &two),
            values(&two * T::ONE),
            "{:?}",
            T::DATA_TYPE
        );
        assert_eq!(values(&four - &two - &two), [T::ZERO; 5]);
        assert!(value(two.product().not_equal(two.sum())));
    }
    all::<i8>(&stream);
    all::<u8>(&stream);
    all::<i16>(&stream);
    all::<u16>(&stream);
    all::<u32>(&stream);
    all::<u64>(&stream);
    all::<f16>(&stream);
    all::<bf16>(&stream);
}

#[test]
fn types_never_change_silently() {
    fn data<T: Element>(_: &cuda_compute::Expr<T>) -> DataType {
        T::DATA_TYPE
    }
    let stream = stream();
    let x = upload(&stream, &[1.5f32, 2.5]);
    assert_eq!(data(&(&x + 1.5)), DataType::F32);
    assert_eq!(data(&x.greater(1.5)), DataType::Bool);
    assert_eq!(data(&(x.cast::<f64>() + 0.1)), DataType::F64);
    assert_eq!(values(x.cast::<f64>() + 0.1), [1.6, 2.6]);
    assert_eq!(data(&x.sum()), DataType::F32);
    assert_eq!(data(&x.greater(1.5).count()), DataType::U64);
}
