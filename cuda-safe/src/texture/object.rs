//! Texture objects.

use std::{fmt, mem::MaybeUninit};

use cuda_sys::{
    self as sys, CUDA_RESOURCE_DESC, CUarray, CUdeviceptr, CUmipmappedArray, CUresourcetype,
    CUtexObject,
};

use super::{
    sampler::{Sampler, integer_bits},
    source::{IntoTextureSource, Resource, TextureSource},
    view::ResourceView,
};
use crate::{
    array::{ChannelFormat, TexelFormat, after_work},
    capture,
    context::Context,
    error::{Error, Result},
    handle::{Adopt, Handle, Kind, handle},
};

/// A texture: an array, or device memory, as kernels read it by coordinates, with a [`Sampler`] that says what lies between
/// texels and outside. Cloning gives another reference to the same texture.
///
/// A kernel takes it as `cudaTextureObject_t`, and reads it by `tex1Dfetch`, `tex1D`, `tex2D`, `tex3D` and their relatives.
/// `&texture` is passed to a launch like other arguments; in [`kernels!`](crate::kernels) it is declared as `&Texture`.
///
/// A texture holds what it reads. When the last reference to it goes, it is destroyed after all work of its context, for
/// which that waits: a kernel that was launched before has then finished. What the launch promises is
///
/// - that the kernel reads it by functions that fit its dimensions and the type of its texels,
/// - that nothing writes what it reads meanwhile: copies to the array and kernels on other streams are ordered,
/// - that a handle which was taken from it ([`as_raw`](Self::as_raw)) is used no longer than the texture lives. A graph whose
///   nodes use it holds it if it is told to: [`Graph::hold`](crate::Graph::hold)`(texture.clone())`.
///
/// Who takes the raw handle by [`into_raw`](Self::into_raw) holds what it reads from then on: a clone of
/// [`source`](Self::source).
///
/// ```
/// use cuda_safe::{array::CudaArray, Context, LaunchConfig, Module, Out, Sampler, Stream, Texture};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// let image = CudaArray::from_slice(&stream, [3, 2], &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// let texture = Texture::new(&image, Sampler::default())?;
/// let module = Module::compile(&context, r#"
///     extern "C" __global__ void transpose(float *x, cudaTextureObject_t image) {
///         x[threadIdx.x * 2 + threadIdx.y] = tex2D<float>(image, threadIdx.x, threadIdx.y);
///     }"#)?;
/// let transpose = module.function("transpose")?;
/// let mut x = [0.0f32; 6];
/// // SAFETY: the kernel writes six floats, and reads a texture of two dimensions and one float.
/// unsafe { transpose.launch(&stream, LaunchConfig::new(1, (3, 2)), (Out(&mut x), &texture))? };
/// assert_eq!(x, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "CUtexObject")]
#[doc(alias = "cudaTextureObject_t")]
pub struct Texture(Handle<TextureKind>);

/// What a texture reads; `None` where somebody else keeps that.
pub(crate) struct TextureKind {
    source: Option<TextureSource>,
    /// How it was to be read. Drivers up to 580 don't tell the border's colour.
    sampler: Option<Sampler>,
}

impl Kind for TextureKind {
    type Raw = CUtexObject;
    type Parent = Context;
    const NAME: &'static str = "Texture";

    unsafe fn release(&self, raw: CUtexObject, context: &Context) -> Result<()> {
        // SAFETY: released once, by this function's contract; what it reads is held until then.
        unsafe {
            after_work(
                context,
                "cuTexObjectDestroy",
                self.source.clone(),
                move || sys::cuTexObjectDestroy(raw),
            )
        }
    }

    fn show(&self, raw: CUtexObject, context: &Context, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Texture({raw:#x}, {context:?})")
    }

    fn hand_over(&mut self, _: CUtexObject) {
        if let Some(source) = self.source.take() {
            let context = source.context().clone();
            // SAFETY: nothing is destroyed; memory is freed in the order of one stream, and kernels may read it on others.
            let _ = unsafe {
                after_work(&context, "Texture::into_raw", source, || {
                    sys::CUresult::CUDA_SUCCESS
                })
            };
        }
    }
}

impl Adopt for TextureKind {
    fn adopt(_: CUtexObject) -> Self {
        Self {
            source: None,
            sampler: None,
        }
    }
}

handle!(Texture, CUtexObject, released by "cuTexObjectDestroy", made in Context);

/// What a texture reads, as the driver tells it: see [`Texture::resource`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextureResource {
    /// An array.
    Array(CUarray),
    /// A mipmapped array.
    Mipmapped(CUmipmappedArray),
    /// Texels that follow each other in memory.
    Linear {
        /// Where they begin.
        address: CUdeviceptr,
        /// What they are.
        format: TexelFormat,
        /// How many bytes there are.
        bytes: usize,
    },
    /// Rows in memory.
    Pitched {
        /// Where the first begins.
        address: CUdeviceptr,
        /// What their texels are.
        format: TexelFormat,
        /// Texels of a row.
        width: usize,
        /// Rows.
        height: usize,
        /// Bytes from row to row.
        pitch: usize,
    },
    /// Something else, of this `CUresourcetype`.
    Other(u32),
}

impl Texture {
    /// Makes a texture of `&array`, `&mipmapped` or a [`TextureSource`], which it holds.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a sampler that doesn't go with what is read: a
    /// filter or normalised coordinates for linear memory; a filter of integers that are read as such;
    /// [`normalized_read`](Sampler) of 32 bits; [`WRAP`](crate::texture::AddressMode::WRAP) and
    /// [`MIRROR`](crate::texture::AddressMode::MIRROR) without normalised coordinates; a seamless cube that is none. A stream is
    /// being captured by this thread.
    #[doc(alias = "cuTexObjectCreate")]
    pub fn new(source: impl IntoTextureSource, sampler: Sampler) -> Result<Self> {
        Self::create(source.into(), sampler, None, "Texture::new")
    }

