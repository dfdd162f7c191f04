//! Norms, and outer and inner products of arrays.

use std::sync::Arc;

use super::{
    Absolute, Expr,
    function::{NORM_SQUARED, POW, SQRT},
    node::Node,
    operation::{Comparison, Operation},
    reduction::{Fold, Nan},
};
use crate::{
    array::{Array, IntoIndices, NewAxis, SliceItem},
    element::{Class, DataType, Element, Math, Number, Words},
    error::{Error, Result},
};

/// Floats and complex numbers, whose absolute values are real numbers.
pub trait Norm: Math + Absolute<Size = <Self as Math>::Real> {}
impl<T: Math + Absolute<Size = <T as Math>::Real>> Norm for T {}

/// Returns the norm of a node's values, along some axes or of all values.
#[track_caller]
fn norm(node: &Arc<Node>, axes: Option<Vec<isize>>, p: f64, real: DataType) -> Arc<Node> {
    // Halves are computed as f32 throughout, and rounded once.
    let wide = match real {
        DataType::F16 | DataType::Bf16 => DataType::F32,
        other => other,
    };
    let to = |data, node: Arc<Node>| Node::apply(Operation::Cast, data, [node]);
    let number = |value: f64| match wide {
        DataType::F64 => Node::scalar(Words::of(value), wide),
        _ => Node::scalar(Words::of(value as f32), wide),
    };
    let power =
        |node: Arc<Node>, p: f64| Node::apply(Operation::Call(&POW), wide, [node, number(p)]);
    let complex = node.data.class() == Class::Complex;
    let size = || match complex {
        true => Node::apply(Operation::Absolute, wide, [node.clone()]),
        false => Node::apply(Operation::Absolute, wide, [to(wide, node.clone())]),
    };
    let result = if p == 2.0 {
        let squares = if complex {
            Node::apply(Operation::Call(&NORM_SQUARED), wide, [node.clone()])
        } else {
            let value = to(wide, node.clone());
            Node::apply(Operation::Multiply, wide, [value.clone(), value])
        };
        Node::apply(
            Operation::Call(&SQRT),
            wide,
            [squares.reduce(Fold::Sum, axes, wide)],
        )
    } else if p == 1.0 {
        size().reduce(Fold::Sum, axes, wide)
    } else if p == f64::INFINITY {
        size().reduce(Fold::Maximum(Nan::Propagated), axes, wide)
    } else if p == f64::NEG_INFINITY {
        size().reduce(Fold::Minimum(Nan::Propagated), axes, wide)
    } else if p == 0.0 {
        let differs = Operation::Compare(Comparison::NotEqual);
        let differs = Node::apply(differs, DataType::Bool, [size(), number(0.0)]);
        to(wide, differs).reduce(Fold::Sum, axes, wide)
    } else {
        power(power(size(), p).reduce(Fold::Sum, axes, wide), 1.0 / p)
    };
    if real == wide {
        result
    } else {
        to(real, result)
    }
}

impl<T: Norm> Expr<T> {
    /// Returns the `p`-norm of all elements as one vector.
    ///
    /// | `p` | result |
    /// | --- | --- |
    /// | 1 | the sum of absolute values |
    /// | 2 | the square root of the sum of squares |
    /// | infinity | the largest absolute value |
    /// | −infinity | the smallest absolute value |
    /// | 0 | the number of elements that are not zero |
    /// | other | the `p`-th root of the sum of `p`-th powers of absolute values |
    ///
    /// - **Range.** Nothing is scaled. If the sum of squares or powers overflows, the norm is
    ///   infinite even if it is representable. If all of them underflow, the norm is 0.
    /// - **Halves** are computed as `f32`.
    /// - **No elements.** The norm is 0, except that [`eval`](Self::eval) returns [`Error::Shape`]
    ///   if `p` is infinite.
    /// - **NaN.** The norm is NaN if an element is NaN. If `p` is 0, NaN counts as an element that
    ///   is not zero.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_shape(&stream, [2, 2], &[3.0f32, -4.0, 0.0, 1.0])?;
    /// assert_eq!(x.norm_axis(1, 2.0).eval()?.to_vec()?, [5.0, 1.0]);
    /// assert_eq!(x.norm(1.0).eval()?.item()?, 8.0);
    /// assert_eq!(x.norm(f64::INFINITY).eval()?.item()?, 4.0);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    #[track_caller]
    pub fn norm(&self, p: f64) -> Expr<T::Real> {
        Expr::of(norm(&self.node, None, p, <T::Real as Element>::DATA_TYPE))
    }

