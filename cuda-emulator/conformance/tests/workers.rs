//! Worker processes, and the parts of `compare` that can be tested without a GPU.

use std::path::PathBuf;
use std::process::{Command, Output};

use cuda_conformance::property::{Program, warp_pool, wire::Worker};
use cuda_conformance::{Form, Runner};

/// Links the emulator instead of `libcuda.so.1`.
use cuda_emulator as _;

const COMPARE: &str = env!("CARGO_BIN_EXE_compare");

/// Returns the path of the emulator's shared library, which cargo puts next to the tests.
fn library() -> PathBuf {
    let path = std::env::current_exe().unwrap();
    path.with_file_name("libcuda_emulator.so")
}

/// Runs `compare` with the emulator as the machine's driver, since the program links one.
fn compare(arguments: &[&str]) -> (Output, String) {
    let mut command = Command::new(COMPARE);
    command.args(arguments).env("LD_PRELOAD", library());
    let output = command.output().unwrap();
    let text = [&output.stdout[..], &output.stderr].concat();
    (output, String::from_utf8(text).unwrap())
}

#[test]
fn worker_results_match_this_process() {
    let mut command = Command::new(COMPARE);
    command
        .args(["--worker", "optimized"])
        .env("LD_PRELOAD", library());
    let mut worker = Worker::start(&mut command).unwrap();
    assert!(
        worker.device.starts_with("CUDA emulator"),
        "{}",
        worker.device
    );
    let pool = warp_pool();
    let mut forms: Vec<Form> = (0..20)
        .map(|s| Program::generate(&pool, s).form())
        .collect();
    forms.push(Form::new("no such instruction", &[], &[]));
    let outcomes = worker.run(&forms).unwrap();
    assert_eq!(outcomes, Runner::new().unwrap().run(&forms));
    assert!(outcomes[20].is_err());
    assert_eq!(worker.run(&forms[..1]).unwrap(), outcomes[..1]);
}

#[test]
fn worker_without_a_device_reports_the_reason() {
    let mut command = Command::new(COMPARE);
    command
        .args(["--worker", "optimized"])
        .env("LD_PRELOAD", library())
        .env("CUDA_EMULATOR_DEVICES", "0");
    let error = Worker::start(&mut command)
        .err()
        .expect("no device")
        .to_string();
    assert!(error.contains("CUDA_ERROR_NO_DEVICE"), "{error}");
}

#[test]
fn comparison_fails_without_a_gpu() {
    let library = library();
    let (output, text) = compare(&["--emulator", library.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("no GPU to compare with"), "{text}");
    let (output, text) = compare(&["--emulator", "nowhere/libcuda_emulator.so"]);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("nowhere/libcuda_emulator.so"), "{text}");
}

#[test]
fn emulator_agrees_with_itself() {
    let library = library();
    let library = library.to_str().unwrap();
    let (output, text) = compare(&[
        "--seconds",
        "1",
        "--seed",
        "7",
        "--emulator",
        library,
        "--driver",
        library,
    ]);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("seed 7"), "{text}");
    assert!(
        text.contains(": 0 programs differ; 0 more differ"),
        "{text}"
    );
    assert!(!text.contains("\n0 programs"), "{text}");
}
