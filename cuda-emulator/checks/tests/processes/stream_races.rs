//! `CUDA_EMULATOR_CHECK=stream`: queued work on the same memory that nothing orders.
//!
//! Each test runs this binary again with the variable. A race is a fault of the work that runs
//! last, whatever the timing.

mod graphs;

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::graphs::{add_kernel, kernel_params};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::mpsc;

const CHECK: [(&str, &str); 1] = [("CUDA_EMULATOR_CHECK", "stream")];
const BLOCKING: u32 = 0;
const NON_BLOCKING: u32 = 1;
/// The calling thread's default stream.
const PER_THREAD: CUstream = 2 as CUstream;
const LEGACY: CUstream = null_mut();

/// Kernels whose thread `t` accesses word `t * step + shift`: `put` writes it, `get` reads it,
/// `count` adds to it atomically. `grow` writes to memory of the device heap, which it frees.
const KERNELS: &str = "
.version 7.8
.target sm_80
.address_size 64
.file 1 \"words.cu\"
.extern .func (.param .b64 r) malloc (.param .b64 n);
.extern .func free (.param .b64 p);
.visible .entry put(.param .u64 p, .param .u32 step, .param .u32 shift)
{
	.reg .b32 %r<6>; .reg .b64 %d<4>;
	ld.param.u64 %d1, [p]; ld.param.u32 %r1, [step]; ld.param.u32 %r2, [shift];
	mov.u32 %r3, %tid.x;
	mad.lo.u32 %r4, %r3, %r1, %r2;
	mad.wide.u32 %d2, %r4, 4, %d1;
	.loc 1 3 0
	st.global.u32 [%d2], %r3;
	ret;
}
.visible .entry get(.param .u64 p, .param .u32 step, .param .u32 shift)
{
	.reg .b32 %r<6>; .reg .b64 %d<4>;
	ld.param.u64 %d1, [p]; ld.param.u32 %r1, [step]; ld.param.u32 %r2, [shift];
	mov.u32 %r3, %tid.x;
	mad.lo.u32 %r4, %r3, %r1, %r2;
	mad.wide.u32 %d2, %r4, 4, %d1;
	.loc 1 9 0
	ld.global.u32 %r5, [%d2];
	ret;
}
.visible .entry count(.param .u64 p, .param .u32 step, .param .u32 shift)
{
	.reg .b32 %r<6>; .reg .b64 %d<4>;
	ld.param.u64 %d1, [p]; ld.param.u32 %r1, [step]; ld.param.u32 %r2, [shift];
	mov.u32 %r3, %tid.x;
	mad.lo.u32 %r4, %r3, %r1, %r2;
	mad.wide.u32 %d2, %r4, 4, %d1;
	.loc 1 15 0
	atom.global.add.u32 %r5, [%d2], 1;
	ret;
}
.visible .entry grow(.param .u64 p, .param .u32 step, .param .u32 shift)
{
	.reg .b64 %d<4>;
	{ .param .b64 n; .param .b64 r; st.param.b64 [n], 64; call.uni (r), malloc, (n); ld.param.b64 %d1, [r]; }
	st.u64 [%d1], %d1;
	{ .param .b64 q; st.param.b64 [q], %d1; call.uni free, (q); }
	ret;
}
";

/// Two streams and 4096 bytes that both use.
struct Scene {
    _context: Own,
    module: CUmodule,
    a: CUstream,
    b: CUstream,
    x: CUdeviceptr,
}

impl Scene {
    fn new(flags: u32) -> Scene {
        Scene {
            _context: Own::new(),
            module: load(KERNELS),
            a: stream(flags),
            b: stream(flags),
            x: alloc(4096),
        }
    }

    /// Launches a kernel for 32 words of memory.
    fn run_at(&self, name: &str, on: CUstream, at: CUdeviceptr, step: u32, shift: u32) {
        let mut arguments = [arg(&at), arg(&step), arg(&shift)];
        let kernel = function(self.module, name);
        assert_eq!(launch(kernel, 1, 32, on, &mut arguments), SUCCESS);
    }

    /// Launches a kernel for the first 32 words.
    fn run(&self, name: &str, on: CUstream) {
        self.run_at(name, on, self.x, 1, 0);
    }

    fn copy(&self, on: CUstream) {
        ok!(cuMemcpyDtoDAsync_v2(self.x + 2048, self.x, 128, on));
    }

