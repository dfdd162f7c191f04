//! Settings of streams and contexts, and properties of devices and drivers.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use cuda_safe::{
    Context, ContextFlags, Device, DeviceAttribute, DeviceBuffer, ErrorKind, Stream,
    array::ChannelFormat,
    checkpoint::{Process, ProcessState},
    context::Limit,
    coredump::{Coredump, DumpFlags},
    logs,
    peer::{AtomicOperation, FlushScope, PeerAttribute},
    profiler,
    stream::{AccessPolicyWindow, AccessProperty, MemSyncDomain, MemSyncDomainMap, SyncPolicy},
    sys::CUresult,
};

use crate::{device, failure, rejection};

#[test]
fn stream_attributes_can_be_set_read_and_copied() {
    let (context, stream) = device();
    assert_eq!(stream.access_policy().unwrap().bytes, 0);
    assert_eq!(stream.sync_policy().unwrap(), None);
    assert_eq!(stream.mem_sync_domain().unwrap(), MemSyncDomain::DEFAULT);
    let map = stream.mem_sync_domain_map().unwrap();
    assert_eq!((map.default, map.remote), (0, 1));

    let buffer = DeviceBuffer::<f32>::zeroed(&stream, 1 << 12).unwrap();
    let window = AccessPolicyWindow::over(&buffer)
        .hit_ratio(0.5)
        .hit(AccessProperty::STREAMING)
        .miss(AccessProperty::NORMAL);
    assert_eq!(window.address, buffer.as_device_ptr());
    assert_eq!((window.bytes, window.hit_ratio), (4 << 12, 0.5));
    let (hit, miss) = (AccessProperty::STREAMING, AccessProperty::NORMAL);
    assert_eq!((window.hit, window.miss), (hit, miss));
    let plain = AccessPolicyWindow::over(&buffer);
    assert_eq!((plain.hit_ratio, plain.hit), (1.0, AccessProperty::NORMAL));
    stream.set_access_policy(window).unwrap();
    assert_eq!(stream.access_policy().unwrap(), window);
    rejection(stream.set_access_policy(window.hit_ratio(2.0)));
    let mut huge = window;
    huge.bytes = 1 << 40;
    assert!(stream.set_access_policy(huge).is_err());
    assert_eq!(stream.access_policy().unwrap(), window);

    stream.set_sync_policy(SyncPolicy::YIELD).unwrap();
    assert!(stream.set_sync_policy(SyncPolicy(9)).is_err());
    stream.set_mem_sync_domain(MemSyncDomain::REMOTE).unwrap();
    assert!(stream.set_mem_sync_domain(MemSyncDomain(2)).is_err());
    let swapped = MemSyncDomainMap {
        default: 1,
        remote: 0,
    };
    stream.set_mem_sync_domain_map(swapped).unwrap();
    let none = MemSyncDomainMap {
        default: 200,
        remote: 0,
    };
    assert!(stream.set_mem_sync_domain_map(none).is_err());
    let (least, greatest) = context.stream_priority_range().unwrap();
    for (wanted, given) in [
        (greatest - 1, greatest),
        (least + 1, least),
        (greatest, greatest),
    ] {
        stream.set_priority(wanted).unwrap();
        assert_eq!(stream.priority().unwrap(), given);
    }

    let other = Stream::new(&context).unwrap();
    other.copy_attributes_from(&stream).unwrap();
    assert_eq!(other.access_policy().unwrap(), window);
    assert_eq!(other.sync_policy().unwrap(), Some(SyncPolicy::YIELD));
    assert_eq!(other.mem_sync_domain().unwrap(), MemSyncDomain::REMOTE);
    assert_eq!(other.mem_sync_domain_map().unwrap(), swapped);
    assert_eq!(other.priority().unwrap(), greatest);
    let created = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
    let strange = Stream::new(&created).unwrap();
    assert!(strange.copy_attributes_from(&stream).is_err());
    assert_ne!(stream.id().unwrap(), other.id().unwrap());
    assert_eq!(stream.capture_number().unwrap(), None);
    assert_eq!(stream.device().unwrap(), context.device());
}

