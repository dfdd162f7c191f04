//! Two-dimensional convolution of images: of `f32` planes in device memory ([`Convolution`]), and
//! as a method of arrays, which supports the element types and channels of image files.

mod cut;
mod filter;
mod image;
mod layout;
mod options;
mod prepared;
pub(crate) mod table;
pub(crate) mod variant;

use std::sync::OnceLock;

use cuda_safe::{
    Context, DeviceMemory, Stream,
    memory::{Storage, StorageMut},
};
pub use filter::Filter;
pub use image::Pixel;
pub use layout::Layout;
pub use options::{Border, ConvolutionOptions, Extent, Kind};
use prepared::{Place, Prepared, alignment};
use variant::Pixels;

use crate::{
    error::{Error, Result},
    kernel::Kernels,
    order::same_context,
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
    /// As the kernels apply it.
    filter: Filter,
    options: ConvolutionOptions,
    /// Created at the first use: one for any alignment, and one for rows that start at multiples of
    /// 16 bytes.
    prepared: [OnceLock<Prepared>; 2],
}

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
        let convolution = Self {
            kernels: kernels.clone(),
            filter: options.oriented(filter).into_owned(),
            options,
            prepared: Default::default(),
        };
        convolution.prepared(true)?;
        Ok(convolution)
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
        let from = Place {
            address: input.as_device_ptr(),
            layout: input_layout,
            owner: input.owner(),
        };
        let to = Place {
            address: output.as_device_ptr(),
            layout: output_layout,
            owner: output.owner(),
        };
        let [aligned, _] = alignment(Pixels::PLANES, &from, &to);
        let prepared = self.prepared(aligned)?;
        // SAFETY: both layouts are within their views, and the output has the size of the result,
        // as checked above.
        unsafe { prepared.enqueue(stream, from, to) }
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
    fn prepared(&self, aligned: bool) -> Result<&Prepared> {
        let place = &self.prepared[usize::from(aligned)];
        if let Some(prepared) = place.get() {
            return Ok(prepared);
        }
        let (filter, pixels) = (&self.filter, Pixels::PLANES);
        let prepared = Prepared::new(&self.kernels, filter, self.options, pixels, [aligned; 2])?;
        // Another thread may have stored its kernel first. Both are the same.
        Ok(place.get_or_init(|| prepared))
    }
}
