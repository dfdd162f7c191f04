//! Lazy loading: the driver loads code at once, or each kernel when it is first used.

use cuda_sys::{self as sys, CUmoduleLoadingMode};

pub use crate::raw::code::LoadingMode;
use crate::{
    code::function::Function,
    driver::{self, newer},
    error::{Error, Result},
    raw::constants::LOADED,
};

/// Returns the driver's loading mode.
///
/// See [`cuModuleGetLoadingMode`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MODULE.html) in NVIDIA's manual.
///
/// # Errors
/// Returns [`ErrorKind::NoDevice`](crate::ErrorKind::NoDevice) if [`driver::init`] fails.
///
/// ```
/// use cuda_safe::module::{LoadingMode, loading_mode};
///
/// # fn main() -> cuda_safe::Result<()> {
/// if loading_mode()? == LoadingMode::LAZY {
///     println!("the first launch loads each kernel. Use `Function::load` to load it earlier");
/// }
/// # Ok(())
/// # }
/// ```
#[doc(alias = "cuModuleGetLoadingMode")]
pub fn loading_mode() -> Result<LoadingMode> {
    driver::init()?;
    let mut mode = CUmoduleLoadingMode(0);
    // SAFETY: `mode` is valid for writing.
    driver::call("cuModuleGetLoadingMode", || unsafe {
        sys::cuModuleGetLoadingMode(&mut mode)
    })?;
    Ok(LoadingMode(mode.0))
}

impl Function {
    /// Returns whether the kernel's code is loaded in the context.
    ///
    /// With lazy loading, the driver may load it only at the first launch.
    ///
    /// See [`cuFuncIsLoaded`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXEC.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the driver is older
    /// than CUDA 12.4.
    #[doc(alias = "cuFuncIsLoaded")]
    pub fn is_loaded(&self) -> Result<bool> {
        let is_loaded = newer::cuFuncIsLoaded()?;
        let _current = self.context().enter("cuFuncIsLoaded")?;
        let mut state = 0;
        // SAFETY: the kernel is live, and `state` is valid for writing.
        let code = unsafe { is_loaded(&mut state, self.as_raw()) };
        self.context().check("cuFuncIsLoaded", code)?;
        Ok(state == LOADED)
    }

    /// Loads the kernel's code if it is not loaded yet, so that the first launch takes no longer
    /// than others.
    ///
    /// See [`cuFuncLoad`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXEC.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the driver is older
    /// than CUDA 12.4, and [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) if the device
    /// has no memory for the code.
    ///
    /// ```
    /// # use cuda_safe::{Context, Module};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let module = Module::compile(&context, r#"extern "C" __global__ void nothing() {}"#)?;
    /// let nothing = module.function("nothing")?;
    /// nothing.load()?;
    /// assert!(nothing.is_loaded()?);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuFuncLoad")]
    pub fn load(&self) -> Result<()> {
        let load = newer::cuFuncLoad()?;
        let _current = self.context().enter("cuFuncLoad")?;
        // SAFETY: the kernel is live.
        let code = unsafe { load(self.as_raw()) };
        self.context()
            .check("cuFuncLoad", code)
            .map_err(|error: Error| match error.detail() {
                "" => error.with_detail(format!("cannot load kernel `{}`", self.name())),
                _ => error,
            })
    }
}
