//! Norms, and products of arrays with one another.

use std::sync::Arc;

use super::{
    Absolute, Expr, IntoAxes,
    function::{NORM_SQUARED, POW, SQRT},
    node::Node,
    operation::{Comparison, Operation},
    reduction::{Fold, Nan},
};
use crate::{
    array::{Array, NewAxis, SliceItem},
    element::{Class, DataType, Element, Math, Number, Words},
    error::{Error, Result},
};

/// Floats and complex numbers, whose sizes are real.
pub trait Normed: Math + Absolute<Size = <Self as Math>::Real> {}
impl<T: Math + Absolute<Size = <T as Math>::Real>> Normed for T {}

/// The norm of a node's values along axes, or of all.
#[track_caller]
fn norm(node: &Arc<Node>, axes: Option<Vec<usize>>, p: f64, real: DataType) -> Arc<Node> {
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

impl<T: Normed> Expr<T> {
    /// The norm of all elements as one vector: of their sizes, the sum for a `p` of 1, the root of the sum of squares for
    /// 2, the largest for infinity, the smallest for negative infinity, how many are not zero for 0, and for any other the
    /// `p`-th root of the sum of the `p`-th powers. The size of a complex number is its modulus.
    ///
    /// Nothing is scaled: where the sum of squares or powers is beyond the type's range, the norm is infinite, though it
    /// may itself be within; where all are below it, it is 0. Halves are computed as `f32`. Norms of no elements are 0,
    /// except that those of infinite `p` are an error of [`eval`](Self::eval). If an element is NaN, the norm is NaN,
    /// except that NaN is one of the elements that are not zero.
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

    /// The norms along one axis or several, which go away: see [`norm`](Self::norm).
    #[must_use]
    #[track_caller]
    pub fn norm_axis(&self, axes: impl IntoAxes, p: f64) -> Expr<T::Real> {
        let axes = Some(axes.into_axes());
        Expr::of(norm(&self.node, axes, p, <T::Real as Element>::DATA_TYPE))
    }
}

impl<T: Normed> Array<T> {
    /// The norm of all elements as one vector: see [`Expr::norm`].
    #[must_use]
    #[track_caller]
    pub fn norm(&self, p: f64) -> Expr<T::Real> {
        self.expr().norm(p)
    }

    /// The norms along one axis or several, which go away: see [`Expr::norm`].
    #[must_use]
    #[track_caller]
    pub fn norm_axis(&self, axes: impl IntoAxes, p: f64) -> Expr<T::Real> {
        self.expr().norm_axis(axes, p)
    }
}

impl<T: Element> Array<T> {
    /// With so many new axes of length 1 before its last `kept` ones.
    fn with_axes_before(&self, kept: usize, count: usize) -> Result<Self> {
        let mut items = vec![SliceItem::from(..); self.rank()];
        let at = self.rank() - kept;
        items.splice(at..at, std::iter::repeat_n(NewAxis.into(), count));
        self.slice(items)
    }
}

impl<T: Number> Array<T> {
    /// Each element times each of another array: the axes of this one come first, then those of the other. Of two vectors
    /// it is a matrix. Nothing is computed before [`eval`](Expr::eval), and nothing is conjugated.
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
    /// Together they have more axes than an array can have.
    #[track_caller]
    pub fn outer(&self, other: &Self) -> Result<Expr<T>> {
        Ok(self.with_axes_before(0, other.rank())? * other)
    }

    /// The sums of products along the last axes of both, which go away: the axes of this array come first, then those of
    /// the other, as with NumPy's `inner`. Of two vectors it is a number. Nothing is conjugated.
    ///
    /// It is a reduction that multiplies on its way: of large matrices, a product of matrices is faster.
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
    /// The last axes differ in their lengths, or there are none. Together the arrays have more axes than an array can have.
    #[track_caller]
    pub fn inner(&self, other: &Self) -> Result<Expr<T>> {
        let last = |array: &Self| array.shape().as_slice().last().copied();
        if last(self).is_none() || last(self) != last(other) {
            return Err(Error::Shape(format!(
                "the inner product of shapes {} and {}: the last axes must be of one length",
                self.shape(),
                other.shape()
            )));
        }
        let products = self.with_axes_before(1, other.rank() - 1)? * other;
        let axis = self.rank() + other.rank() - 2;
        Ok(products.sum_axis(axis))
    }
}
