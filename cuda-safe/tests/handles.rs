//! Behaviour common to all kinds of handles: ownership, release and equality, checked in the
//! emulator's trace. Each test runs in its own process, which must leak nothing.

use std::{
    collections::hash_map::DefaultHasher,
    fmt::Debug,
    hash::{Hash, Hasher},
};

use cuda_emulator as _; // linked in: these tests never use a GPU

#[path = "common/child.rs"]
mod child;
#[path = "common/semaphore.rs"]
mod semaphore;

use child::{calls, passes, traced};
use cuda_safe::{
    Context, ContextFlags, Device, DeviceBuffer, Event, Library, MemoryPool, Module, Result,
    Sampler, Stream, Surface, Texture,
    array::{ArrayFlags, CudaArray, MipmappedArray, TexelFormat},
    green::GreenContext,
    memory::virtual_memory::{PhysicalMemory, PhysicalOptions},
    module::Linker,
    share::{
        ExternalMemory, ExternalMemoryKind, ExternalSemaphore, ExternalSemaphoreKind,
        ShareableHandles,
    },
    sys,
    texture::TextureSource,
};

const PTX: &str =
    ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry none() { ret; }\n";

/// The methods that all kinds have. They are listed by hand because they share no trait.
struct Kind<T: 'static, R: 'static> {
    name: &'static str,
    release: &'static str,
    make: fn(&Context) -> T,
    own: fn(&Context, R) -> T,
    borrow: fn(&Context, R) -> T,
    as_raw: fn(&T) -> R,
    into_raw: fn(T) -> Result<R, T>,
    close: fn(T) -> Result<()>,
    /// Whether it belongs to no context, so that `Debug` shows none.
    has_no_parent: bool,
}

fn hash(value: &impl Hash) -> u64 {
    let mut state = DefaultHasher::new();
    value.hash(&mut state);
    state.finish()
}

fn check<T: Clone + Debug + Eq + Hash, R: Copy + Debug + PartialEq>(kind: &Kind<T, R>) {
    let context = Context::primary(0).unwrap();
    let released = || calls(kind.release).len();
    let name = kind.name;
    let start = released();

    // Clones are equal, and so are handles with the same raw handle.
    let (a, b) = ((kind.make)(&context), (kind.make)(&context));
    assert!(a != b && a == a.clone(), "{name}");
    assert_eq!(hash(&a), hash(&a.clone()), "{name}");
    assert_ne!(hash(&a), hash(&b), "{name}");
    let borrowed = (kind.borrow)(&context, (kind.as_raw)(&a));
    assert!(borrowed == a && hash(&borrowed) == hash(&a), "{name}");
    let shown = format!("{a:?}");
    assert!(shown.starts_with(&format!("{name}(0x")), "{shown}");
    assert!(kind.has_no_parent || shown.contains("device 0"), "{shown}");

    // A borrowed handle is never released, and `into_raw` rejects it.
    drop(borrowed.clone());
    let borrowed = (kind.into_raw)(borrowed).unwrap_err();
    (kind.close)(borrowed).unwrap();
    assert_eq!(released(), start, "{name} borrowed");

    // The last owner releases the handle, by drop or by `close`.
    let held = a.clone();
    (kind.close)(a).unwrap();
    assert_eq!(released(), start, "{name} held");
    drop(held);
    assert_eq!(released(), start + 1, "{name} dropped");
    (kind.close)(b).unwrap();
    assert_eq!(released(), start + 2, "{name} closed");

    // After `into_raw`, the new owner releases the handle.
    let c = (kind.make)(&context);
    let raw = (kind.as_raw)(&c);
    let held = c.clone();
    let c = (kind.into_raw)(c).unwrap_err(); // shared
    drop(held);
    assert_eq!((kind.into_raw)(c).unwrap(), raw, "{name}");
    assert_eq!(released(), start + 2, "{name} handed over");
    let taken = (kind.own)(&context, raw);
    assert_eq!((kind.as_raw)(&taken), raw, "{name}");
    drop(taken);
    assert_eq!(released(), start + 3, "{name} owned again");
}

macro_rules! kind {
    ($type:ident, $release:literal, $make:expr) => {
        kind!($type, $release, $make, std::convert::identity)
    };
    // With further parameters of `from_raw` and `borrow_raw`, and what to do with their result.
    ($type:ident, $release:literal, $make:expr, $made:expr $(, $more:expr)*) => {
        Kind {
            name: stringify!($type),
            release: $release,
            make: $make,
            // SAFETY: `into_raw` gave up the handle, or the borrower is dropped before the owner.
            own: |context, raw| $made(unsafe { $type::from_raw(raw $(, $more)*, context) }),
            // SAFETY: the owner outlives the borrow.
            borrow: |context, raw| $made(unsafe { $type::borrow_raw(raw $(, $more)*, context) }),
            as_raw: $type::as_raw,
            into_raw: $type::into_raw,
            close: $type::close,
            has_no_parent: false,
        }
    };
}

