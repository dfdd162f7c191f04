//! A fault ends all contexts of its process, on all devices, and no further context can be created.
//! Work that other contexts enqueued before still runs. Recorded on two H100s (driver 580.159.04,
//! CUDA 13.0, November 2026).
//!
//! Each test runs in separate processes, because a process does not recover from a fault.

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::graphs::{RELAXED, begin, context as current, end, instantiate};
use cuda_emulator_checks::pools;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

const KERNELS: &str = include_str!("../../kernels/kernels.ptx");
const NON_BLOCKING: u32 = 1;
const DEVICES: [(&str, &str); 1] = [("CUDA_EMULATOR_DEVICES", "2")];

// The installed header may lack it.
#[allow(clashing_extern_declarations, reason = "the types are the same for C")]
unsafe extern "C" {
    fn cuCtxGetDevice_v2(device: *mut CUdevice, context: CUcontext) -> CUresult;
    fn cuEmulatorGetReport(context: CUcontext, report: *mut *const c_char) -> CUresult;
}

/// Creates a context on a device and makes it current.
fn create(device: CUdevice) -> CUcontext {
    ok!(cuInit(0));
    out!(cuCtxCreate_v2(_, 0, device))
}

fn retain(device: CUdevice) -> CUcontext {
    ok!(cuInit(0));
    let context = out!(cuDevicePrimaryCtxRetain(_, device));
    ok!(cuCtxSetCurrent(context));
    context
}

/// Launches a kernel that faults, in the current context.
fn launch_fault(kernel: &str) {
    let (place, wild, index) = (alloc(64), 0u64, 1000u32);
    let arguments: &mut [*mut c_void] = match kernel {
        "put" => &mut [arg(&wild), arg(&index)],
        "put_odd" => &mut [arg(&place)],
        "shared_past" => &mut [arg(&place), arg(&index)],
        "check" => &mut [arg(&index)],
        _ => &mut [],
    };
    let kernel = function(load(FAULTS), kernel);
    assert_eq!(launch(kernel, 1, 1, null_mut(), arguments), SUCCESS);
}

/// Makes a context trap, and waits for the trap.
fn trap(context: CUcontext) {
    // Ends the test if a call waits for work behind a gate.
    end_after(120);
    ok!(cuCtxSetCurrent(context));
    launch_fault("stop");
    fails!(LAUNCH_FAILED, cuCtxSynchronize());
}

/// Returns the codes of a call on the context, and of calls on a stream and on an event of the
/// context.
fn codes(context: CUcontext, stream: CUstream, event: CUevent) -> [CUresult; 3] {
    ok!(cuCtxSetCurrent(context));
    [
        call!(cuCtxSynchronize()),
        call!(cuStreamQuery(stream)),
        call!(cuEventQuery(event)),
    ]
}

