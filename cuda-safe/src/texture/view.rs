//! Views: an array with another texel format, or a part of its levels and layers.

use std::ops::RangeInclusive;

use cuda_sys::{CUDA_RESOURCE_VIEW_DESC, CUresourceViewFormat};

use super::source::Resource;
use crate::error::{Error, Result};
pub use crate::raw::texture::ViewFormat;

impl ViewFormat {
    /// Returns the bits of a channel if channels are integers.
    pub(super) fn integer_bits(self) -> Option<u32> {
        match self.0 {
            0x01..=0x06 => Some(8),
            0x07..=0x0c => Some(16),
            0x0d..=0x12 => Some(32),
            _ => None,
        }
    }

    fn is_compressed(self) -> bool {
        (0x19..=0x22).contains(&self.0)
    }
}

/// A view of an array for a texture: another texel format of the same size, or a part of its levels
/// and layers.
///
/// ```
/// use cuda_safe::{array::CudaArray, Context, texture::{ResourceView, ViewFormat}, Sampler, Texture};
///
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// let bits = CudaArray::uninit::<u32>(&context, [8, 8])?;
/// let view = ResourceView::new(ViewFormat::FLOAT_1X32);
/// let floats = Texture::with_view(&bits, Sampler::default(), view)?;
/// assert_eq!(floats.view()?.map(|view| view.format), Some(ViewFormat::FLOAT_1X32));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ResourceView {
    /// The format as which texels are read.
    pub format: ViewFormat,
    /// The first and the last level of a mipmapped array, by default all levels.
    pub levels: Option<(u32, u32)>,
    /// The first and the last layer, by default all layers.
    pub layers: Option<(u32, u32)>,
}

impl ResourceView {
    /// Creates a view of all levels and layers with a texel format.
    #[must_use]
    pub const fn new(format: ViewFormat) -> Self {
        Self {
            format,
            levels: None,
            layers: None,
        }
    }

    /// Selects levels of a mipmapped array. The first becomes level 0 of the texture.
    #[must_use]
    pub const fn levels(mut self, levels: RangeInclusive<u32>) -> Self {
        self.levels = Some((*levels.start(), *levels.end()));
        self
    }

    /// Selects layers of an array that is not a cube. The first becomes layer 0 of the texture.
    #[must_use]
    pub const fn layers(mut self, layers: RangeInclusive<u32>) -> Self {
        self.layers = Some((*layers.start(), *layers.end()));
        self
    }

    /// Converts the view for a source. Returns an error for missing levels or layers, which the
    /// driver does not detect.
    pub(super) fn to_raw(
        self,
        resource: &Resource,
        call: &'static str,
    ) -> Result<CUDA_RESOURCE_VIEW_DESC> {
        let Some((shape, format, levels)) = resource.array() else {
            return Err(Error::invalid(
                call,
                "a view needs an array, but the source is linear memory",
            ));
        };
        // For several cubes, the driver interprets the first index as a face and the last as a
        // number of cubes.
        if shape.is_cube() && self.layers.is_some() {
            return Err(Error::invalid(call, "layers of cubes can't be selected"));
        }
        let within = |what: &str, range: Option<(u32, u32)>, count: u32| match range {
            Some((first, last)) if first > last || last >= count => Err(Error::invalid(
                call,
                format!("{what} {first} to {last} do not exist: there are {count}, counted from 0"),
            )),
            Some(range) => Ok(range),
            None => Ok((0, count - 1)),
        };
        let (first_level, last_level) = within("levels", self.levels, levels)?;
        let layers = match (shape.is_layered(), shape.is_cube()) {
            (true, false) => shape.layers(),
            (true, true) => shape.layers() / 6,
            (false, _) => 1,
        };
        let layers = u32::try_from(layers).unwrap_or(u32::MAX).max(1);
        let (first_layer, last_layer) = within("layers", self.layers, layers)?;
        let scale = if self.format.is_compressed() && format.block_side() == 1 {
            4
        } else {
            1
        };
        let [width, height, depth] = shape.lengths();
        Ok(CUDA_RESOURCE_VIEW_DESC {
            format: CUresourceViewFormat(self.format.0),
            width: width * scale,
            height: height * scale,
            depth,
            firstMipmapLevel: first_level,
            lastMipmapLevel: last_level,
            firstLayer: first_layer,
            lastLayer: last_layer,
            ..CUDA_RESOURCE_VIEW_DESC::default()
        })
    }

    /// Converts the driver's description. Returns `None` for a texture without a view.
    pub(super) fn from_raw(raw: &CUDA_RESOURCE_VIEW_DESC) -> Option<Self> {
        (raw.format.0 != 0).then_some(Self {
            format: ViewFormat(raw.format.0),
            levels: Some((raw.firstMipmapLevel, raw.lastMipmapLevel)),
            layers: Some((raw.firstLayer, raw.lastLayer)),
        })
    }
}
