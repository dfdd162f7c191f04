//! Where to look for the libraries.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::vec::Vec;

#[path = "folders.rs"]
mod folders;

/// The driver's library: by its name, and in folders where the loader does not look.
pub(super) fn of_driver() -> Vec<OsString> {
    if cfg!(windows) {
        return Vec::from(["nvcuda.dll".into()]);
    }
    let name = "libcuda.so.1";
    let of_processor = Path::new("usr/lib").join(triple());
    let folders = folders::EVERYWHERE.iter().map(PathBuf::from).chain(
        folders::BY_PROCESSOR
            .iter()
            .map(|dir| of_processor.join(dir)),
    );
    let beyond = folders.map(|dir| Path::new("/").join(dir).join(name).into_os_string());
    [name.into()].into_iter().chain(beyond).collect()
}

/// Debian's name for the processor, by which it sorts libraries.
fn triple() -> std::string::String {
    std::format!("{}-linux-gnu", std::env::consts::ARCH)
}

/// NVRTC's library: by its names, then in the toolkits that `variable` and the usual places name.
#[cfg(feature = "nvrtc")]
pub(super) fn of_nvrtc(variable: impl Fn(&str) -> Option<OsString>) -> Vec<OsString> {
    let names = nvrtc_names(crate::CUDA_VERSION / 1000);
    let below: &[&str] = if cfg!(windows) {
        &["bin/x64", "bin"]
    } else {
        &["lib64", "lib"]
    };
    let set = ["CUDA_PATH", "CUDA_HOME", "CUDA_ROOT"]
        .into_iter()
        .filter_map(variable)
        .filter(|home| !home.is_empty())
        .map(PathBuf::from);
    let usual: &[&str] = if cfg!(windows) {
        &[]
    } else {
        &["/usr/local/cuda", "/opt/cuda"]
    };
    let folders = set
        .chain(usual.iter().map(PathBuf::from))
        .flat_map(|home| below.iter().map(move |dir| home.join(dir)))
        .chain(crate::NVRTC_LIB_DIR.map(PathBuf::from));
    let files = folders.flat_map(|folder| {
        let files: Vec<OsString> = names.iter().map(|name| folder.join(name).into()).collect();
        files
    });
    names.iter().map(OsString::from).chain(files).collect()
}

/// The header's own version first. A library of another version at most lacks some functions.
#[cfg(feature = "nvrtc")]
fn nvrtc_names(own: u32) -> Vec<std::string::String> {
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
