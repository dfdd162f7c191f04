//! Sums of products over named axes: `einsum` and `tensordot`.

use std::borrow::Borrow;

use super::subscripts::{Label, Subscripts};
use crate::{
    array::{Array, IntoIndices, NewAxis, Shape, SliceItem},
    element::{DataType, Element, Math},
    error::{Error, Result},
    expression::Expr,
};

/// Computes sums of products over axes that are named by letters, as NumPy's `einsum` does.
///
/// `subscripts` has the letters of each operand's axes, and those of the result after an arrow. Axes of
/// one letter are multiplied element by element, and the products are summed over all letters that the
/// result lacks. A letter that an operand has twice takes its diagonal. `...` stands for all further
/// axes, which are broadcast. Without an arrow, the result has the letters that occur once, in
/// alphabetical order, after the axes of `...`.
///
/// **Order.** Operands are combined one after the other, from left to right. Letters that only one
/// operand has, and that the result lacks, are summed first. NumPy's `optimize` has no counterpart: if
/// another order is faster, call `einsum` for each pair.
///
/// **Kernels.** If both operands of a pair have letters that the other one lacks, and letters are
/// summed, the pair is a batch of matrix products by cuBLAS: see [`Array::matmul`]. Other pairs are
/// computed by one kernel of this crate and need no library. Operands are copied for cuBLAS only if
/// their axes in the order of the matrices can't be described by strides. The axes of the result are
/// permuted without a copy, so it may not be contiguous.
///
/// **Accuracy.** That of [`Array::matmul`]. Each other kernel computes halves in `f32` and rounds its
/// result, so results between kernels are rounded too, and may overflow.
///
/// ```
/// use cuda_compute::{Array, einsum};
/// # use cuda_safe::{Context, Stream};
/// # fn main() -> cuda_compute::Result<()> {
/// # let stream = Stream::new(&Context::primary(0)?)?;
/// let x = Array::from_nested(&stream, [[1.0f32, 2.0], [3.0, 4.0]])?;
/// let y = Array::from_slice(&stream, &[10.0f32, 1.0])?;
/// assert_eq!(einsum("ij,j->i", &[&x, &y])?.to_vec()?, [12.0, 34.0]);
/// assert_eq!(einsum("ii", &[&x])?.item()?, 5.0); // the trace
/// assert_eq!(einsum("ij->ji", &[&x])?.to_vec()?, [1.0, 3.0, 2.0, 4.0]);
/// // A matrix product needs cuBLAS: einsum("ij,jk->ik", &[&x, &x])
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Returns [`Error::Value`] if the subscripts are invalid or name another number of operands.
/// Returns [`Error::Shape`] if an operand has another number of axes than letters, if axes of one
/// letter have different lengths, or if an intermediate result has more axes than an array can have.
/// Returns an error in the cases that [`Array::matmul`] lists, for a missing cuBLAS for example.
pub fn einsum<T: Math, A: Borrow<Array<T>>>(subscripts: &str, operands: &[A]) -> Result<Array<T>> {
    let operands: Vec<&Array<T>> = operands.iter().map(Borrow::borrow).collect();
    let shapes: Vec<_> = operands.iter().map(|operand| operand.shape()).collect();
    let Subscripts {
        operands: labels,
        result,
    } = Subscripts::parse(subscripts, &shapes)?;
    let mut terms = (operands.into_iter().zip(labels))
        .map(|(array, labels)| Term::new(array.clone(), labels))
        .collect::<Result<Vec<_>>>()?
        .into_iter();
    let Some(mut product) = terms.next() else {
        return Err(Error::Value("einsum: there are no operands".into()));
    };
    while let Some(term) = terms.next() {
        let later = terms.as_slice();
        let needed = |label: Label| {
            result.contains(&label) || later.iter().any(|term| term.labels.contains(&label))
        };
        product = product.contract(term, needed)?;
    }
    let product = product.summed(|label| result.contains(&label))?;
    product.ordered(&result)
}

impl<T: Math> Array<T> {
    /// Computes the sums of products over the last `axes` axes of this array and the first ones of
    /// `other`, as NumPy's `tensordot` does with a number of axes. The other axes of this array come
    /// first in the result, then those of `other`.
    ///
    /// With one axis, this is a matrix product of matrices, and with 0 axes, the outer product. See
    /// [`einsum`] for kernels, copies and accuracy.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_nested(&stream, [[1.0f32, 2.0], [3.0, 4.0]])?;
    /// let y = Array::from_nested(&stream, [[1.0f32, 0.0], [0.0, 10.0]])?;
    /// assert_eq!(x.tensordot(&y, 2)?.item()?, 41.0);
    /// assert_eq!(x.tensordot_axes(&y, [0, 1], [1, 0])?.item()?, 41.0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if an array has fewer axes, if the lengths of the axes differ, if the result
    /// would have more axes than an array can have, or in the cases that [`matmul`](Self::matmul) lists.
    pub fn tensordot(&self, other: &Self, axes: usize) -> Result<Self> {
        let Some(first) = self
            .rank()
            .checked_sub(axes)
            .filter(|_| axes <= other.rank())
        else {
            return Err(Error::Shape(format!(
                "tensordot: {axes} axes of shapes {} and {} can't be summed. Fix: pass at most {}",
                self.shape(),
                other.shape(),
                self.rank().min(other.rank())
            )));
        };
        let of_self: Vec<usize> = (first..self.rank()).collect();
        self.tensordot_axes(other, of_self, (0..axes).collect::<Vec<_>>())
    }

