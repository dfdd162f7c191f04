//! Maps of functions over arrays, and custom reductions.

use std::sync::Arc;

use super::{Combination, CudaFn};
use crate::{
    array::{Array, IntoIndices},
    closure::DeviceFn,
    element::Element,
    expression::{Expr, IntoExpr, node::Node, operation::Operation, own::OwnFunction},
};

macro_rules! maps {
    ($($parameter:ident $into:ident $argument:ident),*) => {
        impl<$($parameter: Element,)* R: Element> DeviceFn<fn($($parameter),*) -> R> {
            /// Applies the function to each element of arrays or expressions, which are broadcast
            /// to a common shape.
            ///
            /// The call becomes part of the kernel of the expression that it is used in.
            ///
            /// ```
            /// use cuda_compute::{Array, device_fn};
            /// # use cuda_safe::{Context, Stream};
            ///
            /// # fn main() -> cuda_compute::Result<()> {
            /// # let stream = Stream::new(&Context::primary(0)?)?;
            /// let steps = device_fn!(|start: u32| -> u32 {
            ///     let mut n = start;
            ///     let mut steps = 0;
            ///     while n > 1 {
            ///         n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
            ///         steps += 1;
            ///     }
            ///     steps
            /// });
            /// let x = Array::from_slice(&stream, &[1u32, 6, 27])?;
            /// assert_eq!(steps.map((&x,)).eval()?.to_vec()?, [0, 8, 111]);
            /// # Ok(())
            /// # }
            /// ```
            #[must_use]
            #[track_caller]
            pub fn map<$($into: IntoExpr<$parameter>),*>(&self, ($($argument,)*): ($($into,)*)) -> Expr<R> {
                let inputs: [Arc<Node>; _] = [$($argument.into_expr().node),*];
                Expr::of(Node::apply(Operation::Own(OwnFunction::Closure(self.source())), R::DATA_TYPE, inputs))
            }
        }

        impl<$($parameter: Element,)* R: Element> CudaFn<fn($($parameter),*) -> R> {
            /// Applies the function to each element of arrays or expressions, which are broadcast
            /// to a common shape.
            ///
            /// The call becomes part of the kernel of the expression that it is used in.
            #[must_use]
            #[track_caller]
            pub fn map<$($into: IntoExpr<$parameter>),*>(&self, ($($argument,)*): ($($into,)*)) -> Expr<R> {
                let inputs: [Arc<Node>; _] = [$($argument.into_expr().node),*];
                Expr::of(Node::apply(Operation::Own(self.own()), R::DATA_TYPE, inputs))
            }
        }
    };
}

maps!(A IA a);
maps!(A IA a, B IB b);
maps!(A IA a, B IB b, C IC c);
maps!(A IA a, B IB b, C IC c, D ID d);
maps!(A IA a, B IB b, C IC c, D ID d, E IE e);
maps!(A IA a, B IB b, C IC c, D ID d, E IE e, G IG g);

impl<T: Element> Expr<T> {
    /// Combines all elements into one, with a closure of [`fold!`](crate::fold) or any other
    /// [`Combination`]. Returns its identity if there are no elements.
    ///
    /// ```
    /// use cuda_compute::{Array, fold};
    /// # use cuda_safe::{Context, Stream};
    ///
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let farthest = fold!(|a: f32, b: f32| if a.abs() > b.abs() { a } else { b }, 0.0);
    /// let x = Array::from_slice(&stream, &[1.0f32, -7.0, 3.0])?;
    /// assert_eq!(x.expr().reduce(&farthest).eval()?.item()?, -7.0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The combination must be commutative as well as associative, because elements are combined in
    /// any order. Halves are combined as `f32`, and the result is rounded once.
    #[must_use]
    #[track_caller]
    pub fn reduce(&self, combination: impl Into<Combination<T>>) -> Self {
        let fold = combination.into().kind.fold();
        Self::of(self.node.reduce(fold, None, T::DATA_TYPE))
    }

    /// Combines the elements along one or several axes, which are removed: see
    /// [`reduce`](Self::reduce).
    #[must_use]
    #[track_caller]
    pub fn reduce_axis(
        &self,
        axes: impl IntoIndices,
        combination: impl Into<Combination<T>>,
    ) -> Self {
        let fold = combination.into().kind.fold();
        let axes = Some(axes.into_indices());
        Self::of(self.node.reduce(fold, axes, T::DATA_TYPE))
    }
}

impl<T: Element> Array<T> {
    /// Combines all elements into one: see [`Expr::reduce`].
    #[must_use]
    #[track_caller]
    pub fn reduce(&self, combination: impl Into<Combination<T>>) -> Expr<T> {
        self.expr().reduce(combination)
    }

    /// Combines the elements along one or several axes, which are removed: see [`Expr::reduce`].
    #[must_use]
    #[track_caller]
    pub fn reduce_axis(
        &self,
        axes: impl IntoIndices,
        combination: impl Into<Combination<T>>,
    ) -> Expr<T> {
        self.expr().reduce_axis(axes, combination)
    }
}
