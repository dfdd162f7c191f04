//! Gives the programs of a package run paths, so that they start without environment variables:
//!
//! - to NVRTC and the builtins that it loads by name, if the loader does not find them by itself;
//! - if no driver is installed, to a folder in which `cuda-emulator` is called `libcuda.so.1`. `CUDA_EMULATOR=1` adds this
//!   path even if a driver is installed, and `CUDA_EMULATOR=0` never adds it.

use std::env;
use std::path::{Component, Path, PathBuf};

/// Prints the instructions for cargo. The package needs `cuda-sys` as a direct dependency, whose build script passes on the
/// installed software. `repository` is the folder that `make setup` installs to. `has_emulator` says if the package depends on
/// `cuda-emulator`.
pub fn print(repository: &Path, has_emulator: bool) {
    println!("cargo::rerun-if-env-changed=CUDA_EMULATOR");
    if env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("linux") {
        return;
    }
    let fact = |name: &str| {
        env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let emulator = match env::var("CUDA_EMULATOR").as_deref() {
        Ok("1") => true,
        Ok("0") => false,
        _ => fact("DEP_CUDA_DRIVER").is_none(),
    };
    if emulator && !has_emulator {
        let why = match fact("DEP_CUDA_DRIVER") {
            None => "no driver is installed, so these programs find none",
            Some(_) => "CUDA_EMULATOR=1 has no effect on these programs",
        };
        // Not an error, because `cargo build --release` runs this script too.
        println!(
            "cargo::warning={why}. Fix: add `--features emulator`. CUDA_EMULATOR=0 builds them for another machine"
        );
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    // OUT_DIR is <profile>/build/<package>/out. Programs are in <profile>/examples and <profile>/deps.
    let profile = out
        .ancestors()
        .nth(3)
        .expect("OUT_DIR is in the profile's folder");

    let mut run_paths = Vec::new();
    if emulator && has_emulator {
        run_paths.push(origin(profile, &emulator_folder(&out)));
    }
    if let Some(dir) = fact("DEP_CUDA_NVRTC_DIR") {
        // The folder of `make setup` moves with the checkout. A toolkit of the system does not.
        let ours = dir.starts_with(repository);
        run_paths.push(if ours {
            origin(profile, &dir)
        } else {
            dir.display().to_string()
        });
    }
    if !run_paths.is_empty() {
        // The older kind of run path also applies to the libraries that NVRTC loads.
        println!("cargo::rustc-link-arg=-Wl,--disable-new-dtags");
    }
    for path in run_paths {
        for argument in ["-Xlinker", "-rpath", "-Xlinker", &path] {
            println!("cargo::rustc-link-arg={argument}");
        }
    }
}

/// Creates a folder with a link `libcuda.so.1` to the emulator, which cargo builds after this script.
fn emulator_folder(out: &Path) -> PathBuf {
    let folder = out.join("driver");
    std::fs::create_dir_all(&folder).expect("OUT_DIR can be written");
    let link = folder.join("libcuda.so.1");
    let _ = std::fs::remove_file(&link);
    #[cfg(unix)]
    std::os::unix::fs::symlink("../../../../deps/libcuda_emulator.so", &link)
        .expect("OUT_DIR can be written");
    folder
}

/// Returns `dir` relative to a program in a folder of `profile`, in the loader's notation.
fn origin(profile: &Path, dir: &Path) -> String {
    let (from, to): (Vec<Component>, Vec<Component>) =
        (profile.components().collect(), dir.components().collect());
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", from.len() - shared).map(PathBuf::from);
    let down = to[shared..]
        .iter()
        .map(|part| PathBuf::from(part.as_os_str()));
    let path: PathBuf = [PathBuf::from("$ORIGIN/..")]
        .into_iter()
        .chain(up)
        .chain(down)
        .collect();
    path.display().to_string()
}
