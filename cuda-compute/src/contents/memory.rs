//! An array's memory as memory of `cuda-safe`: views and buffers.

use std::{ops::Range, sync::Arc};

use cuda_safe::{DeviceBuffer, DeviceMemory, DeviceView, DeviceViewMut};

use crate::{
    array::{Array, Order},
    element::Element,
    error::{Error, Result},
};

impl<T: Element> Array<T> {
    /// Returns the elements as device memory, for reading by methods of `cuda-safe` and by other
    /// libraries. Nothing is copied.
    ///
    /// The memory belongs to the array's [`stream`](Self::stream). The elements of an array of
    /// `bool` are bytes.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[1.0f32, 2.0, 3.0])?;
    /// let mut host = [0.0; 2];
    /// x.view()?.slice(1..)?.copy_to_slice(&stream, &mut host)?;
    /// assert_eq!(host, [2.0, 3.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Shape`] unless the array is [contiguous](Self::is_contiguous) in C order.
    pub fn view(&self) -> Result<DeviceView<'_, T::Stored>> {
        self.expect_contiguous()?;
        let (address, len, owner) = (self.as_device_ptr(), self.len(), self.memory.owner());
        // SAFETY: the elements of a contiguous array, which is borrowed as long as the view.
        Ok(unsafe { DeviceView::borrow_raw(address, len, owner) })
    }

    /// Returns the elements as device memory, for writing.
    ///
    /// The array is copied first if others share its memory, so that they keep their values.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let mut x = Array::from_slice(&stream, &[1.0f32, 2.0, 3.0])?;
    /// let before = x.clone();
    /// x.view_mut()?.slice_mut(1..)?.fill(&stream, 7.0)?;
    /// assert_eq!(x.to_vec()?, [1.0, 7.0, 7.0]);
    /// assert_eq!(before.to_vec()?, [1.0, 2.0, 3.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Shape`] unless the array is [contiguous](Self::is_contiguous) in C order.
    /// Returns [`Error::Cuda`] if a copy is needed and device memory runs out.
    pub fn view_mut(&mut self) -> Result<DeviceViewMut<'_, T::Stored>> {
        self.expect_contiguous()?;
        self.make_writable(Some(0))?;
        let (address, len, owner) = (self.as_device_ptr(), self.len(), self.memory.owner());
        // SAFETY: the elements of a contiguous array. Nothing else shares its memory, and the array
        // is exclusively borrowed as long as the view.
        Ok(unsafe { DeviceViewMut::borrow_raw(address, len, owner) })
    }

    /// Turns the array into a buffer with the elements in C order. This is the inverse of
    /// [`from_buffer`](Self::from_buffer).
    ///
    /// Nothing is copied if the array is contiguous and is all of its memory, if nothing else
    /// shares the memory, and if it does not belong to another library. The buffer belongs to the
    /// array's stream.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[1.0f32, 2.0, 3.0, 4.0])?.reshape([2, 2])?;
    /// let address = x.as_device_ptr();
    /// let buffer = x.into_buffer()?;
    /// assert_eq!(buffer.as_device_ptr(), address);
    ///
    /// let x = Array::<f32>::from_buffer(buffer, [2, 2])?;
    /// assert_eq!(x.t().into_buffer()?.to_vec(&stream)?, [1.0, 3.0, 2.0, 4.0]); // a copy
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Cuda`] if a copy is needed and device memory runs out.
    pub fn into_buffer(self) -> Result<DeviceBuffer<T::Stored>> {
        let array = match self.is_contiguous(Order::C) {
            true => self,
            false => self.contiguous(Order::C)?,
        };
        let (len, range) = (array.len(), array.bytes());
        let whole = Arc::try_unwrap(array.memory)
            .and_then(|memory| memory.into_whole(&range).map_err(Arc::new));
        let bytes = match whole {
            Ok(bytes) => bytes,
            Err(memory) => {
                let mut copy = DeviceBuffer::uninit(memory.stream(), range.len())?;
                copy.copy_from(memory.stream(), &memory.bytes(range)?)?;
                copy
            }
        };
        // SAFETY: the memory and its size in bytes are the same, and it is aligned for the array's
        // elements.
        Ok(unsafe { DeviceMemory::from_storage(bytes.into_storage(), len) })
    }

    /// Returns the range of a contiguous array's bytes within its memory.
    pub(crate) fn bytes(&self) -> Range<usize> {
        if self.is_empty() {
            // The offset of an empty array may be beyond its memory.
            return 0..0;
        }
        let size = T::DATA_TYPE.size();
        let start = self.layout.offset * size;
        start..start + self.len() * size
    }

    fn expect_contiguous(&self) -> Result<()> {
        if self.is_contiguous(Order::C) {
            return Ok(());
        }
        Err(Error::Shape(format!(
            "an array of shape {} and strides {:?} is not contiguous in C order. Fix: make it contiguous with \
             x.contiguous(Order::C), or pass x.strided() or x.strided_mut() to a kernel that takes strides. To write to a part of an array, pass \
             x.slice_mut(s![..])?.strided_mut()",
            self.shape(),
            self.strides()
        )))
    }
}
