//! Allocation, registration and managed memory: results of each call, and rejected arguments.

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::pools::location;
use std::ffi::c_void;
use std::ptr::null_mut;

// Functions that the newest headers no longer declare.
unsafe extern "C" {
    fn cuMemHostRegister(address: *mut c_void, size: usize, flags: u32) -> CUresult;
    fn cuMemPrefetchAsync(at: CUdeviceptr, n: usize, device: i32, stream: CUstream) -> CUresult;
    fn cuMemAdvise(at: CUdeviceptr, n: usize, advice: CUmem_advise, device: i32) -> CUresult;
}

fn managed(size: usize) -> CUdeviceptr {
    out!(cuMemAllocManaged(_, size, 1))
}

/// Returns page-aligned memory that lives as long as the process.
fn pages(count: usize) -> *mut c_void {
    let layout = std::alloc::Layout::from_size_align(count * 4096, 4096).unwrap();
    // SAFETY: The size is not zero.
    unsafe { std::alloc::alloc_zeroed(layout) }.cast()
}

#[test]
fn memory_is_counted_and_limited_by_the_device() {
    passes(&[("CUDA_EMULATOR_MEMORY", "4M")], || {
        let _own = Own::new();
        let total = out!(cuMemGetInfo_v2(null_mut(), _));
        assert_eq!((total, free_memory()), (4 << 20, 4 << 20));
        let mut address = 0;
        fails!(OUT_OF_MEMORY, cuMemAlloc_v2(&mut address, (4 << 20) + 1));
        let all = alloc(4 << 20);
        assert_eq!(free_memory(), 0);
        fails!(OUT_OF_MEMORY, cuMemAlloc_v2(&mut address, 1));
        ok!(cuMemFree_v2(all));
        assert_eq!(free_memory(), 4 << 20);
        // Every kind of device memory counts, in whole blocks.
        let some = alloc(513);
        assert_eq!(free_memory(), (4 << 20) - 1024);
        let both = managed(512);
        assert_eq!(free_memory(), (4 << 20) - 1536);
        let ordered = out!(cuMemAllocAsync(_, 1 << 20, null_mut()));
        assert_eq!(free_memory(), (3 << 20) - 1536);
        // Host memory does not count.
        let pinned = out!(cuMemAllocHost_v2(_, 5 << 20));
        let own = pages(1);
        ok!(cuMemHostRegister_v2(own, 4096, 0));
        assert_eq!(free_memory(), (3 << 20) - 1536);
        ok!(cuMemFree_v2(some));
        ok!(cuMemFree_v2(both));
        ok!(cuMemFreeAsync(ordered, null_mut()));
        ok!(cuCtxSynchronize());
        ok!(cuMemFreeHost(pinned));
        ok!(cuMemHostUnregister(own));
        assert_eq!(free_memory(), 4 << 20);
        // Destroying a context frees its memory.
        {
            let _other = Own::new();
            alloc(1 << 20);
            assert_eq!(free_memory(), 3 << 20);
        }
        assert_eq!(free_memory(), 4 << 20);
    });
}

#[test]
#[cfg(unix)] // the size is read from Linux's files
fn page_locked_memory_is_limited_by_host_memory() {
    let _own = Own::new();
    // SAFETY: `sysconf` only reads.
    let all = unsafe { libc::sysconf(libc::_SC_PHYS_PAGES) * libc::sysconf(libc::_SC_PAGESIZE) };
    // A container may have a lower limit.
    let limits = ["memory.max", "memory/memory.limit_in_bytes"]
        .map(|name| std::fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok());
    let mut limits = limits.iter().flatten();
    let limit = limits.find_map(|one| one.trim().parse().ok());
    let most = (all as u64).min(limit.unwrap_or(u64::MAX));
    let mut pinned = null_mut();
    fails!(
        OUT_OF_MEMORY,
        cuMemAllocHost_v2(&mut pinned, most as usize + 1)
    );
    fails!(OUT_OF_MEMORY, cuMemHostAlloc(&mut pinned, usize::MAX, 0));
    for size in [most as usize, 1 << 20] {
        ok!(cuMemAllocHost_v2(&mut pinned, size));
        ok!(cuMemFreeHost(pinned));
    }
}

