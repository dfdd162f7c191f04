//! Graphs as the client builds them: nodes and edges.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use super::node::{self, Dependency, Link, Node, Task};
use super::user_object::{References, UserObject};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::process::handle::{Object, Table};
use crate::process::registry::{self, Owner};
use crate::work::conditional_values::Condition;
use crate::work::operation::Operation;
use cuda_emulator_engine::Unpoisoned;

/// The owner of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ownership {
    /// The client.
    Client,
    /// A capture, until it ends.
    Capture,
    /// A node.
    Node,
}

/// A graph.
pub struct Graph {
    pub handle: u64,
    /// Unique in the process.
    pub id: u64,
    me: Weak<Graph>,
    ownership: Mutex<Ownership>,
    body: Mutex<Body>,
    /// Whether streams are being captured into it although it was not created by a capture.
    target: AtomicBool,
    references: Mutex<References>,
    conditions: Mutex<Vec<Arc<Condition>>>,
    /// Refers to the token that each executable graph made from it holds.
    instance: Mutex<Weak<()>>,
}

/// The nodes of a graph by number, in order of creation.
#[derive(Default)]
pub struct Body {
    pub nodes: BTreeMap<u64, Node>,
    pub next: u64,
}

static GRAPHS: Table<Arc<Graph>> = Table::new();

impl Object for Arc<Graph> {
    const NAME: &'static str = "graph";
    const TAG: u8 = 0x1a;

    fn owner(&self) -> Option<&Owner> {
        None
    }

    fn leak(&self) -> Option<String> {
        (self.ownership() != Ownership::Node).then(|| format!("graph {:#x}", self.handle))
    }
}

/// Creates an empty graph.
pub fn create(ownership: Ownership) -> Arc<Graph> {
    let graph = GRAPHS.insert(|handle| {
        Arc::new_cyclic(|me| Graph {
            handle,
            id: registry::next_number(),
            me: me.clone(),
            ownership: Mutex::new(ownership),
            body: Mutex::default(),
            target: AtomicBool::new(false),
            references: Mutex::default(),
            conditions: Mutex::default(),
            instance: Mutex::default(),
        })
    });
    Arc::clone(&graph)
}

/// Returns the graph of a handle.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the handle is not that of a live graph.
pub fn get(handle: u64) -> Result<Arc<Graph>> {
    let found = GRAPHS.get(handle).ok_or(Code::ERROR_INVALID_VALUE)?;
    Ok(Arc::clone(&found))
}

