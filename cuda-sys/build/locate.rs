//! Finds the CUDA headers and NVRTC, as a pure function of the environment and the file system.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::layout::{DEBIAN, HEADERS_ONLY, LAYOUTS, Layout, Target};

/// Variables that name a toolkit, in the order in which they are read.
pub const VARIABLES: [&str; 4] = ["CUDA_PATH", "CUDA_HOME", "CUDA_ROOT", "CUDA_INC_DIR"];

/// The headers that are bound, if they exist. The last one requires the feature `nvrtc`.
pub const HEADERS: [&str; 7] = [
    "cuda.h",
    "cudaProfiler.h",
    "cudaGL.h",
    "cudaTypedefs.h",
    "cudaProfilerTypedefs.h",
    "cudaGLTypedefs.h",
    "nvrtc.h",
];

/// The oldest supported header, in the format of `CUDA_VERSION`.
pub const OLDEST: u32 = 12_000;

/// The inputs of the search.
pub struct Machine<'a> {
    pub variable: &'a dyn Fn(&str) -> Option<OsString>,
    /// The root of the file system, which is `/` except in tests.
    pub root: &'a Path,
    /// The repository that contains this crate. `make setup` fills its `.cuda` folder.
    pub repository: &'a Path,
    pub target: Target<'a>,
    /// Returns the package directories of the active Python. It is called last, because it starts
    /// Python.
    pub site_packages: &'a dyn Fn() -> Vec<PathBuf>,
}

/// The result of the search.
#[derive(Debug)]
pub struct Toolkit {
    /// The place where it was found, for messages.
    pub origin: String,
    /// The `CUDA_VERSION` of its `cuda.h`: 13000 means 13.0.
    pub version: u32,
    /// The header directories, starting with the one that contains `cuda.h`.
    pub include: Vec<PathBuf>,
    /// The file to link NVRTC from, if it was requested.
    pub nvrtc: Option<PathBuf>,
    /// Warnings for variables that are set but name no toolkit.
    pub ignored: Vec<String>,
    /// The places that were searched for NVRTC, if it was requested and not found.
    pub without_nvrtc: Option<String>,
}

impl Toolkit {
    /// Returns the path of a header, if it exists.
    pub fn header(&self, name: &str) -> Option<PathBuf> {
        self.include
            .iter()
            .map(|dir| dir.join(name))
            .find(|path| path.is_file())
    }
}

/// The error for missing headers.
#[derive(Debug)]
pub struct NoHeaders {
    /// Every place that was searched, and the command that fixes the problem.
    pub reason: String,
    /// Variables that are set but name no toolkit. If there are any, the user asked for headers.
    pub ignored: Vec<String>,
    /// NVRTC's library, if it was requested and found.
    pub nvrtc: Option<PathBuf>,
}

/// A place to search.
struct Place {
    origin: String,
    base: PathBuf,
    layouts: &'static [Layout],
}

/// The contents of a place.
#[derive(Default)]
struct Contents {
    layout: &'static str,
    version: Option<u32>,
    include: Vec<PathBuf>,
    /// The folder of NVRTC's header, and its library.
    nvrtc: Option<(PathBuf, PathBuf)>,
    /// NVRTC's library, with or without a header.
    library: Option<PathBuf>,
}

