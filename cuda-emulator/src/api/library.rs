//! Libraries and their kernels, which belong to no context.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::abi::pointers::{FunctionAttribute, In, Out, Text};
use crate::abi::status::{Code, Result};
use crate::abi::{
    CU_FUNC_CACHE_PREFER_EQUAL, CU_LIBRARY_BINARY_IS_PRESERVED,
    CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE,
};
use crate::code::image;
use crate::code::image::{Contents, ImageError};
use crate::code::jit_options::Options;
use crate::code::library::{self, Library};
use crate::code::module::{attribute_of, set_attribute};
use crate::process::call::export;
use crate::process::{context, device};

use super::function::{parameter, show_name};
use super::module::load_with;

/// Checks the numbers of library options. The options have no effect here.
fn check_options(options: In<u32>, count: u32, of_file: bool) -> Result {
    let is_known = |option| match option {
        CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE => true,
        // The image of a file is not memory that the client could preserve.
        CU_LIBRARY_BINARY_IS_PRESERVED => !of_file,
        _ => false,
    };
    let known = (0..count as usize).all(|index| options.at(index).is_ok_and(is_known));
    if known {
        Ok(())
    } else {
        Err(Code::ERROR_INVALID_VALUE)
    }
}

fn load_library(
    options: Options,
    read: impl FnOnce() -> std::result::Result<Contents, ImageError>,
) -> Result<Arc<Library>> {
    match load_with(options, read, library::load) {
        Err(
            code @ (Code::ERROR_INVALID_PTX
            | Code::ERROR_UNSUPPORTED_PTX_VERSION
            | Code::ERROR_NO_BINARY_FOR_GPU
            | Code::ERROR_INVALID_IMAGE
            | Code::ERROR_INVALID_SOURCE
            | Code::ERROR_NOT_SUPPORTED),
        ) => Ok(library::rejected(code)),
        loaded => loaded,
    }
}

fn managed(library: u64, name: &str) -> Result<(u64, u64)> {
    let module = library::get(library)?.module()?;
    if !module.is_managed(name) {
        return Err(Code::ERROR_NOT_FOUND);
    }
    module.variable(name)
}

