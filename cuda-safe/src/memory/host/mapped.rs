//! Mapped (zero-copy) memory: host memory that kernels access over the link.

use std::slice;

use cuda_sys::CUdeviceptr;

use super::{
    pinned::{PinnedBuffer, PinnedFlags},
    registered::{HostBlock, RegisterError, RegisteredBuffer},
    registration::{RegisterFlags, while_registered},
};
use crate::{
    capture::release,
    context::{Context, Settled},
    error::{Result, fault::discarding_errors},
    memory::{
        alignment::expect_aligned,
        device::{
            DeviceMemory,
            view::{DeviceView, DeviceViewMut},
        },
        plain::PlainData,
        storage::{OwnedStorage, Storage, StorageMut},
    },
    stream::{Stream, owner::Owner},
};

/// A buffer of page-locked host memory that kernels access directly, at its own device address.
///
/// Every access of a kernel goes over the link (zero-copy). Use it for data that a kernel touches
/// once and for small results.
///
/// The device uses it like any other memory, ordered by a stream. The host gets a slice from
/// [`host`](Self::host) or [`host_mut`](Self::host_mut), which wait until the stream's work is
/// over.
///
/// The second type parameter is the owner of the memory: a [`PinnedBuffer`] by default, or a
/// [`RegisteredBuffer`].
///
/// ```
/// use cuda_safe::{Context, LaunchConfig, MappedBuffer, Module, Stream};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// let mut x = MappedBuffer::<f32>::zeroed(&stream, 4)?;
/// x.host_mut()?.copy_from_slice(&[1.0, 2.0, 3.0, 4.0]);
/// let module = Module::compile(&context, r#"extern "C" __global__ void double_it(float *x) {
///     x[threadIdx.x] *= 2.0f;
/// }"#)?;
/// let double_it = module.function("double_it")?;
/// // SAFETY: the kernel runs four threads on four elements.
/// unsafe { double_it.launch(&stream, LaunchConfig::new(1, 4), (&mut x,))? };
/// assert_eq!(x.host()?, [2.0, 4.0, 6.0, 8.0]);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "zero-copy")]
pub type MappedBuffer<T, H = PinnedBuffer<T>> = DeviceMemory<Mapped<H>, T>;

/// The storage of a [`MappedBuffer`]: page-locked host memory ordered by a stream.
#[derive(Debug)]
pub struct Mapped<H: PageLocked> {
    /// `None` after the memory has been returned or freed.
    host: Option<H>,
    ptr: CUdeviceptr,
    stream: Stream,
}

// SAFETY: the memory belongs to the stream's context and is freed after the stream's work.
unsafe impl<H: PageLocked> Storage for Mapped<H> {
    const NAME: &'static str = "MappedBuffer";

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
unsafe impl<H: PageLocked> StorageMut for Mapped<H> {}

impl<H: PageLocked> OwnedStorage for Mapped<H> {
    fn close(mut self) -> Result<()> {
        let Some(host) = self.host.take() else {
            return Ok(());
        };
        let stream = self.stream.clone();
        release(&self.stream, move || wait_or_leak(host, &stream)?.end())
    }
}

mod sealed {
    use crate::error::Result;

    pub trait Sealed: Sized {
        fn raw_slice(&self) -> *mut [u8];
        fn end(self) -> Result<()>;
    }
}
use sealed::Sealed;

/// An owner of page-locked memory: [`PinnedBuffer`] or [`RegisteredBuffer`].
pub trait PageLocked: Sealed + Send + 'static {}

impl<T: PlainData> Sealed for PinnedBuffer<T> {
    fn raw_slice(&self) -> *mut [u8] {
        bytes(self.as_raw_slice())
    }
    fn end(self) -> Result<()> {
        self.close()
    }
}
impl<T: PlainData> PageLocked for PinnedBuffer<T> {}

impl<H: HostBlock + 'static> Sealed for RegisteredBuffer<H> {
    fn raw_slice(&self) -> *mut [u8] {
        bytes(self.as_raw_slice())
    }
    fn end(self) -> Result<()> {
        self.close()
    }
}
impl<H: HostBlock + 'static> PageLocked for RegisteredBuffer<H> {}

fn bytes<T>(slice: *mut [T]) -> *mut [u8] {
    std::ptr::slice_from_raw_parts_mut(slice.cast(), slice.len() * size_of::<T>())
}

