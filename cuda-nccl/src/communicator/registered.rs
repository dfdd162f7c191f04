//! Memory that NCCL knows beforehand.

use std::{ffi::c_void, sync::Arc};

use cuda_safe::{
    DeviceMemory, Owner, PlainData,
    memory::{OwnedStorage, Storage, StorageMut},
    sys::CUdeviceptr,
};

use super::{Communicator, current::enter, inner::Inner, watch::Busy};
use crate::{
    error::{Error, Result},
    sys,
};

/// Memory that is [registered](Communicator::register) with a communicator. It is used like the memory that it holds, and can be
/// had back.
pub type RegisteredMemory<S, T> = DeviceMemory<Registered<S>, T>;

/// What [`RegisteredMemory`] holds: other memory, and its registration. Dropping it ends the registration first. It waits for the
/// communicator's calls, with the time limit, and then for everything else on the memory's stream, without one.
#[derive(Debug)]
pub struct Registered<S: Storage> {
    registration: Registration,
    storage: S,
}

/// Ends the registration when it is dropped.
struct Registration {
    inner: Arc<Inner>,
    handle: *mut c_void,
    stream: cuda_safe::Stream,
}

// SAFETY: the handle belongs to no thread, and is used once.
unsafe impl Send for Registration {}
// SAFETY: nothing can be done with a shared one.
unsafe impl Sync for Registration {}

impl Communicator {
    /// Tells NCCL of memory that it will use often, so that it needs no copies through its own buffers where the hardware allows
    /// that. Memory of [`NcclAllocated`](super::NcclAllocated) is made for this. What isn't registered works as well. The memory
    /// is owned, not borrowed: it lives as long as the registration. Waits for the communicator's calls, with the time limit, and
    /// for everything else on the memory's stream, without one.
    ///
    /// # Errors
    /// [`Error::Value`] for memory of another context, or of no stream. [`Error::Unsupported`] before NCCL 2.19. What NCCL says.
    /// The memory is dropped then.
    ///
    /// ```no_run
    /// use cuda_nccl::{Communicator, CommunicatorOptions, NcclAllocated, Reduction};
    /// use cuda_safe::{Context, Stream};
    ///
    /// # fn main() -> cuda_nccl::Result<()> {
    /// # let contexts = [Context::primary(0)?];
    /// # let ranks = Communicator::for_devices(&contexts, CommunicatorOptions::default())?;
    /// let stream = Stream::new(ranks[0].context())?;
    /// let mut data = ranks[0].register(NcclAllocated::zeroed::<f32>(&stream, 1 << 20)?)?;
    /// ranks[0].all_reduce(&stream, &mut data, Reduction::Sum)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// What is borrowed could be freed while NCCL still knows it:
    ///
    /// ```compile_fail,E0597
    /// # use cuda_nccl::Communicator;
    /// # use cuda_safe::{DeviceBuffer, Stream};
    /// # fn f(ranks: &Communicator, stream: &Stream) -> cuda_nccl::Result<()> {
    /// let data = DeviceBuffer::<f32>::zeroed(stream, 4)?;
    /// std::mem::forget(ranks.register(data.view())?);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "ncclCommRegister")]
    pub fn register<S: Storage + 'static, T: PlainData>(
        &self,
        memory: DeviceMemory<S, T>,
    ) -> Result<RegisteredMemory<S, T>> {
        let inner = &self.0;
        let Some(stream) = memory.owner().stream().cloned() else {
            return Err(Error::Value(
                "register: the memory belongs to no stream, so nobody knows when its use is over; use a DeviceBuffer or \
                 NcclAllocated"
                    .into(),
            ));
        };
        self.here(&stream, &[memory.owner()])?;
        let register = inner.library.need(
            "ncclCommRegister",
            inner.library.functions().ncclCommRegister,
        )?;
        let (ptr, len, bytes) = (memory.as_device_ptr(), memory.len(), memory.size_bytes());
        let mut handle = std::ptr::null_mut();
        if bytes > 0 {
            // What allocated it may still be under way.
            inner.wait_for_stream(&stream)?;
            let _current = enter(&inner.context)?;
            let mut work = inner.lock();
            let comm = inner.usable(&mut work)?;
            let result = {
                let _busy = Busy::begin(&inner.calls);
                // SAFETY: live memory of so many bytes, which lives until the registration is over; a live communicator.
                unsafe { register(comm, ptr as *mut c_void, bytes, &mut handle) }
            };
            if result != sys::ncclResult_t::ncclSuccess {
                inner.after("ncclCommRegister", result, &mut work)?;
            }
        }
        let registered = Registered {
            registration: Registration {
                inner: inner.clone(),
                handle,
                stream,
            },
            storage: memory.into_storage(),
        };
        // SAFETY: the same memory.
        Ok(unsafe { DeviceMemory::from_storage(registered, len) })
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        if self.handle.is_null() {
            return;
        }
        let inner = &self.inner;
        if let Err(error) = inner.wait_for_stream(&self.stream)
            && !inner.is_lost()
        {
            // NCCL must not know memory that is gone, and may not be told while it is used: its end is the only way left.
            inner.lose(format!(
                "{}: registered memory was dropped and could not be waited for ({error}). The communicator was aborted",
                inner.who()
            ));
        }
        let mut work = inner.lock();
        // A communicator that has ended has no registrations.
        let (Ok(comm), Some(end)) = (
            inner.usable(&mut work),
            inner.library.functions().ncclCommDeregister,
        ) else {
            return;
        };
        let _current = enter(&inner.context);
        let _busy = Busy::begin(&inner.calls);
        // SAFETY: registered with this communicator, which lives, and ended once; the memory's stream is over.
        let _ = unsafe { end(comm, self.handle) };
    }
}

impl std::fmt::Debug for Registration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registration")
            .field("of", &self.inner)
            .finish_non_exhaustive()
    }
}

impl<S: Storage> Registered<S> {
    /// Ends the registration: what holds the memory.
    #[must_use]
    pub fn into_inner(self) -> S {
        let Self {
            registration,
            storage,
        } = self;
        drop(registration);
        storage
    }
}

// SAFETY: that of what it holds; the registration only ends earlier.
unsafe impl<S: Storage> Storage for Registered<S> {
    const NAME: &'static str = "RegisteredMemory";

    #[inline]
    fn as_device_ptr(&self) -> CUdeviceptr {
        self.storage.as_device_ptr()
    }

    #[inline]
    fn owner(&self) -> Owner<'_> {
        self.storage.owner()
    }
}

// SAFETY: as that of what it holds.
unsafe impl<S: StorageMut> StorageMut for Registered<S> {}

impl<S: OwnedStorage> OwnedStorage for Registered<S> {
    fn close(self) -> cuda_safe::Result<()> {
        self.into_inner().close()
    }
}
