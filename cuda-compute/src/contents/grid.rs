//! Grids of coordinates.

use crate::{
    array::Shape,
    element::Element,
    error::{Error, Result},
    expression::{Expr, IntoExpr},
};

/// The order of the first two axes of [`meshgrid`], with NumPy's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Indexing {
    /// Rows belong to the second vector and columns to the first, as in pictures: NumPy's default.
    Xy,
    /// Axis `i` belongs to vector `i`.
    Ij,
}

/// Returns the coordinates of all points of a grid, like NumPy's `meshgrid`.
///
/// There is a vector of coordinates for each dimension, and a result for each vector. A result has
/// the vector's values along one axis, and repeats them along the others. The results are
/// expressions, so they need no memory.
///
/// ```
/// use cuda_compute::{Array, Indexing, meshgrid};
/// # use cuda_safe::{Context, Stream};
/// # fn main() -> cuda_compute::Result<()> {
/// # let stream = Stream::new(&Context::primary(0)?)?;
/// let x = Array::from_slice(&stream, &[0.0f32, 3.0])?;
/// let y = Array::from_slice(&stream, &[0.0f32, 4.0, 8.0])?;
/// let grid = meshgrid(&[&x, &y], Indexing::Xy)?;
/// let distances = grid[0].hypot(&grid[1]).eval()?; // one kernel
/// assert_eq!(distances.shape(), [3, 2]);
/// assert_eq!(distances.slice(cuda_compute::s![1])?.to_vec()?, [4.0, 5.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Returns [`Error::Shape`] if a vector has more than one axis, or if there are more than
/// [`MAX_RANK`](crate::MAX_RANK) vectors.
pub fn meshgrid<T: Element, E: IntoExpr<T> + Clone>(
    vectors: &[E],
    indexing: Indexing,
) -> Result<Vec<Expr<T>>> {
    let vectors: Vec<Expr<T>> = vectors.iter().cloned().map(E::into_expr).collect();
    let axis_of = |vector: usize| match (indexing, vector) {
        (Indexing::Xy, 0 | 1) if vectors.len() > 1 => 1 - vector,
        _ => vector,
    };
    let mut lengths = vec![1; vectors.len()];
    for (i, vector) in vectors.iter().enumerate() {
        lengths[axis_of(i)] = match *vector.shape()?.as_slice() {
            [] => 1,
            [length] => length,
            _ => {
                return Err(Error::Shape(format!(
                    "meshgrid: vector {i} has shape {}, but it must have one axis. Fix: flatten it",
                    vector.shape()?
                )));
            }
        };
    }
    let shape = Shape::new(&lengths)?;
    let grids = vectors.iter().enumerate().map(|(i, vector)| {
        let mut along = vec![1; lengths.len()];
        along[axis_of(i)] = lengths[axis_of(i)];
        vector.reshape(along)?.broadcast_to(shape)
    });
    grids.collect()
}
