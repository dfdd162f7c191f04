//! Copies of rectangles and boxes: the position of each byte, and invalid rectangles and boxes.

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::boxes::*;
use cuda_emulator_checks::graphs::{RELAXED, begin, end};
use std::ptr::null_mut;

// Functions that the newest headers no longer declare.
unsafe extern "C" {
    fn cuMemcpy3DBatchAsync(
        count: usize,
        operations: *mut CUDA_MEMCPY3D_BATCH_OP,
        failed: *mut usize,
        flags: u64,
        stream: CUstream,
    ) -> CUresult;
    fn cuMemcpy3DWithAttributesAsync(
        operation: *mut CUDA_MEMCPY3D_BATCH_OP,
        flags: u64,
        stream: CUstream,
    ) -> CUresult;
}

fn rectangle(sides: &mut Sides) -> CUDA_MEMCPY2D {
    CUDA_MEMCPY2D {
        dstMemoryType: sides.kinds[0],
        dstHost: sides.host(0),
        dstDevice: sides.device(0),
        srcMemoryType: sides.kinds[1],
        srcHost: sides.host(1),
        srcDevice: sides.device(1),
        ..zeroed()
    }
}

fn cuboid(sides: &mut Sides) -> CUDA_MEMCPY3D {
    CUDA_MEMCPY3D {
        dstMemoryType: sides.kinds[0],
        dstHost: sides.host(0),
        dstDevice: sides.device(0),
        srcMemoryType: sides.kinds[1],
        srcHost: sides.host(1),
        srcDevice: sides.device(1),
        ..zeroed()
    }
}

/// Returns the same copy as `cuboid`, with the contexts of a peer copy.
fn peer(copy: &CUDA_MEMCPY3D, to: CUcontext, from: CUcontext) -> CUDA_MEMCPY3D_PEER {
    CUDA_MEMCPY3D_PEER {
        srcXInBytes: copy.srcXInBytes,
        srcY: copy.srcY,
        srcZ: copy.srcZ,
        srcLOD: copy.srcLOD,
        srcMemoryType: copy.srcMemoryType,
        srcHost: copy.srcHost,
        srcDevice: copy.srcDevice,
        srcContext: from,
        srcPitch: copy.srcPitch,
        srcHeight: copy.srcHeight,
        dstXInBytes: copy.dstXInBytes,
        dstY: copy.dstY,
        dstZ: copy.dstZ,
        dstLOD: copy.dstLOD,
        dstMemoryType: copy.dstMemoryType,
        dstHost: copy.dstHost,
        dstDevice: copy.dstDevice,
        dstContext: to,
        dstPitch: copy.dstPitch,
        dstHeight: copy.dstHeight,
        WidthInBytes: copy.WidthInBytes,
        Height: copy.Height,
        Depth: copy.Depth,
        ..zeroed()
    }
}

#[test]
fn every_rectangle_copy_function_places_every_byte() {
    let _own = Own::new();
    for kinds in KINDS {
        for form in 0..3 {
            let mut sides = Sides::new(kinds);
            let copy = CUDA_MEMCPY2D {
                dstXInBytes: 3,
                dstY: 2,
                dstPitch: 40,
                srcXInBytes: 7,
                srcY: 3,
                srcPitch: 25,
                WidthInBytes: 11,
                Height: 5,
                ..rectangle(&mut sides)
            };
            match form {
                0 => ok!(cuMemcpy2D_v2(&copy)),
                1 => ok!(cuMemcpy2DUnaligned_v2(&copy)),
                _ => ok!(cuMemcpy2DAsync_v2(&copy, null_mut())),
            }
            let wanted = expected([83, 40, 0], [82, 25, 0], [11, 5, 1]);
            assert!(sides.target() == wanted, "form {form} of {kinds:?}");
        }
    }
}

#[test]
fn every_box_copy_function_places_every_byte() {
    let own = Own::new();
    for kinds in KINDS {
        for form in 0..4 {
            let mut sides = Sides::new(kinds);
            let copy = CUDA_MEMCPY3D {
                dstXInBytes: 3,
                dstY: 2,
                dstZ: 1,
                dstPitch: 20,
                dstHeight: 9,
                srcXInBytes: 7,
                srcY: 1,
                srcZ: 2,
                srcPitch: 19,
                srcHeight: 8,
                WidthInBytes: 11,
                Height: 5,
                Depth: 3,
                ..cuboid(&mut sides)
            };
            let between = peer(&copy, own.0, own.0);
            match form {
                0 => ok!(cuMemcpy3D_v2(&copy)),
                1 => ok!(cuMemcpy3DAsync_v2(&copy, null_mut())),
                2 => ok!(cuMemcpy3DPeer(&between)),
                _ => ok!(cuMemcpy3DPeerAsync(&between, null_mut())),
            }
            let wanted = expected([223, 20, 180], [330, 19, 152], [11, 5, 3]);
            assert!(sides.target() == wanted, "form {form} of {kinds:?}");
        }
    }
}

