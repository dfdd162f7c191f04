//! Sorts by several keys.

use crate::{
    array::Array,
    error::{Error, Result},
    expression::{Expr, IntoExpr},
    sort::SortKey,
};

/// The keys of a [`lexsort`]: an array, an expression, a reference to either, or a tuple of two to
/// four of these, of any types.
///
/// This trait is sealed, because the sort calls its hidden method.
pub trait LexsortKeys: sealed::LexsortKeys {}

mod sealed {
    use crate::{array::Array, error::Result};

    pub trait LexsortKeys {
        /// Sorts places stably by these keys, or creates them.
        fn sort(self, places: Option<Array<usize>>) -> Result<Option<Array<usize>>>;
    }
}

/// Returns the places that sort by several keys, as NumPy's `lexsort` does. The last key is the
/// primary one, and each other key orders the elements that are equal in all keys after it.
///
/// The keys have the same number of elements, which are taken in C order, and can have different
/// types. The result has one axis. The sort is stable, and NaN comes last in each key. See
/// [`sort`](Expr::sort) for the order.
///
/// The call sorts once for each key, from the first to the last. Each sort after the first needs memory
/// for three keys and three places per element until it has finished. The call does not wait for the
/// stream.
///
/// ```
/// use cuda_compute::{Array, lexsort};
/// # use cuda_safe::{Context, Stream};
/// # fn main() -> cuda_compute::Result<()> {
/// # let stream = Stream::new(&Context::primary(0)?)?;
/// let score = Array::from_slice(&stream, &[0.5f32, 0.25, 0.25, 1.0])?;
/// let group = Array::from_slice(&stream, &[2u8, 1, 2, 1])?;
/// assert_eq!(lexsort((&score, &group))?.to_vec()?, [1, 3, 2, 0]);
/// // In descending order of the scores:
/// assert_eq!(lexsort((-&score, &group))?.to_vec()?, [3, 1, 0, 2]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Returns an error if the keys have different numbers of elements, or in the cases that
/// [`sort`](Expr::sort) lists.
pub fn lexsort(keys: impl LexsortKeys) -> Result<Array<usize>> {
    let places = keys.sort(None)?;
    places.ok_or_else(|| Error::Shape("internal error: a sort without keys".into()))
}

/// Sorts places stably by one key.
fn sort_by<K: SortKey>(key: &Expr<K>, places: Option<Array<usize>>) -> Result<Array<usize>> {
    let Some(places) = places else {
        return key.argsort();
    };
    let shape = key.shape()?;
    if shape.elements() != places.len() {
        return Err(Error::Shape(format!(
            "lexsort: a key of shape {shape} has {} elements, but the keys before it have {}. Fix: pass keys with as \
             many elements",
            shape.elements(),
            places.len()
        )));
    }
    let key = key.flatten()?.take_clamped(&places, 0)?;
    Ok(key.sort_by_key(&places)?.1)
}

macro_rules! single {
    ($($type:ty),*) => {$(
        impl<K: SortKey> LexsortKeys for $type {}
        impl<K: SortKey> sealed::LexsortKeys for $type {
            fn sort(self, places: Option<Array<usize>>) -> Result<Option<Array<usize>>> {
                sort_by(&self.into_expr(), places).map(Some)
            }
        }
    )*};
}

single!(Array<K>, &Array<K>, Expr<K>, &Expr<K>);

macro_rules! tuple {
    ($($key:ident: $type:ident),*) => {
        impl<$($type: LexsortKeys),*> LexsortKeys for ($($type,)*) {}
        impl<$($type: LexsortKeys),*> sealed::LexsortKeys for ($($type,)*) {
            fn sort(self, places: Option<Array<usize>>) -> Result<Option<Array<usize>>> {
                let ($($key,)*) = self;
                $(let places = $key.sort(places)?;)*
                Ok(places)
            }
        }
    };
}

tuple!(a: A, b: B);
tuple!(a: A, b: B, c: C);
tuple!(a: A, b: B, c: C, d: D);
