//! Textures and surfaces: how kernels reach arrays, and read memory with filters and edges.

mod argument;
mod object;
mod sampler;
mod source;
mod surface;
mod view;

pub use object::{Texture, TextureResource};
pub use sampler::{AddressMode, FilterMode, Sampler};
pub use source::{IntoTextureSource, TextureSource};
pub use surface::Surface;
pub use view::{ResourceView, ViewFormat};
