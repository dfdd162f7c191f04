//! Translation of a matrix product to cuBLAS calls: arithmetic on shapes and strides, without a
//! device.
//!
//! cuBLAS expects column-major matrices. The result is row-major, so its transpose is computed,
//! which is column-major in the same memory: `resultᵀ = rightᵀ · leftᵀ`.

use crate::{
    array::{Ellipsis, Layout, NewAxis, Shape, SliceItem},
    error::{Error, Result},
};

/// The lengths of a product `[batch…, m, k] × [batch…, k, n]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lengths {
    pub(super) m: usize,
    pub(super) n: usize,
    pub(super) k: usize,
    /// The axes before those of the matrices, to which both operands are broadcast.
    batch: Shape,
    pub(super) result: Shape,
}

impl Lengths {
    /// Applies the rules of NumPy's `matmul`: an operand with one axis is a row on the left and a
    /// column on the right, and the result lacks this axis.
    pub(super) fn of(left: Shape, right: Shape) -> Result<Self> {
        let (rows, own_k) = match *left.as_slice() {
            [] => return Err(no_axes(left, right)),
            [k] => (None, k),
            [.., m, k] => (Some(m), k),
        };
        let (k, columns) = match *right.as_slice() {
            [] => return Err(no_axes(left, right)),
            [k] => (k, None),
            [.., k, n] => (k, Some(n)),
        };
        if own_k != k {
            return Err(Error::Shape(format!(
                "shapes {left} and {right} have no matrix product: the rows of the first have {own_k} elements, and the \
                 columns of the second have {k}"
            )));
        }
        let (of_left, of_right) = (leading(left), leading(right));
        let batch = of_left.broadcast(&of_right).ok_or_else(|| {
            Error::Shape(format!(
                "shapes {left} and {right} have no matrix product: the axes before the matrices, {of_left} and \
                 {of_right}, can't be broadcast to a common shape"
            ))
        })?;
        let mut result = batch.as_slice().to_vec();
        result.extend(rows);
        result.extend(columns);
        Ok(Self {
            m: rows.unwrap_or(1),
            n: columns.unwrap_or(1),
            k,
            batch,
            result: Shape::new(&result)?,
        })
    }

    /// Broadcasts a matrix over the batch.
    fn stretched(&self, matrix: &Layout, rows: usize, columns: usize) -> Result<Layout> {
        let shape = [self.batch.as_slice(), &[rows, columns]].concat();
        matrix.broadcast_to(Shape::new(&shape)?)
    }
}

#[cold]
fn no_axes(left: Shape, right: Shape) -> Error {
    Error::Shape(format!(
        "shapes {left} and {right} have no matrix product: an operand without axes is a number. Fix: multiply by it with `*`"
    ))
}

/// Returns the axes before those of the matrix.
fn leading(shape: Shape) -> Shape {
    let lengths = shape.as_slice();
    Shape::of(&lengths[..lengths.len().saturating_sub(2)])
}

/// Returns a left operand as a matrix. With one axis, it is a row.
pub(super) fn left_matrix(layout: &Layout) -> Result<Layout> {
    match layout.shape.rank() {
        1 => layout.sliced(&[NewAxis.into(), Ellipsis.into()]),
        _ => Ok(*layout),
    }
}

/// Returns a right operand as a matrix. With one axis, it is a column.
pub(super) fn right_matrix(layout: &Layout) -> Result<Layout> {
    match layout.shape.rank() {
        1 => layout.sliced(&[SliceItem::from(Ellipsis), NewAxis.into()]),
        _ => Ok(*layout),
    }
}

/// The way in which cuBLAS reads the transpose of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Side {
    /// Whether cuBLAS transposes it (`CUBLAS_OP_T`), which is the case for a column-major matrix.
    pub(super) turned: bool,
    /// The distance between two rows in elements, or between two columns if it is transposed.
    pub(super) leading: i64,
}

impl Side {
    /// Returns `None` if neither rows nor columns are contiguous and disjoint, so that the matrix
    /// must be copied.
    pub(super) fn of(matrix: &Layout) -> Option<Self> {
        let rank = matrix.shape.rank();
        let (rows, columns) = (matrix.shape[rank - 2], matrix.shape[rank - 1]);
        let (row, column) = (matrix.strides()[rank - 2], matrix.strides()[rank - 1]);
        Self::new(rows, columns, row, column)
    }

