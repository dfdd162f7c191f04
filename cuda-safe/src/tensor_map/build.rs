//! The builder of tensor maps.

use std::{ffi::c_void, marker::PhantomData};

use cuda_sys as sys;

use super::{
    Described, Encoded, TensorMap,
    check::ensure,
    choices::{
        Im2colWideMode, TensorDataType, TensorFill, TensorInterleave, TensorPromotion,
        TensorSwizzle,
    },
};
use crate::{driver::newer, error::Result};

/// A builder for a tensor map. Created by [`TensorMap::builder`]. By default the tensor is dense,
/// not interleaved, not swizzled, and filled with zeros.
#[derive(Clone, Debug)]
#[must_use = "no map is created before `tiled`, `im2col` or `im2col_wide`"]
pub struct TensorMapBuilder<'a> {
    pub(super) memory: Described,
    pub(super) dims: Vec<u64>,
    pub(super) strides: Option<Vec<u64>>,
    pub(super) steps: Vec<u32>,
    pub(super) data_type: TensorDataType,
    pub(super) interleave: TensorInterleave,
    pub(super) swizzle: TensorSwizzle,
    pub(super) promotion: TensorPromotion,
    pub(super) fill: TensorFill,
    borrowed: PhantomData<&'a ()>,
}

impl<'a> TensorMapBuilder<'a> {
    pub(super) fn new(memory: Described, dims: &[u64]) -> Self {
        Self {
            data_type: memory.data_type,
            memory,
            dims: dims.to_vec(),
            strides: None,
            steps: vec![1; dims.len()],
            interleave: TensorInterleave::NONE,
            swizzle: TensorSwizzle::NONE,
            promotion: TensorPromotion::NONE,
            fill: TensorFill::ZERO,
            borrowed: PhantomData,
        }
    }

    /// Sets the distances in memory between elements of each dimension except the first, in
    /// elements.
    pub fn strides(self, strides: &[u64]) -> Self {
        let size = self.memory.element;
        let bytes: Vec<_> = strides.iter().map(|s| s.saturating_mul(size)).collect();
        self.byte_strides(&bytes)
    }

    /// Sets the distances in memory between elements of each dimension except the first, in bytes.
    /// They must be multiples of 16 (of 32 with [`TensorInterleave::B32`]) and less than 2^40.
    pub fn byte_strides(mut self, strides: &[u64]) -> Self {
        self.strides = Some(strides.to_vec());
        self
    }

    /// Sets the step between copied elements of a box in each dimension, from 1 (every element) to
    /// 8 (every eighth). The step of the first dimension is ignored unless the tensor is
    /// interleaved.
    pub fn element_strides(mut self, strides: &[u32]) -> Self {
        self.steps = strides.to_vec();
        self
    }

    /// Sets the type of the elements, if it differs from the memory's type. It must have the same
    /// size. Packed types need memory of `u8`. Dimensions, boxes and coordinates then count the
    /// packed values.
    pub fn data_type(mut self, data_type: TensorDataType) -> Self {
        self.data_type = data_type;
        self
    }

    /// Sets the layout of channels in memory.
    pub fn interleave(mut self, interleave: TensorInterleave) -> Self {
        self.interleave = interleave;
        self
    }

    /// Sets the layout of tiles in shared memory.
    pub fn swizzle(mut self, swizzle: TensorSwizzle) -> Self {
        self.swizzle = swizzle;
        self
    }

    /// Sets the number of bytes that the L2 cache fetches at once.
    pub fn promotion(mut self, promotion: TensorPromotion) -> Self {
        self.promotion = promotion;
        self
    }

    /// Sets the value of elements outside the tensor.
    pub fn fill(mut self, fill: TensorFill) -> Self {
        self.fill = fill;
        self
    }

