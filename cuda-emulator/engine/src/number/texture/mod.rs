//! The arithmetic of textures and surfaces: channels, coordinates, weights, levels, faces of cubes.

pub(crate) mod channel;
pub(crate) mod coordinate;
pub(crate) mod cube;
pub(crate) mod filter;
pub(crate) mod level;