/// Destroys a graph that the client owns.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the handle is not that of a live graph, if a node owns the
/// graph, or during a capture into it.
pub fn destroy(handle: u64) -> Result {
    let graph = get(handle)?;
    if graph.ownership() != Ownership::Client || graph.is_busy() {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    // Another thread may have destroyed it first.
    match graph.close() {
        true => Ok(()),
        false => Err(Code::ERROR_INVALID_VALUE),
    }
}

impl Graph {
    pub fn ownership(&self) -> Ownership {
        *self.ownership.lock().unpoisoned()
    }

    pub fn set_ownership(&self, ownership: Ownership) {
        *self.ownership.lock().unpoisoned() = ownership;
    }

    /// Marks it as the target of a capture. Returns false if it already was.
    pub fn begin_target(&self) -> bool {
        !self.target.swap(true, Ordering::AcqRel)
    }

    pub fn end_target(&self) {
        self.target.store(false, Ordering::Release);
    }

    /// Returns whether streams are being captured into it, or into a graph in it.
    pub fn is_busy(&self) -> bool {
        let inside = |node: &Node| node.task.graphs().iter().any(|graph| graph.is_busy());
        self.target.load(Ordering::Acquire)
            || self.ownership() == Ownership::Capture
            || self.body().nodes.values().any(inside)
    }

    /// Adds references to a user object. The flags determine whether these are new references or
    /// the client's.
    ///
    /// # Errors
    /// Returns the errors of [`UserObject::add_graph_references`].
    pub fn retain(&self, object: &Arc<UserObject>, count: u32, flags: u32) -> Result {
        object.add_graph_references(count, flags)?;
        self.references().add(object, count.into());
        Ok(())
    }

    /// Removes references to a user object.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the graph has fewer.
    pub fn release(&self, object: &Arc<UserObject>, count: u32) -> Result {
        self.references().take(object, count)?;
        object.remove_graph_references(count);
        Ok(())
    }

    /// Returns the conditional handles created for it.
    pub fn conditions(&self) -> MutexGuard<'_, Vec<Arc<Condition>>> {
        self.conditions.lock().unpoisoned()
    }

    pub fn body(&self) -> MutexGuard<'_, Body> {
        self.body.lock().unpoisoned()
    }

    /// Returns its references to user objects.
    pub fn references(&self) -> MutexGuard<'_, References> {
        self.references.lock().unpoisoned()
    }

    /// Returns a token that an executable graph of it must hold.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_NOT_SUPPORTED` if there can be only one executable graph and it exists
    /// already.
    pub fn instance(&self) -> Result<Arc<()>> {
        let mut instance = self.instance.lock().unpoisoned();
        if instance.strong_count() > 0 && self.is_single() {
            return Err(Code::ERROR_NOT_SUPPORTED);
        }
        let token = instance.upgrade().unwrap_or_default();
        *instance = Arc::downgrade(&token);
        Ok(token)
    }

    /// Returns whether it allocates or frees memory, itself or in a node's graph.
    pub fn has_memory(&self) -> bool {
        self.has(&|task| {
            matches!(
                task,
                Task::Operation(Operation::Allocate(_) | Operation::Free(_), _)
            )
        })
    }

    /// Returns whether kernels can change one of its nodes.
    pub fn is_updatable(&self) -> bool {
        self.has(&Task::is_updatable)
    }

    /// Returns whether it can be instantiated only once at a time and not copied, because it has
    /// memory nodes, conditional nodes, or nodes that kernels can change.
    pub fn is_single(&self) -> bool {
        let single = |task: &Task| matches!(task, Task::Conditional(_)) || task.is_updatable();
        self.has_memory() || self.has(&single)
    }

    fn has(&self, what: &dyn Fn(&Task) -> bool) -> bool {
        self.body()
            .nodes
            .values()
            .any(|node| what(&node.task) || node.task.graphs().iter().any(|graph| graph.has(what)))
    }

    /// Like [`Graph::close`], for a graph that no other thread can close.
    pub fn end(&self) {
        self.close();
    }

    /// Makes the handles of the graph, its nodes and their graphs stale, and releases its user
    /// objects. Returns false if that had already happened.
    fn close(&self) -> bool {
        let removed = GRAPHS.remove(self.handle).is_some();
        let references = std::mem::take(&mut *self.references());
        let conditions = std::mem::take(&mut *self.conditions());
        drop((references, conditions));
        let mut ended = std::mem::take(&mut *self.body());
        for (_, node) in std::mem::take(&mut ended.nodes) {
            node.end();
        }
        removed
    }

    /// Adds a node and returns its handle.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if a dependency is not a node of this graph, is repeated,
    /// or has invalid edge data.
    pub fn add(&self, task: Task, dependencies: &[Dependency]) -> Result<u64> {
        for dependency in dependencies {
            let number = self.number(dependency.node)?;
            let body = self.body();
            check_edge(&dependency.data, &body.node(number)?.task, &task)?;
        }
        self.add_captured(task, dependencies)
    }

    /// Like [`Graph::add`], for a node of a capture. Like NVIDIA's driver, it checks only the start
    /// of each edge ([`Graph::check_from`]), because any node may follow a kernel's programmatic
    /// port.
    ///
    /// # Errors
    /// Returns the errors of [`Graph::add`], except those about edge data.
    pub fn add_captured(&self, task: Task, dependencies: &[Dependency]) -> Result<u64> {
        let mut body = self.body();
        let before = self.links(&body, dependencies)?;
        let number = body.next;
        body.next += 1;
        let handle = node::new_handle(&self.me, number);
        for link in &before {
            let data = link.data;
            let from = body.nodes.get_mut(&link.number);
            from.expect("just seen").after.push(Link { number, data });
        }
        let node = Node {
            task,
            before,
            ..Node::new(handle)
        };
        body.nodes.insert(number, node);
        Ok(handle)
    }

    /// Returns the edges to a new node.
    fn links(&self, body: &Body, dependencies: &[Dependency]) -> Result<Vec<Link>> {
        let mut seen = BTreeSet::new();
        let mut links = Vec::with_capacity(dependencies.len());
        for dependency in dependencies {
            let number = self.number(dependency.node)?;
            body.node(number)?;
            if !seen.insert(number) {
                return Err(Code::ERROR_INVALID_VALUE);
            }
            links.push(Link {
                number,
                data: dependency.data,
            });
        }
        Ok(links)
    }

    /// Returns whether a node of this graph is a kernel node.
    pub fn is_kernel(&self, node: u64) -> bool {
        let number = self.number(node);
        let kind = |number| Ok(self.body().node(number)?.task.kind());
        number.and_then(kind) == Ok(CU_GRAPH_NODE_TYPE_KERNEL)
    }

    /// Checks that an edge with this data may start at its node. The node at its end is not
    /// checked.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if it may not.
    pub fn check_from(&self, dependency: &Dependency) -> Result {
        let number = self.number(dependency.node)?;
        let body = self.body();
        let from = &body.node(number)?.task;
        check_edge(&dependency.data, from, from)
    }

    /// Returns the number of one of its nodes.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the node does not exist or is in another graph.
    pub fn number(&self, node: u64) -> Result<u64> {
        let (graph, number) = node::containing(node)?;
        if graph.handle == self.handle {
            Ok(number)
        } else {
            Err(Code::ERROR_INVALID_VALUE)
        }
    }
}

