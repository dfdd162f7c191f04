mod builders;
mod disk_cache;
mod headers;
mod lines;
mod search;
#[cfg(unix)] // owners and modes of files
mod trust;

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{self, Command},
    sync::atomic::{AtomicU32, Ordering},
};

use cuda_safe::{
    Architecture, ErrorKind, In, LaunchConfig, Module, Out, Program,
    program::{Cache, nvrtc_version},
};

use crate::{device, failure};

const VIRTUAL: Architecture = Architecture::virtual_of(90);

/// A folder for one test, removed when dropped.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let name = format!("cuda-safe-{name}-{}-{number}", process::id());
        let path = env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        // On Windows, `canonicalize` would add a prefix.
        Self(if cfg!(windows) {
            path
        } else {
            path.canonicalize().unwrap()
        })
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    /// Returns a path for source code, where a backslash begins an escape.
    fn path_in_source(&self, name: &str) -> String {
        self.path(name).replace('\\', "/")
    }

    /// Writes a file and creates the folders of its path.
    fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns the file names in a folder, or none if the folder does not exist.
fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

/// Runs this test in child processes with other environment variables or another current folder,
/// because both apply to a whole process. The child processes execute only `child`.
struct ChildTest(&'static str);

impl ChildTest {
    const CHILD: &str = "CUDA_SAFE_ALONE";

    fn new(child: fn(), test: &'static str) -> Option<Self> {
        if env::var_os(Self::CHILD).is_some() {
            child();
            return None;
        }
        Some(Self(test.split_once("::").unwrap().1))
    }

    /// Returns the lines that the child prints after `= `.
    #[track_caller]
    fn run(&self, set: impl FnOnce(&mut Command)) -> Vec<String> {
        let mut command = Command::new(env::current_exe().unwrap());
        command
            .args(["--exact", "--nocapture", self.0])
            .env(Self::CHILD, "1");
        set(&mut command);
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{text}{output:?}");
        let printed = text
            .lines()
            .filter_map(|line| Some(line.split_once("= ")?.1));
        printed.map(str::to_owned).collect()
    }
}

#[test]
fn compile_error_shows_the_source_line() {
    let source = "extern \"C\" __global__ void k(int *x) {\n    *x = undefined_name;\n}\n";
    let error = Program::new(source)
        .name("wrong.cu")
        .compile(VIRTUAL)
        .unwrap_err();
    let ErrorKind::Compile { log } = error.kind() else {
        panic!("{error:?}")
    };
    assert!(log.contains("wrong.cu(2)"), "{log}");
    let text = error.to_string();
    let line = " >    2 |     *x = undefined_name;\n        |          ^\n";
    assert!(text.contains(line), "{text}");
    assert_eq!(text.matches("*x = undefined_name").count(), 1, "{text}");
    assert!(text.contains("nvrtcCompileProgram"), "{text}");
    assert!(text.contains(":\nwrong.cu(2)"), "{text}");
    // Texts of other failures.
    for other in [
        "compiled for the architecture",
        "libnvrtc-builtins",
        "detected in the compilation",
    ] {
        assert!(!text.contains(other), "{text}");
    }
}

#[test]
fn host_header_error_names_the_alternative() {
    let compile = |header: &str, kernel: &str| {
        let source = format!("#include <{header}>\nextern \"C\" __global__ {kernel}");
        Program::new(source).compile(VIRTUAL)
    };
    let kernel = "void k(uint64_t *x) { *x = 1; }";
    for header in ["cstdint", "stdint.h"] {
        failure(compile(header, kernel))
            .mentions("no headers of a host compiler")
            .mentions("write `#include <cuda/std/cstdint>`");
    }
    compile("cuda/std/cstdint", kernel).unwrap();
    let error = Program::new("__global__ void k(uint32_t *x) { *x = 1; }")
        .compile(VIRTUAL)
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with("from CUDA's headers. `unsigned int` needs no header"),
        "{error}"
    );
    failure(compile("mine.cuh", kernel)).mentions("Program::include_path");
}

