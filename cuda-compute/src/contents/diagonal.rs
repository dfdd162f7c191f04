//! Diagonals and triangles of matrices.

use cuda_safe::Stream;

use crate::{
    array::{Array, Shape},
    element::{Element, Number},
    error::{Error, Result},
    expression::{Expr, Target, assign},
};

/// Returns the last two axes of a shape.
fn matrix(shape: Shape) -> Result<[usize; 2]> {
    match shape.rank() {
        rank @ 2.. => Ok([rank - 2, rank - 1]),
        _ => Err(Error::Shape(format!(
            "an array of shape {shape} is not a matrix: at least two axes are needed"
        ))),
    }
}

/// Returns the column minus the row of each element.
fn columns_less_rows(shape: Shape) -> Result<Expr<i64>> {
    let [row, column] = matrix(shape)?;
    let place = |axis| Ok::<_, Error>(Expr::index(shape, axis)?.cast::<i64>());
    Ok(place(column)? - place(row)?)
}

impl<T: Element> Array<T> {
    /// Returns a diagonal of the matrices in the last two axes, without copying elements.
    ///
    /// One axis replaces the two. Offset 0 is the main diagonal. A positive offset selects a
    /// diagonal above it, a negative offset one below it.
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
    /// Returns [`Error::Shape`] if the array has fewer than two axes.
    pub fn diagonal(&self, offset: isize) -> Result<Self> {
        matrix(self.shape())?;
        Ok(Self::of(self.memory.clone(), self.layout.diagonal(offset)))
    }

    /// Returns a matrix with the elements of this vector on a diagonal and zeros (`false`)
    /// elsewhere, like NumPy's `diag`. See [`Expr::diag`].
    ///
    /// # Errors
    /// Returns an error if the array does not have one axis, if the number of elements overflows, or
    /// if memory runs out.
    pub fn diag(&self, offset: isize) -> Result<Self> {
        self.expr().diag(offset)
    }

    /// Returns the lower triangles: see [`Expr::tril`].
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if the array has fewer than two axes.
    pub fn tril(&self, offset: isize) -> Result<Expr<T>> {
        self.expr().tril(offset)
    }

    /// Returns the upper triangles: see [`Expr::triu`].
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if the array has fewer than two axes.
    pub fn triu(&self, offset: isize) -> Result<Expr<T>> {
        self.expr().triu(offset)
    }
}

impl<T: Element> Expr<T> {
    /// Returns a matrix with the values of this vector on a diagonal and zeros (`false`) elsewhere,
    /// in a new array, like NumPy's `diag`.
    ///
    /// `offset` selects the diagonal as in [`Array::diagonal`], which is the inverse. The matrix is
    /// just large enough. Values that are not an array are computed into memory first. Then one
    /// kernel writes zeros and another the diagonal. This does not wait.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[1, 2])?;
    /// assert_eq!(x.diag(0)?.to_string(), "[[1 0]\n [0 2]]");
    /// assert_eq!((&x * 10).diag(-1)?.to_string(), "[[ 0  0  0]\n [10  0  0]\n [ 0 20  0]]");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if the expression does not have one axis, if it reads no array, if the number
    /// of elements overflows, or if memory runs out.
    pub fn diag(&self, offset: isize) -> Result<Array<T>> {
        let shape = self.shape()?;
        let &[length] = shape.as_slice() else {
            return Err(Error::Shape(format!(
                "diag: shape {shape} has {} axes. Fix: pass a vector, or call `diagonal` to select one",
                shape.rank()
            )));
        };
        let size = length.saturating_add(offset.unsigned_abs());
        let size = Shape::new(&[size, size])?;
        let values = self.stored()?;
        let zeros = Expr::scalar(T::default()).broadcast_to(size)?;
        let matrix = zeros.eval_on(values.stream())?;
        let target = Target {
            memory: &matrix.memory,
            layout: matrix.layout.diagonal(offset),
            data: T::DATA_TYPE,
        };
        assign(&target, &values.expr().node)?;
        Ok(matrix)
    }

    /// Returns the matrices in the last two axes with zeros (`false`) above a diagonal.
    ///
    /// `offset` selects the diagonal as in [`Array::diagonal`].
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
    /// Returns [`Error::Shape`] if the expression has fewer than two axes, or if shapes of its
    /// operands can't be broadcast.
    pub fn tril(&self, offset: isize) -> Result<Self> {
        let kept = columns_less_rows(self.shape()?)?.less_equal(offset as i64);
        Ok(kept.select(self, T::default()))
    }

    /// Returns the matrices in the last two axes with zeros (`false`) below a diagonal: see
    /// [`tril`](Self::tril).
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if the expression has fewer than two axes, or if shapes of its
    /// operands can't be broadcast.
    pub fn triu(&self, offset: isize) -> Result<Self> {
        let kept = columns_less_rows(self.shape()?)?.greater_equal(offset as i64);
        Ok(kept.select(self, T::default()))
    }
}

impl<T: Number> Expr<T> {
    /// Returns the identity matrix of `size` rows and columns. The expression needs no memory.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if the number of elements exceeds `isize::MAX`.
    pub fn eye(size: usize) -> Result<Self> {
        let apart = columns_less_rows(Shape::new(&[size, size])?)?;
        Ok(apart.equal(0).select(T::ONE, T::ZERO))
    }
}

impl<T: Number> Array<T> {
    /// Creates the identity matrix of `size` rows and columns.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if the number of elements exceeds `isize::MAX`. Returns
    /// [`Error::Cuda`] if device memory runs out or a driver call fails.
    pub fn eye(stream: &Stream, size: usize) -> Result<Self> {
        Expr::eye(size)?.eval_on(stream)
    }
}
