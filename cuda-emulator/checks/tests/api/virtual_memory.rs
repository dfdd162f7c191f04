//! Virtual memory: address reservations, physical memory and mappings. The codes are those of an
//! H200 (driver 580) unless stated otherwise.

#![allow(
    clippy::field_reassign_with_default,
    reason = "newer headers may have more fields"
)]

use cuda_emulator_checks::abi::*;
use std::ptr::{null, null_mut};

const UNIT: usize = 2 << 20;
const DEVICE: CUmemLocationType = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
const HOST_NUMA: CUmemLocationType = CUmemLocationType(3);
const READ_WRITE: u32 = 3;

fn properties() -> CUmemAllocationProp {
    CUmemAllocationProp {
        type_: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
        location: CUmemLocation::new(DEVICE, 0),
        ..Default::default()
    }
}

fn reserve(units: usize) -> CUdeviceptr {
    out!(cuMemAddressReserve(_, units * UNIT, 0, 0, 0))
}

fn create(units: usize) -> u64 {
    out!(cuMemCreate(_, units * UNIT, &properties(), 0))
}

fn access(device: i32, flags: u32) -> CUmemAccessDesc {
    CUmemAccessDesc {
        location: CUmemLocation::new(DEVICE, device),
        flags: CUmemAccess_flags(flags),
    }
}

fn allow(address: CUdeviceptr, units: usize, flags: u32) {
    ok!(cuMemSetAccess(address, units * UNIT, &access(0, flags), 1));
}

fn allowed(address: CUdeviceptr) -> u64 {
    out!(cuMemGetAccess(_, &CUmemLocation::new(DEVICE, 0), address))
}

#[test]
fn two_mappings_share_bytes_and_outlive_the_handle() {
    let _own = Own::new();
    let (range, memory) = (reserve(4), create(2));
    for at in [range, range + 2 * UNIT as u64] {
        ok!(cuMemMap(at, 2 * UNIT, 0, memory, 0));
    }
    ok!(cuMemRelease(memory));
    allow(range, 4, READ_WRITE);
    let numbers: Vec<u32> = (0..2 * UNIT as u32 / 4).collect();
    ok!(cuMemcpyHtoD_v2(range, numbers.as_ptr().cast(), 2 * UNIT));
    let found = download::<u32>(range + 2 * UNIT as u64, numbers.len());
    assert_eq!(found, numbers);
    // A copy and a fill that span both mappings.
    ok!(cuMemsetD32_v2(range + UNIT as u64, 7, 2 * UNIT / 4));
    let all = download::<u32>(range, UNIT);
    assert!(all[..UNIT / 4].iter().all(|&one| one == 7));
    assert_eq!(all[..UNIT / 2], all[UNIT / 2..]);
    // Mapped memory has a handle again.
    let inside = std::ptr::with_exposed_provenance_mut(range as usize + 99);
    let again = out!(cuMemRetainAllocationHandle(_, inside));
    ok!(cuMemRelease(again));
    ok!(cuMemUnmap(range, 4 * UNIT));
    ok!(cuMemAddressFree(range, 4 * UNIT));
}

#[test]
fn new_memory_is_zeroed_and_counted() {
    passes(&[], || {
        let _own = Own::new();
        let before = free_memory();
        let (range, memory) = (reserve(2), create(2));
        assert_eq!(free_memory(), before - 2 * UNIT);
        ok!(cuMemMap(range, 2 * UNIT, 0, memory, 0));
        allow(range, 2, READ_WRITE);
        assert_eq!(download::<u8>(range, 2 * UNIT), vec![0; 2 * UNIT]);
        ok!(cuMemRelease(memory));
        assert_eq!(free_memory(), before - 2 * UNIT);
        ok!(cuMemUnmap(range, 2 * UNIT));
        assert_eq!(free_memory(), before);
        ok!(cuMemAddressFree(range, 2 * UNIT));
    });
}

