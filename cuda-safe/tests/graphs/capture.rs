//! Captures: recorded work, forbidden calls, and how a capture ends.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc,
};

use cuda_safe::{
    Code, DeviceBuffer, Event, Graph, LaunchConfig, ManagedBuffer, Out, PinnedBuffer, Result,
    Stream,
    graph::{CaptureMode, NodeKind},
    sys::CUresult,
};

use super::{config, device, failure, kernel, launched, rejection};

#[test]
fn captured_work_runs_with_every_launch() {
    let (_one, context, stream) = device();
    let add = kernel(&context, "add");
    let mut x = DeviceBuffer::<i32>::zeroed(&stream, 100).unwrap();
    let mut y = DeviceBuffer::<i32>::zeroed(&stream, 100).unwrap();
    let (sender, receiver) = mpsc::channel();
    for mode in [
        CaptureMode::GLOBAL,
        CaptureMode::THREAD_LOCAL,
        CaptureMode::RELAXED,
    ] {
        x.fill(&stream, 0).unwrap();
        let sender = sender.clone();
        // SAFETY: the kernel uses a hundred elements. Everything outlives the graph and belongs to
        // the stream.
        let graph = unsafe {
            stream.capture_with_mode(mode, |capture| -> Result<()> {
                assert_eq!(capture.stream(), &stream);
                assert!(stream.is_capturing()?);
                add.launch(&stream, config(100), (&mut x, 2i32, 100i32))?;
                y.copy_from(&stream, &x)?;
                y.slice_mut(..10)?.fill(&stream, -1)?;
                let mut count = 0;
                capture.host_function(move || {
                    count += 1;
                    sender.send(count).unwrap();
                })
            })
        }
        .unwrap();
        assert!(!stream.is_capturing().unwrap());
        let kinds: Vec<_> = graph.nodes().unwrap();
        let mut kinds: Vec<_> = kinds.iter().map(|&n| graph.kind(n).unwrap()).collect();
        kinds.sort_unstable();
        assert_eq!(
            kinds,
            [
                NodeKind::KERNEL,
                NodeKind::COPY,
                NodeKind::FILL,
                NodeKind::HOST_FUNCTION
            ]
        );
        assert_eq!(graph.edges().unwrap().len(), 3); // a linear sequence
        assert_eq!(x.to_vec(&stream).unwrap(), [0; 100]); // nothing has run yet
        let mut exec = graph.instantiate().unwrap();
        for _ in 0..3 {
            exec.launch(&stream).unwrap();
        }
        assert_eq!(x.to_vec(&stream).unwrap(), [6; 100]);
        let host = y.to_vec(&stream).unwrap();
        assert_eq!((&host[..10], &host[10..]), (&[-1; 10][..], &[6; 90][..]));
        assert_eq!(receiver.try_iter().collect::<Vec<_>>(), [1, 2, 3]);
    }
}

#[test]
fn other_streams_join_the_capture() {
    let (_one, context, stream) = device();
    let add = kernel(&context, "add");
    let other = Stream::new(&context).unwrap();
    let mut x = DeviceBuffer::<i32>::zeroed(&stream, 64).unwrap();
    let mut y = DeviceBuffer::<i32>::zeroed(&other, 64).unwrap();
    other.synchronize().unwrap();
    let add = |on: &Stream, to: &mut DeviceBuffer<i32>, value: i32| {
        // SAFETY: the buffers have 64 elements.
        unsafe { add.launch(on, config(64), (to, value, 64i32)) }
    };
    // SAFETY: everything outlives the graph, and the other stream's work is ordered with this
    // stream's.
    let graph = unsafe {
        stream.capture(|_| -> Result<()> {
            add(&stream, &mut x, 1)?;
            other.wait_stream(&stream)?;
            assert!(other.is_capturing()?);
            add(&stream, &mut x, 10)?;
            add(&other, &mut y, 5)?;
            // Uses memory of both streams, ordered as outside a capture.
            x.slice_mut(..1)?.copy_from(&stream, &y.slice(..1)?)?;
            stream.wait_stream(&other)
        })
    }
    .unwrap();
    assert!(!other.is_capturing().unwrap());
    let mut exec = launched(graph, &stream);
    exec.launch(&stream).unwrap();
    let x = x.to_vec(&stream).unwrap();
    assert_eq!((x[0], &x[1..]), (10 + 11 - 11, &[22; 63][..]));
    assert_eq!(y.to_vec(&stream).unwrap(), [10; 64]);
}

