//! What the driver says where no OpenGL context is current.

use std::thread;

use cuda_safe::{
    Context,
    opengl::{self, DeviceList, GraphicsResource, ImageTarget, RegisterFlags},
    sys::CUresult,
};

use crate::harness::{Test, tests};

pub const TESTS: &[Test] = tests![Host without_an_opengl_context_nothing_is_shared];

/// On a thread without an OpenGL context.
fn without_opengl(context: &Context) {
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
            // An H200's driver (580) gives either, when another thread has an OpenGL context.
            Some(
                CUresult::CUDA_ERROR_INVALID_GRAPHICS_CONTEXT | CUresult::CUDA_ERROR_INVALID_VALUE,
            ) => "current on this thread",
            // It gives this where OpenGL's library is not installed.
            Some(CUresult::CUDA_ERROR_OPERATING_SYSTEM) if !is_emulated => "install libGL.so.1",
            _ => panic!("{error}"),
        };
        assert!(error.to_string().contains(reason), "{error}");
    }
}

fn without_an_opengl_context_nothing_is_shared() {
    let context = Context::primary(0).unwrap();
    thread::spawn(move || without_opengl(&context))
        .join()
        .unwrap();
}
