//! Loading and unloading as the driver sees it. The emulator's trace shows which calls were made,
//! and its injected failures show how each code is handled.
//!
//! Each case runs in a child process, because the emulator reads its settings once.

use cuda_emulator as _; // linked in: these tests never use a GPU

use std::{env, fs, path::PathBuf, process::Command};

use cuda_safe::{Context, Error, ErrorKind, Module, Program, driver, sys::CUresult};

const CHILD: &str = "CUDA_SAFE_TEST_LOADING";

const PTX: &str = ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry k() { ret; }\n";

/// Runs a test of this file again with a trace and an injected failure.
fn child(test: &str, failure: &str) {
    let name = format!("cuda-safe-loading-{}-{test}", std::process::id());
    let trace = env::temp_dir().join(name);
    let _ = fs::remove_file(&trace);
    let output = Command::new(env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(CHILD, failure)
        .env("CUDA_EMULATOR_TRACE", &trace)
        .env("CUDA_EMULATOR_FAIL", failure)
        .env("CUDA_EMULATOR_CHECK", "leak")
        .output()
        .unwrap();
    let _ = fs::remove_file(&trace);
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{failure}:\n{text}");
    assert!(text.contains("1 passed"), "{failure}:\n{text}");
}

/// Returns the injected failure in a child process.
fn failure() -> Option<String> {
    env::var(CHILD).ok()
}

/// Returns the functions called so far whose names begin with `name`, in order.
fn calls(name: &str) -> Vec<String> {
    let trace = PathBuf::from(env::var_os("CUDA_EMULATOR_TRACE").unwrap());
    fs::read_to_string(trace)
        .unwrap_or_default()
        .lines()
        .filter_map(|line| Some(line.split_once(": ")?.1.split_once('(')?.0.to_owned()))
        .filter(|call| call.starts_with(name))
        .collect()
}

fn unloaded() -> usize {
    calls("cuModuleUnload").len()
}

fn load(context: &Context) -> Module {
    Module::from_ptx(context, PTX).unwrap()
}

#[test]
fn last_reference_unloads_once() {
    if failure().is_none() {
        return child("last_reference_unloads_once", "");
    }
    let context = Context::primary(0).unwrap();
    let module = load(&context);
    let twin = module.clone();
    module.close().unwrap();
    assert_eq!(unloaded(), 0, "other references remain");
    drop(twin);
    assert_eq!(unloaded(), 1);

    load(&context).close().unwrap();
    assert_eq!(unloaded(), 2);

    let module = load(&context);
    let kernel = module.function("k").unwrap();
    drop(module);
    assert_eq!(unloaded(), 2, "the kernel owns a reference");
    drop(kernel);
    assert_eq!(unloaded(), 3);

    let module = load(&context);
    let borrow = || {
        // SAFETY: `module` outlives the borrow.
        unsafe { Module::borrow_raw(module.as_raw(), &context) }
    };
    borrow().close().unwrap();
    drop(borrow());
    drop(borrow().into_raw());
    assert_eq!(unloaded(), 3, "borrowed");
    let raw = module.into_raw().unwrap();
    assert_eq!(unloaded(), 3, "unloaded after into_raw");
    // SAFETY: `into_raw` gave up the handle, and nothing else uses it.
    let code = unsafe { cuda_safe::sys::cuModuleUnload(raw) };
    assert_eq!(code, CUresult::CUDA_SUCCESS);
    context.close().unwrap();
}

#[test]
fn unload_waits_for_kernels() {
    if failure().is_none() {
        return child("unload_waits_for_kernels", "");
    }
    let context = Context::primary(0).unwrap();
    let waits_and_unloads = || {
        let mut calls = calls("cu");
        calls.retain(|call| call == "cuCtxSynchronize" || call == "cuModuleUnload");
        calls
    };
    drop(load(&context));
    assert_eq!(waits_and_unloads(), ["cuCtxSynchronize", "cuModuleUnload"]);
}

#[test]
fn close_returns_errors_of_unloading() {
    let name = "close_returns_errors_of_unloading";
    let failures = [
        "cuModuleUnload:1:CUDA_ERROR_INVALID_HANDLE",
        // The library waits a second time if the first wait fails.
        "cuCtxSynchronize:1:CUDA_ERROR_NOT_PERMITTED,cuCtxSynchronize:2:CUDA_ERROR_NOT_PERMITTED",
    ];
    let Some(failure) = failure() else {
        return failures.iter().for_each(|failure| child(name, failure));
    };
    let context = Context::primary(0).unwrap();
    let module = load(&context);
    let raw = module.as_raw();
    let error = module.close().unwrap_err();
    assert!(failure.starts_with(error.call()), "{error}");
    // SAFETY: the module is still loaded because `close` failed, and nothing else owns it.
    let code = unsafe { cuda_safe::sys::cuModuleUnload(raw) };
    assert_eq!(code, CUresult::CUDA_SUCCESS);
}

/// Returns the error of loading PTX if the driver returns `code`.
fn load_error(code: CUresult) -> Error {
    let context = Context::primary(0).unwrap();
    let error = Module::from_ptx(&context, PTX).unwrap_err();
    assert_eq!(error.call(), "cuModuleLoadDataEx");
    assert_eq!(error.driver_code(), Some(code));
    error
}

#[test]
fn load_errors_explain_each_code() {
    let codes = [
        CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
        CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU,
        CUresult::CUDA_ERROR_INVALID_IMAGE,
        CUresult::CUDA_ERROR_NOT_SUPPORTED,
        CUresult::CUDA_ERROR_OUT_OF_MEMORY,
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS,
    ];
    let inject = |code: CUresult| format!("cuModuleLoadDataEx:1:{}", code.name().unwrap());
    let Some(failure) = failure() else {
        return codes
            .iter()
            .for_each(|&code| child("load_errors_explain_each_code", &inject(code)));
    };
    let code = codes.into_iter().find(|&code| inject(code) == failure);
    let error = load_error(code.unwrap());
    let (kind, detail) = (error.kind(), error.detail());
    let load = ErrorKind::Load { log: String::new() };
    match code.unwrap() {
        CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => {
            assert_eq!(*kind, load);
            let version = driver::version().unwrap();
            assert!(
                detail.contains("the PTX is newer than the driver"),
                "{detail}"
            );
            assert!(detail.contains(&format!("CUDA {version}")), "{detail}");
            assert!(!detail.ends_with('\n'), "{detail:?}");
        }
        CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU => {
            assert_eq!(*kind, load);
            assert!(detail.contains("compute capability 9.0"), "{detail}");
        }
        CUresult::CUDA_ERROR_INVALID_IMAGE => {
            assert_eq!(*kind, load);
            assert_eq!(detail, "");
            assert!(error.to_string().contains("CUDA_ERROR_INVALID_IMAGE"));
        }
        CUresult::CUDA_ERROR_NOT_SUPPORTED => {
            assert_eq!(*kind, load);
            assert!(detail.contains("not supported"), "{detail}");
        }
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
            assert!(matches!(kind, ErrorKind::OutOfMemory { .. }), "{kind:?}");
        }
        _ => assert_eq!(*kind, ErrorKind::Fault),
    }
}

