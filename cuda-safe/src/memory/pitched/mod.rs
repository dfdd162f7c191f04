//! Pitched device memory: rows and slices at regular distances.

pub(crate) mod buffer;
pub(crate) mod exclusive;

use std::{fmt, marker::PhantomData, ops::RangeBounds};

use cuda_sys::CUdeviceptr;

use super::{
    copy::{
        extent::{Extent, Offset, expect_within},
        layout::{Layout, Strides},
        region::{CopySource, CopyTarget, Place, Region},
        region_copy::{HostRegionMut, RegionCopy},
    },
    device::{
        DeviceMemory,
        view::{Borrowed, BorrowedMut, DeviceView},
    },
    plain::PlainData,
    size,
    storage::{OwnedStorage, Storage, StorageMut},
};
use crate::{
    error::Result,
    stream::{Stream, owner::Owner},
};

/// Elements of type `T` in rows and slices of device memory.
///
/// Rows begin at regular distances, the [`pitch`](Self::pitch). The elements of a row are
/// contiguous, and a gap may follow them. As with [`DeviceMemory`], the kinds differ in their
/// storage:
///
/// | kind | storage |
/// | --- | --- |
/// | [`PitchedBuffer`](crate::memory::PitchedBuffer) | owned memory whose pitch suits the device |
/// | [`PitchedView`], [`PitchedViewMut`] | borrowed memory: a rectangle or box of another kind, or a [`DeviceMemory`] seen as rows ([`DeviceMemory::pitched`]) |
///
/// You can copy and fill all of them and pass them to kernels. A kernel gets the address of the
/// first element. Pass the pitch as a separate argument: an element is at
/// `(const T *)((const char *)base + y * pitch) + x`.
///
/// ```
/// use cuda_safe::{Context, DeviceBuffer, LaunchConfig, Module, memory::PitchedBuffer, Stream};
///
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// let mut image = PitchedBuffer::<f32>::zeroed(&stream, [5, 3])?; // three rows of five
/// let module = Module::compile(&context, r#"
///     extern "C" __global__ void number(float *image, size_t pitch) {
///         float *row = (float *)((char *)image + threadIdx.y * pitch);
///         row[threadIdx.x] = 10 * threadIdx.y + threadIdx.x;
///     }"#)?;
/// let config = LaunchConfig::new(1, (5, 3));
/// let pitch = image.pitch();
/// // SAFETY: the kernel runs one thread for each element of the image.
/// unsafe { module.function("number")?.launch(&stream, config, (&mut image, pitch))? };
/// image.part_mut([1, 1], [2, 2])?.fill(&stream, 9.0)?; // a rectangle of it
/// assert_eq!(image.to_vec(&stream)?, [
///     0.0, 1.0, 2.0, 3.0, 4.0, //
///     10.0, 9.0, 9.0, 13.0, 14.0, //
///     20.0, 9.0, 9.0, 23.0, 24.0,
/// ]);
/// # Ok(())
/// # }
/// ```
pub struct PitchedMemory<S, T> {
    storage: S,
    pub(super) strides: Strides,
    element: PhantomData<fn() -> T>,
}

/// A rectangle or box of device memory, borrowed for reading.
pub type PitchedView<'a, T> = PitchedMemory<Borrowed<'a>, T>;

/// A rectangle or box of device memory, borrowed for writing.
pub type PitchedViewMut<'a, T> = PitchedMemory<BorrowedMut<'a>, T>;

impl<S: Storage, T: PlainData> PitchedMemory<S, T> {
    pub(super) fn new(storage: S, strides: Strides) -> Self {
        Self {
            storage,
            strides,
            element: PhantomData,
        }
    }

    /// Creates pitched memory over a storage. Implementations of new storages use it in their
    /// constructors.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the layout is
    /// inconsistent or needs more than `bytes`.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - the storage has room for `bytes` bytes at its address;
    /// - the address and the pitch are aligned for `T`.
    pub unsafe fn from_storage(storage: S, layout: Layout, bytes: usize) -> Result<Self> {
        const CALL: &str = "PitchedMemory::from_storage";
        let strides = layout.strides(size_of::<T>(), bytes, "the memory", CALL)?;
        Ok(Self::new(storage, strides))
    }

    /// Returns the storage, which owns or borrows the memory.
    #[must_use]
    pub fn storage(&self) -> &S {
        &self.storage
    }

    pub(super) fn into_storage(self) -> S {
        self.storage
    }

