//! The pools behind stream-ordered allocation.

use std::sync::{Mutex, PoisonError};

use cuda_sys::{self as sys, CUmemoryPool};

use super::{
    buffer::DeviceBuffer,
    location::MemoryLocation,
    plain::PlainData,
    pool_options::{MemoryPoolOptions, PoolType, RawProperties},
    size::byte_size,
    virtual_memory::fabric_refused,
};
use crate::{
    context::Context,
    error::{Error, ErrorKind, Result},
    handle::{Adopt, Handle, Kind, handle},
    newer,
    peer::ShareableHandles,
    stream::Stream,
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

#[derive(Default)]
struct PoolKind {
    /// Memory of the context's device, or managed: the device reaches it, whatever is set.
    is_within_reach: bool,
    /// It was imported: another process, or this one, has made it.
    is_imported: bool,
    /// The most bytes that it was made to have; 0 where that isn't known.
    max_size: usize,
    /// Where it has been made current.
    current_at: Mutex<Vec<(MemoryLocation, PoolType)>>,
}

impl Kind for PoolKind {
    type Raw = CUmemoryPool;
    type Parent = Context;
    const NAME: &'static str = "MemoryPool";

    unsafe fn release(&self, raw: CUmemoryPool, context: &Context) -> Result<()> {
        let replaced = self.replace(raw, context);
        // SAFETY: released once, by this function's contract. The driver keeps the pool until the last allocation
        // from it is freed.
        let code = unsafe { sys::cuMemPoolDestroy(raw) };
        context.check("cuMemPoolDestroy", code).and(replaced)
    }
}

impl PoolKind {
    /// Makes the default pools current again where this one still is. Observed (driver 580): left alone, the driver puts the
    /// default pool of a device in the place of one of the host's memory, or of managed memory.
    fn replace(&self, raw: CUmemoryPool, context: &Context) -> Result<()> {
        let mut places = self
            .current_at
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for (location, kind) in places.drain(..) {
            if MemoryPool::current_at(context, location, kind)?.as_raw() == raw {
                let default = MemoryPool::default_at(context, location, kind)?;
                default.make_current_at(location, kind)?;
            }
        }
        Ok(())
    }
}

impl Adopt for PoolKind {
    fn adopt(_: CUmemoryPool) -> Self {
        Self::default()
    }
}

handle!(MemoryPool, CUmemoryPool, released by "cuMemPoolDestroy", made in Context);

impl MemoryPool {
    pub(super) fn context(&self) -> &Context {
        self.0.parent()
    }

    /// Whether the context's device reaches the memory, whatever is set.
    pub(super) fn is_within_reach(&self) -> bool {
        self.0.kind().is_within_reach
    }

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
        Self::with_options(context, MemoryPoolOptions::default())
    }

    /// Creates a pool, of any kind and place.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_SUPPORTED` ([`ErrorKind::Unsupported`]) where the device has no memory pools.
    /// `CUDA_ERROR_INVALID_VALUE` for a place that does not exist, and for what the driver does not know or can't share.
    ///
    /// ```
    /// # use cuda_safe::{Context, MemoryPool, MemoryPoolOptions, PoolType, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let options = MemoryPoolOptions::default().kind(PoolType::MANAGED);
    /// let pool = MemoryPool::with_options(&context, options)?;
    /// let mut x = pool.allocate_shared::<u32>(&stream, 3)?; // both sides reach it
    /// x.host_mut()?.copy_from_slice(&[1, 2, 3]);
    /// assert_eq!(x.to_vec(&stream)?, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemPoolCreate")]
    pub fn with_options(context: &Context, options: MemoryPoolOptions) -> Result<Self> {
        let kind = options.kind.unwrap_or(PoolType::PINNED);
        let location = options.location.unwrap_or_else(|| match kind {
            PoolType::MANAGED => MemoryLocation::NONE,
            _ => context.device().into(),
        });
        let properties = RawProperties {
            kind: kind.0,
            handle_types: options.handle_types.0,
            location: [location.kind, location.id.cast_unsigned()],
            security: std::ptr::null_mut(),
            max_size: options.max_size,
            // CU_MEM_POOL_CREATE_USAGE_HW_DECOMPRESS
            usage: if options.hardware_decompression { 2 } else { 0 },
            reserved: [0; 54],
        };
        let mut raw = std::ptr::null_mut();
        // SAFETY: `raw` is valid for the write; the properties are of the driver's layout.
        let code = unsafe { sys::cuMemPoolCreate(&mut raw, (&raw const properties).cast()) };
        context.check("cuMemPoolCreate", code).map_err(|error| {
            match options.handle_types.contains(ShareableHandles::FABRIC) {
                true => fabric_refused(error),
                false => error,
            }
        })?;
        let is_within_reach = kind == PoolType::MANAGED || location == context.device().into();
        let kind = PoolKind {
            is_within_reach,
            max_size: options.max_size,
            ..PoolKind::default()
        };
        // SAFETY: just made, and owned by nobody else.
        Ok(Self(unsafe {
            Handle::new(raw, true, context.clone(), kind)
        }))
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

    /// The pool that memory of a kind and place comes from at present, which is its default pool unless another was made
    /// current ([`make_current_at`](Self::make_current_at)).
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for drivers before CUDA 13.0, and for kinds of places that have no pool.
    /// `CUDA_ERROR_INVALID_VALUE` for a place that does not exist.
    ///
    /// ```
    /// # use cuda_safe::{Context, MemoryPool, PoolType};
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
        let mut raw = std::ptr::null_mut();
        let mut location = location.into().raw();
        // SAFETY: both are valid for the call.
        let code = unsafe { newer::cuMemGetMemPool()?(&mut raw, &mut location, kind.0) };
        context.check("cuMemGetMemPool", code)?;
        // SAFETY: a live pool, which belongs to the driver, or to whoever has made it current.
        Ok(unsafe { Self::of_kind(context, raw, kind) })
    }

    /// The pool that memory of a kind and place comes from where nobody has chosen another.
    ///
    /// # Errors
    /// As [`current_at`](Self::current_at).
    #[doc(alias = "cuMemGetDefaultMemPool")]
    pub fn default_at(
        context: &Context,
        location: impl Into<MemoryLocation>,
        kind: PoolType,
    ) -> Result<Self> {
        let mut raw = std::ptr::null_mut();
        let mut location = location.into().raw();
        // SAFETY: both are valid for the call.
        let code = unsafe { newer::cuMemGetDefaultMemPool()?(&mut raw, &mut location, kind.0) };
        context.check("cuMemGetDefaultMemPool", code)?;
        // SAFETY: a live pool, which belongs to the driver.
        Ok(unsafe { Self::of_kind(context, raw, kind) })
    }

    /// A pool that was imported, as its owner.
    ///
    /// # Safety
    /// As [`from_raw`](Self::from_raw).
    pub(super) unsafe fn imported(context: &Context, raw: CUmemoryPool) -> Self {
        let kind = PoolKind {
            is_imported: true,
            ..PoolKind::default()
        };
        // SAFETY: as this function's contract says.
        Self(unsafe { Handle::new(raw, true, context.clone(), kind) })
    }

    /// # Safety
    /// As [`borrow_raw`](Self::borrow_raw).
    unsafe fn of_kind(context: &Context, raw: CUmemoryPool, kind: PoolType) -> Self {
        let kind = PoolKind {
            is_within_reach: kind == PoolType::MANAGED,
            ..PoolKind::default()
        };
        // SAFETY: as this function's contract says.
        Self(unsafe { Handle::new(raw, false, context.clone(), kind) })
    }

    /// Has memory of a kind and place come from this pool from now on, in the whole process. When the pool is destroyed, the
    /// default pool takes its place. For the memory of devices, [`make_current`](Self::make_current) does the same.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a pool of another kind or place. Otherwise as [`current_at`](Self::current_at).
    #[doc(alias = "cuMemSetMemPool")]
    pub fn make_current_at(
        &self,
        location: impl Into<MemoryLocation>,
        kind: PoolType,
    ) -> Result<()> {
        let location = location.into();
        let mut raw = location.raw();
        // SAFETY: the handle is live; the default pool takes its place when it is destroyed.
        let code = unsafe { newer::cuMemSetMemPool()?(&mut raw, kind.0, self.as_raw()) };
        self.context().check("cuMemSetMemPool", code)?;
        let places = &self.0.kind().current_at;
        let mut places = places.lock().unwrap_or_else(PoisonError::into_inner);
        if !places.contains(&(location, kind)) {
            places.push((location, kind));
        }
        Ok(())
    }

    /// Allocates `len` elements from this pool, in a stream's order, with unspecified contents. The pool may go first: its
    /// memory stays until it is freed.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfMemory`], with the bytes requested and free; of a pool with a
    /// [maximum](MemoryPoolOptions), these are the pool's.
    /// [`ErrorKind::InvalidArgument`] where the stream's device has no access to the pool's memory, the pool was
    /// [imported](Self::import_file), or the stream is being captured.
    ///
    /// ```
    /// # use cuda_safe::{Context, MemoryPool, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let pool = MemoryPool::new(&context)?;
    /// let mut x = pool.allocate::<f32>(&stream, 100)?;
    /// x.fill(&stream, 1.0)?;
    /// assert_eq!(pool.used()?, 400);
    /// assert_eq!(x.to_vec(&stream)?, [1.0; 100]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemAllocFromPoolAsync")]
    pub fn allocate<T: PlainData>(&self, stream: &Stream, len: usize) -> Result<DeviceBuffer<T>> {
        const CALL: &str = "MemoryPool::allocate";
        byte_size::<T>(len, CALL)?;
        self.expect_access_of(stream, CALL)?;
        DeviceBuffer::uninit_in(stream, len, self).map_err(|error| self.explained(error))
    }

    /// What is free on the device says nothing of a pool that may not have it. What was imported allocates nothing.
    #[cold]
    fn explained(&self, error: Error) -> Error {
        let max = self.0.kind().max_size;
        let refused = error.driver_code() == Some(sys::CUresult::CUDA_ERROR_INVALID_VALUE);
        if refused && self.0.kind().is_imported {
            return error.with_kind(ErrorKind::InvalidArgument).with_detail(
                "nothing can be allocated from an imported pool: allocate in the process that has made it, and use \
                 MemoryPool::import_pointer here",
            );
        }
        match (error.kind().clone(), self.used()) {
            (ErrorKind::OutOfMemory { requested, .. }, Ok(used)) if max > 0 => {
                let kind = ErrorKind::OutOfMemory {
                    requested,
                    free: max.saturating_sub(used as usize),
                    total: max,
                };
                error.with_kind(kind).with_detail(format!(
                    "the pool was made to have at most {max} bytes (MemoryPoolOptions::max_size), and {used} are allocated"
                ))
            }
            _ => error,
        }
    }
}
