//! Libraries: code that is loaded once and used in any context.

use std::{fs, time::Duration};

use cuda_safe::{
    Context, ContextFlags, Device, DeviceBuffer, ErrorKind, LaunchConfig, Library, Module, Out,
    Program, Stream,
    context::CacheConfig,
    module::{FunctionAttribute, JitOptions, LoadingMode, loading_mode},
};

use super::programs::Folder;
use crate::{KERNELS, compile, device, failure};

const PTX: &str = ".version 7.0\n.target sm_75\n.address_size 64\n\
    .visible .global .align 4 .u32 counter = 5;\n\
    .visible .global .attribute(.managed) .align 4 .u32 common = 7;\n\
    .visible .entry store(.param .u64 to, .param .u32 value) {\n.reg .u64 %to;\n.reg .u32 %value;\n\
    ld.param.u64 %to, [to];\nld.param.u32 %value, [value];\nst.global.u32 [%to], %value;\nret;\n}\n\
    .visible .entry nothing() { ret; }\n";

fn of(code: &str) -> Library {
    Library::from_ptx(code).unwrap()
}

fn stored(library: &Library, context: &Context, value: u32) -> u32 {
    let stream = Stream::new(context).unwrap();
    let store = library.kernel("store").unwrap().function(context).unwrap();
    let mut to = [0u32];
    // SAFETY: the kernel writes one number.
    unsafe { store.launch(&stream, LaunchConfig::new(1, 1), (Out(&mut to), value)) }.unwrap();
    to[0]
}

#[test]
fn library_works_in_several_contexts() {
    let library = of(PTX);
    let (first, _) = device();
    let second = Context::create(first.device(), ContextFlags::AUTO).unwrap();
    assert_eq!(stored(&library, &first, 3), 3);
    assert_eq!(stored(&library, &second, 4), 4);
    let store = library.kernel("store").unwrap();
    let a = store.function(&first).unwrap();
    let b = store.function(&second).unwrap();
    assert!(a != b && a == store.function(&first).unwrap());
    assert_eq!((a.context(), b.context()), (&first, &second));
    // Its kernels keep the library and their contexts alive.
    drop((library, store, a, first));
    assert!(b.parameters().unwrap().is_some());
    let stream = Stream::new(&second).unwrap();
    drop(second);
    let mut to = [0u32];
    // SAFETY: the kernel writes one number.
    unsafe { b.launch(&stream, LaunchConfig::new(1, 1), (Out(&mut to), 9u32)) }.unwrap();
    assert_eq!(to, [9]);
}

#[test]
fn library_kernels_check_arguments() {
    let (context, stream) = device();
    let library = Library::compile(context.device(), KERNELS).unwrap();
    let kernel = library.kernel("scale").unwrap();
    let parameters = kernel.parameters(&context).unwrap();
    let scale = kernel.function(&context).unwrap();
    assert_eq!(parameters.as_deref(), scale.parameters().unwrap());
    let mut x = DeviceBuffer::from_slice(&stream, &[2.0f32; 4]).unwrap();
    let config = LaunchConfig::for_elements(4);
    // SAFETY: the launch with wrong arguments fails. The other one uses four elements, which exist.
    let error = unsafe { scale.launch(&stream, config, (&mut x, 3i32, 4u32)) }.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::LaunchArguments, "{error}");
    // SAFETY: as above.
    unsafe { scale.launch(&stream, config, (&mut x, 3f32, 4u32)) }.unwrap();
    assert_eq!(x.to_vec(&stream).unwrap(), [6.0; 4]);
}

cuda_safe::kernels! {
    /// An instance of a template, and a plain kernel.
    struct Typed = "template <typename T> __global__ void fill(T *x, T value) { x[threadIdx.x] = value; }";
    fn fill(x: &mut [f32], value: f32) = "fill<float>";
}

#[test]
fn typed_kernels_can_be_loaded_from_libraries() {
    let (context, stream) = device();
    let program = Typed::program().name_expression("fill<float>");
    let library = Library::compile(context.device(), program).unwrap();
    let typed = Typed::from_module(&library.module(&context).unwrap()).unwrap();
    drop(library);
    let mut x = DeviceBuffer::<f32>::zeroed(&stream, 8).unwrap();
    // SAFETY: there are eight elements for eight threads.
    unsafe { typed.fill(&stream, LaunchConfig::new(1, 8), &mut x, 1.5) }.unwrap();
    assert_eq!(x.to_vec(&stream).unwrap(), [1.5; 8]);
    let other = of(PTX).module(&context).unwrap();
    failure(Typed::from_module(&other)).of_kind(ErrorKind::NotFound);
}

#[test]
fn globals_are_per_context_and_managed_variables_are_shared() {
    let (first, stream) = device();
    let second = Context::create(first.device(), ContextFlags::AUTO).unwrap();
    let other = Stream::new(&second).unwrap();
    let library = of(PTX);
    let mut here = library.global::<u32>(&first, "counter", 1).unwrap();
    let there = library.global::<u32>(&second, "counter", 1).unwrap();
    here.copy_from_slice(&stream, &[6]).unwrap();
    assert_eq!(here.to_vec(&stream).unwrap(), [6]);
    assert_eq!(there.to_vec(&other).unwrap(), [5]);
    let mut common = library.managed::<u32>(&first, "common", 1).unwrap();
    common.copy_from_slice(&stream, &[8]).unwrap();
    let same = library.managed::<u32>(&first, "common", 1).unwrap();
    drop(library);
    assert_eq!(same.to_vec(&stream).unwrap(), [8]);
}

