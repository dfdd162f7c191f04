//! Samplers: coordinates, out-of-range handling and filters.

use std::ffi::c_uint;

use cuda_sys::{CUDA_TEXTURE_DESC, CUaddress_mode, CUfilter_mode};

pub use crate::raw::texture::{AddressMode, FilterMode};
use crate::{
    array::TexelFormat,
    error::{Error, Result},
    raw::constants::{
        DISABLE_TRILINEAR_OPTIMIZATION, NORMALIZED_COORDINATES, READ_AS_INTEGER, SEAMLESS_CUBEMAP,
        SRGB,
    },
};

/// The settings for reading a texture.
///
/// The default counts coordinates in texels, reads the texel at the coordinates without
/// interpolation, repeats edge texels outside the array, and reads all levels of a mipmapped array.
///
/// ```
/// use cuda_safe::{texture::{AddressMode, FilterMode}, Sampler};
///
/// let sampler = Sampler::default()
///     .normalized_coordinates(true)
///     .address(AddressMode::WRAP)
///     .filter(FilterMode::LINEAR);
/// assert_eq!(sampler.filter, FilterMode::LINEAR);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sampler {
    /// How out-of-range coordinates are handled in each dimension.
    pub address: [AddressMode; 3],
    /// How values between texels are interpolated.
    pub filter: FilterMode,
    /// Whether coordinates range from 0 to 1 over the width, the height and the depth, instead of
    /// counting texels. For mipmapped arrays they always do, as recorded on an H200 (driver 580).
    pub normalized_coordinates: bool,
    /// Whether 8-bit and 16-bit integers are read as floating point: from 0 to 1, or from -1 to 1
    /// if signed. Otherwise they are read as integers. It has no effect on other formats.
    pub normalized_read: bool,
    /// Whether colors are converted from sRGB when they are read.
    pub srgb: bool,
    /// The maximum number of samples for anisotropic filtering. 0 and 1 disable it.
    pub max_anisotropy: u32,
    /// How values between the levels of a mipmapped array are interpolated.
    pub mipmap_filter: FilterMode,
    /// The offset that is added to the requested level.
    pub mipmap_bias: f32,
    /// The lowest level that is read, by default 0.
    pub min_mipmap_level: f32,
    /// The highest level that is read. The default [`f32::INFINITY`] means the last level.
    pub max_mipmap_level: f32,
    /// The color for [`AddressMode::BORDER`]. For integers, the bits of the `f32` are those of the
    /// integer.
    pub border_color: [f32; 4],
    /// Whether filters reach across the edges of a cube's faces.
    pub seamless_cube: bool,
    /// Whether the driver is forbidden to simplify interpolation between levels.
    pub disable_trilinear_optimization: bool,
}

impl Default for Sampler {
    fn default() -> Self {
        Self {
            address: [AddressMode::CLAMP; 3],
            filter: FilterMode::POINT,
            normalized_coordinates: false,
            normalized_read: false,
            srgb: false,
            max_anisotropy: 0,
            mipmap_filter: FilterMode::POINT,
            mipmap_bias: 0.0,
            min_mipmap_level: 0.0,
            max_mipmap_level: f32::INFINITY,
            border_color: [0.0; 4],
            seamless_cube: false,
            disable_trilinear_optimization: false,
        }
    }
}

macro_rules! setters {
    ($($field:ident: $type:ty,)*) => {$(
        #[doc = concat!("Sets [`", stringify!($field), "`](Self#structfield.", stringify!($field), ").")]
        #[must_use]
        pub const fn $field(mut self, $field: $type) -> Self {
            self.$field = $field;
            self
        }
    )*};
}

/// Uses the same mode in all dimensions.
impl From<AddressMode> for [AddressMode; 3] {
    fn from(mode: AddressMode) -> Self {
        [mode; 3]
    }
}

impl Sampler {
    /// Sets [`address`](Self#structfield.address), with one mode for all dimensions or one for
    /// each.
    #[must_use]
    pub fn address(mut self, address: impl Into<[AddressMode; 3]>) -> Self {
        self.address = address.into();
        self
    }

    setters! {
        filter: FilterMode,
        normalized_coordinates: bool,
        normalized_read: bool,
        srgb: bool,
        max_anisotropy: u32,
        mipmap_filter: FilterMode,
        mipmap_bias: f32,
        min_mipmap_level: f32,
        max_mipmap_level: f32,
        border_color: [f32; 4],
        seamless_cube: bool,
        disable_trilinear_optimization: bool,
    }

