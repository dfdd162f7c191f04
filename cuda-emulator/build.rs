//! Generates the table of exported symbols, and adds the folder in which cargo finds the emulator as
//! `libcuda.so.1`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let implemented = implemented(Path::new("src/api"));
    let wanted = wanted();
    fs::write(out.join("symbols.rs"), symbols(&implemented, &wanted))
        .expect("OUT_DIR can be written");
    fs::write(out.join("names.rs"), names(&implemented, &wanted)).expect("OUT_DIR can be written");

    let windows = env::var_os("CARGO_CFG_WINDOWS").is_some();
    if !windows {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libcuda.so.1");
        // Worker threads run until the process ends, so the library must stay loaded. Calls within
        // the library must not be redirected to another library.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete,-Bsymbolic-functions");
        offer_library(&out);
    }
    // With dynamic loading, programs of this build open their driver at run time.
    println!("cargo::rustc-check-cfg=cfg(cuda_sys_opens_libraries)");
    if env::var("DEP_CUDA_DYNAMIC_LOADING").is_ok_and(|loading| !loading.is_empty()) {
        println!("cargo::rustc-cfg=cuda_sys_opens_libraries");
    }
    // For the command, which builds the library for its own target.
    let target = env::var("TARGET").expect("cargo sets TARGET");
    println!("cargo::rustc-env=EMULATOR_TARGET={target}");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/api");
    println!("cargo::rerun-if-changed=src/exports/symbols.txt");
    println!("cargo::rerun-if-env-changed=CUDA_EMULATOR");
}

/// Returns the implemented functions, and the file of each: every `fn cu...(` and its
/// `/ cu..._ptsz` variant.
fn implemented(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("the sources exist") {
        let path = entry.expect("the sources can be listed").path();
        let file = path
            .file_stem()
            .expect("a file name")
            .to_string_lossy()
            .into_owned();
        let text = fs::read_to_string(&path).expect("the sources can be read");
        for line in text.lines() {
            let line = line.trim_start();
            let Some(rest) = line
                .strip_prefix("early ")
                .unwrap_or(line)
                .strip_prefix("fn cu")
            else {
                continue;
            };
            let Some((names, _)) = rest.split_once('(') else {
                continue;
            };
            if !names.starts_with(|c: char| c.is_ascii_uppercase()) {
                continue;
            }
            for name in format!("cu{names}").split('/') {
                found.insert(name.trim().to_string(), file.clone());
            }
        }
    }
    found
}

/// Returns the symbols to export: those of the table, and those of the installed header.
fn wanted() -> BTreeSet<String> {
    let table = fs::read_to_string("src/exports/symbols.txt").expect("the table exists");
    let mut wanted: BTreeSet<String> = table
        .lines()
        .flat_map(|line| line.split(' ').skip(2))
        .filter(|name| *name != "-")
        .map(String::from)
        .collect();
    // The functions of the installed header: the forms that programs call today, all older forms,
    // and the per-thread variants.
    for fact in ["DEP_CUDA_BINDINGS", "DEP_CUDA_VERSIONED_BINDINGS"] {
        let bindings = env::var(fact).expect("cuda-sys names its bindings");
        println!("cargo::rerun-if-changed={bindings}");
        println!("cargo::rustc-env=EMULATOR_{fact}={bindings}");
        let text = fs::read_to_string(&bindings).expect("cuda-sys has written its bindings");
        for rest in text.split("pub fn cu").skip(1) {
            let name: String = rest
                .chars()
                .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
                .collect();
            if name.starts_with(|c: char| c.is_ascii_uppercase()) {
                wanted.insert(format!("cu{name}"));
            }
        }
    }
    wanted
}

fn names(implemented: &BTreeMap<String, String>, wanted: &BTreeSet<String>) -> String {
    let names: BTreeSet<&String> = implemented.keys().chain(wanted).collect();
    let names: Vec<_> = names.into_iter().collect();
    format!("/// The name of every exported function.\npub static NAMES: &[&str] = &{names:?};\n")
}

fn symbols(implemented: &BTreeMap<String, String>, wanted: &BTreeSet<String>) -> String {
    let mut text = String::from("/// Every exported symbol.\npub static SYMBOLS: &[Symbol] = &[\n");
    let names: BTreeSet<&String> = implemented.keys().chain(wanted).collect();
    for name in &names {
        let path = match implemented.get(*name) {
            Some(file) => format!("crate::api::{file}::{name}"),
            None => format!("unsupported::{name}"),
        };
        writeln!(
            text,
            "    Symbol {{ name: {name:?}, address: {path} as *const () }},"
        )
        .expect("memory");
    }
    writeln!(
        text,
        "];\n\n/// The implemented functions, and the file of `api` with each.\n#[cfg(test)]\npub static IMPLEMENTED: &[(&str, &str)] = &{:?};",
        implemented.iter().collect::<Vec<_>>()
    )
    .expect("memory");
    text.push_str(
        "\n/// Functions that report that they are not implemented.\nmod unsupported {\n",
    );
    text.push_str("    use crate::abi::status::Code;\n    use crate::process::call;\n");
    for name in names
        .iter()
        .filter(|name| !implemented.contains_key(**name))
    {
        // The function ignores its arguments, and in the C ABI the caller cleans them up.
        writeln!(
            text,
            "    // SAFETY: replacing the driver's symbols is the purpose of this library.\n    \
             #[unsafe(no_mangle)]\n    pub extern \"C\" fn {name}() -> Code {{\n        \
             call::unsupported({name:?})\n    }}"
        )
        .expect("memory");
    }
    text.push_str("}\n");
    text
}

/// Adds the folder with the link `libcuda.so.1` to the loader's path, if no driver is installed or
/// the emulator was requested. `cuda-emulator-link` creates the link.
///
/// Cargo adds native search paths in the target folder to the loader's path of everything it runs.
/// On Windows, a link to a file that does not exist yet needs privileges, so users copy the library
/// (see the crate's documentation).
fn offer_library(out: &Path) {
    let offered = match env::var("CUDA_EMULATOR").as_deref() {
        Ok("1") => true,
        Ok("0") => false,
        _ => env::var("DEP_CUDA_DRIVER").is_ok_and(|driver| driver.is_empty()),
    };
    if !offered {
        return;
    }
    println!("cargo::rustc-link-search=native={}", out.display());
}
