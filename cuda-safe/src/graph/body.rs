//! What is inside of conditional nodes.

use std::{fmt, marker::PhantomData, mem};

use cuda_sys::CUgraph;

use super::{Capture, Condition, EdgeData, Graph, GraphError, Held, Node, Part, conditional::New};
use crate::{
    code::function::Function,
    error::{Error, Result},
    launch::{KernelArguments, LaunchConfig},
    memory::PlainData,
    stream::Stream,
};

/// What is inside of a conditional node, while it is built: kernels, copies, fills, other graphs, further conditional
/// nodes. Memory is named by the tokens of the graph around it.
///
/// Its nodes are named within it alone.
pub struct Body<'a> {
    graph: Graph,
    /// Invariant, so that no two bodies are of the same type: exchanged, they would outlive their graphs.
    brand: PhantomData<fn(&'a ()) -> &'a ()>,
}

/// Gives what a body holds back to the graph around it, also when it panics.
struct Open<'g, 'a> {
    body: Body<'a>,
    held: &'g mut Held,
}

impl Drop for Open<'_, '_> {
    fn drop(&mut self) {
        mem::swap(self.held, &mut self.body.graph.held);
    }
}

impl Graph {
    /// Builds one of the graphs of a conditional node, which has what this graph holds meanwhile.
    pub(super) fn build(
        &mut self,
        new: &New,
        which: usize,
        build: impl for<'a> FnOnce(&mut Body<'a>) -> Result<()>,
    ) -> Result<()> {
        let held = mem::take(&mut self.held);
        // SAFETY: a live graph, which this one owns.
        let graph = unsafe { Self::borrow_body(self.context(), new.bodies[which], held) };
        let mut open = Open {
            body: Body {
                graph,
                brand: PhantomData,
            },
            held: &mut self.held,
        };
        build(&mut open.body)
    }
}

impl Body<'_> {
    /// As [`Graph::add_kernel`].
    ///
    /// # Safety
    /// As [`Graph::add_kernel`], in each round.
    ///
    /// # Errors
    /// As [`Graph::add_kernel`].
    pub unsafe fn add_kernel<A: KernelArguments>(
        &mut self,
        after: &[Node],
        function: &Function,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<Node> {
        // SAFETY: the caller's promise.
        unsafe { self.graph.add_kernel(after, function, config, arguments) }
    }

    /// As [`Graph::add_copy`]. NVIDIA's documentation allows copies between memory of the device here, and of the host that
    /// is mapped.
    ///
    /// # Errors
    /// As [`Graph::add_copy`].
    pub fn add_copy<T: PlainData>(
        &mut self,
        after: &[Node],
        to: impl Into<Part<T>>,
        from: impl Into<Part<T>>,
    ) -> Result<Node> {
        self.graph.add_copy(after, to, from)
    }

    /// As [`Graph::add_fill`].
    ///
    /// # Errors
    /// As [`Graph::add_fill`].
    pub fn add_fill<T: PlainData>(
        &mut self,
        after: &[Node],
        part: impl Into<Part<T>>,
        value: T,
    ) -> Result<Node> {
        self.graph.add_fill(after, part, value)
    }

    /// As [`Graph::add_empty`].
    ///
    /// # Errors
    /// As [`Graph::add_empty`].
    pub fn add_empty(&mut self, after: &[Node]) -> Result<Node> {
        self.graph.add_empty(after)
    }

    /// As [`Graph::add_child`].
    ///
    /// # Errors
    /// As [`Graph::add_child`].
    pub fn add_child(&mut self, after: &[Node], child: Graph) -> Result<Node, GraphError> {
        self.graph.add_child(after, child)
    }

    /// As [`Graph::add_dependency`].
    ///
    /// # Errors
    /// As [`Graph::add_dependency`].
    pub fn add_dependency(&mut self, before: Node, node: Node) -> Result<()> {
        self.graph.add_dependency(before, node)
    }

    /// As [`Graph::add_edge`].
    ///
    /// # Errors
    /// As [`Graph::add_edge`].
    pub fn add_edge(&mut self, before: Node, node: Node, data: EdgeData) -> Result<()> {
        self.graph.add_edge(before, node, data)
    }

    /// As [`Graph::add_condition`]: for a conditional node in here.
    ///
    /// # Errors
    /// As [`Graph::add_condition`].
    pub fn add_condition(&mut self, default: Option<u32>) -> Result<Condition> {
        self.graph.add_condition(default)
    }

    /// As [`Graph::add_if`].
    ///
    /// # Errors
    /// As [`Graph::add_if`].
    pub fn add_if(
        &mut self,
        after: &[Node],
        condition: Condition,
        body: impl for<'a> FnOnce(&mut Body<'a>) -> Result<()>,
    ) -> Result<Node> {
        self.graph.add_if(after, condition, body)
    }

    /// As [`Graph::add_if_else`].
    ///
    /// # Errors
    /// As [`Graph::add_if_else`].
    pub fn add_if_else(
        &mut self,
        after: &[Node],
        condition: Condition,
        then: impl for<'a> FnOnce(&mut Body<'a>) -> Result<()>,
        otherwise: impl for<'a> FnOnce(&mut Body<'a>) -> Result<()>,
    ) -> Result<Node> {
        self.graph.add_if_else(after, condition, then, otherwise)
    }

    /// As [`Graph::add_while`].
    ///
    /// # Errors
    /// As [`Graph::add_while`].
    pub fn add_while(
        &mut self,
        after: &[Node],
        condition: Condition,
        body: impl for<'a> FnOnce(&mut Body<'a>) -> Result<()>,
    ) -> Result<Node> {
        self.graph.add_while(after, condition, body)
    }

    /// As [`Graph::add_switch`].
    ///
    /// # Errors
    /// As [`Graph::add_switch`].
    pub fn add_switch(
        &mut self,
        after: &[Node],
        condition: Condition,
        count: usize,
        body: impl for<'a> FnMut(usize, &mut Body<'a>) -> Result<()>,
    ) -> Result<Node> {
        self.graph.add_switch(after, condition, count, body)
    }

    /// As [`Stream::capture_into`]: for code that takes a stream.
    ///
    /// # Safety
    /// As [`Stream::capture_into`].
    ///
    /// # Errors
    /// As [`Stream::capture_into`].
    pub unsafe fn capture<E: From<Error>>(
        &mut self,
        stream: &Stream,
        after: &[Node],
        work: impl FnOnce(&Capture<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        // SAFETY: the caller's promise.
        unsafe { stream.capture_into(&mut self.graph, after, work) }
    }

    /// The driver's handle, for raw calls. What they add uses memory that lives as [`Graph::from_raw`] says.
    #[must_use]
    pub fn as_raw(&self) -> CUgraph {
        self.graph.as_raw()
    }
}

impl fmt::Debug for Body<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.graph, f)
    }
}
