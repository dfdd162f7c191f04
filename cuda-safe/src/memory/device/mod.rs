//! The one type of device memory, and what all its kinds can do.

pub(crate) mod buffer;
pub(crate) mod fresh;
pub(crate) mod view;

use std::{fmt, marker::PhantomData, ops::RangeBounds};

use cuda_sys::CUdeviceptr;

use super::{
    alignment::expect_aligned,
    copy::{self, Span},
    device::view::{DeviceView, DeviceViewMut},
    plain::PlainData,
    size,
    storage::{OwnedStorage, Storage, StorageMut},
};
use crate::{
    error::Result,
    stream::{Stream, owner::Owner},
};

/// Elements of type `T` in device memory. There are several kinds, which differ in what holds the memory, the
/// [`Storage`]:
///
/// | kind | holds |
/// | --- | --- |
/// | [`DeviceBuffer`](crate::DeviceBuffer) | memory of its own, allocated and freed in a stream's order |
/// | [`ManagedBuffer`](crate::ManagedBuffer) | managed memory of its own, which the host reaches too |
/// | [`MappedBuffer`](crate::MappedBuffer) | page-locked memory of the host, which kernels reach over the link |
/// | [`GrowableBuffer`](crate::memory::virtual_memory::GrowableBuffer) | memory of its own, which grows without being copied |
/// | [`IpcBuffer`](crate::share::IpcBuffer) | memory of its own, which other processes may open |
/// | [`OpenedBuffer`](crate::share::OpenedBuffer) | memory of another process |
/// | [`ExternalBuffer`](crate::share::ExternalBuffer) | memory of another interface, such as Vulkan |
/// | [`DeviceView`], [`DeviceViewMut`] | borrowed memory: a part of another kind, or from another library |
/// | [`Global`](crate::module::Global) | a variable of a module |
///
/// All of them can be copied, filled, sliced and passed to kernels in the same way. A function for all kinds takes
/// `&DeviceMemory<impl Storage, T>`, or `&mut DeviceMemory<impl StorageMut, T>` if it writes:
///
/// ```
/// use cuda_safe::{Context, DeviceBuffer, DeviceMemory, memory::{Storage, StorageMut}, Stream};
///
/// fn sum(stream: &Stream, x: &DeviceMemory<impl Storage, u32>) -> cuda_safe::Result<u32> {
///     Ok(x.to_vec(stream)?.iter().sum())
/// }
/// fn clear(stream: &Stream, x: &mut DeviceMemory<impl StorageMut, u32>) -> cuda_safe::Result<()> {
///     x.fill(stream, 0)
/// }
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// let mut buffer = DeviceBuffer::from_slice(&stream, &[1u32, 2, 3])?;
/// assert_eq!(sum(&stream, &buffer)?, 6);
/// assert_eq!(sum(&stream, &buffer.slice(1..)?)?, 5);
/// clear(&stream, &mut buffer.slice_mut(1..)?)?;
/// assert_eq!(buffer.to_vec(&stream)?, [1, 0, 0]);
/// # Ok(())
/// # }
/// ```
///
/// Elements are plain data: any bit pattern is a valid value ([`Pod`](https://docs.rs/bytemuck/1/bytemuck/trait.Pod.html)).
pub struct DeviceMemory<S, T> {
    storage: S,
    len: usize,
    element: PhantomData<fn() -> T>,
}

impl<S: Storage, T: PlainData> DeviceMemory<S, T> {
    /// Device memory of `len` elements, from what holds it. This is how a new kind of memory creates its objects.
    ///
    /// # Safety
    /// The storage has room for `len` elements at its address, which is aligned for `T`.
    #[must_use]
    pub unsafe fn from_storage(storage: S, len: usize) -> Self {
        Self {
            storage,
            len,
            element: PhantomData,
        }
    }

    /// Creates the memory, or returns an error if its address is not aligned for `T`.
    ///
    /// # Safety
    /// The storage has room for `len` elements at its address.
    pub(crate) unsafe fn from_allocation(
        storage: S,
        len: usize,
        call: &'static str,
    ) -> Result<Self> {
        expect_aligned::<T>(storage.as_device_ptr(), call)?;
        // SAFETY: aligned; the rest is this function's contract.
        Ok(unsafe { Self::from_storage(storage, len) })
    }

