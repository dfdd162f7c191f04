//! Graphs from what streams are given.

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

/// A capture under way: see [`Stream::capture`].
pub struct Capture<'a> {
    stream: &'a Stream,
    held: RefCell<Held>,
}

impl Stream {
    /// Records what `work` enqueues on this stream, instead of running it, and makes a graph of it. Ends in any case,
    /// also if `work` fails or panics; nothing has run then, and the stream can be used as before.
    ///
    /// Recorded are launches, fills and copies between device memory, and [`Capture::host_function`]. Another stream joins
    /// the capture by [`wait_stream`](Self::wait_stream) on this one, and what it is given then can run beside the rest;
    /// at the end this stream waits for it. A stream that has not joined runs what it is given at once, as always.
    ///
    /// Before it begins, the capture waits for calls of other threads that wait for this stream, or for its whole context. In
    /// [`CaptureMode::GLOBAL`] it waits for all calls of other threads that such a capture would forbid.
    ///
    /// Not possible are calls that wait, on whatever stream, copies from and to host slices, allocations, memory of streams
    /// that are not part of the capture, and launches of other graphs: methods of this crate say so, and the capture goes
    /// on. What the driver itself refuses ends the capture: a `wait_event` or `wait_stream` for what is not part of it, and, in
    /// raw calls, whatever the mode forbids. What is dropped meanwhile is freed after the capture. The mode is
    /// [`CaptureMode::THREAD_LOCAL`].
    ///
    /// # Safety
    /// What is captured runs with every launch of the graph. Until the graph, or the
    /// [`GraphExec`](super::GraphExec) made of it, is gone, and its launches are over:
    /// - memory, modules, events, semaphores and functions of the host that captured calls use live, those of raw calls
    ///   too, and graphs that raw calls launch. [`Graph::hold`] and [`Capture::hold`] see to that for what they are given,
    ///   and [`Capture::host_function`] for its function;
    /// - the contracts of captured launches hold for each launch of the graph. A launch on whatever stream is ordered with
    ///   this stream, and so with memory that belongs to it, also of a graph that was updated from this one or has it as
    ///   a child. Memory that belongs to other streams, those that have joined too, the caller orders;
    /// - host memory that captured raw calls or kernels use is left alone;
    /// - kernels are right for all values that safe methods may later write to memory that they read: see
    ///   [`Graph::add_kernel`].
    ///
    /// While `work` runs, no other thread enqueues anything on this stream, or on a stream that joins the capture, unless
    /// that is meant to be recorded. Methods of this crate that borrow host memory, allocate, free or wait are safe to call
    /// there: they fail, or wait for the end of the capture.
    ///
    /// # Errors
    /// Those of `work`. [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a stream that is being
    /// captured, and for the legacy default stream. The driver's code where a call has invalidated the capture
    /// (`CUDA_ERROR_STREAM_CAPTURE_INVALIDATED`), or another stream was not waited for
    /// (`CUDA_ERROR_STREAM_CAPTURE_UNJOINED`).
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
    /// // SAFETY: `x` and the kernel live longer than the graph, and `x` belongs to this stream.
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
        // SAFETY: as this function's contract says.
        unsafe { self.capture_with_mode(CaptureMode::THREAD_LOCAL, work) }
    }

    /// As [`capture`](Self::capture), and forbids what `mode` says.
    ///
    /// # Safety
    /// As [`capture`](Self::capture).
    ///
    /// # Errors
    /// As [`capture`](Self::capture).
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
        // What was held goes after the graph, in any case.
        let held = capture.held.into_inner();
        match (worked, ended) {
            (Ok(()), Ok(raw)) => {
                // SAFETY: just made, and owned by nobody else; the rest is this function's contract.
                let mut graph = unsafe { Graph::with_held(self.context(), raw, held) };
                graph.held.order_with(self);
                Ok(graph)
            }
            (Ok(()), Err(error)) => Err(error.into()),
            (Err(error), ended) => {
                if let Ok(raw) = ended {
                    // SAFETY: as above; it is destroyed.
                    drop(unsafe { Graph::with_held(self.context(), raw, held) });
                }
                Err(error)
            }
        }
    }

    /// As [`capture`](Self::capture), and adds what is recorded to `graph`: its first nodes wait for the nodes of `after`.
    /// So code that takes a stream becomes a part of a graph that is built by hand.
    ///
    /// # Safety
    /// As [`capture`](Self::capture), for the graph.
    ///
    /// # Errors
    /// As [`capture`](Self::capture); nodes that were recorded before the error may be in the graph.
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for nodes or a stream that are not the graph's.
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) where the driver is older than CUDA 12.3.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Error, Stream, graph::Graph};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mut x = DeviceBuffer::<u32>::zeroed(&stream, 4)?;
    /// let mut graph = Graph::new(&context)?;
    /// let start = graph.add_empty(&[])?;
    /// // SAFETY: the buffer lives longer than the graph, and belongs to the stream.
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
        // Declared first: what is held goes to the graph also after a panic, when the capture has ended.
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

