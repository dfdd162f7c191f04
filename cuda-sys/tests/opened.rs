//! Tests of the feature `dynamic-loading` with small libraries that are built here instead of the
//! real ones.
//!
//! `cargo test -p cuda-direct-sys --features dynamic-loading --test opened`
//!
//! Each case runs in its own child process of this program, because a library is searched only once
//! per process.
#![cfg(target_os = "linux")]

use std::env;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr;

use cuda_sys::{
    CUresult, cuCtxSynchronize, cuDriverGetVersion, cuInit, cuMemAlloc_v2, loading,
    nvrtcGetErrorString, nvrtcResult, nvrtcVersion, versioned,
};

const CHILD: &str = "CUDA_SYS_TEST_LOADING";

/// A driver with few functions.
const DRIVER: &str = "int cuInit(unsigned f) { return f ? 1 : 0; }\n\
                      int cuDriverGetVersion(int *v) { *v = VERSION; return 0; }\n\
                      int cuMemcpy_ptds(unsigned long long a, unsigned long long b, unsigned long n) { return a + b + n; }\n";
const NVRTC: &str = "int nvrtcVersion(int *a, int *b) { *a = 12; *b = 34; return 0; }\n";

/// Builds `folder/name` from `source` in a temporary folder.
fn library(folder: &str, name: &str, source: &str, options: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("loading")
        .join(folder);
    fs::create_dir_all(&folder).expect("a directory");
    let (file, text) = (folder.join(name), folder.join("source.c"));
    fs::write(&text, source).expect("a file");
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".into());
    let done = Command::new(compiler)
        .args(["-shared", "-fPIC", "-o"])
        .args([&file, &text])
        .args(options)
        .status()
        .expect("there is a C compiler");
    assert!(done.success());
    file
}

/// Runs only `body` in a child process of this program, with these variables set.
fn in_child(test: &str, variables: &[(&str, &Path)], body: fn()) {
    if let Ok(wanted) = env::var(CHILD) {
        if wanted == test {
            body();
            println!("child done");
        }
        return;
    }
    let output = Command::new(env::current_exe().expect("this program's file"))
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env_remove("LD_LIBRARY_PATH")
        .env(CHILD, test)
        .envs(variables.iter().copied())
        .output()
        .expect("this program runs");
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    let done = output.status.success() && text.contains("child done");
    assert!(done, "{}:\n{text}", output.status);
}

fn version() -> (CUresult, c_int) {
    let mut version = -1;
    // SAFETY: valid for the write.
    let code = unsafe { cuDriverGetVersion(&mut version) };
    (code, version)
}

fn text(code: nvrtcResult) -> &'static str {
    // SAFETY: there are no pointer arguments, and the returned text is static.
    unsafe { CStr::from_ptr(nvrtcGetErrorString(code)) }
        .to_str()
        .expect("in ASCII")
}

#[test]
fn missing_libraries_return_codes_and_write_nothing() {
    let nowhere = Path::new("/nowhere/library.so");
    in_child(
        "missing_libraries_return_codes_and_write_nothing",
        &[
            ("CUDA_SYS_LIBCUDA", nowhere),
            ("CUDA_SYS_LIBNVRTC", nowhere),
        ],
        || {
            // SAFETY: no function can be called, and the pointers would be valid for the real ones.
            unsafe {
                assert_eq!(cuInit(0), CUresult::CUDA_ERROR_NO_DEVICE);
                assert_eq!(cuInit(0), CUresult::CUDA_ERROR_NO_DEVICE, "again");
                let mut address = 7;
                assert_eq!(
                    cuMemAlloc_v2(&mut address, 1),
                    CUresult::CUDA_ERROR_NO_DEVICE
                );
                assert_eq!(address, 7);
                assert_eq!(
                    versioned::cuMemcpy_ptds(0, 0, 0),
                    CUresult::CUDA_ERROR_NO_DEVICE
                );
                let (mut major, mut minor) = (7, 7);
                let code = nvrtcVersion(&mut major, &mut minor);
                assert_eq!(code, nvrtcResult::NVRTC_ERROR_INTERNAL_ERROR);
                assert_eq!((major, minor), (7, 7));
            }
            assert_eq!(version(), (CUresult::CUDA_ERROR_NO_DEVICE, -1));
            assert!(loading::nvrtc_address().is_null());
            let driver = loading::driver().expect_err("there is none").to_string();
            assert_eq!(
                driver,
                "NVIDIA's driver was not found: looked for /nowhere/library.so (CUDA_SYS_LIBCUDA). The loader says: \
                 /nowhere/library.so: cannot open shared object file: No such file or directory. Fix: correct \
                 CUDA_SYS_LIBCUDA, or unset it and install the NVIDIA driver. Without a GPU, use the emulator: make \
                 cuda-emulator an optional dependency with a feature, write `use cuda_emulator as _;`, and start `cargo run \
                 --features emulator`. Or set CUDA_SYS_LIBCUDA to the absolute path of libcuda_emulator.so, which cargo puts \
                 in `debug/deps` of its target folder"
            );
            let nvrtc = loading::nvrtc().expect_err("there is none").to_string();
            for part in [
                "NVRTC was not found: looked for /nowhere/library.so (CUDA_SYS_LIBNVRTC). ",
                "`pip install nvidia-cuda-nvrtc`",
                "`conda install -c conda-forge cuda-nvrtc`",
                "`apt install cuda-nvrtc-13-0`",
            ] {
                assert!(nvrtc.contains(part), "no {part:?} in {nvrtc}");
            }
            // Codes of raw calls print the same reason, but only codes that mean it.
            assert_eq!(text(nvrtcResult::NVRTC_SUCCESS), nvrtc);
            assert_eq!(
                nvrtcResult::NVRTC_ERROR_INTERNAL_ERROR.to_string(),
                format!("NVRTC_ERROR_INTERNAL_ERROR (11): {nvrtc}")
            );
            assert_eq!(
                CUresult::CUDA_ERROR_NO_DEVICE.to_string(),
                format!("CUDA_ERROR_NO_DEVICE (100): {driver}")
            );
            let other = nvrtcResult::NVRTC_ERROR_INVALID_INPUT.to_string();
            assert!(!other.contains("not found"), "{other}");
        },
    );
}

