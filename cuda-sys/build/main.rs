//! Makes the bindings from the CUDA headers at hand and tells cargo what to link.
//!
//! What dependents learn, as `DEP_CUDA_…` in their build scripts, stands in [`facts`].

mod bindings;
mod comments;
mod driver;
mod items;
mod layout;
mod link;
mod locate;
mod names;

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::process::{Command, exit};
use std::{env, fs};

use layout::Target;
use locate::{Machine, Toolkit};

fn main() {
    if let Err(message) = build() {
        eprintln!("\n{message}\n");
        exit(1);
    }
}

fn build() -> Result<(), String> {
    let set = |name: &str| {
        env::var(name).map_err(|_| format!("{name} is not set: cargo runs this program"))
    };
    let out = PathBuf::from(set("OUT_DIR")?);
    let (os, arch) = (set("CARGO_CFG_TARGET_OS")?, set("CARGO_CFG_TARGET_ARCH")?);
    let nvrtc = env::var_os("CARGO_FEATURE_NVRTC").is_some();
    let manifest = PathBuf::from(set("CARGO_MANIFEST_DIR")?);
    let python = OnceCell::new();
    let machine = Machine {
        variable: &|name| env::var_os(name),
        root: Path::new("/"),
        repository: manifest.parent().unwrap_or(&manifest),
        target: Target {
            os: &os,
            arch: &arch,
        },
        site_packages: &|| python.get_or_init(site_packages).clone(),
    };

    let toolkit = locate::toolkit(&machine, nvrtc)?;
    for ignored in &toolkit.ignored {
        println!("cargo::warning={ignored}; using {} instead", toolkit.origin);
    }
    let bindings = bindings::generate(&machine, &toolkit, nvrtc, &out)?;
    write(&out.join("bindings.rs"), &bindings.root)?;
    write(&out.join("versioned.rs"), &bindings.versioned)?;
    link::libcuda(&machine, &toolkit, &bindings.functions, &out)?;
    let nvrtc_dir = toolkit
        .nvrtc
        .as_deref()
        .map(|library| link::nvrtc(&machine, library, &out))
        .transpose()?;
    facts(&machine, &toolkit, nvrtc_dir.flatten().as_deref(), &out)?;
    watch(&machine, &toolkit);
    Ok(())
}

/// What other build scripts and this crate's own source are told.
fn facts(
    machine: &Machine,
    toolkit: &Toolkit,
    nvrtc_dir: Option<&Path>,
    out: &Path,
) -> Result<(), String> {
    let include: Vec<String> = toolkit
        .include
        .iter()
        .map(|dir| dir.display().to_string())
        .collect();
    let nvrtc_dir = nvrtc_dir
        .map(|dir| dir.display().to_string())
        .unwrap_or_default();
    let driver = driver::installed(machine)
        .map(|file| file.display().to_string())
        .unwrap_or_default();
    let separator = if machine.target.os == "windows" {
        ";"
    } else {
        ":"
    };
    let facts = [
        // 13000 for 13.0.
        ("VERSION", toolkit.version.to_string()),
        ("ORIGIN", toolkit.origin.clone()),
        // A list in the form of PATH.
        ("INCLUDE", include.join(separator)),
        // The driver's library; empty where none is installed.
        ("DRIVER", driver),
        // The directory of libnvrtc; empty without it or where the loader finds it by itself.
        ("NVRTC_DIR", nvrtc_dir.clone()),
        // cuda-emulator reads every function's signature from these two, to export all of them.
        ("BINDINGS", out.join("bindings.rs").display().to_string()),
        (
            "VERSIONED_BINDINGS",
            out.join("versioned.rs").display().to_string(),
        ),
    ];
    for (name, value) in facts {
        println!("cargo::metadata={name}={value}");
    }
    let source = format!(
        "pub const TOOLKIT_INCLUDE_DIRS: &[&str] = &{include:?};\n\
         pub const NVRTC_LIB_DIR: Option<&str> = {:?};\n",
        Some(&nvrtc_dir).filter(|dir| !dir.is_empty()),
    );
    write(&out.join("toolkit.rs"), &source)
}

/// When to run again: another toolkit, another header, a driver that came or went.
fn watch(machine: &Machine, toolkit: &Toolkit) {
    for name in locate::VARIABLES.iter().chain(&["LIBCLANG_PATH", "CC"]) {
        println!("cargo::rerun-if-env-changed={name}");
    }
    println!("cargo::rerun-if-changed=build");
    let headers = toolkit
        .include
        .iter()
        .flat_map(|dir| bindings::HEADERS.iter().map(move |name| dir.join(name)));
    let setup = machine.repository.join(".cuda/version");
    for file in headers
        .chain([setup, "/etc/ld.so.cache".into()])
        .filter(|file| file.is_file())
    {
        println!("cargo::rerun-if-changed={}", file.display());
    }
}

/// The package directories of the active Python, none when there is no Python.
fn site_packages() -> Vec<PathBuf> {
    let script = "import site, sysconfig\n\
                  for path in [sysconfig.get_path('purelib'), site.getusersitepackages()]: print(path)";
    ["python3", "python"]
        .iter()
        .filter_map(|python| Command::new(python).args(["-c", script]).output().ok())
        .find(|output| output.status.success())
        .map(|output| {
            String::from_utf8_lossy(&output.stdout)
                .lines()
                .map(PathBuf::from)
                .collect()
        })
        .unwrap_or_default()
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text)
        .map_err(|error| format!("cuda-sys cannot write {}: {error}", path.display()))
}
