//! A word that streams and the host write, and that streams wait for.

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
    error::{Result, ends_context, fault::unheard},
    memory::{
        PinnedBuffer, PinnedFlags, PlainData,
        operation::{WaitUntil, check},
    },
    stream::Stream,
};

/// What a [`Signal`] holds: `u32` or `u64`.
pub trait SignalWord: PlainData + sealed::Word {}

impl SignalWord for u32 {}
impl SignalWord for u64 {}

mod sealed {
    use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

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

        /// # Safety
        /// A live, aligned word, which nothing accesses but by atomic operations.
        unsafe fn load(word: *mut Self) -> Self;

        /// # Safety
        /// As `load`.
        unsafe fn store(word: *mut Self, value: Self);
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

        unsafe fn load(word: *mut Self) -> Self {
            // SAFETY: as this function's contract says.
            unsafe { AtomicU32::from_ptr(word) }.load(Ordering::Acquire)
        }

        unsafe fn store(word: *mut Self, value: Self) {
            // SAFETY: as this function's contract says.
            unsafe { AtomicU32::from_ptr(word) }.store(value, Ordering::Release);
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

        unsafe fn load(word: *mut Self) -> Self {
            // SAFETY: as this function's contract says.
            unsafe { AtomicU64::from_ptr(word) }.load(Ordering::Acquire)
        }

        unsafe fn store(word: *mut Self, value: Self) {
            // SAFETY: as this function's contract says.
            unsafe { AtomicU64::from_ptr(word) }.store(value, Ordering::Release);
        }
    }
}

/// A word of page-locked memory that the host and streams write, and that streams wait for: to hold work back until the
/// host says so, or to tell the host how far a stream has come. It takes no kernel, and no thread waits.
///
/// **A stream that waits for a value that never comes hangs for ever,** and with it whoever waits for the stream. That is
/// no memory unsafety, and all of this is safe.
///
/// Dropping the signal frees the word. If a stream still has work with it, or if that is not known, the word is leaked instead
/// (a page of memory), so keep the signal until the streams are done. After a fault this is not known in a process that has had
/// several contexts.
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
/// stream.write_signal(&progress, 1)?; // when the buffer is filled
///
/// assert_eq!(progress.get(), 0); // nothing has begun
/// go.set(1);
/// stream.synchronize()?;
/// assert_eq!(progress.get(), 1);
/// # drop(buffer);
/// # Ok(())
/// # }
/// ```
pub struct Signal<T: SignalWord> {
    /// Never read or written by itself: only its memory is used, by atomic operations.
    memory: ManuallyDrop<PinnedBuffer<T>>,
    word: NonNull<T>,
    address: CUdeviceptr,
    context: Context,
    /// Streams that were given something with the word.
    streams: Mutex<Vec<Stream>>,
}

// SAFETY: the word is accessed by atomic operations only; all else may be used from any thread.
unsafe impl<T: SignalWord> Send for Signal<T> {}
// SAFETY: as above.
unsafe impl<T: SignalWord> Sync for Signal<T> {}

impl<T: SignalWord> Signal<T> {
    /// A signal with a value to begin with.
    ///
    /// # Errors
    /// As [`PinnedBuffer::with_flags`].
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

    /// The value. What a stream did before it wrote the value is visible to this thread.
    #[must_use]
    pub fn get(&self) -> T {
        // SAFETY: the word lives as long as this, and nothing accesses it but by atomic operations.
        unsafe { T::load(self.word.as_ptr()) }
    }

    /// Sets the value. What this thread did before is visible to streams that see the value.
    pub fn set(&self, value: T) {
        // SAFETY: as `get`.
        unsafe { T::store(self.word.as_ptr(), value) }
    }

    /// The word's address for the device, for a kernel that reads it by volatile or atomic accesses, and for
    /// [`Stream::memory_operations`]. What is enqueued so is not noticed here: the signal must outlive it.
    #[must_use]
    pub fn device_ptr(&self) -> CUdeviceptr {
        self.address
    }

    /// Makes a call for a stream, which is remembered.
    fn enqueue(
        &self,
        stream: &Stream,
        call: &'static str,
        enqueue: impl FnOnce(CUstream, CUdeviceptr) -> CUresult,
    ) -> Result<()> {
        self.context
            .expect_same(stream.context(), call, "the signal and the stream")?;
        // A graph would use the word in every launch.
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

/// Whether the stream's work on its signals is known to be over. Does not wait: the stream may wait for a signal.
fn is_over(stream: &Stream) -> bool {
    match stream.query().or_else(|_| stream.query()) {
        Ok(done) => done,
        // After a fault no wait blocks. `settle` knows whether this context's work may go on.
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
        // SAFETY: once, and it is not used again.
        let memory = unsafe { ManuallyDrop::take(&mut self.memory) };
        // An error here can't be acted upon.
        let _ = release(&streams.clone(), move || {
            match unheard(|| streams.iter().all(is_over)) {
                true => memory.close(),
                false => {
                    mem::forget(memory); // a stream may still write it
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
    /// Enqueues a wait: what the stream is given from now on runs when the signal's word is as `until` and `value` say.
    /// The device polls; neither the host nor a kernel waits.
    ///
    /// **If that never happens, the stream hangs for ever.** See [`Signal`].
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a signal of another context, and while the
    /// stream is being captured. [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) where the device lacks this
    /// (the attributes `CAN_USE_64_BIT_STREAM_MEM_OPS` and `CAN_USE_STREAM_WAIT_VALUE_NOR`). The context is unusable after
    /// a fault.
    #[doc(alias = "cuStreamWaitValue32")]
    #[doc(alias = "cuStreamWaitValue64")]
    pub fn wait_signal<T: SignalWord>(
        &self,
        signal: &Signal<T>,
        until: WaitUntil,
        value: T,
    ) -> Result<()> {
        // SAFETY: a live stream; the signal keeps the word until the stream is done.
        signal.enqueue(self, T::WAIT, |stream, address| unsafe {
            value.wait(stream, address, until.0)
        })
    }

    /// Enqueues a write of the signal's word, behind a fence: who sees the value sees what the stream wrote before.
    ///
    /// # Errors
    /// As [`wait_signal`](Self::wait_signal).
    #[doc(alias = "cuStreamWriteValue32")]
    #[doc(alias = "cuStreamWriteValue64")]
    pub fn write_signal<T: SignalWord>(&self, signal: &Signal<T>, value: T) -> Result<()> {
        // SAFETY: as `wait_signal`.
        signal.enqueue(self, T::WRITE, |stream, address| unsafe {
            value.write(stream, address)
        })
    }
}
