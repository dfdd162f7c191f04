//! The convolution kernels and their parameters.

use cuda_safe::Function;

use super::Border;
use crate::{
    error::Result,
    kernel::{Source, Specialisation},
};

/// A kernel and the parameters that it is specialised for, apart from those of the filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Variant {
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

/// The properties of a filter that determine the variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Size {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// The filter element at the output's position.
    pub(crate) pad_x: u32,
    pub(crate) pad_y: u32,
    /// Whether rows start at multiples of 16 bytes.
    pub(crate) aligned: bool,
}

impl Size {
    fn shift(self) -> u32 {
        if self.aligned {
            (4 - self.pad_x % 4) % 4
        } else {
            0
        }
    }

    /// Columns beyond a tile's own, rounded as in the kernels.
    fn halo(self) -> u32 {
        (self.shift() + self.width - 1).next_multiple_of(4)
    }
}

impl Variant {
    /// Returns whether the kernel can apply the filter and is efficient for it.
    pub(super) fn suits(self, size: Size) -> bool {
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

    /// Returns the kernel's source without the macros.
    fn text(self) -> Source {
        match self {
            Self::Direct { .. } => Source::new(
                "convolve_direct.cu",
                include_str!("../kernels/convolve_direct.cu"),
                "convolve_direct",
            ),
            Self::March { .. } => Source::new(
                "convolve_march.cu",
                include_str!("../kernels/convolve_march.cu"),
                "convolve_march",
            ),
            Self::Tile { .. } => Source::new(
                "convolve_tile.cu",
                include_str!("../kernels/convolve_tile.cu"),
                "convolve_tile",
            ),
        }
    }

    /// Returns the macros that the kernel's source needs.
    fn macros(self, size: Size) -> Vec<(&'static str, u32)> {
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

    /// Threads per block.
    pub(crate) fn threads(self) -> u32 {
        match self {
            Self::Direct { warps, .. } | Self::Tile { warps, .. } => warps * 32,
            Self::March { .. } => 32,
        }
    }

    /// Returns the maximum number of blocks per multiprocessor.
    pub(super) fn most_blocks(self) -> u32 {
        match self {
            Self::March { warps, .. } => warps,
            Self::Direct { .. } | Self::Tile { .. } => u32::MAX,
        }
    }

    /// Bytes of dynamic shared memory per block.
    pub(crate) fn shared_bytes(self, size: Size) -> u32 {
        let floats = match self {
            Self::Direct { .. } => 0,
            Self::March { rows, depth, .. } => (rows * depth).saturating_mul(128 + size.halo()),
            Self::Tile { warps, rows, .. } => {
                (warps * rows + size.height - 1).saturating_mul(128 + size.halo())
            }
        };
        floats.saturating_mul(4)
    }
}

/// `convolve_direct` gets columns beyond a lane's own from the neighbouring lane.
const DIRECT_REACH: u32 = 4;
/// `convolve_march` keeps 4 sums per filter row and a window of the filter's width in registers.
const MARCH_UP_TO: u32 = 16;

/// Bytes of dynamic shared memory that a block can have on any device without opting in.
pub(super) const SHARED_FOR_ALL: u32 = 48 << 10;

/// The kernel for filters of one size. The weights are a kernel parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Correlation {
    pub(crate) variant: Variant,
    pub(crate) size: Size,
    pub(crate) border: Border,
}

impl Specialisation for Correlation {
    fn source(&self) -> Source {
        let size = self.size;
        let source = self.variant.text();
        let source = source
            .header(
                "convolve_common.cuh",
                include_str!("../kernels/convolve_common.cuh"),
            )
            .define("KW", size.width)
            .define("KH", size.height)
            .define("PAD_X", size.pad_x)
            .define("PAD_Y", size.pad_y)
            .define("BORDER", self.border as u32)
            .define("ALIGNED", u32::from(size.aligned));
        let macros = self.variant.macros(size).into_iter();
        macros.fold(source, |source, (name, value)| source.define(name, value))
    }

    fn prepare(&self, kernel: &Function) -> Result<()> {
        let shared = self.variant.shared_bytes(self.size);
        if shared > SHARED_FOR_ALL {
            kernel.set_max_dynamic_shared(shared)?;
        }
        Ok(())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) const ALL: [Variant; 3] = [
        Variant::Direct {
            warps: 4,
            rows: 4,
            blocks: 6,
        },
        Variant::March {
            rows: 2,
            depth: 3,
            blocks: 16,
            warps: 16,
            separable: false,
        },
        Variant::Tile {
            warps: 4,
            rows: 8,
            pair: 2,
            blocks: 5,
        },
    ];
    pub(in super::super) const SEPARABLE: Variant = Variant::March {
        rows: 3,
        depth: 3,
        blocks: 8,
        warps: 8,
        separable: true,
    };

    /// A filter whose middle is at the output's position, in rows that start at multiples of 16
    /// bytes.
    pub(in super::super) fn size(width: u32, height: u32) -> Size {
        Size {
            width,
            height,
            pad_x: (width - 1) / 2,
            pad_y: (height - 1) / 2,
            aligned: true,
        }
    }

    #[test]
    fn macros_and_shared_bytes_match_the_kernels() {
        let [direct, march, tile] = ALL;
        assert_eq!([direct, march, tile].map(Variant::threads), [128, 32, 128]);
        assert_eq!(
            [direct, march, tile].map(Variant::most_blocks),
            [u32::MAX, 16, u32::MAX]
        );
        let entries = [direct, march, tile].map(|variant| variant.text().entry());
        assert_eq!(
            entries,
            ["convolve_direct", "convolve_march", "convolve_tile"]
        );
        // Rows start at multiples of 16 bytes, so the halo begins before the filter: 2 + 12
        // columns, rounded up to 16.
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
}