#[test]
fn forbidden_calls_fail_and_the_capture_continues() {
    let (_one, context, stream) = device();
    let add = kernel(&context, "add");
    let other = Stream::new(&context).unwrap();
    let mut x = DeviceBuffer::<i32>::zeroed(&stream, 8).unwrap();
    let mut elsewhere = DeviceBuffer::<i32>::zeroed(&other, 8).unwrap();
    let mut pinned = Some(PinnedBuffer::<i32>::zeroed(&context, 8).unwrap());
    let dropped = DeviceBuffer::<i32>::zeroed(&stream, 1 << 20).unwrap();
    other.synchronize().unwrap();
    // SAFETY: the kernel uses eight elements. Everything outlives the graph.
    let graph = unsafe {
        stream.capture(|_| -> Result<()> {
            let captured = "is being captured";
            rejection(stream.synchronize()).mentions(captured);
            rejection(stream.query()).mentions(captured);
            rejection(x.copy_from_slice(&stream, &[1; 8])).mentions(captured);
            rejection(x.to_vec(&stream)).mentions(captured);
            rejection(stream.scope(|_| -> Result<()> { panic!("the closure must not run") }))
                .mentions(captured);
            let failed = stream.upload(pinned.take().unwrap(), &mut x).unwrap_err();
            pinned = failed.host;
            rejection(Err::<(), _>(failed.error)).mentions(captured);
            let mut out = [0i32; 8];
            let host = (Out(&mut out), 1i32, 8i32);
            rejection(add.launch(&stream, config(8), host)).mentions(captured);
            rejection(x.copy_from(&stream, &elsewhere)).mentions(captured);
            rejection(elsewhere.copy_from(&other, &x)).mentions(captured);
            rejection(DeviceBuffer::<u8>::uninit(&stream, 8))
                .mentions("allocate before the capture");
            rejection(stream.launch_host_function(|| panic!("the closure must not run")))
                .mentions("Capture::host_function");
            rejection(stream.capture(|_| -> Result<()> { panic!("the closure must not run") }))
                .mentions("captured already");
            drop(dropped); // freed after the capture
            add.launch(&stream, config(8), (&mut x, 4i32, 8i32))
        })
    }
    .unwrap();
    let _exec = launched(graph, &stream);
    assert_eq!(x.to_vec(&stream).unwrap(), [4; 8]);
}

#[test]
fn rejected_waits_do_not_invalidate_the_capture() {
    let (_one, context, stream) = device();
    let add = kernel(&context, "add");
    let other = Stream::new(&context).unwrap();
    let reached = other.record_event().unwrap();
    let mut x = DeviceBuffer::<i32>::zeroed(&stream, 8).unwrap();
    // SAFETY: the kernel uses eight elements. Everything outlives the graph.
    let graph = unsafe {
        stream.capture(|_| -> Result<()> {
            rejection(other.synchronize()).mentions("before or after the capture");
            rejection(other.query()).mentions("before or after the capture");
            rejection(context.synchronize()).mentions("before or after the capture");
            rejection(reached.query()).mentions("before or after the capture");
            for error in [
                rejection(DeviceBuffer::<u8>::zeroed(&other, 8)),
                rejection(PinnedBuffer::<u8>::zeroed(&context, 8)),
                rejection(ManagedBuffer::<u8>::zeroed(&other, 8)),
            ] {
                error.mentions("allocate before the capture");
            }
            add.launch(&stream, config(8), (&mut x, 4i32, 8i32))
        })
    }
    .unwrap();
    graph.instantiate().unwrap().launch(&stream).unwrap();
    assert_eq!(x.to_vec(&stream).unwrap(), [4; 8]);
}