    /// Returns an error for combinations that the driver accepts silently but handles differently.
    pub(super) fn check(&self, read: Read, call: &'static str) -> Result<()> {
        let invalid = |text: &str| Err(Error::invalid(call, text));
        if self.normalized_read && read.integer_bits == Some(32) {
            return invalid(
                "32-bit integers can't be read as floating point. Fix: use normalized_read only for 8 and 16 bits",
            );
        }
        if read.by_index {
            return if self.filter == FilterMode::POINT && !self.normalized_coordinates {
                Ok(())
            } else {
                invalid(
                    "linear memory is read by index (tex1Dfetch), without a filter and without normalized coordinates. Fix: \
                     use rows of pitched memory, or an array",
                )
            };
        }
        if self.filter != FilterMode::POINT && read.integer_bits.is_some() && !self.normalized_read
        {
            return invalid(
                "a filter other than POINT needs floating point. Fix: use normalized_read for 8-bit and 16-bit integers",
            );
        }
        let folds = [AddressMode::WRAP, AddressMode::MIRROR];
        let used = &self.address[..read.dimensions.clamp(1, 3)];
        if !self.normalized_coordinates && used.iter().any(|mode| folds.contains(mode)) {
            return invalid("AddressMode::WRAP and MIRROR need normalized_coordinates");
        }
        if self.seamless_cube && !read.is_cube {
            return invalid("seamless_cube needs an array that is a cube");
        }
        Ok(())
    }

    /// Returns the first field with an unknown value, which a driver may reject.
    pub(super) fn unknown(&self) -> Option<String> {
        let address = self.address.iter().find(|mode| !mode.has_name());
        let filters = [
            ("filter", self.filter),
            ("mipmap_filter", self.mipmap_filter),
        ];
        let filter = filters.iter().find(|(_, mode)| !mode.has_name());
        address
            .map(|mode| format!("address: {mode:?}"))
            .or_else(|| filter.map(|(field, mode)| format!("{field}: {mode:?}")))
    }

    pub(super) fn to_raw(self, read: Read) -> CUDA_TEXTURE_DESC {
        let bit = |set: bool, bit: c_uint| if set { bit } else { 0 };
        let as_integer = read.integer_bits.is_some() && !self.normalized_read;
        CUDA_TEXTURE_DESC {
            addressMode: self.address.map(|mode| CUaddress_mode(mode.0)),
            filterMode: CUfilter_mode(self.filter.0),
            flags: bit(as_integer, READ_AS_INTEGER)
                | bit(self.normalized_coordinates, NORMALIZED_COORDINATES)
                | bit(self.srgb, SRGB)
                | bit(
                    self.disable_trilinear_optimization,
                    DISABLE_TRILINEAR_OPTIMIZATION,
                )
                | bit(self.seamless_cube, SEAMLESS_CUBEMAP),
            maxAnisotropy: self.max_anisotropy,
            mipmapFilterMode: CUfilter_mode(self.mipmap_filter.0),
            mipmapLevelBias: self.mipmap_bias,
            minMipmapLevelClamp: self.min_mipmap_level,
            maxMipmapLevelClamp: match self.max_mipmap_level {
                // Drivers may not accept values above the last level, so pass the last level.
                f32::INFINITY => read.last_level(),
                level => level,
            },
            borderColor: self.border_color,
            ..CUDA_TEXTURE_DESC::default()
        }
    }

    /// Converts the driver's description. `last_level` is that of the source, or `None` if it is
    /// unknown.
    pub(super) fn from_raw(
        raw: &CUDA_TEXTURE_DESC,
        are_integers: bool,
        last_level: Option<f32>,
    ) -> Self {
        let has = |bit: c_uint| raw.flags & bit != 0;
        Self {
            address: raw.addressMode.map(|mode| AddressMode(mode.0)),
            filter: FilterMode(raw.filterMode.0),
            normalized_coordinates: has(NORMALIZED_COORDINATES),
            normalized_read: are_integers && !has(READ_AS_INTEGER),
            srgb: has(SRGB),
            max_anisotropy: raw.maxAnisotropy,
            mipmap_filter: FilterMode(raw.mipmapFilterMode.0),
            mipmap_bias: raw.mipmapLevelBias,
            min_mipmap_level: raw.minMipmapLevelClamp,
            max_mipmap_level: match last_level {
                Some(last) if raw.maxMipmapLevelClamp >= last => f32::INFINITY,
                _ => raw.maxMipmapLevelClamp,
            },
            border_color: raw.borderColor,
            seamless_cube: has(SEAMLESS_CUBEMAP),
            disable_trilinear_optimization: has(DISABLE_TRILINEAR_OPTIMIZATION),
        }
    }
}

