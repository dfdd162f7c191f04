//! Runs every integration test with failing driver calls, on the emulator with held streams and
//! checks. The parts are shared with `cuda-safe/tests/injection_suite`.
//!
//! `plan` describes which calls fail.

#![cfg(unix)] // the runs are forked

#[path = "../integration/main.rs"]
mod integration;

#[path = "../../../cuda-safe/tests/injection_suite/child.rs"]
mod child;
#[path = "../../../cuda-safe/tests/injection_suite/judge.rs"]
mod judge;
#[path = "../../../cuda-safe/tests/injection_suite/plan.rs"]
mod plan;
#[path = "../../../cuda-safe/tests/injection_suite/watch.rs"]
mod watch;

use integration::{Random, device, emulated};
use plan::Suite;

#[global_allocator]
static MEMORY: watch::Allocator = watch::Allocator;

const SUITE: Suite = Suite {
    checks: "leak,context,host",
    all_checks: "leak,race,context,host,barrier",
    leaks_itself: &[],
};

#[test]
fn suite_passes_with_held_streams_and_checks() {
    SUITE.passes();
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
