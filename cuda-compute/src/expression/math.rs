//! Methods of expressions and arrays: functions, comparisons, choices, conversions.

use std::sync::Arc;

use half::{bf16, f16};
use num_complex::Complex;

use super::{
    Expr, HasRemainder, IntoExpr, Shifts, function,
    node::Node,
    operation::{Comparison, Operation},
};
use crate::{
    array::Array,
    element::{ComplexNumber, Element, Float, Integer, Math, Number, Ordered, Signed},
};

/// Writes each method for expressions, and again for arrays.
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
    /// The square root.
    sqrt SQRT;
    /// e to this power.
    exp EXP;
    /// The natural logarithm.
    ln LN;
    /// The logarithm of base 10.
    log10 LOG10;
    /// The sine of radians.
    sin SIN;
    /// The cosine of radians.
    cos COS;
    /// The tangent of radians.
    tan TAN;
    /// The hyperbolic sine.
    sinh SINH;
    /// The hyperbolic cosine.
    cosh COSH;
    /// The hyperbolic tangent.
    tanh TANH;
}

unary_functions! { Float:
    /// 1 divided by the square root.
    rsqrt RSQRT;
    /// The cube root.
    cbrt CBRT;
    /// 1 divided by the cube root.
    rcbrt RCBRT;
    /// 2 to this power.
    exp2 EXP2;
    /// 10 to this power.
    exp10 EXP10;
    /// e to this power, minus 1, exact also near 0.
    exp_m1 EXP_M1;
    /// The natural logarithm of 1 plus this, exact also near 0.
    ln_1p LN_1P;
    /// The logarithm of base 2.
    log2 LOG2;
    /// The arc sine, in radians.
    asin ASIN;
    /// The arc cosine, in radians.
    acos ACOS;
    /// The arc tangent, in radians.
    atan ATAN;
    /// The sine of π times this.
    sinpi SINPI;
    /// The cosine of π times this.
    cospi COSPI;
    /// The inverse hyperbolic sine.
    asinh ASINH;
    /// The inverse hyperbolic cosine.
    acosh ACOSH;
    /// The inverse hyperbolic tangent.
    atanh ATANH;
    /// The error function.
    erf ERF;
    /// 1 minus the error function.
    erfc ERFC;
    /// The scaled complementary error function, exp(x²) erfc(x).
    erfcx ERFCX;
    /// The inverse of the error function.
    erfinv ERFINV;
    /// The inverse of the complementary error function.
    erfcinv ERFCINV;
    /// The distribution function of the standard normal distribution.
    normcdf NORMCDF;
    /// The inverse of the distribution function of the standard normal distribution.
    normcdfinv NORMCDFINV;
    /// The logarithm of the absolute value of the gamma function.
    lgamma LGAMMA;
    /// The gamma function.
    tgamma TGAMMA;
    /// The Bessel function of the first kind, order 0.
    j0 J0;
    /// The Bessel function of the first kind, order 1.
    j1 J1;
    /// The Bessel function of the second kind, order 0.
    y0 Y0;
    /// The Bessel function of the second kind, order 1.
    y1 Y1;
    /// The modified Bessel function of the first kind, order 0.
    i0 I0;
    /// The modified Bessel function of the first kind, order 1.
    i1 I1;
    /// Rounded down.
    floor FLOOR;
    /// Rounded up.
    ceil CEIL;
    /// Rounded to the nearest integer, halves away from zero.
    round ROUND;
    /// Rounded to the nearest integer, halves to the even one.
    round_ties_even ROUND_TIES_EVEN;
    /// Rounded towards zero.
    trunc TRUNC;
    /// The part after the point: this minus [`trunc`](Self::trunc). C's `modf` gives both.
    fract FRACT;
    /// The fraction of C's `frexp`: of size 0.5 to 1, or 0.
    frexp_fraction FREXP_FRACTION;
}

unary_functions! { Real:
    /// −1, 0 or 1 for integers; −1 or 1 by the sign bit for floats, and NaN for NaN.
    signum SIGNUM;
}

