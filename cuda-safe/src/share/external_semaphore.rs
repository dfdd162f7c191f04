//! Semaphores of other interfaces, such as Vulkan: imported, signalled by streams, and waited for.

use std::{
    ffi::c_uint,
    os::fd::{AsRawFd, IntoRawFd, OwnedFd},
};

use cuda_sys::{self as sys, CUexternalSemaphore, CUresult};

pub use crate::raw::share::ExternalSemaphoreKind;
use crate::{
    array::after_work,
    capture,
    context::Context,
    error::Result,
    handle::{Adopt, Handle, Kind, Sendable, handle},
    raw::structures::{RawSemaphoreHandle, RawSemaphoreValue},
    stream::Stream,
};

/// Semaphores and their values, as the driver takes them.
pub(crate) struct RawValues {
    pub(crate) semaphores: Vec<CUexternalSemaphore>,
    pub(crate) values: Vec<RawSemaphoreValue>,
}

impl RawValues {
    /// # Errors
    /// A semaphore of another context than `context`.
    pub(crate) fn new(
        context: &Context,
        call: &'static str,
        given: &[(&ExternalSemaphore, u64)],
    ) -> Result<Self> {
        for (semaphore, _) in given {
            context.expect_same(semaphore.context(), call, "what is given and the semaphore")?;
        }
        let value = |&(_, value): &(_, u64)| RawSemaphoreValue {
            value,
            others: [0; 8],
            flags: 0,
            reserved: [0; 16],
        };
        Ok(Self {
            semaphores: given.iter().map(|(one, _)| one.as_raw()).collect(),
            values: given.iter().map(value).collect(),
        })
    }

    pub(crate) fn count(&self) -> c_uint {
        self.semaphores.len() as c_uint
    }
}

/// A semaphore of another interface, imported into a context: streams signal it, and wait for it.
///
/// It orders what this process does on a device with what the other interface does there, without the host: Vulkan draws,
/// signals, and a stream that waits goes on when the picture is drawn. What both use is an
/// [`ExternalMemory`](crate::share::ExternalMemory).
///
/// It is destroyed when the last reference to it goes, after all work of the context, for which that waits. **Where a stream
/// waits for a signal that never comes, that hangs,** as all waiting for the stream does: that is no memory unsafety.
///
/// ```no_run
/// use std::os::fd::OwnedFd;
///
/// use cuda_safe::{Context, share::{ExternalSemaphore, ExternalSemaphoreKind}, Stream};
///
/// # fn exported_by_vulkan() -> OwnedFd { unimplemented!() }
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// let file: OwnedFd = exported_by_vulkan(); // vkGetSemaphoreFdKHR of a timeline semaphore
/// // SAFETY: Vulkan's work waits for 2 before it reads what the stream writes, and signals 1 when the stream may write.
/// let semaphore =
///     unsafe { ExternalSemaphore::import(&context, ExternalSemaphoreKind::TIMELINE_FD, file)? };
/// stream.wait_semaphore(&semaphore, 1)?;
/// // ... kernels that write to memory that both share
/// stream.signal_semaphore(&semaphore, 2)?;
/// # Ok(())
/// # }
/// ```
#[doc(alias = "CUexternalSemaphore")]
pub struct ExternalSemaphore(Handle<SemaphoreKind>);

struct SemaphoreKind;

impl Kind for SemaphoreKind {
    type Raw = CUexternalSemaphore;
    type Parent = Context;
    const NAME: &'static str = "ExternalSemaphore";

    unsafe fn release(&self, raw: CUexternalSemaphore, context: &Context) -> Result<()> {
        let raw = Sendable(raw);
        // SAFETY: released once, by this function's contract. Signals and waits must be over by then.
        unsafe {
            after_work(context, "cuDestroyExternalSemaphore", (), move || {
                sys::cuDestroyExternalSemaphore(raw.get())
            })
        }
    }
}

impl Adopt for SemaphoreKind {
    fn adopt(_: CUexternalSemaphore) -> Self {
        Self
    }
}

handle!(ExternalSemaphore, CUexternalSemaphore, released by "cuDestroyExternalSemaphore", made in Context);

