//! Errors of sharing with OpenGL while no OpenGL context is current: those of the driver, and those
//! returned before the driver is called. Working sharing is tested in `tests/opengl`.

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
fn sharing_needs_an_opengl_context() {
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
        // If OpenGL's library is not installed, a GPU's driver returns another error.
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
fn arguments_are_checked_before_the_context() {
    let (context, _) = device();
    let image = |number, target, flags| {
        // SAFETY: nothing can be registered, because no OpenGL context is current.
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
fn invalid_resource_is_rejected_by_all_calls() {
    let (context, stream) = device();
    // SAFETY: the driver looks up the handle and does not find it.
    let none = unsafe { GraphicsResource::borrow_raw(std::ptr::null_mut(), &context) };
    assert_eq!(none.context(), &context);
    assert_eq!(code(none.set_map_flags(MapFlags::NONE)), INVALID_HANDLE);
    assert_eq!(code(MappedResources::map(&stream, [&none])), INVALID_HANDLE);
    // SAFETY: as above. Unregistering the handle also fails.
    let owned = unsafe { GraphicsResource::from_raw(std::ptr::null_mut(), &context) };
    assert!(owned == none && format!("{owned:?}").starts_with("GraphicsResource(0x"));
    assert_eq!(code(owned.close()), INVALID_HANDLE);
    none.close().unwrap(); // a borrowed resource is not unregistered
}

#[test]
fn mapping_arguments_are_checked_before_the_driver_call() {
    let (context, stream) = device();
    // SAFETY: the handle never reaches the driver.
    let none = unsafe { GraphicsResource::borrow_raw(std::ptr::null_mut(), &context) };
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
    // During a capture, mapping and registering are rejected and the capture continues.
    let check_rejected = || -> Result<()> {
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
    // SAFETY: the capture records nothing.
    unsafe { stream.capture(|_| check_rejected()) }.unwrap();
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
