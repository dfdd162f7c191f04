//! Nodes: what each of them does, and what it depends on.

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

/// What a node does. The operation's arguments are held by value.
pub enum Task {
    /// Nothing, but others may depend on it.
    Empty,
    /// As work of a context.
    Operation(Operation, Arc<Context>),
    /// All that another graph does, which the node owns.
    Child(Arc<Graph>),
    /// What one of its graphs does, as a value says.
    Conditional(Branch),
}

impl Task {
    /// The graphs that the node owns.
    pub fn graphs(&self) -> &[Arc<Graph>] {
        match self {
            Task::Child(graph) => std::slice::from_ref(graph),
            Task::Conditional(branch) => &branch.bodies,
            _ => &[],
        }
    }

    /// Whether kernels change what it launches.
    pub fn is_updatable(&self) -> bool {
        matches!(self, Task::Operation(Operation::Launch(launch), _) if launch.updatable.is_some())
    }

    /// The `CUgraphNodeType`.
    pub fn kind(&self) -> u32 {
        match self {
            Task::Empty => CU_GRAPH_NODE_TYPE_EMPTY,
            Task::Child(_) => CU_GRAPH_NODE_TYPE_GRAPH,
            Task::Conditional(_) => CU_GRAPH_NODE_TYPE_CONDITIONAL,
            Task::Operation(operation, _) => kind_of(operation),
        }
    }
}

/// The `CUgraphNodeType` of an operation's node.
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

/// A node that another one comes after, by its handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependency {
    pub node: u64,
    pub data: EdgeData,
}

impl Dependency {
    /// One that waits for all of the node.
    pub fn on(node: u64) -> Dependency {
        Dependency {
            node,
            data: EdgeData::default(),
        }
    }
}

/// One end of an edge: the node at the other end, by its number in the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    pub number: u64,
    pub data: EdgeData,
}

/// A node in its graph.
pub struct Node {
    pub handle: u64,
    pub task: Task,
    /// What it comes after, in the order in which that was said.
    pub before: Vec<Link>,
    /// What comes after it.
    pub after: Vec<Link>,
    /// The node that it is a clone of.
    pub origin: Option<u64>,
    /// Where each of a kernel's arguments is, once the client has asked.
    pub pointers: Vec<u64>,
}

impl Node {
    /// One that does nothing.
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

/// Where a node's handle leads.
pub struct Entry {
    pub handle: u64,
    graph: Weak<Graph>,
    /// Its number in the graph, by which nodes are in the order of their creation.
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
        // It goes with its graph.
        None
    }
}

/// A handle for a node of a graph.
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

/// The graph that a node is in, and its number there.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for a handle that isn't a live node's.
pub fn containing(handle: u64) -> Result<(Arc<Graph>, u64)> {
    let entry = NODES.get(handle).ok_or(Code::ERROR_INVALID_VALUE)?;
    let graph = entry.graph.upgrade().ok_or(Code::ERROR_INVALID_VALUE)?;
    Ok((graph, entry.number))
}
