//! Linking several pieces of code to one module.

use std::fs;

use cuda_safe::{
    DeviceBuffer, ErrorKind, LaunchConfig, Module, Out, Program,
    module::{JitOptions, Linker},
    sys::CUjitInputType,
};

use super::programs::Folder;
use crate::{device, failure};

const HEAD: &str = ".version 7.0\n.target sm_50\n.address_size 64\n";
const ANSWER: &str =
    ".visible .func (.param .u32 result) answer() { st.param.u32 [result], 42; ret; }\n";
const STORE: &str = ".extern .func (.param .u32 result) answer();\n\
    .visible .entry store(.param .u64 to) {\n.reg .u64 %to;\n.reg .u32 %value;\n.param .u32 result;\n\
    call (result), answer;\nld.param.u32 %value, [result];\nld.param.u64 %to, [to];\nst.global.u32 [%to], %value;\n\
    ret;\n}\n";

fn ptx(body: &str) -> String {
    format!("{HEAD}{body}")
}

fn stored(module: &Module) -> u32 {
    let stream = cuda_safe::Stream::new(module.context()).unwrap();
    let store = module.function("store").unwrap();
    let mut value = [0u32];
    let config = LaunchConfig::new(1, 1);
    // SAFETY: the kernel writes one number.
    unsafe { store.launch(&stream, config, (Out(&mut value),)) }.unwrap();
    value[0]
}

#[test]
fn linked_modules_outlive_the_linker() {
    let (context, _) = device();
    let linker = Linker::new(&context).unwrap();
    linker.add_ptx("store", &ptx(STORE)).unwrap();
    linker.add_ptx("answer", &ptx(ANSWER)).unwrap();
    let module = linker.finish().unwrap();
    assert_eq!(*linker.context(), context);
    linker.close().unwrap();
    assert_eq!(stored(&module), 42);
}

#[test]
fn linked_image_can_be_loaded_again() {
    let (context, _) = device();
    let linker = Linker::new(&context).unwrap();
    linker.add_ptx("answer", &ptx(ANSWER)).unwrap();
    linker.add_ptx("store", &ptx(STORE)).unwrap();
    let image = linker.finish_to_image().unwrap();
    drop(linker);
    // SAFETY: the driver created the image.
    let module = unsafe { Module::from_image(&context, &image) }.unwrap();
    assert_eq!(stored(&module), 42);
}

#[test]
fn linker_errors_contain_the_log() {
    let (context, _) = device();
    let linker = Linker::new(&context).unwrap();
    linker.add_ptx("store", &ptx(STORE)).unwrap();
    let error = linker.finish().unwrap_err();
    let ErrorKind::Load { log } = error.kind() else {
        panic!("{error:?}");
    };
    assert!(log.contains("answer"), "{error}");

    let linker = Linker::new(&context).unwrap();
    // The driver compiles the code when it is added or when everything is linked.
    let added = linker.add_ptx("wrong.ptx", &ptx("nonsense"));
    let error = added.and_then(|()| linker.finish()).unwrap_err();
    let ErrorKind::Load { log } = error.kind() else {
        panic!("{error:?}");
    };
    assert!(!log.is_empty(), "{error}");
}

#[test]
fn linker_rejects_invalid_ptx_before_the_driver() {
    let (context, _) = device();
    let linker = Linker::new(&context).unwrap();
    for (name, text) in [("elf", "\x7fELF"), ("a\0b", &*ptx(ANSWER))] {
        let error = linker.add_ptx(name, text).unwrap_err();
        assert_eq!(error.driver_code(), None, "{error}");
    }
    let kind = CUjitInputType::CU_JIT_INPUT_PTX;
    let text = ptx(ANSWER) + "\0";
    // SAFETY: the PTX ends in NUL.
    unsafe { linker.add_code(kind, "answer", text.as_bytes()) }.unwrap();
    linker.add_ptx("store", &ptx(STORE)).unwrap();
    assert_eq!(stored(&linker.finish().unwrap()), 42);
}

const ANSWER_CU: &str = "__device__ int answer() { return 42; }";
const STORE_CU: &str = r#"
template <typename T> __global__ void fill(T *to, T value) { *to = value; }
__device__ int answer();
extern "C" __global__ void store(int *to) { *to = answer(); }
"#;

