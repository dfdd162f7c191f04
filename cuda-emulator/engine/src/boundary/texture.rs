//! Textures and surfaces: where their texels lie, and how they are read.

use std::any::Any;
use std::sync::Arc;

pub use crate::number::texture::channel::Channel;
pub use crate::number::texture::coordinate::Address;
pub use crate::number::texture::level::Detail;

/// How coordinates name texels.
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
    /// One dimension without filtering: linear memory.
    Memory,
}

/// The texels of one level: rows at fixed distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// The first texel; readable, and writable for surfaces, for as long as somebody has the object.
    pub base: u64,
    /// Texels along each axis, none of them 0; the third counts layers, faces and faces of all layers, too.
    pub size: [u32; 3],
    /// Bytes from row to row, and from slice to slice.
    pub row: u64,
    /// Bytes from slice to slice.
    pub slice: u64,
}

/// Texels, and what they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Texels {
    /// What reports call them.
    pub name: String,
    /// The shape that coordinates address.
    pub shape: Shape,
    /// Whether the texels form layers.
    pub layered: bool,
    /// The type of each channel.
    pub channel: Channel,
    /// Channels per texel.
    pub channels: u32,
    /// At least one.
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
    pub normalised: bool,
    /// Bytes of the first three channels are sRGB.
    pub srgb: bool,
    /// Whether filtering crosses the edges of a cube's faces.
    pub seamless: bool,
    /// How mipmap levels are chosen.
    pub detail: Detail,
    /// The value outside of the texture, for [`Address::Border`].
    pub border: [f32; 4],
}

/// A texture object.
#[derive(Clone, Debug)]
pub struct Texture {
    /// What the texels lie in, if it has to be kept.
    pub kept: Option<Arc<dyn Any + Send + Sync>>,
    /// The texels.
    pub texels: Texels,
    /// How they are read.
    pub sampler: Sampler,
}

/// A surface object.
#[derive(Clone, Debug)]
pub struct Surface {
    /// As of a texture.
    pub kept: Option<Arc<dyn Any + Send + Sync>>,
    /// The texels.
    pub texels: Texels,
}

impl Level {
    /// The address of a texel of so many bytes.
    pub(crate) fn texel(&self, [x, y, z]: [u32; 3], bytes: u64) -> u64 {
        debug_assert!(x < self.size[0] && y < self.size[1] && z < self.size[2]);
        self.base + u64::from(z) * self.slice + u64::from(y) * self.row + u64::from(x) * bytes
    }
}

impl Texels {
    /// Bytes of a texel.
    pub fn bytes(&self) -> u64 {
        self.channel.bytes() * u64::from(self.channels)
    }

    /// Layers of lines or planes, or cubes; 1 without.
    pub fn layers(&self) -> u32 {
        let slices = self.levels[0].size[2];
        match (self.layered, self.shape) {
            (false, _) => 1,
            (true, Shape::Cube) => slices / 6,
            (true, _) => slices,
        }
    }
}
