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
    let mut options = [
        CUjit_option::CU_JIT_INFO_LOG_BUFFER,
        CUjit_option::CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
        CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
        CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        CUjit_option::CU_JIT_WALL_TIME,
    ];
    let mut values: [*mut c_void; 5] = [
        info.as_mut_ptr().cast(),
        2000 as *mut c_void,
        error.as_mut_ptr().cast(),
        2000 as *mut c_void,
        null_mut(),
    ];
    let mut module = null_mut();
    // SAFETY: The image ends in NUL, and the options match the values.
    let code = unsafe {
        cuModuleLoadDataEx(
            &mut module,
            image.as_ptr().cast(),
            5,
            options.as_mut_ptr(),
            values.as_mut_ptr(),
        )
    };
    let text = |buffer: &[u8], length: usize| {
        let text = CStr::from_bytes_until_nul(buffer)
            .unwrap()
            .to_str()
            .unwrap();
        assert_eq!(text.len(), length);
        text.to_string()
    };
    (
        code,
        text(&info, values[1] as usize),
        text(&error, values[3] as usize),
    )
}

#[test]
fn a_module_is_loaded_and_searched() {
    let _context = Own::new();
    let module = load(KERNELS);
    let add = function(module, "add");
    assert_eq!(add, function(module, "add"), "a function has one handle");
    let mut missing = null_mut();
    fails!(
        CUDA_ERROR_NOT_FOUND,
        cuModuleGetFunction(&mut missing, module, c"subtract".as_ptr())
    );
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuModuleGetFunction(&mut missing, module, null())
    );
    let mut count = 0;
    ok!(cuModuleGetFunctionCount(&mut count, module));
    assert_eq!(count, KERNELS.matches(".visible .entry").count() as u32);
    let mut all = vec![null_mut(); count as usize];
    ok!(cuModuleEnumerateFunctions(all.as_mut_ptr(), count, module));
    assert!(all.contains(&add));
    let (mut name, mut owner) = (null(), null_mut());
    ok!(cuFuncGetName(&mut name, add));
    // SAFETY: The name lives as long as the module.
    assert_eq!(unsafe { CStr::from_ptr(name) }, c"add");
    ok!(cuFuncGetModule(&mut owner, add));
    assert_eq!(owner, module);
    let (mut address, mut size) = (0, 0);
    ok!(cuModuleGetGlobal_v2(
        &mut address,
        &mut size,
        module,
        c"counter".as_ptr()
    ));
    assert_eq!(size, 4);
    assert_eq!(
        download::<u32>(address, 1),
        [41],
        "variables have their initial values"
    );
    ok!(cuModuleGetGlobal_v2(
        &mut address,
        &mut size,
        module,
        c"scale".as_ptr()
    ));
    assert_eq!(download::<f32>(address, 1), [2.0]);
    ok!(cuModuleGetGlobal_v2(
        &mut address,
        &mut size,
        module,
        c"table".as_ptr()
    ));
    assert_eq!(download::<u8>(address, 64), [0; 64]);
    fails!(
        CUDA_ERROR_NOT_FOUND,
        cuModuleGetGlobal_v2(&mut address, &mut size, module, c"nothing".as_ptr())
    );
    ok!(cuModuleUnload(module));
    fails!(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(module));
    fails!(CUDA_ERROR_INVALID_HANDLE, cuFuncGetName(&mut name, add));
    fails!(CUDA_ERROR_INVALID_VALUE, cuMemsetD8_v2(address, 0, 64));
    for wild in WILD {
        fails!(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(wild as CUmodule));
        fails!(
            CUDA_ERROR_INVALID_HANDLE,
            cuModuleGetFunction(&mut missing, wild as CUmodule, c"add".as_ptr())
        );
    }
}

#[test]
fn parameters_and_attributes() {
    let _context = Own::new();
    let module = load(KERNELS);
    let mixed = function(module, "mixed");
    let expected = [(0, 1), (8, 8), (16, 12), (32, 8)];
    let (mut offset, mut size) = (0, 0);
    for (index, pair) in expected.iter().enumerate() {
        ok!(cuFuncGetParamInfo(mixed, index, &mut offset, &mut size));
        assert_eq!((offset, size), *pair, "parameter {index}");
    }
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuFuncGetParamInfo(mixed, 4, &mut offset, &mut size)
    );
    use CUfunction_attribute as Attribute;
    let attribute = |name: &str, attribute| {
        let mut value = -9;
        ok!(cuFuncGetAttribute(
            &mut value,
            attribute,
            function(module, name)
        ));
        value
    };
    assert_eq!(
        attribute("add", Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
        1024
    );
    assert_eq!(
        attribute(
            "bounded",
            Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK
        ),
        64
    );
    assert_eq!(
        attribute("add", Attribute::CU_FUNC_ATTRIBUTE_PTX_VERSION),
        80
    );
    assert_eq!(
        attribute("add", Attribute::CU_FUNC_ATTRIBUTE_BINARY_VERSION),
        90
    );
    assert_eq!(
        attribute("add", Attribute::CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES),
        4
    );
    assert!(attribute("add", Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS) > 0);
    let add = function(module, "add");
    ok!(cuFuncSetAttribute(
        add,
        Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
        100_000
    ));
    assert_eq!(
        attribute(
            "add",
            Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        ),
        100_000
    );
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuFuncSetAttribute(
            add,
            Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
            1 << 20
        )
    );
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuFuncSetAttribute(add, Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS, 3)
    );
    let (mut blocks, mut grid, mut block) = (0, 0, 0);
    ok!(cuOccupancyMaxActiveBlocksPerMultiprocessor(
        &mut blocks,
        add,
        1024,
        0
    ));
    assert_eq!(blocks, 2);
    ok!(cuOccupancyMaxPotentialBlockSize(
        &mut grid, &mut block, add, None, 0, 0
    ));
    assert!(block >= 256 && grid > 0);
    ok!(cuOccupancyMaxPotentialBlockSize(
        &mut grid, &mut block, add, None, 0, 128
    ));
    assert!(block <= 128);
    let mut bytes = 0;
    ok!(cuOccupancyAvailableDynamicSMemPerBlock(
        &mut bytes, add, 2, 256
    ));
    assert_eq!(bytes, 100_000); // the maximum that a launch may request
}