/// Returns the contents of the target after a copy that returns this code.
fn copied(code: CUresult, layouts: [Layout; 2], extent: [usize; 3]) -> Vec<u8> {
    match code {
        SUCCESS => expected(layouts[0], layouts[1], extent),
        _ => vec![0; SIZE],
    }
}

/// One side of a rectangle copy: x, y, pitch.
struct Flat(usize, usize, usize);

#[test]
fn the_pitch_of_a_rectangle() {
    let _own = Own::new();
    const MOST: usize = 0x7fff_ffff;
    // Side, width and height, the expected code, and the offset of the first byte and the distance
    // between rows.
    let table = [
        (Flat(2, 1, 8), [6, 2], SUCCESS, [10, 8]),
        (Flat(2, 1, 7), [6, 2], INVALID, [0, 0]),
        (Flat(2, 1, 7), [6, 3], INVALID, [0, 0]),
        // On an H200 (driver 580), this also holds for a single row.
        (Flat(2, 1, 7), [6, 1], INVALID, [0, 0]),
        (Flat(2, 0, 1), [6, 1], INVALID, [0, 0]),
        (Flat(2, 1, 8), [6, 1], SUCCESS, [10, 8]),
        (Flat(2, 0, 9), [6, 3], SUCCESS, [2, 9]),
        // Without a pitch, rows are contiguous.
        (Flat(2, 1, 0), [6, 3], SUCCESS, [10, 8]),
        (Flat(0, 0, 0), [6, 3], SUCCESS, [0, 6]),
        (Flat(0, 0, MOST - 1), [6, 1], SUCCESS, [0, 0]),
        (Flat(0, 0, MOST), [6, 1], SUCCESS, [0, 0]),
        // Larger than the device's documented maximum, but an H200 accepts it.
        (Flat(0, 0, MOST + 1), [6, 1], SUCCESS, [0, 0]),
        (Flat(0, 0, MOST + 513), [6, 1], SUCCESS, [0, 0]),
        (Flat(usize::MAX, 0, 16), [6, 1], INVALID, [0, 0]),
        (Flat(0, usize::MAX, 16), [6, 1], INVALID, [0, 0]),
    ];
    for (index, (Flat(x, y, pitch), [width, height], wanted, [start, step])) in
        table.into_iter().enumerate()
    {
        for side in 0..2 {
            let mut sides = Sides::new([DEVICE, DEVICE]);
            let mut copy = CUDA_MEMCPY2D {
                dstPitch: 16,
                srcPitch: 16,
                WidthInBytes: width,
                Height: height,
                ..rectangle(&mut sides)
            };
            let mut layouts = [[0, 16, 0]; 2];
            layouts[side] = [start, step, 0];
            match side {
                0 => (copy.dstXInBytes, copy.dstY, copy.dstPitch) = (x, y, pitch),
                _ => (copy.srcXInBytes, copy.srcY, copy.srcPitch) = (x, y, pitch),
            }
            let code = call!(cuMemcpy2D_v2(&copy));
            assert_eq!(code, wanted, "row {index}, side {side}");
            let bytes = copied(wanted, layouts, [width, height, 1]);
            assert!(sides.target() == bytes, "row {index}, side {side}");
        }
    }
}

