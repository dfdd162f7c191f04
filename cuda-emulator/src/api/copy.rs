//! Copies and fills in all their forms.

use std::sync::Arc;

use crate::abi::pointers::{In, Out};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::graph::{capture, enqueue};
use crate::memory::array::{self, Array};
use crate::process::call::export;
use crate::process::context;
use crate::queue::stream::{Role, Stream};
use crate::queue::stream_table;
use crate::work::copy::{Claim, Extent, Side, Timing};
use crate::work::fill::Fill;

use Claim::{Device, Host, Unified};
use Timing::{Asynchronous, Synchronous};

/// Returns the address and the stated memory type for a `CUmemorytype`.
fn address(memory_type: u32, host: u64, device: u64) -> Result<(u64, Claim)> {
    match memory_type {
        CU_MEMORYTYPE_HOST => Ok((host, Host)),
        CU_MEMORYTYPE_DEVICE => Ok((device, Device)),
        CU_MEMORYTYPE_UNIFIED => Ok((device, Unified)),
        _ => Err(Code::ERROR_INVALID_VALUE),
    }
}

/// Returns the array of a copy. A null handle returns `CUDA_ERROR_INVALID_VALUE`, and any other
/// invalid handle `CUDA_ERROR_INVALID_HANDLE`.
fn array(handle: u64) -> Result<Arc<Array>> {
    match handle {
        0 => Err(Code::ERROR_INVALID_VALUE),
        _ => array::get(handle),
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
        if self.memory_type == CU_MEMORYTYPE_ARRAY {
            let at = [self.x as u64, self.y as u64, 0];
            return Side::of_array(
                array(self.array)?.as_ref(),
                at,
                [width as u64, height as u64, 1],
            );
        }
        let (base, claim) = address(self.memory_type, self.host, self.device)?;
        // A pitch of 0 means rows without gaps.
        let pitch = if self.pitch == 0 {
            self.x.checked_add(width).ok_or(Code::ERROR_INVALID_VALUE)?
        } else {
            self.pitch
        } as u64;
        let row = self.x.checked_add(width).ok_or(Code::ERROR_INVALID_VALUE)? as u64;
        // As on an H200 (driver 580), this also applies to a single row, and there is no maximum
        // pitch.
        if width > 0 && height > 0 && pitch < row {
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
        if self.lod != 0 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        if self.memory_type == CU_MEMORYTYPE_ARRAY {
            let at = [self.x as u64, self.y as u64, self.z as u64];
            return Side::of_array(array(self.array)?.as_ref(), at, extent);
        }
        let (base, claim) = address(self.memory_type, self.host, self.device)?;
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
        // As on an H200 (driver 580), this also applies to a single row and a single slice.
        if !extent.contains(&0) && (pitch < row || height < rows) {
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
    /// Returns destination, source and extent.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` or `CUDA_ERROR_INVALID_HANDLE` if a side is invalid.
    pub fn sides(&self) -> Result<(Side, Side, Extent)> {
        let extent = [self.width as u64, self.height as u64, self.depth as u64];
        Ok((self.dst.side(extent)?, self.src.side(extent)?, extent))
    }
}

impl Operand {
    /// Returns its array, if it is one.
    fn array(&self) -> Result<Option<Arc<Array>>> {
        match self.kind {
            CU_MEMCPY_OPERAND_TYPE_POINTER => Ok(None),
            CU_MEMCPY_OPERAND_TYPE_ARRAY => array(self.pointer).map(Some),
            _ => Err(Code::ERROR_INVALID_VALUE),
        }
    }

    /// Returns the side of a copy. Lengths are in elements of `element` bytes, except for the
    /// extent, whose rows are in bytes.
    fn side(&self, extent: Extent, element: u64) -> Result<Side> {
        let bytes = |elements: u64| {
            elements
                .checked_mul(element)
                .ok_or(Code::ERROR_INVALID_VALUE)
        };
        if let Some(array) = self.array()? {
            let at = [
                bytes(self.row_length as u64)?,
                self.layer_height as u64,
                self.location.as_word(),
            ];
            return Side::of_array(&array, at, extent);
        }
        let pitch = if self.row_length == 0 {
            extent[0]
        } else {
            bytes(self.row_length as u64)?
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

impl Batch3d {
    /// Returns destination, source and extent. Lengths are in texels of the arrays, or in bytes if
    /// there is no array.
    fn sides(&self) -> Result<(Side, Side, Extent)> {
        let arrays = [self.dst.array()?, self.src.array()?];
        let mut elements = arrays.iter().flatten().map(|one| one.texel.bytes);
        let element = elements.next().unwrap_or(1);
        if elements.any(|other| other != element) {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        let width = (self.width as u64).checked_mul(element);
        let extent = [
            width.ok_or(Code::ERROR_INVALID_VALUE)?,
            self.height as u64,
            self.depth as u64,
        ];
        Ok((
            self.dst.side(extent, element)?,
            self.src.side(extent, element)?,
            extent,
        ))
    }
}

/// Returns a range of bytes in an array's first row.
fn row(handle: u64, offset: usize, count: usize) -> Result<Side> {
    Side::of_array(
        array(handle)?.as_ref(),
        [offset as u64, 0, 0],
        [count as u64, 1, 1],
    )
}

fn row_copy(stream: u64, timing: Timing, to: Side, from: Side, count: usize) -> Result {
    let stream = stream_table::resolve(stream)?;
    enqueue::copy(&stream, timing, to, from, [count as u64, 1, 1])
}

fn linear(
    stream: u64,
    timing: Timing,
    to: (u64, Claim),
    from: (u64, Claim),
    count: usize,
) -> Result {
    let stream = stream_table::resolve(stream)?;
    enqueue::copy(
        &stream,
        timing,
        Side::linear(to.0, to.1),
        Side::linear(from.0, from.1),
        [count as u64, 1, 1],
    )
}

fn pitched(stream: u64, timing: Timing, copy: In<Copy2d>) -> Result {
    let stream = stream_table::resolve(stream)?;
    let copy = copy.get()?;
    let extent = [copy.width as u64, copy.height as u64, 1];
    let sides = (
        copy.dst.side(copy.width, copy.height)?,
        copy.src.side(copy.width, copy.height)?,
    );
    enqueue::copy(&stream, timing, sides.0, sides.1, extent)
}

fn cubic(stream: u64, timing: Timing, copy: In<Copy3d>, peer: bool) -> Result {
    let stream = stream_table::resolve(stream)?;
    if peer {
        capture::reject_work(&stream)?;
    }
    let copy = copy.get()?;
    let named = match peer {
        true => [named(copy.dst.context)?, named(copy.src.context)?],
        false => [None; 2],
    };
    let (mut to, mut from, extent) = copy.sides()?;
    [to.context, from.context] = named;
    enqueue::copy(&stream, timing, to, from, extent)
}

/// Returns the id of the context that a call names. Null means the current one. Neither the
/// emulator nor the driver checks that the memory belongs to it.
fn named(context: u64) -> Result<Option<u64>> {
    Ok(Some(context::get_or_current(context)?.id))
}

fn peer(stream: u64, timing: Timing, to: (u64, u64), from: (u64, u64), count: usize) -> Result {
    let [to, from] = [to, from].map(|(address, context)| -> Result<Side> {
        Ok(Side {
            context: named(context)?,
            ..Side::linear(address, Unified)
        })
    });
    let (to, from) = (to?, from?);
    let stream = stream_table::resolve(stream)?;
    capture::reject_work(&stream)?;
    enqueue::copy(&stream, timing, to, from, [count as u64, 1, 1])
}

/// The result of a batch. An error has the index of the failed copy, or `None` if no single copy is
/// to blame.
type BatchResult = std::result::Result<(), (Code, Option<usize>)>;

/// Returns the stream of a batch. The legacy default stream and captured streams are rejected, and
/// the capture stays valid.
fn stream_of_batch(stream: u64, count: usize) -> Result<Arc<Stream>> {
    let stream = stream_table::resolve(stream)?;
    if capture::of(&stream).is_some() {
        return Err(Code::ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
    if stream.role == Role::Legacy || count == 0 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    Ok(stream)
}

/// Checks the access order of a source, and the hints. The emulator reads every source in stream
/// order, which the weakest access order allows. An H200 (driver 580) does so in most cases. It
/// reads sources larger than 64 KiB later than `DURING_API_CALL` permits.
fn check_order(order: u32, flags: u32) -> Result {
    let known =
        (CU_MEMCPY_SRC_ACCESS_ORDER_STREAM..=CU_MEMCPY_SRC_ACCESS_ORDER_ANY).contains(&order);
    match known && flags <= CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE {
        true => Ok(()),
        false => Err(Code::ERROR_INVALID_VALUE),
    }
}

/// A batch of linear copies.
struct Batch {
    to: In<u64>,
    from: In<u64>,
    sizes: In<usize>,
    count: usize,
    attributes: In<CopyAttributes>,
    /// The index of the first copy for each entry of `attributes`.
    indices: In<usize>,
    kinds: usize,
}

impl Batch {
    fn check(&self) -> Result {
        if self.kinds == 0 || self.kinds > self.count {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        let mut before = None;
        for kind in 0..self.kinds {
            let (attributes, index) = (self.attributes.at(kind)?, self.indices.at(kind)?);
            check_order(attributes.order, attributes.flags)?;
            let follows = before.map_or(index == 0, |before| index > before);
            if !follows || index >= self.count {
                return Err(Code::ERROR_INVALID_VALUE);
            }
            before = Some(index);
        }
        // Checks that no list is null.
        for list in [&self.to, &self.from] {
            list.at(0)?;
        }
        self.sizes.at(0).map(drop)
    }

    fn run(&self, stream: u64) -> BatchResult {
        let stream = stream_of_batch(stream, self.count).map_err(|code| (code, None))?;
        self.check().map_err(|code| (code, None))?;
        for index in 0..self.count {
            let one = || {
                let size = self.sizes.at(index)? as u64;
                if size == 0 {
                    return Err(Code::ERROR_INVALID_VALUE);
                }
                let side = |list: &In<u64>| Ok(Side::linear(list.at(index)?, Unified));
                let (to, from) = (side(&self.to)?, side(&self.from)?);
                enqueue::copy(&stream, Asynchronous, to, from, [size, 1, 1])
            };
            one().map_err(|code| (code, Some(index)))?;
        }
        Ok(())
    }
}

fn batch_3d(stream: u64, operations: In<Batch3d>, flags: u64, count: usize) -> BatchResult {
    let stream = stream_of_batch(stream, count).map_err(|code| (code, None))?;
    if flags != 0 {
        return Err((Code::ERROR_INVALID_VALUE, None));
    }
    for index in 0..count {
        // A contradictory description is reported with its index, and invalid memory without.
        let describe = || -> Result<(Side, Side, Extent)> {
            let operation = operations.at(index)?;
            check_order(operation.order, operation.flags)?;
            if operation.width == 0 || operation.height == 0 || operation.depth == 0 {
                return Err(Code::ERROR_INVALID_VALUE);
            }
            operation.sides()
        };
        let (to, from, extent) = describe().map_err(|code| (code, Some(index)))?;
        enqueue::copy(&stream, Asynchronous, to, from, extent).map_err(|code| (code, None))?;
    }
    Ok(())
}

fn failed_at(stream: u64, result: BatchResult, place: Out<usize>) -> Result {
    match result {
        Ok(()) => place.set_optional(usize::MAX),
        // For the null stream an H200 stores no index.
        Err((_, None)) if stream == 0 => {}
        Err((_, index)) => place.set_optional(index.unwrap_or(usize::MAX)),
    }
    result.map_err(|(code, _)| code)
}

fn fill_1d(
    stream: u64,
    timing: Timing,
    address: u64,
    width: u64,
    value: u32,
    count: usize,
) -> Result {
    let stream = stream_table::resolve(stream)?;
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
    let stream = stream_table::resolve(stream)?;
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

    fn cuMemcpyDtoA_v2 / cuMemcpyDtoA_v2_ptds(dstArray: u64, dstOffset: usize, srcDevice: u64, ByteCount: usize) {
        row_copy(0, Synchronous, row(dstArray, dstOffset, ByteCount)?, Side::linear(srcDevice, Device), ByteCount)
    }

    fn cuMemcpyAtoD_v2 / cuMemcpyAtoD_v2_ptds(dstDevice: u64, srcArray: u64, srcOffset: usize, ByteCount: usize) {
        row_copy(0, Synchronous, Side::linear(dstDevice, Device), row(srcArray, srcOffset, ByteCount)?, ByteCount)
    }

    fn cuMemcpyHtoA_v2 / cuMemcpyHtoA_v2_ptds(dstArray: u64, dstOffset: usize, srcHost: u64, ByteCount: usize) {
        row_copy(0, Synchronous, row(dstArray, dstOffset, ByteCount)?, Side::linear(srcHost, Host), ByteCount)
    }

    fn cuMemcpyAtoH_v2 / cuMemcpyAtoH_v2_ptds(dstHost: u64, srcArray: u64, srcOffset: usize, ByteCount: usize) {
        row_copy(0, Synchronous, Side::linear(dstHost, Host), row(srcArray, srcOffset, ByteCount)?, ByteCount)
    }

    fn cuMemcpyAtoA_v2 / cuMemcpyAtoA_v2_ptds(dstArray: u64, dstOffset: usize, srcArray: u64, srcOffset: usize, ByteCount: usize) {
        row_copy(0, Synchronous, row(dstArray, dstOffset, ByteCount)?, row(srcArray, srcOffset, ByteCount)?, ByteCount)
    }

    fn cuMemcpyHtoAAsync_v2 / cuMemcpyHtoAAsync_v2_ptsz(dstArray: u64, dstOffset: usize, srcHost: u64, ByteCount: usize, hStream: u64) {
        row_copy(hStream, Asynchronous, row(dstArray, dstOffset, ByteCount)?, Side::linear(srcHost, Host), ByteCount)
    }

    fn cuMemcpyAtoHAsync_v2 / cuMemcpyAtoHAsync_v2_ptsz(dstHost: u64, srcArray: u64, srcOffset: usize, ByteCount: usize, hStream: u64) {
        row_copy(hStream, Asynchronous, Side::linear(dstHost, Host), row(srcArray, srcOffset, ByteCount)?, ByteCount)
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

    fn cuMemcpyBatchAsync / cuMemcpyBatchAsync_ptsz(dsts: In<u64>, srcs: In<u64>, sizes: In<usize>, count: usize, attrs: In<CopyAttributes>, attrsIdxs: In<usize>, numAttrs: usize, failIdx: Out<usize>, hStream: u64) {
        let batch = Batch { to: dsts, from: srcs, sizes, count, attributes: attrs, indices: attrsIdxs, kinds: numAttrs };
        failed_at(hStream, batch.run(hStream), failIdx)
    }

    fn cuMemcpyBatchAsync_v2 / cuMemcpyBatchAsync_v2_ptsz(dsts: In<u64>, srcs: In<u64>, sizes: In<usize>, count: usize, attrs: In<CopyAttributes>, attrsIdxs: In<usize>, numAttrs: usize, hStream: u64) {
        let batch = Batch { to: dsts, from: srcs, sizes, count, attributes: attrs, indices: attrsIdxs, kinds: numAttrs };
        batch.run(hStream).map_err(|(code, _)| code)
    }

    fn cuMemcpy3DBatchAsync / cuMemcpy3DBatchAsync_ptsz(numOps: usize, opList: In<Batch3d>, failIdx: Out<usize>, flags: u64, hStream: u64) {
        failed_at(hStream, batch_3d(hStream, opList, flags, numOps), failIdx)
    }

    fn cuMemcpy3DBatchAsync_v2 / cuMemcpy3DBatchAsync_v2_ptsz(numOps: usize, opList: In<Batch3d>, flags: u64, hStream: u64) {
        batch_3d(hStream, opList, flags, numOps).map_err(|(code, _)| code)
    }

    fn cuMemcpyWithAttributesAsync / cuMemcpyWithAttributesAsync_ptsz(dst: u64, src: u64, size: usize, attr: In<CopyAttributes>, hStream: u64) {
        let attributes = attr.get()?;
        check_order(attributes.order, attributes.flags)?;
        let stream = stream_of_batch(hStream, 1)?;
        enqueue::copy(&stream, Asynchronous, Side::linear(dst, Unified), Side::linear(src, Unified), [size as u64, 1, 1])
    }

    fn cuMemcpy3DWithAttributesAsync / cuMemcpy3DWithAttributesAsync_ptsz(op: In<Batch3d>, flags: u64, hStream: u64) {
        batch_3d(hStream, op, flags, 1).map_err(|(code, _)| code)
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
