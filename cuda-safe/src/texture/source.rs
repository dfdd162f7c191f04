//! Sources of textures.

use std::{any::Any, fmt, sync::Arc};

use cuda_sys::{
    CUDA_RESOURCE_DESC, CUDA_RESOURCE_DESC_st__bindgen_ty_1 as RawUnion,
    CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1 as RawArray,
    CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2 as RawMipmapped,
    CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3 as RawLinear,
    CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4 as RawPitched, CUarray_format, CUdeviceptr,
    CUresourcetype,
};

use super::sampler::{Read, integer_bits};
use crate::{
    array::{ArrayShape, CudaArray, MipmappedArray, Texel, TexelFormat},
    context::Context,
    device::attribute::DeviceAttribute,
    error::{Error, Result},
    memory::{DeviceMemory, PitchedMemory, Storage},
};

/// The source of a [`Texture`](crate::Texture), which the texture keeps alive: an array, a
/// mipmapped array, or device memory.
///
/// `&array` and `&mipmapped` convert implicitly. Device memory is moved into the source, or shared
/// in an [`Arc`]. Safe code can then not write it while the texture has it. It is freed with the
/// last reference.
///
/// ```
/// use std::sync::Arc;
///
/// use cuda_safe::{Context, DeviceBuffer, Sampler, Stream, Texture, texture::TextureSource};
///
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// let table = Arc::new(DeviceBuffer::from_slice(&stream, &[1.0f32, 4.0, 9.0])?);
/// let texture = Texture::new(TextureSource::linear(table.clone())?, Sampler::default())?;
/// assert_eq!(table.to_vec(&stream)?, [1.0, 4.0, 9.0]); // still readable
/// # let _ = texture;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct TextureSource(Resource);

/// The source, held.
#[derive(Clone)]
pub(super) enum Resource {
    Array(CudaArray),
    Mipmapped(MipmappedArray),
    Linear(Linear),
    Pitched(Pitched),
}

/// A value that keeps memory alive.
type Memory = Arc<dyn Any + Send + Sync>;

#[derive(Clone)]
pub(super) struct Linear {
    context: Context,
    address: CUdeviceptr,
    format: TexelFormat,
    bytes: usize,
    #[allow(dead_code, reason = "held, so that it lives")]
    memory: Memory,
}

#[derive(Clone)]
pub(super) struct Pitched {
    context: Context,
    address: CUdeviceptr,
    format: TexelFormat,
    width: usize,
    height: usize,
    pitch: usize,
    #[allow(dead_code, reason = "held, so that it lives")]
    memory: Memory,
}

impl From<&CudaArray> for TextureSource {
    fn from(array: &CudaArray) -> Self {
        Self(Resource::Array(array.clone()))
    }
}

impl From<&MipmappedArray> for TextureSource {
    fn from(array: &MipmappedArray) -> Self {
        Self(Resource::Mipmapped(array.clone()))
    }
}

/// The sources that [`Texture::new`](crate::Texture::new) accepts: `&array`, `&mipmapped` or a
/// [`TextureSource`]. It is a separate trait so that the compiler can explain what to do with
/// device memory.
///
/// ```
/// use cuda_safe::{array::{CudaArray, TexelFormat}, Context, texture::{IntoTextureSource, TextureSource}};
///
/// fn format(source: impl IntoTextureSource) -> TexelFormat {
///     let source: TextureSource = source.into();
///     source.format()
/// }
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// let array = CudaArray::uninit::<u16>(&context, 4)?;
/// assert_eq!(format(&array), TexelFormat::of::<u16>());
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "a texture can't read `{Self}`",
    label = "expected a `&CudaArray`, a `&MipmappedArray` or a `TextureSource`",
    note = "move device memory into the source, or share it in an `Arc`: `TextureSource::linear(buffer)?`, \
            `TextureSource::rows(buffer, [width, height], pitch)?`, `TextureSource::pitched(buffer)?`"
)]
pub trait IntoTextureSource: Into<TextureSource> {}

// Otherwise the compiler's message would only mention `From`.
#[diagnostic::do_not_recommend]
impl<S: Into<TextureSource>> IntoTextureSource for S {}

