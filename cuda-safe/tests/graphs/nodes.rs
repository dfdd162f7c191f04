//! Graphs built node by node.

use std::sync::mpsc;

use cuda_safe::{
    Context, DeviceBuffer, ErrorKind, Event, In, LaunchConfig, ManagedBuffer, PinnedBuffer, Stream,
    graph::{Graph, NodeKind},
};

use super::{compile, config, device, failure, kernel, launched, rejection};

#[test]
fn all_kinds_of_nodes_run_in_order() {
    let (_one, context, stream) = device();
    let (add, multiply) = (kernel(&context, "add"), kernel(&context, "multiply"));
    let mut graph = Graph::new(&context).unwrap();
    let host = graph.keep(PinnedBuffer::from_slice(&context, &[1i32, 2, 3, 4]).unwrap());
    let back = graph.keep(PinnedBuffer::<i32>::zeroed(&context, 4).unwrap());
    let x = graph.keep(DeviceBuffer::<i32>::uninit(&stream, 4).unwrap());
    let y = graph.keep(DeviceBuffer::<i32>::uninit(&stream, 4).unwrap());
    assert_eq!((x.len(), x.is_empty()), (4, false));

    let up = graph.add_copy(&[], x, host).unwrap();
    // SAFETY: the buffer has four elements.
    let added = unsafe { graph.add_kernel(&[up], &add, config(4), (x, 10i32, 4i32)) }.unwrap();
    let across = graph.add_copy(&[added], y, x).unwrap();
    let last = y.slice(3..).unwrap();
    let filled = graph.add_fill(&[across], last, -5).unwrap();
    let part = (y.slice(2..).unwrap(), 2i32, 2i32);
    // SAFETY: the kernel uses the two elements from index 2 on.
    let multiplied = unsafe { graph.add_kernel(&[filled], &multiply, config(2), part) }.unwrap();
    let both = graph.add_empty(&[multiplied, across]).unwrap();
    let down = graph.add_copy(&[both], back, y).unwrap();
    let done = Event::new(&context).unwrap();
    let recorded = graph.add_event_record(&[down], &done).unwrap();
    let (sender, receiver) = mpsc::channel();
    let notified = graph
        .add_host_function(&[recorded], move || sender.send(()).unwrap())
        .unwrap();

    assert_eq!(graph.nodes().unwrap().len(), 9);
    assert_eq!(graph.roots().unwrap(), [up]);
    assert_eq!(graph.edges().unwrap().len(), 9);
    for (node, kind) in [
        (up, NodeKind::COPY),
        (added, NodeKind::KERNEL),
        (filled, NodeKind::FILL),
        (both, NodeKind::EMPTY),
        (recorded, NodeKind::EVENT_RECORD),
        (notified, NodeKind::HOST_FUNCTION),
    ] {
        assert_eq!(graph.kind(node).unwrap(), kind);
    }
    let dot = graph.to_dot().unwrap();
    assert!(dot.contains("multiply\\n1 x 1 x 1 blocks of"), "{dot}");
    assert_eq!(dot.matches(" -> ").count(), 9, "{dot}");

    let mut exec = graph.instantiate().unwrap();
    exec.upload(&stream).unwrap();
    exec.launch(&stream).unwrap();
    assert_eq!(exec.memory(back).unwrap(), [11, 12, 26, -10]);
    assert_eq!(receiver.try_iter().count(), 1);
    assert!(done.query().unwrap());
    exec.memory(host).unwrap()[0] = 90; // the next launch reads it
    exec.launch(&stream).unwrap();
    assert_eq!(exec.memory(back).unwrap(), [100, 12, 26, -10]);
    assert_eq!(receiver.try_iter().count(), 1);
}

#[test]
fn independent_nodes_and_a_node_that_waits_for_all() {
    let (_one, context, stream) = device();
    let add = kernel(&context, "add");
    let mut graph = Graph::new(&context).unwrap();
    let x = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, 800).unwrap());
    let parts: Vec<_> = (0..8)
        .map(|i| {
            let part = (x.slice(100 * i..100 * (i + 1)).unwrap(), i as i32, 100i32);
            // SAFETY: each kernel uses a hundred elements.
            unsafe { graph.add_kernel(&[], &add, config(100), part) }.unwrap()
        })
        .collect();
    // SAFETY: the kernel uses all eight hundred elements after the others.
    unsafe { graph.add_kernel(&parts, &add, config(800), (x, 1000i32, 800i32)) }.unwrap();
    let mut exec = launched(graph, &stream);
    exec.launch(&stream).unwrap();
    let values = exec.memory(x).unwrap().to_vec(&stream).unwrap();
    for (i, &value) in values.iter().enumerate() {
        assert_eq!(value, 2 * (1000 + i as i32 / 100), "element {i}");
    }
}

