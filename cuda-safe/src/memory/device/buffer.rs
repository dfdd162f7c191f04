//! Owned device memory.

use cuda_sys::{self as sys, CUdeviceptr};

use super::DeviceMemory;
use crate::{
    capture::{self, or_relaxed, release, released},
    error::{Result, fault::discarding_errors},
    memory::{
        plain::PlainData,
        pool::MemoryPool,
        size::byte_size,
        storage::{OwnedStorage, Storage, StorageMut},
    },
    stream::{Stream, owner::Owner},
};

/// An owned buffer of `len` elements in device memory. An alias of
/// [`DeviceMemory<StreamOrdered, T>`](DeviceMemory), which is the name in compiler messages.
///
/// A buffer belongs to the stream on which it was allocated. Its memory is freed in that stream's
/// order, after all work enqueued there before the drop. Methods that take another stream order the
/// two streams around their work. For kernels on another stream, you must order the two with
/// [`Stream::ordered_with`] or [`Stream::wait_stream`].
///
/// Elements are plain data for which every bit pattern is a valid value ([`PlainData`]).
///
/// ```
/// # use cuda_safe::{Context, DeviceBuffer, Stream};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// let mut a = DeviceBuffer::from_slice(&stream, &[1.0f32, 2.0, 3.0, 4.0])?;
/// let mut b = DeviceBuffer::<f32>::zeroed(&stream, 2)?;
/// b.copy_from(&stream, &a.slice(2..)?)?;
/// a.slice_mut(..2)?.fill(&stream, 9.0)?;
/// assert_eq!((a.len(), a.size_bytes(), a.is_empty()), (4, 16, false));
/// assert_eq!(a.to_vec(&stream)?, [9.0, 9.0, 3.0, 4.0]);
/// assert_eq!(b.to_vec(&stream)?, [3.0, 4.0]);
/// # Ok(())
/// # }
/// ```
pub type DeviceBuffer<T> = DeviceMemory<StreamOrdered, T>;

/// The storage of a [`DeviceBuffer`]: owned memory that is allocated and freed in a stream's order.
#[derive(Debug)]
pub struct StreamOrdered {
    ptr: CUdeviceptr,
    stream: Stream,
    owned: bool,
}

// SAFETY: the memory belongs to the stream's context. It is freed in the stream's order, or after
// all work of the context.
unsafe impl Storage for StreamOrdered {
    const NAME: &'static str = "DeviceBuffer";

    #[inline]
    fn as_device_ptr(&self) -> CUdeviceptr {
        self.ptr
    }

    #[inline]
    fn owner(&self) -> Owner<'_> {
        Owner::Stream(&self.stream)
    }
}

// SAFETY: the memory is owned.
unsafe impl StorageMut for StreamOrdered {}

impl OwnedStorage for StreamOrdered {
    fn close(mut self) -> Result<()> {
        self.free()
    }
}

impl StreamOrdered {
    /// Allocates from `pool`, or from the device's current pool if that is `None`.
    fn allocate(stream: &Stream, bytes: usize, pool: Option<&MemoryPool>) -> Result<Self> {
        let mut storage = Self {
            ptr: 0,
            stream: stream.clone(),
            owned: false,
        };
        if bytes == 0 {
            return Ok(storage);
        }
        const CALL: &str = "DeviceBuffer::uninit";
        const REMEDY: &str = "allocate before the capture";
        let context = stream.context();
        let _current = stream.enter("cuMemAllocFromPoolAsync")?;
        // During a capture, the allocation would become a node of the graph.
        let _uncaptured = stream.block_captures(CALL)?;
        if capture::captures_exist() {
            drop(stream.enter_to_query(CALL, REMEDY)?);
        }
        let (call, code) = if let Some(pool) = pool {
            let (raw, stream) = (pool.as_raw(), stream.as_raw());
            // SAFETY: `ptr` is valid for the write, and the handles are live.
            let code =
                unsafe { sys::cuMemAllocFromPoolAsync(&mut storage.ptr, bytes, raw, stream) };
            ("cuMemAllocFromPoolAsync", code)
        } else if context.limits().memory_pools {
            // SAFETY: `ptr` is valid for the write, and the stream is live.
            let code = unsafe { sys::cuMemAllocAsync(&mut storage.ptr, bytes, stream.as_raw()) };
            ("cuMemAllocAsync", code)
        } else {
            // SAFETY: `ptr` is valid for the write.
            ("cuMemAlloc_v2", unsafe {
                sys::cuMemAlloc_v2(&mut storage.ptr, bytes)
            })
        };
        context.check_allocation(call, code, bytes)?;
        storage.owned = true;
        Ok(storage)
    }

