//! The convolution kernels and their parameters.

use cuda_safe::Function;

use super::Border;
use crate::{
    element::DataType,
    error::Result,
    kernel::{ARRAYS, Source, Specialisation},
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
        unroll: Unroll,
        blocks: u32,
    },
}

/// The number of filter rows that `convolve_tile` applies at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Unroll {
    Rows(u32),
    /// As many rows as have this many weights, but at least one.
    Weights(u32),
}

impl Unroll {
    fn rows(self, stencil: Stencil) -> u32 {
        match self {
            Self::Rows(rows) => rows,
            Self::Weights(weights) => (weights / stencil.width).clamp(1, stencil.height),
        }
    }
}

/// The format of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Pixels {
    pub(crate) data: DataType,
    /// Contiguous elements per pixel.
    pub(crate) channels: u32,
}

impl Pixels {
    /// The pixels of [`Convolution`](super::Convolution).
    pub(crate) const PLANES: Self = Self {
        data: DataType::F32,
        channels: 1,
    };

    /// The name of the element type in the kernels.
    fn name(self) -> &'static str {
        match self.data {
            DataType::U8 => "U8",
            DataType::U16 => "U16",
            DataType::F16 => "F16",
            DataType::Bf16 => "BF16",
            _ => "F32",
        }
    }
}

/// A filter, the pixels that it is applied to, and the alignment of their rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Stencil {
    pub(crate) pixels: Pixels,
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// The filter element at the output's position.
    pub(crate) pad_x: u32,
    pub(crate) pad_y: u32,
    /// Whether rows of the input start at multiples of 4 elements.
    pub(crate) aligned: bool,
    /// The same for the output. For [`Pixels::PLANES`] both are equal.
    pub(crate) aligned_output: bool,
}

impl Stencil {
    fn shift(self) -> u32 {
        if self.aligned {
            (4 - self.pad_x * self.pixels.channels % 4) % 4
        } else {
            0
        }
    }

    /// Elements of a row beyond a tile's own, rounded as in the kernels.
    fn halo(self) -> u32 {
        (self.shift() + (self.width - 1) * self.pixels.channels).next_multiple_of(4)
    }
}

impl Variant {
    /// Returns whether the kernel can apply the filter and is efficient for it.
    pub(super) fn suits(self, stencil: Stencil) -> bool {
        match self {
            Self::Direct { .. } => {
                stencil.pad_x <= DIRECT_REACH && stencil.width - 1 - stencil.pad_x <= DIRECT_REACH
            }
            Self::March { separable, .. } => {
                separable || stencil.width.max(stencil.height) <= MARCH_UP_TO
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
            )
            .header(
                "convolve_pixel.cuh",
                include_str!("../kernels/convolve_pixel.cuh"),
            )
            .header("array.cuh", ARRAYS)
            .header("scalar.cuh", include_str!("../kernels/scalar.cuh")),
        }
    }

