//! The ways to load a library: from source, PTX, machine code, fat binaries and files.

use std::{path::Path, ptr};

use cuda_sys::{self as sys, CUresult};

#[cfg(feature = "nvrtc")]
use super::load::load_compiled;
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
    /// Compiles a program for a device and loads it: as machine code if the compiler can produce it and the driver
    /// accepts it, otherwise as PTX. Only PTX also runs on newer devices than this one: see
    /// [`Architecture::virtual_of`](crate::Architecture::virtual_of) with [`from_compiled`](Self::from_compiled).
    ///
    /// # Errors
    /// [`ErrorKind::Compile`](crate::ErrorKind::Compile) with the log, and the source lines that it refers to.
    /// [`ErrorKind::Load`](crate::ErrorKind::Load) where the driver can't load the result.
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
    pub fn compile(device: Device, program: impl Into<Program>) -> Result<Self> {
        let compiled = program.into().compile_for(device.compute_capability()?)?;
        Self::from_compiled(&compiled, &JitOptions::default())
    }

    /// Loads a compiled program: its machine code, or its PTX if the driver does not accept that.
    ///
    /// # Errors
    /// [`ErrorKind::Load`](crate::ErrorKind::Load) with the driver's log.
    #[cfg(feature = "nvrtc")]
    pub fn from_compiled(compiled: &CompiledProgram, options: &JitOptions) -> Result<Self> {
        load_compiled(compiled, |image| {
            // SAFETY: no preserved image.
            unsafe { Self::load(image, options, false, || Names::of_compiled(compiled)) }
        })
    }

    /// Loads PTX, which the driver compiles for each device that it is used on. The text must begin as for
    /// [`Module::from_ptx`](crate::Module::from_ptx).
    ///
    /// # Errors
    /// [`ErrorKind::Load`](crate::ErrorKind::Load) with the driver's log: the text is not PTX, or is newer than the
    /// driver, or does not compile. A driver that compiles later reports that with the first use.
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
    /// # Errors
    /// As [`from_ptx`](Self::from_ptx).
    #[doc(alias = "cuLibraryLoadData")]
    pub fn from_ptx_with(ptx: &str, options: &JitOptions) -> Result<Self> {
        // SAFETY: text, and no preserved image.
        unsafe { Self::load(&image::ptx(ptx)?, options, false, || Names::of(ptx, &[])) }
    }

    /// Loads a file of PTX, such as `nvcc -ptx` writes.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) where the file can't be read; otherwise as
    /// [`from_ptx`](Self::from_ptx).
    #[doc(alias = "cuLibraryLoadFromFile")]
    pub fn from_ptx_file(path: impl AsRef<Path>) -> Result<Self> {
        with_file(path.as_ref(), "Library::from_ptx_file", |image| {
            Self::from_ptx(image::text(image)?)
        })
    }

    /// Loads machine code for one architecture: an ELF file, such as `nvcc -cubin` or `cuLinkComplete` produces.
    ///
    /// # Errors
    /// [`ErrorKind::Load`](crate::ErrorKind::Load): the image is cut short or damaged, or is for another architecture.
    ///
    /// # Safety
    /// As for [`Module::from_cubin`](crate::Module::from_cubin).
    #[doc(alias = "cuLibraryLoadData")]
    pub unsafe fn from_cubin(cubin: &[u8]) -> Result<Self> {
        check_cubin(cubin)?;
        // SAFETY: the caller's promise; no preserved image.
        unsafe { Self::load(cubin, &JitOptions::default(), false, Names::default) }
    }

    /// Loads a fat binary, such as `nvcc -fatbin` produces: the best fitting part of it for each device that it is used on.
    ///
    /// # Errors
    /// [`ErrorKind::Load`](crate::ErrorKind::Load): the image is cut short or damaged.
    ///
    /// # Safety
    /// As for [`Module::from_fatbin`](crate::Module::from_fatbin).
    #[doc(alias = "cuLibraryLoadData")]
    pub unsafe fn from_fatbin(fatbin: &[u8]) -> Result<Self> {
        fatbin::check(fatbin)?;
        // SAFETY: the caller's promise; no preserved image.
        unsafe { Self::load(fatbin, &JitOptions::default(), false, Names::default) }
    }

    /// Loads an image of any kind: PTX, cubin or fat binary, recognised by its first bytes.
    ///
    /// # Errors
    /// [`ErrorKind::Load`](crate::ErrorKind::Load), as for the kind that it is.
    ///
    /// # Safety
    /// As for [`Module::from_image`](crate::Module::from_image).
    #[doc(alias = "cuLibraryLoadData")]
    pub unsafe fn from_image(image: &[u8]) -> Result<Self> {
        match Kind::of(image) {
            // SAFETY: the caller's promise.
            Kind::Cubin | Kind::Linked => unsafe { Self::from_cubin(image) },
            // SAFETY: the caller's promise.
            Kind::FatBinary => unsafe { Self::from_fatbin(image) },
            Kind::Wrapper | Kind::Other => Self::from_ptx(image::text(image)?),
        }
    }

    /// Loads machine code or a fat binary that stays where it is as long as the program runs, such as what
    /// `include_bytes!` gives. The driver need not make a copy of its own (`CU_LIBRARY_BINARY_IS_PRESERVED`).
    ///
    /// # Errors
    /// As [`from_image`](Self::from_image); [`ErrorKind::Load`](crate::ErrorKind::Load) for PTX, which
    /// [`from_ptx`](Self::from_ptx) loads.
    ///
    /// # Safety
    /// As for [`from_image`](Self::from_image).
    #[doc(alias = "CU_LIBRARY_BINARY_IS_PRESERVED")]
    pub unsafe fn from_static_image(image: &'static [u8]) -> Result<Self> {
        match Kind::of(image) {
            Kind::Cubin | Kind::Linked => check_cubin(image)?,
            Kind::FatBinary => fatbin::check(image)?,
            Kind::Wrapper | Kind::Other => {
                return Err(image::refused_as("machine code", image));
            }
        }
        // SAFETY: the caller's promise; the image lives for ever and can't be written.
        unsafe { Self::load(image, &JitOptions::default(), true, Names::default) }
    }

    /// Loads a file of any kind: PTX, cubin or fat binary.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) where the file can't be read;
    /// [`ErrorKind::Load`](crate::ErrorKind::Load) as for the kind that it is.
    ///
    /// # Safety
    /// As for [`Module::from_file`](crate::Module::from_file).
    #[doc(alias = "cuLibraryLoadFromFile")]
    pub unsafe fn from_file(path: impl AsRef<Path>) -> Result<Self> {
        with_file(path.as_ref(), "Library::from_file", |image| {
            // SAFETY: the caller's promise.
            unsafe { Self::from_image(image) }
        })
    }

    /// # Safety
    /// The image is whole, and may be trusted unless it is text. With `preserved` it stays as it is for as long as the
    /// library is loaded.
    pub(super) unsafe fn load(
        image: &[u8],
        options: &JitOptions,
        preserved: bool,
        names: impl FnOnce() -> Names,
    ) -> Result<Self> {
        const CALL: &str = "cuLibraryLoadData";
        callback::refuse_within(CALL)?;
        driver::init()?;
        let request = Request::new(options);
        let (count, keys, values) = request.raw();
        let mut key = BINARY_IS_PRESERVED;
        let mut value = ptr::without_provenance_mut(1);
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write; the image is whole; the arrays are as long as their counts, with the values
        // that the driver documents for these keys. The logs stay where they are for as long as the library is loaded.
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
        // SAFETY: just loaded with these options, and owned by nobody else.
        let library = unsafe { Self::new(raw, true, names(), Some(request)) };
        library.check()?;
        Ok(library)
    }

    /// Drivers load what no device can use, too: their first answer about a kernel tells.
    fn check(&self) -> Result<()> {
        const CALL: &str = "cuLibraryGetKernel";
        callback::refuse_within(CALL)?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write; a name that ends in NUL, which no kernel has.
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
