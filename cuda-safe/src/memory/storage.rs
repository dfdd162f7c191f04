//! The traits of storages, which own or borrow device memory.
//!
//! To add a kind of memory, write one file with three parts: a type that owns or borrows the memory
//! and implements [`Storage`], an alias of [`DeviceMemory`](super::DeviceMemory) over that type,
//! and the constructors of the alias.

use cuda_sys::CUdeviceptr;

use crate::{error::Result, stream::owner::Owner};

/// Readable device memory that [`DeviceMemory`](crate::DeviceMemory) is built on. Other crates can
/// implement it for memory that they allocate themselves.
///
/// ```
/// use cuda_safe::{Context, DeviceMemory, Owner, memory::Storage, Stream, sys};
///
/// /// Memory from `cuMemAlloc`, which belongs to a context and to no stream.
/// struct Plain(Context, sys::CUdeviceptr);
///
/// // SAFETY: the memory is of this context, and lives as long as this object.
/// unsafe impl Storage for Plain {
///     const NAME: &'static str = "Plain";
///     fn as_device_ptr(&self) -> sys::CUdeviceptr {
///         self.1
///     }
///     fn owner(&self) -> Owner<'_> {
///         Owner::Context(&self.0)
///     }
/// }
/// // SAFETY: nothing else uses the memory.
/// unsafe impl cuda_safe::memory::StorageMut for Plain {}
///
/// impl Drop for Plain {
///     fn drop(&mut self) {
/// //         // This waits for copies and fills. Launches promise that kernels have finished.
///         let _ = self.0.synchronize();
///         if let Ok(_current) = self.0.push_current() {
///             // SAFETY: allocated below, and freed once.
///             let _ = unsafe { sys::cuMemFree_v2(self.1) };
///         }
///     }
/// }
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// let mut ptr = 0;
/// {
///     let _current = context.push_current()?;
///     // SAFETY: `ptr` is valid for the write.
///     context.check("cuMemAlloc", unsafe { sys::cuMemAlloc_v2(&mut ptr, 16) })?;
/// }
/// // SAFETY: room for four elements.
/// let mut plain = unsafe { DeviceMemory::<_, f32>::from_storage(Plain(context, ptr), 4) };
/// plain.copy_from_slice(&stream, &[1.0, 2.0, 3.0, 4.0])?;
/// assert_eq!(plain.slice(2..)?.to_vec(&stream)?, [3.0, 4.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Safety
/// The implementer must ensure that:
/// - the address is device memory of the owner's context;
/// - the memory stays allocated at this address as long as the object lives;
/// - if the object owns the memory, it stays allocated until all work has finished that methods of
///   [`DeviceMemory`](crate::DeviceMemory) have enqueued on it, on the owner's stream if it has
///   one, otherwise on any stream of the context.
pub unsafe trait Storage {
    /// The name of the kind of memory, for `Debug`.
    const NAME: &'static str;

    /// Returns the device address of the first byte, or 0 if there is no memory.
    fn as_device_ptr(&self) -> CUdeviceptr;

    /// Returns the owner of the memory: the stream that orders its use and its release, or a
    /// context if no stream does.
    fn owner(&self) -> Owner<'_>;
}

/// Writable device memory.
///
/// # Safety
/// The implementer must ensure that nothing else uses the memory while the object is borrowed
/// exclusively.
#[diagnostic::on_unimplemented(
    message = "device memory in `{Self}` is read-only",
    label = "a `DeviceView` is read-only: use a `DeviceViewMut`, from `view_mut`, `slice_mut` or `split_at_mut`"
)]
pub unsafe trait StorageMut: Storage {}

/// A storage that frees its memory when dropped, or on request with an error report.
pub trait OwnedStorage: StorageMut {
    /// Frees the memory now.
    ///
    /// # Errors
    /// Returns the driver's error for the call that frees the memory. The memory is not used again,
    /// even if the call fails.
    fn close(self) -> Result<()>;
}
