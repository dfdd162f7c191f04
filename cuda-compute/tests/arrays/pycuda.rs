//! What PyCUDA's tests of arrays expect, and what it gets wrong, with its sizes and tolerances. Random inputs are this
//! crate's own.
//!
//! Its cases of scans are with this crate's scans, in `scans.rs`.

mod arithmetic;
mod big;
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

use crate::random::Random;

/// The elements of an expression.
#[track_caller]
fn values<T: Element>(expression: Expr<T>) -> Vec<T> {
    expression.eval().unwrap().to_vec().unwrap()
}

/// The only element of an expression.
#[track_caller]
fn value<T: Element>(expression: Expr<T>) -> T {
    expression.eval().unwrap().item().unwrap()
}

/// Uniform numbers, the same every time.
fn uniform(random: &mut Random, count: usize, low: f64, high: f64) -> Vec<f64> {
    let unit = |random: &mut Random| (random.bits() >> 11) as f64 / (1u64 << 53) as f64;
    (0..count)
        .map(|_| low + (high - low) * unit(random))
        .collect()
}

/// The numbers as `f32`.
fn singles(values: &[f64]) -> Vec<f32> {
    values.iter().map(|&v| v as f32).collect()
}

/// Whether numbers are within a part of what is wanted.
#[track_caller]
fn assert_near<T: Copy + Debug + Into<f64>>(got: &[T], wanted: &[f64], part: f64) {
    assert_eq!(got.len(), wanted.len());
    for (i, (&got, &wanted)) in got.iter().zip(wanted).enumerate() {
        let off = (got.into() - wanted).abs();
        assert!(off <= part * wanted.abs(), "{i}: {got:?}, not {wanted}");
    }
}

/// The numbers from a first one on, by a step.
fn every(first: i32, last: i32, step: usize) -> Vec<f32> {
    (first..=last).step_by(step).map(|i| i as f32).collect()
}

/// Whether the array is on the emulator, where large sizes take too long.
fn emulated<T: Element>(array: &Array<T>) -> bool {
    let name = array.stream().context().device().name().unwrap();
    name.starts_with("CUDA emulator")
}
