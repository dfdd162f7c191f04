//! Which kernel, specialised how.

/// The numbers that a kernel is specialised for, beside those of the filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// `convolve_direct.cu`
    Direct { warps: u32, rows: u32, blocks: u32 },
    /// `convolve_march.cu`, on `warps` warps of each multiprocessor
    March {
        rows: u32,
        depth: u32,
        blocks: u32,
        warps: u32,
        separable: bool,
    },
    /// `convolve_tile.cu`
    Tile {
        warps: u32,
        rows: u32,
        pair: u32,
        blocks: u32,
    },
}

/// What is known of a filter when a plan is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) width: u32,
    pub(super) height: u32,
    /// The filter's element that lies on the output's own position.
    pub(super) pad_x: u32,
    pub(super) pad_y: u32,
    /// Whether rows start on 16 bytes.
    pub(super) aligned: bool,
}

/// Dense filters by number of weights, from small to large. Measured on an H200 (driver 580, CUDA
/// 13.0) on 4096 x 4096 f32 by `tuning/tune.py run direct march tile`: microseconds between two
/// events around one launch, the fraction of the FMA rate (32.9 T/s) or of the copy rate at this
/// size (3850 GB/s) reached.
const DENSE: [(u32, Plan); 5] = [
    // 3 x 3: 35.8 (0.98 of copy; convolve_march 41.2)
    (
        12,
        Plan::Direct {
            warps: 4,
            rows: 4,
            blocks: 6,
        },
    ),
    // 5 x 5: 43.8 (0.80 of copy; convolve_direct 44.7), 7 x 7: 45.8 (0.76; convolve_direct 61.2,
    // convolve_tile 57)
    (
        64,
        Plan::March {
            rows: 2,
            depth: 3,
            blocks: 16,
            warps: 12,
            separable: false,
        },
    ),
    // 9 x 9: 62.9 (0.66 of FMA; convolve_tile 71.5), 11 x 11: 92.2 (0.67; convolve_tile 95.7)
    (
        132,
        Plan::March {
            rows: 2,
            depth: 3,
            blocks: 16,
            warps: 16,
            separable: false,
        },
    ),
    // 13 x 13: 119.5 (0.72 of FMA; convolve_march 121.1), 15 x 15: 151.4 (0.76; convolve_march 157.8)
    (
        400,
        Plan::Tile {
            warps: 4,
            rows: 8,
            pair: 2,
            blocks: 5,
        },
    ),
    // 31 x 31: 593.2 (0.82 of FMA)
    (
        u32::MAX,
        Plan::Tile {
            warps: 8,
            rows: 4,
            pair: 2,
            blocks: 4,
        },
    ),
];

/// The same with less shared memory, for large filters on devices that have little.
const DENSE_SMALL: [Plan; 2] = [
    Plan::Tile {
        warps: 4,
        rows: 4,
        pair: 2,
        blocks: 4,
    },
    Plan::Tile {
        warps: 1,
        rows: 4,
        pair: 2,
        blocks: 4,
    },
];

/// Separable filters. Measured as above; 4096 x 4096 and 8192 x 8192: 5: 43 and 155 µs, 9: 44 and
/// 155, 15: 43 and 150, 21: 49 and 168, 31: 60 and 195, 41: 78 and 245, 63: 156 and 474 (a copy of
/// these sizes: 35 and 128).
const SEPARABLE: Plan = Plan::March {
    rows: 3,
    depth: 3,
    blocks: 8,
    warps: 8,
    separable: true,
};

/// Narrower filters gain nothing from two passes: 3 x 3 is bound by memory either way.
const SEPARABLE_FROM: u32 = 4;
/// All sums of a column are in registers, and the code grows with the filter.
const SEPARABLE_UP_TO: u32 = 64;
/// `convolve_direct` gets columns beyond a lane's own from the lane beside it.
const DIRECT_REACH: u32 = 4;
/// `convolve_march` has 4 sums a filter row in registers, and a window of the filter's width.
const MARCH_UP_TO: u32 = 16;

