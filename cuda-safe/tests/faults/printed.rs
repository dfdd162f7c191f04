//! The text that a program with a fault prints: once, with the source line, the line of Rust that
//! launched the kernel, and the line that allocated the memory.

use std::{mem, process::Output, thread, time::Duration};

use cuda_safe::{Architecture, Context, DeviceBuffer, LaunchConfig, Module, Program, Stream};

use crate::{KERNELS, child_output_with};

/// A check that finds nothing in these programs. With any check, reports name lines of Rust.
const CHECK: (&str, &str) = ("CUDA_EMULATOR_CHECK", "host");

/// Launches a kernel that writes past the end of a buffer.
fn launch() -> (Stream, DeviceBuffer<i32>, Module) {
    let context = Context::primary(0).unwrap();
    let name = context.device().name().unwrap();
    println!("on {name}");
    // A GPU does not notice a write right behind the buffer.
    let at = match name.starts_with("CUDA emulator") {
        true => 4,
        false => 1i64 << 40,
    };
    let stream = Stream::new(&context).unwrap();
    let module = Module::compile(&context, KERNELS).unwrap();
    let mut x = DeviceBuffer::<i32>::zeroed(&stream, 4).unwrap();
    let write = module.function("write").unwrap();
    // SAFETY: the test needs the fault, and the device contains it.
    unsafe { write.launch(&stream, LaunchConfig::new(1, 1), (&mut x, at)) }.unwrap();
    (stream, x, module)
}

/// Returns the text that a child process printed. Returns `None` in the child, and on a GPU, whose
/// driver prints nothing.
fn printed(output: Option<Output>) -> Option<String> {
    let output = output?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{}\n{text}", output.status);
    if String::from_utf8_lossy(&output.stdout).contains("on CUDA emulator") {
        return Some(text);
    }
    assert!(!text.contains("kernel write"), "{text}");
    None
}

#[track_caller]
fn assert_once(text: &str, part: &str) {
    assert_eq!(text.matches(part).count(), 1, "{part:?} in:\n{text}");
}

/// The lines about the source, in the form that this file's programs print.
const SOURCE: &str =
    "\n >    2 | extern \"C\" __global__ void write(int *x, long long at) { x[at] = 1; }\n";

#[test]
fn error_of_a_wait_is_the_only_report() {
    let output = child_output_with(&[], || {
        let (stream, ..) = launch();
        eprintln!("{}", stream.synchronize().unwrap_err());
    });
    let Some(text) = printed(output) else { return };
    assert_once(&text, "kernel write, block (0, 0, 0), thread (0, 0, 0)");
    assert_once(&text, SOURCE);
    assert_once(&text, "source: program.cu:2, in the program created at ");
    assert!(!text.contains("[cuda-emulator]"), "{text}");
    assert!(!text.contains("launched "), "only with a check: {text}");
}

#[test]
fn fault_that_a_drop_finds_is_printed_with_its_source() {
    let output = child_output_with(&[], || {
        let context = Context::primary(0).unwrap();
        let (stream, x, module) = launch();
        drop(module); // waits
        assert!(context.is_poisoned());
        drop((stream, x, context));
    });
    let Some(text) = printed(output) else { return };
    assert_once(&text, "kernel write, block (0, 0, 0), thread (0, 0, 0)");
    assert_once(&text, SOURCE);
    assert!(!text.contains("[cuda-emulator]"), "{text}");
}

#[test]
fn fault_that_no_call_finds_is_printed_at_exit() {
    let output = child_output_with(&[], || {
        mem::forget(launch());
        // The kernel faults before the process ends.
        thread::sleep(Duration::from_millis(500));
    });
    let Some(text) = printed(output) else { return };
    assert_once(
        &text,
        "[cuda-emulator] CUDA_ERROR_ILLEGAL_ADDRESS\nwrite of 4 bytes at 0x",
    );
    assert_once(&text, "kernel write, block (0, 0, 0), thread (0, 0, 0)");
}

