//! Arrays that are cut into parts along the first axis.

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

/// An array of many devices: each rank of a group has some of its rows, the places of the first axis, as an [`Array`] of
/// its own.
///
/// What is computed for each element or within a row is computed by each rank for its [`part`](Self::part): see
/// [`map`](Self::map). What goes along the first axis is a method here, which all ranks call together. So are the
/// constructors, which compare shapes, types, seeds and what is drawn: one that differs is an error on all ranks, which names
/// its rank.
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
///     let rows = x.map(|x| x.sum_axis(1))?; // one number of each row
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
    /// Of the whole array.
    rows: usize,
    part: Array<T>,
}

/// Which rows of how many, and the array of them.
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

/// The shape of some rows.
fn with_rows(shape: Shape, rows: usize) -> Result<Shape> {
    let mut lengths = shape.as_slice().to_vec();
    lengths[0] = rows;
    Ok(Shape::new(&lengths)?)
}

/// The elements of a row.
fn row(shape: Shape) -> usize {
    shape.as_slice()[1..].iter().product()
}

/// The elements of an array whose elements lie side by side.
///
/// # Safety
/// So they do.
unsafe fn elements<T: Element<Stored = T> + PlainData>(array: &Array<T>) -> DeviceView<'_, T> {
    // SAFETY: an array's elements in its own stream's order, borrowed for no longer than it.
    unsafe { DeviceView::borrow_raw(array.as_device_ptr(), array.len(), array.stream()) }
}

impl<'a, C: Collectives, T: Element> Sharded<'a, C, T> {
    /// This rank's rows.
    #[must_use]
    pub fn part(&self) -> &Array<T> {
        &self.part
    }

    /// This rank's rows, without the rest.
    #[must_use]
    pub fn into_part(self) -> Array<T> {
        self.part
    }

    /// Which rows of the whole array this rank has.
    #[must_use]
    pub fn own_rows(&self) -> Range<usize> {
        part(self.rows, self.ranks.size(), self.ranks.rank())
    }

    /// The shape of the whole array.
    ///
    /// # Errors
    /// It has more elements than can be counted.
    pub fn shape(&self) -> Result<Shape> {
        with_rows(self.part.shape(), self.rows)
    }

    /// The stream that the part belongs to.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        &self.stream
    }
}
