//! `CUDA_EMULATOR_CHECK=unwritten`: memory that a kernel writes only in part.

use cuda_emulator_checks::abi::*;
use std::ptr::null_mut;

const CHECK: [(&str, &str); 1] = [("CUDA_EMULATOR_CHECK", "unwritten")];

/// Writes the element at `index` of a buffer of `size` bytes, `runs` times.
fn put(size: usize, index: i32, runs: usize) {
    let _context = Own::new();
    let function = function(load(FAULTS), "put");
    let place = alloc(size);
    for _ in 0..runs {
        let mut arguments = [arg(&place), arg(&index)];
        assert_eq!(launch(function, 1, 1, null_mut(), &mut arguments), SUCCESS);
    }
    ok!(cuCtxSynchronize());
}

#[test]
fn memory_that_a_kernel_writes_in_part_is_reported_once() {
    if inner() {
        return put(12, 0, 3);
    }
    let (code, _, text) = rerun(&CHECK);
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(
        text.matches("[cuda-emulator] kernel put, launched ")
            .count(),
        1,
        "{text}"
    );
    for part in [
        " with 1 blocks of 1 threads, wrote 4 of 12 bytes of allocation ",
        "(cuMemAlloc, 12 bytes at 0x",
        ", and not the last 8. Fix: if it should write all of it, launch more blocks, or compare the element types\n",
    ] {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
    let (_, _, text) = rerun(&[]);
    assert!(!text.contains("kernel put"), "{text}");
}

#[test]
fn the_first_unwritten_byte_is_named() {
    if inner() {
        return put(12, 1, 1);
    }
    let (code, _, text) = rerun(&CHECK);
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains(", and not 8 others, the first at offset 0. Fix"),
        "{text}"
    );
}

#[test]
fn memory_that_a_kernel_writes_completely_is_not_reported() {
    passes(&CHECK, || put(4, 0, 1));
}
