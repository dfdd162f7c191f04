//! Memory pools: thresholds, locations and access.

use std::{thread, time::Duration};

use cuda_safe::{
    Context, ErrorKind, LaunchConfig, MemoryPool, Stream,
    memory::{
        MemoryAccess, MemoryLocation, MemoryPoolOptions, PoolAttribute, PoolPointer, PoolType,
    },
    share::ShareableHandles,
    sys::CUresult,
};

use crate::{compile, device, failure, rejection};

const MIB: usize = 1 << 20;

fn options() -> MemoryPoolOptions {
    MemoryPoolOptions::default()
}

fn code(result: cuda_safe::Result<impl Sized>) -> Option<CUresult> {
    result
        .err()
        .expect("the call was not rejected")
        .driver_code()
}

#[test]
fn pool_keeps_memory_up_to_its_threshold() {
    let (context, stream) = device();
    let pool = MemoryPool::new(&context).unwrap();
    assert_eq!((pool.used().unwrap(), pool.reserved().unwrap()), (0, 0));
    let first = pool.allocate::<u8>(&stream, 1000).unwrap();
    let second = pool.allocate::<u8>(&stream, 40 * MIB).unwrap();
    assert_eq!(pool.used().unwrap(), (1000 + 40 * MIB) as u64);
    let reserved = pool.reserved().unwrap();
    assert!(reserved >= pool.used().unwrap(), "{reserved}");
    // Without a threshold, the next wait releases free memory. Memory in use stays.
    drop(second);
    stream.synchronize().unwrap();
    assert_eq!(pool.used().unwrap(), 1000);
    assert!(pool.reserved().unwrap() < reserved);
    drop(first);
    stream.synchronize().unwrap();
    assert_eq!((pool.used().unwrap(), pool.reserved().unwrap()), (0, 0));
    // With a threshold, free memory stays until the pool is trimmed.
    pool.set_release_threshold(u64::MAX).unwrap();
    drop(pool.allocate::<u8>(&stream, 100 * MIB).unwrap());
    stream.synchronize().unwrap();
    assert_eq!(pool.used().unwrap(), 0);
    let kept = pool.reserved().unwrap();
    assert!(kept >= 100 << 20);
    pool.trim_to(50 * MIB).unwrap();
    let some = pool.reserved().unwrap();
    assert!((50 << 20..kept).contains(&some), "{some}");
    pool.trim_to(0).unwrap();
    assert_eq!(pool.reserved().unwrap(), 0);
    // The high-water marks keep the maximum.
    assert_eq!(pool.most_used().unwrap(), (100 * MIB) as u64);
    assert!(pool.most_reserved().unwrap() >= kept);
    pool.reset_high_water_marks().unwrap();
    assert_eq!(
        (pool.most_used().unwrap(), pool.most_reserved().unwrap()),
        (0, 0)
    );
}

#[test]
fn pool_attributes_can_be_read_and_set() {
    let (context, _) = device();
    let pool = MemoryPool::new(&context).unwrap();
    for attribute in [
        PoolAttribute::REUSE_FOLLOW_EVENT_DEPENDENCIES,
        PoolAttribute::REUSE_ALLOW_OPPORTUNISTIC,
        PoolAttribute::REUSE_ALLOW_INTERNAL_DEPENDENCIES,
    ] {
        assert!(pool.reuses(attribute).unwrap());
        pool.set_reuse(attribute, false).unwrap();
        assert!(!pool.reuses(attribute).unwrap(), "{attribute:?}");
        pool.set_reuse(attribute, true).unwrap();
    }
    let used = PoolAttribute::USED_MEM_CURRENT;
    for failed in [pool.reuses(used).map(drop), pool.set_reuse(used, true)] {
        assert_eq!(*failed.unwrap_err().kind(), ErrorKind::InvalidArgument);
    }
    assert_eq!(pool.attribute(PoolAttribute::RELEASE_THRESHOLD).unwrap(), 0);
    let unknown = pool.attribute(PoolAttribute(99));
    assert_eq!(code(unknown), Some(CUresult::CUDA_ERROR_INVALID_VALUE));
}

