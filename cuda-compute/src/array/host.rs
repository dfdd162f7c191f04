//! Elements between device and host.

use std::sync::Arc;

use cuda_safe::{
    DeviceView,
    bytemuck::{self, Zeroable},
};

use super::{Array, Order};
use crate::{
    element::Element,
    error::{Error, Result},
};

impl<T: Element> Array<T> {
    /// The elements in C order. Waits for them. Those of [`t`](Self::t) are in Fortran's order.
    ///
    /// # Errors
    /// Memory ran out. Work that was enqueued before failed.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let dense = self.contiguous(Order::C)?;
        let bytes = dense.memory.bytes(dense.bytes())?;
        // SAFETY: the elements of a dense array, borrowed for no longer than these bytes.
        let stored: DeviceView<'_, T::Stored> =
            unsafe { DeviceView::borrow_raw(bytes.as_device_ptr(), self.len(), bytes.owner()) };
        // In place: where elements lie in memory as they are, this does nothing.
        let host = stored.to_vec(dense.stream())?.into_iter();
        Ok(host.map(T::of_stored).collect())
    }

    /// Copies the elements to host memory, in C order. Waits for them.
    ///
    /// # Errors
    /// `host` has another length. Otherwise as [`to_vec`](Self::to_vec).
    pub fn copy_to_slice(&self, host: &mut [T]) -> Result<()> {
        self.check_length(host.len())?;
        let dense = self.contiguous(Order::C)?;
        let bytes = dense.memory.bytes(dense.bytes())?;
        // Only `bool` is converted; the others lie in memory as they are.
        if let Some(stored) = T::as_stored_mut(host) {
            return Ok(bytes.copy_to_slice(dense.stream(), bytemuck::cast_slice_mut(stored))?);
        }
        let mut stored = vec![T::Stored::zeroed(); host.len()];
        bytes.copy_to_slice(dense.stream(), bytemuck::cast_slice_mut(&mut stored))?;
        for (element, stored) in host.iter_mut().zip(stored) {
            *element = T::of_stored(stored);
        }
        Ok(())
    }

    /// Copies elements from host memory, which are in C order, into this array. Waits until `host` has been read.
    ///
    /// They go into the array's own memory if nobody else uses it and it is in C order, so that a loop allocates nothing.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let mut x = Array::<f32>::zeros(&stream, [2, 2])?;
    /// let mut host = [0.0; 4];
    /// for step in 0..3 {
    ///     x.copy_from_slice(&[step as f32; 4])?;
    ///     x.copy_to_slice(&mut host)?;
    ///     assert_eq!(host, [step as f32; 4]);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `host` has another length. Memory ran out.
    pub fn copy_from_slice(&mut self, host: &[T]) -> Result<()> {
        self.check_length(host.len())?;
        let range = self.bytes();
        if !self.layout.is_dense(Order::C) {
            let new = Self::from_shape(self.stream(), self.shape(), host)?;
            return self.assign(new);
        }
        let stream = self.stream().clone();
        let writable = Arc::get_mut(&mut self.memory).filter(|memory| !memory.is_read_only());
        let Some(memory) = writable else {
            *self = Self::from_shape(&stream, self.shape(), host)?;
            return Ok(());
        };
        let converted;
        let stored = match T::as_stored(host) {
            Some(stored) => stored,
            None => {
                converted = host.iter().map(|v| v.to_stored()).collect::<Vec<_>>();
                &converted
            }
        };
        let mut bytes = memory.bytes_mut(range)?;
        Ok(bytes.copy_from_slice(&stream, bytemuck::cast_slice(stored))?)
    }

    /// The element of an array that has only one. Waits for it.
    ///
    /// # Errors
    /// There are more, or none; otherwise as [`to_vec`](Self::to_vec).
    pub fn item(&self) -> Result<T> {
        match self.len() {
            1 => Ok(self.to_vec()?[0]),
            _ => Err(Error::Shape(format!(
                "an array of shape {} has no single element: slice or reduce it",
                self.shape()
            ))),
        }
    }

    /// The bytes of a dense array within its memory.
    fn bytes(&self) -> std::ops::Range<usize> {
        if self.is_empty() {
            // A slice of an empty array may begin beyond its memory.
            return 0..0;
        }
        let size = T::DATA_TYPE.size();
        let start = self.layout.offset * size;
        start..start + self.len() * size
    }

    fn check_length(&self, host: usize) -> Result<()> {
        if host == self.len() {
            return Ok(());
        }
        Err(Error::Shape(format!(
            "{host} elements on the host are not the {} of an array of shape {}",
            self.len(),
            self.shape()
        )))
    }
}
