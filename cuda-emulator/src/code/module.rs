//! Modules, and the functions in them.

use std::collections::HashMap;
use std::ffi::CString;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use super::image::{self, ImageError, Sources};
use super::register_counts::Bounds;
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::memory::allocations::{self, Allocation, Request};
use crate::memory::origin::Origin;
use crate::process::context::Context;
use crate::process::device;
use crate::process::handle::{Object, Table};
use crate::process::registry::Owner;
use cuda_emulator_engine::Unpoisoned;
use cuda_emulator_engine::{Image, KernelInfo, Program, Shape, Space};

/// A module loaded into a context.
pub struct Module {
    pub handle: u64,
    pub context: Arc<Context>,
    loaded: Arc<Loaded>,
    /// The memory of `program().variables()[i]`.
    variables: Vec<Arc<Allocation>>,
    /// The functions that have handles, by kernel index.
    functions: Mutex<HashMap<usize, Arc<Function>>>,
    settings: Vec<Arc<Settings>>,
    /// Whether it belongs to a library, which unloads it.
    pub of_library: bool,
}

/// The attributes of a function, without its code. A library's kernel has separate settings, and so
/// does each of its functions.
pub struct Settings {
    /// Registers per thread.
    pub registers: u32,
    /// `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`
    pub dynamic_shared: AtomicU32,
    /// `CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT`
    pub carveout: AtomicI32,
    /// `CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED`
    pub non_portable: AtomicI32,
    /// `CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE`
    pub policy: AtomicI32,
    /// `CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH`, `HEIGHT` and `DEPTH`. 0 means no requirement.
    pub cluster: [AtomicI32; 3],
    /// A bit for each attribute that was set on the function itself. Later changes of such an
    /// attribute on the library's kernel do not affect this function.
    pub own: AtomicU32,
}

impl Settings {
    /// Returns a copy that can be changed separately.
    pub fn copy(&self) -> Self {
        let word = |from: &AtomicU32| AtomicU32::new(from.load(Ordering::Relaxed));
        let number = |from: &AtomicI32| AtomicI32::new(from.load(Ordering::Relaxed));
        Self {
            registers: self.registers,
            dynamic_shared: word(&self.dynamic_shared),
            carveout: number(&self.carveout),
            non_portable: number(&self.non_portable),
            policy: number(&self.policy),
            cluster: self.cluster.each_ref().map(number),
            own: AtomicU32::new(0),
        }
    }

    /// Returns the value of one of the three `CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_*`.
    fn cluster_side(&self, attribute: u32) -> &AtomicI32 {
        &self.cluster[(attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH) as usize]
    }

    /// Returns the blocks per cluster that launches must have. 0 means no requirement.
    pub fn required_cluster(&self) -> [u32; 3] {
        [0, 1, 2].map(|axis: usize| self.cluster[axis].load(Ordering::Relaxed) as u32)
    }
}

/// A kernel in a module.
pub struct Function {
    pub handle: u64,
    pub module: u64,
    pub context: Arc<Context>,
    loaded: Arc<Loaded>,
    pub kernel: usize,
    pub name: CString,
    pub settings: Arc<Settings>,
    /// State of the launch calls that CUDA 4.0 replaced.
    pub legacy: Mutex<LegacyLaunch>,
}

/// The part of a module that running kernels need. It outlives the module's handle.
pub struct Loaded {
    pub image: Image,
    /// The settings of each kernel.
    pub settings: Vec<Arc<Settings>>,
}

/// The values set by `cuFuncSetBlockShape`, `cuFuncSetSharedSize` and `cuParam*`.
#[derive(Default)]
pub struct LegacyLaunch {
    /// Without a grid, which the launch call provides.
    pub shape: Shape,
    pub params: Vec<u8>,
}

static MODULES: Table<Module> = Table::new();
static FUNCTIONS: Table<Function> = Table::new();

impl Object for Module {
    const NAME: &'static str = "module";
    const TAG: u8 = 0x14;

    fn owner(&self) -> Option<&Owner> {
        Some(&self.context.owner)
    }

