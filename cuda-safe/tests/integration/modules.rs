use cuda_safe::{
    Architecture, Code, ErrorKind, FunctionAttribute, JitOptions, LaunchConfig, Module, Program,
    sys::CUresult,
};

use crate::{device, kernels};

const PTX: &str = ".version 6.0\n.target sm_50\n.address_size 64\n\
    .visible .entry answer(.param .u64 p) {\n.reg .u64 %a;\n.reg .u32 %v;\n\
    ld.param.u64 %a, [p];\nmov.u32 %v, 42;\nst.global.u32 [%a], %v;\nret;\n}\n";

fn answer_of(module: &Module) -> u32 {
    let stream = cuda_safe::Stream::new(module.context()).unwrap();
    let mut answer = [0u32];
    let arguments = (cuda_safe::Out(&mut answer),);
    // SAFETY: the kernel writes one number.
    unsafe {
        module
            .function("answer")
            .unwrap()
            .launch(&stream, LaunchConfig::new(1, 1), arguments)
    }
    .unwrap();
    answer[0]
}

#[test]
fn ptx_loads_from_text_image_and_file() {
    let (context, _) = device();
    assert_eq!(answer_of(&Module::from_ptx(&context, PTX).unwrap()), 42);
    assert_eq!(
        answer_of(&Module::from_image(&context, PTX.as_bytes()).unwrap()),
        42
    );
    let options = JitOptions::default()
        .max_registers(32)
        .optimization_level(2)
        .line_info();
    assert_eq!(
        answer_of(&Module::from_ptx_with(&context, PTX, &options).unwrap()),
        42
    );
    let path = std::env::temp_dir().join(format!("cuda-safe-test-{}.ptx", std::process::id()));
    std::fs::write(&path, PTX).unwrap();
    let module = Module::from_file(&context, &path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(answer_of(&module), 42);
    module.close().unwrap();
}

#[test]
fn a_fat_binary_loads_and_cut_short_does_not() {
    let (context, stream) = device();
    // PTX for compute_80, packed by CUDA 13.0's fatbinary.
    let fatbin = include_bytes!("../data/kernels.fatbin");
    for module in [
        Module::from_fatbin(&context, fatbin).unwrap(),
        Module::from_image(&context, fatbin).unwrap(),
    ] {
        let (a, b, mut sum) = ([1.0f32, 2.0], [10.0f32, 20.0], [0.0f32; 2]);
        let add = module.function("add").unwrap();
        let arguments = (
            cuda_safe::In(&a),
            cuda_safe::In(&b),
            cuda_safe::Out(&mut sum),
            2u32,
        );
        // SAFETY: the kernel reads two floats of a and b, and writes two of the sum.
        unsafe {
            add.launch(&stream, LaunchConfig::new(1, 32), arguments)
                .unwrap()
        };
        assert_eq!(sum, [11.0, 22.0]);
    }
    for part in 0..10 {
        let cut = &fatbin[..fatbin.len() * part / 10];
        let error = Module::from_fatbin(&context, cut).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Load { .. }), "{error:?}");
    }
}

#[test]
fn images_that_are_none_are_refused() {
    let (context, _) = device();
    let load = |error: cuda_safe::Error| {
        assert!(matches!(error.kind(), ErrorKind::Load { .. }), "{error:?}");
        error.to_string()
    };
    let text = load(Module::from_ptx(&context, "this is not PTX").unwrap_err());
    assert!(text.contains("cuModuleLoadDataEx"), "{text}");
    load(Module::from_ptx(&context, "a\0b").unwrap_err());
    load(Module::from_image(&context, b"\xff\xfe").unwrap_err());
    load(Module::from_image(&context, b"").unwrap_err());
    load(Module::from_cubin(&context, PTX.as_bytes()).unwrap_err());
    load(Module::from_fatbin(&context, PTX.as_bytes()).unwrap_err());
    let text = load(Module::from_ptx(&context, &PTX.replace("6.0", "99.9")).unwrap_err());
    assert!(text.contains("newer than the driver"), "{text}");
    let error = Module::from_file(&context, "/no/such/file.ptx").unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains("/no/such/file.ptx"), "{error}");
}

#[test]
fn a_cubin_cut_anywhere_is_an_error() {
    let (context, _) = device();
    let capability = context.device().compute_capability().unwrap();
    let program = Program::new(crate::KERNELS);
    let compiled = program
        .compile(Architecture::real_of(capability.number()))
        .unwrap();
    let cubin = compiled.cubin().unwrap();
    for part in 0..20 {
        let error = Module::from_cubin(&context, &cubin[..cubin.len() * part / 20]).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Load { .. }), "{error:?}");
    }
}

#[test]
fn a_missing_kernel_is_named_with_those_that_exist() {
    let (context, _) = device();
    let module = kernels(&context);
    let error = module.function("scael").unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::NotFound);
    let text = error.to_string();
    assert!(
        text.contains("`scael`") && text.contains("scale") && text.contains("affine"),
        "{text}"
    );
    assert_eq!(error.code(), Code::Driver(CUresult::CUDA_ERROR_NOT_FOUND));
    let mut names = module.function_names().unwrap();
    names.sort();
    assert_eq!(
        names,
        ["affine", "no_parameters", "scale", "shared_sum", "spin"]
    );
    assert!(module.function("a\0b").is_err());
}

