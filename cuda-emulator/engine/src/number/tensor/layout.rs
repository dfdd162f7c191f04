//! The mapping of matrix elements to lanes and register bits.
//!
//! All fragments except those of [`quad`](super::quad) consist of the same tiles. A tile of the
//! first matrix has 8 or 16 rows, and one of the second has 8 columns. Both are called *lines*
//! here, and each lane holds adjacent elements of a line. An accumulator's tile has 8 columns, of
//! which a lane holds two adjacent ones. A fragment with more lines or columns has its tiles'
//! registers one after another.

use super::tile::{COLUMNS, DEPTH};

/// A warp's register.
pub(crate) type Register = [u32; 32];

/// A part of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub register: usize,
    pub lane: usize,
    /// The position of the lowest bit.
    pub shift: u32,
}

/// Returns the location of element `k` of line `line`, in a tile of 8 or 16 `lines` with elements
/// of `bits`.
#[inline(always)]
pub(crate) const fn factor(line: usize, k: usize, lines: usize, bits: u32) -> Place {
    let width = if bits > 32 { bits } else { 32 };
    let each = (width / bits) as usize;
    let halves = lines / 8;
    Place {
        register: line / 8 + halves * (k / (4 * each)),
        lane: line % 8 * 4 + k / each % 4,
        shift: (k % each) as u32 * bits,
    }
}

/// Returns the number of registers of such a tile with `depth` elements per line.
pub(crate) const fn factor_registers(lines: usize, depth: usize, bits: u32) -> usize {
    let width = if bits > 32 { bits } else { 32 };
    lines * depth * bits as usize / (width as usize * 32)
}

/// Returns the location of an element of an accumulator's tile. `bits` is 16, 32 or 64.
#[inline(always)]
pub(crate) const fn accumulator(row: usize, column: usize, bits: u32) -> Place {
    let each = if bits == 16 { 2 } else { 1 };
    let x = row / 8 * 2 + column % 2;
    Place {
        register: x / each,
        lane: row % 8 * 4 + column / 2,
        shift: (x % each) as u32 * bits,
    }
}

/// Returns the number of registers of such a tile.
pub(crate) const fn accumulator_registers(rows: usize, bits: u32) -> usize {
    if bits == 16 { rows / 8 } else { rows / 4 }
}

/// Distributes the first matrix's tile to its rows.
#[inline(always)]
pub(crate) fn spread_rows(
    registers: &[&Register],
    lines: usize,
    bits: u32,
    rows: &mut [[u32; DEPTH]],
) {
    match bits {
        4 => spread::<4>(registers, lines / 8, |line, k, x| rows[line][k] = x),
        8 => spread::<8>(registers, lines / 8, |line, k, x| rows[line][k] = x),
        16 => spread::<16>(registers, lines / 8, |line, k, x| rows[line][k] = x),
        _ => spread::<32>(registers, lines / 8, |line, k, x| rows[line][k] = x),
    }
}

/// Distributes the second matrix's tile to its columns.
#[inline(always)]
pub(crate) fn spread_columns(
    registers: &[&Register],
    bits: u32,
    columns: &mut [[u32; COLUMNS]; DEPTH],
) {
    match bits {
        4 => spread::<4>(registers, 1, |line, k, x| columns[k % DEPTH][line] = x),
        8 => spread::<8>(registers, 1, |line, k, x| columns[k % DEPTH][line] = x),
        16 => spread::<16>(registers, 1, |line, k, x| columns[k % DEPTH][line] = x),
        _ => spread::<32>(registers, 1, |line, k, x| columns[k % DEPTH][line] = x),
    }
}

#[inline(always)]
fn spread<const BITS: u32>(
    registers: &[&Register],
    halves: usize,
    mut put: impl FnMut(usize, usize, u32),
) {
    let each = (32 / BITS) as usize;
    for (r, register) in registers.iter().enumerate() {
        let (line, k) = (r % halves * 8, r / halves * 4 * each);
        for g in 0..8 {
            for q in 0..4 {
                let word = register[g * 4 + q];
                for e in 0..each {
                    let x = word >> (e as u32 * BITS) & (u32::MAX >> (32 - BITS));
                    put(line + g, k + q * each + e, x);
                }
            }
        }
    }
}

/// Reads an accumulator's tile from its registers.
#[inline(always)]
pub(crate) fn spread_accumulator(registers: &[&Register], bits: u32, tile: &mut [[u32; COLUMNS]]) {
    for (row, line) in tile
        .iter_mut()
        .take(registers.len() * if bits == 16 { 8 } else { 4 })
        .enumerate()
    {
        for (column, x) in line.iter_mut().enumerate() {
            let place = accumulator(row, column, bits);
            let word = registers[place.register][place.lane] >> place.shift;
            *x = if bits == 16 { word & 0xffff } else { word };
        }
    }
}

/// Returns the registers of an accumulator's tile, at most four.
#[inline(always)]
pub(crate) fn gather_accumulator(tile: &[[u32; COLUMNS]], bits: u32) -> [Register; 4] {
    let mut registers = [[0u32; 32]; 4];
    for (row, line) in tile.iter().enumerate() {
        for (column, x) in line.iter().enumerate() {
            let place = accumulator(row, column, bits);
            registers[place.register][place.lane] |= x << place.shift;
        }
    }
    registers
}
