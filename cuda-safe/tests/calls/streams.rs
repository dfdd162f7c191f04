//! Streams and events.

use cuda_safe::green::GreenContext;

use super::*;

#[test]
fn streams_are_destroyed_with_the_last_reference() {
    traced("", || {
        let (context, stream) = device();
        let destroy = "cuStreamDestroy";
        let other = stream.clone();
        assert_eq!(stream, other);
        assert!(made(destroy, || stream.close().unwrap()).is_empty());
        makes(destroy, &[], || other.close().unwrap());
        let stream = Stream::new(&context).unwrap();
        let buffer = DeviceBuffer::<u8>::zeroed(&stream, 1).unwrap();
        assert!(made(destroy, || drop(stream)).is_empty());
        makes(destroy, &[], || drop(buffer));
        // SAFETY: the default stream lives as long as the context.
        let borrowed = unsafe { Stream::borrow_raw(std::ptr::null_mut(), &context) };
        assert!(made(destroy, || borrowed.close().unwrap()).is_empty());
        assert!(made(destroy, || drop(Stream::legacy_default(&context))).is_empty());
        let stream = Stream::new(&context).unwrap();
        let raw = stream.as_raw();
        assert!(made(destroy, || stream.into_raw().unwrap()).is_empty());
        // SAFETY: `into_raw` gave up the stream above, and it is destroyed once.
        let code = unsafe { sys::cuStreamDestroy_v2(raw) };
        assert_eq!(code, CUresult::CUDA_SUCCESS);
    });
}

#[test]
fn streams_with_the_same_handle_are_equal() {
    passes("", || {
        let (context, a) = device();
        let b = Stream::new(&context).unwrap();
        assert_ne!(a, b);
        // SAFETY: `a` outlives the borrow.
        assert_eq!(unsafe { Stream::borrow_raw(a.as_raw(), &context) }, a);
        let created = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
        let legacy = Stream::legacy_default(&context);
        assert_eq!(legacy, Stream::legacy_default(&context));
        assert_ne!(legacy, Stream::legacy_default(&created));
        let own = Stream::per_thread_default(&context);
        assert_eq!(own, Stream::per_thread_default(&context));
        let there = context.clone();
        let elsewhere = std::thread::spawn(move || Stream::per_thread_default(&there));
        assert_ne!(own, elsewhere.join().unwrap());
        for text in [format!("{a:?}"), format!("{own:?}")] {
            assert!(
                text.starts_with("Stream(0x") && text.contains("device 0"),
                "{text}"
            );
        }
    });
}

#[test]
fn launch_on_a_default_stream_uses_its_context() {
    passes("", || {
        let created = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
        let primary = Context::primary(0).unwrap();
        let set = set_kernel(&created);
        let x = DeviceBuffer::<u32>::zeroed(&Stream::legacy_default(&created), 1).unwrap();
        primary.set_current().unwrap();
        for stream in [
            Stream::legacy_default(&created),
            Stream::per_thread_default(&created),
        ] {
            // SAFETY: the kernel writes one number, and the wait orders the streams.
            unsafe { set.launch(&stream, LaunchConfig::new(1, 1), (&x,)) }.unwrap();
            stream.synchronize().unwrap();
        }
        assert_eq!(x.to_vec(&Stream::legacy_default(&created)).unwrap(), [7]);
    });
    traced("", || {
        let (context, stream) = device();
        let set = set_kernel(&context);
        let mut x = DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap();
        set.parameters().unwrap();
        // SAFETY: the kernel writes one number.
        let mut launch = |stream: &Stream| unsafe {
            set.launch(stream, LaunchConfig::new(1, 1), (&mut x,))
                .unwrap();
        };
        // A created stream has a fixed context, but a default stream needs its context to be
        // current.
        assert!(made("cuCtxGetCurrent", || launch(&stream)).is_empty());
        makes("cuCtxGetCurrent", &[], || {
            launch(&Stream::legacy_default(&context))
        });
        makes("cuCtxGetCurrent", &[], || {
            launch(&Stream::per_thread_default(&context))
        });
        stream.synchronize().unwrap();
        context.synchronize().unwrap();
    });
}

#[test]
fn query_returns_false_while_work_is_pending() {
    passes("", || {
        let (context, stream) = device();
        let mut x = DeviceBuffer::<u32>::uninit(&stream, 1000).unwrap();
        let event = Event::new(&context).unwrap();
        x.fill(&stream, 1).unwrap();
        event.record(&stream).unwrap();
        // A query releases the held stream, so this test queries one object at a time.
        assert!(!event.query().unwrap());
        stream.synchronize().unwrap();
        assert!(event.query().unwrap() && stream.query().unwrap());
        x.fill(&stream, 2).unwrap();
        assert!(!stream.query().unwrap());
        x.fill(&stream, 2).unwrap();
        event.record(&stream).unwrap();
        event.synchronize().unwrap();
        assert!(event.query().unwrap());
        let host = PinnedBuffer::<u32>::zeroed(&context, 1000).unwrap();
        let transfer = stream.download(&x, host).unwrap();
        assert!(!transfer.is_done().unwrap());
        assert_eq!(format!("{transfer:?}"), "Transfer(1000 elements)");
        stream.synchronize().unwrap();
        assert!(transfer.is_done().unwrap());
        assert!(transfer.wait().unwrap().iter().all(|&value| value == 2));
        x.fill(&stream, 3).unwrap();
        context.synchronize().unwrap();
        assert!(stream.query().unwrap());
    });
}

