//! Elements on the host.

use cuda_safe::bytemuck;

use super::{Array, Order};
use crate::{
    element::Element,
    error::{Error, Result},
};

impl<T: Element> Array<T> {
    /// The elements in C order. Waits for them.
    ///
    /// # Errors
    /// Memory ran out. Work that was enqueued before failed.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let dense = self.contiguous(Order::C)?;
        let size = T::DATA_TYPE.size();
        let start = dense.layout.offset * size;
        let mut stored = vec![<T::Stored as bytemuck::Zeroable>::zeroed(); self.len()];
        let bytes = dense
            .memory
            .buffer()
            .slice(start..start + self.len() * size)?;
        bytes.copy_to_slice(dense.stream(), bytemuck::cast_slice_mut(&mut stored))?;
        Ok(T::from_stored(stored))
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
}
