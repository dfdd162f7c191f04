//! Surface objects.

use std::{fmt, mem::MaybeUninit};

use cuda_sys::{self as sys, CUDA_RESOURCE_DESC, CUsurfObject, CUtexObject};

use super::{
    object::{TextureResource, from_description},
    source::TextureSource,
};
use crate::{
    array::{ArrayFlags, CudaArray, after_work},
    capture,
    context::Context,
    error::{Error, Result},
    handle::{Adopt, Handle, Kind, handle},
};

/// A surface object: an array that kernels read and write by coordinates. Cloning returns another
/// reference to the same surface.
///
/// **In kernels.** Declare the parameter as `cudaSurfaceObject_t`, and use `surf2Dread`,
/// `surf2Dwrite` and similar. They count the first coordinate in bytes. Pass `&surface` to the
/// launch. In [`kernels!`](crate::kernels), declare it as `&Surface`.
///
/// **Lifetime.** A surface keeps its array alive. It is destroyed like a
/// [`Texture`](crate::Texture).
///
/// **Safety of launches.** You promise the same as for a [`Texture`](crate::Texture), and that
/// nothing else uses the texels that the kernel writes.
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

/// The array, or `None` if other code keeps it alive.
pub(crate) struct SurfaceKind(Option<CudaArray>);

impl Kind for SurfaceKind {
    type Raw = CUsurfObject;
    type Parent = Context;
    const NAME: &'static str = "Surface";

    unsafe fn release(&self, raw: CUsurfObject, context: &Context) -> Result<()> {
        // SAFETY: the caller guarantees that the handle is live, owned and unused. This object
        // holds the array.
        unsafe {
            after_work(context, "cuSurfObjectDestroy", self.0.clone(), move || {
                sys::cuSurfObjectDestroy(raw)
            })
        }
    }

    fn show(&self, raw: CUtexObject, context: &Context, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Surface({raw:#x}, {context:?})")
    }

    fn prepare_into_raw(&mut self, _: CUsurfObject) {
        self.0 = None; // if this is the last reference, dropping the array waits
    }
}

impl Adopt for SurfaceKind {
    fn adopt(_: CUsurfObject) -> Self {
        Self(None)
    }
}

handle!(Surface, CUsurfObject, released by "cuSurfObjectDestroy", made in Context);

impl Surface {
    /// Creates a surface from an array, or from a level of a mipmapped array, which it keeps alive.
    ///
    /// See [`cuSurfObjectCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__SURFOBJECT.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the array was
    /// not created with [`ArrayFlags::SURFACE`], or if this thread is capturing a stream.
    #[doc(alias = "cuSurfObjectCreate")]
    pub fn new(array: &CudaArray) -> Result<Self> {
        const CALL: &str = "Surface::new";
        if !array.flags().contains(ArrayFlags::SURFACE) {
            return Err(Error::invalid(
                CALL,
                "the array was not created for surfaces. Fix: create it with ArrayFlags::SURFACE",
            ));
        }
        let context = array.context().clone();
        let _allowed =
            capture::reject_during_capture(CALL, "create the surface before the capture")?;
        let _current = context.enter("cuSurfObjectCreate")?;
        let mut raw = 0;
        let resource = TextureSource::from(array).resource().to_raw();
        // SAFETY: `raw` is valid for the write. The description lives through the call and names a
        // live array.
        let code = unsafe { sys::cuSurfObjectCreate(&mut raw, &resource) };
        context.check("cuSurfObjectCreate", code)?;
        let kind = SurfaceKind(Some(array.clone()));
        // SAFETY: the surface was just created in this context, and has no other owner.
        Ok(Self(unsafe { Handle::new(raw, true, context, kind) }))
    }

    /// Returns the context of the surface.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.0.parent()
    }

    /// Returns the array, or `None` for a surface from a raw handle.
    #[must_use]
    pub fn array(&self) -> Option<&CudaArray> {
        self.0.kind().0.as_ref()
    }

    /// Returns the array, as the driver reports it. The surface owns the handle in the result.
    ///
    /// See [`cuSurfObjectGetResourceDesc`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__SURFOBJECT.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault.
    #[doc(alias = "cuSurfObjectGetResourceDesc")]
    pub fn resource(&self) -> Result<TextureResource> {
        let _current = self.context().enter("cuSurfObjectGetResourceDesc")?;
        let mut found = MaybeUninit::<CUDA_RESOURCE_DESC>::zeroed();
        // SAFETY: the surface is live, and `found` is valid for the write.
        let code = unsafe { sys::cuSurfObjectGetResourceDesc(found.as_mut_ptr(), self.as_raw()) };
        self.context().check("cuSurfObjectGetResourceDesc", code)?;
        // SAFETY: the structure consists of numbers and pointers, which were zero before the driver
        // wrote them.
        Ok(from_description(unsafe { found.assume_init_ref() }))
    }
}
