//! The frequencies of a transform's elements, and their order.

use cuda_safe::Stream;

use super::Fourier;
use crate::{
    array::{Array, IntoIndices},
    element::Element,
    error::{Error, Result},
    expression::Expr,
};

impl<T: Fourier> Array<T> {
    /// Creates an array of the frequencies that the elements of [`fft`](Expr::fft) of `count`
    /// elements belong to, like NumPy's `fftfreq`. The elements are `spacing` apart, and frequencies
    /// are in cycles per unit of `spacing`.
    ///
    /// The first is 0. Positive frequencies follow, then negative ones, all in increasing order.
    /// They are computed as `f64` and rounded once.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let frequencies = Array::<f32>::fftfreq(&stream, 4, 0.5)?;
    /// assert_eq!(frequencies.to_vec()?, [0.0, 0.5, -1.0, -0.5]);
    /// assert_eq!(frequencies.fftshift(0)?.to_vec()?, [-1.0, -0.5, 0.0, 0.5]);
    /// assert_eq!(Array::<f32>::rfftfreq(&stream, 4, 0.5)?.to_vec()?, [0.0, 0.5, 1.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Value`] if `spacing` is 0 or NaN. Returns [`Error::Shape`] if `count`
    /// exceeds `isize::MAX`, and [`Error::Cuda`] if memory runs out.
    pub fn fftfreq(stream: &Stream, count: usize, spacing: f64) -> Result<Self> {
        let place = Expr::index(count, 0)?.converted::<i64>();
        let negative = place.greater_equal(count.div_ceil(2) as i64);
        let frequency = negative.select(&place - count as i64, &place);
        frequencies(stream, "fftfreq", &frequency, count, spacing)
    }

    /// Creates an array of the frequencies that the elements of [`rfft`](Expr::rfft) of `count`
    /// elements belong to, like NumPy's `rfftfreq`: see [`fftfreq`](Self::fftfreq). It has
    /// `count / 2 + 1` elements.
    ///
    /// # Errors
    /// Returns [`Error::Value`] if `count` is 0, and an error in the cases that
    /// [`fftfreq`](Self::fftfreq) lists.
    pub fn rfftfreq(stream: &Stream, count: usize, spacing: f64) -> Result<Self> {
        if count == 0 {
            return Err(Error::Value(
                "rfftfreq: there are no elements. Fix: pass the number of real elements".into(),
            ));
        }
        let frequency = Expr::index(count / 2 + 1, 0)?.converted::<i64>();
        frequencies(stream, "rfftfreq", &frequency, count, spacing)
    }
}

fn frequencies<T: Element>(
    stream: &Stream,
    name: &str,
    cycles: &Expr<i64>,
    count: usize,
    spacing: f64,
) -> Result<Array<T>> {
    if spacing == 0.0 || spacing.is_nan() {
        return Err(Error::Value(format!(
            "{name}: the spacing is {spacing}. Fix: pass the distance between two elements"
        )));
    }
    (cycles.converted::<f64>() / (count as f64 * spacing))
        .converted::<T>()
        .eval_on(stream)
}

impl<T: Element> Array<T> {
    /// Moves the element of frequency 0 to the middle of these axes, like NumPy's `fftshift`: in a
    /// new array with the negative frequencies first. Along an axis of `n` elements, it moves to
    /// place `n / 2`.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[0, 1, 2, -2, -1])?;
    /// let shifted = x.fftshift(0)?;
    /// assert_eq!(shifted.to_vec()?, [-2, -1, 0, 1, 2]);
    /// assert_eq!(shifted.ifftshift(0)?.to_vec()?, x.to_vec()?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if an axis does not exist or is named twice, or if memory runs out.
    pub fn fftshift(&self, axes: impl IntoIndices) -> Result<Self> {
        self.shifted(axes, |length| (length / 2) as isize)
    }

    /// Moves elements back from where [`fftshift`](Self::fftshift) moved them, in a new array, like
    /// NumPy's `ifftshift`.
    ///
    /// # Errors
    /// Returns an error if an axis does not exist or is named twice, or if memory runs out.
    pub fn ifftshift(&self, axes: impl IntoIndices) -> Result<Self> {
        self.shifted(axes, |length| -((length / 2) as isize))
    }

    fn shifted(&self, axes: impl IntoIndices, shift: impl Fn(usize) -> isize) -> Result<Self> {
        let axes = self.shape().axes(axes)?;
        let shifts: Vec<isize> = axes.iter().map(|&axis| shift(self.shape()[axis])).collect();
        self.roll(shifts, axes)
    }
}
