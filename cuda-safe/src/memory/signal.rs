//! Signals: words of memory that the host and streams write, and that streams wait for.

use std::{
    ffi::c_uint,
    fmt,
    mem::{self, ManuallyDrop},
    ptr::NonNull,
    sync::{Mutex, PoisonError},
};

use cuda_sys::{self as sys, CUdeviceptr, CUresult, CUstream};

use crate::{
    capture::release,
    context::Context,
    error::{Result, ends_context, fault::discarding_errors},
    memory::{
        PinnedBuffer, PinnedFlags, PlainData,
        operation::{WaitUntil, check},
    },
    stream::Stream,
};

/// The type of the value of a [`Signal`]: `u32` or `u64`.
pub trait SignalWord: PlainData + sealed::Word {}

impl SignalWord for u32 {}
impl SignalWord for u64 {}

mod sealed {
    use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

    use super::{CUdeviceptr, CUresult, CUstream, c_uint, sys};

    pub trait Word: Copy {
        const WRITE: &'static str;
        const WAIT: &'static str;

        /// Enqueues a write of the value to a word.
        ///
        /// # Safety
        /// The caller must ensure that `stream` is live and that `address` is a live, aligned word.
        unsafe fn write(self, stream: CUstream, address: CUdeviceptr) -> CUresult;

        /// Enqueues a wait for the value in a word.
        ///
        /// # Safety
        /// The contract of [`write`](Self::write) applies.
        unsafe fn wait(self, stream: CUstream, address: CUdeviceptr, until: c_uint) -> CUresult;

        /// Reads a word atomically.
        ///
        /// # Safety
        /// The caller must ensure that `word` is live and aligned, and is accessed only atomically.
        unsafe fn load(word: *mut Self) -> Self;

        /// Writes a word atomically.
        ///
        /// # Safety
        /// The contract of [`load`](Self::load) applies.
        unsafe fn store(word: *mut Self, value: Self);
    }

    impl Word for u32 {
        const WRITE: &'static str = "cuStreamWriteValue32_v2";
        const WAIT: &'static str = "cuStreamWaitValue32_v2";

        unsafe fn write(self, stream: CUstream, address: CUdeviceptr) -> CUresult {
            // SAFETY: guaranteed by this function's contract.
            unsafe { sys::cuStreamWriteValue32_v2(stream, address, self, 0) }
        }

        unsafe fn wait(self, stream: CUstream, address: CUdeviceptr, until: c_uint) -> CUresult {
            // SAFETY: guaranteed by this function's contract.
            unsafe { sys::cuStreamWaitValue32_v2(stream, address, self, until) }
        }

        unsafe fn load(word: *mut Self) -> Self {
            // SAFETY: guaranteed by this function's contract.
            unsafe { AtomicU32::from_ptr(word) }.load(Ordering::Acquire)
        }

        unsafe fn store(word: *mut Self, value: Self) {
            // SAFETY: guaranteed by this function's contract.
            unsafe { AtomicU32::from_ptr(word) }.store(value, Ordering::Release);
        }
    }

    impl Word for u64 {
        const WRITE: &'static str = "cuStreamWriteValue64_v2";
        const WAIT: &'static str = "cuStreamWaitValue64_v2";

        unsafe fn write(self, stream: CUstream, address: CUdeviceptr) -> CUresult {
            // SAFETY: guaranteed by this function's contract.
            unsafe { sys::cuStreamWriteValue64_v2(stream, address, self, 0) }
        }

        unsafe fn wait(self, stream: CUstream, address: CUdeviceptr, until: c_uint) -> CUresult {
            // SAFETY: guaranteed by this function's contract.
            unsafe { sys::cuStreamWaitValue64_v2(stream, address, self, until) }
        }

        unsafe fn load(word: *mut Self) -> Self {
            // SAFETY: guaranteed by this function's contract.
            unsafe { AtomicU64::from_ptr(word) }.load(Ordering::Acquire)
        }