#[test]
fn context_limits_have_ranges() {
    let context = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
    for (limit, value) in [
        (Limit::PRINTF_FIFO_SIZE, 2 << 20),
        (Limit::MALLOC_HEAP_SIZE, 16 << 20),
        (Limit::DEV_RUNTIME_PENDING_LAUNCH_COUNT, 4096),
        (Limit::MAX_L2_FETCH_GRANULARITY, 128),
    ] {
        context.set_limit(limit, value).unwrap();
        assert_eq!(context.limit(limit).unwrap(), value, "{limit:?}");
    }
    assert!(
        context
            .set_limit(Limit::MAX_L2_FETCH_GRANULARITY, 129)
            .is_err()
    );
    let most = DeviceAttribute::MAX_PERSISTING_L2_CACHE_SIZE;
    let most = context.device().attribute(most).unwrap() as usize;
    context
        .set_limit(Limit::PERSISTING_L2_CACHE_SIZE, most)
        .unwrap();
    assert_eq!(
        context.limit(Limit::PERSISTING_L2_CACHE_SIZE).unwrap(),
        most
    );
    assert!(
        context
            .set_limit(Limit::PERSISTING_L2_CACHE_SIZE, most + 1)
            .is_err()
    );
    context.reset_persisting_l2().unwrap();
    assert!(context.set_limit(Limit::CIG_ENABLED, 1).is_err());
    let before = context.flags().unwrap();
    context.set_flags(ContextFlags::YIELD).unwrap();
    assert!(context.flags().unwrap().contains(ContextFlags::YIELD));
    failure(context.set_flags(ContextFlags::YIELD | ContextFlags::SPIN))
        .with_code(CUresult::CUDA_ERROR_INVALID_VALUE);
    assert!(!before.contains(ContextFlags::YIELD));
    assert_eq!(context.api_version().unwrap(), 3020);
    assert_ne!(
        context.id().unwrap(),
        Context::primary(0).unwrap().id().unwrap()
    );
    let all = context.device().multiprocessor_count().unwrap();
    assert_eq!(context.multiprocessor_limit().unwrap(), all);
}

#[test]
fn contexts_can_be_limited_only_under_mps() {
    let device = Device::get(0).unwrap();
    if !device.can_limit_contexts().unwrap() {
        let error = Context::create_limited(device, ContextFlags::AUTO, 8).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Unsupported);
        assert!(error.to_string().contains("GreenContext"), "{error}");
    }
}

#[test]
fn devices_return_their_links_to_others() {
    let (context, _) = device();
    let device = context.device();
    assert!(!device.can_access_peer(device).unwrap());
    failure(device.peer_attribute(device, PeerAttribute::ACCESS_SUPPORTED))
        .mentions("no link to itself");
    assert!(
        device
            .peer_atomics(device, &[AtomicOperation::CAS])
            .is_err()
    );
    for other in Device::all().unwrap() {
        if other != device {
            let access = device.can_access_peer(other).unwrap();
            let value = device
                .peer_attribute(other, PeerAttribute::ACCESS_SUPPORTED)
                .unwrap();
            assert_eq!(access, value != 0);
            assert!(device.peer_attribute(other, PeerAttribute(99)).is_err());
            let all = [AtomicOperation::INTEGER_ADD, AtomicOperation::FLOAT_MAX];
            assert_eq!(device.peer_atomics(other, &all).unwrap().len(), 2);
        }
    }
    assert!(device.host_atomics(&[]).unwrap().is_empty());
    let all: Vec<_> = (0..13).map(AtomicOperation).collect();
    assert_eq!(device.host_atomics(&all).unwrap().len(), 13);
    assert!(device.host_atomics(&[AtomicOperation(99)]).is_err());
    let wide = device
        .texture_1d_linear_max_width(ChannelFormat::U8, 4)
        .unwrap();
    assert!(
        device
            .texture_1d_linear_max_width(ChannelFormat::I32, 4)
            .unwrap()
            <= wide
    );
    for (node, attribute) in [
        (device.numa_node().unwrap(), DeviceAttribute::NUMA_ID),
        (
            device.host_numa_node().unwrap(),
            DeviceAttribute::HOST_NUMA_ID,
        ),
    ] {
        assert_eq!(node, device.attribute(attribute).unwrap().try_into().ok());
    }
    device.shareable_handles().unwrap();
    assert!(context.flush_gpu_direct_writes(FlushScope(7)).is_err());
}

#[test]
fn profiler_can_be_started_and_stopped() {
    let (context, stream) = device();
    {
        let _collecting = profiler::collect(&context).unwrap();
        drop(DeviceBuffer::<u8>::zeroed(&stream, 10).unwrap());
    }
    profiler::start(&context).unwrap();
    profiler::stop(&context).unwrap();
    profiler::stop(&context).unwrap();
}