    /// Adds a kernel for the first 32 words to a graph.
    fn node(&self, graph: CUgraph, on: &[CUgraphNode], name: &str) -> CUgraphNode {
        let (step, shift) = (1u32, 0u32);
        let mut arguments = [arg(&self.x), arg(&step), arg(&shift)];
        let mut params = kernel_params(function(self.module, name), &mut arguments);
        params.blockDimX = 32;
        add_kernel(graph, on, &params)
    }
}

/// Makes the work of one stream wait for that of another.
fn after(earlier: CUstream, later: CUstream) {
    let event = event(2);
    ok!(cuEventRecord(event, earlier));
    ok!(cuStreamWaitEvent(later, event, 0));
    ok!(cuEventDestroy_v2(event));
}

/// The work must be reported with all the parts.
#[track_caller]
fn found(parts: &[&str], work: impl FnOnce(&Scene)) {
    found_with(NON_BLOCKING, parts, work);
}

/// As [`found`], for streams with other flags.
#[track_caller]
fn found_with(flags: u32, parts: &[&str], work: impl FnOnce(&Scene)) {
    let mut all = vec!["CUDA_ERROR_LAUNCH_FAILED\nrace between "];
    all.extend(parts);
    reports(&CHECK, &all, || {
        let scene = Scene::new(flags);
        work(&scene);
        fails!(LAUNCH_FAILED, cuCtxSynchronize());
    });
}

/// Nothing may be reported.
#[track_caller]
fn ordered(flags: u32, work: impl FnOnce(&Scene)) {
    passes(&CHECK, || {
        let scene = Scene::new(flags);
        work(&scene);
        ok!(cuCtxSynchronize());
    });
}

const FIX: &str = "\n  Fix: let the stream of the second wait before the second is enqueued: record an event after the first \
                   (cuEventRecord, cuStreamWaitEvent; in cuda-safe `second.wait_stream(&first)`). Or wait for the \
                   first on the host (cuStreamSynchronize)";

#[test]
fn kernels_on_unordered_streams_are_reported_with_both_source_lines() {
    let parts = [
        "streams: nothing orders two accesses to 128 bytes at 0x",
        ", 0 bytes into allocation ",
        " (cuMemAlloc, 4096 bytes at 0x",
        "\n  written by kernel `put` (cuLaunchKernel on stream 0x12",
        ")\n    launched ",
        "\n    source: words.cu:3\n    PTX line ",
        "st.global.u32 [%d2], %r3;",
        "\n  read by kernel `get` (cuLaunchKernel on stream 0x12",
        "\n    source: words.cu:9\n    PTX line ",
        FIX,
    ];
    found(&parts, |scene| {
        scene.run("put", scene.a);
        scene.run("get", scene.b);
    });
}

#[test]
fn a_range_of_several_pages_is_reported_whole() {
    found(
        &["two accesses to 100000 bytes at 0x", ", 100 bytes into"],
        |scene| {
            let x = alloc(1 << 20);
            ok!(cuMemsetD8Async(x, 1, 100100, scene.a));
            ok!(cuMemcpyDtoDAsync_v2(
                x + (1 << 19),
                x + 100,
                200000,
                scene.b
            ));
        },
    );
}

#[test]
fn the_report_does_not_depend_on_the_timing() {
    let parts = [
        "\n  read by kernel `get` (cuLaunchKernel on",
        "\n    source: words.cu:9\n",
        "\n  written by kernel `put` (cuLaunchKernel on",
    ];
    let variables = [CHECK[0], ("CUDA_EMULATOR_HOLD", "3600000")];
    reports(&variables, &parts, || {
        let scene = Scene::new(NON_BLOCKING);
        scene.run("get", scene.a);
        scene.run("put", scene.b);
        // The work begins only now, and first that of the second stream.
        call!(cuStreamSynchronize(scene.b));
        fails!(LAUNCH_FAILED, cuStreamSynchronize(scene.a));
    });
}

#[test]
fn copies_and_fills_are_reported_by_their_calls() {
    let parts = [
        "two accesses to 64 bytes at 0x",
        ", 64 bytes into allocation ",
        "\n  read by a copy of 128 bytes (cuMemcpyDtoDAsync on stream 0x12",
        "\n  written by a fill of 1024 bytes (cuMemsetD32Async on stream 0x12",
        "\n  written by a copy of 128 bytes (cuMemcpyDtoDAsync on",
        "\n  written by a copy of 32 bytes (cuMemcpy2DAsync on",
    ];
    reports(&CHECK, &parts, || {
        each([false, true], |in_rows| {
            let scene = Scene::new(NON_BLOCKING);
            scene.copy(scene.a);
            // Rows of 4 bytes at a distance of 64 bytes.
            let copy = CUDA_MEMCPY2D {
                srcMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
                srcDevice: scene.x + 1024,
                srcPitch: 64,
                dstMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
                dstDevice: scene.x + 2048,
                dstPitch: 64,
                WidthInBytes: 4,
                Height: 8,
                ..filled(0)
            };
            match in_rows {
                true => ok!(cuMemcpy2DAsync_v2(&copy, scene.b)),
                false => ok!(cuMemsetD32Async(scene.x + 64, 7, 256, scene.b)),
            }
            fails!(LAUNCH_FAILED, cuCtxSynchronize());
        });
    });
}

