//! Waits for words of memory, and writes of them, by their addresses.

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

/// A wait for a word of memory, or a write of one, by its address: for
/// [`Stream::memory_operations`] and [`Graph::add_memory_operations`](crate::Graph::add_memory_operations).
///
/// The address is that of page-locked host memory ([`PinnedBuffer::device_ptr`](crate::PinnedBuffer::device_ptr)), or of
/// device memory that comes from `cuMemAlloc`: drivers refuse that of pools, which buffers here are made of, and managed
/// memory. It is a multiple of the word's size.
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

    /// Waits for a word of 32 bits.
    #[must_use]
    pub const fn wait_u32(address: CUdeviceptr, until: WaitUntil, value: u32) -> Self {
        Self::new(1, address, value as u64, until.0)
    }

    /// Waits for a word of 64 bits.
    #[must_use]
    pub const fn wait_u64(address: CUdeviceptr, until: WaitUntil, value: u64) -> Self {
        Self::new(4, address, value, until.0)
    }

    /// Writes a word of 32 bits, behind a fence for the whole system.
    #[must_use]
    pub const fn write_u32(address: CUdeviceptr, value: u32) -> Self {
        Self::new(2, address, value as u64, 0)
    }

    /// Writes a word of 64 bits, behind a fence for the whole system.
    #[must_use]
    pub const fn write_u64(address: CUdeviceptr, value: u64) -> Self {
        Self::new(5, address, value, 0)
    }

    /// A fence alone.
    #[must_use]
    pub const fn barrier(scope: BarrierScope) -> Self {
        let mut barrier = Self::new(6, 0, 0, 0);
        barrier.0.scope = scope.0;
        barrier
    }

    /// Makes writes of other devices that have arrived visible to what comes after: needs the attribute
    /// `CAN_FLUSH_REMOTE_WRITES`.
    #[must_use]
    pub const fn flush_remote_writes() -> Self {
        Self::new(3, 0, 0, 0)
    }

    /// As the driver takes them: it may write to what is its own.
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
    /// Enqueues waits and writes of words in memory, in one call: at most 255. The stream does them in their order.
    ///
    /// **If a wait's value never comes, the stream hangs for ever,** and with it whoever waits for it.
    ///
    /// # Safety
    /// The memory lives until the stream has done the operations. Nothing else accesses a word that is written, or
    /// writes a word that is waited for, but by atomic operations: the host by those of `std::sync::atomic`, kernels by
    /// theirs or by volatile accesses of the word's size.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for too many operations, and for an address that the driver does not know or that is
    /// not aligned. [`ErrorKind::Unsupported`] for what the device lacks. The context is
    /// unusable after a fault.
    ///
    /// [`Signal`](crate::memory::Signal) is the safe way, for one word. Here, two of them that the host uses:
    ///
    /// ```
    /// # use cuda_safe::{Context, memory::{MemoryOperation, PinnedFlags, WaitUntil}, PinnedBuffer, Stream};
    /// use std::sync::atomic::{AtomicU32, Ordering};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mut flags = PinnedBuffer::<u32>::with_flags(&context, 2, PinnedFlags::DEVICE_MAP)?;
    /// let address = flags.device_ptr()?;
    /// // SAFETY: atomics have the layout of their numbers, and the two words are used in no other way from here on.
    /// let [go, done] = unsafe { &*flags.as_mut_ptr().cast::<[AtomicU32; 2]>() };
    /// // SAFETY: the flags live until the stream has done both; the host uses atomics.
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
            // SAFETY: as many operations as are said, on a live stream; the rest is the caller's promise.
            unsafe { sys::cuStreamBatchMemOp_v2(self.as_raw(), count, raw, 0) }
        });
        check(self, CALL, code)
    }
}
