//! Computations within segments of an array, which are given by offsets.
//!
//! [`reduce`] has one kernel that combines each segment. [`scan`] and [`sort`] find the segment of
//! each element with the searches of `sets`, and use scans and sorts.

mod reduce;
mod scan;
mod sort;

use crate::{array::Array, error::Result};

/// Returns offsets that are contiguous, and the number of segments.
fn checked(offsets: &Array<usize>, call: &str) -> Result<(Array<usize>, usize)> {
    let offsets = offsets.vector(
        &format!("{call}, the first place of each segment and the end of the last one"),
        1,
    )?;
    let segments = offsets.len() - 1;
    Ok((offsets, segments))
}
