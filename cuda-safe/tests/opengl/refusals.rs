//! Errors of the driver if no OpenGL context is current.

use std::thread;

use cuda_safe::{
    Context,
    opengl::{self, DeviceList, GraphicsResource, ImageTarget, RegisterFlags},
    sys::CUresult,
};

use crate::harness::{Test, tests};

pub const TESTS: &[Test] = tests![Host sharing_needs_an_opengl_context];

/// Checks the errors on a thread without an OpenGL context.
fn check_without_opengl(context: &Context) {
    let is_emulated = context.device().name().unwrap().contains("emulator");
    let flags = RegisterFlags::default();
    // SAFETY: nothing can be registered.
    let (buffer, image) = unsafe {
        (
            GraphicsResource::register_buffer(context, 1, flags),
            GraphicsResource::register_image(context, 1, ImageTarget::TEXTURE_2D, flags),
        )
    };
    let devices = opengl::devices(DeviceList::ALL);
    for error in [
        buffer.unwrap_err(),
        image.unwrap_err(),
        devices.unwrap_err(),
    ] {
        let reason = match error.driver_code() {
            // The driver of an H200 (version 580) returns either code if another thread has an
            // OpenGL context.
            Some(
                CUresult::CUDA_ERROR_INVALID_GRAPHICS_CONTEXT | CUresult::CUDA_ERROR_INVALID_VALUE,
            ) => "current on this thread",
            // It returns this code if OpenGL's library is not installed.
            Some(CUresult::CUDA_ERROR_OPERATING_SYSTEM) if !is_emulated => "install libGL.so.1",
            _ => panic!("{error}"),
        };
        assert!(error.to_string().contains(reason), "{error}");
    }
}

fn sharing_needs_an_opengl_context() {
    let context = Context::primary(0).unwrap();
    thread::spawn(move || check_without_opengl(&context))
        .join()
        .unwrap();
}
