//! Scopes, in which copies can borrow host memory.

use std::{
    cell::{Cell, RefCell},
    marker::PhantomData,
    mem::ManuallyDrop,
};

use super::{
    self as copy,
    region::{CopySource, CopyTarget},
    region_copy::{HostRegion, HostRegionMut, RegionCopy},
};
use crate::{
    error::{Result, fault::discarding_errors},
    memory::{
        device::DeviceMemory,
        plain::PlainData,
        size::expect_equal,
        storage::{Storage, StorageMut},
    },
    stream::{Stream, settle::HostRange},
};

/// A scope in which copies can borrow host memory, created by [`Stream::scope`].
///
/// ```
/// # use cuda_safe::{Context, DeviceBuffer, Stream};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// let (odd, even, mut host) = ([1u32, 3], [2u32, 4], [0; 4]);
/// let mut buffer = DeviceBuffer::uninit(&stream, 4)?;
/// stream.scope(|scope| {
///     scope.upload(&odd, &mut buffer.slice_mut(..2)?)?;
///     scope.upload(&even, &mut buffer.slice_mut(2..)?)?;
///     scope.download(&buffer, &mut host)?;
///     assert_eq!(scope.stream().as_raw(), stream.as_raw());
///     Ok(())
/// })?;
/// assert_eq!(host, [1, 3, 2, 4]);
/// # Ok(())
/// # }
/// ```
pub struct Scope<'scope, 'env: 'scope> {
    stream: &'scope Stream,
    /// The borrowed memory that the copies use.
    borrowed: &'scope RefCell<Vec<HostRange>>,
    host: PhantomData<Cell<&'env mut ()>>,
}

impl Stream {
    /// Calls `body`, which can enqueue copies that borrow host memory, and then waits for this
    /// stream, even if `body` fails or panics.
    ///
    /// As with [`std::thread::scope`], the host memory is borrowed for the whole call.
    ///
    /// Copies of host memory that is not page-locked may block the host while they run.
    ///
    /// If `body` has a different error type, wrap its result: return `Ok(work())`, and write `??`
    /// after the call of `scope`.
    ///
    /// See [`cuStreamSynchronize`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the error of `body`, or of the work that it enqueued. Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) without calling `body` if
    /// the stream is capturing. `body` must not begin a raw capture that is still active when it
    /// returns.
    ///
    /// # Aborts
    /// Ends the process in the cases of [`Settled::or_abort`](crate::Settled::or_abort).
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let (a, mut b) = (vec![1u32, 2, 3], vec![0u32; 3]);
    /// let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 3)?;
    /// stream.scope(|scope| {
    ///     scope.upload(&a, &mut buffer)?;
    ///     scope.download(&buffer, &mut b)
    /// })?;
    /// assert_eq!(b, a);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuStreamSynchronize")]
    pub fn scope<'env, R>(
        &self,
        body: impl for<'scope> FnOnce(&Scope<'scope, 'env>) -> Result<R>,
    ) -> Result<R> {
        struct Wait<'a>(&'a Stream, &'a RefCell<Vec<HostRange>>);
        impl Wait<'_> {
            fn end(&self) -> Result<()> {
                self.0.end_borrow(self.1.borrow().iter().copied())
            }
        }
        impl Drop for Wait<'_> {
            fn drop(&mut self) {
                let _ = discarding_errors(|| self.end()); // only on a panic in `body`
            }
        }
        let _scope = self.enter_scope("Stream::scope")?;
        let borrowed = RefCell::default();
        let wait = Wait(self, &borrowed);
        let result = body(&Scope {
            stream: self,
            borrowed: &borrowed,
            host: PhantomData,
        });
        let waited = ManuallyDrop::new(wait).end();
        result.and_then(|value| waited.map(|()| value))
    }
}

