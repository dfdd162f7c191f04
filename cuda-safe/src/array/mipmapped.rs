//! Mipmapped arrays: the same image in several sizes.

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

/// Arrays of one image in several sizes, its levels, each half as wide, high and deep as the one before. A texture reads
/// the level, or the two, that fit the size in which it is asked for it. Cloning gives another reference to the same.
///
/// Each level is a [`CudaArray`], which is filled and read as others are. A [`Texture`](crate::Texture) of the whole reads all
/// levels, unless its sampler says otherwise; its coordinates are normalised.
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
    /// What was imported, and its texels lie in.
    Memory(ExternalMemory),
    /// What says that it is mapped, and for which stream.
    #[cfg(feature = "opengl")]
    Mapped(std::sync::Arc<()>, Stream),
}

pub(crate) struct MipmappedKind {
    /// That of the first level.
    described: Described,
    levels: u32,
    /// What must stay for as long as its texels do.
    held: Option<Held>,
}

impl Kind for MipmappedKind {
    type Raw = CUmipmappedArray;
    type Parent = Context;
    const NAME: &'static str = "MipmappedArray";

    unsafe fn release(&self, raw: CUmipmappedArray, context: &Context) -> Result<()> {
        let raw = Sendable(raw);
        let destroy = move || {
            // SAFETY: released once, by this function's contract; levels and textures hold a reference.
            unsafe { sys::cuMipmappedArrayDestroy(raw.get()) }
        };
        // SAFETY: as above; the memory is held until then.
        unsafe {
            after_work(
                context,
                "cuMipmappedArrayDestroy",
                self.held.clone(),
                destroy,
            )
        }
    }

    fn hand_over(&mut self, _: CUmipmappedArray) {
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
    /// Creates levels of a format, with unspecified contents. `shape` is the first's, which is the largest; at most
    /// [`ArrayShape::levels`] of them make sense.
    ///
    /// # Errors
    /// As [`CudaArray::new`]; and for no levels.
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
        let _allowed = capture::refuse_here(CALL, "create the array before the capture")?;
        let _current = context.enter("cuMipmappedArrayCreate")?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write, and the description lives through the call.
        let code = unsafe { sys::cuMipmappedArrayCreate(&mut raw, &described.to_raw(), levels) };
        let bytes = described.bytes().unwrap_or(0);
        context
            .check_allocation("cuMipmappedArrayCreate", code, bytes)
            .map_err(|error| described.refused(context, error))?;
        // SAFETY: just made in this context, and owned by nobody else.
        Ok(unsafe { Self::made(context, raw, described, levels, None) })
    }

    /// What an array of so many levels is to be.
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

    /// # Safety
    /// `raw` was just made in the context, as it is described, and is owned by nobody else.
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
        // SAFETY: as this function's contract says.
        Self(unsafe { Handle::new(raw, true, context.clone(), kind) })
    }

    /// Takes ownership of a raw handle, of so many levels. It is released, with `cuMipmappedArrayDestroy`, when the last
    /// clone is dropped.
    ///
    /// # Errors
    /// The driver does not describe the first level, or its shape has fewer levels. The handle is not released then.
    ///
    /// # Safety
    /// `raw` is a live mipmapped array of that many levels, created in `context`, and nobody else releases it.
    pub unsafe fn from_raw(context: &Context, raw: CUmipmappedArray, levels: u32) -> Result<Self> {
        // SAFETY: as this function's contract says.
        unsafe { Self::adopt(context, raw, levels, true) }
    }

    /// Uses a raw handle that somebody else owns. The returned object never releases it.
    ///
    /// # Errors
    /// The driver does not describe the first level, or its shape has fewer levels.
    ///
    /// # Safety
    /// `raw` is a live mipmapped array of that many levels, created in `context`. It stays alive until the last clone of
    /// the returned object, and everything created from it, has been dropped.
    pub unsafe fn borrow_raw(
        context: &Context,
        raw: CUmipmappedArray,
        levels: u32,
    ) -> Result<Self> {
        // SAFETY: as this function's contract says.
        unsafe { Self::adopt(context, raw, levels, false) }
    }

    /// # Safety
    /// As [`Handle::new`].
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
        // SAFETY: as this function's contract says.
        Ok(Self(unsafe {
            Handle::new(raw, owned, context.clone(), kind)
        }))
    }

    /// One of something that is mapped for a stream, and must stay so while `whole` is held. The driver is asked how many
    /// levels it has.
    ///
    /// # Safety
    /// `raw` is a live mipmapped array of the stream's context, as long as it is mapped.
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
        // SAFETY: as this function's contract says; somebody else releases it.
        Ok(Self(unsafe {
            Handle::new(raw, false, context.clone(), kind)
        }))
    }

    /// What copies of its texels are ordered with.
    pub(super) fn owner(&self) -> Owner<'_> {
        match &self.0.kind().held {
            #[cfg(feature = "opengl")]
            Some(Held::Mapped(_, stream)) => Owner::Stream(stream),
            _ => Owner::Context(self.context()),
        }
    }

    /// The context that it belongs to.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.0.parent()
    }

    /// What its texels are.
    #[must_use]
    pub fn format(&self) -> TexelFormat {
        self.0.kind().described.format
    }

    /// The shape of the first level.
    #[must_use]
    pub fn shape(&self) -> ArrayShape {
        self.0.kind().described.shape
    }

    /// What it is made for.
    #[must_use]
    pub fn flags(&self) -> ArrayFlags {
        self.0.kind().described.flags
    }

    /// How many levels there are.
    #[must_use]
    pub fn levels(&self) -> u32 {
        self.0.kind().levels
    }

    /// A level, of which 0 is the largest. It keeps the whole.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where there are fewer levels.
    #[doc(alias = "cuMipmappedArrayGetLevel")]
    pub fn level(&self, level: u32) -> Result<CudaArray> {
        let levels = self.levels();
        if level >= levels {
            return Err(Error::invalid(
                "MipmappedArray::level",
                format!("level {level} of {levels}, which are counted from 0"),
            ));
        }
        let raw = raw_level(self.context(), self.as_raw(), level)?;
        let whole = Whole::Mipmapped {
            whole: self.clone(),
        };
        // SAFETY: a part of the mipmapped array, which is kept, and releases it.
        unsafe { CudaArray::adopt(self.context(), raw, false, Some(whole)) }
    }
}

impl Described {
    /// An error unless the largest level of this shape can have so many in all.
    fn expect_levels(&self, levels: u32, call: &'static str) -> Result<()> {
        let most = self.shape.levels();
        if (1..=most).contains(&levels) {
            return Ok(());
        }
        Err(Error::invalid(
            call,
            format!(
                "{levels} levels of {}: there can be 1 to {most}",
                self.shape
            ),
        ))
    }
}

/// The handle of a level.
fn raw_level(context: &Context, raw: CUmipmappedArray, level: u32) -> Result<sys::CUarray> {
    let _current = context.enter("cuMipmappedArrayGetLevel")?;
    let mut found = ptr::null_mut();
    // SAFETY: a live mipmapped array, by the callers' contracts; `found` is valid for the write.
    let code = unsafe { sys::cuMipmappedArrayGetLevel(&mut found, raw, level) };
    context.check("cuMipmappedArrayGetLevel", code)?;
    Ok(found)
}
