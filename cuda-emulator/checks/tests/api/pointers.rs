//! Information about an address: attributes of pointers and of managed ranges, and descriptions in
//! reports.

use cuda_emulator_checks::abi::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

const MARK: u64 = 0xdead_beef_dead_beef;

/// Returns a 32-bit result in a 64-bit buffer that held the mark.
fn int(value: i32) -> u64 {
    MARK & !0xffff_ffff | u64::from(value as u32)
}

/// Reads an attribute of an address.
fn one(attribute: u32, address: u64) -> Result<u64, CUresult> {
    // Tokens are a structure of 16 bytes.
    let mut value = [MARK; 2];
    let attribute = CUpointer_attribute(attribute);
    let place = (&raw mut value).cast();
    match call!(cuPointerGetAttribute(place, attribute, address)) {
        SUCCESS => Ok(value[0]),
        code => Err(code),
    }
}

/// Reads attributes with the function that takes several.
fn many(attributes: &[u32], address: u64) -> Result<Vec<u64>, CUresult> {
    let mut values = vec![MARK; attributes.len()];
    let place = |one: &mut u64| std::ptr::from_mut(one).cast();
    let mut places: Vec<*mut c_void> = values.iter_mut().map(place).collect();
    let mut kinds: Vec<_> = attributes
        .iter()
        .map(|&one| CUpointer_attribute(one))
        .collect();
    let (count, kinds, to) = (
        attributes.len() as u32,
        kinds.as_mut_ptr(),
        places.as_mut_ptr(),
    );
    match call!(cuPointerGetAttributes(count, kinds, to, address)) {
        SUCCESS => Ok(values),
        code => Err(code),
    }
}

/// The expected attributes of a kind of memory.
struct Known {
    kind: &'static str,
    base: u64,
    size: u64,
    context: u64,
    memory_type: i32,
    on_host: bool,
    managed: bool,
    access: i32,
    pool: u64,
}

/// Allocates memory of each kind.
fn kinds(own: &Own) -> Vec<Known> {
    let managed = out!(cuMemAllocManaged(_, 200, 1));
    let ordered = out!(cuMemAllocAsync(_, 300, null_mut()));
    let pinned = out!(cuMemAllocHost_v2(_, 400));
    let pool = out!(cuDeviceGetDefaultMemPool(_, 0));
    let registered = [8, 0].map(|flags| {
        let pages = Box::leak(vec![0u64; 1024].into_boxed_slice());
        ok!(cuMemHostRegister_v2(pages.as_mut_ptr().cast(), 500, flags));
        pages.as_ptr() as u64
    });
    let device = Known {
        kind: "device",
        base: alloc(100),
        size: 100,
        context: own.0 as u64,
        memory_type: 2,
        on_host: false,
        managed: false,
        access: 3,
        pool: 0,
    };
    let host = |kind, base, size, access| Known {
        kind,
        base,
        size,
        memory_type: 1,
        on_host: true,
        access,
        ..device
    };
    vec![
        host("pinned", pinned as u64, 400, 3),
        host("read-only", registered[0], 500, 1),
        host("registered", registered[1], 500, 3),
        Known {
            kind: "managed",
            base: managed,
            size: 200,
            on_host: true,
            managed: true,
            ..device
        },
        Known {
            kind: "ordered",
            base: ordered,
            size: 300,
            context: 0,
            pool: pool as u64,
            ..device
        },
        device,
    ]
}

#[test]
fn every_attribute_of_every_kind_of_memory() {
    let own = Own::new();
    let mut ids = Vec::new();
    for known in kinds(&own) {
        let Known { base, size, .. } = known;
        for inside in [0, 1, size - 1] {
            let address = base + inside;
            let host = match known.on_host {
                true => Ok(address),
                false => Err(INVALID),
            };
            let table = [
                (1, Ok(known.context)),
                (2, Ok(int(known.memory_type))),
                (3, Ok(address)),
                (4, host),
                (6, Ok(int((known.memory_type == 2).into()))),
                (8, Ok(int(known.managed.into()))),
                (9, Ok(int(0))),
                (10, Ok(int((known.kind == "device").into()))),
                (11, Ok(base)),
                (12, Ok(size)),
                (13, Ok(int(1))),
                (14, Ok(0)),
                (15, Ok(int(0))),
                (16, Ok(int(known.access))),
                (17, Ok(known.pool)),
                (18, Ok(size)),
                (19, Ok(base)),
                (21, Ok(int(0))),
            ];
            for (attribute, wanted) in table {
                let kind = known.kind;
                assert_eq!(one(attribute, address), wanted, "{kind}: {attribute}");
                // With this function, an attribute that this kind of memory lacks reads as null.
                let wanted = wanted.unwrap_or(0);
                let found = many(&[attribute, 9], address);
                assert_eq!(found, Ok(vec![wanted, int(0)]), "{kind}: {attribute}");
            }
            // Tokens: two words, which page-locked memory lacks. They cannot be read together with
            // others.
            let tokens = if known.memory_type == 1 {
                Err(INVALID)
            } else {
                Ok(0)
            };
            assert_eq!(one(5, address).map(|word| word & 0xffff_ffff), tokens);
            assert_eq!(many(&[2, 5], address), Err(INVALID));
            let id = one(7, address).unwrap();
            assert_eq!(one(20, address), Ok(id));
            assert_eq!(many(&[7, 20], address), Ok(vec![id, id]));
            if inside == 0 {
                ids.push(id);
            }
        }
        for attribute in [0, 22, 100, u32::MAX] {
            assert_eq!(one(attribute, base), Err(INVALID), "{attribute}");
            assert_eq!(many(&[2, attribute], base), Err(INVALID), "{attribute}");
        }
    }
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "ids are unique");
}

