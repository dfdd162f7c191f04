//! The structures and constants of texture and surface objects.

use super::define;
use super::pointers::opaque;

/// `CUDA_RESOURCE_DESC`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ResourceDescriptor {
    /// `CUresourcetype`
    pub kind: u32,
    /// A union. [`place`] names its words.
    pub words: [u64; 16],
    pub flags: u32,
}

/// Indices of the words of [`ResourceDescriptor`].
pub mod place {
    /// The handle of an array or mipmapped array, or an address.
    pub const WHAT: usize = 0;
    /// For memory: the format in the lower half, the number of channels in the upper half.
    pub const FORMAT: usize = 1;
    /// For linear memory: its size in bytes.
    pub const BYTES: usize = 2;
    /// For pitched memory.
    pub const WIDTH: usize = 2;
    pub const HEIGHT: usize = 3;
    pub const PITCH: usize = 4;
}

/// `CUDA_TEXTURE_DESC`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TextureDescriptor {
    /// `CUaddress_mode`
    pub address: [u32; 3],
    /// `CUfilter_mode`
    pub filter: u32,
    pub flags: u32,
    pub max_anisotropy: u32,
    pub mipmap_filter: u32,
    pub bias: f32,
    pub min_level: f32,
    pub max_level: f32,
    pub border: [f32; 4],
    pub reserved: [i32; 12],
}

/// `CUDA_RESOURCE_VIEW_DESC`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ViewDescriptor {
    /// `CUresourceViewFormat`
    pub format: u32,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub first_level: u32,
    pub last_level: u32,
    pub first_layer: u32,
    pub last_layer: u32,
    pub reserved: [u32; 16],
}

impl ViewDescriptor {
    /// The descriptor of a texture without a view.
    pub const NONE: ViewDescriptor = ViewDescriptor {
        format: 0,
        width: 0,
        height: 0,
        depth: 0,
        first_level: 0,
        last_level: 0,
        first_layer: 0,
        last_layer: 0,
        reserved: [0; 16],
    };
}

opaque!(ResourceDescriptor, TextureDescriptor, ViewDescriptor);

define! {
    CUresourcetype {
        CU_RESOURCE_TYPE_ARRAY = 0,
        CU_RESOURCE_TYPE_MIPMAPPED_ARRAY = 1,
        CU_RESOURCE_TYPE_LINEAR = 2,
        CU_RESOURCE_TYPE_PITCH2D = 3,
    }
    CUaddress_mode {
        CU_TR_ADDRESS_MODE_WRAP = 0,
        CU_TR_ADDRESS_MODE_CLAMP = 1,
        CU_TR_ADDRESS_MODE_MIRROR = 2,
        CU_TR_ADDRESS_MODE_BORDER = 3,
    }
    CUfilter_mode {
        CU_TR_FILTER_MODE_POINT = 0,
        CU_TR_FILTER_MODE_LINEAR = 1,
    }
    CUresourceViewFormat {
        CU_RES_VIEW_FORMAT_NONE = 0x00,
        CU_RES_VIEW_FORMAT_UINT_1X8 = 0x01,
        CU_RES_VIEW_FORMAT_FLOAT_4X32 = 0x18,
        CU_RES_VIEW_FORMAT_UNSIGNED_BC1 = 0x19,
        CU_RES_VIEW_FORMAT_UNSIGNED_BC7 = 0x22,
    }
    macros {
        CU_TRSF_READ_AS_INTEGER = 0x01,
        CU_TRSF_NORMALIZED_COORDINATES = 0x02,
        CU_TRSF_SRGB = 0x10,
        CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION = 0x20,
        CU_TRSF_SEAMLESS_CUBEMAP = 0x40,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::header::compare;

    #[test]
    fn texture_layouts_match_the_header() {
        assert!(compare!(
            ResourceDescriptor,
            "CUDA_RESOURCE_DESC_st",
            kind = "resType",
            words = "res",
            flags = "flags"
        ));
        assert!(compare!(
            TextureDescriptor,
            "CUDA_TEXTURE_DESC_st",
            address = "addressMode",
            filter = "filterMode",
            flags = "flags",
            max_anisotropy = "maxAnisotropy",
            mipmap_filter = "mipmapFilterMode",
            bias = "mipmapLevelBias",
            min_level = "minMipmapLevelClamp",
            max_level = "maxMipmapLevelClamp",
            border = "borderColor"
        ));
        assert!(compare!(
            ViewDescriptor,
            "CUDA_RESOURCE_VIEW_DESC_st",
            format = "format",
            width = "width",
            height = "height",
            depth = "depth",
            first_level = "firstMipmapLevel",
            last_level = "lastMipmapLevel",
            first_layer = "firstLayer",
            last_layer = "lastLayer"
        ));
    }
}
