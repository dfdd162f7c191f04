//! Reductions: sums, minima, maxima, dot products and user-defined reductions.

pub(crate) mod operation;
pub(crate) mod reducible;

use std::marker::PhantomData;

use cuda_safe::{
    Context, DeviceMemory, DeviceView, DeviceViewMut, LaunchConfig, Owner, Stream,
    memory::{Storage, StorageMut},
};
use operation::{Map, Operation, Reduction, written};
use reducible::{Reducible, Scalar};

use crate::{
    closure::{DeviceFn, Fold},
    error::{Error, Result},
    expression::{
        fold::{table, total},
        head,
        own::{Identity, OwnFunction},
        reduction::{self, Nan},
    },
    kernel::{Kernels, Results, Workspaces},
    order::{ordered, same_context},
};

/// Reductions of device memory in one context.
///
/// Reductions of arrays need no such object. They fuse with the expressions that they reduce, and
/// work along any axes: see [`Array::sum`](crate::Array::sum) and
/// [`Array::reduce`](crate::Array::reduce).
///
/// Each reduction is one launch and allocates nothing after the first one on a stream. Several
/// threads and streams can use a reducer at once. The order in which elements are added depends
/// only on their number, their alignment to 16 bytes and the device, so the same data gives the
/// same bits every time. Slices may have any length and alignment. Slices that start at a multiple
/// of 16 bytes are fastest.
///
/// For each stream that it is used with, the reducer keeps a workspace of a few kilobytes and a
/// reference to the stream. It keeps both until the reducer is dropped or
/// [`release`](Self::release) is called. It keeps workspaces for at most 64 streams, and then drops
/// the least recently used one.
///
/// # Accuracy
/// A sum of n elements in a type with unit roundoff u (2⁻²⁴ for `f32`) is off by at most about (n /
/// (16 T) + 30) u Σ|x|. T is the number of threads: 512 for small sums, at least 2048 per
/// multiprocessor for the largest. The error is usually far smaller, because rounding errors partly
/// cancel and grow with the square root of n. [`sum_wide`](Self::sum_wide) computes `f32` in `f64`.
///
/// Sums treat NaN and infinity as additions do. Minima and maxima ignore NaN, as [`f32::min`] does.
/// They are NaN if all elements are NaN.
#[derive(Debug)]
pub struct Reducer {
    kernels: Kernels,
    /// Two words for each block of a launch.
    workspaces: Workspaces,
    results: Results,
}

/// A user-defined reduction of device memory. It maps each element, and combines the results with
/// an associative and commutative operation.
///
/// Arrays can reduce any expression along any axes: see [`Expr::reduce`](crate::Expr::reduce).
/// `MapReduce` is for memory that does not belong to an array, and for calls that must not
/// allocate.
///
/// ```
/// use cuda_compute::{MapReduce, Reducer, device_fn, fold};
/// use cuda_safe::{Context, DeviceBuffer, Stream};
///
/// # fn main() -> cuda_compute::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// let size = device_fn!(|x: f32| x.abs());
/// let largest = MapReduce::<f32, f32>::of(&size, &fold!(|a: f32, b: f32| a.max(b), 0.0));
/// let data = DeviceBuffer::from_slice(&stream, &[1.0f32, -7.0, 3.0])?;
/// assert_eq!(Reducer::new(&context)?.reduce(&stream, &largest, &data)?, 7.0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct MapReduce<T, A> {
    operation: Operation,
    types: PhantomData<fn(T) -> A>,
}

