//! Managed memory on drivers before CUDA 12.2, which name places by a number.

use cuda_safe::memory::{MemoryAdvice, MemoryLocation};

use super::*;

const OLD: &str = "cuGetProcAddress:1:CUDA_ERROR_NOT_FOUND";
const FAILING: &str = "cuGetProcAddress:1:CUDA_ERROR_UNKNOWN";
const HOST: MemoryLocation = MemoryLocation::HOST;

/// Whether the first look-up of a function has failed for another reason than the driver's age.
fn look_up_failed() -> bool {
    calls("cuGetProcAddress")[0].contains("CUDA_ERROR_UNKNOWN")
}

/// The last call of `function` had `argument`.
#[track_caller]
fn last_had(function: &str, argument: &str) {
    let made = calls(function);
    let last = made.last().expect("a call");
    assert!(!last.starts_with(&format!("{function}_v2")), "{last}");
    assert!(last.contains(argument), "no {argument} in {last}");
}

#[test]
fn an_older_driver_prefetches_to_a_device() {
    const TEST: &str = "an_older_driver_prefetches_to_a_device";
    let body: fn() = || {
        let (context, stream) = device();
        let x = ManagedBuffer::<u8>::zeroed(&stream, 100).unwrap();
        let prefetched = x.prefetch(&stream, context.device());
        if look_up_failed() {
            let error = prefetched.unwrap_err();
            assert_eq!(error.driver_code(), Some(CUresult::CUDA_ERROR_UNKNOWN));
        } else {
            prefetched.unwrap();
            last_had("cuMemPrefetchAsync", "dstDevice=0");
        }
    };
    traced(TEST, OLD, body);
    traced(TEST, FAILING, body);
}

#[test]
fn an_older_driver_prefetches_to_the_host() {
    traced("an_older_driver_prefetches_to_the_host", OLD, || {
        let (_context, stream) = device();
        let x = ManagedBuffer::<u8>::zeroed(&stream, 100).unwrap();
        x.prefetch(&stream, HOST).unwrap();
        last_had("cuMemPrefetchAsync", "dstDevice=-1");
    });
}

#[test]
fn an_older_driver_is_advised() {
    const TEST: &str = "an_older_driver_is_advised";
    let body: fn() = || {
        let (_context, stream) = device();
        let x = ManagedBuffer::<u8>::zeroed(&stream, 100).unwrap();
        let advised = x.advise(MemoryAdvice::preferred_location(HOST));
        if look_up_failed() {
            let error = advised.unwrap_err();
            assert_eq!(error.driver_code(), Some(CUresult::CUDA_ERROR_UNKNOWN));
        } else {
            advised.unwrap();
            last_had("cuMemAdvise", "device=-1");
        }
    };
    traced(TEST, OLD, body);
    traced(TEST, FAILING, body);
}
