//! Batched prefetches and discards of managed memory.

use std::marker::PhantomData;

use cuda_sys::{self as sys, CUdeviceptr, CUresult};

use crate::{
    capture,
    driver::newer,
    error::{ErrorKind, Result},
    memory::{
        copy::Span,
        device::DeviceMemory,
        location::MemoryLocation,
        plain::PlainData,
        storage::{Storage, StorageMut},
    },
    stream::Stream,
};

/// A range of memory to prefetch: see [`Stream::prefetch_batch`].
#[derive(Clone, Copy)]
pub struct Prefetch<'a> {
    span: Span<'a>,
    location: MemoryLocation,
}

/// A range of memory whose contents to discard: see [`Stream::discard_batch`].
pub struct Discard<'a> {
    span: Span<'a>,
    exclusive: PhantomData<&'a mut ()>,
}

impl<S: Storage, T: PlainData> DeviceMemory<S, T> {
    /// Returns this memory and a target location, for [`Stream::prefetch_batch`].
    #[must_use]
    pub fn to_prefetch(&self, location: impl Into<MemoryLocation>) -> Prefetch<'_> {
        Prefetch {
            span: self.span(),
            location: location.into(),
        }
    }
}

impl<S: StorageMut, T: PlainData> DeviceMemory<S, T> {
    /// Returns this memory as an argument of [`Stream::discard_batch`].
    #[must_use]
    pub fn to_discard(&mut self) -> Discard<'_> {
        Discard {
            span: self.span(),
            exclusive: PhantomData,
        }
    }
}

impl std::fmt::Debug for Prefetch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Span { ptr, bytes, .. } = self.span;
        write!(
            f,
            "Prefetch({bytes} bytes at {ptr:#x}, {:?})",
            self.location
        )
    }
}

impl std::fmt::Debug for Discard<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Span { ptr, bytes, .. } = self.span;
        write!(f, "Discard({bytes} bytes at {ptr:#x})")
    }
}

/// Arguments of the batched driver calls. Empty ranges are left out.
#[derive(Default)]
struct Batch {
    ptrs: Vec<CUdeviceptr>,
    sizes: Vec<usize>,
    places: Vec<sys::CUmemLocation>,
    /// The index of the first range of each location.
    firsts: Vec<usize>,
}

impl Batch {
    fn add(&mut self, span: Span<'_>, location: Option<MemoryLocation>) {
        if span.bytes == 0 {
            return;
        }
        if let Some(location) = location {
            self.firsts.push(self.ptrs.len());
            self.places.push(location.raw());
        }
        self.ptrs.push(span.ptr);
        self.sizes.push(span.bytes);
    }
}

