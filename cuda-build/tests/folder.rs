//! Compiles folders of CUDA C++ into temporary folders.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use cuda_build::{Build, Error};

/// A folder with `kernels/` and `out/`, which is removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = env::temp_dir().join(format!("cuda-build-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        for folder in ["kernels", "include", "out"] {
            fs::create_dir_all(path.join(folder)).unwrap();
        }
        Self(path)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> &Self {
        let file = self.0.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        self
    }

    fn build(&self) -> Build {
        Build::new("kernels")
            .root(&self.0)
            .out_dir(self.0.join("out"))
    }

    /// Runs the build and returns the text of `kernels.rs`.
    fn made(&self, build: &Build) -> Result<String, Error> {
        Ok(fs::read_to_string(build.try_run()?).unwrap())
    }

    fn out(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join("out").join(name)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const NAMED: &str = "CUDA_SYS_LIBNVRTC";

/// Returns whether this process uses the NVRTC under test. Otherwise runs the test in a child
/// process that does.
fn is_child(test: &str, nvrtc: Option<&str>) -> bool {
    output_of_child(test, nvrtc).is_none()
}

/// Runs the test again in a child process with the NVRTC under test, and returns its output. That
/// is the library that `make setup` installed, or otherwise the one found by the normal search.
/// Returns `None` in the child.
fn output_of_child(test: &str, nvrtc: Option<&str>) -> Option<String> {
    const CHILD: &str = "CUDA_BUILD_TEST";
    if env::var(CHILD).as_deref() == Ok(test) {
        return None;
    }
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let brought = repository.join(".cuda/nvidia/cu13/lib/libnvrtc.so.13");
    let mut command = Command::new(env::current_exe().unwrap());
    command
        .args([test, "--exact", "--nocapture"])
        .env(CHILD, test);
    match nvrtc {
        Some(nvrtc) => command.env(NAMED, nvrtc),
        None if brought.is_file() => command.env(NAMED, brought),
        None => &mut command,
    };
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}"
    );
    Some(text)
}

const VECTORS: &str = r#"
#include "own.cuh"
#include <shared.h>
__global__ void many(const float *a, const float *b, float *c, float *d, const int *e, int *f) { *d = OWN + SHARED + N; }
__global__ void numbers(size_t a, long long b, bool c, char d, signed char e, unsigned short f, double g) {}
__global__ void none() {}
extern "C" __global__ void plain(unsigned n, float *x) { if (n) *x = n; }
__global__ void structure(float2 p, float *x) { *x = p.x; }
namespace inner { __global__ void hidden(float *x) { *x = 1; } }
template <typename T> __global__ void generic(T *x) { *x = 1; }
template <typename T, int COUNT> __global__ void filled(T *x) { x[threadIdx.x] = COUNT; }
template __global__ void filled<float, 2>(float *x);
template __global__ void filled<unsigned long long, 2>(unsigned long long *x);
#if 0
__global__ void left_out(int *x) {}
#endif
"#;

