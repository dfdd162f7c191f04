//! Which driver calls the methods make: those that they stand for, once, and with what they were given. Told by the
//! emulator's trace. Each test runs in a process of its own, which must leak nothing.

use cuda_emulator as _; // linked in: these tests never use a GPU

#[path = "common/child.rs"]
mod child;

use child::{calls, passes, traced};
use cuda_safe::{
    CacheConfig, Context, ContextFlags, Device, DeviceBuffer, DeviceView, ErrorKind, Event,
    EventOptions, Function, FunctionAttribute, In, InOut, JitOptions, LaunchConfig, Limit,
    ManagedBuffer, MemoryPool, Module, Out, PinnedBuffer, PinnedFlags, Stream, StreamOptions,
    driver,
    sys::{self, CUresult},
};

const PTX: &str = ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry set(.param .u64 p) {\n\
    .reg .u64 %a;\n.reg .u32 %v;\nld.param.u64 %a, [p];\nmov.u32 %v, 7;\nst.global.u32 [%a], %v;\nret;\n}\n";

fn device() -> (Context, Stream) {
    let context = Context::primary(0).unwrap();
    let stream = Stream::new(&context).unwrap();
    (context, stream)
}

/// What `act` has added to the calls of `function`.
#[track_caller]
fn made<R>(function: &str, act: impl FnOnce() -> R) -> Vec<String> {
    let before = calls(function).len();
    act();
    calls(function).split_off(before)
}

/// `act` makes one call of `function`, which succeeds and has all of `arguments`.
#[track_caller]
fn makes<R>(function: &str, arguments: &[&str], act: impl FnOnce() -> R) {
    let made = made(function, act);
    assert_eq!(made.len(), 1, "{function}: {made:?}");
    assert!(made[0].contains(") = CUDA_SUCCESS"), "{made:?}");
    for argument in arguments {
        assert!(made[0].contains(argument), "no {argument} in {made:?}");
    }
}

#[test]
fn a_primary_context_is_retained_once_a_device() {
    traced("a_primary_context_is_retained_once_a_device", "", || {
        let retain = "cuDevicePrimaryCtxRetain(";
        for _ in 0..2 {
            let first = Context::primary(0).unwrap();
            let again = Context::primary_of(Device::get(0).unwrap()).unwrap();
            let second = Context::primary(1).unwrap();
            assert_eq!(first, again);
            assert_ne!(first, second);
            assert_eq!(first.device().ordinal(), 0);
            assert_eq!(second.device().ordinal(), 1);
            assert_eq!(second.device().as_raw(), 1);
            assert!(made(retain, || Context::primary(1).unwrap()).is_empty());
        }
        assert_eq!(calls(retain).len(), 4);
        assert_eq!(calls("cuDevicePrimaryCtxRelease").len(), 4);
        assert_eq!(Device::count().unwrap(), 2);
        assert_eq!(Device::all().unwrap().len(), 2);
    });
}

#[test]
fn contexts_are_set_up_as_asked() {
    traced("contexts_are_set_up_as_asked", "", || {
        let flags = ContextFlags::BLOCKING_SYNC | ContextFlags::LMEM_RESIZE_TO_MAX;
        assert_eq!(flags, ContextFlags(20));
        assert_eq!(flags | ContextFlags::BLOCKING_SYNC, flags);
        let device = Device::get(0).unwrap();
        makes("cuDevicePrimaryCtxSetFlags", &["flags=20)"], || {
            Context::set_primary_flags(device, flags).unwrap()
        });
        let context = Context::primary_of(device).unwrap();
        assert_eq!(context.flags().unwrap(), flags);
        makes("cuCtxSetCacheConfig", &[], || {
            context.set_cache_config(CacheConfig::SHARED).unwrap()
        });
        assert_eq!(context.cache_config().unwrap(), CacheConfig::SHARED);
        context.set_limit(Limit::STACK_SIZE, 4096).unwrap();
        assert_eq!(context.limit(Limit::STACK_SIZE).unwrap(), 4096);
        assert_eq!(context.limit(Limit::PRINTF_FIFO_SIZE).unwrap(), 1 << 20);
        let (mut least, mut greatest) = (9, 9);
        context.set_current().unwrap();
        // SAFETY: both are valid for the write.
        let code = unsafe { sys::cuCtxGetStreamPriorityRange(&mut least, &mut greatest) };
        assert_eq!(code, CUresult::CUDA_SUCCESS);
        assert_eq!(context.stream_priority_range().unwrap(), (least, greatest));
        makes("cuCtxSynchronize", &[], || context.synchronize().unwrap());
        assert!(format!("{context:?}").contains("device 0"), "{context:?}");
        Context::set_primary_flags(device, ContextFlags::AUTO).unwrap();
    });
}

