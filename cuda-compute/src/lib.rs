//! Arrays in device memory, and ready-made kernels, on top of [`cuda_safe`].
//!
//! ```
//! use cuda_compute::{Array, device_fn, eval, fold, s};
//! use cuda_safe::{Context, Stream};
//!
//! # fn main() -> cuda_compute::Result<()> {
//! let stream = Stream::new(&Context::primary(0)?)?;
//! let x = Array::from_slice(&stream, &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?.reshape([2, 3])?;
//!
//! let y = (x.sqrt() * 2.0 + &x).eval()?; // one kernel, made of the whole expression
//! let (sums, largest) = eval((x.sum_axis(1), y.max()))?; // several results
//! assert_eq!(sums.to_vec()?, [6.0, 15.0]);
//! assert_eq!(largest.item()?, 6.0f32.sqrt() * 2.0 + 6.0);
//!
//! let wave = device_fn!(|x: f32, y: f32| if x < y { x } else { y * 0.5 }); // a closure, as device code
//! let z = wave.map((&x, x.slice(s![0])?)).eval()?; // its row stretches over the other
//! assert_eq!(z.to_vec()?, [0.5, 1.0, 1.5, 0.5, 1.0, 1.5]);
//! let nearest = fold!(|a: f32, b: f32| if a.abs() < b.abs() { a } else { b }, f32::INFINITY);
//! assert_eq!((&z - 1.0).reduce_axis(1, &nearest).eval()?.to_vec()?, [0.0, 0.0]); // a reduction of one's own
//! # Ok(())
//! # }
//! ```
//!
//! # Arrays and expressions
//!
//! - An [`Array`] is a value of up to eight axes. Clones, slices, transpositions and other shapes share its memory;
//!   who writes to one of them gets a copy first, if others still use it.
//! - Operators and methods of arrays give an [`Expr`]: nothing is computed before [`eval`](Expr::eval), which makes one
//!   kernel of all that has one shape, and one of all reductions along the same axes. Operands stretch to a common shape
//!   as NumPy's do. Shapes that don't fit are an error of `eval`, with both shapes and the line.
//! - Types are Rust's: nothing is converted silently, [`cast`](Expr::cast) does it. `f16` and `bf16` are computed as
//!   `f32` and rounded after each operation. Integers wrap around, and divided by zero they are zero.
//! - Expressions need no `unsafe`. What the library lacks is a closure of [`device_fn!`], or a combination of [`fold!`]
//!   for [`reduce`](Expr::reduce). What closures lack is a [`CudaFn`]: CUDA C++ in an expression, which is `unsafe`.
//! - Structs of plain data are elements, by [`derive(Element)`](derive@Element); their fields are arrays that share the
//!   memory.
//! - [`assign`](Array::assign) and [`slice_mut`](Array::slice_mut) write into an array, whose own elements may be
//!   read by the expression: they are as they were before.
//!
//! Images are arrays of shape `[height, width]` or `[height, width, channels]`: [`convolve`](Array::convolve) and
//! [`convolve_with`](Array::convolve_with) filter them, in the type that they have.
//!
//! Kernels are compiled at the first use of an expression's form, or come from the cache on disk.
//! Sizes, strides and numbers are no part of the form, so a loop compiles nothing. What is compiled is kept as long as an
//! array of the context lives. A program that allocates in a loop should tell the driver's memory pool to keep what is
//! freed: [`cuda_safe::MemoryPool`].
//!
//! **Accuracy.** How far each function, sum and running sum may be from the exact result stands in
//! [accuracy](guide::accuracy), and is tested. Operators, `sqrt`, `mul_add` and conversions are rounded correctly, except
//! that `a * b + c` may be rounded once instead of twice. Sums are added by many threads in an order that shape, layout
//! and device decide, so they have the same bits every time.
//!
//! Who knows PyCUDA finds its names in [from PyCUDA](guide::from_pycuda). Arrays go to other libraries and come from them
//! without a copy, by DLPack and `__cuda_array_interface__`: see [`interop`]. With the feature `ndarray`, arrays are made of
//! those of `ndarray` and turned into them.
//!
//! Matrix products are cuBLAS's, with the feature `cublas`: `Array::matmul`. The library is opened at the first product.
//!
//! # Ready-made kernels
//!
//! For device memory that is no array's:
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
//! [`Reducer`] and [`Convolution`] work on device memory of any kind, without an allocation in a call. Each is an object
//! created in a context. Its methods take `&self` and the stream to work on, so one object serves several threads and
//! streams at once. What they are to memory, [`sum`](Expr::sum) and its kin and [`convolve`](Array::convolve) are to arrays.
//! Reductions of one's own are made of closures here too: [`MapReduce::of`].
//!
//! Their kernels are compiled at their first use: for the device at hand, for the types, and for the sizes that matter
//! (of the filter, of the block). They are kept in [`Kernels`], which several objects can share, and as machine code in
//! the disk cache of [`cuda_safe::Program`].
// Where other crates' pages link to if these are not made yet.
#![doc(html_root_url = "https://docs.rs/cuda-compute/0.1.0")]

