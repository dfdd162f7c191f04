//! Matrix products, by cuBLAS.

mod handle;
mod library;
mod plan;

use std::sync::Arc;

pub(crate) use handle::Handles;
use handle::Types;
pub use library::CublasStatus;
use plan::{Lengths, Plan, Side};

use crate::{
    array::{Array, Layout, Memory, Order},
    element::{DataType, Math},
    error::{Error, Result},
    expression::{Expr, IntoExpr, eval_dense, on_stream_of},
    order,
};

/// How a matrix product is computed. The default is as accurate as the type allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct MatmulOptions {
    /// Whether products of `f32` and `Complex<f32>` may be computed by tensor cores in TF32: factors are rounded to 10 bits
    /// after the point (`f32` has 23), and sums are `f32`. Off by default. The other types don't change.
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
    /// The matrix product `[…, m, k] × […, k, n]`, by cuBLAS, as NumPy's `matmul`: the axes before the matrices stretch to
    /// a common shape. An operand with one axis is a row on the left and a column on the right, and its axis is gone from
    /// the result. The result is in C order, on this array's stream.
    ///
    /// Transposed operands, blocks of larger matrices, and operands that are stretched over a batch are read where they
    /// lie. Matrices whose elements are dense neither along rows nor along columns are copied first, and so are expressions
    /// computed.
    ///
    /// `f16` and `bf16` are added as `f32`, and rounded once. The others are added in their own type; see
    /// [`MatmulOptions::tf32`]. In which order cuBLAS adds depends on its version, the device and the lengths. Where an
    /// element of the result has no factors, because k is 0, it is 0.
    ///
    /// cuBLAS is opened at the first product: `libcublas.so.13`, or `libcublas.so.12`, that the process already has; as the
    /// loader finds it; in `lib64` and `lib` below `CUDA_PATH`, `CUDA_HOME`, `CUDA_ROOT`, `/usr/local/cuda` and `/opt/cuda`.
    /// If the environment variable `CUDA_COMPUTE_LIBCUBLAS` names a file, nothing else is tried. The first product on a
    /// stream creates a handle of cuBLAS, with a workspace of up to 32 MiB, which are kept for as long as arrays of
    /// the context live, for up to 16 streams.
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
    /// The shapes have no product. [`Error::Missing`]: cuBLAS is not installed. [`Error::Cublas`]: it refused a call. Memory
    /// ran out. The operands are of different contexts.
    pub fn matmul(&self, other: impl IntoExpr<T>) -> Result<Self> {
        self.matmul_with(other, MatmulOptions::default())
    }

    /// As [`matmul`](Self::matmul), with options.
    ///
    /// # Errors
    /// As [`matmul`](Self::matmul).
    pub fn matmul_with(&self, other: impl IntoExpr<T>, options: MatmulOptions) -> Result<Self> {
        self.expr().matmul_with(other, options)
    }
}

impl<T: Math> Expr<T> {
    /// The matrix product of this expression's value: see [`Array::matmul`].
    ///
    /// # Errors
    /// As [`Array::matmul`] and [`eval`](Self::eval).
    pub fn matmul(&self, other: impl IntoExpr<T>) -> Result<Array<T>> {
        self.matmul_with(other, MatmulOptions::default())
    }

    /// As [`matmul`](Self::matmul), with options.
    ///
    /// # Errors
    /// As [`matmul`](Self::matmul).
    pub fn matmul_with(&self, other: impl IntoExpr<T>, options: MatmulOptions) -> Result<Array<T>> {
        let other = other.into_expr();
        // Before anything is computed.
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
        // Sums of nothing; zero bytes are the number 0. More bytes than can be counted are more than there are.
        let bytes = elements.saturating_mul(size);
        let memory = Memory::zeroed(kernels, stream, bytes)?;
        return Ok(Array::of(Arc::new(memory), layout));
    }
    // First of all, as it fails where cuBLAS is missing.
    let handle = kernels.products().of(stream, kernels.hardware())?;
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
        // SAFETY: the plan was made for the layouts of these arrays, which are within their memory, and for the result, whose
        // lengths it has; they are ordered with the stream.
        unsafe { handle.multiply(&plan, types(T::DATA_TYPE, options)?, size, addresses) }
    })?;
    Ok(result)
}

/// The array, or a copy of it if cuBLAS can't read its matrices.
fn readable<T: Math>(
    array: &Array<T>,
    matrix: impl Fn(&Layout) -> Result<Layout>,
) -> Result<Array<T>> {
    // Another library's memory may begin anywhere.
    let size = T::DATA_TYPE.size() as u64;
    let aligned = array.as_device_ptr().is_multiple_of(size);
    if aligned && Side::of(&matrix(&array.layout)?).is_some() {
        return Ok(array.clone());
    }
    eval_dense(&array.expr(), Order::C)
}

/// `cudaDataType`, and the `cublasComputeType_t` of sums.
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
