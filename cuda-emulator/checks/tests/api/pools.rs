//! Stream-ordered memory and its pools.

#![allow(
    clippy::field_reassign_with_default,
    reason = "newer headers may have more fields"
)]

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::pools::*;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

#[test]
fn attributes_have_correct_widths_and_defaults() {
    let _own = Own::new();
    let own = pool(0, 0);
    let narrow = |value: u64| MARK & !0xffff_ffff | value;
    for attribute in 1..=3 {
        assert_eq!(read(own, attribute), Ok(narrow(1)), "{attribute}");
        // The attributes are independent.
        assert_eq!(write(own, attribute, MARK & !0xffff_ffff), SUCCESS);
        let now: Vec<_> = (1..=4).map(|one| read(own, one).unwrap()).collect();
        let mut wanted = [narrow(1), narrow(1), narrow(1), 0];
        wanted[attribute as usize - 1] = narrow(0);
        assert_eq!(now, wanted);
        assert_eq!(write(own, attribute, 1), SUCCESS);
        assert_eq!(read(own, attribute), Ok(narrow(1)), "{attribute}");
    }
    for threshold in [1, u64::MAX, 1 << 32, 0x1234_5678_9abc_def0, 0] {
        assert_eq!(write(own, 4, threshold), SUCCESS);
        assert_eq!(read(own, 4), Ok(threshold));
    }
    assert_eq!(read(own, 1), Ok(narrow(1)));
    for attribute in [0, 9, 20, u32::MAX] {
        assert_eq!(read(own, attribute), Err(INVALID), "{attribute}");
        assert_eq!(write(own, attribute, 0), INVALID, "{attribute}");
    }
    for attribute in [5, 7] {
        for value in [0, 1] {
            assert_eq!(write(own, attribute, value), INVALID, "{attribute}");
        }
    }
    let threshold = CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
    invalid!(cuMemPoolGetAttribute(own, threshold, null_mut()));
    invalid!(cuMemPoolSetAttribute(own, threshold, null_mut()));
    ok!(cuMemPoolDestroy(own));
}

#[test]
fn use_and_its_high_water_marks() {
    passes(&[], || {
        let _own = Own::new();
        let own = pool(0, 0);
        // Reserved bytes and their maximum, used bytes and their maximum.
        let state = || [5, 6, 7, 8].map(|attribute| read(own, attribute).unwrap());
        assert_eq!(state(), [0; 4]);
        let first = take(own, 1000).unwrap();
        let second = take(own, 24).unwrap();
        assert_eq!(state(), [PIECE, PIECE, 1024, 1024]);
        give(first);
        assert_eq!(state(), [PIECE, PIECE, 24, 1024]);
        // The high-water marks can only be reset, to the current use.
        for mark in [6, 8] {
            assert_eq!(write(own, mark, 1), INVALID);
            assert_eq!(write(own, mark, 1 << 32), INVALID);
        }
        assert_eq!(write(own, 6, 0), SUCCESS);
        assert_eq!(write(own, 8, 0), SUCCESS);
        assert_eq!(state(), [PIECE, PIECE, 24, 24]);
        let third = take(own, 6).unwrap();
        assert_eq!(state(), [PIECE, PIECE, 30, 30]);
        // Failed allocations and allocations of zero bytes are not counted.
        assert_eq!(take(own, 1 << 60), Err(OUT_OF_MEMORY));
        assert_eq!(take(own, 0), Ok(0));
        assert_eq!(read(own, 7), Ok(30));
        ok!(cuMemFree_v2(second));
        give(third);
        assert_eq!(state(), [0, PIECE, 0, 30]);
        ok!(cuMemPoolDestroy(own));
    });
}

/// The size of the pieces in which a pool allocates from the system.
const PIECE: u64 = 32 << 20;

