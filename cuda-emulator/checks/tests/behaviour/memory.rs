//! Memory: allocation, and memory that the host and the device share.

use cuda_emulator_checks::abi::*;
use std::ffi::c_void;
use std::ptr::null_mut;

/// Returns a zeroed C struct.
fn zeroed<T>() -> T {
    // SAFETY: Only used for plain C structs, for which zero is a valid value.
    unsafe { std::mem::zeroed() }
}

#[test]
fn allocation_and_its_errors() {
    let _context = Own::new();
    let mut address = 0;
    fails!(CUDA_ERROR_INVALID_VALUE, cuMemAlloc_v2(&mut address, 0));
    fails!(CUDA_ERROR_INVALID_VALUE, cuMemAlloc_v2(null_mut(), 16));
    fails!(
        CUDA_ERROR_OUT_OF_MEMORY,
        cuMemAlloc_v2(&mut address, 1 << 60)
    );
    fails!(
        CUDA_ERROR_OUT_OF_MEMORY,
        cuMemAlloc_v2(&mut address, usize::MAX)
    );
    let one = alloc(1);
    assert_eq!(one % 256, 0);
    ok!(cuMemFree_v2(one));
    fails!(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(one));
    fails!(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(12345));
    ok!(cuMemFree_v2(0));
    let inside = alloc(100);
    fails!(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(inside + 4));
    let (mut base, mut size) = (0, 0);
    ok!(cuMemGetAddressRange_v2(&mut base, &mut size, inside + 99));
    assert_eq!((base, size), (inside, 100));
    fails!(
        CUDA_ERROR_NOT_FOUND,
        cuMemGetAddressRange_v2(&mut base, &mut size, inside + 100)
    );
    ok!(cuMemFree_v2(inside));
}

#[test]
fn copies_outside_of_an_allocation_are_rejected() {
    let _context = Own::new();
    let address = alloc(64);
    let mut host = [0u8; 128];
    let host: *mut c_void = host.as_mut_ptr().cast();
    fails!(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD_v2(address, host, 65));
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuMemcpyDtoH_v2(host, address + 1, 64)
    );
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuMemcpyHtoD_v2(host as u64, host, 8)
    );
    fails!(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD_v2(0, host, 8));
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuMemcpyHtoD_v2(address, null_mut(), 8)
    );
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuMemcpyDtoD_v2(address, 0x1234_5678, 8)
    );
    fails!(CUDA_ERROR_INVALID_VALUE, cuMemsetD8_v2(address, 0, 65));
    fails!(CUDA_ERROR_INVALID_VALUE, cuMemsetD32_v2(address + 2, 0, 4));
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuMemcpyHtoD_v2(address, host, usize::MAX)
    );
    for wild in WILD {
        fails!(
            CUDA_ERROR_INVALID_HANDLE,
            cuMemcpyHtoDAsync_v2(address, host, 8, wild as CUstream)
        );
    }
}

#[test]
fn page_locked_memory() {
    let _context = Own::new();
    let mut pinned = null_mut();
    ok!(cuMemHostAlloc(
        &mut pinned,
        4096,
        CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE
    ));
    let (mut device, mut flags) = (0, 0);
    ok!(cuMemHostGetDevicePointer_v2(&mut device, pinned, 0));
    assert_eq!(device, pinned as u64);
    ok!(cuMemHostGetFlags(&mut flags, pinned));
    // Like an H200's driver (580), it never reports that the memory is portable.
    assert_eq!(flags, CU_MEMHOSTALLOC_DEVICEMAP);
    ok!(cuMemsetD32_v2(device, 9, 1024));
    assert!(
        // SAFETY: The allocation is 4096 bytes long, and the fill of page-locked memory is done.
        unsafe { std::slice::from_raw_parts(pinned.cast::<u32>(), 1024) }
            .iter()
            .all(|&x| x == 9)
    );
    fails!(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(device));
    ok!(cuMemFreeHost(pinned));
    fails!(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(pinned));
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuMemHostAlloc(&mut pinned, 16, 0x100)
    );
    let mut own = vec![1u8; 8192];
    let start: *mut c_void = own.as_mut_ptr().cast();
    ok!(cuMemHostRegister_v2(start, 8192, 0));
    fails!(
        CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
        cuMemHostRegister_v2(start.wrapping_add(100), 100, 0)
    );
    let device = alloc(8192);
    ok!(cuMemcpyHtoDAsync_v2(device, start, 8192, null_mut()));
    ok!(cuCtxSynchronize());
    assert_eq!(download::<u8>(device, 8192), own);
    ok!(cuMemHostUnregister(start));
    fails!(
        CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
        cuMemHostUnregister(start)
    );
}

#[test]
fn managed_memory_is_shared_by_host_and_device() {
    let _context = Own::new();
    let mut address = 0;
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuMemAllocManaged(&mut address, 64, 0)
    );
    ok!(cuMemAllocManaged(&mut address, 64, 1));
    ok!(cuMemsetD8_v2(address, 3, 64));
    ok!(cuCtxSynchronize());
    // SAFETY: The managed memory has 64 bytes and is not in use.
    assert_eq!(unsafe { *(address as *const u8).add(63) }, 3);
    ok!(cuMemFree_v2(address));
}

#[test]
fn stream_ordered_allocation() {
    let _context = Own::new();
    let stream = stream(CUstream_flags::CU_STREAM_NON_BLOCKING.0);
    let mut address = 7;
    // A zero-byte allocation returns null, as with an H200's driver (580).
    ok!(cuMemAllocAsync(&mut address, 0, stream));
    assert_eq!(address, 0);
    ok!(cuMemAllocAsync(&mut address, 4096, stream));
    ok!(cuMemsetD32Async(address, 77, 1024, stream));
    let mut host = [0u32; 1024];
    ok!(cuMemcpyDtoHAsync_v2(
        host.as_mut_ptr().cast(),
        address,
        4096,
        stream
    ));
    assert!(host.iter().all(|&x| x == 77));
    ok!(cuMemFreeAsync(address, stream));
    fails!(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(address, stream));
    let plain = alloc(64);
    fails!(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(plain, stream));
    let mut pool = null_mut();
    ok!(cuDeviceGetDefaultMemPool(&mut pool, 0));
    fails!(CUDA_ERROR_INVALID_VALUE, cuMemPoolDestroy(pool));
    let mut properties: CUmemPoolProps = zeroed();
    properties.allocType = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type_ = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
    let mut own = null_mut();
    ok!(cuMemPoolCreate(&mut own, &properties));
    let mut threshold = 1u64 << 40;
    ok!(cuMemPoolSetAttribute(
        own,
        CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
        std::ptr::from_mut(&mut threshold).cast()
    ));
    threshold = 0;
    ok!(cuMemPoolGetAttribute(
        own,
        CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
        std::ptr::from_mut(&mut threshold).cast()
    ));
    assert_eq!(threshold, 1 << 40);
    ok!(cuMemAllocFromPoolAsync(&mut address, 1000, own, stream));
    let mut used = 0u64;
    ok!(cuMemPoolGetAttribute(
        own,
        CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
        std::ptr::from_mut(&mut used).cast()
    ));
    assert_eq!(used, 1000);
    ok!(cuMemFree_v2(address));
    ok!(cuMemPoolTrimTo(own, 0));
    ok!(cuMemPoolDestroy(own));
    fails!(CUDA_ERROR_INVALID_VALUE, cuMemPoolDestroy(own));
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuMemAllocFromPoolAsync(&mut address, 1000, own, stream)
    );
    ok!(cuStreamDestroy_v2(stream));
}
