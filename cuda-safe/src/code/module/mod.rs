//! Modules: code loaded into a context.

mod device_runtime;
mod elf;
mod embedded;
mod fatbin;
mod global;
mod image;
mod jit;
mod kernel;
mod lazy;
mod library;
mod library_load;
mod link;
mod link_programs;
mod load;
mod names;
mod parameters;

use std::{
    ffi::{CStr, CString},
    ptr,
    sync::Arc,
};

use cuda_sys::{self as sys, CUdeviceptr, CUmodule, CUresult};

pub use embedded::Embedded;
pub use global::{Global, ModuleVariable};
#[cfg(feature = "nvrtc")]
pub(crate) use image::text as text_of;
pub use jit::JitOptions;
pub use kernel::Kernel;
pub use lazy::{LoadingMode, loading_mode};
pub use library::Library;
pub use link::Linker;
#[cfg(feature = "nvrtc")]
pub(crate) use link::input_kind as input_of;
#[cfg(feature = "nvrtc")]
pub(crate) use load::is_refused;
pub(crate) use names::same_expression;

#[cfg(feature = "nvrtc")]
use crate::code::program::{CompiledProgram, Loaded};
use crate::{
    capture::{release, released},
    code::{function::Function, parameter::ParameterInfo},
    context::Context,
    error::{Code, Error, ErrorKind, Result},
    handle::{Adopt, Handle, Kind, Sendable, handle},
    memory::PlainData,
};

/// Code loaded into a context: kernels and global variables.
///
/// Cloning gives another reference to the same module; every function and global of it keeps it loaded as well. When
/// the last of them is dropped, this waits for the context and unloads the code.
///
/// ```
/// use cuda_safe::{Context, Module};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let module = Module::compile(&context, r#"extern "C" __global__ void nothing() {}"#)?;
/// let nothing = module.function("nothing")?;
/// assert_eq!(nothing.name(), "nothing");
/// # Ok(())
/// # }
/// ```
pub struct Module(Handle<Contents>);

/// What a module knows beside its handle.
#[derive(Default)]
struct Contents {
    names: Arc<Names>,
    /// Of a library's module, which ends with the library.
    _library: Option<Library>,
}

impl From<Names> for Contents {
    fn from(names: Names) -> Self {
        Self {
            names: Arc::new(names),
            _library: None,
        }
    }
}

/// What is known about the names in a module, from its source.
#[derive(Clone, Default)]
struct Names {
    /// Name expressions and the mangled names behind them.
    lowered: Vec<(String, String)>,
    /// Kernels in the PTX, where there is PTX, for drivers that can't list a module's functions.
    entries: Option<Vec<String>>,
    /// Global variables in the PTX, which no driver lists.
    variables: Vec<String>,
    /// What the PTX says of its kernels' parameters, by linked name.
    parameters: Vec<(String, Arc<[ParameterInfo]>)>,
    /// Make the sources known for as long as the module is loaded.
    #[cfg(feature = "nvrtc")]
    _loaded: Vec<Arc<Loaded>>,
}

impl Names {
    /// Of nothing so far.
    fn none() -> Self {
        Self {
            entries: Some(Vec::new()),
            ..Self::default()
        }
    }

    fn of(ptx: &str, lowered: &[(String, String)]) -> Self {
        Self {
            lowered: lowered.to_vec(),
            entries: Some(names::entries(ptx)),
            variables: names::variables(ptx),
            parameters: parameters::of(ptx),
            #[cfg(feature = "nvrtc")]
            _loaded: Vec::new(),
        }
    }

    #[cfg(feature = "nvrtc")]
    fn of_compiled(compiled: &CompiledProgram) -> Self {
        let mut names = Self::of(compiled.ptx(), compiled.lowered_names());
        let kernels = names.entries.as_deref().unwrap_or_default();
        names._loaded = vec![Loaded::new(compiled.sources(), kernels)];
        names
    }

    /// Adds what is known of another part of the same module; `None` for a part of which nothing is known.
    fn add(&mut self, part: Option<Self>) {
        let part = part.unwrap_or_default();
        self.lowered.extend(part.lowered);
        self.variables.extend(part.variables);
        self.parameters.extend(part.parameters);
        #[cfg(feature = "nvrtc")]
        self._loaded.extend(part._loaded);
        // A list with gaps is none.
        self.entries = match (self.entries.take(), part.entries) {
            (Some(mut own), Some(more)) => {
                own.extend(more);
                Some(own)
            }
            _ => None,
        };
    }

    /// What the name is linked by, if it is a name expression.
    fn lowered(&self, name: &str) -> Option<&str> {
        let mut lowered = self.lowered.iter();
        let (_, linked) = lowered.find(|(expression, _)| same_expression(expression, name))?;
        Some(linked)
    }

    /// The name that a kernel or a variable is linked by.
    fn c_name(&self, name: &str, call: &'static str) -> Result<CString> {
        let linked = self.lowered(name).unwrap_or(name);
        CString::new(linked).map_err(|_| {
            Error::invalid(call, format!("the name {name:?} contains a NUL character"))
        })
    }

    /// What the PTX says about a kernel's parameters.
    fn told(&self, linked: &CStr) -> Option<Arc<[ParameterInfo]>> {
        let mut known = self.parameters.iter();
        let (_, parameters) = known.find(|(known, _)| known.as_bytes() == linked.to_bytes())?;
        Some(Arc::clone(parameters))
    }

