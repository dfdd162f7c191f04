//! Memory: allocation, copies, fills and information about addresses.

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
fn linear_copies_in_every_direction() {
    let _context = Own::new();
    let data: Vec<u32> = (0..5000).collect();
    let first = upload(&data);
    let second = alloc(20_000);
    ok!(cuMemcpyDtoD_v2(second, first, 20_000));
    assert_eq!(download::<u32>(second, 5000), data);
    ok!(cuMemcpy(second, first + 4, 400));
    assert_eq!(download::<u32>(second, 100), data[1..101]);
    let mut back = vec![0u32; 10];
    ok!(cuMemcpy(back.as_mut_ptr() as u64, first + 40, 40));
    assert_eq!(back, data[10..20]);
    ok!(cuMemcpyHtoDAsync_v2(
        second,
        back.as_ptr().cast(),
        40,
        null_mut()
    ));
    back.fill(7);
    assert_eq!(
        download::<u32>(second, 10),
        data[10..20],
        "pageable sources have been read when the call returns"
    );
    // Pageable destinations too.
    ok!(cuMemcpyDtoHAsync_v2(
        back.as_mut_ptr().cast(),
        first,
        40,
        null_mut()
    ));
    assert_eq!(back, data[..10]);
    let mut context = null_mut();
    ok!(cuCtxGetCurrent(&mut context));
    ok!(cuMemcpyPeer(second, context, first, context, 400));
    ok!(cuMemcpyPeerAsync(
        second,
        context,
        first,
        context,
        400,
        null_mut()
    ));
    ok!(cuMemcpyAsync(second, first, 400, null_mut()));
    ok!(cuMemcpyDtoDAsync_v2(second, first, 400, null_mut()));
    assert_eq!(download::<u32>(second, 100), data[..100]);
    // An empty copy is not an error.
    ok!(cuMemcpyDtoD_v2(second, first, 0));
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
fn fills_of_all_widths() {
    let _context = Own::new();
    let address = alloc(64);
    ok!(cuMemsetD8_v2(address, 0xab, 64));
    ok!(cuMemsetD16_v2(address + 2, 0x1234, 2));
    ok!(cuMemsetD32_v2(address + 8, 0xdead_beef, 1));
    let bytes = download::<u8>(address, 16);
    assert_eq!(
        bytes,
        [
            0xab, 0xab, 0x34, 0x12, 0x34, 0x12, 0xab, 0xab, 0xef, 0xbe, 0xad, 0xde, 0xab, 0xab,
            0xab, 0xab
        ]
    );
    let (mut pitched, mut pitch) = (0, 0);
    ok!(cuMemAllocPitch_v2(&mut pitched, &mut pitch, 100, 10, 4));
    assert!(pitch >= 100 && pitch % 256 == 0);
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuMemAllocPitch_v2(&mut pitched, &mut pitch, 100, 10, 3)
    );
    ok!(cuMemsetD8_v2(pitched, 0, pitch * 10));
    ok!(cuMemsetD2D32_v2(pitched, pitch, 5, 3, 10));
    ok!(cuMemsetD2D16Async(
        pitched + 12,
        pitch,
        6,
        1,
        10,
        null_mut()
    ));
    ok!(cuMemsetD2D8Async(pitched + 14, pitch, 7, 1, 10, null_mut()));
    let all = download::<u8>(pitched, pitch * 10);
    for row in all.chunks(pitch) {
        assert_eq!(row[..16], [5, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 6, 0, 7, 0]);
        assert!(row[16..].iter().all(|byte| *byte == 0));
    }
}