#[test]
fn contexts_end_when_their_last_hold_goes() {
    traced("contexts_end_when_their_last_hold_goes", "", || {
        let create = || Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
        let context = create();
        let held = context.clone();
        assert!(made("cuCtxDestroy", || context.close().unwrap()).is_empty());
        makes("cuCtxDestroy", &[], || held.close().unwrap());
        let context = create();
        makes("cuCtxDestroy", &[], || drop(context));
        let context = create();
        // SAFETY: `context` outlives it.
        let borrowed = unsafe { Context::borrow_raw(context.as_raw()).unwrap() };
        assert!(made("cuCtxDestroy", || borrowed.close().unwrap()).is_empty());
        makes("cuCtxDestroy", &[], || drop(context));
        let primary = Context::primary(0).unwrap();
        makes("cuDevicePrimaryCtxRelease", &[], || {
            primary.close().unwrap()
        });
    });
}

#[test]
fn a_context_that_is_current_is_not_pushed() {
    traced("a_context_that_is_current_is_not_pushed", "", || {
        let (context, stream) = device();
        let created = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
        // The thread has none: it gets this one and keeps it.
        assert!(made("cuCtxPushCurrent", || context.memory_info().unwrap()).is_empty());
        assert_eq!(calls("cuCtxSetCurrent").len(), 1);
        assert!(made("cuCtxPushCurrent", || stream.synchronize().unwrap()).is_empty());
        // Another is pushed for the time of the call.
        makes("cuCtxPushCurrent", &[], || {
            makes("cuCtxPopCurrent", &[], || created.memory_info().unwrap());
        });
        created.set_current().unwrap();
        makes("cuCtxPushCurrent", &[], || stream.synchronize().unwrap());
        let mut current = std::ptr::null_mut();
        // SAFETY: `current` is valid for the write.
        let code = unsafe { sys::cuCtxGetCurrent(&mut current) };
        assert_eq!(code, CUresult::CUDA_SUCCESS);
        assert_eq!(current, created.as_raw());
        drop(created);
    });
    // What can't be asked is pushed.
    traced(
        "a_context_that_is_current_is_not_pushed",
        "cuCtxGetCurrent:2:CUDA_ERROR_UNKNOWN",
        || {
            let context = Context::primary(0).unwrap();
            context.memory_info().unwrap();
            makes("cuCtxPushCurrent", &[], || context.memory_info().unwrap());
        },
    );
}

#[test]
fn streams_end_when_their_last_hold_goes() {
    traced("streams_end_when_their_last_hold_goes", "", || {
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
        let borrowed = unsafe { Stream::borrow_raw(&context, std::ptr::null_mut()) };
        assert!(made(destroy, || borrowed.close().unwrap()).is_empty());
        assert!(made(destroy, || drop(Stream::legacy_default(&context))).is_empty());
        let stream = Stream::new(&context).unwrap();
        let raw = stream.as_raw();
        assert!(made(destroy, || stream.into_raw().unwrap()).is_empty());
        // SAFETY: handed over by the line above, and destroyed once.
        let code = unsafe { sys::cuStreamDestroy_v2(raw) };
        assert_eq!(code, CUresult::CUDA_SUCCESS);
    });
}

