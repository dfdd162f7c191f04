//! Detects an installed NVIDIA driver, and lists the dynamic loader's default directories.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::locate::Machine;

/// Returns the driver's library that a program started here would load, if there is one.
///
/// Link-time stubs of a toolkit and this repository's own emulator don't count as drivers.
pub fn installed(machine: &Machine) -> Option<PathBuf> {
    if machine.target.os == "windows" {
        let windows = PathBuf::from((machine.variable)("SystemRoot")?);
        return Some(windows.join("System32").join("nvcuda.dll")).filter(|file| file.is_file());
    }
    let path = (machine.variable)("LD_LIBRARY_PATH").unwrap_or_default();
    let set = std::env::split_paths(&path).filter(|dir| !dir.as_os_str().is_empty());
    set.chain(loader_directories(machine))
        .map(|dir| dir.join("libcuda.so.1"))
        .find(|file| is_driver(file))
}

fn is_driver(file: &Path) -> bool {
    let Ok(real) = fs::canonicalize(file) else {
        return false;
    };
    let stub = file.parent().is_some_and(|dir| dir.ends_with("stubs"));
    let emulator = real
        .file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with("libcuda_emulator"));
    real.is_file() && !stub && !emulator
}

/// Returns the directories that the loader searches by default: those of `ld.so.conf` and the
/// built-in ones.
pub fn loader_directories(machine: &Machine) -> Vec<PathBuf> {
    let mut found = Vec::new();
    read_conf(
        machine.root,
        &machine.root.join("etc/ld.so.conf"),
        &mut BTreeSet::new(),
        &mut found,
    );
    let triple = format!("{}-linux-gnu", machine.target.arch);
    let own = [format!("lib/{triple}"), format!("usr/lib/{triple}")];
    // Programs with `dynamic-loading` search these folders at run time.
    let of_driver = cuda_find::driver_folders(machine.target.arch);
    let others = ["lib64", "usr/lib64", "lib", "usr/lib"].map(str::to_owned);
    let built_in = own.into_iter().chain(of_driver).chain(others);
    found.extend(built_in.map(|dir| machine.root.join(dir)));
    found
}

fn read_conf(root: &Path, file: &Path, seen: &mut BTreeSet<PathBuf>, found: &mut Vec<PathBuf>) {
    let Ok(text) = fs::read_to_string(file) else {
        return;
    };
    if !seen.insert(file.to_owned()) {
        return;
    }
    for line in text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim())
    {
        if let Some(pattern) = line.strip_prefix("include ") {
            for included in expand(root, file, pattern.trim()) {
                read_conf(root, &included, seen, found);
            }
        } else if line.starts_with('/') {
            found.push(root.join(line.trim_start_matches('/')));
        }
    }
}

/// Returns the files that match `dir/*.conf`, sorted. Any other pattern is returned unchanged.
fn expand(root: &Path, file: &Path, pattern: &str) -> Vec<PathBuf> {
    let base = if pattern.starts_with('/') {
        root
    } else {
        file.parent().unwrap_or(root)
    };
    let path = base.join(pattern.trim_start_matches('/'));
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let Some((prefix, suffix)) = name.split_once('*') else {
        return vec![path];
    };
    let mut files: Vec<PathBuf> = fs::read_dir(path.parent().unwrap_or(root))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|p| {
            p.file_name()
                .is_some_and(|n| n.to_string_lossy().starts_with(prefix))
        })
        .filter(|p| p.to_string_lossy().ends_with(suffix))
        .collect();
    files.sort();
    files
}
