//! The primary context. A process has only one, so there is one test with a fixed order.

use cuda_emulator_checks::abi::*;
use std::ptr::null_mut;

#[test]
fn the_life_of_a_primary_context() {
    ok!(cuInit(0));
    let state = || {
        let (mut flags, mut active) = (99, 99);
        ok!(cuDevicePrimaryCtxGetState(0, &mut flags, &mut active));
        (flags, active)
    };
    assert_eq!(state(), (0, 0));
    no_context!(cuDevicePrimaryCtxRelease_v2(0));
    ok!(cuDevicePrimaryCtxSetFlags_v2(0, 4));
    let (mut first, mut second) = (null_mut(), null_mut());
    ok!(cuDevicePrimaryCtxRetain(&mut first, 0));
    ok!(cuDevicePrimaryCtxRetain(&mut second, 0));
    assert_eq!(first, second, "there is only one primary context");
    assert_eq!(state(), (4, 1));
    no_context!(cuCtxDestroy_v2(first));
    ok!(cuCtxSetCurrent(first));
    let address = alloc(1000);
    ok!(cuDevicePrimaryCtxRelease_v2(0));
    assert_eq!(state(), (4, 1), "it is retained");
    ok!(cuMemsetD8_v2(address, 1, 1000));
    ok!(cuDevicePrimaryCtxRelease_v2(0));
    assert_eq!(state(), (4, 0));
    fails!(CONTEXT_IS_DESTROYED, cuMemsetD8_v2(address, 1, 1000));
    ok!(cuDevicePrimaryCtxRetain(&mut second, 0));
    assert_eq!(first, second, "it gets the same handle again");
    invalid!(cuMemsetD8_v2(address, 1, 1000));
    let address = alloc(1000);
    let stream = stream(0);
    ok!(cuDevicePrimaryCtxReset_v2(0));
    assert_eq!(state(), (4, 0));
    fails!(CONTEXT_IS_DESTROYED, cuCtxSynchronize());
    ok!(cuDevicePrimaryCtxRetain(&mut second, 0));
    ok!(cuCtxSynchronize());
    stale!(cuStreamSynchronize(stream));
    invalid!(cuMemFree_v2(address));
    ok!(cuDevicePrimaryCtxRelease_v2(0));
    ok!(cuDevicePrimaryCtxRelease_v2(0));
    no_context!(cuDevicePrimaryCtxRelease_v2(0));
    fails!(INVALID_DEVICE, cuDevicePrimaryCtxRetain(&mut second, 3));
}
