//! Deliberate faults, as a client of the driver sees them: the code of the next call, and the
//! report.
//!
//! Each test runs this binary again, because reports go to the standard error of a process, and
//! environment variables enable the checks.

use cuda_emulator_checks::abi::*;
use std::ffi::c_void;
use std::ptr::null_mut;

/// Launches a kernel with one block in the current context. Returns the code of the next
/// synchronization.
fn run(kernel: &str, threads: u32, arguments: &mut [*mut c_void]) -> CUresult {
    let function = function(load(FAULTS), kernel);
    assert_eq!(launch(function, 1, threads, null_mut(), arguments), SUCCESS);
    call!(cuCtxSynchronize())
}

/// Runs the test again with the variables, and `inside` in a separate context in that run. It must
/// return the code, and the report must contain all the parts.
#[track_caller]
fn faults(
    variables: &[(&str, &str)],
    parts: &[&str],
    expected: CUresult,
    inside: impl FnOnce() -> CUresult,
) {
    reports(variables, parts, || {
        let _context = Own::new();
        assert_eq!(inside(), expected);
    });
}

#[test]
fn access_past_the_end_of_global_memory() {
    let parts = [
        "CUDA_ERROR_ILLEGAL_ADDRESS",
        "write of 4 bytes at 0x",
        "it is 12 bytes past the end of allocation",
        "(cuMemAlloc, 256 bytes",
        "kernel put, block (0, 0, 0), thread (0, 0, 0)",
        "faults.cu:4",
        "st.global.u32",
    ];
    faults(&[], &parts, ILLEGAL_ADDRESS, || {
        let (place, index) = (alloc(256), 67);
        run("put", 1, &mut [arg(&place), arg(&index)])
    });
}

#[test]
fn reports_name_the_thread_past_the_end() {
    let parts = ["thread (60, 0, 0)", "it is 0 bytes past the end of"];
    faults(&[], &parts, ILLEGAL_ADDRESS, || {
        let (place, index) = (alloc(256), 4);
        run("put", 64, &mut [arg(&place), arg(&index)])
    });
}

#[test]
fn null_pointer_access() {
    let parts = ["is a null pointer, or an offset from one"];
    faults(&[], &parts, ILLEGAL_ADDRESS, || {
        let (place, index) = (0u64, 3);
        run("put", 1, &mut [arg(&place), arg(&index)])
    });
}

#[test]
fn access_past_the_end_of_shared_memory() {
    let parts = [
        "CUDA_ERROR_ILLEGAL_ADDRESS",
        "write of 4 bytes at shared address 0x40",
        "4 bytes past the end of the block's 64 bytes of shared memory",
        "kernel shared_past",
        "faults.cu:8",
    ];
    faults(&[], &parts, ILLEGAL_ADDRESS, || {
        let (out, index) = (alloc(4), 16);
        run("shared_past", 1, &mut [arg(&out), arg(&index)])
    });
}

#[test]
fn access_past_the_end_of_local_memory() {
    let parts = [
        "CUDA_ERROR_ILLEGAL_ADDRESS",
        "read of 4 bytes at local address 0x10",
        "outside the 16 bytes of the thread's local memory in use",
        "kernel local_past",
        "faults.cu:14",
    ];
    faults(&[], &parts, ILLEGAL_ADDRESS, || {
        let (out, index) = (alloc(4), 4);
        run("local_past", 1, &mut [arg(&out), arg(&index)])
    });
}

#[test]
fn access_past_the_end_of_constant_memory() {
    let parts = [
        "CUDA_ERROR_ILLEGAL_ADDRESS",
        "read of 4 bytes at 0x",
        "it is 0 bytes past the end of allocation",
        "(module variable `table`, 16 bytes",
        "kernel constant_past",
        "ld.const",
    ];
    faults(&[], &parts, ILLEGAL_ADDRESS, || {
        let (out, index) = (alloc(4), 4);
        run("constant_past", 1, &mut [arg(&out), arg(&index)])
    });
}

#[test]
fn misaligned_write() {
    let parts = [
        "CUDA_ERROR_MISALIGNED_ADDRESS",
        "misaligned write of 4 bytes at 0x",
        "the address must be a multiple of 4",
        "kernel put_odd",
        "faults.cu:5",
    ];
    faults(&[], &parts, MISALIGNED_ADDRESS, || {
        let place = alloc(8);
        run("put_odd", 1, &mut [arg(&place)])
    });
}

