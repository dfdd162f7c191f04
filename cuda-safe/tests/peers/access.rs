//! Kernels that use memory of the other device, with access granted to contexts and to pools.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use cuda_safe::{
    Context, ContextFlags, Device, DeviceBuffer, DeviceViewMut, ErrorKind, LaunchConfig,
    MemoryPool, Out, Result, Stream,
    memory::{
        MemoryAccess, MemoryLocation, PitchedBuffer,
        virtual_memory::{AddressRange, GrowableBuffer, PhysicalMemory},
    },
    peer::PeerAccess,
    sys,
};

use super::{failure, in_child, kernel, numbers, pair, rejection};

#[test]
fn kernels_can_use_memory_of_the_other_device() {
    let Some(pair) = pair() else { return };
    let [here, there] = pair.contexts;
    let [stream, far] = pair.streams;
    if !here.device().can_access_peer(there.device()).unwrap() {
        return;
    }
    let access = here.enable_peer_access(&there).unwrap();
    assert_eq!((access.context(), access.peer()), (&here, &there));
    let mut memory = PitchedBuffer::from_slice(&far, 100, &numbers(100)).unwrap();
    let mut total = [0];
    let view = access.pitched(&memory).unwrap();
    stream
        .ordered_with([view.owner()], || {
            let arguments = (Out(&mut total), view, 100u32);
            // SAFETY: the buffer has a hundred elements, and the launch is ordered with its stream.
            unsafe { pair.sum[0].launch(&stream, LaunchConfig::new(1, 1), arguments) }
        })
        .unwrap();
    assert_eq!(total, [5050]);
    let set = kernel(&here, "set");
    let view = access.pitched_mut(&mut memory).unwrap();
    let mut row = view;
    let owner = Stream::clone(&far);
    stream
        .ordered_with([(&owner).into()], || {
            // SAFETY: the buffer has a hundred elements, and the launch is ordered with its stream.
            unsafe { set.launch(&stream, LaunchConfig::new(1, 1), (&mut row, 100u32)) }
        })
        .unwrap();
    assert_eq!(memory.to_vec(&far).unwrap()[97..], [97, 98, 99]);
    // Streams of this device can also fill it.
    memory.fill(&stream, 3).unwrap();
    assert_eq!(memory.to_vec(&far).unwrap(), vec![3; 100]);
    // Memory of a third context, or of this one, does not belong to the peer.
    let own = PitchedBuffer::from_slice(&stream, 4, &numbers(4)).unwrap();
    rejection(access.pitched(&own)).mentions("pass the memory itself");
    let back = there.enable_peer_access(&here).unwrap();
    assert!(back.pitched(&own).is_ok());
    access.close().unwrap();
    back.close().unwrap();
}

#[test]
fn access_is_counted_and_ends_with_the_last_reference() {
    let Some(pair) = pair() else { return };
    let [here, there] = pair.contexts;
    // Uses separate contexts, because other tests use the primary ones.
    let here = Context::create(here.device(), ContextFlags::default()).unwrap();
    let there = Context::create(there.device(), ContextFlags::default()).unwrap();
    let raw = |enable: bool| {
        let _current = here.push_current().unwrap();
        // SAFETY: the context is live.
        unsafe {
            match enable {
                true => sys::cuCtxEnablePeerAccess(there.as_raw(), 0),
                false => sys::cuCtxDisablePeerAccess(there.as_raw()),
            }
        }
    };
    let on = sys::CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
    let off = sys::CUresult::CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
    let first = here.enable_peer_access(&there).unwrap();
    assert_eq!(raw(true), on);
    let (clone, second) = (first.clone(), here.enable_peer_access(&there).unwrap());
    first.close().unwrap();
    drop(clone);
    assert_eq!(raw(true), on);
    drop(second);
    assert_eq!(raw(false), off);
    // Access that other code enabled stays enabled.
    assert_eq!(raw(true), sys::CUresult::CUDA_SUCCESS);
    here.enable_peer_access(&there).unwrap().close().unwrap();
    assert_eq!(raw(false), sys::CUresult::CUDA_SUCCESS);
    // Closing succeeds if other code has already disabled the access.
    let taken = here.enable_peer_access(&there).unwrap();
    assert_eq!(raw(false), sys::CUresult::CUDA_SUCCESS);
    taken.close().unwrap();
    let text = format!("{:?}", here.enable_peer_access(&there).unwrap());
    assert!(text.starts_with("PeerAccess("), "{text}");
}

