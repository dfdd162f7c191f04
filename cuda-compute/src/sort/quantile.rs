//! Quantiles, percentiles and medians.

use half::{bf16, f16};

use super::{
    interpolation::{Position, QuantileMethod},
    statistic::{SEARCHED, order_statistics},
};
use crate::{
    array::{Array, IntoIndex, SliceItem},
    element::{Float, Ordered},
    error::{Error, Result},
    expression::Expr,
};

/// Elements with quantiles: all numbers that are not complex.
///
/// This trait is sealed, because the kernels support only these types.
pub trait QuantileElement: Ordered {
    /// The type of quantiles: the type itself for floats, and `f64` for integers.
    type Quantile: Float;

    #[doc(hidden)]
    fn wide(values: &Expr<Self>) -> Expr<f64>;

    #[doc(hidden)]
    fn narrow(quantiles: &Expr<f64>) -> Expr<Self::Quantile>;
}

macro_rules! elements {
    ($($type:ty => $quantile:ty),*) => {$(
        impl QuantileElement for $type {
            type Quantile = $quantile;

            fn wide(values: &Expr<Self>) -> Expr<f64> {
                values.cast()
            }

            fn narrow(quantiles: &Expr<f64>) -> Expr<$quantile> {
                quantiles.cast()
            }
        }
    )*};
}

elements!(
    i8 => f64, i16 => f64, i32 => f64, i64 => f64, isize => f64,
    u8 => f64, u16 => f64, u32 => f64, u64 => f64, usize => f64,
    f16 => f16, bf16 => bf16, f32 => f32, f64 => f64
);

/// One number, or an array, slice or vector of them: the fractions of a quantile.
pub trait IntoFractions {
    /// Whether the result has an axis for the fractions.
    #[doc(hidden)]
    const AXIS: bool;

    /// Converts the argument to a list.
    #[doc(hidden)]
    fn into_fractions(self) -> Vec<f64>;
}

impl IntoFractions for f64 {
    const AXIS: bool = false;

    fn into_fractions(self) -> Vec<f64> {
        vec![self]
    }
}

macro_rules! lists {
    ($([$($generics:tt)*] $type:ty),*) => {
        $(impl<$($generics)*> IntoFractions for $type {
            const AXIS: bool = true;

            fn into_fractions(self) -> Vec<f64> {
                self.to_vec()
            }
        })*
    };
}

lists!([const N: usize] [f64; N], [const N: usize] &[f64; N], [] &[f64], [] Vec<f64>);

impl<T: QuantileElement> Expr<T> {
    fn quantiles<Q: IntoFractions>(
        &self,
        fractions: Q,
        scale: f64,
        method: QuantileMethod,
        axis: Option<usize>,
    ) -> Result<Array<T::Quantile>> {
        let fractions = fractions.into_fractions();
        if let Some(wrong) = fractions
            .iter()
            .find(|&&fraction| !(0.0..=scale).contains(&fraction))
        {
            return Err(Error::Value(format!(
                "{wrong} is not between 0 and {scale}. Fix: pass {} from 0 to {scale}",
                if scale == 1.0 {
                    "quantiles"
                } else {
                    "percentiles"
                },
            )));
        }
        let shape = self.shape()?;
        let length = axis.map_or(shape.elements(), |axis| shape[axis]);
        if length == 0 {
            return Err(Error::Shape(format!(
                "there are no quantiles of no elements, in an array of shape {shape}"
            )));
        }
        let positions: Vec<Position> = fractions
            .iter()
            .map(|fraction| method.position(fraction / scale, length))
            .collect();
        let searched = match positions[..] {
            [position] if length == shape.elements() && length >= SEARCHED => Some(position),
            _ => None,
        };
        let (lower, upper, last, axis) = match searched {
            Some(Position { lower, upper, .. }) => {
                let found = order_statistics(self, false, [lower, upper])?;
                let ones = vec![1; axis.map_or(1, |_| shape.rank())];
                let part = |at: usize| {
                    found
                        .slice([SliceItem::from(at..at + 1)])?
                        .reshape(&ones[..])
                };
                (part(0)?, part(1)?, part(2)?, 0)
            }
            None => {
                let sorted = self.sorted(false, axis)?;
                let axis = axis.unwrap_or(0);
                let one = |place| sorted.slice(SliceItem::along(axis, place..place + 1));
                let at = |place: fn(&Position) -> usize| -> Result<Array<T>> {
                    if let [position] = &positions[..] {
                        return one(place(position));
                    }
                    let places: Vec<usize> = positions.iter().map(place).collect();
                    let places = Array::from_slice(sorted.stream(), &places)?;
                    sorted.take_now(&places, axis)
                };
                (
                    at(|position| position.lower)?,
                    at(|position| position.upper)?,
                    one(length - 1)?,
                    axis,
                )
            }
        };
        let weight = match positions[..] {
            [Position { weight, .. }] => Expr::scalar(weight),
            _ => {
                let weights: Vec<f64> = positions.iter().map(|position| position.weight).collect();
                let mut lengths = vec![1; lower.rank()];
                lengths[axis] = weights.len();
                Array::from_shape(lower.stream(), &lengths[..], &weights)?.expr()
            }
        };
        let [lower, upper, last] = [lower, upper, last].map(|part| T::wide(&part.expr()));
        let distance = &upper - &lower;
        // From the nearer end, as NumPy does. Equal ends may be infinite.
        let between = weight.less(0.5).select(
            &lower + &distance * &weight,
            &upper - &distance * (1.0 - &weight),
        );
        // The distance may overflow.
        let both = &lower * (1.0 - &weight) + &upper * &weight;
        let between = distance.is_finite().select(between, both);
        let between = lower.equal(&upper).select(&lower, between);
        // NaN is last, and makes all quantiles NaN.
        let result = T::narrow(&last.not_equal(&last).select(&last, between)).eval()?;
        // The axis of the fractions is the first one, as in NumPy.
        let rank = result.rank();
        let axes: Vec<usize> = [axis]
            .into_iter()
            .chain((0..rank).filter(|&other| other != axis))
            .collect();
        let result = result.permute(&axes[..])?;
        if Q::AXIS {
            return Ok(result);
        }
        result.slice([SliceItem::Index(0)])
    }
}

