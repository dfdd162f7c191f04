//! Single values in device memory that streams write, and wait for.

use std::ffi::c_uint;

use cuda_sys::{self as sys, CUdeviceptr, CUresult, CUstream, CUstreamBatchMemOpParams};

use super::{DeviceMemory, PlainData, Storage, StorageMut, copy::Span};
use crate::{
    error::{Error, ErrorKind, Result},
    flags::choices,
    stream::Stream,
};

choices! {
    /// When a stream that waits for a value goes on (`CUstreamWaitValue_flags`).
    pub struct WaitUntil(c_uint) {
        /// The word is at least the value, seen as a difference with a sign: a counter may wrap round.
        AT_LEAST = 0, "CU_STREAM_WAIT_VALUE_GEQ";
        /// The word is the value.
        EQUAL = 1, "CU_STREAM_WAIT_VALUE_EQ";
        /// The word has one of the value's bits.
        ANY_BIT = 2, "CU_STREAM_WAIT_VALUE_AND";
        /// A bit that the value lacks is not set in the word: `!(word | value) != 0`.
        NOT_ALL_BITS = 3, "CU_STREAM_WAIT_VALUE_NOR";
    }
}

choices! {
    /// For whom the writes before a barrier are visible to those after it (`CUstreamMemoryBarrier_flags`).
    pub struct BarrierScope(c_uint) {
        /// For the host and all devices.
        SYSTEM = 0, "CU_STREAM_MEMORY_BARRIER_TYPE_SYS";
        /// For the stream's device.
        DEVICE = 1, "CU_STREAM_MEMORY_BARRIER_TYPE_GPU";
    }
}

/// What a stream can write and wait for: `u32` and `u64`.
pub trait MemoryWord: PlainData + sealed::Word {}

impl MemoryWord for u32 {}
impl MemoryWord for u64 {}

mod sealed {
    use super::{CUdeviceptr, CUresult, CUstream, c_uint, sys};

    pub trait Word: Copy {
        const WRITE: &'static str;
        const WAIT: &'static str;

        /// # Safety
        /// A live stream, and a live, aligned word.
        unsafe fn write(self, stream: CUstream, address: CUdeviceptr) -> CUresult;

        /// # Safety
        /// As `write`.
        unsafe fn wait(self, stream: CUstream, address: CUdeviceptr, until: c_uint) -> CUresult;
    }

    impl Word for u32 {
        const WRITE: &'static str = "cuStreamWriteValue32_v2";
        const WAIT: &'static str = "cuStreamWaitValue32_v2";

        unsafe fn write(self, stream: CUstream, address: CUdeviceptr) -> CUresult {
            // SAFETY: as this function's contract says.
            unsafe { sys::cuStreamWriteValue32_v2(stream, address, self, 0) }
        }

        unsafe fn wait(self, stream: CUstream, address: CUdeviceptr, until: c_uint) -> CUresult {
            // SAFETY: as this function's contract says.
            unsafe { sys::cuStreamWaitValue32_v2(stream, address, self, until) }
        }
    }

    impl Word for u64 {
        const WRITE: &'static str = "cuStreamWriteValue64_v2";
        const WAIT: &'static str = "cuStreamWaitValue64_v2";

        unsafe fn write(self, stream: CUstream, address: CUdeviceptr) -> CUresult {
            // SAFETY: as this function's contract says.
            unsafe { sys::cuStreamWriteValue64_v2(stream, address, self, 0) }
        }

        unsafe fn wait(self, stream: CUstream, address: CUdeviceptr, until: c_uint) -> CUresult {
            // SAFETY: as this function's contract says.
            unsafe { sys::cuStreamWaitValue64_v2(stream, address, self, until) }
        }
    }
}

