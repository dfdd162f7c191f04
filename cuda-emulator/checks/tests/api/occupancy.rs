//! Occupancy: the number of blocks that fit, the best block size, and the cluster size.

use cuda_emulator_checks::abi::*;
use std::ptr::null_mut;

use cuOccupancyAvailableDynamicSMemPerBlock as available;
use cuOccupancyMaxActiveBlocksPerMultiprocessor as active_blocks;
use cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags as active_blocks_with_flags;
use cuOccupancyMaxPotentialBlockSize as block_size;
use cuOccupancyMaxPotentialBlockSizeWithFlags as block_size_with_flags;

/// Returns the blocks per multiprocessor from both functions.
fn fitting(function: CUfunction, threads: i32, shared: usize) -> i32 {
    let blocks = out!(active_blocks(_, function, threads, shared));
    for flags in [0, 1] {
        let same = out!(active_blocks_with_flags(
            _,
            function,
            threads,
            shared,
            flags
        ));
        assert_eq!(blocks, same);
    }
    blocks
}

#[test]
fn each_resource_limits_occupancy() {
    let _context = Own::new();
    let module = load(&kernels());
    for (name, threads, shared, expected) in [
        ("bare", 1, 0, 32),
        ("bare", 32, 0, 32),
        ("bare", 64, 0, 32),
        ("bare", 65, 0, 21),
        ("bare", 96, 0, 21),
        ("bare", 1024, 0, 2),
        ("bare", 1025, 0, 0),
        ("bounded", 64, 0, 32),
        // As on an H200, launch bounds are ignored.
        ("bounded", 65, 0, 21),
        // 64 registers per thread: 32 warps.
        ("live", 256, 0, 4),
        ("live", 96, 0, 10),
        ("live", 1024, 0, 1),
        // Shared memory is allocated in units of 128 bytes, and each block has 1 KiB reserved by
        // the system.
        ("bare", 32, 45_568, 5),
        ("bare", 32, 45_569, 4),
        ("bare", 32, 48 << 10, 4),
        ("bare", 32, (48 << 10) + 1, 0),
        ("boxed", 32, 45_568 - 1000, 5),
        ("boxed", 32, 45_569 - 1000, 4),
        ("boxed", 32, (48 << 10) - 1000, 4),
        ("boxed", 32, (48 << 10) - 999, 0),
    ] {
        let found = fitting(function(module, name), threads, shared);
        assert_eq!(found, expected, "{name}, {threads} threads, {shared} bytes");
    }
    for name in ["bare", "boxed"] {
        let function = function(module, name);
        let most = (227 << 10) - if name == "boxed" { 1000 } else { 0 };
        ok!(cuFuncSetAttribute(function, CUfunction_attribute(8), most));
        assert_eq!(fitting(function, 32, most as usize), 1, "the maximum");
        assert_eq!(fitting(function, 32, most as usize + 1), 0);
    }
    let bare = function(module, "bare");
    let mut blocks = 7;
    for threads in [0, -1, i32::MIN] {
        invalid!(active_blocks(&mut blocks, bare, threads, 0));
    }
    for flags in [2, 3, u32::MAX] {
        invalid!(active_blocks_with_flags(&mut blocks, bare, 32, 0, flags));
    }
    assert_eq!(blocks, 7);
    invalid!(active_blocks(null_mut(), bare, 32, 0));
}

unsafe extern "C" fn hundred_a_thread(threads: i32) -> usize {
    threads as usize * 100
}

/// Uses five multiprocessors, a number that no other quantity of these tests has.
#[test]
fn best_block_size_and_matching_grid() {
    passes(&[("CUDA_EMULATOR_THREADS", "5")], || {
        let _context = Own::new();
        let module = load(&kernels());
        let per_thread: CUoccupancyB2DSize = Some(hundred_a_thread);
        for (name, shared_of, shared, limit, expected) in [
            ("bare", None, 0, 0, (1024, 10)),
            ("bare", None, 0, 1024, (1024, 10)),
            ("bare", None, 0, i32::MAX, (1024, 10)),
            // Blocks of 992 threads would use fewer threads, and blocks of 512 as many as 1024.
            ("bare", None, 0, 1023, (512, 20)),
            ("bare", None, 0, 100, (64, 160)),
            ("bare", None, 0, 1, (1, 160)),
            ("bare", None, 48 << 10, 0, (1024, 10)),
            ("bare", per_thread, 0, 0, (256, 40)),
            // The function is used instead of the number.
            ("bare", per_thread, 1 << 40, 0, (256, 40)),
            ("bounded", None, 0, 0, (64, 160)),
            ("live", None, 0, 0, (1024, 5)),
        ] {
            let function = function(module, name);
            let mut block = -1;
            let to = &raw mut block;
            let grid = out!(block_size(_, to, function, shared_of, shared, limit));
            assert_eq!((block, grid), expected, "{name} {shared} {limit}");
            for flags in [0, 1] {
                block = -1;
                let size = block_size_with_flags;
                let grid = out!(size(_, to, function, shared_of, shared, limit, flags));
                assert_eq!((block, grid), expected, "{name} {shared} {limit} {flags}");
            }
        }
        let bare = function(module, "bare");
        let (mut grid, mut block) = (-1, -1);
        for flags in [2, 3, u32::MAX] {
            let size = block_size_with_flags;
            invalid!(size(&mut grid, &mut block, bare, None, 0, 0, flags));
        }
        for limit in [-1, i32::MIN] {
            invalid!(block_size(&mut grid, &mut block, bare, None, 0, limit));
        }
        invalid!(block_size(null_mut(), &mut block, bare, None, 0, 0));
        invalid!(block_size(&mut grid, null_mut(), bare, None, 0, 0));
        assert_eq!((grid, block), (-1, -1));
    });
}

#[test]
fn available_shared_memory_per_block() {
    let _context = Own::new();
    let module = load(&kernels());
    // The values for 128 threads are those of an H200 (driver 580).
    for (name, count, threads, expected) in [
        ("bare", 1, 128, 49_152),
        ("bare", 2, 256, 49_152),
        ("bare", 4, 128, 49_152),
        ("bare", 5, 128, 46_592),
        ("bare", 8, 128, 29_184),
        ("bare", 14, 128, 16_640),
        ("bare", 15, 128, 15_488),
        ("bare", 16, 128, 14_592),
        ("boxed", 1, 32, 49_152 - 1000),
        ("boxed", 5, 128, 46_592 - 1000),
    ] {
        let bytes = out!(available(_, function(module, name), count, threads));
        assert_eq!(bytes, expected, "{count} blocks of {threads} of {name}");
    }
    let bare = function(module, "bare");
    let mut bytes = 7;
    for (count, threads) in [
        (0, 32),
        (-1, 32),
        (1, 0),
        (1, -1),
        (0, 0),
        (3, 1024),
        (33, 32),
        (1, 1025),
    ] {
        invalid!(available(&mut bytes, bare, count, threads));
    }
    assert_eq!(bytes, 7);
    invalid!(available(null_mut(), bare, 1, 32));
    // A launch may request no more than the function's maximum.
    ok!(set_attribute(bare, 8, 100_000));
    assert_eq!(out!(available(_, bare, 2, 256)), 100_000);
}
