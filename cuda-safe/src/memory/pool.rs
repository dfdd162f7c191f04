//! The pool behind stream-ordered allocation.

use std::ffi::c_void;

use cuda_sys::{
    self as sys, CUmemAllocationType, CUmemLocation, CUmemLocationType, CUmemPool_attribute,
    CUmemPoolProps, CUmemoryPool,
};

use crate::{
    context::Context,
    error::Result,
    handle::{Adopt, Handle, Kind, handle},
};

/// A memory pool: what stream-ordered allocations, such as [`DeviceBuffer`](crate::DeviceBuffer)'s, come from.
///
/// By default the driver returns unused memory to the system whenever a stream is synchronised, which makes the next
/// allocation slow again. A program that allocates in a loop raises the threshold:
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
pub struct MemoryPool(Handle<PoolKind>);

struct PoolKind;

impl Kind for PoolKind {
    type Raw = CUmemoryPool;
    type Parent = Context;
    const NAME: &'static str = "MemoryPool";

    unsafe fn release(&self, raw: CUmemoryPool, context: &Context) -> Result<()> {
        // SAFETY: released once, by this function's contract. The driver keeps the pool until the last allocation
        // from it is freed.
        context.check("cuMemPoolDestroy", unsafe { sys::cuMemPoolDestroy(raw) })
    }
}

impl Adopt for PoolKind {
    fn adopt(_: CUmemoryPool) -> Self {
        Self
    }
}

handle!(MemoryPool, CUmemoryPool, released by "cuMemPoolDestroy", made in Context);

impl MemoryPool {
    /// Creates a pool of memory on the context's device.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_SUPPORTED` ([`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported)) where the device has no
    /// memory pools.
    ///
    /// ```
    /// # use cuda_safe::{Context, MemoryPool};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let pool = MemoryPool::new(&context)?;
    /// assert_ne!(pool, MemoryPool::current(&context)?);
    /// assert_eq!(pool.used()?, 0);
    /// pool.close()?;
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemPoolCreate")]
    pub fn new(context: &Context) -> Result<Self> {
        let properties = CUmemPoolProps {
            allocType: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
            location: CUmemLocation::new(
                CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
                context.device().as_raw(),
            ),
            ..Default::default()
        };
        let mut raw = std::ptr::null_mut();
        // SAFETY: `raw` is valid for the write, the properties for the read.
        let code = unsafe { sys::cuMemPoolCreate(&mut raw, &properties) };
        context.check("cuMemPoolCreate", code)?;
        // SAFETY: just made, and owned by nobody else.
        Ok(unsafe { Self::from_raw(context, raw) })
    }

    /// The pool that allocations on the context's device currently come from.
    ///
    /// # Errors
    /// As [`new`](Self::new).
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
        // SAFETY: a pool of the context's device, which belongs to the driver.
        Ok(unsafe { Self::borrow_raw(context, raw) })
    }

    /// The pool that the context's device begins with, whatever is its current one.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    #[doc(alias = "cuDeviceGetDefaultMemPool")]
    pub fn default_of(context: &Context) -> Result<Self> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: `raw` is valid for the write.
        let code = unsafe { sys::cuDeviceGetDefaultMemPool(&mut raw, context.device().as_raw()) };
        context.check("cuDeviceGetDefaultMemPool", code)?;
        // SAFETY: a pool of the context's device, which belongs to the driver.
        Ok(unsafe { Self::borrow_raw(context, raw) })
    }

    /// Has allocations on the pool's device come from this pool from now on, in all contexts of the process. When the
    /// pool is destroyed, the default pool takes its place.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a pool that is not one of the device's memory.
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
        let context = self.0.parent();
        // SAFETY: the handle is live; the driver turns to the default pool when it is destroyed.
        let code = unsafe { sys::cuDeviceSetMemPool(context.device().as_raw(), self.as_raw()) };
        context.check("cuDeviceSetMemPool", code)
    }

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
        let mut bytes = bytes;
        // SAFETY: this attribute is read as a 64-bit number.
        let code = unsafe {
            sys::cuMemPoolSetAttribute(
                self.as_raw(),
                CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
                (&raw mut bytes).cast::<c_void>(),
            )
        };
        self.0.parent().check("cuMemPoolSetAttribute", code)
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
        // SAFETY: the handle is live.
        let code = unsafe { sys::cuMemPoolTrimTo(self.as_raw(), keep) };
        self.0.parent().check("cuMemPoolTrimTo", code)
    }

    fn get(&self, attribute: CUmemPool_attribute) -> Result<u64> {
        let mut value = 0u64;
        // SAFETY: the attributes asked for here are written as 64-bit numbers.
        let code = unsafe {
            sys::cuMemPoolGetAttribute(self.as_raw(), attribute, (&raw mut value).cast::<c_void>())
        };
        self.0.parent().check("cuMemPoolGetAttribute", code)?;
        Ok(value)
    }
}
