//! The type of all device memory, with the methods that its kinds share.

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

/// Elements of type `T` in device memory. The [`Storage`] parameter `S` owns or borrows the memory,
/// and distinguishes these kinds:
///
/// | kind | storage |
/// | --- | --- |
/// | [`DeviceBuffer`](crate::DeviceBuffer) | owned memory, allocated and freed in a stream's order |
/// | [`ManagedBuffer`](crate::ManagedBuffer) | owned managed memory, which the host can access, too |
/// | [`MappedBuffer`](crate::MappedBuffer) | page-locked host memory, which kernels access over the link |
/// | [`GrowableBuffer`](crate::memory::virtual_memory::GrowableBuffer) | owned memory that grows without being copied |
/// | [`IpcBuffer`](crate::share::IpcBuffer) | owned memory that other processes can open |
/// | [`OpenedBuffer`](crate::share::OpenedBuffer) | memory of another process |
/// | [`ExternalBuffer`](crate::share::ExternalBuffer) | memory of another API, such as Vulkan |
/// | [`DeviceView`], [`DeviceViewMut`] | borrowed memory: a part of another kind, or memory of another library |
/// | [`Global`](crate::module::Global) | a variable of a module |
///
/// You can copy, fill and slice all kinds and pass them to kernels in the same way. A function that
/// accepts all kinds takes `&DeviceMemory<impl Storage, T>`, or if it writes,
/// `&mut DeviceMemory<impl StorageMut, T>`:
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
/// Elements are plain data for which every bit pattern is a valid value ([`PlainData`]).
pub struct DeviceMemory<S, T> {
    storage: S,
    len: usize,
    element: PhantomData<fn() -> T>,
}

impl<S: Storage, T: PlainData> DeviceMemory<S, T> {
    /// Creates device memory of `len` elements over a storage. Implementations of new storages use
    /// it in their constructors.
    ///
    /// # Safety
    /// The caller must ensure that the storage has room for `len` elements at its address, and that
    /// the address is aligned for `T`.
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
    /// The caller must ensure that the storage has room for `len` elements at its address.
    pub(crate) unsafe fn from_allocation(
        storage: S,
        len: usize,
        call: &'static str,
    ) -> Result<Self> {
        expect_aligned::<T>(storage.as_device_ptr(), call)?;
        // SAFETY: the address is aligned, and the caller promises the rest.
        Ok(unsafe { Self::from_storage(storage, len) })
    }

    /// Returns the storage, which owns or borrows the memory.
    #[must_use]
    #[inline]
    pub fn storage(&self) -> &S {
        &self.storage
    }

    /// Converts the memory into its storage, which has no length.
    #[must_use]
    pub fn into_storage(self) -> S {
        self.storage
    }

    /// Returns the storage and the number of elements, for memory that can grow.
    pub(crate) fn parts_mut(&mut self) -> (&mut S, &mut usize) {
        (&mut self.storage, &mut self.len)
    }

    /// Returns the owner of the memory: a stream, or only a context.
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

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the size in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// Returns the device address of the first element, or 0 if the memory is empty.
    #[must_use]
    pub fn as_device_ptr(&self) -> CUdeviceptr {
        self.storage.as_device_ptr()
    }

