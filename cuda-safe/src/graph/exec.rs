//! Graphs that can be launched.

use std::{fmt, mem, ptr};

use cuda_sys::{self as sys, CUgraphExec};

use super::{
    Graph, GraphError, Keep, Kept, Node,
    held::{Held, Tag},
};
pub use crate::raw::graph::InstantiateFlags;
use crate::{
    capture::{self, Nothing, captures_exist, drop_outside, relaxed, release, released},
    context::{Context, Settled},
    error::{Error, Result, fault::unheard},
    handle::{Handle, Kind, Sendable},
    stream::{Owner, Stream, event::Event, last::Number},
};

/// A graph that can be launched: made by [`Graph::instantiate`].
///
/// It owns what the graph owned. Dropping it waits for its launches if they use host memory or functions of the host, and
/// else frees the memory in the order of its streams.
pub struct GraphExec {
    // Dropped in this order: what nodes use goes last.
    handle: Handle<ExecKind>,
    /// What this was made of: its nodes are those that methods take.
    pub(super) template: Graph,
    /// What it was last updated from: that keeps what the nodes use.
    updated: Option<Graph>,
    /// What nodes no longer use, but launches made before may.
    retired: Vec<Retired>,
    /// On which streams it was launched since it was last waited for.
    launched: Vec<Stream>,
    /// What the error of a fault calls it.
    number: Number,
    pub(super) flags: InstantiateFlags,
}

/// What was replaced, and when the launches that may use it are over.
struct Retired {
    held: Held,
    /// `None` if that is only known when all launches have been waited for.
    over: Option<Vec<Event>>,
}

impl Retired {
    /// Whether the launches are over. Does not wait.
    fn is_over(&self) -> bool {
        let reached = |event: &Event| relaxed(|| unheard(|| event.query())).unwrap_or(false);
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
            // SAFETY: released once, by this function's contract; a launch that is under way goes on.
            let code = released(|| unsafe { sys::cuGraphExecDestroy(raw.get()) });
            own.check("cuGraphExecDestroy", code)
        })
    }
}

impl Graph {
    /// Makes the graph ready to be launched. It can't be changed any more, but for the parameters of its nodes.
    ///
    /// # Errors
    /// The driver's code where the graph can't be run, for instance since memory is used after it was freed.
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where the graph keeps memory of another context.
    /// The error returns the graph.
    #[doc(alias = "cuGraphInstantiate")]
    pub fn instantiate(self) -> Result<GraphExec, GraphError> {
        self.instantiate_with(InstantiateFlags::default())
    }