    /// Returns the macros that the kernel's source needs.
    fn macros(self, stencil: Stencil) -> Vec<(&'static str, u32)> {
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
                    macros.push((
                        "WEIGHTS",
                        (stencil.width + stencil.height).next_multiple_of(4),
                    ));
                }
                macros
            }
            Self::Tile {
                warps,
                rows,
                unroll,
                blocks,
            } => vec![
                ("WARPS", warps),
                ("ROWS", rows),
                ("PAIR", unroll.rows(stencil)),
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

    /// Returns the maximum number of blocks per multiprocessor if the number of pieces depends on
    /// the blocks that run at the same time.
    pub(super) fn resident_blocks(self) -> Option<u32> {
        match self {
            Self::March { warps, .. } => Some(warps),
            Self::Direct { .. } | Self::Tile { .. } => None,
        }
    }

    /// Bytes of dynamic shared memory per block.
    pub(crate) fn shared_bytes(self, stencil: Stencil) -> u32 {
        let floats = match self {
            Self::Direct { .. } => 0,
            Self::March { rows, depth, .. } => (rows * depth).saturating_mul(128 + stencil.halo()),
            Self::Tile { warps, rows, .. } => {
                (warps * rows + stencil.height - 1).saturating_mul(128 + stencil.halo())
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
const SHARED_FOR_ALL: u32 = 48 << 10;

/// The kernel for one stencil. The weights are a kernel parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Correlation {
    pub(crate) variant: Variant,
    pub(crate) stencil: Stencil,
    pub(crate) border: Border,
}

impl Correlation {
    pub(crate) fn threads(&self) -> u32 {
        self.variant.threads()
    }

    pub(crate) fn shared_bytes(&self) -> u32 {
        self.variant.shared_bytes(self.stencil)
    }
}

impl Specialisation for Correlation {
    fn source(&self) -> Source {
        let stencil = self.stencil;
        let source = self.variant.text();
        let source = source
            .header(
                "convolve_common.cuh",
                include_str!("../kernels/convolve_common.cuh"),
            )
            .define("PIXEL", stencil.pixels.name())
            .define("CHANNELS", stencil.pixels.channels)
            .define("KW", stencil.width)
            .define("KH", stencil.height)
            .define("PAD_X", stencil.pad_x)
            .define("PAD_Y", stencil.pad_y)
            .define("BORDER", self.border as u32)
            .define("ALIGNED", u32::from(stencil.aligned))
            .define("OUT_ALIGNED", u32::from(stencil.aligned_output));
        let macros = self.variant.macros(stencil).into_iter();
        macros.fold(source, |source, (name, value)| source.define(name, value))
    }

    fn prepare(&self, kernel: &Function) -> Result<()> {
        let shared = self.shared_bytes();
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
            unroll: Unroll::Rows(2),
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
    pub(in super::super) fn stencil(width: u32, height: u32) -> Stencil {
        Stencil {
            pixels: Pixels::PLANES,
            width,
            height,
            pad_x: (width - 1) / 2,
            pad_y: (height - 1) / 2,
            aligned: true,
            aligned_output: true,
        }
    }

    #[test]
    fn macros_and_shared_bytes_match_the_kernels() {
        let [direct, march, tile] = ALL;
        assert_eq!([direct, march, tile].map(Variant::threads), [128, 32, 128]);
        assert_eq!(
            [direct, march, tile].map(Variant::resident_blocks),
            [None, Some(16), None]
        );
        let entries = [direct, march, tile].map(|variant| variant.text().entry());
        assert_eq!(
            entries,
            ["convolve_direct", "convolve_march", "convolve_tile"]
        );
        // Rows start at multiples of 16 bytes, so the halo begins before the filter: 2 + 12
        // columns, rounded up to 16.
        let thirteen = stencil(13, 13);
        assert_eq!((thirteen.shift(), thirteen.halo()), (2, 16));
        let unaligned = Stencil {
            aligned: false,
            ..thirteen
        };
        assert_eq!((unaligned.shift(), unaligned.halo()), (0, 12));
        assert_eq!((stencil(9, 9).shift(), stencil(9, 9).halo()), (0, 8));
        assert_eq!((stencil(1, 1).shift(), stencil(1, 1).halo()), (0, 0));
        assert_eq!(direct.shared_bytes(thirteen), 0);
        assert_eq!(march.shared_bytes(stencil(9, 9)), 2 * 3 * (128 + 8) * 4);
        assert_eq!(tile.shared_bytes(thirteen), (4 * 8 + 12) * (128 + 16) * 4);
        assert_eq!(tile.shared_bytes(unaligned), (4 * 8 + 12) * (128 + 12) * 4);
        assert_eq!(
            direct.macros(stencil(3, 3)),
            [("WARPS", 4), ("ROWS", 4), ("BLOCKS", 6)]
        );
        let dense = [("ROWS", 2), ("DEPTH", 3), ("BLOCKS", 16), ("SEPARABLE", 0)];
        assert_eq!(march.macros(stencil(9, 9)), dense);
        assert_eq!(
            SEPARABLE.macros(stencil(31, 30)),
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

    fn image_tile(rows: u32) -> Variant {
        Variant::Tile {
            warps: 4,
            rows,
            unroll: Unroll::Weights(32),
            blocks: 4,
        }
    }

    /// A filter whose middle is at the output's position, on bytes.
    pub(in super::super) fn bytes(channels: u32, side: u32, aligned: bool) -> Stencil {
        Stencil {
            pixels: Pixels {
                data: DataType::U8,
                channels,
            },
            width: side,
            height: side,
            pad_x: side / 2,
            pad_y: side / 2,
            aligned,
            aligned_output: aligned,
        }
    }

    #[test]
    fn shared_bytes_count_channels() {
        let shared =
            |channels, side, aligned| image_tile(8).shared_bytes(bytes(channels, side, aligned));
        assert_eq!(shared(1, 1, true), 32 * 128 * 4);
        // 1 pixel to the left is 3 elements, plus 1 more to the boundary.
        assert_eq!(shared(3, 3, true), 34 * (128 + 8) * 4);
        assert_eq!(shared(3, 3, false), 34 * (128 + 8) * 4);
        assert_eq!(shared(4, 3, true), 34 * (128 + 8) * 4);
        assert_eq!(shared(1, 3, true), 34 * (128 + 8) * 4);
        assert_eq!(shared(1, 3, false), 34 * (128 + 4) * 4);
        let rows = [1, 3, 5, 9, 15, 31, 45].map(|side| {
            let macros = image_tile(8).macros(bytes(1, side, true));
            macros[2]
        });
        assert_eq!(rows, [1, 3, 5, 3, 2, 1, 1].map(|rows| ("PAIR", rows)));
    }

    #[test]
    fn each_pixel_has_its_name() {
        for (data, name) in [
            (DataType::U8, "U8"),
            (DataType::U16, "U16"),
            (DataType::F16, "F16"),
            (DataType::Bf16, "BF16"),
            (DataType::F32, "F32"),
        ] {
            let pixels = Pixels { data, channels: 1 };
            let stencil = Stencil {
                pixels,
                ..stencil(3, 3)
            };
            let kernel = Correlation {
                variant: image_tile(4),
                stencil,
                border: Border::Zero,
            };
            let text = format!("{:?}", kernel.source());
            assert!(
                text.contains(&format!("(\"PIXEL\", \"{name}\")")),
                "{data:?}"
            );
        }
    }
}
