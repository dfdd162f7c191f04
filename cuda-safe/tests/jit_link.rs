//! Link-time optimization by nvJitLink. The behaviour without the library is always tested. The
//! other tests need it and are ignored by default: `make lto` installs it and runs them.
#![cfg(feature = "nvrtc")]

use std::{env, process::Command};

use cuda_safe::{
    Architecture, Code, Context, ErrorKind, LaunchConfig, Library, Module, Out, Program, Stream,
    module::JitOptions,
    program::{Cache, JitLinkOptions, JitLinkStatus, JitLinker},
};

const ANSWER: &str = "__device__ int answer() { return 42; }";
const USER: &str = r#"
__device__ int answer();
template <typename T> __global__ void fill(T *x, T value) { *x = value + answer(); }
extern "C" __global__ void store(int *x) { *x = answer(); }
"#;
const TARGET: Architecture = Architecture::virtual_of(75);

fn programs() -> [Program; 2] {
    let user = Program::new(USER)
        .name("user.cu")
        .name_expression("fill<float>");
    [Program::new(ANSWER).name("answer.cu"), user]
}

/// Returns a linker with both programs.
fn linker(target: Architecture) -> JitLinker {
    let mut linker = JitLinker::new(target, &JitLinkOptions::default());
    for (name, program) in ["answer", "user"].into_iter().zip(programs()) {
        let compiled = program.lto().compile(target).unwrap();
        linker.add_compiled(name, &compiled).unwrap();
    }
    linker
}

fn stored(module: &Module) -> i32 {
    let stream = Stream::new(module.context()).unwrap();
    let store = module.function("store").unwrap();
    let mut x = [0];
    // SAFETY: the kernel writes one number.
    unsafe { store.launch(&stream, LaunchConfig::new(1, 1), (Out(&mut x),)) }.unwrap();
    x[0]
}

#[test]
#[cfg_attr(windows, ignore = "the files and texts are those of Linux's loader")]
fn missing_nvjitlink_error_names_the_searched_file() {
    const VARIABLE: &str = "CUDA_SAFE_LIBNVJITLINK";
    const FILES: [&str; 2] = ["/no/such/libnvJitLink.so", "libc.so.6"];
    let file = env::var(VARIABLE).unwrap_or_default();
    if !FILES.contains(&&*file) {
        for file in FILES {
            let test = "missing_nvjitlink_error_names_the_searched_file";
            let output = Command::new(env::current_exe().unwrap())
                .args([test, "--exact", "--nocapture"])
                .env(VARIABLE, file)
                .output()
                .unwrap();
            let text =
                String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
            assert!(
                output.status.success() && text.contains("1 passed"),
                "{text}"
            );
        }
        return;
    }
    let context = Context::primary(0).unwrap();
    for error in [
        linker(TARGET).link().unwrap_err(),
        Module::link_optimized(&context, programs(), &JitLinkOptions::default()).unwrap_err(),
    ] {
        assert_eq!(*error.kind(), ErrorKind::NoCompiler, "{error}");
        for part in [
            &*format!("nvJitLink was not found: looked for {file} ({VARIABLE}). "),
            if file == FILES[1] {
                "libc.so.6: it has no nvJitLinkCreate"
            } else {
                "cannot open shared object file"
            },
            "`pip install nvidia-nvjitlink`",
            "`conda install -c conda-forge libnvjitlink`",
            "`apt install libnvjitlink-13-0`",
        ] {
            assert!(error.detail().contains(part), "no {part:?} in {error}");
        }
    }
}

#[test]
fn lto_programs_cannot_be_loaded_as_modules() {
    let context = Context::primary(0).unwrap();
    let folder = env::temp_dir().join(format!("cuda-safe-lto-{}", std::process::id()));
    let program = Program::new(ANSWER)
        .lto()
        .cache(Cache::Folder(folder.clone()));
    let compiled = program.compile(TARGET).unwrap();
    let again = program.compile(TARGET).unwrap();
    assert!(again.is_from_cache() && again.lto_ir() == compiled.lto_ir());
    assert!(compiled.ptx().is_empty() && compiled.cubin().is_none());
    let options = JitOptions::default();
    for error in [
        Module::from_compiled(&context, &compiled, &options).unwrap_err(),
        Library::from_compiled(&compiled, &options).unwrap_err(),
    ] {
        assert!(error.detail().contains("JitLinker"), "{error}");
    }
    assert_eq!(Program::new(ANSWER).compile(TARGET).unwrap().lto_ir(), None);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn linker_rejects_invalid_inputs() {
    let mut linker = JitLinker::new(TARGET, &JitLinkOptions::default());
    let compiled = Program::new(ANSWER).compile(TARGET).unwrap();
    // SAFETY: no input contains machine code.
    let errors = unsafe {
        [
            linker.add_compiled("a\0b", &compiled).unwrap_err(),
            linker.add_ptx("a", ".version\0").unwrap_err(),
            linker.add_image("a\0b", b"\x7fELF").unwrap_err(),
        ]
    };
    for error in errors {
        assert_eq!(*error.kind(), ErrorKind::InvalidArgument, "{error}");
    }
    // SAFETY: as above.
    let error = unsafe { linker.add_file("no/such/file.o") }.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::NotFound, "{error}");
    // SAFETY: as above.
    let error = unsafe { linker.add_image("a", b"\xff\xfe") }.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Load { .. }), "{error}");
}