#[test]
fn use_after_free() {
    let parts = [
        "CUDA_ERROR_ILLEGAL_ADDRESS",
        "write of 4 bytes at 0x",
        "it is 8 bytes into allocation",
        "(cuMemAlloc, 64 bytes",
        "which was freed by cuMemFree",
        "kernel put",
    ];
    faults(&[], &parts, ILLEGAL_ADDRESS, || {
        let (place, index) = (alloc(64), 2);
        ok!(cuMemFree_v2(place));
        run("put", 1, &mut [arg(&place), arg(&index)])
    });
}

#[test]
fn memory_freed_while_a_stream_uses_it() {
    let parts = [
        "CUDA_ERROR_ILLEGAL_ADDRESS",
        "(cuMemAllocAsync, 64 bytes",
        "which was freed by cuMemFreeAsync on stream 0x",
        "kernel put",
    ];
    reports(&[], &parts, || {
        let _context = Own::new();
        let put = function(load(FAULTS), "put");
        let (first, second) = (stream(1), stream(1));
        let (place, index) = (out!(cuMemAllocAsync(_, 64, first)), 0);
        ok!(cuStreamSynchronize(first));
        // The kernel of the second stream is late, and the first stream does not wait for it.
        let gate = block(second);
        ok!(launch(put, 1, 1, second, &mut [arg(&place), arg(&index)]));
        ok!(cuMemFreeAsync(place, first));
        ok!(cuStreamSynchronize(first));
        gate.open();
        fails!(ILLEGAL_ADDRESS, cuStreamSynchronize(second));
    });
}

const UNINIT: [(&str, &str); 1] = [("CUDA_EMULATOR_CHECK", "uninit")];

#[test]
fn read_of_uninitialized_global_memory() {
    let parts = [
        "CUDA_ERROR_LAUNCH_FAILED",
        "read of 4 bytes at 0x",
        "which has never been written",
        "(cuMemAlloc, 128 bytes",
        "thread (16, 0, 0)",
        "faults.cu:18",
    ];
    faults(&UNINIT, &parts, LAUNCH_FAILED, || {
        let (from, to) = (alloc(128), alloc(128));
        ok!(cuMemsetD32_v2(from, 1, 16));
        let code = run("read_global", 16, &mut [arg(&to), arg(&from)]);
        assert_eq!(code, SUCCESS, "memory written by the copy may be read");
        run("read_global", 32, &mut [arg(&to), arg(&from)])
    });
}

#[test]
fn atomic_on_uninitialized_memory() {
    let parts = ["which has never been written", "kernel count_up"];
    faults(&UNINIT, &parts, LAUNCH_FAILED, || {
        let counter = alloc(4);
        run("count_up", 32, &mut [arg(&counter)])
    });
}

#[test]
fn read_of_uninitialized_local_memory() {
    let parts = [
        "CUDA_ERROR_LAUNCH_FAILED",
        "read of 4 bytes at local address 0x14, which the thread has not written",
        "kernel read_local",
        "thread (5, 0, 0)",
    ];
    faults(&UNINIT, &parts, LAUNCH_FAILED, || {
        let (out, all, some) = (alloc(128), 8, 5);
        assert_eq!(run("read_local", 32, &mut [arg(&out), arg(&all)]), SUCCESS);
        run("read_local", 32, &mut [arg(&out), arg(&some)])
    });
}

#[test]
fn read_of_local_memory_left_by_an_earlier_call() {
    let parts = [
        "which the thread has not written",
        "kernel read_frame, in function",
        "sum_local",
    ];
    faults(&UNINIT, &parts, LAUNCH_FAILED, || {
        let (out, all, some) = (alloc(128), 8, 7);
        assert_eq!(run("read_frame", 32, &mut [arg(&out), arg(&all)]), SUCCESS);
        run("read_frame", 32, &mut [arg(&out), arg(&some)])
    });
}

const RACE: [(&str, &str); 1] = [("CUDA_EMULATOR_CHECK", "race")];

#[test]
fn a_race_on_shared_memory() {
    let parts = [
        "CUDA_ERROR_LAUNCH_FAILED",
        "race on shared memory: write of 4 bytes at shared address",
        "no barrier since the",
        "kernel shared_race",
        "faults.cu:3",
    ];
    faults(&RACE, &parts, LAUNCH_FAILED, || {
        let out = alloc(256);
        run("shared_race", 64, &mut [arg(&out)])
    });
}

/// The checks that the guides recommend, and `all`.
const CHECKS: [[(&str, &str); 1]; 2] = [
    [("CUDA_EMULATOR_CHECK", "uninit,race,barrier,leak")],
    [("CUDA_EMULATOR_CHECK", "all")],
];