#[test]
fn build_generates_code_and_declarations() {
    if !is_child("build_generates_code_and_declarations", None) {
        return;
    }
    let folder = Folder::new("whole");
    folder
        .write("kernels/vectors.cu", VECTORS)
        .write("kernels/own.cuh", "#define OWN 1\n")
        .write("kernels/type.cu", "__global__ void load(int *stream) {}")
        .write("include/shared.h", "#define SHARED 2\n");
    let build = folder.build().include_path("include").define("N", 3);
    let text = folder
        .made(&build.architectures(["sm_80", "sm_90"]))
        .unwrap();
    // The compiler has confirmed these signatures by the mangled names.
    for expected in [
        "pub mod vectors {",
        "pub fn many(a: &[f32], b: &[f32], c: &mut [f32], d: &mut [f32], e: &[i32], f: &mut [i32]) = \"many\";",
        "pub fn numbers(a: usize, b: i64, c: bool, d: i8, e: i8, f: u16, g: f64) = \"numbers\";",
        "pub fn none() = \"none\";",
        "pub fn plain(n: u32, x: &mut [f32]) = \"plain\";",
        "Not declared: `void structure(float2 p, float *x)`, because of the parameter `float2 p`",
        "Not declared: `void hidden(float *x)`, because it is in a namespace or a class",
        "(\"none\", \"_Z4nonev\"),",
        "Not declared: `void filled<float, 2>(float *x)`, because it is an instance of a template. \
         Get it with `Module::function(\"filled<float, 2>\")`.",
        "(\"filled<float, 2>\", \"_Z6filledIfLi2EEvPT_\"),",
        "(\"filled<unsigned long long, 2>\", \"_Z6filledIyLi2EEvPT_\"),",
        "pub mod type_ {",
        "pub fn load_(stream_: &mut [i32]) = \"load\";",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    for unexpected in ["left_out", "generic", "other parameters"] {
        assert!(!text.contains(unexpected), "{unexpected}\n{text}");
    }
    for architecture in ["80", "90"] {
        let cubin = folder.out(&format!("vectors.sm_{architecture}.cubin"));
        assert!(cubin.starts_with(b"\x7fELF"));
    }
    let ptx = String::from_utf8(folder.out("vectors.ptx")).unwrap();
    assert!(ptx.contains(".target sm_90"));
    // Without a requested architecture, the PTX is for the oldest useful one.
    folder
        .made(&folder.build().include_path("include").define("N", 3))
        .unwrap();
    let ptx = String::from_utf8(folder.out("vectors.ptx")).unwrap();
    assert!(ptx.contains(".target sm_75"));
}

#[test]
fn headers_in_other_folders_are_watched() {
    let test = "headers_in_other_folders_are_watched";
    if let Some(output) = output_of_child(test, None) {
        for header in [
            "/common/outer.cuh",
            "/common/deep/inner.cuh",
            "/elsewhere/option.h",
        ] {
            let watched = output
                .lines()
                .any(|line| line.starts_with("cargo::rerun-if-changed=") && line.ends_with(header));
            assert!(watched, "{header}\n{output}");
        }
        return;
    }
    let folder = Folder::new("watch");
    folder
        .write(
            "kernels/one.cu",
            "#include \"../common/outer.cuh\"\n#include <option.h>\n__global__ void k(int *x) { *x = INNER + OPTION; }",
        )
        .write("common/outer.cuh", "#include \"deep/inner.cuh\"\n")
        .write("common/deep/inner.cuh", "#define INNER 1\n")
        .write("elsewhere/option.h", "#define OPTION 2\n");
    let elsewhere = folder.0.join("elsewhere");
    let build = folder.build().option(format!("-I{}", elsewhere.display()));
    folder.made(&build).unwrap();
}

#[test]
fn methods_have_distinct_names() {
    if !is_child("methods_have_distinct_names", None) {
        return;
    }
    let folder = Folder::new("methods");
    folder.write(
        "kernels/names.cu",
        "__global__ void load() {}\n__global__ void load_() {}\n__global__ void type() {}\n__global__ void type_() {}\n",
    );
    let text = folder.made(&folder.build()).unwrap();
    for expected in [
        "pub fn load_() = \"load\";",
        "pub fn load__() = \"load_\";",
        "pub fn type_() = \"type\";",
        "pub fn type__() = \"type_\";",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
}

#[test]
fn compiler_messages_name_the_file() {
    if !is_child("compiler_messages_name_the_file", None) {
        return;
    }
    let folder = Folder::new("wrong");
    folder.write(
        "kernels/wrong.cu",
        "\n__global__ void k() { unknown = 1; }\n",
    );
    let error = folder.made(&folder.build()).unwrap_err().to_string();
    assert!(
        error.contains("kernels/wrong.cu(2): error: identifier \"unknown\""),
        "{error}"
    );
    assert!(error.contains("compiled for compute_75"), "{error}");
    let error = folder
        .made(&folder.build().ptx("compute_1"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("compute_1"), "{error}");
    let error = Build::new("nowhere")
        .root(&folder.0)
        .out_dir(&folder.0)
        .try_run()
        .unwrap_err();
    assert!(error.to_string().contains("nowhere"), "{error}");
    fs::remove_file(folder.0.join("kernels/wrong.cu")).unwrap();
    let error = folder.made(&folder.build()).unwrap_err().to_string();
    assert!(error.contains("no .cu file"), "{error}");
}

#[test]
fn missing_compiler_fails_or_embeds_sources() {
    const NONE: &str = "/no/such/libnvrtc.so";
    if !is_child("missing_compiler_fails_or_embeds_sources", Some(NONE)) {
        return;
    }
    let folder = Folder::new("source");
    folder
        .write("kernels/vectors.cu", VECTORS)
        .write("kernels/own.cuh", "#define OWN 1\n")
        .write("include/shared.h", "#define SHARED 2\n");
    let build = folder.build().include_path("include").define("N", 3);
    let error = folder.made(&build).unwrap_err().to_string();
    for part in [
        "NVRTC was not found: looked for /no/such/libnvrtc.so (CUDA_SYS_LIBNVRTC). ",
        "`pip install nvidia-cuda-nvrtc`",
        "`conda install -c conda-forge cuda-nvrtc`",
        "`apt install cuda-nvrtc-13-0`",
        "nvidia-cuda-runtime",
    ] {
        assert!(error.contains(part), "no {part:?} in {error}");
    }
    let text = folder.made(&build.or_source()).unwrap();
    for expected in [
        "pub struct Kernels = program();",
        ".header(\"own.cuh\", include_str!(",
        ".header(\"shared.h\", include_str!(",
        ".option(\"--define-macro=N=3\")",
        ".name_expression(\"many\")",
        ".name_expression(\"structure\")",
        ".name_expression(\"filled<float, 2>\")",
        "Module::compile(context, program())",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    for unexpected in ["left_out", ".name_expression(\"hidden\")"] {
        assert!(!text.contains(unexpected), "{unexpected}\n{text}");
    }
    assert_eq!(folder.out("vectors.cu"), VECTORS.as_bytes());
}

#[test]
fn run_reports_an_error_once() {
    const CHILD: &str = "CUDA_BUILD_TEST_OF_RUN";
    if env::var_os(CHILD).is_some() {
        let folder = Folder::new("run");
        folder.write("kernels/one.cu", "__global__ void k() {}");
        folder.build().run();
        unreachable!("`run` ends the process after an error");
    }
    let output = Command::new(env::current_exe().unwrap())
        .args(["run_reports_an_error_once", "--exact", "--nocapture"])
        .env(CHILD, "1")
        .env(NAMED, "/no/such/libnvrtc.so")
        .output()
        .unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    let lines: Vec<&str> = out
        .lines()
        .filter(|line| line.contains("NVRTC was not found"))
        .collect();
    let [line] = *lines else {
        panic!("{out}{err}");
    };
    assert!(
        line.starts_with(
            "cargo::error=NVRTC was not found: looked for /no/such/libnvrtc.so (CUDA_SYS_LIBNVRTC). "
        ),
        "{line}"
    );
    assert!(!err.contains("NVRTC"), "{err}");
    // Cargo fails the build because of `cargo::error`.
    assert!(output.status.success(), "{}", output.status);
}

#[test]
fn other_libraries_are_rejected() {
    if !is_child("other_libraries_are_rejected", Some("libc.so.6")) {
        return;
    }
    let folder = Folder::new("other");
    folder.write("kernels/one.cu", "");
    let error = folder.made(&folder.build()).unwrap_err().to_string();
    assert!(
        error.contains("libc.so.6: it has no nvrtcCreateProgram"),
        "{error}"
    );
}

#[test]
fn headers_of_all_folders_are_embedded_with_a_source() {
    let test = "headers_of_all_folders_are_embedded_with_a_source";
    if !is_child(test, Some("/no/such/libnvrtc.so")) {
        return;
    }
    let folder = Folder::new("headers");
    folder
        .write(
            "kernels/one.cu",
            "#include \"sub/first.cuh\"\n__global__ void k() {}",
        )
        .write(
            "kernels/sub/first.cuh",
            "#include \"second.inc\"\n#include <deep/shared.h>\n",
        )
        .write("kernels/sub/second.inc", "// the first\n")
        .write("kernels/unused.cuh", "")
        .write("include/deep/shared.h", "");
    let build = folder.build().include_path("include").or_source();
    let text = folder.made(&build).unwrap();
    for expected in ["sub/first.cuh", "second.inc", "deep/shared.h"] {
        assert!(
            text.contains(&format!(".header({expected:?}")),
            "{expected}\n{text}"
        );
    }
    assert!(!text.contains("unused.cuh"), "{text}");
    // Two files with the same name and text are one header, because NVRTC accepts each name only
    // once.
    folder
        .write(
            "kernels/one.cu",
            "#include \"sub/first.cuh\"\n#include \"second.inc\"\n",
        )
        .write("kernels/second.inc", "// the first\n");
    let text = folder.made(&build).unwrap();
    assert_eq!(text.matches(".header(\"second.inc\"").count(), 1, "{text}");
    // A header in memory is found only by its name.
    folder
        .write(
            "kernels/one.cu",
            "#include \"sub/first.cuh\"\n#include \"second.inc\"\n",
        )
        .write("kernels/second.inc", "// another one\n");
    let error = folder.made(&build).unwrap_err().to_string();
    let expected = "kernels/one.cu: `#include \"second.inc\"` names two files, ";
    assert!(error.starts_with(expected), "{error}");
    assert!(error.contains("sub/second.inc"), "{error}");
}

/// A folder whose sources contain Latin-1 bytes.
fn latin(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder
        .write(
            "kernels/one.cu",
            b"#include \"own.cuh\"\n// \xa9\n__global__ void k(int *x) { *x = OWN; }\n",
        )
        .write("kernels/own.cuh", b"// \xa9 1999\n#define OWN 1\n");
    folder
}

#[test]
fn sources_that_are_not_utf_8_are_compiled() {
    if !is_child("sources_that_are_not_utf_8_are_compiled", None) {
        return;
    }
    let folder = latin("latin");
    let text = folder.made(&folder.build()).unwrap();
    assert!(text.contains("pub fn k(x: &mut [i32])"), "{text}");
}

#[test]
fn sources_that_are_not_utf_8_are_not_embedded() {
    let test = "sources_that_are_not_utf_8_are_not_embedded";
    if !is_child(test, Some("/no/such/libnvrtc.so")) {
        return;
    }
    let folder = latin("latin-source");
    let build = folder.build().or_source();
    let error = folder.made(&build).unwrap_err().to_string();
    assert!(error.contains("one.cu: byte 22 is not UTF-8"), "{error}");
    folder.write("kernels/one.cu", "#include \"own.cuh\"\n");
    let error = folder.made(&build).unwrap_err().to_string();
    assert!(error.contains("own.cuh: byte 3 is not UTF-8"), "{error}");
    assert!(error.contains("Fix: save the file as UTF-8"), "{error}");
}
