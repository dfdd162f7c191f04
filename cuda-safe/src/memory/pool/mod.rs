//! Memory pools for stream-ordered allocation.

pub(crate) mod access;
pub(crate) mod attributes;
pub(crate) mod current;
pub(crate) mod options;
pub(crate) mod registry;
pub(crate) mod share;

use cuda_sys::{self as sys, CUmemoryPool};

use super::{
    device::buffer::DeviceBuffer,
    location::MemoryLocation,
    plain::PlainData,
    pool::{
        current::{self as pool_current, Places},
        options::{MemoryPoolOptions, PoolType},
        registry::Registry,
    },
    size::byte_size,
    virtual_memory::explain_fabric,
};
use crate::{
    context::Context,
    device::peer::ShareableHandles,
    driver::callback,
    error::{Error, ErrorKind, Result},
    handle::{Adopt, Handle, Kind, handle},
    raw::{file::security_attributes, structures::RawPoolProperties},
    stream::Stream,
};

/// A memory pool, from which stream-ordered allocations such as
/// [`DeviceBuffer`](crate::DeviceBuffer) come.
///
/// By default, the driver returns unused memory to the system whenever a stream is synchronized,
/// which makes the next allocation slow again. If your program allocates in a loop, raise the
/// threshold:
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
pub(super) struct PoolKind {
    /// The memory is on the context's device or is managed, so the device can always access it.
    is_within_reach: bool,
    /// The pool was imported from another process or from this one.
    is_imported: bool,
    /// The pool's maximum size, or 0 if unknown.
    max_size: usize,
    /// The locations where the pool has been made current.
    current_at: Places,
}

impl Kind for PoolKind {
    type Raw = CUmemoryPool;
    type Parent = Context;
    const NAME: &'static str = "MemoryPool";

    unsafe fn release(&self, raw: CUmemoryPool, context: &Context) -> Result<()> {
        // The registry stays locked until the pool is destroyed, so that no thread can find the
        // pool as a current one.
        let mut registry = Registry::lock("cuMemPoolDestroy")?;
        registry.remove(raw);
        let replaced = pool_current::replace(&self.current_at, raw, context);
        // SAFETY: the pool is released once, by this function's contract. The driver keeps it until
        // the last allocation from it is freed.
        let code = unsafe { sys::cuMemPoolDestroy(raw) };
        context.check("cuMemPoolDestroy", code).and(replaced)
    }

    fn prepare_into_raw(&mut self, raw: CUmemoryPool) {
        if let Ok(mut registry) = Registry::lock("MemoryPool::into_raw") {
            registry.remove(raw);
        }
    }
}

impl Adopt for PoolKind {
    fn adopt(_: CUmemoryPool) -> Self {
        Self::default()
    }

    fn adopted(handle: &Handle<Self>) {
        if let Ok(mut registry) = Registry::lock("MemoryPool::from_raw") {
            registry.add(handle);
        }
    }
}

handle!(MemoryPool, CUmemoryPool, released by "cuMemPoolDestroy", made in Context);

impl MemoryPool {
    pub(super) fn context(&self) -> &Context {
        self.0.parent()
    }

    pub(super) fn current_at_places(&self) -> &Places {
        &self.0.kind().current_at
    }

    /// Returns whether the context's device can access the memory without a grant.
    pub(super) fn is_within_reach(&self) -> bool {
        self.0.kind().is_within_reach
    }

    /// Creates a pool of memory on the context's device.
    ///
    /// See [`cuMemPoolCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported)
    /// (`CUDA_ERROR_NOT_SUPPORTED`) if the device has no memory pools.
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

