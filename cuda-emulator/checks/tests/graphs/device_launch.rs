//! Graphs launched by kernels: allowed nodes, launch modes, order and limits. The codes are those
//! of an H200 (driver 580).

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::graphs::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

/// `launch` launches graphs, each in its mode. `note` appends a number to a list. `again` counts,
/// and launches its own graph until the count is 5. `current` stores the handle of its graph.
const TEXT: &str = "
.version 7.8
.target sm_70
.address_size 64
.extern .func (.param .b32 result) cudaGraphLaunch
(
	.param .b64 exec,
	.param .b64 stream
)
;
.visible .entry launch(.param .u64 execs, .param .u64 modes, .param .u32 count, .param .u64 results)
{
	.reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %d<6>;
	ld.param.u64 %d1, [execs];
	ld.param.u64 %d2, [modes];
	ld.param.u32 %r1, [count];
	ld.param.u64 %d3, [results];
next:
	ld.global.u64 %d4, [%d1];
	ld.global.u64 %d5, [%d2];
	{
	.param .b64 a; st.param.b64 [a], %d4;
	.param .b64 b; st.param.b64 [b], %d5;
	.param .b32 c;
	call.uni (c), cudaGraphLaunch, (a, b);
	ld.param.b32 %r2, [c];
	}
	st.global.u32 [%d3], %r2;
	add.u64 %d1, %d1, 8;
	add.u64 %d2, %d2, 8;
	add.u64 %d3, %d3, 4;
	sub.u32 %r1, %r1, 1;
	setp.ne.u32 %p1, %r1, 0;
	@%p1 bra next;
	ret;
}
.visible .entry note(.param .u64 list, .param .u32 number)
{
	.reg .b32 %r<3>; .reg .b64 %d<4>;
	ld.param.u64 %d1, [list];
	ld.param.u32 %r1, [number];
	atom.global.add.u32 %r2, [%d1], 1;
	mul.wide.u32 %d2, %r2, 4;
	add.u64 %d3, %d1, %d2;
	st.global.u32 [%d3+4], %r1;
	ret;
}
.visible .entry again(.param .u64 words)
{
	.reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %d<3>;
	ld.param.u64 %d1, [words];
	ld.global.u32 %r1, [%d1];
	add.u32 %r1, %r1, 1;
	st.global.u32 [%d1], %r1;
	setp.ge.u32 %p1, %r1, 5;
	@%p1 bra done;
	mov.u64 %d2, %current_graph_exec;
	{
	.param .b64 a; st.param.b64 [a], %d2;
	.param .b64 b; st.param.b64 [b], 0x100000000000000;
	.param .b32 c;
	call.uni (c), cudaGraphLaunch, (a, b);
	ld.param.b32 %r2, [c];
	}
	st.global.u32 [%d1+4], %r2;
done:
	ret;
}
.visible .entry current(.param .u64 word)
{
	.reg .b64 %d<3>;
	ld.param.u64 %d1, [word];
	mov.u64 %d2, %current_graph_exec;
	st.global.u64 [%d1], %d2;
	ret;
}
";

const TAIL: u64 = 0x0100_0000_0000_0000;
const FORGET: u64 = 0x0200_0000_0000_0000;
const SIBLING: u64 = 0x0300_0000_0000_0000;
/// `CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH`
const DEVICE_LAUNCH: u64 = 4;

/// The objects of the tests: kernels, a stream and a list of numbers.
struct Bench {
    module: CUmodule,
    stream: CUstream,
    list: CUdeviceptr,
    results: CUdeviceptr,
}

impl Bench {
    fn new() -> Bench {
        let (list, results) = (alloc(4096), alloc(4096));
        ok!(cuMemsetD32_v2(list, 0, 1024));
        Bench {
            module: load(TEXT),
            stream: stream(1),
            list,
            results,
        }
    }

    /// Returns a graph with a kernel that notes a number.
    fn note(&self, number: u32) -> CUgraph {
        let graph = create();
        let mut arguments = [arg(&self.list), arg(&number)];
        let kernel = function(self.module, "note");
        add_kernel(graph, &[], &kernel_params(kernel, &mut arguments));
        graph
    }