#[test]
fn attributes_of_unknown_addresses() {
    let _own = Own::new();
    let place = [0u8; 8];
    let freed = alloc(64);
    ok!(cuMemFree_v2(freed));
    for address in [place.as_ptr() as u64, freed, 0, u64::MAX] {
        for attribute in 0..24 {
            assert_eq!(one(attribute, address), Err(INVALID), "{attribute}");
            let wanted = match attribute {
                5 => Err(INVALID),
                1..=21 => Ok(vec![match attribute {
                    4 => address,
                    // These stay unchanged.
                    11 | 12 => MARK,
                    2 | 6 | 8 | 10 | 13 | 15 | 16 | 21 => int(0),
                    // CU_DEVICE_INVALID
                    9 => int(-2),
                    _ => 0,
                }]),
                _ => Err(INVALID),
            };
            assert_eq!(many(&[attribute], address), wanted, "{attribute}");
        }
    }
    let device = alloc(64);
    let attribute = CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    invalid!(cuPointerGetAttribute(null_mut(), attribute, device));
    let mut attributes = [attribute];
    let mut places = [null_mut()];
    let (attributes, places) = (attributes.as_mut_ptr(), places.as_mut_ptr());
    for (attributes, places) in [
        (attributes, places),
        (attributes, null_mut()),
        (null_mut(), places),
    ] {
        invalid!(cuPointerGetAttributes(1, attributes, places, device));
    }
    invalid!(cuPointerGetAttributes(0, null_mut(), null_mut(), device));
}

#[test]
fn only_sync_memops_can_be_set() {
    let own = Own::new();
    for known in kinds(&own) {
        for value in [1u32, 0, 0x100, 0] {
            let place: *const u32 = &value;
            for attribute in 0..24 {
                let kind = CUpointer_attribute(attribute);
                let code = call!(cuPointerSetAttribute(place.cast(), kind, known.base + 3));
                let wanted = if attribute == 6 { SUCCESS } else { INVALID };
                assert_eq!(code, wanted, "{attribute}");
            }
            assert_eq!(one(6, known.base), Ok(int((value != 0).into())));
        }
    }
    let switch = CUpointer_attribute::CU_POINTER_ATTRIBUTE_SYNC_MEMOPS;
    let (value, device) = (1u32, alloc(64));
    let place: *const c_void = (&raw const value).cast();
    for (place, address) in [(null(), device), (place, place as u64), (place, 0)] {
        invalid!(cuPointerSetAttribute(place, switch, address));
    }
    assert_eq!(one(6, device), Ok(int(1)));
}