#[test]
#[ignore = "needs nvJitLink (make lto)"]
fn functions_of_one_program_are_inlined_in_another() {
    let linked = linker(TARGET).link().unwrap();
    assert!(!linked.ptx().contains("call"), "{}", linked.ptx());
    assert_eq!(linked.cubin(), None);
    let context = Context::primary(0).unwrap();
    let module = Module::from_compiled(&context, &linked, &JitOptions::default()).unwrap();
    assert_eq!(stored(&module), 42);
    assert!(module.function("fill<float>").is_ok());
    let library = Library::from_compiled(&linked, &JitOptions::default()).unwrap();
    assert_eq!(stored(&library.module(&context).unwrap()), 42);
}

#[test]
#[ignore = "needs nvJitLink (make lto)"]
fn link_optimized_compiles_links_and_loads() {
    let context = Context::primary(0).unwrap();
    let options = JitLinkOptions::default()
        .max_registers(32)
        .optimization_level(3);
    let module = Module::link_optimized(&context, programs(), &options).unwrap();
    assert_eq!(stored(&module), 42);
    let fill = module.function("fill<float>").unwrap();
    let stream = Stream::new(&context).unwrap();
    let mut x = [0f32];
    // SAFETY: the kernel writes one number.
    unsafe { fill.launch(&stream, LaunchConfig::new(1, 1), (Out(&mut x), 0.5f32)) }.unwrap();
    assert_eq!(x, [42.5]);
}

#[test]
#[ignore = "needs nvJitLink (make lto)"]
fn real_architecture_links_to_machine_code() {
    let linked = linker(Architecture::real_of(90)).link().unwrap();
    assert!(linked.cubin().unwrap().starts_with(b"\x7fELF"));
    assert!(linked.ptx().is_empty());
    assert!(linked.lowered_name("fill<float>").is_some());
}

#[test]
#[ignore = "needs nvJitLink (make lto)"]
fn programs_without_lto_ir_can_be_linked() {
    let target = Architecture::real_of(90);
    let mut linker = JitLinker::new(target, &JitLinkOptions::default());
    let [answer, user] = programs();
    let answer = answer
        .relocatable()
        .compile(Architecture::virtual_of(90))
        .unwrap();
    linker.add_ptx("answer.ptx", answer.ptx()).unwrap();
    linker
        .add_compiled("user", &user.relocatable().compile(target).unwrap())
        .unwrap();
    assert!(linker.link().unwrap().cubin().is_some());
}

#[test]
#[ignore = "needs nvJitLink (make lto)"]
fn link_errors_contain_the_log() {
    let target = Architecture::real_of(90);
    let [answer, user] = programs().map(|one| one.lto().compile(target).unwrap());
    let none = JitLinkOptions::default();
    let link = |options: &JitLinkOptions, inputs: &[&cuda_safe::CompiledProgram]| {
        let mut linker = JitLinker::new(target, options);
        for (number, input) in inputs.iter().enumerate() {
            linker
                .add_compiled(&format!("input {number}"), input)
                .unwrap();
        }
        linker.link().unwrap_err()
    };
    for (error, expected) in [
        (link(&none, &[&user]), "answer"),
        (link(&none, &[&user, &answer, &answer]), "answer"),
        (
            link(&none.clone().option("-bogus"), &[&user, &answer]),
            "-bogus",
        ),
        (link(&none.clone().option("a\0b"), &[&user]), "NUL"),
    ] {
        assert!(error.detail().contains(expected), "{error}");
    }
    let error = link(&none, &[&user]);
    let ErrorKind::Load { log } = error.kind() else {
        panic!("{error}");
    };
    assert!(log.contains("answer"), "{log}");
    assert_eq!(
        error.code(),
        Code::JitLink(JitLinkStatus::PTX_COMPILE),
        "{error}"
    );
    let error = link(&none.option("-bogus"), &[]);
    assert_eq!(
        error.code(),
        Code::JitLink(JitLinkStatus::UNRECOGNIZED_OPTION)
    );
}
