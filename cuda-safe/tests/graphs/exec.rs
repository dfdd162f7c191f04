//! Executable graphs: launches on several streams, changes and failures.

use std::sync::mpsc;

use cuda_safe::{
    Context, ContextFlags, DeviceBuffer, Event, LaunchConfig, PinnedBuffer, Stream,
    graph::{Graph, Kept, Node},
};

use super::{config, device, failure, kernel, launched, rejection};

/// Returns a graph that adds to four integers.
fn adding(
    context: &Context,
    stream: &Stream,
    value: i32,
) -> (Graph, Kept<DeviceBuffer<i32>>, Node) {
    let add = kernel(context, "add");
    let mut graph = Graph::new(context).unwrap();
    let x = graph.keep(DeviceBuffer::<i32>::zeroed(stream, 4).unwrap());
    // SAFETY: the buffer has four elements.
    let node = unsafe { graph.add_kernel(&[], &add, config(4), (x, value, 4i32)) }.unwrap();
    (graph, x, node)
}

#[test]
fn launches_on_several_streams_run_in_order() {
    let (_one, context, stream) = device();
    let streams: Vec<_> = (0..4).map(|_| Stream::new(&context).unwrap()).collect();
    let (graph, x, _) = adding(&context, &stream, 1);
    let mut exec = graph.instantiate().unwrap();
    assert_eq!(exec.context(), &context);
    for round in 0..20 {
        exec.launch(&streams[round % 4]).unwrap();
    }
    // Ordered with the memory's own stream automatically.
    assert_eq!(exec.memory(x).unwrap().to_vec(&stream).unwrap(), [20; 4]);
    exec.memory(x).unwrap().fill(&streams[3], 100).unwrap();
    exec.launch(&streams[0]).unwrap();
    exec.launch(&Stream::legacy_default(&context)).unwrap();
    assert_eq!(
        exec.memory(x).unwrap().to_vec(&streams[1]).unwrap(),
        [102; 4]
    );
}

#[test]
fn host_memory_is_borrowed_after_launches_finish() {
    let (_one, context, stream) = device();
    let other = Stream::new(&context).unwrap();
    let mut graph = Graph::new(&context).unwrap();
    let n = 1 << 20;
    let x = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, n).unwrap());
    let host = graph.keep(PinnedBuffer::<i32>::zeroed(&context, n).unwrap());
    let fill = graph.add_fill(&[], x, 3).unwrap();
    graph.add_copy(&[fill], host, x).unwrap();
    let mut exec = launched(graph, &stream);
    exec.launch(&other).unwrap();
    let values = exec.memory(host).unwrap();
    assert!(values.iter().all(|&value| value == 3));
    values.fill(0);
    exec.launch(&other).unwrap();
    let graph = exec.into_graph().unwrap();
    let mut graph = graph;
    assert!(graph.memory(host).unwrap().iter().all(|&v| v == 3));
    // The graph is changed and instantiated again.
    graph.add_fill(&[], x, 4).unwrap();
    let exec = launched(graph, &stream);
    drop(exec); // waits for the launches
}

