//! Copies and fills of linear memory in all their forms.

use crate::driver::abi::*;
use crate::driver::arg::In;
use crate::driver::call::export;
use crate::driver::context;
use crate::driver::copy::{Claim, Extent, Side, Timing};
use crate::driver::device::MAX_PITCH;
use crate::driver::fill::Fill;
use crate::driver::graph::enqueue;
use crate::driver::notice;
use crate::driver::status::{Code, Result};
use crate::driver::streams;

use Claim::{Device, Host, Unified};
use Timing::{Asynchronous, Synchronous};

/// Address and claim of a `CUmemorytype`.
fn address(memory_type: u32, host: u64, device: u64) -> Result<(u64, Claim)> {
    match memory_type {
        CU_MEMORYTYPE_HOST => Ok((host, Host)),
        CU_MEMORYTYPE_DEVICE => Ok((device, Device)),
        // Arrays need texture memory.
        CU_MEMORYTYPE_ARRAY => Err(notice::lacking("a copy from or to an array")),
        CU_MEMORYTYPE_UNIFIED => Ok((device, Unified)),
        _ => Err(Code::ERROR_INVALID_VALUE),
    }
}

fn offset(base: u64, parts: [(usize, u64); 3]) -> Result<u64> {
    parts
        .iter()
        .try_fold(base, |sum, (count, size)| {
            sum.checked_add((*count as u64).checked_mul(*size)?)
        })
        .ok_or(Code::ERROR_INVALID_VALUE)
}