impl<H: PageLocked> Drop for Mapped<H> {
    fn drop(&mut self) {
        let Some(host) = self.host.take() else { return };
        let stream = self.stream.clone();
        // `drop` cannot return an error. `close` does.
        let _ = discarding_errors(|| {
            release(&self.stream, move || wait_or_leak(host, &stream).map(drop))
        });
    }
}

/// Waits for the stream's work, and returns the memory. Leaks the memory if it is unknown whether
/// the work is over.
fn wait_or_leak<H>(host: H, stream: &Stream) -> Result<H> {
    if let Err(error) = stream.settle_or_leak() {
        std::mem::forget(host); // the device may still use it
        return Err(error);
    }
    Ok(host)
}

impl<T: PlainData> MappedBuffer<T> {
    /// Allocates `len` elements and sets all bytes to zero.
    ///
    /// See [`cuMemHostAlloc`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory), or another driver error,
    /// if the host cannot lock that much memory. Also returns the errors of
    /// [`PinnedBuffer::zeroed`].
    #[doc(alias = "cuMemHostAlloc")]
    pub fn zeroed(stream: &Stream, len: usize) -> Result<Self> {
        Self::with_flags(stream, len, PinnedFlags::default())
    }

    /// Allocates `len` zeroed elements with flags. [`PinnedFlags::DEVICE_MAP`] is always added.
    ///
    /// [`PinnedFlags::WRITE_COMBINED`] makes the device's reads faster. Use it for data that the
    /// host only writes.
    ///
    /// See [`cuMemHostAlloc`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the driver does not know a flag. Returns
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory), or another driver error, if the
    /// host cannot lock that much memory. Also returns the other errors of
    /// [`PinnedBuffer::with_flags`].
    #[doc(alias = "cuMemHostAlloc")]
    pub fn with_flags(stream: &Stream, len: usize, flags: PinnedFlags) -> Result<Self> {
        let flags = flags | PinnedFlags::DEVICE_MAP;
        let host = PinnedBuffer::with_flags(stream.context(), len, flags)?;
        Ok(host.into_mapped(stream)?)
    }
}

impl<T: PlainData> PinnedBuffer<T> {
    /// Converts the buffer into memory that kernels can use too, ordered by `stream`.
    /// [`into_host`](MappedBuffer::into_host) converts it back.
    ///
    /// See [`cuMemHostGetDevicePointer`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the stream
    /// belongs to another context. Returns `CUDA_ERROR_INVALID_VALUE` if the memory is not mapped:
    /// a device without unified addressing requires [`PinnedFlags::DEVICE_MAP`]. The error contains
    /// the buffer.
    ///
    /// ```
    /// # use cuda_safe::{Context, PinnedBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let host = PinnedBuffer::from_slice(&context, &[1u32, 2, 3])?;
    /// let mut mapped = host.into_mapped(&stream)?;
    /// mapped.slice_mut(1..)?.fill(&stream, 7)?; // on the device
    /// let host = mapped.into_host()?;
    /// assert_eq!(*host, [1, 7, 7]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemHostGetDevicePointer")]
    pub fn into_mapped(self, stream: &Stream) -> Result<MappedBuffer<T>, RegisterError<Self>> {
        let found = expect_context(self.context(), stream)
            .and_then(|()| self.device_ptr())
            .and_then(aligned::<T>);
        let len = self.len();
        // SAFETY: `found` is the device address of `len` elements.
        unsafe { mapped(self, found, len, stream) }
    }
}

impl<H: HostBlock + 'static> RegisteredBuffer<H> {
    /// Converts the buffer into memory that kernels can use too, ordered by `stream`.
    /// [`into_host`](MappedBuffer::into_host) converts it back.
    ///
    /// See [`cuMemHostGetDevicePointer`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the stream
    /// belongs to another context, or if the memory was registered with
    /// [`RegisterFlags::READ_ONLY`]. Returns `CUDA_ERROR_INVALID_VALUE` if the memory is not
    /// mapped: a device without unified addressing requires [`RegisterFlags::DEVICE_MAP`]. The
    /// error contains the buffer.
    ///
    /// ```
    /// # use cuda_safe::{Context, memory::RegisteredBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let registered = RegisteredBuffer::new(&context, vec![1u32, 2, 3])?;
    /// let mut mapped = registered.into_mapped(&stream)?;
    /// mapped.slice_mut(1..)?.fill(&stream, 7)?; // on the device
    /// let numbers: Vec<u32> = mapped.into_host()?.into_host()?;
    /// assert_eq!(numbers, [1, 7, 7]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemHostGetDevicePointer")]
    pub fn into_mapped(
        self,
        stream: &Stream,
    ) -> Result<MappedBuffer<H::Element, Self>, RegisterError<Self>> {
        let found = expect_context(self.context(), stream)
            .and_then(|()| self.registered_with().expect_plain(INTO_MAPPED))
            .and_then(|()| self.device_ptr())
            .and_then(aligned::<H::Element>);
        let len = self.len();
        // SAFETY: `found` is the device address of `len` elements.
        unsafe { mapped(self, found, len, stream) }
    }
}