impl<T: Reducible, A: Scalar> MapReduce<T, A> {
    /// Creates a reduction from closures. Each element is converted to `A` and passed to `map`.
    /// `fold` combines the results. Its identity is the result if there are no elements.
    ///
    /// ```
    /// use cuda_compute::{MapReduce, Reducer, device_fn, fold};
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    ///
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let square = device_fn!(|x: f64| x * x);
    /// let sum = fold!(|a: f64, b: f64| a + b, 0.0);
    /// let squares = MapReduce::<f32, f64>::of(&square, &sum); // `f32`, computed as `f64`
    /// let data = DeviceBuffer::from_slice(&stream, &[3.0f32, 4.0])?;
    /// assert_eq!(Reducer::new(&context)?.reduce(&stream, &squares, &data)?, 25.0);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn of(map: &DeviceFn<fn(A) -> A>, fold: &Fold<A>) -> Self {
        let map = Map::Own(OwnFunction::Closure(map.source()));
        let combine = OwnFunction::Closure(fold.combine().source());
        let fold = reduction::Fold::Own(combine, Identity::Text(fold.identity_source()));
        Self {
            operation: Operation::new::<T, A>(map, fold),
            types: PhantomData,
        }
    }

    /// Creates a reduction from expressions in CUDA C++, for operations that closures lack.
    ///
    /// `map` is an expression of the element `x`, which is converted to the type of `A`. `combine`
    /// is an expression of two values `a` and `b`. `identity` is the value that leaves any other
    /// value unchanged when combined with it, and the result if there are no elements.
    ///
    /// ```
    /// # use cuda_compute::{MapReduce, Reducer};
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// // SAFETY: the expressions only compute.
    /// let errors = unsafe { MapReduce::<f32, f32>::new("erff(x)", "a + b", "0.0f") };
    /// let data = DeviceBuffer::from_slice(&stream, &[0.0f32, 9.0, -9.0, 9.0])?;
    /// assert_eq!(Reducer::new(&context)?.reduce(&stream, &errors, &data)?, 1.0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Safety
    /// The expressions become part of a kernel. The caller must ensure that they only compute a
    /// value from `x`, or from `a` and `b`, and access no memory.
    #[must_use]
    pub unsafe fn new(map: &str, combine: &str, identity: &str) -> Self {
        let map = Map::Own(written::<A>("map", &["x"], map));
        let combine = written::<A>("combine", &["a", "b"], combine);
        let fold = reduction::Fold::Own(combine, Identity::Written(identity.into()));
        Self {
            operation: Operation::new::<T, A>(map, fold),
            types: PhantomData,
        }
    }
}

