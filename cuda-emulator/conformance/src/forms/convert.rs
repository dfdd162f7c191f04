//! `cvt` between all types, `cvt.pack`, and the narrow floats.

use super::{Type, types};
use crate::form::Form;
use crate::operand::{Operand::*, Width::*};

const INTEGERS: &str = "u8 s8 u16 s16 u32 s32 u64 s64";
const FLOATS: &str = "f16 bf16 f32 f64";
const ROUNDINGS: [&str; 4] = ["rn.", "rz.", "rm.", "rp."];
const INTEGER_ROUNDINGS: [&str; 4] = ["rni.", "rzi.", "rmi.", "rpi."];

pub fn add(forms: &mut Vec<Form>) {
    for to in types(INTEGERS) {
        for from in types(INTEGERS) {
            cvt(forms, "", to, from);
            if loses(from.0, to.0) {
                cvt(forms, "sat.", to, from);
            }
        }
        for from in types(FLOATS).filter(|from| !lacks(to, *from)) {
            for rounding in INTEGER_ROUNDINGS {
                cvt(forms, rounding, to, from);
            }
            if from.0 != "bf16" {
                cvt(forms, "rzi.sat.", to, from);
            }
            if from.0 == "f32" {
                cvt(forms, "rni.ftz.", to, from);
                cvt(forms, "rpi.ftz.sat.", to, from);
            }
        }
    }
    for to in types(FLOATS) {
        for from in types(INTEGERS).filter(|from| !lacks(*from, to)) {
            for rounding in ROUNDINGS {
                cvt(forms, rounding, to, from);
            }
            if to.0 != "bf16" {
                cvt(forms, "rn.sat.", to, from);
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

/// Adds a conversion with these modifiers.
fn cvt(forms: &mut Vec<Form>, modifiers: &str, to: Type, from: Type) {
    let name = format!("cvt.{modifiers}{}.{}", to.0, from.0);
    forms.push(Form::new(name, &[from.1], &[to.width()]).in_programs());
}

/// Adds conversions of a list, such as `rn.f16.f32`.
fn listed(forms: &mut Vec<Form>, names: &'static str) {
    for from in types(names) {
        let (rest, _) = from.0.rsplit_once('.').unwrap_or_default();
        let to = Type::at_end(rest).width();
        let name = format!("cvt.{}", from.0);
        forms.push(Form::new(name, &[from.1], &[to]).in_programs());
    }
}

fn between_floats(forms: &mut Vec<Form>) {
    for pair in "f16.f32 f16.f64 bf16.f32 f32.f64 bf16.f16 f16.bf16 bf16.f64".split(' ') {
        let (to, from) = pair.split_once('.').unwrap_or_default();
        for rounding in ROUNDINGS {
            cvt(forms, rounding, Type::at_end(to), Type::at_end(from));
        }
    }
    listed(
        forms,
        "rn.relu.f16.f32 rn.relu.bf16.f32 rz.relu.f16.f32 rz.relu.bf16.f32",
    );
    listed(
        forms,
        "f32.f16 sat.f32.f16 f32.bf16 f64.f16 sat.f64.f16 f64.bf16 f64.f32 sat.f64.f32 \
         f16.f16 sat.f16.f16 f32.f32 sat.f32.f32 f64.f64 sat.f64.f64",
    );
    listed(
        forms,
        "ftz.f32.f16 ftz.f32.f32 ftz.sat.f32.f32 ftz.f64.f32 rn.ftz.f32.f64 rz.ftz.f32.f64 \
         rn.sat.f32.f64 rn.ftz.f16.f32 rn.sat.f16.f32 rn.ftz.sat.f16.f32 rn.sat.f16.f64",
    );
    for t in types(FLOATS) {
        for rounding in INTEGER_ROUNDINGS {
            cvt(forms, rounding, t, t);
        }
    }
    listed(
        forms,
        "rni.ftz.f32.f32 rni.sat.f32.f32 rzi.ftz.f32.f32 rzi.sat.f32.f32 \
         rmi.ftz.f32.f32 rmi.sat.f32.f32 rpi.ftz.f32.f32 rpi.sat.f32.f32",
    );
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
        let form = Form::new(name, &[I32; 3], &[B32]);
        forms.push(match to.ends_with('8') {
            true => form.in_programs(),
            false => form.optional(),
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
