//! Libraries in contexts: a context gets a separate module of a library at first use, and loses it
//! when the context or the library ends.

use cuda_emulator_checks::abi::*;

use std::ptr::null_mut;

#[test]
fn each_context_has_a_separate_module() {
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
    assert_eq!(download::<u32>(address, 1), [5], "a separate variable");
    drop(second);
    stale!(cuModuleGetFunctionCount(&mut count, two));
    // The end of a context does not affect the modules of another.
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
fn libraries_have_no_module_without_a_context() {
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
fn unloading_frees_variables() {
    passes("unloading_frees_variables", &[], || {
        let _context = Own::new();
        let free = || {
            let (mut free, mut total) = (0, 0);
            ok!(cuMemGetInfo_v2(&mut free, &mut total));
            free
        };
        let before = free();
        let library = library();
        assert_eq!(free(), before, "allocated at first use");
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