#[test]
fn fill_accepts_repeating_values() {
    let (_one, context, stream) = device();
    let mut graph = Graph::new(&context).unwrap();
    let bytes = graph.keep(DeviceBuffer::<u8>::zeroed(&stream, 5).unwrap());
    let halves = graph.keep(DeviceBuffer::<u16>::zeroed(&stream, 5).unwrap());
    let pairs = graph.keep(DeviceBuffer::<[f32; 2]>::zeroed(&stream, 5).unwrap());
    let wide = graph.keep(DeviceBuffer::<u64>::zeroed(&stream, 5).unwrap());
    graph.add_fill(&[], bytes, 7).unwrap();
    graph.add_fill(&[], halves, 0x1234).unwrap();
    graph.add_fill(&[], pairs, [1.5, 1.5]).unwrap();
    graph.add_fill(&[], wide, u64::MAX).unwrap();
    rejection(graph.add_fill(&[], wide, 1)).mentions("use a kernel");
    let host = graph.keep(PinnedBuffer::<u8>::zeroed(&context, 5).unwrap());
    rejection(graph.add_fill(&[], host, 1)).mentions("host memory");
    let mut exec = launched(graph, &stream);
    assert_eq!(exec.memory(bytes).unwrap().to_vec(&stream).unwrap(), [7; 5]);
    let halves = exec.memory(halves).unwrap().to_vec(&stream).unwrap();
    assert_eq!(halves, [0x1234; 5]);
    let pairs = exec.memory(pairs).unwrap().to_vec(&stream).unwrap();
    assert_eq!(pairs, [[1.5; 2]; 5]);
    let wide = exec.memory(wide).unwrap().to_vec(&stream).unwrap();
    assert_eq!(wide, [u64::MAX; 5]);
}

#[test]
fn adjacent_parts_do_not_overlap() {
    let (_one, context, stream) = device();
    let mut graph = Graph::new(&context).unwrap();
    let x = graph.keep(DeviceBuffer::from_slice(&stream, &[1i32, 2, 3, 4, 5, 6]).unwrap());
    let part = |start: usize| x.slice(start..start + 2).unwrap();
    let down = graph.add_copy(&[], part(0), part(2)).unwrap();
    graph.add_copy(&[down], part(4), part(2)).unwrap();
    let mut exec = launched(graph, &stream);
    let values = exec.memory(x).unwrap().to_vec(&stream).unwrap();
    assert_eq!(values, [3, 4, 3, 4, 3, 4]);
}

#[test]
fn kernel_nodes_get_their_configured_shared_memory() {
    let (_one, context, stream) = device();
    let source = r#"extern "C" __global__ void size(unsigned *x) {
        asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(*x));
    }"#;
    let size = compile(&context, source, "size");
    let mut graph = Graph::new(&context).unwrap();
    let x = graph.keep(DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap());
    let config = LaunchConfig::new(1, 1).shared_bytes(96);
    // SAFETY: the kernel writes one number.
    unsafe { graph.add_kernel(&[], &size, config, (x,)) }.unwrap();
    let mut exec = launched(graph, &stream);
    assert_eq!(exec.memory(x).unwrap().to_vec(&stream).unwrap(), [96]);
}

#[test]
fn children_and_dependencies() {
    let (_one, context, stream) = device();
    let add = kernel(&context, "add");
    let multiply = kernel(&context, "multiply");
    let mut child = Graph::new(&context).unwrap();
    let x = child.keep(DeviceBuffer::<i32>::zeroed(&stream, 3).unwrap());
    // SAFETY: the buffer has three elements.
    let inner = unsafe { child.add_kernel(&[], &add, config(3), (x, 1i32, 3i32)) }.unwrap();
    let mut graph = Graph::new(&context).unwrap();
    // The child is moved. Adding it twice would need two copies of its memory.
    let ran = graph.add_child(&[], child).unwrap();
    assert_eq!(graph.kind(ran).unwrap(), NodeKind::CHILD);
    // SAFETY: as above, once the edge exists.
    let node = unsafe { graph.add_kernel(&[], &multiply, config(3), (x, 10i32, 3i32)) }.unwrap();
    assert_eq!(graph.edges().unwrap(), []);
    graph.add_dependency(ran, node).unwrap();
    assert_eq!(graph.edges().unwrap(), [(ran, node)]);
    graph.remove_dependency(ran, node).unwrap();
    graph.add_dependency(ran, node).unwrap();
    if graph.add_dependency(node, ran).is_ok() {
        failure(graph.instantiate()).mentions("in a cycle");
    }

    // The same without the cycle.
    let mut graph = Graph::new(&context).unwrap();
    let x = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, 3).unwrap());
    // SAFETY: as above.
    let first = unsafe { graph.add_kernel(&[], &add, config(3), (x, 1i32, 3i32)) }.unwrap();
    // SAFETY: as above.
    let node =
        unsafe { graph.add_kernel(&[first], &multiply, config(3), (x, 10i32, 3i32)) }.unwrap();
    rejection(graph.add_dependency(inner, node)).mentions("another graph");
    let mut exec = launched(graph, &stream);
    exec.launch(&stream).unwrap();
    assert_eq!(exec.memory(x).unwrap().to_vec(&stream).unwrap(), [110; 3]);
}

