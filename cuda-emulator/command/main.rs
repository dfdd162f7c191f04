//! The command `cuda-emulator`: runs programs on the emulator, and prints what they find there.

mod doctor;
mod library;

use std::ffi::OsString;
use std::process::ExitCode;

const USAGE: &str = "\
Runs programs on a CUDA driver in software.

cuda-emulator run [--] PROGRAM [ARGUMENT...]   runs a program on the emulator
cuda-emulator doctor                           prints what a program finds, and what is missing
cuda-emulator build                            builds the library, after `cargo install`
cuda-emulator --version                        prints the version

Variables such as CUDA_EMULATOR_CHECK=race,leak choose the checks. Guide: https://docs.rs/cuda-emulator";

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let command = arguments.next().unwrap_or_default();
    let rest: Vec<OsString> = arguments.collect();
    let done = match (command.to_str(), &*rest) {
        (Some("run"), [dashes, program, rest @ ..]) if dashes == "--" => run(program, rest),
        (Some("run"), [program, rest @ ..]) if program != "--" => run(program, rest),
        (Some("doctor"), []) => doctor::doctor(),
        (Some(doctor::INSPECT), []) => doctor::inspect(),
        (Some("build"), []) => library::build().map(|()| ExitCode::SUCCESS),
        (Some("-h" | "--help" | "help"), []) => print(USAGE),
        (Some("-V" | "--version"), []) => {
            print(concat!("cuda-emulator ", env!("CARGO_PKG_VERSION")))
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    done.unwrap_or_else(|reason| {
        eprintln!("cuda-emulator: {reason}");
        ExitCode::FAILURE
    })
}

fn print(text: &str) -> Result<ExitCode, String> {
    println!("{text}");
    Ok(ExitCode::SUCCESS)
}

/// Runs a program on the emulator, and returns only if it can't be started.
#[cfg(unix)]
fn run(program: &OsString, arguments: &[OsString]) -> Result<ExitCode, String> {
    use std::os::unix::process::CommandExt;
    let reason = library::command(program)?.args(arguments).exec();
    Err(format!("{}: {reason}", program.display()))
}

/// Runs a program on the emulator, and returns its exit code.
#[cfg(not(unix))]
fn run(program: &OsString, arguments: &[OsString]) -> Result<ExitCode, String> {
    let status = library::command(program)?.args(arguments).status();
    let status = status.map_err(|reason| format!("{}: {reason}", program.display()))?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}
