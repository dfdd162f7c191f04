use std::{
    ffi::CString,
    path::{Path, PathBuf},
    ptr,
};

use cuda_safe::{
    Architecture, Code, Context, ErrorKind, LaunchConfig, Module, Program, Result,
    module::{FunctionAttribute, JitOptions},
    sys::{self, CUresult},
};

use super::failure::Failure;
use crate::{device, failure, kernels, rejection};

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

/// A file that exists as long as this object.
struct File(PathBuf);

impl File {
    fn new(name: &str, contents: &[u8]) -> Self {
        let name = format!("cuda-safe-test-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, contents).unwrap();
        Self(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn from_image(context: &Context, image: &[u8]) -> Result<Module> {
    // SAFETY: the image is PTX, compiler output, or rejected before the driver reads it.
    unsafe { Module::from_image(context, image) }
}

fn from_cubin(context: &Context, image: &[u8]) -> Result<Module> {
    // SAFETY: as above.
    unsafe { Module::from_cubin(context, image) }
}

fn from_fatbin(context: &Context, image: &[u8]) -> Result<Module> {
    // SAFETY: as above.
    unsafe { Module::from_fatbin(context, image) }
}

fn from_file(context: &Context, path: impl AsRef<Path>) -> Result<Module> {
    // SAFETY: as above. The files belong to this test.
    unsafe { Module::from_file(context, path) }
}

/// Returns the error for an image that was rejected before any driver call.
#[track_caller]
fn image_error(result: Result<Module>) -> Failure {
    let error = failure(result).of_kind(ErrorKind::Load { log: String::new() });
    assert_eq!(error.code(), Code::Checked, "the image reached the driver");
    error
}

#[test]
fn ptx_loads_from_text_image_and_file() {
    let (context, _) = device();
    assert_eq!(answer_of(&Module::from_ptx(&context, PTX).unwrap()), 42);
    for image in [PTX.as_bytes(), format!("{PTX}\0").as_bytes()] {
        assert_eq!(answer_of(&from_image(&context, image).unwrap()), 42);
        let file = File::new("a.ptx", image);
        let module = Module::from_ptx_file(&context, &file.0).unwrap();
        assert_eq!(answer_of(&module), 42);
        let module = from_file(&context, &file.0).unwrap();
        drop(file);
        assert_eq!(answer_of(&module), 42);
        module.close().unwrap();
    }
    let options = JitOptions::default()
        .max_registers(32)
        .optimization_level(2)
        .line_info(true);
    assert_eq!(
        answer_of(&Module::from_ptx_with(&context, PTX, &options).unwrap()),
        42
    );
}

#[test]
fn whitespace_and_comments_before_version_are_skipped() {
    let (context, _) = device();
    for head in ["\n \t\r\n", "// a comment\n/* and\nanother */ "] {
        let module = Module::from_ptx(&context, &format!("{head}{PTX}")).unwrap();
        assert_eq!(answer_of(&module), 42);
    }
}

/// The driver would take such a text for an image whose headers contain lengths, and read beyond
/// its end.
#[test]
fn invalid_ptx_text_never_reaches_the_driver() {
    let (context, _) = device();
    let elf = format!("\x7fELF\x02\x01\x01{PTX}");
    let linked = format!("EMULINK\x01{PTX}");
    for (text, word) in [
        (elf.as_str(), "Module::from_cubin"),
        (&linked, "linker"),
        ("EMULINK\x02", "linker"),
        ("this is not PTX", "this is not PTX"),
        ("", "no PTX"),
        (&format!("x{PTX}"), "does not begin with `.version`"),
        (&format!("\u{feff}{PTX}"), "byte order mark"),
        (&format!("/*{PTX}"), "unterminated comment"),
        (&format!("{PTX}\0"), "NUL"),
        ("extern \"C\" __global__ void k() {}", "Module::compile"),
    ] {
        image_error(Module::from_ptx(&context, text)).mentions(word);
        let options = JitOptions::default();
        image_error(Module::from_ptx_with(&context, text, &options));
        let file = File::new("b.ptx", text.as_bytes());
        if !text.ends_with('\0') {
            image_error(Module::from_ptx_file(&context, &file.0))
                .mentions(word)
                .mentions(file.0.to_str().unwrap());
        }
    }
    // Files with contents that are not text.
    for (image, word) in [
        (&include_bytes!("../data/kernels.fatbin")[..], "from_fatbin"),
        (b"\xb1CbF\x01\0\0\0\0\0\0\0\0\0\0\0", "wrapper"),
        (b"\xff\xfe.\0v\0", "neither PTX text"),
    ] {
        let file = File::new("c.ptx", image);
        image_error(Module::from_ptx_file(&context, &file.0)).mentions(word);
    }
}

#[test]
fn fat_binary_loads_and_truncated_one_is_rejected() {
    let (context, stream) = device();
    // PTX for compute_80, packed by CUDA 13.0's fatbinary.
    let fatbin = include_bytes!("../data/kernels.fatbin");
    let file = File::new("kernels.fatbin", fatbin);
    for module in [
        from_fatbin(&context, fatbin).unwrap(),
        from_image(&context, fatbin).unwrap(),
        from_file(&context, &file.0).unwrap(),
    ] {
        let (a, b, mut sum) = ([1.0f32, 2.0], [10.0f32, 20.0], [0.0f32; 2]);
        let add = module.function("add").unwrap();
        let arguments = (
            cuda_safe::In(&a),
            cuda_safe::In(&b),
            cuda_safe::Out(&mut sum),
            2u32,
        );
        // SAFETY: the kernel reads two floats of `a` and `b`, and writes two floats of the sum.
        unsafe { add.launch(&stream, LaunchConfig::new(1, 32), arguments) }.unwrap();
        assert_eq!(sum, [11.0, 22.0]);
    }
    for length in (0..fatbin.len()).step_by(7) {
        image_error(from_fatbin(&context, &fatbin[..length]));
        image_error(from_image(&context, &fatbin[..length]));
    }
}

/// The driver's linker.
struct Linker(sys::CUlinkState);

impl Linker {
    /// Returns PTX linked by the driver, which is machine code on a GPU.
    fn link(context: &Context, ptx: &str) -> Vec<u8> {
        context.set_current().unwrap();
        let mut linker = Self(ptr::null_mut());
        // SAFETY: there are no options, and the handle is valid for writes.
        let code =
            unsafe { sys::cuLinkCreate_v2(0, ptr::null_mut(), ptr::null_mut(), &mut linker.0) };
        assert_eq!(code, CUresult::CUDA_SUCCESS);
        let text = CString::new(ptx).unwrap();
        let kind = sys::CUjitInputType::CU_JIT_INPUT_PTX;
        let (place, size) = (text.as_ptr().cast_mut().cast(), ptx.len() + 1);
        let (keys, values) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: the linker is live, the text ends in NUL, and there are no options.
        let code = unsafe {
            sys::cuLinkAddData_v2(linker.0, kind, place, size, c"a".as_ptr(), 0, keys, values)
        };
        assert_eq!(code, CUresult::CUDA_SUCCESS);
        let (mut image, mut size) = (ptr::null_mut(), 0);
        // SAFETY: the linker is live, and the pointers are valid for writes.
        let code = unsafe { sys::cuLinkComplete(linker.0, &mut image, &mut size) };
        assert_eq!(code, CUresult::CUDA_SUCCESS);
        // SAFETY: the image belongs to the linker, which is still alive.
        unsafe { std::slice::from_raw_parts(image.cast::<u8>(), size) }.to_vec()
    }
}

impl Drop for Linker {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: the linker is destroyed once.
            let _ = unsafe { sys::cuLinkDestroy(self.0) };
        }
    }
}

#[test]
fn linked_images_are_loaded_as_machine_code() {
    let (context, _) = device();
    let image = Linker::link(&context, PTX);
    assert_eq!(answer_of(&from_cubin(&context, &image).unwrap()), 42);
    assert_eq!(answer_of(&from_image(&context, &image).unwrap()), 42);
    for part in 0..20 {
        image_error(from_cubin(&context, &image[..image.len() * part / 20]));
    }
}

#[test]
fn invalid_images_are_rejected() {
    let (context, _) = device();
    image_error(from_image(&context, b"\xff\xfe"));
    image_error(from_image(&context, b""));
    image_error(from_image(&context, b"this is not PTX"));
    image_error(from_image(&context, b"\xb1CbF\x01\0\0\0")).mentions("wrapper");
    image_error(from_cubin(&context, PTX.as_bytes()));
    image_error(from_fatbin(&context, PTX.as_bytes()));
    let error = Module::from_ptx(&context, &PTX.replace("6.0", "99.9")).unwrap_err();
    let ErrorKind::Load { log } = error.kind() else {
        panic!("{error:?}")
    };
    assert!(error.detail().contains("newer than the driver"), "{error}");
    assert!(error.detail().ends_with(log.as_str()), "{error}");
    for error in [
        from_file(&context, "/no/such/file.ptx").unwrap_err(),
        Module::from_ptx_file(&context, "/no/such/file.ptx").unwrap_err(),
    ] {
        assert_eq!(*error.kind(), ErrorKind::NotFound);
        assert!(error.to_string().contains("/no/such/file.ptx"), "{error}");
    }
}

#[test]
fn ptx_errors_contain_the_log_of_the_driver() {
    let (context, _) = device();
    let error = Module::from_ptx(&context, &PTX.replace("mov", "mvo")).unwrap_err();
    let ErrorKind::Load { log } = error.kind() else {
        panic!("{error:?}")
    };
    assert!(log.contains("mvo") && log.trim_end() == log, "{log:?}");
    assert_eq!(error.detail(), log);
    assert!(error.driver_code().is_some());
}

#[test]
fn truncated_cubin_is_rejected() {
    let (context, _) = device();
    let capability = context.device().compute_capability().unwrap();
    let program = Program::new(crate::KERNELS);
    let compiled = program
        .compile(Architecture::real_of(capability.number()))
        .unwrap();
    let cubin = compiled.cubin().unwrap();
    for length in (0..cubin.len()).step_by(11).chain([cubin.len() - 1]) {
        image_error(from_cubin(&context, &cubin[..length]));
        image_error(from_image(&context, &cubin[..length]));
    }
    // The complete cubin reaches the driver, which may accept it.
    let file = File::new("kernels.cubin", cubin);
    for result in [
        from_cubin(&context, cubin),
        from_image(&context, cubin),
        from_file(&context, &file.0),
    ] {
        if let Err(error) = result {
            assert_eq!(
                error.driver_code(),
                Some(CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU),
                "{error}"
            );
            let message = error.detail();
            let words = format!("compute capability {capability}");
            assert!(message.contains(&words), "{message}");
        }
    }
}

#[test]
fn missing_kernel_error_lists_existing_kernels() {
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
    rejection(module.function("a\0b"));
    rejection(module.global::<u32>("a\0b", 1));
}

#[test]
fn module_without_kernels_has_no_names() {
    let (context, _) = device();
    let ptx = ".version 6.0\n.target sm_50\n.address_size 64\n.visible .global .u32 lonely;\n";
    let module = Module::from_ptx(&context, ptx).unwrap();
    assert!(module.function_names().unwrap().is_empty());
    let error = module.function("k").unwrap_err();
    assert!(!error.detail().contains("it has"), "{error}");
    failure(module.global::<u32>("k", 1)).detail_contains("it has lonely");
    let module = Module::from_ptx(&context, PTX).unwrap();
    let error = module.global::<u32>("k", 1).unwrap_err();
    assert!(!error.detail().contains("it has"), "{error}");
}

#[test]
fn name_expressions_are_listed_as_kernels() {
    let (context, _) = device();
    let program = Program::new("template <int N> __global__ void fill(int *x) { *x = N; }")
        .name_expression("fill<3>");
    let module = Module::compile(&context, program).unwrap();
    let linked = module.function("fill<3>").unwrap();
    assert_eq!(linked.module(), &module);
    let error = module.function("fill").unwrap_err();
    assert!(
        error.detail().contains("; it has fill<3>. C++"),
        "a name is shown twice: {error}"
    );
    // Whitespace in name expressions does not matter.
    assert!(module.function("fill< 3 >").is_ok());
    let program = Program::new("template <typename T> __global__ void fill(T *x) { *x = 1; }")
        .name_expression("fill< unsigned  int >")
        .name_expression("fill<float>")
        .name_expression("fill< float >");
    let module = Module::compile(&context, program).unwrap();
    assert!(module.function("fill<unsigned int>").is_ok());
    assert!(module.function("fill<unsignedint>").is_err());
    failure(module.function("fill<int>"))
        .detail_contains("; it has fill< unsigned  int >, fill<float>. C++");
}

#[test]
fn invalid_name_expression_is_named() {
    let source = "template <typename T> __global__ void fill(T *x) { *x = 1; }";
    let program = Program::new(source)
        .name_expression("fill<float>")
        .name_expression("fil<int>");
    let error = program
        .compile(cuda_safe::Architecture::virtual_of(90))
        .unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains(
            "name expression `fil<int>`: error: identifier \"fil\" is undefined\n  fil<int>\n  ^\n"
        ),
        "{text}"
    );
    assert!(
        !text.contains("__nv_name_map") && !text.contains("nv_mangled_name"),
        "{text}"
    );
    assert!(!text.contains("Error in parsing name expression"), "{text}");
}

#[test]
fn modules_with_the_same_handle_are_equal() {
    let (context, _) = device();
    let one = Module::from_ptx(&context, PTX).unwrap();
    let other = Module::from_ptx(&context, PTX).unwrap();
    assert!(one == one.clone() && one != other);
    // SAFETY: `one` outlives the borrow.
    assert!(one == unsafe { Module::borrow_raw(one.as_raw(), &context) });
    assert_eq!(
        format!("{one:?}"),
        format!("Module({:p}, {context:?})", one.as_raw())
    );
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
    drop(module); // the function and the globals keep it loaded
    let mut out = [0.0f32; 4];
    let arguments = (cuda_safe::Out(&mut out),);
    // SAFETY: the kernel writes four floats.
    unsafe { count.launch(&stream, LaunchConfig::new(1, 3), arguments) }.unwrap();
    assert_eq!(out, [0.0, 2.0, 4.0, 6.0]);
    assert_eq!(counter.to_vec(&stream).unwrap(), [8]);
    failure(counter.module().global::<f64>("table", 4))
        .mentions("16 bytes")
        .mentions("32");
    let error = counter.module().global::<f32>("tabel", 4).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::NotFound);
    let text = error.to_string();
    assert!(text.contains("counter") && text.contains("table"), "{text}");
}

