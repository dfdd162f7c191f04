//! The structures and constants of CUDA arrays.

use super::define;
use super::pointers::opaque;

/// `CUDA_ARRAY_DESCRIPTOR`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ArrayDescriptor {
    pub width: usize,
    pub height: usize,
    pub format: u32,
    pub channels: u32,
}

/// `CUDA_ARRAY3D_DESCRIPTOR`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Array3dDescriptor {
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub format: u32,
    pub channels: u32,
    pub flags: u32,
}

/// `CUDA_ARRAY_MEMORY_REQUIREMENTS`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ArrayRequirements {
    pub size: usize,
    pub alignment: usize,
    pub reserved: [u32; 4],
}

/// `CUDA_ARRAY_SPARSE_PROPERTIES`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct SparseProperties {
    pub tile: [u32; 3],
    pub tail_first_level: u32,
    pub tail_size: u64,
    pub flags: u32,
    pub reserved: [u32; 4],
}

opaque!(
    ArrayDescriptor,
    Array3dDescriptor,
    ArrayRequirements,
    SparseProperties
);

define! {
    /// The format of a channel, or of a whole texel.
    CUarray_format {
        CU_AD_FORMAT_UNSIGNED_INT8 = 0x01,
        CU_AD_FORMAT_UNSIGNED_INT16 = 0x02,
        CU_AD_FORMAT_UNSIGNED_INT32 = 0x03,
        CU_AD_FORMAT_SIGNED_INT8 = 0x08,
        CU_AD_FORMAT_SIGNED_INT16 = 0x09,
        CU_AD_FORMAT_SIGNED_INT32 = 0x0a,
        CU_AD_FORMAT_HALF = 0x10,
        CU_AD_FORMAT_FLOAT = 0x20,
        CU_AD_FORMAT_NV12 = 0xb0,
        CU_AD_FORMAT_UNORM_INT8X1 = 0xc0,
        CU_AD_FORMAT_UNORM_INT8X2 = 0xc1,
        CU_AD_FORMAT_UNORM_INT8X4 = 0xc2,
        CU_AD_FORMAT_UNORM_INT16X1 = 0xc3,
        CU_AD_FORMAT_UNORM_INT16X2 = 0xc4,
        CU_AD_FORMAT_UNORM_INT16X4 = 0xc5,
        CU_AD_FORMAT_SNORM_INT8X1 = 0xc6,
        CU_AD_FORMAT_SNORM_INT8X2 = 0xc7,
        CU_AD_FORMAT_SNORM_INT8X4 = 0xc8,
        CU_AD_FORMAT_SNORM_INT16X1 = 0xc9,
        CU_AD_FORMAT_SNORM_INT16X2 = 0xca,
        CU_AD_FORMAT_SNORM_INT16X4 = 0xcb,
        CU_AD_FORMAT_BC1_UNORM = 0x91,
        CU_AD_FORMAT_BC1_UNORM_SRGB = 0x92,
        CU_AD_FORMAT_BC2_UNORM = 0x93,
        CU_AD_FORMAT_BC2_UNORM_SRGB = 0x94,
        CU_AD_FORMAT_BC3_UNORM = 0x95,
        CU_AD_FORMAT_BC3_UNORM_SRGB = 0x96,
        CU_AD_FORMAT_BC4_UNORM = 0x97,
        CU_AD_FORMAT_BC4_SNORM = 0x98,
        CU_AD_FORMAT_BC5_UNORM = 0x99,
        CU_AD_FORMAT_BC5_SNORM = 0x9a,
        CU_AD_FORMAT_BC6H_UF16 = 0x9b,
        CU_AD_FORMAT_BC6H_SF16 = 0x9c,
        CU_AD_FORMAT_BC7_UNORM = 0x9d,
        CU_AD_FORMAT_BC7_UNORM_SRGB = 0x9e,
        CU_AD_FORMAT_UNORM_INT_101010_2 = 0x50,
    }
    macros {
        CUDA_ARRAY3D_LAYERED = 0x01,
        CUDA_ARRAY3D_SURFACE_LDST = 0x02,
        CUDA_ARRAY3D_CUBEMAP = 0x04,
        CUDA_ARRAY3D_TEXTURE_GATHER = 0x08,
        CUDA_ARRAY3D_DEPTH_TEXTURE = 0x10,
        CUDA_ARRAY3D_COLOR_ATTACHMENT = 0x20,
        CUDA_ARRAY3D_SPARSE = 0x40,
        CUDA_ARRAY3D_DEFERRED_MAPPING = 0x80,
        CUDA_ARRAY3D_VIDEO_ENCODE_DECODE = 0x100,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::header::compare;

    #[test]
    fn array_layouts_match_the_header() {
        assert!(compare!(
            ArrayDescriptor,
            "CUDA_ARRAY_DESCRIPTOR_st",
            width = "Width",
            height = "Height",
            format = "Format",
            channels = "NumChannels"
        ));
        assert!(compare!(
            Array3dDescriptor,
            "CUDA_ARRAY3D_DESCRIPTOR_st",
            width = "Width",
            height = "Height",
            depth = "Depth",
            format = "Format",
            channels = "NumChannels",
            flags = "Flags"
        ));
        assert!(compare!(
            ArrayRequirements,
            "CUDA_ARRAY_MEMORY_REQUIREMENTS_st",
            size = "size",
            alignment = "alignment"
        ));
        assert!(compare!(
            SparseProperties,
            "CUDA_ARRAY_SPARSE_PROPERTIES_st",
            tile = "tileExtent",
            tail_first_level = "miptailFirstLevel",
            tail_size = "miptailSize",
            flags = "flags"
        ));
    }
}
