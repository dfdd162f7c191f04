//! Devices, their attributes, and primary contexts.

use crate::abi::pointers::{Buffer, DeviceAttribute, In, Out, Text, Word, set_text};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::memory::pool;
use crate::process::call::export;
use crate::process::{configuration, context, device, device_attributes, warnings};
use crate::queue::fault;

/// The valid flags of a context.
pub const CONTEXT_FLAGS: u32 = CU_CTX_SCHED_MASK
    | CU_CTX_MAP_HOST
    | CU_CTX_LMEM_RESIZE_TO_MAX
    | CU_CTX_COREDUMP_ENABLE
    | CU_CTX_USER_COREDUMP_ENABLE
    | CU_CTX_SYNC_MEMOPS
    | UNNAMED;

/// A flag without a name in the headers, which an H200 (driver 580) accepts.
const UNNAMED: u32 = 1 << 8;

/// Stores which forms of atomic operations work on memory outside of the device. All do, because
/// there is one memory and one set of atomic instructions. (For the host, an H200 returns none.)
fn atomics(capabilities: Out<u32>, operations: In<u32>, count: u32) -> Result {
    capabilities.check()?;
    let operations = operations.array(count as usize)?;
    if operations.is_empty() {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let found: Vec<u32> = operations
        .iter()
        .map(|&operation| {
            device_attributes::atomic_forms(operation).ok_or(Code::ERROR_INVALID_VALUE)
        })
        .collect::<Result<_>>()?;
    for (index, forms) in found.into_iter().enumerate() {
        capabilities.at(index).set(forms)?;
    }
    Ok(())
}

fn uuid(place: Out<Uuid>, dev: i32) -> Result {
    device::check(dev)?;
    place.set(device::uuid(dev))
}

fn release(dev: i32) -> Result {
    device::check(dev)?;
    context::release_primary(dev)
}

fn reset(dev: i32) -> Result {
    device::check(dev)?;
    context::reset_primary(dev);
    Ok(())
}

fn set_flags(dev: i32, flags: u32) -> Result {
    device::check(dev)?;
    if flags & !CONTEXT_FLAGS != 0 || (flags & CU_CTX_SCHED_MASK).count_ones() > 1 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    context::set_primary_flags(dev, flags);
    Ok(())
}

export! {
    fn cuDeviceGet(device: Out<i32>, ordinal: i32) {
        device.check()?;
        device::check(ordinal)?;
        device.set(ordinal)
    }

    fn cuDeviceGetCount(count: Out<i32>) {
        count.set(configuration::get().devices as i32)
    }

    fn cuDeviceGetName(name: Buffer, len: i32, dev: i32) {
        device::check(dev)?;
        set_text(name.0, len, &device::name())
    }

    fn cuDeviceGetUuid(uuid_: Out<Uuid>, dev: i32) {
        uuid(uuid_, dev)
    }

    fn cuDeviceGetUuid_v2(uuid_: Out<Uuid>, dev: i32) {
        uuid(uuid_, dev)
    }

    fn cuDeviceTotalMem_v2(bytes: Out<usize>, dev: i32) {
        device::check(dev)?;
        bytes.set(device::total_memory() as usize)
    }

    fn cuDeviceGetAttribute(pi: Out<i32>, attrib: DeviceAttribute, dev: i32) {
        pi.check()?;
        device::check(dev)?;
        pi.set(device_attributes::attribute(attrib.0, dev)?)
    }

    fn cuDeviceGetProperties(prop: Out<DeviceProperties>, dev: i32) {
        device::check(dev)?;
        let mut values = [0; 14];
        // From MAX_THREADS_PER_BLOCK to TEXTURE_ALIGNMENT.
        for (value, number) in values.iter_mut().zip(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK..) {
            *value = device_attributes::attribute(number, dev)?;
        }
        prop.set(DeviceProperties(values))
    }

    fn cuDeviceComputeCapability(major: Out<i32>, minor: Out<i32>, dev: i32) {
        major.check()?;
        minor.check()?;
        device::check(dev)?;
        let capability = device::architecture().capability;
        major.set(capability.0)?;
        minor.set(capability.1)
    }

    fn cuDeviceGetPCIBusId(pciBusId: Buffer, len: i32, dev: i32) {
        device::check(dev)?;
        set_text(pciBusId.0, len, &device::pci_bus_id(dev))
    }

    fn cuDeviceGetByPCIBusId(dev: Out<i32>, pciBusId: Text) {
        dev.check()?;
        dev.set(device::by_pci_bus_id(pciBusId.str()?).ok_or(Code::ERROR_INVALID_DEVICE)?)
    }

    fn cuDeviceGetTexture1DLinearMaxWidth(maxWidthInElements: Out<usize>, format: u32, numChannels: u32, dev: i32) {
        maxWidthInElements.check()?;
        device::check(dev)?;
        let bytes = device_attributes::channel_bytes(format).ok_or(Code::ERROR_INVALID_VALUE)?;
        if !matches!(numChannels, 1 | 2 | 4) {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        // The width is limited to what 32-bit addresses reach, and to 30-bit indices.
        maxWidthInElements.set(((1 << 32) / (bytes * numChannels as usize)).min(1 << 30))
    }

    fn cuDeviceGetExecAffinitySupport(pi: Out<i32>, type_: u32, dev: i32) {
        device::check(dev)?;
        pi.check()?;
        pi.set(0)
    }

    fn cuDeviceGetHostAtomicCapabilities(capabilities: Out<u32>, operations: In<u32>, count: u32, dev: i32) {
        device::check(dev)?;
        atomics(capabilities, operations, count)
    }

    fn cuDeviceGetP2PAtomicCapabilities(capabilities: Out<u32>, operations: In<u32>, count: u32, srcDevice: i32, dstDevice: i32) {
        device::check(srcDevice)?;
        device::check(dstDevice)?;
        if srcDevice == dstDevice {
            return Err(Code::ERROR_INVALID_DEVICE);
        }
        atomics(capabilities, operations, count)?;
        // Two H200s (driver 580) report none, although all work over their link.
        for index in 0..count as usize {
            capabilities.at(index).set(0)?;
        }
        Ok(())
    }

    fn cuDeviceCanAccessPeer(canAccessPeer: Out<i32>, dev: i32, peerDev: i32) {
        canAccessPeer.check()?;
        device::check(dev)?;
        device::check(peerDev)?;
        canAccessPeer.set(i32::from(device::are_linked(dev, peerDev)))
    }

    fn cuDeviceGetP2PAttribute(value: Out<i32>, attrib: u32, srcDevice: i32, dstDevice: i32) {
        value.check()?;
        device::check(srcDevice)?;
        device::check(dstDevice)?;
        if srcDevice == dstDevice {
            return Err(Code::ERROR_INVALID_DEVICE);
        }
        let linked = device::are_linked(srcDevice, dstDevice);
        // As two H200s report (driver 580), if there is a link.
        value.set(match attrib {
            CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK => i32::from(!linked),
            CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED
            | CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED
            | CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED => i32::from(linked),
            CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED => 0,
            _ => return Err(Code::ERROR_INVALID_VALUE),
        })
    }

    fn cuDeviceGetDefaultMemPool(pool_out: Out<u64>, dev: i32) {
        pool_out.check()?;
        device::check(dev)?;
        pool_out.set(pool::default_of(dev).handle)
    }

    fn cuDeviceGetMemPool(pool_: Out<u64>, dev: i32) {
        pool_.check()?;
        device::check(dev)?;
        pool_.set(pool::current_of(dev).handle)
    }

    fn cuDeviceSetMemPool(dev: i32, pool_: u64) {
        device::check(dev)?;
        pool::set_current(dev, pool::get(pool_)?)
    }

    fn cuFlushGPUDirectRDMAWrites(target: u32, scope: u32) {
        context::current()?;
        if target != CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX
            || !matches!(scope, CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER | CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES)
        {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        // No network card writes to this device, as the attribute says.
        Err(Code::ERROR_NOT_SUPPORTED)
    }

    fn cuDevicePrimaryCtxRetain(pctx: Out<u64>, dev: i32) {
        pctx.check()?;
        device::check(dev)?;
        pctx.set(context::retain_primary(dev).map_err(fault::explained)?.handle)
    }

    fn cuDevicePrimaryCtxRelease(dev: i32) {
        release(dev)
    }

    fn cuDevicePrimaryCtxRelease_v2(dev: i32) {
        release(dev)
    }

    fn cuDevicePrimaryCtxReset(dev: i32) {
        reset(dev)
    }

    fn cuDevicePrimaryCtxReset_v2(dev: i32) {
        reset(dev)
    }

    fn cuDevicePrimaryCtxSetFlags(dev: i32, flags: u32) {
        set_flags(dev, flags)
    }

    fn cuDevicePrimaryCtxSetFlags_v2(dev: i32, flags: u32) {
        set_flags(dev, flags)
    }

    fn cuDevicePrimaryCtxGetState(dev: i32, flags: Out<u32>, active: Out<i32>) {
        device::check(dev)?;
        let (value, alive) = context::primary_state(dev);
        flags.set_optional(value);
        active.set_optional(i32::from(alive));
        Ok(())
    }

    // Asynchronous notifications report changes of a memory budget by other processes, which do not
    // happen here.
    fn cuDeviceRegisterAsyncNotification(device: i32, callbackFunc: Word, userData: Word, callback: Out<u64>) {
        Err(warnings::missing_feature("an asynchronous notification"))
    }

    fn cuDeviceGetLuid(luid: Buffer, deviceNodeMask: In<u32>, dev: i32) {
        // LUIDs exist only on Windows.
        device::check(dev)?;
        Err(Code::ERROR_NOT_SUPPORTED)
    }
}
