//! `wgmma`: products of a group of four warps, from shared memory and registers.

use super::layout::{group_addend, group_factor};
use super::numbers::*;
use super::{braces, feed, spread};
use crate::form::Form;
use crate::operand::{Operand::I32, Width::B32};
use crate::random::Random;

const TYPES: [[Element; 3]; 16] = [
    [F16, F16, F32],
    [F16, F16, F16],
    [BF16, BF16, F32],
    [TF32, TF32, F32],
    [E4M3, E4M3, F32],
    [E5M2, E4M3, F32],
    [E4M3, E5M2, F32],
    [E5M2, E5M2, F32],
    [E4M3, E4M3, F16],
    [E5M2, E5M2, F16],
    [E4M3, E5M2, F16],
    [S8, S8, S32],
    [U8, U8, S32],
    [S8, U8, S32],
    [U8, S8, S32],
    [B1, B1, S32],
];

pub fn add(forms: &mut Vec<Form>) {
    for types in TYPES {
        let t = types[0];
        let plain = Group::new(types);
        forms.push(Group { groups: 2, ..plain }.form());
        forms.push(
            Group {
                in_registers: true,
                ..plain
            }
            .form(),
        );
        if t.float() {
            forms.push(
                Group {
                    signs: [-1, 1],
                    ..plain
                }
                .form(),
            );
            forms.push(
                Group {
                    signs: [1, -1],
                    add: false,
                    ..plain
                }
                .form(),
            );
        }
        if t == S8 || t == U8 {
            forms.push(
                Group {
                    end: ".satfinite",
                    ..plain
                }
                .form(),
            );
        }
    }
    for types in TYPES.into_iter().filter(|[a, b, _]| a == b && *a != B1) {
        let selectors = if types[0].bits > 8 { 2 } else { 1 };
        for selector in 0..selectors {
            for in_registers in [false, true] {
                let sparse = Group {
                    sparse: Some(selector),
                    in_registers,
                    ..Group::new(types)
                };
                forms.push(sparse.form());
            }
        }
    }
}

/// Returns a descriptor of a matrix without swizzle, given its start and the distances of its
/// parts.
pub fn descriptor(start: u64, leading: u64, stride: u64) -> u64 {
    start >> 4 | leading >> 4 << 16 | stride >> 4 << 32
}

/// Returns lines as stored in memory: parts of 8 lines by 16 bytes. Those along a line are 128
/// bytes apart.
pub fn parts(lines: &[Vec<u64>], t: Element) -> Vec<u64> {
    let packed: Vec<Vec<u64>> = lines.iter().map(|line| words(line, t)).collect();
    let chunks = packed[0].len() / 4;
    let mut all = Vec::new();
    for eight in packed.chunks(8) {
        for chunk in 0..chunks {
            all.extend(
                eight
                    .iter()
                    .flat_map(|line| &line[4 * chunk..4 * chunk + 4]),
            );
        }
    }
    all
}

/// Returns the operands after the predicate: signs of both factors, and whether 16-bit ones are
/// transposed.
pub fn tail(t: Element, signs: [i32; 2], transposed: &[u32]) -> String {
    let mut text = String::new();
    if t.float() {
        text += &format!(", {}, {}", signs[0], signs[1]);
    }
    if t == F16 || t == BF16 {
        for transposed in transposed {
            text += &format!(", {transposed}");
        }
    }
    text
}

#[derive(Clone, Copy)]
struct Group {
    types: [Element; 3],
    end: &'static str,
    sparse: Option<u32>,
    in_registers: bool,
    signs: [i32; 2],
    /// Whether the product is added to the accumulator.
    add: bool,
    groups: usize,
}

impl Group {
    fn new(types: [Element; 3]) -> Self {
        Self {
            types,
            end: if types[0] == B1 { ".and.popc" } else { "" },
            sparse: None,
            in_registers: false,
            signs: [1, 1],
            add: true,
            groups: 1,
        }
    }

    fn form(self) -> Form {
        let [a, b, c] = self.types;
        let short = 256 / a.bits as usize;
        let k = short * if self.sparse.is_some() { 2 } else { 1 };
        // A register holds two f16 results.
        let n = if c == F16 { 16 } else { 8 };
        let registers = n / 2 / if c == F16 { 2 } else { 1 };
        let sp = if self.sparse.is_some() { ".sp" } else { "" };
        let name = format!(
            "wgmma.mma_async{sp}.sync.aligned.m64n{n}k{k}.{}.{}.{}{}",
            c.name, a.name, b.name, self.end
        );
        let mut label = name.clone();
        if self.in_registers {
            label += " registers";
        }
        for (sign, of) in self.signs.iter().zip(["a", "b"]) {
            if *sign < 0 {
                label += &format!(" -{of}");
            }
        }
        if !self.add {
            label += " alone";
        }
        if let Some(selector) = self.sparse {
            label += &format!(" selector {selector}");
        }

        let mut random = Random::from_name(&label);
        let groups = (0..self.groups).map(|_| {
            let [left, right, third] = matrices(&mut random, [64, n, k, short], self.types);
            let mut all = if self.in_registers {
                group_factor(&left, a)
            } else {
                spread(&parts(&left, a), 128)
            };
            all.extend(spread(&parts(&right, b), 128));
            all.extend(group_addend(&third, c));
            if self.sparse.is_some() {
                all.push((0..128).map(|_| metadata(&mut random, a)).collect());
            }
            all
        });
        let groups: Vec<_> = groups.collect();

        let total = groups[0].len();
        let addend = total - registers - usize::from(self.sparse.is_some());
        let mut text = String::from(
            "{\n.shared .align 1024 .b8 memory[4096];\n.reg .b64 da, db;\n.reg .b32 at;\n.reg .pred p;\n\
             mov.u32 at, memory;\nshr.u32 %x, at, 4;\ncvt.u64.u32 db, %x;\n",
        );
        let bytes = |length: usize, t: Element| (length * t.bits as usize / 8) as u64;
        let start = if self.in_registers { 0 } else { 2048 };
        text += &format!(
            "add.u64 da, db, {:#x};\nadd.u64 db, db, {:#x};\nmad.lo.u32 at, %y, 4, at;\n",
            descriptor(0, 128, 8 * bytes(short, a)),
            descriptor(start, 128, 8 * bytes(k, b)),
        );
        let first = if self.in_registers { 4 } else { 0 };
        for word in first..addend {
            text += &format!("st.shared.b32 [at+{}], %a{word};\n", (word - first) * 512);
        }
        for i in 0..registers {
            text += &format!("mov.b32 %d{i}, %a{};\n", addend + i);
        }
        let test = if self.add { "ge" } else { "lt" };
        let left = match self.in_registers {
            true => braces("a", 0, 4),
            false => "da".into(),
        };
        let sparse = match self.sparse {
            Some(selector) => format!(", %a{}, {selector}", total - 1),
            None => String::new(),
        };
        let transposed: &[u32] = if self.in_registers { &[0] } else { &[0, 0] };
        text += &format!(
            "setp.{test}.u32 p, %i, 0;\nfence.proxy.async;\nbar.sync 0;\nwgmma.fence.sync.aligned;\n\
             {name} {}, {left}, db{sparse}, p{};\n\
             wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n}}",
            braces("d", 0, registers),
            tail(a, self.signs, transposed)
        );
        let form = Form::new(&label, &vec![I32; total], &vec![B32; registers]);
        feed(form.body(text).target("sm_90a").since(8, 4), &groups)
    }
}
