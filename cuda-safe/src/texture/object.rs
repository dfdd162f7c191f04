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

/// A texture object: an array or device memory that kernels read by coordinates through a
/// [`Sampler`].
///
/// The sampler decides how values between texels are interpolated and how out-of-range coordinates
/// are handled. Cloning returns another reference to the same texture.
///
/// **In kernels.** Declare the parameter as `cudaTextureObject_t`, and read it with `tex1Dfetch`,
/// `tex1D`, `tex2D`, `tex3D` and similar. Pass `&texture` to the launch. In
/// [`kernels!`](crate::kernels), declare it as `&Texture`.
///
/// **Lifetime.** A texture keeps its source alive. Dropping the last reference waits for all work
/// of its context, including kernels that were launched before, then destroys the texture.
///
/// **Safety of launches.** When you launch a kernel with a texture, you promise that:
///
/// - the kernel uses functions that match the texture's dimensions and texel type;
/// - nothing writes the source while the kernel reads it: copies to the array and kernels on other
///   streams are ordered;
/// - a handle from [`as_raw`](Self::as_raw) is not used after the texture has been dropped. For a
///   graph whose nodes use the texture, call
///   [`Graph::hold`](crate::Graph::hold)`(texture.clone())`.
///
/// After [`into_raw`](Self::into_raw), you own the object. Keep a clone of [`source`](Self::source)
/// alive until you destroy it.
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

/// The source and the sampler of a texture. The source is `None` if other code keeps it alive.
pub(crate) struct TextureKind {
    source: Option<TextureSource>,
    /// The sampler that was passed. Drivers up to 580 do not return the border color.
    sampler: Option<Sampler>,
}

impl Kind for TextureKind {
    type Raw = CUtexObject;
    type Parent = Context;
    const NAME: &'static str = "Texture";

