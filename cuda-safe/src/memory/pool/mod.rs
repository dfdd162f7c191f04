//! The pools behind stream-ordered allocation.

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
    virtual_memory::fabric_refused,
};
use crate::{
    context::Context,
    device::peer::ShareableHandles,
    driver::callback,
    error::{Error, ErrorKind, Result},
    handle::{Adopt, Handle, Kind, handle},
    raw::structures::RawPoolProperties,
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
pub(super) struct PoolKind {
    /// Memory of the context's device, or managed: the device reaches it, whatever is set.
    is_within_reach: bool,
    /// It was imported: another process, or this one, has made it.
    is_imported: bool,
    /// The most bytes that it was made to have; 0 where that isn't known.
    max_size: usize,
    /// Where it has been made current.
    current_at: Places,
}

impl Kind for PoolKind {
    type Raw = CUmemoryPool;
    type Parent = Context;
    const NAME: &'static str = "MemoryPool";

    unsafe fn release(&self, raw: CUmemoryPool, context: &Context) -> Result<()> {
        // Locked until the pool has been destroyed, so that no thread finds it as a current pool meanwhile.
        let mut registry = Registry::lock("cuMemPoolDestroy")?;
        registry.remove(raw);
        let replaced = pool_current::replace(&self.current_at, raw, context);
        // SAFETY: released once, by this function's contract. The driver keeps the pool until the last allocation
        // from it is freed.
        let code = unsafe { sys::cuMemPoolDestroy(raw) };
        context.check("cuMemPoolDestroy", code).and(replaced)
    }

    fn hand_over(&mut self, raw: CUmemoryPool) {
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
    /// # use cuda_safe::{Context, MemoryPool, memory::{MemoryPoolOptions, PoolType}, Stream};
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
        callback::refuse_within("cuMemPoolCreate")?;
        let kind = options.kind.unwrap_or(PoolType::PINNED);
        let location = options.location.unwrap_or_else(|| match kind {
            PoolType::MANAGED => MemoryLocation::NONE,
            _ => context.device().into(),
        });
        let properties = RawPoolProperties {
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
        unsafe { Self::register(context, raw, kind) }
    }

    /// Takes ownership of a pool.
    ///
    /// # Safety
    /// As for [`from_raw`](Self::from_raw).
    unsafe fn register(context: &Context, raw: CUmemoryPool, kind: PoolKind) -> Result<Self> {
        // SAFETY: as this function's contract says.
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
        // SAFETY: a pool of the driver's own, which outlives every handle.
        Self(unsafe { Handle::new(raw, false, context.clone(), kind) })
    }

    /// Returns another handle of a pool that the registry knows.
    pub(super) fn of_registry(handle: Handle<PoolKind>) -> Self {
        Self(handle)
    }

    /// Takes ownership of a pool that was imported.
    ///
    /// # Safety
    /// As for [`from_raw`](Self::from_raw).
    pub(super) unsafe fn imported(context: &Context, raw: CUmemoryPool) -> Result<Self> {
        let kind = PoolKind {
            is_imported: true,
            ..PoolKind::default()
        };
        // SAFETY: as this function's contract says.
        unsafe { Self::register(context, raw, kind) }
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
