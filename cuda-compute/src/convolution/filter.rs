//! Filters and their factorization into two vectors.

use crate::error::{Error, Result};

/// The weights of a two-dimensional filter, row by row.
///
/// By default, a filter is applied as a **true convolution**, rotated by 180 degrees, as by
/// `scipy.signal.convolve2d`. Machine learning and OpenCV call the unrotated form a convolution: for
/// weights from there, pass [`Kind::Correlation`](crate::Kind::Correlation) to
/// [`ConvolutionOptions::kind`](crate::ConvolutionOptions::kind). For symmetric filters, both are
/// the same.
///
/// **Even sizes.** A filter with an even number of columns or rows has no middle. The center of `n`
/// weights is then the one at index `n / 2 - 1` of the filter as given. `scipy.signal` centers
/// filters in this way, but `scipy.ndimage` does not. Its results are shifted by one pixel along
/// each even axis (compared with SciPy 1.17.1 and NumPy 2.4.6, with zeros beyond the edges):
///
/// | kind | equal | differs |
/// | --- | --- | --- |
/// | convolution | `scipy.signal.convolve2d(mode="same")`, `numpy.convolve(mode="same")` | `scipy.ndimage.convolve`: one pixel to the left and up |
/// | correlation | `scipy.signal.correlate2d(mode="same")` | `scipy.ndimage.correlate`: one pixel to the right and down |
///
/// ```
/// use cuda_compute::{Array, ConvolutionOptions, Filter, Kind};
/// # use cuda_safe::{Context, Stream};
/// # fn main() -> cuda_compute::Result<()> {
/// # let stream = Stream::new(&Context::primary(0)?)?;
/// let image = Array::from_shape(&stream, [1, 7], &[0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])?;
/// let odd = Filter::new(3, 1, &[1.0, 2.0, 3.0])?;
/// let even = Filter::new(4, 1, &[1.0, 2.0, 3.0, 4.0])?;
/// let correlation = ConvolutionOptions::default().kind(Kind::Correlation);
///
/// assert_eq!(image.convolve(&odd)?.to_vec()?, [0.0, 0.0, 1.0, 2.0, 3.0, 0.0, 0.0]);
/// assert_eq!(
///     image.convolve_with(&odd, correlation)?.to_vec()?,
///     [0.0, 0.0, 3.0, 2.0, 1.0, 0.0, 0.0]
/// );
/// assert_eq!(image.convolve(&even)?.to_vec()?, [0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 0.0]);
/// assert_eq!(
///     image.convolve_with(&even, correlation)?.to_vec()?,
///     [0.0, 4.0, 3.0, 2.0, 1.0, 0.0, 0.0]
/// );
/// # Ok(())
/// # }
/// ```
///
/// If the weights are exactly the products of a column and a row (box, Gaussian, Sobel), the filter
/// is recognised as separable. It is then convolved in two one-dimensional passes if that is
/// faster.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    width: usize,
    height: usize,
    weights: Vec<f32>,
    factors: Option<Factors>,
}

/// weight(x, y) = column\[y\] · row\[x\]
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Factors {
    pub(crate) row: Vec<f32>,
    pub(crate) column: Vec<f32>,
}

impl Filter {
    /// Creates a filter of `width` x `height` weights, given row by row.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if there are no weights, or if their number is not
    /// `width * height`.
    pub fn new(width: usize, height: usize, weights: &[f32]) -> Result<Self> {
        if width == 0 || height == 0 || width.checked_mul(height) != Some(weights.len()) {
            return Err(Error::Shape(format!(
                "{} weights don't make a filter of {width} x {height}",
                weights.len()
            )));
        }
        Ok(Self {
            width,
            height,
            weights: weights.into(),
            factors: factors(width, weights),
        })
    }

    /// Creates the filter whose weights are the products of a row and a column.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if `row` or `column` is empty.
    pub fn separable(row: &[f32], column: &[f32]) -> Result<Self> {
        let weights: Vec<f32> = column
            .iter()
            .flat_map(|c| row.iter().map(move |r| c * r))
            .collect();
        let mut filter = Self::new(row.len(), column.len(), &weights)?;
        filter.factors = Some(Factors {
            row: row.into(),
            column: column.into(),
        });
        Ok(filter)
    }

