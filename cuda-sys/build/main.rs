//! Generates the bindings from the installed CUDA headers, or uses those that the crate carries,
//! and prints link instructions for cargo.
//!
//! [`facts`] lists the values that dependents receive as `DEP_CUDA_…` in their build scripts.

mod carried;
mod driver;
#[cfg_attr(not(feature = "bindgen"), path = "no_bindgen.rs")]
mod generate;
mod layout;
mod link;
mod loading;
mod locate;

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, exit};
use std::{env, fs};

use layout::Target;
use locate::{Machine, Toolkit};

/// Set to `carried` to use the bindings of this crate even if there are headers.
const CHOICE: &str = "CUDA_SYS_BINDINGS";
/// The origin of these bindings in messages.
const CARRIED: &str = "bindings that cuda-sys carries";
/// A folder to write new carried bindings to, for `scripts/carry-bindings.sh`.
const CARRY: &str = "CUDA_SYS_CARRY";

/// Rust source, as prettyplease formats it.
struct Bindings {
    /// The items at the crate's root.
    root: String,
    /// Functions and types that the header hides: older versions, and the variants for per-thread
    /// streams.
    versioned: String,
}

impl Bindings {
    fn functions(&self) -> BTreeSet<String> {
        let mut functions = loading::functions(&self.root);
        functions.extend(loading::functions(&self.versioned));
        functions
    }
}

fn main() {
    if let Err(message) = build() {
        eprintln!("\n{message}\n");
        exit(1);
    }
}

fn build() -> Result<(), String> {
    let set = |name: &str| {
        env::var(name)
            .map_err(|_| format!("{name} is not set. Fix: run this program through cargo"))
    };
    let out = PathBuf::from(set("OUT_DIR")?);
    let (os, arch) = (set("CARGO_CFG_TARGET_OS")?, set("CARGO_CFG_TARGET_ARCH")?);
    let nvrtc = env::var_os("CARGO_FEATURE_NVRTC").is_some();
    // Other systems have nothing to link to. Every call then reports that there is no driver.
    let loading = env::var_os("CARGO_FEATURE_DYNAMIC_LOADING").is_some()
        || !matches!(&*os, "linux" | "windows");
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

    let (toolkit, bindings, bound) = bindings(&machine, nvrtc, &out)?;
    for ignored in &toolkit.ignored {
        println!("cargo::warning={ignored}. Using {} instead", toolkit.origin);
    }
    write(&out.join("bindings.rs"), &bindings.root)?;
    write(&out.join("versioned.rs"), &bindings.versioned)?;
    println!("cargo::rustc-check-cfg=cfg(dynamic_loading)");
    let (root, versioned) = (&bindings.root, &bindings.versioned);
    if loading {
        println!("cargo::rustc-cfg=dynamic_loading");
        for (name, text) in [("loading.rs", root), ("loading_versioned.rs", versioned)] {
            write(&out.join(name), &loading::define(text)?)?;
        }
    } else if os == "windows" {
        let major = toolkit.version / 1000;
        for (name, text) in [("imports.rs", root), ("imports_versioned.rs", versioned)] {
            write(&out.join(name), &link::import(text, major))?;
        }
    } else {
        link::libcuda(&bindings.functions(), &out)?;
    }
    let nvrtc_dir = match &toolkit.nvrtc {
        Some(library) if os == "windows" => library.parent().map(Path::to_owned),
        Some(library) => link::nvrtc(&machine, library, !loading, &out)?,
        None if nvrtc && !loading && os != "windows" => {
            link::nvrtc_stub(&toolkit, &bindings.functions(), &out)?;
            None
        }
        None => None,
    };
    facts(
        &machine,
        &toolkit,
        &bound,
        nvrtc_dir.as_deref(),
        loading,
        &out,
    )?;
    watch(&machine, &toolkit);
    Ok(())
}

/// Returns the toolkit, the bindings, and their origin. They are those of the installed headers, or
/// the carried ones if there are no headers, no libclang or no bindgen.
fn bindings(
    machine: &Machine,
    nvrtc: bool,
    out: &Path,
) -> Result<(Toolkit, Bindings, String), String> {
    let version = carried::version()?;
    let instead = format!(
        "cuda-sys uses its own bindings of CUDA {}, without the header's documentation",
        locate::dotted(version)
    );
    let forced = match env::var(CHOICE) {
        Err(_) => false,
        Ok(choice) if choice.is_empty() => false,
        Ok(choice) if choice == "carried" => true,
        Ok(choice) => {
            return Err(format!(
                "{CHOICE}={choice} is not supported. Fix: set it to `carried`, or unset it"
            ));
        }
    };
    let carried = |toolkit| {
        let bindings = carried::bindings(machine.target, nvrtc);
        (toolkit, bindings, CARRIED.to_owned())
    };
    let toolkit = match locate::toolkit(machine, nvrtc) {
        Ok(toolkit) => toolkit,
        Err(none) => {
            // No warning, because the user did not ask for headers. `cargo build -vv` shows the
            // searched places.
            eprintln!("no CUDA headers: {instead}.\n{}", none.reason);
            return Ok(carried(Toolkit {
                origin: CARRIED.into(),
                version,
                include: Vec::new(),
                ignored: if forced { Vec::new() } else { none.ignored },
                without_nvrtc: (nvrtc && none.nvrtc.is_none()).then_some(none.reason),
                nvrtc: none.nvrtc,
            }));
        }
    };
    if forced || cfg!(not(feature = "bindgen")) {
        return Ok(carried(Toolkit {
            version,
            ignored: Vec::new(),
            ..toolkit
        }));
    }
    if let Err(reason) = generate::libclang::load(machine) {
        let what = "libclang, which reads headers, can't be loaded";
        let remedy = locate::remedy(machine.repository);
        note(
            &format!(
                "{what}: {instead}. To bind the headers of {}, run: {remedy}. To silence this warning, set \
                 {CHOICE}=carried",
                toolkit.origin
            ),
            &reason,
        );
        return Ok(carried(Toolkit { version, ..toolkit }));
    }
    let mut bindings = generate::bindings(&toolkit, machine.target, nvrtc, out)?;
    if nvrtc && toolkit.header("nvrtc.h").is_none() {
        bindings.root += carried::NVRTC;
    }
    if let Some(folder) = env::var_os(CARRY) {
        generate::write_carried(&toolkit, out, Path::new(&folder))?;
    }
    let origin = toolkit.origin.clone();
    Ok((toolkit, bindings, origin))
}