#[test]
fn a_missing_barrier_with_all_checks() {
    let parts = [
        "CUDA_ERROR_LAUNCH_FAILED",
        "race on shared memory: write of 4 bytes at shared address 0x80 by thread (32, 0, 0), and no barrier since the read by \
         thread (31, 0, 0)\nthe read came too early: no thread had written there\nFix: put a barrier between the two",
        "  the read, by thread (31, 0, 0):\n    source: faults.cu:37\n",
        "kernel shared_race, block (0, 0, 0), thread (32, 0, 0)\n  source: faults.cu:36\n",
    ];
    let [checks, _] = CHECKS;
    faults(&checks, &parts, LAUNCH_FAILED, || {
        let out = alloc(256);
        run("shared_race", 64, &mut [arg(&out)])
    });
}

#[test]
fn a_race_between_blocks() {
    let parts = [
        "CUDA_ERROR_LAUNCH_FAILED",
        "race on global memory: ",
        "and nothing orders the two blocks after the ",
        "(cuMemAlloc, 4 bytes",
        "contains it\nFix: use an atomic such as atomicAdd for both",
        "kernel add_one, block (",
        "faults.cu:",
    ];
    let [_, all] = CHECKS;
    faults(&all, &parts, LAUNCH_FAILED, || {
        let blocks = |kernel: &str, argument: &CUdeviceptr| {
            let function = function(load(FAULTS), kernel);
            launch(function, 256, 1, null_mut(), &mut [arg(argument)])
        };
        let (place, counter) = (upload(&[0]), upload(&[0]));
        assert_eq!(blocks("count_up", &counter), SUCCESS);
        assert_eq!(download::<i32>(counter, 1), [256]);
        assert_eq!(blocks("add_one", &place), SUCCESS);
        call!(cuCtxSynchronize())
    });
}

#[test]
fn atomics_do_not_race_with_each_other() {
    passes(&[("CUDA_EMULATOR_CHECK", "race,uninit,barrier")], || {
        let _context = Own::new();
        let out = alloc(512);
        assert_eq!(run("shared_histogram", 128, &mut [arg(&out)]), SUCCESS);
        assert_eq!(download::<i32>(out, 128), [32; 128]);
    });
}

#[test]
fn a_divergent_barrier() {
    let parts = [
        "CUDA_ERROR_LAUNCH_FAILED",
        "divergent barrier: threads of the block wait at barrier 0 in two places",
        "one place, where 32 threads wait, the first of them thread (0, 0, 0):\n    source: faults.cu:48\n",
        "kernel divergent, block (0, 0, 0), thread (32, 0, 0)\n  source: faults.cu:49\n",
    ];
    let variables = [("CUDA_EMULATOR_CHECK", "barrier")];
    faults(&variables, &parts, LAUNCH_FAILED, || {
        let out = alloc(256);
        run("divergent", 64, &mut [arg(&out)])
    });
}

#[test]
fn a_thread_that_ends_before_a_barrier() {
    let parts = [
        "CUDA_ERROR_LAUNCH_FAILED",
        "divergent barrier: 32 of the block's 64 threads wait at barrier 0, 32 have ended without reaching it\nFix: let all threads",
        "the end of thread (32, 0, 0):\n    source: faults.cu:",
        "the barrier, where 32 threads wait, the first of them thread (0, 0, 0):\n  kernel early, block (0, 0, 0), thread (0, 0, 0)\n  \
         source: faults.cu:106\n",
    ];
    let variables = [("CUDA_EMULATOR_CHECK", "barrier")];
    faults(&variables, &parts, LAUNCH_FAILED, || {
        let out = alloc(256);
        run("early", 64, &mut [arg(&out)])
    });
}

#[test]
fn stack_overflow() {
    let parts = [
        "CUDA_ERROR_HARDWARE_STACK_ERROR",
        "stack overflow",
        "nested calls",
        "CU_LIMIT_STACK_SIZE",
        "kernel deep, in function",
        "endless",
    ];
    faults(&[], &parts, HARDWARE_STACK_ERROR, || {
        let place = upload(&[1; 8]);
        run("deep", 1, &mut [arg(&place)])
    });
}

#[test]
fn endless_loop() {
    let parts = [
        "CUDA_ERROR_LAUNCH_TIMEOUT",
        "the kernel ran longer than the time limit of 200ms",
        "kernel forever",
        "faults.cu:57",
    ];
    let variables = [("CUDA_EMULATOR_TIMEOUT", "0.2")];
    faults(&variables, &parts, LAUNCH_TIMEOUT, || {
        let flag = upload(&[0]);
        run("forever", 64, &mut [arg(&flag)])
    });
}

