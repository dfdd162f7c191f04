//! Sharing with OpenGL, where no OpenGL context is current: what the driver refuses, and what is refused before it is asked.
//! What is shared is tested in `tests/opengl`.

use cuda_safe::{
    Context, ContextFlags, Error, ErrorKind, Result, Stream,
    graph::CaptureMode,
    opengl::{
        self, DeviceList, GraphicsResource, ImageTarget, MapFlags, MappedResources, RegisterFlags,
    },
    sys::CUresult,
};

use crate::device;

const NO_OPENGL: Option<CUresult> = Some(CUresult::CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
const INVALID_VALUE: Option<CUresult> = Some(CUresult::CUDA_ERROR_INVALID_VALUE);
const INVALID_HANDLE: Option<CUresult> = Some(CUresult::CUDA_ERROR_INVALID_HANDLE);

fn code<T>(result: Result<T, Error>) -> Option<CUresult> {
    result.err().and_then(|error| error.driver_code())
}

#[test]
fn nothing_is_shared_without_an_opengl_context() {
    let (context, _) = device();
    let is_emulated = context.device().name().unwrap().contains("emulator");
    let flags = RegisterFlags::READ_ONLY;
    // SAFETY: nothing can be registered.
    let (buffer, image) = unsafe {
        (
            GraphicsResource::register_buffer(&context, 1, flags),
            GraphicsResource::register_image(&context, 1, ImageTarget::TEXTURE_2D, flags),
        )
    };
    let devices = opengl::devices(DeviceList::ALL);
    for error in [
        buffer.unwrap_err(),
        image.unwrap_err(),
        devices.unwrap_err(),
    ] {
        // Where OpenGL's library is not installed, a GPU's driver says another thing.
        let text = match error.driver_code() {
            Some(CUresult::CUDA_ERROR_OPERATING_SYSTEM) if !is_emulated => "install libGL.so.1",
            code => {
                assert_eq!(code, NO_OPENGL, "{error}");
                "make it current first"
            }
        };
        assert!(error.to_string().contains(text), "{error}");
    }
}

#[test]
fn arguments_are_looked_at_first() {
    let (context, _) = device();
    let image = |number, target, flags| {
        // SAFETY: nothing can be registered: no OpenGL context is current.
        code(unsafe { GraphicsResource::register_image(&context, number, target, flags) })
    };
    let buffer = |number, flags| {
        // SAFETY: as above.
        code(unsafe { GraphicsResource::register_buffer(&context, number, flags) })
    };
    let plain = RegisterFlags::default();
    assert_eq!(buffer(0, plain), INVALID_VALUE);
    assert_eq!(buffer(1, RegisterFlags(99)), INVALID_VALUE);
    assert_eq!(buffer(1, RegisterFlags::SURFACE), INVALID_VALUE);
    let target = ImageTarget::TEXTURE_3D;
    assert_eq!(image(0, target, plain), INVALID_VALUE);
    assert_eq!(image(1, target, RegisterFlags(16)), INVALID_VALUE);
    assert_eq!(image(1, ImageTarget(0x0de0), plain), INVALID_VALUE);
}

#[test]
fn no_resource_is_refused_everywhere() {
    let (context, stream) = device();
    // SAFETY: the driver looks for it, and finds none.
    let none = unsafe { GraphicsResource::borrow_raw(&context, std::ptr::null_mut()) };
    assert_eq!(none.context(), &context);
    assert_eq!(code(none.set_map_flags(MapFlags::NONE)), INVALID_HANDLE);
    assert_eq!(code(MappedResources::map(&stream, [&none])), INVALID_HANDLE);
    // SAFETY: as above; unregistering it is refused too.
    let owned = unsafe { GraphicsResource::from_raw(&context, std::ptr::null_mut()) };
    assert!(owned == none && format!("{owned:?}").starts_with("GraphicsResource(0x"));
    assert_eq!(code(owned.close()), INVALID_HANDLE);
    none.close().unwrap(); // borrowed
}

#[test]
fn what_is_mapped_is_checked_before_the_driver_is_asked() {
    let (context, stream) = device();
    // SAFETY: the driver is never asked for it.
    let none = unsafe { GraphicsResource::borrow_raw(&context, std::ptr::null_mut()) };
    let nothing = MappedResources::map(&stream, []).unwrap_err();
    let twice = MappedResources::map(&stream, [&none, &none.clone()]).unwrap_err();
    let other = Context::create(context.device(), ContextFlags::AUTO).unwrap();
    let elsewhere = Stream::new(&other).unwrap();
    let elsewhere = MappedResources::map(&elsewhere, [&none]).unwrap_err();
    for (error, text) in [
        (nothing, "`resources` is empty"),
        (twice, "is listed twice"),
        (elsewhere, "different contexts"),
    ] {
        assert_eq!(*error.kind(), ErrorKind::InvalidArgument);
        assert!(error.to_string().contains(text), "{error}");
    }
    // A capture forbids to map and to register, and goes on.
    let refused = || -> Result<()> {
        let map = MappedResources::map(&stream, [&none]).unwrap_err();
        // SAFETY: nothing is registered.
        let register = unsafe {
            GraphicsResource::register_buffer(&context, 1, RegisterFlags::default()).unwrap_err()
        };
        for error in [map, register] {
            assert!(error.to_string().contains("before the capture"), "{error}");
        }
        Ok(())
    };
    // SAFETY: nothing is captured.
    unsafe { stream.capture(|_| refused()) }.unwrap();
    // A relaxed capture forbids only work on its own stream.
    let map = |stream: &Stream| MappedResources::map(stream, [&none]).unwrap_err();
    let other = Stream::new(&context).unwrap();
    // SAFETY: as above.
    let graph = unsafe {
        stream.capture_with_mode(CaptureMode::RELAXED, |_| -> Result<()> {
            let error = map(&stream);
            assert!(error.to_string().contains("before the capture"), "{error}");
            assert_eq!(map(&other).driver_code(), INVALID_HANDLE);
            Ok(())
        })
    };
    graph.unwrap();
}