/// The plans that a filter can be run with when a block may have `shared_limit` bytes, the best
/// first.
pub(super) fn choose(size: Size, separable: bool, shared_limit: u32) -> Option<Plan> {
    let weights = size.width.saturating_mul(size.height);
    let range = SEPARABLE_FROM..=SEPARABLE_UP_TO;
    let worth_it = range.contains(&size.width) && range.contains(&size.height);
    let two_passes = (separable && worth_it).then_some(&SEPARABLE);
    let dense = DENSE
        .iter()
        .filter(|(up_to, plan)| weights <= *up_to && plan.suits(size))
        .map(|(_, plan)| plan);
    two_passes
        .into_iter()
        .chain(dense)
        .chain(&DENSE_SMALL)
        .find(|plan| plan.shared_bytes(size) <= shared_limit)
        .copied()
}

impl Size {
    fn shift(self) -> u32 {
        if self.aligned {
            (4 - self.pad_x % 4) % 4
        } else {
            0
        }
    }

    /// Columns beyond a tile's own, as the kernels round them.
    fn halo(self) -> u32 {
        (self.shift() + self.width - 1).next_multiple_of(4)
    }
}

impl Plan {
    /// Whether the kernel can take the filter, and does it well.
    fn suits(self, size: Size) -> bool {
        match self {
            Self::Direct { .. } => {
                size.pad_x <= DIRECT_REACH && size.width - 1 - size.pad_x <= DIRECT_REACH
            }
            Self::March { separable, .. } => {
                separable || size.width.max(size.height) <= MARCH_UP_TO
            }
            Self::Tile { .. } => true,
        }
    }

    pub(super) fn is_separable(self) -> bool {
        matches!(
            self,
            Self::March {
                separable: true,
                ..
            }
        )
    }

    /// The name of the kernel and its source.
    pub(super) fn kernel(self) -> (&'static str, &'static str) {
        match self {
            Self::Direct { .. } => (
                "convolve_direct",
                include_str!("../kernels/convolve_direct.cu"),
            ),
            Self::March { .. } => (
                "convolve_march",
                include_str!("../kernels/convolve_march.cu"),
            ),
            Self::Tile { .. } => ("convolve_tile", include_str!("../kernels/convolve_tile.cu")),
        }
    }

    /// The macros that the kernel's source wants defined.
    pub(super) fn macros(self, size: Size) -> Vec<(&'static str, u32)> {
        match self {
            Self::Direct {
                warps,
                rows,
                blocks,
            } => vec![("WARPS", warps), ("ROWS", rows), ("BLOCKS", blocks)],
            Self::March {
                rows,
                depth,
                blocks,
                separable,
                ..
            } => {
                let mut macros = vec![
                    ("ROWS", rows),
                    ("DEPTH", depth),
                    ("BLOCKS", blocks),
                    ("SEPARABLE", u32::from(separable)),
                ];
                if separable {
                    macros.push(("WEIGHTS", (size.width + size.height).next_multiple_of(4)));
                }
                macros
            }
            Self::Tile {
                warps,
                rows,
                pair,
                blocks,
            } => vec![
                ("WARPS", warps),
                ("ROWS", rows),
                ("PAIR", pair),
                ("BLOCKS", blocks),
            ],
        }
    }

    /// Threads of a block.
    pub(super) fn threads(self) -> u32 {
        match self {
            Self::Direct { warps, .. } | Self::Tile { warps, .. } => warps * 32,
            Self::March { .. } => 32,
        }
    }

    /// Blocks that a multiprocessor is to have at most.
    pub(super) fn most_blocks(self) -> u32 {
        match self {
            Self::March { warps, .. } => warps,
            Self::Direct { .. } | Self::Tile { .. } => u32::MAX,
        }
    }