    /// Computes the sums of products over pairs of axes, as NumPy's `tensordot` does with two lists:
    /// the first axis of `axes` with the first one of `of_other`, and so on. See
    /// [`tensordot`](Self::tensordot).
    ///
    /// # Errors
    /// Returns an error if the lists have different lengths, if there is no such axis, if one is named
    /// twice, or in the cases that [`tensordot`](Self::tensordot) lists.
    pub fn tensordot_axes(
        &self,
        other: &Self,
        axes: impl IntoIndices,
        of_other: impl IntoIndices,
    ) -> Result<Self> {
        let (own, others) = (self.shape().axes(axes)?, other.shape().axes(of_other)?);
        let pairs = own.iter().zip(&others);
        let differs =
            |&(&axis, &of_other): &(&usize, &usize)| self.shape()[axis] != other.shape()[of_other];
        if own.len() != others.len() {
            return Err(Error::Shape(format!(
                "tensordot: there are {} axes of the first array and {} of the second. Fix: pass pairs of axes",
                own.len(),
                others.len()
            )));
        }
        if let Some((&axis, &of_other)) = pairs.clone().find(differs) {
            return Err(Error::Shape(format!(
                "tensordot: axis {axis} of shape {} has length {}, and axis {of_other} of shape {} has length {}",
                self.shape(),
                self.shape()[axis],
                other.shape(),
                other.shape()[of_other]
            )));
        }
        let labels: Vec<Label> = (0..self.rank() as Label).collect();
        let mut of_other: Vec<Label> = (0..other.rank() as Label)
            .map(|axis| axis + self.rank() as Label)
            .collect();
        for (&axis, &place) in pairs {
            of_other[place] = axis as Label;
        }
        let free = |labels: &[Label], summed: &[usize]| -> Vec<Label> {
            let axes = labels.iter().enumerate();
            axes.filter(|(axis, _)| !summed.contains(axis))
                .map(|(_, &label)| label)
                .collect()
        };
        let result = [free(&labels, &own), free(&of_other, &others)].concat();
        let term = |array: &Self, labels| Term {
            array: array.clone(),
            labels,
        };
        let needed = |label: Label| result.contains(&label);
        let product = term(self, labels).contract(term(other, of_other), needed)?;
        product.ordered(&result)
    }
}

/// An array whose axes have labels, which differ.
#[derive(Debug)]
struct Term<T: Element> {
    array: Array<T>,
    labels: Vec<Label>,
}

impl<T: Math> Term<T> {
    /// Takes the diagonals of axes with the same label.
    fn new(mut array: Array<T>, mut labels: Vec<Label>) -> Result<Self> {
        let twice = |labels: &[Label]| {
            let at = (1..labels.len()).find(|&at| labels[..at].contains(&labels[at]))?;
            let first = labels.iter().position(|&label| label == labels[at])?;
            Some((first, at))
        };
        while let Some((first, second)) = twice(&labels) {
            let rank = labels.len();
            let others = (0..rank).filter(|&axis| axis != first && axis != second);
            let axes: Vec<usize> = others.chain([first, second]).collect();
            labels = axes[..rank - 1].iter().map(|&axis| labels[axis]).collect();
            array = array.permute(axes)?;
            array.layout = array.layout.diagonal(0);
        }
        Ok(Self { array, labels })
    }

    fn axis(&self, label: Label) -> Option<usize> {
        self.labels.iter().position(|&other| other == label)
    }

    fn length(&self, label: Label) -> Option<usize> {
        self.axis(label).map(|axis| self.array.shape()[axis])
    }

    /// Sums over the axes that are not kept.
    fn summed(self, kept: impl Fn(Label) -> bool) -> Result<Self> {
        let (labels, axes): (Vec<_>, Vec<_>) = (self.labels.iter().copied())
            .zip(0..)
            .partition(|&(label, _): &(Label, usize)| kept(label));
        if axes.is_empty() {
            return Ok(self);
        }
        let axes: Vec<usize> = axes.into_iter().map(|(_, axis)| axis).collect();
        Ok(Self {
            array: self.array.expr().sum_axis(axes).eval()?,
            labels: labels.into_iter().map(|(label, _)| label).collect(),
        })
    }

    /// Returns the array with its axes in this order.
    fn ordered(&self, labels: &[Label]) -> Result<Array<T>> {
        let axes: Option<Vec<usize>> = labels.iter().map(|&label| self.axis(label)).collect();
        let axes = axes.ok_or_else(|| Error::Shape("internal error: a lost axis".into()))?;
        self.array.permute(axes)
    }

