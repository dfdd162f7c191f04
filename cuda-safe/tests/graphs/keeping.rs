//! What graphs keep alive, and for how long.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use cuda_safe::{DeviceBuffer, Graph, PinnedBuffer, Result};

use super::{config, device, kernel};

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
    // The same kinds of nodes: what the new graph holds goes over.
    exec.update(captured).unwrap();
    assert_eq!(gone(), [false; 4]);
    let graph = exec.into_graph().unwrap();
    assert_eq!(gone(), [false; 4]);
    drop(graph);
    assert_eq!(gone(), [true; 4]);
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
