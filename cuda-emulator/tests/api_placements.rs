//! Libraries in contexts: each context gets a module of its own at first use, and loses it with either's end.

mod abi;
use abi::*;
use std::ffi::{CStr, CString};
use std::ptr::null_mut;

const PTX: &str = "
.version 7.0
.target sm_70
.address_size 64
.visible .global .align 4 .u32 word = 5;
.visible .global .attribute(.managed) .align 8 .u64 shared = 6;
.visible .entry first(.param .u32 a, .param .u64 b) { ret; }
.visible .entry second() { ret; }
.visible .entry third(.param .u64 p)
{
	.reg .b32 %r<3>; .reg .b64 %d<2>;
	.shared .align 4 .b8 box[100];
	ld.param.u64 %d1, [p];
	mov.u32 %r2, 3;
	st.shared.u32 [box], %r2;
	ld.global.u32 %r1, [word];
	st.global.u32 [%d1], %r1;
	add.u32 %r1, %r1, 1;
	st.global.u32 [word], %r1;
	ret;
}
";

const SUCCESS: CUresult = CUresult::CUDA_SUCCESS;
const INVALID: CUresult = CUresult::CUDA_ERROR_INVALID_VALUE;

macro_rules! invalid {
    ($call:expr_2021) => {
        // SAFETY: as for ok!.
        assert_eq!(unsafe { $call }, INVALID, "{}", stringify!($call))
    };
}

macro_rules! stale {
    ($call:expr_2021) => {
        // SAFETY: as for ok!.
        let code = unsafe { $call };
        assert_eq!(
            code,
            CUresult::CUDA_ERROR_INVALID_HANDLE,
            "{}",
            stringify!($call)
        )
    };
}

fn library() -> CUlibrary {
    let (text, mut library, no) = (CString::new(PTX).unwrap(), null_mut(), null_mut());
    let text = text.as_ptr().cast();
    ok!(cuLibraryLoadData(
        &mut library,
        text,
        null_mut(),
        null_mut(),
        0,
        no,
        null_mut(),
        0
    ));
    library
}

fn kernel(library: CUlibrary, name: &CStr) -> CUkernel {
    let mut kernel = null_mut();
    ok!(cuLibraryGetKernel(&mut kernel, library, name.as_ptr()));
    kernel
}

#[test]
fn each_context_has_a_module_of_the_library() {
    let first = Own::new();
    let library = library();
    let third = kernel(library, c"third");
    let out = alloc(4);
    let run = |function: CUfunction| {
        assert_eq!(
            launch(function, 1, 1, null_mut(), &mut [arg(&out)]),
            SUCCESS
        );
        download::<u32>(out, 1)[0]
    };
    let (mut one, mut again, mut two) = (null_mut(), null_mut(), null_mut());
    ok!(cuLibraryGetModule(&mut one, library));
    ok!(cuLibraryGetModule(&mut again, library));
    assert_eq!(one, again);
    let by_module = function(one, "third");
    let mut by_kernel = null_mut();
    ok!(cuKernelGetFunction(&mut by_kernel, third));
    assert_eq!(by_module, by_kernel);
    assert_eq!((run(by_module), run(third.cast())), (5, 6), "one variable");
    let mut owner = null_mut();
    ok!(cuFuncGetModule(&mut owner, third.cast()));
    assert_eq!(owner, one);
    fails!(CUDA_ERROR_NOT_PERMITTED, cuModuleUnload(one));
    invalid!(cuLibraryGetModule(null_mut(), library));
    invalid!(cuKernelGetFunction(null_mut(), third));
    let second = Own::new();
    ok!(cuLibraryGetModule(&mut two, library));
    assert_ne!(one, two);
    let (mut count, mut address) = (0, 0);
    ok!(cuModuleGetFunctionCount(&mut count, two));
    assert_eq!(count, 3);
    ok!(cuModuleGetGlobal_v2(
        &mut address,
        null_mut(),
        two,
        c"word".as_ptr()
    ));
    assert_eq!(download::<u32>(address, 1), [5], "a variable of its own");
    drop(second);
    stale!(cuModuleGetFunctionCount(&mut count, two));
    // The end of a context takes nothing from another one.
    assert_eq!(run(by_module), 7);
    let third_context = Own::new();
    ok!(cuLibraryGetModule(&mut two, library));
    function(two, "third");
    drop(third_context);
    ok!(cuLibraryUnload(library));
    stale!(cuModuleGetFunctionCount(&mut count, one));
    assert_eq!(
        launch(by_module, 1, 1, null_mut(), &mut [arg(&out)]),
        CUresult::CUDA_ERROR_INVALID_HANDLE
    );
    drop(first);
}

#[test]
fn without_a_context_a_library_has_no_module() {
    ok!(cuInit(0));
    let library = library();
    let third = kernel(library, c"third");
    let (mut module, mut function, mut address) = (null_mut(), null_mut(), 0);
    fails!(
        CUDA_ERROR_INVALID_CONTEXT,
        cuLibraryGetModule(&mut module, library)
    );
    fails!(
        CUDA_ERROR_INVALID_CONTEXT,
        cuKernelGetFunction(&mut function, third)
    );
    let word = c"word".as_ptr();
    fails!(
        CUDA_ERROR_INVALID_CONTEXT,
        cuLibraryGetGlobal(&mut address, null_mut(), library, word)
    );
    ok!(cuLibraryUnload(library));
}

#[test]
fn unloading_gives_back_the_variables() {
    passes("unloading_gives_back_the_variables", &[], || {
        let _context = Own::new();
        let free = || {
            let (mut free, mut total) = (0, 0);
            ok!(cuMemGetInfo_v2(&mut free, &mut total));
            free
        };
        let before = free();
        let library = library();
        assert_eq!(free(), before, "placed at first use");
        let (mut address, mut size) = (0, 0);
        ok!(cuLibraryGetGlobal(
            &mut address,
            &mut size,
            library,
            c"word".as_ptr()
        ));
        assert!(free() < before);
        ok!(cuMemsetD8_v2(address, 0, 4));
        ok!(cuLibraryUnload(library));
        assert_eq!(free(), before);
        invalid!(cuMemsetD8_v2(address, 0, 4));
    });
}
