//! Graphs that kernels launch, and nodes that kernels change.

use cuda_safe::{
    Context, DeviceBuffer, Function, Graph, GraphExec, LaunchConfig, Module, Stream,
    graph::{DeviceGraph, InstantiateFlags, Kept},
    sys::CUresult,
};

use super::{device, failure, rejection};

const SOURCE: &str = r#"
    typedef unsigned long long u64;
    extern "C" __device__ int cudaGraphLaunch(u64 graph, u64 mode);
    // Appends a number to the list, whose first word is the count.
    extern "C" __global__ void note(unsigned *list, unsigned number) {
        list[1 + atomicAdd(list, 1)] = number;
    }
    extern "C" __device__ int cudaGraphKernelNodeSetParam(u64 node, u64 offset, const void *value, u64 size);
    extern "C" __device__ int cudaGraphKernelNodeSetEnabled(u64 node, bool enable);
    extern "C" __device__ int cudaGraphKernelNodeSetGridDim(u64 node, dim3 grid);
    extern "C" __global__ void count(unsigned *counter, unsigned value) { atomicAdd(counter, value); }
    extern "C" __global__ void plan(u64 node, const unsigned *work, int *codes) {
        codes[0] = cudaGraphKernelNodeSetParam(node, 8, work, sizeof *work);
        codes[1] = cudaGraphKernelNodeSetEnabled(node, work[1] != 0);
        codes[2] = cudaGraphKernelNodeSetGridDim(node, dim3(work[1] ? work[1] : 1));
    }
    extern "C" __global__ void launch(u64 first, u64 first_mode, u64 second, u64 second_mode, int *codes) {
        codes[0] = cudaGraphLaunch(first, first_mode);
        if (second) codes[1] = cudaGraphLaunch(second, second_mode);
    }
    // Halves a number and launches its own graph until the number is 1.
    extern "C" __global__ void halve(unsigned *x, unsigned *rounds) {
        *x /= 2;
        *rounds += 1;
        u64 graph;
        asm("mov.u64 %0, %%current_graph_exec;" : "=l"(graph));
        if (*x > 1) cudaGraphLaunch(graph, 0x0100000000000000);
    }
"#;

const TAIL: u64 = 0x0100_0000_0000_0000;
const FORGET: u64 = 0x0200_0000_0000_0000;
const SIBLING: u64 = 0x0300_0000_0000_0000;
const ONE: fn() -> LaunchConfig = || LaunchConfig::new(1, 1);

fn kernel(context: &Context, name: &str) -> Function {
    let module = Module::compile(context, SOURCE).unwrap();
    module.function(name).unwrap()
}

/// A list, and device-launchable graphs that append 1 and 2 to it.
struct Bench {
    context: Context,
    stream: Stream,
    list: DeviceBuffer<u32>,
    graphs: [GraphExec; 2],
}

impl Bench {
    fn new(context: Context, stream: Stream) -> Self {
        let list = DeviceBuffer::<u32>::zeroed(&stream, 100).unwrap();
        let note = kernel(&context, "note");
        let graphs = [1u32, 2].map(|number| {
            let mut graph = Graph::new(&context).unwrap();
            // SAFETY: the list has room, outlives the graphs, and the graphs run one after the
            // other.
            unsafe { graph.add_kernel(&[], &note, ONE(), (&list, number)) }.unwrap();
            graph
                .instantiate_with(InstantiateFlags::DEVICE_LAUNCH)
                .unwrap()
        });
        Self {
            context,
            stream,
            list,
            graphs,
        }
    }

    fn upload(&mut self) {
        for graph in &mut self.graphs {
            graph.upload(&self.stream).unwrap();
        }
    }

    fn handles(&self) -> [DeviceGraph; 2] {
        self.graphs.each_ref().map(|one| one.for_device().unwrap())
    }

    /// Launches both graphs from a kernel. Returns the kernel's result codes and the list.
    fn launch(&mut self, modes: [u64; 2]) -> (Vec<i32>, Vec<u32>) {
        let [one, two] = self.handles();
        self.launch_these(one, two, modes)
    }

    fn launch_these(
        &mut self,
        one: DeviceGraph,
        two: DeviceGraph,
        modes: [u64; 2],
    ) -> (Vec<i32>, Vec<u32>) {
        self.list.fill(&self.stream, 0).unwrap();
        let mut graph = Graph::new(&self.context).unwrap();
        let codes: Kept<DeviceBuffer<i32>> =
            graph.keep(DeviceBuffer::zeroed(&self.stream, 2).unwrap());
        let launch = kernel(&self.context, "launch");
        let arguments = (one, modes[0], two, modes[1], codes);
        // SAFETY: two numbers are written. The graphs and their list live until the end of the
        // launch, which this function waits for.
        unsafe { graph.add_kernel(&[], &launch, ONE(), arguments) }.unwrap();
        let mut exec = graph.instantiate().unwrap();
        exec.launch(&self.stream).unwrap();
        self.stream.synchronize().unwrap();
        let codes = exec.memory(codes).unwrap().to_vec(&self.stream).unwrap();
        let list = self.list.to_vec(&self.stream).unwrap();
        (codes, list[1..][..list[0] as usize].to_vec())
    }
}

