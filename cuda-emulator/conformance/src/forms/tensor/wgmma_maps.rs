//! The addresses in `wgmma` descriptors. Every element of shared memory contains its index. One
//! block gives the lower eight bits of the result, and the next one the others. One factor selects
//! rows of the other.

use super::layout::group_factor;
use super::numbers::*;
use super::wgmma::{descriptor, parts, tail};
use super::{braces, feed, spread};
use crate::form::Form;
use crate::operand::{Operand::I32, Width::B32};

/// Size of shared memory in bytes.
const SIZE: usize = 47 << 10;
/// The address of the other factor, if it is in memory.
const PICKER: u64 = (SIZE - 1024) as u64;

/// Start, leading and stride offset in bytes, kind of swizzle, base offset.
type Place = [u64; 5];

const ALONG: [Place; 24] = [
    [0, 128, 256, 0, 0],
    [0, 2048, 128, 0, 0],
    [1024, 256, 2048, 0, 0],
    [4112, 512, 1280, 0, 0],
    [0, 16, 1024, 1, 0],
    [32, 16, 1024, 1, 0],
    [64, 0, 1024, 1, 0],
    [96, 4096, 1024, 1, 0],
    [2048, 16, 2048, 1, 0],
    [128, 16, 1024, 1, 0],
    [288, 16, 1024, 1, 0],
    [128, 16, 1024, 1, 1],
    [512, 16, 1024, 1, 4],
    [16, 16, 1024, 1, 0],
    [0, 16, 1536, 1, 0],
    [0, 16, 512, 2, 0],
    [32, 16, 512, 2, 0],
    [1024, 16, 1024, 2, 0],
    [128, 16, 512, 2, 0],
    [256, 16, 512, 2, 1],
    [0, 16, 256, 3, 0],
    [512, 16, 1024, 3, 0],
    [128, 16, 256, 3, 0],
    [64, 16, 256, 3, 0],
];

/// For transposed matrices.
const ACROSS: [Place; 18] = [
    [0, 128, 256, 0, 0],
    [0, 2048, 128, 0, 0],
    [0, 128, 2048, 0, 0],
    [4112, 512, 1280, 0, 0],
    [0, 4096, 1024, 1, 0],
    [0, 1024, 4096, 1, 0],
    [0, 2048, 1024, 1, 0],
    [2048, 8192, 2048, 1, 0],
    [1024, 1024, 2048, 1, 0],
    [128, 2048, 1024, 1, 0],
    [256, 4096, 1024, 1, 2],
    [0, 2048, 512, 2, 0],
    [0, 512, 2048, 2, 0],
    [1024, 1024, 4096, 2, 0],
    [64, 2048, 512, 2, 0],
    [0, 1024, 256, 3, 0],
    [0, 256, 1024, 3, 0],
    [512, 512, 2048, 3, 0],
];

pub fn add(forms: &mut Vec<Form>) {
    let along = [F16, TF32, U8]
        .into_iter()
        .flat_map(|t| ALONG.map(|place| (t, 0, place)));
    let across = ACROSS.map(|place| (F16, 1, place));
    for (t, transposed, place) in along.chain(across) {
        forms.push(right(t, transposed, place));
        forms.push(left(t, transposed, place));
    }
}

fn described([start, leading, stride, swizzle, base]: Place) -> u64 {
    descriptor(start, leading, stride) | base << 49 | swizzle << 62
}

fn form(which: &str, t: Element, transposed: u32, place: Place) -> String {
    let [start, leading, stride, swizzle, base] = place;
    format!(
        "wgmma {which} {} transposed {transposed} start {start} leading {leading} stride {stride} swizzle {swizzle} base {base}",
        t.name
    )
}

