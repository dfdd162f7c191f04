//! The choice of kernel and variant for each filter.

use cuda_safe::ComputeCapability;

use super::variant::{Size, Variant};
use crate::kernel::{ANY, Hardware, Policy, Row, Table};

/// Bytes of a pixel.
const PIXEL: usize = size_of::<f32>();

const HOPPER: ComputeCapability = ComputeCapability { major: 9, minor: 0 };

/// Dense filters, by number of weights.
pub(crate) static DENSE: Table<Variant> = Table(&[
    Policy {
        since: HOPPER,
        element_bytes: Some(PIXEL),
        measured: Some(
            "4096 x 4096 f32 on an H200 (driver 580, CUDA 13.0) by `tuning/tune.py run direct march tile`: microseconds \
             between two events around one launch, the fraction of the FMA rate (32.9 T/s) or of the copy rate at this \
             size (3850 GB/s) reached",
        ),
        rows: &DENSE_ROWS,
    },
    Policy {
        since: ANY,
        element_bytes: None,
        measured: None,
        rows: &DENSE_ROWS,
    },
]);

/// Separable filters, in two passes.
pub(crate) static SEPARABLE: Table<Variant> = Table(&[
    Policy {
        since: HOPPER,
        element_bytes: Some(PIXEL),
        measured: Some(
            "4096 x 4096 and 8192 x 8192 f32 on an H200 (driver 580, CUDA 13.0) by `tuning/tune.py run march`: \
             microseconds between two events around one launch (a copy of these sizes: 35 and 128)",
        ),
        rows: &SEPARABLE_ROWS,
    },
    Policy {
        since: ANY,
        element_bytes: None,
        measured: None,
        rows: &SEPARABLE_ROWS,
    },
]);

const DENSE_ROWS: [Row<Variant>; 5] = [
    Row {
        up_to: 12,
        variant: Variant::Direct {
            warps: 4,
            rows: 4,
            blocks: 6,
        },
        figures: "3 x 3: 35.8 (0.98 of copy; convolve_march 41.2)",
    },
    Row {
        up_to: 64,
        variant: Variant::March {
            rows: 2,
            depth: 3,
            blocks: 16,
            warps: 12,
            separable: false,
        },
        figures: "5 x 5: 43.8 (0.80 of copy; convolve_direct 44.7), \
                  7 x 7: 45.8 (0.76; convolve_direct 61.2, convolve_tile 57)",
    },
    Row {
        up_to: 132,
        variant: Variant::March {
            rows: 2,
            depth: 3,
            blocks: 16,
            warps: 16,
            separable: false,
        },
        figures: "9 x 9: 62.9 (0.66 of FMA; convolve_tile 71.5), 11 x 11: 92.2 (0.67; convolve_tile 95.7)",
    },
    Row {
        up_to: 400,
        variant: Variant::Tile {
            warps: 4,
            rows: 8,
            pair: 2,
            blocks: 5,
        },
        figures: "13 x 13: 119.5 (0.72 of FMA; convolve_march 121.1), 15 x 15: 151.4 (0.76; convolve_march 157.8)",
    },
    Row {
        up_to: u64::MAX,
        variant: Variant::Tile {
            warps: 8,
            rows: 4,
            pair: 2,
            blocks: 4,
        },
        figures: "31 x 31: 593.2 (0.82 of FMA)",
    },
];

const SEPARABLE_ROWS: [Row<Variant>; 1] = [Row {
    up_to: u64::MAX,
    variant: Variant::March {
        rows: 3,
        depth: 3,
        blocks: 8,
        warps: 8,
        separable: true,
    },
    figures: "5: 43 and 155, 9: 44 and 155, 15: 43 and 150, 21: 49 and 168, 31: 60 and 195, 41: 78 and 245, \
              63: 156 and 474",
}];

/// Variants with less shared memory, for large filters on devices that have little. Not measured.
const SMALL: [Variant; 2] = [
    Variant::Tile {
        warps: 4,
        rows: 4,
        pair: 2,
        blocks: 4,
    },
    Variant::Tile {
        warps: 1,
        rows: 4,
        pair: 2,
        blocks: 4,
    },
];

/// The minimum width and height of a filter that is applied in two passes. Smaller filters gain
/// nothing, because memory limits a 3 x 3 filter either way.
const SEPARABLE_FROM: u32 = 4;
/// The maximum width and height of a filter that is applied in two passes. All sums of a column are
/// kept in registers, and the code grows with the filter.
const SEPARABLE_UP_TO: u32 = 64;

/// Returns the first variant that suits the filter and fits in the shared memory of a block.
pub(crate) fn choose(size: Size, separable: bool, hardware: &Hardware) -> Option<Variant> {
    let weights = u64::from(size.width) * u64::from(size.height);
    let range = SEPARABLE_FROM..=SEPARABLE_UP_TO;
    let worth_it = range.contains(&size.width) && range.contains(&size.height);
    let of = |table: &Table<Variant>| table.policy(hardware.capability, PIXEL);
    let two_passes = (separable && worth_it).then(|| of(&SEPARABLE).row(weights).variant);
    let dense = of(&DENSE).rows.iter().filter(|row| weights <= row.up_to);
    let dense = dense
        .map(|row| row.variant)
        .filter(|variant| variant.suits(size));
    two_passes
        .into_iter()
        .chain(dense)
        .chain(SMALL)
        .find(|variant| variant.shared_bytes(size) <= hardware.shared_per_block)
}

