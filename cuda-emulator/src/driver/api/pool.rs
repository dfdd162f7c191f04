//! Stream-ordered allocation and its pools.

use std::sync::Arc;

use crate::driver::abi::*;
use crate::driver::arg::{In, Out, PoolAttribute};
use crate::driver::call::export;
use crate::driver::graph::{self, capture};
use crate::driver::ordered;
use crate::driver::status::{Code, Result};
use crate::driver::stream::Stream;
use crate::driver::streams;
use crate::driver::{device, notice, pool};

use pool::Pool;

impl Location {
    /// The device it names.
    pub fn device(&self) -> Result<i32> {
        if self.kind != CU_MEM_LOCATION_TYPE_DEVICE {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        device::check(self.id)?;
        Ok(self.id)
    }
}

fn located(location: In<Location>, kind: u32) -> Result<i32> {
    let ordinal = location.get()?.device()?;
    if kind == CU_MEM_ALLOCATION_TYPE_PINNED {
        Ok(ordinal)
    } else {
        Err(notice::lacking("a pool of such memory"))
    }
}

/// Allocates in the order of a stream, or records the allocation where the stream is being captured.
fn allocate(pool: &Arc<Pool>, size: usize, stream: &Arc<Stream>) -> Result<u64> {
    if capture::of(stream).is_some() {
        return graph::memory::capture_allocation(pool, size as u64, stream);
    }
    capture::refuse_unsafe()?;
    ordered::allocate(pool, size as u64, stream)
}

export! {
    fn cuMemAllocAsync / cuMemAllocAsync_ptsz(dptr: Out<u64>, bytesize: usize, hStream: u64) {
        dptr.check()?;
        let stream = streams::resolve(hStream)?;
        let pool = pool::current_of(stream.context.ordinal);
        dptr.set(allocate(&pool, bytesize, &stream)?)
    }

    fn cuMemAllocFromPoolAsync / cuMemAllocFromPoolAsync_ptsz(dptr: Out<u64>, bytesize: usize, pool_: u64, hStream: u64) {
        dptr.check()?;
        let stream = streams::resolve(hStream)?;
        dptr.set(allocate(&pool::get(pool_)?, bytesize, &stream)?)
    }

    fn cuMemFreeAsync / cuMemFreeAsync_ptsz(dptr: u64, hStream: u64) {
        let stream = streams::resolve(hStream)?;
        if capture::of(&stream).is_some() {
            return graph::memory::capture_free(dptr, &stream);
        }
        capture::refuse_unsafe()?;
        if dptr == 0 {
            return Ok(());
        }
        ordered::free(dptr, &stream)
    }

    fn cuMemPoolCreate(pool_: Out<u64>, poolProps: In<PoolProperties>) {
        pool_.check()?;
        let properties = poolProps.get()?;
        if properties.allocation_type != CU_MEM_ALLOCATION_TYPE_PINNED {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        let ordinal = properties.location.device()?;
        // Sharing with other processes isn't offered (attribute 119 says so).
        if properties.handle_types != 0 {
            return Err(notice::lacking("a pool that other processes share"));
        }
        pool_.set(pool::create(ordinal, properties.maximum as u64).handle)
    }

    fn cuMemPoolDestroy(pool_: u64) {
        pool::destroy(pool_)
    }

    fn cuMemPoolTrimTo(pool_: u64, minBytesToKeep: usize) {
        // Freed memory isn't held back in the first place.
        pool::get(pool_).map(drop)
    }

    fn cuMemPoolSetAttribute(pool_: u64, attr: PoolAttribute, value: In<u32>) {
        let pool = pool::get(pool_)?;
        let low = u64::from(value.get()?);
        let high = if Pool::is_wide(attr.0) { u64::from(value.at(1)?) } else { 0 };
        pool.set_attribute(attr.0, high << 32 | low)
    }

    fn cuMemPoolGetAttribute(pool_: u64, attr: PoolAttribute, value: Out<u32>) {
        value.check()?;
        let (found, wide) = pool::get(pool_)?.attribute(attr.0)?;
        if wide { value.cast::<u64>().set(found) } else { value.set(found as u32) }
    }

    fn cuMemPoolSetAccess(pool_: u64, map: In<Access>, count: usize) {
        let pool = pool::get(pool_)?;
        for index in 0..count {
            let access = map.at(index)?;
            let ordinal = access.location.device()?;
            match access.flags {
                // A pool's own device always has access.
                CU_MEM_ACCESS_FLAGS_PROT_NONE | CU_MEM_ACCESS_FLAGS_PROT_READ if ordinal == pool.ordinal => return Err(Code::ERROR_INVALID_VALUE),
                CU_MEM_ACCESS_FLAGS_PROT_NONE | CU_MEM_ACCESS_FLAGS_PROT_READ | CU_MEM_ACCESS_FLAGS_PROT_READWRITE => {}
                _ => return Err(Code::ERROR_INVALID_VALUE),
            }
        }
        Ok(())
    }

    fn cuMemPoolGetAccess(flags: Out<u32>, memPool: u64, location: In<Location>) {
        flags.check()?;
        let pool = pool::get(memPool)?;
        let ordinal = location.get()?.device()?;
        flags.set(if ordinal == pool.ordinal { CU_MEM_ACCESS_FLAGS_PROT_READWRITE } else { 0 })
    }

    fn cuMemGetDefaultMemPool(pool_out: Out<u64>, location: In<Location>, type_: u32) {
        pool_out.check()?;
        pool_out.set(pool::default_of(located(location, type_)?).handle)
    }

    fn cuMemGetMemPool(pool_: Out<u64>, location: In<Location>, type_: u32) {
        pool_.check()?;
        pool_.set(pool::current_of(located(location, type_)?).handle)
    }

    fn cuMemSetMemPool(location: In<Location>, type_: u32, pool_: u64) {
        pool::set_current(located(location, type_)?, pool::get(pool_)?)
    }
}
