//! The places of a library, in search order.

use std::{
    cmp::Reverse,
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use crate::library::Library;

/// The environment variables that affect the search for a toolkit's libraries, besides each
/// library's own. `PATH` and `HOME` also do.
pub const VARIABLES: [&str; 6] = [
    "CUDA_PATH",
    "CUDA_HOME",
    "CUDA_ROOT",
    "LD_LIBRARY_PATH",
    "CONDA_PREFIX",
    "VIRTUAL_ENV",
];

/// The folders of a toolkit that contain libraries.
const OF_TOOLKIT: [&str; 2] = if cfg!(windows) {
    ["bin/x64", "bin"]
} else {
    ["lib64", "lib"]
};

/// The inputs of the search.
pub(crate) struct Machine<'a> {
    pub(crate) variable: &'a dyn Fn(&str) -> Option<OsString>,
    /// The root of the file system, which is `/` except in tests.
    pub(crate) root: &'a Path,
    /// The folder of the running program.
    pub(crate) program: Option<PathBuf>,
}

/// Folders that messages describe with one text. An empty path means the loader's search
/// path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The description after "looked for … in".
    pub(crate) text: String,
    pub(crate) folders: Vec<PathBuf>,
}

impl Place {
    fn new(text: impl Into<String>, folders: impl IntoIterator<Item = PathBuf>) -> Self {
        let (text, folders) = (text.into(), folders.into_iter().collect());
        Self { text, folders }
    }

    /// Returns one folder, described by its path.
    pub(crate) fn folder(folder: &Path) -> Self {
        Self::new(folder.display().to_string(), [folder.to_owned()])
    }

    /// Returns the folders `below` a prefix, if there is one.
    fn prefix(name: &str, prefix: Option<PathBuf>, below: impl Fn(&Path) -> Vec<PathBuf>) -> Self {
        match prefix {
            Some(prefix) => Self::new(format!("{name} ({})", prefix.display()), below(&prefix)),
            None if VARIABLES.contains(&name) => Self::new(format!("{name} (not set)"), []),
            None => Self::new(format!("{name} (none)"), []),
        }
    }
}

/// Returns the places of a library after those that the process has already loaded. `built` is the
/// library's folder when the program was built.
pub(crate) fn places(library: &Library, built: Option<&Path>, machine: &Machine) -> Vec<Place> {
    let loader = Place::new("the loader's search path", [PathBuf::new()]);
    let packages = library.packages;
    if packages.is_empty() {
        if cfg!(windows) {
            return vec![loader];
        }
        let folders = driver_folders(env::consts::ARCH).map(|folder| machine.root.join(folder));
        let others = Place::new("the folders of WSL, Jetson and NixOS", folders);
        return vec![loader, others];
    }
    let toolkit = |home: &Path| OF_TOOLKIT.map(|folder| home.join(folder)).to_vec();
    let set = |name: &str| (machine.variable)(name).map(PathBuf::from);
    let mut places: Vec<_> = VARIABLES[..3]
        .iter()
        .map(|name| Place::prefix(name, set(name), toolkit))
        .collect();
    places.push(loader);
    if cfg!(windows) {
        return places;
    }
    for home in ["usr/local/cuda", "opt/cuda"] {
        let home = machine.root.join(home);
        places.push(Place::new(home.display().to_string(), toolkit(&home)));
    }
    places.extend(built.map(Place::folder));
    let target = match env::consts::ARCH {
        "aarch64" => "targets/sbsa-linux/lib".to_owned(),
        other => format!("targets/{other}-linux/lib"),
    };
    let pip = |prefix: &Path| pip(prefix, packages);
    places.push(Place::prefix(
        "CONDA_PREFIX",
        set("CONDA_PREFIX"),
        |prefix| {
            let own = ["lib", &target].map(|folder| prefix.join(folder));
            own.into_iter().chain(pip(prefix)).collect()
        },
    ));
    places.push(Place::prefix("VIRTUAL_ENV", set("VIRTUAL_ENV"), pip));
    let path = (machine.variable)("PATH").unwrap_or_default();
    let python = env::split_paths(&path).find(|folder| folder.join("python3").is_file());
    let python = python.and_then(|folder| folder.parent().map(Path::to_owned));
    places.push(Place::prefix("the first python3 on PATH", python, pip));
    let user = set("HOME").map(|home| home.join(".local"));
    places.push(Place::prefix("the user's pip packages", user, pip));
    let system = ["usr/local", "usr"].map(|prefix| machine.root.join(prefix));
    places.push(Place::new(
        "the system's pip packages",
        system.iter().flat_map(|prefix| pip(prefix)),
    ));
    places.push(Place::prefix(
        "the program's folder",
        machine.program.clone(),
        |folder| vec![folder.to_owned()],
    ));
    places
}

/// Returns the folders of the driver that the loader of WSL, Jetson and NixOS does not search by
/// default, relative to the root of the file system.
pub fn driver_folders(processor: &str) -> [String; 4] {
    [
        format!("usr/lib/{processor}-linux-gnu/nvidia"),
        format!("usr/lib/{processor}-linux-gnu/tegra"),
        "usr/lib/wsl/lib".to_owned(),
        "run/opengl-driver/lib".to_owned(),
    ]
}

/// Returns the folders of packages below a Python prefix, starting with the newest Python.
fn pip(prefix: &Path, packages: &[&str]) -> Vec<PathBuf> {
    let entries = fs::read_dir(prefix.join("lib"));
    let mut pythons: Vec<(u32, PathBuf)> = entries
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name();
            let minor = name.to_str()?.strip_prefix("python3")?;
            // Debian's own packages are in `python3`.
            let minor = minor.trim_matches(|c: char| !c.is_ascii_digit());
            Some((minor.parse().unwrap_or(0), entry.path()))
        })
        .collect();
    pythons.sort_by_key(|(minor, _)| Reverse(*minor));
    let sites = pythons.iter().flat_map(|(_, python)| {
        ["site-packages", "dist-packages"].map(|packages| python.join(packages))
    });
    sites
        .flat_map(|site| packages.iter().map(move |package| site.join(package)))
        .collect()
}
