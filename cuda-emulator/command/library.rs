//! The emulator's library, and the loader path by which programs find it.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use cuda_find::{Handle, NVJITLINK, NVRTC};

/// The library's name for programs, and the variable with the loader's path.
const FOUND_BY: (&str, &str) = if cfg!(windows) {
    ("nvcuda.dll", "PATH")
} else {
    ("libcuda.so.1", "LD_LIBRARY_PATH")
};

/// The library's name in cargo's target folder.
const BUILT: &str = if cfg!(windows) {
    "cuda_emulator.dll"
} else {
    "libcuda_emulator.so"
};

/// Major versions of NVRTC, the newest first.
const TOOLKITS: [u32; 2] = [13, 12];

/// Returns a command whose loader path leads to the emulator, and to NVRTC if it is installed.
///
/// The emulator comes first. NVRTC's folder comes last, and only if the loader does not find NVRTC by
/// itself.
pub fn command(program: &OsStr) -> Result<Command, String> {
    let (_, variable) = FOUND_BY;
    let before = env::var_os(variable).unwrap_or_default();
    let before = env::split_paths(&before).filter(|folder| !folder.as_os_str().is_empty());
    let compiler = nvrtc().ok().filter(|found| !found.is_on_path);
    let compiler = compiler.and_then(|found| Some(found.file.parent()?.to_owned()));
    let folders = [folder()?].into_iter().chain(before).chain(compiler);
    let path = env::join_paths(folders).map_err(|reason| format!("{variable}: {reason}"))?;
    let mut command = Command::new(program);
    command.env(variable, path);
    Ok(command)
}

/// An installed NVRTC.
pub struct Nvrtc {
    /// Its file.
    pub file: PathBuf,
    /// Its major and minor version.
    pub version: (i32, i32),
    /// Whether the loader finds it by its name alone.
    is_on_path: bool,
}

/// Searches for NVRTC as all crates of this project do.
///
/// # Errors
/// Returns a text with the searched places and the remedy if it is missing.
pub fn nvrtc() -> Result<Nvrtc, String> {
    let accept = |library: Handle, name: &Path| {
        let symbol = library.find(c"nvrtcVersion")?;
        // SAFETY: the type of NVRTC's function.
        let version = unsafe {
            library.function::<unsafe extern "C" fn(&mut i32, &mut i32) -> i32>(c"nvrtcVersion")?
        };
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both are valid for the write.
        unsafe { version(&mut major, &mut minor) };
        let file = cuda_find::file_of(symbol.as_ptr()).ok_or("its file is unknown")?;
        let version = (major, minor);
        Ok(Nvrtc {
            file,
            version,
            is_on_path: !name.is_absolute(),
        })
    };
    let found = NVRTC.open(&TOOLKITS, &[], None, accept);
    found.map_err(|missing| missing.to_string())
}

/// Returns the file of nvJitLink, or a text with the searched places if it is missing.
pub fn linker() -> Result<PathBuf, String> {
    let accept = |library: Handle, _: &Path| {
        let symbol = library.find(c"nvJitLinkVersion")?;
        cuda_find::file_of(symbol.as_ptr()).ok_or_else(|| "its file is unknown".to_owned())
    };
    let found = NVJITLINK.open(&TOOLKITS, &[], None, accept);
    found.map_err(|missing| missing.to_string())
}

/// Returns the folder with the library.
///
/// In cargo's target folder it is beside the program, under another name. A wheel and [`build`] put
/// it into `lib/cuda-emulator`, where the program is in `bin`.
fn folder() -> Result<PathBuf, String> {
    let (name, _) = FOUND_BY;
    let program = program()?;
    let built = program.with_file_name("deps").join(BUILT);
    if built.is_file() {
        return offer(&built).map_err(|reason| format!("{}: {reason}", built.display()));
    }
    let installed = installed(&program);
    if installed.join(name).is_file() {
        return Ok(installed);
    }
    Err(format!(
        "the emulator's library was not found: looked for {} and {}. Fix: after `cargo install`, which copies only \
         programs, run `cuda-emulator build`. If it came with pip, install the package again",
        built.display(),
        installed.join(name).display()
    ))
}

/// Returns this program, with symbolic links resolved.
fn program() -> Result<PathBuf, String> {
    let program = env::current_exe().and_then(fs::canonicalize);
    program.map_err(|reason| format!("the path of this program is unknown: {reason}"))
}

/// Returns the folder of the installed library.
fn installed(program: &Path) -> PathBuf {
    let prefix = program.ancestors().nth(2).unwrap_or(program);
    prefix.join("lib/cuda-emulator")
}

/// Puts a built library into a folder under its name for programs.
fn offer(built: &Path) -> std::io::Result<PathBuf> {
    let folder = built.with_file_name("cuda-emulator-library");
    let library = folder.join(FOUND_BY.0);
    fs::create_dir_all(&folder)?;
    #[cfg(unix)]
    if fs::read_link(&library).is_ok_and(|target| target == built) {
        return Ok(folder);
    }
    // A library that a program uses can't be replaced.
    #[cfg(not(unix))]
    if let (Ok(offered), Ok(built)) = (fs::metadata(&library), fs::metadata(built))
        && offered.len() == built.len()
        && offered.modified()? >= built.modified()?
    {
        return Ok(folder);
    }
    // Under a name of this process first, so that other processes always find the whole file.
    let own = folder.join(std::process::id().to_string());
    #[cfg(unix)]
    std::os::unix::fs::symlink(built, &own)?;
    #[cfg(not(unix))]
    fs::copy(built, &own)?;
    fs::rename(&own, &library)?;
    Ok(folder)
}

/// Builds the library from the sources of this program, and installs it.
pub fn build() -> Result<(), String> {
    let program = program()?;
    let sources = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = installed(&program);
    let target = folder.join("target");
    let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    // Otherwise, cargo's settings could choose another processor, and with it another folder.
    let triple = env!("EMULATOR_TARGET");
    let status = Command::new(&cargo)
        .args([
            "rustc",
            "--locked",
            "--release",
            "--lib",
            "--crate-type=cdylib",
            "--target",
            triple,
            "--manifest-path",
        ])
        .arg(sources.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&target)
        .status();
    match status {
        Ok(status) if status.success() => {}
        Ok(status) => return Err(format!("{}: {status}", cargo.display())),
        Err(reason) => {
            let cargo = cargo.display();
            return Err(format!(
                "{cargo}: {reason}. Fix: install Rust, or use the package for pip"
            ));
        }
    }
    let library = folder.join(FOUND_BY.0);
    let own = folder.join(std::process::id().to_string());
    fs::copy(target.join(triple).join("release").join(BUILT), &own)
        .and_then(|_| fs::rename(&own, &library))
        .and_then(|()| fs::remove_dir_all(&target))
        .map_err(|reason| format!("{}: {reason}", library.display()))?;
    println!("built {}", library.display());
    Ok(())
}
