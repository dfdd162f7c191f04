//! Settings of a context: flags, limits and the cache preference.

use cuda_sys as sys;

use super::{Context, ContextFlags};
pub use crate::raw::context::{CacheConfig, Limit};
use crate::{driver::newer, error::Result};

impl Context {
    /// Returns the flags with which the context was created or that were set later.
    ///
    /// See [`cuCtxGetFlags`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault, or if it has been destroyed.
    #[doc(alias = "cuCtxGetFlags")]
    pub fn flags(&self) -> Result<ContextFlags> {
        let _current = self.enter("cuCtxGetFlags")?;
        let mut flags = 0;
        // SAFETY: `flags` is valid for the write.
        let code = unsafe { sys::cuCtxGetFlags(&mut flags) };
        self.check("cuCtxGetFlags", code)?;
        Ok(ContextFlags(flags))
    }

    /// Changes the flags of the context.
    ///
    /// See [`cuCtxSetFlags`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the driver does not know a flag, or if flags
    /// contradict each other. Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if
    /// the driver is older than CUDA 12.1.
    ///
    /// ```
    /// # use cuda_safe::{Context, ContextFlags, Device};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let context = Context::create(Device::get(0)?, ContextFlags::AUTO)?;
    /// context.set_flags(ContextFlags::BLOCKING_SYNC)?;
    /// assert!(context.flags()?.contains(ContextFlags::BLOCKING_SYNC));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuCtxSetFlags")]
    pub fn set_flags(&self, flags: ContextFlags) -> Result<()> {
        let set = newer::cuCtxSetFlags()?;
        let _current = self.enter("cuCtxSetFlags")?;
        // SAFETY: the argument is a plain value, and the driver rejects unknown flags.
        let code = unsafe { set(flags.0) };
        self.check("cuCtxSetFlags", code)
    }

    /// Returns a number that identifies the context within this process, and is not reused after
    /// its end.
    ///
    /// See [`cuCtxGetId`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault, or if it has been destroyed.
    ///
    /// ```
    /// # use cuda_safe::{Context, ContextFlags, Device};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let created = Context::create(Device::get(0)?, ContextFlags::AUTO)?;
    /// assert_ne!(created.id()?, context.id()?);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuCtxGetId")]
    pub fn id(&self) -> Result<u64> {
        let _current = self.enter("cuCtxGetId")?;
        let mut id = 0;
        // SAFETY: the handle is live, and `id` is valid for the write.
        let code = unsafe { sys::cuCtxGetId(self.as_raw(), &mut id) };
        self.check("cuCtxGetId", code)?;
        Ok(id)
    }

    /// Returns the API version that the context was created for, such as 3020.
    ///
    /// It distinguishes contexts of programs written for different versions. For the driver's
    /// version, see [`driver::version`](crate::driver::version).
    ///
    /// See [`cuCtxGetApiVersion`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault, or if it has been destroyed.
    #[doc(alias = "cuCtxGetApiVersion")]
    pub fn api_version(&self) -> Result<u32> {
        let _current = self.enter("cuCtxGetApiVersion")?;
        let mut version = 0;
        // SAFETY: the handle is live, and `version` is valid for the write.
        let code = unsafe { sys::cuCtxGetApiVersion(self.as_raw(), &mut version) };
        self.check("cuCtxGetApiVersion", code)?;
        Ok(version)
    }

    /// Resets all persisting lines of the L2 cache to normal for later work: see
    /// [`AccessPolicyWindow`](crate::stream::AccessPolicyWindow).
    ///
    /// See [`cuCtxResetPersistingL2Cache`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault, or if it has been destroyed.
    ///
    /// ```
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// stream.synchronize()?; // waits for the work that used the lines
    /// context.reset_persisting_l2()?;
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuCtxResetPersistingL2Cache")]
    pub fn reset_persisting_l2(&self) -> Result<()> {
        let _current = self.enter("cuCtxResetPersistingL2Cache")?;
        // SAFETY: the call uses the current context.
        let code = unsafe { sys::cuCtxResetPersistingL2Cache() };
        self.check("cuCtxResetPersistingL2Cache", code)
    }

