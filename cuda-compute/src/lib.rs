//! Arrays in device memory, lazy expressions over them, and ready-made kernels, on top of
//! [`cuda_safe`].
//!
//! ```
//! use cuda_compute::{Array, device_fn, eval, fold, s};
//! use cuda_safe::{Context, Stream};
//!
//! # fn main() -> cuda_compute::Result<()> {
//! let stream = Stream::new(&Context::primary(0)?)?;
//! let x = Array::from_slice(&stream, &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?.reshape([2, 3])?;
//!
//! let y = (x.sqrt() * 2.0 + &x).eval()?; // one kernel for the whole expression
//! let (sums, largest) = eval((x.sum_axis(1), y.max()))?; // several results
//! assert_eq!(sums.to_vec()?, [6.0, 15.0]);
//! assert_eq!(largest.item()?, 6.0f32.sqrt() * 2.0 + 6.0);
//!
//! let wave = device_fn!(|x: f32, y: f32| if x < y { x } else { y * 0.5 }); // a closure as device code
//! let z = wave.map((&x, x.slice(s![0])?)).eval()?; // the row is broadcast to the shape of x
//! assert_eq!(z.to_vec()?, [0.5, 1.0, 1.5, 0.5, 1.0, 1.5]);
//! let nearest = fold!(|a: f32, b: f32| if a.abs() < b.abs() { a } else { b }, f32::INFINITY);
//! assert_eq!((&z - 1.0).reduce_axis(1, &nearest).eval()?.to_vec()?, [0.0, 0.0]); // a custom reduction
//! # Ok(())
//! # }
//! ```
//!
//! # Arrays and expressions
//!
//! - **Arrays are values.** An [`Array`] has up to eight axes. Clones, slices, transposes and
//!   reshaped arrays share its memory. Writing to an array first copies it if others still use the
//!   memory, so it never changes other arrays. Arrays need no lifetimes.
//! - **Expressions are lazy.** Operators and methods of arrays return an [`Expr`], and nothing is
//!   computed until you call [`eval`](Expr::eval). It generates one kernel for all values of the
//!   same shape, one for all reductions along the same axes, and one for each scan. The kernel of the
//!   last reductions or scan also computes the values that use its results and have their shape.
//! - **Broadcasting follows NumPy.** If shapes don't match, `eval` returns an error with both
//!   shapes and the source line of the operator.
//! - **Types are never converted silently.** Call [`cast`](Expr::cast). `f16` and `bf16` are
//!   computed as `f32` and rounded after each operation. Integer arithmetic wraps around. Dividing
//!   an integer by zero yields zero.
//! - **Expressions need no `unsafe`.** If the library lacks a function, write it as a closure with
//!   [`device_fn!`]. Write a custom reduction with [`fold!`] and [`reduce`](Expr::reduce). For
//!   anything that closures lack, put CUDA C++ into an expression with [`CudaFn`], which is
//!   `unsafe`.
//! - **Structs can be elements.** Derive [`Element`](derive@Element) for a struct of plain data.
//!   [`field`](Array::field) returns a field as an array that shares the memory.
//! - **Axes and indices count from either end.** An axis or an index is an `i32`, `isize` or
//!   `usize`, and −1 is the last one. Ranges of a slice are clipped, as in NumPy.
//! - **Assignments read the old values.** [`assign`](Array::assign),
//!   [`assign_where`](Array::assign_where), [`slice_mut`](Array::slice_mut) and `+=` write into an
//!   array. The assigned expression may read the same array and sees its elements as they were before.
//!
//! Images are arrays of shape `[height, width]` or `[height, width, channels]`.
//! [`convolve`](Array::convolve) and [`convolve_with`](Array::convolve_with) filter them in their
//! own element type.
//!
//! # Names
//!
//! `use cuda_compute::prelude::*;` imports the names that most programs need, from this crate and
//! from `cuda_safe`: see [`prelude`]. Both crates have an `Error` and a `Result`. This crate's
//! `Error` converts from that of `cuda_safe`, so `?` works for calls of both.
//!
//! # Streams, memory and faults
//!
//! - **Streams are explicit.** An array belongs to the stream it was created on. The work that
//!   computes it is enqueued there, and so is freeing its memory. An expression may use arrays of
//!   several streams of one context. The streams then wait for each other. There is no current
//!   stream and no current device.
//! - **Your own kernels** take arrays as `&x` and `&mut x`, in launches and in
//!   [`kernels!`](cuda_safe::kernels): see [`Array`](Array#in-kernels). [`strided`](Array::strided)
//!   passes the strides too.
//! - **Threads** can share arrays and expressions, which are `Send` and `Sync`.
//! - **Evaluation does not wait.** `eval` enqueues kernels and returns. Methods that return
//!   elements to the host, such as [`to_vec`](Array::to_vec) and [`item`](Array::item), wait.
//! - **Faults surface later.** If a kernel faults, a later call that waits returns [`Error::Cuda`].
//!   Shape errors are reported before a result is written, except for indices out of bounds in
//!   [`Array::put`] and similar methods: see [`Error::Shape`].
//! - **Memory comes from the driver's pool**, in stream order, and the pool keeps freed memory: see
//!   [`Array`](Array#memory).
//! - **Arrays leave their memory to new ones.** An array of up to 32 MiB leaves it to the next array of
//!   the same size and stream, which saves the time of freeing it. The memory of up to 64 arrays, or
//!   64 MiB, is kept for each of 16 streams, and less on devices with less than 16 GiB.
//!   `CUDA_COMPUTE_SPARE_MEMORY=0` turns this off, so that `compute-sanitizer` sees the end of each
//!   array, and leaves the pool's settings alone. It is off on the emulator.
//! - **Kernels are compiled at the first use of an expression's form**, or loaded from the disk
//!   cache. Sizes, strides and numbers are passed at launch and are not part of the form, so a loop
//!   compiles nothing. Small arrays have kernels of their own, for two or three classes of sizes.
//!   Compiled kernels are kept as long as an array of the context exists, or a stream with which
//!   arrays were created.
//!
//! # Accuracy
//!
//! The guide lists tested error bounds for every function, sum and running sum: see
//! [accuracy](guide::accuracy). Operators, `sqrt`, `mul_add` and conversions are correctly rounded,
//! except that `a * b + c` may be rounded once instead of twice. Many threads add the terms of a
//! sum, in an order that depends only on shape, layout and device. So the same sum has the same
//! bits every time.
//!
//! # Related libraries
//!
//! - If you know PyCUDA or CuPy, see [from PyCUDA](guide::from_pycuda) or
//!   [from CuPy](guide::from_cupy).
//! - DLPack and `__cuda_array_interface__` exchange arrays with other libraries without a copy: see
//!   [`interop`].
//!
//! # Ready-made kernels
//!
//! These work on device memory that does not belong to an array:
//!
//! ```
//! use cuda_compute::Reducer;
//! use cuda_safe::{Context, DeviceBuffer, Stream};
//!
//! # fn main() -> cuda_compute::Result<()> {
//! let context = Context::primary(0)?;
//! let stream = Stream::new(&context)?;
//! let reducer = Reducer::new(&context)?;
//!
//! let numbers: Vec<f32> = (1..=1000).map(|i| i as f32).collect();
//! let numbers = DeviceBuffer::from_slice(&stream, &numbers)?;
//! assert_eq!(reducer.sum(&stream, &numbers)?, 500_500.0);
//! assert_eq!(reducer.max(&stream, &numbers.slice(..10)?)?, Some(10.0));
//! # Ok(())
//! # }
//! ```
//!
//! [`Reducer`] and [`Convolution`] accept device memory of any kind, and their calls allocate
//! nothing. Create them for a context. Their methods take `&self` and a stream, so one object
//! serves several threads and streams at once. For arrays, use [`sum`](Expr::sum), the other
//! reductions and [`convolve`](Array::convolve) instead. [`MapReduce::of`] makes a custom reduction
//! from closures.
//!
//! Each kernel is compiled at its first use. Another device or element type needs another kernel,
//! and so does a filter or block size that changes the code. [`Kernels`] holds the compiled kernels
//! in memory, and several objects can share one `Kernels`. The disk cache of
//! [`cuda_safe::Program`] keeps their machine code.
//!
//! # Features
//!
//! - `bindgen` (default): generates the raw bindings from the installed CUDA headers. Without it,
//!   builds need no libclang and take half the time: see [`cuda_safe`].
//! - `dynamic-loading`: opens the driver and NVRTC at the first call: see [`cuda_safe`].
//! - `float8`: the 8-bit floats `F8E4M3` and `F8E5M2` of the crate `float8` as elements.
//! - `ndarray`: conversions from and to arrays of the crate `ndarray`.
//! - `npy`: NumPy's files, `.npy` and `.npz`, as `Array::load_npy`, `Array::save_npy`, `NpzReader` and
//!   `NpzWriter`.
//! - `cpu`: sums and convolutions on the CPU, for comparison.
//!
//! The crate needs NVRTC at run time: see [`cuda_safe`'s requirements](cuda_safe#requirements).
// Pages of other crates link to this address if this crate's pages have not been built.
#![doc(html_root_url = "https://docs.rs/cuda-compute/0.1.0")]

