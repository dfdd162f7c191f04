//! The matrix product that an instruction's name describes.

use super::element::Element;
use super::layout;
use super::tile::{Arithmetic, COLUMNS, DEPTH, ROWS, Rule};
use crate::number::soft::Round;

/// The instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum Family {
    Mma,
    Wmma,
    Wgmma,
}

/// Shape, types and modifiers. They fit into a word without room for more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Product {
    pub family: Family,
    pub m: usize,
    pub n: usize,
    pub k: usize,
    pub a: Element,
    pub b: Element,
    pub c: Element,
    pub d: Element,
    pub saturate: bool,
    pub xor: bool,
    pub sparse: bool,
    /// For `m8n8k4`: whether the first matrix is stored in columns, and the second in rows.
    pub a_columns: bool,
    pub b_rows: bool,
    pub round: Round,
}

const ELEMENTS: [Element; 13] = [
    Element::F16,
    Element::Bf16,
    Element::Tf32,
    Element::F32,
    Element::F64,
    Element::E4m3,
    Element::E5m2,
    Element::S32,
    Element::S8,
    Element::U8,
    Element::S4,
    Element::U4,
    Element::B1,
];

/// Parses `m`, `n` and `k` of a shape: `m16n8k16`.
pub(crate) fn shape(name: &str) -> Option<[usize; 3]> {
    let (m, rest) = name.strip_prefix('m')?.split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    Some([m.parse().ok()?, n.parse().ok()?, k.parse().ok()?])
}

impl Product {
    /// Parses the modifiers of a name that matches an entry of the instruction list.
    pub(crate) fn named(family: Family, modifiers: &[&str]) -> Option<Product> {
        let has = |name| modifiers.contains(&name);
        let [m, n, k] = modifiers.iter().find_map(|x| shape(x))?;
        let types: Vec<Element> = modifiers.iter().filter_map(|x| Element::named(x)).collect();
        let (d, a, b, c) = match types[..] {
            // wmma on f16 only names its accumulators.
            [d, c] => (d, Element::F16, Element::F16, c),
            [d, a, b] => (d, a, b, d),
            [d, a, b, c] => (d, a, b, c),
            _ => return None,
        };
        let mut layouts = modifiers.iter().filter(|x| matches!(**x, "row" | "col"));
        let round = match () {
            () if has("rz") => Round::Zero,
            () if has("rm") => Round::Down,
            () if has("rp") => Round::Up,
            () => Round::Nearest,
        };
        Some(Product {
            family,
            m,
            n,
            k,
            a,
            b,
            c,
            d,
            saturate: has("satfinite"),
            xor: has("xor"),
            sparse: has("sp") || has("sp::ordered_metadata"),
            a_columns: layouts.next() == Some(&"col"),
            b_rows: layouts.next() == Some(&"row"),
            round,
        })
    }

    pub(crate) fn pack(&self) -> u64 {
        let element = |e: Element| ELEMENTS.iter().position(|x| *x == e).unwrap_or(0) as u64;
        let round = match self.round {
            Round::Zero => 1,
            Round::Down => 2,
            Round::Up => 3,
            _ => 0,
        };
        (self.m / 8) as u64
            | ((self.n / 8) as u64) << 4
            | (self.k.trailing_zeros() as u64) << 10
            | element(self.a) << 16
            | element(self.b) << 20
            | element(self.c) << 24
            | element(self.d) << 28
            | (self.family as u64) << 32
            | round << 34
            | u64::from(self.saturate) << 36
            | u64::from(self.xor) << 37
            | u64::from(self.sparse) << 38
            | u64::from(self.a_columns) << 39
            | u64::from(self.b_rows) << 40
    }

