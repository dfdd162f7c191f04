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
        invalid!(cuMemFree_v2(address));
        for attribute in [75, 9999].map(CUdevice_attribute) {
            call!(cuDeviceGetAttribute(&mut 0, attribute, 0));
        }
        out!(cuCtxGetCurrent(_));
        invalid!(cuCtxGetCurrent(null_mut()));
        fails!(NOT_SUPPORTED, cuTexRefDestroy(null_mut()));
        return;
    }
    let (code, _, text) = rerun(&[("CUDA_EMULATOR_TRACE", "1")]);
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
    let (_, _, every) = rerun(&[("CUDA_EMULATOR_TRACE", "every")]);
    assert!(every.contains("cuCtxGetCurrent(pctx=&"), "{every}");
    let path = std::env::temp_dir().join(format!("cuda-emulator-trace-{}", std::process::id()));
    let (code, _, text) = rerun(&[("CUDA_EMULATOR_TRACE", path.to_str().unwrap())]);
    assert_eq!(code, Some(0));
    assert!(!text.contains("cuInit"));
    let file = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(file.contains("cuCtxCreate_v2(pctx=&0x11"), "{file}");
}

#[test]
fn chosen_calls_fail() {
    let rules = "cuMemAlloc:2:CUDA_ERROR_OUT_OF_MEMORY,cuCtxSynchronize:1:719";
    with_variables(&[("CUDA_EMULATOR_FAIL", rules)], || {
        let _context = Own::new();
        let first = alloc(16);
        let mut second = 0;
        fails!(OUT_OF_MEMORY, cuMemAlloc_v2(&mut second, 16));
        assert_eq!(second, 0, "the call was not made");
        let third = alloc(16);
        fails!(LAUNCH_FAILED, cuCtxSynchronize());
        ok!(cuCtxSynchronize());
        ok!(cuMemFree_v2(first));
        ok!(cuMemFree_v2(third));
    });
}

#[test]
fn any_call_can_be_made_to_fail() {
    let rules = "*:1:CUDA_ERROR_UNKNOWN,*:3:CUDA_ERROR_NO_DEVICE";
    with_variables(&[("CUDA_EMULATOR_FAIL", rules)], || {
        fails!(UNKNOWN, cuInit(0));
        ok!(cuInit(0));
        fails!(NO_DEVICE, cuDeviceGetCount(&mut 0));
    });
}

#[test]
fn every_call_from_the_nth_on_can_be_made_to_fail() {
    let rules = "cuCtxSynchronize:2+:719";
    with_variables(&[("CUDA_EMULATOR_FAIL", rules)], || {
        let _context = Own::new();
        ok!(cuCtxSynchronize());
        for _ in 0..3 {
            fails!(LAUNCH_FAILED, cuCtxSynchronize());
        }
        // The other calls work.
        let address = alloc(16);
        ok!(cuMemFree_v2(address));
    });
}

#[test]
fn device_memory_is_capped() {
    with_variables(&[("CUDA_EMULATOR_MEMORY", "3M")], || {
        let _context = Own::new();
        let total = out!(cuMemGetInfo_v2(null_mut(), _));
        assert_eq!((free_memory(), total), (3 << 20, 3 << 20));
        let first = alloc(2 << 20);
        let mut second = 0;
        fails!(OUT_OF_MEMORY, cuMemAlloc_v2(&mut second, 2 << 20));
        let code = call!(cuMemAllocAsync(&mut second, 2 << 20, null_mut()));
        assert_eq!(code, OUT_OF_MEMORY);
        assert_eq!(free_memory(), 1 << 20);
        ok!(cuMemFree_v2(first));
        ok!(cuMemAllocAsync(&mut second, 2 << 20, null_mut()));
        ok!(cuMemFreeAsync(second, null_mut()));
        // Pending frees make room.
        ok!(cuMemAllocAsync(&mut second, 2 << 20, null_mut()));
        let pinned = out!(cuMemAllocHost_v2(_, 4 << 20));
        ok!(cuMemFreeHost(pinned));
    });
}

