use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use cuda_safe::{DeviceBuffer, ErrorKind, LaunchConfig, Stream, StreamOptions};

use crate::{device, failure, kernels, rejection};

#[test]
fn stream_has_the_requested_options() {
    let (context, stream) = device();
    assert!(!stream.is_blocking().unwrap());
    let (_, greatest) = context.stream_priority_range().unwrap();
    let options = StreamOptions::default().blocking(true).priority(greatest);
    let urgent = Stream::with_options(&context, options).unwrap();
    assert!(urgent.is_blocking().unwrap());
    assert_eq!(urgent.priority().unwrap(), greatest);
    assert_ne!(stream, urgent);
    assert_eq!(stream, stream.clone());
}

#[test]
fn default_streams_work() {
    let (context, _) = device();
    for stream in [
        Stream::legacy_default(&context),
        Stream::per_thread_default(&context),
    ] {
        let mut buffer = DeviceBuffer::<u32>::zeroed(&stream, 10).unwrap();
        buffer.fill(&stream, 3).unwrap();
        assert_eq!(buffer.to_vec(&stream).unwrap(), [3; 10]);
        assert!(stream.into_raw().is_err());
    }
}

#[test]
fn per_thread_stream_is_rejected_on_another_thread() {
    let (context, other) = device();
    let stream = Stream::per_thread_default(&context);
    let buffer = DeviceBuffer::from_slice(&stream, &[5u8; 10]).unwrap();
    thread::spawn(move || {
        failure(stream.synchronize()).mentions("another thread");
        assert!(buffer.to_vec(&other).is_err());
        drop(buffer); // freed after waiting
    })
    .join()
    .unwrap();
}

#[test]
fn streams_can_be_queried_and_ordered() {
    let (context, a) = device();
    let b = Stream::new(&context).unwrap();
    let spin = kernels(&context).function("spin").unwrap();
    let mut flag = DeviceBuffer::<u32>::zeroed(&a, 1).unwrap();
    // SAFETY: the kernel writes one number.
    unsafe { spin.launch(&a, LaunchConfig::new(1, 1), (50_000_000u64, &mut flag)) }.unwrap();
    let mut copy = DeviceBuffer::<u32>::zeroed(&b, 1).unwrap();
    b.wait_stream(&a).unwrap();
    copy.copy_from(&b, &flag).unwrap();
    assert_eq!(copy.to_vec(&b).unwrap(), [1]);
    a.synchronize().unwrap();
    assert!(a.query().unwrap());
    a.wait_stream(&a).unwrap();
}

#[test]
fn host_functions_run_in_stream_order() {
    let (_, stream) = device();
    let calls = Arc::new(AtomicUsize::new(0));
    for i in 0..10 {
        let calls = Arc::clone(&calls);
        stream
            .launch_host_function(move || {
                let _ = calls.compare_exchange(i, i + 1, Ordering::SeqCst, Ordering::SeqCst);
            })
            .unwrap();
    }
    stream.synchronize().unwrap();
    assert_eq!(calls.load(Ordering::SeqCst), 10);
    // Each closure was dropped after its call.
    assert_eq!(Arc::strong_count(&calls), 1);
}

#[test]
fn panic_in_a_host_function_is_contained() {
    let (_, stream) = device();
    stream.launch_host_function(|| panic!("expected")).unwrap();
    stream.synchronize().unwrap();
    stream.launch_host_function(|| {}).unwrap();
    stream.synchronize().unwrap();
}

#[test]
fn streams_convert_to_and_from_raw() {
    let (context, stream) = device();
    let shared = stream.clone();
    let stream = stream.into_raw().unwrap_err(); // fails, because there are two references
    drop(shared);
    let raw = stream.into_raw().unwrap();
    {
        // SAFETY: `raw` lives until the end of the test.
        let borrowed = unsafe { Stream::borrow_raw(raw, &context) };
        borrowed.synchronize().unwrap();
    }
    // SAFETY: `into_raw` gave up the handle, and it is not used again.
    let code = unsafe { cuda_safe::sys::cuStreamDestroy_v2(raw) };
    assert_eq!(code, cuda_safe::sys::CUresult::CUDA_SUCCESS);
    Stream::new(&context).unwrap().close().unwrap();
}

#[test]
fn raw_per_thread_stream_is_rejected_on_another_thread() {
    let (context, _) = device();
    context.set_current().unwrap();
    // SAFETY: the default streams live as long as the context.
    let stream = unsafe { Stream::borrow_raw(std::ptr::without_provenance_mut(2), &context) };
    assert_eq!(stream, Stream::per_thread_default(&context));
    stream.synchronize().unwrap();
    let elsewhere = thread::spawn(move || stream.synchronize().unwrap_err());
    let error = elsewhere.join().unwrap();
    assert_eq!(*error.kind(), ErrorKind::InvalidArgument, "{error}");
    assert!(error.to_string().contains("another thread"), "{error}");
}

#[test]
fn cuda_calls_are_rejected_in_host_functions() {
    let (context, stream) = device();
    let other = Stream::new(&context).unwrap();
    let buffer = DeviceBuffer::<u32>::zeroed(&other, 4).unwrap();
    other.synchronize().unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    let (s, c) = (stream.clone(), context.clone());
    stream
        .launch_host_function(move || {
            let results = [
                s.synchronize(),
                s.query().map(drop),
                c.synchronize(),
                buffer.to_vec(&s).map(drop),
                buffer.to_vec(&other).map(drop),
                other.launch_host_function(|| {}),
                s.scope(|_| Ok(())),
                cuda_safe::Event::new(&c).map(drop),
                DeviceBuffer::<u8>::zeroed(&other, 1).map(drop),
            ];
            // Sent out, so that it is not dropped here.
            sender.send((results, buffer)).unwrap();
        })
        .unwrap();
    let limit = std::time::Duration::from_secs(60);
    let (results, buffer) = receiver
        .recv_timeout(limit)
        .expect("the host function hangs");
    for result in results {
        rejection(result).mentions("host function");
    }
    stream.synchronize().unwrap();
    assert_eq!(buffer.to_vec(&stream).unwrap(), [0; 4]);
}

#[test]
fn panic_in_a_panic_payload_is_contained() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("expected: while dropped");
        }
    }
    let (_, stream) = device();
    stream
        .launch_host_function(|| std::panic::panic_any(Bomb))
        .unwrap();
    stream.synchronize().unwrap();
}
