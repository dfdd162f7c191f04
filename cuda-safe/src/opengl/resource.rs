//! Registered OpenGL objects.

use std::{cell::RefCell, marker::PhantomData, ptr};

use cuda_sys::{self as sys, CUgraphicsResource, CUresult};

use super::explained;
pub use crate::raw::opengl::{ImageTarget, MapFlags, RegisterFlags};
use crate::{
    capture::{self, relaxed, released},
    context::Context,
    driver::newer,
    error::{Error, Result},
    handle::{Handle, Kind, handle},
    stream::Stream,
};

/// A buffer object or image of OpenGL that CUDA can use while it is
/// [mapped](super::MappedResources). Cloning returns another reference to the same resource. It
/// cannot leave the thread on which it was registered.
///
/// Dropping the last reference unregisters it after the work on the streams for which it was
/// mapped. If a [log listener](crate::logs::listen) drops the last reference, it stays registered
/// forever, because the driver forbids the call there.
///
/// ```compile_fail,E0277
/// fn sent_to_another_thread(_: impl Send) {}
/// fn registered(resource: cuda_safe::opengl::GraphicsResource) {
///     sent_to_another_thread(resource);
/// }
/// ```
#[doc(alias = "CUgraphicsResource")]
#[doc(alias = "cudaGraphicsResource")]
pub struct GraphicsResource(Handle<ResourceKind>);

pub(crate) struct ResourceKind {
    /// The streams for which the resource was mapped. Their work may still use it.
    streams: RefCell<Vec<Stream>>,
    /// OpenGL's context is current only on this thread.
    here: PhantomData<*const ()>,
}

impl Kind for ResourceKind {
    type Raw = CUgraphicsResource;
    type Parent = Context;
    const NAME: &'static str = "GraphicsResource";

    unsafe fn release(&self, raw: CUgraphicsResource, context: &Context) -> Result<()> {
        for stream in self.streams.borrow().iter() {
            finish(stream)?; // on an error it stays registered
        }
        let _current = context.enter("cuGraphicsUnregisterResource")?;
        // SAFETY: the caller guarantees that the handle is live, owned and unused. Nothing is
        // mapped, and no work uses it. If the driver rejects the call (as an H200's does without an
        // OpenGL context), the handle is not used again.
        let code = released(|| unsafe { sys::cuGraphicsUnregisterResource(raw) });
        let done = context.check("cuGraphicsUnregisterResource", code);
        done.map_err(explained)
    }
}

/// Waits until the work of a stream has finished. Unlike other releases, this cannot be postponed
/// until after a capture, because the capture may end on another thread.
fn finish(stream: &Stream) -> Result<()> {
    const CALL: &str = "GraphicsResource::close";
    let _uncaptured = stream.uncaptured(CALL, "drop the resource before or after the capture");
    relaxed(|| stream.settle_or_leak())
}

handle!(GraphicsResource, CUgraphicsResource, released by "cuGraphicsUnregisterResource");

