//! Device memory of its own, with the pitch that suits the device.

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

/// Rows of elements in device memory of its own, each aligned so that kernels and copies reach it at full speed: another
/// name of [`PitchedMemory<PitchedAllocation, T>`](PitchedMemory), by which the compiler calls it.
///
/// Dropping it waits for the work on its stream. For a buffer that is made and dropped in a loop,
/// [`DeviceBuffer`](crate::DeviceBuffer) is faster, whose rows a [`PitchedView`](crate::memory::PitchedView) describes.
///
/// ```
/// use cuda_safe::{Context, memory::{PitchedBuffer, RegionCopy}, Stream};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// let image = PitchedBuffer::from_slice(&stream, [4, 2], &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])?;
/// assert!(image.pitch() >= 4 * size_of::<f32>()); // a row has a gap behind it
/// let mut other = PitchedBuffer::<f32>::zeroed(&stream, [3, 3])?;
/// // The two columns from 2 on, to the right lower corner.
/// RegionCopy::new([2, 2]).source_at([2, 0]).target_at([1, 1]).enqueue(&stream, &mut other, &image)?;
/// assert_eq!(other.to_vec(&stream)?, [0.0, 0.0, 0.0, 0.0, 3.0, 4.0, 0.0, 7.0, 8.0]);
/// # Ok(())
/// # }
/// ```
pub type PitchedBuffer<T> = PitchedMemory<PitchedAllocation, T>;

waited! {
    /// Memory of its own, used in a stream's order: what a [`PitchedBuffer`] holds.
    pub struct PitchedAllocation(Free), "PitchedBuffer"
}

/// What the driver is told of the size of an element, of which it knows three: that with which kernels would load it.
fn element_size(size: usize) -> u32 {
    match size {
        size if size.is_multiple_of(16) => 16,
        size if size.is_multiple_of(8) => 8,
        _ => 4,
    }
}

impl<T: PlainData> PitchedBuffer<T> {
    /// Allocates `extent` elements, rows and slices, with unspecified contents: whatever bits were there before. The
    /// driver chooses the pitch. Slices follow each other without gaps.
    ///
    /// # Errors
    /// Returns [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory), with the bytes requested and free. Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the first row or the pitch is not aligned for
    /// `T`, which happens only to types with an alignment above 256 bytes.
    #[doc(alias = "cuMemAllocPitch")]
    #[doc(alias = "cudaMalloc3D")]
    pub fn uninit(stream: &Stream, extent: impl Into<Extent>) -> Result<Self> {
        const CALL: &str = "PitchedBuffer::uninit";
        let extent = extent.into();
        let too_many = || Error::invalid(CALL, format!("{extent:?} is more than can be counted"));
        let bytes = byte_size::<T>(extent.len().ok_or_else(too_many)?, CALL)?;
        // SAFETY: nothing, or what is allocated below.
        let owned = |ptr| PitchedAllocation(unsafe { Waited::new(ptr, stream, Free) });
        if bytes == 0 {
            // An extent without elements may have sides whose product can't be counted.
            let strides = Layout::new(extent).strides(size_of::<T>(), 0, "the memory", CALL)?;
            return Ok(Self::new(owned(0), strides));
        }
        let _allowed = capture::refuse_here(CALL, "allocate before the capture")?;
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
        // Every row has to begin where elements may.
        expect_aligned::<T>(ptr, CALL)?;
        expect_aligned::<T>(pitch as CUdeviceptr, CALL)?;
        Ok(Self::new(storage, strides))
    }

    /// Allocates `extent` elements, rows and slices, and sets the bytes of all elements to zero.
    ///
    /// # Errors
    /// As [`uninit`](Self::uninit).
    #[doc(alias = "cuMemsetD2D8Async")]
    pub fn zeroed(stream: &Stream, extent: impl Into<Extent>) -> Result<Self> {
        // A capture would record the fill instead.
        let _uncaptured =
            stream.uncaptured("PitchedBuffer::zeroed", "allocate before the capture")?;
        let mut buffer = Self::uninit(stream, extent)?;
        buffer.memset_u8(stream, 0)?;
        Ok(buffer)
    }

    /// Allocates a copy of `host`, which has the elements row by row without gaps, and waits until it has been read.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where `host` has more elements than the extent,
    /// or fewer; otherwise as [`uninit`](Self::uninit).
    #[doc(alias = "cuMemcpy2D")]
    pub fn from_slice(stream: &Stream, extent: impl Into<Extent>, host: &[T]) -> Result<Self> {
        let extent = extent.into();
        // Before the memory is allocated.
        expect_equal(
            host.len(),
            extent.len().unwrap_or(usize::MAX),
            "PitchedBuffer::from_slice",
        )?;
        let mut buffer = Self::uninit(stream, extent)?;
        buffer.copy_from_slice(stream, host)?;
        Ok(buffer)
    }

    /// Takes ownership of memory that raw calls allocated: its address, and how the elements lie in its `bytes` bytes.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where the layout needs more than `bytes`, or
    /// contradicts itself: then the memory is the caller's.
    ///
    /// # Safety
    /// `ptr` came from `cuMemAllocPitch`, `cuMemAlloc` or [`into_raw`](Self::into_raw) in the stream's context, is
    /// aligned for `T`, as the pitch is, has room for `bytes`, and nobody else frees it. Work that was enqueued on it
    /// elsewhere is ordered before the stream.
    pub unsafe fn from_raw(
        stream: &Stream,
        ptr: CUdeviceptr,
        layout: Layout,
        bytes: usize,
    ) -> Result<Self> {
        const CALL: &str = "PitchedBuffer::from_raw";
        let strides = layout.strides(size_of::<T>(), bytes, "the memory", CALL)?;
        // SAFETY: as this function's contract says.
        let storage = PitchedAllocation(unsafe { Waited::new(ptr, stream, Free) });
        Ok(Self::new(storage, strides))
    }

    /// Hands the memory over to the caller, who frees it with `cuMemFree` once the stream is idle, and keeps the context
    /// alive until then. The address is 0 if there are no elements.
    #[must_use]
    pub fn into_raw(self) -> CUdeviceptr {
        self.into_storage().0.into_raw()
    }

    /// The stream in whose order the memory is used.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        self.storage().0.stream()
    }
}