/// Checks that an edge between two nodes may have this data.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if it may not.
pub fn check_edge(data: &EdgeData, from: &Task, to: &Task) -> Result {
    let kernels = [from, to].map(|task| task.kind() == CU_GRAPH_NODE_TYPE_KERNEL);
    let valid = data.to_port == 0
        && data.reserved == [0; 5]
        && match u32::from(data.kind) {
            CU_GRAPH_DEPENDENCY_TYPE_DEFAULT => {
                data.from_port == 0
                    || kernels[0]
                        && u32::from(data.from_port) == CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER
            }
            // A node that may start earlier may also start later, so the edge is treated as a full
            // dependency.
            CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC => {
                kernels == [true; 2]
                    && (CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC
                        ..=CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER)
                        .contains(&data.from_port.into())
            }
            _ => false,
        };
    if valid {
        Ok(())
    } else {
        Err(Code::ERROR_INVALID_VALUE)
    }
}

impl Node {
    /// Makes the handles of the node and of its graph stale.
    pub fn end(self) {
        node::forget(self.handle);
        if let Task::Child(graph) = &self.task {
            graph.end();
        }
    }
}

impl Body {
    /// Returns a node.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if there is no node with this number.
    pub fn node(&self, number: u64) -> Result<&Node> {
        self.nodes.get(&number).ok_or(Code::ERROR_INVALID_VALUE)
    }

    /// Returns the numbers of all nodes in topological order, and otherwise in order of creation.
    ///
    /// # Errors
    /// Returns the number of a node in a cycle, if there is a cycle.
    pub fn topological(&self) -> std::result::Result<Vec<u64>, u64> {
        let mut open: BTreeMap<u64, usize> = self
            .nodes
            .iter()
            .map(|(&number, node)| (number, node.before.len()))
            .collect();
        let mut ready: BTreeSet<u64> = open
            .iter()
            .filter(|(_, before)| **before == 0)
            .map(|(&number, _)| number)
            .collect();
        let mut order = Vec::with_capacity(self.nodes.len());
        while let Some(number) = ready.pop_first() {
            open.remove(&number);
            order.push(number);
            for link in &self.nodes[&number].after {
                let before = open.get_mut(&link.number).expect("not in the order yet");
                *before -= 1;
                if *before == 0 {
                    ready.insert(link.number);
                }
            }
        }
        match open.first_key_value() {
            None => Ok(order),
            Some((&number, _)) => Err(number),
        }
    }

    /// Returns the nodes in `numbers` and all nodes that must run before them.
    pub fn ancestors(&self, numbers: impl IntoIterator<Item = u64>) -> BTreeSet<u64> {
        let mut found = BTreeSet::new();
        let mut open: Vec<u64> = numbers.into_iter().collect();
        while let Some(number) = open.pop() {
            if let Some(node) = self.nodes.get(&number)
                && found.insert(number)
            {
                open.extend(node.before.iter().map(|link| link.number));
            }
        }
        found
    }
}
