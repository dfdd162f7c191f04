//! Two-dimensional convolution of images.

mod filter;
mod layout;
mod plan;

use std::{
    ffi::c_void,
    sync::{Arc, Mutex, PoisonError},
};

use cuda_safe::{
    Context, DeviceAttribute, DeviceMemory, Function, LaunchConfig, Module, Program, Storage,
    StorageMut, Stream,
};
pub use filter::Filter;
pub use layout::Layout;
use plan::{Plan, Size};

use crate::{
    error::{Error, Result},
    order::ordered,
};

/// What is done with the filter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Kind {
    /// True convolution: the filter is turned by half a turn.
    #[default]
    Convolution,
    /// Correlation, what machine learning calls convolution: the filter is used as it lies.
    Correlation,
}

/// What lies beyond the edges of an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Border {
    /// Zeros.
    #[default]
    Zero,
    /// The nearest pixel: `a a a | a b c d | d d d`.
    Clamp,
    /// The image mirrored at the edge pixel's middle: `d c b | a b c d | c b a`.
    Reflect,
    /// The other side: `b c d | a b c d | a b c`.
    Wrap,
}

#[cfg(feature = "cpu")]
impl Border {
    /// The index inside `0..size` that stands for `index`; `None` for a zero.
    pub(crate) fn index(self, index: isize, size: usize) -> Option<usize> {
        let length = size as isize;
        let inside = match self {
            _ if (0..length).contains(&index) => index,
            Self::Zero => return None,
            Self::Clamp => index.clamp(0, length - 1),
            Self::Reflect if size == 1 => 0,
            Self::Reflect => {
                let turned = index.rem_euclid(2 * (length - 1));
                turned.min(2 * (length - 1) - turned)
            }
            Self::Wrap => index.rem_euclid(length),
        };
        Some(inside as usize)
    }
}

/// How much of the result is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Extent {
    /// As much as the input. The filter's middle lies on the output's position; of an even
    /// number of elements, for correlation the one before the middle, for convolution the one
    /// after it.
    #[default]
    Same,
    /// Only what needs no pixel beyond an edge: less by the filter's size less one.
    Valid,
}

/// How a [`Convolution`] works. The default is a true convolution with zeros beyond the edges, as
/// large as the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ConvolutionOptions {
    /// Convolution or correlation.
    pub kind: Kind,
    /// What lies beyond the edges.
    pub border: Border,
    /// How much of the result is wanted.
    pub extent: Extent,
    /// Whether a filter that is a product of two vectors is run as two passes. On by default. The
    /// rounding differs from that of one pass.
    pub separate: bool,
}

impl Default for ConvolutionOptions {
    fn default() -> Self {
        Self {
            kind: Kind::default(),
            border: Border::default(),
            extent: Extent::default(),
            separate: true,
        }
    }
}

impl ConvolutionOptions {
    /// Sets [`kind`](Self::kind).
    #[must_use]
    pub fn kind(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self
    }

    /// Sets [`border`](Self::border).
    #[must_use]
    pub fn border(mut self, border: Border) -> Self {
        self.border = border;
        self
    }

    /// Sets [`extent`](Self::extent).
    #[must_use]
    pub fn extent(mut self, extent: Extent) -> Self {
        self.extent = extent;
        self
    }

    /// Sets [`separate`](Self::separate).
    #[must_use]
    pub fn separate(mut self, separate: bool) -> Self {
        self.separate = separate;
        self
    }

    /// Columns and rows of the result for an image of `width` x `height`.
    #[must_use]
    pub fn output_size(&self, filter: &Filter, width: usize, height: usize) -> (usize, usize) {
        match self.extent {
            Extent::Same => (width, height),
            Extent::Valid => (
                (width + 1).saturating_sub(filter.width()),
                (height + 1).saturating_sub(filter.height()),
            ),
        }
    }

