//! Linear memory: allocation, registration, what is known of an address.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::driver::abi::*;
use crate::driver::arg::{In, Out, PointerAttribute, RangeAttribute, Word};
use crate::driver::call::export;
use crate::driver::context::{self, Context};
use crate::driver::fault::Fault;
use crate::driver::graph::capture;
use crate::driver::memory::{self, Allocation, Origin, Request};
use crate::driver::status::{Code, Result};
use crate::driver::streams;
use crate::driver::{config, device, graph_memory, notice, pending};

const HOST_ALLOC_FLAGS: u32 =
    CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
const REGISTER_FLAGS: u32 = CU_MEMHOSTREGISTER_PORTABLE
    | CU_MEMHOSTREGISTER_DEVICEMAP
    | CU_MEMHOSTREGISTER_IOMEMORY
    | CU_MEMHOSTREGISTER_READ_ONLY;
/// `CU_DEVICE_CPU` and `CU_DEVICE_INVALID`
const DEVICE_CPU: i32 = -1;
const DEVICE_INVALID: i32 = -2;
/// Every `CUpointer_attribute` but the newest, which an H200's driver (580) doesn't know.
const POINTER_ATTRIBUTES: std::ops::RangeInclusive<u32> =
    CU_POINTER_ATTRIBUTE_CONTEXT..=CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE;

fn allocate(origin: Origin, size: usize, flags: u32) -> Result<u64> {
    capture::refuse_unsafe()?;
    let context = context::current()?;
    if size == 0 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let request = Request {
        flags,
        ..Request::new(size as u64, origin)
    };
    Ok(memory::allocate(&context, request)?.base)
}

fn free_host(address: u64) -> Result {
    context::current()?;
    capture::refuse_unsafe()?;
    let found = memory::starting_at(address).filter(|one| one.origin == Origin::Host);
    let allocation = found.ok_or(Code::ERROR_INVALID_VALUE)?;
    release_host(&allocation, "cuMemFreeHost")
}

/// Ends page-locked memory after all work of its context, as the driver does. With `CUDA_EMULATOR_CHECK=host` the
/// client should have waited for what uses it.
fn release_host(allocation: &Arc<Allocation>, how: &str) -> Result {
    let (start, length) = (allocation.base as *const u8, allocation.size as usize);
    if config::get().check_host
        && let Some(work) = pending::pending_host_work(start, length)
    {
        let report = format!(
            "{how} of {}\nunfinished work uses it: {work}\n  The driver may wait here, but doesn't promise it: wait \
             for the stream first.",
            allocation.summary()
        );
        Fault::new(Code::ERROR_LAUNCH_FAILED, report).strike(&allocation.context);
        return Err(Code::ERROR_LAUNCH_FAILED);
    }
    allocation.context.drain();
    memory::free(allocation, how);
    Ok(())
}

fn register(address: u64, size: usize, flags: u32) -> Result {
    let context = context::current()?;
    if address == 0 || size == 0 || flags & !REGISTER_FLAGS != 0 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    memory::register(
        &context,
        address,
        size as u64,
        flags,
        flags & CU_MEMHOSTREGISTER_READ_ONLY == 0,
    )
}

fn managed(address: u64, count: usize) -> Result<Arc<Allocation>> {
    context::current()?;
    if count == 0 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let allocation = memory::check(address, count as u64)?;
    let managed = matches!(allocation.origin, Origin::Managed | Origin::Variable(_));
    if managed {
        Ok(allocation)
    } else {
        Err(Code::ERROR_INVALID_VALUE)
    }
}

/// Advice and prefetches have nothing to do where there is only one memory; what they refer to is checked.
fn advise(address: u64, count: usize, advice: u32) -> Result {
    managed(address, count)?;
    if (CU_MEM_ADVISE_SET_READ_MOSTLY..=CU_MEM_ADVISE_UNSET_ACCESSED_BY).contains(&advice) {
        Ok(())
    } else {
        Err(Code::ERROR_INVALID_VALUE)
    }
}

fn prefetch(address: u64, count: usize, flags: u32, stream: u64) -> Result {
    capture::refuse_work(&streams::resolve(stream)?)?;
    managed(address, count)?;
    if flags == 0 {
        Ok(())
    } else {
        Err(Code::ERROR_INVALID_VALUE)
    }
}

