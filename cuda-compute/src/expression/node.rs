//! The graph of an expression.

use std::{mem, ops::Deref, panic::Location, sync::Arc};

use rustc_hash::FxHashSet;

use crate::{
    array::{Layout, Memory, Shape},
    element::{DataType, Words},
    error::Error,
};

use super::{
    lookup::Lookup, operation::Operation, reduction::Reduction, scan::operation::Scan, view::View,
};

/// A part of a sequence of random numbers, starting at a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Draw {
    pub(crate) key: u64,
    pub(crate) block: u64,
}

/// A node of an expression, with one value for each element of its shape.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) data: DataType,
    /// The shape, or an error message if shapes don't match in this node or its inputs.
    pub(crate) shape: Result<Shape, Arc<str>>,
    /// Whether the node is a reduction or depends on one.
    pub(crate) reduces: bool,
    /// Whether the node is a scan, a view or the address of a table, or depends on one.
    pub(crate) views: bool,
}

/// Elements of an array at indices, which are moved to the nearest valid ones. The axes of the indices
/// replace an axis of the array.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) memory: Arc<Memory>,
    pub(crate) layout: Layout,
    pub(crate) axis: usize,
    pub(crate) indices: (Arc<Memory>, Layout, DataType),
}

#[derive(Debug)]
pub(crate) enum Kind {
    /// The elements of an array.
    Array(Arc<Memory>, Layout),
    /// One value for all elements.
    Scalar(Words),
    /// Elements of an array at indices along an axis.
    Taken(Box<Taken>),
    /// The place that a layout gives to each element: its index along an axis, for example.
    Place(Layout),
    /// Random numbers.
    Random(Draw),
    /// The address of a table, which is copied to the device first.
    Lookup(Arc<Lookup>),
    /// An operation on inputs that are broadcast to this node's shape.
    Apply(Operation, Inputs),
    /// A reduction.
    Reduce(Reduction, Arc<Node>),
    /// A scan of values, with flags if it has segments.
    Scan(Scan, Inputs),
    /// A view of values that are computed into memory first.
    View(View, Arc<Node>),
}

/// The inputs of an operation. Most operations have one or two, which are stored inline.
#[derive(Debug)]
pub(crate) enum Inputs {
    One([Arc<Node>; 1]),
    Two([Arc<Node>; 2]),
    More(Box<[Arc<Node>]>),
}

impl<const N: usize> From<[Arc<Node>; N]> for Inputs {
    fn from(inputs: [Arc<Node>; N]) -> Self {
        let mut inputs = inputs.into_iter();
        match (N, inputs.next(), inputs.next()) {
            (1, Some(one), _) => Self::One([one]),
            (2, Some(one), Some(two)) => Self::Two([one, two]),
            (_, one, two) => Self::More(one.into_iter().chain(two).chain(inputs).collect()),
        }
    }
}

impl Deref for Inputs {
    type Target = [Arc<Node>];

    fn deref(&self) -> &[Arc<Node>] {
        match self {
            Self::One(inputs) => inputs,
            Self::Two(inputs) => inputs,
            Self::More(inputs) => inputs,
        }
    }
}

impl Kind {
    fn inputs(&self) -> &[Arc<Node>] {
        match self {
            Self::Apply(_, inputs) | Self::Scan(_, inputs) => inputs,
            Self::Reduce(_, input) | Self::View(_, input) => std::slice::from_ref(input),
            _ => &[],
        }
    }
}

impl Node {
    pub(crate) fn new(kind: Kind, data: DataType, shape: Result<Shape, Arc<str>>) -> Arc<Self> {
        let (mut reduces, mut views) = match &kind {
            Kind::Reduce(..) => (true, false),
            Kind::Scan(..) | Kind::View(..) | Kind::Lookup(_) => (false, true),
            _ => (false, false),
        };
        for input in kind.inputs() {
            reduces |= input.reduces;
            views |= input.views;
        }
        Arc::new(Self {
            kind,
            data,
            shape,
            reduces,
            views,
        })
    }

    pub(crate) fn scalar(words: Words, data: DataType) -> Arc<Self> {
        Self::new(Kind::Scalar(words), data, Ok(Shape::of(&[])))
    }

    /// Applies an operation to inputs, which are broadcast to a common shape.
    #[track_caller]
    pub(crate) fn apply<const N: usize>(
        operation: Operation,
        data: DataType,
        inputs: [Arc<Self>; N],
    ) -> Arc<Self> {
        let shape = common_shape(operation.name(), &inputs);
        Self::new(Kind::Apply(operation, inputs.into()), data, shape)
    }

    pub(crate) fn shape(&self) -> Result<Shape, Error> {
        self.shape
            .clone()
            .map_err(|why| Error::Shape(String::from(&*why)))
    }

    /// Returns the inputs.
    pub(crate) fn inputs(&self) -> &[Arc<Self>] {
        self.kind.inputs()
    }

    /// Returns the inputs if the node is an elementwise operation.
    pub(super) fn operands(&self) -> &[Arc<Self>] {
        match self.kind {
            Kind::Apply(..) => self.inputs(),
            _ => &[],
        }
    }

