//! Imported semaphores of other interfaces, such as Vulkan. Streams signal them and wait for them.

use std::ffi::c_uint;

use cuda_sys::{self as sys, CUexternalSemaphore, CUresult};

pub use crate::raw::share::ExternalSemaphoreKind;
use crate::{
    array::after_work,
    capture,
    context::Context,
    error::Result,
    handle::{Adopt, Handle, Kind, Sendable, handle},
    raw::{
        file::{self, OwnedFile},
        structures::{RawSemaphoreHandle, RawSemaphoreValue},
    },
    stream::Stream,
};

/// Semaphores and their values in the driver's representation.
pub(crate) struct RawValues {
    pub(crate) semaphores: Vec<CUexternalSemaphore>,
    pub(crate) values: Vec<RawSemaphoreValue>,
}

impl RawValues {
    /// Converts semaphores and their values.
    ///
    /// # Errors
    /// Returns an error if a semaphore does not belong to `context`.
    pub(crate) fn new(
        context: &Context,
        call: &'static str,
        given: &[(&ExternalSemaphore, u64)],
    ) -> Result<Self> {
        for (semaphore, _) in given {
            context.expect_same(
                semaphore.context(),
                call,
                "the stream or graph and the semaphore",
            )?;
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

/// A semaphore of another interface, imported into a context.
///
/// It orders the work of this process with the work of the other interface on the device, without
/// the host. For example, Vulkan draws an image and signals the semaphore, and a stream that waits
/// for it continues when the image is complete. The memory that both use is an
/// [`ExternalMemory`](crate::share::ExternalMemory).
///
/// Dropping the last reference waits for all work in the context, then destroys the semaphore. **If
/// a stream waits for a signal that never comes, this drop hangs,** as does every other call that
/// waits for the stream. This is not a memory safety violation.
///
/// ```no_run,ignore-windows
/// use std::os::fd::OwnedFd;
///
/// use cuda_safe::{Context, share::{ExternalSemaphore, ExternalSemaphoreKind}, Stream};
///
/// # fn exported_by_vulkan() -> OwnedFd { unimplemented!() }
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// let file: OwnedFd = exported_by_vulkan(); // vkGetSemaphoreFdKHR of a timeline semaphore
/// // SAFETY: Vulkan waits for 2 before it reads the stream's results, and signals 1 when the stream
/// // may write.
/// let semaphore =
///     unsafe { ExternalSemaphore::import(&context, ExternalSemaphoreKind::TIMELINE_FD, file)? };
/// stream.wait_semaphore(&semaphore, 1)?;
/// // ... kernels that write to the shared memory
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
        // SAFETY: this function's contract says that it is released once. Signals and waits must
        // have finished by then.
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
    /// Imports a semaphore from a file descriptor, or on Windows from a handle.
    ///
    /// The driver takes ownership of a file descriptor. If the import fails, it is closed. On Windows,
    /// the driver does not take ownership, and this call closes the handle.
    ///
    /// See [`cuImportExternalSemaphore`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXTRES__INTEROP.html) in NVIDIA's manual.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - the file is a semaphore of this kind for the context's device. The driver does not check
    ///   this: on an H200 (driver 580) it accepts the wrong kind, and any of its own objects as a
    ///   semaphore.
    /// - the other interface tolerates signals at any time and with any value, and waits that
    ///   consume a binary semaphore's signal. Signals and waits are safe calls. If the other
    ///   interface uses memory after a signal, the caller is responsible for the time of that
    ///   signal.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_UNKNOWN` if the file is not an object of the driver, and
    /// `CUDA_ERROR_INVALID_VALUE` if the operating system does not have this kind. Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if this thread's capture
    /// of a stream forbids the call. Returns
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the driver does not support
    /// this kind. For timeline semaphores, query the attribute
    /// `TIMELINE_SEMAPHORE_INTEROP_SUPPORTED`.
    #[doc(alias = "cuImportExternalSemaphore")]
    pub unsafe fn import(
        context: &Context,
        kind: ExternalSemaphoreKind,
        file: OwnedFile,
    ) -> Result<Self> {
        const CALL: &str = "cuImportExternalSemaphore";
        let _allowed = capture::reject_during_capture(
            "ExternalSemaphore::import",
            "import before the capture",
        )?;
        let description = RawSemaphoreHandle {
            kind: kind.0,
            file: [file::number(&file), 0],
            flags: 0,
            reserved: [0; 16],
        };
        let _current = context.enter("cuImportExternalSemaphore")?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: `raw` is valid for writing, and the description has the driver's layout. The
        // caller guarantees that the file is of this kind.
        let code =
            unsafe { sys::cuImportExternalSemaphore(&mut raw, (&raw const description).cast()) };
        if code == CUresult::CUDA_ERROR_NOT_SUPPORTED {
            return Err(context
                .error(CALL, code)
                .with_detail(format!("this driver does not import {kind:?}")));
        }
        context.check(CALL, code).map_err(|error| match code {
            CUresult::CUDA_ERROR_UNKNOWN => error.with_detail(
                "the file is not a semaphore of the device's driver. Fix: pass an opaque file that Vulkan exported on the same \
                 device",
            ),
            _ => error,
        })?;
        file::release_imported(file);
        // SAFETY: just created, and nothing else owns it.
        Ok(unsafe { Self::from_raw(raw, context) })
    }

    /// Returns the context that the semaphore was imported into.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.0.parent()
    }
}

impl Stream {
    /// Enqueues a signal of a semaphore.
    ///
    /// When all earlier work of the stream has finished, a timeline semaphore gets `value`, which
    /// must be greater than all earlier values. A binary semaphore ignores `value` and lets one
    /// wait pass.
    ///
    /// See [`cuSignalExternalSemaphoresAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXTRES__INTEROP.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`signal_semaphores`](Self::signal_semaphores).
    #[doc(alias = "cuSignalExternalSemaphoresAsync")]
    pub fn signal_semaphore(&self, semaphore: &ExternalSemaphore, value: u64) -> Result<()> {
        self.signal_semaphores(&[(semaphore, value)])
    }

