//! Comparison with tolerances.

use super::{Expr, IntoExpr, node::Node, norm::Norm, operation::Operation};
use crate::{
    array::Array,
    element::{Class, Element, Float, Math},
};

/// The type in which distances of two numbers are computed.
type Wide<T> = <<T as Math>::Real as Float>::Wide;

/// Returns the absolute values of numbers.
fn sizes<T: Element, R: Element>(numbers: &Expr<T>) -> Expr<R> {
    let inputs = [numbers.node.clone()];
    Expr::of(Node::apply(Operation::Absolute, R::DATA_TYPE, inputs))
}

impl<T: Norm> Expr<T> {
    /// Returns whether each number is close to another, like NumPy's `isclose`: whether
    /// `|self - other| <= atol + rtol * |other|`.
    ///
    /// NumPy's default tolerances are `rtol` = 1e-5 and `atol` = 1e-8. Equal infinities are close.
    /// NaN is close to nothing: for NumPy's `equal_nan`, add `| (x.is_nan() & y.is_nan())`. The
    /// distance of complex numbers is the absolute value of their difference. Halves are compared
    /// as `f32`.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[1.0, 1.001, f64::INFINITY, f64::NAN])?;
    /// let y = Array::from_slice(&stream, &[1.000001, 1.0, f64::INFINITY, f64::NAN])?;
    /// assert_eq!(x.isclose(&y, 1e-5, 1e-8).eval()?.to_vec()?, [true, false, true, false]);
    /// assert!(!x.allclose(&y, 1e-2, 0.0).eval()?.item()?);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    #[track_caller]
    pub fn isclose(&self, other: impl IntoExpr<T>, rtol: f64, atol: f64) -> Expr<bool> {
        let other = other.into_expr();
        let size: Expr<Wide<T>> = sizes::<T, T::Real>(&other).converted();
        let distance: Expr<Wide<T>> = match T::DATA_TYPE.class() {
            Class::Complex => sizes::<T, T::Real>(&(self - &other)).converted(),
            _ => sizes(&(self.converted::<Wide<T>>() - other.converted::<Wide<T>>())),
        };
        let number = Expr::<Wide<T>>::number;
        let near = distance.less_equal(number(atol) + number(rtol) * &size);
        (near & size.is_finite()) | self.equal(other)
    }

    /// Returns whether all numbers are close to others, like NumPy's `allclose`: see
    /// [`isclose`](Self::isclose). The result for no elements is true.
    #[must_use]
    #[track_caller]
    pub fn allclose(&self, other: impl IntoExpr<T>, rtol: f64, atol: f64) -> Expr<bool> {
        self.isclose(other, rtol, atol).all()
    }
}

impl<T: Norm> Array<T> {
    /// Returns whether each number is close to another: see [`Expr::isclose`].
    #[must_use]
    #[track_caller]
    pub fn isclose(&self, other: impl IntoExpr<T>, rtol: f64, atol: f64) -> Expr<bool> {
        self.expr().isclose(other, rtol, atol)
    }

    /// Returns whether all numbers are close to others: see [`Expr::isclose`].
    #[must_use]
    #[track_caller]
    pub fn allclose(&self, other: impl IntoExpr<T>, rtol: f64, atol: f64) -> Expr<bool> {
        self.expr().allclose(other, rtol, atol)
    }
}
