//! Initialization, error texts, entry points, the trace, and environment variables.

use cuda_emulator_checks::abi::*;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::Mutex;

// Functions that the newest headers no longer declare.
unsafe extern "C" {
    fn cuGetProcAddress(
        symbol: *const c_char,
        place: *mut *mut c_void,
        version: i32,
        flags: u64,
    ) -> CUresult;
}

type GetText = unsafe extern "C" fn(CUresult, *mut *const c_char) -> CUresult;

#[test]
fn initialization_flags_are_rejected() {
    for flags in [1, 2, 0x8000_0000, u32::MAX] {
        invalid!(cuInit(flags));
    }
    ok!(cuInit(0));
    ok!(cuInit(0));
    invalid!(cuInit(1));
    assert_eq!(out!(cuDeviceGetCount(_)), 1);
    assert_eq!(out!(cuDriverGetVersion(_)), 13000);
    invalid!(cuDriverGetVersion(null_mut()));
}

#[test]
#[cfg(unix)] // Windows cannot fork
fn forked_children_cannot_use_the_driver() {
    let _context = Own::new();
    // SAFETY: The child only makes calls that start no threads, and exits.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let mut number = 0;
        // SAFETY: The pointer is valid for writes.
        let code = unsafe {
            let code = cuDeviceGetCount(&mut number);
            if cuDriverGetVersion(&mut number) == SUCCESS {
                code.0
            } else {
                99
            }
        };
        // SAFETY: Ends the child at once, without running the parent's exit handlers.
        unsafe { libc::_exit(code as i32) };
    }
    let mut status = 0;
    // SAFETY: The child belongs to this process.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert!(libc::WIFEXITED(status));
    let rejected = NOT_INITIALIZED.0 as i32;
    assert_eq!(libc::WEXITSTATUS(status), rejected);
    // The parent still works.
    ok!(cuCtxSynchronize());
}

/// Returns the text for a code, if there is one.
fn text(get: GetText, code: u32) -> Option<String> {
    let mut text = c"before".as_ptr();
    // SAFETY: The pointer is valid for writes.
    match unsafe { get(CUresult(code), &mut text) } {
        // SAFETY: The text is static.
        SUCCESS => Some(unsafe { CStr::from_ptr(text) }.to_str().unwrap().into()),
        INVALID if text.is_null() => None,
        other => panic!("{other:?}, {text:p}"),
    }
}

#[test]
fn every_code_has_its_name_and_a_description() {
    let mut known = 0;
    for code in (0..1100).chain([u32::MAX, 1 << 31]) {
        let (name, description) = (text(cuGetErrorName, code), text(cuGetErrorString, code));
        assert_eq!(name.is_some(), description.is_some(), "{code}");
        let header = format!("{:#?}", CUresult(code));
        // The installed header may be older or newer than the driver.
        if let Some(name) = name.filter(|_| header.starts_with("CUDA_")) {
            assert_eq!(name, header);
            known += 1;
        }
        assert!(description.is_none_or(|text| !text.is_empty() && !text.contains('\0')));
    }
    assert!(known > 80, "{known}");
    for (code, description) in [
        (0, "no error"),
        (1, "invalid argument"),
        (2, "out of memory"),
        (3, "initialization error"),
        (201, "invalid device context"),
        (400, "invalid resource handle"),
        (700, "an illegal memory access was encountered"),
        (999, "unknown error"),
    ] {
        assert_eq!(text(cuGetErrorString, code).unwrap(), description);
    }
    for get in [cuGetErrorName as GetText, cuGetErrorString] {
        invalid!(get(CUresult(0), null_mut()));
    }
}

