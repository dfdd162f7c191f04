//! Reductions that ignore NaN. Minima and maxima that ignore it are in `expression/reduce.rs`.

use crate::{
    array::{Array, IntoIndices},
    element::{Float, Number},
    expression::Expr,
};

/// Returns the sum along some axes, or of all elements if `axes` is `None`.
#[track_caller]
pub(super) fn sum<T: Float>(x: &Expr<T>, axes: Option<&[isize]>) -> Expr<T> {
    match axes {
        Some(axes) => x.sum_axis(axes),
        None => x.sum(),
    }
}

/// Numbers, the mean of those that are not NaN, and how many these are.
struct Moments<T: Float> {
    x: Expr<T::Wide>,
    valid: Expr<bool>,
    count: Expr<usize>,
    mean: Expr<T::Wide>,
}

impl<T: Float> Moments<T> {
    #[track_caller]
    fn new(x: &Expr<T>, axes: Option<&[isize]>) -> Self {
        let valid = !x.is_nan();
        let x: Expr<T::Wide> = x.converted();
        let count = match axes {
            Some(axes) => valid.count_axis(axes),
            None => valid.count(),
        };
        let total = sum(&valid.select(&x, T::Wide::ZERO), axes);
        let mean = total / count.converted();
        Self {
            x,
            valid,
            count,
            mean,
        }
    }

    #[track_caller]
    fn variance(self, axes: Option<&[isize]>, ddof: u32) -> Expr<T::Wide> {
        let apart = self.x - self.mean.keep_axes();
        let squares = self.valid.select(&apart * &apart, T::Wide::ZERO);
        let divisor = self.count.converted::<i64>() - i64::from(ddof);
        let variance = sum(&squares, axes) / divisor.converted::<T::Wide>();
        divisor
            .greater(0)
            .select(variance, Expr::<T::Wide>::number(f64::NAN))
    }
}

/// Defines each reduction of all elements, and along axes, for expressions and for arrays.
macro_rules! reductions {
    ($(
        $(#[$doc:meta])*
        $name:ident $axis_name:ident $(($argument:ident: $type:ty))? = |$x:ident, $axes:ident| $value:expr;
    )*) => {
        impl<T: Float> Expr<T> {$(
            $(#[$doc])*
            #[must_use]
            #[track_caller]
            pub fn $name(&self $(, $argument: $type)?) -> Self {
                let ($x, $axes): (_, Option<&[isize]>) = (self, None);
                $value
            }

            $(#[$doc])*
            ///
            /// Reduces along one or several axes, which are removed. To keep them, see
            /// [`keep_axes`](Self::keep_axes).
            #[must_use]
            #[track_caller]
            pub fn $axis_name(&self, axes: impl IntoIndices $(, $argument: $type)?) -> Self {
                let axes = axes.into_indices();
                let ($x, $axes) = (self, Some(&axes[..]));
                $value
            }
        )*}

        impl<T: Float> Array<T> {$(
            $(#[$doc])*
            ///
            /// See the method of the same name of [`Expr`].
            #[must_use]
            #[track_caller]
            pub fn $name(&self $(, $argument: $type)?) -> Expr<T> {
                self.expr().$name($($argument)?)
            }

            $(#[$doc])*
            ///
            /// See the method of the same name of [`Expr`].
            #[must_use]
            #[track_caller]
            pub fn $axis_name(&self, axes: impl IntoIndices $(, $argument: $type)?) -> Expr<T> {
                self.expr().$axis_name(axes $(, $argument)?)
            }
        )*}
    };
}

reductions! {
    /// Returns the sum of the elements that are not NaN, like NumPy's `nansum`. It is 0 if all
    /// elements are NaN.
    nansum nansum_axis = |x, axes| sum(&x.is_nan().select(T::ZERO, x), axes);

    /// Returns the product of the elements that are not NaN, like NumPy's `nanprod`. It is 1 if all
    /// elements are NaN.
    nanprod nanprod_axis = |x, axes| {
        let numbers = x.is_nan().select(T::ONE, x);
        match axes {
            Some(axes) => numbers.product_axis(axes),
            None => numbers.product(),
        }
    };

    /// Returns the mean of the elements that are not NaN, like NumPy's `nanmean`. It is NaN if all
    /// elements are NaN. One pass computes it. Halves are computed as `f32`.
    nanmean nanmean_axis = |x, axes| Moments::new(x, axes).mean.converted();

    /// Returns the variance of the elements that are not NaN, like NumPy's `nanvar`: the sum of
    /// squared distances from their mean, divided by their number minus `ddof`.
    ///
    /// It is NaN if `ddof` is at least their number, or if one of them is infinite. Two passes
    /// compute it: one for the mean, and one for the distances. Halves are computed as `f32`.
    nanvar nanvar_axis(ddof: u32) = |x, axes| Moments::new(x, axes).variance(axes, ddof).converted();

    /// Returns the standard deviation of the elements that are not NaN, like NumPy's `nanstd`: the
    /// square root of [`nanvar`](Self::nanvar).
    nanstd nanstd_axis(ddof: u32) = |x, axes| Moments::new(x, axes).variance(axes, ddof).sqrt().converted();
}
