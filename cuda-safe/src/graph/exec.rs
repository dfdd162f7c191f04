//! Executable graphs.

use std::{fmt, mem, ptr};

use cuda_sys::{self as sys, CUgraphExec};

use super::{
    Graph, GraphError, Keep, Kept, Node,
    held::{Held, Tag},
};
pub use crate::raw::graph::InstantiateFlags;
use crate::{
    capture::{self, Nothing, captures_exist, drop_after_release, relaxed, release, released},
    context::{Context, Settled},
    error::{Error, Result, fault::discarding_errors},
    handle::{Handle, Kind, Sendable},
    stream::{Owner, Stream, event::Event, last::Number},
};

/// A graph that can be launched. Created by [`Graph::instantiate`].
///
/// It owns everything that the graph owned. If its launches use host memory or host functions,
/// dropping it waits for them. Otherwise dropping it frees the memory in the order of its streams.
pub struct GraphExec {
    // Dropped in this order: the objects that nodes use last.
    handle: Handle<ExecKind>,
    /// The graph that was instantiated. Methods take its nodes.
    pub(super) template: Graph,
    /// The graph of the last update, which keeps the objects of the nodes alive.
    updated: Option<Graph>,
    /// Objects that nodes no longer use, but earlier launches may.
    retired: Vec<Retired>,
    /// The streams on which the graph was launched since the last wait.
    launched: Vec<Stream>,
    /// The number for error messages about faults.
    number: Number,
    pub(super) flags: InstantiateFlags,
}

/// Replaced objects, and events that are reached when the launches that may use them have finished.
struct Retired {
    held: Held,
    /// `None` if the objects can only be dropped after waiting for all launches.
    over: Option<Vec<Event>>,
}

impl Retired {
    /// Returns whether the launches have finished. Does not wait.
    fn is_over(&self) -> bool {
        let reached =
            |event: &Event| relaxed(|| discarding_errors(|| event.query())).unwrap_or(false);
        self.over
            .as_ref()
            .is_some_and(|events| events.iter().all(reached))
    }
}

struct ExecKind;

impl Kind for ExecKind {
    type Raw = CUgraphExec;
    type Parent = Context;
    const NAME: &'static str = "GraphExec";

    unsafe fn release(&self, raw: CUgraphExec, context: &Context) -> Result<()> {
        let (raw, own) = (Sendable(raw), context.clone());
        release(&Nothing, move || {
            let _current = own.enter("cuGraphExecDestroy")?;
            // SAFETY: the caller guarantees that the handle is live, owned and unused. A running
            // launch continues.
            let code = released(|| unsafe { sys::cuGraphExecDestroy(raw.get()) });
            own.check("cuGraphExecDestroy", code)
        })
    }
}

impl Graph {
    /// Creates an executable graph. After that, only the parameters of the nodes can change.
    ///
    /// See [`cuGraphInstantiate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the driver's error if the graph cannot run, for example because it uses memory after
    /// freeing it. Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the
    /// graph keeps memory of another context, or allocates memory that no node frees. The error
    /// contains the graph.
    #[doc(alias = "cuGraphInstantiate")]
    pub fn instantiate(self) -> Result<GraphExec, GraphError> {
        self.instantiate_with(InstantiateFlags::default())
    }

    /// Creates an executable graph with flags. See [`instantiate`](Self::instantiate).
    ///
    /// See [`cuGraphInstantiateWithFlags`, `cuGraphInstantiateWithParams`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`instantiate`](Self::instantiate).
    #[doc(alias = "cuGraphInstantiateWithFlags")]
    #[doc(alias = "cuGraphInstantiateWithParams")]
    pub fn instantiate_with(self, flags: InstantiateFlags) -> Result<GraphExec, GraphError> {
        let _uncaptured = match capture::reject_during_capture(
            "Graph::instantiate",
            "make this call before or after the capture",
        ) {
            Ok(entered) => entered,
            Err(error) => return Err(GraphError::new(error, self)),
        };
        let mut raw = ptr::null_mut();
        let unfreed = self.held.unfreed();
        if unfreed > 0 {
            let error = Error::invalid(
                "Graph::instantiate",
                format!(
                    "{unfreed} allocations of the graph are not freed by any node. Fix: call Graph::add_free"
                ),
            );
            return Err(GraphError::new(error, self));
        }
        let mut owners = self.held.owners().iter();
        let foreign = owners.find_map(|owner| {
            let what = "the graph and a stream whose memory it keeps";
            let same = self
                .context()
                .expect_same(owner.context(), "Graph::instantiate", what);
            same.err()
        });
        if let Some(error) = foreign {
            return Err(GraphError::new(error, self));
        }
        let made = self
            .context()
            .enter("cuGraphInstantiateWithParams")
            .and_then(|_current| {
                let mut parameters = sys::CUDA_GRAPH_INSTANTIATE_PARAMS {
                    flags: flags.0.into(),
                    ..Default::default()
                };
                // SAFETY: the graph is alive. `raw` and the parameters are valid for the write.
                let code = unsafe {
                    sys::cuGraphInstantiateWithParams(&mut raw, self.as_raw(), &mut parameters)
                };
                self.context()
                    .check("cuGraphInstantiateWithParams", code)
                    .map_err(|error| match result_text(parameters.result_out.0) {
                        Some(why) => {
                            error.with_detail(match self.describe_node(parameters.hErrNode_out) {
                                Some(node) => format!("{why} See {node}"),
                                None => why.into(),
                            })
                        }
                        None => error,
                    })
            });
        match made {
            Ok(()) => {
                let context = self.context().clone();
                Ok(GraphExec {
                    // SAFETY: the handle was just created in this context, and has no other owner.
                    handle: unsafe { Handle::new(raw, true, context, ExecKind) },
                    number: Number::of("a graph"),
                    flags,
                    template: self,
                    updated: None,
                    retired: Vec::new(),
                    launched: Vec::new(),
                })
            }
            Err(error) => Err(GraphError::new(error, self)),
        }
    }
}

