//! Cached compilations: contents, location and results of the cache.

use std::fs;

use cuda_safe::{ErrorKind, Program, program::Cache};

use super::{ChildTest, Folder, VIRTUAL, names};
use crate::{device, failure};

#[test]
fn cache_returns_only_equal_programs() {
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
    // A damaged entry is compiled again.
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
fn unwritable_cache_is_not_an_error() {
    let folder = Folder::new("readonly");
    let file = folder.0.join("file");
    fs::write(&file, "").unwrap();
    let program = Program::new("__global__ void k() {}").cache(Cache::Folder(file.join("sub")));
    assert!(!program.compile(VIRTUAL).unwrap().is_from_cache());
    assert!(!program.compile(VIRTUAL).unwrap().is_from_cache());
}

#[test]
fn threads_can_fill_the_same_cache() {
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

#[test]
fn cache_stores_all_parts_of_a_result() {
    let folder = Folder::new("whole");
    let program = Program::new("template <int N> __global__ void f(int *x) { int y; *x = N; }")
        .name_expression("f<3>")
        .name_expression("f<4>")
        .cache(Cache::Folder(folder.0.clone()));
    let target = cuda_safe::Architecture::real_of(90);
    let first = program.compile(target).unwrap();
    let second = program.compile(target).unwrap();
    assert!(!first.is_from_cache() && second.is_from_cache());
    assert_eq!(first.ptx(), second.ptx());
    assert!(first.cubin().is_some() && first.cubin() == second.cubin());
    assert!(first.log().contains('y') && first.log() == second.log());
    for name in ["f<3>", "f<4>"] {
        assert!(first.lowered_name(name).is_some());
        assert_eq!(first.lowered_name(name), second.lowered_name(name));
    }
    let program = program.cache(Cache::Off);
    assert!(!program.compile(target).unwrap().is_from_cache());
    assert!(!program.compile(target).unwrap().is_from_cache());
}

#[test]
fn different_programs_have_different_entries() {
    let folder = Folder::new("parts");
    let plain = || Program::new("__global__ void k() {}").cache(Cache::Folder(folder.0.clone()));
    let comes_from_cache = |program: Program| program.compile(VIRTUAL).unwrap().is_from_cache();
    assert!(!comes_from_cache(plain()));
    for program in [
        plain().name("other.cu"),
        plain().option("-w"),
        plain().define("A", 1),
        plain().header("a.h", ""),
        plain().header("a.h", " "),
        plain().name_expression("k"),
        plain().name_expression("&k"),
        plain().include_path(&folder.0),
        plain().cpp_standard(14),
        plain().line_info(),
        plain().without_line_info(),
    ] {
        assert!(!comes_from_cache(program.clone()), "{program:?}");
        assert!(comes_from_cache(program.clone()), "{program:?}");
    }
    assert!(comes_from_cache(plain()));
    let real = cuda_safe::Architecture::real_of(90);
    assert!(!plain().compile(real).unwrap().is_from_cache());
    let program = Program::new("__global__ void k() { }").cache(Cache::Folder(folder.0.clone()));
    assert!(!comes_from_cache(program));
}

#[test]
fn programs_that_depend_on_more_than_files_are_not_cached() {
    let folder = Folder::new("more");
    let options = folder.path("options");
    folder.write("options", "-O1\n");
    let kernel = || Program::new("__global__ void k() {}");
    for program in [
        Program::new("__device__ const char time[] = __TIME__;"),
        Program::new("__device__ const char date[] = __DATE__;"),
        kernel().define("WHEN", "__TIME__"),
        Program::new("#define C(a, b) a##b\n__device__ const char time[] = C(__TI, ME__);"),
        kernel().option(format!("--ptxas-options=--options-file={options}")),
        kernel().option(format!("--time={}", folder.path("times"))),
        kernel().option("-Xcudafe=--c++17"),
    ] {
        let program = program.cache(Cache::Folder(folder.0.join("cache")));
        let target = cuda_safe::Architecture::real_of(90);
        for _ in 0..2 {
            let compiled = program.compile(target).unwrap();
            assert!(!compiled.is_from_cache(), "{program:?}");
        }
    }
    assert_eq!(names(&folder.0.join("cache")), Vec::<String>::new());
    let failing = Program::new("wrong").cache(Cache::Folder(folder.0.join("cache")));
    assert!(failing.compile(VIRTUAL).is_err());
    assert_eq!(names(&folder.0.join("cache")), Vec::<String>::new());
}

#[test]
fn programs_with_toolkit_headers_are_cached() {
    let folder = Folder::new("toolkit");
    // The latter includes many of the other headers, also through macros and `__has_include`.
    for header in ["cuda_fp16.h", "cub/block/block_reduce.cuh"] {
        let program = Program::new(format!("#include <{header}>\n__global__ void k() {{}}"));
        let program = program.cache(Cache::Folder(folder.0.clone()));
        assert!(
            !program.compile(VIRTUAL).unwrap().is_from_cache(),
            "{header}"
        );
        assert!(
            program.compile(VIRTUAL).unwrap().is_from_cache(),
            "{header}"
        );
    }
}

#[test]
fn line_information_depends_on_the_current_folder() {
    let child = || {
        let folder = std::env::var_os("CACHE").unwrap();
        for program in [
            Program::new("__global__ void k() {}").without_line_info(),
            Program::new("__global__ void k() {}"),
            Program::new("__global__ void k() {}").line_info(),
            Program::new("__global__ void k() {}").device_debug(),
        ] {
            let program = program.cache(Cache::Folder(folder.clone().into()));
            let compiled = program.compile(VIRTUAL).unwrap();
            let here = std::env::current_dir().unwrap();
            // PTX escapes the backslashes of Windows.
            let place = here.join("program.cu").display().to_string();
            let there = compiled.ptx().contains(&place.replace('\\', r"\\"));
            println!("= {there} {}", compiled.is_from_cache());
        }
    };
    let name = concat!(
        module_path!(),
        "::line_information_depends_on_the_current_folder"
    );
    let Some(alone) = ChildTest::new(child, name) else {
        return;
    };
    let cache = Folder::new("places-cache");
    let (one, two) = (Folder::new("places"), Folder::new("places"));
    let run = |folder: &Folder| {
        alone.run(|command| {
            command.current_dir(&folder.0).env("CACHE", &cache.0);
        })
    };
    let (compiled, kept) = ("true false", "true true");
    assert_eq!(run(&one), ["false false", compiled, compiled, compiled]);
    assert_eq!(run(&one), ["false true", kept, kept, kept]);
    // By default, a cached result may contain the folder of the program that compiled it. A program
    // that requests line information gets its own folder.
    assert_eq!(run(&two), ["false true", "false true", compiled, compiled]);
}

#[test]
#[cfg_attr(windows, ignore = "the variables are those of Linux")]
fn environment_variables_select_the_cache_folder() {
    let child = || {
        for _ in 0..2 {
            let program = Program::new("__global__ void k() {}").cache(Cache::Default);
            println!("= {}", program.compile(VIRTUAL).unwrap().is_from_cache());
        }
    };
    let name = concat!(
        module_path!(),
        "::environment_variables_select_the_cache_folder"
    );
    let Some(alone) = ChildTest::new(child, name) else {
        return;
    };
    let all = ["CUDA_DIRECT_CACHE", "XDG_CACHE_HOME", "HOME"];
    let folder = Folder::new("variables");
    let run = |variables: &[(&str, &str)]| {
        alone.run(|command| {
            command.current_dir(&folder.0);
            all.iter().for_each(|name| {
                command.env_remove(name);
            });
            command.envs(variables.iter().copied());
        })
    };
    let (own, home) = (folder.path("own"), folder.path("home"));
    let both = [("CUDA_DIRECT_CACHE", own.as_str()), ("HOME", &home)];
    let default = [("CUDA_DIRECT_CACHE", ""), ("HOME", &home)];
    for (variables, place) in [(both, "own"), (default, "home/.cache/cuda-direct")] {
        assert_eq!(run(&variables), ["false", "true"], "{variables:?}");
        assert_eq!(names(&folder.0.join(place)).len(), 1, "{variables:?}");
        fs::remove_dir_all(folder.0.join(place)).unwrap();
    }
    let off = [("CUDA_DIRECT_CACHE", "off"), ("HOME", &home)];
    // With options from NVRTC's environment, nothing is cached, because they may contain anything.
    let flags = [both[0], ("NVRTC_APPEND_FLAGS", "-DUNUSED")];
    for variables in [off, flags] {
        assert_eq!(run(&variables), ["false", "false"], "{variables:?}");
    }
    for place in ["off", "own", "home/.cache/cuda-direct"] {
        assert!(!folder.0.join(place).exists(), "{place}");
    }
}

#[test]
#[cfg_attr(windows, ignore = "Windows does not replace an open file")]
fn header_changed_during_compilation_is_not_cached() {
    let folder = Folder::new("meanwhile");
    let cache = Folder::new("meanwhile-cache");
    folder.write("value.h", "// 0\n");
    // The compilation takes long enough for the header to change many times.
    let source = "#include \"value.h\"\n#include <cuda_fp16.h>\n__global__ void k() {}";
    let program = Program::new(source)
        .name(folder.path("program.cu"))
        .cache(Cache::Folder(cache.0.clone()));
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                folder.write("new.h", "// 0\n");
                fs::rename(folder.0.join("new.h"), folder.0.join("value.h")).unwrap();
            }
        });
        let compiled = program.compile(VIRTUAL);
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(!compiled.unwrap().is_from_cache());
    });
    assert_eq!(
        names(&cache.0),
        Vec::<String>::new(),
        "the header may have changed"
    );
    assert!(!program.compile(VIRTUAL).unwrap().is_from_cache());
    assert!(program.compile(VIRTUAL).unwrap().is_from_cache());
}

#[test]
fn programs_of_typed_kernels_are_cached() {
    cuda_safe::kernels! {
        struct Kernels;
        fn one(x: &mut [f32]);
        fn two();
    }
    cuda_safe::kernels! {
        struct Other;
        fn two();
    }
    cuda_safe::kernels! {
        struct Wrong;
        fn two(x: i32);
    }
    let (context, _) = device();
    let folder = Folder::new("typed");
    let program = Program::new("__global__ void one(float *x) {} __global__ void two() {}")
        .cache(Cache::Folder(folder.0.clone()));
    for _ in 0..2 {
        Kernels::compile(&context, &program).unwrap();
        assert_eq!(names(&folder.0).len(), 1);
    }
    // Other declarations make it another program.
    Other::compile(&context, &program).unwrap();
    assert_eq!(names(&folder.0).len(), 2);
    // Programs with wrong declarations are not cached.
    failure(Wrong::compile(&context, &program)).of_kind(ErrorKind::Signature);
    assert_eq!(names(&folder.0).len(), 2);
}
