//! Libraries and their kernels: loading, lookup and attributes.

use cuda_emulator_checks::abi::*;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut};

// Functions that some older headers lack.
unsafe extern "C" {
    fn cuKernelGetParamCount(kernel: CUkernel, count: *mut usize) -> CUresult;
}

#[test]
fn libraries_load_from_memory_and_files_with_checked_options() {
    // Loading needs no context.
    ok!(cuInit(0));
    let text = CString::new(LIBRARY).unwrap();
    let data: *const c_void = text.as_ptr().cast();
    let path = std::env::temp_dir().join(format!("cuda-emulator-library-{}", std::process::id()));
    std::fs::write(&path, LIBRARY).unwrap();
    let path = CString::new(path.to_str().unwrap()).unwrap();
    let file = path.as_ptr();
    let none: *mut *mut c_void = null_mut();
    let jit = null_mut();
    for (numbers, expected) in [
        (vec![], [SUCCESS; 2]),
        (vec![0], [SUCCESS; 2]),
        // A file's image cannot be preserved by the client.
        (vec![1], [SUCCESS, INVALID]),
        (vec![0, 1], [SUCCESS, INVALID]),
        (vec![2], [INVALID; 2]),
        (vec![0, 2], [INVALID; 2]),
        (vec![u32::MAX, 0], [INVALID; 2]),
    ] {
        let mut options: Vec<_> = numbers.iter().copied().map(CUlibraryOption).collect();
        let mut values = [null_mut::<c_void>(); 2];
        let (count, values) = (options.len() as u32, values.as_mut_ptr());
        let (options, mut one, mut two) = (options.as_mut_ptr(), null_mut(), null_mut());
        // SAFETY: Options and values match in number, and the image ends in NUL.
        let codes = unsafe {
            [
                cuLibraryLoadData(&mut one, data, jit, none, 0, options, values, count),
                cuLibraryLoadFromFile(&mut two, file, jit, none, 0, options, values, count),
            ]
        };
        assert_eq!(codes, expected, "{numbers:?}");
        for (library, code) in [one, two].into_iter().zip(expected) {
            assert_eq!(library.is_null(), code != SUCCESS, "{numbers:?}");
            if !library.is_null() {
                kernel(library, c"third");
                ok!(cuLibraryUnload(library));
            }
        }
    }
    let found = std::fs::remove_file(path.to_str().unwrap()).map_err(drop);
    assert_eq!(found, Ok(()));
    let (mut library, no) = (null_mut(), null_mut());
    let place = &raw mut library;
    for (to, file, jit_options, code) in [
        (place, file, 0, FILE_NOT_FOUND),
        (place, null(), 0, INVALID),
        (null_mut(), file, 0, INVALID),
        // Options without an array of them.
        (place, file, 1, INVALID),
    ] {
        let load = cuLibraryLoadFromFile;
        fails!(code, load(to, file, jit, none, jit_options, no, none, 0));
    }
    for (to, data, jit_options, options) in [
        (place, null(), 0, 0),
        (null_mut(), data, 0, 0),
        // Options without an array of them.
        (place, data, 1, 0),
        (place, data, 0, 1),
    ] {
        let load = cuLibraryLoadData;
        invalid!(load(to, data, jit, none, jit_options, no, none, options));
    }
    assert!(library.is_null());
}

#[test]
fn kernels_are_counted_listed_and_named() {
    ok!(cuInit(0));
    let library = library();
    assert_eq!(out!(cuLibraryGetKernelCount(_, library)), 3);
    let names = [c"first", c"second", c"third"];
    let kernels = names.map(|name| kernel(library, name));
    for capacity in [1, 2, 3, 5] {
        let mut all = [null_mut(); 5];
        let place = all.as_mut_ptr();
        ok!(cuLibraryEnumerateKernels(place, capacity, library));
        let listed = capacity.min(3) as usize;
        assert_eq!(all[..listed], kernels[..listed]);
        let others = &all[listed..];
        assert!(
            others.iter().all(|one| one.is_null()),
            "more than requested"
        );
    }
    let mut one = null_mut();
    ok!(cuLibraryEnumerateKernels(&mut one, 0, library));
    assert!(one.is_null());
    invalid!(cuLibraryEnumerateKernels(null_mut(), 1, library));
    invalid!(cuLibraryGetKernelCount(null_mut(), library));
    invalid!(cuLibraryGetKernel(null_mut(), library, c"first".as_ptr()));
    invalid!(cuLibraryGetKernel(&mut one, library, null()));
    for name in [c"firs", c"firsts", c"", c"word"] {
        let name = name.as_ptr();
        fails!(NOT_FOUND, cuLibraryGetKernel(&mut one, library, name));
    }
    assert!(one.is_null());
    for ((kernel, name), params) in kernels.into_iter().zip(names).zip([2, 0, 1]) {
        for text in [
            out!(cuKernelGetName(_, kernel)),
            out!(cuFuncGetName(_, kernel.cast())),
        ] {
            // SAFETY: The name lives as long as the library.
            assert_eq!(unsafe { CStr::from_ptr(text) }, name);
        }
        assert_eq!(out!(cuKernelGetLibrary(_, kernel)), library);
        let count = out!(cuKernelGetParamCount(kernel, _));
        assert_eq!(count, params, "{name:?}");
        invalid!(cuKernelGetName(null_mut(), kernel));
        invalid!(cuKernelGetLibrary(null_mut(), kernel));
        invalid!(cuKernelGetParamCount(kernel, null_mut()));
    }
    let (mut offset, mut size) = (99, 99);
    no_context!(cuKernelGetParamInfo(kernels[0], 0, &mut offset, &mut size));
    let _context = Own::new();
    for (index, expected) in [(0, 4), (8, 8)].into_iter().enumerate() {
        let first = kernels[0];
        ok!(cuKernelGetParamInfo(first, index, &mut offset, &mut size));
        assert_eq!((offset, size), expected);
        ok!(cuKernelGetParamInfo(first, index, &mut offset, null_mut()));
        invalid!(cuKernelGetParamInfo(first, index, null_mut(), &mut size));
    }
    invalid!(cuKernelGetParamInfo(kernels[0], 2, &mut offset, &mut size));
    invalid!(cuKernelGetParamInfo(kernels[1], 0, &mut offset, &mut size));
    ok!(cuLibraryUnload(library));
}

