//! Writes of other devices to memory of a context (GPUDirect RDMA).

use cuda_sys::{self as sys, CUflushGPUDirectRDMAWritesScope, CUflushGPUDirectRDMAWritesTarget};

use super::Context;
use crate::error::Result;
pub use crate::raw::context::FlushScope;

impl Context {
    /// Waits until writes that a network card has made to this context's device (GPUDirect RDMA)
    /// are visible within `scope`.
    ///
    /// This is needed if the device does not keep such writes in order (see the attribute
    /// `GPU_DIRECT_RDMA_WRITES_ORDERING`).
    ///
    /// See [`cuFlushGPUDirectRDMAWrites`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the device cannot flush
    /// such writes (see the attribute `GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS`). Returns
    /// `CUDA_ERROR_INVALID_VALUE` if the driver does not know the scope.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceAttribute, peer::FlushScope};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let options = context.device().attribute(DeviceAttribute::GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS)?;
    /// assert_eq!(context.flush_gpu_direct_writes(FlushScope::OWNER).is_ok(), options & 1 != 0);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuFlushGPUDirectRDMAWrites")]
    pub fn flush_gpu_direct_writes(&self, scope: FlushScope) -> Result<()> {
        let _current = self.enter("cuFlushGPUDirectRDMAWrites")?;
        // SAFETY: the call uses the current context, and the driver rejects an unknown scope.
        let code = unsafe {
            sys::cuFlushGPUDirectRDMAWrites(
                CUflushGPUDirectRDMAWritesTarget::CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX,
                CUflushGPUDirectRDMAWritesScope(scope.0),
            )
        };
        self.check("cuFlushGPUDirectRDMAWrites", code)
    }
}
