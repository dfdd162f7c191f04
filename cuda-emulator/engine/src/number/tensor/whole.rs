//! Products of integers and bits.

use super::element::Element;
use super::tile::{COLUMNS, DEPTH, ROWS, Rule, Tile};

/// Returns the number in the low bits of a word.
#[inline(always)]
fn number(x: u32, element: Element) -> i32 {
    match element {
        Element::S8 => i32::from(x as i8),
        Element::U8 => i32::from(x as u8),
        Element::S4 => ((x << 28) as i32) >> 28,
        _ => (x & 15) as i32,
    }
}

/// Sums of products in 32 bits.
#[inline(always)]
pub(super) fn integer(tile: &mut Tile, rule: &Rule, saturate: bool) {
    let depth = tile.depth.min(DEPTH);
    for row in tile.a.iter_mut().take(tile.rows) {
        for x in row.iter_mut().take(depth) {
            *x = number(*x, rule.a) as u32;
        }
    }
    for x in tile.b.iter_mut().take(depth).flatten() {
        *x = number(*x, rule.b) as u32;
    }
    for row in 0..tile.rows.min(ROWS) {
        // 128 products of 16 bits cannot overflow.
        let mut sum = [0i32; COLUMNS];
        for k in 0..depth {
            let a = tile.a[row][k] as i32;
            for (sum, b) in sum.iter_mut().zip(&tile.b[k]) {
                *sum += a * *b as i32;
            }
        }
        for ((d, c), sum) in tile.d[row].iter_mut().zip(&tile.c[row]).zip(sum) {
            let c = *c as i32;
            *d = if saturate {
                c.saturating_add(sum)
            } else {
                c.wrapping_add(sum)
            } as u32;
        }
    }
}

/// Counts of bits.
#[inline(always)]
pub(super) fn bits(tile: &mut Tile, combine: impl Fn(u32, u32) -> u32) {
    for row in 0..tile.rows.min(ROWS) {
        for j in 0..COLUMNS {
            let counts = (0..tile.depth.min(DEPTH))
                .map(|k| combine(tile.a[row][k], tile.b[k][j]).count_ones());
            tile.d[row][j] = counts.fold(tile.c[row][j], u32::wrapping_add);
        }
    }
}
