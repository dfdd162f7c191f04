//! Sorts of device memory, without arrays.

use std::marker::PhantomData;

use cuda_safe::{
    Context, DeviceBuffer, DeviceMemory, DeviceView, DeviceViewMut, Owner, Stream,
    memory::StorageMut,
};

use super::{
    kernel::Input,
    key::{Items, Keys},
    plan::{Plan, Queue, Results},
};
use crate::{
    element::Ordered,
    error::{Error, Result},
    kernel::Kernels,
    order::{ordered, same_context},
};

/// Sorts of device memory in place, which allocate nothing.
///
/// Arrays need no such object: see [`Array::sort`](crate::Array::sort). A sorter is for memory that
/// does not belong to an array, for graphs, and for calls that must not allocate.
///
/// `K` is the type of the keys and `V` that of the values, if there are any.
///
/// The sorter owns the memory that a sort of up to [`capacity`](Self::capacity) keys needs: about as
/// much as the keys and values. Because every call uses it, calls need exclusive access. Kernels are
/// compiled at the first call with keys of about this number and direction. To capture a sort in a
/// graph, call it once before, and capture the sorter's stream. Keep the sorter as long as the graph
/// can run. See [`Expr::sort`](crate::Expr::sort) for the order of NaN and of equal keys.
///
/// ```
/// use cuda_compute::Sorter;
/// use cuda_safe::{Context, DeviceBuffer, Stream};
///
/// # fn main() -> cuda_compute::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// let mut sorter = Sorter::<f32, u32>::new(&stream, 1000)?;
/// let mut keys = DeviceBuffer::from_slice(&stream, &[2.5f32, f32::NAN, -1.0])?;
/// let mut values = DeviceBuffer::from_slice(&stream, &[0u32, 1, 2])?;
/// sorter.sort_by_key(&mut keys, &mut values)?;
/// assert_eq!(values.to_vec(&stream)?, [2, 0, 1]);
/// sorter.sort_descending(&mut keys)?;
/// assert_eq!(keys.to_vec(&stream)?[..2], [2.5, -1.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Sorter<K, V = u32> {
    kernels: Kernels,
    scratch: DeviceBuffer<u8>,
    capacity: usize,
    types: PhantomData<fn(K, V)>,
}

impl<K: Ordered, V: Ordered> Sorter<K, V> {
    /// Creates a sorter for up to `capacity` keys, with its own kernels. It belongs to `stream`, on
    /// which it enqueues all work.
    ///
    /// # Errors
    /// Returns an error if memory runs out, or if the device's properties can't be read.
    pub fn new(stream: &Stream, capacity: usize) -> Result<Self> {
        Self::with_kernels(&Kernels::new(stream.context())?, stream, capacity)
    }

    /// Creates a sorter with shared kernels. See [`new`](Self::new).
    ///
    /// # Errors
    /// Returns an error if memory runs out, or if the stream belongs to another context than the
    /// kernels.
    pub fn with_kernels(kernels: &Kernels, stream: &Stream, capacity: usize) -> Result<Self> {
        same_context(stream, kernels.context())?;
        let widest = size_of::<K>().max(size_of::<V>()).max(8);
        if capacity > isize::MAX as usize / (16 * widest) {
            return Err(Error::Value(format!(
                "a sorter for {capacity} keys needs more memory than there are addresses"
            )));
        }
        // Small tiles need more memory per key, so fewer keys may need more. The variants change at
        // powers of two.
        let needed = |length: u64| {
            let bytes = |items| plan::<K>(kernels, items, false, length).scratch().bytes;
            bytes(Items::None).max(copies::<K, V>(length) + bytes(Items::Values(V::DATA_TYPE)))
        };
        let steps = (0..64).map(|bit| 1u64 << bit);
        let smaller = steps.take_while(|&length| length < capacity as u64);
        let bytes = smaller.chain([capacity as u64]).map(needed).max();
        Ok(Self {
            kernels: kernels.clone(),
            scratch: DeviceBuffer::uninit(stream, bytes.unwrap_or(0) as usize)?,
            capacity,
            types: PhantomData,
        })
    }

