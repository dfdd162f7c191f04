//! Modules, and functions that only some drivers have.

use cuda_safe::{Architecture, Program, module::Linker};

use super::*;

#[test]
fn modules_are_unloaded_with_the_last_reference() {
    traced("", || {
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
        // SAFETY: `into_raw` gave up the module above, and it is unloaded once.
        assert_eq!(unsafe { sys::cuModuleUnload(raw) }, CUresult::CUDA_SUCCESS);
    });
}

#[test]
fn missing_function_differs_from_a_failed_lookup() {
    let body = || {
        let error = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap_err();
        let expected = match error.driver_code().unwrap() {
            CUresult::CUDA_ERROR_NOT_FOUND => ErrorKind::Unsupported,
            _ => ErrorKind::Driver,
        };
        assert_eq!(*error.kind(), expected, "{error}");
        // The function is looked up again, because only a definite answer is kept.
        Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
    };
    traced("cuGetProcAddress:1:CUDA_ERROR_UNKNOWN", body);
    traced("cuGetProcAddress:1:CUDA_ERROR_NOT_FOUND", body);
}

/// Returns the PTX of a kernel that does nothing.
fn ptx_of(name: &str) -> String {
    format!(
        ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry {name}() {{\nret;\n}}\n"
    )
}

#[test]
fn linked_modules_list_the_kernels_of_their_ptx() {
    // The driver cannot list them.
    passes("cuGetProcAddress:1+:CUDA_ERROR_NOT_FOUND", || {
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
fn linker_returns_the_log_of_the_driver() {
    passes("", || {
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
    traced("", || {
        let (context, _) = device();
        let source = "extern \"C\" __global__ void nothing() {}";
        let program = Program::new(source).relocatable();
        let compiled = program.compile(Architecture::real_of(75)).unwrap();
        assert!(compiled.cubin().is_some());
        let linker = Linker::new(&context).unwrap();
        // The emulator accepts only PTX.
        linker.add_compiled("nothing.cu", &compiled).unwrap();
        let added = calls("cuLinkAddData");
        assert!(added[0].contains("type_=0,"), "{added:?}");
        assert!(added[1].contains("type_=1,"), "{added:?}");
    });
}

#[test]
fn linked_programs_are_named_in_the_log() {
    traced("", || {
        let (context, _) = device();
        let linker = Linker::new(&context).unwrap();
        let program = Program::new("extern \"C\" __global__ void nothing() {}");
        linker.add_programs([program.name("own.cu")]).unwrap();
        let added = calls("cuLinkAddData");
        let named = |call: &String| call.contains("name=\"own.cu\"");
        assert!(!added.is_empty() && added.iter().all(named), "{added:?}");
    });
}
