//! Complex functions of infinities, NaN and signed zeros, compared with the C library, which
//! follows Annex G of the C standard.

use cuda_compute::{Array, ComplexNumber, Element, Expr, eval};
use num_complex::Complex;

use crate::{OnHost, stream};

type C = Complex<f64>;

// The C library's functions.
// SAFETY: the declarations match C's and accept any number. A structure of two `f64` is passed and
// returned as C's `double _Complex`.
unsafe extern "C" {
    safe fn csqrt(z: C) -> C;
    safe fn cexp(z: C) -> C;
    safe fn clog(z: C) -> C;
    safe fn clog10(z: C) -> C;
    safe fn csin(z: C) -> C;
    safe fn ccos(z: C) -> C;
    safe fn ctan(z: C) -> C;
    safe fn csinh(z: C) -> C;
    safe fn ccosh(z: C) -> C;
    safe fn ctanh(z: C) -> C;
    safe fn cabs(z: C) -> f64;
    safe fn carg(z: C) -> f64;
}

/// The part of the argument in which a function is periodic.
#[derive(Clone, Copy, PartialEq)]
enum Angle {
    Neither,
    Real,
    Imaginary,
}

/// Returns whether Annex G specifies the signs of zeros and infinities of the result.
fn signs_are_decided(z: C, angle: Angle) -> bool {
    let angle = match angle {
        Angle::Neither => 0.0,
        Angle::Real => z.re,
        Angle::Imaginary => z.im,
    };
    angle.is_finite() && !z.is_nan()
}

/// Returns whether a part has the expected value: the same NaN, infinity or zero, or a number near
/// it.
fn is_near(got: f64, wanted: f64, signs: bool, off: f64) -> bool {
    if wanted.is_nan() || got.is_nan() {
        return wanted.is_nan() && got.is_nan();
    }
    if wanted == 0.0 || wanted.is_infinite() {
        let same_sign = got.is_sign_negative() == wanted.is_sign_negative();
        return got.abs() == wanted.abs() && (same_sign || !signs);
    }
    (got - wanted).abs() <= off * wanted.abs()
}

/// Returns all complex numbers with these parts.
fn grid(parts: &[f64]) -> Vec<C> {
    let pair = |&re: &f64| parts.iter().map(move |&im| C::new(re, im));
    parts.iter().flat_map(pair).collect()
}

/// A complex type, its conversion to `f64`, and the tolerance of its results.
trait Narrow: ComplexNumber {
    const OFF: f64;
    fn of(z: C) -> Self;
    fn wide(self) -> C;
    /// Rounds an exact result to the type.
    fn rounded(z: C) -> C {
        Self::of(z).wide()
    }
}

impl Narrow for C {
    const OFF: f64 = 1e-13;
    fn of(z: C) -> Self {
        z
    }
    fn wide(self) -> C {
        self
    }
}

impl Narrow for Complex<f32> {
    const OFF: f64 = 1e-5;
    fn of(z: C) -> Self {
        Self::new(z.re as f32, z.im as f32)
    }
    fn wide(self) -> C {
        C::new(self.re.into(), self.im.into())
    }
}

