//! Pools that are shared as files.

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::pools::*;
use std::ffi::c_void;
use std::ptr::null_mut;

const FILE: CUmemAllocationHandleType =
    CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

/// Returns a pool that can be shared as a file.
fn shared_pool(place: u32) -> CUmemoryPool {
    let mut shared = properties(0, 0);
    shared.location.type_ = CUmemLocationType(place);
    shared.handleTypes = FILE;
    out!(cuMemPoolCreate(_, &shared))
}

fn import(file: *mut c_void) -> Result<CUmemoryPool, CUresult> {
    result!(cuMemPoolImportFromShareableHandle(_, file, FILE, 0))
}

#[test]
fn pools_are_shared_as_files() {
    let _own = Own::new();
    let (own, plain) = (shared_pool(1), pool(0, 0));
    let mut file = -1i32;
    let place: *mut c_void = (&raw mut file).cast();
    // As on an H200 (driver 580), memory can be exported only after its pool.
    let (early, mut exported) = (take(own, 10).unwrap(), CUmemPoolPtrExportData::default());
    invalid!(cuMemPoolExportPointer(&mut exported, early));
    ok!(cuMemPoolExportToShareableHandle(place, own, FILE, 0));
    ok!(cuMemPoolExportPointer(&mut exported, early));
    for (pool, kind, flags) in [(plain, 1, 0), (own, 2, 0), (own, 1, 1)] {
        let kind = CUmemAllocationHandleType(kind);
        invalid!(cuMemPoolExportToShareableHandle(place, pool, kind, flags));
    }
    let (first, second) = (take(own, 5000).unwrap(), take(own, 10).unwrap());
    ok!(cuMemsetD8_v2(first, 7, 5000));
    ok!(cuMemsetD8_v2(second, 8, 10));
    let mut data = [first, second].map(|memory| out!(cuMemPoolExportPointer(_, memory)));
    for wrong in [first + 16, take(plain, 10).unwrap(), alloc(64), 0] {
        invalid!(cuMemPoolExportPointer(&mut data[0], wrong));
    }

    // Importing in the same process works like importing in another.
    let theirs = import(file as usize as *mut c_void).unwrap();
    // An imported pool only supports importing its owner's allocations.
    assert_eq!(read(theirs, 7), Err(INVALID));
    assert_eq!(write(theirs, 4, 5), INVALID);
    assert_eq!(take(theirs, 10), Err(INVALID));
    invalid!(cuMemPoolTrimTo(theirs, 0));
    invalid!(cuMemPoolExportToShareableHandle(place, theirs, FILE, 0));
    invalid!(cuDeviceSetMemPool(0, theirs));
    let mut seen = data.map(|mut data| out!(cuMemPoolImportPointer(_, theirs, &mut data)));
    assert_ne!(seen[0], first);
    assert_eq!(download::<u8>(seen[0], 5000), [7; 5000]);
    assert_eq!(download::<u8>(seen[1], 10), [8; 10]);
    ok!(cuMemsetD8_v2(seen[0], 9, 100));
    assert_eq!(download::<u8>(first, 101)[99..], [9, 7]);
    // Data that does not describe an allocation of this pool.
    invalid!(cuMemPoolImportPointer(&mut seen[0], own, &mut data[0]));
    let mut nonsense = CUmemPoolPtrExportData::default();
    invalid!(cuMemPoolImportPointer(&mut seen[0], theirs, &mut nonsense));
    ok!(cuMemFreeAsync(seen[0], null_mut()));
    ok!(cuMemFree_v2(seen[1]));
    // The owner's memory is unchanged.
    assert_eq!(download::<u8>(first, 1), [9]);
    ok!(cuMemPoolDestroy(theirs));
    assert_eq!(import(-1isize as *mut c_void), Err(UNKNOWN));
    // Zero is not a valid handle, although it may be a descriptor.
    assert_eq!(import(null_mut()), Err(INVALID));
    give(early);
    give(first);
    give(second);
    assert_eq!(read(own, 7), Ok(0));
}

#[test]
fn imported_host_pools_are_host_pools() {
    let _own = Own::new();
    for place in [1, 3] {
        let (own, mut number) = (shared_pool(place), -1i32);
        let to: *mut c_void = (&raw mut number).cast();
        ok!(cuMemPoolExportToShareableHandle(to, own, FILE, 0));
        let theirs = import(number as usize as *mut c_void).unwrap();
        for pool in [own, theirs] {
            let mut host = location(0);
            host.type_ = CUmemLocationType(3);
            let flags = out!(cuMemPoolGetAccess(_, pool, &mut host)).0;
            assert_eq!(flags, if place == 3 { 3 } else { 0 });
            let flags = out!(cuMemPoolGetAccess(_, pool, &mut location(0))).0;
            assert_eq!(flags, if place == 1 { 3 } else { 0 });
        }
        let some = take(own, 5000).unwrap();
        ok!(cuCtxSynchronize());
        let (numbers, mut found) = ([7u8; 5000], [0u8; 5000]);
        ok!(cuMemcpy(some, numbers.as_ptr() as u64, 5000));
        let mut data = out!(cuMemPoolExportPointer(_, some));
        let seen = out!(cuMemPoolImportPointer(_, theirs, &mut data));
        ok!(cuMemcpy(found.as_mut_ptr() as u64, seen, 5000));
        assert_eq!(found, numbers);
        ok!(cuMemFree_v2(seen));
        give(some);
        ok!(cuMemPoolDestroy(theirs));
        ok!(cuMemPoolDestroy(own));
    }
}
