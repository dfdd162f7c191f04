//! The environment variables. Each test runs this binary again with variables set.

use cuda_emulator_checks::abi::*;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};

#[test]
fn trace_shows_calls_arguments_and_results() {
    if inner() {
        let _context = Own::new();
        let address = alloc(1000);
        ok!(cuMemFree_v2(address));
        fails!(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(address));
        let mut number = 0;
        for attribute in [75, 9999] {
            let attribute = CUdevice_attribute(attribute);
            // SAFETY: The pointer is valid for writes.
            unsafe { cuDeviceGetAttribute(&mut number, attribute, 0) };
        }
        let mut context = null_mut();
        ok!(cuCtxGetCurrent(&mut context));
        fails!(CUDA_ERROR_INVALID_VALUE, cuCtxGetCurrent(null_mut()));
        fails!(CUDA_ERROR_NOT_SUPPORTED, cuTexRefDestroy(null_mut()));
        return;
    }
    let test = "trace_shows_calls_arguments_and_results";
    let (code, _, text) = rerun(test, &[("CUDA_EMULATOR_TRACE", "1")]);
    assert_eq!(code, Some(0), "{text}");
    for part in [
        "thread 1: cuInit(flags=0) = CUDA_SUCCESS",
        "cuMemAlloc_v2(dptr=&0x",
        "bytesize=1000) = CUDA_SUCCESS",
        "= CUDA_ERROR_INVALID_VALUE",
        "the emulator doesn't implement cuTexRefDestroy",
        "attrib=CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,dev=0) = CUDA_SUCCESS",
        "attrib=9999,dev=0) = CUDA_ERROR_INVALID_VALUE",
        "cuCtxGetCurrent(pctx=null) = CUDA_ERROR_INVALID_VALUE",
    ] {
        assert!(text.contains(part), "no {part} in:\n{text}");
    }
    assert!(!text.contains("cuCtxGetCurrent(pctx=&"), "{text}");
    let (_, _, every) = rerun(test, &[("CUDA_EMULATOR_TRACE", "every")]);
    assert!(every.contains("cuCtxGetCurrent(pctx=&"), "{every}");
    let path = std::env::temp_dir().join(format!("cuda-emulator-trace-{}", std::process::id()));
    let (code, _, text) = rerun(test, &[("CUDA_EMULATOR_TRACE", path.to_str().unwrap())]);
    assert_eq!(code, Some(0));
    assert!(!text.contains("cuInit"));
    let file = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(file.contains("cuCtxCreate_v2(pctx=&0x11"), "{file}");
}

#[test]
fn chosen_calls_fail() {
    if inner() {
        let _context = Own::new();
        let first = alloc(16);
        let mut second = 0;
        fails!(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc_v2(&mut second, 16));
        assert_eq!(second, 0, "the call was not made");
        let third = alloc(16);
        fails!(CUDA_ERROR_LAUNCH_FAILED, cuCtxSynchronize());
        ok!(cuCtxSynchronize());
        ok!(cuMemFree_v2(first));
        ok!(cuMemFree_v2(third));
        return;
    }
    let rules = "cuMemAlloc:2:CUDA_ERROR_OUT_OF_MEMORY,cuCtxSynchronize:1:719";
    let (code, _, text) = rerun("chosen_calls_fail", &[("CUDA_EMULATOR_FAIL", rules)]);
    assert_eq!(code, Some(0), "{text}");
}

#[test]
fn any_call_can_be_made_to_fail() {
    if inner() {
        fails!(CUDA_ERROR_UNKNOWN, cuInit(0));
        ok!(cuInit(0));
        let mut count = 0;
        fails!(CUDA_ERROR_NO_DEVICE, cuDeviceGetCount(&mut count));
        return;
    }
    let rules = "*:1:CUDA_ERROR_UNKNOWN,*:3:CUDA_ERROR_NO_DEVICE";
    let (code, _, text) = rerun(
        "any_call_can_be_made_to_fail",
        &[("CUDA_EMULATOR_FAIL", rules)],
    );
    assert_eq!(code, Some(0), "{text}");
}