/// A value of an attribute, by its size in the C type.
enum Value {
    Int(u32),
    Word(u64),
}

/// A `CUpointer_attribute` of an address; `Ok(None)` where the address isn't known to the driver.
fn pointer_attribute(attribute: u32, address: u64) -> Result<Option<Value>> {
    if !POINTER_ATTRIBUTES.contains(&attribute) {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let Some(one) = memory::find(address) else {
        return Ok(None);
    };
    let is_host = !one.origin.on_device();
    let is_managed = one.origin == Origin::Managed;
    Ok(Some(match attribute {
        CU_POINTER_ATTRIBUTE_CONTEXT => Value::Word(if one.pool.is_some() {
            0
        } else {
            one.context.handle
        }),
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE => Value::Int(if is_host {
            CU_MEMORYTYPE_HOST
        } else {
            CU_MEMORYTYPE_DEVICE
        }),
        CU_POINTER_ATTRIBUTE_DEVICE_POINTER => Value::Word(address),
        CU_POINTER_ATTRIBUTE_HOST_POINTER if is_host || is_managed => Value::Word(address),
        CU_POINTER_ATTRIBUTE_HOST_POINTER => return Err(Code::ERROR_INVALID_VALUE),
        CU_POINTER_ATTRIBUTE_P2P_TOKENS => return Err(Code::ERROR_NOT_SUPPORTED),
        CU_POINTER_ATTRIBUTE_SYNC_MEMOPS => {
            Value::Int(u32::from(one.sync_memops.load(Ordering::Relaxed)))
        }
        CU_POINTER_ATTRIBUTE_BUFFER_ID | CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID => {
            Value::Word(one.id)
        }
        CU_POINTER_ATTRIBUTE_IS_MANAGED => Value::Int(u32::from(is_managed)),
        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL => Value::Int(one.context.ordinal as u32),
        CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE => Value::Int(0),
        CU_POINTER_ATTRIBUTE_RANGE_START_ADDR | CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR => {
            Value::Word(one.base)
        }
        CU_POINTER_ATTRIBUTE_RANGE_SIZE | CU_POINTER_ATTRIBUTE_MAPPING_SIZE => {
            Value::Word(one.size)
        }
        CU_POINTER_ATTRIBUTE_MAPPED => Value::Int(1),
        CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES => Value::Word(0),
        CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE => Value::Int(0),
        CU_POINTER_ATTRIBUTE_ACCESS_FLAGS => Value::Int(if one.writable {
            CU_MEM_ACCESS_FLAGS_PROT_READWRITE
        } else {
            CU_MEM_ACCESS_FLAGS_PROT_READ
        }),
        CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE => {
            Value::Word(one.pool.as_ref().map_or(0, |pool| pool.handle))
        }
        _ => Value::Int(0),
    }))
}

/// What an attribute reads as for an address that the driver doesn't know.
fn unknown_value(attribute: u32) -> Value {
    match attribute {
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE
        | CU_POINTER_ATTRIBUTE_SYNC_MEMOPS
        | CU_POINTER_ATTRIBUTE_IS_MANAGED
        | CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE
        | CU_POINTER_ATTRIBUTE_MAPPED
        | CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE
        | CU_POINTER_ATTRIBUTE_ACCESS_FLAGS
        | CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE => Value::Int(0),
        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL => Value::Int(DEVICE_INVALID as u32),
        _ => Value::Word(0),
    }
}

fn store(place: Out<u64>, value: Value) -> Result {
    match value {
        Value::Word(word) => place.set(word),
        Value::Int(int) => place.cast::<u32>().set(int),
    }
}

/// A `CUmem_range_attribute`: one 32-bit value each; nothing was ever advised or moved.
fn range_attribute(data: Out<i32>, size: usize, attribute: u32) -> Result {
    let value = match attribute {
        CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY => 0,
        CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION
        | CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY
        | CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION => DEVICE_INVALID,
        CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE
        | CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE => CU_MEM_LOCATION_TYPE_INVALID as i32,
        CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID
        | CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID => DEVICE_INVALID,
        _ => return Err(Code::ERROR_INVALID_VALUE),
    };
    if size < 4 || !size.is_multiple_of(4) {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    // ACCESSED_BY fills an array of devices.
    for index in 0..if attribute == CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY {
        size / 4
    } else {
        1
    } {
        data.at(index).set(value)?;
    }
    Ok(())
}

/// Frees device memory after all work of its context, as the driver does.
fn free(address: u64) -> Result {
    context::current()?;
    capture::refuse_unsafe()?;
    if address == 0 {
        return Ok(());
    }
    let found = memory::starting_at(address);
    let allocation = found.ok_or(Code::ERROR_INVALID_VALUE)?;
    if allocation.origin == Origin::Graph {
        return graph_memory::free(&allocation);
    }
    if !matches!(
        allocation.origin,
        Origin::Device | Origin::Managed | Origin::Stream
    ) {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let owner: Arc<Context> = allocation.context.clone();
    owner.drain();
    owner.usable()?;
    if memory::free(&allocation, "cuMemFree") {
        Ok(())
    } else {
        Err(Code::ERROR_INVALID_VALUE)
    }
}

export! {
    fn cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>) {
        let context = context::current()?;
        let all = device::total_memory();
        free.set_optional(all.saturating_sub(memory::used(context.ordinal)) as usize);
        total.set_optional(all as usize);
        Ok(())
    }

    fn cuMemAlloc_v2(dptr: Out<u64>, bytesize: usize) {
        dptr.check()?;
        dptr.set(allocate(Origin::Device, bytesize, 0)?)
    }

    fn cuMemAllocPitch_v2(dptr: Out<u64>, pPitch: Out<usize>, WidthInBytes: usize, Height: usize, ElementSizeBytes: u32) {
        dptr.check()?;
        pPitch.check()?;
        context::current()?;
        if !matches!(ElementSizeBytes, 4 | 8 | 16) || WidthInBytes == 0 || Height == 0 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        let pitch = WidthInBytes.checked_next_multiple_of(device::PITCH as usize).ok_or(Code::ERROR_OUT_OF_MEMORY)?;
        let size = pitch.checked_mul(Height).ok_or(Code::ERROR_OUT_OF_MEMORY)?;
        dptr.set(allocate(Origin::Device, size, 0)?)?;
        pPitch.set(pitch)
    }

    fn cuMemFree_v2(dptr: u64) {
        free(dptr)
    }

    fn cuMemGetAddressRange_v2(pbase: Out<u64>, psize: Out<usize>, dptr: u64) {
        context::current()?;
        let allocation = memory::find(dptr).ok_or(Code::ERROR_NOT_FOUND)?;
        pbase.set_optional(allocation.base);
        psize.set_optional(allocation.size as usize);
        Ok(())
    }

    fn cuMemAllocHost_v2(pp: Out<u64>, bytesize: usize) {
        pp.check()?;
        pp.set(allocate(Origin::Host, bytesize, 0)?)
    }

    fn cuMemHostAlloc(pp: Out<u64>, bytesize: usize, flags: u32) {
        pp.check()?;
        if flags & !HOST_ALLOC_FLAGS != 0 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        pp.set(allocate(Origin::Host, bytesize, flags)?)
    }

    fn cuMemFreeHost(p: u64) {
        free_host(p)
    }

    fn cuMemHostGetDevicePointer_v2(pdptr: Out<u64>, p: u64, flags: u32) {
        pdptr.check()?;
        context::current()?;
        let known = memory::find(p).filter(|one| !one.origin.on_device());
        if flags != 0 || known.is_none() {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        pdptr.set(p)
    }

    fn cuMemHostGetFlags(pFlags: Out<u32>, p: u64) {
        pFlags.check()?;
        context::current()?;
        let known = memory::find(p).filter(|one| one.origin == Origin::Host);
        // With unified addressing all of it is portable and mapped.
        let flags = known.ok_or(Code::ERROR_INVALID_VALUE)?.flags;
        pFlags.set(flags | CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP)
    }

    fn cuMemHostRegister(p: u64, bytesize: usize, flags: u32) {
        register(p, bytesize, flags)
    }

    fn cuMemHostRegister_v2(p: u64, bytesize: usize, flags: u32) {
        register(p, bytesize, flags)
    }

    fn cuMemHostUnregister(p: u64) {
        context::current()?;
        let found = memory::starting_at(p).filter(|one| one.origin == Origin::Registered);
        let allocation = found.ok_or(Code::ERROR_HOST_MEMORY_NOT_REGISTERED)?;
        release_host(&allocation, "cuMemHostUnregister")
    }

    fn cuMemAllocManaged(dptr: Out<u64>, bytesize: usize, flags: u32) {
        dptr.check()?;
        if flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        dptr.set(allocate(Origin::Managed, bytesize, flags)?)
    }

    fn cuStreamAttachMemAsync / cuStreamAttachMemAsync_ptsz(hStream: u64, dptr: u64, length: usize, flags: u32) {
        capture::refuse_work(&streams::resolve(hStream)?)?;
        managed(dptr, length.max(1))?;
        if matches!(flags, CU_MEM_ATTACH_GLOBAL | CU_MEM_ATTACH_HOST | CU_MEM_ATTACH_SINGLE) { Ok(()) } else { Err(Code::ERROR_INVALID_VALUE) }
    }

    fn cuMemPrefetchAsync / cuMemPrefetchAsync_ptsz(devPtr: u64, count: usize, dstDevice: i32, hStream: u64) {
        if dstDevice != DEVICE_CPU {
            device::check(dstDevice)?;
        }
        prefetch(devPtr, count, 0, hStream)
    }

    fn cuMemPrefetchAsync_v2 / cuMemPrefetchAsync_v2_ptsz(devPtr: u64, count: usize, location: Word, flags: u32, hStream: u64) {
        prefetch(devPtr, count, flags, hStream)
    }

    fn cuMemAdvise(devPtr: u64, count: usize, advice: u32, device: i32) {
        advise(devPtr, count, advice)
    }

    fn cuMemAdvise_v2(devPtr: u64, count: usize, advice: u32, location: Word) {
        advise(devPtr, count, advice)
    }

    fn cuMemRangeGetAttribute(data: Out<i32>, dataSize: usize, attribute: RangeAttribute, devPtr: u64, count: usize) {
        data.check()?;
        managed(devPtr, count)?;
        range_attribute(data, dataSize, attribute.0)
    }

    fn cuMemRangeGetAttributes(data: In<Out<i32>>, dataSizes: In<usize>, attributes: In<u32>, numAttributes: usize, devPtr: u64, count: usize) {
        managed(devPtr, count)?;
        for index in 0..numAttributes {
            range_attribute(data.at(index)?, dataSizes.at(index)?, attributes.at(index)?)?;
        }
        Ok(())
    }

    fn cuPointerGetAttribute(data: Out<u64>, attribute: PointerAttribute, ptr: u64) {
        data.check()?;
        let PointerAttribute(attribute) = attribute;
        if matches!(attribute, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR | CU_POINTER_ATTRIBUTE_RANGE_SIZE) && memory::find(ptr).is_none() {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        match pointer_attribute(attribute, ptr)? {
            Some(value) => store(data, value),
            // The driver knows nothing of plain host memory.
            None => Err(Code::ERROR_INVALID_VALUE),
        }
    }

    fn cuPointerGetAttributes(numAttributes: u32, attributes: In<u32>, data: In<Out<u64>>, ptr: u64) {
        for index in 0..numAttributes as usize {
            let (attribute, place) = (attributes.at(index)?, data.at(index)?);
            let value = match pointer_attribute(attribute, ptr) {
                Ok(value) => value.unwrap_or_else(|| unknown_value(attribute)),
                // One that can't be had for this sort of memory reads as null here.
                Err(_) if POINTER_ATTRIBUTES.contains(&attribute) => unknown_value(attribute),
                Err(code) => return Err(code),
            };
            store(place, value)?;
        }
        Ok(())
    }

    fn cuPointerSetAttribute(value: In<u32>, attribute: PointerAttribute, ptr: u64) {
        // Only SYNC_MEMOPS can be set.
        let value = value.get()?;
        let allocation = memory::find(ptr).ok_or(Code::ERROR_INVALID_VALUE)?;
        if attribute.0 != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        allocation.sync_memops.store(value != 0, Ordering::Relaxed);
        Ok(())
    }

    fn cuMemGetAllocationGranularity(granularity: Out<usize>, prop: In<u64>, option: u32) {
        granularity.check()?;
        if prop.is_null() || option > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        // Virtual memory management isn't offered (attribute 102 says so).
        Err(notice::lacking("virtual memory management"))
    }
}
