//! Variants of scans by size.

use cuda_safe::ComputeCapability;

use super::tiles::Block;
use crate::kernel::{ANY, Policy, Row, Table};

/// Sizes are vectors per line.
pub(super) static LINES: Table<Block> = Table(&[
    Policy {
        since: ComputeCapability { major: 9, minor: 0 },
        element_bytes: Some(4),
        measured: Some(
            "H200 (driver 580, CUDA 13.0): sums of f32 along one line, device time, inputs from memory",
        ),
        rows: LINES_ROWS,
    },
    Policy {
        since: ANY,
        element_bytes: None,
        measured: None,
        rows: LINES_ROWS,
    },
]);

const LINES_ROWS: &[Row<Block>] = &[
    Row {
        up_to: 1 << 9,
        variant: Block {
            threads: 128,
            registers: 16,
        },
        figures: "not measured",
    },
    Row {
        up_to: 1 << 19,
        variant: Block {
            threads: 512,
            registers: 16,
        },
        figures: "2^18: 6.9 µs, 2^20: 8.8; 256 threads of 32 registers: 7.0, 9.0",
    },
    Row {
        up_to: 1 << 21,
        variant: Block {
            threads: 1024,
            registers: 32,
        },
        figures: "2^22: 16.7 µs, 2^23: 27.5; 512 threads of 32 registers: 16.7, 28.9",
    },
    Row {
        up_to: u64::MAX,
        variant: Block {
            threads: 1024,
            registers: 40,
        },
        figures: "2^24: 46.7 µs, 2^27: 309; of 32 registers: 48.8, 325; 512 of 32: 51.7, 341",
    },
];

/// The maximum number of vectors in a row that a group of lanes scans. A whole block scans each
/// longer row.
pub(super) const LONGEST_ROW: u64 = 256;
/// The parameters of the kernel for rows of at most [`LONGEST_ROW`] vectors.
pub(super) const ROWS: Block = Block {
    threads: 256,
    registers: 16,
};

/// The maximum bytes of shared memory per block.
pub(super) const ROOM: u64 = 47 << 10;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::check;

    #[test]
    fn tables_follow_the_rules() {
        check(&LINES);
        let lines = LINES.0.iter().flat_map(|policy| policy.rows);
        for threads in lines.map(|row| row.variant.threads) {
            assert!(threads.is_power_of_two() && (32..=1024).contains(&threads));
        }
    }
}
