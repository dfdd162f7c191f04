//! Finds the device runtime of the toolkit, `libcudadevrt.a`, which kernels need to launch kernels.
//! On Windows, it is called `cudadevrt.lib`.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

use crate::error::{Error, ErrorKind, Result};

const FILE: &str = if cfg!(windows) {
    "cudadevrt.lib"
} else {
    "libcudadevrt.a"
};
/// The first bytes of an archive.
pub(super) const ARCHIVE: &[u8] = b"!<arch>\n";

/// Returns the archive and its path.
pub(super) fn read() -> Result<(PathBuf, Vec<u8>)> {
    let variable = |name: &str| env::var_os(name);
    let folders = if cfg!(windows) {
        windows_folders(variable, nvrtc_folder())
    } else {
        folders(variable, nvrtc_folder())
    };
    read_first(&folders)
}

fn read_first(folders: &[PathBuf]) -> Result<(PathBuf, Vec<u8>)> {
    let mut reasons = String::new();
    for path in folders.iter().map(|folder| folder.join(FILE)) {
        match std::fs::read(&path) {
            Ok(bytes) if is_whole(&bytes) => return Ok((path, bytes)),
            Ok(_) => reasons.push_str(&format!("; {} is damaged", path.display())),
            Err(_) if !path.exists() => {}
            Err(error) => reasons.push_str(&format!("; cannot read {}: {error}", path.display())),
        }
    }
    let looked: Vec<_> = folders
        .iter()
        .map(|one| one.display().to_string())
        .collect();
    Err(Error::checked(
        ErrorKind::NotFound,
        "Linker::add_device_runtime",
        format!(
            "{FILE}, the toolkit's device runtime, was not found in {}{reasons}. Fix: install a toolkit, or run `pip install \
             nvidia-cuda-runtime`, or set CUDA_PATH to the folder that contains lib",
            looked.join(", ")
        ),
    ))
}

/// Returns the folders to search, in order.
fn folders(variable: impl Fn(&str) -> Option<OsString>, nvrtc: Option<PathBuf>) -> Vec<PathBuf> {
    let target = format!(
        "targets/{}-linux/lib",
        if cfg!(target_arch = "aarch64") {
            "sbsa"
        } else {
            env::consts::ARCH
        }
    );
    let below = |home: PathBuf| ["lib64", "lib", &target].map(|dir| home.join(dir));
    let mut all: Vec<PathBuf> = Vec::new();
    // pip installs both in one folder. For CUDA 12, it installs them in neighboring folders.
    let nvrtc = nvrtc.or_else(|| cuda_sys::NVRTC_LIB_DIR.map(PathBuf::from));
    if let Some(folder) = nvrtc {
        let packages = folder.parent().and_then(Path::parent);
        let neighbour = packages.map(|packages| packages.join("cuda_runtime/lib"));
        all.push(folder);
        all.extend(neighbour);
    }
    let usual = ["/usr/local/cuda", "/opt/cuda"].map(PathBuf::from);
    all.extend(toolkits(variable).into_iter().chain(usual).flat_map(below));
    // The folder of Debian's packages.
    all.push(format!("/usr/lib/{}-linux-gnu", env::consts::ARCH).into());
    without_repetitions(all)
}

/// Like [`folders`], on Windows.
fn windows_folders(
    variable: impl Fn(&str) -> Option<OsString>,
    nvrtc: Option<PathBuf>,
) -> Vec<PathBuf> {
    let nvrtc = nvrtc.or_else(|| cuda_sys::NVRTC_LIB_DIR.map(PathBuf::from));
    let mut homes = Vec::new();
    // NVRTC is in `bin`, or since CUDA 13 in a folder of `bin`.
    let bin = nvrtc.as_deref().map(|folder| folder.ancestors());
    for home in bin.into_iter().flatten().skip(1).take(2) {
        // pip installs both in one folder. For CUDA 12, it installs them in neighboring folders.
        let neighbour = home.parent().map(|packages| packages.join("cuda_runtime"));
        homes.extend([home.to_owned()].into_iter().chain(neighbour));
    }
    homes.extend(toolkits(variable));
    without_repetitions(homes.iter().map(|home| home.join("lib/x64")).collect())
}

/// Returns the toolkits that variables name, and those of the build.
fn toolkits(variable: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let set = ["CUDA_PATH", "CUDA_HOME", "CUDA_ROOT"].into_iter();
    let set = set.filter_map(variable).filter(|home| !home.is_empty());
    let built = cuda_sys::TOOLKIT_INCLUDE_DIRS.iter();
    let built = built.filter_map(|include| Some(Path::new(include).parent()?.to_owned()));
    set.map(PathBuf::from).chain(built).collect()
}

fn without_repetitions(mut folders: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut seen = Vec::new();
    folders.retain(|folder| {
        let is_new = !seen.contains(folder);
        seen.push(folder.clone());
        is_new
    });
    folders
}