    /// Creates a pool with options, which set the kind and location of its memory.
    ///
    /// See [`cuMemPoolCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] (`CUDA_ERROR_NOT_SUPPORTED`) if the device has no memory
    /// pools. Returns `CUDA_ERROR_INVALID_VALUE` if the location does not exist, or if the driver
    /// does not know an option or cannot share such a pool.
    ///
    /// ```
    /// # use cuda_safe::{Context, MemoryPool, memory::{MemoryPoolOptions, PoolType}, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let options = MemoryPoolOptions::default().kind(PoolType::MANAGED);
    /// let pool = MemoryPool::with_options(&context, options)?;
    /// let mut x = pool.allocate_shared::<u32>(&stream, 3)?; // the host and the device can use it
    /// x.host_mut()?.copy_from_slice(&[1, 2, 3]);
    /// assert_eq!(x.to_vec(&stream)?, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemPoolCreate")]
    pub fn with_options(context: &Context, options: MemoryPoolOptions) -> Result<Self> {
        callback::reject_in_callback("cuMemPoolCreate")?;
        let kind = options.kind.unwrap_or(PoolType::PINNED);
        let location = options.location.unwrap_or_else(|| match kind {
            PoolType::MANAGED => MemoryLocation::NONE,
            _ => context.device().into(),
        });
        let properties = RawPoolProperties {
            kind: kind.0,
            handle_types: options.handle_types.0,
            location: [location.kind, location.id.cast_unsigned()],
            security: security_attributes(options.handle_types.0),
            max_size: options.max_size,
            // CU_MEM_POOL_CREATE_USAGE_HW_DECOMPRESS
            usage: if options.hardware_decompression { 2 } else { 0 },
            reserved: [0; 54],
        };
        let mut raw = std::ptr::null_mut();
        // SAFETY: `raw` is valid for the write, and the properties have the driver's layout.
        let code = unsafe { sys::cuMemPoolCreate(&mut raw, (&raw const properties).cast()) };
        context.check("cuMemPoolCreate", code).map_err(|error| {
            match options.handle_types.contains(ShareableHandles::FABRIC) {
                true => explain_fabric(error),
                false => error,
            }
        })?;
        let is_within_reach = kind == PoolType::MANAGED || location == context.device().into();
        let kind = PoolKind {
            is_within_reach,
            max_size: options.max_size,
            ..PoolKind::default()
        };
        // SAFETY: the pool was just created and has no other owner.
        unsafe { Self::register(context, raw, kind) }
    }

    /// Takes ownership of a pool.
    ///
    /// # Safety
    /// The contract of [`from_raw`](Self::from_raw) applies.
    unsafe fn register(context: &Context, raw: CUmemoryPool, kind: PoolKind) -> Result<Self> {
        // SAFETY: guaranteed by this function's contract.
        let handle = unsafe { Handle::new(raw, true, context.clone(), kind) };
        Registry::lock("cuMemPoolCreate")?.add(&handle);
        Ok(Self(handle))
    }

    /// Returns a handle of a default pool, which the driver never destroys.
    pub(super) fn of_driver(context: &Context, raw: CUmemoryPool, kind: PoolType) -> Self {
        let kind = PoolKind {
            is_within_reach: kind == PoolType::MANAGED,
            ..PoolKind::default()
        };
        // SAFETY: the driver owns the pool, which outlives every handle.
        Self(unsafe { Handle::new(raw, false, context.clone(), kind) })
    }

    /// Returns another handle of a pool that the registry knows.
    pub(super) fn of_registry(handle: Handle<PoolKind>) -> Self {
        Self(handle)
    }

    /// Takes ownership of an imported pool.
    ///
    /// # Safety
    /// The contract of [`from_raw`](Self::from_raw) applies.
    pub(super) unsafe fn imported(context: &Context, raw: CUmemoryPool) -> Result<Self> {
        let kind = PoolKind {
            is_imported: true,
            ..PoolKind::default()
        };
        // SAFETY: guaranteed by this function's contract.
        unsafe { Self::register(context, raw, kind) }
    }

    /// Allocates `len` elements from this pool in a stream's order, with unspecified contents. The
    /// memory can outlive the pool.
    ///
    /// See [`cuMemAllocFromPoolAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::OutOfMemory`] with the requested and free bytes if the allocation
    /// fails. For a pool with a [maximum size](MemoryPoolOptions), the free bytes are the pool's.
    /// Returns [`ErrorKind::InvalidArgument`] if the stream's device has no access to the pool's
    /// memory, if the pool was [imported](Self::import_file), or if the stream is capturing.
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

    /// Explains a failed allocation. The device's free memory says nothing about a pool with a
    /// maximum size, and imported pools cannot allocate.
    #[cold]
    fn explained(&self, error: Error) -> Error {
        let max = self.0.kind().max_size;
        let refused = error.driver_code() == Some(sys::CUresult::CUDA_ERROR_INVALID_VALUE);
        if refused && self.0.kind().is_imported {
            return error.with_kind(ErrorKind::InvalidArgument).with_detail(
                "an imported pool cannot allocate. Fix: allocate in the process that created the pool, and use \
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
                    "the pool has a maximum size of {max} bytes (MemoryPoolOptions::max_size), and {used} are allocated"
                ))
            }
            _ => error,
        }
    }
}
