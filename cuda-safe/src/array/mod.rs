//! CUDA arrays: texels in a layout that only the driver knows, which kernels access through
//! textures and surfaces.
//!
//! A [`CudaArray`] has a [`TexelFormat`] and an [`ArrayShape`]. To read it in a kernel, create a
//! [`Texture`](crate::Texture) from it. To write it, create a [`Surface`](crate::Surface). It is
//! unrelated to the arrays of `cuda-compute`.
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

/// A CUDA array: texels in one, two or three dimensions, or in layers. Cloning returns another
/// reference to the same array.
///
/// Only the driver knows the layout of the texels. Copies write and read an array. Kernels access
/// it through a [`Texture`](crate::Texture) or a [`Surface`](crate::Surface), which keep it alive.
///
/// An array belongs to a context and not to a stream, so you must order its uses on several
/// streams. Dropping the last reference waits for all work of the context, then destroys the array.
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
/// assert!(array.to_vec::<u8>(&stream).is_err()); // the type must match the array's format
/// # Ok(())
/// # }
/// ```
#[doc(alias = "CUarray")]
pub struct CudaArray(Handle<ArrayKind>);

/// The properties of an array.
pub(crate) struct ArrayKind {
    described: Described,
    part_of: Option<Whole>,
}

/// The object of which an array is a part, and which destroys it.
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
        /// The stream for which the image is mapped. It is unmapped after the stream's work.
        stream: Stream,
    },
}

/// The format, shape and flags of an array.
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
        // SAFETY: the caller guarantees that the handle is live, owned and unused. Textures and
        // surfaces hold a reference.
        unsafe {
            after_work(context, "cuArrayDestroy", (), move || {
                sys::cuArrayDestroy(raw.get())
            })
        }
    }
}

handle!(CudaArray, CUarray, released by "cuArrayDestroy");

impl Described {
    /// Moves flags that belong to the shape into the shape, because the driver gets both together.
    fn new(format: TexelFormat, shape: ArrayShape, flags: ArrayFlags) -> Self {
        let given = Self {
            format,
            shape,
            flags,
        };
        let normalized = Self::from_raw(&given.to_raw());
        Self {
            shape: normalized.shape.lacking_as(shape),
            ..normalized
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

    /// Adds the likely reason to an error of the driver.
    #[cold]
    fn explain_rejection(&self, context: &Context, error: Error) -> Error {
        if error.driver_code() != Some(CUresult::CUDA_ERROR_INVALID_VALUE) {
            return error;
        }
        let unknown = self.flags.unnamed();
        let known = match (self.format.channel, unknown) {
            (channel, _) if !channel.has_name() => Some(format!("it does not know {channel:?}")),
            (_, flags) if flags != ArrayFlags::default() => {
                Some(format!("it does not know {flags:?}"))
            }
            _ => self
                .shape
                .too_long(context.device())
                .or_else(|| self.format.odd_channels()),
        };
        let why = known.unwrap_or_else(|| {
            "each length must be from 1 to the device's limit (the attributes MAXIMUM_TEXTURE..., for surfaces \
             MAXIMUM_SURFACE..., for gathering ..._GATHER_...), and the array must support the format"
                .to_owned()
        });
        error.with_detail(format!(
            "the driver rejects an array of {}, {}, {:?}: {why}",
            self.shape, self.format, self.flags
        ))
    }
}

/// Returns the driver's description of an array.
fn describe(context: &Context, raw: CUarray) -> Result<Described> {
    // SAFETY: the array is live by the callers' contracts. The description consists of numbers.
    let found = unsafe {
        query(context, "cuArray3DGetDescriptor_v2", |place| {
            sys::cuArray3DGetDescriptor_v2(place, raw)
        })?
    };
    Ok(Described::from_raw(&found))
}

/// Returns a structure of numbers that a driver call writes.
///
/// # Safety
/// The caller must ensure that `ask` writes only to its argument, and that any bits that it writes,
/// and zeros, are valid for `N`.
unsafe fn query<N>(
    context: &Context,
    call: &'static str,
    ask: impl FnOnce(*mut N) -> CUresult,
) -> Result<N> {
    let _current = context.enter(call)?;
    let mut found = MaybeUninit::<N>::zeroed();
    context.check(call, ask(found.as_mut_ptr()))?;
    // SAFETY: the structure consists of numbers, which were zero before the driver wrote them.
    Ok(unsafe { found.assume_init() })
}

impl CudaArray {
    /// Creates an array with a format and unspecified contents.
    ///
    /// The shape implies the flags for layers and cubes, so you need not pass them. If you do, they
    /// change the shape.
    ///
    /// See [`cuArray3DCreate`, `cuArrayCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) if the device has too
    /// little memory. Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if
    /// a length is 0, if the shape is invalid for flags of cubes and layers, or while this thread
    /// captures a stream. Returns the driver's error if a length exceeds the device's limit, or if
    /// the format and the flags cannot be combined.
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
        let _allowed = capture::reject_during_capture(
            "CudaArray::new",
            "create the array before the capture",
        )?;
        let _current = context.enter("cuArray3DCreate_v2")?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write, and the description lives through the call.
        let code = unsafe { sys::cuArray3DCreate_v2(&mut raw, &described.to_raw()) };
        let bytes = described.bytes().unwrap_or(0);
        context
            .check_allocation(CALL, code, bytes)
            .map_err(|error| described.explain_rejection(context, error))?;
        let kind = ArrayKind {
            described,
            part_of: None,
        };
        // SAFETY: the array was just created in this context, and has no other owner.
        Ok(Self(unsafe {
            Handle::new(raw, true, context.clone(), kind)
        }))
    }

    /// Creates an array of texels of type `T`, with unspecified contents. For a
    /// [`Surface`](crate::Surface) or other flags, use [`new`](Self::new) with
    /// [`TexelFormat::of::<T>()`](TexelFormat::of).
    ///
    /// # Errors
    /// Returns the errors of [`new`](Self::new).
    pub fn uninit<T: Texel>(context: &Context, shape: impl Into<ArrayShape>) -> Result<Self> {
        Self::new(context, T::FORMAT, shape, ArrayFlags::default())
    }

    /// Creates an array and fills it. `texels` holds the rows one after another, then the slices or
    /// layers. Waits until `texels` has been read.
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

    /// Takes ownership of a raw handle, and releases it with `cuArrayDestroy` when the last clone
    /// is dropped. To use a handle that other code owns, see [`borrow_raw`](Self::borrow_raw).
    ///
    /// See [`cuArray3DGetDescriptor`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the driver's error if it cannot describe the array. The array is then not released.
    ///
    /// # Safety
    /// The caller must ensure that:
    ///
    /// - `raw` is a live array that was created in `context`;
    /// - no other code releases it.
    #[doc(alias = "cuArray3DGetDescriptor")]
    pub unsafe fn from_raw(raw: CUarray, context: &Context) -> Result<Self> {
        // SAFETY: guaranteed by this function's contract.
        unsafe { Self::adopt(context, raw, true, None) }
    }

    /// Wraps a raw handle that other code owns, such as another library. The returned object never
    /// releases it.
    ///
    /// # Errors
    /// Returns the driver's error if it cannot describe the array.
    ///
    /// # Safety
    /// The caller must ensure that:
    ///
    /// - `raw` is a live array that was created in `context`;
    /// - it stays alive until the last clone of the returned object, and everything created from
    ///   it, has been dropped.
    pub unsafe fn borrow_raw(raw: CUarray, context: &Context) -> Result<Self> {
        // SAFETY: guaranteed by this function's contract.
        unsafe { Self::adopt(context, raw, false, None) }
    }

    /// Wraps a raw handle, and queries the driver for its description.
    ///
    /// # Safety
    /// The contract of [`Handle::new`] applies.
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
        // SAFETY: guaranteed by this function's contract.
        Ok(Self(unsafe {
            Handle::new(raw, owned, context.clone(), kind)
        }))
    }

