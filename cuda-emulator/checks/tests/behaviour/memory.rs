//! Memory: allocation, and memory that the host and the device share.

use cuda_emulator_checks::abi::*;
use std::ffi::c_void;
use std::ptr::null_mut;

#[test]
fn allocation_and_its_errors() {
    let _context = Own::new();
    let mut address = 0;
    invalid!(cuMemAlloc_v2(&mut address, 0));
    invalid!(cuMemAlloc_v2(null_mut(), 16));
    fails!(OUT_OF_MEMORY, cuMemAlloc_v2(&mut address, 1 << 60));
    fails!(OUT_OF_MEMORY, cuMemAlloc_v2(&mut address, usize::MAX));
    let one = alloc(1);
    assert_eq!(one % 256, 0);
    ok!(cuMemFree_v2(one));
    invalid!(cuMemFree_v2(one));
    invalid!(cuMemFree_v2(12345));
    ok!(cuMemFree_v2(0));
    let inside = alloc(100);
    invalid!(cuMemFree_v2(inside + 4));
    let (mut base, mut size) = (0, 0);
    ok!(cuMemGetAddressRange_v2(&mut base, &mut size, inside + 99));
    assert_eq!((base, size), (inside, 100));
    let beyond = result!(cuMemGetAddressRange_v2(_, &mut size, inside + 100));
    assert_eq!(beyond, Err(NOT_FOUND));
    ok!(cuMemFree_v2(inside));
}

#[test]
fn copies_outside_of_an_allocation_are_rejected() {
    let _context = Own::new();
    let address = alloc(64);
    let mut host = [0u8; 128];
    let host: *mut c_void = host.as_mut_ptr().cast();
    invalid!(cuMemcpyHtoD_v2(address, host, 65));
    invalid!(cuMemcpyDtoH_v2(host, address + 1, 64));
    invalid!(cuMemcpyHtoD_v2(host as u64, host, 8));
    invalid!(cuMemcpyHtoD_v2(0, host, 8));
    invalid!(cuMemcpyHtoD_v2(address, null_mut(), 8));
    invalid!(cuMemcpyDtoD_v2(address, 0x1234_5678, 8));
    invalid!(cuMemsetD8_v2(address, 0, 65));
    invalid!(cuMemsetD32_v2(address + 2, 0, 4));
    invalid!(cuMemcpyHtoD_v2(address, host, usize::MAX));
    for wild in WILD {
        stale!(cuMemcpyHtoDAsync_v2(address, host, 8, wild as CUstream));
    }
}

#[test]
fn page_locked_memory() {
    let _context = Own::new();
    let flags = CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE;
    let pinned = out!(cuMemHostAlloc(_, 4096, flags));
    let device = out!(cuMemHostGetDevicePointer_v2(_, pinned, 0));
    assert_eq!(device, pinned as u64);
    // Like an H200's driver (580), it never reports that the memory is portable.
    let found = out!(cuMemHostGetFlags(_, pinned));
    assert_eq!(found, CU_MEMHOSTALLOC_DEVICEMAP);
    ok!(cuMemsetD32_v2(device, 9, 1024));
    // SAFETY: The allocation is 4096 bytes long, and the fill of page-locked memory is done.
    let words = unsafe { std::slice::from_raw_parts(pinned.cast::<u32>(), 1024) };
    assert_eq!(words, [9; 1024]);
    invalid!(cuMemFree_v2(device));
    ok!(cuMemFreeHost(pinned));
    invalid!(cuMemFreeHost(pinned));
    invalid!(cuMemHostAlloc(&mut null_mut(), 16, 0x100));
    let mut own = vec![1u8; 8192];
    let start: *mut c_void = own.as_mut_ptr().cast();
    ok!(cuMemHostRegister_v2(start, 8192, 0));
    let code = call!(cuMemHostRegister_v2(start.wrapping_add(100), 100, 0));
    assert_eq!(code, HOST_MEMORY_ALREADY_REGISTERED);
    let device = alloc(8192);
    ok!(cuMemcpyHtoDAsync_v2(device, start, 8192, null_mut()));
    ok!(cuCtxSynchronize());
    assert_eq!(download::<u8>(device, 8192), own);
    ok!(cuMemHostUnregister(start));
    fails!(HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(start));
}

#[test]
fn managed_memory_is_shared_by_host_and_device() {
    let _context = Own::new();
    let mut address = 0;
    invalid!(cuMemAllocManaged(&mut address, 64, 0));
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
    // A zero-byte allocation returns null, as with an H200's driver (580).
    let mut address = out!(cuMemAllocAsync(_, 0, stream));
    assert_eq!(address, 0);
    ok!(cuMemAllocAsync(&mut address, 4096, stream));
    ok!(cuMemsetD32Async(address, 77, 1024, stream));
    let mut host = [0u32; 1024];
    let to = host.as_mut_ptr().cast();
    ok!(cuMemcpyDtoHAsync_v2(to, address, 4096, stream));
    assert!(host.iter().all(|&x| x == 77));
    ok!(cuMemFreeAsync(address, stream));
    invalid!(cuMemFreeAsync(address, stream));
    let plain = alloc(64);
    invalid!(cuMemFreeAsync(plain, stream));
    ok!(cuStreamDestroy_v2(stream));
}
