//! Tables of variants: which variant is used for which device, element type and size.

use cuda_safe::ComputeCapability;

/// The variants of a kernel. The first policy that fits is used, so newer devices come first; the last one fits
/// everything.
pub(crate) struct Table<V: 'static>(pub(crate) &'static [Policy<V>]);

/// The variants for some devices and elements.
pub(crate) struct Policy<V: 'static> {
    /// For devices of this compute capability or newer.
    pub(crate) since: ComputeCapability,
    /// For elements of this many bytes; `None` for all.
    pub(crate) element_bytes: Option<usize>,
    /// What the rows were measured on, and how; `None` if they were not measured for these, and are used for want of
    /// better ones.
    #[cfg_attr(
        not(feature = "tuning"),
        expect(dead_code, reason = "for the tuning program")
    )]
    pub(crate) measured: Option<&'static str>,
    /// From small to large.
    pub(crate) rows: &'static [Row<V>],
}

/// A variant, and the sizes that it is for.
pub(crate) struct Row<V> {
    /// The largest size, in the table's unit. The last row's is `u64::MAX`.
    pub(crate) up_to: u64,
    pub(crate) variant: V,
    /// The measurements with it.
    #[cfg_attr(
        not(feature = "tuning"),
        expect(dead_code, reason = "for the tuning program")
    )]
    pub(crate) figures: &'static str,
}

/// Every device.
pub(crate) const ANY: ComputeCapability = ComputeCapability { major: 0, minor: 0 };

impl<V> Table<V> {
    /// The policy for a device, and for elements of this many bytes.
    pub(crate) fn policy(
        &self,
        device: ComputeCapability,
        element_bytes: usize,
    ) -> &'static Policy<V> {
        let fits = |policy: &&Policy<V>| {
            policy.since <= device
                && policy
                    .element_bytes
                    .is_none_or(|bytes| bytes == element_bytes)
        };
        let last = &self.0[self.0.len() - 1];
        self.0.iter().find(fits).unwrap_or(last)
    }
}

impl<V> Policy<V> {
    /// The row for a size.
    pub(crate) fn row(&self, size: u64) -> &'static Row<V> {
        &self.rows[self.rows.partition_point(|row| row.up_to < size)]
    }
}

/// The rules for all tables.
#[cfg(test)]
pub(crate) fn check<V>(table: &Table<V>) {
    let last = table.0.last().expect("policies");
    assert!(
        last.since == ANY && last.element_bytes.is_none(),
        "the last fits everything"
    );
    assert!(
        table
            .0
            .windows(2)
            .all(|pair| pair[0].since >= pair[1].since),
        "newer ones first"
    );
    for policy in table.0 {
        assert!(
            policy
                .rows
                .windows(2)
                .all(|pair| pair[0].up_to < pair[1].up_to)
        );
        assert_eq!(policy.rows.last().expect("rows").up_to, u64::MAX);
        assert!(policy.rows.iter().all(|row| !row.figures.is_empty()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: [Row<u8>; 2] = [
        Row {
            up_to: 10,
            variant: 1,
            figures: "small",
        },
        Row {
            up_to: u64::MAX,
            variant: 2,
            figures: "large",
        },
    ];
    const fn policy(major: u32, minor: u32, element_bytes: Option<usize>) -> Policy<u8> {
        Policy {
            since: ComputeCapability { major, minor },
            element_bytes,
            measured: None,
            rows: &ROWS,
        }
    }
    static TABLE: Table<u8> = Table(&[
        policy(9, 0, Some(4)),
        policy(9, 0, None),
        policy(8, 6, Some(4)),
        policy(0, 0, None),
    ]);

    #[test]
    fn the_first_policy_that_fits_is_taken() {
        check(&TABLE);
        let chosen = |major, minor, bytes| {
            let policy = TABLE.policy(ComputeCapability { major, minor }, bytes);
            TABLE.0.iter().position(|other| std::ptr::eq(policy, other))
        };
        assert_eq!(chosen(9, 0, 4), Some(0));
        assert_eq!(chosen(12, 1, 4), Some(0));
        assert_eq!(chosen(9, 0, 8), Some(1));
        assert_eq!(chosen(8, 9, 4), Some(2));
        assert_eq!(chosen(8, 6, 4), Some(2));
        assert_eq!(chosen(8, 6, 2), Some(3));
        assert_eq!(chosen(8, 0, 4), Some(3));
    }

    #[test]
    fn a_row_goes_up_to_its_size() {
        let policy = &TABLE.0[0];
        let row = |size| policy.row(size).variant;
        assert_eq!([row(0), row(10), row(11), row(u64::MAX)], [1, 1, 2, 2]);
    }
}
