//! Memory of another process.

use cuda_sys::{self as sys, CUdeviceptr, CUipcMem_flags, CUresult};

use super::ipc_memory::IpcMemoryHandle;
use crate::{
    capture,
    error::{Error, ErrorKind, Result},
    memory::{DeviceMemory, PlainData, Release, Waited, byte_size, waited},
    stream::Stream,
};

/// `len` elements in memory of another process on this host. Another name of
/// [`DeviceMemory<Opened, T>`](DeviceMemory).
///
/// ```no_run
/// use cuda_safe::{Context, share::{IpcMemoryHandle, OpenedBuffer}, Stream};
///
/// # fn receive() -> [u8; 64] { [0; 64] }
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// let handle = IpcMemoryHandle::from_bytes(receive());
/// // SAFETY: the other process keeps it until it is told that this one has closed it, and leaves it alone until then.
/// let theirs = unsafe { OpenedBuffer::<f32>::open(&stream, &handle, 2)? };
/// println!("{:?}", theirs.to_vec(&stream)?);
/// # Ok(())
/// # }
/// ```
pub type OpenedBuffer<T> = DeviceMemory<Opened, T>;

/// Closes memory of another process.
#[derive(Clone, Copy, Debug)]
struct Close;

impl Release for Close {
    unsafe fn release(&self, ptr: CUdeviceptr, _stream: &Stream) -> (&'static str, CUresult) {
        // SAFETY: opened by `open`, and closed once, by this function's contract.
        ("cuIpcCloseMemHandle", unsafe {
            sys::cuIpcCloseMemHandle(ptr)
        })
    }
}

waited! {
    /// Memory of another process, in a stream's order: what an [`OpenedBuffer`] holds. It is closed when the stream's work
    /// is over.
    pub struct Opened(Close), "OpenedBuffer"
}

impl<T: PlainData> OpenedBuffer<T> {
    /// Opens memory of another process, as `len` elements, in a stream's order. The driver tells how large the memory is,
    /// and `len` is checked against that.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for bytes that are no handle, memory that was freed, a process that has ended, memory
    /// of this process itself, memory with fewer elements, and memory that is not aligned for `T`.
    ///
    /// # Safety
    /// The other process keeps the memory until this has been closed. Between the two, whoever writes is alone: the other
    /// one's work is ordered with it, by events or by waits on the host.
    ///
    /// Opened again in this process, a handle gives the same address: of buffers over the same memory, nothing uses one
    /// while another is written to, as if they were borrows of it.
    #[doc(alias = "cuIpcOpenMemHandle")]
    pub unsafe fn open(stream: &Stream, handle: &IpcMemoryHandle, len: usize) -> Result<Self> {
        const CALL: &str = "cuIpcOpenMemHandle";
        let bytes = byte_size::<T>(len, "OpenedBuffer::open")?;
        let _allowed = capture::refuse_here("OpenedBuffer::open", "open it before the capture")?;
        let context = stream.context();
        let _current = stream.enter("cuMemGetAddressRange_v2")?;
        let mut ptr = 0;
        let flags = CUipcMem_flags::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.0;
        // SAFETY: `ptr` is valid for the write; the driver looks at the handle.
        let code = unsafe { sys::cuIpcOpenMemHandle_v2(&mut ptr, handle.raw(), flags) };
        context
            .check(CALL, code)
            .map_err(|error| refused(error, code))?;
        // SAFETY: just opened.
        let opened = Opened(unsafe { Waited::new(ptr, stream, Close) });
        let (mut base, mut size) = (0, 0);
        // SAFETY: both are valid for the write.
        let code = unsafe { sys::cuMemGetAddressRange_v2(&mut base, &mut size, ptr) };
        context.check("cuMemGetAddressRange_v2", code)?;
        let room = size.saturating_sub((ptr - base) as usize);
        if bytes > room {
            let detail = format!("{len} elements are {bytes} bytes, and the memory has {room}");
            return Err(Error::invalid("OpenedBuffer::open", detail));
        }
        // SAFETY: room for `len` elements, seen just now.
        unsafe { Self::from_allocation(opened, len, "OpenedBuffer::open") }
    }

    /// The stream in whose order the memory is used.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        self.storage().0.stream()
    }
}

/// What the driver's codes mean here.
#[cold]
fn refused(error: Error, code: CUresult) -> Error {
    let detail = match code {
        CUresult::CUDA_ERROR_INVALID_CONTEXT => "the memory is this process's own: use it as it is",
        CUresult::CUDA_ERROR_INVALID_HANDLE => "the process that the memory is of has ended",
        CUresult::CUDA_ERROR_INVALID_VALUE => {
            "the bytes are no handle, or the memory has been freed"
        }
        _ => return error,
    };
    error
        .with_kind(ErrorKind::InvalidArgument)
        .with_detail(detail)
}
