//! Modules, and functions that not every driver has.

use super::*;

#[test]
fn modules_end_when_their_last_hold_goes() {
    traced("modules_end_when_their_last_hold_goes", "", || {
        let (context, _) = device();
        let unload = "cuModuleUnload";
        let load = || {
            Module::from_ptx_with(&context, PTX, &JitOptions::default().line_info(true)).unwrap()
        };
        let (a, b) = (load(), load());
        assert_ne!(a, b);
        assert_eq!(a, a.clone());
        assert!(format!("{a:?}").starts_with("Module(0x"), "{a:?}");
        let function = a.function("set").unwrap();
        assert!(made(unload, || a.close().unwrap()).is_empty());
        makes(unload, &[], || drop(function));
        makes(unload, &[], || b.close().unwrap());
        let module = load();
        let raw = module.as_raw();
        assert!(made(unload, || assert_eq!(module.into_raw().unwrap(), raw)).is_empty());
        // SAFETY: handed over by the line above, and unloaded once.
        assert_eq!(unsafe { sys::cuModuleUnload(raw) }, CUresult::CUDA_SUCCESS);
    });
}

#[test]
fn a_newer_function_is_told_from_a_call_that_failed() {
    let body: fn() = || {
        let error = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap_err();
        let expected = match error.driver_code().unwrap() {
            CUresult::CUDA_ERROR_NOT_FOUND => ErrorKind::Unsupported,
            _ => ErrorKind::Driver,
        };
        assert_eq!(*error.kind(), expected, "{error}");
        // Asked for again: only a definite answer is kept.
        Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
    };
    const TEST: &str = "a_newer_function_is_told_from_a_call_that_failed";
    traced(TEST, "cuGetProcAddress:1:CUDA_ERROR_UNKNOWN", body);
    traced(TEST, "cuGetProcAddress:1:CUDA_ERROR_NOT_FOUND", body);
}
