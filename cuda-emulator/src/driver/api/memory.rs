//! Linear memory: allocation, registration, what is known of an address.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::driver::arg::{In, Out, Word};
use crate::driver::call::export;
use crate::driver::context::{self, Context};
use crate::driver::fault::Fault;
use crate::driver::memory::{self, Allocation, Origin, Request};
use crate::driver::status::{Code, Result};
use crate::driver::streams;
use crate::driver::{capture, config, device, pending};

const HOST_ALLOC_FLAGS: u32 = 7;
const REGISTER_FLAGS: u32 = 0xf;
/// `CU_MEMHOSTREGISTER_READ_ONLY`
const REGISTER_READ_ONLY: u32 = 8;

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
        flags & REGISTER_READ_ONLY == 0,
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
    if (1..=6).contains(&advice) {
        Ok(())
    } else {
        Err(Code::ERROR_INVALID_VALUE)
    }
}

fn prefetch(address: u64, count: usize, flags: u32, stream: u64) -> Result {
    streams::resolve(stream)?;
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

const MEMORY_TYPE_HOST: u32 = 1;
const MEMORY_TYPE_DEVICE: u32 = 2;

/// A `CUpointer_attribute` of an address; `Ok(None)` where the address isn't known to the driver.
fn pointer_attribute(attribute: u32, address: u64) -> Result<Option<Value>> {
    if !(1..=21).contains(&attribute) {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let Some(one) = memory::find(address) else {
        return Ok(None);
    };
    let is_host = !one.origin.on_device();
    let is_managed = one.origin == Origin::Managed;
    Ok(Some(match attribute {
        1 => Value::Word(if one.pool.is_some() {
            0
        } else {
            one.context.handle
        }),
        2 => Value::Int(if is_host {
            MEMORY_TYPE_HOST
        } else {
            MEMORY_TYPE_DEVICE
        }),
        3 => Value::Word(address),
        4 if is_host || is_managed => Value::Word(address),
        4 => return Err(Code::ERROR_INVALID_VALUE),
        5 => return Err(Code::ERROR_NOT_SUPPORTED),
        6 => Value::Int(u32::from(one.sync_memops.load(Ordering::Relaxed))),
        7 | 20 => Value::Word(one.id),
        8 => Value::Int(u32::from(is_managed)),
        9 => Value::Int(one.context.ordinal as u32),
        10 => Value::Int(0),
        11 | 19 => Value::Word(one.base),
        12 | 18 => Value::Word(one.size),
        13 => Value::Int(1),
        14 => Value::Word(0),
        15 => Value::Int(0),
        16 => Value::Int(if one.writable { 3 } else { 1 }),
        17 => Value::Word(one.pool.as_ref().map_or(0, |pool| pool.handle)),
        _ => Value::Int(0),
    }))
}

/// What an attribute reads as for an address that the driver doesn't know.
fn unknown_value(attribute: u32) -> Value {
    match attribute {
        2 | 6 | 8 | 10 | 13 | 15 | 16 | 21 => Value::Int(0),
        9 => Value::Int(-2i32 as u32),
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
        1 => 0,
        // CU_DEVICE_INVALID
        2..=4 => -2,
        // CU_MEM_LOCATION_TYPE_INVALID, and no id
        5 | 7 => 0,
        6 | 8 => -2,
        _ => return Err(Code::ERROR_INVALID_VALUE),
    };
    if size < 4 || !size.is_multiple_of(4) {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    // ACCESSED_BY fills an array of devices.
    for index in 0..if attribute == 3 { size / 4 } else { 1 } {
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
        pFlags.set(known.ok_or(Code::ERROR_INVALID_VALUE)?.flags | 3)
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
        // CU_MEM_ATTACH_GLOBAL or CU_MEM_ATTACH_HOST
        if flags != 1 && flags != 2 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        dptr.set(allocate(Origin::Managed, bytesize, flags)?)
    }

    fn cuStreamAttachMemAsync / cuStreamAttachMemAsync_ptsz(hStream: u64, dptr: u64, length: usize, flags: u32) {
        streams::resolve(hStream)?;
        managed(dptr, length.max(1))?;
        if matches!(flags, 1 | 2 | 4) { Ok(()) } else { Err(Code::ERROR_INVALID_VALUE) }
    }

    fn cuMemPrefetchAsync / cuMemPrefetchAsync_ptsz(devPtr: u64, count: usize, dstDevice: i32, hStream: u64) {
        // CU_DEVICE_CPU is -1.
        if dstDevice != -1 {
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

    fn cuMemRangeGetAttribute(data: Out<i32>, dataSize: usize, attribute: u32, devPtr: u64, count: usize) {
        data.check()?;
        managed(devPtr, count)?;
        range_attribute(data, dataSize, attribute)
    }

    fn cuMemRangeGetAttributes(data: In<Out<i32>>, dataSizes: In<usize>, attributes: In<u32>, numAttributes: usize, devPtr: u64, count: usize) {
        managed(devPtr, count)?;
        for index in 0..numAttributes {
            range_attribute(data.at(index)?, dataSizes.at(index)?, attributes.at(index)?)?;
        }
        Ok(())
    }

    fn cuPointerGetAttribute(data: Out<u64>, attribute: u32, ptr: u64) {
        data.check()?;
        if attribute == 11 && memory::find(ptr).is_none() || attribute == 12 && memory::find(ptr).is_none() {
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
                Err(_) if (1..=21).contains(&attribute) => unknown_value(attribute),
                Err(code) => return Err(code),
            };
            store(place, value)?;
        }
        Ok(())
    }

    fn cuPointerSetAttribute(value: In<u32>, attribute: u32, ptr: u64) {
        // Only SYNC_MEMOPS can be set.
        let value = value.get()?;
        let allocation = memory::find(ptr).ok_or(Code::ERROR_INVALID_VALUE)?;
        if attribute != 6 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        allocation.sync_memops.store(value != 0, Ordering::Relaxed);
        Ok(())
    }

    fn cuMemGetAllocationGranularity(granularity: Out<usize>, prop: In<u64>, option: u32) {
        granularity.check()?;
        if prop.is_null() || option > 1 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        // Virtual memory management isn't offered (attribute 102 says so).
        Err(Code::ERROR_NOT_SUPPORTED)
    }
}