#[test]
fn atomics_race_only_with_plain_accesses() {
    let parts = [
        "\n  written (atomic, volatile or relaxed) by kernel `count` (cuLaunchKernel on",
        "\n    source: words.cu:15\n",
        "\n  read by kernel `get` (",
    ];
    found(&parts, |scene| {
        scene.run("count", scene.a);
        scene.run("count", scene.b);
        scene.run("get", scene.b);
    });
}

#[test]
fn atomics_do_not_race_with_each_other() {
    ordered(NON_BLOCKING, |scene| {
        scene.run("count", scene.a);
        scene.run("count", scene.b);
    });
}

#[test]
fn reads_and_disjoint_writes_do_not_race() {
    ordered(NON_BLOCKING, |scene| {
        // Halves, then interleaved elements.
        scene.run_at("put", scene.a, scene.x, 1, 0);
        scene.run_at("put", scene.b, scene.x, 1, 32);
        ok!(cuCtxSynchronize());
        scene.run_at("put", scene.a, scene.x, 2, 0);
        scene.run_at("put", scene.b, scene.x, 2, 1);
        ok!(cuCtxSynchronize());
        scene.run("get", scene.a);
        scene.run("get", scene.b);
        ok!(cuMemcpyDtoDAsync_v2(scene.x + 2048, scene.x, 128, scene.a));
    });
}

#[test]
fn one_stream_orders_its_work() {
    ordered(NON_BLOCKING, |scene| {
        for _ in 0..20 {
            scene.run("put", scene.a);
            scene.run("get", scene.a);
            scene.copy(scene.a);
        }
    });
}

#[test]
fn events_order_streams() {
    ordered(NON_BLOCKING, |scene| {
        for _ in 0..20 {
            scene.run("put", scene.a);
            after(scene.a, scene.b);
            scene.run("put", scene.b);
            after(scene.b, scene.a);
        }
        // Also through a third stream, and after the work is done.
        let third = stream(NON_BLOCKING);
        after(scene.a, third);
        while call!(cuStreamQuery(third)) != SUCCESS {
            std::thread::yield_now();
        }
        after(third, scene.b);
        scene.run("put", scene.b);
    });
}

#[test]
fn an_event_recorded_too_early_does_not_order() {
    found(
        &[
            "\n  written by kernel `put` (",
            "\n  read by kernel `get` (",
        ],
        |scene| {
            let event = event(2);
            ok!(cuEventRecord(event, scene.a));
            scene.run("put", scene.a);
            ok!(cuStreamWaitEvent(scene.b, event, 0));
            scene.run("get", scene.b);
        },
    );
}

#[test]
fn a_finished_event_orders_only_streams_that_wait_for_it() {
    found(&["\n  read by kernel `get` ("], |scene| {
        let third = stream(NON_BLOCKING);
        scene.run("put", scene.a);
        after(scene.a, third);
        std::thread::sleep(std::time::Duration::from_millis(50));
        scene.run("get", scene.b);
    });
}

#[test]
fn waits_of_the_host_order_later_work() {
    ordered(NON_BLOCKING, |scene| {
        let event = event(0);
        let waits: [&dyn Fn(); 6] = [
            &|| ok!(cuStreamSynchronize(scene.a)),
            &|| ok!(cuCtxSynchronize()),
            &|| ok!(cuEventSynchronize(event)),
            &|| while call!(cuEventQuery(event)) != SUCCESS {},
            &|| while call!(cuStreamQuery(scene.a)) != SUCCESS {},
            &|| while call!(cuEventElapsedTime_v2(&mut 0.0, event, event)) != SUCCESS {},
        ];
        for wait in waits {
            scene.run("put", scene.a);
            ok!(cuEventRecord(event, scene.a));
            wait();
            scene.run("put", scene.b);
            ok!(cuStreamSynchronize(scene.b));
        }
        // A copy to pageable memory waits.
        let mut word = 0u32;
        scene.run("put", scene.a);
        ok!(cuMemcpyDtoHAsync_v2(
            (&raw mut word).cast(),
            scene.x,
            4,
            scene.a
        ));
        scene.run("put", scene.b);
    });
}