/// Fills shared memory, and zeros `%d0`, …. `own` is a descriptor of the start of the memory.
fn filled(t: Element, results: usize) -> String {
    let mut text = format!(
        "{{\n.shared .align 1024 .b8 memory[{SIZE}];\n.reg .b64 own, da, db;\n.reg .b32 at, n, v, shift;\n.reg .pred p;\n\
         .reg .b16 lo, hi;\n\
         mov.u32 at, memory;\nshr.u32 v, at, 4;\ncvt.u64.u32 own, v;\nmad.lo.u32 at, %y, 4, at;\n\
         mov.u32 shift, %ctaid.x;\nshl.b32 shift, shift, 3;\nmov.u32 n, %y;\n\
         FILL: setp.ge.u32 p, n, {};\n@p bra FILLED;\n",
        SIZE / 4
    );
    // Word `n` as elements.
    let number = |i: u32, each: u32| {
        format!("mad.lo.u32 %x, n, {each}, {i};\nshr.u32 %x, %x, shift;\nand.b32 %x, %x, 255;\n")
    };
    match t {
        F16 => {
            for (i, half) in ["lo", "hi"].iter().enumerate() {
                text += &number(i as u32, 2);
                text += &format!("cvt.rn.f16.u32 {half}, %x;\n");
            }
            text += "mov.b32 v, {lo, hi};\n";
        }
        TF32 => {
            text += &number(0, 1);
            text += "cvt.rn.f32.u32 v, %x;\n";
        }
        _ => {
            text += "mov.u32 v, 0;\n";
            for i in 0..4 {
                text += &number(i, 4);
                text += &format!("shl.b32 %x, %x, {};\nor.b32 v, v, %x;\n", 8 * i);
            }
        }
    }
    text += "st.shared.b32 [at], v;\nadd.u32 at, at, 512;\nadd.u32 n, n, 128;\nbra FILL;\nFILLED:\nbar.sync 0;\n";
    for i in 0..results {
        text += &format!("mov.b32 %d{i}, 0;\n");
    }
    text
}

fn one(t: Element) -> u64 {
    match t {
        F16 => 0x3c00,
        TF32 => 0x3f80_0000,
        _ => 1,
    }
}

/// Returns lines with a single one each.
fn picking(lines: usize, k: usize, t: Element) -> Matrix {
    let line = |i: usize| {
        let element = |j: usize| if j == i % k { one(t) } else { 0 };
        (0..k).map(element).collect()
    };
    (0..lines).map(line).collect()
}

fn product(t: Element, [n, k]: [usize; 2], operands: &str) -> String {
    let d = if t == U8 { "s32" } else { "f32" };
    let results = n / 2;
    format!(
        "fence.proxy.async;\nbar.sync 0;\nsetp.lt.u32 p, %i, 0;\nwgmma.fence.sync.aligned;\n\
         wgmma.mma_async.sync.aligned.m64n{n}k{k}.{d}.{0}.{0} {1}, {operands};\n\
         wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n}}",
        t.name,
        braces("d", 0, results)
    )
}

/// The second factor. Line `i` of the first selects row `i` modulo the number of rows.
fn right(t: Element, transposed: u32, place: Place) -> Form {
    let k = 256 / t.bits as usize;
    let n = 64;
    let mut text = filled(t, n / 2);
    text += &format!("add.u64 db, own, {:#x};\n", described(place));
    let operands = format!(
        "{}, db, p{}",
        braces("a", 0, 4),
        tail(t, [1, 1], &[transposed])
    );
    text += &product(t, [n, k], &operands);
    let picker = group_factor(&picking(64, k, t), t);
    let name = form("b", t, transposed, place);
    let form = Form::new(name, &[I32; 4], &vec![B32; n / 2]).body(text);
    feed(form.target("sm_90a"), &[picker.clone(), picker])
}

/// The first factor. Column `j` of the second selects column `j`.
fn left(t: Element, transposed: u32, place: Place) -> Form {
    let k = 256 / t.bits as usize;
    let picker = spread(&parts(&picking(k, k, t), t), 128);
    let mut text = filled(t, k / 2);
    text += "mov.u32 at, memory;\nmad.lo.u32 at, %y, 4, at;\n";
    for word in 0..picker.len() {
        // If the matrix is small, the last words are beyond it.
        let last = k * 8 - word * 128;
        text += &format!(
            "setp.lt.u32 p, %y, {last};\n@p st.shared.b32 [at+{}], %a{word};\n",
            PICKER as usize + 512 * word
        );
    }
    text += &format!(
        "add.u64 da, own, {:#x};\nadd.u64 db, own, {:#x};\n",
        described(place),
        descriptor(PICKER, 128, 256)
    );
    let operands = format!("da, db, p{}", tail(t, [1, 1], &[transposed, 0]));
    text += &product(t, [k, k], &operands);
    let name = form("a", t, transposed, place);
    let operands = vec![I32; picker.len()];
    let form = Form::new(name, &operands, &vec![B32; k / 2]).body(text);
    feed(form.target("sm_90a"), &[picker.clone(), picker])
}