#[test]
fn attributes_of_managed_ranges() {
    let _own = Own::new();
    let managed = out!(cuMemAllocManaged(_, 256, 1));
    const OLD: i32 = 0x5555_5555;
    let range = |attribute, bytes, address, count| {
        let mut values = [OLD; 4];
        let attribute = CUmem_range_attribute(attribute);
        let (place, get) = (values.as_mut_ptr().cast(), cuMemRangeGetAttribute);
        let code = call!(get(place, bytes, attribute, address, count));
        (code, values)
    };
    // The range was never advised or prefetched, so its locations have the type and number
    // "invalid".
    for (attribute, value) in (1..).zip([0, -2, -2, -2, 0, -2, 0, -2]) {
        // Only the list of accessing devices may have several entries.
        let sizes: &[usize] = if attribute == 3 { &[1, 3] } else { &[1] };
        for &words in sizes {
            let mut wanted = [OLD; 4];
            wanted[..words].fill(value);
            let got = range(attribute, 4 * words, managed, 256);
            assert_eq!(got, (SUCCESS, wanted), "{attribute}");
            assert_eq!(range(attribute, 4 * words, managed + 8, 248), got);
        }
        for bytes in [0, 1, 2, 3, 5, 6, 7, 12] {
            if attribute == 3 && bytes == 12 {
                continue;
            }
            let got = range(attribute, bytes, managed, 256);
            assert_eq!(got, (INVALID, [OLD; 4]), "{attribute}: {bytes} bytes");
        }
    }
    let local = [0u8; 16];
    let rejected = (INVALID, [OLD; 4]);
    for attribute in [0, 9, u32::MAX] {
        assert_eq!(range(attribute, 4, managed, 256), rejected);
    }
    for (address, count) in [
        (managed, 257),
        (managed, 0),
        (managed + 255, 2),
        (alloc(256), 256),
        (local.as_ptr() as u64, 16),
        (0, 4),
    ] {
        assert_eq!(range(1, 4, address, count), rejected, "{count}");
    }
    let first = CUmem_range_attribute(1);
    invalid!(cuMemRangeGetAttribute(null_mut(), 4, first, managed, 256));

    let several = |attributes: [u32; 3], sizes: [usize; 3], address| {
        let mut values = [[OLD; 2]; 3];
        let mut places = values.each_mut().map(|one| one.as_mut_ptr().cast());
        let mut attributes = attributes.map(CUmem_range_attribute);
        let (mut sizes, places) = (sizes, places.as_mut_ptr());
        let (sizes, attributes) = (sizes.as_mut_ptr(), attributes.as_mut_ptr());
        let get = cuMemRangeGetAttributes;
        let code = call!(get(places, sizes, attributes, 3, address, 256));
        (code, values)
    };
    let found = several([2, 1, 3], [4, 4, 8], managed);
    assert_eq!(found, (SUCCESS, [[-2, OLD], [0, OLD], [-2, -2]]));
    assert_eq!(several([2, 9, 3], [4, 4, 8], managed).0, INVALID);
    assert_eq!(several([2, 1, 3], [4, 2, 8], managed).0, INVALID);
    assert_eq!(several([2, 1, 3], [4, 4, 8], alloc(256)).0, INVALID);
}

/// Reads four bytes at `from` in a kernel, in a context that owns the memory from `make`. Returns
/// the code of the synchronization.
fn reading(make: impl FnOnce() -> CUdeviceptr) -> CUresult {
    let _own = Own::new();
    let to = alloc(4);
    let from = make();
    let kernel = function(load(FAULTS), "read_global");
    let code = launch(kernel, 1, 1, null_mut(), &mut [arg(&to), arg(&from)]);
    assert_eq!(code, SUCCESS);
    call!(cuCtxSynchronize())
}

#[test]
fn reports_describe_the_address() {
    let parts = [
        "address 0x0 is a null pointer, or an offset from one",
        "address 0xffc is a null pointer, or an offset from one",
        "the last 3 of 4 bytes are beyond the end of allocation",
        "(cuMemAlloc, 1025 bytes at 0x",
        "it is 0 bytes past the end of allocation",
        "(cuMemAlloc, 1028 bytes at 0x",
        "it is 12 bytes past the end of allocation",
        "(cuMemAlloc, 1040 bytes at 0x",
        "it is 1000 bytes into allocation",
        "(cuMemAlloc, 2000 bytes at 0x",
        "which was freed by cuMemFree\n",
        "it is 4 bytes into allocation",
        "(cuMemAllocManaged, 2004 bytes at 0x",
        "it is 8 bytes before the start of allocation",
        "(cuMemHostRegister, 4096 bytes at 0x",
        "(cuMemAllocAsync, 100 bytes at 0x",
        "(cuMemAllocHost, 200 bytes at 0x",
    ];
    reports(&[], &parts, || {
        type Make<'a> = &'a dyn Fn() -> CUdeviceptr;
        let cases: [Make<'_>; 10] = [
            &|| 0,
            &|| 4092,
            &|| alloc(1025) + 1024,
            &|| alloc(1028) + 1028,
            &|| alloc(1040) + 1052,
            &|| {
                let freed = alloc(2000);
                // Earlier freed memory is remembered too, not only the last.
                let later = alloc(3000);
                ok!(cuMemFree_v2(freed));
                ok!(cuMemFree_v2(later));
                freed + 1000
            },
            &|| {
                let freed = out!(cuMemAllocManaged(_, 2004, 1));
                ok!(cuMemFree_v2(freed));
                freed + 4
            },
            &|| {
                let pages = Box::leak(vec![0u64; 2048].into_boxed_slice());
                let start = (pages.as_mut_ptr() as u64).next_multiple_of(4096);
                ok!(cuMemHostRegister_v2(start as *mut c_void, 4096, 0));
                start - 8
            },
            &|| out!(cuMemAllocAsync(_, 100, null_mut())) + 100,
            &|| out!(cuMemAllocHost_v2(_, 200)) as u64 + 200,
        ];
        each(cases, |case| {
            assert_eq!(reading(|| alloc(1028) + 1024), SUCCESS);
            assert_eq!(reading(case), ILLEGAL_ADDRESS);
        });
    });
}

