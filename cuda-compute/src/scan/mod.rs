//! Scans: running sums, products, maxima, minima along an axis.

mod combination;
mod run;
mod table;
mod tiles;

pub use combination::Combination;
pub(crate) use combination::Kind;
use run::run;
pub(crate) use tiles::{Block, KEPT, Tiles};

use crate::{
    array::Array,
    element::{Element, Number, Ordered},
    error::Result,
    expression::{Expr, IntoExpr},
};

impl<T: Element> Expr<T> {
    /// The running combination along an axis: each result combines the elements up to its place.
    ///
    /// The expression is computed on the way: elements are read once and results are written once, by one kernel. Halves
    /// are combined in `f32`, and each result is rounded. Values are combined in an order that depends on shape, layout
    /// and device alone, so the same data gives the same bits every time. The result lies in memory as
    /// [`eval`](Self::eval) would lay it.
    ///
    /// ```
    /// use cuda_compute::{Array, Combination};
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[3, 1, 4, 1, 5])?;
    /// assert_eq!(x.scan(Combination::max(), 0)?.to_vec()?, [3, 3, 4, 4, 5]);
    /// assert_eq!(x.scan_exclusive(Combination::sum(), 0)?.to_vec()?, [0, 3, 4, 8, 9]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// A combination of one's own is a [`Fold`](crate::Fold). Values keep their order, so it need not be commutative.
    ///
    /// ```
    /// # use cuda_compute::{Array, fold};
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[2u32, 12, 0, 18])?;
    /// let bits = fold!(|a: u32, b: u32| a | b, 0);
    /// assert_eq!(x.scan(bits, 0)?.to_vec()?, [2, 14, 14, 30]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// There is no such axis. The expression reads no array, so that no stream is known. Otherwise as
    /// [`eval`](Self::eval).
    pub fn scan(&self, combination: impl Into<Combination<T>>, axis: usize) -> Result<Array<T>> {
        run(&self.node, None, combination.into().kind, false, axis)
    }

    /// The running combination along an axis, which begins anew at each element whose `begins` is true. Otherwise as
    /// [`scan`](Self::scan): in one pass, and with the same bits every time.
    ///
    /// ```
    /// use cuda_compute::{Array, Combination};
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[1, 2, 3, 4, 5])?;
    /// let begins = Array::from_slice(&stream, &[false, false, true, false, true])?;
    /// assert_eq!(x.segmented_scan(Combination::sum(), &begins, 0)?.to_vec()?, [1, 3, 3, 7, 5]);
    /// let before = x.segmented_scan_exclusive(Combination::sum(), &begins, 0)?;
    /// assert_eq!(before.to_vec()?, [0, 1, 0, 3, 0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The shape of `begins` doesn't stretch to this one. Otherwise as [`scan`](Self::scan).
    pub fn segmented_scan(
        &self,
        combination: impl Into<Combination<T>>,
        begins: impl IntoExpr<bool>,
        axis: usize,
    ) -> Result<Array<T>> {
        self.segments(combination.into(), begins.into_expr(), false, axis)
    }

    /// The running combination of the elements before each place that are in its segment: the first result of each segment
    /// is the identity, as with [`scan_exclusive`](Self::scan_exclusive). Segments are those of
    /// [`segmented_scan`](Self::segmented_scan).
    ///
    /// # Errors
    /// As [`segmented_scan`](Self::segmented_scan).
    pub fn segmented_scan_exclusive(
        &self,
        combination: impl Into<Combination<T>>,
        begins: impl IntoExpr<bool>,
        axis: usize,
    ) -> Result<Array<T>> {
        self.segments(combination.into(), begins.into_expr(), true, axis)
    }

    fn segments(
        &self,
        combination: Combination<T>,
        begins: Expr<bool>,
        exclusive: bool,
        axis: usize,
    ) -> Result<Array<T>> {
        let begins = begins.broadcast_to(self.shape()?)?;
        run(
            &self.node,
            Some(&begins.node),
            combination.kind,
            exclusive,
            axis,
        )
    }

    /// The running combination of the elements before each place: the first result is the identity, each other the
    /// [`scan`](Self::scan)'s at the place before. The identity is 0 of sums, 1 of products; of maxima the lowest value,
    /// of minima the highest (infinities of floats); of a [`Fold`](crate::Fold) its own.
    ///
    /// # Errors
    /// As [`scan`](Self::scan).
    pub fn scan_exclusive(
        &self,
        combination: impl Into<Combination<T>>,
        axis: usize,
    ) -> Result<Array<T>> {
        run(&self.node, None, combination.into().kind, true, axis)
    }
}

impl<T: Element> Array<T> {
    /// The running combination along an axis: see [`Expr::scan`].
    ///
    /// # Errors
    /// As [`Expr::scan`].
    pub fn scan(&self, combination: impl Into<Combination<T>>, axis: usize) -> Result<Self> {
        self.expr().scan(combination, axis)
    }

    /// The running combination of the elements before each place: see [`Expr::scan_exclusive`].
    ///
    /// # Errors
    /// As [`Expr::scan`].
    pub fn scan_exclusive(
        &self,
        combination: impl Into<Combination<T>>,
        axis: usize,
    ) -> Result<Self> {
        self.expr().scan_exclusive(combination, axis)
    }

    /// The running combination along an axis, which begins anew where `begins` is true: see [`Expr::segmented_scan`].
    ///
    /// # Errors
    /// As [`Expr::segmented_scan`].
    pub fn segmented_scan(
        &self,
        combination: impl Into<Combination<T>>,
        begins: impl IntoExpr<bool>,
        axis: usize,
    ) -> Result<Self> {
        self.expr().segmented_scan(combination, begins, axis)
    }

    /// The running combination of the elements before each place that are in its segment: see
    /// [`Expr::segmented_scan_exclusive`].
    ///
    /// # Errors
    /// As [`Expr::segmented_scan`].
    pub fn segmented_scan_exclusive(
        &self,
        combination: impl Into<Combination<T>>,
        begins: impl IntoExpr<bool>,
        axis: usize,
    ) -> Result<Self> {
        self.expr()
            .segmented_scan_exclusive(combination, begins, axis)
    }
}

/// Scans that have names, for expressions and arrays.
macro_rules! named {
    ($($class:ident: $(#[$doc:meta])* $name:ident $combination:ident;)*) => {$(
        impl<T: $class> Expr<T> {
            $(#[$doc])*
            ///
            /// # Errors
            /// As [`Expr::scan`].
            pub fn $name(&self, axis: usize) -> Result<Array<T>> {
                self.scan(Combination::$combination(), axis)
            }
        }

        impl<T: $class> Array<T> {
            $(#[$doc])*
            ///
            /// # Errors
            /// As [`Expr::scan`].
            pub fn $name(&self, axis: usize) -> Result<Self> {
                self.expr().$name(axis)
            }
        }
    )*};
}

named! {
    Number:
    /// Running sums along an axis: see [`Expr::scan`]. Integers wrap around.
    cumsum sum;
    Number:
    /// Running products along an axis: see [`Expr::scan`]. Integers wrap around.
    cumprod product;
    Ordered:
    /// The largest elements so far along an axis: see [`Expr::scan`]. NaN counts only before the first number.
    cummax max;
    Ordered:
    /// The smallest elements so far along an axis: see [`Expr::scan`]. NaN counts only before the first number.
    cummin min;
}
