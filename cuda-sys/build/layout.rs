//! The directory layouts of CUDA toolkits, as a table with one row for each installation method.

use std::path::{Path, PathBuf};

/// The target's operating system and processor, with cargo's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target<'a> {
    pub os: &'a str,
    pub arch: &'a str,
}

/// The directories of one installation method, relative to the installation's base directory.
pub struct Layout {
    pub name: &'static str,
    os: &'static str,
    /// Empty for any processor.
    arch: &'static str,
    pub include: &'static [&'static str],
    pub lib: &'static [&'static str],
}

const CU12_INCLUDE: &[&str] = &[
    "nvidia/cuda_runtime/include",
    "nvidia/cuda_nvrtc/include",
    "nvidia/cuda_cccl/include",
    "nvidia/cuda_nvcc/include",
    "nvidia/cuda_profiler_api/include",
];

/// The rows for a toolkit that was installed as one directory, followed by those for pip.
pub const LAYOUTS: &[Layout] = &[
    Layout {
        name: "toolkit for x86-64",
        os: "linux",
        arch: "x86_64",
        include: &[
            "targets/x86_64-linux/include",
            "targets/x86_64-linux/include/cccl",
        ],
        lib: &["targets/x86_64-linux/lib"],
    },
    Layout {
        name: "toolkit for Arm servers (sbsa)",
        os: "linux",
        arch: "aarch64",
        include: &[
            "targets/sbsa-linux/include",
            "targets/sbsa-linux/include/cccl",
        ],
        lib: &["targets/sbsa-linux/lib"],
    },
    Layout {
        name: "toolkit for Jetson",
        os: "linux",
        arch: "aarch64",
        include: &[
            "targets/aarch64-linux/include",
            "targets/aarch64-linux/include/cccl",
        ],
        lib: &["targets/aarch64-linux/lib"],
    },
    Layout {
        name: "toolkit",
        os: "linux",
        arch: "",
        include: &["include", "include/cccl"],
        lib: &["lib64", "lib"],
    },
    Layout {
        name: "toolkit for Windows",
        os: "windows",
        arch: "x86_64",
        include: &["include", "include/cccl"],
        lib: &["bin/x64", "bin"],
    },
    Layout {
        name: "pip, CUDA 13",
        os: "linux",
        arch: "",
        include: &["nvidia/cu13/include", "nvidia/cu13/include/cccl"],
        lib: &["nvidia/cu13/lib"],
    },
    Layout {
        name: "pip, CUDA 12",
        os: "linux",
        arch: "",
        include: CU12_INCLUDE,
        lib: &["nvidia/cuda_nvrtc/lib"],
    },
    Layout {
        name: "pip for Windows, CUDA 13",
        os: "windows",
        arch: "x86_64",
        include: &["nvidia/cu13/include", "nvidia/cu13/include/cccl"],
        lib: &["nvidia/cu13/bin/x86_64"],
    },
    Layout {
        name: "pip for Windows, CUDA 12",
        os: "windows",
        arch: "x86_64",
        include: CU12_INCLUDE,
        lib: &["nvidia/cuda_nvrtc/bin"],
    },
];

/// The packages of Debian and Ubuntu, below `/usr`.
pub const DEBIAN: &[Layout] = &[
    Layout {
        name: "Debian's packages",
        os: "linux",
        arch: "x86_64",
        include: &["include"],
        lib: &["lib/x86_64-linux-gnu"],
    },
    Layout {
        name: "Debian's packages",
        os: "linux",
        arch: "aarch64",
        include: &["include"],
        lib: &["lib/aarch64-linux-gnu"],
    },
];

/// For `CUDA_INC_DIR`, which names the headers' directory itself.
pub const HEADERS_ONLY: &[Layout] = &[
    Layout {
        name: "headers",
        os: "linux",
        arch: "",
        include: &[".", "cccl"],
        lib: &["../lib64", "../lib"],
    },
    Layout {
        name: "headers",
        os: "windows",
        arch: "x86_64",
        include: &[".", "cccl"],
        lib: &["../bin/x64", "../bin"],
    },
];

impl Layout {
    pub fn is_for(&self, target: Target) -> bool {
        self.os == target.os && (self.arch.is_empty() || self.arch == target.arch)
    }
}

impl Target<'_> {
    /// Returns the file of NVRTC in `dir`. On Linux, it has its link name if the toolkit has that, or
    /// its versioned name, as in pip's packages.
    pub fn nvrtc_library(&self, dir: &Path) -> Option<PathBuf> {
        let wanted = |name: &str| match self.os {
            "windows" => name.starts_with("nvrtc64_") && name.ends_with("_0.dll"),
            _ => {
                name == "libnvrtc.so"
                    || name
                        .strip_prefix("libnvrtc.so.")
                        .is_some_and(|v| !v.is_empty())
            }
        };
        let mut found: Vec<PathBuf> = std::fs::read_dir(dir)
            .ok()?
            .flatten()
            .filter(|entry| entry.file_name().to_str().is_some_and(wanted))
            .map(|entry| entry.path())
            .filter(|path| path.is_file())
            .collect();
        found.sort_by_key(|path| path.as_os_str().len());
        found.into_iter().next()
    }
}