#[test]
fn globals_are_read_written_and_size_checked() {
    let (context, stream) = device();
    let module = Module::compile(
        &context,
        "__device__ int counter = 5; __constant__ float table[4];
         extern \"C\" __global__ void count(float *out) {
             atomicAdd(&counter, 1);
             for (int i = 0; i < 4; ++i) out[i] = 2 * table[i];
         }",
    )
    .unwrap();
    let counter = module.global::<i32>("counter", 1).unwrap();
    assert_eq!(counter.to_vec(&stream).unwrap(), [5]);
    let mut table = module.global::<f32>("table", 4).unwrap();
    table
        .slice_mut(1..)
        .unwrap()
        .copy_from_slice(&stream, &[1.0, 2.0, 3.0])
        .unwrap();
    let count = module.function("count").unwrap();
    drop(module); // the function and the globals hold it
    let mut out = [0.0f32; 4];
    // SAFETY: the kernel writes four floats.
    unsafe {
        count
            .launch(
                &stream,
                LaunchConfig::new(1, 3),
                (cuda_safe::Out(&mut out),),
            )
            .unwrap()
    };
    assert_eq!(out, [0.0, 2.0, 4.0, 6.0]);
    assert_eq!(counter.to_vec(&stream).unwrap(), [8]);
    let error = counter.module().global::<f64>("table", 4).unwrap_err();
    assert!(
        error.to_string().contains("16 bytes") && error.to_string().contains("32"),
        "{error}"
    );
    let error = counter.module().global::<f32>("tabel", 4).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::NotFound);
    let text = error.to_string();
    assert!(text.contains("counter") && text.contains("table"), "{text}");
}

#[test]
fn functions_tell_and_take_attributes() {
    let (context, _) = device();
    let function = kernels(&context).function("shared_sum").unwrap();
    let threads = function
        .attribute(FunctionAttribute::MAX_THREADS_PER_BLOCK)
        .unwrap();
    assert!(threads >= 256, "{threads}");
    function.set_max_dynamic_shared(64 << 10).unwrap();
    let bytes = function
        .attribute(FunctionAttribute::MAX_DYNAMIC_SHARED_SIZE_BYTES)
        .unwrap();
    assert_eq!(bytes, 64 << 10);
    assert!(function.set_max_dynamic_shared(u32::MAX).is_err());
    assert!(
        function
            .set_attribute(FunctionAttribute::NUM_REGS, 1)
            .is_err()
    );
    function
        .set_cache_config(cuda_safe::CacheConfig::L1)
        .unwrap();
    let best = function.best_block_size(0).unwrap();
    assert!(best.block > 0 && best.min_grid > 0);
    assert!(function.max_active_blocks(best.block, 0).unwrap() > 0);
    assert_eq!(function.name(), "shared_sum");
    let parameters = function.parameters().unwrap().unwrap();
    assert_eq!(
        parameters
            .iter()
            .map(|p| (p.offset, p.size))
            .collect::<Vec<_>>(),
        [(0, 8), (8, 4)]
    );
}

#[test]
fn a_raw_module_is_borrowed_and_handed_over() {
    let (context, _) = device();
    let raw = Module::from_ptx(&context, PTX).unwrap().into_raw().unwrap();
    // SAFETY: `raw` stays loaded until the end of the test.
    assert_eq!(answer_of(&unsafe { Module::from_raw(&context, raw) }), 42);
    context.set_current().unwrap();
    // SAFETY: handed over by `into_raw`, and not used again.
    let code = unsafe { cuda_safe::sys::cuModuleUnload(raw) };
    assert_eq!(code, CUresult::CUDA_SUCCESS);
}

#[test]
fn two_globals_of_one_variable_are_not_copied_onto_each_other() {
    let (context, stream) = device();
    let source = "__device__ int x[4] = {1, 2, 3, 4}; __global__ void k() { x[0] = 1; }";
    let module = Module::compile(&context, source).unwrap();
    let (mut a, b) = (
        module.global::<i32>("x", 4).unwrap(),
        module.global::<i32>("x", 4).unwrap(),
    );
    let error = a.copy_from(&stream, &b).unwrap_err();
    assert!(error.to_string().contains("overlap"), "{error}");
    for (to, from) in [(0..2, 1..3), (1..3, 0..2), (0..1, 0..1)] {
        let from = b.slice(from).unwrap();
        assert!(a.slice_mut(to).unwrap().copy_from(&stream, &from).is_err());
    }
    // Beside each other they may be.
    let from = b.slice(2..).unwrap();
    a.slice_mut(..2).unwrap().copy_from(&stream, &from).unwrap();
    let from = b.slice(..1).unwrap();
    a.slice_mut(3..).unwrap().copy_from(&stream, &from).unwrap();
    assert_eq!(a.to_vec(&stream).unwrap(), [3, 4, 3, 3]);
}
