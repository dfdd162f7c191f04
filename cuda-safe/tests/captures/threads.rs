//! Captures that overlap with calls of other threads. The tests use only safe methods.

use std::{
    sync::{
        Arc, Barrier, Mutex,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use cuda_safe::{
    Context, DeviceBuffer, Event, In, LaunchConfig, MappedBuffer, Module, PinnedBuffer, Result,
    Stream, StreamOptions,
    array::{ArrayFlags, CudaArray, TexelFormat},
    graph::CaptureMode,
    green::GreenContext,
    launch::ArgumentList,
    memory::{
        MemoryType, Signal, WaitUntil,
        virtual_memory::{AddressRange, PhysicalMemory},
    },
};

use super::{capture_nothing, capture_nothing_in, device, failure, one_at_a_time};

/// An element with the size and alignment of a page, so that some allocations are misaligned.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(4096))]
struct Page([u8; 4096]);

/// Captures `stream` repeatedly while `body` runs on another thread. Every capture must succeed.
fn while_captured(stream: &Stream, captures: usize, body: impl Fn() + Sync) {
    let done = AtomicBool::new(false);
    thread::scope(|threads| {
        threads.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                body();
            }
        });
        for _ in 0..captures {
            capture_nothing(stream, || {
                thread::yield_now();
                Ok(())
            });
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[track_caller]
fn assert_freed(context: &Context, address: u64) {
    let info = context.pointer_info(address).unwrap();
    assert_eq!(info.memory_type, MemoryType::UNKNOWN, "not freed");
}

#[test]
fn copies_on_a_stream_captured_by_another_thread_run_or_fail() {
    let (_one, context, stream) = device();
    let buffer = Mutex::new(DeviceBuffer::<u32>::zeroed(&stream, 256).unwrap());
    let copied = AtomicBool::new(false);
    let turn = std::sync::atomic::AtomicU32::new(0);
    let copy = || {
        let mut buffer = buffer.lock().unwrap();
        let value = turn.fetch_add(1, Ordering::Relaxed);
        let written = buffer.copy_from_slice(&stream, &[value; 256]).is_ok();
        copied.fetch_or(written, Ordering::Relaxed);
        match buffer.to_vec(&stream) {
            Ok(read) if written => assert_eq!(read, [value; 256]),
            Ok(read) => assert!(read.iter().all(|one| *one == read[0])),
            Err(error) => assert!(error.to_string().contains("is being captured"), "{error}"),
        }
        // Allocated and freed, or rejected, but never recorded.
        drop(DeviceBuffer::<u8>::uninit(&stream, 100));
        let pinned = PinnedBuffer::from_slice(&context, &[value; 256]).unwrap();
        if let Ok(upload) = stream.upload(pinned, &mut buffer) {
            upload.wait().unwrap();
        }
    };
    // On a busy machine, the copying thread may not run between captures for a while.
    for _ in 0..20 {
        while_captured(&stream, 2000, copy);
        if copied.load(Ordering::Relaxed) {
            return;
        }
    }
    panic!("no copy ran between captures");
}

#[test]
fn scope_copies_are_not_recorded() {
    let (_one, context, stream) = device();
    let joining = Stream::new(&context).unwrap();
    let mut buffer = DeviceBuffer::<u32>::zeroed(&joining, 4).unwrap();
    let mut host = [0; 4];
    for scoped in [&stream, &joining] {
        let (begin, captured) = (Barrier::new(2), Barrier::new(2));
        thread::scope(|threads| {
            threads.spawn(|| {
                begin.wait();
                capture_nothing(&stream, || {
                    joining.wait_stream(&stream)?;
                    captured.wait();
                    begin.wait();
                    stream.wait_stream(&joining)
                });
            });
            let result = scoped.scope(|scope| {
                begin.wait();
                captured.wait();
                let results = [
                    scope.upload(&[7; 4], &mut buffer),
                    scope.download(&buffer, &mut host),
                ];
                begin.wait();
                for result in results {
                    failure(result)
                        .mentions("Scope::")
                        .mentions("is being captured");
                }
                Ok(())
            });
            result.unwrap(); // after the other thread's capture has ended
        });
    }
    assert_eq!(buffer.to_vec(&joining).unwrap(), [0; 4]);
    assert_eq!(host, [0; 4]);
}

#[test]
fn default_stream_copy_waits_or_fails_while_blocking_streams_are_captured() {
    let _one = one_at_a_time();
    let context = Context::primary(0).unwrap();
    let blocking = Stream::with_options(&context, StreamOptions::default().blocking(true)).unwrap();
    let legacy = Stream::legacy_default(&context);
    let buffer = Mutex::new(DeviceBuffer::<u32>::zeroed(&blocking, 1024).unwrap());
    while_captured(&blocking, 2000, || {
        let mut buffer = buffer.lock().unwrap();
        if buffer.copy_from_slice(&legacy, &[3; 1024]).is_ok() {
            thread::yield_now();
        }
        if let Ok(read) = buffer.to_vec(&legacy) {
            assert!(read.iter().all(|one| *one == read[0]));
        }
    });
}

#[test]
fn arrays_and_modules_can_be_dropped_during_captures() {
    let (_one, context, stream) = device();
    let ptx = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry nothing() { ret; }";
    while_captured(&stream, 2000, || {
        let format = TexelFormat::of::<f32>();
        drop(CudaArray::new(&context, format, [8, 8], ArrayFlags::default()).unwrap());
        drop(Module::from_ptx(&context, ptx).unwrap());
        let _ = context.synchronize();
    });
}

#[test]
fn green_contexts_reject_waits_during_captures() {
    let _one = one_at_a_time();
    let context = Context::primary(0).unwrap();
    let all = context.multiprocessors().unwrap();
    let green = GreenContext::new(&context, &[all]).unwrap();
    let event = Event::without_timing(&context).unwrap();
    for stream in [green.stream().unwrap(), Stream::new(&context).unwrap()] {
        capture_nothing_in(CaptureMode::RELAXED, &stream, || {
            for rejected in [
                green.synchronize(),
                green.record(&event),
                green.wait_event(&event),
            ] {
                failure(rejected).mentions("is being captured");
            }
            Ok(())
        });
        while_captured(&stream, 200, || {
            let _ = green.synchronize();
            let _ = green.record(&event);
            let _ = green.wait_event(&event);
        });
    }
    green.synchronize().unwrap();
    green.record(&event).unwrap();
    green.wait_event(&event).unwrap();
}

#[test]
fn mappings_can_be_dropped_during_captures() {
    let (_one, context, stream) = device();
    let unit = PhysicalMemory::unit(&context).unwrap();
    let range = AddressRange::reserve(&context, unit).unwrap();
    let memory = PhysicalMemory::new(&context, unit).unwrap();
    while_captured(&stream, 1000, || {
        // A mapping whose release is delayed keeps its addresses until the capture has ended.
        if let Ok(mapping) = range.map(0, &memory) {
            drop(mapping);
        }
    });
    range.map(0, &memory).unwrap().close().unwrap();
}

#[test]
fn failed_launch_waits_for_its_copies_before_a_capture() {
    let (_one, context, stream) = device();
    let parameters: Vec<String> = (0..300).map(|i| format!(".param .u64 p{i}")).collect();
    let ptx = format!(
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry nothing({}) {{ ret; }}",
        parameters.join(", ")
    );
    let nothing = Module::from_ptx(&context, &ptx).unwrap();
    let nothing = nothing.function("nothing").unwrap();
    let (numbers, page) = ([7u32; 16], [Page([0; 4096])]);
    let mut failed = 0;
    // The capture begins at different times while the launch prepares its arguments.
    for delay in (0..2000).step_by(20).map(Duration::from_micros) {
        let (begin, launched) = (Barrier::new(2), AtomicBool::new(false));
        thread::scope(|threads| {
            threads.spawn(|| {
                begin.wait();
                let start = Instant::now();
                while start.elapsed() < delay {
                    thread::yield_now();
                }
                capture_nothing(&stream, || {
                    let start = Instant::now();
                    while !launched.load(Ordering::SeqCst) {
                        assert!(
                            start.elapsed() < Duration::from_secs(10),
                            "the launch waits for the capture"
                        );
                        thread::yield_now();
                    }
                    Ok(())
                });
            });
            let mut arguments = ArgumentList::new();
            for _ in 0..299 {
                arguments.push(In(&numbers));
            }
            arguments.push(In(&page)); // rejected if its memory happens to be misaligned
            begin.wait();
            // SAFETY: the kernel touches no memory.
            let result =
                unsafe { nothing.launch_list(&stream, LaunchConfig::new(1, 1), arguments) };
            launched.store(true, Ordering::SeqCst);
            let misaligned = |error: cuda_safe::Error| error.to_string().contains("Page");
            failed += usize::from(result.is_err_and(misaligned));
        });
    }
    let is_emulated = context.device().name().unwrap().contains("emulator");
    assert!(failed > 0 || !is_emulated, "no launch has failed");
}

#[test]
fn idle_capture_delays_only_affected_calls() {
    let (_one, context, stream) = device();
    let other = Stream::new(&context).unwrap();
    let free = || context.memory_info().unwrap().free;
    let captured = DeviceBuffer::<u8>::zeroed(&stream, 64 << 20).unwrap();
    let elsewhere = MappedBuffer::<u8>::zeroed(&other, 100).unwrap();
    stream.synchronize().unwrap();
    let (sleeping, wake) = (Barrier::new(2), Barrier::new(2));
    thread::scope(|threads| {
        threads.spawn(|| {
            capture_nothing(&stream, || {
                sleeping.wait();
                wake.wait();
                Ok(())
            });
        });
        sleeping.wait();
        let before = free();
        // Far more than the device holds at once.
        let piece = 1 << 30;
        let pieces = context.memory_info().unwrap().total / (1 << 30) + 2;
        for _ in 0..pieces {
            let buffer = DeviceBuffer::<u8>::uninit(&other, piece);
            match buffer {
                Ok(buffer) => buffer.close().unwrap(),
                Err(error) => panic!("earlier memory was not freed: {error}"),
            }
        }
        elsewhere.close().unwrap();
        captured.close().unwrap(); // freed after the capture
        assert!(free() <= before);
        wake.wait();
    });
    stream.synchronize().unwrap();
}

#[test]
fn signal_dropped_in_a_capture_is_released() {
    let (_one, context, stream) = device();
    let signal = Signal::<u32>::new(&context, 0).unwrap();
    stream.wait_signal(&signal, WaitUntil::EQUAL, 1).unwrap();
    signal.set(1);
    stream.synchronize().unwrap();
    let address = signal.device_ptr();
    capture_nothing(&stream, || {
        drop(signal);
        Ok(())
    });
    assert_freed(&context, address);
}

#[test]
fn capture_waits_for_threads_that_wait_for_its_stream() {
    let (_one, _, stream) = device();
    let begun = Barrier::new(2);
    let (go, gone) = mpsc::channel::<()>();
    // Set by the stream, because the waiting thread may be slow to notice the end of its wait.
    let over = Arc::new(AtomicBool::new(false));
    let ends = over.clone();
    stream
        .launch_host_function(move || {
            gone.recv().unwrap();
            ends.store(true, Ordering::SeqCst);
        })
        .unwrap();
    thread::scope(|threads| {
        threads.spawn(|| {
            begun.wait();
            stream.synchronize().unwrap();
        });
        begun.wait();
        threads.spawn(move || {
            thread::sleep(Duration::from_millis(100));
            go.send(()).unwrap();
        });
        thread::sleep(Duration::from_millis(50));
        // SAFETY: the capture records nothing.
        let graph = unsafe { stream.capture(|_| -> Result<()> { Ok(()) }) };
        assert!(over.load(Ordering::SeqCst), "the capture did not wait");
        drop(graph.unwrap());
    });
}

#[test]
fn capture_inside_ordered_with_is_rejected() {
    let (_one, context, stream) = device();
    let other = Stream::new(&context).unwrap();
    let owner = DeviceBuffer::<u8>::zeroed(&other, 1).unwrap();
    failure(stream.ordered_with([owner.view().owner()], || {
        // SAFETY: the capture records nothing.
        unsafe { stream.capture(|_| -> Result<()> { Ok(()) }) }.map(drop)
    }))
    .mentions("Stream::ordered_with");
}

#[test]
fn global_capture_survives_safe_calls_of_other_threads() {
    let (_one, context, stream) = device();
    let other = Stream::new(&context).unwrap();
    let mut buffer = DeviceBuffer::<u32>::zeroed(&other, 4).unwrap();
    let pinned = PinnedBuffer::<u32>::zeroed(&context, 4).unwrap();
    let (captured, done) = (Barrier::new(2), Barrier::new(2));
    thread::scope(|threads| {
        threads.spawn(|| {
            capture_nothing_in(CaptureMode::GLOBAL, &stream, || {
                captured.wait();
                done.wait();
                Ok(())
            });
        });
        captured.wait();
        for result in [
            other.synchronize(),
            buffer.copy_from_slice(&other, &[1; 4]),
            DeviceBuffer::<u8>::uninit(&other, 1).map(drop),
            PinnedBuffer::<u8>::zeroed(&context, 1).map(drop),
        ] {
            failure(result).mentions("is being captured");
        }
        pinned.close().unwrap();
        done.wait();
    });
    buffer.copy_from_slice(&other, &[1; 4]).unwrap();
}

/// The scope waits for its stream, which would be impossible during the capture.
#[test]
fn stream_cannot_join_a_capture_within_its_scope() {
    let _one = one_at_a_time();
    let context = Context::primary(0).unwrap();
    let captured = Stream::new(&context).unwrap();
    let scoped = Stream::new(&context).unwrap();
    let mut buffer = DeviceBuffer::<u32>::zeroed(&scoped, 4).unwrap();
    let mut mapped = vec![0u32; 1024];
    capture_nothing_in(CaptureMode::RELAXED, &captured, || {
        let joined = scoped.scope(|scope| {
            scope.upload(&[7; 4], &mut buffer)?;
            scoped.wait_stream(&captured)
        });
        failure(joined).mentions("cannot join a capture here");
        let options = cuda_safe::memory::RegisterFlags::default();
        let joined = scoped.mapped(&mut mapped, options, |_| scoped.wait_stream(&captured));
        failure(joined).mentions("cannot join a capture here");
        Ok(())
    });
    assert_eq!(buffer.to_vec(&scoped).unwrap(), [7; 4]);
}

/// A thread that captures one stream waits for another thread's capture of the stream that it
/// copies on.
#[test]
fn scope_waits_for_the_capture_of_another_thread() {
    let _one = one_at_a_time();
    let context = Context::primary(0).unwrap();
    let own = Stream::new(&context).unwrap();
    let copied = Stream::new(&context).unwrap();
    let mut buffer = DeviceBuffer::<u32>::zeroed(&copied, 4).unwrap();
    let (begin, captured) = (Barrier::new(2), Barrier::new(2));
    thread::scope(|threads| {
        threads.spawn(|| {
            begin.wait();
            capture_nothing_in(CaptureMode::RELAXED, &copied, || {
                captured.wait();
                thread::sleep(Duration::from_millis(50));
                Ok(())
            });
        });
        capture_nothing_in(CaptureMode::RELAXED, &own, || {
            copied.scope(|scope| {
                scope.upload(&[5; 4], &mut buffer)?;
                begin.wait();
                captured.wait();
                Ok(())
            })
        });
    });
    assert_eq!(buffer.to_vec(&copied).unwrap(), [5; 4]);
}

/// Waits, queries and allocations of other threads succeed or fail, and never invalidate a global
/// capture.
#[test]
fn waits_of_other_threads_never_invalidate_global_captures() {
    let (_one, context, stream) = device();
    let other = Stream::new(&context).unwrap();
    let event = other.record_event().unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|threads| {
        for caller in 0..2 {
            let (context, other, event, done) = (&context, &other, &event, &done);
            threads.spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    match caller {
                        0 => {
                            let _ = other.synchronize();
                            let _ = event.query();
                            drop(DeviceBuffer::<u8>::uninit(other, 100));
                        }
                        _ => {
                            let _ = event.synchronize();
                            drop(PinnedBuffer::<u8>::zeroed(context, 100));
                        }
                    }
                }
            });
        }
        for _ in 0..500 {
            // SAFETY: the capture records nothing.
            let graph = unsafe {
                stream.capture_with_mode(CaptureMode::GLOBAL, |_| -> Result<()> {
                    thread::yield_now();
                    Ok(())
                })
            };
            let graph = graph.inspect_err(|_| done.store(true, Ordering::Relaxed));
            assert_eq!(graph.unwrap().nodes().unwrap().len(), 0);
        }
        done.store(true, Ordering::Relaxed);
    });
}

