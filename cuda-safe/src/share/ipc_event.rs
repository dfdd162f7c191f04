//! Events shared with other processes.

use std::ptr;

use cuda_sys::{self as sys, CUresult};

use crate::{
    context::Context,
    error::{ErrorKind, Result},
    raw::bytes::bytes,
    stream::event::Event,
};

bytes! {
    /// A handle with which another process on this host can open an event, using [`Event::open`].
    /// It can be sent as plain bytes.
    #[doc(alias = "CUipcEventHandle")]
    pub struct IpcEventHandle of CUipcEventHandle
}

impl Event {
    /// Returns a handle with which other processes on this host can [`open`](Self::open) the event.
    ///
    /// The event must have been created with [`EventOptions::interprocess`](crate::EventOptions).
    /// Keep it alive until the other processes have used it for the last time and their work that
    /// waits for it has finished.
    ///
    /// See [`cuIpcGetEventHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_HANDLE` if the event was created without this option or was
    /// opened from another process.
    ///
    /// ```ignore-windows
    /// # use cuda_safe::{Context, Event, EventOptions, share::IpcEventHandle};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let event = Event::with_options(&context, EventOptions::default().interprocess(true))?;
    /// let bytes: [u8; 64] = event.ipc_handle()?.to_bytes();
    /// // ... send the bytes over a pipe. The other process calls unsafe { Event::open(&context, &handle) }
    /// assert!(Event::new(&context)?.ipc_handle().is_err());
    /// # assert_eq!(IpcEventHandle::from_bytes(bytes), event.ipc_handle()?);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuIpcGetEventHandle")]
    pub fn ipc_handle(&self) -> Result<IpcEventHandle> {
        let context = self.context();
        let _current = context.enter("cuIpcGetEventHandle")?;
        let mut raw = sys::CUipcEventHandle::default();
        // SAFETY: `raw` is valid for writing, and the event is live.
        let code = unsafe { sys::cuIpcGetEventHandle(&mut raw, self.as_raw()) };
        context
            .check("cuIpcGetEventHandle", code)
            .map_err(|error| match code {
                CUresult::CUDA_ERROR_INVALID_HANDLE => error.with_detail(
                    "the event was not created in this process with EventOptions::interprocess",
                ),
                _ => error,
            })?;
        Ok(IpcEventHandle::from_raw(raw))
    }

    /// Opens an event of another process on this host.
    ///
    /// Both processes can record, query and wait for the event. The streams of each process wait
    /// for records of the other.
    ///
    /// If a process is killed after it has recorded the event and before the event has completed,
    /// the event never completes. On a GPU, streams that wait for it then wait forever.
    ///
    /// See [`cuIpcOpenEventHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Safety
    /// The caller must ensure that the process that created the event keeps it until the last use
    /// of this event and its clones, and until work that waits for it has finished. Using the event
    /// after it was destroyed in the other process is undefined behavior. Dropping it is always
    /// allowed.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if the bytes are not a valid handle, or if the event
    /// belongs to this process.
    ///
    /// ```no_run
    /// use cuda_safe::{Context, Event, share::IpcEventHandle, Stream};
    ///
    /// # fn receive() -> [u8; 64] { [0; 64] }
    /// # fn main() -> cuda_safe::Result<()> {
    /// let context = Context::primary(0)?;
    /// let stream = Stream::new(&context)?;
    /// let handle = IpcEventHandle::from_bytes(receive());
    /// // SAFETY: the other process keeps the event until it learns that this one has ended.
    /// let theirs = unsafe { Event::open(&context, &handle)? };
    /// stream.wait_event(&theirs)?; // later work runs after the other process's work
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuIpcOpenEventHandle")]
    pub unsafe fn open(context: &Context, handle: &IpcEventHandle) -> Result<Self> {
        let _current = context.enter("cuIpcOpenEventHandle")?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for writing, and the driver checks the handle. The caller
        // guarantees that the event exists.
        let code = unsafe { sys::cuIpcOpenEventHandle(&mut raw, handle.raw()) };
        context
            .check("cuIpcOpenEventHandle", code)
            .map_err(|error| {
                let detail = match code {
                    CUresult::CUDA_ERROR_INVALID_CONTEXT => {
                        "the event belongs to this process. Fix: use it directly"
                    }
                    CUresult::CUDA_ERROR_MAP_FAILED | CUresult::CUDA_ERROR_INVALID_VALUE => {
                        "the bytes are not a handle of an existing event"
                    }
                    _ => return error,
                };
                error
                    .with_kind(ErrorKind::InvalidArgument)
                    .with_detail(detail)
            })?;
        // SAFETY: just opened in this context, and nothing else owns it.
        Ok(unsafe { Self::from_raw(raw, context) })
    }
}
