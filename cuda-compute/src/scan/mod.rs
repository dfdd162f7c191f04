//! Scans: running sums, products, maxima and minima along an axis, and linear recurrences.

mod extremes;
mod recurrence;

use crate::{
    array::{Array, IntoIndex},
    element::{Element, Number, Ordered},
    error::Result,
    expression::{
        Expr, IntoExpr,
        node::{Inputs, Kind, Node},
        scan::operation::Scan,
    },
    function::Combination,
};

impl<T: Element> Expr<T> {
    /// Returns the running combination along an axis: each result combines the elements up to and
    /// including its index.
    ///
    /// One kernel computes this expression, the scan, and elementwise operations on the results. It
    /// reads each element once and writes each result once. The results are stored first if something
    /// else needs them: a view, a reduction, another scan, an operand that is transposed, taken at
    /// indices or random, or a method other than [`eval`](Self::eval). Each evaluation computes the
    /// scan again, so evaluate it once if you need its results several times.
    ///
    /// Halves are combined in `f32`, and each result is rounded. The order of combination depends only
    /// on the device, and on shape, layout, alignment and types of all operands and results of the
    /// expression, so the same expression gives the same bits every time. The result has the layout that [`eval`](Self::eval) would give this
    /// expression.
    ///
    /// ```
    /// use cuda_compute::{Array, Combination};
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[3, 1, 4, 1, 5])?;
    /// assert_eq!(x.scan(Combination::max(), 0)?.to_vec()?, [3, 3, 4, 4, 5]);
    /// assert_eq!(x.scan_exclusive(Combination::sum(), 0)?.to_vec()?, [0, 3, 4, 8, 9]);
    /// // The same scan, as part of an expression.
    /// let halves = x.expr().scan(Combination::max(), 0)? / 2;
    /// assert_eq!(halves.eval()?.to_vec()?, [1, 1, 2, 2, 2]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// For a user-defined combination, pass a [`Fold`](crate::Fold). Scans keep the order of
    /// values, so it need not be commutative.
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
    /// Returns an error if there is no such axis, or if shapes in this expression don't match.
    pub fn scan(
        &self,
        combination: impl Into<Combination<T>>,
        axis: impl IntoIndex,
    ) -> Result<Self> {
        self.scanned(None, combination.into(), false, axis)
    }

    /// Returns the running combination along an axis, which restarts at each element whose `begins`
    /// is true. Apart from that, it works like [`scan`](Self::scan), in one pass and with the same
    /// bits every time.
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
    /// Returns an error if `begins` can't be broadcast to this shape, or in the cases that
    /// [`scan`](Self::scan) lists.
    pub fn segmented_scan(
        &self,
        combination: impl Into<Combination<T>>,
        begins: impl IntoExpr<bool>,
        axis: impl IntoIndex,
    ) -> Result<Self> {
        let begins = begins.into_expr();
        self.scanned(Some(&begins), combination.into(), false, axis)
    }

    /// Returns the running combination of the preceding elements of the same segment. The first
    /// result of each segment is the identity, as in [`scan_exclusive`](Self::scan_exclusive).
    /// Segments are those of [`segmented_scan`](Self::segmented_scan).
    ///
    /// # Errors
    /// Returns an error if there is no such axis, or if `begins` can't be broadcast to this shape.
    pub fn segmented_scan_exclusive(
        &self,
        combination: impl Into<Combination<T>>,
        begins: impl IntoExpr<bool>,
        axis: impl IntoIndex,
    ) -> Result<Self> {
        let begins = begins.into_expr();
        self.scanned(Some(&begins), combination.into(), true, axis)
    }

    fn scanned(
        &self,
        begins: Option<&Expr<bool>>,
        combination: Combination<T>,
        exclusive: bool,
        axis: impl IntoIndex,
    ) -> Result<Self> {
        let shape = self.shape()?;
        let scan = Scan {
            operation: combination.kind,
            exclusive,
            axis: shape.axis(axis)?,
        };
        let values = self.node.clone();
        let inputs: Inputs = match begins {
            None => [values].into(),
            Some(begins) => [values, begins.broadcast_to(shape)?.node].into(),
        };
        let node = Node::new(Kind::Scan(scan, inputs), T::DATA_TYPE, Ok(shape));
        Ok(Self::of(node))
    }

    /// Returns the running combination of the preceding elements.
    ///
    /// The first result is the identity, and each other result is that of [`scan`](Self::scan) one
    /// place before. The identity is 0 for sums and 1 for products, the lowest value for maxima and
    /// the highest for minima (infinities for floats), and a [`Fold`](crate::Fold)'s own identity.
    ///
    /// # Errors
    /// Returns an error if there is no such axis, or if shapes in this expression don't match.
    pub fn scan_exclusive(
        &self,
        combination: impl Into<Combination<T>>,
        axis: impl IntoIndex,
    ) -> Result<Self> {
        self.scanned(None, combination.into(), true, axis)
    }
}

