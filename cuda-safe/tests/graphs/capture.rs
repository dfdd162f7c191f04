//! What is captured, what a capture forbids, and how it ends.

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

use super::{config, device, kernel, refused};

#[test]
fn launches_fills_copies_and_host_functions_run_with_every_launch() {
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
        // SAFETY: a hundred elements; all outlives the graph, and belongs to the stream.
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
        assert_eq!(graph.edges().unwrap().len(), 3); // one after the other
        assert_eq!(x.to_vec(&stream).unwrap(), [0; 100]); // nothing has run
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
fn other_streams_join_and_are_waited_for() {
    let (_one, context, stream) = device();
    let add = kernel(&context, "add");
    let other = Stream::new(&context).unwrap();
    let mut x = DeviceBuffer::<i32>::zeroed(&stream, 64).unwrap();
    let mut y = DeviceBuffer::<i32>::zeroed(&other, 64).unwrap();
    other.synchronize().unwrap();
    let add = |on: &Stream, to: &mut DeviceBuffer<i32>, value: i32| {
        // SAFETY: 64 elements.
        unsafe { add.launch(on, config(64), (to, value, 64i32)) }
    };
    // SAFETY: all outlives the graph; the other stream's work is ordered with this one's.
    let graph = unsafe {
        stream.capture(|_| -> Result<()> {
            add(&stream, &mut x, 1)?;
            other.wait_stream(&stream)?;
            assert!(other.is_capturing()?);
            add(&stream, &mut x, 10)?;
            add(&other, &mut y, 5)?;
            // Memory of both, ordered as always.
            x.slice_mut(..1)?.copy_from(&stream, &y.slice(..1)?)?;
            stream.wait_stream(&other)
        })
    }
    .unwrap();
    assert!(!other.is_capturing().unwrap());
    let mut exec = graph.instantiate().unwrap();
    exec.launch(&stream).unwrap();
    exec.launch(&stream).unwrap();
    let x = x.to_vec(&stream).unwrap();
    assert_eq!((x[0], &x[1..]), (10 + 11 - 11, &[22; 63][..]));
    assert_eq!(y.to_vec(&stream).unwrap(), [10; 64]);
}

#[test]
fn what_is_forbidden_is_an_error_of_that_call_and_the_capture_goes_on() {
    let (_one, context, stream) = device();
    let add = kernel(&context, "add");
    let other = Stream::new(&context).unwrap();
    let mut x = DeviceBuffer::<i32>::zeroed(&stream, 8).unwrap();
    let mut elsewhere = DeviceBuffer::<i32>::zeroed(&other, 8).unwrap();
    let mut pinned = Some(PinnedBuffer::<i32>::zeroed(&context, 8).unwrap());
    let dropped = DeviceBuffer::<i32>::zeroed(&stream, 1 << 20).unwrap();
    other.synchronize().unwrap();
    // SAFETY: eight elements; all outlives the graph.
    let graph = unsafe {
        stream.capture(|_| -> Result<()> {
            let says = |text: String| assert!(text.contains("is being captured"), "{text}");
            says(refused(stream.synchronize()));
            says(refused(stream.query()));
            says(refused(x.copy_from_slice(&stream, &[1; 8])));
            says(refused(x.to_vec(&stream)));
            says(refused(
                stream.scope(|_| -> Result<()> { panic!("not to be run") }),
            ));
            let failed = stream.upload(pinned.take().unwrap(), &mut x).unwrap_err();
            pinned = failed.host;
            says(refused(Err::<(), _>(failed.error)));
            let mut out = [0i32; 8];
            let host = (Out(&mut out), 1i32, 8i32);
            says(refused(add.launch(&stream, config(8), host)));
            says(refused(x.copy_from(&stream, &elsewhere)));
            says(refused(elsewhere.copy_from(&other, &x)));
            let text = refused(DeviceBuffer::<u8>::uninit(&stream, 8));
            assert!(text.contains("allocate before the capture"), "{text}");
            let text = refused(stream.launch_host_function(|| panic!("not to be run")));
            assert!(text.contains("Capture::host_function"), "{text}");
            let text = refused(stream.capture(|_| -> Result<()> { panic!("not to be run") }));
            assert!(text.contains("captured already"), "{text}");
            drop(dropped); // is freed afterwards
            add.launch(&stream, config(8), (&mut x, 4i32, 8i32))
        })
    }
    .unwrap();
    let mut exec = graph.instantiate().unwrap();
    exec.launch(&stream).unwrap();
    assert_eq!(x.to_vec(&stream).unwrap(), [4; 8]);
}

#[test]
fn calls_for_other_streams_and_whole_contexts_leave_a_capture_alone() {
    let (_one, context, stream) = device();
    let add = kernel(&context, "add");
    let other = Stream::new(&context).unwrap();
    let reached = other.record_event().unwrap();
    let mut x = DeviceBuffer::<i32>::zeroed(&stream, 8).unwrap();
    // SAFETY: eight elements; all outlives the graph.
    let graph = unsafe {
        stream.capture(|_| -> Result<()> {
            assert!(refused(other.synchronize()).contains("after it"));
            assert!(refused(other.query()).contains("after it"));
            assert!(refused(context.synchronize()).contains("after it"));
            assert!(refused(reached.query()).contains("after it"));
            for text in [
                refused(DeviceBuffer::<u8>::zeroed(&other, 8)),
                refused(PinnedBuffer::<u8>::zeroed(&context, 8)),
                refused(ManagedBuffer::<u8>::zeroed(&other, 8)),
            ] {
                assert!(text.contains("allocate before the capture"), "{text}");
            }
            add.launch(&stream, config(8), (&mut x, 4i32, 8i32))
        })
    }
    .unwrap();
    graph.instantiate().unwrap().launch(&stream).unwrap();
    assert_eq!(x.to_vec(&stream).unwrap(), [4; 8]);
}

#[test]
fn what_is_dropped_in_a_capture_goes_afterwards() {
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
        let mut exec = graph.instantiate().unwrap();
        exec.launch(&other).unwrap();
        exec
    };
    // SAFETY: eight elements; what the kernel uses outlives the graph.
    let graph = unsafe {
        stream.capture(|_| -> Result<()> {
            drop((alone, y, transfer, managed, exec));
            closed.close()?;
            drop(stream.upload(refusable, &mut x).unwrap_err()); // with the memory
            add.launch(&stream, config(8), (&mut x, 4i32, 8i32))
        })
    }
    .unwrap();
    assert_eq!(receiver.iter().count(), 1); // its sender is gone
    graph.instantiate().unwrap().launch(&stream).unwrap();
    assert_eq!(x.to_vec(&stream).unwrap(), [4; 8]);
}

