//! Tests the build script's search for a toolkit and a driver in directory trees.
//!
//! Not on Windows: the paths of the tests are those of Unix.
#![cfg(unix)]
#![allow(dead_code)]

#[path = "../build/driver.rs"]
mod driver;
#[path = "../build/layout.rs"]
mod layout;
#[path = "../build/locate.rs"]
mod locate;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use layout::Target;
use locate::{Machine, Toolkit};

const X86: Target = Target {
    os: "linux",
    arch: "x86_64",
};
const ARM: Target = Target {
    os: "linux",
    arch: "aarch64",
};
const WINDOWS: Target = Target {
    os: "windows",
    arch: "x86_64",
};

/// A machine whose files are below a temporary directory.
struct Fake {
    root: PathBuf,
    variables: BTreeMap<&'static str, OsString>,
    python: Vec<PathBuf>,
    target: Target<'static>,
}

impl Fake {
    fn new(name: &str, target: Target<'static>) -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("locate")
            .join(name);
        if root.exists() {
            fs::remove_dir_all(&root).expect("the directory of the last run can be removed");
        }
        fs::create_dir_all(root.join("repository")).expect("a directory");
        Self {
            root,
            variables: BTreeMap::new(),
            python: Vec::new(),
            target,
        }
    }

    fn file(&self, path: &str, text: &str) -> &Self {
        let file = self.root.join(path);
        fs::create_dir_all(file.parent().expect("a parent")).expect("a directory");
        fs::write(file, text).expect("a file");
        self
    }

    /// Creates a `cuda.h` of `version` in `directory`, with `nvrtc.h` next to it.
    fn headers(&self, directory: &str, version: u32) -> &Self {
        self.file(
            &format!("{directory}/cuda.h"),
            &format!("/* x */\n#define CUDA_VERSION {version}\n"),
        );
        self.file(&format!("{directory}/nvrtc.h"), "")
    }

    fn set(&mut self, name: &'static str, path: &str) -> &mut Self {
        self.variables.insert(name, self.root.join(path).into());
        self
    }

    fn ask<T>(&self, question: impl FnOnce(&Machine) -> T) -> T {
        question(&Machine {
            variable: &|name| self.variables.get(name).cloned(),
            root: &self.root,
            repository: &self.root.join("repository"),
            target: self.target,
            site_packages: &|| self.python.clone(),
        })
    }

    fn find(&self) -> Result<Toolkit, String> {
        self.ask(|machine| locate::toolkit(machine, true))
            .map_err(|none| none.reason)
    }

    fn found(&self) -> Toolkit {
        self.find().expect("there is a toolkit")
    }

    fn short(&self, path: &Path) -> String {
        path.strip_prefix(&self.root)
            .expect("below the root")
            .display()
            .to_string()
    }
}

fn nvrtc(fake: &Fake, toolkit: &Toolkit) -> String {
    fake.short(toolkit.nvrtc.as_deref().expect("NVRTC was requested"))
}

#[test]
fn variables_come_first_and_in_their_order() {
    let mut fake = Fake::new("order", X86);
    for (place, version) in [
        ("a", 13_010),
        ("b", 13_020),
        ("c", 12_040),
        ("usr/local/cuda", 12_000),
    ] {
        fake.headers(&format!("{place}/include"), version)
            .file(&format!("{place}/lib64/libnvrtc.so"), "");
    }
    fake.headers("repository/.cuda/nvidia/cu13/include", 13_000);
    fake.file("repository/.cuda/nvidia/cu13/lib/libnvrtc.so.13", "");
    assert_eq!(
        fake.found().version,
        13_000,
        "the repository's toolkit precedes the usual places"
    );
    fake.set("CUDA_ROOT", "c");
    assert_eq!(fake.found().version, 12_040);
    fake.set("CUDA_HOME", "b");
    assert_eq!(fake.found().version, 13_020);
    fake.set("CUDA_PATH", "a");
    let toolkit = fake.found();
    assert_eq!(
        (toolkit.version, toolkit.origin.as_str()),
        (13_010, "CUDA_PATH (toolkit)")
    );
    assert!(toolkit.ignored.is_empty());
}

