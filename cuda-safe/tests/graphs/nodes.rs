//! Graphs that are built by hand.

use std::sync::mpsc;

use cuda_safe::{
    Context, DeviceBuffer, ErrorKind, Event, In, LaunchConfig, ManagedBuffer, Module, PinnedBuffer,
    Stream,
    graph::{Graph, NodeKind},
};

use super::{config, device, kernel, refused};

#[test]
fn every_kind_of_node_does_its_work_in_order() {
    let (_one, context, stream) = device();
    let (add, multiply) = (kernel(&context, "add"), kernel(&context, "multiply"));
    let mut graph = Graph::new(&context).unwrap();
    let host = graph.keep(PinnedBuffer::from_slice(&context, &[1i32, 2, 3, 4]).unwrap());
    let back = graph.keep(PinnedBuffer::<i32>::zeroed(&context, 4).unwrap());
    let x = graph.keep(DeviceBuffer::<i32>::uninit(&stream, 4).unwrap());
    let y = graph.keep(DeviceBuffer::<i32>::uninit(&stream, 4).unwrap());
    assert_eq!((x.len(), x.is_empty()), (4, false));

    let up = graph.add_copy(&[], x, host).unwrap();
    // SAFETY: four elements.
    let added = unsafe { graph.add_kernel(&[up], &add, config(4), (x, 10i32, 4i32)) }.unwrap();
    let across = graph.add_copy(&[added], y, x).unwrap();
    let last = y.slice(3..).unwrap();
    let filled = graph.add_fill(&[across], last, -5).unwrap();
    let part = (y.slice(2..).unwrap(), 2i32, 2i32);
    // SAFETY: two elements from the third on.
    let multiplied = unsafe { graph.add_kernel(&[filled], &multiply, config(2), part) }.unwrap();
    let both = graph.add_empty(&[multiplied, across]).unwrap();
    let down = graph.add_copy(&[both], back, y).unwrap();
    let done = Event::new(&context).unwrap();
    let recorded = graph.add_event_record(&[down], &done).unwrap();
    let (sender, receiver) = mpsc::channel();
    let told = graph
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
        (told, NodeKind::HOST_FUNCTION),
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
fn nodes_that_wait_for_nothing_of_each_other_and_one_that_waits_for_all() {
    let (_one, context, stream) = device();
    let add = kernel(&context, "add");
    let mut graph = Graph::new(&context).unwrap();
    let x = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, 800).unwrap());
    let parts: Vec<_> = (0..8)
        .map(|i| {
            let part = (x.slice(100 * i..100 * (i + 1)).unwrap(), i as i32, 100i32);
            // SAFETY: a hundred elements each.
            unsafe { graph.add_kernel(&[], &add, config(100), part) }.unwrap()
        })
        .collect();
    // SAFETY: all eight hundred, after the others.
    unsafe { graph.add_kernel(&parts, &add, config(800), (x, 1000i32, 800i32)) }.unwrap();
    let mut exec = graph.instantiate().unwrap();
    exec.launch(&stream).unwrap();
    exec.launch(&stream).unwrap();
    let values = exec.memory(x).unwrap().to_vec(&stream).unwrap();
    for (i, &value) in values.iter().enumerate() {
        assert_eq!(value, 2 * (1000 + i as i32 / 100), "element {i}");
    }
}

#[test]
fn values_that_fills_can_repeat() {
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
    let text = refused(graph.add_fill(&[], wide, 1));
    assert!(text.contains("use a kernel"), "{text}");
    let host = graph.keep(PinnedBuffer::<u8>::zeroed(&context, 5).unwrap());
    let text = refused(graph.add_fill(&[], host, 1));
    assert!(text.contains("host memory"), "{text}");
    let mut exec = graph.instantiate().unwrap();
    exec.launch(&stream).unwrap();
    assert_eq!(exec.memory(bytes).unwrap().to_vec(&stream).unwrap(), [7; 5]);
    let halves = exec.memory(halves).unwrap().to_vec(&stream).unwrap();
    assert_eq!(halves, [0x1234; 5]);
    let pairs = exec.memory(pairs).unwrap().to_vec(&stream).unwrap();
    assert_eq!(pairs, [[1.5; 2]; 5]);
    let wide = exec.memory(wide).unwrap().to_vec(&stream).unwrap();
    assert_eq!(wide, [u64::MAX; 5]);
}