#[test]
fn every_call_from_the_nth_on_can_be_made_to_fail() {
    if inner() {
        let _context = Own::new();
        ok!(cuCtxSynchronize());
        for _ in 0..3 {
            fails!(CUDA_ERROR_LAUNCH_FAILED, cuCtxSynchronize());
        }
        // The other calls work.
        let address = alloc(16);
        ok!(cuMemFree_v2(address));
        return;
    }
    let test = "every_call_from_the_nth_on_can_be_made_to_fail";
    let rules = "cuCtxSynchronize:2+:719";
    let (code, _, text) = rerun(test, &[("CUDA_EMULATOR_FAIL", rules)]);
    assert_eq!(code, Some(0), "{text}");
}

#[test]
fn device_memory_is_capped() {
    if inner() {
        let _context = Own::new();
        let (mut free, mut total) = (0, 0);
        ok!(cuMemGetInfo_v2(&mut free, &mut total));
        assert_eq!((free, total), (3 << 20, 3 << 20));
        let first = alloc(2 << 20);
        let mut second = 0;
        fails!(
            CUDA_ERROR_OUT_OF_MEMORY,
            cuMemAlloc_v2(&mut second, 2 << 20)
        );
        fails!(
            CUDA_ERROR_OUT_OF_MEMORY,
            cuMemAllocAsync(&mut second, 2 << 20, null_mut())
        );
        ok!(cuMemGetInfo_v2(&mut free, &mut total));
        assert_eq!(free, 1 << 20);
        ok!(cuMemFree_v2(first));
        ok!(cuMemAllocAsync(&mut second, 2 << 20, null_mut()));
        ok!(cuMemFreeAsync(second, null_mut()));
        // Pending frees make room.
        ok!(cuMemAllocAsync(&mut second, 2 << 20, null_mut()));
        let mut pinned = null_mut();
        ok!(cuMemAllocHost_v2(&mut pinned, 4 << 20));
        ok!(cuMemFreeHost(pinned));
        return;
    }
    let (code, _, text) = rerun("device_memory_is_capped", &[("CUDA_EMULATOR_MEMORY", "3M")]);
    assert_eq!(code, Some(0), "{text}");
}

#[test]
fn several_devices_can_be_emulated() {
    if inner() {
        ok!(cuInit(0));
        let mut count = 0;
        ok!(cuDeviceGetCount(&mut count));
        assert_eq!(count, 3);
        let (mut first, mut second) = (null_mut(), null_mut());
        ok!(cuCtxCreate_v2(&mut first, 0, 0));
        let from = upload(&[1u32, 2, 3]);
        ok!(cuCtxCreate_v2(&mut second, 0, 2));
        let to = alloc(12);
        ok!(cuMemcpyPeer(to, second, from, first, 12));
        assert_eq!(download::<u32>(to, 3), [1, 2, 3]);
        let mut can = 0;
        ok!(cuDeviceCanAccessPeer(&mut can, 0, 2));
        assert_eq!(can, 1);
        ok!(cuDeviceCanAccessPeer(&mut can, 2, 2));
        assert_eq!(can, 0);
        ok!(cuCtxEnablePeerAccess(first, 0));
        fails!(
            CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED,
            cuCtxEnablePeerAccess(first, 0)
        );
        ok!(cuCtxDisablePeerAccess(first));
        fails!(
            CUDA_ERROR_PEER_ACCESS_NOT_ENABLED,
            cuCtxDisablePeerAccess(first)
        );
        let mut device = -1;
        ok!(cuPointerGetAttribute(
            std::ptr::from_mut(&mut device).cast(),
            CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
            to
        ));
        assert_eq!(device, 2);
        let mut processors = 0;
        ok!(cuDeviceGetAttribute(
            &mut processors,
            CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
            1
        ));
        assert_eq!(processors, 7);
        return;
    }
    let variables = [
        ("CUDA_EMULATOR_DEVICES", "3"),
        ("CUDA_EMULATOR_THREADS", "7"),
    ];
    let (code, _, text) = rerun("several_devices_can_be_emulated", &variables);
    assert_eq!(code, Some(0), "{text}");
}

#[test]
fn zero_devices_can_be_emulated() {
    if inner() {
        fails!(CUDA_ERROR_NO_DEVICE, cuInit(0));
        let mut count = 0;
        fails!(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&mut count));
        return;
    }
    let (code, _, text) = rerun(
        "zero_devices_can_be_emulated",
        &[("CUDA_EMULATOR_DEVICES", "0")],
    );
    assert_eq!(code, Some(0), "{text}");
}