impl Stream {
    /// Enqueues several prefetches in one call. They keep the stream's order, but not an order
    /// among each other.
    ///
    /// See [`cuMemPrefetchBatchAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__UNIFIED.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`DeviceMemory::prefetch`], in which case nothing is prefetched.
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the stream is the legacy default stream. Returns
    /// [`ErrorKind::Unsupported`] if the driver is older than CUDA 13.0.
    ///
    /// ```
    /// # use cuda_safe::{Context, ManagedBuffer, memory::MemoryLocation, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let x = ManagedBuffer::<u8>::zeroed(&stream, 1 << 16)?;
    /// let y = ManagedBuffer::<f64>::zeroed(&stream, 1 << 10)?;
    /// let device = context.device();
    /// stream.prefetch_batch(&[x.to_prefetch(device), y.to_prefetch(MemoryLocation::HOST)])?;
    /// assert_eq!(x.range_attributes()?.last_prefetch, Some(device.into()));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemPrefetchBatchAsync")]
    pub fn prefetch_batch(&self, ranges: &[Prefetch<'_>]) -> Result<()> {
        const CALL: &str = "cuMemPrefetchBatchAsync";
        let mut batch = Batch::default();
        for range in ranges {
            batch.add(range.span, Some(range.location));
        }
        let call = newer::cuMemPrefetchBatchAsync()?;
        let owners = ranges.iter().map(|range| range.span.owner);
        self.enqueue_batch(CALL, batch, owners, |batch, stream| {
            let Batch {
                ptrs,
                sizes,
                places,
                firsts,
            } = batch;
            let (count, kinds) = (ptrs.len(), places.len());
            let (ptrs, sizes) = (ptrs.as_mut_ptr(), sizes.as_mut_ptr());
            let (places, firsts) = (places.as_mut_ptr(), firsts.as_mut_ptr());
            // SAFETY: the arrays have these lengths and the memory is live. The driver checks that
            // it is managed.
            unsafe { call(ptrs, sizes, count, places, firsts, kinds, 0, stream) }
        })
    }

    /// Enqueues discarding the contents of managed memory, so that the driver need not move them.
    ///
    /// From then on, the elements have unspecified values until they are written again.
    ///
    /// See [`cuMemDiscardBatchAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__UNIFIED.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if some of the memory is not managed, or if the
    /// stream is capturing. Returns `CUDA_ERROR_INVALID_VALUE` if the stream is the legacy default
    /// stream. Returns [`ErrorKind::Unsupported`] if the driver is older than CUDA 13.0.
    ///
    /// ```
    /// # use cuda_safe::{Context, ManagedBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mut x = ManagedBuffer::<u8>::zeroed(&stream, 1 << 16)?;
    /// stream.discard_batch(&[x.to_discard()])?;
    /// x.fill(&stream, 7)?; // written before it is read
    /// assert_eq!(x.host()?[100], 7);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemDiscardBatchAsync")]
    pub fn discard_batch(&self, ranges: &[Discard<'_>]) -> Result<()> {
        const CALL: &str = "cuMemDiscardBatchAsync";
        let mut batch = Batch::default();
        for range in ranges {
            batch.add(range.span, None);
        }
        let call = newer::cuMemDiscardBatchAsync()?;
        let owners = ranges.iter().map(|range| range.span.owner);
        self.enqueue_batch(CALL, batch, owners, |batch, stream| {
            let (ptrs, sizes) = (batch.ptrs.as_mut_ptr(), batch.sizes.as_mut_ptr());
            // SAFETY: the arrays have this length, and the memory is live and exclusively borrowed.
            unsafe { call(ptrs, sizes, batch.ptrs.len(), 0, stream) }
        })
    }

    /// Enqueues discarding the contents of managed memory and prefetching it, which moves no data.
    ///
    /// Use it for memory that is about to be overwritten at the target location.
    ///
    /// See [`cuMemDiscardAndPrefetchBatchAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__UNIFIED.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if some of the memory is not managed, or if the
    /// stream is capturing. Returns `CUDA_ERROR_INVALID_VALUE` if the stream is the legacy default
    /// stream. Also returns the errors of [`prefetch_batch`](Self::prefetch_batch) for locations
    /// and old drivers.
    ///
    /// ```
    /// # use cuda_safe::{Context, ManagedBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mut x = ManagedBuffer::<u8>::zeroed(&stream, 1 << 16)?;
    /// stream.discard_and_prefetch_batch(&[(x.to_discard(), context.device().into())])?;
    /// x.fill(&stream, 7)?;
    /// assert_eq!(x.host()?[100], 7);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemDiscardAndPrefetchBatchAsync")]
    pub fn discard_and_prefetch_batch(
        &self,
        ranges: &[(Discard<'_>, MemoryLocation)],
    ) -> Result<()> {
        const CALL: &str = "cuMemDiscardAndPrefetchBatchAsync";
        let mut batch = Batch::default();
        for (range, location) in ranges {
            batch.add(range.span, Some(*location));
        }
        let call = newer::cuMemDiscardAndPrefetchBatchAsync()?;
        let owners = ranges.iter().map(|(range, _)| range.span.owner);
        self.enqueue_batch(CALL, batch, owners, |batch, stream| {
            let Batch {
                ptrs,
                sizes,
                places,
                firsts,
            } = batch;
            let (count, kinds) = (ptrs.len(), places.len());
            let (ptrs, sizes) = (ptrs.as_mut_ptr(), sizes.as_mut_ptr());
            let (places, firsts) = (places.as_mut_ptr(), firsts.as_mut_ptr());
            // SAFETY: the arrays have these lengths, and the memory is live and exclusively
            // borrowed.
            unsafe { call(ptrs, sizes, count, places, firsts, kinds, 0, stream) }
        })
    }

    fn enqueue_batch<'a>(
        &self,
        call: &'static str,
        mut batch: Batch,
        owners: impl IntoIterator<Item = crate::stream::Owner<'a>>,
        enqueue: impl FnOnce(&mut Batch, sys::CUstream) -> CUresult,
    ) -> Result<()> {
        if batch.ptrs.is_empty() {
            return Ok(());
        }
        let _uncaptured = self.uncaptured(call, capture::REMEDY)?;
        self.ordered(call, owners, || {
            let _current = self.enter(call)?;
            let code = enqueue(&mut batch, self.as_raw());
            self.check(call, code).map_err(|error| {
                let context = self.context();
                let managed = |ptr: &CUdeviceptr| {
                    context
                        .pointer_info(*ptr)
                        .map_or(true, |info| info.is_managed)
                };
                if batch.ptrs.iter().all(managed) {
                    return error;
                }
                error.with_kind(ErrorKind::InvalidArgument).with_detail(
                    "some of the memory is not managed, and only managed memory migrates. Fix: use ManagedBuffers",
                )
            })
        })
    }
}
