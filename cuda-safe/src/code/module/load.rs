//! Loading modules from source, PTX, machine code, fat binaries and files.

#[cfg(feature = "nvrtc")]
use std::panic::Location;
use std::{path::Path, ptr};

use cuda_sys::{self as sys, CUresult};

#[cfg(feature = "nvrtc")]
use super::machine_code::{compile_and_load, load_compiled};
use super::{
    JitOptions, Module, Names, elf, fatbin,
    image::{self, Kind},
};
#[cfg(feature = "nvrtc")]
use crate::code::program::{CompiledProgram, Program};
use crate::{
    context::Context,
    driver,
    error::{Code, Error, ErrorKind, Result},
    handle::Handle,
};

impl Module {
    /// Compiles a program for the context's device and loads it.
    ///
    /// The result is machine code if the compiler can produce it and the driver accepts it, and PTX
    /// otherwise.
    ///
    /// See [`nvrtcCompileProgram`](https://docs.nvidia.com/cuda/nvrtc/index.html), [`cuModuleLoadData`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MODULE.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Compile`], with the log and the source lines that it refers to, if the
    /// program does not compile. Returns [`ErrorKind::Load`] if the driver cannot load the result.
    ///
    /// ```
    /// # use cuda_safe::{Context, ErrorKind, Module};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let module = Module::compile(&context, "__global__ void a() {} __global__ void b() {}")?;
    /// assert_eq!(module.function_names()?.len(), 2);
    /// let error = Module::compile(&context, "no CUDA C++").unwrap_err();
    /// assert!(matches!(error.kind(), ErrorKind::Compile { .. }));
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "nvrtc")]
    #[doc(alias = "nvrtcCompileProgram")]
    #[doc(alias = "cuModuleLoadData")]
    #[track_caller]
    pub fn compile(context: &Context, program: impl Into<Program>) -> Result<Self> {
        let program = program.into().made_at(Location::caller());
        let capability = context.device().compute_capability()?;
        compile_and_load(&program, capability, |compiled, image| {
            let names = || Names::of_compiled(compiled);
            Self::load(context, image, &JitOptions::default(), names)
        })
    }

    /// Loads the machine code of a compiled program, or its PTX if the driver rejects the machine
    /// code.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Load`], with the driver's log, if the driver cannot load it.
    ///
    /// ```
    /// # use cuda_safe::{Context, module::JitOptions, Module, Program};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let program = Program::new(r#"extern "C" __global__ void nothing() {}"#);
    /// let compiled = program.compile_for(context.device().compute_capability()?)?;
    /// let module = Module::from_compiled(&context, &compiled, &JitOptions::default())?;
    /// assert!(module.function("nothing").is_ok());
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "nvrtc")]
    pub fn from_compiled(
        context: &Context,
        compiled: &CompiledProgram,
        options: &JitOptions,
    ) -> Result<Self> {
        load_compiled(compiled, |image| {
            Self::load(context, image, options, || Names::of_compiled(compiled))
        })
    }

    /// Loads PTX, which the driver compiles for the device.
    ///
    /// The text must begin with `.version`, after any white space and comments. The driver
    /// recognizes images by their first bytes and would read other kinds without knowing where they
    /// end.
    ///
    /// See [`cuModuleLoadDataEx`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MODULE.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Load`], with the driver's log, if the text is not PTX, is newer than
    /// the driver, or does not compile.
    ///
    /// ```
    /// # use cuda_safe::{Context, Module};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let ptx = ".version 7.0
    ///     .target sm_75
    ///     .address_size 64
    ///     .visible .entry nothing() { ret; }";
    /// let module = Module::from_ptx(&context, ptx)?;
    /// assert!(module.function("nothing").is_ok());
    /// let error = Module::from_ptx(&context, "__global__ void nothing() {}").unwrap_err();
    /// assert!(error.detail().contains("Module::compile"));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuModuleLoadDataEx")]
    pub fn from_ptx(context: &Context, ptx: &str) -> Result<Self> {
        Self::from_ptx_with(context, ptx, &JitOptions::default())
    }

    /// Loads PTX with options for the driver's compiler.
    ///
    /// See [`cuModuleLoadDataEx`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MODULE.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Load`], as [`from_ptx`](Self::from_ptx) does.
    ///
    /// ```
    /// # use cuda_safe::{Context, module::JitOptions, Module};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let ptx = ".version 7.0
    ///     .target sm_75
    ///     .address_size 64
    ///     .visible .entry nothing() { ret; }";
    /// let options = JitOptions::default().optimization_level(0);
    /// let module = Module::from_ptx_with(&context, ptx, &options)?;
    /// assert_eq!(module.function("nothing")?.name(), "nothing");
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuModuleLoadDataEx")]
    pub fn from_ptx_with(context: &Context, ptx: &str, options: &JitOptions) -> Result<Self> {
        Self::load(context, &image::ptx(ptx)?, options, || Names::of(ptx, &[]))
    }

    /// Loads a PTX file, such as `nvcc -ptx` writes.
    ///
    /// See [`cuModuleLoad`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MODULE.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`] if the file cannot be read, and the errors of
    /// [`from_ptx`](Self::from_ptx).
    ///
    /// ```
    /// # use cuda_safe::{Context, ErrorKind, Module};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let error = Module::from_ptx_file(&context, "no/such/kernels.ptx").unwrap_err();
    /// assert_eq!(*error.kind(), ErrorKind::NotFound);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuModuleLoad")]
    pub fn from_ptx_file(context: &Context, path: impl AsRef<Path>) -> Result<Self> {
        with_file(path.as_ref(), "Module::from_ptx_file", |image| {
            Self::from_ptx(context, image::text(image)?)
        })
    }

    /// Loads machine code for one architecture: an ELF file, such as `nvcc -cubin` or
    /// `cuLinkComplete` produces.
    ///
    /// The image is read only during the call.
    ///
    /// See [`cuModuleLoadDataEx`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MODULE.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Load`] if the image is cut short, is damaged, or is for another
    /// architecture.
    ///
    /// # Safety
    /// The caller must ensure that `cubin`:
    /// - was produced by a CUDA compiler or linker, and is complete and unaltered.
    /// - comes from a source that may run code in this process. The driver follows offsets in it
    ///   without knowing where it ends, and the device runs the code in it.
    ///
    /// This function checks that the image is not cut short and that its headers refer only to
    /// bytes within it. It cannot detect other changes.
    ///
    /// ```
    /// # use cuda_safe::{Context, ErrorKind, Module};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// // SAFETY: nothing in this image is read as machine code.
    /// let error = unsafe { Module::from_cubin(&context, b"no machine code") }.unwrap_err();
    /// assert!(matches!(error.kind(), ErrorKind::Load { .. }));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuModuleLoadDataEx")]
    pub unsafe fn from_cubin(context: &Context, cubin: &[u8]) -> Result<Self> {
        match Kind::of(cubin) {
            Kind::Linked => image::check_linked(cubin)?,
            _ => elf::check(cubin)?,
        }
        Self::load(context, cubin, &JitOptions::default(), Default::default)
    }

    /// Loads the part of a fat binary that fits the device best, such as `nvcc -fatbin` produces.
    ///
    /// The image is read only during the call.
    ///
    /// See [`cuModuleLoadFatBinary`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MODULE.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Load`] if the image is cut short, is damaged, or has no code for this
    /// device.
    ///
    /// # Safety
    /// The caller must ensure that `fatbin`:
    /// - was produced by a CUDA compiler, and is complete and unaltered.
    /// - comes from a source that may run code in this process, as for
    ///   [`from_cubin`](Self::from_cubin).
    ///
    /// This function checks that the parts fill the length in the header. It does not check their
    /// contents.
    ///
    /// ```
    /// # use cuda_safe::{Context, ErrorKind, Module};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// // SAFETY: nothing in this image is read as a fat binary.
    /// let error = unsafe { Module::from_fatbin(&context, b"no fat binary") }.unwrap_err();
    /// assert!(matches!(error.kind(), ErrorKind::Load { .. }));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuModuleLoadFatBinary")]
    pub unsafe fn from_fatbin(context: &Context, fatbin: &[u8]) -> Result<Self> {
        fatbin::check(fatbin)?;
        Self::load(context, fatbin, &JitOptions::default(), Default::default)
    }

    /// Loads PTX, a cubin or a fat binary. The first bytes of the image determine the kind.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Load`] under the conditions of the function for that kind.
    ///
    /// # Safety
    /// The caller must satisfy the conditions of [`from_cubin`](Self::from_cubin) and
    /// [`from_fatbin`](Self::from_fatbin), unless the image is PTX. If the image can only be PTX,
    /// use [`from_ptx`](Self::from_ptx), which is safe.
    ///
    /// ```
    /// # use cuda_safe::{Context, Module};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let image = b".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }";
    /// // SAFETY: the image is PTX.
    /// let module = unsafe { Module::from_image(&context, image) }?;
    /// assert!(module.function("k").is_ok());
    /// # Ok(())
    /// # }
    /// ```
    pub unsafe fn from_image(context: &Context, image: &[u8]) -> Result<Self> {
        match Kind::of(image) {
            // SAFETY: guaranteed by the caller.
            Kind::Cubin | Kind::Linked => unsafe { Self::from_cubin(context, image) },
            // SAFETY: guaranteed by the caller.
            Kind::FatBinary => unsafe { Self::from_fatbin(context, image) },
            Kind::Wrapper | Kind::Other => Self::from_ptx(context, image::text(image)?),
        }
    }

    /// Loads a file with PTX, a cubin or a fat binary.
    ///
    /// See [`cuModuleLoad`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MODULE.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`] if the file cannot be read, and [`ErrorKind::Load`] under
    /// the conditions of the function for its kind.
    ///
    /// # Safety
    /// The caller must satisfy the conditions of [`from_image`](Self::from_image) for the file's
    /// contents at the time of the call. Consider which other programs can write to the file. If
    /// the file should be PTX, use [`from_ptx_file`](Self::from_ptx_file), which is safe.
    ///
    /// ```
    /// # use cuda_safe::{Context, ErrorKind, Module};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// // SAFETY: there is no such file.
    /// let error = unsafe { Module::from_file(&context, "no/such/kernels.cubin") }.unwrap_err();
    /// assert_eq!(*error.kind(), ErrorKind::NotFound);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuModuleLoad")]
    pub unsafe fn from_file(context: &Context, path: impl AsRef<Path>) -> Result<Self> {
        with_file(path.as_ref(), "Module::from_file", |image| {
            // SAFETY: guaranteed by the caller.
            unsafe { Self::from_image(context, image) }
        })
    }

    /// Loads the output of a linker.
    ///
    /// # Safety
    /// The driver must have just produced the image, so that it is complete.
    pub(super) unsafe fn from_linked(
        context: &Context,
        image: &[u8],
        names: Names,
    ) -> Result<Self> {
        Self::load(context, image, &JitOptions::default(), || names)
    }

    pub(super) fn load(
        context: &Context,
        image: &[u8],
        options: &JitOptions,
        names: impl FnOnce() -> Names,
    ) -> Result<Self> {
        const CALL: &str = "cuModuleLoadDataEx";
        let _current = context.enter("cuModuleLoadDataEx")?;
        let mut raw = ptr::null_mut();
        let (code, log) = options.with_raw(|count, keys, values| {
            // SAFETY: `raw` is valid for writing, and the image is complete. The two arrays are as
            // long as the count and have the values that the driver documents for these keys.
            unsafe { sys::cuModuleLoadDataEx(&mut raw, image.as_ptr().cast(), count, keys, values) }
        });
        if code != CUresult::CUDA_SUCCESS {
            return Err(load_error(context, CALL, code, log));
        }
        // SAFETY: just loaded into this context, and nothing else owns it.
        Ok(Self(unsafe {
            Handle::new(raw, true, context.clone(), names().into())
        }))
    }
}

