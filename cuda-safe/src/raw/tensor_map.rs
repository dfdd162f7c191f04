//! Flags and choices of tensor maps.

use super::flags::choices;

choices! {
    /// The type of a tensor's elements for copies with a tensor map.
    pub struct TensorDataType(u32) {
        /// Unsigned, 1 byte.
        U8 = 0, "CU_TENSOR_MAP_DATA_TYPE_UINT8";
        /// Unsigned, 2 bytes.
        U16 = 1, "CU_TENSOR_MAP_DATA_TYPE_UINT16";
        /// Unsigned, 4 bytes.
        U32 = 2, "CU_TENSOR_MAP_DATA_TYPE_UINT32";
        /// Signed, 4 bytes.
        I32 = 3, "CU_TENSOR_MAP_DATA_TYPE_INT32";
        /// Unsigned, 8 bytes.
        U64 = 4, "CU_TENSOR_MAP_DATA_TYPE_UINT64";
        /// Signed, 8 bytes.
        I64 = 5, "CU_TENSOR_MAP_DATA_TYPE_INT64";
        /// `__half`, 2 bytes.
        F16 = 6, "CU_TENSOR_MAP_DATA_TYPE_FLOAT16";
        /// Floating point, 4 bytes.
        F32 = 7, "CU_TENSOR_MAP_DATA_TYPE_FLOAT32";
        /// Floating point, 8 bytes.
        F64 = 8, "CU_TENSOR_MAP_DATA_TYPE_FLOAT64";
        /// `__nv_bfloat16`, 2 bytes.
        BF16 = 9, "CU_TENSOR_MAP_DATA_TYPE_BFLOAT16";
        /// `f32` whose subnormal numbers may be flushed to zero.
        F32_FTZ = 10, "CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ";
        /// `f32` that is rounded to TF32 on its way to shared memory.
        TF32 = 11, "CU_TENSOR_MAP_DATA_TYPE_TFLOAT32";
        /// Like [`TF32`](Self::TF32), but subnormal numbers may be flushed to zero.
        TF32_FTZ = 12, "CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ";
        /// Sixteen packed values of 4 bits, without gaps in shared memory. Since CUDA 12.8, for
        /// compute capability 10.0.
        U4X16 = 13, "CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B";
        /// Sixteen packed values of 4 bits, 16 bytes apart in shared memory. Since CUDA 12.8, for
        /// compute capability 10.0.
        U4X16_ALIGNED = 14, "CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B";
        /// Sixteen packed values of 6 bits, 16 bytes apart in shared memory. Since CUDA 12.8, for
        /// compute capability 10.0.
        U6X16_ALIGNED = 15, "CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B";
    }
}

choices! {
    /// The layout of channels in memory.
    pub struct TensorInterleave(u32) {
        /// The elements of the first dimension are contiguous.
        NONE = 0, "CU_TENSOR_MAP_INTERLEAVE_NONE";
        /// Slices of 16 bytes, with some channels of a pixel (NC/8HWC8). The dimensions are pixels,
        /// then slices, then images.
        B16 = 1, "CU_TENSOR_MAP_INTERLEAVE_16B";
        /// The same with slices of 32 bytes. Needs [`TensorSwizzle::B32`].
        B32 = 2, "CU_TENSOR_MAP_INTERLEAVE_32B";
    }
}

choices! {
    /// How the parts of a tile's rows are permuted in shared memory, so that threads that read a
    /// column use different banks.
    pub struct TensorSwizzle(u32) {
        /// Rows are contiguous.
        NONE = 0, "CU_TENSOR_MAP_SWIZZLE_NONE";
        /// Parts of 16 bytes within 32 bytes, the maximum size of a row.
        B32 = 1, "CU_TENSOR_MAP_SWIZZLE_32B";
        /// Parts of 16 bytes within 64 bytes, the maximum size of a row.
        B64 = 2, "CU_TENSOR_MAP_SWIZZLE_64B";
        /// Parts of 16 bytes within 128 bytes, the maximum size of a row.
        B128 = 3, "CU_TENSOR_MAP_SWIZZLE_128B";
        /// Parts of 32 bytes within 128 bytes. For compute capability 10.0.
        B128_ATOM_32B = 4, "CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B";
        /// The same, and halves of 16 bytes are swapped in every other row. For compute capability
        /// 10.0.
        B128_ATOM_32B_FLIP_8B = 5, "CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B";
        /// Parts of 64 bytes within 128 bytes. For compute capability 10.0.
        B128_ATOM_64B = 6, "CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B";
    }
}

choices! {
    /// The number of bytes that the L2 cache fetches at once. It does not affect results.
    pub struct TensorPromotion(u32) {
        /// Only the requested bytes.
        NONE = 0, "CU_TENSOR_MAP_L2_PROMOTION_NONE";
        /// 64 bytes.
        B64 = 1, "CU_TENSOR_MAP_L2_PROMOTION_L2_64B";
        /// 128 bytes.
        B128 = 2, "CU_TENSOR_MAP_L2_PROMOTION_L2_128B";
        /// 256 bytes.
        B256 = 3, "CU_TENSOR_MAP_L2_PROMOTION_L2_256B";
    }
}

choices! {
    /// The value in shared memory of elements outside the tensor.
    pub struct TensorFill(u32) {
        /// Zeros.
        ZERO = 0, "CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE";
        /// NaNs, which kernels can recognize. For floating-point types.
        NAN = 1, "CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA";
    }
}

choices! {
    /// The number of pixels that [`im2col_wide`](crate::tensor_map::TensorMapBuilder::im2col_wide)
    /// copies.
    pub struct Im2colWideMode(u32) {
        /// The number that is passed.
        W = 0, "CU_TENSOR_MAP_IM2COL_WIDE_MODE_W";
        /// 128 pixels.
        W128 = 1, "CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128";
    }
}
