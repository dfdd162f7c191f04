//! Methods that inspect a graph.

use std::ptr;

use cuda_sys::{self as sys, CUgraphNodeType, CUresult};

use super::{
    Graph,
    node::{Node, NodeKind},
};
use crate::error::Result;

impl Graph {
    /// Returns the nodes, in no particular order. For a captured graph, this is how to find them.
    ///
    /// See [`cuGraphGetNodes`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault.
    #[doc(alias = "cuGraphGetNodes")]
    pub fn nodes(&self) -> Result<Vec<Node>> {
        self.list("cuGraphGetNodes", |nodes, count| {
            // SAFETY: the graph is alive. `nodes` has room for `count`, or is null.
            unsafe { sys::cuGraphGetNodes(self.as_raw(), nodes, count) }
        })
    }

    /// Returns the nodes without dependencies.
    ///
    /// See [`cuGraphGetRootNodes`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault.
    #[doc(alias = "cuGraphGetRootNodes")]
    pub fn roots(&self) -> Result<Vec<Node>> {
        self.list("cuGraphGetRootNodes", |nodes, count| {
            // SAFETY: as in `nodes`.
            unsafe { sys::cuGraphGetRootNodes(self.as_raw(), nodes, count) }
        })
    }

    /// Returns the nodes on which a node depends.
    ///
    /// See [`cuGraphNodeGetDependencies`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the node
    /// belongs to another graph. Also returns the errors of [`edges`](Self::edges).
    #[doc(alias = "cuGraphNodeGetDependencies")]
    pub fn dependencies(&self, node: Node) -> Result<Vec<Node>> {
        self.expect_own(node, "Graph::dependencies")?;
        let edges = self.edges()?.into_iter();
        Ok(edges
            .filter(|(_, to)| *to == node)
            .map(|(from, _)| from)
            .collect())
    }

    /// Returns the nodes that depend on a node.
    ///
    /// See [`cuGraphNodeGetDependentNodes`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`dependencies`](Self::dependencies).
    #[doc(alias = "cuGraphNodeGetDependentNodes")]
    pub fn dependents(&self, node: Node) -> Result<Vec<Node>> {
        self.expect_own(node, "Graph::dependents")?;
        let edges = self.edges()?.into_iter();
        Ok(edges
            .filter(|(from, _)| *from == node)
            .map(|(_, to)| to)
            .collect())
    }

    /// Returns the node of this graph that was copied from `node`. This graph must be a
    /// [copy](Self::try_clone) of `original`.
    ///
    /// See [`cuGraphNodeFindInClone`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if `node` does not
    /// belong to `original`. Returns the driver's error if this graph is not a copy of `original`,
    /// or if the node was added after the copy.
    #[doc(alias = "cuGraphNodeFindInClone")]
    pub fn copy_of(&self, original: &Self, node: Node) -> Result<Node> {
        const CALL: &str = "cuGraphNodeFindInClone";
        original.expect_own(node, CALL)?;
        let _current = self.context().enter("cuGraphNodeFindInClone")?;
        let mut raw = ptr::null_mut();
        // SAFETY: the node and the graph are alive, and `raw` is valid for the write.
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

    /// Returns the description of a node that the driver names in an error, or `None` if it names
    /// none.
    pub(super) fn describe_node(&self, raw: sys::CUgraphNode) -> Option<String> {
        if raw.is_null() {
            return None;
        }
        // SAFETY: the driver returned the node for this graph.
        let node = unsafe { self.node(raw) };
        let label = self.label(node).unwrap_or_default().replace("\\n", ", ");
        Some(format!("{node:?} ({label})"))
    }

    /// Returns what kind of operation a node performs.
    ///
    /// See [`cuGraphNodeGetType`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the node
    /// belongs to another graph.
    #[doc(alias = "cuGraphNodeGetType")]
    pub fn kind(&self, node: Node) -> Result<NodeKind> {
        const CALL: &str = "cuGraphNodeGetType";
        self.expect_own(node, CALL)?;
        let _current = self.context().enter("cuGraphNodeGetType")?;
        let mut kind = CUgraphNodeType(0);
        // SAFETY: the node is alive, and `kind` is valid for the write.
        let code = unsafe { sys::cuGraphNodeGetType(node.raw, &mut kind) };
        self.context().check(CALL, code)?;
        Ok(NodeKind(kind.0))
    }
}
