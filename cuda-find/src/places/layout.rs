//! The folders of each place, by operating system.

use std::{
    cmp::Reverse,
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

/// The environment variables that affect the search for a toolkit's libraries, besides each
/// library's own. `PATH` also does, and `HOME` on Linux, and `APPDATA`, `LOCALAPPDATA` and
/// `ProgramFiles` on Windows, where `LD_LIBRARY_PATH` does not.
pub const VARIABLES: [&str; 6] = [
    "CUDA_PATH",
    "CUDA_HOME",
    "CUDA_ROOT",
    "LD_LIBRARY_PATH",
    "CONDA_PREFIX",
    "VIRTUAL_ENV",
];

/// The inputs of the search.
pub(crate) struct Machine<'a> {
    pub(crate) variable: &'a dyn Fn(&str) -> Option<OsString>,
    /// The root of the file system, which is `/` except in tests.
    pub(crate) root: &'a Path,
    /// The folder of the running program.
    pub(crate) program: Option<PathBuf>,
}

impl Machine<'_> {
    pub(super) fn folder(&self, variable: &str) -> Option<PathBuf> {
        (self.variable)(variable).map(PathBuf::from)
    }

    /// Returns the folders of `PATH`.
    pub(super) fn path(&self) -> Vec<PathBuf> {
        let path = (self.variable)("PATH").unwrap_or_default();
        env::split_paths(&path).collect()
    }
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
    pub(super) fn new(text: impl Into<String>, folders: impl IntoIterator<Item = PathBuf>) -> Self {
        let (text, folders) = (text.into(), folders.into_iter().collect());
        Self { text, folders }
    }

    /// Returns one folder, described by its path.
    pub(crate) fn folder(folder: &Path) -> Self {
        Self::new(folder.display().to_string(), [folder.to_owned()])
    }

    /// Returns the folders `below` a prefix, if there is one.
    pub(super) fn prefix(
        name: &str,
        prefix: Option<PathBuf>,
        below: impl Fn(&Path) -> Vec<PathBuf>,
    ) -> Self {
        match prefix {
            Some(prefix) => Self::new(format!("{name} ({})", prefix.display()), below(&prefix)),
            None if VARIABLES.contains(&name) => Self::new(format!("{name} (not set)"), []),
            None => Self::new(format!("{name} (none)"), []),
        }
    }
}

/// The folders of an operating system. The order of the places is the same on all systems.
pub(super) trait Layout {
    /// The name of Python's program.
    const PYTHON: &str;
    /// Returns the places of the driver that the loader searches, and those that it does not.
    fn of_driver(&self, machine: &Machine) -> Vec<Place>;
    /// Returns the places that the loader searches.
    fn loader(&self, machine: &Machine) -> Vec<Place>;
    /// Returns the folders with libraries of a toolkit.
    fn of_toolkit(&self, home: &Path) -> Vec<PathBuf>;
    /// Returns the toolkits that have been installed with the system's tools.
    fn toolkits(&self, machine: &Machine) -> Vec<PathBuf>;
    /// Returns the folders with libraries of a conda environment.
    fn of_conda(&self, prefix: &Path) -> Vec<PathBuf>;
    /// Returns the folders with packages of a Python, starting with the newest version.
    fn sites(&self, prefix: &Path) -> Vec<PathBuf>;
    /// Returns the folders with libraries of a pip package.
    fn of_package(&self, package: &Path) -> Vec<PathBuf>;
    /// Returns the prefix of the Python whose program is in this folder of `PATH`.
    fn python(&self, folder: &Path) -> Option<PathBuf>;
    /// Returns the prefix of the packages that the user has installed without an environment.
    fn user(&self, machine: &Machine) -> Option<PathBuf>;
    /// Returns the folders with packages of the system's Python.
    fn system(&self, machine: &Machine) -> Vec<PathBuf>;
}

/// Returns the folders in `parent` whose name is `prefix`, a version and perhaps a letter, starting
/// with the newest version. `version` returns the version from the rest of a name.
pub(super) fn newest_first(
    parent: &Path,
    prefix: &str,
    version: impl Fn(&str) -> Option<u32>,
) -> Vec<PathBuf> {
    let entries = fs::read_dir(parent);
    let mut found: Vec<(u32, PathBuf)> = entries
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name();
            let version = version(name.to_str()?.strip_prefix(prefix)?)?;
            Some((version, entry.path()))
        })
        .collect();
    found.sort_by_key(|(version, _)| Reverse(*version));
    found.into_iter().map(|(_, path)| path).collect()
}

/// Returns the digits of a version, as one number.
pub(super) fn number(text: &str) -> Option<u32> {
    text.trim_matches(|c: char| !c.is_ascii_digit())
        .parse()
        .ok()
}
