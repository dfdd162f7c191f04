//! Contexts: their stacks, their ends, and their limits.

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::graphs::context;
use std::ptr::null_mut;

#[test]
fn each_thread_has_a_separate_context_stack() {
    ok!(cuInit(0));
    assert!(context().is_null());
    no_context!(cuCtxSynchronize());
    no_context!(cuCtxPopCurrent_v2(&mut null_mut()));
    no_context!(cuMemAlloc_v2(&mut 0, 16));
    let [first, second] = [(); 2].map(|()| out!(cuCtxCreate_v2(_, 0, 0)));
    assert_eq!(context(), second);
    assert_eq!(out!(cuCtxPopCurrent_v2(_)), second);
    assert_eq!(context(), first);
    let handle = second as usize;
    std::thread::spawn(move || {
        assert!(context().is_null(), "a new thread has no current context");
        ok!(cuCtxSetCurrent(handle as CUcontext));
        ok!(cuCtxSynchronize());
        assert_eq!(out!(cuCtxGetDevice(_)), 0);
    })
    .join()
    .unwrap();
    ok!(cuCtxPushCurrent_v2(second));
    ok!(cuCtxSetCurrent(null_mut()));
    assert_eq!(context(), first);
    assert_ne!(out!(cuCtxGetId(first, _)), out!(cuCtxGetId(second, _)));
    ok!(cuCtxDestroy_v2(first));
    assert!(
        context().is_null(),
        "destroying the current context pops it"
    );
    ok!(cuCtxDestroy_v2(second));
    no_context!(cuCtxDestroy_v2(second));
    no_context!(cuCtxPushCurrent_v2(second));
    for wild in WILD {
        no_context!(cuCtxSetCurrent(wild as CUcontext));
    }
}

#[test]
fn destroying_a_context_pops_it_only_if_current() {
    ok!(cuInit(0));
    let [first, second] = [(); 2].map(|()| out!(cuCtxCreate_v2(_, 0, 0)));
    ok!(cuCtxDestroy_v2(first));
    assert_eq!(context(), second);
    // Null means the current context.
    let id = |context| result!(cuCtxGetId(context, _));
    assert_eq!(id(second), id(null_mut()));
    ok!(cuCtxDestroy_v2(second));
    assert_eq!(out!(cuCtxPopCurrent_v2(_)), first, "still on the stack");
    assert_eq!(id(null_mut()), Err(INVALID_CONTEXT));
}

#[test]
fn destroyed_contexts_differ_from_no_context() {
    ok!(cuInit(0));
    let mut context = out!(cuCtxCreate_v2(_, 0, 0));
    let handle = context as usize;
    std::thread::spawn(move || ok!(cuCtxDestroy_v2(handle as CUcontext)))
        .join()
        .unwrap();
    fails!(CONTEXT_IS_DESTROYED, cuCtxSynchronize());
    ok!(cuCtxPopCurrent_v2(&mut context));
}

#[test]
fn objects_are_destroyed_with_their_context() {
    let context = Own::new();
    let (stream, event, address) = (stream(0), event(0), alloc(64));
    drop(context);
    let _other = Own::new();
    stale!(cuStreamSynchronize(stream));
    stale!(cuEventQuery(event));
    invalid!(cuMemFree_v2(address));
}

#[test]
fn limits_are_rounded_and_checked() {
    let _context = Own::new();
    invalid!(cuCtxSetLimit(CUlimit(77), 1));
    invalid!(cuCtxGetLimit(&mut 0, CUlimit(77)));
    // The values set and their effective values, as recorded on an H200 (driver 580). Those of the
    // L2 cache are relative to the size of the emulated cache.
    type Values = &'static [(usize, usize)];
    const PRINTF: Values = &[
        (0, 524_288),
        (1_000_000, 1_000_192),
        (31_457_281, 31_457_536),
    ];
    const HEAP: Values = &[
        (0, 4 << 20),
        (1 << 20, 4 << 20),
        (16 << 20, 16 << 20),
        (31_457_281, 31_522_816),
    ];
    const LAUNCHES: Values = &[(0, 32), (33, 33), (1_000_000, 599_186)];
    const GRANULARITY: Values = &[(0, 0), (33, 33), (128, 128)];
    const STACK: Values = &[
        (0, 0),
        (1, 16),
        (5000, 5008),
        (65_537, 65_552),
        (512 << 10, 512 << 10),
    ];
    const PERSISTING: Values = &[(0, 0), (1, 2 << 20), (20 << 20, 20 << 20)];
    for (limit, default, values, too_much) in [
        (CUlimit::CU_LIMIT_PRINTF_FIFO_SIZE, 1 << 20, PRINTF, None),
        (CUlimit::CU_LIMIT_MALLOC_HEAP_SIZE, 8 << 20, HEAP, None),
        (
            CUlimit::CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT,
            2048,
            LAUNCHES,
            None,
        ),
        (
            CUlimit::CU_LIMIT_MAX_L2_FETCH_GRANULARITY,
            64,
            GRANULARITY,
            Some(129),
        ),
        (
            CUlimit::CU_LIMIT_STACK_SIZE,
            1024,
            STACK,
            Some((512 << 10) + 1),
        ),
        (
            CUlimit::CU_LIMIT_PERSISTING_L2_CACHE_SIZE,
            6 << 20,
            PERSISTING,
            Some((20 << 20) + 1),
        ),
    ] {
        let _fresh = Own::new();
        assert_eq!(out!(cuCtxGetLimit(_, limit)), default, "{limit:?}");
        for &(wanted, given) in values {
            ok!(cuCtxSetLimit(limit, wanted));
            let value = out!(cuCtxGetLimit(_, limit));
            assert_eq!(value, given, "{limit:?}, {wanted}");
        }
        if let Some(too_much) = too_much {
            invalid!(cuCtxSetLimit(limit, too_much));
        }
    }
    // Kernels cannot wait for their launches, and no context shares the device with graphics.
    for number in [3, 9] {
        let limit = CUlimit(number);
        fails!(UNSUPPORTED_LIMIT, cuCtxSetLimit(limit, 1));
        fails!(UNSUPPORTED_LIMIT, cuCtxGetLimit(&mut 0, limit));
    }
    for (number, given) in [(7, 232_448), (8, 0)] {
        fails!(NOT_PERMITTED, cuCtxSetLimit(CUlimit(number), 1));
        assert_eq!(out!(cuCtxGetLimit(_, CUlimit(number))), given);
    }
    invalid!(cuCtxGetLimit(&mut 0, CUlimit(10)));
}