impl GraphicsResource {
    /// Registers a buffer object, which must already have memory.
    ///
    /// See [`cuGraphicsGLRegisterBuffer`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GL.html) in NVIDIA's manual.
    ///
    /// # Safety
    /// Until the last reference to the resource has been dropped, the caller must ensure that:
    ///
    /// - Whenever the resource is mapped, unmapped or dropped, the OpenGL context that is current
    ///   now, or one that shares its objects, is current on this thread. If none is current, the
    ///   driver rejects the call, and the resource stays mapped or registered forever.
    /// - The object is not deleted, and does not get other memory (`glBufferData`).
    /// - While the resource is [mapped](super::MappedResources), neither OpenGL nor CUDA through
    ///   another registration uses the object. You need not wait for earlier OpenGL commands.
    /// - When the resource is unmapped, work that uses it on streams other than the one for which
    ///   it is mapped has finished, or is ordered before later work of that stream. Copies and
    ///   fills by safe methods of [`DeviceMemory`](crate::DeviceMemory) and
    ///   [`CudaArray`](crate::array::CudaArray) do this themselves.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_GRAPHICS_CONTEXT` or `CUDA_ERROR_INVALID_VALUE` if no OpenGL
    /// context of NVIDIA's driver is current on this thread. Returns `CUDA_ERROR_INVALID_HANDLE` if
    /// the number is not a buffer object, and
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) if the object has no memory.
    /// Returns `CUDA_ERROR_INVALID_VALUE` for the number 0, for several flags, and for flags for
    /// images. Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) while this
    /// thread captures a stream.
    #[doc(alias = "cuGraphicsGLRegisterBuffer")]
    pub unsafe fn register_buffer(
        context: &Context,
        buffer: u32,
        flags: RegisterFlags,
    ) -> Result<Self> {
        let _allowed =
            capture::reject_during_capture("GraphicsResource::register_buffer", CAPTURED)?;
        let register = newer::cuGraphicsGLRegisterBuffer()?;
        let _current = context.enter("cuGraphicsGLRegisterBuffer")?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write. The driver checks the other arguments.
        let code = unsafe { register(&mut raw, buffer, flags.0) };
        context
            .check("cuGraphicsGLRegisterBuffer", code)
            .map_err(|error| {
                explain_rejection(error, || {
                    format!("buffer {buffer} of the current OpenGL context, with {flags:?}")
                })
            })?;
        // SAFETY: the resource was just registered, and has no other owner.
        Ok(unsafe { Self::from_raw(raw, context) })
    }

    /// Registers a texture or a renderbuffer, which must already have memory.
    ///
    /// See [`cuGraphicsGLRegisterImage`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GL.html) in NVIDIA's manual.
    ///
    /// # Safety
    /// The contract of [`register_buffer`](Self::register_buffer) applies, where `glTexStorage2D`,
    /// `glTexImage2D` and similar give an object other memory. In addition, the caller must ensure
    /// that:
    ///
    /// - `target` is the target for which the image was created, because driver 580 on an H200 does
    ///   not check it;
    /// - missing levels of a texture that has only some of the levels that its size allows are not
    ///   used, because this driver returns them too.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_GRAPHICS_CONTEXT` or `CUDA_ERROR_INVALID_VALUE` if no OpenGL
    /// context of NVIDIA's driver is current on this thread. Returns `CUDA_ERROR_INVALID_HANDLE` if
    /// the number is not an image. Returns `CUDA_ERROR_INVALID_VALUE` for an image without memory,
    /// for the number 0, for other targets and flags, and for texels that arrays cannot have, such
    /// as depth. (Three channels appear as four.) Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) while this thread captures
    /// a stream.
    #[doc(alias = "cuGraphicsGLRegisterImage")]
    pub unsafe fn register_image(
        context: &Context,
        image: u32,
        target: ImageTarget,
        flags: RegisterFlags,
    ) -> Result<Self> {
        let _allowed =
            capture::reject_during_capture("GraphicsResource::register_image", CAPTURED)?;
        let register = newer::cuGraphicsGLRegisterImage()?;
        let _current = context.enter("cuGraphicsGLRegisterImage")?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write. The driver checks the other arguments.
        let code = unsafe { register(&mut raw, image, target.0, flags.0) };
        context
            .check("cuGraphicsGLRegisterImage", code)
            .map_err(|error| {
                explain_rejection(error, || {
                    format!(
                        "image {image} of the current OpenGL context as {target:?}, with {flags:?}"
                    )
                })
            })?;
        // SAFETY: the resource was just registered, and has no other owner.
        Ok(unsafe { Self::from_raw(raw, context) })
    }

    /// Takes ownership of a raw handle of an object of OpenGL or another graphics interface, and
    /// unregisters it with `cuGraphicsUnregisterResource` when the last clone is dropped.
    ///
    /// # Safety
    /// The caller must ensure that:
    ///
    /// - `raw` is a live handle that was registered in `context` and is not mapped;
    /// - no other code unregisters it;
    /// - the contract of [`register_buffer`](Self::register_buffer) holds from now on.
    #[must_use]
    pub unsafe fn from_raw(raw: CUgraphicsResource, context: &Context) -> Self {
        // SAFETY: guaranteed by this function's contract.
        unsafe { Self::adopt(context, raw, true) }
    }

    /// Wraps a raw handle that other code owns, such as another library. The returned object never
    /// unregisters it.
    ///
    /// # Safety
    /// The contract of [`from_raw`](Self::from_raw) applies, except that the owner unregisters the
    /// handle. It must do so only after the last clone has been dropped and the work on the streams
    /// for which the resource was mapped has finished.
    #[must_use]
    pub unsafe fn borrow_raw(raw: CUgraphicsResource, context: &Context) -> Self {
        // SAFETY: guaranteed by this function's contract.
        unsafe { Self::adopt(context, raw, false) }
    }

    /// Wraps a raw handle.
    ///
    /// # Safety
    /// The contract of [`Handle::new`] applies.
    unsafe fn adopt(context: &Context, raw: CUgraphicsResource, owned: bool) -> Self {
        let kind = ResourceKind {
            streams: RefCell::default(),
            here: PhantomData,
        };
        // SAFETY: guaranteed by this function's contract.
        Self(unsafe { Handle::bound_to_thread(raw, owned, context.clone(), kind) })
    }

    /// Returns the context in which the resource is registered.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.0.parent()
    }

    /// Sets how CUDA uses the resource, from the next mapping on.
    ///
    /// See [`cuGraphicsResourceSetMapFlags`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPHICS.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_ALREADY_MAPPED` while the resource is mapped. Returns
    /// `CUDA_ERROR_INVALID_VALUE` for unknown flags.
    #[doc(alias = "cuGraphicsResourceSetMapFlags")]
    pub fn set_map_flags(&self, flags: MapFlags) -> Result<()> {
        let context = self.context();
        let _current = context.enter("cuGraphicsResourceSetMapFlags_v2")?;
        // SAFETY: the resource is live.
        let code = unsafe { sys::cuGraphicsResourceSetMapFlags_v2(self.as_raw(), flags.0) };
        let done = context.check("cuGraphicsResourceSetMapFlags_v2", code);
        done.map_err(explained)
    }

    /// Records a stream for which the resource is mapped. The stream's work may use the resource
    /// until it is unregistered.
    pub(super) fn note_stream(&self, stream: &Stream) {
        let mut streams = self.0.kind().streams.borrow_mut();
        if streams.contains(stream) {
            return;
        }
        // Streams whose work has finished need not be kept.
        relaxed(|| streams.retain(|stream| !stream.query().unwrap_or(false)));
        streams.push(stream.clone());
    }
}

const CAPTURED: &str = "register it before the capture";

/// Adds the likely reason to an error of the driver.
#[cold]
fn explain_rejection(error: Error, what: impl FnOnce() -> String) -> Error {
    let why = match error.driver_code() {
        Some(CUresult::CUDA_ERROR_INVALID_HANDLE) => "it does not exist",
        Some(CUresult::CUDA_ERROR_OUT_OF_MEMORY) => {
            "it has no memory, or no memory is left to map it"
        }
        Some(CUresult::CUDA_ERROR_INVALID_VALUE) => {
            "either it has no memory, or it has a format, target or flags that CUDA does not support, or no OpenGL \
             context is current on this thread"
        }
        _ => return explained(error),
    };
    error.with_detail(format!("the driver can't register {}: {why}", what()))
}