    /// Dynamic shared memory of a block, in bytes.
    pub(super) fn shared_bytes(self, size: Size) -> u32 {
        let floats = match self {
            Self::Direct { .. } => 0,
            Self::March { rows, depth, .. } => (rows * depth).saturating_mul(128 + size.halo()),
            Self::Tile { warps, rows, .. } => {
                (warps * rows + size.height - 1).saturating_mul(128 + size.halo())
            }
        };
        floats.saturating_mul(4)
    }

    /// Rows of the output that a block takes, when `resident` blocks are on the device together
    /// and the output is cut into `across` pieces (of all images) side by side.
    fn block_rows(self, size: Size, height: u32, across: u64, resident: u32) -> u32 {
        match self {
            Self::Direct { warps, rows, .. } | Self::Tile { warps, rows, .. } => warps * rows,
            // All blocks at once, each of whole steps, which the kernel relies on. Of what a short
            // piece reads, most would be the filter's overlap.
            Self::March { rows, .. } => {
                let down = (u64::from(resident) / across.max(1)).max(1);
                let fair = height.div_ceil(u32::try_from(down).unwrap_or(u32::MAX));
                fair.max(size.height / 2).max(1).next_multiple_of(rows)
            }
        }
    }
}

/// Columns of the output that a block takes.
const BLOCK_COLUMNS: u32 = 128;

/// How an output is cut into blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// Pieces side by side, and pieces one above the other.
    pub(super) across: u32,
    pub(super) down: u32,
    /// Rows of a piece.
    pub(super) rows: u32,
    /// Blocks of all images.
    pub(super) blocks: u32,
}

