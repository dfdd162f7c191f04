//! What must outlive a fault: host functions that are running, and what they use.

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
    Context, ContextFlags, Device, Graph, GraphExec, LaunchConfig, Library, Module, PinnedBuffer,
    Result, Settled, Stream, graph::Node,
};

use super::{Fault, KERNELS, in_child, let_fault};

/// Sees whether it is dropped while its function runs.
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

/// Lets `end` loose on an executable graph whose host function is running when the context faults.
fn ends_while_its_function_runs(end: impl FnOnce(GraphExec, Node)) {
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
    // An H100's driver (580) was seen to report a fault only when the host functions of the context were over.
    let trapped = fault.start();
    let start = Instant::now();
    while trapped.query().is_ok() && start.elapsed() < Duration::from_secs(2) {
        thread::yield_now();
    }
    let is_known = trapped.query().is_err();
    let (ended, has_ended) = mpsc::channel();
    thread::scope(|threads| {
        threads.spawn(move || {
            // An end that waits for the function gets it.
            let _ = has_ended.recv_timeout(Duration::from_secs(3));
            finish.send(()).unwrap();
        });
        end(exec, node);
        if is_known {
            assert!(running.load(Ordering::SeqCst), "the function ends later");
        }
        let _ = ended.send(()); // the other thread may have ended
    });
    while running.load(Ordering::SeqCst) {
        thread::yield_now();
    }
    assert!(!dropped_early.load(Ordering::SeqCst), "it was in use");
}

#[test]
fn a_running_host_function_outlives_its_dropped_graph() {
    in_child(
        "survivors::a_running_host_function_outlives_its_dropped_graph",
        || {
            ends_while_its_function_runs(|exec, _| drop(exec));
        },
    );
}

#[test]
fn a_running_host_function_outlives_into_graph() {
    in_child(
        "survivors::a_running_host_function_outlives_into_graph",
        || {
            ends_while_its_function_runs(|exec, _| assert!(exec.into_graph().is_err()));
        },
    );
}

#[test]
fn a_running_host_function_outlives_an_update() {
    in_child(
        "survivors::a_running_host_function_outlives_an_update",
        || {
            ends_while_its_function_runs(|mut exec, node| {
                let _ = exec.set_host_function(node, || {});
                drop(exec);
            });
        },
    );
}

#[test]
fn what_a_capture_holds_for_raw_host_functions_is_leaked_after_a_fault() {
    in_child(
        "survivors::what_a_capture_holds_for_raw_host_functions_is_leaked_after_a_fault",
        || {
            let context = Context::primary(0).unwrap();
            let stream = Stream::new(&context).unwrap();
            let dropped_early = Arc::new(AtomicBool::new(false));
            let alive = Alive {
                running: Arc::new(AtomicBool::new(true)), // for ever, as far as the graph can know
                dropped_early: dropped_early.clone(),
            };
            // SAFETY: nothing is recorded.
            let graph = unsafe {
                stream.capture(|capture| -> Result<()> {
                    capture.hold(alive);
                    Ok(())
                })
            };
            let mut exec = graph.unwrap().instantiate().unwrap();
            exec.launch(&stream).unwrap();
            let_fault(&context);
            drop(exec);
            assert!(!dropped_early.load(Ordering::SeqCst));
        },
    );
}

#[test]
fn memory_of_a_faulted_launch_is_refused_each_time() {
    in_child(
        "survivors::memory_of_a_faulted_launch_is_refused_each_time",
        || {
            let context = Context::primary(0).unwrap();
            let stream = Stream::new(&context).unwrap();
            let trap = Module::compile(&context, KERNELS)
                .unwrap()
                .function("trap")
                .unwrap();
            let mut graph = Graph::new(&context).unwrap();
            let host = graph.keep(PinnedBuffer::<u32>::zeroed(&context, 4).unwrap());
            let config = LaunchConfig::new(1, 1);
            // SAFETY: the fault is what is tested; the device contains it.
            let node = unsafe { graph.add_kernel(&[], &trap, config, ()) }.unwrap();
            graph.add_fill(&[node], host, 7).unwrap_err(); // host memory is not filled
            let mut exec = graph.instantiate().unwrap();
            exec.launch(&stream).unwrap();
            for _ in 0..3 {
                exec.memory(host).unwrap_err();
            }
        },
    );
}

#[test]
fn a_library_is_unloaded_after_a_fault() {
    in_child("survivors::a_library_is_unloaded_after_a_fault", || {
        let context = Context::primary(0).unwrap();
        let library = Library::compile(context.device(), KERNELS).unwrap();
        drop(library.kernel("write").unwrap().function(&context).unwrap());
        let_fault(&context);
        library.close().unwrap();
    });
}

#[test]
fn settle_tells_faults_from_failures() {
    in_child("survivors::settle_tells_faults_from_failures", || {
        let context = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
        let stream = Stream::new(&context).unwrap();
        assert!(matches!(stream.settle(), Settled::Done));
        let_fault(&context);
        assert!(matches!(stream.settle(), Settled::Faulted(_)));
        assert!(matches!(context.settle(), Settled::Faulted(_)));
        assert!(stream.settle().or_abort().is_err());
    });
}
