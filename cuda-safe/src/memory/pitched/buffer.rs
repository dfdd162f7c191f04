//! Owned pitched memory.

use cuda_sys::{self as sys, CUdeviceptr};

use super::PitchedMemory;
use crate::{
    capture,
    error::{Error, Result},
    memory::{
        alignment::expect_aligned,
        copy::{
            extent::Extent,
            layout::{Layout, Strides},
        },
        plain::PlainData,
        size::{byte_size, expect_equal},
        waited::{Free, Waited, waited},
    },
    stream::Stream,
};

/// Owned rows of elements in device memory, each aligned for fast kernels and copies. An alias of
/// [`PitchedMemory<PitchedAllocation, T>`](PitchedMemory), which is the name in compiler messages.
///
/// Dropping it waits for the work on its stream. For buffers that are created and dropped in a
/// loop, a [`DeviceBuffer`](crate::DeviceBuffer) with a [`PitchedView`](crate::memory::PitchedView)
/// of it is faster.
///
/// ```
/// use cuda_safe::{Context, memory::{PitchedBuffer, RegionCopy}, Stream};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// let image = PitchedBuffer::from_slice(&stream, [4, 2], &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])?;
/// assert!(image.pitch() >= 4 * size_of::<f32>()); // a row may have a gap after it
/// let mut other = PitchedBuffer::<f32>::zeroed(&stream, [3, 3])?;
/// // Copies the two columns from 2 on to the lower right corner.
/// RegionCopy::new([2, 2]).source_at([2, 0]).target_at([1, 1]).enqueue(&stream, &mut other, &image)?;
/// assert_eq!(other.to_vec(&stream)?, [0.0, 0.0, 0.0, 0.0, 3.0, 4.0, 0.0, 7.0, 8.0]);
/// # Ok(())
/// # }
/// ```
pub type PitchedBuffer<T> = PitchedMemory<PitchedAllocation, T>;

waited! {
    /// The storage of a [`PitchedBuffer`]: owned memory ordered by a stream.
    pub struct PitchedAllocation(Free), "PitchedBuffer"
}

/// Returns the element size to pass to the driver, which accepts 4, 8 and 16: the widest load that
/// fits the elements.
fn element_size(size: usize) -> u32 {
    match size {
        size if size.is_multiple_of(16) => 16,
        size if size.is_multiple_of(8) => 8,
        _ => 4,
    }
}

impl<T: PlainData> PitchedBuffer<T> {
    /// Allocates `extent` elements, rows and slices with unspecified contents (the previous bits of
    /// the memory).
    ///
    /// The driver chooses the pitch. There are no gaps between slices.
    ///
    /// See [`cuMemAllocPitch`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) with the requested and
    /// free bytes if the allocation fails. Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the first row or the
    /// pitch is not aligned for `T`, which happens only for types with an alignment above 256
    /// bytes.
    #[doc(alias = "cuMemAllocPitch")]
    #[doc(alias = "cudaMalloc3D")]
    pub fn uninit(stream: &Stream, extent: impl Into<Extent>) -> Result<Self> {
        const CALL: &str = "PitchedBuffer::uninit";
        let extent = extent.into();
        let too_many =
            || Error::invalid(CALL, format!("{extent:?} has too many elements to count"));
        let bytes = byte_size::<T>(extent.len().ok_or_else(too_many)?, CALL)?;
        // SAFETY: `ptr` is 0, or the memory allocated below.
        let owned = |ptr| PitchedAllocation(unsafe { Waited::new(ptr, stream, Free) });
        if bytes == 0 {
            // The product of the sides may overflow even if one of them is 0.
            let strides = Layout::new(extent).strides(size_of::<T>(), 0, "the memory", CALL)?;
            return Ok(Self::new(owned(0), strides));
        }
        let _allowed = capture::reject_during_capture(CALL, "allocate before the capture")?;
        let context = stream.context();
        let _current = stream.enter("cuMemAllocPitch_v2")?;
        let (mut ptr, mut pitch) = (0, 0);
        let (row, rows) = (extent.width * size_of::<T>(), extent.height * extent.depth);
        // SAFETY: both are valid for the write.
        let code = unsafe {
            sys::cuMemAllocPitch_v2(
                &mut ptr,
                &mut pitch,
                row,
                rows,
                element_size(size_of::<T>()),
            )
        };
        context.check_allocation("cuMemAllocPitch_v2", code, bytes)?;
        let storage = owned(ptr);
        let strides = Strides {
            extent,
            element: size_of::<T>(),
            pitch,
            slice_rows: extent.height,
        };
        // Every row must begin at an aligned address.
        expect_aligned::<T>(ptr, CALL)?;
        expect_aligned::<T>(pitch as CUdeviceptr, CALL)?;
        Ok(Self::new(storage, strides))
    }

