//! Runs the build script without headers, libclang, NVRTC or a C compiler. It must use the carried
//! bindings or end with one message, but never panic. (`locate.rs` tests the message for a missing
//! toolkit, because a real machine's toolkit can't be hidden.)
//!
//! Not on Windows: the build script of a cross build is a program of the host.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Runs the build script with only the given variables, for a repository in a temporary directory.
fn run(name: &str, variables: &[(&str, &str)]) -> Output {
    let base = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("failures")
        .join(name);
    fs::create_dir_all(base.join("out")).expect("a directory");
    Command::new(env!("CUDA_SYS_BUILD_SCRIPT"))
        .env_clear()
        .current_dir(&base)
        .env("OUT_DIR", base.join("out"))
        .env("CARGO_MANIFEST_DIR", base.join("cuda-sys"))
        .envs([
            ("CARGO_CFG_TARGET_OS", "linux"),
            ("CARGO_CFG_TARGET_ARCH", "x86_64"),
        ])
        .envs([
            ("TARGET", "x86_64-unknown-linux-gnu"),
            ("HOST", "x86_64-unknown-linux-gnu"),
            ("PATH", "/nowhere"),
        ])
        .envs(variables.iter().copied())
        .output()
        .expect("the build script runs")
}

fn message(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(!text.contains("panicked"), "{text}");
    text
}

/// Creates a directory with a `cuda.h` that has this text.
fn toolkit(name: &str, header: &str) -> String {
    let base = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("failures")
        .join(name)
        .join("toolkit");
    fs::create_dir_all(base.join("include")).expect("a directory");
    fs::write(base.join("include/cuda.h"), header).expect("a file");
    base.to_str().expect("a path in UTF-8").to_owned()
}

/// Returns this machine's libclang, which a cleared environment would hide.
fn libclang() -> Vec<(&'static str, String)> {
    let given = option_env!("LIBCLANG_PATH").map(str::to_owned);
    let ours = concat!(env!("CARGO_MANIFEST_DIR"), "/../.cuda/clang/native");
    let found = given.or_else(|| Path::new(ours).is_dir().then(|| ours.to_owned()));
    found
        .into_iter()
        .map(|path| ("LIBCLANG_PATH", path))
        .collect()
}

/// A C compiler that does nothing.
const COMPILER: (&str, &str) = ("CC", "/bin/echo cc");

fn bound(name: &str) -> String {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("failures")
        .join(name)
        .join("out/bindings.rs");
    fs::read_to_string(file).expect("the build script has written bindings")
}

fn output_text(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{output:?}");
    text
}

#[test]
#[cfg_attr(not(feature = "bindgen"), ignore = "reads headers")]
fn missing_libclang_uses_carried_bindings_with_a_warning() {
    let home = toolkit(
        "no-libclang",
        "#define CUDA_VERSION 12000\nint cuInit(unsigned int);\n",
    );
    let variables = [
        ("CUDA_HOME", &*home),
        ("LIBCLANG_PATH", "/nowhere"),
        COMPILER,
    ];
    let output = run("no-libclang", &variables);
    let text = output_text(&output);
    let warning = text
        .lines()
        .find(|line| line.starts_with("cargo::warning="));
    if let Some(warning) = warning {
        assert!(
            warning.contains("libclang, which reads headers, can't be loaded")
                && warning.contains("uses its own bindings of CUDA 13.")
                && warning.contains("To bind the headers of CUDA_HOME (toolkit), run: ")
                && warning.ends_with("To silence this warning, set CUDA_SYS_BINDINGS=carried"),
            "{warning}"
        );
        let reason = String::from_utf8_lossy(&output.stderr);
        assert!(reason.contains("Looked at: LIBCLANG_PATH, "), "{reason}");
        assert!(bound("no-libclang").contains("pub fn cuLaunchKernel("));
        assert!(text.contains("cargo::metadata=VERSION=13"), "{text}");
    } else {
        // A libclang in the system's directories can't be hidden from bindgen.
        assert!(bound("no-libclang").contains("pub fn cuInit("));
        assert!(!bound("no-libclang").contains("pub fn cuLaunchKernel("));
    }
}

