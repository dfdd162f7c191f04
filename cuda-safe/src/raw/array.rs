//! Flags and choices of arrays.

use std::ffi::c_uint;

use super::flags::{choices, flags};

choices! {
    /// The format of a texel's channel, or of a whole texel for formats with a special layout
    /// (`CUarray_format`).
    pub struct ChannelFormat(c_uint) {
        /// Unsigned 8-bit integers.
        U8 = 1, "CU_AD_FORMAT_UNSIGNED_INT8";
        /// Unsigned 16-bit integers.
        U16 = 2, "CU_AD_FORMAT_UNSIGNED_INT16";
        /// Unsigned 32-bit integers.
        U32 = 3, "CU_AD_FORMAT_UNSIGNED_INT32";
        /// Signed 8-bit integers.
        I8 = 8, "CU_AD_FORMAT_SIGNED_INT8";
        /// Signed 16-bit integers.
        I16 = 9, "CU_AD_FORMAT_SIGNED_INT16";
        /// Signed 32-bit integers.
        I32 = 10, "CU_AD_FORMAT_SIGNED_INT32";
        /// 16-bit floating point.
        F16 = 16, "CU_AD_FORMAT_HALF";
        /// 32-bit floating point.
        F32 = 32, "CU_AD_FORMAT_FLOAT";
        /// One channel of unsigned 8-bit integers, read as 0 to 1.
        UNORM8X1 = 0xc0, "CU_AD_FORMAT_UNORM_INT8X1";
        /// Two channels of unsigned 8-bit integers, read as 0 to 1.
        UNORM8X2 = 0xc1, "CU_AD_FORMAT_UNORM_INT8X2";
        /// Four channels of unsigned 8-bit integers, read as 0 to 1.
        UNORM8X4 = 0xc2, "CU_AD_FORMAT_UNORM_INT8X4";
        /// One channel of unsigned 16-bit integers, read as 0 to 1.
        UNORM16X1 = 0xc3, "CU_AD_FORMAT_UNORM_INT16X1";
        /// Two channels of unsigned 16-bit integers, read as 0 to 1.
        UNORM16X2 = 0xc4, "CU_AD_FORMAT_UNORM_INT16X2";
        /// Four channels of unsigned 16-bit integers, read as 0 to 1.
        UNORM16X4 = 0xc5, "CU_AD_FORMAT_UNORM_INT16X4";
        /// One channel of signed 8-bit integers, read as -1 to 1.
        SNORM8X1 = 0xc6, "CU_AD_FORMAT_SNORM_INT8X1";
        /// Two channels of signed 8-bit integers, read as -1 to 1.
        SNORM8X2 = 0xc7, "CU_AD_FORMAT_SNORM_INT8X2";
        /// Four channels of signed 8-bit integers, read as -1 to 1.
        SNORM8X4 = 0xc8, "CU_AD_FORMAT_SNORM_INT8X4";
        /// One channel of signed 16-bit integers, read as -1 to 1.
        SNORM16X1 = 0xc9, "CU_AD_FORMAT_SNORM_INT16X1";
        /// Two channels of signed 16-bit integers, read as -1 to 1.
        SNORM16X2 = 0xca, "CU_AD_FORMAT_SNORM_INT16X2";
        /// Four channels of signed 16-bit integers, read as -1 to 1.
        SNORM16X4 = 0xcb, "CU_AD_FORMAT_SNORM_INT16X4";
        /// Blocks of 4 by 4 texels in 8 bytes, with four channels.
        BC1_UNORM = 0x91, "CU_AD_FORMAT_BC1_UNORM";
        /// Like [`BC1_UNORM`](Self::BC1_UNORM), with sRGB colors.
        BC1_UNORM_SRGB = 0x92, "CU_AD_FORMAT_BC1_UNORM_SRGB";
        /// Blocks of 4 by 4 texels in 16 bytes, with four channels.
        BC2_UNORM = 0x93, "CU_AD_FORMAT_BC2_UNORM";
        /// Like [`BC2_UNORM`](Self::BC2_UNORM), with sRGB colors.
        BC2_UNORM_SRGB = 0x94, "CU_AD_FORMAT_BC2_UNORM_SRGB";
        /// Blocks of 4 by 4 texels in 16 bytes, with four channels.
        BC3_UNORM = 0x95, "CU_AD_FORMAT_BC3_UNORM";
        /// Like [`BC3_UNORM`](Self::BC3_UNORM), with sRGB colors.
        BC3_UNORM_SRGB = 0x96, "CU_AD_FORMAT_BC3_UNORM_SRGB";
        /// Blocks of 4 by 4 texels in 8 bytes, with one channel.
        BC4_UNORM = 0x97, "CU_AD_FORMAT_BC4_UNORM";
        /// Like [`BC4_UNORM`](Self::BC4_UNORM), but signed.
        BC4_SNORM = 0x98, "CU_AD_FORMAT_BC4_SNORM";
        /// Blocks of 4 by 4 texels in 16 bytes, with two channels.
        BC5_UNORM = 0x99, "CU_AD_FORMAT_BC5_UNORM";
        /// Like [`BC5_UNORM`](Self::BC5_UNORM), but signed.
        BC5_SNORM = 0x9a, "CU_AD_FORMAT_BC5_SNORM";
        /// Blocks of 4 by 4 texels in 16 bytes, with three channels of unsigned floating point.
        BC6H_UF16 = 0x9b, "CU_AD_FORMAT_BC6H_UF16";
        /// Like [`BC6H_UF16`](Self::BC6H_UF16), but signed.
        BC6H_SF16 = 0x9c, "CU_AD_FORMAT_BC6H_SF16";
        /// Blocks of 4 by 4 texels in 16 bytes, with four channels.
        BC7_UNORM = 0x9d, "CU_AD_FORMAT_BC7_UNORM";
        /// Like [`BC7_UNORM`](Self::BC7_UNORM), with sRGB colors.
        BC7_UNORM_SRGB = 0x9e, "CU_AD_FORMAT_BC7_UNORM_SRGB";
        /// Three channels of 10 bits and one of 2, read as 0 to 1. Since CUDA 12.8.
        UNORM_10_10_10_2 = 0x50, "CU_AD_FORMAT_UNORM_INT_101010_2";
    }
}

flags! {
    /// The uses of an array, in addition to textures.
    pub struct ArrayFlags {
        /// Surfaces can read and write the array.
        SURFACE = 0x02, "CUDA_ARRAY3D_SURFACE_LDST";
        /// Textures can gather from the array: they read one channel of four texels at once. Only
        /// for two dimensions.
        GATHER = 0x08, "CUDA_ARRAY3D_TEXTURE_GATHER";
        /// The array is a depth texture.
        DEPTH_TEXTURE = 0x10, "CUDA_ARRAY3D_DEPTH_TEXTURE";
        /// Graphics interfaces that share the array can draw to it.
        COLOR_ATTACHMENT = 0x20, "CUDA_ARRAY3D_COLOR_ATTACHMENT";
        /// The array has no memory. You map memory to single tiles later (`cuMemMapArrayAsync`).
        SPARSE = 0x40, "CUDA_ARRAY3D_SPARSE";
        /// The array has no memory. You map memory to the whole array later (`cuMemMapArrayAsync`).
        DEFERRED_MAPPING = 0x80, "CUDA_ARRAY3D_DEFERRED_MAPPING";
        /// Video encoders and decoders can use the array. Since CUDA 12.8.
        VIDEO = 0x100, "CUDA_ARRAY3D_VIDEO_ENCODE_DECODE";
    }
}
