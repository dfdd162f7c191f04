//! Fast copies of pageable memory by several threads through page-locked pieces.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use cuda_sys::{self as sys, CUpointer_attribute, CUresult};

use crate::{
    context::{Context, Settled},
    error::{Error, Result},
    memory::copy::{Span, explained},
    stream::{Staged, Stream},
};

mod crew;
mod engine;
mod lines;
mod plan;

use crew::Direction;
use engine::Engine;

/// Threads and page-locked memory that speed up copies of pageable host memory.
///
/// The driver copies pageable memory, such as a `Vec`, with one thread through its own buffers.
/// This reaches only a fraction of the link's speed. A `Staging` divides such a copy into pieces.
/// Its threads copy between the slice and page-locked pieces while the device copies the full ones.
///
/// Attach it to a stream with [`Stream::set_staging`]. All methods that copy between a slice and
/// device memory and wait then use it:
/// [`DeviceBuffer::from_slice`](crate::DeviceBuffer::from_slice),
/// [`to_vec`](crate::DeviceMemory::to_vec),
/// [`copy_from_slice`](crate::DeviceMemory::copy_from_slice),
/// [`copy_to_slice`](crate::DeviceMemory::copy_to_slice), and methods built on these.
///
/// These copies still use a single driver call:
/// - copies smaller than [`StagingOptions::threshold_bytes`];
/// - copies of a page-locked slice;
/// - copies between a slice and a [`CudaArray`](crate::array::CudaArray);
/// - copies of sub-regions by a [`RegionCopy`](crate::memory::RegionCopy).
///
/// ```
/// use cuda_safe::{Context, DeviceBuffer, memory::Staging, Stream};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// stream.set_staging(Some(&Staging::new(&context)?))?; // creates the threads and the memory once
///
/// let host = vec![1.5f32; 1 << 20];
/// let buffer = DeviceBuffer::from_slice(&stream, &host)?; // several threads read the vector
/// assert_eq!(buffer.to_vec(&stream)?, host);
/// # Ok(())
/// # }
/// ```
///
/// Cloning creates another reference to the same threads and pieces, and several streams can share
/// it. It makes one transfer at a time, because one is enough to use the whole link. A transfer
/// first waits for the work enqueued on its stream. Only the calling thread calls the driver.
///
/// `docs/PERFORMANCE.md` in the repository has measurements. Copies into a new `Vec` gain less,
/// because the operating system allocates each page when it is first written. To avoid this, use
/// [`copy_to_slice`](crate::DeviceMemory::copy_to_slice) with a vector that has been written
/// before.
#[derive(Clone)]
pub struct Staging(Arc<Inner>);

struct Inner {
    context: Context,
    options: StagingOptions,
    engine: Mutex<Engine>,
}

/// Options of a [`Staging`]. The defaults suit the machine.
///
/// ```
/// # use cuda_safe::{Context, memory::{Staging, StagingOptions}};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// let options = StagingOptions::default().threads(2).pieces(3).piece_bytes(1 << 20);
/// let staging = Staging::with_options(&context, options)?;
/// assert_eq!(staging.options(), options);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct StagingOptions {
    /// The number of threads that copy, at most 1024. The default is the number of processors minus
    /// one, which feeds the device, and at most 15.
    pub threads: usize,
    /// The number of page-locked pieces, at least 2. The default is 4.
    pub pieces: usize,
    /// The size of a piece in bytes, a multiple of 4096. The default is 4 MiB. The first and last
    /// pieces of a transfer are smaller.
    pub piece_bytes: usize,
    /// Copies of fewer bytes use a single driver call. The default is 1 MiB.
    pub threshold_bytes: usize,
}

impl Default for StagingOptions {
    fn default() -> Self {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        Self {
            threads: processors.saturating_sub(1).clamp(1, 15),
            pieces: 4,
            piece_bytes: 4 << 20,
            threshold_bytes: 1 << 20,
        }
    }
}

