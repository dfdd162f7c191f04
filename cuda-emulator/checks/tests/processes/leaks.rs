//! `CUDA_EMULATOR_CHECK=leak`: each kind of object that a program can leak.

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::graphs::{RELAXED, begin, end};
use cuda_emulator_checks::pools::pool;
use std::ffi::c_void;
use std::ptr::null_mut;

const CHECK: [(&str, &str); 1] = [("CUDA_EMULATOR_CHECK", "leak")];
const PTX: &str = ".version 7.0\n.target sm_50\n.address_size 64\n\
    .visible .global .align 4 .b8 data[64];\n.visible .entry k() { ret; }\n\0";

/// Runs the test again twice. Without a leak, it must succeed. With a leak, it must end with the
/// exit code of the leak check, and the report must contain exactly the parts.
fn leaks(parts: &[&str], inside: impl FnOnce(bool)) {
    const LEAK: &str = "EMULATOR_TEST_LEAK";
    if inner() {
        return inside(std::env::var(LEAK).is_ok_and(|value| value == "1"));
    }
    let (code, output, text) = rerun(&[CHECK[0], (LEAK, "0")]);
    assert_eq!(code, Some(0), "{output}{text}");
    assert!(!text.contains("leaked"), "{text}");
    let (code, output, text) = rerun(&[CHECK[0], (LEAK, "1")]);
    assert_eq!(code, Some(99), "{output}{text}");
    let count = format!("[cuda-emulator] {} leaked at exit:\n", parts.len());
    assert!(text.contains(&count), "{text}");
    for part in parts {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
}

/// Retains the primary context and makes it current. The caller releases it.
fn retain() {
    ok!(cuInit(0));
    let context = out!(cuDevicePrimaryCtxRetain(_, 0));
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
        "(cuMemAllocHost, 44 bytes at 0x",
        "(cuMemHostAlloc, 55 bytes at 0x",
        "(cuMemHostRegister, 66 bytes at 0x",
        RETAINED,
    ];
    leaks(&parts, |leak| {
        retain();
        let (plain, mut pitch) = (alloc(11), 0);
        let pitched = out!(cuMemAllocPitch_v2(_, &mut pitch, 100, 2, 4));
        assert_eq!(pitch, 512);
        let ordered = out!(cuMemAllocAsync(_, 22, null_mut()));
        let managed = out!(cuMemAllocManaged(_, 33, 1));
        let pinned = out!(cuMemAllocHost_v2(_, 44));
        let allocated = out!(cuMemHostAlloc(_, 55, 0));
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
    leaks(&parts, |leak| {
        retain();
        let (stream, event, module) = (stream(0), event(0), load(PTX.trim_end_matches('\0')));
        let function = function(module, "k");
        let library = load_library(PTX.as_bytes()).unwrap();
        // Loads the library into the context. Unloading the library also removes this module.
        let placed = out!(cuKernelGetFunction(_, kernel(library, c"k")));
        let pool = pool(0, 0);
        // The device's default pool is not a leak.
        out!(cuDeviceGetDefaultMemPool(_, 0));
        let linker = linker();
        // The graph of an empty capture.
        begin(stream, RELAXED);
        let graph = end(stream);
        let context = out!(cuCtxCreate_v2(_, 0, 0));
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
fn objects_of_destroyed_contexts_are_not_leaks() {
    let parts = ["library 0x16", "linker 0x19"];
    leaks(&parts, |leak| {
        ok!(cuInit(0));
        let context = out!(cuCtxCreate_v2(_, 0, 0));
        if leak {
            // These do not belong to a context.
            load_library(PTX.as_bytes()).unwrap();
            linker();
        }
        let (_, _, _, _) = (
            stream(0),
            event(0),
            alloc(16),
            load(PTX.trim_end_matches('\0')),
        );
        ok!(cuCtxDestroy_v2(context));
    });
}

#[test]
fn several_retains_are_counted() {
    let parts = ["primary context of device 0, retained 2 times more than released"];
    leaks(&parts, |leak| {
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
#[cfg_attr(
    windows,
    ignore = "the program ends by ExitProcess, which skips the check"
)]
fn the_leak_report_does_not_delay_exit() {
    if inner() {
        ok!(cuInit(0));
        out!(cuCtxCreate_v2(_, 0, 0));
        out!(cuMemAllocAsync(_, 16, null_mut()));
        std::process::exit(0);
    }
    // The report waits only for pending frees, for a second at most. The test uses the best of
    // several times, because the machine may be busy.
    let time = |_| {
        let start = std::time::Instant::now();
        let (code, _, text) = rerun(&CHECK);
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
#[cfg_attr(
    windows,
    ignore = "the program ends by ExitProcess, which skips the check"
)]
fn hanging_context_destruction_does_not_block_the_report() {
    if !inner() {
        let (code, _, text) = rerun(&CHECK);
        assert_eq!(code, Some(99), "{text}");
        assert!(text.contains("stream 0x12"), "{text}");
        return;
    }
    // Ends the test if the report hangs.
    end_after(30);
    retain();
    let stream = stream(1);
    ok!(cuLaunchHostFunc(stream, Some(stay), null_mut()));
    // Waits forever for the stream.
    std::thread::spawn(|| ok!(cuDevicePrimaryCtxRelease_v2(0)));
    std::thread::sleep(std::time::Duration::from_millis(100));
    std::process::exit(0);
}

#[test]
#[cfg_attr(
    windows,
    ignore = "the program ends by ExitProcess, which skips the check"
)]
fn frees_that_never_run_are_leaks() {
    let parts = [
        "(cuMemAllocAsync, 64 bytes",
        "; cuMemFreeAsync was called, but its stream has not reached it",
        RETAINED,
    ];
    if !inner() {
        // If the stream is blocked forever, the memory is a leak. If the free is late or held, it
        // is not, so only the context is left.
        let held = ("CUDA_EMULATOR_HOLD", "3600000");
        let (_, _, text) = rerun(&[CHECK[0], ("STAY", "1")]);
        for part in parts {
            assert!(text.contains(part), "no `{part}` in:\n{text}");
        }
        for variables in [&[CHECK[0]][..], &[CHECK[0], held]] {
            let (code, _, text) = rerun(variables);
            assert_eq!(code, Some(99), "{text}");
            assert!(text.contains("] 1 leaked at exit:\n"), "{text}");
            assert!(text.contains(RETAINED), "{text}");
        }
        return;
    }
    retain();
    let late = 2 as CUstream;
    let address = out!(cuMemAllocAsync(_, 64, late));
    let function = match std::env::var_os("STAY") {
        Some(_) => stay,
        None => pause,
    };
    ok!(cuLaunchHostFunc(late, Some(function), null_mut()));
    ok!(cuMemFreeAsync(address, late));
    std::process::exit(0);
}
