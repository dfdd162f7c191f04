//! Algorithms that are spread over the devices of a group.
//!
//! Everything here is generic over [`Collectives`](crate::Collectives), so it runs on the devices
//! of one process ([`PeerGroup`](crate::PeerGroup)) and on those of many hosts. Each rank keeps a
//! part of the data in its own memory, makes the same calls as the others, and gets the same
//! results.
//!
//! | type | how the data is divided | data exchanged |
//! | --- | --- | --- |
//! | [`Reductions`]: sums, minima, maxima and means | in any way | one number per rank |
//! | [`StripConvolution`]: convolution of an image | by rows | the rows next to the borders, while the inner rows are computed |
//! | [`Sharded`]: arrays | along the first axis | totals, if an operation runs along that axis |
//! | [`FileVector`]: reductions of a file that is larger than memory | in shares of the file | one number per rank |
//!
//! ```
//! use cuda_nccl::{Collectives, PeerGroup, spread::{self, Reductions}};
//! use cuda_safe::{DeviceBuffer, Stream};
//!
//! # fn main() -> cuda_nccl::Result<()> {
//! let numbers: Vec<f32> = (0..1000).map(|i| i as f32).collect();
//! let sums = PeerGroup::of_all_devices()?.run(|rank| {
//!     let stream = Stream::new(rank.context())?;
//!     let part = &numbers[spread::part(numbers.len(), rank.size(), rank.rank())];
//!     let data = DeviceBuffer::from_slice(&stream, part)?;
//!     Reductions::new(rank)?.sum(&stream, &data)
//! })?;
//! assert_eq!(sums[0], 499_500.0);
//! # Ok(())
//! # }
//! ```
//!
//! # Performance
//! Measured on two H200s of one host, linked by NVLink, as ranks of a
//! [`PeerGroup`](crate::PeerGroup). The values are medians (`cargo run --release -p cuda-nccl
//! --example spread measure`):
//!
//! | operation | one device | two devices | speedup |
//! | --- | --- | --- | --- |
//! | sum of 2³⁰ `f32`, from the call to the result on the host | 948 µs (928) | 485 µs (475) | 1.95 |
//! | convolution of 8192 x 8192 with 3 x 3, 20 in a row | 135 µs | 70 µs | 1.93 |
//! | with 9 x 9 | 221 µs | 116 µs | 1.90 |
//! | with 15 x 15 | 568 µs | 293 µs | 1.94 |
//! | with 31 x 31 | 2293 µs | 1168 µs | 1.96 |
//!
//! Values in brackets are from another run. An all-reduce of 1, 2²⁰ and 2²⁷ `f32` took 23 µs, 37 µs
//! and 1573 µs from the call to the end of the work, and 18 µs, 25 µs and 1550 µs per call for 10
//! in a row.

mod agree;
mod file;
mod partial;
mod sharded;
mod strip;
mod strip_convolution;
mod sum;

use std::ops::Range;

pub use file::{FilePass, FileProgress, FileVector};
pub use partial::Partial;
pub use sharded::Sharded;
pub use strip::Strip;
pub use strip_convolution::StripConvolution;
pub use sum::Reductions;

/// Returns the range of `len` items that belongs to a rank. All ranks get the same number of items,
/// and the first ranks get one more if `len` is not a multiple of `ranks`.
///
/// ```
/// use cuda_nccl::spread::part;
///
/// let parts: Vec<_> = (0..3).map(|rank| part(8, 3, rank)).collect();
/// assert_eq!(parts, [0..3, 3..6, 6..8]);
/// ```
///
/// # Panics
/// Panics if `rank >= ranks`.
#[must_use]
pub fn part(len: usize, ranks: usize, rank: usize) -> Range<usize> {
    assert!(rank < ranks, "there is no rank {rank} of {ranks}");
    let (each, more) = (len / ranks, len % ranks);
    let start = |rank: usize| rank * each + rank.min(more);
    start(rank)..start(rank + 1)
}
