//! Memory shared with OpenGL, which a machine without a screen has too: by EGL, on the device that CUDA counts as number 0.
//! Where there is none, and on the emulator, each test holds that the driver refuses instead, and says so.

#![cfg(feature = "opengl")]

mod buffers;
mod gl;
mod images;
mod refusals;

use std::{
    any::Any,
    cell::Cell,
    env,
    panic::{self, AssertUnwindSafe},
    process::Command,
    sync::{
        LazyLock,
        mpsc::{self, Sender},
    },
    thread,
};

use cuda_safe::{Context, Error, Module, Stream, opengl::GraphicsResource, sys::CUresult};
use gl::Gl;

/// OpenGL, CUDA's context on the same device, and a stream.
struct Shared<'a> {
    gl: &'a Gl,
    context: Context,
    stream: Stream,
}

type Body = fn(&Shared<'_>);

/// How a body ended: what it panicked with, and the message.
type Ended = Result<(), (Box<dyn Any + Send>, String)>;

const THREAD: &str = "opengl";
const CHILD: &str = "CUDA_SAFE_TEST_OPENGL";

thread_local! {
    static MESSAGE: Cell<String> = const { Cell::new(String::new()) };
}

/// The thread that OpenGL's context is current on. Tests hand it their bodies, one after another.
static OPENGL: LazyLock<Sender<(Body, Sender<Ended>)>> = LazyLock::new(|| {
    // Messages are told by the tests' own threads, whose output is theirs.
    let hook = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        match thread::current().name() == Some(THREAD) {
            true => MESSAGE.set(panic.to_string()),
            false => hook(panic),
        }
    }));
    let (bodies, given) = mpsc::channel::<(Body, Sender<Ended>)>();
    let serve = move || {
        let gl = Gl::new();
        for (body, ended) in given {
            let result = panic::catch_unwind(AssertUnwindSafe(|| run(&gl, body)));
            let _ = ended.send(result.map_err(|panic| (panic, MESSAGE.take())));
        }
    };
    let thread = thread::Builder::new().name(THREAD.to_owned());
    thread.spawn(serve).unwrap();
    bodies
});

/// Runs `body` where OpenGL is. Where there is none to share with, looks at what the driver says then.
fn shared(body: Body) {
    let (ended, result) = mpsc::channel();
    OPENGL.send((body, ended)).unwrap();
    if let Err((panic, message)) = result.recv().unwrap() {
        eprintln!("{message}");
        panic::resume_unwind(panic);
    }
}

/// As [`shared`], in a process of its own: what `body` leaves mapped would stay so for the tests behind it.
fn shared_in_child(test: &str, body: Body) {
    match env::var(CHILD) {
        Ok(name) if name == test => {
            shared(body);
            println!("child done: {test}");
        }
        Ok(_) => {}
        Err(_) => {
            let output = Command::new(env::current_exe().unwrap())
                .args([test, "--exact", "--nocapture", "--test-threads=1"])
                .env(CHILD, test)
                .output()
                .unwrap();
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(
                output.status.success() && text.contains(&format!("child done: {test}")),
                "{}\n{text}\n{}",
                output.status,
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
}

fn run(gl: &Result<Gl, String>, body: Body) {
    let context = Context::primary(0).unwrap();
    let name = context.device().name().unwrap();
    let gl = match gl {
        Ok(gl) if !name.starts_with("CUDA emulator") => gl,
        Ok(_) => return refused(&context, "the emulator shares nothing with OpenGL"),
        Err(reason) => return refused(&context, reason),
    };
    gl.begin();
    let stream = Stream::new(&context).unwrap();
    body(&Shared {
        gl,
        context,
        stream,
    });
    gl.finish();
}

fn refused(context: &Context, reason: &str) {
    eprintln!("not shared ({reason}): only that the driver refuses is tested");
    refusals::without_opengl(context);
}

fn code<T>(result: Result<T, Error>) -> Option<CUresult> {
    result.err().and_then(|error| error.driver_code())
}

fn kernel(context: &Context, source: &str, name: &str) -> cuda_safe::Function {
    let module = Module::compile(context, source).unwrap();
    module.function(name).unwrap()
}

/// Registers a buffer of `gl`'s.
fn buffer(shared: &Shared<'_>, number: u32) -> GraphicsResource {
    // SAFETY: the tests leave it alone while it is mapped, and delete it when the resource is gone; the context is current
    // until then.
    unsafe { GraphicsResource::register_buffer(&shared.context, number, Default::default()) }
        .unwrap()
}
