//! Discrete Fourier transforms with cuFFT, and the order of their frequencies.

mod frequency;
mod library;
mod plan;

use std::sync::Arc;

use num_complex::Complex;
pub(crate) use plan::Plans;
use plan::{Form, Kind, MAX_AXES};

use crate::{
    array::{Array, IntoIndices, Layout, Memory, Order, Shape, SliceItem},
    element::{ComplexNumber, DataType, Element, Float},
    error::{Error, Result},
    expression::{Expr, eval_dense},
    gather::Pad,
    order,
};

/// Real numbers with Fourier transforms: `f32` and `f64`.
///
/// Numbers of half precision have none. Convert them with [`cast`](Expr::cast) first.
pub trait Fourier: Float {
    /// The type of transformed numbers.
    type Complex: ComplexNumber<Real = Self>;
}

impl Fourier for f32 {
    type Complex = Complex<f32>;
}

impl Fourier for f64 {
    type Complex = Complex<f64>;
}

impl<C: ComplexNumber> Expr<C>
where
    C::Real: Fourier<Complex = C>,
{
    /// Computes the discrete Fourier transform along axes, like NumPy's `fft` (one axis), `fft2` and
    /// `fftn` (several).
    ///
    /// Element `k` of a transform of `n` elements is the sum of `x[j] * exp(-2πi * j * k / n)`, which
    /// is not divided by anything. Element 0 is the sum of the elements. The elements from `n / 2`
    /// rounded up belong to negative frequencies: see [`fftfreq`](Array::fftfreq). To transform
    /// fewer or more elements than there are, call [`slice`](Self::slice) or [`pad`](Self::pad)
    /// first, which is NumPy's argument `n`.
    ///
    /// **Layout.** The elements of a transform are contiguous in the result: its memory has the
    /// other axes first and then `axes`, each group in the given order. If the operand is an array
    /// in this order, it is read in place. Everything else is computed into memory first, by one
    /// kernel. Of more than three axes, cuFFT transforms three at a time.
    ///
    /// **The library.** cuFFT is opened at the first transform, as `libcufft.so.12` or
    /// `libcufft.so.11`. [`cuda_find`] lists the searched places. If the environment variable
    /// `CUDA_COMPUTE_LIBCUFFT` names a file, only that file is tried. The first transform of a form
    /// (lengths, number of transforms, types) creates a plan, which takes a while and waits for the
    /// device. Another transform of the same form only enqueues kernels and does not wait. A context
    /// keeps 16 plans. Results, and what cuFFT needs for intermediate results, are allocated in stream
    /// order, so transforms can't be captured into a graph.
    ///
    /// **Accuracy.** That of cuFFT: NVIDIA states a relative error that grows with the logarithm of
    /// the length. Its version, the device and the lengths determine the algorithm.
    ///
    /// ```no_run
    /// use cuda_compute::Array;
    /// use cuda_safe::{Context, Stream};
    /// use num_complex::Complex;
    ///
    /// # fn main() -> cuda_compute::Result<()> {
    /// let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[1.0f32, 0.0, -1.0, 0.0])?; // one cosine
    /// let y = x.cast::<Complex<f32>>().fft(0)?;
    /// let [zero, two] = [0.0, 2.0].map(|re| Complex::new(re, 0.0));
    /// assert_eq!(y.to_vec()?, [zero, two, zero, two]);
    /// assert_eq!(y.ifft(0)?.real().eval()?.to_vec()?, x.to_vec()?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Missing`] if cuFFT is not installed, and [`Error::Cufft`] if one of its calls
    /// fails. Returns [`Error::Shape`] if an axis does not exist, is named twice or has no elements,
    /// or if the expression can't be evaluated (see [`eval`](Self::eval)). Returns [`Error::Cuda`]
    /// if memory runs out or the stream is being captured.
    #[doc(alias = "fft2")]
    #[doc(alias = "fftn")]
    pub fn fft(&self, axes: impl IntoIndices) -> Result<Array<C>> {
        let axes = transformed_axes("fft", self.shape()?, axes)?;
        complex(self, &axes, false)
    }

    /// Computes the inverse of [`fft`](Self::fft) along axes, like NumPy's `ifft`, `ifft2` and
    /// `ifftn`.
    ///
    /// The exponent is positive, and the sums are divided by the number of elements of a transform.
    /// The division is part of the kernel that computes the operand into memory, so this kernel runs
    /// for arrays too.
    ///
    /// # Errors
    /// Returns an error in the cases that [`fft`](Self::fft) lists.
    #[doc(alias = "ifft2")]
    #[doc(alias = "ifftn")]
    pub fn ifft(&self, axes: impl IntoIndices) -> Result<Array<C>> {
        let axes = transformed_axes("ifft", self.shape()?, axes)?;
        complex(self, &axes, true)
    }

    /// Computes the inverse of [`rfft`](Expr::rfft) along axes, like NumPy's `irfft`, `irfft2` and
    /// `irfftn`. The result is real.
    ///
    /// The last of the `axes` has the nonnegative frequencies, and the result has `length` elements
    /// along it. NumPy's default is `2 * (m - 1)` for `m` frequencies, but the number of real
    /// elements may have been odd, in which case this default is wrong. Frequencies beyond
    /// `length / 2` are ignored, and missing ones are zero. The elements that
    /// are used must be the transform of real numbers. For others, the result is unspecified. For
    /// example, the imaginary parts of frequency 0, and of frequency `length / 2` for even lengths, must
    /// be 0. A cut to an even length can leave another number there.
    ///
    /// ```no_run
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[1.0f32, 2.0, 3.0])?;
    /// let y = x.rfft(0)?;
    /// assert_eq!(y.shape(), [2]);
    /// assert_eq!(y.irfft(0, 3)?.shape(), [3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error in the cases that [`fft`](Self::fft) lists, or if `length` is 0 or no axis is
    /// named.
    #[doc(alias = "irfft2")]
    #[doc(alias = "irfftn")]
    pub fn irfft(&self, axes: impl IntoIndices, length: usize) -> Result<Array<C::Real>> {
        let shape = self.shape()?;
        let axes = transformed_axes("irfft", shape, axes)?;
        let last = last_axis("irfft", &axes)?;
        if length == 0 {
            return Err(Error::Value(
                "irfft: the length is 0. Fix: pass the number of real elements, at least 1".into(),
            ));
        }
        let (first, of_plan) = axes.split_at(axes.len().saturating_sub(MAX_AXES));
        let earlier = match first {
            [] => None,
            _ => Some(complex(self, first, true)?.expr()),
        };
        let (known, needed) = (shape[last], length / 2 + 1);
        let source = earlier.as_ref().unwrap_or(self);
        let frequencies = if known < needed {
            let mut widths = vec![(0, 0); shape.rank()];
            widths[last].1 = needed - known;
            source.pad(widths, Pad::Constant(C::ZERO))?.expr()
        } else {
            source.slice(SliceItem::along(last, ..needed))?
        };
        let order = Moved::new(shape.rank(), of_plan);
        let mut lengths: Vec<usize> = of_plan.iter().map(|&axis| shape[axis]).collect();
        lengths[of_plan.len() - 1] = length;
        // cuFFT overwrites this copy.
        let input = scaled(&frequencies.permute(order.to_end.clone())?, &lengths)?;
        let mut result = input.shape().as_slice().to_vec();
        result[shape.rank() - 1] = length;
        let output = unset(&input, Shape::new(&result)?)?;
        transform(Kind::ComplexToReal, lengths, true, &input, &output)?;
        output.permute(order.back)
    }
}

