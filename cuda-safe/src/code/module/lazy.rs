//! When code is loaded: at once, or each kernel with its first use.

use cuda_sys::{self as sys, CUmoduleLoadingMode};

pub use crate::raw::code::LoadingMode;
use crate::{
    code::function::Function,
    driver::{self, newer},
    error::{Error, Result},
    raw::constants::LOADED,
};

/// When this driver loads code.
///
/// # Errors
/// [`ErrorKind::NoDevice`](crate::ErrorKind::NoDevice) as for [`driver::init`].
///
/// ```
/// use cuda_safe::module::{LoadingMode, loading_mode};
///
/// # fn main() -> cuda_safe::Result<()> {
/// if loading_mode()? == LoadingMode::LAZY {
///     println!("the first launch of each kernel loads it: `Function::load` does that before");
/// }
/// # Ok(())
/// # }
/// ```
#[doc(alias = "cuModuleGetLoadingMode")]
pub fn loading_mode() -> Result<LoadingMode> {
    driver::init()?;
    let mut mode = CUmoduleLoadingMode(0);
    // SAFETY: `mode` is valid for the write.
    driver::call("cuModuleGetLoadingMode", || unsafe {
        sys::cuModuleGetLoadingMode(&mut mode)
    })?;
    Ok(LoadingMode(mode.0))
}

impl Function {
    /// Whether the kernel's code is in the context already. Where the driver loads lazily, it may come with the first
    /// launch only.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) where the driver is older than CUDA 12.4.
    #[doc(alias = "cuFuncIsLoaded")]
    pub fn is_loaded(&self) -> Result<bool> {
        let is_loaded = newer::cuFuncIsLoaded()?;
        let _current = self.context().enter("cuFuncIsLoaded")?;
        let mut state = 0;
        // SAFETY: the kernel is live, `state` is valid for the write.
        let code = unsafe { is_loaded(&mut state, self.as_raw()) };
        self.context().check("cuFuncIsLoaded", code)?;
        Ok(state == LOADED)
    }

    /// Loads the kernel's code now, if it isn't there yet, so that the first launch takes no longer than others.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) where the driver is older than CUDA 12.4;
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) where the code has no place.
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
                "" => error.with_detail(format!("kernel `{}` can't be loaded", self.name())),
                _ => error,
            })
    }
}
