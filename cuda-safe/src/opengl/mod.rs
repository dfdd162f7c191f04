//! Memory that OpenGL and CUDA share: kernels access buffer objects, textures and renderbuffers in
//! place.
//!
//! [Register](GraphicsResource) an OpenGL object once. Then CUDA and OpenGL take turns: while the
//! object is [mapped](MappedResources), CUDA uses it and OpenGL must not. A mapped buffer object is
//! device memory, and a mapped image is a [`CudaArray`](crate::array::CudaArray).
//!
//! ```no_run
//! use cuda_safe::{Context, LaunchConfig, Module, Stream, Surface};
//! use cuda_safe::opengl::{self, GraphicsResource, ImageTarget, MappedResources, RegisterFlags};
//!
//! # fn glGenBuffers() -> u32 { 0 }
//! # fn glGenTextures() -> u32 { 0 }
//! # fn draw() {}
//! # fn main() -> cuda_safe::Result<()> {
//! // An OpenGL context is current on this thread. Find the device with which it draws.
//! let device = opengl::devices(opengl::DeviceList::ALL)?[0];
//! let context = Context::primary_of(device)?;
//! let stream = Stream::new(&context)?;
//! let (buffer, texture) = (glGenBuffers(), glGenTextures()); // with memory from glBufferData and
//! // glTexStorage2D
//! // SAFETY: both keep their memory, the OpenGL context stays current, and OpenGL uses them only
//! // in `draw`.
//! let (vertices, image) = unsafe {
//!     let written = RegisterFlags::WRITE_DISCARD;
//!     let surface = RegisterFlags::SURFACE;
//!     (
//!         GraphicsResource::register_buffer(&context, buffer, written)?,
//!         GraphicsResource::register_image(&context, texture, ImageTarget::TEXTURE_2D, surface)?,
//!     )
//! };
//! # let source = "";
//! let fill = Module::compile(&context, source)?.function("fill")?;
//! loop {
//!     let mut mapped = MappedResources::map(&stream, [&vertices, &image])?;
//!     let [mut vertices, image] = mapped.each();
//!     let mut positions = vertices.memory_mut::<f32>()?;
//!     let surface = Surface::new(&image.array(0, 0)?)?;
//!     // SAFETY: the kernel writes 1000 of the positions, and an image of 64 by 64 texels.
//!     unsafe { fill.launch(&stream, LaunchConfig::for_elements(1000), (&mut positions, &surface))? };
//!     drop(surface); // it holds the array, which must be dropped before unmapping. This waits for
//!     // the kernel
//!     mapped.unmap()?; // later OpenGL commands run after the kernel
//!     draw();
//! }
//! # }
//! ```
//!
//! An OpenGL context belongs to one thread, and so do these types: they cannot leave the thread on
//! which they were created. The crate does not open windows, create contexts or call OpenGL
//! functions. Use other crates for that, and pass their objects as OpenGL's numbers.
//!
//! It also works on a machine without a screen, with OpenGL from EGL on a device
//! (`EGL_EXT_platform_device`, where the attribute `EGL_CUDA_DEVICE_NV` identifies the device). The
//! emulator has no OpenGL, so nothing can be registered there.

mod mapped;
mod resource;

use std::ffi::{c_int, c_uint};

use cuda_sys::CUresult;

pub use mapped::{MappedResource, MappedResources, UnmapError};
pub use resource::{GraphicsResource, ImageTarget, MapFlags, RegisterFlags};

pub use crate::raw::opengl::DeviceList;
use crate::{
    device::Device,
    driver::{callback, check, newer},
    error::{Error, Result},
};

/// Returns the devices with which the OpenGL context that is current on this thread draws. Share
/// memory with one of them.
///
/// See [`cuGLGetDevices`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GL.html) in NVIDIA's manual.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_GRAPHICS_CONTEXT` if no OpenGL context of NVIDIA's driver is current
/// on this thread. Returns `CUDA_ERROR_OPERATING_SYSTEM` if the OpenGL library is not installed.
///
/// ```
/// use cuda_safe::{opengl, sys::CUresult};
///
/// let error = opengl::devices(opengl::DeviceList::ALL).unwrap_err(); // nothing was made current
/// assert_eq!(error.driver_code(), Some(CUresult::CUDA_ERROR_INVALID_GRAPHICS_CONTEXT));
/// ```
#[doc(alias = "cuGLGetDevices")]
pub fn devices(list: DeviceList) -> Result<Vec<Device>> {
    callback::reject_in_callback("cuGLGetDevices")?;
    let get = newer::cuGLGetDevices()?;
    let mut found: Vec<c_int> = vec![0; Device::count()? as usize];
    let mut count = 0;
    // SAFETY: `count` and the list of devices are valid for the writes.
    let code = unsafe {
        get(
            &mut count,
            found.as_mut_ptr(),
            found.len() as c_uint,
            list.0,
        )
    };
    check("cuGLGetDevices", code).map_err(explained)?;
    let found = found.into_iter().take(count as usize);
    found.map(Device::from_raw).collect()
}

/// Adds an explanation to an error of the driver.
#[cold]
fn explained(error: Error) -> Error {
    let detail = match error.driver_code() {
        Some(CUresult::CUDA_ERROR_INVALID_GRAPHICS_CONTEXT) => {
            "no OpenGL context of NVIDIA's driver is current on this thread. Fix: make it current first"
        }
        Some(CUresult::CUDA_ERROR_OPERATING_SYSTEM) => {
            "the driver can't open the OpenGL library. Fix: install libGL.so.1 (Debian: libgl1)"
        }
        Some(CUresult::CUDA_ERROR_ALREADY_MAPPED) => {
            "the resource is mapped. Fix: unmap it before mapping it again or changing it"
        }
        Some(CUresult::CUDA_ERROR_NOT_MAPPED_AS_ARRAY) => {
            "the resource is a buffer, which is mapped as memory and not as an array"
        }
        Some(CUresult::CUDA_ERROR_NOT_MAPPED_AS_POINTER) => {
            "the resource is an image, which is mapped as an array and not as memory"
        }
        _ => return error,
    };
    error.with_detail(detail)
}
