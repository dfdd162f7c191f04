//! Contexts: their stacks, their ends, and their limits.

use cuda_emulator_checks::abi::*;
use std::ptr::null_mut;

#[test]
fn each_thread_has_a_separate_context_stack() {
    ok!(cuInit(0));
    let (mut first, mut second, mut current) = (null_mut(), null_mut(), null_mut());
    ok!(cuCtxGetCurrent(&mut current));
    assert!(current.is_null());
    fails!(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
    fails!(CUDA_ERROR_INVALID_CONTEXT, cuCtxPopCurrent_v2(&mut current));
    let mut address = 0;
    fails!(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc_v2(&mut address, 16));
    ok!(cuCtxCreate_v2(&mut first, 0, 0));
    ok!(cuCtxCreate_v2(&mut second, 0, 0));
    ok!(cuCtxGetCurrent(&mut current));
    assert_eq!(current, second);
    ok!(cuCtxPopCurrent_v2(&mut current));
    assert_eq!(current, second);
    ok!(cuCtxGetCurrent(&mut current));
    assert_eq!(current, first);
    let handle = second as usize;
    std::thread::spawn(move || {
        let mut current = null_mut();
        ok!(cuCtxGetCurrent(&mut current));
        assert!(current.is_null(), "a new thread has no current context");
        ok!(cuCtxSetCurrent(handle as CUcontext));
        ok!(cuCtxSynchronize());
        let mut device = -1;
        ok!(cuCtxGetDevice(&mut device));
        assert_eq!(device, 0);
    })
    .join()
    .unwrap();
    ok!(cuCtxPushCurrent_v2(second));
    ok!(cuCtxSetCurrent(null_mut()));
    ok!(cuCtxGetCurrent(&mut current));
    assert_eq!(current, first);
    let (mut one, mut two) = (0, 0);
    ok!(cuCtxGetId(first, &mut one));
    ok!(cuCtxGetId(second, &mut two));
    assert_ne!(one, two);
    ok!(cuCtxDestroy_v2(first));
    ok!(cuCtxGetCurrent(&mut current));
    assert!(current.is_null(), "destroying the current context pops it");
    ok!(cuCtxDestroy_v2(second));
    fails!(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy_v2(second));
    fails!(CUDA_ERROR_INVALID_CONTEXT, cuCtxPushCurrent_v2(second));
    for wild in WILD {
        fails!(
            CUDA_ERROR_INVALID_CONTEXT,
            cuCtxSetCurrent(wild as CUcontext)
        );
    }
}

#[test]
fn destroying_a_context_pops_it_only_if_current() {
    ok!(cuInit(0));
    let (mut first, mut second, mut current) = (null_mut(), null_mut(), null_mut());
    ok!(cuCtxCreate_v2(&mut first, 0, 0));
    ok!(cuCtxCreate_v2(&mut second, 0, 0));
    ok!(cuCtxDestroy_v2(first));
    ok!(cuCtxGetCurrent(&mut current));
    assert_eq!(current, second);
    // Null means the current context.
    let (mut named, mut meant) = (0, 1);
    ok!(cuCtxGetId(second, &mut named));
    ok!(cuCtxGetId(null_mut(), &mut meant));
    assert_eq!(named, meant);
    ok!(cuCtxDestroy_v2(second));
    ok!(cuCtxPopCurrent_v2(&mut current));
    assert_eq!(current, first, "still on the stack");
    fails!(
        CUDA_ERROR_INVALID_CONTEXT,
        cuCtxGetId(null_mut(), &mut meant)
    );
}

#[test]
fn destroyed_contexts_differ_from_no_context() {
    ok!(cuInit(0));
    let mut context = null_mut();
    ok!(cuCtxCreate_v2(&mut context, 0, 0));
    let handle = context as usize;
    std::thread::spawn(move || ok!(cuCtxDestroy_v2(handle as CUcontext)))
        .join()
        .unwrap();
    fails!(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuCtxSynchronize());
    ok!(cuCtxPopCurrent_v2(&mut context));
}

#[test]
fn objects_are_destroyed_with_their_context() {
    let context = Own::new();
    let (stream, event, address) = (stream(0), event(0), alloc(64));
    drop(context);
    let _other = Own::new();
    fails!(CUDA_ERROR_INVALID_HANDLE, cuStreamSynchronize(stream));
    fails!(CUDA_ERROR_INVALID_HANDLE, cuEventQuery(event));
    fails!(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(address));
}

#[test]
fn limits_flags_and_preferences() {
    let _context = Own::new();
    let mut value = 0;
    ok!(cuCtxGetLimit(&mut value, CUlimit::CU_LIMIT_STACK_SIZE));
    assert_eq!(value, 1024);
    ok!(cuCtxSetLimit(CUlimit::CU_LIMIT_STACK_SIZE, 5000));
    ok!(cuCtxGetLimit(&mut value, CUlimit::CU_LIMIT_STACK_SIZE));
    assert_eq!(value, 5008);
    ok!(cuCtxSetLimit(CUlimit::CU_LIMIT_MALLOC_HEAP_SIZE, 1 << 20));
    fails!(CUDA_ERROR_INVALID_VALUE, cuCtxSetLimit(CUlimit(77), 1));
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuCtxGetLimit(&mut value, CUlimit(77))
    );
    // The values set and their effective values, as recorded on an H200 (driver 580). Those of the
    // L2 cache are relative to the size of the emulated cache.
    type Values = &'static [(usize, usize)];
    let limits: [(CUlimit, usize, Values, Option<usize>); 6] = [
        (
            CUlimit::CU_LIMIT_PRINTF_FIFO_SIZE,
            1 << 20,
            &[
                (0, 524_288),
                (1_000_000, 1_000_192),
                (31_457_281, 31_457_536),
            ],
            None,
        ),
        (
            CUlimit::CU_LIMIT_MALLOC_HEAP_SIZE,
            8 << 20,
            &[(0, 4 << 20), (16 << 20, 16 << 20), (31_457_281, 31_522_816)],
            None,
        ),
        (
            CUlimit::CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT,
            2048,
            &[(0, 32), (33, 33), (1_000_000, 599_186)],
            None,
        ),
        (
            CUlimit::CU_LIMIT_MAX_L2_FETCH_GRANULARITY,
            64,
            &[(0, 0), (33, 33), (128, 128)],
            Some(129),
        ),
        (
            CUlimit::CU_LIMIT_STACK_SIZE,
            1024,
            &[(0, 0), (1, 16), (65_537, 65_552), (512 << 10, 512 << 10)],
            Some((512 << 10) + 1),
        ),
        (
            CUlimit::CU_LIMIT_PERSISTING_L2_CACHE_SIZE,
            6 << 20,
            &[(0, 0), (1, 2 << 20), (20 << 20, 20 << 20)],
            Some((20 << 20) + 1),
        ),
    ];
    for (limit, default, values, too_much) in limits {
        let _fresh = Own::new();
        ok!(cuCtxGetLimit(&mut value, limit));
        assert_eq!(value, default, "{limit:?}");
        for &(wanted, given) in values {
            ok!(cuCtxSetLimit(limit, wanted));
            ok!(cuCtxGetLimit(&mut value, limit));
            assert_eq!(value, given, "{limit:?}, {wanted}");
        }
        if let Some(too_much) = too_much {
            fails!(CUDA_ERROR_INVALID_VALUE, cuCtxSetLimit(limit, too_much));
        }
    }
    // Kernels cannot wait for their launches, and no context shares the device with graphics.
    for number in [3, 9] {
        let limit = CUlimit(number);
        fails!(CUDA_ERROR_UNSUPPORTED_LIMIT, cuCtxSetLimit(limit, 1));
        fails!(
            CUDA_ERROR_UNSUPPORTED_LIMIT,
            cuCtxGetLimit(&mut value, limit)
        );
    }
    for (number, given) in [(7, 232_448), (8, 0)] {
        fails!(CUDA_ERROR_NOT_PERMITTED, cuCtxSetLimit(CUlimit(number), 1));
        ok!(cuCtxGetLimit(&mut value, CUlimit(number)));
        assert_eq!(value, given);
    }
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuCtxGetLimit(&mut value, CUlimit(10))
    );
    ok!(cuCtxSetCacheConfig(CUfunc_cache::CU_FUNC_CACHE_PREFER_L1));
    let mut config = CUfunc_cache(9);
    ok!(cuCtxGetCacheConfig(&mut config));
    assert_eq!(config, CUfunc_cache::CU_FUNC_CACHE_PREFER_L1);
    let (mut least, mut greatest) = (9, 9);
    ok!(cuCtxGetStreamPriorityRange(&mut least, &mut greatest));
    assert!(greatest < least && least == 0);
    let mut flags = 99;
    ok!(cuCtxGetFlags(&mut flags));
    assert_eq!(flags, 0);
    let mut context = null_mut();
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuCtxCreate_v2(&mut context, 0x8000_0000, 0)
    );
    fails!(CUDA_ERROR_INVALID_VALUE, cuCtxCreate_v2(&mut context, 3, 0));
    fails!(
        CUDA_ERROR_INVALID_DEVICE,
        cuCtxCreate_v2(&mut context, 0, 5)
    );
    fails!(CUDA_ERROR_INVALID_VALUE, cuCtxCreate_v2(null_mut(), 0, 0));
}
