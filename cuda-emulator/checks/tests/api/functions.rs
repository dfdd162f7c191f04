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
    let (mut value, attribute) = (-77, CUfunction_attribute(attribute));
    let code = call!(cuFuncGetAttribute(&mut value, attribute, function));
    (code, value)
}

#[test]
fn attributes_have_their_documented_values() {
    let _context = Own::new();
    let module = load(&kernels());
    let value = |name, attribute| attribute_of(function(module, name), attribute);
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
        let found = value(name, attribute);
        assert_eq!(found, expected, "attribute {attribute} of {name}");
    }
    let many = value("live_128", 4);
    assert!((120..=255).contains(&many), "{many}");
    let few = value("bare", 4);
    assert!((2..64).contains(&few), "{few}");
    let bare = function(module, "bare");
    for unknown in [16, 1000, u32::MAX] {
        assert_eq!(get(bare, unknown), (INVALID, -77), "{unknown}");
    }
    let first = CUfunction_attribute(0);
    invalid!(cuFuncGetAttribute(null_mut(), first, bare));
}

#[test]
fn settable_attributes_are_range_checked() {
    let _context = Own::new();
    let module = load(&kernels());
    let (bare, boxed) = (function(module, "bare"), function(module, "boxed"));
    let most = 227 << 10;
    for (function, attribute, good, bad) in [
        (bare, 8, vec![most, 0, 1, most], vec![most + 1, -1]),
        (bare, 8, vec![most], vec![i32::MAX, i32::MIN]),
        (boxed, 8, vec![most - 1000, 7], vec![most - 999, -1]),
        (bare, 9, vec![0, 100, 50, -1, 1], vec![-2, 101, i32::MAX]),
        (bare, 11, vec![1, 2, 0], vec![-1]),
        (bare, 12, vec![1, 4, 0], vec![-1]),
        (bare, 13, vec![1, 8, 0], vec![-1]),
        (bare, 14, vec![1, 0, 1], vec![]),
        (bare, 15, vec![1, 2, 0, 2], vec![3, -1]),
    ] {
        for value in &good {
            let code = set_attribute(function, attribute, *value);
            assert_eq!(code, SUCCESS, "{attribute}: {value}");
            let found = get(function, attribute);
            assert_eq!(found, (SUCCESS, *value), "{attribute}: {value}");
        }
        for value in bad {
            let code = set_attribute(function, attribute, value);
            assert_eq!(code, INVALID, "{attribute}: {value}");
            let found = get(function, attribute).1;
            assert_eq!(found, *good.last().unwrap(), "{attribute}: {value}");
        }
    }
    let found = [8, 9].map(|number| get(bare, number).1);
    assert_eq!(
        found,
        [most, 1],
        "setting one attribute does not change another"
    );
    for fixed in (0..8).chain([10, 16, u32::MAX]) {
        for value in [-1, 0, 1] {
            assert_eq!(
                set_attribute(bare, fixed, value),
                INVALID,
                "{fixed}: {value}"
            );
        }
    }
}

/// Returns the numbers and the values of compiler options.
fn split(options: &[(u32, usize)]) -> (Vec<CUjit_option>, Vec<*mut c_void>) {
    let split = |one: &(u32, usize)| (CUjit_option(one.0), one.1 as *mut c_void);
    options.iter().map(split).unzip()
}

/// Loads an image as a module with compiler options.
fn load_with(image: *const c_void, options: &[(u32, usize)]) -> CUmodule {
    let ((mut numbers, mut values), count) = (split(options), options.len() as u32);
    let (numbers, values) = (numbers.as_mut_ptr(), values.as_mut_ptr());
    out!(cuModuleLoadDataEx(_, image, count, numbers, values))
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
        let text = CString::new(kernels()).unwrap();
        let module = load_with(text.as_ptr().cast(), options);
        let registers = |name| get(function(module, name), 4).1;
        assert_eq!(registers("live"), live, "{options:?}");
        match live_128 {
            0 => assert!(registers("live_128") >= 120, "{options:?}"),
            number => assert_eq!(registers("live_128"), number, "{options:?}"),
        }
        assert!(registers("bare") < 24, "{options:?}");
        // The occupancy follows from that number of registers: 65536 of them for blocks of four
        // warps.
        let (occupancy, live_one) = (
            cuOccupancyMaxActiveBlocksPerMultiprocessor,
            function(module, "live"),
        );
        let blocks = out!(occupancy(_, live_one, 128, 0));
        assert_eq!(blocks, (65536 / (live * 128)).min(16));
        ok!(cuModuleUnload(module));
    }
}

