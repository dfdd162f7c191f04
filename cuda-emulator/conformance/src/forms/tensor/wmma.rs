//! `wmma`: copies of fragments from and to memory, and their products.

use super::layout::{Registers, count};
use super::numbers::*;
use super::{braces, feed, spread, widths};
use crate::form::Form;
use crate::random::Random;

const BIG: [[usize; 3]; 3] = [[16, 16, 16], [32, 8, 16], [8, 32, 16]];
const LAYOUTS: [&str; 2] = ["row", "col"];

fn shapes(t: Element) -> &'static [[usize; 3]] {
    match t {
        TF32 => &[[16, 16, 8]],
        F64 => &[[8, 8, 4]],
        S4 | U4 => &[[8, 8, 32]],
        B1 => &[[8, 8, 128]],
        _ => &BIG,
    }
}

pub fn add(forms: &mut Vec<Form>) {
    for t in [F16, BF16, TF32, F64, S8, U8, S4, U4, B1] {
        for &shape in shapes(t) {
            factors(forms, t, shape);
            let accumulators: &[Element] = match t {
                F16 => &[F16, F32],
                TF32 => &[F32],
                F64 => &[F64],
                S8 | S4 | B1 => &[S32],
                // The same as for another type.
                _ => &[],
            };
            for &c in accumulators {
                addends(forms, c, shape);
            }
            products(forms, t, shape);
        }
    }
}

fn shape_name([m, n, k]: [usize; 3]) -> String {
    format!("m{m}n{n}k{k}")
}

/// Returns the number of registers of `a` or `b` with this number of elements. It is always eight
/// for f16.
fn factor_registers(elements: usize, t: Element) -> usize {
    match t {
        F16 => 8,
        _ => count(elements, t, false).max(1),
    }
}

/// Declares memory of `bytes` for each warp. `own` is its start, and `at` the lane's first word.
fn memory(bytes: usize) -> String {
    format!(
        "{{\n.shared .align 128 .b8 memory[{}];\n.reg .b32 own, at;\n\
         mov.u32 at, memory;\nshr.u32 %x, %y, 5;\nmad.lo.u32 own, %x, {bytes}, at;\n\
         and.b32 %x, %y, 0x1f;\nmad.lo.u32 at, %x, 4, own;\n",
        4 * bytes
    )
}

fn put(words: usize) -> String {
    let store = |word| format!("st.shared.b32 [at+{}], %a{word};\n", word * 128);
    (0..words).map(store).collect::<String>() + "bar.warp.sync 0xffffffff;\n"
}

/// Returns elements that identify their positions: their indices, or parts of these in consecutive
/// warps.
fn numbered(elements: usize, t: Element) -> Vec<Vec<u64>> {
    let warps = match t.bits {
        1 => 10,
        4 => 2,
        8 => elements.div_ceil(256),
        _ => 1,
    };
    let part = |warp: usize, i: usize| {
        let rest = i as u64 >> (warp as u32 * t.bits);
        rest & (u64::MAX >> (64 - t.bits))
    };
    let warp = |warp| (0..elements).map(|i| part(warp, i)).collect();
    // Beyond the first block, use a whole number of blocks.
    let warps = if warps > 4 { 12 } else { warps };
    (0..warps).map(warp).collect()
}

fn factors(forms: &mut Vec<Form>, t: Element, shape: [usize; 3]) {
    let [m, n, k] = shape;
    for (which, lines) in [("a", m), ("b", n)] {
        for layout in LAYOUTS {
            let along = (which == "a") == (layout == "row");
            if t.bits < 8 && !along {
                continue;
            }
            let name = format!(
                "wmma.load.{which}.sync.aligned.{layout}.{}.shared.{}",
                shape_name(shape),
                t.name
            );
            let stride = if along { k } else { lines };
            load(
                forms,
                &name,
                t,
                lines * k,
                stride,
                factor_registers(lines * k, t),
            );
        }
    }
}

fn load(
    forms: &mut Vec<Form>,
    name: &str,
    t: Element,
    elements: usize,
    stride: usize,
    registers: usize,
) {
    let warps: Vec<Registers> = numbered(elements, t)
        .iter()
        .map(|elements| spread(&words(elements, t), 32))
        .collect();
    let held = warps[0].len();
    let (operands, _) = widths(held, 0, false);
    let (_, results) = widths(0, registers, t == F64);
    let body = memory(held * 128)
        + &put(held)
        + &format!("{name} {}, [own], {stride};\n}}", braces("d", 0, registers));
    let form = Form::new(name, &operands, &results).body(body);
    forms.push(feed(form, &warps));
}

fn addends(forms: &mut Vec<Form>, t: Element, shape: [usize; 3]) {
    let [m, n, _] = shape;
    let registers = count(m * n, t, true);
    for layout in LAYOUTS {
        let stride = if layout == "row" { n } else { m };
        let end = format!("{layout}.{}", shape_name(shape));
        let name = format!("wmma.load.c.sync.aligned.{end}.shared.{}", t.name);
        load(forms, &name, t, m * n, stride, registers);

        let name = format!("wmma.store.d.sync.aligned.{end}.shared.{}", t.name);
        let held = m * n * t.bits as usize / 1024;
        let (operands, _) = widths(registers, 0, t == F64);
        let (_, results) = widths(0, held, false);
        let mut body = memory(held * 128)
            + &format!("{name} [own], {}, {stride};\n", braces("a", 0, registers))
            + "bar.warp.sync 0xffffffff;\n";
        for word in 0..held {
            body += &format!("ld.shared.b32 %d{word}, [at+{}];\n", word * 128);
        }
        let form = Form::new(&name, &operands, &results).body(body + "}");
        let numbers: Vec<u64> = (0..(registers * 32) as u64)
            .map(|i| {
                if t == F16 {
                    (2 * i) | (2 * i + 1) << 16
                } else {
                    i
                }
            })
            .collect();
        forms.push(feed(form, &[spread(&numbers, 32)]));
    }
}

