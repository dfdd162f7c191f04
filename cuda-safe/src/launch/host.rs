//! Host slices that travel with a launch.

use std::{ffi::c_void, marker::PhantomData};

use bytemuck::Pod;
use cuda_sys::CUdeviceptr;

use super::arguments::{KernelArgument, sealed::Sealed};
use crate::{
    DeviceBuffer,
    error::Result,
    memory::{device_to_host_enqueue, host_to_device_enqueue},
    stream::Stream,
};

/// A host slice that the kernel reads: copied to the device before the launch.
#[derive(Clone, Copy, Debug)]
pub struct In<'a, T>(pub &'a [T]);

/// A host slice that the kernel writes: copied back after the launch. What the kernel leaves
/// unwritten is unspecified.
#[derive(Debug)]
pub struct Out<'a, T>(pub &'a mut [T]);

/// A host slice that the kernel reads and writes: copied both ways.
#[derive(Debug)]
pub struct InOut<'a, T>(pub &'a mut [T]);

/// A host slice's stand-in on the device.
pub struct Staged<'a, T: Pod> {
    buffer: DeviceBuffer<T>,
    ptr: CUdeviceptr,
    /// Where the result goes; null when nothing is copied back.
    host: *mut [T],
    settled: bool,
    borrow: PhantomData<&'a mut [T]>,
}

impl<T: Pod> Staged<'_, T> {
    fn new(stream: &Stream, len: usize, host: *mut [T]) -> Result<Self> {
        let buffer = DeviceBuffer::uninit(stream, len)?;
        let ptr = buffer.as_device_ptr();
        Ok(Self {
            buffer,
            ptr,
            host,
            settled: false,
            borrow: PhantomData,
        })
    }

    /// # Safety
    /// `host` stays readable until this is settled or dropped.
    unsafe fn upload(self, stream: &Stream, host: *const [T]) -> Result<Self> {
        // SAFETY: the caller's promise; dropping waits, also after a failure here.
        unsafe { host_to_device_enqueue(self.buffer.span(), stream, host)? };
        Ok(self)
    }
}

impl<T: Pod> Drop for Staged<'_, T> {
    fn drop(&mut self) {
        if !self.settled {
            // A copy may still use the host slice. A failure means a fault, after which the device
            // no longer touches it.
            let _ = self.buffer.stream().synchronize();
        }
    }
}

impl<T> Sealed for In<'_, T> {}
// SAFETY: the pointer is that of a device address.
unsafe impl<'a, T: Pod> KernelArgument for In<'a, T> {
    type Staged = Staged<'a, T>;
    const SIZE: usize = size_of::<CUdeviceptr>();
    const WAITS: bool = true;

    fn stage(self, stream: &Stream) -> Result<Self::Staged> {
        let nothing = std::ptr::slice_from_raw_parts_mut(std::ptr::null_mut(), 0);
        // SAFETY: the slice is borrowed for as long as the stand-in exists.
        unsafe { Staged::new(stream, self.0.len(), nothing)?.upload(stream, self.0) }
    }

    fn pointer(staged: &mut Self::Staged) -> *mut c_void {
        (&raw mut staged.ptr).cast()
    }

    fn settle(staged: &mut Self::Staged) {
        staged.settled = true;
    }
}

/// What [`Out`] and [`InOut`] do alike.
macro_rules! copied_back {
    ($type:ident, $stage:expr) => {
        impl<T> Sealed for $type<'_, T> {}
        // SAFETY: the pointer is that of a device address.
        unsafe impl<'a, T: Pod> KernelArgument for $type<'a, T> {
            type Staged = Staged<'a, T>;
            const SIZE: usize = size_of::<CUdeviceptr>();
            const WAITS: bool = true;

            fn stage(self, stream: &Stream) -> Result<Self::Staged> {
                let stage: fn(Staged<'a, T>, &Stream) -> Result<Staged<'a, T>> = $stage;
                stage(Staged::new(stream, self.0.len(), self.0)?, stream)
            }

            fn pointer(staged: &mut Self::Staged) -> *mut c_void {
                (&raw mut staged.ptr).cast()
            }

            fn unstage(staged: &mut Self::Staged, stream: &Stream) -> Result<()> {
                // SAFETY: the slice is exclusively borrowed for as long as the stand-in exists.
                unsafe { device_to_host_enqueue(staged.buffer.span(), stream, staged.host) }
            }

            fn settle(staged: &mut Self::Staged) {
                staged.settled = true;
            }
        }
    };
}

copied_back!(Out, |staged, _| Ok(staged));
copied_back!(InOut, |staged, stream| {
    let host = staged.host;
    // SAFETY: the slice is exclusively borrowed for as long as the stand-in exists.
    unsafe { staged.upload(stream, host) }
});