#[test]
fn missing_names_list_the_existing_ones() {
    let (context, _) = device();
    let library = of(PTX);
    for (error, expected) in [
        (library.kernel("stor").unwrap_err(), "it has nothing, store"),
        (
            library.global::<u32>(&context, "count", 1).unwrap_err(),
            "it has counter, common",
        ),
        (
            library.managed::<u32>(&context, "counter", 1).unwrap_err(),
            "no managed variable named `counter`",
        ),
    ] {
        assert_eq!(*error.kind(), ErrorKind::NotFound, "{error}");
        assert!(error.detail().contains(expected), "{error}");
        assert!(error.detail().contains("the library has no"), "{error}");
    }
    for error in [
        library.global::<u32>(&context, "counter", 2).unwrap_err(),
        library.global::<u64>(&context, "counter", 1).unwrap_err(),
        library.global::<u32>(&context, "a\0b", 1).unwrap_err(),
        library.kernel("a\0b").unwrap_err(),
        library.unified_function("a\0b").unwrap_err(),
    ] {
        assert_eq!(*error.kind(), ErrorKind::InvalidArgument, "{error}");
    }
    assert!(library.unified_function("absent").is_err());
}

#[test]
fn library_kernels_are_listed_with_names() {
    let (context, _) = device();
    let library = of(PTX);
    let mut names: Vec<_> = library.kernels().unwrap();
    names.sort_by(|a, b| a.name().cmp(b.name()));
    let [nothing, store] = &names[..] else {
        panic!("{names:?}");
    };
    assert_eq!((nothing.name(), store.name()), ("nothing", "store"));
    assert_eq!(store.linked_name().unwrap(), "store");
    assert_eq!(*store, library.kernel("store").unwrap());
    assert_eq!(*store.library(), library);
    assert!(format!("{store:?}").starts_with("Kernel(store, 0x"));
    assert_eq!(nothing.parameters(&context).unwrap().unwrap(), []);
    let of_store = store.parameters(&context).unwrap().unwrap();
    let places: Vec<_> = of_store.iter().map(|p| (p.offset, p.size)).collect();
    assert_eq!(places, [(0, 8), (8, 4)]);
    let empty = of(".version 7.0\n.target sm_75\n.address_size 64\n.visible .global .u32 x;");
    assert!(empty.kernels().unwrap().is_empty());
    // SAFETY: the handle is a kernel of this library.
    let same = unsafe { cuda_safe::Kernel::borrow_raw(store.as_raw(), "mine", &library) };
    assert_eq!(
        (same.name(), same.linked_name().unwrap()),
        ("mine", "store".into())
    );
    assert_eq!(same.parameters(&context).unwrap().unwrap().len(), 2);
}

#[test]
fn kernel_attributes_are_per_device() {
    let (context, _) = device();
    let device = context.device();
    let library = of(PTX);
    let store = library.kernel("store").unwrap();
    assert!(
        store
            .attribute(device, FunctionAttribute::NUM_REGS)
            .unwrap()
            > 0
    );
    let dynamic = FunctionAttribute::MAX_DYNAMIC_SHARED_SIZE_BYTES;
    store.set_attribute(device, dynamic, 64 << 10).unwrap();
    assert_eq!(store.attribute(device, dynamic).unwrap(), 64 << 10);
    let function = store.function(&context).unwrap();
    assert_eq!(function.attribute(dynamic).unwrap(), 64 << 10);
    store.set_cache_config(device, CacheConfig::L1).unwrap();
    for error in [
        store.set_attribute(device, dynamic, 64 << 20).unwrap_err(),
        store
            .set_attribute(device, FunctionAttribute::NUM_REGS, 8)
            .unwrap_err(),
    ] {
        assert!(
            error
                .detail()
                .contains("of kernel `store` cannot be set to"),
            "{error}"
        );
    }
    assert!(store.attribute(device, FunctionAttribute(999)).is_err());
    assert!(store.set_cache_config(device, CacheConfig(99)).is_err());
}

#[test]
fn library_compile_errors_contain_the_log() {
    let (context, _) = device();
    let head = ".version 7.0\n.target sm_75\n.address_size 64\n";
    let code = format!("{head}.visible .entry k() {{ nonsense.u32; ret; }}");
    // The driver compiles either when it loads the code or on the first use.
    let error = Library::from_ptx(&code)
        .and_then(|library| library.module(&context).map(drop))
        .unwrap_err();
    let ErrorKind::Load { log } = error.kind() else {
        panic!("{error}");
    };
    assert!(!log.is_empty(), "{error}");
    // Some drivers report the error when a kernel is requested.
    let error = Library::from_ptx(&code)
        .and_then(|library| library.kernel("k")?.function(&context).map(drop))
        .unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::Load { log } if !log.is_empty()),
        "{error}"
    );
    let newer = code.replace("7.0", "99.0").replace("nonsense.u32;", "");
    let error = Library::from_ptx(&newer)
        .and_then(|library| library.module(&context).map(drop))
        .unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Load { .. }), "{error}");
    assert!(error.detail().contains("newer than the driver"), "{error}");
    let error = Library::from_ptx("no PTX").unwrap_err();
    assert_eq!(error.driver_code(), None);
    assert!(Library::compile(context.device(), "no CUDA C++").is_err());
}