    /// The position in the filter, turned for a convolution, that lies on the output's own.
    pub(crate) fn origin(&self, size: usize) -> usize {
        match (self.extent, self.kind) {
            (Extent::Valid, _) => 0,
            (Extent::Same, Kind::Correlation) => (size - 1) / 2,
            // Turning has moved what was the middle.
            (Extent::Same, Kind::Convolution) => size / 2,
        }
    }
}

/// The convolution of `f32` images with one filter: kernels compiled for the filter's size, and
/// its weights.
///
/// One launch a call, nothing is allocated. May be used from several threads and streams. The planes of
/// an image with several channels are a batch ([`Layout::images`]); bytes and interleaved channels have to
/// be converted first.
///
/// # Accuracy
/// A result is the sum of width · height products, added one after the other with fused
/// multiplications; it is off by at most width · height · 2⁻²⁴ Σ|weight · pixel|, and in two
/// passes by (width + height) · 2⁻²⁴ Σ|weight · pixel|. NaN and infinity go through as they do
/// through that sum: a weight of 0 makes NaN of an infinite pixel.
///
/// ```
/// use cuda_compute::{Convolution, Filter, Layout};
/// use cuda_safe::{Context, DeviceBuffer, Stream};
///
/// # fn main() -> cuda_compute::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// let layout = Layout::new(4, 3);
/// let image = DeviceBuffer::from_slice(&stream, &[1.0f32; 12])?;
/// let mut sums = DeviceBuffer::<f32>::zeroed(&stream, 12)?;
/// let convolution = Convolution::new(&context, &Filter::new(3, 3, &[1.0; 9])?)?;
/// convolution.run(&stream, &image, layout, &mut sums, layout)?;
/// assert_eq!(
///     sums.to_vec(&stream)?,
///     [4.0, 6.0, 6.0, 4.0, 6.0, 9.0, 9.0, 6.0, 4.0, 6.0, 6.0, 4.0]
/// );
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Convolution {
    context: Context,
    filter: Filter,
    options: ConvolutionOptions,
    multiprocessors: u32,
    /// Bytes of shared memory that a block may have.
    shared_limit: u32,
    /// Compiled at the first use: for any alignment, for rows that start on 16 bytes.
    kernels: Mutex<[Option<Arc<Kernel>>; 2]>,
}

#[derive(Debug)]
struct Kernel {
    function: Function,
    plan: Plan,
    size: Size,
    /// Blocks that are on the device together.
    resident: u32,
    /// As the kernel takes them.
    weights: Box<[f32]>,
}

/// As in `convolve_common.cuh`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Shape {
    in_pitch: i64,
    out_pitch: i64,
    in_image: i64,
    out_image: i64,
    in_width: i32,
    in_height: i32,
    out_width: i32,
    out_height: i32,
    across: i32,
    down: i32,
    rows: i32,
    images: i32,
}

/// Bytes of dynamic shared memory that a block may have on any device, without asking.
const SHARED_FOR_ALL: u32 = 48 << 10;

/// The parameters of a kernel may have 32,764 bytes together.
const MOST_WEIGHTS: usize = (32_764 - 16 - size_of::<Shape>()) / 16 * 4;

impl Convolution {
    /// A true convolution with zeros beyond the edges, as large as the input.
    ///
    /// # Errors
    /// As [`with_options`](Self::with_options).
    pub fn new(context: &Context, filter: &Filter) -> Result<Self> {
        Self::with_options(context, filter, ConvolutionOptions::default())
    }

    /// A convolution as `options` say. The kernel for images whose rows start on 16 bytes is
    /// compiled here; the one for all others when it is first needed.
    ///
    /// # Errors
    /// The filter is too large (63 x 63 always works), or the kernel does not compile for this
    /// device.
    pub fn with_options(
        context: &Context,
        filter: &Filter,
        options: ConvolutionOptions,
    ) -> Result<Self> {
        let device = context.device();
        let shared = DeviceAttribute::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
        let convolution = Self {
            context: context.clone(),
            filter: match options.kind {
                Kind::Convolution => filter.turned(),
                Kind::Correlation => filter.clone(),
            },
            options,
            multiprocessors: device.multiprocessor_count()?,
            shared_limit: u32::try_from(device.attribute(shared)?).unwrap_or(SHARED_FOR_ALL),
            kernels: Mutex::default(),
        };
        convolution.kernel(true)?;
        Ok(convolution)
    }

