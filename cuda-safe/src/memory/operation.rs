//! Stream operations that write memory words or wait for them, by address.

use std::ffi::c_uint;

use cuda_sys::{self as sys, CUdeviceptr, CUresult, CUstreamBatchMemOpParams};

pub use crate::raw::memory::{BarrierScope, WaitUntil};
use crate::{
    error::{ErrorKind, Result},
    raw::structures::RawMemoryOperation,
    stream::Stream,
};

pub(crate) fn check(stream: &Stream, call: &'static str, code: CUresult) -> Result<()> {
    let checked = stream.check(call, code);
    match code {
        CUresult::CUDA_ERROR_NOT_SUPPORTED => {
            checked.map_err(|error| error.with_kind(ErrorKind::Unsupported))
        }
        _ => checked,
    }
}

/// A stream operation on a memory word: a wait for a value, a write, or a fence. Used by
/// [`Stream::memory_operations`] and
/// [`Graph::add_memory_operations`](crate::Graph::add_memory_operations).
///
/// The address must be a multiple of the word's size. It can be that of page-locked host memory
/// ([`PinnedBuffer::device_ptr`](crate::PinnedBuffer::device_ptr)) or of device memory from
/// `cuMemAlloc`. Drivers reject managed memory and memory from pools. The buffers of this crate
/// come from pools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryOperation(RawMemoryOperation);

impl MemoryOperation {
    const fn new(operation: c_uint, address: CUdeviceptr, value: u64, flags: c_uint) -> Self {
        Self(RawMemoryOperation {
            operation,
            scope: 0,
            address,
            value,
            flags,
            rest: [0; 2],
        })
    }

    /// Creates a wait for a 32-bit word.
    #[must_use]
    pub const fn wait_u32(address: CUdeviceptr, until: WaitUntil, value: u32) -> Self {
        Self::new(1, address, value as u64, until.0)
    }

    /// Creates a wait for a 64-bit word.
    #[must_use]
    pub const fn wait_u64(address: CUdeviceptr, until: WaitUntil, value: u64) -> Self {
        Self::new(4, address, value, until.0)
    }

    /// Creates a write of a 32-bit word, preceded by a system-wide memory fence.
    #[must_use]
    pub const fn write_u32(address: CUdeviceptr, value: u32) -> Self {
        Self::new(2, address, value as u64, 0)
    }

    /// Creates a write of a 64-bit word, preceded by a system-wide memory fence.
    #[must_use]
    pub const fn write_u64(address: CUdeviceptr, value: u64) -> Self {
        Self::new(5, address, value, 0)
    }

    /// Creates a memory fence.
    #[must_use]
    pub const fn barrier(scope: BarrierScope) -> Self {
        let mut barrier = Self::new(6, 0, 0, 0);
        barrier.0.scope = scope.0;
        barrier
    }

    /// Creates a flush that makes writes of other devices that have arrived visible to later work.
    /// Requires the device attribute `CAN_FLUSH_REMOTE_WRITES`.
    #[must_use]
    pub const fn flush_remote_writes() -> Self {
        Self::new(3, 0, 0, 0)
    }

    /// Passes the operations to `call` in a copy, because the driver may write to the array.
    pub(crate) fn with_raw<R>(
        operations: &[Self],
        call: impl FnOnce(*mut CUstreamBatchMemOpParams, c_uint) -> R,
    ) -> R {
        let mut raw: Vec<RawMemoryOperation> =
            operations.iter().map(|operation| operation.0).collect();
        call(raw.as_mut_ptr().cast(), raw.len() as c_uint)
    }
}

impl Stream {
    /// Enqueues waits and writes of memory words in one call. The stream executes them in order.
    ///
    /// The driver accepts at most 255 operations.
    ///
    /// **If an awaited value is never written, the stream hangs forever,** and so does every thread
    /// that waits for it.
    ///
    /// See [`cuStreamBatchMemOp`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEMOP.html) in NVIDIA's manual.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - the memory lives until the stream has executed the operations;
    /// - nothing else accesses a word that is written, or writes a word that is awaited, except by
    ///   atomic operations (the host with `std::sync::atomic`, kernels with atomics or with
    ///   volatile accesses of the word's size).
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if there are too many operations, or if an address is
    /// unknown to the driver or misaligned. Returns [`ErrorKind::Unsupported`] if the device lacks
    /// an operation. Also returns an error if the context is unusable after a fault.
    ///
    /// For one word, [`Signal`](crate::memory::Signal) is the safe alternative. This example shares
    /// two words with the host:
    ///
    /// ```
    /// # use cuda_safe::{Context, memory::{MemoryOperation, PinnedFlags, WaitUntil}, PinnedBuffer, Stream};
    /// use std::sync::atomic::{AtomicU32, Ordering};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mut flags = PinnedBuffer::<u32>::with_flags(&context, 2, PinnedFlags::DEVICE_MAP)?;
    /// let address = flags.device_ptr()?;
    /// // SAFETY: an atomic has the layout of its integer type, and from here on the words are only
    /// used atomically.
    /// let [go, done] = unsafe { &*flags.as_mut_ptr().cast::<[AtomicU32; 2]>() };
    /// // SAFETY: the flags live until the stream has executed both operations, and the host uses
    /// atomics.
    /// unsafe {
    ///     stream.memory_operations(&[
    ///         MemoryOperation::wait_u32(address, WaitUntil::EQUAL, 1),
    ///         MemoryOperation::write_u32(address + 4, 7),
    ///     ])?;
    /// }
    /// assert!(!stream.query()?);
    /// go.store(1, Ordering::Release);
    /// stream.synchronize()?;
    /// assert_eq!(done.load(Ordering::Acquire), 7);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuStreamBatchMemOp")]
    pub unsafe fn memory_operations(&self, operations: &[MemoryOperation]) -> Result<()> {
        const CALL: &str = "cuStreamBatchMemOp_v2";
        if operations.is_empty() {
            return Ok(());
        }
        let _current = self.enter("cuStreamBatchMemOp_v2")?;
        let code = MemoryOperation::with_raw(operations, |raw, count| {
            // SAFETY: the array has `count` operations and the stream is live. The caller promises
            // the rest.
            unsafe { sys::cuStreamBatchMemOp_v2(self.as_raw(), count, raw, 0) }
        });
        check(self, CALL, code)
    }
}
