//! Mapped (zero-copy) memory: host memory that kernels reach over the link.

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
    error::{Result, fault::unheard},
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

/// `len` elements of page-locked host memory that kernels reach at an address of their own: what they read and write goes
/// over the link, each time (zero-copy). For data that a kernel touches once, and for small results.
///
/// To the device it is memory as any other, in the order of a stream. The host gets a slice, from
/// [`host`](Self::host) or [`host_mut`](Self::host_mut), which wait until the stream's work is over.
///
/// The second parameter is what holds the memory: a [`PinnedBuffer`] unless it says otherwise, or a
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
/// // SAFETY: four threads, and four elements.
/// unsafe { double_it.launch(&stream, LaunchConfig::new(1, 4), (&mut x,))? };
/// assert_eq!(x.host()?, [2.0, 4.0, 6.0, 8.0]);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "zero-copy")]
pub type MappedBuffer<T, H = PinnedBuffer<T>> = DeviceMemory<Mapped<H>, T>;

/// Page-locked host memory in a stream's order: what a [`MappedBuffer`] holds.
#[derive(Debug)]
pub struct Mapped<H: PageLocked> {
    /// `None` once it is given back.
    host: Option<H>,
    ptr: CUdeviceptr,
    stream: Stream,
}

// SAFETY: memory of the stream's context; freed when the stream's work is over.
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

// SAFETY: memory of its own.
unsafe impl<H: PageLocked> StorageMut for Mapped<H> {}

impl<H: PageLocked> OwnedStorage for Mapped<H> {
    fn close(mut self) -> Result<()> {
        let Some(host) = self.host.take() else {
            return Ok(());
        };
        let stream = self.stream.clone();
        release(&self.stream, move || after(host, &stream)?.end())
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

/// What holds page-locked memory: [`PinnedBuffer`] and [`RegisteredBuffer`].
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
        // An error here can't be acted upon; `close` reports it.
        let _ = unheard(|| release(&self.stream, move || after(host, &stream).map(drop)));
    }
}

/// The memory, when the stream's work is over. It is leaked if that is not known.
fn after<H>(host: H, stream: &Stream) -> Result<H> {
    if let Err(error) = stream.settle_or_leak() {
        std::mem::forget(host); // the device may still use it
        return Err(error);
    }
    Ok(host)
}

impl<T: PlainData> MappedBuffer<T> {
    /// Allocates `len` elements, and sets all bytes to zero.
    ///
    /// # Errors
    /// As [`PinnedBuffer::zeroed`].
    #[doc(alias = "cuMemHostAlloc")]
    pub fn zeroed(stream: &Stream, len: usize) -> Result<Self> {
        Self::with_flags(stream, len, PinnedFlags::default())
    }

    /// As [`zeroed`](Self::zeroed), with flags. [`PinnedFlags::DEVICE_MAP`] is always among them.
    ///
    /// [`PinnedFlags::WRITE_COMBINED`] suits data that the host only writes and the device reads: that is faster over the
    /// link then.
    ///
    /// # Errors
    /// As [`PinnedBuffer::with_flags`].
    #[doc(alias = "cuMemHostAlloc")]
    pub fn with_flags(stream: &Stream, len: usize, flags: PinnedFlags) -> Result<Self> {
        let flags = flags | PinnedFlags::DEVICE_MAP;
        let host = PinnedBuffer::with_flags(stream.context(), len, flags)?;
        Ok(host.into_mapped(stream)?)
    }
}

impl<T: PlainData> PinnedBuffer<T> {
    /// Memory that kernels reach too, in the order of `stream`. [`into_host`](MappedBuffer::into_host) gives it back.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a stream of another context.
    /// `CUDA_ERROR_INVALID_VALUE` where the memory is not mapped: on a device without unified addressing it needs
    /// [`PinnedFlags::DEVICE_MAP`]. The error carries the memory.
    ///
    /// ```
    /// # use cuda_safe::{Context, PinnedBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let host = PinnedBuffer::from_slice(&context, &[1u32, 2, 3])?;
    /// let mut mapped = host.into_mapped(&stream)?;
    /// mapped.slice_mut(1..)?.fill(&stream, 7)?; // by the device
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
        // SAFETY: the device's address of `len` elements.
        unsafe { mapped(self, found, len, stream) }
    }
}

impl<H: HostBlock + 'static> RegisteredBuffer<H> {
    /// Memory that kernels reach too, in the order of `stream`. [`into_host`](MappedBuffer::into_host) gives it back.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a stream of another context, and for memory that
    /// was registered with [`RegisterFlags::READ_ONLY`]. `CUDA_ERROR_INVALID_VALUE` where the memory is not mapped: on a
    /// device without unified addressing it needs [`RegisterFlags::DEVICE_MAP`]. The error carries the memory.
    ///
    /// ```
    /// # use cuda_safe::{Context, memory::RegisteredBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let registered = RegisteredBuffer::new(&context, vec![1u32, 2, 3])?;
    /// let mut mapped = registered.into_mapped(&stream)?;
    /// mapped.slice_mut(1..)?.fill(&stream, 7)?; // by the device
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
        // SAFETY: the device's address of `len` elements.
        unsafe { mapped(self, found, len, stream) }
    }
}

/// The device's address of elements, which need not be the host's.
fn aligned<T>(address: CUdeviceptr) -> Result<CUdeviceptr> {
    expect_aligned::<T>(address, INTO_MAPPED).map(|()| address)
}

