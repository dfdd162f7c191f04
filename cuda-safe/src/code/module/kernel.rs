//! Kernels of libraries, which belong to no context.

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

/// A kernel of a [`Library`], which it keeps loaded. It belongs to no context: [`Kernel::function`] gives what is launched
/// in one. [`Library::kernel`] returns it.
///
/// What is set here for a device holds in all of its contexts, as long as it isn't set for a [`Function`] of it.
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

/// What a kernel's clones share.
struct KernelKind {
    name: Box<str>,
    /// What the PTX says from which the library was loaded.
    told: Option<Arc<[ParameterInfo]>>,
}

impl Kind for KernelKind {
    type Raw = CUkernel;
    type Parent = Library;
    const NAME: &'static str = "Kernel";

    unsafe fn release(&self, _: CUkernel, _: &Library) -> Result<()> {
        Ok(()) // a part of its library
    }

    fn show(&self, raw: CUkernel, _: &Library, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kernel({}, {raw:p})", self.name)
    }
}

handle!(Kernel, CUkernel);

impl Kernel {
    /// The kernel behind a raw handle. A kernel is a part of its library, so nobody releases it by itself. `name` is the
    /// name that messages show.
    ///
    /// # Safety
    /// `raw` is a kernel of `library`.
    #[must_use]
    pub unsafe fn borrow_raw(library: &Library, raw: CUkernel, name: &str) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self::told_by_ptx(library, raw, name, None) }
    }

    /// # Safety
    /// As [`borrow_raw`](Self::borrow_raw).
    pub(super) unsafe fn told_by_ptx(
        library: &Library,
        raw: CUkernel,
        name: &str,
        told: Option<Arc<[ParameterInfo]>>,
    ) -> Self {
        let kind = KernelKind {
            name: name.into(),
            told,
        };
        // SAFETY: as this function's contract says; the library is held.
        Self(unsafe { Handle::new(raw, false, library.clone(), kind) })
    }

    /// The name by which the kernel was looked up.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.kind().name
    }

    /// The library that the kernel belongs to.
    #[must_use]
    pub fn library(&self) -> &Library {
        self.0.parent()
    }

    /// The name that the kernel is linked by: for C++ the mangled one.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] where the driver is older than CUDA 12.3.
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
        // SAFETY: a kernel of the library, which is held.
        unsafe { linked_name(self.as_raw()) }
    }

    /// The kernel in a context, to be launched there. The library is placed into the context with the first call for it,
    /// and holds the context from then on, until it is unloaded itself. Further calls cost two calls of the driver.
    ///
    /// # Errors
    /// [`ErrorKind::Load`] where the library has no code for the context's device, or the driver compiles its PTX only now
    /// and can't.
    #[doc(alias = "cuKernelGetFunction")]
    pub fn function(&self, context: &Context) -> Result<Function> {
        const CALL: &str = "cuKernelGetFunction";
        let module = self.library().module(context)?;
        let _current = context.enter("cuKernelGetFunction")?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write; a kernel of the library, which is held.
        let code = unsafe { sys::cuKernelGetFunction(&mut raw, self.as_raw()) };
        if code != CUresult::CUDA_SUCCESS {
            let error = context.error(CALL, code);
            return Err(explained_by_log(self.library(), error, code));
        }
        let told = self.0.kind().told.clone();
        // SAFETY: the kernel's function in the library's module, which the function holds.
        Ok(unsafe { Function::told_by_ptx(&module, raw, self.name(), told) })
    }

    /// The kernel's parameters in order, as for [`Function::parameters`]: offsets and sizes from drivers of CUDA 12.4 and
    /// newer, which want a context for it; kinds from the PTX that the library was loaded from. `None` if neither tells.
    /// Asked for by each call.
    ///
    /// # Errors
    /// The driver has the function but fails this time: the library has no code for the context's device, for instance.
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
        let told = self.0.kind().told.as_deref();
        let get_param_info = match newer::cuKernelGetParamInfo() {
            Ok(function) => function,
            Err(error) if *error.kind() == ErrorKind::Unsupported => {
                return Ok(told.map(<[_]>::to_vec));
            }
            Err(error) => return Err(error),
        };
        self.library().place(context);
        let _current = context.enter("cuKernelGetParamInfo")?;
        let count = self.parameter_count()?;
        let mut parameters = Vec::new();
        while count.is_none_or(|count| parameters.len() < count) {
            let (mut offset, mut size) = (0, 0);
            // SAFETY: the kernel is live, both are valid for the write; an index beyond the last parameter is refused.
            let code =
                unsafe { get_param_info(self.as_raw(), parameters.len(), &mut offset, &mut size) };
            // Without a count, this is how the last one is known.
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
        // The driver is right. PTX is believed where it says the same.
        let places =
            |all: &[ParameterInfo]| -> Vec<_> { all.iter().map(|p| (p.offset, p.size)).collect() };
        let agrees = |told: &&[ParameterInfo]| places(told) == places(&parameters);
        let known = told.filter(agrees).map(<[_]>::to_vec);
        Ok(Some(known.unwrap_or(parameters)))
    }

    /// `None` where the driver can't tell.
    fn parameter_count(&self) -> Result<Option<usize>> {
        let get_count = match newer::cuKernelGetParamCount() {
            Ok(function) => function,
            Err(error) if *error.kind() == ErrorKind::Unsupported => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut count = 0;
        // SAFETY: the kernel is live, `count` is valid for the write.
        driver::call("cuKernelGetParamCount", || unsafe {
            get_count(self.as_raw(), &mut count)
        })?;
        Ok(Some(count))
    }

    /// The value of an attribute on a device, in the unit that the [`FunctionAttribute`] documents.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` where the driver does not know the attribute; [`ErrorKind::Load`] where the library has
    /// no code for the device.
    #[doc(alias = "cuKernelGetAttribute")]
    pub fn attribute(&self, device: Device, attribute: FunctionAttribute) -> Result<i32> {
        callback::refuse_within("cuKernelGetAttribute")?;
        let mut value: c_int = 0;
        // SAFETY: the kernel is live, `value` is valid for the write; an unknown attribute is refused.
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

    /// Sets an attribute for a device. Only some of them can be set.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` where the attribute can't be set, or not to this value.
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
        callback::refuse_within("cuKernelSetAttribute")?;
        // SAFETY: the kernel is live; an unknown attribute is refused.
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
                    "kernel `{}` can't have {value} for attribute {attribute:?}",
                    self.name()
                )),
                _ => error,
            })
    }

    /// Sets the kernel's preference between shared memory and L1 cache on a device: a hint.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a value that the driver does not know.
    #[doc(alias = "cuKernelSetCacheConfig")]
    pub fn set_cache_config(&self, device: Device, config: CacheConfig) -> Result<()> {
        callback::refuse_within("cuKernelSetCacheConfig")?;
        // SAFETY: the kernel is live; an unknown value is refused.
        let code = unsafe {
            sys::cuKernelSetCacheConfig(self.as_raw(), sys::CUfunc_cache(config.0), device.as_raw())
        };
        self.check("cuKernelSetCacheConfig", code)
    }

    fn check(&self, call: &'static str, code: CUresult) -> Result<()> {
        driver::check(call, code).map_err(|error| explained_by_log(self.library(), error, code))
    }
}

/// The name that a kernel is linked by.
///
/// # Safety
/// The kernel is live.
pub(super) unsafe fn linked_name(kernel: CUkernel) -> Result<String> {
    const CALL: &str = "cuKernelGetName";
    let get_name = newer::cuKernelGetName()?;
    let mut name = ptr::null();
    // SAFETY: the caller's promise; `name` is valid for the write.
    driver::call(CALL, || unsafe { get_name(&mut name, kernel) })?;
    if name.is_null() {
        let detail = "the driver gave no name for a kernel";
        return Err(Error::checked(ErrorKind::Driver, CALL, detail));
    }
    // SAFETY: a NUL-terminated string that lives as long as the library.
    let name = unsafe { CStr::from_ptr(name) };
    Ok(name.to_string_lossy().into_owned())
}
