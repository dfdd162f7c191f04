//! Ready-made CUDA kernels over [`cuda_safe`]: reductions and convolution.
//!
//! ```
//! use cuda_compute::Reducer;
//! use cuda_safe::{Context, DeviceBuffer, Stream};
//!
//! # fn main() -> cuda_compute::Result<()> {
//! let context = Context::primary(0)?;
//! let stream = Stream::new(&context)?;
//! let mut reducer = Reducer::new(&stream)?;
//!
//! let numbers: Vec<f32> = (1..=1000).map(|i| i as f32).collect();
//! let numbers = DeviceBuffer::from_slice(&stream, &numbers)?;
//! assert_eq!(reducer.sum(&numbers)?, 500_500.0);
//! assert_eq!(reducer.max(&numbers.slice(..10)?)?, Some(10.0));
//! # Ok(())
//! # }
//! ```
//!
//! Kernels are compiled when they are first asked for, for the device at hand and for the sizes
//! that matter (the filter's, the block's), and kept: in the object, and as machine code in the
//! disk cache of [`cuda_safe::Program`].

mod convolve;
#[cfg(feature = "cpu")]
pub mod cpu;
mod element;
mod error;
mod order;
mod reduce;

pub use convolve::{Border, Convolution, ConvolutionOptions, Extent, Filter, Kind, Layout};
pub use element::{Element, Scalar};
pub use error::{Error, Result};
pub use reduce::{MapReduce, Reducer};
