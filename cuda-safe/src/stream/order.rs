//! Ordering of one stream's work with the streams that own its memory.

use crate::{
    capture::Entered,
    error::{Error, Result, fault::discarding_errors},
    stream::{Owner, Stream, event::Event},
};

impl Stream {
    /// Calls `work`, which enqueues work on this stream that uses memory of the `owners`, and
    /// orders that work with the owners' streams.
    ///
    /// The work runs after all work enqueued on the owners' streams so far. It runs before all work
    /// enqueued there later, including the freeing of the memory. The host does not wait.
    ///
    /// Every method of this crate that takes memory and a stream does this. Use it for launches
    /// that use memory of other streams, and in libraries.
    ///
    /// See [`cuStreamWaitEvent`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the error of `work`. Returns an error without calling `work` if memory belongs only
    /// to another context and to no stream, if a stream is being captured, or if no memory for an
    /// event is left. Returns an error after calling `work` if an owner's stream could not be made
    /// to wait. The host has then waited for the work instead.
    ///
    /// # Aborts
    /// Aborts the process like [`Settled::or_abort`](crate::Settled::or_abort) if that wait fails
    /// too.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, LaunchConfig, Module, Result, Stream};
    /// # fn main() -> Result<()> {
    /// # let context = Context::primary(0)?;
    /// let (stream, other) = (Stream::new(&context)?, Stream::new(&context)?);
    /// # let source = r#"extern "C" __global__ void add(int *x, const int *y) {
    /// #     x[threadIdx.x] += y[threadIdx.x]; }"#;
    /// # let add = Module::compile(&context, source)?.function("add")?;
    /// let mut x = DeviceBuffer::from_slice(&stream, &[1, 2, 3])?;
    /// let y = DeviceBuffer::from_slice(&other, &[10, 20, 30])?;
    /// stream.ordered_with([y.view().owner()], || -> Result<()> {
    ///     // SAFETY: three threads and three elements. The launch is ordered with the stream of
    ///     // `y`.
    ///     unsafe { add.launch(&stream, LaunchConfig::new(1, 3), (&mut x, &y)) }
    /// })?;
    /// drop(y); // on `other`, after the kernel
    /// assert_eq!(x.to_vec(&stream)?, [11, 22, 33]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// If the work writes to memory, the memory is borrowed exclusively. Clone its stream before:
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, LaunchConfig, Module, Owner, Result, Stream};
    /// # fn main() -> Result<()> {
    /// # let context = Context::primary(0)?;
    /// let (stream, other) = (Stream::new(&context)?, Stream::new(&context)?);
    /// # let source = r#"extern "C" __global__ void count(int *x) { x[threadIdx.x] = threadIdx.x; }"#;
    /// # let count = Module::compile(&context, source)?.function("count")?;
    /// let mut x = DeviceBuffer::<i32>::zeroed(&other, 3)?;
    /// let own = x.stream().clone();
    /// stream.ordered_with([Owner::from(&own)], || -> Result<()> {
    ///     // SAFETY: three threads and three elements. The launch is ordered with the stream of
    ///     // `x`.
    ///     unsafe { count.launch(&stream, LaunchConfig::new(1, 3), (&mut x,)) }
    /// })?;
    /// assert_eq!(x.to_vec(&other)?, [0, 1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuStreamWaitEvent")]
    pub fn ordered_with<'a, R, E: From<Error>>(
        &self,
        owners: impl IntoIterator<Item = Owner<'a>>,
        work: impl FnOnce() -> Result<R, E>,
    ) -> Result<R, E> {
        self.ordered("Stream::ordered_with", owners, work)
    }

    /// Orders streams like [`ordered_with`](Self::ordered_with). Errors name `call`, the method
    /// that the user called.
    pub(crate) fn ordered<'a, R, E: From<Error>>(
        &self,
        call: &'static str,
        owners: impl IntoIterator<Item = Owner<'a>>,
        work: impl FnOnce() -> Result<R, E>,
    ) -> Result<R, E> {
        let mut others: Vec<&Stream> = Vec::new(); // allocates only if there are other streams
        for owner in owners {
            match owner {
                Owner::Stream(other) if other == self || others.contains(&other) => {}
                Owner::Stream(other) => others.push(other),
                Owner::Context(context) => {
                    self.context()
                        .expect_same(context, call, "the stream and the memory")?;
                }
            }
        }
        if others.is_empty() {
            return work();
        }
        // No stream may become captured before the others wait for the work, because their waits
        // would be recorded.
        let mut entered = vec![self.block_captures(call)?];
        for other in &others {
            entered.push(other.block_captures(call)?);
        }
        let captured = self.expect_captured_together(&others, call)?;
        if captured {
            entered.clear(); // they stay captured, and other streams may join
        }
        // Create the event for the end before the work, and after everything else that can fail.
        let done = Event::without_timing(self.context())?;
        for other in &others {
            self.wait_uncaptured(&other.record_event()?)?;
        }
        let mut owners_to_order = OwnersToOrder {
            stream: self,
            others,
            done,
            captured,
            released: false,
            _entered: entered,
        };
        let result = work();
        // Also after a failure, because part of the work may have been enqueued.
        let released = owners_to_order.release();
        let value = result?;
        released?;
        Ok(value)
    }
}

/// The owners' streams, which must wait for the work even if it panics.
struct OwnersToOrder<'a> {
    stream: &'a Stream,
    others: Vec<&'a Stream>,
    done: Event,
    /// Whether the work is captured. It then runs later, and the host cannot wait for it.
    captured: bool,
    released: bool,
    _entered: Vec<Entered>,
}

impl OwnersToOrder<'_> {
    /// Makes the owners' streams wait for the work.
    fn release(&mut self) -> Result<()> {
        self.released = true;
        let result = self.done.record(self.stream).and_then(|()| {
            let waits = self.others.iter();
            let waits = waits.map(|other| other.wait_uncaptured(&self.done));
            // Make all of them wait, even if one fails.
            waits.fold(Ok(()), Result::and)
        });
        if result.is_err() && !self.captured {
            // An owner that does not wait may free its memory, so the host must wait. After a fault
            // no owner can free memory, whichever context faulted.
            let _ = discarding_errors(|| self.stream.settle()).or_abort_without_fault();
        }
        result
    }
}

impl Drop for OwnersToOrder<'_> {
    fn drop(&mut self) {
        if !self.released {
            let _ = discarding_errors(|| self.release());
        }
    }
}
