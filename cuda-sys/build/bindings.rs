//! Bindings by bindgen, and what bindgen does not see in the headers.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use crate::locate::Toolkit;

pub fn generate(toolkit: &Toolkit, nvrtc: bool, out: &Path) -> Result<String, String> {
    if let Some(libclang) = &toolkit.libclang
        && env::var_os("LIBCLANG_PATH").is_none()
    {
        // SAFETY: the build script has one thread.
        unsafe { env::set_var("LIBCLANG_PATH", libclang) };
    }
    // cudaGL.h needs three names of GL/gl.h only.
    let shim = out.join("shim");
    fs::create_dir_all(shim.join("GL")).map_err(|e| e.to_string())?;
    fs::write(
        shim.join("GL/gl.h"),
        "#pragma once\ntypedef unsigned int GLenum;\ntypedef unsigned int GLuint;\ntypedef int GLint;\n",
    )
    .map_err(|e| e.to_string())?;

    let mut headers = vec!["cuda.h", "cudaProfiler.h", "cudaGL.h"];
    if nvrtc {
        headers.push("nvrtc.h");
    }
    let mut wrapper = String::new();
    let mut texts = String::new();
    for header in headers {
        if let Some(path) = toolkit
            .include
            .iter()
            .map(|dir| dir.join(header))
            .find(|p| p.is_file())
        {
            let _ = writeln!(wrapper, "#include <{header}>");
            println!("cargo::rerun-if-changed={}", path.display());
            texts += &fs::read_to_string(&path).map_err(|e| e.to_string())?;
        }
    }
    let mut builder = bindgen::Builder::default()
        .header_contents("cuda_sys.h", &wrapper)
        .clang_arg(format!("-isystem{}", shim.display()))
        .clang_args(
            toolkit
                .include
                .iter()
                .map(|dir| format!("-isystem{}", dir.display())),
        );
    if let Ok(output) = Command::new("cc").arg("-print-file-name=include").output() {
        builder = builder.clang_arg(format!(
            "-isystem{}",
            String::from_utf8_lossy(&output.stdout).trim()
        ));
    }
    let bindings = builder
        .allowlist_file(r".*[/\\](cuda|cudaProfiler|cudaGL|nvrtc)\.h")
        .default_enum_style(bindgen::EnumVariation::NewType {
            is_bitfield: false,
            is_global: false,
        })
        .prepend_enum_name(false)
        .use_core()
        .derive_default(true)
        .derive_eq(true)
        .derive_hash(true)
        .layout_tests(true)
        .generate_comments(false)
        .generate()
        .map_err(|e| format!("bindgen failed: {e}"))?
        .to_string();
    let aliases = aliases(&texts, &bindings);
    Ok(bindings + &aliases)
}

/// `#define cuMemAlloc cuMemAlloc_v2` as `pub use self::cuMemAlloc_v2 as cuMemAlloc`.
fn aliases(header: &str, bindings: &str) -> String {
    let functions: BTreeSet<&str> = functions(bindings).collect();
    let mut seen = BTreeSet::new();
    let mut out = String::new();
    for line in header.lines() {
        let mut words = line.trim_start().trim_start_matches('#').split_whitespace();
        if !line.trim_start().starts_with('#') || words.next() != Some("define") {
            continue;
        }
        let (Some(name), Some(target)) = (words.next(), words.next()) else {
            continue;
        };
        let target = target
            .split_once('(')
            .map_or(target, |(_, inner)| inner.trim_end_matches(')'));
        if name.starts_with("cu")
            && functions.contains(target)
            && !functions.contains(name)
            && seen.insert(name)
        {
            let _ = writeln!(out, "pub use self::{target} as {name};");
        }
    }
    out
}

/// Names of the functions declared in generated bindings.
pub fn functions(bindings: &str) -> impl Iterator<Item = &str> {
    bindings.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix("pub fn ")?;
        rest.split('(')
            .next()
            .filter(|name| name.starts_with("cu") || name.starts_with("nvrtc"))
    })
}
