//! Access to elements by index: gathers, scatters with and without combining, concatenation,
//! division, padding, insertion and repetition.

mod along;
mod combine;
mod indexed;
mod insert;
mod join;
mod pad;
mod pick;
mod repeat;
mod scatter;
mod several;
mod split;

use cuda_safe::Stream;
pub(crate) use join::assemble;
pub use join::{concatenate, stack};
pub use pad::Pad;
pub use several::ravel_index;

use crate::{
    array::{Array, IntoIndex, Layout, Order, Shape},
    element::{Class, DataType, Element, Integer},
    error::{Error, Result},
    expression::{
        Expr, IntoExpr,
        fused::{self, Prepared, Walk},
        hashed::Hashed,
        node::{Kind, Node, Taken},
        render::Form,
    },
    kernel::{Source, Specialisation},
};

/// A kernel that gathers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Gather {
    form: Hashed<Form>,
    data: DataType,
    index: DataType,
    clamped: bool,
    /// Whether 32 bits suffice to count the result's vectors.
    narrow: bool,
}

const THREADS: u32 = 256;
/// Vectors that each thread loads at once.
const UNROLL: u32 = 4;

fn source(source: Source, form: &Form, data: DataType, index: DataType) -> Source {
    fused::source(source, form)
        .define("THREADS", THREADS)
        .define("UNROLL", UNROLL)
        .define("STORED", data.stored())
        .define("VALUE", data.computed())
        .define("SIGNED", u8::from(index.class() == Class::Signed))
}

impl Specialisation for Gather {
    fn source(&self) -> Source {
        let text = include_str!("../kernels/gather.cu");
        let own = Source::new("gather.cu", text, "gather");
        source(own, &self.form, self.data, self.index)
            .define("INDEX", self.index.computed())
            .define("CLAMPED", u8::from(self.clamped))
            .define("NARROW", u8::from(self.narrow))
    }
}

fn blocks(count: u64) -> u64 {
    count.div_ceil(u64::from(THREADS * UNROLL))
}

impl<T: Element> Expr<T> {
    /// Returns the elements at these indices along an axis. In the result, the axes of `indices`
    /// replace this axis.
    ///
    /// Negative indices count from the end. Only the taken elements are computed. The kernel checks
    /// the indices, so the call waits for it and for all work enqueued on the stream before.
    /// [`take_clamped`](Self::take_clamped) doesn't wait.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::range(&stream, 0..12)?.reshape([3, 4])?;
    /// let columns = Array::from_slice(&stream, &[3i64, 0, -1])?;
    /// assert_eq!((&x * 10).take(&columns, 1)?.slice(cuda_compute::s![1])?.to_vec()?, [70, 40, 70]);
    /// assert!(x.take(&columns, 0).is_err()); // there is no row 3
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if:
    /// - there is no such axis;
    /// - an index is out of bounds;
    /// - the result would have more axes than an array can have;
    /// - memory runs out;
    /// - work enqueued before has failed.
    pub fn take<I: Integer>(
        &self,
        indices: impl IntoExpr<I>,
        axis: impl IntoIndex,
    ) -> Result<Array<T>> {
        self.gather(&indices.into_expr(), axis, false)
    }

    /// Returns the elements at these indices along an axis like [`take`](Self::take), but as an
    /// expression, which replaces out-of-bounds indices by the nearest valid ones.
    ///
    /// The elements of an array are taken by the kernel that uses them. Each use takes them again: to do
    /// so only once, call [`eval`](Self::eval). Those of another expression are computed by this call.
    /// It doesn't wait.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::range(&stream, 0..12)?.reshape([3, 4])?;
    /// let rows = Array::from_slice(&stream, &[2, -3, 9])?;
    /// let sums = (x.take_clamped(&rows, 0)? * 10).sum_axis(1); // one kernel
    /// assert_eq!(sums.to_vec()?, [380, 60, 380]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if:
    /// - there is no such axis, or it has no elements;
    /// - the result would have more axes than an array can have;
    /// - an expression must be computed first, and memory runs out.
    pub fn take_clamped<I: Integer>(
        &self,
        indices: impl IntoExpr<I>,
        axis: impl IntoIndex,
    ) -> Result<Self> {
        let shape = self.shape()?;
        let axis = shape.axis(axis)?;
        let Some(table) = self.as_array() else {
            return Ok(self.take_now(indices, axis)?.expr());
        };
        let indices = indices.into_expr().stored_on(table.stream())?;
        let result = taken_shape(shape, indices.shape(), axis)?;
        if result.elements() > 0 {
            reject_empty(shape, axis)?;
        }
        let taken = Taken {
            memory: table.memory.clone(),
            layout: table.layout,
            axis,
            indices: (indices.memory.clone(), indices.layout, I::DATA_TYPE),
        };
        let kind = Kind::Taken(Box::new(taken));
        Ok(Self::of(Node::new(kind, T::DATA_TYPE, Ok(result))))
    }

    /// Takes elements like [`take_clamped`](Self::take_clamped), but into a new array. Only these
    /// elements are computed.
    pub(crate) fn take_now<I: Integer>(
        &self,
        indices: impl IntoExpr<I>,
        axis: impl IntoIndex,
    ) -> Result<Array<T>> {
        self.gather(&indices.into_expr(), axis, true)
    }

