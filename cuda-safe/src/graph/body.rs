//! The graphs inside conditional nodes.

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

/// A graph inside a conditional node, while it is built. It can contain kernels, copies, fills,
/// child graphs and further conditional nodes. Name memory by the tokens of the surrounding graph.
///
/// Its nodes can only be used within it.
pub struct Body<'a> {
    graph: Graph,
    /// An invariant lifetime, so that no two bodies have the same type. Swapped bodies would
    /// outlive their graphs.
    brand: PhantomData<fn(&'a ()) -> &'a ()>,
}

/// Returns the objects that a body holds to the surrounding graph, after a panic too.
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
    /// Builds one of the graphs of a conditional node. Meanwhile it has the objects that this graph
    /// holds.
    pub(super) fn build(
        &mut self,
        new: &New,
        which: usize,
        build: impl for<'a> FnOnce(&mut Body<'a>) -> Result<()>,
    ) -> Result<()> {
        let held = mem::take(&mut self.held);
        // SAFETY: the graph is alive, and this graph owns it.
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
    /// Adds a kernel launch. See [`Graph::add_kernel`].
    ///
    /// # Safety
    /// The caller must ensure that the contract of [`Graph::add_kernel`] holds, in each iteration.
    ///
    /// # Errors
    /// Returns the errors of [`Graph::add_kernel`].
    pub unsafe fn add_kernel<A: KernelArguments>(
        &mut self,
        after: &[Node],
        function: &Function,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<Node> {
        // SAFETY: the caller promises it.
        unsafe { self.graph.add_kernel(after, function, config, arguments) }
    }

    /// Adds a copy. See [`Graph::add_copy`]. According to NVIDIA's documentation, copies inside a
    /// conditional node are allowed between device memory and mapped host memory.
    ///
    /// # Errors
    /// Returns the errors of [`Graph::add_copy`].
    pub fn add_copy<T: PlainData>(
        &mut self,
        after: &[Node],
        to: impl Into<Part<T>>,
        from: impl Into<Part<T>>,
    ) -> Result<Node> {
        self.graph.add_copy(after, to, from)
    }

    /// Adds a fill. See [`Graph::add_fill`].
    ///
    /// # Errors
    /// Returns the errors of [`Graph::add_fill`].
    pub fn add_fill<T: PlainData>(
        &mut self,
        after: &[Node],
        part: impl Into<Part<T>>,
        value: T,
    ) -> Result<Node> {
        self.graph.add_fill(after, part, value)
    }

    /// Adds a node that does nothing. See [`Graph::add_empty`].
    ///
    /// # Errors
    /// Returns the errors of [`Graph::add_empty`].
    pub fn add_empty(&mut self, after: &[Node]) -> Result<Node> {
        self.graph.add_empty(after)
    }

    /// Adds another graph as one node. See [`Graph::add_child`].
    ///
    /// # Errors
    /// Returns the errors of [`Graph::add_child`].
    pub fn add_child(&mut self, after: &[Node], child: Graph) -> Result<Node, GraphError> {
        self.graph.add_child(after, child)
    }

    /// Makes `node` depend on `before`. See [`Graph::add_dependency`].
    ///
    /// # Errors
    /// Returns the errors of [`Graph::add_dependency`].
    pub fn add_dependency(&mut self, before: Node, node: Node) -> Result<()> {
        self.graph.add_dependency(before, node)
    }

    /// Makes `node` depend on a part of `before`. See [`Graph::add_edge`].
    ///
    /// # Errors
    /// Returns the errors of [`Graph::add_edge`].
    pub fn add_edge(&mut self, before: Node, node: Node, data: EdgeData) -> Result<()> {
        self.graph.add_edge(before, node, data)
    }

    /// Creates a condition for a conditional node in this body. See [`Graph::add_condition`].
    ///
    /// # Errors
    /// Returns the errors of [`Graph::add_condition`].
    pub fn add_condition(&mut self, default: Option<u32>) -> Result<Condition> {
        self.graph.add_condition(default)
    }

    /// Adds a conditional node. See [`Graph::add_if`].
    ///
    /// # Errors
    /// Returns the errors of [`Graph::add_if`].
    pub fn add_if(
        &mut self,
        after: &[Node],
        condition: Condition,
        body: impl for<'a> FnOnce(&mut Body<'a>) -> Result<()>,
    ) -> Result<Node> {
        self.graph.add_if(after, condition, body)
    }

    /// Adds a conditional node with two branches. See [`Graph::add_if_else`].
    ///
    /// # Errors
    /// Returns the errors of [`Graph::add_if_else`].
    pub fn add_if_else(
        &mut self,
        after: &[Node],
        condition: Condition,
        then: impl for<'a> FnOnce(&mut Body<'a>) -> Result<()>,
        otherwise: impl for<'a> FnOnce(&mut Body<'a>) -> Result<()>,
    ) -> Result<Node> {
        self.graph.add_if_else(after, condition, then, otherwise)
    }

    /// Adds a loop. See [`Graph::add_while`].
    ///
    /// # Errors
    /// Returns the errors of [`Graph::add_while`].
    pub fn add_while(
        &mut self,
        after: &[Node],
        condition: Condition,
        body: impl for<'a> FnOnce(&mut Body<'a>) -> Result<()>,
    ) -> Result<Node> {
        self.graph.add_while(after, condition, body)
    }

    /// Adds a choice among several graphs. See [`Graph::add_switch`].
    ///
    /// # Errors
    /// Returns the errors of [`Graph::add_switch`].
    pub fn add_switch(
        &mut self,
        after: &[Node],
        condition: Condition,
        count: usize,
        body: impl for<'a> FnMut(usize, &mut Body<'a>) -> Result<()>,
    ) -> Result<Node> {
        self.graph.add_switch(after, condition, count, body)
    }

    /// Captures a stream's work into this body. See [`Stream::capture_into`].
    ///
    /// # Safety
    /// The caller must ensure that the contract of [`Stream::capture_into`] holds.
    ///
    /// # Errors
    /// Returns the errors of [`Stream::capture_into`].
    pub unsafe fn capture<E: From<Error>>(
        &mut self,
        stream: &Stream,
        after: &[Node],
        work: impl FnOnce(&Capture<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        // SAFETY: the caller promises it.
        unsafe { stream.capture_into(&mut self.graph, after, work) }
    }

    /// Returns the driver's handle, for raw calls. Everything that nodes added by raw calls use
    /// must live as long as [`Graph::from_raw`] requires.
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
