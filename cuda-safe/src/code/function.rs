//! Kernels of modules: their parameters and attributes.

use std::{
    ffi::c_int,
    fmt,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicPtr, Ordering},
    },
};

use cuda_sys::{self as sys, CUfunction, CUresult};

use super::parameter::ArgumentType;
pub use crate::raw::code::FunctionAttribute;
use crate::{
    code::{
        module::Module,
        parameter::{ParameterInfo, ParameterKind},
    },
    context::{CacheConfig, Context, Limits},
    device::attribute::DeviceAttribute,
    driver::newer,
    error::{ErrorKind, Result},
    handle::{Handle, Kind, handle},
    stream::last::Number,
};

/// A kernel of a module. It keeps the module loaded. [`Function::launch`] launches it.
///
/// ```
/// # use cuda_safe::{Context, Module};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// let module = Module::compile(&context, r#"extern "C" __global__ void nothing(float *) {}"#)?;
/// let nothing = module.function("nothing")?;
/// assert_eq!(nothing.name(), "nothing");
/// assert_eq!(nothing.context(), &context);
/// assert_eq!(nothing.module().function_names()?, ["nothing"]);
/// # Ok(())
/// # }
/// ```
pub struct Function(Handle<Info>);

/// The data that a kernel's clones share.
struct Info {
    name: Box<str>,
    number: Number,
    /// A copy of the module's context, because each launch uses it.
    context: Context,
    /// A copy of the context's limits, for the same reason.
    limits: Limits,
    /// The address of the argument types that last matched the parameters. See `fits`.
    fitted: AtomicPtr<ArgumentType>,
    /// `None` if neither the driver nor PTX reports the parameters.
    parameters: OnceLock<Option<Box<[ParameterInfo]>>>,
    /// The parameters in the PTX from which the kernel was loaded.
    ptx: Option<Arc<[ParameterInfo]>>,
}

impl Kind for Info {
    type Raw = CUfunction;
    type Parent = Module;
    const NAME: &'static str = "Function";

    unsafe fn release(&self, _: CUfunction, _: &Module) -> Result<()> {
        Ok(()) // the module owns it
    }

    fn show(&self, raw: CUfunction, _: &Module, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Function({}, {raw:p})", self.name)
    }
}

handle!(Function, CUfunction);

