//! Libraries: code that does not belong to a context.

use std::{
    ffi::{CString, c_void},
    fmt, ptr,
    ptr::NonNull,
    sync::{Arc, Mutex, PoisonError},
};

use cuda_sys::{self as sys, CUlibrary, CUresult};

use super::{
    Contents, Global, Kernel, Module, Names, check_variable,
    jit::Request,
    kernel::linked_name,
    load::{explained, load_error},
};
use crate::{
    capture::{Nothing, release, released},
    context::Context,
    driver::{self, callback, newer},
    error::{Code, Error, ErrorKind, Result},
    handle::{Handle, Kind, Sendable, handle},
    memory::PlainData,
};

/// Code that is loaded once and used in any context of any device: kernels and global variables.
///
/// A [`Module`] is loaded into one context. A library belongs to no context. It returns
/// [`Kernel`]s, and each of these returns a [`Function`](crate::Function) for the context in which
/// you launch it. The driver loads the code into a context when it is first used there.
///
/// Cloning creates another reference to the same library. Its kernels, functions and globals also
/// keep it loaded, and it keeps the contexts alive in which it was used. Dropping the last
/// reference waits for each of these contexts, then unloads the code.
///
/// ```
/// use cuda_safe::{Context, ContextFlags, Device, LaunchConfig, Library, Out, Stream};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let device = Device::get(0)?;
/// let library = Library::compile(device, r#"extern "C" __global__ void one(int *x) { *x = 1; }"#)?;
/// let one = library.kernel("one")?;
/// for context in [Context::primary(0)?, Context::create(device, ContextFlags::AUTO)?] {
///     let (stream, mut x) = (Stream::new(&context)?, [0]);
///     let here = one.function(&context)?;
///     // SAFETY: the kernel writes one number.
///     unsafe { here.launch(&stream, LaunchConfig::new(1, 1), (Out(&mut x),))? };
///     assert_eq!(x, [1]);
/// }
/// # Ok(())
/// # }
/// ```
pub struct Library(Handle<LibraryKind>);

/// The data that a library's clones share.
pub(super) struct LibraryKind {
    names: Arc<Names>,
    /// The contexts that may have the library's code. It is unloaded when none of its code runs
    /// there any more.
    places: Mutex<Vec<Context>>,
    /// The buffers that the driver writes to when it compiles, possibly as late as the first use.
    request: Option<Arc<Request>>,
}

impl Kind for LibraryKind {
    type Raw = CUlibrary;
    type Parent = ();
    const NAME: &'static str = "Library";

    unsafe fn release(&self, raw: CUlibrary, _: &()) -> Result<()> {
        let places = std::mem::take(&mut *self.places());
        unload(Sendable(raw), places, self.request.clone())
    }

    fn show(&self, raw: CUlibrary, _: &(), f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Library({raw:p})")
    }

    fn prepare_into_raw(&mut self, _: CUlibrary) {
        std::mem::forget(self.request.take()); // the driver may still write to it
    }
}

impl LibraryKind {
    fn places(&self) -> std::sync::MutexGuard<'_, Vec<Context>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Unloads a library when none of its code runs any more in any of the `places`. If that is
/// unknown, the library stays loaded, and the driver may still write to the buffers of the
/// `request`.
fn unload(
    raw: Sendable<sys::CUlib_st>,
    mut places: Vec<Context>,
    request: Option<Arc<Request>>,
) -> Result<()> {
    let Some(context) = places.pop() else {
        return release(&Nothing, move || {
            // SAFETY: the caller gave up the handle, and nothing that uses it runs any more.
            let code = released(|| unsafe { sys::cuLibraryUnload(raw.get()) });
            driver::check("cuLibraryUnload", code).inspect_err(|_| std::mem::forget(request))
        });
    };
    let own = context.clone();
    release(&context, move || match own.settle_or_leak() {
        Ok(()) => unload(raw, places, request),
        Err(error) => {
            std::mem::forget(request);
            Err(error)
        }
    })
}

handle!(Library, CUlibrary, released by "cuLibraryUnload");

impl Library {
    /// Takes ownership of a raw handle.
    ///
    /// The library is unloaded with `cuLibraryUnload` when the last clone is dropped. To use a
    /// handle that other code owns, see [`borrow_raw`](Self::borrow_raw).
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - `raw` is a live library, and no other code unloads it.
    /// - all of its work that was enqueued before this call or by raw calls has finished when the
    ///   last clone is dropped.
    #[must_use]
    pub unsafe fn from_raw(raw: CUlibrary) -> Self {
        // SAFETY: guaranteed by the caller.
        unsafe { Self::new(raw, true, Names::default(), None) }
    }