#[test]
fn invalid_variables_are_reported_and_skipped() {
    let mut fake = Fake::new("nowhere", X86);
    fake.headers("opt/cuda/include", 12_090)
        .file("opt/cuda/lib64/libnvrtc.so", "");
    fake.set("CUDA_HOME", "gone");
    let toolkit = fake.found();
    assert_eq!(toolkit.version, 12_090);
    assert_eq!(toolkit.ignored.len(), 1);
    assert!(
        toolkit.ignored[0].starts_with("CUDA_HOME has no CUDA headers"),
        "{:?}",
        toolkit.ignored
    );
}

#[test]
fn header_directory_can_be_set() {
    let mut fake = Fake::new("inc-dir", X86);
    fake.headers("t/include", 12_040)
        .file("t/lib64/libnvrtc.so.12", "");
    fake.set("CUDA_INC_DIR", "t/include");
    let toolkit = fake.found();
    assert!(toolkit.include[0].join("cuda.h").is_file());
    assert!(
        toolkit
            .nvrtc
            .expect("NVRTC")
            .ends_with("lib64/libnvrtc.so.12")
    );
}

#[test]
fn nvcc_locates_its_toolkit_through_links() {
    let mut fake = Fake::new("nvcc", X86);
    fake.headers("opt/here/include", 13_020)
        .file("opt/here/lib64/libnvrtc.so", "")
        .file("opt/here/bin/nvcc", "");
    fs::create_dir_all(fake.root.join("bin")).expect("a directory");
    std::os::unix::fs::symlink("../opt/here/bin/nvcc", fake.root.join("bin/nvcc")).expect("a link");
    fake.set("PATH", "bin");
    let toolkit = fake.found();
    assert_eq!(
        (toolkit.version, toolkit.origin.as_str()),
        (13_020, "nvcc on PATH (toolkit)")
    );
}

#[test]
fn debian_packages_are_found() {
    for (name, target, lib) in [
        ("debian", X86, "x86_64-linux-gnu"),
        ("debian-arm", ARM, "aarch64-linux-gnu"),
    ] {
        let fake = Fake::new(name, target);
        fake.headers("usr/include", 12_000)
            .file(&format!("usr/lib/{lib}/libnvrtc.so"), "");
        let toolkit = fake.found();
        assert_eq!(nvrtc(&fake, &toolkit), format!("usr/lib/{lib}/libnvrtc.so"));
    }
}

#[test]
fn arm_servers_and_jetson_are_found() {
    for (name, directory) in [("sbsa", "sbsa-linux"), ("jetson", "aarch64-linux")] {
        let fake = Fake::new(name, ARM);
        let base = format!("usr/local/cuda/targets/{directory}");
        fake.headers(&format!("{base}/include"), 13_000)
            .file(&format!("{base}/lib/libnvrtc.so"), "");
        fake.file(&format!("{base}/include/cccl/cuda/std/atomic"), "");
        let toolkit = fake.found();
        assert_eq!(fake.short(&toolkit.include[0]), format!("{base}/include"));
        assert_eq!(
            fake.short(&toolkit.include[1]),
            format!("{base}/include/cccl")
        );
        assert_eq!(nvrtc(&fake, &toolkit), format!("{base}/lib/libnvrtc.so"));
    }
}

#[test]
fn cross_toolkits_match_only_their_processor() {
    let fake = Fake::new("cross", X86);
    let base = "usr/local/cuda/targets/sbsa-linux";
    fake.headers(&format!("{base}/include"), 13_000)
        .file(&format!("{base}/lib/libnvrtc.so"), "");
    assert!(fake.find().is_err());
}

#[test]
fn windows_has_nvrtc_beside_its_programs() {
    let mut fake = Fake::new("windows", WINDOWS);
    fake.headers("CUDA/v13.0/include", 13_000)
        .file("CUDA/v13.0/bin/x64/nvrtc-builtins64_130.dll", "")
        .file("CUDA/v13.0/bin/x64/nvrtc64_130_0.alt.dll", "")
        .file("CUDA/v13.0/bin/x64/nvrtc64_130_0.dll", "");
    fake.set("CUDA_PATH", "CUDA/v13.0");
    let toolkit = fake.found();
    assert_eq!(
        nvrtc(&fake, &toolkit),
        "CUDA/v13.0/bin/x64/nvrtc64_130_0.dll"
    );
    assert_eq!(fake.ask(driver::installed), None);
    fake.set("SystemRoot", "Windows")
        .file("Windows/System32/nvcuda.dll", "");
    assert!(fake.ask(driver::installed).is_some());
}

