//! Nodes: their tasks and dependencies.

use std::sync::{Arc, Weak};

use super::conditional_nodes::Branch;
use super::definition::Graph;
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::process::context::Context;
use crate::process::handle::{Object, Table};
use crate::process::registry::Owner;
use crate::work::external_semaphore::Act;
use crate::work::operation::Operation;

/// The task of a node. It owns the arguments of its operation.
pub enum Task {
    /// No work, but other nodes may depend on it.
    Empty,
    /// An operation in a context.
    Operation(Operation, Arc<Context>),
    /// All work of another graph, which the node owns.
    Child(Arc<Graph>),
    /// The work of one of its graphs, depending on a value.
    Conditional(Branch),
}

impl Task {
    /// Returns the graphs that the node owns.
    pub fn graphs(&self) -> &[Arc<Graph>] {
        match self {
            Task::Child(graph) => std::slice::from_ref(graph),
            Task::Conditional(branch) => &branch.bodies,
            _ => &[],
        }
    }

    /// Returns whether kernels can change its launch.
    pub fn is_updatable(&self) -> bool {
        matches!(self, Task::Operation(Operation::Launch(launch), _) if launch.updatable.is_some())
    }

    /// Returns the `CUgraphNodeType`.
    pub fn kind(&self) -> u32 {
        match self {
            Task::Empty => CU_GRAPH_NODE_TYPE_EMPTY,
            Task::Child(_) => CU_GRAPH_NODE_TYPE_GRAPH,
            Task::Conditional(_) => CU_GRAPH_NODE_TYPE_CONDITIONAL,
            Task::Operation(operation, _) => kind_of(operation),
        }
    }
}

/// Returns the `CUgraphNodeType` of an operation's node.
pub fn kind_of(operation: &Operation) -> u32 {
    match operation {
        Operation::Launch(_) => CU_GRAPH_NODE_TYPE_KERNEL,
        Operation::Copy(_) => CU_GRAPH_NODE_TYPE_MEMCPY,
        Operation::Fill(_) => CU_GRAPH_NODE_TYPE_MEMSET,
        Operation::Call(_) => CU_GRAPH_NODE_TYPE_HOST,
        Operation::Words(_) => CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
        Operation::Record(_) => CU_GRAPH_NODE_TYPE_EVENT_RECORD,
        Operation::Await(_) => CU_GRAPH_NODE_TYPE_WAIT_EVENT,
        Operation::Semaphores(semaphores) => match semaphores.act {
            Act::Signal => CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL,
            Act::Wait => CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT,
        },
        Operation::Allocate(_) => CU_GRAPH_NODE_TYPE_MEM_ALLOC,
        Operation::Free(_) => CU_GRAPH_NODE_TYPE_MEM_FREE,
    }
}

/// A dependency: the handle of the node that comes first, and the edge's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependency {
    pub node: u64,
    pub data: EdgeData,
}

impl Dependency {
    /// Creates a full dependency on a node.
    pub fn on(node: u64) -> Dependency {
        Dependency {
            node,
            data: EdgeData::default(),
        }
    }
}

/// One end of an edge: the number of the node at the other end, and the edge's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    pub number: u64,
    pub data: EdgeData,
}

/// A node in a graph.
pub struct Node {
    pub handle: u64,
    pub task: Task,
    /// Edges to this node, in the order in which they were added.
    pub before: Vec<Link>,
    /// Edges from this node.
    pub after: Vec<Link>,
    /// The node of which it is a copy.
    pub origin: Option<u64>,
    /// Addresses of a kernel's arguments, once the client has queried them.
    pub pointers: Vec<u64>,
}

impl Node {
    /// Creates an empty node.
    pub fn new(handle: u64) -> Node {
        Node {
            handle,
            task: Task::Empty,
            before: Vec::new(),
            after: Vec::new(),
            origin: None,
            pointers: Vec::new(),
        }
    }
}

/// The graph and number of a node handle.
pub struct Entry {
    pub handle: u64,
    graph: Weak<Graph>,
    /// Its number in the graph. Numbers are in order of creation.
    pub number: u64,
}

static NODES: Table<Entry> = Table::new();

impl Object for Entry {
    const NAME: &'static str = "graph node";
    const TAG: u8 = 0x1c;

    fn owner(&self) -> Option<&Owner> {
        None
    }

    fn leak(&self) -> Option<String> {
        // A node ends with its graph.
        None
    }
}

/// Creates a handle for a node of a graph.
pub fn new_handle(graph: &Weak<Graph>, number: u64) -> u64 {
    let make = |handle| Entry {
        handle,
        graph: graph.clone(),
        number,
    };
    NODES.insert(make).handle
}

/// Makes a node's handle stale.
pub fn forget(handle: u64) {
    NODES.remove(handle);
}

/// Returns the graph of a node, and the node's number there.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the handle is not that of a live node.
pub fn containing(handle: u64) -> Result<(Arc<Graph>, u64)> {
    let entry = NODES.get(handle).ok_or(Code::ERROR_INVALID_VALUE)?;
    let graph = entry.graph.upgrade().ok_or(Code::ERROR_INVALID_VALUE)?;
    Ok((graph, entry.number))
}
