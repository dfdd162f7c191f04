//! The formats of texels.

use std::fmt;

use bytemuck::{Pod, Zeroable};

pub use crate::raw::array::ChannelFormat;
use crate::{device::Device, driver, error::Result, memory::PlainData};
use cuda_sys as sys;
use cuda_sys::CUarray_format;

/// The format of a texel: the format of its channels, and their number.
///
/// ```
/// use cuda_safe::array::{ChannelFormat, TexelFormat};
///
/// let rgba = TexelFormat::of::<[u8; 4]>();
/// assert_eq!((rgba.channel, rgba.channels), (ChannelFormat::U8, 4));
/// assert_eq!(rgba.block_bytes(), Some(4));
/// let compressed = TexelFormat::new(ChannelFormat::BC1_UNORM, 4);
/// assert_eq!((compressed.block_bytes(), compressed.block_side()), (Some(8), 4));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TexelFormat {
    /// The format of a channel.
    pub channel: ChannelFormat,
    /// The number of channels of a texel.
    pub channels: u32,
}

impl TexelFormat {
    /// Creates a format from a channel format and the number of channels.
    #[must_use]
    pub const fn new(channel: ChannelFormat, channels: u32) -> Self {
        Self { channel, channels }
    }

    /// Returns the format of a texel type.
    #[must_use]
    pub const fn of<T: Texel>() -> Self {
        T::FORMAT
    }

    /// Returns the bytes of a texel, or of a block of texels if the format is
    /// [compressed](Self::block_side). Returns `None` for an unknown format.
    #[must_use]
    pub const fn block_bytes(self) -> Option<usize> {
        let bytes = match self.channel.0 {
            1 | 8 | 0xc0..=0xc2 | 0xc6..=0xc8 => 1,
            2 | 9 | 16 | 0xc3..=0xc5 | 0xc9..=0xcb => 2,
            3 | 10 | 32 => 4,
            0x50 => return Some(4),
            0x91 | 0x92 | 0x97 | 0x98 => return Some(8),
            0x93..=0x96 | 0x99..=0x9e => return Some(16),
            _ => return None,
        };
        Some(bytes * self.channels as usize)
    }

    /// Returns the number of texels of a block along the width and the height: 4 for a compressed
    /// format, otherwise 1.
    #[must_use]
    pub const fn block_side(self) -> usize {
        match self.channel.0 {
            0x91..=0x9e => 4,
            _ => 1,
        }
    }

    /// Returns why a driver rejects a number of channels that plain formats cannot have.
    pub(crate) fn odd_channels(self) -> Option<String> {
        let plain = matches!(self.channel.0, 1..=3 | 8..=10 | 16 | 32);
        (plain && !matches!(self.channels, 1 | 2 | 4)).then(|| {
            format!(
                "a texel must have 1, 2 or 4 channels, not {}",
                self.channels
            )
        })
    }

    /// Returns whether channels are integers, which a texture reads unchanged or as floating point.
    pub(crate) const fn is_integer(self) -> bool {
        matches!(self.channel.0, 1..=3 | 8..=10)
    }

    /// Returns the Rust type for which [`holds`](Self::holds) is true, for messages, or `None` if
    /// there is none.
    pub(crate) fn element(self) -> Option<String> {
        let channel = match self.channel.0 {
            1 | 0xc0..=0xc2 => "u8",
            2 | 0xc3..=0xc5 => "u16",
            3 => "u32",
            8 | 0xc6..=0xc8 => "i8",
            9 | 0xc9..=0xcb => "i16",
            10 => "i32",
            16 => "HalfBits",
            32 => "f32",
            _ => return None,
        };
        match self.channels {
            1 => Some(channel.into()),
            2 | 4 => Some(format!("[{channel}; {}]", self.channels)),
            _ => None,
        }
    }

    /// Returns whether texels of type `T` have this format. Integers also match formats that read
    /// them as floating point.
    pub(crate) fn holds<T: Texel>(self) -> bool {
        let theirs = T::FORMAT;
        let same_bits = match self.channel.0 {
            0xc0..=0xc2 => theirs.channel == ChannelFormat::U8,
            0xc3..=0xc5 => theirs.channel == ChannelFormat::U16,
            0xc6..=0xc8 => theirs.channel == ChannelFormat::I8,
            0xc9..=0xcb => theirs.channel == ChannelFormat::I16,
            _ => theirs.channel == self.channel,
        };
        same_bits && theirs.channels == self.channels
    }
}

impl fmt::Display for TexelFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = format!("{:?}", self.channel);
        let name = name.strip_prefix("ChannelFormat::").unwrap_or(&name);
        match self.channels {
            1 => write!(f, "1 channel of {name}"),
            channels => write!(f, "{channels} channels of {name}"),
        }
    }
}

/// The bits of a 16-bit floating-point number, as in a channel of [`ChannelFormat::F16`].
///
/// ```
/// use cuda_safe::array::{HalfBits, TexelFormat, ChannelFormat};
///
/// let one = HalfBits(0x3c00);
/// assert_eq!(TexelFormat::of::<[HalfBits; 2]>(), TexelFormat::new(ChannelFormat::F16, 2));
/// # let _ = one;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct HalfBits(
    /// The bits, as in CUDA's `__half`.
    pub u16,
);

