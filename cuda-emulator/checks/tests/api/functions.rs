//! Functions: their attributes, and attributes that can be set.

use cuda_emulator_checks::abi::*;
use std::ffi::{CStr, CString, c_void};
use std::ptr::{null, null_mut};

// Functions that some older headers or the newest ones lack.
unsafe extern "C" {
    fn cuFuncGetParamCount(function: CUfunction, count: *mut usize) -> CUresult;
    fn cuFuncSetSharedMemConfig(function: CUfunction, config: u32) -> CUresult;
}

fn get(function: CUfunction, attribute: u32) -> (CUresult, i32) {
    let mut value = -77;
    // SAFETY: The result pointer is valid.
    let code = unsafe { cuFuncGetAttribute(&mut value, CUfunction_attribute(attribute), function) };
    (code, value)
}

fn set(function: CUfunction, attribute: u32, value: i32) -> CUresult {
    // SAFETY: All arguments are plain values.
    unsafe { cuFuncSetAttribute(function, CUfunction_attribute(attribute), value) }
}

#[test]
fn attributes_have_their_documented_values() {
    let _context = Own::new();
    let module = load(&kernels());
    let value = |name, attribute| {
        let (code, value) = get(function(module, name), attribute);
        assert_eq!(code, SUCCESS, "attribute {attribute} of {name}");
        value
    };
    for (name, attribute, expected) in [
        ("bare", 0, 1024),
        ("bounded", 0, 64),
        ("exact", 0, 64),
        ("live_1000", 0, 1000),
        ("bare", 1, 0),
        ("boxed", 1, 1000),
        // Constants belong to the module.
        ("bare", 2, 28),
        ("bare", 3, 0),
        ("stacked", 3, 48),
        // The number of registers that allows a block of the maximum size, in whole warps.
        ("live", 4, 64),
        ("live_1000", 4, 64),
        ("bare", 5, 70),
        ("bare", 6, 90),
        ("bare", 7, 0),
        ("bare", 8, 48 << 10),
        ("boxed", 8, (48 << 10) - 1000),
        ("bare", 9, -1),
        ("bare", 10, 0),
        ("bare", 11, 0),
        ("bare", 12, 0),
        ("bare", 13, 0),
        ("bare", 14, 0),
        ("bare", 15, 0),
    ] {
        assert_eq!(
            value(name, attribute),
            expected,
            "attribute {attribute} of {name}"
        );
    }
    let many = value("live_128", 4);
    assert!((120..=255).contains(&many), "{many}");
    let few = value("bare", 4);
    assert!((2..64).contains(&few), "{few}");
    let bare = function(module, "bare");
    for unknown in [16, 1000, u32::MAX] {
        assert_eq!(get(bare, unknown), (INVALID, -77), "{unknown}");
    }
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuFuncGetAttribute(null_mut(), CUfunction_attribute(0), bare)
    );
}

#[test]
fn settable_attributes_are_range_checked() {
    let _context = Own::new();
    let module = load(&kernels());
    let (bare, boxed) = (function(module, "bare"), function(module, "boxed"));
    let most = 227 << 10;
    for (function, attribute, good, bad) in [
        (
            bare,
            8,
            vec![most, 0, 1, most],
            vec![most + 1, -1, i32::MAX, i32::MIN],
        ),
        (boxed, 8, vec![most - 1000, 7], vec![most - 999, -1]),
        (bare, 9, vec![0, 100, 50, -1, 1], vec![-2, 101, i32::MAX]),
        (bare, 11, vec![1, 2, 0], vec![-1]),
        (bare, 12, vec![1, 4, 0], vec![-1]),
        (bare, 13, vec![1, 8, 0], vec![-1]),
        (bare, 14, vec![1, 0, 1], vec![]),
        (bare, 15, vec![1, 2, 0, 2], vec![3, -1]),
    ] {
        for value in &good {
            assert_eq!(
                set(function, attribute, *value),
                SUCCESS,
                "{attribute}: {value}"
            );
            assert_eq!(
                get(function, attribute),
                (SUCCESS, *value),
                "{attribute}: {value}"
            );
        }
        for value in bad {
            assert_eq!(
                set(function, attribute, value),
                INVALID,
                "{attribute}: {value}"
            );
            assert_eq!(
                get(function, attribute).1,
                *good.last().unwrap(),
                "{attribute}: {value}"
            );
        }
    }
    assert_eq!(
        get(bare, 8).1,
        most,
        "setting one attribute does not change another"
    );
    assert_eq!(get(bare, 9).1, 1);
    for fixed in (0..8).chain([10, 16, u32::MAX]) {
        for value in [-1, 0, 1] {
            assert_eq!(set(bare, fixed, value), INVALID, "{fixed}: {value}");
        }
    }
}

