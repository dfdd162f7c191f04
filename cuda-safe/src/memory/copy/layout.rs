//! Layouts of up to three-dimensional elements in linear memory.

use super::extent::{Extent, Offset};
use crate::error::{Error, Result};

/// A layout of rows and slices in linear memory: their number and the distance between them. By
/// default there are no gaps.
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

/// A checked layout: no computation with its numbers overflows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Strides {
    pub(crate) extent: Extent,
    /// The size of an element in bytes.
    pub(crate) element: usize,
    /// The distance between the starts of rows, in bytes.
    pub(crate) pitch: usize,
    /// The distance between the starts of slices, in rows.
    pub(crate) slice_rows: usize,
}

impl Layout {
    /// Creates a layout without gaps between the rows.
    #[must_use]
    pub fn new(extent: impl Into<Extent>) -> Self {
        Self {
            extent: extent.into(),
            pitch: None,
            slice_rows: None,
        }
    }

    /// Sets the distance between the starts of rows to `bytes` bytes.
    ///
    /// It must be at least the size of a row, and a multiple of the elements' alignment.
    #[must_use]
    pub fn pitch(mut self, bytes: usize) -> Self {
        self.pitch = Some(bytes);
        self
    }

    /// Sets the distance between the starts of slices to `rows` rows, at least the rows of a slice.
    #[must_use]
    pub fn slice_rows(mut self, rows: usize) -> Self {
        self.slice_rows = Some(rows);
        self
    }

    /// Returns the numbers of elements per row, rows per slice, and slices.
    #[must_use]
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// Returns the distance between the starts of rows of `T` in bytes, or `None` if it overflows.
    #[must_use]
    pub fn row_bytes<T>(&self) -> Option<usize> {
        match self.pitch {
            Some(pitch) => Some(pitch),
            None => self.extent.width.checked_mul(size_of::<T>()),
        }
    }

    /// Checks the layout for elements of `element` bytes in memory of `bytes` bytes. `what` names
    /// the memory.
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
            invalid(format!("{what}: a row of {width} elements of {element} bytes does not fit into the address \
                             space (axis x)"))
        })?;
        let pitch = self.pitch.unwrap_or(row);
        if pitch < row {
            return Err(invalid(format!(
                "{what}: the pitch of {pitch} bytes is too small for rows of {width} elements, {row} bytes (axis x)"
            )));
        }
        let slice_rows = self.slice_rows.unwrap_or(height);
        if slice_rows < height {
            return Err(invalid(format!(
                "{what}: the distance of {slice_rows} rows between slices is too small for slices of {height} rows \
                 (axis y)"
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
                let needed = needed.map_or("more than isize::MAX".into(), |n| n.to_string());
                Err(invalid(format!(
                    "{what} has {bytes} bytes, but {depth} slices of {height} rows of {width} elements of {element} \
                     bytes, with a pitch of {pitch} bytes, need {needed}"
                )))
            }
        }
    }
}

impl Layout {
    /// Checks the layout like [`strides`](Self::strides), for elements of type `T`, all of which
    /// must be aligned if the first one is.
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
                    "the pitch of {pitch} bytes is not a multiple of the elements' alignment of {alignment} bytes. \
                     Fix: use {}",
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
    /// Returns the strides of `extent` without gaps. The caller knows that the size in bytes does
    /// not overflow.
    pub(crate) fn dense(extent: Extent, element: usize) -> Self {
        Self {
            extent,
            element,
            pitch: extent.width * element,
            slice_rows: extent.height,
        }
    }

    /// Like [`dense`](Self::dense), for any extent. Returns `None` if the size of a row or of all
    /// rows overflows, even if there are no elements.
    pub(crate) fn checked_dense(extent: Extent, element: usize) -> Option<Self> {
        let bytes = extent.len()?.checked_mul(element)?;
        isize::try_from(bytes).ok()?;
        extent.width.checked_mul(element)?;
        Some(Self::dense(extent, element))
    }

    /// Returns the size of a row in bytes, without the gap that follows it.
    pub(crate) fn row(&self) -> usize {
        self.extent.width * self.element
    }

