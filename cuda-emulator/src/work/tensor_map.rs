//! Tensor maps: the driver's checks before it encodes them.

use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::process::device;
use cuda_emulator_engine::tensor_map::{Element, Im2col, Mode, TensorMap};

/// The client's parameters that are common to all kinds of maps.
pub struct Request {
    pub element: u32,
    pub address: u64,
    /// One length per dimension.
    pub dims: Vec<u64>,
    /// Bytes, for all dimensions but the first.
    pub strides: Vec<u64>,
    pub steps: Vec<u32>,
    pub interleave: u32,
    pub swizzle: u32,
    pub promotion: u32,
    pub fill: u32,
}

/// Returns the bytes of the span within which a swizzle works, or `None` for a mode that the device
/// does not have.
fn span(swizzle: u32) -> Option<u64> {
    match swizzle {
        CU_TENSOR_MAP_SWIZZLE_NONE => Some(u64::MAX),
        CU_TENSOR_MAP_SWIZZLE_32B => Some(32),
        CU_TENSOR_MAP_SWIZZLE_64B => Some(64),
        CU_TENSOR_MAP_SWIZZLE_128B => Some(128),
        _ => None,
    }
}

/// Maximum bytes of a tile: the shared memory of an H200's multiprocessor.
const MOST_BYTES: u64 = 228 << 10;

fn ensure(holds: bool) -> Result {
    if holds {
        Ok(())
    } else {
        Err(Code::ERROR_INVALID_VALUE)
    }
}

/// Checks that the device has tensor maps.
///
/// # Errors
/// Returns `CUDA_ERROR_NOT_SUPPORTED` below compute capability 9.0.
pub fn supported() -> Result {
    if device::architecture().capability < (9, 0) {
        return Err(Code::ERROR_NOT_SUPPORTED);
    }
    Ok(())
}

/// Checks the alignment of a tensor's address for an interleave.
fn check_address(address: u64, interleave: u32) -> Result {
    let align = match interleave {
        CU_TENSOR_MAP_INTERLEAVE_32B => 32,
        _ => 16,
    };
    ensure(address.is_multiple_of(align))
}

impl Request {
    fn size(&self) -> Result<u64> {
        let element = u8::try_from(self.element).map_err(|_| Code::ERROR_INVALID_VALUE)?;
        Element(element).size().ok_or(Code::ERROR_INVALID_VALUE)
    }

    /// Checks the parameters that are common to all maps. `inner` is the number of elements per row
    /// of the tile.
    fn check(&self, inner: u64) -> Result {
        let size = self.size()?;
        let floating = Element(self.element as u8).floating();
        ensure(self.interleave <= CU_TENSOR_MAP_INTERLEAVE_32B)?;
        ensure(self.promotion <= CU_TENSOR_MAP_L2_PROMOTION_L2_256B)?;
        ensure(match self.fill {
            CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE => true,
            CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA => floating,
            _ => false,
        })?;
        check_address(self.address, self.interleave)?;
        ensure(self.dims.iter().all(|&dim| dim > 0 && dim <= 1 << 32))?;
        let multiple = match self.interleave {
            CU_TENSOR_MAP_INTERLEAVE_32B => 32,
            _ => 16,
        };
        let sound = |&stride: &u64| stride.is_multiple_of(multiple) && stride < 1 << 40;
        ensure(self.strides.iter().all(sound))?;
        // As on an H200, the first step is checked too, although it is ignored without interleave.
        ensure(self.steps.iter().all(|step| (1..=8).contains(step)))?;
        let span = span(self.swizzle).ok_or(Code::ERROR_INVALID_VALUE)?;
        ensure((inner * size).is_multiple_of(16))?;
        match self.interleave {
            CU_TENSOR_MAP_INTERLEAVE_NONE => ensure(inner * size <= span),
            // With the interleave of 32 bytes, an H200's driver also accepts swizzles other than 32
            // bytes.
            _ => ensure(self.dims.len() >= 3),
        }
    }

