//! Combinations of two elements, for scans and reductions.

use std::marker::PhantomData;

use super::Combine;
use crate::{
    closure::Fold,
    element::{Element, Number, Ordered, Words},
    expression::{
        own::{Identity, OwnFunction},
        reduction::Nan,
        scan::operation::Associative,
    },
};

/// An associative combination of two elements, for [`scan`](crate::Expr::scan) and
/// [`reduce`](crate::Expr::reduce): sum, product, maximum, minimum, a [`Fold`], or a user-defined
/// function with its identity.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Combination<T> {
    pub(crate) kind: Associative,
    element: PhantomData<fn(T) -> T>,
}

impl<T: Element> Combination<T> {
    const fn of(kind: Associative) -> Self {
        Self {
            kind,
            element: PhantomData,
        }
    }

    /// Creates a combination from a function of two elements and its identity. The function is a
    /// closure of [`device_fn!`](crate::device_fn) or a [`CudaFn`](crate::CudaFn).
    ///
    /// The function must be associative, and commutative for reductions. Combining a value with the
    /// identity must not change the value. Otherwise, results depend on how elements are
    /// distributed to threads.
    ///
    /// ```
    /// use cuda_compute::{Array, Combination, device_fn};
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[3u32, 4, 5])?;
    /// let either = device_fn!(|a: u32, b: u32| a | b);
    /// let bits = Combination::new(&either, 0);
    /// assert_eq!(x.reduce(&bits).eval()?.item()?, 7);
    /// assert_eq!(x.scan(&bits, 0)?.to_vec()?, [3, 7, 7]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(function: &impl Combine<T>, identity: T) -> Self {
        Self::of(Associative::Own {
            function: function.own(),
            identity: Identity::Value(Words::of(identity)),
        })
    }
}

impl<T: Number> Combination<T> {
    /// Returns the combination that adds. Integers wrap around.
    #[must_use]
    pub const fn sum() -> Self {
        Self::of(Associative::Sum)
    }

    /// Returns the combination that multiplies. Integers wrap around.
    #[must_use]
    pub const fn product() -> Self {
        Self::of(Associative::Product)
    }
}

impl<T: Ordered> Combination<T> {
    /// Returns the combination that takes the maximum. If one of two values is NaN, the result is
    /// the other one.
    #[must_use]
    pub const fn max() -> Self {
        Self::of(Associative::Maximum(Nan::Ignored))
    }

    /// Returns the combination that takes the minimum. If one of two values is NaN, the result is
    /// the other one.
    #[must_use]
    pub const fn min() -> Self {
        Self::of(Associative::Minimum(Nan::Ignored))
    }

    /// Returns the combination that takes the maximum, or NaN if one of the values is NaN, as
    /// NumPy's `maximum` does.
    #[must_use]
    pub const fn max_or_nan() -> Self {
        Self::of(Associative::Maximum(Nan::Propagated))
    }

    /// Returns the combination that takes the minimum, or NaN if one of the values is NaN, as
    /// NumPy's `minimum` does.
    #[must_use]
    pub const fn min_or_nan() -> Self {
        Self::of(Associative::Minimum(Nan::Propagated))
    }
}

impl<T: Element> From<&Fold<T>> for Combination<T> {
    fn from(fold: &Fold<T>) -> Self {
        Self::of(Associative::Own {
            function: OwnFunction::Closure(fold.combine().source()),
            identity: Identity::Text(fold.identity_source()),
        })
    }
}

impl<T: Element> From<Fold<T>> for Combination<T> {
    fn from(fold: Fold<T>) -> Self {
        Self::from(&fold)
    }
}

impl<T: Element> From<&Self> for Combination<T> {
    fn from(combination: &Self) -> Self {
        combination.clone()
    }
}
