//! Distributions of random numbers.

use std::ops::Range;

use half::{bf16, f16};

use super::{Random, table::Law};
use crate::{
    array::IntoShape,
    element::{Element, Float, Integer},
    error::{Error, Result},
    expression::{
        CastFrom, Expr, IntoExpr,
        function::Function,
        node::{Kind, Node},
        operation::Operation,
    },
};

// Functions of `kernels/random.cuh`. Each has one name for 32 and 64 bits.
static UNIFORM: Function = Function::random("uniform", "uniform_of");
pub(super) static EXPONENTIAL: Function = Function::random("exponential", "exponential_of");
static BELOW: Function = Function::random("uniform_integers", "below");
static POISSON: Function = Function::random("poisson", "poisson");
static BINOMIAL: Function = Function::random("binomial", "binomial");

/// The maximum mean of a Poisson distribution.
const MOST_EVENTS: f64 = (1u64 << 31) as f64;

/// A float type of random numbers: `f16`, `bf16`, `f32` or `f64`.
pub trait RandomFloat: Float {
    /// The type of the bits from which a number is computed.
    #[doc(hidden)]
    type Word: RandomBits;

    /// Computes uniform numbers from bits.
    #[doc(hidden)]
    fn uniform(bits: &Expr<Self::Word>) -> Expr<Self> {
        of_bits(&UNIFORM, bits)
    }
}

impl RandomFloat for f32 {
    type Word = u32;
}

impl RandomFloat for f64 {
    type Word = u64;
}

impl RandomFloat for f16 {
    type Word = u32;

    fn uniform(bits: &Expr<u32>) -> Expr<Self> {
        from_upper_bits(bits, Self::MANTISSA_DIGITS)
    }
}

impl RandomFloat for bf16 {
    type Word = u32;

    fn uniform(bits: &Expr<u32>) -> Expr<Self> {
        from_upper_bits(bits, Self::MANTISSA_DIGITS)
    }
}

/// Returns multiples of 2^-digits in [0, 1) from the upper bits. A rounded `f32` could be 1.
fn from_upper_bits<T: Float>(bits: &Expr<u32>, digits: u32) -> Expr<T> {
    let whole = (bits >> (u32::BITS - digits)).cast::<f32>();
    (whole * 0.5f32.powi(digits as i32)).converted()
}

/// An element type of random bits: `u32`, `u64` or `usize`.
pub trait RandomBits: Integer + CastFrom<u64> {}
impl RandomBits for u32 {}
impl RandomBits for u64 {}
impl RandomBits for usize {}

/// An integer type that can be drawn from a range: `i32`, `i64`, `u32`, `u64`, `isize` or `usize`.
pub trait RandomInteger: Integer + CastFrom<u64> {}
impl RandomInteger for i32 {}
impl RandomInteger for i64 {}
impl RandomInteger for u32 {}
impl RandomInteger for u64 {}
impl RandomInteger for isize {}
impl RandomInteger for usize {}

pub(super) fn call<R: Element, const N: usize>(
    function: &'static Function,
    inputs: [&Expr<u64>; N],
) -> Expr<R> {
    let inputs = inputs.map(|input| input.node.clone());
    Expr::of(Node::apply(Operation::Call(function), R::DATA_TYPE, inputs))
}

/// Returns a function of the bits of each element. Halves are computed as `f32` and rounded.
pub(super) fn of_bits<T: RandomFloat>(
    function: &'static Function,
    bits: &Expr<T::Word>,
) -> Expr<T> {
    let inputs = [bits.node.clone()];
    let wide = <T::Wide as Element>::DATA_TYPE;
    Expr::<T::Wide>::of(Node::apply(Operation::Call(function), wide, inputs)).converted()
}

impl<T: RandomFloat> Expr<T> {
    /// Draws numbers in [0, 1).
    ///
    /// They are uniformly distributed multiples of 2⁻²⁴ (`f32`), 2⁻⁵³ (`f64`), 2⁻¹¹ (`f16`) or 2⁻⁸
    /// (`bf16`), from the upper bits of [`bits`](Self::bits).
    ///
    /// # Errors
    /// Returns an error if the shape is invalid.
    pub fn uniform(random: &mut Random, shape: impl IntoShape) -> Result<Self> {
        Ok(T::uniform(&random.draw(shape)?))
    }

