//! Padding: new elements before and after those of each axis.

use super::pick::NOWHERE;
use crate::{
    array::{Array, Layout, Order, Shape},
    element::Element,
    error::{Error, Result},
    expression::Expr,
};

/// The elements that [`Expr::pad`] adds, with the names of NumPy's `pad`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pad<T> {
    /// A value.
    Constant(T),
    /// The nearest element: `a a a b c c c`.
    Edge,
    /// The elements mirrored at the first and the last one, which are not repeated: `c b a b c b a`.
    Reflect,
    /// The elements mirrored beyond the first and the last one, which are repeated: `b a a b c c b`.
    Symmetric,
    /// The elements from the other end: `b c a b c a b`.
    Wrap,
}

impl<T> Pad<T> {
    /// Maps indices along an axis, with `before` and `after` of them out of bounds, to indices of
    /// its `length` elements.
    fn inner(&self, index: Expr<i64>, length: usize, (before, after): (usize, usize)) -> Expr<i64> {
        let widest = before.max(after);
        let (n, last) = (length as i64, length as i64 - 1);
        match self {
            Self::Constant(_) => index,
            Self::Edge => index.clamp(0, last),
            Self::Wrap if widest > length => index.mod_floor(n),
            Self::Wrap => {
                let index = index.less(0).select(&index + n, index);
                index.greater(last).select(&index - n, index)
            }
            // An element is its own mirror image.
            Self::Reflect if last == 0 => Expr::scalar(0),
            // A division is slow, and only needed if the elements appear more than twice.
            Self::Reflect | Self::Symmetric => {
                let mirror = if matches!(self, Self::Reflect) { 0 } else { -1 };
                let period = 2 * (last - mirror);
                let index = match widest as i64 > last - mirror {
                    true => index.mod_floor(period),
                    false => index.maximum(mirror - &index),
                };
                index.minimum(period + mirror - &index)
            }
        }
    }
}

impl<T: Element> Expr<T> {
    /// Adds elements before and after those of each axis, in a new array, like NumPy's `pad`.
    ///
    /// `widths` has the numbers of elements before and after: one pair for all axes, or a pair for
    /// each axis. One kernel copies all elements. The elements of this expression are computed into
    /// memory first, unless it is an array that is contiguous in C order. This does not wait.
    ///
    /// ```
    /// # use cuda_compute::{Array, Pad};
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[1, 2, 3])?;
    /// assert_eq!(x.pad([(2, 1)], Pad::Constant(0))?.to_vec()?, [0, 0, 1, 2, 3, 0]);
    /// assert_eq!(x.pad([(2, 1)], Pad::Reflect)?.to_vec()?, [3, 2, 1, 2, 3, 2]);
    /// let image = Array::from_nested(&stream, [[1, 2], [3, 4]])?;
    /// let padded = image.pad([(0, 1), (1, 0)], Pad::Edge)?;
    /// assert_eq!(padded.to_string(), "[[1 1 2]\n [3 3 4]\n [3 3 4]]");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if:
    /// - there are neither one pair of widths nor as many as axes;
    /// - elements are added to an axis without elements, except with [`Pad::Constant`];
    /// - the number of elements overflows;
    /// - the expression reads no array, so it has no stream;
    /// - memory runs out.
    pub fn pad(&self, widths: impl AsRef<[(usize, usize)]>, mode: Pad<T>) -> Result<Array<T>> {
        let shape = self.shape()?;
        let widths = match widths.as_ref() {
            &[one] => vec![one; shape.rank()],
            widths if widths.len() == shape.rank() => widths.to_vec(),
            widths => {
                return Err(Error::Shape(format!(
                    "pad: there are {} pairs of widths for shape {shape}. Fix: pass one for all axes, or one for each",
                    widths.len()
                )));
            }
        };
        let mut lengths = shape.as_slice().to_vec();
        for (length, (before, after)) in lengths.iter_mut().zip(&widths) {
            *length = length.saturating_add(*before).saturating_add(*after);
        }
        let padded = Shape::new(&lengths)?;
        let dense = Layout::dense(shape, Order::C);
        let mut kept = dense.with_lengths(|axis| lengths[axis]);
        kept.set_strides(|axis| match widths[axis] {
            (0, 0) => dense.strides()[axis],
            _ => 0,
        });
        let mut place = Expr::<u64>::places(kept);
        let mut inside = Expr::scalar(true);
        for (axis, &width) in widths.iter().enumerate() {
            if width == (0, 0) {
                continue;
            }
            let length = shape[axis];
            if length == 0 && !matches!(mode, Pad::Constant(_)) {
                return Err(Error::Shape(format!(
                    "pad: axis {axis} of shape {shape} has no elements to repeat. Fix: pass Pad::Constant"
                )));
            }
            let index = Expr::index(padded, axis)?.converted::<i64>() - width.0 as i64;
            let index = mode.inner(index, length, width).converted::<u64>();
            if matches!(mode, Pad::Constant(_)) {
                inside &= index.less(length as u64);
            }
            place += index * dense.strides()[axis] as u64;
        }
        let otherwise = match mode {
            Pad::Constant(value) => value,
            _ => T::default(),
        };
        let place = inside.select(place, NOWHERE).broadcast_to(padded)?;
        self.stored()?.pick(&place, otherwise)
    }
}

impl<T: Element> Array<T> {
    /// Adds elements before and after those of each axis, in a new array. See [`Expr::pad`].
    ///
    /// # Errors
    /// Returns an error if the widths don't fit this array, if elements of an axis without elements
    /// would be repeated, or if memory runs out. See [`Expr::pad`].
    pub fn pad(&self, widths: impl AsRef<[(usize, usize)]>, mode: Pad<T>) -> Result<Self> {
        self.expr().pad(widths, mode)
    }
}
