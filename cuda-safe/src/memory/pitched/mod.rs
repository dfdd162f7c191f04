//! Rows and slices in device memory, at regular distances.

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

/// Elements of type `T` in rows and slices of device memory, which begin at regular distances: the elements of a row
/// follow each other, and behind a row there may be a gap, the rest of the [`pitch`](Self::pitch). As with
/// [`DeviceMemory`], there are several kinds, which differ in what holds the memory:
///
/// | kind | holds |
/// | --- | --- |
/// | [`PitchedBuffer`](crate::memory::PitchedBuffer) | memory of its own, with the pitch that suits the device |
/// | [`PitchedView`], [`PitchedViewMut`] | borrowed memory: a rectangle or box of another kind, or a [`DeviceMemory`] as rows ([`DeviceMemory::pitched`]) |
///
/// All of them can be copied, filled and passed to kernels. A kernel gets the address of the first element, and the pitch
/// as an argument of its own: an element is at `(const T *)((const char *)base + y * pitch) + x`.
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
/// // SAFETY: a thread for each element of the image.
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

    /// Rows and slices in what holds the memory. This is how a new kind of memory creates its objects.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where the layout needs more than `bytes`, or
    /// contradicts itself.
    ///
    /// # Safety
    /// The storage has room for `bytes` bytes at its address, which is aligned for `T`, and the pitch is a multiple of
    /// that alignment.
    pub unsafe fn from_storage(storage: S, layout: Layout, bytes: usize) -> Result<Self> {
        const CALL: &str = "PitchedMemory::from_storage";
        let strides = layout.strides(size_of::<T>(), bytes, "the memory", CALL)?;
        Ok(Self::new(storage, strides))
    }

    /// What holds the memory.
    #[must_use]
    pub fn storage(&self) -> &S {
        &self.storage
    }

    pub(super) fn into_storage(self) -> S {
        self.storage
    }

    /// What the memory belongs to: a stream, or a context alone.
    #[must_use]
    pub fn owner(&self) -> Owner<'_> {
        self.storage.owner()
    }

    /// Elements of a row, rows of a slice, slices.
    #[must_use]
    pub fn extent(&self) -> Extent {
        self.strides.extent
    }

    /// Elements of a row.
    #[must_use]
    pub fn width(&self) -> usize {
        self.strides.extent.width
    }

    /// Rows of a slice.
    #[must_use]
    pub fn height(&self) -> usize {
        self.strides.extent.height
    }

    /// Slices.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.strides.extent.depth
    }

    /// All elements, those of all rows and slices.
    #[must_use]
    pub fn len(&self) -> usize {
        self.strides.extent.len().unwrap_or(usize::MAX)
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.strides.extent.is_empty()
    }

    /// Bytes from the beginning of a row to that of the next.
    #[must_use]
    pub fn pitch(&self) -> usize {
        self.strides.pitch
    }

    /// Bytes from the beginning of a slice to that of the next.
    #[must_use]
    pub fn slice_pitch(&self) -> usize {
        self.strides.pitch.saturating_mul(self.strides.slice_rows)
    }

    /// How the elements lie.
    #[must_use]
    pub fn layout(&self) -> Layout {
        Layout::new(self.strides.extent)
            .pitch(self.strides.pitch)
            .slice_rows(self.strides.slice_rows)
    }

    /// The device address of the first element; 0 if there is no memory.
    #[must_use]
    pub fn as_device_ptr(&self) -> CUdeviceptr {
        self.storage.as_device_ptr()
    }

    /// All of it, borrowed for reading.
    #[must_use]
    pub fn view(&self) -> PitchedView<'_, T> {
        let view = self.bytes_at(0, 0);
        PitchedMemory::new(view.into_storage(), self.strides)
    }

    /// A rectangle or box, borrowed for reading: `extent` elements, rows and slices from `at` on.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where it does not lie within, with the axis.
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

    /// A range of elements of one row, borrowed for reading.
    ///
    /// # Errors
    /// As [`part`](Self::part).
    pub fn row(
        &self,
        y: usize,
        z: usize,
        range: impl RangeBounds<usize>,
    ) -> Result<DeviceView<'_, T>> {
        let (ptr, len) = self.row_at(y, z, range)?;
        // SAFETY: within this object's own memory, borrowed for no longer than it.
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
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where the lengths differ, or the stream is
    /// being captured. The fault of work that was enqueued earlier.
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
    /// # Errors
    /// As [`copy_to_slice`](Self::copy_to_slice).
    #[doc(alias = "cuMemcpy2D")]
    pub fn to_vec(&self, stream: &Stream) -> Result<Vec<T>> {
        let mut host = vec![T::zeroed(); self.len()];
        self.copy_to_slice(stream, &mut host)?;
        Ok(host)
    }

    /// The bytes from an offset within on, as memory that is borrowed as long as this.
    fn bytes_at(&self, offset: usize, bytes: usize) -> DeviceView<'_, u8> {
        let ptr = self.as_device_ptr() + offset as CUdeviceptr;
        // SAFETY: within this object's own memory, borrowed for no longer than it.
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
            true => 0, // its place may be behind the last byte
            false => self.strides.offset(at),
        };
        Ok((offset, self.strides.part(extent)))
    }
}

impl<S: OwnedStorage, T: PlainData> PitchedMemory<S, T> {
    /// Frees the memory now and reports whether that worked. Dropping does the same, and discards the error.
    ///
    /// # Errors
    /// The driver's code for freeing it, which may be the fault of a kernel that ran earlier. The memory is not used
    /// again in any case.
    pub fn close(self) -> Result<()> {
        self.storage.close()
    }
}

impl<S: Storage, T: PlainData> DeviceMemory<S, T> {
    /// The memory as rows and slices, borrowed for reading. It may be longer than the layout needs.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where the layout needs more memory, contradicts
    /// itself, or has a pitch that is no multiple of the elements' alignment.
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
    /// The memory as rows and slices, borrowed for writing. It may be longer than the layout needs.
    ///
    /// # Errors
    /// As [`pitched`](Self::pitched).
    pub fn pitched_mut(&mut self, layout: impl Into<Layout>) -> Result<PitchedViewMut<'_, T>> {
        let call = "DeviceMemory::pitched_mut";
        let strides = layout
            .into()
            .aligned::<T>(self.size_bytes(), "the memory", call)?;
        Ok(PitchedMemory::new(self.view_mut().into_storage(), strides))
    }
}

// SAFETY: rows and slices within the storage's memory; the rest is what storages promise.
unsafe impl<S: Storage, T: PlainData> CopySource<T> for PitchedMemory<S, T> {
    fn region(&self) -> Region<'_> {
        Region {
            place: Place::Linear(self.as_device_ptr(), self.strides),
            owner: self.owner(),
        }
    }
}

// SAFETY: as what may be written promises.
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
