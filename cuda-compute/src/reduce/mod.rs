//! Reductions: sums, minima, maxima, dot products and any other map and combine.

mod source;
mod tuning;

use std::marker::PhantomData;

use cuda_safe::{
    DeviceBuffer, DeviceMemory, DeviceView, Function, LaunchConfig, Module, Owner, PinnedBuffer,
    Program, Settled, Storage, StorageMut, Stream, bytemuck,
};
use source::Operation;

use crate::{
    element::{Element, Scalar},
    error::{Error, Result},
    order::ordered,
};

/// Reductions on one stream: the kernels used so far, and the workspace.
///
/// Each reduction is one launch. Elements are added in an order that depends on their number,
/// their alignment to 16 bytes and the device alone: the same data gives the same bits every
/// time. Any length and any element-aligned start will do; a start on 16 bytes is fastest.
///
/// # Accuracy
/// A sum of n elements in a type with rounding error u (2⁻²⁴ for `f32`) is off by at most
/// about (n / (16 T) + 30) u Σ|x|, where T is the number of threads, 512 for small sums and
/// at least 2048 for each multiprocessor for the largest; the error is usually far smaller, as it grows with the
/// square root. [`sum_wide`](Self::sum_wide) computes `f32` in `f64`.
///
/// NaN and infinity go through sums as additions do. Minima and maxima ignore NaN as
/// [`f32::min`] does, and are NaN when there is nothing else.
#[derive(Debug)]
pub struct Reducer {
    stream: Stream,
    multiprocessors: u32,
    /// All zero between launches.
    workspace: DeviceBuffer<u64>,
    /// The device writes here, the host reads after waiting. `None` once nothing could tell whether
    /// the device had written: then it was leaked.
    result: Option<PinnedBuffer<u64>>,
    kernels: Vec<(Operation, [Option<Function>; tuning::SHAPES.len()])>,
}

/// A reduction of one's own: a map of each element and an associative, commutative combination.
///
/// ```
/// use cuda_compute::{MapReduce, Reducer};
/// use cuda_safe::{Context, DeviceBuffer, Stream};
///
/// # fn main() -> cuda_compute::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// // SAFETY: the expressions only compute.
/// let largest = unsafe { MapReduce::<f32, f32>::new("fabsf(x)", "fmaxf(a, b)", "0.0f") };
/// let data = DeviceBuffer::from_slice(&stream, &[1.0f32, -7.0, 3.0])?;
/// assert_eq!(Reducer::new(&stream)?.reduce(&largest, &data)?, 7.0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct MapReduce<T, A> {
    operation: Operation,
    types: PhantomData<fn(T) -> A>,
}

impl<T: Element, A: Scalar> MapReduce<T, A> {
    /// A reduction given by CUDA C++ expressions: `map` of the element `x`, already converted to
    /// the type of `A`; `combine` of two values `a` and `b`; `identity`, which combined with any
    /// value gives that value, and is the result for no elements.
    ///
    /// # Safety
    /// The expressions become part of a kernel: they compute from `x`, or from `a` and `b`, and
    /// touch no memory.
    #[must_use]
    pub unsafe fn new(map: &str, combine: &str, identity: &str) -> Self {
        Self {
            operation: Operation::new::<T, A>(
                1,
                identity.to_owned(),
                map.to_owned(),
                combine.to_owned(),
            ),
            types: PhantomData,
        }
    }
}

impl Reducer {
    /// Reductions on `stream`, with a workspace of their own.
    ///
    /// # Errors
    /// Memory ran out.
    pub fn new(stream: &Stream) -> Result<Self> {
        let context = stream.context();
        let multiprocessors = context.device().multiprocessor_count()?;
        let words = 2 * tuning::most_blocks(multiprocessors) as usize;
        Ok(Self {
            stream: stream.clone(),
            multiprocessors,
            workspace: DeviceBuffer::zeroed(stream, words)?,
            result: Some(PinnedBuffer::zeroed(context, 1)?),
            kernels: Vec::new(),
        })
    }