#[test]
fn memory_outlives_its_pool() {
    let (context, stream) = device();
    let pool = MemoryPool::new(&context).unwrap();
    let mut x = pool.allocate::<u32>(&stream, 100).unwrap();
    pool.close().unwrap();
    x.fill(&stream, 7).unwrap();
    assert_eq!(x.to_vec(&stream).unwrap(), [7; 100]);
    x.close().unwrap();
}

#[test]
fn pool_with_a_maximum_returns_out_of_memory() {
    let (context, stream) = device();
    let pool = MemoryPool::with_options(&context, options().max_size(10 * MIB)).unwrap();
    let some = pool.allocate::<u8>(&stream, 8 * MIB).unwrap();
    let failed = pool.allocate::<u8>(&stream, 80 * MIB).unwrap_err();
    // The error contains the sizes of the pool, not of the device.
    let wanted = ErrorKind::OutOfMemory {
        requested: 80 * MIB,
        free: 2 * MIB,
        total: 10 * MIB,
    };
    assert_eq!(*failed.kind(), wanted);
    assert!(failed.detail().contains("max_size"), "{failed}");
    some.close().unwrap();
    let none = pool.allocate::<u8>(&stream, 0).unwrap();
    assert_eq!(none.as_device_ptr(), 0);
}

#[test]
fn unknown_pool_types_and_locations_are_rejected() {
    let (context, _) = device();
    let value = Some(CUresult::CUDA_ERROR_INVALID_VALUE);
    let here = MemoryLocation::device(context.device());
    for wrong in [
        options().location(MemoryLocation::NONE),
        options().location(MemoryLocation { kind: 1, id: 77 }),
        options().location(MemoryLocation::host_numa(99)),
        options().location(here).kind(PoolType(7)),
    ] {
        assert_eq!(
            code(MemoryPool::with_options(&context, wrong)),
            value,
            "{wrong:?}"
        );
    }
    let current = MemoryLocation::HOST_NUMA_CURRENT;
    let failed = MemoryPool::default_at(&context, current, PoolType::PINNED).unwrap_err();
    assert_eq!(*failed.kind(), ErrorKind::Unsupported);
    let failed = MemoryPool::current_at(&context, MemoryLocation::NONE, PoolType::PINNED);
    assert_eq!(code(failed), value);
}

#[test]
fn each_location_has_a_current_pool() {
    let (context, _) = device();
    let host = MemoryLocation::HOST;
    let own = MemoryPool::default_at(&context, context.device(), PoolType::PINNED).unwrap();
    assert_eq!(
        own.as_raw(),
        MemoryPool::default_of(&context).unwrap().as_raw()
    );
    let default = MemoryPool::default_at(&context, host, PoolType::PINNED).unwrap();
    assert_ne!(default.as_raw(), own.as_raw());
    let pool = MemoryPool::with_options(&context, options().location(host)).unwrap();
    let current = || {
        MemoryPool::current_at(&context, host, PoolType::PINNED)
            .unwrap()
            .as_raw()
    };
    assert_eq!(current(), default.as_raw());
    pool.make_current_at(host, PoolType::PINNED).unwrap();
    assert_eq!(current(), pool.as_raw());
    // A pool of another location or type is rejected.
    let value = Some(CUresult::CUDA_ERROR_INVALID_VALUE);
    assert_eq!(code(own.make_current_at(host, PoolType::PINNED)), value);
    assert_eq!(code(pool.make_current_at(host, PoolType::MANAGED)), value);
    // When the current pool is destroyed, the default pool becomes current, even if other pools
    // were current before. Destroying a pool that is not current changes nothing.
    default.make_current_at(host, PoolType::PINNED).unwrap();
    pool.make_current_at(host, PoolType::PINNED).unwrap();
    pool.close().unwrap();
    assert_eq!(current(), default.as_raw());
    let [first, second] =
        [(); 2].map(|()| MemoryPool::with_options(&context, options().location(host)).unwrap());
    first.make_current_at(host, PoolType::PINNED).unwrap();
    second.make_current_at(host, PoolType::PINNED).unwrap();
    first.close().unwrap();
    assert_eq!(current(), second.as_raw());
    second.close().unwrap();
    assert_eq!(current(), default.as_raw());
    let managed = MemoryLocation::NONE;
    let pool = MemoryPool::with_options(&context, options().kind(PoolType::MANAGED)).unwrap();
    pool.make_current_at(managed, PoolType::MANAGED).unwrap();
    pool.close().unwrap();
    let [now, wanted] = [
        MemoryPool::current_at(&context, managed, PoolType::MANAGED),
        MemoryPool::default_at(&context, managed, PoolType::MANAGED),
    ];
    assert_eq!(now.unwrap().as_raw(), wanted.unwrap().as_raw());
}

