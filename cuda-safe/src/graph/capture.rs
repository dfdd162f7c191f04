//! Graphs captured from streams.

use std::{cell::RefCell, ffi::c_uint, ptr};

use cuda_sys::{self as sys, CUresult, CUstreamCaptureMode};

use super::{
    Graph, Node,
    held::{Held, UNTAGGED},
    host::HostFunction,
};
use crate::{
    capture::{CaptureMode, Start, UnderWay},
    driver::newer,
    error::{Error, Result},
    stream::{Stream, event::Event},
};

/// A running capture. See [`Stream::capture`].
pub struct Capture<'a> {
    stream: &'a Stream,
    held: RefCell<Held>,
}

impl Stream {
    /// Records the operations that `work` enqueues on this stream instead of running them, and
    /// returns them as a graph.
    ///
    /// The capture always ends, even if `work` fails or panics. In that case nothing has run, and
    /// you can use the stream as before. The mode is [`CaptureMode::THREAD_LOCAL`].
    ///
    /// **Recorded operations.** Launches, fills, copies between device memory, and
    /// [`Capture::host_function`]. Another stream joins the capture if it calls
    /// [`wait_stream`](Self::wait_stream) on this one. Its operations can then run in parallel with
    /// the rest. At the end this stream must wait for it. A stream that has not joined runs its
    /// work at once, as usual.
    ///
    /// **Forbidden operations.** Calls that wait on any stream, copies from and to host slices,
    /// allocations, memory of streams that are not part of the capture, and launches of other
    /// graphs. Methods of this crate return an error for these, and the capture continues. If the
    /// driver itself returns an error, the capture ends: for a `wait_event` or `wait_stream` on
    /// work outside of the capture, and for raw calls that the mode forbids. Objects that you drop
    /// during the capture are freed after it.
    ///
    /// **Waiting.** Before it begins, the capture waits for calls of other threads that wait for
    /// this stream or for its whole context. In [`CaptureMode::GLOBAL`] it waits for all calls of
    /// other threads that such a capture would forbid.
    ///
    /// See [`cuStreamBeginCapture`, `cuStreamEndCapture`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in NVIDIA's manual.
    ///
    /// # Safety
    /// The captured operations run with every launch of the graph. Until the graph, or the
    /// [`GraphExec`](super::GraphExec) instantiated from it, has been dropped and its launches have
    /// finished, the caller must ensure that:
    ///
    /// - memory, modules, events, semaphores and host functions that captured calls use are alive,
    ///   including those of raw calls, and graphs that raw calls launch. [`Graph::hold`],
    ///   [`Capture::hold`] and [`Capture::host_function`] do this for the values that you pass;
    /// - the contracts of captured launches hold for each launch of the graph. A launch on any
    ///   stream is ordered with this stream, and so with memory that belongs to it. This also
    ///   applies to graphs that were updated from this one or contain it as a child. You must order
    ///   memory that belongs to other streams, including streams that have joined;
    /// - nothing uses host memory that captured raw calls or kernels use;
    /// - kernels are correct for all values that safe methods may later write to memory that they
    ///   read: see [`Graph::add_kernel`].
    ///
    /// While `work` runs, other threads must not enqueue anything on this stream, or on a stream
    /// that joins the capture, unless it should be recorded. Methods of this crate that borrow host
    /// memory, allocate, free or wait are safe to call there: they fail, or wait for the end of the
    /// capture.
    ///
    /// # Errors
    /// Returns the errors of `work`. Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the stream is already
    /// being captured, or is the legacy default stream. Returns the driver's error if a call has
    /// invalidated the capture (`CUDA_ERROR_STREAM_CAPTURE_INVALIDATED`), or if this stream did not
    /// wait for a stream that had joined (`CUDA_ERROR_STREAM_CAPTURE_UNJOINED`).
    ///
    /// ```
    /// use cuda_safe::{Context, DeviceBuffer, LaunchConfig, Module, Result, Stream, WithLen};
    ///
    /// # fn main() -> Result<()> {
    /// let context = Context::primary(0)?;
    /// let stream = Stream::new(&context)?;
    /// let add_one = Module::compile(&context, r#"
    ///     extern "C" __global__ void add_one(int *x, int n) {
    ///         const int i = blockIdx.x * blockDim.x + threadIdx.x;
    ///         if (i < n) x[i] += 1;
    ///     }"#)?.function("add_one")?;
    /// let mut x = DeviceBuffer::<i32>::zeroed(&stream, 1000)?;
    /// let config = LaunchConfig::for_elements(x.len());
    ///
    /// // SAFETY: `x` and the kernel outlive the graph, and `x` belongs to this stream.
    /// let graph = unsafe {
    ///     stream.capture(|_| -> Result<()> {
    ///         for _ in 0..10 {
    ///             add_one.launch(&stream, config, (WithLen::i32(&mut x),))?;
    ///         }
    ///         Ok(())
    ///     })?
    /// };
    /// let mut exec = graph.instantiate()?;
    /// for _ in 0..3 {
    ///     exec.launch(&stream)?; // one call for ten launches
    /// }
    /// assert_eq!(x.to_vec(&stream)?, [30; 1000]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuStreamBeginCapture")]
    #[doc(alias = "cuStreamEndCapture")]
    pub unsafe fn capture<E: From<Error>>(
        &self,
        work: impl FnOnce(&Capture<'_>) -> Result<(), E>,
    ) -> Result<Graph, E> {
        // SAFETY: guaranteed by this function's contract.
        unsafe { self.capture_with_mode(CaptureMode::THREAD_LOCAL, work) }
    }

    /// Does the same as [`capture`](Self::capture), with another mode.
    ///
    /// See [`cuStreamBeginCapture`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in NVIDIA's manual.
    ///
    /// # Safety
    /// The caller must ensure that the contract of [`capture`](Self::capture) holds.
    ///
    /// # Errors
    /// Returns the errors of [`capture`](Self::capture).
    #[doc(alias = "cuStreamBeginCapture")]
    pub unsafe fn capture_with_mode<E: From<Error>>(
        &self,
        mode: CaptureMode,
        work: impl FnOnce(&Capture<'_>) -> Result<(), E>,
    ) -> Result<Graph, E> {
        let recording = Recording::begin(self, mode, None)?;
        let capture = Capture::of(self);
        let worked = work(&capture);
        let ended = recording.end();
        // The held objects are dropped after the graph, in any case.
        let held = capture.held.into_inner();
        match (worked, ended) {
            (Ok(()), Ok(raw)) => {
                // SAFETY: the graph was just created and has no other owner. This function's
                // contract guarantees the rest.
                let mut graph = unsafe { Graph::with_held(self.context(), raw, held) };
                graph.held.order_with(self);
                Ok(graph)
            }
            (Ok(()), Err(error)) => Err(error.into()),
            (Err(error), ended) => {
                if let Ok(raw) = ended {
                    // SAFETY: as above. The graph is destroyed.
                    drop(unsafe { Graph::with_held(self.context(), raw, held) });
                }
                Err(error)
            }
        }
    }

    /// Adds a stream's work to an existing graph. The first recorded nodes depend on the nodes in
    /// `after`.
    ///
    /// Code that takes a stream can thus become part of a graph that is built by hand. Otherwise
    /// this does the same as [`capture`](Self::capture).
    ///
    /// See [`cuStreamBeginCaptureToGraph`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in NVIDIA's manual.
    ///
    /// # Safety
    /// The caller must ensure that the contract of [`capture`](Self::capture) holds for the graph.
    ///
    /// # Errors
    /// Returns the errors of [`capture`](Self::capture). The graph may then contain the nodes that
    /// were recorded before the error. Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if a node belongs to
    /// another graph or the stream to another context. Returns
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the driver is older than CUDA
    /// 12.3.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Error, Stream, graph::Graph};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mut x = DeviceBuffer::<u32>::zeroed(&stream, 4)?;
    /// let mut graph = Graph::new(&context)?;
    /// let start = graph.add_empty(&[])?;
    /// // SAFETY: the buffer outlives the graph, and belongs to the stream.
    /// unsafe { stream.capture_into(&mut graph, &[start], |_| x.fill(&stream, 3))? };
    /// assert_eq!(graph.nodes()?.len(), 2);
    /// graph.instantiate()?.launch(&stream)?;
    /// assert_eq!(x.to_vec(&stream)?, [3; 4]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuStreamBeginCaptureToGraph")]
    pub unsafe fn capture_into<E: From<Error>>(
        &self,
        graph: &mut Graph,
        after: &[Node],
        work: impl FnOnce(&Capture<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        const CALL: &str = "Stream::capture_into";
        let same = "the graph and the stream";
        graph.context().expect_same(self.context(), CALL, same)?;
        for &node in after {
            graph.expect_own(node, CALL)?;
        }
        graph.held.order_with(self);
        let mode = CaptureMode::THREAD_LOCAL;
        // Declared first, so that the graph gets the held objects after the capture has ended, also
        // after a panic.
        let raw = graph.as_raw();
        let open = Open {
            capture: Capture::of(self),
            held: &mut graph.held,
        };
        let recording = Recording::begin(self, mode, Some((raw, after)))?;
        let worked = work(&open.capture);
        let ended = recording.end();
        worked?;
        Ok(ended.map(drop)?)
    }
}

/// A capture into an existing graph, which gets the objects that the capture holds.
struct Open<'a> {
    capture: Capture<'a>,
    held: &'a mut Held,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.held.absorb(UNTAGGED, self.capture.held.get_mut());
    }
}

impl<'a> Capture<'a> {
    fn of(stream: &'a Stream) -> Self {
        Self {
            stream,
            held: RefCell::default(),
        }
    }
}

impl Capture<'_> {
    /// Returns the stream that is captured.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        self.stream
    }

    /// Keeps a value alive until the graph, or the [`GraphExec`](super::GraphExec) instantiated
    /// from it, has been dropped and its launches have finished.
    pub fn hold(&self, value: impl Send + 'static) {
        self.held.borrow_mut().other(value);
    }

    /// Records a call of `function` on a driver thread, once in every launch, as
    /// [`Graph::add_host_function`] does.
    ///
    /// See [`cuLaunchHostFunc`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXEC.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault.
    #[doc(alias = "cuLaunchHostFunc")]
    pub fn host_function<F>(&self, function: F) -> Result<()>
    where
        F: FnMut() + Send + 'static,
    {
        let function = HostFunction::new(function);
        let _current = self.stream.enter("cuLaunchHostFunc")?;
        let (call, data) = function.as_raw();
        // SAFETY: the data is a number, which stays valid.
        let code = unsafe { sys::cuLaunchHostFunc(self.stream.as_raw(), call, data) };
        // After a failure too, because a part may have been recorded.
        self.held.borrow_mut().host(UNTAGGED, function);
        self.stream.check("cuLaunchHostFunc", code)
    }
}

