//! Methods that write to pitched memory.

use std::ops::RangeBounds;

use cuda_sys::CUdeviceptr;

use super::{PitchedMemory, PitchedViewMut};
use crate::{
    error::{Error, Result},
    memory::{
        copy::{
            self,
            extent::{Extent, Offset},
            layout::Strides,
            region::CopySource,
            region_copy::{HostRegion, RegionCopy},
        },
        device::view::DeviceViewMut,
        plain::PlainData,
        size,
        storage::StorageMut,
    },
    stream::Stream,
};

impl<S: StorageMut, T: PlainData> PitchedMemory<S, T> {
    /// Returns a view of all elements, for writing.
    #[must_use]
    pub fn view_mut(&mut self) -> PitchedViewMut<'_, T> {
        let strides = self.strides;
        PitchedMemory::new(self.bytes_at_mut(0, 0).into_storage(), strides)
    }

    /// Returns a view of a rectangle or box for writing: `extent` elements, rows and slices from
    /// `at` on.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the part is out
    /// of bounds.
    pub fn part_mut(
        &mut self,
        at: impl Into<Offset>,
        extent: impl Into<Extent>,
    ) -> Result<PitchedViewMut<'_, T>> {
        let (offset, strides) = self.within(at.into(), extent.into(), "PitchedMemory::part_mut")?;
        let view = self.bytes_at_mut(offset, strides.span());
        Ok(PitchedMemory::new(view.into_storage(), strides))
    }

    /// Returns a view of a range of elements in one row, for writing.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the range, the
    /// row or the slice is out of bounds.
    pub fn row_mut(
        &mut self,
        y: usize,
        z: usize,
        range: impl RangeBounds<usize>,
    ) -> Result<DeviceViewMut<'_, T>> {
        let (ptr, len) = self.row_at(y, z, range)?;
        // SAFETY: the range is within this object's memory, which stays exclusively borrowed.
        Ok(unsafe { DeviceViewMut::borrow_raw(ptr, len, self.owner()) })
    }

    /// Splits the memory into two boxes for writing: the columns before `x`, and the rest.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if `x` is greater
    /// than the width.
    #[allow(clippy::type_complexity, reason = "a pair of views")]
    pub fn split_columns_mut(
        &mut self,
        x: usize,
    ) -> Result<(PitchedViewMut<'_, T>, PitchedViewMut<'_, T>)> {
        let all = self.extent();
        let left = Extent {
            width: x.min(all.width),
            ..all
        };
        let right = Extent {
            width: all.width - left.width,
            ..all
        };
        self.split_mut(
            left,
            right,
            [x, 0, 0].into(),
            "PitchedMemory::split_columns_mut",
        )
    }

    /// Splits the memory into two boxes for writing: the rows before `y` of each slice, and the
    /// rest.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if `y` is greater
    /// than the height.
    #[allow(clippy::type_complexity, reason = "a pair of views")]
    pub fn split_rows_mut(
        &mut self,
        y: usize,
    ) -> Result<(PitchedViewMut<'_, T>, PitchedViewMut<'_, T>)> {
        let all = self.extent();
        let upper = Extent {
            height: y.min(all.height),
            ..all
        };
        let lower = Extent {
            height: all.height - upper.height,
            ..all
        };
        self.split_mut(
            upper,
            lower,
            [0, y, 0].into(),
            "PitchedMemory::split_rows_mut",
        )
    }

    #[allow(clippy::type_complexity, reason = "a pair of views")]
    fn split_mut(
        &mut self,
        first: Extent,
        second: Extent,
        at: Offset,
        call: &'static str,
    ) -> Result<(PitchedViewMut<'_, T>, PitchedViewMut<'_, T>)> {
        let (offset, strides) = self.within(at, second, call)?;
        let (ptr, owner) = (self.as_device_ptr(), self.owner());
        let box_at = |offset: usize, strides: Strides| {
            // SAFETY: both boxes are within this object's memory, which stays exclusively borrowed.
            // They share no element, and views access only elements.
            let view: DeviceViewMut<'_, u8> = unsafe {
                DeviceViewMut::borrow_raw(ptr + offset as CUdeviceptr, strides.span(), owner)
            };
            PitchedMemory::new(view.into_storage(), strides)
        };
        Ok((box_at(0, self.strides.part(first)), box_at(offset, strides)))
    }

    /// Copies `host`, which holds the elements row by row without gaps, and waits until `host` has
    /// been read.
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
    pub fn copy_from_slice(&mut self, stream: &Stream, host: &[T]) -> Result<()> {
        size::expect_equal(host.len(), self.len(), "copy_from_slice")?;
        let host = HostRegion::new(host, self.extent())?;
        RegionCopy::new(self.extent()).upload(stream, self, host)
    }

    /// Enqueues a copy of all elements of `source`, which must have the same extent.
    ///
    /// See [`cuMemcpy2DAsync`, `cuMemcpy3DAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the extents
    /// differ or the two overlap. Also returns the errors of [`RegionCopy::enqueue`].
    #[doc(alias = "cuMemcpy2DAsync")]
    #[doc(alias = "cuMemcpy3DAsync")]
    pub fn copy_from(&mut self, stream: &Stream, source: &impl CopySource<T>) -> Result<()> {
        let (own, other) = (self.extent(), source.region().extent());
        if own != other {
            return Err(Error::invalid(
                "PitchedMemory::copy_from",
                format!(
                    "the source has {other:?} and the destination {own:?}. Fix: copy a part with a RegionCopy"
                ),
            ));
        }
        RegionCopy::new(own).enqueue(stream, self, source)
    }

    /// Enqueues a fill that sets every element to `value` and leaves the gaps between rows
    /// unchanged.
    ///
    /// If `value` repeats a pattern of 1, 2 or 4 bytes, the fill takes one driver call, or one per
    /// slice if there are gaps between slices. Otherwise it takes one call for each row and each
    /// word of an element.
    ///
    /// See [`cuMemsetD2D8Async`, `cuMemsetD2D16Async`, `cuMemsetD2D32Async`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault.
    #[doc(alias = "cuMemsetD2D8Async")]
    #[doc(alias = "cuMemsetD2D16Async")]
    #[doc(alias = "cuMemsetD2D32Async")]
    pub fn fill(&mut self, stream: &Stream, value: T) -> Result<()> {
        self.fill_with(stream, bytemuck::bytes_of(&value))
    }

    /// Enqueues a fill that sets every byte of the elements to `value` and leaves the gaps
    /// unchanged.
    ///
    /// See [`cuMemsetD2D8`, `cuMemsetD2D8Async`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault.
    #[doc(alias = "cuMemsetD2D8")]
    #[doc(alias = "cuMemsetD2D8Async")]
    pub fn memset_u8(&mut self, stream: &Stream, value: u8) -> Result<()> {
        self.fill_with(stream, &[value])
    }

    /// Enqueues a fill that sets every 2 bytes of the elements to `value` and leaves the gaps
    /// unchanged.
    ///
    /// See [`cuMemsetD2D16`, `cuMemsetD2D16Async`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the size of a
    /// row is not a multiple of 2 bytes. Also returns the errors of [`fill`](Self::fill).
    #[doc(alias = "cuMemsetD2D16")]
    #[doc(alias = "cuMemsetD2D16Async")]
    pub fn memset_u16(&mut self, stream: &Stream, value: u16) -> Result<()> {
        self.fill_with(stream, &value.to_ne_bytes())
    }

    /// Enqueues a fill that sets every 4 bytes of the elements to `value` and leaves the gaps
    /// unchanged.
    ///
    /// See [`cuMemsetD2D32`, `cuMemsetD2D32Async`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the size of a
    /// row is not a multiple of 4 bytes. Also returns the errors of [`fill`](Self::fill).
    #[doc(alias = "cuMemsetD2D32")]
    #[doc(alias = "cuMemsetD2D32Async")]
    pub fn memset_u32(&mut self, stream: &Stream, value: u32) -> Result<()> {
        self.fill_with(stream, &value.to_ne_bytes())
    }

    fn fill_with(&mut self, stream: &Stream, pattern: &[u8]) -> Result<()> {
        copy::fill_rows(
            self.as_device_ptr(),
            self.strides,
            self.owner(),
            stream,
            pattern,
        )
    }

    fn bytes_at_mut(&mut self, offset: usize, bytes: usize) -> DeviceViewMut<'_, u8> {
        let ptr = self.as_device_ptr() + offset as CUdeviceptr;
        // SAFETY: the range is within this object's memory, which stays exclusively borrowed.
        unsafe { DeviceViewMut::borrow_raw(ptr, bytes, self.owner()) }
    }
}
