//! Host slices as arguments. The launch copies them to the device and back.

use std::{ffi::c_void, marker::PhantomData};

use cuda_sys::CUdeviceptr;

use super::arguments::KernelArgument;
use crate::{
    DeviceBuffer,
    error::{Result, fault::discarding_errors},
    memory::{PlainData, enqueue_download, enqueue_upload},
    stream::{Stream, settle::HostRange},
};

/// A host slice that the kernel reads. The launch copies it to the device before the kernel runs.
///
/// ```
/// # use cuda_safe::{Context, In, LaunchConfig, Module, Out, Stream};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// let source = r#"extern "C" __global__ void negate(int *out, const int *in) {
///     out[threadIdx.x] = -in[threadIdx.x]; }"#;
/// let negate = Module::compile(&context, source)?.function("negate")?;
/// let (a, mut b) = ([1, 2, 3], [0; 3]);
/// // SAFETY: three threads, each of which reads and writes one of three ints.
/// unsafe { negate.launch(&stream, LaunchConfig::new(1, 3), (Out(&mut b), In(&a)))? };
/// assert_eq!(b, [-1, -2, -3]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct In<'a, T: PlainData>(pub &'a [T]);

/// A host slice that the kernel writes. The launch copies it back after the kernel has run.
///
/// Elements that the kernel does not write become unspecified.
///
/// ```
/// # use cuda_safe::{Context, LaunchConfig, Module, Out, Stream};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// let source = r#"extern "C" __global__ void count(int *x) { x[threadIdx.x] = threadIdx.x; }"#;
/// let count = Module::compile(&context, source)?.function("count")?;
/// let mut x = [0; 4];
/// // SAFETY: four threads, each of which writes one of four ints.
/// unsafe { count.launch(&stream, LaunchConfig::new(1, 4), (Out(&mut x),))? };
/// assert_eq!(x, [0, 1, 2, 3]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Out<'a, T: PlainData>(pub &'a mut [T]);

/// A host slice that the kernel reads and writes. The launch copies it to the device and back.
///
/// ```
/// # use cuda_safe::{Context, InOut, LaunchConfig, Module, Stream};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// let source = r#"extern "C" __global__ void twice(float *x) { x[threadIdx.x] *= 2; }"#;
/// let twice = Module::compile(&context, source)?.function("twice")?;
/// let mut x = [1.0f32, 2.0, 3.0];
/// // SAFETY: three threads, each of which changes one of three floats.
/// unsafe { twice.launch(&stream, LaunchConfig::new(1, 3), (InOut(&mut x),))? };
/// assert_eq!(x, [2.0, 4.0, 6.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct InOut<'a, T: PlainData>(pub &'a mut [T]);

/// The method that the errors of these copies name.
const CALL: &str = "Function::launch";

/// A host slice's copy on the device.
pub struct Staged<'a, T: PlainData> {
    buffer: DeviceBuffer<T>,
    ptr: CUdeviceptr,
    /// The destination of the result, or null if nothing is copied back.
    host: *mut [T],
    /// The borrowed memory.
    borrowed: HostRange,
    settled: bool,
    borrow: PhantomData<&'a mut [T]>,
}

impl<T: PlainData> Staged<'_, T> {
    fn new(stream: &Stream, borrowed: *const [T], host: *mut [T]) -> Result<Self> {
        let buffer = DeviceBuffer::uninit(stream, borrowed.len())?;
        let ptr = buffer.as_device_ptr();
        Ok(Self {
            buffer,
            ptr,
            host,
            borrowed: HostRange::of(borrowed),
            settled: false,
            borrow: PhantomData,
        })
    }

    /// Enqueues a copy of `host` to the buffer.
    ///
    /// # Safety
    /// The caller must ensure that `host` stays readable until the value is settled or dropped.
    unsafe fn upload(self, stream: &Stream, host: *const [T]) -> Result<Self> {
        // SAFETY: guaranteed by the caller. Dropping the value waits, even after a failure here.
        unsafe { enqueue_upload(CALL, self.buffer.span(), stream, host)? };
        Ok(self)
    }
}

impl<T: PlainData> Drop for Staged<'_, T> {
    fn drop(&mut self) {
        if !self.settled {
            // A copy may still use the host slice. The earlier failure has already been reported.
            let _ = discarding_errors(|| self.buffer.stream().end_borrow([self.borrowed]));
        }
    }
}

// SAFETY: the pointer points to a device address.
unsafe impl<'a, T: PlainData> KernelArgument for In<'a, T> {
    type Staged = Staged<'a, T>;
    type Pointers = [*mut c_void; 1];
    const SIZE: usize = size_of::<CUdeviceptr>();
    const WAITS: bool = true;

    unsafe fn stage(self, stream: &Stream) -> Result<Self::Staged> {
        let nothing = std::ptr::slice_from_raw_parts_mut(std::ptr::null_mut(), 0);
        // SAFETY: the slice is borrowed for as long as the staged value exists.
        unsafe { Staged::new(stream, self.0, nothing)?.upload(stream, self.0) }
    }

    fn pointers(staged: &mut Self::Staged) -> [*mut c_void; 1] {
        [(&raw mut staged.ptr).cast()]
    }

    unsafe fn settle(staged: &mut Self::Staged) {
        staged.settled = true;
    }
}

/// Implements the parts that [`Out`] and [`InOut`] have in common.
macro_rules! copied_back {
    ($type:ident, $stage:expr) => {
        // SAFETY: the pointer points to a device address.
        unsafe impl<'a, T: PlainData> KernelArgument for $type<'a, T> {
            type Staged = Staged<'a, T>;
            type Pointers = [*mut c_void; 1];
            const SIZE: usize = size_of::<CUdeviceptr>();
            const WAITS: bool = true;

            unsafe fn stage(self, stream: &Stream) -> Result<Self::Staged> {
                let stage: fn(Staged<'a, T>, &Stream) -> Result<Staged<'a, T>> = $stage;
                stage(Staged::new(stream, self.0, self.0)?, stream)
            }

            fn pointers(staged: &mut Self::Staged) -> [*mut c_void; 1] {
                [(&raw mut staged.ptr).cast()]
            }

            unsafe fn unstage(staged: &mut Self::Staged, stream: &Stream) -> Result<()> {
                // SAFETY: the slice is exclusively borrowed for as long as the staged value exists.
                unsafe { enqueue_download(CALL, staged.buffer.span(), stream, staged.host) }
            }

            unsafe fn settle(staged: &mut Self::Staged) {
                staged.settled = true;
            }
        }
    };
}

copied_back!(Out, |staged, _| Ok(staged));
copied_back!(InOut, |staged, stream| {
    let host = staged.host;
    // SAFETY: the slice is exclusively borrowed for as long as the staged value exists.
    unsafe { staged.upload(stream, host) }
});