#[test]
fn a_wait_for_another_stream_does_not_order() {
    found(&["\n  read by kernel `get` ("], |scene| {
        scene.run("put", scene.a);
        ok!(cuStreamSynchronize(scene.b));
        scene.run("get", scene.b);
    });
}

#[test]
fn a_host_function_orders_what_the_host_enqueues_after_it() {
    unsafe extern "C" fn send(data: *mut c_void) {
        // SAFETY: The test passes a leaked sender.
        let sender = unsafe { Box::from_raw(data.cast::<mpsc::Sender<()>>()) };
        sender.send(()).unwrap();
    }
    ordered(NON_BLOCKING, |scene| {
        let (sender, receiver) = mpsc::channel::<()>();
        scene.run("put", scene.a);
        let data = Box::into_raw(Box::new(sender)).cast();
        ok!(cuLaunchHostFunc(scene.a, Some(send), data));
        receiver.recv().unwrap();
        scene.run("put", scene.b);
    });
}

#[test]
fn the_legacy_default_stream_orders_blocking_streams() {
    ordered(BLOCKING, |scene| {
        for _ in 0..5 {
            scene.run("put", scene.a);
            scene.run("put", LEGACY);
            scene.run("put", scene.b);
            scene.run("put", LEGACY);
            scene.run("put", PER_THREAD);
            scene.run("put", LEGACY);
        }
    });
}

#[test]
fn blocking_streams_are_not_ordered_among_themselves() {
    let parts = ["\n  read by kernel `get` (cuLaunchKernel on stream 0x12"];
    found_with(BLOCKING, &parts, |scene| {
        scene.run("put", scene.a);
        scene.run("get", scene.b);
    });
}

#[test]
fn the_default_stream_does_not_order_non_blocking_streams() {
    found(
        &["\n  written by kernel `put` (cuLaunchKernel on the default stream)"],
        |scene| {
            scene.run("put", LEGACY);
            scene.run("get", scene.a);
        },
    );
}

#[test]
fn default_streams_of_threads_are_not_ordered() {
    let parts = [
        "\n  written by kernel `put` (cuLaunchKernel on a thread's default stream)",
        "\n  read by kernel `get` (cuLaunchKernel on a thread's default stream)",
    ];
    found(&parts, |scene| {
        let (context, module, x) = (
            out!(cuCtxGetCurrent(_)) as usize,
            scene.module as usize,
            scene.x,
        );
        scene.run("put", PER_THREAD);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                ok!(cuCtxSetCurrent(context as CUcontext));
                let (step, shift) = (1u32, 0u32);
                let mut arguments = [arg(&x), arg(&step), arg(&shift)];
                let kernel = function(module as CUmodule, "get");
                launch(kernel, 1, 32, PER_THREAD, &mut arguments);
            });
        });
    });
}

#[test]
fn a_synchronous_copy_within_the_device_does_not_wait() {
    let parts = ["\n  written by a copy of 128 bytes (cuMemcpyDtoD on the default stream)"];
    found(&parts, |scene| {
        ok!(cuMemcpyDtoD_v2(scene.x, scene.x + 2048, 128));
        scene.run("get", scene.a);
    });
}

#[test]
fn synchronous_copies_from_and_to_the_host_wait() {
    ordered(NON_BLOCKING, |scene| {
        let mut words = [1u32; 32];
        ok!(cuMemcpyHtoD_v2(scene.x, words.as_ptr().cast(), 128));
        scene.run("put", scene.a);
        ok!(cuStreamSynchronize(scene.a));
        ok!(cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), scene.x, 128));
        scene.run("put", scene.b);
    });
}

#[test]
fn page_locked_memory_is_covered() {
    let parts = [
        "(cuMemAllocHost, 128 bytes",
        "\n  written by a copy of 128 bytes (cuMemcpyDtoHAsync on",
        "\n  read by a copy of 128 bytes (cuMemcpyHtoDAsync on",
    ];
    found(&parts, |scene| {
        let host = out!(cuMemAllocHost_v2(_, 128));
        ok!(cuMemcpyDtoHAsync_v2(host, scene.x, 128, scene.a));
        ok!(cuMemcpyHtoDAsync_v2(scene.x + 1024, host, 128, scene.b));
    });
}

