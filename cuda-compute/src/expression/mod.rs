//! Expressions: lazy values over arrays, computed by as few kernels as will do.

mod accuracy;
mod elementwise;
mod evaluate;
mod fold;
pub(crate) mod function;
pub(crate) mod fused;
pub(crate) mod hashed;
mod map;
mod math;
pub(crate) mod node;
mod norm;
mod operands;
pub(crate) mod operation;
mod operators;
pub(crate) mod own;
mod plan;
mod reduce;
pub(crate) mod reduction;
pub(crate) mod render;
mod rows;
mod space;
mod tile;

use std::{fmt, marker::PhantomData, sync::Arc};

use cuda_safe::Stream;

use crate::{
    array::{Array, IntoShape, Shape},
    element::{Element, Words},
    error::{Error, Result},
};

#[cfg(feature = "cublas")]
pub(crate) use evaluate::on_stream_of;
pub use evaluate::{Evaluate, eval, eval_on};
pub(crate) use evaluate::{assign, eval_dense};
pub(crate) use fold::{KEPT_PARTIALS, SHARED_RESULTS};
pub use math::{Absolute, CastFrom, Real};
use node::{Kind, Node};
pub use norm::Normed;
pub(crate) use operands::Target;
pub use operators::{Bits, HasRemainder, Shifts};
pub use reduce::IntoAxes;

/// A lazy value: what is to be computed from arrays, for each element of a shape.
///
/// Operators and methods of arrays and expressions give expressions; nothing is computed before [`eval`](Self::eval),
/// which makes one kernel of all of it. An expression holds the arrays that it reads, as they are when it is made:
/// arrays are values, and one that is changed later is copied first.
///
/// ```
/// use cuda_compute::Array;
/// use cuda_safe::{Context, Stream};
///
/// # fn main() -> cuda_compute::Result<()> {
/// let stream = Stream::new(&Context::primary(0)?)?;
/// let x = Array::from_slice(&stream, &[1.0f32, 4.0, 9.0])?;
/// let y = (x.sqrt() * 2.0 + &x).eval()?; // one kernel
/// assert_eq!(y.to_vec()?, [3.0, 8.0, 15.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors of shape
/// Operands stretch to a common shape as NumPy's do. Where they don't fit, [`eval`](Self::eval) says so, with both shapes
/// and the line of the operator; [`shape`](Self::shape) says it at once.
pub struct Expr<T> {
    pub(crate) node: Arc<Node>,
    element: PhantomData<fn() -> T>,
}

impl<T> Clone for Expr<T> {
    fn clone(&self) -> Self {
        Self {
            node: self.node.clone(),
            element: PhantomData,
        }
    }
}

impl<T: Element> Expr<T> {
    pub(crate) fn of(node: Arc<Node>) -> Self {
        debug_assert_eq!(node.data, T::DATA_TYPE);
        Self {
            node,
            element: PhantomData,
        }
    }

    /// The same value everywhere. It has no axes, and stretches to any shape.
    #[must_use]
    pub fn scalar(value: T) -> Self {
        Self::of(Node::scalar(Words::of(value), T::DATA_TYPE))
    }

    /// The shape.
    ///
    /// # Errors
    /// Operands don't fit together, here or in what this is made from.
    pub fn shape(&self) -> Result<Shape> {
        self.node.shape()
    }

    /// The same values, stretched to a shape as NumPy's `broadcast_to` does.
    ///
    /// # Errors
    /// This expression's shape doesn't stretch to that one.
    pub fn broadcast_to(&self, shape: impl IntoShape) -> Result<Self> {
        let (shape, own) = (shape.into_shape()?, self.shape()?);
        if own.broadcast(&shape) != Some(shape) {
            return Err(Error::Shape(format!(
                "an expression of shape {own} doesn't stretch to {shape}: from the last axis on, each length is 1 or the other's"
            )));
        }
        Ok(Self::of(Node::new(
            Kind::Apply(operation::Operation::Cast, [self.node.clone()].into()),
            T::DATA_TYPE,
            Ok(shape),
        )))
    }

    /// Computes the values into a new array, on the stream of the first array that the expression reads.
    ///
    /// # Errors
    /// Shapes don't fit together. Memory ran out. The arrays belong to several contexts. The expression reads no array,
    /// so that no stream is known: use [`eval_on`](Self::eval_on).
    pub fn eval(&self) -> Result<Array<T>> {
        eval(self)
    }

    /// Computes the values into a new array of this stream.
    ///
    /// # Errors
    /// As [`eval`](Self::eval).
    pub fn eval_on(&self, stream: &Stream) -> Result<Array<T>> {
        eval_on(stream, self)
    }
}

impl Expr<u64> {
    /// The place of each element along an axis of a shape, from 0.
    ///
    /// # Errors
    /// The shape is none, or it doesn't have the axis.
    pub fn index(shape: impl IntoShape, axis: usize) -> Result<Self> {
        let shape = shape.into_shape()?;
        if axis >= shape.rank() {
            return Err(Error::Shape(format!(
                "a shape of {shape} has no axis {axis}"
            )));
        }
        Ok(Self::of(Node::new(
            Kind::Index(axis),
            u64::DATA_TYPE,
            Ok(shape),
        )))
    }
}

impl<T: Element> fmt::Debug for Expr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Expr<{}>", T::DATA_TYPE.name())?;
        match &self.node.shape {
            Ok(shape) => write!(f, "{shape:?}"),
            Err(why) => write!(f, "({why})"),
        }
    }
}

/// What can be an operand of an expression with elements `T`: an array, an expression, a reference to either, a `T`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no operand with elements `{T}`",
    label = "not an array, an expression or a number of `{T}`",
    note = "nothing is converted silently: `.cast::<{T}>()` converts an array or an expression, `2 as {T}` a number"
)]
pub trait IntoExpr<T: Element> {
    /// The expression.
    fn into_expr(self) -> Expr<T>;
}

impl<T: Element> IntoExpr<T> for Expr<T> {
    fn into_expr(self) -> Expr<T> {
        self
    }
}

impl<T: Element> IntoExpr<T> for &Expr<T> {
    fn into_expr(self) -> Expr<T> {
        self.clone()
    }
}

impl<T: Element> IntoExpr<T> for T {
    fn into_expr(self) -> Expr<T> {
        Expr::scalar(self)
    }
}

impl<T: Element> IntoExpr<T> for &Array<T> {
    fn into_expr(self) -> Expr<T> {
        self.expr()
    }
}

impl<T: Element> IntoExpr<T> for Array<T> {
    fn into_expr(self) -> Expr<T> {
        self.expr()
    }
}
