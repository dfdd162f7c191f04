//! Sorts that move values along with the keys.

use std::sync::Arc;

use super::{
    SortKey,
    key::{Items, Keys},
    run::{Job, Target},
};
use crate::{
    array::{Array, IntoIndex, Layout, Order},
    element::Element,
    error::Result,
    expression::{Expr, IntoExpr, node::Node},
};

/// Values that a [sort by key](Expr::sort_by_key) can move: an array, an expression, a reference to
/// either, or a tuple of two to four of them.
///
/// This trait is sealed, because the sort calls its hidden methods.
pub trait SortValues: sealed::SortValues {}

mod sealed {
    use super::Sorting;
    use crate::{array::Array, error::Result, sort::SortKey};

    pub trait SortValues {
        /// The sorted values: an array, or a tuple of arrays.
        type Sorted;

        /// Sorts the keys and these values.
        fn sort_with<K: SortKey>(
            self,
            sorting: &Sorting<'_, K>,
        ) -> Result<(Array<K>, Self::Sorted)>;

        /// Returns these values at the places of the sorted keys.
        fn gather_with<K: SortKey>(
            self,
            sorting: &Sorting<'_, K>,
            places: &Array<usize>,
        ) -> Result<Self::Sorted>;
    }
}

/// The keys and the axis of a sort by key.
#[derive(Debug)]
pub struct Sorting<'a, K: SortKey> {
    keys: &'a Expr<K>,
    descending: bool,
    axis: Option<usize>,
}

impl<K: SortKey> Sorting<'_, K> {
    fn job<'a>(&self, items: Items, nodes: &'a [&'a Arc<Node>]) -> Job<'a> {
        Job {
            keys: Keys::of::<K>(self.descending),
            items,
            nodes,
            axis: self.axis,
            target: Target::New,
        }
    }

    /// Sorts keys and values together.
    fn together<V: Element>(&self, values: &Expr<V>) -> Result<(Array<K>, Array<V>)> {
        // The values have the shape of the keys, so that the keys are not broadcast.
        let values = values.broadcast_to(self.keys.shape()?)?;
        if !Items::can_be(V::DATA_TYPE) {
            let (keys, places) = self.places()?;
            return Ok((keys, self.gather(&values, &places)?));
        }
        let nodes = [&self.keys.node, &values.node];
        let sorted = self.job(Items::Values(V::DATA_TYPE), &nodes).enqueue()?;
        Ok((sorted.keys(), sorted.items()))
    }

    /// Sorts the keys and their places.
    fn places(&self) -> Result<(Array<K>, Array<usize>)> {
        let nodes = [&self.keys.node];
        let sorted = self.job(Items::Places, &nodes).enqueue()?;
        Ok((sorted.keys(), sorted.items()))
    }

    /// Returns the values at the places that a sort has returned.
    fn gather<V: Element>(&self, values: &Expr<V>, places: &Array<usize>) -> Result<Array<V>> {
        let values = values.broadcast_to(self.keys.shape()?)?;
        take_along(&values, places, self.axis)
    }
}

/// Returns the values at these places along an axis, or in C order. `places` has the shape of the
/// values, except along the axis. All places must exist.
pub(super) fn take_along<V: Element>(
    values: &Expr<V>,
    places: &Array<usize>,
    axis: Option<usize>,
) -> Result<Array<V>> {
    let shape = values.shape()?;
    let values = values.reshape([shape.elements()])?;
    let Some(axis) = axis else {
        return values.take_now(places, 0);
    };
    // The place of the line's first element, and the step along the axis.
    let dense = Layout::dense(shape, Order::C);
    let step = dense.strides()[axis] as usize;
    let lengths = places.shape();
    let mut lines = Layout::dense(lengths, Order::C);
    lines.set_strides(|other| {
        if other == axis {
            0
        } else {
            dense.strides()[other]
        }
    });
    let places = Expr::<usize>::places(lines) + places * step;
    values.take_now(&places, 0)
}

macro_rules! single {
    ($($type:ty),*) => {$(
        impl<V: Element> SortValues for $type {}
        impl<V: Element> sealed::SortValues for $type {
            type Sorted = Array<V>;

            fn sort_with<K: SortKey>(self, sorting: &Sorting<'_, K>) -> Result<(Array<K>, Array<V>)> {
                sorting.together(&self.into_expr())
            }

            fn gather_with<K: SortKey>(
                self,
                sorting: &Sorting<'_, K>,
                places: &Array<usize>,
            ) -> Result<Array<V>> {
                sorting.gather(&self.into_expr(), places)
            }
        }
    )*};
}