#[test]
fn references_of_textures_and_surfaces_are_explained() {
    for (declared, object) in [
        ("texture<float, 2> image;", "cudaTextureObject_t"),
        ("surface<void, 2> image;", "cudaSurfaceObject_t"),
    ] {
        let error = Program::new(declared)
            .compile(VIRTUAL)
            .unwrap_err()
            .to_string();
        let advice = error.lines().last().unwrap();
        assert!(advice.contains("CUDA 12 removed"), "{error}");
        assert!(advice.contains(object), "{error}");
    }
}

#[test]
fn sources_and_options_with_nul_are_rejected() {
    assert!(Program::new("a\0b").compile(VIRTUAL).is_err());
    assert!(
        Program::new("")
            .option("--std=c++17\0")
            .compile(VIRTUAL)
            .is_err()
    );
    assert!(
        Program::new("")
            .name("a\0")
            .cache(Cache::Off)
            .compile(VIRTUAL)
            .is_err()
    );
}

#[test]
fn wrong_options_are_named() {
    failure(Program::new("").option("--no-such-option").compile(VIRTUAL))
        .mentions("no-such-option");
    let error = Program::new("")
        .cache(Cache::Off)
        .compile(Architecture::real_of(1))
        .unwrap_err();
    assert!(error.to_string().contains("architecture sm_1"), "{error}");
}

#[test]
fn warnings_are_kept() {
    let source = "__global__ void k(int *x) { int unused = 3; *x = 1; }";
    let compiled = Program::new(source)
        .cache(Cache::Off)
        .compile(VIRTUAL)
        .unwrap();
    assert!(compiled.log().contains("unused"), "{:?}", compiled.log());
    assert!(compiled.cubin().is_none());
    assert!(compiled.ptx().contains(".target sm_90"));
}

#[test]
fn real_architecture_compiles_to_machine_code_and_ptx() {
    let architecture = Architecture::real_of(90);
    let compiled = Program::new("__global__ void k() {}")
        .compile(architecture)
        .unwrap();
    assert!(compiled.cubin().unwrap().starts_with(b"\x7fELF"));
    assert!(compiled.ptx().contains(".entry"));
    assert!(nvrtc_version().unwrap().major >= 12);
}

#[test]
fn headers_defines_and_templates_are_compiled() {
    let (context, stream) = device();
    let folder = Folder::new("headers");
    fs::write(folder.0.join("disk.h"), "#define FROM_DISK 100\n").unwrap();
    let program = Program::new(
        "#include \"memory.h\"\n#include \"disk.h\"
         template <typename T, int N> __global__ void add(T *out, const T *in) {
             out[threadIdx.x] = in[threadIdx.x] + N + FROM_DISK + from_memory() + DEFINED;
         }",
    )
    .header(
        "memory.h",
        "__device__ inline int from_memory() { return 10000; }",
    )
    .include_path(&folder.0)
    .define("DEFINED", 20)
    .cpp_standard(17)
    .name_expression("add<double, 3>");
    let module = Module::compile(&context, program).unwrap();
    let add = module.function("add<double, 3>").unwrap();
    let mut out = [0.0f64; 2];
    let arguments = (Out(&mut out), In(&[0.5, 1.5]));
    // SAFETY: two threads read and write two doubles.
    unsafe { add.launch(&stream, LaunchConfig::new(1, 2), arguments) }.unwrap();
    assert_eq!(out, [10123.5, 10124.5]);
    failure(module.function("add<float, 3>")).mentions("add<double, 3>");
}

#[test]
fn toolkit_headers_are_found() {
    let (context, stream) = device();
    let module = Module::compile(
        &context,
        "#include <cuda_fp16.h>
         extern \"C\" __global__ void k(float *x) { *x = __half2float(__float2half(1.0f / 3)); }",
    )
    .unwrap();
    let mut x = [0.0f32];
    // SAFETY: the kernel writes one float.
    unsafe {
        module
            .function("k")
            .unwrap()
            .launch(&stream, LaunchConfig::new(1, 1), (Out(&mut x),))
    }
    .unwrap();
    assert_eq!(x, [0.333_251_95]);
}