#[test]
fn neighbouring_parts_do_not_overlap() {
    let (_one, context, stream) = device();
    let mut graph = Graph::new(&context).unwrap();
    let x = graph.keep(DeviceBuffer::from_slice(&stream, &[1i32, 2, 3, 4, 5, 6]).unwrap());
    let part = |start: usize| x.slice(start..start + 2).unwrap();
    let down = graph.add_copy(&[], part(0), part(2)).unwrap();
    graph.add_copy(&[down], part(4), part(2)).unwrap();
    let mut exec = graph.instantiate().unwrap();
    exec.launch(&stream).unwrap();
    let values = exec.memory(x).unwrap().to_vec(&stream).unwrap();
    assert_eq!(values, [3, 4, 3, 4, 3, 4]);
}

#[test]
fn kernels_get_the_shared_memory_that_they_are_configured_with() {
    let (_one, context, stream) = device();
    let source = r#"extern "C" __global__ void size(unsigned *x) {
        asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(*x));
    }"#;
    let module = Module::compile(&context, source).unwrap();
    let size = module.function("size").unwrap();
    let mut graph = Graph::new(&context).unwrap();
    let x = graph.keep(DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap());
    let config = LaunchConfig::new(1, 1).shared_bytes(96);
    // SAFETY: one number.
    unsafe { graph.add_kernel(&[], &size, config, (x,)) }.unwrap();
    let mut exec = graph.instantiate().unwrap();
    exec.launch(&stream).unwrap();
    assert_eq!(exec.memory(x).unwrap().to_vec(&stream).unwrap(), [96]);
}

#[test]
fn children_and_dependencies() {
    let (_one, context, stream) = device();
    let add = kernel(&context, "add");
    let multiply = kernel(&context, "multiply");
    let mut child = Graph::new(&context).unwrap();
    let x = child.keep(DeviceBuffer::<i32>::zeroed(&stream, 3).unwrap());
    // SAFETY: three elements.
    let inner = unsafe { child.add_kernel(&[], &add, config(3), (x, 1i32, 3i32)) }.unwrap();
    let mut graph = Graph::new(&context).unwrap();
    // Twice the same child would need two copies of its memory: it is moved.
    let ran = graph.add_child(&[], child).unwrap();
    assert_eq!(graph.kind(ran).unwrap(), NodeKind::CHILD);
    // SAFETY: as above, once the edge is there.
    let node = unsafe { graph.add_kernel(&[], &multiply, config(3), (x, 10i32, 3i32)) }.unwrap();
    assert_eq!(graph.edges().unwrap(), []);
    graph.add_dependency(ran, node).unwrap();
    assert_eq!(graph.edges().unwrap(), [(ran, node)]);
    graph.remove_dependency(ran, node).unwrap();
    graph.add_dependency(ran, node).unwrap();
    if graph.add_dependency(node, ran).is_ok() {
        let text = graph.instantiate().unwrap_err().to_string();
        assert!(text.contains("in a cycle"), "{text}");
    }

    // And without the circle.
    let mut graph = Graph::new(&context).unwrap();
    let x = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, 3).unwrap());
    // SAFETY: as above.
    let first = unsafe { graph.add_kernel(&[], &add, config(3), (x, 1i32, 3i32)) }.unwrap();
    // SAFETY: as above.
    let node =
        unsafe { graph.add_kernel(&[first], &multiply, config(3), (x, 10i32, 3i32)) }.unwrap();
    let text = refused(graph.add_dependency(inner, node));
    assert!(text.contains("another graph"), "{text}");
    let mut exec = graph.instantiate().unwrap();
    exec.launch(&stream).unwrap();
    exec.launch(&stream).unwrap();
    assert_eq!(exec.memory(x).unwrap().to_vec(&stream).unwrap(), [110; 3]);
}

