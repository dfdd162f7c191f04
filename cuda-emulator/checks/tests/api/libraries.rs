//! Libraries and their kernels: loading, lookup and attributes.

use cuda_emulator_checks::abi::*;
use std::ffi::{CStr, CString, c_void};
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
        let (count, options, values) = (
            options.len() as u32,
            options.as_mut_ptr(),
            values.as_mut_ptr(),
        );
        let (mut one, mut two) = (null_mut(), null_mut());
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
    assert_eq!(
        std::fs::remove_file(path.to_str().unwrap()).map_err(drop),
        Ok(())
    );
    let (mut library, no) = (null_mut(), null_mut());
    fails!(
        CUDA_ERROR_FILE_NOT_FOUND,
        cuLibraryLoadFromFile(&mut library, file, jit, none, 0, no, none, 0)
    );
    invalid!(cuLibraryLoadFromFile(
        &mut library,
        null(),
        jit,
        none,
        0,
        no,
        none,
        0
    ));
    invalid!(cuLibraryLoadFromFile(
        null_mut(),
        file,
        jit,
        none,
        0,
        no,
        none,
        0
    ));
    invalid!(cuLibraryLoadData(
        &mut library,
        null(),
        jit,
        none,
        0,
        no,
        none,
        0
    ));
    invalid!(cuLibraryLoadData(
        null_mut(),
        data,
        jit,
        none,
        0,
        no,
        none,
        0
    ));
    // Options without an array of them.
    invalid!(cuLibraryLoadData(
        &mut library,
        data,
        jit,
        none,
        1,
        no,
        none,
        0
    ));
    invalid!(cuLibraryLoadData(
        &mut library,
        data,
        jit,
        none,
        0,
        no,
        none,
        1
    ));
    invalid!(cuLibraryLoadFromFile(
        &mut library,
        file,
        jit,
        none,
        1,
        no,
        none,
        0
    ));
    assert!(library.is_null());
}