    fn gather<I: Integer>(
        &self,
        indices: &Expr<I>,
        axis: impl IntoIndex,
        clamped: bool,
    ) -> Result<Array<T>> {
        let shape = self.shape()?;
        let axis = shape.axis(axis)?;
        let mut prepared = Prepared::new(&[&self.node])?;
        let indices = indices.stored_on(&prepared.stream)?.contiguous(Order::C)?;
        let lengths = shape.as_slice();
        let result = taken_shape(shape, indices.shape(), axis)?;
        let memory = prepared.memory(result.elements(), T::DATA_TYPE)?;
        let array = Array::of(memory.clone(), Layout::dense(result, Order::C));
        if result.elements() == 0 {
            return Ok(array);
        }
        let length = lengths[axis];
        reject_empty(shape, axis)?;
        let inner: usize = lengths[axis + 1..].iter().product();
        let order: Vec<usize> = (0..shape.rank()).collect();
        let walk = Walk {
            order: &order,
            run: Some(inner),
            widest: T::DATA_TYPE.lanes(16),
        };
        let fused = prepared.fuse(&walk, None)?;
        let vector = fused.vector();
        let count = (result.elements() / vector) as u64;
        let (kernels, stream) = (&prepared.kernels, &prepared.stream);
        let kernel = kernels.get(&Gather {
            form: fused.form.clone(),
            data: T::DATA_TYPE,
            index: I::DATA_TYPE,
            clamped,
            // This leaves room for the vectors of one block.
            narrow: count < 1 << 31,
        })?;
        let enqueue = |wrong| {
            let mut parameters = [
                count,
                (inner / vector) as u64,
                indices.len() as u64,
                length as u64,
                indices.as_device_ptr(),
                memory.address(),
                wrong,
            ];
            let launch = (blocks(count), THREADS);
            let others = [&*memory, &*indices.memory];
            // SAFETY: `gather` has these parameters, checks the places that it reads, and writes
            // `count` vectors.
            unsafe { fused.launch(&kernel, stream, launch, &mut parameters, &others) }
        };
        if clamped {
            enqueue(0)?;
        } else {
            let wrong = kernels.results().fetch_or(stream, 0, enqueue)?;
            if let Some(number) = wrong.checked_sub(1) {
                return Err(beyond(stream, &indices.expr(), number, length));
            }
        }
        Ok(array)
    }
}

/// Returns the shape of elements at indices along an axis.
fn taken_shape(shape: Shape, indices: Shape, axis: usize) -> Result<Shape> {
    let lengths = shape.as_slice();
    Shape::new(&[&lengths[..axis], indices.as_slice(), &lengths[axis + 1..]].concat())
}

fn reject_empty(shape: Shape, axis: usize) -> Result<()> {
    match shape[axis] {
        0 => Err(Error::Shape(format!(
            "nothing can be taken from axis {axis} of shape {shape}, which has no elements"
        ))),
        _ => Ok(()),
    }
}

impl<T: Element> Array<T> {
    /// Returns the elements at these indices along an axis. See [`Expr::take`].
    ///
    /// # Errors
    /// Returns an error if there is no such axis, if an index is out of bounds, or if memory runs
    /// out. See [`Expr::take`].
    pub fn take<I: Integer>(
        &self,
        indices: impl IntoExpr<I>,
        axis: impl IntoIndex,
    ) -> Result<Self> {
        self.expr().take(indices, axis)
    }

    /// Returns an expression for the elements at these indices along an axis. It replaces out-of-bounds
    /// indices by the nearest valid ones. See [`Expr::take_clamped`].
    ///
    /// # Errors
    /// Returns an error if there is no such axis, or if it has no elements. See
    /// [`Expr::take_clamped`].
    pub fn take_clamped<I: Integer>(
        &self,
        indices: impl IntoExpr<I>,
        axis: impl IntoIndex,
    ) -> Result<Expr<T>> {
        self.expr().take_clamped(indices, axis)
    }

    pub(crate) fn take_now<I: Integer>(
        &self,
        indices: impl IntoExpr<I>,
        axis: impl IntoIndex,
    ) -> Result<Self> {
        self.expr().take_now(indices, axis)
    }
}

/// Returns the error for an out-of-bounds index. `number` is its position among all indices, in C
/// order.
#[cold]
fn beyond<I: Integer>(stream: &Stream, indices: &Expr<I>, number: u64, length: usize) -> Error {
    let value = || {
        let all = indices.eval_on(stream)?.flatten()?;
        let at = number as isize;
        all.slice([crate::SliceItem::from(at..at + 1)])?.item()
    };
    match value() {
        Ok(index) => Error::Shape(format!(
            "element {number} of the indices is {index:?}, but there are only {length} elements to index"
        )),
        Err(error) => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_has_four_vectors() {
        for (vectors, wanted) in [(0, 0), (1, 1), (1024, 1), (1025, 2), (4096, 4)] {
            assert_eq!(blocks(vectors), wanted, "{vectors}");
        }
    }

    #[test]
    fn vectors_lie_within_what_is_taken() {
        use cuda_safe::Context;

        use crate::kernel::Kernels;
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let chosen = |lengths: &[usize], axis: usize| {
            let kernels = Kernels::new(&context).unwrap();
            let x = kernels.zeros::<f32>(&stream, lengths);
            let places = Array::from_slice(&stream, &[1i32, 0]).unwrap();
            assert_eq!(x.take(&places, axis).unwrap().shape()[axis], 2);
            let found: Vec<Gather> = kernels.compiled_for();
            (found[0].form.vector, found[0].narrow, found[0].clamped)
        };
        assert_eq!(chosen(&[3, 8], 0), (4, true, false));
        assert_eq!(chosen(&[3, 6], 0), (2, true, false));
        assert_eq!(chosen(&[3, 8], 1), (1, true, false));
    }
}
