//! Links libcuda through a link-time stub, and libnvrtc from the toolkit. On Windows, imports both.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use crate::driver;
use crate::loading::{self, BLOCK};
use crate::locate::{Machine, Toolkit};

/// Returns the name of NVRTC's DLL, which is the same for all minor versions.
pub fn nvrtc_dll(major: u32) -> String {
    format!("nvrtc64_{major}0_0")
}

/// Returns `bindings` with the DLL of each function, for `major` versions of NVRTC.
///
/// With `raw-dylib`, rustc itself creates the import libraries, so neither those of a toolkit nor a
/// C compiler are needed. A program imports only the functions that it calls.
pub fn import(bindings: &str, major: u32) -> String {
    let attribute =
        |library: &str| format!("#[link(name = \"{library}\", kind = \"raw-dylib\")]\n");
    let (driver, nvrtc) = (attribute("nvcuda"), attribute(&nvrtc_dll(major)));
    let mut imported = String::with_capacity(bindings.len());
    let mut blocks = bindings.split(BLOCK);
    imported += blocks.next().unwrap_or_default();
    for block in blocks {
        let functions = loading::functions(block.split("\n}").next().unwrap_or_default());
        let of_nvrtc = functions.iter().any(|name| name.starts_with("nvrtc"));
        imported += if of_nvrtc { &nvrtc } else { &driver };
        imported += BLOCK;
        imported += block;
    }
    imported
}

/// Links libcuda directly, through a stub that has every function of the header and the driver's
/// SONAME.
///
/// The stub is used even if a driver's library is installed, because an older driver lacks
/// functions of a newer header.
pub fn libcuda(functions: &BTreeSet<String>, out: &Path) -> Result<(), String> {
    stub("cuda", "libcuda.so.1", functions, out)
}

/// Links a stub of NVRTC, for builds without the library. A program that calls NVRTC needs the
/// library when it starts.
pub fn nvrtc_stub(
    toolkit: &Toolkit,
    functions: &BTreeSet<String>,
    out: &Path,
) -> Result<(), String> {
    let reason = toolkit.without_nvrtc.as_deref().unwrap_or_default();
    let soname = format!("libnvrtc.so.{}", toolkit.version / 1000);
    println!(
        "cargo::warning=no NVRTC: cuda-sys links a stub of {soname}. Programs that compile kernels need the library on the \
         loader's path when they start, unless the feature `dynamic-loading` is enabled. Fix: run {}, then \
         `cargo clean -p cuda-direct-sys`",
        crate::locate::NVRTC_ALONE
    );
    eprintln!("{reason}");
    stub("nvrtc", &soname, functions, out)
}

/// Creates and links a shared library that has the name of the real one and empty functions.
///
/// Its file is not called `libcuda.so`, because cargo puts this directory on the loader's path, and
/// a library that opens `libcuda.so` by name must never find the stub.
fn stub(
    library: &str,
    soname: &str,
    functions: &BTreeSet<String>,
    out: &Path,
) -> Result<(), String> {
    let dir = out.join("stub");
    let of_nvrtc = library == "nvrtc";
    let source: String = functions
        .iter()
        .filter(|name| name.starts_with("nvrtc") == of_nvrtc)
        .map(|name| format!("void {name}(void) {{}}\n"))
        .collect();
    let name = format!("{library}-link-stub");
    let file = dir.join(format!("{name}.c"));
    fs::create_dir_all(&dir)
        .and_then(|()| fs::write(&file, source))
        .map_err(|error| format!("cuda-sys cannot write {}: {error}", file.display()))?;
    let compiler = compiler();
    let (program, arguments) = words(&compiler);
    let output = Command::new(program)
        .args(arguments)
        .args(["-shared", "-nostdlib", "-fPIC"])
        .arg(format!("-Wl,-soname,{soname}"))
        .arg("-o")
        .arg(dir.join(format!("lib{name}.so")))
        .arg(&file)
        .output()
        .map_err(|error| {
            format!(
                "cuda-sys needs a C compiler to create a link-time stub: {compiler}: {error}. Fix: install a C compiler, or \
                 set CC to its path"
            )
        })?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr);
        return Err(format!(
            "{compiler} could not create the link-time stub of lib{library}:\n{reason}"
        ));
    }
    println!("cargo::rustc-link-search=native={}", dir.display());
    println!("cargo::rustc-link-lib=dylib={name}");
    Ok(())
}

