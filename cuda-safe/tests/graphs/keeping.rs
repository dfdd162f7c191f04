//! Objects that graphs keep alive, and how long.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use cuda_safe::{
    Context, DeviceBuffer, Graph, PinnedBuffer, Result, Stream,
    memory::{Signal, WaitUntil},
};

use super::{config, device, kernel, launched, rejection};

/// Records when it is dropped.
struct Flag(Arc<AtomicBool>);

impl Drop for Flag {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[test]
fn held_objects_are_dropped_with_the_last_of_graph_and_exec() {
    let (_one, context, stream) = device();
    let dropped = [(); 4].map(|()| Arc::new(AtomicBool::new(false)));
    let flag = |i: usize| Flag(dropped[i].clone());
    let gone = || dropped.each_ref().map(|flag| flag.load(Ordering::SeqCst));

    let mut graph = Graph::new(&context).unwrap();
    graph.hold(flag(0));
    let held = flag(1);
    graph
        .add_host_function(&[], move || {
            let _ = &held;
        })
        .unwrap();
    let mut exec = launched(graph, &stream);
    assert_eq!(gone(), [false; 4]);

    // SAFETY: the capture records only a function, which the graph holds.
    let captured = unsafe {
        stream.capture(|capture| -> Result<()> {
            capture.hold(flag(2));
            let held = flag(3);
            capture.host_function(move || {
                let _ = &held;
            })
        })
    }
    .unwrap();
    // The graphs have the same kinds of nodes. The new graph's objects replace the old ones after
    // the launch.
    exec.update(captured).unwrap();
    exec.launch(&stream).unwrap();
    let graph = exec.into_graph().unwrap();
    assert_eq!(gone(), [true, true, false, false]);
    drop(graph);
    assert_eq!(gone(), [true; 4]);
}

#[test]
fn update_frees_replaced_memory() {
    let (_one, context, stream) = device();
    let graph = |value: u32, flag: Option<Flag>| {
        let mut graph = Graph::new(&context).unwrap();
        let x = graph.keep(DeviceBuffer::<u32>::zeroed(&stream, 1 << 18).unwrap());
        graph.add_fill(&[], x, value).unwrap();
        if let Some(flag) = flag {
            graph.hold(flag);
        }
        (graph, x)
    };
    let (first, x) = graph(0, None);
    let mut exec = launched(first, &stream);
    let pool = cuda_safe::MemoryPool::current(&context).unwrap();
    let used = pool.used().unwrap();
    let dropped = Arc::new(AtomicBool::new(false));
    for value in 1..20 {
        let flag = (value == 7).then(|| Flag(dropped.clone()));
        let (next, y) = graph(value, flag);
        exec.update(next).unwrap();
        exec.launch(&stream).unwrap();
        let values = exec.memory(y).unwrap().to_vec(&stream).unwrap();
        assert!(values.iter().all(|&one| one == value));
        // No stream orders the drop of the flag, so its graph is dropped later, with the next
        // update.
        let spare = if value == 8 { 1 << 20 } else { 0 };
        assert!(pool.used().unwrap() <= used + spare, "after {value}");
    }
    rejection(exec.memory(x)).mentions("another graph");
    // Returns the last graph with its objects. The memory of the first one was freed.
    let graph = exec.into_graph().unwrap();
    assert!(dropped.load(Ordering::SeqCst));
    let _exec = launched(graph, &stream);
    stream.synchronize().unwrap();
}

#[test]
fn failed_capture_keeps_nothing() {
    let (_one, _context, stream) = device();
    let dropped = Arc::new(AtomicBool::new(false));
    // SAFETY: the capture records nothing.
    let failed = unsafe {
        stream.capture(|capture| -> Result<(), Box<dyn std::error::Error>> {
            capture.hold(Flag(dropped.clone()));
            Err("enough".into())
        })
    };
    drop(failed);
    assert!(dropped.load(Ordering::SeqCst));
}

#[test]
fn graph_keeps_kernels_and_memory_alive() {
    let (_one, context, stream) = device();
    let mut graph = Graph::new(&context).unwrap();
    let host = {
        let add = kernel(&context, "add"); // the only reference to the module
        let x = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, 32).unwrap());
        let host = graph.keep(PinnedBuffer::<i32>::zeroed(&context, 32).unwrap());
        // SAFETY: the buffer has 32 elements.
        let node = unsafe { graph.add_kernel(&[], &add, config(32), (x, 8i32, 32i32)) }.unwrap();
        graph.add_copy(&[node], host, x).unwrap();
        host
    };
    drop(stream);
    let other = cuda_safe::Stream::new(&context).unwrap();
    let mut exec = launched(graph, &other);
    assert_eq!(exec.memory(host).unwrap(), [8; 32]);
}