#[test]
fn a_graph_is_not_launched_into_a_capture() {
    let (_one, context, stream) = device();
    let mut graph = Graph::new(&context).unwrap();
    let host = graph.keep(PinnedBuffer::<i32>::zeroed(&context, 4).unwrap());
    let x = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, 4).unwrap());
    graph.add_copy(&[], host, x).unwrap();
    let mut exec = graph.instantiate().unwrap();
    // SAFETY: nothing is captured.
    let outer = unsafe {
        stream.capture(|_| -> Result<()> {
            // It could run while `host` is lent, or after `exec` is gone.
            let text = refused(exec.launch(&stream));
            assert!(text.contains("Graph::add_child"), "{text}");
            refused(exec.upload(&stream));
            Ok(())
        })
    };
    assert_eq!(outer.unwrap().nodes().unwrap(), []);
}

#[test]
fn what_the_driver_refuses_names_the_remedy() {
    let (_one, context, stream) = device();
    let other = Stream::new(&context).unwrap();
    let event = Event::without_timing(&context).unwrap();
    // SAFETY: nothing runs.
    let failed = unsafe {
        stream.capture(|_| -> Result<()> {
            let text = stream.wait_stream(&other).unwrap_err().to_string();
            assert!(text.contains("capture first by waiting"), "{text}");
            Ok(())
        })
    };
    assert!(failed.is_err());
    // SAFETY: as above.
    let failed = unsafe {
        stream.capture(|_| -> Result<()> {
            event.record(&stream)?;
            assert!(refused(event.query()).contains("after it"));
            assert!(refused(event.synchronize()).contains("after it"));
            let empty = Graph::new(&context)?;
            assert!(refused(empty.instantiate()).contains("after it"));
            Ok(())
        })
    };
    failed.unwrap();
    let text = event.query().unwrap_err().to_string();
    assert!(text.contains("record it again"), "{text}");
    event.record(&stream).unwrap();
    event.synchronize().unwrap();
}