    /// Returns the distance from the first byte to the end of the last element, in bytes.
    pub(crate) fn span(&self) -> usize {
        self.checked_span().expect("checked by the constructor")
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

    /// Returns the offset of the element at `at` in bytes. It must be within the extent or just
    /// past it.
    pub(crate) fn offset(&self, at: Offset) -> usize {
        // In this order no product exceeds a checked one: with elements of size 0, the pitch may be
        // 0 and the number of rows unlimited.
        at.z * (self.slice_rows * self.pitch) + at.y * self.pitch + at.x * self.element
    }

    /// Returns whether all bytes from the first to the last belong to elements.
    pub(crate) fn is_dense(&self) -> bool {
        self.extent.len().map(|len| len * self.element) == Some(self.span())
    }

    /// Returns the same distances for a smaller box.
    pub(crate) fn part(&self, extent: Extent) -> Self {
        Self { extent, ..*self }
    }

    /// Returns whether elements of two boxes of the same extent overlap. `distance` is that from
    /// the box at the lower address to the other, in bytes. If the distances between their rows
    /// differ, returns whether their spans overlap.
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
        // The boxes are columns next to each other in the same rows, or rows next to each other in
        // the same slices.
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
    fn strides_rejects_inconsistent_layouts() {
        let dense = strides(Layout::new([5, 3, 2]), 120).unwrap();
        assert_eq!((dense.pitch, dense.slice_rows, dense.span()), (20, 3, 120));
        assert!(dense.is_dense());
        let gaps = Layout::new([5, 3, 2]).pitch(32).slice_rows(4);
        // The last row needs no gap after it, and the last slice no further rows.
        let padded = strides(gaps, 4 * 32 + 2 * 32 + 20).unwrap();
        assert_eq!(padded.offset([1, 2, 1].into()), 4 * 32 + 2 * 32 + 4);
        assert!(!padded.is_dense());
        for (layout, bytes, part) in [
            (gaps, 4 * 32 + 2 * 32 + 19, "211 bytes"),
            (gaps.pitch(19), 1000, "the pitch of 19 bytes is too small"),
            (
                gaps.slice_rows(2),
                1000,
                "distance of 2 rows between slices",
            ),
            (Layout::new(usize::MAX), 1000, "(axis x)"),
            (Layout::new([1, usize::MAX]), 1000, "more than isize::MAX"),
        ] {
            let text = strides(layout, bytes).unwrap_err().to_string();
            assert!(text.contains(part) && text.contains("the source"), "{text}");
        }
        assert_eq!(strides(Layout::new([5, 0, 2]), 0).unwrap().span(), 0);
    }

    #[test]
    fn aligned_rejects_huge_numbers_without_overflow() {
        const MOST: usize = usize::MAX;
        for extent in [[0, 1, 1], [0, MOST, MOST], [1, 0, MOST], [1, 1, 1]] {
            let layout = Layout::new(extent).pitch(MOST);
            let error = layout.aligned::<u32>(1000, "the source", "t").unwrap_err();
            let text = error.to_string();
            assert!(text.ends_with(&format!("use {}", MOST - 3)), "{text}");
        }
        // Any number of elements of size 0 needs no memory.
        let nothing = Layout::new([2, MOST, MOST]);
        let strides = nothing.aligned::<[u32; 0]>(0, "the source", "t").unwrap();
        assert_eq!((strides.span(), strides.row()), (0, 0));
        assert_eq!(strides.offset([1, MOST - 1, MOST - 1].into()), 0);
        assert!(!strides.is_dense());
    }

    #[test]
    fn checked_dense_rejects_rows_that_overflow_even_without_elements() {
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
    fn adjacent_boxes_do_not_overlap() {
        let of = |extent: [usize; 3]| Strides {
            extent: extent.into(),
            element: 4,
            pitch: 40,
            slice_rows: 6,
        };
        // Columns 0..3 and 3..6, 2..5.
        assert!(!of([3, 6, 2]).overlaps(&of([3, 6, 2]), 12));
        assert!(of([3, 6, 2]).overlaps(&of([3, 6, 2]), 8));
        // The last column of a row is next to the first one of the next row.
        assert!(of([3, 6, 2]).overlaps(&of([3, 6, 2]), 36));
        // Rows 0..3 and 3..6, 2..5.
        assert!(!of([10, 3, 2]).overlaps(&of([10, 3, 2]), 3 * 40));
        assert!(of([10, 3, 2]).overlaps(&of([10, 3, 2]), 2 * 40));
        // Rows 0..4 and 3..7. The last of these is the next slice's first.
        assert!(of([10, 4, 2]).overlaps(&of([10, 4, 2]), 3 * 40));
        // One box after the other.
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