#[test]
fn events_order_a_graph_with_other_work() {
    let (_one, context, stream) = device();
    let other = Stream::new(&context).unwrap();
    let add = kernel(&context, "add");
    let before = Event::without_timing(&context).unwrap();
    let mut x = ManagedBuffer::<i32>::zeroed(&stream, 4).unwrap();
    let mut graph = Graph::new(&context).unwrap();
    let waited = graph.add_event_wait(&[], &before).unwrap();
    assert_eq!(graph.kind(waited).unwrap(), NodeKind::EVENT_WAIT);
    let pointer = x.as_device_ptr();
    // SAFETY: four elements, which live longer than the graph; the event orders it with the other stream.
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
fn a_cooperative_launch_stays_one() {
    let (_one, context, stream) = device();
    let last = kernel(&context, "last");
    let mut graph = Graph::new(&context).unwrap();
    let counter = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, 1).unwrap());
    let seen = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, 4).unwrap());
    let zero = graph.add_fill(&[], counter, 0).unwrap();
    let config = LaunchConfig::new(4, 32).cooperative(true);
    // SAFETY: a counter, and an element for each of four blocks.
    let node = unsafe { graph.add_kernel(&[zero], &last, config, (counter, seen)) }.unwrap();
    let mut exec = graph.instantiate().unwrap();
    for _ in 0..2 {
        exec.launch(&stream).unwrap();
        assert_eq!(exec.memory(seen).unwrap().to_vec(&stream).unwrap(), [4; 4]);
    }
    // It can't become another one; a change of its grid is none.
    let other = LaunchConfig::new(4, 32);
    // SAFETY: refused.
    let refusal = unsafe { exec.set_kernel(node, &last, other, (counter, seen)) };
    assert!(refused(refusal).contains("cooperative"));
    let fewer = LaunchConfig::new(3, 32).cooperative(true);
    // SAFETY: as above, with three blocks.
    unsafe { exec.set_kernel(node, &last, fewer, (counter, seen)) }.unwrap();
    exec.launch(&stream).unwrap();
    let values = exec.memory(seen).unwrap().to_vec(&stream).unwrap();
    assert_eq!(values, [3, 3, 3, 4]);
}