/// A capture into a graph that was there before, which gets what the capture holds.
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
    /// The stream that is captured.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        self.stream
    }

    /// Keeps something alive until the graph, or the [`GraphExec`](super::GraphExec) made of it, is gone and its launches
    /// are over.
    pub fn hold(&self, value: impl Send + 'static) {
        self.held.borrow_mut().other(value);
    }

    /// Records a call of `function`, on a thread of the driver, once in every launch: as
    /// [`Graph::add_host_function`].
    ///
    /// # Errors
    /// The context is unusable after a fault.
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
        // Also after a failure: a part may have been recorded.
        self.held.borrow_mut().host(UNTAGGED, function);
        self.stream.check("cuLaunchHostFunc", code)
    }
}

impl Capture<'_> {
    /// Records that `event` is recorded, once in every launch, for what is outside of the graph: as
    /// [`Graph::add_event_record`]. [`Event::record`] in a capture orders what is captured, and nothing else.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for an event of another context. The context is
    /// unusable after a fault.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Event, Result, Stream};
    /// # fn main() -> Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let (half, other) = (Event::new(&context)?, Stream::new(&context)?);
    /// let mut x = DeviceBuffer::<u32>::zeroed(&stream, 2)?;
    /// // SAFETY: the buffer lives longer than the graph, and belongs to the stream.
    /// let graph = unsafe {
    ///     stream.capture(|capture| -> Result<()> {
    ///         x.slice_mut(..1)?.fill(&stream, 1)?;
    ///         capture.record_event(&half)?;
    ///         x.slice_mut(1..)?.fill(&stream, 2)
    ///     })?
    /// };
    /// let mut exec = graph.instantiate()?;
    /// exec.launch(&stream)?;
    /// other.wait_event(&half)?; // goes on when the first half is filled
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

    /// Records a wait for `event`, in every launch for what it was recorded behind last, outside of the graph: as
    /// [`Graph::add_event_wait`].
    ///
    /// # Errors
    /// As [`record_event`](Self::record_event).
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

/// A capture that ends.
struct Recording<'a> {
    stream: &'a Stream,
    under_way: Option<UnderWay>,
    /// Whether the graph is one that was there before.
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
        // Until the driver knows of the capture, nobody else may rely on the stream being uncaptured.
        let global = mode == CaptureMode::GLOBAL;
        let beginning = stream.begin_capture("Stream::capture", Start::Begin { global })?;
        if stream.is_capturing()? {
            return Err(Error::invalid(
                "Stream::capture",
                "the stream is being captured already: let it be captured by one, or wait_stream from another stream",
            ));
        }
        let under_way = Some(UnderWay::begin(&beginning, mode));
        let mode = CUstreamCaptureMode(mode.0);
        let (call, code) = match begin_into.zip(into) {
            Some((begin, (graph, after))) => {
                let after: Vec<_> = after.iter().map(|node| node.as_raw()).collect();
                let (nodes, count) = (after.as_ptr(), after.len());
                // SAFETY: a live stream, a live graph and live nodes of it, whose edges have no data.
                let code =
                    unsafe { begin(stream.as_raw(), graph, nodes, ptr::null(), count, mode) };
                ("cuStreamBeginCaptureToGraph", code)
            }
            // SAFETY: a live stream; an unknown mode is refused.
            None => ("cuStreamBeginCapture_v2", unsafe {
                sys::cuStreamBeginCapture_v2(stream.as_raw(), mode)
            }),
        };
        drop(beginning);
        let into = into.is_some();
        match code {
            CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED => Err(Error::invalid(
                "Stream::capture",
                "the legacy default stream can't be captured: use Stream::new",
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
        self.under_way = None; // frees what was dropped meanwhile
        std::mem::forget(self);
        ended
    }

    fn finish(&self) -> Result<sys::CUgraph> {
        const CALL: &str = "cuStreamEndCapture";
        let _current = self.stream.enter("cuStreamEndCapture")?;
        let mut raw = ptr::null_mut();
        // SAFETY: a live stream, whose capture this thread began; `raw` is valid for the write.
        let mut code = unsafe { sys::cuStreamEndCapture(self.stream.as_raw(), &mut raw) };
        if code != CUresult::CUDA_SUCCESS && self.stream.is_capturing().unwrap_or(true) {
            // It goes on: what is given to the stream now would be recorded, for nobody.
            // SAFETY: as above.
            let again = unsafe { sys::cuStreamEndCapture(self.stream.as_raw(), &mut raw) };
            if again == CUresult::CUDA_SUCCESS {
                code = again;
            }
        }
        let detail = match code {
            CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED => {
                "a call within the capture was forbidden, or failed, and its error was not returned: return it from \
                 the closure with `?`"
            }
            CUresult::CUDA_ERROR_STREAM_CAPTURE_UNJOINED => {
                "another stream has joined the capture, and this one has not waited for the last that it was given: end \
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
    /// After a panic.
    fn drop(&mut self) {
        if let Ok(raw) = self.finish()
            && !self.into
        {
            // SAFETY: just made, and destroyed once.
            let _ = unsafe { sys::cuGraphDestroy(raw) };
        }
    }
}