    /// As [`instantiate`](Self::instantiate), with flags.
    ///
    /// # Errors
    /// As [`instantiate`](Self::instantiate).
    #[doc(alias = "cuGraphInstantiateWithFlags")]
    #[doc(alias = "cuGraphInstantiateWithParams")]
    pub fn instantiate_with(self, flags: InstantiateFlags) -> Result<GraphExec, GraphError> {
        let _uncaptured = match capture::refuse_here(
            "Graph::instantiate",
            "make it before the capture, or after it",
        ) {
            Ok(entered) => entered,
            Err(error) => return Err(GraphError::new(error, self)),
        };
        let mut raw = ptr::null_mut();
        let unfreed = self.held.unfreed();
        if unfreed > 0 {
            let error = Error::invalid(
                "Graph::instantiate",
                format!("{unfreed} allocations of the graph are freed by no node: Graph::add_free"),
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
                let mut told = sys::CUDA_GRAPH_INSTANTIATE_PARAMS {
                    flags: flags.0.into(),
                    ..Default::default()
                };
                // SAFETY: a live graph; `raw` and the parameters are valid for the write.
                let code = unsafe {
                    sys::cuGraphInstantiateWithParams(&mut raw, self.as_raw(), &mut told)
                };
                self.context()
                    .check("cuGraphInstantiateWithParams", code)
                    .map_err(|error| match refusal(told.result_out.0) {
                        Some(why) => error.with_detail(match self.culprit(told.hErrNode_out) {
                            Some(node) => format!("{why} See {node}"),
                            None => why.into(),
                        }),
                        None => error,
                    })
            });
        match made {
            Ok(()) => {
                let context = self.context().clone();
                Ok(GraphExec {
                    // SAFETY: just made in this context, and owned by nobody else.
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

/// What `CUgraphInstantiateResult` says.
fn refusal(result: u32) -> Option<&'static str> {
    Some(match result {
        2 => "the graph can't be run: do nodes wait for each other in a circle?",
        3 => "a node is of a kind that a graph for launches by kernels does not have.",
        4 => "a graph for launches by kernels has nodes of one context only.",
        5 => "a condition is looked at by no node: add_if, add_while or add_switch.",
        _ => return None,
    })
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

    /// The graph that this was made of, or last [updated](Self::update) from: to look at. Changes of single nodes
    /// ([`set_kernel`](Self::set_kernel) and its like) are not in it.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        self.updated.as_ref().unwrap_or(&self.template)
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
        let _uncaptured = stream.hold_captures_off("cuGraphLaunch")?;
        if captures_exist() {
            // A driver that allows it (an H200's doesn't) would make it part of a graph that could run when this is gone.
            stream.expect_uncaptured_for(
                "GraphExec::launch",
                "a graph within a graph is Graph::add_child",
            )?;
        }
        // Before the launch: it may have begun though it failed.
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
        // SAFETY: both handles are live; what the nodes use is held, or lives as its contracts say.
        let code = stream.call("cuGraphLaunch", || unsafe {
            sys::cuGraphLaunch(self.as_raw(), stream.as_raw())
        })?;
        stream.check("cuGraphLaunch", code)?;
        stream.note_launch(&self.number);
        Ok(())
    }

    /// Prepares the next launch on `stream`, so that it begins sooner. The host does not wait. Kernels can launch the graph
    /// ([`for_device`](Self::for_device)) when this is done.
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
        let _uncaptured = stream.hold_captures_off("cuGraphUpload")?;
        if captures_exist() {
            stream.expect_uncaptured_for("GraphExec::upload", "upload it before the capture")?;
        }
        let _current = stream.enter("cuGraphUpload")?;
        // SAFETY: both handles are live.
        let code = unsafe { sys::cuGraphUpload(self.as_raw(), stream.as_raw()) };
        stream.check("cuGraphUpload", code)
    }

    /// The memory behind a token, between launches. For page-locked host memory this waits until the launches are over;
    /// device memory is used in the order of its stream, as always. After `stream.finished()?.await?` there is nothing to wait
    /// for.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for memory of another graph. A fault of a
    /// kernel, where this waits.
    pub fn memory<M: Keep>(&mut self, kept: Kept<M>) -> Result<M::Access<'_>> {
        if kept.place.on_host {
            self.wait()?;
        }
        self.held().memory(kept, "GraphExec::memory")
    }

    /// Waits for all launches, destroys this, and returns the graph that it was made of, or last [updated](Self::update)
    /// from, with what it keeps: to be changed, and instantiated again. What single nodes were changed to
    /// ([`set_kernel`](Self::set_kernel), [`set_enabled`](Self::set_enabled) and their like) is lost.
    ///
    /// It waits because launches of one executable graph run one after the other, but those of two do not: a second one
    /// made of the same graph could run the same kernels at the same time.
    ///
    /// # Errors
    /// Returns an error if a kernel has faulted. What the graph keeps is leaked if it is not known whether the launches are
    /// over.
    pub fn into_graph(mut self) -> Result<Graph> {
        self.wait()?; // on failure `drop` sees to what is held
        drop(self.held().take_all_changed());
        if let Some(graph) = self.updated.take() {
            return Ok(graph);
        }
        let empty = Graph::new(self.context())?;
        Ok(mem::replace(&mut self.template, empty))
    }

    /// Waits until the launches are over. After a fault this fails each time: what they should have written is not there.
    pub(super) fn wait(&mut self) -> Result<()> {
        let mut failed = Ok(());
        while let Some(stream) = self.launched.last() {
            match stream.settle() {
                Settled::Done => {}
                Settled::Failed(error) => failed = Err(error),
                // The stream stays: it has to be waited for again.
                Settled::Faulted(error) | Settled::Unknown(error) => return Err(error),
            }
            self.launched.pop();
        }
        self.retired.clear();
        failed
    }

    /// What the nodes use.
    pub(super) fn held(&mut self) -> &mut Held {
        &mut self.updated.as_mut().unwrap_or(&mut self.template).held
    }

    /// Keeps what `graph` keeps, in place of what there was. That goes when the launches are over.
    pub(super) fn replace(&mut self, graph: Graph) {
        let old = mem::take(self.held());
        self.updated = Some(graph);
        self.keep_for_launches(old);
    }

    /// Gives up what only one node was changed to, when the launches that were made before are over.
    pub(super) fn retire(&mut self, tag: Tag) {
        let old = self.held().take_changed(tag);
        self.keep_for_launches(old);
    }

    /// Drops what was replaced when the launches that were made before are over, and now what they are over for.
    fn keep_for_launches(&mut self, old: Held) {
        self.retired.retain(|one| !one.is_over());
        if !old.is_unordered() || self.launched.is_empty() {
            return; // dropped in the order of its streams, which have the launches before them
        }
        let recorded = self.launched.iter().map(Stream::record_uncaptured);
        let over = relaxed(|| unheard(|| recorded.collect::<Result<Vec<_>>>())).ok();
        self.retired.push(Retired { held: old, over });
    }

    /// An error unless the node is one of the graph that this was made of.
    pub(super) fn expect_own(&self, node: Node, call: &'static str) -> Result<()> {
        let own = self.template.expect_own(node, call);
        match &self.updated {
            Some(updated) if node.graph == updated.number => own.map_err(|error| {
                error.with_detail(format!(
                    "{node:?} is a node of the graph that this one was updated from: name nodes by those of the graph that \
                     was instantiated"
                ))
            }),
            _ => own,
        }
    }

    /// Whether something is used or freed in no stream's order.
    fn waits_to_drop(&self) -> bool {
        !self.launched.is_empty() && (self.graph().held.is_unordered() || !self.retired.is_empty())
    }
}

/// What is left of a graph whose launches could not be waited for at once.
fn drop_after(launched: &[Stream], mut held: Vec<Held>) -> Result<()> {
    for stream in launched {
        match unheard(|| stream.settle()) {
            Settled::Done | Settled::Failed(_) => {}
            Settled::Faulted(_) => held.iter_mut().for_each(Held::leak_for_host_functions),
            Settled::Unknown(error) => {
                // The device may still be using it: a leak is the lesser evil.
                mem::forget(held);
                return Err(error);
            }
        }
    }
    drop_outside(held);
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
        // An error here can't be acted upon.
        let _ = release(&launched.clone(), move || drop_after(&launched, held));
    }
}

impl fmt::Debug for GraphExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.handle, f)
    }
}
