//! Memory opened from other processes.

use cuda_sys::{self as sys, CUdeviceptr, CUipcMem_flags, CUresult};

use super::ipc_memory::IpcMemoryHandle;
use crate::{
    capture,
    error::{Error, ErrorKind, Result},
    memory::{DeviceMemory, PlainData, Release, Waited, byte_size, waited},
    stream::Stream,
};

/// A buffer of `len` elements in memory of another process on this host.
///
/// An alias of [`DeviceMemory<OpenedMemory, T>`](DeviceMemory).
///
/// ```no_run
/// use cuda_safe::{Context, share::{IpcMemoryHandle, OpenedBuffer}, Stream};
///
/// # fn receive() -> [u8; 64] { [0; 64] }
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// let handle = IpcMemoryHandle::from_bytes(receive());
/// // SAFETY: the other process keeps the memory and does not use it until it learns that this one has
/// // closed it.
/// let theirs = unsafe { OpenedBuffer::<f32>::open(&stream, &handle, 2)? };
/// println!("{:?}", theirs.to_vec(&stream)?);
/// # Ok(())
/// # }
/// ```
pub type OpenedBuffer<T> = DeviceMemory<OpenedMemory, T>;

/// Closes memory of another process when it is released.
#[derive(Clone, Copy, Debug)]
struct Close;

impl Release for Close {
    unsafe fn release(&self, ptr: CUdeviceptr, _stream: &Stream) -> (&'static str, CUresult) {
        // SAFETY: `open` opened it, and this function's contract says that it is closed once.
        ("cuIpcCloseMemHandle", unsafe {
            sys::cuIpcCloseMemHandle(ptr)
        })
    }
}

waited! {
    /// Memory of another process. It belongs to a stream, and an [`OpenedBuffer`] holds it. It is
    /// closed after the stream's work has finished.
    pub struct OpenedMemory(Close), "OpenedBuffer"
}

impl<T: PlainData> OpenedBuffer<T> {
    /// Opens memory of another process as `len` elements. The buffer belongs to `stream`.
    ///
    /// The driver reports the size of the memory, and `len` is checked against it.
    ///
    /// See [`cuIpcOpenMemHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if:
    /// - the bytes are not a valid handle;
    /// - the memory was freed, or its process has ended;
    /// - the memory belongs to this process;
    /// - the memory has fewer than `len` elements, or is not aligned for `T`;
    /// - this thread's capture of a stream forbids the call.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - the other process keeps the memory until this buffer has been closed.
    /// - no process accesses the memory while the other one writes to it. Events or waits on the
    ///   host must order their work.
    /// - buffers over the same memory are used like borrows of it: none is used while another one
    ///   is written to. A handle that is opened again in this process has the same address.
    #[doc(alias = "cuIpcOpenMemHandle")]
    pub unsafe fn open(stream: &Stream, handle: &IpcMemoryHandle, len: usize) -> Result<Self> {
        const CALL: &str = "cuIpcOpenMemHandle";
        let bytes = byte_size::<T>(len, "OpenedBuffer::open")?;
        let _allowed =
            capture::reject_during_capture("OpenedBuffer::open", "open it before the capture")?;
        let context = stream.context();
        let _current = stream.enter("cuMemGetAddressRange_v2")?;
        let mut ptr = 0;
        let flags = CUipcMem_flags::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.0;
        // SAFETY: `ptr` is valid for writing, and the driver checks the handle.
        let code = unsafe { sys::cuIpcOpenMemHandle_v2(&mut ptr, handle.raw(), flags) };
        context
            .check(CALL, code)
            .map_err(|error| open_error(error, code))?;
        // SAFETY: just opened.
        let opened = OpenedMemory(unsafe { Waited::new(ptr, stream, Close) });
        let (mut base, mut size) = (0, 0);
        // SAFETY: both are valid for writing.
        let code = unsafe { sys::cuMemGetAddressRange_v2(&mut base, &mut size, ptr) };
        context.check("cuMemGetAddressRange_v2", code)?;
        let room = size.saturating_sub((ptr - base) as usize);
        if bytes > room {
            let detail = format!("len is {len}, which is {bytes} bytes, but the memory has {room}");
            return Err(Error::invalid("OpenedBuffer::open", detail));
        }
        // SAFETY: the check above found space for `len` elements.
        unsafe { Self::from_allocation(opened, len, "OpenedBuffer::open") }
    }

    /// Returns the stream that the buffer belongs to.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        self.storage().0.stream()
    }
}

/// Explains the driver's error codes.
#[cold]
fn open_error(error: Error, code: CUresult) -> Error {
    let detail = match code {
        CUresult::CUDA_ERROR_INVALID_CONTEXT => {
            "the memory belongs to this process. Fix: use it directly"
        }
        CUresult::CUDA_ERROR_INVALID_HANDLE => "the process that owned the memory has ended",
        CUresult::CUDA_ERROR_INVALID_VALUE => {
            "the bytes are not a valid handle, or the memory has been freed"
        }
        _ => return error,
    };
    error
        .with_kind(ErrorKind::InvalidArgument)
        .with_detail(detail)
}
