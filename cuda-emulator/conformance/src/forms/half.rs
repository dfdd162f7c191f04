//! Half precision and bfloat16, single and in pairs.

use super::{Type, types};
use crate::form::Form;
use crate::operand::Operand::{self, *};

pub fn add(forms: &mut Vec<Form>) {
    for Type(t, operand) in types("f16 f16x2 bf16 bf16x2") {
        let (one, two, three) = ([operand], [operand; 2], [operand; 3]);
        let width = [operand.width()];
        // bfloat16 has no `.ftz` and `.sat`.
        let all = |modifiers: &'static [&'static str]| {
            let brain = t.starts_with('b');
            let exist = move |m: &&&str| !brain || ![".ftz", ".sat"].contains(*m);
            modifiers.iter().filter(exist)
        };
        for ftz in all(&["", ".ftz"]) {
            for sat in all(&["", ".sat"]) {
                for op in ["add", "sub", "mul"] {
                    let form = Form::new(format!("{op}.rn{ftz}{sat}.{t}"), &two, &width);
                    forms.push(form.in_programs());
                    forms.push(Form::new(format!("{op}{ftz}{sat}.{t}"), &two, &width));
                }
            }
            for mode in all(&["", ".sat", ".relu"]) {
                let form = Form::new(format!("fma.rn{ftz}{mode}.{t}"), &three, &width);
                forms.push(form.blocks(8).in_programs());
            }
            for op in ["min", "max"] {
                for nan in ["", ".NaN"] {
                    for xorsign in ["", ".xorsign.abs"] {
                        let name = format!("{op}{ftz}{nan}{xorsign}.{t}");
                        forms.push(Form::new(name, &two, &width).in_programs());
                    }
                }
            }
            for op in ["abs", "neg"] {
                forms.push(Form::new(format!("{op}{ftz}.{t}"), &one, &width));
            }
        }
    }
    for Type(t, operand) in types("f16 f16x2 bf16 bf16x2") {
        for relu in ["", ".relu"] {
            let name = format!("fma.rn.oob{relu}.{t}");
            let form = Form::new(name, &[operand; 3], &[operand.width()]);
            forms.push(form.since(8, 1));
            forms.push(out_of_bounds(relu, t, operand).since(8, 1).awaited());
        }
        if matches!(operand, F16 | F16x2) {
            forms.push(out_of_bounds(".sat", t, operand).since(8, 1).awaited());
        }
    }
}

/// `fma.rn.oob` with the NaNs that mark elements outside a tensor, which are not among the edge
/// values.
fn out_of_bounds(mode: &str, t: &str, operand: Operand) -> Form {
    let (one, infinity) = match operand {
        F16 | F16x2 => (0x3c00, 0x7c00),
        _ => (0x3f80, 0x7f80),
    };
    let quiet = infinity | infinity >> 1;
    let values = [0x7ff7, 0xfff7, 0xffff, quiet, 0, one, 0xc000, infinity];
    let case = |number: usize| [number, number >> 3, number >> 6].map(|at| values[at & 7]);
    let name = format!("fma.rn.oob{mode}.{t} out of bounds");
    let body = format!("fma.rn.oob{mode}.{t} %d0, %a0, %a1, %a2;");
    let mut form = Form::new(name, &[operand; 3], &[operand.width()]).body(body);
    form.cases = 512;
    for number in 0..form.cases {
        // The upper half of a pair contains another case.
        let (low, high) = (case(number), case(number * 5 + 77));
        let pair = matches!(operand, F16x2 | Bf16x2);
        let both = |at: usize| low[at] | if pair { high[at] << 16 } else { 0 };
        form.given.extend([0, 1, 2].map(both));
    }
    form
}
