//! Scatters of values to places of an array.

use cuda_safe::Stream;

use super::{THREADS, beyond, blocks, source};
use crate::{
    array::{Array, Memory, Order},
    element::{DataType, Element, Integer},
    error::{Error, Result},
    expression::{
        Expr, IntoExpr, eval_dense,
        fused::{Fused, Prepared, Walk},
        hashed::Hashed,
        render::Form,
    },
    kernel::{Kernels, Source, Specialisation},
};

/// A kernel that scatters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Scatter {
    form: Hashed<Form>,
    data: DataType,
    index: DataType,
}

impl Specialisation for Scatter {
    fn source(&self) -> Source {
        let text = include_str!("../kernels/scatter.cu");
        let own = Source::new("scatter.cu", text, "scatter");
        source(own, &self.form, self.data, self.index)
    }
}

/// Values and places that are about to be written to an array.
#[derive(Debug)]
pub(super) struct Scattered<'a> {
    /// The expressions: values, then places.
    pub(super) fused: Fused,
    pub(super) kernels: &'a Kernels,
    pub(super) stream: &'a Stream,
    /// The number of values.
    pub(super) count: u64,
    /// The number of elements of the array.
    pub(super) length: u64,
    /// The array's memory, and the address of its first element.
    pub(super) memory: &'a Memory,
    pub(super) target: u64,
    /// The type of the places.
    pub(super) index: DataType,
    /// The address that receives the number of an out-of-bounds place, plus 1, or 0 if such values are
    /// dropped.
    pub(super) wrong: u64,
}

impl<T: Element> Array<T> {
    /// Sets the elements at these indices.
    ///
    /// Indices count the elements in C order, and negative indices count from the end. The array is
    /// copied first if others use its memory, or if its elements are not contiguous in C order.
    ///
    /// If several values have the same index, any of them may be stored. Complex numbers and structs
    /// of more words than one may then be a mix of several. [`put_add`](Self::put_add),
    /// [`put_min`](Self::put_min) and [`put_max`](Self::put_max) combine the values instead.
    ///
    /// The kernel checks the indices, so the call waits for it and for all work enqueued on the
    /// stream before.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let mut x = Array::from_slice(&stream, &[0.0f32; 4])?;
    /// let indices = Array::from_slice(&stream, &[2, -4])?;
    /// x.put(&indices, &indices.cast::<f32>() * 0.5)?;
    /// assert_eq!(x.to_vec()?, [-2.0, 0.0, 1.0, 0.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if:
    /// - an index is out of bounds (the values of the other indices are set anyway);
    /// - the values' shape can't be broadcast to that of the indices;
    /// - memory runs out;
    /// - work enqueued before has failed.
    pub fn put<I: Integer>(
        &mut self,
        indices: impl IntoExpr<I>,
        values: impl IntoExpr<T>,
    ) -> Result<()> {
        self.put_with(indices, values, |job| job.store(T::DATA_TYPE))
    }

    /// Passes the values and the places to the kernel that `enqueue` enqueues.
    pub(super) fn put_with<I: Integer>(
        &mut self,
        indices: impl IntoExpr<I>,
        values: impl IntoExpr<T>,
        enqueue: impl FnOnce(Scattered<'_>) -> Result<()>,
    ) -> Result<()> {
        let indices = indices.into_expr();
        let values = values.into_expr().broadcast_to(indices.shape()?)?;
        let length = self.len();
        let wrong = |stream: &Stream, number| beyond(stream, &indices, number, length);
        self.scatter(&indices, &values, wrong, enqueue)
    }

    /// Prepares the values, the places and the array. `enqueue` then enqueues the kernel. `wrong`
    /// returns the error for the number of a place that is out of bounds.
    pub(super) fn scatter<I: Integer>(
        &mut self,
        places: &Expr<I>,
        values: &Expr<T>,
        wrong: impl FnOnce(&Stream, u64) -> Error,
        enqueue: impl FnOnce(Scattered<'_>) -> Result<()>,
    ) -> Result<()> {
        let Some((prepared, fused)) = self.prepare_scatter(places, values, 1, 1)? else {
            return Ok(());
        };
        let number = prepared
            .kernels
            .results()
            .fetch_or(&prepared.stream, 0, |wrong| {
                enqueue(self.scattered(&prepared, fused, I::DATA_TYPE, wrong))
            })?;
        match number.checked_sub(1) {
            Some(number) => Err(wrong(&prepared.stream, number)),
            None => Ok(()),
        }
    }

    /// Prepares the values, the places and the array, which no other array shares afterwards. Returns
    /// `None` if there are no values. `run` values have consecutive places, the first of which is a
    /// multiple of `run`. They are computed in vectors of at most `widest` elements.
    pub(super) fn prepare_scatter<I: Integer>(
        &mut self,
        places: &Expr<I>,
        values: &Expr<T>,
        run: usize,
        widest: usize,
    ) -> Result<Option<(Prepared, Fused)>> {
        let shape = places.shape()?;
        let roots = [&values.node, &places.node];
        let mut prepared = Prepared::on(self.memory.kernels(), self.stream(), &roots)?;
        if shape.elements() == 0 {
            return Ok(None);
        }
        if self.is_contiguous(Order::C) {
            // References in the expressions count too, because they must read the old elements.
            self.make_writable(Some(0))?;
        } else {
            *self = eval_dense(&self.expr(), Order::C)?;
        }
        let order: Vec<usize> = (0..shape.rank()).collect();
        let aligned = self.as_device_ptr().is_multiple_of(16);
        let walk = Walk {
            order: &order,
            run: Some(run),
            widest: if aligned { widest } else { 1 },
        };
        let fused = prepared.fuse(&walk, None)?;
        Ok(Some((prepared, fused)))
    }

    /// Describes a scatter to this array.
    pub(super) fn scattered<'a>(
        &'a self,
        prepared: &'a Prepared,
        fused: Fused,
        index: DataType,
        wrong: u64,
    ) -> Scattered<'a> {
        Scattered {
            fused,
            kernels: &prepared.kernels,
            stream: &prepared.stream,
            count: prepared.shape.elements() as u64,
            length: self.len() as u64,
            memory: &self.memory,
            target: self.as_device_ptr(),
            index,
            wrong,
        }
    }
}

impl Scattered<'_> {
    /// Enqueues the kernel that stores the values.
    pub(super) fn store(mut self, data: DataType) -> Result<()> {
        let kernel = self.kernels.get(&Scatter {
            form: self.fused.form.clone(),
            data,
            index: self.index,
        })?;
        let blocks = blocks(self.count / self.fused.vector() as u64);
        let mut parameters = [self.count, self.length, self.target, self.wrong];
        // SAFETY: `scatter` has these parameters and checks the places that it writes.
        unsafe { self.launch(&kernel, (blocks, 0), &mut parameters, &[]) }
    }

    /// Enqueues a kernel that makes one pass over the values.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - the kernel has these parameters after the expressions' words;
    /// - it writes only within the array and `others`.
    pub(super) unsafe fn launch(
        &mut self,
        kernel: &cuda_safe::Function,
        (blocks, shared): (u64, u32),
        parameters: &mut [u64],
        others: &[&Memory],
    ) -> Result<()> {
        let launch = (blocks, THREADS, shared);
        let memories = [&[self.memory], others].concat();
        // SAFETY: the caller ensures this.
        unsafe {
            let fused = self.fused.clone();
            fused.launch_with_shared(kernel, self.stream, launch, parameters, &memories)
        }
    }
}
