//! Matrices in shared memory, as given by the descriptors of `wgmma`.
//!
//! A matrix consists of pieces of 8 lines by 16 bytes, or with swizzling by 32, 64 or 128 bytes.
//! The bytes of a line are along `k`. In a transposed matrix, a piece has 8 steps of `k`, and its
//! bytes are across the lines.

/// An unpacked descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Descriptor {
    /// Byte offset from the start of shared memory.
    start: u64,
    /// The distances between pieces, called leading and stride.
    leading: u64,
    stride: u64,
    /// The offset of the swizzle pattern.
    base: u64,
    /// Bytes per line of a piece.
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

    /// Returns the address of 16 bytes of a line, starting at byte `at`, a multiple of 16.
    pub(crate) fn along(&self, line: u64, at: u64) -> u64 {
        let from = self.start + line / 8 * self.stride + line % 8 * self.width;
        self.swizzle(from + at / self.width * self.leading + at % self.width)
    }

    /// Returns the address of 16 bytes of step `k` in a transposed matrix, starting at byte `at` of
    /// the lines.
    pub(crate) fn across(&self, at: u64, k: u64) -> u64 {
        // Without swizzling, the two distances are swapped.
        let (lines, steps) = if self.width == 16 {
            (self.stride, self.leading)
        } else {
            (self.leading, self.stride)
        };
        let from = self.start + k / 8 * steps + k % 8 * self.width;
        self.swizzle(from + at / self.width * lines + at % self.width)
    }

    /// Swaps 16-byte pieces within a row of 128 bytes.
    fn swizzle(&self, address: u64) -> u64 {
        let pieces = self.width / 16 - 1;
        address ^ ((address >> 7).wrapping_sub(self.base) & pieces) << 4
    }
}
