//! The search paths of the libraries.

use std::borrow::ToOwned;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::string::{String, ToString};
use std::vec::Vec;

#[path = "folders.rs"]
mod folders;

/// The places of a library: first these names on the loader's search path, then these folders.
pub(super) struct Places {
    pub(super) names: Vec<String>,
    pub(super) folders: Vec<Group>,
}

/// Folders that messages describe with one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    /// The description after "Looked for … in".
    pub(super) text: String,
    pub(super) folders: Vec<PathBuf>,
}

impl Places {
    /// Returns all files in search order.
    pub(super) fn files(&self) -> Vec<OsString> {
        let in_folders = self.folders.iter().flat_map(|group| &group.folders);
        let files =
            in_folders.flat_map(|folder| self.names.iter().map(|name| folder.join(name).into()));
        self.names.iter().map(OsString::from).chain(files).collect()
    }
}

/// Returns the places of the driver's library: its name, and folders that the loader does not
/// search.
pub(super) fn of_driver() -> Places {
    if cfg!(windows) {
        return Places {
            names: Vec::from(["nvcuda.dll".into()]),
            folders: Vec::new(),
        };
    }
    let of_processor = Path::new("usr/lib").join(triple());
    let folders = folders::EVERYWHERE.iter().map(PathBuf::from).chain(
        folders::BY_PROCESSOR
            .iter()
            .map(|dir| of_processor.join(dir)),
    );
    let group = Group {
        text: "the folders of WSL, Jetson and NixOS".into(),
        folders: folders.map(|dir| Path::new("/").join(dir)).collect(),
    };
    Places {
        names: Vec::from(["libcuda.so.1".into()]),
        folders: Vec::from([group]),
    }
}

/// Returns Debian's name for the processor, which is part of library paths.
fn triple() -> String {
    std::format!("{}-linux-gnu", std::env::consts::ARCH)
}

/// Returns the places of NVRTC's library: its names, the toolkits that `variable` names, those in
/// default folders, and pip's packages.
#[cfg(feature = "nvrtc")]
pub(super) fn of_nvrtc(variable: impl Fn(&str) -> Option<OsString>) -> Places {
    let below: &[&str] = if cfg!(windows) {
        &["bin/x64", "bin"]
    } else {
        &["lib64", "lib"]
    };
    let set = ["CUDA_PATH", "CUDA_HOME", "CUDA_ROOT"]
        .into_iter()
        .filter_map(&variable)
        .filter(|home| !home.is_empty())
        .map(PathBuf::from);
    let usual: &[&str] = if cfg!(windows) {
        &[]
    } else {
        &["/usr/local/cuda", "/opt/cuda"]
    };
    let mut homes: Vec<PathBuf> = Vec::new();
    for home in set.chain(usual.iter().map(PathBuf::from)) {
        if !homes.contains(&home) {
            homes.push(home);
        }
    }
    let toolkits = homes.into_iter().map(|home| Group {
        text: home.display().to_string(),
        folders: below.iter().map(|dir| home.join(dir)).collect(),
    });
    let built = crate::NVRTC_LIB_DIR.map(PathBuf::from).map(|dir| Group {
        text: dir.display().to_string(),
        folders: Vec::from([dir]),
    });
    Places {
        names: nvrtc_names(crate::CUDA_VERSION / 1000),
        folders: toolkits.chain(built).chain(of_pip(variable)).collect(),
    }
}

