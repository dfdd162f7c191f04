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

/// Borrowed elements in device memory, for reading: all or part of a
/// [`DeviceBuffer`](crate::DeviceBuffer) or of another kind.
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

/// Borrowed elements in device memory, for writing.
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

/// The storage of a [`DeviceView`]: memory borrowed for `'a`.
#[derive(Clone, Copy, Debug)]
pub struct Borrowed<'a> {
    ptr: CUdeviceptr,
    owner: Owner<'a>,
}

/// The storage of a [`DeviceViewMut`]: memory borrowed exclusively for `'a`.
#[derive(Debug)]
pub struct BorrowedMut<'a> {
    ptr: CUdeviceptr,
    owner: Owner<'a>,
    exclusive: PhantomData<&'a mut ()>,
}

// SAFETY: the creator of the view promised that the memory stays allocated for `'a`.
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

// SAFETY: the creator of the view promised that nothing else uses the memory for `'a`.
unsafe impl StorageMut for BorrowedMut<'_> {}

impl<'a, T: PlainData> DeviceView<'a, T> {
    /// Creates a view of `len` elements in memory that other code manages.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - `ptr` is device memory of `len` elements in `owner`'s context, aligned for `T`;
    /// - the memory stays allocated for `'a`, and until the work enqueued on it has finished;
    /// - work on the memory is ordered if the owner is a context. If the owner is a stream, methods
    ///   of this crate order their work on other streams with it.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, DeviceView, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let buffer = DeviceBuffer::from_slice(&stream, &[1u32, 2, 3])?;
    /// let raw = buffer.as_device_ptr(); // could come from another library
    /// // SAFETY: `buffer` has three elements, outlives the view, and belongs to the stream.
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

    /// Returns the stream that orders the use of the memory, or `None` if the caller orders it.
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

    /// Converts the view into a view of a range of its elements, with the same lifetime.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the range is
    /// out of bounds.
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
        // SAFETY: the range is within this view's memory and is not borrowed for longer.
        Ok(unsafe { Self::borrow_raw(ptr, len, owner) })
    }
}

impl<'a, T: PlainData> DeviceViewMut<'a, T> {
    /// Creates a view for writing of `len` elements in memory that other code manages.
    ///
    /// # Safety
    /// The caller must meet the requirements of [`DeviceView::borrow_raw`], and must ensure that
    /// nothing else uses the memory for `'a`.
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

    /// Returns the stream that orders the use of the memory, or `None` if the caller orders it.
    #[must_use]
    pub fn stream(&self) -> Option<&'a Stream> {
        self.storage().owner.stream()
    }

    /// Converts the view into a view of a range of its elements, with the same lifetime.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the range is
    /// out of bounds.
    pub fn into_slice(self, range: impl RangeBounds<usize>) -> Result<Self> {
        let (ptr, len) = part::<T>(self.as_device_ptr(), self.len(), range, "into_slice")?;
        let owner = self.storage().owner;
        // SAFETY: the range is within this view's memory, is not borrowed for longer, and `self` is
        // consumed.
        Ok(unsafe { Self::borrow_raw(ptr, len, owner) })
    }
}

/// Returns the address and the length of a range of elements.
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
