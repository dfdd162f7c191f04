//! The folders of Windows.

use std::path::{Path, PathBuf};

use super::{Layout, Machine, Place, newest_first, number};

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
                Some(1000 * number(major)? + number(minor)?)
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

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, env, fs, process};

    use super::*;
    use crate::{CUBLAS, DRIVER, NVRTC, places::places_on};

    /// The layouts are files in a folder, so the test also runs on other systems.
    #[test]
    fn places_of_windows_are_in_order() {
        let root = env::temp_dir().join(format!("cuda-find-windows-{}", process::id()));
        let programs = "programs/NVIDIA GPU Computing Toolkit/CUDA";
        for folder in [
            &format!("{programs}/v9.2"),
            &format!("{programs}/v13.0"),
            &format!("{programs}/v12.9"),
            "programs/Python39",
            "data/Python/Python311",
            "local/Programs/Python/Python312",
            "local/Programs/Python/Python313",
            "python/Scripts",
        ] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        fs::write(root.join("python/Scripts/python.exe"), "").unwrap();
        let mut variables = BTreeMap::new();
        for (name, folder) in [
            ("CUDA_PATH", "path"),
            ("CONDA_PREFIX", "conda"),
            ("VIRTUAL_ENV", "venv"),
            ("APPDATA", "data"),
            ("LOCALAPPDATA", "local"),
            ("ProgramFiles", "programs"),
        ] {
            variables.insert(name, root.join(folder).into_os_string());
        }
        // The current folder must not be searched.
        let path = ["relative", ".", ""].map(PathBuf::from).into_iter();
        let path = path.chain([root.join("tools"), root.join("python").join("Scripts")]);
        variables.insert("PATH", env::join_paths(path).unwrap());
        let machine = Machine {
            variable: &|name| variables.get(name).cloned(),
            root: &root,
            program: Some(root.join("program")),
        };
        let found = |library, built: Option<&Path>| {
            let places = places_on(&Windows, library, built, &machine);
            let folders = places.iter().flat_map(|place| &place.folders);
            let name = |folder: &PathBuf| {
                let name = folder.strip_prefix(&root).unwrap_or(folder);
                name.to_string_lossy().replace('\\', "/")
            };
            folders.map(name).collect::<Vec<_>>()
        };
        assert_eq!(found(&DRIVER, None), ["", "tools", "python/Scripts"]);
        let built = root.join("built");
        let all = found(&NVRTC, Some(&built));
        let mut expected = vec![
            "path/bin/x64".to_owned(),
            "path/bin".into(),
            "".into(),
            "tools".into(),
            "python/Scripts".into(),
        ];
        for version in ["v13.0", "v12.9", "v9.2"] {
            expected.extend(["bin/x64", "bin"].map(|bin| format!("{programs}/{version}/{bin}")));
        }
        expected.push("built".into());
        expected.extend(["conda/Library/bin/x64", "conda/Library/bin"].map(str::to_owned));
        for site in [
            "conda/Lib/site-packages",
            "venv/Lib/site-packages",
            "python/Lib/site-packages",
            "data/Python/Lib/site-packages",
            "data/Python/Python311/site-packages",
            "local/Programs/Python/Python313/Lib/site-packages",
            "local/Programs/Python/Python312/Lib/site-packages",
            "programs/Python39/Lib/site-packages",
        ] {
            for package in ["cu13", "cuda_nvrtc"] {
                let bins = ["bin/x86_64", "bin"];
                expected.extend(bins.map(|bin| format!("{site}/nvidia/{package}/{bin}")));
            }
        }
        expected.push("program".into());
        assert_eq!(all, expected);
        let cublas = "venv/Lib/site-packages/nvidia/cublas/bin".to_owned();
        assert!(found(&CUBLAS, None).contains(&cublas));
        fs::remove_dir_all(root).unwrap();
    }
}
