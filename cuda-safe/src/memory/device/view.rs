//! Borrowed parts of device memory.

use std::{marker::PhantomData, ops::RangeBounds};

use cuda_sys::CUdeviceptr;

use super::DeviceMemory;
use crate::{
    error::Result,
    memory::{
        plain::PlainData,
        size,
        storage::{Storage, StorageMut},
    },
    stream::{Stream, owner::Owner},
};

/// Elements in device memory, borrowed for reading: a part of a [`DeviceBuffer`](crate::DeviceBuffer), or all of it.
///
/// ```
/// # use cuda_safe::{Context, DeviceBuffer, Stream};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// let buffer = DeviceBuffer::from_slice(&stream, &[1u32, 2, 3, 4, 5])?;
/// let (head, tail) = buffer.split_at(2)?;
/// assert_eq!(head.to_vec(&stream)?, [1, 2]);
/// assert_eq!(tail.slice(1..)?.to_vec(&stream)?, [4, 5]);
/// # Ok(())
/// # }
/// ```
pub type DeviceView<'a, T> = DeviceMemory<Borrowed<'a>, T>;

/// Elements in device memory, borrowed for writing.
///
/// ```
/// # use cuda_safe::{Context, DeviceBuffer, Stream};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// let mut buffer = DeviceBuffer::<u32>::zeroed(&stream, 5)?;
/// let (mut head, mut tail) = buffer.split_at_mut(2)?;
/// head.fill(&stream, 7)?;
/// tail.copy_from_slice(&stream, &[1, 2, 3])?;
/// assert_eq!(buffer.to_vec(&stream)?, [7, 7, 1, 2, 3]);
/// # Ok(())
/// # }
/// ```
pub type DeviceViewMut<'a, T> = DeviceMemory<BorrowedMut<'a>, T>;

/// Borrowed memory, which lives for `'a`: what a [`DeviceView`] holds.
#[derive(Clone, Copy, Debug)]
pub struct Borrowed<'a> {
    ptr: CUdeviceptr,
    owner: Owner<'a>,
}

/// Exclusively borrowed memory, which lives for `'a`: what a [`DeviceViewMut`] holds.
#[derive(Debug)]
pub struct BorrowedMut<'a> {
    ptr: CUdeviceptr,
    owner: Owner<'a>,
    exclusive: PhantomData<&'a mut ()>,
}

// SAFETY: whoever created the view promised that the memory is there for `'a`.
unsafe impl Storage for Borrowed<'_> {
    const NAME: &'static str = "DeviceView";

    #[inline]
    fn as_device_ptr(&self) -> CUdeviceptr {
        self.ptr
    }

    #[inline]
    fn owner(&self) -> Owner<'_> {
        self.owner
    }
}

// SAFETY: as above.
unsafe impl Storage for BorrowedMut<'_> {
    const NAME: &'static str = "DeviceViewMut";

    #[inline]
    fn as_device_ptr(&self) -> CUdeviceptr {
        self.ptr
    }

    #[inline]
    fn owner(&self) -> Owner<'_> {
        self.owner
    }
}

// SAFETY: whoever created the view promised that it is the only one for `'a`.
unsafe impl StorageMut for BorrowedMut<'_> {}

impl<'a, T: PlainData> DeviceView<'a, T> {
    /// A view of memory that something else manages; `len` counts elements.
    ///
    /// # Safety
    /// `ptr` is device memory of `len` elements, aligned for `T`, in `owner`'s context. It stays allocated for `'a`,
    /// and until the work enqueued on it has finished. If the owner is a stream, methods of this crate order work on
    /// other streams with it; if the owner is a context, the caller orders the work.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, DeviceView, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let buffer = DeviceBuffer::from_slice(&stream, &[1u32, 2, 3])?;
    /// let raw = buffer.as_device_ptr(); // perhaps from another library
    /// // SAFETY: `buffer` has three elements, is held for longer, and belongs to the stream.
    /// let view = unsafe { DeviceView::<u32>::borrow_raw(raw, 3, &stream) };
    /// assert_eq!(view.to_vec(&stream)?, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub unsafe fn borrow_raw(ptr: CUdeviceptr, len: usize, owner: impl Into<Owner<'a>>) -> Self {
        let storage = Borrowed {
            ptr,
            owner: owner.into(),
        };
        // SAFETY: as this function's contract says.
        unsafe { Self::from_storage(storage, len) }
    }

    /// The stream in whose order the memory is used; `None` if the caller orders the work.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, DeviceView, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let buffer = DeviceBuffer::<u32>::zeroed(&stream, 2)?;
    /// assert_eq!(buffer.view().stream(), Some(&stream));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn stream(&self) -> Option<&'a Stream> {
        self.storage().owner.stream()
    }

    /// A range of elements, borrowed for as long as this view's memory. The range counts elements.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where the range ends after the last element.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, DeviceView, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// fn tail(view: DeviceView<'_, u32>) -> cuda_safe::Result<DeviceView<'_, u32>> {
    ///     view.into_slice(1..)
    /// }
    /// let buffer = DeviceBuffer::from_slice(&stream, &[1u32, 2, 3])?;
    /// assert_eq!(tail(buffer.view())?.to_vec(&stream)?, [2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn into_slice(self, range: impl RangeBounds<usize>) -> Result<Self> {
        let (ptr, len) = part::<T>(self.as_device_ptr(), self.len(), range, "into_slice")?;
        let owner = self.storage().owner;
        // SAFETY: within this view's memory, borrowed for no longer than it.
        Ok(unsafe { Self::borrow_raw(ptr, len, owner) })
    }
}

impl<'a, T: PlainData> DeviceViewMut<'a, T> {
    /// A view for writing of memory that something else manages; `len` counts elements.
    ///
    /// # Safety
    /// As [`DeviceView::borrow_raw`]; and nothing else uses the memory for `'a`.
    #[must_use]
    pub unsafe fn borrow_raw(ptr: CUdeviceptr, len: usize, owner: impl Into<Owner<'a>>) -> Self {
        let storage = BorrowedMut {
            ptr,
            owner: owner.into(),
            exclusive: PhantomData,
        };
        // SAFETY: as this function's contract says.
        unsafe { Self::from_storage(storage, len) }
    }

    /// The stream in whose order the memory is used; `None` if the caller orders the work.
    #[must_use]
    pub fn stream(&self) -> Option<&'a Stream> {
        self.storage().owner.stream()
    }

    /// A range of elements, borrowed for as long as this view's memory. The range counts elements.
    ///
    /// # Errors
    /// As [`DeviceView::into_slice`].
    pub fn into_slice(self, range: impl RangeBounds<usize>) -> Result<Self> {
        let (ptr, len) = part::<T>(self.as_device_ptr(), self.len(), range, "into_slice")?;
        let owner = self.storage().owner;
        // SAFETY: within this view's memory, borrowed for no longer than it, and the view is gone.
        Ok(unsafe { Self::borrow_raw(ptr, len, owner) })
    }
}

/// Address and length of a range of elements.
pub(in crate::memory) fn part<T>(
    ptr: CUdeviceptr,
    len: usize,
    range: impl RangeBounds<usize>,
    call: &'static str,
) -> Result<(CUdeviceptr, usize)> {
    let range = size::range_within(range, len, call)?;
    let offset = range.start * size_of::<T>();
    Ok((ptr + offset as CUdeviceptr, range.len()))
}
