//! Matrix products with cuBLAS, and sums of products over named axes.

mod einsum;
mod handle;
mod library;
mod plan;
mod subscripts;

use std::sync::Arc;

pub use einsum::einsum;
pub(crate) use handle::Handles;
use handle::Types;
use plan::{Lengths, Plan, Side};

use crate::{
    array::{Array, Layout, Memory, Order},
    element::{DataType, Math},
    error::{Error, Result},
    expression::{Expr, IntoExpr, eval_dense, on_stream_of},
    order,
};

/// Options of a matrix product. The default is as accurate as the type allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct MatmulOptions {
    /// Whether products of `f32` and `Complex<f32>` may use tensor cores in TF32. This rounds
    /// factors to 10 fraction bits (`f32` has 23) and adds in `f32`. The default is false. Other
    /// types are unaffected.
    pub tf32: bool,
}

impl MatmulOptions {
    /// Sets [`tf32`](Self::tf32).
    #[must_use]
    pub fn tf32(mut self, tf32: bool) -> Self {
        self.tf32 = tf32;
        self
    }
}

impl<T: Math> Array<T> {
    /// Computes the matrix product `[…, m, k] × […, k, n]` with cuBLAS.
    ///
    /// Shapes follow NumPy's `matmul`: the axes before the matrices are broadcast to a common
    /// shape. An operand with one axis is a row on the left and a column on the right, and the
    /// result lacks this axis. The result is in C order, on this array's stream.
    ///
    /// **Copies.** Transposed operands, blocks of larger matrices, and operands that are broadcast
    /// over a batch are read in place. Matrices whose elements are contiguous neither along rows
    /// nor along columns are copied first. Expressions are evaluated first.
    ///
    /// **Accuracy.** `f16` and `bf16` are added in `f32` and rounded once. Other types are added in
    /// their own type (see also [`MatmulOptions::tf32`]). The order in which cuBLAS adds depends on
    /// its version, the device and the lengths. If k is 0, all elements are 0.
    ///
    /// **The library.** cuBLAS is opened at the first product, as `libcublas.so.13` or
    /// `libcublas.so.12`. [`cuda_find`] lists the searched places. If the environment variable
    /// `CUDA_COMPUTE_LIBCUBLAS` names a file, only that file is tried.
    ///
    /// **Memory.** The first product on a stream creates a cuBLAS handle with a workspace of up to
    /// 32 MiB. Handles are kept for up to 16 streams, as long as arrays of the context exist.
    ///
    /// ```no_run
    /// use cuda_compute::Array;
    /// use cuda_safe::{Context, Stream};
    ///
    /// # fn main() -> cuda_compute::Result<()> {
    /// let stream = Stream::new(&Context::primary(0)?)?;
    /// let a = Array::from_shape(&stream, [2, 2], &[1.0f32, 2.0, 3.0, 4.0])?;
    /// let x = Array::from_slice(&stream, &[1.0f32, -1.0])?;
    /// assert_eq!(a.matmul(&a.t())?.to_vec()?, [5.0, 11.0, 11.0, 25.0]);
    /// assert_eq!(a.matmul(&x * 2.0)?.to_vec()?, [-2.0, -2.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Missing`] if cuBLAS is not installed, and [`Error::Cublas`] if one of its
    /// calls fails. Returns [`Error::Shape`] if the shapes don't match or the operands belong to
    /// different contexts, and [`Error::Cuda`] if memory runs out.
    pub fn matmul(&self, other: impl IntoExpr<T>) -> Result<Self> {
        self.matmul_with(other, MatmulOptions::default())
    }

    /// Computes the matrix product with options. See [`matmul`](Self::matmul).
    ///
    /// # Errors
    /// Returns an error if the shapes don't match, if cuBLAS is missing or fails, or if memory runs
    /// out. See [`matmul`](Self::matmul).
    pub fn matmul_with(&self, other: impl IntoExpr<T>, options: MatmulOptions) -> Result<Self> {
        self.expr().matmul_with(other, options)
    }
}

impl<T: Math> Expr<T> {
    /// Computes the matrix product of this expression's value and another. See [`Array::matmul`].
    ///
    /// # Errors
    /// Returns an error if the expressions can't be evaluated (see [`eval`](Self::eval)), if the
    /// shapes don't match, or if cuBLAS is missing or fails. See [`Array::matmul`].
    pub fn matmul(&self, other: impl IntoExpr<T>) -> Result<Array<T>> {
        self.matmul_with(other, MatmulOptions::default())
    }

