//! Stream memory operations: `cuStreamWaitValue`, `cuStreamWriteValue`, `cuStreamBatchMemOp`.

use cuda_emulator_checks::abi::*;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const GEQ: u32 = 0;
const EQ: u32 = 1;
const AND: u32 = 2;
const NOR: u32 = 3;
const ALL: u64 = u64::MAX;
const HIGH: u64 = 0x5555_5555_0000_0000;
const MIN: u64 = 1 << 63;

/// Page-locked words that the host and the streams use.
struct Words(*const AtomicU64);

impl Words {
    fn new(count: usize) -> Words {
        let place = out!(cuMemAllocHost_v2(_, 8 * count));
        let words = Words(place.cast());
        (0..count).for_each(|at| words.at(at).store(0, Ordering::SeqCst));
        words
    }

    fn at(&self, index: usize) -> &AtomicU64 {
        // SAFETY: The word is within the allocation, which lives until the context ends. It is
        // accessed only by atomic operations.
        unsafe { &*self.0.add(index) }
    }

    fn address(&self, index: usize) -> CUdeviceptr {
        self.0 as CUdeviceptr + 8 * index as u64
    }
}

fn is_done(stream: CUstream) -> bool {
    let code = call!(cuStreamQuery(stream));
    assert!([SUCCESS, NOT_READY].contains(&code), "{code:?}");
    code == SUCCESS
}

/// (kind, whether 64 bits wide, memory contents, value, whether the wait ends)
type Case = (u32, bool, u64, u64, bool);

/// The memory holds more than 32 bits in the narrow cases too, because the upper half must not
/// matter.
const CASES: [Case; 52] = [
    // (int32_t)(*address - value) >= 0
    (GEQ, false, 5, 5, true),
    (GEQ, false, 6, 5, true),
    (GEQ, false, 4, 5, false),
    (GEQ, false, 5, 0xffff_fffb, true),
    (GEQ, false, 0xffff_fffb, 5, false),
    (GEQ, false, 0x8000_0000, 1, true),
    (GEQ, false, 0x8000_0000, 0, false),
    (GEQ, false, 0, 0x8000_0001, true),
    (GEQ, false, HIGH + 4, 5, false),
    (GEQ, false, HIGH + 5, 5, true),
    // (int64_t)(*address - value) >= 0
    (GEQ, true, 5, 5, true),
    (GEQ, true, 6, 5, true),
    (GEQ, true, 4, 5, false),
    (GEQ, true, 5, 0xffff_fffb, false),
    (GEQ, true, 0xffff_fffb, 5, true),
    (GEQ, true, 1 << 32, 5, true),
    (GEQ, true, 5, 1 << 32, false),
    (GEQ, true, MIN, 1, true),
    (GEQ, true, MIN, 0, false),
    (GEQ, true, 5, ALL, true),
    // *address == value
    (EQ, false, 5, 5, true),
    (EQ, false, 5, 6, false),
    (EQ, false, 6, 5, false),
    (EQ, false, HIGH + 5, 5, true),
    (EQ, false, HIGH, 1, false),
    (EQ, true, HIGH + 5, HIGH + 5, true),
    (EQ, true, HIGH + 5, 5, false),
    (EQ, true, 5, HIGH + 5, false),
    (EQ, true, ALL, ALL, true),
    // (*address & value) != 0
    (AND, false, 4, 8, false),
    (AND, false, 4, 4, true),
    (AND, false, 12, 6, true),
    (AND, false, 0, 1, false),
    (AND, false, HIGH, u32::MAX as u64, false),
    (AND, false, 0x8000_0000, 0x8000_0000, true),
    (AND, true, 4, 8, false),
    (AND, true, 4, 4, true),
    (AND, true, HIGH, u32::MAX as u64, false),
    (AND, true, HIGH, HIGH, true),
    (AND, true, MIN, MIN, true),
    // ~(*address | value) != 0
    (NOR, false, 0, 0, true),
    (NOR, false, 0xffff_ffff, 1, false),
    (NOR, false, 0xffff_ffff, 0, false),
    (NOR, false, 0xffff_0000, 0x0000_ffff, false),
    (NOR, false, 0xffff_0000, 0x0000_7fff, true),
    (NOR, false, 0xffff_fffe, 0xffff_fffe, true),
    (NOR, true, 0, 0, true),
    (NOR, true, ALL, 1, false),
    (NOR, true, 0xffff_ffff, 0, true),
    (NOR, true, ALL - 0xffff, 0xffff, false),
    (NOR, true, ALL >> 1, 0, true),
    (NOR, true, ALL - 1, ALL - 1, true),
];

