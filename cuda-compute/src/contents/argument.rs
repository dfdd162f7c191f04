//! Arrays as arguments of kernels.

use std::ffi::c_void;

use cuda_safe::{
    Owner, Stream,
    launch::{HasLength, KernelArgument},
    typed::{Readable, Writable},
};

use crate::{
    array::Array,
    element::Element,
    error::{Error, Result},
};

/// The bytes of an argument, and the stream that the array belongs to.
#[derive(Debug)]
pub struct Staged<'a, B> {
    bytes: B,
    owner: &'a Stream,
}

impl<'a, B> Staged<'a, B> {
    /// Stages an argument for a launch on `stream`.
    pub(super) fn new(bytes: B, owner: &'a Stream, stream: &Stream) -> cuda_safe::Result<Self> {
        // An address has no meaning for a kernel in another context.
        if owner.context() != stream.context() {
            let text = "the stream and an array belong to different contexts. Fix: launch on a stream of the array's context";
            return Err(cuda_safe::Error::launch_argument(text));
        }
        Ok(Self { bytes, owner })
    }

    #[inline]
    pub(super) fn pointers(&mut self) -> [*mut c_void; 1] {
        [(&raw mut self.bytes).cast()]
    }

    pub(super) fn owner(&self) -> Option<Owner<'_>> {
        Some(Owner::Stream(self.owner))
    }
}

/// Converts an error of an array to an error of the launch.
fn of_launch<T>(result: Result<T>) -> cuda_safe::Result<T> {
    result.map_err(|error| match error {
        Error::Cuda(error) => error,
        other => cuda_safe::Error::launch_argument(other.to_string()),
    })
}

// SAFETY: the pointer points to the address of the array's memory, which is freed in the order of
// the array's stream.
unsafe impl<'a, T: Element> KernelArgument for &'a Array<T> {
    type Staged = Staged<'a, u64>;
    type Pointers = [*mut c_void; 1];
    const SIZE: usize = size_of::<u64>();
    const ORDERED: bool = true;

    unsafe fn stage(self, stream: &Stream) -> cuda_safe::Result<Self::Staged> {
        let address = of_launch(self.view())?.as_device_ptr();
        Staged::new(address, self.stream(), stream)
    }

    fn pointers(staged: &mut Self::Staged) -> [*mut c_void; 1] {
        staged.pointers()
    }

    fn owner(staged: &Self::Staged) -> Option<Owner<'_>> {
        staged.owner()
    }
}

// SAFETY: as above. Nothing else shares the memory, because `view_mut` copies it otherwise.
unsafe impl<'a, T: Element> KernelArgument for &'a mut Array<T> {
    type Staged = Staged<'a, u64>;
    type Pointers = [*mut c_void; 1];
    const SIZE: usize = size_of::<u64>();
    const ORDERED: bool = true;

    unsafe fn stage(self, stream: &Stream) -> cuda_safe::Result<Self::Staged> {
        let address = of_launch(self.view_mut())?.as_device_ptr();
        Staged::new(address, self.stream(), stream)
    }

    fn pointers(staged: &mut Self::Staged) -> [*mut c_void; 1] {
        staged.pointers()
    }

    fn owner(staged: &Self::Staged) -> Option<Owner<'_>> {
        staged.owner()
    }
}

// SAFETY: the address is that of a contiguous array, which has this many elements.
unsafe impl<T: Element> HasLength for &Array<T> {
    fn length(&self) -> usize {
        self.len()
    }
}

// SAFETY: as above.
unsafe impl<T: Element> HasLength for &mut Array<T> {
    fn length(&self) -> usize {
        self.len()
    }
}

// SAFETY: the argument is the address of these elements.
unsafe impl<T: Element> Readable<T> for &Array<T> {}
// SAFETY: as above. The array is exclusively borrowed and shares its memory with nothing.
unsafe impl<T: Element> Writable<T> for &mut Array<T> {}
