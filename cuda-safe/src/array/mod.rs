//! CUDA arrays: texels in an order of the driver's own, which kernels access through textures and surfaces.
//!
//! A [`CudaArray`] has a [`TexelFormat`] and an [`ArrayShape`]. To read it in a kernel, make a [`Texture`](crate::Texture) of it;
//! to write it, a [`Surface`](crate::Surface). It is no array of `cuda-compute`.
//!
//! - Arrays: [`CudaArray`], [`ArrayFlags`], [`ArrayShape`], [`MipmappedArray`]
//! - Texels: [`TexelFormat`], [`ChannelFormat`], [`Texel`], [`HalfBits`]
//! - Parts of an array, in copies: [`ArrayTexels`]
//! - Arrays without memory: [`ArrayMemory`], [`SparseProperties`]

mod copy;
mod external;
mod format;
mod memory;
mod mipmapped;
mod shape;
mod texels;

use std::{mem::MaybeUninit, ptr};

use cuda_sys::{self as sys, CUDA_ARRAY3D_DESCRIPTOR, CUarray, CUarray_format, CUresult};

pub(crate) use crate::context::release::after_work;
pub use format::{ChannelFormat, HalfBits, Texel, TexelFormat};
pub use memory::{ArrayMemory, SparseProperties};
pub use mipmapped::MipmappedArray;
pub use shape::ArrayShape;
pub use texels::ArrayTexels;

pub use crate::raw::array::ArrayFlags;
use crate::{
    capture,
    context::Context,
    error::{Error, Result},
    handle::{Handle, Kind, Sendable, handle},
    stream::{Owner, Stream},
};

/// A CUDA array: texels of one, two or three dimensions, or in layers. Cloning gives another reference to the same array.
///
/// Texels lie in an order that only the driver knows. Copies fill and read an array, and kernels reach it by a
/// [`Texture`](crate::Texture) or a [`Surface`](crate::Surface), which hold it.
///
/// An array belongs to a context, and to no stream: what uses it on several streams is ordered by the caller. It is
/// destroyed when the last reference to it goes, after all work of the context, for which that waits.
///
/// ```
/// use cuda_safe::{array::CudaArray, Context, Stream};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// let image: Vec<f32> = (0..12).map(|i| i as f32).collect();
/// let array = CudaArray::from_slice(&stream, [4, 3], &image)?; // four texels wide, three high
/// assert_eq!(array.to_vec::<f32>(&stream)?, image);
/// assert_eq!(array.shape().height(), 3);
/// assert!(array.to_vec::<u8>(&stream).is_err()); // texels are of the array's format
/// # Ok(())
/// # }
/// ```
#[doc(alias = "CUarray")]
pub struct CudaArray(Handle<ArrayKind>);

/// What is known of an array.
pub(crate) struct ArrayKind {
    described: Described,
    part_of: Option<Whole>,
}

/// What an array is a part of, which destroys it.
enum Whole {
    Mipmapped {
        whole: MipmappedArray,
    },
    Array {
        whole: CudaArray,
    },
    #[cfg(feature = "opengl")]
    Mapped {
        #[allow(dead_code, reason = "held, so that it stays mapped")]
        whole: std::sync::Arc<()>,
        /// That it is mapped for: unmapping comes after its work.
        stream: Stream,
    },
}

/// As the driver describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Described {
    format: TexelFormat,
    shape: ArrayShape,
    flags: ArrayFlags,
}

impl Kind for ArrayKind {
    type Raw = CUarray;
    type Parent = Context;
    const NAME: &'static str = "CudaArray";

    unsafe fn release(&self, raw: CUarray, context: &Context) -> Result<()> {
        let raw = Sendable(raw);
        // SAFETY: released once, by this function's contract; textures and surfaces hold a reference.
        unsafe {
            after_work(context, "cuArrayDestroy", (), move || {
                sys::cuArrayDestroy(raw.get())
            })
        }
    }
}

handle!(CudaArray, CUarray, released by "cuArrayDestroy");

impl Described {
    /// Flags of the shape's kind count as the shape's, wherever they are: what is known is what the driver is told.
    fn new(format: TexelFormat, shape: ArrayShape, flags: ArrayFlags) -> Self {
        let given = Self {
            format,
            shape,
            flags,
        };
        let told = Self::from_raw(&given.to_raw());
        Self {
            shape: told.shape.lacking_as(shape),
            ..told
        }
    }

    fn to_raw(self) -> CUDA_ARRAY3D_DESCRIPTOR {
        let ([width, height, depth], flags) = self.shape.parts();
        CUDA_ARRAY3D_DESCRIPTOR {
            Width: width,
            Height: height,
            Depth: depth,
            Format: CUarray_format(self.format.channel.0),
            NumChannels: self.format.channels,
            Flags: flags | self.flags.0,
        }
    }