fn products(forms: &mut Vec<Form>, t: Element, shape: [usize; 3]) {
    let pairs: &[(Element, Element)] = match t {
        F16 => &[(F16, F16), (F32, F32), (F16, F32), (F32, F16)],
        BF16 | TF32 => &[(F32, F32)],
        F64 => &[(F64, F64)],
        _ => &[(S32, S32)],
    };
    let ends: &[&str] = match t {
        F64 => &["", ".rn", ".rz", ".rm", ".rp"],
        B1 => &[".xor.popc", ".and.popc"],
        S8 | U8 | S4 | U4 => &["", ".satfinite"],
        _ => &[""],
    };
    for (i, &(c, d)) in pairs.iter().enumerate() {
        for (j, end) in ends.iter().enumerate() {
            // Every layout is used, with some types.
            let layout = |bit: usize| LAYOUTS[(i + j + shape[0] / 16) >> bit & 1];
            let layouts = match t.bits {
                ..8 => ["row", "col"],
                _ => [layout(0), layout(1)],
            };
            product(forms, t, shape, [c, d], end, layouts);
        }
    }
}

fn product(
    forms: &mut Vec<Form>,
    t: Element,
    shape: [usize; 3],
    [c, d]: [Element; 2],
    end: &str,
    [la, lb]: [&str; 2],
) {
    let ([m, n, k], s) = (shape, shape_name(shape));
    let types = match t {
        F16 => format!("{}.{}", d.name, c.name),
        _ => format!("{}.{1}.{1}.{2}", d.name, t.name, c.name),
    };
    let name = match t {
        B1 => format!("wmma.mma{end}.sync.aligned.{la}.{lb}.{s}.{types}"),
        F64 => format!("wmma.mma.sync.aligned.{la}.{lb}.{s}{end}.{types}"),
        _ => format!("wmma.mma.sync.aligned.{la}.{lb}.{s}.{types}{end}"),
    };
    let bytes = |elements: usize, t: Element| elements * t.bits as usize / 8;
    let (of_a, of_b, of_c) = (bytes(m * k, t), bytes(n * k, t), bytes(m * n, c));
    let held = (of_a + of_b + of_c) / 128;
    let out = bytes(m * n, d) / 128;
    let (na, nb) = (factor_registers(m * k, t), factor_registers(n * k, t));
    let (nc, nd) = (count(m * n, c, true), count(m * n, d, true));
    let ty = if t == F64 { "b64" } else { "b32" };
    let list = |prefix: &str, count: usize| braces(prefix, 0, count).replace('%', "");
    let mut body = memory((of_a + of_b + of_c).max(out * 128));
    body += &put(held);
    body += &format!(
        ".reg .{ty} a<{na}>, b<{nb}>, c<{nc}>, d<{nd}>;\n.reg .b64 wide;\n\
         wmma.load.a.sync.aligned.{la}.{s}.shared.{} {}, [own], {};\n\
         wmma.load.b.sync.aligned.{lb}.{s}.shared.{} {}, [own+{of_a}], {};\n",
        t.name,
        list("a", na),
        if la == "row" { k } else { m },
        t.name,
        list("b", nb),
        if lb == "col" { k } else { n },
    );
    // This load uses a generic address.
    body += &format!(
        "cvt.u64.u32 wide, own;\ncvta.shared.u64 wide, wide;\n\
         wmma.load.c.sync.aligned.row.{s}.{} {}, [wide+{}], {n};\n\
         {name} {}, {}, {}, {};\n\
         bar.warp.sync 0xffffffff;\n\
         wmma.store.d.sync.aligned.row.{s}.shared.{} [own], {}, {n};\n\
         bar.warp.sync 0xffffffff;\n",
        c.name,
        list("c", nc),
        of_a + of_b,
        list("d", nd),
        list("a", na),
        list("b", nb),
        list("c", nc),
        d.name,
        list("d", nd),
    );
    for word in 0..out {
        body += &format!("ld.shared.b32 %d{word}, [at+{}];\n", word * 128);
    }
    let (operands, results) = widths(held, out, false);
    let form = Form::new(&name, &operands, &results).body(body + "}");
    let mut random = Random::from_name(&name);
    let warps = (0..if t.float() { 4 } else { 2 }).map(|_| {
        let [a, b, c_lines] = matrices(&mut random, [m, n, k, k], [t, t, c]);
        // By rows or by columns.
        let flat = |lines: &Matrix, along: bool| -> Vec<u64> {
            let length = lines[0].len();
            let across = (0..length).flat_map(|i| lines.iter().map(move |line| line[i]));
            match along {
                true => lines.concat(),
                false => across.collect(),
            }
        };
        let mut all = words(&flat(&a, la == "row"), t);
        all.extend(words(&flat(&b, lb == "col"), t));
        all.extend(words(&c_lines.concat(), c));
        spread(&all, 32)
    });
    let warps: Vec<_> = warps.collect();
    forms.push(feed(form, &warps));
}
