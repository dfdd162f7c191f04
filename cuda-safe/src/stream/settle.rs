//! Waiting until the work of a stream no longer touches memory, also where the first way of waiting fails.

use std::ffi::c_uint;

use cuda_sys::{self as sys, CUdeviceptr, CUpointer_attribute, CUresult};

use super::{Stream, event::Event};
use crate::{
    capture::relaxed,
    context::{Settled, settle_in},
    error::{Result, fault::unheard},
};

impl Stream {
    /// Waits until nothing that was enqueued here so far touches memory any more. For callers who enqueue raw work on
    /// memory that they own or have borrowed.
    ///
    /// [`synchronize`](Self::synchronize) may fail while the work goes on: for want of memory, or because a stream is being
    /// captured. This method then tries other ways of waiting until one gives certainty: it waits again, for an event, and
    /// for the whole context. If another thread captures the stream, it waits for the end of the capture.
    ///
    /// After a fault nothing can wait any more. The result is [`Settled::Faulted`] if the process has had no other context,
    /// and [`Settled::Unknown`] otherwise. Contexts of other libraries count if this crate uses them, or if they are primary
    /// contexts.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, PinnedBuffer, Settled, Stream, sys};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// # let buffer = DeviceBuffer::from_slice(&stream, &[1u32, 2, 3])?;
    /// let mut host = PinnedBuffer::<u32>::zeroed(&context, 3)?;
    /// # context.set_current()?;
    /// // SAFETY: both have 12 bytes; `host` is left alone until the stream has settled.
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
    #[doc(alias = "cuStreamSynchronize")]
    pub fn settle(&self) -> Settled {
        self.settle_or_fault().of(self.context())
    }

    /// As [`settle`](Self::settle), but [`Settled::Faulted`] may be the fault of another context: then the work may go on.
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

    /// Waits for the end of copies to or from borrowed host memory, as [`Settled::or_abort`] does. After a fault of another
    /// context the borrow also ends if the memory is pageable: the host copies that, and stops at the fault.
    ///
    /// # Errors
    /// Returns the error of the copies, or of the wait.
    pub(crate) fn end_borrow(&self, host: impl IntoIterator<Item = HostRange>) -> Result<()> {
        match self.settle_or_fault() {
            Settled::Faulted(error) if host.into_iter().all(HostRange::is_pageable) => Err(error),
            settled => settled.of(self.context()).or_abort(),
        }
    }

    /// Records an event that no capture takes for its own.
    pub(crate) fn record_uncaptured(&self) -> Result<Event> {
        let _uncaptured = self.enter_to_wait("Stream::record_event")?;
        self.record_event()
    }

    /// For work that touches memory about to be given back. A fault is no error here, and is left for others to report.
    pub(crate) fn settle_or_leak(&self) -> Result<()> {
        unheard(|| self.settle()).or_leak()
    }
}

impl Event {
    /// Waits until nothing enqueued before the event touches memory any more.
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

/// Host memory that a copy uses: its address, and its length in bytes.
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

    /// Whether the device cannot reach the memory, neither its first byte nor its last. Works after a fault too.
    fn is_pageable(self) -> bool {
        let Some(last) = self.bytes.checked_sub(1) else {
            return true;
        };
        [self.start, self.start + last].iter().all(|address| {
            let mut kind: c_uint = 0;
            // SAFETY: this attribute is an integer; the driver looks the address up, and does not follow it.
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