export! {
    fn cuLibraryLoadData(library: Out<u64>, code: u64, jitOptions: In<u32>, jitOptionsValues: Out<u64>, numJitOptions: u32, libraryOptions: In<u32>, libraryOptionValues: Out<u64>, numLibraryOptions: u32) {
        library.check()?;
        let options = Options::new(numJitOptions, jitOptions, jitOptionsValues)?;
        check_options(libraryOptions, numLibraryOptions, false)?;
        library.set(load_library(options, || image::read(code))?.handle)
    }

    fn cuLibraryLoadFromFile(library: Out<u64>, fileName: Text, jitOptions: In<u32>, jitOptionsValues: Out<u64>, numJitOptions: u32, libraryOptions: In<u32>, libraryOptionValues: Out<u64>, numLibraryOptions: u32) {
        library.check()?;
        let options = Options::new(numJitOptions, jitOptions, jitOptionsValues)?;
        check_options(libraryOptions, numLibraryOptions, true)?;
        let bytes = image::read_file(fileName.str()?)?;
        library.set(load_library(options, || image::from_bytes(&bytes))?.handle)
    }

    fn cuLibraryUnload(library: u64) {
        library::unload(library)
    }

    fn cuLibraryGetKernel(pKernel: Out<u64>, library: u64, name: Text) {
        pKernel.check()?;
        let name = name.str()?;
        pKernel.set(library::get(library)?.kernel_named(name)?.handle)
    }

    fn cuLibraryGetKernelCount(count: Out<u32>, lib: u64) {
        count.check()?;
        count.set(library::get(lib)?.kernels().len() as u32)
    }

    fn cuLibraryEnumerateKernels(kernels: Out<u64>, numKernels: u32, lib: u64) {
        // A count of 0 is allowed, as in an H200's driver.
        kernels.check()?;
        for (index, kernel) in library::get(lib)?.kernels().iter().take(numKernels as usize).enumerate() {
            kernels.at(index).set(kernel.handle)?;
        }
        Ok(())
    }

    fn cuLibraryGetModule(pMod: Out<u64>, library: u64) {
        pMod.check()?;
        pMod.set(library::get(library)?.module()?.handle)
    }

    fn cuLibraryGetGlobal(dptr: Out<u64>, bytes: Out<usize>, library: u64, name: Text) {
        let name = name.str()?;
        let (address, size) = library::get(library)?.module()?.variable(name)?;
        dptr.set_optional(address);
        bytes.set_optional(size as usize);
        Ok(())
    }

    fn cuLibraryGetManaged(dptr: Out<u64>, bytes: Out<usize>, library: u64, name: Text) {
        let (address, size) = managed(library, name.str()?)?;
        dptr.set_optional(address);
        bytes.set_optional(size as usize);
        Ok(())
    }

    fn cuLibraryGetUnifiedFunction(fptr: Out<u64>, library: u64, symbol: Text) {
        // The device has no addresses of functions that the host can call. An H200's driver returns
        // the same code for every name.
        fptr.check()?;
        library::get(library)?;
        symbol.str()?;
        Err(Code::ERROR_INVALID_VALUE)
    }

    fn cuKernelGetFunction(pFunc: Out<u64>, kernel: u64) {
        pFunc.check()?;
        pFunc.set(library::kernel(kernel)?.function()?.handle)
    }

    fn cuKernelGetLibrary(pLib: Out<u64>, kernel: u64) {
        pLib.check()?;
        pLib.set(library::kernel(kernel)?.library)
    }

    fn cuKernelGetName(name: Out<u64>, hfunc: u64) {
        name.check()?;
        show_name(name, hfunc)
    }

    fn cuKernelGetParamInfo(kernel: u64, paramIndex: usize, paramOffset: Out<usize>, paramSize: Out<usize>) {
        let kernel = library::kernel(kernel)?;
        context::current()?;
        let library = library::get(kernel.library)?;
        parameter(&library.program()?.kernels()[kernel.index], paramIndex, paramOffset, paramSize)
    }

    fn cuKernelGetParamCount(kernel: u64, paramCount: Out<usize>) {
        paramCount.check()?;
        let kernel = library::kernel(kernel)?;
        let library = library::get(kernel.library)?;
        paramCount.set(library.program()?.kernels()[kernel.index].params.len())
    }

    fn cuKernelGetAttribute(pi: Out<i32>, attrib: FunctionAttribute, kernel: u64, dev: i32) {
        pi.check()?;
        let kernel = library::kernel(kernel)?;
        device::check(dev)?;
        let library = library::get(kernel.library)?;
        pi.set(attribute_of(library.program()?, kernel.index, &kernel.settings, attrib.0)?)
    }

    fn cuKernelSetAttribute(attrib: FunctionAttribute, val: i32, kernel: u64, dev: i32) {
        let kernel = library::kernel(kernel)?;
        device::check(dev)?;
        let library = library::get(kernel.library)?;
        let info = &library.program()?.kernels()[kernel.index];
        set_attribute(info, &kernel.settings, attrib.0, val)?;
        for settings in library.settings_in_contexts(kernel.index) {
            if settings.own.load(Ordering::Relaxed) & 1 << attrib.0 == 0 {
                set_attribute(info, &settings, attrib.0, val)?;
            }
        }
        Ok(())
    }

    fn cuKernelSetCacheConfig(kernel: u64, config: u32, dev: i32) {
        library::kernel(kernel)?;
        device::check(dev)?;
        if config > CU_FUNC_CACHE_PREFER_EQUAL { Err(Code::ERROR_INVALID_VALUE) } else { Ok(()) }
    }
}