macro_rules! kinds {
    ($($test:ident: $type:ident, $release:literal, $make:expr;)*) => {$(
        #[test]
        fn $test() {
            traced("", || check(&kind!($type, $release, $make)));
        }
    )*};
}

kinds! {
    streams: Stream, "cuStreamDestroy", |context| Stream::new(context).unwrap();
    events: Event, "cuEventDestroy", |context| Event::new(context).unwrap();
    modules: Module, "cuModuleUnload", |context| Module::from_ptx(context, PTX).unwrap();
    linkers: Linker, "cuLinkDestroy", |context| Linker::new(context).unwrap();
    pools: MemoryPool, "cuMemPoolDestroy", |context| MemoryPool::new(context).unwrap();
    textures: Texture, "cuTexObjectDestroy", |context| {
        Texture::new(&array(context), Sampler::default()).unwrap()
    };
    surfaces: Surface, "cuSurfObjectDestroy", |context| Surface::new(&array(context)).unwrap();
    green_contexts: GreenContext, "cuGreenCtxDestroy", |context| {
        GreenContext::new(context, &[context.multiprocessors().unwrap()]).unwrap()
    };
    external_memory: ExternalMemory, "cuDestroyExternalMemory", |context| {
        // SAFETY: the memory is never accessed.
        unsafe { imported(context) }
    };
    external_semaphores: ExternalSemaphore, "cuDestroyExternalSemaphore", |context| {
        let kind = ExternalSemaphoreKind(semaphore::TIMELINE);
        let page = semaphore::Page::new(kind.0, 0);
        // SAFETY: nothing else waits for the timeline.
        unsafe { ExternalSemaphore::import(context, kind, page.export()) }.unwrap()
    };
}

/// Imports memory that the same context has exported.
///
/// # Safety
///
/// As for [`ExternalMemory::import`].
unsafe fn imported(context: &Context) -> ExternalMemory {
    let unit = PhysicalMemory::unit(context).unwrap();
    let options = PhysicalOptions::default().handles(ShareableHandles::FILE);
    let memory = PhysicalMemory::with_options(context, unit, options).unwrap();
    let kind = match cfg!(windows) {
        true => ExternalMemoryKind::OPAQUE_WIN32,
        false => ExternalMemoryKind::OPAQUE_FD,
    };
    let file = memory.export().unwrap();
    // SAFETY: the memory has this size, and the caller ensures the rest.
    unsafe { ExternalMemory::import(context, kind, file, unit as u64, false) }.unwrap()
}

/// Returns the current context.
fn current() -> sys::CUcontext {
    let mut raw = std::ptr::null_mut();
    // SAFETY: `raw` is valid for the write.
    let code = unsafe { sys::cuCtxGetCurrent(&mut raw) };
    assert_eq!(code, sys::CUresult::CUDA_SUCCESS);
    raw
}

#[test]
fn libraries() {
    traced("", || {
        check(&Kind {
            name: "Library",
            release: "cuLibraryUnload",
            make: |_| Library::from_ptx(PTX).unwrap(),
            // SAFETY: `into_raw` gave up the handle.
            own: |_, raw| unsafe { Library::from_raw(raw) },
            // SAFETY: the owner outlives the borrow.
            borrow: |_, raw| unsafe { Library::borrow_raw(raw) },
            as_raw: Library::as_raw,
            into_raw: Library::into_raw,
            close: Library::close,
            has_no_parent: true,
        });
    });
}

#[test]
fn library_unload_waits_for_all_its_contexts() {
    traced("", || {
        let library = Library::from_ptx(PTX).unwrap();
        let first = Context::primary(0).unwrap();
        let second = Context::create(first.device(), ContextFlags::AUTO).unwrap();
        let function = library.kernel("none").unwrap().function(&second).unwrap();
        library.module(&second).unwrap(); // the same module again
        drop(second);
        let close = library.close();
        assert!(close.is_ok());
        let counts = || {
            ["cuLibraryUnload", "cuCtxSynchronize", "cuCtxDestroy"].map(|name| calls(name).len())
        };
        assert_eq!(counts(), [0, 0, 0]);
        drop(function);
        // Destroying the second context waits, too.
        assert_eq!(counts(), [1, 2, 1]);
        assert_eq!(
            calls("cuModuleUnload").len(),
            0,
            "a module of the library was unloaded"
        );
    });
}

