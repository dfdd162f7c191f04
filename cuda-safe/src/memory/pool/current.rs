//! Current pools, the default source of allocations.

use std::sync::{Mutex, PoisonError};

use cuda_sys::{self as sys, CUmemoryPool};

use super::{
    MemoryPool,
    options::PoolType,
    registry::{Found, Registry},
};
use crate::{
    context::Context,
    driver::{callback, newer},
    error::{Error, Result},
    memory::location::MemoryLocation,
};

/// The locations and kinds for which a pool was made current.
pub(in crate::memory) type Places = Mutex<Vec<(MemoryLocation, PoolType)>>;

impl MemoryPool {
    /// Returns the pool that allocations on the context's device currently come from.
    ///
    /// A pool of this crate stays alive, and current, until the returned handle has been dropped
    /// too.
    ///
    /// See [`cuDeviceGetMemPool`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the current
    /// pool was created by other code, which may destroy it at any time. Also returns the errors of
    /// [`new`](Self::new).
    ///
    /// ```
    /// # use cuda_safe::{Context, MemoryPool};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let pool = MemoryPool::current(&context)?;
    /// assert!(!pool.as_raw().is_null());
    /// assert!(pool.used()? <= pool.reserved()?);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuDeviceGetMemPool")]
    pub fn current(context: &Context) -> Result<Self> {
        const CALL: &str = "cuDeviceGetMemPool";
        let mut registry = Registry::lock(CALL)?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: `raw` is valid for the write.
        let code = unsafe { sys::cuDeviceGetMemPool(&mut raw, context.device().as_raw()) };
        context.check(CALL, code)?;
        let default = || raw_default_of(context);
        Self::owner_of_current(&mut registry, context, raw, PoolType::PINNED, CALL, default)
    }

    /// Returns the pool that the context's device starts with, whether it is current or not.
    ///
    /// See [`cuDeviceGetDefaultMemPool`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the device has no
    /// memory pools.
    #[doc(alias = "cuDeviceGetDefaultMemPool")]
    pub fn default_of(context: &Context) -> Result<Self> {
        let mut registry = Registry::lock("cuDeviceGetDefaultMemPool")?;
        let raw = raw_default_of(context)?;
        Ok(Self::default_handle(
            &mut registry,
            context,
            raw,
            PoolType::PINNED,
        ))
    }

    /// Makes this pool the source of allocations on its device, in all contexts of the process.
    ///
    /// When the pool is destroyed, the default pool takes its place.
    ///
    /// See [`cuDeviceSetMemPool`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the pool's memory is not that of the device.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, MemoryPool, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let pool = MemoryPool::new(&context)?;
    /// pool.make_current()?;
    /// assert_eq!(MemoryPool::current(&context)?.as_raw(), pool.as_raw());
    /// let buffer = DeviceBuffer::<u8>::zeroed(&stream, 1 << 20)?;
    /// assert!(pool.used()? >= 1 << 20);
    /// MemoryPool::default_of(&context)?.make_current()?;
    /// # drop(buffer);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuDeviceSetMemPool")]
    pub fn make_current(&self) -> Result<()> {
        callback::reject_in_callback("cuDeviceSetMemPool")?;
        let context = self.context();
        // SAFETY: the handle is live. The driver switches to the default pool when this one is
        // destroyed.
        let code = unsafe { sys::cuDeviceSetMemPool(context.device().as_raw(), self.as_raw()) };
        context.check("cuDeviceSetMemPool", code)
    }

    /// Returns the pool that memory of a given kind and location currently comes from.
    ///
    /// It is the default pool unless another one was made current
    /// ([`make_current_at`](Self::make_current_at)). A pool of this crate stays alive, and current,
    /// until the returned handle has been dropped, too.
    ///
    /// See [`cuMemGetMemPool`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the driver is older
    /// than CUDA 13.0, or if there is no pool for this type of location. Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the current pool was
    /// created by other code, which may destroy it at any time. Returns `CUDA_ERROR_INVALID_VALUE`
    /// if the location does not exist.
    ///
    /// ```
    /// # use cuda_safe::{Context, MemoryPool, memory::PoolType};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let device = context.device();
    /// let pool = MemoryPool::current_at(&context, device, PoolType::PINNED)?;
    /// assert_eq!(pool.as_raw(), MemoryPool::current(&context)?.as_raw());
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemGetMemPool")]
    pub fn current_at(
        context: &Context,
        location: impl Into<MemoryLocation>,
        kind: PoolType,
    ) -> Result<Self> {
        const CALL: &str = "cuMemGetMemPool";
        let location = location.into();
        let mut registry = Registry::lock(CALL)?;
        let raw = raw_current_at(context, location, kind)?;
        let default = || raw_default_at(context, location, kind);
        Self::owner_of_current(&mut registry, context, raw, kind, CALL, default)
    }

    /// Returns the default pool for memory of a given kind and location.
    ///
    /// See [`cuMemGetDefaultMemPool`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the driver is older
    /// than CUDA 13.0, or if there is no pool for this type of location. Returns
    /// `CUDA_ERROR_INVALID_VALUE` if the location does not exist.
    #[doc(alias = "cuMemGetDefaultMemPool")]
    pub fn default_at(
        context: &Context,
        location: impl Into<MemoryLocation>,
        kind: PoolType,
    ) -> Result<Self> {
        let mut registry = Registry::lock("cuMemGetDefaultMemPool")?;
        let raw = raw_default_at(context, location.into(), kind)?;
        Ok(Self::default_handle(&mut registry, context, raw, kind))
    }

