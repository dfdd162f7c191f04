//! Conversion of arrays to DLPack tensors for other libraries.

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

/// An array to be passed to another library. [`into_raw`](Self::into_raw) creates the structure
/// that the library takes.
///
/// Before that, call [`ready_on`](Self::ready_on) or [`ready_for`](Self::ready_for) to order the
/// work. See [order of work](crate::interop#order-of-work).
#[derive(Debug)]
pub struct ExportedTensor {
    share: Share,
    layout: Layout,
    data: DataType,
    flags: u64,
}

/// The other library's reference to the memory.
#[derive(Debug)]
struct Share {
    memory: Arc<Memory>,
    /// Whether the other library may have enqueued work on the memory.
    given: bool,
    /// The stream that orders all the other library's work on the memory.
    consumer: Option<Stream>,
}

impl<T: Element> Array<T> {
    /// Transfers the array to a library that may write to it. The tensor lives until the library
    /// calls its deleter.
    ///
    /// Nothing is copied, unless other arrays use the memory too, the memory is read-only, or
    /// elements are repeated, as along a broadcast axis.
    ///
    /// Negative strides are kept. PyTorch rejects tensors with negative strides, so pass
    /// [`Array::copy`], which has none.
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
    /// Returns an error if memory for a copy runs out.
    pub fn into_dlpack(mut self) -> Result<ExportedTensor> {
        // This is the only reference, so no other thread can create another.
        let alone = Arc::get_mut(&mut self.memory).is_some_and(|memory| !memory.is_read_only());
        if alone && !self.layout.repeats() {
            return Ok(ExportedTensor::of(self, 0));
        }
        Ok(ExportedTensor::of(self.copy()?, FLAG_IS_COPIED))
    }

    /// Gives read access to the array to another library.
    ///
    /// Nothing is copied: this array keeps the memory. While the library has it, writing to this
    /// array copies it first.
    ///
    /// The tensor is flagged as read-only. Some libraries ignore the flag. See
    /// [who may write](crate::interop#who-may-write).
    #[must_use]
    pub fn share_dlpack(&self) -> ExportedTensor {
        ExportedTensor::of(self.clone(), FLAG_READ_ONLY)
    }
}

impl ExportedTensor {
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

    /// Makes a stream wait until the elements are computed. The host does not wait.
    ///
    /// This library assumes that the other library uses no other stream for the memory. When the
    /// other library frees the tensor, this library's work waits for that stream, and the host does
    /// not wait. A library that also uses other streams must make this stream wait for them, or you
    /// can use [`ready_for`](Self::ready_for).
    ///
    /// # Errors
    /// Returns an error if the stream belongs to another context, or if memory for an event runs
    /// out.
    pub fn ready_on(&mut self, consumer: &Stream) -> Result<()> {
        let own = self.share.memory.stream();
        crate::order::same_context(consumer, own.context())?;
        consumer.wait_stream(own)?;
        self.share.consumer = Some(consumer.clone());
        Ok(())
    }

    /// Makes the stream with this number wait until the elements are computed. The number is the
    /// `stream` argument of Python's `__dlpack__`.
    ///
    /// The host does not wait now. When the library frees the tensor, the host waits for all work
    /// of the context, because the stream may no longer exist.
    ///
    /// `None` and 1 are the legacy default stream, 2 is that of the calling thread, -1 requests no
    /// ordering, and 0 is rejected.
    ///
    /// # Safety
    /// The caller must ensure that a number above 2 is the handle of a live stream of the array's
    /// context.
    ///
    /// # Errors
    /// Returns an error if the number is 0 or less than -1, or if memory for an event runs out.
    pub unsafe fn ready_for(&mut self, consumer: Option<i64>) -> Result<()> {
        let own = self.share.memory.stream();
        // SAFETY: guaranteed by the caller. The stream is used only during this call.
        if let Some(consumer) = unsafe { numbered(own.context(), consumer)? } {
            consumer.wait_stream(own)?;
        }
        Ok(())
    }

    /// Returns an event that completes when the elements are computed. Any stream can wait for it.
    ///
    /// # Errors
    /// Returns an error if memory for the event runs out.
    pub fn ready_event(&self) -> Result<Event> {
        Ok(self.share.memory.stream().record_event()?)
    }

    /// Returns the device of the memory, as `__dlpack_device__` does.
    #[must_use]
    pub fn device(&self) -> DLDevice {
        DLDevice {
            device_type: DLDeviceType::CUDA,
            device_id: self.share.memory.stream().context().device().ordinal() as i32,
        }
    }

    /// Returns whether the consumer must not write to the tensor.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.flags & FLAG_READ_ONLY != 0
    }

    /// Returns the structure of DLPack 1.x for the other library, which calls its deleter once, on
    /// any thread. In Python, put it into a capsule named
    /// [`CAPSULE_VERSIONED`](super::dlpack::CAPSULE_VERSIONED).
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

    /// Returns the structure of DLPack before 1.0. In Python, put it into a capsule named
    /// [`CAPSULE`](super::dlpack::CAPSULE).
    ///
    /// # Errors
    /// Returns [`Error::Foreign`] if the tensor is read-only, which the structure can't express.
    /// Give the array away with [`Array::into_dlpack`] instead.
    pub fn into_raw_unversioned(self) -> Result<*mut DLManagedTensor> {
        if self.is_read_only() {
            return Err(Error::Foreign(
                "a shared array is read-only, which DLPack's unversioned structure can't express. Fix: ask for version \
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
        // SAFETY: these are parts of the box that was just created, and no reference to it exists.
        let (managed, lengths, strides) = unsafe {
            let axes = &raw mut (*given).axes;
            let managed = &raw mut (*given).managed;
            (managed, &raw mut (*axes)[0], &raw mut (*axes)[1])
        };
        let tensor = DLTensor {
            // PyTorch ignores `byte_offset`, so `data` is the address of the first element.
            data: ptr::with_exposed_provenance_mut(address as usize),
            device,
            ndim: shape.rank() as i32,
            dtype: DLDataType::of(self.data),
            shape: lengths.cast(),
            strides: strides.cast(),
            byte_offset: 0,
        };
        let managed = managed.cast::<M>();
        // SAFETY: the box has room for it.
        unsafe { managed.write(structure(tensor, given.cast())) };
        managed
    }
}

/// The allocation around a structure that another library holds.
struct Given<M> {
    managed: MaybeUninit<M>,
    axes: [[i64; MAX_RANK]; 2],
    _share: Share,
}

unsafe extern "C" fn delete_versioned(tensor: *mut DLManagedTensorVersioned) {
    if let Some(tensor) = NonNull::new(tensor) {
        // SAFETY: `into_raw` created it, and the deleter is called once.
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
        // SAFETY: `into_raw_unversioned` created it, and the deleter is called once.
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
    /// Orders this library's future work after the other library's work, and returns whether that
    /// succeeded.
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
            // A kernel of the other library may still use the memory. Leak a reference, so that it
            // is never freed and never counts as unshared again.
            std::mem::forget(self.memory.clone());
        }
    }
}
