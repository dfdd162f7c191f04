//! Rounding to decimals.

use super::Expr;
use crate::{
    array::Array,
    element::{Float, Number},
};

impl<T: Float> Expr<T> {
    /// Rounds to this number of decimals, with ties to even, like NumPy's `around` and
    /// `round(decimals)`. A negative number rounds to tens, hundreds and so on.
    ///
    /// As in NumPy, this multiplies by a power of 10, rounds, and divides again. The division rounds
    /// too, and the product may be a tie only after rounding. Numbers whose product overflows have no
    /// such decimals and stay unchanged. Halves are computed as `f32`.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[1.25, 2.567, -15.0])?;
    /// assert_eq!(x.around(1).eval()?.to_vec()?, [1.2, 2.6, -15.0]);
    /// assert_eq!(x.around(-1).eval()?.to_vec()?, [0.0, 0.0, -20.0]);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn around(&self, decimals: i32) -> Self {
        if decimals == 0 {
            return self.round_ties_even();
        }
        let x: Expr<T::Wide> = self.converted();
        let power = Expr::<T::Wide>::number(10f64.powf(f64::from(decimals).abs()));
        let (scaled, rounded);
        if decimals > 0 {
            scaled = &x * &power;
            rounded = scaled.round_ties_even() / power;
        } else {
            scaled = &x / &power;
            let whole = scaled.round_ties_even();
            // The power may be infinite.
            rounded = whole.equal(T::Wide::ZERO).select(&whole, &whole * power);
        }
        scaled.is_finite().select(rounded, x).converted()
    }
}

impl<T: Float> Array<T> {
    /// Rounds to this number of decimals, with ties to even: see [`Expr::around`].
    #[must_use]
    pub fn around(&self, decimals: i32) -> Expr<T> {
        self.expr().around(decimals)
    }
}