impl<T: Fourier> Expr<T> {
    /// Computes the discrete Fourier transform of real numbers along axes, like NumPy's `rfft`,
    /// `rfft2` and `rfftn`.
    ///
    /// The result has only the `n / 2 + 1` nonnegative frequencies along the last of the `axes`. The
    /// others are their complex conjugates. [`fft`](Expr::fft) describes the layout of the result
    /// and the use of cuFFT.
    ///
    /// ```no_run
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # use num_complex::Complex;
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[1.0f32, 0.0, -1.0, 0.0])?;
    /// let [zero, two] = [0.0, 2.0].map(|re| Complex::new(re, 0.0));
    /// assert_eq!(x.rfft(0)?.to_vec()?, [zero, two, zero]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error in the cases that [`fft`](Expr::fft) lists, or if no axis is named.
    #[doc(alias = "rfft2")]
    #[doc(alias = "rfftn")]
    pub fn rfft(&self, axes: impl IntoIndices) -> Result<Array<T::Complex>> {
        let shape = self.shape()?;
        let axes = transformed_axes("rfft", shape, axes)?;
        last_axis("rfft", &axes)?;
        let (later, of_plan) = axes.split_at(axes.len().saturating_sub(MAX_AXES));
        let order = Moved::new(shape.rank(), of_plan);
        let input = readable(&self.permute(order.to_end.clone())?)?;
        let lengths: Vec<usize> = of_plan.iter().map(|&axis| shape[axis]).collect();
        let mut result = input.shape().as_slice().to_vec();
        result[shape.rank() - 1] = lengths[of_plan.len() - 1] / 2 + 1;
        let output = unset(&input, Shape::new(&result)?)?;
        transform(Kind::RealToComplex, lengths, false, &input, &output)?;
        let output = output.permute(order.back)?;
        match later {
            [] => Ok(output),
            _ => complex(&output.expr(), later, false),
        }
    }
}