    /// Returns the value of a limit, in the unit that [`Limit`] documents.
    ///
    /// See [`cuCtxGetLimit`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_UNSUPPORTED_LIMIT` if the device does not have this limit.
    #[doc(alias = "cuCtxGetLimit")]
    pub fn limit(&self, limit: Limit) -> Result<usize> {
        let _current = self.enter("cuCtxGetLimit")?;
        let mut value = 0;
        // SAFETY: `value` is valid for the write, and the driver rejects an unknown limit.
        let code = unsafe { sys::cuCtxGetLimit(&mut value, sys::CUlimit(limit.0)) };
        self.check("cuCtxGetLimit", code)?;
        Ok(value)
    }

    /// Requests a new value of a limit, in the unit that [`Limit`] documents. The driver may round
    /// it, so read the actual value with [`limit`](Self::limit).
    ///
    /// See [`cuCtxSetLimit`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_UNSUPPORTED_LIMIT` if the device does not have this limit. Returns
    /// `CUDA_ERROR_INVALID_VALUE` if the value is out of range. Returns
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) if the device does not have enough
    /// memory.
    #[doc(alias = "cuCtxSetLimit")]
    pub fn set_limit(&self, limit: Limit, value: usize) -> Result<()> {
        let _current = self.enter("cuCtxSetLimit")?;
        // SAFETY: the arguments are plain values, and the driver rejects an unknown limit.
        let code = unsafe { sys::cuCtxSetLimit(sys::CUlimit(limit.0), value) };
        self.check("cuCtxSetLimit", code)
    }

    /// Returns the context's preference between shared memory and L1 cache.
    ///
    /// See [`cuCtxGetCacheConfig`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault, or if it has been destroyed.
    #[doc(alias = "cuCtxGetCacheConfig")]
    pub fn cache_config(&self) -> Result<CacheConfig> {
        let _current = self.enter("cuCtxGetCacheConfig")?;
        let mut config = sys::CUfunc_cache(0);
        // SAFETY: `config` is valid for the write.
        let code = unsafe { sys::cuCtxGetCacheConfig(&mut config) };
        self.check("cuCtxGetCacheConfig", code)?;
        Ok(CacheConfig(config.0))
    }

    /// Sets the context's preference between shared memory and L1 cache, which is a hint.
    ///
    /// See [`cuCtxSetCacheConfig`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the driver does not know the value. Also returns an
    /// error if the context is unusable after a fault, or if it has been destroyed.
    #[doc(alias = "cuCtxSetCacheConfig")]
    pub fn set_cache_config(&self, config: CacheConfig) -> Result<()> {
        let _current = self.enter("cuCtxSetCacheConfig")?;
        // SAFETY: the argument is a plain value, and the driver rejects an unknown one.
        let code = unsafe { sys::cuCtxSetCacheConfig(sys::CUfunc_cache(config.0)) };
        self.check("cuCtxSetCacheConfig", code)
    }

    /// Returns the least and the greatest stream priority. Lower numbers are more urgent, so the
    /// greatest priority is the smaller number. Both are 0 if the device does not support
    /// priorities.
    ///
    /// See [`cuCtxGetStreamPriorityRange`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault, or if it has been destroyed.
    ///
    /// ```
    /// # use cuda_safe::{Context, Stream, StreamOptions};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let (least, greatest) = context.stream_priority_range()?;
    /// assert!(greatest <= least);
    /// let urgent = Stream::with_options(&context, StreamOptions::default().priority(greatest))?;
    /// assert_eq!(urgent.priority()?, greatest);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuCtxGetStreamPriorityRange")]
    pub fn stream_priority_range(&self) -> Result<(i32, i32)> {
        let _current = self.enter("cuCtxGetStreamPriorityRange")?;
        let (mut least, mut greatest) = (0, 0);
        // SAFETY: both are valid for the write.
        let code = unsafe { sys::cuCtxGetStreamPriorityRange(&mut least, &mut greatest) };
        self.check("cuCtxGetStreamPriorityRange", code)?;
        Ok((least, greatest))
    }
}
