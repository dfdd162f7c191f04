//! Matrices in shared memory, as the descriptors of `wgmma` give them.
//!
//! A matrix is made of pieces of 8 lines by 16 bytes, or with swizzling by 32, 64 or 128 bytes. Along `k` are the bytes of a
//! line, unless the matrix is transposed: then a piece has 8 steps of `k`, and its bytes lie along the lines.

/// A descriptor, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Descriptor {
    /// Bytes from the start of shared memory.
    start: u64,
    /// The distance of pieces, called leading and stride.
    leading: u64,
    stride: u64,
    /// How far the pattern of swizzling is moved.
    base: u64,
    /// Bytes of a line of a piece.
    width: u64,
}

impl Descriptor {
    pub(crate) fn from_bits(bits: u64) -> Descriptor {
        let field = |at: u32| (bits >> at & 0x3fff) << 4;
        Descriptor {
            start: field(0),
            leading: field(16),
            stride: field(32),
            base: bits >> 49 & 7,
            width: match bits >> 62 {
                0 => 16,
                1 => 128,
                2 => 64,
                _ => 32,
            },
        }
    }

    /// The address of 16 bytes of a line, from byte `at` of it on, a multiple of 16.
    pub(crate) fn along(&self, line: u64, at: u64) -> u64 {
        let from = self.start + line / 8 * self.stride + line % 8 * self.width;
        self.swizzle(from + at / self.width * self.leading + at % self.width)
    }

    /// In a transposed matrix, the address of 16 bytes of step `k`, from byte `at` of the lines on.
    pub(crate) fn across(&self, at: u64, k: u64) -> u64 {
        // Without swizzling the two distances change places.
        let (lines, steps) = if self.width == 16 {
            (self.stride, self.leading)
        } else {
            (self.leading, self.stride)
        };
        let from = self.start + k / 8 * steps + k % 8 * self.width;
        self.swizzle(from + at / self.width * lines + at % self.width)
    }

    /// Exchanges pieces of 16 bytes with others of the same row of 128.
    fn swizzle(&self, address: u64) -> u64 {
        let pieces = self.width / 16 - 1;
        address ^ ((address >> 7).wrapping_sub(self.base) & pieces) << 4
    }
}
