//! Operations on the sets of elements of arrays.

use super::{Answer, search};
use crate::{
    array::Array,
    error::Result,
    expression::{Expr, IntoExpr},
    gather::concatenate,
    sort::{SortKey, delegated},
};

impl<K: SortKey> Expr<K> {
    /// Returns for each element whether `set` has an equal one, in the shape of this expression. This
    /// is NumPy's `isin`. For `invert=True`, negate the result.
    ///
    /// −0 is equal to 0. NaN is in no set.
    ///
    /// The call sorts `set`, and one kernel then computes the elements and searches for each of them.
    /// It does not wait for the stream.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[1, 5, 2, 5])?;
    /// let set = Array::from_slice(&stream, &[5, 7])?;
    /// assert_eq!(x.isin(&set)?.to_vec()?, [false, true, false, true]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if `set` reads no array, if memory runs out, or in the cases that
    /// [`eval`](Self::eval) lists.
    #[doc(alias = "in1d")]
    pub fn isin(&self, set: impl IntoExpr<K>) -> Result<Array<bool>> {
        search(&set.into_expr().sort()?, self, Answer::Found)
    }

    /// Returns the elements that occur here and in `other`, in ascending order and each once. This is
    /// NumPy's `intersect1d`. NaN is in no intersection.
    ///
    /// The call finds the [unique](Self::unique) elements, sorts `other`, and selects the elements that
    /// `other` contains. It waits twice, for the number of unique elements and for that of the result, and
    /// so for all work enqueued on the stream before.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[3, 1, 3, 2])?;
    /// let y = Array::from_slice(&stream, &[4, 3, 2])?;
    /// assert_eq!(x.intersect(&y)?.to_vec()?, [2, 3]);
    /// assert_eq!(x.union(&y)?.to_vec()?, [1, 2, 3, 4]);
    /// assert_eq!(x.difference(&y)?.to_vec()?, [1]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error in the cases that [`unique`](Self::unique) and [`isin`](Self::isin) list.
    #[doc(alias = "intersect1d")]
    pub fn intersect(&self, other: impl IntoExpr<K>) -> Result<Array<K>> {
        let values = self.unique()?;
        values.compress(&values.isin(other)?)
    }

    /// Returns the elements that occur here or in `other`, in ascending order and each once. This is
    /// NumPy's `union1d`. All NaNs are equal. Waits for their number. See
    /// [`unique`](Self::unique).
    ///
    /// # Errors
    /// Returns an error if one of the expressions reads no array, or in the cases that
    /// [`unique`](Self::unique) lists.
    #[doc(alias = "union1d")]
    pub fn union(&self, other: impl IntoExpr<K>) -> Result<Array<K>> {
        let parts = [
            self.flatten()?.stored()?,
            other.into_expr().flatten()?.stored()?,
        ];
        concatenate(&parts, 0)?.unique()
    }

    /// Returns the elements that occur here and not in `other`, in ascending order and each once. This
    /// is NumPy's `setdiff1d`. NaN is in no `other`. Waits twice. See
    /// [`intersect`](Self::intersect).
    ///
    /// # Errors
    /// Returns an error in the cases that [`intersect`](Self::intersect) lists.
    #[doc(alias = "setdiff1d")]
    pub fn difference(&self, other: impl IntoExpr<K>) -> Result<Array<K>> {
        let values = self.unique()?;
        values.compress(!values.isin(other)?)
    }

    /// Returns the elements that occur either here or in `other`, but not in both, in ascending order and
    /// each once. This is NumPy's `setxor1d`. NaN is in no `other`, so a NaN of each remains. Waits four
    /// times. See [`intersect`](Self::intersect).
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[3, 1, 3, 2])?;
    /// let y = Array::from_slice(&stream, &[4, 3, 2])?;
    /// assert_eq!(x.symmetric_difference(&y)?.to_vec()?, [1, 4]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if one of the expressions reads no array, or in the cases that
    /// [`intersect`](Self::intersect) lists.
    #[doc(alias = "setxor1d")]
    pub fn symmetric_difference(&self, other: impl IntoExpr<K>) -> Result<Array<K>> {
        let (own, other) = (self.unique()?, other.into_expr().unique()?);
        let parts = [
            own.compress(!own.isin(&other)?)?,
            other.compress(!other.isin(&own)?)?,
        ];
        concatenate(&parts, 0)?.sort()
    }
}

delegated! {
    isin(set: impl IntoExpr<K>) alias "in1d" -> Array<bool>: "Returns for each element whether `set` has an equal one.";
    intersect(other: impl IntoExpr<K>) alias "intersect1d" -> Self: "Returns the elements that occur here and in `other`.";
    union(other: impl IntoExpr<K>) alias "union1d" -> Self: "Returns the elements that occur here or in `other`.";
    difference(other: impl IntoExpr<K>) alias "setdiff1d" -> Self: "Returns the elements that occur here and not in `other`.";
    symmetric_difference(other: impl IntoExpr<K>) alias "setxor1d" -> Self:
        "Returns the elements that occur either here or in `other`.";
}
