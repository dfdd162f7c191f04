//! Methods of expressions and arrays: functions, comparisons, selections and conversions.

use std::sync::Arc;

use half::{bf16, f16};
use num_complex::Complex;

use super::{
    Expr, IntoExpr, Remainder, Shift, function,
    node::Node,
    operation::{Comparison, Operation},
};
use crate::{
    array::Array,
    element::{Class, ComplexNumber, Element, Float, Integer, Math, Number, Ordered, Signed},
};

/// Defines each method for expressions and for arrays.
macro_rules! methods {
    ($(
        $(#[$bound_doc:meta])*
        impl<$t:ident: $class:path> {$(
            $(#[$doc:meta])*
            pub fn $name:ident $(<$($g:ident: $gb:path),*>)? ($self:ident $(, $argument:ident: $argument_type:ty)*) -> $result:ty $body:block
        )*}
    )*) => {$(
        impl<$t: $class> Expr<$t> {$(
            $(#[$doc])*
            #[must_use]
            #[track_caller]
            pub fn $name $(<$($g: $gb),*>)? (&$self $(, $argument: $argument_type)*) -> $result $body
        )*}

        impl<$t: $class> Array<$t> {$(
            $(#[$doc])*
            #[must_use]
            #[track_caller]
            pub fn $name $(<$($g: $gb),*>)? (&$self $(, $argument: $argument_type)*) -> $result {
                $self.expr().$name($($argument),*)
            }
        )*}
    )*};
}

#[track_caller]
fn apply<T: Element, R: Element, const N: usize>(
    operation: Operation,
    inputs: [&Arc<Node>; N],
) -> Expr<R> {
    let _ = T::DATA_TYPE;
    Expr::of(Node::apply(operation, R::DATA_TYPE, inputs.map(Arc::clone)))
}

macro_rules! unary_functions {
    ($class:ident: $($(#[$doc:meta])* $name:ident $function:ident;)*) => {
        methods! {
            impl<T: $class> {$(
                $(#[$doc])*
                pub fn $name(self) -> Expr<T> {
                    apply::<T, T, 1>(Operation::Call(&function::$function), [&self.node])
                }
            )*}
        }
    };
}

unary_functions! { Math:
    /// Returns the square root.
    sqrt SQRT;
    /// Returns e raised to this power.
    exp EXP;
    /// Returns the natural logarithm.
    ln LN;
    /// Returns the base 10 logarithm.
    log10 LOG10;
    /// Returns the sine of an angle in radians.
    sin SIN;
    /// Returns the cosine of an angle in radians.
    cos COS;
    /// Returns the tangent of an angle in radians.
    tan TAN;
    /// Returns the hyperbolic sine.
    sinh SINH;
    /// Returns the hyperbolic cosine.
    cosh COSH;
    /// Returns the hyperbolic tangent.
    tanh TANH;
}

unary_functions! { Float:
    /// Returns 1 divided by the square root.
    rsqrt RSQRT;
    /// Returns the cube root.
    cbrt CBRT;
    /// Returns 1 divided by the cube root.
    rcbrt RCBRT;
    /// Returns 2 raised to this power.
    exp2 EXP2;
    /// Returns 10 raised to this power.
    exp10 EXP10;
    /// Returns e raised to this power, minus 1. The result is also accurate near 0.
    exp_m1 EXP_M1;
    /// Returns the natural logarithm of 1 plus this number. The result is also accurate near 0.
    ln_1p LN_1P;
    /// Returns the base 2 logarithm.
    log2 LOG2;
    /// Returns the arcsine, in radians.
    asin ASIN;
    /// Returns the arccosine, in radians.
    acos ACOS;
    /// Returns the arctangent, in radians.
    atan ATAN;
    /// Returns the sine of π times this number.
    sinpi SINPI;
    /// Returns the cosine of π times this number.
    cospi COSPI;
    /// Returns the inverse hyperbolic sine.
    asinh ASINH;
    /// Returns the inverse hyperbolic cosine.
    acosh ACOSH;
    /// Returns the inverse hyperbolic tangent.
    atanh ATANH;
    /// Evaluates the logistic function, 1 / (1 + exp(−x)). The result is accurate for all arguments.
    sigmoid SIGMOID;
    /// Returns x times its [`sigmoid`](Self::sigmoid), which is also called swish. It is NaN for −∞.
    silu SILU;
    /// Returns x times the normal distribution's probability up to x: x (1 + erf(x/√2)) / 2.
    gelu GELU;
    /// Evaluates the error function.
    erf ERF;
    /// Returns 1 minus the error function.
    erfc ERFC;
    /// Evaluates the scaled complementary error function, exp(x²) erfc(x).
    erfcx ERFCX;
    /// Evaluates the inverse of the error function.
    erfinv ERFINV;
    /// Evaluates the inverse of the complementary error function.
    erfcinv ERFCINV;
    /// Evaluates the cumulative distribution function of the standard normal distribution.
    normcdf NORMCDF;
    /// Evaluates the inverse of the cumulative distribution function of the standard normal
    /// distribution.
    normcdfinv NORMCDFINV;
    /// Returns the logarithm of the absolute value of the gamma function.
    lgamma LGAMMA;
    /// Evaluates the gamma function.
    tgamma TGAMMA;
    /// Evaluates the Bessel function of the first kind of order 0.
    j0 J0;
    /// Evaluates the Bessel function of the first kind of order 1.
    j1 J1;
    /// Evaluates the Bessel function of the second kind of order 0.
    y0 Y0;
    /// Evaluates the Bessel function of the second kind of order 1.
    y1 Y1;
    /// Evaluates the modified Bessel function of the first kind of order 0.
    i0 I0;
    /// Evaluates the modified Bessel function of the first kind of order 1.
    i1 I1;
    /// Rounds down.
    floor FLOOR;
    /// Rounds up.
    ceil CEIL;
    /// Rounds to the nearest integer, with ties away from zero.
    round ROUND;
    /// Rounds to the nearest integer, with ties to the even one.
    round_ties_even ROUND_TIES_EVEN;
    /// Rounds towards zero.
    trunc TRUNC;
    /// Returns the fractional part: this number minus [`trunc`](Self::trunc). C's `modf` returns
    /// both parts.
    fract FRACT;
    /// Returns the fraction of C's `frexp`: 0, or a number of magnitude 0.5 to 1.
    frexp_fraction FREXP_FRACTION;
}

unary_functions! { Real:
    /// Returns the sign: −1, 0 or 1 for integers, and −1 or 1 from the sign bit for floats. Returns
    /// NaN for NaN.
    signum SIGNUM;
}

/// Signed numbers that are not complex.
pub trait Real: Signed + Ordered {}
impl Real for i8 {}
impl Real for i16 {}
impl Real for i32 {}
impl Real for i64 {}
impl Real for f16 {}
impl Real for bf16 {}
impl Real for f32 {}
impl Real for f64 {}

macro_rules! binary_functions {
    ($class:ident: $($(#[$doc:meta])* $name:ident $operation:expr;)*) => {
        methods! {
            impl<T: $class> {$(
                $(#[$doc])*
                pub fn $name(self, other: impl IntoExpr<T>) -> Expr<T> {
                    apply::<T, T, 2>($operation, [&self.node, &other.into_expr().node])
                }
            )*}
        }
    };
}

binary_functions! { Ordered:
    /// Returns the smaller of two numbers. Ignores a single NaN, as [`f32::min`] and NumPy's `fmin`
    /// do.
    minimum Operation::Scalar("min");
    /// Returns the larger of two numbers. Ignores a single NaN, as [`f32::max`] and NumPy's `fmax`
    /// do.
    maximum Operation::Scalar("max");
    /// Returns the smaller of two numbers, or NaN if one of them is NaN, like NumPy's `minimum`.
    minimum_or_nan Operation::Scalar("minimum_or_nan");
    /// Returns the larger of two numbers, or NaN if one of them is NaN, like NumPy's `maximum`.
    maximum_or_nan Operation::Scalar("maximum_or_nan");
}

binary_functions! { Remainder:
    /// Returns the quotient of Euclidean division, like Rust's `div_euclid`. It is rounded so that
    /// [`rem_euclid`](Self::rem_euclid) is not negative. Integers wrap around. Dividing an integer
    /// by 0 yields 0.
    div_euclid Operation::Scalar("div_euclid");
    /// Returns the remainder of Euclidean division, which is not negative, like Rust's
    /// `rem_euclid`. The remainder of an integer divided by 0 is 0.
    rem_euclid Operation::Scalar("rem_euclid");
    /// Returns the quotient rounded down, like `//` in Python and NumPy. Integers wrap around.
    /// Dividing an integer by 0 yields 0.
    div_floor Operation::Scalar("div_floor");
    /// Returns the remainder with the divisor's sign, like `%` in Python and NumPy. The remainder
    /// of an integer divided by 0 is 0.
    mod_floor Operation::Scalar("mod_floor");
}

binary_functions! { Shift:
    /// Shifts left by any count, like Rust's `unbounded_shl` and NumPy's `<<`. The result is 0 if
    /// the count is at least the number of bits. A negative count is treated as a large one.
    unbounded_shl Operation::Scalar("unbounded_shl");
    /// Shifts right by any count, like Rust's `unbounded_shr` and NumPy's `>>`. If the count is at
    /// least the number of bits, the result is 0, or −1 for negative numbers. A negative count is
    /// treated as a large one.
    unbounded_shr Operation::Scalar("unbounded_shr");
}

binary_functions! { Number:
    /// Raises this number to a power, like NumPy's `power`.
    ///
    /// Integers wrap around. For negative exponents, the result of integers is the exact power
    /// rounded towards zero, and that of 0 is 0. NumPy rejects negative exponents.
    pow match T::DATA_TYPE.class() {
        Class::Signed | Class::Unsigned => Operation::Scalar("power"),
        _ => Operation::Call(&function::POW),
    };
}

binary_functions! { Integer:
    /// Returns the greatest common divisor, like NumPy's `gcd`. It is not negative, except that the
    /// divisor of the type's lowest number and itself or 0 wraps around. The divisor of 0 and 0 is 0.
    gcd Operation::Scalar("gcd");
    /// Returns the least common multiple, like NumPy's `lcm`. It is not negative unless it wraps
    /// around. The multiple of 0 and any number is 0.
    lcm Operation::Scalar("lcm");
}

binary_functions! { Float:
    /// Returns the logarithm of the sum of e raised to this power and e raised to `other`, like
    /// NumPy's `logaddexp`. The result is accurate even if e raised to an operand overflows or
    /// underflows. If an operand is +∞, so is the result.
    logaddexp Operation::Scalar("logaddexp");
    /// Returns the base 2 logarithm of the sum of 2 raised to this power and 2 raised to `other`,
    /// like NumPy's `logaddexp2`.
    logaddexp2 Operation::Scalar("logaddexp2");
}

binary_functions! { Float:
    /// Returns the angle of the point whose y is this number and whose x is `other`, in radians.
    atan2 Operation::Call(&function::ATAN2);
    /// Returns the length of the hypotenuse, without intermediate overflow.
    hypot Operation::Call(&function::HYPOT);
    /// Returns this number's magnitude with the sign of `other`.
    copysign Operation::Call(&function::COPYSIGN);
    /// Returns the next number towards `other`. For `f16` and `bf16`, this is the next `f32`,
    /// rounded.
    next_after Operation::Call(&function::NEXT_AFTER);
    /// Returns the difference if it is positive, and otherwise 0.
    fdim Operation::Call(&function::FDIM);
}

macro_rules! comparisons {
    ($class:ident: $($(#[$doc:meta])* $name:ident $comparison:ident;)*) => {
        methods! {
            impl<T: $class> {$(
                $(#[$doc])*
                pub fn $name(self, other: impl IntoExpr<T>) -> Expr<bool> {
                    let operation = Operation::Compare(Comparison::$comparison);
                    apply::<T, bool, 2>(operation, [&self.node, &other.into_expr().node])
                }
            )*}
        }
    };
}

comparisons! { Element:
    /// Returns whether the elements are equal.
    equal Equal;
    /// Returns whether the elements are not equal.
    not_equal NotEqual;
}

comparisons! { Ordered:
    /// Returns whether this number is less than the other.
    less Less;
    /// Returns whether this number is less than or equal to the other.
    less_equal LessEqual;
    /// Returns whether this number is greater than the other.
    greater Greater;
    /// Returns whether this number is greater than or equal to the other.
    greater_equal GreaterEqual;
}

methods! {
    impl<T: Element> {
        /// Converts each element to another type, as Rust's `as` does:
        ///
        /// - to an integer: rounds towards zero and clamps to the integer's range; NaN becomes 0
        /// - to a float: the nearest float. 8-bit floats clamp to their largest number, as CUDA's
        ///   conversions and the crate `float8` do
        /// - to `bool`: whether the element is not 0
        /// - to a complex number: the imaginary part is 0
        pub fn cast<R: CastFrom<T>>(self) -> Expr<R> {
            apply::<T, R, 1>(Operation::Cast, [&self.node])
        }
    }

    impl<T: Absolute> {
        /// Returns the absolute value, which for a complex number is its distance from 0.
        pub fn abs(self) -> Expr<T::Size> {
            apply::<T, T::Size, 1>(Operation::Absolute, [&self.node])
        }
    }

    impl<T: Ordered> {
        /// Clamps to the range from `low` to `high`, like NumPy's `clip`. Returns NaN if the
        /// element or a bound is NaN. Returns `high` if `low > high`.
        pub fn clamp(self, low: impl IntoExpr<T>, high: impl IntoExpr<T>) -> Expr<T> {
            self.maximum_or_nan(low).minimum_or_nan(high)
        }
    }

    impl<T: Float> {
        /// Multiplies by a factor and adds an addend, rounded once. For `f16` and `bf16`, the
        /// result is rounded to `f32` and then to the type.
        pub fn mul_add(self, factor: impl IntoExpr<T>, addend: impl IntoExpr<T>) -> Expr<T> {
            let inputs = [&self.node, &factor.into_expr().node, &addend.into_expr().node];
            apply::<T, T, 3>(Operation::Call(&function::MUL_ADD), inputs)
        }

        /// Raises this number to an integer power by repeated multiplication, like [`f32::powi`]. Each
        /// multiplication rounds. [`pow`](Self::pow) takes any exponent and has an error bound.
        pub fn powi(self, exponent: impl IntoExpr<i32>) -> Expr<T> {
            apply::<T, T, 2>(Operation::Scalar("powi"), [&self.node, &exponent.into_expr().node])
        }

        /// Multiplies by 2 raised to a power.
        pub fn ldexp(self, power: impl IntoExpr<i32>) -> Expr<T> {
            apply::<T, T, 2>(Operation::Call(&function::LDEXP), [&self.node, &power.into_expr().node])
        }

        /// Returns the exponent of C's `frexp`.
        pub fn frexp_exponent(self) -> Expr<i32> {
            apply::<T, i32, 1>(Operation::Call(&function::FREXP_EXPONENT), [&self.node])
        }

        /// Returns whether the number is NaN.
        pub fn is_nan(self) -> Expr<bool> {
            apply::<T, bool, 1>(Operation::Call(&function::IS_NAN), [&self.node])
        }

        /// Returns whether the number is neither infinite nor NaN.
        pub fn is_finite(self) -> Expr<bool> {
            apply::<T, bool, 1>(Operation::Call(&function::IS_FINITE), [&self.node])
        }

        /// Returns whether the number is infinite.
        pub fn is_infinite(self) -> Expr<bool> {
            apply::<T, bool, 1>(Operation::Call(&function::IS_INFINITE), [&self.node])
        }
    }

    impl<T: Integer> {
        /// Counts the bits that are 1, in two's complement.
        pub fn count_ones(self) -> Expr<T> {
            apply::<T, T, 1>(Operation::Call(&function::COUNT_ONES), [&self.node])
        }
    }

    impl<T: ComplexNumber> {
        /// Returns the real part.
        pub fn real(self) -> Expr<T::Real> {
            apply::<T, T::Real, 1>(Operation::Real, [&self.node])
        }

        /// Returns the imaginary part.
        pub fn imag(self) -> Expr<T::Real> {
            apply::<T, T::Real, 1>(Operation::Imaginary, [&self.node])
        }

        /// Returns the complex conjugate.
        pub fn conj(self) -> Expr<T> {
            apply::<T, T, 1>(Operation::Conjugate, [&self.node])
        }

        /// Returns the square of the absolute value.
        pub fn norm_sqr(self) -> Expr<T::Real> {
            apply::<T, T::Real, 1>(Operation::Call(&function::NORM_SQUARED), [&self.node])
        }

        /// Returns the angle from the positive real axis, in radians.
        pub fn arg(self) -> Expr<T::Real> {
            apply::<T, T::Real, 1>(Operation::Call(&function::ARGUMENT), [&self.node])
        }
    }
}

/// Numbers with an absolute value.
pub trait Absolute: Number {
    /// The type of the absolute value: the real type for complex numbers, and the number's own type
    /// for others.
    type Size: Element;
}

macro_rules! absolute {
    ($($type:ty: $size:ty),*) => {
        $(impl Absolute for $type {
            type Size = $size;
        })*
    };
}

absolute!(
    i8: i8, i16: i16, i32: i32, i64: i64, u8: u8, u16: u16, u32: u32, u64: u64,
    isize: isize, usize: usize, f16: f16, bf16: bf16, f32: f32, f64: f64, Complex<f32>: f32, Complex<f64>: f64
);

/// Target types of [`cast`](Expr::cast).
///
/// `bool` and numbers can be converted to each other. The only exception is a conversion from a
/// complex number to a type that is not complex: take its real part first. This trait is sealed.
#[diagnostic::on_unimplemented(
    message = "`{T}` can't be cast to `{Self}`",
    note = "for a complex number, call `real()`, `imag()` or `abs()` first"
)]
pub trait CastFrom<T: Element>: Element + sealed::CastFrom<T> {}

mod sealed {
    pub trait CastFrom<T> {}
}

macro_rules! casts {
    (from $($from:ty),*) => {
        $(casts!(@to $from: bool, i8, i16, i32, i64, u8, u16, u32, u64, isize, usize, f16, bf16, f32, f64, Complex<f32>, Complex<f64>);)*
    };
    (@to $from:ty: $($to:ty),*) => {
        $(
            impl sealed::CastFrom<$from> for $to {}
            impl CastFrom<$from> for $to {}
        )*
    };
}

casts!(from bool, i8, i16, i32, i64, u8, u16, u32, u64, isize, usize, f16, bf16, f32, f64);
#[cfg(feature = "float8")]
mod float8_casts {
    use float8::{F8E4M3, F8E5M2};

    use super::*;

    casts!(from F8E4M3, F8E5M2);
    macro_rules! to_float8 {
        ($($from:ty),*) => {
            $(casts!(@to $from: F8E4M3, F8E5M2);)*
        };
    }
    to_float8!(
        bool, i8, i16, i32, i64, u8, u16, u32, u64, isize, usize, f16, bf16, f32, f64, F8E4M3,
        F8E5M2
    );
}
casts!(@to Complex<f32>: Complex<f32>, Complex<f64>);
casts!(@to Complex<f64>: Complex<f32>, Complex<f64>);

impl Expr<bool> {
    /// Selects elements of `then` where this is true, and of `otherwise` where it is false.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[1.0f32, -2.0, 3.0])?;
    /// let y = x.less(0.0).select(0.0, &x).eval()?;
    /// assert_eq!(y.to_vec()?, [1.0, 0.0, 3.0]);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    #[track_caller]
    pub fn select<T: Element>(
        &self,
        then: impl IntoExpr<T>,
        otherwise: impl IntoExpr<T>,
    ) -> Expr<T> {
        let inputs = [
            &self.node,
            &then.into_expr().node,
            &otherwise.into_expr().node,
        ];
        apply::<T, T, 3>(Operation::Select, inputs)
    }
}

impl Array<bool> {
    /// Selects elements of `then` where this is true, and of `otherwise` where it is false: see
    /// [`Expr::select`].
    #[must_use]
    #[track_caller]
    pub fn select<T: Element>(
        &self,
        then: impl IntoExpr<T>,
        otherwise: impl IntoExpr<T>,
    ) -> Expr<T> {
        self.expr().select(then, otherwise)
    }
}

macro_rules! complex {
    ($($real:ty),*) => {$(
        impl Expr<Complex<$real>> {
            /// Combines real and imaginary parts into complex numbers.
            #[must_use]
            #[track_caller]
            pub fn complex(real: impl IntoExpr<$real>, imaginary: impl IntoExpr<$real>) -> Self {
                let inputs = [real.into_expr().node, imaginary.into_expr().node];
                Self::of(Node::apply(Operation::Complex, <Complex<$real> as Element>::DATA_TYPE, inputs))
            }
        }
    )*};
}

complex!(f32, f64);
