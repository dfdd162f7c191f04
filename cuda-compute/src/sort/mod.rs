//! Sorts, and elements at places of the sorted order.
//!
//! [`plan`] chooses the kernels of a sort and their memory, with the variants of [`table`]. [`run`]
//! sorts the values of expressions, for the methods in this file, [`in_place`] and [`by_key`].
//! [`sorter`] sorts device memory. [`statistic`] and [`few`] find elements without sorting all, for
//! [`top`], [`partition`] and [`quantile`].

mod by_key;
mod few;
mod in_place;
mod interpolation;
mod kernel;
mod key;
mod partition;
mod plan;
mod quantile;
mod run;
mod sorter;
mod statistic;
mod table;
mod top;

pub use by_key::SortValues;
pub use interpolation::QuantileMethod;
pub(crate) use kernel::keyed;
use key::Items;
pub(crate) use key::Keys;
pub use key::SortKey;
pub use quantile::{IntoFractions, QuantileElement};
use run::{Job, Target};
pub use sorter::Sorter;

use crate::{
    array::{Array, IntoIndex},
    error::Result,
    expression::Expr,
};

impl<K: SortKey> Expr<K> {
    fn sorted(&self, descending: bool, axis: Option<usize>) -> Result<Array<K>> {
        let job = Job {
            keys: Keys::of::<K>(descending),
            items: Items::None,
            nodes: &[&self.node],
            axis,
            target: Target::New,
        };
        Ok(job.enqueue()?.keys())
    }

    fn arg_sorted(&self, descending: bool, axis: Option<usize>) -> Result<Array<usize>> {
        let job = Job {
            keys: Keys::of::<K>(descending),
            items: Items::Places,
            nodes: &[&self.node],
            axis,
            target: Target::Nowhere,
        };
        Ok(job.enqueue()?.items())
    }

    /// Returns all elements in order, and their places in C order.
    pub(crate) fn sorted_with_places(&self, descending: bool) -> Result<(Array<K>, Array<usize>)> {
        let job = Job {
            keys: Keys::of::<K>(descending),
            items: Items::Places,
            nodes: &[&self.node],
            axis: None,
            target: Target::New,
        };
        let sorted = job.enqueue()?;
        Ok((sorted.keys(), sorted.items()))
    }

    /// Returns all elements in ascending order, as an array with one axis. This is NumPy's
    /// `sort(x, axis=None)`.
    ///
    /// The sort is stable: equal elements keep their order in C order, which shows only for −0 and 0
    /// and for NaNs. NaN comes last. −0 and 0 are equal. The results have the bits of the elements,
    /// except that NaNs of `f16` and `bf16` may get other bits, as in every expression.
    ///
    /// The sort reads the expression twice, without an array in between, and does not wait for the
    /// stream. It sorts up to 8192 elements (4096 of 64 bits) in one block. It sorts more with one
    /// pass for each byte of an element, and elements of one byte by counting them. Until it has
    /// finished, such a sort needs memory for the elements once more, and 5 to 50 % of that in addition:
    /// the most for few elements and for those of two bytes. Counting needs about a kilobyte for each
    /// line.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[3.0f32, f32::NAN, -1.0, 2.0])?;
    /// assert_eq!((-&x).sort()?.to_vec()?[..3], [-3.0, -2.0, 1.0]);
    /// assert_eq!(x.sort_descending()?.to_vec()?[..3], [3.0, 2.0, -1.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The passes are those of "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs" by
    /// Adinets and Merrill ([arXiv 2206.01784](https://arxiv.org/abs/2206.01784)).
    ///
    /// # Errors
    /// Returns an error if the expression reads no array and so has no stream, if memory runs out, or
    /// in the cases that [`eval`](Self::eval) lists.
    pub fn sort(&self) -> Result<Array<K>> {
        self.sorted(false, None)
    }

    /// Returns all elements in descending order, as an array with one axis. NaN comes last here too.
    /// Equal elements keep their order. See [`sort`](Self::sort).
    ///
    /// # Errors
    /// Returns an error in the cases that [`sort`](Self::sort) lists.
    pub fn sort_descending(&self) -> Result<Array<K>> {
        self.sorted(true, None)
    }

