//! Several pieces of code become one module.

use cuda_safe::{ErrorKind, LaunchConfig, Linker, Module, Out, sys::CUjitInputType};

use crate::device;

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
fn pieces_are_linked_and_outlive_their_linker() {
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
fn the_image_is_a_module_of_its_own() {
    let (context, _) = device();
    let linker = Linker::new(&context).unwrap();
    linker.add_ptx("answer", &ptx(ANSWER)).unwrap();
    linker.add_ptx("store", &ptx(STORE)).unwrap();
    let image = linker.finish_to_image().unwrap();
    drop(linker);
    // SAFETY: made by the driver just now.
    let module = unsafe { Module::from_image(&context, &image) }.unwrap();
    assert_eq!(stored(&module), 42);
}

#[test]
fn what_is_missing_or_wrong_is_reported_with_the_log() {
    let (context, _) = device();
    let linker = Linker::new(&context).unwrap();
    linker.add_ptx("store", &ptx(STORE)).unwrap();
    let error = linker.finish().unwrap_err();
    let ErrorKind::Load { log } = error.kind() else {
        panic!("{error:?}");
    };
    assert!(log.contains("answer"), "{error}");

    let linker = Linker::new(&context).unwrap();
    // It is compiled when it is added, or when all is linked.
    let added = linker.add_ptx("wrong.ptx", &ptx("nonsense"));
    let error = added.and_then(|()| linker.finish()).unwrap_err();
    let ErrorKind::Load { log } = error.kind() else {
        panic!("{error:?}");
    };
    assert!(!log.is_empty(), "{error}");
}

#[test]
fn what_is_no_ptx_never_reaches_the_driver() {
    let (context, _) = device();
    let linker = Linker::new(&context).unwrap();
    for (name, text) in [("elf", "\x7fELF"), ("a\0b", &*ptx(ANSWER))] {
        let error = linker.add_ptx(name, text).unwrap_err();
        assert_eq!(error.driver_code(), None, "{error}");
    }
    let kind = CUjitInputType::CU_JIT_INPUT_PTX;
    let text = ptx(ANSWER) + "\0";
    // SAFETY: PTX that ends in NUL.
    unsafe { linker.add_code(kind, "answer", text.as_bytes()) }.unwrap();
    linker.add_ptx("store", &ptx(STORE)).unwrap();
    assert_eq!(stored(&linker.finish().unwrap()), 42);
}
