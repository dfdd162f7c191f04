//! Global variables of a module.

use std::{fmt, marker::PhantomData};

use bytemuck::Pod;
use cuda_sys::CUdeviceptr;

use super::Module;
use crate::{
    DeviceSlice, DeviceSliceMut, DeviceView, DeviceViewMut, Owner,
    memory::{Sealed, Span, device_read_methods, device_write_methods},
};

/// A `__device__` or `__constant__` variable: `len` elements in the memory of a module, which it
/// keeps loaded. Made by [`Module::global`].
///
/// It belongs to no stream: what kernels do to it is ordered by the streams they run on. It is copied
/// and filled on streams of its own context only.
///
/// ```
/// # use cuda_safe::{Context, Module, Stream};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// let module = Module::compile(&context, "__constant__ float weights[3];
///     __global__ void k(float *x) { *x = weights[0]; }")?;
/// let mut weights = module.global::<f32>("weights", 3)?;
/// weights.copy_from_slice(&stream, &[0.25, 0.5, 0.25])?;
/// assert_eq!(weights.to_vec(&stream)?, [0.25, 0.5, 0.25]);
/// # Ok(())
/// # }
/// ```
pub struct Global<T: Pod> {
    ptr: CUdeviceptr,
    len: usize,
    module: Module,
    element: PhantomData<T>,
}

impl<T: Pod> Global<T> {
    /// # Safety
    /// `ptr` is memory of `module`, of `len` elements.
    pub(super) unsafe fn from_raw(module: &Module, ptr: CUdeviceptr, len: usize) -> Self {
        Self {
            ptr,
            len,
            module: module.clone(),
            element: PhantomData,
        }
    }

    /// The module that the variable is part of.
    #[must_use]
    pub fn module(&self) -> &Module {
        &self.module
    }

    fn span(&self) -> Span<'_> {
        Span {
            ptr: self.ptr,
            bytes: self.len * size_of::<T>(),
            owner: self.owner(),
        }
    }

    fn owner(&self) -> Owner<'_> {
        Owner::Context(self.module.context())
    }

    device_read_methods!(T, '_);
    device_write_methods!(T);
}

impl<T: Pod> Sealed for Global<T> {}

// SAFETY: `len` elements at `ptr` that live as long as the module, which is held.
unsafe impl<T: Pod> DeviceSlice<T> for Global<T> {
    fn view(&self) -> DeviceView<'_, T> {
        self.view()
    }
}

// SAFETY: as above.
unsafe impl<T: Pod> DeviceSliceMut<T> for Global<T> {
    fn view_mut(&mut self) -> DeviceViewMut<'_, T> {
        self.view_mut()
    }
}

impl<T: Pod> fmt::Debug for Global<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Global({:#x}, {} elements)", self.ptr, self.len)
    }
}
