//! Two-dimensional convolution of images: of `f32` planes in device memory ([`Convolution`]), and
//! as a method of arrays, which supports the element types and channels of image files.

mod cut;
mod filter;
mod image;
pub(crate) mod interleaved;
mod layout;
mod options;
pub(crate) mod table;
pub(crate) mod variant;

use std::{ffi::c_void, sync::OnceLock};

use cuda_safe::{
    Context, DeviceMemory, Function, LaunchConfig, Owner, Stream,
    memory::{Storage, StorageMut},
};
pub use filter::Filter;
pub use image::Pixel;
pub use layout::Layout;
pub use options::{Border, ConvolutionOptions, Extent, Kind};
use variant::{Correlation, Size};

use crate::{
    error::{Error, Result},
    kernel::Kernels,
    order::{ordered, same_context},
};

/// The convolution of `f32` images with one filter. It consists of the filter's weights and kernels
/// that are compiled for the filter's size.
///
/// Each call is one launch and allocates nothing. Several threads and streams can share a
/// convolution. To convolve an image with several channels, pass its planes as a batch
/// ([`Layout::images`]). For bytes, halves and interleaved channels, use the array method
/// [`Array::convolve_with`](crate::Array::convolve_with).
///
/// # Accuracy
/// Each result is the sum of width · height products, added one after the other with fused
/// multiply-adds. It is off by at most width · height · 2⁻²⁴ Σ|weight · pixel|, or in two passes by
/// at most (width + height) · 2⁻²⁴ Σ|weight · pixel|. NaN and infinity propagate as in that sum: a
/// weight of 0 turns an infinite pixel into NaN.
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
    kernels: Kernels,
    filter: Filter,
    options: ConvolutionOptions,
    /// Created at the first use: one for any alignment, and one for rows that start at multiples of
    /// 16 bytes.
    ready: [OnceLock<Ready>; 2],
}

/// A kernel and the parameters of its launches.
#[derive(Debug)]
struct Ready {
    function: Function,
    kernel: Correlation,
    /// Blocks that are on the device at the same time.
    resident: u32,
    /// In the order that the kernel expects.
    weights: Box<[f32]>,
}

/// The same struct as in `convolve_common.cuh`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Geometry {
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

/// A kernel's parameters may take 32,764 bytes in total.
const MOST_WEIGHTS: usize = (32_764 - 16 - size_of::<Geometry>()) / 16 * 4;

impl Convolution {
    /// Creates a true convolution with zeros beyond the edges. The result is as large as the input.
    ///
    /// # Errors
    /// Returns an error if the filter is too large, or if the kernel does not compile. See
    /// [`with_options`](Self::with_options).
    pub fn new(context: &Context, filter: &Filter) -> Result<Self> {
        Self::with_options(context, filter, ConvolutionOptions::default())
    }

    /// Creates a convolution with options. This compiles the kernel for images whose rows start at
    /// multiples of 16 bytes. The kernel for other images is compiled when it is first needed.
    ///
    /// # Errors
    /// Returns an error if the filter is too large (63 x 63 always fits), or if the kernel does not
    /// compile for this device.
    pub fn with_options(
        context: &Context,
        filter: &Filter,
        options: ConvolutionOptions,
    ) -> Result<Self> {
        Self::with_kernels(&Kernels::new(context)?, filter, options)
    }