#[test]
fn calls_reach_available_libraries() {
    let driver = library("with", "libcuda.so.1", DRIVER, &["-DVERSION=1"]);
    let own = format!("libnvrtc.so.{}", cuda_sys::CUDA_VERSION / 1000);
    library("with", &own, NVRTC, &[]);
    let folder = driver.parent().expect("a folder");
    in_child(
        "calls_reach_available_libraries",
        &[("LD_LIBRARY_PATH", folder)],
        || {
            // SAFETY: the arguments are valid for the small libraries.
            unsafe {
                assert_eq!(cuInit(0), CUresult::CUDA_SUCCESS);
                assert_eq!(cuInit(3), CUresult::CUDA_ERROR_INVALID_VALUE);
                // Functions with other exported names, and with several arguments.
                assert_eq!(
                    versioned::cuMemcpy_ptds(30, 3, 1),
                    CUresult::CUDA_ERROR_STUB_LIBRARY
                );
                // A driver that is too old.
                assert_eq!(cuCtxSynchronize(), CUresult::CUDA_ERROR_NOT_SUPPORTED);
                let (mut major, mut minor) = (0, 0);
                let code = nvrtcVersion(&mut major, &mut minor);
                assert_eq!((code, major, minor), (nvrtcResult::NVRTC_SUCCESS, 12, 34));
                let code = cuda_sys::nvrtcGetNumSupportedArchs(&mut major);
                assert_eq!((code, major), (nvrtcResult::NVRTC_ERROR_INTERNAL_ERROR, 12));
            }
            assert_eq!(version(), (CUresult::CUDA_SUCCESS, 1));
            assert_eq!(
                text(nvrtcResult::NVRTC_SUCCESS),
                "the loaded libnvrtc lacks a function"
            );
            assert!(loading::driver().is_ok() && loading::nvrtc().is_ok());
            let code = nvrtcResult::NVRTC_ERROR_INTERNAL_ERROR.to_string();
            assert!(!code.contains("not found"), "{code}");
            let address = loading::nvrtc_address();
            assert!(!address.is_null() && address != nvrtcVersion as *const c_void);
        },
    );
}

#[test]
fn named_driver_precedes_loaded_and_installed_ones() {
    let preloaded = library("preloaded", "libother.so", DRIVER, &["-DVERSION=2"]);
    let found = library("found", "libcuda.so.1", DRIVER, &["-DVERSION=3"]);
    let named = library("named", "libany.so", DRIVER, &["-DVERSION=4"]);
    let folder = found.parent().expect("a folder");
    let all: [(&str, &Path); 3] = [
        ("LD_LIBRARY_PATH", folder),
        ("LD_PRELOAD", &preloaded),
        ("CUDA_SYS_LIBCUDA", &named),
    ];
    let test = "named_driver_precedes_loaded_and_installed_ones";
    for (number, expected) in [(1, "3"), (2, "2"), (3, "4")] {
        let mut variables = all[..number].to_vec();
        variables.push(("CUDA_SYS_TEST_EXPECTED", Path::new(expected)));
        in_child(test, &variables, || {
            let expected = env::var("CUDA_SYS_TEST_EXPECTED").expect("the parent sets it");
            assert_eq!(version().1.to_string(), expected);
        });
    }
}