impl<T: Element> Array<T> {
    /// Computes the running combination along an axis into an array. See [`Expr::scan`], which is
    /// part of an expression.
    ///
    /// # Errors
    /// Returns an error if there is no such axis, or if memory runs out. See [`Expr::scan`].
    pub fn scan(
        &self,
        combination: impl Into<Combination<T>>,
        axis: impl IntoIndex,
    ) -> Result<Self> {
        self.expr().scan(combination, axis)?.eval()
    }

    /// Computes the running combination of the preceding elements. See [`Expr::scan_exclusive`].
    ///
    /// # Errors
    /// Returns an error if there is no such axis, or if memory runs out. See [`Expr::scan`].
    pub fn scan_exclusive(
        &self,
        combination: impl Into<Combination<T>>,
        axis: impl IntoIndex,
    ) -> Result<Self> {
        self.expr().scan_exclusive(combination, axis)?.eval()
    }

    /// Computes the running combination along an axis, and restarts where `begins` is true. See
    /// [`Expr::segmented_scan`].
    ///
    /// # Errors
    /// Returns an error if there is no such axis, if `begins` can't be broadcast to this shape, or
    /// if memory runs out. See [`Expr::segmented_scan`].
    pub fn segmented_scan(
        &self,
        combination: impl Into<Combination<T>>,
        begins: impl IntoExpr<bool>,
        axis: impl IntoIndex,
    ) -> Result<Self> {
        self.expr()
            .segmented_scan(combination, begins, axis)?
            .eval()
    }

    /// Computes the running combination of the preceding elements of the same segment. See
    /// [`Expr::segmented_scan_exclusive`].
    ///
    /// # Errors
    /// Returns an error if there is no such axis, if `begins` can't be broadcast to this shape, or
    /// if memory runs out. See [`Expr::segmented_scan`].
    pub fn segmented_scan_exclusive(
        &self,
        combination: impl Into<Combination<T>>,
        begins: impl IntoExpr<bool>,
        axis: impl IntoIndex,
    ) -> Result<Self> {
        self.expr()
            .segmented_scan_exclusive(combination, begins, axis)?
            .eval()
    }
}

/// Defines the named scans for expressions and arrays.
macro_rules! named {
    ($($class:ident: $(#[$doc:meta])* $name:ident $combination:ident;)*) => {$(
        impl<T: $class> Expr<T> {
            $(#[$doc])*
            ///
            /// # Errors
            /// Returns an error if there is no such axis, or if shapes in this expression don't
            /// match.
            pub fn $name(&self, axis: impl IntoIndex) -> Result<Self> {
                self.scan(Combination::$combination(), axis)
            }
        }

        impl<T: $class> Array<T> {
            $(#[$doc])*
            ///
            /// # Errors
            /// Returns an error if there is no such axis, or if memory runs out. See
            /// [`Expr::scan`].
            pub fn $name(&self, axis: impl IntoIndex) -> Result<Self> {
                self.expr().$name(axis)?.eval()
            }
        }
    )*};
}

named! {
    Number:
    /// Computes running sums along an axis. See [`Expr::scan`]. Integers wrap around.
    cumsum sum;
    Number:
    /// Computes running products along an axis. See [`Expr::scan`]. Integers wrap around.
    cumprod product;
    Ordered:
    /// Computes running maxima along an axis. See [`Expr::scan`]. Results are NaN only before the
    /// first number.
    cummax max;
    Ordered:
    /// Computes running minima along an axis. See [`Expr::scan`]. Results are NaN only before the
    /// first number.
    cummin min;
}
