//! Captures into existing graphs and into the bodies of conditional nodes.

use std::panic::{AssertUnwindSafe, catch_unwind};

use cuda_safe::{DeviceBuffer, Error, Graph, Result, Stream, sys::CUresult};

use super::{config, device, failure, kernel, launched, rejection};

#[test]
fn captured_work_is_added_to_an_existing_graph() {
    let (_one, context, stream) = device();
    let add = kernel(&context, "add");
    let mut x = DeviceBuffer::<i32>::zeroed(&stream, 100).unwrap();
    let mut graph = Graph::new(&context).unwrap();
    let first = graph.add_empty(&[]).unwrap();
    // SAFETY: the buffer has a hundred elements, outlives the graph and belongs to the stream.
    unsafe {
        stream.capture_into(&mut graph, &[first], |_| -> Result<()> {
            x.fill(&stream, 5)?;
            add.launch(&stream, config(100), (&mut x, 2i32, 100i32))
        })
    }
    .unwrap();
    assert_eq!(graph.nodes().unwrap().len(), 3);
    assert_eq!(graph.dependents(first).unwrap().len(), 1);
    let _exec = launched(graph, &stream);
    assert_eq!(x.to_vec(&stream).unwrap(), [7; 100]);
}

#[test]
fn conditional_body_can_be_captured() {
    let (_one, context, stream) = device();
    let add = kernel(&context, "add");
    let mut x = DeviceBuffer::<i32>::zeroed(&stream, 10).unwrap();
    let mut graph = Graph::new(&context).unwrap();
    let condition = graph.add_condition(Some(1)).unwrap();
    graph
        .add_if(&[], condition, |body| {
            // SAFETY: the buffer has ten elements, outlives the graph and belongs to the stream.
            unsafe {
                body.capture(&stream, &[], |_| {
                    add.launch(&stream, config(10), (&mut x, 4i32, 10i32))
                })
            }
        })
        .unwrap();
    let mut exec = launched(graph, &stream);
    exec.launch(&stream).unwrap();
    assert_eq!(x.to_vec(&stream).unwrap(), [8; 10]);
}

#[test]
fn failed_capture_leaves_graph_and_stream_usable() {
    let (_one, context, stream) = device();
    let mut x = DeviceBuffer::<i32>::zeroed(&stream, 10).unwrap();
    let mut graph = Graph::new(&context).unwrap();
    let mut other = Graph::new(&context).unwrap();
    let foreign = other.add_empty(&[]).unwrap();
    // SAFETY: the call fails.
    rejection(unsafe { stream.capture_into(&mut graph, &[foreign], |_| Ok::<_, Error>(())) })
        .mentions("another graph");
    assert!(!stream.is_capturing().unwrap());

    let (sender, receiver) = std::sync::mpsc::channel::<()>();
    // SAFETY: the buffer outlives the graph and belongs to the stream.
    let failed = unsafe {
        stream.capture_into(&mut graph, &[], |capture| {
            let sender = sender.clone();
            capture.host_function(move || sender.send(()).unwrap())?;
            x.fill(&stream, 1)?;
            Err(Error::driver(
                "of the caller",
                CUresult::CUDA_ERROR_NOT_READY,
            ))
        })
    };
    assert!(failed.unwrap_err().to_string().contains("of the caller"));
    // SAFETY: as above.
    let panicked = catch_unwind(AssertUnwindSafe(|| unsafe {
        stream.capture_into(&mut graph, &[], |capture| -> Result<()> {
            let sender = sender.clone();
            capture.host_function(move || sender.send(()).unwrap())?;
            panic!("expected")
        })
    }));
    assert!(panicked.is_err());
    assert!(!stream.is_capturing().unwrap());
    // The nodes recorded until the failure remain, with everything they use.
    let _exec = launched(graph, &stream);
    assert_eq!(x.to_vec(&stream).unwrap(), [1; 10]);
    assert_eq!(receiver.try_iter().count(), 2);
}

#[test]
fn capture_into_rejects_unjoined_streams() {
    let (_one, context, stream) = device();
    let other = Stream::new(&context).unwrap();
    let mut x = DeviceBuffer::<i32>::zeroed(&other, 10).unwrap();
    other.synchronize().unwrap();
    let mut graph = Graph::new(&context).unwrap();
    // SAFETY: the buffer outlives the graph.
    let failed = unsafe {
        stream.capture_into(&mut graph, &[], |_| -> Result<()> {
            other.wait_stream(&stream)?;
            x.fill(&other, 1)
        })
    };
    failure(failed).mentions("wait_stream");
    assert!(!stream.is_capturing().unwrap() && !other.is_capturing().unwrap());
    drop(graph);
    x.fill(&other, 2).unwrap();
    assert_eq!(x.to_vec(&other).unwrap(), [2; 10]);
}
