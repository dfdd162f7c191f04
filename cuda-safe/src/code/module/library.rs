//! Libraries: code that belongs to no context.

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
/// A [`Module`] is loaded into one context. A library belongs to none: it gives [`Kernel`]s, each of which gives a
/// [`Function`](crate::Function) of whatever context it is to be launched in. The driver places the code into a context
/// with its first use there.
///
/// Cloning gives another reference to the same library; every kernel, function and global of it keeps it loaded as well.
/// When the last of them is dropped, this waits for each context in which the library was used, and unloads the code. It
/// holds these contexts until then.
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

/// What a library knows beside its handle.
pub(super) struct LibraryKind {
    names: Arc<Names>,
    /// The contexts that may have the library's code: it is unloaded when nothing of it runs there any more.
    places: Mutex<Vec<Context>>,
    /// What the driver writes to when it compiles; that may be as late as the first use.
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

    fn hand_over(&mut self, _: CUlibrary) {
        std::mem::forget(self.request.take()); // the driver may go on writing to it
    }
}

impl LibraryKind {
    fn places(&self) -> std::sync::MutexGuard<'_, Vec<Context>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Unloads a library when nothing of it runs any more in any of the `places`. It stays loaded where that is not known, and
/// then the driver may still write to what the `request` owns.
fn unload(
    raw: Sendable<sys::CUlib_st>,
    mut places: Vec<Context>,
    request: Option<Arc<Request>>,
) -> Result<()> {
    let Some(context) = places.pop() else {
        return release(&Nothing, move || {
            // SAFETY: the handle is this function's to release, and nothing runs that could use it.
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
    /// Takes ownership of a raw handle. It is unloaded, with `cuLibraryUnload`, when the last clone is dropped. To use a
    /// handle that somebody else owns, see [`borrow_raw`](Self::borrow_raw).
    ///
    /// # Safety
    /// `raw` is a live library, and nobody else unloads it. What was enqueued of it before, and what raw calls enqueue, is
    /// over when the last clone is dropped.
    #[must_use]
    pub unsafe fn from_raw(raw: CUlibrary) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self::new(raw, true, Names::default(), None) }
    }

    /// Uses a raw handle that somebody else owns, such as another crate. The returned object never unloads it.
    ///
    /// # Safety
    /// `raw` is a live library. It stays loaded until the last clone of the returned object, and everything that was got
    /// from it, has been dropped, and what was launched of it is over.
    #[must_use]
    pub unsafe fn borrow_raw(raw: CUlibrary) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self::new(raw, false, Names::default(), None) }
    }

