//! Attributes of memory pools: retained memory, usage and reuse.

use std::ffi::c_void;

use cuda_sys::{self as sys, CUmemPool_attribute};

use super::{MemoryPool, options::PoolAttribute};
use crate::{
    driver::callback,
    error::{Error, Result},
};

impl MemoryPool {
    /// Returns how many bytes of unused memory the pool keeps instead of returning them to the
    /// system.
    ///
    /// See [`cuMemPoolGetAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Does not fail on a working driver.
    #[doc(alias = "cuMemPoolGetAttribute")]
    pub fn release_threshold(&self) -> Result<u64> {
        self.get(CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)
    }

    /// Sets how many bytes of unused memory the pool keeps. With 0, the driver's default, it keeps
    /// nothing. With `u64::MAX` it keeps everything.
    ///
    /// See [`cuMemPoolSetAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Does not fail on a working driver.
    #[doc(alias = "cuMemPoolSetAttribute")]
    pub fn set_release_threshold(&self, bytes: u64) -> Result<()> {
        self.set(PoolAttribute::RELEASE_THRESHOLD, bytes)
    }

    /// Returns how many bytes of memory the pool has reserved, used or not.
    ///
    /// # Errors
    /// Does not fail on a working driver.
    pub fn reserved(&self) -> Result<u64> {
        self.get(CUmemPool_attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)
    }

    /// Returns how many bytes are allocated from the pool.
    ///
    /// # Errors
    /// Does not fail on a working driver.
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

    /// Returns unused memory to the system until the pool has at most `keep` bytes.
    ///
    /// See [`cuMemPoolTrimTo`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Does not fail on a working driver.
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
        callback::reject_in_callback("cuMemPoolTrimTo")?;
        // SAFETY: the handle is live.
        let code = unsafe { sys::cuMemPoolTrimTo(self.as_raw(), keep) };
        self.context().check("cuMemPoolTrimTo", code)
    }

    /// Returns the highest value of [`reserved`](Self::reserved) since the pool was created or
    /// [`reset_high_water_marks`](Self::reset_high_water_marks) was called.
    ///
    /// # Errors
    /// Does not fail on a working driver.
    pub fn most_reserved(&self) -> Result<u64> {
        self.attribute(PoolAttribute::RESERVED_MEM_HIGH)
    }

    /// Returns the highest value of [`used`](Self::used) since the pool was created or
    /// [`reset_high_water_marks`](Self::reset_high_water_marks) was called.
    ///
    /// # Errors
    /// Does not fail on a working driver.
    pub fn most_used(&self) -> Result<u64> {
        self.attribute(PoolAttribute::USED_MEM_HIGH)
    }

    /// Resets [`most_reserved`](Self::most_reserved) and [`most_used`](Self::most_used) to the
    /// current values.
    ///
    /// See [`cuMemPoolSetAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Does not fail on a working driver.
    ///
    /// ```
    /// # use cuda_safe::{Context, MemoryPool, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let pool = MemoryPool::new(&context)?;
    /// drop(pool.allocate::<u8>(&stream, 1000)?);
    /// stream.synchronize()?;
    /// assert_eq!(pool.most_used()?, 1000);
    /// pool.reset_high_water_marks()?;
    /// assert_eq!(pool.most_used()?, 0);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemPoolSetAttribute")]
    pub fn reset_high_water_marks(&self) -> Result<()> {
        self.set(PoolAttribute::RESERVED_MEM_HIGH, 0)?;
        self.set(PoolAttribute::USED_MEM_HIGH, 0)
    }

    /// Returns whether one of the three ways to reuse memory among streams is enabled
    /// (`PoolAttribute::REUSE_*`).
    ///
    /// See [`cuMemPoolGetAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for any other
    /// attribute.
    #[doc(alias = "cuMemPoolGetAttribute")]
    pub fn reuses(&self, attribute: PoolAttribute) -> Result<bool> {
        expect_reuse_attribute(attribute, "MemoryPool::reuses")?;
        Ok(self.attribute(attribute)? != 0)
    }

    /// Enables or disables one of the three ways to reuse memory among streams
    /// (`PoolAttribute::REUSE_*`).
    ///
    /// If all are disabled, the reuse of memory does not depend on the timing of streams.
    ///
    /// See [`cuMemPoolSetAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for any other
    /// attribute.
    ///
    /// ```
    /// # use cuda_safe::{Context, MemoryPool, memory::PoolAttribute};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let pool = MemoryPool::new(&context)?;
    /// pool.set_reuse(PoolAttribute::REUSE_ALLOW_OPPORTUNISTIC, true)?;
    /// assert!(pool.reuses(PoolAttribute::REUSE_ALLOW_OPPORTUNISTIC)?);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemPoolSetAttribute")]
    pub fn set_reuse(&self, attribute: PoolAttribute, on: bool) -> Result<()> {
        expect_reuse_attribute(attribute, "MemoryPool::set_reuse")?;
        self.set(attribute, u64::from(on))
    }

    /// Returns an attribute as the driver's number. Attributes of type `int` are in the lower 32
    /// bits.
    ///
    /// See [`cuMemPoolGetAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the driver does not know the attribute, or if the pool
    /// was imported.
    #[doc(alias = "cuMemPoolGetAttribute")]
    pub fn attribute(&self, attribute: PoolAttribute) -> Result<u64> {
        self.get(CUmemPool_attribute(attribute.0))
    }

    fn set(&self, attribute: PoolAttribute, mut value: u64) -> Result<()> {
        callback::reject_in_callback("cuMemPoolSetAttribute")?;
        // SAFETY: the driver reads an attribute as a 64-bit number or as its lower half.
        let code = unsafe {
            sys::cuMemPoolSetAttribute(
                self.as_raw(),
                CUmemPool_attribute(attribute.0),
                (&raw mut value).cast::<c_void>(),
            )
        };
        self.context().check("cuMemPoolSetAttribute", code)
    }

    fn get(&self, attribute: CUmemPool_attribute) -> Result<u64> {
        callback::reject_in_callback("cuMemPoolGetAttribute")?;
        let mut value = 0u64;
        // SAFETY: the driver writes an attribute as a 64-bit number or as its lower half.
        let code = unsafe {
            sys::cuMemPoolGetAttribute(self.as_raw(), attribute, (&raw mut value).cast::<c_void>())
        };
        self.context().check("cuMemPoolGetAttribute", code)?;
        Ok(value)
    }
}

fn expect_reuse_attribute(attribute: PoolAttribute, call: &'static str) -> Result<()> {
    match attribute {
        PoolAttribute::REUSE_FOLLOW_EVENT_DEPENDENCIES
        | PoolAttribute::REUSE_ALLOW_OPPORTUNISTIC
        | PoolAttribute::REUSE_ALLOW_INTERNAL_DEPENDENCIES => Ok(()),
        other => Err(Error::invalid(
            call,
            format!("{other:?} is not a reuse attribute. Fix: use one of PoolAttribute::REUSE_*"),
        )),
    }
}