/// Finds the headers, and with `nvrtc` also NVRTC. An NVRTC with its header is preferred. Otherwise
/// the library alone is used, as installed by `pip install nvidia-cuda-nvrtc`.
///
/// # Errors
/// Returns [`NoHeaders`] if there are no usable headers.
pub fn toolkit(machine: &Machine, nvrtc: bool) -> Result<Toolkit, NoHeaders> {
    let mut looked_at = Vec::new();
    let mut ignored = Vec::new();
    let mut found: Option<Toolkit> = None;
    let mut alone: Option<PathBuf> = None;
    let mut visit = |place: Place| -> bool {
        let contents = inspect(&place, machine.target);
        if nvrtc && alone.is_none() {
            alone.clone_from(&contents.library);
        }
        let verdict = match (contents.version, &contents.library) {
            (None, None) => "no cuda.h".to_owned(),
            (None, Some(_)) => "NVRTC, but no cuda.h".to_owned(),
            (Some(v), _) if v < OLDEST => {
                format!("CUDA {}: 12.0 is the oldest supported version", dotted(v))
            }
            (Some(v), None) if nvrtc => format!("CUDA {}, but no NVRTC", dotted(v)),
            (Some(v), _) => format!("CUDA {}", dotted(v)),
        };
        if contents.version.is_none() && VARIABLES.iter().any(|name| place.origin.starts_with(name))
        {
            ignored.push(format!(
                "{} has no CUDA headers ({})",
                place.origin,
                place.base.display()
            ));
        }
        looked_at.push(format!(
            "{} ({}): {verdict}",
            place.base.display(),
            place.origin
        ));
        let usable = contents.version.is_some_and(|v| v >= OLDEST);
        if found.is_none() && usable {
            found = Some(Toolkit {
                origin: format!("{} ({})", place.origin, contents.layout),
                version: contents.version.unwrap_or_default(),
                include: contents.include.clone(),
                nvrtc: None,
                ignored: Vec::new(),
                without_nvrtc: None,
            });
        }
        // If a place has headers but no NVRTC, they are combined with the NVRTC of a later place.
        let Some(toolkit) = &mut found else {
            return false;
        };
        if !nvrtc {
            return true;
        }
        let Some((header, library)) = contents.nvrtc else {
            return false;
        };
        if !toolkit.include.contains(&header) {
            toolkit.include.push(header);
        }
        toolkit.nvrtc = Some(library);
        true
    };
    let done = places(machine).into_iter().any(&mut visit)
        || pip_places(&(machine.site_packages)())
            .into_iter()
            .any(visit);
    match found {
        Some(toolkit) => {
            let library = toolkit.nvrtc.or(alone);
            Ok(Toolkit {
                ignored,
                without_nvrtc: (!done && library.is_none())
                    .then(|| explain(machine, &looked_at, true)),
                nvrtc: library,
                ..toolkit
            })
        }
        None => Err(NoHeaders {
            reason: explain(machine, &looked_at, false),
            ignored,
            nvrtc: alone,
        }),
    }
}

