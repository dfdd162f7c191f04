//! Histograms of values between edges, in one and two dimensions.

use super::{EdgeForm, count};
use crate::{
    array::Array,
    error::Result,
    expression::{Expr, IntoExpr},
    sort::{Keys, SortKey},
};

/// Counts the tuples of values in each bin between the edges of each dimension.
fn between<K: SortKey>(values: &[&Expr<K>], edges: &[&Array<K>]) -> Result<Array<u64>> {
    let edges: Vec<Array<K>> = edges
        .iter()
        .map(|edges| edges.vector("the edges of a histogram", 1))
        .collect::<Result<_>>()?;
    let bins = edges.iter().map(|edges| edges.len() - 1);
    let bins = bins.fold(1usize, usize::saturating_mul);
    let form = EdgeForm {
        keys: Keys::of::<K>(false),
        dimensions: edges.len(),
        wide: edges.iter().any(|edges| edges.len() > u32::MAX as usize),
    };
    let words = edges.iter();
    let words = words.flat_map(|edges| [edges.as_device_ptr(), edges.len() as u64]);
    let nodes: Vec<_> = values.iter().map(|values| &values.node).collect();
    let memories: Vec<_> = edges.iter().map(|edges| &*edges.memory).collect();
    count(
        &nodes,
        K::DATA_TYPE,
        bins,
        Some((form, words.collect())),
        &memories,
    )
}

impl<K: SortKey> Expr<K> {
    /// Counts the elements between each two neighbouring `edges`, as NumPy's `histogram` does with an
    /// array of edges. The result has one element less than `edges`.
    ///
    /// `edges` has one axis and is in ascending order, which the call does not check. A bin includes
    /// its lower edge, and the last one its upper edge too. Elements outside and NaN are not counted.
    ///
    /// One kernel computes the expression and finds the bin of each element by a binary search. The
    /// call does not wait for the stream.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[-1.0f32, 0.0, 0.5, 2.0, 10.0, f32::NAN])?;
    /// let edges = Array::from_slice(&stream, &[0.0, 1.0, 10.0])?;
    /// assert_eq!(x.histogram_with_edges(&edges)?.to_vec()?, [2, 2]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if `edges` has no or several axes, if it is empty, if memory runs out, or in
    /// the cases that [`eval`](Self::eval) lists.
    pub fn histogram_with_edges(&self, edges: &Array<K>) -> Result<Array<u64>> {
        between(&[self], &[edges])
    }

    /// Counts the pairs of elements of this expression and of `other` in each bin of two dimensions,
    /// as NumPy's `histogram2d` does with arrays of edges.
    ///
    /// The bins of this expression's elements are the rows of the result, and those of `other` its
    /// columns. The shapes are broadcast. See
    /// [`histogram_with_edges`](Self::histogram_with_edges) for the edges.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[0.5f32, 1.5, 1.5, 9.0])?;
    /// let y = Array::from_slice(&stream, &[0.5f32, 0.5, 2.5, 0.5])?;
    /// let edges = Array::from_slice(&stream, &[0.0, 1.0, 2.0, 3.0])?;
    /// let counts = x.histogram2d(&y, &edges, &edges)?;
    /// assert_eq!(counts.to_string(), "[[1 0 0]\n [1 0 1]\n [0 0 0]]");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if the shapes can't be broadcast, or in the cases that
    /// [`histogram_with_edges`](Self::histogram_with_edges) lists.
    pub fn histogram2d(
        &self,
        other: impl IntoExpr<K>,
        edges: &Array<K>,
        other_edges: &Array<K>,
    ) -> Result<Array<u64>> {
        let counts = between(&[self, &other.into_expr()], &[edges, other_edges])?;
        counts.reshape([edges.len() - 1, other_edges.len() - 1])
    }
}

impl<K: SortKey> Array<K> {
    /// Counts the elements between each two neighbouring `edges`. See
    /// [`Expr::histogram_with_edges`].
    ///
    /// # Errors
    /// Returns an error in the cases that [`Expr::histogram_with_edges`] lists.
    pub fn histogram_with_edges(&self, edges: &Self) -> Result<Array<u64>> {
        self.expr().histogram_with_edges(edges)
    }

    /// Counts the pairs of elements of this array and of `other` in each bin of two dimensions. See
    /// [`Expr::histogram2d`].
    ///
    /// # Errors
    /// Returns an error in the cases that [`Expr::histogram2d`] lists.
    pub fn histogram2d(
        &self,
        other: impl IntoExpr<K>,
        edges: &Self,
        other_edges: &Self,
    ) -> Result<Array<u64>> {
        self.expr().histogram2d(other, edges, other_edges)
    }
}