#[test]
fn rectangles_and_boxes() {
    let _context = Own::new();
    let host: Vec<u8> = (0..=255).collect();
    let device = alloc(4096);
    ok!(cuMemsetD8_v2(device, 0, 4096));
    let copy = CUDA_MEMCPY2D {
        srcXInBytes: 2,
        srcY: 1,
        srcMemoryType: CUmemorytype::CU_MEMORYTYPE_HOST,
        srcHost: host.as_ptr().cast(),
        srcPitch: 16,
        dstXInBytes: 1,
        dstY: 2,
        dstMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
        dstDevice: device,
        dstPitch: 32,
        WidthInBytes: 5,
        Height: 3,
        ..zeroed()
    };
    ok!(cuMemcpy2D_v2(&copy));
    let all = download::<u8>(device, 4096);
    for row in 0..3 {
        let start = (row + 2) * 32 + 1;
        let source = (row + 1) * 16 + 2;
        assert_eq!(all[start..start + 5], host[source..source + 5]);
        assert_eq!((all[start - 1], all[start + 5]), (0, 0));
    }
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuMemcpy2D_v2(&CUDA_MEMCPY2D {
            srcPitch: 4,
            ..copy
        })
    );
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuMemcpy2D_v2(&CUDA_MEMCPY2D {
            Height: 500,
            ..copy
        })
    );
    fails!(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D_v2(std::ptr::null()));
    let array = CUDA_MEMCPY2D {
        dstMemoryType: CUmemorytype::CU_MEMORYTYPE_ARRAY,
        ..copy
    };
    fails!(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D_v2(&array)); // the array is missing
    let mut back = [0u8; 24];
    let boxes = CUDA_MEMCPY3D {
        srcY: 2,
        srcXInBytes: 1,
        srcMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
        srcDevice: device,
        srcPitch: 32,
        srcHeight: 1,
        dstMemoryType: CUmemorytype::CU_MEMORYTYPE_HOST,
        dstHost: back.as_mut_ptr().cast(),
        dstPitch: 4,
        dstHeight: 2,
        WidthInBytes: 4,
        Height: 1,
        Depth: 3,
        ..zeroed()
    };
    ok!(cuMemcpy3D_v2(&CUDA_MEMCPY3D {
        srcHeight: 3,
        srcY: 2,
        Depth: 1,
        ..boxes
    }));
    assert_eq!(back[..4], host[18..22]);
    ok!(cuMemcpy3D_v2(&CUDA_MEMCPY3D {
        srcY: 0,
        srcDevice: device + 64,
        ..boxes
    }));
    for slice in 0..3 {
        let source = (slice + 1) * 16 + 2;
        assert_eq!(back[slice * 8..slice * 8 + 4], host[source..source + 4]);
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
fn attributes_of_pointers() {
    let _context = Own::new();
    let device = alloc(256);
    let mut pinned = null_mut();
    ok!(cuMemAllocHost_v2(&mut pinned, 256));
    let number = |attribute, address| {
        let mut value = [0xdead_beef_u32; 2];
        ok!(cuPointerGetAttribute(
            value.as_mut_ptr().cast(),
            attribute,
            address
        ));
        value
    };
    use CUpointer_attribute as Attribute;
    assert_eq!(
        number(Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device)[0],
        2
    );
    assert_eq!(
        number(Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pinned as u64)[0],
        1
    );
    assert_eq!(
        number(Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device)[1],
        0xdead_beef,
        "32 bits only"
    );
    assert_eq!(
        number(Attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, device + 5)[0],
        0
    );
    let word = |attribute, address| {
        let [low, high] = number(attribute, address);
        u64::from(high) << 32 | u64::from(low)
    };
    assert_eq!(
        word(Attribute::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, device + 5),
        device
    );
    assert_eq!(
        word(Attribute::CU_POINTER_ATTRIBUTE_RANGE_SIZE, device + 5),
        256
    );
    let mut value = 0u64;
    let local = std::ptr::from_mut(&mut value) as u64;
    let place: *mut c_void = std::ptr::from_mut(&mut value).cast();
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuPointerGetAttribute(place, Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE, local)
    );
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuPointerGetAttribute(
            null_mut(),
            Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
            device
        )
    );
    let mut kind = 7u32;
    let mut managed = 7u32;
    let mut attributes = [
        Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
        Attribute::CU_POINTER_ATTRIBUTE_IS_MANAGED,
    ];
    let mut places: [*mut c_void; 2] = [
        std::ptr::from_mut(&mut kind).cast(),
        std::ptr::from_mut(&mut managed).cast(),
    ];
    ok!(cuPointerGetAttributes(
        2,
        attributes.as_mut_ptr(),
        places.as_mut_ptr(),
        local
    ));
    assert_eq!(
        (kind, managed),
        (0, 0),
        "plain host memory is unknown, not an error"
    );
    ok!(cuMemFreeHost(pinned));
}

#[test]
fn free_memory_is_counted() {
    let _context = Own::new();
    let (mut before, mut total, mut after) = (0, 0, 0);
    ok!(cuMemGetInfo_v2(&mut before, &mut total));
    assert!(before <= total && before > 0);
    // Large, so that other tests of this process do not matter.
    let large = alloc(64 << 20);
    ok!(cuMemGetInfo_v2(&mut after, &mut total));
    assert!(before.abs_diff(after + (64 << 20)) < 32 << 20);
    ok!(cuMemFree_v2(large));
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
