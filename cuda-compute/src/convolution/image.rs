//! Convolution as a method of arrays.

use std::sync::Arc;

use super::{
    ConvolutionOptions, Filter, Layout as Rows,
    prepared::{Place, Prepared, alignment},
    variant::Pixels,
};
use crate::{
    array::{Array, Layout, Memory, Order, Shape},
    element::Element,
    error::{Error, Result},
};

/// An element type of images that can be convolved: `u8`, `u16`, `f16`, `bf16` or `f32`.
///
/// This trait is sealed, because the kernels support only these types.
pub trait Pixel: Element + sealed::Pixel {}

mod sealed {
    pub trait Pixel {}
}

macro_rules! pixels {
    ($($type:ty),*) => {$(
        impl sealed::Pixel for $type {}
        impl Pixel for $type {}
    )*};
}

pixels!(u8, u16, half::f16, half::bf16, f32);

impl<T: Pixel> Array<T> {
    /// Convolves the image with a filter, with zeros beyond the edges. The result has the same size
    /// as the image. See [`convolve_with`](Self::convolve_with).
    ///
    /// ```
    /// use cuda_compute::{Array, Filter};
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// // Two rows of three pixels: red, green, blue.
    /// let pixels = [9u8, 0, 200, 3, 0, 200, 6, 0, 200, 0, 0, 200, 3, 0, 200, 0, 30, 200];
    /// let image = Array::from_shape(&stream, [2, 3, 3], &pixels)?;
    /// let mean = Filter::new(3, 1, &[1.0 / 3.0; 3])?;
    /// let blurred = image.convolve(&mean)?;
    /// assert_eq!(
    ///     blurred.to_vec()?,
    ///     [4, 0, 133, 6, 0, 200, 3, 0, 133, 1, 0, 133, 1, 10, 200, 1, 10, 133]
    /// );
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if the array is not an image, if the filter is too large, or if memory runs
    /// out. See [`convolve_with`](Self::convolve_with).
    pub fn convolve(&self, filter: &Filter) -> Result<Self> {
        self.convolve_with(filter, ConvolutionOptions::default())
    }

    /// Convolves the image with a filter and returns a new array in C order.
    ///
    /// An image of one channel has the shape `[height, width]`. An image with 1, 3 or 4 interleaved
    /// channels, as in most image files, has the shape `[height, width, channels]`. Each channel is
    /// convolved separately, including an alpha channel. The result has the same channels, and its
    /// size follows from the options (see [`output_size`](ConvolutionOptions::output_size)). Rows
    /// may have any pitch, as those of a slice do. An image in any other layout is copied first.
    ///
    /// **Accuracy.** Each result is a sum in `f32`, rounded once to nearest, ties to even. Results
    /// of integer images saturate, and NaN (from a weight) becomes 0. The sum starts at 0 and goes
    /// through the filter's rows, and through the columns of each row. A true convolution goes
    /// through both from last to first. Each product is added by one fused multiply-add. The result
    /// has the same bits on any device and is off by at most width · height · 2⁻²⁴ Σ|weight ·
    /// pixel|. The [`separate`](ConvolutionOptions::separate) option has no effect.
    ///
    /// `f32` images of one channel are an exception: they are convolved as by [`Convolution`](crate::Convolution) and have
    /// its bits. Use a `Convolution` directly to convolve many such images with one filter into
    /// existing memory. It prepares the filter once.
    ///
    /// A filter whose weights cancel out, such as Sobel's, has results of both signs, but `u8` and
    /// `u16` images keep only the positive ones. Convolve the image as `f32` to keep both:
    ///
    /// ```
    /// use cuda_compute::{Array, Filter};
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let image = Array::from_shape(&stream, [1, 5], &[0u8, 0, 50, 0, 0])?;
    /// let slope = Filter::new(3, 1, &[-1.0, 0.0, 1.0])?;
    /// assert_eq!(image.convolve(&slope)?.to_vec()?, [0, 0, 0, 50, 0]);
    /// let both = image.cast::<f32>().eval()?.convolve(&slope)?;
    /// assert_eq!(both.to_vec()?, [0.0, -50.0, 0.0, 50.0, 0.0]);
    /// assert_eq!(both.abs().cast::<u8>().eval()?.to_vec()?, [0, 50, 0, 50, 0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// ```
    /// use cuda_compute::{Array, Border, ConvolutionOptions, Extent, Filter};
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let image = Array::from_shape(&stream, [1, 4], &[10u16, 20, 30, 60_000])?;
    /// let ahead = Filter::new(3, 1, &[2.0, -1.0, 0.0])?;
    /// let clamp = ConvolutionOptions::default().border(Border::Clamp);
    /// assert_eq!(image.convolve_with(&ahead, clamp)?.to_vec()?, [30, 40, 65_535, 60_000]);
    /// let valid = image.convolve_with(&ahead, clamp.extent(Extent::Valid))?;
    /// assert_eq!((valid.shape().as_slice(), valid.to_vec()?), (&[1, 2][..], vec![40, 65_535]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if:
    /// - the shape is not that of an image;
    /// - the filter has more than 8160 weights (rows of odd width count as one weight longer);
    /// - the pixels that a block reads for this filter don't fit in its shared memory (45 x 45
    ///   always fits);
    /// - a row or a column has more than 2³¹ − 2²⁰ elements;
    /// - the kernel does not compile for this device;
    /// - memory runs out.
    pub fn convolve_with(&self, filter: &Filter, options: ConvolutionOptions) -> Result<Self> {
        let [height, width, channels] = sides(self.shape())?;
        let (columns, rows) = options.output_size(filter, width, height);
        let mut shape = self.shape();
        shape.as_mut_slice()[..2].copy_from_slice(&[rows, columns]);
        let shape = Shape::new(shape.as_slice())?;
        let (kernels, stream) = (self.memory.kernels(), self.stream());
        let memory = Memory::new(kernels, stream, shape.elements(), T::DATA_TYPE)?;
        let result = Self::of(Arc::new(memory), Layout::dense(shape, Order::C));
        if result.is_empty() {
            return Ok(result);
        }
        let pixels = Pixels {
            data: T::DATA_TYPE,
            channels: channels as u32,
        };
        let (image, pitch) = match self.row_pitch([height, width, channels]) {
            Some(pitch) => (self.clone(), pitch),
            None => (self.contiguous(Order::C)?, width * channels),
        };
        let from = image.place(Rows::new(width, height).pitch(pitch));
        let to = result.place(Rows::new(columns, rows).pitch(columns * channels));
        for place in [&from, &to] {
            check_size(pixels, place.layout)?;
        }
        let filter = options.oriented(filter);
        let aligned = alignment(pixels, &from, &to);
        let prepared = Prepared::new(kernels, &filter, options, pixels, aligned)?;
        // SAFETY: both places hold an image of this size with this pitch. The second one is new.
        unsafe { prepared.enqueue(stream, from, to)? };
        Ok(result)
    }