    fn from_raw(raw: &CUDA_ARRAY3D_DESCRIPTOR) -> Self {
        let lengths = [raw.Width, raw.Height, raw.Depth];
        let shape = ArrayShape::from_parts(lengths, raw.Flags);
        Self {
            format: TexelFormat::new(ChannelFormat(raw.Format.0), raw.NumChannels),
            shape,
            flags: ArrayFlags(raw.Flags & !shape.parts().1),
        }
    }

    /// What a refusal by the driver is likely to mean.
    #[cold]
    fn refused(&self, context: &Context, error: Error) -> Error {
        if error.driver_code() != Some(CUresult::CUDA_ERROR_INVALID_VALUE) {
            return error;
        }
        let unknown = self.flags.unnamed();
        let known = match (self.format.channel, unknown) {
            (channel, _) if !channel.has_name() => Some(format!("it doesn't know {channel:?}")),
            (_, flags) if flags != ArrayFlags::default() => {
                Some(format!("it doesn't know {flags:?}"))
            }
            _ => self
                .shape
                .too_long(context.device())
                .or_else(|| self.format.odd_channels()),
        };
        let why = known.unwrap_or_else(|| {
            "each length is at least 1 and at most what the device's attributes MAXIMUM_TEXTURE... say \
             (MAXIMUM_SURFACE... for surfaces, ..._GATHER_... to gather), and the format must be one that such an array can have"
                .to_owned()
        });
        error.with_detail(format!(
            "the driver refuses an array of {}, {}, {:?}: {why}",
            self.shape, self.format, self.flags
        ))
    }
}

/// The driver's description of an array.
fn describe(context: &Context, raw: CUarray) -> Result<Described> {
    // SAFETY: a live array, by the callers' contracts; the description is numbers.
    let found = unsafe {
        told(context, "cuArray3DGetDescriptor_v2", |place| {
            sys::cuArray3DGetDescriptor_v2(place, raw)
        })?
    };
    Ok(Described::from_raw(&found))
}

/// Numbers that the driver tells in a context.
///
/// # Safety
/// `ask` writes to its place alone, and whatever bits are there are valid for `N`, zeros too.
unsafe fn told<N>(
    context: &Context,
    call: &'static str,
    ask: impl FnOnce(*mut N) -> CUresult,
) -> Result<N> {
    let _current = context.enter(call)?;
    let mut found = MaybeUninit::<N>::zeroed();
    context.check(call, ask(found.as_mut_ptr()))?;
    // SAFETY: numbers, which were zero before the driver wrote them.
    Ok(unsafe { found.assume_init() })
}

impl CudaArray {
    /// Creates an array of a format, with unspecified contents. Flags for layers and cubes, which the shape says, need not be
    /// given; where they are, they count as if it did.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory).
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for lengths of 0, and for flags of cubes and layers
    /// where the shape is none. The driver refuses lengths beyond the device's limits, and formats and flags that don't go
    /// together. A stream is being captured by this thread.
    ///
    /// ```
    /// use cuda_safe::{array::{CudaArray, ArrayFlags, ArrayShape, ChannelFormat, TexelFormat}, Context};
    ///
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let format = TexelFormat::new(ChannelFormat::F16, 4);
    /// let shape = ArrayShape::planes(64, 32, 8);
    /// let array = CudaArray::new(&context, format, shape, ArrayFlags::SURFACE)?;
    /// assert_eq!((array.format(), array.shape()), (format, shape));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuArray3DCreate")]
    #[doc(alias = "cuArrayCreate")]
    pub fn new(
        context: &Context,
        format: TexelFormat,
        shape: impl Into<ArrayShape>,
        flags: ArrayFlags,
    ) -> Result<Self> {
        const CALL: &str = "cuArray3DCreate_v2";
        let described = Described::new(format, shape.into(), flags);
        described.shape.expect_lengths("CudaArray::new")?;
        described.shape.expect_kind("CudaArray::new")?;
        let _allowed =
            capture::refuse_here("CudaArray::new", "create the array before the capture")?;
        let _current = context.enter("cuArray3DCreate_v2")?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write, and the description lives through the call.
        let code = unsafe { sys::cuArray3DCreate_v2(&mut raw, &described.to_raw()) };
        let bytes = described.bytes().unwrap_or(0);
        context
            .check_allocation(CALL, code, bytes)
            .map_err(|error| described.refused(context, error))?;
        let kind = ArrayKind {
            described,
            part_of: None,
        };
        // SAFETY: just made in this context, and owned by nobody else.
        Ok(Self(unsafe {
            Handle::new(raw, true, context.clone(), kind)
        }))
    }

    /// Creates an array of texels of type `T`, with unspecified contents. One for a [`Surface`](crate::Surface), or with other
    /// flags, is made by [`new`](Self::new), which takes [`TexelFormat::of::<T>()`](TexelFormat::of).
    ///
    /// # Errors
    /// Returns the errors of [`new`](Self::new).
    pub fn uninit<T: Texel>(context: &Context, shape: impl Into<ArrayShape>) -> Result<Self> {
        Self::new(context, T::FORMAT, shape, ArrayFlags::default())
    }

