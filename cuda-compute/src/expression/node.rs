//! Expressions as graphs: what is computed from what.

use std::{mem, panic::Location, sync::Arc};

use crate::{
    array::{Layout, Memory, Shape},
    element::DataType,
    error::Error,
};

use super::{operation::Operation, reduction::Reduction};

/// A node of an expression: one value for each element of its shape.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) data: DataType,
    /// The shape, or why there is none: shapes that don't fit together here or further up.
    pub(crate) shape: Result<Shape, Arc<str>>,
}

#[derive(Debug)]
pub(crate) enum Kind {
    /// An array.
    Array(Arc<Memory>, Layout),
    /// The same value everywhere.
    Scalar([u64; 2]),
    /// The place along an axis.
    Index(usize),
    /// An operation on inputs that stretch to this node's shape.
    Apply(Operation, Inputs),
    /// Fewer values from more.
    Reduce(Reduction, Arc<Node>),
}

/// The inputs of an operation. Most have one or two.
pub(crate) type Inputs = Box<[Arc<Node>]>;

impl Node {
    pub(crate) fn scalar(words: [u64; 2], data: DataType) -> Arc<Self> {
        Arc::new(Self {
            kind: Kind::Scalar(words),
            data,
            shape: Ok(Shape::of(&[])),
        })
    }

    /// The operation on these inputs; its shape is the one that all stretch to.
    #[track_caller]
    pub(crate) fn apply<const N: usize>(
        operation: Operation,
        data: DataType,
        inputs: [Arc<Self>; N],
    ) -> Arc<Self> {
        let shape = common_shape(operation.name(), &inputs);
        Arc::new(Self {
            kind: Kind::Apply(operation, Box::new(inputs)),
            data,
            shape,
        })
    }

    pub(crate) fn shape(&self) -> Result<Shape, Error> {
        self.shape
            .clone()
            .map_err(|why| Error::Shape(String::from(&*why)))
    }

    /// What the node is computed from.
    pub(crate) fn inputs(&self) -> &[Arc<Self>] {
        match &self.kind {
            Kind::Apply(_, inputs) => inputs,
            Kind::Reduce(_, input) => std::slice::from_ref(input),
            Kind::Array(..) | Kind::Scalar(_) | Kind::Index(_) => &[],
        }
    }

    fn take_inputs(&mut self) -> Vec<Arc<Self>> {
        match &mut self.kind {
            Kind::Apply(_, inputs) => mem::take(inputs).into_vec(),
            Kind::Reduce(_, input) => {
                let nothing = Self::scalar([0; 2], DataType::Bool);
                vec![mem::replace(input, nothing)]
            }
            Kind::Array(..) | Kind::Scalar(_) | Kind::Index(_) => Vec::new(),
        }
    }
}

/// The shape that all inputs stretch to.
#[track_caller]
fn common_shape(name: &str, inputs: &[Arc<Node>]) -> Result<Shape, Arc<str>> {
    let mut common = Shape::of(&[]);
    for input in inputs {
        let shape = input.shape.clone()?;
        let Some(both) = common.broadcast(&shape) else {
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
            return Err(format!(
                "shapes that don't fit together: {} by `{name}`, at {at}. From the last axis on, lengths must be equal, \
                 or one of them 1",
                shapes.join(" and ")
            )
            .into());
        };
        common = both;
    }
    Ok(common)
}

/// Long chains are taken apart one after the other: each within the last would overflow the stack.
impl Drop for Node {
    fn drop(&mut self) {
        if matches!(
            self.kind,
            Kind::Array(..) | Kind::Scalar(_) | Kind::Index(_)
        ) {
            return;
        }
        let mut left = self.take_inputs();
        while let Some(node) = left.pop() {
            if let Some(mut node) = Arc::into_inner(node) {
                left.append(&mut node.take_inputs());
            }
        }
    }
}
