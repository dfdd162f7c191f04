//! Asynchronous copies that own their host memory while they run.

use std::{fmt, mem::ManuallyDrop};

use super::{
    self as copy,
    layout::Layout,
    region::{CopySource, CopyTarget},
    region_copy::{RegionCopy, host_place},
};
use crate::{
    capture::{Nothing, release},
    context::Settled,
    error::{Error, Result, fault::discarding_errors},
    memory::{
        device::DeviceMemory,
        host::pinned::PinnedBuffer,
        plain::PlainData,
        size::expect_equal,
        storage::{Storage, StorageMut},
    },
    stream::{Stream, event::Event},
};

/// A copy in progress between device memory and page-locked memory, which the transfer owns.
///
/// [`wait`](Self::wait) returns the memory. Dropping a transfer waits, too. Forgetting one leaks
/// the memory, but is otherwise harmless.
///
/// ```
/// # use cuda_safe::{Context, DeviceBuffer, PinnedBuffer, Stream};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// let host = PinnedBuffer::from_slice(&context, &[1u32, 2, 3])?;
/// let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 3)?;
/// let upload = stream.upload(host, &mut buffer)?;
/// // ... the host does something else ...
/// let host = upload.wait()?;
/// let host = stream.download(&buffer, host)?.wait()?;
/// assert_eq!(*host, [1, 2, 3]);
/// # Ok(())
/// # }
/// ```
#[must_use = "dropping a transfer waits for it"]
pub struct Transfer<T: PlainData> {
    host: ManuallyDrop<PinnedBuffer<T>>,
    /// `None` after the wait.
    done: Option<Event>,
}

/// The error of a transfer that could not be started, with its host memory.
///
/// ```
/// # use cuda_safe::{Context, DeviceBuffer, PinnedBuffer, Stream};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// let host = PinnedBuffer::from_slice(&context, &[1u32, 2, 3])?;
/// let mut too_short = DeviceBuffer::<u32>::zeroed(&stream, 2)?;
/// let failed = stream.upload(host, &mut too_short).unwrap_err();
/// println!("{}", failed.error);
/// assert_eq!(*failed.host.unwrap(), [1, 2, 3]); // the memory is not lost
/// # Ok(())
/// # }
/// ```
pub struct TransferError<T: PlainData> {
    /// The reason.
    pub error: Error,
    /// The unchanged host memory. `None` if the copy may have started and it is unknown whether it
    /// has finished. The memory is then leaked.
    pub host: Option<PinnedBuffer<T>>,
}

impl<T: PlainData> Transfer<T> {
    fn start(
        host: PinnedBuffer<T>,
        stream: &Stream,
        call: &'static str,
        enqueue: impl FnOnce(*mut [T]) -> Result<()>,
    ) -> Result<Self, TransferError<T>> {
        // Everything that can fail comes first, so that nothing fails between the start of the copy
        // and its guard.
        let prepared = stream
            .enter_to_wait(call)
            .and_then(|entered| Ok((entered, Event::without_timing(stream.context())?)));
        let (_uncaptured, done) = match prepared {
            Ok(prepared) => prepared,
            Err(error) => {
                let host = Some(host);
                return Err(TransferError { error, host });
            }
        };
        let started = enqueue(host.as_raw_slice()).and_then(|()| done.record(stream));
        if let Err(error) = started {
            // The copy may be running.
            let host = match discarding_errors(|| stream.settle()) {
                Settled::Done | Settled::Failed(_) | Settled::Faulted(_) => Some(host),
                Settled::Unknown(_) => {
                    std::mem::forget(host);
                    None
                }
            };
            return Err(TransferError { error, host });
        }
        Ok(Self {
            host: ManuallyDrop::new(host),
            done: Some(done),
        })
    }

    /// Returns whether the copy has finished. Does not wait.
    ///
    /// # Errors
    /// Returns an error if work enqueued before the copy has faulted.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, PinnedBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let host = PinnedBuffer::from_slice(&context, &[1u32, 2, 3])?;
    /// let mut buffer = DeviceBuffer::uninit(&stream, 3)?;
    /// let upload = stream.upload(host, &mut buffer)?;
    /// stream.synchronize()?;
    /// assert!(upload.is_done()?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_done(&self) -> Result<bool> {
        self.done.as_ref().map_or(Ok(true), Event::query)
    }

    /// Waits for the copy and returns the host memory.
    ///
    /// # Errors
    /// Returns an error if the copy, or work enqueued before it, failed. The host memory is then
    /// freed, or leaked if it is unknown whether the copy has finished.
    pub fn wait(mut self) -> Result<PinnedBuffer<T>> {
        let settled = self.done.take().map_or(Settled::Done, |done| done.settle());
        if let Settled::Unknown(error) = settled {
            return Err(error); // `done` is taken, so `drop` leaks the memory
        }
        // SAFETY: taken only once, like `done`, and the copy has finished.
        let host = unsafe { ManuallyDrop::take(&mut self.host) };
        settled.or_abort().map(|()| host)
    }
}

impl<T: PlainData> Drop for Transfer<T> {
    fn drop(&mut self) {
        let Some(done) = self.done.take() else { return };
        // SAFETY: `wait` has not taken it, because it would have taken `done`, too. Not used
        // afterwards.
        let host = unsafe { ManuallyDrop::take(&mut self.host) };
        // A drop cannot report an error.
        let _ = discarding_errors(|| {
            release(&Nothing, move || {
                let settled = done.settle().or_leak();
                match settled {
                    Ok(()) => drop(host),
                    // The device may still use the memory, so it must be leaked.
                    Err(_) => std::mem::forget(host),
                }
                settled
            })
        });
    }
}

