//! Looks up the kernels and variables of a module.

use std::ptr;

use cuda_sys::{self as sys, CUresult};

use super::{Global, Module, check_variable, names};
use crate::{
    code::function::Function,
    error::{Error, Result},
    memory::PlainData,
};

impl Module {
    /// Returns the kernel with this name.
    ///
    /// For `extern "C"` kernels, `name` is the name in the source. For other kernels, it is the
    /// mangled name or a name expression with which the program was compiled.
    ///
    /// See [`cuModuleGetFunction`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MODULE.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`](crate::ErrorKind::NotFound), with a list of the module's
    /// kernels, if there is no such kernel. Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the name contains a NUL
    /// character.
    ///
    /// ```
    /// # use cuda_safe::{Context, Module};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let module = Module::compile(&context, r#"extern "C" __global__ void nothing() {}"#)?;
    /// assert_eq!(module.function("nothing")?.name(), "nothing");
    /// let error = module.function("something").unwrap_err();
    /// assert!(error.detail().contains("it has nothing"));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuModuleGetFunction")]
    pub fn function(&self, name: &str) -> Result<Function> {
        const CALL: &str = "cuModuleGetFunction";
        let linked = self.names().c_name(name, CALL)?;
        let _current = self.context().enter("cuModuleGetFunction")?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for writing, the name is NUL-terminated, and the module is live.
        let code = unsafe { sys::cuModuleGetFunction(&mut raw, self.as_raw(), linked.as_ptr()) };
        if code == CUresult::CUDA_ERROR_NOT_FOUND {
            return Err(self.not_found(CALL, code, "kernel", name));
        }
        self.context().check(CALL, code)?;
        let ptx = self.names().ptx_parameters(&linked);
        // SAFETY: a kernel of this module. The function keeps the module alive.
        Ok(unsafe { Function::with_ptx_parameters(self, raw, name, ptx) })
    }

    /// Returns a `__device__` or `__constant__` variable with `len` elements of `T`. `name` can be
    /// a name expression.
    ///
    /// See [`cuModuleGetGlobal`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MODULE.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if the module has no such
    /// variable. Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if its
    /// size is not that of `len` elements, or if its address is not aligned for `T`.
    ///
    /// ```
    /// # use cuda_safe::{Context, Module, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let module = Module::compile(&context, "__device__ int table[2] = {3, 4};
    ///     __global__ void k(int *x) { *x = table[0]; }")?;
    /// assert_eq!(module.global::<i32>("table", 2)?.to_vec(&stream)?, [3, 4]);
    /// assert!(module.global::<i32>("table", 3).is_err()); // it has another size
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuModuleGetGlobal")]
    pub fn global<T: PlainData>(&self, name: &str, len: usize) -> Result<Global<T>> {
        const CALL: &str = "cuModuleGetGlobal_v2";
        let linked = self.names().c_name(name, CALL)?;
        let _current = self.context().enter("cuModuleGetGlobal_v2")?;
        let (mut ptr, mut bytes) = (0, 0);
        // SAFETY: both are valid for writing, the name is NUL-terminated, and the module is live.
        let code = unsafe {
            sys::cuModuleGetGlobal_v2(&mut ptr, &mut bytes, self.as_raw(), linked.as_ptr())
        };
        if code == CUresult::CUDA_ERROR_NOT_FOUND {
            return Err(self.not_found(CALL, code, "global variable", name));
        }
        self.context().check(CALL, code)?;
        check_variable::<T>(CALL, name, (ptr, bytes), len)?;
        // SAFETY: `len` aligned elements of device memory that live as long as the module.
        Ok(unsafe { Global::of_module(self, ptr, len) })
    }

    /// Returns the linked names of the module's kernels. For C++ they are mangled.
    ///
    /// See [`cuModuleEnumerateFunctions`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MODULE.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the driver is older
    /// than CUDA 12.4 and the module was not loaded from PTX.
    ///
    /// ```
    /// # use cuda_safe::{Context, Module};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let module = Module::compile(&context, r#"extern "C" __global__ void nothing() {}"#)?;
    /// assert_eq!(module.function_names()?, ["nothing"]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuModuleEnumerateFunctions")]
    pub fn function_names(&self) -> Result<Vec<String>> {
        names::enumerate(self).or_else(|error| self.names().entries.clone().ok_or(error))
    }

    #[cold]
    fn not_found(&self, call: &'static str, code: CUresult, what: &str, name: &str) -> Error {
        let kernels = match what {
            "kernel" => self.function_names().unwrap_or_default(),
            _ => Vec::new(),
        };
        self.names()
            .not_found(call, code, "module", what, name, kernels)
    }
}
