//! What the driver says where no OpenGL context is current.

use std::thread;

use cuda_safe::{
    Context,
    opengl::{self, DeviceList, GraphicsResource, ImageTarget, RegisterFlags},
    sys::CUresult,
};

const NO_OPENGL: Option<CUresult> = Some(CUresult::CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
const INVALID_VALUE: Option<CUresult> = Some(CUresult::CUDA_ERROR_INVALID_VALUE);

/// On a thread without an OpenGL context.
pub fn without_opengl(context: &Context) {
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
        // An H200's driver (580) gives either, when another thread has an OpenGL context.
        let code = error.driver_code();
        assert!(code == NO_OPENGL || code == INVALID_VALUE, "{error}");
        assert!(
            error.to_string().contains("current on this thread"),
            "{error}"
        );
    }
}

#[test]
fn without_an_opengl_context_nothing_is_shared() {
    let context = Context::primary(0).unwrap();
    thread::spawn(move || without_opengl(&context))
        .join()
        .unwrap();
}
