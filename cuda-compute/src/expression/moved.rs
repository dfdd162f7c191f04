//! Views of expressions, moved to the arrays that the expressions read.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{
    node::{Inputs, Kind, Node, after_inputs},
    operation::Operation,
    plan::MAX_VALUES,
    view::View,
};
use crate::{
    array::{Layout, Order, Shape},
    element::{DataType, Words},
    error::{Error, Result},
};

/// The view of an expression, which is moved to the arrays that the expression reads.
struct Moved<'a> {
    view: &'a View,
    /// The shape before and after.
    from: Shape,
    to: Shape,
    /// The results for the nodes so far.
    done: FxHashMap<*const Node, Arc<Node>>,
}

impl Moved<'_> {
    /// Returns the view of a node that is broadcast to the shape, after those of its inputs. Returns
    /// `None` if strides cannot express the view of an array, or if the node depends on random numbers,
    /// a scan, or a reduction along axes.
    fn node(&self, node: &Arc<Node>) -> Option<Arc<Node>> {
        let new = |kind, shape| Node::new(kind, node.data, Ok(shape));
        Some(match &node.kind {
            Kind::Scalar(_) | Kind::Lookup(_) => node.clone(),
            Kind::Reduce(..) | Kind::View(..) if node.shape().ok()?.rank() == 0 => node.clone(),
            Kind::Reduce(..)
            | Kind::Scan(..)
            | Kind::View(..)
            | Kind::Random(_)
            | Kind::Taken(_) => return None,
            Kind::Array(memory, layout) => {
                let layout = self.view.of_broadcast(layout, self.from)?;
                new(Kind::Array(memory.clone(), layout), layout.shape)
            }
            Kind::Place(layout) => {
                let mut layout = self.view.of_broadcast(layout, self.from)?;
                let offset = std::mem::take(&mut layout.offset);
                let places = new(Kind::Place(layout), layout.shape);
                match offset {
                    0 => places,
                    // The kernel may add the strides in 32 bits, but not the offset.
                    _ => {
                        let offset = Node::scalar(Words::of(offset as u64), DataType::U64);
                        let inputs = [places, offset];
                        let kind = Kind::Apply(Operation::Add, inputs.into());
                        new(kind, layout.shape)
                    }
                }
            }
            Kind::Apply(operation, inputs) => {
                let inputs = inputs
                    .iter()
                    .map(|input| self.done[&Arc::as_ptr(input)].clone());
                let inputs = Inputs::More(inputs.collect());
                new(Kind::Apply(operation.clone(), inputs), self.to)
            }
        })
    }
}

/// Returns the shape of a view of a node.
pub(super) fn shape_of_view(node: &Arc<Node>, view: &View) -> Result<Shape> {
    // Strides can express every view of a dense layout.
    let layout = view.of(&Layout::dense(node.shape()?, Order::C))?;
    let layout = layout.ok_or_else(|| {
        Error::Shape("internal error: a view of an expression has no strides".into())
    })?;
    Ok(layout.shape)
}

/// Returns a view of a node, which is moved to the arrays that it reads. Returns `None` in the cases
/// that `Moved::node` lists, or if there are too many nodes for one kernel. The shape may have axes of
/// length 1 where that of the view is longer.
pub(super) fn moved(root: &Arc<Node>, view: &View) -> Result<Option<Arc<Node>>> {
    let mut moved = Moved {
        view,
        from: root.shape()?,
        to: shape_of_view(root, view)?,
        done: FxHashMap::default(),
    };
    let Some(nodes) = after_inputs(&[root], MAX_VALUES, Node::operands) else {
        return Ok(None);
    };
    for node in nodes {
        let Some(new) = moved.node(node) else {
            return Ok(None);
        };
        moved.done.insert(Arc::as_ptr(node), new);
    }
    Ok(moved.done.remove(&Arc::as_ptr(root)))
}