#[test]
fn library_accepts_compiler_options() {
    let (context, _) = device();
    let library = Library::from_ptx_with(PTX, &JitOptions::default().max_registers(24)).unwrap();
    let registers = library
        .kernel("store")
        .unwrap()
        .attribute(context.device(), FunctionAttribute::NUM_REGS);
    assert!(registers.unwrap() <= 24);
    assert!(Library::from_ptx_with(PTX, &JitOptions::default().max_registers(0)).is_err());
}

static FATBIN: &[u8] = include_bytes!("../data/kernels.fatbin");

#[test]
fn library_loads_images_of_every_kind() {
    let (context, _) = device();
    let folder = Folder::new("library");
    let (text, fat) = (folder.path("k.ptx"), folder.path("k.fatbin"));
    fs::write(&text, PTX).unwrap();
    fs::write(&fat, FATBIN).unwrap();
    // SAFETY: the images are compiler output and PTX text.
    let libraries = unsafe {
        [
            Library::from_fatbin(FATBIN).unwrap(),
            Library::from_image(FATBIN).unwrap(),
            Library::from_static_image(FATBIN).unwrap(),
            Library::from_file(&fat).unwrap(),
            Library::from_image(PTX.as_bytes()).unwrap(),
            Library::from_file(&text).unwrap(),
            Library::from_ptx_file(&text).unwrap(),
        ]
    };
    for library in &libraries {
        let kernels = library.kernels().unwrap();
        assert!(!kernels.is_empty());
        kernels[0].function(&context).unwrap();
    }
    // SAFETY: the library rejects them before the driver reads them.
    unsafe {
        for (error, kind) in [
            (
                Library::from_file(folder.path("none")).unwrap_err(),
                ErrorKind::NotFound,
            ),
            (
                Library::from_static_image(b".version 7.0").unwrap_err(),
                ErrorKind::Load { log: String::new() },
            ),
            (
                Library::from_static_image(&FATBIN[..FATBIN.len() - 1]).unwrap_err(),
                ErrorKind::Load { log: String::new() },
            ),
            (
                Library::from_cubin(b"\x7fELF").unwrap_err(),
                ErrorKind::Load { log: String::new() },
            ),
        ] {
            assert_eq!(*error.kind(), kind, "{error}");
            assert_eq!(error.driver_code(), None, "{error}");
        }
    }
}

#[test]
fn library_is_unloaded_after_its_kernels() {
    let (context, stream) = device();
    let library = Library::compile(context.device(), KERNELS).unwrap();
    let spin = library.kernel("spin").unwrap().function(&context).unwrap();
    let mut done = DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap();
    let time = Duration::from_millis(30).as_nanos() as u64;
    // SAFETY: the kernel writes one number.
    unsafe { spin.launch(&stream, LaunchConfig::new(1, 1), (time, &mut done)) }.unwrap();
    drop((spin, library));
    assert!(stream.query().unwrap());
    assert_eq!(done.to_vec(&stream).unwrap(), [1]);
}

#[test]
fn functions_can_be_loaded_before_the_launch() {
    let (context, _) = device();
    let program = Program::new("extern \"C\" __global__ void nothing() {}");
    let nothing = compile(&context, program, "nothing");
    nothing.load().unwrap();
    assert!(nothing.is_loaded().unwrap());
    let mode = loading_mode().unwrap();
    assert!(
        [LoadingMode::EAGER, LoadingMode::LAZY].contains(&mode),
        "{mode:?}"
    );
    if mode == LoadingMode::EAGER {
        let other = Module::from_ptx(&context, PTX).unwrap();
        assert!(other.function("store").unwrap().is_loaded().unwrap());
    }
}

#[test]
fn raw_library_can_be_owned_or_borrowed() {
    let (context, _) = device();
    let library = of(PTX);
    // SAFETY: the owner outlives the borrow.
    let borrowed = unsafe { Library::borrow_raw(library.as_raw()) };
    assert_eq!(stored(&borrowed, &context, 2), 2);
    drop(borrowed);
    let raw = library.into_raw().unwrap();
    // SAFETY: `into_raw` gave up the handle.
    let library = unsafe { Library::from_raw(raw) };
    assert_eq!(stored(&library, &context, 3), 3);
    let module = library.module(&context).unwrap();
    assert!(
        module.clone().into_raw().is_err(),
        "the module belongs to the library"
    );
    module.close().unwrap();
    assert_eq!(stored(&library, &context, 4), 4);
    assert_eq!(Device::get(0).unwrap(), context.device());
    library.close().unwrap();
}
