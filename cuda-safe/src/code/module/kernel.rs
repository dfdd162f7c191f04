//! Kernels of libraries, which do not belong to a context.

use std::{
    ffi::{CStr, c_int},
    fmt, ptr,
    sync::Arc,
};

use cuda_sys::{self as sys, CUkernel, CUresult};

use super::{Library, library::explained_by_log};
use crate::{
    code::{
        function::{Function, FunctionAttribute},
        parameter::{ParameterInfo, ParameterKind},
    },
    context::{CacheConfig, Context},
    device::Device,
    driver::{self, callback, newer},
    error::{Error, ErrorKind, Result},
    handle::{Handle, Kind, handle},
};

/// A kernel of a [`Library`]. It keeps the library loaded. [`Library::kernel`] returns it.
///
/// It belongs to no context. [`Kernel::function`] returns a [`Function`] for one context, which can
/// be launched there. Settings for a device apply to all of its contexts, unless a [`Function`]
/// overrides them.
///
/// ```
/// # use cuda_safe::{Context, Device, module::FunctionAttribute, LaunchConfig, Library, Out, Stream};
/// # fn main() -> cuda_safe::Result<()> {
/// let device = Device::get(0)?;
/// let library = Library::compile(device, r#"extern "C" __global__ void one(int *x) { *x = 1; }"#)?;
/// let one = library.kernel("one")?;
/// assert!(one.attribute(device, FunctionAttribute::NUM_REGS)? > 0);
///
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// let mut x = [0i32];
/// // SAFETY: the kernel writes one number.
/// unsafe { one.function(&context)?.launch(&stream, LaunchConfig::new(1, 1), (Out(&mut x),))? };
/// assert_eq!(x, [1]);
/// # Ok(())
/// # }
/// ```
pub struct Kernel(Handle<KernelKind>);

/// The data that a kernel's clones share.
struct KernelKind {
    name: Box<str>,
    /// The parameters in the PTX from which the library was loaded.
    ptx: Option<Arc<[ParameterInfo]>>,
}

impl Kind for KernelKind {
    type Raw = CUkernel;
    type Parent = Library;
    const NAME: &'static str = "Kernel";

    unsafe fn release(&self, _: CUkernel, _: &Library) -> Result<()> {
        Ok(()) // the library owns it
    }

    fn show(&self, raw: CUkernel, _: &Library, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kernel({}, {raw:p})", self.name)
    }
}

handle!(Kernel, CUkernel);

impl Kernel {
    /// Wraps a raw kernel handle.
    ///
    /// A kernel is part of its library, so the `Kernel` does not release it. `name` is shown in
    /// error messages.
    ///
    /// # Safety
    /// The caller must ensure that `raw` is a kernel of `library`.
    #[must_use]
    pub unsafe fn borrow_raw(raw: CUkernel, name: &str, library: &Library) -> Self {
        // SAFETY: guaranteed by the caller.
        unsafe { Self::with_ptx_parameters(library, raw, name, None) }
    }

    /// Wraps a raw kernel handle, with the parameters in its PTX if they are known.
    ///
    /// # Safety
    /// See [`borrow_raw`](Self::borrow_raw).
    pub(super) unsafe fn with_ptx_parameters(
        library: &Library,
        raw: CUkernel,
        name: &str,
        ptx: Option<Arc<[ParameterInfo]>>,
    ) -> Self {
        let kind = KernelKind {
            name: name.into(),
            ptx,
        };
        // SAFETY: this function has the same contract. The handle keeps the library alive.
        Self(unsafe { Handle::new(raw, false, library.clone(), kind) })
    }

