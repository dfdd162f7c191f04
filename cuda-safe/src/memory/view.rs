//! Borrowed parts of device memory.

use std::{fmt, marker::PhantomData};

use bytemuck::Pod;
use cuda_sys::CUdeviceptr;

use super::{
    buffer::DeviceBuffer,
    copy::Span,
    methods::{device_read_methods, device_write_methods},
    owner::Owner,
};
use crate::stream::Stream;

/// Elements in device memory, borrowed for reading: a part of a [`DeviceBuffer`], or all of it.
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
pub struct DeviceView<'a, T> {
    ptr: CUdeviceptr,
    len: usize,
    owner: Owner<'a>,
    element: PhantomData<&'a T>,
}

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
pub struct DeviceViewMut<'a, T> {
    ptr: CUdeviceptr,
    len: usize,
    owner: Owner<'a>,
    element: PhantomData<&'a mut T>,
}

mod sealed {
    pub trait Sealed {}
}
pub(crate) use sealed::Sealed;

/// What holds readable elements in device memory: buffers, views, module globals.
///
/// # Safety
/// Sealed: the pointer and the length that a view carries are believed.
///
/// ```
/// # use cuda_safe::{Context, DeviceBuffer, DeviceSlice, Stream};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// fn sum(stream: &Stream, x: &impl DeviceSlice<u32>) -> cuda_safe::Result<u32> {
///     Ok(x.view().to_vec(stream)?.iter().sum())
/// }
/// let buffer = DeviceBuffer::from_slice(&stream, &[1u32, 2, 3])?;
/// assert_eq!(sum(&stream, &buffer)?, 6);
/// assert_eq!(sum(&stream, &buffer.slice(1..)?)?, 5);
/// # Ok(())
/// # }
/// ```
pub unsafe trait DeviceSlice<T: Pod>: Sealed {
    /// All of it.
    fn view(&self) -> DeviceView<'_, T>;
}

/// What holds writable elements in device memory.
///
/// # Safety
/// Sealed: the pointer and the length that a view carries are believed.
///
/// ```
/// # use cuda_safe::{Context, DeviceBuffer, DeviceSliceMut, Stream};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// fn clear(stream: &Stream, x: &mut impl DeviceSliceMut<u32>) -> cuda_safe::Result<()> {
///     x.view_mut().fill(stream, 0)
/// }
/// let mut buffer = DeviceBuffer::from_slice(&stream, &[1u32, 2, 3])?;
/// clear(&stream, &mut buffer.slice_mut(1..)?)?;
/// assert_eq!(buffer.to_vec(&stream)?, [1, 0, 0]);
/// clear(&stream, &mut buffer)?;
/// assert_eq!(buffer.to_vec(&stream)?, [0; 3]);
/// # Ok(())
/// # }
/// ```
pub unsafe trait DeviceSliceMut<T: Pod>: DeviceSlice<T> {
    /// All of it.
    fn view_mut(&mut self) -> DeviceViewMut<'_, T>;
}

impl<'a, T: Pod> DeviceView<'a, T> {
    /// A view of memory that something else manages.
    ///
    /// # Safety
    /// `ptr` is device memory of `len` elements, aligned for `T`, that stays allocated for `'a`
    /// and until the work enqueued on it has finished. It is memory of `owner`'s context. Operations
    /// on another stream than an owner that is a stream are ordered with it; where the owner is a
    /// context, the ordering is the caller's.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, DeviceView, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let buffer = DeviceBuffer::from_slice(&stream, &[1u32, 2, 3])?;
    /// let raw = buffer.as_device_ptr(); // perhaps from another library
    /// // SAFETY: `buffer` has three elements, is held for longer, and belongs to the stream.
    /// let view = unsafe { DeviceView::<u32>::from_raw(raw, 3, &stream) };
    /// assert_eq!(view.to_vec(&stream)?, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub unsafe fn from_raw(ptr: CUdeviceptr, len: usize, owner: impl Into<Owner<'a>>) -> Self {
        Self {
            ptr,
            len,
            owner: owner.into(),
            element: PhantomData,
        }
    }

    pub(crate) fn span(&self) -> Span<'_> {
        Span {
            ptr: self.ptr,
            bytes: self.len * size_of::<T>(),
            owner: self.owner,
        }
    }

    /// The stream whose order the memory is in; `None` where the ordering is the caller's.
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
        self.owner.stream()
    }

    /// What the memory belongs to.
    #[must_use]
    pub fn owner(&self) -> Owner<'a> {
        self.owner
    }

    device_read_methods!(T, 'a);
}

impl<'a, T: Pod> DeviceViewMut<'a, T> {
    /// A view of memory that something else manages.
    ///
    /// # Safety
    /// As [`DeviceView::from_raw`], and nothing else uses the memory for `'a`.
    #[must_use]
    pub unsafe fn from_raw(ptr: CUdeviceptr, len: usize, owner: impl Into<Owner<'a>>) -> Self {
        Self {
            ptr,
            len,
            owner: owner.into(),
            element: PhantomData,
        }
    }

    pub(crate) fn span(&self) -> Span<'_> {
        Span {
            ptr: self.ptr,
            bytes: self.len * size_of::<T>(),
            owner: self.owner,
        }
    }

    /// The stream whose order the memory is in; `None` where the ordering is the caller's.
    #[must_use]
    pub fn stream(&self) -> Option<&'a Stream> {
        self.owner.stream()
    }

    /// What the memory belongs to.
    #[must_use]
    pub fn owner(&self) -> Owner<'a> {
        self.owner
    }

    device_read_methods!(T, '_);
    device_write_methods!(T);
}

impl<T> Clone for DeviceView<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for DeviceView<'_, T> {}

impl<T> Sealed for DeviceBuffer<T> where T: Pod {}
impl<T> Sealed for DeviceView<'_, T> {}
impl<T> Sealed for DeviceViewMut<'_, T> {}
impl<S: Sealed + ?Sized> Sealed for &S {}
impl<S: Sealed + ?Sized> Sealed for &mut S {}

// SAFETY: a buffer owns `len` elements at `ptr`.
unsafe impl<T: Pod> DeviceSlice<T> for DeviceBuffer<T> {
    fn view(&self) -> DeviceView<'_, T> {
        self.view()
    }
}
// SAFETY: a buffer owns `len` elements at `ptr`.
unsafe impl<T: Pod> DeviceSliceMut<T> for DeviceBuffer<T> {
    fn view_mut(&mut self) -> DeviceViewMut<'_, T> {
        self.view_mut()
    }
}
// SAFETY: itself.
unsafe impl<T: Pod> DeviceSlice<T> for DeviceView<'_, T> {
    fn view(&self) -> DeviceView<'_, T> {
        *self
    }
}
// SAFETY: a shorter borrow of itself.
unsafe impl<T: Pod> DeviceSlice<T> for DeviceViewMut<'_, T> {
    fn view(&self) -> DeviceView<'_, T> {
        self.view()
    }
}
// SAFETY: a shorter borrow of itself.
unsafe impl<T: Pod> DeviceSliceMut<T> for DeviceViewMut<'_, T> {
    fn view_mut(&mut self) -> DeviceViewMut<'_, T> {
        self.view_mut()
    }
}

impl<T> fmt::Debug for DeviceView<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceView({:#x}, {} elements)", self.ptr, self.len)
    }
}

impl<T> fmt::Debug for DeviceViewMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceViewMut({:#x}, {} elements)", self.ptr, self.len)
    }
}