impl TextureSource {
    /// Uses contiguous texels in device memory, which kernels fetch by index (`tex1Dfetch`).
    ///
    /// `memory` is a buffer, or an `Arc` of one. As with other memory, you must order work that
    /// writes it with the kernels that read it.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if:
    ///
    /// - there are no texels;
    /// - the memory does not start at a multiple of
    ///   [`TEXTURE_ALIGNMENT`](DeviceAttribute::TEXTURE_ALIGNMENT) bytes, as buffers do;
    /// - there are more texels than
    ///   [`Device::texture_1d_linear_max_width`](crate::Device::texture_1d_linear_max_width)
    ///   allows.
    #[doc(alias = "CU_RESOURCE_TYPE_LINEAR")]
    pub fn linear<S, T>(memory: impl Into<Arc<DeviceMemory<S, T>>>) -> Result<Self>
    where
        S: Storage + Send + Sync + 'static,
        T: Texel + Send + Sync,
    {
        const CALL: &str = "TextureSource::linear";
        let memory = memory.into();
        let context = memory.owner().context().clone();
        let (address, bytes) = (memory.as_device_ptr(), memory.size_bytes());
        // SAFETY: the memory has that size and is kept alive.
        unsafe { Self::linear_at(&context, address, T::FORMAT, bytes, memory, CALL) }
    }

    /// Uses contiguous texels of any format, in memory that other code manages. See
    /// [`linear`](Self::linear).
    ///
    /// # Errors
    /// Returns the errors of [`linear`](Self::linear).
    ///
    /// # Safety
    /// The caller must ensure that `address` is device memory of `texels` texels of `format`, in
    /// `context`, and that it stays allocated until all textures of it have been dropped.
    pub unsafe fn linear_raw(
        context: &Context,
        address: CUdeviceptr,
        format: TexelFormat,
        texels: usize,
    ) -> Result<Self> {
        const CALL: &str = "TextureSource::linear_raw";
        let bytes = bytes_of(format, texels, CALL)?;
        // SAFETY: guaranteed by this function's contract.
        unsafe { Self::linear_at(context, address, format, bytes, Arc::new(()), CALL) }
    }

    /// # Safety
    /// The contract of [`linear_raw`](Self::linear_raw) applies unless `memory` keeps the texels
    /// alive.
    unsafe fn linear_at(
        context: &Context,
        address: CUdeviceptr,
        format: TexelFormat,
        bytes: usize,
        memory: Memory,
        call: &'static str,
    ) -> Result<Self> {
        let most = context
            .device()
            .texture_1d_linear_max_width(format.channel, format.channels)?;
        let texels = bytes / bytes_of(format, 1, call)?;
        // Check this before the address, which is 0 if there are no texels.
        if texels == 0 || texels > most {
            return Err(Error::invalid(
                call,
                format!(
                    "the memory has {texels} texels, but a texture of linear memory must have 1 to {most} of {format}"
                ),
            ));
        }
        expect_aligned(context, address, call)?;
        Ok(Self(Resource::Linear(Linear {
            context: context.clone(),
            address,
            format,
            bytes,
            memory,
        })))
    }

