//! The selection of a slice of an array.

use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use super::{indices::IntoIndex, shape::Shape};
use crate::error::{Error, Result};

/// A slice's selection along one axis, which [`s!`](crate::s) creates. Negative indices count from
/// the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SliceItem {
    /// A single index. The axis is removed.
    Index(isize),
    /// The indices from `start` up to but excluding `end`, in steps of `step`. A negative step goes
    /// from the last index of the range to the first.
    Range {
        /// The first index.
        start: isize,
        /// The index after the last. `None` is the end of the axis.
        end: Option<isize>,
        /// The distance between indices. It must not be 0.
        step: isize,
    },
    /// A new axis of length 1.
    NewAxis,
    /// All remaining axes as a whole.
    Ellipsis,
}

/// A new axis of length 1, for [`s!`](crate::s).
#[derive(Clone, Copy, Debug)]
pub struct NewAxis;

/// All axes that the other items do not name, for [`s!`](crate::s).
#[derive(Clone, Copy, Debug)]
pub struct Ellipsis;

/// Creates a slice's selection: an index, a range, a range with a step, [`NewAxis`] or [`Ellipsis`]
/// for each axis.
///
/// Axes that are not named stay whole. `a..b` excludes `b`, negative indices count from the end,
/// and a range that ends before it begins is empty. A range that reaches beyond the axis ends at its
/// end, as in NumPy, but a single index out of range is an error. A negative step takes the range's
/// indices from the last to the first, as in `ndarray`.
///
/// ```
/// use cuda_compute::{Array, s};
/// use cuda_safe::{Context, Stream};
///
/// # fn main() -> cuda_compute::Result<()> {
/// # let stream = Stream::new(&Context::primary(0)?)?;
/// let x = Array::range(&stream, 0..12)?.reshape([3, 4])?;
/// assert_eq!(x.slice(s![1])?.to_vec()?, [4, 5, 6, 7]);
/// assert_eq!(x.slice(s![.., -1])?.to_vec()?, [3, 7, 11]);
/// assert_eq!(x.slice(s![..2, ..;2])?.to_vec()?, [0, 2, 4, 6]);
/// assert_eq!(x.slice(s![0, ..;-1])?.to_vec()?, [3, 2, 1, 0]);
/// assert_eq!(x.slice(s![2..1])?.shape(), [0, 4]);
/// assert_eq!(x.slice(s![2..100])?.shape(), [1, 4]);
/// # Ok(())
/// # }
/// ```
#[macro_export]
macro_rules! s {
    (@items [$($done:expr),*]) => { [$($done),*] };
    (@items [$($done:expr),*] $range:expr ; $step:expr) => {
        [$($done,)* $crate::SliceItem::from($range).with_step($step)]
    };
    (@items [$($done:expr),*] $range:expr ; $step:expr, $($rest:tt)*) => {
        $crate::s!(@items [$($done,)* $crate::SliceItem::from($range).with_step($step)] $($rest)*)
    };
    (@items [$($done:expr),*] $item:expr) => { [$($done,)* $crate::SliceItem::from($item)] };
    (@items [$($done:expr),*] $item:expr, $($rest:tt)*) => {
        $crate::s!(@items [$($done,)* $crate::SliceItem::from($item)] $($rest)*)
    };
    ($($items:tt)*) => {{
        #[allow(clippy::reversed_empty_ranges, reason = "negative indices count from the end")]
        let items = $crate::s!(@items [] $($items)*);
        items
    }};
}

impl SliceItem {
    /// Returns the items that select from one axis and keep the others.
    pub(crate) fn along(axis: usize, item: impl Into<Self>) -> Vec<Self> {
        let mut items = vec![Self::from(..); axis];
        items.push(item.into());
        items
    }

    /// Returns the range with another step. A single index is unchanged.
    #[must_use]
    pub fn with_step(self, step: impl IntoIndex) -> Self {
        match self {
            Self::Range { start, end, .. } => Self::Range {
                start,
                end,
                step: step.into_index(),
            },
            other => other,
        }
    }

    /// Resolves an index along an axis. Negative indices count from the end.
    pub(super) fn place(&self, index: isize, axis: usize, shape: Shape) -> Result<isize> {
        let length = shape[axis] as isize;
        let at = if index < 0 { index + length } else { index };
        if (0..length).contains(&at) {
            return Ok(at);
        }
        Err(Error::Shape(format!(
            "index {index} is out of range for axis {axis} (length {length}) of an array of shape {shape}"
        )))
    }

    /// Returns the first index of a range, the number of its indices, and its step. Bounds are
    /// clipped to the axis.
    pub(super) fn range(&self, axis: usize, shape: Shape) -> Result<(isize, usize, isize)> {
        let Self::Range { start, end, step } = *self else {
            unreachable!("called for ranges");
        };
        let length = shape[axis] as isize;
        if step == 0 {
            return Err(Error::Shape(format!("the slice of axis {axis} has step 0")));
        }
        // As in NumPy and Python, bounds beyond an end are that end.
        let bound = |place: isize| {
            let at = if place < 0 { place + length } else { place };
            at.clamp(0, length)
        };
        let start = bound(start);
        let end = end.map_or(length, bound);
        let places = (end - start).max(0) as usize;
        let taken = places.div_ceil(step.unsigned_abs());
        let first = if step < 0 { end - 1 } else { start };
        Ok((first, taken, step))
    }
}