    /// Moves the inputs to the end of a list.
    fn move_inputs(&mut self, to: &mut Vec<Arc<Self>>) {
        match &mut self.kind {
            Kind::Apply(_, inputs) | Kind::Scan(_, inputs) => {
                match mem::replace(inputs, Inputs::More(Box::default())) {
                    Inputs::One(inputs) => to.extend(inputs),
                    Inputs::Two(inputs) => to.extend(inputs),
                    Inputs::More(inputs) => to.extend(inputs.into_vec()),
                }
            }
            Kind::Reduce(_, input) | Kind::View(_, input) => {
                let nothing = Self::scalar(Words::ZERO, DataType::Bool);
                to.push(mem::replace(input, nothing));
            }
            _ => {}
        }
    }
}

/// Returns the common shape of broadcast inputs.
#[track_caller]
pub(super) fn common_shape(name: &str, inputs: &[Arc<Node>]) -> Result<Shape, Arc<str>> {
    let Some((first, others)) = inputs.split_first() else {
        return Ok(Shape::of(&[]));
    };
    let mut common = first.shape.clone()?;
    for input in others {
        let shape = input.shape.as_ref().map_err(Arc::clone)?;
        let Some(both) = common.broadcast(shape) else {
            let shapes: Vec<String> = inputs
                .iter()
                .map(|input| {
                    input
                        .shape
                        .as_ref()
                        .map_or_else(|_| "?".into(), Shape::to_string)
                })
                .collect();
            let at = Location::caller();
            let reduced = inputs
                .iter()
                .any(|input| matches!(input.kind, Kind::Reduce(..)));
            let fix = match reduced {
                true => ". Fix: to keep the axes of the reduction, call `keep_axes()` on it",
                false => ". `expand_dims` inserts axes of length 1",
            };
            return Err(format!(
                "shapes {} of `{name}` don't match, at {at}: from the last axis on, lengths must be equal, or one of them must \
                 be 1{fix}",
                shapes.join(" and ")
            )
            .into());
        };
        common = both;
    }
    Ok(common)
}

/// Drops long chains iteratively, because recursion would overflow the stack.
impl Drop for Node {
    fn drop(&mut self) {
        let has_inputs =
            |input: &Arc<Self>| Arc::strong_count(input) == 1 && !input.inputs().is_empty();
        if !self.inputs().iter().any(has_inputs) {
            return;
        }
        let mut left = Vec::with_capacity(16);
        self.move_inputs(&mut left);
        while let Some(mut node) = left.pop() {
            if let Some(node) = Arc::get_mut(&mut node) {
                node.move_inputs(&mut left);
            } else if let Some(mut node) = Arc::into_inner(node) {
                node.move_inputs(&mut left); // the other owners have just dropped it
            }
        }
    }
}

/// Returns the nodes that the roots depend on by way of `inputs`, each after its inputs. Returns
/// `None` if there are more than `most`. Without recursion, because a chain of operations can be long.
pub(super) fn after_inputs<'a>(
    roots: &[&'a Arc<Node>],
    most: usize,
    inputs: impl Fn(&'a Node) -> &'a [Arc<Node>],
) -> Option<Vec<&'a Arc<Node>>> {
    let mut seen = FxHashSet::default();
    let mut order = Vec::new();
    let mut waiting: Vec<(&Arc<Node>, bool)> = roots.iter().map(|root| (*root, false)).collect();
    while let Some((node, visited)) = waiting.pop() {
        if visited {
            order.push(node);
        } else if seen.insert(Arc::as_ptr(node)) {
            if seen.len() > most {
                return None;
            }
            waiting.push((node, true));
            waiting.extend(inputs(node).iter().map(|input| (input, false)));
        }
    }
    Some(order)
}

#[cfg(test)]
mod tests {
    use super::{super::reduction::Fold, *};

    #[test]
    fn long_chains_are_dropped_without_recursion() {
        let mut node = Node::scalar(Words::of(1), DataType::I32);
        for _ in 0..300_000 {
            let other = node.clone();
            node = Node::apply(Operation::Add, DataType::I32, [node, other]);
            node = Node::apply(Operation::Negate, DataType::I32, [node]);
        }
        drop(node);
    }

    #[test]
    fn a_small_stack_is_enough_for_a_chain() {
        let build = || {
            let chain = |end: fn(Arc<Node>) -> Arc<Node>| {
                let start = Node::scalar(Words::of(1), DataType::I32);
                (0..3000).fold(start, |node, _| end(node))
            };
            drop(chain(|node| {
                Node::apply(Operation::Negate, DataType::I32, [node])
            }));
            drop(chain(|node| {
                let other = Node::scalar(Words::of(1), DataType::I32);
                Node::apply(Operation::Add, DataType::I32, [other, node])
            }));
            drop(chain(|node| node.reduce(Fold::Sum, None, DataType::I32)));
        };
        let thread = std::thread::Builder::new().stack_size(64 << 10);
        thread.spawn(build).unwrap().join().unwrap();
    }
}