#[test]
fn both_entry_point_functions_agree() {
    // Name, version, flags, the status from the newer function, and the expected address.
    let code = |function: *const ()| function as usize;
    let alloc = code(cuMemAlloc_v2 as *const ());
    let sync = code(cuStreamSynchronize as *const ());
    let own = code(cuStreamSynchronize_ptsz as *const ());
    for (name, version, flags, status, expected) in [
        ("cuMemAlloc", 13000, 0, 0, alloc),
        ("cuMemAlloc", 3020, 0, 0, alloc),
        ("cuMemAlloc", 13000, 2, 0, alloc),
        ("cuStreamSynchronize", 13000, 0, 0, sync),
        ("cuStreamSynchronize", 13000, 1, 0, sync),
        ("cuStreamSynchronize", 13000, 2, 0, own),
        ("cuInit", 2000, 0, 0, code(cuInit as *const ())),
        ("cuInit", 1999, 0, 2, 0),
        ("cuMemAllocAsync", 11010, 0, 2, 0),
        ("cuNoSuchFunction", 13000, 0, 1, 0),
        ("", 13000, 0, 1, 0),
        // Newer than the emulated driver, which does not know them.
        ("cuCheckpointOperationComplete", 13000, 0, 1, 0),
        ("cuCoredumpRegisterStartCallback", 12000, 0, 1, 0),
    ] {
        let symbol = CString::new(name).unwrap();
        let mut place: *mut c_void = (&raw const symbol).cast_mut().cast();
        let (symbol, to, none) = (symbol.as_ptr(), &raw mut place, null_mut());
        let got = out!(cuGetProcAddress_v2(symbol, to, version, flags, _));
        let found = (got.0, place as usize);
        assert_eq!(found, (status, expected), "{name}, {version}, {flags}");
        place = symbol.cast_mut().cast();
        ok!(cuGetProcAddress_v2(symbol, to, version, flags, none));
        assert_eq!(place as usize, expected);
        place = symbol.cast_mut().cast();
        let code = call!(cuGetProcAddress(symbol, to, version, flags));
        assert_eq!(place as usize, expected);
        let wanted = if status == 0 { SUCCESS } else { NOT_FOUND };
        assert_eq!(code, wanted, "{name}, {version}, {flags}");
    }
    let mut place = null_mut();
    let name = c"cuInit".as_ptr();
    for (name, version, flags) in [
        (null(), 13000, 0),
        (name, 13001, 0),
        (name, i32::MAX, 0),
        (name, 13000, 4),
        (name, 13000, 6),
        (name, 13000, 1 << 63),
    ] {
        let mut got = CUdriverProcAddressQueryResult(9);
        invalid!(cuGetProcAddress(name, &mut place, version, flags));
        let (to, status) = (&raw mut place, &raw mut got);
        invalid!(cuGetProcAddress_v2(name, to, version, flags, status));
        assert!(place.is_null() && got.0 == 9);
    }
    invalid!(cuGetProcAddress(name, null_mut(), 13000, 0));
}

#[test]
fn private_tables_are_not_available() {
    let id = CUuuid { bytes: [1; 16] };
    let mut table: *const c_void = (&raw const id).cast();
    fails!(NOT_FOUND, cuGetExportTable(&mut table, &id));
    assert!(table.is_null());
    invalid!(cuGetExportTable(null_mut(), &id));
    invalid!(cuGetExportTable(&mut table, null()));
}

#[test]
fn regions_for_a_profiler_need_a_context() {
    ok!(cuInit(0));
    no_context!(cuProfilerStart());
    no_context!(cuProfilerStop());
    let _context = Own::new();
    ok!(cuProfilerStart());
    ok!(cuProfilerStop());
    let (input, output) = (c"in".as_ptr(), c"out".as_ptr());
    let code = call!(cuProfilerInitialize(input, output, CUoutput_mode(0)));
    assert_eq!(code, PROFILER_DISABLED);
}

static CODES: Mutex<Vec<CUresult>> = Mutex::new(Vec::new());

unsafe extern "C" fn call(stream: *mut c_void) {
    let stream: CUstream = stream.cast();
    let (mut place, mut context, mut other) = (null_mut(), null_mut(), null_mut());
    let (mut number, mut text, mut mode) = (0, null(), CUstreamCaptureMode(0));
    let name = c"cuInit".as_ptr();
    // SAFETY: The result pointers have the right types, and the stream is live.
    *CODES.lock().unwrap() = unsafe {
        vec![
            // Permitted calls, ...
            cuInit(0),
            cuDriverGetVersion(&mut number),
            cuGetErrorName(CUresult(1), &mut text),
            cuGetErrorString(CUresult(1), &mut text),
            cuGetProcAddress(name, &mut place, 13000, 0),
            cuThreadExchangeStreamCaptureMode(&mut mode),
            cuLaunchHostFunc(stream, None, null_mut()),
            // ... and forbidden calls.
            cuDeviceGetCount(&mut number),
            cuCtxGetCurrent(&mut context),
            cuCtxSynchronize(),
            cuProfilerStart(),
            cuStreamCreate(&mut other, 0),
        ]
    };
}

