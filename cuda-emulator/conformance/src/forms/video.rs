//! Video instructions: their types, selectors, masks and secondary operations.

use crate::form::Form;
use crate::operand::{Operand::*, Width::B32};

const TYPES: [&str; 2] = ["u32", "s32"];
const COMPARISONS: [&str; 6] = ["eq", "ne", "lt", "le", "gt", "ge"];
const SCALAR: [&str; 5] = ["vadd", "vsub", "vabsdiff", "vmin", "vmax"];
const PARTS: [&str; 6] = ["b0", "b1", "b2", "b3", "h0", "h1"];
const SEVERAL: [&str; 6] = ["vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"];

pub fn add(forms: &mut Vec<Form>) {
    scalar(forms);
    shifts(forms);
    comparisons(forms);
    products(forms);
    for count in [2, 4] {
        several(forms, count);
    }
}

/// Creates a form with a separate result for each of several instructions. `{}` is replaced by its
/// number.
fn together(name: String, instructions: &[String]) -> Form {
    let body = instructions.iter().enumerate();
    let body: Vec<String> = body
        .map(|(i, text)| text.replace("{}", &i.to_string()))
        .collect();
    let results = vec![B32; instructions.len()];
    let name = format!("{name}: {} forms", results.len());
    Form::new(name, &[I32; 3], &results)
        .body(body.join("\n"))
        .blocks(1)
}

/// Adds all variants of an instruction's end: none, secondary operations, and writing only a part.
fn steps(forms: &mut Vec<Form>, name: &str, saturated: bool) {
    for sat in if saturated { &["", ".sat"][..] } else { &[""] } {
        let mut all = vec![format!("{name}{sat} %d{{}}, %a0, %a1;")];
        for second in ["add", "min", "max"] {
            all.push(format!("{name}{sat}.{second} %d{{}}, %a0, %a1, %a2;"));
        }
        forms.push(together(format!("{name}{sat}"), &all));
        let parts = PARTS.map(|p| format!("{name}{sat} %d{{}}.{p}, %a0, %a1, %a2;"));
        forms.push(together(format!("{name}{sat} d.part"), &parts));
    }
}

fn scalar(forms: &mut Vec<Form>) {
    for op in SCALAR {
        for d in TYPES {
            for a in TYPES {
                for b in TYPES {
                    steps(forms, &format!("{op}.{d}.{a}.{b}"), true);
                }
            }
        }
    }
    // Parts of the sources.
    for a in TYPES {
        for b in TYPES {
            let all: Vec<String> = (0..6)
                .map(|i| {
                    let (p, q) = (PARTS[i], PARTS[(i * 5 + 2) % 6]);
                    format!("vsub.s32.{a}.{b} %d{{}}, %a0.{p}, %a1.{q};")
                })
                .collect();
            forms.push(together(format!("vsub.s32.{a}.{b} a.part b.part"), &all));
        }
    }
}

fn shifts(forms: &mut Vec<Form>) {
    for op in ["vshl", "vshr"] {
        for d in TYPES {
            for a in TYPES {
                for mode in ["clamp", "wrap"] {
                    let first = forms.len();
                    let name = format!("{op}.{d}.{a}.u32");
                    for sat in ["", ".sat"] {
                        let mut all = vec![format!("{name}{sat}.{mode} %d{{}}, %a0, %a1;")];
                        all.push(format!("{name}{sat}.{mode} %d{{}}, %a0.b1, %a1;"));
                        all.push(format!("{name}{sat}.{mode} %d{{}}, %a0.h0, %a1.b0;"));
                        for second in ["add", "min", "max"] {
                            all.push(format!(
                                "{name}{sat}.{mode}.{second} %d{{}}, %a0, %a1, %a2;"
                            ));
                        }
                        for part in ["b3", "h1"] {
                            all.push(format!("{name}{sat}.{mode} %d{{}}.{part}, %a0, %a1, %a2;"));
                        }
                        forms.push(together(format!("{name}{sat}.{mode}"), &all));
                    }
                    for form in &mut forms[first..] {
                        form.operands[1] = Count;
                    }
                }
            }
        }
    }
}

fn comparisons(forms: &mut Vec<Form>) {
    for a in TYPES {
        for b in TYPES {
            for cmp in COMPARISONS {
                steps(forms, &format!("vset.{a}.{b}.{cmp}"), false);
            }
        }
    }
}

fn products(forms: &mut Vec<Form>) {
    for d in TYPES {
        for a in TYPES {
            for b in TYPES {
                for sat in ["", ".sat"] {
                    for scale in ["", ".shr7", ".shr15"] {
                        let name = format!("vmad.{d}.{a}.{b}{sat}{scale}");
                        let po = format!("vmad.{d}.{a}.{b}.po{sat}{scale}");
                        let all = [
                            format!("{name} %d{{}}, %a0, %a1, %a2;"),
                            format!("{name} %d{{}}, -%a0, %a1, %a2;"),
                            format!("{name} %d{{}}, -%a0, -%a1, %a2;"),
                            format!("{name} %d{{}}, %a0, %a1, -%a2;"),
                            format!("{po} %d{{}}, %a0, %a1, %a2;"),
                            format!("{name} %d{{}}, %a0.b1, %a1.h0, %a2;"),
                            format!("{name} %d{{}}, %a0.h1, -%a1.b3, %a2;"),
                        ];
                        forms.push(together(name, &all));
                    }
                }
            }
        }
    }
}

fn several(forms: &mut Vec<Form>, count: usize) {
    let (masks, selectors): (&[&str], [&str; 2]) = if count == 2 {
        (&["h0", "h1"], ["h31", "h02"])
    } else {
        (
            &["b0", "b1", "b20", "b31", "b321", "b3210"],
            ["b7052", "b1364"],
        )
    };
    let [p, q] = selectors;
    let mut both = |name: String, second: &str| {
        let mut all = vec![
            format!("{name}{second} %d{{}}, %a0, %a1, %a2;"),
            format!("{name}{second} %d{{}}, %a0.{p}, %a1.{q}, %a2;"),
        ];
        for mask in masks {
            all.push(format!("{name}{second} %d{{}}.{mask}, %a0, %a1, %a2;"));
        }
        forms.push(together(format!("{name}{second}"), &all));
    };
    for a in TYPES {
        for b in TYPES {
            for op in SEVERAL {
                for d in TYPES {
                    for end in ["", ".sat", ".add"] {
                        both(format!("{op}{count}.{d}.{a}.{b}"), end);
                    }
                }
            }
            for cmp in COMPARISONS {
                for end in ["", ".add"] {
                    both(format!("vset{count}.{a}.{b}.{cmp}"), end);
                }
            }
        }
    }
}
