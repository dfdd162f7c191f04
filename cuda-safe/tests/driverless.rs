//! Runs one program with and without the libraries, using the feature `dynamic-loading`:
//!
//! `cargo test -p cuda-safe --features dynamic-loading --test driverless`
//!
//! Each case runs this program again as a child process, because a process looks for a library only
//! once.

use std::{env, process::Command};

#[path = "common/test_name.rs"]
mod test_name;

use cuda_safe::{
    Architecture, ComputeCapability, Context, Device, DeviceBuffer, Error, ErrorKind, LaunchConfig,
    Module, Program, Stream, driver, program::nvrtc_version,
};
use test_name::test_name;

const CHILD: &str = "CUDA_SAFE_TEST_DRIVERLESS";

/// Runs only `body` in a child process with these environment variables.
fn in_child(variables: &[(&str, &str)], body: impl FnOnce()) {
    let test = test_name(&body);
    if let Ok(wanted) = env::var(CHILD) {
        if wanted == test {
            body();
            println!("child done");
        }
        return;
    }
    let output = Command::new(env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(CHILD, test)
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    let done = output.status.success() && text.contains("child done");
    assert!(done, "{}:\n{text}", output.status);
}

fn is(error: &Error, kind: &ErrorKind, missing: &str) {
    assert_eq!(error.kind(), kind, "{error}");
    let text = error.to_string();
    assert!(text.contains(missing), "no searched file: {text}");
    let remedies: &[&str] = match kind {
        ErrorKind::NoDevice => &[
            "install the NVIDIA driver",
            "`cargo run --features emulator`",
            "`use cuda_emulator as _;`",
            "set CUDA_SYS_LIBCUDA to the absolute path of libcuda_emulator.so",
        ],
        _ => &[
            "`pip install nvidia-cuda-nvrtc` (for CUDA 12, `nvidia-cuda-nvrtc-cu12`) in the active virtual environment",
            "`conda install -c conda-forge cuda-nvrtc`",
            "`apt install cuda-nvrtc-13-0`",
            "correct CUDA_SYS_LIBNVRTC, or unset it",
        ],
    };
    for remedy in remedies {
        assert!(text.contains(remedy), "no remedy: {text}");
    }
}

#[test]
fn program_starts_without_driver_and_calls_return_errors() {
    let variables = [("CUDA_SYS_LIBCUDA", "/nowhere/libcuda.so.1")];
    in_child(&variables, || {
        assert!(!driver::is_available());
        for error in [
            driver::init().unwrap_err(),
            driver::version().unwrap_err(),
            Device::get(0).unwrap_err(),
            Device::all().unwrap_err(),
            Context::primary(0).unwrap_err(),
            driver::symbol(
                c"cuInit",
                driver::Version {
                    major: 12,
                    minor: 0,
                },
            )
            .unwrap_err(),
        ] {
            is(
                &error,
                &ErrorKind::NoDevice,
                "NVIDIA's driver was not found: looked for /nowhere/libcuda.so.1 (CUDA_SYS_LIBCUDA). ",
            );
        }
        // The compiler needs no driver.
        let program = Program::new("__global__ void k() {}");
        let compiled = program.compile(Architecture::virtual_of(90)).unwrap();
        assert!(compiled.ptx().contains(".target sm_90"));
    });
}

#[test]
fn program_starts_without_compiler_and_calls_return_errors() {
    let variables = [("CUDA_SYS_LIBNVRTC", "/nowhere/libnvrtc.so")];
    in_child(&variables, || {
        assert!(driver::is_available());
        let context = Context::primary(0).unwrap();
        let program = Program::new("__global__ void k() {}");
        for error in [
            nvrtc_version().unwrap_err(),
            Architecture::for_device(ComputeCapability { major: 9, minor: 0 }).unwrap_err(),
            program.compile(Architecture::virtual_of(90)).unwrap_err(),
            Module::compile(&context, "__global__ void k() {}").unwrap_err(),
        ] {
            is(
                &error,
                &ErrorKind::NoCompiler,
                "NVRTC was not found: looked for /nowhere/libnvrtc.so (CUDA_SYS_LIBNVRTC). ",
            );
        }
        // The driver compiles PTX itself.
        let ptx = ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry k() { ret; }\n";
        let module = Module::from_ptx(&context, ptx).unwrap();
        let stream = Stream::new(&context).unwrap();
        let kernel = module.function("k").unwrap();
        // SAFETY: the kernel does nothing.
        unsafe { kernel.launch(&stream, LaunchConfig::new(1, 1), ()) }.unwrap();
        stream.synchronize().unwrap();
    });
}

#[test]
fn program_computes_with_driver_and_compiler() {
    in_child(&[], || {
        assert!(driver::is_available());
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let source = r#"extern "C" __global__ void twice(int *x) { x[threadIdx.x] *= 2; }"#;
        let module = Module::compile(&context, source).unwrap();
        let mut buffer = DeviceBuffer::from_slice(&stream, &[1, 2, 3]).unwrap();
        let config = LaunchConfig::new(1, 3);
        let twice = module.function("twice").unwrap();
        // SAFETY: three threads write three elements.
        unsafe { twice.launch(&stream, config, (&mut buffer,)) }.unwrap();
        assert_eq!(buffer.to_vec(&stream).unwrap(), [2, 4, 6]);
    });
}
