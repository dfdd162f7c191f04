//! The expectations of PyCUDA's array tests, and cases that PyCUDA gets wrong, with PyCUDA's sizes
//! and tolerances. The random inputs are this crate's.
//!
//! PyCUDA's scan tests are in `scans.rs`.

mod arithmetic;
pub mod big;
mod complex;
mod creation;
mod lifetimes;
mod math;
mod reductions;
mod structs;
mod types;
mod views;

use std::fmt::Debug;

use cuda_compute::{Array, Element, Expr};

use crate::{OnHost, random::Random, values};

/// Evaluates an expression and returns its only element.
#[track_caller]
fn value<T: Element>(expression: Expr<T>) -> T {
    expression.eval().unwrap().value()
}

/// Returns uniform numbers, the same in every run.
fn uniform(random: &mut Random, count: usize, low: f64, high: f64) -> Vec<f64> {
    let unit = |random: &mut Random| (random.bits() >> 11) as f64 / (1u64 << 53) as f64;
    (0..count)
        .map(|_| low + (high - low) * unit(random))
        .collect()
}

/// Converts the numbers to `f32`.
fn singles(values: &[f64]) -> Vec<f32> {
    values.iter().map(|&v| v as f32).collect()
}

/// Asserts that each number is within a relative tolerance of the expected one.
#[track_caller]
fn assert_near<T: Copy + Debug + Into<f64>>(got: &[T], wanted: &[f64], part: f64) {
    assert_eq!(got.len(), wanted.len());
    for (i, (&got, &wanted)) in got.iter().zip(wanted).enumerate() {
        let off = (got.into() - wanted).abs();
        assert!(off <= part * wanted.abs(), "{i}: {got:?}, not {wanted}");
    }
}

/// Returns the numbers from `first` to `last` in steps.
fn every(first: i32, last: i32, step: usize) -> Vec<f32> {
    (first..=last).step_by(step).map(|i| i as f32).collect()
}

/// Returns whether the array is on the emulator, where large sizes take too long.
fn emulated<T: Element>(array: &Array<T>) -> bool {
    let name = array.stream().context().device().name().unwrap();
    name.starts_with("CUDA emulator")
}