/// Loads the sample kernels as a module with compiler options.
fn load_with(options: &[(u32, usize)]) -> CUmodule {
    let text = CString::new(kernels()).unwrap();
    let mut numbers: Vec<_> = options.iter().map(|one| CUjit_option(one.0)).collect();
    let mut values: Vec<_> = options.iter().map(|one| one.1 as *mut c_void).collect();
    let (numbers, values, mut module) = (numbers.as_mut_ptr(), values.as_mut_ptr(), null_mut());
    let (count, image) = (options.len() as u32, text.as_ptr().cast());
    ok!(cuModuleLoadDataEx(
        &mut module,
        image,
        count,
        numbers,
        values
    ));
    module
}

#[test]
fn register_limits_of_the_load_apply() {
    let _context = Own::new();
    // CU_JIT_MAX_REGISTERS, THREADS_PER_BLOCK, MIN_CTA_PER_SM, MAX_THREADS_PER_BLOCK,
    // OVERRIDE_DIRECTIVE_VALUES. Without a limit, `live` would use more than 64.
    for (options, live, live_128) in [
        (&[][..], 64, 0),
        (&[(0, 32)], 32, 0),
        // Directives take precedence over options.
        (&[(0, 32), (33, 1)], 32, 32),
        (&[(0, 7)], 24, 0),
        (&[(0, 40), (1, 512)], 40, 0),
        (&[(31, 8), (32, 256)], 32, 64),
        (&[(31, 8), (32, 256), (33, 1)], 32, 32),
    ] {
        let module = load_with(options);
        let registers = |name| get(function(module, name), 4).1;
        assert_eq!(registers("live"), live, "{options:?}");
        match live_128 {
            0 => assert!(registers("live_128") >= 120, "{options:?}"),
            number => assert_eq!(registers("live_128"), number, "{options:?}"),
        }
        assert!(registers("bare") < 24, "{options:?}");
        // The occupancy follows from that number of registers: 65536 of them for blocks of four
        // warps.
        let (live, mut blocks) = (live as u32, 0);
        let function = function(module, "live");
        ok!(cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &mut blocks,
            function,
            128,
            0
        ));
        assert_eq!(blocks as u32, (65536 / (live * 128)).min(16));
        ok!(cuModuleUnload(module));
    }
}

/// Links the sample kernels with linker options, and loads the result with load options.
fn link_with(of_link: &[(u32, usize)], of_load: &[(u32, usize)]) -> CUmodule {
    let split = |options: &[(u32, usize)]| {
        let numbers: Vec<_> = options.iter().map(|one| CUjit_option(one.0)).collect();
        let values: Vec<_> = options.iter().map(|one| one.1 as *mut c_void).collect();
        (options.len() as u32, numbers, values)
    };
    let text = kernels();
    let (mut state, mut image, mut module) = (null_mut(), null_mut(), null_mut());
    let (count, mut numbers, mut values) = split(of_link);
    let (numbers, values) = (numbers.as_mut_ptr(), values.as_mut_ptr());
    ok!(cuLinkCreate_v2(count, numbers, values, &mut state));
    ok!(cuLinkAddData_v2(
        state,
        CUjitInputType::CU_JIT_INPUT_PTX,
        text.as_ptr().cast_mut().cast(),
        text.len(),
        c"kernels".as_ptr(),
        0,
        null_mut(),
        null_mut()
    ));
    ok!(cuLinkComplete(state, &mut image, null_mut()));
    let (count, mut numbers, mut values) = split(of_load);
    let (numbers, values) = (numbers.as_mut_ptr(), values.as_mut_ptr());
    ok!(cuModuleLoadDataEx(
        &mut module,
        image,
        count,
        numbers,
        values
    ));
    ok!(cuLinkDestroy(state));
    module
}