impl<C: ComplexNumber> Array<C>
where
    C::Real: Fourier<Complex = C>,
{
    /// Computes the discrete Fourier transform along axes: see [`Expr::fft`].
    ///
    /// # Errors
    /// Returns an error in the cases that [`Expr::fft`] lists.
    pub fn fft(&self, axes: impl IntoIndices) -> Result<Self> {
        self.expr().fft(axes)
    }

    /// Computes the inverse discrete Fourier transform along axes: see [`Expr::ifft`].
    ///
    /// # Errors
    /// Returns an error in the cases that [`Expr::fft`] lists.
    pub fn ifft(&self, axes: impl IntoIndices) -> Result<Self> {
        self.expr().ifft(axes)
    }

    /// Computes the inverse discrete Fourier transform along axes, with a real result: see
    /// [`Expr::irfft`].
    ///
    /// # Errors
    /// Returns an error in the cases that [`Expr::irfft`] lists.
    pub fn irfft(&self, axes: impl IntoIndices, length: usize) -> Result<Array<C::Real>> {
        self.expr().irfft(axes, length)
    }
}

impl<T: Fourier> Array<T> {
    /// Computes the discrete Fourier transform of real numbers along axes: see [`Expr::rfft`].
    ///
    /// # Errors
    /// Returns an error in the cases that [`Expr::rfft`] lists.
    pub fn rfft(&self, axes: impl IntoIndices) -> Result<Array<T::Complex>> {
        self.expr().rfft(axes)
    }
}

/// Returns the numbers of the axes, each of which has elements.
fn transformed_axes(name: &str, shape: Shape, axes: impl IntoIndices) -> Result<Vec<usize>> {
    let axes = shape.axes(axes)?;
    match axes.iter().find(|&&axis| shape[axis] == 0) {
        None => Ok(axes),
        Some(axis) => Err(Error::Shape(format!(
            "{name}: axis {axis} of shape {shape} has no elements to transform"
        ))),
    }
}

fn last_axis(name: &str, axes: &[usize]) -> Result<usize> {
    axes.last().copied().ok_or_else(|| {
        Error::Shape(format!(
            "{name}: there is no axis whose frequencies are nonnegative. Fix: name at least one"
        ))
    })
}

/// An order of axes with some axes at the end, and its inverse.
struct Moved {
    to_end: Vec<usize>,
    back: Vec<usize>,
}

