//! Runs of equal elements, and the elements that occur in an array.

use crate::{
    array::{Array, Layout, Order, Shape},
    element::Class,
    error::Result,
    expression::Expr,
    s,
    sort::{SortKey, delegated},
};

/// Returns for each element but the first whether it differs from the one before it. The expression
/// has one axis and at least one element. All NaNs are equal here.
fn changes<K: SortKey>(x: &Expr<K>) -> Result<Expr<bool>> {
    let (before, after) = (x.slice(s![..-1])?, x.slice(s![1..])?);
    let differs = before.not_equal(&after);
    if K::DATA_TYPE.class() != Class::Float {
        return Ok(differs);
    }
    let both_nan = before.not_equal(&before) & after.not_equal(&after);
    Ok(differs & !both_nan)
}

/// Returns the places at which runs of equal elements begin, followed by the number of elements. The
/// expression has one axis and at least one element. The call waits for the number of runs.
pub(crate) fn find_runs<K: SortKey>(x: &Expr<K>) -> Result<Array<usize>> {
    let count = x.shape()?.elements();
    let places = Expr::<usize>::places(Layout::dense(Shape::of(&[count - 1]), Order::C));
    let (first, end) = (Expr::scalar(0), Expr::scalar(count));
    (places + 1).compress_between(&changes(x)?, Some(&first), Some(&end))
}

/// Returns the places of the first elements of runs.
pub(crate) fn run_starts(runs: &Array<usize>) -> Result<Array<usize>> {
    runs.slice(s![..-1])
}

/// Returns the lengths of runs.
fn run_lengths(runs: &Array<usize>) -> Result<Array<usize>> {
    (runs.slice(s![1..])? - runs.slice(s![..-1])?).eval()
}

impl<K: SortKey> Expr<K> {
    /// Returns the elements that occur, in ascending order and each once, as an array with one axis.
    /// This is NumPy's `unique`.
    ///
    /// −0 and 0 are equal, and so are all NaNs: at most one of each occurs, namely the first in C
    /// order.
    ///
    /// The call [sorts](Self::sort) all elements and selects the first of each run of equal ones. It
    /// waits for their number, and so for all work enqueued on the stream before, as
    /// [`compress`](Self::compress) does. If the elements are sorted already, call
    /// [`unique_consecutive`](Self::unique_consecutive).
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[3, 1, 3, 2, 1, 3])?;
    /// assert_eq!(x.unique()?.to_vec()?, [1, 2, 3]);
    /// let (values, counts) = x.unique_counts()?;
    /// assert_eq!((values.to_vec()?, counts.to_vec()?), (vec![1, 2, 3], vec![2, 1, 3]));
    /// let (_, inverse) = x.unique_inverse()?;
    /// assert_eq!(inverse.to_vec()?, [2, 0, 2, 1, 0, 2]);
    /// let (_, first) = x.unique_indices()?;
    /// assert_eq!(first.to_vec()?, [1, 3, 0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error in the cases that [`sort`](Self::sort) lists, or if work enqueued before has
    /// failed.
    pub fn unique(&self) -> Result<Array<K>> {
        self.sort()?.unique_consecutive()
    }

    /// Returns the elements that occur and how often each of them does, as NumPy's `unique_counts`
    /// does. Waits for their number. See [`unique`](Self::unique).
    ///
    /// # Errors
    /// Returns an error in the cases that [`unique`](Self::unique) lists.
    pub fn unique_counts(&self) -> Result<(Array<K>, Array<usize>)> {
        self.sort()?.run_length()
    }

    /// Returns the elements that occur and, for each element, its place among them. The places have
    /// the shape of this expression, as with NumPy's `unique_inverse`: `values.take(&inverse, 0)` has
    /// the elements. Waits for the number of values. See [`unique`](Self::unique).
    ///
    /// # Errors
    /// Returns an error in the cases that [`unique`](Self::unique) lists.
    pub fn unique_inverse(&self) -> Result<(Array<K>, Array<usize>)> {
        let values = self.unique()?;
        let inverse = values.searchsorted(self)?;
        Ok((values, inverse))
    }

    /// Returns the elements that occur and the first place of each of them in C order, as NumPy's
    /// `unique` does with `return_index=True`. Waits for their number. See [`unique`](Self::unique).
    ///
    /// # Errors
    /// Returns an error in the cases that [`unique`](Self::unique) lists.
    pub fn unique_indices(&self) -> Result<(Array<K>, Array<usize>)> {
        let (sorted, places) = self.sorted_with_places(false)?;
        if sorted.is_empty() {
            return Ok((sorted, places));
        }
        let starts = run_starts(&find_runs(&sorted.expr())?)?;
        // The sort is stable, so the first place of a run is the lowest.
        Ok((sorted.take_now(&starts, 0)?, places.take_now(&starts, 0)?))
    }

    /// Returns the first element of each run of equal elements in C order, as PyTorch's
    /// `unique_consecutive` and Thrust's `unique` do. In a sorted array, these are the elements that
    /// occur. All NaNs are equal.
    ///
    /// One kernel computes each element twice and selects. The call waits for the number of runs, as
    /// [`compress`](Self::compress) does, which describes the memory.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[7u8, 7, 5, 7])?;
    /// assert_eq!(x.unique_consecutive()?.to_vec()?, [7, 5, 7]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error in the cases that [`compress`](Self::compress) lists.
    pub fn unique_consecutive(&self) -> Result<Array<K>> {
        let x = self.flatten()?;
        if x.shape()?.elements() == 0 {
            return x.eval();
        }
        let (first, others) = (x.slice(s![..1])?, x.slice(s![1..])?);
        others.compress_between(&changes(&x)?, Some(&first), None)
    }

    /// Returns the runs of equal elements in C order: the element and the length of each. This is
    /// CUB's run-length encoding. All NaNs are equal. To decode the runs, search the running sums of the
    /// lengths for each place.
    ///
    /// The call waits for the number of runs, as [`compress`](Self::compress) does. Until it returns,
    /// it needs 8 bytes for each element.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[7u8, 7, 5, 7])?;
    /// let (values, lengths) = x.run_length()?;
    /// assert_eq!((values.to_vec()?, lengths.to_vec()?), (vec![7, 5, 7], vec![2, 1, 1]));
    ///
    /// let (ends, places) = (lengths.cumsum(0)?, Array::range(&stream, 0..4usize)?);
    /// let decoded = values.take(ends.searchsorted_right(&places)?, 0)?;
    /// assert_eq!(decoded.to_vec()?, [7, 7, 5, 7]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error in the cases that [`compress`](Self::compress) lists.
    pub fn run_length(&self) -> Result<(Array<K>, Array<usize>)> {
        let x = self.flatten()?;
        if x.shape()?.elements() == 0 {
            let values = x.eval()?;
            let lengths = Array::zeros(values.stream(), [0])?;
            return Ok((values, lengths));
        }
        let runs = find_runs(&x)?;
        Ok((x.take_now(&run_starts(&runs)?, 0)?, run_lengths(&runs)?))
    }
}

delegated! {
    unique() -> Self: "Returns the elements that occur, in ascending order and each once.";
    unique_counts() -> (Self, Array<usize>): "Returns the elements that occur and how often each does.";
    unique_inverse() -> (Self, Array<usize>):
        "Returns the elements that occur and, for each element, its place among them.";
    unique_indices() -> (Self, Array<usize>):
        "Returns the elements that occur and the first place of each.";
    unique_consecutive() -> Self: "Returns the first element of each run of equal elements.";
    run_length() -> (Self, Array<usize>): "Returns the elements and lengths of runs of equal elements.";
}
