//! Memory that other processes may open.

use cuda_sys as sys;

use crate::{
    capture,
    error::{Error, Result},
    memory::{DeviceMemory, Free, PlainData, Waited, byte_size, waited},
    raw::bytes::bytes,
    stream::Stream,
};

bytes! {
    /// A handle by which another process on this host opens an [`IpcBuffer`], with
    /// [`OpenedBuffer::open`](super::OpenedBuffer). It may be sent as plain bytes.
    #[doc(alias = "CUipcMemHandle")]
    pub struct IpcMemoryHandle of CUipcMemHandle
}

/// `len` elements in device memory that other processes on this host may open. Another name of
/// [`DeviceMemory<IpcMemory, T>`](DeviceMemory).
///
/// It belongs to the stream that it was created on, as a [`DeviceBuffer`](crate::DeviceBuffer) does; but it can't be
/// allocated and freed in the stream's order: its drop waits for the stream.
///
/// ```
/// use cuda_safe::{Context, share::{IpcBuffer, IpcMemoryHandle}, Stream};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// let shared = IpcBuffer::from_slice(&stream, &[1.0f32, 2.0])?;
/// stream.synchronize()?; // what another process is told of is there
/// let bytes: [u8; 64] = shared.ipc_handle()?.to_bytes();
/// // ... sent over a pipe; there, OpenedBuffer::<f32>::open(&stream, &handle, 2)
/// assert_eq!(IpcMemoryHandle::from_bytes(bytes), shared.ipc_handle()?);
/// # Ok(())
/// # }
/// ```
pub type IpcBuffer<T> = DeviceMemory<IpcMemory, T>;

waited! {
    /// Memory that other processes may open, in a stream's order: what an [`IpcBuffer`] holds.
    pub struct IpcMemory(Free), "IpcBuffer"
}

impl<T> IpcBuffer<T> {
    /// Allocates `len` elements, and sets all bytes to zero.
    ///
    /// # Errors
    /// Returns [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory), with the bytes requested and free. Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the stream is capturing, or if the memory is
    /// not aligned for `T`, which happens only to types with an alignment above 256 bytes.
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
            let _allowed = capture::refuse_here(CALL, "allocate before the capture")?;
            let _current = stream.enter("cuMemAlloc_v2")?;
            // SAFETY: `ptr` is valid for the write.
            let code = unsafe { sys::cuMemAlloc_v2(&mut ptr, bytes) };
            context.check_allocation("cuMemAlloc_v2", code, bytes)?;
        }
        // SAFETY: just allocated, with room for `len` elements.
        let mut buffer = unsafe {
            let storage = IpcMemory(Waited::new(ptr, stream, Free));
            Self::from_allocation(storage, len, CALL)?
        };
        buffer.memset_u8(stream, 0)?;
        Ok(buffer)
    }

    /// Allocates memory, and copies elements of the host into it.
    ///
    /// # Errors
    /// As [`zeroed`](Self::zeroed), and as [`copy_from_slice`](DeviceMemory::copy_from_slice).
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
    /// The stream in whose order the memory is used.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        self.storage().0.stream()
    }

    /// A handle by which other processes on this host open the memory. It is the same each time. Tell the other process
    /// how many elements there are, too: it checks that.
    ///
    /// The memory has to stay until the other process has closed it. Nothing orders the work of the two: events do
    /// ([`Event::ipc_handle`](crate::Event::ipc_handle)), or a wait of each before it speaks to the other.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a buffer of no elements.
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) where the system or the device shares no memory.
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
        // SAFETY: `raw` is valid for the write; the memory is live.
        let code = unsafe { sys::cuIpcGetMemHandle(&mut raw, self.as_device_ptr()) };
        context.check("cuIpcGetMemHandle", code)?;
        Ok(IpcMemoryHandle::from_raw(raw))
    }
}