        unsafe fn store(word: *mut Self, value: Self) {
            // SAFETY: guaranteed by this function's contract.
            unsafe { AtomicU64::from_ptr(word) }.store(value, Ordering::Release);
        }
    }
}

/// A word of page-locked memory that the host and streams write, and that streams wait for.
///
/// Use a signal to hold a stream's work back until the host allows it, or to report a stream's
/// progress to the host. It needs no kernel, and no thread blocks.
///
/// **A stream that waits for a value that is never written hangs forever,** and so does every
/// thread that waits for the stream. This does not break memory safety, so the methods are safe.
///
/// Dropping the signal frees the word. If a stream still uses the word, or if this is unknown, the
/// word (a page of memory) is leaked instead, so keep the signal until the streams are done. After
/// a fault, this is unknown if the process has had several contexts.
///
/// ```
/// use cuda_safe::{Context, DeviceBuffer, memory::{Signal, WaitUntil}, Stream};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// let go = Signal::<u32>::new(&context, 0)?;
/// let progress = Signal::<u32>::new(&context, 0)?;
/// stream.wait_signal(&go, WaitUntil::EQUAL, 1)?;
/// let buffer = DeviceBuffer::<f32>::zeroed(&stream, 1 << 16)?;
/// stream.write_signal(&progress, 1)?; // after the buffer is filled
///
/// assert_eq!(progress.get(), 0); // the stream is still waiting
/// go.set(1);
/// stream.synchronize()?;
/// assert_eq!(progress.get(), 1);
/// # drop(buffer);
/// # Ok(())
/// # }
/// ```
pub struct Signal<T: SignalWord> {
    /// Only the memory of this buffer is used, by atomic operations. Its elements are never
    /// accessed directly.
    memory: ManuallyDrop<PinnedBuffer<T>>,
    word: NonNull<T>,
    address: CUdeviceptr,
    context: Context,
    /// The streams that have enqueued work with the word.
    streams: Mutex<Vec<Stream>>,
}

// SAFETY: the word is only accessed atomically. All other fields can be used from any thread.
unsafe impl<T: SignalWord> Send for Signal<T> {}
// SAFETY: as above.
unsafe impl<T: SignalWord> Sync for Signal<T> {}

impl<T: SignalWord> Signal<T> {
    /// Creates a signal with an initial value.
    ///
    /// # Errors
    /// Returns an error if the word cannot be allocated: see [`PinnedBuffer::with_flags`].
    pub fn new(context: &Context, value: T) -> Result<Self> {
        let mut memory = PinnedBuffer::with_flags(context, 1, PinnedFlags::DEVICE_MAP)?;
        memory[0] = value;
        let address = memory.device_ptr()?;
        let word = NonNull::from(&mut memory[0]);
        Ok(Self {
            memory: ManuallyDrop::new(memory),
            word,
            address,
            context: context.clone(),
            streams: Mutex::default(),
        })
    }

    /// Returns the value. All that a stream wrote before it wrote this value is visible to the
    /// calling thread.
    #[must_use]
    pub fn get(&self) -> T {
        // SAFETY: the word lives as long as `self` and is only accessed atomically.
        unsafe { T::load(self.word.as_ptr()) }
    }

    /// Sets the value. All that the calling thread wrote before is visible to streams that see the
    /// value.
    pub fn set(&self, value: T) {
        // SAFETY: as in `get`.
        unsafe { T::store(self.word.as_ptr(), value) }
    }

    /// Returns the word's device address, for kernels that read it by volatile or atomic accesses
    /// and for [`Stream::memory_operations`].
    ///
    /// The signal does not track such uses. You must keep it alive until they are done.
    #[must_use]
    pub fn device_ptr(&self) -> CUdeviceptr {
        self.address
    }

