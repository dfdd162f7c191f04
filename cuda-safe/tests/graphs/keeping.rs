//! What graphs keep alive, and for how long.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use cuda_safe::{
    Context, DeviceBuffer, Graph, PinnedBuffer, Result, Stream,
    memory::{Signal, WaitUntil},
};

use super::{config, device, kernel, refused};

/// Says when it is dropped.
struct Flag(Arc<AtomicBool>);

impl Drop for Flag {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[test]
fn what_is_held_goes_with_the_last_of_graph_and_exec() {
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
    let mut exec = graph.instantiate().unwrap();
    exec.launch(&stream).unwrap();
    assert_eq!(gone(), [false; 4]);

    // SAFETY: nothing but a function that the graph holds.
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
    // The same kinds of nodes: what the new graph holds takes the place of the old, once the launch is over.
    exec.update(captured).unwrap();
    exec.launch(&stream).unwrap();
    let graph = exec.into_graph().unwrap();
    assert_eq!(gone(), [true, true, false, false]);
    drop(graph);
    assert_eq!(gone(), [true; 4]);
}

#[test]
fn updates_free_what_they_replace() {
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
    let mut exec = first.instantiate().unwrap();
    exec.launch(&stream).unwrap();
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
        // The flag is dropped in no stream's order, so its graph goes later: with the next update.
        let spare = if value == 8 { 1 << 20 } else { 0 };
        assert!(pool.used().unwrap() <= used + spare, "after {value}");
    }
    assert!(refused(exec.memory(x)).contains("another graph"));
    // The last one's, and what it is made of: not the first one's, whose memory is gone.
    let graph = exec.into_graph().unwrap();
    assert!(dropped.load(Ordering::SeqCst));
    let mut exec = graph.instantiate().unwrap();
    exec.launch(&stream).unwrap();
    stream.synchronize().unwrap();
}

#[test]
fn a_capture_that_fails_keeps_nothing() {
    let (_one, _context, stream) = device();
    let dropped = Arc::new(AtomicBool::new(false));
    // SAFETY: nothing is captured.
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
fn kernels_and_memory_live_as_long_as_the_graph_needs_them() {
    let (_one, context, stream) = device();
    let mut graph = Graph::new(&context).unwrap();
    let host = {
        let add = kernel(&context, "add"); // the module's only hold
        let x = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, 32).unwrap());
        let host = graph.keep(PinnedBuffer::<i32>::zeroed(&context, 32).unwrap());
        // SAFETY: 32 elements.
        let node = unsafe { graph.add_kernel(&[], &add, config(32), (x, 8i32, 32i32)) }.unwrap();
        graph.add_copy(&[node], host, x).unwrap();
        host
    };
    drop(stream);
    let other = cuda_safe::Stream::new(&context).unwrap();
    let mut exec = graph.instantiate().unwrap();
    exec.launch(&other).unwrap();
    assert_eq!(exec.memory(host).unwrap(), [8; 32]);
}

/// Counts the functions that exist.
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
fn replaced_functions_are_dropped_when_their_launches_are_over() {
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
fn functions_of_other_nodes_stay() {
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
        // One for each node of the graph, for `into_graph`, the present one, and perhaps the last that was replaced.
        let now = count.load(Ordering::SeqCst);
        assert!((3..=4).contains(&now), "{now} in round {round}");
    }
    drop(exec);
    assert_eq!(count.load(Ordering::SeqCst), 0);
}

#[test]
fn what_an_old_child_holds_goes_when_another_takes_its_place() {
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
    // The graph's own child stays, for `into_graph`.
    let node = graph.add_child(&[], child(&[3])).unwrap();
    let mut exec = graph.instantiate().unwrap();
    exec.set_child(node, child(&[0, 1])).unwrap();
    assert_eq!(gone(), [false; 4]);
    exec.set_child(node, child(&[])).unwrap();
    assert_eq!(gone(), [true, true, false, false], "nothing was launched");
    drop(exec);
    assert_eq!(gone(), [true; 4]);
}

#[test]
fn an_update_before_the_first_launch_drops_what_it_replaces_at_once() {
    let (_one, context, _stream) = device();
    let dropped = Arc::new(AtomicBool::new(false));
    let mut graph = Graph::new(&context).unwrap();
    graph.hold(Flag(dropped.clone()));
    let mut exec = graph.instantiate().unwrap();
    exec.update(Graph::new(&context).unwrap()).unwrap();
    assert!(dropped.load(Ordering::SeqCst));
}

/// Launches a graph behind a signal that comes later, and drops it; whether that waited.
fn dropping_waits(context: &Context, stream: &Stream, graph: Graph) -> bool {
    let hold = Signal::<u32>::new(context, 0).unwrap();
    stream.wait_signal(&hold, WaitUntil::EQUAL, 1).unwrap();
    let mut exec = graph.instantiate().unwrap();
    exec.launch(stream).unwrap();
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
fn dropping_waits_only_for_what_no_stream_orders() {
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
fn a_copy_of_a_captured_graph_is_ordered_with_its_stream() {
    let (_one, context, stream) = device();
    let other = Stream::new(&context).unwrap();
    let mut x = DeviceBuffer::<u32>::zeroed(&stream, 4).unwrap();
    // SAFETY: the buffer lives longer than the graphs.
    let graph = unsafe { stream.capture(|_| -> Result<()> { x.fill(&stream, 1) }) }.unwrap();
    // SAFETY: as above; only the copy is launched.
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
fn graphs_that_own_something_have_no_copies() {
    let (_one, context, stream) = device();
    let empty = || Graph::new(&context).unwrap();
    let (mut held, mut calling, mut keeping) = (empty(), empty(), empty());
    held.hold(());
    calling.add_host_function(&[], || ()).unwrap();
    keeping.keep(DeviceBuffer::<u32>::zeroed(&stream, 4).unwrap());
    for graph in [held, calling, keeping] {
        // SAFETY: refused.
        let text = refused(unsafe { graph.try_clone() });
        assert!(text.contains("build the graph twice"), "{text}");
    }
}

#[test]
fn a_graph_is_taken_back_when_its_launches_are_over() {
    let (_one, context, stream) = device();
    let hold = Signal::<u32>::new(&context, 0).unwrap();
    stream.wait_signal(&hold, WaitUntil::EQUAL, 1).unwrap();
    let mut graph = Graph::new(&context).unwrap();
    let x = graph.keep(DeviceBuffer::<u32>::zeroed(&stream, 4).unwrap());
    graph.add_fill(&[], x, 1).unwrap();
    let mut exec = graph.instantiate().unwrap();
    exec.launch(&stream).unwrap();
    std::thread::scope(|threads| {
        threads.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(50));
            hold.set(1);
        });
        let graph = exec.into_graph().unwrap();
        assert_eq!(hold.get(), 1, "the launch was not over");
        drop(graph);
    });
}

#[test]
fn nodes_of_the_graph_of_an_update_are_rejected_with_a_remedy() {
    let (_one, context, _stream) = device();
    let graph = || {
        let mut graph = Graph::new(&context).unwrap();
        graph.add_host_function(&[], || {}).unwrap();
        graph
    };
    let mut exec = graph().instantiate().unwrap();
    exec.update(graph()).unwrap();
    let node = exec.graph().nodes().unwrap()[0];
    let text = refused(exec.set_host_function(node, || {}));
    assert!(
        text.contains("the graph that was used for an update"),
        "{text}"
    );
    let stranger = graph();
    let node = stranger.nodes().unwrap()[0];
    let text = refused(exec.set_host_function(node, || {}));
    assert!(!text.contains("used for an update"), "{text}");
}