impl StagingOptions {
    /// Sets [`threads`](Self#structfield.threads).
    #[must_use]
    pub const fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Sets [`pieces`](Self#structfield.pieces).
    #[must_use]
    pub const fn pieces(mut self, pieces: usize) -> Self {
        self.pieces = pieces;
        self
    }

    /// Sets [`piece_bytes`](Self#structfield.piece_bytes).
    #[must_use]
    pub const fn piece_bytes(mut self, piece_bytes: usize) -> Self {
        self.piece_bytes = piece_bytes;
        self
    }

    /// Sets [`threshold_bytes`](Self#structfield.threshold_bytes).
    #[must_use]
    pub const fn threshold_bytes(mut self, threshold_bytes: usize) -> Self {
        self.threshold_bytes = threshold_bytes;
        self
    }

    fn check(&self) -> Result<()> {
        /// A limit above the processor count of any host.
        const MOST_THREADS: usize = 1024;
        let detail = if self.threads == 0 {
            "the number of threads is 0. Fix: use at least 1".to_owned()
        } else if self.threads > MOST_THREADS {
            format!(
                "the number of threads is {}. Fix: use at most {MOST_THREADS}",
                self.threads
            )
        } else if self.pieces < 2 {
            format!(
                "the number of pieces is {}, so the threads and the device cannot work at the same time. Fix: use at \
                 least 2, or better 4",
                self.pieces
            )
        } else if self.piece_bytes == 0 || !self.piece_bytes.is_multiple_of(plan::PAGE) {
            format!(
                "the piece size of {} bytes is not a nonzero multiple of the page size {}",
                self.piece_bytes,
                plan::PAGE
            )
        } else {
            return Ok(());
        };
        Err(Error::invalid("Staging::with_options", detail))
    }
}

impl Staging {
    /// Starts the threads and allocates the pieces with the default options: 16 MiB of page-locked
    /// memory.
    ///
    /// # Errors
    /// Returns an error if the host cannot lock that much memory or start the threads, or if the
    /// context is unusable after a fault.
    pub fn new(context: &Context) -> Result<Self> {
        Self::with_options(context, StagingOptions::default())
    }

    /// Creates a staging with options.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if an option is
    /// out of range, such as 0 threads. Also returns the errors of [`new`](Self::new).
    pub fn with_options(context: &Context, options: StagingOptions) -> Result<Self> {
        options.check()?;
        Ok(Self(Arc::new(Inner {
            context: context.clone(),
            options,
            engine: Mutex::new(Engine::new(context, options)?),
        })))
    }

    /// Returns the context to which the transfers belong.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// Returns the options.
    #[must_use]
    pub fn options(&self) -> StagingOptions {
        self.0.options
    }

