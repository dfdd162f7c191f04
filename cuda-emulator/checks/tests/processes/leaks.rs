//! `CUDA_EMULATOR_CHECK=leak`: each kind of object that a program can leak.

use cuda_emulator_checks::abi::*;
use std::ffi::c_void;
use std::ptr::null_mut;

const CHECK: [(&str, &str); 1] = [("CUDA_EMULATOR_CHECK", "leak")];
const PTX: &str = ".version 7.0\n.target sm_50\n.address_size 64\n\
    .visible .global .align 4 .b8 data[64];\n.visible .entry k() { ret; }\n";

/// Runs the test again twice. Without a leak, it must succeed. With a leak, it must end with the
/// exit code of the leak check, and the report must contain exactly the parts.
fn leaks(test: &str, parts: &[&str], inside: impl FnOnce(bool)) {
    const LEAK: &str = "EMULATOR_TEST_LEAK";
    if inner() {
        return inside(std::env::var(LEAK).is_ok_and(|value| value == "1"));
    }
    let (code, output, text) = rerun(test, &[CHECK[0], (LEAK, "0")]);
    assert_eq!(code, Some(0), "{output}{text}");
    assert!(!text.contains("leaked"), "{text}");
    let (code, output, text) = rerun(test, &[CHECK[0], (LEAK, "1")]);
    assert_eq!(code, Some(99), "{output}{text}");
    let count = format!("[cuda-emulator] {} leaked at exit:\n", parts.len());
    assert!(text.contains(&count), "{text}");
    for part in parts {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
}

/// Retains the primary context and makes it current. The caller releases it.
fn retain() {
    let mut context = null_mut();
    ok!(cuInit(0));
    ok!(cuDevicePrimaryCtxRetain(&mut context, 0));
    ok!(cuCtxSetCurrent(context));
}

const RETAINED: &str = "primary context of device 0, retained 1 times more than released";

#[test]
fn leaked_memory_of_every_kind_is_reported() {
    let parts = [
        "(cuMemAlloc, 11 bytes at 0x",
        "(cuMemAlloc, 1024 bytes at 0x",
        "(cuMemAllocAsync, 22 bytes at 0x",
        "(cuMemAllocManaged, 33 bytes at 0x",
        "(cuMemHostAlloc, 44 bytes at 0x",
        "(cuMemHostAlloc, 55 bytes at 0x",
        "(cuMemHostRegister, 66 bytes at 0x",
        RETAINED,
    ];
    leaks("leaked_memory_of_every_kind_is_reported", &parts, |leak| {
        retain();
        let (mut pitched, mut pitch, mut ordered, mut managed) = (0, 0, 0, 0);
        let (mut pinned, mut allocated) = (null_mut(), null_mut());
        let plain = alloc(11);
        ok!(cuMemAllocPitch_v2(&mut pitched, &mut pitch, 100, 2, 4));
        assert_eq!(pitch, 512);
        ok!(cuMemAllocAsync(&mut ordered, 22, null_mut()));
        ok!(cuMemAllocManaged(&mut managed, 33, 1));
        ok!(cuMemAllocHost_v2(&mut pinned, 44));
        ok!(cuMemHostAlloc(&mut allocated, 55, 0));
        let own: *mut c_void = Box::leak(Box::new([0u8; 66])).as_mut_ptr().cast();
        ok!(cuMemHostRegister_v2(own, 66, 0));
        if leak {
            return;
        }
        for address in [plain, pitched, managed] {
            ok!(cuMemFree_v2(address));
        }
        ok!(cuMemFreeAsync(ordered, null_mut()));
        ok!(cuMemFreeHost(pinned));
        ok!(cuMemFreeHost(allocated));
        ok!(cuMemHostUnregister(own));
        ok!(cuDevicePrimaryCtxRelease_v2(0));
    });
}

#[test]
fn leaked_handles_of_every_kind_are_reported() {
    let parts = [
        "stream 0x12",
        "event 0x13",
        "module 0x14",
        "library 0x16",
        "memory pool 0x18",
        "linker 0x19",
        "graph 0x1a",
        "(cuCtxCreate)",
        RETAINED,
    ];
    leaks(
        "leaked_handles_of_every_kind_are_reported",
        &parts,
        |leak| {
            retain();
            let (stream, event, module) = (stream(0), event(0), load(PTX));
            let function = function(module, "k");
            let text = std::ffi::CString::new(PTX).unwrap();
            let (mut library, mut kernel) = (null_mut(), null_mut());
            ok!(cuLibraryLoadData(
                &mut library,
                text.as_ptr().cast(),
                null_mut(),
                null_mut(),
                0,
                null_mut(),
                null_mut(),
                0
            ));
            ok!(cuLibraryGetKernel(&mut kernel, library, c"k".as_ptr()));
            // Loads the library into the context. Unloading the library also removes this module.
            let mut placed = null_mut();
            ok!(cuKernelGetFunction(&mut placed, kernel));
            // SAFETY: Zero is a valid value of the C struct.
            let mut properties: CUmemPoolProps = unsafe { std::mem::zeroed() };
            properties.allocType = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
            properties.location.type_ = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
            let (mut pool, mut default) = (null_mut(), null_mut());
            ok!(cuMemPoolCreate(&mut pool, &properties));
            // The device's default pool is not a leak.
            ok!(cuDeviceGetDefaultMemPool(&mut default, 0));
            let mut linker = null_mut();
            ok!(cuLinkCreate_v2(0, null_mut(), null_mut(), &mut linker));
            // The graph of an empty capture.
            let (mut graph, mode) = (null_mut(), CUstreamCaptureMode(2));
            ok!(cuStreamBeginCapture_v2(stream, mode));
            ok!(cuStreamEndCapture(stream, &mut graph));
            let mut context = null_mut();
            ok!(cuCtxCreate_v2(&mut context, 0, 0));
            assert_ne!((function, placed), (null_mut(), null_mut()));
            if leak {
                return;
            }
            ok!(cuCtxDestroy_v2(context));
            ok!(cuGraphDestroy(graph));
            ok!(cuLinkDestroy(linker));
            ok!(cuMemPoolDestroy(pool));
            ok!(cuLibraryUnload(library));
            ok!(cuModuleUnload(module));
            ok!(cuEventDestroy_v2(event));
            ok!(cuStreamDestroy_v2(stream));
            ok!(cuDevicePrimaryCtxRelease_v2(0));
        },
    );
}

#[test]
fn objects_of_destroyed_contexts_are_not_leaks() {
    let parts = ["library 0x16", "linker 0x19"];
    let test = "objects_of_destroyed_contexts_are_not_leaks";
    leaks(test, &parts, |leak| {
        ok!(cuInit(0));
        let mut context = null_mut();
        ok!(cuCtxCreate_v2(&mut context, 0, 0));
        let text = std::ffi::CString::new(PTX).unwrap();
        let (mut library, mut linker) = (null_mut(), null_mut());
        if leak {
            // These do not belong to a context.
            ok!(cuLibraryLoadData(
                &mut library,
                text.as_ptr().cast(),
                null_mut(),
                null_mut(),
                0,
                null_mut(),
                null_mut(),
                0
            ));
            ok!(cuLinkCreate_v2(0, null_mut(), null_mut(), &mut linker));
        }
        let (_, _, _, _) = (stream(0), event(0), alloc(16), load(PTX));
        ok!(cuCtxDestroy_v2(context));
    });
}

#[test]
fn several_retains_are_counted() {
    let parts = ["primary context of device 0, retained 2 times more than released"];
    leaks("several_retains_are_counted", &parts, |leak| {
        retain();
        retain();
        retain();
        ok!(cuDevicePrimaryCtxRelease_v2(0));
        if !leak {
            ok!(cuDevicePrimaryCtxRelease_v2(0));
            ok!(cuDevicePrimaryCtxRelease_v2(0));
        }
    });
}

#[test]
fn the_leak_report_does_not_delay_exit() {
    if inner() {
        ok!(cuInit(0));
        let mut context = null_mut();
        ok!(cuCtxCreate_v2(&mut context, 0, 0));
        let mut address = 0;
        ok!(cuMemAllocAsync(&mut address, 16, null_mut()));
        std::process::exit(0);
    }
    // The report waits only for pending frees, for a second at most. The test uses the best of
    // several times, because the machine may be busy.
    let time = |_| {
        let start = std::time::Instant::now();
        let (code, _, text) = rerun("the_leak_report_does_not_delay_exit", &CHECK);
        assert_eq!(code, Some(99), "{text}");
        start.elapsed()
    };
    let best = (0..5).map(time).min().unwrap();
    assert!(best < std::time::Duration::from_secs(1), "{best:?}");
}

unsafe extern "C" fn pause(_: *mut c_void) {
    std::thread::sleep(std::time::Duration::from_millis(100));
}

unsafe extern "C" fn stay(_: *mut c_void) {
    loop {
        std::thread::park();
    }
}

#[test]
fn hanging_context_destruction_does_not_block_the_report() {
    if !inner() {
        let test = "hanging_context_destruction_does_not_block_the_report";
        let (code, _, text) = rerun(test, &CHECK);
        assert_eq!(code, Some(99), "{text}");
        assert!(text.contains("stream 0x12"), "{text}");
        return;
    }
    // SAFETY: The call has no requirements. The alarm ends the test if the report hangs.
    unsafe { libc::alarm(30) };
    retain();
    let stream = stream(1);
    ok!(cuLaunchHostFunc(stream, Some(stay), null_mut()));
    // Waits forever for the stream.
    std::thread::spawn(|| ok!(cuDevicePrimaryCtxRelease_v2(0)));
    std::thread::sleep(std::time::Duration::from_millis(100));
    std::process::exit(0);
}

#[test]
fn frees_that_never_run_are_leaks() {
    let parts = [
        "(cuMemAllocAsync, 64 bytes",
        "; cuMemFreeAsync was called, but its stream has not reached it",
        RETAINED,
    ];
    if !inner() {
        let test = "frees_that_never_run_are_leaks";
        // If the stream is blocked forever, the memory is a leak. If the free is late or held, it
        // is not, so only the context is left.
        let held = ("CUDA_EMULATOR_HOLD", "3600000");
        let (_, _, text) = rerun(test, &[CHECK[0], ("STAY", "1")]);
        for part in parts {
            assert!(text.contains(part), "no `{part}` in:\n{text}");
        }
        for variables in [&[CHECK[0]][..], &[CHECK[0], held]] {
            let (code, _, text) = rerun(test, variables);
            assert_eq!(code, Some(99), "{text}");
            assert!(text.contains("] 1 leaked at exit:\n"), "{text}");
            assert!(text.contains(RETAINED), "{text}");
        }
        return;
    }
    retain();
    let (mut address, late) = (0, 2 as CUstream);
    ok!(cuMemAllocAsync(&mut address, 64, late));
    let function = match std::env::var_os("STAY") {
        Some(_) => stay,
        None => pause,
    };
    ok!(cuLaunchHostFunc(late, Some(function), null_mut()));
    ok!(cuMemFreeAsync(address, late));
    std::process::exit(0);
}
