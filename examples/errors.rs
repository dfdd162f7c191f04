//! A tour of errors and their messages.
//!
//! Provokes every error, and shows its kind and complete message. Errors that make the device unusable
//! for the process run in a child process, which is this program, started again.

mod common;

use std::process::{Command, ExitCode};

use anyhow::{Result, bail, ensure};
use common::gpu::{Gpu, heading};
use cuda_safe::{
    Architecture, Context, Device, DeviceBuffer, Error, ErrorKind, LaunchConfig, Module, Program,
    driver,
};

const SOURCE: &str = r#"
extern "C" __global__ void scale(float *x, float factor, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}

extern "C" __global__ void write_at(float *x, long long i) { x[i] = 1.0f; }

__device__ float offset[3];
"#;

cuda_safe::kernels! {
    /// A declaration with two mistakes: the elements are floats, and `n` is an int.
    struct Declared = SOURCE;
    fn scale(x: &mut [u64], factor: f32, n: u32);
}

/// A stop of the tour: the mistake, the expected error, and the code that provokes it.
struct Stop {
    title: &'static str,
    expected: fn(&ErrorKind) -> bool,
    provoke: fn(&Gpu, &Module) -> cuda_safe::Result<()>,
}

/// Matches an error's kind.
macro_rules! is {
    ($pattern:pat) => {
        |kind: &ErrorKind| matches!(kind, $pattern)
    };
}

