//! The division of an output into blocks.

use super::variant::{Stencil, Variant};

/// Elements of a row of the output per block.
const BLOCK_ELEMENTS: u32 = 128;

/// The division of an output into blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// The number of pieces in a row and in a column of pieces.
    pub(super) across: u32,
    pub(super) down: u32,
    /// Rows per piece.
    pub(super) rows: u32,
    /// Blocks of all images together.
    pub(super) blocks: u32,
}

impl Variant {
    /// Returns the rows of the output per block, if `resident` blocks are on the device at the same
    /// time and the output (of all images) is cut into `across` pieces horizontally.
    fn block_rows(self, stencil: Stencil, height: u32, across: u64, resident: u32) -> u32 {
        match self {
            Self::Direct { warps, rows, .. } | Self::Tile { warps, rows, .. } => warps * rows,
            // All blocks run at once, and the kernel relies on each piece being a multiple of
            // `rows`. A minimum of half the filter's height limits the share of overlap among the
            // rows that a block reads.
            Self::March { rows, .. } => {
                let down = (u64::from(resident) / across.max(1)).max(1);
                let fair = height.div_ceil(u32::try_from(down).unwrap_or(u32::MAX));
                fair.max(stencil.height / 2).max(1).next_multiple_of(rows)
            }
        }
    }

    /// Cuts `images` outputs of `width` x `height` into pieces for a device that runs `resident`
    /// blocks at the same time. Returns `None` if a grid can't have that many blocks.
    pub(super) fn cut(
        self,
        stencil: Stencil,
        (width, height): (usize, usize),
        images: usize,
        resident: u32,
    ) -> Option<Cut> {
        let height = u32::try_from(height).ok()?;
        let elements = (width as u64).checked_mul(u64::from(stencil.pixels.channels))?;
        let across = elements.div_ceil(u64::from(BLOCK_ELEMENTS));
        let side_by_side = across.checked_mul(images as u64)?;
        let rows = self.block_rows(stencil, height, side_by_side, resident);
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
    use super::{
        super::variant::tests::{ALL, SEPARABLE, bytes, stencil},
        *,
    };

    #[test]
    fn block_rows_divides_rows_evenly() {
        let [direct, march, tile] = ALL;
        assert_eq!(direct.block_rows(stencil(3, 3), 4096, 32, 1), 16);
        assert_eq!(tile.block_rows(stencil(15, 15), 4096, 32, 1), 32);
        // 2112 blocks, 32 of them horizontally: 66 pieces of 63 rows, rounded up to a multiple of
        // 2.
        assert_eq!(march.block_rows(stencil(9, 9), 4096, 32, 2112), 64);
        // There are more pieces horizontally than blocks, so each piece has all rows.
        assert_eq!(march.block_rows(stencil(9, 9), 4096, 4000, 2112), 4096);
        assert_eq!(march.block_rows(stencil(9, 9), 4096, 0, 1), 4096);
        // A piece has at least half the filter's rows.
        assert_eq!(SEPARABLE.block_rows(stencil(31, 31), 1, 1, 1000), 15);
        assert_eq!(SEPARABLE.block_rows(stencil(31, 31), 0, 1, 1000), 15);
        assert_eq!(march.block_rows(stencil(1, 1), 0, 1, 1000), 2);
    }

    #[test]
    fn cut_counts_blocks_of_all_images() {
        let [direct, march, _] = ALL;
        let cut = |across, down, rows, blocks| {
            Some(Cut {
                across,
                down,
                rows,
                blocks,
            })
        };
        assert_eq!(
            direct.cut(stencil(3, 3), (300, 100), 1, 1),
            cut(3, 7, 16, 21)
        );
        assert_eq!(
            direct.cut(stencil(3, 3), (384, 112), 5, 1),
            cut(3, 7, 16, 105)
        );
        assert_eq!(direct.cut(stencil(3, 3), (1, 1), 1, 1), cut(1, 1, 16, 1));
        // Images share the device's blocks: 2112 / (32 x 2) = 33 pieces of 125 rows, rounded up to
        // a multiple of 2.
        assert_eq!(
            march.cut(stencil(9, 9), (4096, 4096), 2, 2112),
            cut(32, 33, 126, 2112)
        );
        // The maximum number of blocks in a grid.
        let most = i32::MAX as usize;
        assert_eq!(
            direct.cut(stencil(3, 3), (128, 16), most, 1),
            cut(1, 1, 16, i32::MAX as u32)
        );
        assert_eq!(direct.cut(stencil(3, 3), (128, 16), most + 1, 1), None);
        assert_eq!(direct.cut(stencil(3, 3), (129, usize::MAX), 1, 1), None);
        assert_eq!(
            direct.cut(stencil(3, 3), (usize::MAX, 16), usize::MAX, 1),
            None
        );
    }

    #[test]
    fn cut_counts_elements_of_all_channels() {
        let [_, _, tile] = ALL;
        let blocks = |width, height| {
            let cut = tile.cut(bytes(3, 3, true), (width, height), 1, 1)?;
            Some((cut.across, cut.down, cut.blocks))
        };
        assert_eq!(blocks(1, 1), Some((1, 1, 1)));
        assert_eq!(blocks(128, 32), Some((3, 1, 3)));
        assert_eq!(blocks(129, 33), Some((4, 2, 8)));
        // Rows of more than 2^31 bytes together, and the maximum number of blocks.
        assert_eq!(blocks(65_536, 65_536), Some((1536, 2048, 1536 * 2048)));
        let most = i32::MAX as usize / 3;
        assert_eq!(blocks(most, 1).map(|cut| cut.1), Some(1));
        assert_eq!(blocks(most, 1 << 20), None);
        assert_eq!(blocks(usize::MAX, 1), None);
    }

    #[test]
    fn march_blocks_have_whole_steps() {
        for height in [1, 17, 4096, 100_000] {
            for across in [1, 32, 4000] {
                for (variant, stencil, step) in
                    [(SEPARABLE, stencil(31, 31), 3), (ALL[1], stencil(9, 9), 2)]
                {
                    let rows = variant.block_rows(stencil, height, across, 1056);
                    assert!(rows > 0);
                    assert_eq!(rows % step, 0);
                }
            }
        }
    }
}
