//! Runs every integration test with failing driver calls, on the emulator with held streams and all
//! checks. Whatever fails, the library must not panic, crash, leak, free twice, or return memory
//! that pending work will still use. The test's own reaction to a failed call, usually a panic, is
//! ignored.
//!
//! Every call of each test fails once. In tests with more than 150 calls, only the first three
//! calls and the last call of each driver function fail. Out of memory, and the failure of all
//! calls from one call on, are injected at the first call of each function.
//!
//! Each run is a separate process. The integration tests are included here so that those processes
//! can run them. If this program is started without a filter, they also run once more normally,
//! with the emulator linked in.

#[path = "../integration/main.rs"]
mod integration;

mod child;
mod judge;
mod plan;
mod planted;
mod watch;

use integration::{KERNELS, device, kernels, rejection, since};
use plan::{Depth, Suite};

#[global_allocator]
static MEMORY: watch::Allocator = watch::Allocator;

const SUITE: Suite = Suite {
    checks: "leak,race,context,host,barrier,uninit",
    depth: |calls| match calls {
        0..=150 => Depth::All,
        _ => Depth::Ends,
    },
    heavy: &[],
    leaks_itself: &[
        "transfers_return_their_memory",
        "cuda_calls_are_rejected_in_host_functions",
    ],
};

#[test]
fn suite_passes_with_held_streams_and_checks() {
    SUITE.passes();
}

#[test]
fn planted_defects_are_found() {
    planted::all_are_found(&SUITE);
}

#[test]
fn suite_survives_failure_of_each_call() {
    SUITE.each_call_fails("CUDA_ERROR_UNKNOWN");
}

#[test]
fn suite_survives_out_of_memory_in_each_function() {
    SUITE.each_kind_of_call_fails("CUDA_ERROR_OUT_OF_MEMORY");
}

#[test]
fn suite_survives_failure_of_all_later_calls() {
    SUITE.all_calls_fail_from_each("CUDA_ERROR_UNKNOWN");
}
