//! Logic, shifts, bit fields, permutes and selection.

use super::{BITS, INTEGERS, Type, types};
use crate::form::Form;
use crate::operand::{
    Operand::*,
    Width::{self, *},
};

pub fn add(forms: &mut Vec<Form>) {
    logic(forms);
    shifts(forms);
    fields(forms);
    selection(forms);
}

fn logic(forms: &mut Vec<Form>) {
    for t in types(BITS) {
        let (name, width) = (t.0, t.width());
        for op in ["and", "or", "xor"] {
            forms.push(Form::new(format!("{op}.{name}"), &[t.1; 2], &[width]).in_programs());
        }
        for op in ["not", "cnot", "mov"] {
            forms.push(Form::new(format!("{op}.{name}"), &[t.1], &[width]).in_programs());
        }
    }
    for op in ["and", "or", "xor"] {
        forms.push(Form::new(format!("{op}.pred"), &[Truth; 2], &[Width::Pred]).in_programs());
    }
    for op in ["not", "mov"] {
        forms.push(Form::new(format!("{op}.pred"), &[Truth], &[Width::Pred]).in_programs());
    }
    for lut in [0x00, 0x01, 0x80, 0xfe, 0x96, 0xe8, 0xca, 0x6a, 0x1b, 0xff] {
        let form = Form::new(format!("lop3.b32 {lut:#04x}"), &[I32; 3], &[B32]);
        let body = format!("lop3.b32 %d0, %a0, %a1, %a2, {lut:#04x};");
        forms.push(form.body(body).in_programs());
    }
    for op in ["and", "or"] {
        let form = Form::new(
            format!("lop3.{op}.b32"),
            &[I32, I32, I32, Truth],
            &[B32, Width::Pred],
        );
        let body = format!("lop3.{op}.b32 %d0|%d1, %a0, %a1, %a2, 0x96, %a3;");
        forms.push(form.body(body).since(8, 2).optional());
    }
    for (name, from, to, body) in [
        (
            "mov.b32 {b16, b16}",
            &[I16; 2][..],
            &[B32][..],
            "mov.b32 %d0, {%a0, %a1};",
        ),
        (
            "mov.b64 {b32, b32}",
            &[I32; 2],
            &[B64],
            "mov.b64 %d0, {%a0, %a1};",
        ),
        (
            "mov.b64 {4 b16}",
            &[I16; 4],
            &[B64],
            "mov.b64 %d0, {%a0, %a1, %a2, %a3};",
        ),
        (
            "mov {b16, b16} b32",
            &[I32],
            &[B16; 2],
            "mov.b32 {%d0, %d1}, %a0;",
        ),
        (
            "mov {b32, b32} b64",
            &[I64],
            &[B32; 2],
            "mov.b64 {%d0, %d1}, %a0;",
        ),
        (
            "mov {4 b16} b64",
            &[I64],
            &[B16; 4],
            "mov.b64 {%d0, %d1, %d2, %d3}, %a0;",
        ),
    ] {
        forms.push(Form::new(name, from, to).body(body).in_programs());
    }
}

fn shifts(forms: &mut Vec<Form>) {
    for t in types(BITS) {
        let form = Form::new(format!("shl.{}", t.0), &[t.1, Count], &[t.width()]);
        forms.push(form.in_programs());
        let form = Form::new(format!("shr.{}", t.0), &[t.1, Count], &[t.width()]);
        forms.push(form.in_programs());
    }
    for t in types(INTEGERS) {
        let form = Form::new(format!("shr.{}", t.0), &[t.1, Count], &[t.width()]);
        forms.push(form.in_programs());
    }
    for direction in ["l", "r"] {
        for mode in ["wrap", "clamp"] {
            let name = format!("shf.{direction}.{mode}.b32");
            forms.push(Form::new(name, &[I32, I32, Count], &[B32]).in_programs());
        }
    }
    for mode in ["", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"] {
        let form = Form::new(format!("prmt.b32{mode}"), &[I32, I32, I32], &[B32]);
        forms.push(form.in_programs());
    }
    // Every selector nibble with and without sign replication.
    let selectors: &[u32] = &[
        0x3210, 0x7654, 0x0123, 0xba98, 0xfedc, 0x8f7e, 0x5410, 0x7632, 0xffff, 0x0808, 0xc4d5,
        0x12_9c51,
    ];
    let form = Form::new("prmt.b32 selectors", &[I32, I32, OneOf(selectors)], &[B32]);
    forms.push(form.body("prmt.b32 %d0, %a0, %a1, %a2;"));
}

fn fields(forms: &mut Vec<Form>) {
    for Type(t, operand) in types("b32 b64") {
        let width = operand.width();
        for op in ["popc", "clz"] {
            forms.push(Form::new(format!("{op}.{t}"), &[operand], &[B32]).in_programs());
        }
        forms.push(Form::new(format!("brev.{t}"), &[operand], &[width]).in_programs());
        let operands = [operand, operand, Count, Count];
        let form = Form::new(format!("bfi.{t}"), &operands, &[width]);
        forms.push(form.blocks(8).in_programs());
    }
    for Type(t, operand) in types("u32 s32 u64 s64") {
        let width = operand.width();
        for shift in ["", ".shiftamt"] {
            forms.push(Form::new(format!("bfind{shift}.{t}"), &[operand], &[B32]).in_programs());
        }
        let operands = [operand, Count, Count];
        let form = Form::new(format!("bfe.{t}"), &operands, &[width]);
        forms.push(form.blocks(8).in_programs());
    }
    for mode in ["clamp", "wrap"] {
        forms.push(Form::new(format!("bmsk.{mode}.b32"), &[Count, Count], &[B32]).in_programs());
        for t in ["u32", "s32"] {
            let name = format!("szext.{mode}.{t}");
            forms.push(Form::new(name, &[I32, Count], &[B32]).in_programs());
        }
    }
    let offsets: &[u32] = &[0, 1, !0, 2, !1, 16, !15, 31, 32, !31, 33, 5];
    let base: &[u32] = &[0, 31, 5, 16, 1, 30];
    let form = Form::new("fns.b32", &[I32, OneOf(base), OneOf(offsets)], &[B32]);
    forms.push(form.blocks(8));
}

fn selection(forms: &mut Vec<Form>) {
    for Type(t, operand) in types("b16 u16 s16 b32 u32 s32 b64 u64 s64 f32 f64") {
        let width = operand.width();
        let form = Form::new(format!("selp.{t}"), &[operand, operand, Truth], &[width]);
        forms.push(form.blocks(1).in_programs());
        for (by, selector) in [("s32", I32), ("f32", F32), ("ftz.f32", F32)] {
            let (ftz, by) = by.strip_prefix("ftz.").map_or(("", by), |by| (".ftz", by));
            let name = format!("slct{ftz}.{t}.{by}");
            let form = Form::new(name, &[operand, operand, selector], &[width]);
            forms.push(form.blocks(2).in_programs());
        }
    }
}