#[test]
fn invalid_values_are_reported_and_stop_initialization() {
    if inner() {
        fails!(CUDA_ERROR_INVALID_VALUE, cuInit(0));
        return;
    }
    let test = "invalid_values_are_reported_and_stop_initialization";
    let (code, _, text) = rerun(test, &[("CUDA_EMULATOR_CHECK", "leaks")]);
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains("CUDA_EMULATOR_CHECK: `leaks` is unknown"),
        "{text}"
    );
}

/// Returns the code and the text of the query for the reason of an error.
fn reason(context: CUcontext) -> (CUresult, String) {
    unsafe extern "C" {
        fn cuEmulatorGetReport(context: CUcontext, report: *mut *const c_char) -> CUresult;
    }
    let mut report = std::ptr::null();
    // SAFETY: The pointer is valid for writes.
    let code = unsafe { cuEmulatorGetReport(context, &mut report) };
    if report.is_null() {
        return (code, String::new());
    }
    // SAFETY: The text is NUL-terminated, and valid until the next call that fails.
    let text = unsafe { CStr::from_ptr(report) };
    (code, text.to_str().unwrap().into())
}

#[test]
fn unknown_variables_are_reported_and_stop_initialization() {
    if inner() {
        fails!(CUDA_ERROR_INVALID_VALUE, cuInit(0));
        let (code, text) = reason(null_mut());
        assert_eq!(code, SUCCESS);
        assert!(text.starts_with("CUDA_EMULATOR_"), "{text}");
        return;
    }
    let test = "unknown_variables_are_reported_and_stop_initialization";
    for (name, value, message) in [
        (
            "CUDA_EMULATOR_CHEK",
            "leak",
            "[cuda-emulator] CUDA_EMULATOR_CHEK is not a variable of the emulator (did you mean CUDA_EMULATOR_CHECK?)",
        ),
        (
            "CUDA_EMULATOR_FAIL",
            "cuLaunchKernal:1:1",
            "the driver has no function `cuLaunchKernal` (did you mean cuLaunchKernel?)",
        ),
        (
            "CUDA_EMULATOR_MEMORY",
            "64 apples",
            "expected a number of bytes, optionally followed by K, M or G",
        ),
    ] {
        let (code, _, text) = rerun(test, &[(name, value)]);
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains(message), "{text}");
        assert!(text.contains("cuInit fails until this is fixed"), "{text}");
    }
}

/// Calls an emulated function with an unsupported flag.
fn sparse() {
    let mut array = null_mut();
    let descriptor = CUDA_ARRAY3D_DESCRIPTOR {
        Width: 64,
        Height: 64,
        NumChannels: 1,
        Format: CUarray_format::CU_AD_FORMAT_FLOAT,
        Flags: 0x40, // CUDA_ARRAY3D_SPARSE
        ..Default::default()
    };
    fails!(
        CUDA_ERROR_NOT_SUPPORTED,
        cuArray3DCreate_v2(&mut array, &descriptor)
    );
}

#[test]
fn unemulated_features_are_the_reason_of_the_last_error() {
    let _context = Own::new();
    let queried = || {
        sparse();
        reason(null_mut())
    };
    let expected = "a sparse or deferred-mapping array is not emulated";
    assert_eq!(queried(), (SUCCESS, expected.into()));
    fails!(CUDA_ERROR_NOT_SUPPORTED, cuTexRefDestroy(null_mut()));
    let (_, text) = reason(null_mut());
    assert_eq!(text, "cuTexRefDestroy is not emulated");
    // Another error has another reason, and so has another thread.
    assert_eq!(queried().1, expected);
    let elsewhere = std::thread::spawn(|| reason(null_mut())).join().unwrap();
    assert_eq!(elsewhere, (CUresult::CUDA_ERROR_NOT_FOUND, String::new()));
    fails!(CUDA_ERROR_INVALID_HANDLE, cuLinkDestroy(null_mut()));
    assert_eq!(reason(null_mut()).0, CUresult::CUDA_ERROR_NOT_FOUND);
}

