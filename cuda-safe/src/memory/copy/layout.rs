//! How elements of up to three dimensions lie in linear memory.

use super::extent::{Extent, Offset};
use crate::error::{Error, Result};

/// How rows and slices lie in linear memory: how many there are, and how far each is from the one before. Unless said
/// otherwise, they follow each other without gaps.
///
/// ```
/// use cuda_safe::memory::Layout;
///
/// let dense = Layout::new([5, 3]); // three rows of five elements
/// assert_eq!(dense.row_bytes::<f32>(), Some(20));
/// let padded = dense.pitch(32); // a row begins every 32 bytes
/// assert_eq!(padded.row_bytes::<f32>(), Some(32));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    extent: Extent,
    pitch: Option<usize>,
    slice_rows: Option<usize>,
}

/// A layout whose numbers have been checked: nothing computed from them overflows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Strides {
    pub(crate) extent: Extent,
    /// Bytes of an element.
    pub(crate) element: usize,
    /// Bytes from row to row.
    pub(crate) pitch: usize,
    /// Rows from slice to slice.
    pub(crate) slice_rows: usize,
}

impl Layout {
    /// Rows without gaps between them.
    #[must_use]
    pub fn new(extent: impl Into<Extent>) -> Self {
        Self {
            extent: extent.into(),
            pitch: None,
            slice_rows: None,
        }
    }

    /// A row begins every `bytes` bytes: at least as many as a row has, and a multiple of the elements' alignment, so that all
    /// rows hold whole elements.
    #[must_use]
    pub fn pitch(mut self, bytes: usize) -> Self {
        self.pitch = Some(bytes);
        self
    }

    /// A slice begins every `rows` rows, at least as many as a slice has.
    #[must_use]
    pub fn slice_rows(mut self, rows: usize) -> Self {
        self.slice_rows = Some(rows);
        self
    }

    /// Elements of a row, rows of a slice, slices.
    #[must_use]
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// Bytes from row to row, of elements of type `T`; `None` where these are more than can be counted.
    #[must_use]
    pub fn row_bytes<T>(&self) -> Option<usize> {
        match self.pitch {
            Some(pitch) => Some(pitch),
            None => self.extent.width.checked_mul(size_of::<T>()),
        }
    }

    /// The layout with its gaps known, for elements of `element` bytes in memory of `bytes`. `what` names the memory.
    pub(in crate::memory) fn strides(
        self,
        element: usize,
        bytes: usize,
        what: &str,
        call: &'static str,
    ) -> Result<Strides> {
        let Extent {
            width,
            height,
            depth,
        } = self.extent;
        let invalid = |text: String| Error::invalid(call, text);
        let row = width.checked_mul(element).ok_or_else(|| {
            invalid(format!("{what}: {width} elements of {element} bytes in a row are more than the address space holds (axis x)"))
        })?;
        let pitch = self.pitch.unwrap_or(row);
        if pitch < row {
            return Err(invalid(format!(
                "{what}: a pitch of {pitch} bytes is too small for rows of {width} elements, {row} bytes (axis x)"
            )));
        }
        let slice_rows = self.slice_rows.unwrap_or(height);
        if slice_rows < height {
            return Err(invalid(format!(
                "{what}: {slice_rows} rows from slice to slice are too few for slices of {height} rows (axis y)"
            )));
        }
        let strides = Strides {
            extent: self.extent,
            element,
            pitch,
            slice_rows,
        };
        match strides.checked_span() {
            Some(needed) if needed <= bytes => Ok(strides),
            needed => {
                let needed = needed.map_or("more than can be counted".into(), |n| n.to_string());
                Err(invalid(format!(
                    "{what} has {bytes} bytes, and {depth} slices of {height} rows of {width} elements of {element} bytes, \
                     with a pitch of {pitch}, need {needed}"
                )))
            }
        }
    }
}