#[test]
fn a_kernel_that_runs_for_ten_seconds_is_noted() {
    if inner() {
        let _context = Own::new();
        let flag = upload(&[0]);
        assert_eq!(run("forever", 64, &mut [arg(&flag)]), LAUNCH_TIMEOUT);
        return;
    }
    let variables = [("CUDA_EMULATOR_TIMEOUT", "10.5")];
    let (code, _, text) = rerun(&variables);
    assert_eq!(code, Some(0), "{text}");
    let notice = "[cuda-emulator] kernel forever has been running for 10 s: block (0, 0, 0), thread (0, 0, 0) is at \
                  faults.cu:57. CUDA_EMULATOR_TIMEOUT stops it after 10.5s\n";
    assert_eq!(text.matches(notice).count(), 1, "{text}");
    let (_, _, text) = rerun(&[variables[0], ("CUDA_EMULATOR_QUIET", "1")]);
    assert!(!text.contains("has been running"), "{text}");
}

#[test]
#[cfg_attr(
    windows,
    ignore = "the program ends by ExitProcess, which skips the check"
)]
fn a_leak_at_exit() {
    if inner() {
        let _context = Own::new();
        let kept = alloc(1234);
        let freed = alloc(77);
        ok!(cuMemFree_v2(freed));
        let (out, module) = (alloc(128), load(FAULTS));
        let heap = function(module, "heap");
        assert_eq!(launch(heap, 1, 32, null_mut(), &mut [arg(&out)]), SUCCESS);
        ok!(cuCtxSynchronize());
        ok!(cuMemFree_v2(out));
        ok!(cuModuleUnload(module));
        assert_ne!(kept, 0);
        // Exits without destroying the context, like `exit()`.
        std::process::exit(0);
    }
    let (code, _, text) = rerun(&[("CUDA_EMULATOR_CHECK", "leak")]);
    assert_eq!(code, Some(99), "{text}");
    for part in [
        "2 leaked at exit",
        "(cuMemAlloc, 1234 bytes",
        "(cuCtxCreate)",
    ] {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
    assert!(!text.contains("77 bytes"), "{text}");
}

#[test]
fn traps_and_breakpoints() {
    let parts = [
        "CUDA_ERROR_LAUNCH_FAILED",
        "the kernel executed `trap`",
        "kernel stop",
        "the kernel executed `brkpt`",
        "kernel breakpoint",
    ];
    reports(&[], &parts, || {
        each(["stop", "breakpoint"], |kernel| {
            let _context = Own::new();
            assert_eq!(run(kernel, 32, &mut []), LAUNCH_FAILED);
        });
    });
}

#[test]
fn an_assertion() {
    let parts = [
        "CUDA_ERROR_ASSERT",
        "faults.cu:",
        "check(int): block: [0,0,0], thread: [0,0,0] Assertion `n == 4 && \"n is four\"` failed.",
    ];
    faults(&[], &parts, ASSERT, || {
        let (right, wrong) = (4, 5);
        assert_eq!(run("check", 32, &mut [arg(&right)]), SUCCESS);
        run("check", 32, &mut [arg(&wrong)])
    });
}

#[test]
fn printf() {
    let output = passes(&[], || {
        let _context = Own::new();
        let value = 2.754f64;
        assert_eq!(run("speak", 2, &mut [arg(&value)]), SUCCESS);
    });
    if !inner() {
        for thread in 0..2 {
            let line = format!("block 0, thread {thread}: text  2.75 c%\n");
            assert!(output.contains(&line), "{output}");
        }
    }
}

#[test]
fn memory_from_the_heap() {
    let _context = Own::new();
    let out = alloc(128);
    assert_eq!(run("heap", 32, &mut [arg(&out)]), SUCCESS);
    let want: Vec<i32> = (0..32).map(|t| 120 + 16 * t).collect();
    assert_eq!(download::<i32>(out, 32), want);
    let limit = out!(cuCtxGetLimit(_, CUlimit::CU_LIMIT_MALLOC_HEAP_SIZE));
    let code = run("heap_all", 1, &mut [arg(&out), arg(&(limit + 1))]);
    assert_eq!(code, SUCCESS);
    let is_null = download::<i32>(out, 1);
    assert_eq!(is_null, [1], "an allocation that exceeds the heap");
}

#[test]
fn faults_in_memory_from_the_heap() {
    let parts = [
        "kernel heap_past",
        "past the end of allocation",
        "malloc in a kernel, 64 bytes",
        "kernel heap_freed",
        "which was freed by free in a kernel",
        "kernel heap_twice",
    ];
    let kernels = ["heap_past", "heap_freed", "heap_twice"];
    reports(&[], &parts, || {
        each(kernels, |kernel| {
            let _context = Own::new();
            let place = alloc(64);
            match kernel {
                "heap_twice" => assert_ne!(run(kernel, 1, &mut [arg(&place)]), SUCCESS),
                _ => assert_eq!(run(kernel, 1, &mut []), ILLEGAL_ADDRESS, "{kernel}"),
            }
        });
    });
}
