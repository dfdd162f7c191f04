//! Arrays in device memory.

mod foreign;
mod index;
mod indices;
mod iter;
mod layout;
mod memory;
mod shape;
mod view;

use std::{fmt, marker::PhantomData, sync::Arc};

use cuda_safe::Stream;

pub use index::{Ellipsis, NewAxis, SliceItem};
pub use indices::{IntoIndex, IntoIndices};
pub use iter::AxisIter;
pub use layout::Order;
pub use shape::{IntoShape, MAX_RANK, Shape};
pub(crate) use {
    foreign::Foreign,
    layout::{Axes, Layout},
    memory::Memory,
    view::{expanded, squeezed},
};

use crate::element::Element;

/// An array of up to eight axes in device memory.
///
/// **Values.** Clones, slices and transposes share memory. Writing to an array first copies it if
/// others still use the memory, so it never changes other arrays. Arrays need no lifetimes.
///
/// **Lazy operators.** Operators and functions of arrays return an [`Expr`](crate::Expr), and
/// [`Expr::eval`](crate::Expr::eval) computes the whole expression in one kernel, or in a few if it
/// contains reductions. Kernels are compiled at the first use of an expression's form. Sizes,
/// strides and numbers are passed at launch. Compiled kernels are kept in memory while an array of
/// the context exists, and in the disk cache.
///
/// **Streams.** An array belongs to a stream. The work that computes the array is enqueued on this
/// stream, and so is freeing it. An expression may use arrays of several streams of one context.
/// The streams then wait for each other.
///
/// # Memory
/// Arrays come from the device's current [`MemoryPool`](cuda_safe::MemoryPool). If the release threshold
/// of this pool is 0, which is the driver's default, the first array of the context sets it to `u64::MAX`,
/// so that the pool keeps freed memory. Otherwise the driver returns it to the system at each wait, and a
/// large array takes a millisecond more. The driver gives kept memory to `cuMemAlloc` if there is no
/// other.
///
/// To return memory to the system, drop the arrays, synchronize their streams, and call
/// [`trim_to`](cuda_safe::MemoryPool::trim_to). Up to 64 MiB for each stream stay in use for new arrays
/// while an array of the context exists. A program can set another threshold after its first array.
/// `CUDA_COMPUTE_SPARE_MEMORY=0` in the environment turns all of this off.
///
/// # In kernels
/// `&x` and `&mut x` are arguments of [`Function::launch`](cuda_safe::Function::launch) and of
/// [`kernels!`](cuda_safe::kernels), for parameters `const T *` and `T *`:
/// - The array must be contiguous in C order. [`strided`](Self::strided) passes any layout.
/// - For `&mut x`, the array is copied first if others share its memory.
/// - The launch orders its stream with the array's, before and after the kernel.
///
/// The kernels of graphs take buffers: see [`into_buffer`](Self::into_buffer). A capture also
/// records launches with arrays, and [`assign`](Self::assign) and [`fill`](Self::fill) of arrays that
/// are not shared. It records the addresses: the arrays must outlive the graph's launches, and later
/// writes must not move them (see [`is_shared`](Self::is_shared)). So must expressions of random numbers
/// that are looked up in [tables](crate::Random#tables). [`eval`](crate::Expr::eval) is an error in a
/// capture, because it allocates memory.
///
/// ```
/// use cuda_compute::{Array, s};
/// use cuda_safe::{Context, Stream};
///
/// # fn main() -> cuda_compute::Result<()> {
/// let stream = Stream::new(&Context::primary(0)?)?;
/// let x = Array::from_slice(&stream, &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?.reshape([2, 3])?;
/// let row = x.slice(s![0])?;
/// let y = ((&x - &row) * 10.0).eval()?; // the row is broadcast, as in NumPy
/// assert_eq!(y.to_vec()?, [0.0, 0.0, 0.0, 30.0, 30.0, 30.0]);
/// assert_eq!(y.shape(), [2, 3]);
/// # Ok(())
/// # }
/// ```
pub struct Array<T> {
    pub(crate) memory: Arc<Memory>,
    pub(crate) layout: Layout,
    element: PhantomData<fn() -> T>,
}

impl<T> Clone for Array<T> {
    fn clone(&self) -> Self {
        Self {
            memory: self.memory.clone(),
            layout: self.layout,
            element: PhantomData,
        }
    }
}

impl<T: Element> Array<T> {
    pub(crate) fn of(memory: Arc<Memory>, layout: Layout) -> Self {
        Self {
            memory,
            layout,
            element: PhantomData,
        }
    }

    /// Returns the lengths of the axes, outermost first.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.layout.shape
    }

    /// Returns the number of axes.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.layout.shape.rank()
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.layout.shape.elements()
    }

    /// Returns whether the array has no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the distance between neighbours along each axis, in elements.
    #[must_use]
    pub fn strides(&self) -> &[isize] {
        self.layout.strides()
    }

    /// Returns whether the elements are contiguous in memory in this order.
    #[must_use]
    pub fn is_contiguous(&self, order: Order) -> bool {
        self.layout.is_dense(order)
    }

    /// Returns the stream that the array belongs to.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        self.memory.stream()
    }

    /// Returns the device address of the first element, for interfaces that take addresses. The
    /// address is 0 if there are no elements.
    ///
    /// For launches, pass `&x` or `&mut x` instead, which keep the rules of [`Array`](Array#in-kernels).
    /// If you pass the address, launch on the array's [`stream`](Self::stream), and keep the array
    /// until the launch has been enqueued. The elements are at the array's
    /// [`strides`](Self::strides). The kernel must not write to the memory, because other arrays
    /// may share it.
    #[must_use]
    pub fn as_device_ptr(&self) -> u64 {
        if self.is_empty() {
            return 0;
        }
        self.memory.address() + (self.layout.offset * T::DATA_TYPE.size()) as u64
    }
}

/// Formats the type, shape and stream. [`Array::to_vec`] returns the elements.
impl<T: Element> fmt::Debug for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Array<{}>{:?} on {:?}",
            T::DATA_TYPE.name(),
            self.layout.shape,
            self.stream()
        )
    }
}
