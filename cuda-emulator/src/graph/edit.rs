//! Changes of a graph: edges, the end of nodes, copies.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::definition::{self, Body, Graph, Standing, check_edge};
use super::node::{self, Link, Node, Task};
use crate::abi::EdgeData;
use crate::abi::status::{Code, Result};

/// An edge by the handles of its nodes: from, to, and its data.
pub type Edge = (u64, u64, EdgeData);

impl Graph {
    /// The numbers of an edge's nodes.
    fn ends(&self, edge: &Edge) -> Result<(u64, u64)> {
        Ok((self.number(edge.0)?, self.number(edge.1)?))
    }

    /// Adds edges: all of them, or none if one is refused.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for nodes that aren't this graph's, for an edge from a node to itself or that there is
    /// already, and for data that such an edge can't have.
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

    /// Removes edges: all of them, or none if one is refused.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for edges that there aren't, and where the graph allocates or frees memory. The edges'
    /// data isn't looked at, as an H200's driver has it.
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
    /// `CUDA_ERROR_INVALID_VALUE` where there is none, and during a capture into the graph; `CUDA_ERROR_NOT_SUPPORTED` where
    /// it allocates or frees memory, and for a node that kernels change.
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

    /// Whether it is the other one, or a node's graph in it is.
    pub fn contains(&self, other: &Graph) -> bool {
        let inside = |node: &Node| {
            let mut graphs = node.task.graphs().iter();
            graphs.any(|graph| graph.contains(other))
        };
        self.handle == other.handle || self.body().nodes.values().any(inside)
    }

    /// A graph like this one, with nodes of its own.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_SUPPORTED` for one that allocates or frees memory, or has conditional nodes or nodes that kernels change.
    pub fn copy(&self, standing: Standing) -> Result<Arc<Graph>> {
        if self.is_single() {
            return Err(Code::ERROR_NOT_SUPPORTED);
        }
        let copy = definition::create(standing);
        copy.references().extend(&self.references(), None);
        let body: &Body = &self.body();
        let mut new = copy.body();
        for (&number, node) in &body.nodes {
            let task = match &node.task {
                Task::Empty => Task::Empty,
                Task::Operation(operation, context) => {
                    Task::Operation(operation.clone(), context.clone())
                }
                Task::Child(graph) => Task::Child(graph.copy(Standing::Child)?),
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

    /// The node here that was copied from another graph's.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` where there is none.
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
    /// A node that an edge is known to have.
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