    /// Returns a graph with a kernel that launches others.
    fn launch(&self, what: &[(CUgraphExec, u64)]) -> CUgraph {
        let execs: Vec<u64> = what.iter().map(|one| one.0 as u64).collect();
        let modes: Vec<u64> = what.iter().map(|one| one.1).collect();
        let (execs, modes, count) = (upload(&execs), upload(&modes), what.len() as u32);
        let mut arguments = [arg(&execs), arg(&modes), arg(&count), arg(&self.results)];
        let (graph, kernel) = (create(), function(self.module, "launch"));
        add_kernel(graph, &[], &kernel_params(kernel, &mut arguments));
        graph
    }

    /// Instantiates a graph for launches by kernels, and uploads it.
    fn ready(&self, graph: CUgraph) -> CUgraphExec {
        let exec = for_device(graph);
        ok!(cuGraphUpload(exec, self.stream));
        ok!(cuStreamSynchronize(self.stream));
        exec
    }

    /// Launches a graph that launches others. Returns the codes of these launches and the noted
    /// numbers.
    fn play(&self, what: &[(CUgraphExec, u64)]) -> (Vec<u32>, Vec<u32>) {
        let exec = instantiate(self.launch(what));
        self.run(exec, what.len())
    }

    fn run(&self, exec: CUgraphExec, count: usize) -> (Vec<u32>, Vec<u32>) {
        ok!(cuMemsetD32_v2(self.list, 0, 1));
        ok!(cuGraphLaunch(exec, self.stream));
        // After the launch and all the launches that it made.
        let number = 100u32;
        let mut arguments = [arg(&self.list), arg(&number)];
        let kernel = function(self.module, "note");
        assert_eq!(launch(kernel, 1, 1, self.stream, &mut arguments), SUCCESS);
        ok!(cuStreamSynchronize(self.stream));
        let noted = download::<u32>(self.list, 1024);
        let noted = noted[1..][..noted[0] as usize].to_vec();
        (download::<u32>(self.results, count), noted)
    }
}

fn for_device(graph: CUgraph) -> CUgraphExec {
    out!(cuGraphInstantiateWithFlags(_, graph, DEVICE_LAUNCH))
}

/// Returns the reason why an instantiation with these flags is rejected, and the node.
fn rejection(graph: CUgraph, flags: u64) -> (u32, CUgraphNode) {
    let (mut exec, mut params) = (null_mut(), filled::<CUDA_GRAPH_INSTANTIATE_PARAMS>(0));
    params.flags = flags;
    invalid!(cuGraphInstantiateWithParams(&mut exec, graph, &mut params));
    invalid!(cuGraphInstantiateWithFlags(&mut exec, graph, flags));
    assert!(exec.is_null());
    (params.result_out.0, params.hErrNode_out)
}

#[test]
fn kernels_launch_graphs() {
    let _alone = alone();
    let _context = Own::new();
    let bench = Bench::new();
    let [one, two, three] = [1, 2, 3].map(|number| bench.ready(bench.note(number)));
    for mode in [FORGET, TAIL, SIBLING] {
        assert_eq!(bench.play(&[(one, mode)]), (vec![0], vec![1, 100]));
    }
    // Children end before tail launches start, and tail launches run in order.
    let (codes, noted) = bench.play(&[(one, TAIL), (two, TAIL), (three, FORGET)]);
    assert_eq!((codes, noted), (vec![0; 3], vec![3, 1, 2, 100]));
    // A sibling of a child is a child of the parent, so the tail launch waits for it.
    let sibling = bench.ready(bench.launch(&[(two, SIBLING)]));
    let (_, noted) = bench.play(&[(sibling, FORGET), (one, TAIL)]);
    assert_eq!(noted, [2, 1, 100]);
    // A launched graph launches others: its tail launches run before the remaining tail launches of
    // its parent.
    let inner = bench.ready(bench.launch(&[(one, TAIL), (two, FORGET)]));
    let (codes, noted) = bench.play(&[(inner, TAIL), (three, TAIL)]);
    assert_eq!((codes, noted), (vec![0; 2], vec![2, 1, 3, 100]));
    let (_, noted) = bench.play(&[(three, TAIL), (inner, FORGET)]);
    assert_eq!(noted, [2, 1, 3, 100]);
    // Repeats it with the same executable graph.
    let whole = instantiate(bench.launch(&[(inner, FORGET), (three, TAIL)]));
    for _ in 0..3 {
        assert_eq!(bench.run(whole, 2), (vec![0; 2], vec![2, 1, 3, 100]));
    }
}

