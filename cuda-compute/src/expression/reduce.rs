//! Reduction methods of expressions and arrays.

use std::{collections::HashMap, panic::Location, sync::Arc};

use super::{
    Expr, IntoExpr,
    fold::result_shape,
    node::{Inputs, Kind, Node, after_inputs, common_shape},
    plan::MAX_VALUES,
    reduction::{Fold, Nan, Reduction},
};
use crate::{
    array::{Array, IntoIndices, Shape},
    element::{Element, Float, Math, Number, Ordered, Words},
    error::{Error, Result},
};

impl Node {
    /// Reduces a node along these axes, or along all axes if `axes` is `None`.
    #[track_caller]
    pub(crate) fn reduce(
        self: &Arc<Self>,
        fold: Fold,
        axes: Option<Vec<isize>>,
        result: crate::DataType,
    ) -> Arc<Self> {
        let place = Location::caller();
        let unshaped = fold.clone();
        let shaped = |shape: Shape| -> Result<(Reduction, Shape), Arc<str>> {
            let axes = match axes {
                None => (0..shape.rank()).collect(),
                Some(axes) => shape
                    .axes(axes)
                    .map_err(|why| format!("`{}` at {place}: {why}", fold.name()))?,
            };
            let mask = axes.iter().fold(0, |mask, axis| mask | 1 << axis);
            let reduction = Reduction {
                fold,
                axes: mask,
                keep: false,
            };
            let result = result_shape(shape, &reduction);
            Ok((reduction, result))
        };
        let (reduction, shape) = match self.shape.clone().and_then(shaped) {
            Ok((reduction, shape)) => (reduction, Ok(shape)),
            Err(why) => (
                Reduction {
                    fold: unshaped,
                    axes: 0,
                    keep: false,
                },
                Err(why),
            ),
        };
        Self::new(Kind::Reduce(reduction, self.clone()), result, shape)
    }
}

