//! Mipmapped arrays: one image in several sizes.

use std::ptr;

use cuda_sys::{self as sys, CUmipmappedArray};

use super::{ArrayFlags, ArrayShape, CudaArray, Described, TexelFormat, Whole, after_work};
#[cfg(feature = "opengl")]
use crate::stream::Stream;
use crate::{
    capture,
    context::Context,
    error::{Error, Result},
    handle::{Handle, Kind, Sendable, handle},
    share::ExternalMemory,
    stream::Owner,
};

/// One image in several sizes. Each level is half as wide, high and deep as the previous one.
/// Cloning returns another reference to the same array.
///
/// A texture reads the level, or the two levels, that match the requested size. Each level is a
/// [`CudaArray`], which you fill and read like others. A [`Texture`](crate::Texture) of the whole
/// reads all levels unless its sampler sets a limit, and its coordinates are normalized.
///
/// ```
/// use cuda_safe::{
///     array::{ArrayFlags, MipmappedArray, TexelFormat}, Context, LaunchConfig, Module, Out, Sampler,
///     Stream, Texture,
/// };
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// let format = TexelFormat::of::<f32>();
/// let image = MipmappedArray::new(&context, format, [4, 2], 3, ArrayFlags::default())?;
/// for (level, texels) in [8, 2, 1].into_iter().enumerate() {
///     image.level(level as u32)?.copy_from_slice(&stream, &vec![level as f32; texels])?;
/// }
/// assert_eq!(image.level(1)?.to_vec::<f32>(&stream)?, [1.0, 1.0]);
/// assert!(image.level(3).is_err());
///
/// let texture = Texture::new(&image, Sampler::default().normalized_coordinates(true))?;
/// let module = Module::compile(&context, r#"
///     extern "C" __global__ void middles(float *x, cudaTextureObject_t image) {
///         x[threadIdx.x] = tex2DLod<float>(image, 0.5f, 0.5f, threadIdx.x);
///     }"#)?;
/// let middles = module.function("middles")?;
/// let mut x = [0.0f32; 3];
/// // SAFETY: the kernel writes three floats, and reads a mipmapped texture of two dimensions and one float.
/// unsafe { middles.launch(&stream, LaunchConfig::new(1, 3), (Out(&mut x), &texture))? };
/// assert_eq!(x, [0.0, 1.0, 2.0]);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "CUmipmappedArray")]
pub struct MipmappedArray(Handle<MipmappedKind>);

#[derive(Clone, Debug)]
#[allow(dead_code, reason = "held, so that it stays")]
enum Held {
    /// The imported memory that holds the texels.
    Memory(ExternalMemory),
    /// The mapping that must stay, and its stream.
    #[cfg(feature = "opengl")]
    Mapped(std::sync::Arc<()>, Stream),
}

pub(crate) struct MipmappedKind {
    /// The description of the first level.
    described: Described,
    levels: u32,
    /// The object that must live as long as the texels.
    held: Option<Held>,
}

impl Kind for MipmappedKind {
    type Raw = CUmipmappedArray;
    type Parent = Context;
    const NAME: &'static str = "MipmappedArray";

    unsafe fn release(&self, raw: CUmipmappedArray, context: &Context) -> Result<()> {
        let raw = Sendable(raw);
        let destroy = move || {
            // SAFETY: the caller guarantees that the handle is live, owned and unused. Levels and
            // textures hold a reference.
            unsafe { sys::cuMipmappedArrayDestroy(raw.get()) }
        };
        // SAFETY: as above. The memory is held until then.
        unsafe {
            after_work(
                context,
                "cuMipmappedArrayDestroy",
                self.held.clone(),
                destroy,
            )
        }
    }

    fn prepare_into_raw(&mut self, _: CUmipmappedArray) {
        std::mem::forget(self.held.take());
    }
}

impl MipmappedKind {
    fn new(described: Described, levels: u32) -> Self {
        Self {
            described,
            levels,
            held: None,
        }
    }
}

handle!(MipmappedArray, CUmipmappedArray, released by "cuMipmappedArrayDestroy");