/// Counts the existing functions.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[test]
fn replaced_functions_are_dropped_after_their_launches() {
    let (_one, context, stream) = device();
    let count = Arc::new(AtomicUsize::new(0));
    let calls = Arc::new(AtomicUsize::new(0));
    let function = || {
        let (counted, calls) = (Counted::new(&count), calls.clone());
        move || {
            let _ = &counted;
            calls.fetch_add(1, Ordering::SeqCst);
        }
    };
    let graph = || {
        let mut graph = Graph::new(&context).unwrap();
        let node = graph.add_host_function(&[], function()).unwrap();
        (graph, node)
    };
    let (first, node) = graph();
    let mut exec = first.instantiate().unwrap();
    for round in 0..100 {
        exec.launch(&stream).unwrap();
        match round % 2 {
            0 => exec.set_host_function(node, function()).unwrap(),
            _ => exec.update(graph().0).unwrap(),
        }
        stream.synchronize().unwrap();
        assert!(count.load(Ordering::SeqCst) <= 4, "round {round}");
    }
    assert_eq!(calls.load(Ordering::SeqCst), 100);
    drop(exec);
    assert_eq!(count.load(Ordering::SeqCst), 0);
}

#[test]
fn replacing_a_function_keeps_those_of_other_nodes() {
    let (_one, context, stream) = device();
    let (count, calls) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let function = || {
        let (counted, calls) = (Counted::new(&count), calls.clone());
        move || {
            let _ = &counted;
            calls.fetch_add(1, Ordering::SeqCst);
        }
    };
    let mut graph = Graph::new(&context).unwrap();
    let node = graph.add_host_function(&[], function()).unwrap();
    graph.add_host_function(&[node], function()).unwrap();
    let mut exec = graph.instantiate().unwrap();
    for round in 1..10 {
        exec.launch(&stream).unwrap();
        stream.synchronize().unwrap();
        assert_eq!(calls.load(Ordering::SeqCst), 2 * round);
        exec.set_host_function(node, function()).unwrap();
        // One function for each node of the graph (kept for `into_graph`), the current one, and
        // possibly the last one that was replaced.
        let now = count.load(Ordering::SeqCst);
        assert!((3..=4).contains(&now), "{now} in round {round}");
    }
    drop(exec);
    assert_eq!(count.load(Ordering::SeqCst), 0);
}

#[test]
fn objects_of_a_replaced_child_are_dropped() {
    let (_one, context, _stream) = device();
    let dropped = [(); 4].map(|()| Arc::new(AtomicBool::new(false)));
    let gone = || dropped.each_ref().map(|flag| flag.load(Ordering::SeqCst));
    let child = |flags: &[usize]| {
        let mut child = Graph::new(&context).unwrap();
        let mut flags = flags.iter().map(|&i| Flag(dropped[i].clone()));
        let held = flags.next();
        child
            .add_host_function(&[], move || {
                let _ = &held;
            })
            .unwrap();
        child.hold(flags.next());
        child
    };
    let mut graph = Graph::new(&context).unwrap();
    graph.hold(Flag(dropped[2].clone()));
    // The graph's own child is kept for `into_graph`.
    let node = graph.add_child(&[], child(&[3])).unwrap();
    let mut exec = graph.instantiate().unwrap();
    exec.set_child(node, child(&[0, 1])).unwrap();
    assert_eq!(gone(), [false; 4]);
    exec.set_child(node, child(&[])).unwrap();
    assert_eq!(
        gone(),
        [true, true, false, false],
        "nothing was launched, so nothing must be kept"
    );
    drop(exec);
    assert_eq!(gone(), [true; 4]);
}

#[test]
fn update_before_the_first_launch_drops_replaced_objects() {
    let (_one, context, _stream) = device();
    let dropped = Arc::new(AtomicBool::new(false));
    let mut graph = Graph::new(&context).unwrap();
    graph.hold(Flag(dropped.clone()));
    let mut exec = graph.instantiate().unwrap();
    exec.update(Graph::new(&context).unwrap()).unwrap();
    assert!(dropped.load(Ordering::SeqCst));
}