    fn free(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.owned) {
            return Ok(());
        }
        let (ptr, stream) = (self.ptr, self.stream.clone());
        let context = self.stream.context();
        if context.limits().memory_pools && self.stream.can_free_here() {
            // During a capture, the free would become a node of the graph.
            return release(&self.stream, move || match stream.can_free_here() {
                true => free_in_order(ptr, &stream),
                false => free_after_all(ptr, &stream), // deferred, and called on another thread
            });
        }
        release(context, move || free_after_all(ptr, &stream))
    }
}

/// Frees memory after everything enqueued on its stream. The memory must be owned, and nothing else
/// may free it.
fn free_in_order(ptr: CUdeviceptr, stream: &Stream) -> Result<()> {
    let _current = stream.enter("cuMemFreeAsync")?;
    // SAFETY: the caller owns the memory.
    let code = or_relaxed(|| unsafe { sys::cuMemFreeAsync(ptr, stream.as_raw()) });
    stream.context().check("cuMemFreeAsync", code)
}

/// Frees memory after waiting for the whole context. Used if the context has no stream-ordered
/// free, or for another thread's per-thread default stream.
fn free_after_all(ptr: CUdeviceptr, stream: &Stream) -> Result<()> {
    let context = stream.context();
    context.settle_or_leak()?;
    let _current = context.enter("cuMemFree_v2")?;
    // SAFETY: the caller owns the memory, and no running work uses it.
    let code = released(|| unsafe { sys::cuMemFree_v2(ptr) });
    context.check("cuMemFree_v2", code)
}

impl Drop for StreamOrdered {
    fn drop(&mut self) {
        // A drop cannot report an error (usually the context has faulted), but `close` can.
        let _ = discarding_errors(|| self.free());
    }
}

// Each constructor has its own bound. With a bound on the block, the compiler would only report
// that it is not satisfied.
impl<T> DeviceBuffer<T> {
    /// Allocates memory for `len` elements, with unspecified contents (the previous bits of the
    /// memory).
    ///
    /// See [`cuMemAllocAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html), [`cuMemAlloc`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) with the requested and
    /// free bytes if the allocation fails. Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the stream is
    /// capturing, or if the memory is not aligned for `T`. The latter happens only for types with
    /// an alignment above 256 bytes.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mut buffer = DeviceBuffer::<u64>::uninit(&stream, 3)?;
    /// buffer.copy_from_slice(&stream, &[1, 2, 3])?; // write it before reading it
    /// assert_eq!(buffer.to_vec(&stream)?, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemAllocAsync")]
    #[doc(alias = "cuMemAlloc")]
    pub fn uninit(stream: &Stream, len: usize) -> Result<Self>
    where
        T: PlainData,
    {
        Self::uninit_from(stream, len, None)
    }

    /// Creates a buffer like [`uninit`](Self::uninit), but allocates from a pool that the stream's
    /// device can access.
    pub(in crate::memory) fn uninit_in(
        stream: &Stream,
        len: usize,
        pool: &MemoryPool,
    ) -> Result<Self>
    where
        T: PlainData,
    {
        Self::uninit_from(stream, len, Some(pool))
    }

