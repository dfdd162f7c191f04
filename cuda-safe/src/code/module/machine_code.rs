//! Compilation to machine code, or only to PTX for drivers that accept no machine code.

use std::sync::{Mutex, PoisonError};

use cuda_sys::CUresult;

use super::image::{self, is_rejected};
use crate::{
    code::program::{Architecture, CompiledProgram, Program},
    device::ComputeCapability,
    error::{Error, Result},
};

/// The compute capabilities for which the driver has rejected machine code and then loaded PTX of
/// the same program. An emulator does, for example. Machine code takes a third of a short
/// program's compilation.
static REJECTED: Mutex<Vec<ComputeCapability>> = Mutex::new(Vec::new());

/// Compiles a program for a device, and loads the machine code, or the PTX if the driver rejects the
/// machine code.
pub(super) fn compile_and_load<T>(
    program: &Program,
    capability: ComputeCapability,
    load: impl Fn(&CompiledProgram, &[u8]) -> Result<T>,
) -> Result<T> {
    let architecture = Architecture::for_device(capability)?;
    let only_ptx = rejected().contains(&capability);
    let compiled = program.compile(match only_ptx {
        true => architecture.without_code(),
        false => architecture,
    })?;
    let (loaded, rejection) = load_first(&compiled, |image| load(&compiled, image));
    let has_no_loader =
        |error: &Error| error.driver_code() == Some(CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU);
    if loaded.is_ok() && rejection.as_ref().is_some_and(has_no_loader) {
        let mut rejected = rejected();
        if !rejected.contains(&capability) {
            rejected.push(capability);
        }
    }
    loaded
}

fn rejected() -> std::sync::MutexGuard<'static, Vec<ComputeCapability>> {
    REJECTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Loads the machine code of a compiled program, or its PTX if the driver rejects the machine code.
pub(super) fn load_compiled<T>(
    compiled: &CompiledProgram,
    load: impl Fn(&[u8]) -> Result<T>,
) -> Result<T> {
    load_first(compiled, load).0
}

/// Loads a compiled program as [`load_compiled`] does. Also returns the driver's error if it
/// rejected the machine code.
fn load_first<T>(
    compiled: &CompiledProgram,
    load: impl Fn(&[u8]) -> Result<T>,
) -> (Result<T>, Option<Error>) {
    let mut rejection = None;
    if let Some(cubin) = compiled.cubin() {
        // Not checked: it is complete, because the compiler in this process produced it.
        match load(cubin) {
            Err(error) if is_rejected(&error) && !compiled.ptx().is_empty() => {
                rejection = Some(error);
            }
            loaded => return (loaded, None),
        }
    }
    if compiled.lto_ir().is_some() {
        let error = image::rejected(
            "the program was compiled for link-time optimization. Fix: link it with a JitLinker",
        );
        return (Err(error), rejection);
    }
    let ptx = image::ptx(&compiled.sources().mark(compiled.ptx()));
    (ptx.and_then(|ptx| load(&ptx)), rejection)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::error::{Code, ErrorKind};

    #[test]
    fn rejected_machine_code_is_compiled_once() {
        // No device of the emulator has it, so other tests don't notice.
        let capability = ComputeCapability { major: 7, minor: 5 };
        let images = RefCell::new(Vec::new());
        let load = |code: Option<CUresult>| {
            let load = |_: &CompiledProgram, image: &[u8]| {
                let is_code = image.starts_with(b"\x7fELF");
                images.borrow_mut().push(is_code);
                match code {
                    Some(code) if is_code => {
                        let code = Code::Driver(code);
                        Err(Error::new(code, "load", ErrorKind::Unsupported, "rejected"))
                    }
                    _ => Ok(()),
                }
            };
            let program = Program::new("__global__ void k() {}");
            compile_and_load(&program, capability, load).unwrap();
            images.take()
        };
        assert_eq!(load(None), [true]);
        // This code does not say that the driver accepts no machine code.
        assert_eq!(
            load(Some(CUresult::CUDA_ERROR_INVALID_IMAGE)),
            [true, false]
        );
        assert_eq!(load(None), [true]);
        let no_binary = CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU;
        assert_eq!(load(Some(no_binary)), [true, false]);
        assert_eq!(load(Some(no_binary)), [false]);
    }
}
