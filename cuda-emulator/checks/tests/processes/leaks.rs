//! `CUDA_EMULATOR_CHECK=leak`: each kind of thing that a program can leave behind.

use cuda_emulator_checks::abi::*;
use std::ffi::c_void;
use std::ptr::null_mut;

const CHECK: [(&str, &str); 1] = [("CUDA_EMULATOR_CHECK", "leak")];
const PTX: &str = ".version 7.0\n.target sm_50\n.address_size 64\n\
    .visible .global .align 4 .b8 data[64];\n.visible .entry k() { ret; }\n";

/// Runs the test again: without leaking, it ends well; leaking, it ends with the leak check's exit code and names each
/// of the parts and nothing else.
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
        assert!(text.contains(part), "`{part}` isn't in\n{text}");
    }
}

/// The primary context, current; released by the caller.
fn retain() {
    let mut context = null_mut();
    ok!(cuInit(0));
    ok!(cuDevicePrimaryCtxRetain(&mut context, 0));
    ok!(cuCtxSetCurrent(context));
}

const RETAINED: &str = "primary context of device 0, retained 1 times more than released";

#[test]
fn memory_of_every_kind() {
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
    leaks("memory_of_every_kind", &parts, |leak| {
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
fn handles_of_every_kind() {
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
    leaks("handles_of_every_kind", &parts, |leak| {
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
        // Places the library into the context: what a library places, it takes away.
        let mut placed = null_mut();
        ok!(cuKernelGetFunction(&mut placed, kernel));
        // SAFETY: zero is a value of the C struct's.
        let mut properties: CUmemPoolProps = unsafe { std::mem::zeroed() };
        properties.allocType = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.location.type_ = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
        let (mut pool, mut default) = (null_mut(), null_mut());
        ok!(cuMemPoolCreate(&mut pool, &properties));
        // The device's own pool is nobody's leak.
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
    });
}

#[test]
fn what_lives_in_a_context_is_no_leak_after_its_end() {
    let parts = ["library 0x16", "linker 0x19"];
    let test = "what_lives_in_a_context_is_no_leak_after_its_end";
    leaks(test, &parts, |leak| {
        ok!(cuInit(0));
        let mut context = null_mut();
        ok!(cuCtxCreate_v2(&mut context, 0, 0));
        let text = std::ffi::CString::new(PTX).unwrap();
        let (mut library, mut linker) = (null_mut(), null_mut());
        if leak {
            // These don't live in a context.
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
fn the_report_keeps_nobody_waiting() {
    if inner() {
        ok!(cuInit(0));
        let mut context = null_mut();
        ok!(cuCtxCreate_v2(&mut context, 0, 0));
        let mut address = 0;
        ok!(cuMemAllocAsync(&mut address, 16, null_mut()));
        std::process::exit(0);
    }
    // Only frees that are still under way are waited for, a second at most. The best of some, as the machine may be busy.
    let time = |_| {
        let start = std::time::Instant::now();
        let (code, _, text) = rerun("the_report_keeps_nobody_waiting", &CHECK);
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
fn a_context_whose_end_hangs_does_not_hold_the_report_up() {
    if !inner() {
        let test = "a_context_whose_end_hangs_does_not_hold_the_report_up";
        let (code, _, text) = rerun(test, &CHECK);
        assert_eq!(code, Some(99), "{text}");
        assert!(text.contains("stream 0x12"), "{text}");
        return;
    }
    // SAFETY: no arguments that matter. Should the report hang, too.
    unsafe { libc::alarm(30) };
    retain();
    let stream = stream(1);
    ok!(cuLaunchHostFunc(stream, Some(stay), null_mut()));
    // Waits for ever for the stream.
    std::thread::spawn(|| ok!(cuDevicePrimaryCtxRelease_v2(0)));
    std::thread::sleep(std::time::Duration::from_millis(100));
    std::process::exit(0);
}

#[test]
fn a_free_whose_turn_has_not_come() {
    let parts = [
        "(cuMemAllocAsync, 64 bytes",
        "; cuMemFreeAsync was called, but its stream has not reached it",
        RETAINED,
    ];
    if !inner() {
        let test = "a_free_whose_turn_has_not_come";
        // Blocked for ever: a leak. Late, or held: none, so only the context is left.
        let held = ("CUDA_EMULATOR_HOLD", "3600000");
        let (_, _, text) = rerun(test, &[CHECK[0], ("STAY", "1")]);
        for part in parts {
            assert!(text.contains(part), "`{part}` isn't in\n{text}");
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
