//! The places of quantiles between sorted elements.

/// The method that computes a quantile that lies between two elements.
///
/// The names and results are those of NumPy's `quantile`. Methods 1 to 9 are those of Hyndman and
/// Fan, "Sample quantiles in statistical packages", 1996.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum QuantileMethod {
    /// The smallest element whose cumulative frequency is at least the fraction (method 1).
    InvertedCdf,
    /// As [`InvertedCdf`](Self::InvertedCdf), with the mean where two elements fit (method 2).
    AveragedInvertedCdf,
    /// The element with the nearest cumulative frequency (method 3).
    ClosestObservation,
    /// Linear interpolation of the cumulative frequencies (method 4).
    InterpolatedInvertedCdf,
    /// Linear interpolation with cumulative frequencies at the middle of steps (method 5).
    Hazen,
    /// Linear interpolation by the expected fractions of uniformly distributed elements (method 6).
    Weibull,
    /// Linear interpolation between the first and the last element (method 7).
    #[default]
    Linear,
    /// Approximately median-unbiased for every distribution (method 8).
    MedianUnbiased,
    /// Approximately unbiased for normally distributed elements (method 9).
    NormalUnbiased,
    /// The lower of the two elements of [`Linear`](Self::Linear).
    Lower,
    /// The higher of the two elements of [`Linear`](Self::Linear).
    Higher,
    /// The mean of the two elements of [`Linear`](Self::Linear).
    Midpoint,
    /// The nearer of the two elements of [`Linear`](Self::Linear), or the one with an even index.
    Nearest,
}

/// A quantile between two sorted elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Position {
    pub(super) lower: usize,
    pub(super) upper: usize,
    /// The weight of the upper element.
    pub(super) weight: f64,
}

impl QuantileMethod {
    /// Returns the position of a fraction from 0 to 1 among `length` elements.
    pub(super) fn position(self, fraction: f64, length: usize) -> Position {
        let last = (length - 1) as f64;
        // The place that distributions with these parameters give to the fraction.
        let between = |alpha: f64, beta: f64| {
            length as f64 * fraction + (alpha + fraction * (1.0 - alpha - beta)) - 1.0
        };
        // A place of one element, or of the element after it.
        let either = |place: f64, is_lower: fn(f64, f64) -> bool| {
            let floor = place.floor();
            let up = if is_lower(place - floor, floor) {
                0.0
            } else {
                1.0
            };
            (floor + up).max(0.0)
        };
        let linear = last * fraction;
        let place = match self {
            Self::InvertedCdf => either(between(0.0, 1.0), |rest, _| rest == 0.0),
            Self::ClosestObservation => either(between(0.0, 1.0) - 0.5, |rest, floor| {
                rest == 0.0 && floor % 2.0 == 1.0
            }),
            Self::AveragedInvertedCdf | Self::InterpolatedInvertedCdf => between(0.0, 1.0),
            Self::Hazen => between(0.5, 0.5),
            Self::Weibull => between(0.0, 0.0),
            Self::Linear => linear,
            Self::MedianUnbiased => between(1.0 / 3.0, 1.0 / 3.0),
            Self::NormalUnbiased => between(3.0 / 8.0, 3.0 / 8.0),
            Self::Lower => linear.floor(),
            Self::Higher => linear.ceil(),
            Self::Midpoint => f64::midpoint(linear.floor(), linear.ceil()),
            Self::Nearest => linear.round_ties_even(),
        };
        if place < 0.0 || place >= last {
            let end = if place < 0.0 { 0 } else { length - 1 };
            return Position {
                lower: end,
                upper: end,
                weight: 0.0,
            };
        }
        let lower = place.floor();
        let weight = match (self, place - lower) {
            (Self::AveragedInvertedCdf, 0.0) => 0.5,
            (Self::AveragedInvertedCdf, _) => 1.0,
            (_, rest) => rest,
        };
        // An element that has no weight may be infinite.
        let lower = lower as usize;
        Position {
            lower: lower + usize::from(weight == 1.0),
            upper: lower + usize::from(weight > 0.0),
            weight,
        }
    }
}