#[test]
fn graphs_can_launch_themselves() {
    let _alone = alone();
    let _context = Own::new();
    let bench = Bench::new();
    let (words, graph) = (upload(&[0u32, 9]), create());
    let kernel = function(bench.module, "again");
    add_kernel(graph, &[], &kernel_params(kernel, &mut [arg(&words)]));
    let exec = for_device(graph);
    // The launch by the host uploads the graph.
    go(exec, bench.stream);
    assert_eq!(download::<u32>(words, 2), [5, 0]);
    // A graph that only the host can launch has no handle for itself: the handle is null.
    let (words, graph) = (upload(&[1u64]), create());
    let kernel = function(bench.module, "current");
    add_kernel(graph, &[], &kernel_params(kernel, &mut [arg(&words)]));
    go(instantiate(graph), bench.stream);
    assert_eq!(download::<u64>(words, 1), [0]);
    let exec = for_device(graph);
    go(exec, bench.stream);
    assert_eq!(download::<u64>(words, 1), [exec as u64]);
}

#[test]
fn invalid_device_launches_are_rejected() {
    let _alone = alone();
    let _context = Own::new();
    let bench = Bench::new();
    let late = for_device(bench.note(1));
    assert_eq!(bench.play(&[(late, FORGET)]), (vec![1], vec![100]));
    assert_eq!(bench.play(&[(null_mut(), FORGET)]), (vec![1], vec![100]));
    let one = bench.ready(bench.note(1));
    // Only one launch at a time.
    for mode in [FORGET, TAIL, SIBLING] {
        let (codes, noted) = bench.play(&[(one, mode), (one, mode)]);
        assert_eq!((codes, noted), (vec![0, 1], vec![1, 100]), "{mode:#x}");
    }
    // Invalid modes.
    for mode in [0, 1, 2, 3, TAIL + 1, 4 << 56, bench.stream as u64] {
        let (codes, noted) = bench.play(&[(one, mode)]);
        assert_eq!((codes, noted), (vec![1], vec![100]), "{mode:#x}");
    }
    // Only kernels of graphs can launch graphs.
    let (nothing, count) = (0u64, 0u32);
    let mut arguments = [arg(&nothing), arg(&nothing), arg(&count), arg(&nothing)];
    let kernel = function(bench.module, "launch");
    let code = launch(kernel, 1, 1, bench.stream, &mut arguments);
    assert_eq!(code, NOT_SUPPORTED);
}

#[test]
fn pending_launches_are_limited() {
    let _alone = alone();
    let _context = Own::new();
    let bench = Bench::new();
    let execs: Vec<_> = (0..260).map(|n| bench.ready(bench.note(n))).collect();
    for (mode, most) in [(FORGET, 120), (TAIL, 255), (SIBLING, 120)] {
        let all: Vec<_> = execs.iter().map(|&exec| (exec, mode)).collect();
        let whole = instantiate(bench.launch(&all));
        // The limit applies to each launch separately.
        for _ in 0..2 {
            let (codes, noted) = bench.run(whole, all.len());
            assert!(codes[..most].iter().all(|&code| code == 0));
            assert!(codes[most..].iter().all(|&code| code == 1));
            let mut expected: Vec<u32> = (0..most as u32).collect();
            expected.push(100);
            assert_eq!(noted, expected);
        }
    }
}

#[test]
fn changes_apply_after_the_next_upload() {
    let _alone = alone();
    let _context = Own::new();
    let bench = Bench::new();
    let (graph, number) = (bench.note(1), 7u32);
    let exec = bench.ready(graph);
    let node = nodes(graph)[0];
    let mut arguments = [arg(&bench.list), arg(&number)];
    let params = kernel_params(function(bench.module, "note"), &mut arguments);
    ok!(cuGraphExecKernelNodeSetParams_v2(exec, node, &params));
    assert_eq!(bench.play(&[(exec, FORGET)]).1, [1, 100]);
    ok!(cuGraphUpload(exec, bench.stream));
    assert_eq!(bench.play(&[(exec, FORGET)]).1, [7, 100]);
}

