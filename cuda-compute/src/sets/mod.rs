//! Sorted arrays and sets of elements.
//!
//! [`search`] finds the places of values in a sorted array with one kernel. [`unique`] finds runs of
//! equal elements, with the selections of `select`. [`operations`] combines both with sorts.
//! [`lexsort`] sorts by several keys, and [`merge`] merges two sorted arrays.

mod lexsort;
mod merge;
mod operations;
mod search;
mod unique;

pub use lexsort::{LexsortKeys, lexsort};
pub(crate) use search::{Answer, search};
pub(crate) use unique::{find_runs, run_starts};