    /// Returns the elements in ascending order along an axis, as NumPy's `sort` does. See
    /// [`sort`](Self::sort) for the order, memory and waiting.
    ///
    /// In the result's memory, the axis is innermost. Call
    /// [`contiguous`](Array::contiguous) if you need another layout.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_nested(&stream, [[3, 1, 2], [0, 5, 4]])?;
    /// assert_eq!(x.sort_axis(1)?.to_vec()?, [1, 2, 3, 0, 4, 5]);
    /// assert_eq!(x.sort_axis(0)?.to_vec()?, [0, 1, 2, 3, 5, 4]);
    /// assert_eq!(x.sort_descending_axis(-1)?.to_vec()?, [3, 2, 1, 5, 4, 0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if there is no such axis, or in the cases that [`sort`](Self::sort) lists.
    pub fn sort_axis(&self, axis: impl IntoIndex) -> Result<Array<K>> {
        self.sorted(false, Some(self.shape()?.axis(axis)?))
    }

    /// Returns the elements in descending order along an axis. NaN comes last. See
    /// [`sort_axis`](Self::sort_axis).
    ///
    /// # Errors
    /// Returns an error if there is no such axis, or in the cases that [`sort`](Self::sort) lists.
    pub fn sort_descending_axis(&self, axis: impl IntoIndex) -> Result<Array<K>> {
        self.sorted(true, Some(self.shape()?.axis(axis)?))
    }

    /// Returns the places of all elements, counted in C order, in ascending order of the elements.
    /// This is NumPy's `argsort(x, axis=None, kind="stable")`. See [`sort`](Self::sort) for the
    /// order and waiting. Until a sort of several passes has finished, it needs 4 bytes and the size of two
    /// elements for each element, and 4 to 50 % of that in addition.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[0.5f32, -1.0, 0.5, -2.0])?;
    /// assert_eq!(x.argsort()?.to_vec()?, [3, 1, 0, 2]);
    /// assert_eq!(x.argsort_descending()?.to_vec()?, [0, 2, 1, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error in the cases that [`sort`](Self::sort) lists.
    pub fn argsort(&self) -> Result<Array<usize>> {
        self.arg_sorted(false, None)
    }

    /// Returns the places of all elements in descending order of the elements. Equal elements keep
    /// their order. See [`argsort`](Self::argsort).
    ///
    /// # Errors
    /// Returns an error in the cases that [`sort`](Self::sort) lists.
    pub fn argsort_descending(&self) -> Result<Array<usize>> {
        self.arg_sorted(true, None)
    }

    /// Returns the indices along an axis that sort it in ascending order, as NumPy's `argsort` with
    /// `kind="stable"` does. See [`argsort`](Self::argsort) and [`sort_axis`](Self::sort_axis).
    ///
    /// # Errors
    /// Returns an error if there is no such axis, or in the cases that [`sort`](Self::sort) lists.
    pub fn argsort_axis(&self, axis: impl IntoIndex) -> Result<Array<usize>> {
        self.arg_sorted(false, Some(self.shape()?.axis(axis)?))
    }

    /// Returns the indices along an axis that sort it in descending order. Equal elements keep their
    /// order. See [`argsort_axis`](Self::argsort_axis).
    ///
    /// # Errors
    /// Returns an error if there is no such axis, or in the cases that [`sort`](Self::sort) lists.
    pub fn argsort_descending_axis(&self, axis: impl IntoIndex) -> Result<Array<usize>> {
        self.arg_sorted(true, Some(self.shape()?.axis(axis)?))
    }
}

/// Defines methods of arrays that call those of expressions.
macro_rules! delegated {
    ($(
        $name:ident($($argument:ident: $type:ty),*) $(alias $alias:literal)? -> $result:ty: $doc:literal;
    )*) => {
        impl<K: SortKey> Array<K> {$(
            #[doc = $doc]
            #[doc = concat!("See [`Expr::", stringify!($name), "`].")]
            ///
            /// # Errors
            #[doc = concat!("Returns an error in the cases that [`Expr::", stringify!($name), "`] lists.")]
            $(#[doc(alias = $alias)])?
            pub fn $name(&self $(, $argument: $type)*) -> Result<$result> {
                self.expr().$name($($argument),*)
            }
        )*}
    };
}

pub(crate) use delegated;

delegated! {
    sort() -> Array<K>: "Returns all elements in ascending order.";
    sort_descending() -> Array<K>: "Returns all elements in descending order.";
    sort_axis(axis: impl IntoIndex) -> Array<K>:
        "Returns the elements in ascending order along an axis.";
    sort_descending_axis(axis: impl IntoIndex) -> Array<K>:
        "Returns the elements in descending order along an axis.";
    argsort() -> Array<usize>: "Returns the places of all elements in ascending order of the elements.";
    argsort_descending() -> Array<usize>: "Returns the places of all elements in descending order.";
    argsort_axis(axis: impl IntoIndex) -> Array<usize>:
        "Returns the indices that sort an axis in ascending order.";
    argsort_descending_axis(axis: impl IntoIndex) -> Array<usize>:
        "Returns the indices that sort an axis in descending order.";
}
