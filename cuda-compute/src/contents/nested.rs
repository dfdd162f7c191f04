//! Arrays from nested arrays and vectors of the host.

use cuda_safe::Stream;

use crate::{
    array::{Array, Shape},
    element::Element,
    error::{Error, Result},
};

/// Nested arrays, slices or vectors of elements: `[[1.0, 2.0], [3.0, 4.0]]` or a `Vec<Vec<f32>>`,
/// for [`Array::from_nested`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither an element nor a nested array, slice or vector of elements"
)]
pub trait Nested {
    /// The type of the elements.
    type Element: Element;

    /// Appends the elements to `elements`, in C order. `lengths` holds the length at each depth that
    /// was seen before, and gets those of new depths.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if lengths at the same depth differ.
    #[doc(hidden)]
    fn flatten(
        &self,
        depth: usize,
        lengths: &mut Vec<usize>,
        elements: &mut Vec<Self::Element>,
    ) -> Result<()>;
}

impl<T: Element> Nested for T {
    type Element = T;

    fn flatten(&self, _: usize, _: &mut Vec<usize>, elements: &mut Vec<T>) -> Result<()> {
        elements.push(*self);
        Ok(())
    }
}

impl<N: Nested> Nested for [N] {
    type Element = N::Element;

    fn flatten(
        &self,
        depth: usize,
        lengths: &mut Vec<usize>,
        elements: &mut Vec<N::Element>,
    ) -> Result<()> {
        match lengths.get(depth) {
            None => lengths.push(self.len()),
            Some(&length) if length == self.len() => {}
            Some(length) => {
                return Err(Error::Shape(format!(
                    "from_nested: rows at depth {depth} have lengths {length} and {}. Fix: make all rows equally long",
                    self.len()
                )));
            }
        }
        self.iter()
            .try_for_each(|part| part.flatten(depth + 1, lengths, elements))
    }
}

macro_rules! as_slices {
    ($([$($generics:tt)*] $type:ty;)*) => {$(
        impl<$($generics)*> Nested for $type {
            type Element = N::Element;

            fn flatten(
                &self,
                depth: usize,
                lengths: &mut Vec<usize>,
                elements: &mut Vec<N::Element>,
            ) -> Result<()> {
                self[..].flatten(depth, lengths, elements)
            }
        }
    )*};
}

as_slices! {
    [N: Nested, const LENGTH: usize] [N; LENGTH];
    [N: Nested] Vec<N>;
    [N: Nested] &[N];
}

impl<T: Element> Array<T> {
    /// Copies nested arrays, slices or vectors of host memory to a new array with an axis for each
    /// level.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_nested(&stream, [[1.0, 2.0], [3.0, 4.0]])?;
    /// assert_eq!(x.shape(), [2, 2]);
    /// let rows: Vec<Vec<i32>> = vec![vec![1, 2, 3], vec![4, 5, 6]];
    /// assert_eq!(Array::from_nested(&stream, rows)?.at([1, -1])?, 6);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if parts at the same depth differ in length, or if there are more
    /// than [`MAX_RANK`](crate::MAX_RANK) levels. Returns [`Error::Cuda`] if device memory runs out
    /// or the copy fails.
    pub fn from_nested(stream: &Stream, nested: impl Nested<Element = T>) -> Result<Self> {
        let (mut lengths, mut elements) = (Vec::new(), Vec::new());
        nested.flatten(0, &mut lengths, &mut elements)?;
        Self::from_shape(stream, Shape::new(&lengths)?, &elements)
    }
}
