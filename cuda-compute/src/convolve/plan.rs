//! Which kernel, specialised how.

/// The numbers that a kernel is specialised for, beside those of the filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// `convolve_direct.cu`
    Direct { warps: u32, rows: u32, blocks: u32 },
    /// `convolve_stream.cu`
    Stream { warps: u32, rows: u32, blocks: u32 },
    /// `convolve_tile.cu`
    Tile {
        warps: u32,
        rows: u32,
        pair: u32,
        blocks: u32,
    },
    /// `convolve_separable.cu`
    Separable {
        threads: u32,
        columns: u32,
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
/// 13.0) on 4096 x 4096 f32 by `tuning/tune.py run stream tile`: microseconds between two events
/// around one launch, the fraction of the FMA rate (33.0 T/s) or of the copy rate at this size
/// (3880 GB/s) reached.
const DENSE: [(u32, Plan); 4] = [
    // 3 x 3: 35.8 (0.98 of copy; convolve_stream 40.9)
    (
        12,
        Plan::Direct {
            warps: 4,
            rows: 4,
            blocks: 6,
        },
    ),
    // 5 x 5: 43.7 (0.80 of copy; convolve_direct 44.7), 7 x 7: 51.4 (0.68; 61.2),
    // 9 x 9: 67.1 (0.61 of FMA; 87.5)
    (
        100,
        Plan::Stream {
            warps: 4,
            rows: 4,
            blocks: 5,
        },
    ),
    // 15 x 15: 153.1 (0.75 of FMA; convolve_stream 158.6)
    (
        400,
        Plan::Tile {
            warps: 4,
            rows: 8,
            pair: 2,
            blocks: 5,
        },
    ),
    // 31 x 31: 593.2 (0.82 of FMA; convolve_stream 614.9)
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

/// Separable filters, in order of preference. Measured as above, 8192 x 8192: 5: 154 µs, 9: 157,
/// 15: 159, 31: 226 (a copy of this size: 128.5).
const SEPARABLE: [Plan; 3] = [
    Plan::Separable {
        threads: 256,
        columns: 1,
        blocks: 3,
    },
    Plan::Separable {
        threads: 128,
        columns: 1,
        blocks: 4,
    },
    Plan::Separable {
        threads: 64,
        columns: 1,
        blocks: 4,
    },
];

/// Narrower filters gain nothing from two passes: 3 x 3 is bound by memory either way.
const SEPARABLE_FROM: u32 = 4;
/// The ring of running sums is kept in registers, and the code grows with the square.
const SEPARABLE_UP_TO: u32 = 64;
/// `convolve_direct` gets columns beyond a lane's own from the lane beside it.
const DIRECT_REACH: u32 = 4;
/// `convolve_stream` unrolls all rows of the filter and keeps what it can of them in registers.
const STREAM_UP_TO: u32 = 12;

/// The plans that a filter can be run with when a block may have `shared_limit` bytes, the best
/// first.
pub(super) fn choose(size: Size, separable: bool, shared_limit: u32) -> Option<Plan> {
    let weights = size.width.saturating_mul(size.height);
    let worth_it = size.width >= SEPARABLE_FROM
        && size.height >= SEPARABLE_FROM
        && size.height <= SEPARABLE_UP_TO;
    let two_passes = SEPARABLE.iter().filter(|_| separable && worth_it);
    let dense = DENSE
        .iter()
        .filter(|(up_to, plan)| weights <= *up_to && plan.suits(size))
        .map(|(_, plan)| plan);
    two_passes
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
            Self::Stream { .. } => size.height <= STREAM_UP_TO,
            Self::Tile { .. } | Self::Separable { .. } => true,
        }
    }

    pub(super) fn is_separable(self) -> bool {
        matches!(self, Self::Separable { .. })
    }

    /// The name of the kernel and its source.
    pub(super) fn kernel(self) -> (&'static str, &'static str) {
        match self {
            Self::Direct { .. } => (
                "convolve_direct",
                include_str!("../kernels/convolve_direct.cu"),
            ),
            Self::Stream { .. } => (
                "convolve_stream",
                include_str!("../kernels/convolve_stream.cu"),
            ),
            Self::Tile { .. } => ("convolve_tile", include_str!("../kernels/convolve_tile.cu")),
            Self::Separable { .. } => (
                "convolve_separable",
                include_str!("../kernels/convolve_separable.cu"),
            ),
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
            Self::Stream {
                warps,
                rows,
                blocks,
            } => vec![
                ("WARPS", warps),
                ("ROWS", rows),
                ("BLOCKS", blocks),
                ("PASS", size.height),
                ("AHEAD", 1),
                ("ROLLED", 0),
            ],
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
            Self::Separable {
                threads,
                columns,
                blocks,
            } => vec![
                ("THREADS", threads),
                ("COLUMNS", columns),
                // A ring of more than 40 needs more registers than three blocks leave.
                ("BLOCKS", if size.height <= 40 { blocks } else { 2 }),
                ("GROUP", group(size)),
                ("WEIGHTS", (size.width + size.height).next_multiple_of(4)),
            ],
        }
    }

    /// Threads of a block.
    pub(super) fn threads(self) -> u32 {
        match self {
            Self::Direct { warps, .. } | Self::Stream { warps, .. } | Self::Tile { warps, .. } => {
                warps * 32
            }
            Self::Separable { threads, .. } => threads,
        }
    }

    /// Dynamic shared memory of a block, in bytes.
    pub(super) fn shared_bytes(self, size: Size) -> u32 {
        let floats = match self {
            Self::Direct { .. } => 0,
            Self::Stream { warps, rows, .. } => {
                let head = (size.height - 1).next_multiple_of(rows);
                (head + 2 * warps * rows).saturating_mul(128 + size.halo())
            }
            Self::Tile { warps, rows, .. } => {
                (warps * rows + size.height - 1).saturating_mul(128 + size.halo())
            }
            Self::Separable {
                threads, columns, ..
            } => {
                let width = threads * columns;
                let pitch = (width + size.halo() + 27) / 32 * 32 + 4;
                group(size).saturating_mul(pitch + width + 4)
            }
        };
        floats.saturating_mul(4)
    }

    /// Columns of the output that a block takes.
    pub(super) fn block_columns(self) -> u32 {
        match self {
            Self::Direct { .. } | Self::Stream { .. } | Self::Tile { .. } => 128,
            Self::Separable {
                threads, columns, ..
            } => threads * columns,
        }
    }

    /// Rows of the output that a block takes, when `resident` blocks are on the device together
    /// and the output is cut into `across` pieces (of all images) side by side.
    pub(super) fn block_rows(self, size: Size, height: u32, across: u64, resident: u32) -> u32 {
        // Pieces down, such that the blocks fill the device so many times.
        let down = |times: u64| {
            let down = (u64::from(resident) * times / across.max(1)).max(1);
            u32::try_from(down).unwrap_or(u32::MAX)
        };
        match self {
            Self::Direct { warps, rows, .. } | Self::Tile { warps, rows, .. } => warps * rows,
            // Small filters are bound by memory and want many blocks.
            Self::Stream { warps, rows, .. } => {
                let times = if size.height <= 5 { 4 } else { 2 };
                height.div_ceil(down(times)).next_multiple_of(warps * rows)
            }
            // Whole groups: rows and the filter's overlap fill them.
            Self::Separable { .. } => {
                let group = group(size);
                let needed = height.div_ceil(down(2)) + size.height - 1;
                needed.next_multiple_of(group) - (size.height - 1)
            }
        }
    }
}

/// Rows that the separable kernel handles between two barriers: a multiple of the filter's
/// height, up to 32 where that is possible.
fn group(size: Size) -> u32 {
    size.height * (32 / size.height).max(1)
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
        assert_eq!(plan(9), DENSE[1].1);
        assert_eq!(plan(15), DENSE[2].1);
        assert_eq!(plan(31), DENSE[3].1);
        assert_eq!(choose(size(31, 31), true, h200), Some(SEPARABLE[0]));
        assert_eq!(choose(size(3, 3), true, h200), Some(DENSE[0].1));
    }

    #[test]
    fn blocks_take_whole_steps() {
        for height in [1, 17, 4096, 100_000] {
            for across in [1, 32, 4000] {
                let tall = size(31, 31);
                let rows = SEPARABLE[0].block_rows(tall, height, across, 396);
                assert_eq!((rows + 30) % group(tall), 0);
                let rows = DENSE[1].1.block_rows(size(9, 9), height, across, 660);
                assert_eq!(rows % 16, 0);
                assert!(rows > 0);
            }
        }
    }
}