/// Seven of the calls are permitted, whatever their results.
#[test]
fn host_functions_may_make_permitted_calls_only() {
    let _context = Own::new();
    let (stream, other) = (stream(1), stream(1));
    ok!(cuLaunchHostFunc(stream, Some(call), other.cast()));
    ok!(cuStreamSynchronize(stream));
    let codes = CODES.lock().unwrap().clone();
    assert_eq!(codes.len(), 12);
    for (at, code) in codes.iter().enumerate() {
        let rejected = *code == NOT_PERMITTED;
        assert_eq!(rejected, at >= 7, "call {at}: {code:?}");
        if at < 6 {
            assert_eq!(*code, SUCCESS, "call {at}");
        }
    }
}

#[test]
fn the_trace_shows_each_kind_of_argument() {
    if inner() {
        let (mut device, mut buffer) = (-1, [0 as c_char; 50]);
        let (mut uuid, mut all) = (CUuuid::default(), CUdevprop::default());
        let mut table: *const c_void = null();
        println!("{:p} {:p} {:p} {:p}", &device, &buffer, &uuid, &table);
        let _context = Own::new();
        ok!(cuDeviceGet(&mut device, 0));
        fails!(INVALID_DEVICE, cuDeviceGet(&mut device, -5));
        invalid!(cuDeviceGet(null_mut(), 0));
        ok!(cuDeviceGetByPCIBusId(&mut device, c"e:1:0".as_ptr()));
        invalid!(cuDeviceGetByPCIBusId(&mut device, null()));
        ok!(cuDeviceGetName(buffer.as_mut_ptr(), 50, 0));
        ok!(cuDeviceGetUuid_v2(&mut uuid, 0));
        ok!(cuDeviceGetProperties(&mut all, 0));
        fails!(NOT_FOUND, cuGetExportTable(&mut table, &uuid));
        invalid!(cuGetExportTable(&mut table, null()));
        let file = 0x2a as *const c_char;
        let code = call!(cuProfilerInitialize(null(), file, CUoutput_mode(1)));
        assert_eq!(code, PROFILER_DISABLED);
        for value in [0xffff_ffff, 0x1_0000_0000] {
            ok!(cuCtxSetLimit(CUlimit(1), value));
        }
        stale!(cuParamSetf(3 as CUfunction, -4, 1.5));
        invalid!(cuMemsetD8_v2(7, 200, 1));
        std::thread::spawn(|| ok!(cuCtxSetCurrent(null_mut())))
            .join()
            .unwrap();
        assert_eq!(call!(cuCtxSynchronize()), CUresult(5555));
        return;
    }
    let variables = [
        ("CUDA_EMULATOR_TRACE", "1"),
        ("CUDA_EMULATOR_FAIL", "cuCtxSynchronize:1:5555"),
    ];
    let (code, output, trace) = rerun(&variables);
    assert_eq!(code, Some(0), "{trace}");
    let line = output.lines().find(|line| line.contains("0x")).unwrap();
    let line = &line[line.find("0x").unwrap()..];
    let [device, buffer, uuid, table] = line.split(' ').collect::<Vec<_>>()[..] else {
        panic!("{output}");
    };
    for part in [
        "thread 1: cuInit(flags=0) = CUDA_SUCCESS [",
        "cuCtxCreate_v2(pctx=&0x11",
        ",flags=0,dev=0) = CUDA_SUCCESS [",
        "cuDeviceGet(device=&0,ordinal=0) = CUDA_SUCCESS [",
        &format!("cuDeviceGet(device={device},ordinal=-5) = CUDA_ERROR_INVALID_DEVICE ["),
        "cuDeviceGet(device=null,ordinal=0) = CUDA_ERROR_INVALID_VALUE [",
        "cuDeviceGetByPCIBusId(dev=&0,pciBusId=\"e:1:0\") = CUDA_SUCCESS [",
        ",pciBusId=null) = CUDA_ERROR_INVALID_VALUE [",
        &format!("cuDeviceGetName(name={buffer},len=50,dev=0) = CUDA_SUCCESS ["),
        "cuDeviceGetUuid_v2(uuid_=&..,dev=0) = CUDA_SUCCESS [",
        "cuDeviceGetProperties(prop=&..,dev=0) = CUDA_SUCCESS [",
        &format!("(ppExportTable={table},pExportTableId={uuid}) = CUDA_ERROR_NOT_FOUND ["),
        &format!("(ppExportTable={table},pExportTableId=null) = CUDA_ERROR_INVALID_VALUE ["),
        "(configFile=0x0,outputFile=0x2a,outputMode=1) = CUDA_ERROR_PROFILER_DISABLED [",
        "cuCtxSetLimit(limit=CU_LIMIT_PRINTF_FIFO_SIZE,value=4294967295) = CUDA_SUCCESS [",
        "cuCtxSetLimit(limit=CU_LIMIT_PRINTF_FIFO_SIZE,value=0x100000000) = CUDA_SUCCESS [",
        "cuParamSetf(hfunc=3,offset=-4,value=1.5) = CUDA_ERROR_INVALID_HANDLE [",
        "cuMemsetD8_v2(dstDevice=7,uc=200,N=1) = CUDA_ERROR_INVALID_VALUE [",
        "thread 2: cuCtxSetCurrent(ctx=0) = CUDA_SUCCESS [",
        "thread 1: cuCtxSynchronize() = CUresult(5555) (injected) [",
        " us]\n",
    ] {
        assert!(trace.contains(part), "no `{part}` in:\n{trace}");
    }
}