    /// Enqueues one operation on a stream, and remembers the stream.
    fn enqueue(
        &self,
        stream: &Stream,
        call: &'static str,
        enqueue: impl FnOnce(CUstream, CUdeviceptr) -> CUresult,
    ) -> Result<()> {
        self.context
            .expect_same(stream.context(), call, "the signal and the stream")?;
        // A graph would use the word in every launch, and the signal could not know when.
        let _uncaptured = stream.uncaptured(call, "use Graph::add_memory_operations")?;
        {
            let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
            if !streams.contains(stream) {
                streams.push(stream.clone());
            }
        }
        check(stream, call, enqueue(stream.as_raw(), self.address))
    }
}

/// Returns whether the stream's work on its signals is known to be over. Does not wait, because the
/// stream may be waiting for a signal.
fn is_over(stream: &Stream) -> bool {
    match stream.query().or_else(|_| stream.query()) {
        Ok(done) => done,
        // After a fault no wait blocks. `settle` knows whether this context's work may still run.
        Err(error) if error.driver_code().is_some_and(ends_context) => {
            stream.settle().or_leak().is_ok()
        }
        Err(_) => false,
    }
}

impl<T: SignalWord> Drop for Signal<T> {
    fn drop(&mut self) {
        let streams = mem::take(
            self.streams
                .get_mut()
                .unwrap_or_else(PoisonError::into_inner),
        );
        // SAFETY: taken only once, and not used afterwards.
        let memory = unsafe { ManuallyDrop::take(&mut self.memory) };
        // `drop` cannot return an error.
        let _ = release(&streams.clone(), move || {
            match discarding_errors(|| streams.iter().all(is_over)) {
                true => memory.close(),
                false => {
                    mem::forget(memory); // a stream may still write to it
                    Ok(())
                }
            }
        });
    }
}

impl<T: SignalWord + fmt::Debug> fmt::Debug for Signal<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signal({:?}, {:#x})", self.get(), self.address)
    }
}

impl Stream {
    /// Enqueues a wait: later work on the stream runs once the signal's word satisfies `until` and
    /// `value`. The device polls the word, so neither the host nor a kernel waits.
    ///
    /// **If the word never satisfies the condition, the stream hangs forever.** See [`Signal`].
    ///
    /// See [`cuStreamWaitValue32`, `cuStreamWaitValue64`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEMOP.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the signal
    /// belongs to another context, or if the stream is capturing. Returns
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the device lacks the feature
    /// (the attributes `CAN_USE_64_BIT_STREAM_MEM_OPS` and `CAN_USE_STREAM_WAIT_VALUE_NOR`). Also
    /// returns an error if the context is unusable after a fault.
    #[doc(alias = "cuStreamWaitValue32")]
    #[doc(alias = "cuStreamWaitValue64")]
    pub fn wait_signal<T: SignalWord>(
        &self,
        signal: &Signal<T>,
        until: WaitUntil,
        value: T,
    ) -> Result<()> {
        // SAFETY: the stream is live, and the signal keeps the word until the stream is done.
        signal.enqueue(self, T::WAIT, |stream, address| unsafe {
            value.wait(stream, address, until.0)
        })
    }

    /// Enqueues a write of the signal's word, preceded by a memory fence.
    ///
    /// A thread or stream that sees the value also sees everything that the stream wrote before.
    ///
    /// See [`cuStreamWriteValue32`, `cuStreamWriteValue64`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEMOP.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the signal
    /// belongs to another context, or if the stream is capturing. Returns
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the device lacks the feature.
    /// Also returns an error if the context is unusable after a fault.
    #[doc(alias = "cuStreamWriteValue32")]
    #[doc(alias = "cuStreamWriteValue64")]
    pub fn write_signal<T: SignalWord>(&self, signal: &Signal<T>, value: T) -> Result<()> {
        // SAFETY: as in `wait_signal`.
        signal.enqueue(self, T::WRITE, |stream, address| unsafe {
            value.write(stream, address)
        })
    }
}
