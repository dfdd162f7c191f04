//! A part of `cuda-emulator`, which is the crate to use.
//!
//! Programs need the emulator's library under the name `libcuda.so.1`. If the emulator comes from a
//! registry or from git, cargo gives the library a file name with a hash, which only the compiler's
//! command line contains. No build script sees it, and cargo runs nothing after the compilation. A
//! macro runs in the compiler, and reads the command line.

use std::env;
use std::path::{Path, PathBuf};

use proc_macro::TokenStream;

/// Creates the link `libcuda.so.1` in `OUT_DIR` to the shared library that this compilation writes.
///
/// Does nothing if the compilation writes no shared library, as for `cargo check`, or if the host is
/// not Unix. Expands to nothing.
#[proc_macro]
pub fn link_library(_: TokenStream) -> TokenStream {
    let arguments: Vec<String> = env::args_os()
        .filter_map(|argument| argument.into_string().ok())
        .collect();
    let out = env::var_os("OUT_DIR").map(PathBuf::from);
    let linked = match (library(&arguments), out) {
        (Some(library), Some(out)) => link(&library, &out),
        _ => Ok(()),
    };
    match linked {
        Ok(()) => TokenStream::new(),
        Err(reason) => {
            let text = format!("the link libcuda.so.1 to the emulator can't be created: {reason}");
            let error = format!("compile_error!({text:?});");
            error.parse().expect("a macro call")
        }
    }
}

/// Returns the shared library that a command line of rustc writes.
fn library(arguments: &[String]) -> Option<PathBuf> {
    let values = |name: &'static str| {
        let next = arguments.iter().skip(1).map(Some).chain([None]);
        arguments
            .iter()
            .zip(next)
            .filter_map(move |(argument, next)| match argument.strip_prefix(name)? {
                "" => next.map(String::as_str),
                rest => rest.strip_prefix('='),
            })
    };
    let links = |list: &str| list.split(',').any(|one| one == "link");
    let is_shared = |list: &str| list.split(',').any(|one| one == "cdylib");
    let writes = values("--emit").any(links) && values("--crate-type").any(is_shared);
    writes.then_some(())?;
    let name = values("--crate-name").next()?;
    let hash = values("-C").find_map(|option| option.strip_prefix("extra-filename="));
    let folder = Path::new(values("--out-dir").next()?);
    Some(folder.join(format!("lib{name}{}.so", hash.unwrap_or_default())))
}

#[cfg(unix)]
fn link(library: &Path, out: &Path) -> std::io::Result<()> {
    use std::{fs, os::unix::fs::symlink};

    // A relative link is still right after the target folder has moved. `out` is
    // <profile>/build/<package>/out, and cargo puts the library into <profile>/deps.
    let profile = out.ancestors().nth(3);
    let target = match profile.and_then(|profile| library.strip_prefix(profile).ok()) {
        Some(below) => Path::new("../../..").join(below),
        None => library.to_owned(),
    };
    // Under another name first, so that other processes always find a link.
    let (link, own) = (out.join("libcuda.so.1"), out.join("libcuda.so.new"));
    let _ = fs::remove_file(&own);
    symlink(target, &own)?;
    fs::rename(own, link)
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CARGO: &str = "rustc --crate-name cuda_emulator --edition=2024 src/lib.rs --crate-type cdylib \
        --crate-type rlib --emit=dep-info,link -C opt-level=3 -C metadata=0f1e";

    fn of(command: &str) -> Option<PathBuf> {
        let arguments: Vec<_> = command.split(' ').map(str::to_owned).collect();
        library(&arguments)
    }

    #[test]
    fn library_is_found_with_and_without_a_hash() {
        let plain = format!("{CARGO} --out-dir /t/debug/deps");
        let expected = Path::new("/t/debug/deps/libcuda_emulator.so");
        assert_eq!(of(&plain).as_deref(), Some(expected));
        let hashed = format!("{CARGO} -C extra-filename=-0f1e --out-dir=/t/debug/deps");
        let expected = Path::new("/t/debug/deps/libcuda_emulator-0f1e.so");
        assert_eq!(of(&hashed).as_deref(), Some(expected));
    }

    #[test]
    fn compilations_without_a_shared_library_are_ignored() {
        let plain = format!("{CARGO} --out-dir /t");
        for (part, other) in [
            ("dep-info,link", "dep-info,metadata"),
            (" --crate-type cdylib", ""),
            (" --out-dir /t", ""),
        ] {
            assert_eq!(of(&plain.replace(part, other)), None, "{part}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn link_is_relative_within_the_profile_and_replaces_an_older_one() {
        let root = env::temp_dir().join(format!("cuda-emulator-link-{}", std::process::id()));
        let out = root.join("debug/build/cuda-emulator-1/out");
        std::fs::create_dir_all(&out).unwrap();
        for (library, expected) in [
            (root.join("debug/deps/a.so"), "../../../deps/a.so"),
            (root.join("debug/deps/b.so"), "../../../deps/b.so"),
            (PathBuf::from("/other/c.so"), "/other/c.so"),
        ] {
            link(&library, &out).unwrap();
            let target = std::fs::read_link(out.join("libcuda.so.1")).unwrap();
            assert_eq!(target, Path::new(expected));
        }
        assert_eq!(std::fs::read_dir(&out).unwrap().count(), 1);
        std::fs::remove_dir_all(root).unwrap();
    }
}