    fn end(self: &Arc<Self>) {
        self.clear();
    }

    fn leak(&self) -> Option<String> {
        (!self.of_library).then(|| format!("module {:#x}, {}", self.handle, self.describe()))
    }
}

impl Object for Function {
    const NAME: &'static str = "function";
    const TAG: u8 = 0x15;

    /// Returns `None`, because a function ends with its module.
    fn owner(&self) -> Option<&Owner> {
        None
    }

    fn leak(&self) -> Option<String> {
        None
    }
}

/// Creates the settings of new kernels. `bounds` holds the bounds of each source.
pub fn settings_of(program: &Program, bounds: &[Bounds]) -> Vec<Arc<Settings>> {
    let per_kernel = |kernel: &KernelInfo| {
        let own = bounds.get(kernel.input).copied().unwrap_or_default();
        Arc::new(Settings {
            registers: own.apply(kernel, device::architecture().threads),
            dynamic_shared: AtomicU32::new(
                device::SHARED_PER_BLOCK.saturating_sub(kernel.static_shared),
            ),
            carveout: AtomicI32::new(-1),
            non_portable: AtomicI32::new(0),
            policy: AtomicI32::new(0),
            cluster: kernel
                .required_cluster
                .unwrap_or_default()
                .map(|side| AtomicI32::new(side as i32)),
            own: AtomicU32::new(0),
        })
    };
    program.kernels().iter().map(per_kernel).collect()
}

/// Loads sources into a context.
///
/// # Errors
/// Returns the errors of [`image::load`], and `CUDA_ERROR_OUT_OF_MEMORY` if the variables do not
/// fit into the device's memory.
pub fn load(
    context: &Arc<Context>,
    sources: &Sources,
    bounds: &[Bounds],
) -> std::result::Result<Arc<Module>, ImageError> {
    let program = Arc::new(image::load(sources)?);
    let settings = settings_of(&program, bounds);
    place(context, program, settings, false).map_err(|code| {
        (
            code,
            "the module's variables do not fit into the device's memory".into(),
        )
    })
}

/// Creates a module in a context, allocates its variables, and writes their initial values.
///
/// # Errors
/// Returns `CUDA_ERROR_OUT_OF_MEMORY` if the variables do not fit into the device's memory.
pub fn place(
    context: &Arc<Context>,
    program: Arc<Program>,
    settings: Vec<Arc<Settings>>,
    of_library: bool,
) -> Result<Arc<Module>> {
    let mut variables: Vec<Arc<Allocation>> = Vec::new();
    for variable in program.variables() {
        let request = Request {
            align: variable.align.max(1),
            ..Request::new(variable.size, Origin::Variable(variable.name.clone()))
        };
        match allocations::allocate(context, request) {
            Ok(allocation) => variables.push(allocation),
            Err(code) => {
                free_variables(&variables);
                return Err(code);
            }
        }
    }
    let addresses: Vec<u64> = variables.iter().map(|one| one.base).collect();
    // SAFETY: every address was just allocated with its variable's size and alignment (at least one
    // byte for zero-sized variables). The arena is never unmapped, so the memory outlives the
    // image.
    let image = unsafe { Image::place(program, &addresses) };
    let functions = Mutex::new(HashMap::new());
    Ok(MODULES.insert(|handle| Module {
        handle,
        context: context.clone(),
        loaded: Arc::new(Loaded {
            image,
            settings: settings.clone(),
        }),
        variables,
        functions,
        settings,
        of_library,
    }))
}

fn free_variables(variables: &[Arc<Allocation>]) {
    for variable in variables {
        allocations::free(variable, "cuModuleUnload");
    }
}

/// Returns the module of a handle.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_HANDLE` if the handle is not that of a live module, or an error if
/// its context is destroyed or has faulted.
pub fn get(handle: u64) -> Result<Arc<Module>> {
    let module = MODULES.get(handle).ok_or(Code::ERROR_INVALID_HANDLE)?;
    module.context.usable()?;
    Ok(module)
}

