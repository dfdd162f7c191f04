//! Loading libraries from source, PTX, machine code, fat binaries and files.

#[cfg(feature = "nvrtc")]
use std::panic::Location;
use std::{path::Path, ptr};

use cuda_sys::{self as sys, CUresult};

#[cfg(feature = "nvrtc")]
use super::machine_code::{compile_and_load, load_compiled};
use super::{
    JitOptions, Library, Names, elf, fatbin,
    image::{self, Kind},
    jit::Request,
    library::explained_by_log,
    load::{explained, with_file},
};
#[cfg(feature = "nvrtc")]
use crate::{
    code::program::{CompiledProgram, Program},
    device::Device,
};
use crate::{
    driver::{self, callback},
    error::{Error, Result},
};

/// `CU_LIBRARY_BINARY_IS_PRESERVED`
const BINARY_IS_PRESERVED: sys::CUlibraryOption = sys::CUlibraryOption(1);

impl Library {
    /// Compiles a program for a device and loads it.
    ///
    /// The result is machine code if the compiler can produce it and the driver accepts it, and PTX
    /// otherwise. Only PTX also runs on newer devices: see
    /// [`Architecture::virtual_of`](crate::Architecture::virtual_of) with
    /// [`from_compiled`](Self::from_compiled).
    ///
    /// See [`nvrtcCompileProgram`](https://docs.nvidia.com/cuda/nvrtc/index.html), [`cuLibraryLoadData`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LIBRARY.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Compile`](crate::ErrorKind::Compile), with the log and the source lines
    /// that it refers to, if the program does not compile. Returns
    /// [`ErrorKind::Load`](crate::ErrorKind::Load) if the driver cannot load the result.
    ///
    /// ```
    /// # use cuda_safe::{Device, Library};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let source = r#"extern "C" __global__ void nothing() {}"#;
    /// let library = Library::compile(Device::get(0)?, source)?; // no context
    /// assert!(library.kernel("nothing").is_ok());
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "nvrtc")]
    #[doc(alias = "nvrtcCompileProgram")]
    #[doc(alias = "cuLibraryLoadData")]
    #[track_caller]
    pub fn compile(device: Device, program: impl Into<Program>) -> Result<Self> {
        let program = program.into().made_at(Location::caller());
        let capability = device.compute_capability()?;
        compile_and_load(&program, capability, |compiled, image| {
            let names = || Names::of_compiled(compiled);
            // SAFETY: the image is not marked as preserved.
            unsafe { Self::load(image, &JitOptions::default(), false, names) }
        })
    }

    /// Loads the machine code of a compiled program, or its PTX if the driver rejects the machine
    /// code.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Load`](crate::ErrorKind::Load), with the driver's log, if the driver
    /// cannot load it.
    #[cfg(feature = "nvrtc")]
    pub fn from_compiled(compiled: &CompiledProgram, options: &JitOptions) -> Result<Self> {
        load_compiled(compiled, |image| {
            // SAFETY: the image is not marked as preserved.
            unsafe { Self::load(image, options, false, || Names::of_compiled(compiled)) }
        })
    }

    /// Loads PTX, which the driver compiles for each device that uses it.
    ///
    /// The text must begin as described for [`Module::from_ptx`](crate::Module::from_ptx).
    ///
    /// See [`cuLibraryLoadData`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LIBRARY.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Load`](crate::ErrorKind::Load), with the driver's log, if the text is
    /// not PTX, is newer than the driver, or does not compile. A driver that compiles later reports
    /// the error when the code is first used.
    ///
    /// ```
    /// # use cuda_safe::Library;
    /// # fn main() -> cuda_safe::Result<()> {
    /// let ptx = ".version 7.0
    ///     .target sm_75
    ///     .address_size 64
    ///     .visible .entry nothing() { ret; }";
    /// assert!(Library::from_ptx(ptx)?.kernel("nothing").is_ok());
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuLibraryLoadData")]
    pub fn from_ptx(ptx: &str) -> Result<Self> {
        Self::from_ptx_with(ptx, &JitOptions::default())
    }

    /// Loads PTX with options for the driver's compiler.
    ///
    /// See [`cuLibraryLoadData`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LIBRARY.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Load`](crate::ErrorKind::Load), as [`from_ptx`](Self::from_ptx) does.
    #[doc(alias = "cuLibraryLoadData")]
    pub fn from_ptx_with(ptx: &str, options: &JitOptions) -> Result<Self> {
        // SAFETY: the image is text and is not marked as preserved.
        unsafe { Self::load(&image::ptx(ptx)?, options, false, || Names::of(ptx, &[])) }
    }

    /// Loads a PTX file, such as `nvcc -ptx` writes.
    ///
    /// See [`cuLibraryLoadFromFile`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LIBRARY.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if the file cannot be read, and
    /// the errors of [`from_ptx`](Self::from_ptx).
    #[doc(alias = "cuLibraryLoadFromFile")]
    pub fn from_ptx_file(path: impl AsRef<Path>) -> Result<Self> {
        with_file(path.as_ref(), "Library::from_ptx_file", |image| {
            Self::from_ptx(image::text(image)?)
        })
    }

    /// Loads machine code for one architecture: an ELF file, such as `nvcc -cubin` or
    /// `cuLinkComplete` produces.
    ///
    /// See [`cuLibraryLoadData`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LIBRARY.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Load`](crate::ErrorKind::Load) if the image is cut short, is damaged,
    /// or is for another architecture.
    ///
    /// # Safety
    /// See [`Module::from_cubin`](crate::Module::from_cubin).
    #[doc(alias = "cuLibraryLoadData")]
    pub unsafe fn from_cubin(cubin: &[u8]) -> Result<Self> {
        check_cubin(cubin)?;
        // SAFETY: guaranteed by the caller. The image is not marked as preserved.
        unsafe { Self::load(cubin, &JitOptions::default(), false, Names::default) }
    }

    /// Loads a fat binary, such as `nvcc -fatbin` produces. Each device uses the part that fits it
    /// best.
    ///
    /// See [`cuLibraryLoadData`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LIBRARY.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Load`](crate::ErrorKind::Load) if the image is cut short or damaged.
    ///
    /// # Safety
    /// See [`Module::from_fatbin`](crate::Module::from_fatbin).
    #[doc(alias = "cuLibraryLoadData")]
    pub unsafe fn from_fatbin(fatbin: &[u8]) -> Result<Self> {
        fatbin::check(fatbin)?;
        // SAFETY: guaranteed by the caller. The image is not marked as preserved.
        unsafe { Self::load(fatbin, &JitOptions::default(), false, Names::default) }
    }

    /// Loads PTX, a cubin or a fat binary. The first bytes of the image determine the kind.
    ///
    /// See [`cuLibraryLoadData`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LIBRARY.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Load`](crate::ErrorKind::Load) under the conditions of the function for
    /// that kind.
    ///
    /// # Safety
    /// See [`Module::from_image`](crate::Module::from_image).
    #[doc(alias = "cuLibraryLoadData")]
    pub unsafe fn from_image(image: &[u8]) -> Result<Self> {
        match Kind::of(image) {
            // SAFETY: guaranteed by the caller.
            Kind::Cubin | Kind::Linked => unsafe { Self::from_cubin(image) },
            // SAFETY: guaranteed by the caller.
            Kind::FatBinary => unsafe { Self::from_fatbin(image) },
            Kind::Wrapper | Kind::Other => Self::from_ptx(image::text(image)?),
        }
    }

    /// Loads machine code or a fat binary that stays in memory until the program ends, such as the
    /// result of `include_bytes!`.
    ///
    /// The driver does not need to copy it (`CU_LIBRARY_BINARY_IS_PRESERVED`).
    ///
    /// # Errors
    /// Returns [`ErrorKind::Load`](crate::ErrorKind::Load) if the image is PTX, which
    /// [`from_ptx`](Self::from_ptx) loads, and the errors of [`from_image`](Self::from_image).
    ///
    /// # Safety
    /// See [`from_image`](Self::from_image).
    #[doc(alias = "CU_LIBRARY_BINARY_IS_PRESERVED")]
    pub unsafe fn from_static_image(image: &'static [u8]) -> Result<Self> {
        match Kind::of(image) {
            Kind::Cubin | Kind::Linked => check_cubin(image)?,
            Kind::FatBinary => fatbin::check(image)?,
            Kind::Wrapper | Kind::Other => {
                return Err(image::rejected_as("machine code", image));
            }
        }
        // SAFETY: guaranteed by the caller. The image lives forever and is immutable.
        unsafe { Self::load(image, &JitOptions::default(), true, Names::default) }
    }

    /// Loads a file with PTX, a cubin or a fat binary.
    ///
    /// See [`cuLibraryLoadFromFile`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LIBRARY.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if the file cannot be read, and
    /// [`ErrorKind::Load`](crate::ErrorKind::Load) under the conditions of the function for its
    /// kind.
    ///
    /// # Safety
    /// See [`Module::from_file`](crate::Module::from_file).
    #[doc(alias = "cuLibraryLoadFromFile")]
    pub unsafe fn from_file(path: impl AsRef<Path>) -> Result<Self> {
        with_file(path.as_ref(), "Library::from_file", |image| {
            // SAFETY: guaranteed by the caller.
            unsafe { Self::from_image(image) }
        })
    }

    /// Loads a library from an image.
    ///
    /// # Safety
    /// The caller must ensure that:
    ///
    /// - the image is complete;
    /// - the image can be trusted, unless it is text;
    /// - the image does not change while the library is loaded, if `preserved` is set.
    pub(super) unsafe fn load(
        image: &[u8],
        options: &JitOptions,
        preserved: bool,
        names: impl FnOnce() -> Names,
    ) -> Result<Self> {
        const CALL: &str = "cuLibraryLoadData";
        callback::reject_in_callback(CALL)?;
        driver::init()?;
        let request = Request::new(options);
        let (count, keys, values) = request.raw();
        let mut key = BINARY_IS_PRESERVED;
        let mut value = ptr::without_provenance_mut(1);
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for writing, and the image is complete. The arrays are as long as
        // their counts and have the values that the driver documents for these keys. The logs stay
        // in place while the library is loaded.
        let code = unsafe {
            sys::cuLibraryLoadData(
                &mut raw,
                image.as_ptr().cast(),
                keys,
                values,
                count,
                &mut key,
                &mut value,
                u32::from(preserved),
            )
        };
        if code != CUresult::CUDA_SUCCESS {
            let log = request.error_log();
            return Err(explained(Error::driver(CALL, code), code, log, || {
                "any device of this machine".into()
            }));
        }
        // SAFETY: just loaded with these options, and nothing else owns it.
        let library = unsafe { Self::new(raw, true, names(), Some(request)) };
        library.check()?;
        Ok(library)
    }

    /// Checks that a device can use the code. Drivers also load code that no device can use, and
    /// report this only when they are asked for a kernel.
    fn check(&self) -> Result<()> {
        const CALL: &str = "cuLibraryGetKernel";
        callback::reject_in_callback(CALL)?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for writing. The name is NUL-terminated, and no kernel has it.
        let code = unsafe { sys::cuLibraryGetKernel(&mut raw, self.as_raw(), c" ".as_ptr()) };
        match code {
            CUresult::CUDA_SUCCESS | CUresult::CUDA_ERROR_NOT_FOUND => Ok(()),
            _ => Err(explained_by_log(self, Error::driver(CALL, code), code)),
        }
    }
}

fn check_cubin(cubin: &[u8]) -> Result<()> {
    match Kind::of(cubin) {
        Kind::Linked => image::check_linked(cubin),
        _ => elf::check(cubin),
    }
}
