//! Memory that is ordered by a stream, but whose release must wait for the stream.

use std::{fmt, mem};

use cuda_sys::{CUdeviceptr, CUresult};

use crate::{
    capture::{relaxed, release},
    error::{Result, fault::discarding_errors},
    stream::Stream,
};

/// A way to free memory.
pub(crate) trait Release: Clone + fmt::Debug + Send + 'static {
    /// Frees the memory, and returns the name of the driver call and its code. The context is
    /// current.
    ///
    /// # Safety
    /// The caller must ensure that the memory is live, is not used any more, and is freed only
    /// once.
    unsafe fn release(&self, ptr: CUdeviceptr, stream: &Stream) -> (&'static str, CUresult);
}

/// Frees by `cuMemFree`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Free;

impl Release for Free {
    unsafe fn release(&self, ptr: CUdeviceptr, _stream: &Stream) -> (&'static str, CUresult) {
        // SAFETY: guaranteed by this function's contract.
        ("cuMemFree_v2", unsafe { cuda_sys::cuMemFree_v2(ptr) })
    }
}

/// The owner of an address, which is 0 if there is no memory. Dropping it waits for the stream.
#[derive(Debug)]
pub(crate) struct Waited<R: Release> {
    ptr: CUdeviceptr,
    stream: Stream,
    release: R,
}

impl<R: Release> Waited<R> {
    /// Creates storage that waits for its stream before `release` frees it.
    ///
    /// # Safety
    /// The caller must ensure that `ptr` is 0, or memory of the stream's context that only
    /// `release` frees.
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

    /// Returns the address to the caller, who then must free the memory.
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
                // The memory stays allocated, so its parent must stay, too.
                mem::forget(how);
                return Err(error);
            }
            let context = stream.context();
            let _current = context.enter("cuMemFree_v2")?;
            // SAFETY: the memory is owned and freed once, and no running work uses it.
            let (call, code) = relaxed(|| unsafe { how.release(ptr, &stream) });
            context.check(call, code)
        })
    }
}

impl<R: Release> Drop for Waited<R> {
    fn drop(&mut self) {
        // `drop` cannot return an error. `close` does.
        let _ = discarding_errors(|| self.free());
    }
}

/// Defines a public storage type over [`Waited`]. Its creator must meet the requirements of
/// [`Storage`](crate::memory::Storage) and [`StorageMut`](crate::memory::StorageMut).
macro_rules! waited {
    ($(#[$doc:meta])* pub struct $name:ident($release:ty), $label:literal) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name($crate::memory::waited::Waited<$release>);

        // SAFETY: the memory belongs to the stream's context and is freed after the stream's work.
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

        // SAFETY: the memory is owned. If others can reach it, the storage's creator has promised
        // that they do not use it.
        unsafe impl $crate::memory::StorageMut for $name {}

        impl $crate::memory::OwnedStorage for $name {
            fn close(self) -> $crate::error::Result<()> {
                self.0.close()
            }
        }
    };
}

pub(crate) use waited;