#[test]
fn contexts_of_one_device_are_not_peers() {
    let Some(pair) = pair() else { return };
    let [here, _] = pair.contexts;
    let second = Context::create(here.device(), ContextFlags::default()).unwrap();
    for peer in [&here, &second] {
        failure(here.enable_peer_access(peer))
            .of_kind(ErrorKind::Unsupported)
            .mentions("both contexts belong to device 0");
    }
}

#[test]
fn pool_memory_needs_access_granted_by_the_pool() {
    let Some(pair) = pair() else { return };
    let [here, there] = pair.contexts;
    let [stream, far] = pair.streams;
    let (here, there) = (&here, &there);
    let access = here.enable_peer_access(there).unwrap();
    let pool = MemoryPool::new(there).unwrap();
    pool.make_current().unwrap();
    let mut memory = DeviceBuffer::from_slice(&far, &numbers(10)).unwrap();
    MemoryPool::default_of(there)
        .unwrap()
        .make_current()
        .unwrap();
    for result in [
        access.view(&memory).map(drop),
        access.view_mut(&mut memory).map(drop),
    ] {
        rejection(result).mentions("has no access");
    }
    assert_eq!(pool.access(here.device()).unwrap(), MemoryAccess::NONE);
    pool.grant_access(&[here.device()]).unwrap();
    assert_eq!(
        pool.access(here.device()).unwrap(),
        MemoryAccess::READ_WRITE
    );
    let view = access.view(&memory).unwrap();
    let mut total = [0];
    stream
        .ordered_with([view.owner()], || {
            let arguments = (Out(&mut total), view, 10u32);
            // SAFETY: the buffer has ten elements, and the launch is ordered with its stream.
            unsafe { pair.sum[0].launch(&stream, LaunchConfig::new(1, 1), arguments) }
        })
        .unwrap();
    assert_eq!(total, [55]);
    assert!(
        access
            .view(&DeviceBuffer::<u32>::zeroed(&far, 0).unwrap())
            .is_ok()
    );
    // A stream of the device with access can allocate from the pool.
    let mut own = pool.allocate::<u32>(&stream, 4).unwrap();
    own.fill(&stream, 9).unwrap();
    assert_eq!(own.to_vec(&stream).unwrap(), [9; 4]);
    own.close().unwrap();
    stream.synchronize().unwrap();
    far.synchronize().unwrap();
    // SAFETY: the device's work with the memory has finished, and there is no more.
    unsafe { pool.set_access(&[(here.device(), MemoryAccess::NONE)]) }.unwrap();
    assert_eq!(pool.access(here.device()).unwrap(), MemoryAccess::NONE);
    for result in [
        access.view(&memory).map(drop),
        pool.allocate::<u32>(&stream, 4).map(drop),
    ] {
        rejection(result).mentions("MemoryPool::grant_access");
    }
    assert_eq!(memory.to_vec(&far).unwrap(), numbers(10));
}

#[test]
fn kernel_without_access_faults() {
    in_child(|| {
        let Some(pair) = pair() else { return };
        let [stream, far] = pair.streams;
        let memory = PitchedBuffer::from_slice(&far, 4, &numbers(4)).unwrap();
        far.synchronize().unwrap();
        let mut total = [0];
        let arguments = (Out(&mut total), &memory, 4u32);
        // SAFETY: the test needs the fault.
        let error =
            unsafe { pair.sum[0].launch(&stream, LaunchConfig::new(1, 1), arguments) }.unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::Fault | ErrorKind::Poisoned),
            "{error}"
        );
    });
}

#[test]
fn disabling_access_waits_for_kernels() {
    let Some(pair) = pair() else { return };
    let [here, there] = pair.contexts;
    let [_, far] = pair.streams;
    // Uses a separate context, to which nothing else has access.
    let here = Context::create(here.device(), ContextFlags::default()).unwrap();
    let stream = Stream::new(&here).unwrap();
    let late = kernel(&here, "late");
    let memory = PitchedBuffer::from_slice(&far, 1, &[77u32]).unwrap();
    let mut result = PitchedBuffer::<u32>::zeroed(&stream, 1).unwrap();
    let access = here.enable_peer_access(&there).unwrap();
    far.synchronize().unwrap();
    let arguments = (&mut result, access.pitched(&memory).unwrap(), 50_000_000u64);
    // SAFETY: each buffer has one element, and nothing else uses them.
    unsafe { late.launch(&stream, LaunchConfig::new(1, 1), arguments) }.unwrap();
    drop(access);
    assert!(stream.query().unwrap());
    assert_eq!(result.to_vec(&stream).unwrap(), [77]);
}

