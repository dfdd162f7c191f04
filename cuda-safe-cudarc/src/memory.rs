//! Device memory, borrowed for the time of a closure or with its ownership.

use std::{mem::ManuallyDrop, sync::Arc};

use cuda_safe::{
    DeviceBuffer, DeviceMemory, DeviceView, DeviceViewMut, Owner, PlainData, Stream,
    memory::{Storage, StorageMut},
};
use cudarc::driver::{
    CudaSlice, CudaStream, CudaView, CudaViewMut, DevicePtr, DevicePtrMut, SyncOnDrop,
};

use crate::{
    Error, Result,
    stream::{expect_same, stream},
};

/// Device memory of cudarc: `CudaSlice`, `CudaView` and `CudaViewMut`.
///
/// This trait is sealed, because the functions of this crate rely on the addresses and events.
pub trait CudarcMemory<T>: sealed::Memory<T> {}
impl<T, M: sealed::Memory<T>> CudarcMemory<T> for M {}

mod sealed {
    use super::*;

    // With the element type, because other crates can implement cudarc's traits for the same memory
    // with another one.
    pub trait Memory<T> {}
    impl<T> Memory<T> for CudaSlice<T> {}
    impl<T> Memory<T> for CudaView<'_, T> {}
    impl<T> Memory<T> for CudaViewMut<'_, T> {}
}

/// `CU_STREAM_PER_THREAD`
const PER_THREAD: usize = 2;

/// Returns an error unless both streams were created with one object. cudarc records the events of
/// memory only for streams of its own object.
fn expect_one_context(own: &CudaStream, on: &CudaStream) -> Result<()> {
    if Arc::ptr_eq(own.context(), on.context()) {
        return Ok(());
    }
    Err(Error::Context(
        "the stream was not created with the CudaContext of the memory. Fix: create it with \
         slice.context()"
            .to_owned(),
    ))
}