#[test]
fn missing_headers_warn_only_if_requested() {
    let without = [("CARGO_FEATURE_DYNAMIC_LOADING", "1")];
    let output = run("no-headers", &without);
    let text = output_text(&output);
    let facts = Path::new(env!("CARGO_TARGET_TMPDIR")).join("failures/no-headers/out/toolkit.rs");
    let facts = fs::read_to_string(facts).expect("the build script has written facts");
    // If a toolkit is in a default place, it can't be hidden and is bound.
    if facts.contains("bindings that cuda-sys carries") {
        assert!(!text.contains("cargo::warning"), "{text}");
        let reason = String::from_utf8_lossy(&output.stderr);
        assert!(
            reason.contains("no CUDA headers: cuda-sys uses its own bindings of CUDA 13.")
                && reason.contains("CUDA_PATH: not set"),
            "{reason}"
        );
        let text = output_text(&run("no-headers", &[("CUDA_HOME", "/nowhere"), without[0]]));
        assert!(
            text.contains(
                "cargo::warning=CUDA_HOME has no CUDA headers (/nowhere). Using bindings that cuda-sys carries \
                 instead\n"
            ),
            "{text}"
        );
    }
    let text = output_text(&run(
        "no-headers",
        &[
            ("CUDA_HOME", "/nowhere"),
            ("CUDA_SYS_BINDINGS", "carried"),
            without[0],
        ],
    ));
    assert!(!text.contains("has no CUDA headers"), "{text}");
}

#[test]
fn carried_bindings_can_be_requested() {
    let home = toolkit(
        "carried",
        "#define CUDA_VERSION 12000\nint cuInit(unsigned int);\n",
    );
    let variables = [
        ("CUDA_HOME", &*home),
        ("CUDA_SYS_BINDINGS", "carried"),
        ("CARGO_FEATURE_NVRTC", "1"),
        COMPILER,
    ];
    let text = output_text(&run("carried", &variables));
    let root = bound("carried");
    assert!(root.contains("pub fn cuLaunchKernel(") && root.contains("pub fn nvrtcVersion("));
    assert!(
        root.contains("\"Size of CUmemLocation_st\""),
        "layout tests stay"
    );
    // The toolkit has no NVRTC, so programs are linked to a stub with the version of the bindings.
    assert!(
        text.contains("rustc-link-lib=dylib=nvrtc-link-stub"),
        "{text}"
    );
    assert!(
        text.contains("cargo::warning=no NVRTC: cuda-sys links a stub of libnvrtc.so.13. "),
        "{text}"
    );
    let stub = Path::new(env!("CARGO_TARGET_TMPDIR")).join("failures/carried/out/stub");
    let nvrtc = fs::read_to_string(stub.join("nvrtc-link-stub.c")).expect("the stub's source");
    let cuda = fs::read_to_string(stub.join("cuda-link-stub.c")).expect("the stub's source");
    assert!(nvrtc.contains("void nvrtcVersion(void) {}") && !nvrtc.contains(" cu"));
    assert!(cuda.contains("void cuMemAlloc_v2(void) {}") && !cuda.contains("nvrtc"));
    let without: Vec<_> = variables
        .into_iter()
        .filter(|(name, _)| *name != "CARGO_FEATURE_NVRTC")
        .collect();
    let text = output_text(&run("carried-cuda", &without));
    assert!(
        !bound("carried-cuda").contains("nvrtc") && !text.contains("nvrtc"),
        "{text}"
    );
    let text = message(&run("carried", &[("CUDA_SYS_BINDINGS", "mine")]));
    assert!(
        text.contains("CUDA_SYS_BINDINGS=mine is not supported"),
        "{text}"
    );
}