    fn uninit_from(stream: &Stream, len: usize, pool: Option<&MemoryPool>) -> Result<Self>
    where
        T: PlainData,
    {
        const CALL: &str = "DeviceBuffer::uninit";
        let bytes = byte_size::<T>(len, CALL)?;
        let storage = StreamOrdered::allocate(stream, bytes, pool)?;
        // SAFETY: the storage has room for `len` elements.
        unsafe { Self::from_allocation(storage, len, CALL) }
    }

    /// Allocates `len` elements and sets all bytes to zero.
    ///
    /// See [`cuMemsetD8Async`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) with the requested and
    /// free bytes if the allocation fails. Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the stream is
    /// capturing, or if the memory is not aligned for `T`.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let buffer = DeviceBuffer::<i16>::zeroed(&stream, 3)?;
    /// assert_eq!(buffer.to_vec(&stream)?, [0; 3]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemsetD8Async")]
    pub fn zeroed(stream: &Stream, len: usize) -> Result<Self>
    where
        T: PlainData,
    {
        // A capture would record the fill.
        let _uncaptured = stream.block_captures("DeviceBuffer::zeroed")?;
        let mut buffer = Self::uninit(stream, len)?;
        buffer.memset_u8(stream, 0)?;
        Ok(buffer)
    }

    /// Allocates a copy of `host` on the device, and waits until `host` has been read.
    ///
    /// See [`cuMemcpyHtoD`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`uninit`](Self::uninit) and
    /// [`copy_from_slice`](DeviceMemory::copy_from_slice).
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let buffer = DeviceBuffer::from_slice(&stream, &[[1.0f32, 2.0], [3.0, 4.0]])?;
    /// assert_eq!(buffer.len(), 2);
    /// assert_eq!(buffer.to_vec(&stream)?[1], [3.0, 4.0]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemcpyHtoD")]
    pub fn from_slice(stream: &Stream, host: &[T]) -> Result<Self>
    where
        T: PlainData,
    {
        let mut buffer = Self::uninit(stream, host.len())?;
        buffer.copy_from_slice(stream, host)?;
        Ok(buffer)
    }

    /// Takes ownership of memory for `len` elements that raw calls allocated.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - `ptr` came from `cuMemAllocAsync`, `cuMemAlloc` or [`into_raw`](Self::into_raw) in the
    ///   stream's context, is aligned for `T` and has room for `len` elements;
    /// - nothing else frees the memory;
    /// - work enqueued on it elsewhere is ordered before the stream's later work.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let raw = DeviceBuffer::from_slice(&stream, &[1u32, 2, 3])?.into_raw();
    /// // SAFETY: `raw` has three elements, and nothing else frees it.
    /// let buffer = unsafe { DeviceBuffer::<u32>::from_raw(raw, 3, &stream) };
    /// assert_eq!(buffer.as_device_ptr(), raw);
    /// assert_eq!(buffer.to_vec(&stream)?, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub unsafe fn from_raw(ptr: CUdeviceptr, len: usize, stream: &Stream) -> Self
    where
        T: PlainData,
    {
        let storage = StreamOrdered {
            ptr,
            stream: stream.clone(),
            owned: ptr != 0,
        };
        // SAFETY: guaranteed by this function's contract.
        unsafe { Self::from_storage(storage, len) }
    }
}

impl<T: PlainData> DeviceBuffer<T> {
    /// Gives up ownership of the memory and returns its address, which is 0 if there are no
    /// elements.
    ///
    /// You must free it with `cuMemFreeAsync`, or with `cuMemFree` once the stream is idle. Until
    /// then, keep the context alive, because the buffer's own references to its stream and context
    /// are dropped.
    #[must_use]
    pub fn into_raw(self) -> CUdeviceptr {
        let mut storage = self.into_storage();
        storage.owned = false;
        storage.ptr
    }

    /// Returns the stream in whose order the memory is freed.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let buffer = DeviceBuffer::<u32>::zeroed(&stream, 3)?;
    /// assert_eq!(buffer.stream(), &stream);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn stream(&self) -> &Stream {
        &self.storage().stream
    }
}
