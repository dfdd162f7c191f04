//! Managed memory on drivers before CUDA 12.2, which identify locations by a number.

use cuda_safe::memory::{MemoryAdvice, MemoryLocation};

use super::*;

const OLD: &str = "cuGetProcAddress:1:CUDA_ERROR_NOT_FOUND";
const FAILING: &str = "cuGetProcAddress:1:CUDA_ERROR_UNKNOWN";
const HOST: MemoryLocation = MemoryLocation::HOST;

/// Whether the first lookup of a function failed for a reason other than the driver's age.
fn look_up_failed() -> bool {
    calls("cuGetProcAddress")[0].contains("CUDA_ERROR_UNKNOWN")
}

/// Checks that the last call of `function` had `argument`.
#[track_caller]
fn assert_last_call_has(function: &str, argument: &str) {
    let made = calls(function);
    let last = made.last().expect("no call");
    assert!(!last.starts_with(&format!("{function}_v2")), "{last}");
    assert!(last.contains(argument), "no {argument} in {last}");
}

#[test]
fn older_drivers_prefetch_to_a_device() {
    let body = || {
        let (context, stream) = device();
        let x = ManagedBuffer::<u8>::zeroed(&stream, 100).unwrap();
        let prefetched = x.prefetch(&stream, context.device());
        if look_up_failed() {
            failure(prefetched).with_code(CUresult::CUDA_ERROR_UNKNOWN);
        } else {
            prefetched.unwrap();
            assert_last_call_has("cuMemPrefetchAsync", "dstDevice=0");
        }
    };
    traced(OLD, body);
    traced(FAILING, body);
}

#[test]
fn older_drivers_prefetch_to_the_host() {
    traced(OLD, || {
        let (_context, stream) = device();
        let x = ManagedBuffer::<u8>::zeroed(&stream, 100).unwrap();
        x.prefetch(&stream, HOST).unwrap();
        assert_last_call_has("cuMemPrefetchAsync", "dstDevice=-1");
    });
}

#[test]
fn older_drivers_accept_advice() {
    let body = || {
        let (_context, stream) = device();
        let x = ManagedBuffer::<u8>::zeroed(&stream, 100).unwrap();
        let advised = x.advise(MemoryAdvice::preferred_location(HOST));
        if look_up_failed() {
            failure(advised).with_code(CUresult::CUDA_ERROR_UNKNOWN);
        } else {
            advised.unwrap();
            assert_last_call_has("cuMemAdvise", "device=-1");
        }
    };
    traced(OLD, body);
    traced(FAILING, body);
}
