//! Memory registered with NCCL.

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

/// Memory that is [registered](Communicator::register) with a communicator. It is used like the
/// original memory. `into_storage` and [`into_inner`](Registered::into_inner) return its storage.
pub type RegisteredMemory<S, T> = DeviceMemory<Registered<S>, T>;

/// The storage of [`RegisteredMemory`]: other storage and its registration.
///
/// Dropping it first ends the registration. That waits for the communicator's calls, with the time
/// limit, and then for all other work on the memory's stream, without a limit.
#[derive(Debug)]
pub struct Registered<S: Storage> {
    registration: Registration,
    storage: S,
}

/// Ends the registration when dropped.
struct Registration {
    inner: Arc<Inner>,
    handle: *mut c_void,
    stream: cuda_safe::Stream,
}

// SAFETY: the handle is not bound to a thread, and is used once.
unsafe impl Send for Registration {}
// SAFETY: a shared reference offers no operations.
unsafe impl Sync for Registration {}

impl Communicator {
    /// Registers memory that NCCL will use often, which avoids copies through NCCL's own buffers if
    /// the hardware supports that.
    ///
    /// Memory of [`NcclAllocated`](super::NcclAllocated) is intended for this. Unregistered memory
    /// works as well. The memory must be owned, not borrowed, so that it lives as long as the
    /// registration. The call waits for the communicator's calls, with the time limit, and for all
    /// other work on the memory's stream, without a limit.
    ///
    /// See
    /// [`ncclCommRegister`](https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api/comms.html#ncclcommregister).
    ///
    /// # Errors
    /// The memory is dropped if this fails.
    /// - Returns [`Error::Value`] if the memory belongs to another context or to no stream.
    /// - Returns [`Error::Unsupported`] if NCCL is older than 2.19.
    /// - Returns [`Error::Lost`] if the communicator has ended, and [`Error::Nccl`] if the NCCL
    ///   call fails.
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
    /// Borrowed memory is rejected, because it could be freed while it is still registered:
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
                "register: the memory belongs to no stream, so the end of its use is unknown. Fix: use a DeviceBuffer \
                 or NcclAllocated"
                    .into(),
            ));
        };
        self.expect_own(&stream, &[memory.owner()])?;
        let register = inner.library.need(
            "ncclCommRegister",
            inner.library.functions().ncclCommRegister,
        )?;
        let (ptr, len, bytes) = (memory.as_device_ptr(), memory.len(), memory.size_bytes());
        let mut handle = std::ptr::null_mut();
        if bytes > 0 {
            // The allocation may still be in progress.
            inner.wait_for_stream(&stream)?;
            let _current = enter(&inner.context)?;
            let mut work = inner.lock();
            let comm = inner.usable(&mut work)?;
            let result = {
                let _busy = Busy::begin(&inner.calls);
                // SAFETY: the memory has this number of bytes and outlives the registration. The
                // communicator is live.
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
        // SAFETY: it is the same memory.
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
            // NCCL must not keep a registration of freed memory, and memory in use must not be
            // deregistered. Ending the communicator is the only way.
            inner.lose(format!(
                "{}: registered memory was dropped, but waiting for its stream failed ({error}). The communicator was aborted",
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
        // SAFETY: the handle was registered with this live communicator, and is released once. The
        // work on the memory's stream is over.
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
    /// Ends the registration, and returns the storage.
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

// SAFETY: the inner storage's guarantees apply. The registration ends before the storage is
// dropped.
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

// SAFETY: the inner storage's guarantees apply.
unsafe impl<S: StorageMut> StorageMut for Registered<S> {}

impl<S: OwnedStorage> OwnedStorage for Registered<S> {
    fn close(self) -> cuda_safe::Result<()> {
        self.into_inner().close()
    }
}