impl Moved {
    fn new(rank: usize, last: &[usize]) -> Self {
        let others = (0..rank).filter(|axis| !last.contains(axis));
        let to_end: Vec<usize> = others.chain(last.iter().copied()).collect();
        let mut back = vec![0; rank];
        for (place, &axis) in to_end.iter().enumerate() {
            back[axis] = place;
        }
        Self { to_end, back }
    }
}

/// Transforms complex numbers along valid axes.
fn complex<C: ComplexNumber>(values: &Expr<C>, axes: &[usize], inverse: bool) -> Result<Array<C>> {
    if axes.is_empty() {
        return eval_dense(values, Order::C);
    }
    let shape = values.shape()?;
    let (later, of_plan) = axes.split_at(axes.len().saturating_sub(MAX_AXES));
    let order = Moved::new(shape.rank(), of_plan);
    let moved = values.permute(order.to_end)?;
    let lengths: Vec<usize> = of_plan.iter().map(|&axis| shape[axis]).collect();
    let (input, output) = if inverse {
        let copy = scaled(&moved, &lengths)?;
        (copy.clone(), copy)
    } else {
        let input = readable(&moved)?;
        let output = unset(&input, input.shape())?;
        (input, output)
    };
    transform(Kind::Complex, lengths, inverse, &input, &output)?;
    let output = output.permute(order.back)?;
    match later {
        [] => Ok(output),
        _ => complex(&output.expr(), later, inverse),
    }
}

/// Computes values, divided by the number of elements of a transform, into new memory in C order.
fn scaled<C: ComplexNumber>(values: &Expr<C>, lengths: &[usize]) -> Result<Array<C>> {
    let elements: f64 = lengths.iter().map(|&length| length as f64).product();
    let factor = Expr::scalar(elements.recip()).converted::<C>();
    eval_dense(&(values * factor), Order::C)
}

/// Returns an array in C order that cuFFT can read: that of the expression, or a new one.
fn readable<T: Element>(values: &Expr<T>) -> Result<Array<T>> {
    /// The size of the largest complex number.
    const ALIGNMENT: u64 = 16;
    let array = values.stored()?;
    if array.is_contiguous(Order::C) && array.as_device_ptr().is_multiple_of(ALIGNMENT) {
        return Ok(array);
    }
    eval_dense(&array.expr(), Order::C)
}

/// Returns a new array whose elements have not been written, on the stream of another.
fn unset<T: Element, R: Element>(like: &Array<T>, shape: Shape) -> Result<Array<R>> {
    let elements = shape.elements();
    let memory = Memory::new(like.memory.kernels(), like.stream(), elements, R::DATA_TYPE)?;
    Ok(Array::of(Arc::new(memory), Layout::dense(shape, Order::C)))
}

/// Transforms the last axes of contiguous arrays. `lengths` are the numbers of elements along them,
/// on the real side if there is one.
fn transform<T: Element, R: Element>(
    kind: Kind,
    lengths: Vec<usize>,
    inverse: bool,
    input: &Array<T>,
    output: &Array<R>,
) -> Result<()> {
    let others = input.rank() - lengths.len();
    let batch = input.shape().as_slice()[..others].iter().product();
    if batch == 0 {
        return Ok(());
    }
    let form = Form {
        kind,
        wide: matches!(T::DATA_TYPE, DataType::F64 | DataType::Complex64),
        lengths,
        batch,
    };
    let stream = output.stream();
    let plan = output
        .memory
        .kernels()
        .transforms()
        .get::<Plans>()
        .of(stream, form)?;
    let owners = [Some(input.memory.owner()), Some(output.memory.owner())];
    let addresses = [input.as_device_ptr(), output.as_device_ptr()];
    order::ordered(stream, owners, || {
        // SAFETY: both arrays are contiguous, have the form's elements, and are ordered with the
        // stream. A complex input of a real result is a copy that nothing else uses.
        unsafe { plan.run(stream, addresses, inverse) }
    })
}

#[cfg(test)]
mod tests;