    /// The stream that everything is enqueued on.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// The sum; 0 of no elements. Waits for it.
    ///
    /// # Errors
    /// The kernel does not compile for this device, or work enqueued before failed.
    pub fn sum<T: Element>(&mut self, data: &DeviceMemory<impl Storage, T>) -> Result<T::Sum> {
        self.run_to_host::<T, T::Sum>(&Operation::sum::<T, T::Sum>(), data.view(), None)
    }

    /// The sum, computed in the wider type: `f32` in `f64`, `i32` in `i64`. Waits for it.
    ///
    /// # Errors
    /// As [`sum`](Self::sum).
    pub fn sum_wide<T: Element>(
        &mut self,
        data: &DeviceMemory<impl Storage, T>,
    ) -> Result<T::Wide> {
        self.run_to_host::<T, T::Wide>(&Operation::sum::<T, T::Wide>(), data.view(), None)
    }

    /// Enqueues the sum into one element of device memory.
    ///
    /// # Errors
    /// `result` has not one element, or the kernel does not compile for this device.
    pub fn sum_into<T: Element>(
        &mut self,
        data: &DeviceMemory<impl Storage, T>,
        result: &mut DeviceMemory<impl StorageMut, T::Sum>,
    ) -> Result<()> {
        self.run_into::<T, T::Sum>(&Operation::sum::<T, T::Sum>(), data.view(), None, result)
    }

    /// The least element; `None` of no elements. Waits for it.
    ///
    /// # Errors
    /// As [`sum`](Self::sum).
    pub fn min<T: Element>(
        &mut self,
        data: &DeviceMemory<impl Storage, T>,
    ) -> Result<Option<T::Sum>> {
        self.unless_empty(&Operation::min::<T>(), data.view())
    }

    /// The greatest element; `None` of no elements. Waits for it.
    ///
    /// # Errors
    /// As [`sum`](Self::sum).
    pub fn max<T: Element>(
        &mut self,
        data: &DeviceMemory<impl Storage, T>,
    ) -> Result<Option<T::Sum>> {
        self.unless_empty(&Operation::max::<T>(), data.view())
    }

    /// The sum of the products of two vectors' elements. Waits for it.
    ///
    /// Fastest when both start at the same distance from a 16-byte boundary.
    ///
    /// # Errors
    /// The lengths differ; else as [`sum`](Self::sum).
    pub fn dot<T: Element>(
        &mut self,
        x: &DeviceMemory<impl Storage, T>,
        y: &DeviceMemory<impl Storage, T>,
    ) -> Result<T::Sum> {
        self.run_to_host::<T, T::Sum>(&Operation::dot::<T, T::Sum>(), x.view(), Some(y.view()))
    }

    /// The dot product, computed in the wider type. Waits for it.
    ///
    /// # Errors
    /// As [`dot`](Self::dot).
    pub fn dot_wide<T: Element>(
        &mut self,
        x: &DeviceMemory<impl Storage, T>,
        y: &DeviceMemory<impl Storage, T>,
    ) -> Result<T::Wide> {
        self.run_to_host::<T, T::Wide>(&Operation::dot::<T, T::Wide>(), x.view(), Some(y.view()))
    }

    /// A reduction of one's own. Waits for it.
    ///
    /// # Errors
    /// The expressions do not compile; else as [`sum`](Self::sum).
    pub fn reduce<T: Element, A: Scalar>(
        &mut self,
        reduction: &MapReduce<T, A>,
        data: &DeviceMemory<impl Storage, T>,
    ) -> Result<A> {
        self.run_to_host::<T, A>(&reduction.operation, data.view(), None)
    }

    /// Enqueues a reduction of one's own into one element of device memory.
    ///
    /// # Errors
    /// `result` has not one element, or the expressions do not compile.
    pub fn reduce_into<T: Element, A: Scalar>(
        &mut self,
        reduction: &MapReduce<T, A>,
        data: &DeviceMemory<impl Storage, T>,
        result: &mut DeviceMemory<impl StorageMut, A>,
    ) -> Result<()> {
        self.run_into::<T, A>(&reduction.operation, data.view(), None, result)
    }

    fn unless_empty<T: Element>(
        &mut self,
        operation: &Operation,
        data: DeviceView<'_, T>,
    ) -> Result<Option<T::Sum>> {
        if data.is_empty() {
            return Ok(None);
        }
        self.run_to_host::<T, T::Sum>(operation, data, None)
            .map(Some)
    }