/// Returns the meaning of a `CUgraphInstantiateResult`.
fn result_text(result: u32) -> Option<&'static str> {
    Some(match result {
        2 => "the graph can't be run: its nodes may depend on each other in a cycle.",
        3 => "a node has a kind that is not allowed in a graph that kernels launch.",
        4 => "all nodes of a graph that kernels launch must belong to one context.",
        5 => "a condition is not used by any node. Fix: call add_if, add_while or add_switch.",
        _ => return None,
    })
}

impl GraphExec {
    /// Returns the driver's handle, which is valid as long as this object exists. If you launch it
    /// with a raw call, you must order the launch, and wait for it before you get memory from this
    /// object or drop it.
    #[must_use]
    pub fn as_raw(&self) -> CUgraphExec {
        self.handle.raw()
    }

    /// Returns the context in which the graph was created.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.handle.parent()
    }

    /// Returns the graph that was instantiated, or the one of the last [update](Self::update), for
    /// inspection. It does not contain changes of single nodes ([`set_kernel`](Self::set_kernel)
    /// and similar).
    #[must_use]
    pub fn graph(&self) -> &Graph {
        self.updated.as_ref().unwrap_or(&self.template)
    }

    /// Enqueues the whole graph on `stream`. The host does not wait.
    ///
    /// The launch runs after the previous work of the stream, after the previous work of the
    /// streams that own the graph's memory, and after the previous launch. Later work on these
    /// streams runs after it.
    ///
    /// See [`cuGraphLaunch`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the stream
    /// belongs to another context or is being captured. Returns an error if the context is unusable
    /// after a fault. The next call that waits reports faults of the kernels.
    #[doc(alias = "cuGraphLaunch")]
    pub fn launch(&mut self, stream: &Stream) -> Result<()> {
        self.context().expect_same(
            stream.context(),
            "GraphExec::launch",
            "the graph and the stream",
        )?;
        let _uncaptured = stream.block_captures("cuGraphLaunch")?;
        if captures_exist() {
            // If the driver allowed this (driver 580 does not), the captured graph could run after
            // this one has been dropped.
            stream.expect_uncaptured_for(
                "GraphExec::launch",
                "to add a graph to a graph, use Graph::add_child",
            )?;
        }
        // Before the launch, because a failed launch may still have started.
        if self.launched.last() != Some(stream) && !self.launched.contains(stream) {
            self.launched.push(stream.clone());
        }
        let owners = self.graph().held.owners();
        if owners.iter().all(|owner| owner == stream) {
            return self.enqueue(stream);
        }
        let owners = owners.iter().map(Owner::Stream);
        stream.ordered("GraphExec::launch", owners, || self.enqueue(stream))
    }

    fn enqueue(&self, stream: &Stream) -> Result<()> {
        // SAFETY: both handles are live. The objects that the nodes use are held, or live as their
        // contracts require.
        let code = stream.call("cuGraphLaunch", || unsafe {
            sys::cuGraphLaunch(self.as_raw(), stream.as_raw())
        })?;
        stream.check("cuGraphLaunch", code)?;
        stream.note_launch(&self.number);
        Ok(())
    }

    /// Prepares the next launch on `stream`, so that it starts sooner. The host does not wait. When
    /// the upload has finished, kernels can launch the graph ([`for_device`](Self::for_device)).
    ///
    /// See [`cuGraphUpload`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`launch`](Self::launch).
    #[doc(alias = "cuGraphUpload")]
    pub fn upload(&mut self, stream: &Stream) -> Result<()> {
        self.context().expect_same(
            stream.context(),
            "GraphExec::upload",
            "the graph and the stream",
        )?;
        let _uncaptured = stream.block_captures("cuGraphUpload")?;
        if captures_exist() {
            stream.expect_uncaptured_for("GraphExec::upload", "upload it before the capture")?;
        }
        let _current = stream.enter("cuGraphUpload")?;
        // SAFETY: both handles are live.
        let code = unsafe { sys::cuGraphUpload(self.as_raw(), stream.as_raw()) };
        stream.check("cuGraphUpload", code)
    }

    /// Returns access to the memory behind a token, between launches.
    ///
    /// For page-locked host memory, this waits until the launches have finished. Use of device
    /// memory is ordered by its stream, as usual. After `stream.finished()?.await?` there is
    /// nothing to wait for.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the memory
    /// belongs to another graph. If this waits, it returns the fault of a kernel.
    pub fn memory<M: Keep>(&mut self, kept: Kept<M>) -> Result<M::Access<'_>> {
        if kept.place.on_host {
            self.wait()?;
        }
        self.held().memory(kept, "GraphExec::memory")
    }

    /// Waits for all launches, destroys the executable graph, and returns the graph that was
    /// instantiated, or the one of the last [update](Self::update), with everything that it keeps.
    /// You can change it and instantiate it again. Changes of single nodes
    /// ([`set_kernel`](Self::set_kernel), [`set_enabled`](Self::set_enabled) and similar) are lost.
    ///
    /// It waits because launches of one executable graph run one after another, but launches of two
    /// do not. A second executable graph could otherwise run the same kernels at the same time.
    ///
    /// # Errors
    /// Returns an error if a kernel has faulted. If it is unknown whether the launches have
    /// finished, everything that the graph keeps is leaked.
    pub fn into_graph(mut self) -> Result<Graph> {
        self.wait()?; // on failure, `drop` handles the held objects
        drop(self.held().take_all_changed());
        if let Some(graph) = self.updated.take() {
            return Ok(graph);
        }
        let empty = Graph::new(self.context())?;
        Ok(mem::replace(&mut self.template, empty))
    }

    /// Waits until the launches have finished. After a fault this fails every time, because their
    /// results are missing.
    pub(super) fn wait(&mut self) -> Result<()> {
        let mut failed = Ok(());
        while let Some(stream) = self.launched.last() {
            match stream.settle() {
                Settled::Done => {}
                Settled::Failed(error) => failed = Err(error),
                // The stream stays in the list, because it needs another wait.
                Settled::Faulted(error) | Settled::Unknown(error) => return Err(error),
            }
            self.launched.pop();
        }
        self.retired.clear();
        failed
    }

    /// Returns the objects that the nodes use.
    pub(super) fn held(&mut self) -> &mut Held {
        &mut self.updated.as_mut().unwrap_or(&mut self.template).held
    }

    /// Keeps the objects of `graph` in place of the previous ones, which are dropped when the
    /// launches have finished.
    pub(super) fn replace(&mut self, graph: Graph) {
        let old = mem::take(self.held());
        self.updated = Some(graph);
        self.keep_for_launches(old);
    }

    /// Gives up the objects that a change gave to one node, when the earlier launches have
    /// finished.
    pub(super) fn retire(&mut self, tag: Tag) {
        let old = self.held().take_changed(tag);
        self.keep_for_launches(old);
    }

    /// Drops replaced objects when the earlier launches have finished, and drops those now whose
    /// launches have finished.
    fn keep_for_launches(&mut self, old: Held) {
        self.retired.retain(|one| !one.is_over());
        if !old.is_unordered() || self.launched.is_empty() {
            return; // dropped in the order of its streams, after the launches
        }
        let recorded = self.launched.iter().map(Stream::record_uncaptured);
        let over = relaxed(|| discarding_errors(|| recorded.collect::<Result<Vec<_>>>())).ok();
        self.retired.push(Retired { held: old, over });
    }

    /// Returns an error unless the node belongs to the graph that was instantiated.
    pub(super) fn expect_own(&self, node: Node, call: &'static str) -> Result<()> {
        let own = self.template.expect_own(node, call);
        match &self.updated {
            Some(updated) if node.graph == updated.number => own.map_err(|error| {
                error.with_detail(format!(
                    "{node:?} is a node of the graph that was used for an update. Fix: pass the nodes of the graph that was \
                     instantiated"
                ))
            }),
            _ => own,
        }
    }

    /// Returns whether objects are used or freed outside of any stream's order.
    fn waits_to_drop(&self) -> bool {
        !self.launched.is_empty() && (self.graph().held.is_unordered() || !self.retired.is_empty())
    }
}

/// Waits for the launches, then drops the objects of a graph that could not be dropped at once.
fn drop_after(launched: &[Stream], mut held: Vec<Held>) -> Result<()> {
    for stream in launched {
        match discarding_errors(|| stream.settle()) {
            Settled::Done | Settled::Failed(_) => {}
            Settled::Faulted(_) => held.iter_mut().for_each(Held::leak_for_host_functions),
            Settled::Unknown(error) => {
                // Leak the objects, because the device may still be using them.
                mem::forget(held);
                return Err(error);
            }
        }
    }
    drop_after_release(held);
    Ok(())
}

impl Drop for GraphExec {
    fn drop(&mut self) {
        if !self.waits_to_drop() {
            return;
        }
        let retired = mem::take(&mut self.retired).into_iter();
        let mut held: Vec<_> = retired.map(|one| one.held).collect();
        held.push(mem::take(self.held()));
        let launched = mem::take(&mut self.launched);
        // `drop` cannot return an error.
        let _ = release(&launched.clone(), move || drop_after(&launched, held));
    }
}

impl fmt::Debug for GraphExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.handle, f)
    }
}