/// Reads a file and loads its contents. If the image is rejected, the error names the file.
pub(super) fn with_file<T>(
    path: &Path,
    call: &'static str,
    load: impl FnOnce(&[u8]) -> Result<T>,
) -> Result<T> {
    let image = std::fs::read(path).map_err(|error| {
        let detail = format!("cannot read {}: {error}", path.display());
        Error::checked(ErrorKind::NotFound, call, detail).with_source(error)
    })?;
    load(&image).map_err(|error| match error.code() {
        Code::Checked => {
            let detail = format!("{}: {}", path.display(), error.detail());
            error.with_detail(detail)
        }
        _ => error,
    })
}

#[cold]
pub(super) fn load_error(
    context: &Context,
    call: &'static str,
    code: CUresult,
    log: String,
) -> Error {
    explained(context.error(call, code), code, log, || {
        let device = context.device().compute_capability();
        format!(
            "this device (compute capability {})",
            device.map_or_else(|_| "unknown".into(), |c| c.to_string())
        )
    })
}

/// Returns an error of loading or linking, with the driver's log. `device` describes the device for
/// the code.
#[cold]
pub(super) fn explained(
    error: Error,
    code: CUresult,
    log: String,
    device: impl FnOnce() -> String,
) -> Error {
    let log = log.trim_end().to_owned();
    let mut detail = match code {
        CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => {
            let driver = driver::version().map_or_else(|_| "unknown".into(), |v| v.to_string());
            format!(
                "the PTX is newer than the driver (CUDA {driver}). Fix: compile machine code for the \
                 device, use an older toolkit, or update the driver"
            )
        }
        CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU => {
            format!("the image has no code for {}", device())
        }
        _ => String::new(),
    };
    if !log.is_empty() {
        detail = if detail.is_empty() {
            log.clone()
        } else {
            format!("{detail}\n{log}")
        };
    }
    match error.kind() {
        ErrorKind::Driver | ErrorKind::Unsupported => {
            let error = error.with_kind(ErrorKind::Load { log });
            if detail.is_empty() {
                error
            } else {
                error.with_detail(detail)
            }
        }
        _ => error,
    }
}
