//! Loaded code: modules, libraries, and the kernels and variables in them.
//!
//! A [`Module`] is code in one context. A [`Library`] is loaded once, and each context loads its
//! code at the first use. [`Module::compile`] compiles CUDA C++. PTX, machine code and fat binaries
//! can be loaded too.
//!
//! - Loading: [`Module`], [`Library`], [`Embedded`], [`JitOptions`], [`LoadingMode`],
//!   [`loading_mode`]
//! - Kernels: [`Function`], [`FunctionAttribute`], [`Kernel`], [`ParameterInfo`], [`ParameterKind`]
//! - Variables: [`Global`], [`ModuleVariable`]
//! - Linking: [`Linker`]

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
mod lookup;
#[cfg(feature = "nvrtc")]
mod machine_code;
mod names;
mod parameters;
mod ptx;

use std::{
    any::Any,
    ffi::{CStr, CString},
    sync::Arc,
};

use cuda_sys::{self as sys, CUdeviceptr, CUmodule, CUresult};

pub use embedded::Embedded;
pub use global::{Global, ModuleVariable};
#[cfg(feature = "nvrtc")]
pub(crate) use image::is_rejected;
#[cfg(feature = "nvrtc")]
pub(crate) use image::text as text_of;
pub use jit::JitOptions;
pub use kernel::Kernel;
pub use lazy::{LoadingMode, loading_mode};
pub use library::Library;
pub use link::Linker;
#[cfg(feature = "nvrtc")]
pub(crate) use link::input_kind as input_of;

pub use super::function::{Function, FunctionAttribute};
pub use super::parameter::{ParameterInfo, ParameterKind};
#[cfg(feature = "nvrtc")]
use crate::code::program::{CompiledProgram, Loaded};
use crate::{
    capture::{release, released},
    code::expression::same_expression,
    context::Context,
    error::{Code, Error, ErrorKind, Result},
    handle::{Adopt, Handle, Kind, Sendable, handle},
    memory::PlainData,
};

/// Code loaded into a context: kernels and global variables.
///
/// Cloning creates another reference to the same module. Its functions and globals also keep it
/// loaded. Dropping the last reference waits for all work in the context to finish, then unloads
/// the code.
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

/// The data that a module's clones share.
#[derive(Default)]
struct Contents {
    names: Arc<Names>,
    /// The library that this module is part of, if any. The module lives as long as the library.
    _library: Option<Arc<dyn Any + Send + Sync>>,
}

impl From<Names> for Contents {
    fn from(names: Names) -> Self {
        Self {
            names: Arc::new(names),
            _library: None,
        }
    }
}

/// The names in a module that are known from its source.
#[derive(Clone, Default)]
struct Names {
    /// Name expressions with their mangled names.
    lowered: Vec<(String, String)>,
    /// The kernels in the PTX, if there is PTX, for drivers that cannot list a module's functions.
    entries: Option<Vec<String>>,
    /// The global variables in the PTX, which no driver can list.
    variables: Vec<String>,
    /// The parameters of the kernels in the PTX, by linked name.
    parameters: Vec<(String, Arc<[ParameterInfo]>)>,
    /// Keep the sources registered while the module is loaded.
    #[cfg(feature = "nvrtc")]
    _loaded: Vec<Arc<Loaded>>,
}

impl Names {
    /// Returns the names of a module without code.
    fn none() -> Self {
        Self {
            entries: Some(Vec::new()),
            ..Self::default()
        }
    }

    fn of(ptx: &str, lowered: &[(String, String)]) -> Self {
        Self {
            lowered: lowered.to_vec(),
            entries: Some(ptx::entries(ptx)),
            variables: ptx::variables(ptx),
            parameters: parameters::of(ptx),
            #[cfg(feature = "nvrtc")]
            _loaded: Vec::new(),
        }
    }

    #[cfg(feature = "nvrtc")]
    fn of_compiled(compiled: &CompiledProgram) -> Self {
        let mut names = Self::of(compiled.ptx(), compiled.lowered_names());
        let kernels = names.entries.as_deref().unwrap_or_default();
        names._loaded = vec![Loaded::new(
            compiled.sources(),
            kernels,
            compiled.lowered_names(),
        )];
        names
    }

    /// Adds the names of another part of the same module, or `None` for a part without known names.
    fn add(&mut self, part: Option<Self>) {
        let part = part.unwrap_or_default();
        self.lowered.extend(part.lowered);
        self.variables.extend(part.variables);
        self.parameters.extend(part.parameters);
        #[cfg(feature = "nvrtc")]
        self._loaded.extend(part._loaded);
        // An incomplete list is not used.
        self.entries = match (self.entries.take(), part.entries) {
            (Some(mut own), Some(more)) => {
                own.extend(more);
                Some(own)
            }
            _ => None,
        };
    }

    /// Returns the linked name of a name expression.
    fn lowered(&self, name: &str) -> Option<&str> {
        let mut lowered = self.lowered.iter();
        let (_, linked) = lowered.find(|(expression, _)| same_expression(expression, name))?;
        Some(linked)
    }

    /// Returns the linked name of a kernel or a variable.
    fn c_name(&self, name: &str, call: &'static str) -> Result<CString> {
        let linked = self.lowered(name).unwrap_or(name);
        CString::new(linked).map_err(|_| {
            Error::invalid(call, format!("the name {name:?} contains a NUL character"))
        })
    }

    /// Returns the parameters of a kernel according to the PTX.
    fn ptx_parameters(&self, linked: &CStr) -> Option<Arc<[ParameterInfo]>> {
        let mut known = self.parameters.iter();
        let (_, parameters) = known.find(|(known, _)| known.as_bytes() == linked.to_bytes())?;
        Some(Arc::clone(parameters))
    }

    /// Returns the error for a missing kernel or variable in a `whole` that has these kernels.
    #[cold]
    pub(super) fn not_found(
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

/// Returns an error unless a variable has exactly the size of `len` elements and its address is
/// aligned for `T`.
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
            "the global variable `{name}` has {bytes} bytes, but {len} elements of {element} have {expected}"
        )
    } else if !address.is_multiple_of(alignment as CUdeviceptr) {
        format!(
            "the global variable `{name}` is at {address:#x}, but elements of type {element} must begin at a multiple of \
             {alignment} bytes. Fix: use a type with an alignment of at most 256 bytes, to which CUDA aligns variables"
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
            // A kernel of the module may still run. Its code must not be unloaded while it does.
            own.settle_or_leak()?;
            let _current = own.enter("cuModuleUnload")?;
            // SAFETY: this function's contract says that it is released once, and nothing that uses
            // it runs any more.
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
    /// Returns the context that the module is loaded into.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.0.parent()
    }

    fn names(&self) -> &Names {
        &self.0.kind().names
    }
}