    /// Returns the owner of the memory: a stream, or only a context.
    #[must_use]
    pub fn owner(&self) -> Owner<'_> {
        self.storage.owner()
    }

    /// Returns the numbers of elements per row, rows per slice, and slices.
    #[must_use]
    pub fn extent(&self) -> Extent {
        self.strides.extent
    }

    /// Returns the number of elements per row.
    #[must_use]
    pub fn width(&self) -> usize {
        self.strides.extent.width
    }

    /// Returns the number of rows per slice.
    #[must_use]
    pub fn height(&self) -> usize {
        self.strides.extent.height
    }

    /// Returns the number of slices.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.strides.extent.depth
    }

    /// Returns the number of elements in all rows and slices.
    #[must_use]
    pub fn len(&self) -> usize {
        self.strides.extent.len().unwrap_or(usize::MAX)
    }

    /// Returns whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.strides.extent.is_empty()
    }

    /// Returns the distance between the starts of consecutive rows, in bytes.
    #[must_use]
    pub fn pitch(&self) -> usize {
        self.strides.pitch
    }

    /// Returns the distance between the starts of consecutive slices, in bytes.
    #[must_use]
    pub fn slice_pitch(&self) -> usize {
        self.strides.pitch.saturating_mul(self.strides.slice_rows)
    }

    /// Returns the layout of the elements.
    #[must_use]
    pub fn layout(&self) -> Layout {
        Layout::new(self.strides.extent)
            .pitch(self.strides.pitch)
            .slice_rows(self.strides.slice_rows)
    }

    /// Returns the device address of the first element, or 0 if there is no memory.
    #[must_use]
    pub fn as_device_ptr(&self) -> CUdeviceptr {
        self.storage.as_device_ptr()
    }

    /// Returns a view of all elements, for reading.
    #[must_use]
    pub fn view(&self) -> PitchedView<'_, T> {
        let view = self.bytes_at(0, 0);
        PitchedMemory::new(view.into_storage(), self.strides)
    }

    /// Returns a view of a rectangle or box for reading: `extent` elements, rows and slices from
    /// `at` on.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the part is out
    /// of bounds. The message names the axis.
    ///
    /// ```
    /// # use cuda_safe::{Context, memory::PitchedBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let image = PitchedBuffer::from_slice(&stream, [3, 2], &[1u32, 2, 3, 4, 5, 6])?;
    /// let right = image.part([1, 0], [2, 2])?;
    /// assert_eq!(right.to_vec(&stream)?, [2, 3, 5, 6]);
    /// assert!(image.part([2, 0], [2, 2]).is_err()); // the third column is the last
    /// # Ok(())
    /// # }
    /// ```
    pub fn part(
        &self,
        at: impl Into<Offset>,
        extent: impl Into<Extent>,
    ) -> Result<PitchedView<'_, T>> {
        let (offset, strides) = self.within(at.into(), extent.into(), "PitchedMemory::part")?;
        let view = self.bytes_at(offset, strides.span());
        Ok(PitchedMemory::new(view.into_storage(), strides))
    }

    /// Returns a view of a range of elements in one row, for reading.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the range, the
    /// row or the slice is out of bounds.
    pub fn row(
        &self,
        y: usize,
        z: usize,
        range: impl RangeBounds<usize>,
    ) -> Result<DeviceView<'_, T>> {
        let (ptr, len) = self.row_at(y, z, range)?;
        // SAFETY: the range is within this object's memory, which stays borrowed.
        Ok(unsafe { DeviceView::borrow_raw(ptr, len, self.owner()) })
    }

    pub(super) fn row_at(
        &self,
        y: usize,
        z: usize,
        range: impl RangeBounds<usize>,
    ) -> Result<(CUdeviceptr, usize)> {
        const CALL: &str = "PitchedMemory::row";
        let range = size::range_within(range, self.width(), CALL)?;
        let at = Offset {
            x: range.start,
            y,
            z,
        };
        let (offset, strides) = self.within(at, range.len().into(), CALL)?;
        let ptr = self.as_device_ptr() + offset as CUdeviceptr;
        Ok((ptr, strides.extent.width))
    }

    /// Copies all elements into `host`, row by row without gaps, and waits for the copy.
    ///
    /// See [`cuMemcpy2D`, `cuMemcpy2DAsync`, `cuMemcpy3D`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the lengths
    /// differ, or if the stream is capturing. Returns an error if work enqueued earlier has
    /// faulted.
    #[doc(alias = "cuMemcpy2D")]
    #[doc(alias = "cuMemcpy2DAsync")]
    #[doc(alias = "cuMemcpy3D")]
    pub fn copy_to_slice(&self, stream: &Stream, host: &mut [T]) -> Result<()> {
        size::expect_equal(self.len(), host.len(), "copy_to_slice")?;
        let host = HostRegionMut::new(host, self.extent())?;
        RegionCopy::new(self.extent()).download(stream, host, self)
    }

    /// Copies all elements into a new vector, row by row without gaps, and waits for the copy.
    ///
    /// See [`cuMemcpy2D`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the stream is
    /// capturing. Returns an error if work enqueued earlier has faulted.
    #[doc(alias = "cuMemcpy2D")]
    pub fn to_vec(&self, stream: &Stream) -> Result<Vec<T>> {
        let mut host = vec![T::zeroed(); self.len()];
        self.copy_to_slice(stream, &mut host)?;
        Ok(host)
    }

    /// Returns a view of `bytes` bytes from an offset on.
    fn bytes_at(&self, offset: usize, bytes: usize) -> DeviceView<'_, u8> {
        let ptr = self.as_device_ptr() + offset as CUdeviceptr;
        // SAFETY: the range is within this object's memory, which stays borrowed.
        unsafe { DeviceView::borrow_raw(ptr, bytes, self.owner()) }
    }

    pub(super) fn within(
        &self,
        at: Offset,
        extent: Extent,
        call: &'static str,
    ) -> Result<(usize, Strides)> {
        expect_within("the memory", at, extent, self.extent(), call)?;
        let offset = match extent.is_empty() {
            true => 0, // its offset may be past the last byte
            false => self.strides.offset(at),
        };
        Ok((offset, self.strides.part(extent)))
    }
}