/// Links the sample kernels with linker options, and loads the result with load options.
fn link_with(of_link: &[(u32, usize)], of_load: &[(u32, usize)]) -> CUmodule {
    let ((mut numbers, mut values), count) = (split(of_link), of_link.len() as u32);
    let (numbers, values) = (numbers.as_mut_ptr(), values.as_mut_ptr());
    let state = out!(cuLinkCreate_v2(count, numbers, values, _));
    ok!(link_data(
        state,
        input::PTX,
        kernels().as_bytes(),
        c"kernels"
    ));
    let image = out!(cuLinkComplete(state, _, null_mut()));
    let module = load_with(image, of_load);
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
        let found = get(function(module, "bounded_live"), 4).1;
        assert_eq!(found, most, "{directives}");
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
        invalid!(cuFuncSetCacheConfig(bare, CUfunc_cache(config)));
    }
    for config in 0..=2 {
        ok!(cuFuncSetSharedMemConfig(bare, config));
    }
    for config in [3, 4, u32::MAX] {
        invalid!(cuFuncSetSharedMemConfig(bare, config));
    }
}

#[test]
fn functions_report_module_name_and_parameters() {
    let _context = Own::new();
    let (module, other) = (load(&kernels()), load(&kernels()));
    for module in [module, other] {
        let plain = function(module, "plain");
        assert_eq!(out!(cuFuncGetModule(_, plain)), module);
        let name = out!(cuFuncGetName(_, plain));
        // SAFETY: The name lives as long as the module.
        assert_eq!(unsafe { CStr::from_ptr(name) }, c"plain");
        assert_eq!(out!(cuFuncIsLoaded(_, plain)).0, 1, "loaded");
        ok!(cuFuncLoad(plain));
        invalid!(cuFuncGetModule(null_mut(), plain));
        invalid!(cuFuncGetName(null_mut(), plain));
        invalid!(cuFuncIsLoaded(null_mut(), plain));
    }
    let (plain, bare) = (function(module, "plain"), function(module, "bare"));
    for (function, expected) in [(plain, 3), (bare, 0)] {
        assert_eq!(out!(cuFuncGetParamCount(function, _)), expected);
    }
    invalid!(cuFuncGetParamCount(plain, null_mut()));
    for (index, expected) in [(0, 4), (8, 8), (16, 1)].into_iter().enumerate() {
        let (mut offset, mut size) = (99, 99);
        ok!(cuFuncGetParamInfo(plain, index, &mut offset, &mut size));
        assert_eq!((offset, size), expected, "parameter {index}");
        offset = 99;
        ok!(cuFuncGetParamInfo(plain, index, &mut offset, null_mut()));
        assert_eq!(offset, expected.0);
        invalid!(cuFuncGetParamInfo(plain, index, null_mut(), &mut size));
    }
    let (mut offset, mut size) = (99, 99);
    for (function, index) in [(plain, 3), (plain, usize::MAX), (bare, 0)] {
        invalid!(cuFuncGetParamInfo(function, index, &mut offset, &mut size));
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
    let config: CUlaunchConfig = filled(0);
    for function in wild.chain([null_mut(), stale]) {
        let (mut number, mut grid, mut size, mut offset) = (7, 7, 7, 7);
        let (mut owner, mut name, mut state) = (null_mut(), null(), CUfunctionLoadingState(7));
        assert_eq!(get(function, 0), (INVALID_HANDLE, -77));
        stale!(cuFuncSetAttribute(function, CUfunction_attribute(8), 0));
        stale!(cuFuncSetCacheConfig(function, CUfunc_cache(0)));
        stale!(cuFuncSetSharedMemConfig(function, 0));
        stale!(cuFuncGetModule(&mut owner, function));
        stale!(cuFuncGetName(&mut name, function));
        stale!(cuFuncIsLoaded(&mut state, function));
        stale!(cuFuncLoad(function));
        stale!(cuFuncGetParamCount(function, &mut size));
        stale!(cuFuncGetParamInfo(function, 0, &mut offset, &mut size));
        let blocks = cuOccupancyMaxActiveBlocksPerMultiprocessor;
        stale!(blocks(&mut number, function, 32, 0));
        let threads = cuOccupancyMaxPotentialBlockSize;
        stale!(threads(&mut number, &mut grid, function, None, 0, 0));
        let shared = cuOccupancyAvailableDynamicSMemPerBlock;
        stale!(shared(&mut size, function, 1, 32));
        let cluster = cuOccupancyMaxPotentialClusterSize;
        stale!(cluster(&mut number, function, &config));
        stale!(cuOccupancyMaxActiveClusters(&mut number, function, &config));
        assert_eq!((number, grid, size, offset, state.0), (7, 7, 7, 7, 7));
        assert!(owner.is_null() && name.is_null());
    }
}