/// Returns the folders of Python's packages without starting Python: those of the active virtual
/// environment, of the first `python3` on `PATH`, and of the user.
#[cfg(feature = "nvrtc")]
fn of_pip(variable: impl Fn(&str) -> Option<OsString>) -> Option<Group> {
    if cfg!(windows) {
        return None;
    }
    let environment = variable("VIRTUAL_ENV").map(PathBuf::from);
    let path = variable("PATH").unwrap_or_default();
    let first = std::env::split_paths(&path).find(|dir| dir.join("python3").is_file());
    let first = first.and_then(|dir| dir.parent().map(Path::to_owned));
    // Debian's pip installs packages for /usr/bin/python3 there.
    let of_debian = (first.as_deref() == Some(Path::new("/usr"))).then(|| "/usr/local".into());
    let own = variable("HOME").map(|home| Path::new(&home).join(".local"));
    let mut text = String::from("pip's packages");
    if let Some(environment) = &environment {
        text += &std::format!(" ({})", environment.display());
    }
    let prefixes = environment
        .into_iter()
        .chain(first)
        .chain(of_debian)
        .chain(own);
    Some(Group {
        text,
        folders: prefixes.flat_map(|prefix| packages(&prefix)).collect(),
    })
}

/// Returns pip's folders of NVRTC below a Python prefix: first those of CUDA 13, then those of CUDA
/// 12.
#[cfg(feature = "nvrtc")]
fn packages(prefix: &Path) -> Vec<PathBuf> {
    let versions = std::fs::read_dir(prefix.join("lib"));
    let mut versions: Vec<PathBuf> = versions
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("python3"))
        .map(|entry| entry.path())
        .collect();
    versions.sort();
    let sites = versions
        .iter()
        .flat_map(|version| ["site-packages", "dist-packages"].map(|dir| version.join(dir)));
    sites
        .flat_map(|site| ["nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"].map(|dir| site.join(dir)))
        .filter(|folder| folder.is_dir())
        .collect()
}

/// Starts with the header's own version. A library of another version may lack some functions.
#[cfg(feature = "nvrtc")]
fn nvrtc_names(own: u32) -> Vec<String> {
    let versions = [own]
        .into_iter()
        .chain([13, 12].into_iter().filter(|version| *version != own));
    if cfg!(windows) {
        versions
            .map(|version| std::format!("nvrtc64_{version}0_0.dll"))
            .collect()
    } else {
        versions
            .map(|version| std::format!("libnvrtc.so.{version}"))
            .chain(["libnvrtc.so".into()])
            .collect()
    }
}

#[cfg(all(test, feature = "nvrtc", unix))]
mod tests {
    use super::*;
    use std::fs;

    fn with(variables: &[(&str, &Path)]) -> Places {
        of_nvrtc(|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, path)| path.as_os_str().to_owned())
        })
    }

    #[test]
    fn pip_packages_are_searched_last() {
        let base =
            std::env::temp_dir().join(std::format!("cuda-sys-places-{}", std::process::id()));
        let folders = [
            "venv/lib/python3.11/site-packages/nvidia/cu13/lib",
            "venv/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib",
            "python/lib/python3.12/dist-packages/nvidia/cu13/lib",
            "home/.local/lib/python3.13/site-packages/nvidia/cu13/lib",
        ]
        .map(|folder| base.join(folder));
        for folder in folders.iter().chain([&base.join("python/bin")]) {
            fs::create_dir_all(folder).expect("a directory");
        }
        fs::write(base.join("python/bin/python3"), "").expect("a file");
        let (environment, path, home) = (
            base.join("venv"),
            base.join("python/bin"),
            base.join("home"),
        );
        let places = with(&[
            ("CUDA_HOME", &base),
            ("VIRTUAL_ENV", &environment),
            ("PATH", &path),
            ("HOME", &home),
        ]);
        let first = places.folders.first().expect("a group");
        assert_eq!(first.text, base.display().to_string());
        assert_eq!(first.folders, ["lib64", "lib"].map(|dir| base.join(dir)));
        let last = places.folders.last().expect("a group");
        assert_eq!(last.folders, folders);
        assert_eq!(
            last.text,
            std::format!("pip's packages ({})", environment.display())
        );
        let files = places.files();
        assert_eq!(files[0], *places.names[0]);
        assert!(files.contains(&folders[0].join("libnvrtc.so").into()));

        let nothing = with(&[]);
        let last = nothing.folders.last().expect("a group");
        assert_eq!((&*last.text, last.folders.len()), ("pip's packages", 0));
        fs::remove_dir_all(&base).expect("it was made here");
    }
}