/// Lets a kernel and the host use memory of the pool in turns.
fn check_shared_memory(context: &Context, stream: &Stream, pool: &MemoryPool) {
    let source = r#"extern "C" __global__ void add(unsigned *x) { x[threadIdx.x] += 1; }"#;
    let add = compile(context, source, "add");
    let mut x = pool.allocate_shared::<u32>(stream, 32).unwrap();
    assert_eq!(x.host().unwrap(), [0; 32]);
    x.host_mut().unwrap().fill(5);
    // SAFETY: there are 32 threads and 32 elements.
    unsafe { add.launch(stream, LaunchConfig::new(1, 32), (&mut x,)) }.unwrap();
    assert_eq!(x.host().unwrap(), [6; 32]);
    x.slice_mut(1..).unwrap().fill(stream, 9).unwrap();
    assert_eq!(x.host().unwrap()[..2], [6, 9]);
    assert_eq!(pool.used().unwrap(), 128);
    x.close().unwrap();
    stream.synchronize().unwrap();
    // When other tests run, the driver updates its count a little later.
    for _ in 0..500 {
        if pool.used().unwrap() == 0 {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("{} bytes were not freed", pool.used().unwrap());
}

#[test]
fn pools_can_allocate_managed_memory() {
    let (context, stream) = device();
    let managed = options().kind(PoolType::MANAGED);
    for place in [
        MemoryLocation::NONE,
        MemoryLocation::HOST,
        context.device().into(),
    ] {
        let pool = MemoryPool::with_options(&context, managed.location(place)).unwrap();
        check_shared_memory(&context, &stream, &pool);
    }
    let pool = MemoryPool::with_options(&context, managed).unwrap();
    let x = pool.allocate_shared::<u32>(&stream, 1000).unwrap();
    x.prefetch(&stream, context.device()).unwrap();
    assert_eq!(x.to_vec(&stream).unwrap(), [0; 1000]);
}

#[test]
fn pools_can_allocate_host_memory() {
    let (context, stream) = device();
    let host = options().location(MemoryLocation::HOST);
    let pool = MemoryPool::with_options(&context, host).unwrap();
    let here = context.device();
    assert_eq!(pool.access(here).unwrap(), MemoryAccess::NONE);
    // The device needs access first.
    rejection(pool.allocate_shared::<u32>(&stream, 32)).mentions("grant_access");
    pool.grant_access(&[here]).unwrap();
    assert_eq!(pool.access(here).unwrap(), MemoryAccess::READ_WRITE);
    check_shared_memory(&context, &stream, &pool);
    assert!(pool.allocate_shared::<u32>(&stream, 0).unwrap().is_empty());
    // The host cannot access memory of a device pool.
    let own = MemoryPool::new(&context).unwrap();
    rejection(own.allocate_shared::<u32>(&stream, 32));
    stream.synchronize().unwrap();
    assert_eq!(own.used().unwrap(), 0);
}

#[test]
fn invalid_access_changes_are_rejected() {
    let (context, _) = device();
    let pool = MemoryPool::new(&context).unwrap();
    let here = MemoryLocation::device(context.device());
    assert_eq!(
        pool.access(MemoryLocation::HOST).unwrap(),
        MemoryAccess::NONE
    );
    pool.grant_access(&[MemoryLocation::HOST; 0]).unwrap();
    pool.grant_access(&[here]).unwrap();
    // SAFETY: the pool has no allocations.
    let set = |place, access| unsafe { pool.set_access(&[(place, access)]) };
    set(here, MemoryAccess::READ_WRITE).unwrap();
    let device_code = Some(CUresult::CUDA_ERROR_INVALID_DEVICE);
    let nowhere = MemoryLocation { kind: 1, id: 77 };
    for (failed, why) in [
        (set(here, MemoryAccess::NONE), "device 0 is the pool's own"),
        (pool.grant_access(&[nowhere]), "device 77 does not exist"),
    ] {
        let failed = failed.unwrap_err();
        assert_eq!(failed.driver_code(), device_code);
        assert!(failed.detail().contains(why), "{failed}");
    }
    for (failed, why) in [
        (set(here, MemoryAccess::READ), "only be READ_WRITE or NONE"),
        (
            pool.grant_access(&[MemoryLocation::HOST]),
            "the host is not a device",
        ),
    ] {
        let failed = failed.unwrap_err();
        assert_eq!(*failed.kind(), ErrorKind::Unsupported, "{failed}");
        assert!(failed.detail().contains(why), "{failed}");
    }
    let none = pool.access(MemoryLocation::NONE);
    assert_eq!(code(none), Some(CUresult::CUDA_ERROR_INVALID_VALUE));
}

#[test]
#[cfg_attr(windows, ignore = "the emulator has no shared pools on Windows")]
fn sharing_errors_give_the_reason() {
    let (context, stream) = device();
    let pool = MemoryPool::new(&context).unwrap();
    let assert_detail = |result: cuda_safe::Result<()>, text: &str| {
        let error = result.unwrap_err();
        assert!(error.detail().contains(text), "{error}");
        error
    };
    let handles = "MemoryPoolOptions::handle_types";
    assert_detail(pool.export_file().map(drop), handles);
    let buffer = pool.allocate::<u32>(&stream, 3).unwrap();
    assert_detail(buffer.export_pointer().map(drop), handles);
    let none = pool.allocate::<u32>(&stream, 0).unwrap();
    assert_detail(none.export_pointer().map(drop), "the buffer is empty");

    let file = std::fs::File::open("/dev/null").unwrap();
    let error = assert_detail(
        MemoryPool::import_file(&context, file).map(drop),
        "the file is not a pool",
    );
    assert_eq!(*error.kind(), ErrorKind::InvalidArgument);
    let options = options().handle_types(ShareableHandles::POSIX_FILE_DESCRIPTOR);
    let shared = MemoryPool::with_options(&context, options).unwrap();
    let imported = MemoryPool::import_file(&context, shared.export_file().unwrap()).unwrap();
    let error = assert_detail(
        imported.allocate::<u32>(&stream, 3).map(drop),
        "MemoryPool::import_pointer",
    );
    assert_eq!(*error.kind(), ErrorKind::InvalidArgument);
    // SAFETY: the bytes are no valid pointer, and the call fails.
    let foreign =
        unsafe { imported.import_pointer::<u32>(&stream, &PoolPointer::from_bytes([7; 64]), 3) };
    let error = assert_detail(foreign.map(drop), "DeviceBuffer::export_pointer");
    assert_eq!(*error.kind(), ErrorKind::InvalidArgument);
}

#[test]
#[cfg_attr(windows, ignore = "the emulator has no shared pools on Windows")]
fn pool_pointers_convert_to_bytes() {
    let (context, stream) = device();
    let options = options().handle_types(ShareableHandles::POSIX_FILE_DESCRIPTOR);
    let pool = MemoryPool::with_options(&context, options).unwrap();
    let buffer = pool.allocate::<u32>(&stream, 3).unwrap();
    failure(buffer.export_pointer()).mentions("MemoryPool::export_file first");
    let _file = pool.export_file().unwrap();
    let pointer = buffer.export_pointer().unwrap();
    assert_eq!(PoolPointer::from_bytes(pointer.to_bytes()), pointer);
    assert_eq!(format!("{pointer:?}"), "PoolPointer(..)");
}
