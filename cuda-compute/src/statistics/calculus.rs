//! Differences, derivatives and integrals of samples.

use super::average::along;
use crate::{
    array::{Array, IntoIndex, SliceItem},
    element::{Element, Float, Number},
    error::{Error, Result},
    expression::{Expr, IntoExpr},
    gather::assemble,
};

/// Selects from one axis.
fn part<T: Element>(x: &Expr<T>, axis: usize, item: impl Into<SliceItem>) -> Result<Expr<T>> {
    x.slice(SliceItem::along(axis, item))
}

/// Returns the difference of each element and the one before it along an axis.
fn steps<T: Number>(x: &Expr<T>, axis: usize) -> Result<Expr<T>> {
    Ok(part(x, axis, 1..)? - part(x, axis, ..-1)?)
}

/// The distances between samples along an axis.
enum Spacing<T> {
    Equal(Expr<T>),
    /// The distances of consecutive samples, along the axis.
    Each(Expr<T>),
}

impl<T: Float> Spacing<T> {
    /// Takes one number, or the coordinates of the samples.
    fn new(
        method: &str,
        spacing: Expr<T>,
        (axis, rank): (usize, usize),
        length: usize,
    ) -> Result<Self> {
        match spacing.shape()?.as_slice() {
            [] => Ok(Self::Equal(spacing)),
            &[count] if count == length => {
                let coordinates = along(&spacing, count, axis, rank)?;
                Ok(Self::Each(steps(&coordinates, axis)?))
            }
            other => Err(Error::Shape(format!(
                "{method}: the spacing has shape {other:?}. Fix: pass a number, or {length} coordinates, one for each element \
                 along axis {axis}"
            ))),
        }
    }
}

impl<T: Number> Expr<T> {
    /// Returns the differences of consecutive elements along an axis, `n` times, like NumPy's
    /// `diff`. Each time, the axis gets shorter by 1. Integers wrap around.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[1, 4, 9, 16])?;
    /// assert_eq!(x.diff(1, 0)?.eval()?.to_vec()?, [3, 5, 7]);
    /// assert_eq!(x.diff(2, 0)?.eval()?.to_vec()?, [2, 2]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if there is no such axis.
    pub fn diff(&self, n: usize, axis: impl IntoIndex) -> Result<Self> {
        let shape = self.shape()?;
        let axis = shape.axis(axis)?;
        let length = shape[axis];
        if n >= length {
            return part(self, axis, ..0);
        }
        // Every slice of the elements that takes part in a difference, so that neighbouring differences
        // share their operands.
        let slices = (0..=n).map(|i| part(self, axis, i..length - n + i));
        let mut rows = slices.collect::<Result<Vec<_>>>()?;
        while rows.len() > 1 {
            rows = rows.windows(2).map(|pair| &pair[1] - &pair[0]).collect();
        }
        Ok(rows.swap_remove(0))
    }
}