    /// Returns the name under which the kernel was looked up.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.kind().name
    }

    /// Returns the library that the kernel belongs to.
    #[must_use]
    pub fn library(&self) -> &Library {
        self.0.parent()
    }

    /// Returns the kernel's linked name. For C++ this is the mangled name.
    ///
    /// See [`cuKernelGetName`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LIBRARY.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] if the driver is older than CUDA 12.3.
    ///
    /// ```
    /// # use cuda_safe::{Device, Library, Program};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let program = Program::new("template <int N> __global__ void fill(int *x) { *x = N; }")
    ///     .name_expression("fill<3>");
    /// let fill = Library::compile(Device::get(0)?, program)?.kernel("fill<3>")?;
    /// assert_eq!(fill.name(), "fill<3>");
    /// assert!(fill.linked_name()?.contains("fill"));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuKernelGetName")]
    pub fn linked_name(&self) -> Result<String> {
        // SAFETY: the handle keeps the kernel's library alive.
        unsafe { linked_name(self.as_raw()) }
    }

    /// Returns the kernel in a context, where it can be launched.
    ///
    /// The first call for a context loads the library into it. From then on the library keeps the
    /// context alive until the library itself is unloaded. Each further call makes two driver
    /// calls.
    ///
    /// See [`cuKernelGetFunction`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LIBRARY.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Load`] if the library has no code for the context's device, or if the
    /// driver has to compile the library's PTX for it and fails.
    #[doc(alias = "cuKernelGetFunction")]
    pub fn function(&self, context: &Context) -> Result<Function> {
        const CALL: &str = "cuKernelGetFunction";
        let module = self.library().module(context)?;
        let _current = context.enter("cuKernelGetFunction")?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for writing, and the kernel's library is alive.
        let code = unsafe { sys::cuKernelGetFunction(&mut raw, self.as_raw()) };
        if code != CUresult::CUDA_SUCCESS {
            let error = context.error(CALL, code);
            return Err(explained_by_log(self.library(), error, code));
        }
        let ptx = self.0.kind().ptx.clone();
        // SAFETY: the kernel's function in the library's module. The function keeps the module
        // alive.
        Ok(unsafe { Function::with_ptx_parameters(&module, raw, self.name(), ptx) })
    }

    /// Returns the kernel's parameters in order, as [`Function::parameters`] does.
    ///
    /// From CUDA 12.4 on, the driver reports offsets and sizes, for which it needs a context. The
    /// kinds come from the PTX that the library was loaded from. Returns `None` if neither source
    /// is available. Each call reads the parameters again.
    ///
    /// See [`cuKernelGetParamInfo`, `cuKernelGetParamCount`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LIBRARY.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the driver's error if it fails to report the parameters, for example because the
    /// library has no code for the context's device.
    ///
    /// ```
    /// # use cuda_safe::{Context, Library};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let source = r#"extern "C" __global__ void k(char c, double d) {}"#;
    /// let k = Library::compile(context.device(), source)?.kernel("k")?;
    /// if let Some([c, d]) = k.parameters(&context)?.as_deref() {
    ///     assert_eq!((c.offset, c.size, d.offset, d.size), (0, 1, 8, 8));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuKernelGetParamInfo")]
    #[doc(alias = "cuKernelGetParamCount")]
    pub fn parameters(&self, context: &Context) -> Result<Option<Vec<ParameterInfo>>> {
        let ptx = self.0.kind().ptx.as_deref();
        let get_param_info = match newer::cuKernelGetParamInfo() {
            Ok(function) => function,
            Err(error) if *error.kind() == ErrorKind::Unsupported => {
                return Ok(ptx.map(<[_]>::to_vec));
            }
            Err(error) => return Err(error),
        };
        self.library().place(context);
        let _current = context.enter("cuKernelGetParamInfo")?;
        let count = self.parameter_count()?;
        let mut parameters = Vec::new();
        while count.is_none_or(|count| parameters.len() < count) {
            let (mut offset, mut size) = (0, 0);
            // SAFETY: the kernel is live, and both are valid for writing. The driver returns an
            // error for an index beyond the last parameter.
            let code =
                unsafe { get_param_info(self.as_raw(), parameters.len(), &mut offset, &mut size) };
            // Without a count, this code marks the end of the parameters.
            if code == CUresult::CUDA_ERROR_INVALID_VALUE && count.is_none() {
                break;
            }
            self.check("cuKernelGetParamInfo", code)?;
            parameters.push(ParameterInfo {
                offset,
                size,
                kind: ParameterKind::Unknown,
            });
        }
        // The driver is authoritative. The PTX is used only if it agrees.
        let places =
            |all: &[ParameterInfo]| -> Vec<_> { all.iter().map(|p| (p.offset, p.size)).collect() };
        let agrees = |ptx: &&[ParameterInfo]| places(ptx) == places(&parameters);
        let known = ptx.filter(agrees).map(<[_]>::to_vec);
        Ok(Some(known.unwrap_or(parameters)))
    }

    /// Returns the number of parameters, or `None` if the driver cannot report it.
    fn parameter_count(&self) -> Result<Option<usize>> {
        let get_count = match newer::cuKernelGetParamCount() {
            Ok(function) => function,
            Err(error) if *error.kind() == ErrorKind::Unsupported => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut count = 0;
        // SAFETY: the kernel is live, and `count` is valid for writing.
        driver::call("cuKernelGetParamCount", || unsafe {
            get_count(self.as_raw(), &mut count)
        })?;
        Ok(Some(count))
    }

    /// Returns the value of an attribute on a device, in the unit that [`FunctionAttribute`]
    /// documents.
    ///
    /// See [`cuKernelGetAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LIBRARY.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the driver does not know the attribute. Returns
    /// [`ErrorKind::Load`] if the library has no code for the device.
    #[doc(alias = "cuKernelGetAttribute")]
    pub fn attribute(&self, device: Device, attribute: FunctionAttribute) -> Result<i32> {
        callback::reject_in_callback("cuKernelGetAttribute")?;
        let mut value: c_int = 0;
        // SAFETY: the kernel is live, and `value` is valid for writing. The driver returns an error
        // for an unknown attribute.
        let code = unsafe {
            sys::cuKernelGetAttribute(
                &mut value,
                sys::CUfunction_attribute(attribute.0),
                self.as_raw(),
                device.as_raw(),
            )
        };
        self.check("cuKernelGetAttribute", code)?;
        Ok(value)
    }

    /// Sets an attribute for a device. Only some attributes can be set.
    ///
    /// See [`cuKernelSetAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LIBRARY.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the attribute cannot be set, or if the value is
    /// invalid.
    ///
    /// ```
    /// # use cuda_safe::{Context, Device, module::FunctionAttribute, Library};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let device = Device::get(0)?;
    /// let library = Library::compile(device, r#"extern "C" __global__ void nothing() {}"#)?;
    /// let nothing = library.kernel("nothing")?;
    /// nothing.set_attribute(device, FunctionAttribute::PREFERRED_SHARED_MEMORY_CARVEOUT, 50)?;
    /// assert!(nothing.set_attribute(device, FunctionAttribute::NUM_REGS, 16).is_err()); // read only
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuKernelSetAttribute")]
    pub fn set_attribute(
        &self,
        device: Device,
        attribute: FunctionAttribute,
        value: i32,
    ) -> Result<()> {
        callback::reject_in_callback("cuKernelSetAttribute")?;
        // SAFETY: the kernel is live. The driver returns an error for an unknown attribute.
        let code = unsafe {
            sys::cuKernelSetAttribute(
                sys::CUfunction_attribute(attribute.0),
                value,
                self.as_raw(),
                device.as_raw(),
            )
        };
        self.check("cuKernelSetAttribute", code)
            .map_err(|error| match code {
                CUresult::CUDA_ERROR_INVALID_VALUE => error.with_detail(format!(
                    "attribute {attribute:?} of kernel `{}` cannot be set to {value}",
                    self.name()
                )),
                _ => error,
            })
    }

    /// Sets the kernel's preference between shared memory and L1 cache on a device. It is a hint.
    ///
    /// See [`cuKernelSetCacheConfig`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LIBRARY.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the driver does not know the value.
    #[doc(alias = "cuKernelSetCacheConfig")]
    pub fn set_cache_config(&self, device: Device, config: CacheConfig) -> Result<()> {
        callback::reject_in_callback("cuKernelSetCacheConfig")?;
        // SAFETY: the kernel is live. The driver returns an error for an unknown value.
        let code = unsafe {
            sys::cuKernelSetCacheConfig(self.as_raw(), sys::CUfunc_cache(config.0), device.as_raw())
        };
        self.check("cuKernelSetCacheConfig", code)
    }

    fn check(&self, call: &'static str, code: CUresult) -> Result<()> {
        driver::check(call, code).map_err(|error| explained_by_log(self.library(), error, code))
    }
}

/// Returns a kernel's linked name.
///
/// # Safety
/// The caller must ensure that the kernel is live.
pub(super) unsafe fn linked_name(kernel: CUkernel) -> Result<String> {
    const CALL: &str = "cuKernelGetName";
    let get_name = newer::cuKernelGetName()?;
    let mut name = ptr::null();
    // SAFETY: guaranteed by the caller. `name` is valid for writing.
    driver::call(CALL, || unsafe { get_name(&mut name, kernel) })?;
    if name.is_null() {
        let detail = "the driver returned no name for a kernel";
        return Err(Error::checked(ErrorKind::Driver, CALL, detail));
    }
    // SAFETY: the driver's string is NUL-terminated and lives as long as the library.
    let name = unsafe { CStr::from_ptr(name) };
    Ok(name.to_string_lossy().into_owned())
}