#[test]
fn pools_keep_memory_up_to_their_threshold() {
    passes(&[], || {
        let _own = Own::new();
        let own = pool(0, 0);
        let reserved = || read(own, 5).unwrap();
        let stream = stream(1);
        let free = |address| ok!(cuMemFreeAsync(address, stream));
        // Freed memory is released when a thread waits for the freeing stream, an event on it or
        // the context.
        let event = out!(cuEventCreate(_, 0));
        for wait in 0..3 {
            let some = take(own, 64 << 20).unwrap();
            ok!(cuCtxSynchronize());
            assert_eq!(reserved(), 2 * PIECE);
            free(some);
            ok!(cuEventRecord(event, stream));
            ok!(cuStreamSynchronize(null_mut()));
            assert_eq!(reserved(), 2 * PIECE, "another stream's");
            match wait {
                0 => ok!(cuStreamSynchronize(stream)),
                1 => ok!(cuEventSynchronize(event)),
                _ => ok!(cuCtxSynchronize()),
            }
            assert_eq!(reserved(), 0, "{wait}");
        }
        // A piece that is in use stays, whatever the threshold.
        let some = take(own, 1000).unwrap();
        let more = take(own, 40 << 20).unwrap();
        assert_eq!(reserved(), 2 * PIECE);
        free(more);
        ok!(cuStreamSynchronize(stream));
        assert_eq!(reserved(), PIECE);
        assert_eq!(write(own, 4, PIECE), SUCCESS);
        free(some);
        ok!(cuStreamSynchronize(stream));
        assert_eq!(reserved(), PIECE, "no more than the threshold");
        assert_eq!(write(own, 4, PIECE - 1), SUCCESS);
        ok!(cuStreamSynchronize(stream));
        assert_eq!(reserved(), 0);
        // Trimming keeps at least the given number of bytes.
        assert_eq!(write(own, 4, u64::MAX), SUCCESS);
        let all = take(own, 100 << 20).unwrap();
        free(all);
        ok!(cuStreamSynchronize(stream));
        for (keep, left) in [(200 << 20, 4), (50 << 20, 2), (33 << 20, 2), (1, 1), (0, 0)] {
            ok!(cuMemPoolTrimTo(own, keep));
            assert_eq!(reserved(), left * PIECE, "{keep}");
        }
        ok!(cuMemPoolDestroy(own));
    });
}

#[test]
fn pools_do_not_exceed_their_maximum() {
    let _own = Own::new();
    let own = pool(0, 1000); // rounded up
    let full = Err(OUT_OF_MEMORY);
    assert_eq!(take(own, PIECE as usize + 1), full);
    let all = take(own, PIECE as usize).unwrap();
    assert_eq!(take(own, 1), full);
    give(all);
    let some = take(own, PIECE as usize - 512).unwrap();
    assert_eq!(take(own, 513), full);
    let rest = take(own, 512).unwrap();
    assert_eq!([read(own, 5), read(own, 6), read(own, 7)], [Ok(PIECE); 3]);
    give(some);
    give(rest);
    ok!(cuMemPoolDestroy(own));
}

#[test]
#[cfg_attr(windows, ignore = "Windows has no shared pools")]
fn creation_properties_are_checked() {
    let _own = Own::new();
    let mut created = null_mut();
    let good = properties(0, 0);
    invalid!(cuMemPoolCreate(null_mut(), &good));
    invalid!(cuMemPoolCreate(&mut created, null()));
    let mut table = Vec::new();
    // Allocation types and location types, as on an H200.
    for (kind, codes) in [
        (0, [INVALID; 6]),
        (1, [INVALID, SUCCESS, SUCCESS, SUCCESS, INVALID, INVALID]),
        (
            2,
            [SUCCESS, SUCCESS, SUCCESS, SUCCESS, SUCCESS, NOT_SUPPORTED],
        ),
        (3, [INVALID; 6]),
    ] {
        for (place, code) in codes.into_iter().enumerate() {
            let mut properties = good;
            properties.allocType = CUmemAllocationType(kind);
            properties.location.type_ = CUmemLocationType(place as u32);
            table.push((properties, code));
        }
    }
    for device in [-1, 1, 2] {
        table.push((properties(device, 0), INVALID));
    }
    // Handle types: pools can be shared as files, except pools of managed memory and of host memory
    // in general.
    for (types, kind, place, code) in [
        (1, 1, 1, SUCCESS),
        (1, 1, 3, SUCCESS),
        (1, 1, 2, INVALID),
        (1, 2, 0, INVALID),
        (2, 1, 1, INVALID),
        (3, 1, 1, INVALID),
        (4, 1, 1, INVALID),
        (8, 1, 1, NOT_SUPPORTED),
        (16, 1, 1, INVALID),
    ] {
        let mut properties = good;
        properties.handleTypes = CUmemAllocationHandleType(types);
        properties.allocType = CUmemAllocationType(kind);
        properties.location.type_ = CUmemLocationType(place);
        table.push((properties, code));
    }
    for (index, (properties, wanted)) in table.iter().enumerate() {
        let code = call!(cuMemPoolCreate(&mut created, properties));
        assert_eq!(code, *wanted, "{index}");
        if code == SUCCESS {
            ok!(cuMemPoolDestroy(created));
        }
    }
}

