//! What a graph is made of.

use std::ptr;

use cuda_sys::{self as sys, CUgraphNodeType, CUresult};

use super::{
    Graph,
    node::{Node, NodeKind},
};
use crate::error::Result;

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

    /// The nodes that a node waits for.
    ///
    /// # Errors
    /// As [`edges`](Self::edges), and [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a node of
    /// another graph.
    #[doc(alias = "cuGraphNodeGetDependencies")]
    pub fn dependencies(&self, node: Node) -> Result<Vec<Node>> {
        self.expect_own(node, "Graph::dependencies")?;
        let edges = self.edges()?.into_iter();
        Ok(edges
            .filter(|(_, to)| *to == node)
            .map(|(from, _)| from)
            .collect())
    }

    /// The nodes that wait for a node.
    ///
    /// # Errors
    /// As [`dependencies`](Self::dependencies).
    #[doc(alias = "cuGraphNodeGetDependentNodes")]
    pub fn dependents(&self, node: Node) -> Result<Vec<Node>> {
        self.expect_own(node, "Graph::dependents")?;
        let edges = self.edges()?.into_iter();
        Ok(edges
            .filter(|(from, _)| *from == node)
            .map(|(_, to)| to)
            .collect())
    }

    /// The node of this graph, a [copy](Self::try_clone), that was copied from a node of `original`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a node of another graph than `original`. The
    /// driver's code where this is not its copy, or the node came later.
    #[doc(alias = "cuGraphNodeFindInClone")]
    pub fn copy_of(&self, original: &Self, node: Node) -> Result<Node> {
        const CALL: &str = "cuGraphNodeFindInClone";
        original.expect_own(node, CALL)?;
        let _current = self.context().enter("cuGraphNodeFindInClone")?;
        let mut raw = ptr::null_mut();
        // SAFETY: a live node and a live graph; `raw` is valid for the write.
        let code = unsafe { sys::cuGraphNodeFindInClone(&mut raw, node.raw, self.as_raw()) };
        self.context().check(CALL, code)?;
        let graph = self.number;
        Ok(Node { raw, graph })
    }

    fn list(
        &self,
        call: &'static str,
        get: impl Fn(*mut sys::CUgraphNode, *mut usize) -> CUresult,
    ) -> Result<Vec<Node>> {
        let _current = self.context().enter(call)?;
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

    /// A node that the driver names in an error; `None` where it names none.
    pub(super) fn culprit(&self, raw: sys::CUgraphNode) -> Option<String> {
        if raw.is_null() {
            return None;
        }
        // SAFETY: the driver's answer to a question about this graph.
        let node = unsafe { self.node(raw) };
        let label = self.label(node).unwrap_or_default().replace("\\n", ", ");
        Some(format!("{node:?} ({label})"))
    }

    /// What a node does.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a node of another graph.
    #[doc(alias = "cuGraphNodeGetType")]
    pub fn kind(&self, node: Node) -> Result<NodeKind> {
        const CALL: &str = "cuGraphNodeGetType";
        self.expect_own(node, CALL)?;
        let _current = self.context().enter("cuGraphNodeGetType")?;
        let mut kind = CUgraphNodeType(0);
        // SAFETY: a live node; `kind` is valid for the write.
        let code = unsafe { sys::cuGraphNodeGetType(node.raw, &mut kind) };
        self.context().check(CALL, code)?;
        Ok(NodeKind(kind.0))
    }
}