    /// Returns the number of columns.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// Returns all weights, row by row.
    #[must_use]
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// Returns whether the filter is known to be the product of a column and a row.
    #[must_use]
    pub fn is_separable(&self) -> bool {
        self.factors.is_some()
    }

    pub(crate) fn factors(&self) -> Option<&Factors> {
        self.factors.as_ref()
    }

    /// Returns the filter rotated by 180 degrees. Correlating with it is the same as convolving
    /// with this one.
    pub(crate) fn turned(&self) -> Self {
        let reversed = |values: &[f32]| values.iter().rev().copied().collect();
        Self {
            width: self.width,
            height: self.height,
            weights: reversed(&self.weights),
            factors: self.factors.as_ref().map(|factors| Factors {
                row: reversed(&factors.row),
                column: reversed(&factors.column),
            }),
        }
    }
}

/// Returns the factors of a matrix of rank 1, if their products reproduce it bit for bit.
fn factors(width: usize, weights: &[f32]) -> Option<Factors> {
    let (pivot, largest) = weights
        .iter()
        .enumerate()
        .max_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs()))?;
    // Zeros, infinities and NaN give NaN quotients, whose products never match.
    let (pivot_row, pivot_column) = (pivot / width, pivot % width);
    let row = weights[pivot_row * width..][..width].to_vec();
    let column: Vec<f32> = weights
        .chunks_exact(width)
        .map(|line| line[pivot_column] / largest)
        .collect();
    let exact = weights
        .chunks_exact(width)
        .zip(&column)
        .all(|(line, c)| line.iter().zip(&row).all(|(w, r)| c * r == *w));
    exact.then_some(Factors { row, column })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_recognises_exact_products() {
        let sobel = [-1.0, 0.0, 1.0, -2.0, 0.0, 2.0, -1.0, 0.0, 1.0];
        let box_filter = [0.04; 25];
        assert!(Filter::new(3, 3, &sobel).unwrap().is_separable());
        assert!(Filter::new(5, 5, &box_filter).unwrap().is_separable());
        assert!(
            Filter::new(4, 1, &[1.0, 2.0, 3.0, 4.0])
                .unwrap()
                .is_separable()
        );
        let filter = Filter::new(3, 3, &sobel).unwrap();
        let factors = filter.factors().unwrap();
        assert_eq!(factors.row, [-2.0, 0.0, 2.0]);
        assert_eq!(factors.column, [0.5, 1.0, 0.5]);
    }

    #[test]
    fn new_rejects_inexact_products() {
        let sharpen = [0.0, -1.0, 0.0, -1.0, 5.0, -1.0, 0.0, -1.0, 0.0];
        let mut nearly = [0.25f32; 9];
        nearly[8] = f32::from_bits(nearly[8].to_bits() + 1);
        assert!(!Filter::new(3, 3, &sharpen).unwrap().is_separable());
        assert!(!Filter::new(3, 3, &nearly).unwrap().is_separable());
        assert!(!Filter::new(2, 2, &[0.0; 4]).unwrap().is_separable());
        assert!(!Filter::new(2, 1, &[f32::NAN, 1.0]).unwrap().is_separable());
        assert!(
            !Filter::new(2, 1, &[f32::INFINITY, 1.0])
                .unwrap()
                .is_separable()
        );
    }

    #[test]
    fn new_checks_shapes() {
        assert!(Filter::new(0, 3, &[]).is_err());
        assert!(Filter::new(2, 2, &[1.0; 3]).is_err());
        assert!(Filter::new(usize::MAX, 2, &[1.0; 3]).is_err());
        assert!(Filter::separable(&[], &[1.0]).is_err());
    }

    #[test]
    fn turned_reverses_both_axes() {
        let filter = Filter::new(3, 2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        assert_eq!(filter.turned().weights(), [6.0, 5.0, 4.0, 3.0, 2.0, 1.0]);
    }
}