#[test]
fn errors_without_a_reason_report_none() {
    let test = "errors_without_a_reason_report_none";
    if !inner() {
        let (code, _, text) = rerun(test, &[("CUDA_EMULATOR_FAIL", "cuTexRefDestroy:1:1")]);
        return assert_eq!(code, Some(0), "{text}");
    }
    let rejected = || {
        fails!(CUDA_ERROR_INVALID_VALUE, cuDriverGetVersion(null_mut()));
        assert_eq!(reason(null_mut()).0, SUCCESS);
    };
    let none = (CUresult::CUDA_ERROR_NOT_FOUND, String::new());
    rejected();
    let mut count = 0;
    fails!(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&mut count));
    assert_eq!(reason(null_mut()), none);
    rejected();
    fails!(CUDA_ERROR_INVALID_VALUE, cuTexRefDestroy(null_mut())); // injected
    assert_eq!(reason(null_mut()), none);
}

#[test]
fn log_callbacks_keep_the_reason_of_the_failed_call() {
    unsafe extern "C" fn fail(_: *mut c_void, _: u32, _: *mut c_char, _: usize) {
        let mut count = 0;
        fails!(CUDA_ERROR_INVALID_VALUE, cuDriverGetVersion(null_mut()));
        fails!(CUDA_ERROR_NOT_PERMITTED, cuDeviceGetCount(&mut count));
    }
    type Function = unsafe extern "C" fn(*mut c_void, u32, *mut c_char, usize);
    unsafe extern "C" {
        fn cuLogsRegisterCallback(
            function: Function,
            data: *mut c_void,
            handle: *mut *mut c_void,
        ) -> CUresult;
        fn cuLogsUnregisterCallback(handle: *mut c_void) -> CUresult;
    }
    let _context = Own::new();
    let mut handle = null_mut();
    ok!(cuLogsRegisterCallback(fail, null_mut(), &mut handle));
    sparse();
    let expected = "a sparse or deferred-mapping array is not emulated";
    assert_eq!(reason(null_mut()).1, expected);
    ok!(cuLogsUnregisterCallback(handle));
}

#[test]
fn rejected_arguments_have_a_reason() {
    let _context = Own::new();
    let message = |code: CUresult| {
        assert_eq!(code, INVALID);
        reason(null_mut()).1
    };
    // SAFETY: The driver rejects these null pointers, numbers and texts. The other arguments are
    // valid.
    unsafe {
        assert_eq!(
            message(cuDriverGetVersion(null_mut())),
            "cuDriverGetVersion: `driverVersion` must not be null"
        );
        let text = message(cuMemcpyHtoD_v2(alloc(4), null(), 4));
        assert!(text.contains("`srcHost`"), "{text}");
        assert_eq!(
            message(cuModuleGetFunction(null_mut(), null_mut(), null())),
            "cuModuleGetFunction: `hfunc`, `name` must not all be null"
        );
        let mut range = CUmemAccessDesc::default();
        assert_eq!(
            message(cuMemSetAccess(0, 0, &range, (1 << 20) + 1)),
            "an array of 1048577 values was passed, but no call accepts more than 1048576"
        );
        let text = message(cuMemGetAccess(&mut 0, &raw mut range.location, 77));
        let begin = "cuMemGetAccess rejected one of its arguments: `flags` = 0x";
        assert!(
            text.starts_with(begin) && text.ends_with("`ptr` = 77"),
            "{text}"
        );
        assert_eq!(
            message(cuDeviceGetName((&raw mut range).cast(), 0, 0)),
            "a buffer of 0 bytes has no room for a text"
        );
        let mut function = null_mut();
        let text = message(cuModuleGetFunction(
            &mut function,
            null_mut(),
            c"\xff".as_ptr(),
        ));
        assert_eq!(text, "the text \"\\xff\" is not UTF-8");
    }
}