impl Function {
    /// Wraps a raw kernel handle.
    ///
    /// A kernel is part of its module, so the `Function` does not release it. Error messages
    /// contain `name`.
    ///
    /// # Safety
    /// The caller must ensure that `raw` is a kernel of `module`.
    ///
    /// ```
    /// # use cuda_safe::{Context, Function, Module};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let module = Module::compile(&context, r#"extern "C" __global__ void nothing() {}"#)?;
    /// let raw = module.function("nothing")?.as_raw(); // for example, from a raw call
    /// // SAFETY: a kernel of this module.
    /// let nothing = unsafe { Function::borrow_raw(raw, "nothing", &module) };
    /// assert_eq!(nothing.as_raw(), raw);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub unsafe fn borrow_raw(raw: CUfunction, name: &str, module: &Module) -> Self {
        // SAFETY: guaranteed by the caller.
        unsafe { Self::with_ptx_parameters(module, raw, name, None) }
    }

    /// Wraps a raw kernel handle, with the parameters in its PTX if they are known.
    ///
    /// # Safety
    /// See [`borrow_raw`](Self::borrow_raw).
    pub(crate) unsafe fn with_ptx_parameters(
        module: &Module,
        raw: CUfunction,
        name: &str,
        ptx: Option<Arc<[ParameterInfo]>>,
    ) -> Self {
        let info = Info {
            name: name.into(),
            number: Number::of(name),
            context: module.context().clone(),
            limits: *module.context().limits(),
            fitted: AtomicPtr::new(std::ptr::null_mut()),
            parameters: OnceLock::new(),
            ptx,
        };
        // SAFETY: this function has the same contract. The handle keeps the module alive.
        Self(unsafe { Handle::new(raw, false, module.clone(), info) })
    }

    /// Returns the name under which the kernel was looked up.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.kind().name
    }

    #[inline]
    pub(crate) fn number(&self) -> &Number {
        &self.0.kind().number
    }

    /// Returns the module that the kernel belongs to.
    #[must_use]
    pub fn module(&self) -> &Module {
        self.0.parent()
    }

    /// Returns the context that the kernel is loaded into.
    #[must_use]
    #[inline]
    pub fn context(&self) -> &Context {
        &self.0.kind().context
    }

    #[inline]
    pub(crate) fn limits(&self) -> &Limits {
        &self.0.kind().limits
    }

    /// Returns the kernel's parameters in order. They are read only once.
    ///
    /// From CUDA 12.4 on, the driver reports offsets and sizes. The kinds come from the PTX if the
    /// kernel was loaded from PTX, as [`Module::compile`] and [`Module::from_ptx`] do. With an
    /// older driver, the offsets and sizes come from the PTX too. Returns `None` if neither source
    /// is available.
    ///
    /// See [`cuFuncGetParamInfo`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXEC.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the driver has the function and it fails, for example because the
    /// context is unusable after a fault.
    ///
    /// ```
    /// # use cuda_safe::{Context, Module};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let source = r#"extern "C" __global__ void k(char c, double d) {}"#;
    /// let k = Module::compile(&context, source)?.function("k")?;
    /// if let Some([c, d]) = k.parameters()? {
    ///     assert_eq!((c.offset, c.size, d.offset, d.size), (0, 1, 8, 8));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuFuncGetParamInfo")]
    pub fn parameters(&self) -> Result<Option<&[ParameterInfo]>> {
        if let Some(known) = self.0.kind().parameters.get() {
            return Ok(known.as_deref());
        }
        let read = self.read_parameters()?;
        Ok(self.0.kind().parameters.get_or_init(|| read).as_deref())
    }

    /// Returns whether arguments of these types fit the parameters. Also true if the parameters are
    /// unknown.
    ///
    /// The types are a constant of the tuple's type. Two constants with the same address and length
    /// are equal, so repeated launches only compare one address.
    #[inline]
    pub(crate) fn fits(&self, types: &'static [ArgumentType]) -> Result<bool> {
        if self.fitted(types) {
            return Ok(true);
        }
        self.check_types(types)
    }

    /// Returns whether these are the argument types that matched the parameters last time.
    #[inline]
    pub(crate) fn fitted(&self, types: &'static [ArgumentType]) -> bool {
        matches!(self.0.kind().parameters.get(), Some(Some(parameters)) if parameters.len() == types.len())
            && self.0.kind().fitted.load(Ordering::Relaxed) == types.as_ptr().cast_mut()
    }

    #[cold]
    fn check_types(&self, types: &'static [ArgumentType]) -> Result<bool> {
        let Some(parameters) = self.parameters()? else {
            return Ok(true);
        };
        let mut pairs = parameters.iter().zip(types);
        let fits = parameters.len() == types.len() && pairs.all(|(p, argument)| argument.fits(p));
        if fits {
            let place = types.as_ptr().cast_mut();
            self.0.kind().fitted.store(place, Ordering::Relaxed);
        }
        Ok(fits)
    }

    #[cold]
    fn read_parameters(&self) -> Result<Option<Box<[ParameterInfo]>>> {
        let ptx = self.0.kind().ptx.as_deref();
        let get_param_info = match newer::cuFuncGetParamInfo() {
            Ok(function) => function,
            // The driver does not have the function.
            Err(error) if *error.kind() == ErrorKind::Unsupported => {
                return Ok(ptx.map(Into::into));
            }
            Err(error) => return Err(error),
        };
        let _current = self.context().enter("cuFuncGetParamInfo")?;
        let mut parameters = Vec::new();
        loop {
            let (mut offset, mut size) = (0, 0);
            // SAFETY: the kernel is live, and both are valid for writing. The driver returns an
            // error for an index beyond the last parameter.
            match unsafe { get_param_info(self.as_raw(), parameters.len(), &mut offset, &mut size) }
            {
                CUresult::CUDA_SUCCESS => parameters.push(ParameterInfo {
                    offset,
                    size,
                    kind: ParameterKind::Unknown,
                }),
                CUresult::CUDA_ERROR_INVALID_VALUE => break,
                code => self.context().check("cuFuncGetParamInfo", code)?,
            }
        }
        // The driver is authoritative. The PTX is used only if it agrees.
        let places =
            |all: &[ParameterInfo]| -> Vec<_> { all.iter().map(|p| (p.offset, p.size)).collect() };
        let agrees = |ptx: &&[ParameterInfo]| places(ptx) == places(&parameters);
        let known = ptx.filter(agrees).map(Into::into);
        Ok(Some(known.unwrap_or_else(|| parameters.into())))
    }

    /// Returns the value of an attribute, in the unit that [`FunctionAttribute`] documents.
    ///
    /// See [`cuFuncGetAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXEC.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the driver does not know the attribute.
    ///
    /// ```
    /// # use cuda_safe::{Context, module::FunctionAttribute, Module};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let source = r#"extern "C" __global__ void turn(float *x) {
    ///     __shared__ float tile[256];
    ///     tile[threadIdx.x] = x[threadIdx.x];
    ///     __syncthreads();
    ///     x[threadIdx.x] = tile[255 - threadIdx.x]; }"#;
    /// let turn = Module::compile(&context, source)?.function("turn")?;
    /// assert!(turn.attribute(FunctionAttribute::SHARED_SIZE_BYTES)? >= 1024);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuFuncGetAttribute")]
    pub fn attribute(&self, attribute: FunctionAttribute) -> Result<i32> {
        let _current = self.context().enter("cuFuncGetAttribute")?;
        let mut value: c_int = 0;
        // SAFETY: the kernel is live, and `value` is valid for writing. The driver returns an error
        // for an unknown attribute.
        let code = unsafe {
            sys::cuFuncGetAttribute(
                &mut value,
                sys::CUfunction_attribute(attribute.0),
                self.as_raw(),
            )
        };
        self.context().check("cuFuncGetAttribute", code)?;
        Ok(value)
    }

    /// Sets an attribute. Only some attributes can be set.
    ///
    /// See [`cuFuncSetAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXEC.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the attribute cannot be set, or if the value is
    /// invalid.
    ///
    /// ```
    /// # use cuda_safe::{Context, module::FunctionAttribute, Module};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let source = r#"extern "C" __global__ void nothing() {}"#;
    /// let nothing = Module::compile(&context, source)?.function("nothing")?;
    /// nothing.set_attribute(FunctionAttribute::PREFERRED_SHARED_MEMORY_CARVEOUT, 50)?;
    /// assert!(nothing.set_attribute(FunctionAttribute::NUM_REGS, 16).is_err()); // read only
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuFuncSetAttribute")]
    pub fn set_attribute(&self, attribute: FunctionAttribute, value: i32) -> Result<()> {
        let _current = self.context().enter("cuFuncSetAttribute")?;
        // SAFETY: the kernel is live. The driver returns an error for an unknown attribute.
        let code = unsafe {
            sys::cuFuncSetAttribute(self.as_raw(), sys::CUfunction_attribute(attribute.0), value)
        };
        self.context()
            .check("cuFuncSetAttribute", code)
            .map_err(|error| match code {
                CUresult::CUDA_ERROR_INVALID_VALUE => error.with_detail(format!(
                    "attribute {attribute:?} of kernel `{}` cannot be set to {value}",
                    self.name()
                )),
                _ => error,
            })
    }

    /// Allows launches with up to `bytes` bytes of dynamic shared memory per block.
    ///
    /// Launches need this for more than 48 KiB.
    ///
    /// See [`cuFuncSetAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXEC.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::LaunchArguments`] if the device does not have this much for a block of
    /// this kernel.
    ///
    /// ```
    /// # use cuda_safe::{Context, module::FunctionAttribute, Module};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let source = r#"extern "C" __global__ void nothing() {}"#;
    /// let nothing = Module::compile(&context, source)?.function("nothing")?;
    /// nothing.set_max_dynamic_shared(64 << 10)?;
    /// let most = nothing.attribute(FunctionAttribute::MAX_DYNAMIC_SHARED_SIZE_BYTES)?;
    /// assert_eq!(most, 64 << 10);
    /// assert!(nothing.set_max_dynamic_shared(64 << 20).is_err()); // more than any device has
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuFuncSetAttribute")]
    pub fn set_max_dynamic_shared(&self, bytes: u32) -> Result<()> {
        let value = i32::try_from(bytes).unwrap_or(i32::MAX);
        self.set_attribute(FunctionAttribute::MAX_DYNAMIC_SHARED_SIZE_BYTES, value)
            .map_err(|error| match self.dynamic_shared_limit() {
                Some(most) if i64::from(bytes) > most => error
                    .with_kind(ErrorKind::LaunchArguments)
                    .with_detail(format!(
                        "{bytes} bytes of dynamic shared memory were requested for kernel `{}`, but it can have at \
                         most {most} on this device, in addition to its static shared memory",
                        self.name()
                    )),
                _ => error,
            })
    }

    /// Returns the maximum dynamic shared memory, in bytes, of a block of this kernel on this
    /// device.
    #[cold]
    pub(crate) fn dynamic_shared_limit(&self) -> Option<i64> {
        let device = self.context().device();
        let all = device.attribute(DeviceAttribute::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
        let fixed = self.attribute(FunctionAttribute::SHARED_SIZE_BYTES);
        Some(i64::from(all.ok()?) - i64::from(fixed.ok()?))
    }

    /// Sets the kernel's preference between shared memory and L1 cache. It is a hint.
    ///
    /// See [`cuFuncSetCacheConfig`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXEC.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the driver does not know the value. Returns an error
    /// if the context is unusable after a fault.
    ///
    /// ```
    /// # use cuda_safe::{context::CacheConfig, Context, Module};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let module = Module::compile(&context, r#"extern "C" __global__ void nothing() {}"#)?;
    /// assert!(module.function("nothing")?.set_cache_config(CacheConfig::L1).is_ok());
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuFuncSetCacheConfig")]
    pub fn set_cache_config(&self, config: CacheConfig) -> Result<()> {
        let _current = self.context().enter("cuFuncSetCacheConfig")?;
        // SAFETY: the kernel is live. The driver returns an error for an unknown value.
        let code = unsafe { sys::cuFuncSetCacheConfig(self.as_raw(), sys::CUfunc_cache(config.0)) };
        self.context().check("cuFuncSetCacheConfig", code)
    }
}
