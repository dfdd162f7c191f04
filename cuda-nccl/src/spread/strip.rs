//! One rank's strip of an image: its memory, and the views of it.

use std::ops::Range;

use cuda_compute::{Border, Layout};
use cuda_safe::{
    DeviceBuffer, DeviceView, DeviceViewMut, Stream,
    memory::{HostRegion, HostRegionMut, RegionCopy},
};

use crate::error::{Error, Result};

/// How large strips are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) width: usize,
    /// Elements from row to row.
    pub(super) pitch: usize,
    /// Rows of the strip itself.
    pub(super) rows: usize,
    /// Rows of the neighbours, which lie before and behind them.
    pub(super) above: usize,
    pub(super) below: usize,
    /// What the rows beyond the image's own edges hold.
    pub(super) border: Border,
}

/// A rank's strip of an image, with room for some rows of its neighbours: made by [`Strips::strip`](super::Strips::strip).
#[derive(Debug)]
pub struct Strip {
    pub(super) memory: DeviceBuffer<f32>,
    pub(super) shape: Shape,
}

impl Shape {
    /// Of a strip of some rows; `None` if its bytes can't be counted.
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

    /// The elements of rows, counted from the first one of the strip.
    fn elements(self, first: isize, rows: usize) -> Range<usize> {
        let first = (first + self.above as isize) as usize;
        first * self.pitch..(first + rows) * self.pitch
    }

    /// How rows lie.
    pub(super) fn layout(self, rows: usize) -> Layout {
        Layout::new(self.width, rows).pitch(self.pitch)
    }
}

impl Strip {
    /// Rows of its own.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.shape.rows
    }

    /// Elements in a row.
    #[must_use]
    pub fn width(&self) -> usize {
        self.shape.width
    }

    /// Elements from one row to the next: a multiple of 4.
    #[must_use]
    pub fn pitch(&self) -> usize {
        self.shape.pitch
    }

    /// Its own rows, [`pitch`](Self::pitch) apart, without those of the neighbours.
    #[must_use]
    pub fn view(&self) -> DeviceView<'_, f32> {
        let own = self.shape.elements(0, self.shape.rows);
        let len = own.len();
        let at = self.memory.as_device_ptr() + (own.start * size_of::<f32>()) as u64;
        // SAFETY: within this strip's own memory, borrowed for no longer than it.
        unsafe { DeviceView::borrow_raw(at, len, self.memory.owner()) }
    }

    /// As [`view`](Self::view), for writing.
    #[must_use]
    pub fn view_mut(&mut self) -> DeviceViewMut<'_, f32> {
        let own = self.shape.elements(0, self.shape.rows);
        let len = own.len();
        let at = self.memory.as_device_ptr() + (own.start * size_of::<f32>()) as u64;
        // SAFETY: within this strip's own memory, borrowed exclusively for no longer than it.
        unsafe { DeviceViewMut::borrow_raw(at, len, self.memory.owner()) }
    }

    /// Copies rows here that lie side by side on the host, and waits until they have been read.
    ///
    /// # Errors
    /// Not as many as the strip has. The context is unusable after a fault.
    pub fn copy_from_slice(&mut self, stream: &Stream, host: &[f32]) -> Result<()> {
        let (width, rows, pitch) = (self.width(), self.rows(), self.pitch());
        if host.len() != width * rows {
            return Err(Error::Value(format!(
                "a strip of {rows} rows of {width} from {} numbers",
                host.len()
            )));
        }
        let host = HostRegion::new(host, [width, rows])?;
        let mut view = self.view_mut();
        let mut target = view.pitched_mut([pitch, rows])?;
        Ok(RegionCopy::new([width, rows]).upload(stream, &mut target, host)?)
    }

    /// Its own rows, side by side on the host. Waits for them.
    ///
    /// # Errors
    /// The fault of work that was enqueued earlier.
    pub fn to_vec(&self, stream: &Stream) -> Result<Vec<f32>> {
        let (width, rows, pitch) = (self.width(), self.rows(), self.pitch());
        let mut host = vec![0.0; width * rows];
        let target = HostRegionMut::new(&mut host, [width, rows])?;
        let view = self.view();
        let source = view.pitched([pitch, rows])?;
        RegionCopy::new([width, rows]).download(stream, target, &source)?;
        Ok(host)
    }

    /// Rows of the memory, counted from the first own one, in nobody's order.
    ///
    /// # Safety
    /// The caller orders what happens on them, and nobody writes to them meanwhile.
    pub(super) unsafe fn rows_at(&self, first: isize, rows: usize) -> DeviceView<'_, f32> {
        let elements = self.shape.elements(first, rows);
        let at = self.memory.as_device_ptr() + (elements.start * size_of::<f32>()) as u64;
        let context = self.memory.owner().context();
        // SAFETY: within this strip's memory; the rest is the caller's promise.
        unsafe { DeviceView::borrow_raw(at, elements.len(), context) }
    }

    /// As [`rows_at`](Self::rows_at), for writing.
    ///
    /// # Safety
    /// As [`rows_at`](Self::rows_at), and nobody else uses them meanwhile.
    pub(super) unsafe fn rows_at_mut(&self, first: isize, rows: usize) -> DeviceViewMut<'_, f32> {
        let elements = self.shape.elements(first, rows);
        let at = self.memory.as_device_ptr() + (elements.start * size_of::<f32>()) as u64;
        let context = self.memory.owner().context();
        // SAFETY: within this strip's memory; the rest is the caller's promise.
        unsafe { DeviceViewMut::borrow_raw(at, elements.len(), context) }
    }
}