#[test]
fn library_stays_loaded_if_its_context_cannot_synchronize() {
    passes("cuCtxSynchronize:1:999,cuCtxSynchronize:2:999", || {
        let context = Context::primary(0).unwrap();
        let library = Library::from_ptx(PTX).unwrap();
        library.module(&context).unwrap();
        let raw = library.as_raw();
        let error = library.close().unwrap_err();
        assert_eq!(error.driver_code().unwrap().0, 999, "{error}");
        // SAFETY: the library is still loaded, and `close` gave up its ownership.
        let library = unsafe { Library::from_raw(raw) };
        assert!(library.kernel("none").is_ok());
    });
}

fn array(context: &Context) -> CudaArray {
    CudaArray::new(
        context,
        TexelFormat::of::<f32>(),
        [4, 4],
        ArrayFlags::SURFACE,
    )
    .unwrap()
}

#[test]
fn arrays() {
    let kind = kind!(CudaArray, "cuArrayDestroy", array, Result::unwrap);
    traced("", || check(&kind));
}

#[test]
fn mipmapped_arrays() {
    let make = |context: &Context| {
        let format = TexelFormat::of::<u8>();
        MipmappedArray::new(context, format, [4, 4], 2, ArrayFlags::default()).unwrap()
    };
    let kind = kind!(
        MipmappedArray,
        "cuMipmappedArrayDestroy",
        make,
        Result::unwrap,
        2
    );
    traced("", || check(&kind));
}

#[test]
fn texture_is_destroyed_before_its_source() {
    traced("", || {
        let context = Context::primary(0).unwrap();
        let texture = Texture::new(&array(&context), Sampler::default()).unwrap();
        let clone = texture.clone();
        drop(texture);
        let counts = || {
            ["cuCtxSynchronize", "cuTexObjectDestroy", "cuArrayDestroy"]
                .map(|name| calls(name).len())
        };
        assert_eq!(counts(), [0, 0, 0]);
        drop(clone);
        // The texture and the array both wait for the context.
        assert_eq!(counts(), [2, 1, 1]);
    });
}

#[test]
fn texture_keeps_its_source_if_its_context_cannot_synchronize() {
    // Both attempts to wait fail.
    passes("cuCtxSynchronize:1:999,cuCtxSynchronize:2:999", || {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let buffer = DeviceBuffer::from_slice(&stream, &[1.0f32; 32]).unwrap();
        let address = buffer.as_device_ptr();
        let source = TextureSource::linear(buffer).unwrap();
        let texture = Texture::new(source, Sampler::default()).unwrap();
        let error = texture.close().unwrap_err();
        assert_eq!(error.driver_code().unwrap().0, 999, "{error}");
        stream.synchronize().unwrap();
        let _current = context.push_current().unwrap();
        let (mut base, mut size) = (0, 0);
        // SAFETY: the pointers are valid for writes.
        let code = unsafe { sys::cuMemGetAddressRange_v2(&mut base, &mut size, address) };
        assert_eq!((code, base), (sys::CUresult::CUDA_SUCCESS, address));
    });
}

#[test]
fn mapped_buffer_keeps_external_memory_if_waits_fail() {
    // All ways of waiting fail.
    let fail = "cuStreamSynchronize:1:999,cuStreamSynchronize:2:999,cuEventRecord:1:999,cuCtxSynchronize:1:999";
    passes(fail, || {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        // SAFETY: nothing else uses the memory.
        let buffer = unsafe { imported(&context).buffer::<u32>(&stream, 0, 10) }.unwrap();
        let raw = buffer.memory().as_raw();
        let error = buffer.close().unwrap_err();
        assert_eq!(error.driver_code().unwrap().0, 999, "{error}");
        let _current = context.push_current().unwrap();
        // SAFETY: nothing else destroys it.
        let code = unsafe { sys::cuDestroyExternalMemory(raw) };
        assert_eq!(
            code,
            sys::CUresult::CUDA_SUCCESS,
            "it was already destroyed"
        );
    });
}

#[test]
fn contexts() {
    traced("", || {
        check(&Kind {
            name: "Context",
            release: "cuCtxDestroy",
            make: |context| Context::create(context.device(), ContextFlags::AUTO).unwrap(),
            // SAFETY: `into_raw` gave up the handle.
            own: |_, raw| unsafe { Context::from_raw(raw).unwrap() },
            // SAFETY: the owner outlives the borrow.
            borrow: |_, raw| unsafe { Context::borrow_raw(raw).unwrap() },
            as_raw: Context::as_raw,
            into_raw: Context::into_raw,
            close: Context::close,
            has_no_parent: false,
        });
    });
}