impl Place2d {
    fn side(&self, width: usize, height: usize) -> Result<Side> {
        let (base, claim) = address(self.memory_type, self.host, self.device)?;
        // A pitch of 0 means rows without gaps.
        let pitch = if self.pitch == 0 {
            self.x + width
        } else {
            self.pitch
        } as u64;
        let row = self.x.checked_add(width).ok_or(Code::ERROR_INVALID_VALUE)? as u64;
        if height > 1 && pitch < row || pitch > MAX_PITCH {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        Ok(Side {
            address: offset(base, [(self.x, 1), (self.y, pitch), (0, 0)])?,
            pitch,
            slice: 0,
            claim,
            context: None,
        })
    }
}

impl Place3d {
    fn side(&self, extent: Extent) -> Result<Side> {
        let (base, claim) = address(self.memory_type, self.host, self.device)?;
        if self.lod != 0 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        let row = (self.x as u64)
            .checked_add(extent[0])
            .ok_or(Code::ERROR_INVALID_VALUE)?;
        let pitch = if self.pitch == 0 {
            row
        } else {
            self.pitch as u64
        };
        let rows = (self.y as u64)
            .checked_add(extent[1])
            .ok_or(Code::ERROR_INVALID_VALUE)?;
        let height = if self.height == 0 {
            rows
        } else {
            self.height as u64
        };
        if extent[1] > 1 && pitch < row || extent[2] > 1 && height < rows {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        let slice = pitch.checked_mul(height).ok_or(Code::ERROR_INVALID_VALUE)?;
        let address = offset(base, [(self.x, 1), (self.y, pitch), (self.z, slice)])?;
        Ok(Side {
            address,
            pitch,
            slice,
            claim,
            context: None,
        })
    }
}

impl Copy3d {
    /// Where to, where from, and how much.
    pub fn sides(&self) -> Result<(Side, Side, Extent)> {
        let extent = [self.width as u64, self.height as u64, self.depth as u64];
        Ok((self.dst.side(extent)?, self.src.side(extent)?, extent))
    }
}

impl Operand {
    fn side(&self, extent: Extent) -> Result<Side> {
        // The other one is an array.
        if self.kind != CU_MEMCPY_OPERAND_TYPE_POINTER {
            return Err(notice::lacking("a copy from or to an array"));
        }
        let pitch = if self.row_length == 0 {
            extent[0]
        } else {
            self.row_length as u64
        };
        let height = if self.layer_height == 0 {
            extent[1]
        } else {
            self.layer_height as u64
        };
        if pitch < extent[0] || height < extent[1] {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        let slice = pitch.checked_mul(height).ok_or(Code::ERROR_INVALID_VALUE)?;
        Ok(Side {
            address: self.pointer,
            pitch,
            slice,
            claim: Unified,
            context: None,
        })
    }
}

fn linear(
    stream: u64,
    timing: Timing,
    to: (u64, Claim),
    from: (u64, Claim),
    count: usize,
) -> Result {
    let stream = streams::resolve(stream)?;
    enqueue::copy(
        &stream,
        timing,
        Side::linear(to.0, to.1),
        Side::linear(from.0, from.1),
        [count as u64, 1, 1],
    )
}

fn pitched(stream: u64, timing: Timing, copy: In<Copy2d>) -> Result {
    let stream = streams::resolve(stream)?;
    let copy = copy.get()?;
    let extent = [copy.width as u64, copy.height as u64, 1];
    let sides = (
        copy.dst.side(copy.width, copy.height)?,
        copy.src.side(copy.width, copy.height)?,
    );
    enqueue::copy(&stream, timing, sides.0, sides.1, extent)
}

fn cubic(stream: u64, timing: Timing, copy: In<Copy3d>, peer: bool) -> Result {
    let stream = streams::resolve(stream)?;
    let copy = copy.get()?;
    let named = match peer {
        true => [named(copy.dst.context)?, named(copy.src.context)?],
        false => [None; 2],
    };
    let (mut to, mut from, extent) = copy.sides()?;
    [to.context, from.context] = named;
    enqueue::copy(&stream, timing, to, from, extent)
}

/// The id of a context that a call names.
fn named(context: u64) -> Result<Option<u64>> {
    let context = context::get(context)?;
    context.usable()?;
    Ok(Some(context.id))
}

fn peer(stream: u64, timing: Timing, to: (u64, u64), from: (u64, u64), count: usize) -> Result {
    let [to, from] = [to, from].map(|(address, context)| -> Result<Side> {
        Ok(Side {
            context: named(context)?,
            ..Side::linear(address, Unified)
        })
    });
    let (to, from) = (to?, from?);
    let stream = streams::resolve(stream)?;
    enqueue::copy(&stream, timing, to, from, [count as u64, 1, 1])
}

/// A failure says which copy of the batch it was.
type BatchResult = std::result::Result<(), (Code, usize)>;

fn batch(stream: u64, to: In<u64>, from: In<u64>, sizes: In<usize>, count: usize) -> BatchResult {
    for index in 0..count {
        let one = || {
            linear(
                stream,
                Asynchronous,
                (to.at(index)?, Unified),
                (from.at(index)?, Unified),
                sizes.at(index)?,
            )
        };
        one().map_err(|code| (code, index))?;
    }
    Ok(())
}

fn batch_3d(stream: u64, operations: In<Batch3d>, count: usize) -> BatchResult {
    for index in 0..count {
        let one = || {
            let operation = operations.at(index)?;
            let extent = [
                operation.width as u64,
                operation.height as u64,
                operation.depth as u64,
            ];
            let stream = streams::resolve(stream)?;
            enqueue::copy(
                &stream,
                Asynchronous,
                operation.dst.side(extent)?,
                operation.src.side(extent)?,
                extent,
            )
        };
        one().map_err(|code| (code, index))?;
    }
    Ok(())
}

fn failed_at(result: BatchResult, place: crate::driver::arg::Out<usize>) -> Result {
    result.map_err(|(code, index)| {
        place.set_optional(index);
        code
    })
}

fn fill_1d(
    stream: u64,
    timing: Timing,
    address: u64,
    width: u64,
    value: u32,
    count: usize,
) -> Result {
    let stream = streams::resolve(stream)?;
    enqueue::fill(
        &stream,
        timing,
        Fill {
            address,
            pitch: 0,
            value,
            width,
            extent: [count as u64, 1],
        },
    )
}

fn fill_2d(
    stream: u64,
    timing: Timing,
    at: (u64, usize),
    width: u64,
    value: u32,
    extent: (usize, usize),
) -> Result {
    let stream = streams::resolve(stream)?;
    let extent = [extent.0 as u64, extent.1 as u64];
    enqueue::fill(
        &stream,
        timing,
        Fill {
            address: at.0,
            pitch: at.1 as u64,
            value,
            width,
            extent,
        },
    )
}

export! {
    fn cuMemcpy / cuMemcpy_ptds(dst: u64, src: u64, ByteCount: usize) {
        linear(0, Synchronous, (dst, Unified), (src, Unified), ByteCount)
    }

    fn cuMemcpyAsync / cuMemcpyAsync_ptsz(dst: u64, src: u64, ByteCount: usize, hStream: u64) {
        linear(hStream, Asynchronous, (dst, Unified), (src, Unified), ByteCount)
    }

    fn cuMemcpyHtoD_v2 / cuMemcpyHtoD_v2_ptds(dstDevice: u64, srcHost: u64, ByteCount: usize) {
        linear(0, Synchronous, (dstDevice, Device), (srcHost, Host), ByteCount)
    }

    fn cuMemcpyDtoH_v2 / cuMemcpyDtoH_v2_ptds(dstHost: u64, srcDevice: u64, ByteCount: usize) {
        linear(0, Synchronous, (dstHost, Host), (srcDevice, Device), ByteCount)
    }

    fn cuMemcpyDtoD_v2 / cuMemcpyDtoD_v2_ptds(dstDevice: u64, srcDevice: u64, ByteCount: usize) {
        linear(0, Synchronous, (dstDevice, Device), (srcDevice, Device), ByteCount)
    }

    fn cuMemcpyHtoDAsync_v2 / cuMemcpyHtoDAsync_v2_ptsz(dstDevice: u64, srcHost: u64, ByteCount: usize, hStream: u64) {
        linear(hStream, Asynchronous, (dstDevice, Device), (srcHost, Host), ByteCount)
    }

    fn cuMemcpyDtoHAsync_v2 / cuMemcpyDtoHAsync_v2_ptsz(dstHost: u64, srcDevice: u64, ByteCount: usize, hStream: u64) {
        linear(hStream, Asynchronous, (dstHost, Host), (srcDevice, Device), ByteCount)
    }

    fn cuMemcpyDtoDAsync_v2 / cuMemcpyDtoDAsync_v2_ptsz(dstDevice: u64, srcDevice: u64, ByteCount: usize, hStream: u64) {
        linear(hStream, Asynchronous, (dstDevice, Device), (srcDevice, Device), ByteCount)
    }

    fn cuMemcpyPeer / cuMemcpyPeer_ptds(dstDevice: u64, dstContext: u64, srcDevice: u64, srcContext: u64, ByteCount: usize) {
        peer(0, Synchronous, (dstDevice, dstContext), (srcDevice, srcContext), ByteCount)
    }

    fn cuMemcpyPeerAsync / cuMemcpyPeerAsync_ptsz(dstDevice: u64, dstContext: u64, srcDevice: u64, srcContext: u64, ByteCount: usize, hStream: u64) {
        peer(hStream, Asynchronous, (dstDevice, dstContext), (srcDevice, srcContext), ByteCount)
    }

    fn cuMemcpy2D_v2 / cuMemcpy2D_v2_ptds(pCopy: In<Copy2d>) {
        pitched(0, Synchronous, pCopy)
    }

    fn cuMemcpy2DUnaligned_v2 / cuMemcpy2DUnaligned_v2_ptds(pCopy: In<Copy2d>) {
        pitched(0, Synchronous, pCopy)
    }

    fn cuMemcpy2DAsync_v2 / cuMemcpy2DAsync_v2_ptsz(pCopy: In<Copy2d>, hStream: u64) {
        pitched(hStream, Asynchronous, pCopy)
    }

    fn cuMemcpy3D_v2 / cuMemcpy3D_v2_ptds(pCopy: In<Copy3d>) {
        cubic(0, Synchronous, pCopy, false)
    }

    fn cuMemcpy3DAsync_v2 / cuMemcpy3DAsync_v2_ptsz(pCopy: In<Copy3d>, hStream: u64) {
        cubic(hStream, Asynchronous, pCopy, false)
    }

    fn cuMemcpy3DPeer / cuMemcpy3DPeer_ptds(pCopy: In<Copy3d>) {
        cubic(0, Synchronous, pCopy, true)
    }

    fn cuMemcpy3DPeerAsync / cuMemcpy3DPeerAsync_ptsz(pCopy: In<Copy3d>, hStream: u64) {
        cubic(hStream, Asynchronous, pCopy, true)
    }

    fn cuMemcpyBatchAsync / cuMemcpyBatchAsync_ptsz(dsts: In<u64>, srcs: In<u64>, sizes: In<usize>, count: usize, attrs: In<u64>, attrsIdxs: In<usize>, numAttrs: usize, failIdx: crate::driver::arg::Out<usize>, hStream: u64) {
        failed_at(batch(hStream, dsts, srcs, sizes, count), failIdx)
    }

    fn cuMemcpyBatchAsync_v2 / cuMemcpyBatchAsync_v2_ptsz(dsts: In<u64>, srcs: In<u64>, sizes: In<usize>, count: usize, attrs: In<u64>, attrsIdxs: In<usize>, numAttrs: usize, hStream: u64) {
        batch(hStream, dsts, srcs, sizes, count).map_err(|(code, _)| code)
    }

    fn cuMemcpy3DBatchAsync / cuMemcpy3DBatchAsync_ptsz(numOps: usize, opList: In<Batch3d>, failIdx: crate::driver::arg::Out<usize>, flags: u64, hStream: u64) {
        failed_at(batch_3d(hStream, opList, numOps), failIdx)
    }

    fn cuMemcpy3DBatchAsync_v2 / cuMemcpy3DBatchAsync_v2_ptsz(numOps: usize, opList: In<Batch3d>, flags: u64, hStream: u64) {
        batch_3d(hStream, opList, numOps).map_err(|(code, _)| code)
    }

    fn cuMemsetD8_v2 / cuMemsetD8_v2_ptds(dstDevice: u64, uc: u8, N: usize) {
        fill_1d(0, Synchronous, dstDevice, 1, uc.into(), N)
    }

    fn cuMemsetD16_v2 / cuMemsetD16_v2_ptds(dstDevice: u64, us: u16, N: usize) {
        fill_1d(0, Synchronous, dstDevice, 2, us.into(), N)
    }

    fn cuMemsetD32_v2 / cuMemsetD32_v2_ptds(dstDevice: u64, ui: u32, N: usize) {
        fill_1d(0, Synchronous, dstDevice, 4, ui, N)
    }

    fn cuMemsetD2D8_v2 / cuMemsetD2D8_v2_ptds(dstDevice: u64, dstPitch: usize, uc: u8, Width: usize, Height: usize) {
        fill_2d(0, Synchronous, (dstDevice, dstPitch), 1, uc.into(), (Width, Height))
    }

    fn cuMemsetD2D16_v2 / cuMemsetD2D16_v2_ptds(dstDevice: u64, dstPitch: usize, us: u16, Width: usize, Height: usize) {
        fill_2d(0, Synchronous, (dstDevice, dstPitch), 2, us.into(), (Width, Height))
    }

    fn cuMemsetD2D32_v2 / cuMemsetD2D32_v2_ptds(dstDevice: u64, dstPitch: usize, ui: u32, Width: usize, Height: usize) {
        fill_2d(0, Synchronous, (dstDevice, dstPitch), 4, ui, (Width, Height))
    }

    fn cuMemsetD8Async / cuMemsetD8Async_ptsz(dstDevice: u64, uc: u8, N: usize, hStream: u64) {
        fill_1d(hStream, Asynchronous, dstDevice, 1, uc.into(), N)
    }

    fn cuMemsetD16Async / cuMemsetD16Async_ptsz(dstDevice: u64, us: u16, N: usize, hStream: u64) {
        fill_1d(hStream, Asynchronous, dstDevice, 2, us.into(), N)
    }

    fn cuMemsetD32Async / cuMemsetD32Async_ptsz(dstDevice: u64, ui: u32, N: usize, hStream: u64) {
        fill_1d(hStream, Asynchronous, dstDevice, 4, ui, N)
    }

    fn cuMemsetD2D8Async / cuMemsetD2D8Async_ptsz(dstDevice: u64, dstPitch: usize, uc: u8, Width: usize, Height: usize, hStream: u64) {
        fill_2d(hStream, Asynchronous, (dstDevice, dstPitch), 1, uc.into(), (Width, Height))
    }

    fn cuMemsetD2D16Async / cuMemsetD2D16Async_ptsz(dstDevice: u64, dstPitch: usize, us: u16, Width: usize, Height: usize, hStream: u64) {
        fill_2d(hStream, Asynchronous, (dstDevice, dstPitch), 2, us.into(), (Width, Height))
    }

    fn cuMemsetD2D32Async / cuMemsetD2D32Async_ptsz(dstDevice: u64, dstPitch: usize, ui: u32, Width: usize, Height: usize, hStream: u64) {
        fill_2d(hStream, Asynchronous, (dstDevice, dstPitch), 4, ui, (Width, Height))
    }
}
