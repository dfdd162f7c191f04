//! Resources of graphics APIs.
//!
//! The emulated device has no OpenGL: no OpenGL context is ever current, and nothing can be
//! registered. The codes are those of an H200 (driver 580) on a thread without OpenGL.

use crate::abi::pointers::{In, Out};
use crate::abi::status::{Code, Result};
use crate::process::call::export;
use crate::process::context;

const CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD: u32 = 2;
const CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER: u32 = 8;
/// `GL_TEXTURE_2D`, `..._RECTANGLE`, `..._CUBE_MAP`, `..._3D`, `..._2D_ARRAY` and `GL_RENDERBUFFER`.
const GL_TARGETS: [u32; 6] = [0x0de1, 0x84f5, 0x8513, 0x806f, 0x8c1a, 0x8d41];

/// Rejects the registration of a resource. Even valid arguments fail, because there is no OpenGL
/// context.
fn register(resource: Out<u64>, name: u32, are_known: bool) -> Result {
    context::current()?;
    resource.check()?;
    if name == 0 || !are_known {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    Err(Code::ERROR_INVALID_GRAPHICS_CONTEXT)
}

/// Rejects resources, none of which are live.
fn look_up(count: u32, resources: In<u64>) -> Result {
    if count == 0 || resources.is_null() {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    Err(Code::ERROR_INVALID_HANDLE)
}

export! {
    fn cuGraphicsUnregisterResource(resource: u64) {
        Err(Code::ERROR_INVALID_HANDLE)
    }

    fn cuGraphicsSubResourceGetMappedArray(pArray: Out<u64>, resource: u64, arrayIndex: u32, mipLevel: u32) {
        Err(Code::ERROR_INVALID_HANDLE)
    }

    fn cuGraphicsResourceGetMappedMipmappedArray(pMipmappedArray: Out<u64>, resource: u64) {
        Err(Code::ERROR_INVALID_HANDLE)
    }

    fn cuGraphicsResourceGetMappedPointer_v2(pDevPtr: Out<u64>, pSize: Out<usize>, resource: u64) {
        Err(Code::ERROR_INVALID_HANDLE)
    }

    fn cuGraphicsResourceSetMapFlags(resource: u64, flags: u32) {
        Err(Code::ERROR_INVALID_HANDLE)
    }

    fn cuGraphicsResourceSetMapFlags_v2(resource: u64, flags: u32) {
        Err(Code::ERROR_INVALID_HANDLE)
    }

    fn cuGraphicsMapResources / cuGraphicsMapResources_ptsz(count: u32, resources: In<u64>, hStream: u64) {
        look_up(count, resources)
    }

    fn cuGraphicsUnmapResources / cuGraphicsUnmapResources_ptsz(count: u32, resources: In<u64>, hStream: u64) {
        look_up(count, resources)
    }

    fn cuGraphicsGLRegisterBuffer(pCudaResource: Out<u64>, buffer: u32, Flags: u32) {
        register(pCudaResource, buffer, Flags <= CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD)
    }

    fn cuGraphicsGLRegisterImage(pCudaResource: Out<u64>, image: u32, target: u32, Flags: u32) {
        let is_known = GL_TARGETS.contains(&target) && Flags < 2 * CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER;
        register(pCudaResource, image, is_known)
    }

    fn cuGLGetDevices(pCudaDeviceCount: Out<u32>, pCudaDevices: Out<i32>, cudaDeviceCount: u32, deviceList: u32) {
        Err(Code::ERROR_INVALID_GRAPHICS_CONTEXT)
    }

    fn cuGLGetDevices_v2(pCudaDeviceCount: Out<u32>, pCudaDevices: Out<i32>, cudaDeviceCount: u32, deviceList: u32) {
        Err(Code::ERROR_INVALID_GRAPHICS_CONTEXT)
    }
}
