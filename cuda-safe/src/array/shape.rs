//! The dimensions and layers of arrays.

use std::{ffi::c_uint, fmt};

use crate::{
    device::{Device, attribute::DeviceAttribute},
    error::{Error, Result},
    raw::constants::{CUBE, LAYERED},
};

/// The dimensions of an array, in texels, and its layers.
///
/// ```
/// use cuda_safe::array::ArrayShape;
///
/// let image = ArrayShape::from([640, 480]);
/// assert_eq!((image.width(), image.height(), image.depth()), (640, 480, 1));
/// let frames = ArrayShape::planes(640, 480, 25);
/// assert_eq!((frames.dimensions(), frames.layers()), (2, 25));
/// assert_eq!(ArrayShape::cubes(64, 3).layers(), 18); // six faces each
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ArrayShape {
    /// The lengths in the driver's form: 0 for missing dimensions.
    lengths: [usize; 3],
    flags: c_uint,
    /// The name of a length that was given as 0, which to the driver means a missing dimension.
    lacks: Option<&'static str>,
}

impl ArrayShape {
    const fn new(lengths: [usize; 3], flags: c_uint) -> Self {
        Self {
            lengths,
            flags,
            lacks: None,
        }
    }

    const fn lacking(mut self, what: &'static str, length: usize) -> Self {
        if length == 0 {
            self.lacks = Some(what);
        }
        self
    }

    /// Returns the shape, with its missing length taken from another shape.
    pub(super) const fn lacking_as(mut self, other: Self) -> Self {
        self.lacks = other.lacks;
        self
    }

    /// Returns an error if a length is 0, which the driver would take for a missing dimension.
    pub(super) fn expect_lengths(&self, call: &'static str) -> Result<()> {
        match self.lacks {
            None => Ok(()),
            Some(what @ ("height" | "depth")) => Err(Error::invalid(
                call,
                format!(
                    "the {what} is 0. Fix: omit it for an array with fewer dimensions, or set it to 1"
                ),
            )),
            Some(what) => Err(Error::invalid(
                call,
                format!("the {what} is 0, but must be at least 1"),
            )),
        }
    }

    /// Returns an error if flags for cubes or layers do not match the lengths.
    pub(super) fn expect_kind(&self, call: &'static str) -> Result<()> {
        let [width, height, planes] = self.lengths;
        let why = match (self.is_cube(), self.is_layered()) {
            (true, _) if width != height => {
                format!("the faces of a cube must be square, but are {width} x {height}")
            }
            (true, false) if planes != 6 => {
                format!("a cube must have six faces, but has {planes}. Fix: use ArrayShape::cube")
            }
            (true, true) if planes == 0 || !planes.is_multiple_of(6) => {
                format!(
                    "cubes have six faces each, but {planes} is not a multiple of six. Fix: use ArrayShape::cubes"
                )
            }
            (false, true) if planes == 0 => {
                "the number of layers is 0. Fix: use ArrayShape::lines or ArrayShape::planes"
                    .to_owned()
            }
            _ => return Ok(()),
        };
        Err(Error::invalid(call, why))
    }

    /// Returns a shape with one dimension.
    #[must_use]
    pub const fn line(width: usize) -> Self {
        Self::new([width, 0, 0], 0).lacking("width", width)
    }

    /// Returns a shape with two dimensions.
    #[must_use]
    pub const fn plane(width: usize, height: usize) -> Self {
        Self::new([width, height, 0], 0)
            .lacking("height", height)
            .lacking("width", width)
    }

    /// Returns a shape with three dimensions.
    #[must_use]
    pub const fn volume(width: usize, height: usize, depth: usize) -> Self {
        Self::new([width, height, depth], 0)
            .lacking("depth", depth)
            .lacking("height", height)
            .lacking("width", width)
    }

    /// Returns layers with one dimension (`CUDA_ARRAY3D_LAYERED`). A texture reads one layer and
    /// does not interpolate between layers.
    #[must_use]
    #[doc(alias = "CUDA_ARRAY3D_LAYERED")]
    pub const fn lines(width: usize, layers: usize) -> Self {
        Self::new([width, 0, layers], LAYERED)
            .lacking("number of layers", layers)
            .lacking("width", width)
    }

    /// Returns layers with two dimensions (`CUDA_ARRAY3D_LAYERED`).
    #[must_use]
    pub const fn planes(width: usize, height: usize, layers: usize) -> Self {
        Self::new([width, height, layers], LAYERED)
            .lacking("number of layers", layers)
            .lacking("height", height)
            .lacking("width", width)
    }

