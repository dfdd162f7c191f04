//! Flags and choices of OpenGL.

use std::ffi::c_uint;

use super::flags::{choices, flags};

choices! {
    /// Which of an OpenGL context's devices are meant (`CUGLDeviceList`): several draw one picture, or pictures in turn,
    /// where they are linked (SLI).
    pub struct DeviceList(c_uint) {
        /// All of them.
        ALL = 1, "CU_GL_DEVICE_LIST_ALL";
        /// Those that draw the picture which is under way.
        CURRENT_FRAME = 2, "CU_GL_DEVICE_LIST_CURRENT_FRAME";
        /// Those that draw the next picture.
        NEXT_FRAME = 3, "CU_GL_DEVICE_LIST_NEXT_FRAME";
    }
}

flags! {
    /// What CUDA does with an object of OpenGL (`CUgraphicsRegisterFlags`). The default says nothing: it reads and writes.
    pub struct RegisterFlags {
        /// It only reads. What is written all the same may or may not reach OpenGL.
        READ_ONLY = 1, "CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY";
        /// It writes all of it, so that what it held before need not be kept.
        WRITE_DISCARD = 2, "CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD";
        /// A [`Surface`](crate::Surface) is made of it. Only for images.
        SURFACE = 4, "CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST";
        /// A texture gathers from it. Only for images.
        GATHER = 8, "CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER";
    }
}

choices! {
    /// What CUDA does with a resource while it is mapped (`CUgraphicsMapResourceFlags`).
    pub struct MapFlags(c_uint) {
        /// It reads and writes.
        NONE = 0, "CU_GRAPHICS_MAP_RESOURCE_FLAGS_NONE";
        /// It only reads. What is written all the same may or may not reach OpenGL.
        READ_ONLY = 1, "CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY";
        /// It writes all of it, so that what it held before need not be kept.
        WRITE_DISCARD = 2, "CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD";
    }
}

choices! {
    /// What kind of image an object is: OpenGL's constants.
    pub struct ImageTarget(c_uint) {
        /// Two dimensions.
        TEXTURE_2D = 0x0de1, "GL_TEXTURE_2D";
        /// Two dimensions, with coordinates in texels.
        TEXTURE_RECTANGLE = 0x84f5, "GL_TEXTURE_RECTANGLE";
        /// Six faces.
        TEXTURE_CUBE_MAP = 0x8513, "GL_TEXTURE_CUBE_MAP";
        /// Three dimensions.
        TEXTURE_3D = 0x806f, "GL_TEXTURE_3D";
        /// Layers of two dimensions.
        TEXTURE_2D_ARRAY = 0x8c1a, "GL_TEXTURE_2D_ARRAY";
        /// No texture: what is drawn to.
        RENDERBUFFER = 0x8d41, "GL_RENDERBUFFER";
    }
}