impl Reducer {
    /// Creates a reducer with its own kernels.
    ///
    /// # Errors
    /// Returns an error if the device's properties can't be read.
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self::with_kernels(&Kernels::new(context)?))
    }

    /// Creates a reducer with shared kernels.
    #[must_use]
    pub fn with_kernels(kernels: &Kernels) -> Self {
        let words = 2 * table::most_blocks(kernels.hardware()) as usize;
        Self {
            kernels: kernels.clone(),
            workspaces: Workspaces::new(words),
            results: Results::new(kernels.context()),
        }
    }

    /// Returns the context that the kernels are loaded into.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.kernels.context()
    }

    /// Returns the sum of all elements, or 0 for no elements. Waits for it, and for all work
    /// enqueued on the stream before.
    ///
    /// # Errors
    /// Returns an error if:
    /// - the stream or the memory belongs to another context;
    /// - the kernel does not compile for this device;
    /// - memory runs out at the first use with a stream;
    /// - work enqueued before has failed;
    /// - the stream is capturing.
    pub fn sum<T: Reducible>(
        &self,
        stream: &Stream,
        data: &DeviceMemory<impl Storage, T>,
    ) -> Result<T::Sum> {
        let sum = Operation::new::<T, T::Sum>(Map::Element, reduction::Fold::Sum);
        self.fetch(stream, sum, data.view(), None)
    }

    /// Returns the sum, computed in the wider type: `f32` in `f64`, `i32` in `i64`. Waits as
    /// [`sum`](Self::sum) does.
    ///
    /// # Errors
    /// Returns an error if the stream or the memory belongs to another context, if the kernel does
    /// not compile, or if earlier work has failed. See [`sum`](Self::sum).
    pub fn sum_wide<T: Reducible>(
        &self,
        stream: &Stream,
        data: &DeviceMemory<impl Storage, T>,
    ) -> Result<T::Wide> {
        let sum = Operation::new::<T, T::Wide>(Map::Element, reduction::Fold::Sum);
        self.fetch(stream, sum, data.view(), None)
    }

    /// Enqueues the sum into one element of device memory, without waiting.
    ///
    /// # Errors
    /// Returns an error if `result` does not have exactly one element, or in the cases that
    /// [`sum`](Self::sum) lists, except for failures of earlier work.
    pub fn sum_into<T: Reducible>(
        &self,
        stream: &Stream,
        data: &DeviceMemory<impl Storage, T>,
        result: &mut DeviceMemory<impl StorageMut, T::Sum>,
    ) -> Result<()> {
        let sum = Operation::new::<T, T::Sum>(Map::Element, reduction::Fold::Sum);
        self.run_into(stream, sum, data.view(), result.view_mut())
    }

    /// Returns the smallest element, or `None` for no elements. Waits as [`sum`](Self::sum) does.
    ///
    /// # Errors
    /// Returns an error if the stream or the memory belongs to another context, if the kernel does
    /// not compile, or if earlier work has failed. See [`sum`](Self::sum).
    pub fn min<T: Reducible>(
        &self,
        stream: &Stream,
        data: &DeviceMemory<impl Storage, T>,
    ) -> Result<Option<T::Sum>> {
        self.extreme(stream, reduction::Fold::Minimum(Nan::Ignored), data.view())
    }

    /// Returns the largest element, or `None` for no elements. Waits as [`sum`](Self::sum) does.
    ///
    /// # Errors
    /// Returns an error if the stream or the memory belongs to another context, if the kernel does
    /// not compile, or if earlier work has failed. See [`sum`](Self::sum).
    pub fn max<T: Reducible>(
        &self,
        stream: &Stream,
        data: &DeviceMemory<impl Storage, T>,
    ) -> Result<Option<T::Sum>> {
        self.extreme(stream, reduction::Fold::Maximum(Nan::Ignored), data.view())
    }

    /// Returns the dot product: the sum of the products of two vectors' elements. Waits as
    /// [`sum`](Self::sum) does.
    ///
    /// It is fastest if both vectors have the same offset from a multiple of 16 bytes.
    ///
    /// # Errors
    /// Returns an error if the lengths differ, or in the cases that [`sum`](Self::sum) lists.
    pub fn dot<T: Reducible>(
        &self,
        stream: &Stream,
        x: &DeviceMemory<impl Storage, T>,
        y: &DeviceMemory<impl Storage, T>,
    ) -> Result<T::Sum> {
        let dot = Operation::new::<T, T::Sum>(Map::Product, reduction::Fold::Sum);
        self.fetch(stream, dot, x.view(), Some(y.view()))
    }

    /// Returns the dot product, computed in the wider type. Waits as [`sum`](Self::sum) does.
    ///
    /// # Errors
    /// Returns an error if the lengths differ, or in the cases that [`sum`](Self::sum) lists.
    pub fn dot_wide<T: Reducible>(
        &self,
        stream: &Stream,
        x: &DeviceMemory<impl Storage, T>,
        y: &DeviceMemory<impl Storage, T>,
    ) -> Result<T::Wide> {
        let dot = Operation::new::<T, T::Wide>(Map::Product, reduction::Fold::Sum);
        self.fetch(stream, dot, x.view(), Some(y.view()))
    }

    /// Returns the result of a user-defined reduction. Waits as [`sum`](Self::sum) does.
    ///
    /// # Errors
    /// Returns an error if the expressions do not compile, or in the cases that [`sum`](Self::sum)
    /// lists.
    pub fn reduce<T: Reducible, A: Scalar>(
        &self,
        stream: &Stream,
        reduction: &MapReduce<T, A>,
        data: &DeviceMemory<impl Storage, T>,
    ) -> Result<A> {
        self.fetch(stream, reduction.operation.clone(), data.view(), None)
    }

    /// Enqueues a user-defined reduction into one element of device memory, without waiting.
    ///
    /// # Errors
    /// Returns an error if the expressions do not compile, or in the cases that
    /// [`sum_into`](Self::sum_into) lists.
    pub fn reduce_into<T: Reducible, A: Scalar>(
        &self,
        stream: &Stream,
        reduction: &MapReduce<T, A>,
        data: &DeviceMemory<impl Storage, T>,
        result: &mut DeviceMemory<impl StorageMut, A>,
    ) -> Result<()> {
        let operation = reduction.operation.clone();
        self.run_into(stream, operation, data.view(), result.view_mut())
    }

    /// Drops the workspace of a stream, and with it the reducer's reference to the stream. The
    /// memory is freed when the work enqueued on the stream so far has finished. Call this before
    /// you close the stream or take its raw handle.
    ///
    /// ```
    /// # use cuda_compute::Reducer;
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let reducer = Reducer::new(&context)?;
    /// let stream = Stream::new(&context)?;
    /// let data = DeviceBuffer::from_slice(&stream, &[1u32, 2, 3])?;
    /// assert_eq!(reducer.sum(&stream, &data)?, 6);
    /// drop(data);
    /// reducer.release(&stream);
    /// stream.close()?; // the last reference
    /// # Ok(())
    /// # }
    /// ```
    pub fn release(&self, stream: &Stream) {
        self.workspaces.release(stream);
    }

    fn extreme<T: Reducible>(
        &self,
        stream: &Stream,
        fold: reduction::Fold,
        data: DeviceView<'_, T>,
    ) -> Result<Option<T::Sum>> {
        if data.is_empty() {
            return Ok(None);
        }
        let operation = Operation::new::<T, T::Sum>(Map::Element, fold);
        self.fetch(stream, operation, data, None).map(Some)
    }

    fn fetch<T: Reducible, A: Scalar>(
        &self,
        stream: &Stream,
        operation: Operation,
        x: DeviceView<'_, T>,
        y: Option<DeviceView<'_, T>>,
    ) -> Result<A> {
        // Check the context before any work is enqueued.
        same_context(stream, self.context())?;
        self.results.fetch(stream, |target| {
            self.enqueue(stream, operation, x, y, target, None)
        })
    }

    fn run_into<T: Reducible, A: Scalar>(
        &self,
        stream: &Stream,
        operation: Operation,
        data: DeviceView<'_, T>,
        result: DeviceViewMut<'_, A>,
    ) -> Result<()> {
        same_context(stream, self.context())?;
        if result.len() != 1 {
            return Err(Error::Shape(format!(
                "a reduction has one result, but the memory for it has {} elements",
                result.len()
            )));
        }
        let (target, owner) = (result.as_device_ptr(), result.owner());
        self.enqueue(stream, operation, data, None, target, Some(owner))
    }

    /// Enqueues the kernel, which writes the result to the address `target`. `owner` owns the
    /// memory there. It is `None` if `target` is one of the reducer's own page-locked words.
    fn enqueue<T: Reducible>(
        &self,
        stream: &Stream,
        operation: Operation,
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
        let (count, lanes) = (x.len() as u64, operation.lanes() as u64);
        let hardware = self.kernels.hardware();
        let vectors = count.div_ceil(lanes);
        let variant = table::choose(vectors, size_of::<T>(), hardware);
        let address = |view: &DeviceView<'_, T>| view.as_device_ptr();
        let (first, second) = (address(&x), y.as_ref().map_or(0, address));
        let kernel = self.kernels.get(&Reduction {
            operation,
            variant,
            narrow: count < 1 << 31,
            apart: y.is_some() && !second.wrapping_sub(first).is_multiple_of(16),
        })?;
        let config = LaunchConfig::new(variant.blocks(vectors, hardware), variant.threads);
        let held = self.workspaces.of(stream)?;
        let head = head(first, size_of::<T>(), count);
        let sizes = total::Sizes {
            head,
            workspace: held.as_device_ptr(),
        };
        // The addresses are those of the first vector.
        let skipped = head * size_of::<T>() as u64;
        let mut words = match y {
            None => [count, first + skipped, target, 0],
            Some(_) => [count, first + skipped, second + skipped, target],
        };
        let owners = [Some(x.owner()), y.as_ref().map(|y| y.owner()), owner];
        ordered(stream, owners, || {
            // SAFETY: the words are those of the kernel's form. The kernel reads `count` elements of
            // x (and y), which have this length. It publishes at most two words for each block, and
            // the workspace has room for those of `most_blocks` blocks. It writes one accumulator to
            // the target. The launch is ordered with the streams of the inputs and the target. The
            // workspace belongs to this stream, so nothing else uses it while the kernel runs. It is
            // held until the kernel is enqueued.
            unsafe { total::enqueue(&kernel, stream, config, &mut words, sizes) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_block_has_two_words() {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let reducer = Reducer::with_kernels(&Kernels::of_multiprocessors(&context, 132));
        assert_eq!(reducer.workspaces.of(&stream).unwrap().len(), 2 * 4 * 132);
    }
}
