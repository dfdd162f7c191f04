use std::time::Duration;

use cuda_safe::{Event, EventOptions, LaunchConfig, sys::CUresult};

use crate::{device, failure, kernels};

#[test]
fn elapsed_time_between_events_is_measured() {
    let (context, stream) = device();
    let spin = kernels(&context).function("spin").unwrap();
    let (start, end) = (Event::new(&context).unwrap(), Event::new(&context).unwrap());
    start.record(&stream).unwrap();
    // SAFETY: the kernel writes nothing.
    unsafe { spin.launch(&stream, LaunchConfig::new(1, 1), (20_000_000u64, 0u64)) }.unwrap();
    stream.record(&end).unwrap();
    end.synchronize().unwrap();
    assert!(end.query().unwrap());
    let milliseconds = end.elapsed_ms_since(&start).unwrap();
    assert!((19.0..2000.0).contains(&milliseconds), "{milliseconds} ms");
    assert!(end.duration_since(&start).unwrap() >= Duration::from_millis(19));
    assert_eq!(start.duration_since(&end).unwrap(), Duration::ZERO);
}

#[test]
fn pending_event_reports_not_ready() {
    let (context, stream) = device();
    let (start, end) = (Event::new(&context).unwrap(), Event::new(&context).unwrap());
    let (go, wait) = std::sync::mpsc::channel::<()>();
    start.record(&stream).unwrap();
    // Holds the stream until a message arrives.
    stream
        .launch_host_function(move || {
            let _ = wait.recv();
        })
        .unwrap();
    end.record(&stream).unwrap();
    let reached = end.query().unwrap();
    let elapsed = end.elapsed_ms_since(&start);
    go.send(()).unwrap();
    end.synchronize().unwrap();
    assert!(!reached);
    failure(elapsed).with_code(CUresult::CUDA_ERROR_NOT_READY);
    assert!(end.elapsed_ms_since(&start).unwrap() >= 0.0);
}

#[test]
fn event_without_timing_orders_but_cannot_measure() {
    let (context, stream) = device();
    let a = Event::without_timing(&context).unwrap();
    let b = Event::new(&context).unwrap();
    assert!(
        a.query().unwrap(),
        "an event that was never recorded counts as reached"
    );
    a.record(&stream).unwrap();
    b.record(&stream).unwrap();
    b.synchronize().unwrap();
    let error = b.elapsed_ms_since(&a).unwrap_err();
    assert!(error.to_string().contains("without timing"), "{error}");
    assert!(error.to_string().contains("interprocess"), "{error}");
    a.close().unwrap();
}

#[test]
fn blocking_and_raw_events_work() {
    let (context, stream) = device();
    let event = Event::with_options(&context, EventOptions::default().blocking_sync(true)).unwrap();
    event.record(&stream).unwrap();
    event.synchronize().unwrap();
    let raw = event.into_raw().unwrap();
    {
        // SAFETY: `raw` lives until the end of the test.
        let borrowed = unsafe { Event::borrow_raw(raw, &context) };
        stream.wait_event(&borrowed).unwrap();
        borrowed.synchronize().unwrap();
    }
    // SAFETY: `into_raw` gave up the handle, and it is not used again.
    let code = unsafe { cuda_safe::sys::cuEventDestroy_v2(raw) };
    assert_eq!(code, CUresult::CUDA_SUCCESS);
}
