//! Linear memory: allocation, registration, attributes of addresses.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::abi::pointers::{In, Out, PointerAttribute};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::graph::capture;
use crate::memory::allocations::{self, Allocation, Request};
use crate::memory::budget;
use crate::memory::managed::DEVICE_INVALID;
use crate::memory::origin::Origin;
use crate::memory::{graph_allocations, virtual_memory};
use crate::process::call::export;
use crate::process::context::{self, Context};
use crate::process::{configuration, device};
use crate::queue::fault::Fault;
use crate::queue::pending_host_memory;
use crate::system;

const HOST_ALLOC_FLAGS: u32 =
    CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
const REGISTER_FLAGS: u32 = CU_MEMHOSTREGISTER_PORTABLE
    | CU_MEMHOSTREGISTER_DEVICEMAP
    | CU_MEMHOSTREGISTER_IOMEMORY
    | CU_MEMHOSTREGISTER_READ_ONLY;
/// Every `CUpointer_attribute` but the newest, which an H200's driver (580) does not know.
const POINTER_ATTRIBUTES: std::ops::RangeInclusive<u32> =
    CU_POINTER_ATTRIBUTE_CONTEXT..=CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE;

fn allocate(origin: Origin, size: usize, flags: u32) -> Result<u64> {
    capture::reject_unsafe()?;
    let context = context::current()?;
    if size == 0 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let request = Request {
        flags,
        ..Request::new(size as u64, origin)
    };
    Ok(allocations::allocate(&context, request)?.base)
}

fn free_host(address: u64) -> Result {
    context::current()?;
    capture::reject_unsafe()?;
    let found =
        allocations::starting_at(address).filter(|one| matches!(one.origin, Origin::Host(_)));
    let allocation = found.ok_or(Code::ERROR_INVALID_VALUE)?;
    release_host(&allocation, "cuMemFreeHost")
}

/// Frees page-locked memory after all work of its context, as the driver does. With
/// `CUDA_EMULATOR_CHECK=host` the client must have waited for the work that uses it.
fn release_host(allocation: &Arc<Allocation>, how: &str) -> Result {
    let (start, length) = (allocation.base as *const u8, allocation.size as usize);
    if configuration::get().check_host
        && let Some(work) = pending_host_memory::pending_host_work(start, length)
    {
        let report = format!(
            "{how} of {}\nunfinished work uses it: {work}\n  The driver is not required to wait here. Fix: wait for \
             the stream first.",
            allocation.summary()
        );
        Fault::new(Code::ERROR_LAUNCH_FAILED, report).strike(&allocation.context);
        return Err(Code::ERROR_LAUNCH_FAILED);
    }
    allocation.context.drain();
    allocations::free(allocation, how);
    Ok(())
}