impl Stream {
    /// Starts a copy of all of `host` to the device.
    ///
    /// See [`cuMemcpyHtoDAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the lengths
    /// differ, or if the stream is capturing. Also returns an error if the context is unusable
    /// after a fault. The error contains `host`.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, PinnedBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mut buffer = DeviceBuffer::uninit(&stream, 2)?;
    /// let host = PinnedBuffer::from_slice(&context, &[1u32, 2])?;
    /// let host = stream.upload(host, &mut buffer)?.wait()?;
    /// assert_eq!(buffer.to_vec(&stream)?, *host);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemcpyHtoDAsync")]
    pub fn upload<T: PlainData>(
        &self,
        host: PinnedBuffer<T>,
        device: &mut DeviceMemory<impl StorageMut, T>,
    ) -> Result<Transfer<T>, TransferError<T>> {
        const CALL: &str = "Stream::upload";
        Transfer::start(host, self, CALL, |host| {
            expect_equal(host.len(), device.len(), CALL)?;
            // SAFETY: the transfer owns `host` until the copy has finished, and the lengths are
            // equal.
            unsafe { copy::enqueue_upload(CALL, device.span(), self, host) }
        })
    }

    /// Starts a copy of all elements of `device` to `host`.
    ///
    /// See [`cuMemcpyDtoHAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the lengths
    /// differ, or if the stream is capturing. Also returns an error if the context is unusable
    /// after a fault. The error contains `host`.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, PinnedBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let buffer = DeviceBuffer::from_slice(&stream, &[1u32, 2])?;
    /// let download = stream.download(&buffer, PinnedBuffer::zeroed(&context, 2)?)?;
    /// assert_eq!(*download.wait()?, [1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemcpyDtoHAsync")]
    pub fn download<T: PlainData>(
        &self,
        device: &DeviceMemory<impl Storage, T>,
        host: PinnedBuffer<T>,
    ) -> Result<Transfer<T>, TransferError<T>> {
        const CALL: &str = "Stream::download";
        Transfer::start(host, self, CALL, |host| {
            expect_equal(device.len(), host.len(), CALL)?;
            // SAFETY: the transfer owns `host` until the copy has finished, and the lengths are
            // equal.
            unsafe { copy::enqueue_download(CALL, device.span(), self, host) }
        })
    }

    /// Starts a copy of a rectangle or box from page-locked memory with the given layout.
    ///
    /// See [`cuMemcpy2DAsync`, `cuMemcpy3DAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the box is out
    /// of bounds of a side, or if the stream is capturing. Also returns an error if the context is
    /// unusable after a fault. The error contains `host`.
    ///
    /// ```
    /// # use cuda_safe::{Context, PinnedBuffer, memory::{PitchedBuffer, RegionCopy}, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let host = PinnedBuffer::from_slice(&context, &[1u32, 2, 3, 4])?;
    /// let mut image = PitchedBuffer::zeroed(&stream, [2, 2])?;
    /// let column = RegionCopy::new([1, 2]).source_at(1).target_at(1);
    /// let upload = stream.upload_region(column, host, [2, 2], &mut image)?;
    /// let host = upload.wait()?;
    /// assert_eq!(image.to_vec(&stream)?, [0, 2, 0, 4]);
    /// let row = RegionCopy::new(2).source_at([0, 1]);
    /// assert_eq!(*stream.download_region(row, &image, host, [4, 1])?.wait()?, [0, 4, 3, 4]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemcpy2DAsync")]
    #[doc(alias = "cuMemcpy3DAsync")]
    pub fn upload_region<T: PlainData>(
        &self,
        copy: RegionCopy,
        host: PinnedBuffer<T>,
        layout: impl Into<Layout>,
        target: &mut impl CopyTarget<T>,
    ) -> Result<Transfer<T>, TransferError<T>> {
        const CALL: &str = "Stream::upload_region";
        let layout = layout.into();
        Transfer::start(host, self, CALL, |host| {
            let place = host_place(host, layout, CALL)?;
            // SAFETY: the transfer owns `host` until the copy has finished.
            unsafe { copy.upload_enqueue(self, target, place, CALL) }
        })
    }

    /// Starts a copy of a rectangle or box to page-locked memory with the given layout.
    ///
    /// See [`cuMemcpy2DAsync`, `cuMemcpy3DAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the box is out
    /// of bounds of a side, or if the stream is capturing. Also returns an error if the context is
    /// unusable after a fault. The error contains `host`.
    #[doc(alias = "cuMemcpy2DAsync")]
    #[doc(alias = "cuMemcpy3DAsync")]
    pub fn download_region<T: PlainData>(
        &self,
        copy: RegionCopy,
        source: &impl CopySource<T>,
        host: PinnedBuffer<T>,
        layout: impl Into<Layout>,
    ) -> Result<Transfer<T>, TransferError<T>> {
        const CALL: &str = "Stream::download_region";
        let layout = layout.into();
        Transfer::start(host, self, CALL, |host| {
            let place = host_place(host, layout, CALL)?;
            // SAFETY: the transfer owns `host` until the copy has finished.
            unsafe { copy.download_enqueue(self, place, source, CALL) }
        })
    }
}

impl<T: PlainData> From<TransferError<T>> for Error {
    fn from(failed: TransferError<T>) -> Self {
        failed.error
    }
}

impl<T: PlainData> fmt::Debug for Transfer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Shows only the length, because the device may be writing to the memory.
        write!(f, "Transfer({} elements)", self.host.as_raw_slice().len())
    }
}

impl<T: PlainData> fmt::Debug for TransferError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.error, f)
    }
}

impl<T: PlainData> fmt::Display for TransferError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.error, f)
    }
}

impl<T: PlainData> std::error::Error for TransferError<T> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.error.source() // `Display` already shows the error itself
    }
}
