//! Current pools and their lifetimes.

use std::{
    ptr,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use cuda_safe::memory::{MemoryLocation, MemoryPoolOptions, PoolType};

use super::*;

const DESTROY: &str = "cuMemPoolDestroy";

#[test]
fn current_pool_lives_as_long_as_its_handle() {
    traced("", || {
        let (context, stream) = device();
        let default = MemoryPool::default_of(&context).unwrap();
        assert_eq!(MemoryPool::current(&context).unwrap(), default);
        let pool = MemoryPool::new(&context).unwrap();
        pool.make_current().unwrap();
        let before = MemoryPool::current(&context).unwrap();
        assert_eq!(before, pool);
        assert!(
            made(DESTROY, || drop(pool)).is_empty(),
            "the current pool was destroyed"
        );
        default.make_current().unwrap();
        before.make_current().unwrap();
        let buffer = DeviceBuffer::<u8>::uninit(&stream, 1000).unwrap();
        assert_eq!(before.used().unwrap(), 1000);
        buffer.close().unwrap();
        makes(DESTROY, &[], || before.close().unwrap());
        assert_eq!(MemoryPool::current(&context).unwrap(), default);
        DeviceBuffer::<u8>::uninit(&stream, 1000).unwrap();
    });
}

#[test]
fn current_pool_of_a_location_lives_as_long_as_its_handle() {
    traced("", || {
        let (context, _) = device();
        let other = Context::create(context.device(), ContextFlags::AUTO).unwrap();
        let place = MemoryLocation::HOST;
        let current = |context: &Context| MemoryPool::current_at(context, place, PoolType::PINNED);
        let default = MemoryPool::default_at(&context, place, PoolType::PINNED).unwrap();
        assert_eq!(current(&context).unwrap(), default);
        let options = MemoryPoolOptions::default().location(place);
        let pool = MemoryPool::with_options(&context, options).unwrap();
        pool.make_current_at(place, PoolType::PINNED).unwrap();
        // Every context returns the same pool.
        let before = current(&other).unwrap();
        assert_eq!(before, pool);
        assert!(
            made(DESTROY, || drop(pool)).is_empty(),
            "the current pool was destroyed"
        );
        default.make_current_at(place, PoolType::PINNED).unwrap();
        before.make_current_at(place, PoolType::PINNED).unwrap();
        makes(DESTROY, &[], || before.close().unwrap());
        assert_eq!(current(&context).unwrap(), default);
    });
}

#[test]
fn current_rejects_pools_of_other_code() {
    traced("", || {
        let (context, stream) = device();
        let pool = MemoryPool::new(&context).unwrap();
        pool.make_current().unwrap();
        let raw = pool.into_raw().unwrap(); // other code may destroy it now
        for error in [
            MemoryPool::current(&context).unwrap_err(),
            MemoryPool::current_at(&context, context.device(), PoolType::PINNED).unwrap_err(),
        ] {
            assert_eq!(*error.kind(), ErrorKind::InvalidArgument, "{error}");
            assert!(error.to_string().contains("borrow_raw"), "{error}");
        }
        // SAFETY: the pool is destroyed below, after the borrow was dropped.
        let borrowed = unsafe { MemoryPool::borrow_raw(raw, &context) };
        let again = MemoryPool::current(&context).unwrap();
        assert_eq!(again, borrowed);
        drop((again, borrowed));
        assert!(MemoryPool::current(&context).is_err());
        // SAFETY: `into_raw` gave up the pool above.
        let pool = unsafe { MemoryPool::from_raw(raw, &context) };
        let current = MemoryPool::current(&context).unwrap();
        drop(pool);
        current.trim_to(0).unwrap();
        makes(DESTROY, &[], || drop(current));
        let default = MemoryPool::default_of(&context).unwrap();
        assert_eq!(MemoryPool::current(&context).unwrap(), default);
        DeviceBuffer::<u8>::uninit(&stream, 1000).unwrap();
    });
}

#[test]
fn current_rejects_pools_created_by_raw_calls() {
    traced("", || {
        let (context, _) = device();
        let device = sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
        let properties = sys::CUmemPoolProps {
            allocType: sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
            location: sys::CUmemLocation::new(device, 0),
            ..Default::default()
        };
        let mut raw = ptr::null_mut();
        // SAFETY: all pointers are valid for the calls. The pool is destroyed once and not used
        // afterwards.
        unsafe {
            driver::check("create", sys::cuMemPoolCreate(&mut raw, &properties)).unwrap();
            driver::check("set", sys::cuDeviceSetMemPool(0, raw)).unwrap();
            assert!(MemoryPool::current(&context).is_err());
            driver::check("destroy", sys::cuMemPoolDestroy(raw)).unwrap();
        }
        let default = MemoryPool::default_of(&context).unwrap();
        assert_eq!(MemoryPool::current(&context).unwrap(), default);
    });
}

#[test]
fn threads_can_replace_the_current_pool_concurrently() {
    passes("", || {
        let (context, _) = device();
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !is_over.load(Ordering::Relaxed) {
                        let pool = MemoryPool::current(&context).unwrap();
                        thread::yield_now(); // lets the other thread drop its handle
                        pool.used().unwrap();
                        pool.make_current().unwrap();
                    }
                });
            }
            for _ in 0..2000 {
                let pool = MemoryPool::new(&context).unwrap();
                pool.make_current().unwrap();
                thread::yield_now();
                drop(pool);
            }
            is_over.store(true, Ordering::Relaxed);
        });
        MemoryPool::default_of(&context)
            .unwrap()
            .make_current()
            .unwrap();
    });
}

#[test]
fn memory_of_a_dropped_pool_has_no_peer_view() {
    traced("", || {
        let [here, there] = [0, 1].map(|number| Context::primary(number).unwrap());
        let far = Stream::new(&there).unwrap();
        let access = here.enable_peer_access(&there).unwrap();
        let pool = MemoryPool::new(&there).unwrap();
        pool.grant_access(&[here.device()]).unwrap();
        let memory = pool.allocate::<u32>(&far, 10).unwrap();
        access.view(&memory).unwrap();
        drop(pool);
        let asked = made("cuMemPoolGetAccess", || {
            rejection(access.view(&memory)).mentions("keep its MemoryPool");
        });
        assert!(asked.is_empty(), "the handle belongs to no pool: {asked:?}");
        // The default pool always exists.
        let default = MemoryPool::default_of(&there).unwrap();
        default.grant_access(&[here.device()]).unwrap();
        drop(default);
        let memory = DeviceBuffer::<u32>::zeroed(&far, 10).unwrap();
        access.view(&memory).unwrap();
    });
}

#[test]
fn destroyed_current_pool_is_replaced_by_the_default() {
    traced("", || {
        let (context, _) = device();
        let place = MemoryLocation::HOST;
        let options = MemoryPoolOptions::default().location(place);
        let pool = MemoryPool::with_options(&context, options).unwrap();
        for _ in 0..2 {
            makes("cuMemSetMemPool", &[], || {
                pool.make_current_at(place, PoolType::PINNED).unwrap()
            });
        }
        makes("cuMemSetMemPool", &[], || pool.close().unwrap());
    });
}
