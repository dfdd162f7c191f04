//! cuBLAS handles: one per stream, each with its own workspace.

use std::{
    ffi::{c_int, c_void},
    ptr,
    sync::{Arc, Mutex, PoisonError},
};

use cuda_safe::{DeviceBuffer, Stream};

use super::{
    library::{self, Functions, OP_N, OP_T, RawHandle, check},
    plan::{Plan, Side},
};
use crate::{error::Result, kernel::Hardware};

/// The handles of a context's streams, most recently used first.
#[derive(Debug, Default)]
pub(crate) struct Handles(Mutex<Vec<Arc<Handle>>>);

/// The maximum number of streams that a handle is kept for. Each handle has up to 32 MiB of
/// workspace, and destroying one waits for the whole device.
pub(super) const STREAMS: usize = 16;

impl Handles {
    /// Returns the stream's handle. The first call for a stream creates it, which takes a while
    /// because cuBLAS loads its kernels.
    pub(super) fn of(&self, stream: &Stream, hardware: &Hardware) -> Result<Arc<Handle>> {
        self.with(library::functions, stream, workspace_bytes(hardware))
    }

    /// Returns the stream's handle, or creates one with these functions.
    pub(super) fn with(
        &self,
        functions: impl FnOnce() -> Result<&'static Functions>,
        stream: &Stream,
        bytes: usize,
    ) -> Result<Arc<Handle>> {
        let mut known = lock(&self.0);
        if let Some(at) = known.iter().position(|handle| handle.stream() == stream) {
            known[..=at].rotate_right(1);
            return Ok(known[0].clone());
        }
        let handle = Arc::new(Handle::new(functions()?, stream, bytes)?);
        known.insert(0, handle.clone());
        let oldest = if known.len() > STREAMS {
            known.pop()
        } else {
            None
        };
        drop(known);
        drop(oldest); // a thread that is about to use it holds a reference
        Ok(handle)
    }
}

/// Returns the workspace size that NVIDIA recommends in the documentation of `cublasSetWorkspace`.
fn workspace_bytes(hardware: &Hardware) -> usize {
    match hardware.capability.major {
        9 | 10 => 32 << 20,
        12 => 12 << 20,
        _ => 4 << 20,
    }
}

/// A cuBLAS handle that enqueues on one stream.
#[derive(Debug)]
pub(crate) struct Handle {
    functions: &'static Functions,
    /// Locked during a call, because a handle can serve only one thread at a time.
    raw: Mutex<Raw>,
    /// Keeps the stream, and so the context, alive. It is freed in stream order after the handle is
    /// destroyed.
    workspace: DeviceBuffer<u8>,
}

#[derive(Debug)]
struct Raw(RawHandle);

// SAFETY: any thread may use a handle, as long as only one does at a time.
unsafe impl Send for Raw {}

/// The types of a matrix product.
#[derive(Clone, Copy, Debug)]
pub(super) struct Types {
    /// The `cudaDataType` of all three matrices.
    pub(super) data: c_int,
    /// The `cublasComputeType_t`.
    pub(super) compute: c_int,
    /// Whether the scaling factors are `f64`.
    pub(super) wide: bool,
}

impl Handle {
    fn new(functions: &'static Functions, stream: &Stream, bytes: usize) -> Result<Self> {
        // If raw calls are capturing the stream, the workspace would belong to the graph. This call
        // fails in that case.
        stream.query()?;
        let workspace = DeviceBuffer::uninit(stream, bytes)?;
        let _current = stream.context().push_current()?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write, and the stream's context is current.
        check("cublasCreate_v2", unsafe { (functions.create)(&mut raw) })?;
        let handle = Self {
            functions,
            raw: Mutex::new(Raw(raw)),
            workspace,
        };
        // SAFETY: the handle and the stream are live and in the same context. The workspace keeps
        // the stream alive.
        let set = unsafe { (functions.set_stream)(raw, stream.as_raw().cast()) };
        check("cublasSetStream_v2", set)?;
        // The workspace is set after the stream, because setting the stream resets it.
        // SAFETY: this is device memory of that size. It is used only on its own stream and freed
        // there after the handle is destroyed.
        let set = unsafe { (functions.set_workspace)(raw, handle.address(), bytes) };
        check("cublasSetWorkspace_v2", set)?;
        let mode = library::DISALLOW_REDUCED_PRECISION_REDUCTION;
        // SAFETY: the handle is live.
        let set = unsafe { (functions.set_math_mode)(raw, mode) };
        check("cublasSetMathMode", set)?;
        Ok(handle)
    }

