//! Changes to a graph: edges, removal of nodes, copies.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::definition::{self, Body, Graph, Ownership, check_edge};
use super::node::{self, Link, Node, Task};
use crate::abi::EdgeData;
use crate::abi::status::{Code, Result};

/// An edge: the handles of its two nodes, and its data.
pub type Edge = (u64, u64, EdgeData);

impl Graph {
    /// Returns the numbers of an edge's nodes.
    fn ends(&self, edge: &Edge) -> Result<(u64, u64)> {
        Ok((self.number(edge.0)?, self.number(edge.1)?))
    }

    /// Adds edges: all of them, or none if one is rejected.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if a node is not in this graph, if an edge exists already
    /// or connects a node to itself, or if an edge cannot have this data.
    pub fn connect(&self, edges: &[Edge]) -> Result {
        let mut body = self.body();
        let mut new = BTreeSet::new();
        for edge in edges {
            let (from, to) = self.ends(edge)?;
            let (first, second) = (body.node(from)?, body.node(to)?);
            let exists = first.after.iter().any(|link| link.number == to);
            if from == to || exists || !new.insert((from, to)) {
                return Err(Code::ERROR_INVALID_VALUE);
            }
            check_edge(&edge.2, &first.task, &second.task)?;
        }
        for edge in edges {
            let (from, to) = self.ends(edge)?;
            body.link(from, to, edge.2);
        }
        Ok(())
    }

    /// Removes edges: all of them, or none if one is rejected.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if an edge does not exist, or if the graph allocates or
    /// frees memory. Like an H200's driver, it does not check the edges' data.
    pub fn disconnect(&self, edges: &[Edge]) -> Result {
        if !edges.is_empty() && self.has_memory() {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        let mut body = self.body();
        let mut gone = BTreeSet::new();
        for edge in edges {
            let (from, to) = self.ends(edge)?;
            let there = body.node(from)?.after.iter().any(|link| link.number == to);
            if !there || !gone.insert((from, to)) {
                return Err(Code::ERROR_INVALID_VALUE);
            }
        }
        for (from, to) in gone {
            body.unlink(from, to);
        }
        Ok(())
    }

    /// Removes a node with its edges.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if there is no such node, and during a capture into the
    /// graph. Returns `CUDA_ERROR_NOT_SUPPORTED` if the graph allocates or frees memory, and for a
    /// node that kernels can change.
    pub fn remove(&self, number: u64) -> Result {
        if self.is_busy() {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        if self.has_memory() {
            return Err(Code::ERROR_NOT_SUPPORTED);
        }
        let mut body = self.body();
        if body.node(number)?.is_updatable() {
            return Err(Code::ERROR_NOT_SUPPORTED);
        }
        let node = body.nodes.remove(&number);
        let node = node.ok_or(Code::ERROR_INVALID_VALUE)?;
        for link in &node.before {
            body.end_of(link.number)
                .after
                .retain(|link| link.number != number);
        }
        for link in &node.after {
            body.end_of(link.number)
                .before
                .retain(|link| link.number != number);
        }
        drop(body);
        node.end();
        Ok(())
    }

    /// Returns whether it is the other graph, or contains it in a node.
    pub fn contains(&self, other: &Graph) -> bool {
        let inside = |node: &Node| {
            let mut graphs = node.task.graphs().iter();
            graphs.any(|graph| graph.contains(other))
        };
        self.handle == other.handle || self.body().nodes.values().any(inside)
    }

    /// Copies the graph with new nodes.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_NOT_SUPPORTED` if the graph has memory nodes, conditional nodes, or
    /// nodes that kernels can change.
    pub fn copy(&self, ownership: Ownership) -> Result<Arc<Graph>> {
        if self.is_single() {
            return Err(Code::ERROR_NOT_SUPPORTED);
        }
        let copy = definition::create(ownership);
        copy.references().extend(&self.references(), None);
        let body: &Body = &self.body();
        let mut new = copy.body();
        for (&number, node) in &body.nodes {
            let task = match &node.task {
                Task::Empty => Task::Empty,
                Task::Operation(operation, context) => {
                    Task::Operation(operation.clone(), context.clone())
                }
                Task::Child(graph) => Task::Child(graph.copy(Ownership::Node)?),
                Task::Conditional(_) => return Err(Code::ERROR_INVALID_VALUE),
            };
            let node = Node {
                task,
                before: node.before.clone(),
                after: node.after.clone(),
                origin: Some(node.handle),
                ..Node::new(node::new_handle(&Arc::downgrade(&copy), number))
            };
            new.nodes.insert(number, node);
        }
        new.next = body.next;
        drop(new);
        Ok(copy)
    }

    /// Returns the node of this graph that is a copy of another graph's node.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if there is none.
    pub fn find_copy(&self, origin: u64) -> Result<u64> {
        let body = self.body();
        for node in body.nodes.values() {
            if node.origin == Some(origin) {
                return Ok(node.handle);
            }
            if let Task::Child(graph) = &node.task
                && let Ok(found) = graph.find_copy(origin)
            {
                return Ok(found);
            }
        }
        Err(Code::ERROR_INVALID_VALUE)
    }
}

impl Body {
    /// Returns a node that an edge refers to.
    fn end_of(&mut self, number: u64) -> &mut Node {
        self.nodes.get_mut(&number).expect("an edge's node")
    }

    /// Adds an edge between two nodes.
    pub fn link(&mut self, from: u64, to: u64, data: EdgeData) {
        self.end_of(from).after.push(Link { number: to, data });
        self.end_of(to).before.push(Link { number: from, data });
    }

    fn unlink(&mut self, from: u64, to: u64) {
        self.end_of(from).after.retain(|link| link.number != to);
        self.end_of(to).before.retain(|link| link.number != from);
    }
}
