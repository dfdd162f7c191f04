//! Pageable memory at the link's speed: copies through page-locked pieces, by several threads.

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

/// Threads and page-locked memory that speed up copies of ordinary host memory.
///
/// The driver copies a `Vec` or another slice that is not page-locked with one thread, through memory of its own. That
/// reaches a fraction of what the link to the device can do. A `Staging` cuts such a copy into pieces: its threads
/// copy between the slice and page-locked pieces, while the device copies those that are full.
///
/// A stream that is given one with [`Stream::set_staging`] uses it in all methods that copy between a slice and device
/// memory and wait: [`DeviceBuffer::from_slice`](crate::DeviceBuffer::from_slice),
/// [`to_vec`](crate::DeviceMemory::to_vec), [`copy_from_slice`](crate::DeviceMemory::copy_from_slice),
/// [`copy_to_slice`](crate::DeviceMemory::copy_to_slice), and whatever is built on these. Copies that are smaller than
/// [`StagingOptions::threshold_bytes`], or whose slice is page-locked, stay one call of the driver's. So do copies between a
/// slice and a [`CudaArray`](crate::array::CudaArray), and those of parts, a [`RegionCopy`](crate::memory::RegionCopy)'s.
///
/// ```
/// use cuda_safe::{Context, DeviceBuffer, memory::Staging, Stream};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// stream.set_staging(Some(&Staging::new(&context)?))?; // threads and memory, made once
///
/// let host = vec![1.5f32; 1 << 20];
/// let buffer = DeviceBuffer::from_slice(&stream, &host)?; // several threads read the vector
/// assert_eq!(buffer.to_vec(&stream)?, host);
/// # Ok(())
/// # }
/// ```
///
/// Cloning gives another reference to the same threads and pieces, and several streams can share one. It makes one
/// transfer after another: the link is busy with one. A transfer first waits for what was enqueued on its stream, and
/// calls the driver from the thread that asked for it alone.
///
/// `docs/PERFORMANCE.md` of the repository says what it gains. A new `Vec` gains less: while it is filled for the first
/// time, the operating system makes its memory, a page at a time. [`copy_to_slice`](crate::DeviceMemory::copy_to_slice) into a vector that was used before spares that.
#[derive(Clone)]
pub struct Staging(Arc<Inner>);

struct Inner {
    context: Context,
    options: StagingOptions,
    engine: Mutex<Engine>,
}