#[test]
#[cfg_attr(windows, ignore = "the kinds of handles are those of Linux")]
fn invalid_reservations_and_creations_are_rejected() {
    let _own = Own::new();
    let mut at = 0;
    for size in [0, 1, 4096, 3 << 20] {
        invalid!(cuMemAddressReserve(&mut at, size, 0, 0, 0));
        invalid!(cuMemCreate(&mut at, size, &properties(), 0));
    }
    invalid!(cuMemAddressReserve(&mut at, UNIT, 3, 0, 0));
    invalid!(cuMemAddressReserve(&mut at, UNIT, 0, 0, 1));
    invalid!(cuMemAddressReserve(null_mut(), UNIT, 0, 0, 0));
    for size in [1 << 48, 1 << 60] {
        fails!(OUT_OF_MEMORY, cuMemAddressReserve(&mut at, size, 0, 0, 0));
        fails!(OUT_OF_MEMORY, cuMemCreate(&mut at, size, &properties(), 0));
    }
    ok!(cuMemAddressReserve(&mut at, UNIT, 1 << 30, 0, 0));
    assert_eq!(at % (1 << 30), 0);
    for (from, size) in [(at, 0), (at, 2 * UNIT), (at + 4096, UNIT), (0, UNIT)] {
        invalid!(cuMemAddressFree(from, size));
    }
    ok!(cuMemAddressFree(at, UNIT));
    invalid!(cuMemAddressFree(at, UNIT));

    invalid!(cuMemCreate(null_mut(), UNIT, &properties(), 0));
    invalid!(cuMemCreate(&mut at, UNIT, null(), 0));
    invalid!(cuMemCreate(&mut at, UNIT, &properties(), 1));
    let with = |change: &dyn Fn(&mut CUmemAllocationProp)| {
        let mut changed = properties();
        change(&mut changed);
        let mut handle = 0;
        call!(cuMemCreate(&mut handle, UNIT, &changed, 0))
    };
    let no_type = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_INVALID;
    assert_eq!(with(&|one| one.type_ = no_type), INVALID);
    for (kind, id) in [(0, 0), (9, 0), (3, 1), (4, 0)] {
        let location = CUmemLocation::new(CUmemLocationType(kind), id);
        assert_eq!(with(&|one| one.location = location), INVALID, "{kind} {id}");
    }
    for device in [-1, 9] {
        let location = CUmemLocation::new(DEVICE, device);
        assert_eq!(with(&|one| one.location = location), INVALID_DEVICE);
    }
    for (handles, code) in [(2, INVALID), (8, NOT_PERMITTED), (9, NOT_PERMITTED)] {
        let handles = CUmemAllocationHandleType(handles);
        assert_eq!(with(&|one| one.requestedHandleTypes = handles), code);
    }
    let meta_data = null_mut::<u8>().wrapping_add(8).cast();
    assert_eq!(with(&|one| one.win32HandleMetaData = meta_data), INVALID);
    assert_eq!(with(&|one| one.allocFlags.compressionType = 2), INVALID);
    assert_eq!(with(&|one| one.allocFlags.reserved[0] = 1), INVALID);
}

