//! What a pool keeps, and how it reuses memory.

use std::ffi::c_void;

use cuda_sys::{self as sys, CUmemPool_attribute};

use super::{MemoryPool, options::PoolAttribute};
use crate::{
    driver::callback,
    error::{Error, Result},
};

impl MemoryPool {
    /// Bytes of unused memory that the pool keeps instead of returning them to the system.
    ///
    /// # Errors
    /// None that a working driver returns for a live pool.
    #[doc(alias = "cuMemPoolGetAttribute")]
    pub fn release_threshold(&self) -> Result<u64> {
        self.get(CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)
    }

    /// Sets how many bytes of unused memory the pool keeps. 0, the driver's default, keeps nothing; `u64::MAX` keeps
    /// everything.
    ///
    /// # Errors
    /// None that a working driver returns for a live pool.
    #[doc(alias = "cuMemPoolSetAttribute")]
    pub fn set_release_threshold(&self, bytes: u64) -> Result<()> {
        self.set(PoolAttribute::RELEASE_THRESHOLD, bytes)
    }

    /// Bytes of memory that the pool has, used or not.
    ///
    /// # Errors
    /// None that a working driver returns for a live pool.
    pub fn reserved(&self) -> Result<u64> {
        self.get(CUmemPool_attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)
    }

    /// Bytes that are allocated from the pool.
    ///
    /// # Errors
    /// None that a working driver returns for a live pool.
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

    /// Returns unused memory to the system until the pool has no more than `keep` bytes.
    ///
    /// # Errors
    /// None that a working driver returns for a live pool.
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
        callback::refuse_within("cuMemPoolTrimTo")?;
        // SAFETY: the handle is live.
        let code = unsafe { sys::cuMemPoolTrimTo(self.as_raw(), keep) };
        self.context().check("cuMemPoolTrimTo", code)
    }

    /// The most bytes that the pool ever had, or since [`reset_high_water_marks`](Self::reset_high_water_marks).
    ///
    /// # Errors
    /// None that a working driver returns for a live pool.
    pub fn most_reserved(&self) -> Result<u64> {
        self.attribute(PoolAttribute::RESERVED_MEM_HIGH)
    }

    /// The most bytes that were ever allocated from the pool at a time, or since
    /// [`reset_high_water_marks`](Self::reset_high_water_marks).
    ///
    /// # Errors
    /// None that a working driver returns for a live pool.
    pub fn most_used(&self) -> Result<u64> {
        self.attribute(PoolAttribute::USED_MEM_HIGH)
    }

    /// Has [`most_reserved`](Self::most_reserved) and [`most_used`](Self::most_used) begin at what they are now.
    ///
    /// # Errors
    /// None that a working driver returns for a live pool.
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

    /// One of the three ways of reusing memory among streams, `PoolAttribute::REUSE_*`: whether it is on.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for an attribute that is none of them.
    #[doc(alias = "cuMemPoolGetAttribute")]
    pub fn reuses(&self, way: PoolAttribute) -> Result<bool> {
        expect_way(way, "MemoryPool::reuses")?;
        Ok(self.attribute(way)? != 0)
    }

    /// Turns one of the three ways of reusing memory among streams on or off, `PoolAttribute::REUSE_*`. Without them, when
    /// memory is reused does not depend on how fast streams are.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for an attribute that is none of them.
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
    pub fn set_reuse(&self, way: PoolAttribute, on: bool) -> Result<()> {
        expect_way(way, "MemoryPool::set_reuse")?;
        self.set(way, u64::from(on))
    }

    /// Any attribute, as the driver's number; what it gives as an `int` is in the lower 32 bits.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for an attribute that the driver does not know, and of an imported pool.
    #[doc(alias = "cuMemPoolGetAttribute")]
    pub fn attribute(&self, attribute: PoolAttribute) -> Result<u64> {
        self.get(CUmemPool_attribute(attribute.0))
    }

    fn set(&self, attribute: PoolAttribute, mut value: u64) -> Result<()> {
        callback::refuse_within("cuMemPoolSetAttribute")?;
        // SAFETY: attributes are read as 64-bit numbers, or as their lower halves.
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
        callback::refuse_within("cuMemPoolGetAttribute")?;
        let mut value = 0u64;
        // SAFETY: attributes are written as 64-bit numbers, or as their lower halves.
        let code = unsafe {
            sys::cuMemPoolGetAttribute(self.as_raw(), attribute, (&raw mut value).cast::<c_void>())
        };
        self.context().check("cuMemPoolGetAttribute", code)?;
        Ok(value)
    }
}

fn expect_way(way: PoolAttribute, call: &'static str) -> Result<()> {
    match way {
        PoolAttribute::REUSE_FOLLOW_EVENT_DEPENDENCIES
        | PoolAttribute::REUSE_ALLOW_OPPORTUNISTIC
        | PoolAttribute::REUSE_ALLOW_INTERNAL_DEPENDENCIES => Ok(()),
        other => Err(Error::invalid(
            call,
            format!("{other:?} is not a way of reusing memory: those are PoolAttribute::REUSE_*"),
        )),
    }
}
