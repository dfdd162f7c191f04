//! The settings of a context: how it waits, its limits, its preference for caches.

use std::ffi::c_uint;

use cuda_sys as sys;

use super::{Context, ContextFlags};
use crate::{driver::newer, error::Result, raw::flags::choices};

choices! {
    /// A limit of a context (`CUlimit`). A newtype: limits of newer drivers can be given by number.
    ///
    /// ```
    /// # use cuda_safe::{Context, ContextFlags, Device, Limit};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let context = Context::create(Device::get(0)?, ContextFlags::AUTO)?;
    /// context.set_limit(Limit::STACK_SIZE, 4096)?;
    /// assert!(context.limit(Limit::STACK_SIZE)? >= 4096);
    /// # Ok(())
    /// # }
    /// ```
    pub struct Limit(c_uint) {
        /// Bytes of stack per thread.
        STACK_SIZE = 0, "CU_LIMIT_STACK_SIZE";
        /// Bytes of the device's printf buffer.
        PRINTF_FIFO_SIZE = 1, "CU_LIMIT_PRINTF_FIFO_SIZE";
        /// Bytes of the heap behind `malloc` in kernels.
        MALLOC_HEAP_SIZE = 2, "CU_LIMIT_MALLOC_HEAP_SIZE";
        /// How deep grids that kernels launch may wait for each other; nothing since compute capability 9.0, where
        /// kernels can't wait for what they launch.
        DEV_RUNTIME_SYNC_DEPTH = 3, "CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH";
        /// How many grids that kernels have launched may be waiting.
        DEV_RUNTIME_PENDING_LAUNCH_COUNT = 4, "CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT";
        /// Bytes that L2 fetches at once: 0 to 128, a hint.
        MAX_L2_FETCH_GRANULARITY = 5, "CU_LIMIT_MAX_L2_FETCH_GRANULARITY";
        /// Bytes of L2 cache that are set aside for persisting accesses.
        PERSISTING_L2_CACHE_SIZE = 6, "CU_LIMIT_PERSISTING_L2_CACHE_SIZE";
        /// Bytes of shared memory for a kernel in a context that shares the device with graphics. Read only.
        SHMEM_SIZE = 7, "CU_LIMIT_SHMEM_SIZE";
        /// Not 0 in a context that shares the device with graphics. Read only.
        CIG_ENABLED = 8, "CU_LIMIT_CIG_ENABLED";
        /// 0 to have launches fail that need more shared memory than such a context has, instead of another way.
        CIG_SHMEM_FALLBACK_ENABLED = 9, "CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED";
        /// Bytes of memory for each block.
        PER_BLOCK_MEMORY_SIZE = 10, "CU_LIMIT_PER_BLOCK_MEMORY_SIZE";
    }
}

choices! {
    /// Whether a context or kernel prefers shared memory or L1 cache (`CUfunc_cache`).
    ///
    /// ```
    /// # use cuda_safe::{CacheConfig, Context};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// context.set_cache_config(CacheConfig::L1)?;
    /// // A hint: where the two are of fixed sizes there is no preference.
    /// assert!([CacheConfig::L1, CacheConfig::NONE].contains(&context.cache_config()?));
    /// # Ok(())
    /// # }
    /// ```
    pub struct CacheConfig(c_uint) {
        /// No preference.
        NONE = 0, "CU_FUNC_CACHE_PREFER_NONE";
        /// More shared memory, less L1 cache.
        SHARED = 1, "CU_FUNC_CACHE_PREFER_SHARED";
        /// More L1 cache, less shared memory.
        L1 = 2, "CU_FUNC_CACHE_PREFER_L1";
        /// The same amount of each.
        EQUAL = 3, "CU_FUNC_CACHE_PREFER_EQUAL";
    }
}

