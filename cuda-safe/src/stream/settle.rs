//! Waiting until the work of a stream no longer uses memory, even if the first way of waiting
//! fails.

use std::ffi::c_uint;

use cuda_sys::{self as sys, CUdeviceptr, CUpointer_attribute, CUresult};

use super::{Stream, event::Event};
use crate::{
    capture::relaxed,
    context::{Settled, settle_in},
    error::{Result, fault::discarding_errors},
};

impl Stream {
    /// Waits until no work that was enqueued on this stream uses memory any more. Use it if you
    /// enqueue raw work on memory that you own or have borrowed.
    ///
    /// [`synchronize`](Self::synchronize) may fail while the work continues, for lack of memory or
    /// because a stream is being captured. This method then tries other ways until one gives
    /// certainty: it waits again, then for an event, then for the whole context. If another thread
    /// captures the stream, it waits for the end of the capture.
    ///
    /// After a fault no wait works any more. The result is [`Settled::Faulted`] if the process has
    /// had no other context, and [`Settled::Unknown`] otherwise. Contexts of other libraries count
    /// if this crate uses them, or if they are primary contexts.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, PinnedBuffer, Settled, Stream, sys};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// # let buffer = DeviceBuffer::from_slice(&stream, &[1u32, 2, 3])?;
    /// let mut host = PinnedBuffer::<u32>::zeroed(&context, 3)?;
    /// # context.set_current()?;
    /// // SAFETY: both have 12 bytes. `host` is not used until the stream has settled.
    /// let code = unsafe {
    ///     sys::cuMemcpyDtoHAsync_v2(
    ///         host.as_mut_ptr().cast(), buffer.as_device_ptr(), 12, stream.as_raw())
    /// };
    /// assert_eq!(code, sys::CUresult::CUDA_SUCCESS);
    /// match stream.settle() {
    ///     Settled::Done => assert_eq!(*host, [1, 2, 3]),
    ///     Settled::Failed(error) | Settled::Faulted(error) => return Err(error),
    ///     Settled::Unknown(error) => {
    ///         std::mem::forget(host); // the device may still write to it
    ///         return Err(error);
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// See [`cuStreamSynchronize`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in NVIDIA's manual.
    #[doc(alias = "cuStreamSynchronize")]
    pub fn settle(&self) -> Settled {
        self.settle_or_fault().of(self.context())
    }

    /// Waits like [`settle`](Self::settle), but [`Settled::Faulted`] may be the fault of another
    /// context. The work may then continue.
    fn settle_or_fault(&self) -> Settled {
        settle_in(
            self.context(),
            [
                &|| self.synchronize(),
                &|| relaxed(|| self.synchronize()),
                &|| relaxed(|| self.record_uncaptured()?.synchronize()),
                &|| relaxed(|| self.context().synchronize()),
            ],
        )
    }

    /// Waits for the end of copies that use borrowed host memory, as [`Settled::or_abort`] does.
    /// After a fault of another context, the borrow also ends if the memory is pageable: the host
    /// makes such copies, and stops at the fault.
    ///
    /// # Errors
    /// Returns the error of the copies, or of the wait.
    pub(crate) fn end_borrow(&self, host: impl IntoIterator<Item = HostRange>) -> Result<()> {
        match self.settle_or_fault() {
            Settled::Faulted(error) if host.into_iter().all(HostRange::is_pageable) => Err(error),
            settled => settled.of(self.context()).or_abort(),
        }
    }

    /// Records an event that no capture records.
    pub(crate) fn record_uncaptured(&self) -> Result<Event> {
        let _uncaptured = self.enter_to_wait("Stream::record_event")?;
        self.record_event()
    }

    /// Waits for work that uses memory that will be freed. A fault is not an error here, and other
    /// calls report it.
    pub(crate) fn settle_or_leak(&self) -> Result<()> {
        discarding_errors(|| self.settle()).or_leak()
    }
}

impl Event {
    /// Waits until no work enqueued before the event uses memory any more.
    pub(crate) fn settle(&self) -> Settled {
        let settled = settle_in(
            self.context(),
            [
                &|| self.synchronize(),
                &|| relaxed(|| self.synchronize()),
                &|| relaxed(|| self.context().synchronize()),
            ],
        );
        settled.of(self.context())
    }
}

/// Host memory that a copy uses: the address and the length in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostRange {
    start: usize,
    bytes: usize,
}

impl HostRange {
    pub(crate) fn of<T>(host: *const [T]) -> Self {
        Self {
            start: host.cast::<T>().addr(),
            bytes: host.len() * size_of::<T>(),
        }
    }

    /// Returns whether the device can access neither the first byte of the memory nor the last.
    /// Works after a fault too.
    fn is_pageable(self) -> bool {
        let Some(last) = self.bytes.checked_sub(1) else {
            return true;
        };
        [self.start, self.start + last].iter().all(|address| {
            let mut kind: c_uint = 0;
            // SAFETY: this attribute is an integer. The driver looks up the address and does not
            // access it.
            let code = unsafe {
                sys::cuPointerGetAttribute(
                    (&raw mut kind).cast(),
                    CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                    *address as CUdeviceptr,
                )
            };
            code == CUresult::CUDA_ERROR_INVALID_VALUE
        })
    }
}
