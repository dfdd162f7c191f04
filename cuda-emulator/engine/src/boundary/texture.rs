//! Textures and surfaces: the location of their texels, and how they are read.

use std::any::Any;
use std::sync::Arc;

pub use crate::number::texture::channel::Channel;
pub use crate::number::texture::coordinate::Address;
pub use crate::number::texture::level::Detail;

/// The way coordinates address texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One dimension.
    Line,
    /// Two dimensions.
    Plane,
    /// Three dimensions.
    Volume,
    /// The six faces of a cube.
    Cube,
    /// One dimension without filtering, for linear memory.
    Memory,
}

/// The texels of one level: rows at fixed distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// The address of the first texel. The texels are readable, and for surfaces writable, as long
    /// as the object exists.
    pub base: u64,
    /// Texels along each axis, none of them 0. The third axis also counts layers, faces, and the
    /// faces of all layers.
    pub size: [u32; 3],
    /// Bytes from row to row.
    pub row: u64,
    /// Bytes from slice to slice.
    pub slice: u64,
}

/// Texels and their format.
#[derive(Clone, Debug, PartialEq)]
pub struct Texels {
    /// The name in reports.
    pub name: String,
    /// The shape that coordinates address.
    pub shape: Shape,
    /// Whether the texels form layers.
    pub layered: bool,
    /// The type of each channel.
    pub channel: Channel,
    /// Channels per texel.
    pub channels: u32,
    /// The mipmap levels, at least one.
    pub levels: Vec<Level>,
}

/// How a texture is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampler {
    /// How out-of-range coordinates are handled, per axis.
    pub address: [Address; 3],
    /// Whether values between texels are interpolated.
    pub linear: bool,
    /// Whether coordinates are normalized to 0..1.
    pub normalized: bool,
    /// Whether the bytes of the first three channels are sRGB.
    pub srgb: bool,
    /// Whether filtering crosses the edges of a cube's faces.
    pub seamless: bool,
    /// How mipmap levels are chosen.
    pub detail: Detail,
    /// The value outside the texture, for [`Address::Border`].
    pub border: [f32; 4],
}

/// A texture object.
#[derive(Clone, Debug)]
pub struct Texture {
    /// A reference that keeps the texels' memory alive, if one is needed.
    pub kept: Option<Arc<dyn Any + Send + Sync>>,
    /// The texels.
    pub texels: Texels,
    /// The sampler state.
    pub sampler: Sampler,
}

/// A surface object.
#[derive(Clone, Debug)]
pub struct Surface {
    /// A reference that keeps the texels' memory alive, if one is needed.
    pub kept: Option<Arc<dyn Any + Send + Sync>>,
    /// The texels.
    pub texels: Texels,
}

impl Level {
    /// Returns the address of a texel of `bytes` bytes.
    pub(crate) fn texel(&self, [x, y, z]: [u32; 3], bytes: u64) -> u64 {
        debug_assert!(x < self.size[0] && y < self.size[1] && z < self.size[2]);
        self.base + u64::from(z) * self.slice + u64::from(y) * self.row + u64::from(x) * bytes
    }
}

impl Texels {
    /// Returns the size of a texel in bytes.
    pub fn bytes(&self) -> u64 {
        self.channel.bytes() * u64::from(self.channels)
    }

    /// Returns the number of layers (of lines, planes or cubes), or 1 if there are none.
    pub fn layers(&self) -> u32 {
        let slices = self.levels[0].size[2];
        match (self.layered, self.shape) {
            (false, _) => 1,
            (true, Shape::Cube) => slices / 6,
            (true, _) => slices,
        }
    }
}
