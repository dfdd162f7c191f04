//! One rank's strip of an image: its memory and views.

use std::ops::Range;

use cuda_compute::{Border, Layout};
use cuda_safe::{
    DeviceBuffer, DeviceView, DeviceViewMut, Stream,
    memory::{HostRegion, HostRegionMut, RegionCopy},
};

use crate::error::{Error, Result};

/// The dimensions of a strip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) width: usize,
    /// Distance between rows, in elements.
    pub(super) pitch: usize,
    /// Number of rows that belong to the strip.
    pub(super) rows: usize,
    /// Number of rows of the neighbours, stored before and after the strip's rows.
    pub(super) above: usize,
    pub(super) below: usize,
    /// Contents of rows beyond the edges of the image.
    pub(super) border: Border,
}

/// A rank's strip of an image, with space for some rows of its neighbours. Created by
/// [`StripConvolution::strip`](super::StripConvolution::strip).
#[derive(Debug)]
pub struct Strip {
    pub(super) memory: DeviceBuffer<f32>,
    pub(super) shape: Shape,
}

impl Shape {
    /// Returns the dimensions of a strip, or `None` if its size exceeds the address space.
    pub(super) fn new(
        width: usize,
        rows: usize,
        [above, below]: [usize; 2],
        border: Border,
    ) -> Option<Self> {
        let pitch = width.checked_next_multiple_of(4)?;
        let all_rows = rows.checked_add(above)?.checked_add(below)?;
        let bytes = pitch.checked_mul(all_rows)?.checked_mul(size_of::<f32>())?;
        isize::try_from(bytes).ok()?;
        Some(Self {
            width,
            pitch,
            rows,
            above,
            below,
            border,
        })
    }

    pub(super) fn all_rows(self) -> usize {
        self.above + self.rows + self.below
    }

    /// Returns the range of elements of some rows. `first` is relative to the first row of the
    /// strip.
    fn elements(self, first: isize, rows: usize) -> Range<usize> {
        let first = (first + self.above as isize) as usize;
        first * self.pitch..(first + rows) * self.pitch
    }

    /// Returns the layout of some rows.
    pub(super) fn layout(self, rows: usize) -> Layout {
        Layout::new(self.width, rows).pitch(self.pitch)
    }
}

impl Strip {
    /// Returns the number of rows that belong to the strip.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.shape.rows
    }

    /// Returns the number of elements in a row.
    #[must_use]
    pub fn width(&self) -> usize {
        self.shape.width
    }

    /// Returns the distance between rows in elements, a multiple of 4.
    #[must_use]
    pub fn pitch(&self) -> usize {
        self.shape.pitch
    }

    /// Returns a view of the strip's rows, [`pitch`](Self::pitch) elements apart, without the rows
    /// of the neighbours.
    #[must_use]
    pub fn view(&self) -> DeviceView<'_, f32> {
        let own = self.shape.elements(0, self.shape.rows);
        let len = own.len();
        let at = self.memory.as_device_ptr() + (own.start * size_of::<f32>()) as u64;
        // SAFETY: the range is within this strip's memory, and the view borrows the strip.
        unsafe { DeviceView::borrow_raw(at, len, self.memory.owner()) }
    }

    /// Returns a mutable [`view`](Self::view).
    #[must_use]
    pub fn view_mut(&mut self) -> DeviceViewMut<'_, f32> {
        let own = self.shape.elements(0, self.shape.rows);
        let len = own.len();
        let at = self.memory.as_device_ptr() + (own.start * size_of::<f32>()) as u64;
        // SAFETY: the range is within this strip's memory, and the view borrows the strip
        // exclusively.
        unsafe { DeviceViewMut::borrow_raw(at, len, self.memory.owner()) }
    }

    /// Copies contiguous rows from the host to the strip, and waits until they have been read.
    ///
    /// # Errors
    /// Returns [`Error::Value`] if `host` does not have [`rows`](Self::rows) times
    /// [`width`](Self::width) elements. Returns [`Error::Cuda`] if the copy fails, for instance
    /// after a fault in the context.
    pub fn copy_from_slice(&mut self, stream: &Stream, host: &[f32]) -> Result<()> {
        let (width, rows, pitch) = (self.width(), self.rows(), self.pitch());
        if host.len() != width * rows {
            return Err(Error::Value(format!(
                "copy_from_slice: `host` has {} elements, but the strip has {rows} rows of {width}",
                host.len()
            )));
        }
        let host = HostRegion::new(host, [width, rows])?;
        let mut view = self.view_mut();
        let mut target = view.pitched_mut([pitch, rows])?;
        Ok(RegionCopy::new([width, rows]).upload(stream, &mut target, host)?)
    }

    /// Copies the strip's rows to the host, where they are contiguous. Waits for the copy.
    ///
    /// # Errors
    /// Returns [`Error::Cuda`] if the copy fails, or if work enqueued earlier has faulted.
    pub fn to_vec(&self, stream: &Stream) -> Result<Vec<f32>> {
        let (width, rows, pitch) = (self.width(), self.rows(), self.pitch());
        let mut host = vec![0.0; width * rows];
        let target = HostRegionMut::new(&mut host, [width, rows])?;
        let view = self.view();
        let source = view.pitched([pitch, rows])?;
        RegionCopy::new([width, rows]).download(stream, target, &source)?;
        Ok(host)
    }

    /// Returns a view of rows, without ordering it with any stream. `first` is relative to the
    /// first row of the strip.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - all work on these rows is ordered;
    /// - nothing writes to them while the view is in use.
    pub(super) unsafe fn rows_at(&self, first: isize, rows: usize) -> DeviceView<'_, f32> {
        let elements = self.shape.elements(first, rows);
        let at = self.memory.as_device_ptr() + (elements.start * size_of::<f32>()) as u64;
        let context = self.memory.owner().context();
        // SAFETY: the range is within this strip's memory. The rest is guaranteed by this
        // function's caller.
        unsafe { DeviceView::borrow_raw(at, elements.len(), context) }
    }

    /// Returns a mutable view of rows, without ordering it with any stream.
    ///
    /// # Safety
    /// The requirements of [`rows_at`](Self::rows_at) apply, and nothing else may use these rows
    /// while the view is in use.
    pub(super) unsafe fn rows_at_mut(&self, first: isize, rows: usize) -> DeviceViewMut<'_, f32> {
        let elements = self.shape.elements(first, rows);
        let at = self.memory.as_device_ptr() + (elements.start * size_of::<f32>()) as u64;
        let context = self.memory.owner().context();
        // SAFETY: the range is within this strip's memory. The rest is guaranteed by this
        // function's caller.
        unsafe { DeviceViewMut::borrow_raw(at, elements.len(), context) }
    }
}