/// While the last reference waits, another one is created and dropped, and leaves a kernel running.
#[test]
fn disabling_access_waits_for_kernels_launched_meanwhile() {
    let Some(pair) = pair() else { return };
    let [here, there] = pair.contexts;
    let [_, far] = pair.streams;
    let here = Context::create(here.device(), ContextFlags::default()).unwrap();
    let streams = [(); 2].map(|()| Stream::new(&here).unwrap());
    let late = kernel(&here, "late");
    let memory = PitchedBuffer::from_slice(&far, 1, &[77u32]).unwrap();
    let mut results = [0, 1].map(|i| PitchedBuffer::<u32>::zeroed(&streams[i], 1).unwrap());
    here.synchronize().unwrap();
    far.synchronize().unwrap();
    let mut launch = |access: &PeerAccess, i: usize, milliseconds: u64| {
        let view = access.pitched(&memory).unwrap();
        let arguments = (&mut results[i], view, milliseconds * 1_000_000);
        // SAFETY: each buffer has one element, and nothing else uses them.
        unsafe { late.launch(&streams[i], LaunchConfig::new(1, 1), arguments) }.unwrap();
    };
    let first = here.enable_peer_access(&there).unwrap();
    launch(&first, 1, 100);
    thread::scope(|scope| {
        let closing = scope.spawn(|| {
            first.close().unwrap();
            streams[0].query().unwrap()
        });
        thread::sleep(Duration::from_millis(20));
        let second = here.enable_peer_access(&there).unwrap();
        launch(&second, 0, 300);
        second.close().unwrap();
        assert!(
            closing.join().unwrap(),
            "access was disabled while a kernel was running"
        );
    });
    for i in [0, 1] {
        assert_eq!(results[i].to_vec(&streams[i]).unwrap(), [77]);
    }
}

/// Access to `cuMemMap` memory is granted to devices, independently of the access of contexts.
#[test]
fn mapped_memory_without_device_access_is_rejected() {
    let Some(pair) = pair() else { return };
    let [here, there] = pair.contexts;
    let [stream, far] = pair.streams;
    let access = here.enable_peer_access(&there).unwrap();
    let mut growing = GrowableBuffer::<u32>::with_capacity(&far, 10).unwrap();
    growing.extend_from_slice(&numbers(10)).unwrap();
    rejection(access.view(&growing)).mentions("Mapping::set_access");
    // Memory to which the device has access is accepted.
    let unit = PhysicalMemory::unit(&there).unwrap();
    let range = AddressRange::reserve(&there, unit).unwrap();
    let physical = PhysicalMemory::new(&there, unit).unwrap();
    let mut mapping = range.map(0, &physical).unwrap();
    for device in [here.device(), there.device()] {
        let location = MemoryLocation::device(device);
        mapping
            .set_access(location, MemoryAccess::READ_WRITE)
            .unwrap();
    }
    // SAFETY: the mapping outlives the view, and nothing else uses it.
    let mut open = unsafe { DeviceViewMut::<u32>::borrow_raw(mapping.as_device_ptr(), 10, &far) };
    open.copy_from_slice(&far, &numbers(10)).unwrap();
    let mut total = [0];
    let arguments = (Out(&mut total), access.view(&open).unwrap(), 10u32);
    // SAFETY: the kernel reads ten elements, which were written.
    unsafe { pair.sum[0].launch(&stream, LaunchConfig::new(1, 1), arguments) }.unwrap();
    assert_eq!(total, [55]);
}

#[test]
fn access_can_end_during_captures_of_another_thread() {
    let Some(pair) = pair() else { return };
    let [here, there] = pair.contexts;
    let [stream, _] = pair.streams;
    // Uses a separate context, because other tests enable access of the primary one.
    drop((here, stream));
    let here = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
    if !here.device().can_access_peer(there.device()).unwrap() {
        return;
    }
    let stream = Stream::new(&here).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|threads| {
        threads.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                drop(here.enable_peer_access(&there).unwrap());
            }
        });
        for _ in 0..500 {
            // SAFETY: the capture records nothing.
            let graph = unsafe {
                stream.capture(|_| -> Result<()> {
                    thread::yield_now();
                    Ok(())
                })
            };
            assert_eq!(graph.unwrap().nodes().unwrap().len(), 0);
        }
        done.store(true, Ordering::Relaxed);
    });
    here.enable_peer_access(&there).unwrap().close().unwrap();
}