#[test]
fn node_parameters_can_change_between_launches() {
    let (_one, context, stream) = device();
    let (add, multiply) = (kernel(&context, "add"), kernel(&context, "multiply"));
    let (mut graph, x, node) = adding(&context, &stream, 1);
    let fill = graph.add_fill(&[], x.slice(..0).unwrap(), 1).unwrap(); // an empty node
    let y = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, 4).unwrap());
    let copy = graph.add_copy(&[node], y, x).unwrap();
    let mark = graph.add_fill(&[copy], y.slice(..1).unwrap(), -1).unwrap();
    let mut exec = graph.instantiate().unwrap();
    let mut run = |change: &mut dyn FnMut(&mut cuda_safe::GraphExec)| {
        change(&mut exec);
        exec.launch(&stream).unwrap();
        exec.memory(y).unwrap().to_vec(&stream).unwrap()
    };
    assert_eq!(run(&mut |_| ()), [-1, 1, 1, 1]);
    // SAFETY: the buffer has four elements, also in the calls below.
    let set = |exec: &mut cuda_safe::GraphExec| unsafe {
        exec.set_kernel(node, &add, config(4), (x, 10i32, 4i32))
    };
    assert_eq!(run(&mut |exec| set(exec).unwrap()), [-1, 11, 11, 11]);
    // SAFETY: as above.
    let other = |exec: &mut cuda_safe::GraphExec| unsafe {
        exec.set_kernel(node, &multiply, config(4), (x, 2i32, 4i32))
    };
    assert_eq!(run(&mut |exec| other(exec).unwrap()), [-1, 22, 22, 22]);
    let off = |exec: &mut cuda_safe::GraphExec| {
        exec.set_enabled(node, false).unwrap();
        exec.set_fill(mark, y.slice(1..3).unwrap(), -2).unwrap();
    };
    assert_eq!(run(&mut { off }), [22, -2, -2, 22]);
    let copies = |exec: &mut cuda_safe::GraphExec| {
        assert!(!exec.is_enabled(node).unwrap());
        exec.set_enabled(node, true).unwrap();
        let (to, from) = (y.slice(..2).unwrap(), x.slice(2..).unwrap());
        exec.set_copy(copy, to, from).unwrap();
    };
    assert_eq!(run(&mut { copies }), [44, -2, -2, 22]);

    // Changes that are rejected.
    let nothing = x.slice(..0).unwrap();
    rejection(exec.set_copy(copy, nothing, nothing)).mentions("set_enabled");
    rejection(exec.set_fill(mark, nothing, 1)).mentions("set_enabled");
    // SAFETY: the call fails.
    let none = unsafe { exec.set_kernel(node, &add, config(0), (x, 1i32, 0i32)) };
    rejection(none).mentions("set_enabled");
    failure(exec.set_enabled(fill, false))
        .mentions("`empty`, and the change requires it to support being disabled");
    // SAFETY: the call fails.
    let other = unsafe { exec.set_kernel(mark, &add, config(4), (x, 1i32, 4i32)) };
    failure(other).mentions("`fill`, and the change requires it to launch a kernel");
    let (_, foreign, stranger) = adding(&context, &stream, 1);
    rejection(exec.set_fill(mark, foreign, 1)).mentions("another graph");
    rejection(exec.set_enabled(stranger, false)).mentions("another graph");
    assert_eq!(exec.graph().nodes().unwrap().len(), 4);
}

#[test]
fn update_changes_all_parameters_or_none() {
    let (_one, context, stream) = device();
    let (graph, x, first) = adding(&context, &stream, 1);
    let mut exec = launched(graph, &stream);
    let (graph, y, _) = adding(&context, &stream, 7);
    exec.update(graph).unwrap();
    exec.launch(&stream).unwrap();
    rejection(exec.memory(x)).mentions("another graph"); // the memory was freed
    assert_eq!(exec.memory(y).unwrap().to_vec(&stream).unwrap(), [7; 4]);

    let (mut more, z, node) = adding(&context, &stream, 9);
    more.add_empty(&[node]).unwrap();
    let refusal = exec.update(more).unwrap_err();
    let text = refusal.to_string();
    assert!(text.contains("different nodes or edges"), "{text}");
    assert!(text.contains("instantiate"), "{text}");
    let mut more = refusal.into_graph();
    assert_eq!(more.memory(z).unwrap().len(), 4);
    let mut kinds = Graph::new(&context).unwrap();
    kinds.add_empty(&[]).unwrap();
    rejection(exec.update(kinds))
        .mentions("has a different kind")
        .mentions("(empty)");
    // Nodes are still those of the first graph, and disabled nodes stay disabled.
    exec.set_enabled(first, false).unwrap();
    let (graph, z, _) = adding(&context, &stream, 7);
    exec.update(graph).unwrap();
    assert!(!exec.is_enabled(first).unwrap());
    exec.launch(&stream).unwrap();
    assert_eq!(exec.memory(z).unwrap().to_vec(&stream).unwrap(), [0; 4]);
    exec.set_enabled(first, true).unwrap();
    assert!(exec.is_enabled(first).unwrap());
    let y = z;
    exec.launch(&stream).unwrap();
    exec.launch(&stream).unwrap(); // as before the failed update
    assert_eq!(exec.memory(y).unwrap().to_vec(&stream).unwrap(), [14; 4]);
}