const TOUR: &[Stop] = &[
    Stop {
        title: "a device that does not exist",
        expected: is!(ErrorKind::NoDevice),
        provoke: |_, _| Context::primary(99).map(drop),
    },
    Stop {
        title: "source that does not compile",
        expected: is!(ErrorKind::Compile { .. }),
        provoke: |gpu, _| {
            let source = SOURCE.replace("x[i] *= factor", "y[i] *= factor");
            Module::compile(&gpu.context, Program::new(source).name("scale.cu")).map(drop)
        },
    },
    Stop {
        title: "a kernel that the module does not have",
        expected: is!(ErrorKind::NotFound),
        provoke: |_, module| module.function("skale").map(drop),
    },
    Stop {
        title: "a global variable that the module does not have",
        expected: is!(ErrorKind::NotFound),
        provoke: |_, module| module.global::<f32>("offsets", 3).map(drop),
    },
    Stop {
        title: "a global variable of another size",
        expected: is!(ErrorKind::InvalidArgument),
        provoke: |_, module| module.global::<f64>("offset", 3).map(drop),
    },
    Stop {
        title: "too few arguments",
        expected: is!(ErrorKind::LaunchArguments),
        provoke: |gpu, module| {
            let mut x = DeviceBuffer::<f32>::zeroed(&gpu.stream, 10)?;
            let scale = module.function("scale")?;
            // SAFETY: rejected before the launch.
            unsafe { scale.launch(&gpu.stream, LaunchConfig::new(1, 10), (&mut x, 2.0f32)) }
        },
    },
    Stop {
        title: "an argument of the wrong size",
        expected: is!(ErrorKind::LaunchArguments),
        provoke: |gpu, module| {
            let mut x = DeviceBuffer::<f32>::zeroed(&gpu.stream, 10)?;
            let scale = module.function("scale")?;
            let arguments = (&mut x, 2.0f64, 10i32);
            // SAFETY: rejected before the launch.
            unsafe { scale.launch(&gpu.stream, LaunchConfig::new(1, 10), arguments) }
        },
    },
    Stop {
        title: "an argument of the wrong kind",
        expected: is!(ErrorKind::LaunchArguments),
        provoke: |gpu, module| {
            let mut x = DeviceBuffer::<f32>::zeroed(&gpu.stream, 10)?;
            let scale = module.function("scale")?;
            let arguments = (&mut x, 2i32, 10i32);
            // SAFETY: rejected before the launch.
            unsafe { scale.launch(&gpu.stream, LaunchConfig::new(1, 10), arguments) }
        },
    },
    Stop {
        title: "a declaration that differs from the kernel's source",
        expected: is!(ErrorKind::Signature),
        provoke: |gpu, _| Declared::load(&gpu.context).map(drop),
    },
    Stop {
        title: "a block that is too large",
        expected: is!(ErrorKind::LaunchArguments),
        provoke: |gpu, module| {
            let mut x = DeviceBuffer::<f32>::zeroed(&gpu.stream, 10)?;
            let scale = module.function("scale")?;
            let config = LaunchConfig::new(1, (64, 64));
            // SAFETY: rejected before the launch.
            unsafe { scale.launch(&gpu.stream, config, (&mut x, 2.0f32, 10i32)) }
        },
    },
    Stop {
        title: "more dynamic shared memory than allowed",
        expected: is!(ErrorKind::LaunchArguments),
        provoke: |gpu, module| {
            let mut x = DeviceBuffer::<f32>::zeroed(&gpu.stream, 10)?;
            let scale = module.function("scale")?;
            let config = LaunchConfig::new(1, 10).shared_bytes(1 << 20);
            // SAFETY: rejected before the launch.
            unsafe { scale.launch(&gpu.stream, config, (&mut x, 2.0f32, 10i32)) }
        },
    },
    Stop {
        title: "slices of different lengths",
        expected: is!(ErrorKind::InvalidArgument),
        provoke: |gpu, _| {
            let mut x = DeviceBuffer::<f32>::zeroed(&gpu.stream, 10)?;
            x.copy_from_slice(&gpu.stream, &[1.0; 11])
        },
    },
    Stop {
        title: "a range beyond the end",
        expected: is!(ErrorKind::InvalidArgument),
        provoke: |gpu, _| {
            let x = DeviceBuffer::<f32>::zeroed(&gpu.stream, 10)?;
            x.slice(5..11).map(drop)
        },
    },
    Stop {
        title: "more memory than the device has",
        expected: is!(ErrorKind::OutOfMemory { .. }),
        provoke: |gpu, _| {
            let bytes = gpu.context.memory_info()?.total + (1 << 30);
            DeviceBuffer::<u8>::uninit(&gpu.stream, bytes).map(drop)
        },
    },
    Stop {
        title: "PTX that is newer than the driver",
        expected: is!(ErrorKind::Load { .. }),
        provoke: |gpu, _| {
            let ptx =
                ".version 99.0\n.target sm_50\n.address_size 64\n.visible .entry k() { ret; }\n";
            Module::from_ptx(&gpu.context, ptx).map(drop)
        },
    },
    Stop {
        title: "PTX with a mistake in it",
        expected: is!(ErrorKind::Load { .. }),
        provoke: |gpu, _| {
            let ptx = ".version 7.0\n.target sm_50\n.address_size 64\n\
                       .visible .entry k() {\n  ad.u32 %r1, %r2, %r3;\n  ret;\n}\n";
            Module::from_ptx(&gpu.context, ptx).map(drop)
        },
    },
    Stop {
        title: "machine code that is cut short",
        expected: is!(ErrorKind::Load { .. }),
        provoke: |gpu, _| {
            let compiled = Program::new(SOURCE).compile(Architecture::real_of(80))?;
            let cubin = compiled.cubin().unwrap_or_default();
            // SAFETY: rejected because of its length, before its contents are used.
            unsafe { Module::from_cubin(&gpu.context, &cubin[..cubin.len() / 2]) }.map(drop)
        },
    },
    Stop {
        title: "a function that the driver does not have",
        expected: is!(ErrorKind::Unsupported),
        provoke: |_, _| {
            let since = driver::Version {
                major: 99,
                minor: 0,
            };
            driver::symbol(c"cuFromTheFuture", since).map(drop)
        },
    },
];