/// Numbers with a sign that are not complex.
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
    /// The smaller of two. Of a number and NaN it is the number, as with [`f32::min`] and NumPy's `fmin`.
    minimum Operation::Minimum;
    /// The larger of two. Of a number and NaN it is the number, as with [`f32::max`] and NumPy's `fmax`.
    maximum Operation::Maximum;
    /// The smaller of two, or NaN if one of them is NaN, as NumPy's `minimum`.
    minimum_or_nan Operation::Scalar("minimum_or_nan");
    /// The larger of two, or NaN if one of them is NaN, as NumPy's `maximum`.
    maximum_or_nan Operation::Scalar("maximum_or_nan");
}

binary_functions! { HasRemainder:
    /// The quotient rounded so that [`rem_euclid`](Self::rem_euclid) is not negative, as Rust's `div_euclid`. Integers
    /// wrap around, and divided by 0 they are 0.
    div_euclid Operation::Scalar("div_euclid");
    /// The remainder that is not negative, as Rust's `rem_euclid`. For integers it is 0 if the divisor is.
    rem_euclid Operation::Scalar("rem_euclid");
    /// The quotient rounded down, as `//` of Python and NumPy. Integers wrap around, and divided by 0 they are 0.
    div_floor Operation::Scalar("div_floor");
    /// The remainder with the divisor's sign, as `%` of Python and NumPy. For integers it is 0 if the divisor is.
    mod_floor Operation::Scalar("mod_floor");
}

binary_functions! { Shifts:
    /// Shifted left by any count: 0 from the number of bits on, as with Rust's `unbounded_shl` and NumPy's `<<`. A
    /// negative count is a large one.
    unbounded_shl Operation::Scalar("unbounded_shl");
    /// Shifted right by any count: from the number of bits on 0, or −1 for negative numbers, as with Rust's
    /// `unbounded_shr` and NumPy's `>>`. A negative count is a large one.
    unbounded_shr Operation::Scalar("unbounded_shr");
}

binary_functions! { Math:
    /// This to a power.
    pow Operation::Call(&function::POW);
}

binary_functions! { Float:
    /// The angle of the point with this as y and the other as x, in radians.
    atan2 Operation::Call(&function::ATAN2);
    /// The length of the hypotenuse, without overflow on the way.
    hypot Operation::Call(&function::HYPOT);
    /// This size with the other's sign.
    copysign Operation::Call(&function::COPYSIGN);
    /// The next number towards the other. For `f16` and `bf16`, that of `f32`, rounded.
    next_after Operation::Call(&function::NEXT_AFTER);
    /// The difference if it is positive, else 0.
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
    /// Whether they are equal.
    equal Equal;
    /// Whether they are not equal.
    not_equal NotEqual;
}

comparisons! { Ordered:
    /// Whether this is smaller.
    less Less;
    /// Whether this is smaller or equal.
    less_equal LessEqual;
    /// Whether this is larger.
    greater Greater;
    /// Whether this is larger or equal.
    greater_equal GreaterEqual;
}