mod array;
mod closure;
mod contents;
mod convolution;
#[cfg(feature = "cpu")]
pub mod cpu;
mod element;
mod error;
mod expression;
mod fourier;
mod function;
mod gather;
pub mod guide;
mod histogram;
pub mod interop;
mod kernel;
mod library;
#[cfg(feature = "npy")]
mod npy;
mod order;
pub mod prelude;
mod product;
mod random;
#[cfg(test)]
#[path = "../tests/shared/random.rs"]
mod random_numbers;
mod reduce;
mod scan;
mod segments;
mod select;
mod sets;
mod sort;
mod statistics;
#[cfg(feature = "tuning")]
pub mod tuning;

pub use array::{
    Array, AxisIter, Ellipsis, IntoIndex, IntoIndices, IntoShape, MAX_RANK, NewAxis, Order, Shape,
    SliceItem,
};
pub use closure::{DeviceFn, Fold, device_fn, fold};
pub use contents::{
    ArrayMut, FieldMut, Indexing, Nested, STRIDED_HEADER, Strided, StridedMut, meshgrid,
};
pub use convolution::{
    Border, Convolution, ConvolutionOptions, Extent, Filter, Kind, Layout, Pixel,
};
/// Implements [`Element`](trait@Element) for a struct of plain data, so that it can be an element
/// of arrays.
///
/// The derive needs bytemuck among the dependencies:
/// `bytemuck = { version = "1", features = ["derive"] }`.
///
/// ```
/// use bytemuck::{Pod, Zeroable};
/// use cuda_compute::{Array, Combination, CudaFn, Element};
/// # use cuda_safe::{Context, Stream};
///
/// #[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable, Element)]
/// #[repr(C)]
/// struct MinMax {
///     min: f32,
///     max: f32,
/// }
///
/// # fn main() -> cuda_compute::Result<()> {
/// # let stream = Stream::new(&Context::primary(0)?)?;
/// let x = Array::from_slice(&stream, &[3.0f32, -1.0, 4.0])?;
/// // SAFETY: both only compute.
/// let (single, merge) = unsafe {(
///     CudaFn::<fn(f32) -> MinMax>::new("single", "__device__ MinMax single(float x) { return {x, x}; }"),
///     CudaFn::<fn(MinMax, MinMax) -> MinMax>::new(
///         "merge",
///         "__device__ MinMax merge(MinMax a, MinMax b) { return {fminf(a.min, b.min), fmaxf(a.max, b.max)}; }",
///     ),
/// )};
/// let nothing = MinMax { min: f32::INFINITY, max: f32::NEG_INFINITY };
/// let both = single.map((&x,)).reduce(Combination::new(&merge, nothing)); // one kernel
/// assert_eq!(both.eval()?.item()?, MinMax { min: -1.0, max: 4.0 });
/// let width = (both.field(|m| &m.max) - both.field(|m| &m.min)).eval()?;
/// assert_eq!(width.item()?, 5.0);
/// # Ok(())
/// # }
/// ```
///
/// # Requirements
/// - The struct is `#[repr(C)]`, has at most 128 bytes and has no generic parameters.
/// - It implements [`Pod`](https://docs.rs/bytemuck/1/bytemuck/trait.Pod.html): all bit patterns
///   are valid, and there is no padding. Where C would insert padding, declare a field, such as
///   `pad: [u8; 7]`.
/// - The fields are numbers (including halves and complex numbers), arrays of them, and structs
///   that also derive `Element`.
/// - The names of the struct and its fields consist of ASCII letters, digits and single
///   underscores. Names of macros and keywords of CUDA C++, such as `NULL` and `class`, are
///   allowed: see [`CudaFn`] for their names in CUDA C++.
///
/// # Operations on structs
/// - All methods that move elements: [`from_slice`](Array::from_slice), [`full`](Array::full),
///   [`assign`](Array::assign) to any part, [`slice`](Array::slice), [`reshape`](Array::reshape),
///   [`permute`](Array::permute), [`take`](Array::take), [`put`](Array::put),
///   [`compress`](Array::compress), [`concatenate`], [`stack`] and [`select`](Expr::select).
/// - [`equal`](Expr::equal), which compares all fields.
/// - Fields: [`Array::field`] shares the memory, [`Array::field_mut`] writes to it, and
///   [`Expr::field`] computes with it.
/// - Functions in CUDA C++ through [`CudaFn`], which refer to the struct and its fields by name. A
///   [`Combination`] of such a function can be used in reductions along any axes and in scans.
///
/// Kernels read and write structs of 1, 2, 4, 8 and 16 bytes in one access. They access other
/// structs in parts, as the alignment of the fields allows.
pub use cuda_compute_macros::Element;
pub use element::{
    ComplexNumber, DataType, Element, ElementField, FieldType, Float, Integer, Math, Number,
    Ordered, Signed, StructField, StructType,
};
pub use error::{CublasStatus, CufftResult};
pub use error::{Error, Result};
pub use expression::{
    Absolute, Bits, CastFrom, Evaluate, Expr, IntoExpr, Norm, Real, Remainder, Shift, eval, eval_on,
};
#[cfg(feature = "float8")]
pub use float8::{F8E4M3, F8E5M2};
pub use fourier::Fourier;
pub use function::{Combination, Combine, CudaFn, Signature};
pub use gather::{Pad, concatenate, ravel_index, stack};
pub use half::{bf16, f16};
pub use kernel::Kernels;
#[cfg(feature = "npy")]
pub use npy::{NpzReader, NpzWriter};
pub use num_complex::Complex;
pub use product::{MatmulOptions, einsum};
pub use random::{Random, RandomBits, RandomFloat, RandomInteger};
pub use reduce::{
    MapReduce, Reducer,
    reducible::{Reducible, Scalar},
};
pub use sets::{LexsortKeys, lexsort};
pub use sort::{IntoFractions, QuantileElement, QuantileMethod, SortKey, SortValues, Sorter};

/// Tests the code in README.md.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
