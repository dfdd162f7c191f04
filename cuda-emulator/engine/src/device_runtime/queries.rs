//! Queries by kernels: errors, the device, limits, functions.

use super::call::Call;
use super::errors::{self, Error};

/// The result of `cudaRuntimeGetVersion` within kernels, for CUDA 12 and CUDA 13.
const VERSION: u32 = 6000;
/// `cudaSharedMemBankSizeFourByte`
const FOUR_BYTES: u32 = 1;
/// Number of limits: stack, printf, heap, and the device runtime's two.
const LIMITS: u32 = 5;

/// `cudaGetLastError()`
pub(super) fn last_error(call: &mut Call<'_, '_>) -> Option<u64> {
    let error = peek_error(call);
    call.grid.set_error(call.thread(), None);
    error
}

/// `cudaPeekAtLastError()`
pub(super) fn peek_error(call: &mut Call<'_, '_>) -> Option<u64> {
    Some(call.grid.error(call.thread()).into())
}

/// `cudaGetErrorString(error)`
pub(super) fn error_string(call: &mut Call<'_, '_>) -> Option<u64> {
    Some(errors::description_of(call.word(0)))
}

/// `cudaGetErrorName(error)`
pub(super) fn error_name(call: &mut Call<'_, '_>) -> Option<u64> {
    Some(errors::name_of(call.word(0)))
}

/// Writes a number to the address in the first argument.
fn give(call: &mut Call<'_, '_>, value: u32) -> Option<u64> {
    match call.long(0) {
        0 => call.fail(Error::InvalidValue),
        place => {
            call.put_word(place, value)?;
            Some(0)
        }
    }
}

fn devices(call: &Call<'_, '_>) -> (u32, u32) {
    let host = call.ctx.launch.device.host();
    host.map_or((0, 1), |host| host.devices())
}

/// `cudaGetDevice(device)`
pub(super) fn device(call: &mut Call<'_, '_>) -> Option<u64> {
    let (ordinal, _) = devices(call);
    give(call, ordinal)
}

/// `cudaGetDeviceCount(count)`
pub(super) fn device_count(call: &mut Call<'_, '_>) -> Option<u64> {
    let (_, count) = devices(call);
    give(call, count)
}

/// `cudaDeviceGetAttribute(value, attribute, device)`
pub(super) fn device_attribute(call: &mut Call<'_, '_>) -> Option<u64> {
    if call.word(2) >= devices(call).1 {
        return call.fail(Error::InvalidDevice);
    }
    let host = call.ctx.launch.device.host();
    match host.map(|host| host.attribute(call.word(1))) {
        Some(Some(value)) => give(call, value as u32),
        Some(None) => call.fail(Error::InvalidValue),
        None => call.fail(Error::NotSupported),
    }
}

/// `cudaDeviceGetLimit(value, limit)`. An error does not become the thread's last error.
pub(super) fn limit(call: &mut Call<'_, '_>) -> Option<u64> {
    let (place, limit) = (call.long(0), call.word(1));
    if place == 0 {
        return Some(Error::InvalidValue as u64);
    }
    let host = call.ctx.launch.device.host();
    let value = host
        .filter(|_| limit < LIMITS)
        .and_then(|host| host.limit(limit));
    match value {
        Some(value) => {
            call.put_long(place, value)?;
            Some(0)
        }
        None => Some(Error::InvalidValue as u64),
    }
}

/// `cudaDeviceGetCacheConfig(config)`: no preference.
pub(super) fn cache_config(call: &mut Call<'_, '_>) -> Option<u64> {
    give(call, 0)
}

/// `cudaDeviceGetSharedMemConfig(config)`
pub(super) fn shared_config(call: &mut Call<'_, '_>) -> Option<u64> {
    give(call, FOUR_BYTES)
}

/// `cudaRuntimeGetVersion(version)`
pub(super) fn version(call: &mut Call<'_, '_>) -> Option<u64> {
    give(call, VERSION)
}

/// `cudaFuncGetAttributes(attributes, kernel)`: three 64-bit sizes (shared, constant and local memory) and four 32-bit
/// numbers (threads in a block, registers, version of PTX and of the code).
pub(super) fn function_attributes(call: &mut Call<'_, '_>) -> Option<u64> {
    let (place, function) = (call.long(0), call.long(1));
    if place == 0 || function == 0 {
        return call.fail(Error::InvalidValue);
    }
    let Some(kernel) = call.kernel(function) else {
        return call.fail(Error::InvalidDeviceFunction);
    };
    let Some(host) = call.ctx.launch.device.host() else {
        return call.fail(Error::NotSupported);
    };
    let value = |attribute| host.function_attribute(kernel, attribute).unwrap_or(0);
    for (word, attribute) in [(0, 1), (1, 2), (2, 3)] {
        call.put_long(place.wrapping_add(word * 8), value(attribute) as u64)?;
    }
    for (word, attribute) in [(6, 0), (7, 4), (8, 5), (9, 6)] {
        call.put_word(place.wrapping_add(word * 4), value(attribute) as u32)?;
    }
    Some(0)
}

/// `cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, shared)`, also with
/// flags. An error does not become the thread's last error.
pub(super) fn occupancy(call: &mut Call<'_, '_>) -> Option<u64> {
    let (place, threads) = (call.long(0), call.word(2));
    let kernel = match call.kernel(call.long(1)) {
        Some(kernel) if place != 0 && (1..=i32::MAX as u32).contains(&threads) => kernel,
        Some(_) => return Some(Error::InvalidValue as u64),
        None => return Some(Error::InvalidDeviceFunction as u64),
    };
    match call.ctx.launch.device.host() {
        Some(host) => {
            let blocks = host.blocks(kernel, threads, call.long(3));
            call.put_word(place, blocks)?;
            Some(0)
        }
        None => Some(Error::NotSupported as u64),
    }
}

/// The replacement of CUDA 11's `cudaDeviceSynchronize`, which always fails.
pub(super) fn synchronize(call: &mut Call<'_, '_>) -> Option<u64> {
    call.fail(Error::SyncDepthExceeded)
}

/// A function that is not supported.
pub(super) fn unsupported(call: &mut Call<'_, '_>) -> Option<u64> {
    call.fail(Error::NotSupported)
}
