//! Flags and choices of arrays.

use std::ffi::c_uint;

use super::flags::{choices, flags};

choices! {
    /// What a channel of a texture's elements is; the formats with a layout of their own say what a whole element is
    /// (`CUarray_format`).
    pub struct ChannelFormat(c_uint) {
        /// 8 bits without a sign.
        U8 = 1, "CU_AD_FORMAT_UNSIGNED_INT8";
        /// 16 bits without a sign.
        U16 = 2, "CU_AD_FORMAT_UNSIGNED_INT16";
        /// 32 bits without a sign.
        U32 = 3, "CU_AD_FORMAT_UNSIGNED_INT32";
        /// 8 bits with a sign.
        I8 = 8, "CU_AD_FORMAT_SIGNED_INT8";
        /// 16 bits with a sign.
        I16 = 9, "CU_AD_FORMAT_SIGNED_INT16";
        /// 32 bits with a sign.
        I32 = 10, "CU_AD_FORMAT_SIGNED_INT32";
        /// Floating point of 16 bits.
        F16 = 16, "CU_AD_FORMAT_HALF";
        /// Floating point of 32 bits.
        F32 = 32, "CU_AD_FORMAT_FLOAT";
        /// One channel of 8 bits without a sign, which reads as 0 to 1.
        UNORM8X1 = 0xc0, "CU_AD_FORMAT_UNORM_INT8X1";
        /// Two channels of 8 bits without a sign, which read as 0 to 1.
        UNORM8X2 = 0xc1, "CU_AD_FORMAT_UNORM_INT8X2";
        /// Four channels of 8 bits without a sign, which read as 0 to 1.
        UNORM8X4 = 0xc2, "CU_AD_FORMAT_UNORM_INT8X4";
        /// One channel of 16 bits without a sign, which reads as 0 to 1.
        UNORM16X1 = 0xc3, "CU_AD_FORMAT_UNORM_INT16X1";
        /// Two channels of 16 bits without a sign, which read as 0 to 1.
        UNORM16X2 = 0xc4, "CU_AD_FORMAT_UNORM_INT16X2";
        /// Four channels of 16 bits without a sign, which read as 0 to 1.
        UNORM16X4 = 0xc5, "CU_AD_FORMAT_UNORM_INT16X4";
        /// One channel of 8 bits with a sign, which reads as -1 to 1.
        SNORM8X1 = 0xc6, "CU_AD_FORMAT_SNORM_INT8X1";
        /// Two channels of 8 bits with a sign, which read as -1 to 1.
        SNORM8X2 = 0xc7, "CU_AD_FORMAT_SNORM_INT8X2";
        /// Four channels of 8 bits with a sign, which read as -1 to 1.
        SNORM8X4 = 0xc8, "CU_AD_FORMAT_SNORM_INT8X4";
        /// One channel of 16 bits with a sign, which reads as -1 to 1.
        SNORM16X1 = 0xc9, "CU_AD_FORMAT_SNORM_INT16X1";
        /// Two channels of 16 bits with a sign, which read as -1 to 1.
        SNORM16X2 = 0xca, "CU_AD_FORMAT_SNORM_INT16X2";
        /// Four channels of 16 bits with a sign, which read as -1 to 1.
        SNORM16X4 = 0xcb, "CU_AD_FORMAT_SNORM_INT16X4";
        /// Blocks of 4 by 4 texels in 8 bytes, of four channels.
        BC1_UNORM = 0x91, "CU_AD_FORMAT_BC1_UNORM";
        /// The same, of colours in sRGB.
        BC1_UNORM_SRGB = 0x92, "CU_AD_FORMAT_BC1_UNORM_SRGB";
        /// Blocks of 4 by 4 texels in 16 bytes, of four channels.
        BC2_UNORM = 0x93, "CU_AD_FORMAT_BC2_UNORM";
        /// The same, of colours in sRGB.
        BC2_UNORM_SRGB = 0x94, "CU_AD_FORMAT_BC2_UNORM_SRGB";
        /// Blocks of 4 by 4 texels in 16 bytes, of four channels.
        BC3_UNORM = 0x95, "CU_AD_FORMAT_BC3_UNORM";
        /// The same, of colours in sRGB.
        BC3_UNORM_SRGB = 0x96, "CU_AD_FORMAT_BC3_UNORM_SRGB";
        /// Blocks of 4 by 4 texels in 8 bytes, of one channel.
        BC4_UNORM = 0x97, "CU_AD_FORMAT_BC4_UNORM";
        /// The same, with a sign.
        BC4_SNORM = 0x98, "CU_AD_FORMAT_BC4_SNORM";
        /// Blocks of 4 by 4 texels in 16 bytes, of two channels.
        BC5_UNORM = 0x99, "CU_AD_FORMAT_BC5_UNORM";
        /// The same, with a sign.
        BC5_SNORM = 0x9a, "CU_AD_FORMAT_BC5_SNORM";
        /// Blocks of 4 by 4 texels in 16 bytes, of three channels of floating point without a sign.
        BC6H_UF16 = 0x9b, "CU_AD_FORMAT_BC6H_UF16";
        /// The same, with a sign.
        BC6H_SF16 = 0x9c, "CU_AD_FORMAT_BC6H_SF16";
        /// Blocks of 4 by 4 texels in 16 bytes, of four channels.
        BC7_UNORM = 0x9d, "CU_AD_FORMAT_BC7_UNORM";
        /// The same, of colours in sRGB.
        BC7_UNORM_SRGB = 0x9e, "CU_AD_FORMAT_BC7_UNORM_SRGB";
        /// Three channels of 10 bits and one of 2, which read as 0 to 1; since CUDA 12.8.
        UNORM_10_10_10_2 = 0x50, "CU_AD_FORMAT_UNORM_INT_101010_2";
    }
}

flags! {
    /// What an array is made for, beside textures.
    pub struct ArrayFlags {
        /// Surfaces read and write it.
        SURFACE = 0x02, "CUDA_ARRAY3D_SURFACE_LDST";
        /// Textures gather from it: they read one channel of four texels at once. Only for two dimensions.
        GATHER = 0x08, "CUDA_ARRAY3D_TEXTURE_GATHER";
        /// It is a depth texture.
        DEPTH_TEXTURE = 0x10, "CUDA_ARRAY3D_DEPTH_TEXTURE";
        /// Graphics interfaces that share it draw to it.
        COLOR_ATTACHMENT = 0x20, "CUDA_ARRAY3D_COLOR_ATTACHMENT";
        /// It has no memory: that is mapped to its tiles later, where it is needed (`cuMemMapArrayAsync`).
        SPARSE = 0x40, "CUDA_ARRAY3D_SPARSE";
        /// It has no memory: that is mapped to the whole array later (`cuMemMapArrayAsync`).
        DEFERRED_MAPPING = 0x80, "CUDA_ARRAY3D_DEFERRED_MAPPING";
        /// Video encoders and decoders use it; since CUDA 12.8.
        VIDEO = 0x100, "CUDA_ARRAY3D_VIDEO_ENCODE_DECODE";
    }
}