/// Prints a one-line warning. `cargo build -vv` also shows the full reason.
fn note(line: &str, reason: &str) {
    println!("cargo::warning={line}");
    eprintln!("{reason}");
}

/// Prints the values for other build scripts, and writes those for this crate's own source.
fn facts(
    machine: &Machine,
    toolkit: &Toolkit,
    bound: &str,
    nvrtc_dir: Option<&Path>,
    loading: bool,
    out: &Path,
) -> Result<(), String> {
    let include: Vec<String> = toolkit
        .include
        .iter()
        .map(|dir| dir.display().to_string())
        .collect();
    // For the system of the build, because build scripts read it.
    let separator = if cfg!(windows) { ";" } else { ":" };
    let nvrtc_dir = nvrtc_dir
        .map(|dir| dir.display().to_string())
        .unwrap_or_default();
    let driver = driver::installed(machine)
        .map(|file| file.display().to_string())
        .unwrap_or_default();
    let facts = [
        // 13000 for 13.0.
        ("VERSION", toolkit.version.to_string()),
        ("ORIGIN", toolkit.origin.clone()),
        // A list in the format of PATH.
        ("INCLUDE", include.join(separator)),
        // The driver's library, or empty if none is installed.
        ("DRIVER", driver),
        // The directory of libnvrtc, or empty if it is missing or if the loader finds it by
        // default.
        ("NVRTC_DIR", nvrtc_dir.clone()),
        // `1` if the program itself opens the libraries, otherwise empty.
        ("DYNAMIC_LOADING", if loading { "1" } else { "" }.into()),
        // cuda-emulator reads the signature of every function from these two files, to export all
        // of them.
        ("BINDINGS", out.join("bindings.rs").display().to_string()),
        (
            "VERSIONED_BINDINGS",
            out.join("versioned.rs").display().to_string(),
        ),
    ];
    for (name, value) in facts {
        println!("cargo::metadata={name}={value}");
    }
    // For the tests that run this program.
    if let Ok(program) = env::current_exe() {
        println!(
            "cargo::rustc-env=CUDA_SYS_BUILD_SCRIPT={}",
            program.display()
        );
    }
    let mut source = format!(
        "pub const BINDINGS_ORIGIN: &str = {bound:?};\n\
         pub const TOOLKIT_INCLUDE_DIRS: &[&str] = &{include:?};\n\
         pub const NVRTC_LIB_DIR: Option<&str> = {:?};\n",
        Some(&nvrtc_dir).filter(|dir| !dir.is_empty()),
    );
    if machine.target.os == "windows" && !loading {
        let dll = link::nvrtc_dll(toolkit.version / 1000);
        source += &format!(
            "#[cfg(feature = \"nvrtc\")]\npub const NVRTC_DLL: &core::ffi::CStr = c\"{dll}.dll\";\n"
        );
    }
    write(&out.join("toolkit.rs"), &source)
}

/// Makes cargo run the build script again for another toolkit, another header, or an added or
/// removed driver.
fn watch(machine: &Machine, toolkit: &Toolkit) {
    for name in
        locate::VARIABLES
            .iter()
            .chain(&["LIBCLANG_PATH", "CC", "VIRTUAL_ENV", CHOICE, CARRY])
    {
        println!("cargo::rerun-if-env-changed={name}");
    }
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=bindings");
    let headers = toolkit
        .include
        .iter()
        .flat_map(|dir| locate::HEADERS.iter().map(move |name| dir.join(name)));
    let setup = machine.repository.join(".cuda/version");
    // If NVRTC is removed, it is searched again. One that pip adds is not noticed, because no
    // watched file changes.
    for file in headers
        .chain(toolkit.nvrtc.clone())
        .chain([setup, "/etc/ld.so.cache".into()])
        .filter(|file| file.is_file())
    {
        println!("cargo::rerun-if-changed={}", file.display());
    }
}

/// Returns the package directories of the active Python, or none without Python.
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