impl ExternalSemaphore {
    /// Imports a semaphore by a file, which is the driver's from then on; it is closed if that fails.
    ///
    /// # Safety
    /// The file is a semaphore of that kind, for the context's device: an H200's driver (580) takes one kind for the other, and
    /// any object of its own for a semaphore. The other interface
    /// copes with what is signalled here, at any time and with any value, and with waits that take a binary semaphore's
    /// signal: signals and waits are safe calls. Where it uses memory on account of a signal, whoever imports answers for
    /// when that signal is given.
    ///
    /// # Errors
    /// `CUDA_ERROR_UNKNOWN` for a file that is nothing of the driver's. `CUDA_ERROR_INVALID_VALUE` for a kind that the system does
    /// not have. [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) while this thread captures a stream. [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for one that the
    /// driver lacks (timelines: the attribute `TIMELINE_SEMAPHORE_INTEROP_SUPPORTED`).
    #[doc(alias = "cuImportExternalSemaphore")]
    pub unsafe fn import(
        context: &Context,
        kind: ExternalSemaphoreKind,
        file: OwnedFd,
    ) -> Result<Self> {
        const CALL: &str = "cuImportExternalSemaphore";
        let _allowed =
            capture::refuse_here("ExternalSemaphore::import", "import before the capture")?;
        let description = RawSemaphoreHandle {
            kind: kind.0,
            file: [u64::from(file.as_raw_fd().cast_unsigned()), 0],
            flags: 0,
            reserved: [0; 16],
        };
        let _current = context.enter("cuImportExternalSemaphore")?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: `raw` is valid for the write, the description of the driver's layout; the caller vouches for the file.
        let code =
            unsafe { sys::cuImportExternalSemaphore(&mut raw, (&raw const description).cast()) };
        if code == CUresult::CUDA_ERROR_NOT_SUPPORTED {
            return Err(context
                .error(CALL, code)
                .with_detail(format!("this driver does not import {kind:?}")));
        }
        context.check(CALL, code).map_err(|error| match code {
            CUresult::CUDA_ERROR_UNKNOWN => error.with_detail(
                "the file is no semaphore of the device's driver: one that Vulkan exports as an opaque file is, on the same \
                 device",
            ),
            _ => error,
        })?;
        let _ = file.into_raw_fd(); // the driver's now
        // SAFETY: just made, and owned by nobody else.
        Ok(unsafe { Self::from_raw(context, raw) })
    }

    /// The context that it was imported into.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.0.parent()
    }
}

impl Stream {
    /// Enqueues a signal: when the stream has done what it was given before, a timeline semaphore gets the value, which is
    /// greater than those before; a binary one, whose value is not looked at, lets a wait pass.
    ///
    /// # Errors
    /// As [`signal_semaphores`](Self::signal_semaphores).
    #[doc(alias = "cuSignalExternalSemaphoresAsync")]
    pub fn signal_semaphore(&self, semaphore: &ExternalSemaphore, value: u64) -> Result<()> {
        self.signal_semaphores(&[(semaphore, value)])
    }

    /// Enqueues a wait: what the stream is given from now on runs when a timeline semaphore has the value or a greater one; for
    /// a binary one, whose value is not looked at, when it is signalled, which the wait takes back. The host does not wait.
    ///
    /// **If that never happens, the stream hangs for ever,** and with it whoever waits for it.
    ///
    /// # Errors
    /// As [`signal_semaphores`](Self::signal_semaphores).
    #[doc(alias = "cuWaitExternalSemaphoresAsync")]
    pub fn wait_semaphore(&self, semaphore: &ExternalSemaphore, value: u64) -> Result<()> {
        self.wait_semaphores(&[(semaphore, value)])
    }

    /// Signals several semaphores, in one call, each with its value: see [`signal_semaphore`](Self::signal_semaphore).
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a semaphore of another context. The context is unusable after a fault.
    #[doc(alias = "cuSignalExternalSemaphoresAsync")]
    pub fn signal_semaphores(&self, signals: &[(&ExternalSemaphore, u64)]) -> Result<()> {
        const CALL: &str = "cuSignalExternalSemaphoresAsync";
        if signals.is_empty() {
            return Ok(());
        }
        let raw = RawValues::new(self.context(), CALL, signals)?;
        let _current = self.enter("cuSignalExternalSemaphoresAsync")?;
        // SAFETY: live semaphores and a live stream; as many values, which the driver reads now. The semaphores stay until
        // the stream has done it: see `SemaphoreKind::release`.
        let code = unsafe {
            sys::cuSignalExternalSemaphoresAsync(
                raw.semaphores.as_ptr(),
                raw.values.as_ptr().cast(),
                raw.count(),
                self.as_raw(),
            )
        };
        self.check(CALL, code)
    }

    /// Waits for several semaphores, in one call, each with its value: see [`wait_semaphore`](Self::wait_semaphore).
    ///
    /// # Errors
    /// As [`signal_semaphores`](Self::signal_semaphores).
    #[doc(alias = "cuWaitExternalSemaphoresAsync")]
    pub fn wait_semaphores(&self, waits: &[(&ExternalSemaphore, u64)]) -> Result<()> {
        const CALL: &str = "cuWaitExternalSemaphoresAsync";
        if waits.is_empty() {
            return Ok(());
        }
        let raw = RawValues::new(self.context(), CALL, waits)?;
        let _current = self.enter("cuWaitExternalSemaphoresAsync")?;
        // SAFETY: as in `signal_semaphores`.
        let code = unsafe {
            sys::cuWaitExternalSemaphoresAsync(
                raw.semaphores.as_ptr(),
                raw.values.as_ptr().cast(),
                raw.count(),
                self.as_raw(),
            )
        };
        self.check(CALL, code)
    }
}