impl Capture<'_> {
    /// Adds a node that records `event` in every launch, for work outside of the graph, as
    /// [`Graph::add_event_record`] does. [`Event::record`] in a capture only orders captured work.
    ///
    /// See [`cuEventRecordWithFlags`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EVENT.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the event
    /// belongs to another context. Returns an error if the context is unusable after a fault.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Event, Result, Stream};
    /// # fn main() -> Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let (half, other) = (Event::new(&context)?, Stream::new(&context)?);
    /// let mut x = DeviceBuffer::<u32>::zeroed(&stream, 2)?;
    /// // SAFETY: the buffer outlives the graph, and belongs to the stream.
    /// let graph = unsafe {
    ///     stream.capture(|capture| -> Result<()> {
    ///         x.slice_mut(..1)?.fill(&stream, 1)?;
    ///         capture.record_event(&half)?;
    ///         x.slice_mut(1..)?.fill(&stream, 2)
    ///     })?
    /// };
    /// let mut exec = graph.instantiate()?;
    /// exec.launch(&stream)?;
    /// other.wait_event(&half)?; // continues when the first half is filled
    /// # other.synchronize()?;
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuEventRecordWithFlags")]
    #[doc(alias = "CU_EVENT_RECORD_EXTERNAL")]
    pub fn record_event(&self, event: &Event) -> Result<()> {
        const CALL: &str = "cuEventRecordWithFlags";
        /// `CU_EVENT_RECORD_EXTERNAL`
        const EXTERNAL: c_uint = 1;
        let what = "the captured stream and the event";
        let context = self.stream.context();
        context.expect_same(event.context(), CALL, what)?;
        self.held.borrow_mut().event(UNTAGGED, event);
        let _current = self.stream.enter("cuEventRecordWithFlags")?;
        // SAFETY: both handles are live, and the graph holds the event.
        let code =
            unsafe { sys::cuEventRecordWithFlags(event.as_raw(), self.stream.as_raw(), EXTERNAL) };
        self.stream.check(CALL, code)
    }

    /// Adds a node that waits for `event` in every launch, as it was last recorded outside of the
    /// graph. Does the same as [`Graph::add_event_wait`].
    ///
    /// # Errors
    /// Returns the errors of [`record_event`](Self::record_event).
    #[doc(alias = "CU_EVENT_WAIT_EXTERNAL")]
    pub fn wait_event(&self, event: &Event) -> Result<()> {
        const CALL: &str = "cuStreamWaitEvent";
        /// `CU_EVENT_WAIT_EXTERNAL`
        const EXTERNAL: c_uint = 1;
        let what = "the captured stream and the event";
        let context = self.stream.context();
        context.expect_same(event.context(), CALL, what)?;
        self.held.borrow_mut().event(UNTAGGED, event);
        let _current = self.stream.enter("cuStreamWaitEvent")?;
        // SAFETY: as above.
        let code =
            unsafe { sys::cuStreamWaitEvent(self.stream.as_raw(), event.as_raw(), EXTERNAL) };
        self.stream.check(CALL, code)
    }
}

