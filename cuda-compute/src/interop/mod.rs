//! Doors to other libraries: arrays that are handed over without a copy, in both directions.
//!
//! | door | out of an array | into an array |
//! | --- | --- | --- |
//! | DLPack, versioned (1.x) | [`Array::into_dlpack`], [`Array::share_dlpack`], then [`Outgoing::into_raw`] | [`Array::from_dlpack`]; to look first, [`Incoming::from_versioned`] |
//! | DLPack, unversioned | the same, then [`Outgoing::into_raw_unversioned`] | [`Incoming::from_unversioned`] |
//! | `__cuda_array_interface__`, version 3 | [`Array::cuda_array_interface`], [`Array::cuda_array_interface_mut`] | [`Array::from_cuda_array_interface`] |
//! | `ndarray`, on the host, a copy (feature `ndarray`) | `Array::to_ndarray` | `Array::from_ndarray` |
//!
//! ```
//! use cuda_compute::{Array, interop::Incoming};
//! use cuda_safe::{Context, Stream};
//!
//! # fn main() -> cuda_compute::Result<()> {
//! let stream = Stream::new(&Context::primary(0)?)?;
//! let x = Array::from_slice(&stream, &[1.0f32, 2.0, 3.0])?;
//! let raw = x.into_dlpack()?.into_raw(); // for another library, which calls its deleter in the end
//!
//! // SAFETY: a tensor that is handed over once.
//! let tensor = unsafe { Incoming::from_versioned(raw)? };
//! assert_eq!((tensor.shape(), tensor.dtype().bits), (&[3][..], 32));
//! // SAFETY: the elements were computed on this stream, and nobody else writes to them.
//! let y = unsafe { tensor.into_array::<f32>(&stream)? };
//! assert_eq!((&y * 2.0).eval()?.to_vec()?, [2.0, 4.0, 6.0]);
//! # Ok(())
//! # }
//! ```
//!
//! # Who may write
//!
//! Arrays are values: nobody changes the elements of another's. Two libraries that share memory know nothing of that, so:
//!
//! - [`into_dlpack`](Array::into_dlpack) gives an array away. Who takes it is the only one to have the memory, and may
//!   write to it. If other arrays or expressions use the memory too, what is given away is a copy (and flagged so).
//! - [`share_dlpack`](Array::share_dlpack) gives a look at an array. The tensor is flagged as read-only, this library's
//!   arrays stay as they are, and a write to one of them copies it first, while the other library holds the memory. PyTorch 2
//!   and CuPy 13 take no notice of the flag, and let their users write: then the arrays change. The unversioned structure
//!   has no place for the flag, so such a tensor can't be unversioned.
//! - An array made of another library's memory shares it with that library. Who writes to such an array writes to that
//!   memory, and the other library sees it; unless the array shares the memory with other arrays, or the tensor was flagged
//!   as read-only: then the array is copied first. [`Array::copy`] makes it independent.
//!
//! # Order of work
//!
//! A tensor's memory is handed over while work on it may still be enqueued. DLPack's rule, as Python's `__dlpack__(stream)`
//! has it: who takes it names the stream that it will work on, and who gives it makes that stream wait.
//!
//! | `stream` | is |
//! | --- | --- |
//! | none, or 1 | the legacy default stream |
//! | 2 | the default stream of the calling thread |
//! | 0 | refused, as it may mean either |
//! | -1 | nothing is to be ordered: the caller has seen to it |
//! | others | a stream's handle |
//!
//! - Giving: [`Outgoing::ready_on`] for a [`Stream`](cuda_safe::Stream), [`Outgoing::ready_for`] for such a number. For an
//!   event, record one with [`Outgoing::ready_event`].
//! - Taking: pass [`stream_number`] of the array's stream; or pass -1, and give the other library's stream to
//!   [`Incoming::into_array_behind`].
//!
//! # When memory is given back
//!
//! A library that calls a tensor's deleter is done with the memory on the host; its kernels may still run. The memory goes
//! back when they are over:
//!
//! - Of what we gave: behind all work of the stream that was named to [`ready_on`](Outgoing::ready_on). If none was
//!   named, the deleter waits for all work of the context.
//! - Of what we took: the last array's drop waits for the array's stream and calls the deleter, on the thread that drops it.
//!   With [`into_array_behind`](Incoming::into_array_behind), it makes the other library's stream wait instead, and the host
//!   goes on.
//!
//! If nothing can tell whether the work is over, the memory is leaked. A host function must not drop such an array
//! (`cuda_safe::Stream::launch_host_function`): it would be leaked, too.
//!
//! The device must be the array's, and the context the one that the other library uses: for almost all of them, PyTorch and
//! CuPy included, the primary one, `cuda_safe::Context::primary`.

mod cuda_array_interface;
pub mod dlpack;
mod foreign;
mod incoming;
#[cfg(feature = "ndarray")]
mod ndarray;
mod outgoing;
mod place;
mod stream;

pub use cuda_array_interface::CudaArrayInterface;
pub use incoming::Incoming;
pub use outgoing::Outgoing;
pub use stream::stream_number;

pub(crate) use foreign::Foreign;

#[cfg(doc)]
use crate::Array;