    /// What holds the memory.
    #[must_use]
    #[inline]
    pub fn storage(&self) -> &S {
        &self.storage
    }

    /// What holds the memory, without its length.
    #[must_use]
    pub fn into_storage(self) -> S {
        self.storage
    }

    /// What holds the memory, and the number of elements: for a kind whose memory grows.
    pub(crate) fn parts_mut(&mut self) -> (&mut S, &mut usize) {
        (&mut self.storage, &mut self.len)
    }

    /// What the memory belongs to: a stream, or a context alone.
    #[must_use]
    pub fn owner(&self) -> Owner<'_> {
        self.storage.owner()
    }

    pub(crate) fn span(&self) -> Span<'_> {
        Span {
            ptr: self.as_device_ptr(),
            bytes: self.size_bytes(),
            owner: self.owner(),
        }
    }

    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The size in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// The device address of the first element; 0 if there are none.
    #[must_use]
    pub fn as_device_ptr(&self) -> CUdeviceptr {
        self.storage.as_device_ptr()
    }

    /// All of it, borrowed for reading.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let buffer = DeviceBuffer::from_slice(&stream, &[1u32, 2])?;
    /// let view = buffer.view(); // can be copied, and borrows the buffer
    /// assert_eq!(view.as_device_ptr(), buffer.as_device_ptr());
    /// assert_eq!((view.len(), view.size_bytes()), (2, 8));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn view(&self) -> DeviceView<'_, T> {
        let owner = self.owner();
        // SAFETY: this object's own memory, borrowed for no longer than it.
        unsafe { DeviceView::borrow_raw(self.as_device_ptr(), self.len, owner) }
    }

    /// A range of elements, borrowed for reading. The range counts elements.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where the range ends after the last element.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let buffer = DeviceBuffer::from_slice(&stream, &[1u32, 2, 3, 4])?;
    /// assert_eq!(buffer.slice(1..3)?.to_vec(&stream)?, [2, 3]);
    /// assert!(buffer.slice(3..5).is_err());
    /// # Ok(())
    /// # }
    /// ```
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<DeviceView<'_, T>> {
        let range = size::range_within(range, self.len, "slice")?;
        let ptr = self.as_device_ptr() + (range.start * size_of::<T>()) as CUdeviceptr;
        let owner = self.owner();
        // SAFETY: within this object's own memory, borrowed for no longer than it.
        Ok(unsafe { DeviceView::borrow_raw(ptr, range.len(), owner) })
    }

    /// Two views: the elements before `index`, and the rest.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where `index` is greater than the length.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let buffer = DeviceBuffer::from_slice(&stream, &[1u32, 2, 3])?;
    /// let (head, tail) = buffer.split_at(1)?;
    /// assert_eq!((head.to_vec(&stream)?, tail.to_vec(&stream)?), (vec![1], vec![2, 3]));
    /// # Ok(())
    /// # }
    /// ```
    #[allow(clippy::type_complexity, reason = "a pair of views")]
    pub fn split_at(&self, index: usize) -> Result<(DeviceView<'_, T>, DeviceView<'_, T>)> {
        size::expect_split(index, self.len, "split_at")?;
        Ok((self.slice(..index)?, self.slice(index..)?))
    }

    /// Copies all elements into `host`, and waits for the copy.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where the lengths differ, or the stream is
    /// being captured. The fault of work that was enqueued earlier.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let buffer = DeviceBuffer::from_slice(&stream, &[1u32, 2])?;
    /// let mut host = [0; 2];
    /// buffer.copy_to_slice(&stream, &mut host)?;
    /// assert_eq!(host, [1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemcpyDtoH")]
    #[doc(alias = "cuMemcpyDtoHAsync")]
    pub fn copy_to_slice(&self, stream: &Stream, host: &mut [T]) -> Result<()> {
        size::expect_equal(self.len, host.len(), "copy_to_slice")?;
        copy::device_to_host(self.span(), stream, host)
    }

    /// Copies all elements into a new vector, and waits for the copy.
    ///
    /// # Errors
    /// The fault of work that was enqueued earlier. The stream is being captured.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let buffer = DeviceBuffer::from_slice(&stream, &[1u32, 2])?;
    /// assert_eq!(buffer.to_vec(&stream)?, [1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemcpyDtoH")]
    #[doc(alias = "cuMemcpyDtoHAsync")]
    pub fn to_vec(&self, stream: &Stream) -> Result<Vec<T>> {
        copy::device_to_vec(self.span(), stream, self.len)
    }
}