#[test]
fn unused_failure_rules_are_reported_at_exit() {
    if inner() {
        std::mem::forget(Own::new());
        alloc(16);
        let (code, text) = reason(null_mut());
        assert_eq!((code, text.as_str()), (CUresult::CUDA_ERROR_NOT_FOUND, ""));
        return;
    }
    let test = "unused_failure_rules_are_reported_at_exit";
    let message = "[cuda-emulator] CUDA_EMULATOR_FAIL: `cuMemAlloc:2:719` never fired: cuMemAlloc was called once\n";
    let rules = ("CUDA_EMULATOR_FAIL", "cuMemAlloc:2:719,cuStreamCreate:1+:1");
    let (code, _, text) = rerun(test, &[rules]);
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains(message) && text.contains("cuStreamCreate was called 0 times"),
        "{text}"
    );
    // Leaks are reported as well, and determine the exit code.
    let (code, _, text) = rerun(test, &[rules, ("CUDA_EMULATOR_CHECK", "leak")]);
    assert_eq!(code, Some(99), "{text}");
    assert!(
        text.contains(message) && text.contains("2 leaked at exit"),
        "{text}"
    );
    let (_, _, text) = rerun(test, &[rules, ("CUDA_EMULATOR_QUIET", "1")]);
    assert_eq!(text, "");
    let (_, _, text) = rerun(
        test,
        &[("CUDA_EMULATOR_FAIL", "cuEventCreate:9:1,cuMemAlloc:9+:1")],
    );
    assert_eq!(text.matches("never fired").count(), 2, "{text}");
}

#[test]
fn calls_of_nvrtc_alone_do_not_use_the_driver() {
    if inner() {
        let mut table = null();
        ok!(cuInit(0));
        // SAFETY: The id has 16 bytes, and the pointer is valid for writes.
        let code = unsafe { cuGetExportTable(&mut table, &CUuuid { bytes: [7; 16] }) };
        assert_ne!(code, SUCCESS);
        if std::env::var("CUDA_EMULATOR_DEVICES").is_ok() {
            let mut count = 0;
            ok!(cuDeviceGetCount(&mut count));
        }
        return;
    }
    let test = "calls_of_nvrtc_alone_do_not_use_the_driver";
    let rule = ("CUDA_EMULATOR_FAIL", "cuMemAlloc:1:2");
    let (code, _, text) = rerun(test, &[rule]);
    assert_eq!((code, text.as_str()), (Some(0), ""));
    let (code, _, text) = rerun(test, &[rule, ("CUDA_EMULATOR_DEVICES", "1")]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("never fired"), "{text}");
}

#[test]
fn unemulated_functions_are_reported_once_each() {
    if inner() {
        let _context = Own::new();
        for _ in 0..2 {
            fails!(CUDA_ERROR_NOT_SUPPORTED, cuTexRefDestroy(null_mut()));
            sparse();
        }
        // An H200's driver rejects this as well.
        fails!(
            CUDA_ERROR_NOT_SUPPORTED,
            cuFlushGPUDirectRDMAWrites(
                CUflushGPUDirectRDMAWritesTarget::CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX,
                CUflushGPUDirectRDMAWritesScope::CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER
            )
        );
        return;
    }
    let test = "unemulated_functions_are_reported_once_each";
    let (code, _, text) = rerun(test, &[]);
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(
        text,
        "[cuda-emulator] cuTexRefDestroy is not emulated: it does nothing and returns CUDA_ERROR_NOT_SUPPORTED\n\
         [cuda-emulator] cuArray3DCreate_v2 returns CUDA_ERROR_NOT_SUPPORTED: a sparse or \
         deferred-mapping array is not emulated\n"
    );
    let (code, _, text) = rerun(test, &[("CUDA_EMULATOR_QUIET", "1")]);
    assert_eq!((code, text.as_str()), (Some(0), ""));
}