/// On Windows, rustc makes the import libraries. macOS has no library to link to.
#[test]
fn other_systems_need_no_stub() {
    for (os, loading) in [("windows", false), ("macos", true)] {
        let variables = [
            ("CARGO_CFG_TARGET_OS", os),
            ("CUDA_SYS_BINDINGS", "carried"),
            ("CARGO_FEATURE_NVRTC", "1"),
            ("CC", "/nowhere/cc"),
        ];
        let text = output_text(&run(os, &variables));
        assert!(!text.contains("rustc-link-lib"), "{text}");
        let is_set = |line: &str| text.lines().any(|printed| printed == line);
        assert_eq!(is_set("cargo::rustc-cfg=dynamic_loading"), loading, "{os}");
        let declared = bound(os).contains("pub fn cuWGLGetDevice(");
        assert_eq!(declared, os == "windows", "{os}");
    }
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("failures/windows/out/imports.rs");
    let imports = fs::read_to_string(file).expect("the build script has written imports");
    for (library, function) in [("nvcuda", "cuInit"), ("nvrtc64_130_0", "nvrtcVersion")] {
        let (before, _) = imports
            .split_once(&format!("pub fn {function}("))
            .expect("a declaration");
        let (_, link) = before.rsplit_once("#[link").expect("an attribute");
        let expected = format!("(name = \"{library}\", kind = \"raw-dylib\")]");
        assert!(link.starts_with(&expected), "{function}: {link}");
    }
}

#[test]
fn dynamic_loading_needs_no_stub() {
    let home = toolkit("loading", "#define CUDA_VERSION 12000\n");
    let variables = [
        ("CUDA_HOME", &*home),
        ("CUDA_SYS_BINDINGS", "carried"),
        ("CARGO_FEATURE_NVRTC", "1"),
        ("CARGO_FEATURE_DYNAMIC_LOADING", "1"),
        ("CC", "/nowhere/cc"),
    ];
    let text = output_text(&run("loading", &variables));
    assert!(
        !text.contains("link-lib") && !text.contains("cargo::warning"),
        "{text}"
    );
    assert!(text.contains("cargo::metadata=DYNAMIC_LOADING=1"), "{text}");
}

#[test]
fn missing_c_compiler_is_reported() {
    let home = toolkit(
        "no-cc",
        "#define CUDA_VERSION 13000\nint cuInit(unsigned int);\n",
    );
    let clang = libclang();
    let mut variables = vec![("CUDA_HOME", home.as_str())];
    variables.extend(clang.iter().map(|(name, path)| (*name, path.as_str())));
    let text = message(&run("no-cc", &variables));
    assert!(
        text.contains("needs a C compiler to create a link-time stub: cc"),
        "{text}"
    );
}

#[test]
#[cfg(unix)]
fn compiler_may_have_arguments_or_spaces_in_its_path() {
    use std::os::unix::fs::PermissionsExt;

    let home = toolkit(
        "wrapped-cc",
        "#define CUDA_VERSION 13000\nint cuInit(unsigned int);\n",
    );
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("failures/a folder");
    fs::create_dir_all(&folder).expect("a directory");
    let script = folder.join("script");
    fs::write(
        &script,
        "#!/bin/sh\necho \"arguments: $1 $2\" >&2\nexit 1\n",
    )
    .expect("a file");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("permissions");
    let script = script.to_str().expect("a path in UTF-8");
    let clang = libclang();
    let with = |command: &str| {
        let mut variables = vec![("CUDA_HOME", home.as_str()), ("CC", command)];
        variables.extend(clang.iter().map(|(name, path)| (*name, path.as_str())));
        run("wrapped-cc", &variables)
    };
    let text = message(&with(script));
    assert!(text.contains("arguments: -shared -nostdlib"), "{text}");
    let text = message(&with("/bin/sh -c false"));
    assert!(text.contains("/bin/sh -c false could not create"), "{text}");
    // A wrapper such as `ccache gcc` gets the compiler as its first argument, followed by the
    // others.
    let output = with("/bin/echo gcc");
    assert!(output.status.success(), "{output:?}");
}

#[test]
#[cfg_attr(not(feature = "bindgen"), ignore = "reads headers")]
fn missing_included_headers_are_reported() {
    let home = toolkit(
        "bad-header",
        "#define CUDA_VERSION 13000\n#include <no_such_header.h>\n",
    );
    let clang = libclang();
    let mut variables = vec![("CUDA_HOME", home.as_str())];
    variables.extend(clang.iter().map(|(name, path)| (*name, path.as_str())));
    let text = message(&run("bad-header", &variables));
    assert!(
        text.contains("cannot read the CUDA headers in") && text.contains("no_such_header.h"),
        "{text}"
    );
}
