//! The arithmetic of textures and surfaces: channels, coordinates, weights, levels, faces of cubes.

pub(crate) mod channel;
pub(in crate::engine) mod coordinate;
pub(in crate::engine) mod cube;
pub(in crate::engine) mod filter;
pub(in crate::engine) mod level;