#[test]
fn pip_packages_of_12_and_13_are_found() {
    let mut fake = Fake::new("pip", X86);
    fake.python = vec![fake.root.join("site")];
    fake.file(
        "site/nvidia/cuda_runtime/include/cuda.h",
        "#define CUDA_VERSION 12040\n",
    );
    fake.file("site/nvidia/cuda_nvrtc/include/nvrtc.h", "");
    fake.file("site/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "");
    fake.file("site/nvidia/cuda_cccl/include/cuda/std/atomic", "");
    let toolkit = fake.found();
    assert_eq!(
        (toolkit.version, toolkit.origin.as_str()),
        (12_040, "Python's packages (pip, CUDA 12)")
    );
    let include: Vec<String> = toolkit.include.iter().map(|dir| fake.short(dir)).collect();
    assert_eq!(
        include,
        [
            "site/nvidia/cuda_runtime/include",
            "site/nvidia/cuda_nvrtc/include",
            "site/nvidia/cuda_cccl/include"
        ]
    );
    fake.headers("site/nvidia/cu13/include", 13_000)
        .file("site/nvidia/cu13/lib/libnvrtc.so.13", "");
    // The alternative build of NVRTC in the same folder is never linked.
    fake.file("site/nvidia/cu13/lib/libnvrtc.alt.so.13", "");
    let toolkit = fake.found();
    assert_eq!(toolkit.version, 13_000);
    assert_eq!(
        nvrtc(&fake, &toolkit),
        "site/nvidia/cu13/lib/libnvrtc.so.13"
    );
}

#[test]
fn headers_without_nvrtc_use_a_later_nvrtc() {
    let mut fake = Fake::new("apart", X86);
    fake.file("h/include/cuda.h", "#define CUDA_VERSION 13000\n");
    fake.set("CUDA_PATH", "h");
    fake.headers("usr/local/cuda/include", 12_090)
        .file("usr/local/cuda/lib64/libnvrtc.so", "");
    let toolkit = fake.found();
    assert_eq!(toolkit.version, 13_000);
    assert_eq!(nvrtc(&fake, &toolkit), "usr/local/cuda/lib64/libnvrtc.so");
    assert!(
        toolkit
            .include
            .iter()
            .any(|dir| dir.join("nvrtc.h").is_file())
    );
    let without = fake
        .ask(|machine| locate::toolkit(machine, false))
        .expect("headers are enough");
    assert_eq!((without.version, without.nvrtc), (13_000, None));
}

#[test]
fn pip_nvrtc_needs_no_headers() {
    let mut fake = Fake::new("pip-nvrtc", X86);
    fake.python = vec![fake.root.join("site")];
    let library = "site/nvidia/cu13/lib/libnvrtc.so.13";
    // pip's package has NVRTC's own header, but not the driver's.
    fake.file(library, "")
        .file("site/nvidia/cu13/lib/libnvrtc-builtins.so.13.5", "")
        .file("site/nvidia/cu13/include/nvrtc.h", "");
    let none = fake
        .ask(|machine| locate::toolkit(machine, true))
        .expect_err("there is no cuda.h");
    let found = none.nvrtc.expect("the library");
    assert_eq!(fake.short(&found), library);
    assert!(
        none.reason
            .contains("site (Python's packages): NVRTC, but no cuda.h"),
        "{}",
        none.reason
    );
    assert!(none.ignored.is_empty());
    let none = fake
        .ask(|machine| locate::toolkit(machine, false))
        .expect_err("there is no cuda.h");
    assert_eq!(none.nvrtc, None, "it was not requested");
    // It is combined with headers of another place, but an NVRTC with its header has priority.
    fake.headers("opt/cuda/include", 13_000);
    assert_eq!(nvrtc(&fake, &fake.found()), library);
    assert_eq!(fake.found().without_nvrtc, None);
    fake.file("opt/cuda/lib64/libnvrtc.so.13", "");
    assert_eq!(nvrtc(&fake, &fake.found()), "opt/cuda/lib64/libnvrtc.so.13");
    // A runtime-only toolkit has no headers.
    fs::remove_dir_all(fake.root.join("opt/cuda/include")).expect("the directory exists");
    fs::remove_dir_all(fake.root.join("site")).expect("the directory exists");
    fake.set("CUDA_HOME", "opt/cuda");
    let none = fake
        .ask(|machine| locate::toolkit(machine, true))
        .expect_err("there is no cuda.h");
    let found = none.nvrtc.expect("the library");
    assert_eq!(fake.short(&found), "opt/cuda/lib64/libnvrtc.so.13");
    assert_eq!(none.ignored.len(), 1, "{:?}", none.ignored);
}

#[test]
fn error_lists_every_place_and_the_fix() {
    let mut fake = Fake::new("nothing", X86);
    fake.headers("old/include", 11_080);
    fake.set("CUDA_PATH", "old").set("CUDA_HOME", "gone");
    let message = fake.find().expect_err("there is nothing usable");
    for part in [
        "cannot find the CUDA headers (cuda.h, 12.0 or newer)",
        "old (CUDA_PATH): CUDA 11.8: 12.0 is the oldest supported version",
        "gone (CUDA_HOME): no cuda.h",
        "CUDA_ROOT: not set",
        "CUDA_INC_DIR: not set",
        "repository/.cuda (make setup): no cuda.h",
        "PATH: no nvcc",
        "usr/local/cuda (usual place)",
        "opt/cuda (usual place)",
        "usr (Debian's packages)",
        "Python's packages: no Python",
        "Fix: set CUDA_PATH to the folder of a toolkit that has include/cuda.h, or run: python3 -m pip install",
    ] {
        assert!(message.contains(part), "no {part:?} in:\n{message}");
    }
    fake.file("repository/Makefile", "")
        .file("repository/scripts/setup.py", "");
    let message = fake.find().expect_err("there is nothing usable");
    let command = format!(
        "include/cuda.h, or run: make -C {} setup",
        fake.root.join("repository").display()
    );
    assert!(message.ends_with(&command), "{message}");
}

#[test]
fn missing_nvrtc_has_its_own_message() {
    let fake = Fake::new("no-nvrtc", X86);
    fake.file("opt/cuda/include/cuda.h", "#define CUDA_VERSION 12040\n");
    let toolkit = fake.found();
    assert_eq!((toolkit.version, &toolkit.nvrtc), (12_040, &None));
    let message = toolkit.without_nvrtc.expect("NVRTC is missing");
    assert!(message.contains("cannot find NVRTC"), "{message}");
    assert!(
        message
            .contains("that has the library, or run: python3 -m pip install nvidia-cuda-nvrtc\n"),
        "{message}"
    );
    assert!(message.contains("CUDA 12.4, but no NVRTC"), "{message}");
    assert!(message.contains("without its feature `nvrtc`"), "{message}");
    let without = fake
        .ask(|machine| locate::toolkit(machine, false))
        .expect("headers are enough");
    assert_eq!(without.without_nvrtc, None);
}

#[test]
fn driver_is_found_on_the_loader_path() {
    let places = [
        "usr/lib/x86_64-linux-gnu",
        "usr/lib64",
        "usr/lib/wsl/lib",
        "opt/driver",
    ];
    for (i, place) in places.into_iter().enumerate() {
        let fake = Fake::new(&format!("driver-{i}"), X86);
        fake.file("etc/ld.so.conf", "include /etc/ld.so.conf.d/*.conf\n");
        fake.file("etc/ld.so.conf.d/x.conf", "# here\n/opt/driver\n")
            .file("etc/ld.so.conf.d/x.txt", "/opt/other\n");
        fake.file("opt/other/libcuda.so.1", "");
        assert_eq!(fake.ask(driver::installed), None);
        fake.file(&format!("{place}/libcuda.so.1"), "");
        let found = fake.ask(driver::installed).expect("a driver");
        assert_eq!(fake.short(&found), format!("{place}/libcuda.so.1"));
    }
}

#[test]
fn stubs_and_emulators_are_not_drivers() {
    let mut fake = Fake::new("no-driver", X86);
    fake.file("t/lib64/stubs/libcuda.so.1", "")
        .file("e/libcuda_emulator.so", "");
    std::os::unix::fs::symlink("libcuda_emulator.so", fake.root.join("e/libcuda.so.1"))
        .expect("a link");
    let path = std::env::join_paths([fake.root.join("t/lib64/stubs"), fake.root.join("e")])
        .expect("a list");
    fake.variables.insert("LD_LIBRARY_PATH", path);
    assert_eq!(fake.ask(driver::installed), None);
}
