//! Sorts by several keys.

use crate::{
    array::Array,
    element::{DataType, Element},
    error::{Error, Result},
    expression::{Expr, IntoExpr, function::TO_BITS, node::Node, operation::Operation},
    sort::SortKey,
};

/// The keys of a [`lexsort`]: an array, an expression, a reference to either, or a tuple of two to
/// four of these, of any types.
///
/// This trait is sealed, because the sort calls its hidden method.
pub trait LexsortKeys: sealed::LexsortKeys {}

mod sealed {
    use super::Places;
    use crate::error::Result;

    pub trait LexsortKeys {
        /// Sorts places stably by these keys.
        fn sort(self, places: &mut Places) -> Result<()>;
    }
}

/// Returns the places that sort by several keys, as NumPy's `lexsort` does. The last key is the
/// primary one, and each other key orders the elements that are equal in all keys after it.
///
/// The keys have the same number of elements, which are taken in C order, and can have different
/// types. The result has one axis. The sort is stable, and NaN comes last in each key. See
/// [`sort`](Expr::sort) for the order.
///
/// The call sorts once for each key, from the first to the last. Two keys of 32 bits in a row, such as
/// `f32` and `u32`, are sorted as one key of 64 bits. Each sort after the first needs memory for three
/// keys and three places per element until it has finished. The call does not wait for the stream.
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
    let mut places = Places::default();
    keys.sort(&mut places)?;
    places.finish()
}

/// The places of the elements, sorted by the keys so far.
#[derive(Debug, Default)]
pub struct Places {
    sorted: Option<Array<usize>>,
    /// The codes of the last key, by which the places are not sorted yet.
    code: Option<Expr<u32>>,
    /// The number of elements of each key.
    elements: Option<usize>,
}

impl Places {
    /// Sorts stably by a key, now or together with the next one.
    fn add<K: SortKey>(&mut self, key: &Expr<K>) -> Result<()> {
        let shape = key.shape()?;
        let before = *self.elements.get_or_insert(shape.elements());
        if shape.elements() != before {
            return Err(Error::Shape(format!(
                "lexsort: a key of shape {shape} has {} elements, but the keys before it have {before}. Fix: pass keys with \
                 as many elements",
                shape.elements()
            )));
        }
        let key = key.flatten()?;
        match (self.code.take(), code(&key)) {
            (None, Some(code)) => self.code = Some(code),
            (Some(minor), Some(major)) => {
                self.sort(&(major.cast::<u64>() << 32u64 | minor.cast::<u64>()))?;
            }
            (None, None) => self.sort(&key)?,
            (Some(minor), None) => {
                self.sort(&minor)?;
                self.sort(&key)?;
            }
        }
        Ok(())
    }

    fn sort<K: SortKey>(&mut self, key: &Expr<K>) -> Result<()> {
        self.sorted = Some(match &self.sorted {
            None => key.argsort()?,
            Some(places) => key.take_now(places, 0)?.sort_by_key(places)?.1,
        });
        Ok(())
    }

    fn finish(mut self) -> Result<Array<usize>> {
        if let Some(code) = self.code.take() {
            self.sort(&code)?;
        }
        let sorted = self.sorted;
        sorted.ok_or_else(|| Error::Shape("internal error: a sort without keys".into()))
    }
}

/// Returns the places of 32-bit keys in their order, as unsigned integers. All NaNs have the highest
/// one.
fn code<K: SortKey>(key: &Expr<K>) -> Option<Expr<u32>> {
    const SIGN: u32 = 1 << 31;
    match K::DATA_TYPE {
        DataType::U32 => Some(Expr::of(key.node.clone())),
        DataType::I32 => Some(Expr::<i32>::of(key.node.clone()).cast::<u32>() ^ SIGN),
        DataType::F32 => {
            // Negative zero becomes zero, to which it is equal.
            let number = Expr::<f32>::of(key.node.clone()) + 0.0;
            let bits = Node::apply(
                Operation::Call(&TO_BITS),
                u32::DATA_TYPE,
                [number.node.clone()],
            );
            let bits = Expr::<u32>::of(bits);
            let flipped = bits.greater_equal(SIGN).select(u32::MAX, SIGN);
            Some(number.is_nan().select(u32::MAX, bits ^ flipped))
        }
        _ => None,
    }
}

macro_rules! single {
    ($($type:ty),*) => {$(
        impl<K: SortKey> LexsortKeys for $type {}
        impl<K: SortKey> sealed::LexsortKeys for $type {
            fn sort(self, places: &mut Places) -> Result<()> {
                places.add(&self.into_expr())
            }
        }
    )*};
}

single!(Array<K>, &Array<K>, Expr<K>, &Expr<K>);

macro_rules! tuple {
    ($($key:ident: $type:ident),*) => {
        impl<$($type: LexsortKeys),*> LexsortKeys for ($($type,)*) {}
        impl<$($type: LexsortKeys),*> sealed::LexsortKeys for ($($type,)*) {
            fn sort(self, places: &mut Places) -> Result<()> {
                let ($($key,)*) = self;
                $($key.sort(places)?;)*
                Ok(())
            }
        }
    };
}

tuple!(a: A, b: B);
tuple!(a: A, b: B, c: C);
tuple!(a: A, b: B, c: C, d: D);