    /// The context that the kernels are loaded into.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// How it works.
    #[must_use]
    pub fn options(&self) -> ConvolutionOptions {
        self.options
    }

    /// Columns and rows of the result for an image of `width` x `height`.
    #[must_use]
    pub fn output_size(&self, width: usize, height: usize) -> (usize, usize) {
        self.options.output_size(&self.filter, width, height)
    }

    /// Enqueues the convolution of `input` into `output`.
    ///
    /// Fastest when both start on 16 bytes and all rows do, too: pitches that are multiples of 4.
    ///
    /// # Errors
    /// The stream is of another context; a layout does not fit its memory; the output's is not of
    /// [`output_size`](Self::output_size), or not of as many images; the kernel for this
    /// alignment does not compile.
    pub fn run(
        &self,
        stream: &Stream,
        input: &DeviceMemory<impl Storage, f32>,
        input_layout: Layout,
        output: &mut DeviceMemory<impl StorageMut, f32>,
        output_layout: Layout,
    ) -> Result<()> {
        if stream.context() != &self.context {
            return Err(Error::Shape(
                "the stream is of another context than the convolution".into(),
            ));
        }
        let (input, output) = (input.view(), output.view_mut());
        self.check(input_layout, input.len(), output_layout, output.len())?;
        if output_layout.elements() == Some(0) {
            return Ok(());
        }
        let (mut from, mut to) = (input.as_device_ptr(), output.as_device_ptr());
        let aligned = from % 16 == 0
            && to % 16 == 0
            && input_layout.keeps_alignment()
            && output_layout.keeps_alignment();
        let kernel = self.kernel(aligned)?;
        let (mut shape, blocks) = self.cut(&kernel, input_layout, output_layout)?;
        let config = LaunchConfig::new(blocks, kernel.plan.threads())
            .shared_bytes(kernel.plan.shared_bytes(kernel.size));
        let mut pointers: [*mut c_void; 4] = [
            (&raw mut from).cast(),
            (&raw mut to).cast(),
            (&raw mut shape).cast(),
            // The driver only reads.
            kernel.weights.as_ptr().cast_mut().cast(),
        ];
        ordered(stream, [Some(input.owner()), Some(output.owner())], || {
            // SAFETY: the kernel's parameters are two addresses, `Shape` and as many weights as
            // its source was given; it reads and writes the pixels of the two layouts, which were
            // checked to lie within the two views. Ordered with their streams.
            unsafe { kernel.function.launch_raw(stream, config, &mut pointers)? };
            Ok(())
        })
    }

    fn check(&self, input: Layout, input_len: usize, output: Layout, len: usize) -> Result<()> {
        input.check("the input", input_len)?;
        output.check("the output", len)?;
        let (width, height) = self.output_size(input.width, input.height);
        if (output.width, output.height, output.images) != (width, height, input.images) {
            return Err(Error::Shape(format!(
                "the result for {} images of {} x {} is {width} x {height}; the output is {} of \
                 {} x {}",
                input.images, input.width, input.height, output.images, output.width, output.height
            )));
        }
        Ok(())
    }

    /// How the output is cut into blocks, and their number.
    fn cut(&self, kernel: &Kernel, input: Layout, output: Layout) -> Result<(Shape, u32)> {
        // The layouts' check has made sure that these fit.
        let int = |value: usize| i32::try_from(value).unwrap_or(i32::MAX);
        let extent = (output.width, output.height);
        let cut = kernel
            .plan
            .cut(kernel.size, extent, output.images, kernel.resident)
            .ok_or_else(|| Error::Shape(format!("{output:?} takes more than 2^31 blocks")))?;
        let shape = Shape {
            in_pitch: input.pitch as i64,
            out_pitch: output.pitch as i64,
            in_image: input.image_pitch as i64,
            out_image: output.image_pitch as i64,
            in_width: int(input.width),
            in_height: int(input.height),
            out_width: int(output.width),
            out_height: int(output.height),
            across: cut.across as i32,
            down: cut.down as i32,
            rows: cut.rows as i32,
            images: int(output.images),
        };
        Ok((shape, cut.blocks))
    }