    /// Uses a raw handle that other code owns, such as another crate. This object never unloads the
    /// library.
    ///
    /// # Safety
    /// The caller must ensure that `raw` is a live library. It must stay loaded until the last
    /// clone of the returned object and everything obtained from it has been dropped, and until its
    /// launched work has finished.
    #[must_use]
    pub unsafe fn borrow_raw(raw: CUlibrary) -> Self {
        // SAFETY: guaranteed by the caller.
        unsafe { Self::new(raw, false, Names::default(), None) }
    }

    /// Wraps a raw library handle.
    ///
    /// # Safety
    /// The contract of [`from_raw`](Self::from_raw) applies if the library is owned, and otherwise
    /// that of [`borrow_raw`](Self::borrow_raw). In addition, the caller must ensure that the
    /// library was loaded with the options of the request.
    pub(super) unsafe fn new(
        raw: CUlibrary,
        owned: bool,
        names: Names,
        request: Option<Request>,
    ) -> Self {
        let kind = LibraryKind {
            names: Arc::new(names),
            places: Mutex::default(),
            request: request.map(Arc::new),
        };
        // SAFETY: this function has the same contract.
        Self(unsafe { Handle::new(raw, owned, (), kind) })
    }

    /// Returns the kernel with this name.
    ///
    /// For `extern "C"` kernels, `name` is the name in the source. For other kernels, it is the
    /// mangled name or a name expression with which the program was compiled.
    ///
    /// See [`cuLibraryGetKernel`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LIBRARY.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`], with a list of the library's kernels, if there is no such
    /// kernel. Returns [`ErrorKind::InvalidArgument`] if the name contains a NUL character.
    #[doc(alias = "cuLibraryGetKernel")]
    pub fn kernel(&self, name: &str) -> Result<Kernel> {
        const CALL: &str = "cuLibraryGetKernel";
        callback::reject_in_callback(CALL)?;
        let linked = self.names().c_name(name, CALL)?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for writing, the name is NUL-terminated, and the library is live.
        let code = unsafe { sys::cuLibraryGetKernel(&mut raw, self.as_raw(), linked.as_ptr()) };
        if code == CUresult::CUDA_ERROR_NOT_FOUND {
            let kernels = self.kernel_names().unwrap_or_default();
            let names = self.names();
            return Err(names.not_found(CALL, code, "library", "kernel", name, kernels));
        }
        driver::check(CALL, code).map_err(|error| explained_by_log(self, error, code))?;
        let ptx = self.names().ptx_parameters(&linked);
        // SAFETY: a kernel of this library. The object keeps the library alive.
        Ok(unsafe { Kernel::with_ptx_parameters(self, raw, name, ptx) })
    }

    /// Returns all kernels of the library, under their linked names.
    ///
    /// See [`cuLibraryEnumerateKernels`, `cuLibraryGetKernelCount`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LIBRARY.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] if the driver is older than CUDA 12.4.
    ///
    /// ```
    /// # use cuda_safe::{Device, Library};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let source = r#"extern "C" __global__ void a() {} extern "C" __global__ void b() {}"#;
    /// let library = Library::compile(Device::get(0)?, source)?;
    /// let mut names: Vec<_> = library.kernels()?.iter().map(|kernel| kernel.name().to_owned()).collect();
    /// names.sort();
    /// assert_eq!(names, ["a", "b"]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuLibraryEnumerateKernels")]
    #[doc(alias = "cuLibraryGetKernelCount")]
    pub fn kernels(&self) -> Result<Vec<Kernel>> {
        let get_count = newer::cuLibraryGetKernelCount()?;
        let enumerate = newer::cuLibraryEnumerateKernels()?;
        let mut count = 0;
        // SAFETY: `count` is valid for writing, and the library is live.
        driver::call("cuLibraryGetKernelCount", || unsafe {
            get_count(&mut count, self.as_raw())
        })?;
        let mut kernels = vec![ptr::null_mut(); count as usize];
        if kernels.is_empty() {
            return Ok(Vec::new());
        }
        // SAFETY: the array has the length that the call above returned.
        driver::call("cuLibraryEnumerateKernels", || unsafe {
            enumerate(kernels.as_mut_ptr(), count, self.as_raw())
        })?;
        kernels
            .into_iter()
            .filter(|kernel| !kernel.is_null())
            .map(|kernel| {
                // SAFETY: a kernel of this library, which is alive.
                let name = unsafe { linked_name(kernel) }?;
                let ptx = self
                    .names()
                    .ptx_parameters(&CString::new(&*name).unwrap_or_default());
                // SAFETY: as above.
                Ok(unsafe { Kernel::with_ptx_parameters(self, kernel, &name, ptx) })
            })
            .collect()
    }

