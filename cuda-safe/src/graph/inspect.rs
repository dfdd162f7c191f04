//! What a graph is made of.

use std::ptr;

use cuda_sys::{self as sys, CUgraphNodeType, CUresult};

use super::{
    Graph,
    node::{Node, NodeKind},
};
use crate::{error::Result, newer};

impl Graph {
    /// The nodes, in no particular order. For a captured graph, this is how to get at them.
    ///
    /// # Errors
    /// The context is unusable after a fault.
    #[doc(alias = "cuGraphGetNodes")]
    pub fn nodes(&self) -> Result<Vec<Node>> {
        self.list("cuGraphGetNodes", |nodes, count| {
            // SAFETY: a live graph; `nodes` has room for `count`, or is null.
            unsafe { sys::cuGraphGetNodes(self.as_raw(), nodes, count) }
        })
    }

    /// The nodes that wait for no other.
    ///
    /// # Errors
    /// The context is unusable after a fault.
    #[doc(alias = "cuGraphGetRootNodes")]
    pub fn roots(&self) -> Result<Vec<Node>> {
        self.list("cuGraphGetRootNodes", |nodes, count| {
            // SAFETY: as `nodes`.
            unsafe { sys::cuGraphGetRootNodes(self.as_raw(), nodes, count) }
        })
    }

    fn list(
        &self,
        call: &'static str,
        get: impl Fn(*mut sys::CUgraphNode, *mut usize) -> CUresult,
    ) -> Result<Vec<Node>> {
        let _current = self.context().enter()?;
        let mut count = 0;
        self.context()
            .check(call, get(ptr::null_mut(), &mut count))?;
        let mut nodes = vec![ptr::null_mut(); count];
        if count > 0 {
            self.context()
                .check(call, get(nodes.as_mut_ptr(), &mut count))?;
        }
        let graph = self.number;
        Ok(nodes.into_iter().map(|raw| Node { raw, graph }).collect())
    }

    /// Which node waits for which: pairs of a node and one that waits for it.
    ///
    /// # Errors
    /// The driver's code where an edge has data, which pairs can't tell. The context is unusable after a fault.
    ///
    /// ```
    /// # use cuda_safe::{Context, graph::Graph};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let mut graph = Graph::new(&context)?;
    /// let a = graph.add_empty(&[])?;
    /// let b = graph.add_empty(&[a])?;
    /// assert_eq!(graph.nodes()?.len(), 2);
    /// assert_eq!(graph.roots()?, [a]);
    /// assert_eq!(graph.edges()?, [(a, b)]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuGraphGetEdges")]
    pub fn edges(&self) -> Result<Vec<(Node, Node)>> {
        const CALL: &str = "cuGraphGetEdges";
        let get = newer::cuGraphGetEdges()?;
        let _current = self.context().enter()?;
        let (raw, mut count) = (self.as_raw(), 0);
        // SAFETY: a live graph; `count` is valid for the write.
        let code = unsafe { get(raw, ptr::null_mut(), ptr::null_mut(), &mut count) };
        self.context().check(CALL, code)?;
        let (mut from, mut to) = (vec![ptr::null_mut(); count], vec![ptr::null_mut(); count]);
        if count > 0 {
            // SAFETY: both have room for `count`.
            let code = unsafe { get(raw, from.as_mut_ptr(), to.as_mut_ptr(), &mut count) };
            self.context().check(CALL, code)?;
        }
        let node = |raw| Node {
            raw,
            graph: self.number,
        };
        Ok(from
            .into_iter()
            .map(node)
            .zip(to.into_iter().map(node))
            .collect())
    }

    /// What a node does.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a node of another graph.
    #[doc(alias = "cuGraphNodeGetType")]
    pub fn kind(&self, node: Node) -> Result<NodeKind> {
        const CALL: &str = "cuGraphNodeGetType";
        self.expect_own(node, CALL)?;
        let _current = self.context().enter()?;
        let mut kind = CUgraphNodeType(0);
        // SAFETY: a live node; `kind` is valid for the write.
        let code = unsafe { sys::cuGraphNodeGetType(node.raw, &mut kind) };
        self.context().check(CALL, code)?;
        Ok(NodeKind(kind.0))
    }
}