    /// Returns the array with axes in this order, and axes of length 1 for labels that it lacks.
    fn stretched(&self, labels: &[Label]) -> Result<Array<T>> {
        let own: Vec<Label> = (labels.iter().copied())
            .filter(|&label| self.axis(label).is_some())
            .collect();
        let items = labels.iter().map(|&label| match self.axis(label) {
            Some(_) => SliceItem::from(..),
            None => NewAxis.into(),
        });
        self.ordered(&own)?.slice(items.collect::<Vec<_>>())
    }

    /// Returns the array with its axes in the order of a batch, rows and columns, and the shape with one
    /// axis for all rows and one for all columns.
    fn matrices(
        &self,
        batch: &[Label],
        rows: &[Label],
        columns: &[Label],
    ) -> Result<(Array<T>, Shape)> {
        let ordered = self.ordered(&[batch, rows, columns].concat())?;
        let lengths = ordered.shape();
        let (of_batch, of_matrix) = lengths.as_slice().split_at(batch.len());
        let (of_rows, of_columns) = of_matrix.split_at(rows.len());
        let ends = [of_rows, of_columns].map(|lengths| lengths.iter().product());
        let shape = Shape::new(&[of_batch, &ends[..]].concat())?;
        Ok((ordered, shape))
    }

    /// Multiplies two terms and sums over the labels that are not needed any more.
    fn contract(self, other: Self, needed: impl Fn(Label) -> bool) -> Result<Self> {
        let shared: Vec<Label> = (self.labels.iter().copied())
            .filter(|&label| other.axis(label).is_some())
            .collect();
        let left = self.summed(|label| needed(label) || shared.contains(&label))?;
        let right = other.summed(|label| needed(label) || shared.contains(&label))?;
        let (batch, summed): (Vec<Label>, Vec<Label>) =
            shared.iter().partition(|&&label| needed(label));
        let free = |term: &Self| -> Vec<Label> {
            let labels = term.labels.iter().copied();
            labels.filter(|label| !shared.contains(label)).collect()
        };
        let (of_left, of_right) = (free(&left), free(&right));
        let labels = [&batch[..], &of_left, &of_right].concat();
        if summed.is_empty() || of_left.is_empty() || of_right.is_empty() {
            let all = [&labels[..], &summed].concat();
            let axes = (labels.len()..all.len()).collect();
            let product = product(&left.stretched(&all)?, &right.stretched(&all)?, axes);
            let array = product.eval()?;
            return Ok(Self { array, labels });
        }
        // The order of the summed labels decides which operand must be copied.
        let by_right: Vec<Label> = (right.labels.iter().copied())
            .filter(|label| summed.contains(label))
            .collect();
        let matrices = |summed: &[Label]| -> Result<Reshaped<T>> {
            let rows = left.matrices(&batch, &of_left, summed)?;
            Ok([rows, right.matrices(&batch, summed, &of_right)?])
        };
        let [rows, columns] = fewest_copies([matrices(&summed)?, matrices(&by_right)?])
            .map(|(array, shape)| array.reshape(shape.as_slice()));
        let product = rows?.matmul(columns?)?;
        let of_product = product.shape();
        let of_batch = &of_product.as_slice()[..batch.len()];
        let lengths = |term: &Self, labels: &[Label]| -> Vec<usize> {
            let lengths = labels.iter().map(|&label| term.length(label));
            lengths.flatten().collect()
        };
        let shape = [
            of_batch,
            &lengths(&left, &of_left),
            &lengths(&right, &of_right),
        ]
        .concat();
        let array = product.reshape(shape)?;
        Ok(Self { array, labels })
    }
}

/// Operands with shapes that they are about to get.
type Reshaped<T> = [(Array<T>, Shape); 2];

/// Returns the operands of which fewer elements must be copied.
fn fewest_copies<T: Math>([one, other]: [Reshaped<T>; 2]) -> Reshaped<T> {
    let copied = |operands: &Reshaped<T>| -> usize {
        let lengths = operands.iter().map(|(array, shape)| {
            let fits = array.layout.reshaped(*shape).is_some();
            if fits { 0 } else { array.len() }
        });
        lengths.sum()
    };
    if copied(&other) < copied(&one) {
        other
    } else {
        one
    }
}

/// Returns the sums of products along axes. Halves are computed as `f32`.
fn product<T: Math>(left: &Array<T>, right: &Array<T>, axes: Vec<usize>) -> Expr<T> {
    fn sums<C: Math>(left: Expr<C>, right: Expr<C>, axes: Vec<usize>) -> Expr<C> {
        let products = left * right;
        match axes.is_empty() {
            true => products,
            false => products.sum_axis(axes),
        }
    }
    let (left, right) = (left.expr(), right.expr());
    match <T as Element>::DATA_TYPE {
        DataType::F16 | DataType::Bf16 => {
            sums::<f32>(left.converted(), right.converted(), axes).converted()
        }
        _ => sums(left, right, axes),
    }
}

#[cfg(test)]
mod tests;
