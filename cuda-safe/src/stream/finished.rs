//! A future that the driver wakes when the work of a stream has finished.

use std::{
    ffi::c_void,
    fmt,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context as Task, Poll, Waker},
};

use cuda_sys::{self as sys, CUresult, CUstream};

use crate::{
    driver::callback,
    error::Result,
    stream::{Stream, event::Event},
};

/// The state that the driver's callback and the future share.
#[derive(Default)]
struct State {
    /// The result of the work, once it has finished.
    code: Option<CUresult>,
    waker: Option<Waker>,
}

type Shared = Mutex<State>;

/// A future that is ready when the work has finished. Created by [`Stream::finished`] and
/// [`Event::finished`].
///
/// It works with any runtime: a driver thread wakes the task that polls it. The driver runs its
/// callbacks one after another, so a slow [host function](Stream::launch_host_function) delays the
/// futures of all streams.
///
/// Dropping the future does not affect the work and does not wait. A canceled task may own other
/// objects whose drops wait. For example, a [`Transfer`](crate::memory::Transfer) waits for its
/// copy when it is dropped, because the device uses its memory until then. If that matters, send
/// such objects to a thread that may wait.
#[must_use = "a future does nothing unless it is awaited"]
pub struct Finished {
    shared: Arc<Shared>,
    stream: Stream,
}

impl Stream {
    /// Returns a future that is ready when all work enqueued so far has finished. The host does not
    /// wait, and no thread is blocked.
    ///
    /// You can then read results at once: `to_vec` and
    /// [`Transfer::wait`](crate::memory::Transfer::wait) do not wait.
    ///
    /// # Errors
    /// Returns an error if the driver is out of memory, if the stream is being captured, or if the
    /// context is unusable after a fault. The future itself returns an error if the work faulted,
    /// in this stream or elsewhere in the context.
    ///
    /// ```
    /// use std::{future::Future, pin::pin, sync::Arc, task::{Context as Task, Poll, Wake, Waker}, thread};
    ///
    /// use cuda_safe::{Context, DeviceBuffer, PinnedBuffer, Stream};
    ///
    /// async fn sum(stream: &Stream, host: PinnedBuffer<u32>) -> cuda_safe::Result<u32> {
    ///     let mut x = DeviceBuffer::<u32>::uninit(stream, host.len())?;
    ///     let transfer = stream.upload(host, &mut x)?;
    ///     stream.finished()?.await?;
    ///     Ok(transfer.wait()?.iter().sum())
    /// }
    ///
    /// // This works with any executor. This one is minimal.
    /// struct Unpark(thread::Thread);
    /// impl Wake for Unpark {
    ///     fn wake(self: Arc<Self>) {
    ///         self.0.unpark();
    ///     }
    /// }
    /// # fn main() -> cuda_safe::Result<()> {
    /// let context = Context::primary(0)?;
    /// let stream = Stream::new(&context)?;
    /// let mut work = pin!(sum(&stream, PinnedBuffer::from_slice(&context, &[1, 2, 3])?));
    /// let waker = Waker::from(Arc::new(Unpark(thread::current())));
    /// let sum = loop {
    ///     match work.as_mut().poll(&mut Task::from_waker(&waker)) {
    ///         Poll::Ready(sum) => break sum?,
    ///         Poll::Pending => thread::park(),
    ///     }
    /// };
    /// assert_eq!(sum, 6);
    /// # Ok(())
    /// # }
    /// ```
    // After a fault, the driver never calls functions of the newer cuLaunchHostFunc, so a task
    // would wait forever.
    #[doc(alias = "cuStreamAddCallback")]
    pub fn finished(&self) -> Result<Finished> {
        const CALL: &str = "cuStreamAddCallback";
        let _current = self.enter_to_wait("Stream::finished")?;
        let shared = Arc::<Shared>::default();
        let data = Arc::into_raw(shared.clone()).cast_mut().cast::<c_void>();
        // SAFETY: `complete` takes exactly this reference, on any thread.
        let code = unsafe { sys::cuStreamAddCallback(self.as_raw(), Some(complete), data, 0) };
        if code != CUresult::CUDA_SUCCESS {
            // SAFETY: the driver did not take the reference.
            drop(unsafe { Arc::from_raw(data.cast_const().cast::<Shared>()) });
        }
        self.check(CALL, code)?;
        Ok(Finished {
            shared,
            stream: self.clone(),
        })
    }
}

impl Event {
    /// Returns a future that is ready when the event is reached. `waiter` is an otherwise unused
    /// stream that waits for the event. Its later work waits for the event too.
    ///
    /// See [`cuStreamAddCallback`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`Stream::wait_event`] and [`Stream::finished`].
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # async fn later() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let waiter = Stream::new(&context)?; // one for many events
    /// let first = DeviceBuffer::<f32>::zeroed(&stream, 1 << 20)?;
    /// let ready = stream.record_event()?;
    /// let second = DeviceBuffer::<f32>::zeroed(&stream, 1 << 20)?;
    /// ready.finished(&waiter)?.await?; // `first` is zeroed, `second` may not be
    /// # drop((first, second));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuStreamAddCallback")]
    pub fn finished(&self, waiter: &Stream) -> Result<Finished> {
        waiter.wait_event(self)?;
        waiter.finished()
    }
}

/// Completes the future. The driver calls this function, also after a fault.
unsafe extern "C" fn complete(_: CUstream, code: CUresult, data: *mut c_void) {
    // SAFETY: this is the reference that `finished` passed to the driver, which makes this call
    // once.
    let shared = unsafe { Arc::from_raw(data.cast_const().cast::<Shared>()) };
    callback::run(|| {
        let waker = {
            let mut state = lock(&shared);
            state.code = Some(code);
            state.waker.take()
        };
        // Not under the lock, because the woken task may poll at once.
        if let Some(waker) = waker {
            waker.wake();
        }
    });
}

fn lock(shared: &Shared) -> std::sync::MutexGuard<'_, State> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Finished {
    /// Returns whether the work has finished. Does not wait, and does not call the driver.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        lock(&self.shared).code.is_some()
    }
}

impl Future for Finished {
    type Output = Result<()>;

    fn poll(self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<Result<()>> {
        let old;
        let code = {
            let mut state = lock(&self.shared);
            let waker = match (state.code, &state.waker) {
                (None, Some(waker)) if waker.will_wake(task.waker()) => return Poll::Pending,
                (None, _) => Some(task.waker().clone()),
                (Some(_), _) => None,
            };
            old = std::mem::replace(&mut state.waker, waker);
            state.code
        };
        drop(old); // not under the lock, because its drop may run any code
        match code {
            None => Poll::Pending,
            Some(code) => Poll::Ready(self.stream.check("cuStreamAddCallback", code)),
        }
    }
}

impl Drop for Finished {
    fn drop(&mut self) {
        // Otherwise the driver's thread would drop the waker and everything it holds, and CUDA
        // calls are forbidden there.
        let waker = lock(&self.shared).waker.take();
        drop(waker);
    }
}

impl fmt::Debug for Finished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = if self.is_finished() {
            "finished"
        } else {
            "pending"
        };
        write!(f, "Finished({state}, {:?})", self.stream)
    }
}
