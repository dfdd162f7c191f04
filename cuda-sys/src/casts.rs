//! The header's macros that contain a cast, which bindgen can't turn into constants.

use core::ffi::c_void;
use core::ptr::without_provenance_mut;

use crate::{CUdevice, CUstream};

/// The legacy default stream: one for all threads, ordered with every blocking stream.
///
/// `((CUstream)0x1)` in `cuda.h`.
pub const CU_STREAM_LEGACY: CUstream = without_provenance_mut(1);

/// The default stream of the calling thread.
///
/// `((CUstream)0x2)` in `cuda.h`.
pub const CU_STREAM_PER_THREAD: CUstream = without_provenance_mut(2);

/// Ends the `extra` argument of `cuLaunchKernel`.
///
/// `((void*)0)` in `cuda.h`.
pub const CU_LAUNCH_PARAM_END: *mut c_void = without_provenance_mut(0);

/// In `extra`: the next value points at the buffer of packed arguments.
///
/// `((void*)1)` in `cuda.h`.
pub const CU_LAUNCH_PARAM_BUFFER_POINTER: *mut c_void = without_provenance_mut(1);

/// In `extra`: the next value points at a `size_t`, the size of the buffer in bytes.
///
/// `((void*)2)` in `cuda.h`.
pub const CU_LAUNCH_PARAM_BUFFER_SIZE: *mut c_void = without_provenance_mut(2);

/// The CPU, for calls that take a device.
///
/// `((CUdevice)-1)` in `cuda.h`.
pub const CU_DEVICE_CPU: CUdevice = -1;

/// No device.
///
/// `((CUdevice)-2)` in `cuda.h`.
pub const CU_DEVICE_INVALID: CUdevice = -2;
