//! Variants of the selection, by size.

use crate::kernel::{ANY, Policy, Row, Table};

/// What the kernel is specialised for, beside the expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    /// Threads per block.
    pub(super) threads: u32,
    /// Vectors of a thread; a block's elements lie in shared memory, so `threads * unroll` vectors of 32 bytes have room
    /// in 48 KiB.
    pub(super) unroll: u32,
}

/// Sizes are vectors.
pub(super) static TABLE: Table<Variant> = Table(&[Policy {
    since: ANY,
    element_bytes: None,
    measured: None,
    rows: &[Row {
        up_to: u64::MAX,
        variant: Variant {
            threads: 256,
            unroll: 4,
        },
        figures: "not measured",
    }],
}]);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::check;

    #[test]
    fn tiles_fit_into_shared_memory() {
        check(&TABLE);
        for row in TABLE.0.iter().flat_map(|policy| policy.rows) {
            let Variant { threads, unroll } = row.variant;
            assert!(threads.is_power_of_two() && (32..=1024).contains(&threads));
            assert!(threads * unroll * 32 <= 47 << 10);
        }
    }
}