#[test]
fn the_pitch_and_height_of_a_box() {
    let own = Own::new();
    // x, y, z, pitch and height of a side, the extent, the code and the layout.
    let table = [
        ([2, 1, 1, 8, 3], [6, 2, 2], SUCCESS, [34, 8, 24]),
        ([2, 1, 1, 7, 3], [6, 2, 2], INVALID, [0; 3]),
        ([2, 1, 1, 7, 3], [6, 3, 1], INVALID, [0; 3]),
        // On an H200 (driver 580), this also holds for a single row and a single slice.
        ([2, 1, 1, 7, 2], [6, 1, 2], INVALID, [0; 3]),
        ([2, 1, 1, 7, 2], [6, 1, 1], INVALID, [0; 3]),
        ([0, 1, 0, 8, 1], [6, 1, 1], INVALID, [0; 3]),
        ([0, 1, 0, 8, 2], [6, 1, 1], SUCCESS, [8, 8, 16]),
        ([2, 1, 1, 9, 4], [6, 2, 3], SUCCESS, [47, 9, 36]),
        ([2, 1, 0, 8, 2], [6, 2, 2], INVALID, [0; 3]),
        ([2, 1, 0, 8, 2], [6, 2, 3], INVALID, [0; 3]),
        ([2, 1, 0, 8, 2], [6, 2, 1], INVALID, [0; 3]),
        ([2, 1, 1, 8, 2], [6, 2, 1], INVALID, [0; 3]),
        ([2, 1, 0, 8, 3], [6, 2, 1], SUCCESS, [10, 8, 24]),
        // Without a pitch or height, rows and slices are contiguous.
        ([2, 1, 1, 0, 4], [6, 2, 2], SUCCESS, [42, 8, 32]),
        ([2, 1, 1, 9, 0], [6, 2, 2], SUCCESS, [38, 9, 27]),
        ([2, 1, 1, 0, 0], [6, 2, 2], SUCCESS, [34, 8, 24]),
        ([0, 0, 0, 0, 0], [6, 2, 2], SUCCESS, [0, 6, 12]),
        ([usize::MAX, 0, 0, 9, 4], [6, 1, 1], INVALID, [0; 3]),
        ([0, usize::MAX, 0, 9, 4], [6, 1, 1], INVALID, [0; 3]),
        ([0, 0, usize::MAX, 9, 4], [6, 1, 1], INVALID, [0; 3]),
        ([0, 0, 0, usize::MAX, 4], [6, 1, 1], INVALID, [0; 3]),
    ];
    for (index, ([x, y, z, pitch, height], extent, wanted, layout)) in table.into_iter().enumerate()
    {
        for side in 0..2 {
            for between in [false, true] {
                let mut sides = Sides::new([DEVICE, DEVICE]);
                let mut copy = CUDA_MEMCPY3D {
                    dstPitch: 16,
                    dstHeight: 5,
                    srcPitch: 16,
                    srcHeight: 5,
                    WidthInBytes: extent[0],
                    Height: extent[1],
                    Depth: extent[2],
                    ..cuboid(&mut sides)
                };
                let mut layouts = [[0, 16, 80]; 2];
                layouts[side] = layout;
                if side == 0 {
                    (copy.dstXInBytes, copy.dstY, copy.dstZ) = (x, y, z);
                    (copy.dstPitch, copy.dstHeight) = (pitch, height);
                } else {
                    (copy.srcXInBytes, copy.srcY, copy.srcZ) = (x, y, z);
                    (copy.srcPitch, copy.srcHeight) = (pitch, height);
                }
                // SAFETY: The copy uses live memory, or must be rejected.
                let code = unsafe {
                    match between {
                        false => cuMemcpy3D_v2(&copy),
                        true => cuMemcpy3DPeer(&peer(&copy, own.0, own.0)),
                    }
                };
                assert_eq!(code, wanted, "row {index}, side {side}");
                let bytes = copied(wanted, layouts, extent);
                assert!(sides.target() == bytes, "row {index}, side {side}");
            }
        }
    }
}