/// An error that makes the device unusable for the process: a title, the devices that are visible to the
/// process (`None` for all), and the code that provokes it.
type Danger = (&'static str, Option<&'static str>, fn() -> Result<()>);
const DANGEROUS: &[Danger] = &[
    (
        "a kernel that writes out of bounds, and the calls after it",
        None,
        out_of_bounds,
    ),
    ("no visible device", Some("-1"), no_device),
];

fn main() -> Result<ExitCode> {
    if let Ok(title) = std::env::var(CHILD) {
        return child(&title);
    }
    let gpu = Gpu::open()?;
    let module = Module::compile(&gpu.context, SOURCE)?;
    for stop in TOUR {
        heading(stop.title);
        match (stop.provoke)(&gpu, &module) {
            Ok(()) => bail!("{}: there was no error", stop.title),
            Err(error) => show(&error, stop.expected)?,
        }
    }
    // None of these errors affects the device.
    ensure!(!gpu.context.is_poisoned(), "an error poisoned the context");
    let ones = DeviceBuffer::from_slice(&gpu.stream, &[1.0f32; 10])?;
    ensure!(
        ones.to_vec(&gpu.stream)? == [1.0; 10],
        "the device no longer works"
    );

    for (title, devices, _) in DANGEROUS {
        heading(format!("{title} (in a separate process)"));
        let mut command = Command::new(std::env::current_exe()?);
        if let Some(devices) = devices {
            command.env("CUDA_VISIBLE_DEVICES", devices);
        }
        let status = command.env(CHILD, title).status()?;
        ensure!(
            status.success(),
            "{title}: the child process ended with {status}"
        );
    }
    println!(
        "\n{} errors, all as expected.",
        TOUR.len() + DANGEROUS.len() + 1
    );
    Ok(ExitCode::SUCCESS)
}

/// The environment variable that selects the error in a child process.
const CHILD: &str = "CUDA_DIRECT_ERRORS_CHILD";

fn child(title: &str) -> Result<ExitCode> {
    match DANGEROUS.iter().find(|(name, ..)| *name == title) {
        Some((.., run)) => run().map(|()| ExitCode::SUCCESS),
        None => bail!("there is no {title:?}"),
    }
}

fn out_of_bounds() -> Result<()> {
    let context = Context::primary(0)?;
    let stream = cuda_safe::Stream::new(&context)?;
    let write_at =
        Module::compile(&context, Program::new(SOURCE).name("errors.cu"))?.function("write_at")?;
    let mut x = DeviceBuffer::<f32>::zeroed(&stream, 10)?;
    // SAFETY: a deliberate fault: element 2^40 of 10. The device stops the kernel.
    unsafe { write_at.launch(&stream, LaunchConfig::new(1, 1), (&mut x, 1i64 << 40))? };
    // The launch is only enqueued. The fault is reported when the host waits.
    match stream.synchronize() {
        Ok(()) => bail!("writing out of bounds caused no error"),
        Err(error) => show(&error, is!(ErrorKind::Fault))?,
    }
    println!("\nThe context is poisoned. Every later call reports this:");
    match x.to_vec(&stream) {
        Ok(_) => bail!("the poisoned context still works"),
        Err(error) => show(&error, is!(ErrorKind::Poisoned))?,
    }
    ensure!(
        context.is_poisoned(),
        "the context does not report that it is poisoned"
    );
    Ok(())
}

fn no_device() -> Result<()> {
    match Device::count() {
        Ok(count) => bail!("{count} devices are visible"),
        Err(error) => show(&error, is!(ErrorKind::NoDevice)),
    }
}

/// Prints the message, indented, with the kind before it.
fn show(error: &Error, expected: fn(&ErrorKind) -> bool) -> Result<()> {
    ensure!(
        expected(error.kind()),
        "an unexpected kind of error: {error:?}"
    );
    let kind = format!("{:?}", error.kind());
    let name = kind.split([' ', '{']).next().unwrap_or_default();
    println!("[{name}]");
    for line in error.to_string().lines() {
        println!("  {line}");
    }
    Ok(())
}