#[test]
fn events_are_created_with_flags_and_destroyed() {
    traced("", || {
        let (context, stream) = device();
        for (timing, blocking, flags) in [
            (false, false, 0),
            (false, true, 1),
            (true, false, 2),
            (true, true, 3),
        ] {
            let options = EventOptions::default()
                .disable_timing(timing)
                .blocking_sync(blocking);
            assert_eq!(
                (options.disable_timing, options.blocking_sync),
                (timing, blocking)
            );
            let asked = format!("flags={flags})");
            makes("cuEventCreate", &[&asked], || {
                Event::with_options(&context, options).unwrap()
            });
        }
        let event = Event::new(&context).unwrap();
        assert!(format!("{event:?}").starts_with("Event(0x"), "{event:?}");
        makes("cuEventDestroy", &[], || event.close().unwrap());
        let event = Event::new(&context).unwrap();
        makes("cuEventDestroy", &[], || drop(event));
        let event = Event::new(&context).unwrap();
        // SAFETY: `event` outlives the borrow.
        let borrowed = unsafe { Event::borrow_raw(event.as_raw(), &context) };
        assert!(made("cuEventDestroy", || borrowed.close().unwrap()).is_empty());
        let (start, end) = (Event::new(&context).unwrap(), Event::new(&context).unwrap());
        start.record(&stream).unwrap();
        end.record(&stream).unwrap();
        failure(end.elapsed_ms_since(&start)).detail_contains("synchronize");
        end.synchronize().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
        let late = Event::new(&context).unwrap();
        late.record(&stream).unwrap();
        late.synchronize().unwrap();
        let ms = late.elapsed_ms_since(&start).unwrap();
        let duration = late.duration_since(&start).unwrap();
        assert!(ms >= 15.0, "{ms}");
        assert!(
            (duration.as_secs_f64() * 1e3 - f64::from(ms)).abs() < 1e-3,
            "{duration:?}, {ms}"
        );
        assert!(start.duration_since(&late).unwrap().is_zero());
        failure(Event::new(&context).unwrap().elapsed_ms_since(&start))
            .detail_contains("never recorded");
    });
}

#[test]
fn streams_are_created_with_flags_and_priority() {
    traced("", || {
        let (context, _) = device();
        let options = StreamOptions::default().priority(-3);
        let stream = Stream::with_options(&context, options).unwrap();
        assert_eq!(stream.priority().unwrap(), -3);
        assert!(!stream.is_blocking().unwrap());
        let blocking = Stream::with_options(&context, options.blocking(true)).unwrap();
        assert!(blocking.is_blocking().unwrap());
        assert_eq!(blocking.priority().unwrap(), -3);
    });
}

#[test]
fn stream_waits_for_another_but_not_for_itself() {
    traced("", || {
        let (context, a) = device();
        let b = Stream::new(&context).unwrap();
        let event = |call: &[String]| call[0].split_once("hEvent=").unwrap().1[..18].to_owned();
        let mut recorded = Vec::new();
        let waits = made("cuStreamWaitEvent", || {
            recorded = made("cuEventRecord", || a.wait_stream(&b).unwrap());
        });
        assert_eq!((waits.len(), recorded.len()), (1, 1));
        assert_eq!(event(&waits), event(&recorded));
        assert!(
            waits[0].contains(&format!("hStream={:p}", a.as_raw())),
            "{waits:?}"
        );
        assert!(
            recorded[0].contains(&format!("hStream={:p}", b.as_raw())),
            "{recorded:?}"
        );
        let itself = made("cuStreamWaitEvent", || a.wait_stream(&a).unwrap());
        assert!(itself.is_empty(), "{itself:?}");
    });
}

#[test]
fn stream_of_another_context_is_rejected() {
    traced("", || {
        let (context, stream) = device();
        let created = Context::create(context.device(), ContextFlags::AUTO).unwrap();
        assert!(stream.is_in_context().unwrap());
        // SAFETY: nothing is enqueued, and the stream outlives the borrow.
        let foreign = unsafe { Stream::borrow_raw(stream.as_raw(), &created) };
        assert!(!foreign.is_in_context().unwrap());
    });
}

#[test]
fn streams_of_green_contexts_are_non_blocking() {
    traced("", || {
        let (context, _) = device();
        let all = context.multiprocessors().unwrap();
        let green = GreenContext::new(&context, &[all]).unwrap();
        let stream = green.stream().unwrap();
        let asked = made("cuStreamGetFlags", || {
            // SAFETY: the capture records nothing.
            let graph = unsafe { stream.capture(|_| -> cuda_safe::Result<()> { Ok(()) }) };
            graph.unwrap();
        });
        assert!(asked.is_empty(), "{asked:?}");
    });
}