#[test]
fn driver_messages_can_be_listened_to_and_read() {
    let (context, stream) = device();
    let count = Arc::new(AtomicUsize::new(0));
    let (counted, inner) = (count.clone(), stream.clone());
    let mut position = logs::position().unwrap();
    let listener = logs::listen(move |level, text| {
        assert_eq!(level, logs::LogLevel::ERROR);
        if text.contains("cuCtxSetLimit") {
            counted.fetch_add(1, Ordering::SeqCst);
            // Calls fail in a listener, and its panic is contained.
            assert!(inner.synchronize().is_err());
            panic!("expected");
        }
    })
    .unwrap();
    assert!(format!("{listener:?}").starts_with("Listener("));
    context.set_limit(Limit(77), 1).unwrap_err();
    let heard = count.load(Ordering::SeqCst);
    assert!(heard >= 1);
    listener.close().unwrap();
    context.set_limit(Limit(77), 1).unwrap_err();
    assert_eq!(count.load(Ordering::SeqCst), heard);
    assert_eq!(Arc::strong_count(&count), 1, "the listener was not dropped");

    let text = logs::since(&mut position).unwrap();
    assert!(text.matches("from cuCtxSetLimit").count() >= 2, "{text}");
    assert!(logs::all().unwrap().contains("cuCtxSetLimit"));
    let path = std::env::temp_dir().join(format!("cuda-safe-log-{}", std::process::id()));
    context.set_limit(Limit(77), 1).unwrap_err();
    logs::write_to(&path, Some(&mut position)).unwrap();
    let written = std::fs::read_to_string(&path).unwrap();
    let _ = std::fs::remove_file(&path);
    assert!(written.contains("cuCtxSetLimit"), "{written}");
    logs::write_to(&path, None).unwrap();
    let _ = std::fs::remove_file(&path);
    assert!(logs::write_to("/nonexistent/folder/file", None).is_err());
    assert!(logs::write_to("a\0b", None).is_err());
}

#[test]
fn core_dump_settings_can_be_read_and_set() {
    let context = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
    let dumps = Coredump::of(&context);
    assert!(!dumps.is_enabled().unwrap());
    dumps.set_enabled(false).unwrap();
    dumps.set_lightweight(true).unwrap();
    assert!(dumps.is_lightweight().unwrap());
    let flags = DumpFlags::SKIP_GLOBAL_MEMORY | DumpFlags::SKIP_ABORT;
    dumps.set_flags(flags).unwrap();
    assert!(dumps.flags().unwrap().contains(flags));
    dumps.triggers_host().unwrap();
    let name = std::env::temp_dir().join("cuda-safe-dump");
    dumps.set_file(&name).unwrap();
    assert_eq!(dumps.file().unwrap(), name);
    for wrong in ["x".repeat(1024), "a\0b".into()] {
        rejection(dumps.set_file(wrong));
    }
    // These settings exist only for the process.
    assert!(dumps.has_user_trigger().is_err());
    assert!(dumps.pipe().is_err());
    assert!(dumps.set_pipe("x").is_err());
    let process = Coredump::process();
    assert!(!process.has_user_trigger().unwrap());
    process.set_user_trigger(false).unwrap();
    process.pipe().unwrap();
    process.file().unwrap();
    let host = process.triggers_host().unwrap();
    process.set_triggers_host(host).unwrap();
}

#[test]
fn checkpoint_state_of_this_process_is_running() {
    let _context = device();
    let process = Process::new(std::process::id());
    assert_eq!(process.state().unwrap(), ProcessState::RUNNING);
    for result in [process.checkpoint(), process.restore(&[]), process.unlock()] {
        failure(result)
            .with_code(CUresult::CUDA_ERROR_ILLEGAL_STATE)
            .mentions("not in the required state");
    }
    let nobody = Process::new(99_999_999);
    assert!(nobody.state().is_err());
    assert!(nobody.restore_thread().is_err());
    assert!(
        nobody
            .lock(Some(std::time::Duration::from_millis(1)))
            .is_err()
    );
    assert!(Process::new(u32::MAX).state().is_err());
}

#[test]
fn access_policies_are_equal_if_all_fields_are() {
    let hash = |window: AccessPolicyWindow| {
        let mut hasher = DefaultHasher::new();
        window.hash(&mut hasher);
        hasher.finish()
    };
    let plain = AccessPolicyWindow::default();
    let (mut moved, mut far, mut longer, mut huge) = (plain, plain, plain, plain);
    moved.address = 1;
    far.address = 1 << 32;
    longer.bytes = 1;
    huge.bytes = 1 << 32;
    for other in [
        moved,
        far,
        longer,
        huge,
        plain.hit_ratio(0.5),
        plain.hit(AccessProperty::STREAMING),
        plain.miss(AccessProperty::STREAMING),
    ] {
        assert_ne!(other, plain);
        assert_ne!(hash(other), hash(plain), "{other:?}");
        let same = other;
        assert_eq!((same, hash(same)), (other, hash(other)));
    }
}
