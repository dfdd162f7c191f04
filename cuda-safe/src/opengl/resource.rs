//! Objects of OpenGL that have been registered.

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

/// A buffer object or an image of OpenGL that CUDA may use, while it is [mapped](super::MappedResources). Cloning gives
/// another reference to the same resource. It does not leave the thread that it was registered on.
///
/// It is unregistered when the last reference to it goes, after the work on the streams that it was mapped for. A reference
/// that a [log listener](crate::logs::listen) drops last leaves it registered for ever: the driver forbids the call there.
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
    /// Those that it was mapped for: what they were given may still use it.
    streams: RefCell<Vec<Stream>>,
    /// OpenGL's context is current on this thread alone.
    here: PhantomData<*const ()>,
}

impl Kind for ResourceKind {
    type Raw = CUgraphicsResource;
    type Parent = Context;
    const NAME: &'static str = "GraphicsResource";

    unsafe fn release(&self, raw: CUgraphicsResource, context: &Context) -> Result<()> {
        for stream in self.streams.borrow().iter() {
            finish(stream)?; // else it stays registered
        }
        let _current = context.enter("cuGraphicsUnregisterResource")?;
        // SAFETY: released once, by this function's contract; nothing is mapped, and no work on it is left. Also where the
        // driver refuses it (an H200's without an OpenGL context), the handle is not used again.
        let code = released(|| unsafe { sys::cuGraphicsUnregisterResource(raw) });
        let done = context.check("cuGraphicsUnregisterResource", code);
        done.map_err(explained)
    }
}

/// Waits until what a stream was given is over. This can't be put off until after a capture, as it is elsewhere: the
/// capture may end on another thread.
fn finish(stream: &Stream) -> Result<()> {
    const CALL: &str = "GraphicsResource::close";
    let _uncaptured = stream.uncaptured(CALL, "drop the resource before the capture, or after it");
    relaxed(|| stream.settle_or_leak())
}

handle!(GraphicsResource, CUgraphicsResource, released by "cuGraphicsUnregisterResource");

