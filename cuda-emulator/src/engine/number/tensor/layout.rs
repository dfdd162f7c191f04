//! Which lane's which register bits hold an element.

/// A part of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) struct Place {
    pub register: usize,
    pub lane: usize,
    /// Of the lowest bit.
    pub shift: u32,
}

/// Element `k` of line `line` of a fragment with lines of `bits`-wide elements: rows of the first matrix, columns of the
/// second. `lines` is 8 or 16.
#[inline(always)]
pub(in crate::engine) const fn factor(line: usize, k: usize, lines: usize, bits: u32) -> Place {
    let width = if bits > 32 { bits } else { 32 };
    let each = (width / bits) as usize;
    let halves = lines / 8;
    Place {
        register: line / 8 + halves * (k / (4 * each)),
        lane: line % 8 * 4 + k / each % 4,
        shift: (k % each) as u32 * bits,
    }
}

/// The element of the accumulator at a row and column of 8. `bits` is 16, 32 or 64.
#[inline(always)]
pub(in crate::engine) const fn accumulator(row: usize, column: usize, bits: u32) -> Place {
    let each = if bits == 16 { 2 } else { 1 };
    let x = row / 8 * 2 + column % 2;
    Place {
        register: x / each,
        lane: row % 8 * 4 + column / 2,
        shift: (x % each) as u32 * bits,
    }
}