    /// Copies between all of `span` and the host. Returns `Ok(false)` without copying if the engine
    /// is broken.
    ///
    /// # Safety
    /// The caller must ensure that `host` is as long as `span`, that nothing else uses it
    /// meanwhile, and that it is writable for a download.
    unsafe fn copy(
        &self,
        call: &'static str,
        direction: Direction,
        span: Span<'_>,
        stream: &Stream,
        host: *mut u8,
    ) -> Result<bool> {
        stream.ordered(call, [span.owner], || {
            // Do not hold the lock during this wait, because the stream's work may wait for another
            // transfer.
            match stream.settle() {
                Settled::Done => {}
                Settled::Failed(error) | Settled::Faulted(error) | Settled::Unknown(error) => {
                    return Err(error);
                }
            }
            let mut engine = self.0.engine.lock().unwrap_or_else(PoisonError::into_inner);
            if engine.is_broken() {
                return Ok(false);
            }
            // SAFETY: the caller promises `host`. The device memory is live, and no work on its
            // stream or on this one still uses it.
            let copied = unsafe { engine.copy(direction, host, span.ptr, span.bytes) };
            explained(copied, stream, span).map(|()| true)
        })
    }
}

/// Returns whether the driver knows the memory. It is then page-locked or managed, and a single
/// call copies it at the link's speed.
fn is_known_to_driver(host: *const u8) -> bool {
    let mut kind = 0u32;
    // SAFETY: `kind` is valid for the write of a memory type. The driver looks up the address
    // without reading the memory.
    let code = unsafe {
        sys::cuPointerGetAttribute(
            (&raw mut kind).cast(),
            CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
            host as sys::CUdeviceptr,
        )
    };
    code == CUresult::CUDA_SUCCESS && kind != 0
}

impl Stream {
    /// Sets the staging for later copies between slices and device memory that use this stream and
    /// wait. With `None`, each of them uses a single driver call again.
    ///
    /// This applies to all clones of the stream.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if `staging`
    /// belongs to another context.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, memory::Staging, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let staging = Staging::new(&context)?;
    /// let streams = [Stream::new(&context)?, Stream::new(&context)?];
    /// for stream in &streams {
    ///     stream.set_staging(Some(&staging))?; // both streams share it
    /// }
    /// assert!(streams[0].staging().is_some());
    /// streams[0].set_staging(None)?;
    /// assert!(streams[0].staging().is_none());
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_staging(&self, staging: Option<&Staging>) -> Result<()> {
        if let Some(staging) = staging
            && staging.context() != self.context()
        {
            let detail = "the staging belongs to another context than the stream. Fix: create one staging for each \
                          context";
            return Err(Error::invalid("Stream::set_staging", detail));
        }
        *self
            .staged()
            .write()
            .unwrap_or_else(PoisonError::into_inner) = staging.map(|one| one.0.clone() as Staged);
        Ok(())
    }

    /// Returns the staging set by [`set_staging`](Self::set_staging).
    #[must_use]
    pub fn staging(&self) -> Option<Staging> {
        let staged = self.staged().read();
        let staged = staged.unwrap_or_else(PoisonError::into_inner).clone();
        staged?.downcast().ok().map(Staging)
    }
}

/// Returns the stream's staging if it suits this copy. The size is compared first, so that small
/// copies are not slowed down.
fn suitable(stream: &Stream, host: *const u8, bytes: usize) -> Option<Staging> {
    let staging = stream.staging();
    staging.filter(|one| bytes >= one.0.options.threshold_bytes && !is_known_to_driver(host))
}

/// Copies `host` to the device if the stream has a suitable staging. Otherwise returns `false`
/// without copying.
pub(in crate::memory) fn upload(
    call: &'static str,
    span: Span<'_>,
    stream: &Stream,
    host: *const u8,
) -> Result<bool> {
    match suitable(stream, host, span.bytes) {
        // SAFETY: the caller borrows `host` for the whole call, and an upload only reads it.
        Some(staging) => unsafe {
            staging.copy(call, Direction::Upload, span, stream, host.cast_mut())
        },
        None => Ok(false),
    }
}

/// Copies in the opposite direction, like [`upload`].
///
/// # Safety
/// The caller must ensure that `host` is writable for as many bytes as `span` has, and that nothing
/// else uses it meanwhile.
pub(in crate::memory) unsafe fn download(
    call: &'static str,
    span: Span<'_>,
    stream: &Stream,
    host: *mut u8,
) -> Result<bool> {
    match suitable(stream, host, span.bytes) {
        // SAFETY: as this function's contract says.
        Some(staging) => unsafe { staging.copy(call, Direction::Download, span, stream, host) },
        None => Ok(false),
    }
}

impl fmt::Debug for Staging {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StagingOptions {
            threads,
            pieces,
            piece_bytes,
            ..
        } = self.0.options;
        write!(
            f,
            "Staging({threads} threads, {pieces} pieces of {piece_bytes} bytes)"
        )
    }
}