/// Defines each reduction of all elements, and along axes, for expressions and for arrays.
macro_rules! reductions {
    ($(
        impl<$t:ident: $class:path> {$(
            $(#[$doc:meta])*
            $name:ident $axis_name:ident $(($argument:ident: $argument_type:ty))? -> $result:ty = $fold:expr;
        )*}
    )*) => {$(
        impl<$t: $class> Expr<$t> {$(
            $(#[$doc])*
            ///
            /// The result has no axes. If there are no elements, it is the reduction's identity,
            /// unless the description above says otherwise. For minima and maxima of no elements,
            /// [`eval`](Self::eval) returns [`Error::Shape`](crate::Error::Shape).
            #[must_use]
            #[track_caller]
            pub fn $name(&self $(, $argument: $argument_type)?) -> Expr<$result> {
                Expr::of(self.node.reduce($fold, None, <$result as Element>::DATA_TYPE))
            }

            $(#[$doc])*
            ///
            /// Reduces along one or several axes, which are removed. To keep them, see
            /// [`keep_axes`](Self::keep_axes).
            #[must_use]
            #[track_caller]
            pub fn $axis_name(&self, axes: impl IntoIndices $(, $argument: $argument_type)?) -> Expr<$result> {
                let axes = Some(axes.into_indices());
                Expr::of(self.node.reduce($fold, axes, <$result as Element>::DATA_TYPE))
            }
        )*}

        impl<$t: $class> Array<$t> {$(
            $(#[$doc])*
            ///
            /// See the method of the same name of [`Expr`].
            #[must_use]
            #[track_caller]
            pub fn $name(&self $(, $argument: $argument_type)?) -> Expr<$result> {
                self.expr().$name($($argument)?)
            }

            $(#[$doc])*
            ///
            /// See the method of the same name of [`Expr`].
            #[must_use]
            #[track_caller]
            pub fn $axis_name(&self, axes: impl IntoIndices $(, $argument: $argument_type)?) -> Expr<$result> {
                self.expr().$axis_name(axes $(, $argument)?)
            }
        )*}
    )*};
}

reductions! {
    impl<T: Number> {
        /// Returns the sum. Integers wrap around. To prevent this, [`cast`](Self::cast) to a wider
        /// type first, which costs nothing. Sums of `f16` and `bf16` are computed as `f32` and
        /// rounded once. For error bounds, see [accuracy](crate::guide::accuracy).
        sum sum_axis -> T = Fold::Sum;
        /// Returns the product. Integers wrap around.
        product product_axis -> T = Fold::Product;
    }
    impl<T: Math> {
        /// Returns the mean: the sum divided by the number of elements. The mean of no elements is
        /// NaN.
        mean mean_axis -> T = Fold::Mean;
    }
    impl<T: Ordered> {
        /// Returns the smallest element. Ignores NaN, as [`f32::min`] does: the result is NaN only
        /// if all elements are. For the smaller of two operands, see
        /// [`minimum`](crate::Expr::minimum).
        #[doc(alias = "nanmin")]
        min min_axis -> T = Fold::Minimum(Nan::Ignored);
        /// Returns the largest element. Ignores NaN, as [`f32::max`] does: the result is NaN only
        /// if all elements are. For the larger of two operands, see
        /// [`maximum`](crate::Expr::maximum).
        #[doc(alias = "nanmax")]
        max max_axis -> T = Fold::Maximum(Nan::Ignored);
        /// Returns the smallest element, or NaN if an element is NaN, like NumPy's `min`.
        min_or_nan min_or_nan_axis -> T = Fold::Minimum(Nan::Propagated);
        /// Returns the largest element, or NaN if an element is NaN, like NumPy's `max`.
        max_or_nan max_or_nan_axis -> T = Fold::Maximum(Nan::Propagated);
        /// Returns the index of the smallest element, or of the first of several equal ones, in C
        /// order along the axes. Ignores NaN: the result is 0 if all elements are NaN.
        #[doc(alias = "nanargmin")]
        argmin argmin_axis -> usize = Fold::MinimumPlace(Nan::Ignored);
        /// Returns the index of the largest element, or of the first of several equal ones, in C
        /// order along the axes. Ignores NaN: the result is 0 if all elements are NaN.
        #[doc(alias = "nanargmax")]
        argmax argmax_axis -> usize = Fold::MaximumPlace(Nan::Ignored);
        /// Returns the index of the first NaN, or [`argmin`](Self::argmin) if no element is NaN,
        /// like NumPy's `argmin`.
        argmin_or_nan argmin_or_nan_axis -> usize = Fold::MinimumPlace(Nan::Propagated);
        /// Returns the index of the first NaN, or [`argmax`](Self::argmax) if no element is NaN,
        /// like NumPy's `argmax`.
        argmax_or_nan argmax_or_nan_axis -> usize = Fold::MaximumPlace(Nan::Propagated);
    }
    impl<T: Float> {
        /// Returns the variance: the sum of squared distances from the mean, divided by the number
        /// of elements minus `ddof`.
        ///
        /// If `ddof` is at least the number of elements, the divisor is zero. The result is then
        /// infinite, or NaN if all squares are zero, as in NumPy. So the variance of no elements is
        /// NaN. It is also NaN if an element is infinite or NaN. One pass computes the variance,
        /// and a large mean costs no digits: see [accuracy](crate::guide::accuracy).
        var var_axis(ddof: u32) -> T = Fold::Variance(ddof);
        /// Returns the standard deviation: the square root of [`var`](Self::var). It is infinite or
        /// NaN if the variance is.
        std std_axis(ddof: u32) -> T = Fold::Deviation(ddof);
    }
}

macro_rules! truth {
    ($($(#[$doc:meta])* $name:ident $axis_name:ident $fold:ident;)*) => {
        impl Expr<bool> {$(
            $(#[$doc])*
            #[must_use]
            #[track_caller]
            pub fn $name(&self) -> Self {
                Self::of(self.node.reduce(Fold::$fold, None, bool::DATA_TYPE))
            }

            $(#[$doc])*
            ///
            /// Reduces along one or several axes, which are removed.
            #[must_use]
            #[track_caller]
            pub fn $axis_name(&self, axes: impl IntoIndices) -> Self {
                Self::of(self.node.reduce(Fold::$fold, Some(axes.into_indices()), bool::DATA_TYPE))
            }
        )*}

        impl Array<bool> {$(
            $(#[$doc])*
            #[must_use]
            #[track_caller]
            pub fn $name(&self) -> Expr<bool> {
                self.expr().$name()
            }

            $(#[$doc])*
            ///
            /// Reduces along one or several axes, which are removed.
            #[must_use]
            #[track_caller]
            pub fn $axis_name(&self, axes: impl IntoIndices) -> Expr<bool> {
                self.expr().$axis_name(axes)
            }
        )*}
    };
}

truth! {
    /// Returns whether all elements are true. The result for no elements is true.
    all all_axis All;
    /// Returns whether any element is true. The result for no elements is false.
    any any_axis Any;
}

impl Expr<bool> {
    /// Counts the true elements.
    #[must_use]
    #[track_caller]
    pub fn count(&self) -> Expr<usize> {
        self.cast::<usize>().sum()
    }

    /// Counts the true elements along one or several axes, which are removed.
    #[must_use]
    #[track_caller]
    pub fn count_axis(&self, axes: impl IntoIndices) -> Expr<usize> {
        self.cast::<usize>().sum_axis(axes)
    }
}

impl Array<bool> {
    /// Counts the true elements.
    #[must_use]
    #[track_caller]
    pub fn count(&self) -> Expr<usize> {
        self.expr().count()
    }

    /// Counts the true elements along one or several axes, which are removed.
    #[must_use]
    #[track_caller]
    pub fn count_axis(&self, axes: impl IntoIndices) -> Expr<usize> {
        self.expr().count_axis(axes)
    }
}

impl<T: Element> Expr<T> {
    /// Keeps the reduced axes of this reduction with length 1, so that the result can be broadcast
    /// to the reduction's input.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[1.0f32, 3.0, 10.0, 30.0])?.reshape([2, 2])?;
    /// let centred = (&x - x.mean_axis(1).keep_axes()).eval()?;
    /// assert_eq!(centred.to_vec()?, [-1.0, 1.0, -10.0, 10.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// An expression that is computed only from reductions and numbers keeps the axes of all of its
    /// reductions. Examples are norms and `(x.max_axis(1) - x.min_axis(1))`.
    ///
    /// # Errors
    /// [`eval`](Self::eval) returns [`Error::Shape`](crate::Error::Shape) if this expression is
    /// neither a reduction nor computed only from reductions and numbers.
    #[must_use]
    #[track_caller]
    pub fn keep_axes(&self) -> Self {
        let kept = match &self.node.shape {
            Ok(_) => kept(&self.node, Location::caller()),
            Err(_) => self.node.clone(),
        };
        Self::of(kept)
    }
}

/// Returns the node with the axes of its reductions kept.
fn kept(root: &Arc<Node>, place: &Location<'_>) -> Arc<Node> {
    let fails = |node: &Node, message: String| {
        let kind = Kind::Scalar(Words::ZERO);
        Node::new(kind, node.data, Err(message.into()))
    };
    fn operands(node: &Node) -> &[Arc<Node>] {
        match node.reduces {
            true => node.operands(),
            false => &[],
        }
    }
    let Some(nodes) = after_inputs(&[root], MAX_VALUES, operands) else {
        return fails(
            root,
            format!("`keep_axes` at {place}: the expression has more than {MAX_VALUES} operations"),
        );
    };
    let mut done = HashMap::new();
    for node in nodes {
        let new = match &node.kind {
            Kind::Reduce(reduction, input) => {
                let kept = Reduction {
                    keep: true,
                    ..reduction.clone()
                };
                let shape = input.shape.clone().map(|shape| result_shape(shape, &kept));
                Node::new(Kind::Reduce(kept, input.clone()), node.data, shape)
            }
            Kind::Apply(operation, inputs) if node.reduces => {
                let inputs: Box<[_]> = inputs
                    .iter()
                    .map(|input| Arc::clone(&done[&Arc::as_ptr(input)]))
                    .collect();
                let shape = common_shape(operation.name(), &inputs);
                let kind = Kind::Apply(operation.clone(), Inputs::More(inputs));
                Node::new(kind, node.data, shape)
            }
            Kind::Scalar(_) => node.clone(),
            _ => fails(
                node,
                format!(
                    "`keep_axes` at {place}: the expression is not a reduction, and is not computed from reductions and numbers alone"
                ),
            ),
        };
        done.insert(Arc::as_ptr(node), new);
    }
    done[&Arc::as_ptr(root)].clone()
}

impl<T: Number> Expr<T> {
    /// Returns the dot product of two vectors, in one pass. Complex numbers are not conjugated.
    ///
    /// [`Array::inner`] sums along the last axes of matrices. [`Array::matmul`]
    /// multiplies matrices. `(&a * &b).sum()` takes all elements of arrays of any shape.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[1, 2, 3])?;
    /// assert_eq!(x.dot(&x + 1)?.item()?, 20);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Shape`] unless both operands have one axis, of the same length.
    #[track_caller]
    pub fn dot(&self, other: impl IntoExpr<T>) -> Result<Self> {
        let other = other.into_expr();
        let (left, right) = (self.shape()?, other.shape()?);
        if left.rank() != 1 || left != right {
            let place = Location::caller();
            return Err(Error::Shape(format!(
                "`dot` of shapes {left} and {right}, at {place}: both operands must have one axis, of the same length. \
                 Fix: call `matmul` or `inner` for matrices, and `(&a * &b).sum()` for all elements"
            )));
        }
        Ok((self * other).sum())
    }
}

impl<T: Number> Array<T> {
    /// Returns the dot product of two vectors, in one pass.
    ///
    /// See the method of the same name of [`Expr`].
    ///
    /// # Errors
    /// Returns [`Error::Shape`] unless both operands have one axis, of the same length.
    #[track_caller]
    pub fn dot(&self, other: impl IntoExpr<T>) -> Result<Expr<T>> {
        self.expr().dot(other)
    }
}
