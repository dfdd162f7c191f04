//! The folders of Linux.

use std::{
    env,
    path::{Path, PathBuf},
};

use super::layout::{Layout, Machine, Place, newest_first, number};

pub(super) struct Unix;

impl Layout for Unix {
    const PYTHON: &str = "python3";

    fn of_driver(&self, machine: &Machine) -> Vec<Place> {
        let folders = driver_folders(env::consts::ARCH).map(|folder| machine.root.join(folder));
        let others = Place::new("the folders of WSL, Jetson and NixOS", folders);
        [self.loader(machine), vec![others]].concat()
    }

    fn loader(&self, _: &Machine) -> Vec<Place> {
        vec![Place::new("the loader's search path", [PathBuf::new()])]
    }

    fn of_toolkit(&self, home: &Path) -> Vec<PathBuf> {
        ["lib64", "lib"].map(|folder| home.join(folder)).to_vec()
    }

    fn toolkits(&self, machine: &Machine) -> Vec<PathBuf> {
        let homes = ["usr/local/cuda", "opt/cuda"];
        homes.map(|home| machine.root.join(home)).to_vec()
    }

    fn of_conda(&self, prefix: &Path) -> Vec<PathBuf> {
        let target = match env::consts::ARCH {
            "aarch64" => "targets/sbsa-linux/lib".to_owned(),
            other => format!("targets/{other}-linux/lib"),
        };
        ["lib", &target].map(|folder| prefix.join(folder)).to_vec()
    }

    fn sites(&self, prefix: &Path) -> Vec<PathBuf> {
        // Debian's own packages are in `python3`, whose version is empty.
        let pythons = newest_first(&prefix.join("lib"), "python3", |rest| {
            Some(number(rest).unwrap_or(0))
        });
        let sites = pythons.iter().flat_map(|python| {
            ["site-packages", "dist-packages"].map(|packages| python.join(packages))
        });
        sites.collect()
    }

    fn of_package(&self, package: &Path) -> Vec<PathBuf> {
        vec![package.join("lib")]
    }

    fn python(&self, folder: &Path) -> Option<PathBuf> {
        folder.parent().map(Path::to_owned)
    }

    fn user(&self, machine: &Machine) -> Option<PathBuf> {
        machine.folder("HOME").map(|home| home.join(".local"))
    }

    fn system(&self, machine: &Machine) -> Vec<PathBuf> {
        let prefixes = ["usr/local", "usr"].map(|prefix| machine.root.join(prefix));
        prefixes
            .iter()
            .flat_map(|prefix| self.sites(prefix))
            .collect()
    }
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
