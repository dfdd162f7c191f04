//! Queries of a graph's nodes and edges.

use super::definition::{Body, Graph};
use super::edit::Edge;
use super::node::{Dependency, Link};
use crate::abi::status::Result;

impl Body {
    fn outward(&self, links: &[Link]) -> Vec<Dependency> {
        let outward = |link: &Link| Dependency {
            node: self.nodes[&link.number].handle,
            data: link.data,
        };
        links.iter().map(outward).collect()
    }
}

impl Graph {
    /// Returns all nodes in order of creation.
    pub fn nodes(&self) -> Vec<u64> {
        self.body().nodes.values().map(|node| node.handle).collect()
    }

    /// Returns the nodes without dependencies.
    pub fn roots(&self) -> Vec<u64> {
        let body = self.body();
        let roots = body.nodes.values().filter(|node| node.before.is_empty());
        roots.map(|node| node.handle).collect()
    }

    pub fn edges(&self) -> Vec<Edge> {
        let body = self.body();
        let mut edges = Vec::new();
        for node in body.nodes.values() {
            for to in body.outward(&node.after) {
                edges.push((node.handle, to.node, to.data));
            }
        }
        edges
    }

    /// Returns the nodes on which a node depends.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if there is no such node.
    pub fn dependencies(&self, number: u64) -> Result<Vec<Dependency>> {
        let body = self.body();
        Ok(body.outward(&body.node(number)?.before))
    }

    /// Returns the nodes that depend on a node.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if there is no such node.
    pub fn dependents(&self, number: u64) -> Result<Vec<Dependency>> {
        let body = self.body();
        Ok(body.outward(&body.node(number)?.after))
    }
}