    /// Computes the matrix product with options. See [`matmul`](Self::matmul).
    ///
    /// # Errors
    /// Returns an error if the shapes don't match, if cuBLAS is missing or fails, or if memory runs
    /// out. See [`matmul`](Self::matmul).
    pub fn matmul_with(&self, other: impl IntoExpr<T>, options: MatmulOptions) -> Result<Array<T>> {
        let other = other.into_expr();
        // Check the shapes before anything is computed.
        let lengths = Lengths::of(self.shape()?, other.shape()?)?;
        let (left, right) = on_stream_of(self, &other)?;
        product(&left, &right, &lengths, options)
    }
}

fn product<T: Math>(
    left: &Array<T>,
    right: &Array<T>,
    lengths: &Lengths,
    options: MatmulOptions,
) -> Result<Array<T>> {
    let (kernels, stream) = (left.memory.kernels(), left.stream());
    let layout = Layout::dense(lengths.result, Order::C);
    let elements = lengths.result.elements();
    let size = T::DATA_TYPE.size();
    if elements == 0 || lengths.k == 0 {
        // These are empty sums, and zero bytes are the number 0. A saturated size can't be
        // allocated.
        let bytes = elements.saturating_mul(size);
        let memory = Memory::zeroed(kernels, stream, bytes)?;
        return Ok(Array::of(Arc::new(memory), layout));
    }
    // Get the handle first, because this fails if cuBLAS is missing.
    let handle = kernels
        .products()
        .get::<Handles>()
        .of(stream, kernels.hardware())?;
    let left = readable(left, plan::left_matrix)?;
    let right = readable(right, plan::right_matrix)?;
    let of_left = plan::left_matrix(&left.layout)?;
    let of_right = plan::right_matrix(&right.layout)?;
    let plan = Plan::new(lengths, &of_left, &of_right)?;
    let plan = plan.ok_or_else(|| {
        Error::Shape(format!(
            "cuBLAS can't read matrices of strides {:?} and {:?}",
            of_left.strides(),
            of_right.strides()
        ))
    })?;
    let memory = Arc::new(Memory::new(kernels, stream, elements, T::DATA_TYPE)?);
    let result = Array::of(memory, layout);
    let owners = [&left, &right, &result].map(|array| Some(array.memory.owner()));
    let addresses = [&left, &right, &result].map(Array::as_device_ptr);
    order::ordered(stream, owners, || {
        // SAFETY: the plan was made for the layouts of these arrays, which are within their memory,
        // and for the lengths of the result. All of them are ordered with the stream.
        unsafe { handle.multiply(&plan, types(T::DATA_TYPE, options)?, size, addresses) }
    })?;
    Ok(result)
}

/// Returns the array, or a copy of it if cuBLAS can't read its matrices.
fn readable<T: Math>(
    array: &Array<T>,
    matrix: impl Fn(&Layout) -> Result<Layout>,
) -> Result<Array<T>> {
    // Another library's memory may start at any address.
    let size = T::DATA_TYPE.size() as u64;
    let aligned = array.as_device_ptr().is_multiple_of(size);
    if aligned && Side::of(&matrix(&array.layout)?).is_some() {
        return Ok(array.clone());
    }
    eval_dense(&array.expr(), Order::C)
}

/// Returns the `cudaDataType`, and the `cublasComputeType_t` of sums.
fn types(data: DataType, options: MatmulOptions) -> Result<Types> {
    /// `CUBLAS_COMPUTE_32F`
    const SINGLE: i32 = 68;
    /// `CUBLAS_COMPUTE_32F_FAST_TF32`
    const TF32: i32 = 77;
    /// `CUBLAS_COMPUTE_64F`
    const DOUBLE: i32 = 70;
    let single = if options.tf32 { TF32 } else { SINGLE };
    let (data, compute) = match data {
        DataType::F16 => (2, SINGLE),
        DataType::Bf16 => (14, SINGLE),
        DataType::F32 => (0, single),
        DataType::F64 => (1, DOUBLE),
        DataType::Complex32 => (4, single),
        DataType::Complex64 => (5, DOUBLE),
        other => {
            return Err(Error::Value(format!(
                "cuBLAS has no matrix product of {}",
                other.name()
            )));
        }
    };
    Ok(Types {
        data,
        compute,
        wide: compute == DOUBLE,
    })
}

#[cfg(test)]
mod tests;