/// How a [`Staging`] is made. The default suits the machine: see each field.
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
    /// How many threads copy. By default as many as the machine has processors, but for one that feeds the device, and
    /// no more than 15. At most 1024.
    pub threads: usize,
    /// How many page-locked pieces there are: 4 by default, at least 2.
    pub pieces: usize,
    /// The size of a piece in bytes, a multiple of 4096: 4 MiB by default. The first pieces of a transfer and the last
    /// ones use a part of it.
    pub piece_bytes: usize,
    /// Copies of fewer bytes stay one call of the driver's: 1 MiB by default.
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
        /// More than any host has processors for.
        const MOST_THREADS: usize = 1024;
        let detail = if self.threads == 0 {
            "0 threads copy nothing: at least 1".to_owned()
        } else if self.threads > MOST_THREADS {
            format!("{} threads: at most {MOST_THREADS}", self.threads)
        } else if self.pieces < 2 {
            format!(
                "with {} pieces the threads and the device can't work at the same time: at least 2, better 4",
                self.pieces
            )
        } else if self.piece_bytes == 0 || !self.piece_bytes.is_multiple_of(plan::PAGE) {
            format!(
                "pieces of {} bytes: their size is a multiple of {}, a page",
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
    /// Starts the threads and allocates the pieces, as [`StagingOptions::default`] says: 16 MiB of page-locked memory.
    ///
    /// # Errors
    /// The host can't lock that much memory or start the threads. The context is unusable after a fault.
    pub fn new(context: &Context) -> Result<Self> {
        Self::with_options(context, StagingOptions::default())
    }

    /// As [`new`](Self::new), with options.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for options that make no sense, such as no
    /// threads; otherwise as [`new`](Self::new).
    pub fn with_options(context: &Context, options: StagingOptions) -> Result<Self> {
        options.check()?;
        Ok(Self(Arc::new(Inner {
            context: context.clone(),
            options,
            engine: Mutex::new(Engine::new(context, options)?),
        })))
    }

    /// The context that the transfers belong to.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// What it was made with.
    #[must_use]
    pub fn options(&self) -> StagingOptions {
        self.0.options
    }

    /// Copies between all of `span` and the host. `Ok(false)` if it can't be used any more: then nothing was copied.
    ///
    /// # Safety
    /// `host` is as long as `span`, and nobody else uses it meanwhile; for a download it may be written to.
    unsafe fn copy(
        &self,
        call: &'static str,
        direction: Direction,
        span: Span<'_>,
        stream: &Stream,
        host: *mut u8,
    ) -> Result<bool> {
        stream.ordered(call, [span.owner], || {
            // Nothing is held while the stream's own work is waited for, which may wait for another transfer.
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
            // SAFETY: as this function's contract says; the device's memory is live, and nothing on its stream or on
            // this one uses it any more.
            let copied = unsafe { engine.copy(direction, host, span.ptr, span.bytes) };
            explained(copied, stream, span).map(|()| true)
        })
    }
}

/// Whether the driver knows the memory: it is page-locked or managed, and one call copies it at the link's speed.
fn is_known_to_driver(host: *const u8) -> bool {
    let mut kind = 0u32;
    // SAFETY: `kind` is valid for the write of a memory type; the address is looked up and not followed.
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
    /// From now on, copies between slices and device memory that are given this stream, and wait, go through
    /// `staging`; with `None`, each of them is one call of the driver's again. This holds for all clones of the stream.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where `staging` was made in another context.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, memory::Staging, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let staging = Staging::new(&context)?;
    /// let streams = [Stream::new(&context)?, Stream::new(&context)?];
    /// for stream in &streams {
    ///     stream.set_staging(Some(&staging))?; // they share it
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
            let detail = "the staging was made in another context than the stream: make one for each context";
            return Err(Error::invalid("Stream::set_staging", detail));
        }
        *self
            .staged()
            .write()
            .unwrap_or_else(PoisonError::into_inner) = staging.map(|one| one.0.clone() as Staged);
        Ok(())
    }

    /// What [`set_staging`](Self::set_staging) has given the stream.
    #[must_use]
    pub fn staging(&self) -> Option<Staging> {
        let staged = self.staged().read();
        let staged = staged.unwrap_or_else(PoisonError::into_inner).clone();
        staged?.downcast().ok().map(Staging)
    }
}

/// The stream's staging, if it is of use for this copy. What is smaller than its threshold pays for no more than a look.
fn suited(stream: &Stream, host: *const u8, bytes: usize) -> Option<Staging> {
    let staging = stream.staging();
    staging.filter(|one| bytes >= one.0.options.threshold_bytes && !is_known_to_driver(host))
}

/// Copies `host` to the device if the stream has a staging that suits. `false` if it has none: nothing was copied.
pub(in crate::memory) fn upload(
    call: &'static str,
    span: Span<'_>,
    stream: &Stream,
    host: *const u8,
) -> Result<bool> {
    match suited(stream, host, span.bytes) {
        // SAFETY: `host` is borrowed by the caller for the whole call, and only read for an upload.
        Some(staging) => unsafe {
            staging.copy(call, Direction::Upload, span, stream, host.cast_mut())
        },
        None => Ok(false),
    }
}

/// As [`upload`], the other way.
///
/// # Safety
/// `host` may be written to, for as many bytes as `span` has, and nobody else uses it meanwhile.
pub(in crate::memory) unsafe fn download(
    call: &'static str,
    span: Span<'_>,
    stream: &Stream,
    host: *mut u8,
) -> Result<bool> {
    match suited(stream, host, span.bytes) {
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