/// Returns all places except Python's, in search order.
fn places(machine: &Machine) -> Vec<Place> {
    let set = |name: &str| {
        (machine.variable)(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let mut places = Vec::new();
    for name in VARIABLES {
        if let Some(base) = set(name) {
            let layouts = if name == "CUDA_INC_DIR" {
                HEADERS_ONLY
            } else {
                LAYOUTS
            };
            places.push(Place {
                origin: name.to_owned(),
                base,
                layouts,
            });
        }
    }
    places.push(Place {
        origin: "make setup".into(),
        base: machine.repository.join(".cuda"),
        layouts: LAYOUTS,
    });
    if let Some(nvcc) = nvcc(machine) {
        places.push(Place {
            origin: "nvcc on PATH".into(),
            base: nvcc,
            layouts: LAYOUTS,
        });
    }
    if machine.target.os == "windows" {
        return places;
    }
    for path in ["usr/local/cuda", "opt/cuda"] {
        places.push(Place {
            origin: "usual place".into(),
            base: machine.root.join(path),
            layouts: LAYOUTS,
        });
    }
    places.push(Place {
        origin: "Debian's packages".into(),
        base: machine.root.join("usr"),
        layouts: DEBIAN,
    });
    places
}

fn pip_places(site_packages: &[PathBuf]) -> Vec<Place> {
    let place = |base: &PathBuf| Place {
        origin: "Python's packages".into(),
        base: base.clone(),
        layouts: LAYOUTS,
    };
    site_packages.iter().map(place).collect()
}

/// Returns the toolkit of the first `nvcc` on `PATH`.
fn nvcc(machine: &Machine) -> Option<PathBuf> {
    let name = if machine.target.os == "windows" {
        "nvcc.exe"
    } else {
        "nvcc"
    };
    let path = (machine.variable)("PATH")?;
    let file = std::env::split_paths(&path)
        .map(|dir| dir.join(name))
        .find(|file| file.is_file())?;
    // A link in a directory such as /usr/bin points to the toolkit's own bin.
    let file = fs::canonicalize(&file).unwrap_or(file);
    Some(file.parent()?.parent()?.to_owned())
}

fn inspect(place: &Place, target: Target) -> Contents {
    let mut contents = Contents::default();
    for layout in place.layouts.iter().filter(|layout| layout.is_for(target)) {
        let include: Vec<PathBuf> = layout
            .include
            .iter()
            .map(|dir| place.base.join(dir))
            .filter(|dir| dir.is_dir())
            .collect();
        if contents.version.is_none()
            && include
                .first()
                .is_some_and(|dir| dir.join("cuda.h").is_file())
        {
            contents.version = version(&include[0].join("cuda.h"));
            contents.include.clone_from(&include);
            contents.layout = layout.name;
        }
        if contents.nvrtc.is_none() {
            let header = include.iter().find(|dir| dir.join("nvrtc.h").is_file());
            let library = layout
                .lib
                .iter()
                .find_map(|dir| target.nvrtc_library(&place.base.join(dir)));
            if contents.library.is_none() {
                contents.library.clone_from(&library);
            }
            contents.nvrtc = header.cloned().zip(library);
        }
    }
    contents
}

/// Returns the value of `CUDA_VERSION` in a `cuda.h`.
fn version(header: &Path) -> Option<u32> {
    let text = fs::read(header).ok()?;
    String::from_utf8_lossy(&text).lines().find_map(|line| {
        let mut words = line.split_whitespace();
        let define = words.next() == Some("#define") && words.next() == Some("CUDA_VERSION");
        words.next().filter(|_| define)?.parse().ok()
    })
}

/// Formats 12040 as `12.4`.
pub fn dotted(version: u32) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}

fn explain(machine: &Machine, looked_at: &[String], only_nvrtc: bool) -> String {
    let missing = if only_nvrtc {
        "NVRTC"
    } else {
        "the CUDA headers (cuda.h, 12.0 or newer)"
    };
    let mut message = format!("cuda-sys cannot find {missing}. Looked at:\n");
    for name in VARIABLES
        .iter()
        .filter(|name| (machine.variable)(name).is_none_or(|v| v.is_empty()))
    {
        let _ = writeln!(message, "  {name}: not set");
    }
    for line in looked_at {
        let _ = writeln!(message, "  {line}");
    }
    if nvcc(machine).is_none() {
        message += "  PATH: no nvcc\n";
    }
    if (machine.site_packages)().is_empty() {
        message += "  Python's packages: no Python\n";
    }
    let (holds, command) = if only_nvrtc {
        ("the library", NVRTC_ALONE)
    } else {
        ("include/cuda.h", &*remedy(machine.repository))
    };
    let _ = write!(
        message,
        "Fix: set CUDA_PATH to the folder of a toolkit that has {holds}, or run: {command}"
    );
    if only_nvrtc {
        message += "\n(or build cuda-sys without its feature `nvrtc`)";
    }
    message
}

/// The command that installs NVRTC if there are no headers.
pub const NVRTC_ALONE: &str = "python3 -m pip install nvidia-cuda-nvrtc";

/// Returns the command that installs the missing files.
pub fn remedy(repository: &Path) -> String {
    if repository.join("Makefile").is_file() && repository.join("scripts/setup.py").is_file() {
        format!("make -C {} setup", repository.display())
    } else {
        "python3 -m pip install nvidia-cuda-runtime nvidia-cuda-nvrtc nvidia-cuda-cccl nvidia-cuda-crt libclang".into()
    }
}
