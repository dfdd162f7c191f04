//! Memory that OpenGL and CUDA share: buffer objects, textures and renderbuffers, which kernels read and write where they
//! lie.
//!
//! An object of OpenGL is [registered](GraphicsResource) once. Then CUDA and OpenGL take turns: while it is
//! [mapped](MappedResources), it is CUDA's, and OpenGL leaves it alone. A buffer object is device memory then, an image an
//! [`CudaArray`](crate::array::CudaArray).
//!
//! ```no_run
//! use cuda_safe::{Context, LaunchConfig, Module, Stream, Surface};
//! use cuda_safe::opengl::{self, GraphicsResource, ImageTarget, MappedResources, RegisterFlags};
//!
//! # fn glGenBuffers() -> u32 { 0 }
//! # fn glGenTextures() -> u32 { 0 }
//! # fn draw() {}
//! # fn main() -> cuda_safe::Result<()> {
//! // An OpenGL context is current on this thread. Which device does it draw with?
//! let device = opengl::devices(opengl::DeviceList::ALL)?[0];
//! let context = Context::primary_of(device)?;
//! let stream = Stream::new(&context)?;
//! let (buffer, texture) = (glGenBuffers(), glGenTextures()); // with memory: glBufferData, glTexStorage2D
//! // SAFETY: both stay as they are, in an OpenGL context that stays current; OpenGL uses them only in `draw`.
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
//!     drop(surface); // it holds the array, which is there as long as the image is mapped; this waits for the kernel
//!     mapped.unmap()?; // what OpenGL is told from here on comes after the kernel
//!     draw();
//! }
//! # }
//! ```
//!
//! OpenGL's contexts are of one thread each, and so is all of this: the types do not leave the thread that they were made
//! on. The crate opens no window, makes no context and calls no function of OpenGL: other crates do, and objects come from
//! them as OpenGL's numbers.
//!
//! It works on a machine without a screen too, where OpenGL comes from EGL on a device (`EGL_EXT_platform_device`; the
//! attribute `EGL_CUDA_DEVICE_NV` says which device is which). On the emulator there is no OpenGL, and nothing can be
//! registered.

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

/// The devices that the OpenGL context draws with that is current on this thread. Sharing is with one of them.
///
/// # Errors
/// `CUDA_ERROR_INVALID_GRAPHICS_CONTEXT` where no OpenGL context of NVIDIA's driver is current on this thread;
/// `CUDA_ERROR_OPERATING_SYSTEM` where OpenGL's library is not installed.
///
/// ```
/// use cuda_safe::{opengl, sys::CUresult};
///
/// let error = opengl::devices(opengl::DeviceList::ALL).unwrap_err(); // nothing was made current
/// assert_eq!(error.driver_code(), Some(CUresult::CUDA_ERROR_INVALID_GRAPHICS_CONTEXT));
/// ```
#[doc(alias = "cuGLGetDevices")]
pub fn devices(list: DeviceList) -> Result<Vec<Device>> {
    callback::refuse_within("cuGLGetDevices")?;
    let get = newer::cuGLGetDevices()?;
    let mut found: Vec<c_int> = vec![0; Device::count()? as usize];
    let mut count = 0;
    // SAFETY: `count` and as many devices as there are are valid for the writes.
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

/// What the driver's codes mean here.
#[cold]
fn explained(error: Error) -> Error {
    let detail = match error.driver_code() {
        Some(CUresult::CUDA_ERROR_INVALID_GRAPHICS_CONTEXT) => {
            "no OpenGL context of NVIDIA's driver is current on this thread: make it current first"
        }
        Some(CUresult::CUDA_ERROR_OPERATING_SYSTEM) => {
            "the driver can't open OpenGL's library: install libGL.so.1 (Debian: libgl1), through which a program draws"
        }
        Some(CUresult::CUDA_ERROR_ALREADY_MAPPED) => {
            "the resource is mapped: it can be mapped again, and changed, when it has been unmapped"
        }
        Some(CUresult::CUDA_ERROR_NOT_MAPPED_AS_ARRAY) => {
            "the resource is a buffer: it is mapped as memory, not as an array"
        }
        Some(CUresult::CUDA_ERROR_NOT_MAPPED_AS_POINTER) => {
            "the resource is an image: it is mapped as an array, not as memory"
        }
        _ => return error,
    };
    error.with_detail(detail)
}