    /// Returns the six square faces of a cube (`CUDA_ARRAY3D_CUBEMAP`).
    #[must_use]
    #[doc(alias = "CUDA_ARRAY3D_CUBEMAP")]
    pub const fn cube(side: usize) -> Self {
        Self::new([side, side, 6], CUBE).lacking("width", side)
    }

    /// Returns the faces of several cubes (`CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED`).
    #[must_use]
    pub const fn cubes(side: usize, count: usize) -> Self {
        Self::new([side, side, count.saturating_mul(6)], CUBE | LAYERED)
            .lacking("number of cubes", count)
            .lacking("width", side)
    }

    /// Returns the number of texels along the width.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.lengths[0]
    }

    /// Returns the number of texels along the height, which is 1 for one dimension.
    #[must_use]
    pub const fn height(&self) -> usize {
        match self.lengths[1] {
            0 => 1,
            height => height,
        }
    }

    /// Returns the number of texels along the depth, which is 1 for fewer than three dimensions.
    #[must_use]
    pub const fn depth(&self) -> usize {
        match self.lengths[2] {
            0 => 1,
            _ if self.flags != 0 => 1,
            depth => depth,
        }
    }

    /// Returns the number of layers, or 1 if there are none. Each face of a cube counts as a layer.
    #[must_use]
    pub const fn layers(&self) -> usize {
        match self.flags {
            0 => 1,
            _ => self.lengths[2],
        }
    }

    /// Returns the number of coordinates of a texel, not counting the layer: 1, 2 or 3.
    #[must_use]
    pub const fn dimensions(&self) -> usize {
        match self.lengths {
            [_, 0, _] => 1,
            [_, _, 0] => 2,
            _ if self.flags != 0 => 2,
            _ => 3,
        }
    }

    /// Returns whether the array has layers or several cubes.
    #[must_use]
    pub const fn is_layered(&self) -> bool {
        self.flags & LAYERED != 0
    }

    /// Returns whether the array consists of one or several cubes.
    #[must_use]
    pub const fn is_cube(&self) -> bool {
        self.flags & CUBE != 0
    }

    /// Returns the total number of texels, or `None` if it overflows.
    #[must_use]
    pub fn texels(&self) -> Option<usize> {
        self.width()
            .checked_mul(self.height())?
            .checked_mul(self.planes_in_all())
    }

    /// Returns the shape of a level of a mipmapped array whose level 0, the largest, has this
    /// shape.
    #[must_use]
    pub fn level(&self, level: u32) -> Self {
        let halved = |length: usize| match length {
            0 => 0,
            _ => length.checked_shr(level).unwrap_or(0).max(1),
        };
        let [width, height, depth] = self.lengths;
        let depth = if self.flags == 0 {
            halved(depth)
        } else {
            depth
        };
        Self::new([halved(width), halved(height), depth], self.flags)
    }

    /// Returns the maximum number of levels. The last has a single texel in each layer.
    #[must_use]
    pub fn levels(&self) -> u32 {
        let longest = self.width().max(self.height()).max(self.depth());
        longest.max(1).ilog2() + 1
    }

    /// Returns the number of slices, layers or faces, at least 1.
    pub(super) const fn planes_in_all(&self) -> usize {
        match self.lengths[2] {
            0 => 1,
            planes => planes,
        }
    }

    /// Returns the lengths in the driver's form: 0 for missing dimensions.
    pub(crate) const fn lengths(&self) -> [usize; 3] {
        self.lengths
    }

    /// Returns the lengths in the driver's form, and the flags that belong to the shape.
    pub(super) const fn parts(&self) -> ([usize; 3], c_uint) {
        (self.lengths, self.flags)
    }

    pub(super) const fn from_parts(lengths: [usize; 3], flags: c_uint) -> Self {
        Self::new(lengths, flags & (LAYERED | CUBE))
    }
}

