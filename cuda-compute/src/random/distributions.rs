//! Distributions of random numbers.

use std::ops::Range;

use cuda_safe::Stream;

use super::Random;
use crate::{
    array::{Array, IntoShape},
    element::{Element, Float, Integer},
    error::{Error, Result},
    expression::{
        CastFrom, Expr, IntoExpr,
        function::Function,
        node::{Kind, Node},
        operation::Operation,
    },
};

// Functions of `kernels/random.cuh`, which have one name for both widths of bits.
static UNIFORM: Function = Function::random("uniform", "uniform_of");
pub(super) static EXPONENTIAL: Function = Function::random("exponential", "exponential_of");
static BELOW: Function = Function::random("uniform_integers", "below");
static POISSON: Function = Function::random("poisson", "poisson");

/// The largest mean of a Poisson distribution.
const MOST_EVENTS: f64 = (1u64 << 31) as f64;

/// Floats that can be drawn: `f32` and `f64`.
pub trait RandomFloat: Float {
    /// The bits that one is made of.
    #[doc(hidden)]
    type Word: RandomBits;
}

impl RandomFloat for f32 {
    type Word = u32;
}

impl RandomFloat for f64 {
    type Word = u64;
}

/// Elements of random bits: `u32` and `u64`.
pub trait RandomBits: Integer + CastFrom<u64> {}
impl RandomBits for u32 {}
impl RandomBits for u64 {}

/// Integers that can be drawn from a range: `i32`, `i64`, `u32` and `u64`.
pub trait RandomInteger: Integer + CastFrom<u64> + Into<i128> {}
impl RandomInteger for i32 {}
impl RandomInteger for i64 {}
impl RandomInteger for u32 {}
impl RandomInteger for u64 {}

pub(super) fn call<R: Element, const N: usize>(
    function: &'static Function,
    inputs: [&Expr<u64>; N],
) -> Expr<R> {
    let inputs = inputs.map(|input| input.node.clone());
    Expr::of(Node::apply(Operation::Call(function), R::DATA_TYPE, inputs))
}

/// A function of the bits of each element.
pub(super) fn of_bits<T: RandomFloat>(
    function: &'static Function,
    bits: &Expr<T::Word>,
) -> Expr<T> {
    let inputs = [bits.node.clone()];
    Expr::of(Node::apply(Operation::Call(function), T::DATA_TYPE, inputs))
}

