//! Contexts, and the driver as a whole.

use cuda_safe::{Result, green::GreenContext, profiler};

use super::*;

#[test]
fn primary_context_is_retained_once_per_device() {
    traced("", || {
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
fn context_settings_are_passed_to_the_driver() {
    traced("", || {
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
        // SAFETY: both pointers are valid for writes.
        let code = unsafe { sys::cuCtxGetStreamPriorityRange(&mut least, &mut greatest) };
        assert_eq!(code, CUresult::CUDA_SUCCESS);
        assert_eq!(context.stream_priority_range().unwrap(), (least, greatest));
        makes("cuCtxSynchronize", &[], || context.synchronize().unwrap());
        assert!(format!("{context:?}").contains("device 0"), "{context:?}");
        Context::set_primary_flags(device, ContextFlags::AUTO).unwrap();
    });
}

#[test]
fn contexts_are_destroyed_with_the_last_reference() {
    traced("", || {
        let create = || Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
        let context = create();
        let held = context.clone();
        assert!(made("cuCtxDestroy", || context.close().unwrap()).is_empty());
        makes("cuCtxDestroy", &[], || held.close().unwrap());
        let context = create();
        makes("cuCtxDestroy", &[], || drop(context));
        let context = create();
        // SAFETY: `context` outlives the borrow.
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
fn current_context_is_not_pushed_again() {
    traced("", || {
        let (context, stream) = device();
        let created = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
        // The thread has no current context, so this one becomes and stays current.
        assert!(made("cuCtxPushCurrent", || context.memory_info().unwrap()).is_empty());
        assert_eq!(calls("cuCtxSetCurrent").len(), 1);
        assert!(made("cuCtxPushCurrent", || stream.synchronize().unwrap()).is_empty());
        // Another context is pushed for the duration of the call.
        makes("cuCtxPushCurrent", &[], || {
            makes("cuCtxPopCurrent", &[], || created.memory_info().unwrap());
        });
        created.set_current().unwrap();
        makes("cuCtxPushCurrent", &[], || stream.synchronize().unwrap());
        let mut current = std::ptr::null_mut();
        // SAFETY: `current` is valid for writes.
        let code = unsafe { sys::cuCtxGetCurrent(&mut current) };
        assert_eq!(code, CUresult::CUDA_SUCCESS);
        assert_eq!(current, created.as_raw());
        drop(created);
    });
    // If the current context cannot be queried, the context is pushed.
    traced("cuCtxGetCurrent:2:CUDA_ERROR_UNKNOWN", || {
        let context = Context::primary(0).unwrap();
        context.memory_info().unwrap();
        makes("cuCtxPushCurrent", &[], || context.memory_info().unwrap());
    });
}

#[test]
fn driver_is_available_if_it_initializes_and_has_a_device() {
    passes("", || assert!(driver::is_available()));
    for call in ["cuInit:1:100", "cuDeviceGetCount:1:3"] {
        passes(call, || {
            assert!(!driver::is_available());
            assert!(driver::is_available(), "only the first call fails");
        });
    }
}

/// If the emulator rejects a setting, the first CUDA call returns that error.
#[test]
fn first_call_reports_invalid_emulator_settings() {
    const CHILD: &str = "CUDA_TEST_SETTING";
    if std::env::var_os(CHILD).is_some() {
        let error = Context::primary(0).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::NoDevice);
        println!("= {error}");
        return;
    }
    for (name, value, reason) in [
        (
            "CUDA_EMULATOR_MEMORY",
            "64 apples",
            "CUDA_EMULATOR_MEMORY=64 apples: expected a number of bytes, optionally followed by K, M or G, such as 64M",
        ),
        (
            "CUDA_EMULATOR_CHEK",
            "leak",
            "CUDA_EMULATOR_CHEK is not a variable of the emulator (did you mean CUDA_EMULATOR_CHECK?)",
        ),
    ] {
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args([
                "contexts::first_call_reports_invalid_emulator_settings",
                "--exact",
                "--nocapture",
            ])
            .env(CHILD, "1")
            .env(name, value)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let expected = format!("= cuInit failed: CUDA_ERROR_INVALID_VALUE (1): {reason}");
        assert!(
            output.status.success() && text.contains(&expected),
            "{text}"
        );
    }
}

#[test]
fn errors_name_calls_that_are_not_emulated() {
    passes("", || {
        let (context, _) = device();
        let _current = context.push_current().unwrap();
        // SAFETY: the emulator reads no argument.
        let code =
            unsafe { sys::cuMemMapArrayAsync(std::ptr::null_mut(), 0, std::ptr::null_mut()) };
        let error = context.check("cuMemMapArrayAsync", code).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Unsupported);
        assert_eq!(
            error.to_string(),
            "cuMemMapArrayAsync failed: CUDA_ERROR_NOT_SUPPORTED (801): cuMemMapArrayAsync is not emulated"
        );
        let mut array = std::ptr::null_mut();
        let descriptor = sys::CUDA_ARRAY3D_DESCRIPTOR {
            Width: 64,
            Height: 64,
            NumChannels: 1,
            Format: sys::CUarray_format::CU_AD_FORMAT_FLOAT,
            Flags: 0x40, // CUDA_ARRAY3D_SPARSE
            ..Default::default()
        };
        // SAFETY: `array` is valid for writes and `descriptor` for reads.
        let code = unsafe { sys::cuArray3DCreate_v2(&mut array, &descriptor) };
        let error = context.check("cuArray3DCreate", code).unwrap_err();
        assert_eq!(
            error.detail(),
            "a sparse or deferred-mapping array is not emulated"
        );
        assert_eq!(*error.kind(), ErrorKind::Unsupported);
    });
}

#[test]
fn errors_of_rejected_arguments_give_the_reason() {
    passes("", || {
        let (context, _) = device();
        let _current = context.push_current().unwrap();
        // SAFETY: the emulator rejects the null pointer.
        let code = unsafe { sys::cuDriverGetVersion(std::ptr::null_mut()) };
        let error = context.check("cuDriverGetVersion", code).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Driver);
        assert_eq!(
            error.to_string(),
            "cuDriverGetVersion failed: CUDA_ERROR_INVALID_VALUE (1): cuDriverGetVersion: `driverVersion` must not be null"
        );
    });
}

#[test]
fn memory_info_returns_its_own_out_of_memory_error() {
    fn unknown(requested: usize) -> ErrorKind {
        ErrorKind::OutOfMemory {
            requested,
            free: 0,
            total: 0,
        }
    }
    traced("cuMemGetInfo:1+:2", || {
        let (context, stream) = device();
        let error = context.memory_info().unwrap_err();
        assert_eq!(*error.kind(), unknown(0), "{error}");
        let error = DeviceBuffer::<u8>::uninit(&stream, 1 << 50).unwrap_err();
        assert_eq!(*error.kind(), unknown(1 << 50), "{error}");
    });
    traced("cuCtxPushCurrent:1+:2", || {
        let [context, other] = [0, 1].map(|number| Context::primary(number).unwrap());
        other.set_current().unwrap();
        let error = context.memory_info().unwrap_err();
        assert_eq!(*error.kind(), unknown(0), "{error}");
    });
}

#[test]
fn contexts_dropped_in_a_capture_are_destroyed_later() {
    traced("", || {
        let (context, stream) = device();
        let created = Context::create(context.device(), ContextFlags::AUTO).unwrap();
        let all = context.multiprocessors().unwrap();
        let green = GreenContext::new(&context, &[all]).unwrap();
        // SAFETY: the capture records nothing.
        let graph = unsafe {
            stream.capture(|_| -> Result<()> {
                drop((created, green));
                // Destroying it would have to wait for the captured stream.
                assert_eq!(calls("cuGreenCtxDestroy").len(), 0);
                Ok(())
            })
        };
        drop(graph.unwrap());
        assert_eq!(calls("cuCtxDestroy").len(), 1);
        assert_eq!(calls("cuGreenCtxDestroy").len(), 1);
    });
}

#[test]
fn context_setters_call_the_driver() {
    traced("", || {
        let (context, _) = device();
        makes("cuCtxResetPersistingL2Cache", &[], || {
            context.reset_persisting_l2().unwrap()
        });
        makes("cuProfilerStart", &[], || {
            profiler::start(&context).unwrap()
        });
        makes("cuProfilerStop", &[], || profiler::stop(&context).unwrap());
        makes("cuProfilerStop", &[], || {
            makes("cuProfilerStart", &[], || {
                drop(profiler::collect(&context).unwrap())
            });
        });
        let event = Event::new(&context).unwrap();
        let handles = format!("hEvent={:#x}", event.as_raw().addr());
        makes("cuCtxRecordEvent", &[&handles], || {
            context.record(&event).unwrap()
        });
        makes("cuCtxWaitEvent", &[&handles], || {
            context.wait_event(&event).unwrap()
        });
    });
}

#[test]
fn missing_device_features_differ_from_errors() {
    passes("", || {
        let device = Device::get(0).unwrap();
        assert!(!device.can_limit_contexts().unwrap());
        assert_eq!(device.numa_node().unwrap(), None);
        assert_eq!(device.host_numa_node().unwrap(), Some(0));
    });
    passes("cuDeviceGetExecAffinitySupport:1:999", || {
        assert!(Device::get(0).unwrap().can_limit_contexts().is_err());
    });
    passes("cuDeviceGetAttribute:1+:999", || {
        let device = Device::get(0).unwrap();
        assert!(device.numa_node().is_err());
        assert!(device.host_numa_node().is_err());
    });
}

#[test]
fn peer_access_is_disabled_with_the_last_reference() {
    traced("", || {
        let [here, there] = [0, 1].map(|number| Context::primary(number).unwrap());
        let all = [(); 3].map(|()| here.enable_peer_access(&there).unwrap());
        assert_eq!(calls("cuCtxEnablePeerAccess").len(), 1);
        makes("cuCtxDisablePeerAccess", &[], || drop(all));
    });
}

#[test]
fn multiprocessor_groups_have_the_requested_sizes() {
    passes_with(&[("CUDA_EMULATOR_THREADS", "32")], || {
        let all = Device::get(0).unwrap().multiprocessors().unwrap();
        assert_eq!(
            (all.count(), all.min_group_size(), all.alignment()),
            (32, 8, 8)
        );
        let some = all.split(3, 8).unwrap();
        assert_eq!(some.groups.len(), 3);
        assert_eq!(some.rest.map(|rest| rest.count()), Some(8));
        assert!(all.split(4, 8).unwrap().rest.is_none());
    });
}

#[test]
fn driver_without_devices_is_unavailable() {
    passes_with(&[("CUDA_EMULATOR_DEVICES", "0")], || {
        assert!(!driver::is_available());
        for error in [
            driver::init().unwrap_err(),
            Device::get(0).unwrap_err(),
            Context::primary(0).unwrap_err(),
        ] {
            assert_eq!(*error.kind(), ErrorKind::NoDevice, "{error}");
            assert!(error.detail().contains("but no GPU"), "{error}");
        }
    });
}