impl MipmappedArray {
    /// Creates a mipmapped array with unspecified contents. `shape` is that of the first and
    /// largest level. There can be at most [`ArrayShape::levels`] levels.
    ///
    /// See [`cuMipmappedArrayCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`CudaArray::new`]. Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if `levels` is 0 or too
    /// large.
    #[doc(alias = "cuMipmappedArrayCreate")]
    pub fn new(
        context: &Context,
        format: TexelFormat,
        shape: impl Into<ArrayShape>,
        levels: u32,
        flags: ArrayFlags,
    ) -> Result<Self> {
        const CALL: &str = "MipmappedArray::new";
        let described = Self::described(CALL, format, shape.into(), levels, flags)?;
        let _allowed = capture::reject_during_capture(CALL, "create the array before the capture")?;
        let _current = context.enter("cuMipmappedArrayCreate")?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write, and the description lives through the call.
        let code = unsafe { sys::cuMipmappedArrayCreate(&mut raw, &described.to_raw(), levels) };
        let bytes = described.bytes().unwrap_or(0);
        context
            .check_allocation("cuMipmappedArrayCreate", code, bytes)
            .map_err(|error| described.explain_rejection(context, error))?;
        // SAFETY: the array was just created in this context, and has no other owner.
        Ok(unsafe { Self::made(context, raw, described, levels, None) })
    }

    /// Checks and returns the description of an array with that many levels.
    pub(super) fn described(
        call: &'static str,
        format: TexelFormat,
        shape: ArrayShape,
        levels: u32,
        flags: ArrayFlags,
    ) -> Result<Described> {
        let described = Described::new(format, shape, flags);
        described.shape.expect_lengths(call)?;
        described.shape.expect_kind(call)?;
        described.expect_levels(levels, call)?;
        Ok(described)
    }

    /// Takes ownership of a new mipmapped array.
    ///
    /// # Safety
    /// The caller must ensure that `raw` was just created in the context with this description, and
    /// has no other owner.
    pub(super) unsafe fn made(
        context: &Context,
        raw: CUmipmappedArray,
        described: Described,
        levels: u32,
        memory: Option<ExternalMemory>,
    ) -> Self {
        let kind = MipmappedKind {
            held: memory.map(Held::Memory),
            ..MipmappedKind::new(described, levels)
        };
        // SAFETY: guaranteed by this function's contract.
        Self(unsafe { Handle::new(raw, true, context.clone(), kind) })
    }

    /// Takes ownership of a raw handle with `levels` levels, and releases it with
    /// `cuMipmappedArrayDestroy` when the last clone is dropped.
    ///
    /// # Errors
    /// Returns the driver's error if it cannot describe the first level. Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the shape has fewer
    /// levels. The handle is then not released.
    ///
    /// # Safety
    /// The caller must ensure that:
    ///
    /// - `raw` is a live mipmapped array with that many levels, created in `context`;
    /// - no other code releases it.
    pub unsafe fn from_raw(raw: CUmipmappedArray, levels: u32, context: &Context) -> Result<Self> {
        // SAFETY: guaranteed by this function's contract.
        unsafe { Self::adopt(context, raw, levels, true) }
    }

    /// Wraps a raw handle that other code owns. The returned object never releases it.
    ///
    /// # Errors
    /// Returns the driver's error if it cannot describe the first level. Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the shape has fewer
    /// levels.
    ///
    /// # Safety
    /// The caller must ensure that:
    ///
    /// - `raw` is a live mipmapped array with that many levels, created in `context`;
    /// - it stays alive until the last clone of the returned object, and everything created from
    ///   it, has been dropped.
    pub unsafe fn borrow_raw(
        raw: CUmipmappedArray,
        levels: u32,
        context: &Context,
    ) -> Result<Self> {
        // SAFETY: guaranteed by this function's contract.
        unsafe { Self::adopt(context, raw, levels, false) }
    }

    /// Wraps a raw handle, and queries the driver for its description.
    ///
    /// # Safety
    /// The contract of [`Handle::new`] applies.
    unsafe fn adopt(
        context: &Context,
        raw: CUmipmappedArray,
        levels: u32,
        owned: bool,
    ) -> Result<Self> {
        let first = raw_level(context, raw, 0)?;
        let described = super::describe(context, first)?;
        described.expect_levels(levels, "MipmappedArray::from_raw")?;
        let kind = MipmappedKind::new(described, levels);
        // SAFETY: guaranteed by this function's contract.
        Ok(Self(unsafe {
            Handle::new(raw, owned, context.clone(), kind)
        }))
    }

