//! Expressions: lazy values over arrays, computed by as few kernels as possible.

mod accuracy;
mod closeness;
mod cross;
mod divide;
mod early;
mod elementwise;
mod evaluate;
pub(crate) mod fold;
pub(crate) mod function;
pub(crate) mod fused;
pub(crate) mod hashed;
mod launch;
pub(crate) mod leaf;
pub(crate) mod lookup;
mod math;
mod moved;
pub(crate) mod node;
mod norm;
mod operands;
pub(crate) mod operation;
mod operators;
pub(crate) mod own;
mod pairs;
pub(crate) mod plan;
mod ready;
mod reduce;
pub(crate) mod reduction;
pub(crate) mod render;
mod repeat;
mod rounding;
mod rows;
pub(crate) mod scan;
mod shapes;
mod signature;
pub(crate) mod space;
mod staged;
mod state;
mod tile;
mod transposed;
mod unroll;
mod values;
mod view;
mod walk;

use std::{fmt, marker::PhantomData, sync::Arc};

use cuda_safe::Stream;

use crate::{
    array::{Array, IntoIndex, IntoShape, Layout, Order, Shape},
    element::{DataType, Element, Float, Integer, Words},
    error::{Error, Result},
};

pub(crate) use evaluate::on_stream_of;
pub use evaluate::{Evaluate, eval, eval_on};
pub(crate) use evaluate::{assign, eval_dense};
pub use math::{Absolute, CastFrom, Real};
use node::{Kind, Node};
pub use norm::Norm;
pub(crate) use operands::{Target, head};
pub use operators::{Bits, Remainder, Shift};

/// A lazy value: a computation over arrays, with one result for each element of a shape.
///
/// Operators and methods of arrays and expressions return expressions. Nothing is computed before
/// [`eval`](Self::eval), which computes the whole expression in one kernel, or in a few if it
/// contains reductions or several scans. An expression keeps the elements that its arrays have when you create it.
/// If you later write to such an array, the array is copied first.
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
/// # Broadcasting and errors
/// Operands are broadcast to a common shape by NumPy's rules. If shapes don't match,
/// [`eval`](Self::eval) returns [`Error::Shape`] with both shapes and the source line of the
/// operator. [`shape`](Self::shape) returns this error without evaluating.
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
    /// Returns the stream of the first array that is read, if any.
    pub(crate) fn stream(&self) -> Option<&Stream> {
        evaluate::first_array(&self.node).map(|memory| memory.stream())
    }

    pub(crate) fn of(node: Arc<Node>) -> Self {
        debug_assert_eq!(node.data, T::DATA_TYPE);
        Self {
            node,
            element: PhantomData,
        }
    }

    /// Creates an expression with one value. It has no axes, and can be broadcast to any shape.
    #[must_use]
    pub fn scalar(value: T) -> Self {
        Self::of(Node::scalar(Words::of(value), T::DATA_TYPE))
    }

    /// Converts each element as [`cast`](Self::cast) does, without a check of the types. One of them
    /// must not be complex unless both are.
    pub(crate) fn converted<R: Element>(&self) -> Expr<R> {
        if R::DATA_TYPE == T::DATA_TYPE {
            return Expr::of(self.node.clone());
        }
        let inputs = [self.node.clone()];
        Expr::of(Node::apply(
            operation::Operation::Cast,
            R::DATA_TYPE,
            inputs,
        ))
    }

    /// Returns the shape.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if shapes of operands don't match, here or in a subexpression.
    pub fn shape(&self) -> Result<Shape> {
        self.node.shape()
    }

    /// Broadcasts the values to a shape as NumPy's `broadcast_to` does.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if this expression's shape can't be broadcast to `shape`, or if
    /// shapes of its operands can't be broadcast.
    pub fn broadcast_to(&self, shape: impl IntoShape) -> Result<Self> {
        let (shape, own) = (shape.into_shape()?, self.shape()?);
        if own.broadcast(&shape) != Some(shape) {
            return Err(Error::Shape(format!(
                "an expression of shape {own} can't be broadcast to {shape}: from the last axis on, each length must be 1 or \
                 the target's"
            )));
        }
        Ok(Self::of(Node::new(
            Kind::Apply(operation::Operation::Cast, [self.node.clone()].into()),
            T::DATA_TYPE,
            Ok(shape),
        )))
    }

    /// Computes the values into a new array, on the stream of the first array that the expression
    /// reads.
    ///
    /// This enqueues the work and does not wait for it.
    ///
    /// The array is dense. Its axes have the memory order of most bytes of the arrays with its shape. That
    /// is C order, unless most of these were transposed, for example. Of two orders with equally many bytes,
    /// the array has one whose innermost axis is a multiple of 4, or that of the first array. See
    /// [`Array::strides`].
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if:
    /// - shapes don't match
    /// - a minimum or maximum is taken of no elements
    /// - the arrays belong to several contexts
    /// - the expression reads no array, so it has no stream (use [`eval_on`](Self::eval_on))
    ///
    /// An expression that is too large for one kernel, with more than 1000 operations or 60 arrays
    /// for example, is computed by several kernels, which store intermediate results in memory.
    ///
    /// Returns [`Error::Cuda`] if device memory runs out, if the source of a
    /// [`CudaFn`](crate::CudaFn) does not compile, or if another driver call fails.
    pub fn eval(&self) -> Result<Array<T>> {
        eval(self)
    }

    /// Computes the values into a new array, on a given stream.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] or [`Error::Cuda`] in the cases that [`eval`](Self::eval) lists,
    /// except that the expression need not read an array.
    pub fn eval_on(&self, stream: &Stream) -> Result<Array<T>> {
        eval_on(stream, self)
    }
}

impl Expr<usize> {
    /// Returns the index of each element along an axis of a shape, from 0.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if the shape is invalid or has no such axis.
    pub fn index(shape: impl IntoShape, axis: impl IntoIndex) -> Result<Self> {
        let shape = shape.into_shape()?;
        let axis = shape.axis(axis)?;
        let mut layout = Layout::dense(shape, Order::C);
        layout.set_strides(|other| isize::from(other == axis));
        Ok(Self::places(layout))
    }
}

impl<T: Float> Expr<T> {
    /// Returns a number, rounded to the type.
    pub(crate) fn number(value: f64) -> Self {
        let node = match T::DATA_TYPE {
            DataType::F64 => Node::scalar(Words::of(value), DataType::F64),
            DataType::F32 => Node::scalar(Words::of(value as f32), DataType::F32),
            _ => return Expr::scalar(value).converted(),
        };
        Self::of(node)
    }
}

impl<T: Integer> Expr<T> {
    /// Returns the place that a layout gives to each element. `T` must be `u64` or `usize`.
    pub(crate) fn places(layout: Layout) -> Self {
        let kind = Kind::Place(layout);
        Self::of(Node::new(kind, DataType::U64, Ok(layout.shape)))
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

/// An operand with elements of type `T`: an array, an expression, a reference to either, or a `T`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an operand with elements of type `{T}`",
    label = "expected an array, an expression or a number of type `{T}`",
    note = "types are not converted silently: convert an array or an expression with `.cast::<{T}>()`, and write a number in this type, such as `1.0` or `1 as {T}`"
)]
pub trait IntoExpr<T: Element> {
    /// Converts the operand to an expression.
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

impl<T: Element> Array<T> {
    /// Returns the array as an expression.
    #[must_use]
    pub fn expr(&self) -> Expr<T> {
        Expr::of(Node::new(
            Kind::Array(self.memory.clone(), self.layout),
            T::DATA_TYPE,
            Ok(self.layout.shape),
        ))
    }
}