#[test]
fn kernels_fault_on_freed_and_read_only_memory() {
    let parts = [
        "read of 4 bytes",
        "which was freed by cuMemFree\n",
        "write of 4 bytes",
        "(cuMemHostRegister, 64 bytes at 0x",
        ") is read-only\n",
    ];
    let read_freed = || {
        let _own = Own::new();
        let none = null_mut();
        let (to, from) = (alloc(4), upload(&[77u32]));
        let module = load(FAULTS);
        let read = function(module, "read_global");
        // Memory that is freed after a kernel has used it.
        for wanted in [SUCCESS, ILLEGAL_ADDRESS] {
            let code = launch(read, 1, 1, none, &mut [arg(&to), arg(&from)]);
            assert_eq!(code, SUCCESS);
            assert_eq!(call!(cuCtxSynchronize()), wanted);
            if wanted == SUCCESS {
                ok!(cuMemFree_v2(from));
            }
        }
    };
    let write_read_only = || {
        let _own = Own::new();
        let none = null_mut();
        let put = function(load(FAULTS), "put");
        let place = Box::leak(Box::new([5u64; 8])).as_mut_ptr();
        for (flags, wanted) in [(0, SUCCESS), (8, ILLEGAL_ADDRESS)] {
            ok!(cuMemHostRegister_v2(place.cast(), 64, flags));
            let (at, index) = (place as u64, 0);
            let code = launch(put, 1, 1, none, &mut [arg(&at), arg(&index)]);
            assert_eq!(code, SUCCESS);
            assert_eq!(call!(cuCtxSynchronize()), wanted);
            if wanted == SUCCESS {
                ok!(cuMemHostUnregister(place.cast()));
            }
        }
    };
    let cases: [&dyn Fn(); 2] = [&read_freed, &write_read_only];
    reports(&[], &parts, || each(cases, |case| case()));
}

#[test]
fn addresses_above_the_null_page_are_not_null_pointers() {
    let parts = ["at 0x1000", "bytes before the start of allocation"];
    reports(&[], &parts, || {
        assert_eq!(reading(|| 4096), ILLEGAL_ADDRESS);
    });
}

#[test]
fn copies_and_fills_initialize_exactly_their_bytes() {
    let check = [("CUDA_EMULATOR_CHECK", "uninit")];
    let parts = [", which has never been written\n", "contains it"];
    reports(&check, &parts, || {
        let host = [7u8; 256];
        type Write<'a> = (&'a str, &'a dyn Fn(CUdeviceptr));
        // Each writes the bytes 60 to 131 of an allocation, across words of the initialization
        // record.
        let writes: [Write<'_>; 5] = [
            ("fill", &|at| ok!(cuMemsetD32_v2(at + 60, 1, 18))),
            ("copy from the host", &|at| {
                ok!(cuMemcpyHtoD_v2(at + 60, host.as_ptr().cast(), 72));
            }),
            ("copy set aside", &|at| {
                let (from, none) = (host.as_ptr().cast(), null_mut());
                ok!(cuMemcpyHtoDAsync_v2(at + 60, from, 72, none));
            }),
            ("copy of what is partly written", &|at| {
                let from = alloc(256);
                ok!(cuMemsetD8_v2(from + 100, 1, 72));
                ok!(cuMemcpyDtoD_v2(at + 20, from + 60, 150));
            }),
            ("copy of page-locked memory", &|at| {
                let pinned = out!(cuMemAllocHost_v2(_, 128));
                ok!(cuMemcpyDtoD_v2(at + 60, pinned as u64, 72));
            }),
        ];
        // The words outside the range are not initialized, and all words inside are.
        let unwritten = [0, 32, 56, 132, 160, 188, 192, 252];
        let with_word = |write| unwritten.map(|word| (write, word));
        let cases = writes.iter().flat_map(with_word);
        each(cases, |((name, write), unwritten)| {
            for word in (60..132).step_by(4).chain([unwritten]) {
                let code = reading(|| {
                    let at = alloc(256);
                    write(at);
                    at + word
                });
                assert_eq!(code == SUCCESS, word != unwritten, "{name}: {word}");
            }
        });
    });
}
