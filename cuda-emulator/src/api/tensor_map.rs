//! Tensor maps.

use crate::abi::pointers::{In, Out, opaque};
use crate::abi::status::{Code, Result};
use crate::process::call::export;
use crate::work::tensor_map::{self, Request};
use cuda_emulator_engine::tensor_map::{SIZE, TensorMap};

/// `CUtensorMap`
type Map = [u8; SIZE];
opaque!(Map);

/// Reads the strides. The pointer must not be null, even for one dimension, which has no strides.
fn given(strides: In<u64>, rank: usize) -> Result<Vec<u64>> {
    if strides.is_null() {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    strides.array(rank - 1)
}

fn dimensions(rank: u32) -> Result<usize> {
    match rank {
        1..=5 => Ok(rank as usize),
        _ => Err(Code::ERROR_INVALID_VALUE),
    }
}

/// Reads the parameters common to all three calls: element type, address, lengths, strides and
/// steps; the interleave and swizzle in shared memory, the L2 promotion, and the fill for elements
/// out of bounds.
fn request(
    rank: usize,
    (element, address, dims, strides, steps): (u32, u64, In<u64>, In<u64>, In<u32>),
    (interleave, swizzle, promotion, fill): (u32, u32, u32, u32),
) -> Result<Request> {
    Ok(Request {
        element,
        address,
        dims: dims.array(rank)?,
        strides: given(strides, rank)?,
        steps: steps.array(rank)?,
        interleave,
        swizzle,
        promotion,
        fill,
    })
}

export! {
    fn cuTensorMapEncodeTiled(tensorMap: Out<Map>, tensorDataType: u32, tensorRank: u32, globalAddress: u64, globalDim: In<u64>, globalStrides: In<u64>, boxDim: In<u32>, elementStrides: In<u32>, interleave: u32, swizzle: u32, l2Promotion: u32, oobFill: u32) {
        tensor_map::supported()?;
        let (map, rank) = (tensorMap.check()?, dimensions(tensorRank)?);
        let tensor = (tensorDataType, globalAddress, globalDim, globalStrides, elementStrides);
        let request = request(rank, tensor, (interleave, swizzle, l2Promotion, oobFill))?;
        map.set(request.tiled(&boxDim.array(rank)?)?.encode())
    }

    fn cuTensorMapEncodeIm2col(tensorMap: Out<Map>, tensorDataType: u32, tensorRank: u32, globalAddress: u64, globalDim: In<u64>, globalStrides: In<u64>, pixelBoxLowerCorner: In<i32>, pixelBoxUpperCorner: In<i32>, channelsPerPixel: u32, pixelsPerColumn: u32, elementStrides: In<u32>, interleave: u32, swizzle: u32, l2Promotion: u32, oobFill: u32) {
        tensor_map::supported()?;
        let (map, rank) = (tensorMap.check()?, dimensions(tensorRank)?);
        let tensor = (tensorDataType, globalAddress, globalDim, globalStrides, elementStrides);
        let request = request(rank, tensor, (interleave, swizzle, l2Promotion, oobFill))?;
        let corners = rank.saturating_sub(2);
        let (lower, upper) = (pixelBoxLowerCorner.array(corners)?, pixelBoxUpperCorner.array(corners)?);
        map.set(request.im2col(&lower, &upper, channelsPerPixel, pixelsPerColumn)?.encode())
    }

    fn cuTensorMapEncodeIm2colWide(tensorMap: Out<Map>, tensorDataType: u32, tensorRank: u32, globalAddress: u64, globalDim: In<u64>, globalStrides: In<u64>, pixelBoxLowerCornerWidth: i32, pixelBoxUpperCornerWidth: i32, channelsPerPixel: u32, pixelsPerColumn: u32, elementStrides: In<u32>, interleave: u32, mode: u32, swizzle: u32, l2Promotion: u32, oobFill: u32) {
        tensor_map::supported()?;
        let (map, rank) = (tensorMap.check()?, dimensions(tensorRank)?);
        let tensor = (tensorDataType, globalAddress, globalDim, globalStrides, elementStrides);
        let request = request(rank, tensor, (interleave, swizzle, l2Promotion, oobFill))?;
        let corners = (pixelBoxLowerCornerWidth, pixelBoxUpperCornerWidth);
        map.set(tensor_map::wide(&request, corners, channelsPerPixel, pixelsPerColumn, mode)?.encode())
    }

    fn cuTensorMapReplaceAddress(tensorMap: Out<Map>, globalAddress: u64) {
        tensor_map::supported()?;
        tensor_map::check_replacement(globalAddress)?;
        // The driver does not check that the bytes are a map.
        let mut map = tensorMap.get()?;
        TensorMap::set_address(&mut map, globalAddress);
        tensorMap.set(map)
    }
}