    fn stream(&self) -> &Stream {
        self.workspace.stream()
    }

    fn address(&self) -> *mut c_void {
        pointer(self.workspace.as_device_ptr())
    }

    /// Enqueues a product.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - `addresses` are those of the first elements of the left operand, the right operand and the
    ///   result;
    /// - each has the elements of this type that the plan accesses;
    /// - each is ordered with the handle's stream.
    pub(super) unsafe fn multiply(
        &self,
        plan: &Plan,
        types: Types,
        element_bytes: usize,
        addresses: [u64; 3],
    ) -> Result<()> {
        // The second number is the imaginary part of a complex number.
        let (one, zero) = ([1.0f32, 0.0], [0.0f32; 2]);
        let (wide_one, wide_zero) = ([1.0f64, 0.0], [0.0f64; 2]);
        let (alpha, beta): (*const c_void, *const c_void) = match types.wide {
            true => (wide_one.as_ptr().cast(), wide_zero.as_ptr().cast()),
            false => (one.as_ptr().cast(), zero.as_ptr().cast()),
        };
        let op = |side: Side| if side.turned { OP_T } else { OP_N };
        let [step_left, step_right, step_result] = plan.steps;
        let _current = self.stream().context().push_current()?;
        let raw = lock(&self.raw);
        for start in &plan.calls {
            let [left, right, result] = std::array::from_fn(|at| {
                let bytes = start[at] * element_bytes as i64;
                pointer(addresses[at].wrapping_add_signed(bytes))
            });
            // SAFETY: the handle is live and its context is current. The factors are on the host
            // and are read before the call returns. The matrices are valid, as the caller promises.
            // The right one comes first, because both are transposed.
            let status = unsafe {
                (self.functions.gemm_strided_batched)(
                    raw.0,
                    op(plan.right),
                    op(plan.left),
                    plan.n,
                    plan.m,
                    plan.k,
                    alpha,
                    right,
                    types.data,
                    plan.right.leading,
                    step_right,
                    left,
                    types.data,
                    plan.left.leading,
                    step_left,
                    beta,
                    result,
                    types.data,
                    plan.n,
                    step_result,
                    plan.count,
                    types.compute,
                    library::GEMM_DEFAULT,
                )
            };
            check("cublasGemmStridedBatchedEx_64", status)?;
        }
        Ok(())
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // In a host function, or if the context no longer exists, nothing can be destroyed.
        let context = self.workspace.stream().context();
        let Ok(_current) = context.push_current() else {
            return;
        };
        let raw = self.raw.get_mut().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: no other reference to the handle exists. A failure can't be handled here.
        let _ = unsafe { (self.functions.destroy)(raw.0) };
    }
}

fn pointer(address: u64) -> *mut c_void {
    ptr::without_provenance_mut(address as usize)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use cuda_safe::ComputeCapability;

    use super::*;

    #[test]
    fn workspaces_are_those_that_nvidia_recommends() {
        let mib = |major| {
            let hardware = Hardware {
                capability: ComputeCapability { major, minor: 0 },
                multiprocessors: 132,
                shared_per_block: 227 << 10,
            };
            workspace_bytes(&hardware) as f64 / f64::from(1 << 20)
        };
        let of = [7, 8, 9, 10, 12].map(mib);
        assert_eq!(of, [4.0, 4.0, 32.0, 32.0, 12.0]);
    }
}