/// Unloads a module once its kernels have finished.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_HANDLE` if the handle is not that of a live module, and
/// `CUDA_ERROR_NOT_PERMITTED` if the module belongs to a library. Returns an error if its context
/// is destroyed or has faulted.
pub fn unload(handle: u64) -> Result {
    let module = get(handle)?;
    if module.of_library {
        return Err(Code::ERROR_NOT_PERMITTED);
    }
    // Another thread may have unloaded it first.
    if end(handle) {
        Ok(())
    } else {
        Err(Code::ERROR_INVALID_HANDLE)
    }
}

/// Returns the module of a handle if it is live, whatever the state of its context.
pub fn live(handle: u64) -> Option<Arc<Module>> {
    MODULES.get(handle)
}

/// Ends a module once its kernels have finished. Returns whether it was live.
pub fn end(handle: u64) -> bool {
    let removed = MODULES.remove(handle);
    if let Some(module) = &removed {
        module.context.drain();
        module.clear();
    }
    removed.is_some()
}

/// Returns the function of a handle.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_HANDLE` if the handle is not that of a live function, or an error if
/// its context is destroyed or has faulted.
pub fn function(handle: u64) -> Result<Arc<Function>> {
    let function = FUNCTIONS.get(handle).ok_or(Code::ERROR_INVALID_HANDLE)?;
    function.context.usable()?;
    Ok(function)
}

impl Module {
    pub fn program(&self) -> &Arc<Program> {
        self.loaded.image.program()
    }

    /// Returns the settings of a kernel.
    pub fn settings_of(&self, kernel: usize) -> Option<Arc<Settings>> {
        self.settings.get(kernel).cloned()
    }

    /// Removes its functions and frees its variables.
    fn clear(&self) {
        for (_, function) in self.functions.lock().unpoisoned().drain() {
            FUNCTIONS.remove(function.handle);
        }
        free_variables(&self.variables);
    }

    /// Returns the function of a kernel. Every call returns the same function.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_NOT_FOUND` if the kernel does not exist.
    pub fn function(&self, kernel: usize) -> Result<Arc<Function>> {
        let info = self
            .program()
            .kernels()
            .get(kernel)
            .ok_or(Code::ERROR_NOT_FOUND)?;
        let mut functions = self.functions.lock().unpoisoned();
        if let Some(function) = functions.get(&kernel) {
            return Ok(function.clone());
        }
        let function = FUNCTIONS.insert(|handle| Function {
            handle,
            module: self.handle,
            context: self.context.clone(),
            loaded: self.loaded.clone(),
            kernel,
            name: CString::new(info.name.clone()).unwrap_or_default(),
            settings: self.settings[kernel].clone(),
            legacy: Mutex::default(),
        });
        functions.insert(kernel, function.clone());
        Ok(function)
    }

    /// Returns the function with a name.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_NOT_FOUND` if there is none.
    pub fn function_named(&self, name: &str) -> Result<Arc<Function>> {
        self.function(index_of(self.program(), name)?)
    }

    /// Returns address and size of a variable.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_NOT_FOUND` if there is no such variable.
    pub fn variable(&self, name: &str) -> Result<(u64, u64)> {
        let variables = self.program().variables().iter().zip(&self.variables);
        variables
            .filter(|(info, _)| info.name == name)
            .map(|(info, place)| (place.base, info.size))
            .next()
            .ok_or(Code::ERROR_NOT_FOUND)
    }

    /// Returns whether a variable is managed memory.
    pub fn is_managed(&self, name: &str) -> bool {
        self.program()
            .variables()
            .iter()
            .any(|info| info.name == name && info.managed)
    }
}

/// Returns the index of the kernel with a name.
///
/// # Errors
/// Returns `CUDA_ERROR_NOT_FOUND` if there is none.
pub fn index_of(program: &Program, name: &str) -> Result<usize> {
    program
        .kernels()
        .iter()
        .position(|kernel| kernel.name == name)
        .ok_or(Code::ERROR_NOT_FOUND)
}