#[test]
fn pitched_memory_has_aligned_rows() {
    let _own = Own::new();
    let pitched = |width, height, element| {
        let mut pitch = 0;
        let address = result!(cuMemAllocPitch_v2(_, &mut pitch, width, height, element));
        address.map(|address| (address, pitch))
    };
    for (width, wanted) in [(1, 512), (511, 512), (512, 512), (513, 1024), (5000, 5120)] {
        for (height, element) in [(1, 4), (3, 8), (7, 16)] {
            let (address, pitch) = pitched(width, height, element).unwrap();
            assert_eq!((pitch, address % 512), (wanted, 0));
            let size = out!(cuMemGetAddressRange_v2(null_mut(), _, address));
            assert_eq!(size, wanted * height);
            ok!(cuMemFree_v2(address));
        }
    }
    for (width, height, element, code) in [
        (0, 1, 4, INVALID),
        (1, 0, 4, INVALID),
        (1, 1, 0, INVALID),
        (1, 1, 3, INVALID),
        (1, 1, 12, INVALID),
        (1, 1, 32, INVALID),
        (usize::MAX, 1, 4, OUT_OF_MEMORY),
        (1 << 60, 1 << 10, 4, OUT_OF_MEMORY),
    ] {
        let got = pitched(width, height, element);
        assert_eq!(got, Err(code), "{width} x {height} of {element}");
    }
    invalid!(cuMemAllocPitch_v2(null_mut(), &mut 0, 1, 1, 4));
    invalid!(cuMemAllocPitch_v2(&mut 0, null_mut(), 1, 1, 4));
}

#[test]
fn address_ranges_return_base_size_or_both() {
    let _own = Own::new();
    let memory = alloc(700);
    for at in [memory, memory + 1, memory + 699] {
        assert_eq!(out!(cuMemGetAddressRange_v2(_, null_mut(), at)), memory);
        assert_eq!(out!(cuMemGetAddressRange_v2(null_mut(), _, at)), 700);
    }
    for outside in [memory + 700, 1] {
        let (range, none) = (cuMemGetAddressRange_v2, null_mut());
        fails!(NOT_FOUND, range(none, null_mut(), outside));
    }
}

#[test]
fn flags_of_page_locked_memory() {
    let _own = Own::new();
    for flags in 0..16 {
        let mut pinned = null_mut();
        let code = call!(cuMemHostAlloc(&mut pinned, 64, flags));
        if flags > 7 {
            assert_eq!(code, INVALID, "{flags}");
            continue;
        }
        assert_eq!(code, SUCCESS, "{flags}");
        // With unified addressing, all page-locked memory is mapped. The portable flag is not
        // reported, as on an H200.
        for address in [pinned, pinned.wrapping_byte_add(63)] {
            let found = out!(cuMemHostGetFlags(_, address));
            assert_eq!(found, flags & 4 | 2, "{flags}");
        }
        ok!(cuMemFreeHost(pinned));
    }
    invalid!(cuMemHostAlloc(null_mut(), 64, 0));
    invalid!(cuMemAllocHost_v2(null_mut(), 64));
    // An allocation of zero bytes succeeds and returns null.
    assert!(out!(cuMemHostAlloc(_, 0, 0)).is_null());
    assert!(out!(cuMemAllocHost_v2(_, 0)).is_null());
}

