//! Code embedded in the program: machine code for the device, or PTX.

use cuda_safe::{
    Architecture, ErrorKind, LaunchConfig, Library, Module, Out, Program, module::Embedded,
};

use crate::device;

const SOURCE: &str = "template <typename T> __global__ void fill(T *x, T value) { *x = value; }";

/// Returns the output of a build script for the architecture.
fn embedded(architecture: Architecture, with_ptx: bool) -> Embedded {
    let program = Program::new(SOURCE).name_expression("fill<int>");
    let compiled = program.compile(architecture).unwrap();
    let leak = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let mut cubins = Vec::new();
    if let Some(cubin) = compiled.cubin() {
        let bytes: &'static [u8] = Box::leak(cubin.to_vec().into_boxed_slice());
        cubins.push((leak(architecture.to_string()), bytes));
    }
    let ptx = if with_ptx { compiled.ptx() } else { "" };
    let linked = leak(compiled.lowered_name("fill<int>").unwrap().to_owned());
    // SAFETY: the compiler produced this code, and it is unmodified.
    unsafe { Embedded::new(Box::leak(cubins.into_boxed_slice()), leak(ptx.to_owned())) }
        .with_names(Box::leak(Box::new([("fill<int>", linked)])))
}

fn filled(module: &Module) -> i32 {
    let stream = cuda_safe::Stream::new(module.context()).unwrap();
    let fill = module.function("fill<int>").unwrap();
    let mut x = [0i32];
    let config = LaunchConfig::new(1, 1);
    // SAFETY: a launch with wrong arguments fails. Otherwise the kernel writes one number.
    let error = unsafe { fill.launch(&stream, config, (Out(&mut x), 7f32)) }.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::LaunchArguments, "{error}");
    // SAFETY: as above.
    unsafe { fill.launch(&stream, config, (Out(&mut x), 7i32)) }.unwrap();
    x[0]
}

#[test]
fn embedded_code_falls_back_to_ptx() {
    let (context, _) = device();
    let own = Architecture::for_device(context.device().compute_capability().unwrap()).unwrap();
    for architecture in [own, Architecture::real_of(75), Architecture::virtual_of(75)] {
        let embedded = embedded(architecture, true);
        assert_eq!(
            filled(&Module::from_embedded(&context, &embedded).unwrap()),
            7
        );
        let library = Library::from_embedded(context.device(), &embedded).unwrap();
        assert_eq!(filled(&library.module(&context).unwrap()), 7);
        assert!(library.kernel("fill<int>").is_ok());
    }
}

#[test]
fn missing_embedded_code_error_lists_the_architectures() {
    let (context, _) = device();
    // An architecture of another generation than the device.
    let other = match context.device().compute_capability().unwrap().major {
        8 => 90,
        _ => 80,
    };
    let embedded = embedded(Architecture::real_of(other), false);
    for error in [
        Module::from_embedded(&context, &embedded).unwrap_err(),
        Library::from_embedded(context.device(), &embedded).unwrap_err(),
    ] {
        assert!(matches!(error.kind(), ErrorKind::Load { .. }), "{error}");
        assert!(
            error.detail().contains(&format!("sm_{other}")) && error.detail().contains("no PTX"),
            "{error}"
        );
    }
}