    fn place(&self, layout: Rows) -> Place<'_> {
        Place {
            address: self.as_device_ptr(),
            layout,
            owner: self.memory.owner(),
        }
    }

    /// Returns the elements from one row of an image to the next, if pixels are contiguous within a
    /// row and rows are in ascending order.
    fn row_pitch(&self, [height, width, channels]: [usize; 3]) -> Option<usize> {
        let strides = self.strides();
        let dense = |axis: usize, length: usize, stride: usize| {
            length == 1 || strides[axis] == stride as isize
        };
        let side_by_side = dense(1, width, channels) && (self.rank() == 2 || dense(2, channels, 1));
        let row = width * channels;
        match height {
            _ if !side_by_side => None,
            1 => Some(row),
            _ => usize::try_from(strides[0])
                .ok()
                .filter(|&pitch| pitch >= row),
        }
    }
}

/// Returns height, width and channels.
fn sides(shape: Shape) -> Result<[usize; 3]> {
    let why = match *shape.as_slice() {
        [height, width] => return Ok([height, width, 1]),
        [height, width, channels @ (1 | 3 | 4)] => return Ok([height, width, channels]),
        [_, _, channels] => format!("{channels} channels"),
        _ => format!("{} axes", shape.rank()),
    };
    Err(Error::Shape(format!(
        "an array of shape {shape} is not an image: it has {why}. An image has the shape [height, width], or \
         [height, width, channels] with 1, 3 or 4 channels"
    )))
}

/// The maximum number of elements per row, and of rows, that the kernels can index, including the
/// border that they read.
const LARGEST: usize = (i32::MAX - (1 << 20)) as usize;

fn check_size(pixels: Pixels, layout: Rows) -> Result<()> {
    let (Rows { width, height, .. }, Pixels { channels, .. }) = (layout, pixels);
    let elements = width.checked_mul(channels as usize);
    if elements.is_some_and(|elements| elements <= LARGEST) && height <= LARGEST {
        return Ok(());
    }
    Err(Error::Shape(format!(
        "an image of {width} x {height} pixels with {channels} channels has rows of more than \
         {LARGEST} elements, or more than {LARGEST} rows"
    )))
}

#[cfg(test)]
mod tests {
    use cuda_safe::{Context, Stream};

    use super::*;
    use crate::{array::NewAxis, element::DataType, s};