    /// Wraps an array that is mapped for a stream, and must stay mapped while `whole` is held.
    /// Queries the driver for the number of levels.
    ///
    /// # Safety
    /// The caller must ensure that `raw` is a live mipmapped array of the stream's context, as long
    /// as it is mapped.
    #[cfg(feature = "opengl")]
    pub(crate) unsafe fn held(
        stream: &Stream,
        raw: CUmipmappedArray,
        whole: std::sync::Arc<()>,
    ) -> Result<Self> {
        let context = stream.context();
        let described = super::describe(context, raw_level(context, raw, 0)?)?;
        let levels = (1..described.shape.levels())
            .take_while(|level| raw_level(context, raw, *level).is_ok())
            .count() as u32
            + 1;
        let kind = MipmappedKind {
            held: Some(Held::Mapped(whole, stream.clone())),
            ..MipmappedKind::new(described, levels)
        };
        // SAFETY: guaranteed by this function's contract. Other code releases the array.
        Ok(Self(unsafe {
            Handle::new(raw, false, context.clone(), kind)
        }))
    }

    /// Returns the owner with which copies of the texels are ordered.
    pub(super) fn owner(&self) -> Owner<'_> {
        match &self.0.kind().held {
            #[cfg(feature = "opengl")]
            Some(Held::Mapped(_, stream)) => Owner::Stream(stream),
            _ => Owner::Context(self.context()),
        }
    }

    /// Returns the context of the array.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.0.parent()
    }

    /// Returns the format of the texels.
    #[must_use]
    pub fn format(&self) -> TexelFormat {
        self.0.kind().described.format
    }

    /// Returns the shape of the first level.
    #[must_use]
    pub fn shape(&self) -> ArrayShape {
        self.0.kind().described.shape
    }

    /// Returns the flags with which the array was created.
    #[must_use]
    pub fn flags(&self) -> ArrayFlags {
        self.0.kind().described.flags
    }

    /// Returns the number of levels.
    #[must_use]
    pub fn levels(&self) -> u32 {
        self.0.kind().levels
    }

    /// Returns a level, of which 0 is the largest. The level keeps the mipmapped array alive.
    ///
    /// See [`cuMipmappedArrayGetLevel`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if there are fewer
    /// levels.
    #[doc(alias = "cuMipmappedArrayGetLevel")]
    pub fn level(&self, level: u32) -> Result<CudaArray> {
        let levels = self.levels();
        if level >= levels {
            return Err(Error::invalid(
                "MipmappedArray::level",
                format!(
                    "level {level} does not exist: the array has {levels} levels, counted from 0"
                ),
            ));
        }
        let raw = raw_level(self.context(), self.as_raw(), level)?;
        let whole = Whole::Mipmapped {
            whole: self.clone(),
        };
        // SAFETY: the level is a part of the mipmapped array, which is kept alive and releases it.
        unsafe { CudaArray::adopt(self.context(), raw, false, Some(whole)) }
    }
}

impl Described {
    /// Returns an error unless an array whose first level has this shape can have `levels` levels.
    fn expect_levels(&self, levels: u32, call: &'static str) -> Result<()> {
        let most = self.shape.levels();
        if (1..=most).contains(&levels) {
            return Ok(());
        }
        Err(Error::invalid(
            call,
            format!(
                "{levels} levels were requested, but {} can have 1 to {most}",
                self.shape
            ),
        ))
    }
}

/// Returns the handle of a level.
fn raw_level(context: &Context, raw: CUmipmappedArray, level: u32) -> Result<sys::CUarray> {
    let _current = context.enter("cuMipmappedArrayGetLevel")?;
    let mut found = ptr::null_mut();
    // SAFETY: the array is live by the callers' contracts, and `found` is valid for the write.
    let code = unsafe { sys::cuMipmappedArrayGetLevel(&mut found, raw, level) };
    context.check("cuMipmappedArrayGetLevel", code)?;
    Ok(found)
}
