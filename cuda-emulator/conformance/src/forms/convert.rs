//! `cvt` between all types, `cvt.pack`, and the narrow floats.

use super::Type;
use crate::form::Form;
use crate::operand::{Operand::*, Width::*};

const INTEGERS: [Type; 8] = [
    Type("u8", I8),
    Type("s8", I8),
    Type("u16", I16),
    Type("s16", I16),
    Type("u32", I32),
    Type("s32", I32),
    Type("u64", I64),
    Type("s64", I64),
];
const FLOATS: [Type; 4] = [
    Type("f16", F16),
    Type("bf16", Bf16),
    Type("f32", F32),
    Type("f64", F64),
];
const ROUNDINGS: [&str; 4] = ["rn", "rz", "rm", "rp"];
const INTEGER_ROUNDINGS: [&str; 4] = ["rni", "rzi", "rmi", "rpi"];

pub fn add(forms: &mut Vec<Form>) {
    for to in INTEGERS {
        for from in INTEGERS {
            push(forms, format!("cvt.{}.{}", to.0, from.0), to, from);
            if loses(from.0, to.0) {
                push(forms, format!("cvt.sat.{}.{}", to.0, from.0), to, from);
            }
        }
        for from in FLOATS {
            if lacks(to, from) {
                continue;
            }
            for rounding in INTEGER_ROUNDINGS {
                push(
                    forms,
                    format!("cvt.{rounding}.{}.{}", to.0, from.0),
                    to,
                    from,
                );
            }
            if from.0 != "bf16" {
                push(forms, format!("cvt.rzi.sat.{}.{}", to.0, from.0), to, from);
            }
            if from.0 == "f32" {
                push(forms, format!("cvt.rni.ftz.{}.f32", to.0), to, from);
                push(forms, format!("cvt.rpi.ftz.sat.{}.f32", to.0), to, from);
            }
        }
    }
    for to in FLOATS {
        for from in INTEGERS {
            if lacks(from, to) {
                continue;
            }
            for rounding in ROUNDINGS {
                push(
                    forms,
                    format!("cvt.{rounding}.{}.{}", to.0, from.0),
                    to,
                    from,
                );
            }
            if to.0 != "bf16" {
                push(forms, format!("cvt.rn.sat.{}.{}", to.0, from.0), to, from);
            }
        }
    }
    between_floats(forms);
    packed(forms);
}

/// Returns whether the other integer type cannot represent all values of the first. `.sat` exists
/// only in this case.
fn loses(from: &str, to: &str) -> bool {
    let bits = |t: &str| t[1..].parse::<u32>().unwrap_or(0);
    match (from.starts_with('s'), to.starts_with('s')) {
        (true, false) => true,
        (false, true) => bits(to) <= bits(from),
        _ => bits(to) < bits(from),
    }
}

/// Returns whether PTX lacks this conversion, as between 8-bit integers and bfloat16.
fn lacks(integer: Type, float: Type) -> bool {
    integer.1 == I8 && float.1 == Bf16
}

fn push(forms: &mut Vec<Form>, name: String, to: Type, from: Type) {
    forms.push(Form::new(name, &[from.1], &[to.width()]).in_programs());
}

fn between_floats(forms: &mut Vec<Form>) {
    let [f16, bf16, f32, f64] = FLOATS;
    for (to, from) in [
        (f16, f32),
        (f16, f64),
        (bf16, f32),
        (f32, f64),
        (bf16, f16),
        (f16, bf16),
        (bf16, f64),
    ] {
        for rounding in ROUNDINGS {
            let names = (to.0, from.0);
            push(
                forms,
                format!("cvt.{rounding}.{}.{}", names.0, names.1),
                to,
                from,
            );
        }
    }
    for rounding in ["rn", "rz"] {
        for (to, from) in [(f16, f32), (bf16, f32)] {
            push(forms, format!("cvt.{rounding}.relu.{}.f32", to.0), to, from);
        }
    }
    for (to, from) in [
        (f32, f16),
        (f32, bf16),
        (f64, f16),
        (f64, bf16),
        (f64, f32),
        (f16, f16),
        (f32, f32),
        (f64, f64),
    ] {
        push(forms, format!("cvt.{}.{}", to.0, from.0), to, from);
        if from.0 != "bf16" {
            push(forms, format!("cvt.sat.{}.{}", to.0, from.0), to, from);
        }
    }
    for (name, to, from) in [
        ("cvt.ftz.f32.f16", f32, f16),
        ("cvt.ftz.f32.f32", f32, f32),
        ("cvt.ftz.sat.f32.f32", f32, f32),
        ("cvt.ftz.f64.f32", f64, f32),
        ("cvt.rn.ftz.f32.f64", f32, f64),
        ("cvt.rz.ftz.f32.f64", f32, f64),
        ("cvt.rn.sat.f32.f64", f32, f64),
        ("cvt.rn.ftz.f16.f32", f16, f32),
        ("cvt.rn.sat.f16.f32", f16, f32),
        ("cvt.rn.ftz.sat.f16.f32", f16, f32),
        ("cvt.rn.sat.f16.f64", f16, f64),
    ] {
        push(forms, name.into(), to, from);
    }
    for t in [f16, bf16, f32, f64] {
        for rounding in INTEGER_ROUNDINGS {
            let name = format!("cvt.{rounding}.{}.{}", t.0, t.0);
            push(forms, name, t, t);
        }
    }
    for rounding in INTEGER_ROUNDINGS {
        push(forms, format!("cvt.{rounding}.ftz.f32.f32"), f32, f32);
        push(forms, format!("cvt.{rounding}.sat.f32.f32"), f32, f32);
    }
    forms.push(Form::new("cvt.rna.tf32.f32", &[F32], &[B32]));
    for mode in ["rn", "rz", "rn.relu", "rz.relu"] {
        let form = Form::new(format!("cvt.{mode}.tf32.f32"), &[F32], &[B32]);
        forms.push(form.optional());
    }
}

fn packed(forms: &mut Vec<Form>) {
    for to in ["f16x2", "bf16x2"] {
        for rounding in ["rn", "rz"] {
            for relu in ["", ".relu"] {
                let name = format!("cvt.{rounding}{relu}.{to}.f32");
                forms.push(Form::new(name, &[F32; 2], &[B32]).in_programs());
            }
        }
    }
    for to in ["u16", "s16"] {
        forms.push(Form::new(format!("cvt.pack.sat.{to}.s32"), &[I32; 2], &[B32]).in_programs());
    }
    for to in ["u8", "s8", "u4", "s4", "u2", "s2"] {
        let name = format!("cvt.pack.sat.{to}.s32.b32");
        let optional = !to.ends_with('8');
        let form = Form::new(name, &[I32; 3], &[B32]);
        forms.push(if optional {
            form.optional()
        } else {
            form.in_programs()
        });
    }
    for narrow in ["e4m3x2", "e5m2x2"] {
        for relu in ["", ".relu"] {
            let name = format!("cvt.rn.satfinite{relu}.{narrow}.f32");
            forms.push(Form::new(name, &[F32; 2], &[B16]));
            let name = format!("cvt.rn.satfinite{relu}.{narrow}.f16x2");
            forms.push(Form::new(name, &[F16x2], &[B16]));
            let name = format!("cvt.rn{relu}.f16x2.{narrow}");
            forms.push(Form::new(name, &[F8x2], &[B32]));
        }
    }
}
