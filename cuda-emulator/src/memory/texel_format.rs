//! The size of texels of each format.

use crate::abi::status::{Code, Result};
use crate::abi::*;

/// A texel format. The unit is a block, which is one texel, or several if the format is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Texel {
    /// `CUarray_format`
    pub format: u32,
    pub channels: u32,
    /// Bytes per block.
    pub bytes: u64,
    /// Width and height of a block in texels: 4 for block-compressed formats, else 1.
    pub side: u64,
}

impl Texel {
    /// Creates the texel format of a format and a number of channels.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the format does not exist or does not have this number
    /// of channels.
    pub fn new(format: u32, channels: u32) -> Result<Texel> {
        let plain = |bytes| (bytes, None);
        let (of_channel, exactly) = match format {
            CU_AD_FORMAT_UNSIGNED_INT8 | CU_AD_FORMAT_SIGNED_INT8 => plain(1),
            CU_AD_FORMAT_UNSIGNED_INT16 | CU_AD_FORMAT_SIGNED_INT16 | CU_AD_FORMAT_HALF => plain(2),
            CU_AD_FORMAT_UNSIGNED_INT32 | CU_AD_FORMAT_SIGNED_INT32 | CU_AD_FORMAT_FLOAT => {
                plain(4)
            }
            CU_AD_FORMAT_UNORM_INT8X1 | CU_AD_FORMAT_SNORM_INT8X1 => (1, Some(1)),
            CU_AD_FORMAT_UNORM_INT8X2 | CU_AD_FORMAT_SNORM_INT8X2 => (1, Some(2)),
            CU_AD_FORMAT_UNORM_INT8X4 | CU_AD_FORMAT_SNORM_INT8X4 => (1, Some(4)),
            CU_AD_FORMAT_UNORM_INT16X1 | CU_AD_FORMAT_SNORM_INT16X1 => (2, Some(1)),
            CU_AD_FORMAT_UNORM_INT16X2 | CU_AD_FORMAT_SNORM_INT16X2 => (2, Some(2)),
            CU_AD_FORMAT_UNORM_INT16X4 | CU_AD_FORMAT_SNORM_INT16X4 => (2, Some(4)),
            CU_AD_FORMAT_UNORM_INT_101010_2 => (1, Some(4)),
            _ => return Texel::compressed(format, channels),
        };
        if !matches!(channels, 1 | 2 | 4) || exactly.is_some_and(|exactly| channels != exactly) {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        Ok(Texel {
            format,
            channels,
            bytes: of_channel * u64::from(channels),
            side: 1,
        })
    }

    fn compressed(format: u32, channels: u32) -> Result<Texel> {
        let (bytes, exactly) = match format {
            CU_AD_FORMAT_BC1_UNORM | CU_AD_FORMAT_BC1_UNORM_SRGB => (8, 4),
            CU_AD_FORMAT_BC4_UNORM | CU_AD_FORMAT_BC4_SNORM => (8, 1),
            CU_AD_FORMAT_BC5_UNORM | CU_AD_FORMAT_BC5_SNORM => (16, 2),
            CU_AD_FORMAT_BC6H_UF16 | CU_AD_FORMAT_BC6H_SF16 => (16, 3),
            CU_AD_FORMAT_BC2_UNORM
            | CU_AD_FORMAT_BC2_UNORM_SRGB
            | CU_AD_FORMAT_BC3_UNORM
            | CU_AD_FORMAT_BC3_UNORM_SRGB
            | CU_AD_FORMAT_BC7_UNORM
            | CU_AD_FORMAT_BC7_UNORM_SRGB => (16, 4),
            _ => return Err(Code::ERROR_INVALID_VALUE),
        };
        if channels != exactly {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        Ok(Texel {
            format,
            channels,
            bytes,
            side: 4,
        })
    }

    /// Returns whether texels are stored in compressed blocks.
    pub fn is_compressed(&self) -> bool {
        self.side > 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_size_depends_on_format_and_channels() {
        for (format, channels, bytes, side) in [
            (CU_AD_FORMAT_UNSIGNED_INT8, 1, 1, 1),
            (CU_AD_FORMAT_SIGNED_INT16, 2, 4, 1),
            (CU_AD_FORMAT_HALF, 4, 8, 1),
            (CU_AD_FORMAT_FLOAT, 4, 16, 1),
            (CU_AD_FORMAT_UNORM_INT16X2, 2, 4, 1),
            (CU_AD_FORMAT_UNORM_INT_101010_2, 4, 4, 1),
            (CU_AD_FORMAT_BC1_UNORM, 4, 8, 4),
            (CU_AD_FORMAT_BC6H_SF16, 3, 16, 4),
        ] {
            let texel = Texel::new(format, channels).unwrap();
            assert_eq!((texel.bytes, texel.side), (bytes, side), "{format:#x}");
        }
        for (format, channels) in [
            (0, 1),
            (CU_AD_FORMAT_FLOAT, 0),
            (CU_AD_FORMAT_FLOAT, 3),
            (CU_AD_FORMAT_UNORM_INT8X2, 4),
            (CU_AD_FORMAT_BC1_UNORM, 1),
            (0x7fff, 1),
        ] {
            assert!(Texel::new(format, channels).is_err(), "{format:#x}");
        }
    }
}