    /// Uses rows of pitched memory, which kernels read in two dimensions (`tex2D`), with filters
    /// and address modes as for an array.
    ///
    /// `memory` is a [`PitchedBuffer`](crate::memory::PitchedBuffer) with one slice, or an `Arc` of
    /// one, as for [`linear`](Self::linear).
    ///
    /// # Errors
    /// Returns the errors of [`rows`](Self::rows). Also returns an error if the memory has several
    /// slices.
    ///
    /// ```
    /// use cuda_safe::{
    ///     Context, texture::{FilterMode, TextureSource}, memory::PitchedBuffer, Sampler, Stream, Texture,
    /// };
    ///
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let image = PitchedBuffer::<f32>::zeroed(&stream, [10, 3])?;
    /// let sampler = Sampler::default().filter(FilterMode::LINEAR);
    /// let texture = Texture::new(TextureSource::pitched(image)?, sampler)?;
    /// # let _ = texture;
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "CU_RESOURCE_TYPE_PITCH2D")]
    pub fn pitched<S, T>(memory: impl Into<Arc<PitchedMemory<S, T>>>) -> Result<Self>
    where
        S: Storage + Send + Sync + 'static,
        T: Texel + Send + Sync,
    {
        const CALL: &str = "TextureSource::pitched";
        let memory = memory.into();
        if memory.depth() != 1 {
            return Err(Error::invalid(
                CALL,
                format!(
                    "the memory has {} slices, but a texture of pitched memory must have one",
                    memory.depth()
                ),
            ));
        }
        let pitched = Pitched {
            context: memory.owner().context().clone(),
            address: memory.as_device_ptr(),
            format: T::FORMAT,
            width: memory.width(),
            height: memory.height(),
            pitch: memory.pitch(),
            memory,
        };
        pitched.checked(CALL)
    }

    /// Uses a buffer that holds one row every `pitch` bytes. See [`pitched`](Self::pitched).
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if:
    ///
    /// - `height` rows do not fit into the memory;
    /// - the memory does not start at a multiple of
    ///   [`TEXTURE_ALIGNMENT`](DeviceAttribute::TEXTURE_ALIGNMENT) bytes;
    /// - the pitch is too small, or not a multiple of
    ///   [`TEXTURE_PITCH_ALIGNMENT`](DeviceAttribute::TEXTURE_PITCH_ALIGNMENT) bytes;
    /// - a size exceeds the device's limits (`MAXIMUM_TEXTURE2D_LINEAR_...`).
    ///
    /// ```
    /// use cuda_safe::{Context, DeviceBuffer, Sampler, Stream, Texture, texture::TextureSource};
    ///
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let rows = DeviceBuffer::<f32>::zeroed(&stream, 16 * 3)?; // three rows of 64 bytes
    /// let source = TextureSource::rows(rows, [10, 3], 64)?; // of 10 texels each
    /// let texture = Texture::new(source, Sampler::default())?;
    /// # let _ = texture;
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "CU_RESOURCE_TYPE_PITCH2D")]
    pub fn rows<S, T>(
        memory: impl Into<Arc<DeviceMemory<S, T>>>,
        [width, height]: [usize; 2],
        pitch: usize,
    ) -> Result<Self>
    where
        S: Storage + Send + Sync + 'static,
        T: Texel + Send + Sync,
    {
        const CALL: &str = "TextureSource::rows";
        let memory = memory.into();
        let needed = height
            .checked_sub(1)
            .and_then(|rows| rows.checked_mul(pitch))
            .and_then(|bytes| bytes.checked_add(width.checked_mul(size_of::<T>())?));
        let bytes = memory.size_bytes();
        if needed.is_none_or(|needed| needed > bytes) {
            return Err(Error::invalid(
                CALL,
                format!(
                    "{height} rows of {width} texels of {} bytes, one every {pitch} bytes, do not fit into {bytes} bytes",
                    size_of::<T>()
                ),
            ));
        }
        let context = memory.owner().context().clone();
        let address = memory.as_device_ptr();
        let pitched = Pitched {
            context,
            address,
            format: T::FORMAT,
            width,
            height,
            pitch,
            memory,
        };
        pitched.checked(CALL)
    }

    /// Uses rows of any format, in memory that other code manages. See [`rows`](Self::rows).
    ///
    /// # Errors
    /// Returns the errors of [`rows`](Self::rows).
    ///
    /// # Safety
    /// The caller must ensure that `address` is device memory in `context` with `height` rows, one
    /// every `pitch` bytes, of `width` texels of `format`, and that it stays allocated until all
    /// textures of it have been dropped.
    pub unsafe fn pitched_raw(
        context: &Context,
        address: CUdeviceptr,
        format: TexelFormat,
        [width, height]: [usize; 2],
        pitch: usize,
    ) -> Result<Self> {
        let pitched = Pitched {
            context: context.clone(),
            address,
            format,
            width,
            height,
            pitch,
            memory: Arc::new(()),
        };
        pitched.checked("TextureSource::pitched_raw")
    }

    pub(super) fn resource(&self) -> &Resource {
        &self.0
    }

    /// Returns the context of the source.
    #[must_use]
    pub fn context(&self) -> &Context {
        match &self.0 {
            Resource::Array(array) => array.context(),
            Resource::Mipmapped(array) => array.context(),
            Resource::Linear(linear) => &linear.context,
            Resource::Pitched(pitched) => &pitched.context,
        }
    }

    /// Returns the format of the texels.
    #[must_use]
    pub fn format(&self) -> TexelFormat {
        match &self.0 {
            Resource::Array(array) => array.format(),
            Resource::Mipmapped(array) => array.format(),
            Resource::Linear(linear) => linear.format,
            Resource::Pitched(pitched) => pitched.format,
        }
    }
}

impl Pitched {
    fn checked(self, call: &'static str) -> Result<TextureSource> {
        expect_aligned(&self.context, self.address, call)?;
        let device = self.context.device();
        let of = |attribute| -> Result<usize> {
            Ok(usize::try_from(device.attribute(attribute)?).unwrap_or(0))
        };
        let row = bytes_of(self.format, self.width, call)?;
        let most = of(DeviceAttribute::MAXIMUM_TEXTURE2D_LINEAR_PITCH)?;
        let multiple = of(DeviceAttribute::TEXTURE_PITCH_ALIGNMENT)?.max(1);
        let pitch = self.pitch;
        if pitch < row || pitch > most || !pitch.is_multiple_of(multiple) {
            return Err(Error::invalid(
                call,
                format!(
                    "the pitch is {pitch} bytes, but for rows of {row} bytes it must be a multiple of {multiple} bytes, from \
                     {row} to {most}"
                ),
            ));
        }
        let limits = [
            of(DeviceAttribute::MAXIMUM_TEXTURE2D_LINEAR_WIDTH)?,
            of(DeviceAttribute::MAXIMUM_TEXTURE2D_LINEAR_HEIGHT)?,
        ];
        for (length, limit) in [self.width, self.height].into_iter().zip(limits) {
            if length == 0 || length > limit {
                return Err(Error::invalid(
                    call,
                    format!(
                        "the memory has {} x {} texels, but a texture of pitched memory must have 1 to {} texels in a row, and 1 to {} rows",
                        self.width, self.height, limits[0], limits[1]
                    ),
                ));
            }
        }
        Ok(TextureSource(Resource::Pitched(self)))
    }
}

