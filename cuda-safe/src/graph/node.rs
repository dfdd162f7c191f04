//! The nodes of a graph.

use std::fmt;

use cuda_sys::CUgraphNode;

use super::held::Tag;
pub use crate::raw::graph::NodeKind;

/// A node of a [`Graph`](super::Graph).
///
/// It names the node and keeps nothing alive. Using it with another graph, or after its graph has
/// been dropped, returns an error.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Node {
    pub(super) raw: CUgraphNode,
    /// The graph's number.
    pub(super) graph: u64,
}

// SAFETY: the handle is only a name. Methods that use it need the graph.
unsafe impl Send for Node {}
// SAFETY: as above.
unsafe impl Sync for Node {}

impl Node {
    /// Returns the tag of objects that only this node needs.
    pub(super) fn tag(self) -> Tag {
        self.raw.addr()
    }

    /// Returns the driver's handle, which is valid as long as the graph has the node.
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
    /// Returns a short name for labels.
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