    /// Creates a map for tiles: boxes with these lengths, from 1 to 256 in each dimension. The size
    /// of a row, given by the first length, must be a multiple of 16 bytes.
    ///
    /// See [`cuTensorMapEncodeTiled`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__TENSOR__MEMORY.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) with the reason if
    /// the driver would reject an argument, or if the tensor exceeds the memory. Returns the
    /// driver's error for conditions that only the driver knows: the device does not support tensor
    /// maps, or not with such a type or swizzle.
    #[doc(alias = "cuTensorMapEncodeTiled")]
    pub fn tiled(&self, lengths: &[u32]) -> Result<TensorMap<'a>> {
        const CALL: &str = "TensorMapBuilder::tiled";
        let strides = self.check(CALL)?;
        let rank = self.dims.len();
        ensure(CALL, lengths.len() == rank, || {
            format!(
                "a box for a tensor of {rank} dimensions must have {rank} lengths, not {}",
                lengths.len()
            )
        })?;
        for (i, length) in lengths.iter().enumerate() {
            ensure(CALL, (1..=256).contains(length), || {
                format!("the box's length {i} is {length}; it must be from 1 to 256")
            })?;
        }
        self.check_row(CALL, "the box's length 0", lengths[0])?;
        self.make("cuTensorMapEncodeTiled", &strides, |map, dims, strides| {
            // SAFETY: the map is valid for the write, and each array has an element for each
            // dimension.
            Ok(unsafe {
                sys::cuTensorMapEncodeTiled(
                    map,
                    sys::CUtensorMapDataType(self.data_type.0),
                    rank as u32,
                    self.memory.address as *mut c_void,
                    dims.cast(),
                    strides.cast(),
                    lengths.as_ptr(),
                    self.steps.as_ptr(),
                    sys::CUtensorMapInterleave(self.interleave.0),
                    sys::CUtensorMapSwizzle(self.swizzle.0),
                    sys::CUtensorMapL2promotion(self.promotion.0),
                    sys::CUtensorMapFloatOOBfill(self.fill.0),
                )
            })
        })
    }

    /// Creates a map for im2col: the pixels of a bounding box one after another, like a row of a
    /// convolution's matrix. The dimensions of the tensor are channels, width, optionally height
    /// and depth, and images: 3 to 5 dimensions.
    ///
    /// The corners give the bounding box relative to the first and the last pixel, in width, height
    /// and depth. They must be from -32768 to 32767 for three dimensions, from -128 to 127 for
    /// four, and from -16 to 15 for five. A copy takes `channels` channels of each pixel (1 to 256,
    /// a multiple of 16 bytes), and `pixels` pixels (1 to 1024).
    ///
    /// See [`cuTensorMapEncodeIm2col`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__TENSOR__MEMORY.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`tiled`](Self::tiled).
    #[doc(alias = "cuTensorMapEncodeIm2col")]
    pub fn im2col(
        &self,
        lower_corner: &[i32],
        upper_corner: &[i32],
        channels: u32,
        pixels: u32,
    ) -> Result<TensorMap<'a>> {
        const CALL: &str = "TensorMapBuilder::im2col";
        let strides = self.check(CALL)?;
        let rank = self.dims.len();
        ensure(CALL, rank >= 3, || {
            format!("im2col needs a tensor of 3 to 5 dimensions, but `dims` has {rank}")
        })?;
        let (least, most) = match rank {
            3 => (-32768, 32767),
            4 => (-128, 127),
            _ => (-16, 15),
        };
        for (name, corner) in [("lower", lower_corner), ("upper", upper_corner)] {
            let sound = |value: &i32| (least..=most).contains(value);
            ensure(
                CALL,
                corner.len() + 2 == rank && corner.iter().all(sound),
                || {
                    format!(
                        "the {name} corner is {corner:?}, but a tensor of {rank} dimensions needs {} numbers from {least} to {most}",
                        rank - 2
                    )
                },
            )?;
        }
        // The dimensions of pixels follow the dimension of channels. If channels are interleaved,
        // pixels come first.
        let skipped = usize::from(self.interleave == TensorInterleave::NONE);
        for (axis, (&lower, &upper)) in lower_corner.iter().zip(upper_corner).enumerate() {
            let last = self.dims[axis + skipped] as i64 - 1 + i64::from(upper);
            ensure(CALL, i64::from(lower) <= last, || {
                format!(
                    "the bounding box is empty: in dimension {} it starts at {lower} and ends at {last}",
                    axis + skipped
                )
            })?;
        }
        self.check_row(CALL, "`channels`", channels)?;
        ensure(CALL, (1..=1024).contains(&pixels), || {
            format!("`pixels` is {pixels}; it must be from 1 to 1024")
        })?;
        self.make("cuTensorMapEncodeIm2col", &strides, |map, dims, strides| {
            // SAFETY: as above. A corner has a number for each dimension of pixels.
            Ok(unsafe {
                sys::cuTensorMapEncodeIm2col(
                    map,
                    sys::CUtensorMapDataType(self.data_type.0),
                    rank as u32,
                    self.memory.address as *mut c_void,
                    dims.cast(),
                    strides.cast(),
                    lower_corner.as_ptr(),
                    upper_corner.as_ptr(),
                    channels,
                    pixels,
                    self.steps.as_ptr(),
                    sys::CUtensorMapInterleave(self.interleave.0),
                    sys::CUtensorMapSwizzle(self.swizzle.0),
                    sys::CUtensorMapL2promotion(self.promotion.0),
                    sys::CUtensorMapFloatOOBfill(self.fill.0),
                )
            })
        })
    }

    /// Creates a map for im2col along the width only. The bounding box has one row, and the corners
    /// in width must be from -32768 to 32767. Only kernels for compute capability 10.0 can use it,
    /// because older devices have no such copies.
    ///
    /// See [`cuTensorMapEncodeIm2colWide`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__TENSOR__MEMORY.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`tiled`](Self::tiled). Returns
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the driver is older than CUDA
    /// 12.8.
    #[doc(alias = "cuTensorMapEncodeIm2colWide")]
    pub fn im2col_wide(
        &self,
        lower_corner: i32,
        upper_corner: i32,
        channels: u32,
        pixels: u32,
        mode: Im2colWideMode,
    ) -> Result<TensorMap<'a>> {
        const CALL: &str = "TensorMapBuilder::im2col_wide";
        let strides = self.check(CALL)?;
        let rank = self.dims.len();
        ensure(CALL, rank >= 3, || {
            format!("im2col needs a tensor of 3 to 5 dimensions, but `dims` has {rank}")
        })?;
        let corners = -32768..=32767;
        ensure(
            CALL,
            corners.contains(&lower_corner) && corners.contains(&upper_corner),
            || {
                format!(
                    "the corners are {lower_corner} and {upper_corner}; they must be from -32768 to 32767"
                )
            },
        )?;
        ensure(
            CALL,
            !matches!(
                self.swizzle,
                TensorSwizzle::NONE | TensorSwizzle::B32 | TensorSwizzle::B128_ATOM_32B_FLIP_8B
            ),
            || {
                format!(
                    "{:?} isn't allowed for such maps. Fix: use TensorSwizzle::B64 or B128",
                    self.swizzle
                )
            },
        )?;
        self.check_row(CALL, "`channels`", channels)?;
        ensure(
            CALL,
            mode != Im2colWideMode::W || (1..=1024).contains(&pixels),
            || format!("`pixels` is {pixels}; it must be from 1 to 1024"),
        )?;
        self.make(
            "cuTensorMapEncodeIm2colWide",
            &strides,
            |map, dims, strides| {
                let encode = newer::cuTensorMapEncodeIm2colWide()?;
                // SAFETY: as above.
                Ok(unsafe {
                    encode(
                        map.cast(),
                        self.data_type.0,
                        rank as u32,
                        self.memory.address as *mut c_void,
                        dims,
                        strides,
                        lower_corner,
                        upper_corner,
                        channels,
                        pixels,
                        self.steps.as_ptr(),
                        self.interleave.0,
                        mode.0,
                        self.swizzle.0,
                        self.promotion.0,
                        self.fill.0,
                    )
                })
            },
        )
    }

    /// Calls the driver with the checked values.
    fn make(
        &self,
        call: &'static str,
        strides: &[u64],
        encode: impl FnOnce(*mut sys::CUtensorMap, *const u64, *const u64) -> Result<sys::CUresult>,
    ) -> Result<TensorMap<'a>> {
        let mut map = Encoded::new();
        let context = &self.memory.context;
        let _current = context.enter(call)?;
        // A tensor with one dimension has no strides, but the driver rejects a null pointer.
        let mut all = [0; 5];
        all[..strides.len()].copy_from_slice(strides);
        let code = encode(map.as_mut_ptr(), self.dims.as_ptr(), all.as_ptr())?;
        context.check(call, code)?;
        Ok(TensorMap {
            map,
            bytes: self.extent(strides),
            align: self.align(),
            memory: PhantomData,
        })
    }
}
