//! The settings of a context: how it waits, its limits, its preference for caches.

use std::ffi::c_uint;

use cuda_sys as sys;

use super::Context;
use crate::{
    error::Result,
    flags::{choices, flags},
};

flags! {
    /// How a created context waits for the device, and how it treats local memory (`CUctx_flags`).
    ///
    /// ```
    /// # use cuda_safe::{Context, ContextFlags, Device};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let flags = ContextFlags::BLOCKING_SYNC | ContextFlags::LMEM_RESIZE_TO_MAX;
    /// let context = Context::create(Device::get(0)?, flags)?;
    /// assert_ne!(context.flags()?.0 & ContextFlags::BLOCKING_SYNC.0, 0);
    /// # Ok(())
    /// # }
    /// ```
    pub struct ContextFlags {
        /// The driver chooses between spinning and yielding.
        AUTO = 0, "CU_CTX_SCHED_AUTO";
        /// Wait by spinning: the lowest latency, at the cost of a busy core.
        SPIN = 1, "CU_CTX_SCHED_SPIN";
        /// Wait by yielding the processor.
        YIELD = 2, "CU_CTX_SCHED_YIELD";
        /// Wait by blocking the thread.
        BLOCKING_SYNC = 4, "CU_CTX_SCHED_BLOCKING_SYNC";
        /// Keep local memory at its largest size after a launch instead of shrinking it.
        LMEM_RESIZE_TO_MAX = 16, "CU_CTX_LMEM_RESIZE_TO_MAX";
    }
}

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
        /// Bytes that L2 fetches at once: 0 to 128, a hint.
        MAX_L2_FETCH_GRANULARITY = 5, "CU_LIMIT_MAX_L2_FETCH_GRANULARITY";
        /// Bytes of L2 cache that are set aside for persisting accesses.
        PERSISTING_L2_CACHE_SIZE = 6, "CU_LIMIT_PERSISTING_L2_CACHE_SIZE";
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
        let _current = self.enter()?;
        let mut flags = 0;
        // SAFETY: `flags` is valid for the write.
        let code = unsafe { sys::cuCtxGetFlags(&mut flags) };
        self.check("cuCtxGetFlags", code)?;
        Ok(ContextFlags(flags))
    }

    /// The value of a limit, in the unit that the [`Limit`] documents.
    ///
    /// # Errors
    /// `CUDA_ERROR_UNSUPPORTED_LIMIT` where the device does not have this limit.
    #[doc(alias = "cuCtxGetLimit")]
    pub fn limit(&self, limit: Limit) -> Result<usize> {
        let _current = self.enter()?;
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
        let _current = self.enter()?;
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
        let _current = self.enter()?;
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
        let _current = self.enter()?;
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
        let _current = self.enter()?;
        let (mut least, mut greatest) = (0, 0);
        // SAFETY: both are valid for the write.
        let code = unsafe { sys::cuCtxGetStreamPriorityRange(&mut least, &mut greatest) };
        self.check("cuCtxGetStreamPriorityRange", code)?;
        Ok((least, greatest))
    }
}