#[test]
fn function_attributes_can_be_read_and_set() {
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
        .set_cache_config(cuda_safe::context::CacheConfig::L1)
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
fn raw_module_can_be_borrowed_and_given_up() {
    let (context, _) = device();
    let module = Module::from_ptx(&context, PTX).unwrap();
    // `into_raw` fails while there are other references, and for borrowed modules.
    let twin = module.clone();
    let module = module.into_raw().unwrap_err();
    assert_eq!(module, twin);
    drop(twin);
    // SAFETY: `module` outlives the borrow.
    let borrowed = unsafe { Module::borrow_raw(module.as_raw(), &context) };
    let borrowed = borrowed.into_raw().unwrap_err();
    assert_eq!(borrowed, module);
    borrowed.close().unwrap();
    assert_eq!(answer_of(&module), 42);
    let raw = module.into_raw().unwrap();
    // SAFETY: `raw` stays loaded until the end of the test.
    assert_eq!(answer_of(&unsafe { Module::borrow_raw(raw, &context) }), 42);
    context.set_current().unwrap();
    // SAFETY: `into_raw` gave up the handle, and it is not used again.
    let code = unsafe { sys::cuModuleUnload(raw) };
    assert_eq!(code, CUresult::CUDA_SUCCESS);
}

#[test]
fn overlapping_copies_between_globals_are_rejected() {
    let (context, stream) = device();
    let source = "__device__ int x[4] = {1, 2, 3, 4}; __global__ void k() { x[0] = 1; }";
    let module = Module::compile(&context, source).unwrap();
    let mut a = module.global::<i32>("x", 4).unwrap();
    let b = module.global::<i32>("x", 4).unwrap();
    failure(a.copy_from(&stream, &b)).mentions("overlap");
    for (to, from) in [(0..2, 1..3), (1..3, 0..2), (0..1, 0..1)] {
        let from = b.slice(from).unwrap();
        assert!(a.slice_mut(to).unwrap().copy_from(&stream, &from).is_err());
    }
    assert!(format!("{a:?}").starts_with("Global(0x"), "{a:?}");
    // Adjacent parts can be copied in both directions.
    let from = b.slice(..2).unwrap();
    a.slice_mut(2..).unwrap().copy_from(&stream, &from).unwrap();
    assert_eq!(a.to_vec(&stream).unwrap(), [1, 2, 1, 2]);
    a.copy_from_slice(&stream, &[1, 2, 3, 4]).unwrap();
    let from = b.slice(2..).unwrap();
    a.slice_mut(..2).unwrap().copy_from(&stream, &from).unwrap();
    let from = b.slice(..1).unwrap();
    a.slice_mut(3..).unwrap().copy_from(&stream, &from).unwrap();
    assert_eq!(a.to_vec(&stream).unwrap(), [3, 4, 3, 3]);
}