/// A capture that ends when it is dropped.
struct Recording<'a> {
    stream: &'a Stream,
    under_way: Option<UnderWay>,
    /// Whether the graph existed before the capture.
    into: bool,
}

impl<'a> Recording<'a> {
    fn begin(
        stream: &'a Stream,
        mode: CaptureMode,
        into: Option<(sys::CUgraph, &[Node])>,
    ) -> Result<Self> {
        let begin_into = match into {
            Some(_) => Some(newer::cuStreamBeginCaptureToGraph()?),
            None => None,
        };
        let _current = stream.enter("cuStreamBeginCaptureToGraph")?;
        // Until the driver knows about the capture, no other thread may rely on the stream being
        // uncaptured.
        let global = mode == CaptureMode::GLOBAL;
        let beginning = stream.begin_capture("Stream::capture", Start::Begin { global })?;
        if stream.is_capturing()? {
            return Err(Error::invalid(
                "Stream::capture",
                "the stream is being captured already. Fix: capture it once, or call wait_stream on it from another stream",
            ));
        }
        let under_way = Some(UnderWay::begin(&beginning, mode));
        let mode = CUstreamCaptureMode(mode.0);
        let (call, code) = match begin_into.zip(into) {
            Some((begin, (graph, after))) => {
                let after: Vec<_> = after.iter().map(|node| node.as_raw()).collect();
                let (nodes, count) = (after.as_ptr(), after.len());
                // SAFETY: the stream, the graph and its nodes are alive. The edges have no data.
                let code =
                    unsafe { begin(stream.as_raw(), graph, nodes, ptr::null(), count, mode) };
                ("cuStreamBeginCaptureToGraph", code)
            }
            // SAFETY: the stream is alive. The driver rejects unknown modes.
            None => ("cuStreamBeginCapture_v2", unsafe {
                sys::cuStreamBeginCapture_v2(stream.as_raw(), mode)
            }),
        };
        drop(beginning);
        let into = into.is_some();
        match code {
            CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED => Err(Error::invalid(
                "Stream::capture",
                "the legacy default stream can't be captured. Fix: use Stream::new",
            )),
            code => stream.check(call, code).map(|()| Self {
                stream,
                under_way,
                into,
            }),
        }
    }