    /// # Safety
    /// As [`from_raw`](Self::from_raw) or [`borrow_raw`](Self::borrow_raw). It was loaded with the options of the request.
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
        // SAFETY: as this function's contract says.
        Self(unsafe { Handle::new(raw, owned, (), kind) })
    }

    /// A kernel by its name: for `extern "C"` the name in the source, otherwise the mangled name, or a name expression
    /// that the program was compiled with.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], with the kernels that the library has. [`ErrorKind::InvalidArgument`] where the name
    /// contains a NUL character.
    #[doc(alias = "cuLibraryGetKernel")]
    pub fn kernel(&self, name: &str) -> Result<Kernel> {
        const CALL: &str = "cuLibraryGetKernel";
        callback::refuse_within(CALL)?;
        let linked = self.names().c_name(name, CALL)?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write, the name is NUL-terminated, the library is live.
        let code = unsafe { sys::cuLibraryGetKernel(&mut raw, self.as_raw(), linked.as_ptr()) };
        if code == CUresult::CUDA_ERROR_NOT_FOUND {
            let kernels = self.kernel_names().unwrap_or_default();
            let names = self.names();
            return Err(names.not_found(CALL, code, "library", "kernel", name, kernels));
        }
        driver::check(CALL, code).map_err(|error| explained_by_log(self, error, code))?;
        // SAFETY: a kernel of this library, which the object holds.
        Ok(unsafe { Kernel::told_by_ptx(self, raw, name, self.names().told(&linked)) })
    }

    /// All kernels of the library, by the names that they are linked by.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] where the driver is older than CUDA 12.4.
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
        // SAFETY: `count` is valid for the write; the library is live.
        driver::call("cuLibraryGetKernelCount", || unsafe {
            get_count(&mut count, self.as_raw())
        })?;
        let mut kernels = vec![ptr::null_mut(); count as usize];
        if kernels.is_empty() {
            return Ok(Vec::new());
        }
        // SAFETY: room for as many as the call above announced.
        driver::call("cuLibraryEnumerateKernels", || unsafe {
            enumerate(kernels.as_mut_ptr(), count, self.as_raw())
        })?;
        kernels
            .into_iter()
            .filter(|kernel| !kernel.is_null())
            .map(|kernel| {
                // SAFETY: a kernel of this library, which is held.
                let name = unsafe { linked_name(kernel) }?;
                let told = self.names().told(&CString::new(&*name).unwrap_or_default());
                // SAFETY: as above.
                Ok(unsafe { Kernel::told_by_ptx(self, kernel, &name, told) })
            })
            .collect()
    }

    fn kernel_names(&self) -> Result<Vec<String>> {
        let kernels = self.kernels();
        let names = kernels.map(|all| all.iter().map(|one| one.name().to_owned()).collect());
        names.or_else(|error| self.names().entries.clone().ok_or(error))
    }

    /// The library as a module of a context, for what takes modules, such as the structs of
    /// [`kernels!`](crate::kernels). The module is a part of the library, and keeps it loaded. From the first call on, the
    /// library holds the context.
    ///
    /// # Errors
    /// [`ErrorKind::Load`] where the library has no code for the context's device, or the driver compiles its PTX only now
    /// and can't; [`ErrorKind::OutOfMemory`] where the device has no place for it.
    ///
    /// ```
    /// # use cuda_safe::{Context, Device, Library};
    /// cuda_safe::kernels! {
    ///     /// Kernels that are used in several contexts.
    ///     pub struct Kernels = r#"extern "C" __global__ void fill(float *x, float value) { *x = value; }"#;
    ///     /// Fills.
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
        // SAFETY: `raw` is valid for the write; the library is live.
        let code = unsafe { sys::cuLibraryGetModule(&mut raw, self.as_raw()) };
        if code != CUresult::CUDA_SUCCESS {
            return Err(load_error(context, CALL, code, self.log()));
        }
        let contents = Contents {
            names: Arc::clone(&self.0.kind().names),
            _library: Some(Arc::new(self.clone())),
        };
        // SAFETY: the library's module in this context, which ends with the library, which it holds.
        Ok(Module(unsafe {
            Handle::new(raw, false, context.clone(), contents)
        }))
    }

    /// A `__device__` or `__constant__` variable of `len` elements of `T` in a context, by its name, which may be a name
    /// expression. Each context has its own.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`]. [`ErrorKind::InvalidArgument`] where the variable's size is not that of `len` elements. As
    /// for [`module`](Self::module) where the library isn't in the context yet.
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
        callback::refuse_within("cuLibraryGetGlobal")?;
        self.variable(
            context,
            name,
            len,
            "cuLibraryGetGlobal",
            |ptr, bytes, name| {
                // SAFETY: both are valid for the write, the name is NUL-terminated, the library is live.
                unsafe { sys::cuLibraryGetGlobal(ptr, bytes, self.as_raw(), name) }
            },
        )
    }

    /// A `__managed__` variable of `len` elements of `T`, by its name. All contexts have the same one; copies and fills of
    /// what is returned go through `context`.
    ///
    /// # Errors
    /// As [`global`](Self::global); [`ErrorKind::NotFound`] also for variables that aren't managed.
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
        callback::refuse_within("cuLibraryGetManaged")?;
        self.variable(
            context,
            name,
            len,
            "cuLibraryGetManaged",
            |ptr, bytes, name| {
                // SAFETY: both are valid for the write, the name is NUL-terminated, the library is live.
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
        // SAFETY: `len` aligned elements of memory that live as long as the library, which the module holds.
        Ok(unsafe { Global::of_module(&module, address, len) })
    }

    /// The address of a `__device__` function that host and device can both call, on systems where the two share
    /// addresses of functions (the device attribute `CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS`). It is valid for as
    /// long as the library is loaded.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] where there is no such function; [`ErrorKind::Unsupported`] where the system has no such
    /// addresses.
    #[doc(alias = "cuLibraryGetUnifiedFunction")]
    pub fn unified_function(&self, name: &str) -> Result<NonNull<c_void>> {
        const CALL: &str = "cuLibraryGetUnifiedFunction";
        callback::refuse_within(CALL)?;
        let linked = self.names().c_name(name, CALL)?;
        let mut address = ptr::null_mut();
        // SAFETY: `address` is valid for the write, the name is NUL-terminated, the library is live.
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
                "the library has no function `{name}` for host and device, or this system has no addresses that both can \
                 call"
            )),
            _ => error,
        })?;
        NonNull::new(address).ok_or_else(|| {
            Error::checked(
                ErrorKind::NotFound,
                CALL,
                format!("the driver gave no address for `{name}`"),
            )
        })
    }

    /// Notes that the library's code may be in a context.
    pub(super) fn place(&self, context: &Context) {
        let mut places = self.0.kind().places();
        if !places.contains(context) {
            places.push(context.clone());
        }
    }

    fn names(&self) -> &Names {
        &self.0.kind().names
    }

    /// What the driver wrote when it compiled.
    fn log(&self) -> String {
        let request = self.0.kind().request.as_deref();
        request.map(Request::error_log).unwrap_or_default()
    }
}

/// An error of a call that may have compiled the library's code only then.
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