    fn kernel_names(&self) -> Result<Vec<String>> {
        let kernels = self.kernels();
        let names = kernels.map(|all| all.iter().map(|one| one.name().to_owned()).collect());
        names.or_else(|error| self.names().entries.clone().ok_or(error))
    }

    /// Returns the library as a module of a context, for functions that take modules, such as the
    /// structs of [`kernels!`](crate::kernels).
    ///
    /// The module is part of the library and keeps it loaded. From the first call on, the library
    /// keeps the context alive.
    ///
    /// See [`cuLibraryGetModule`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LIBRARY.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Load`] if the library has no code for the context's device, or if the
    /// driver compiles the library's PTX only now and fails. Returns [`ErrorKind::OutOfMemory`] if
    /// the device has no memory for the code.
    ///
    /// ```
    /// # use cuda_safe::{Context, Device, Library};
    /// cuda_safe::kernels! {
    ///     /// Kernels that are used in several contexts.
    ///     pub struct Kernels = r#"extern "C" __global__ void fill(float *x, float value) { *x = value; }"#;
    ///     /// Sets the first element.
    ///     pub fn fill(x: &mut [f32], value: f32);
    /// }
    /// # fn main() -> cuda_safe::Result<()> {
    /// let context = Context::primary(0)?;
    /// let library = Library::compile(Device::get(0)?, Kernels::program())?;
    /// let kernels = Kernels::from_module(&library.module(&context)?)?;
    /// # let _ = kernels;
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuLibraryGetModule")]
    pub fn module(&self, context: &Context) -> Result<Module> {
        const CALL: &str = "cuLibraryGetModule";
        let _current = context.enter("cuLibraryGetModule")?;
        self.place(context);
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for writing, and the library is live.
        let code = unsafe { sys::cuLibraryGetModule(&mut raw, self.as_raw()) };
        if code != CUresult::CUDA_SUCCESS {
            return Err(load_error(context, CALL, code, self.log()));
        }
        let contents = Contents {
            names: Arc::clone(&self.0.kind().names),
            _library: Some(Arc::new(self.clone())),
        };
        // SAFETY: the library's module in this context. The module lives as long as the library,
        // which it keeps alive.
        Ok(Module(unsafe {
            Handle::new(raw, false, context.clone(), contents)
        }))
    }

    /// Returns a `__device__` or `__constant__` variable with `len` elements of `T` in a context.
    ///
    /// `name` can be a name expression. Each context has its own copy of the variable.
    ///
    /// See [`cuLibraryGetGlobal`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LIBRARY.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`] if there is no such variable. Returns
    /// [`ErrorKind::InvalidArgument`] if its size is not that of `len` elements, or if its address
    /// is not aligned for `T`. If the library is not loaded in the context yet, returns the errors
    /// of [`module`](Self::module).
    ///
    /// ```
    /// # use cuda_safe::{Context, Device, Library, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let library = Library::compile(Device::get(0)?, "__device__ int table[2] = {3, 4};
    ///     __global__ void k(int *x) { *x = table[0]; }")?;
    /// assert_eq!(library.global::<i32>(&context, "table", 2)?.to_vec(&stream)?, [3, 4]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuLibraryGetGlobal")]
    pub fn global<T: PlainData>(
        &self,
        context: &Context,
        name: &str,
        len: usize,
    ) -> Result<Global<T>> {
        callback::reject_in_callback("cuLibraryGetGlobal")?;
        self.variable(
            context,
            name,
            len,
            "cuLibraryGetGlobal",
            |ptr, bytes, name| {
                // SAFETY: both are valid for writing, the name is NUL-terminated, and the library
                // is live.
                unsafe { sys::cuLibraryGetGlobal(ptr, bytes, self.as_raw(), name) }
            },
        )
    }

    /// Returns a `__managed__` variable with `len` elements of `T`.
    ///
    /// All contexts share the variable. Copies and fills of the returned memory use `context`.
    ///
    /// See [`cuLibraryGetManaged`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LIBRARY.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`global`](Self::global). Returns [`ErrorKind::NotFound`] also if the
    /// variable is not managed.
    ///
    /// ```
    /// # use cuda_safe::{Context, Device, Library, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let library = Library::compile(Device::get(0)?, "__managed__ int counter = 3;
    ///     __global__ void count() { ++counter; }")?;
    /// assert_eq!(library.managed::<i32>(&context, "counter", 1)?.to_vec(&stream)?, [3]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuLibraryGetManaged")]
    pub fn managed<T: PlainData>(
        &self,
        context: &Context,
        name: &str,
        len: usize,
    ) -> Result<Global<T>> {
        callback::reject_in_callback("cuLibraryGetManaged")?;
        self.variable(
            context,
            name,
            len,
            "cuLibraryGetManaged",
            |ptr, bytes, name| {
                // SAFETY: both are valid for writing, the name is NUL-terminated, and the library
                // is live.
                unsafe { sys::cuLibraryGetManaged(ptr, bytes, self.as_raw(), name) }
            },
        )
    }