#[test]
fn page_locked_memory_of_each_kind() {
    let _own = Own::new();
    let pinned = out!(cuMemAllocHost_v2(_, 64));
    let own = pages(1);
    ok!(cuMemHostRegister_v2(own, 4096, 1));
    let device = alloc(64) as *mut c_void;
    let both = managed(64) as *mut c_void;
    let mut flags = 0;
    for address in [device, both, std::ptr::dangling_mut()] {
        invalid!(cuMemHostGetFlags(&mut flags, address));
        invalid!(cuMemFreeHost(address));
    }
    for address in [own, own.wrapping_byte_add(4095)] {
        ok!(cuMemHostGetFlags(&mut flags, address));
        assert_eq!(flags, 3);
        invalid!(cuMemFreeHost(address));
    }
    invalid!(cuMemHostGetFlags(null_mut(), pinned));
    invalid!(cuMemFreeHost(pinned.wrapping_byte_add(4)));
    let mut found = 0;
    for (address, known) in [
        (pinned, true),
        (own, true),
        (own.wrapping_byte_add(4095), true),
        (own.wrapping_byte_add(4096), false),
        (device, false),
        (both, false),
    ] {
        let code = call!(cuMemHostGetDevicePointer_v2(&mut found, address, 0));
        assert_eq!(code, if known { SUCCESS } else { INVALID });
        if known {
            assert_eq!(found, address as u64);
        }
        for flags in [1, 2] {
            invalid!(cuMemHostGetDevicePointer_v2(&mut found, address, flags));
        }
    }
    invalid!(cuMemHostGetDevicePointer_v2(null_mut(), pinned, 0));
    for address in [pinned, device, both, own.wrapping_byte_add(64), null_mut()] {
        invalid!(cuMemHostUnregister(address));
    }
    for address in [own.wrapping_byte_add(4096), std::ptr::dangling_mut()] {
        fails!(HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(address));
    }
    for address in [pinned, device, both] {
        invalid!(cuMemHostRegister_v2(address, 64, 0));
    }
    for address in [pinned, own] {
        invalid!(cuMemFree_v2(address as u64));
    }
    ok!(cuMemHostUnregister(own));
    ok!(cuMemFree_v2(both as u64));
    ok!(cuMemFree_v2(device as u64));
    ok!(cuMemFreeHost(pinned));
}

/// Returns the access that kernels have to an address: 1 for reads, 3 for reads and writes, `None`
/// for unknown memory.
fn access(address: *mut c_void) -> Option<u32> {
    let mut flags = 0u32;
    let attribute = CUpointer_attribute::CU_POINTER_ATTRIBUTE_ACCESS_FLAGS;
    let place = (&raw mut flags).cast();
    let code = call!(cuPointerGetAttribute(place, attribute, address as u64));
    (code == SUCCESS).then_some(flags)
}

#[test]
fn registration_and_its_flags() {
    let _own = Own::new();
    let own = pages(4);
    for old in [false, true] {
        let register = |address, size, flags| match old {
            false => call!(cuMemHostRegister_v2(address, size, flags)),
            true => call!(cuMemHostRegister(address, size, flags)),
        };
        for flags in [0, 1, 2, 3, 8, 11] {
            assert_eq!(register(own, 4096, flags), SUCCESS, "{flags}");
            let rights = if flags & 8 != 0 { 1 } else { 3 };
            assert_eq!(access(own), Some(rights), "{flags}");
            assert_eq!(access(own.wrapping_byte_add(4095)), Some(rights));
            assert_eq!(access(own.wrapping_byte_add(4096)), None);
            ok!(cuMemHostUnregister(own));
            assert_eq!(access(own), None, "{flags}");
        }
        for (address, size, flags) in [
            (null_mut(), 4096, 0),
            (own, 0, 0),
            (own, 4096, 0x10),
            (own, 4096, 0x11),
            (own, usize::MAX, 0),
        ] {
            assert_eq!(register(address, size, flags), INVALID);
            assert_eq!(access(own), None);
        }
    }
}

/// A constant in read-only pages.
static CONSTANT: [u64; 512] = [5; 512];

