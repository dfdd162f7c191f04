//! Graphs that can be launched.

use std::{fmt, mem, ptr};

use cuda_sys::{self as sys, CUgraphExec, CUresult};

use super::{Graph, GraphError, Keep, Kept, held::Held};
use crate::{
    context::Context,
    error::{Error, Result},
    flags::flags,
    handle::{Handle, Kind},
    launch::Number,
    memory::Owner,
    settle::Settled,
    stream::Stream,
};

flags! {
    /// How a graph is instantiated.
    ///
    /// ```
    /// # use cuda_safe::{Context, graph::{Graph, InstantiateFlags}};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let graph = Graph::new(&context)?;
    /// let exec = graph.instantiate_with(InstantiateFlags::USE_NODE_PRIORITY)?;
    /// # drop(exec);
    /// # Ok(())
    /// # }
    /// ```
    pub struct InstantiateFlags {
        /// Frees at a launch what the launch before has allocated and not freed: for graphs with nodes of raw calls.
        AUTO_FREE_ON_LAUNCH = 1, "CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH";
        /// The graph can be launched by kernels too. It has nodes of one device only, of kinds that the manual lists.
        DEVICE_LAUNCH = 4, "CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH";
        /// Nodes run with the priorities that they have, and not with the stream's.
        USE_NODE_PRIORITY = 8, "CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY";
    }
}

/// A graph that can be launched: made by [`Graph::instantiate`].
///
/// It owns what the graph owned. Dropping it waits for its launches if they use host memory or functions of the host, and
/// else frees the memory in the order of its streams.
pub struct GraphExec {
    // Dropped in this order: what nodes use goes last.
    handle: Handle<ExecKind>,
    pub(super) graph: Graph,
    /// On which streams it was launched since it was last waited for.
    launched: Vec<Stream>,
    /// What the error of a fault calls it.
    number: Number,
}

struct ExecKind;

impl Kind for ExecKind {
    type Raw = CUgraphExec;
    type Parent = Context;
    const NAME: &'static str = "GraphExec";

    unsafe fn release(&self, raw: CUgraphExec, context: &Context) -> Result<()> {
        let _current = context.enter()?;
        // SAFETY: released once, by this function's contract; a launch that is under way goes on.
        context.check("cuGraphExecDestroy", unsafe {
            sys::cuGraphExecDestroy(raw)
        })
    }
}

impl Graph {
    /// Makes the graph ready to be launched. It can't be changed any more, but for the parameters of its nodes.
    ///
    /// # Errors
    /// The driver's code where the graph can't be run, for instance since memory is used after it was freed. The error
    /// returns the graph.
    #[doc(alias = "cuGraphInstantiate")]
    pub fn instantiate(self) -> Result<GraphExec, GraphError> {
        self.instantiate_with(InstantiateFlags::default())
    }

    /// As [`instantiate`](Self::instantiate), with flags.
    ///
    /// # Errors
    /// As [`instantiate`](Self::instantiate).
    #[doc(alias = "cuGraphInstantiateWithFlags")]
    pub fn instantiate_with(self, flags: InstantiateFlags) -> Result<GraphExec, GraphError> {
        let mut raw = ptr::null_mut();
        let unfreed = self.held.unfreed();
        if unfreed > 0 {
            let error = Error::invalid(
                "Graph::instantiate",
                format!("{unfreed} allocations of the graph are freed by no node: Graph::add_free"),
            );
            return Err(GraphError::new(error, self));
        }
        let made = self.context().enter().and_then(|_current| {
            // SAFETY: a live graph; `raw` is valid for the write.
            let code = unsafe {
                sys::cuGraphInstantiateWithFlags(&mut raw, self.as_raw(), flags.0.into())
            };
            self.context().check("cuGraphInstantiateWithFlags", code)
        });
        match made {
            Ok(()) => {
                let context = self.context().clone();
                Ok(GraphExec {
                    // SAFETY: just made in this context, and owned by nobody else.
                    handle: unsafe { Handle::new(raw, true, context, ExecKind) },
                    number: Number::of("a graph"),
                    graph: self,
                    launched: Vec::new(),
                })
            }
            Err(error) => Err(GraphError::new(error, self)),
        }
    }
}

impl GraphExec {
    /// The driver's handle, valid for as long as this object exists. Whoever launches it by a raw call orders the launch,
    /// and waits for it before this object gives out memory or is dropped.
    #[must_use]
    pub fn as_raw(&self) -> CUgraphExec {
        self.handle.raw()
    }

