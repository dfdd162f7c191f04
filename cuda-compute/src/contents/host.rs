//! Copies of elements between device and host.

use std::sync::Arc;

use cuda_safe::bytemuck::{self, Zeroable};

use crate::{
    array::{Array, IntoIndices, Order, SliceItem},
    element::Element,
    error::{Error, Result},
    expression::Expr,
};

impl<T: Element> Array<T> {
    /// Copies the elements to a vector, in C order. Waits for them.
    ///
    /// To get the elements in Fortran order, call this on [`t`](Self::t).
    ///
    /// # Errors
    /// Returns [`Error::Cuda`] if device memory runs out, or if work enqueued earlier has faulted.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let dense = self.contiguous(Order::C)?;
        // This converts in place, and does nothing for types that are stored unchanged.
        let host = dense.view()?.to_vec(dense.stream())?.into_iter();
        Ok(host.map(T::of_stored).collect())
    }

    /// Copies the elements to host memory, in C order. Waits for them.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if the length of `host` differs from the number of elements.
    /// Returns [`Error::Cuda`] if device memory runs out, or if work enqueued earlier has faulted.
    pub fn copy_to_slice(&self, host: &mut [T]) -> Result<()> {
        self.check_length(host.len())?;
        let dense = self.contiguous(Order::C)?;
        let bytes = dense.memory.bytes(dense.bytes())?;
        // Only `bool` needs a conversion. Other types are stored unchanged.
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

    /// Copies elements from host memory, in C order, into this array. Waits until `host` has been
    /// read.
    ///
    /// If the array is contiguous in C order and nothing else shares its memory, the elements are
    /// written to that memory and nothing is allocated. Otherwise the array gets new memory.
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
    /// Returns [`Error::Shape`] if the length of `host` differs from the number of elements.
    /// Returns [`Error::Cuda`] if device memory runs out or the copy fails.
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

    /// Copies the only element of an array to the host. Waits for it.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if the array does not have exactly one element. Returns
    /// [`Error::Cuda`] if device memory runs out, or if work enqueued earlier has faulted.
    pub fn item(&self) -> Result<T> {
        match self.len() {
            1 => Ok(self.to_vec()?[0]),
            _ => Err(Error::Shape(format!(
                "item: an array of shape {} does not have exactly one element. Fix: slice or reduce it",
                self.shape()
            ))),
        }
    }

    /// Copies one element to the host. Waits for it.
    ///
    /// There is an index for each axis, and negative indices count from the end. This is a method,
    /// because Rust's `a[[i, j]]` would have to return a reference to host memory. Each call waits
    /// for the device, so copy many elements with [`to_vec`](Self::to_vec).
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_nested(&stream, [[1, 2, 3], [4, 5, 6]])?;
    /// assert_eq!(x.at([1, 0])?, 4);
    /// assert_eq!(x.flatten()?.at(-1)?, 6);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if an index is out of range, or if the number of indices differs from
    /// the number of axes. Returns [`Error::Cuda`] if work enqueued earlier has faulted.
    pub fn at(&self, index: impl IntoIndices) -> Result<T> {
        let index = index.into_indices();
        if index.len() != self.rank() {
            return Err(Error::Shape(format!(
                "at: {index:?} does not name one element of an array of shape {}. Fix: pass {} indices, one for each axis",
                self.shape(),
                self.rank()
            )));
        }
        let items: Vec<SliceItem> = index.into_iter().map(SliceItem::from).collect();
        self.slice(items)?.item()
    }

    fn check_length(&self, host: usize) -> Result<()> {
        if host == self.len() {
            return Ok(());
        }
        Err(Error::Shape(format!(
            "the slice has {host} elements, but the array has {} (shape {})",
            self.len(),
            self.shape()
        )))
    }
}

impl<T: Element> Expr<T> {
    /// Computes the values and copies them to a vector, in C order. Waits for them.
    ///
    /// This is [`eval`](Self::eval) and [`Array::to_vec`]. Every call computes the values again. If
    /// you need them several times, keep the array that `eval` returns.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[1.0f32, 4.0])?;
    /// assert_eq!((x.sqrt() + 1.0).to_vec()?, [2.0, 3.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`eval`](Self::eval) and [`Array::to_vec`].
    pub fn to_vec(&self) -> Result<Vec<T>> {
        self.eval()?.to_vec()
    }

    /// Computes the only value and copies it to the host. Waits for it.
    ///
    /// This is [`eval`](Self::eval) and [`Array::item`]. To get several values from one kernel,
    /// pass them to [`eval`](crate::eval()) together.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[1.0f32, 4.0])?;
    /// assert_eq!(x.sum().item()?, 5.0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`eval`](Self::eval), and [`Error::Shape`] if there is not exactly one
    /// value.
    pub fn item(&self) -> Result<T> {
        self.eval()?.item()
    }
}