    /// Creates an array and fills it: rows of the width follow each other, then slices or layers. Waits until `texels` have
    /// been read.
    ///
    /// # Errors
    /// Returns the errors of [`new`](Self::new) and of [`copy_from_slice`](Self::copy_from_slice).
    pub fn from_slice<T: Texel>(
        stream: &Stream,
        shape: impl Into<ArrayShape>,
        texels: &[T],
    ) -> Result<Self> {
        let array = Self::uninit::<T>(stream.context(), shape)?;
        array.copy_from_slice(stream, texels)?;
        Ok(array)
    }

    /// Takes ownership of a raw handle. It is released, with `cuArrayDestroy`, when the last clone is dropped. To use a
    /// handle that somebody else owns, see [`borrow_raw`](Self::borrow_raw).
    ///
    /// # Errors
    /// The driver does not describe the array. It is not released then.
    ///
    /// # Safety
    /// `raw` is a live array, created in `context`, and nobody else releases it.
    #[doc(alias = "cuArray3DGetDescriptor")]
    pub unsafe fn from_raw(context: &Context, raw: CUarray) -> Result<Self> {
        // SAFETY: as this function's contract says.
        unsafe { Self::adopt(context, raw, true, None) }
    }

    /// Uses a raw handle that somebody else owns, such as another library. The returned object never releases it.
    ///
    /// # Errors
    /// The driver does not describe the array.
    ///
    /// # Safety
    /// `raw` is a live array, created in `context`. It stays alive until the last clone of the returned object, and
    /// everything created from it, has been dropped.
    pub unsafe fn borrow_raw(context: &Context, raw: CUarray) -> Result<Self> {
        // SAFETY: as this function's contract says.
        unsafe { Self::adopt(context, raw, false, None) }
    }

    /// # Safety
    /// As [`Handle::new`].
    unsafe fn adopt(
        context: &Context,
        raw: CUarray,
        owned: bool,
        part_of: Option<Whole>,
    ) -> Result<Self> {
        let kind = ArrayKind {
            described: describe(context, raw)?,
            part_of,
        };
        // SAFETY: as this function's contract says.
        Ok(Self(unsafe {
            Handle::new(raw, owned, context.clone(), kind)
        }))
    }

    /// An array of something that is mapped for a stream, and must stay so while `whole` is held.
    ///
    /// # Safety
    /// `raw` is a live array of the stream's context, as long as it is mapped.
    #[cfg(feature = "opengl")]
    pub(crate) unsafe fn held(
        stream: &Stream,
        raw: CUarray,
        whole: std::sync::Arc<()>,
    ) -> Result<Self> {
        let mapped = Whole::Mapped {
            whole,
            stream: stream.clone(),
        };
        // SAFETY: as this function's contract says; somebody else releases it.
        unsafe { Self::adopt(stream.context(), raw, false, Some(mapped)) }
    }

    /// What copies of its texels are ordered with.
    fn owner(&self) -> Owner<'_> {
        match &self.0.kind().part_of {
            #[cfg(feature = "opengl")]
            Some(Whole::Mapped { stream, .. }) => Owner::Stream(stream),
            Some(Whole::Mipmapped { whole }) => whole.owner(),
            Some(Whole::Array { whole }) => whole.owner(),
            None => Owner::Context(self.context()),
        }
    }

    fn described(&self) -> &Described {
        &self.0.kind().described
    }

    /// The context that the array belongs to.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.0.parent()
    }

    /// What its texels are.
    #[must_use]
    pub fn format(&self) -> TexelFormat {
        self.described().format
    }

    /// Its dimensions and layers.
    #[must_use]
    pub fn shape(&self) -> ArrayShape {
        self.described().shape
    }

    /// What it is made for.
    #[must_use]
    pub fn flags(&self) -> ArrayFlags {
        self.described().flags
    }

    /// Returns whether it is a level of a [`MipmappedArray`], or a plane of another array.
    #[must_use]
    pub fn is_part(&self) -> bool {
        matches!(
            self.0.kind().part_of,
            Some(Whole::Mipmapped { .. } | Whole::Array { .. })
        )
    }

    /// A plane of an array whose format has several, such as the brightness of a video's frame; it keeps the whole.
    ///
    /// # Errors
    /// The format has no planes, or fewer.
    #[doc(alias = "cuArrayGetPlane")]
    pub fn plane(&self, index: u32) -> Result<Self> {
        let context = self.context();
        let _current = context.enter("cuArrayGetPlane")?;
        let mut raw = ptr::null_mut();
        // SAFETY: a live array; `raw` is valid for the write.
        let code = unsafe { sys::cuArrayGetPlane(&mut raw, self.as_raw(), index) };
        context.check("cuArrayGetPlane", code).map_err(|error| {
            if error.driver_code() == Some(CUresult::CUDA_ERROR_INVALID_VALUE) {
                let format = self.format();
                return error.with_detail(format!("an array of {format} has no plane {index}"));
            }
            error
        })?;
        let whole = Whole::Array {
            whole: self.clone(),
        };
        // SAFETY: a part of the array, which is kept.
        unsafe { Self::adopt(context, raw, false, Some(whole)) }
    }
}
