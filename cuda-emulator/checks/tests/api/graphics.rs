//! OpenGL resources, which the emulator does not support. The codes are those of an H200 (driver
//! 580) on a thread without OpenGL.

use cuda_emulator_checks::abi::*;
use std::ptr::null_mut;

/// Makes a CUDA context current, but no OpenGL context.
fn context() -> Own {
    ok!(cuInit(0));
    Own::new()
}

#[test]
fn registration_fails_without_opengl() {
    let mut resource = null_mut();
    ok!(cuInit(0));
    fails!(
        CUDA_ERROR_INVALID_CONTEXT,
        cuGraphicsGLRegisterBuffer(null_mut(), 0, 99)
    );
    let _context = context();
    for (name, flags, expected) in [
        (1, 0, CUresult::CUDA_ERROR_INVALID_GRAPHICS_CONTEXT),
        (1, 1, CUresult::CUDA_ERROR_INVALID_GRAPHICS_CONTEXT),
        (1, 2, CUresult::CUDA_ERROR_INVALID_GRAPHICS_CONTEXT),
        (0, 0, CUresult::CUDA_ERROR_INVALID_VALUE),
        (1, 3, CUresult::CUDA_ERROR_INVALID_VALUE),
        (1, 4, CUresult::CUDA_ERROR_INVALID_VALUE),
    ] {
        // SAFETY: `resource` is valid for writes.
        let code = unsafe { cuGraphicsGLRegisterBuffer(&mut resource, name, flags) };
        assert_eq!(code, expected, "buffer {name}, flags {flags}");
    }
    for (name, target, flags, expected) in [
        (1, 0x0de1, 0, CUresult::CUDA_ERROR_INVALID_GRAPHICS_CONTEXT),
        (1, 0x84f5, 3, CUresult::CUDA_ERROR_INVALID_GRAPHICS_CONTEXT),
        (1, 0x8d41, 15, CUresult::CUDA_ERROR_INVALID_GRAPHICS_CONTEXT),
        (0, 0x0de1, 0, CUresult::CUDA_ERROR_INVALID_VALUE),
        (1, 0x0de0, 0, CUresult::CUDA_ERROR_INVALID_VALUE),
        (1, 0x9100, 0, CUresult::CUDA_ERROR_INVALID_VALUE),
        (1, 0x0de1, 16, CUresult::CUDA_ERROR_INVALID_VALUE),
    ] {
        // SAFETY: `resource` is valid for writes.
        let code = unsafe { cuGraphicsGLRegisterImage(&mut resource, name, target, flags) };
        assert_eq!(
            code, expected,
            "image {name}, target {target:#x}, flags {flags}"
        );
    }
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuGraphicsGLRegisterBuffer(null_mut(), 1, 0)
    );
    assert!(resource.is_null());
    let (mut count, mut devices) = (7, [7; 4]);
    for list in [1, 2, 3] {
        let list = CUGLDeviceList(list);
        fails!(
            CUDA_ERROR_INVALID_GRAPHICS_CONTEXT,
            cuGLGetDevices_v2(&mut count, devices.as_mut_ptr(), 4, list)
        );
    }
    assert_eq!((count, devices), (7, [7; 4]));
}

#[test]
fn every_resource_handle_is_rejected() {
    // These functions do not need a context.
    ok!(cuInit(0));
    let mut none: CUgraphicsResource = null_mut();
    let (mut pointer, mut size, mut array, mut levels) = (0, 0, null_mut(), null_mut());
    fails!(
        CUDA_ERROR_INVALID_HANDLE,
        cuGraphicsMapResources(1, &mut none, null_mut())
    );
    fails!(
        CUDA_ERROR_INVALID_HANDLE,
        cuGraphicsUnmapResources(1, &mut none, null_mut())
    );
    fails!(
        CUDA_ERROR_INVALID_HANDLE,
        cuGraphicsResourceGetMappedPointer_v2(&mut pointer, &mut size, none)
    );
    fails!(
        CUDA_ERROR_INVALID_HANDLE,
        cuGraphicsSubResourceGetMappedArray(&mut array, none, 0, 0)
    );
    fails!(
        CUDA_ERROR_INVALID_HANDLE,
        cuGraphicsResourceGetMappedMipmappedArray(&mut levels, none)
    );
    fails!(
        CUDA_ERROR_INVALID_HANDLE,
        cuGraphicsResourceSetMapFlags_v2(none, 0)
    );
    fails!(
        CUDA_ERROR_INVALID_HANDLE,
        cuGraphicsUnregisterResource(none)
    );
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuGraphicsMapResources(0, &mut none, null_mut())
    );
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuGraphicsUnmapResources(1, null_mut(), null_mut())
    );
}