    fn kernel(&self, aligned: bool) -> Result<Arc<Kernel>> {
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        let known = &mut kernels[usize::from(aligned)];
        if let Some(kernel) = known {
            return Ok(kernel.clone());
        }
        let kernel = Arc::new(self.compile(aligned)?);
        *known = Some(kernel.clone());
        Ok(kernel)
    }

    fn compile(&self, aligned: bool) -> Result<Kernel> {
        let filter = &self.filter;
        let too_large = || {
            Error::Shape(format!(
                "a filter of {} x {} is too large for this device",
                filter.width(),
                filter.height()
            ))
        };
        let (width, height) = (filter.width(), filter.height());
        if width.max(height) > MOST_WEIGHTS {
            return Err(too_large());
        }
        let size = Size {
            width: width as u32,
            height: height as u32,
            pad_x: self.options.origin(width) as u32,
            pad_y: self.options.origin(height) as u32,
            aligned,
        };
        let factors = filter.factors().filter(|_| self.options.separate);
        let plan =
            plan::choose(size, factors.is_some(), self.shared_limit).ok_or_else(too_large)?;
        let mut weights: Vec<f32> = match factors {
            Some(factors) if plan.is_separable() => [&*factors.row, &*factors.column].concat(),
            // Rows of an even width: the kernel reads pairs.
            _ => filter
                .weights()
                .chunks_exact(width)
                .flat_map(|row| row.iter().copied().chain((width % 2 == 1).then_some(0.0)))
                .collect(),
        };
        // The kernel's struct is aligned to 16 bytes.
        weights.resize(weights.len().next_multiple_of(4), 0.0);
        if weights.len() > MOST_WEIGHTS {
            return Err(too_large());
        }

        let (name, source) = plan.kernel();
        let common = [
            ("KW", size.width),
            ("KH", size.height),
            ("PAD_X", size.pad_x),
            ("PAD_Y", size.pad_y),
            ("BORDER", self.options.border as u32),
            ("ALIGNED", u32::from(aligned)),
        ];
        let mut text: String = common
            .into_iter()
            .chain(plan.macros(size))
            .map(|(name, value)| format!("#define {name} {value}\n"))
            .collect();
        text += include_str!("../kernels/convolve_common.cuh");
        text += source;
        let program = Program::new(text).name(format!("{name}.cu"));
        let function = Module::compile(&self.context, program)?.function(name)?;
        let shared = plan.shared_bytes(size);
        if shared > SHARED_FOR_ALL {
            function.set_max_dynamic_shared(shared)?;
        }
        let fitting = function.max_active_blocks(plan.threads(), shared as usize)?;
        let per_multiprocessor = fitting.min(plan.most_blocks());
        Ok(Kernel {
            function,
            plan,
            size,
            resident: (per_multiprocessor * self.multiprocessors).max(1),
            weights: weights.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_say_where_the_filter_lies() {
        let options = ConvolutionOptions::default().separate(false);
        assert!(!options.separate && options.separate(true).separate);
        let origin = |extent, kind, size| options.extent(extent).kind(kind).origin(size);
        for (size, correlation, convolution) in [(1, 0, 0), (3, 1, 1), (4, 1, 2), (9, 4, 4)] {
            assert_eq!(origin(Extent::Same, Kind::Correlation, size), correlation);
            assert_eq!(origin(Extent::Same, Kind::Convolution, size), convolution);
            assert_eq!(origin(Extent::Valid, Kind::Correlation, size), 0);
        }
    }
}
