//! Global variables of a module.

use cuda_sys::CUdeviceptr;

use super::Module;
use crate::{
    memory::{DeviceMemory, PlainData, Storage, StorageMut},
    stream::Owner,
};

/// A `__device__` or `__constant__` variable with `len` elements.
///
/// It is memory of a module and keeps the module loaded. [`Module::global`] returns it. It belongs
/// to no stream: the streams of the kernels that use it determine the order. It can be copied and
/// filled only on streams of its context.
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
pub type Global<T> = DeviceMemory<ModuleVariable, T>;

/// The memory of a module's variable. A [`Global`] holds it.
#[derive(Debug)]
pub struct ModuleVariable {
    ptr: CUdeviceptr,
    module: Module,
}

// SAFETY: memory of the module, which stays loaded and waits for its context before it is unloaded.
unsafe impl Storage for ModuleVariable {
    const NAME: &'static str = "Global";

    #[inline]
    fn as_device_ptr(&self) -> CUdeviceptr {
        self.ptr
    }

    #[inline]
    fn owner(&self) -> Owner<'_> {
        Owner::Context(self.module.context())
    }
}

// SAFETY: the memory is as exclusive as a variable that kernels use by name can be. Their launches
// are `unsafe`, and a copy between two globals of the same variable returns an error.
unsafe impl StorageMut for ModuleVariable {}

impl<T: PlainData> Global<T> {
    /// Creates the global of a variable of a module.
    ///
    /// # Safety
    /// The caller must ensure that `ptr` is memory of `module` with `len` aligned elements.
    pub(super) unsafe fn of_module(module: &Module, ptr: CUdeviceptr, len: usize) -> Self {
        let storage = ModuleVariable {
            ptr,
            module: module.clone(),
        };
        // SAFETY: this function has the same contract.
        unsafe { Self::from_storage(storage, len) }
    }

    /// Returns the module that the variable belongs to.
    #[must_use]
    pub fn module(&self) -> &Module {
        &self.storage().module
    }
}