const INTO_MAPPED: &str = "into_mapped";

fn expect_context(context: &Context, stream: &Stream) -> Result<()> {
    context.expect_same(stream.context(), INTO_MAPPED, "the memory and the stream")
}

/// Gives the memory back where no address was found.
///
/// # Safety
/// `found` is the device's address of the `len` elements of `host`, in the stream's context, and aligned for them.
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
    // SAFETY: as this function's contract says.
    Ok(unsafe { DeviceMemory::from_storage(storage, len) })
}

impl<T: PlainData, H: PageLocked> MappedBuffer<T, H> {
    /// The stream in whose order the memory is used.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        &self.storage().stream
    }

    /// Waits until the work on the buffer's stream is over, and returns the elements for reading. While they are
    /// borrowed, kernels must not write to them: their launches promise that.
    ///
    /// # Errors
    /// The fault of work that was enqueued earlier. The stream is being captured.
    pub fn host(&self) -> Result<&[T]> {
        let ptr = self.ready()?;
        // SAFETY: `len` elements; nothing writes to them while they are borrowed.
        Ok(unsafe { slice::from_raw_parts(ptr, self.len()) })
    }

    /// Waits until the work on the buffer's stream is over, and returns the elements for writing.
    ///
    /// # Errors
    /// As [`host`](Self::host).
    pub fn host_mut(&mut self) -> Result<&mut [T]> {
        let ptr = self.ready()?;
        // SAFETY: `len` elements; nothing else uses them while they are borrowed exclusively.
        Ok(unsafe { slice::from_raw_parts_mut(ptr, self.len()) })
    }

    /// Waits until the work on the buffer's stream is over, and gives the page-locked memory back.
    ///
    /// # Errors
    /// The fault of work that was enqueued earlier; the memory is freed then. It is leaked if it can't be known whether
    /// the work is over.
    pub fn into_host(self) -> Result<H> {
        let mut storage = self.into_storage();
        let settled = storage.stream.settle();
        let host = storage.host.take().expect("until it is given back");
        match settled {
            Settled::Done => Ok(host),
            Settled::Failed(error) | Settled::Faulted(error) => Err(error),
            Settled::Unknown(error) => {
                std::mem::forget(host); // the device may still use it
                Err(error)
            }
        }
    }

    /// The host's address of the first element, when nothing uses the memory any more.
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
    /// Page-locks borrowed memory while `body` runs, and gives `body` a view of it that kernels take. Waits for this
    /// stream, and unregisters the memory, before it returns, even if `body` fails or panics.
    ///
    /// The memory is the device's until then: the host doesn't reach it. A `body` with errors of another type returns them as
    /// for [`Stream::scope`].
    ///
    /// # Errors
    /// As [`Registration::new`](crate::memory::Registration::new), and for [`RegisterFlags::IO_MEMORY`] and
    /// [`RegisterFlags::READ_ONLY`]; `body` is not called then. The stream is being captured. `body`'s error, or that of the work that it enqueued.
    ///
    /// # Aborts
    /// As [`Settled::or_abort`] and [`Context::page_locked`](crate::Context::page_locked).
    ///
    /// ```
    /// # use cuda_safe::{Context, memory::RegisterFlags, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let stream = Stream::new(&context)?;
    /// let mut numbers = vec![1u32, 2, 3];
    /// stream.mapped(&mut numbers, RegisterFlags::default(), |mut view| {
    ///     view.slice_mut(1..)?.fill(&stream, 7) // or a kernel
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
        // SAFETY: `host` is borrowed exclusively for the whole call, which waits; it is plain memory.
        unsafe {
            self.while_mapped(CALL, host, flags, |ptr| {
                body(DeviceViewMut::borrow_raw(ptr, len, self))
            })
        }
    }

    /// As [`mapped`](Self::mapped), for memory that the device only reads. Meanwhile the host may read it too.
    ///
    /// # Errors
    /// As [`mapped`](Self::mapped), but [`RegisterFlags::READ_ONLY`] is taken.
    ///
    /// # Aborts
    /// As [`mapped`](Self::mapped).
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, memory::RegisterFlags, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let stream = Stream::new(&context)?;
    /// let numbers = vec![1u32, 2, 3];
    /// let mut last = DeviceBuffer::<u32>::uninit(&stream, 1)?;
    /// stream.mapped_read(&numbers, RegisterFlags::default(), |view| {
    ///     last.copy_from(&stream, &view.slice(2..)?) // or a kernel
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
        // SAFETY: `host` is borrowed for the whole call, which waits; a view for reading is not written to.
        unsafe {
            self.while_mapped(CALL, host, flags, |ptr| {
                body(DeviceView::borrow_raw(ptr, host.len(), self))
            })
        }
    }

    /// # Safety
    /// `host` stays allocated for the whole call, and is used by nobody else in a way that conflicts with what `body`
    /// enqueues. That is all ordered with this stream before `body` returns. What the flags say of `host` is true.
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
                let _ = unheard(|| self.0.settle()).or_abort(); // only on a panic in `body`
            }
        }
        let _scope = self.enter_scope(call)?;
        let flags = flags | RegisterFlags::DEVICE_MAP;
        // SAFETY: as this function's contract says; the wait below ends before the registration does.
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