    /// Creates a convolution that shares kernels with others. Filters of the same size use the same
    /// kernels.
    ///
    /// # Errors
    /// Returns an error if the filter is too large, or if the kernel does not compile. See
    /// [`with_options`](Self::with_options).
    ///
    /// ```
    /// use cuda_compute::{Convolution, ConvolutionOptions, Filter, Kernels};
    /// use cuda_safe::Context;
    ///
    /// # fn main() -> cuda_compute::Result<()> {
    /// let kernels = Kernels::new(&Context::primary(0)?)?;
    /// let [blur, edges] = [[0.04; 25], [-0.5; 25]].map(|weights| Filter::new(5, 5, &weights));
    /// let options = ConvolutionOptions::default();
    /// let blur = Convolution::with_kernels(&kernels, &blur?, options)?;
    /// let edges = Convolution::with_kernels(&kernels, &edges?, options)?;
    /// assert_eq!(kernels.compiled(), 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn with_kernels(
        kernels: &Kernels,
        filter: &Filter,
        options: ConvolutionOptions,
    ) -> Result<Self> {
        let convolution = Self::lazy(kernels, filter, options);
        convolution.ready(true)?;
        Ok(convolution)
    }

    /// Creates the same convolution but gets its kernels at the first use.
    fn lazy(kernels: &Kernels, filter: &Filter, options: ConvolutionOptions) -> Self {
        Self {
            kernels: kernels.clone(),
            filter: match options.kind {
                Kind::Convolution => filter.turned(),
                Kind::Correlation => filter.clone(),
            },
            options,
            ready: Default::default(),
        }
    }

    /// Returns the context that the kernels are loaded into.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.kernels.context()
    }

    /// Returns the options.
    #[must_use]
    pub fn options(&self) -> ConvolutionOptions {
        self.options
    }

    /// Returns the columns and rows of the result for an image of `width` x `height`.
    #[must_use]
    pub fn output_size(&self, width: usize, height: usize) -> (usize, usize) {
        self.options.output_size(&self.filter, width, height)
    }

    /// Enqueues the convolution of `input` into `output`.
    ///
    /// It is fastest if both start at multiples of 16 bytes and their pitches are multiples of 4
    /// elements, so that all rows are aligned too.
    ///
    /// # Errors
    /// Returns an error if:
    /// - the stream belongs to another context;
    /// - a layout does not fit in its memory;
    /// - the output does not have the [`output_size`](Self::output_size), or has a different number
    ///   of images than the input;
    /// - the kernel for this alignment does not compile;
    /// - the context is unusable after a fault.
    pub fn run(
        &self,
        stream: &Stream,
        input: &DeviceMemory<impl Storage, f32>,
        input_layout: Layout,
        output: &mut DeviceMemory<impl StorageMut, f32>,
        output_layout: Layout,
    ) -> Result<()> {
        same_context(stream, self.context())?;
        let (input, output) = (input.view(), output.view_mut());
        self.check(input_layout, input.len(), output_layout, output.len())?;
        if output_layout.elements() == Some(0) {
            return Ok(());
        }
        let from = (input.as_device_ptr(), input_layout, input.owner());
        let to = (output.as_device_ptr(), output_layout, output.owner());
        // SAFETY: both layouts are within their views, as checked above.
        unsafe { self.enqueue(stream, from, to) }
    }

    /// Enqueues the launch from one image to another, given their addresses, layouts and owners.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - both places hold images of these layouts;
    /// - the output, which is written, is as large as the result.
    unsafe fn enqueue(
        &self,
        stream: &Stream,
        (mut from, input_layout, input): (u64, Layout, Owner<'_>),
        (mut to, output_layout, output): (u64, Layout, Owner<'_>),
    ) -> Result<()> {
        let aligned = from % 16 == 0
            && to % 16 == 0
            && input_layout.keeps_alignment()
            && output_layout.keeps_alignment();
        let ready = self.ready(aligned)?;
        let (mut geometry, blocks) = ready.cut(input_layout, output_layout)?;
        let Correlation { variant, size, .. } = ready.kernel;
        let config =
            LaunchConfig::new(blocks, variant.threads()).shared_bytes(variant.shared_bytes(size));
        let mut pointers: [*mut c_void; 4] = [
            (&raw mut from).cast(),
            (&raw mut to).cast(),
            (&raw mut geometry).cast(),
            // The driver only reads the weights.
            ready.weights.as_ptr().cast_mut().cast(),
        ];
        ordered(stream, [Some(input), Some(output)], || {
            // SAFETY: the kernel's parameters are two addresses, `Geometry`, and the number of
            // weights that its source was given. It reads and writes only the pixels of the two
            // layouts, as the caller has promised. The launch is ordered with their streams.
            unsafe { ready.function.launch_raw(stream, config, &mut pointers)? };
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

    /// Returns the kernel for images whose rows all start at multiples of 16 bytes, or the one for
    /// other images.
    fn ready(&self, aligned: bool) -> Result<&Ready> {
        let place = &self.ready[usize::from(aligned)];
        if let Some(ready) = place.get() {
            return Ok(ready);
        }
        let ready = self.make_ready(aligned)?;
        // Another thread may have stored its kernel first. Both are the same.
        Ok(place.get_or_init(|| ready))
    }

    #[cold]
    fn make_ready(&self, aligned: bool) -> Result<Ready> {
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
        let (pad_x, pad_y) = self.options.origin(filter);
        let size = Size {
            width: width as u32,
            height: height as u32,
            pad_x: pad_x as u32,
            pad_y: pad_y as u32,
            aligned,
        };
        let factors = filter.factors().filter(|_| self.options.separate);
        let hardware = self.kernels.hardware();
        let variant = table::choose(size, factors.is_some(), hardware).ok_or_else(too_large)?;
        let weights = match factors {
            Some(factors) if variant.is_separable() => {
                whole([&*factors.row, &*factors.column].concat())
            }
            _ => packed(filter),
        };
        if weights.len() > MOST_WEIGHTS {
            return Err(too_large());
        }

        let kernel = Correlation {
            variant,
            size,
            border: self.options.border,
        };
        let function = self.kernels.get(&kernel)?;
        let shared = variant.shared_bytes(size) as usize;
        let fitting = function.max_active_blocks(variant.threads(), shared)?;
        let per_multiprocessor = fitting.min(variant.most_blocks());
        Ok(Ready {
            function,
            kernel,
            resident: (per_multiprocessor * hardware.multiprocessors).max(1),
            weights: weights.into(),
        })
    }
}

/// Returns all weights in rows padded to an even width, because the kernels read them in pairs.
fn packed(filter: &Filter) -> Vec<f32> {
    let odd = !filter.width().is_multiple_of(2);
    let rows = filter.weights().chunks_exact(filter.width());
    whole(
        rows.flat_map(|row| row.iter().copied().chain(odd.then_some(0.0)))
            .collect(),
    )
}

/// Pads the weights to 16 bytes, the alignment of the kernels' struct.
fn whole(mut weights: Vec<f32>) -> Vec<f32> {
    weights.resize(weights.len().next_multiple_of(4), 0.0);
    weights
}

impl Ready {
    /// Returns the division of the output into blocks, and the number of blocks.
    fn cut(&self, input: Layout, output: Layout) -> Result<(Geometry, u32)> {
        // The layouts' check ensures that these values fit.
        let int = |value: usize| i32::try_from(value).unwrap_or(i32::MAX);
        let extent = (output.width, output.height);
        let Correlation { variant, size, .. } = self.kernel;
        let cut = variant
            .cut(size, extent, output.images, self.resident)
            .ok_or_else(|| Error::Shape(format!("{output:?} takes more than 2^31 blocks")))?;
        let geometry = Geometry {
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
        Ok((geometry, cut.blocks))
    }
}
