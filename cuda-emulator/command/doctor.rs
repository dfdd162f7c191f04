//! What a program finds on the emulator, and what is missing.

use std::env;
use std::ffi::{CStr, c_char, c_int};
use std::path::PathBuf;
use std::process::ExitCode;

use cuda_find::{DRIVER, Handle};

use crate::library::{self, Nvrtc};

/// The argument of the process that [`doctor`] starts on the emulator.
pub const INSPECT: &str = "inspect";

/// Prints what a process finds that `run` starts.
pub fn doctor() -> Result<ExitCode, String> {
    let program = env::current_exe().map_err(|reason| reason.to_string())?;
    let status = library::command(program.as_os_str())?.arg(INSPECT).status();
    match status {
        Ok(status) if status.success() => Ok(ExitCode::SUCCESS),
        Ok(_) => Ok(ExitCode::FAILURE),
        Err(reason) => Err(format!("{}: {reason}", program.display())),
    }
}

/// Prints what this process finds.
pub fn inspect() -> Result<ExitCode, String> {
    let driver = DRIVER.open(&[], &[], None, |library, _| {
        let own = library.find(c"cuEmulatorGetReport")?;
        Ok(Driver::start(library, cuda_find::file_of(own.as_ptr())))
    });
    let driver = driver.map_err(|missing| format!("the emulator is not found. {missing}"))??;
    println!("library   {}", driver.file.display());
    println!("devices   {} x {}", driver.devices, driver.name);
    let mut variables: Vec<_> = env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, value)| name.starts_with("CUDA_EMULATOR_") && !value.is_empty())
        .collect();
    variables.sort();
    let checks = variables
        .iter()
        .find(|(name, _)| name == "CUDA_EMULATOR_CHECK");
    println!(
        "checks    every memory access{}{}",
        if checks.is_some() { ", and " } else { "" },
        checks.map_or("", |(_, checks)| checks)
    );
    for (name, value) in &variables {
        println!("variable  {name}={value}");
    }
    match library::nvrtc() {
        Ok(Nvrtc { file, version, .. }) => {
            println!("NVRTC     {}.{}, {}", version.0, version.1, file.display());
        }
        Err(missing) => {
            println!("NVRTC     missing. Only programs that compile CUDA C++ need it. {missing}")
        }
    }
    if let Ok(file) = library::linker() {
        println!(
            "nvJitLink {}: numba-cuda links machine code with it, which the emulator rejects. Fix: pip uninstall nvidia-nvjitlink",
            file.display()
        );
    }
    if checks.is_none() {
        println!("\nTo find races and leaks, set CUDA_EMULATOR_CHECK=uninit,race,barrier,leak");
    }
    Ok(ExitCode::SUCCESS)
}

/// The emulator, as a program sees it.
struct Driver {
    file: PathBuf,
    devices: c_int,
    name: String,
}

impl Driver {
    /// Initializes the emulator, or returns why it can't be used.
    fn start(library: Handle, file: Option<PathBuf>) -> Result<Self, String> {
        // SAFETY: the types of the driver's functions.
        let (init, count, name) = unsafe {
            (
                library.function::<unsafe extern "C" fn(u32) -> c_int>(c"cuInit")?,
                library
                    .function::<unsafe extern "C" fn(*mut c_int) -> c_int>(c"cuDeviceGetCount")?,
                library.function::<unsafe extern "C" fn(*mut c_char, c_int, c_int) -> c_int>(
                    c"cuDeviceGetName",
                )?,
            )
        };
        let (mut devices, mut text) = (0, [0u8; 128]);
        // SAFETY: both results are valid for the writes, `text` for its length.
        let codes = unsafe {
            [
                ("cuInit", init(0)),
                ("cuDeviceGetCount", count(&mut devices)),
                (
                    "cuDeviceGetName",
                    name(text.as_mut_ptr().cast(), text.len() as c_int, 0),
                ),
            ]
        };
        if let Some((call, code)) = codes.into_iter().find(|(_, code)| *code != 0) {
            return Err(format!("{call} of the emulator returned the code {code}"));
        }
        let name = CStr::from_bytes_until_nul(&text).map_err(|error| error.to_string())?;
        Ok(Self {
            file: file.unwrap_or_default(),
            devices,
            name: name.to_string_lossy().into_owned(),
        })
    }
}