    /// Registers a default pool, and returns a handle of it.
    fn default_handle(
        registry: &mut Registry,
        context: &Context,
        raw: CUmemoryPool,
        kind: PoolType,
    ) -> Self {
        registry.add_default(raw);
        Self::of_driver(context, raw, kind)
    }

    /// Returns the owner of a current pool.
    fn owner_of_current(
        registry: &mut Registry,
        context: &Context,
        raw: CUmemoryPool,
        kind: PoolType,
        call: &'static str,
        default: impl FnOnce() -> Result<CUmemoryPool>,
    ) -> Result<Self> {
        let default = match registry.find(raw) {
            Found::Alive(handle) => return Ok(Self::of_registry(handle)),
            Found::Default => raw,
            // The driver makes the default pool current when the other one has ended.
            Found::Ending => default()?,
            Found::Unknown if raw == default()? => raw,
            Found::Unknown => return Err(foreign(call)),
        };
        Ok(Self::default_handle(registry, context, default, kind))
    }

    /// Returns the pool that contains an allocation of `context`'s device, or `None` if the pool
    /// was destroyed or belongs to other code.
    pub(crate) fn behind(context: &Context, raw: CUmemoryPool) -> Result<Option<Self>> {
        let mut registry = Registry::lock("cuPointerGetAttribute")?;
        let is_default = match registry.find(raw) {
            Found::Alive(handle) => return Ok(Some(Self::of_registry(handle))),
            Found::Default => true,
            Found::Ending => false,
            Found::Unknown => raw == raw_default_of(context)?,
        };
        Ok(is_default.then(|| Self::default_handle(&mut registry, context, raw, PoolType::PINNED)))
    }

    /// Makes this pool the source of memory of a given kind and location in the whole process.
    ///
    /// When the pool is destroyed, the default pool takes its place. For device memory, this is the
    /// same as [`make_current`](Self::make_current).
    ///
    /// See [`cuMemSetMemPool`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the pool has a different kind or location. Also
    /// returns the errors of [`current_at`](Self::current_at).
    #[doc(alias = "cuMemSetMemPool")]
    pub fn make_current_at(
        &self,
        location: impl Into<MemoryLocation>,
        kind: PoolType,
    ) -> Result<()> {
        let location = location.into();
        // The lock keeps a pool that ends meanwhile from replacing this one with the default pool.
        let _registry = Registry::lock("cuMemSetMemPool")?;
        // SAFETY: the handle is live. The default pool takes its place when it is destroyed.
        unsafe { set_current_at(self.context(), location, kind, self.as_raw())? };
        let mut places = self
            .current_at_places()
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if !places.contains(&(location, kind)) {
            places.push((location, kind));
        }
        Ok(())
    }
}

/// Makes the default pools current again wherever a pool that is ending is current. The caller
/// holds the registry's lock.
///
/// Observed with driver 580: when a current pool of host memory or managed memory is destroyed, the
/// driver replaces it with the default pool of a device.
pub(in crate::memory) fn replace(
    places: &Places,
    raw: CUmemoryPool,
    context: &Context,
) -> Result<()> {
    let mut places = places.lock().unwrap_or_else(PoisonError::into_inner);
    for (location, kind) in places.drain(..) {
        if raw_current_at(context, location, kind)? == raw {
            let default = raw_default_at(context, location, kind)?;
            // SAFETY: the driver never destroys a default pool.
            unsafe { set_current_at(context, location, kind, default)? };
        }
    }
    Ok(())
}

fn raw_default_of(context: &Context) -> Result<CUmemoryPool> {
    let mut raw = std::ptr::null_mut();
    // SAFETY: `raw` is valid for the write.
    let code = unsafe { sys::cuDeviceGetDefaultMemPool(&mut raw, context.device().as_raw()) };
    context.check("cuDeviceGetDefaultMemPool", code)?;
    Ok(raw)
}

fn raw_default_at(
    context: &Context,
    location: MemoryLocation,
    kind: PoolType,
) -> Result<CUmemoryPool> {
    let (mut raw, mut location) = (std::ptr::null_mut(), location.raw());
    // SAFETY: both are valid for the call.
    let code = unsafe { newer::cuMemGetDefaultMemPool()?(&mut raw, &mut location, kind.0) };
    context.check("cuMemGetDefaultMemPool", code)?;
    Ok(raw)
}

fn raw_current_at(
    context: &Context,
    location: MemoryLocation,
    kind: PoolType,
) -> Result<CUmemoryPool> {
    let (mut raw, mut location) = (std::ptr::null_mut(), location.raw());
    // SAFETY: both are valid for the call.
    let code = unsafe { newer::cuMemGetMemPool()?(&mut raw, &mut location, kind.0) };
    context.check("cuMemGetMemPool", code)?;
    Ok(raw)
}

/// Makes a pool the current one for a kind and location.
///
/// # Safety
/// The caller must ensure that the pool `raw` is alive, and that it stays alive until another pool
/// becomes current there.
unsafe fn set_current_at(
    context: &Context,
    location: MemoryLocation,
    kind: PoolType,
    raw: CUmemoryPool,
) -> Result<()> {
    let mut location = location.raw();
    // SAFETY: the location is valid for the call. The caller guarantees that the pool is live.
    let code = unsafe { newer::cuMemSetMemPool()?(&mut location, kind.0, raw) };
    context.check("cuMemSetMemPool", code)
}

#[cold]
fn foreign(call: &'static str) -> Error {
    Error::invalid(
        call,
        "the current pool was created by other code, which may destroy it at any time. Fix: if you know that it \
         outlives your use of it, pass its raw handle to MemoryPool::borrow_raw",
    )
}
