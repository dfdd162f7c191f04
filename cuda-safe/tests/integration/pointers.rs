//! Pointer attributes from the driver.

use cuda_safe::{
    DeviceBuffer, ManagedBuffer, Module, PinnedBuffer,
    memory::{MemoryAccess, MemoryType, PointerAttribute, RegisterFlags, RegisteredBuffer},
    sys::CUresult,
};

use crate::{device, failure};

#[test]
fn pointer_info_identifies_each_kind_of_memory() {
    let (context, stream) = device();
    let ordered = DeviceBuffer::<u32>::zeroed(&stream, 100).unwrap();
    let managed = ManagedBuffer::<u32>::zeroed(&stream, 100).unwrap();
    let pinned = PinnedBuffer::<u32>::zeroed(&context, 100).unwrap();
    let registered = RegisteredBuffer::new(&context, vec![0u32; 100]).unwrap();
    let flags = RegisterFlags::READ_ONLY;
    let read_only = RegisteredBuffer::with_flags(&context, vec![0u32; 100], flags).unwrap();
    let mut ids = Vec::new();
    for (name, ptr, on_host, of_context) in [
        ("ordered", ordered.as_device_ptr(), false, false),
        ("managed", managed.as_device_ptr(), false, true),
        ("pinned", pinned.device_ptr().unwrap(), true, true),
        ("registered", registered.device_ptr().unwrap(), true, true),
        ("read-only", read_only.device_ptr().unwrap(), true, true),
    ] {
        let info = context.pointer_info(ptr + 40).unwrap();
        let kind = if on_host {
            MemoryType::HOST
        } else {
            MemoryType::DEVICE
        };
        assert_eq!(info.memory_type, kind, "{name}");
        assert_eq!(info.context.is_null(), !of_context, "{name}");
        assert_eq!(info.device, Some(context.device().as_raw()), "{name}");
        assert_eq!(info.device_ptr, Some(ptr + 40), "{name}");
        let shared = on_host || name == "managed";
        let host = shared.then_some((ptr + 40) as usize);
        assert_eq!(info.host_ptr, host, "{name}");
        assert_eq!(info.range, Some((ptr, 400)), "{name}");
        assert_eq!(info.is_managed, name == "managed", "{name}");
        assert!(info.is_mapped, "{name}");
        let access = if name == "read-only" {
            MemoryAccess::READ
        } else {
            MemoryAccess::READ_WRITE
        };
        assert_eq!(info.access, access, "{name}");
        assert_eq!(info.pool.is_null(), name != "ordered", "{name}");
        assert_eq!(
            context.address_range(ptr + 40).unwrap(),
            (ptr, 400),
            "{name}"
        );
        ids.push(info.buffer_id);
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 5);
    assert_eq!(
        ordered.pointer_info().unwrap().range,
        Some((ordered.as_device_ptr(), 400))
    );
}

#[test]
fn pointer_info_identifies_variables_and_unknown_addresses() {
    let (context, _) = device();
    let module = Module::compile(
        &context,
        "__device__ int x[25]; __global__ void k() { x[0] = 1; }",
    );
    let module = module.unwrap();
    let x = module.global::<i32>("x", 25).unwrap();
    let info = x.pointer_info().unwrap();
    assert_eq!(info.memory_type, MemoryType::DEVICE);
    let own = [0u8; 100];
    for unknown in [0, 4096, own.as_ptr() as u64] {
        let info = context.pointer_info(unknown).unwrap();
        assert_eq!(info.memory_type, MemoryType::UNKNOWN);
        assert!(info.range.is_none() && info.host_ptr.is_none() && info.device.is_none());
        assert!(!info.is_mapped && info.pool.is_null());
        failure(context.address_range(unknown)).with_code(CUresult::CUDA_ERROR_NOT_FOUND);
        failure(context.pointer_attribute(unknown, PointerAttribute::CONTEXT))
            .with_code(CUresult::CUDA_ERROR_INVALID_VALUE);
    }
}

#[test]
fn single_pointer_attributes_match_the_driver() {
    let (context, stream) = device();
    let x = DeviceBuffer::<u32>::zeroed(&stream, 100).unwrap();
    let ptr = x.as_device_ptr();
    let get = |attribute| context.pointer_attribute(ptr + 4, attribute);
    assert_eq!(get(PointerAttribute::RANGE_START_ADDR).unwrap(), ptr);
    assert_eq!(get(PointerAttribute::RANGE_SIZE).unwrap(), 400);
    assert_eq!(get(PointerAttribute::MEMORY_TYPE).unwrap(), 2);
    assert_eq!(get(PointerAttribute::ACCESS_FLAGS).unwrap(), 3);
    assert!(get(PointerAttribute::MAPPING_SIZE).unwrap() >= 400);
    assert!(get(PointerAttribute::MAPPING_BASE_ADDR).unwrap() <= ptr);
    assert_ne!(get(PointerAttribute::MEMORY_BLOCK_ID).unwrap(), 0);
    for rejection in [
        PointerAttribute::HOST_POINTER,
        PointerAttribute(0),
        PointerAttribute(99),
    ] {
        let failed = get(rejection).unwrap_err();
        assert_eq!(
            failed.driver_code(),
            Some(CUresult::CUDA_ERROR_INVALID_VALUE),
            "{rejection:?}"
        );
    }
    context.p2p_tokens(ptr).unwrap();
    let pinned = PinnedBuffer::<u32>::zeroed(&context, 100).unwrap();
    assert!(context.p2p_tokens(pinned.device_ptr().unwrap()).is_err());
}

#[test]
fn sync_memops_can_be_set() {
    let (_, stream) = device();
    let mut x = DeviceBuffer::<u32>::zeroed(&stream, 100).unwrap();
    for sync in [true, false] {
        x.slice_mut(10..).unwrap().set_sync_memops(sync).unwrap();
        assert_eq!(x.pointer_info().unwrap().sync_memops, sync);
    }
    let mut none = DeviceBuffer::<u32>::zeroed(&stream, 0).unwrap();
    failure(none.set_sync_memops(true)).with_code(CUresult::CUDA_ERROR_INVALID_VALUE);
}