impl ArrayShape {
    /// Returns a description of a length that exceeds the device's limit for textures, or `None`
    /// if no length does.
    pub(super) fn too_long(&self, device: Device) -> Option<String> {
        type Limit = (&'static str, DeviceAttribute);
        type Of = DeviceAttribute;
        const LINE: &[Limit] = &[("width", Of::MAXIMUM_TEXTURE1D_WIDTH)];
        const LINES: &[Limit] = &[
            ("width", Of::MAXIMUM_TEXTURE1D_LAYERED_WIDTH),
            ("number of layers", Of::MAXIMUM_TEXTURE1D_LAYERED_LAYERS),
        ];
        const PLANE: &[Limit] = &[
            ("width", Of::MAXIMUM_TEXTURE2D_WIDTH),
            ("height", Of::MAXIMUM_TEXTURE2D_HEIGHT),
        ];
        const PLANES: &[Limit] = &[
            ("width", Of::MAXIMUM_TEXTURE2D_LAYERED_WIDTH),
            ("height", Of::MAXIMUM_TEXTURE2D_LAYERED_HEIGHT),
            ("number of layers", Of::MAXIMUM_TEXTURE2D_LAYERED_LAYERS),
        ];
        const VOLUME: &[Limit] = &[
            ("width", Of::MAXIMUM_TEXTURE3D_WIDTH),
            ("height", Of::MAXIMUM_TEXTURE3D_HEIGHT),
            ("depth", Of::MAXIMUM_TEXTURE3D_DEPTH),
        ];
        const CUBE: &[Limit] = &[("width", Of::MAXIMUM_TEXTURECUBEMAP_WIDTH)];
        const CUBES: &[Limit] = &[
            ("width", Of::MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH),
            ("number of faces", Of::MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS),
        ];
        let limits = match (self.is_cube(), self.is_layered(), self.dimensions()) {
            (true, false, _) => CUBE,
            (true, true, _) => CUBES,
            (false, true, 1) => LINES,
            (false, true, _) => PLANES,
            (false, false, 1) => LINE,
            (false, false, 2) => PLANE,
            (false, false, _) => VOLUME,
        };
        limits.iter().find_map(|&(what, attribute)| {
            let length = match what {
                "width" => self.width(),
                "height" => self.height(),
                _ => self.planes_in_all(),
            };
            let most = usize::try_from(device.attribute(attribute).ok()?).ok()?;
            (length > most).then(|| format!("its {what} is at most {most} ({attribute:?})"))
        })
    }
}

impl From<usize> for ArrayShape {
    fn from(width: usize) -> Self {
        Self::line(width)
    }
}

impl From<[usize; 1]> for ArrayShape {
    fn from([width]: [usize; 1]) -> Self {
        Self::line(width)
    }
}

impl From<[usize; 2]> for ArrayShape {
    fn from([width, height]: [usize; 2]) -> Self {
        Self::plane(width, height)
    }
}

impl From<[usize; 3]> for ArrayShape {
    fn from([width, height, depth]: [usize; 3]) -> Self {
        Self::volume(width, height, depth)
    }
}

/// Formats the shape for messages: "64 x 48 texels in 3 layers".
impl fmt::Display for ArrayShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.width())?;
        if self.dimensions() > 1 {
            write!(f, " x {}", self.height())?;
        }
        if self.dimensions() > 2 {
            write!(f, " x {}", self.depth())?;
        }
        f.write_str(" texels")?;
        match (self.is_cube(), self.is_layered()) {
            (true, false) => f.write_str(" on each face of a cube"),
            (true, true) => write!(f, " on each face of {} cubes", self.layers() / 6),
            (false, true) => write!(f, " in {} layers", self.layers()),
            (false, false) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_lengths_count_as_one() {
        for (shape, texels, dimensions, text) in [
            (ArrayShape::line(7), 7, 1, "7 texels"),
            (ArrayShape::lines(7, 3), 21, 1, "7 texels in 3 layers"),
            (ArrayShape::plane(7, 2), 14, 2, "7 x 2 texels"),
            (
                ArrayShape::planes(7, 2, 5),
                70,
                2,
                "7 x 2 texels in 5 layers",
            ),
            (ArrayShape::volume(7, 2, 5), 70, 3, "7 x 2 x 5 texels"),
            (
                ArrayShape::cube(4),
                96,
                2,
                "4 x 4 texels on each face of a cube",
            ),
            (
                ArrayShape::cubes(4, 2),
                192,
                2,
                "4 x 4 texels on each face of 2 cubes",
            ),
        ] {
            assert_eq!(shape.texels(), Some(texels));
            assert_eq!(shape.dimensions(), dimensions);
            assert_eq!(shape.to_string(), text);
        }
        assert_eq!(ArrayShape::plane(usize::MAX, 2).texels(), None);
    }

    #[test]
    fn levels_halve_lengths_but_not_layers() {
        let volume = ArrayShape::volume(8, 5, 3);
        assert_eq!(volume.levels(), 4);
        assert_eq!(volume.level(1), ArrayShape::volume(4, 2, 1));
        assert_eq!(volume.level(40), ArrayShape::volume(1, 1, 1));
        let layers = ArrayShape::planes(8, 4, 100);
        assert_eq!(
            (layers.levels(), layers.level(2)),
            (4, ArrayShape::planes(2, 1, 100))
        );
        assert_eq!(ArrayShape::line(7).level(1), ArrayShape::line(3));
    }
}