fn register(address: u64, size: usize, flags: u32) -> Result {
    let context = context::current()?;
    // The emulator has no I/O memory.
    let known = flags & !REGISTER_FLAGS == 0 && flags & CU_MEMHOSTREGISTER_IOMEMORY == 0;
    if address == 0 || size == 0 || !known {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    if let Some(other) = allocations::find(address)
        && other.origin != Origin::Registered
    {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let writable = flags & CU_MEMHOSTREGISTER_READ_ONLY == 0;
    if !system::are_accessible(address, size as u64, writable) {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    allocations::register(&context, address, size as u64, flags, writable)
}

fn unregister(address: u64) -> Result {
    context::current()?;
    let allocation = allocations::find(address).ok_or(match address {
        0 => Code::ERROR_INVALID_VALUE,
        _ => Code::ERROR_HOST_MEMORY_NOT_REGISTERED,
    })?;
    if allocation.origin != Origin::Registered || allocation.base != address {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    release_host(&allocation, "cuMemHostUnregister")
}

/// Allocates page-locked memory. Stores null for a size of 0.
fn allocate_host(call: &'static str, place: Out<u64>, size: usize, flags: u32) -> Result {
    place.check()?;
    if size == 0 {
        context::current()?;
        return place.set(0);
    }
    place.set(allocate(Origin::Host(call), size, flags)?)
}

/// The value of an attribute, by the size of its C type.
enum Value {
    Int(u32),
    Word(u64),
    /// `CUDA_POINTER_ATTRIBUTE_P2P_TOKENS` with the values that an H200's driver (580) returns.
    Tokens,
}

/// Returns a `CUpointer_attribute` of an address, or `Ok(None)` if the driver does not know the
/// address.
fn pointer_attribute(attribute: u32, address: u64) -> Result<Option<Value>> {
    if !POINTER_ATTRIBUTES.contains(&attribute) {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let Some(one) = allocations::find(address) else {
        return Ok(None);
    };
    let pool = one.pool.as_ref();
    let is_mapped = one.origin == Origin::Mapped;
    let is_host = !one.origin.on_device()
        || is_mapped && one.flags != CU_MEM_LOCATION_TYPE_DEVICE
        || pool.is_some_and(|pool| pool.is_on_host());
    let is_managed = one.origin == Origin::Managed || pool.is_some_and(|pool| pool.is_managed());
    let ordinal = one.context.ordinal as usize;
    let reserved = || virtual_memory::reservation(address).unwrap_or((one.base, one.size));
    Ok(Some(match attribute {
        CU_POINTER_ATTRIBUTE_CONTEXT => Value::Word(if one.pool.is_some() || is_mapped {
            0
        } else {
            one.context.handle
        }),
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE => Value::Int(if is_host {
            CU_MEMORYTYPE_HOST
        } else {
            CU_MEMORYTYPE_DEVICE
        }),
        // As on an H200 (driver 580): a host pool has no device addresses.
        CU_POINTER_ATTRIBUTE_DEVICE_POINTER if is_host && pool.is_some() => {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        CU_POINTER_ATTRIBUTE_RANGE_START_ADDR if is_host && pool.is_some() => Value::Word(0),
        CU_POINTER_ATTRIBUTE_DEVICE_POINTER if one.is_inaccessible() => {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        CU_POINTER_ATTRIBUTE_DEVICE_POINTER => Value::Word(address),
        CU_POINTER_ATTRIBUTE_HOST_POINTER if is_host || is_managed => Value::Word(address),
        CU_POINTER_ATTRIBUTE_HOST_POINTER => return Err(Code::ERROR_INVALID_VALUE),
        CU_POINTER_ATTRIBUTE_P2P_TOKENS if is_host => return Err(Code::ERROR_INVALID_VALUE),
        CU_POINTER_ATTRIBUTE_P2P_TOKENS => Value::Tokens,
        CU_POINTER_ATTRIBUTE_SYNC_MEMOPS => {
            Value::Int(u32::from(one.sync_memops.load(Ordering::Relaxed)))
        }
        CU_POINTER_ATTRIBUTE_BUFFER_ID | CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID => {
            Value::Word(one.id)
        }
        CU_POINTER_ATTRIBUTE_IS_MANAGED => Value::Int(u32::from(is_managed)),
        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL => Value::Int(one.context.ordinal as u32),
        CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE => {
            Value::Int(u32::from(one.origin == Origin::Device))
        }
        // For mapped memory, as on an H200, the reserved range around it.
        CU_POINTER_ATTRIBUTE_RANGE_START_ADDR if is_mapped => Value::Word(reserved().0),
        CU_POINTER_ATTRIBUTE_RANGE_SIZE if is_mapped => Value::Word(reserved().1),
        CU_POINTER_ATTRIBUTE_ACCESS_FLAGS if is_mapped => {
            let rights = one.rights.as_ref();
            Value::Int(rights.map_or(0, |rights| rights.of(ordinal)).into())
        }
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

/// Returns the value of an attribute for an address that the driver does not know.
fn unknown_value(attribute: u32, address: u64) -> Value {
    match attribute {
        CU_POINTER_ATTRIBUTE_HOST_POINTER => Value::Word(address),
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
        Value::Tokens => {
            place.set(0)?;
            place.cast::<u32>().at(2).set(0xfe00)
        }
    }
}

/// Frees device memory after all work of its context, as the driver does.
fn free(address: u64) -> Result {
    context::current()?;
    capture::reject_unsafe()?;
    if address == 0 {
        return Ok(());
    }
    let found = allocations::starting_at(address);
    let allocation = found.ok_or(Code::ERROR_INVALID_VALUE)?;
    if allocation.origin == Origin::Graph {
        return graph_allocations::free(&allocation);
    }
    if !matches!(
        allocation.origin,
        Origin::Device | Origin::Managed | Origin::Stream | Origin::External
    ) {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let owner: Arc<Context> = allocation.context.clone();
    owner.drain();
    owner.usable()?;
    if allocations::free(&allocation, "cuMemFree") {
        Ok(())
    } else {
        Err(Code::ERROR_INVALID_VALUE)
    }
}

export! {
    fn cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>) {
        let context = context::current()?;
        let all = device::total_memory();
        free.set_optional(all.saturating_sub(budget::used(context.ordinal)) as usize);
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
        let found = allocations::find(dptr).filter(|one| !one.is_inaccessible());
        let allocation = found.ok_or(Code::ERROR_NOT_FOUND)?;
        pbase.set_optional(allocation.base);
        psize.set_optional(allocation.size as usize);
        Ok(())
    }

    fn cuMemAllocHost_v2(pp: Out<u64>, bytesize: usize) {
        allocate_host("cuMemAllocHost", pp, bytesize, 0)
    }

    fn cuMemHostAlloc(pp: Out<u64>, bytesize: usize, flags: u32) {
        pp.check()?;
        if flags & !HOST_ALLOC_FLAGS != 0 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        allocate_host("cuMemHostAlloc", pp, bytesize, flags)
    }

    fn cuMemFreeHost(p: u64) {
        free_host(p)
    }

    fn cuMemHostGetDevicePointer_v2(pdptr: Out<u64>, p: u64, flags: u32) {
        pdptr.check()?;
        context::current()?;
        let known = allocations::find(p).filter(|one| !one.origin.on_device());
        if flags != 0 || known.is_none() {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        pdptr.set(p)
    }

    fn cuMemHostGetFlags(pFlags: Out<u32>, p: u64) {
        pFlags.check()?;
        context::current()?;
        let known = allocations::find(p).filter(|one| matches!(one.origin, Origin::Host(_) | Origin::Registered));
        let one = known.ok_or(Code::ERROR_INVALID_VALUE)?;
        // With unified addressing all host memory is mapped. The other flags are those that an H200
        // (driver 580) returns.
        let reported = match one.origin {
            Origin::Host(_) => CU_MEMHOSTALLOC_WRITECOMBINED,
            _ => CU_MEMHOSTREGISTER_PORTABLE,
        };
        pFlags.set(one.flags & reported | CU_MEMHOSTALLOC_DEVICEMAP)
    }

    fn cuMemHostRegister(p: u64, bytesize: usize, flags: u32) {
        register(p, bytesize, flags)
    }

    fn cuMemHostRegister_v2(p: u64, bytesize: usize, flags: u32) {
        register(p, bytesize, flags)
    }

    fn cuMemHostUnregister(p: u64) {
        unregister(p)
    }

    fn cuMemAllocManaged(dptr: Out<u64>, bytesize: usize, flags: u32) {
        dptr.check()?;
        if flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        dptr.set(allocate(Origin::Managed, bytesize, flags)?)
    }

    fn cuPointerGetAttribute(data: Out<u64>, attribute: PointerAttribute, ptr: u64) {
        data.check()?;
        let PointerAttribute(attribute) = attribute;
        if matches!(attribute, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR | CU_POINTER_ATTRIBUTE_RANGE_SIZE) && allocations::find(ptr).is_none() {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        match pointer_attribute(attribute, ptr)? {
            Some(value) => store(data, value),
            // The driver does not know plain host memory.
            None => Err(Code::ERROR_INVALID_VALUE),
        }
    }

    fn cuPointerGetAttributes(numAttributes: u32, attributes: In<u32>, data: In<Out<u64>>, ptr: u64) {
        if numAttributes == 0 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        for index in 0..numAttributes as usize {
            let (attribute, place) = (attributes.at(index)?, data.at(index)?);
            place.check()?;
            let value = match pointer_attribute(attribute, ptr) {
                _ if attribute == CU_POINTER_ATTRIBUTE_P2P_TOKENS => return Err(Code::ERROR_INVALID_VALUE),
                Ok(Some(value)) => value,
                Ok(None) if matches!(attribute, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR | CU_POINTER_ATTRIBUTE_RANGE_SIZE) => continue,
                Ok(None) => unknown_value(attribute, ptr),
                // Attributes that this kind of memory does not have are returned as null here.
                Err(_) if POINTER_ATTRIBUTES.contains(&attribute) => Value::Word(0),
                Err(code) => return Err(code),
            };
            store(place, value)?;
        }
        Ok(())
    }

    fn cuPointerSetAttribute(value: In<u32>, attribute: PointerAttribute, ptr: u64) {
        // Only SYNC_MEMOPS can be set.
        let value = value.get()?;
        let allocation = allocations::find(ptr).ok_or(Code::ERROR_INVALID_VALUE)?;
        if attribute.0 != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        allocation.sync_memops.store(value != 0, Ordering::Relaxed);
        Ok(())
    }
}