/// Waits until `done` returns true.
fn until(done: impl Fn() -> bool) {
    let begin = Instant::now();
    while !done() {
        let waited = begin.elapsed();
        assert!(
            waited < Duration::from_secs(60),
            "the condition never holds"
        );
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Words of page-locked memory that all contexts and the host can access.
struct Words(&'static [AtomicU32]);

impl Words {
    fn new() -> Words {
        let place = out!(cuMemHostAlloc(_, 64, 3));
        // SAFETY: The 64 aligned bytes stay allocated. They are freed only at the end of their
        // context, after the tests have read them.
        let words = unsafe { std::slice::from_raw_parts(place.cast::<AtomicU32>(), 16) };
        words
            .iter()
            .for_each(|word| word.store(0, Ordering::SeqCst));
        Words(words)
    }

    /// Returns the device address of a word, which is also its host address.
    fn at(&self, index: usize) -> CUdeviceptr {
        self.0[index].as_ptr() as CUdeviceptr
    }

    fn get(&self, index: usize) -> u32 {
        self.0[index].load(Ordering::SeqCst)
    }

    /// Makes a stream wait for `open`.
    fn gate(&self, stream: CUstream) {
        ok!(cuStreamWaitValue32_v2(stream, self.at(0), 1, 1));
    }

    fn open(&self) {
        self.0[0].store(1, Ordering::SeqCst);
    }
}

unsafe extern "C" fn count(counter: *mut c_void) {
    // SAFETY: The tests pass a static counter.
    let counter = unsafe { &*counter.cast::<AtomicU32>() };
    counter.fetch_add(1, Ordering::SeqCst);
}

fn enqueue_count(stream: CUstream, counter: &'static AtomicU32) {
    ok!(cuLaunchHostFunc(stream, Some(count), arg(counter)));
}

/// Enqueues a kernel that writes 7 to a word.
fn enqueue_store(stream: CUstream, word: CUdeviceptr) {
    let store = function(load(KERNELS), "store");
    assert_eq!(launch(store, 1, 1, stream, &mut [arg(&word)]), SUCCESS);
}

#[test]
fn every_kind_of_fault_ends_all_contexts() {
    let cases = [
        ("stop", LAUNCH_FAILED),
        ("put", ILLEGAL_ADDRESS),
        ("shared_past", ILLEGAL_ADDRESS),
        ("put_odd", MISALIGNED_ADDRESS),
        ("check", ASSERT),
    ];
    each(cases, |(kernel, expected)| {
        let (primary, other, faulting) = (retain(0), create(0), create(0));
        let contexts = [primary, other, faulting].map(|context| {
            ok!(cuCtxSetCurrent(context));
            (context, stream(NON_BLOCKING), event(0))
        });
        launch_fault(kernel);
        assert_eq!(call!(cuCtxSynchronize()), expected);
        for (context, stream, event) in contexts {
            assert_eq!(codes(context, stream, event), [expected; 3], "{kernel}");
        }
        let mut new = null_mut();
        assert_eq!(call!(cuCtxCreate_v2(&mut new, 0, 0)), expected);
    });
}

#[test]
fn a_fault_ends_the_contexts_of_all_devices() {
    let parts =
        ["Every later call in any context of this process returns CUDA_ERROR_LAUNCH_FAILED."];
    reports(&DEVICES, &parts, || {
        let (primary, other, faulting) = (retain(1), create(1), create(0));
        let contexts = [primary, other].map(|context| {
            ok!(cuCtxSetCurrent(context));
            (context, stream(NON_BLOCKING), event(0))
        });
        trap(faulting);
        for (context, stream, event) in contexts {
            assert_eq!(codes(context, stream, event), [LAUNCH_FAILED; 3]);
        }
        for device in [0, 1] {
            fails!(LAUNCH_FAILED, cuCtxCreate_v2(&mut null_mut(), 0, device));
        }
    });
}

#[test]
fn a_process_does_not_recover() {
    reports(&DEVICES, &["CUDA_ERROR_LAUNCH_FAILED"], || {
        let (primary, other, faulting) = (retain(0), create(1), create(0));
        trap(faulting);
        let none_comes = |devices: &[CUdevice]| {
            for &device in devices {
                fails!(LAUNCH_FAILED, cuCtxCreate_v2(&mut null_mut(), 0, device));
            }
            fails!(LAUNCH_FAILED, cuDevicePrimaryCtxRetain(&mut null_mut(), 1));
        };
        let active = || out!(cuDevicePrimaryCtxGetState(0, null_mut(), _));
        none_comes(&[0, 1]);
        // An active primary context can still be retained.
        let mut again = out!(cuDevicePrimaryCtxRetain(_, 0));
        assert_eq!((again, active()), (primary, 1));
        ok!(cuDevicePrimaryCtxRelease_v2(0));
        ok!(cuCtxDestroy_v2(faulting));
        ok!(cuCtxSetCurrent(other));
        fails!(LAUNCH_FAILED, cuCtxSynchronize());
        ok!(cuCtxDestroy_v2(other));
        ok!(cuCtxSetCurrent(primary));
        fails!(LAUNCH_FAILED, cuCtxSynchronize());
        none_comes(&[0, 1]);
        ok!(cuDevicePrimaryCtxReset_v2(0));
        assert_eq!(active(), 0);
        fails!(CONTEXT_IS_DESTROYED, cuCtxSynchronize());
        none_comes(&[0, 1]);
        fails!(LAUNCH_FAILED, cuDevicePrimaryCtxRetain(&mut again, 0));
        ok!(cuDevicePrimaryCtxReset_v2(0));
        assert_eq!(active(), 0);
    });
}

#[test]
fn released_primary_contexts_cannot_be_retained_again() {
    in_own_process(|| {
        trap(retain(0));
        ok!(cuDevicePrimaryCtxRelease_v2(0));
        fails!(LAUNCH_FAILED, cuDevicePrimaryCtxRetain(&mut null_mut(), 0));
        no_context!(cuDevicePrimaryCtxRelease_v2(0));
    });
}

#[test]
fn contexts_that_fault_themselves_return_their_own_codes() {
    let parts = [
        "Every later call in any context of this process returns CUDA_ERROR_LAUNCH_FAILED.",
        "Every later call in this context returns CUDA_ERROR_ILLEGAL_ADDRESS, and in other contexts \
         CUDA_ERROR_LAUNCH_FAILED.",
    ];
    reports(&[], &parts, || {
        let (first, third, second) = (create(0), create(0), create(0));
        let words = Words::new();
        words.gate(null_mut());
        launch_fault("put");
        trap(first);
        ok!(cuCtxSetCurrent(second));
        fails!(LAUNCH_FAILED, cuCtxSynchronize());
        words.open();
        until(|| call!(cuCtxSynchronize()) != LAUNCH_FAILED);
        for (context, expected) in [
            (first, LAUNCH_FAILED),
            (second, ILLEGAL_ADDRESS),
            (third, LAUNCH_FAILED),
        ] {
            ok!(cuCtxSetCurrent(context));
            assert_eq!(call!(cuCtxSynchronize()), expected);
        }
        fails!(LAUNCH_FAILED, cuCtxCreate_v2(&mut null_mut(), 0, 0));
    });
}

#[test]
fn enqueued_work_of_other_contexts_still_runs() {
    reports(&DEVICES, &[], || {
        each([0, 1], |device| {
            let (faulting, _context) = (create(0), create(device));
            let (words, memory) = (Words::new(), upload(&[0u32; 1]));
            let stream = stream(NON_BLOCKING);
            let host = words.at(2) as *mut c_void;
            words.gate(stream);
            ok!(cuMemsetD32Async(memory, 5, 1, stream));
            for _ in 0..3 {
                ok!(cuMemcpyDtoHAsync_v2(host, memory, 4, stream));
            }
            enqueue_store(stream, words.at(1));
            ok!(cuStreamWriteValue32_v2(stream, words.at(3), 8, 0));
            let context = current();
            trap(faulting);
            ok!(cuCtxSetCurrent(context));
            // The calls do not wait for the work.
            fails!(LAUNCH_FAILED, cuStreamSynchronize(stream));
            fails!(LAUNCH_FAILED, cuCtxSynchronize());
            assert_eq!([1, 2, 3].map(|word| words.get(word)), [0; 3]);
            words.open();
            until(|| words.get(3) == 8);
            assert_eq!([1, 2].map(|word| words.get(word)), [7, 5]);
        });
    });
}

#[test]
fn host_functions_of_other_contexts_are_not_called() {
    static CALLED: AtomicU32 = AtomicU32::new(0);
    static STATUS: AtomicU32 = AtomicU32::new(0);
    unsafe extern "C" fn note(_: CUstream, status: CUresult, _: *mut c_void) {
        STATUS.store(status.0, Ordering::SeqCst);
    }
    each([false, true], |in_graph| {
        let (faulting, context) = (create(0), create(0));
        let (words, stream) = (Words::new(), stream(NON_BLOCKING));
        words.gate(stream);
        let load = |stream| {
            enqueue_count(stream, &CALLED);
            enqueue_store(stream, words.at(1));
            enqueue_count(stream, &CALLED);
        };
        if in_graph {
            let captured = self::stream(NON_BLOCKING);
            begin(captured, RELAXED);
            load(captured);
            ok!(cuGraphLaunch(instantiate(end(captured)), stream));
        } else {
            load(stream);
        }
        // A callback is called with the error.
        ok!(cuStreamAddCallback(stream, Some(note), null_mut(), 0));
        ok!(cuStreamWriteValue32_v2(stream, words.at(3), 8, 0));
        trap(faulting);
        ok!(cuCtxSetCurrent(context));
        fails!(LAUNCH_FAILED, cuStreamSynchronize(stream));
        words.open();
        until(|| words.get(3) == 8);
        assert_eq!((words.get(1), CALLED.load(Ordering::SeqCst)), (7, 0));
        assert_eq!(STATUS.load(Ordering::SeqCst), LAUNCH_FAILED.0);
    });
}

#[test]
fn host_functions_right_after_a_running_one_are_called() {
    static STARTED: AtomicU32 = AtomicU32::new(0);
    static OPEN: AtomicU32 = AtomicU32::new(0);
    static CALLED: AtomicU32 = AtomicU32::new(0);
    unsafe extern "C" fn wait(_: *mut c_void) {
        STARTED.store(1, Ordering::SeqCst);
        until(|| OPEN.load(Ordering::SeqCst) == 1);
    }
    in_own_process(|| {
        let (faulting, _context) = (create(0), create(0));
        let (words, stream) = (Words::new(), stream(NON_BLOCKING));
        ok!(cuLaunchHostFunc(stream, Some(wait), null_mut()));
        enqueue_count(stream, &CALLED);
        enqueue_count(stream, &CALLED);
        enqueue_store(stream, words.at(1));
        enqueue_count(stream, &CALLED);
        ok!(cuStreamWriteValue32_v2(stream, words.at(3), 8, 0));
        until(|| STARTED.load(Ordering::SeqCst) == 1);
        trap(faulting);
        OPEN.store(1, Ordering::SeqCst);
        until(|| words.get(3) == 8);
        assert_eq!(CALLED.load(Ordering::SeqCst), 2);
    });
}

#[test]
fn destroying_a_context_does_not_wait_for_values() {
    each([false, true], |is_primary| {
        let faulting = create(0);
        let context = if is_primary { retain(0) } else { create(0) };
        let words = Words::new();
        words.gate(stream(NON_BLOCKING));
        trap(faulting);
        match is_primary {
            true => ok!(cuDevicePrimaryCtxReset_v2(0)),
            false => ok!(cuCtxDestroy_v2(context)),
        }
    });
}

#[test]
fn events_of_a_faulted_context_complete_elsewhere() {
    in_own_process(|| {
        let (faulting, context) = (create(0), create(0));
        let (words, waiting) = (Words::new(), stream(NON_BLOCKING));
        ok!(cuCtxSetCurrent(faulting));
        let event = event(0);
        words.gate(null_mut());
        // Ends the test if a wait does not end.
        end_after(120);
        launch_fault("stop");
        ok!(cuEventRecord(event, null_mut()));
        ok!(cuCtxSetCurrent(context));
        ok!(cuStreamWaitEvent(waiting, event, 0));
        ok!(cuStreamWriteValue32_v2(waiting, words.at(3), 8, 0));
        words.open();
        until(|| call!(cuStreamQuery(waiting)) == LAUNCH_FAILED);
        fails!(LAUNCH_FAILED, cuEventQuery(event));
        until(|| words.get(3) == 8);
    });
}

/// Returns the report of a context's fault, or, for null, the reason for the last error.
fn report(context: CUcontext) -> String {
    let report = out!(cuEmulatorGetReport(context, _));
    // SAFETY: The text is NUL-terminated, and valid until the next call that fails.
    let text = unsafe { CStr::from_ptr(report) };
    text.to_str().unwrap().into()
}

#[test]
fn reports_of_other_contexts_name_the_faulted_one() {
    each([false, true], |is_primary| {
        let other = create(0);
        let faulting = if is_primary { retain(0) } else { create(0) };
        let id = out!(cuCtxGetId(faulting, _));
        trap(faulting);
        let own = report(faulting);
        assert!(own.starts_with("the kernel executed `trap`"), "{own}");
        let name = match is_primary {
            true => format!("context {id} (the primary context of device 0)"),
            false => format!("context {id} (cuCtxCreate) on device 0"),
        };
        let expected = format!("a fault in {name} ended all contexts of this process:\n{own}");
        assert_eq!(report(other), expected);
        fails!(LAUNCH_FAILED, cuCtxCreate_v2(&mut null_mut(), 0, 0));
        assert_eq!(report(null_mut()), expected);
    });
}

/// Returns the recorded calls, each with whether it returns the fault's code.
fn recorded() -> Vec<(&'static str, bool)> {
    let lines = include_str!("../../data/process-faults-h100.txt").lines();
    let calls = lines.filter(|line| !line.starts_with('#')).map(|line| {
        let (name, code) = line.split_once(' ').unwrap();
        assert!(matches!(code, "0" | "719"), "{line}");
        (name, code == "719")
    });
    calls.collect()
}

/// Objects that the recorded calls use. They are created before the fault.
struct Things {
    context: CUcontext,
    stream: CUstream,
    events: [CUevent; 2],
    memory: CUdeviceptr,
    ordered: CUdeviceptr,
    host: *mut c_void,
    module: CUmodule,
    function: CUfunction,
    pool: CUmemoryPool,
    range: CUdeviceptr,
    library: CUlibrary,
    kernel: CUkernel,
    graph: CUgraph,
    exec: CUgraphExec,
    object: CUuserObject,
}

const VARIABLE: &CStr = c".version 8.0\n.target sm_80\n.address_size 64\n.global .u32 g;\n.visible .entry k() { ret; }\n";

impl Things {
    fn new() -> Things {
        unsafe extern "C" fn destroyed(_: *mut c_void) {}
        let context = create(0);
        let stream = stream(NON_BLOCKING);
        let events = [event(0), event(0)];
        for event in events {
            ok!(cuEventRecord(event, stream));
        }
        let ordered = out!(cuMemAllocAsync(_, 64, stream));
        let host = out!(cuMemAllocHost_v2(_, 64));
        let range = out!(cuMemAddressReserve(_, 2 << 20, 0, 0, 0));
        let module = load(VARIABLE.to_str().unwrap());
        let library = load_library(VARIABLE.to_bytes_with_nul()).unwrap();
        let graph = out!(cuGraphCreate(_, 0));
        let object = out!(cuUserObjectCreate(_, null_mut(), Some(destroyed), 1, 1));
        let memory = alloc(64);
        ok!(cuCtxSynchronize());
        Things {
            context,
            stream,
            events,
            memory,
            ordered,
            host,
            function: function(module, "k"),
            module,
            pool: pools::pool(0, 0),
            range,
            library,
            kernel: kernel(library, c"k"),
            graph,
            exec: instantiate(graph),
            object,
        }
    }

    /// Makes a call by its recorded name.
    fn call(&self, name: &str) -> CUresult {
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        let &Things {
            context,
            stream,
            memory,
            host,
            module,
            function,
            pool,
            library,
            graph,
            ..
        } = self;
        let [first, second] = self.events;
        let (mut address, mut size, mut number, mut flags) = (0, 0usize, 0i32, 0u32);
        let (mut id, mut pointer) = (0u64, null_mut());
        let (mut one, mut time, mut status) = (null_mut(), 0f32, CUstreamCaptureStatus(0));
        let (g, k, no) = (c"g".as_ptr(), c"k".as_ptr(), null_mut());
        let mut words = [0u64; 4];
        match name {
            "cuCtxSetCurrent" => call!(cuCtxSetCurrent(context)),
            "cuCtxGetCurrent" => call!(cuCtxGetCurrent(&mut one)),
            "cuCtxPushCurrent" => call!(cuCtxPushCurrent_v2(context)),
            "cuCtxPopCurrent" => call!(cuCtxPopCurrent_v2(&mut one)),
            "cuCtxGetDevice" => call!(cuCtxGetDevice(&mut number)),
            "cuCtxGetDevice_v2" => call!(cuCtxGetDevice_v2(&mut number, context)),
            "cuCtxGetId" => call!(cuCtxGetId(context, &mut id)),
            "cuCtxGetApiVersion" => call!(cuCtxGetApiVersion(context, &mut flags)),
            "cuCtxGetFlags" => call!(cuCtxGetFlags(&mut flags)),
            "cuCtxGetLimit" => call!(cuCtxGetLimit(&mut size, CUlimit::CU_LIMIT_STACK_SIZE)),
            "cuCtxGetStreamPriorityRange" => {
                call!(cuCtxGetStreamPriorityRange(&mut number, &mut 0))
            }
            "cuCtxSynchronize" => call!(cuCtxSynchronize()),
            "cuCtxEnablePeerAccess" => call!(cuCtxEnablePeerAccess(context, 0)),
            "cuCtxCreate" => call!(cuCtxCreate_v2(&mut one, 0, 0)),
            "cuEventCreate" => call!(cuEventCreate(&mut null_mut(), 0)),
            "cuEventRecord" => call!(cuEventRecord(first, stream)),
            "cuEventQuery" => call!(cuEventQuery(first)),
            "cuEventElapsedTime" => call!(cuEventElapsedTime(&mut time, first, second)),
            "cuEventDestroy" => call!(cuEventDestroy_v2(first)),
            "cuStreamCreate" => call!(cuStreamCreate(&mut null_mut(), NON_BLOCKING)),
            "cuStreamQuery" => call!(cuStreamQuery(stream)),
            "cuStreamSynchronize" => call!(cuStreamSynchronize(stream)),
            "cuStreamWaitEvent" => call!(cuStreamWaitEvent(stream, first, 0)),
            "cuStreamGetCtx" => call!(cuStreamGetCtx(stream, &mut one)),
            "cuStreamGetFlags" => call!(cuStreamGetFlags(stream, &mut flags)),
            "cuStreamGetId" => call!(cuStreamGetId(stream, &mut id)),
            "cuStreamIsCapturing" => call!(cuStreamIsCapturing(stream, &mut status)),
            "cuStreamBeginCapture" => call!(cuStreamBeginCapture_v2(stream, RELAXED)),
            "cuStreamDestroy" => call!(cuStreamDestroy_v2(stream)),
            "cuLaunchHostFunc" => call!(cuLaunchHostFunc(stream, Some(count), arg(&COUNTER))),
            "cuLaunchKernel" => launch(function, 1, 1, stream, &mut []),
            "cuMemcpyDtoH" => call!(cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), memory, 4)),
            "cuMemcpyDtoDAsync" => call!(cuMemcpyDtoDAsync_v2(memory, memory + 32, 4, stream)),
            "cuMemAlloc" => call!(cuMemAlloc_v2(&mut address, 64)),
            "cuMemAllocHost" => call!(cuMemAllocHost_v2(&mut pointer, 64)),
            "cuMemAllocAsync" => call!(cuMemAllocAsync(&mut address, 64, stream)),
            "cuMemFreeAsync" => call!(cuMemFreeAsync(self.ordered, stream)),
            "cuMemFree" => call!(cuMemFree_v2(memory)),
            "cuMemFreeHost" => call!(cuMemFreeHost(host)),
            "cuMemGetInfo" => call!(cuMemGetInfo_v2(&mut size, &mut 0)),
            "cuMemGetAddressRange" => {
                call!(cuMemGetAddressRange_v2(&mut address, &mut size, memory))
            }
            "cuMemHostGetFlags" => call!(cuMemHostGetFlags(&mut flags, host)),
            "cuMemHostGetDevicePointer" => {
                call!(cuMemHostGetDevicePointer_v2(&mut address, host, 0))
            }
            "cuMemHostRegister" => call!(cuMemHostRegister_v2(words.as_mut_ptr().cast(), 32, 0)),
            "cuPointerGetAttribute" => {
                let kind = CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
                call!(cuPointerGetAttribute((&raw mut flags).cast(), kind, memory))
            }
            "cuMemPoolCreate" => code_of(result!(cuMemPoolCreate(_, &pools::properties(0, 0)))),
            "cuMemPoolTrimTo" => call!(cuMemPoolTrimTo(pool, 0)),
            "cuMemPoolDestroy" => call!(cuMemPoolDestroy(pool)),
            "cuDeviceGetMemPool" => call!(cuDeviceGetMemPool(&mut null_mut(), 0)),
            "cuMemAddressReserve" => call!(cuMemAddressReserve(&mut address, 2 << 20, 0, 0, 0)),
            "cuMemAddressFree" => call!(cuMemAddressFree(self.range, 2 << 20)),
            "cuModuleLoadData" => code_of(result!(cuModuleLoadData(_, VARIABLE.as_ptr().cast()))),
            "cuModuleGetFunction" => call!(cuModuleGetFunction(&mut null_mut(), module, k)),
            "cuModuleGetGlobal" => {
                call!(cuModuleGetGlobal_v2(&mut address, &mut size, module, g))
            }
            "cuModuleUnload" => call!(cuModuleUnload(module)),
            "cuFuncGetAttribute" => {
                let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_NUM_REGS;
                call!(cuFuncGetAttribute(&mut number, attribute, function))
            }
            "cuOccupancyMaxActiveBlocksPerMultiprocessor" => {
                let blocks = cuOccupancyMaxActiveBlocksPerMultiprocessor;
                call!(blocks(&mut number, function, 32, 0))
            }
            "cuLinkCreate" => call!(cuLinkCreate_v2(0, no, null_mut(), &mut null_mut())),
            "cuLibraryLoadData" => code_of(load_library(VARIABLE.to_bytes_with_nul())),
            "cuKernelGetFunction" => call!(cuKernelGetFunction(&mut null_mut(), self.kernel)),
            "cuLibraryGetGlobal" => {
                call!(cuLibraryGetGlobal(&mut address, &mut size, library, g))
            }
            "cuLibraryUnload" => call!(cuLibraryUnload(library)),
            "cuGraphCreate" => call!(cuGraphCreate(&mut null_mut(), 0)),
            "cuGraphAddEmptyNode" => call!(cuGraphAddEmptyNode(&mut null_mut(), graph, null(), 0)),
            "cuGraphClone" => call!(cuGraphClone(&mut null_mut(), graph)),
            "cuGraphUpload" => call!(cuGraphUpload(self.exec, stream)),
            "cuGraphExecDestroy" => call!(cuGraphExecDestroy(self.exec)),
            "cuGraphDestroy" => call!(cuGraphDestroy(graph)),
            "cuUserObjectRelease" => call!(cuUserObjectRelease(self.object, 1)),
            "cuDevicePrimaryCtxSetFlags" => call!(cuDevicePrimaryCtxSetFlags_v2(0, 0)),
            _ => panic!("{name} has no call here"),
        }
    }
}

#[test]
fn calls_after_a_fault_return_the_recorded_codes() {
    // In another context, and in the faulting one.
    each([false, true], |own| {
        let things = Things::new();
        trap(if own { things.context } else { create(0) });
        ok!(cuCtxSetCurrent(things.context));
        let mut wrong = Vec::new();
        for (name, faults) in recorded() {
            let code = things.call(name);
            if code != if faults { LAUNCH_FAILED } else { SUCCESS } {
                wrong.push((name, code));
            }
        }
        assert_eq!(wrong, [], "own: {own}");
    });
}

#[test]
fn the_recorded_calls_succeed_before_a_fault() {
    in_own_process(|| {
        let things = Things::new();
        for (name, _) in recorded() {
            // Skips calls that destroy an object, because they would disturb the others. A context
            // cannot be its own peer.
            let ends = [
                "Destroy",
                "Unload",
                "Free",
                "Release",
                "BeginCapture",
                "Peer",
            ];
            if ends.iter().any(|end| name.contains(end)) {
                continue;
            }
            assert_eq!(things.call(name), SUCCESS, "{name}");
            ok!(cuCtxSetCurrent(things.context));
            // Queries need completed work.
            ok!(cuCtxSynchronize());
        }
    });
}