/// Launches a graph that waits for a later signal, and drops it. Returns whether the drop waited.
fn dropping_waits(context: &Context, stream: &Stream, graph: Graph) -> bool {
    let hold = Signal::<u32>::new(context, 0).unwrap();
    stream.wait_signal(&hold, WaitUntil::EQUAL, 1).unwrap();
    let exec = launched(graph, stream);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(300));
            hold.set(1);
        });
        drop(exec);
        hold.get() == 1
    })
}

#[test]
fn drop_waits_only_for_objects_that_no_stream_orders() {
    let (_one, context, stream) = device();
    let mut ordered = Graph::new(&context).unwrap();
    let x = ordered.keep(DeviceBuffer::<u32>::zeroed(&stream, 4).unwrap());
    ordered.add_fill(&[], x, 1).unwrap();
    assert!(!dropping_waits(&context, &stream, ordered));
    stream.synchronize().unwrap();
    let mut child = Graph::new(&context).unwrap();
    child.add_host_function(&[], || ()).unwrap();
    let mut graph = Graph::new(&context).unwrap();
    graph.add_child(&[], child).unwrap();
    assert!(dropping_waits(&context, &stream, graph));
}

#[test]
fn clone_of_a_captured_graph_is_ordered_with_its_stream() {
    let (_one, context, stream) = device();
    let other = Stream::new(&context).unwrap();
    let mut x = DeviceBuffer::<u32>::zeroed(&stream, 4).unwrap();
    // SAFETY: the buffer outlives the graphs.
    let graph = unsafe { stream.capture(|_| -> Result<()> { x.fill(&stream, 1) }) }.unwrap();
    // SAFETY: as above. Only the copy is launched.
    let copy = unsafe { graph.try_clone() }.unwrap();
    let mut exec = copy.instantiate().unwrap();
    let hold = Signal::<u32>::new(&context, 0).unwrap();
    stream.wait_signal(&hold, WaitUntil::EQUAL, 1).unwrap();
    exec.launch(&other).unwrap();
    assert!(!other.query().unwrap());
    hold.set(1);
    assert_eq!(x.to_vec(&stream).unwrap(), [1; 4]);
}

#[test]
fn graphs_that_own_objects_cannot_be_cloned() {
    let (_one, context, stream) = device();
    let empty = || Graph::new(&context).unwrap();
    let (mut held, mut calling, mut keeping) = (empty(), empty(), empty());
    held.hold(());
    calling.add_host_function(&[], || ()).unwrap();
    keeping.keep(DeviceBuffer::<u32>::zeroed(&stream, 4).unwrap());
    for graph in [held, calling, keeping] {
        // SAFETY: the call fails.
        rejection(unsafe { graph.try_clone() }).mentions("build the graph twice");
    }
}

#[test]
fn into_graph_waits_for_launches() {
    let (_one, context, stream) = device();
    let hold = Signal::<u32>::new(&context, 0).unwrap();
    stream.wait_signal(&hold, WaitUntil::EQUAL, 1).unwrap();
    let mut graph = Graph::new(&context).unwrap();
    let x = graph.keep(DeviceBuffer::<u32>::zeroed(&stream, 4).unwrap());
    graph.add_fill(&[], x, 1).unwrap();
    let exec = launched(graph, &stream);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(50));
            hold.set(1);
        });
        let graph = exec.into_graph().unwrap();
        assert_eq!(hold.get(), 1, "the launch had not finished");
        drop(graph);
    });
}

#[test]
fn nodes_of_an_update_graph_are_rejected_with_a_remedy() {
    let (_one, context, _stream) = device();
    let graph = || {
        let mut graph = Graph::new(&context).unwrap();
        graph.add_host_function(&[], || {}).unwrap();
        graph
    };
    let mut exec = graph().instantiate().unwrap();
    exec.update(graph()).unwrap();
    let node = exec.graph().nodes().unwrap()[0];
    rejection(exec.set_host_function(node, || {}))
        .mentions("the graph that was used for an update");
    let stranger = graph();
    let node = stranger.nodes().unwrap()[0];
    let text = rejection(exec.set_host_function(node, || {})).to_string();
    assert!(!text.contains("used for an update"), "{text}");
}
