//! Events of other processes.

use std::ptr;

use cuda_sys::{self as sys, CUresult};

use crate::{
    context::Context,
    error::{ErrorKind, Result},
    raw::bytes::bytes,
    stream::event::Event,
};

bytes! {
    /// A handle by which another process on this host opens an event, with [`Event::open`]. It may be sent as plain bytes.
    #[doc(alias = "CUipcEventHandle")]
    pub struct IpcEventHandle of CUipcEventHandle
}

impl Event {
    /// A handle by which other processes on this host open the event, with [`open`](Self::open). The event has to be one
    /// for other processes: [`EventOptions::interprocess`](crate::EventOptions). It has to be kept until the last use that
    /// others make of it, and until their work that waits for it is over.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_HANDLE` for any other event, and for one that was itself opened.
    ///
    /// ```
    /// # use cuda_safe::{Context, Event, EventOptions, share::IpcEventHandle};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let event = Event::with_options(&context, EventOptions::default().interprocess(true))?;
    /// let bytes: [u8; 64] = event.ipc_handle()?.to_bytes();
    /// // ... sent over a pipe; there, unsafe { Event::open(&context, &handle) }
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
        // SAFETY: `raw` is valid for the write; the event is live.
        let code = unsafe { sys::cuIpcGetEventHandle(&mut raw, self.as_raw()) };
        context
            .check("cuIpcGetEventHandle", code)
            .map_err(|error| match code {
                CUresult::CUDA_ERROR_INVALID_HANDLE => error.with_detail(
                    "the event wasn't made here for other processes (EventOptions::interprocess)",
                ),
                _ => error,
            })?;
        Ok(IpcEventHandle::from_raw(raw))
    }

    /// Opens an event of another process on this host. Both may record it, wait for it and query it; what one has recorded
    /// the other's streams wait for.
    ///
    /// An event that a process has recorded, and not reached when it is killed, stays unreached: on a GPU, streams that wait
    /// for it wait for ever.
    ///
    /// # Safety
    /// The process that has made the event keeps it until this one, and all clones of it, are used for the last time, and
    /// until work that waits for it is over: what is done with it once it was destroyed there is undefined. Dropping it is
    /// no use.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for bytes that are no handle, and for an event of this process itself.
    ///
    /// ```no_run
    /// use cuda_safe::{Context, Event, share::IpcEventHandle, Stream};
    ///
    /// # fn receive() -> [u8; 64] { [0; 64] }
    /// # fn main() -> cuda_safe::Result<()> {
    /// let context = Context::primary(0)?;
    /// let stream = Stream::new(&context)?;
    /// let handle = IpcEventHandle::from_bytes(receive());
    /// // SAFETY: the other process keeps the event until it is told that this one has ended.
    /// let theirs = unsafe { Event::open(&context, &handle)? };
    /// stream.wait_event(&theirs)?; // what is enqueued from here on comes after the other process's work
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuIpcOpenEventHandle")]
    pub unsafe fn open(context: &Context, handle: &IpcEventHandle) -> Result<Self> {
        let _current = context.enter("cuIpcOpenEventHandle")?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write; the driver looks at the handle; the caller vouches for the event.
        let code = unsafe { sys::cuIpcOpenEventHandle(&mut raw, handle.raw()) };
        context
            .check("cuIpcOpenEventHandle", code)
            .map_err(|error| {
                let detail = match code {
                    CUresult::CUDA_ERROR_INVALID_CONTEXT => {
                        "the event is this process's own: use it as it is"
                    }
                    CUresult::CUDA_ERROR_MAP_FAILED | CUresult::CUDA_ERROR_INVALID_VALUE => {
                        "the bytes are no handle of an event that is there"
                    }
                    _ => return error,
                };
                error
                    .with_kind(ErrorKind::InvalidArgument)
                    .with_detail(detail)
            })?;
        // SAFETY: just opened in this context, and owned by nobody else.
        Ok(unsafe { Self::from_raw(context, raw) })
    }
}
