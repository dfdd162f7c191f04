//! Contexts, streams and device memory of [cudarc] as those of [`cuda_safe`], and back, without a
//! copy.
//!
//! | from cudarc | by | to `cuda_safe` |
//! | --- | --- | --- |
//! | `Arc<CudaContext>` | [`context`] | [`Context`](cuda_safe::Context) |
//! | `Arc<CudaStream>` | [`stream`] | [`Stream`](cuda_safe::Stream), which keeps cudarc's alive |
//! | `CudaSlice`, `CudaView` and `CudaViewMut`, borrowed | [`read`], [`write()`] | [`DeviceView`](cuda_safe::DeviceView), [`DeviceViewMut`](cuda_safe::DeviceViewMut) |
//! | `CudaSlice`, owned | [`into_buffer`] | [`DeviceBuffer`](cuda_safe::DeviceBuffer) |
//!
//! | from `cuda_safe` | by | to cudarc |
//! | --- | --- | --- |
//! | [`Context`](cuda_safe::Context) | [`cudarc_context`] | `Arc<CudaContext>` |
//! | [`Stream`](cuda_safe::Stream) | [`cudarc_stream`] | `Arc<CudaStream>`, which borrows it |
//! | any device memory, borrowed | [`lend`], [`lend_mut`] | `CudaView`, `CudaViewMut` |
//! | [`DeviceBuffer`](cuda_safe::DeviceBuffer), owned | [`into_slice`] | `CudaSlice` |
//!
//! # Order
//!
//! Every function orders the work before it and after it on the GPU, and none waits on the host:
//!
//! - Borrowed memory is used on one stream, which you pass. This stream waits for the memory's own
//!   stream and for the events that cudarc has recorded. After the closure has returned or
//!   panicked, the memory's stream waits for it. A guard could be forgotten, which is why these
//!   functions take a closure.
//! - Owned memory belongs to its new owner's stream, which waits for the old one.
//!
//! This holds with cudarc's event tracking and without it, for the stream that you pass. cudarc itself
//! orders the use on other streams incompletely: it remembers only the last stream that has read a
//! slice, and it records no events while a context has no created streams. The per-thread default
//! stream orders only work of the calling thread. Within the closure, the rules of the view's library
//! apply: see the [guide](cuda_safe::guide::memory_and_streams).
//!
//! # Example
//!
//! A kernel of this project on memory of cudarc, on cudarc's stream:
//!
//! ```
//! use cuda_safe::{LaunchConfig, Module};
//! use cudarc::driver::CudaContext;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let cudarc = CudaContext::new(0)?;
//! let stream = cudarc.new_stream()?;
//! let mut x = stream.clone_htod(&[1.0f32, 2.0, 3.0])?;
//!
//! let context = cuda_safe_cudarc::context(&cudarc)?;
//! let module = Module::compile(&context, r#"
//!     extern "C" __global__ void double_them(float *x) { x[threadIdx.x] *= 2; }"#)?;
//! let double_them = module.function("double_them")?;
//! cuda_safe_cudarc::write(&mut x, &stream, |stream, mut x| {
//!     // SAFETY: three threads and three elements.
//!     unsafe { double_them.launch(stream, LaunchConfig::new(1, 3), (&mut x,)) }
//! })??;
//! assert_eq!(stream.clone_dtoh(&x)?, [2.0, 4.0, 6.0]);
//! # Ok(())
//! # }
//! ```
//!
//! Arrays of `cuda-compute` take and return buffers: `Array::from_buffer(into_buffer(slice)?, n)`
//! and `into_slice(array.into_buffer()?, &stream)`.
// The link target for other crates' pages if these pages have not been built.
#![doc(html_root_url = "https://docs.rs/cuda-safe-cudarc/0.1.0")]

mod error;
mod memory;
mod stream;

pub use error::{Error, Result};
pub use memory::{CudarcMemory, into_buffer, into_slice, lend, lend_mut, read, write};
pub use stream::{context, cudarc_context, cudarc_stream, stream};

/// The code in README.md, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
