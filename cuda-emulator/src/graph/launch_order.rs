//! The order of the nodes in one launch of a graph, for `CUDA_EMULATOR_CHECK=stream`.

use std::collections::HashMap;

use super::node::Link;
use crate::process::registry;
use crate::queue::happens_before::{self, InGraph};
use crate::queue::stream::Piece;

/// A set of pieces of a launch: bit `i % 64` of word `i / 64` for the piece with index `i`.
pub type Pieces = Vec<u64>;

fn insert(set: &mut Pieces, index: usize) {
    if set.len() <= index / 64 {
        set.resize(index / 64 + 1, 0);
    }
    set[index / 64] |= 1 << (index % 64);
}

/// The order of the nodes of one graph in a launch.
pub struct LaunchOrder {
    /// Unique among launches, and the handle of the executable graph.
    launch: u64,
    exec: u64,
    /// The work before the graph, if it is a child.
    outer: Pieces,
    /// For each node, by its number: its own work and all work before it.
    ends: HashMap<u64, Pieces>,
}

impl LaunchOrder {
    /// Returns `None` if the check is off.
    pub fn new(exec: u64) -> Option<LaunchOrder> {
        happens_before::is_tracked().then(|| LaunchOrder {
            launch: registry::next_number(),
            exec,
            outer: Pieces::new(),
            ends: HashMap::new(),
        })
    }

    /// Returns the order within a child graph that has this work before it.
    pub fn of_child(&self, before: &Pieces) -> LaunchOrder {
        LaunchOrder {
            launch: self.launch,
            exec: self.exec,
            outer: before.clone(),
            ends: HashMap::new(),
        }
    }

    /// Returns all work before a node.
    pub fn before(&self, links: &[Link]) -> Pieces {
        let mut all = self.outer.clone();
        for link in links {
            let end = self.ends.get(&link.number).map_or(&[][..], |end| &end[..]);
            all.resize(all.len().max(end.len()), 0);
            all.iter_mut().zip(end).for_each(|(own, word)| *own |= word);
        }
        all
    }

    /// Sets the places of a node's pieces, which are those from `start` on. The node has a number
    /// in its graph, and a handle.
    pub fn place(
        &mut self,
        (number, handle): (u64, u64),
        before: Pieces,
        pieces: &mut [Piece],
        start: usize,
    ) {
        let mut done = before;
        for (index, piece) in pieces.iter_mut().enumerate().skip(start) {
            // Pieces of a child graph have their places.
            piece.in_graph.get_or_insert_with(|| InGraph {
                launch: self.launch,
                index,
                before: done.clone(),
                exec: self.exec,
                node: handle,
            });
            insert(&mut done, index);
        }
        self.ends.insert(number, done);
    }
}
