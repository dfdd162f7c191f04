//! Flags and choices of OpenGL.

use std::ffi::c_uint;

use super::flags::{choices, flags};

choices! {
    /// The devices of an OpenGL context (`CUGLDeviceList`). Linked devices (SLI) draw one frame
    /// together, or frames in turn.
    pub struct DeviceList(c_uint) {
        /// All devices.
        ALL = 1, "CU_GL_DEVICE_LIST_ALL";
        /// The devices that draw the current frame.
        CURRENT_FRAME = 2, "CU_GL_DEVICE_LIST_CURRENT_FRAME";
        /// The devices that draw the next frame.
        NEXT_FRAME = 3, "CU_GL_DEVICE_LIST_NEXT_FRAME";
    }
}

flags! {
    /// How CUDA uses an OpenGL object (`CUgraphicsRegisterFlags`). By default it reads and writes
    /// the object.
    pub struct RegisterFlags {
        /// CUDA only reads. Writes may or may not reach OpenGL.
        READ_ONLY = 1, "CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY";
        /// CUDA overwrites the whole object, so the previous contents need not be kept.
        WRITE_DISCARD = 2, "CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD";
        /// A [`Surface`](crate::Surface) is created from it. Only for images.
        SURFACE = 4, "CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST";
        /// A texture gathers from it. Only for images.
        GATHER = 8, "CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER";
    }
}

choices! {
    /// How CUDA uses a resource while it is mapped (`CUgraphicsMapResourceFlags`).
    pub struct MapFlags(c_uint) {
        /// CUDA reads and writes.
        NONE = 0, "CU_GRAPHICS_MAP_RESOURCE_FLAGS_NONE";
        /// CUDA only reads. Writes may or may not reach OpenGL.
        READ_ONLY = 1, "CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY";
        /// CUDA overwrites the whole object, so the previous contents need not be kept.
        WRITE_DISCARD = 2, "CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD";
    }
}

choices! {
    /// The kind of an OpenGL image. The values are OpenGL's constants.
    pub struct ImageTarget(c_uint) {
        /// Two dimensions.
        TEXTURE_2D = 0x0de1, "GL_TEXTURE_2D";
        /// Two dimensions, with coordinates in texels.
        TEXTURE_RECTANGLE = 0x84f5, "GL_TEXTURE_RECTANGLE";
        /// The six faces of a cube.
        TEXTURE_CUBE_MAP = 0x8513, "GL_TEXTURE_CUBE_MAP";
        /// Three dimensions.
        TEXTURE_3D = 0x806f, "GL_TEXTURE_3D";
        /// Layers with two dimensions.
        TEXTURE_2D_ARRAY = 0x8c1a, "GL_TEXTURE_2D_ARRAY";
        /// A renderbuffer, which is not a texture.
        RENDERBUFFER = 0x8d41, "GL_RENDERBUFFER";
    }
}