#[test]
fn several_devices_can_be_emulated() {
    let variables = [
        ("CUDA_EMULATOR_DEVICES", "3"),
        ("CUDA_EMULATOR_THREADS", "7"),
    ];
    with_variables(&variables, || {
        ok!(cuInit(0));
        assert_eq!(out!(cuDeviceGetCount(_)), 3);
        let first = out!(cuCtxCreate_v2(_, 0, 0));
        let from = upload(&[1u32, 2, 3]);
        let second = out!(cuCtxCreate_v2(_, 0, 2));
        let to = alloc(12);
        ok!(cuMemcpyPeer(to, second, from, first, 12));
        assert_eq!(download::<u32>(to, 3), [1, 2, 3]);
        assert_eq!(out!(cuDeviceCanAccessPeer(_, 0, 2)), 1);
        assert_eq!(out!(cuDeviceCanAccessPeer(_, 2, 2)), 0);
        ok!(cuCtxEnablePeerAccess(first, 0));
        fails!(PEER_ACCESS_ALREADY_ENABLED, cuCtxEnablePeerAccess(first, 0));
        ok!(cuCtxDisablePeerAccess(first));
        fails!(PEER_ACCESS_NOT_ENABLED, cuCtxDisablePeerAccess(first));
        let mut device = -1i32;
        let ordinal = CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
        ok!(cuPointerGetAttribute((&raw mut device).cast(), ordinal, to));
        assert_eq!(device, 2);
        let processors = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
        assert_eq!(out!(cuDeviceGetAttribute(_, processors, 1)), 7);
    });
}

#[test]
fn zero_devices_can_be_emulated() {
    with_variables(&[("CUDA_EMULATOR_DEVICES", "0")], || {
        fails!(NO_DEVICE, cuInit(0));
        fails!(NOT_INITIALIZED, cuDeviceGetCount(&mut 0));
    });
}

#[test]
fn invalid_values_are_reported_and_stop_initialization() {
    if inner() {
        invalid!(cuInit(0));
        return;
    }
    let (code, _, text) = rerun(&[("CUDA_EMULATOR_CHECK", "leaks")]);
    assert_eq!(code, Some(0), "{text}");
    let part = "CUDA_EMULATOR_CHECK: unknown check `leaks`";
    assert!(text.contains(part), "{text}");
}

/// Returns the code and the text of the query for the reason of an error.
fn reason(context: CUcontext) -> (CUresult, String) {
    unsafe extern "C" {
        fn cuEmulatorGetReport(context: CUcontext, report: *mut *const c_char) -> CUresult;
    }
    let mut report = null();
    let code = call!(cuEmulatorGetReport(context, &mut report));
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
        invalid!(cuInit(0));
        let (code, text) = reason(null_mut());
        assert_eq!(code, SUCCESS);
        assert!(text.starts_with("CUDA_EMULATOR_"), "{text}");
        return;
    }
    let name = "[cuda-emulator] CUDA_EMULATOR_CHEK is not a variable of the emulator \
        (did you mean CUDA_EMULATOR_CHECK?)";
    let function = "the driver has no function `cuLaunchKernal` (did you mean cuLaunchKernel?)";
    let number = "expected a number of bytes, optionally followed by K, M or G";
    for (variable, message) in [
        (("CUDA_EMULATOR_CHEK", "leak"), name),
        (("CUDA_EMULATOR_FAIL", "cuLaunchKernal:1:1"), function),
        (("CUDA_EMULATOR_MEMORY", "64 apples"), number),
    ] {
        let (code, _, text) = rerun(&[variable]);
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains(message), "{text}");
        assert!(text.contains("cuInit fails until this is fixed"), "{text}");
    }
}

