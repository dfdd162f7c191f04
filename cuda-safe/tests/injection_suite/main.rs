//! Runs every integration test with failing driver calls, on the emulator with held streams and all
//! checks. Whatever fails, the library must not panic, crash, leak, free twice, or return memory
//! that pending work will still use. The test's own reaction to a failed call, usually a panic, is
//! ignored.
//!
//! `plan` describes which calls fail.
//!
//! Each run is a separate process. The integration tests are included here so that those processes
//! can run them. If this program is started without a filter, they also run once more normally,
//! with the emulator linked in.
//!
//! Not on Windows: the processes are forks.
#![cfg(unix)]

#[path = "../integration/main.rs"]
mod integration;

mod child;
mod judge;
mod plan;
mod planted;
mod watch;

use integration::{KERNELS, compile, device, failure, kernels, rejection, since};
use plan::Suite;

#[global_allocator]
static MEMORY: watch::Allocator = watch::Allocator;

const SUITE: Suite = Suite {
    checks: "leak,context,host,uninit",
    all_checks: "leak,race,context,host,barrier,uninit",
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
    SUITE.each_call_fails();
}

#[test]
fn suite_survives_out_of_memory_in_each_call() {
    SUITE.each_call_runs_out_of_memory();
}

#[test]
fn suite_survives_failure_of_all_later_calls() {
    SUITE.all_calls_fail_from_each();
}