impl Layout {
    /// As [`strides`](Self::strides), for elements of a type, each of which is aligned where the first is.
    pub(in crate::memory) fn aligned<T>(
        self,
        bytes: usize,
        what: &str,
        call: &'static str,
    ) -> Result<Strides> {
        let strides = self.strides(size_of::<T>(), bytes, what, call)?;
        let (pitch, alignment) = (strides.pitch, align_of::<T>());
        if !pitch.is_multiple_of(alignment) {
            let larger = pitch.checked_next_multiple_of(alignment);
            return Err(Error::invalid(
                call,
                format!(
                    "a pitch of {pitch} bytes is no multiple of the elements' alignment, {alignment} bytes: use {}",
                    larger.unwrap_or(pitch - pitch % alignment)
                ),
            ));
        }
        Ok(strides)
    }
}

impl<E: Into<Extent>> From<E> for Layout {
    fn from(extent: E) -> Self {
        Self::new(extent)
    }
}

impl Strides {
    /// Rows of `extent` without gaps, whose size in bytes is known to fit.
    pub(crate) fn dense(extent: Extent, element: usize) -> Self {
        Self {
            extent,
            element,
            pitch: extent.width * element,
            slice_rows: extent.height,
        }
    }

    /// As [`dense`](Self::dense), of whatever extent: `None` where bytes can't be counted, be it of a row or of all. There may
    /// be rows without there being elements.
    pub(crate) fn checked_dense(extent: Extent, element: usize) -> Option<Self> {
        let bytes = extent.len()?.checked_mul(element)?;
        isize::try_from(bytes).ok()?;
        extent.width.checked_mul(element)?;
        Some(Self::dense(extent, element))
    }

    /// Bytes of a row, without the gap behind it.
    pub(crate) fn row(&self) -> usize {
        self.extent.width * self.element
    }

    /// Bytes from the first byte to behind the last.
    pub(crate) fn span(&self) -> usize {
        self.checked_span().expect("checked when it was made")
    }

    fn checked_span(&self) -> Option<usize> {
        if self.extent.is_empty() {
            return Some(0);
        }
        let slice = self.pitch.checked_mul(self.slice_rows)?;
        let slices = slice.checked_mul(self.extent.depth - 1)?;
        let rows = self.pitch.checked_mul(self.extent.height - 1)?;
        slices
            .checked_add(rows)?
            .checked_add(self.extent.width.checked_mul(self.element)?)
            .filter(|&bytes| isize::try_from(bytes).is_ok())
    }

    /// How many bytes from the first element on the one at `at` lies, which is within the extent or right behind it.
    pub(crate) fn offset(&self, at: Offset) -> usize {
        // In this order no product exceeds what was checked: elements of no bytes may have a pitch of 0 and any number of rows.
        at.z * (self.slice_rows * self.pitch) + at.y * self.pitch + at.x * self.element
    }

    /// Whether all bytes between the first and the last belong to elements.
    pub(crate) fn is_dense(&self) -> bool {
        self.extent.len().map(|len| len * self.element) == Some(self.span())
    }

    /// The same distances, for a box within.
    pub(crate) fn part(&self, extent: Extent) -> Self {
        Self { extent, ..*self }
    }

