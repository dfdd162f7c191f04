//! Compares the emulator with the results recorded on a GPU.

use cuda_conformance::{Runner, compare, forms};

/// Links the emulator in place of libcuda.
use cuda_emulator as _;

#[test]
fn emulator_matches_recorded_results() {
    let runner = Runner::new().unwrap();
    let data = forms::recorded().unwrap();
    let forms = forms::all();
    let comparison = compare(&forms, &runner.run(&forms), &data);
    println!("{comparison}");
    assert!(comparison.passes(), "{comparison}");
}
