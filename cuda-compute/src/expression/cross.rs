//! Cross products.

use super::{Expr, IntoExpr};
use crate::{
    array::{Array, Ellipsis, Shape, SliceItem},
    element::Number,
    error::{Error, Result},
};

impl<T: Number> Expr<T> {
    /// Returns the cross products of vectors with three elements along the last axis, like NumPy's
    /// `cross`. The other axes are broadcast.
    ///
    /// Each component becomes part of the kernel of the expression that it is used in. Nothing is
    /// conjugated.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_nested(&stream, [[1, 0, 0], [1, 2, 3]])?;
    /// let y = Array::from_slice(&stream, &[0, 1, 0])?;
    /// assert_eq!(x.cross(&y)?.eval()?.to_string(), "[[ 0  0  1]\n [-3  0  1]]");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if a last axis does not have length 3, or if the other axes can't be
    /// broadcast.
    pub fn cross(&self, other: impl IntoExpr<T>) -> Result<Self> {
        let other = other.into_expr();
        let (left, right) = (self.shape()?, other.shape()?);
        let common = left.broadcast(&right);
        let three = |shape: &Shape| shape.as_slice().last() == Some(&3);
        let Some(common) = common.filter(|_| three(&left) && three(&right)) else {
            return Err(Error::Shape(format!(
                "cross: shapes {left} and {right} don't match: the last axis of both must have length 3, and the other axes \
                 must be broadcastable"
            )));
        };
        // Component `i` of the result has components `i + 1` and `i + 2` of the operands, modulo 3.
        let place = Expr::index(common, -1)?;
        let turned = |x: &Self, by: usize| -> Result<Self> {
            let part = |i: usize| {
                let i = (i + by) % 3;
                x.slice([Ellipsis.into(), SliceItem::from(i..i + 1)])
            };
            Ok(place
                .equal(0)
                .select(part(0)?, place.equal(1).select(part(1)?, part(2)?)))
        };
        Ok(turned(self, 1)? * turned(&other, 2)? - turned(self, 2)? * turned(&other, 1)?)
    }
}

impl<T: Number> Array<T> {
    /// Returns the cross products of vectors along the last axis: see [`Expr::cross`].
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if a last axis does not have length 3, or if the other axes can't be
    /// broadcast.
    pub fn cross(&self, other: impl IntoExpr<T>) -> Result<Expr<T>> {
        self.expr().cross(other)
    }
}
