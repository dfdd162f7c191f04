//! Memory shared with OpenGL on CUDA's device 0. EGL creates OpenGL's context, so no screen is
//! needed. If OpenGL is not installed, and on the emulator, the tests are reported as ignored with
//! the reason.

mod buffers;
mod gl;
mod harness;
mod images;
mod refusals;

use std::process::ExitCode;

use cuda_safe::{Context, Error, Module, Stream, opengl::GraphicsResource, sys::CUresult};
use gl::{Gl, NoOpenGl};

fn main() -> ExitCode {
    let tests = [buffers::TESTS, gl::TESTS, images::TESTS, refusals::TESTS];
    harness::run(tests.into_iter().flatten(), OpenGl::open)
}

/// OpenGL on CUDA's device 0.
struct OpenGl {
    gl: Gl,
    context: Context,
}

/// OpenGL, CUDA's context on the same device, and a stream.
struct Shared<'a> {
    gl: &'a Gl,
    context: Context,
    stream: Stream,
}

impl OpenGl {
    fn open() -> Result<Self, NoOpenGl> {
        let context = Context::primary(0).unwrap();
        if context
            .device()
            .name()
            .unwrap()
            .starts_with("CUDA emulator")
        {
            let reason = "the emulator shares nothing with OpenGL";
            return Err(NoOpenGl::Missing(reason.into()));
        }
        let gl = Gl::new()?;
        Ok(Self { gl, context })
    }

    /// Runs a test while OpenGL's context is current.
    fn share(&self, body: fn(&Shared<'_>)) {
        self.gl.begin();
        let stream = Stream::new(&self.context).unwrap();
        body(&Shared {
            gl: &self.gl,
            context: self.context.clone(),
            stream,
        });
        self.gl.finish();
    }
}

fn code<T>(result: Result<T, Error>) -> Option<CUresult> {
    result.err().and_then(|error| error.driver_code())
}

fn kernel(context: &Context, source: &str, name: &str) -> cuda_safe::Function {
    let module = Module::compile(context, source).unwrap();
    module.function(name).unwrap()
}

/// Registers a buffer of `gl`.
fn buffer(shared: &Shared<'_>, number: u32) -> GraphicsResource {
    // SAFETY: the tests do not use the buffer while it is mapped, and delete it after the resource.
    // The context stays current until then.
    unsafe { GraphicsResource::register_buffer(&shared.context, number, Default::default()) }
        .unwrap()
}