impl Context {
    /// The flags that the context was created with.
    ///
    /// # Errors
    /// The context is unusable after a fault, or has been destroyed.
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
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` where the driver does not know a flag, or flags contradict each other.
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for a driver older than CUDA 12.1.
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
        // SAFETY: a plain value; unknown flags are refused.
        let code = unsafe { set(flags.0) };
        self.check("cuCtxSetFlags", code)
    }

    /// A number that no other context of this process has, also when it is gone.
    ///
    /// # Errors
    /// The context is unusable after a fault, or has been destroyed.
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
        // SAFETY: the handle is live, `id` is valid for the write.
        let code = unsafe { sys::cuCtxGetId(self.as_raw(), &mut id) };
        self.check("cuCtxGetId", code)?;
        Ok(id)
    }

    /// The version of the API that the context was created for, such as 3020. It tells apart contexts of programs
    /// written for different versions, and is not that of the driver: see [`driver::version`](crate::driver::version).
    ///
    /// # Errors
    /// The context is unusable after a fault, or has been destroyed.
    #[doc(alias = "cuCtxGetApiVersion")]
    pub fn api_version(&self) -> Result<u32> {
        let _current = self.enter("cuCtxGetApiVersion")?;
        let mut version = 0;
        // SAFETY: the handle is live, `version` is valid for the write.
        let code = unsafe { sys::cuCtxGetApiVersion(self.as_raw(), &mut version) };
        self.check("cuCtxGetApiVersion", code)?;
        Ok(version)
    }

    /// Makes all persisting lines of the L2 cache normal ones: see
    /// [`AccessPolicyWindow`](crate::AccessPolicyWindow). They take effect for work that comes later.
    ///
    /// # Errors
    /// The context is unusable after a fault, or has been destroyed.
    ///
    /// ```
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// stream.synchronize()?; // what used the lines
    /// context.reset_persisting_l2()?;
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuCtxResetPersistingL2Cache")]
    pub fn reset_persisting_l2(&self) -> Result<()> {
        let _current = self.enter("cuCtxResetPersistingL2Cache")?;
        // SAFETY: works on the current context.
        let code = unsafe { sys::cuCtxResetPersistingL2Cache() };
        self.check("cuCtxResetPersistingL2Cache", code)
    }

    /// The value of a limit, in the unit that the [`Limit`] documents.
    ///
    /// # Errors
    /// `CUDA_ERROR_UNSUPPORTED_LIMIT` where the device does not have this limit.
    #[doc(alias = "cuCtxGetLimit")]
    pub fn limit(&self, limit: Limit) -> Result<usize> {
        let _current = self.enter("cuCtxGetLimit")?;
        let mut value = 0;
        // SAFETY: `value` is valid for the write; an unknown limit is refused.
        let code = unsafe { sys::cuCtxGetLimit(&mut value, sys::CUlimit(limit.0)) };
        self.check("cuCtxGetLimit", code)?;
        Ok(value)
    }

    /// Requests a new value of a limit, in the unit that the [`Limit`] documents. The driver may round it: read it
    /// back with [`limit`](Self::limit).
    ///
    /// # Errors
    /// `CUDA_ERROR_UNSUPPORTED_LIMIT` where the device does not have this limit. `CUDA_ERROR_INVALID_VALUE` for a
    /// value out of its range. [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) where the device lacks the
    /// memory for it.
    #[doc(alias = "cuCtxSetLimit")]
    pub fn set_limit(&self, limit: Limit, value: usize) -> Result<()> {
        let _current = self.enter("cuCtxSetLimit")?;
        // SAFETY: plain values; an unknown limit is refused.
        let code = unsafe { sys::cuCtxSetLimit(sys::CUlimit(limit.0), value) };
        self.check("cuCtxSetLimit", code)
    }

    /// The context's preference between shared memory and L1 cache.
    ///
    /// # Errors
    /// The context is unusable after a fault, or has been destroyed.
    #[doc(alias = "cuCtxGetCacheConfig")]
    pub fn cache_config(&self) -> Result<CacheConfig> {
        let _current = self.enter("cuCtxGetCacheConfig")?;
        let mut config = sys::CUfunc_cache(0);
        // SAFETY: `config` is valid for the write.
        let code = unsafe { sys::cuCtxGetCacheConfig(&mut config) };
        self.check("cuCtxGetCacheConfig", code)?;
        Ok(CacheConfig(config.0))
    }

    /// Sets the context's preference between shared memory and L1 cache: a hint.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a value that the driver does not know. The context is unusable after a fault,
    /// or has been destroyed.
    #[doc(alias = "cuCtxSetCacheConfig")]
    pub fn set_cache_config(&self, config: CacheConfig) -> Result<()> {
        let _current = self.enter("cuCtxSetCacheConfig")?;
        // SAFETY: a plain value; an unknown one is refused.
        let code = unsafe { sys::cuCtxSetCacheConfig(sys::CUfunc_cache(config.0)) };
        self.check("cuCtxSetCacheConfig", code)
    }

    /// The least and the greatest stream priority. Lower numbers are more urgent, so the greatest priority is the
    /// smaller number. Both are 0 if the device does not support priorities.
    ///
    /// # Errors
    /// The context is unusable after a fault, or has been destroyed.
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