#[test]
fn primary_context_reference_can_be_given_up_and_taken_over() {
    traced("", || {
        let released = || calls("cuDevicePrimaryCtxRelease").len();
        let raw = Context::primary(0).unwrap().into_raw().unwrap();
        assert_eq!(released(), 0);
        // SAFETY: `into_raw` gave up the reference, and nothing else owns it.
        let context = unsafe { Context::from_raw(raw).unwrap() };
        // `from_raw` retains the primary context once more to recognize it, and releases that
        // again.
        assert_eq!(released(), 1);
        assert_eq!(context, Context::primary(0).unwrap());
        assert_eq!(released(), 2);
        context.close().unwrap();
        assert_eq!(released(), 3);
        assert_eq!(calls("cuCtxDestroy").len(), 0);
        assert_eq!(calls("cuDevicePrimaryCtxRetain").len(), 3);
    });
}

#[test]
fn context_from_raw_failure_leaves_ownership_with_the_caller() {
    for call in ["cuCtxGetDevice:1:999", "cuDevicePrimaryCtxGetState:1:999"] {
        passes(call, || {
            let device = Device::get(0).unwrap();
            let context = Context::create(device, ContextFlags::AUTO).unwrap();
            // SAFETY: ownership moves only on success, and this call fails.
            let error = unsafe { Context::from_raw(context.as_raw()) }.unwrap_err();
            assert_eq!(error.driver_code().unwrap().0, 999, "{error}");
            context.synchronize().unwrap();
            context.close().unwrap();
        });
    }
}

#[test]
fn pushed_context_is_current_until_its_guard_drops() {
    passes("", || {
        let a = Context::primary(0).unwrap();
        let b = Context::create(a.device(), ContextFlags::AUTO).unwrap();
        assert!(current().is_null());
        {
            let _a = a.push_current().unwrap();
            assert_eq!(current(), a.as_raw());
            {
                let _b = b.push_current().unwrap();
                assert_eq!(current(), b.as_raw());
                let _again = b.push_current().unwrap();
                assert_eq!(current(), b.as_raw());
            }
            assert_eq!(current(), a.as_raw());
        }
        assert!(current().is_null(), "no context was current before");
    });
}

/// The latest remaining guard decides which context is current, in whatever order guards are
/// dropped.
#[test]
fn context_guards_can_be_dropped_in_any_order() {
    passes("", || {
        let device = Context::primary(0).unwrap().device();
        let [a, b, c] = [(); 3].map(|()| Context::create(device, ContextFlags::AUTO).unwrap());
        let first = a.push_current().unwrap();
        let second = b.push_current().unwrap();
        drop(first);
        assert_eq!(current(), b.as_raw());
        // Now the first guard's context can be destroyed.
        a.close().unwrap();
        let third = c.push_current().unwrap();
        let fourth = b.push_current().unwrap();
        drop(third);
        assert_eq!(current(), b.as_raw());
        drop(second);
        assert_eq!(current(), b.as_raw());
        // Calls in another context do not change the order.
        c.synchronize().unwrap();
        assert_eq!(current(), b.as_raw());
        drop(fourth);
        assert!(current().is_null(), "no context was current before");

        // Creates a guard while a call has its own context current.
        let stream = Stream::new(&c).unwrap();
        let before = current();
        let outer = b.push_current().unwrap();
        let inner = stream.ordered_with([], || b.push_current()).unwrap();
        drop(outer);
        assert_eq!(current(), b.as_raw());
        drop(inner);
        assert_eq!(current(), before);
    });
}

#[test]
fn linker_log_outlives_into_raw() {
    passes("", || {
        let context = Context::primary(0).unwrap();
        let raw = Linker::new(&context).unwrap().into_raw().unwrap();
        // If the log had been freed, these allocations would reuse its memory.
        let others: Vec<_> = (0..64).map(|_| vec![0u8; 16 << 10]).collect();
        let _current = context.push_current().unwrap();
        let text = c"nonsense";
        // SAFETY: this test owns the live linker. The text ends in NUL, and there are no options.
        let failed = unsafe {
            sys::cuLinkAddData_v2(
                raw,
                sys::CUjitInputType::CU_JIT_INPUT_PTX,
                text.as_ptr().cast_mut().cast(),
                text.count_bytes() + 1,
                c"text".as_ptr(),
                0,
                std::ptr::null_mut(),
                std::ptr::null_mut(),
            )
        };
        assert_ne!(failed, sys::CUresult::CUDA_SUCCESS);
        assert!(others.iter().flatten().all(|&byte| byte == 0));
        // SAFETY: `into_raw` gave up the handle, and nothing else releases it.
        unsafe { Linker::from_raw(raw, &context) }.close().unwrap();
    });
}