    fn run_to_host<T: Element, A: Scalar>(
        &mut self,
        operation: &Operation,
        x: DeviceView<'_, T>,
        y: Option<DeviceView<'_, T>>,
    ) -> Result<A> {
        let result = match self.result.take() {
            Some(result) => result,
            None => PinnedBuffer::zeroed(self.stream.context(), 1)?,
        };
        // The kernel writes across the bus: no copy to wait for.
        let enqueued = result
            .device_ptr()
            .map_err(Error::from)
            .and_then(|target| self.enqueue(operation, x, y, target, None));
        // Also after a failure: nothing may write to the result while it is read or dropped.
        let settled = self.stream.settle();
        if let Settled::Unknown(error) = settled {
            std::mem::forget(result); // the kernel may still write to it
            return Err(enqueued.err().unwrap_or(error.into()));
        }
        let value = bytemuck::pod_read_unaligned(&bytemuck::bytes_of(&result[0])[..size_of::<A>()]);
        self.result = Some(result);
        enqueued?;
        settled.or_abort()?;
        Ok(value)
    }

    fn run_into<T: Element, A: Scalar>(
        &mut self,
        operation: &Operation,
        x: DeviceView<'_, T>,
        y: Option<DeviceView<'_, T>>,
        result: &mut DeviceMemory<impl StorageMut, A>,
    ) -> Result<()> {
        let result = result.view_mut();
        if result.len() != 1 {
            return Err(Error::Shape(format!(
                "a reduction has one result; the memory for it has {} elements",
                result.len()
            )));
        }
        let (target, owner) = (result.as_device_ptr(), result.owner());
        self.enqueue(operation, x, y, target, Some(owner))
    }

    /// Enqueues the kernel; `target` is the address of an accumulator and `owner` what it belongs to,
    /// `None` for the result here.
    fn enqueue<T: Element>(
        &mut self,
        operation: &Operation,
        x: DeviceView<'_, T>,
        y: Option<DeviceView<'_, T>>,
        target: u64,
        owner: Option<Owner<'_>>,
    ) -> Result<()> {
        if let Some(y) = &y
            && y.len() != x.len()
        {
            return Err(Error::Shape(format!(
                "vectors of {} and {} elements have no dot product",
                x.len(),
                y.len()
            )));
        }
        let vectors = x.size_bytes().div_ceil(16) as u64;
        let (shape, blocks) = tuning::shape_for(vectors, self.multiprocessors);
        let kernel = self.kernel(operation, shape)?;
        let config = LaunchConfig::new(blocks, tuning::SHAPES[shape].threads);
        let count = x.len() as u64;
        let stream = &self.stream;
        let workspace = &mut self.workspace;
        let owners = [Some(x.owner()), y.as_ref().map(|y| y.owner()), owner];
        ordered(stream, owners, || {
            // SAFETY: the kernel reads `count` elements of x (and y), which are that long, uses two
            // words of workspace for each block, of which there is room for `most_blocks`, and
            // writes one accumulator to the target. Ordered with the streams of all of them.
            unsafe {
                match y {
                    None => kernel.launch(stream, config, (x, count, workspace, target))?,
                    Some(y) => kernel.launch(stream, config, (x, y, count, workspace, target))?,
                }
            }
            Ok(())
        })
    }

    /// The kernel, compiled at its first use.
    fn kernel(&mut self, operation: &Operation, shape: usize) -> Result<Function> {
        let at = match self
            .kernels
            .iter()
            .position(|(known, _)| known == operation)
        {
            Some(at) => at,
            None => {
                self.kernels.push((operation.clone(), Default::default()));
                self.kernels.len() - 1
            }
        };
        if let Some(kernel) = &self.kernels[at].1[shape] {
            return Ok(kernel.clone());
        }
        let source = operation.source(&tuning::SHAPES[shape]);
        let program = Program::new(source).name("reduce.cu");
        let kernel = Module::compile(self.stream.context(), program)?.function("reduce")?;
        self.kernels[at].1[shape] = Some(kernel.clone());
        Ok(kernel)
    }
}