#[test]
fn with_a_check_reports_name_the_lines_of_the_launch_and_the_allocation() {
    let output = child_output_with(&[CHECK], || {
        let (stream, ..) = launch();
        eprintln!("{}", stream.synchronize().unwrap_err());
        // Whether this program has line information.
        eprintln!("{}", std::backtrace::Backtrace::force_capture());
    });
    let Some(text) = printed(output) else { return };
    let mut frames = text.lines().map(str::trim_start);
    let has_lines = frames.any(|line| line.starts_with("at ") && line.contains("printed.rs:"));
    let place = |marker: &str| {
        let lines = include_str!("printed.rs").lines();
        let line = 1 + lines.take_while(|line| !line.contains(marker)).count();
        if has_lines {
            format!("tests/faults/printed.rs:{line}")
        } else {
            "faults::printed::launch".to_owned()
        }
    };
    let launched = text.lines().find(|line| line.starts_with("  launched "));
    let launched = launched.unwrap_or_else(|| panic!("{text}"));
    assert!(
        launched.ends_with(&place("unsafe { write.launch")),
        "{launched}"
    );
    let memory = text
        .lines()
        .find(|line| line.contains("bytes past the end of allocation"));
    let memory = memory.unwrap_or_else(|| panic!("{text}"));
    let place = place("DeviceBuffer::<i32>::zeroed");
    assert!(
        memory.contains("16 bytes at 0x") && memory.ends_with(&format!("{place})")),
        "{memory}"
    );
}

#[test]
fn included_programs_are_named_after_their_file() {
    let program: Program = cuda_safe::include_program!("printed.cu");
    assert!(program.source().contains("table[SIZE]"));
    let program = program.define("SIZE", "wrong");
    let error = program.compile(Architecture::virtual_of(90)).unwrap_err();
    let name = "tests/faults/printed.cu(2): error: identifier \"wrong\" is undefined";
    assert!(error.to_string().contains(name), "{error}");
}

#[test]
fn programs_without_a_name_are_told_apart() {
    let output = child_output_with(&[], || {
        // Two programs with the same kernel, which one function compiles.
        let other = Context::primary(0).unwrap();
        let compile = |text: &str| Module::compile(&other, text).unwrap();
        let _other = compile("\n\n\nextern \"C\" __global__ void write(int *x, long long at) {}");
        let (stream, ..) = launch();
        eprintln!("{}", stream.synchronize().unwrap_err());
    });
    let Some(text) = printed(output) else { return };
    assert_once(&text, SOURCE);
    assert_once(&text, "source: program.cu:2, in the program created at ");
}

#[test]
fn race_between_streams_quotes_both_sources_and_names_both_launches() {
    const TEXT: &str = "extern \"C\" __global__ void put(int *x) { *x = 1; }\n\
                        extern \"C\" __global__ void get(const int *x, int *y) { *y = *x; }";
    let output = child_output_with(&[("CUDA_EMULATOR_CHECK", "stream")], || {
        let context = Context::primary(0).unwrap();
        let name = context.device().name().unwrap();
        println!("on {name}");
        let [first, second] = [(), ()].map(|()| Stream::new(&context).unwrap());
        let module = Module::compile(&context, TEXT).unwrap();
        let mut x = DeviceBuffer::<i32>::zeroed(&first, 1).unwrap();
        let mut y = DeviceBuffer::<i32>::zeroed(&second, 1).unwrap();
        first.synchronize().unwrap();
        let [put, get] = ["put", "get"].map(|name| module.function(name).unwrap());
        let one = LaunchConfig::new(1, 1);
        // SAFETY: one thread and one element each. The missing order is intended.
        unsafe {
            put.launch(&first, one, (&mut x,)).unwrap();
            get.launch(&second, one, (&x, &mut y)).unwrap();
        }
        let result = first.synchronize().and(second.synchronize());
        // A GPU does not notice it.
        assert_eq!(result.is_err(), name.starts_with("CUDA emulator"));
        if let Err(error) = result {
            eprintln!("{error}");
        }
    });
    let Some(text) = printed(output) else { return };
    for (verb, kernel, line) in [("written", "put", 1), ("read", "get", 2)] {
        let start = format!("\n  {verb} by kernel `{kernel}` (cuLaunchKernel on stream 0x");
        let (_, rest) = text.split_once(&start).unwrap_or_else(|| panic!("{text}"));
        let lines: Vec<_> = rest.lines().collect();
        assert!(lines[1].starts_with("    launched "), "{text}");
        let source = format!("    source: program.cu:{line}, in the program created at ");
        assert!(lines[2].starts_with(&source), "{text}");
        let quoted = TEXT.lines().nth(line - 1).unwrap();
        assert!(
            rest.contains(&format!("\n >{line:5} | {quoted}\n")),
            "{text}"
        );
    }
    assert_once(&text, "in cuda-safe `second.wait_stream(&first)`)");
}
