//! Scans of segments.

use super::checked;
use crate::{
    array::{Array, Layout, Order, Shape},
    element::Element,
    error::Result,
    expression::Expr,
    function::Combination,
    sets::{Answer, search},
};

impl<T: Element> Expr<T> {
    /// Returns the running combination within each segment, in C order, with one axis.
    /// For the segments, see [`segment_reduce`](Self::segment_reduce). Elements before the first and
    /// after the last offset are segments too.
    ///
    /// This is [`segmented_scan`](Self::segmented_scan) with offsets in place of flags. It searches
    /// the offsets for the place of each element, which needs a byte for each element, and does not
    /// wait for the stream.
    ///
    /// ```
    /// use cuda_compute::{Array, Combination};
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[1, 2, 3, 4, 5])?;
    /// let offsets = Array::from_slice(&stream, &[0usize, 2, 5])?;
    /// assert_eq!(x.segment_scan(Combination::sum(), &offsets)?.to_vec()?, [1, 3, 3, 7, 12]);
    /// let before = x.segment_scan_exclusive(Combination::sum(), &offsets)?;
    /// assert_eq!(before.to_vec()?, [0, 1, 0, 3, 7]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error in the cases that [`segment_reduce`](Self::segment_reduce) lists.
    pub fn segment_scan(
        &self,
        combination: impl Into<Combination<T>>,
        offsets: &Array<usize>,
    ) -> Result<Self> {
        let (x, begins) = self.begins(offsets, "segment_scan")?;
        x.segmented_scan(combination, &begins, 0)
    }

    /// Returns the running combination of the preceding elements of the same segment. The first
    /// result of each segment is the identity. See [`segment_scan`](Self::segment_scan).
    ///
    /// # Errors
    /// Returns an error in the cases that [`segment_reduce`](Self::segment_reduce) lists.
    pub fn segment_scan_exclusive(
        &self,
        combination: impl Into<Combination<T>>,
        offsets: &Array<usize>,
    ) -> Result<Self> {
        let (x, begins) = self.begins(offsets, "segment_scan_exclusive")?;
        x.segmented_scan_exclusive(combination, &begins, 0)
    }

    /// Returns the elements with one axis, and whether each begins a segment.
    fn begins(&self, offsets: &Array<usize>, call: &str) -> Result<(Self, Array<bool>)> {
        let (offsets, _) = checked(offsets, call)?;
        let x = self.flatten()?;
        let places = Layout::dense(Shape::of(&[x.shape()?.elements()]), Order::C);
        let begins = search(&offsets, &Expr::places(places), Answer::Found)?;
        Ok((x, begins))
    }
}

impl<T: Element> Array<T> {
    /// Computes the running combination within each segment. See [`Expr::segment_scan`].
    ///
    /// # Errors
    /// Returns an error in the cases that [`Expr::segment_reduce`] lists.
    pub fn segment_scan(
        &self,
        combination: impl Into<Combination<T>>,
        offsets: &Array<usize>,
    ) -> Result<Self> {
        self.expr().segment_scan(combination, offsets)?.eval()
    }

    /// Computes the running combination of the preceding elements of the same segment. See
    /// [`Expr::segment_scan_exclusive`].
    ///
    /// # Errors
    /// Returns an error in the cases that [`Expr::segment_reduce`] lists.
    pub fn segment_scan_exclusive(
        &self,
        combination: impl Into<Combination<T>>,
        offsets: &Array<usize>,
    ) -> Result<Self> {
        self.expr()
            .segment_scan_exclusive(combination, offsets)?
            .eval()
    }
}
