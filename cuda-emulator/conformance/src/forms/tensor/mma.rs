//! `mma.sync`, dense and sparse.

use super::layout::{addend, count, factor};
use super::numbers::*;
use super::{braces, feed, widths};
use crate::form::Form;
use crate::random::Random;

pub fn add(forms: &mut Vec<Form>) {
    quads(forms);
    floats(forms);
    for k in [16, 32] {
        for a in [E4M3, E5M2] {
            for b in [E4M3, E5M2] {
                for c in [F32, F16] {
                    Mma::new([16, 8, k], [a, b, c]).warps(4).add(forms);
                }
            }
        }
    }
    for end in ["", ".satfinite"] {
        for (types, shapes) in [
            ([S8, U8], [(8, 16), (16, 16), (16, 32)]),
            ([S4, U4], [(8, 32), (16, 32), (16, 64)]),
        ] {
            for (m, k) in shapes {
                for a in types {
                    for b in types {
                        let mma = Mma::new([m, 8, k], [a, b, S32]);
                        mma.modifiers(end).add(forms);
                    }
                }
            }
        }
    }
    for (m, k) in [(8, 128), (16, 128), (16, 256)] {
        for end in [".xor.popc", ".and.popc"] {
            let mut mma = Mma::new([m, 8, k], [B1, B1, S32]);
            mma.end = end;
            mma.add(forms);
        }
    }
    sparse(forms);
}

fn floats(forms: &mut Vec<Form>) {
    for k in [8, 16] {
        for (shape, types) in [
            ([16, 8, k], [F16, F16, F32]),
            ([16, 8, k], [F16, F16, F16]),
            ([16, 8, k], [BF16, BF16, F32]),
            ([16, 8, k / 2], [TF32, TF32, F32]),
        ] {
            Mma::new(shape, types).warps(8).add(forms);
        }
    }
    for (m, k) in [(8, 4), (16, 4), (16, 8), (16, 16)] {
        let roundings: &[&str] = match m {
            8 => &["", ".rn", ".rz", ".rm", ".rp"],
            _ => &["", ".rz"],
        };
        for rounding in roundings {
            let mma = Mma::new([m, 8, k], [F64; 3]).modifiers(rounding);
            mma.warps(if m == 8 { 4 } else { 2 }).add(forms);
        }
    }
}

fn sparse(forms: &mut Vec<Form>) {
    let floats = [(F16, F16, 1), (F16, F32, 1), (BF16, F32, 1), (TF32, F32, 2)];
    for (k, selectors) in [(16, 4), (32, 2)] {
        for selector in 0..selectors {
            for (t, c, part) in floats {
                let mma = Mma::new([16, 8, k / part], [t, t, c]);
                mma.sparse("sp::ordered_metadata", selector).add(forms);
            }
        }
    }
    for (k, selectors) in [(32, 2), (64, 1)] {
        for selector in 0..selectors {
            for (a, b, end) in [(S8, U8, ""), (U8, S8, ".satfinite")] {
                let mma = Mma::new([16, 8, k], [a, b, S32]).modifiers(end);
                mma.sparse("sp::ordered_metadata", selector).add(forms);
            }
            for (a, b, end) in [(U4, S4, ""), (S4, U4, ".satfinite")] {
                let mma = Mma::new([16, 8, 2 * k], [a, b, S32]).modifiers(end);
                mma.sparse("sp::ordered_metadata", selector).add(forms);
            }
        }
    }
    for (a, b) in [(E4M3, E4M3), (E5M2, E4M3)] {
        let mma = Mma::new([16, 8, 64], [a, b, F32]);
        mma.sparse("sp::ordered_metadata", 0).add(forms);
    }
    // The older name of the same instruction.
    for (k, t, c) in [(16, F16, F32), (16, BF16, F32), (32, S8, S32)] {
        let mma = Mma::new([16, 8, k], [t, t, c]);
        mma.sparse("sp", 1).add(forms);
    }
}

struct Mma {
    shape: [usize; 3],
    types: [Element; 3],
    modifiers: &'static str,
    end: &'static str,
    sparse: Option<(&'static str, u32)>,
    warps: usize,
}

impl Mma {
    fn new(shape: [usize; 3], types: [Element; 3]) -> Self {
        Self {
            shape,
            types,
            modifiers: "",
            end: "",
            sparse: None,
            warps: 2,
        }
    }

