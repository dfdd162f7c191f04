//! Objects that must outlive a fault: running host functions and the objects they use.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use cuda_safe::{
    Context, ContextFlags, Device, Graph, GraphExec, LaunchConfig, Library, PinnedBuffer, Result,
    Settled, Stream, graph::Node,
};

use super::{Fault, KERNELS, cause_fault, in_child, kernel};

/// Records whether it is dropped while its function runs.
struct Alive {
    running: Arc<AtomicBool>,
    dropped_early: Arc<AtomicBool>,
}

impl Drop for Alive {
    fn drop(&mut self) {
        let early = self.running.load(Ordering::SeqCst);
        self.dropped_early.store(early, Ordering::SeqCst);
    }
}

/// Runs `end` on an executable graph whose host function is running when the context faults.
fn end_while_host_function_runs(end: impl FnOnce(GraphExec, Node)) {
    let context = Context::primary(0).unwrap();
    let stream = Stream::new(&context).unwrap();
    let running = Arc::new(AtomicBool::new(false));
    let dropped_early = Arc::new(AtomicBool::new(false));
    let alive = Alive {
        running: running.clone(),
        dropped_early: dropped_early.clone(),
    };
    let (begun, has_begun) = mpsc::channel();
    let (finish, may_finish) = mpsc::channel::<()>();
    let mut graph = Graph::new(&context).unwrap();
    let node = graph
        .add_host_function(&[], move || {
            alive.running.store(true, Ordering::SeqCst);
            begun.send(()).unwrap();
            may_finish.recv().unwrap();
            alive.running.store(false, Ordering::SeqCst);
        })
        .unwrap();
    let mut exec = graph.instantiate().unwrap();
    let fault = Fault::new(&context);
    exec.launch(&stream).unwrap();
    has_begun.recv().unwrap();
    // The driver of an H100 (version 580) reported a fault only after the host functions of the
    // context had finished.
    let trapped = fault.start();
    let start = Instant::now();
    while trapped.query().is_ok() && start.elapsed() < Duration::from_secs(2) {
        thread::yield_now();
    }
    let is_known = trapped.query().is_err();
    let (ended, has_ended) = mpsc::channel();
    thread::scope(|threads| {
        threads.spawn(move || {
            // If `end` waits for the function, the function finishes after this time limit.
            let _ = has_ended.recv_timeout(Duration::from_secs(3));
            finish.send(()).unwrap();
        });
        end(exec, node);
        if is_known {
            assert!(
                running.load(Ordering::SeqCst),
                "the function has already ended"
            );
        }
        let _ = ended.send(()); // the other thread may have ended
    });
    while running.load(Ordering::SeqCst) {
        thread::yield_now();
    }
    assert!(
        !dropped_early.load(Ordering::SeqCst),
        "it was dropped while in use"
    );
}

#[test]
fn running_host_function_outlives_its_dropped_graph() {
    in_child(|| {
        end_while_host_function_runs(|exec, _| drop(exec));
    });
}

#[test]
fn running_host_function_outlives_into_graph() {
    in_child(|| {
        end_while_host_function_runs(|exec, _| assert!(exec.into_graph().is_err()));
    });
}

#[test]
fn running_host_function_outlives_an_update() {
    in_child(|| {
        end_while_host_function_runs(|mut exec, node| {
            let _ = exec.set_host_function(node, || {});
            drop(exec);
        });
    });
}

#[test]
fn objects_held_by_a_capture_are_leaked_after_a_fault() {
    in_child(|| {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let dropped_early = Arc::new(AtomicBool::new(false));
        let alive = Alive {
            running: Arc::new(AtomicBool::new(true)), // the graph cannot know when the function ends
            dropped_early: dropped_early.clone(),
        };
        // SAFETY: the capture records nothing.
        let graph = unsafe {
            stream.capture(|capture| -> Result<()> {
                capture.hold(alive);
                Ok(())
            })
        };
        let mut exec = graph.unwrap().instantiate().unwrap();
        exec.launch(&stream).unwrap();
        cause_fault(&context);
        drop(exec);
        assert!(!dropped_early.load(Ordering::SeqCst));
    });
}

#[test]
fn memory_of_a_faulted_launch_stays_inaccessible() {
    in_child(|| {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let trap = kernel(&context, "trap");
        let mut graph = Graph::new(&context).unwrap();
        let host = graph.keep(PinnedBuffer::<u32>::zeroed(&context, 4).unwrap());
        let config = LaunchConfig::new(1, 1);
        // SAFETY: the test needs the fault, and the device contains it.
        let node = unsafe { graph.add_kernel(&[], &trap, config, ()) }.unwrap();
        graph.add_fill(&[node], host, 7).unwrap_err(); // nodes cannot fill host memory
        let mut exec = graph.instantiate().unwrap();
        exec.launch(&stream).unwrap();
        for _ in 0..3 {
            exec.memory(host).unwrap_err();
        }
    });
}

#[test]
fn library_can_be_closed_after_a_fault() {
    in_child(|| {
        let context = Context::primary(0).unwrap();
        let library = Library::compile(context.device(), KERNELS).unwrap();
        drop(library.kernel("write").unwrap().function(&context).unwrap());
        cause_fault(&context);
        library.close().unwrap();
    });
}

#[test]
fn settle_reports_a_fault_of_the_only_context() {
    in_child(|| {
        let context = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
        let stream = Stream::new(&context).unwrap();
        assert!(matches!(stream.settle(), Settled::Done));
        cause_fault(&context);
        assert!(matches!(stream.settle(), Settled::Faulted(_)));
        assert!(matches!(context.settle(), Settled::Faulted(_)));
        assert!(stream.settle().or_abort().is_err());
    });
}
