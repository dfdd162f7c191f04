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
    no_context!(cuGraphicsGLRegisterBuffer(null_mut(), 0, 99));
    let _context = context();
    for (name, flags, expected) in [
        (1, 0, INVALID_GRAPHICS_CONTEXT),
        (1, 1, INVALID_GRAPHICS_CONTEXT),
        (1, 2, INVALID_GRAPHICS_CONTEXT),
        (0, 0, INVALID),
        (1, 3, INVALID),
        (1, 4, INVALID),
    ] {
        let code = call!(cuGraphicsGLRegisterBuffer(&mut resource, name, flags));
        assert_eq!(code, expected, "buffer {name}, flags {flags}");
    }
    for (name, target, flags, expected) in [
        (1, 0x0de1, 0, INVALID_GRAPHICS_CONTEXT),
        (1, 0x84f5, 3, INVALID_GRAPHICS_CONTEXT),
        (1, 0x8d41, 15, INVALID_GRAPHICS_CONTEXT),
        (0, 0x0de1, 0, INVALID),
        (1, 0x0de0, 0, INVALID),
        (1, 0x9100, 0, INVALID),
        (1, 0x0de1, 16, INVALID),
    ] {
        let place = &raw mut resource;
        let code = call!(cuGraphicsGLRegisterImage(place, name, target, flags));
        assert_eq!(code, expected, "image {name}, {target:#x}, flags {flags}");
    }
    invalid!(cuGraphicsGLRegisterBuffer(null_mut(), 1, 0));
    assert!(resource.is_null());
    let (mut count, mut devices) = (7, [7; 4]);
    for list in [1, 2, 3].map(CUGLDeviceList) {
        let code = call!(cuGLGetDevices_v2(&mut count, devices.as_mut_ptr(), 4, list));
        assert_eq!(code, INVALID_GRAPHICS_CONTEXT);
    }
    assert_eq!((count, devices), (7, [7; 4]));
}

#[test]
fn every_resource_handle_is_rejected() {
    // These functions do not need a context.
    ok!(cuInit(0));
    let mut none: CUgraphicsResource = null_mut();
    let (mut pointer, mut size, mut array, mut levels) = (0, 0, null_mut(), null_mut());
    stale!(cuGraphicsMapResources(1, &mut none, null_mut()));
    stale!(cuGraphicsUnmapResources(1, &mut none, null_mut()));
    let pointer_of = cuGraphicsResourceGetMappedPointer_v2;
    stale!(pointer_of(&mut pointer, &mut size, none));
    stale!(cuGraphicsSubResourceGetMappedArray(&mut array, none, 0, 0));
    stale!(cuGraphicsResourceGetMappedMipmappedArray(&mut levels, none));
    stale!(cuGraphicsResourceSetMapFlags_v2(none, 0));
    stale!(cuGraphicsUnregisterResource(none));
    invalid!(cuGraphicsMapResources(0, &mut none, null_mut()));
    invalid!(cuGraphicsUnmapResources(1, null_mut(), null_mut()));
}