    fn modifiers(mut self, modifiers: &'static str) -> Self {
        self.modifiers = modifiers;
        self
    }

    fn sparse(mut self, name: &'static str, selector: u32) -> Self {
        self.sparse = Some((name, selector));
        self
    }

    fn warps(mut self, warps: usize) -> Self {
        self.warps = warps;
        self
    }

    fn add(self, forms: &mut Vec<Form>) {
        let ([m, n, k], [a, b, c]) = (self.shape, self.types);
        let short = if self.sparse.is_some() { k / 2 } else { k };
        let kind = match self.sparse {
            Some((name, _)) => format!(".{name}"),
            None => String::new(),
        };
        let (modifiers, end) = (self.modifiers, self.end);
        let name = format!(
            "mma{kind}.sync.aligned.m{m}n{n}k{k}.row.col{modifiers}.{c}.{a}.{b}.{c}{end}",
            a = a.name,
            b = b.name,
            c = c.name
        );
        let counts = [
            count(m * short, a, false),
            count(n * k, b, false),
            count(m * n, c, true),
        ];
        let [na, nb, nc] = counts;
        let mut text = format!(
            "{name} {}, {}, {}, {}",
            braces("d", 0, nc),
            braces("a", 0, na),
            braces("a", na, nb),
            braces("a", na + nb, nc)
        );
        let mut operands = na + nb + nc;
        let mut label = name.clone();
        if let Some((_, selector)) = self.sparse {
            text += &format!(", %a{operands}, {selector}");
            label += &format!(" selector {selector}");
            operands += 1;
        }
        let wide = a == F64;
        let (operands, results) = widths(operands, nc, wide);
        let mut form = Form::new(&label, &operands, &results).body(text + ";");
        form.version = match a {
            E4M3 | E5M2 => (8, 7),
            _ if kind.contains("::") => (8, 5),
            _ => (8, 0),
        };
        let mut random = Random::from_name(&label);
        let cases = (0..self.warps).map(|_| {
            let [left, right, third] = matrices(&mut random, [m, n, k, short], [a, b, c]);
            let mut registers = factor(&left, a);
            registers.extend(factor(&right, b));
            registers.extend(addend(&third, c));
            if self.sparse.is_some() {
                registers.push((0..32).map(|_| metadata(&mut random, a)).collect());
            }
            registers
        });
        let cases: Vec<_> = cases.collect();
        forms.push(feed(form, &cases));
    }
}

/// The shape of the first tensor cores: each group of eight lanes has a matrix, with four elements
/// per lane.
fn quads(forms: &mut Vec<Form>) {
    for layout in ["row.col", "col.row", "row.row", "col.col"] {
        for (c, d) in [(F16, F16), (F32, F32), (F16, F32)] {
            let name = format!(
                "mma.sync.aligned.m8n8k4.{layout}.{}.f16.f16.{}",
                d.name, c.name
            );
            let registers = |t: Element| if t == F16 { 4 } else { 8 };
            let (nc, nd) = (registers(c), registers(d));
            let text = format!(
                "{name} {}, {}, {}, {};",
                braces("d", 0, nd),
                braces("a", 0, 2),
                braces("a", 2, 2),
                braces("a", 4, nc)
            );
            let (operands, results) = widths(4 + nc, nd, false);
            let form = Form::new(&name, &operands, &results).body(text);
            let mut random = Random::from_name(&name);
            let cases = (0..2).map(|_| {
                let all = matrices(&mut random, [32, 32, 4, 4], [F16, F16, c]);
                let parts = all.iter().zip([(2, F16), (2, F16), (nc, c)]);
                let registers = parts.flat_map(|(lines, (count, t))| {
                    let lanes: Matrix = lines.iter().map(|l| words(l, t)).collect();
                    (0..count).map(move |r| lanes.iter().map(|lane| lane[r]).collect())
                });
                registers.collect()
            });
            let cases: Vec<_> = cases.collect();
            forms.push(feed(form, &cases));
        }
    }
}
