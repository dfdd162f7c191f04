//! Launches: blocks, warps, barriers and clusters, and the checks of kernels.

#[path = "../common/mod.rs"]
#[macro_use]
mod common;

mod barriers;
mod checks;
mod clusters;
mod grid_races;
mod races;
mod schedule;
