//! Kernels: what they need, and how they may be launched.

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

/// A kernel of a module, which it keeps loaded. [`Function::launch`] launches it.
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

/// What a kernel's clones share.
struct Info {
    name: Box<str>,
    number: Number,
    /// A copy of the module's, since each launch looks at it.
    context: Context,
    /// A copy of the context's, for the same reason.
    limits: Limits,
    /// The address of the argument types that last fitted the parameters; see `fits`.
    fitted: AtomicPtr<ArgumentType>,
    /// `None` if neither the driver nor PTX reports them.
    parameters: OnceLock<Option<Box<[ParameterInfo]>>>,
    /// What the PTX says from which the kernel was loaded.
    told: Option<Arc<[ParameterInfo]>>,
}

impl Kind for Info {
    type Raw = CUfunction;
    type Parent = Module;
    const NAME: &'static str = "Function";

    unsafe fn release(&self, _: CUfunction, _: &Module) -> Result<()> {
        Ok(()) // a part of its module
    }

    fn show(&self, raw: CUfunction, _: &Module, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Function({}, {raw:p})", self.name)
    }
}

handle!(Function, CUfunction);

impl Function {
    /// The kernel behind a raw handle. A kernel is a part of its module, so nobody releases it by itself. `name` is the
    /// name that messages show.
    ///
    /// # Safety
    /// `raw` is a kernel of `module`.
    ///
    /// ```
    /// # use cuda_safe::{Context, Function, Module};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let module = Module::compile(&context, r#"extern "C" __global__ void nothing() {}"#)?;
    /// let raw = module.function("nothing")?.as_raw(); // perhaps from a raw call
    /// // SAFETY: a kernel of this module.
    /// let nothing = unsafe { Function::borrow_raw(&module, raw, "nothing") };
    /// assert_eq!(nothing.as_raw(), raw);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub unsafe fn borrow_raw(module: &Module, raw: CUfunction, name: &str) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self::told_by_ptx(module, raw, name, None) }
    }

    /// # Safety
    /// As [`borrow_raw`](Self::borrow_raw).
    pub(crate) unsafe fn told_by_ptx(
        module: &Module,
        raw: CUfunction,
        name: &str,
        told: Option<Arc<[ParameterInfo]>>,
    ) -> Self {
        let info = Info {
            name: name.into(),
            number: Number::of(name),
            context: module.context().clone(),
            limits: *module.context().limits(),
            fitted: AtomicPtr::new(std::ptr::null_mut()),
            parameters: OnceLock::new(),
            told,
        };
        // SAFETY: as this function's contract says; the module is held.
        Self(unsafe { Handle::new(raw, false, module.clone(), info) })
    }

    /// The name by which the kernel was looked up.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.kind().name
    }

    #[inline]
    pub(crate) fn number(&self) -> &Number {
        &self.0.kind().number
    }

    /// The module that the kernel belongs to.
    #[must_use]
    pub fn module(&self) -> &Module {
        self.0.parent()
    }

    /// The context that the kernel is loaded into.
    #[must_use]
    #[inline]
    pub fn context(&self) -> &Context {
        &self.0.kind().context
    }

    #[inline]
    pub(crate) fn limits(&self) -> &Limits {
        &self.0.kind().limits
    }

    /// The kernel's parameters in order. Read once.
    ///
    /// Offsets and sizes come from the driver, from CUDA 12.4 on. Kinds come from the PTX from which
    /// the kernel was loaded, as [`Module::compile`] and [`Module::from_ptx`] do; with an older driver
    /// the sizes come from there too. `None` if neither reports them.
    ///
    /// # Errors
    /// The driver has the function but fails this time: the context is unusable after a fault, for
    /// instance.
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

    /// Whether arguments of these types fit the parameters; also true if these are not known.
    ///
    /// The types are a constant of the tuple's type. Constants at the same place and of the same
    /// length are equal, so that repeated launches compare one address.
    #[inline]
    pub(crate) fn fits(&self, types: &'static [ArgumentType]) -> Result<bool> {
        if self.fitted(types) {
            return Ok(true);
        }
        self.fits_at_first(types)
    }

    /// Whether these types were compared with the parameters last time, and fitted.
    #[inline]
    pub(crate) fn fitted(&self, types: &'static [ArgumentType]) -> bool {
        matches!(self.0.kind().parameters.get(), Some(Some(parameters)) if parameters.len() == types.len())
            && self.0.kind().fitted.load(Ordering::Relaxed) == types.as_ptr().cast_mut()
    }

    #[cold]
    fn fits_at_first(&self, types: &'static [ArgumentType]) -> Result<bool> {
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
        let told = self.0.kind().told.as_deref();
        let get_param_info = match newer::cuFuncGetParamInfo() {
            Ok(function) => function,
            // Definite: the driver has no such function.
            Err(error) if *error.kind() == ErrorKind::Unsupported => {
                return Ok(told.map(Into::into));
            }
            Err(error) => return Err(error),
        };
        let _current = self.context().enter("cuFuncGetParamInfo")?;
        let mut parameters = Vec::new();
        loop {
            let (mut offset, mut size) = (0, 0);
            // SAFETY: the kernel is live, both are valid for the write; an index beyond the last
            // parameter is refused.
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
        // The driver is right. PTX is believed where it says the same.
        let places =
            |all: &[ParameterInfo]| -> Vec<_> { all.iter().map(|p| (p.offset, p.size)).collect() };
        let agrees = |told: &&[ParameterInfo]| places(told) == places(&parameters);
        let known = told.filter(agrees).map(Into::into);
        Ok(Some(known.unwrap_or_else(|| parameters.into())))
    }

    /// The value of an attribute, in the unit that the [`FunctionAttribute`] documents.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` where the driver does not know the attribute.
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
        // SAFETY: the kernel is live, `value` is valid for the write; an unknown attribute is
        // refused.
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

    /// Sets an attribute. Only some of them can be set.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` where the attribute can't be set, or not to this value.
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
        // SAFETY: the kernel is live; an unknown attribute is refused.
        let code = unsafe {
            sys::cuFuncSetAttribute(self.as_raw(), sys::CUfunction_attribute(attribute.0), value)
        };
        self.context()
            .check("cuFuncSetAttribute", code)
            .map_err(|error| match code {
                CUresult::CUDA_ERROR_INVALID_VALUE => error.with_detail(format!(
                    "kernel `{}` can't have {value} for attribute {attribute:?}",
                    self.name()
                )),
                _ => error,
            })
    }

    /// Allows launches with up to `bytes` of dynamic shared memory per block. Needed for more than 48 KiB.
    ///
    /// # Errors
    /// [`ErrorKind::LaunchArguments`] for more than the device has for a block of this kernel.
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
    /// assert!(nothing.set_max_dynamic_shared(64 << 20).is_err()); // no device has as much
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
                        "{bytes} bytes of dynamic shared memory for kernel `{}`, which can have {most} \
                         on this device, beside its static shared memory",
                        self.name()
                    )),
                _ => error,
            })
    }

    /// The most bytes of dynamic shared memory that the device has for a block of this kernel.
    #[cold]
    pub(crate) fn dynamic_shared_limit(&self) -> Option<i64> {
        let device = self.context().device();
        let all = device.attribute(DeviceAttribute::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
        let fixed = self.attribute(FunctionAttribute::SHARED_SIZE_BYTES);
        Some(i64::from(all.ok()?) - i64::from(fixed.ok()?))
    }

    /// Sets the kernel's preference between shared memory and L1 cache: a hint.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a value that the driver does not know. The context is unusable after a fault.
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
        // SAFETY: the kernel is live; an unknown value is refused.
        let code = unsafe { sys::cuFuncSetCacheConfig(self.as_raw(), sys::CUfunc_cache(config.0)) };
        self.context().check("cuFuncSetCacheConfig", code)
    }
}
