//! Global variables of a module.

use cuda_sys::CUdeviceptr;

use super::Module;
use crate::{
    memory::{DeviceMemory, PlainData, Storage, StorageMut},
    stream::Owner,
};

/// A `__device__` or `__constant__` variable: `len` elements in the memory of a module, which it keeps loaded.
/// [`Module::global`] returns it.
///
/// It belongs to no stream: kernels that use it are ordered by the streams that they run on. It can be copied and
/// filled only on streams of its own context.
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

/// The memory of a module's variable: what a [`Global`] holds.
#[derive(Debug)]
pub struct ModuleVariable {
    ptr: CUdeviceptr,
    module: Module,
}

// SAFETY: memory of the module, which is kept loaded, and waits for its context before it is unloaded.
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

// SAFETY: as far as a variable that kernels use by name can be exclusive: their launch is `unsafe`, and a copy
// between two globals of the same variable is an error.
unsafe impl StorageMut for ModuleVariable {}

impl<T: PlainData> Global<T> {
    /// # Safety
    /// `ptr` is memory of `module`, of `len` aligned elements.
    pub(super) unsafe fn of_module(module: &Module, ptr: CUdeviceptr, len: usize) -> Self {
        let storage = ModuleVariable {
            ptr,
            module: module.clone(),
        };
        // SAFETY: as this function's contract says.
        unsafe { Self::from_storage(storage, len) }
    }

    /// The module that the variable belongs to.
    #[must_use]
    pub fn module(&self) -> &Module {
        &self.storage().module
    }
}