fn wait(stream: CUstream, address: CUdeviceptr, case: &Case, batch: bool) {
    let (kind, wide, _, value, _) = *case;
    match (batch, wide) {
        (false, false) => ok!(cuStreamWaitValue32_v2(stream, address, value as u32, kind)),
        (false, true) => ok!(cuStreamWaitValue64_v2(stream, address, value, kind)),
        (true, false) => {
            // The field is 32 bits wide, and the bytes next to it must not matter.
            let garbage = 0xdead_beef << 32;
            assert_eq!(
                batch_of(stream, op(1, address, garbage | value, kind)),
                SUCCESS
            );
        }
        (true, true) => assert_eq!(batch_of(stream, op(4, address, value, kind)), SUCCESS),
    }
}

/// Returns one operation of a batch.
fn op(kind: u32, address: CUdeviceptr, value: u64, flags: u32) -> CUstreamBatchMemOpParams {
    let words = [kind.into(), address, value, u64::from(flags), 0, 0];
    const { assert!(size_of::<CUstreamBatchMemOpParams>() == size_of::<[u64; 6]>()) };
    // SAFETY: The type is a union of integer structs of this size, and the fields of waits and
    // writes are at these offsets.
    unsafe { std::mem::transmute::<[u64; 6], CUstreamBatchMemOpParams>(words) }
}

/// Enqueues a batch of one operation.
fn batch_of(stream: CUstream, mut operation: CUstreamBatchMemOpParams) -> CUresult {
    call!(cuStreamBatchMemOp_v2(stream, 1, &mut operation, 0))
}

/// Enqueues the wait of each case on a separate stream, checks which waits end, and then ends the
/// others.
fn all_cases(batch: bool) {
    let _context = Own::new();
    let words = Words::new(CASES.len());
    let streams = CASES.map(|_| stream(1));
    for (at, case) in CASES.iter().enumerate() {
        words.at(at).store(case.2, Ordering::SeqCst);
        wait(streams[at], words.address(at), case, batch);
    }
    let end = Instant::now() + Duration::from_secs(5);
    let all_that_should = || {
        let mut ended = CASES.iter().zip(streams).filter(|(case, _)| case.4);
        ended.all(|(_, stream)| is_done(stream))
    };
    while !all_that_should() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(1));
    }
    // Gives the other waits time to end.
    std::thread::sleep(Duration::from_millis(30));
    let ended = streams.map(is_done);
    // Ends each kind of wait, so that the context can be destroyed.
    for (at, (kind, _, _, value, _)) in CASES.iter().enumerate() {
        let value = if *kind == NOR { 0 } else { *value };
        words.at(at).store(value, Ordering::SeqCst);
    }
    for (case, ended) in CASES.iter().zip(ended) {
        assert_eq!(ended, case.4, "{case:#x?}");
    }
    ok!(cuCtxSynchronize());
}

#[test]
fn waits_end_when_their_condition_holds() {
    all_cases(false);
}

#[test]
fn batched_waits_end_when_their_condition_holds() {
    all_cases(true);
}

#[test]
fn writes_have_the_requested_width() {
    let _context = Own::new();
    let one = stream(1);
    let device = alloc(32);
    let host = Words::new(4);
    for base in [device, host.address(0)] {
        let mut expected = [0xeeee_eeee_u32; 8];
        let reset = || {
            ok!(cuMemsetD32_v2(base, 0xeeee_eeee, 8));
            ok!(cuCtxSynchronize());
        };
        let look = || {
            ok!(cuStreamSynchronize(one));
            let mut seen = [0u32; 8];
            ok!(cuMemcpy(seen.as_mut_ptr() as CUdeviceptr, base, 32));
            seen
        };
        reset();
        ok!(cuStreamWriteValue32_v2(one, base + 4, 0x1234_5678, 0));
        expected[1] = 0x1234_5678;
        assert_eq!(look(), expected);
        let wide = 0x1122_3344_5566_7788;
        ok!(cuStreamWriteValue64_v2(one, base + 16, wide, 0));
        expected[4..6].copy_from_slice(&[0x5566_7788, 0x1122_3344]);
        assert_eq!(look(), expected);
        // In a batch and in order, with garbage next to the narrow value.
        reset();
        let mut batch = [
            op(2, base + 4, 0xdead_beef_0000_0007, 0),
            op(5, base + 16, 0xdead_beef_0000_0008, 0),
            op(1, base + 4, 7, EQ),
            // A barrier.
            op(6, 0, 0, 0),
            op(4, base + 16, 0xdead_beef_0000_0008, EQ),
            op(2, base + 28, 9, 0),
        ];
        ok!(cuStreamBatchMemOp_v2(one, 6, batch.as_mut_ptr(), 0));
        expected = [0xeeee_eeee_u32; 8];
        expected[1] = 7;
        expected[4..6].copy_from_slice(&[8, 0xdead_beef]);
        expected[7] = 9;
        assert_eq!(look(), expected);
    }
}