    /// Enqueues a wait for a semaphore. The host does not wait.
    ///
    /// Later work of the stream runs when a timeline semaphore has `value` or a greater one. A
    /// binary semaphore ignores `value`: the wait ends when the semaphore is signaled, and
    /// consumes the signal.
    ///
    /// **If the signal never comes, the stream hangs forever,** and so does every call that waits
    /// for the stream.
    ///
    /// See [`cuWaitExternalSemaphoresAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXTRES__INTEROP.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`signal_semaphores`](Self::signal_semaphores).
    #[doc(alias = "cuWaitExternalSemaphoresAsync")]
    pub fn wait_semaphore(&self, semaphore: &ExternalSemaphore, value: u64) -> Result<()> {
        self.wait_semaphores(&[(semaphore, value)])
    }

    /// Enqueues signals of several semaphores with one call, each with its value.
    ///
    /// See [`signal_semaphore`](Self::signal_semaphore). Does nothing if `signals` is empty.
    ///
    /// See [`cuSignalExternalSemaphoresAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXTRES__INTEROP.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if a semaphore
    /// belongs to another context. Returns an error if the context is unusable after a fault.
    #[doc(alias = "cuSignalExternalSemaphoresAsync")]
    pub fn signal_semaphores(&self, signals: &[(&ExternalSemaphore, u64)]) -> Result<()> {
        const CALL: &str = "cuSignalExternalSemaphoresAsync";
        if signals.is_empty() {
            return Ok(());
        }
        let raw = RawValues::new(self.context(), CALL, signals)?;
        let _current = self.enter("cuSignalExternalSemaphoresAsync")?;
        // SAFETY: the semaphores and the stream are live. There are as many values as semaphores,
        // and the driver reads them now. The semaphores live until the stream has finished the
        // work: see `SemaphoreKind::release`.
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

    /// Enqueues waits for several semaphores with one call, each with its value.
    ///
    /// See [`wait_semaphore`](Self::wait_semaphore). Does nothing if `waits` is empty.
    ///
    /// See [`cuWaitExternalSemaphoresAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXTRES__INTEROP.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`signal_semaphores`](Self::signal_semaphores).
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