/// Splits a compiler command from those variables. It is either a program, whose path may contain
/// spaces, or a program and its first arguments, as in `ccache gcc`.
fn words(command: &str) -> (&str, Vec<&str>) {
    let mut words = command.split_whitespace();
    match words.next() {
        Some(program) if !Path::new(command).is_file() => (program, words.collect()),
        _ => (command, Vec::new()),
    }
}

/// Returns the C compiler for the target, from the variables that cc and cargo use.
fn compiler() -> String {
    let target = env::var("TARGET").unwrap_or_default();
    let names = [
        format!("CC_{target}"),
        format!("CC_{}", target.replace('-', "_")),
        "TARGET_CC".into(),
        "CC".into(),
    ];
    let linker = env::var("RUSTC_LINKER")
        .ok()
        .filter(|linker| !linker.ends_with("lld"));
    names
        .iter()
        .find_map(|name| env::var(name).ok())
        .or(linker)
        .unwrap_or_else(|| "cc".into())
}

/// Links NVRTC if `linked` is set. Returns its directory unless the loader finds it by default.
///
/// If the loader does not find it, this fills `out/nvrtc` with links to NVRTC and the builtins that
/// NVRTC loads by name. For `run`, `test` and doc tests, cargo puts search directories below the
/// target folder on the loader's path.
pub fn nvrtc(
    machine: &Machine,
    library: &Path,
    linked: bool,
    out: &Path,
) -> Result<Option<PathBuf>, String> {
    if linked {
        println!("cargo::rustc-link-lib=dylib=nvrtc");
    }
    let dir = library.parent().unwrap_or(Path::new("/"));
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let known = driver::loader_directories(machine)
        .iter()
        .any(|known| real(known) == real(dir));
    if known && library.ends_with("libnvrtc.so") {
        println!("cargo::rustc-link-search=native={}", dir.display());
        return Ok(None);
    }
    let links = out.join("nvrtc");
    let failed =
        |error: std::io::Error| format!("cuda-sys cannot fill {}: {error}", links.display());
    if links.exists() {
        fs::remove_dir_all(&links).map_err(failed)?;
    }
    fs::create_dir_all(&links).map_err(failed)?;
    for entry in fs::read_dir(dir).map_err(failed)?.flatten() {
        let name = entry.file_name();
        let text = name.to_string_lossy();
        if (text.starts_with("libnvrtc.so") || text.starts_with("libnvrtc-builtins.so"))
            && entry.path().is_file()
        {
            symlink(&entry.path(), &links.join(&name)).map_err(failed)?;
        }
    }
    let plain = links.join("libnvrtc.so");
    if !plain.exists() {
        symlink(library, &plain).map_err(failed)?;
    }
    println!("cargo::rustc-link-search=native={}", links.display());
    Ok((!known).then(|| dir.to_owned()))
}

/// Creates a link with a relative target, so that a checkout can be moved or copied.
fn symlink(target: &Path, link: &Path) -> std::io::Result<()> {
    let target = relative(link.parent().unwrap_or(link), target);
    #[cfg(unix)]
    return std::os::unix::fs::symlink(target, link);
    #[cfg(not(unix))]
    return fs::copy(target, link).map(drop);
}

/// Returns the relative path from directory `from` to `to`. Both must be absolute and free of
/// symbolic links.
pub fn relative(from: &Path, to: &Path) -> PathBuf {
    let (from, to) = (real_parent(from), real_parent(to));
    let (a, b): (Vec<Component>, Vec<Component>) =
        (from.components().collect(), to.components().collect());
    let shared = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let up = std::iter::repeat_n(Component::ParentDir, a.len() - shared);
    up.chain(b[shared..].iter().copied()).collect()
}

/// Resolves symbolic links and `..` in the directory of `path`, but not in its last component.
fn real_parent(path: &Path) -> PathBuf {
    match (path.parent().map(fs::canonicalize), path.file_name()) {
        (Some(Ok(parent)), Some(name)) => parent.join(name),
        _ => path.to_owned(),
    }
}
