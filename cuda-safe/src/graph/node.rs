//! The nodes of a graph.

use std::fmt;

use cuda_sys::CUgraphNode;

use super::held::Tag;
pub use crate::raw::graph::NodeKind;

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
