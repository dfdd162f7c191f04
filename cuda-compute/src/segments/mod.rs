//! Computations within segments of an array, which are given by offsets.
//!
//! [`reduce`] has one kernel that combines each segment. [`scan`] and [`sort`] find the segment of
//! each element with the searches of `sets`, and use scans and sorts.

mod reduce;
mod scan;
mod sort;

use crate::{
    array::{Array, Order},
    error::{Error, Result},
};

/// Returns offsets that are contiguous, and the number of segments.
fn checked(offsets: &Array<usize>, call: &str) -> Result<(Array<usize>, usize)> {
    if offsets.rank() != 1 || offsets.is_empty() {
        return Err(Error::Shape(format!(
            "{call}: the offsets have shape {}. Fix: pass an array with one axis that has the first place of each \
             segment, and the end of the last one",
            offsets.shape()
        )));
    }
    Ok((offsets.contiguous(Order::C)?, offsets.len() - 1))
}