    fn end(mut self) -> Result<sys::CUgraph> {
        let ended = self.finish();
        self.under_way = None; // frees objects that were dropped meanwhile
        std::mem::forget(self);
        ended
    }

    fn finish(&self) -> Result<sys::CUgraph> {
        const CALL: &str = "cuStreamEndCapture";
        let _current = self.stream.enter("cuStreamEndCapture")?;
        let mut raw = ptr::null_mut();
        // SAFETY: the stream is alive, this thread began its capture, and `raw` is valid for the
        // write.
        let mut code = unsafe { sys::cuStreamEndCapture(self.stream.as_raw(), &mut raw) };
        if code != CUresult::CUDA_SUCCESS && self.stream.is_capturing().unwrap_or(true) {
            // The capture continues, and would record all further work of the stream. End it.
            // SAFETY: as above.
            let again = unsafe { sys::cuStreamEndCapture(self.stream.as_raw(), &mut raw) };
            if again == CUresult::CUDA_SUCCESS {
                code = again;
            }
        }
        let detail = match code {
            CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED => {
                "a call within the capture was forbidden or failed, and its error was not returned. Fix: return it from \
                 the closure with `?`"
            }
            CUresult::CUDA_ERROR_STREAM_CAPTURE_UNJOINED => {
                "another stream has joined the capture, and this stream has not waited for all of its work. Fix: end \
                 with `stream.wait_stream(&other)`"
            }
            code => {
                self.stream.check(CALL, code)?;
                return Ok(raw);
            }
        };
        Err(Error::driver(CALL, code).with_detail(detail))
    }
}

impl Drop for Recording<'_> {
    /// Ends the capture after a panic.
    fn drop(&mut self) {
        if let Ok(raw) = self.finish()
            && !self.into
        {
            // SAFETY: the graph was just created, and is destroyed once.
            let _ = unsafe { sys::cuGraphDestroy(raw) };
        }
    }
}
