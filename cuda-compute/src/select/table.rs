//! Variants of the selection by size.

use cuda_safe::ComputeCapability;

use crate::{
    expression::scan::tiles::Block,
    kernel::{ANY, Policy, Row, Table},
};

/// Bytes of shared memory for the elements that a block collects.
const ROOM: usize = 32 << 10;

/// Returns the threads per block for elements of this many bytes. Large elements reduce the number,
/// so that a block's elements fit.
pub(super) fn threads(block: Block, bytes: usize) -> u32 {
    let mut threads = block.threads;
    while threads as usize * bytes > ROOM {
        threads /= 2;
    }
    threads
}

/// Sizes are vectors.
pub(super) static TABLE: Table<Block> = Table(&[
    Policy {
        since: ComputeCapability { major: 9, minor: 0 },
        element_bytes: Some(4),
        measured: Some("H200 (driver 580, CUDA 13.0): f32, device time, inputs from memory"),
        rows: TABLE_ROWS,
    },
    Policy {
        since: ANY,
        element_bytes: None,
        measured: None,
        rows: TABLE_ROWS,
    },
]);

const TABLE_ROWS: &[Row<Block>] = &[
    Row {
        up_to: 1 << 16,
        variant: Block {
            threads: 512,
            registers: 16,
        },
        figures: "half of 2^18 selected: 8.0 µs; 256 threads: 8.2",
    },
    Row {
        up_to: 1 << 18,
        variant: Block {
            threads: 1024,
            registers: 16,
        },
        figures: "half of 2^20 selected: 10.3 µs; 512 threads: 11.2",
    },
    Row {
        up_to: u64::MAX,
        variant: Block {
            threads: 512,
            registers: 32,
        },
        figures: "half of 2^24 selected: 47.3 µs, of 2^27: 297; 256 threads: 49.1, 306; 1024: 49.4, 313",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{element::DataType, kernel::check};

    #[test]
    fn mask_bits_of_a_thread_fit_in_a_register() {
        check(&TABLE);
        for row in TABLE.0.iter().flat_map(|policy| policy.rows) {
            let Block { threads, .. } = row.variant;
            assert!(threads.is_power_of_two() && (256..=1024).contains(&threads));
            for (vector, data) in [
                (1, DataType::Complex64),
                (2, DataType::F64),
                (4, DataType::F32),
                (8, DataType::F16),
                (16, DataType::U8),
                (32, DataType::U8),
            ] {
                let unroll = row.variant.unroll(vector, data.size()) as usize;
                assert!(unroll * vector <= 32);
                // The elements that a block collects. None of these variants has to reduce its
                // threads.
                assert!(threads as usize * vector * data.size() <= ROOM);
            }
        }
    }

    #[test]
    fn large_elements_have_blocks_of_fewer_threads() {
        let block = Block {
            threads: 1024,
            registers: 16,
        };
        for (bytes, fits) in [(1, 1024), (32, 1024), (33, 512), (64, 512), (128, 256)] {
            assert_eq!(threads(block, bytes), fits, "{bytes}");
        }
    }
}