#[cfg(test)]
mod tests {
    use super::{super::variant::tests::size, *};
    use crate::kernel::check;

    fn dense(row: usize) -> Variant {
        DENSE_ROWS[row].variant
    }

    /// Returns the choice for a device with this much shared memory per block.
    fn choose(size: Size, separable: bool, shared_per_block: u32) -> Option<Variant> {
        let hardware = Hardware {
            capability: HOPPER,
            multiprocessors: 132,
            shared_per_block,
        };
        super::choose(size, separable, &hardware)
    }

    #[test]
    fn unmeasured_policies_are_marked() {
        for table in [&DENSE, &SEPARABLE] {
            check(table);
            let measured = |major| {
                let policy = table.policy(ComputeCapability { major, minor: 0 }, PIXEL);
                policy.measured.is_some()
            };
            assert!(measured(9) && measured(10) && !measured(8));
        }
    }

    #[test]
    fn filters_up_to_63_have_a_variant_on_any_device() {
        // The shared memory limits of sm_75, sm_80, sm_86 and sm_90.
        for limit in [64, 163, 99, 227].map(|kib| kib * 1024) {
            for width in 1..=63 {
                for height in 1..=63 {
                    for separable in [false, true] {
                        let size = size(width, height);
                        let variant = choose(size, separable, limit)
                            .unwrap_or_else(|| panic!("{width} x {height} in {limit} bytes"));
                        assert!(variant.shared_bytes(size) <= limit);
                        assert!(separable || !variant.is_separable());
                    }
                }
            }
        }
    }

    #[test]
    fn choose_returns_the_measured_variants() {
        let h200 = 227 * 1024;
        let variant = |k| choose(size(k, k), false, h200).unwrap();
        assert_eq!(variant(3), dense(0));
        assert_eq!(variant(5), dense(1));
        assert_eq!(variant(7), dense(1));
        assert_eq!(variant(9), dense(2));
        assert_eq!(variant(11), dense(2));
        assert_eq!(variant(15), dense(3));
        assert_eq!(variant(31), dense(4));
        assert_eq!(
            choose(size(31, 31), true, h200),
            Some(SEPARABLE_ROWS[0].variant)
        );
        assert_eq!(choose(size(3, 3), true, h200), Some(dense(0)));
    }

    #[test]
    fn choose_switches_at_the_documented_sizes() {
        let h200 = 227 * 1024;
        let variant = |width, height| choose(size(width, height), false, h200).unwrap();
        for (width, height, expected) in [
            (4, 3, 0),
            (1, 13, 1),
            (8, 8, 1),
            (5, 13, 2),
            (11, 12, 2),
            (7, 19, 3),
            (20, 20, 3),
            (1, 401, 4),
        ] {
            assert_eq!(
                variant(width, height),
                dense(expected),
                "{width} x {height}"
            );
        }
        // The columns on either side that a lane can get from its neighbours.
        let at = |width, pad_x| Size {
            pad_x,
            ..size(width, 1)
        };
        assert_eq!(choose(at(9, 4), false, h200), Some(dense(0)));
        assert_eq!(choose(at(6, 5), false, h200), Some(dense(1)));
        assert_eq!(choose(at(6, 0), false, h200), Some(dense(1)));
        assert_eq!(choose(at(5, 4), false, h200), Some(dense(0)));
        assert_eq!(choose(at(5, 0), false, h200), Some(dense(0)));
        // The sums and the window still fit in registers.
        assert_eq!(variant(16, 4), dense(1));
        assert_eq!(variant(4, 16), dense(1));
        assert_eq!(variant(17, 3), dense(3));
        assert_eq!(variant(3, 17), dense(3));
        // Two passes.
        let two = |width, height| {
            choose(size(width, height), true, h200)
                .unwrap()
                .is_separable()
        };
        assert!(two(4, 4) && two(64, 64) && two(4, 64));
        assert!(!two(3, 4) && !two(4, 3) && !two(65, 4) && !two(4, 65));
        // Shared memory decides among the remaining variants.
        let large = size(63, 63);
        let needs = |variant: &Variant| variant.shared_bytes(large);
        assert!(needs(&dense(4)) > needs(&SMALL[0]));
        assert!(needs(&SMALL[0]) > needs(&SMALL[1]));
        let first = needs(&dense(4));
        assert_eq!(choose(large, false, first), Some(dense(4)));
        assert_eq!(choose(large, false, first - 1), Some(SMALL[0]));
        let last = needs(&SMALL[1]);
        assert_eq!(choose(large, false, last), Some(SMALL[1]));
        assert_eq!(choose(large, false, last - 1), None);
    }
}
