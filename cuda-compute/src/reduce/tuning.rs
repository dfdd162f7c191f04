//! Block shapes of reductions, by size.

/// A shape, and up to how many 16-byte vectors it is used.
pub(super) struct Shape {
    pub(super) up_to_vectors: u64,
    pub(super) threads: u32,
    /// 16-byte loads in flight per thread.
    pub(super) unroll: u32,
    /// Whether a block reads one piece of the vector, or all blocks side by side.
    pub(super) pieces: bool,
}

/// From small to large. Measured on an H200 (driver 580, CUDA 13.0) by `tuning/tune.py run sum`:
/// microseconds between two events around one launch on f32 from memory, with the best other shape
/// of 128 to 1024 threads and 1 to 8 loads beside it.
pub(super) const SHAPES: [Shape; 5] = [
    // 2^12 f32: 4.35 (best)
    Shape {
        up_to_vectors: 1 << 11,
        threads: 512,
        unroll: 4,
        pieces: false,
    },
    // 2^16: 4.86 (best; 512 x 4: 5.66)
    Shape {
        up_to_vectors: 1 << 15,
        threads: 256,
        unroll: 2,
        pieces: false,
    },
    // 2^18: 5.5 (best 5.34), 2^20: 6.27 (best; 512 x 4: 6.5)
    Shape {
        up_to_vectors: 1 << 18,
        threads: 512,
        unroll: 2,
        pieces: false,
    },
    // 2^22: 9.28 (best), 2^24: 20.0 (best), 2^26: 64.0 (best)
    Shape {
        up_to_vectors: 1 << 24,
        threads: 512,
        unroll: 4,
        pieces: false,
    },
    // 2^27 - 157: 119.6 (best; side by side 120.4), 2^28: 233.5 (best; 235.2), 2^30: 917 (best; 926)
    Shape {
        up_to_vectors: u64::MAX,
        threads: 1024,
        unroll: 4,
        pieces: true,
    },
];

/// Blocks of a multiprocessor: those of 512 threads are resident together, with 128 KiB in flight. Of those of 1024
/// half are; the one that waits for the others' sums takes one place of many.
pub(super) const BLOCKS_PER_MULTIPROCESSOR: u32 = 4;

/// The shape for so many vectors, as an index into [`SHAPES`], and its number of blocks.
pub(super) fn shape_for(vectors: u64, multiprocessors: u32) -> (usize, u32) {
    // The last takes any number.
    let index = SHAPES.partition_point(|shape| shape.up_to_vectors < vectors);
    let shape = &SHAPES[index];
    let per_block = u64::from(shape.threads * shape.unroll);
    let needed = vectors.div_ceil(per_block).max(1);
    let most = most_blocks(multiprocessors);
    let blocks = u32::try_from(needed).map_or(most, |needed| needed.min(most));
    (index, blocks)
}

/// The most blocks of any launch: what the workspace has room for.
pub(super) fn most_blocks(multiprocessors: u32) -> u32 {
    multiprocessors.max(1) * BLOCKS_PER_MULTIPROCESSOR
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_has_a_shape_within_the_workspace() {
        for multiprocessors in [1, 4, 132] {
            let mut last = 0;
            for vectors in (0..40).map(|bit| 1u64 << bit).chain([0, u64::MAX]) {
                let (_, blocks) = shape_for(vectors, multiprocessors);
                assert!(blocks >= 1 && blocks <= most_blocks(multiprocessors));
                last = last.max(blocks);
            }
            assert_eq!(last, most_blocks(multiprocessors));
        }
    }

    #[test]
    fn the_measured_shapes_are_those_used() {
        for (vectors, shape, blocks) in [
            (0, 0, 1),
            (1, 0, 1),
            (1 << 11, 0, 1),
            ((1 << 11) + 1, 1, 5),
            (1 << 15, 1, 64),
            ((1 << 15) + 1, 2, 33),
            (1 << 18, 2, 256),
            ((1 << 18) + 1, 3, 129),
            (1 << 20, 3, 512),
            (1 << 24, 3, 528),
            ((1 << 24) + 1, 4, 528),
            (u64::MAX, 4, 528),
        ] {
            assert_eq!(
                shape_for(vectors, 132),
                (shape, blocks),
                "{vectors} vectors"
            );
        }
        assert_eq!(
            (most_blocks(132), most_blocks(1), most_blocks(0)),
            (528, 4, 4)
        );
    }

    #[test]
    fn threads_are_whole_warps_in_powers_of_two() {
        for shape in &SHAPES {
            assert!(shape.threads >= 32 && shape.threads.is_power_of_two());
            assert!(shape.unroll.is_power_of_two());
        }
    }
}