    /// The error for a kernel or a variable that is not there, in a `whole` that has these kernels.
    #[cold]
    fn not_found(
        &self,
        call: &'static str,
        code: CUresult,
        whole: &str,
        what: &str,
        name: &str,
        mut kernels: Vec<String>,
    ) -> Error {
        let mut detail = format!("the {whole} has no {what} named `{name}`");
        if what == "kernel" {
            for name in &mut kernels {
                if let Some((expression, _)) =
                    self.lowered.iter().find(|(_, linked)| linked == name)
                {
                    name.clone_from(expression);
                }
            }
            kernels.sort();
            if !kernels.is_empty() {
                detail.push_str(&format!("; it has {}", kernels.join(", ")));
            }
            detail.push_str(
                ". C++ mangles names: declare the kernel extern \"C\", or compile with a name expression",
            );
        } else {
            if !self.variables.is_empty() {
                detail.push_str(&format!("; it has {}", self.variables.join(", ")));
            }
            detail.push_str(
                ". C++ mangles names in namespaces, and unused static variables are dropped",
            );
        }
        Error::new(Code::Driver(code), call, ErrorKind::NotFound, detail)
    }
}

/// Returns an error unless a variable has room for exactly `len` elements, which may begin at its address.
fn check_variable<T: PlainData>(
    call: &'static str,
    name: &str,
    (address, bytes): (CUdeviceptr, usize),
    len: usize,
) -> Result<()> {
    let expected = crate::memory::byte_size::<T>(len, call)?;
    let (element, alignment) = (std::any::type_name::<T>(), align_of::<T>());
    let why = if bytes != expected {
        format!(
            "the global variable `{name}` has {bytes} bytes, and {len} elements of {element} have {expected}"
        )
    } else if !address.is_multiple_of(alignment as CUdeviceptr) {
        format!(
            "the global variable `{name}` is at {address:#x}, and elements of type {element} have to begin at a multiple \
             of {alignment} bytes: use a type with an alignment of at most 256 bytes, to which CUDA aligns variables"
        )
    } else {
        return Ok(());
    };
    Err(Error::invalid(call, why))
}

impl Kind for Contents {
    type Raw = CUmodule;
    type Parent = Context;
    const NAME: &'static str = "Module";

    unsafe fn release(&self, raw: CUmodule, context: &Context) -> Result<()> {
        let (raw, own) = (Sendable(raw), context.clone());
        release(context, move || {
            // A kernel of the module may still run; unloading its code under it is not allowed.
            own.settle_or_leak()?;
            let _current = own.enter("cuModuleUnload")?;
            // SAFETY: released once, by this function's contract, and nothing runs that could use it.
            let code = released(|| unsafe { sys::cuModuleUnload(raw.get()) });
            own.check("cuModuleUnload", code)
        })
    }
}

impl Adopt for Contents {
    fn adopt(_: CUmodule) -> Self {
        Self::default()
    }
}

handle!(Module, CUmodule, released by "cuModuleUnload", made in Context);

impl Module {
    /// A kernel by its name: for `extern "C"` the name in the source, otherwise the mangled name, or a name
    /// expression that the program was compiled with.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], with the kernels that the module has. [`ErrorKind::InvalidArgument`] where the name
    /// contains a NUL character.
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
        // SAFETY: `raw` is valid for the write, the name is NUL-terminated, the module is live.
        let code = unsafe { sys::cuModuleGetFunction(&mut raw, self.as_raw(), linked.as_ptr()) };
        if code == CUresult::CUDA_ERROR_NOT_FOUND {
            return Err(self.not_found(CALL, code, "kernel", name));
        }
        self.context().check(CALL, code)?;
        let told = self.names().told(&linked);
        // SAFETY: a kernel of this module, which the function holds.
        Ok(unsafe { Function::told_by_ptx(self, raw, name, told) })
    }

    /// A `__device__` or `__constant__` variable of `len` elements of `T`, by its name, which may be a name
    /// expression.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`] if the module has no such variable. Returns [`ErrorKind::InvalidArgument`] if the
    /// variable's size is not that of `len` elements, or if its address is not aligned for `T`.
    ///
    /// ```
    /// # use cuda_safe::{Context, Module, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let module = Module::compile(&context, "__device__ int table[2] = {3, 4};
    ///     __global__ void k(int *x) { *x = table[0]; }")?;
    /// assert_eq!(module.global::<i32>("table", 2)?.to_vec(&stream)?, [3, 4]);
    /// assert!(module.global::<i32>("table", 3).is_err()); // of another size
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuModuleGetGlobal")]
    pub fn global<T: PlainData>(&self, name: &str, len: usize) -> Result<Global<T>> {
        const CALL: &str = "cuModuleGetGlobal_v2";
        let linked = self.names().c_name(name, CALL)?;
        let _current = self.context().enter("cuModuleGetGlobal_v2")?;
        let (mut ptr, mut bytes) = (0, 0);
        // SAFETY: both are valid for the write, the name is NUL-terminated, the module is live.
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

    /// The names of the module's kernels, as linked (mangled for C++).
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] where the driver is older than CUDA 12.4, and the module was not loaded from PTX.
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

    /// The context that the module is loaded into.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.0.parent()
    }

    fn names(&self) -> &Names {
        &self.0.kind().names
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