    /// Allocates `extent` elements, rows and slices, and sets the bytes of all elements to zero.
    ///
    /// See [`cuMemsetD2D8Async`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) if the allocation fails.
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the stream is
    /// capturing, or in the other cases of [`uninit`](Self::uninit).
    #[doc(alias = "cuMemsetD2D8Async")]
    pub fn zeroed(stream: &Stream, extent: impl Into<Extent>) -> Result<Self> {
        // A capture would record the fill.
        let _uncaptured =
            stream.uncaptured("PitchedBuffer::zeroed", "allocate before the capture")?;
        let mut buffer = Self::uninit(stream, extent)?;
        buffer.memset_u8(stream, 0)?;
        Ok(buffer)
    }

    /// Allocates a copy of `host`, which holds the elements row by row without gaps, and waits
    /// until `host` has been read.
    ///
    /// See [`cuMemcpy2D`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the length of
    /// `host` differs from the number of elements in `extent`. Also returns the errors of
    /// [`uninit`](Self::uninit).
    #[doc(alias = "cuMemcpy2D")]
    pub fn from_slice(stream: &Stream, extent: impl Into<Extent>, host: &[T]) -> Result<Self> {
        let extent = extent.into();
        // Checked before anything is allocated.
        expect_equal(
            host.len(),
            extent.len().unwrap_or(usize::MAX),
            "PitchedBuffer::from_slice",
        )?;
        let mut buffer = Self::uninit(stream, extent)?;
        buffer.copy_from_slice(stream, host)?;
        Ok(buffer)
    }

    /// Takes ownership of memory that raw calls allocated. `layout` places the elements in its
    /// `bytes` bytes.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the layout is
    /// inconsistent or needs more than `bytes`. The memory then still belongs to the caller.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - `ptr` came from `cuMemAllocPitch`, `cuMemAlloc` or [`into_raw`](Self::into_raw) in the
    ///   stream's context, and has room for `bytes`;
    /// - `ptr` and the pitch are aligned for `T`;
    /// - nothing else frees the memory;
    /// - work enqueued on it elsewhere is ordered before the stream's later work.
    pub unsafe fn from_raw(
        ptr: CUdeviceptr,
        layout: Layout,
        bytes: usize,
        stream: &Stream,
    ) -> Result<Self> {
        const CALL: &str = "PitchedBuffer::from_raw";
        let strides = layout.strides(size_of::<T>(), bytes, "the memory", CALL)?;
        // SAFETY: guaranteed by this function's contract.
        let storage = PitchedAllocation(unsafe { Waited::new(ptr, stream, Free) });
        Ok(Self::new(storage, strides))
    }

    /// Gives up ownership of the memory and returns its address, which is 0 if there are no
    /// elements.
    ///
    /// You must free it with `cuMemFree` once the stream is idle, and keep the context alive until
    /// then.
    #[must_use]
    pub fn into_raw(self) -> CUdeviceptr {
        self.into_storage().0.into_raw()
    }

    /// Returns the stream that orders the use of the memory.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        self.storage().0.stream()
    }
}