    /// Returns the maximum number of keys.
    #[must_use]
    pub const fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns the context of the kernels.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.kernels.context()
    }

    /// Returns the stream of the sorter.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        self.scratch.stream()
    }

    /// Sorts keys in ascending order, without waiting.
    ///
    /// # Errors
    /// Returns an error if there are more keys than the [`capacity`](Self::capacity), if the memory
    /// belongs to another context, or if a kernel can't be compiled or launched.
    pub fn sort(&mut self, keys: &mut DeviceMemory<impl StorageMut, K>) -> Result<()> {
        self.run(false, keys.view_mut(), None)
    }

    /// Sorts keys in descending order, without waiting. NaN comes last.
    ///
    /// # Errors
    /// Returns an error in the cases that [`sort`](Self::sort) lists.
    pub fn sort_descending(&mut self, keys: &mut DeviceMemory<impl StorageMut, K>) -> Result<()> {
        self.run(true, keys.view_mut(), None)
    }

    /// Sorts keys in ascending order and moves `values` along, without waiting.
    ///
    /// # Errors
    /// Returns an error if the numbers of keys and values differ, or in the cases that
    /// [`sort`](Self::sort) lists.
    pub fn sort_by_key(
        &mut self,
        keys: &mut DeviceMemory<impl StorageMut, K>,
        values: &mut DeviceMemory<impl StorageMut, V>,
    ) -> Result<()> {
        self.run(false, keys.view_mut(), Some(values.view_mut()))
    }

    /// Sorts keys in descending order and moves `values` along, without waiting. NaN comes last.
    ///
    /// # Errors
    /// Returns an error in the cases that [`sort_by_key`](Self::sort_by_key) lists.
    pub fn sort_by_key_descending(
        &mut self,
        keys: &mut DeviceMemory<impl StorageMut, K>,
        values: &mut DeviceMemory<impl StorageMut, V>,
    ) -> Result<()> {
        self.run(true, keys.view_mut(), Some(values.view_mut()))
    }
}

impl<K: Ordered, V: Ordered> Sorter<K, V> {
    fn run(
        &mut self,
        descending: bool,
        keys: DeviceViewMut<'_, K>,
        values: Option<DeviceViewMut<'_, V>>,
    ) -> Result<()> {
        let length = keys.len();
        if length > self.capacity {
            return Err(Error::Shape(format!(
                "{length} keys exceed the sorter's capacity of {}. Fix: create a sorter for as many keys",
                self.capacity
            )));
        }
        if let Some(values) = &values
            && values.len() != length
        {
            return Err(Error::Shape(format!(
                "{length} keys can't be sorted with {} values. Fix: pass a value for each key",
                values.len()
            )));
        }
        if length == 0 {
            return Ok(());
        }
        let items = values
            .as_ref()
            .map_or(Items::None, |_| Items::Values(V::DATA_TYPE));
        let plan = plan::<K>(&self.kernels, items, descending, length as u64);
        let parts = plan.scratch();
        let results = Results {
            keys: keys.as_device_ptr(),
            items: values.as_ref().map_or(0, |values| values.as_device_ptr()),
        };
        let stream = self.scratch.stream().clone();
        let owners = [
            Some(keys.owner()),
            values.as_ref().map(|values| values.owner()),
        ];
        let (kernels, scratch) = (&self.kernels, &mut self.scratch);
        ordered(&stream, owners, || {
            scratch
                .slice_mut(..parts.zeroed as usize)?
                .fill(&stream, 0)?;
            let mut input = Input::Memory(results.keys, results.items);
            if items != Items::None && !plan.is_in_place() {
                // A single pass can't write what it has not read yet.
                let [keys_at, items_at] =
                    [0, length * size_of::<K>()].map(|at| parts.bytes as usize + at);
                for (from, at, bytes) in [
                    (results.keys, keys_at, length * size_of::<K>()),
                    (
                        results.items,
                        items_at.next_multiple_of(8),
                        length * size_of::<V>(),
                    ),
                ] {
                    // SAFETY: the bytes of the keys or of the values, which are borrowed.
                    let from = unsafe {
                        DeviceView::<u8>::borrow_raw(from, bytes, Owner::Stream(&stream))
                    };
                    scratch
                        .slice_mut(at..at + bytes)?
                        .copy_from(&stream, &from)?;
                }
                let base = scratch.as_device_ptr();
                input = Input::Memory(
                    base + keys_at as u64,
                    base + items_at.next_multiple_of(8) as u64,
                );
            }
            let queue = Queue {
                kernels,
                stream: &stream,
                memories: &[],
            };
            // SAFETY: the keys and values are `length` elements each. They are sorted in place by a sort
            // that can do so, or from a copy. The scratch memory has room for this plan, and has been
            // zeroed as far as needed. It belongs to this stream, with which the streams of the keys
            // and values are ordered.
            unsafe {
                plan.enqueue(
                    &queue,
                    &input,
                    results,
                    length as u64,
                    scratch.as_device_ptr(),
                )
            }
        })
    }
}

fn plan<K: Ordered>(kernels: &Kernels, items: Items, descending: bool, length: u64) -> Plan {
    let keys = (Keys::of::<K>(descending), true);
    Plan::new(kernels.hardware(), keys, items, 1, length)
}

/// Returns the bytes of a copy of keys and values, for sorts of one pass.
const fn copies<K, V>(length: u64) -> u64 {
    match size_of::<K>() {
        1 => (length + 8) + length * size_of::<V>() as u64,
        _ => 0,
    }
}