    /// Whether elements of two boxes of the same extent overlap, `distance` bytes apart (from the one at the lower address
    /// on); where the two have different distances between rows, whether their spans do.
    pub(crate) fn overlaps(&self, other: &Self, distance: usize) -> bool {
        if self.extent.is_empty() || distance >= self.span() {
            return false;
        }
        if (self.pitch, self.slice_rows) != (other.pitch, other.slice_rows) {
            return true;
        }
        let row = self.row();
        let clear = |size: usize, period: usize| {
            let at = distance % period;
            at >= size && at + size <= period
        };
        // Columns beside columns of the same rows, or rows beside rows of the same slices.
        let beside = self.extent.height > 1 || self.extent.depth > 1;
        let columns = beside && self.pitch > 0 && clear(row, self.pitch);
        let slice = self.pitch * self.slice_rows;
        let rows = self.extent.depth > 1
            && slice > 0
            && clear((self.extent.height - 1) * self.pitch + row, slice);
        !(columns || rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strides(layout: Layout, bytes: usize) -> Result<Strides> {
        layout.strides(4, bytes, "the source", "t")
    }

    #[test]
    fn a_layout_fits_or_says_why_not() {
        let dense = strides(Layout::new([5, 3, 2]), 120).unwrap();
        assert_eq!((dense.pitch, dense.slice_rows, dense.span()), (20, 3, 120));
        assert!(dense.is_dense());
        let gaps = Layout::new([5, 3, 2]).pitch(32).slice_rows(4);
        // The gap behind the last row and the rows behind the last slice need not be there.
        let padded = strides(gaps, 4 * 32 + 2 * 32 + 20).unwrap();
        assert_eq!(padded.offset([1, 2, 1].into()), 4 * 32 + 2 * 32 + 4);
        assert!(!padded.is_dense());
        for (layout, bytes, part) in [
            (gaps, 4 * 32 + 2 * 32 + 19, "211 bytes"),
            (gaps.pitch(19), 1000, "a pitch of 19 bytes is too small"),
            (gaps.slice_rows(2), 1000, "2 rows from slice to slice"),
            (Layout::new(usize::MAX), 1000, "(axis x)"),
            (Layout::new([1, usize::MAX]), 1000, "more than can be"),
        ] {
            let text = strides(layout, bytes).unwrap_err().to_string();
            assert!(text.contains(part) && text.contains("the source"), "{text}");
        }
        assert_eq!(strides(Layout::new([5, 0, 2]), 0).unwrap().span(), 0);
    }

    #[test]
    fn numbers_that_no_memory_has_are_errors_and_no_overflows() {
        const MOST: usize = usize::MAX;
        for extent in [[0, 1, 1], [0, MOST, MOST], [1, 0, MOST], [1, 1, 1]] {
            let layout = Layout::new(extent).pitch(MOST);
            let error = layout.aligned::<u32>(1000, "the source", "t").unwrap_err();
            let text = error.to_string();
            assert!(text.ends_with(&format!("use {}", MOST - 3)), "{text}");
        }
        // Elements of no bytes need no memory, however many rows of them there are.
        let nothing = Layout::new([2, MOST, MOST]);
        let strides = nothing.aligned::<[u32; 0]>(0, "the source", "t").unwrap();
        assert_eq!((strides.span(), strides.row()), (0, 0));
        assert_eq!(strides.offset([1, MOST - 1, MOST - 1].into()), 0);
        assert!(!strides.is_dense());
    }

    #[test]
    fn rows_without_gaps_are_counted_also_where_there_are_none() {
        let dense = |extent: [usize; 3]| Strides::checked_dense(extent.into(), 4);
        assert_eq!(dense([5, 3, 2]).map(|all| all.span()), Some(120));
        assert_eq!(dense([5, 0, usize::MAX]).map(|all| all.span()), Some(0));
        for too_much in [
            [usize::MAX, 0, 1],
            [usize::MAX, 1, 0],
            [usize::MAX / 4, 1, 1],
            [1, usize::MAX, 2],
        ] {
            assert_eq!(dense(too_much), None, "{too_much:?}");
        }
    }

    #[test]
    fn boxes_of_the_same_memory_may_lie_beside_each_other() {
        let of = |extent: [usize; 3]| Strides {
            extent: extent.into(),
            element: 4,
            pitch: 40,
            slice_rows: 6,
        };
        // Columns 0..3 and 3..6, 2..5.
        assert!(!of([3, 6, 2]).overlaps(&of([3, 6, 2]), 12));
        assert!(of([3, 6, 2]).overlaps(&of([3, 6, 2]), 8));
        // The last column of a row is beside the first of the next.
        assert!(of([3, 6, 2]).overlaps(&of([3, 6, 2]), 36));
        // Rows 0..3 and 3..6, 2..5.
        assert!(!of([10, 3, 2]).overlaps(&of([10, 3, 2]), 3 * 40));
        assert!(of([10, 3, 2]).overlaps(&of([10, 3, 2]), 2 * 40));
        // Rows 0..4 and 3..7, the last of which is the next slice's first.
        assert!(of([10, 4, 2]).overlaps(&of([10, 4, 2]), 3 * 40));
        // One behind the other.
        assert!(!of([10, 6, 1]).overlaps(&of([10, 6, 1]), 240));
        assert!(of([10, 1, 1]).overlaps(&of([10, 1, 1]), 36));
        let other = Strides {
            pitch: 48,
            ..of([3, 6, 1])
        };
        assert!(of([3, 6, 1]).overlaps(&other, 12));
        assert!(!of([3, 6, 1]).overlaps(&other, 212));
    }
}