#[test]
fn kernels_are_counted_listed_and_named() {
    ok!(cuInit(0));
    let library = library();
    let mut count = 0;
    ok!(cuLibraryGetKernelCount(&mut count, library));
    assert_eq!(count, 3);
    let names = [c"first", c"second", c"third"];
    let kernels = names.map(|name| kernel(library, name));
    for capacity in [1, 2, 3, 5] {
        let mut all = [null_mut(); 5];
        ok!(cuLibraryEnumerateKernels(
            all.as_mut_ptr(),
            capacity,
            library
        ));
        let listed = capacity.min(3) as usize;
        assert_eq!(all[..listed], kernels[..listed]);
        assert!(
            all[listed..].iter().all(|one| one.is_null()),
            "no more than requested"
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
        fails!(
            CUDA_ERROR_NOT_FOUND,
            cuLibraryGetKernel(&mut one, library, name.as_ptr())
        );
    }
    assert!(one.is_null());
    for ((kernel, name), params) in kernels.into_iter().zip(names).zip([2, 0, 1]) {
        let (mut text, mut owner, mut count) = (null(), null_mut(), 99);
        ok!(cuKernelGetName(&mut text, kernel));
        // SAFETY: The name lives as long as the library.
        assert_eq!(unsafe { CStr::from_ptr(text) }, name);
        ok!(cuFuncGetName(&mut text, kernel.cast()));
        // SAFETY: as above.
        assert_eq!(unsafe { CStr::from_ptr(text) }, name);
        ok!(cuKernelGetLibrary(&mut owner, kernel));
        assert_eq!(owner, library);
        ok!(cuKernelGetParamCount(kernel, &mut count));
        assert_eq!(count, params, "{name:?}");
        invalid!(cuKernelGetName(null_mut(), kernel));
        invalid!(cuKernelGetLibrary(null_mut(), kernel));
        invalid!(cuKernelGetParamCount(kernel, null_mut()));
    }
    let (mut offset, mut size) = (99, 99);
    fails!(
        CUDA_ERROR_INVALID_CONTEXT,
        cuKernelGetParamInfo(kernels[0], 0, &mut offset, &mut size)
    );
    let _context = Own::new();
    for (index, expected) in [(0, 4), (8, 8)].into_iter().enumerate() {
        ok!(cuKernelGetParamInfo(
            kernels[0],
            index,
            &mut offset,
            &mut size
        ));
        assert_eq!((offset, size), expected);
        ok!(cuKernelGetParamInfo(
            kernels[0],
            index,
            &mut offset,
            null_mut()
        ));
        invalid!(cuKernelGetParamInfo(
            kernels[0],
            index,
            null_mut(),
            &mut size
        ));
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
        let mut value = -77;
        // SAFETY: The result pointer is valid.
        let code = unsafe {
            cuKernelGetAttribute(&mut value, CUfunction_attribute(attribute), kernel, device)
        };
        (code, value)
    };
    let set = |kernel, attribute, value, device| {
        // SAFETY: All arguments are plain values.
        unsafe { cuKernelSetAttribute(CUfunction_attribute(attribute), value, kernel, device) }
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
        assert_eq!(
            get(kernel, attribute, 0),
            (SUCCESS, expected),
            "{attribute}"
        );
    }
    assert_eq!(get(second, 16, 0).0, INVALID);
    invalid!(cuKernelGetAttribute(
        null_mut(),
        CUfunction_attribute(0),
        second,
        0
    ));
    let most = (227 << 10) - 100;
    assert_eq!(set(third, 8, most, 0), SUCCESS);
    assert_eq!(set(third, 8, most + 1, 0), INVALID);
    assert_eq!(set(third, 1, 0, 0), INVALID);
    assert_eq!(get(third, 8, 0), (SUCCESS, most));
    assert_eq!(
        get(second, 8, 0).1,
        48 << 10,
        "the other kernel is unchanged"
    );
    let (mut function, mut value) = (null_mut(), 0);
    ok!(cuKernelGetFunction(&mut function, third));
    ok!(cuFuncGetAttribute(
        &mut value,
        CUfunction_attribute(8),
        function
    ));
    assert_eq!(value, most);
    // A kernel's attribute applies to its functions unless it was set on the function itself, as
    // recorded on an H200.
    let of_function = |attribute| {
        let mut value = 0;
        ok!(cuFuncGetAttribute(
            &mut value,
            CUfunction_attribute(attribute),
            function
        ));
        value
    };
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
    let bad = CUresult::CUDA_ERROR_INVALID_DEVICE;
    for device in [-1, 64, i32::MAX] {
        assert_eq!(get(third, 8, device), (bad, -77));
        assert_eq!(set(third, 8, 0, device), bad);
        fails!(
            CUDA_ERROR_INVALID_DEVICE,
            cuKernelSetCacheConfig(third, CUfunc_cache(0), device)
        );
    }
    assert_eq!(get(third, 8, 0).1, most);
}

#[test]
fn variables_are_found_by_name_and_kind() {
    let _context = Own::new();
    let library = library();
    let (mut address, mut size) = (0, 0);
    for (name, bytes, value) in [(c"word", 4, 5), (c"shared", 8, 6)] {
        (address, size) = (0, 0);
        ok!(cuLibraryGetGlobal(
            &mut address,
            &mut size,
            library,
            name.as_ptr()
        ));
        assert_eq!(size, bytes);
        assert_eq!(download::<u32>(address, 1), [value]);
        (size, address) = (0, 0);
        ok!(cuLibraryGetGlobal(
            null_mut(),
            &mut size,
            library,
            name.as_ptr()
        ));
        ok!(cuLibraryGetGlobal(
            &mut address,
            null_mut(),
            library,
            name.as_ptr()
        ));
        assert!(size == bytes && address != 0);
    }
    let managed = (address, size);
    (address, size) = (0, 0);
    ok!(cuLibraryGetManaged(
        &mut address,
        &mut size,
        library,
        c"shared".as_ptr()
    ));
    assert_eq!((address, size), managed);
    (address, size) = (0, 0);
    ok!(cuLibraryGetManaged(
        null_mut(),
        &mut size,
        library,
        c"shared".as_ptr()
    ));
    ok!(cuLibraryGetManaged(
        &mut address,
        null_mut(),
        library,
        c"shared".as_ptr()
    ));
    assert_eq!((address, size), managed);
    (address, size) = (7, 7);
    for name in [c"word", c"nothing", c"first"] {
        fails!(
            CUDA_ERROR_NOT_FOUND,
            cuLibraryGetManaged(&mut address, &mut size, library, name.as_ptr())
        );
    }
    fails!(
        CUDA_ERROR_NOT_FOUND,
        cuLibraryGetGlobal(&mut address, &mut size, library, c"wor".as_ptr())
    );
    invalid!(cuLibraryGetManaged(
        &mut address,
        &mut size,
        library,
        null()
    ));
    invalid!(cuLibraryGetGlobal(&mut address, &mut size, library, null()));
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
        stale!(cuKernelGetAttribute(
            &mut number,
            CUfunction_attribute(0),
            kernel,
            0
        ));
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
    let mut address = null_mut();
    for name in [c"first", c"absent"] {
        invalid!(cuLibraryGetUnifiedFunction(
            &mut address,
            library,
            name.as_ptr()
        ));
    }
    assert!(address.is_null());
    invalid!(cuLibraryGetUnifiedFunction(
        null_mut(),
        library,
        c"first".as_ptr()
    ));
    ok!(cuLibraryUnload(library));
    stale!(cuLibraryGetUnifiedFunction(
        &mut address,
        library,
        c"first".as_ptr()
    ));
}

#[test]
fn invalid_images_are_reported_at_first_use() {
    ok!(cuInit(0));
    const HEAD: &str = ".version 7.0\n.target sm_75\n.address_size 64\n";
    for (text, code) in [
        (
            format!("{HEAD}.visible .entry k() {{ ret }}\0"),
            CUresult::CUDA_ERROR_INVALID_PTX,
        ),
        (
            ".version 99.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\0".into(),
            CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
        ),
    ] {
        let mut log = [0u8; 1000];
        let mut keys = [CUjit_option(5), CUjit_option(6)];
        let mut values = [log.as_mut_ptr().cast(), log.len() as *mut c_void];
        let mut library = null_mut();
        ok!(cuLibraryLoadData(
            &mut library,
            text.as_ptr().cast(),
            keys.as_mut_ptr(),
            values.as_mut_ptr(),
            2,
            null_mut(),
            null_mut(),
            0
        ));
        assert_ne!(log[0], 0, "the log gives the reason");
        let (mut kernel, mut module, mut count) = (null_mut(), null_mut(), 7);
        ok!(cuLibraryGetKernelCount(&mut count, library));
        assert_eq!(count, 0);
        // SAFETY: The handle pointers are valid.
        unsafe {
            assert_eq!(
                cuLibraryGetKernel(&mut kernel, library, c"k".as_ptr()),
                code
            );
            assert_eq!(
                cuLibraryGetModule(&mut module, library),
                CUresult::CUDA_ERROR_INVALID_CONTEXT
            );
        }
        let context = Own::new();
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: as above.
        unsafe {
            assert_eq!(cuLibraryGetModule(&mut module, library), code);
            for get in [cuLibraryGetGlobal, cuLibraryGetManaged] {
                let got = get(&mut address, &mut bytes, library, c"v".as_ptr());
                assert_eq!(got, code);
            }
        }
        drop(context);
        ok!(cuLibraryUnload(library));
    }
}
