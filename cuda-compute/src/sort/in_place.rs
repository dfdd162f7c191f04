//! Sorts of an array in its own memory.

use super::{
    SortKey,
    key::{Items, Keys},
    run::{Job, Target, order_along},
};
use crate::{
    array::{Array, IntoIndex, Order},
    error::Result,
};

impl<K: SortKey> Array<K> {
    /// Sorts all elements in ascending order in C order, and keeps the shape. See
    /// [`sort`](crate::Expr::sort) for the order of NaN and of equal elements.
    ///
    /// If the array is contiguous in C order, it is sorted in its own memory, and the sort needs
    /// memory for as many elements until it has finished. Otherwise, a sorted copy is assigned. As
    /// for every write, the array is copied first if others share its memory. The call does not wait
    /// for the stream.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let mut x = Array::from_nested(&stream, [[3u8, 1], [2, 0]])?;
    /// x.sort_in_place_axis(1)?;
    /// assert_eq!(x.to_vec()?, [1, 3, 0, 2]);
    /// x.sort_in_place()?;
    /// assert_eq!(x.to_vec()?, [0, 1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if memory runs out, or if the kernels can't be compiled or launched.
    pub fn sort_in_place(&mut self) -> Result<()> {
        self.sort_all(false)
    }

    /// Sorts all elements in descending order in C order. NaN comes last. See
    /// [`sort_in_place`](Self::sort_in_place).
    ///
    /// # Errors
    /// Returns an error if memory runs out, or if the kernels can't be compiled or launched.
    pub fn sort_descending_in_place(&mut self) -> Result<()> {
        self.sort_all(true)
    }

    /// Sorts the elements in ascending order along an axis, as NumPy's method `ndarray.sort` does. The
    /// array is sorted in its own memory if it is contiguous and the axis is innermost there. See
    /// [`sort_in_place`](Self::sort_in_place).
    ///
    /// # Errors
    /// Returns an error if there is no such axis, if memory runs out, or if the kernels can't be
    /// compiled or launched.
    pub fn sort_in_place_axis(&mut self, axis: impl IntoIndex) -> Result<()> {
        self.sort_along(false, axis)
    }

    /// Sorts the elements in descending order along an axis. NaN comes last. See
    /// [`sort_in_place_axis`](Self::sort_in_place_axis).
    ///
    /// # Errors
    /// Returns an error if there is no such axis, if memory runs out, or if the kernels can't be
    /// compiled or launched.
    pub fn sort_descending_in_place_axis(&mut self, axis: impl IntoIndex) -> Result<()> {
        self.sort_along(true, axis)
    }

    fn sort_all(&mut self, descending: bool) -> Result<()> {
        if self.is_contiguous(Order::C) {
            return self.sort_own(descending, None);
        }
        let shape = self.shape();
        let sorted = self.expr().sorted(descending, None)?;
        self.assign(sorted.reshape(shape.as_slice())?)
    }

    fn sort_along(&mut self, descending: bool, axis: impl IntoIndex) -> Result<()> {
        let axis = self.shape().axis(axis)?;
        let order = order_along(&self.layout, axis);
        let lines = self.layout.permuted(&order[..])?;
        if lines.is_dense(Order::C) {
            return self.sort_own(descending, Some(axis));
        }
        let sorted = self.expr().sorted(descending, Some(axis))?;
        self.assign(sorted)
    }

    /// Sorts an array whose lines are contiguous in memory.
    fn sort_own(&mut self, descending: bool, axis: Option<usize>) -> Result<()> {
        self.make_writable(Some(0))?;
        let job = Job {
            keys: Keys::of::<K>(descending),
            items: Items::None,
            nodes: &[&self.expr().node],
            axis,
            target: Target::Memory(self.memory.clone(), self.as_device_ptr()),
        };
        job.enqueue()?;
        Ok(())
    }
}