#[test]
fn registration_keeps_page_protection() {
    let _own = Own::new();
    let constant = CONSTANT.as_ptr().cast_mut().cast();
    invalid!(cuMemHostRegister_v2(constant, 4096, 0));
    ok!(cuMemHostRegister_v2(constant, 4096, 8));
    let device = alloc(4096);
    ok!(cuMemcpyHtoD_v2(device, constant, 4096));
    assert_eq!(download::<u64>(device, 512), [5; 512]);
    // Copies and fills cannot write to memory that is read-only for the device.
    invalid!(cuMemcpyDtoH_v2(constant, device, 8));
    invalid!(cuMemsetD8_v2(constant as u64, 3, 8));
    ok!(cuMemHostUnregister(constant));
    invalid!(cuMemHostRegister_v2(0x1000 as *mut c_void, 4096, 0));
    // Memory of the process is not I/O memory of another device.
    for flags in [4, 5, 12] {
        invalid!(cuMemHostRegister_v2(pages(1), 4096, flags));
    }
}

#[test]
fn registered_ranges_may_touch_but_not_overlap() {
    let _own = Own::new();
    let own = pages(6);
    let at = |page: usize| own.wrapping_byte_add(page * 4096);
    ok!(cuMemHostRegister_v2(at(2), 2 * 4096, 0));
    for (first, count, free) in [
        (0, 2, true),
        (4, 2, true),
        (0, 3, false),
        (0, 6, false),
        (1, 4, false),
        (2, 1, false),
        (2, 2, false),
        (3, 1, false),
    ] {
        let code = call!(cuMemHostRegister_v2(at(first), count * 4096, 0));
        let wanted = match free {
            true => SUCCESS,
            false => HOST_MEMORY_ALREADY_REGISTERED,
        };
        assert_eq!(code, wanted, "{count} pages from {first}");
        if free {
            ok!(cuMemHostUnregister(at(first)));
        }
    }
    ok!(cuMemHostUnregister(at(2)));
}

#[test]
fn managed_memory_and_its_flags() {
    let _own = Own::new();
    let mut address = 0;
    for flags in 0..6 {
        let code = call!(cuMemAllocManaged(&mut address, 64, flags));
        let good = flags == 1 || flags == 2;
        assert_eq!(code, if good { SUCCESS } else { INVALID }, "{flags}");
        if good {
            ok!(cuMemFree_v2(address));
        }
    }
    invalid!(cuMemAllocManaged(&mut address, 0, 1));
    invalid!(cuMemAllocManaged(null_mut(), 64, 1));
}

#[test]
fn advice_and_prefetches_are_checked() {
    let _own = Own::new();
    let (both, device) = (managed(256), alloc(256));
    let pinned = out!(cuMemAllocHost_v2(_, 256));
    let mut host = [0u8; 256];
    let ranges = [
        (both, 256, SUCCESS),
        (both + 16, 240, SUCCESS),
        (both, 257, INVALID),
        (both + 17, 240, INVALID),
        (both, 0, INVALID),
        (device, 256, INVALID),
        (pinned as u64, 256, INVALID),
        (host.as_mut_ptr() as u64, 256, INVALID),
        (0, 256, INVALID),
    ];
    for (at, count, wanted) in ranges {
        for advice in 0..9 {
            let wanted = match advice {
                1..=6 => wanted,
                _ => INVALID,
            };
            let advice = CUmem_advise(advice);
            let old = call!(cuMemAdvise(at, count, advice, 0));
            let new = call!(cuMemAdvise_v2(at, count, advice, location(0)));
            assert_eq!([old, new], [wanted; 2], "{advice:?}: {count} bytes");
        }
        let (place, none) = (location(0), null_mut());
        fails!(wanted, cuMemPrefetchAsync(at, count, 0, none));
        fails!(wanted, cuMemPrefetchAsync(at, count, -1, none));
        fails!(wanted, cuMemPrefetchAsync_v2(at, count, place, 0, none));
    }
    for device in [-3, -2, 1, 2] {
        let code = call!(cuMemPrefetchAsync(both, 256, device, null_mut()));
        assert_eq!(code, INVALID_DEVICE);
    }
    let (place, none) = (location(0), null_mut());
    for flags in [1, 2] {
        invalid!(cuMemPrefetchAsync_v2(both, 256, place, flags, none));
    }
    for wild in WILD.map(|one| one as CUstream) {
        stale!(cuMemPrefetchAsync(both, 256, 0, wild));
        stale!(cuMemPrefetchAsync_v2(both, 256, location(0), 0, wild));
        stale!(cuStreamAttachMemAsync(wild, both, 0, 1));
    }
    for flags in 0..9 {
        for length in [0, 256] {
            let code = call!(cuStreamAttachMemAsync(null_mut(), both, length, flags));
            let good = matches!(flags, 1 | 2);
            assert_eq!(code, if good { SUCCESS } else { INVALID }, "{flags}");
        }
    }
    // Memory can be attached to the named default streams.
    for stream in [1, 2] {
        ok!(cuStreamAttachMemAsync(stream as CUstream, both, 0, 4));
    }
    for (at, length) in [(device, 0), (both, 257), (both, 128), (both + 8, 0), (0, 0)] {
        invalid!(cuStreamAttachMemAsync(null_mut(), at, length, 1));
    }
}