#[test]
fn ptx_is_loaded_if_machine_code_is_rejected() {
    let name = "ptx_is_loaded_if_machine_code_is_rejected";
    let refusals = [
        "NO_BINARY_FOR_GPU",
        "INVALID_IMAGE",
        "INVALID_SOURCE",
        "UNSUPPORTED_PTX_VERSION",
        "NOT_SUPPORTED",
    ];
    let others = ["OUT_OF_MEMORY", "INVALID_PTX", "ILLEGAL_ADDRESS"];
    let inject = |code: &&str| format!("cuModuleLoadDataEx:1:CUDA_ERROR_{code}");
    let Some(failure) = failure() else {
        return refusals
            .iter()
            .chain(&others)
            .for_each(|code| child(name, &inject(code)));
    };
    let context = Context::primary(0).unwrap();
    let program = Program::new("extern \"C\" __global__ void k() {}");
    let loaded = Module::compile(&context, program);
    let attempts = calls("cuModuleLoadDataEx").len();
    if refusals.iter().any(|code| inject(code) == failure) {
        assert_eq!(attempts, 2);
        assert_eq!(loaded.unwrap().function_names().unwrap(), ["k"]);
    } else {
        assert_eq!(attempts, 1);
        assert!(failure.ends_with(loaded.unwrap_err().driver_code().unwrap().name().unwrap()));
    }
}

#[test]
fn function_names_fall_back_to_ptx() {
    let name = "function_names_fall_back_to_ptx";
    if failure().is_none() {
        return child(name, "cuModuleGetFunctionCount:1:CUDA_ERROR_NOT_SUPPORTED");
    }
    let context = Context::primary(0).unwrap();
    let module = load(&context);
    assert_eq!(module.function_names().unwrap(), ["k"]);
    assert_eq!(calls("cuModuleGetFunctionCount").len(), 1);
    assert_eq!(calls("cuModuleEnumerateFunctions").len(), 0);
    assert_eq!(module.function_names().unwrap(), ["k"]);
    assert_eq!(calls("cuModuleEnumerateFunctions").len(), 1);
}

#[test]
fn function_names_fail_without_ptx() {
    if failure().is_none() {
        let failure = "cuModuleGetFunctionCount:1:CUDA_ERROR_NOT_SUPPORTED";
        return child("function_names_fail_without_ptx", failure);
    }
    let context = Context::primary(0).unwrap();
    // SAFETY: the compiler made this file, which is part of the repository.
    let module = unsafe { Module::from_fatbin(&context, include_bytes!("data/kernels.fatbin")) };
    let module = module.unwrap();
    let error = module.function_names().unwrap_err();
    assert_eq!(error.call(), "cuModuleGetFunctionCount");
    assert!(module.function_names().unwrap().contains(&"add".to_owned()));
}
