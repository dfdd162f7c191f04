//! Tables that map device, element type and size to a variant.

use cuda_safe::ComputeCapability;

/// The variants of a kernel. The first policy that fits is used, so newer devices come first. The
/// last policy fits everything.
pub(crate) struct Table<V: 'static>(pub(crate) &'static [Policy<V>]);

/// The variants for some devices and element sizes.
pub(crate) struct Policy<V: 'static> {
    /// The minimum compute capability of the devices.
    pub(crate) since: ComputeCapability,
    /// The element size in bytes, or `None` for all.
    pub(crate) element_bytes: Option<usize>,
    /// The device and the method of the measurements. `None` if the rows were not measured for
    /// these devices and elements, but are the best available ones.
    #[cfg_attr(
        not(feature = "tuning"),
        expect(dead_code, reason = "for the tuning program")
    )]
    pub(crate) measured: Option<&'static str>,
    /// The rows, from small to large sizes.
    pub(crate) rows: &'static [Row<V>],
}

/// A variant and the sizes that it is for.
pub(crate) struct Row<V> {
    /// The largest size, in the table's unit. It is `u64::MAX` in the last row.
    pub(crate) up_to: u64,
    pub(crate) variant: V,
    /// The measurements of the variant.
    #[cfg_attr(
        not(feature = "tuning"),
        expect(dead_code, reason = "for the tuning program")
    )]
    pub(crate) figures: &'static str,
}

/// Matches every device.
pub(crate) const ANY: ComputeCapability = ComputeCapability { major: 0, minor: 0 };

impl<V> Table<V> {
    /// Returns the policy for a device and for elements of this many bytes.
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
    /// Returns the row for a size.
    pub(crate) fn row(&self, size: u64) -> &'static Row<V> {
        &self.rows[self.rows.partition_point(|row| row.up_to < size)]
    }
}

/// Checks that a table follows the rules of all tables.
#[cfg(test)]
pub(crate) fn check<V>(table: &Table<V>) {
    let last = table.0.last().expect("policies");
    assert!(
        last.since == ANY && last.element_bytes.is_none(),
        "the last policy must fit everything"
    );
    assert!(
        table
            .0
            .windows(2)
            .all(|pair| pair[0].since >= pair[1].since),
        "newer devices must come first"
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
    fn policy_returns_the_first_match() {
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
    fn row_includes_its_upper_size() {
        let policy = &TABLE.0[0];
        let row = |size| policy.row(size).variant;
        assert_eq!([row(0), row(10), row(11), row(u64::MAX)], [1, 1, 2, 2]);
    }
}