#[test]
fn kernel_attributes_apply_to_functions() {
    let _context = Own::new();
    let library = library();
    let (second, third) = (kernel(library, c"second"), kernel(library, c"third"));
    let get = |kernel, attribute, device| {
        let (mut value, attribute) = (-77, CUfunction_attribute(attribute));
        let code = call!(cuKernelGetAttribute(&mut value, attribute, kernel, device));
        (code, value)
    };
    let set = |kernel, attribute, value, device| {
        let attribute = CUfunction_attribute(attribute);
        call!(cuKernelSetAttribute(attribute, value, kernel, device))
    };
    for (kernel, attribute, expected) in [
        (second, 0, 1024),
        (second, 1, 0),
        (third, 1, 100),
        (second, 5, 70),
        (second, 8, 48 << 10),
        (third, 8, (48 << 10) - 100),
        (second, 9, -1),
    ] {
        let found = get(kernel, attribute, 0);
        assert_eq!(found, (SUCCESS, expected), "{attribute}");
    }
    assert_eq!(get(second, 16, 0).0, INVALID);
    let first = CUfunction_attribute(0);
    invalid!(cuKernelGetAttribute(null_mut(), first, second, 0));
    let most = (227 << 10) - 100;
    assert_eq!(set(third, 8, most, 0), SUCCESS);
    assert_eq!(set(third, 8, most + 1, 0), INVALID);
    assert_eq!(set(third, 1, 0, 0), INVALID);
    assert_eq!(get(third, 8, 0), (SUCCESS, most));
    let found = get(second, 8, 0).1;
    assert_eq!(found, 48 << 10, "the other kernel is unchanged");
    let function = out!(cuKernelGetFunction(_, third));
    let of_function = |attribute| attribute_of(function, attribute);
    assert_eq!(of_function(8), most);
    // A kernel's attribute applies to its functions unless it was set on the function itself, as
    // recorded on an H200.
    assert_eq!(set(third, 8, 5000, 0), SUCCESS);
    assert_eq!((get(third, 8, 0).1, of_function(8)), (5000, 5000));
    ok!(cuFuncSetAttribute(function, CUfunction_attribute(8), 4096));
    assert_eq!((get(third, 8, 0).1, of_function(8)), (5000, 4096));
    assert_eq!(set(third, 8, most, 0), SUCCESS);
    assert_eq!((get(third, 8, 0).1, of_function(8)), (most, 4096));
    ok!(cuFuncSetAttribute(function, CUfunction_attribute(9), 33));
    assert_eq!((get(third, 9, 0).1, of_function(9)), (-1, 33));
    for config in 0..=3 {
        ok!(cuKernelSetCacheConfig(third, CUfunc_cache(config), 0));
    }
    for config in [4, u32::MAX] {
        invalid!(cuKernelSetCacheConfig(third, CUfunc_cache(config), 0));
    }
    for device in [-1, 64, i32::MAX] {
        assert_eq!(get(third, 8, device), (INVALID_DEVICE, -77));
        assert_eq!(set(third, 8, 0, device), INVALID_DEVICE);
        let code = call!(cuKernelSetCacheConfig(third, CUfunc_cache(0), device));
        assert_eq!(code, INVALID_DEVICE);
    }
    assert_eq!(get(third, 8, 0).1, most);
}

