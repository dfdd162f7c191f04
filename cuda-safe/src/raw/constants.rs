//! Single constants of the CUDA headers, some of which older headers lack.

use std::ffi::c_uint;

macro_rules! constants {
    ($($name:ident: $type:ty = $value:literal, $alias:literal;)*) => {$(
        #[doc = concat!("`", $alias, "`")]
        pub(crate) const $name: $type = $value;
    )*};
}

constants! {
    LAYERED: c_uint = 1, "CUDA_ARRAY3D_LAYERED";
    CUBE: c_uint = 4, "CUDA_ARRAY3D_CUBEMAP";
    DEDICATED: c_uint = 1, "CUDA_EXTERNAL_MEMORY_DEDICATED";
    READ_AS_INTEGER: c_uint = 0x01, "CU_TRSF_READ_AS_INTEGER";
    NORMALIZED_COORDINATES: c_uint = 0x02, "CU_TRSF_NORMALIZED_COORDINATES";
    SRGB: c_uint = 0x10, "CU_TRSF_SRGB";
    DISABLE_TRILINEAR_OPTIMIZATION: c_uint = 0x20, "CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION";
    SEAMLESS_CUBEMAP: c_uint = 0x40, "CU_TRSF_SEAMLESS_CUBEMAP";
    UPDATABLE: u32 = 13, "CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE";
    MULTIPROCESSORS: c_uint = 1, "CU_DEV_RESOURCE_TYPE_SM";
    LOADED: c_uint = 1, "CU_FUNCTION_LOADING_STATE_LOADED";
    COOPERATIVE: u32 = 2, "CU_LAUNCH_ATTRIBUTE_COOPERATIVE";
}
