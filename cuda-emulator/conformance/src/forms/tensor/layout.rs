//! The locations of elements in a lane's registers, in fragments of `mma` and `wgmma`.

use super::numbers::{Element, F16, F64, Matrix};

/// For each register, its value in each lane.
pub type Registers = Vec<Vec<u64>>;

fn pack(
    matrix: &[Vec<u64>],
    registers: usize,
    each: usize,
    bits: u32,
    place: impl Fn(usize, usize, usize) -> (usize, usize),
) -> Registers {
    let element = |r: usize, lane: usize, i: usize| {
        let (row, column) = place(r, lane, i);
        matrix[row][column] << (bits as usize * i)
    };
    let register = |r| {
        let lane = |lane| (0..each).fold(0, |value, i| value | element(r, lane, i));
        (0..32).map(lane).collect()
    };
    (0..registers).map(register).collect()
}

/// Returns a factor's fragment: 8 or 16 lines of `a` or columns of `b`.
pub fn factor(lines: &[Vec<u64>], t: Element) -> Registers {
    let width = t.bits.max(32);
    let (each, halves) = ((width / t.bits) as usize, lines.len() / 8);
    let registers = lines.len() * lines[0].len() / (32 * each);
    pack(lines, registers, each, t.bits, |r, lane, i| {
        let column = lane % 4 * each + i + 4 * each * (r / halves);
        (lane / 4 + 8 * (r % halves), column)
    })
}

/// Returns the fragment of an addend or a result with 8 columns.
pub fn addend(lines: &[Vec<u64>], t: Element) -> Registers {
    let each = if t == F16 { 2 } else { 1 };
    let registers = lines.len() * lines[0].len() / (32 * each);
    pack(lines, registers, each, t.bits, |r, lane, i| {
        let x = r * each + i;
        (lane / 4 + 8 * (x / 2), lane % 4 * 2 + x % 2)
    })
}

/// Returns the fragment of a factor with 64 lines, of which each of four warps has 16.
pub fn group_factor(lines: &[Vec<u64>], t: Element) -> Registers {
    side_by_side(lines.chunks(16).map(|lines| factor(lines, t)))
}

/// Returns the fragment of an addend with 64 lines.
pub fn group_addend(lines: &[Vec<u64>], t: Element) -> Registers {
    side_by_side(lines.chunks(16).map(|lines| {
        let columns = |j: usize| -> Matrix {
            let line = |line: &Vec<u64>| line[8 * j..8 * j + 8].to_vec();
            lines.iter().map(line).collect()
        };
        let eights = 0..lines[0].len() / 8;
        eights.flat_map(|j| addend(&columns(j), t)).collect()
    }))
}

fn side_by_side(warps: impl Iterator<Item = Registers>) -> Registers {
    let warps: Vec<Registers> = warps.collect();
    let register = |r: usize| warps.iter().flat_map(|w| w[r].clone()).collect();
    (0..warps[0].len()).map(register).collect()
}

/// Returns the number of registers in a fragment with this number of elements.
pub fn count(elements: usize, t: Element, accumulates: bool) -> usize {
    match t {
        F16 if accumulates => elements / 64,
        _ if accumulates || t == F64 => elements / 32,
        _ => elements * t.bits as usize / 1024,
    }
}
