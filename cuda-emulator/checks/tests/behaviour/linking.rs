//! The linker as clients use it: several texts, one result, and its messages.

use cuda_emulator_checks::abi::*;
use std::ffi::{CStr, CString, c_void};
use std::ptr::null_mut;

const CALLER: &str = "
.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 result) twice(.param .b32 value);
.visible .entry call(.param .u64 call_param_0)
{
	.reg .b32 %r<3>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [call_param_0];
	mov.u32 %r1, 21;
	{
	.param .b32 param0;
	st.param.b32 [param0], %r1;
	.param .b32 retval0;
	call.uni (retval0), twice, (param0);
	ld.param.b32 %r2, [retval0];
	}
	st.global.u32 [%rd1], %r2;
	ret;
}
";

const CALLEE: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .func (.param .b32 result) twice(.param .b32 value)
{
	.reg .b32 %r<3>;
	ld.param.b32 %r1, [value];
	add.s32 %r2, %r1, %r1;
	st.param.b32 [result], %r2;
	ret;
}
";

#[test]
fn several_texts_are_linked() {
    let _context = Own::new();
    let mut linker = null_mut();
    let mut error = [0u8; 1000];
    let mut options = [
        CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
        CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
    ];
    let mut values: [*mut c_void; 2] = [error.as_mut_ptr().cast(), 1000 as *mut c_void];
    ok!(cuLinkCreate_v2(
        2,
        options.as_mut_ptr(),
        values.as_mut_ptr(),
        &mut linker
    ));
    let add = |text: &str, name: &CStr| {
        let data = CString::new(text).unwrap();
        ok!(cuLinkAddData_v2(
            linker,
            CUjitInputType::CU_JIT_INPUT_PTX,
            data.as_ptr().cast_mut().cast(),
            text.len() + 1,
            name.as_ptr(),
            0,
            null_mut(),
            null_mut()
        ));
    };
    let (mut image, mut size) = (null_mut(), 0);
    // A link without inputs produces an empty module, as on an H200.
    ok!(cuLinkComplete(linker, &mut image, &mut size));
    let (nothing, mut empty) = (image, null_mut());
    ok!(cuModuleLoadData(&mut empty, nothing));
    add(CALLER, c"caller.ptx");
    // SAFETY: The linker is live, and the result pointers are valid.
    let code = unsafe { cuLinkComplete(linker, &mut image, &mut size) };
    assert_eq!(code, CUresult::CUDA_ERROR_INVALID_SOURCE);
    let text = CStr::from_bytes_until_nul(&error)
        .unwrap()
        .to_str()
        .unwrap()
        .to_string();
    assert!(text.contains("twice"), "{text}");
    add(CALLEE, c"callee.ptx");
    ok!(cuLinkComplete(linker, &mut image, &mut size));
    assert!(size > 0 && image != nothing);
    ok!(cuModuleLoadData(&mut empty, nothing));
    // SAFETY: The result is read while its linker lives.
    let copy = unsafe { std::slice::from_raw_parts(image.cast::<u8>(), size) }.to_vec();
    let mut module = null_mut();
    ok!(cuModuleLoadData(&mut module, image));
    ok!(cuLinkDestroy(linker));
    fails!(CUDA_ERROR_INVALID_HANDLE, cuLinkDestroy(linker));
    let place = alloc(4);
    assert_eq!(
        launch(
            function(module, "call"),
            1,
            1,
            null_mut(),
            &mut [arg(&place)]
        ),
        CUresult::CUDA_SUCCESS
    );
    assert_eq!(download::<u32>(place, 1), [42]);
    // A copy of the result works in memory and in a file. A modified copy is rejected, and its
    // length field is checked.
    ok!(cuModuleLoadData(&mut module, copy.as_ptr().cast()));
    function(module, "call");
    let path = std::env::temp_dir().join(format!("cuda-emulator-link-{}", std::process::id()));
    std::fs::write(&path, &copy).unwrap();
    let name = CString::new(path.to_str().unwrap()).unwrap();
    ok!(cuModuleLoad(&mut module, name.as_ptr()));
    function(module, "call");
    std::fs::remove_file(&path).unwrap();
    let mut changed = copy;
    changed[15] = 1;
    fails!(
        CUDA_ERROR_INVALID_IMAGE,
        cuModuleLoadData(&mut module, changed.as_ptr().cast())
    );
}

#[test]
fn linker_inputs_are_checked_and_logged() {
    let _context = Own::new();
    let mut linker = null_mut();
    let (mut info, mut error) = ([0u8; 1000], [0u8; 1000]);
    let mut options = [
        CUjit_option::CU_JIT_INFO_LOG_BUFFER,
        CUjit_option::CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
        CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
        CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
    ];
    let mut values: [*mut c_void; 4] = [
        info.as_mut_ptr().cast(),
        1000 as *mut c_void,
        error.as_mut_ptr().cast(),
        1000 as *mut c_void,
    ];
    ok!(cuLinkCreate_v2(
        4,
        options.as_mut_ptr(),
        values.as_mut_ptr(),
        &mut linker
    ));
    let add = |kind: u32, data: &[u8]| {
        // SAFETY: The linker is live, and the data has this length.
        let code = unsafe {
            cuLinkAddData_v2(
                linker,
                CUjitInputType(kind),
                data.as_ptr().cast_mut().cast(),
                data.len(),
                c"input".as_ptr(),
                0,
                null_mut(),
                null_mut(),
            )
        };
        let text = CStr::from_bytes_until_nul(&error).unwrap();
        (code, text.to_str().unwrap().to_string())
    };
    use CUresult as R;
    for (kind, code, words) in [
        (
            0,
            R::CUDA_ERROR_INVALID_IMAGE,
            "input: the input is damaged",
        ),
        (3, R::CUDA_ERROR_INVALID_IMAGE, "damaged"),
        (4, R::CUDA_ERROR_INVALID_IMAGE, "damaged"),
        (5, R::CUDA_ERROR_NOT_SUPPORTED, "NVVM"),
        (
            6,
            R::CUDA_ERROR_INVALID_VALUE,
            "6 is not a type of linker input",
        ),
    ] {
        let (given, log) = add(kind, CALLEE.as_bytes());
        assert_eq!(given, code, "{kind}");
        assert!(log.contains(words), "{log}");
    }
    let (mut image, mut size) = (null_mut(), 0);
    assert_eq!(add(1, CALLEE.as_bytes()).0, R::CUDA_SUCCESS);
    assert_eq!(add(1, CALLER.as_bytes()).0, R::CUDA_SUCCESS);
    ok!(cuLinkComplete(linker, &mut image, &mut size));
    let text = CStr::from_bytes_until_nul(&info).unwrap().to_str().unwrap();
    assert_eq!(text, "linked 2 inputs, 1 kernels");
    // A second completion returns the same result at the same address.
    let (mut again, mut other) = (null_mut(), 0);
    ok!(cuLinkComplete(linker, &mut again, &mut other));
    assert_eq!((again, other), (image, size));
    ok!(cuLinkDestroy(linker));
    fails!(
        CUDA_ERROR_INVALID_HANDLE,
        cuLinkComplete(linker, &mut image, &mut size)
    );
}
