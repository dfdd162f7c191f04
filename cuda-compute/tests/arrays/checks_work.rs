//! Checks that the emulator stops faulty programs. All tests run with the checks that `checks.rs`
//! selects.

use std::{
    env,
    process::{Command, Output},
};

use cuda_compute::Array;
use cuda_safe::{Context, DeviceBuffer, LaunchConfig, Module};

use crate::stream;

/// The exit code of a process that leaks.
const LEAKED: i32 = 99;

/// Runs a test in a separate process, because each process selects its checks once.
fn child(test: &str) -> Output {
    Command::new(env::current_exe().unwrap())
        .args(["--ignored", "--exact", test])
        .env_remove("CUDA_EMULATOR_CHECK")
        .output()
        .unwrap()
}

fn is_emulated() -> bool {
    let name = Context::primary(0).unwrap().device().name().unwrap();
    name.starts_with("CUDA emulator")
}

fn text(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|part| String::from_utf8_lossy(part));
    format!("{}\n{out}\n{err}", output.status)
}

#[test]
fn reading_uninitialized_memory_fails_a_test() {
    if !is_emulated() {
        return;
    }
    let output = child("checks_work::reads_uninitialized_memory");
    let text = text(&output);
    assert!(!output.status.success(), "{text}");
    assert!(
        text.contains("1 failed") && text.contains("uninitialised"),
        "{text}"
    );
}

#[test]
#[ignore = "a part of `reading_uninitialized_memory_fails_a_test`"]
fn reads_uninitialized_memory() {
    let stream = stream();
    let source = r#"extern "C" __global__ void copy(const int *x, int *y) { *y = *x + 1; }"#;
    let module = Module::compile(stream.context(), source).unwrap();
    let copy = module.function("copy").unwrap();
    let x = DeviceBuffer::<i32>::uninit(&stream, 1).unwrap();
    let mut y = DeviceBuffer::<i32>::zeroed(&stream, 1).unwrap();
    // SAFETY: One thread reads one element and writes another. The memory lives until the stream is
    // done.
    unsafe { copy.launch(&stream, LaunchConfig::new(1, 1), (&x, &mut y)) }.unwrap();
    stream.synchronize().unwrap();
}

#[test]
fn a_leak_fails_a_test() {
    if !is_emulated() {
        return;
    }
    let output = child("checks_work::leaks");
    let text = text(&output);
    assert_eq!(output.status.code(), Some(LEAKED), "{text}");
    assert!(
        text.contains("1 passed") && text.contains("leaked at exit"),
        "{text}"
    );
}

#[test]
#[ignore = "a part of `a_leak_fails_a_test`"]
fn leaks() {
    std::mem::forget(Array::from_slice(&stream(), &[1, 2, 3]).unwrap());
}
