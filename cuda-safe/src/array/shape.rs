//! How many texels an array has along each dimension, and whether it has layers.

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
    /// As the driver has them: 0 for what there is none of.
    lengths: [usize; 3],
    flags: c_uint,
    /// A length of 0 was given, which to the driver means that there is no such dimension.
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

    /// The same, lacking what another lacks.
    pub(super) const fn lacking_as(mut self, other: Self) -> Self {
        self.lacks = other.lacks;
        self
    }

    /// An error for lengths of 0, which would be taken for a shape of fewer dimensions.
    pub(super) fn expect_lengths(&self, call: &'static str) -> Result<()> {
        match self.lacks {
            None => Ok(()),
            Some(what @ ("height" | "depth")) => Err(Error::invalid(
                call,
                format!(
                    "the {what} is 0: leave it out for an array of fewer dimensions, or make it 1"
                ),
            )),
            Some(what) => Err(Error::invalid(
                call,
                format!("the {what} is 0, and an array has at least 1"),
            )),
        }
    }

    /// An error for what flags have made of a shape that is none of their kind.
    pub(super) fn expect_kind(&self, call: &'static str) -> Result<()> {
        let [width, height, planes] = self.lengths;
        let why = match (self.is_cube(), self.is_layered()) {
            (true, _) if width != height => format!(
                "a cube's faces have sides of equal length, and these are {width} and {height}"
            ),
            (true, false) if planes != 6 => {
                format!("a cube has six faces, and not {planes}: use ArrayShape::cube")
            }
            (true, true) if planes == 0 || !planes.is_multiple_of(6) => {
                format!(
                    "cubes have six faces each, and {planes} is no multiple of that: use ArrayShape::cubes"
                )
            }
            (false, true) if planes == 0 => {
                "the number of layers is 0: use ArrayShape::lines or ArrayShape::planes".to_owned()
            }
            _ => return Ok(()),
        };
        Err(Error::invalid(call, why))
    }

    /// One dimension.
    #[must_use]
    pub const fn line(width: usize) -> Self {
        Self::new([width, 0, 0], 0).lacking("width", width)
    }

    /// Two dimensions.
    #[must_use]
    pub const fn plane(width: usize, height: usize) -> Self {
        Self::new([width, height, 0], 0)
            .lacking("height", height)
            .lacking("width", width)
    }

    /// Three dimensions.
    #[must_use]
    pub const fn volume(width: usize, height: usize, depth: usize) -> Self {
        Self::new([width, height, depth], 0)
            .lacking("depth", depth)
            .lacking("height", height)
            .lacking("width", width)
    }

    /// Layers of one dimension: a texture reads one of them, without filtering between them (`CUDA_ARRAY3D_LAYERED`).
    #[must_use]
    #[doc(alias = "CUDA_ARRAY3D_LAYERED")]
    pub const fn lines(width: usize, layers: usize) -> Self {
        Self::new([width, 0, layers], LAYERED)
            .lacking("number of layers", layers)
            .lacking("width", width)
    }

    /// Layers of two dimensions (`CUDA_ARRAY3D_LAYERED`).
    #[must_use]
    pub const fn planes(width: usize, height: usize, layers: usize) -> Self {
        Self::new([width, height, layers], LAYERED)
            .lacking("number of layers", layers)
            .lacking("height", height)
            .lacking("width", width)
    }

    /// The six faces of a cube, each as wide as it is high (`CUDA_ARRAY3D_CUBEMAP`).
    #[must_use]
    #[doc(alias = "CUDA_ARRAY3D_CUBEMAP")]
    pub const fn cube(side: usize) -> Self {
        Self::new([side, side, 6], CUBE).lacking("width", side)
    }

    /// Several cubes (`CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED`).
    #[must_use]
    pub const fn cubes(side: usize, count: usize) -> Self {
        Self::new([side, side, count.saturating_mul(6)], CUBE | LAYERED)
            .lacking("number of cubes", count)
            .lacking("width", side)
    }

    /// Texels along the width.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.lengths[0]
    }

    /// Texels along the height; 1 where there is one dimension.
    #[must_use]
    pub const fn height(&self) -> usize {
        match self.lengths[1] {
            0 => 1,
            height => height,
        }
    }

    /// Texels along the depth; 1 where there are fewer than three dimensions.
    #[must_use]
    pub const fn depth(&self) -> usize {
        match self.lengths[2] {
            0 => 1,
            _ if self.flags != 0 => 1,
            depth => depth,
        }
    }

    /// Layers, of which the six faces of each cube are some; 1 where there are none.
    #[must_use]
    pub const fn layers(&self) -> usize {
        match self.flags {
            0 => 1,
            _ => self.lengths[2],
        }
    }

    /// How many dimensions a texel's place has, without the layer: 1, 2 or 3.
    #[must_use]
    pub const fn dimensions(&self) -> usize {
        match self.lengths {
            [_, 0, _] => 1,
            [_, _, 0] => 2,
            _ if self.flags != 0 => 2,
            _ => 3,
        }
    }

    /// Returns whether it has layers, or cubes of which each is one.
    #[must_use]
    pub const fn is_layered(&self) -> bool {
        self.flags & LAYERED != 0
    }

    /// Returns whether it is a cube, or several.
    #[must_use]
    pub const fn is_cube(&self) -> bool {
        self.flags & CUBE != 0
    }

    /// Texels of all dimensions and layers; `None` where these are more than can be counted.
    #[must_use]
    pub fn texels(&self) -> Option<usize> {
        self.width()
            .checked_mul(self.height())?
            .checked_mul(self.planes_in_all())
    }

    /// The shape of a level of a mipmapped array whose largest has this shape: level 0 is the largest.
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

    /// How many levels there are down to one of a single texel in each layer.
    #[must_use]
    pub fn levels(&self) -> u32 {
        let longest = self.width().max(self.height()).max(self.depth());
        longest.max(1).ilog2() + 1
    }

    /// Slices, layers or faces; at least one.
    pub(super) const fn planes_in_all(&self) -> usize {
        match self.lengths[2] {
            0 => 1,
            planes => planes,
        }
    }

    /// As the driver has them: 0 for what there is none of.
    pub(crate) const fn lengths(&self) -> [usize; 3] {
        self.lengths
    }

    /// As the driver has it: lengths, and the flags that belong to the shape.
    pub(super) const fn parts(&self) -> ([usize; 3], c_uint) {
        (self.lengths, self.flags)
    }

    pub(super) const fn from_parts(lengths: [usize; 3], flags: c_uint) -> Self {
        Self::new(lengths, flags & (LAYERED | CUBE))
    }
}

impl ArrayShape {
    /// Which length is beyond the device's limit for textures, where one is.
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

/// For messages: "64 x 48 texels in 3 layers".
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
    fn lengths_that_there_are_none_of_count_as_one() {
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
    fn levels_halve_all_but_layers() {
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
