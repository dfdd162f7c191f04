//! Ready-made CUDA kernels on top of [`cuda_safe`]: reductions and convolution.
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
//! Every algorithm is an object created in a context. Its methods take `&self` and the stream to work on, so one
//! object serves several threads and streams at once.
//!
//! Kernels are compiled at their first use: for the device at hand, for the types, and for the sizes that matter (of
//! the filter, of the block). They are kept in [`Kernels`], which several objects can share, and as machine code in
//! the disk cache of [`cuda_safe::Program`].

mod array;
mod closure;
mod convolution;
#[cfg(feature = "cpu")]
pub mod cpu;
mod element;
mod error;
mod expression;
mod kernel;
mod order;
mod random;
mod reduce;
#[cfg(feature = "tuning")]
pub mod tuning;

pub use array::{Array, ArrayMut, Ellipsis, IntoShape, MAX_RANK, NewAxis, Order, Shape, SliceItem};
pub use closure::{DeviceFn, Fold, device_fn, fold};
pub use convolution::{Border, Convolution, ConvolutionOptions, Extent, Filter, Kind, Layout};
pub use element::{
    ComplexNumber, DataType, Element, Float, Integer, Math, Number, Ordered, Signed,
};
pub use error::{Error, Result};
pub use expression::{
    Absolute, Bits, CastFrom, Evaluate, Expr, HasRemainder, IntoAxes, IntoExpr, Real, Shifts, eval,
    eval_on,
};
pub use kernel::Kernels;
pub use random::{Random, RandomBits, RandomFloat, RandomInteger};
pub use reduce::{
    MapReduce, Reducer,
    reducible::{Reducible, Scalar},
};
