use std::{fs, path::PathBuf};

use cuda_safe::{
    Architecture, Cache, ErrorKind, In, LaunchConfig, Module, Out, Program, nvrtc_version,
};

use crate::device;

const VIRTUAL: Architecture = Architecture::virtual_of(90);

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("cuda-safe-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn an_error_shows_the_source_line() {
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
    assert!(text.contains(">    2 |     *x = undefined_name;"), "{text}");
    assert!(text.contains("nvrtcCompileProgram"), "{text}");
}

#[test]
fn sources_and_options_may_not_contain_nul() {
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
fn wrong_options_are_told() {
    let error = Program::new("")
        .option("--no-such-option")
        .compile(VIRTUAL)
        .unwrap_err();
    assert!(error.to_string().contains("no-such-option"), "{error}");
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
fn a_real_architecture_gives_machine_code_and_ptx() {
    let architecture = Architecture::real_of(90);
    let compiled = Program::new("__global__ void k() {}")
        .compile(architecture)
        .unwrap();
    assert!(compiled.cubin().unwrap().starts_with(b"\x7fELF"));
    assert!(compiled.ptx().contains(".entry"));
    assert!(nvrtc_version().unwrap().major >= 12);
}

#[test]
fn headers_defines_and_templates_reach_the_kernel() {
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
    unsafe {
        add.launch(&stream, LaunchConfig::new(1, 2), arguments)
            .unwrap()
    };
    assert_eq!(out, [10123.5, 10124.5]);
    let error = module.function("add<float, 3>").unwrap_err();
    assert!(error.to_string().contains("add<double, 3>"), "{error}");
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

#[test]
fn the_cache_serves_what_is_equal_and_nothing_else() {
    let folder = Folder::new("cache");
    let headers = Folder::new("cache-headers");
    let header = headers.0.join("value.h");
    fs::write(&header, "#define VALUE 1\n").unwrap();
    let program = |define: i32| {
        Program::new("#include \"value.h\"\n__global__ void k(int *x) { *x = VALUE + D; }")
            .define("D", define)
            .include_path(&headers.0)
            .cache(Cache::Folder(folder.0.clone()))
            .compile(VIRTUAL)
            .unwrap()
    };
    let first = program(1);
    assert!(!first.is_from_cache());
    let again = program(1);
    assert!(again.is_from_cache());
    assert_eq!(again.ptx(), first.ptx());
    assert!(!program(2).is_from_cache(), "another option");
    fs::write(&header, "#define VALUE 2\n").unwrap();
    assert!(!program(1).is_from_cache(), "another included file");
    // A damaged entry is compiled afresh.
    for entry in fs::read_dir(&folder.0).unwrap() {
        fs::write(entry.unwrap().path(), b"damaged").unwrap();
    }
    assert!(!program(1).is_from_cache());
    assert!(program(1).is_from_cache());
    let names = fs::read_dir(&folder.0)
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    assert!(
        names.into_iter().all(|name| name.len() == 64),
        "only whole entries remain"
    );
}

#[test]
fn a_cache_that_can_not_be_written_is_no_error() {
    let folder = Folder::new("readonly");
    let file = folder.0.join("file");
    fs::write(&file, "").unwrap();
    let program = Program::new("__global__ void k() {}").cache(Cache::Folder(file.join("sub")));
    assert!(!program.compile(VIRTUAL).unwrap().is_from_cache());
    assert!(!program.compile(VIRTUAL).unwrap().is_from_cache());
}

#[test]
fn many_threads_may_fill_one_cache() {
    let folder = Folder::new("threads");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for i in 0..3 {
                    let program =
                        Program::new("__global__ void k(int *x) { *x = D; }").define("D", i);
                    let program = program.cache(Cache::Folder(folder.0.clone()));
                    assert!(program.compile(VIRTUAL).unwrap().ptx().contains(".entry"));
                }
            });
        }
    });
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 3);
}