#[test]
fn graphs_unsuitable_for_device_launch_are_rejected() {
    unsafe extern "C" fn nothing(_: *mut c_void) {}
    let _alone = alone();
    let _context = Own::new();
    let bench = Bench::new();
    for (flags, reported) in [(0, 0), (1, 1), (4, 4), (8, 0), (9, 1), (12, 4)] {
        let exec = out!(cuGraphInstantiateWithFlags(_, bench.note(0), flags));
        assert_eq!(out!(cuGraphExecGetFlags(exec, _)), reported);
    }
    // An empty graph, and conflicting flags.
    assert_eq!(rejection(create(), 4), (1, null_mut()));
    assert_eq!(rejection(bench.note(0), 5), (1, null_mut()));
    let graph = bench.note(0);
    let node = out!(cuGraphAddEmptyNode(_, graph, null(), 0));
    assert_eq!(rejection(graph, 4), (3, node));
    let graph = bench.note(0);
    let host = CUDA_HOST_NODE_PARAMS {
        fn_: Some(nothing),
        userData: null_mut(),
    };
    let node = out!(cuGraphAddHostNode(_, graph, null(), 0, &host));
    assert_eq!(rejection(graph, 4), (3, node));
    // In a child graph, the result names the node in that graph.
    let outer = create();
    let child = add_child(outer, graph).unwrap();
    let inner = out!(cuGraphChildGraphNodeGetGraph(child, _));
    assert_eq!(rejection(outer, 4), (3, nodes(inner)[1]));
    // Copies are allowed between memory that the device can access.
    let (locked, heap) = (out!(cuMemAllocHost_v2(_, 64)), vec![0u8; 64]);
    for (host, rejected) in [(locked, false), (heap.as_ptr().cast_mut().cast(), true)] {
        let mut copy: CUDA_MEMCPY3D = filled(0);
        copy.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_HOST;
        copy.srcHost = host;
        copy.dstMemoryType = CUmemorytype::CU_MEMORYTYPE_DEVICE;
        copy.dstDevice = bench.list;
        (copy.WidthInBytes, copy.Height, copy.Depth) = (4, 1, 1);
        let graph = create();
        let node = add_copy(graph, &[], &copy);
        match rejected {
            true => assert_eq!(rejection(graph, 4), (3, node)),
            false => drop(for_device(graph)),
        }
    }
    let graph = create();
    set(graph, &[], bench.list, 7);
    let exec = bench.ready(graph);
    let (codes, _) = bench.play(&[(exec, TAIL)]);
    assert_eq!(codes, [0]);
}

#[test]
fn device_launch_of_an_unsuitable_graph_is_reported() {
    let parts = [
        "CUDA_ERROR_ILLEGAL_ADDRESS",
        "cudaGraphLaunch: 0x1b",
        "without CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH",
        "in node",
    ];
    reports(&[], &parts, || {
        let _context = Own::new();
        let bench = Bench::new();
        let plain = instantiate(bench.note(1));
        let exec = instantiate(bench.launch(&[(plain, FORGET)]));
        ok!(cuGraphLaunch(exec, bench.stream));
        fails!(ILLEGAL_ADDRESS, cuStreamSynchronize(bench.stream));
    });
}

#[test]
fn faults_of_launched_graphs_name_the_node() {
    let parts = ["CUDA_ERROR_ILLEGAL_ADDRESS", "kernel note", "in node"];
    reports(&[], &parts, || {
        let _context = Own::new();
        let bench = Bench::new();
        let (graph, nowhere, number) = (create(), 16u64, 0u32);
        let mut arguments = [arg(&nowhere), arg(&number)];
        let kernel = function(bench.module, "note");
        add_kernel(graph, &[], &kernel_params(kernel, &mut arguments));
        let exec = instantiate(bench.launch(&[(bench.ready(graph), FORGET)]));
        ok!(cuGraphLaunch(exec, bench.stream));
        fails!(ILLEGAL_ADDRESS, cuStreamSynchronize(bench.stream));
    });
}