    /// The context that the graph was made in.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.handle.parent()
    }

    /// The graph that this was made of: to look at.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Enqueues the whole graph on `stream`: after what was enqueued there and on the streams of the graph's memory,
    /// after the launch before, and before what comes on these streams later. The host does not wait.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a stream of another context. The context is
    /// unusable after a fault. The next call that waits reports the faults of the kernels.
    #[doc(alias = "cuGraphLaunch")]
    pub fn launch(&mut self, stream: &Stream) -> Result<()> {
        self.context().expect_same(
            stream.context(),
            "GraphExec::launch",
            "the graph and the stream",
        )?;
        // Before the launch: it may have begun though it failed.
        if self.launched.last() != Some(stream) && !self.launched.contains(stream) {
            self.launched.push(stream.clone());
        }
        let owners = self.graph.held.owners();
        if owners.iter().all(|owner| owner == stream) {
            return self.enqueue(stream);
        }
        stream.ordered_with(owners.iter().map(Owner::Stream), || self.enqueue(stream))
    }

    fn enqueue(&self, stream: &Stream) -> Result<()> {
        let launch = || {
            // SAFETY: both handles are live; what the nodes use is held, or lives as its contracts say.
            unsafe { sys::cuGraphLaunch(self.as_raw(), stream.as_raw()) }
        };
        // As a kernel's launch: the current context matters only where the driver says so.
        let code = if stream.is_created() {
            launch()
        } else {
            CUresult::CUDA_ERROR_INVALID_CONTEXT
        };
        let code = match code {
            CUresult::CUDA_ERROR_INVALID_CONTEXT
            | CUresult::CUDA_ERROR_INVALID_HANDLE
            | CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED => {
                let _current = stream.enter()?;
                launch()
            }
            code => code,
        };
        stream.check("cuGraphLaunch", code)?;
        stream.note_launch(&self.number);
        Ok(())
    }

    /// Prepares the next launch on `stream`, so that it begins sooner. The host does not wait.
    ///
    /// # Errors
    /// As [`launch`](Self::launch).
    #[doc(alias = "cuGraphUpload")]
    pub fn upload(&mut self, stream: &Stream) -> Result<()> {
        self.context().expect_same(
            stream.context(),
            "GraphExec::upload",
            "the graph and the stream",
        )?;
        let _current = stream.enter()?;
        // SAFETY: both handles are live.
        let code = unsafe { sys::cuGraphUpload(self.as_raw(), stream.as_raw()) };
        stream.check("cuGraphUpload", code)
    }

    /// The memory behind a token, between launches. For page-locked host memory this waits until the launches are over;
    /// device memory is used in the order of its stream, as always.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for memory of another graph. A fault of a
    /// kernel, where this waits.
    pub fn memory<M: Keep>(&mut self, kept: Kept<M>) -> Result<M::Access<'_>> {
        if kept.place.on_host {
            self.wait()?;
        }
        self.graph.held.memory(kept, "GraphExec::memory")
    }

    /// Destroys this, and returns the graph that it was made of, with what it keeps: to be changed, and instantiated
    /// again. Waits for launches that use host memory or functions of the host.
    ///
    /// # Errors
    /// A fault of a kernel, where this waits. What the graph keeps is leaked if it is not known whether the
    /// launches are over.
    pub fn into_graph(mut self) -> Result<Graph> {
        if self.graph.held.is_unordered() {
            self.wait()?; // on failure `drop` sees to what is held
        }
        let empty = Graph::new(self.context())?;
        Ok(mem::replace(&mut self.graph, empty))
    }

    /// Waits until the launches are over.
    fn wait(&mut self) -> Result<()> {
        let mut failed = Ok(());
        while let Some(stream) = self.launched.last() {
            match stream.settle() {
                Settled::Done => {}
                Settled::Failed(error) => failed = Err(error),
                // The stream stays: it has to be waited for again.
                Settled::Unknown(error) => return Err(error),
            }
            self.launched.pop();
        }
        failed
    }

    pub(super) fn held(&mut self) -> &mut Held {
        &mut self.graph.held
    }
}

impl Drop for GraphExec {
    fn drop(&mut self) {
        if self.graph.held.is_unordered() && self.wait().is_err() && !self.launched.is_empty() {
            // The device may still be using it: a leak is the lesser evil.
            mem::forget(mem::take(&mut self.graph.held));
        }
    }
}

impl fmt::Debug for GraphExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.handle, f)
    }
}