impl<S: Storage, T: MemoryWord> DeviceMemory<S, T> {
    /// Enqueues a wait: what the stream is given from now on runs when the element at `index` is as `until` and `value`
    /// say. The device polls; neither the host nor a kernel waits.
    ///
    /// **If that never happens, the stream hangs for ever,** and with it whoever waits for it: the memory's own stream
    /// among them, since its memory must outlive the wait. So what writes the value comes from elsewhere: from a kernel
    /// on a third stream, say, or it was enqueued before the wait. It is no memory unsafety, and this method is safe.
    /// To wait for a word of host memory, see [`Stream::memory_operations`].
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for an index out of range.
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) where the device lacks this (the attributes
    /// `CAN_USE_64_BIT_STREAM_MEM_OPS` and `CAN_USE_STREAM_WAIT_VALUE_NOR`). The context is unusable after a fault.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream, WaitUntil};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mut progress = DeviceBuffer::<u32>::zeroed(&stream, 1)?;
    /// progress.write_value(&stream, 0, 3)?;
    /// let other = Stream::new(&context)?;
    /// progress.wait_value(&other, 0, WaitUntil::AT_LEAST, 2)?;
    /// other.synchronize()?;
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuStreamWaitValue32")]
    #[doc(alias = "cuStreamWaitValue64")]
    pub fn wait_value(
        &self,
        stream: &Stream,
        index: usize,
        until: WaitUntil,
        value: T,
    ) -> Result<()> {
        let address = address::<T>(self.span(), index, T::WAIT)?;
        stream.ordered_with([self.owner()], || {
            let _current = stream.enter()?;
            // SAFETY: an element of live memory, which its owner's stream frees after the wait.
            let code = unsafe { value.wait(stream.as_raw(), address, until.0) };
            check(stream, T::WAIT, code)
        })
    }
}

impl<S: StorageMut, T: MemoryWord> DeviceMemory<S, T> {
    /// Enqueues a write of the element at `index`, behind a fence: who sees the value sees what the stream wrote before.
    ///
    /// # Errors
    /// As [`wait_value`](Self::wait_value).
    #[doc(alias = "cuStreamWriteValue32")]
    #[doc(alias = "cuStreamWriteValue64")]
    pub fn write_value(&mut self, stream: &Stream, index: usize, value: T) -> Result<()> {
        let address = address::<T>(self.span(), index, T::WRITE)?;
        stream.ordered_with([self.owner()], || {
            let _current = stream.enter()?;
            // SAFETY: an element of live memory, which its owner's stream frees after the write.
            let code = unsafe { value.write(stream.as_raw(), address) };
            check(stream, T::WRITE, code)
        })
    }
}

fn address<T>(span: Span<'_>, index: usize, call: &'static str) -> Result<CUdeviceptr> {
    let len = span.bytes / size_of::<T>();
    if index >= len {
        return Err(Error::invalid(
            call,
            format!("element {index} of memory with {len}"),
        ));
    }
    Ok(span.ptr + (index * size_of::<T>()) as CUdeviceptr)
}

fn check(stream: &Stream, call: &'static str, code: CUresult) -> Result<()> {
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
/// The address is one that the device knows: of device memory, of managed memory, or of page-locked host memory
/// ([`PinnedBuffer::device_ptr`](crate::PinnedBuffer::device_ptr)). It is a multiple of the word's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryOperation(Raw);

/// `CUstreamBatchMemOpParams`: how bindings name the parts of that union depends on their header.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Raw {
    operation: c_uint,
    /// A barrier's flags.
    scope: c_uint,
    address: CUdeviceptr,
    value: u64,
    flags: c_uint,
    rest: [u64; 2],
}

const _: () = assert!(size_of::<Raw>() == size_of::<CUstreamBatchMemOpParams>());
const _: () = assert!(align_of::<Raw>() == align_of::<CUstreamBatchMemOpParams>());

impl MemoryOperation {
    const fn new(operation: c_uint, address: CUdeviceptr, value: u64, flags: c_uint) -> Self {
        Self(Raw {
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
        let mut raw: Vec<Raw> = operations.iter().map(|operation| operation.0).collect();
        call(raw.as_mut_ptr().cast(), raw.len() as c_uint)
    }
}

impl Stream {
    /// Enqueues waits and writes of words in memory, in one call: at most 256. The stream does them in their order.
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
    /// not aligned. [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for what the device lacks. The context is
    /// unusable after a fault.
    ///
    /// A flag that the host sets:
    ///
    /// ```
    /// # use cuda_safe::{Context, MemoryOperation, PinnedBuffer, PinnedFlags, Stream, WaitUntil};
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
        let _current = self.enter()?;
        let code = MemoryOperation::with_raw(operations, |raw, count| {
            // SAFETY: as many operations as are said, on a live stream; the rest is the caller's promise.
            unsafe { sys::cuStreamBatchMemOp_v2(self.as_raw(), count, raw, 0) }
        });
        check(self, CALL, code)
    }
}