#[test]
fn register_limits_of_the_linker_apply() {
    let _context = Own::new();
    for (of_link, of_load, live) in [
        (&[][..], &[][..], 64),
        (&[(0, 32)], &[], 32),
        (&[(0, 40), (1, 512)], &[], 40),
        (&[(31, 8), (32, 256), (33, 1)], &[], 32),
        // The result is already compiled.
        (&[], &[(0, 32)], 64),
        (&[(0, 40)], &[(0, 32)], 40),
    ] {
        let module = link_with(of_link, of_load);
        let registers = get(function(module, "live"), 4).1;
        assert_eq!(registers, live, "{of_link:?} {of_load:?}");
        ok!(cuModuleUnload(module));
    }
}

#[test]
fn register_limits_of_directives_apply() {
    let _context = Own::new();
    for (directives, most) in [
        (".maxnreg 40", 40),
        (".maxnreg 8", 24),
        (".maxntid 256, 1, 1 .minnctapersm 4", 64),
        (".maxntid 128, 4, 1 .minnctapersm 4", 32),
        (".reqntid 128, 4, 1 .minnctapersm 2", 64),
    ] {
        let bounded = format!(".entry bounded_live(.param .u64 p) {directives} {{");
        let text = kernels().replace(".entry live(.param .u64 p)  {", &bounded);
        let module = load(&text);
        assert_eq!(
            get(function(module, "bounded_live"), 4).1,
            most,
            "{directives}"
        );
    }
}

#[test]
fn cache_and_bank_preferences_are_checked() {
    let _context = Own::new();
    let bare = function(load(&kernels()), "bare");
    for config in 0..=3 {
        ok!(cuFuncSetCacheConfig(bare, CUfunc_cache(config)));
    }
    for config in [4, 5, u32::MAX] {
        fails!(
            CUDA_ERROR_INVALID_VALUE,
            cuFuncSetCacheConfig(bare, CUfunc_cache(config))
        );
    }
    for config in 0..=2 {
        ok!(cuFuncSetSharedMemConfig(bare, config));
    }
    for config in [3, 4, u32::MAX] {
        fails!(
            CUDA_ERROR_INVALID_VALUE,
            cuFuncSetSharedMemConfig(bare, config)
        );
    }
}

#[test]
fn functions_report_module_name_and_parameters() {
    let _context = Own::new();
    let (module, other) = (load(&kernels()), load(&kernels()));
    for module in [module, other] {
        let plain = function(module, "plain");
        let (mut owner, mut name, mut state) = (null_mut(), null(), CUfunctionLoadingState(9));
        ok!(cuFuncGetModule(&mut owner, plain));
        assert_eq!(owner, module);
        ok!(cuFuncGetName(&mut name, plain));
        // SAFETY: The name lives as long as the module.
        assert_eq!(unsafe { CStr::from_ptr(name) }, c"plain");
        ok!(cuFuncIsLoaded(&mut state, plain));
        assert_eq!(state.0, 1, "loaded");
        ok!(cuFuncLoad(plain));
        fails!(CUDA_ERROR_INVALID_VALUE, cuFuncGetModule(null_mut(), plain));
        fails!(CUDA_ERROR_INVALID_VALUE, cuFuncGetName(null_mut(), plain));
        fails!(CUDA_ERROR_INVALID_VALUE, cuFuncIsLoaded(null_mut(), plain));
    }
    let (plain, bare) = (function(module, "plain"), function(module, "bare"));
    for (function, expected) in [(plain, 3), (bare, 0)] {
        let mut count = 99;
        ok!(cuFuncGetParamCount(function, &mut count));
        assert_eq!(count, expected);
    }
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuFuncGetParamCount(plain, null_mut())
    );
    for (index, expected) in [(0, 4), (8, 8), (16, 1)].into_iter().enumerate() {
        let (mut offset, mut size) = (99, 99);
        ok!(cuFuncGetParamInfo(plain, index, &mut offset, &mut size));
        assert_eq!((offset, size), expected, "parameter {index}");
        offset = 99;
        ok!(cuFuncGetParamInfo(plain, index, &mut offset, null_mut()));
        assert_eq!(offset, expected.0);
        fails!(
            CUDA_ERROR_INVALID_VALUE,
            cuFuncGetParamInfo(plain, index, null_mut(), &mut size)
        );
    }
    let (mut offset, mut size) = (99, 99);
    for (function, index) in [(plain, 3), (plain, usize::MAX), (bare, 0)] {
        fails!(
            CUDA_ERROR_INVALID_VALUE,
            cuFuncGetParamInfo(function, index, &mut offset, &mut size)
        );
    }
    assert_eq!((offset, size), (99, 99), "a failed call stores nothing");
}