#[test]
fn objects_dropped_in_a_capture_are_freed_afterwards() {
    let (_one, context, stream) = device();
    let add = kernel(&context, "add");
    let other = Stream::new(&context).unwrap();
    let mut x = DeviceBuffer::<i32>::zeroed(&stream, 8).unwrap();
    let pinned = || PinnedBuffer::<i32>::zeroed(&context, 8).unwrap();
    let mut y = DeviceBuffer::<i32>::zeroed(&other, 8).unwrap();
    let transfer = other.upload(pinned(), &mut y).unwrap();
    let managed = ManagedBuffer::<i32>::zeroed(&stream, 8).unwrap();
    let (alone, closed, refusable) = (pinned(), pinned(), pinned());
    let (sender, receiver) = mpsc::channel();
    let exec = {
        let mut graph = Graph::new(&context).unwrap();
        graph.keep(pinned());
        graph
            .add_host_function(&[], move || sender.send(()).unwrap())
            .unwrap();
        launched(graph, &other)
    };
    // SAFETY: the kernel uses eight elements. Everything it uses outlives the graph.
    let graph = unsafe {
        stream.capture(|_| -> Result<()> {
            drop((alone, y, transfer, managed, exec));
            closed.close()?;
            drop(stream.upload(refusable, &mut x).unwrap_err()); // also drops the memory
            add.launch(&stream, config(8), (&mut x, 4i32, 8i32))
        })
    }
    .unwrap();
    assert_eq!(receiver.iter().count(), 1); // the sender was dropped
    graph.instantiate().unwrap().launch(&stream).unwrap();
    assert_eq!(x.to_vec(&stream).unwrap(), [4; 8]);
}

#[test]
fn graph_launch_into_a_capture_is_rejected() {
    let (_one, context, stream) = device();
    let mut graph = Graph::new(&context).unwrap();
    let host = graph.keep(PinnedBuffer::<i32>::zeroed(&context, 4).unwrap());
    let x = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, 4).unwrap());
    graph.add_copy(&[], host, x).unwrap();
    let mut exec = graph.instantiate().unwrap();
    // SAFETY: the capture records nothing.
    let outer = unsafe {
        stream.capture(|_| -> Result<()> {
            // The launch could run while `host` is borrowed, or after `exec` is dropped.
            rejection(exec.launch(&stream)).mentions("Graph::add_child");
            rejection(exec.upload(&stream));
            Ok(())
        })
    };
    assert_eq!(outer.unwrap().nodes().unwrap(), []);
}

#[test]
fn driver_errors_in_a_capture_name_the_remedy() {
    let (_one, context, stream) = device();
    let other = Stream::new(&context).unwrap();
    let event = Event::without_timing(&context).unwrap();
    // SAFETY: nothing runs.
    let failed = unsafe {
        stream.capture(|_| -> Result<()> {
            failure(stream.wait_stream(&other)).mentions("capture first by waiting");
            Ok(())
        })
    };
    assert!(failed.is_err());
    // SAFETY: as above.
    let failed = unsafe {
        stream.capture(|_| -> Result<()> {
            event.record(&stream)?;
            rejection(event.query()).mentions("before or after the capture");
            rejection(event.synchronize()).mentions("before or after the capture");
            let empty = Graph::new(&context)?;
            rejection(empty.instantiate()).mentions("before or after the capture");
            Ok(())
        })
    };
    failed.unwrap();
    failure(event.query()).mentions("record it again");
    event.record(&stream).unwrap();
    event.synchronize().unwrap();
}

#[test]
fn capture_ends_if_the_closure_fails_or_panics() {
    let (_one, context, stream) = device();
    let add = kernel(&context, "add");
    let mut x = DeviceBuffer::<i32>::zeroed(&stream, 8).unwrap();
    let mut add = |value: i32| {
        // SAFETY: the kernel uses eight elements.
        unsafe { add.launch(&stream, config(8), (&mut x, value, 8i32)) }
    };
    // SAFETY: the captured work never runs.
    let failed = unsafe {
        stream.capture(|_| -> Result<(), Box<dyn std::error::Error>> {
            add(1)?;
            Err("enough".into())
        })
    };
    assert_eq!(failed.unwrap_err().to_string(), "enough");
    assert!(!stream.is_capturing().unwrap());
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: as above.
        unsafe {
            stream.capture(|_| -> Result<()> {
                add(1)?;
                panic!("expected: in the capture")
            })
        }
    }));
    assert!(panicked.is_err());
    assert!(!stream.is_capturing().unwrap());
    add(7).unwrap();
    assert_eq!(x.to_vec(&stream).unwrap(), [7; 8]);
}