/// The properties of a source on which a sampler depends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Read {
    /// The bits of a channel if channels are integers.
    pub(super) integer_bits: Option<u32>,
    /// Whether the source is linear memory, whose texels are fetched by index.
    pub(super) by_index: bool,
    pub(super) is_cube: bool,
    /// The number of coordinates of a texel.
    pub(super) dimensions: usize,
    /// The number of levels, which is 1 unless the source is a mipmapped array.
    pub(super) levels: u32,
}

impl Read {
    fn last_level(self) -> f32 {
        self.levels.saturating_sub(1) as f32
    }
}

/// Returns the bits of a channel if channels are integers.
pub(super) fn integer_bits(format: TexelFormat) -> Option<u32> {
    let bytes = format.block_bytes()?;
    let channels = format.channels.max(1) as usize;
    format.is_integer().then_some(8 * (bytes / channels) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::Texel;

    fn read<T: Texel>() -> Read {
        Read {
            integer_bits: integer_bits(T::FORMAT),
            by_index: false,
            is_cube: false,
            dimensions: 2,
            levels: 5,
        }
    }

    #[test]
    fn invalid_combinations_are_rejected() {
        let default = Sampler::default();
        let linear = default.filter(FilterMode::LINEAR);
        let wrapped = default.address([AddressMode::WRAP, AddressMode::CLAMP, AddressMode::CLAMP]);
        let refused = |sampler: Sampler, read: Read| sampler.check(read, "t").is_err();
        assert!(!refused(default, read::<u8>()) && !refused(linear, read::<f32>()));
        assert!(refused(linear, read::<[u16; 4]>()));
        assert!(!refused(linear.normalized_read(true), read::<[u16; 4]>()));
        assert!(refused(default.normalized_read(true), read::<i32>()));
        assert!(refused(wrapped, read::<f32>()));
        assert!(!refused(
            wrapped.normalized_coordinates(true),
            read::<f32>()
        ));
        assert!(refused(default.seamless_cube(true), read::<f32>()));
        // Address modes of missing dimensions are ignored.
        let third = default.address([AddressMode::CLAMP, AddressMode::CLAMP, AddressMode::WRAP]);
        assert!(!refused(third, read::<f32>()));
        let by_index = Read {
            by_index: true,
            ..read::<f32>()
        };
        assert!(!refused(default, by_index) && refused(linear, by_index));
    }

    #[test]
    fn samplers_survive_conversion() {
        let sampler = Sampler::default()
            .address([AddressMode::MIRROR, AddressMode::BORDER, AddressMode::WRAP])
            .filter(FilterMode::LINEAR)
            .normalized_coordinates(true)
            .normalized_read(true)
            .srgb(true)
            .max_anisotropy(8)
            .mipmap_filter(FilterMode::LINEAR)
            .mipmap_bias(-0.5)
            .min_mipmap_level(1.0)
            .max_mipmap_level(3.0)
            .border_color([1.0, 2.0, 3.0, 4.0])
            .seamless_cube(true)
            .disable_trilinear_optimization(true);
        let raw = sampler.to_raw(read::<u8>());
        assert_eq!(raw.flags, 0x72);
        assert_eq!(Sampler::from_raw(&raw, true, Some(4.0)), sampler);
        assert_eq!(Sampler::from_raw(&raw, true, None), sampler);
        let plain = Sampler::default();
        assert_eq!(plain.to_raw(read::<u8>()).flags, READ_AS_INTEGER);
        assert_eq!(plain.to_raw(read::<f32>()).flags, 0);
        assert_eq!(
            Sampler::from_raw(&plain.to_raw(read::<f32>()), false, Some(4.0)),
            plain
        );
    }

    #[test]
    fn infinite_level_becomes_the_last_level() {
        let levels = |levels| Read {
            levels,
            ..read::<f32>()
        };
        let most = |sampler: Sampler, read: Read| sampler.to_raw(read).maxMipmapLevelClamp;
        let all = Sampler::default();
        assert_eq!(most(all, levels(5)), 4.0);
        assert_eq!(most(all, levels(1)), 0.0);
        assert_eq!(most(all.max_mipmap_level(1.5), levels(5)), 1.5);
    }
}