#[test]
fn invalid_handles_are_rejected_by_every_function() {
    let _context = Own::new();
    let module = load(&kernels());
    let stale = function(module, "bare");
    ok!(cuModuleUnload(module));
    let wild = WILD.iter().map(|wild| *wild as CUfunction);
    // SAFETY: Zero is a valid value of the C struct.
    let config: CUlaunchConfig = unsafe { std::mem::zeroed() };
    for function in wild.chain([null_mut(), stale]) {
        let (mut number, mut grid, mut size, mut offset) = (7, 7, 7, 7);
        let (mut owner, mut name, mut state) = (null_mut(), null(), CUfunctionLoadingState(7));
        fails!(
            CUDA_ERROR_INVALID_HANDLE,
            cuFuncGetAttribute(&mut number, CUfunction_attribute(0), function)
        );
        fails!(
            CUDA_ERROR_INVALID_HANDLE,
            cuFuncSetAttribute(function, CUfunction_attribute(8), 0)
        );
        fails!(
            CUDA_ERROR_INVALID_HANDLE,
            cuFuncSetCacheConfig(function, CUfunc_cache(0))
        );
        fails!(
            CUDA_ERROR_INVALID_HANDLE,
            cuFuncSetSharedMemConfig(function, 0)
        );
        fails!(
            CUDA_ERROR_INVALID_HANDLE,
            cuFuncGetModule(&mut owner, function)
        );
        fails!(
            CUDA_ERROR_INVALID_HANDLE,
            cuFuncGetName(&mut name, function)
        );
        fails!(
            CUDA_ERROR_INVALID_HANDLE,
            cuFuncIsLoaded(&mut state, function)
        );
        fails!(CUDA_ERROR_INVALID_HANDLE, cuFuncLoad(function));
        fails!(
            CUDA_ERROR_INVALID_HANDLE,
            cuFuncGetParamCount(function, &mut size)
        );
        fails!(
            CUDA_ERROR_INVALID_HANDLE,
            cuFuncGetParamInfo(function, 0, &mut offset, &mut size)
        );
        fails!(
            CUDA_ERROR_INVALID_HANDLE,
            cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut number, function, 32, 0)
        );
        fails!(
            CUDA_ERROR_INVALID_HANDLE,
            cuOccupancyMaxPotentialBlockSize(&mut number, &mut grid, function, None, 0, 0)
        );
        fails!(
            CUDA_ERROR_INVALID_HANDLE,
            cuOccupancyAvailableDynamicSMemPerBlock(&mut size, function, 1, 32)
        );
        fails!(
            CUDA_ERROR_INVALID_HANDLE,
            cuOccupancyMaxPotentialClusterSize(&mut number, function, &config)
        );
        fails!(
            CUDA_ERROR_INVALID_HANDLE,
            cuOccupancyMaxActiveClusters(&mut number, function, &config)
        );
        assert_eq!((number, grid, size, offset, state.0), (7, 7, 7, 7, 7));
        assert!(owner.is_null() && name.is_null());
    }
}