#[test]
fn variables_are_found_by_name_and_kind() {
    let _context = Own::new();
    let library = library();
    type Get = unsafe extern "C" fn(*mut u64, *mut usize, CUlibrary, *const c_char) -> CUresult;
    for (get, name, bytes, value) in [
        (cuLibraryGetGlobal as Get, c"word", 4, 5),
        (cuLibraryGetGlobal, c"shared", 8, 6),
        (cuLibraryGetManaged, c"shared", 8, 6),
    ] {
        let (mut size, name) = (0, name.as_ptr());
        let address = out!(get(_, &mut size, library, name));
        assert_eq!(size, bytes);
        assert_eq!(download::<u32>(address, 1), [value]);
        assert_eq!(out!(get(null_mut(), _, library, name)), size);
        assert_eq!(out!(get(_, null_mut(), library, name)), address);
    }
    let (mut address, mut size) = (7, 7);
    for name in [c"word", c"nothing", c"first"] {
        let (get, name) = (cuLibraryGetManaged, name.as_ptr());
        fails!(NOT_FOUND, get(&mut address, &mut size, library, name));
    }
    let (get, name) = (cuLibraryGetGlobal, c"wor".as_ptr());
    fails!(NOT_FOUND, get(&mut address, &mut size, library, name));
    for get in [cuLibraryGetManaged, cuLibraryGetGlobal] {
        invalid!(get(&mut address, &mut size, library, null()));
    }
    assert_eq!((address, size), (7, 7));
}

#[test]
fn invalid_handles_are_rejected_by_every_library_function() {
    let _context = Own::new();
    let library = library();
    let third = kernel(library, c"third");
    ok!(cuLibraryUnload(library));
    let wild = WILD
        .iter()
        .map(|wild| (*wild as CUlibrary, *wild as CUkernel));
    for (library, kernel) in wild.chain([(null_mut(), null_mut()), (library, third)]) {
        let (mut count, mut number, mut size, mut offset, mut address) = (7, 7, 7, 7, 7);
        let (mut one, mut module, mut function) = (null_mut(), null_mut(), null_mut());
        let (mut owner, mut name) = (null_mut(), null());
        let word = c"word".as_ptr();
        stale!(cuLibraryUnload(library));
        stale!(cuLibraryGetKernel(&mut one, library, word));
        stale!(cuLibraryGetKernelCount(&mut count, library));
        stale!(cuLibraryEnumerateKernels(&mut one, 1, library));
        stale!(cuLibraryGetModule(&mut module, library));
        stale!(cuLibraryGetGlobal(&mut address, &mut size, library, word));
        stale!(cuLibraryGetManaged(&mut address, &mut size, library, word));
        stale!(cuKernelGetFunction(&mut function, kernel));
        stale!(cuKernelGetLibrary(&mut owner, kernel));
        stale!(cuKernelGetName(&mut name, kernel));
        stale!(cuKernelGetParamInfo(kernel, 0, &mut offset, &mut size));
        stale!(cuKernelGetParamCount(kernel, &mut size));
        let first = CUfunction_attribute(0);
        stale!(cuKernelGetAttribute(&mut number, first, kernel, 0));
        stale!(cuKernelSetAttribute(CUfunction_attribute(8), 0, kernel, 0));
        stale!(cuKernelSetCacheConfig(kernel, CUfunc_cache(0), 0));
        assert_eq!((count, number, size, offset, address), (7, 7, 7, 7, 7));
        assert!(one.is_null() && module.is_null() && function.is_null());
        assert!(owner.is_null() && name.is_null());
    }
}

#[test]
fn unified_function_pointers_are_not_found() {
    ok!(cuInit(0));
    let library = library();
    let (mut address, get) = (null_mut(), cuLibraryGetUnifiedFunction);
    for name in [c"first", c"absent"] {
        invalid!(get(&mut address, library, name.as_ptr()));
    }
    assert!(address.is_null());
    let name = c"first".as_ptr();
    invalid!(get(null_mut(), library, name));
    ok!(cuLibraryUnload(library));
    stale!(get(&mut address, library, name));
}

#[test]
fn invalid_images_are_reported_at_first_use() {
    ok!(cuInit(0));
    const HEAD: &str = ".target sm_75\n.address_size 64\n";
    for (version, end, code) in [
        (".version 7.0", "ret", INVALID_PTX),
        (".version 99.0", "ret;", UNSUPPORTED_PTX_VERSION),
    ] {
        let text = format!("{version}\n{HEAD}.visible .entry k() {{ {end} }}\0");
        let mut log = [0u8; 1000];
        let mut keys = [CUjit_option(5), CUjit_option(6)];
        let mut values = [log.as_mut_ptr().cast(), log.len() as *mut c_void];
        let (keys, values, no) = (keys.as_mut_ptr(), values.as_mut_ptr(), null_mut());
        let (image, none) = (text.as_ptr().cast(), null_mut());
        let library = out!(cuLibraryLoadData(_, image, keys, values, 2, no, none, 0));
        assert_ne!(log[0], 0, "the log gives the reason");
        let (mut module, name) = (null_mut(), c"k".as_ptr());
        assert_eq!(out!(cuLibraryGetKernelCount(_, library)), 0);
        fails!(code, cuLibraryGetKernel(&mut null_mut(), library, name));
        no_context!(cuLibraryGetModule(&mut module, library));
        let context = Own::new();
        fails!(code, cuLibraryGetModule(&mut module, library));
        for get in [cuLibraryGetGlobal, cuLibraryGetManaged] {
            fails!(code, get(&mut 0, &mut 0, library, c"v".as_ptr()));
        }
        drop(context);
        ok!(cuLibraryUnload(library));
    }
}
