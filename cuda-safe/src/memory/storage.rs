//! What holds device memory.
//!
//! A new kind of memory is one file: a type that owns or borrows the memory and implements [`Storage`], an alias of
//! [`DeviceMemory`](super::DeviceMemory) over that type, and the constructors of the alias.

use cuda_sys::CUdeviceptr;

use crate::{error::Result, stream::owner::Owner};

/// What holds device memory: [`DeviceMemory`](crate::DeviceMemory) over it can be read. Other crates may implement it
/// for memory that they allocate in their own way.
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
///         // This waits for copies and fills. Kernels are over: their launches promised that.
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
/// The address is device memory of the owner's context. It stays allocated, at this address, for as long as this
/// object lives. If the object owns the memory, it stays allocated also until the work is over that methods of
/// [`DeviceMemory`](crate::DeviceMemory) have enqueued on it: on the owner's stream if there is one, otherwise on any
/// stream of the context.
pub unsafe trait Storage {
    /// The name of the kind, for `Debug`.
    const NAME: &'static str;

    /// The device address of the first byte; 0 if there is no memory.
    fn as_device_ptr(&self) -> CUdeviceptr;

    /// What the memory belongs to: the stream in whose order it is used and freed, or a context alone.
    fn owner(&self) -> Owner<'_>;
}

/// What holds device memory that may be written to.
///
/// # Safety
/// While this object is borrowed exclusively, nothing else uses the memory.
pub unsafe trait StorageMut: Storage {}

/// A storage that frees its memory when it is dropped, and can report whether that worked.
pub trait OwnedStorage: StorageMut {
    /// Frees the memory now.
    ///
    /// # Errors
    /// The driver's code for freeing it. The memory is not used again in any case.
    fn close(self) -> Result<()>;
}
