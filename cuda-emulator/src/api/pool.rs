//! Stream-ordered allocation and memory pools.

use std::sync::Arc;

use crate::abi::pointers::{In, Out, PoolAttribute, Word};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::graph::{self, capture};
use crate::memory::stream_ordered::{self, Exported};
use crate::memory::{allocations, pool};
use crate::process::call::export;
use crate::process::{device, warnings};
use crate::queue::stream::Stream;
use crate::queue::stream_table;
use crate::system::Descriptor;

use pool::Pool;

impl Location {
    /// Returns the device of this location.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the location is not a device, and
    /// `CUDA_ERROR_INVALID_DEVICE` if there is no device with this ordinal.
    pub fn device(&self) -> Result<i32> {
        if self.kind != CU_MEM_LOCATION_TYPE_DEVICE {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        device::check(self.id)?;
        Ok(self.id)
    }
}

/// Returns the purpose of a pool, kind of memory and location, with the checks of an H200's driver
/// (580).
fn purpose(kind: u32, location: Location) -> Result<(u32, (u32, i32))> {
    let reject = Err(Code::ERROR_INVALID_VALUE);
    let place = location.place().map_err(|_| Code::ERROR_INVALID_VALUE);
    match (kind, location.kind) {
        (
            CU_MEM_ALLOCATION_TYPE_PINNED,
            CU_MEM_LOCATION_TYPE_NONE | CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT,
        ) => reject,
        (CU_MEM_ALLOCATION_TYPE_PINNED, _) => Ok((kind, place?)),
        (CU_MEM_ALLOCATION_TYPE_MANAGED, CU_MEM_LOCATION_TYPE_NONE) => {
            Ok((kind, (location.kind, 0)))
        }
        (CU_MEM_ALLOCATION_TYPE_MANAGED, CU_MEM_LOCATION_TYPE_INVISIBLE) => {
            Err(Code::ERROR_NOT_SUPPORTED)
        }
        (CU_MEM_ALLOCATION_TYPE_MANAGED, _) => Ok((kind, place?)),
        _ => reject,
    }
}

/// Returns the purpose of a default pool.
fn located(location: In<Location>, kind: u32) -> Result<(u32, (u32, i32))> {
    let location = location.get()?;
    match location.kind {
        CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT | CU_MEM_LOCATION_TYPE_INVISIBLE => {
            Err(Code::ERROR_NOT_SUPPORTED)
        }
        _ => purpose(kind, location),
    }
}

/// Allocates memory in stream order, or records the allocation if the stream is being captured.
fn allocate(pool: &Arc<Pool>, size: usize, stream: &Arc<Stream>) -> Result<u64> {
    if capture::of(stream).is_some() {
        return graph::memory_nodes::capture_allocation(pool, size as u64, stream);
    }
    capture::reject_unsafe()?;
    stream_ordered::allocate(pool, size as u64, stream)
}

export! {
    fn cuMemAllocAsync / cuMemAllocAsync_ptsz(dptr: Out<u64>, bytesize: usize, hStream: u64) {
        dptr.check()?;
        let stream = stream_table::resolve(hStream)?;
        let pool = pool::current_of(stream.context.ordinal);
        dptr.set(allocate(&pool, bytesize, &stream)?)
    }

    fn cuMemAllocFromPoolAsync / cuMemAllocFromPoolAsync_ptsz(dptr: Out<u64>, bytesize: usize, pool_: u64, hStream: u64) {
        dptr.check()?;
        let stream = stream_table::resolve(hStream)?;
        dptr.set(allocate(&pool::get(pool_)?, bytesize, &stream)?)
    }

    fn cuMemFreeAsync / cuMemFreeAsync_ptsz(dptr: u64, hStream: u64) {
        let stream = stream_table::resolve(hStream)?;
        if capture::of(&stream).is_some() {
            return graph::memory_nodes::capture_free(dptr, &stream);
        }
        capture::reject_unsafe()?;
        if dptr == 0 {
            return Ok(());
        }
        stream_ordered::free(dptr, &stream)
    }

    fn cuMemPoolCreate(pool_: Out<u64>, poolProps: In<PoolProperties>) {
        pool_.check()?;
        let properties = poolProps.get()?;
        let (kind, place) = purpose(properties.allocation_type, properties.location)?;
        if properties.reserved != [0; 54] {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        if properties.handle_types != 0 {
            warnings::expect_sharing("a shared pool on Windows")?;
        }
        let shared = match (properties.handle_types, kind, place.0) {
            (0, ..) => false,
            (CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_DEVICE | CU_MEM_LOCATION_TYPE_HOST_NUMA) => true,
            (CU_MEM_HANDLE_TYPE_FABRIC, ..) => return Err(warnings::missing_feature("a fabric between hosts")),
            _ => return Err(Code::ERROR_INVALID_VALUE),
        };
        pool_.set(pool::create(kind, place, properties.maximum as u64, shared)?.handle)
    }

    fn cuMemPoolDestroy(pool_: u64) {
        pool::destroy(pool_)
    }

    fn cuMemPoolTrimTo(pool_: u64, minBytesToKeep: usize) {
        let pool = pool::get(pool_)?;
        pool.expect_own()?;
        pool.trim(minBytesToKeep as u64);
        Ok(())
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
        let mut wanted = Vec::new();
        for access in map.array(count)? {
            let given = match access.flags {
                CU_MEM_ACCESS_FLAGS_PROT_NONE => false,
                CU_MEM_ACCESS_FLAGS_PROT_READWRITE => true,
                CU_MEM_ACCESS_FLAGS_PROT_READ => return Err(Code::ERROR_NOT_SUPPORTED),
                _ => return Err(Code::ERROR_INVALID_VALUE),
            };
            if access.location.kind != CU_MEM_LOCATION_TYPE_DEVICE {
                return Err(Code::ERROR_NOT_SUPPORTED);
            }
            let (_, ordinal) = access.location.place()?;
            // A pool's own device always has access.
            if !given && pool.of_device() && ordinal == pool.ordinal {
                return Err(Code::ERROR_INVALID_DEVICE);
            }
            if pool.is_unreachable_from(ordinal) {
                return Err(Code::ERROR_INVALID_DEVICE);
            }
            wanted.push((ordinal, given));
        }
        wanted.into_iter().for_each(|(ordinal, given)| pool.set_access(ordinal, given));
        allocations::invalidate_lookups();
        Ok(())
    }

    fn cuMemPoolGetAccess(flags: Out<u32>, memPool: u64, location: In<Location>) {
        flags.check()?;
        let pool = pool::get(memPool)?;
        let location = location.get()?;
        let given = match location.kind {
            CU_MEM_LOCATION_TYPE_DEVICE => pool.reports_access(location.device()?),
            CU_MEM_LOCATION_TYPE_HOST | CU_MEM_LOCATION_TYPE_HOST_NUMA => pool.is_on_host(),
            _ => return Err(Code::ERROR_INVALID_VALUE),
        };
        flags.set(if given { CU_MEM_ACCESS_FLAGS_PROT_READWRITE } else { CU_MEM_ACCESS_FLAGS_PROT_NONE })
    }

    fn cuMemGetDefaultMemPool(pool_out: Out<u64>, location: In<Location>, type_: u32) {
        pool_out.check()?;
        pool_out.set(pool::default_for(located(location, type_)?).handle)
    }

    fn cuMemGetMemPool(pool_: Out<u64>, location: In<Location>, type_: u32) {
        pool_.check()?;
        pool_.set(pool::current_for(located(location, type_)?).handle)
    }

    fn cuMemSetMemPool(location: In<Location>, type_: u32, pool_: u64) {
        pool::set_current_for(located(location, type_)?, pool::get(pool_)?)
    }

    fn cuMemPoolExportToShareableHandle(handle_out: Out<Descriptor>, pool_: u64, handleType: u32, flags: u64) {
        handle_out.check()?;
        let pool = pool::get(pool_)?;
        pool.expect_own()?;
        if handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || flags != 0 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        let file = pool.export().ok_or(Code::ERROR_INVALID_VALUE)?;
        handle_out.set(file.duplicate().ok_or(Code::ERROR_UNKNOWN)?)
    }

    fn cuMemPoolImportFromShareableHandle(pool_out: Out<u64>, handle: Word, handleType: u32, flags: u64) {
        pool_out.check()?;
        warnings::expect_sharing("a shared pool on Windows")?;
        // Descriptor 0 is a null pointer to the driver, which rejects it.
        if handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || flags != 0 || handle.0 == 0 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        pool_out.set(pool::import(handle.0 as Descriptor)?.handle)
    }

    fn cuMemPoolExportPointer(shareData_out: Out<Exported>, ptr: u64) {
        shareData_out.check()?;
        shareData_out.set(stream_ordered::export(ptr)?)
    }

    fn cuMemPoolImportPointer(ptr_out: Out<u64>, pool_: u64, shareData: In<Exported>) {
        ptr_out.check()?;
        ptr_out.set(stream_ordered::import(&pool::get(pool_)?, &shareData.get()?)?)
    }
}
