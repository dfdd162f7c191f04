//! Arrays that are divided along the first axis.

mod compare;
mod draw;
mod fold;
mod gather;
mod make;
mod map;
mod scan;

use std::{fmt, ops::Range};

use cuda_compute::{Array, Element, Shape};
use cuda_safe::{DeviceView, PlainData, Stream};

use super::part;
use crate::{collectives::Collectives, error::Result};

/// An array that is distributed over several devices: each rank of a group has some of its rows
/// (indices of the first axis), as an [`Array`].
///
/// Each rank computes element-wise operations, and operations within a row, on its own
/// [`part`](Self::part): see [`map`](Self::map). Operations along the first axis are methods of
/// this type, and all ranks must call them together. The same holds for the constructors. The ranks
/// compare shapes, types, seeds and distributions. If one differs, all ranks return an error that
/// names the rank.
///
/// ```
/// use cuda_nccl::{Collectives, PeerGroup, spread::Sharded};
/// use cuda_safe::Stream;
///
/// # fn main() -> cuda_nccl::Result<()> {
/// let results = PeerGroup::of_all_devices()?.run(|rank| {
///     let stream = Stream::new(rank.context())?;
///     let x = Sharded::from_fn(rank, &stream, [10, 3], |i| i as f32)?; // 0 to 29
///     let y = x.map(|x| x * 2.0)?;
///     let rows = x.map(|x| x.sum_axis(1))?; // one number per row
///     let columns = y.sum_first_axis()?.to_vec()?; // on all ranks
///     Ok((columns, rows.to_vec()?, y.max()?))
/// })?;
/// let (columns, rows, largest) = &results[0];
/// assert_eq!(*columns, [270.0, 290.0, 310.0]);
/// assert_eq!((rows.len(), rows[9], *largest), (10, 84.0, 58.0));
/// # Ok(())
/// # }
/// ```
pub struct Sharded<'a, C, T> {
    ranks: &'a C,
    stream: Stream,
    /// The number of rows of the whole array.
    rows: usize,
    part: Array<T>,
}

/// Prints the rows, their total number and the part.
impl<C: Collectives, T: Element> fmt::Debug for Sharded<'_, C, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} of {} rows: {:?}",
            self.own_rows(),
            self.rows,
            self.part
        )
    }
}

/// Returns the shape with another number of rows.
fn with_rows(shape: Shape, rows: usize) -> Result<Shape> {
    let mut lengths = shape.as_slice().to_vec();
    lengths[0] = rows;
    Ok(Shape::new(&lengths)?)
}

/// Returns the number of elements in a row.
fn row(shape: Shape) -> usize {
    shape.as_slice()[1..].iter().product()
}

/// Returns a view of a contiguous array.
///
/// # Safety
/// The caller must ensure that the array is contiguous.
unsafe fn elements<T: Element<Stored = T> + PlainData>(array: &Array<T>) -> DeviceView<'_, T> {
    // SAFETY: the view covers the array's elements in the order of its stream, and borrows the
    // array.
    unsafe { DeviceView::borrow_raw(array.as_device_ptr(), array.len(), array.stream()) }
}

impl<'a, C: Collectives, T: Element> Sharded<'a, C, T> {
    /// Returns this rank's rows.
    #[must_use]
    pub fn part(&self) -> &Array<T> {
        &self.part
    }

    /// Returns this rank's rows and drops the rest.
    #[must_use]
    pub fn into_part(self) -> Array<T> {
        self.part
    }

    /// Returns the range of rows of the whole array that belong to this rank.
    #[must_use]
    pub fn own_rows(&self) -> Range<usize> {
        part(self.rows, self.ranks.size(), self.ranks.rank())
    }

    /// Returns the shape of the whole array.
    ///
    /// # Errors
    /// Returns [`Error::Compute`](crate::Error::Compute) if the number of elements is too large.
    pub fn shape(&self) -> Result<Shape> {
        with_rows(self.part.shape(), self.rows)
    }

    /// Returns the stream of the part.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        &self.stream
    }
}