/// A call in a host function fails at once, even while a capture waits for a thread that waits for
/// the function.
#[test]
fn call_in_a_host_function_does_not_wait_for_captures() {
    let (_one, _, stream) = device();
    let (go, gone) = mpsc::channel::<()>();
    let own = stream.clone();
    stream
        .launch_host_function(move || {
            gone.recv().unwrap();
            failure(DeviceBuffer::<u8>::zeroed(&own, 1)).mentions("must not call CUDA");
        })
        .unwrap();
    thread::scope(|threads| {
        threads.spawn(|| stream.synchronize().unwrap());
        thread::sleep(Duration::from_millis(30));
        threads.spawn(|| {
            // SAFETY: the capture records nothing.
            let graph = unsafe { stream.capture(|_| -> Result<()> { Ok(()) }) };
            drop(graph.unwrap());
        });
        thread::sleep(Duration::from_millis(30));
        go.send(()).unwrap();
    });
}

/// An object that a host function dropped does not make the next drop wait for its stream.
#[test]
fn delayed_release_does_not_block_other_drops() {
    let (_one, context, stream) = device();
    let busy = Stream::new(&context).unwrap();
    let mapped = MappedBuffer::<u8>::zeroed(&busy, 100).unwrap();
    let signal = Signal::<u32>::new(&context, 0).unwrap();
    busy.wait_signal(&signal, WaitUntil::EQUAL, 1).unwrap();
    stream.launch_host_function(move || drop(mapped)).unwrap();
    stream.synchronize().unwrap();
    drop(stream.record_event().unwrap());
    signal.set(1);
    busy.synchronize().unwrap();
}

