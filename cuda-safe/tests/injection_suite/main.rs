//! Every integration test with driver calls that fail, on the emulator with held streams and all checks: whatever fails,
//! there is no panic in the library, no crash, no leak, no double free, and no memory given back while queued work will
//! still use it. What the test itself makes of a failed call, mostly a panic, doesn't matter.
//!
//! `plan` describes which calls fail.
//!
//! Each run is a process of its own. The integration tests are included here to be run there; where this program is
//! started without a filter they also run once more as they are, with the emulator linked in.

#[path = "../integration/main.rs"]
mod integration;

mod child;
mod judge;
mod plan;
mod planted;
mod watch;

use integration::{KERNELS, device, kernels, refused, since};
use plan::Suite;

#[global_allocator]
static MEMORY: watch::Allocator = watch::Allocator;

const SUITE: Suite = Suite {
    checks: "leak,race,context,host,barrier,uninit",
    leaks_itself: &[
        "transfers_give_their_memory_back",
        "cuda_calls_are_refused_in_host_functions",
    ],
};

#[test]
fn held_and_checked_the_suite_passes() {
    SUITE.passes();
}

#[test]
fn what_is_planted_is_found() {
    planted::all_are_found(&SUITE);
}

#[test]
fn any_call_may_fail() {
    SUITE.each_call_fails();
}

#[test]
fn any_call_may_run_out_of_memory() {
    SUITE.each_call_runs_out_of_memory();
}

#[test]
fn all_calls_may_fail_from_any_call_on() {
    SUITE.all_calls_fail_from_each();
}
