//! Textures and surfaces, through which kernels access arrays and memory by coordinates.
//!
//! A [`Texture`] reads a [`TextureSource`] through a [`Sampler`], which defines interpolation and
//! the handling of out-of-range coordinates. A [`Surface`] reads and writes texels of an array.
//!
//! - Reading: [`Texture`], [`Sampler`], [`FilterMode`], [`AddressMode`]
//! - Sources: [`TextureSource`], [`IntoTextureSource`], [`ResourceView`], [`ViewFormat`], [`TextureResource`]
//! - Writing: [`Surface`]

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
