//! Products of f64: a chain of fused multiply-adds in order of `k`, starting with the addend.

use super::tile::{COLUMNS, ROWS};
use crate::number::math;
use crate::number::soft::{self, F64, Round};

/// Maximum number of elements that are multiplied and added for one result.
pub(crate) const DEPTH: usize = 16;

/// Operands and results, as bits.
pub(crate) struct Tile {
    pub a: [[u64; DEPTH]; ROWS],
    pub b: [[u64; COLUMNS]; DEPTH],
    /// The addend, then the result.
    pub c: [[u64; COLUMNS]; ROWS],
    pub rows: usize,
    pub depth: usize,
}

impl Tile {
    pub(crate) fn new() -> Tile {
        Tile {
            a: [[0; DEPTH]; ROWS],
            b: [[0; COLUMNS]; DEPTH],
            c: [[0; COLUMNS]; ROWS],
            rows: ROWS,
            depth: 0,
        }
    }

    /// Adds the products to `c`.
    pub(crate) fn multiply(&mut self, round: Round) {
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
            // SAFETY: the processor supports it.
            return unsafe { self.multiply_wide(round) };
        }
        self.multiply_any(round);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn multiply_wide(&mut self, round: Round) {
        self.multiply_any(round);
    }

    #[inline(always)]
    fn multiply_any(&mut self, round: Round) {
        for row in 0..self.rows.min(ROWS) {
            for k in 0..self.depth.min(DEPTH) {
                let (a, b) = (self.a[row][k], &self.b[k]);
                let c = &mut self.c[row];
                for j in 0..COLUMNS {
                    let [x, y, z] = [a, b[j], c[j]].map(f64::from_bits);
                    let d = if round == Round::Nearest {
                        x.mul_add(y, z)
                    } else {
                        f64::from_bits(soft::fma(a, b[j], c[j], F64, round))
                    };
                    c[j] = math::result64(d, [y, z, x]).to_bits();
                }
            }
        }
    }
}