single!(Array<V>, &Array<V>, Expr<V>, &Expr<V>);

macro_rules! tuple {
    ($($value:ident: $type:ident),*) => {
        impl<$($type: SortValues),*> SortValues for ($($type,)*) {}
        impl<$($type: SortValues),*> sealed::SortValues for ($($type,)*) {
            type Sorted = ($($type::Sorted,)*);

            fn sort_with<K: SortKey>(
                self,
                sorting: &Sorting<'_, K>,
            ) -> Result<(Array<K>, Self::Sorted)> {
                let (keys, places) = sorting.places()?;
                Ok((keys, self.gather_with(sorting, &places)?))
            }

            fn gather_with<K: SortKey>(
                self,
                sorting: &Sorting<'_, K>,
                places: &Array<usize>,
            ) -> Result<Self::Sorted> {
                let ($($value,)*) = self;
                Ok(($($value.gather_with(sorting, places)?,)*))
            }
        }
    };
}

tuple!(a: A, b: B);
tuple!(a: A, b: B, c: C);
tuple!(a: A, b: B, c: C, d: D);

/// Defines the methods of expressions, and those of arrays that call them.
macro_rules! by_key {
    ($($(#[$doc:meta])* $name:ident $(($axis:ident))? $descending:literal;)*) => {
        impl<K: SortKey> Expr<K> {$(
            $(#[$doc])*
            ///
            /// # Errors
            /// Returns an error if `values` can't be broadcast to the shape of the keys, if there is
            /// no such axis, or in the cases that [`sort`](Self::sort) lists.
            pub fn $name<S: SortValues>(
                &self,
                values: S,
                $($axis: impl IntoIndex,)?
            ) -> Result<(Array<K>, S::Sorted)> {
                let axis: Option<usize> = [$(self.shape()?.axis($axis)?)?].first().copied();
                let sorting = Sorting {
                    keys: self,
                    descending: $descending,
                    axis,
                };
                values.sort_with(&sorting)
            }
        )*}

        impl<K: SortKey> Array<K> {$(
            #[doc = concat!("Sorts the elements and moves `values` along. See [`Expr::", stringify!($name), "`].")]
            ///
            /// # Errors
            #[doc = concat!("Returns an error in the cases that [`Expr::", stringify!($name), "`] lists.")]
            pub fn $name<S: SortValues>(
                &self,
                values: S,
                $($axis: impl IntoIndex,)?
            ) -> Result<(Self, S::Sorted)> {
                self.expr().$name(values, $($axis)?)
            }
        )*}
    };
}

by_key! {
    /// Sorts all elements in ascending order and moves `values` along, as Thrust's `sort_by_key` does.
    /// Returns the sorted elements, and the values in the same order, as arrays with one axis.
    ///
    /// `values` is an array or an expression that can be broadcast to this shape, or a tuple of up to
    /// four of them. Single values of 1, 2, 4 or 8 bytes move along with the keys. For other values
    /// and tuples, the sort computes the places of the keys, as [`argsort`](Self::argsort) does, and
    /// then gathers the values.
    ///
    /// See [`sort`](Self::sort) for the order, waiting and memory. Until the sort has finished, it
    /// needs as much memory for values as for the result's values.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let keys = Array::from_slice(&stream, &[2u8, 1, 2])?;
    /// let (x, y) = (Array::range(&stream, 0..3)?, Array::from_slice(&stream, &[0.5, 1.5, 2.5])?);
    /// let (sorted, values) = keys.sort_by_key(&x)?;
    /// assert_eq!((sorted.to_vec()?, values.to_vec()?), (vec![1, 2, 2], vec![1, 0, 2]));
    ///
    /// let (_, (x, doubled)) = keys.sort_by_key((&x, &y * 2.0))?;
    /// assert_eq!((x.to_vec()?, doubled.to_vec()?), (vec![1, 0, 2], vec![3.0, 1.0, 5.0]));
    /// # Ok(())
    /// # }
    /// ```
    sort_by_key false;
    /// Sorts all elements in descending order and moves `values` along. NaN comes last, and equal
    /// elements keep their order. See [`sort_by_key`](Self::sort_by_key).
    sort_by_key_descending true;
    /// Sorts the elements in ascending order along an axis and moves `values` along. See
    /// [`sort_by_key`](Self::sort_by_key) and [`sort_axis`](Self::sort_axis).
    sort_by_key_axis(axis) false;
    /// Sorts the elements in descending order along an axis and moves `values` along. NaN comes last,
    /// and equal elements keep their order. See [`sort_by_key_axis`](Self::sort_by_key_axis).
    sort_by_key_descending_axis(axis) true;
}
