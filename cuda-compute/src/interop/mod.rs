//! Exchange of arrays with other libraries, in both directions and without copies.
//!
//! | interface | from an array | to an array |
//! | --- | --- | --- |
//! | DLPack, versioned (1.x) | [`Array::into_dlpack`], [`Array::share_dlpack`], then [`ExportedTensor::into_raw`] | [`Array::from_dlpack`]; to inspect it first, [`ImportedTensor::from_versioned`] |
//! | DLPack, unversioned | the same, then [`ExportedTensor::into_raw_unversioned`] | [`ImportedTensor::from_unversioned`] |
//! | `__cuda_array_interface__`, version 3 | [`Array::cuda_array_interface`], [`Array::cuda_array_interface_mut`] | [`Array::from_cuda_array_interface`] |
//! | an address, for libraries that free memory in the order of a stream | [`Array::view`], [`Array::into_buffer`] | [`Array::from_raw`] |
//! | `ndarray`, on the host, a copy (feature `ndarray`) | `Array::to_ndarray` | `Array::from_ndarray` |
//!
//! ```
//! use cuda_compute::{Array, interop::ImportedTensor};
//! use cuda_safe::{Context, Stream};
//!
//! # fn main() -> cuda_compute::Result<()> {
//! let stream = Stream::new(&Context::primary(0)?)?;
//! let x = Array::from_slice(&stream, &[1.0f32, 2.0, 3.0])?;
//! let raw = x.into_dlpack()?.into_raw(); // for another library, which later calls its deleter
//!
//! // SAFETY: a tensor that is handed over once.
//! let tensor = unsafe { ImportedTensor::from_versioned(raw)? };
//! assert_eq!((tensor.shape(), tensor.dtype().bits), (&[3][..], 32));
//! // SAFETY: the elements were computed on this stream, and no other work writes to them.
//! let y = unsafe { tensor.into_array::<f32>(&stream)? };
//! assert_eq!((&y * 2.0).eval()?.to_vec()?, [2.0, 4.0, 6.0]);
//! # Ok(())
//! # }
//! ```
//!
//! # Who may write
//!
//! Arrays have value semantics: writing to one array never changes another. Other libraries that
//! share the memory don't know this, so these rules apply:
//!
//! - [`into_dlpack`](Array::into_dlpack) transfers an array to another library. This consumer
//!   becomes the only user of the memory and may write to it. If other arrays or expressions use
//!   the memory too, the tensor is a copy, and flagged as one.
//! - [`share_dlpack`](Array::share_dlpack) gives read access. The tensor is flagged as read-only,
//!   and this library's arrays keep their elements. While the other library holds the memory,
//!   writing to one of these arrays copies it first. PyTorch 2 and CuPy 13 ignore the flag and let
//!   their users write, which changes the arrays. The unversioned structure has no room for the
//!   flag, so such a tensor can't be unversioned.
//! - An array of another library's memory shares the memory with that library. Writes to the array
//!   are visible to the other library. If the array shares the memory with other arrays, or if the
//!   tensor was flagged as read-only, the array is copied before it is written. [`Array::copy`]
//!   makes it independent.
//!
//! # Order of work
//!
//! Work on a tensor's memory may still be in progress when the tensor is handed over. DLPack's
//! rule, as in Python's `__dlpack__(stream)`, is that the consumer names the stream that it will
//! work on, and the producer makes that stream wait.
//!
//! | `stream` | meaning |
//! | --- | --- |
//! | none, or 1 | the legacy default stream |
//! | 2 | the default stream of the calling thread |
//! | 0 | rejected, because it is ambiguous |
//! | -1 | no ordering: the caller has ordered the work |
//! | others | a stream's handle |
//!
//! - Export: call [`ExportedTensor::ready_on`] with a [`Stream`](cuda_safe::Stream), or
//!   [`ExportedTensor::ready_for`] with such a number. To get an event instead, call
//!   [`ExportedTensor::ready_event`].
//! - Import: pass the [`stream_number`] of the array's stream. Alternatively, pass -1, and pass the
//!   other library's stream to [`ImportedTensor::into_array_with_producer`].
//!
//! # When memory is freed
//!
//! When a library calls a tensor's deleter, it no longer uses the memory on the host, but its
//! kernels may still run. The memory is freed when they have finished:
//!
//! - Memory that this library exported is freed after all work on the stream that was passed to
//!   [`ready_on`](ExportedTensor::ready_on). If no stream was passed, the deleter waits for all work
//!   of the context.
//! - For memory that this library imported, dropping the last array waits for the array's stream
//!   and calls the deleter on the same thread. With
//!   [`into_array_with_producer`](ImportedTensor::into_array_with_producer), it
//!   makes the other library's stream wait instead, and the host does not wait.
//!
//! If it is unknown whether the work has finished, the memory is leaked. Do not drop such an array
//! in a host function (`cuda_safe::Stream::launch_host_function`), because that leaks the memory
//! too.
//!
//! The array must be on the same device and in the same context that the other library uses. For
//! almost all libraries, including PyTorch and CuPy, that is the primary context,
//! `cuda_safe::Context::primary`.

mod cuda_array_interface;
pub mod dlpack;
mod exported;
#[cfg(feature = "ndarray")]
mod host_array;
mod imported;
mod place;
mod raw;
mod stream;

/// The version of the crate `ndarray` whose arrays [`Array::from_ndarray`] reads and
/// [`Array::to_ndarray`] returns.
#[cfg(feature = "ndarray")]
pub use ::ndarray;
pub use cuda_array_interface::CudaArrayInterface;
pub use exported::ExportedTensor;
#[cfg(feature = "ndarray")]
pub use host_array::HostArray;
pub use imported::ImportedTensor;
pub use stream::stream_number;

#[cfg(doc)]
use crate::Array;
