//! Libraries: programs that are loaded into each context on first use there.

use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Arc, Mutex};

use super::image::{self, ImageError, Sources};
use super::module::{self, Function, Module, Settings};
use super::register_counts::Bounds;
use crate::abi::status::{Code, Result};
use crate::process::context;
use crate::process::handle::{self, Object, Table};
use crate::process::registry::Owner;
use cuda_emulator_engine::Program;
use cuda_emulator_engine::Unpoisoned;

/// A library: a program that is loaded into each context on first use.
pub struct Library {
    pub handle: u64,
    /// The program, or why the image was rejected. The code is returned on first use.
    program: Result<Arc<Program>>,
    settings: Vec<Arc<Settings>>,
    /// Handles of its modules by context. When a context ends, its module ends too and the handle
    /// becomes stale.
    modules: Mutex<HashMap<u64, u64>>,
    kernels: Mutex<Vec<Arc<Kernel>>>,
}

/// A kernel of a library.
pub struct Kernel {
    pub handle: u64,
    pub library: u64,
    pub index: usize,
    pub name: CString,
    pub settings: Arc<Settings>,
}

static LIBRARIES: Table<Library> = Table::new();
static KERNELS: Table<Kernel> = Table::new();

impl Object for Library {
    const NAME: &'static str = "library";
    const TAG: u8 = 0x16;

    fn owner(&self) -> Option<&Owner> {
        None
    }

    fn leak(&self) -> Option<String> {
        Some(format!("library {:#x}", self.handle))
    }
}

impl Object for Kernel {
    const NAME: &'static str = "kernel";
    const TAG: u8 = 0x17;

    /// Returns `None`, because a kernel ends with its library.
    fn owner(&self) -> Option<&Owner> {
        None
    }

    fn leak(&self) -> Option<String> {
        None
    }
}

/// Returns whether a handle has the form of a kernel handle and not of a function handle.
pub fn is_kernel(handle: u64) -> bool {
    handle::claims::<Kernel>(handle)
}

/// Returns the function of a function handle, or the function of a library kernel in the current
/// context.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_HANDLE` if the handle is not live, or an error if the context is
/// destroyed or has faulted.
pub fn function(handle: u64) -> Result<Arc<Function>> {
    if is_kernel(handle) {
        return kernel(handle)?.function();
    }
    module::function(handle)
}

/// Loads sources as a library.
///
/// # Errors
/// Returns the errors of [`image::load`].
pub fn load(sources: &Sources, bounds: &[Bounds]) -> std::result::Result<Arc<Library>, ImageError> {
    let program = Arc::new(image::load(sources)?);
    let settings = module::settings_of(&program, bounds);
    let library = insert(Ok(program.clone()), &settings);
    let kernels =
        program
            .kernels()
            .iter()
            .zip(settings)
            .enumerate()
            .map(|(index, (info, settings))| {
                KERNELS.insert(|handle| Kernel {
                    handle,
                    library: library.handle,
                    index,
                    name: CString::new(info.name.clone()).unwrap_or_default(),
                    settings,
                })
            });
    *library.kernels.lock().unpoisoned() = kernels.collect();
    Ok(library)
}

/// Creates a library for an image that was rejected. An H200's driver also loads such an image and
/// writes the log. The code is returned on first use.
pub fn rejected(code: Code) -> Arc<Library> {
    insert(Err(code), &[])
}

fn insert(program: Result<Arc<Program>>, settings: &[Arc<Settings>]) -> Arc<Library> {
    LIBRARIES.insert(|handle| Library {
        handle,
        program: program.clone(),
        settings: settings.to_vec(),
        modules: Mutex::default(),
        kernels: Mutex::default(),
    })
}

/// Returns the library of a handle.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_HANDLE` if the handle is not that of a live library.
pub fn get(handle: u64) -> Result<Arc<Library>> {
    LIBRARIES.get(handle).ok_or(Code::ERROR_INVALID_HANDLE)
}

/// Returns the kernel of a handle.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_HANDLE` if the handle is not that of a live kernel.
pub fn kernel(handle: u64) -> Result<Arc<Kernel>> {
    KERNELS.get(handle).ok_or(Code::ERROR_INVALID_HANDLE)
}

/// Unloads a library, and its modules in all contexts.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_HANDLE` if the handle is not that of a live library.
pub fn unload(handle: u64) -> Result {
    let library = LIBRARIES.remove(handle).ok_or(Code::ERROR_INVALID_HANDLE)?;
    for kernel in library.kernels.lock().unpoisoned().drain(..) {
        KERNELS.remove(kernel.handle);
    }
    for (_, module) in library.modules.lock().unpoisoned().drain() {
        module::end(module);
    }
    Ok(())
}

impl Library {
    /// Returns the program.
    ///
    /// # Errors
    /// Returns the code with which the image was rejected.
    pub fn program(&self) -> Result<&Arc<Program>> {
        self.program.as_ref().map_err(|code| *code)
    }

    /// Returns the library's module in the current context, loading it there if necessary.
    ///
    /// # Errors
    /// Returns the code with which the image was rejected, `CUDA_ERROR_OUT_OF_MEMORY` if the
    /// variables do not fit into the device's memory, or an error if there is no usable context.
    pub fn module(&self) -> Result<Arc<Module>> {
        let context = context::current()?;
        let mut modules = self.modules.lock().unpoisoned();
        if let Some(module) = modules.get(&context.id).and_then(|one| module::live(*one)) {
            return Ok(module);
        }
        let settings = self.settings.iter().map(|one| Arc::new(one.copy()));
        let program = self.program()?.clone();
        let module = module::place(&context, program, settings.collect(), true)?;
        modules.insert(context.id, module.handle);
        Ok(module)
    }

    /// Returns the settings of a kernel in each context that has loaded the library.
    pub fn settings_in_contexts(&self, kernel: usize) -> Vec<Arc<Settings>> {
        let modules = self.modules.lock().unpoisoned();
        let live = modules.values().filter_map(|one| module::live(*one));
        live.filter_map(|module| module.settings_of(kernel))
            .collect()
    }

    pub fn kernels(&self) -> Vec<Arc<Kernel>> {
        self.kernels.lock().unpoisoned().clone()
    }

    /// Returns the kernel with a name.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_NOT_FOUND` if there is none, or the code with which the image was
    /// rejected.
    pub fn kernel_named(&self, name: &str) -> Result<Arc<Kernel>> {
        let index = module::index_of(self.program()?, name)?;
        self.kernels()
            .get(index)
            .cloned()
            .ok_or(Code::ERROR_NOT_FOUND)
    }
}

impl Kernel {
    /// Returns the kernel's function in the current context.
    ///
    /// # Errors
    /// Returns the errors of [`Library::module`].
    pub fn function(&self) -> Result<Arc<Function>> {
        get(self.library)?.module()?.function(self.index)
    }
}