impl Plan {
    /// Cuts `images` outputs of `width` x `height`, when `resident` blocks are on the device together.
    /// `None` where that takes more blocks than a grid has.
    pub(super) fn cut(
        self,
        size: Size,
        (width, height): (usize, usize),
        images: usize,
        resident: u32,
    ) -> Option<Cut> {
        let height = u32::try_from(height).ok()?;
        let across = (width as u64).div_ceil(u64::from(BLOCK_COLUMNS));
        let side_by_side = across.checked_mul(images as u64)?;
        let rows = self.block_rows(size, height, side_by_side, resident);
        let down = height.div_ceil(rows);
        let blocks = side_by_side.checked_mul(u64::from(down))?;
        let blocks = u32::try_from(blocks).ok();
        Some(Cut {
            across: u32::try_from(across).ok()?,
            down,
            rows,
            blocks: blocks.filter(|&blocks| blocks <= i32::MAX as u32)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(width: u32, height: u32) -> Size {
        Size {
            width,
            height,
            pad_x: (width - 1) / 2,
            pad_y: (height - 1) / 2,
            aligned: true,
        }
    }

    #[test]
    fn all_filters_up_to_63_have_a_plan() {
        // What a block may have on sm_75, sm_80, sm_86 and sm_90.
        for limit in [64, 163, 99, 227].map(|kib| kib * 1024) {
            for width in 1..=63 {
                for height in 1..=63 {
                    for separable in [false, true] {
                        let size = size(width, height);
                        let plan = choose(size, separable, limit)
                            .unwrap_or_else(|| panic!("{width} x {height} in {limit} bytes"));
                        assert!(plan.shared_bytes(size) <= limit);
                        assert!(separable || !plan.is_separable());
                    }
                }
            }
        }
    }

    #[test]
    fn the_measured_plans_are_those_used() {
        let h200 = 227 * 1024;
        let plan = |k| choose(size(k, k), false, h200).unwrap();
        assert_eq!(plan(3), DENSE[0].1);
        assert_eq!(plan(5), DENSE[1].1);
        assert_eq!(plan(7), DENSE[1].1);
        assert_eq!(plan(9), DENSE[2].1);
        assert_eq!(plan(11), DENSE[2].1);
        assert_eq!(plan(15), DENSE[3].1);
        assert_eq!(plan(31), DENSE[4].1);
        assert_eq!(choose(size(31, 31), true, h200), Some(SEPARABLE));
        assert_eq!(choose(size(3, 3), true, h200), Some(DENSE[0].1));
    }

    #[test]
    fn plans_change_where_they_are_said_to() {
        let h200 = 227 * 1024;
        let plan = |width, height| choose(size(width, height), false, h200).unwrap();
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
            assert_eq!(plan(width, height), DENSE[expected].1, "{width} x {height}");
        }
        // The columns that a lane has beside it, on either side.
        let at = |width, pad_x| Size {
            pad_x,
            ..size(width, 1)
        };
        assert_eq!(choose(at(9, 4), false, h200), Some(DENSE[0].1));
        assert_eq!(choose(at(6, 5), false, h200), Some(DENSE[1].1));
        assert_eq!(choose(at(6, 0), false, h200), Some(DENSE[1].1));
        assert_eq!(choose(at(5, 4), false, h200), Some(DENSE[0].1));
        assert_eq!(choose(at(5, 0), false, h200), Some(DENSE[0].1));
        // As many sums, and as wide a window, as there are registers for.
        assert_eq!(plan(16, 4), DENSE[1].1);
        assert_eq!(plan(4, 16), DENSE[1].1);
        assert_eq!(plan(17, 3), DENSE[3].1);
        assert_eq!(plan(3, 17), DENSE[3].1);
        // Two passes.
        let two = |width, height| {
            choose(size(width, height), true, h200)
                .unwrap()
                .is_separable()
        };
        assert!(two(4, 4) && two(64, 64) && two(4, 64));
        assert!(!two(3, 4) && !two(4, 3) && !two(65, 4) && !two(4, 65));
        // Shared memory decides among the rest.
        let large = size(63, 63);
        let needs = |plan: &Plan| plan.shared_bytes(large);
        assert!(needs(&DENSE[4].1) > needs(&DENSE_SMALL[0]));
        assert!(needs(&DENSE_SMALL[0]) > needs(&DENSE_SMALL[1]));
        let first = needs(&DENSE[4].1);
        assert_eq!(choose(large, false, first), Some(DENSE[4].1));
        assert_eq!(choose(large, false, first - 1), Some(DENSE_SMALL[0]));
        let last = needs(&DENSE_SMALL[1]);
        assert_eq!(choose(large, false, last), Some(DENSE_SMALL[1]));
        assert_eq!(choose(large, false, last - 1), None);
    }

    #[test]
    fn what_a_kernel_is_given_is_counted_as_it_counts() {
        let [direct, march, tile] = [DENSE[0].1, DENSE[2].1, DENSE[3].1];
        assert_eq!([direct, march, tile].map(Plan::threads), [128, 32, 128]);
        assert_eq!(
            [direct, march, tile].map(Plan::most_blocks),
            [u32::MAX, 16, u32::MAX]
        );
        assert_eq!(
            [direct, march, tile].map(|plan| plan.kernel().0),
            ["convolve_direct", "convolve_march", "convolve_tile"]
        );
        assert!(
            [direct, march, tile]
                .iter()
                .all(|plan| plan.kernel().1.contains(plan.kernel().0))
        );
        // Rows start on 16 bytes, so that the halo begins before the filter: 2 + 12 columns, as 16.
        let thirteen = size(13, 13);
        assert_eq!((thirteen.shift(), thirteen.halo()), (2, 16));
        let unaligned = Size {
            aligned: false,
            ..thirteen
        };
        assert_eq!((unaligned.shift(), unaligned.halo()), (0, 12));
        assert_eq!((size(9, 9).shift(), size(9, 9).halo()), (0, 8));
        assert_eq!((size(1, 1).shift(), size(1, 1).halo()), (0, 0));
        assert_eq!(direct.shared_bytes(thirteen), 0);
        assert_eq!(march.shared_bytes(size(9, 9)), 2 * 3 * (128 + 8) * 4);
        assert_eq!(tile.shared_bytes(thirteen), (4 * 8 + 12) * (128 + 16) * 4);
        assert_eq!(tile.shared_bytes(unaligned), (4 * 8 + 12) * (128 + 12) * 4);
        assert_eq!(
            direct.macros(size(3, 3)),
            [("WARPS", 4), ("ROWS", 4), ("BLOCKS", 6)]
        );
        let dense = [("ROWS", 2), ("DEPTH", 3), ("BLOCKS", 16), ("SEPARABLE", 0)];
        assert_eq!(march.macros(size(9, 9)), dense);
        assert_eq!(
            SEPARABLE.macros(size(31, 30)),
            [
                ("ROWS", 3),
                ("DEPTH", 3),
                ("BLOCKS", 8),
                ("SEPARABLE", 1),
                ("WEIGHTS", 64)
            ]
        );
        assert_eq!(
            tile.macros(thirteen),
            [("WARPS", 4), ("ROWS", 8), ("PAIR", 2), ("BLOCKS", 5)]
        );
    }

    #[test]
    fn blocks_share_the_rows_fairly() {
        let [direct, march, tile] = [DENSE[0].1, DENSE[2].1, DENSE[3].1];
        assert_eq!(direct.block_rows(size(3, 3), 4096, 32, 1), 16);
        assert_eq!(tile.block_rows(size(15, 15), 4096, 32, 1), 32);
        // 2112 blocks, 32 of them side by side: 66 pieces of 63 rows, in whole steps.
        assert_eq!(march.block_rows(size(9, 9), 4096, 32, 2112), 64);
        // More side by side than there are blocks: a piece is all rows.
        assert_eq!(march.block_rows(size(9, 9), 4096, 4000, 2112), 4096);
        assert_eq!(march.block_rows(size(9, 9), 4096, 0, 1), 4096);
        // No shorter than half the filter.
        assert_eq!(SEPARABLE.block_rows(size(31, 31), 1, 1, 1000), 15);
        assert_eq!(SEPARABLE.block_rows(size(31, 31), 0, 1, 1000), 15);
        assert_eq!(march.block_rows(size(1, 1), 0, 1, 1000), 2);
    }

    #[test]
    fn an_output_is_cut_into_blocks_of_all_images() {
        let [direct, march] = [DENSE[0].1, DENSE[2].1];
        let cut = |across, down, rows, blocks| {
            Some(Cut {
                across,
                down,
                rows,
                blocks,
            })
        };
        assert_eq!(direct.cut(size(3, 3), (300, 100), 1, 1), cut(3, 7, 16, 21));
        assert_eq!(direct.cut(size(3, 3), (384, 112), 5, 1), cut(3, 7, 16, 105));
        assert_eq!(direct.cut(size(3, 3), (1, 1), 1, 1), cut(1, 1, 16, 1));
        // Images share the device's blocks: 2112 / (32 x 2) = 33 pieces of 125 rows, in steps of 2.
        assert_eq!(
            march.cut(size(9, 9), (4096, 4096), 2, 2112),
            cut(32, 33, 126, 2112)
        );
        // As many blocks as a grid may have.
        let most = i32::MAX as usize;
        assert_eq!(
            direct.cut(size(3, 3), (128, 16), most, 1),
            cut(1, 1, 16, i32::MAX as u32)
        );
        assert_eq!(direct.cut(size(3, 3), (128, 16), most + 1, 1), None);
        assert_eq!(direct.cut(size(3, 3), (129, usize::MAX), 1, 1), None);
        assert_eq!(
            direct.cut(size(3, 3), (usize::MAX, 16), usize::MAX, 1),
            None
        );
    }

    #[test]
    fn blocks_take_whole_steps() {
        for height in [1, 17, 4096, 100_000] {
            for across in [1, 32, 4000] {
                for (plan, size, step) in
                    [(SEPARABLE, size(31, 31), 3), (DENSE[2].1, size(9, 9), 2)]
                {
                    let rows = plan.block_rows(size, height, across, 1056);
                    assert!(rows > 0);
                    assert_eq!(rows % step, 0);
                }
            }
        }
    }
}
