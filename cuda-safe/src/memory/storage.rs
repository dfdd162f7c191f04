//! What holds device memory.
//!
//! A kind of memory is one file: a type that owns or borrows the memory and implements [`Storage`], an alias of
//! [`DeviceMemory`](super::DeviceMemory) over it, and the constructors of that alias.

use cuda_sys::CUdeviceptr;

use super::owner::Owner;
use crate::error::Result;

/// What holds device memory, so that [`DeviceMemory`](crate::DeviceMemory) can be read. Other crates may implement it
/// for memory that they allocate in their own way.
///
/// ```
/// use cuda_safe::{Context, DeviceMemory, Owner, Storage, Stream, sys};
///
/// /// Memory that `cuMemAlloc` gives, of a context and no stream.
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
/// unsafe impl cuda_safe::StorageMut for Plain {}
///
/// impl Drop for Plain {
///     fn drop(&mut self) {
///         // Kernels on it are over by the contract of their launch, copies by the wait.
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
/// object lives, and where it owns the memory, until the work is over that the methods of
/// [`DeviceMemory`](crate::DeviceMemory) have enqueued on it: on the owner's stream if there is one, otherwise on any
/// stream of its context.
pub unsafe trait Storage {
    /// The kind's name, for `Debug`.
    const NAME: &'static str;

    /// The address of the first byte; 0 where there is none.
    fn as_device_ptr(&self) -> CUdeviceptr;

    /// What the memory belongs to: the stream in whose order it is used and given back, or a context alone.
    fn owner(&self) -> Owner<'_>;
}

/// What holds device memory that may be written to.
///
/// # Safety
/// While this object is borrowed exclusively, nothing else uses the memory.
pub unsafe trait StorageMut: Storage {}

/// What gives memory back when it is dropped, and can tell whether that worked.
pub trait OwnedStorage: StorageMut {
    /// Gives the memory back now.
    ///
    /// # Errors
    /// The driver's; the memory is not used again.
    fn close(self) -> Result<()>;
}
