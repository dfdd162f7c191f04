//! Variants of the kernel of reductions with one result, by size.

use cuda_safe::ComputeCapability;

use crate::kernel::{ANY, Hardware, Policy, Row, Table};

/// The parameters of a specialisation, apart from the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Variant {
    /// Threads per block.
    pub(crate) threads: u32,
    /// 16-byte loads in flight per thread.
    pub(crate) unroll: u32,
    /// Whether each block reads one contiguous piece of the vector. Otherwise the blocks' reads are
    /// interleaved.
    pub(crate) pieces: bool,
}

/// Sizes are numbers of 16-byte vectors.
pub(crate) static TABLE: Table<Variant> = Table(&[
    Policy {
        since: ComputeCapability { major: 9, minor: 0 },
        element_bytes: Some(4),
        measured: Some(
            "f32 on an H200 (driver 580, CUDA 13.0) by `tuning/tune.py run sum`: microseconds between two events around \
             one launch on data from memory, with the best other variant of 128 to 1024 threads and 1 to 8 loads",
        ),
        rows: &ROWS,
    },
    // Not measured. For an equal number of bytes, these variants keep an equal number of bytes in
    // flight.
    Policy {
        since: ANY,
        element_bytes: None,
        measured: None,
        rows: &ROWS,
    },
]);

const ROWS: [Row<Variant>; 5] = [
    Row {
        up_to: 1 << 11,
        variant: variant(512, 4, false),
        figures: "2^12: 4.35 (best)",
    },
    Row {
        up_to: 1 << 15,
        variant: variant(256, 2, false),
        figures: "2^16: 4.86 (best; 512 x 4: 5.66)",
    },
    Row {
        up_to: 1 << 18,
        variant: variant(512, 2, false),
        figures: "2^18: 5.5 (best 5.34), 2^20: 6.27 (best; 512 x 4: 6.5)",
    },
    Row {
        up_to: 1 << 24,
        variant: variant(512, 4, false),
        figures: "2^22: 9.28 (best), 2^24: 20.0 (best), 2^26: 64.0 (best)",
    },
    Row {
        up_to: u64::MAX,
        variant: variant(1024, 4, true),
        figures: "2^27 - 157: 119.6 (best; side by side 120.4), 2^28: 233.5 (best; 235.2), 2^30: 917 (best; 926)",
    },
];

const fn variant(threads: u32, unroll: u32, pieces: bool) -> Variant {
    Variant {
        threads,
        unroll,
        pieces,
    }
}

/// The maximum number of blocks per multiprocessor. Four blocks of 512 threads are resident at the
/// same time, with 128 KiB in flight. Of blocks with 1024 threads, only two are. The last block,
/// which combines the sums of the others, occupies only one of many slots.
const BLOCKS_PER_MULTIPROCESSOR: u32 = 4;

/// Returns the variant for this many 16-byte vectors of elements of this size in bytes.
pub(crate) fn choose(vectors: u64, element_bytes: usize, hardware: &Hardware) -> Variant {
    let policy = TABLE.policy(hardware.capability, element_bytes);
    policy.row(vectors).variant
}

impl Variant {
    /// Returns the variant with at most this many loads in flight.
    pub(crate) fn with_at_most(self, unroll: u32) -> Self {
        Self {
            unroll: self.unroll.min(unroll),
            ..self
        }
    }

    /// Returns the number of blocks for this many vectors.
    pub(crate) fn blocks(self, vectors: u64, hardware: &Hardware) -> u32 {
        let needed = vectors.div_ceil(u64::from(self.threads * self.unroll));
        let most = most_blocks(hardware);
        u32::try_from(needed).map_or(most, |needed| needed.clamp(1, most))
    }
}

/// Returns the maximum number of blocks of any launch, for which the workspace has room.
pub(crate) fn most_blocks(hardware: &Hardware) -> u32 {
    hardware.multiprocessors.max(1) * BLOCKS_PER_MULTIPROCESSOR
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::check;

    fn with(multiprocessors: u32) -> Hardware {
        Hardware {
            capability: ComputeCapability { major: 9, minor: 0 },
            multiprocessors,
            shared_per_block: 227 << 10,
        }
    }

    #[test]
    fn every_size_has_a_variant_within_the_workspace() {
        for hardware in [1, 4, 132].map(with) {
            let mut last = 0;
            for vectors in (0..40).map(|bit| 1u64 << bit).chain([0, u64::MAX]) {
                let blocks = choose(vectors, 4, &hardware).blocks(vectors, &hardware);
                assert!(blocks >= 1 && blocks <= most_blocks(&hardware));
                last = last.max(blocks);
            }
            assert_eq!(last, most_blocks(&hardware));
        }
    }

    #[test]
    fn choose_returns_the_measured_variants() {
        for (vectors, row, blocks) in [
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
            let wanted = (ROWS[row].variant, blocks);
            for bytes in [2, 4, 8] {
                let variant = choose(vectors, bytes, &with(132));
                let blocks = variant.blocks(vectors, &with(132));
                assert_eq!((variant, blocks), wanted, "{vectors} vectors");
            }
        }
        let most = [132, 1, 0].map(|multiprocessors| most_blocks(&with(multiprocessors)));
        assert_eq!(most, [528, 4, 4]);
    }

    #[test]
    fn fewer_loads_in_flight_need_more_blocks() {
        let variant = choose(1 << 20, 4, &with(132));
        assert_eq!(variant.with_at_most(8), variant);
        let fewer = variant.with_at_most(1);
        assert_eq!((fewer.threads, fewer.unroll), (variant.threads, 1));
        assert_eq!(fewer.blocks(1 << 12, &with(132)), 8);
        assert_eq!(fewer.blocks(1 << 20, &with(132)), 528);
    }

    #[test]
    fn unmeasured_policies_are_marked() {
        check(&TABLE);
        let measured = |major, minor, bytes| {
            let policy = TABLE.policy(ComputeCapability { major, minor }, bytes);
            policy.measured.is_some()
        };
        assert!(measured(9, 0, 4) && measured(10, 0, 4));
        assert!(!measured(8, 9, 4) && !measured(9, 0, 8) && !measured(9, 0, 2));
    }

    #[test]
    fn thread_counts_are_powers_of_two_and_whole_warps() {
        for Row { variant, .. } in &ROWS {
            assert!(variant.threads >= 32 && variant.threads.is_power_of_two());
            assert!(variant.unroll.is_power_of_two());
        }
    }
}
