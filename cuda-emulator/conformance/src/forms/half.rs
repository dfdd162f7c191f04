//! Half precision and bfloat16, single and in pairs.

use crate::form::Form;
use crate::operand::Operand::*;

pub fn add(forms: &mut Vec<Form>) {
    for (t, operand) in [("f16", F16), ("f16x2", F16x2)] {
        let width = operand.width();
        for ftz in ["", ".ftz"] {
            for sat in ["", ".sat"] {
                for op in ["add", "sub", "mul"] {
                    let name = format!("{op}.rn{ftz}{sat}.{t}");
                    forms.push(Form::new(name, &[operand; 2], &[width]).anywhere());
                    forms.push(Form::new(
                        format!("{op}{ftz}{sat}.{t}"),
                        &[operand; 2],
                        &[width],
                    ));
                }
            }
            for mode in ["", ".sat", ".relu"] {
                let name = format!("fma.rn{ftz}{mode}.{t}");
                forms.push(
                    Form::new(name, &[operand; 3], &[width])
                        .blocks(8)
                        .anywhere(),
                );
            }
            for op in ["min", "max"] {
                for nan in ["", ".NaN"] {
                    for xorsign in ["", ".xorsign.abs"] {
                        let name = format!("{op}{ftz}{nan}{xorsign}.{t}");
                        forms.push(Form::new(name, &[operand; 2], &[width]).anywhere());
                    }
                }
            }
            for op in ["abs", "neg"] {
                forms.push(Form::new(format!("{op}{ftz}.{t}"), &[operand], &[width]));
            }
        }
    }
    for (t, operand) in [("bf16", Bf16), ("bf16x2", Bf16x2)] {
        let width = operand.width();
        for op in ["add", "sub", "mul"] {
            let name = format!("{op}.rn.{t}");
            forms.push(Form::new(name, &[operand; 2], &[width]).anywhere());
            forms.push(Form::new(format!("{op}.{t}"), &[operand; 2], &[width]));
        }
        for mode in ["", ".relu"] {
            let name = format!("fma.rn{mode}.{t}");
            forms.push(
                Form::new(name, &[operand; 3], &[width])
                    .blocks(8)
                    .anywhere(),
            );
        }
        for op in ["min", "max"] {
            for nan in ["", ".NaN"] {
                for xorsign in ["", ".xorsign.abs"] {
                    let name = format!("{op}{nan}{xorsign}.{t}");
                    forms.push(Form::new(name, &[operand; 2], &[width]).anywhere());
                }
            }
        }
        for op in ["abs", "neg"] {
            forms.push(Form::new(format!("{op}.{t}"), &[operand], &[width]));
        }
    }
    for (t, operand) in [
        ("f16", F16),
        ("f16x2", F16x2),
        ("bf16", Bf16),
        ("bf16x2", Bf16x2),
    ] {
        for relu in ["", ".relu"] {
            let name = format!("fma.rn.oob{relu}.{t}");
            let form = Form::new(name, &[operand; 3], &[operand.width()]);
            forms.push(form.since(8, 1).optional());
        }
    }
}
