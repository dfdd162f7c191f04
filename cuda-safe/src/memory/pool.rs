//! The pool behind stream-ordered allocation.

use std::ffi::c_void;

use cuda_sys::{self as sys, CUmemPool_attribute, CUmemoryPool};

use crate::{context::Context, error::Result};

/// The memory pool that buffers of a context's device are allocated from.
///
/// By default the driver gives unused memory back to the system whenever a stream is
/// synchronised, so that the next allocation is slow again. A program that allocates in a loop
/// raises the threshold:
///
/// ```
/// use cuda_safe::{Context, MemoryPool};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let pool = MemoryPool::current(&context)?;
/// pool.set_release_threshold(u64::MAX)?; // keep everything
/// assert_eq!(pool.release_threshold()?, u64::MAX);
/// # pool.set_release_threshold(0)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct MemoryPool {
    raw: CUmemoryPool,
    context: Context,
}

// SAFETY: a pool handle may be used from any thread; the driver locks.
unsafe impl Send for MemoryPool {}
// SAFETY: as above.
unsafe impl Sync for MemoryPool {}

impl MemoryPool {
    /// The pool that allocations on the context's device come from now.
    ///
    /// # Errors
    /// The device has no memory pools.
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
        let mut raw = std::ptr::null_mut();
        // SAFETY: `raw` is valid for the write.
        let code = unsafe { sys::cuDeviceGetMemPool(&mut raw, context.device().as_raw()) };
        context.check("cuDeviceGetMemPool", code)?;
        Ok(Self {
            raw,
            context: context.clone(),
        })
    }

    /// The driver's handle, valid as long as the device's pool is not changed.
    #[must_use]
    pub fn as_raw(&self) -> CUmemoryPool {
        self.raw
    }

    /// Bytes that the pool keeps when it could give them back.
    ///
    /// # Errors
    /// The driver refuses.
    #[doc(alias = "cuMemPoolGetAttribute")]
    pub fn release_threshold(&self) -> Result<u64> {
        self.get(CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)
    }

    /// Sets how many bytes the pool keeps when it could give them back. 0 is the driver's
    /// default, `u64::MAX` keeps everything.
    ///
    /// # Errors
    /// The driver refuses.
    #[doc(alias = "cuMemPoolSetAttribute")]
    pub fn set_release_threshold(&self, bytes: u64) -> Result<()> {
        let mut bytes = bytes;
        // SAFETY: this attribute is read as a 64-bit number.
        let code = unsafe {
            sys::cuMemPoolSetAttribute(
                self.raw,
                CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
                (&raw mut bytes).cast::<c_void>(),
            )
        };
        self.context.check("cuMemPoolSetAttribute", code)
    }

    /// Bytes that the pool holds, used or not.
    ///
    /// # Errors
    /// The driver refuses.
    pub fn reserved(&self) -> Result<u64> {
        self.get(CUmemPool_attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)
    }

    /// Bytes that are allocated from the pool.
    ///
    /// # Errors
    /// The driver refuses.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, MemoryPool, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let pool = MemoryPool::current(&context)?;
    /// let buffer = DeviceBuffer::<u8>::zeroed(&stream, 1 << 20)?;
    /// assert!(pool.used()? >= 1 << 20);
    /// assert!(pool.reserved()? >= 1 << 20);
    /// # drop(buffer);
    /// # Ok(())
    /// # }
    /// ```
    pub fn used(&self) -> Result<u64> {
        self.get(CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT)
    }

    /// Gives unused memory back to the system until `keep` bytes are left.
    ///
    /// # Errors
    /// The driver refuses.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, MemoryPool, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// drop(DeviceBuffer::<u8>::zeroed(&stream, 1 << 20)?);
    /// stream.synchronize()?;
    /// let pool = MemoryPool::current(&context)?;
    /// let before = pool.reserved()?;
    /// pool.trim_to(0)?;
    /// assert!(pool.reserved()? <= before);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemPoolTrimTo")]
    pub fn trim_to(&self, keep: usize) -> Result<()> {
        // SAFETY: the handle is live.
        let code = unsafe { sys::cuMemPoolTrimTo(self.raw, keep) };
        self.context.check("cuMemPoolTrimTo", code)
    }

    fn get(&self, attribute: CUmemPool_attribute) -> Result<u64> {
        let mut value = 0u64;
        // SAFETY: the attributes asked for here are written as 64-bit numbers.
        let code = unsafe {
            sys::cuMemPoolGetAttribute(self.raw, attribute, (&raw mut value).cast::<c_void>())
        };
        self.context.check("cuMemPoolGetAttribute", code)?;
        Ok(value)
    }
}