/// Checks the device address of elements, whose alignment can differ from that of the host address.
fn aligned<T>(address: CUdeviceptr) -> Result<CUdeviceptr> {
    expect_aligned::<T>(address, INTO_MAPPED).map(|()| address)
}

const INTO_MAPPED: &str = "into_mapped";

fn expect_context(context: &Context, stream: &Stream) -> Result<()> {
    context.expect_same(stream.context(), INTO_MAPPED, "the memory and the stream")
}

/// Creates the mapped memory, or returns `host` together with the error in `found`.
///
/// # Safety
/// The caller must ensure that `found` is the device address of the `len` elements of `host` in the
/// stream's context, and is aligned for them.
unsafe fn mapped<T: PlainData, H: PageLocked>(
    host: H,
    found: Result<CUdeviceptr>,
    len: usize,
    stream: &Stream,
) -> Result<DeviceMemory<Mapped<H>, T>, RegisterError<H>> {
    let ptr = match found {
        Ok(ptr) => ptr,
        Err(error) => return Err(RegisterError { error, host }),
    };
    let storage = Mapped {
        host: Some(host),
        ptr,
        stream: stream.clone(),
    };
    // SAFETY: guaranteed by this function's contract.
    Ok(unsafe { DeviceMemory::from_storage(storage, len) })
}

impl<T: PlainData, H: PageLocked> MappedBuffer<T, H> {
    /// Returns the stream that orders the use of the memory.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        &self.storage().stream
    }

    /// Waits until the work on the buffer's stream is over, and returns the elements for reading.
    ///
    /// Kernels must not write to the elements while the slice is borrowed. Launching a kernel
    /// promises this.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the stream is
    /// capturing. Returns an error if work enqueued earlier has faulted.
    pub fn host(&self) -> Result<&[T]> {
        let ptr = self.ready()?;
        // SAFETY: the pointer has `len` elements, and nothing writes to them while they are
        // borrowed.
        Ok(unsafe { slice::from_raw_parts(ptr, self.len()) })
    }

    /// Waits until the work on the buffer's stream is over, and returns the elements for writing.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the stream is
    /// capturing. Returns an error if work enqueued earlier has faulted.
    pub fn host_mut(&mut self) -> Result<&mut [T]> {
        let ptr = self.ready()?;
        // SAFETY: the pointer has `len` elements, and nothing else uses them while they are
        // exclusively borrowed.
        Ok(unsafe { slice::from_raw_parts_mut(ptr, self.len()) })
    }

    /// Waits until the work on the buffer's stream is over, and returns the page-locked memory.
    ///
    /// # Errors
    /// Returns an error if work enqueued earlier has faulted. The memory is then freed, or leaked
    /// if it is unknown whether the work is over.
    pub fn into_host(self) -> Result<H> {
        let mut storage = self.into_storage();
        let settled = storage.stream.settle();
        let host = storage
            .host
            .take()
            .expect("present until the buffer is consumed");
        match settled {
            Settled::Done => Ok(host),
            Settled::Failed(error) | Settled::Faulted(error) => Err(error),
            Settled::Unknown(error) => {
                std::mem::forget(host); // the device may still use it
                Err(error)
            }
        }
    }

    /// Waits for the stream, and returns the host's address of the first element.
    fn ready(&self) -> Result<*mut T> {
        match self.stream().settle() {
            Settled::Done => {}
            Settled::Failed(error) | Settled::Faulted(error) | Settled::Unknown(error) => {
                return Err(error);
            }
        }
        Ok(match &self.storage().host {
            Some(host) if self.size_bytes() > 0 => host.raw_slice().cast(),
            _ => std::ptr::NonNull::dangling().as_ptr(),
        })
    }
}

