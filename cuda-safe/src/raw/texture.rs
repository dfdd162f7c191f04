//! Flags and choices of textures.

use std::ffi::c_uint;

use super::flags::choices;

choices! {
    /// What a texture gives for coordinates outside of it (`CUaddress_mode`).
    pub struct AddressMode(c_uint) {
        /// It begins again. Only for normalised coordinates.
        WRAP = 0, "CU_TR_ADDRESS_MODE_WRAP";
        /// The nearest texel of the edge.
        CLAMP = 1, "CU_TR_ADDRESS_MODE_CLAMP";
        /// It goes backwards, then forwards again. Only for normalised coordinates.
        MIRROR = 2, "CU_TR_ADDRESS_MODE_MIRROR";
        /// The border's colour.
        BORDER = 3, "CU_TR_ADDRESS_MODE_BORDER";
    }
}

choices! {
    /// What a texture gives for coordinates between texels (`CUfilter_mode`).
    pub struct FilterMode(c_uint) {
        /// The texel that they lie in.
        POINT = 0, "CU_TR_FILTER_MODE_POINT";
        /// The mean of those around them, weighted by distance. The weights have 8 bits of fraction.
        LINEAR = 1, "CU_TR_FILTER_MODE_LINEAR";
    }
}

choices! {
    /// As what texels are read (`CUresourceViewFormat`). Formats of 8 and 16 bits are integers, which
    /// [`Sampler::normalized_read`](crate::Sampler) turns into floating point.
    pub struct ViewFormat(c_uint) {
        /// One channel of 8 bits without a sign.
        UINT_1X8 = 0x01, "CU_RES_VIEW_FORMAT_UINT_1X8";
        /// Two channels of 8 bits without a sign.
        UINT_2X8 = 0x02, "CU_RES_VIEW_FORMAT_UINT_2X8";
        /// Four channels of 8 bits without a sign.
        UINT_4X8 = 0x03, "CU_RES_VIEW_FORMAT_UINT_4X8";
        /// One channel of 8 bits with a sign.
        SINT_1X8 = 0x04, "CU_RES_VIEW_FORMAT_SINT_1X8";
        /// Two channels of 8 bits with a sign.
        SINT_2X8 = 0x05, "CU_RES_VIEW_FORMAT_SINT_2X8";
        /// Four channels of 8 bits with a sign.
        SINT_4X8 = 0x06, "CU_RES_VIEW_FORMAT_SINT_4X8";
        /// One channel of 16 bits without a sign.
        UINT_1X16 = 0x07, "CU_RES_VIEW_FORMAT_UINT_1X16";
        /// Two channels of 16 bits without a sign.
        UINT_2X16 = 0x08, "CU_RES_VIEW_FORMAT_UINT_2X16";
        /// Four channels of 16 bits without a sign.
        UINT_4X16 = 0x09, "CU_RES_VIEW_FORMAT_UINT_4X16";
        /// One channel of 16 bits with a sign.
        SINT_1X16 = 0x0a, "CU_RES_VIEW_FORMAT_SINT_1X16";
        /// Two channels of 16 bits with a sign.
        SINT_2X16 = 0x0b, "CU_RES_VIEW_FORMAT_SINT_2X16";
        /// Four channels of 16 bits with a sign.
        SINT_4X16 = 0x0c, "CU_RES_VIEW_FORMAT_SINT_4X16";
        /// One channel of 32 bits without a sign.
        UINT_1X32 = 0x0d, "CU_RES_VIEW_FORMAT_UINT_1X32";
        /// Two channels of 32 bits without a sign.
        UINT_2X32 = 0x0e, "CU_RES_VIEW_FORMAT_UINT_2X32";
        /// Four channels of 32 bits without a sign.
        UINT_4X32 = 0x0f, "CU_RES_VIEW_FORMAT_UINT_4X32";
        /// One channel of 32 bits with a sign.
        SINT_1X32 = 0x10, "CU_RES_VIEW_FORMAT_SINT_1X32";
        /// Two channels of 32 bits with a sign.
        SINT_2X32 = 0x11, "CU_RES_VIEW_FORMAT_SINT_2X32";
        /// Four channels of 32 bits with a sign.
        SINT_4X32 = 0x12, "CU_RES_VIEW_FORMAT_SINT_4X32";
        /// One channel of floating point of 16 bits.
        FLOAT_1X16 = 0x13, "CU_RES_VIEW_FORMAT_FLOAT_1X16";
        /// Two channels of floating point of 16 bits.
        FLOAT_2X16 = 0x14, "CU_RES_VIEW_FORMAT_FLOAT_2X16";
        /// Four channels of floating point of 16 bits.
        FLOAT_4X16 = 0x15, "CU_RES_VIEW_FORMAT_FLOAT_4X16";
        /// One channel of floating point of 32 bits.
        FLOAT_1X32 = 0x16, "CU_RES_VIEW_FORMAT_FLOAT_1X32";
        /// Two channels of floating point of 32 bits.
        FLOAT_2X32 = 0x17, "CU_RES_VIEW_FORMAT_FLOAT_2X32";
        /// Four channels of floating point of 32 bits.
        FLOAT_4X32 = 0x18, "CU_RES_VIEW_FORMAT_FLOAT_4X32";
        /// Compressed blocks, stored as two channels of `u32`.
        UNSIGNED_BC1 = 0x19, "CU_RES_VIEW_FORMAT_UNSIGNED_BC1";
        /// Compressed blocks, stored as four channels of `u32`.
        UNSIGNED_BC2 = 0x1a, "CU_RES_VIEW_FORMAT_UNSIGNED_BC2";
        /// Compressed blocks, stored as four channels of `u32`.
        UNSIGNED_BC3 = 0x1b, "CU_RES_VIEW_FORMAT_UNSIGNED_BC3";
        /// Compressed blocks, stored as two channels of `u32`.
        UNSIGNED_BC4 = 0x1c, "CU_RES_VIEW_FORMAT_UNSIGNED_BC4";
        /// Compressed blocks with a sign, stored as two channels of `u32`.
        SIGNED_BC4 = 0x1d, "CU_RES_VIEW_FORMAT_SIGNED_BC4";
        /// Compressed blocks, stored as four channels of `u32`.
        UNSIGNED_BC5 = 0x1e, "CU_RES_VIEW_FORMAT_UNSIGNED_BC5";
        /// Compressed blocks with a sign, stored as four channels of `u32`.
        SIGNED_BC5 = 0x1f, "CU_RES_VIEW_FORMAT_SIGNED_BC5";
        /// Compressed blocks of floating point, stored as four channels of `u32`.
        UNSIGNED_BC6H = 0x20, "CU_RES_VIEW_FORMAT_UNSIGNED_BC6H";
        /// Compressed blocks of floating point with a sign, stored as four channels of `u32`.
        SIGNED_BC6H = 0x21, "CU_RES_VIEW_FORMAT_SIGNED_BC6H";
        /// Compressed blocks, stored as four channels of `u32`.
        UNSIGNED_BC7 = 0x22, "CU_RES_VIEW_FORMAT_UNSIGNED_BC7";
    }
}