fn programs() -> [Program; 2] {
    let store = Program::new(STORE_CU)
        .name("store.cu")
        .name_expression("fill<float>");
    [Program::new(ANSWER_CU).name("answer.cu"), store]
}

#[test]
fn programs_are_linked_to_one_module() {
    let (context, stream) = device();
    let module = Module::link(&context, programs()).unwrap();
    assert_eq!(stored(&module), 42);
    // Names and parameters are known, as for a single program.
    let fill = module.function("fill<float>").unwrap();
    let mut x = [0f32];
    let config = LaunchConfig::new(1, 1);
    // SAFETY: a launch with wrong arguments fails. Otherwise the kernel writes one number.
    let error = unsafe { fill.launch(&stream, config, (Out(&mut x), 1u32)) }.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::LaunchArguments, "{error}");
    // SAFETY: as above.
    unsafe { fill.launch(&stream, config, (Out(&mut x), 1f32)) }.unwrap();
    assert_eq!(x, [1.0]);
    failure(module.function("absent")).detail_contains("fill<float>, store");
}

#[test]
fn missing_and_duplicate_symbols_are_reported() {
    let (context, _) = device();
    let [answer, store] = programs();
    for (programs, name) in [
        (vec![store.clone()], "answer"),
        (vec![answer.clone(), answer, store], "answer"),
    ] {
        let error = Module::link(&context, programs).unwrap_err();
        let ErrorKind::Load { log } = error.kind() else {
            panic!("{error}");
        };
        assert!(log.contains(name), "{error}");
    }
    let error = Module::link(&context, [Program::new("no CUDA C++").name("b.cu")]).unwrap_err();
    assert!(error.detail().contains("b.cu(1)"), "{error}");
}

#[test]
fn linker_accepts_options() {
    let (context, _) = device();
    let options = JitOptions::default().max_registers(32).verbose(true);
    let linker = Linker::with_options(&context, &options).unwrap();
    linker.add_programs(programs()).unwrap();
    assert_eq!(stored(&linker.finish().unwrap()), 42);
    let _ = linker.info_log(); // the contents depend on the driver
    assert!(Linker::with_options(&context, &JitOptions::default().max_registers(0)).is_err());
}

#[test]
fn linker_detects_file_types() {
    let (context, _) = device();
    let folder = Folder::new("link");
    let answer = folder.path("answer.ptx");
    fs::write(&answer, ptx(ANSWER)).unwrap();
    let linker = Linker::new(&context).unwrap();
    // SAFETY: the file contains PTX text.
    unsafe {
        linker.add_file(&answer).unwrap();
        linker.add_image("store", ptx(STORE).as_bytes()).unwrap();
    }
    assert_eq!(stored(&linker.finish().unwrap()), 42);
    // SAFETY: the file does not exist, so the driver loads no code.
    unsafe {
        failure(linker.add_file(folder.path("none"))).of_kind(ErrorKind::NotFound);
        fs::write(&answer, "no PTX").unwrap();
        let error = linker.add_file(&answer).unwrap_err();
        assert!(error.detail().contains("answer.ptx"), "{error}");
        assert_eq!(error.driver_code(), None);
    }
}

/// Computes the sum of `1..=n` with kernels that each launch two more.
const TREE: &str = r#"
extern "C" __global__ void tree(int from, int to, int *sum) {
    if (to - from < 4) {
        for (int i = from; i <= to; ++i) atomicAdd(sum, i);
        return;
    }
    const int middle = (from + to) / 2;
    tree<<<1, 1>>>(from, middle, sum);
    tree<<<1, 1>>>(middle + 1, to, sum);
}
"#;

#[test]
fn kernels_can_launch_kernels() {
    let (context, stream) = device();
    let module = Module::compile_with_device_runtime(&context, TREE).unwrap();
    let mut sum = DeviceBuffer::<i32>::zeroed(&stream, 1).unwrap();
    let tree = module.function("tree").unwrap();
    // SAFETY: the kernels add to one number.
    unsafe { tree.launch(&stream, LaunchConfig::new(1, 1), (1, 100, &mut sum)) }.unwrap();
    assert_eq!(sum.to_vec(&stream).unwrap(), [5050]);
    // Without the device runtime, its symbols are missing.
    let error = Module::link(&context, [Program::new(TREE)]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Load { .. }), "{error}");
}
