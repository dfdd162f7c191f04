//! Values put at places of an array.

use std::sync::Arc;

use cuda_safe::Stream;

use super::{THREADS, beyond, blocks, source};
use crate::{
    array::{Array, Memory, Order},
    element::{DataType, Element, Integer},
    error::Result,
    expression::{
        IntoExpr, eval_dense,
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
    /// How many there are.
    pub(super) count: u64,
    /// The array's elements, in C order.
    pub(super) length: u64,
    /// The array's memory, and where it begins there.
    pub(super) memory: &'a Memory,
    pub(super) target: u64,
    /// The type of the places.
    pub(super) index: DataType,
    /// Where the number of a wrong place goes, plus 1.
    pub(super) wrong: u64,
}

impl<T: Element> Array<T> {
    /// Sets the elements at these places, counted in C order; negative ones count from the end. Of several values for one
    /// place, any may stay: [`put_add`](Self::put_add), [`put_min`](Self::put_min) and [`put_max`](Self::put_max) combine
    /// them. The array is copied first if others use its memory, or if its elements don't lie in C order.
    ///
    /// Places are checked by the kernel, so the call waits for it, and for all that was enqueued on the stream before.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let mut x = Array::from_slice(&stream, &[0.0f32; 4])?;
    /// let places = Array::from_slice(&stream, &[2, -4])?;
    /// x.put(&places, &places.cast::<f32>() * 0.5)?;
    /// assert_eq!(x.to_vec()?, [-2.0, 0.0, 1.0, 0.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// A place is beyond the array; the values of the other places are set all the same. The values' shape doesn't stretch
    /// to that of the places. Memory ran out. Work that was enqueued before failed.
    pub fn put<I: Integer>(
        &mut self,
        indices: impl IntoExpr<I>,
        values: impl IntoExpr<T>,
    ) -> Result<()> {
        self.scatter(indices, values, |mut job| {
            let kernel = job.kernels.get(&Scatter {
                form: job.fused.form.clone(),
                data: T::DATA_TYPE,
                index: I::DATA_TYPE,
            })?;
            let mut parameters = [job.count, job.length, job.target, job.wrong];
            // SAFETY: `scatter` has these parameters, and checks the places that it writes to.
            unsafe { job.launch(&kernel, &mut parameters, &[]) }
        })
    }

    /// Makes ready what is put, and the array that it goes to; `enqueue` enqueues what does it.
    pub(super) fn scatter<I: Integer>(
        &mut self,
        indices: impl IntoExpr<I>,
        values: impl IntoExpr<T>,
        enqueue: impl FnOnce(Scattered<'_>) -> Result<()>,
    ) -> Result<()> {
        let (indices, values) = (indices.into_expr(), values.into_expr());
        let shape = indices.shape()?;
        let values = values.broadcast_to(shape)?;
        let roots = [&values.node, &indices.node];
        let mut prepared = Prepared::on(self.memory.kernels(), self.stream(), &roots)?;
        if shape.elements() == 0 {
            return Ok(());
        }
        // A reference in the expressions counts: they give what was before.
        let others = Arc::strong_count(&self.memory) > 1;
        if others || self.memory.is_read_only() || !self.is_contiguous(Order::C) {
            let copy = eval_dense(&self.expr(), Order::C)?;
            *self = copy;
        }
        let order: Vec<usize> = (0..shape.rank()).collect();
        let walk = Walk {
            order: &order,
            run: None,
            widest: 1,
        };
        let fused = prepared.fuse(&walk, None)?;
        let length = self.len();
        let wrong = prepared
            .kernels
            .results()
            .fetch_or(&prepared.stream, 0, |wrong| {
                enqueue(Scattered {
                    fused,
                    kernels: &prepared.kernels,
                    stream: &prepared.stream,
                    count: shape.elements() as u64,
                    length: length as u64,
                    memory: &self.memory,
                    target: self.as_device_ptr(),
                    index: I::DATA_TYPE,
                    wrong,
                })
            })?;
        match wrong.checked_sub(1) {
            Some(number) => Err(beyond(&prepared.stream, &indices, number, length)),
            None => Ok(()),
        }
    }
}

impl Scattered<'_> {
    /// Enqueues a kernel that goes once through the values.
    ///
    /// # Safety
    /// The kernel has these parameters after the expressions' words, and writes within the array and `others` only.
    pub(super) unsafe fn launch(
        &mut self,
        kernel: &cuda_safe::Function,
        parameters: &mut [u64],
        others: &[&Memory],
    ) -> Result<()> {
        let launch = (blocks(self.count), THREADS);
        let memories = [&[self.memory], others].concat();
        // SAFETY: the caller's promise.
        unsafe {
            let fused = self.fused.clone();
            fused.launch(kernel, self.stream, launch, parameters, &memories)
        }
    }
}