// SAFETY: the type consists of one number.
unsafe impl Zeroable for HalfBits {}
// SAFETY: as above.
unsafe impl Pod for HalfBits {}

/// A type of texels: a number, or an array of two or four numbers. Implemented for `u8`, `i8`,
/// `u16`, `i16`, `u32`, `i32`, `f32` and [`HalfBits`].
///
/// ```
/// use cuda_safe::array::{Texel, TexelFormat};
///
/// fn channels<T: Texel>() -> u32 {
///     TexelFormat::of::<T>().channels
/// }
/// assert_eq!((channels::<f32>(), channels::<[i16; 4]>()), (1, 4));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a texel type",
    label = "expected a number of up to 32 bits, or an array of two or four of them",
    note = "fill and read arrays of other formats as bytes: `copy_from_bytes`, `to_bytes`"
)]
pub trait Texel: PlainData + private::Sealed {
    /// The format of texels of this type.
    const FORMAT: TexelFormat;
}

mod private {
    pub trait Sealed {}
}

macro_rules! texels {
    ($($type:ty: $name:ident),*) => {$(
        texels!(@ $type, $name, 1);
        texels!(@ [$type; 2], $name, 2);
        texels!(@ [$type; 4], $name, 4);
    )*};
    (@ $type:ty, $name:ident, $channels:literal) => {
        impl private::Sealed for $type {}
        impl Texel for $type {
            const FORMAT: TexelFormat = TexelFormat::new(ChannelFormat::$name, $channels);
        }
    };
}

texels!(u8: U8, i8: I8, u16: U16, i16: I16, u32: U32, i32: I32, HalfBits: F16, f32: F32);

impl Device {
    /// Returns the maximum number of elements of a one-dimensional texture of linear memory.
    ///
    /// See [`cuDeviceGetTexture1DLinearMaxWidth`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the driver does not know the format, or if the number
    /// of channels is not 1, 2 or 4.
    ///
    /// ```
    /// # use cuda_safe::{array::ChannelFormat, Device};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let device = Device::get(0)?;
    /// assert!(device.texture_1d_linear_max_width(ChannelFormat::F32, 1)? > 1 << 20);
    /// assert!(device.texture_1d_linear_max_width(ChannelFormat::F32, 3).is_err());
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuDeviceGetTexture1DLinearMaxWidth")]
    pub fn texture_1d_linear_max_width(
        self,
        format: ChannelFormat,
        channels: u32,
    ) -> Result<usize> {
        let mut width = 0;
        // SAFETY: `width` is valid for the write, and the driver rejects unknown formats.
        driver::call("cuDeviceGetTexture1DLinearMaxWidth", || unsafe {
            sys::cuDeviceGetTexture1DLinearMaxWidth(
                &mut width,
                CUarray_format(format.0),
                channels,
                self.as_raw(),
            )
        })?;
        Ok(width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_sizes_match_formats() {
        for (channel, channels, bytes, side) in [
            (ChannelFormat::U8, 1, Some(1), 1),
            (ChannelFormat::F16, 4, Some(8), 1),
            (ChannelFormat::I32, 2, Some(8), 1),
            (ChannelFormat::SNORM16X4, 4, Some(8), 1),
            (ChannelFormat::UNORM8X2, 2, Some(2), 1),
            (ChannelFormat::UNORM_10_10_10_2, 4, Some(4), 1),
            (ChannelFormat::BC4_SNORM, 1, Some(8), 4),
            (ChannelFormat::BC6H_UF16, 3, Some(16), 4),
            (ChannelFormat(0xb0), 3, None, 1),
        ] {
            let format = TexelFormat::new(channel, channels);
            assert_eq!((format.block_bytes(), format.block_side()), (bytes, side));
        }
        assert_eq!(TexelFormat::of::<[f32; 4]>().block_bytes(), Some(16));
    }

    #[test]
    fn formats_hold_only_their_own_texels() {
        let f32x2 = TexelFormat::of::<[f32; 2]>();
        assert!(f32x2.holds::<[f32; 2]>());
        assert!(!f32x2.holds::<[u32; 2]>() && !f32x2.holds::<f32>());
        let normalized = TexelFormat::new(ChannelFormat::SNORM8X4, 4);
        assert!(normalized.holds::<[i8; 4]>() && !normalized.holds::<[u8; 4]>());
        assert!(!TexelFormat::new(ChannelFormat::F16, 1).holds::<u16>());
        let element = |format: TexelFormat| format.element().unwrap_or_default();
        assert_eq!(element(normalized), "[i8; 4]");
        assert_eq!(element(TexelFormat::of::<u32>()), "u32");
        assert_eq!(element(TexelFormat::new(ChannelFormat::BC1_UNORM, 4)), "");
        assert_eq!(normalized.to_string(), "4 channels of SNORM8X4");
        assert_eq!(TexelFormat::of::<u8>().to_string(), "1 channel of U8");
    }
}
