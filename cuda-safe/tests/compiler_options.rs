//! Options of newer compilers, and the errors of compilers that do not know them. This is a
//! separate program because NVRTC keeps some options for the whole process.

use std::{
    env, fs,
    path::PathBuf,
    process,
    sync::{
        Mutex,
        atomic::{AtomicU32, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use cuda_safe::{
    Architecture, Code, CompiledProgram, ErrorKind, Program,
    driver::Version,
    program::{
        Cache, FastCompile, PrecompiledHeader, nvrtc_version, precompiled_header_heap,
        set_precompiled_header_heap,
    },
};

const VIRTUAL: Architecture = Architecture::virtual_of(90);

/// A folder for one test, removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let name = format!("cuda-safe-{name}-{}-{number}", process::id());
        let path = env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path.canonicalize().unwrap())
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const SOURCE: &str = "__global__ void k(float *x) { x[0] = x[1] / x[2] + sqrtf(x[3]); }";

fn compile(program: Program) -> cuda_safe::Result<CompiledProgram> {
    program.cache(Cache::Off).compile(VIRTUAL)
}

fn has(major: u32, minor: u32) -> bool {
    nvrtc_version().unwrap() >= Version { major, minor }
}

#[test]
fn precision_options_select_instructions() {
    let ptx = |change: fn(Program) -> Program| {
        let compiled = compile(change(Program::new(SOURCE))).unwrap();
        compiled.ptx().to_owned()
    };
    let plain = ptx(|program| program);
    assert!(
        plain.contains("div.rn.f32") && plain.contains("sqrt.rn.f32"),
        "{plain}"
    );
    assert!(ptx(|program| program.precise_division(false)).contains("div.full.f32"));
    assert!(ptx(|program| program.precise_roots(false)).contains("sqrt.approx.f32"));
    assert!(ptx(|program| program.flush_denormals(true)).contains(".ftz.f32"));
}

#[test]
fn language_and_diagnostic_options_apply() {
    let source = "struct S { int x; S() : x(N) {} }; int twice(const S &s) { return 2 * s.x; }\n\
        __global__ void k(int *x, const int *y) { *x = twice(S()) + *y; __int128 unused; }";
    let folder = Folder::new("options");
    folder.write("n.h", "#define N 3\n");
    let program = Program::new(source)
        .include_path(&folder.0)
        .device_by_default()
        .int128()
        .restrict()
        .extra_vectorization();
    assert!(compile(program.clone()).is_err(), "N");
    let program = program.pre_include("n.h");
    let log = compile(program.clone()).unwrap().log().to_owned();
    let (_, number) = log.split_once("warning #").expect("an unused variable");
    let digits = number.find(|c: char| !c.is_ascii_digit()).unwrap();
    let number = number[..digits].parse().unwrap();
    let log = |program| compile(program).unwrap().log().to_owned();
    assert!(!log(program.clone().suppress_diagnostic(number)).contains("unused"));
    assert!(!log(program.clone().disable_warnings()).contains("unused"));
    let error = compile(program.diagnostic_as_error(number)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Compile { .. }), "{error}");
}

#[test]
fn newer_options_work_or_are_named_in_the_error() {
    let folder = Folder::new("newer-options");
    let (times, trace) = (folder.0.join("times.csv"), folder.0.join("trace"));
    let program = || Program::new(SOURCE);
    for (program, is_known, name) in [
        (program().split_compile(2), has(12, 4), "split-compile"),
        (program().minimal(), has(12, 4), "minimal"),
        (
            program().fast_compile(FastCompile::Min),
            has(12, 8),
            "Ofast-compile",
        ),
        (
            program().fast_compile(FastCompile::Mid),
            has(12, 8),
            "Ofast-compile",
        ),
        (
            program().fast_compile(FastCompile::Max),
            has(12, 8),
            "Ofast-compile",
        ),
        (
            program().stack_protector(true),
            has(12, 8),
            "device-stack-protector",
        ),
        (program().no_compiler_cache(), has(12, 9), "no-cache"),
        (program().write_timing(&times), has(12, 0), "time"),
        (
            program().write_time_trace(&trace),
            has(12, 8),
            "fdevice-time-trace",
        ),
    ] {
        match compile(program) {
            // Some options existed before they were documented.
            Ok(compiled) => assert!(compiled.ptx().contains(".entry"), "{name}"),
            Err(error) => {
                assert!(!is_known, "{name}: {error}");
                assert!(error.to_string().contains(name), "{error}");
            }
        }
    }
    assert!(!fs::read_to_string(&times).unwrap().is_empty());
    assert_eq!(trace.with_extension("json").is_file(), has(12, 8));
}

/// The options are part of the cache key. Programs that write other files are not cached.
#[test]
fn options_are_part_of_the_cache_key() {
    let folder = Folder::new("cached-options");
    let cached = |program: Program| {
        let program = program.cache(Cache::Folder(folder.0.clone()));
        let first = program.compile(VIRTUAL).unwrap();
        assert!(!first.is_from_cache());
        program.compile(VIRTUAL).unwrap().is_from_cache()
    };
    let program = || Program::new(SOURCE);
    assert!(cached(program()));
    assert!(cached(program().precise_division(false)));
    assert!(cached(program().flush_denormals(true)));
    assert!(cached(program().lto()));
    assert!(cached(program().restrict()));
    assert!(!cached(program().write_timing(folder.0.join("times.csv"))));
}

#[test]
fn precompiled_headers_are_written_and_read() {
    let folder = Folder::new("pch");
    folder.write("many.h", "template <int> struct A {};\n");
    folder.write(
        "big.h",
        "#pragma once\n#include \"many.h\"\nusing B = A<3>;\n",
    );
    let source = |name: &str| {
        Program::new(format!(
            "#include \"big.h\"\n__global__ void {name}(B *x) {{}}\n"
        ))
        .include_path(&folder.0)
    };
    let file = folder.0.join("big.pch");
    let written = compile(source("a").create_precompiled_header(&file));
    if !has(12, 8) {
        assert!(written.unwrap_err().to_string().contains("create-pch"));
        assert_eq!(
            *precompiled_header_heap().unwrap_err().kind(),
            ErrorKind::Unsupported
        );
        return;
    }
    let written = written.unwrap();
    // The compiler may fail to write it, depending on the addresses that the system gives out.
    let state = written.precompiled_header().unwrap();
    assert_eq!(
        file.is_file(),
        state == PrecompiledHeader::Created,
        "{state:?}: {}",
        written.log()
    );
    // SAFETY: if the file exists, this compiler wrote it above.
    let used = unsafe { source("b").use_precompiled_header(&file) };
    let used = compile(used).unwrap();
    assert_eq!(
        used.precompiled_header(),
        None,
        "the program creates no header"
    );
    assert!(used.ptx().contains(".entry"));
    // SAFETY: the folder belongs to this test.
    let automatic = unsafe { source("c").precompiled_headers_in(&folder.0) };
    assert!(compile(automatic).unwrap().precompiled_header().is_some());
    let heap = precompiled_header_heap().unwrap();
    set_precompiled_header_heap(heap).unwrap();
    assert!(precompiled_header_heap().unwrap() >= heap);
    assert!(heap >= 1 << 20, "{heap} bytes");
    let error = compile(source("d").option("--pch")).unwrap_err();
    assert_eq!(error.code(), Code::Checked, "{error}");
    assert_eq!(*error.kind(), ErrorKind::InvalidArgument, "{error}");
}

#[test]
fn compilation_can_be_cancelled() {
    let program = Program::new(SOURCE).cache(Cache::Off);
    let asked = AtomicU32::new(0);
    let never = program.compile_unless(VIRTUAL, || {
        asked.fetch_add(1, Ordering::Relaxed);
        false
    });
    if !has(12, 8) {
        assert_eq!(*never.unwrap_err().kind(), ErrorKind::Unsupported);
        return;
    }
    assert!(never.unwrap().ptx().contains(".entry"));
    assert!(asked.load(Ordering::Relaxed) > 0);
    let error = program.compile_unless(VIRTUAL, || true).unwrap_err();
    assert!(error.to_string().contains("was cancelled"), "{error}");
    let panics: fn() -> bool = || panic!("expected: in the cancel function");
    let error = program.compile_unless(VIRTUAL, panics).unwrap_err();
    assert!(error.to_string().contains("was cancelled"), "{error}");
    assert!(program.compile(VIRTUAL).is_ok());
}

#[test]
fn cancel_function_must_not_compile() {
    let program = Program::new(SOURCE).cache(Cache::Off);
    if !has(12, 8) {
        let error = program.compile_unless(VIRTUAL, || true).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Unsupported);
        return;
    }
    let (sender, receiver) = mpsc::channel();
    let compiling = program.clone();
    thread::spawn(move || {
        let refusals = Mutex::new(Vec::new());
        let cancelled = compiling.compile_unless(VIRTUAL, || {
            let calls = [
                compiling.compile(VIRTUAL).map(drop),
                compiling.compile_unless(VIRTUAL, || false).map(drop),
                set_precompiled_header_heap(64 << 20),
            ];
            // These neither compile nor wait.
            nvrtc_version().unwrap();
            precompiled_header_heap().unwrap();
            refusals
                .lock()
                .unwrap()
                .extend(calls.map(Result::unwrap_err));
            true
        });
        let _ = sender.send((cancelled, refusals.into_inner().unwrap()));
    });
    let result = receiver.recv_timeout(Duration::from_secs(60));
    let (cancelled, refusals) = result.expect("the compilation waits for itself");
    assert!(cancelled.unwrap_err().to_string().contains("was cancelled"));
    assert_eq!(refusals.len(), 3, "the compiler calls the function once");
    for error in refusals {
        assert_eq!(*error.kind(), ErrorKind::InvalidArgument, "{error}");
        assert!(error.to_string().contains("compile_unless"), "{error}");
    }
    // After the compilation, all calls work again.
    assert!(program.compile(VIRTUAL).is_ok());
}