#[test]
fn invalid_pools_are_rejected() {
    let _own = Own::new();
    let destroyed = pool(0, 0);
    ok!(cuMemPoolTrimTo(destroyed, 0));
    ok!(cuMemPoolTrimTo(destroyed, 1 << 40));
    let kept = take(destroyed, 64).unwrap();
    ok!(cuMemPoolDestroy(destroyed));
    let mut wild: Vec<CUmemoryPool> = WILD.iter().map(|one| *one as CUmemoryPool).collect();
    wild.extend([destroyed, null_mut()]);
    let mut flags = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE;
    for one in wild {
        assert_eq!(read(one, 1), Err(INVALID));
        assert_eq!(write(one, 1, 0), INVALID);
        assert_eq!(take(one, 64), Err(INVALID));
        invalid!(cuMemPoolTrimTo(one, 0));
        invalid!(cuMemPoolDestroy(one));
        invalid!(cuMemPoolSetAccess(one, null(), 0));
        invalid!(cuMemPoolGetAccess(&mut flags, one, &mut location(0)));
        invalid!(cuMemSetMemPool(&mut location(0), PINNED, one));
        invalid!(cuDeviceSetMemPool(0, one));
    }
    // Memory from the pool stays valid.
    ok!(cuMemsetD8_v2(kept, 3, 64));
    assert_eq!(download::<u8>(kept, 64), [3; 64]);
    give(kept);
}

/// Returns the default and the current pool of a device, queried in both ways.
fn pools_of(device: i32) -> [CUmemoryPool; 2] {
    let place = &mut location(device);
    let default = out!(cuMemGetDefaultMemPool(_, place, PINNED));
    assert_eq!(out!(cuDeviceGetDefaultMemPool(_, device)), default);
    let current = out!(cuMemGetMemPool(_, place, PINNED));
    assert_eq!(out!(cuDeviceGetMemPool(_, device)), current);
    [default, current]
}

