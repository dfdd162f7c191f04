//! Flags and choices of textures.

use std::ffi::c_uint;

use super::flags::choices;

choices! {
    /// The value of a texture at out-of-range coordinates (`CUaddress_mode`).
    pub struct AddressMode(c_uint) {
        /// The texture repeats. Only for normalized coordinates.
        WRAP = 0, "CU_TR_ADDRESS_MODE_WRAP";
        /// The nearest texel at the edge.
        CLAMP = 1, "CU_TR_ADDRESS_MODE_CLAMP";
        /// The texture repeats, alternately mirrored. Only for normalized coordinates.
        MIRROR = 2, "CU_TR_ADDRESS_MODE_MIRROR";
        /// The border color.
        BORDER = 3, "CU_TR_ADDRESS_MODE_BORDER";
    }
}

choices! {
    /// The value of a texture between texels (`CUfilter_mode`).
    pub struct FilterMode(c_uint) {
        /// The texel that contains the coordinates.
        POINT = 0, "CU_TR_FILTER_MODE_POINT";
        /// Linear interpolation of the neighboring texels. The weights have 8 fractional bits.
        LINEAR = 1, "CU_TR_FILTER_MODE_LINEAR";
    }
}

choices! {
    /// The format as which texels are read (`CUresourceViewFormat`). Formats with 8 and 16 bits are
    /// integers, which [`Sampler::normalized_read`](crate::Sampler) converts to floating point.
    pub struct ViewFormat(c_uint) {
        /// One channel of unsigned 8-bit integers.
        UINT_1X8 = 0x01, "CU_RES_VIEW_FORMAT_UINT_1X8";
        /// Two channels of unsigned 8-bit integers.
        UINT_2X8 = 0x02, "CU_RES_VIEW_FORMAT_UINT_2X8";
        /// Four channels of unsigned 8-bit integers.
        UINT_4X8 = 0x03, "CU_RES_VIEW_FORMAT_UINT_4X8";
        /// One channel of signed 8-bit integers.
        SINT_1X8 = 0x04, "CU_RES_VIEW_FORMAT_SINT_1X8";
        /// Two channels of signed 8-bit integers.
        SINT_2X8 = 0x05, "CU_RES_VIEW_FORMAT_SINT_2X8";
        /// Four channels of signed 8-bit integers.
        SINT_4X8 = 0x06, "CU_RES_VIEW_FORMAT_SINT_4X8";
        /// One channel of unsigned 16-bit integers.
        UINT_1X16 = 0x07, "CU_RES_VIEW_FORMAT_UINT_1X16";
        /// Two channels of unsigned 16-bit integers.
        UINT_2X16 = 0x08, "CU_RES_VIEW_FORMAT_UINT_2X16";
        /// Four channels of unsigned 16-bit integers.
        UINT_4X16 = 0x09, "CU_RES_VIEW_FORMAT_UINT_4X16";
        /// One channel of signed 16-bit integers.
        SINT_1X16 = 0x0a, "CU_RES_VIEW_FORMAT_SINT_1X16";
        /// Two channels of signed 16-bit integers.
        SINT_2X16 = 0x0b, "CU_RES_VIEW_FORMAT_SINT_2X16";
        /// Four channels of signed 16-bit integers.
        SINT_4X16 = 0x0c, "CU_RES_VIEW_FORMAT_SINT_4X16";
        /// One channel of unsigned 32-bit integers.
        UINT_1X32 = 0x0d, "CU_RES_VIEW_FORMAT_UINT_1X32";
        /// Two channels of unsigned 32-bit integers.
        UINT_2X32 = 0x0e, "CU_RES_VIEW_FORMAT_UINT_2X32";
        /// Four channels of unsigned 32-bit integers.
        UINT_4X32 = 0x0f, "CU_RES_VIEW_FORMAT_UINT_4X32";
        /// One channel of signed 32-bit integers.
        SINT_1X32 = 0x10, "CU_RES_VIEW_FORMAT_SINT_1X32";
        /// Two channels of signed 32-bit integers.
        SINT_2X32 = 0x11, "CU_RES_VIEW_FORMAT_SINT_2X32";
        /// Four channels of signed 32-bit integers.
        SINT_4X32 = 0x12, "CU_RES_VIEW_FORMAT_SINT_4X32";
        /// One channel of 16-bit floating point.
        FLOAT_1X16 = 0x13, "CU_RES_VIEW_FORMAT_FLOAT_1X16";
        /// Two channels of 16-bit floating point.
        FLOAT_2X16 = 0x14, "CU_RES_VIEW_FORMAT_FLOAT_2X16";
        /// Four channels of 16-bit floating point.
        FLOAT_4X16 = 0x15, "CU_RES_VIEW_FORMAT_FLOAT_4X16";
        /// One channel of 32-bit floating point.
        FLOAT_1X32 = 0x16, "CU_RES_VIEW_FORMAT_FLOAT_1X32";
        /// Two channels of 32-bit floating point.
        FLOAT_2X32 = 0x17, "CU_RES_VIEW_FORMAT_FLOAT_2X32";
        /// Four channels of 32-bit floating point.
        FLOAT_4X32 = 0x18, "CU_RES_VIEW_FORMAT_FLOAT_4X32";
        /// Compressed blocks, stored as two channels of `u32`.
        UNSIGNED_BC1 = 0x19, "CU_RES_VIEW_FORMAT_UNSIGNED_BC1";
        /// Compressed blocks, stored as four channels of `u32`.
        UNSIGNED_BC2 = 0x1a, "CU_RES_VIEW_FORMAT_UNSIGNED_BC2";
        /// Compressed blocks, stored as four channels of `u32`.
        UNSIGNED_BC3 = 0x1b, "CU_RES_VIEW_FORMAT_UNSIGNED_BC3";
        /// Compressed blocks, stored as two channels of `u32`.
        UNSIGNED_BC4 = 0x1c, "CU_RES_VIEW_FORMAT_UNSIGNED_BC4";
        /// Compressed blocks of signed values, stored as two channels of `u32`.
        SIGNED_BC4 = 0x1d, "CU_RES_VIEW_FORMAT_SIGNED_BC4";
        /// Compressed blocks, stored as four channels of `u32`.
        UNSIGNED_BC5 = 0x1e, "CU_RES_VIEW_FORMAT_UNSIGNED_BC5";
        /// Compressed blocks of signed values, stored as four channels of `u32`.
        SIGNED_BC5 = 0x1f, "CU_RES_VIEW_FORMAT_SIGNED_BC5";
        /// Compressed blocks of unsigned floating point, stored as four channels of `u32`.
        UNSIGNED_BC6H = 0x20, "CU_RES_VIEW_FORMAT_UNSIGNED_BC6H";
        /// Compressed blocks of signed floating point, stored as four channels of `u32`.
        SIGNED_BC6H = 0x21, "CU_RES_VIEW_FORMAT_SIGNED_BC6H";
        /// Compressed blocks, stored as four channels of `u32`.
        UNSIGNED_BC7 = 0x22, "CU_RES_VIEW_FORMAT_UNSIGNED_BC7";
    }
}
