//! Variants of scans, by size.

use crate::kernel::{ANY, Policy, Row, Table};

/// What the kernel of lines is specialised for, beside the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Line {
    /// Threads per block.
    pub(crate) threads: u32,
    /// Vectors of a thread: 16 bytes of the largest type each, where the layout allows it.
    pub(crate) unroll: u32,
}

/// What the kernel of columns is specialised for, beside the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Columns {
    /// Threads per block.
    pub(crate) threads: u32,
    /// Elements of a thread down its columns.
    pub(crate) rows: u32,
}

/// Sizes are vectors of a line.
pub(crate) static LINES: Table<Line> = Table(&[Policy {
    since: ANY,
    element_bytes: None,
    measured: None,
    rows: &[
        Row {
            up_to: 1 << 9,
            variant: Line {
                threads: 128,
                unroll: 4,
            },
            figures: "not measured",
        },
        Row {
            up_to: 1 << 18,
            variant: Line {
                threads: 256,
                unroll: 4,
            },
            figures: "not measured",
        },
        Row {
            up_to: u64::MAX,
            variant: Line {
                threads: 512,
                unroll: 4,
            },
            figures: "not measured",
        },
    ],
}]);

/// The most vectors of rows that a group of lanes goes through; a block takes longer ones.
pub(crate) const LONGEST_ROW: u64 = 256;
/// Threads per block, and vectors of a thread, for these rows.
pub(crate) const ROWS: Line = Line {
    threads: 256,
    unroll: 4,
};

/// Sizes are elements down the axis.
pub(crate) static COLUMNS: Table<Columns> = Table(&[Policy {
    since: ANY,
    element_bytes: None,
    measured: None,
    rows: &[
        Row {
            up_to: 64,
            variant: Columns {
                threads: 256,
                rows: 4,
            },
            figures: "not measured",
        },
        Row {
            up_to: u64::MAX,
            variant: Columns {
                threads: 256,
                rows: 8,
            },
            figures: "not measured",
        },
    ],
}]);

/// Columns are cut into tiles if there are fewer strips of them than this for each multiprocessor.
pub(crate) const STRIPS_PER_MULTIPROCESSOR: u64 = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::check;

    #[test]
    fn tables_follow_the_rules() {
        check(&LINES);
        check(&COLUMNS);
        let lines = LINES.0.iter().flat_map(|policy| policy.rows);
        for threads in lines.map(|row| row.variant.threads).chain(
            COLUMNS
                .0
                .iter()
                .flat_map(|policy| policy.rows)
                .map(|row| row.variant.threads),
        ) {
            assert!(threads.is_power_of_two() && (32..=1024).contains(&threads));
        }
    }
}