impl<S: StorageMut, T: PlainData> DeviceMemory<S, T> {
    /// All of it, borrowed for writing.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mut buffer = DeviceBuffer::<u32>::zeroed(&stream, 2)?;
    /// buffer.view_mut().fill(&stream, 7)?;
    /// assert_eq!(buffer.to_vec(&stream)?, [7, 7]);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn view_mut(&mut self) -> DeviceViewMut<'_, T> {
        let owner = self.owner();
        // SAFETY: this object's own memory, borrowed exclusively for no longer than it.
        unsafe { DeviceViewMut::borrow_raw(self.as_device_ptr(), self.len, owner) }
    }

    /// A range of elements, borrowed for writing. The range counts elements.
    ///
    /// # Errors
    /// As [`slice`](Self::slice).
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mut buffer = DeviceBuffer::<u32>::zeroed(&stream, 4)?;
    /// buffer.slice_mut(1..3)?.copy_from_slice(&stream, &[5, 6])?;
    /// assert_eq!(buffer.to_vec(&stream)?, [0, 5, 6, 0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<DeviceViewMut<'_, T>> {
        let range = size::range_within(range, self.len, "slice_mut")?;
        let ptr = self.as_device_ptr() + (range.start * size_of::<T>()) as CUdeviceptr;
        let owner = self.owner();
        // SAFETY: within this object's own memory, borrowed exclusively for no longer than it.
        Ok(unsafe { DeviceViewMut::borrow_raw(ptr, range.len(), owner) })
    }

    /// Two views for writing: the elements before `index`, and the rest.
    ///
    /// # Errors
    /// As [`split_at`](Self::split_at).
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mut buffer = DeviceBuffer::<u32>::zeroed(&stream, 3)?;
    /// let (mut head, mut tail) = buffer.split_at_mut(1)?;
    /// head.fill(&stream, 1)?;
    /// tail.copy_from(&stream, &DeviceBuffer::from_slice(&stream, &[2, 3])?)?;
    /// assert_eq!(buffer.to_vec(&stream)?, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    #[allow(clippy::type_complexity, reason = "a pair of views")]
    pub fn split_at_mut(
        &mut self,
        index: usize,
    ) -> Result<(DeviceViewMut<'_, T>, DeviceViewMut<'_, T>)> {
        size::expect_split(index, self.len, "split_at_mut")?;
        let middle = self.as_device_ptr() + (index * size_of::<T>()) as CUdeviceptr;
        let owner = self.owner();
        // SAFETY: two parts of this object's own memory that do not overlap.
        Ok(unsafe {
            (
                DeviceViewMut::borrow_raw(self.as_device_ptr(), index, owner),
                DeviceViewMut::borrow_raw(middle, self.len - index, owner),
            )
        })
    }

    /// Copies all of `host` here, and waits until `host` has been read.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where the lengths differ, or the stream is
    /// being captured. The fault of work that was enqueued earlier.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mut buffer = DeviceBuffer::<u32>::zeroed(&stream, 2)?;
    /// buffer.copy_from_slice(&stream, &[1, 2])?;
    /// assert_eq!(buffer.to_vec(&stream)?, [1, 2]);
    /// assert!(buffer.copy_from_slice(&stream, &[1, 2, 3]).is_err()); // lengths differ
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemcpyHtoD")]
    #[doc(alias = "cuMemcpyHtoDAsync")]
    pub fn copy_from_slice(&mut self, stream: &Stream, host: &[T]) -> Result<()> {
        size::expect_equal(host.len(), self.len, "copy_from_slice")?;
        copy::host_to_device(self.span(), stream, host)
    }

    /// Enqueues a copy of all of `source`, which may belong to another stream or device.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where the lengths differ, the two overlap,
    /// or their streams have to be ordered and one of them is being captured. The context is unusable after a fault.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let source = DeviceBuffer::from_slice(&stream, &[1u32, 2])?;
    /// let mut copy = DeviceBuffer::uninit(&stream, 2)?;
    /// copy.copy_from(&stream, &source)?;
    /// assert_eq!(copy.to_vec(&stream)?, [1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemcpyDtoD")]
    #[doc(alias = "cuMemcpyPeer")]
    #[doc(alias = "cuMemcpyPeerAsync")]
    #[doc(alias = "cuMemcpyDtoDAsync")]
    pub fn copy_from(
        &mut self,
        stream: &Stream,
        source: &DeviceMemory<impl Storage, T>,
    ) -> Result<()> {
        let source = source.view();
        size::expect_equal(source.len(), self.len, "copy_from")?;
        copy::device_to_device(self.span(), stream, source.span())
    }

    /// Enqueues a fill that sets every element to `value`.
    ///
    /// It takes one driver call if elements have 1, 2 or 4 bytes, or if all bytes of `value` are equal; otherwise one
    /// call for every 4 bytes of an element.
    ///
    /// # Errors
    /// The context is unusable after a fault. The memory's stream is another one, and one of the two is being
    /// captured.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mut buffer = DeviceBuffer::uninit(&stream, 3)?;
    /// buffer.fill(&stream, 0.1f64)?;
    /// assert_eq!(buffer.to_vec(&stream)?, [0.1; 3]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemsetD32Async")]
    pub fn fill(&mut self, stream: &Stream, value: T) -> Result<()> {
        copy::fill(self.span(), stream, bytemuck::bytes_of(&value))
    }

    /// Enqueues a fill that sets every byte to `value`.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 2)?;
    /// buffer.memset_u8(&stream, 0xab)?;
    /// assert_eq!(buffer.to_vec(&stream)?, [0xabab_abab; 2]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemsetD8Async")]
    pub fn memset_u8(&mut self, stream: &Stream, value: u8) -> Result<()> {
        copy::fill(self.span(), stream, &[value])
    }

    /// Enqueues a fill that sets every 16 bits to `value`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where the size is not a multiple of 2 bytes;
    /// otherwise as [`fill`](Self::fill).
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 2)?;
    /// buffer.memset_u16(&stream, 0x1234)?;
    /// assert_eq!(buffer.to_vec(&stream)?, [0x1234_1234; 2]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemsetD16Async")]
    pub fn memset_u16(&mut self, stream: &Stream, value: u16) -> Result<()> {
        copy::fill(self.span(), stream, &value.to_ne_bytes())
    }

    /// Enqueues a fill that sets every 32 bits to `value`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where the size is not a multiple of 4 bytes;
    /// otherwise as [`fill`](Self::fill).
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mut buffer = DeviceBuffer::<u64>::uninit(&stream, 2)?;
    /// buffer.memset_u32(&stream, 1)?;
    /// assert_eq!(buffer.to_vec(&stream)?, [0x1_0000_0001; 2]);
    /// buffer.memset_u8(&stream, 0xff)?;
    /// assert_eq!(buffer.to_vec(&stream)?, [u64::MAX; 2]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemsetD32Async")]
    pub fn memset_u32(&mut self, stream: &Stream, value: u32) -> Result<()> {
        copy::fill(self.span(), stream, &value.to_ne_bytes())
    }
}

impl<S: OwnedStorage, T: PlainData> DeviceMemory<S, T> {
    /// Frees the memory now and reports whether that worked. Dropping does the same, and discards the error.
    ///
    /// # Errors
    /// The driver's code for freeing it, which may be the fault of a kernel that ran earlier. The memory is not used
    /// again in any case.
    pub fn close(self) -> Result<()> {
        self.storage.close()
    }
}

impl<S: Copy, T> Clone for DeviceMemory<S, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Copy, T> Copy for DeviceMemory<S, T> {}

impl<S: Storage, T> fmt::Debug for DeviceMemory<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, ptr) = (S::NAME, self.storage.as_device_ptr());
        write!(f, "{name}({ptr:#x}, {} elements)", self.len)
    }
}
