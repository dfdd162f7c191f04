//! `m8n8k4` on f16: four products at once, each by the lanes of two quads.
//!
//! Volta's tensor cores implemented it. On later architectures, ordinary instructions compute it in
//! each lane.

use super::layout::Place;
use crate::number::math;

/// Rows and columns of each product, and its depth.
const SIZE: usize = 8;
const DEPTH: usize = 4;
const PRODUCTS: usize = 4;

/// Returns the lane that holds line `line` of a product's first or second matrix, or of its f16
/// accumulator.
const fn lane(product: usize, line: usize) -> usize {
    product * 4 + line % 4 + line / 4 * 16
}

/// Returns the location of element `k` of a factor's line. With `along`, the lane holds a whole
/// line, otherwise an element of each of four lines.
const fn factor(product: usize, line: usize, k: usize, along: bool) -> Place {
    let (lane, i) = if along {
        (lane(product, line), k)
    } else {
        (lane(product, line / 4 * 4 + k), line % 4)
    };
    Place {
        register: i / 2,
        lane,
        shift: (i % 2 * 16) as u32,
    }
}

/// Returns the location of an accumulator's element of `bits`.
const fn accumulator(product: usize, row: usize, column: usize, bits: u32) -> Place {
    if bits == 16 {
        Place {
            register: column / 2,
            lane: lane(product, row),
            shift: (column % 2 * 16) as u32,
        }
    } else {
        Place {
            register: (column & 1) | (row & 2) | (column & 4),
            lane: lane(product, row & !2 | column & 2),
            shift: 0,
        }
    }
}

/// The properties in the instruction's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quad {
    /// Whether the first matrix is stored in rows, and the second in columns.
    pub a_rows: bool,
    pub b_columns: bool,
    /// Whether the accumulator is f32. Otherwise it is f16.
    pub c_single: bool,
    pub d_single: bool,
}

fn get(registers: &[[u32; 32]], place: Place, bits: u32) -> u32 {
    let word = registers[place.register][place.lane] >> place.shift;
    if bits == 32 { word } else { word & 0xffff }
}

/// Adds the products of `a` and `b` to `c`.
pub(crate) fn multiply(
    quad: Quad,
    a: &[[u32; 32]; 2],
    b: &[[u32; 32]; 2],
    c: &[[u32; 32]; 8],
) -> [[u32; 32]; 8] {
    let mut d = [[0u32; 32]; 8];
    let single = |x: u32| math::half_to_single(x as u16);
    for product in 0..PRODUCTS {
        for row in 0..SIZE {
            for column in 0..SIZE {
                let x = |k| single(get(a, factor(product, row, k, quad.a_rows), 16));
                let y = |k| single(get(b, factor(product, column, k, quad.b_columns), 16));
                let bits = if quad.c_single { 32 } else { 16 };
                let c = get(c, accumulator(product, row, column, bits), bits);
                let c = if quad.c_single {
                    f32::from_bits(c)
                } else {
                    single(c)
                };
                let bits = if quad.d_single { 32 } else { 16 };
                let place = accumulator(product, row, column, bits);
                let word = &mut d[place.register][place.lane];
                if quad.d_single {
                    let sum = (0..DEPTH).fold(0.0, |sum, k| x(k).mul_add(y(k), sum));
                    *word = math::quiet(c + sum).to_bits();
                } else {
                    let low = x(1).mul_add(y(1), x(0) * y(0));
                    let high = x(3).mul_add(y(3), x(2) * y(2));
                    let sum = math::quiet(c + low + high);
                    *word |= u32::from(math::single_to_half(sum)) << place.shift;
                }
            }
        }
    }
    d
}
