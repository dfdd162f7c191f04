//! NVRTC's second library, which NVRTC opens by its bare name for its first compilation.

use std::{
    fmt::Display,
    path::{Path, PathBuf},
};

use crate::system;

/// Returns the `libnvrtc-builtins` of a version, such as `13.0`, that is next to NVRTC's file, or
/// next to the target of its symbolic link. On Windows, its name is `nvrtc-builtins64_130.dll`.
pub fn builtins(nvrtc: &Path, version: impl Display) -> Option<PathBuf> {
    let file = if cfg!(windows) {
        let version = version.to_string().replace('.', "");
        format!("nvrtc-builtins64_{version}.dll")
    } else {
        // NVIDIA's alternative build of both libraries has the suffix `.alt`, as in
        // `libnvrtc.alt.so`.
        let name = nvrtc.file_name()?.to_str()?;
        let kind = match name.starts_with("libnvrtc.alt.") {
            true => ".alt",
            false => "",
        };
        format!("libnvrtc-builtins{kind}.so.{version}")
    };
    let target = nvrtc.canonicalize().ok();
    let mut libraries = target.iter().map(PathBuf::as_path).chain([nvrtc]);
    libraries.find_map(|library| {
        let file = library.with_file_name(&file);
        file.is_file().then_some(file)
    })
}

/// Opens [`builtins`] with global symbols. Returns whether it was opened.
///
/// NVRTC searches for it on the loader's path only, because pip's packages have no run path from
/// one library to the other. NVRTC finds a library that is already open.
pub fn open_builtins(nvrtc: &Path, version: impl Display) -> bool {
    builtins(nvrtc, version).is_some_and(|file| system::open_globally(&file))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::{env, fs, os::unix::fs::symlink, process};

    use super::*;

    #[test]
    fn builtins_are_next_to_the_library_or_to_the_target_of_its_link() {
        let root = env::temp_dir().join(format!("cuda-find-builtins-{}", process::id()));
        let (own, links) = (root.join("own"), root.join("links"));
        for folder in [&own, &links] {
            fs::create_dir_all(folder).unwrap();
        }
        let own = own.canonicalize().unwrap();
        let nvrtc = own.join("libnvrtc.so.13");
        fs::write(&nvrtc, "").unwrap();
        assert_eq!(builtins(&nvrtc, "13.0"), None);
        let plain = own.join("libnvrtc-builtins.so.13.0");
        let alternative = own.join("libnvrtc-builtins.alt.so.13.0");
        fs::write(&plain, "").unwrap();
        fs::write(&alternative, "").unwrap();
        assert_eq!(builtins(&nvrtc, "13.0").as_ref(), Some(&plain));
        assert_eq!(builtins(&nvrtc, "13.1"), None);
        let other = own.join("libnvrtc.alt.so.13");
        assert_eq!(builtins(&other, "13.0"), Some(alternative));
        let link = links.join("libnvrtc.so");
        symlink(&nvrtc, &link).unwrap();
        assert_eq!(builtins(&link, "13.0"), Some(plain));
        // A link to a library whose folder has no builtins.
        let beside = links.join("libnvrtc-builtins.so.13.1");
        fs::write(&beside, "").unwrap();
        assert_eq!(builtins(&link, "13.1"), Some(beside));
        assert!(!open_builtins(&link, "13.1"), "it is no library");
        fs::remove_dir_all(&root).unwrap();
    }
}
