//! Memory shared with OpenGL, which a machine without a screen has too: by EGL, on the device that CUDA counts as number 0.
//! Where there is none, and on the emulator, each test holds that the driver refuses instead, and says so.

#![cfg(feature = "opengl")]

mod buffers;
mod gl;
mod images;
mod refusals;

use cuda_safe::{Context, Error, Module, Stream, opengl::GraphicsResource, sys::CUresult};
use gl::Gl;

/// A thread's OpenGL, CUDA's context on the same device, and a stream.
struct Shared {
    gl: Gl,
    context: Context,
    stream: Stream,
}

/// `None` where there is no OpenGL to share with; what the driver says then has been looked at.
fn shared() -> Option<Shared> {
    let context = Context::primary(0).unwrap();
    let stream = Stream::new(&context).unwrap();
    let emulated = context
        .device()
        .name()
        .unwrap()
        .starts_with("CUDA emulator");
    let gl = match Gl::new() {
        Ok(gl) if !emulated => gl,
        Ok(_) => return refused(&context, "the emulator shares nothing with OpenGL"),
        Err(reason) => return refused(&context, &reason),
    };
    Some(Shared {
        gl,
        context,
        stream,
    })
}

fn refused<T>(context: &Context, reason: &str) -> Option<T> {
    eprintln!("not shared ({reason}): only that the driver refuses is tested");
    refusals::without_opengl(context);
    None
}

fn code<T>(result: Result<T, Error>) -> Option<CUresult> {
    result.err().and_then(|error| error.driver_code())
}

fn kernel(context: &Context, source: &str, name: &str) -> cuda_safe::Function {
    let module = Module::compile(context, source).unwrap();
    module.function(name).unwrap()
}

/// Registers a buffer of `gl`'s.
fn buffer(shared: &Shared, number: u32) -> GraphicsResource {
    // SAFETY: the tests leave it alone while it is mapped, and delete it when the resource is gone; the context is current
    // until then.
    unsafe { GraphicsResource::register_buffer(&shared.context, number, Default::default()) }
        .unwrap()
}