#[test]
fn streams_are_equal_when_they_are_the_same_queue() {
    passes("streams_are_equal_when_they_are_the_same_queue", "", || {
        let (context, a) = device();
        let b = Stream::new(&context).unwrap();
        assert_ne!(a, b);
        // SAFETY: `a` is held for longer.
        assert_eq!(unsafe { Stream::borrow_raw(&context, a.as_raw()) }, a);
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
fn a_default_stream_is_the_context_s_own_in_a_launch() {
    passes(
        "a_default_stream_is_the_context_s_own_in_a_launch",
        "",
        || {
            let created = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
            let primary = Context::primary(0).unwrap();
            let set = Module::from_ptx(&created, PTX)
                .unwrap()
                .function("set")
                .unwrap();
            let x = DeviceBuffer::<u32>::zeroed(&Stream::legacy_default(&created), 1).unwrap();
            primary.set_current().unwrap();
            for stream in [
                Stream::legacy_default(&created),
                Stream::per_thread_default(&created),
            ] {
                // SAFETY: the kernel writes one number; the wait orders the streams.
                unsafe { set.launch(&stream, LaunchConfig::new(1, 1), (&x,)) }.unwrap();
                stream.synchronize().unwrap();
            }
            assert_eq!(x.to_vec(&Stream::legacy_default(&created)).unwrap(), [7]);
        },
    );
    traced(
        "a_default_stream_is_the_context_s_own_in_a_launch",
        "",
        || {
            let (context, stream) = device();
            let set = Module::from_ptx(&context, PTX)
                .unwrap()
                .function("set")
                .unwrap();
            let mut x = DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap();
            set.parameters().unwrap();
            // SAFETY: the kernel writes one number.
            let mut launch = |stream: &Stream| unsafe {
                set.launch(stream, LaunchConfig::new(1, 1), (&mut x,))
                    .unwrap();
            };
            // A created stream knows its context; a default one is asked about.
            assert!(made("cuCtxGetCurrent", || launch(&stream)).is_empty());
            makes("cuCtxGetCurrent", &[], || {
                launch(&Stream::legacy_default(&context))
            });
            makes("cuCtxGetCurrent", &[], || {
                launch(&Stream::per_thread_default(&context))
            });
            stream.synchronize().unwrap();
            context.synchronize().unwrap();
        },
    );
}

#[test]
fn queries_say_what_is_not_done() {
    passes("queries_say_what_is_not_done", "", || {
        let (context, stream) = device();
        let mut x = DeviceBuffer::<u32>::uninit(&stream, 1000).unwrap();
        let event = Event::new(&context).unwrap();
        x.fill(&stream, 1).unwrap();
        event.record(&stream).unwrap();
        // A query opens the stream, so that there is one at a time.
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
fn events_are_made_as_asked_and_end() {
    traced("events_are_made_as_asked_and_end", "", || {
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
        // SAFETY: `event` is held for longer.
        let borrowed = unsafe { Event::borrow_raw(&context, event.as_raw()) };
        assert!(made("cuEventDestroy", || borrowed.close().unwrap()).is_empty());
        let (start, end) = (Event::new(&context).unwrap(), Event::new(&context).unwrap());
        start.record(&stream).unwrap();
        end.record(&stream).unwrap();
        let early = end.elapsed_ms_since(&start).unwrap_err();
        assert!(early.detail().contains("synchronize"), "{early}");
        end.synchronize().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
        let late = Event::new(&context).unwrap();
        late.record(&stream).unwrap();
        late.synchronize().unwrap();
        let (ms, duration) = (
            late.elapsed_ms_since(&start).unwrap(),
            late.duration_since(&start).unwrap(),
        );
        assert!(ms >= 15.0, "{ms}");
        assert!(
            (duration.as_secs_f64() * 1e3 - f64::from(ms)).abs() < 1e-3,
            "{duration:?}, {ms}"
        );
        assert!(start.duration_since(&late).unwrap().is_zero());
        let never = Event::new(&context)
            .unwrap()
            .elapsed_ms_since(&start)
            .unwrap_err();
        assert!(never.detail().contains("never recorded"), "{never}");
    });
}

#[test]
fn device_memory_is_freed_once() {
    traced("device_memory_is_freed_once", "", || {
        let (context, stream) = device();
        let free = "cuMemFreeAsync";
        let buffer = DeviceBuffer::<u32>::zeroed(&stream, 4).unwrap();
        assert!(
            format!("{buffer:?}").ends_with(", 4 elements)"),
            "{buffer:?}"
        );
        makes(free, &[], || buffer.close().unwrap());
        let mut buffer = DeviceBuffer::<u32>::zeroed(&stream, 4).unwrap();
        for text in [
            format!("{:?}", buffer.view()),
            format!("{:?}", buffer.view_mut()),
        ] {
            assert!(
                text.starts_with("DeviceView") && text.ends_with(", 4 elements)"),
                "{text}"
            );
        }
        assert!(made(free, || buffer.view_mut()).is_empty());
        let raw = buffer.as_device_ptr();
        assert!(made(free, || assert_eq!(buffer.into_raw(), raw)).is_empty());
        // SAFETY: handed over by the line above.
        let buffer = unsafe { DeviceBuffer::<u32>::from_raw(&stream, raw, 4) };
        makes(free, &[], || drop(buffer));
        // Nothing is nobody's.
        // SAFETY: no elements.
        let nothing = unsafe { DeviceBuffer::<u32>::from_raw(&stream, 0, 0) };
        assert!(made("cuMemFree", || nothing.close().unwrap()).is_empty());
        assert!(
            made("cuMemFree", || DeviceBuffer::<u32>::zeroed(&stream, 0)
                .unwrap())
            .is_empty()
        );
        // A per-thread stream's memory elsewhere: there is no order to free it in.
        let own = Stream::per_thread_default(&context);
        let buffer = DeviceBuffer::<u32>::zeroed(&own, 4).unwrap();
        std::thread::spawn(move || {
            makes("cuMemFree_v2", &[], || buffer.close().unwrap());
        })
        .join()
        .unwrap();
    });
}

#[test]
fn views_keep_the_stream_and_the_context() {
    passes("views_keep_the_stream_and_the_context", "", || {
        let (context, stream) = device();
        let other = Stream::new(&context).unwrap();
        let mut buffer = DeviceBuffer::<u32>::zeroed(&stream, 8).unwrap();
        {
            let view = buffer.view();
            let (head, tail) = view.split_at(3).unwrap();
            for part in [view, head, tail, view.slice(1..).unwrap()] {
                assert_eq!(part.stream(), Some(&stream));
            }
            assert_eq!((head.len(), tail.len()), (3, 5));
        }
        {
            let mut view = buffer.view_mut();
            assert_eq!(view.stream(), Some(&stream));
            assert_eq!(view.view().stream(), Some(&stream));
            assert_eq!(view.slice_mut(1..).unwrap().stream(), Some(&stream));
            assert_eq!(view.view_mut().stream(), Some(&stream));
            let (head, tail) = view.split_at_mut(3).unwrap();
            assert_eq!(
                (head.stream(), tail.stream()),
                (Some(&stream), Some(&stream))
            );
            assert_eq!(tail.as_device_ptr() - head.as_device_ptr(), 12);
            assert_eq!((head.len(), tail.len()), (3, 5));
        }
        // So work elsewhere is ordered with it: the fill is held until somebody waits.
        buffer.fill(&stream, 7).unwrap();
        assert_eq!(buffer.slice(2..4).unwrap().to_vec(&other).unwrap(), [7, 7]);
        buffer.slice_mut(..4).unwrap().fill(&other, 9).unwrap();
        assert_eq!(buffer.to_vec(&stream).unwrap(), [9, 9, 9, 9, 7, 7, 7, 7]);
        // SAFETY: the buffer's own memory; nothing is enqueued on it.
        let unordered =
            unsafe { DeviceView::<u32>::borrow_raw(buffer.as_device_ptr(), 8, &context) };
        assert_eq!(unordered.stream(), None);
        assert_eq!(unordered.owner().context(), &context);
    });
}

#[test]
fn page_locked_memory_is_made_as_asked_and_freed_once() {
    traced(
        "page_locked_memory_is_made_as_asked_and_freed_once",
        "",
        || {
            let (context, _) = device();
            let flags = PinnedFlags::PORTABLE | PinnedFlags::WRITE_COMBINED;
            assert_eq!(flags, PinnedFlags(5));
            assert_eq!(flags | PinnedFlags::PORTABLE, flags);
            let free = "cuMemFreeHost";
            let buffer = PinnedBuffer::<u32>::with_flags(&context, 4, flags).unwrap();
            assert!(
                calls("cuMemHostAlloc")[0].contains("flags=5)"),
                "{:?}",
                calls("cuMemHostAlloc")
            );
            assert!(
                format!("{buffer:?}").ends_with(", 4 elements)"),
                "{buffer:?}"
            );
            makes(free, &[], || buffer.close().unwrap());
            let buffer = PinnedBuffer::<[u32; 2]>::zeroed(&context, 1).unwrap();
            let mut raw = None;
            assert!(made(free, || raw = Some(buffer.into_raw())).is_empty());
            // SAFETY: handed over by the line above.
            let buffer = unsafe { PinnedBuffer::from_raw(&context, raw.unwrap(), 1) };
            assert_ne!(buffer.device_ptr().unwrap(), 0);
            makes(free, &[], || drop(buffer));
            let nothing = PinnedBuffer::<u32>::zeroed(&context, 0).unwrap();
            let dangling = nothing.into_raw();
            // SAFETY: no elements.
            let nothing = unsafe { PinnedBuffer::from_raw(&context, dangling, 0) };
            assert!(made(free, || nothing.close().unwrap()).is_empty());
        },
    );
}

#[test]
fn host_memory_that_can_not_be_locked_is_told_so() {
    passes(
        "host_memory_that_can_not_be_locked_is_told_so",
        "cuMemHostAlloc:1:CUDA_ERROR_OUT_OF_MEMORY",
        || {
            let (context, _) = device();
            let error = PinnedBuffer::<u32>::zeroed(&context, 250).unwrap_err();
            assert_eq!(*error.kind(), ErrorKind::Driver, "{error}");
            assert!(error.to_string().contains("1000 bytes"), "{error}");
            assert!(error.to_string().contains("ulimit -l"), "{error}");
        },
    );
}

#[test]
fn pools_are_set_and_trimmed() {
    traced("pools_are_set_and_trimmed", "", || {
        let (context, _) = device();
        let pool = MemoryPool::current(&context).unwrap();
        let mut raw = std::ptr::null_mut();
        // SAFETY: `raw` is valid for the write.
        let code = unsafe { sys::cuDeviceGetMemPool(&mut raw, 0) };
        assert_eq!((code, raw), (CUresult::CUDA_SUCCESS, pool.as_raw()));
        assert_eq!(pool.release_threshold().unwrap(), 0);
        pool.set_release_threshold(12345).unwrap();
        assert_eq!(pool.release_threshold().unwrap(), 12345);
        pool.set_release_threshold(0).unwrap();
        makes("cuMemPoolTrimTo", &["=4096"], || {
            pool.trim_to(4096).unwrap()
        });
    });
}

#[test]
fn fills_are_one_call_where_the_driver_has_one() {
    traced("fills_are_one_call_where_the_driver_has_one", "", || {
        let (_, stream) = device();
        let mut bytes = DeviceBuffer::<u8>::uninit(&stream, 24).unwrap();
        makes("cuMemset", &["cuMemsetD8Async"], || {
            bytes.fill(&stream, 3).unwrap()
        });
        makes("cuMemset", &["cuMemsetD8Async"], || {
            bytes.memset_u16(&stream, 0x0303).unwrap()
        });
        makes("cuMemset", &["cuMemsetD16Async"], || {
            bytes.memset_u16(&stream, 0x0304).unwrap()
        });
        makes("cuMemset", &["cuMemsetD32Async"], || {
            bytes.memset_u32(&stream, 0x0304_0506).unwrap()
        });
        makes("cuMemset", &["cuMemsetD8Async"], || {
            bytes.memset_u32(&stream, 0).unwrap()
        });
        assert!(
            made("cuMemset", || DeviceBuffer::<u8>::zeroed(&stream, 0)
                .unwrap())
            .is_empty()
        );
        let mut odd = DeviceBuffer::<[u8; 3]>::uninit(&stream, 5).unwrap();
        let columns = made("cuMemset", || odd.fill(&stream, [1, 2, 3]).unwrap());
        assert_eq!(columns.len(), 3, "{columns:?}");
        assert_eq!(odd.to_vec(&stream).unwrap(), [[1, 2, 3]; 5]);
        let mut wide = DeviceBuffer::<[u32; 3]>::uninit(&stream, 5).unwrap();
        let columns = made("cuMemset", || wide.fill(&stream, [1, 2, 3]).unwrap());
        assert_eq!(columns.len(), 3, "{columns:?}");
        assert_eq!(wide.to_vec(&stream).unwrap(), [[1, 2, 3]; 5]);
        let mut mixed = DeviceBuffer::<[u16; 3]>::uninit(&stream, 5).unwrap();
        let columns = made("cuMemset", || mixed.fill(&stream, [1, 2, 3]).unwrap());
        assert_eq!(columns.len(), 6, "{columns:?}");
        assert_eq!(mixed.to_vec(&stream).unwrap(), [[1, 2, 3]; 5]);
    });
}

#[test]
fn nothing_is_copied_where_there_is_nothing() {
    traced("nothing_is_copied_where_there_is_nothing", "", || {
        let (_, stream) = device();
        let mut empty = DeviceBuffer::<u32>::zeroed(&stream, 0).unwrap();
        let none = made("cuMemcpy", || {
            empty.copy_from_slice(&stream, &[]).unwrap();
            empty.copy_to_slice(&stream, &mut []).unwrap();
            assert!(empty.to_vec(&stream).unwrap().is_empty());
            let other = DeviceBuffer::<u32>::zeroed(&stream, 0).unwrap();
            empty.copy_from(&stream, &other).unwrap();
            empty.fill(&stream, 1).unwrap();
        });
        assert!(none.is_empty(), "{none:?}");
        assert!(calls("cuStreamSynchronize").is_empty());
    });
}

#[test]
fn functions_are_set_up_as_asked() {
    traced("functions_are_set_up_as_asked", "", || {
        let (context, stream) = device();
        let module = Module::from_ptx(&context, PTX).unwrap();
        let set = module.function("set").unwrap();
        makes("cuFuncSetCacheConfig", &[], || {
            set.set_cache_config(CacheConfig::L1).unwrap()
        });
        set.set_max_dynamic_shared(64 << 10).unwrap();
        let most = FunctionAttribute::MAX_DYNAMIC_SHARED_SIZE_BYTES;
        assert_eq!(set.attribute(most).unwrap(), 64 << 10);
        let refused = set.set_max_dynamic_shared(u32::MAX).unwrap_err();
        assert!(refused.detail().contains("`set`"), "{refused}");
        assert!(set.set_max_dynamic_shared(1 << 30).is_err());
        assert!(
            format!("{set:?}").starts_with("Function(set, 0x"),
            "{set:?}"
        );
        assert!(set.max_active_blocks(u32::MAX, 0).is_err());
        // The sizes are read once.
        let config = LaunchConfig::new(1, 1);
        let mut x = DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap();
        // SAFETY: the kernel writes one number.
        let mut launch = || unsafe { set.launch(&stream, config, (&mut x,)).unwrap() };
        assert_eq!(made("cuFuncGetParamInfo", &mut launch).len(), 2);
        assert!(made("cuFuncGetParamInfo", &mut launch).is_empty());
        assert_eq!(made("cuLaunchKernel(", &mut launch).len(), 1);
        // Exactly what is allowed is no misfit.
        let fits = config.shared_bytes(64 << 10);
        // SAFETY: the kernel writes one number.
        unsafe { set.launch(&stream, fits, (&mut x,)).unwrap() };
        // SAFETY: nothing is launched.
        let error = unsafe { set.launch(&stream, fits.shared_bytes((64 << 10) + 4), (&mut x,)) }
            .unwrap_err();
        assert!(error.to_string().contains("65536 allowed"), "{error}");
        stream.synchronize().unwrap();
    });
}

#[test]
fn close_says_what_went_wrong() {
    const TEST: &str = "close_says_what_went_wrong";
    // What could not be released is leaked.
    passes(TEST, "cuEventDestroy:1:CUDA_ERROR_UNKNOWN", || {
        let (context, _) = device();
        let error = Event::new(&context).unwrap().close().unwrap_err();
        assert_eq!(error.call(), "cuEventDestroy_v2");
    });
    passes(TEST, "cuMemFreeAsync:1:CUDA_ERROR_UNKNOWN", || {
        let (_, stream) = device();
        let buffer = DeviceBuffer::<u8>::zeroed(&stream, 1).unwrap();
        assert_eq!(buffer.close().unwrap_err().call(), "cuMemFreeAsync");
    });
    passes(TEST, "cuMemFreeHost:1:CUDA_ERROR_UNKNOWN", || {
        let (context, _) = device();
        let buffer = PinnedBuffer::<u8>::zeroed(&context, 1).unwrap();
        assert_eq!(buffer.close().unwrap_err().call(), "cuMemFreeHost");
    });
    passes(TEST, "cuStreamDestroy:1:CUDA_ERROR_UNKNOWN", || {
        let (context, _stream) = device();
        let error = Stream::new(&context).unwrap().close().unwrap_err();
        assert_eq!(error.call(), "cuStreamDestroy_v2");
    });
    passes(TEST, "cuCtxDestroy:1:CUDA_ERROR_UNKNOWN", || {
        let created = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
        assert_eq!(created.close().unwrap_err().call(), "cuCtxDestroy_v2");
    });
}

#[test]
fn a_driver_that_does_not_tell_parameters_launches_unchecked() {
    traced(
        "a_driver_that_does_not_tell_parameters_launches_unchecked",
        "cuGetProcAddress:1:CUDA_ERROR_NOT_FOUND",
        || {
            let (context, stream) = device();
            let module = Module::from_ptx(&context, PTX).unwrap();
            let told = module.function("set").unwrap();
            // SAFETY: a kernel of this module. Its PTX is not at hand then.
            let set = unsafe { Function::borrow_raw(&module, told.as_raw(), "set") };
            assert_eq!(set.parameters().unwrap(), None);
            let mut x = DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap();
            // SAFETY: the kernel writes one number, and takes no second argument.
            unsafe { set.launch(&stream, LaunchConfig::new(1, 1), (&mut x, 1u32)) }.unwrap();
            assert_eq!(x.to_vec(&stream).unwrap(), [7]);
            // A definite answer is kept.
            assert_eq!(calls("cuGetProcAddress").len(), 1);
            // PTX tells as much.
            let [p] = told.parameters().unwrap().unwrap() else {
                panic!("one parameter");
            };
            assert_eq!((p.offset, p.size), (0, 8));
            // SAFETY: refused before anything is launched.
            let refused = unsafe { told.launch(&stream, LaunchConfig::new(1, 1), (&mut x, 1u32)) };
            let error = refused.unwrap_err();
            assert!(error.to_string().contains("2 arguments"), "{error}");
        },
    );
}

#[test]
fn a_refused_launch_says_why() {
    for code in [
        "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
        "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
        "CUDA_ERROR_INVALID_VALUE",
    ] {
        let fail = format!("cuLaunchKernel:1:{code}");
        traced("a_refused_launch_says_why", &fail, || {
            let (context, stream) = device();
            let set = Module::from_ptx(&context, PTX)
                .unwrap()
                .function("set")
                .unwrap();
            let mut x = DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap();
            // SAFETY: the kernel writes one number.
            let error =
                unsafe { set.launch(&stream, LaunchConfig::new(3, 32), (&mut x,)) }.unwrap_err();
            assert_eq!(*error.kind(), ErrorKind::LaunchArguments, "{error}");
            assert!(error.to_string().contains("kernel `set`"), "{error}");
            let text = error.to_string();
            let expected = match error.driver_code().unwrap() {
                CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES => "registers per thread",
                CUresult::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE => "3 blocks can't be resident",
                _ => "compiled for at most 1024 threads",
            };
            assert!(text.contains(expected), "{text}");
        });
    }
    // As much shared memory as is allowed is not the reason.
    traced("a_refused_launch_says_why", "cuLaunchKernel:1:1", || {
        let (context, stream) = device();
        let set = Module::from_ptx(&context, PTX)
            .unwrap()
            .function("set")
            .unwrap();
        let most = set
            .attribute(FunctionAttribute::MAX_DYNAMIC_SHARED_SIZE_BYTES)
            .unwrap();
        let config = LaunchConfig::new(3, 32).shared_bytes(u32::try_from(most).unwrap());
        let mut x = DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap();
        // SAFETY: nothing is launched.
        let error = unsafe { set.launch(&stream, config, (&mut x,)) }.unwrap_err();
        assert!(
            error.to_string().contains("compiled for at most"),
            "{error}"
        );
    });
    // Without its attributes it is told all the same.
    let fail = "cuLaunchKernel:1:CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,cuFuncGetAttribute:1+:999";
    traced("a_refused_launch_says_why", fail, || {
        let (context, stream) = device();
        let set = Module::from_ptx(&context, PTX)
            .unwrap()
            .function("set")
            .unwrap();
        let mut x = DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap();
        // SAFETY: the kernel writes one number.
        let error =
            unsafe { set.launch(&stream, LaunchConfig::new(3, 32), (&mut x,)) }.unwrap_err();
        assert!(error.to_string().contains("with -1 registers"), "{error}");
    });
}

#[test]
fn the_largest_block_is_no_misfit() {
    passes("the_largest_block_is_no_misfit", "", || {
        let (context, stream) = device();
        let set = Module::from_ptx(&context, PTX)
            .unwrap()
            .function("set")
            .unwrap();
        let mut x = DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap();
        // SAFETY: the threads write one number, the same.
        unsafe { set.launch(&stream, LaunchConfig::new(1, 1024), (&mut x,)) }.unwrap();
        // SAFETY: nothing is launched.
        let error = unsafe { set.launch(&stream, LaunchConfig::new(1, (1, 1, 65)), (&mut x,)) }
            .unwrap_err();
        assert!(
            error.to_string().contains("1 x 1 x 65")
                && error.to_string().contains("1024 x 1024 x 64"),
            "{error}"
        );
        // SAFETY: nothing is launched.
        let error =
            unsafe { set.launch(&stream, LaunchConfig::new(1, 1025), (&mut x,)) }.unwrap_err();
        assert!(
            error
                .to_string()
                .contains("has 1025 threads; the device allows 1024"),
            "{error}"
        );
        // The largest block, but too many of them.
        // SAFETY: as above.
        let error = unsafe { set.launch(&stream, LaunchConfig::new((1, 65_536), 1024), (&mut x,)) }
            .unwrap_err();
        assert!(
            error.to_string().contains("a grid of 1 x 65536 x 1"),
            "{error}"
        );
        // SAFETY: as above.
        let error = unsafe { set.launch(&stream, LaunchConfig::new(1, 0), (&mut x,)) }.unwrap_err();
        assert!(error.to_string().contains("has none"), "{error}");
        // SAFETY: as above.
        let error =
            unsafe { set.launch(&stream, LaunchConfig::new(1, (1024, 1, 1)), ()) }.unwrap_err();
        assert!(
            error.to_string().contains("1 parameters, and 0 arguments"),
            "{error}"
        );
    });
}

#[test]
fn host_slices_are_waited_for_once() {
    traced("host_slices_are_waited_for_once", "", || {
        let (context, stream) = device();
        let set = Module::from_ptx(&context, PTX)
            .unwrap()
            .function("set")
            .unwrap();
        // SAFETY: the kernel writes one number.
        let launch = || unsafe {
            set.launch(&stream, LaunchConfig::new(1, 1), (In(&[1u32]),))
                .unwrap()
        };
        makes("cuStreamSynchronize", &[], launch);
        let mut host = [1u32];
        // SAFETY: the kernel writes one number.
        makes("cuStreamSynchronize", &[], || unsafe {
            let arguments = (Out(&mut host),);
            set.launch(&stream, LaunchConfig::new(1, 1), arguments)
                .unwrap();
        });
        let mut again = [1u32];
        // SAFETY: as above.
        makes("cuStreamSynchronize", &[], || unsafe {
            let arguments = (InOut(&mut again),);
            set.launch(&stream, LaunchConfig::new(1, 1), arguments)
                .unwrap();
        });
        assert_eq!((host, again), ([7], [7]));
    });
}

#[test]
fn modules_end_when_their_last_hold_goes() {
    traced("modules_end_when_their_last_hold_goes", "", || {
        let (context, _) = device();
        let unload = "cuModuleUnload";
        let load = || {
            Module::from_ptx_with(&context, PTX, &JitOptions::default().line_info(true)).unwrap()
        };
        let (a, b) = (load(), load());
        assert_ne!(a, b);
        assert_eq!(a, a.clone());
        assert!(format!("{a:?}").starts_with("Module(0x"), "{a:?}");
        let function = a.function("set").unwrap();
        assert!(made(unload, || a.close().unwrap()).is_empty());
        makes(unload, &[], || drop(function));
        makes(unload, &[], || b.close().unwrap());
        let module = load();
        let raw = module.as_raw();
        assert!(made(unload, || assert_eq!(module.into_raw().unwrap(), raw)).is_empty());
        // SAFETY: handed over by the line above, and unloaded once.
        assert_eq!(unsafe { sys::cuModuleUnload(raw) }, CUresult::CUDA_SUCCESS);
    });
}

#[test]
fn a_newer_function_is_told_from_a_call_that_failed() {
    let body: fn() = || {
        let error = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap_err();
        let expected = match error.driver_code().unwrap() {
            CUresult::CUDA_ERROR_NOT_FOUND => ErrorKind::Unsupported,
            _ => ErrorKind::Driver,
        };
        assert_eq!(*error.kind(), expected, "{error}");
        // Asked for again: only a definite answer is kept.
        Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
    };
    const TEST: &str = "a_newer_function_is_told_from_a_call_that_failed";
    traced(TEST, "cuGetProcAddress:1:CUDA_ERROR_UNKNOWN", body);
    traced(TEST, "cuGetProcAddress:1:CUDA_ERROR_NOT_FOUND", body);
}

#[test]
fn streams_are_made_as_asked() {
    traced("streams_are_made_as_asked", "", || {
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
fn managed_memory_is_freed_when_its_stream_is_done() {
    traced(
        "managed_memory_is_freed_when_its_stream_is_done",
        "",
        || {
            let (_context, stream) = device();
            let x = ManagedBuffer::<u32>::zeroed(&stream, 4).unwrap();
            let address = format!("dptr={:#x}", x.as_device_ptr());
            let before = calls("cuStreamSynchronize").len();
            makes("cuMemFree", &[&address], || x.close().unwrap());
            assert_eq!(calls("cuStreamSynchronize").len(), before + 1);
            let x = ManagedBuffer::<u32>::zeroed(&stream, 4).unwrap();
            makes("cuMemFree", &[], || drop(x));
            let none = ManagedBuffer::<u32>::zeroed(&stream, 0).unwrap();
            assert!(made("cuMemFree", || none.close().unwrap()).is_empty());
            assert_eq!(calls("cuMemAllocManaged").len(), 2);
        },
    );
}

#[test]
fn managed_memory_that_cannot_be_had_is_refused() {
    let test = "managed_memory_that_cannot_be_had_is_refused";
    passes(test, "cuMemAllocManaged:1:2", || {
        let (_context, stream) = device();
        let error = ManagedBuffer::<u32>::zeroed(&stream, 4).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::OutOfMemory { requested: 16, .. }),
            "{error}"
        );
    });
    passes(test, "cuMemFree_v2:1:999", || {
        let (_context, stream) = device();
        let x = ManagedBuffer::<u32>::zeroed(&stream, 4).unwrap();
        let error = x.close().unwrap_err();
        assert_eq!(error.driver_code().unwrap().0, 999, "{error}");
    });
    passes(test, "cuMemAllocManaged:1:801", || {
        let (_context, stream) = device();
        let error = ManagedBuffer::<u32>::zeroed(&stream, 4).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Unsupported, "{error}");
    });
}

#[test]
fn a_stream_waits_for_another_and_not_for_itself() {
    traced("a_stream_waits_for_another_and_not_for_itself", "", || {
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
fn a_driver_is_available_if_it_starts_and_has_a_device() {
    let test = "a_driver_is_available_if_it_starts_and_has_a_device";
    passes(test, "", || assert!(driver::is_available()));
    for call in ["cuInit:1:100", "cuDeviceGetCount:1:3"] {
        passes(test, call, || {
            assert!(!driver::is_available());
            assert!(driver::is_available(), "it was one call that failed");
        });
    }
}