/// Defines the methods of expressions, and those of arrays that call them.
macro_rules! quantiles {
    ($($(#[$doc:meta])* $name:ident($($q:ident: $scale:literal, $method:ident)?; $($axis:ident)?);)*) => {
        impl<T: QuantileElement> Expr<T> {$(
            $(#[$doc])*
            ///
            /// # Errors
            /// Returns an error if there are no elements, if an argument is out of range, if there is no
            /// such axis, if memory runs out, or in the cases that [`eval`](Self::eval) lists.
            pub fn $name(
                &self,
                $($q: impl IntoFractions,)?
                $($axis: impl IntoIndex,)?
                $($method: QuantileMethod)?
            ) -> Result<Array<T::Quantile>> {
                let axis: Option<usize> = [$(self.shape()?.axis($axis)?)?].first().copied();
                quantiles!(@call self, axis, $($q: $scale, $method)?)
            }
        )*}

        impl<T: QuantileElement> Array<T> {$(
            #[doc = concat!("Computes quantiles. See [`Expr::", stringify!($name), "`].")]
            ///
            /// # Errors
            #[doc = concat!("Returns an error in the cases that [`Expr::", stringify!($name), "`] lists.")]
            pub fn $name(
                &self,
                $($q: impl IntoFractions,)?
                $($axis: impl IntoIndex,)?
                $($method: QuantileMethod)?
            ) -> Result<Array<T::Quantile>> {
                self.expr().$name($($q,)? $($axis,)? $($method)?)
            }
        )*}
    };
    (@call $self:ident, $along:ident, $q:ident: $scale:literal, $method:ident) => {
        $self.quantiles($q, $scale, $method, $along)
    };
    (@call $self:ident, $along:ident,) => {
        $self.quantiles(0.5, 1.0, QuantileMethod::Linear, $along)
    };
}

quantiles! {
    /// Returns the median of all elements, as NumPy's `median` does: the mean of the two middle elements
    /// if their number is even. It is computed as `f64`, and is NaN if any element is. The result has no
    /// axes.
    ///
    /// From 65,536 elements on, the middle elements are found by counting the digits of all elements,
    /// without sorting them. This reads the expression once for each 11 bits of an element, and needs
    /// 33 kilobytes. Fewer elements are sorted. The call doesn't wait for the stream.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_nested(&stream, [[3u8, 1, 2], [0, 5, 4]])?;
    /// assert_eq!(x.median()?.item()?, 2.5);
    /// assert_eq!(x.median_axis(1)?.to_vec()?, [2.0, 4.0]);
    /// # Ok(())
    /// # }
    /// ```
    median(;);
    /// Returns the medians along an axis, which is removed. The elements are sorted, unless the axis has
    /// all elements. See [`median`](Self::median) and [`sort_axis`](Self::sort_axis).
    median_axis(; axis);
    /// Returns quantiles of all elements, as NumPy's `quantile` does. `q` is a fraction from 0 to 1, or
    /// a list of them, for which the result has an axis.
    ///
    /// A quantile is interpolated as `f64`. All quantiles are NaN if any element is. A single quantile
    /// of many elements is found as [`median`](Self::median) describes. Otherwise, the elements are
    /// sorted. If `q` is a list, it is copied to the device, and the call waits for that.
    ///
    /// ```
    /// use cuda_compute::{Array, QuantileMethod};
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[4.0f32, 1.0, 2.0, 8.0])?;
    /// assert_eq!(x.quantile(0.5, QuantileMethod::Linear)?.item()?, 3.0);
    /// assert_eq!(x.quantile([0.0, 0.4, 1.0], QuantileMethod::Nearest)?.to_vec()?, [1.0, 2.0, 8.0]);
    /// assert_eq!(x.percentile(25.0, QuantileMethod::Lower)?.item()?, 1.0);
    /// # Ok(())
    /// # }
    /// ```
    quantile(q: 1.0, method;);
    /// Returns quantiles along an axis. In the result, the axis of the fractions comes first, if they
    /// are a list, and the axis is removed. See [`quantile`](Self::quantile).
    quantile_axis(q: 1.0, method; axis);
    /// Returns percentiles of all elements, as NumPy's `percentile` does. `q` is a percentage from 0 to
    /// 100, or a list of them. See [`quantile`](Self::quantile).
    percentile(q: 100.0, method;);
    /// Returns percentiles along an axis. See [`percentile`](Self::percentile) and
    /// [`quantile_axis`](Self::quantile_axis).
    percentile_axis(q: 100.0, method; axis);
}