impl From<NewAxis> for SliceItem {
    fn from(_: NewAxis) -> Self {
        Self::NewAxis
    }
}

impl From<Ellipsis> for SliceItem {
    fn from(_: Ellipsis) -> Self {
        Self::Ellipsis
    }
}

impl From<RangeFull> for SliceItem {
    fn from(_: RangeFull) -> Self {
        range(0, None)
    }
}

fn range(start: isize, end: Option<isize>) -> SliceItem {
    SliceItem::Range {
        start,
        end,
        step: 1,
    }
}

/// Returns the index after an inclusive end. After −1 this is the end of the axis.
fn after(last: isize) -> Option<isize> {
    (last != -1).then(|| last.saturating_add(1))
}

macro_rules! places {
    ($($type:ty: $convert:expr),*) => {$(
        impl From<$type> for SliceItem {
            fn from(place: $type) -> Self {
                Self::Index($convert(place))
            }
        }

        impl From<Range<$type>> for SliceItem {
            fn from(places: Range<$type>) -> Self {
                range($convert(places.start), Some($convert(places.end)))
            }
        }

        impl From<RangeInclusive<$type>> for SliceItem {
            fn from(places: RangeInclusive<$type>) -> Self {
                range($convert(*places.start()), after($convert(*places.end())))
            }
        }

        impl From<RangeFrom<$type>> for SliceItem {
            fn from(places: RangeFrom<$type>) -> Self {
                range($convert(places.start), None)
            }
        }

        impl From<RangeTo<$type>> for SliceItem {
            fn from(places: RangeTo<$type>) -> Self {
                range(0, Some($convert(places.end)))
            }
        }

        impl From<RangeToInclusive<$type>> for SliceItem {
            fn from(places: RangeToInclusive<$type>) -> Self {
                range(0, after($convert(places.end)))
            }
        }
    )*};
}

places!(
    i32: |place| place as isize,
    isize: |place| place,
    // Values that exceed `isize` are beyond every axis.
    usize: |place: usize| isize::try_from(place).unwrap_or(isize::MAX)
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inclusive_ranges_end_behind_their_last_place() {
        let range = |start, end| SliceItem::Range {
            start,
            end,
            step: 1,
        };
        assert_eq!(s![1..=3, ..=3], [range(1, Some(4)), range(0, Some(4))]);
        assert_eq!(s![1..=-2, ..=-2], [range(1, Some(-1)), range(0, Some(-1))]);
        // −1 is the last index, so no index follows it.
        assert_eq!(s![1..=-1, ..=-1], [range(1, None), range(0, None)]);
        assert_eq!(s![..=usize::MAX], [range(0, Some(isize::MAX))]);
        assert_eq!(s![..=0usize, 0..=0isize], [range(0, Some(1)); 2]);
    }

    #[test]
    fn steps_belong_to_ranges() {
        let stepped = SliceItem::from(2..).with_step(-3i32);
        let wanted = SliceItem::Range {
            start: 2,
            end: None,
            step: -3,
        };
        assert_eq!(stepped, wanted);
        assert_eq!(SliceItem::from(2).with_step(-3), SliceItem::Index(2));
    }

    #[test]
    fn places_count_from_either_end() {
        let shape = Shape::of(&[7, 5]);
        let place = |index: isize| SliceItem::Index(index).place(index, 1, shape);
        assert_eq!([0, 4, -1, -5].map(|at| place(at).unwrap()), [0, 4, 4, 0]);
        for wrong in [5, -6] {
            let error = place(wrong).unwrap_err().to_string();
            let start = format!("index {wrong} is out of range for axis 1 (length 5)");
            assert!(error.contains(&start), "{error}");
        }
    }

    #[test]
    fn ranges_have_a_first_place_a_length_and_a_step() {
        let shape = Shape::of(&[7, 5]);
        let range = |item: SliceItem| item.range(1, shape);
        for (item, wanted) in [
            (SliceItem::from(..), (0, 5, 1)),
            (SliceItem::from(1..4), (1, 3, 1)),
            (SliceItem::from(-2..), (3, 2, 1)),
            (SliceItem::from(5..), (5, 0, 1)),
            (SliceItem::from(..-4), (0, 1, 1)),
            (SliceItem::from(..).with_step(2), (0, 3, 2)),
            (SliceItem::from(1..).with_step(2usize), (1, 2, 2)),
            (SliceItem::from(..).with_step(-2), (4, 3, -2)),
            (SliceItem::from(..4).with_step(-2), (3, 2, -2)),
            (super::range(4, Some(2)), (4, 0, 1)),
            // Bounds beyond an end are that end.
            (SliceItem::from(6..), (5, 0, 1)),
            (SliceItem::from(3..6), (3, 2, 1)),
            (SliceItem::from(-6..2), (0, 2, 1)),
            (SliceItem::from(..-6), (0, 0, 1)),
            (SliceItem::from(..usize::MAX).with_step(-2), (4, 3, -2)),
        ] {
            assert_eq!(range(item).unwrap(), wanted, "{item:?}");
        }
        let error = range(SliceItem::from(..).with_step(0)).unwrap_err();
        assert!(
            error.to_string().contains("the slice of axis 1 has step 0"),
            "{error}"
        );
    }
}
