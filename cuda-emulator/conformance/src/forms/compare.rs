//! `setp` and `set`.

use super::{BITS, INTEGERS, Type, types};
use crate::form::Form;
use crate::operand::{
    Operand::{self, *},
    Width::{self, *},
};

const ORDERED: [&str; 6] = ["eq", "ne", "lt", "le", "gt", "ge"];
const UNSIGNED: [&str; 4] = ["lo", "ls", "hi", "hs"];
const FLOAT: [&str; 14] = [
    "eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan",
];
const BOOLEAN: [&str; 3] = ["and", "or", "xor"];

pub fn add(forms: &mut Vec<Form>) {
    for t in types(BITS) {
        for op in ["eq", "ne"] {
            setp(forms, op, t.0, t.1);
        }
    }
    for t in types(INTEGERS) {
        for op in ORDERED {
            setp(forms, op, t.0, t.1);
        }
        if t.0.starts_with('u') {
            for op in UNSIGNED {
                setp(forms, op, t.0, t.1);
            }
        }
        combined(forms, "gt", t.0, t.1);
        if t.width() == B32 {
            set(forms, "le", t.0, t.1);
        }
    }
    for op in FLOAT {
        for t in ["f32", "ftz.f32"] {
            setp(forms, op, t, F32);
            set(forms, op, t, F32);
        }
        setp(forms, op, "f64", F64);
        for t in ["f16", "ftz.f16"] {
            setp(forms, op, t, F16);
        }
        setp(forms, op, "bf16", Bf16);
        for Type(t, operand) in types("f16x2 ftz.f16x2 bf16x2") {
            let form = Form::new(format!("setp.{op}.{t}"), &[operand; 2], &[Width::Pred; 2]);
            let body = format!("setp.{op}.{t} %d0|%d1, %a0, %a1;");
            forms.push(form.body(body).in_programs());
        }
        // The result's size, the modifiers and result, and the sources.
        for (width, to, from) in [
            (B16, "f16", "f16"),
            (B16, "ftz.f16", "f16"),
            (B16, "u16", "f16"),
            (B32, "s32", "f16"),
            (B32, "f16x2", "f16x2"),
            (B32, "ftz.f16x2", "f16x2"),
            (B16, "bf16", "bf16"),
            (B32, "bf16x2", "bf16x2"),
        ] {
            for Type(from, operand) in types(from) {
                let form = Form::new(format!("set.{op}.{to}.{from}"), &[operand; 2], &[width]);
                forms.push(form.in_programs());
            }
        }
    }
    for Type(t, operand) in types("f32 ftz.f32 f64 f16") {
        combined(forms, "ltu", t, operand);
    }
    set(forms, "geu", "f64", F64);
    set(forms, "lt", "u16", I16);
    set(forms, "ge", "s64", I64);
    for boolean in BOOLEAN {
        let form = Form::new(
            format!("set.gt.{boolean}.u32.s32"),
            &[I32, I32, Truth],
            &[B32],
        );
        forms.push(form.in_programs());
        let form = Form::new(
            format!("set.gt.{boolean}.f32.f32 !c"),
            &[F32, F32, Truth],
            &[B32],
        );
        let body = format!("set.gt.{boolean}.f32.f32 %d0, %a0, %a1, !%a2;");
        forms.push(form.body(body).in_programs());
    }
}

fn setp(forms: &mut Vec<Form>, op: &str, t: &str, operand: Operand) {
    let form = Form::new(format!("setp.{op}.{t}"), &[operand; 2], &[Width::Pred]);
    forms.push(form.in_programs());
}

/// Adds comparisons that are combined with a third predicate, plain and negated, and have one or
/// two results.
fn combined(forms: &mut Vec<Form>, op: &str, t: &str, operand: Operand) {
    let operands = [operand, operand, Truth];
    for boolean in BOOLEAN {
        for not in ["", "!"] {
            // A comparison of single f16 numbers has one result.
            let (names, q) = if t == "f16" {
                ("p", "")
            } else {
                ("p|q", "|%d1")
            };
            let results = vec![Width::Pred; names.len().div_ceil(2)];
            let name = format!("setp.{op}.{boolean}.{t} {names} {not}c");
            let form = Form::new(name, &operands, &results);
            let body = format!("setp.{op}.{boolean}.{t} %d0{q}, %a0, %a1, {not}%a2;");
            forms.push(form.body(body).in_programs());
        }
    }
}

fn set(forms: &mut Vec<Form>, op: &str, t: &str, operand: Operand) {
    let (ftz, t) = t.strip_prefix("ftz.").map_or(("", t), |t| (".ftz", t));
    for to in ["u32", "s32", "f32"] {
        let name = format!("set.{op}{ftz}.{to}.{t}");
        forms.push(Form::new(name, &[operand; 2], &[B32]).in_programs());
    }
}