#[test]
fn unknown_flags_and_bad_addresses_are_rejected() {
    let _context = Own::new();
    let one = stream(1);
    let (base, read_only) = (alloc(16), 0x7fff_0000_0000);
    let freed = out!(cuMemAlloc_v2(_, 4096));
    ok!(cuMemFree_v2(freed));
    ok!(cuMemsetD32_v2(base, 0, 4));
    for bit in 2..32 {
        // CU_STREAM_WAIT_VALUE_FLUSH: an H200 cannot flush remote writes.
        if bit == 30 {
            for flags in [GEQ, EQ, NOR].map(|kind| kind | 1 << 30) {
                fails!(NOT_SUPPORTED, cuStreamWaitValue32_v2(one, base, 0, flags));
                fails!(NOT_SUPPORTED, cuStreamWaitValue64_v2(one, base, 0, flags));
            }
            continue;
        }
        let flags = 1 << bit;
        for flags in [flags, flags | EQ] {
            invalid!(cuStreamWaitValue32_v2(one, base, 0, flags));
            invalid!(cuStreamWaitValue64_v2(one, base, 0, flags));
        }
    }
    // Including CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER (1), as on an H200.
    for bit in 0..32 {
        invalid!(cuStreamWriteValue32_v2(one, base, 1, 1 << bit));
        invalid!(cuStreamWriteValue64_v2(one, base, 1, 1 << bit));
    }
    ok!(cuStreamSynchronize(one));
    assert_eq!(download::<u32>(base, 4), [0; 4], "nothing was written");
    // Operands must be aligned to their size and within the allocation.
    for offset in 0..24 {
        let [small, large] = [4, 8].map(|size| match offset % size == 0 && offset < 16 {
            true => SUCCESS,
            false => INVALID,
        });
        let at = base + offset;
        fails!(small, cuStreamWriteValue32_v2(one, at, 0, 0));
        fails!(large, cuStreamWriteValue64_v2(one, at, 0, 0));
        fails!(small, cuStreamWaitValue32_v2(one, at, 0, GEQ));
        fails!(large, cuStreamWaitValue64_v2(one, at, 0, GEQ));
    }
    for address in [0, 64, freed, read_only] {
        invalid!(cuStreamWriteValue32_v2(one, address, 0, 0));
        invalid!(cuStreamWaitValue64_v2(one, address, 0, 0));
    }
    ok!(cuStreamSynchronize(one));
}

#[test]
fn batch_contents_are_checked() {
    let _context = Own::new();
    let one = stream(1);
    let base = upload(&[0u32; 2]);
    let mut many: Vec<_> = (1..=300).map(|n| op(2, base, n, 0)).collect();
    let many = many.as_mut_ptr();
    // Fewer than 256, as documented, and without flags.
    for count in [1, 2, 255] {
        ok!(cuStreamBatchMemOp_v2(one, count, many, 0));
        ok!(cuStreamSynchronize(one));
        assert_eq!(download::<u32>(base, 2), [count, 0]);
    }
    let too_many = [256, 257, 300, u32::MAX].map(|count| (count, 0));
    for (count, flags) in too_many.into_iter().chain([(1, 1), (1, 2), (257, 1)]) {
        invalid!(cuStreamBatchMemOp_v2(one, count, many, flags));
    }
    ok!(cuStreamBatchMemOp_v2(one, 0, many, 0));
    invalid!(cuStreamBatchMemOp_v2(one, 1, null_mut(), 0));
    for wild in WILD {
        stale!(cuStreamBatchMemOp_v2(wild as CUstream, 1, many, 0));
    }
    // Unknown kinds, and arguments that a single call would reject.
    for kind in [0, 7, 9, 99, u32::MAX] {
        assert_eq!(batch_of(one, op(kind, base, 1, 0)), INVALID);
    }
    // Writes have no flags on an H200 (driver 580), in a batch either.
    for flags in [1, 2, 3, 4, 8, 0x80, 0x81, 1 << 30, 1 << 31] {
        for kind in [2, 5] {
            assert_eq!(batch_of(one, op(kind, base, 1, flags)), INVALID);
        }
    }
    for (kind, address, flags) in [
        (1, base + 2, 0),
        (2, base + 2, 0),
        (4, base + 4, 0),
        (5, base + 4, 0),
        (1, base, 4),
        (2, base, 4),
        (4, base, 4),
        (5, base, 4),
    ] {
        assert_eq!(batch_of(one, op(kind, address, 1, flags)), INVALID);
    }
    // A flush of remote writes, and barriers alone, whose flags follow the kind, as on an H200
    // (driver 580).
    let scope = |flags: u64| {
        let words = [6 | flags << 32, 0, 0, 0, 0, 0];
        // SAFETY: as in `op`.
        unsafe { std::mem::transmute::<[u64; 6], CUstreamBatchMemOpParams>(words) }
    };
    for (operation, code) in [
        (op(3, 0, 0, 0), NOT_SUPPORTED),
        (scope(0), SUCCESS),
        (scope(1), SUCCESS),
        (scope(2), INVALID),
    ] {
        assert_eq!(batch_of(one, operation), code);
    }
    ok!(cuStreamSynchronize(one));
    assert_eq!(download::<u32>(base, 2), [255, 0]);
}