    #[inline(always)]
    pub(crate) fn unpack(bits: u64) -> Product {
        let element = |at: u32| ELEMENTS[(bits >> at & 15) as usize % ELEMENTS.len()];
        let flag = |at: u32| bits >> at & 1 != 0;
        Product {
            family: match bits >> 32 & 3 {
                0 => Family::Mma,
                1 => Family::Wmma,
                _ => Family::Wgmma,
            },
            m: (bits & 15) as usize * 8,
            n: (bits >> 4 & 63) as usize * 8,
            k: 1 << (bits >> 10 & 15),
            a: element(16),
            b: element(20),
            c: element(24),
            d: element(28),
            round: match bits >> 34 & 3 {
                1 => Round::Zero,
                2 => Round::Down,
                3 => Round::Up,
                _ => Round::Nearest,
            },
            saturate: flag(36),
            xor: flag(37),
            sparse: flag(38),
            a_columns: flag(39),
            b_rows: flag(40),
        }
    }

    /// Returns whether this is Volta's shape, whose fragments have a different layout.
    pub(crate) fn quad(&self) -> bool {
        self.family == Family::Mma && self.a == Element::F16 && self.m == 8
    }

    /// Returns the number of stored elements in a row of the first matrix.
    pub(crate) fn stored(&self) -> usize {
        if self.sparse { self.k / 2 } else { self.k }
    }

    /// Returns whether the product is computed with transposed matrices: `m8n32`, as 32 rows.
    pub(crate) fn transposed(&self) -> bool {
        self.family == Family::Wmma && self.n == 32
    }

    /// Returns a lane's number of registers for the first and second matrix, the addend, and the
    /// result.
    pub(crate) fn registers(&self) -> [usize; 4] {
        let accumulator = |e: Element| match e {
            Element::F16 => self.rows_of_a_warp() * self.n / 64,
            _ => self.rows_of_a_warp() * self.n / 32,
        };
        let (c, d) = (accumulator(self.c), accumulator(self.d));
        if self.quad() {
            let c = |e| if e == Element::F16 { 4 } else { 8 };
            return [2, 2, c(self.c), c(self.d)];
        }
        let factor = |lines, depth, e: Element| layout::factor_registers(lines, depth, e.bits());
        let (mut a, mut b) = (
            factor(self.rows_of_a_warp(), self.stored(), self.a),
            factor(self.n, self.k, self.b),
        );
        if self.family == Family::Wmma && self.a == Element::F16 {
            // The fragments have the size of Volta's. The additional registers repeat the others.
            (a, b) = (8, 8);
        }
        [a, b, c, d]
    }

    /// Returns the rows of a warp. With 64 rows, each warp of a warpgroup has 16.
    fn rows_of_a_warp(&self) -> usize {
        if self.family == Family::Wgmma {
            ROWS
        } else {
            self.m
        }
    }

    /// Returns the rule that computes the results.
    #[inline(always)]
    pub(crate) fn rule(&self) -> Rule {
        let arithmetic = match self.a {
            Element::B1 if self.xor => Arithmetic::Xor,
            Element::B1 => Arithmetic::And,
            Element::S8 | Element::U8 | Element::S4 | Element::U4 => Arithmetic::Integer {
                saturate: self.saturate,
            },
            Element::E4m3 | Element::E5m2 if self.family == Family::Mma => Arithmetic::Pairs {
                sparse: self.sparse,
            },
            Element::Tf32 if self.family == Family::Wmma => Arithmetic::Fused { step: 4 },
            _ => Arithmetic::Fused { step: DEPTH },
        };
        Rule {
            a: self.a,
            b: self.b,
            c: self.c,
            d: self.d,
            arithmetic,
        }
    }

    /// Returns the size of a multiplied unit, and the number of units for `k`. Bits are processed
    /// in words.
    #[inline(always)]
    pub(crate) fn units(&self, k: usize) -> (u32, usize) {
        if self.a == Element::B1 {
            (32, k / 32)
        } else {
            (self.a.bits(), k)
        }
    }

    /// Returns the number of tiles of the first matrix's rows and of the second's columns, and the
    /// rows of each, for the transposed product if that is computed.
    #[inline(always)]
    pub(crate) fn tiles(&self) -> (usize, usize, usize) {
        let (m, n) = if self.transposed() {
            (self.n, self.m)
        } else {
            (self.rows_of_a_warp(), self.n)
        };
        let rows = m.min(ROWS);
        (m / rows, n / COLUMNS, rows)
    }
}