/// Calls an emulated function with an unsupported flag.
fn sparse() {
    let descriptor = CUDA_ARRAY3D_DESCRIPTOR {
        Width: 64,
        Height: 64,
        NumChannels: 1,
        Format: CUarray_format::CU_AD_FORMAT_FLOAT,
        Flags: 0x40, // CUDA_ARRAY3D_SPARSE
        ..Default::default()
    };
    fails!(
        NOT_SUPPORTED,
        cuArray3DCreate_v2(&mut null_mut(), &descriptor)
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
    fails!(NOT_SUPPORTED, cuTexRefDestroy(null_mut()));
    let (_, text) = reason(null_mut());
    assert_eq!(text, "cuTexRefDestroy is not emulated");
    // Another error has another reason, and so has another thread.
    assert_eq!(queried().1, expected);
    let elsewhere = std::thread::spawn(|| reason(null_mut())).join().unwrap();
    assert_eq!(elsewhere, (NOT_FOUND, String::new()));
    stale!(cuLinkDestroy(null_mut()));
    assert_eq!(reason(null_mut()).0, NOT_FOUND);
}

#[test]
fn errors_without_a_reason_report_none() {
    if !inner() {
        return with_variables(&[("CUDA_EMULATOR_FAIL", "cuTexRefDestroy:1:1")], || ());
    }
    let rejected = || {
        invalid!(cuDriverGetVersion(null_mut()));
        assert_eq!(reason(null_mut()).0, SUCCESS);
    };
    let none = (NOT_FOUND, String::new());
    rejected();
    fails!(NOT_INITIALIZED, cuDeviceGetCount(&mut 0));
    assert_eq!(reason(null_mut()), none);
    rejected();
    invalid!(cuTexRefDestroy(null_mut())); // injected
    assert_eq!(reason(null_mut()), none);
}

#[test]
fn log_callbacks_keep_the_reason_of_the_failed_call() {
    unsafe extern "C" fn fail(_: *mut c_void, _: u32, _: *mut c_char, _: usize) {
        invalid!(cuDriverGetVersion(null_mut()));
        fails!(NOT_PERMITTED, cuDeviceGetCount(&mut 0));
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
    let handle = out!(cuLogsRegisterCallback(fail, null_mut(), _));
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
    let text = message(call!(cuDriverGetVersion(null_mut())));
    assert_eq!(text, "cuDriverGetVersion: `driverVersion` must not be null");
    let text = message(call!(cuMemcpyHtoD_v2(alloc(4), null(), 4)));
    assert!(text.contains("`srcHost`"), "{text}");
    let get = cuModuleGetFunction;
    let text = message(call!(get(null_mut(), null_mut(), null())));
    let expected = "cuModuleGetFunction: `hfunc`, `name` must not all be null";
    assert_eq!(text, expected);
    let mut range = CUmemAccessDesc::default();
    let text = message(call!(cuMemSetAccess(0, 0, &range, (1 << 20) + 1)));
    let expected = "an array of 1048577 values was passed, but no call accepts more than 1048576";
    assert_eq!(text, expected);
    let text = message(call!(cuMemGetAccess(&mut 0, &raw mut range.location, 77)));
    let begin = "cuMemGetAccess rejected one of its arguments: `flags` = 0x";
    assert!(text.starts_with(begin), "{text}");
    assert!(text.ends_with("`ptr` = 77"), "{text}");
    let text = message(call!(cuDeviceGetName((&raw mut range).cast(), 0, 0)));
    assert_eq!(text, "a buffer of 0 bytes has no room for a text");
    let name = c"\xff".as_ptr();
    let text = message(call!(get(&mut null_mut(), null_mut(), name)));
    assert_eq!(text, "the text \"\\xff\" is not UTF-8");
}

#[test]
fn unused_failure_rules_are_reported_at_exit() {
    if inner() {
        std::mem::forget(Own::new());
        alloc(16);
        let (code, text) = reason(null_mut());
        assert_eq!((code, text.as_str()), (NOT_FOUND, ""));
        return;
    }
    let message = "[cuda-emulator] CUDA_EMULATOR_FAIL: `cuMemAlloc:2:719` never fired: cuMemAlloc was called once\n";
    let rules = ("CUDA_EMULATOR_FAIL", "cuMemAlloc:2:719,cuStreamCreate:1+:1");
    let (code, _, text) = rerun(&[rules]);
    assert_eq!(code, Some(0), "{text}");
    for part in [message, "cuStreamCreate was called 0 times"] {
        assert!(text.contains(part), "{text}");
    }
    // Leaks are reported as well, and determine the exit code.
    let (code, _, text) = rerun(&[rules, ("CUDA_EMULATOR_CHECK", "leak")]);
    assert_eq!(code, Some(99), "{text}");
    for part in [message, "2 leaked at exit"] {
        assert!(text.contains(part), "{text}");
    }
    let (_, _, text) = rerun(&[rules, ("CUDA_EMULATOR_QUIET", "1")]);
    assert_eq!(text, "");
    let (_, _, text) = rerun(&[("CUDA_EMULATOR_FAIL", "cuEventCreate:9:1,cuMemAlloc:9+:1")]);
    assert_eq!(text.matches("never fired").count(), 2, "{text}");
}

#[test]
fn calls_of_nvrtc_alone_do_not_use_the_driver() {
    if inner() {
        ok!(cuInit(0));
        let id = CUuuid { bytes: [7; 16] };
        assert!(result!(cuGetExportTable(_, &id)).is_err());
        if std::env::var("CUDA_EMULATOR_DEVICES").is_ok() {
            out!(cuDeviceGetCount(_));
        }
        return;
    }
    let rule = ("CUDA_EMULATOR_FAIL", "cuMemAlloc:1:2");
    let (code, _, text) = rerun(&[rule]);
    assert_eq!((code, text.as_str()), (Some(0), ""));
    let (code, _, text) = rerun(&[rule, ("CUDA_EMULATOR_DEVICES", "1")]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("never fired"), "{text}");
}

#[test]
fn unemulated_functions_are_reported_once_each() {
    if inner() {
        let _context = Own::new();
        for _ in 0..2 {
            fails!(NOT_SUPPORTED, cuTexRefDestroy(null_mut()));
            sparse();
        }
        // An H200's driver rejects this as well.
        let target = CUflushGPUDirectRDMAWritesTarget(0);
        let scope = CUflushGPUDirectRDMAWritesScope(100);
        fails!(NOT_SUPPORTED, cuFlushGPUDirectRDMAWrites(target, scope));
        return;
    }
    let (code, _, text) = rerun(&[]);
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(
        text,
        "[cuda-emulator] cuTexRefDestroy is not emulated: it does nothing and returns CUDA_ERROR_NOT_SUPPORTED\n\
         [cuda-emulator] cuArray3DCreate_v2 returns CUDA_ERROR_NOT_SUPPORTED: a sparse or \
         deferred-mapping array is not emulated\n"
    );
    let (code, _, text) = rerun(&[("CUDA_EMULATOR_QUIET", "1")]);
    assert_eq!((code, text.as_str()), (Some(0), ""));
}

#[test]
fn programs_that_are_not_tests_get_a_notice() {
    if inner() {
        ok!(cuInit(0));
        ok!(cuInit(0));
        return;
    }
    let (code, _, text) = rerun(&[]);
    assert_eq!((code, text.as_str()), (Some(0), ""));
    // Under another name, the program is not one of cargo's tests.
    let folder = std::env::temp_dir().join(format!("cuda-emulator-program-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let program = folder.join("program");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let run = |quiet: &str| {
        let alone = ["--exact", "--nocapture", "--test-threads=1"];
        let mut command = std::process::Command::new(&program);
        command
            .arg(test_name())
            .args(alone)
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
    let notice = "[cuda-emulator] this program runs on the CUDA emulator, not on a GPU";
    assert!(loud.starts_with(notice), "{loud}");
    assert_eq!(quiet, "");
}

#[test]
fn leaks_are_reported_at_exit() {
    if inner() {
        ok!(cuInit(0));
        out!(cuCtxCreate_v2(_, 0, 0));
        alloc(4321);
        stream(0);
        event(0);
        println!("the program's own output");
        return;
    }
    let (code, output, text) = rerun(&[("CUDA_EMULATOR_CHECK", "leak")]);
    assert_eq!(code, Some(99), "{text}");
    assert!(output.contains("the program's own output"), "{output}");
    // Memory and the event may be why a client has kept the stream and the context.
    let mut rest = text.as_str();
    for part in [
        "4 leaked at exit",
        "(cuMemAlloc, 4321 bytes",
        "event 0x13",
        "\n  possibly in use by the objects above. Fix: free those first, and see whether these are left:\n",
        "stream 0x12",
        "(cuCtxCreate)",
    ] {
        let after = rest.split_once(part).map(|(_, after)| after);
        rest = after.unwrap_or_else(|| panic!("no `{part}` there in:\n{text}"));
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
    let (code, _, text) = rerun(&[("CUDA_EMULATOR_CHECK", "leak")]);
    assert_eq!(code, Some(0), "{text}");
    assert!(!text.contains("leaked"), "{text}");
}

#[test]
fn fault_reports_also_go_to_a_file() {
    let freed = "freed by cuMemFreeAsync on stream 0x12";
    let parts = ["CUDA_ERROR_ILLEGAL_ADDRESS", "64 bytes", freed];
    reports(&[], &parts, || {
        let healthy = Own::new();
        let context = Own::new();
        assert_eq!(reason(healthy.0).0, NOT_FOUND);
        assert_eq!(reason(context.0).0, NOT_FOUND);
        let (first, second) = (stream(1), stream(1));
        let address = out!(cuMemAllocAsync(_, 64, first));
        ok!(cuStreamSynchronize(first));
        let gate = block(second);
        ok!(cuMemsetD8Async(address, 0, 64, second));
        ok!(cuMemFreeAsync(address, first));
        ok!(cuStreamSynchronize(first));
        gate.open();
        fails!(ILLEGAL_ADDRESS, cuStreamSynchronize(second));
        // The program can query the report, too.
        let (code, text) = reason(context.0);
        assert_eq!(code, SUCCESS);
        assert!(text.contains(freed), "{text}");
        assert_eq!(reason(12345 as CUcontext).0, INVALID_CONTEXT);
    });
}

#[test]
fn calls_before_initialization() {
    with_variables(&[], || {
        fails!(NOT_INITIALIZED, cuDeviceGetCount(&mut 0));
        let primary = result!(cuDevicePrimaryCtxRetain(_, 0));
        assert_eq!(primary, Err(NOT_INITIALIZED));
        out!(cuDriverGetVersion(_));
        ok!(cuInit(0));
        out!(cuDeviceGetCount(_));
    });
}