#[test]
fn batches_with_an_invalid_operation_have_no_effect() {
    let _context = Own::new();
    let one = stream(1);
    let base = upload(&[0u32; 4]);
    // An unknown operation, a misaligned address, unknown flags, and a flush.
    for (bad, code) in [
        (op(99, base, 1, 0), INVALID),
        (op(2, base + 2, 1, 0), INVALID),
        (op(1, base, 1, 8), INVALID),
        (op(1, base, 1, 1 << 30), NOT_SUPPORTED),
    ] {
        for place in 0..4 {
            let mut batch: Vec<_> = (0..4).map(|at| op(2, base + 4 * at, 7, 0)).collect();
            batch[place] = bad;
            let found = call!(cuStreamBatchMemOp_v2(one, 4, batch.as_mut_ptr(), 0));
            assert_eq!(found, code);
            ok!(cuStreamSynchronize(one));
            assert_eq!(download::<u32>(base, 4), [0; 4]);
        }
    }
}

#[test]
fn faults_end_waits() {
    let parts = ["CUDA_ERROR_ILLEGAL_ADDRESS"];
    reports(&[], &parts, || {
        // Ends the test if the wait does not end.
        end_after(8);
        let _context = Own::new();
        let (waiting, other) = (stream(1), stream(1));
        let flag = upload(&[0u64]);
        let put = function(load(FAULTS), "put");
        ok!(cuStreamWaitValue64_v2(waiting, flag, 1, EQ));
        std::thread::sleep(Duration::from_millis(10));
        assert!(!is_done(waiting));
        let (place, index) = (0u64, 0);
        launch(put, 1, 1, other, &mut [arg(&place), arg(&index)]);
        fails!(ILLEGAL_ADDRESS, cuStreamSynchronize(other));
        fails!(ILLEGAL_ADDRESS, cuStreamSynchronize(waiting));
    });
}

/// As recorded on an H200 (driver 580): waits reject pool memory and managed memory, and accept
/// memory of `cuMemAlloc` and host memory.
#[test]
fn pool_memory_and_managed_memory_are_rejected() {
    let _context = Own::new();
    let one = stream(1);
    let pooled = out!(cuMemAllocAsync(_, 8, one));
    let managed = out!(cuMemAllocManaged(_, 8, 1));
    ok!(cuStreamSynchronize(one));
    for address in [pooled, managed] {
        invalid!(cuStreamWriteValue32_v2(one, address, 1, 0));
        invalid!(cuStreamWaitValue64_v2(one, address, 0, GEQ));
    }
    let plain = alloc(8);
    ok!(cuStreamWriteValue32_v2(one, plain, 1, 0));
    ok!(cuStreamSynchronize(one));
    assert_eq!(download::<u32>(plain, 1), [1]);
}

#[test]
fn waits_block_only_their_own_stream() {
    let _context = Own::new();
    let (first, second) = (stream(1), stream(1));
    let words = Words::new(4);
    // Back and forth: each stream waits for a value that the other writes.
    for round in 1..=50 {
        ok!(cuStreamWriteValue32_v2(first, words.address(0), round, 0));
        ok!(cuStreamWaitValue32_v2(first, words.address(1), round, EQ));
        ok!(cuStreamWaitValue32_v2(second, words.address(0), round, EQ));
        ok!(cuStreamWriteValue32_v2(second, words.address(1), round, 0));
    }
    ok!(cuStreamWriteValue64_v2(first, words.address(2), 7 << 40, 0));
    ok!(cuStreamSynchronize(first));
    ok!(cuStreamSynchronize(second));
    let seen = [0, 1, 2, 3].map(|at| words.at(at).load(Ordering::SeqCst));
    assert_eq!(seen, [50, 50, 7 << 40, 0]);
}