    fn map(&self, mode: Mode) -> TensorMap {
        TensorMap {
            element: Element(self.element as u8),
            rank: self.dims.len() as u8,
            interleave: self.interleave as u8,
            swizzle: self.swizzle as u8,
            fill: self.fill as u8,
            promotion: self.promotion as u8,
            mode,
            address: self.address,
            dims: std::array::from_fn(|i| self.dims.get(i).copied().unwrap_or(1)),
            strides: std::array::from_fn(|i| self.strides.get(i).copied().unwrap_or(0)),
            steps: std::array::from_fn(|i| self.steps.get(i).map_or(1, |&step| step as u8)),
        }
    }

    /// Creates a tiled map with boxes of these lengths.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if a parameter is invalid or a box is too large.
    pub fn tiled(&self, lengths: &[u32]) -> Result<TensorMap> {
        ensure(lengths.iter().all(|length| (1..=256).contains(length)))?;
        self.check(lengths[0].into())?;
        let elements: u64 = lengths.iter().map(|&length| u64::from(length)).product();
        ensure(elements * self.size()? <= MOST_BYTES)?;
        let length = |i| lengths.get(i).map_or(1, |&length| length as u16);
        Ok(self.map(Mode::Tile(std::array::from_fn(length))))
    }

    /// Creates an im2col map. Its corners have width, height and depth.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if a parameter is invalid or the bounding box is empty.
    pub fn im2col(
        &self,
        lower: &[i32],
        upper: &[i32],
        channels: u32,
        pixels: u32,
    ) -> Result<TensorMap> {
        let corners = match self.dims.len() {
            3 => -32768..=32767,
            4 => -128..=127,
            5 => -16..=15,
            _ => return Err(Code::ERROR_INVALID_VALUE),
        };
        ensure(
            lower
                .iter()
                .chain(upper)
                .all(|corner| corners.contains(corner)),
        )?;
        ensure((1..=256).contains(&channels) && (1..=1024).contains(&pixels))?;
        ensure(u64::from(channels * pixels) * self.size()? <= MOST_BYTES)?;
        self.check(channels.into())?;
        // The box must contain pixels.
        let dims = &self.dims[1..];
        let ends = dims
            .iter()
            .zip(upper)
            .map(|(&dim, &upper)| dim as i64 - 1 + i64::from(upper));
        ensure(
            lower
                .iter()
                .zip(ends)
                .all(|(&lower, end)| i64::from(lower) <= end),
        )?;
        let corner = |list: &[i32], i| list.get(i).map_or(0, |&corner| corner as i16);
        Ok(self.map(Mode::Im2col(Im2col {
            lower: std::array::from_fn(|i| corner(lower, i)),
            upper: std::array::from_fn(|i| corner(upper, i)),
            channels: channels as u16,
            pixels: pixels as u16,
        })))
    }
}

/// Creates an im2col-wide map, whose corners have only a width. An H200's driver creates these too,
/// with the same checks as im2col, although only devices of compute capability 10.0 can copy with
/// them.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the mode does not exist, and the errors of
/// [`Request::im2col`].
pub fn wide(
    request: &Request,
    corners: (i32, i32),
    channels: u32,
    pixels: u32,
    mode: u32,
) -> Result<TensorMap> {
    ensure(mode <= CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128)?;
    let (lower, upper) = ([corners.0, 0, 0], [corners.1, 0, 0]);
    let pixel_dims = request.dims.len().saturating_sub(2).min(3);
    let map = request.im2col(&lower[..pixel_dims], &upper[..pixel_dims], channels, pixels)?;
    Ok(match map.mode {
        Mode::Im2col(columns) => TensorMap {
            mode: Mode::Wide(columns),
            ..map
        },
        _ => map,
    })
}

/// Checks an address that replaces the one in a map. The driver checks less here than when it
/// creates a map.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the address is not aligned to 16 bytes.
pub fn check_replacement(address: u64) -> Result {
    check_address(address, CU_TENSOR_MAP_INTERLEAVE_NONE)
}