/// Returns the bytes of `texels` texels in linear memory, or an error if the format is not allowed
/// there.
fn bytes_of(format: TexelFormat, texels: usize, call: &'static str) -> Result<usize> {
    let bytes = match (format.block_side(), format.block_bytes()) {
        (1, Some(bytes)) if bytes > 0 => bytes.checked_mul(texels),
        _ => None,
    };
    bytes.ok_or_else(|| {
        Error::invalid(
            call,
            format!("{texels} texels of {format} can't be stored in linear memory"),
        )
    })
}

fn expect_aligned(context: &Context, address: CUdeviceptr, call: &'static str) -> Result<()> {
    let alignment = context
        .device()
        .attribute(DeviceAttribute::TEXTURE_ALIGNMENT)?;
    if address != 0 && address.is_multiple_of(alignment.max(1) as CUdeviceptr) {
        return Ok(());
    }
    Err(Error::invalid(
        call,
        format!(
            "the memory is at {address:#x}, but a texture's memory must start at a multiple of {alignment} bytes, as buffers do"
        ),
    ))
}

impl Resource {
    /// Returns the shape, format and levels of an array, or `None` for linear and pitched memory.
    pub(super) fn array(&self) -> Option<(ArrayShape, TexelFormat, u32)> {
        match self {
            Self::Array(array) => Some((array.shape(), array.format(), 1)),
            Self::Mipmapped(array) => Some((array.shape(), array.format(), array.levels())),
            Self::Linear(_) | Self::Pitched(_) => None,
        }
    }

    pub(super) fn read(&self) -> Read {
        let format = match self {
            Self::Array(array) => array.format(),
            Self::Mipmapped(array) => array.format(),
            Self::Linear(linear) => linear.format,
            Self::Pitched(pitched) => pitched.format,
        };
        let shape = self.array().map(|(shape, ..)| shape);
        Read {
            integer_bits: integer_bits(format),
            by_index: matches!(self, Self::Linear(_)),
            is_cube: shape.is_some_and(|shape| shape.is_cube()),
            dimensions: shape.map_or(2, |shape| shape.dimensions()),
            levels: self.array().map_or(1, |(.., levels)| levels),
        }
    }

    pub(super) fn to_raw(&self) -> CUDA_RESOURCE_DESC {
        let raw_format = |format: TexelFormat| CUarray_format(format.channel.0);
        let (kind, union) = match self {
            Self::Array(array) => (
                CUresourcetype::CU_RESOURCE_TYPE_ARRAY,
                RawUnion {
                    array: RawArray {
                        hArray: array.as_raw(),
                    },
                },
            ),
            Self::Mipmapped(array) => (
                CUresourcetype::CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
                RawUnion {
                    mipmap: RawMipmapped {
                        hMipmappedArray: array.as_raw(),
                    },
                },
            ),
            Self::Linear(linear) => (
                CUresourcetype::CU_RESOURCE_TYPE_LINEAR,
                RawUnion {
                    linear: RawLinear {
                        devPtr: linear.address,
                        format: raw_format(linear.format),
                        numChannels: linear.format.channels,
                        sizeInBytes: linear.bytes,
                    },
                },
            ),
            Self::Pitched(pitched) => (
                CUresourcetype::CU_RESOURCE_TYPE_PITCH2D,
                RawUnion {
                    pitch2D: RawPitched {
                        devPtr: pitched.address,
                        format: raw_format(pitched.format),
                        numChannels: pitched.format.channels,
                        width: pitched.width,
                        height: pitched.height,
                        pitchInBytes: pitched.pitch,
                    },
                },
            ),
        };
        CUDA_RESOURCE_DESC {
            resType: kind,
            res: union,
            flags: 0,
        }
    }

    /// Returns a name for `Debug`.
    fn name(&self) -> &'static str {
        match self {
            Self::Array(_) => "array",
            Self::Mipmapped(_) => "mipmapped array",
            Self::Linear(_) => "linear memory",
            Self::Pitched(_) => "pitched memory",
        }
    }
}

impl fmt::Debug for TextureSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TextureSource({}, {})", self.0.name(), self.format())
    }
}