    fn variable<T: PlainData>(
        &self,
        context: &Context,
        name: &str,
        len: usize,
        call: &'static str,
        get: impl FnOnce(*mut sys::CUdeviceptr, *mut usize, *const std::ffi::c_char) -> CUresult,
    ) -> Result<Global<T>> {
        let linked = self.names().c_name(name, call)?;
        let module = self.module(context)?;
        let _current = context.enter("cuLibraryGetManaged")?;
        let (mut address, mut bytes) = (0, 0);
        let code = get(&mut address, &mut bytes, linked.as_ptr());
        if code == CUresult::CUDA_ERROR_NOT_FOUND {
            let what = match call {
                "cuLibraryGetManaged" => "managed variable",
                _ => "global variable",
            };
            let names = self.names();
            return Err(names.not_found(call, code, "library", what, name, Vec::new()));
        }
        context.check(call, code)?;
        check_variable::<T>(call, name, (address, bytes), len)?;
        // SAFETY: `len` aligned elements of memory that live as long as the library, which the
        // module keeps alive.
        Ok(unsafe { Global::of_module(&module, address, len) })
    }

    /// Returns the address of a `__device__` function that both host and device can call.
    ///
    /// This needs a system on which host and device share function addresses (the device attribute
    /// `CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS`). The address is valid while the library is
    /// loaded.
    ///
    /// See [`cuLibraryGetUnifiedFunction`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LIBRARY.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`] or `CUDA_ERROR_INVALID_VALUE` if there is no such function.
    /// Returns `CUDA_ERROR_INVALID_VALUE` for every name if the system does not share function
    /// addresses (H200).
    #[doc(alias = "cuLibraryGetUnifiedFunction")]
    pub fn unified_function(&self, name: &str) -> Result<NonNull<c_void>> {
        const CALL: &str = "cuLibraryGetUnifiedFunction";
        callback::reject_in_callback(CALL)?;
        let linked = self.names().c_name(name, CALL)?;
        let mut address = ptr::null_mut();
        // SAFETY: `address` is valid for writing, the name is NUL-terminated, and the library is
        // live.
        let code = unsafe {
            sys::cuLibraryGetUnifiedFunction(&mut address, self.as_raw(), linked.as_ptr())
        };
        if code == CUresult::CUDA_ERROR_NOT_FOUND {
            let detail = format!("the library has no function named `{name}` for host and device");
            return Err(Error::new(
                Code::Driver(code),
                CALL,
                ErrorKind::NotFound,
                detail,
            ));
        }
        driver::check(CALL, code).map_err(|error| match code {
            CUresult::CUDA_ERROR_INVALID_VALUE => error.with_detail(format!(
                "the library has no function `{name}` for host and device, or host and device do not share function \
                 addresses on this system"
            )),
            _ => error,
        })?;
        NonNull::new(address).ok_or_else(|| {
            Error::checked(
                ErrorKind::NotFound,
                CALL,
                format!("the driver returned no address for `{name}`"),
            )
        })
    }

    /// Records that the library's code may be loaded in a context.
    pub(super) fn place(&self, context: &Context) {
        let mut places = self.0.kind().places();
        if !places.contains(context) {
            places.push(context.clone());
        }
    }

    fn names(&self) -> &Names {
        &self.0.kind().names
    }

    /// Returns the log that the driver wrote when it compiled.
    fn log(&self) -> String {
        let request = self.0.kind().request.as_deref();
        request.map(Request::error_log).unwrap_or_default()
    }
}

/// Returns the error of a call that may have compiled the library's code, with the log.
#[cold]
pub(super) fn explained_by_log(library: &Library, error: Error, code: CUresult) -> Error {
    match code {
        CUresult::CUDA_ERROR_INVALID_PTX
        | CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION
        | CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU
        | CUresult::CUDA_ERROR_INVALID_IMAGE
        | CUresult::CUDA_ERROR_INVALID_SOURCE
        | CUresult::CUDA_ERROR_NOT_SUPPORTED => explained(error, code, library.log(), || {
            "the devices of this machine".into()
        }),
        _ => error,
    }
}