#[test]
fn invalid_mappings_are_rejected() {
    let _own = Own::new();
    let (range, memory) = (reserve(8), create(4));
    let map = |at: CUdeviceptr, size: usize, offset: usize, handle: u64, flags: u64| {
        call!(cuMemMap(at, size, offset, handle, flags))
    };
    assert_eq!(map(range, 4 * UNIT, 0, memory, 1), INVALID);
    assert_eq!(map(range, 0, 0, memory, 0), INVALID);
    // Memory is mapped as a whole.
    for (size, offset) in [
        (1, 0),
        (UNIT, 0),
        (3 * UNIT, UNIT),
        (UNIT, 4096),
        (8 * UNIT, 0),
    ] {
        assert_eq!(map(range, size, offset, memory, 0), NOT_SUPPORTED);
    }
    for wrong in [range + 4096, 0x7000_0000_0000, 0] {
        assert_eq!(map(wrong, 4 * UNIT, 0, memory, 0), INVALID);
    }
    // Beyond the end, and with invalid handles, on which an H200's driver fails in worse ways.
    let code = map(range + 6 * UNIT as u64, 4 * UNIT, 0, memory, 0);
    assert_eq!(code, INVALID);
    assert_eq!(map(range, 4 * UNIT, 0, 12345, 0), INVALID);
    assert_eq!(map(range, 4 * UNIT, 0, memory, 0), SUCCESS);
    assert_eq!(map(range, 4 * UNIT, 0, memory, 0), INVALID);
    let code = map(range + 2 * UNIT as u64, 4 * UNIT, 0, memory, 0);
    assert_eq!(code, INVALID);
    invalid!(cuMemAddressFree(range, 8 * UNIT));
    for (at, size) in [
        (range, 0),
        (range, UNIT),
        (range + UNIT as u64, UNIT),
        (range + 4096, UNIT),
        (0x7000_0000_0000, UNIT),
    ] {
        invalid!(cuMemUnmap(at, size));
        invalid!(cuMemSetAccess(at, size, &access(0, READ_WRITE), 1));
    }
    invalid!(cuMemSetAccess(range, 8 * UNIT, &access(0, READ_WRITE), 1));
    invalid!(cuMemFree_v2(range));
    invalid!(cuMemSetAccess(range, 4 * UNIT, null(), 1));
    invalid!(cuMemSetAccess(range, 4 * UNIT, &access(0, READ_WRITE), 0));
    for flags in [2, 4] {
        invalid!(cuMemSetAccess(range, 4 * UNIT, &access(0, flags), 1));
    }
    invalid!(cuMemSetAccess(range, 4 * UNIT, &access(9, READ_WRITE), 1));
    let mut host = access(0, READ_WRITE);
    host.location = CUmemLocation::new(HOST_NUMA, 0);
    fails!(NOT_SUPPORTED, cuMemSetAccess(range, 4 * UNIT, &host, 1));
    let [none, node, own] =
        [(DEVICE, 9), (HOST_NUMA, 0), (DEVICE, 0)].map(|(kind, id)| CUmemLocation::new(kind, id));
    fails!(INVALID_DEVICE, cuMemGetAccess(&mut 0, &none, range));
    ok!(cuMemGetAccess(&mut 0, &node, range));
    fails!(NOT_FOUND, cuMemGetAddressRange_v2(&mut 0, &mut 0, range));
    assert_eq!(allowed(range), 0);
    let nowhere = range + 4 * UNIT as u64;
    invalid!(cuMemGetAccess(null_mut(), &own, range));
    invalid!(cuMemGetAccess(&mut 0, &own, nowhere));
    for wrong in [nowhere, alloc(4)] {
        let place = std::ptr::with_exposed_provenance_mut(wrong as usize);
        invalid!(cuMemRetainAllocationHandle(&mut 0, place));
    }
    ok!(cuMemRelease(memory));
    invalid!(cuMemRelease(memory));
    invalid!(cuMemRelease(0));
    assert_eq!(map(nowhere, 4 * UNIT, 0, memory, 0), INVALID);
    // Unmapping an unmapped range has no effect.
    ok!(cuMemUnmap(range, 8 * UNIT));
    ok!(cuMemUnmap(range, 4 * UNIT));
    ok!(cuMemAddressFree(range, 8 * UNIT));
    invalid!(cuMemUnmap(range, 4 * UNIT));
}

#[test]
#[cfg_attr(windows, ignore = "the kinds of handles are those of Linux")]
fn granularity_and_properties() {
    let _own = Own::new();
    let [least, best, unknown] = [0, 1, 2].map(CUmemAllocationGranularity_flags);
    let (get, known) = (cuMemGetAllocationGranularity, properties());
    for which in [least, best] {
        assert_eq!(out!(get(_, &known, which)), UNIT);
    }
    invalid!(get(&mut 0, &known, unknown));
    invalid!(get(&mut 0, null(), least));
    invalid!(get(null_mut(), &known, least));

    let mut wanted = properties();
    wanted.location = CUmemLocation::new(CUmemLocationType(2), 5);
    wanted.requestedHandleTypes = CUmemAllocationHandleType(1);
    let handle = out!(cuMemCreate(_, UNIT, &wanted, 0));
    let got = out!(cuMemGetAllocationPropertiesFromHandle(_, handle));
    assert_eq!(got.requestedHandleTypes.0, 1);
    // The host location is reported as its first NUMA node.
    assert_eq!(got.location.type_, HOST_NUMA);
    assert_eq!(got.location.identifier(), 0);
    invalid!(cuMemGetAllocationPropertiesFromHandle(null_mut(), handle));

    // The host's memory at the same address.
    let range = reserve(1);
    ok!(cuMemMap(range, UNIT, 0, handle, 0));
    let mut both = [access(0, READ_WRITE), access(0, READ_WRITE)];
    both[1].location = CUmemLocation::new(HOST_NUMA, 0);
    ok!(cuMemSetAccess(range, UNIT, both.as_ptr(), 2));
    ok!(cuMemsetD8_v2(range, 7, UNIT));
    ok!(cuCtxSynchronize());
    let place = std::ptr::with_exposed_provenance_mut::<u8>(range as usize + 5);
    // SAFETY: The memory is mapped host memory.
    unsafe {
        assert_eq!(place.read_volatile(), 7);
        place.write_volatile(9);
    }
    assert_eq!(download::<u8>(range + 4, 2), [7, 9]);
    ok!(cuMemUnmap(range, UNIT));
    ok!(cuMemAddressFree(range, UNIT));
    ok!(cuMemRelease(handle));
}

