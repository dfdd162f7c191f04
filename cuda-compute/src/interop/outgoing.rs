//! Arrays on their way to another library, as DLPack tensors.

use std::{
    ffi::c_void,
    mem::MaybeUninit,
    ptr::{self, NonNull},
    sync::Arc,
};

use cuda_safe::{Event, Settled, Stream};

use super::{
    dlpack::{
        DLDataType, DLDevice, DLDeviceType, DLManagedTensor, DLManagedTensorVersioned, DLTensor,
        FLAG_IS_COPIED, FLAG_READ_ONLY, VERSION,
    },
    stream::numbered,
};
use crate::{
    array::{Array, Layout, MAX_RANK, Memory},
    element::{DataType, Element},
    error::{Error, Result},
};

/// An array on its way to another library: [`into_raw`](Self::into_raw) makes the structure that the library takes.
///
/// Before that, one of [`ready_on`](Self::ready_on) and [`ready_for`](Self::ready_for) puts the order right: see
/// [order of work](crate::interop#order-of-work).
#[derive(Debug)]
pub struct Outgoing {
    share: Share,
    layout: Layout,
    data: DataType,
    flags: u64,
}

/// The other library's share of the memory.
#[derive(Debug)]
struct Share {
    memory: Arc<Memory>,
    /// Whether the other library may have enqueued work on the memory.
    given: bool,
    /// The stream whose work is all that the other library does with the memory.
    consumer: Option<Stream>,
}

impl<T: Element> Array<T> {
    /// Gives the array away, to a library that may write to it. The tensor lives until the library calls its deleter.
    ///
    /// Nothing is copied, unless others use the array's memory too, or must not write to it, or its elements are repeated
    /// as those of a stretched axis are.
    ///
    /// Negative strides stay as they are; PyTorch has none, and refuses such tensors. [`Array::copy`] has none.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let x = Array::from_shape(&stream, [2, 3], &[1, 2, 3, 4, 5, 6])?;
    /// let mut tensor = x.t().into_dlpack()?; // a copy: `x` uses the memory too
    /// tensor.ready_on(&Stream::legacy_default(&context))?; // where the other library will work
    /// let raw = tensor.into_raw();
    /// // SAFETY: a tensor that was just made.
    /// unsafe {
    ///     assert_eq!((*raw).dl_tensor.ndim, 2);
    ///     ((*raw).deleter.unwrap())(raw); // the other library, when it is done
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Memory for a copy ran out.
    pub fn into_dlpack(mut self) -> Result<Outgoing> {
        // Without a reference elsewhere, nobody can get one.
        let alone = Arc::get_mut(&mut self.memory).is_some_and(|memory| !memory.is_read_only());
        if alone && !self.layout.repeats() {
            return Ok(Outgoing::of(self, 0));
        }
        Ok(Outgoing::of(self.copy()?, FLAG_IS_COPIED))
    }

    /// Gives a look at the array to a library that must not write to it. Nothing is copied: this array keeps the memory,
    /// and is copied before it is written to while the library has it.
    ///
    /// The tensor is flagged as read-only. Not all libraries heed that: see [who may write](crate::interop#who-may-write).
    #[must_use]
    pub fn share_dlpack(&self) -> Outgoing {
        Outgoing::of(self.clone(), FLAG_READ_ONLY)
    }
}

impl Outgoing {
    fn of<T: Element>(array: Array<T>, flags: u64) -> Self {
        Self {
            layout: array.layout,
            data: T::DATA_TYPE,
            flags,
            share: Share {
                memory: array.memory,
                given: false,
                consumer: None,
            },
        }
    }

    /// Makes a stream wait until the elements are there. The host does not wait.
    ///
    /// The stream is taken for all that the other library uses: when the library gives the memory back, this library's
    /// work waits for that stream, and the host does not wait. A library that works on other streams too has them waited
    /// for by this one; or use [`ready_for`](Self::ready_for).
    ///
    /// # Errors
    /// The stream is of another context. No memory for an event is left.
    pub fn ready_on(&mut self, consumer: &Stream) -> Result<()> {
        let own = self.share.memory.stream();
        crate::order::same_context(consumer, own.context())?;
        consumer.wait_stream(own)?;
        self.share.consumer = Some(consumer.clone());
        Ok(())
    }

    /// Makes the stream of a number wait until the elements are there: the `stream` that Python's `__dlpack__` is given.
    /// The host does not wait. When the library gives the memory back, the host waits for all work of the context, since
    /// the stream may be gone by then.
    ///
    /// `None` and 1 are the legacy default stream, 2 is the calling thread's, -1 asks for no order, 0 is refused.
    ///
    /// # Safety
    /// A number above 2 is the handle of a live stream of the array's context.
    ///
    /// # Errors
    /// The number is 0, or less than -1. No memory for an event is left.
    pub unsafe fn ready_for(&mut self, consumer: Option<i64>) -> Result<()> {
        let own = self.share.memory.stream();
        // SAFETY: by this function's contract; it is used for this call alone.
        if let Some(consumer) = unsafe { numbered(own.context(), consumer)? } {
            consumer.wait_stream(own)?;
        }
        Ok(())
    }