/// Writes each draw for expressions, and again for arrays.
macro_rules! draws {
    ($(
        impl $(<$t:ident: $class:path>)? for $on:ty {$(
            $(#[$doc:meta])*
            pub fn $name:ident($random:ident, $shape:ident $(, $argument:ident: $argument_type:ty)*) $body:block
        )*}
    )*) => {$(
        impl $(<$t: $class>)? Expr<$on> {$(
            $(#[$doc])*
            pub fn $name($random: &mut Random, $shape: impl IntoShape $(, $argument: $argument_type)*) -> Result<Self> $body
        )*}

        impl $(<$t: $class>)? Array<$on> {$(
            $(#[$doc])*
            ///
            /// Memory ran out.
            pub fn $name(
                stream: &Stream,
                random: &mut Random,
                shape: impl IntoShape
                $(, $argument: $argument_type)*
            ) -> Result<Self> {
                Expr::<$on>::$name(random, shape $(, $argument)*)?.eval_on(stream)
            }
        )*}
    )*};
}

draws! {
    impl<T: RandomFloat> for T {
        /// Numbers from 0 to below 1, all multiples of 2⁻²⁴ (`f32`) or 2⁻⁵³ (`f64`) alike: the upper bits of
        /// [`bits`](Self::bits).
        ///
        /// # Errors
        /// The shape is none.
        pub fn uniform(random, shape) {
            Ok(of_bits(&UNIFORM, &random.draw(shape)?))
        }

        /// Normal numbers of mean 0 and deviation 1. Times a deviation and plus a mean, they have these.
        ///
        /// By Box and Muller's transformation of pairs of 32 bits (`f32`) or 64 bits (`f64`), right to 5 units in the last
        /// place. The largest are 6.76 and 9.49: `sqrt(66 ln 2)` and `sqrt(130 ln 2)`. Beyond these a normal number is
        /// once in 7·10¹⁰ and once in 4·10²⁰. None is 0.
        ///
        /// # Errors
        /// The shape is none.
        pub fn normal(random, shape) {
            random.draw(shape)
        }

        /// Numbers whose logarithms are normal with this mean and deviation.
        ///
        /// # Errors
        /// The shape is none.
        pub fn log_normal(random, shape, mean: T, deviation: T) {
            Ok(Self::normal(random, shape)?.mul_add(deviation, mean).exp())
        }

        /// Exponential numbers of mean 1: the time to the next event of one per unit. Times a mean, they have it.
        ///
        /// The negative logarithm of 32 bits (`f32`) or 64 bits (`f64`), right to 3 units in the last place. The largest
        /// are `33 ln 2` and `65 ln 2`, 22.9 and 45.1. None is 0.
        ///
        /// # Errors
        /// The shape is none.
        pub fn exponential(random, shape) {
            Ok(of_bits(&EXPONENTIAL, &random.draw(shape)?))
        }
    }

    impl<T: RandomBits> for T {
        /// Random bits: all numbers alike.
        ///
        /// # Errors
        /// The shape is none.
        pub fn bits(random, shape) {
            random.draw(shape)
        }
    }

    impl<T: RandomInteger> for T {
        /// Integers of a range.
        ///
        /// For a range of `n` numbers, each has a probability of 1/n within 2⁻⁶⁴, or within 2⁻¹²⁸ if `n` is above 2³². So a
        /// number's share differs from the others' by at most 2⁻³² or 2⁻⁶⁴ of itself.
        ///
        /// # Errors
        /// The range is empty. The shape is none.
        pub fn uniform_integers(random, shape, range: Range<T>) {
            let (low, high): (i128, i128) = (range.start.into(), range.end.into());
            let Some(count) = u64::try_from(high - low).ok().filter(|&count| count > 0) else {
                return Err(Error::Value(format!("no integers in the range {range:?}")));
            };
            let shape = shape.into_shape()?;
            let (bits, count) = (random.draw(shape)?, Expr::scalar(count));
            let below: Expr<u64> = if high - low <= 1 << 32 {
                call(&BELOW, [&bits, &count])
            } else {
                call(&BELOW, [&bits, &random.draw(shape)?, &count])
            };
            // Both wrap around, as the sum does in the end.
            Ok(below.cast::<T>() + range.start)
        }
    }

    impl for u32 {
        /// Numbers of events of which there are `mean` on average: of a Poisson distribution.
        ///
        /// The mean is a number, or an expression with one for each element. Below 10, uniform numbers are multiplied up to
        /// exp(−mean) (Knuth, "The art of computer programming", volume 2, 3.4.1); above, by PTRS (Hörmann, "The
        /// transformed rejection method for generating Poisson random variables", 1993). Both are exact but for the
        /// rounding of `f64`, and for uniform numbers of 32 bits. Where the mean is negative or NaN, there are no events;
        /// one above 2³¹ counts as that.
        ///
        /// # Errors
        /// The mean is a number that is not from 0 to 2³¹, or an expression that doesn't stretch to the shape. The shape is
        /// none.
        pub fn poisson(random, shape, mean: impl IntoExpr<f64>) {
            let (shape, mean) = (shape.into_shape()?, mean.into_expr());
            if let Kind::Scalar(words) = &mean.node.kind
                && !(0.0..=MOST_EVENTS).contains(&f64::from_bits(words[0]))
            {
                let mean = f64::from_bits(words[0]);
                return Err(Error::Value(format!(
                    "a Poisson distribution of mean {mean}: it must be from 0 to 2^31"
                )));
            }
            let mean = mean.broadcast_to(shape)?;
            let (key, blocks) = (Expr::scalar(random.seed), random.blocks(shape));
            let inputs = [blocks.node, key.node, mean.node];
            Ok(Self::of(Node::apply(Operation::Call(&POISSON), u32::DATA_TYPE, inputs)))
        }
    }

    impl for bool {
        /// True with this probability, to the nearest multiple of 2⁻³²: where the element's bits, as a part of 2³², are
        /// below it.
        ///
        /// # Errors
        /// The probability is not from 0 to 1. The shape is none.
        pub fn bernoulli(random, shape, probability: f64) {
            if !(0.0..=1.0).contains(&probability) {
                return Err(Error::Value(format!(
                    "a probability of {probability}: it must be from 0 to 1"
                )));
            }
            let bits = random.draw::<u32>(shape)?;
            match (probability * 2f64.powi(32)).round() as u64 {
                0 => Expr::scalar(false).broadcast_to(bits.shape()?),
                below => Ok(bits.less_equal((below - 1) as u32)),
            }
        }
    }
}