    /// As [`new`](Self::new), with the texels, levels and layers of a view.
    ///
    /// # Errors
    /// As [`new`](Self::new); for linear memory; for levels or layers that aren't there; for a format whose texels have
    /// another size than the array's.
    #[doc(alias = "cuTexObjectCreate")]
    pub fn with_view(
        source: impl IntoTextureSource,
        sampler: Sampler,
        view: ResourceView,
    ) -> Result<Self> {
        Self::create(source.into(), sampler, Some(view), "Texture::with_view")
    }

    fn create(
        source: TextureSource,
        sampler: Sampler,
        view: Option<ResourceView>,
        call: &'static str,
    ) -> Result<Self> {
        let (context, resource) = (source.context().clone(), source.resource());
        let mut read = resource.read();
        if let Some(view) = view {
            read.integer_bits = view.format.integer_bits();
        }
        sampler.check(read, call)?;
        let raw_view = view.map(|view| view.to_raw(resource, call)).transpose()?;
        if let Some(raw) = &raw_view {
            read.levels = raw.lastMipmapLevel - raw.firstMipmapLevel + 1;
        }
        let _allowed = capture::refuse_here(call, "create the texture before the capture")?;
        let _current = context.enter("cuTexObjectCreate")?;
        let mut raw = 0;
        let view_place = raw_view
            .as_ref()
            .map_or(std::ptr::null(), std::ptr::from_ref);
        // SAFETY: `raw` is valid for the write; the descriptions live through the call, and what they name is live and as
        // long as they say.
        let code = unsafe {
            sys::cuTexObjectCreate(
                &mut raw,
                &resource.to_raw(),
                &sampler.to_raw(read),
                view_place,
            )
        };
        context
            .check("cuTexObjectCreate", code)
            .map_err(|error| refused(error, &source, sampler, view))?;
        let kind = TextureKind {
            source: Some(source),
            sampler: Some(sampler),
        };
        // SAFETY: just made in this context, and owned by nobody else.
        Ok(Self(unsafe { Handle::new(raw, true, context, kind) }))
    }

    /// The context that the texture belongs to.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.0.parent()
    }

    /// What it reads and holds; `None` for a texture that came in as a raw handle.
    #[must_use]
    pub fn source(&self) -> Option<&TextureSource> {
        self.0.kind().source.as_ref()
    }

    /// How it is read, as the driver tells it. It does not tell the border's colour: of a texture that came in as a raw handle
    /// that is 0. Nor does it tell how many levels there are: of a mipmapped texture that came in as a raw handle,
    /// [`max_mipmap_level`](Sampler#structfield.max_mipmap_level) is always a number.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault.
    #[doc(alias = "cuTexObjectGetTextureDesc")]
    pub fn sampler(&self) -> Result<Sampler> {
        let are_integers = match self.view()? {
            Some(view) => view.format.integer_bits().is_some(),
            None => self
                .format()?
                .is_some_and(|one| integer_bits(one).is_some()),
        };
        let _current = self.context().enter("cuTexObjectGetTextureDesc")?;
        let mut found = MaybeUninit::<sys::CUDA_TEXTURE_DESC>::zeroed();
        // SAFETY: a live texture; `found` is valid for the write.
        let code = unsafe { sys::cuTexObjectGetTextureDesc(found.as_mut_ptr(), self.as_raw()) };
        self.context().check("cuTexObjectGetTextureDesc", code)?;
        // SAFETY: numbers, which were zero before the driver wrote them.
        let found = unsafe { found.assume_init_ref() };
        if let Some(own) = self.0.kind().sampler {
            return Ok(Sampler::from_raw(found, are_integers, None)
                .border_color(own.border_color)
                .max_mipmap_level(own.max_mipmap_level));
        }
        let is_mipmapped = matches!(self.resource()?, TextureResource::Mipmapped(_));
        let last_level = (!is_mipmapped).then_some(0.0);
        Ok(Sampler::from_raw(found, are_integers, last_level))
    }

