//! Textures and surfaces: where their texels lie, and how they are read.

use std::any::Any;
use std::sync::Arc;

pub use crate::engine::number::texture::channel::Channel;
pub use crate::engine::number::texture::coordinate::Address;
pub use crate::engine::number::texture::level::Detail;

/// How coordinates name texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Line,
    Plane,
    Volume,
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
    pub slice: u64,
}

/// Texels, and what they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Texels {
    /// What reports call them.
    pub name: String,
    pub shape: Shape,
    pub layered: bool,
    pub channel: Channel,
    pub channels: u32,
    /// At least one.
    pub levels: Vec<Level>,
}

/// How a texture is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampler {
    pub address: [Address; 3],
    pub linear: bool,
    pub normalised: bool,
    /// Bytes of the first three channels are sRGB.
    pub srgb: bool,
    pub seamless: bool,
    pub detail: Detail,
    pub border: [f32; 4],
}

/// A texture object.
#[derive(Clone, Debug)]
pub struct Texture {
    /// What the texels lie in, if it has to be kept.
    pub kept: Option<Arc<dyn Any + Send + Sync>>,
    pub texels: Texels,
    pub sampler: Sampler,
}

/// A surface object.
#[derive(Clone, Debug)]
pub struct Surface {
    /// As of a texture.
    pub kept: Option<Arc<dyn Any + Send + Sync>>,
    pub texels: Texels,
}

impl Level {
    /// The address of a texel of so many bytes.
    pub(in crate::engine) fn texel(&self, [x, y, z]: [u32; 3], bytes: u64) -> u64 {
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