methods! {
    impl<T: Element> {
        /// Converts each element as Rust's `as` does: to integers towards zero, to the nearest end of the range beyond
        /// it, NaN to 0; to floats to the nearest; to `bool` whether it is not 0; to complex numbers without an
        /// imaginary part.
        pub fn cast<R: CastFrom<T>>(self) -> Expr<R> {
            apply::<T, R, 1>(Operation::Cast, [&self.node])
        }
    }

    impl<T: Absolute> {
        /// The size: without its sign, or the distance of a complex number from 0.
        pub fn abs(self) -> Expr<T::Size> {
            apply::<T, T::Size, 1>(Operation::Absolute, [&self.node])
        }
    }

    impl<T: Ordered> {
        /// Limited to the range from `low` to `high`. NaN if this or a bound is NaN, and `high` if the bounds are in the
        /// wrong order, as NumPy's `clip`.
        pub fn clamp(self, low: impl IntoExpr<T>, high: impl IntoExpr<T>) -> Expr<T> {
            self.maximum_or_nan(low).minimum_or_nan(high)
        }
    }

    impl<T: Float> {
        /// This times a factor plus an addend, rounded once; for `f16` and `bf16` to `f32`, and then to the type.
        pub fn mul_add(self, factor: impl IntoExpr<T>, addend: impl IntoExpr<T>) -> Expr<T> {
            let inputs = [&self.node, &factor.into_expr().node, &addend.into_expr().node];
            apply::<T, T, 3>(Operation::Call(&function::MUL_ADD), inputs)
        }

        /// This times 2 to a power.
        pub fn ldexp(self, power: impl IntoExpr<i32>) -> Expr<T> {
            apply::<T, T, 2>(Operation::Call(&function::LDEXP), [&self.node, &power.into_expr().node])
        }

        /// The exponent of C's `frexp`.
        pub fn frexp_exponent(self) -> Expr<i32> {
            apply::<T, i32, 1>(Operation::Call(&function::FREXP_EXPONENT), [&self.node])
        }

        /// Whether it is NaN.
        pub fn is_nan(self) -> Expr<bool> {
            apply::<T, bool, 1>(Operation::Call(&function::IS_NAN), [&self.node])
        }

        /// Whether it is neither infinite nor NaN.
        pub fn is_finite(self) -> Expr<bool> {
            apply::<T, bool, 1>(Operation::Call(&function::IS_FINITE), [&self.node])
        }

        /// Whether it is infinite.
        pub fn is_infinite(self) -> Expr<bool> {
            apply::<T, bool, 1>(Operation::Call(&function::IS_INFINITE), [&self.node])
        }
    }

    impl<T: Integer> {
        /// The number of bits that are 1, in two's complement.
        pub fn count_ones(self) -> Expr<T> {
            apply::<T, T, 1>(Operation::Call(&function::COUNT_ONES), [&self.node])
        }
    }

    impl<T: ComplexNumber> {
        /// The real part.
        pub fn real(self) -> Expr<T::Real> {
            apply::<T, T::Real, 1>(Operation::Real, [&self.node])
        }

        /// The imaginary part.
        pub fn imag(self) -> Expr<T::Real> {
            apply::<T, T::Real, 1>(Operation::Imaginary, [&self.node])
        }

        /// The complex conjugate.
        pub fn conj(self) -> Expr<T> {
            apply::<T, T, 1>(Operation::Conjugate, [&self.node])
        }

        /// The square of the size.
        pub fn norm_sqr(self) -> Expr<T::Real> {
            apply::<T, T::Real, 1>(Operation::Call(&function::NORM_SQUARED), [&self.node])
        }

        /// The angle from the real axis, in radians.
        pub fn arg(self) -> Expr<T::Real> {
            apply::<T, T::Real, 1>(Operation::Call(&function::ARGUMENT), [&self.node])
        }
    }
}

/// Numbers, and the type of their size.
pub trait Absolute: Number {
    /// The type of the size: the real type of complex numbers, itself for others.
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
    f16: f16, bf16: bf16, f32: f32, f64: f64, Complex<f32>: f32, Complex<f64>: f64
);

/// Elements that others can be [`cast`](Expr::cast) to: all, except that a complex number has to give its real part
/// first. This trait is sealed.
#[diagnostic::on_unimplemented(
    message = "`{T}` is not cast to `{Self}`",
    note = "a complex number gives a part first: `real()`, `imag()`, or its size by `abs()`"
)]
pub trait CastFrom<T: Element>: Element + sealed::CastFrom<T> {}

mod sealed {
    pub trait CastFrom<T> {}
}

macro_rules! casts {
    (from $($from:ty),*) => {
        $(casts!(@to $from: bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, Complex<f32>, Complex<f64>);)*
    };
    (@to $from:ty: $($to:ty),*) => {
        $(
            impl sealed::CastFrom<$from> for $to {}
            impl CastFrom<$from> for $to {}
        )*
    };
}

casts!(from bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64);
casts!(@to Complex<f32>: Complex<f32>, Complex<f64>);
casts!(@to Complex<f64>: Complex<f32>, Complex<f64>);

impl Expr<bool> {
    /// The elements of one expression where this is true, of another where it is not.
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
    /// The elements of one expression where this is true, of another where it is not: see [`Expr::select`].
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
            /// Complex numbers of their real and imaginary parts.
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
