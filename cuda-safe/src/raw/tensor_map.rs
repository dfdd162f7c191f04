//! Flags and choices of tensor maps.

use super::flags::choices;

choices! {
    /// The type of a tensor's elements, as a copy by a tensor map sees them.
    pub struct TensorDataType(u32) {
        /// Of 1 byte.
        U8 = 0, "CU_TENSOR_MAP_DATA_TYPE_UINT8";
        /// Of 2 bytes.
        U16 = 1, "CU_TENSOR_MAP_DATA_TYPE_UINT16";
        /// Of 4 bytes.
        U32 = 2, "CU_TENSOR_MAP_DATA_TYPE_UINT32";
        /// Of 4 bytes.
        I32 = 3, "CU_TENSOR_MAP_DATA_TYPE_INT32";
        /// Of 8 bytes.
        U64 = 4, "CU_TENSOR_MAP_DATA_TYPE_UINT64";
        /// Of 8 bytes.
        I64 = 5, "CU_TENSOR_MAP_DATA_TYPE_INT64";
        /// `__half`, of 2 bytes.
        F16 = 6, "CU_TENSOR_MAP_DATA_TYPE_FLOAT16";
        /// Of 4 bytes.
        F32 = 7, "CU_TENSOR_MAP_DATA_TYPE_FLOAT32";
        /// Of 8 bytes.
        F64 = 8, "CU_TENSOR_MAP_DATA_TYPE_FLOAT64";
        /// `__nv_bfloat16`, of 2 bytes.
        BF16 = 9, "CU_TENSOR_MAP_DATA_TYPE_BFLOAT16";
        /// `f32` whose subnormal numbers may be flushed to zero.
        F32_FTZ = 10, "CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ";
        /// `f32` that is rounded to TF32 on its way to shared memory.
        TF32 = 11, "CU_TENSOR_MAP_DATA_TYPE_TFLOAT32";
        /// As [`TF32`](Self::TF32); subnormal numbers may be flushed to zero.
        TF32_FTZ = 12, "CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ";
        /// Sixteen packed values of 4 bits, without gaps in shared memory. Of CUDA 12.8, for compute capability 10.0.
        U4X16 = 13, "CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B";
        /// Sixteen packed values of 4 bits, 16 bytes apart in shared memory. Of CUDA 12.8, for compute capability 10.0.
        U4X16_ALIGNED = 14, "CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B";
        /// Sixteen packed values of 6 bits, 16 bytes apart in shared memory. Of CUDA 12.8, for compute capability 10.0.
        U6X16_ALIGNED = 15, "CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B";
    }
}

choices! {
    /// How channels lie in memory.
    pub struct TensorInterleave(u32) {
        /// The first dimension is that of elements which follow each other.
        NONE = 0, "CU_TENSOR_MAP_INTERLEAVE_NONE";
        /// Slices of 16 bytes, of some channels of a pixel (NC/8HWC8). The dimensions are those of pixels, then that of
        /// slices, then that of images.
        B16 = 1, "CU_TENSOR_MAP_INTERLEAVE_16B";
        /// The same with slices of 32 bytes. Needs [`TensorSwizzle::B32`].
        B32 = 2, "CU_TENSOR_MAP_INTERLEAVE_32B";
    }
}

choices! {
    /// How the parts of a tile's rows are exchanged in shared memory, so that threads which read a column use different
    /// banks.
    pub struct TensorSwizzle(u32) {
        /// Rows lie one behind the other.
        NONE = 0, "CU_TENSOR_MAP_SWIZZLE_NONE";
        /// Parts of 16 bytes within 32 bytes, the most that a row may have.
        B32 = 1, "CU_TENSOR_MAP_SWIZZLE_32B";
        /// Parts of 16 bytes within 64 bytes, the most that a row may have.
        B64 = 2, "CU_TENSOR_MAP_SWIZZLE_64B";
        /// Parts of 16 bytes within 128 bytes, the most that a row may have.
        B128 = 3, "CU_TENSOR_MAP_SWIZZLE_128B";
        /// Parts of 32 bytes within 128 bytes. For compute capability 10.0.
        B128_ATOM_32B = 4, "CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B";
        /// The same, and halves of 16 bytes are exchanged in every other row. For compute capability 10.0.
        B128_ATOM_32B_FLIP_8B = 5, "CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B";
        /// Parts of 64 bytes within 128 bytes. For compute capability 10.0.
        B128_ATOM_64B = 6, "CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B";
    }
}

choices! {
    /// How much the second-level cache fetches at once. It changes no result.
    pub struct TensorPromotion(u32) {
        /// What is asked for.
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
    /// What elements outside of the tensor are in shared memory.
    pub struct TensorFill(u32) {
        /// Zeros.
        ZERO = 0, "CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE";
        /// NaNs, by which kernels know them; for floating-point types.
        NAN = 1, "CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA";
    }
}

choices! {
    /// How many pixels [`im2col_wide`](crate::tensor_map::TensorMapBuilder::im2col_wide) takes.
    pub struct Im2colWideMode(u32) {
        /// As many as it is told.
        W = 0, "CU_TENSOR_MAP_IM2COL_WIDE_MODE_W";
        /// 128.
        W128 = 1, "CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128";
    }
}
