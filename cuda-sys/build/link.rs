//! What to link: libcuda by a link-time stub, libnvrtc from the toolkit.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use crate::bindings::functions;
use crate::locate::Toolkit;

pub fn emit(toolkit: &Toolkit, bindings: &str, nvrtc: bool, out: &Path) -> Result<(), String> {
    let stubs = out.join("stubs");
    fs::create_dir_all(&stubs).map_err(|e| e.to_string())?;
    let source: String = functions(bindings)
        .filter(|name| name.starts_with("cu"))
        .map(|name| format!("void {name}(void) {{}}\n"))
        .collect();
    let file = stubs.join("stub.c");
    fs::write(&file, source).map_err(|e| e.to_string())?;
    let cc = env::var("CC").unwrap_or_else(|_| "cc".into());
    let status = Command::new(&cc)
        .args([
            "-shared",
            "-nostdlib",
            "-fPIC",
            "-Wl,-soname,libcuda.so.1",
            "-o",
        ])
        .arg(stubs.join("libcuda.so"))
        .arg(&file)
        .status()
        .map_err(|e| format!("cannot run {cc}: {e}"))?;
    if !status.success() {
        return Err(format!("{cc} could not make the link-time stub of libcuda"));
    }
    println!("cargo::rustc-link-search=native={}", stubs.display());
    println!("cargo::rustc-link-lib=dylib=cuda");
    if nvrtc {
        let links = out.join("nvrtc");
        let _ = fs::remove_dir_all(&links);
        fs::create_dir_all(&links).map_err(|e| e.to_string())?;
        for dir in &toolkit.lib {
            for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                if name.starts_with("libnvrtc") && !name.contains(".alt.") {
                    std::os::unix::fs::symlink(entry.path(), links.join(&name))
                        .map_err(|e| e.to_string())?;
                    if name.starts_with("libnvrtc.so") {
                        std::os::unix::fs::symlink(entry.path(), links.join("libnvrtc.so"))
                            .map_err(|e| e.to_string())?;
                    }
                }
            }
        }
        println!("cargo::rustc-link-search=native={}", links.display());
        println!("cargo::rustc-link-lib=dylib=nvrtc");
        println!("cargo::metadata=NVRTC_LIB_DIR={}", links.display());
        println!(
            "cargo::rustc-env=CUDA_SYS_NVRTC_LIB_DIR={}",
            links.display()
        );
    }
    let include: Vec<_> = toolkit
        .include
        .iter()
        .map(|d| d.display().to_string())
        .collect();
    println!("cargo::metadata=INCLUDE={}", include.join(":"));
    println!("cargo::rustc-env=CUDA_SYS_INCLUDE={}", include.join(":"));
    Ok(())
}