    fn new(rows: usize, columns: usize, row: isize, column: isize) -> Option<Self> {
        // Returns the distance between contiguous lines. If there is only one line, any valid
        // distance works.
        let lines = |count: usize, length: usize, apart: isize, within: isize| {
            let dense = length <= 1 || within == 1;
            let least = length.max(1) as isize;
            let leading = if count <= 1 { least } else { apart };
            (dense && leading >= least).then_some(leading as i64)
        };
        if let Some(leading) = lines(rows, columns, row, column) {
            return Some(Self {
                turned: false,
                leading,
            });
        }
        lines(columns, rows, column, row).map(|leading| Self {
            turned: true,
            leading,
        })
    }
}

/// The cuBLAS calls that compute a product. Each call multiplies some matrices at equal distances.
/// Offsets count elements from the first element of the left operand, the right operand and the
/// result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// The rows of the left matrix. They include those of the batch if the right matrix is the same
    /// for all of it.
    pub(super) m: i64,
    pub(super) n: i64,
    pub(super) k: i64,
    pub(super) left: Side,
    pub(super) right: Side,
    /// The number of products per call, and the distances between consecutive ones.
    pub(super) count: i64,
    pub(super) steps: [i64; 3],
    /// The offsets at which each call starts.
    pub(super) calls: Vec<[i64; 3]>,
}

/// An axis of the batch.
#[derive(Clone, Copy)]
struct Group {
    length: usize,
    steps: [isize; 3],
}

impl Plan {
    /// Creates a plan for two matrices, or returns `None` if one of them must be copied. No length
    /// may be 0.
    pub(super) fn new(lengths: &Lengths, left: &Layout, right: &Layout) -> Result<Option<Self>> {
        let &Lengths { mut m, n, k, .. } = lengths;
        let left = lengths.stretched(left, m, k)?;
        let right = lengths.stretched(right, k, n)?;
        let (Some(mut left_side), Some(right_side)) = (Side::of(&left), Side::of(&right)) else {
            return Ok(None);
        };
        let mut groups = groups(lengths, &left, &right);
        let rank = left.shape.rank();
        let (mut row, column) = (left.strides()[rank - 2], left.strides()[rank - 1]);
        // One matrix with many rows is faster than many matrices with few.
        while let Some(&inner) = groups.first() {
            let next = if m == 1 { inner.steps[0] } else { row };
            if inner.steps[1] != 0 || inner.steps[0] != next * m as isize {
                break;
            }
            let Some(side) = Side::new(m * inner.length, k, next, column) else {
                break;
            };
            (m, row, left_side) = (m * inner.length, next, side);
            groups.remove(0);
        }
        // cuBLAS supports only non-negative steps.
        let forward = |group: &Group| group.steps.iter().all(|&step| step >= 0);
        let widest = (0..groups.len())
            .filter(|&at| forward(&groups[at]))
            .max_by_key(|&at| groups[at].length);
        let batch = widest.map_or(
            Group {
                length: 1,
                steps: [0; 3],
            },
            |at| groups.remove(at),
        );
        let mut calls = vec![[0; 3]];
        for group in groups.iter().rev() {
            let along = |start: [i64; 3]| {
                (0..group.length as i64)
                    .map(move |i| std::array::from_fn(|at| start[at] + i * group.steps[at] as i64))
            };
            calls = calls.into_iter().flat_map(along).collect();
        }
        Ok(Some(Self {
            m: m as i64,
            n: n as i64,
            k: k as i64,
            left: left_side,
            right: right_side,
            count: batch.length as i64,
            steps: batch.steps.map(|step| step as i64),
            calls,
        }))
    }
}

/// Returns the axes of the batch, innermost first. Axes are merged if an outer one continues where
/// the inner one ends.
fn groups(lengths: &Lengths, left: &Layout, right: &Layout) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut apart = (lengths.m * lengths.n) as isize;
    for axis in (0..lengths.batch.rank()).rev() {
        let length = lengths.batch[axis];
        let steps = [left.strides()[axis], right.strides()[axis], apart];
        apart *= length as isize;
        match groups.last_mut() {
            _ if length == 1 => {}
            Some(last) if steps == last.steps.map(|step| step * last.length as isize) => {
                last.length *= length;
            }
            _ => groups.push(Group { length, steps }),
        }
    }
    groups
}

#[cfg(test)]
mod tests;