#[test]
fn programs_that_are_not_tests_get_a_notice() {
    if inner() {
        ok!(cuInit(0));
        ok!(cuInit(0));
        return;
    }
    let test = "programs_that_are_not_tests_get_a_notice";
    let (code, _, text) = rerun(test, &[]);
    assert_eq!((code, text.as_str()), (Some(0), ""));
    // Under another name, the program is not one of cargo's tests.
    let folder = std::env::temp_dir().join(format!("cuda-emulator-program-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let program = folder.join("program");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let run = |quiet: &str| {
        let mut command = std::process::Command::new(&program);
        command
            .args([
                &full_name(test),
                "--exact",
                "--nocapture",
                "--test-threads=1",
            ])
            .env("RERUN", "1")
            .env_remove("NEXTEST")
            .env("CUDA_EMULATOR_QUIET", quiet);
        // A child that another test starts may hold the copy open for writing until it executes its
        // own program.
        let output = loop {
            match command.output() {
                Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {
                    std::thread::sleep(std::time::Duration::from_millis(5));
                }
                output => break output.unwrap(),
            }
        };
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let (loud, quiet) = (run("0"), run("1"));
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(loud.lines().count(), 1, "{loud}");
    assert!(
        loud.starts_with("[cuda-emulator] this program runs on the CUDA emulator, not on a GPU"),
        "{loud}"
    );
    assert_eq!(quiet, "");
}

#[test]
fn leaks_are_reported_at_exit() {
    if inner() {
        let mut context = null_mut();
        ok!(cuInit(0));
        ok!(cuCtxCreate_v2(&mut context, 0, 0));
        alloc(4321);
        stream(0);
        event(0);
        println!("the program's own output");
        return;
    }
    let (code, output, text) = rerun(
        "leaks_are_reported_at_exit",
        &[("CUDA_EMULATOR_CHECK", "leak")],
    );
    assert_eq!(code, Some(99), "{text}");
    assert!(output.contains("the program's own output"), "{output}");
    for part in [
        "4 leaked at exit",
        "(cuMemAlloc, 4321 bytes",
        "stream 0x12",
        "event 0x13",
        "(cuCtxCreate)",
    ] {
        assert!(text.contains(part), "no {part} in:\n{text}");
    }
}

#[test]
fn no_report_without_a_leak() {
    if inner() {
        let primary = Primary::new();
        let address = alloc(4321);
        let (stream, event) = (stream(0), event(0));
        ok!(cuMemFree_v2(address));
        ok!(cuStreamDestroy_v2(stream));
        ok!(cuEventDestroy_v2(event));
        drop(primary);
        return;
    }
    let (code, _, text) = rerun(
        "no_report_without_a_leak",
        &[("CUDA_EMULATOR_CHECK", "leak")],
    );
    assert_eq!(code, Some(0), "{text}");
    assert!(!text.contains("leaked"), "{text}");
}

#[test]
fn fault_reports_also_go_to_a_file() {
    if inner() {
        let healthy = Own::new();
        let context = Own::new();
        assert_eq!(reason(healthy.0).0, CUresult::CUDA_ERROR_NOT_FOUND);
        assert_eq!(reason(context.0).0, CUresult::CUDA_ERROR_NOT_FOUND);
        let (first, second) = (stream(1), stream(1));
        let mut address = 0;
        ok!(cuMemAllocAsync(&mut address, 64, first));
        ok!(cuStreamSynchronize(first));
        let gate = block(second);
        ok!(cuMemsetD8Async(address, 0, 64, second));
        ok!(cuMemFreeAsync(address, first));
        ok!(cuStreamSynchronize(first));
        gate.open();
        fails!(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(second));
        // The program can query the report, too.
        let (code, text) = reason(context.0);
        assert_eq!(code, SUCCESS);
        assert!(
            text.contains("freed by cuMemFreeAsync on stream 0x12"),
            "{text}"
        );
        assert_eq!(
            reason(12345 as CUcontext).0,
            CUresult::CUDA_ERROR_INVALID_CONTEXT
        );
        return;
    }
    let path = std::env::temp_dir().join(format!("cuda-emulator-report-{}", std::process::id()));
    let variables = [("CUDA_EMULATOR_REPORT", path.to_str().unwrap())];
    let (code, _, text) = rerun("fault_reports_also_go_to_a_file", &variables);
    assert_eq!(code, Some(0), "{text}");
    let file = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    for part in [
        "CUDA_ERROR_ILLEGAL_ADDRESS",
        "64 bytes",
        "freed by cuMemFreeAsync on stream 0x12",
    ] {
        assert!(file.contains(part), "no {part} in:\n{file}");
        assert!(text.contains(part), "no {part} in:\n{text}");
    }
}

#[test]
fn calls_before_initialization() {
    if inner() {
        let mut count = 0;
        fails!(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&mut count));
        let mut context = null_mut();
        fails!(
            CUDA_ERROR_NOT_INITIALIZED,
            cuDevicePrimaryCtxRetain(&mut context, 0)
        );
        ok!(cuDriverGetVersion(&mut count));
        ok!(cuInit(0));
        ok!(cuDeviceGetCount(&mut count));
        return;
    }
    let (code, _, text) = rerun("calls_before_initialization", &[]);
    assert_eq!(code, Some(0), "{text}");
}