extern "C" fn init(_: u32) -> CUresult {
    CUresult::CUDA_ERROR_SYSTEM_NOT_READY
}

fn look_up(name: &CStr) -> *mut c_void {
    if name == c"cuInit" {
        init as *mut c_void
    } else {
        ptr::null_mut()
    }
}

#[test]
fn provided_driver_is_used() {
    let found = library("beside", "libcuda.so.1", DRIVER, &["-DVERSION=3"]);
    let folder = found.parent().expect("a folder");
    let test = "provided_driver_is_used";
    in_child(test, &[("LD_LIBRARY_PATH", folder)], || {
        // SAFETY: `init` has the signature of `cuInit`.
        unsafe {
            assert!(loading::provide_driver(look_up));
            assert!(!loading::provide_driver(look_up), "there is one already");
            assert_eq!(cuInit(0), CUresult::CUDA_ERROR_SYSTEM_NOT_READY);
        }
        assert_eq!(version(), (CUresult::CUDA_ERROR_NOT_SUPPORTED, -1));
    });
}

#[test]
fn named_driver_precedes_a_provided_one() {
    let named = library("before", "libany.so", DRIVER, &["-DVERSION=4"]);
    let test = "named_driver_precedes_a_provided_one";
    in_child(test, &[("CUDA_SYS_LIBCUDA", &named)], || {
        // SAFETY: `init` has the signature of `cuInit`.
        assert!(!unsafe { loading::provide_driver(look_up) });
        assert_eq!(version(), (CUresult::CUDA_SUCCESS, 4));
    });
}

#[test]
fn late_provided_driver_has_no_effect() {
    let found = library("late", "libcuda.so.1", DRIVER, &["-DVERSION=5"]);
    let folder = found.parent().expect("a folder");
    let test = "late_provided_driver_has_no_effect";
    in_child(test, &[("LD_LIBRARY_PATH", folder)], || {
        assert_eq!(version(), (CUresult::CUDA_SUCCESS, 5));
        // SAFETY: `init` has the signature of `cuInit`.
        unsafe {
            assert!(!loading::provide_driver(look_up));
            assert_eq!(cuInit(0), CUresult::CUDA_SUCCESS);
        }
    });
}

#[test]
fn load_errors_give_the_reason() {
    let other = library("other", "libcuda.so.1", "int other;\n", &[]);
    let test = "load_errors_give_the_reason";
    in_child(test, &[("CUDA_SYS_LIBCUDA", &other)], || {
        let missing = loading::driver().expect_err("it is none").to_string();
        assert!(
            missing.contains("libcuda.so.1: it has no cuInit"),
            "{missing}"
        );
    });
}

#[test]
fn load_errors_list_every_place() {
    // The loader finds this file first and rejects it, so installed libraries are not found.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("loading/broken");
    fs::create_dir_all(&folder).expect("a directory");
    let names = [
        "libcuda.so.1",
        "libnvrtc.so.13",
        "libnvrtc.so.12",
        "libnvrtc.so",
    ];
    for name in names {
        fs::write(
            folder.join(name),
            "this is no library at all: only some text, longer than a header",
        )
        .expect("a file");
    }
    let variables: [(&str, &Path); 2] = [("LD_LIBRARY_PATH", &folder), ("CUDA_HOME", &folder)];
    in_child("load_errors_list_every_place", &variables, || {
        let Err(missing) = loading::driver() else {
            // A driver is only found if it is in a folder of WSL, Jetson or NixOS, which come after
            // the broken file.
            let beyond = ["/usr/lib/wsl/lib", "/run/opengl-driver/lib"];
            assert!(beyond.iter().any(|dir| Path::new(dir).exists()));
            return;
        };
        let missing = missing.to_string();
        for part in [
            "NVIDIA's driver was not found: looked for libcuda.so.1 in the loader's search path, the folders of WSL, Jetson \
             and NixOS. The loader says: ",
            "broken/libcuda.so.1: ",
            "If it is installed elsewhere, set CUDA_SYS_LIBCUDA to its file",
        ] {
            assert!(missing.contains(part), "no {part:?} in {missing}");
        }
    });
}

