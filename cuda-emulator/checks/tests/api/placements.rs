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
        ok!(launch(function, 1, 1, null_mut(), &mut [arg(&out)]));
        download::<u32>(out, 1)[0]
    };
    let one = out!(cuLibraryGetModule(_, library));
    assert_eq!(out!(cuLibraryGetModule(_, library)), one);
    let by_module = function(one, "third");
    let by_kernel = out!(cuKernelGetFunction(_, third));
    assert_eq!(by_module, by_kernel);
    assert_eq!((run(by_module), run(third.cast())), (5, 6), "one variable");
    assert_eq!(out!(cuFuncGetModule(_, third.cast())), one);
    fails!(NOT_PERMITTED, cuModuleUnload(one));
    invalid!(cuLibraryGetModule(null_mut(), library));
    invalid!(cuKernelGetFunction(null_mut(), third));
    let second = Own::new();
    let two = out!(cuLibraryGetModule(_, library));
    assert_ne!(one, two);
    assert_ne!(by_kernel, out!(cuKernelGetFunction(_, third)));
    let mut count = out!(cuModuleGetFunctionCount(_, two));
    assert_eq!(count, 3);
    let word = download::<u32>(global(two, c"word"), 1);
    assert_eq!(word, [5], "a separate variable");
    drop(second);
    stale!(cuModuleGetFunctionCount(&mut count, two));
    // The end of a context does not affect the modules of another.
    assert_eq!(run(by_module), 7);
    let third_context = Own::new();
    function(out!(cuLibraryGetModule(_, library)), "third");
    drop(third_context);
    ok!(cuLibraryUnload(library));
    stale!(cuModuleGetFunctionCount(&mut count, one));
    let code = launch(by_module, 1, 1, null_mut(), &mut [arg(&out)]);
    assert_eq!(code, INVALID_HANDLE);
    drop(first);
}

#[test]
fn libraries_have_no_module_without_a_context() {
    ok!(cuInit(0));
    let library = library();
    let third = kernel(library, c"third");
    let (mut module, mut function, mut address) = (null_mut(), null_mut(), 0);
    no_context!(cuLibraryGetModule(&mut module, library));
    no_context!(cuKernelGetFunction(&mut function, third));
    let word = c"word".as_ptr();
    no_context!(cuLibraryGetGlobal(&mut address, null_mut(), library, word));
    ok!(cuLibraryUnload(library));
}

#[test]
fn unloading_frees_variables() {
    passes(&[], || {
        let _context = Own::new();
        let before = free_memory();
        let library = library();
        assert_eq!(free_memory(), before, "allocated at first use");
        let (mut size, word) = (0, c"word".as_ptr());
        let address = out!(cuLibraryGetGlobal(_, &mut size, library, word));
        assert!(free_memory() < before);
        ok!(cuMemsetD8_v2(address, 0, 4));
        ok!(cuLibraryUnload(library));
        assert_eq!(free_memory(), before);
        invalid!(cuMemsetD8_v2(address, 0, 4));
    });
}
