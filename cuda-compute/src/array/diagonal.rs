//! Diagonals of matrices, and what lies on either side of them.

use cuda_safe::Stream;

use super::{Array, Shape};
use crate::{
    element::{Element, Number},
    error::{Error, Result},
    expression::Expr,
};

/// The last two axes of a shape.
fn matrix(shape: Shape) -> Result<[usize; 2]> {
    match shape.rank() {
        rank @ 2.. => Ok([rank - 2, rank - 1]),
        _ => Err(Error::Shape(format!(
            "a shape of {shape} is no matrix: it needs two axes or more"
        ))),
    }
}

/// The column of each element less its row.
fn columns_less_rows(shape: Shape) -> Result<Expr<i64>> {
    let [row, column] = matrix(shape)?;
    let place = |axis| Ok::<_, Error>(Expr::index(shape, axis)?.cast::<i64>());
    Ok(place(column)? - place(row)?)
}

impl<T: Element> Array<T> {
    /// A diagonal of the matrices of the last two axes, which give way to one, without copying the elements. The offset 0
    /// is that of the places with equal rows and columns; positive ones are so many columns to the right, negative ones
    /// below.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::range(&stream, 0..6)?.reshape([2, 3])?;
    /// assert_eq!(x.diagonal(0)?.to_vec()?, [0, 4]);
    /// assert_eq!(x.diagonal(-1)?.to_vec()?, [3]);
    /// assert!(x.diagonal(3)?.is_empty());
    /// assert_eq!(x.diagonal(0)?.expr().sum().eval()?.item()?, 4); // the trace
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// There are fewer than two axes.
    pub fn diagonal(&self, offset: isize) -> Result<Self> {
        matrix(self.shape())?;
        Ok(Self::of(self.memory.clone(), self.layout.diagonal(offset)))
    }

    /// The lower triangles: see [`Expr::tril`].
    ///
    /// # Errors
    /// As [`Expr::tril`].
    pub fn tril(&self, offset: isize) -> Result<Expr<T>> {
        self.expr().tril(offset)
    }

    /// The upper triangles: see [`Expr::triu`].
    ///
    /// # Errors
    /// As [`Expr::tril`].
    pub fn triu(&self, offset: isize) -> Result<Expr<T>> {
        self.expr().triu(offset)
    }
}

impl<T: Element> Expr<T> {
    /// The matrices of the last two axes, with zeros (`false`) above a diagonal, which is named as in
    /// [`Array::diagonal`].
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::range(&stream, 1..7)?.reshape([2, 3])?;
    /// assert_eq!(x.tril(0)?.eval()?.to_string(), "[[1 0 0]\n [4 5 0]]");
    /// assert_eq!(x.triu(1)?.eval()?.to_string(), "[[0 2 3]\n [0 0 6]]");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// There are fewer than two axes. Operands don't fit together.
    pub fn tril(&self, offset: isize) -> Result<Self> {
        let kept = columns_less_rows(self.shape()?)?.less_equal(offset as i64);
        Ok(kept.select(self, T::default()))
    }

    /// The matrices of the last two axes, with zeros (`false`) below a diagonal: see [`tril`](Self::tril).
    ///
    /// # Errors
    /// As [`tril`](Self::tril).
    pub fn triu(&self, offset: isize) -> Result<Self> {
        let kept = columns_less_rows(self.shape()?)?.greater_equal(offset as i64);
        Ok(kept.select(self, T::default()))
    }
}

impl<T: Number> Expr<T> {
    /// The matrix of `size` rows and columns with ones on the diagonal and zeros elsewhere. It takes no memory.
    ///
    /// # Errors
    /// The elements can't be counted.
    pub fn eye(size: usize) -> Result<Self> {
        let apart = columns_less_rows(Shape::new(&[size, size])?)?;
        Ok(apart.equal(0).select(T::ONE, T::ZERO))
    }
}

impl<T: Number> Array<T> {
    /// The matrix of `size` rows and columns with ones on the diagonal and zeros elsewhere.
    ///
    /// # Errors
    /// Memory ran out. The elements can't be counted.
    pub fn eye(stream: &Stream, size: usize) -> Result<Self> {
        Expr::eye(size)?.eval_on(stream)
    }
}