    /// An event that is reached when the elements are there, to wait for on any stream.
    ///
    /// # Errors
    /// No memory for it is left.
    pub fn ready_event(&self) -> Result<Event> {
        Ok(self.share.memory.stream().record_event()?)
    }

    /// The device that the memory is on: what `__dlpack_device__` returns.
    #[must_use]
    pub fn device(&self) -> DLDevice {
        DLDevice {
            device_type: DLDeviceType::CUDA,
            device_id: self.share.memory.stream().context().device().ordinal() as i32,
        }
    }

    /// Whether who takes it must not write to it.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.flags & FLAG_READ_ONLY != 0
    }

    /// The structure of DLPack 1.x, for the other library, which calls its deleter once, on any thread. In Python, it goes
    /// into a capsule named [`CAPSULE_VERSIONED`](super::dlpack::CAPSULE_VERSIONED).
    #[must_use]
    pub fn into_raw(self) -> *mut DLManagedTensorVersioned {
        let flags = self.flags;
        self.give(|tensor, context| DLManagedTensorVersioned {
            version: VERSION,
            manager_ctx: context,
            deleter: Some(delete_versioned),
            flags,
            dl_tensor: tensor,
        })
    }

    /// The structure of DLPack before 1.0. In Python, it goes into a capsule named
    /// [`CAPSULE`](super::dlpack::CAPSULE).
    ///
    /// # Errors
    /// The tensor is read-only, and the structure can't say so: give the array away with [`Array::into_dlpack`].
    pub fn into_raw_unversioned(self) -> Result<*mut DLManagedTensor> {
        if self.is_read_only() {
            return Err(Error::Foreign(
                "an array that is shared is read-only, which DLPack's unversioned structure can't say: ask for version \
                 1, or give the array (or its clone, which is copied) away with into_dlpack"
                    .into(),
            ));
        }
        Ok(self.give(|tensor, context| DLManagedTensor {
            dl_tensor: tensor,
            manager_ctx: context,
            deleter: Some(delete_unversioned),
        }))
    }

    fn give<M>(mut self, structure: impl FnOnce(DLTensor, *mut c_void) -> M) -> *mut M {
        self.share.given = true;
        let shape = self.layout.shape;
        let first = (self.layout.offset * self.data.size()) as u64;
        let address = match shape.elements() {
            0 => 0,
            _ => self.share.memory.address() + first,
        };
        let mut axes = [[1; MAX_RANK]; 2];
        for axis in 0..shape.rank() {
            axes[0][axis] = shape[axis] as i64;
            axes[1][axis] = self.layout.strides()[axis] as i64;
        }
        let device = self.device();
        let given = Box::into_raw(Box::new(Given::<M> {
            managed: MaybeUninit::uninit(),
            axes,
            _share: self.share,
        }));
        // SAFETY: parts of the box just made; no reference to it exists.
        let (managed, lengths, strides) = unsafe {
            let axes = &raw mut (*given).axes;
            let managed = &raw mut (*given).managed;
            (managed, &raw mut (*axes)[0], &raw mut (*axes)[1])
        };
        let tensor = DLTensor {
            // PyTorch reads no `byte_offset`, so the first element's address stands here.
            data: ptr::with_exposed_provenance_mut(address as usize),
            device,
            ndim: shape.rank() as i32,
            dtype: DLDataType::of(self.data),
            shape: lengths.cast(),
            strides: strides.cast(),
            byte_offset: 0,
        };
        let managed = managed.cast::<M>();
        // SAFETY: room for it, in the box.
        unsafe { managed.write(structure(tensor, given.cast())) };
        managed
    }
}

/// What a structure that another library holds belongs to.
struct Given<M> {
    managed: MaybeUninit<M>,
    axes: [[i64; MAX_RANK]; 2],
    _share: Share,
}

unsafe extern "C" fn delete_versioned(tensor: *mut DLManagedTensorVersioned) {
    if let Some(tensor) = NonNull::new(tensor) {
        // SAFETY: made by `into_raw`, and deleted once.
        drop(unsafe {
            Box::from_raw(
                (*tensor.as_ptr())
                    .manager_ctx
                    .cast::<Given<DLManagedTensorVersioned>>(),
            )
        });
    }
}

unsafe extern "C" fn delete_unversioned(tensor: *mut DLManagedTensor) {
    if let Some(tensor) = NonNull::new(tensor) {
        // SAFETY: made by `into_raw_unversioned`, and deleted once.
        drop(unsafe {
            Box::from_raw(
                (*tensor.as_ptr())
                    .manager_ctx
                    .cast::<Given<DLManagedTensor>>(),
            )
        });
    }
}

impl Share {
    /// Puts what this library enqueues from now on behind the other's work.
    fn is_over(&self) -> bool {
        let own = self.memory.stream();
        let consumer = self.consumer.as_ref();
        !self.given
            || self.memory.address() == 0
            || consumer.is_some_and(|consumer| own.wait_stream(consumer).is_ok())
            || !matches!(own.context().settle(), Settled::Unknown(_))
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        if !self.is_over() {
            // Never freed, and never alone again: a kernel of the other library may still use it.
            std::mem::forget(self.memory.clone());
        }
    }
}