    unsafe fn release(&self, raw: CUtexObject, context: &Context) -> Result<()> {
        // SAFETY: the caller guarantees that the handle is live, owned and unused. This object
        // holds the source.
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

    fn prepare_into_raw(&mut self, _: CUtexObject) {
        if let Some(source) = self.source.take() {
            let context = source.context().clone();
            // SAFETY: nothing is destroyed. The wait is needed because memory is freed in the order
            // of one stream, and kernels may read it on others.
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

/// The source of a texture, as the driver describes it. See [`Texture::resource`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextureResource {
    /// An array.
    Array(CUarray),
    /// A mipmapped array.
    Mipmapped(CUmipmappedArray),
    /// Contiguous texels in memory.
    Linear {
        /// The address of the first texel.
        address: CUdeviceptr,
        /// The format of the texels.
        format: TexelFormat,
        /// The size in bytes.
        bytes: usize,
    },
    /// Rows in memory.
    Pitched {
        /// The address of the first row.
        address: CUdeviceptr,
        /// The format of the texels.
        format: TexelFormat,
        /// The number of texels in a row.
        width: usize,
        /// The number of rows.
        height: usize,
        /// The distance between rows in bytes.
        pitch: usize,
    },
    /// Another source, with this `CUresourcetype`.
    Other(u32),
}

impl Texture {
    /// Creates a texture from `&array`, `&mipmapped` or a [`TextureSource`], which it keeps alive.
    ///
    /// See [`cuTexObjectCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__TEXOBJECT.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) while this thread
    /// captures a stream, and if the sampler does not match the source:
    ///
    /// - a filter or normalized coordinates for linear memory;
    /// - a filter for integers that are read as integers;
    /// - [`normalized_read`](Sampler) of 32-bit integers;
    /// - [`WRAP`](crate::texture::AddressMode::WRAP) or
    ///   [`MIRROR`](crate::texture::AddressMode::MIRROR) without normalized coordinates;
    /// - a seamless cube for an array that is not a cube.
    #[doc(alias = "cuTexObjectCreate")]
    pub fn new(source: impl IntoTextureSource, sampler: Sampler) -> Result<Self> {
        Self::create(source.into(), sampler, None, "Texture::new")
    }

    /// Creates a texture with the texel format, levels and layers of a view.
    ///
    /// See [`cuTexObjectCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__TEXOBJECT.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`new`](Self::new). Also returns an error for linear memory, for
    /// levels or layers that do not exist, and for a format whose texels differ in size from the
    /// array's.
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
        let _allowed =
            capture::reject_during_capture(call, "create the texture before the capture")?;
        let _current = context.enter("cuTexObjectCreate")?;
        let mut raw = 0;
        let view_place = raw_view
            .as_ref()
            .map_or(std::ptr::null(), std::ptr::from_ref);
        // SAFETY: `raw` is valid for the write. The descriptions live through the call. The objects
        // in them are live, with the sizes that they state.
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
            .map_err(|error| explain_rejection(error, &source, sampler, view))?;
        let kind = TextureKind {
            source: Some(source),
            sampler: Some(sampler),
        };
        // SAFETY: the texture was just created in this context, and has no other owner.
        Ok(Self(unsafe { Handle::new(raw, true, context, kind) }))
    }

    /// Returns the context of the texture.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.0.parent()
    }

    /// Returns the source, or `None` for a texture from a raw handle.
    #[must_use]
    pub fn source(&self) -> Option<&TextureSource> {
        self.0.kind().source.as_ref()
    }

    /// Returns the sampler, as the driver reports it.
    ///
    /// For a texture from a raw handle, the result differs from the original in two fields. The
    /// border color is 0, because the driver does not return it. For a mipmapped texture,
    /// [`max_mipmap_level`](Sampler#structfield.max_mipmap_level) is always a number, because the
    /// driver does not return the number of levels.
    ///
    /// See [`cuTexObjectGetTextureDesc`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__TEXOBJECT.html) in NVIDIA's manual.
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
        // SAFETY: the texture is live, and `found` is valid for the write.
        let code = unsafe { sys::cuTexObjectGetTextureDesc(found.as_mut_ptr(), self.as_raw()) };
        self.context().check("cuTexObjectGetTextureDesc", code)?;
        // SAFETY: the structure consists of numbers, which were zero before the driver wrote them.
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

    /// Returns the view, as the driver reports it, or `None` if the texture has none.
    ///
    /// See [`cuTexObjectGetResourceViewDesc`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__TEXOBJECT.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault.
    #[doc(alias = "cuTexObjectGetResourceViewDesc")]
    pub fn view(&self) -> Result<Option<ResourceView>> {
        let _current = self.context().enter("cuTexObjectGetResourceViewDesc")?;
        let mut found = MaybeUninit::<sys::CUDA_RESOURCE_VIEW_DESC>::zeroed();
        // SAFETY: the texture is live, and `found` is valid for the write.
        let code =
            unsafe { sys::cuTexObjectGetResourceViewDesc(found.as_mut_ptr(), self.as_raw()) };
        self.context()
            .check("cuTexObjectGetResourceViewDesc", code)?;
        // SAFETY: the structure consists of numbers, which were zero before the driver wrote them.
        Ok(ResourceView::from_raw(unsafe { found.assume_init_ref() }))
    }

    /// Returns the source, as the driver reports it. The texture owns the handles in the result.
    ///
    /// See [`cuTexObjectGetResourceDesc`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__TEXOBJECT.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault.
    #[doc(alias = "cuTexObjectGetResourceDesc")]
    pub fn resource(&self) -> Result<TextureResource> {
        let _current = self.context().enter("cuTexObjectGetResourceDesc")?;
        let mut found = MaybeUninit::<CUDA_RESOURCE_DESC>::zeroed();
        // SAFETY: the texture is live, and `found` is valid for the write.
        let code = unsafe { sys::cuTexObjectGetResourceDesc(found.as_mut_ptr(), self.as_raw()) };
        self.context().check("cuTexObjectGetResourceDesc", code)?;
        // SAFETY: the structure consists of numbers and pointers, which were zero before the driver
        // wrote them.
        Ok(from_description(unsafe { found.assume_init_ref() }))
    }

    /// Returns the format of the source, or `None` if it is unknown.
    fn format(&self) -> Result<Option<TexelFormat>> {
        if let Some(source) = self.source() {
            return Ok(Some(source.format()));
        }
        Ok(match self.resource()? {
            TextureResource::Linear { format, .. } | TextureResource::Pitched { format, .. } => {
                Some(format)
            }
            TextureResource::Array(array) => {
                // SAFETY: the creator of the texture keeps the array alive.
                let array = unsafe { crate::array::CudaArray::borrow_raw(array, self.context())? };
                Some(array.format())
            }
            TextureResource::Mipmapped(array) => {
                // SAFETY: as above. Only the first level is used.
                let array =
                    unsafe { crate::array::MipmappedArray::borrow_raw(array, 1, self.context())? };
                Some(array.format())
            }
            TextureResource::Other(_) => None,
        })
    }
}

/// Converts the driver's description of the source of a texture or surface.
pub(super) fn from_description(raw: &CUDA_RESOURCE_DESC) -> TextureResource {
    let format =
        |format: sys::CUarray_format, channels| TexelFormat::new(ChannelFormat(format.0), channels);
    // SAFETY: `resType` determines which member of the union is set. All are numbers and pointers.
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

/// Adds the likely reason to an error of the driver.
#[cold]
fn explain_rejection(
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
        let text = format!("the driver does not know a value of the sampler: {unknown}");
        return error.with_detail(text);
    }
    let text = match (view, source.resource()) {
        (Some(view), _) if !view.format.has_name() => {
            format!("the driver does not know {:?}", view.format)
        }
        (Some(view), _) => format!(
            "the driver rejects a view as {:?} of texels of {format}: both must have the same number of bytes",
            view.format
        ),
        (None, Resource::Linear(_) | Resource::Pitched(_)) => {
            format!("the driver rejects a texture of linear memory with texels of {format}")
        }
        (None, _) => format!("the driver rejects a texture with texels of {format}"),
    };
    error.with_detail(text)
}