    /// Wraps an array that is mapped for a stream, and must stay mapped while `whole` is held.
    ///
    /// # Safety
    /// The caller must ensure that `raw` is a live array of the stream's context, as long as it is
    /// mapped.
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
        // SAFETY: guaranteed by this function's contract. Other code releases the array.
        unsafe { Self::adopt(stream.context(), raw, false, Some(mapped)) }
    }

    /// Returns the owner with which copies of the texels are ordered.
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

    /// Returns the context of the array.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.0.parent()
    }

    /// Returns the format of the texels.
    #[must_use]
    pub fn format(&self) -> TexelFormat {
        self.described().format
    }

    /// Returns the dimensions and layers.
    #[must_use]
    pub fn shape(&self) -> ArrayShape {
        self.described().shape
    }

    /// Returns the flags with which the array was created.
    #[must_use]
    pub fn flags(&self) -> ArrayFlags {
        self.described().flags
    }

    /// Returns whether the array is a level of a [`MipmappedArray`], or a plane of another array.
    #[must_use]
    pub fn is_part(&self) -> bool {
        matches!(
            self.0.kind().part_of,
            Some(Whole::Mipmapped { .. } | Whole::Array { .. })
        )
    }

    /// Returns a plane of an array whose format has several, such as the luminance of a video
    /// frame. The plane keeps the array alive.
    ///
    /// See [`cuArrayGetPlane`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the format has no planes, or too few.
    #[doc(alias = "cuArrayGetPlane")]
    pub fn plane(&self, index: u32) -> Result<Self> {
        let context = self.context();
        let _current = context.enter("cuArrayGetPlane")?;
        let mut raw = ptr::null_mut();
        // SAFETY: the array is live, and `raw` is valid for the write.
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
        // SAFETY: the plane is a part of the array, which is kept alive.
        unsafe { Self::adopt(context, raw, false, Some(whole)) }
    }
}