    /// Returns a view of all elements, for reading.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let buffer = DeviceBuffer::from_slice(&stream, &[1u32, 2])?;
    /// let view = buffer.view(); // is `Copy`, and borrows the buffer
    /// assert_eq!(view.as_device_ptr(), buffer.as_device_ptr());
    /// assert_eq!((view.len(), view.size_bytes()), (2, 8));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn view(&self) -> DeviceView<'_, T> {
        let owner = self.owner();
        // SAFETY: the view borrows this object's memory, and no longer than the object.
        unsafe { DeviceView::borrow_raw(self.as_device_ptr(), self.len, owner) }
    }

    /// Returns a view of a range of elements, for reading.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the range is
    /// out of bounds.
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
        // SAFETY: the range is within this object's memory, which stays borrowed.
        Ok(unsafe { DeviceView::borrow_raw(ptr, range.len(), owner) })
    }

    /// Splits the memory into two views: the elements before `index`, and the rest.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if `index` is
    /// greater than the length.
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
    /// See [`cuMemcpyDtoH`, `cuMemcpyDtoHAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the lengths
    /// differ, or if the stream is capturing. Returns an error if work enqueued earlier has
    /// faulted.
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
    /// See [`cuMemcpyDtoH`, `cuMemcpyDtoHAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the stream is
    /// capturing. Returns an error if work enqueued earlier has faulted.
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
    /// Returns a view of all elements, for writing.
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
        // SAFETY: the view borrows this object's memory exclusively, and no longer than the object.
        unsafe { DeviceViewMut::borrow_raw(self.as_device_ptr(), self.len, owner) }
    }

    /// Returns a view of a range of elements, for writing.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the range is
    /// out of bounds.
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
        // SAFETY: the range is within this object's memory, which stays exclusively borrowed.
        Ok(unsafe { DeviceViewMut::borrow_raw(ptr, range.len(), owner) })
    }

    /// Splits the memory into two views for writing: the elements before `index`, and the rest.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if `index` is
    /// greater than the length.
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
        // SAFETY: the two parts of this object's memory do not overlap.
        Ok(unsafe {
            (
                DeviceViewMut::borrow_raw(self.as_device_ptr(), index, owner),
                DeviceViewMut::borrow_raw(middle, self.len - index, owner),
            )
        })
    }

    /// Copies all of `host` into this memory, and waits until `host` has been read.
    ///
    /// See [`cuMemcpyHtoD`, `cuMemcpyHtoDAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the lengths
    /// differ, or if the stream is capturing. Returns an error if work enqueued earlier has
    /// faulted.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mut buffer = DeviceBuffer::<u32>::zeroed(&stream, 2)?;
    /// buffer.copy_from_slice(&stream, &[1, 2])?;
    /// assert_eq!(buffer.to_vec(&stream)?, [1, 2]);
    /// assert!(buffer.copy_from_slice(&stream, &[1, 2, 3]).is_err()); // the lengths differ
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemcpyHtoD")]
    #[doc(alias = "cuMemcpyHtoDAsync")]
    pub fn copy_from_slice(&mut self, stream: &Stream, host: &[T]) -> Result<()> {
        size::expect_equal(host.len(), self.len, "copy_from_slice")?;
        copy::host_to_device(self.span(), stream, host)
    }

    /// Enqueues a copy of all elements of `source`, which can belong to another stream or device.
    ///
    /// See [`cuMemcpyDtoD`, `cuMemcpyPeer`, `cuMemcpyPeerAsync`, `cuMemcpyDtoDAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the lengths
    /// differ, if the two overlap, or if their streams must be ordered while one of them is
    /// capturing. Also returns an error if the context is unusable after a fault.
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
    /// The fill takes one driver call if elements have 1, 2 or 4 bytes, or if all bytes of `value`
    /// are equal. Otherwise it takes one call for every 4 bytes of an element.
    ///
    /// See [`cuMemsetD32Async`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault. Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the memory belongs to
    /// another stream and one of the two streams is capturing.
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
    /// See [`cuMemsetD8Async`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault. Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the memory belongs to
    /// another stream and one of the two streams is capturing.
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
    /// See [`cuMemsetD16Async`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the size is not
    /// a multiple of 2 bytes. Also returns the errors of [`fill`](Self::fill).
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
    /// See [`cuMemsetD32Async`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the size is not
    /// a multiple of 4 bytes. Also returns the errors of [`fill`](Self::fill).
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
    /// Frees the memory now, and reports errors. Dropping does the same, but discards the error.
    ///
    /// # Errors
    /// Returns the driver's error for the call that frees the memory, which may be the fault of an
    /// earlier kernel. The memory is not used again, even if the call fails.
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
