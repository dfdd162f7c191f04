//! Order among streams.

use crate::{
    capture::Entered,
    error::{Error, Result, fault::unheard},
    stream::{Owner, Stream, event::Event},
};

impl Stream {
    /// Calls `work`, which enqueues on this stream and uses memory of the `owners`. What it enqueues runs after
    /// everything enqueued on the owners' streams so far, and before everything enqueued there later, the freeing of
    /// the memory included. The host does not wait.
    ///
    /// Every method of this crate that takes memory and a stream does this. It is public for launches on memory of
    /// other streams, and for libraries.
    ///
    /// # Errors
    /// `work`'s own error. Before `work` is called: memory that belongs to another context and to no stream; a stream
    /// that is being captured; no memory for an event is left. Afterwards: an owner's stream could not be made to
    /// wait; the host has waited for the work instead.
    ///
    /// # Aborts
    /// As [`Settled::or_abort`](crate::Settled::or_abort), where that wait fails too.
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
    ///     // SAFETY: three threads, three elements; ordered with the stream of `y`.
    ///     unsafe { add.launch(&stream, LaunchConfig::new(1, 3), (&mut x, &y)) }
    /// })?;
    /// drop(y); // on `other`, after the kernel
    /// assert_eq!(x.to_vec(&stream)?, [11, 22, 33]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Memory that is written is borrowed exclusively, so its stream is cloned before:
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
    ///     // SAFETY: three threads, three elements; ordered with the stream of `x`.
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

    /// As [`ordered_with`](Self::ordered_with). Its errors name `call`, the method that the user called.
    pub(crate) fn ordered<'a, R, E: From<Error>>(
        &self,
        call: &'static str,
        owners: impl IntoIterator<Item = Owner<'a>>,
        work: impl FnOnce() -> Result<R, E>,
    ) -> Result<R, E> {
        let mut others: Vec<&Stream> = Vec::new(); // allocates only where there are some
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
        // No stream may become captured before the others wait for the work: they would not wait for it then.
        let mut entered = vec![self.hold_captures_off(call)?];
        for other in &others {
            entered.push(other.hold_captures_off(call)?);
        }
        let captured = self.expect_captured_together(&others, call)?;
        if captured {
            entered.clear(); // they stay captured, and other streams may join them
        }
        // Events last, when nothing else can fail any more: what is needed after the work is created before it.
        let done = Event::without_timing(self.context())?;
        for other in &others {
            self.wait_uncaptured(&other.record_event()?)?;
        }
        let mut behind = Behind {
            stream: self,
            others,
            done,
            captured,
            told: false,
            _entered: entered,
        };
        let result = work();
        // Also after a failure: part of the work may have been enqueued.
        let told = behind.tell();
        let value = result?;
        told?;
        Ok(value)
    }
}

/// The owners' streams, which must wait for the work even if it panics.
struct Behind<'a> {
    stream: &'a Stream,
    others: Vec<&'a Stream>,
    done: Event,
    /// What is captured runs later, and can't be waited for.
    captured: bool,
    told: bool,
    _entered: Vec<Entered>,
}

impl Behind<'_> {
    fn tell(&mut self) -> Result<()> {
        self.told = true;
        let told = self.done.record(self.stream).and_then(|()| {
            let waits = self.others.iter();
            let waits = waits.map(|other| other.wait_uncaptured(&self.done));
            // All of them, even if one fails.
            waits.fold(Ok(()), Result::and)
        });
        if told.is_err() && !self.captured {
            // An owner that does not wait may free its memory: now only the host can wait. After a fault no owner can free
            // memory, whichever context faulted.
            let _ = unheard(|| self.stream.settle()).or_abort_without_fault();
        }
        told
    }
}

impl Drop for Behind<'_> {
    fn drop(&mut self) {
        if !self.told {
            let _ = unheard(|| self.tell());
        }
    }
}