/// Returns the folder of the NVRTC library that this process uses.
fn nvrtc_folder() -> Option<PathBuf> {
    #[cfg(feature = "nvrtc")]
    return Some(crate::code::program::nvrtc_library()?.parent()?.to_owned());
    #[cfg(not(feature = "nvrtc"))]
    None
}

/// Returns whether the members fill the archive exactly.
fn is_whole(bytes: &[u8]) -> bool {
    /// The size of a member's header in bytes. Bytes 48 to 57 hold the member's size in decimal
    /// digits.
    const HEADER: usize = 60;
    let Some(mut rest) = bytes.strip_prefix(ARCHIVE) else {
        return false;
    };
    while !rest.is_empty() {
        let Some((header, behind)) = rest.split_at_checked(HEADER) else {
            return false;
        };
        let digits = str::from_utf8(&header[48..58]).unwrap_or_default();
        let Ok(size) = digits.trim_end().parse::<usize>() else {
            return false;
        };
        // Members begin at even offsets. The last one can lack its padding.
        match behind.get(size..) {
            Some(behind) if size % 2 == 1 => rest = behind.get(1..).unwrap_or_default(),
            Some(behind) => rest = behind,
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn member(size: usize) -> Vec<u8> {
        let mut member = format!("{:<48}{size:<10}`\n", "name/").into_bytes();
        member.resize(60 + size + size % 2, b'\n');
        member
    }

    #[test]
    fn archive_must_end_with_a_member() {
        let archive = [ARCHIVE.to_vec(), member(3), member(4)].concat();
        assert!(is_whole(&archive));
        assert!(is_whole(
            &[ARCHIVE.to_vec(), member(3)[..63].to_vec()].concat()
        ));
        for length in 0..archive.len() {
            let at_an_end = [8, 8 + 63, 8 + 64].contains(&length);
            assert_eq!(is_whole(&archive[..length]), at_an_end, "{length}");
        }
        assert!(!is_whole(b"!<thin>\n"));
        for size in 0..10 {
            let archive = [ARCHIVE.to_vec(), member(size), member(4)].concat();
            assert!(is_whole(&archive), "{size}");
        }
    }

    #[cfg(feature = "nvrtc")]
    #[test]
    fn nvrtc_folder_is_found() {
        let library = crate::program::nvrtc_library().unwrap();
        let folder = nvrtc_folder().unwrap();
        assert_eq!(library.parent(), Some(&*folder));
        assert!(folder.is_dir(), "{}", folder.display());
    }

    #[test]
    fn library_of_windows_is_searched_beside_nvrtc_and_in_toolkits() {
        let set = |name: &str| (name == "CUDA_PATH").then(|| "toolkit".into());
        for (nvrtc, found) in [
            ("nvidia/cu13/bin/x86_64", "nvidia/cu13/lib/x64"),
            ("nvidia/cuda_nvrtc/bin", "nvidia/cuda_runtime/lib/x64"),
            ("elsewhere/bin", "toolkit/lib/x64"),
        ] {
            let all = windows_folders(set, Some(nvrtc.into()));
            assert!(
                all.iter().any(|folder| folder == Path::new(found)),
                "{all:?}"
            );
        }
    }

    #[test]
    fn searched_folders_are_reported() {
        let folder = env::temp_dir().join(format!("cuda-safe-devrt-{}", std::process::id()));
        let home = folder.join("home");
        let set = |name: &str| (name == "CUDA_HOME").then(|| home.clone().into_os_string());
        let nvrtc = folder.join("nvidia/cuda_nvrtc/lib");
        let all = folders(set, Some(nvrtc.clone()));
        let neighbour = folder.join("nvidia/cuda_runtime/lib");
        assert_eq!(all[..3], [nvrtc, neighbour.clone(), home.join("lib64")]);

        let own = &all[1..2];
        let fails_with = |expected: &str| {
            let error = read_first(own).unwrap_err();
            assert_eq!(*error.kind(), ErrorKind::NotFound);
            assert!(error.detail().contains(expected), "{error}");
        };
        fails_with("cuda_runtime/lib");
        let error = read_first(own).unwrap_err();
        assert!(!error.detail().contains("cannot read"), "{error}");
        fs::create_dir_all(neighbour.join(FILE)).unwrap();
        fails_with("cannot read");
        fs::remove_dir(neighbour.join(FILE)).unwrap();
        fs::write(neighbour.join(FILE), "!<arch>\nx").unwrap();
        fails_with("is damaged");
        fs::write(neighbour.join(FILE), [ARCHIVE.to_vec(), member(2)].concat()).unwrap();
        assert_eq!(read_first(own).unwrap().0, neighbour.join(FILE));
        fs::remove_dir_all(&folder).unwrap();
    }
}
