//! Memory that other processes can open.

use cuda_sys as sys;

use crate::{
    capture,
    error::{Error, Result},
    memory::{DeviceMemory, Free, PlainData, Waited, byte_size, waited},
    raw::bytes::bytes,
    stream::Stream,
};

bytes! {
    /// A handle with which another process on this host can open an [`IpcBuffer`], using
    /// [`OpenedBuffer::open`](super::OpenedBuffer). It can be sent as plain bytes.
    #[doc(alias = "CUipcMemHandle")]
    pub struct IpcMemoryHandle of CUipcMemHandle
}

/// A buffer of `len` elements that other processes on this host can open.
///
/// An alias of [`DeviceMemory<IpcMemory, T>`](DeviceMemory). Like a
/// [`DeviceBuffer`](crate::DeviceBuffer), it belongs to the stream that it was created on. Unlike a
/// `DeviceBuffer`, it cannot be allocated and freed in stream order. Dropping it waits for the
/// stream.
///
/// ```ignore-windows
/// use cuda_safe::{Context, share::{IpcBuffer, IpcMemoryHandle}, Stream};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// let shared = IpcBuffer::from_slice(&stream, &[1.0f32, 2.0])?;
/// stream.synchronize()?; // the data must be complete before another process learns of it
/// let bytes: [u8; 64] = shared.ipc_handle()?.to_bytes();
/// // ... send the bytes over a pipe. The other process calls OpenedBuffer::<f32>::open(&stream, &handle, 2)
/// assert_eq!(IpcMemoryHandle::from_bytes(bytes), shared.ipc_handle()?);
/// # Ok(())
/// # }
/// ```
pub type IpcBuffer<T> = DeviceMemory<IpcMemory, T>;

waited! {
    /// Memory that other processes can open. It belongs to a stream, and an [`IpcBuffer`] holds it.
    pub struct IpcMemory(Free), "IpcBuffer"
}

impl<T> IpcBuffer<T> {
    /// Allocates `len` elements and sets all bytes to zero.
    ///
    /// See [`cuMemAlloc`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory), with the requested and
    /// the free bytes, if there is not enough device memory. Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the stream is
    /// capturing, or if the memory is not aligned for `T`, which happens only to types with an
    /// alignment above 256 bytes.
    #[doc(alias = "cuMemAlloc")]
    pub fn zeroed(stream: &Stream, len: usize) -> Result<Self>
    where
        T: PlainData,
    {
        const CALL: &str = "IpcBuffer::zeroed";
        let bytes = byte_size::<T>(len, CALL)?;
        let context = stream.context();
        let mut ptr = 0;
        if bytes > 0 {
            let _allowed = capture::reject_during_capture(CALL, "allocate before the capture")?;
            let _current = stream.enter("cuMemAlloc_v2")?;
            // SAFETY: `ptr` is valid for writing.
            let code = unsafe { sys::cuMemAlloc_v2(&mut ptr, bytes) };
            context.check_allocation("cuMemAlloc_v2", code, bytes)?;
        }
        // SAFETY: just allocated, with space for `len` elements.
        let mut buffer = unsafe {
            let storage = IpcMemory(Waited::new(ptr, stream, Free));
            Self::from_allocation(storage, len, CALL)?
        };
        buffer.memset_u8(stream, 0)?;
        Ok(buffer)
    }

    /// Allocates memory and copies a host slice into it.
    ///
    /// # Errors
    /// Returns the errors of [`zeroed`](Self::zeroed) and
    /// [`copy_from_slice`](DeviceMemory::copy_from_slice).
    pub fn from_slice(stream: &Stream, elements: &[T]) -> Result<Self>
    where
        T: PlainData,
    {
        let mut buffer = Self::zeroed(stream, elements.len())?;
        buffer.copy_from_slice(stream, elements)?;
        Ok(buffer)
    }
}

impl<T: PlainData> IpcBuffer<T> {
    /// Returns the stream that the buffer belongs to.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        self.storage().0.stream()
    }

    /// Returns a handle with which other processes on this host can open the memory.
    ///
    /// Each call returns the same handle. Send the number of elements to the other process too,
    /// which checks it. Keep the memory alive until the other process has closed it.
    ///
    /// The work of the two processes is not ordered automatically. Use events
    /// ([`Event::ipc_handle`](crate::Event::ipc_handle)), or let each process wait for its work
    /// before it messages the other.
    ///
    /// See [`cuIpcGetMemHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the buffer is
    /// empty. Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the operating
    /// system or the device cannot share memory.
    #[doc(alias = "cuIpcGetMemHandle")]
    pub fn ipc_handle(&self) -> Result<IpcMemoryHandle> {
        if self.size_bytes() == 0 {
            return Err(Error::invalid(
                "IpcBuffer::ipc_handle",
                "the buffer has no elements: there is nothing to share",
            ));
        }
        let context = self.stream().context();
        let _current = context.enter("cuIpcGetMemHandle")?;
        let mut raw = sys::CUipcMemHandle::default();
        // SAFETY: `raw` is valid for writing, and the memory is live.
        let code = unsafe { sys::cuIpcGetMemHandle(&mut raw, self.as_device_ptr()) };
        context.check("cuIpcGetMemHandle", code)?;
        Ok(IpcMemoryHandle::from_raw(raw))
    }
}