/// NVRTC's `nvrtcCompileProgram`, which opens the builtins by their bare name, as NVIDIA's does.
const COMPILER: &str = "#include <dlfcn.h>\n\
     int nvrtcVersion(int *a, int *b) { *a = 12; *b = 34; return 0; }\n\
     int nvrtcCompileProgram(void *p, int n, const char **o) {\n\
         return dlopen(\"libnvrtc-builtins.so.12.34\", RTLD_NOW) ? 0 : 7;\n\
     }\n";

#[test]
fn compiler_finds_its_second_library_in_its_own_folder() {
    let test = "compiler_finds_its_second_library_in_its_own_folder";
    for (folder, expected) in [("without", "7"), ("complete", "0")] {
        let file = library(folder, "libany.so", COMPILER, &[]);
        if expected == "0" {
            let name = "libnvrtc-builtins.so.12.34";
            library(
                folder,
                name,
                "int nothing;\n",
                &["-Wl,-soname,libnvrtc-builtins.so.12.34"],
            );
        }
        let variables = [
            ("CUDA_SYS_LIBNVRTC", &*file),
            ("CUDA_SYS_TEST_EXPECTED", Path::new(expected)),
        ];
        in_child(test, &variables, || {
            // SAFETY: the small library ignores its arguments.
            let code = unsafe { cuda_sys::nvrtcCompileProgram(ptr::null_mut(), 0, ptr::null()) };
            let expected = env::var("CUDA_SYS_TEST_EXPECTED").expect("the parent sets it");
            assert_eq!(code.0.to_string(), expected);
        });
    }
}

/// Returns the libraries that a program's dynamic section requires.
fn needed(program: &[u8]) -> Vec<String> {
    let number = |at: usize, size: usize| {
        let mut bytes = [0; 8];
        bytes[..size].copy_from_slice(&program[at..at + size]);
        usize::try_from(u64::from_le_bytes(bytes)).expect("an offset")
    };
    let (table, size, count) = (number(0x28, 8), number(0x3a, 2), number(0x3c, 2));
    let section = |index: usize| table + index * size;
    let dynamic = (0..count)
        .map(section)
        .find(|&at| number(at + 4, 4) == 6)
        .expect("a dynamic section");
    let (start, length) = (number(dynamic + 0x18, 8), number(dynamic + 0x20, 8));
    let names = number(section(number(dynamic + 0x28, 4)) + 0x18, 8);
    (start..start + length)
        .step_by(16)
        .filter(|&at| number(at, 8) == 1)
        .map(|at| {
            let name = &program[names + number(at + 8, 8)..];
            let name = CStr::from_bytes_until_nul(name).expect("a name");
            name.to_string_lossy().into_owned()
        })
        .collect()
}

#[test]
fn program_neither_links_nor_exports_the_libraries() {
    let program =
        fs::read(env::current_exe().expect("this program's file")).expect("it can be read");
    let needed = needed(&program);
    assert!(
        needed.iter().any(|name| name.starts_with("libc.so")),
        "{needed:?}"
    );
    assert!(
        !needed
            .iter()
            .any(|name| name.contains("cuda") || name.contains("nvrtc")),
        "{needed:?}"
    );
    unsafe extern "C" {
        fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    }
    for name in [c"cuInit", c"nvrtcVersion", c"cuMemcpy_ptds"] {
        // SAFETY: null means all libraries of the process.
        assert!(unsafe { dlsym(ptr::null_mut(), name.as_ptr()) }.is_null());
    }
}

#[test]
fn every_declared_function_is_defined() {
    let names = |text: &'static str, before: &str| -> Vec<&'static str> {
        text.match_indices(before)
            .filter_map(|(at, _)| text[at + before.len()..].split('(').next())
            .collect()
    };
    for (declared, defined) in [
        (
            include_str!(concat!(env!("OUT_DIR"), "/bindings.rs")),
            include_str!(concat!(env!("OUT_DIR"), "/loading.rs")),
        ),
        (
            include_str!(concat!(env!("OUT_DIR"), "/versioned.rs")),
            include_str!(concat!(env!("OUT_DIR"), "/loading_versioned.rs")),
        ),
    ] {
        let declared = names(declared, "\n    pub fn ");
        let declared: Vec<_> = declared
            .into_iter()
            .filter(|name| name.starts_with("cu") || name.starts_with("nvrtc"))
            .collect();
        assert!(declared.len() > 90, "{}", declared.len());
        assert_eq!(declared, names(defined, "pub unsafe extern \"C\" fn "));
        assert!(!defined.contains("unsafe extern \"C\" {"));
    }
}