#[test]
fn what_does_not_fit_is_refused_and_adds_nothing() {
    let (_one, context, stream) = device();
    let add = kernel(&context, "add");
    let mut graph = Graph::new(&context).unwrap();
    let mut other = Graph::new(&context).unwrap();
    let x = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, 4).unwrap());
    let foreign = other.keep(DeviceBuffer::<i32>::zeroed(&stream, 4).unwrap());
    let stranger = other.add_empty(&[]).unwrap();

    assert!(refused(graph.add_empty(&[stranger])).contains("another graph"));
    assert!(refused(graph.kind(stranger)).contains("another graph"));
    assert!(refused(graph.memory(foreign)).contains("another graph"));
    assert!(refused(graph.add_copy(&[], x, foreign)).contains("another graph"));
    assert!(refused(graph.add_fill(&[], foreign, 1)).contains("another graph"));
    let short = x.slice(..3).unwrap();
    assert!(refused(graph.add_copy(&[], x, short)).contains("3 elements"));
    assert!(refused(x.slice(3..5)).contains("3..5"));
    let (a, b) = (x.slice(..3).unwrap(), x.slice(1..).unwrap());
    assert!(refused(graph.add_copy(&[], a, b)).contains("overlap"));
    let host = [1i32; 4];
    // SAFETY: refused.
    let text = refused(unsafe { graph.add_kernel(&[], &add, config(4), (In(&host), 1i32, 4i32)) });
    assert!(text.contains("host slices"), "{text}");
    // SAFETY: as above.
    let few = unsafe { graph.add_kernel(&[], &add, config(4), (x, 1i32)) }.unwrap_err();
    assert_eq!(*few.kind(), ErrorKind::LaunchArguments, "{few}");
    let large = LaunchConfig::new(1, 2048);
    // SAFETY: as above.
    let large = unsafe { graph.add_kernel(&[], &add, large, (x, 1i32, 4i32)) }.unwrap_err();
    assert!(large.to_string().contains("2048 threads"), "{large}");
    let second = Context::create(context.device(), Default::default()).unwrap();
    let event = Event::new(&second).unwrap();
    assert!(refused(graph.add_event_record(&[], &event)).contains("different contexts"));
    let child = Graph::new(&second).unwrap();
    assert!(refused(graph.add_child(&[], child)).contains("different contexts"));
    assert_eq!(graph.nodes().unwrap(), []);
    let node = graph.add_empty(&[]).unwrap();
    assert!(refused(graph.add_empty(&[node, node])).contains("twice"));
    let text = graph.add_dependency(node, node).unwrap_err().to_string();
    assert!(text.contains("to itself"), "{text}");
    let text = graph.remove_dependency(node, node).unwrap_err().to_string();
    assert!(text.contains("does not exist"), "{text}");

    // What there is nothing to do for is an empty node.
    let none = x.slice(2..2).unwrap();
    let copy = graph.add_copy(&[], none, none).unwrap();
    let fill = graph.add_fill(&[copy], none, 1).unwrap();
    // SAFETY: nothing runs.
    let launch = unsafe { graph.add_kernel(&[fill], &add, config(0), (x, 1i32, 0i32)) }.unwrap();
    for node in [copy, fill, launch] {
        assert_eq!(graph.kind(node).unwrap(), NodeKind::EMPTY);
    }
    let mut exec = graph.instantiate().unwrap();
    exec.launch(&stream).unwrap();
    assert_eq!(exec.memory(x).unwrap().to_vec(&stream).unwrap(), [0; 4]);
}

#[test]
fn memory_that_a_graph_allocates_itself() {
    let (_one, context, stream) = device();
    let add = kernel(&context, "add");
    let n = 1 << 20;
    let mut graph = Graph::new(&context).unwrap();
    let x = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, n).unwrap());
    let (allocated, scratch) = graph.add_allocation::<i32>(&[], n).unwrap();
    assert_eq!(graph.kind(allocated).unwrap(), NodeKind::ALLOCATION);
    assert_eq!((scratch.len(), scratch.is_empty()), (n, false));
    // SAFETY: after the allocation, and before it is freed.
    let part = unsafe { scratch.part() };
    let filled = graph.add_fill(&[allocated], part, 40).unwrap();
    // SAFETY: n elements, between the two.
    let added =
        unsafe { graph.add_kernel(&[filled], &add, config(n), (scratch, 2i32, n as i32)) }.unwrap();
    let copied = graph.add_copy(&[added], x, part).unwrap();

    // It has to be freed, once, and by this graph.
    let failed = graph.instantiate().unwrap_err();
    assert!(failed.to_string().contains("add_free"), "{failed}");
    let mut graph = failed.into_graph();
    let freed = graph.add_free(&[copied], scratch).unwrap();
    assert_eq!(graph.kind(freed).unwrap(), NodeKind::FREE);
    assert!(refused(graph.add_free(&[copied], scratch)).contains("already"));
    let mut other = Graph::new(&context).unwrap();
    assert!(refused(other.add_free(&[], scratch)).contains("another graph"));
    assert!(refused(other.add_fill(&[], part, 1)).contains("another graph"));
    assert!(refused(other.add_allocation::<i32>(&[], 0)).contains("no elements"));
    // SAFETY: nothing is used.
    assert!(refused(unsafe { graph.try_clone() }).contains("build the graph twice"));

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
    assert_eq!(all, [0; 4], "all is given back");

    let too_much = other.add_allocation::<u8>(&[], 1 << 46).unwrap_err();
    let ErrorKind::OutOfMemory { requested, .. } = *too_much.kind() else {
        panic!("{too_much}")
    };
    assert_eq!(requested, 1 << 46);
}