impl<'env> Scope<'_, 'env> {
    /// Returns the stream on which the scope enqueues.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        self.stream
    }

    /// Enqueues a copy of all of `host` to the device.
    ///
    /// See [`cuMemcpyHtoDAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the lengths
    /// differ, or if the stream is capturing, because a graph could use the memory after the scope.
    /// Also returns the errors of [`DeviceMemory::copy_from`].
    #[doc(alias = "cuMemcpyHtoDAsync")]
    pub fn upload<T: PlainData>(
        &self,
        host: &'env [T],
        device: &mut DeviceMemory<impl StorageMut, T>,
    ) -> Result<()> {
        const CALL: &str = "Scope::upload";
        expect_equal(host.len(), device.len(), CALL)?;
        let _uncaptured = self.stream.enter_to_wait(CALL)?;
        self.borrowed.borrow_mut().push(HostRange::of(host));
        // SAFETY: `host` is borrowed for longer than the scope, which waits for the stream.
        unsafe { copy::enqueue_upload(CALL, device.span(), self.stream, host) }
    }

    /// Enqueues a copy of all of the device's elements to `host`.
    ///
    /// See [`cuMemcpyDtoHAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the lengths
    /// differ, or if the stream is capturing, because a graph could use the memory after the scope.
    /// Also returns the errors of [`DeviceMemory::copy_from`].
    #[doc(alias = "cuMemcpyDtoHAsync")]
    pub fn download<T: PlainData>(
        &self,
        device: &DeviceMemory<impl Storage, T>,
        host: &'env mut [T],
    ) -> Result<()> {
        const CALL: &str = "Scope::download";
        expect_equal(device.len(), host.len(), CALL)?;
        let _uncaptured = self.stream.enter_to_wait(CALL)?;
        self.borrowed.borrow_mut().push(HostRange::of(&*host));
        // SAFETY: `host` is exclusively borrowed for longer than the scope, which waits.
        unsafe { copy::enqueue_download(CALL, device.span(), self.stream, host) }
    }

    /// Enqueues a copy of a rectangle or box from the host to the device.
    ///
    /// See [`cuMemcpy2DAsync`, `cuMemcpy3DAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the stream is
    /// capturing. Also returns the errors of [`RegionCopy::enqueue`].
    ///
    /// ```
    /// # use cuda_safe::{Context, memory::{HostRegion, HostRegionMut, PitchedBuffer, RegionCopy}, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let (host, mut column) = ([1u32, 2, 3, 4], [0; 2]);
    /// let mut image = PitchedBuffer::zeroed(&stream, [2, 2])?;
    /// stream.scope(|scope| {
    ///     scope.upload_region(RegionCopy::new([2, 2]), &mut image, HostRegion::new(&host, [2, 2])?)?;
    ///     let column = HostRegionMut::new(&mut column, [1, 2])?;
    ///     scope.download_region(RegionCopy::new([1, 2]).source_at(1), column, &image)
    /// })?;
    /// assert_eq!(column, [2, 4]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemcpy2DAsync")]
    #[doc(alias = "cuMemcpy3DAsync")]
    pub fn upload_region<T: PlainData>(
        &self,
        copy: RegionCopy,
        target: &mut impl CopyTarget<T>,
        source: HostRegion<'env, T>,
    ) -> Result<()> {
        const CALL: &str = "Scope::upload_region";
        let _uncaptured = self.stream.enter_to_wait(CALL)?;
        self.borrowed.borrow_mut().push(source.range);
        // SAFETY: the host memory is borrowed for longer than the scope, which waits for the
        // stream.
        unsafe { copy.upload_enqueue(self.stream, target, source.place, CALL) }
    }

    /// Enqueues a copy of a rectangle or box from the device to the host.
    ///
    /// See [`cuMemcpy2DAsync`, `cuMemcpy3DAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the stream is
    /// capturing. Also returns the errors of [`RegionCopy::enqueue`].
    #[doc(alias = "cuMemcpy2DAsync")]
    #[doc(alias = "cuMemcpy3DAsync")]
    pub fn download_region<T: PlainData>(
        &self,
        copy: RegionCopy,
        target: HostRegionMut<'env, T>,
        source: &impl CopySource<T>,
    ) -> Result<()> {
        const CALL: &str = "Scope::download_region";
        let _uncaptured = self.stream.enter_to_wait(CALL)?;
        self.borrowed.borrow_mut().push(target.range);
        // SAFETY: the host memory is exclusively borrowed for longer than the scope, which waits.
        unsafe { copy.download_enqueue(self.stream, target.place, source, CALL) }
    }
}