#[test]
fn arrays_are_covered() {
    let parts = [
        "0 bytes into array 0x",
        "(64 texels of 4 bytes)",
        "\n  written by a copy of 128 bytes (cuMemcpy2DAsync on",
    ];
    found(&parts, |scene| {
        let described = CUDA_ARRAY_DESCRIPTOR {
            Width: 64,
            Height: 0,
            Format: CUarray_format::CU_AD_FORMAT_UNSIGNED_INT32,
            NumChannels: 1,
        };
        let array = out!(cuArrayCreate_v2(_, &described));
        let copy = CUDA_MEMCPY2D {
            srcMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
            srcDevice: scene.x,
            dstMemoryType: CUmemorytype::CU_MEMORYTYPE_ARRAY,
            dstArray: array,
            WidthInBytes: 128,
            Height: 1,
            ..filled(0)
        };
        ok!(cuMemcpy2DAsync_v2(&copy, scene.a));
        ok!(cuMemcpy2DAsync_v2(&copy, scene.b));
    });
}

#[test]
fn allocation_orders_its_stream_only() {
    let parts = [
        "(cuMemAllocAsync, 4096 bytes",
        "\n  allocated by a stream-ordered allocation (cuMemAllocAsync on stream 0x12",
        "\n  written by kernel `put` (",
    ];
    found(&parts, |scene| {
        let memory = out!(cuMemAllocAsync(_, 4096, scene.a));
        // A kernel that runs before the allocation would find no memory.
        std::thread::sleep(std::time::Duration::from_millis(100));
        scene.run_at("put", scene.b, memory, 1, 0);
    });
}

#[test]
fn a_free_must_be_ordered_after_all_use() {
    let parts = [
        "\n  read by kernel `get` (",
        "\n  freed by a stream-ordered free (cuMemFreeAsync on stream 0x12",
    ];
    found(&parts, |scene| {
        let memory = out!(cuMemAllocAsync(_, 4096, scene.a));
        after(scene.a, scene.b);
        scene.run_at("get", scene.b, memory, 1, 0);
        // The kernel would fault after the free.
        std::thread::sleep(std::time::Duration::from_millis(100));
        ok!(cuMemFreeAsync(memory, scene.a));
    });
}

#[test]
fn memory_that_is_allocated_again_has_no_past() {
    ordered(NON_BLOCKING, |scene| {
        for on in [scene.a, scene.b, scene.a, scene.b] {
            let memory = out!(cuMemAllocAsync(_, 4096, on));
            scene.run_at("put", on, memory, 1, 0);
            ok!(cuMemFreeAsync(memory, on));
        }
        for on in [scene.a, scene.b] {
            let memory = alloc(1 << 20);
            scene.run_at("put", on, memory, 1, 0);
            ok!(cuMemFree_v2(memory));
        }
        // Kernels on both streams get the same memory from the device heap.
        for _ in 0..4 {
            scene.run("grow", scene.a);
            scene.run("grow", scene.b);
        }
    });
}

#[test]
fn values_in_memory_order_streams_that_wait_for_them() {
    ordered(NON_BLOCKING, |scene| {
        let flag = upload(&[0u32]);
        scene.run("put", scene.a);
        ok!(cuStreamWriteValue32_v2(scene.a, flag, 1, 0));
        ok!(cuStreamWaitValue32_v2(scene.b, flag, 1, 0));
        scene.run("put", scene.b);
    });
}

#[test]
fn a_pair_is_reported_once() {
    if inner() {
        let scene = Scene::new(NON_BLOCKING);
        for _ in 0..3 {
            // Fails after the fault.
            for (name, on) in [("put", scene.a), ("get", scene.b)] {
                let (step, shift) = (1u32, 0u32);
                let mut arguments = [arg(&scene.x), arg(&step), arg(&shift)];
                launch(
                    function_or_null(scene.module, name),
                    1,
                    32,
                    on,
                    &mut arguments,
                );
            }
        }
        fails!(LAUNCH_FAILED, cuCtxSynchronize());
        return;
    }
    let (code, _, text) = rerun(&CHECK);
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(text.matches("race between streams").count(), 1, "{text}");
}

/// Returns a kernel, or null after a fault.
fn function_or_null(module: CUmodule, name: &str) -> CUfunction {
    let name = std::ffi::CString::new(name).unwrap();
    result!(cuModuleGetFunction(_, module, name.as_ptr())).unwrap_or(null_mut())
}

#[test]
fn without_the_check_nothing_is_reported() {
    passes(&[], || {
        let scene = Scene::new(NON_BLOCKING);
        scene.run("put", scene.a);
        scene.run("get", scene.b);
        ok!(cuCtxSynchronize());
    });
}
