//! Modules and libraries: loading, errors and lookup.

use cuda_emulator_checks::abi::*;
use std::ffi::{CStr, CString, c_void};
use std::ptr::{null, null_mut};

const KERNELS: &str = include_str!("../../kernels/kernels.ptx");
static LZ4: &[u8] = include_bytes!("../../kernels/kernels-lz4.fatbin");
static ZSTD: &[u8] = include_bytes!("../../kernels/kernels-zstd.fatbin");

/// Loads with log buffers. Returns the code, the information log and the error log.
fn load_logged(image: &CStr) -> (CUresult, String, String) {
    let (mut info, mut error) = ([1u8; 2000], [1u8; 2000]);
    // The logs and their sizes, and the wall time.
    let mut options = [3, 4, 5, 6, 2].map(CUjit_option);
    let [info_at, error_at] = [&mut info, &mut error].map(|log| log.as_mut_ptr().cast());
    let size = 2000 as *mut c_void;
    let mut values: [*mut c_void; 5] = [info_at, size, error_at, size, null_mut()];
    let (image, options, place) = (
        image.as_ptr().cast(),
        options.as_mut_ptr(),
        values.as_mut_ptr(),
    );
    let module = result!(cuModuleLoadDataEx(_, image, 5, options, place));
    let text = |buffer: &[u8], length: *mut c_void| {
        let text = CStr::from_bytes_until_nul(buffer)
            .unwrap()
            .to_str()
            .unwrap();
        assert_eq!(text.len(), length as usize);
        text.to_string()
    };
    let logs = [text(&info, values[1]), text(&error, values[3])];
    let [info, error] = logs;
    (code_of(module), info, error)
}

#[test]
fn a_module_is_loaded_and_searched() {
    let _context = Own::new();
    let module = load(KERNELS);
    let add = function(module, "add");
    assert_eq!(add, function(module, "add"), "a function has one handle");
    let counter = download::<u32>(global(module, c"counter"), 1);
    assert_eq!(counter, [41], "variables have their initial values");
    assert_eq!(download::<f32>(global(module, c"scale"), 1), [2.0]);
    let table = global(module, c"table");
    assert_eq!(download::<u8>(table, 64), [0; 64]);
    ok!(cuModuleUnload(module));
    stale!(cuModuleUnload(module));
    stale!(cuFuncGetName(&mut null(), add));
    invalid!(cuMemsetD8_v2(table, 0, 64));
}

#[test]
fn structures_are_parameters_with_their_size_and_alignment() {
    let _context = Own::new();
    let mixed = function(load(KERNELS), "mixed");
    let expected = [(0, 1), (8, 8), (16, 12), (32, 8)];
    let (mut offset, mut size) = (0, 0);
    for (index, pair) in expected.iter().enumerate() {
        ok!(cuFuncGetParamInfo(mixed, index, &mut offset, &mut size));
        assert_eq!((offset, size), *pair, "parameter {index}");
    }
    invalid!(cuFuncGetParamInfo(mixed, 4, &mut offset, &mut size));
    // The versions of the PTX and of the machine.
    assert_eq!([5, 6].map(|number| attribute_of(mixed, number)), [80, 90]);
}

#[test]
fn broken_ptx_is_explained() {
    let _context = Own::new();
    let broken = KERNELS.replace("add.f32 %f3", "add.f33 %f3");
    let mut lines = broken.lines();
    let line = 1 + lines.position(|line| line.contains("add.f33")).unwrap();
    let (code, _, error) = load_logged(&CString::new(broken).unwrap());
    assert_eq!(code, INVALID_PTX, "{error}");
    for part in [&format!("line {line}"), "add.f33"] {
        assert!(error.contains(part), "{error}");
    }
    let newer = KERNELS.replace(".version 8.0", ".version 99.9");
    let (code, _, error) = load_logged(&CString::new(newer).unwrap());
    assert_eq!(code, UNSUPPORTED_PTX_VERSION, "{error}");
    assert!(error.contains("99.9"), "{error}");
    let (code, _, error) = load_logged(&CString::new(KERNELS).unwrap());
    assert_eq!((code, error.as_str()), (SUCCESS, ""));
    let (code, _, error) = load_logged(c".version but nothing behind it");
    assert_eq!(code, INVALID_PTX, "{error}");
}

#[test]
fn machine_code_is_rejected() {
    let _context = Own::new();
    let mut cubin = b"\x7fELF\x02\x01\x01".to_vec();
    cubin.resize(256, 0);
    let module = result!(cuModuleLoadData(_, cubin.as_ptr().cast()));
    assert_eq!(module, Err(NO_BINARY_FOR_GPU));
    // A library reports the error at its first use, as on an H200.
    let library = load_library(&cubin).unwrap();
    let kernel = result!(cuLibraryGetKernel(_, library, c"add".as_ptr()));
    assert_eq!(kernel, Err(NO_BINARY_FOR_GPU));
    ok!(cuLibraryUnload(library));
}

#[test]
fn fat_binaries_are_searched_for_ptx() {
    let _context = Own::new();
    for image in [LZ4, ZSTD] {
        let module = out!(cuModuleLoadData(_, image.as_ptr().cast()));
        function(module, "add");
        ok!(cuModuleUnload(module));
        // The wrapper that nvcc adds.
        let wrapper = [0x1_4662_43b1_u64, image.as_ptr() as u64, 0];
        let module = out!(cuModuleLoadFatBinary(_, wrapper.as_ptr().cast()));
        function(module, "mixed");
        ok!(cuModuleUnload(module));
    }
    // Wrappers that point to nothing or to themselves.
    let load = |wrapper: &[u64; 3]| result!(cuModuleLoadFatBinary(_, wrapper.as_ptr().cast()));
    let mut wrapper = [0x1_4662_43b1_u64, 0, 0];
    assert_eq!(load(&wrapper), Err(INVALID_IMAGE));
    wrapper[1] = wrapper.as_ptr() as u64;
    assert_eq!(load(&wrapper), Err(INVALID_IMAGE));
}