/// Calls `work` with memory of cudarc, for reading on the stream `on`.
///
/// `on` waits for earlier writes. cudarc's later writes wait for `on`.
///
/// # Errors
/// Returns [`Error::Context`] if `on` was not created with the memory's `CudaContext`, and otherwise
/// errors of the waits. Then `work` has not been called, unless the last wait has failed.
pub fn read<T: PlainData, M: DevicePtr<T> + CudarcMemory<T>, R>(
    memory: &M,
    on: &Arc<CudaStream>,
    work: impl FnOnce(&Stream, DeviceView<'_, T>) -> R,
) -> Result<R> {
    expect_one_context(memory.stream(), on)?;
    let (own, on_ours) = (stream(memory.stream())?, stream(on)?);
    ordered(&on_ours, &own, || {
        let (address, used) = memory.device_ptr(on);
        on.context().check_err()?;
        // SAFETY: the memory of a slice, which is borrowed. The stream waits for earlier writes,
        // and everything that may free or write it later waits for the stream.
        let view = unsafe { DeviceView::borrow_raw(address, memory.len(), &on_ours) };
        let result = work(&on_ours, view);
        finish(on, used)?;
        Ok(result)
    })
}

/// Calls `work` with memory of cudarc, for writing on the stream `on`.
///
/// `on` waits for all earlier use of the memory. cudarc's later use waits for `on`.
///
/// # Errors
/// Returns errors under the conditions of [`read`].
pub fn write<T: PlainData, M: DevicePtrMut<T> + CudarcMemory<T>, R>(
    memory: &mut M,
    on: &Arc<CudaStream>,
    work: impl FnOnce(&Stream, DeviceViewMut<'_, T>) -> R,
) -> Result<R> {
    expect_one_context(memory.stream(), on)?;
    let (own, on_ours) = (stream(memory.stream())?, stream(on)?);
    let len = memory.len();
    ordered(&on_ours, &own, || {
        let (address, used) = memory.device_ptr_mut(on);
        on.context().check_err()?;
        // SAFETY: the memory of a slice, which is borrowed exclusively. The stream waits for
        // earlier use, and all later use waits for the stream.
        let view = unsafe { DeviceViewMut::borrow_raw(address, len, &on_ours) };
        let result = work(&on_ours, view);
        finish(on, used)?;
        Ok(result)
    })
}

/// Orders `on` after the work of the memory's stream, and then this stream after `on`.
fn ordered<R>(on: &Stream, own: &Stream, work: impl FnOnce() -> Result<R>) -> Result<R> {
    on.ordered_with([Owner::Stream(own)], work)
}

/// Records cudarc's event for the use of the memory.
fn finish(on: &CudaStream, used: SyncOnDrop<'_>) -> Result<()> {
    drop(used);
    Ok(on.context().check_err()?)
}

/// Converts memory of cudarc to a buffer, which belongs to the same stream.
///
/// # Errors
/// Returns [`Error::Context`] if the device has no memory pools, because a buffer is freed in the
/// order of its stream, or if the slice belongs to the per-thread default stream, which is another
/// stream on every thread. Returns the errors of [`stream`], and errors that cudarc has kept from
/// earlier calls. After an error of a wait for cudarc's events, the memory is leaked.
pub fn into_buffer<T: PlainData>(slice: CudaSlice<T>) -> Result<DeviceBuffer<T>> {
    if !slice.context().has_async_alloc() {
        return Err(Error::Context(
            "the device has no memory pools, so cudarc's memory is not freed in the order of a \
             stream. Fix: borrow it, with read or write"
                .to_owned(),
        ));
    }
    let (theirs, len) = (slice.stream().clone(), slice.len());
    if theirs.cu_stream().addr() == PER_THREAD {
        return Err(Error::Context(
            "the slice belongs to the per-thread default stream, and a buffer can be used on every \
             thread. Fix: borrow it, with read or write"
                .to_owned(),
        ));
    }
    let ours = stream(&theirs)?;
    // Errors of earlier calls, which must not be taken for errors of the waits.
    theirs.context().check_err()?;
    // Makes the stream wait for the events of other streams.
    let address = slice.leak();
    theirs.context().check_err()?;
    // SAFETY: cudarc has allocated it with `cuMemAllocAsync`, and nothing else frees it. All use of
    // it is ordered before the stream's later work.
    Ok(unsafe { DeviceBuffer::from_raw(address, len, &ours) })
}

/// Converts a buffer to memory of cudarc, which belongs to the stream `on`.
///
/// `on` waits for the buffer's stream.
///
/// # Errors
/// Returns [`Error::Context`] if `on` is not of the buffer's context, and otherwise errors of the
/// wait. The buffer has then been dropped.
pub fn into_slice<T: PlainData>(
    buffer: DeviceBuffer<T>,
    on: &Arc<CudaStream>,
) -> Result<CudaSlice<T>> {
    expect_same(buffer.stream().context(), on.context())?;
    stream(on)?.wait_stream(buffer.stream())?;
    if buffer.as_device_ptr() == 0 {
        return Ok(on.null()?); // an address of zero can't be freed
    }
    expect_events(on)?;
    let len = buffer.len();
    // SAFETY: an allocation of this many elements of plain data, which nothing else frees.
    Ok(unsafe { on.upgrade_device_ptr(buffer.into_raw(), len) })
}

/// Calls `work` with device memory as a view of cudarc, for reading on the stream `on`.
///
/// `on` waits for the memory's stream, which waits for `on` afterwards.
///
/// # Errors
/// Returns [`Error::Context`] if `on` is not of the memory's context, or if the memory has no
/// stream that orders its use. Returns errors of the waits.
///
/// # Safety
/// The caller must ensure that work which `work` enqueues on streams other than `on` is ordered
/// before later work on `on`. cudarc orders only the last stream that has read a slice, and none if
/// its context has no created stream left.
pub unsafe fn lend<T: PlainData, S: Storage, R>(
    memory: &DeviceMemory<S, T>,
    on: &Arc<CudaStream>,
    work: impl FnOnce(CudaView<'_, T>) -> R,
) -> Result<R> {
    let own = own_stream(memory.owner())?;
    expect_same(own.context(), on.context())?;
    ordered(&stream(on)?, &own, || {
        expect_events(on)?;
        // SAFETY: the memory is borrowed.
        let lent = unsafe { Lent::new(memory.as_device_ptr(), memory.len(), on) };
        let result = work(lent.slice.as_view());
        lent.finish()?;
        Ok(result)
    })
}

/// Calls `work` with device memory as a view of cudarc, for writing on the stream `on`.
///
/// The order is that of [`lend`].
///
/// # Errors
/// Returns errors under the conditions of [`lend`].
///
/// # Safety
/// The contract of [`lend`] applies.
pub unsafe fn lend_mut<T: PlainData, S: StorageMut, R>(
    memory: &mut DeviceMemory<S, T>,
    on: &Arc<CudaStream>,
    work: impl FnOnce(CudaViewMut<'_, T>) -> R,
) -> Result<R> {
    let own = own_stream(memory.owner())?;
    expect_same(own.context(), on.context())?;
    ordered(&stream(on)?, &own, || {
        expect_events(on)?;
        // SAFETY: the memory is borrowed exclusively.
        let mut lent = unsafe { Lent::new(memory.as_device_ptr(), memory.len(), on) };
        let result = work(lent.slice.as_view_mut());
        lent.finish()?;
        Ok(result)
    })
}

/// Returns an error if events can't be created. cudarc panics in this case when it takes memory.
fn expect_events(on: &CudaStream) -> Result<()> {
    Ok(on.context().new_event(None).map(drop)?)
}

fn own_stream(owner: Owner<'_>) -> Result<Stream> {
    let none = "the memory has no stream that orders its use. Fix: copy it to a DeviceBuffer";
    let stream = owner.stream().cloned();
    stream.ok_or_else(|| Error::Context(none.to_owned()))
}

/// A slice of cudarc in borrowed memory, which it does not free.
struct Lent<T> {
    slice: ManuallyDrop<CudaSlice<T>>,
}

impl<T> Lent<T> {
    /// # Safety
    /// The caller must ensure that the memory is valid until the value is dropped.
    unsafe fn new(address: u64, len: usize, on: &Arc<CudaStream>) -> Self {
        // SAFETY: the memory has this many elements, and `leak` keeps it from being freed.
        let slice = unsafe { on.upgrade_device_ptr(address, len) };
        let slice = ManuallyDrop::new(slice);
        Self { slice }
    }

    /// Makes the slice's stream wait for its use on other streams.
    fn finish(self) -> Result<()> {
        let on = self.slice.stream().clone();
        drop(self);
        Ok(on.context().check_err()?)
    }
}

impl<T> Drop for Lent<T> {
    fn drop(&mut self) {
        // SAFETY: the value is not used again.
        let slice = unsafe { ManuallyDrop::take(&mut self.slice) };
        let _ = slice.leak();
    }
}