#[test]
fn launch_rejects_streams_of_another_context() {
    let (_one, context, stream) = device();
    let second = Context::create(context.device(), ContextFlags::AUTO).unwrap();
    let elsewhere = Stream::new(&second).unwrap();
    let (graph, x, _) = adding(&context, &stream, 1);
    let mut exec = graph.instantiate().unwrap();
    rejection(exec.launch(&elsewhere)).mentions("different contexts");
    rejection(exec.upload(&elsewhere)).mentions("different contexts");
    let mut foreign = Graph::new(&context).unwrap();
    foreign.keep(DeviceBuffer::<u8>::zeroed(&elsewhere, 4).unwrap());
    rejection(foreign.instantiate()).mentions("different contexts");
    // The result does not depend on the current context.
    second.set_current().unwrap();
    exec.launch(&stream).unwrap();
    assert_eq!(exec.memory(x).unwrap().to_vec(&stream).unwrap(), [1; 4]);
    context.set_current().unwrap();
}

#[test]
fn graph_can_be_sent_to_another_thread() {
    let (_one, context, stream) = device();
    let (graph, x, _) = adding(&context, &stream, 6);
    let values = std::thread::spawn(move || {
        let mut exec = launched(graph, &stream);
        exec.memory(x).unwrap().to_vec(&stream).unwrap()
    });
    assert_eq!(values.join().unwrap(), [6; 4]);
}

#[test]
fn panicking_host_function_is_called_again() {
    let (_one, context, stream) = device();
    let (sender, receiver) = mpsc::channel();
    let mut graph = Graph::new(&context).unwrap();
    graph
        .add_host_function(&[], move || {
            sender.send(Context::primary(0).is_err()).unwrap(); // CUDA calls fail in host functions
            panic!("expected: in a host function");
        })
        .unwrap();
    let mut exec = graph.instantiate().unwrap();
    for _ in 0..3 {
        exec.launch(&stream).unwrap();
    }
    drop(exec); // waits for the launches
    assert_eq!(receiver.iter().collect::<Vec<_>>(), [true; 3]);
}

#[test]
fn later_work_waits_for_the_launch() {
    let (_one, context, stream) = device();
    let other = Stream::new(&context).unwrap();
    let (graph, x, _) = adding(&context, &stream, 1);
    let mut exec = graph.instantiate().unwrap();
    let done = Event::without_timing(&context).unwrap();
    exec.launch(&other).unwrap();
    done.record(&other).unwrap();
    drop(exec); // its memory is freed after the launch
    done.synchronize().unwrap();
    let _ = x; // `x` is only an identifier of the memory
    stream.synchronize().unwrap();
}

#[test]
fn set_kernel_checks_the_block_size() {
    let (_one, context, stream) = device();
    let add = kernel(&context, "add");
    let (graph, x, node) = adding(&context, &stream, 1);
    let mut exec = graph.instantiate().unwrap();
    let large = LaunchConfig::new(1, 5000);
    // SAFETY: the call fails.
    let failed = unsafe { exec.set_kernel(node, &add, large, (x, 1i32, 4i32)) }.unwrap_err();
    assert!(failed.to_string().contains("5000 threads"), "{failed}");
}