impl<T: Float> Expr<T> {
    /// Returns the derivatives of samples along an axis, in a new array, like NumPy's `gradient`.
    ///
    /// `spacing` is the distance between samples, or an array of their coordinates along the axis.
    /// Derivatives are central differences, which are exact for parabolas. The first and the last one
    /// are differences of two neighbours.
    ///
    /// Three kernels compute the result. The elements of this expression are computed into memory
    /// first, unless it is an array. Halves are computed as `f32`. This does not wait.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[0.0, 1.0, 3.0, 4.0])?;
    /// assert_eq!((&x * &x).gradient(&x, 0)?.to_vec()?, [1.0, 2.0, 6.0, 7.0]);
    /// assert_eq!(x.gradient(0.5, 0)?.to_vec()?, [2.0, 3.0, 3.0, 2.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if:
    /// - there is no such axis, or it has fewer than two elements;
    /// - the spacing is neither a number nor has as many coordinates as the axis has elements;
    /// - the expression reads no array, so it has no stream;
    /// - memory runs out.
    pub fn gradient(&self, spacing: impl IntoExpr<T>, axis: impl IntoIndex) -> Result<Array<T>> {
        let shape = self.shape()?;
        let axis = shape.axis(axis)?;
        let length = shape[axis];
        if length < 2 {
            return Err(Error::Shape(format!(
                "gradient: axis {axis} of shape {shape} has fewer than two elements"
            )));
        }
        let spacing = spacing.into_expr().converted::<T::Wide>();
        let spacing = Spacing::new("gradient", spacing, (axis, shape.rank()), length)?;
        let stored = self.stored()?;
        let x = stored.expr().converted::<T::Wide>();
        let steps = steps(&x, axis)?;
        let two = |x: &Expr<T::Wide>| Ok::<_, Error>((part(x, axis, ..-1)?, part(x, axis, 1..)?));
        let (slopes, inner) = match spacing {
            Spacing::Equal(step) => {
                let both = part(&x, axis, 2..)? - part(&x, axis, ..-2)?;
                (steps / &step, both / (&step + &step))
            }
            // The derivative of the parabola through three samples.
            Spacing::Each(each) => {
                let slopes = steps / &each;
                let (before, after) = two(&slopes)?;
                let (left, right) = two(&each)?;
                let inner = (&right * before + &left * after) / (left + right);
                (slopes, inner)
            }
        };
        let (first, last) = (part(&slopes, axis, ..1)?, part(&slopes, axis, -1..)?);
        let end = length as isize - 1;
        let parts = [(0..1, first), (1..end, inner), (end..end + 1, last)];
        let parts = parts.into_iter().filter(|(range, _)| !range.is_empty());
        let parts =
            parts.map(|(range, values)| (SliceItem::along(axis, range), values.converted()));
        assemble(&stored, shape, parts.collect())
    }

    /// Returns the integrals of samples along an axis by the trapezoidal rule, like NumPy's
    /// `trapezoid`. The axis is removed.
    ///
    /// `spacing` is the distance between samples, or an array of their coordinates along the axis.
    /// The integral of fewer than two samples is 0. Halves are computed as `f32`.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[0.0, 1.0, 3.0])?;
    /// assert_eq!(x.trapezoid(&x, 0)?.eval()?.item()?, 4.5);
    /// assert_eq!(x.trapezoid(2.0, 0)?.eval()?.item()?, 5.0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if there is no such axis, or if the spacing is neither a number nor
    /// has as many coordinates as the axis has elements.
    #[track_caller]
    pub fn trapezoid(&self, spacing: impl IntoExpr<T>, axis: impl IntoIndex) -> Result<Self> {
        let shape = self.shape()?;
        let axis = shape.axis(axis)?;
        let spacing = spacing.into_expr().converted::<T::Wide>();
        let spacing = Spacing::new("trapezoid", spacing, (axis, shape.rank()), shape[axis])?;
        let x = self.converted::<T::Wide>();
        let sums = part(&x, axis, 1..)? + part(&x, axis, ..-1)?;
        let half = Expr::<T::Wide>::number(0.5);
        let integral = match spacing {
            Spacing::Equal(step) => sums.sum_axis(axis) * step * half,
            Spacing::Each(each) => (sums * each).sum_axis(axis) * half,
        };
        Ok(integral.converted())
    }
}

impl<T: Number> Array<T> {
    /// Returns the differences of consecutive elements along an axis, `n` times: see
    /// [`Expr::diff`].
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if there is no such axis.
    pub fn diff(&self, n: usize, axis: impl IntoIndex) -> Result<Expr<T>> {
        self.expr().diff(n, axis)
    }
}

impl<T: Float> Array<T> {
    /// Returns the derivatives of samples along an axis, in a new array. See [`Expr::gradient`].
    ///
    /// # Errors
    /// Returns an error if there is no such axis, if it has fewer than two elements, if the spacing
    /// does not fit it, or if memory runs out. See [`Expr::gradient`].
    pub fn gradient(&self, spacing: impl IntoExpr<T>, axis: impl IntoIndex) -> Result<Self> {
        self.expr().gradient(spacing, axis)
    }

    /// Returns the integrals of samples along an axis by the trapezoidal rule. See
    /// [`Expr::trapezoid`].
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if there is no such axis, or if the spacing does not fit it. See
    /// [`Expr::trapezoid`].
    #[track_caller]
    pub fn trapezoid(&self, spacing: impl IntoExpr<T>, axis: impl IntoIndex) -> Result<Expr<T>> {
        self.expr().trapezoid(spacing, axis)
    }
}
