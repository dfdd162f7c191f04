//! Memory in a stream's order whose release doesn't keep that order: it waits for the stream first.

use std::{fmt, mem};

use cuda_sys::{CUdeviceptr, CUresult};

use crate::{
    capture::{relaxed, release},
    error::{Result, fault::unheard},
    stream::Stream,
};

/// How memory is given back.
pub(crate) trait Release: Clone + fmt::Debug + Send + 'static {
    /// Gives it back once; the driver call's name, and its code. The context is current.
    ///
    /// # Safety
    /// The memory is live, and nothing uses it any more.
    unsafe fn release(&self, ptr: CUdeviceptr, stream: &Stream) -> (&'static str, CUresult);
}

/// `cuMemFree`
#[derive(Clone, Copy, Debug)]
pub(crate) struct Free;

impl Release for Free {
    unsafe fn release(&self, ptr: CUdeviceptr, _stream: &Stream) -> (&'static str, CUresult) {
        // SAFETY: as this function's contract says.
        ("cuMemFree_v2", unsafe { cuda_sys::cuMemFree_v2(ptr) })
    }
}

/// The owner of an address, 0 where there is no memory. Dropping it waits for the stream.
#[derive(Debug)]
pub(crate) struct Waited<R: Release> {
    ptr: CUdeviceptr,
    stream: Stream,
    release: R,
}

impl<R: Release> Waited<R> {
    /// # Safety
    /// `ptr` is 0, or memory of the stream's context that is given back by `release` and by nobody else.
    pub(crate) unsafe fn new(ptr: CUdeviceptr, stream: &Stream, release: R) -> Self {
        Self {
            ptr,
            stream: stream.clone(),
            release,
        }
    }

    #[inline]
    pub(crate) fn ptr(&self) -> CUdeviceptr {
        self.ptr
    }

    #[inline]
    pub(crate) fn stream(&self) -> &Stream {
        &self.stream
    }

    pub(crate) fn release(&self) -> &R {
        &self.release
    }

    /// Gives the address to the caller, who gives the memory back.
    pub(crate) fn into_raw(mut self) -> CUdeviceptr {
        mem::take(&mut self.ptr)
    }

    pub(crate) fn close(mut self) -> Result<()> {
        self.free()
    }

    fn free(&mut self) -> Result<()> {
        let ptr = mem::take(&mut self.ptr);
        if ptr == 0 {
            return Ok(());
        }
        let (stream, how) = (self.stream.clone(), self.release.clone());
        release(&self.stream, move || {
            if let Err(error) = stream.settle_or_leak() {
                // What the memory is a part of is kept with it.
                mem::forget(how);
                return Err(error);
            }
            let context = stream.context();
            let _current = context.enter("cuMemFree_v2")?;
            // SAFETY: owned, and given back once; nothing runs that could use it.
            let (call, code) = relaxed(|| unsafe { how.release(ptr, &stream) });
            context.check(call, code)
        })
    }
}

impl<R: Release> Drop for Waited<R> {
    fn drop(&mut self) {
        // An error here can't be acted upon; `close` reports it.
        let _ = unheard(|| self.free());
    }
}

/// The storage that users see, over a [`Waited`]. Whoever makes one vouches for what [`Storage`](crate::memory::Storage) and
/// [`StorageMut`](crate::memory::StorageMut) ask for.
macro_rules! waited {
    ($(#[$doc:meta])* pub struct $name:ident($release:ty), $label:literal) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name($crate::memory::waited::Waited<$release>);

        // SAFETY: memory of the stream's context; given back when the stream's work is over.
        unsafe impl $crate::memory::Storage for $name {
            const NAME: &'static str = $label;

            #[inline]
            fn as_device_ptr(&self) -> cuda_sys::CUdeviceptr {
                self.0.ptr()
            }

            #[inline]
            fn owner(&self) -> $crate::stream::Owner<'_> {
                $crate::stream::Owner::Stream(self.0.stream())
            }
        }

        // SAFETY: memory of its own; of memory that others reach, whoever made this has promised that they leave it alone.
        unsafe impl $crate::memory::StorageMut for $name {}

        impl $crate::memory::OwnedStorage for $name {
            fn close(self) -> $crate::error::Result<()> {
                self.0.close()
            }
        }
    };
}

pub(crate) use waited;