    /// Draws normal numbers with mean 0 and standard deviation 1.
    ///
    /// To get another distribution, multiply by the standard deviation and add the mean. The
    /// numbers come from Box and Muller's transformation of pairs of 32 bits (`f32`) or 64 bits
    /// (`f64`) and are accurate to 5 units in the last place. The largest values are 6.76
    /// (`f32`) and 9.49 (`f64`), which are `sqrt(66 ln 2)` and `sqrt(130 ln 2)`. A normal
    /// number exceeds these once in 7·10¹⁰ and once in 4·10²⁰ draws. The value 0 never occurs.
    /// `f16` and `bf16` are rounded from `f32`.
    ///
    /// # Errors
    /// Returns an error if the shape is invalid.
    pub fn normal(random: &mut Random, shape: impl IntoShape) -> Result<Self> {
        Ok(random.draw::<T::Wide>(shape)?.converted())
    }

    /// Draws numbers whose logarithms are normal with this mean and standard deviation. `f16` and
    /// `bf16` are computed as `f32` and rounded.
    ///
    /// # Errors
    /// Returns an error if the shape is invalid.
    pub fn log_normal(
        random: &mut Random,
        shape: impl IntoShape,
        mean: T,
        deviation: T,
    ) -> Result<Self> {
        let [mean, deviation] = [mean, deviation].map(|value| Expr::scalar(value).converted());
        let normal = random.draw::<T::Wide>(shape)?;
        Ok(normal.mul_add(deviation, mean).exp().converted())
    }

    /// Draws exponential numbers with mean 1, the time to the next event at a rate of one per
    /// unit.
    ///
    /// To get another mean, multiply by it. The numbers are the negative logarithms of 32 bits
    /// (`f32`) or 64 bits (`f64`) and are accurate to 3 units in the last place. The largest
    /// values are `33 ln 2` (22.9) and `65 ln 2` (45.1). The value 0 never occurs. `f16` and `bf16`
    /// are rounded from `f32`, so an `f16` can be 0.
    ///
    /// # Errors
    /// Returns an error if the shape is invalid.
    pub fn exponential(random: &mut Random, shape: impl IntoShape) -> Result<Self> {
        Ok(of_bits(&EXPONENTIAL, &random.draw(shape)?))
    }
}

impl<T: RandomBits> Expr<T> {
    /// Draws random bits: uniformly distributed integers.
    ///
    /// # Errors
    /// Returns an error if the shape is invalid.
    pub fn bits(random: &mut Random, shape: impl IntoShape) -> Result<Self> {
        random.draw(shape)
    }
}

impl<T: RandomInteger> Expr<T> {
    /// Draws integers from a range.
    ///
    /// In a range of `n` numbers, each has a probability of 1/n within 2⁻⁶⁴, or within 2⁻¹²⁸ if
    /// `n` is above 2³². The relative difference between the probabilities is therefore at most
    /// 2⁻³² or 2⁻⁶⁴.
    ///
    /// # Errors
    /// Returns an error if the range is empty or the shape is invalid.
    pub fn uniform_integers(
        random: &mut Random,
        shape: impl IntoShape,
        range: Range<T>,
    ) -> Result<Self> {
        let (low, high) = (range.start.to_i128(), range.end.to_i128());
        let Some(count) = u64::try_from(high - low).ok().filter(|&count| count > 0) else {
            return Err(Error::Value(format!(
                "the range {range:?} contains no integers"
            )));
        };
        let shape = shape.into_shape()?;
        let (bits, count) = (random.draw(shape)?, Expr::scalar(count));
        let below: Expr<u64> = if high - low <= 1 << 32 {
            call(&BELOW, [&bits, &count])
        } else {
            call(&BELOW, [&bits, &random.draw(shape)?, &count])
        };
        // The cast and the sum may both wrap around. Together, they yield the right number.
        Ok(below.cast::<T>() + range.start)
    }
}