#[test]
fn each_device_has_separate_pools() {
    passes(&[("CUDA_EMULATOR_DEVICES", "2")], || {
        let _own = Own::new();
        let [first, second] = [0, 1].map(pools_of);
        assert_eq!((first[0], second[0]), (first[1], second[1]));
        assert_ne!(first[0], second[0]);
        for default in [first[0], second[0]] {
            invalid!(cuMemPoolDestroy(default));
        }
        let [here, there] = [0, 1].map(|device| pool(device, 0));
        for (device, wrong) in [(0, there), (1, here), (0, second[0])] {
            invalid!(cuMemSetMemPool(&mut location(device), PINNED, wrong));
        }
        assert_eq!([0, 1].map(pools_of), [first, second]);
        ok!(cuMemSetMemPool(&mut location(1), PINNED, there));
        assert_eq!([0, 1].map(pools_of), [first, [second[0], there]]);
        ok!(cuMemSetMemPool(&mut location(0), PINNED, here));
        assert_eq!([0, 1].map(pools_of), [[first[0], here], [second[0], there]]);
        // Plain allocations come from the current pool.
        let mut address = out!(cuMemAllocAsync(_, 100, null_mut()));
        assert_eq!([here, first[0]].map(|one| read(one, 7)), [Ok(100), Ok(0)]);
        ok!(cuMemFree_v2(address));
        // Destroying a pool that is not current changes nothing. After destroying the current pool,
        // the default pool is current.
        let spare = pool(0, 0);
        ok!(cuMemPoolDestroy(spare));
        assert_eq!(pools_of(0), [first[0], here]);
        ok!(cuMemPoolDestroy(here));
        assert_eq!([0, 1].map(pools_of), [first, [second[0], there]]);
        // A pool's own device always has access.
        let access = |device| out!(cuMemPoolGetAccess(_, there, &mut location(device))).0;
        assert_eq!([access(1), access(0)], [3, 0]);
        for (device, flags, wanted) in [
            (1, 0, INVALID_DEVICE),
            (1, 1, NOT_SUPPORTED),
            (1, 3, SUCCESS),
            (0, 0, SUCCESS),
            (0, 1, NOT_SUPPORTED),
            (0, 3, SUCCESS),
            (0, 2, INVALID),
            (0, 4, INVALID),
            (1, 2, INVALID),
            (1, 4, INVALID),
            (2, 3, INVALID_DEVICE),
        ] {
            let mut access = CUmemAccessDesc::default();
            access.location = location(device);
            access.flags = CUmemAccess_flags(flags);
            let code = call!(cuMemPoolSetAccess(there, &access, 1));
            assert_eq!(code, wanted, "device {device}, {flags}");
            let mut good = access;
            (good.location, good.flags) = (location(1), CUmemAccess_flags(3));
            let code = call!(cuMemPoolSetAccess(there, [good, access].as_ptr(), 2));
            assert_eq!(code, wanted, "second: device {device}, {flags}");
        }
        invalid!(cuMemPoolGetAccess(null_mut(), there, &mut location(0)));
        invalid!(cuMemPoolGetAccess(
            &mut CUmemAccess_flags(9),
            there,
            null_mut()
        ));
        // Memory of another device's pool belongs to that device. A context of that device must be
        // current.
        assert_eq!(take(there, 64), Err(INVALID));
        let stream = out!(cuStreamCreate(_, 1));
        let context = out!(cuCtxCreate_v2(_, 0, 1));
        ok!(cuMemAllocFromPoolAsync(&mut address, 64, there, stream));
        let mut ordinal = 7i32;
        let attribute = CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
        let place = (&raw mut ordinal).cast();
        ok!(cuPointerGetAttribute(place, attribute, address));
        assert_eq!(ordinal, 1);
        let total = out!(cuMemGetInfo_v2(null_mut(), _));
        assert_eq!(total - free_memory(), 512);
        ok!(cuMemFreeAsync(address, stream));
        ok!(cuStreamSynchronize(stream));
        assert_eq!(free_memory(), total);
        ok!(cuMemPoolDestroy(there));
        ok!(cuCtxDestroy_v2(context));
    });
}

#[test]
fn locations_and_types_of_memory() {
    let _own = Own::new();
    let own = pool(0, 0);
    let mut found = null_mut();
    // The location and type, and the code for a pool of device memory there.
    let mut table = vec![(location(0), PINNED, SUCCESS, SUCCESS)];
    for device in [-1, 1, 64] {
        table.push((location(device), PINNED, INVALID, INVALID));
    }
    let managed = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_MANAGED;
    for (place, kind, query_code, set) in [
        (0, PINNED, INVALID, INVALID),
        (2, PINNED, SUCCESS, INVALID),
        (3, PINNED, SUCCESS, INVALID),
        (4, PINNED, NOT_SUPPORTED, NOT_SUPPORTED),
        (5, PINNED, NOT_SUPPORTED, NOT_SUPPORTED),
        (0, managed, SUCCESS, INVALID),
        (1, managed, SUCCESS, INVALID),
        (4, managed, NOT_SUPPORTED, NOT_SUPPORTED),
    ] {
        let mut location = location(0);
        location.type_ = CUmemLocationType(place);
        table.push((location, kind, query_code, set));
    }
    for (index, (mut place, kind, query_code, set)) in table.into_iter().enumerate() {
        let default = call!(cuMemGetDefaultMemPool(&mut found, &mut place, kind));
        let current = call!(cuMemGetMemPool(&mut found, &mut place, kind));
        let codes = [
            default,
            current,
            call!(cuMemSetMemPool(&mut place, kind, own)),
        ];
        assert_eq!(codes, [query_code, query_code, set], "{index}");
    }
    let mut place = location(0);
    invalid!(cuMemGetDefaultMemPool(null_mut(), &mut place, PINNED));
    invalid!(cuMemGetMemPool(null_mut(), &mut place, PINNED));
    invalid!(cuMemSetMemPool(null_mut(), PINNED, own));
    ok!(cuMemPoolDestroy(own));
}