mod array;
mod closure;
mod convolution;
#[cfg(feature = "cpu")]
pub mod cpu;
mod cuda_fn;
mod element;
mod error;
mod expression;
mod gather;
pub mod guide;
mod histogram;
pub mod interop;
mod kernel;
mod order;
#[cfg(feature = "cublas")]
mod product;
mod random;
#[cfg(test)]
#[path = "../tests/shared/random.rs"]
mod random_numbers;
mod reduce;
mod scan;
mod select;
#[cfg(feature = "tuning")]
pub mod tuning;

pub use array::{
    Array, ArrayMut, AxisIter, Ellipsis, FieldMut, IntoShape, MAX_RANK, NewAxis, Order, Shape,
    SliceItem,
};
pub use closure::{DeviceFn, Fold, device_fn, fold};
pub use convolution::{
    Border, Convolution, ConvolutionOptions, Extent, Filter, Kind, Layout, Pixel,
};
/// Makes a struct of plain data an element of arrays. It needs bytemuck among the dependencies:
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
/// The struct is `#[repr(C)]` and [`Pod`](https://docs.rs/bytemuck/1/bytemuck/trait.Pod.html): any bits are a value of it, and it has no padding.
/// Where C would pad, a field says so, such as `pad: [u8; 7]`. Its fields are numbers (halves and complex ones too), arrays
/// of them, and structs that derive this as well. It has at most 128 bytes, and no parameters.
///
/// The struct and its fields have names of ASCII letters, digits and single underscores. Names of macros and keywords of
/// CUDA C++, such as `NULL` and `class`, are allowed: [`CudaFn`] says what they are called there.
///
/// # What there is for structs
/// - All that moves elements: [`from_slice`](Array::from_slice), [`full`](Array::full), [`assign`](Array::assign) to any
///   part, [`slice`](Array::slice), [`reshape`](Array::reshape), [`permute`](Array::permute), [`take`](Array::take),
///   [`put`](Array::put), [`compress`](Array::compress), [`concatenate`], [`stack`], [`select`](Expr::select), and
///   [`equal`](Expr::equal), which compares all fields.
/// - Their fields: [`Array::field`] shares the memory, [`Array::field_mut`] writes to it, [`Expr::field`] computes with it.
/// - Functions in CUDA C++, [`CudaFn`], which know the struct and its fields by their names; as a [`Combination`], in
///   reductions along any axes and in scans.
///
/// Structs of 1, 2, 4, 8 and 16 bytes are read and written at once; others part by part, as their fields are aligned.
pub use cuda_compute_macros::Element;
pub use cuda_fn::{Combine, CudaFn, Signature};
pub use element::{
    ComplexNumber, DataType, Element, ElementField, FieldType, Float, Integer, Math, Number,
    Ordered, Signed, StructField, StructType,
};
pub use error::{Error, Result};
pub use expression::{
    Absolute, Bits, CastFrom, Evaluate, Expr, HasRemainder, IntoAxes, IntoExpr, Normed, Real,
    Shifts, eval, eval_on,
};
pub use gather::{concatenate, stack};
pub use kernel::Kernels;
#[cfg(feature = "cublas")]
pub use product::{CublasStatus, MatmulOptions};
pub use random::{Random, RandomBits, RandomFloat, RandomInteger};
pub use reduce::{
    MapReduce, Reducer,
    reducible::{Reducible, Scalar},
};
pub use scan::Combination;

/// The code in README.md, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
