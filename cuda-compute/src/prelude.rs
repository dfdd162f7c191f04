//! The names that most programs need, from this crate and from [`cuda_safe`].
//!
//! ```
//! use cuda_compute::prelude::*;
//!
//! fn main() -> Result<()> {
//!     let context = Context::primary(0)?;
//!     let stream = Stream::new(&context)?;
//!     let z = Array::from_slice(&stream, &[Complex::new(3.0f32, 4.0), Complex::new(0.0, 1.0)])?;
//!     let mut size = z.abs().eval()?;
//!
//!     let source = r#"extern "C" __global__ void invert(float *x) { x[threadIdx.x] = 1 / x[threadIdx.x]; }"#;
//!     let invert = Module::compile(&context, source)?.function("invert")?;
//!     // SAFETY: two threads and two elements.
//!     unsafe { invert.launch(&stream, LaunchConfig::new(1, 2), (&mut size,))? };
//!     assert_eq!(size.to_vec()?, [0.2, 1.0]);
//!     Ok(())
//! }
//! ```
//!
//! `Error` and `Result` are those of this crate. If you import everything from both crates instead,
//! write `use cuda_safe::*; use cuda_compute::{*, Error, Result};`: these two names are in both.

#[doc(no_inline)]
pub use cuda_safe::{
    Context, Device, DeviceBuffer, DeviceView, DeviceViewMut, Event, Function, In, InOut,
    LaunchConfig, ManagedBuffer, MemoryPool, Module, Out, PinnedBuffer, Program, Sampler, Stream,
    Texture, WithLen, array::CudaArray, kernels, launch::ByValue, texture::TextureSource,
};

#[doc(no_inline)]
pub use crate::{
    Array, ArrayMut, Combination, Complex, CudaFn, DataType, DeviceFn, Element, Ellipsis, Error,
    Expr, Fold, IntoExpr, NewAxis, Order, QuantileMethod, Random, Result, STRIDED_HEADER, Shape,
    Strided, StridedMut, bf16, concatenate, device_fn, eval, eval_on, f16, fold, s, stack,
};
