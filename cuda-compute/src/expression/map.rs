//! Closures of Rust over arrays.

use std::sync::Arc;

use super::{Expr, IntoAxes, IntoExpr, node::Node, operation::Operation, own::OwnFunction};
use crate::{
    array::Array, closure::DeviceFn, cuda_fn::CudaFn, element::Element, scan::Combination,
};

macro_rules! maps {
    ($($parameter:ident $into:ident $argument:ident),*) => {
        impl<$($parameter: Element,)* R: Element> DeviceFn<fn($($parameter),*) -> R> {
            /// The function of each element of arrays or expressions, which stretch to a common shape. Fuses with what
            /// it is used in, as every expression.
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
            /// The function of each element of arrays or expressions, which stretch to a common shape. Fuses with what
            /// it is used in, as every expression.
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
    /// All elements combined to one: by a closure of [`fold!`](crate::fold), or by any other [`Combination`]. No elements
    /// give its identity.
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
    /// The combination has to be commutative as well, since elements are combined in any order. Halves are combined in
    /// `f32`, and the result is rounded once.
    #[must_use]
    #[track_caller]
    pub fn reduce(&self, combination: impl Into<Combination<T>>) -> Self {
        let fold = combination.into().kind.fold();
        Self::of(self.node.reduce(fold, None, T::DATA_TYPE))
    }

    /// As [`reduce`](Self::reduce), along one axis or several, which go away.
    #[must_use]
    #[track_caller]
    pub fn reduce_axis(&self, axes: impl IntoAxes, combination: impl Into<Combination<T>>) -> Self {
        let fold = combination.into().kind.fold();
        let axes = Some(axes.into_axes());
        Self::of(self.node.reduce(fold, axes, T::DATA_TYPE))
    }
}

impl<T: Element> Array<T> {
    /// All elements combined to one: see [`Expr::reduce`].
    #[must_use]
    #[track_caller]
    pub fn reduce(&self, combination: impl Into<Combination<T>>) -> Expr<T> {
        self.expr().reduce(combination)
    }

    /// As [`reduce`](Self::reduce), along one axis or several, which go away.
    #[must_use]
    #[track_caller]
    pub fn reduce_axis(
        &self,
        axes: impl IntoAxes,
        combination: impl Into<Combination<T>>,
    ) -> Expr<T> {
        self.expr().reduce_axis(axes, combination)
    }
}