#[test]
fn attributes_of_mapped_addresses() {
    let _own = Own::new();
    let (range, memory) = (reserve(8), create(4));
    ok!(cuMemMap(range, 4 * UNIT, 0, memory, 0));
    allow(range, 4, 1);
    let known = |attribute: u32| {
        let mut value = 0u64;
        let (place, attribute) = ((&raw mut value).cast(), CUpointer_attribute(attribute));
        ok!(cuPointerGetAttribute(place, attribute, range + 64));
        value
    };
    // Context, type, range and mapping, access.
    assert_eq!((known(1), known(2), known(16)), (0, 2, 1));
    assert_eq!((known(11), known(12)), (range, 8 * UNIT as u64));
    assert_eq!((known(19), known(18)), (range, 4 * UNIT as u64));
    let (mut base, mut size) = (0, 0);
    ok!(cuMemGetAddressRange_v2(&mut base, &mut size, range + 64));
    assert_eq!((base, size), (range, 4 * UNIT));
    ok!(cuMemUnmap(range, 4 * UNIT));
    ok!(cuMemAddressFree(range, 8 * UNIT));
    ok!(cuMemRelease(memory));
}

/// Reads or writes a word in a kernel.
fn touch(at: CUdeviceptr, write: bool) -> CUresult {
    let name = if write { "put" } else { "read_global" };
    let kernel = function(load(FAULTS), name);
    let to = alloc(4);
    let code = if write {
        launch(kernel, 1, 1, null_mut(), &mut [arg(&at), arg(&0u32)])
    } else {
        launch(kernel, 1, 1, null_mut(), &mut [arg(&to), arg(&at)])
    };
    assert_eq!(code, SUCCESS);
    call!(cuCtxSynchronize())
}

#[test]
fn kernels_fault_without_access() {
    let parts = [
        "device 0 has no access to allocation",
        "(cuMemSetAccess)",
        "device 0 has read access only to allocation",
        "reserved bytes at",
        "where nothing is mapped (cuMemMap)",
        "kernel read_global",
    ];
    // The access flags, the accessed unit, whether it is written, and the code.
    let cases = [
        (0, 0, false, ILLEGAL_ADDRESS),
        (0, 0, true, ILLEGAL_ADDRESS),
        (1, 0, false, SUCCESS),
        (1, 0, true, ILLEGAL_ADDRESS),
        (3, 0, false, SUCCESS),
        (3, 0, true, SUCCESS),
        (3, 1, false, ILLEGAL_ADDRESS),
    ];
    reports(&[], &parts, || {
        each(cases, |(flags, unit, writes, code)| {
            let _own = Own::new();
            let (range, memory) = (reserve(4), create(1));
            ok!(cuMemMap(range, UNIT, 0, memory, 0));
            allow(range, 1, flags);
            // Copies and fills are rejected at the call, and the context stays valid.
            let rejected = if flags == 3 { SUCCESS } else { INVALID };
            assert_eq!(copy_to(range), rejected);
            assert_eq!(call!(cuMemsetD8_v2(range, 1, 16)), rejected);
            ok!(cuCtxSynchronize());
            let touched = touch(range + (unit * UNIT) as u64, writes);
            assert_eq!(touched, code, "{flags}, write: {writes}");
            // After a ILLEGAL_ADDRESS, all memory can still be freed, and new memory created.
            ok!(cuMemRelease(create(1)));
            ok!(cuMemUnmap(range, UNIT));
            ok!(cuMemAddressFree(range, 4 * UNIT));
            ok!(cuMemRelease(memory));
        });
    });
}