#[test]
fn events_order_a_graph_with_other_streams() {
    let (_one, context, stream) = device();
    let other = Stream::new(&context).unwrap();
    let add = kernel(&context, "add");
    let before = Event::without_timing(&context).unwrap();
    let mut x = ManagedBuffer::<i32>::zeroed(&stream, 4).unwrap();
    let mut graph = Graph::new(&context).unwrap();
    let waited = graph.add_event_wait(&[], &before).unwrap();
    assert_eq!(graph.kind(waited).unwrap(), NodeKind::EVENT_WAIT);
    let pointer = x.as_device_ptr();
    // SAFETY: the four elements outlive the graph, and the event orders it with the other stream.
    unsafe { graph.add_kernel(&[waited], &add, config(4), (pointer, 5i32, 4i32)) }.unwrap();
    let mut exec = graph.instantiate().unwrap();
    for round in 1..4 {
        x.fill(&other, 100 * round).unwrap();
        before.record(&other).unwrap();
        exec.launch(&stream).unwrap();
        assert_eq!(x.to_vec(&stream).unwrap(), [100 * round + 5; 4]);
    }
    drop(exec);
}

#[test]
fn cooperative_launch_stays_cooperative() {
    let (_one, context, stream) = device();
    let last = kernel(&context, "last");
    let mut graph = Graph::new(&context).unwrap();
    let counter = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, 1).unwrap());
    let seen = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, 4).unwrap());
    let zero = graph.add_fill(&[], counter, 0).unwrap();
    let config = LaunchConfig::new(4, 32).cooperative(true);
    // SAFETY: the buffers hold a counter and one element for each of four blocks.
    let node = unsafe { graph.add_kernel(&[zero], &last, config, (counter, seen)) }.unwrap();
    let mut exec = graph.instantiate().unwrap();
    for _ in 0..2 {
        exec.launch(&stream).unwrap();
        assert_eq!(exec.memory(seen).unwrap().to_vec(&stream).unwrap(), [4; 4]);
    }
    // It cannot become a normal launch, but its grid can change.
    let other = LaunchConfig::new(4, 32);
    // SAFETY: the call fails.
    let refusal = unsafe { exec.set_kernel(node, &last, other, (counter, seen)) };
    rejection(refusal).mentions("cooperative");
    let fewer = LaunchConfig::new(3, 32).cooperative(true);
    // SAFETY: as above, with three blocks.
    unsafe { exec.set_kernel(node, &last, fewer, (counter, seen)) }.unwrap();
    exec.launch(&stream).unwrap();
    let values = exec.memory(seen).unwrap().to_vec(&stream).unwrap();
    assert_eq!(values, [3, 3, 3, 4]);
}

