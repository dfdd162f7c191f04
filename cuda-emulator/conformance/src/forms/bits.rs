//! Logic, shifts, bit fields, permutes and selection.

use super::{BITS, INTEGERS};
use crate::form::Form;
use crate::operand::{
    Operand::{self, *},
    Width::{self, *},
};

pub fn add(forms: &mut Vec<Form>) {
    logic(forms);
    shifts(forms);
    fields(forms);
    selection(forms);
}

fn logic(forms: &mut Vec<Form>) {
    for t in BITS {
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
    let pack = [
        (
            "mov.b32 {b16, b16}",
            vec![I16, I16],
            vec![B32],
            "mov.b32 %d0, {%a0, %a1};",
        ),
        (
            "mov.b64 {b32, b32}",
            vec![I32, I32],
            vec![B64],
            "mov.b64 %d0, {%a0, %a1};",
        ),
        (
            "mov.b64 {4 b16}",
            vec![I16; 4],
            vec![B64],
            "mov.b64 %d0, {%a0, %a1, %a2, %a3};",
        ),
        (
            "mov {b16, b16} b32",
            vec![I32],
            vec![B16; 2],
            "mov.b32 {%d0, %d1}, %a0;",
        ),
        (
            "mov {b32, b32} b64",
            vec![I64],
            vec![B32; 2],
            "mov.b64 {%d0, %d1}, %a0;",
        ),
        (
            "mov {4 b16} b64",
            vec![I64],
            vec![B16; 4],
            "mov.b64 {%d0, %d1, %d2, %d3}, %a0;",
        ),
    ];
    for (name, operands, results, body) in pack {
        forms.push(
            Form::new(name, &operands, &results)
                .body(body)
                .in_programs(),
        );
    }
}

fn shifts(forms: &mut Vec<Form>) {
    for t in BITS {
        let form = Form::new(format!("shl.{}", t.0), &[t.1, Count], &[t.width()]);
        forms.push(form.in_programs());
        let form = Form::new(format!("shr.{}", t.0), &[t.1, Count], &[t.width()]);
        forms.push(form.in_programs());
    }
    for t in INTEGERS {
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
    for (t, operand) in [("b32", I32), ("b64", I64)] {
        let width = operand.width();
        for op in ["popc", "clz"] {
            forms.push(Form::new(format!("{op}.{t}"), &[operand], &[B32]).in_programs());
        }
        forms.push(Form::new(format!("brev.{t}"), &[operand], &[width]).in_programs());
        let operands = [operand, operand, Count, Count];
        forms.push(
            Form::new(format!("bfi.{t}"), &operands, &[width])
                .blocks(8)
                .in_programs(),
        );
    }
    for (t, operand) in [("u32", I32), ("s32", I32), ("u64", I64), ("s64", I64)] {
        let width = operand.width();
        for shift in ["", ".shiftamt"] {
            forms.push(Form::new(format!("bfind{shift}.{t}"), &[operand], &[B32]).in_programs());
        }
        let operands = [operand, Count, Count];
        forms.push(
            Form::new(format!("bfe.{t}"), &operands, &[width])
                .blocks(8)
                .in_programs(),
        );
    }
    for mode in ["clamp", "wrap"] {
        forms.push(Form::new(format!("bmsk.{mode}.b32"), &[Count, Count], &[B32]).in_programs());
        for t in ["u32", "s32"] {
            let name = format!("szext.{mode}.{t}");
            forms.push(Form::new(name, &[I32, Count], &[B32]).in_programs());
        }
    }
    let offsets: &[u32] = &[
        0,
        1,
        0xffff_ffff,
        2,
        0xffff_fffe,
        16,
        0xffff_fff0,
        31,
        32,
        0xffff_ffe0,
        33,
        5,
    ];
    let base: &[u32] = &[0, 31, 5, 16, 1, 30];
    let form = Form::new("fns.b32", &[I32, OneOf(base), OneOf(offsets)], &[B32]);
    forms.push(form.blocks(8));
}

fn selection(forms: &mut Vec<Form>) {
    let all: [(&str, Operand); 11] = [
        ("b16", I16),
        ("u16", I16),
        ("s16", I16),
        ("b32", I32),
        ("u32", I32),
        ("s32", I32),
        ("b64", I64),
        ("u64", I64),
        ("s64", I64),
        ("f32", F32),
        ("f64", F64),
    ];
    for (t, operand) in all {
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
