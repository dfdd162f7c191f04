//! Modules, and functions that not every driver has.

use cuda_safe::{Architecture, Program, module::Linker};

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

/// PTX of a kernel that does nothing.
fn ptx_of(name: &str) -> String {
    format!(
        ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry {name}() {{\nret;\n}}\n"
    )
}

#[test]
fn linked_modules_list_the_kernels_of_their_ptx() {
    const TEST: &str = "linked_modules_list_the_kernels_of_their_ptx";
    // The driver can't list them.
    passes(TEST, "cuGetProcAddress:1+:CUDA_ERROR_NOT_FOUND", || {
        let (context, _) = device();
        let linker = Linker::new(&context).unwrap();
        for name in ["first", "second"] {
            linker.add_ptx(name, &ptx_of(name)).unwrap();
        }
        let names = linker.finish().unwrap().function_names().unwrap();
        assert_eq!(names, ["first", "second"]);
    });
}

#[test]
fn linkers_return_the_remarks_of_the_driver() {
    passes("linkers_return_the_remarks_of_the_driver", "", || {
        let (context, _) = device();
        let linker = Linker::new(&context).unwrap();
        assert_eq!(linker.info_log(), "");
        linker.add_ptx("first", &ptx_of("first")).unwrap();
        linker.add_ptx("second", &ptx_of("second")).unwrap();
        linker.finish().unwrap();
        let log = linker.info_log();
        assert!(log.starts_with("linked 2 inputs, 2 kernels"), "{log}");
    });
}

#[test]
fn machine_code_is_linked_as_machine_code() {
    traced("machine_code_is_linked_as_machine_code", "", || {
        let (context, _) = device();
        let source = "extern \"C\" __global__ void nothing() {}";
        let program = Program::new(source).relocatable();
        let compiled = program.compile(Architecture::real_of(75)).unwrap();
        assert!(compiled.cubin().is_some());
        let linker = Linker::new(&context).unwrap();
        // The emulator takes PTX alone.
        linker.add_compiled("nothing.cu", &compiled).unwrap();
        let added = calls("cuLinkAddData");
        assert!(added[0].contains("type_=0,"), "{added:?}");
        assert!(added[1].contains("type_=1,"), "{added:?}");
    });
}

#[test]
fn programs_are_linked_by_their_names() {
    traced("programs_are_linked_by_their_names", "", || {
        let (context, _) = device();
        let linker = Linker::new(&context).unwrap();
        let program = Program::new("extern \"C\" __global__ void nothing() {}");
        linker.add_programs([program.name("own.cu")]).unwrap();
        let added = calls("cuLinkAddData");
        let named = |call: &String| call.contains("name=\"own.cu\"");
        assert!(!added.is_empty() && added.iter().all(named), "{added:?}");
    });
}
