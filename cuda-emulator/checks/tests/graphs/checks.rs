//! Graphs and the emulator's checks: freed memory, host memory in use, leaks, held work and
//! injected failures.

use cuda_emulator::{HostAccess, pending_host_work};
use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::graphs::*;
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};

const HOUR: (&str, &str) = ("CUDA_EMULATOR_HOLD", "3600000");

#[test]
fn reports_name_freed_memory_and_node() {
    let parts = [
        "CUDA_ERROR_ILLEGAL_ADDRESS",
        "which was freed by cuMemFree",
        "in node 0x1c",
        "of the executable graph 0x1b",
    ];
    reports(&[], &parts, || {
        // With a fill, and with a kernel.
        each([false, true], |by_kernel| {
            let context = Own::new();
            let (stream, word) = (stream(1), alloc(4));
            begin(stream, GLOBAL);
            match by_kernel {
                true => run(affine(), stream, word, 1, 1, 1),
                false => ok!(cuMemsetD32Async(word, 1, 1, stream)),
            }
            let exec = instantiate(end(stream));
            ok!(cuGraphLaunch(exec, stream));
            ok!(cuStreamSynchronize(stream));
            ok!(cuMemFree_v2(word));
            ok!(cuGraphLaunch(exec, stream));
            fails!(ILLEGAL_ADDRESS, cuStreamSynchronize(stream));
            fails!(ILLEGAL_ADDRESS, cuGraphLaunch(exec, stream));
            drop(context);
        });
    });
}

#[test]
fn launches_keep_host_memory_in_use() {
    unsafe extern "C" fn nothing(_: *mut c_void) {}
    if !inner() {
        return with_variables(&[HOUR], || ());
    }
    let _context = Own::new();
    let (stream, word) = (stream(1), alloc(4));
    let (from, mut to) = (Cell::new(5u32), [0u32]);
    let data = 7u8;
    begin(stream, GLOBAL);
    ok!(cuMemcpyHtoDAsync_v2(word, from.as_ptr().cast(), 4, stream));
    let to_host = to.as_mut_ptr().cast();
    ok!(cuMemcpyDtoHAsync_v2(to_host, word, 4, stream));
    ok!(cuLaunchHostFunc(stream, Some(nothing), arg(&data)));
    let exec = instantiate(end(stream));
    let access = |place: *const u8| pending_host_work(place, 1).map(|work| work.access);
    let places = [from.as_ptr().cast(), to.as_ptr().cast(), &raw const data];
    assert_eq!(places.map(access), [None; 3]);
    ok!(cuGraphLaunch(exec, stream));
    let expected = [
        HostAccess::CopyFrom,
        HostAccess::CopyTo,
        HostAccess::HostFunction,
    ];
    assert_eq!(places.map(access), expected.map(Some));
    // The launch is held, so no memory was written or read.
    from.set(6);
    assert_eq!(to, [0]);
    ok!(cuStreamSynchronize(stream));
    assert_eq!(places.map(access), [None; 3]);
    assert_eq!(to, [6]);
}

#[test]
fn host_functions_of_graphs_are_called_by_the_worker() {
    static BY: AtomicU32 = AtomicU32::new(0);
    unsafe extern "C" fn note(_: *mut c_void) {
        let by_worker = std::thread::current().name() == Some("cuda-stream");
        BY.fetch_add(if by_worker { 1 } else { 1000 }, Ordering::SeqCst);
        let exec = result!(cuGraphInstantiateWithFlags(_, null_mut(), 0));
        assert_eq!(exec, Err(NOT_PERMITTED));
    }
    if !inner() {
        return with_variables(&[HOUR], || ());
    }
    let _context = Own::new();
    let stream = stream(1);
    begin(stream, GLOBAL);
    ok!(cuLaunchHostFunc(stream, Some(note), null_mut()));
    ok!(cuLaunchHostFunc(stream, Some(note), null_mut()));
    let exec = instantiate(end(stream));
    for launches in 1..10 {
        ok!(cuGraphLaunch(exec, stream));
        ok!(cuStreamSynchronize(stream));
        assert_eq!(BY.load(Ordering::SeqCst), 2 * launches);
    }
}

#[test]
fn leaked_graphs_are_named() {
    unsafe extern "C" fn nothing(_: *mut c_void) {}
    if inner() {
        ok!(cuInit(0));
        let (graph, outer) = (create(), create());
        out!(cuUserObjectCreate(_, null_mut(), Some(nothing), 2, 1));
        add_child(outer, graph).unwrap();
        instantiate(outer);
        return;
    }
    let (code, output, text) = rerun(&[("CUDA_EMULATOR_CHECK", "leak")]);
    assert_eq!(code, Some(99), "{output}{text}");
    // The child graph belongs to its node.
    for part in [
        "4 leaked at exit",
        "  graph 0x1a",
        "  executable graph 0x1b",
        "  user object 0x1d",
        ", 2 references",
    ] {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
}

#[test]
fn failures_on_demand_and_traces() {
    if inner() {
        let _context = Own::new();
        let (stream, word) = (stream(1), upload(&[0u32]));
        begin(stream, GLOBAL);
        ok!(cuMemsetD32Async(word, 1, 1, stream));
        let graph = end(stream);
        let exec = result!(cuGraphInstantiateWithFlags(_, graph, 0));
        assert_eq!(exec, Err(OUT_OF_MEMORY));
        let exec = instantiate(graph);
        ok!(cuGraphLaunch(exec, stream));
        fails!(UNKNOWN, cuGraphLaunch(exec, stream));
        ok!(cuStreamSynchronize(stream));
        assert_eq!(download::<u32>(word, 1), [1]);
        return;
    }
    let rules =
        "cuGraphInstantiateWithFlags:1:CUDA_ERROR_OUT_OF_MEMORY,cuGraphLaunch:2:CUDA_ERROR_UNKNOWN";
    let variables = [("CUDA_EMULATOR_FAIL", rules), ("CUDA_EMULATOR_TRACE", "1")];
    let (code, output, text) = rerun(&variables);
    assert_eq!(code, Some(0), "{output}{text}");
    for part in [
        "cuGraphInstantiateWithFlags(phGraphExec=",
        "CUDA_ERROR_OUT_OF_MEMORY (injected)",
        "cuStreamEndCapture(hStream=",
        "cuGraphLaunch(hGraphExec=0x1b",
    ] {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
}

#[test]
fn reads_of_uninitialized_graph_memory_are_reported() {
    let variables = [("CUDA_EMULATOR_CHECK", "uninit")];
    let parts = ["allocation node of a graph"];
    reports(&variables, &parts, || {
        let context = Own::new();
        let (kernel, stream) = (affine(), stream(1));
        begin(stream, GLOBAL);
        let address = out!(cuMemAllocAsync(_, 64, stream));
        run(kernel, stream, address, 1, 1, 1);
        ok!(cuMemFreeAsync(address, stream));
        ok!(cuGraphLaunch(instantiate(end(stream)), stream));
        assert_ne!(call!(cuStreamSynchronize(stream)), SUCCESS);
        drop(context);
    });
}