#[test]
fn freed_addresses_are_quarantined_before_reuse() {
    passes(&[("CUDA_EMULATOR_MEMORY", "1G")], || {
        let _own = Own::new();
        // A use after free is detected until 64 MiB or 1024 blocks have been freed since.
        for (size, resting) in [(1 << 20, 64), (512, 1024), (80 << 20, 1)] {
            let blocks: Vec<_> = (0..resting + 1).map(|_| alloc(size)).collect();
            // The space between the blocks and the rest of the address space stays occupied.
            let _fence = alloc(size);
            for (index, block) in blocks.iter().enumerate() {
                ok!(cuMemFree_v2(*block));
                if index + 1 >= resting {
                    let next = alloc(size);
                    let back = index + 1 > resting;
                    assert_eq!(blocks.contains(&next), back, "{index} of {size} bytes");
                    assert_eq!(next == blocks[0], back, "the block that was freed first");
                    assert!(!blocks.contains(&alloc(size)), "only that block");
                }
            }
        }
    });
}

/// Returns the number of resident bytes of this process.
#[cfg(unix)]
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap();
    status.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

#[test]
#[cfg(unix)] // the size is read from Linux's files
#[cfg_attr(
    cuda_emulator_tsan,
    ignore = "what ThreadSanitizer remembers of the memory stays resident"
)]
fn freed_memory_is_returned_to_the_system() {
    passes(&[], || {
        let _own = Own::new();
        let size = 48 << 20;
        let before = resident();
        let memory = alloc(size);
        ok!(cuMemsetD8_v2(memory, 1, size));
        ok!(cuCtxSynchronize());
        assert!(resident() > before + size / 2);
        ok!(cuMemFree_v2(memory));
        assert!(resident() < before + size / 2);
    });
}

#[test]
#[cfg(unix)] // Windows has no limit of the address space
fn allocation_works_with_little_address_space() {
    passes(&[("CUDA_EMULATOR_MEMORY", "16G")], || {
        let _own = Own::new();
        let status = std::fs::read_to_string("/proc/self/statm").unwrap();
        let taken: u64 = status.split(' ').next().unwrap().parse().unwrap();
        let (rlim_cur, rlim_max) = (taken * 4096 + (3 << 30), libc::RLIM_INFINITY);
        let most = libc::rlimit { rlim_cur, rlim_max };
        // SAFETY: The limit is valid.
        assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &most) }, 0);
        let mut address = 0;
        fails!(OUT_OF_MEMORY, cuMemAlloc_v2(&mut address, 4 << 30));
        let memory = alloc(1 << 30);
        ok!(cuMemsetD8_v2(memory + (1 << 30) - 4, 1, 4));
        assert_eq!(download::<u8>(memory + (1 << 30) - 4, 4), [1; 4]);
        let before = free_memory();
        fails!(OUT_OF_MEMORY, cuMemAlloc_v2(&mut address, 2 << 30));
        assert_eq!(free_memory(), before, "failed allocations do not count");
    });
}
