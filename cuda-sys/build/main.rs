//! Makes the bindings, from the CUDA headers at hand or else from those that are carried, and tells cargo what to link.
//!
//! What dependents learn, as `DEP_CUDA_…` in their build scripts, stands in [`facts`].

mod bindings;
mod carried;
mod comments;
mod driver;
mod items;
mod layout;
mod libclang;
mod link;
mod locate;
mod names;
mod pointers;
mod shim;

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::process::{Command, exit};
use std::{env, fs};

use bindings::{Bindings, Wanted};
use layout::Target;
use locate::{Machine, Toolkit};

/// `carried`: the bindings of this crate, whatever headers there are.
const CHOICE: &str = "CUDA_SYS_BINDINGS";
/// What is said of where those come from.
const CARRIED: &str = "bindings that cuda-sys carries";
/// A folder to write new ones into, for `scripts/carry-bindings.sh`.
const CARRY: &str = "CUDA_SYS_CARRY";

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
    let loading = env::var_os("CARGO_FEATURE_DYNAMIC_LOADING").is_some();
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

    let (toolkit, mut bindings) = bindings(&machine, nvrtc, &out)?;
    for ignored in &toolkit.ignored {
        println!("cargo::warning={ignored}; using {} instead", toolkit.origin);
    }
    pointers::add(&mut bindings.root, true);
    pointers::add(&mut bindings.versioned, false);
    let (root, versioned) = (&bindings.root, &bindings.versioned);
    write(&out.join("bindings.rs"), &bindings.text(root))?;
    write(&out.join("versioned.rs"), &bindings.text(versioned))?;
    if loading {
        for (name, file) in [("loading.rs", root), ("loading_versioned.rs", versioned)] {
            write(&out.join(name), &bindings.text(&shim::define(file)))?;
        }
    } else {
        link::libcuda(&machine, &toolkit, &bindings.functions(), &out)?;
    }
    let nvrtc_dir = match &toolkit.nvrtc {
        Some(library) => link::nvrtc(&machine, library, !loading, &out)?,
        None if nvrtc && !loading => {
            link::nvrtc_stub(&machine, &toolkit, &bindings.functions(), &out)?;
            None
        }
        None => None,
    };
    let bound = if bindings.carried {
        CARRIED
    } else {
        &toolkit.origin
    };
    facts(
        &machine,
        &toolkit,
        bound,
        nvrtc_dir.as_deref(),
        loading,
        &out,
    )?;
    watch(&machine, &toolkit);
    Ok(())
}

/// What is bound: the headers at hand, or what is carried where there are none or nothing reads them.
fn bindings(machine: &Machine, nvrtc: bool, out: &Path) -> Result<(Toolkit, Bindings), String> {
    let width = env::var("CARGO_CFG_TARGET_POINTER_WIDTH").unwrap_or_else(|_| "64".into());
    let usable = carried::are_for(machine.target, &width);
    let carried_version = carried::version()?;
    let instead = format!(
        "cuda-sys uses the bindings that it carries, of CUDA {}, without the header's documentation",
        locate::dotted(carried_version)
    );
    let forced = match env::var(CHOICE) {
        Err(_) => false,
        Ok(choice) if choice.is_empty() => false,
        Ok(choice) if choice == "carried" => true,
        Ok(choice) => {
            return Err(format!(
                "{CHOICE}={choice} means nothing: give it as carried"
            ));
        }
    };
    let no_carried = |reason: String| {
        format!("{reason}\nThe bindings that cuda-sys carries are for 64-bit Linux alone.")
    };
    let toolkit = match locate::toolkit(machine, nvrtc) {
        Ok(toolkit) => toolkit,
        Err(none) if !usable => return Err(no_carried(none.reason)),
        Err(none) => {
            // Nothing to say where nobody asked for headers. `cargo build -vv` shows where they were looked for.
            eprintln!("no CUDA headers: {instead}.\n{}", none.reason);
            let toolkit = Toolkit {
                origin: CARRIED.into(),
                version: carried_version,
                include: Vec::new(),
                ignored: if forced { Vec::new() } else { none.ignored },
                without_nvrtc: (nvrtc && none.nvrtc.is_none()).then_some(none.reason),
                nvrtc: none.nvrtc,
            };
            return Ok((toolkit, carried::bindings(nvrtc)?));
        }
    };
    if forced && usable {
        let toolkit = Toolkit {
            version: carried_version,
            ignored: Vec::new(),
            ..toolkit
        };
        return Ok((toolkit, carried::bindings(nvrtc)?));
    }
    if let Err(reason) = libclang::load(machine) {
        if !usable {
            return Err(no_carried(reason));
        }
        let what = "libclang, which reads headers, can't be loaded";
        let remedy = locate::remedy(machine.repository);
        note(
            &format!(
                "{what}: {instead}. To bind the headers of {}: {remedy}. To have these without a warning: {CHOICE}=carried",
                toolkit.origin
            ),
            &reason,
        );
        let version = carried_version;
        return Ok((Toolkit { version, ..toolkit }, carried::bindings(nvrtc)?));
    }
    let wanted = Wanted {
        nvrtc,
        comments: true,
    };
    let mut bindings = bindings::generate(&toolkit, wanted, out)?;
    if nvrtc && toolkit.header("nvrtc.h").is_none() {
        bindings.root.items.extend(carried::nvrtc()?);
    }
    if let Some(folder) = env::var_os(CARRY) {
        let wanted = Wanted {
            nvrtc: true,
            comments: false,
        };
        let plain = bindings::generate(&toolkit, wanted, out)?;
        carried::write(&plain, toolkit.version, Path::new(&folder))?;
    }
    Ok((toolkit, bindings))
}

/// Tells in one line what is used instead of what; `cargo build -vv` shows the whole reason.
fn note(line: &str, reason: &str) {
    println!("cargo::warning={line}");
    eprintln!("{reason}");
}

/// What other build scripts and this crate's own source are told.
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
        // `1` where libraries are opened by the program itself; else empty.
        ("DYNAMIC_LOADING", if loading { "1" } else { "" }.into()),
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
        "pub const BINDINGS_ORIGIN: &str = {bound:?};\n\
         pub const TOOLKIT_INCLUDE_DIRS: &[&str] = &{include:?};\n\
         pub const NVRTC_LIB_DIR: Option<&str> = {:?};\n",
        Some(&nvrtc_dir).filter(|dir| !dir.is_empty()),
    );
    write(&out.join("toolkit.rs"), &source)
}

/// When to run again: another toolkit, another header, a driver that came or went.
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
        .flat_map(|dir| bindings::HEADERS.iter().map(move |name| dir.join(name)));
    let setup = machine.repository.join(".cuda/version");
    // An NVRTC that is removed is looked for again. One that pip adds is not noticed: no file says that it came.
    for file in headers
        .chain(toolkit.nvrtc.clone())
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