#[test]
fn unwritable_traces_go_to_standard_error() {
    if inner() {
        ok!(cuInit(0));
        return;
    }
    let path = "/nowhere/at/all";
    let (code, _, text) = rerun(&[("CUDA_EMULATOR_TRACE", path)]);
    assert_eq!(code, Some(0), "{text}");
    let message = format!("[cuda-emulator] CUDA_EMULATOR_TRACE={path}: ");
    assert!(text.contains(&message), "{text}");
    assert!(text.contains("cuInit(flags=0) = CUDA_SUCCESS"), "{text}");
}

#[test]
fn failures_can_be_injected_into_unimplemented_calls() {
    let rules = "cuTexRefDestroy:1:2,cuTexRefDestroy:2:700,*:2:1";
    // Suppresses the message that texture references are not supported.
    let variables = [("CUDA_EMULATOR_FAIL", rules), ("CUDA_EMULATOR_QUIET", "1")];
    passes(&variables, || {
        fails!(OUT_OF_MEMORY, cuTexRefDestroy(null_mut()));
        // The first matching rule applies.
        fails!(ILLEGAL_ADDRESS, cuTexRefDestroy(null_mut()));
        fails!(NOT_SUPPORTED, cuTexRefDestroy(null_mut()));
    });
    if !inner() {
        fails!(NOT_SUPPORTED, cuTexRefDestroy(null_mut()));
    }
}

#[test]
#[cfg(unix)] // the size is read from Linux's files
fn device_memory_is_half_of_host_memory() {
    if inner() {
        ok!(cuInit(0));
        let total = out!(cuDeviceTotalMem_v2(_, 0));
        if std::env::var_os("CUDA_EMULATOR_MEMORY").is_some() {
            assert_eq!(total, 5 << 20);
            return;
        }
        let info = std::fs::read_to_string("/proc/meminfo").unwrap();
        let line = info.lines().find(|line| line.starts_with("MemTotal"));
        let kilobytes = line.unwrap().split_whitespace().nth(1).unwrap();
        let mut host = kilobytes.parse::<usize>().unwrap() << 10;
        for path in [
            "/sys/fs/cgroup/memory.max",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        ] {
            let limit = std::fs::read_to_string(path).unwrap_or_default();
            if let Ok(limit) = limit.trim().parse() {
                host = host.min(limit);
                break;
            }
        }
        let megabyte = 1 << 20;
        assert_eq!(total % megabyte, 0);
        assert_eq!(total / megabyte, (host / 2).max(1 << 28) / megabyte);
        return;
    }
    passes(&[], || ());
    passes(&[("CUDA_EMULATOR_MEMORY", "5M")], || ());
}

#[test]
fn a_time_limit_is_an_attribute() {
    let limit = [("CUDA_EMULATOR_TIMEOUT", "30")];
    passes(&limit, || {
        ok!(cuInit(0));
        let limit = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT;
        assert_eq!(device_attribute(limit), 1);
    });
}

#[test]
fn one_of_two_results_may_be_null() {
    let _context = Own::new();
    let module = load(include_str!("../../kernels/kernels.ptx"));
    let name = c"table".as_ptr();
    assert_ne!(out!(cuModuleGetGlobal_v2(_, null_mut(), module, name)), 0);
    assert_eq!(out!(cuModuleGetGlobal_v2(null_mut(), _, module, name)), 64);
    invalid!(cuModuleGetGlobal_v2(null_mut(), null_mut(), module, name));
}
