//! Real numbers: exact to the bit where IEEE 754 specifies the result, otherwise within bounds.

use cuda_compute::device_fn;

use crate::suite::{
    Near::{Equal, Within},
    Suite,
};

macro_rules! reals {
    ($($test:ident $type:ident $bits:ident)*) => {$(
        #[test]
        fn $test() {
            Suite::new()
                .same(device_fn!(|a: $type, b: $type| a + b))
                .same(device_fn!(|a: $type, b: $type| a - b * 0.1))
                .same(device_fn!(|a: $type, b: $type| a / b))
                .same(device_fn!(|a: $type, b: $type| a % b))
                .same(device_fn!(|a: $type, b: $type| -a - -b - (-1.5 - -a)))
                .same(device_fn!(|a: $type, b: $type| (a - (b - 1.0)) * (a / (b / 3.0))))
                .same(device_fn!(|a: $type, b: $type| { let mut x = a; x += b; x *= a; x -= 0.5; x /= b; x %= 2.0; x }))
                .same(device_fn!(|a: $type, b: $type| a < b || a >= 1.0 && a != b))
                .same(device_fn!(|a: $type, b: $type| !(a <= b) == (a > b)))
                .same(device_fn!(|a: $type, b: $type, c: $type| a.mul_add(b, c)))
                .same(device_fn!(|a: $type| a.sqrt() + a.abs().sqrt()))
                .same(device_fn!(|a: $type| a.floor()))
                .same(device_fn!(|a: $type| a.ceil()))
                .same(device_fn!(|a: $type| a.trunc()))
                .same(device_fn!(|a: $type| a.round()))
                .same(device_fn!(|a: $type| a.round_ties_even()))
                .same(device_fn!(|a: $type| a.fract()))
                .same(device_fn!(|a: $type| a.signum() / 2.0))
                .same(device_fn!(|a: $type, b: $type| a.copysign(b)))
                .check(device_fn!(|a: $type, b: $type| a.max(b)), Equal)
                .check(device_fn!(|a: $type, b: $type| $type::min(a, b)), Equal)
                .same(device_fn!(|a: $type, b: $type| a.clamp(-1.0, b)))
                .against(device_fn!(|a: $type| a.clamp(1.0, -1.0)), |(a,)| if a.is_nan() { a } else { -1.0 })
                .against(device_fn!(|a: $type| a.clamp($type::NAN, 1.0)), |_| $type::NAN)
                .same(device_fn!(|a: $type| a.recip() * 2.0))
                .same(device_fn!(|a: $type| a.to_degrees()))
                .same(device_fn!(|a: $type| a.to_radians()))
                .same(device_fn!(|a: $type, b: $type| a.rem_euclid(b)))
                .same(device_fn!(|a: $type, b: $type| a.div_euclid(b)))
                .same(device_fn!(|a: $type| a.is_nan() || a.is_infinite()))
                .same(device_fn!(|a: $type| a.is_finite() && !a.is_sign_negative()))
                .against(device_fn!(|a: $type| if a.is_nan() { 0 } else { a.to_bits() }), |(a,)| {
                    if a.is_nan() { 0 } else { a.to_bits() }
                })
                .same(device_fn!(|bits: $bits| $type::from_bits(bits) + 0.0))
                .same(device_fn!(|a: $type| { if a > $type::MAX / 2.0 { $type::MIN } else { $type::MIN_POSITIVE } }))
                .same(device_fn!(|a: bool| if a { $type::INFINITY } else { $type::NEG_INFINITY + $type::NAN }))
                .same(device_fn!(|a: $type| a + 1e-40 * a + 4.0e-44))
                .same(device_fn!(|a: $type| a * 16_777_217.0 + 0.3e-7 - 123_456_789.123_456_789))
                .same(device_fn!(|a: $type| a.abs() + $type::EPSILON))
                .run();
        }
    )*};
}

reals! {
    floats f32 u32
    doubles f64 u64
}

// Each bound is the sum of the errors of both sides, in units in the last place: those of CUDA as
// stated in its guide, and those of the CPU for a typical C library. Rust computes the inverse
// hyperbolic functions by formulas. Therefore small results are off by several roundings of 1, and
// arguments near the largest number overflow.
macro_rules! transcendental {
    ($($test:ident $type:ident $distance:literal)*) => {$(
        #[test]
        #[cfg_attr(windows, ignore = "functions of mingw's C library are less accurate than the device's")]
        fn $test() {
            let few = Within(4, 0.0);
            let formula = Within(8, $distance);
            Suite::new()
                .check(device_fn!(|a: $type| a.sin()), few)
                .check(device_fn!(|a: $type| a.cos()), few)
                .check(device_fn!(|a: $type| a.tan()), Within(6, 0.0))
                .check(device_fn!(|a: $type| a.asin()), few)
                .check(device_fn!(|a: $type| a.acos()), few)
                .check(device_fn!(|a: $type| a.atan()), few)
                .check(device_fn!(|a: $type, b: $type| a.atan2(b)), few)
                .check(device_fn!(|a: $type| a.sinh()), few)
                .check(device_fn!(|a: $type| a.cosh()), few)
                .check(device_fn!(|a: $type| a.tanh()), few)
                .check(device_fn!(|a: $type| (a * 0.25).asinh()), formula)
                .check(device_fn!(|a: $type| (a * 0.25).acosh()), formula)
                .check(device_fn!(|a: $type| a.atanh()), formula)
                .check(device_fn!(|a: $type| a.exp()), few)
                .check(device_fn!(|a: $type| a.exp2()), few)
                .check(device_fn!(|a: $type| a.exp_m1()), few)
                .check(device_fn!(|a: $type| a.ln()), few)
                .check(device_fn!(|a: $type| a.ln_1p()), few)
                .check(device_fn!(|a: $type| a.log2()), few)
                .check(device_fn!(|a: $type| a.log10()), few)
                .check(device_fn!(|a: $type| a.cbrt()), few)
                .check(device_fn!(|a: $type, b: $type| a.powf(b)), Within(10, 0.0))
                .check(device_fn!(|a: $type, b: $type| a.hypot(b)), few)
                .check(device_fn!(|a: $type| a.powi(3) + a.powi(-2)), few)
                .check(device_fn!(|a: $type, n: i8| a.powi(n as i32)), Within(1, 0.0))
                .check(device_fn!(|a: $type| a * std::$type::consts::PI + core::$type::consts::LN_2), few)
                .run();
        }
    )*};
}

transcendental! {
    functions_of_floats f32 2e-6
    functions_of_doubles f64 1e-14
}