impl Stream {
    /// Page-locks borrowed memory while `body` runs, and passes `body` a view of it for kernels.
    ///
    /// Before it returns, it waits for this stream and unregisters the memory, even if `body` fails
    /// or panics.
    ///
    /// Until then, only the device can use the memory. If `body` has another error type, see
    /// [`Stream::scope`] for how to return its errors.
    ///
    /// See [`cuMemHostRegister`, `cuMemHostGetDevicePointer`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`Registration::new`](crate::memory::Registration::new). Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the flags contain
    /// [`RegisterFlags::IO_MEMORY`] or [`RegisterFlags::READ_ONLY`], or if the stream is capturing.
    /// In these cases `body` is not called. Also returns the error of `body` or of the work that it
    /// enqueued.
    ///
    /// # Aborts
    /// Ends the process in the cases of [`Settled::or_abort`] and
    /// [`Context::page_locked`](crate::Context::page_locked).
    ///
    /// ```
    /// # use cuda_safe::{Context, memory::RegisterFlags, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let stream = Stream::new(&context)?;
    /// let mut numbers = vec![1u32, 2, 3];
    /// stream.mapped(&mut numbers, RegisterFlags::default(), |mut view| {
    ///     view.slice_mut(1..)?.fill(&stream, 7) // or launch a kernel
    /// })?;
    /// assert_eq!(numbers, [1, 7, 7]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemHostRegister")]
    #[doc(alias = "cuMemHostGetDevicePointer")]
    pub fn mapped<T: PlainData, R>(
        &self,
        host: &mut [T],
        flags: RegisterFlags,
        body: impl for<'scope> FnOnce(DeviceViewMut<'scope, T>) -> Result<R>,
    ) -> Result<R> {
        const CALL: &str = "Stream::mapped";
        flags.expect_plain(CALL)?;
        let len = host.len();
        // SAFETY: `host` is plain memory, exclusively borrowed for the whole call, which waits.
        unsafe {
            self.while_mapped(CALL, host, flags, |ptr| {
                body(DeviceViewMut::borrow_raw(ptr, len, self))
            })
        }
    }

    /// Page-locks borrowed memory like [`mapped`](Self::mapped), but the device only reads it, and
    /// the host may read it meanwhile.
    ///
    /// See [`cuMemHostRegister`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`mapped`](Self::mapped), but accepts [`RegisterFlags::READ_ONLY`].
    ///
    /// # Aborts
    /// Ends the process in the same cases as [`mapped`](Self::mapped).
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, memory::RegisterFlags, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let stream = Stream::new(&context)?;
    /// let numbers = vec![1u32, 2, 3];
    /// let mut last = DeviceBuffer::<u32>::uninit(&stream, 1)?;
    /// stream.mapped_read(&numbers, RegisterFlags::default(), |view| {
    ///     last.copy_from(&stream, &view.slice(2..)?) // or launch a kernel
    /// })?;
    /// assert_eq!(last.to_vec(&stream)?, [3]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemHostRegister")]
    pub fn mapped_read<T: PlainData, R>(
        &self,
        host: &[T],
        flags: RegisterFlags,
        body: impl for<'scope> FnOnce(DeviceView<'scope, T>) -> Result<R>,
    ) -> Result<R> {
        const CALL: &str = "Stream::mapped_read";
        flags.expect_memory(CALL)?;
        // SAFETY: `host` is borrowed for the whole call, which waits. A view for reading is not
        // written to.
        unsafe {
            self.while_mapped(CALL, host, flags, |ptr| {
                body(DeviceView::borrow_raw(ptr, host.len(), self))
            })
        }
    }

    /// Registers `host` and calls `body` with its device address, then waits for this stream.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - `host` stays allocated for the whole call, and the flags describe it correctly;
    /// - no other use of `host` conflicts with the work that `body` enqueues;
    /// - all that work is ordered with this stream before `body` returns.
    unsafe fn while_mapped<T: PlainData, R>(
        &self,
        call: &'static str,
        host: *const [T],
        flags: RegisterFlags,
        body: impl FnOnce(CUdeviceptr) -> Result<R>,
    ) -> Result<R> {
        struct Wait<'a>(&'a Stream);
        impl Drop for Wait<'_> {
            fn drop(&mut self) {
                let _ = discarding_errors(|| self.0.settle()).or_abort(); // only on a panic in `body`
            }
        }
        let _scope = self.enter_scope(call)?;
        let flags = flags | RegisterFlags::DEVICE_MAP;
        // SAFETY: guaranteed by this function's contract. The wait below ends before the
        // registration does.
        unsafe {
            while_registered(self.context(), host, flags, |registration| {
                let ptr = registration.device_ptr()?;
                expect_aligned::<T>(ptr, call)?;
                let wait = Wait(self);
                let result = body(ptr);
                std::mem::forget(wait);
                let waited = self.settle().or_abort();
                result.and_then(|value| waited.map(|()| value))
            })
        }
    }
}