impl Function {
    pub fn image(&self) -> &Image {
        &self.loaded.image
    }

    /// Returns the settings of a kernel in the same module.
    pub fn settings_of(&self, kernel: usize) -> &Settings {
        &self.loaded.settings[kernel]
    }

    pub fn info(&self) -> &KernelInfo {
        &self.loaded.image.program().kernels()[self.kernel]
    }

    /// Returns the value of a `CUfunction_attribute`.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` for an unknown attribute.
    pub fn attribute(&self, attribute: u32) -> Result<i32> {
        attribute_of(
            self.loaded.image.program(),
            self.kernel,
            &self.settings,
            attribute,
        )
    }
}

/// Returns the value of a `CUfunction_attribute` of a kernel.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` for an unknown attribute.
pub fn attribute_of(
    program: &Program,
    kernel: usize,
    settings: &Settings,
    attribute: u32,
) -> Result<i32> {
    let info = &program.kernels()[kernel];
    Ok(match attribute {
        CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK => {
            info.max_threads.unwrap_or(device::MAX_THREADS) as i32
        }
        CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES => info.static_shared as i32,
        CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES => {
            let constants = program
                .variables()
                .iter()
                .filter(|one| one.space == Space::Const);
            constants.map(|one| one.size).sum::<u64>() as i32
        }
        CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES => info.local_bytes as i32,
        CU_FUNC_ATTRIBUTE_NUM_REGS => settings.registers as i32,
        CU_FUNC_ATTRIBUTE_PTX_VERSION => program.target() as i32,
        CU_FUNC_ATTRIBUTE_BINARY_VERSION => device::architecture().number() as i32,
        CU_FUNC_ATTRIBUTE_CACHE_MODE_CA => 0,
        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES => {
            settings.dynamic_shared.load(Ordering::Relaxed) as i32
        }
        CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT => {
            settings.carveout.load(Ordering::Relaxed)
        }
        CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET => info.explicit_cluster.into(),
        CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH..=CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH => {
            settings.cluster_side(attribute).load(Ordering::Relaxed)
        }
        CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED => {
            settings.non_portable.load(Ordering::Relaxed)
        }
        CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE => {
            settings.policy.load(Ordering::Relaxed)
        }
        _ => return Err(Code::ERROR_INVALID_VALUE),
    })
}

/// Sets a `CUfunction_attribute`.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the attribute cannot be set or the value is out of range.
pub fn set_attribute(info: &KernelInfo, settings: &Settings, attribute: u32, value: i32) -> Result {
    match attribute {
        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES => {
            let most = device::architecture()
                .shared_opt_in
                .saturating_sub(info.static_shared);
            let value = u32::try_from(value).ok().filter(|value| *value <= most);
            settings
                .dynamic_shared
                .store(value.ok_or(Code::ERROR_INVALID_VALUE)?, Ordering::Relaxed);
        }
        CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT if (-1..=100).contains(&value) => {
            settings.carveout.store(value, Ordering::Relaxed)
        }
        CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH..=CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH
            if value >= 0
                && info.required_cluster.is_none_or(|sides| {
                    let axis = attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH;
                    sides[axis as usize] as i32 == value
                }) =>
        {
            settings
                .cluster_side(attribute)
                .store(value, Ordering::Relaxed);
        }
        CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED => {
            let allowed = i32::from(value != 0);
            settings.non_portable.store(allowed, Ordering::Relaxed)
        }
        CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE if (0..=2).contains(&value) => {
            settings.policy.store(value, Ordering::Relaxed)
        }
        _ => return Err(Code::ERROR_INVALID_VALUE),
    }
    Ok(())
}

impl Module {
    /// Returns the names of its first kernels, for reports.
    pub fn describe(&self) -> String {
        let kernels = self.program().kernels();
        let names: Vec<&str> = kernels
            .iter()
            .take(3)
            .map(|kernel| kernel.name.as_str())
            .collect();
        format!(
            "kernels {}{}",
            names.join(", "),
            if kernels.len() > 3 { ", ..." } else { "" }
        )
    }
}
