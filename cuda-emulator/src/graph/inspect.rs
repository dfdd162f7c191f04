//! What a graph consists of, for the client to see.

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
    /// All nodes in the order of their creation.
    pub fn nodes(&self) -> Vec<u64> {
        self.body().nodes.values().map(|node| node.handle).collect()
    }

    /// The nodes that come after no other.
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

    /// What a node comes after.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` where there is no such node.
    pub fn dependencies(&self, number: u64) -> Result<Vec<Dependency>> {
        let body = self.body();
        Ok(body.outward(&body.node(number)?.before))
    }

    /// What comes after a node.
    ///
    /// # Errors
    /// As [`Graph::dependencies`].
    pub fn dependents(&self, number: u64) -> Result<Vec<Dependency>> {
        let body = self.body();
        Ok(body.outward(&body.node(number)?.after))
    }
}