    /// Its view, as the driver tells it; `None` where it has none.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault.
    #[doc(alias = "cuTexObjectGetResourceViewDesc")]
    pub fn view(&self) -> Result<Option<ResourceView>> {
        let _current = self.context().enter("cuTexObjectGetResourceViewDesc")?;
        let mut found = MaybeUninit::<sys::CUDA_RESOURCE_VIEW_DESC>::zeroed();
        // SAFETY: a live texture; `found` is valid for the write.
        let code =
            unsafe { sys::cuTexObjectGetResourceViewDesc(found.as_mut_ptr(), self.as_raw()) };
        self.context()
            .check("cuTexObjectGetResourceViewDesc", code)?;
        // SAFETY: numbers, which were zero before the driver wrote them.
        Ok(ResourceView::from_raw(unsafe { found.assume_init_ref() }))
    }

    /// What it reads, as the driver tells it. The handles inside are borrowed from the texture.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault.
    #[doc(alias = "cuTexObjectGetResourceDesc")]
    pub fn resource(&self) -> Result<TextureResource> {
        let _current = self.context().enter("cuTexObjectGetResourceDesc")?;
        let mut found = MaybeUninit::<CUDA_RESOURCE_DESC>::zeroed();
        // SAFETY: a live texture; `found` is valid for the write.
        let code = unsafe { sys::cuTexObjectGetResourceDesc(found.as_mut_ptr(), self.as_raw()) };
        self.context().check("cuTexObjectGetResourceDesc", code)?;
        // SAFETY: numbers and pointers, which were zero before the driver wrote them.
        Ok(told(unsafe { found.assume_init_ref() }))
    }

    /// The format of what is read; `None` for what isn't known here.
    fn format(&self) -> Result<Option<TexelFormat>> {
        if let Some(source) = self.source() {
            return Ok(Some(source.format()));
        }
        Ok(match self.resource()? {
            TextureResource::Linear { format, .. } | TextureResource::Pitched { format, .. } => {
                Some(format)
            }
            TextureResource::Array(array) => {
                // SAFETY: the texture's own, which whoever gave it keeps alive for it.
                let array = unsafe { crate::array::CudaArray::borrow_raw(self.context(), array)? };
                Some(array.format())
            }
            TextureResource::Mipmapped(array) => {
                // SAFETY: as above; only the first level is asked for.
                let array =
                    unsafe { crate::array::MipmappedArray::borrow_raw(self.context(), array, 1)? };
                Some(array.format())
            }
            TextureResource::Other(_) => None,
        })
    }
}

/// The driver's description of what a texture or a surface is made of.
pub(super) fn told(raw: &CUDA_RESOURCE_DESC) -> TextureResource {
    let format =
        |format: sys::CUarray_format, channels| TexelFormat::new(ChannelFormat(format.0), channels);
    // SAFETY: `resType` says which member of the union is set; all are numbers and pointers.
    unsafe {
        match raw.resType {
            CUresourcetype::CU_RESOURCE_TYPE_ARRAY => TextureResource::Array(raw.res.array.hArray),
            CUresourcetype::CU_RESOURCE_TYPE_MIPMAPPED_ARRAY => {
                TextureResource::Mipmapped(raw.res.mipmap.hMipmappedArray)
            }
            CUresourcetype::CU_RESOURCE_TYPE_LINEAR => TextureResource::Linear {
                address: raw.res.linear.devPtr,
                format: format(raw.res.linear.format, raw.res.linear.numChannels),
                bytes: raw.res.linear.sizeInBytes,
            },
            CUresourcetype::CU_RESOURCE_TYPE_PITCH2D => TextureResource::Pitched {
                address: raw.res.pitch2D.devPtr,
                format: format(raw.res.pitch2D.format, raw.res.pitch2D.numChannels),
                width: raw.res.pitch2D.width,
                height: raw.res.pitch2D.height,
                pitch: raw.res.pitch2D.pitchInBytes,
            },
            other => TextureResource::Other(other.0),
        }
    }
}

/// What a refusal by the driver is likely to mean.
#[cold]
fn refused(
    error: Error,
    source: &TextureSource,
    sampler: Sampler,
    view: Option<ResourceView>,
) -> Error {
    if error.driver_code() != Some(sys::CUresult::CUDA_ERROR_INVALID_VALUE) {
        return error;
    }
    let format = source.format();
    if let Some(unknown) = sampler.unknown() {
        let text = format!("the driver doesn't know what the sampler says: {unknown}");
        return error.with_detail(text);
    }
    let text = match (view, source.resource()) {
        (Some(view), _) if !view.format.has_name() => {
            format!("the driver doesn't know {:?}", view.format)
        }
        (Some(view), _) => format!(
            "the driver refuses a view as {:?} of texels of {format}: both have to take up the same number of bytes",
            view.format
        ),
        (None, Resource::Linear(_) | Resource::Pitched(_)) => {
            format!("the driver refuses a texture of linear memory with texels of {format}")
        }
        (None, _) => format!("the driver refuses a texture with texels of {format}"),
    };
    error.with_detail(text)
}
