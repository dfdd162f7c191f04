//! Tensor maps through the C ABI: rejected arguments and fault reports.
//! `cuda-safe/tests/tensor_maps` compares accepted arguments and copies with the driver of an H200.

use cuda_emulator_checks::abi::*;
use std::ptr::{null, null_mut};

#[derive(Clone, Copy)]
#[repr(C, align(128))]
struct Map([u64; 16]);

impl Map {
    fn place(&mut self) -> *mut CUtensorMap {
        (&raw mut *self).cast()
    }
}

/// Encodes a map of 16 rows of 32 numbers, in boxes of 8 by 4, or with the given `strides` and
/// `steps`.
fn encode(
    map: *mut CUtensorMap,
    rank: u32,
    address: u64,
    strides: *const u64,
    steps: &[u32],
) -> CUresult {
    let (dims, boxes) = ([32u64, 16], [8u32, 4]);
    call!(cuTensorMapEncodeTiled(
        map,
        CUtensorMapDataType(2),
        rank,
        address as *mut _,
        dims.as_ptr().cast(),
        strides.cast(),
        boxes.as_ptr(),
        steps.as_ptr(),
        CUtensorMapInterleave(0),
        CUtensorMapSwizzle(0),
        CUtensorMapL2promotion(0),
        CUtensorMapFloatOOBfill(0),
    ))
}

#[test]
fn maps_are_encoded_and_readdressed() {
    let _context = Primary::new();
    let memory = alloc(4096);
    let (mut map, mut other) = (Map([0; 16]), Map([0; 16]));
    assert_eq!(encode(map.place(), 2, memory, &128, &[1, 1]), SUCCESS);
    let code = encode(other.place(), 2, memory + 64, &128, &[1, 1]);
    assert_eq!(code, SUCCESS);
    assert_ne!(map.0, other.0);
    let [misaligned, next] = [8, 64].map(|bytes| (memory + bytes) as *mut _);
    invalid!(cuTensorMapReplaceAddress(map.place(), misaligned));
    invalid!(cuTensorMapReplaceAddress(null_mut(), memory as *mut _));
    ok!(cuTensorMapReplaceAddress(map.place(), next));
    assert_eq!(map.0, other.0);
    ok!(cuMemFree_v2(memory));
}

#[test]
fn invalid_arguments_are_rejected() {
    let _context = Primary::new();
    let memory = alloc(4096);
    let mut map = Map([0; 16]);
    let place = map.place();
    assert_eq!(encode(null_mut(), 2, memory, &128, &[1, 1]), INVALID);
    assert_eq!(encode(place, 0, memory, &128, &[1, 1]), INVALID);
    assert_eq!(encode(place, 6, memory, &128, &[1, 1]), INVALID);
    assert_eq!(encode(place, 2, memory + 4, &128, &[1, 1]), INVALID);
    assert_eq!(encode(place, 2, memory, &132, &[1, 1]), INVALID);
    assert_eq!(encode(place, 2, memory, &(1 << 40), &[1, 1]), INVALID);
    assert_eq!(encode(place, 2, memory, &128, &[1, 9]), INVALID);
    assert_eq!(encode(place, 2, memory, &128, &[0, 1]), INVALID);
    assert_eq!(encode(place, 1, memory, null(), &[1]), INVALID);
    assert_eq!(map.0, [0; 16]);
    ok!(cuMemFree_v2(memory));
}

/// Copies a tile at the coordinates `x` and `y` to `to` in shared memory, or back.
const KERNELS: &str = ".version 8.6
.target sm_90
.address_size 64
.visible .entry load(.param .align 64 .b8 map[128], .param .u32 x, .param .u32 y, .param .u32 to)
{
    .reg .b32 %r<5>; .reg .b64 %rd<2>; .reg .pred %p;
    .shared .align 128 .b8 tile[256];
    .shared .align 8 .b64 barrier;
    mov.u64 %rd0, map;
    cvta.param.u64 %rd1, %rd0;
    ld.param.u32 %r0, [x];
    ld.param.u32 %r1, [y];
    ld.param.u32 %r2, [to];
    mov.u32 %r3, barrier;
    mbarrier.init.shared::cta.b64 [%r3], 1;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 128;
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r2], [%rd1, {%r0, %r1}], [%r3];
WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %p, [%r3], 0;
    @!%p bra WAIT;
    ret;
}
.visible .entry store(.param .align 64 .b8 map[128], .param .u32 x, .param .u32 y, .param .u32 to)
{
    .reg .b32 %r<3>; .reg .b64 %rd<2>;
    .shared .align 128 .b8 tile[256];
    mov.u64 %rd0, map;
    cvta.param.u64 %rd1, %rd0;
    ld.param.u32 %r0, [x];
    ld.param.u32 %r1, [y];
    ld.param.u32 %r2, [to];
    cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {%r0, %r1}], [%r2];
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    ret;
}
// Block 0 of 2 copies for the blocks in `mask`. Block 1 reads its tile at once with `hasty`, otherwise waits for it.
.visible .entry spread(.param .align 64 .b8 map[128], .param .u32 mask, .param .u32 hasty, .param .u32 to)
.reqnctapercluster 2, 1, 1
{
    .reg .b32 %r<6>; .reg .b64 %rd<2>; .reg .b16 %h; .reg .pred %p<3>;
    .shared .align 128 .b8 tile[256];
    .shared .align 8 .b64 barrier;
    mov.u64 %rd0, map;
    cvta.param.u64 %rd1, %rd0;
    ld.param.u32 %r0, [mask];
    cvt.u16.u32 %h, %r0;
    ld.param.u32 %r1, [hasty];
    ld.param.u32 %r2, [to];
    mov.u32 %r3, barrier;
    mbarrier.init.shared::cta.b64 [%r3], 1;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 128;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    mov.u32 %r4, %cluster_ctarank;
    setp.eq.u32 %p0, %r4, 0;
    mov.u32 %r5, 0;
    @%p0 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%r2], [%rd1, {%r5, %r5}], [%r3], %h;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra READ;
WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0;
    @!%p2 bra WAIT;
READ:
    ld.shared.u32 %r5, [%r2];
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ret;
}
";

/// Runs a kernel with a map of this many bytes of memory, and returns the final code. For `spread`,
/// the coordinates are the mask and `hasty`.
fn run(name: &str, bytes: usize, coordinates: [i32; 2], to: u32, sound: bool) -> CUresult {
    let _context = Own::new();
    let memory = alloc(bytes);
    ok!(cuMemsetD8_v2(memory, 0, bytes));
    let mut map = Map([0; 16]);
    if sound {
        assert_eq!(encode(map.place(), 2, memory, &128, &[1, 1]), SUCCESS);
    }
    let [x, y] = coordinates;
    let kernel = function(load(KERNELS), name);
    let mut arguments = [arg(&map), arg(&x), arg(&y), arg(&to)];
    let blocks = if name == "spread" { 2 } else { 1 };
    let launched = launch(kernel, blocks, 1, null_mut(), &mut arguments);
    assert_eq!(launched, SUCCESS);
    call!(cuCtxSynchronize())
}

#[test]
fn tiles_may_cross_the_edges() {
    assert_eq!(run("load", 2048, [-4, 14], 0, true), SUCCESS);
    assert_eq!(run("store", 2048, [28, 14], 128, true), SUCCESS);
}

/// The checks that track tiles of other blocks.
const CHECKS: &[(&str, &str)] = &[("CUDA_EMULATOR_CHECK", "uninit,race")];

#[test]
fn tiles_are_multicast_to_a_cluster() {
    for seed in ["0", "1", "2", "3"] {
        let variables = [CHECKS[0], ("CUDA_EMULATOR_SEED", seed)];
        passes(&variables, || {
            assert_eq!(run("spread", 2048, [3, 0], 0, true), SUCCESS);
        });
    }
}

#[test]
fn reading_an_unfinished_tile_is_reported() {
    let parts = &["ld.shared", "race on shared memory of a cluster"];
    reports(CHECKS, parts, || {
        let failed = run("spread", 2048, [3, 1], 0, true);
        assert_ne!(failed, SUCCESS);
    });
}

#[test]
fn multicast_to_a_missing_block_is_reported() {
    let part = "of block 4 of the cluster, which has 2 blocks";
    reports(&[], &["cp.async.bulk.tensor", part], || {
        let failed = run("spread", 2048, [0b1_0011, 0], 0, true);
        assert_ne!(failed, SUCCESS);
    });
}

#[test]
fn misaligned_first_coordinates_are_reported() {
    let part = "the first coordinate 3 is 12 bytes into a row";
    reports(&[], &["cp.async.bulk.tensor", part], || {
        assert_eq!(run("load", 2048, [3, 0], 0, true), ILLEGAL_INSTRUCTION);
    });
}

#[test]
fn stores_before_the_tensor_are_reported() {
    reports(&[], &["begins at coordinate -1"], || {
        assert_eq!(run("store", 2048, [0, -1], 0, true), ILLEGAL_INSTRUCTION);
    });
}

#[test]
fn misaligned_tiles_are_reported() {
    let part = "shared address 0x10 is not a multiple of 128";
    reports(&[], &[part], || {
        assert_eq!(run("load", 2048, [0, 0], 16, true), MISALIGNED_ADDRESS);
    });
}

#[test]
fn tensors_beyond_their_memory_are_reported() {
    let part = "read of 32 bytes at 0x";
    reports(&[], &[part, "cp.async.bulk.tensor"], || {
        assert_eq!(run("load", 1024, [0, 8], 0, true), ILLEGAL_ADDRESS);
    });
}

#[test]
fn invalid_maps_are_reported() {
    reports(&[], &["no tensor map at 0x", "cuTensorMapEncode"], || {
        assert_eq!(run("load", 2048, [0, 0], 0, false), ILLEGAL_INSTRUCTION);
    });
}