impl Expr<u32> {
    /// Draws numbers of events from a Poisson distribution with mean `mean`.
    ///
    /// The mean is a number, or an expression with a mean for each element. For a number of at most
    /// 2¹⁶, each count takes one lookup in a table (Walker, "An efficient method for generating discrete
    /// random variables with general distributions", 1977). Its probabilities are rounded to multiples
    /// of 2⁻³².
    ///
    /// For other means below 10, uniform numbers are multiplied until the product falls below exp(−mean)
    /// (Knuth, "The art of computer programming", volume 2, 3.4.1). Otherwise the algorithm is PTRS
    /// (Hörmann, "The transformed rejection method for generating Poisson random variables", 1993).
    /// Both are exact apart from rounding in `f64` and the use of 32-bit uniform numbers. In an
    /// expression, a negative or NaN mean yields 0 events, and a mean above 2³¹ is treated as 2³¹.
    ///
    /// # Errors
    /// Returns an error if the mean is a number outside 0 to 2³¹ or an expression that can't be
    /// broadcast to the shape, or if the shape is invalid.
    pub fn poisson(
        random: &mut Random,
        shape: impl IntoShape,
        mean: impl IntoExpr<f64>,
    ) -> Result<Self> {
        let (shape, mean) = (shape.into_shape()?, mean.into_expr());
        if let Some(mean) = constant(&mean) {
            if !(0.0..=MOST_EVENTS).contains(&mean) {
                return Err(Error::Value(format!(
                    "the mean {mean} of a Poisson distribution is not from 0 to 2^31"
                )));
            }
            if let Some(counts) = random.look_up(shape, Law::Poisson(mean))? {
                return Ok(counts);
            }
        }
        let mean = mean.broadcast_to(shape)?;
        Ok(random.per_block(&POISSON, shape, [mean.node]))
    }

    /// Draws numbers of successes in `trials` independent trials, each of which succeeds with this
    /// probability. This is NumPy's `binomial`.
    ///
    /// Both parameters are numbers, or expressions with a value for each element. If both are numbers
    /// and the variance is at most 2¹⁶, each count takes one lookup in a table, as in
    /// [`poisson`](Self::poisson).
    ///
    /// If not, and the smaller one of the expected numbers of successes and failures is below 10, the
    /// probabilities of 0, 1, 2, … are subtracted from a uniform number. Otherwise the algorithm is
    /// BTRS (Hörmann, "The generation of binomial random variates", 1993). Both are exact apart from
    /// rounding in `f64` and the use of 32-bit uniform numbers in BTRS. In an expression, a negative
    /// or NaN probability yields 0, and one above 1 yields `trials`.
    ///
    /// ```
    /// use cuda_compute::{Array, Random};
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// // How many of 100 coins show heads, a thousand times.
    /// let heads = Array::<u32>::binomial(&stream, &mut Random::new(1), 1000, 100, 0.5)?;
    /// let mean = heads.cast::<f64>().mean().eval()?.item()?;
    /// assert!((mean - 50.0).abs() < 1.0, "{mean}");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if the probability is a number outside 0 to 1, if a parameter is an expression
    /// that can't be broadcast to the shape, or if the shape is invalid.
    pub fn binomial(
        random: &mut Random,
        shape: impl IntoShape,
        trials: impl IntoExpr<u32>,
        probability: impl IntoExpr<f64>,
    ) -> Result<Self> {
        let (shape, trials) = (shape.into_shape()?, trials.into_expr());
        let probability = probability.into_expr();
        if let Some(value) = constant(&probability) {
            if !(0.0..=1.0).contains(&value) {
                return Err(Error::Value(format!(
                    "the probability {value} of a binomial distribution is not from 0 to 1"
                )));
            }
            if let Kind::Scalar(words) = &trials.node.kind
                && let Some(counts) =
                    random.look_up(shape, Law::Binomial(words[0] as u32, value))?
            {
                return Ok(counts);
            }
        }
        let trials = trials.broadcast_to(shape)?;
        let probability = probability.broadcast_to(shape)?;
        Ok(random.per_block(&BINOMIAL, shape, [trials.node, probability.node]))
    }
}

/// Returns the value of an expression that is a number.
pub(super) fn constant(value: &Expr<f64>) -> Option<f64> {
    match &value.node.kind {
        Kind::Scalar(words) => Some(f64::from_bits(words[0])),
        _ => None,
    }
}

impl Expr<bool> {
    /// Draws booleans that are true with this probability, rounded to the nearest multiple of
    /// 2⁻³².
    ///
    /// An element is true if its 32 bits, divided by 2³², are below the probability.
    ///
    /// # Errors
    /// Returns an error if the probability is outside 0 to 1, or if the shape is invalid.
    pub fn bernoulli(random: &mut Random, shape: impl IntoShape, probability: f64) -> Result<Self> {
        if !(0.0..=1.0).contains(&probability) {
            return Err(Error::Value(format!(
                "the probability {probability} is not from 0 to 1"
            )));
        }
        let bits = random.draw::<u32>(shape)?;
        match (probability * 2f64.powi(32)).round() as u64 {
            0 => Expr::scalar(false).broadcast_to(bits.shape()?),
            below => Ok(bits.less_equal((below - 1) as u32)),
        }
    }
}
