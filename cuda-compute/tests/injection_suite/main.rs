//! Runs every integration test with failing driver calls, on the emulator with held streams and
//! checks. The parts are shared with `cuda-safe/tests/injection_suite`.
//!
//! Every call of each test fails once. In tests with more than 100 calls, only the first three
//! calls and the last call of each driver function fail. In slow tests, only the first call of each
//! driver function fails.

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
use plan::{Depth, Suite};

#[global_allocator]
static MEMORY: watch::Allocator = watch::Allocator;

const SUITE: Suite = Suite {
    checks: "leak,race,context,host,barrier",
    depth: |calls| match calls {
        0..=100 => Depth::All,
        _ => Depth::Ends,
    },
    heavy: &[
        "every_border_kind_and_extent",
        "filters_of_all_sizes",
        "more_rows_than_a_grid_has_in_y",
        "long_vectors",
        "sums_of_halves_are_computed_in_f32",
        "sums_of_integers_are_exact_and_wrap",
    ],
    leaks_itself: &[],
};

#[test]
fn held_and_checked_the_suite_passes() {
    SUITE.passes();
}

#[test]
fn any_call_may_fail() {
    SUITE.each_call_fails("CUDA_ERROR_UNKNOWN");
}

#[test]
fn any_kind_of_call_may_run_out_of_memory() {
    SUITE.each_kind_of_call_fails("CUDA_ERROR_OUT_OF_MEMORY");
}

#[test]
fn all_calls_may_fail_from_any_kind_of_call_on() {
    SUITE.all_calls_fail_from_each("CUDA_ERROR_UNKNOWN");
}