    #[test]
    fn rows_are_apart_and_their_pixels_side_by_side() {
        let stream = Stream::new(&Context::primary(0).unwrap()).unwrap();
        let zeros = |lengths: &[usize]| Array::<u8>::zeros(&stream, lengths).unwrap();
        let pitch = |image: Result<Array<u8>>| {
            let image = image.unwrap();
            image.row_pitch(sides(image.shape()).unwrap())
        };
        let x = zeros(&[4, 6]);
        assert_eq!(pitch(Ok(x.clone())), Some(6));
        assert_eq!(pitch(x.slice(s![.., 1..5])), Some(6));
        assert_eq!(pitch(x.slice(s![..;2])), Some(12));
        assert_eq!(pitch(x.slice(s![..;-1])), None);
        assert_eq!(pitch(x.slice(s![.., ..;2])), None);
        assert_eq!(pitch(x.slice(s![.., 2..3])), Some(6));
        assert_eq!(pitch(Ok(x.t())), None);
        // The pitch of a single row is its length. Several rows that repeat one row have no pitch.
        let row = zeros(&[6]);
        assert_eq!(pitch(row.slice(s![NewAxis, ..])), Some(6));
        assert_eq!(pitch(row.broadcast_to([4, 6])), None);
        // Channels.
        let x = zeros(&[4, 5, 4]);
        assert_eq!(pitch(Ok(x.clone())), Some(20));
        assert_eq!(pitch(x.slice(s![.., .., ..3])), None);
        assert_eq!(pitch(x.slice(s![.., 2..3, ..3])), Some(20));
        assert_eq!(pitch(x.slice(s![.., .., ..;-1])), None);
        assert_eq!(pitch(zeros(&[4, 5]).slice(s![.., .., NewAxis])), Some(5));
    }

    #[test]
    fn images_have_two_axes_and_channels() {
        let of = |lengths: &[usize]| sides(Shape::of(lengths)).map_err(|e| e.to_string());
        assert_eq!(of(&[4, 5]), Ok([4, 5, 1]));
        for channels in [1, 3, 4] {
            assert_eq!(of(&[4, 5, channels]), Ok([4, 5, channels]));
        }
        assert!(of(&[4, 5, 2]).unwrap_err().contains("2 channels"));
        assert!(of(&[4]).unwrap_err().contains("1 axes"));
    }

    #[test]
    fn kernels_know_whether_rows_are_aligned() {
        use super::super::variant::Correlation;
        use crate::kernel::Kernels;
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let filter = Filter::new(3, 3, &[0.5; 9]).unwrap();
        let floats = |width: usize, columns: std::ops::Range<usize>| {
            let kernels = Kernels::new(&context).unwrap();
            let x = kernels.zeros::<f32>(&stream, &[8, width]);
            let part = x.slice(s![.., columns]).unwrap();
            assert!(part.convolve(&filter).unwrap().to_vec().unwrap()[0] == 0.0);
            kernels.compiled_for::<Correlation>()[0].stencil.aligned
        };
        assert!(floats(16, 0..16) && floats(20, 0..16));
        // The rows, the first element, the rows of the result.
        assert!(!floats(18, 0..16) && !floats(20, 1..17) && !floats(16, 0..15));
        let bytes = |width: usize, columns: std::ops::Range<usize>| {
            let kernels = Kernels::new(&context).unwrap();
            let x = kernels.zeros::<u8>(&stream, &[8, width]);
            let part = x.slice(s![.., columns]).unwrap();
            assert!(part.convolve(&filter).unwrap().to_vec().unwrap()[0] == 0);
            let kernel = kernels.compiled_for::<Correlation>()[0];
            (kernel.stencil.aligned, kernel.stencil.aligned_output)
        };
        assert_eq!(bytes(16, 0..16), (true, true));
        assert_eq!(bytes(18, 0..16), (false, true));
        assert_eq!(bytes(20, 1..17), (false, true));
        assert_eq!(bytes(16, 0..15), (true, false));
    }

    #[test]
    fn large_images_are_rejected() {
        let check = |channels, width, height| {
            let data = DataType::U8;
            let pixels = Pixels { data, channels };
            check_size(pixels, Rows::new(width, height)).map_err(|e| e.to_string())
        };
        let most = LARGEST / 3;
        assert_eq!(check(3, most, LARGEST), Ok(()));
        assert_eq!(check(1, LARGEST, 1), Ok(()));
        for (channels, width, height) in [
            (3, most + 1, 1),
            (3, usize::MAX, 1),
            (1, LARGEST + 1, 1),
            (1, 1, LARGEST + 1),
        ] {
            let error = check(channels, width, height).unwrap_err();
            assert!(error.contains("rows of more than"), "{error}");
        }
    }
}