impl GraphicsResource {
    /// Registers a buffer object, which has memory already.
    ///
    /// # Safety
    /// From now on, until the last reference to the resource has gone:
    /// - Whenever it is mapped, unmapped or dropped, the OpenGL context that is current on this thread now is current there
    ///   again, or one that shares its objects. Where there is none, the driver refuses; what should have been given back
    ///   stays mapped, or registered, for ever.
    /// - The object is not deleted, and gets no other memory (`glBufferData`).
    /// - While the resource is [mapped](super::MappedResources), neither OpenGL uses the object, nor CUDA by another
    ///   registration of it. What OpenGL was told to do with it before is no concern of the caller's.
    /// - Work that uses it and was put on other streams than that it is mapped for is over, or ordered before what that
    ///   stream is given next, when it is unmapped. Copies and fills by safe methods of [`DeviceMemory`](crate::DeviceMemory)
    ///   and of [`CudaArray`](crate::array::CudaArray) see to it themselves.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_GRAPHICS_CONTEXT`, or `CUDA_ERROR_INVALID_VALUE`, where no OpenGL context of NVIDIA's driver is
    /// current on this thread. `CUDA_ERROR_INVALID_HANDLE` for a number that is no buffer object, and
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) for one without memory. `CUDA_ERROR_INVALID_VALUE` for number
    /// 0, and for several flags or those for images. A stream is being captured by this thread.
    #[doc(alias = "cuGraphicsGLRegisterBuffer")]
    pub unsafe fn register_buffer(
        context: &Context,
        buffer: u32,
        flags: RegisterFlags,
    ) -> Result<Self> {
        let _allowed = capture::refuse_here("GraphicsResource::register_buffer", CAPTURED)?;
        let register = newer::cuGraphicsGLRegisterBuffer()?;
        let _current = context.enter("cuGraphicsGLRegisterBuffer")?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write; the driver looks at the rest.
        let code = unsafe { register(&mut raw, buffer, flags.0) };
        context
            .check("cuGraphicsGLRegisterBuffer", code)
            .map_err(|error| {
                refused(error, || {
                    format!("buffer {buffer} of the current OpenGL context, with {flags:?}")
                })
            })?;
        // SAFETY: just registered here, and owned by nobody else.
        Ok(unsafe { Self::from_raw(context, raw) })
    }

    /// Registers a texture or a renderbuffer, which has memory already.
    ///
    /// # Safety
    /// As [`register_buffer`](Self::register_buffer); memory is given by `glTexStorage2D` and `glTexImage2D` here, and their
    /// kin. `target` is what the image was made for: an H200's driver (580) believes what it is told. Of a texture that has
    /// some of the levels which its size allows, but not all, those that it lacks are not used: this driver shows them too.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_GRAPHICS_CONTEXT`, or `CUDA_ERROR_INVALID_VALUE`, where no OpenGL context of NVIDIA's driver is
    /// current on this thread. `CUDA_ERROR_INVALID_HANDLE` for a number that is no image. `CUDA_ERROR_INVALID_VALUE` for an
    /// image without memory, for number 0 and for other targets and flags; and for texels that arrays don't have, such as
    /// those of depth. (Three channels are shown as four.) A stream is being captured by this thread.
    #[doc(alias = "cuGraphicsGLRegisterImage")]
    pub unsafe fn register_image(
        context: &Context,
        image: u32,
        target: ImageTarget,
        flags: RegisterFlags,
    ) -> Result<Self> {
        let _allowed = capture::refuse_here("GraphicsResource::register_image", CAPTURED)?;
        let register = newer::cuGraphicsGLRegisterImage()?;
        let _current = context.enter("cuGraphicsGLRegisterImage")?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write; the driver looks at the rest.
        let code = unsafe { register(&mut raw, image, target.0, flags.0) };
        context
            .check("cuGraphicsGLRegisterImage", code)
            .map_err(|error| {
                refused(error, || {
                    format!(
                        "image {image} of the current OpenGL context as {target:?}, with {flags:?}"
                    )
                })
            })?;
        // SAFETY: just registered here, and owned by nobody else.
        Ok(unsafe { Self::from_raw(context, raw) })
    }

    /// Takes ownership of a raw handle, of an object of OpenGL or of another graphics interface. It is unregistered, with
    /// `cuGraphicsUnregisterResource`, when the last clone is dropped.
    ///
    /// # Safety
    /// `raw` is a live handle, registered in `context`, not mapped, and nobody else unregisters it. What
    /// [`register_buffer`](Self::register_buffer) asks for holds from now on.
    #[must_use]
    pub unsafe fn from_raw(context: &Context, raw: CUgraphicsResource) -> Self {
        // SAFETY: as this function's contract says.
        unsafe { Self::adopt(context, raw, true) }
    }

    /// Uses a raw handle that somebody else owns, such as another library. The returned object never unregisters it.
    ///
    /// # Safety
    /// As [`from_raw`](Self::from_raw), but that its owner unregisters it, when the last clone has been dropped and the work
    /// is over on the streams that it was mapped for.
    #[must_use]
    pub unsafe fn borrow_raw(context: &Context, raw: CUgraphicsResource) -> Self {
        // SAFETY: as this function's contract says.
        unsafe { Self::adopt(context, raw, false) }
    }

    /// # Safety
    /// As [`Handle::new`].
    unsafe fn adopt(context: &Context, raw: CUgraphicsResource, owned: bool) -> Self {
        let kind = ResourceKind {
            streams: RefCell::default(),
            here: PhantomData,
        };
        // SAFETY: as this function's contract says.
        Self(unsafe { Handle::bound_to_thread(raw, owned, context.clone(), kind) })
    }

    /// The context that it is registered in.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.0.parent()
    }

    /// Says what CUDA will do with it, from the next time on that it is mapped.
    ///
    /// # Errors
    /// `CUDA_ERROR_ALREADY_MAPPED` while it is mapped. `CUDA_ERROR_INVALID_VALUE` for other flags.
    #[doc(alias = "cuGraphicsResourceSetMapFlags")]
    pub fn set_map_flags(&self, flags: MapFlags) -> Result<()> {
        let context = self.context();
        let _current = context.enter("cuGraphicsResourceSetMapFlags_v2")?;
        // SAFETY: a live resource.
        let code = unsafe { sys::cuGraphicsResourceSetMapFlags_v2(self.as_raw(), flags.0) };
        let done = context.check("cuGraphicsResourceSetMapFlags_v2", code);
        done.map_err(explained)
    }

    /// It is being mapped for a stream, whose work may use it until it is unregistered.
    pub(super) fn note_stream(&self, stream: &Stream) {
        let mut streams = self.0.kind().streams.borrow_mut();
        if streams.contains(stream) {
            return;
        }
        // Those whose work is over need not be waited for, nor kept.
        relaxed(|| streams.retain(|stream| !stream.query().unwrap_or(false)));
        streams.push(stream.clone());
    }
}

const CAPTURED: &str = "register it before the capture";

/// What a refusal by the driver is likely to mean.
#[cold]
fn refused(error: Error, what: impl FnOnce() -> String) -> Error {
    let why = match error.driver_code() {
        Some(CUresult::CUDA_ERROR_INVALID_HANDLE) => "there is none",
        Some(CUresult::CUDA_ERROR_OUT_OF_MEMORY) => "it has no memory, or there is none to map it",
        Some(CUresult::CUDA_ERROR_INVALID_VALUE) => {
            "either it has no memory, or a format, target or flags that CUDA doesn't know, or no OpenGL context is current \
             on this thread"
        }
        _ => return explained(error),
    };
    error.with_detail(format!("the driver does not register {}: {why}", what()))
}
