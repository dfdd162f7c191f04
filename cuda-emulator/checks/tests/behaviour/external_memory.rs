//! External memory through the C ABI: a descriptor of physical memory, imported and mapped.

#![allow(
    clippy::field_reassign_with_default,
    reason = "newer headers may have more fields"
)]

use cuda_emulator_checks::abi::*;
use std::ptr::null_mut;

const UNIT: usize = 2 << 20;
const WHOLE: usize = 2 * UNIT;

/// Imports external memory of two units, and maps all of it.
fn import() -> (CUexternalMemory, CUdeviceptr) {
    const FD: CUmemAllocationHandleType =
        CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    let properties = CUmemAllocationProp {
        type_: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
        location: CUmemLocation::new(CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, 0),
        requestedHandleTypes: FD,
        ..Default::default()
    };
    let physical = out!(cuMemCreate(_, WHOLE, &properties, 0));
    let mut fd = -1i32;
    let place = (&raw mut fd).cast();
    ok!(cuMemExportToShareableHandle(place, physical, FD, 0));
    ok!(cuMemRelease(physical));
    let mut wanted: CUDA_EXTERNAL_MEMORY_HANDLE_DESC = filled(0);
    wanted.type_ = CUexternalMemoryHandleType::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    wanted.handle.fd = fd;
    wanted.size = WHOLE as u64;
    let external = out!(cuImportExternalMemory(_, &wanted));
    (external, map(external, 0, WHOLE).unwrap())
}

fn map(external: CUexternalMemory, offset: usize, size: usize) -> Result<CUdeviceptr, CUresult> {
    let mut wanted: CUDA_EXTERNAL_MEMORY_BUFFER_DESC = filled(0);
    (wanted.offset, wanted.size) = (offset as u64, size as u64);
    let mut address = 0;
    match call!(cuExternalMemoryGetMappedBuffer(
        &mut address,
        external,
        &wanted
    )) {
        SUCCESS => Ok(address),
        code => Err(code),
    }
}

/// Allocates memory of the kinds that share the emulator's pages: pool memory and page-locked
/// memory.
fn small(bytes: usize) -> [CUdeviceptr; 2] {
    let pooled = out!(cuMemAllocAsync(_, bytes, null_mut()));
    let host = out!(cuMemHostAlloc(_, bytes, 0));
    [pooled, host as u64]
}

fn bytes_of(address: CUdeviceptr, count: usize) -> Vec<u8> {
    download(address, count)
}

#[test]
fn mappings_do_not_affect_neighboring_memory() {
    let _own = Own::new();
    let (external, whole) = import();
    ok!(cuMemsetD8_v2(whole, 7, WHOLE));
    let before = small(512);
    let mapped = map(external, 0, 512).unwrap();
    let after = small(512);
    let neighbours = before.into_iter().chain(after);
    for (number, one) in neighbours.clone().enumerate() {
        ok!(cuMemsetD8_v2(one, 100 + number as u8, 512));
    }
    assert_eq!(bytes_of(mapped, 512), [7; 512]);
    ok!(cuMemsetD8_v2(mapped, 9, 512));
    assert_eq!(bytes_of(whole, 513)[510..], [9, 9, 7]);
    for (number, one) in neighbours.enumerate() {
        assert_eq!(bytes_of(one, 512), [100 + number as u8; 512], "{number}");
    }
    // Freeing the mapping does not affect its neighbors either.
    ok!(cuMemFree_v2(mapped));
    assert_eq!(bytes_of(before[0], 512), [100; 512]);
    assert_eq!(bytes_of(after[1], 512), [103; 512]);
    ok!(cuDestroyExternalMemory(external));
}

#[test]
fn mappings_may_start_at_any_byte() {
    let _own = Own::new();
    let (external, whole) = import();
    for offset in [1, 100, 4095, UNIT, UNIT + 3] {
        ok!(cuMemsetD8_v2(whole, 7, WHOLE));
        let mapped = map(external, offset, 1000).unwrap();
        // The offset within a page is the same.
        assert_eq!(mapped % 4096, offset as u64 % 4096);
        let (mut base, mut size) = (0, 0);
        ok!(cuMemGetAddressRange_v2(&mut base, &mut size, mapped + 500));
        assert_eq!((base, size), (mapped, 1000), "{offset}");
        ok!(cuMemsetD8_v2(mapped, 9, 1000));
        let all = bytes_of(whole, WHOLE);
        let written: Vec<usize> = (0..WHOLE).filter(|&at| all[at] == 9).collect();
        assert!(
            written.iter().copied().eq(offset..offset + 1000),
            "{offset}"
        );
        // In the other direction.
        ok!(cuMemsetD8_v2(whole + offset as u64, 3, 1));
        assert_eq!(bytes_of(mapped, 2), [3, 9]);
        invalid!(cuMemsetD8_v2(mapped, 9, 1001));
        ok!(cuMemFree_v2(mapped));
    }
    assert!(map(external, WHOLE - 8, 8).is_ok());
    for (offset, size) in [(WHOLE - 8, 9), (WHOLE, 1), (0, 0), (usize::MAX, 2)] {
        assert_eq!(map(external, offset, size), Err(INVALID), "{offset} {size}");
    }
    ok!(cuDestroyExternalMemory(external));
}

#[test]
fn imported_memory_is_not_counted_twice() {
    passes(&[], || {
        let _own = Own::new();
        let (external, _) = import();
        let free = || {
            let (mut free, mut total) = (0, 0);
            ok!(cuMemGetInfo_v2(&mut free, &mut total));
            free
        };
        let before = free();
        let mapped = map(external, 0, WHOLE).unwrap();
        assert_eq!(free(), before);
        ok!(cuMemFree_v2(mapped));
        ok!(cuDestroyExternalMemory(external));
    });
}
