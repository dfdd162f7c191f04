//! Single and double precision, for instructions that PTX defines exactly.

use crate::form::Form;
use crate::operand::{
    Operand::{self, *},
    Width::{self, *},
};

const ROUNDINGS: [&str; 4] = [".rn", ".rz", ".rm", ".rp"];

pub fn add(forms: &mut Vec<Form>) {
    for ftz in ["", ".ftz"] {
        for sat in ["", ".sat"] {
            for rounding in ROUNDINGS {
                let suffix = format!("{rounding}{ftz}{sat}.f32");
                arithmetic(forms, &suffix, F32, &["add", "sub", "mul"], &["fma"]);
            }
            for op in ["add", "sub", "mul"] {
                forms.push(Form::new(format!("{op}{ftz}{sat}.f32"), &[F32; 2], &[B32]));
            }
        }
        let suffix = format!(".rn{ftz}.f32");
        arithmetic(forms, &suffix, F32, &[], &["mad"]);
        for rounding in ROUNDINGS {
            let suffix = format!("{rounding}{ftz}.f32");
            arithmetic(forms, &suffix, F32, &["div"], &[]);
            unary(forms, &suffix, F32, &["rcp", "sqrt"]);
        }
        signs(forms, &format!("{ftz}.f32"), F32);
        for op in ["min", "max"] {
            for nan in ["", ".NaN"] {
                for xorsign in ["", ".xorsign.abs"] {
                    let name = format!("{op}{ftz}{nan}{xorsign}.f32");
                    forms.push(Form::new(name, &[F32; 2], &[B32]).in_programs());
                }
            }
        }
    }
    for rounding in ROUNDINGS {
        let suffix = format!("{rounding}.f64");
        arithmetic(
            forms,
            &suffix,
            F64,
            &["add", "sub", "mul", "div"],
            &["fma", "mad"],
        );
        unary(forms, &suffix, F64, &["rcp", "sqrt"]);
    }
    for op in ["add", "sub", "mul"] {
        forms.push(Form::new(format!("{op}.f64"), &[F64; 2], &[B64]));
    }
    signs(forms, ".f64", F64);
    for op in ["min", "max"] {
        forms.push(Form::new(format!("{op}.f64"), &[F64; 2], &[B64]).in_programs());
    }
    for (t, operand) in [("f32", F32), ("f64", F64)] {
        let width = operand.width();
        forms.push(Form::new(format!("copysign.{t}"), &[operand; 2], &[width]).in_programs());
        forms.push(Form::new(format!("mov.{t}"), &[operand], &[width]).in_programs());
        for class in [
            "finite",
            "infinite",
            "number",
            "notanumber",
            "normal",
            "subnormal",
        ] {
            let form = Form::new(format!("testp.{class}.{t}"), &[operand], &[Width::Pred]);
            forms.push(form.in_programs());
        }
    }
}

fn arithmetic(forms: &mut Vec<Form>, suffix: &str, t: Operand, two: &[&str], three: &[&str]) {
    for op in two {
        let form = Form::new(format!("{op}{suffix}"), &[t; 2], &[t.width()]);
        forms.push(form.blocks(6).in_programs());
    }
    for op in three {
        let form = Form::new(format!("{op}{suffix}"), &[t; 3], &[t.width()]);
        forms.push(form.blocks(10).in_programs());
    }
}

fn unary(forms: &mut Vec<Form>, suffix: &str, t: Operand, ops: &[&str]) {
    for op in ops {
        let form = Form::new(format!("{op}{suffix}"), &[t], &[t.width()]);
        forms.push(form.blocks(5).in_programs());
    }
}

/// Adds `neg` and `abs`. They are not used in random programs, because they treat NaNs and
/// subnormals differently if the assembler turns them into operand modifiers of another
/// instruction.
fn signs(forms: &mut Vec<Form>, suffix: &str, t: Operand) {
    for op in ["abs", "neg"] {
        forms.push(Form::new(format!("{op}{suffix}"), &[t], &[t.width()]));
    }
}
