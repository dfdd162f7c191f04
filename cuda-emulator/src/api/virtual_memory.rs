//! Virtual memory management: reserved addresses, physical memory, mappings, and shareable handles.

use crate::abi::pointers::{In, Out};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::memory::{allocations, physical_memory, virtual_memory};
use crate::process::call::export;
use crate::process::warnings;

use crate::system::{Descriptor, PAGE};
use physical_memory::GRANULARITY;

fn no_flags(flags: u64) -> Result {
    if flags == 0 {
        Ok(())
    } else {
        Err(Code::ERROR_INVALID_VALUE)
    }
}

export! {
    fn cuMemAddressReserve(ptr: Out<u64>, size: usize, alignment: usize, addr: u64, flags: u64) {
        ptr.check()?;
        no_flags(flags)?;
        ptr.set(virtual_memory::reserve(size as u64, alignment as u64)?)
    }

    fn cuMemAddressFree(ptr: u64, size: usize) {
        virtual_memory::free(ptr, size as u64)
    }

    fn cuMemCreate(handle: Out<u64>, size: usize, prop: In<AllocationProperties>, flags: u64) {
        handle.check()?;
        no_flags(flags)?;
        handle.set(physical_memory::create(size as u64, prop.get()?)?.handle)
    }

    fn cuMemRelease(handle: u64) {
        physical_memory::release(handle)
    }

    fn cuMemMap(ptr: u64, size: usize, offset: usize, handle: u64, flags: u64) {
        no_flags(flags)?;
        let physical = &physical_memory::get(handle)?.physical;
        virtual_memory::map(ptr, size as u64, offset as u64, physical)
    }

    fn cuMemUnmap(ptr: u64, size: usize) {
        virtual_memory::unmap(ptr, size as u64)
    }

    fn cuMemSetAccess(ptr: u64, size: usize, desc: In<Access>, count: usize) {
        virtual_memory::set_access(ptr, size as u64, &desc.array(count)?)
    }

    fn cuMemGetAccess(flags: Out<u64>, location: In<Location>, ptr: u64) {
        flags.check()?;
        flags.set(virtual_memory::access(ptr, &location.get()?)?)
    }

    fn cuMemGetAllocationGranularity(granularity: Out<usize>, prop: In<AllocationProperties>, option: u32) {
        granularity.check()?;
        prop.get()?;
        if option > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        // An H200's driver (580) does not check the properties.
        granularity.set(GRANULARITY as usize)
    }

    fn cuMemGetAllocationPropertiesFromHandle(prop: Out<AllocationProperties>, handle: u64) {
        prop.check()?;
        prop.set(physical_memory::get(handle)?.physical.properties)
    }

    fn cuMemRetainAllocationHandle(handle: Out<u64>, addr: u64) {
        handle.check()?;
        let physical = virtual_memory::physical_at(addr).ok_or(Code::ERROR_INVALID_VALUE)?;
        handle.set(physical_memory::retain(&physical))
    }

    fn cuMemExportToShareableHandle(shareableHandle: Out<Descriptor>, handle: u64, handleType: u32, flags: u64) {
        shareableHandle.check()?;
        no_flags(flags)?;
        let memory = physical_memory::get(handle)?;
        shareableHandle.set(physical_memory::export(&memory, handleType)?)
    }

    fn cuMemImportFromShareableHandle(handle: Out<u64>, osHandle: u64, shHandleType: u32) {
        handle.check()?;
        match shHandleType {
            // Descriptor 0 is a null pointer to the driver, which rejects it.
            MEM_HANDLE_TYPE_FILE if osHandle != 0 => {
                handle.set(physical_memory::import(osHandle as Descriptor)?.handle)
            }
            // As on an H200 without a fabric.
            CU_MEM_HANDLE_TYPE_WIN32 => Err(Code::ERROR_NOT_SUPPORTED),
            CU_MEM_HANDLE_TYPE_FABRIC if osHandle != 0 => Err(Code::ERROR_NOT_SUPPORTED),
            _ => Err(Code::ERROR_INVALID_VALUE),
        }
    }

    fn cuMemGetHandleForAddressRange(handle: Out<i32>, dptr: u64, size: usize, handleType: u32, flags: u64) {
        handle.check()?;
        let pages = size > 0 && (dptr | size as u64).is_multiple_of(PAGE);
        if !pages || handleType != CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD || flags > 1 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        allocations::check(dptr, size as u64)?;
        Err(warnings::missing_feature("a DMA buffer"))
    }
}
