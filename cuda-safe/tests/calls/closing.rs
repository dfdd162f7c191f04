//! `close` returns the error of the call that releases an object.

use cuda_safe::{
    MappedBuffer, logs,
    memory::virtual_memory::{AddressRange, GrowableBuffer, Mapping, PhysicalMemory},
    memory::{MemoryAccess, PitchedBuffer, RegisterFlags, RegisteredBuffer},
};

use super::*;

#[track_caller]
fn fails(result: cuda_safe::Result<()>) {
    let code = result.unwrap_err().driver_code();
    assert_eq!(code, Some(CUresult::CUDA_ERROR_UNKNOWN));
}

/// Returns one unit of device memory, mapped for the device.
fn mapping(context: &Context) -> Mapping {
    let unit = PhysicalMemory::unit(context).unwrap();
    let range = AddressRange::reserve(context, unit).unwrap();
    let memory = PhysicalMemory::new(context, unit).unwrap();
    let mut mapping = range.map(0, &memory).unwrap();
    mapping
        .set_access(context.device(), MemoryAccess::READ_WRITE)
        .unwrap();
    mapping
}

#[test]
fn close_of_virtual_memory_returns_errors() {
    passes("cuMemAddressFree:1:CUDA_ERROR_UNKNOWN", || {
        let (context, _) = device();
        let unit = PhysicalMemory::unit(&context).unwrap();
        fails(AddressRange::reserve(&context, unit).unwrap().close());
    });
    passes("cuMemRelease:1:CUDA_ERROR_UNKNOWN", || {
        let (context, _) = device();
        let unit = PhysicalMemory::unit(&context).unwrap();
        fails(PhysicalMemory::new(&context, unit).unwrap().close());
    });
    passes("cuMemUnmap:1+:CUDA_ERROR_UNKNOWN", || {
        fails(mapping(&device().0).close());
    });
    passes("cuMemUnmap:1+:CUDA_ERROR_UNKNOWN", || {
        let (_, stream) = device();
        let mut buffer = GrowableBuffer::<u8>::with_capacity(&stream, 1).unwrap();
        buffer.grow(1).unwrap();
        let shown = format!("{:?}", buffer.storage());
        assert!(shown.contains("AddressRange(0x"), "{shown}");
        fails(buffer.close());
    });
}

#[test]
fn close_of_page_locked_memory_returns_errors() {
    passes("cuMemHostUnregister:1+:CUDA_ERROR_UNKNOWN", || {
        let (context, _) = device();
        let flags = RegisterFlags::default();
        let buffer = RegisteredBuffer::with_flags(&context, vec![0u8; 64], flags).unwrap();
        fails(buffer.close());
    });
    passes("cuMemHostUnregister:1+:CUDA_ERROR_UNKNOWN", || {
        let (context, stream) = device();
        let flags = RegisterFlags::DEVICE_MAP;
        let buffer = RegisteredBuffer::with_flags(&context, vec![0u8; 64], flags).unwrap();
        fails(buffer.into_mapped(&stream).unwrap().close());
    });
    passes("cuMemFreeHost:1+:CUDA_ERROR_UNKNOWN", || {
        let (_, stream) = device();
        fails(MappedBuffer::<u32>::zeroed(&stream, 4).unwrap().close());
    });
}

#[test]
fn close_of_pitched_memory_returns_errors() {
    passes("cuMemFree:1+:CUDA_ERROR_UNKNOWN", || {
        let (_, stream) = device();
        let buffer = PitchedBuffer::<u32>::zeroed(&stream, [4, 3]).unwrap();
        fails(buffer.close());
    });
}

#[test]
fn close_of_a_listener_returns_errors() {
    passes("cuLogsUnregisterCallback:1:CUDA_ERROR_UNKNOWN", || {
        let (_context, _) = device();
        fails(logs::listen(|_, _| ()).unwrap().close());
    });
    traced("", || {
        let (_context, _) = device();
        let listener = logs::listen(|_, _| ()).unwrap();
        makes("cuLogsUnregisterCallback", &[], || drop(listener));
    });
}