#[test]
fn broken_ptx_is_explained() {
    let _context = Own::new();
    let broken = KERNELS.replace("add.f32 %f3", "add.f33 %f3");
    let line = 1 + broken
        .lines()
        .position(|line| line.contains("add.f33"))
        .unwrap();
    let (code, _, error) = load_logged(&CString::new(broken).unwrap());
    assert_eq!(code, CUresult::CUDA_ERROR_INVALID_PTX, "{error}");
    assert!(
        error.contains(&format!("line {line}")) && error.contains("add.f33"),
        "{error}"
    );
    let newer = KERNELS.replace(".version 8.0", ".version 99.9");
    let (code, _, error) = load_logged(&CString::new(newer).unwrap());
    assert_eq!(
        code,
        CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
        "{error}"
    );
    assert!(error.contains("99.9"), "{error}");
    let (code, _, error) = load_logged(&CString::new(KERNELS).unwrap());
    assert_eq!((code, error.as_str()), (CUresult::CUDA_SUCCESS, ""));
    let (code, _, error) = load_logged(c".version but nothing behind it");
    assert_eq!(code, CUresult::CUDA_ERROR_INVALID_PTX, "{error}");
    let mut module = null_mut();
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuModuleLoadData(&mut module, null())
    );
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuModuleLoadData(null_mut(), c"".as_ptr().cast())
    );
    fails!(
        CUDA_ERROR_INVALID_IMAGE,
        cuModuleLoadData(&mut module, c"no image at all".as_ptr().cast())
    );
    fails!(
        CUDA_ERROR_FILE_NOT_FOUND,
        cuModuleLoad(&mut module, c"/no/such/file.ptx".as_ptr())
    );
}

#[test]
fn machine_code_is_rejected() {
    let _context = Own::new();
    let mut module = null_mut();
    let mut cubin = b"\x7fELF\x02\x01\x01".to_vec();
    cubin.resize(256, 0);
    fails!(
        CUDA_ERROR_NO_BINARY_FOR_GPU,
        cuModuleLoadData(&mut module, cubin.as_ptr().cast())
    );
    // A library reports the error at its first use, as on an H200.
    let (mut library, mut kernel) = (null_mut(), null_mut());
    ok!(cuLibraryLoadData(
        &mut library,
        cubin.as_ptr().cast(),
        null_mut(),
        null_mut(),
        0,
        null_mut(),
        null_mut(),
        0
    ));
    fails!(
        CUDA_ERROR_NO_BINARY_FOR_GPU,
        cuLibraryGetKernel(&mut kernel, library, c"add".as_ptr())
    );
    ok!(cuLibraryUnload(library));
}

#[test]
fn fat_binaries_are_searched_for_ptx() {
    let _context = Own::new();
    for image in [LZ4, ZSTD] {
        let mut module = null_mut();
        ok!(cuModuleLoadData(&mut module, image.as_ptr().cast()));
        function(module, "add");
        ok!(cuModuleUnload(module));
        // The wrapper that nvcc adds.
        let wrapper = [0x1_4662_43b1_u64, image.as_ptr() as u64, 0];
        ok!(cuModuleLoadFatBinary(&mut module, wrapper.as_ptr().cast()));
        function(module, "mixed");
        ok!(cuModuleUnload(module));
    }
    // Wrappers that point to nothing or to themselves.
    let mut wrapper = [0x1_4662_43b1_u64, 0, 0];
    let mut module = null_mut();
    fails!(
        CUDA_ERROR_INVALID_IMAGE,
        cuModuleLoadFatBinary(&mut module, wrapper.as_ptr().cast())
    );
    wrapper[1] = wrapper.as_ptr() as u64;
    fails!(
        CUDA_ERROR_INVALID_IMAGE,
        cuModuleLoadFatBinary(&mut module, wrapper.as_ptr().cast())
    );
}
