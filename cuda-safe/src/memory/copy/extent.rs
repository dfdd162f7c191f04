//! Extents and offsets in up to three dimensions.

use crate::error::{Error, Result};

/// A size in up to three dimensions: elements per row, rows per slice, and slices.
///
/// You can convert a number or an array of one to three numbers, the innermost first, into an
/// `Extent`. Missing numbers are 1.
///
/// ```
/// use cuda_safe::memory::Extent;
///
/// assert_eq!(Extent::from([4, 3]), Extent { width: 4, height: 3, depth: 1 });
/// assert_eq!(Extent::from(4), Extent::from([4, 1, 1]));
/// assert_eq!(Extent::from([4, 3, 2]).len(), Some(24));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Extent {
    /// Elements per row.
    pub width: usize,
    /// Rows per slice.
    pub height: usize,
    /// Slices.
    pub depth: usize,
}

/// A position in up to three dimensions: an element of a row of a slice.
///
/// You can convert a number or an array of one to three numbers, the innermost first, into an
/// `Offset`. Missing numbers are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Offset {
    /// The element within the row.
    pub x: usize,
    /// The row within the slice.
    pub y: usize,
    /// The slice.
    pub z: usize,
}

impl Extent {
    /// Returns the number of elements, or `None` if it overflows.
    #[must_use]
    pub fn len(self) -> Option<usize> {
        if self.is_empty() {
            return Some(0);
        }
        let rows = self.height.checked_mul(self.depth)?;
        self.width.checked_mul(rows)
    }

    /// Returns whether there are no elements.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0 || self.depth == 0
    }
}

/// The names of the axes in error messages: the counted unit and the axis letter.
const AXES: [(&str, char); 3] = [("elements of a row", 'x'), ("rows", 'y'), ("slices", 'z')];

/// Returns an error unless a box is within the extent `within` of a side. `what` names the side.
pub(in crate::memory) fn expect_within(
    what: &str,
    at: Offset,
    extent: Extent,
    within: Extent,
    call: &'static str,
) -> Result<()> {
    let axes = [
        (at.x, extent.width, within.width),
        (at.y, extent.height, within.height),
        (at.z, extent.depth, within.depth),
    ];
    for ((start, count, len), (counted, letter)) in axes.into_iter().zip(AXES) {
        if start.checked_add(count).is_none_or(|end| end > len) {
            return Err(Error::invalid(
                call,
                format!(
                    "{what} has {len} {counted} (axis {letter}), and {count} from {start} on are out of bounds"
                ),
            ));
        }
    }
    Ok(())
}

impl From<usize> for Extent {
    fn from(width: usize) -> Self {
        [width].into()
    }
}

impl From<[usize; 1]> for Extent {
    fn from([width]: [usize; 1]) -> Self {
        [width, 1, 1].into()
    }
}

impl From<[usize; 2]> for Extent {
    fn from([width, height]: [usize; 2]) -> Self {
        [width, height, 1].into()
    }
}

impl From<[usize; 3]> for Extent {
    fn from([width, height, depth]: [usize; 3]) -> Self {
        Self {
            width,
            height,
            depth,
        }
    }
}

impl From<usize> for Offset {
    fn from(x: usize) -> Self {
        [x].into()
    }
}

impl From<[usize; 1]> for Offset {
    fn from([x]: [usize; 1]) -> Self {
        [x, 0, 0].into()
    }
}

impl From<[usize; 2]> for Offset {
    fn from([x, y]: [usize; 2]) -> Self {
        [x, y, 0].into()
    }
}

impl From<[usize; 3]> for Offset {
    fn from([x, y, z]: [usize; 3]) -> Self {
        Self { x, y, z }
    }
}