#[test]
fn stream_ordered_memory_is_freed_once() {
    let _own = Own::new();
    let mut address = 0;
    let none = null_mut();
    invalid!(cuMemAllocAsync(null_mut(), 16, none));
    for wild in WILD {
        let wild = wild as CUstream;
        stale!(cuMemAllocAsync(&mut address, 16, wild));
        stale!(cuMemFreeAsync(0, wild));
    }
    ok!(cuMemFreeAsync(0, none));
    ok!(cuMemAllocAsync(&mut address, 64, none));
    for wrong in [address + 8, alloc(64), 1] {
        invalid!(cuMemFreeAsync(wrong, none));
    }
    let stream = stream(1);
    let gate = block(stream);
    ok!(cuMemFreeAsync(address, stream));
    // A second free before the first has been executed.
    invalid!(cuMemFreeAsync(address, stream));
    invalid!(cuMemFreeAsync(address, none));
    let size = || result!(cuMemGetAddressRange_v2(null_mut(), _, address));
    assert_eq!(size(), Ok(64));
    gate.open();
    ok!(cuStreamSynchronize(stream));
    assert_eq!(size(), Err(NOT_FOUND));
}

#[test]
fn use_before_another_streams_allocation_faults() {
    let parts = [
        "CUDA_ERROR_ILLEGAL_ADDRESS",
        "in a copy or fill of 64 bytes at 0x",
        "(cuMemAllocAsync, 64 bytes at 0x",
        "has not been allocated yet in its stream's order. Fix: wait for that stream first",
    ];
    // Work is held so that the fault occurs in the wait for the stream, not before the enqueuing
    // call returns.
    let held = [("CUDA_EMULATOR_HOLD", "60000")];
    reports(&held, &parts, || {
        each([true, false], |fill| {
            let _own = Own::new();
            let (first, second) = (stream(1), stream(1));
            let other = alloc(64);
            let gate = block(first);
            let address = out!(cuMemAllocAsync(_, 64, first));
            match fill {
                true => ok!(cuMemsetD8Async(address, 1, 64, second)),
                false => ok!(cuMemcpyDtoDAsync_v2(other, address, 64, second)),
            }
            fails!(ILLEGAL_ADDRESS, cuStreamSynchronize(second));
            gate.open();
        });
    });
}

#[test]
fn host_memory_does_not_count_as_device_memory() {
    passes(&[("CUDA_EMULATOR_MEMORY", "64M")], || {
        let _own = Own::new();
        for place in [2, 3] {
            let mut properties = properties(0, 0);
            properties.location.type_ = CUmemLocationType(place);
            let own = out!(cuMemPoolCreate(_, &properties));
            let before = free_memory();
            let some = take(own, 100 << 20).unwrap();
            assert_eq!(free_memory(), before);
            give(some);
            ok!(cuMemPoolDestroy(own));
        }
    });
}

#[test]
fn memory_is_released_when_any_waiting_thread_returns() {
    passes(&[], || {
        let context = Own::new();
        let (own, stream) = (pool(0, 0), stream(1));
        let handles = [context.0 as usize, stream as usize, own as usize];
        let wait = move || {
            let [_, stream, own] = handles;
            ok!(cuStreamSynchronize(stream as CUstream));
            read(own as CUmemoryPool, 5)
        };
        // Two threads wait at the same moment, in the number of rounds that a busy machine
        // completes in a few seconds.
        const ROUNDS: usize = 200_000;
        let end = Instant::now() + Duration::from_secs(5);
        let (begun, ended) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let until = |counter: &AtomicUsize, round| {
            while counter.load(Ordering::SeqCst) < round {
                std::thread::yield_now();
            }
        };
        std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                ok!(cuCtxSetCurrent(handles[0] as CUcontext));
                let mut late = 0;
                for round in 1..=ROUNDS {
                    until(&begun, round);
                    if begun.load(Ordering::SeqCst) == usize::MAX {
                        break;
                    }
                    late += usize::from(wait() != Ok(0));
                    ended.store(round, Ordering::SeqCst);
                }
                late
            });
            let mut late = 0;
            for round in 1..=ROUNDS {
                let some = take(own, 1000).unwrap();
                ok!(cuCtxSynchronize());
                ok!(cuMemFreeAsync(some, stream));
                begun.store(round, Ordering::SeqCst);
                late += usize::from(wait() != Ok(0));
                until(&ended, round);
                if Instant::now() > end {
                    break;
                }
            }
            begun.store(usize::MAX, Ordering::SeqCst);
            assert_eq!((late, other.join().unwrap()), (0, 0));
        });
        ok!(cuMemPoolDestroy(own));
    });
}