#[test]
fn other_memory_types_are_rejected() {
    let own = Own::new();
    let mut sides = Sides::new([DEVICE, DEVICE]);
    let copy = CUDA_MEMCPY3D {
        WidthInBytes: 4,
        Height: 1,
        Depth: 1,
        ..cuboid(&mut sides)
    };
    let run = |copy: &CUDA_MEMCPY3D| {
        let between = peer(copy, own.0, own.0);
        // SAFETY: The copy uses live memory, or must be rejected.
        unsafe { [cuMemcpy3D_v2(copy), cuMemcpy3DPeer(&between)] }
    };
    assert_eq!(run(&copy), [SUCCESS; 2]);
    for lod in [1, 2] {
        let (mut to, mut from) = (copy, copy);
        (to.dstLOD, from.srcLOD) = (lod, lod);
        assert_eq!([run(&to), run(&from)], [[INVALID; 2]; 2]);
    }
    // An array without its handle, and two unknown kinds.
    for kind in [ARRAY, CUmemorytype(0), CUmemorytype(5)] {
        let (mut to, mut from) = (copy, copy);
        (to.dstMemoryType, from.srcMemoryType) = (kind, kind);
        assert_eq!([run(&to), run(&from)], [[INVALID; 2]; 2]);
        let mut flat = rectangle(&mut sides);
        (flat.WidthInBytes, flat.Height) = (4, 1);
        ok!(cuMemcpy2D_v2(&flat));
        let (mut to, mut from) = (flat, flat);
        (to.dstMemoryType, from.srcMemoryType) = (kind, kind);
        invalid!(cuMemcpy2D_v2(&to));
        invalid!(cuMemcpy2D_v2(&from));
    }
    // Null means the current context.
    ok!(cuMemcpy3DPeer(&peer(&copy, null_mut(), null_mut())));
    for wild in WILD {
        for (to, from) in [(wild as CUcontext, own.0), (own.0, wild as CUcontext)] {
            let between = peer(&copy, to, from);
            no_context!(cuMemcpy3DPeer(&between));
            no_context!(cuMemcpy3DPeerAsync(&between, null_mut()));
        }
    }
    let mut large = rectangle(&mut sides);
    (large.WidthInBytes, large.Height) = (4, SIZE);
    invalid!(cuMemcpy2D_v2(&large));
    invalid!(cuMemcpy2D_v2(std::ptr::null()));
    invalid!(cuMemcpy3D_v2(std::ptr::null()));
    invalid!(cuMemcpy3DPeer(std::ptr::null()));
}

fn operand(address: CUdeviceptr, row: usize, layer: usize) -> CUmemcpy3DOperand {
    let mut operand: CUmemcpy3DOperand = zeroed();
    operand.type_ = CUmemcpy3DOperandType::CU_MEMCPY_OPERAND_TYPE_POINTER;
    operand.op.ptr.ptr = address;
    operand.op.ptr.rowLength = row;
    operand.op.ptr.layerHeight = layer;
    operand
}

/// Returns a copy of a batch.
fn operation(
    to: CUmemcpy3DOperand,
    from: CUmemcpy3DOperand,
    extent: [usize; 3],
) -> CUDA_MEMCPY3D_BATCH_OP {
    let mut operation: CUDA_MEMCPY3D_BATCH_OP = zeroed();
    (operation.dst, operation.src) = (to, from);
    operation.srcAccessOrder = CUmemcpySrcAccessOrder::CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    [
        operation.extent.width,
        operation.extent.height,
        operation.extent.depth,
    ] = extent;
    operation
}

/// Runs a batch with one of the two functions. Returns the code, and the index of the failed copy
/// if it is reported.
fn batch(old: bool, operations: &mut [CUDA_MEMCPY3D_BATCH_OP]) -> (CUresult, Option<usize>) {
    let stream = stream(1);
    let (count, list) = (operations.len(), operations.as_mut_ptr());
    let mut failed = 77;
    // SAFETY: The copies use live memory, or must be rejected.
    let code = unsafe {
        match old {
            true => cuMemcpy3DBatchAsync(count, list, &mut failed, 0, stream),
            false => cuMemcpy3DBatchAsync_v2(count, list, 0, stream),
        }
    };
    ok!(cuStreamDestroy_v2(stream));
    if !old {
        assert_eq!(failed, 77);
    }
    (code, (old && failed != usize::MAX).then_some(failed))
}

#[test]
fn the_operands_of_a_batch_of_boxes() {
    let _own = Own::new();
    // Row length, layer height, code and layout.
    let table = [
        ([9, 4], SUCCESS, [0, 9, 36]),
        ([6, 3], SUCCESS, [0, 6, 18]),
        ([0, 0], SUCCESS, [0, 6, 18]),
        ([9, 0], SUCCESS, [0, 9, 27]),
        ([0, 4], SUCCESS, [0, 6, 24]),
        ([5, 4], INVALID, [0; 3]),
        ([9, 2], INVALID, [0; 3]),
        ([5, 2], INVALID, [0; 3]),
        ([usize::MAX, 4], INVALID, [0; 3]),
    ];
    for (members, wanted, layout) in table {
        for (side, old) in [(0, false), (1, false), (0, true), (1, true)] {
            let sides = Sides::new([DEVICE, DEVICE]);
            let mut operands = sides.device.map(|device| operand(device, 16, 5));
            operands[side] = operand(sides.device[side], members[0], members[1]);
            let mut layouts = [[0, 16, 80]; 2];
            layouts[side] = layout;
            let copy = operation(operands[0], operands[1], [6, 3, 2]);
            let (code, failed) = batch(old, &mut [copy]);
            assert_eq!(code, wanted, "{members:?}, side {side}");
            assert_eq!(failed, (old && wanted != SUCCESS).then_some(0));
            let bytes = copied(wanted, layouts, [6, 3, 2]);
            assert!(sides.target() == bytes, "{members:?}, side {side}");
        }
    }
}