impl<S: OwnedStorage, T: PlainData> PitchedMemory<S, T> {
    /// Frees the memory now, and reports errors. Dropping does the same, but discards the error.
    ///
    /// # Errors
    /// Returns the driver's error for the call that frees the memory, which may be the fault of an
    /// earlier kernel. The memory is not used again, even if the call fails.
    pub fn close(self) -> Result<()> {
        self.storage.close()
    }
}

impl<S: Storage, T: PlainData> DeviceMemory<S, T> {
    /// Returns a view of the memory as rows and slices, for reading. The memory may be larger than
    /// the layout needs.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the layout is
    /// inconsistent or needs more memory, or if its pitch is not a multiple of the alignment of
    /// `T`.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let numbers = DeviceBuffer::from_slice(&stream, &[1u32, 2, 3, 4, 5, 6])?;
    /// let rows = numbers.pitched([3, 2])?;
    /// assert_eq!(rows.part([1, 0], [1, 2])?.to_vec(&stream)?, [2, 5]); // a column
    /// # Ok(())
    /// # }
    /// ```
    pub fn pitched(&self, layout: impl Into<Layout>) -> Result<PitchedView<'_, T>> {
        let call = "DeviceMemory::pitched";
        let strides = layout
            .into()
            .aligned::<T>(self.size_bytes(), "the memory", call)?;
        Ok(PitchedMemory::new(self.view().into_storage(), strides))
    }
}

impl<S: StorageMut, T: PlainData> DeviceMemory<S, T> {
    /// Returns a view of the memory as rows and slices, for writing. The memory may be larger than
    /// the layout needs.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the layout is
    /// inconsistent or needs more memory, or if its pitch is not a multiple of the alignment of
    /// `T`.
    pub fn pitched_mut(&mut self, layout: impl Into<Layout>) -> Result<PitchedViewMut<'_, T>> {
        let call = "DeviceMemory::pitched_mut";
        let strides = layout
            .into()
            .aligned::<T>(self.size_bytes(), "the memory", call)?;
        Ok(PitchedMemory::new(self.view_mut().into_storage(), strides))
    }
}

// SAFETY: rows and slices are within the storage's memory. The storage promises the rest.
unsafe impl<S: Storage, T: PlainData> CopySource<T> for PitchedMemory<S, T> {
    fn region(&self) -> Region<'_> {
        Region {
            place: Place::Linear(self.as_device_ptr(), self.strides),
            owner: self.owner(),
        }
    }
}

// SAFETY: the storage is writable.
unsafe impl<S: StorageMut, T: PlainData> CopyTarget<T> for PitchedMemory<S, T> {}

impl<S: Copy, T> Clone for PitchedMemory<S, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Copy, T> Copy for PitchedMemory<S, T> {}

impl<S: Storage, T> fmt::Debug for PitchedMemory<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, ptr) = (S::NAME, self.storage.as_device_ptr());
        let Extent {
            width,
            height,
            depth,
        } = self.strides.extent;
        let pitch = self.strides.pitch;
        write!(
            f,
            "{name}({ptr:#x}, {width}x{height}x{depth}, pitch {pitch})"
        )
    }
}
