//! The nodes of a graph.

use std::fmt;

use cuda_sys::CUgraphNode;

use super::held::Tag;
use crate::raw::flags::choices;

/// A node of a [`Graph`](super::Graph). It names the node, and keeps nothing alive: used with another graph, or after
/// its own is gone, it is an error.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Node {
    pub(super) raw: CUgraphNode,
    /// The graph's number.
    pub(super) graph: u64,
}

// SAFETY: a name. Who uses it has the graph.
unsafe impl Send for Node {}
// SAFETY: as above.
unsafe impl Sync for Node {}

impl Node {
    /// By what the graph names what only this node needs.
    pub(super) fn tag(self) -> Tag {
        self.raw.addr()
    }

    /// The driver's handle, valid as long as the graph has the node.
    #[must_use]
    pub fn as_raw(self) -> CUgraphNode {
        self.raw
    }
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Node({:p})", self.raw)
    }
}

choices! {
    /// What a node does (`CUgraphNodeType`). A newtype: kinds of newer drivers have numbers too.
    ///
    /// ```
    /// # use cuda_safe::{Context, graph::{Graph, NodeKind}};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let mut graph = Graph::new(&context)?;
    /// let start = graph.add_empty(&[])?;
    /// assert_eq!(graph.kind(start)?, NodeKind::EMPTY);
    /// # Ok(())
    /// # }
    /// ```
    pub struct NodeKind(u32) {
        /// Launches a kernel.
        KERNEL = 0, "CU_GRAPH_NODE_TYPE_KERNEL";
        /// Copies memory.
        COPY = 1, "CU_GRAPH_NODE_TYPE_MEMCPY";
        /// Fills memory.
        FILL = 2, "CU_GRAPH_NODE_TYPE_MEMSET";
        /// Calls a function of the host.
        HOST_FUNCTION = 3, "CU_GRAPH_NODE_TYPE_HOST";
        /// Runs another graph.
        CHILD = 4, "CU_GRAPH_NODE_TYPE_GRAPH";
        /// Does nothing: others depend on it.
        EMPTY = 5, "CU_GRAPH_NODE_TYPE_EMPTY";
        /// Waits for an event.
        EVENT_WAIT = 6, "CU_GRAPH_NODE_TYPE_WAIT_EVENT";
        /// Records an event.
        EVENT_RECORD = 7, "CU_GRAPH_NODE_TYPE_EVENT_RECORD";
        /// Signals an external semaphore.
        SEMAPHORE_SIGNAL = 8, "CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL";
        /// Waits for an external semaphore.
        SEMAPHORE_WAIT = 9, "CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT";
        /// Allocates memory.
        ALLOCATION = 10, "CU_GRAPH_NODE_TYPE_MEM_ALLOC";
        /// Frees memory.
        FREE = 11, "CU_GRAPH_NODE_TYPE_MEM_FREE";
        /// Waits for values in memory, and writes them.
        MEMORY_OPERATIONS = 12, "CU_GRAPH_NODE_TYPE_BATCH_MEM_OP";
        /// Runs other graphs if, while, or as a value says.
        CONDITIONAL = 13, "CU_GRAPH_NODE_TYPE_CONDITIONAL";
    }
}

impl NodeKind {
    /// In a word, for pictures.
    pub(super) fn word(self) -> String {
        let word = match self {
            Self::KERNEL => "kernel",
            Self::COPY => "copy",
            Self::FILL => "fill",
            Self::HOST_FUNCTION => "host function",
            Self::CHILD => "graph",
            Self::EMPTY => "empty",
            Self::EVENT_WAIT => "wait for event",
            Self::EVENT_RECORD => "record event",
            Self::SEMAPHORE_SIGNAL => "signal semaphore",
            Self::SEMAPHORE_WAIT => "wait for semaphore",
            Self::ALLOCATION => "allocation",
            Self::FREE => "free",
            Self::MEMORY_OPERATIONS => "memory operations",
            Self::CONDITIONAL => "conditional",
            Self(number) => return format!("kind {number}"),
        };
        word.into()
    }
}
