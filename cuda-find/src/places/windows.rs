//! The folders of Windows.

use std::path::{Path, PathBuf};

use super::layout::{Layout, Machine, Place, newest_first, number};

pub(super) struct Windows;

impl Layout for Windows {
    const PYTHON: &str = "python.exe";

    fn of_driver(&self, machine: &Machine) -> Vec<Place> {
        self.loader(machine)
    }

    /// The loader itself searches the program's folder and the system's. It must not search `PATH`,
    /// because its own search of `PATH` includes the current folder.
    fn loader(&self, machine: &Machine) -> Vec<Place> {
        let path = machine.path().into_iter();
        let path = path.filter(|folder| folder.is_absolute());
        vec![
            Place::new("the loader's search path", [PathBuf::new()]),
            Place::new("the folders of PATH", path),
        ]
    }

    /// CUDA 13 has a folder for each processor.
    fn of_toolkit(&self, home: &Path) -> Vec<PathBuf> {
        let bin = home.join("bin");
        vec![bin.join("x64"), bin]
    }

    fn toolkits(&self, machine: &Machine) -> Vec<PathBuf> {
        let programs = machine.folder("ProgramFiles");
        let versions = |programs: PathBuf| {
            let parent = programs.join("NVIDIA GPU Computing Toolkit").join("CUDA");
            newest_first(&parent, "v", |rest| {
                let (major, minor) = rest.split_once('.')?;
                number(major)?
                    .checked_mul(1000)?
                    .checked_add(number(minor)?)
            })
        };
        programs.map(versions).unwrap_or_default()
    }

    fn of_conda(&self, prefix: &Path) -> Vec<PathBuf> {
        self.of_toolkit(&prefix.join("Library"))
    }

    /// The user's packages are in a folder for each version, without `Lib`.
    fn sites(&self, prefix: &Path) -> Vec<PathBuf> {
        let versions = newest_first(prefix, "Python3", number);
        let versions = versions.iter().map(|version| version.join("site-packages"));
        [prefix.join("Lib").join("site-packages")]
            .into_iter()
            .chain(versions)
            .collect()
    }

    fn of_package(&self, package: &Path) -> Vec<PathBuf> {
        let bin = package.join("bin");
        vec![bin.join("x86_64"), bin]
    }

    /// In an environment, the program is one folder below the prefix.
    fn python(&self, folder: &Path) -> Option<PathBuf> {
        match folder.ends_with("Scripts") {
            true => folder.parent().map(Path::to_owned),
            false => Some(folder.to_owned()),
        }
    }

    fn user(&self, machine: &Machine) -> Option<PathBuf> {
        machine.folder("APPDATA").map(|data| data.join("Python"))
    }

    /// The installer of python.org uses a folder of the user by default.
    fn system(&self, machine: &Machine) -> Vec<PathBuf> {
        let own = machine.folder("LOCALAPPDATA");
        let own = own.map(|data| data.join("Programs").join("Python"));
        let all = machine.folder("ProgramFiles");
        own.into_iter()
            .chain(all)
            .flat_map(|parent| newest_first(&parent, "Python3", number))
            .map(|prefix| prefix.join("Lib").join("site-packages"))
            .collect()
    }
}
