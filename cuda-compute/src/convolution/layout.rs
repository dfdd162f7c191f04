//! The layout of images in memory.

use crate::error::{Error, Result};

/// The layout of an image, or of a batch of images, in a slice of elements. All lengths count
/// elements, not bytes.
///
/// ```
/// use cuda_compute::Layout;
///
/// let image = Layout::new(640, 480);
/// assert_eq!(image.elements(), Some(640 * 480));
/// let padded = Layout::new(638, 480).pitch(640);
/// assert_eq!(padded.elements(), Some(640 * 479 + 638));
/// let batch = Layout::new(640, 480).images(10);
/// assert_eq!(batch.elements(), Some(10 * 640 * 480));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Columns per image.
    pub width: usize,
    /// Rows per image.
    pub height: usize,
    /// Elements from one row to the next.
    pub pitch: usize,
    /// The number of images.
    pub images: usize,
    /// Elements from one image to the next.
    pub image_pitch: usize,
}

impl Layout {
    /// Creates the layout of one dense image.
    #[must_use]
    pub const fn new(width: usize, height: usize) -> Self {
        Self {
            width,
            height,
            pitch: width,
            images: 1,
            image_pitch: width.saturating_mul(height),
        }
    }

    /// Sets the row pitch in elements. Images follow each other without a gap.
    #[must_use]
    pub const fn pitch(mut self, pitch: usize) -> Self {
        self.pitch = pitch;
        self.image_pitch = pitch.saturating_mul(self.height);
        self
    }

    /// Sets the number of images.
    #[must_use]
    pub const fn images(mut self, images: usize) -> Self {
        self.images = images;
        self
    }

    /// Sets the distance between images in elements.
    #[must_use]
    pub const fn image_pitch(mut self, image_pitch: usize) -> Self {
        self.image_pitch = image_pitch;
        self
    }

    /// Returns the number of elements from the first pixel to the last, or `None` if it exceeds
    /// `usize::MAX`.
    #[must_use]
    pub const fn elements(&self) -> Option<usize> {
        if self.width == 0 || self.height == 0 || self.images == 0 {
            return Some(0);
        }
        let Some(images) = self.image_pitch.checked_mul(self.images - 1) else {
            return None;
        };
        let Some(rows) = self.pitch.checked_mul(self.height - 1) else {
            return None;
        };
        match images.checked_add(rows) {
            Some(before) => before.checked_add(self.width),
            None => None,
        }
    }

    /// Returns whether every row of every image starts at a multiple of 4 elements if the first one
    /// does.
    pub(crate) const fn keeps_alignment(&self) -> bool {
        self.pitch.is_multiple_of(4) && (self.images <= 1 || self.image_pitch.is_multiple_of(4))
    }

    /// Checks that rows and images don't overlap, that all of them are within `len` elements, and
    /// that the kernels can index them.
    pub(crate) fn check(&self, what: &str, len: usize) -> Result<()> {
        let wrong = |why: String| Err(Error::Shape(format!("{what} of {self:?}: {why}")));
        match self.elements() {
            Some(0) => return Ok(()),
            Some(elements) if elements <= len => {}
            _ => {
                return wrong(format!(
                    "it needs more than the {len} elements of the slice"
                ));
            }
        }
        if self.height > 1 && self.pitch < self.width {
            return wrong("its rows overlap".into());
        }
        if self.images > 1 && self.image_pitch < self.pitch * (self.height - 1) + self.width {
            return wrong("its images overlap".into());
        }
        if self.width > LARGEST || self.height > LARGEST || self.images > LARGEST {
            return wrong(format!(
                "it has more than {LARGEST} columns, rows or images"
            ));
        }
        Ok(())
    }
}

/// The maximum number of columns, rows and images that the kernels can index, including the pixels
/// that they read beyond the edges.
const LARGEST: usize = (i32::MAX - 65536) as usize;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_rejects_overlaps_and_short_slices() {
        assert!(Layout::new(3, 4).check("input", 12).is_ok());
        assert!(Layout::new(3, 4).check("input", 11).is_err());
        assert!(Layout::new(3, 4).pitch(5).check("input", 18).is_ok());
        assert!(Layout::new(3, 4).pitch(2).check("input", 100).is_err());
        assert!(Layout::new(3, 1).pitch(0).check("input", 3).is_ok());
        assert!(Layout::new(3, 4).images(2).check("input", 24).is_ok());
        assert!(
            Layout::new(3, 4)
                .images(2)
                .image_pitch(11)
                .check("input", 99)
                .is_err()
        );
        assert!(Layout::new(0, 4).check("input", 0).is_ok());
        assert!(Layout::new(usize::MAX, 2).check("input", 0).is_err());
        // An empty batch fits anywhere and overlaps with nothing.
        assert!(
            Layout::new(3, 4)
                .pitch(2)
                .images(0)
                .check("input", 0)
                .is_ok()
        );
        let endless = Layout::new(1, usize::MAX).pitch(usize::MAX);
        assert!(endless.check("input", usize::MAX).is_err());
    }

    #[test]
    fn check_rejects_sizes_beyond_the_kernels_limits() {
        let is_ok = |layout: Layout| layout.check("input", usize::MAX).is_ok();
        assert!(is_ok(Layout::new(LARGEST, 1)) && !is_ok(Layout::new(LARGEST + 1, 1)));
        assert!(is_ok(Layout::new(1, LARGEST)) && !is_ok(Layout::new(1, LARGEST + 1)));
        let batch = |images| Layout::new(1, 1).images(images);
        assert!(is_ok(batch(LARGEST)) && !is_ok(batch(LARGEST + 1)));
    }

    #[test]
    fn keeps_alignment_considers_rows_and_images() {
        let aligned = |layout: Layout| layout.keeps_alignment();
        assert!(aligned(Layout::new(3, 4).pitch(8)) && !aligned(Layout::new(3, 4).pitch(6)));
        let two = Layout::new(3, 4).pitch(8).images(2);
        assert!(aligned(two.image_pitch(32)) && !aligned(two.image_pitch(34)));
        // With one image, the distance between images doesn't matter.
        assert!(aligned(two.images(1).image_pitch(34)));
    }
}