#[test]
fn empty_boxes_in_a_batch_are_rejected() {
    let _own = Own::new();
    for old in [true, false] {
        for extent in [[0, 1, 1], [4, 0, 1], [4, 1, 0], [0, 0, 0]] {
            let sides = Sides::new([DEVICE, DEVICE]);
            let [to, from] = sides.device.map(|device| operand(device, 0, 0));
            let (empty, full) = (operation(to, from, extent), operation(to, from, [3, 1, 1]));
            let failed = old.then_some(1);
            assert_eq!(batch(old, &mut [full, empty, full]), (INVALID, failed));
            let mut bytes = vec![0; SIZE];
            bytes[..3].copy_from_slice(&pattern()[..3]);
            assert!(sides.target() == bytes, "{extent:?}");
        }
    }
}

#[test]
fn box_batches_stop_at_the_first_failure() {
    let _own = Own::new();
    let array = CUmemcpy3DOperandType::CU_MEMCPY_OPERAND_TYPE_ARRAY;
    for old in [true, false] {
        for bad in 0..4 {
            let sides = Sides::new([DEVICE, DEVICE]);
            let mut operations: Vec<CUDA_MEMCPY3D_BATCH_OP> = (0..3)
                .map(|part| {
                    let [to, from] = sides.device.map(|at| operand(at + 100 * part, 0, 0));
                    operation(to, from, [10, 1, 1])
                })
                .collect();
            if bad < 3 {
                operations[bad].src.type_ = array;
            }
            let (code, failed) = batch(old, &mut operations);
            let wanted = match bad {
                3 => SUCCESS,
                _ => INVALID_HANDLE,
            };
            assert_eq!(code, wanted);
            assert_eq!(failed, (old && bad < 3).then_some(bad));
            let (source, mut bytes) = (pattern(), vec![0; SIZE]);
            for part in 0..bad.min(3) {
                let range = 100 * part..100 * part + 10;
                bytes[range.clone()].copy_from_slice(&source[range]);
            }
            assert!(sides.target() == bytes, "{bad}");
        }
    }
}

#[test]
fn invalid_box_batches_are_rejected_as_on_an_h200() {
    let _own = Own::new();
    let sides = Sides::new([DEVICE, DEVICE]);
    let [to, from] = sides.device.map(|device| operand(device, 0, 0));
    let mut good = operation(to, from, [4, 3, 2]);
    for order in 1..=3 {
        good.srcAccessOrder = CUmemcpySrcAccessOrder(order);
        good.flags = 1;
        assert_eq!(batch(true, &mut [good, good]), (SUCCESS, None));
    }
    for (order, flags) in [(0, 0), (4, 0), (1, 2)] {
        let mut bad = good;
        (bad.srcAccessOrder, bad.flags) = (CUmemcpySrcAccessOrder(order), flags);
        assert_eq!(batch(true, &mut [good, good, bad]), (INVALID, Some(2)));
    }
    // For missing memory, the index of the copy is not reported.
    let mut bad = good;
    bad.src = operand(0, 0, 0);
    assert_eq!(batch(true, &mut [good, bad]), (INVALID, None));
    assert_eq!(batch(true, &mut []), (INVALID, None));
    let mut failed = 77;
    for (stream, wanted) in [(null_mut(), 77), (1 as CUstream, usize::MAX)] {
        invalid!(cuMemcpy3DBatchAsync(1, &mut good, &mut failed, 0, stream));
        assert_eq!(failed, wanted);
    }
    let stream = stream(1);
    invalid!(cuMemcpy3DBatchAsync(1, &mut good, &mut failed, 1, stream));
    // A batch cannot be captured, and the capture stays valid.
    begin(stream, RELAXED);
    let code = call!(cuMemcpy3DBatchAsync_v2(1, &mut good, 0, stream));
    assert_eq!(code, STREAM_CAPTURE_UNSUPPORTED);
    ok!(cuGraphDestroy(end(stream)));
    ok!(cuMemcpy3DWithAttributesAsync(&mut good, 0, stream));
    invalid!(cuMemcpy3DWithAttributesAsync(&mut bad, 0, stream));
    ok!(cuStreamSynchronize(stream));
    ok!(cuStreamDestroy_v2(stream));
}