    /// Returns the norms along one or several axes, which are removed: see [`norm`](Self::norm).
    #[must_use]
    #[track_caller]
    pub fn norm_axis(&self, axes: impl IntoIndices, p: f64) -> Expr<T::Real> {
        let axes = Some(axes.into_indices());
        Expr::of(norm(&self.node, axes, p, <T::Real as Element>::DATA_TYPE))
    }
}

impl<T: Norm> Array<T> {
    /// Returns the norm of all elements as one vector: see [`Expr::norm`].
    #[must_use]
    #[track_caller]
    pub fn norm(&self, p: f64) -> Expr<T::Real> {
        self.expr().norm(p)
    }

    /// Returns the norms along one or several axes, which are removed: see [`Expr::norm`].
    #[must_use]
    #[track_caller]
    pub fn norm_axis(&self, axes: impl IntoIndices, p: f64) -> Expr<T::Real> {
        self.expr().norm_axis(axes, p)
    }
}

impl<T: Element> Array<T> {
    /// Inserts `count` new axes of length 1 before the last `kept` axes.
    fn with_axes_before(&self, kept: usize, count: usize) -> Result<Self> {
        let mut items = vec![SliceItem::from(..); self.rank()];
        let at = self.rank() - kept;
        items.splice(at..at, std::iter::repeat_n(NewAxis.into(), count));
        self.slice(items)
    }
}

impl<T: Number> Array<T> {
    /// Returns the products of each element with each element of another array.
    ///
    /// The axes of this array come first, then those of `other`. The result for two vectors is a
    /// matrix. Nothing is conjugated, and nothing is computed before [`eval`](Expr::eval).
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[1, 2])?;
    /// let y = Array::from_slice(&stream, &[3, 4, 5])?;
    /// assert_eq!(x.outer(&y)?.eval()?.to_string(), "[[ 3  4  5]\n [ 6  8 10]]");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if both arrays together have more axes than
    /// [`MAX_RANK`](crate::MAX_RANK).
    #[track_caller]
    pub fn outer(&self, other: &Self) -> Result<Expr<T>> {
        Ok(self.with_axes_before(0, other.rank())? * other)
    }

    /// Returns the sums of products along the last axes of both arrays, like NumPy's `inner`.
    ///
    /// The last axes are removed. The other axes of this array come first, then those of `other`.
    /// The result for two vectors is a number. Nothing is conjugated.
    ///
    /// This is a reduction that multiplies as it reads. For large matrices, a matrix product is
    /// faster.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::range(&stream, 0..6)?.reshape([2, 3])?;
    /// let y = Array::from_slice(&stream, &[1, 10, 100])?;
    /// assert_eq!(x.inner(&y)?.eval()?.to_vec()?, [210, 543]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if the last axes have different lengths, if an array has no axes,
    /// or if the result would have more than [`MAX_RANK`](crate::MAX_RANK) axes.
    #[track_caller]
    pub fn inner(&self, other: &Self) -> Result<Expr<T>> {
        let last = |array: &Self| array.shape().as_slice().last().copied();
        if last(self).is_none() || last(self) != last(other) {
            return Err(Error::Shape(format!(
                "inner: the last axes of shapes {} and {} must have the same length",
                self.shape(),
                other.shape()
            )));
        }
        let products = self.with_axes_before(1, other.rank() - 1)? * other;
        let axis = self.rank() + other.rank() - 2;
        Ok(products.sum_axis(axis))
    }
}