#[test]
fn invalid_nodes_are_rejected_and_not_added() {
    let (_one, context, stream) = device();
    let add = kernel(&context, "add");
    let mut graph = Graph::new(&context).unwrap();
    let mut other = Graph::new(&context).unwrap();
    let x = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, 4).unwrap());
    let foreign = other.keep(DeviceBuffer::<i32>::zeroed(&stream, 4).unwrap());
    let stranger = other.add_empty(&[]).unwrap();

    rejection(graph.add_empty(&[stranger])).mentions("another graph");
    rejection(graph.kind(stranger)).mentions("another graph");
    rejection(graph.memory(foreign)).mentions("another graph");
    rejection(graph.add_copy(&[], x, foreign)).mentions("another graph");
    rejection(graph.add_fill(&[], foreign, 1)).mentions("another graph");
    let short = x.slice(..3).unwrap();
    rejection(graph.add_copy(&[], x, short)).mentions("3 elements");
    rejection(x.slice(3..5)).mentions("3..5");
    let (a, b) = (x.slice(..3).unwrap(), x.slice(1..).unwrap());
    rejection(graph.add_copy(&[], a, b)).mentions("overlap");
    let host = [1i32; 4];
    // SAFETY: the call fails.
    rejection(unsafe { graph.add_kernel(&[], &add, config(4), (In(&host), 1i32, 4i32)) })
        .mentions("host slices");
    // SAFETY: as above.
    let few = unsafe { graph.add_kernel(&[], &add, config(4), (x, 1i32)) }.unwrap_err();
    assert_eq!(*few.kind(), ErrorKind::LaunchArguments, "{few}");
    let large = LaunchConfig::new(1, 2048);
    // SAFETY: as above.
    let large = unsafe { graph.add_kernel(&[], &add, large, (x, 1i32, 4i32)) }.unwrap_err();
    assert!(large.to_string().contains("2048 threads"), "{large}");
    let second = Context::create(context.device(), Default::default()).unwrap();
    let event = Event::new(&second).unwrap();
    rejection(graph.add_event_record(&[], &event)).mentions("different contexts");
    let child = Graph::new(&second).unwrap();
    rejection(graph.add_child(&[], child)).mentions("different contexts");
    assert_eq!(graph.nodes().unwrap(), []);
    let node = graph.add_empty(&[]).unwrap();
    rejection(graph.add_empty(&[node, node])).mentions("twice");
    failure(graph.add_dependency(node, node)).mentions("to itself");
    failure(graph.remove_dependency(node, node)).mentions("does not exist");

    // Operations on no elements become empty nodes.
    let none = x.slice(2..2).unwrap();
    let copy = graph.add_copy(&[], none, none).unwrap();
    let fill = graph.add_fill(&[copy], none, 1).unwrap();
    // SAFETY: nothing runs.
    let launch = unsafe { graph.add_kernel(&[fill], &add, config(0), (x, 1i32, 0i32)) }.unwrap();
    for node in [copy, fill, launch] {
        assert_eq!(graph.kind(node).unwrap(), NodeKind::EMPTY);
    }
    let mut exec = launched(graph, &stream);
    assert_eq!(exec.memory(x).unwrap().to_vec(&stream).unwrap(), [0; 4]);
}

#[test]
fn graph_can_allocate_and_free_memory() {
    let (_one, context, stream) = device();
    let add = kernel(&context, "add");
    let n = 1 << 20;
    let mut graph = Graph::new(&context).unwrap();
    let x = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, n).unwrap());
    let (allocated, scratch) = graph.add_allocation::<i32>(&[], n).unwrap();
    assert_eq!(graph.kind(allocated).unwrap(), NodeKind::ALLOCATION);
    assert_eq!((scratch.len(), scratch.is_empty()), (n, false));
    // SAFETY: the memory is used after the allocation and before it is freed.
    let part = unsafe { scratch.part() };
    let filled = graph.add_fill(&[allocated], part, 40).unwrap();
    // SAFETY: the kernel uses n elements between the two.
    let added =
        unsafe { graph.add_kernel(&[filled], &add, config(n), (scratch, 2i32, n as i32)) }.unwrap();
    let copied = graph.add_copy(&[added], x, part).unwrap();

    // This graph must free the memory exactly once.
    let failed = graph.instantiate().unwrap_err();
    assert!(failed.to_string().contains("add_free"), "{failed}");
    let mut graph = failed.into_graph();
    let freed = graph.add_free(&[copied], scratch).unwrap();
    assert_eq!(graph.kind(freed).unwrap(), NodeKind::FREE);
    rejection(graph.add_free(&[copied], scratch)).mentions("already");
    let mut other = Graph::new(&context).unwrap();
    rejection(other.add_free(&[], scratch)).mentions("another graph");
    rejection(other.add_fill(&[], part, 1)).mentions("another graph");
    rejection(other.add_allocation::<i32>(&[], 0)).mentions("`len` is 0");
    // SAFETY: nothing is used.
    rejection(unsafe { graph.try_clone() }).mentions("build the graph twice");

    let mut exec = graph.instantiate().unwrap();
    for _ in 0..3 {
        exec.launch(&stream).unwrap();
    }
    let values = exec.memory(x).unwrap().to_vec(&stream).unwrap();
    assert!(values.iter().all(|&value| value == 42));
    let device = context.device();
    let memory = device.graph_memory().unwrap();
    assert!(memory.used_high >= 4 * n as u64, "{memory:?}");
    device.trim_graph_memory().unwrap();
    drop(exec);
    stream.synchronize().unwrap();
    device.trim_graph_memory().unwrap();
    device.reset_graph_memory_high().unwrap();
    let memory = device.graph_memory().unwrap();
    let all = [
        memory.used,
        memory.used_high,
        memory.reserved,
        memory.reserved_high,
    ];
    assert_eq!(all, [0; 4], "no memory remains allocated");

    let too_much = other.add_allocation::<u8>(&[], 1 << 46).unwrap_err();
    let ErrorKind::OutOfMemory { requested, .. } = *too_much.kind() else {
        panic!("{too_much}")
    };
    assert_eq!(requested, 1 << 46);
}