#[test]
fn unjoined_stream_is_an_error_of_the_capture() {
    let (_one, context, stream) = device();
    let add = kernel(&context, "add");
    let other = Stream::new(&context).unwrap();
    let mut x = DeviceBuffer::<i32>::zeroed(&stream, 8).unwrap();
    // SAFETY: the kernel uses eight elements, and the graph never runs.
    let failed = unsafe {
        stream.capture(|_| -> Result<()> {
            other.wait_stream(&stream)?;
            add.launch(&other, config(8), (&mut x, 1i32, 8i32))
        })
    };
    let error = failed.unwrap_err();
    let unjoined = Code::Driver(CUresult::CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    assert_eq!(error.code(), unjoined, "{error}");
    assert!(error.to_string().contains("wait_stream"), "{error}");
    // Both streams work as before.
    for stream in [&stream, &other] {
        assert!(!stream.is_capturing().unwrap());
        stream.synchronize().unwrap();
    }
    assert_eq!(x.to_vec(&stream).unwrap(), [0; 8]);
}

#[test]
fn ignored_error_is_returned_at_the_end_of_the_capture() {
    let (_one, context, stream) = device();
    let other = Stream::new(&context).unwrap();
    let event = Event::without_timing(&context).unwrap();
    event.record(&other).unwrap();
    // SAFETY: the capture records nothing.
    let failed = unsafe {
        stream.capture(|_| -> Result<()> {
            // The event is outside the capture, so the driver rejects the wait and invalidates the
            // capture.
            let isolated = stream.wait_event(&event).unwrap_err();
            let code = Code::Driver(CUresult::CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
            assert_eq!(isolated.code(), code);
            Ok(())
        })
    };
    let error = failed.unwrap_err();
    let code = Code::Driver(CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    assert_eq!(error.code(), code, "{error}");
    assert!(error.to_string().contains('?'), "{error}");
    stream.synchronize().unwrap();
}

#[test]
fn legacy_stream_and_oversized_grids_are_rejected() {
    let (_one, context, stream) = device();
    let legacy = Stream::legacy_default(&context);
    // SAFETY: the capture records nothing.
    rejection(unsafe { legacy.capture(|_| -> Result<()> { Ok(()) }) })
        .mentions("legacy default stream");
    let add = kernel(&context, "add");
    let mut x = DeviceBuffer::<i32>::zeroed(&stream, 8).unwrap();
    let large = LaunchConfig::new(1, 4096);
    // SAFETY: the call fails.
    let failed = unsafe {
        stream.capture(|_| -> Result<()> { add.launch(&stream, large, (&mut x, 1i32, 8i32)) })
    };
    assert!(failed.unwrap_err().to_string().contains("4096 threads"));
    stream.synchronize().unwrap();
}

#[test]
fn module_dropped_during_a_capture_is_unloaded_afterwards() {
    let (_one, context, stream) = device();
    let mut x = DeviceBuffer::<i32>::zeroed(&stream, 8).unwrap();
    let (unused, used) = (kernel(&context, "add"), kernel(&context, "add"));
    // SAFETY: the kernel uses eight elements, and the graph holds it.
    let graph = unsafe {
        stream.capture(|capture| -> Result<()> {
            drop(unused);
            used.launch(&stream, config(8), (&mut x, 3i32, 8i32))?;
            capture.hold(used);
            Ok(())
        })
    }
    .unwrap();
    let exec = launched(graph, &stream);
    drop(exec);
    assert_eq!(x.to_vec(&stream).unwrap(), [3; 8]);
}

#[test]
fn captured_events_order_work_outside_the_graph() {
    let (_one, context, stream) = device();
    let (before, half) = (Event::new(&context).unwrap(), Event::new(&context).unwrap());
    let mut x = DeviceBuffer::<u32>::zeroed(&stream, 2).unwrap();
    // SAFETY: the buffer outlives the graph and belongs to the stream.
    let graph = unsafe {
        stream.capture(|capture| -> Result<()> {
            capture.wait_event(&before)?;
            x.slice_mut(..1)?.fill(&stream, 1)?;
            capture.record_event(&half)?;
            x.slice_mut(1..)?.fill(&stream, 2)
        })
    }
    .unwrap();
    let kinds: Vec<_> = graph.nodes().unwrap();
    let count = |wanted| {
        kinds
            .iter()
            .filter(|&&n| graph.kind(n).unwrap() == wanted)
            .count()
    };
    assert_eq!(count(NodeKind::EVENT_WAIT), 1);
    assert_eq!(count(NodeKind::EVENT_RECORD), 1);
    let mut exec = graph.instantiate().unwrap();
    let first = Stream::new(&context).unwrap();
    let second = Stream::new(&context).unwrap();
    let mut slow = DeviceBuffer::<u32>::zeroed(&first, 1 << 20).unwrap();
    slow.fill(&first, 7).unwrap();
    before.record(&first).unwrap();
    exec.launch(&stream).unwrap();
    second.wait_event(&half).unwrap();
    drop((before, half)); // the graph holds them
    second.synchronize().unwrap();
    assert_eq!(x.to_vec(&stream).unwrap(), [1, 2]);
}
