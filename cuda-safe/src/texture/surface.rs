//! Surface objects.

use std::{fmt, mem::MaybeUninit};

use cuda_sys::{self as sys, CUDA_RESOURCE_DESC, CUsurfObject, CUtexObject};

use super::{
    object::{TextureResource, told},
    source::TextureSource,
};
use crate::{
    array::{ArrayFlags, CudaArray, after_work},
    capture,
    context::Context,
    error::{Error, Result},
    handle::{Adopt, Handle, Kind, handle},
};

/// A surface: an array as kernels read and write it by coordinates. Cloning gives another reference to the same surface.
///
/// A kernel takes it as `cudaSurfaceObject_t`, and reads and writes it by `surf2Dread`, `surf2Dwrite` and their relatives,
/// which count the first coordinate in bytes. `&surface` is passed to a launch like other arguments; in
/// [`kernels!`](crate::kernels) it is declared as `&Surface`.
///
/// A surface holds its array, and is destroyed as a [`Texture`](crate::Texture) is. What a launch promises is the same; and
/// that nothing else uses what the kernel writes.
///
/// ```
/// use cuda_safe::{
///     array::{CudaArray, ArrayFlags, TexelFormat}, Context, LaunchConfig, Module, Stream, Surface,
/// };
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// let image = CudaArray::new(&context, TexelFormat::of::<u32>(), [4, 2], ArrayFlags::SURFACE)?;
/// let surface = Surface::new(&image)?;
/// let module = Module::compile(&context, r#"
///     extern "C" __global__ void number(cudaSurfaceObject_t image) {
///         surf2Dwrite(threadIdx.y * 10 + threadIdx.x, image, threadIdx.x * 4, threadIdx.y);
///     }"#)?;
/// let number = module.function("number")?;
/// // SAFETY: the kernel writes four texels of two rows, of 4 bytes each.
/// unsafe { number.launch(&stream, LaunchConfig::new(1, (4, 2)), (&surface,))? };
/// assert_eq!(image.to_vec::<u32>(&stream)?, [0, 1, 2, 3, 10, 11, 12, 13]);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "CUsurfObject")]
#[doc(alias = "cudaSurfaceObject_t")]
pub struct Surface(Handle<SurfaceKind>);

/// The array; `None` where somebody else keeps that.
pub(crate) struct SurfaceKind(Option<CudaArray>);

impl Kind for SurfaceKind {
    type Raw = CUsurfObject;
    type Parent = Context;
    const NAME: &'static str = "Surface";

    unsafe fn release(&self, raw: CUsurfObject, context: &Context) -> Result<()> {
        // SAFETY: released once, by this function's contract; the array is held until then.
        unsafe {
            after_work(context, "cuSurfObjectDestroy", self.0.clone(), move || {
                sys::cuSurfObjectDestroy(raw)
            })
        }
    }

    fn show(&self, raw: CUtexObject, context: &Context, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Surface({raw:#x}, {context:?})")
    }

    fn hand_over(&mut self, _: CUsurfObject) {
        self.0 = None; // the array waits, if this is the last reference to it
    }
}

impl Adopt for SurfaceKind {
    fn adopt(_: CUsurfObject) -> Self {
        Self(None)
    }
}

handle!(Surface, CUsurfObject, released by "cuSurfObjectDestroy", made in Context);

impl Surface {
    /// Makes a surface of an array, or of a level of a mipmapped one, which it holds.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for an array that wasn't made for surfaces
    /// ([`ArrayFlags::SURFACE`]). A stream is being captured by this thread.
    #[doc(alias = "cuSurfObjectCreate")]
    pub fn new(array: &CudaArray) -> Result<Self> {
        const CALL: &str = "Surface::new";
        if !array.flags().contains(ArrayFlags::SURFACE) {
            return Err(Error::invalid(
                CALL,
                "the array was not made for surfaces: create it with ArrayFlags::SURFACE",
            ));
        }
        let context = array.context().clone();
        let _allowed = capture::refuse_here(CALL, "create the surface before the capture")?;
        let _current = context.enter("cuSurfObjectCreate")?;
        let mut raw = 0;
        let resource = TextureSource::from(array).resource().to_raw();
        // SAFETY: `raw` is valid for the write; the description lives through the call, and names a live array.
        let code = unsafe { sys::cuSurfObjectCreate(&mut raw, &resource) };
        context.check("cuSurfObjectCreate", code)?;
        let kind = SurfaceKind(Some(array.clone()));
        // SAFETY: just made in this context, and owned by nobody else.
        Ok(Self(unsafe { Handle::new(raw, true, context, kind) }))
    }

    /// The context that the surface belongs to.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.0.parent()
    }

    /// The array that it holds; `None` for a surface that came in as a raw handle.
    #[must_use]
    pub fn array(&self) -> Option<&CudaArray> {
        self.0.kind().0.as_ref()
    }

    /// What it is made of, as the driver tells it. The handle inside is borrowed from the surface.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault.
    #[doc(alias = "cuSurfObjectGetResourceDesc")]
    pub fn resource(&self) -> Result<TextureResource> {
        let _current = self.context().enter("cuSurfObjectGetResourceDesc")?;
        let mut found = MaybeUninit::<CUDA_RESOURCE_DESC>::zeroed();
        // SAFETY: a live surface; `found` is valid for the write.
        let code = unsafe { sys::cuSurfObjectGetResourceDesc(found.as_mut_ptr(), self.as_raw()) };
        self.context().check("cuSurfObjectGetResourceDesc", code)?;
        // SAFETY: numbers and pointers, which were zero before the driver wrote them.
        Ok(told(unsafe { found.assume_init_ref() }))
    }
}