fn copy_to(range: CUdeviceptr) -> CUresult {
    call!(cuMemcpyHtoD_v2(range, std::ptr::from_ref(&UNIT).cast(), 4))
}

#[test]
fn access_is_set_per_device() {
    let variables = [("CUDA_EMULATOR_DEVICES", "2")];
    let parts = ["device 1 has no access"];
    reports(&variables, &parts, || {
        ok!(cuInit(0));
        let (range, memory) = (reserve(1), create(1));
        ok!(cuMemMap(range, UNIT, 0, memory, 0));
        allow(range, 1, READ_WRITE);
        let read_by = |device: i32| {
            let context = out!(cuCtxCreate_v2(_, 0, device));
            let code = touch(range, false);
            ok!(cuCtxDestroy_v2(context));
            code
        };
        assert_eq!(read_by(0), SUCCESS);
        ok!(cuMemSetAccess(range, UNIT, &access(1, 1), 1));
        assert_eq!(read_by(1), SUCCESS);
        assert_eq!(allowed(range), u64::from(READ_WRITE));
        ok!(cuMemSetAccess(range, UNIT, &access(1, 0), 1));
        assert_eq!(read_by(1), ILLEGAL_ADDRESS);
        ok!(cuMemUnmap(range, UNIT));
        ok!(cuMemAddressFree(range, UNIT));
        ok!(cuMemRelease(memory));
    });
}

#[test]
fn unmapping_makes_running_work_fault() {
    let variables = [("CUDA_EMULATOR_HOLD", "1000000")];
    reports(&variables, &["where nothing is mapped"], || {
        let _own = Own::new();
        let (range, memory, stream) = (reserve(1), create(1), stream(1));
        ok!(cuMemMap(range, UNIT, 0, memory, 0));
        allow(range, 1, READ_WRITE);
        ok!(cuMemsetD8Async(range, 1, UNIT, stream));
        // As on an H200, the call does not wait.
        ok!(cuMemUnmap(range, UNIT));
        fails!(ILLEGAL_ADDRESS, cuStreamSynchronize(stream));
        ok!(cuMemAddressFree(range, UNIT));
        ok!(cuMemRelease(memory));
    });
}

#[test]
#[cfg(unix)] // Windows has handles
fn memory_is_shared_by_descriptor() {
    let _own = Own::new();
    let file = CUmemAllocationHandleType(1);
    let mut fd = -1;
    let export = |handle: u64, kind: u32, fd: &mut i32| {
        let kind = CUmemAllocationHandleType(kind);
        call!(cuMemExportToShareableHandle(
            std::ptr::from_mut(fd).cast(),
            handle,
            kind,
            0
        ))
    };
    let import = |fd: i32, kind: u32| {
        let mut handle = 0;
        let kind = CUmemAllocationHandleType(kind);
        let place = std::ptr::without_provenance_mut(fd as usize);
        match call!(cuMemImportFromShareableHandle(&mut handle, place, kind)) {
            SUCCESS => Ok(handle),
            code => Err(code),
        }
    };
    let plain = create(1);
    assert_eq!(export(plain, 1, &mut fd), INVALID);
    let mut wanted = properties();
    wanted.requestedHandleTypes = file;
    let memory = out!(cuMemCreate(_, UNIT, &wanted, 0));
    for kind in [0, 2, 8, 16] {
        assert_eq!(export(memory, kind, &mut fd), INVALID);
    }
    assert_eq!(export(memory, 1, &mut fd), SUCCESS);
    assert_eq!(import(fd, 0), Err(INVALID));
    assert_eq!(import(-1, 1), Err(UNKNOWN));
    assert_eq!(import(999, 1), Err(UNKNOWN));
    let same = import(fd, 1).unwrap();
    // SAFETY: The descriptor was opened by the call.
    unsafe { close(fd) };
    assert_eq!(export(same, 1, &mut fd), INVALID);
    let range = reserve(2);
    ok!(cuMemMap(range, UNIT, 0, memory, 0));
    ok!(cuMemMap(range + UNIT as u64, UNIT, 0, same, 0));
    allow(range, 2, READ_WRITE);
    ok!(cuMemsetD32_v2(range, 7, 1));
    assert_eq!(download::<u32>(range + UNIT as u64, 1), [7]);
    ok!(cuMemUnmap(range, 2 * UNIT));
    ok!(cuMemAddressFree(range, 2 * UNIT));
    for handle in [plain, memory, same] {
        ok!(cuMemRelease(handle));
    }
}

