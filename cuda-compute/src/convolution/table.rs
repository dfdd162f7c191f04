//! The choice of kernel and variant for each filter.

use cuda_safe::ComputeCapability;

use super::variant::{Pixels, Stencil, Unroll, Variant};
use crate::kernel::{ANY, Hardware, Policy, Row, Table};

/// Bytes of an element of a plane.
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
            unroll: Unroll::Rows(2),
            blocks: 5,
        },
        figures: "13 x 13: 119.5 (0.72 of FMA; convolve_march 121.1), 15 x 15: 151.4 (0.76; convolve_march 157.8)",
    },
    Row {
        up_to: u64::MAX,
        variant: Variant::Tile {
            warps: 8,
            rows: 4,
            unroll: Unroll::Rows(2),
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

/// Images of one channel that are no planes, by rows of the filter.
pub(crate) static ONE_CHANNEL: Table<Variant> = Table(&[
    Policy {
        since: HOPPER,
        element_bytes: None,
        measured: Some(MEASURED_IMAGES),
        rows: &ONE_CHANNEL_ROWS,
    },
    Policy {
        since: ANY,
        element_bytes: None,
        measured: None,
        rows: &ONE_CHANNEL_ROWS,
    },
]);

/// Images of several channels, by rows of the filter.
pub(crate) static CHANNELS: Table<Variant> = Table(&[
    Policy {
        since: HOPPER,
        element_bytes: Some(1),
        measured: Some(MEASURED_IMAGES),
        rows: &CHANNELS_OF_BYTES,
    },
    Policy {
        since: HOPPER,
        element_bytes: Some(2),
        measured: Some(MEASURED_IMAGES),
        rows: &CHANNELS_OF_WORDS,
    },
    Policy {
        since: ANY,
        element_bytes: Some(1),
        measured: None,
        rows: &CHANNELS_OF_BYTES,
    },
    Policy {
        since: ANY,
        element_bytes: None,
        measured: None,
        rows: &CHANNELS_OF_WORDS,
    },
]);

const MEASURED_IMAGES: &str = "4096 x 4096 pixels on an H200 (driver 580, CUDA 13.0) by `tuning/array_kernels.py images`: \
     microseconds between two events around one launch";

const ONE_CHANNEL_ROWS: [Row<Variant>; 1] = [Row {
    up_to: u64::MAX,
    variant: SHORT,
    figures: "u8 by 3 x 3: 29.7 (8 rows: more than 30.1), 5 x 5: 39.2, 9 x 9: 75.0 (more than 75.1), \
              u16: 32.6, 42.8 and 77.1",
}];

const CHANNELS_OF_BYTES: [Row<Variant>; 3] = [
    Row {
        up_to: 3,
        variant: TALL,
        figures: "3 channels of u8 by 3 x 3: 67.6 (4 rows: 71.4)",
    },
    Row {
        up_to: 7,
        variant: SHORT,
        figures: "3 channels of u8 by 5 x 5: 104",
    },
    Row {
        up_to: u64::MAX,
        variant: TALL,
        figures: "3 channels of u8 by 9 x 9: 204 (4 rows: more than 210)",
    },
];

const CHANNELS_OF_WORDS: [Row<Variant>; 2] = [
    Row {
        up_to: 7,
        variant: SHORT,
        figures: "3 channels of u16 by 3 x 3: 77.2 (8 rows: more than 81.9), by 5 x 5: 116",
    },
    Row {
        up_to: u64::MAX,
        variant: TALL,
        figures: "3 channels of u16 by 9 x 9: 214 (4 rows: more than 219)",
    },
];

const SHORT: Variant = image_tile(4, 4);
const TALL: Variant = image_tile(4, 8);

const fn image_tile(warps: u32, rows: u32) -> Variant {
    Variant::Tile {
        warps,
        rows,
        unroll: Unroll::Weights(32),
        blocks: 4,
    }
}

/// Variants of planes with less shared memory, for large filters on devices that have little. Not
/// measured.
const SMALL: [Variant; 2] = [
    Variant::Tile {
        warps: 4,
        rows: 4,
        unroll: Unroll::Rows(2),
        blocks: 4,
    },
    Variant::Tile {
        warps: 1,
        rows: 4,
        unroll: Unroll::Rows(2),
        blocks: 4,
    },
];

/// The same for images.
const SMALL_IMAGES: [Variant; 2] = [SHORT, image_tile(1, 4)];

/// The minimum width and height of a filter that is applied in two passes. Smaller filters gain
/// nothing, because memory limits a 3 x 3 filter either way.
const SEPARABLE_FROM: u32 = 4;
/// The maximum width and height of a filter that is applied in two passes. All sums of a column are
/// kept in registers, and the code grows with the filter.
const SEPARABLE_UP_TO: u32 = 64;

/// Returns the first variant that suits the filter and fits in the shared memory of a block.
pub(crate) fn choose(stencil: Stencil, separable: bool, hardware: &Hardware) -> Option<Variant> {
    let Pixels { data, channels } = stencil.pixels;
    let planes = stencil.pixels == Pixels::PLANES;
    let rows_from = |table: &Table<Variant>, size: u64| {
        let rows = table.policy(hardware.capability, data.size()).rows;
        rows.iter().filter(move |row| size <= row.up_to)
    };
    let (width, height) = (u64::from(stencil.width), u64::from(stencil.height));
    let range = SEPARABLE_FROM..=SEPARABLE_UP_TO;
    let worth_it = planes && range.contains(&stencil.width) && range.contains(&stencil.height);
    let two_passes = (separable && worth_it).then(|| rows_from(&SEPARABLE, width * height));
    let (one_pass, small) = match channels {
        _ if planes => (rows_from(&DENSE, width * height), SMALL),
        1 => (rows_from(&ONE_CHANNEL, height), SMALL_IMAGES),
        _ => (rows_from(&CHANNELS, height), SMALL_IMAGES),
    };
    let measured = two_passes.into_iter().flatten().chain(one_pass);
    measured
        .map(|row| row.variant)
        .filter(|variant| variant.suits(stencil))
        .chain(small)
        .find(|variant| variant.shared_bytes(stencil) <= hardware.shared_per_block)
}

#[cfg(test)]
mod tests {
    use super::{
        super::variant::tests::{bytes, stencil},
        *,
    };
    use crate::{element::DataType, kernel::check};

    fn dense(row: usize) -> Variant {
        DENSE_ROWS[row].variant
    }

    /// Returns the choice for a device with this much shared memory per block.
    fn choose(stencil: Stencil, separable: bool, shared_per_block: u32) -> Option<Variant> {
        let hardware = Hardware {
            capability: HOPPER,
            multiprocessors: 132,
            shared_per_block,
        };
        super::choose(stencil, separable, &hardware)
    }

    #[test]
    fn unmeasured_policies_are_marked() {
        for (table, bytes) in [
            (&DENSE, PIXEL),
            (&SEPARABLE, PIXEL),
            (&ONE_CHANNEL, 1),
            (&ONE_CHANNEL, 2),
            (&CHANNELS, 1),
            (&CHANNELS, 2),
        ] {
            check(table);
            let measured = |major| {
                let policy = table.policy(ComputeCapability { major, minor: 0 }, bytes);
                policy.measured.is_some()
            };
            assert!(measured(9) && measured(10) && !measured(8));
        }
        assert!(CHANNELS.policy(HOPPER, 4).measured.is_none());
    }

    #[test]
    fn filters_up_to_63_have_a_variant_on_any_device() {
        // The shared memory limits of sm_75, sm_80, sm_86 and sm_90.
        for limit in [64, 163, 99, 227].map(|kib| kib * 1024) {
            for width in 1..=63 {
                for height in 1..=63 {
                    for separable in [false, true] {
                        let stencil = stencil(width, height);
                        let variant = choose(stencil, separable, limit)
                            .unwrap_or_else(|| panic!("{width} x {height} in {limit} bytes"));
                        assert!(variant.shared_bytes(stencil) <= limit);
                        assert!(separable || !variant.is_separable());
                    }
                }
            }
        }
    }

    #[test]
    fn choose_returns_the_measured_variants() {
        let h200 = 227 * 1024;
        let variant = |k| choose(stencil(k, k), false, h200).unwrap();
        assert_eq!(variant(3), dense(0));
        assert_eq!(variant(5), dense(1));
        assert_eq!(variant(7), dense(1));
        assert_eq!(variant(9), dense(2));
        assert_eq!(variant(11), dense(2));
        assert_eq!(variant(15), dense(3));
        assert_eq!(variant(31), dense(4));
        assert_eq!(
            choose(stencil(31, 31), true, h200),
            Some(SEPARABLE_ROWS[0].variant)
        );
        assert_eq!(choose(stencil(3, 3), true, h200), Some(dense(0)));
    }

    #[test]
    fn choose_switches_at_the_documented_sizes() {
        let h200 = 227 * 1024;
        let variant = |width, height| choose(stencil(width, height), false, h200).unwrap();
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
        let at = |width, pad_x| Stencil {
            pad_x,
            ..stencil(width, 1)
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
            choose(stencil(width, height), true, h200)
                .unwrap()
                .is_separable()
        };
        assert!(two(4, 4) && two(64, 64) && two(4, 64));
        assert!(!two(3, 4) && !two(4, 3) && !two(65, 4) && !two(4, 65));
        // Shared memory decides among the remaining variants.
        let large = stencil(63, 63);
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

    #[test]
    fn filters_up_to_45_fit_on_images_on_any_device() {
        for limit in [64, 99, 163, 227].map(|kib| kib * 1024) {
            for channels in [1, 3, 4] {
                for side in 1..=45 {
                    for aligned in [false, true] {
                        let stencil = bytes(channels, side, aligned);
                        let variant = choose(stencil, true, limit);
                        let variant = variant.unwrap_or_else(|| panic!("{side} in {limit} bytes"));
                        assert!(variant.shared_bytes(stencil) <= limit);
                    }
                }
            }
        }
        let large = bytes(4, 63, true);
        let tiles = [TALL, SHORT, SMALL_IMAGES[1]];
        let needs = tiles.map(|tile| tile.shared_bytes(large));
        assert!(needs[0] > needs[1] && needs[1] > needs[2]);
        for (tile, needed) in tiles.into_iter().zip(needs) {
            assert_eq!(choose(large, false, needed), Some(tile));
        }
        assert_eq!(choose(large, false, needs[2] - 1), None);
    }

    #[test]
    fn choose_returns_the_measured_tiles_of_images() {
        let chosen = |data, channels, height| {
            let mut stencil = bytes(channels, 3, true);
            (stencil.pixels.data, stencil.height) = (data, height);
            choose(stencil, true, 227 * 1024).unwrap()
        };
        for channels in [1, 3, 4] {
            let tile = if channels == 1 { SHORT } else { TALL };
            assert_eq!(chosen(DataType::U8, channels, 3), tile);
            assert_eq!(chosen(DataType::U8, channels, 8), tile);
            assert_eq!(chosen(DataType::U16, channels, 8), tile);
            // For heights in between, and for larger elements, the other tile is faster.
            assert_eq!(chosen(DataType::U8, channels, 4), SHORT);
            assert_eq!(chosen(DataType::U8, channels, 7), SHORT);
            assert_eq!(chosen(DataType::U16, channels, 3), SHORT);
        }
        assert_eq!(chosen(DataType::F32, 3, 8), TALL);
        assert_eq!(chosen(DataType::F32, 3, 3), SHORT);
        assert_eq!(chosen(DataType::F32, 1, 3), dense(0));
        assert_eq!((SHORT.threads(), TALL.threads()), (128, 128));
    }
}