#[test]
fn a_capture_ends_with_its_closure_however_that_ends() {
    let (_one, context, stream) = device();
    let add = kernel(&context, "add");
    let mut x = DeviceBuffer::<i32>::zeroed(&stream, 8).unwrap();
    let mut add = |value: i32| {
        // SAFETY: eight elements.
        unsafe { add.launch(&stream, config(8), (&mut x, value, 8i32)) }
    };
    // SAFETY: what is captured never runs.
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
                panic!("in the capture")
            })
        }
    }));
    assert!(panicked.is_err());
    assert!(!stream.is_capturing().unwrap());
    add(7).unwrap();
    assert_eq!(x.to_vec(&stream).unwrap(), [7; 8]);
}

#[test]
fn a_stream_that_was_not_waited_for_is_an_error() {
    let (_one, context, stream) = device();
    let add = kernel(&context, "add");
    let other = Stream::new(&context).unwrap();
    let mut x = DeviceBuffer::<i32>::zeroed(&stream, 8).unwrap();
    // SAFETY: eight elements; nothing of it runs.
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
    // Both are as before.
    for stream in [&stream, &other] {
        assert!(!stream.is_capturing().unwrap());
        stream.synchronize().unwrap();
    }
    assert_eq!(x.to_vec(&stream).unwrap(), [0; 8]);
}

#[test]
fn an_error_that_is_swallowed_comes_at_the_end() {
    let (_one, context, stream) = device();
    let other = Stream::new(&context).unwrap();
    let event = Event::without_timing(&context).unwrap();
    event.record(&other).unwrap();
    // SAFETY: nothing is captured.
    let failed = unsafe {
        stream.capture(|_| -> Result<()> {
            // Not a part of the capture: the driver refuses it, and that ends the capture.
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
fn the_legacy_stream_and_foreign_grids_are_refused() {
    let (_one, context, stream) = device();
    let legacy = Stream::legacy_default(&context);
    // SAFETY: nothing is captured.
    let text = refused(unsafe { legacy.capture(|_| -> Result<()> { Ok(()) }) });
    assert!(text.contains("legacy default stream"), "{text}");
    let add = kernel(&context, "add");
    let mut x = DeviceBuffer::<i32>::zeroed(&stream, 8).unwrap();
    let large = LaunchConfig::new(1, 4096);
    // SAFETY: refused.
    let failed = unsafe {
        stream.capture(|_| -> Result<()> { add.launch(&stream, large, (&mut x, 1i32, 8i32)) })
    };
    assert!(failed.unwrap_err().to_string().contains("4096 threads"));
    stream.synchronize().unwrap();
}

#[test]
fn a_module_that_goes_during_a_capture_is_unloaded_afterwards() {
    let (_one, context, stream) = device();
    let mut x = DeviceBuffer::<i32>::zeroed(&stream, 8).unwrap();
    let (unused, used) = (kernel(&context, "add"), kernel(&context, "add"));
    // SAFETY: eight elements; the kernel that is used is held.
    let graph = unsafe {
        stream.capture(|capture| -> Result<()> {
            drop(unused);
            used.launch(&stream, config(8), (&mut x, 3i32, 8i32))?;
            capture.hold(used);
            Ok(())
        })
    }
    .unwrap();
    let mut exec = graph.instantiate().unwrap();
    exec.launch(&stream).unwrap();
    drop(exec);
    assert_eq!(x.to_vec(&stream).unwrap(), [3; 8]);
}

#[test]
fn events_reach_out_of_a_capture() {
    let (_one, context, stream) = device();
    let (before, half) = (Event::new(&context).unwrap(), Event::new(&context).unwrap());
    let mut x = DeviceBuffer::<u32>::zeroed(&stream, 2).unwrap();
    // SAFETY: the buffer outlives the graph, and belongs to the stream.
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
    let (first, second) = (
        Stream::new(&context).unwrap(),
        Stream::new(&context).unwrap(),
    );
    let mut slow = DeviceBuffer::<u32>::zeroed(&first, 1 << 20).unwrap();
    slow.fill(&first, 7).unwrap();
    before.record(&first).unwrap();
    exec.launch(&stream).unwrap();
    second.wait_event(&half).unwrap();
    drop((before, half)); // the graph holds them
    second.synchronize().unwrap();
    assert_eq!(x.to_vec(&stream).unwrap(), [1, 2]);
}