#[cfg(unix)]
unsafe extern "C" {
    fn close(fd: i32) -> i32;
}

#[test]
#[cfg(unix)] // Windows has no such limits
fn many_allocations_need_no_descriptors() {
    let room = [("CUDA_EMULATOR_MEMORY", "16G")];
    passes(&room, || {
        const PIECES: usize = 3000;
        let few = libc::rlimit {
            rlim_cur: 100,
            rlim_max: 100,
        };
        // SAFETY: The limit is valid.
        assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &few) }, 0);
        let _own = Own::new();
        let before = free_memory();
        let base = reserve(PIECES);
        for piece in 0..PIECES {
            let handle = create(1);
            let at = base + (piece * UNIT) as u64;
            ok!(cuMemMap(at, UNIT, 0, handle, 0));
            ok!(cuMemRelease(handle));
        }
        allow(base, PIECES, READ_WRITE);
        assert_eq!(before - free_memory(), PIECES * UNIT);
        // Each piece has separate memory, and one fill spans two pieces.
        for piece in [0, 1, 1777, PIECES - 1] {
            let at = base + (piece * UNIT) as u64;
            ok!(cuMemsetD32_v2(at + 4096, piece as u32, 2));
        }
        ok!(cuMemsetD8_v2(base + UNIT as u64 - 8, 5, 16));
        for piece in [0, 1, 1777, PIECES - 1] {
            let at = base + (piece * UNIT) as u64;
            let found = download::<u32>(at + 4096, 3);
            assert_eq!(found, [piece as u32, piece as u32, 0]);
        }
        assert_eq!(download::<u8>(base + UNIT as u64 - 9, 18)[1..17], [5; 16]);
        // Released memory is zeroed before reuse.
        ok!(cuMemUnmap(base, UNIT));
        let handle = create(1);
        ok!(cuMemMap(base, UNIT, 0, handle, 0));
        allow(base, 1, READ_WRITE);
        assert_eq!(download::<u32>(base + 4096, 1), [0]);
        ok!(cuMemRelease(handle));
        ok!(cuMemUnmap(base, PIECES * UNIT));
        ok!(cuMemAddressFree(base, PIECES * UNIT));
        assert_eq!(free_memory(), before);
    });
}

/// Sets the limit of the process's address space in bytes, and returns the previous limit.
#[cfg(unix)]
fn limit_addresses(bytes: libc::rlim_t) -> libc::rlim_t {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: The result pointer is valid, and the limit does not exceed the process's hard limit.
    unsafe {
        assert_eq!(libc::getrlimit(libc::RLIMIT_AS, &mut limit), 0);
        let before = limit.rlim_cur;
        limit.rlim_cur = bytes;
        assert_eq!(libc::setrlimit(libc::RLIMIT_AS, &limit), 0);
        before
    }
}

#[test]
#[cfg(unix)] // Windows has no such limits
fn failed_unmaps_keep_the_mapping() {
    passes(&[], || {
        let _own = Own::new();
        let (range, memory) = (reserve(1), create(1));
        ok!(cuMemMap(range, UNIT, 0, memory, 0));
        allow(range, 1, READ_WRITE);
        ok!(cuMemsetD8_v2(range, 7, 100));
        ok!(cuCtxSynchronize());
        // The limit is below the current use, so the system creates no more mappings, as if their
        // number had reached its limit.
        let before = limit_addresses(1 << 20);
        let code = call!(cuMemUnmap(range, UNIT));
        limit_addresses(before);
        assert_eq!(code, OPERATING_SYSTEM);
        assert_eq!(download::<u8>(range, 100), [7; 100]);
        ok!(cuMemUnmap(range, UNIT));
        ok!(cuMemAddressFree(range, UNIT));
        ok!(cuMemRelease(memory));
    });
}