type Case<T> = (&'static str, fn(&Array<T>) -> Expr<T>, fn(C) -> C, Angle);

fn cases<T: Narrow>() -> Vec<Case<T>> {
    vec![
        ("sqrt", |z| z.sqrt(), |z| csqrt(z), Angle::Neither),
        ("exp", |z| z.exp(), |z| cexp(z), Angle::Imaginary),
        ("ln", |z| z.ln(), |z| clog(z), Angle::Neither),
        ("log10", |z| z.log10(), |z| clog10(z), Angle::Neither),
        ("sin", |z| z.sin(), |z| csin(z), Angle::Real),
        ("cos", |z| z.cos(), |z| ccos(z), Angle::Real),
        ("tan", |z| z.tan(), |z| ctan(z), Angle::Real),
        ("sinh", |z| z.sinh(), |z| csinh(z), Angle::Imaginary),
        ("cosh", |z| z.cosh(), |z| ccosh(z), Angle::Imaginary),
        ("tanh", |z| z.tanh(), |z| ctanh(z), Angle::Imaginary),
    ]
}

/// Compares every function with the C library's and reports all differences.
fn check<T: Narrow>(parts: &[f64]) {
    let host: Vec<T> = grid(parts).into_iter().map(T::of).collect();
    let z = Array::from_slice(&stream(), &host).unwrap();
    let mut wrong = Vec::new();
    for (name, device, exact, angle) in cases::<T>() {
        let got = device(&z).eval().unwrap().host();
        for (z, got) in host.iter().zip(got) {
            let (z, got) = (z.wide(), got.wide());
            let wanted = T::rounded(exact(z));
            let signs = signs_are_decided(z, angle);
            let near = |got, wanted| is_near(got, wanted, signs, T::OFF);
            if !near(got.re, wanted.re) || !near(got.im, wanted.im) {
                wrong.push(format!("{name}({z:?}) is {got:?}, not {wanted:?}"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Parts for which no function overflows or loses digits, and special values.
const PARTS: [f64; 13] = [
    0.0,
    -0.0,
    0.25,
    -0.25,
    1.0,
    -1.0,
    2.0,
    -3.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    25.0,
    -30.0,
];

#[test]
#[cfg_attr(
    windows,
    ignore = "functions of mingw's C library are less accurate than the device's"
)]
fn functions_of_special_values_follow_annex_g() {
    check::<C>(&PARTS);
    check::<Complex<f32>>(&PARTS);
}

#[test]
#[cfg_attr(
    windows,
    ignore = "functions of mingw's C library are less accurate than the device's"
)]
fn products_do_not_overflow_early() {
    // e^710 overflows `f64`, but e^710 sin(1e-5) does not. The same holds for e^89 and `f32`.
    check::<C>(&[0.0, -0.0, 1e-5, -1e-300, 1.0, 709.5, -710.5, 720.0, 1430.0]);
    check::<Complex<f32>>(&[0.0, -0.0, 1e-5, -1e-30, 1.0, 88.5, -89.5, 95.0, 180.0]);
}

#[test]
fn the_sign_of_zero_selects_the_square_root() {
    let z = [C::new(-4.0, 0.0), C::new(-4.0, -0.0), C::new(4.0, -0.0)];
    let roots = Array::from_slice(&stream(), &z).unwrap().sqrt();
    let roots = roots.eval().unwrap().host();
    let bits = |z: C| [z.re.to_bits(), z.im.to_bits()];
    let wanted = [C::new(0.0, 2.0), C::new(0.0, -2.0), C::new(2.0, -0.0)];
    assert_eq!(
        roots.into_iter().map(bits).collect::<Vec<_>>(),
        wanted.map(bits)
    );
}

#[test]
fn abs_and_arg_of_special_values() {
    let host = grid(&PARTS);
    let z = Array::from_slice(&stream(), &host).unwrap();
    let (sizes, angles) = eval((z.abs(), z.arg())).unwrap();
    let got = sizes.host().into_iter().zip(angles.host());
    for (z, (size, angle)) in host.into_iter().zip(got) {
        assert!(is_near(size, cabs(z), true, 1e-14), "abs({z:?}) is {size}");
        assert!(
            is_near(angle, carg(z), true, 1e-14),
            "arg({z:?}) is {angle}"
        );
    }
}

/// Evaluates an expression and returns its elements.
fn values<T: Element>(expression: Expr<T>) -> Vec<T> {
    expression.eval().unwrap().host()
}

/// The expected values are those of `np.power` of zero in NumPy 1.26, 2.0, 2.2 and 2.4, as
/// `complex64` and `complex128`, with zeros of either sign.
#[test]
fn powers_of_zero_match_numpy() {
    fn check<T: Narrow>() {
        let (nan, infinity) = (f64::NAN, f64::INFINITY);
        let (zero, one, both_nan) = (C::ZERO, C::ONE, C::new(nan, nan));
        for (exponent, wanted) in [
            ((2.0, 1.0), zero),
            ((2.0, -1.0), zero),
            ((2.0, 0.0), zero),
            ((1.0, 1.0), zero),
            ((0.5, 0.0), zero),
            ((0.5, 1.0), zero),
            ((infinity, 0.0), zero),
            ((2.0, nan), zero),
            ((0.0, 0.0), one),
            ((0.0, 1.0), both_nan),
            ((-1.0, 0.0), both_nan),
            ((-1.0, 1.0), both_nan),
            ((nan, 0.0), both_nan),
        ] {
            let zeros: Vec<T> = grid(&[0.0, -0.0]).into_iter().map(T::of).collect();
            let zeros = Array::from_slice(&stream(), &zeros).unwrap();
            let exponent = C::new(exponent.0, exponent.1);
            for got in values(zeros.pow(T::of(exponent))) {
                let got = got.wide();
                let near = |got, wanted| is_near(got, wanted, true, 0.0);
                assert!(
                    near(got.re, wanted.re) && near(got.im, wanted.im),
                    "0 to {exponent:?} is {got:?}, not {wanted:?}"
                );
            }
        }
    }
    check::<C>();
    check::<Complex<f32>>();
}

#[test]
fn powers_of_zero_and_infinity() {
    let (zero, infinity) = (C::new(0.0, 0.0), C::new(f64::INFINITY, 0.0));
    let real = |re| C::new(re, 0.0);
    let both_nan = |z: C| z.re.is_nan() && z.im.is_nan();
    let power = |a: C, b: C| {
        let a = Array::from_slice(&stream(), &[a]).unwrap();
        values(a.pow(b))[0]
    };
    assert_eq!(power(zero, zero), real(1.0));
    assert_eq!(power(zero, C::new(2.0, 1.0)), zero);
    assert!(both_nan(power(zero, real(-1.0))));
    assert!(both_nan(power(zero, C::new(0.0, 1.0))));
    assert_eq!(power(infinity, real(2.0)), infinity);
    assert_eq!(power(infinity, real(-2.0)), zero);
    assert_eq!(power(infinity, zero), real(1.0));
    // The sign of zero selects the side of the branch cut.
    assert!((power(C::new(-4.0, 0.0), real(0.5)).im - 2.0).abs() < 1e-12);
    assert!((power(C::new(-4.0, -0.0), real(0.5)).im + 2.0).abs() < 1e-12);
}

#[test]
fn quotients_by_zero_do_not_depend_on_its_sign() {
    // As in NumPy, the result depends only on the magnitude of the divisor's real part.
    let z = Array::from_slice(&stream(), &[C::new(1.0, -1.0); 4]).unwrap();
    let zeros = grid(&[0.0, -0.0]);
    let zeros = Array::from_slice(&stream(), &zeros).unwrap();
    let wanted = C::new(f64::INFINITY, f64::NEG_INFINITY);
    assert_eq!(values(&z / &zeros), [wanted; 4]);
}

#[test]
fn products_of_infinities_equal_the_last_running_product() {
    let infinity = Complex::new(f32::INFINITY, 0.0);
    let one = Complex::new(1.0f32, 0.0);
    for host in [&[infinity][..], &[one, infinity], &[infinity, one, one]] {
        let z = Array::from_slice(&stream(), host).unwrap();
        assert_eq!(values(z.product()), [infinity], "{host:?}");
        assert_eq!(z.cumprod(0).unwrap().host().last(), Some(&infinity));
    }
    let host = vec![infinity; 300];
    let rows = Array::from_shape(&stream(), [300, 1], &host).unwrap();
    assert_eq!(values(rows.product_axis(1)), host);
    assert_eq!(values(rows.t().product_axis(0)), host);
}