/// Memory of a thread's per-thread default stream that is dropped in a capture is freed by another
/// thread.
#[test]
fn memory_of_a_per_thread_stream_is_freed_after_the_capture() {
    let _one = one_at_a_time();
    let context = Context::primary(0).unwrap();
    let address = thread::scope(|threads| {
        let capturing = threads.spawn(|| {
            let own = Stream::per_thread_default(&context);
            let buffer = DeviceBuffer::<u8>::zeroed(&own, 1000).unwrap();
            let address = buffer.as_device_ptr();
            own.synchronize().unwrap();
            capture_nothing_in(CaptureMode::RELAXED, &own, || {
                drop(buffer);
                // Meanwhile, another thread releases an object.
                thread::scope(|threads| {
                    threads.spawn(|| drop(cuda_safe::Event::new(&context).unwrap()));
                });
                Ok(())
            });
            address
        });
        capturing.join().unwrap()
    });
    context.synchronize().unwrap();
    assert_freed(&context, address);
}

#[test]
fn memory_of_another_threads_default_stream_is_freed_after_a_capture() {
    let (_one, context, stream) = device();
    let allocate = || {
        let own = Stream::per_thread_default(&context);
        MappedBuffer::<u8>::zeroed(&own, 100).unwrap()
    };
    let mapped = thread::scope(|threads| threads.spawn(allocate).join().unwrap());
    let address = mapped.as_device_ptr();
    capture_nothing(&stream, || {
        drop(mapped);
        Ok(())
    });
    assert_freed(&context, address);
}

#[test]
fn legacy_stream_allocation_is_rejected_while_a_blocking_stream_is_captured() {
    let _one = one_at_a_time();
    let context = Context::primary(0).unwrap();
    let blocking = Stream::with_options(&context, StreamOptions::default().blocking(true)).unwrap();
    let other = Stream::new(&context).unwrap();
    let legacy = Stream::legacy_default(&context);
    let mut buffer = DeviceBuffer::<u32>::zeroed(&legacy, 4).unwrap();
    capture_nothing(&blocking, || {
        failure(buffer.fill(&other, 1)).mentions("is being captured");
        Ok(())
    });
    buffer.fill(&other, 1).unwrap();
    assert_eq!(buffer.to_vec(&other).unwrap(), [1; 4]);
}