#[test]
fn kernels_can_launch_graphs() {
    let (_one, context, stream) = device();
    let mut bench = Bench::new(context, stream);
    // A graph cannot be launched before it was uploaded.
    assert_eq!(bench.launch([TAIL, TAIL]), (vec![1, 1], vec![]));
    bench.upload();
    for modes in [[TAIL, TAIL], [FORGET, TAIL], [SIBLING, FORGET]] {
        let (codes, mut list) = bench.launch(modes);
        assert_eq!(codes, [0, 0]);
        if modes[1] == FORGET {
            list.sort_unstable(); // the graphs run concurrently
        }
        assert_eq!(list, [1, 2], "{modes:x?}");
    }
    // A tail launch runs after the fire-and-forget children, whatever the order of the calls.
    assert_eq!(bench.launch([TAIL, FORGET]), (vec![0, 0], vec![2, 1]));
    // Launching the same graph twice at the same time fails.
    let [one, _] = bench.handles();
    let twice = bench.launch_these(one, one, [TAIL, TAIL]);
    assert_eq!(twice, (vec![0, 1], vec![1]));
    // The host launches them like any other graph.
    let Bench { stream, graphs, .. } = &mut bench;
    graphs[0].launch(stream).unwrap();
    stream.synchronize().unwrap();
}

#[test]
fn graph_can_relaunch_itself() {
    let (_one, context, stream) = device();
    let mut graph = Graph::new(&context).unwrap();
    let x = graph.keep(DeviceBuffer::from_slice(&stream, &[1024u32]).unwrap());
    let rounds = graph.keep(DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap());
    // SAFETY: the kernel uses two numbers.
    unsafe { graph.add_kernel(&[], &kernel(&context, "halve"), ONE(), (x, rounds)) }.unwrap();
    let mut exec = graph
        .instantiate_with(InstantiateFlags::DEVICE_LAUNCH)
        .unwrap();
    exec.launch(&stream).unwrap();
    // Later work on the stream waits for all rounds.
    assert_eq!(exec.memory(rounds).unwrap().to_vec(&stream).unwrap(), [10]);
}

#[test]
fn graphs_that_kernels_cannot_launch_are_rejected() {
    let (_one, context, stream) = device();
    let graph = Graph::new(&context).unwrap();
    let exec = graph.instantiate().unwrap();
    rejection(exec.for_device()).mentions("DEVICE_LAUNCH");
    // A device-launchable graph must not contain a host function.
    let mut graph = exec.into_graph().unwrap();
    let node = graph.add_host_function(&[], || {}).unwrap();
    let failed = graph
        .instantiate_with(InstantiateFlags::DEVICE_LAUNCH)
        .unwrap_err();
    assert_eq!(
        failed.error.driver_code(),
        Some(CUresult::CUDA_ERROR_INVALID_VALUE)
    );
    let text = failed.to_string();
    assert!(text.contains("graph that kernels launch"), "{text}");
    // A driver need not name the node.
    assert!(
        !text.contains("See ") || text.contains(&format!("See {node:?} (")),
        "{text}"
    );
    drop(failed);
    // Only kernels in graphs can launch graphs.
    let mut bench = Bench::new(context.clone(), stream);
    bench.upload();
    let [one, two] = bench.handles();
    let mut codes = DeviceBuffer::<i32>::zeroed(&bench.stream, 2).unwrap();
    let launch = kernel(&context, "launch");
    let arguments = (one, TAIL, two, TAIL, &mut codes);
    // SAFETY: two numbers are written, and the graphs are live.
    failure(unsafe { launch.launch(&bench.stream, ONE(), arguments) })
        .with_code(CUresult::CUDA_ERROR_NOT_SUPPORTED);
}

#[test]
fn kernels_can_change_nodes() {
    let (_one, context, stream) = device();
    let (count, plan) = (kernel(&context, "count"), kernel(&context, "plan"));
    let mut graph = Graph::new(&context).unwrap();
    let counter = graph.keep(DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap());
    let work = graph.keep(DeviceBuffer::<u32>::zeroed(&stream, 2).unwrap());
    let codes = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, 3).unwrap());
    // SAFETY: each block adds a number, also with another number and another grid.
    let counted = unsafe { graph.add_kernel(&[], &count, ONE(), (counter, 1u32)) }.unwrap();
    let node = graph.make_updatable(counted).unwrap();
    graph.make_updatable(counted).unwrap(); // later changes keep it updatable
    // SAFETY: the kernel uses five numbers. The node belongs to this graph and runs later.
    let planned = unsafe { graph.add_kernel(&[], &plan, ONE(), (node, work, codes)) }.unwrap();
    graph.add_dependency(planned, counted).unwrap();
    let mut exec = graph.instantiate().unwrap();
    exec.upload(&stream).unwrap();
    let mut expected = 0;
    for (value, blocks) in [(10, 3), (7, 0), (1, 5)] {
        let mut given = exec.memory(work).unwrap();
        given.copy_from_slice(&stream, &[value, blocks]).unwrap();
        exec.launch(&stream).unwrap();
        expected += value * blocks;
        let got = exec.memory(counter).unwrap().to_vec(&stream).unwrap();
        assert_eq!(got, [expected], "{value} in {blocks} blocks");
        let got = exec.memory(codes).unwrap().to_vec(&stream).unwrap();
        assert_eq!(got, [0; 3]);
    }
}
