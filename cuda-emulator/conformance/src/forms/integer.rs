//! Integer arithmetic and carry chains.

use super::{INTEGERS, Type};
use crate::form::Form;
use crate::operand::{
    Operand::{self, *},
    Width::{self, *},
};

pub fn add(forms: &mut Vec<Form>) {
    for t in INTEGERS {
        arithmetic(forms, t);
    }
    let two = [I32; 2];
    let three = [I32; 3];
    forms.push(Form::new("add.sat.s32", &two, &[B32]).in_programs());
    forms.push(Form::new("sub.sat.s32", &two, &[B32]).in_programs());
    forms.push(Form::new("mad.hi.sat.s32", &three, &[B32]).in_programs());
    for part in ["lo", "hi"] {
        for t in ["u32", "s32"] {
            forms.push(Form::new(format!("mul24.{part}.{t}"), &two, &[B32]).in_programs());
            forms.push(Form::new(format!("mad24.{part}.{t}"), &three, &[B32]).in_programs());
        }
    }
    forms.push(Form::new("mad24.hi.sat.s32", &three, &[B32]).in_programs());
    forms.push(Form::new("min.relu.s32", &two, &[B32]).in_programs());
    forms.push(Form::new("max.relu.s32", &two, &[B32]).in_programs());
    for a in ["u32", "s32"] {
        for b in ["u32", "s32"] {
            forms.push(Form::new(format!("dp4a.{a}.{b}"), &three, &[B32]).in_programs());
            for half in ["lo", "hi"] {
                forms.push(Form::new(format!("dp2a.{half}.{a}.{b}"), &three, &[B32]).in_programs());
            }
        }
    }
    for (t, operand) in [("u32", I32), ("s32", I32), ("u64", I64), ("s64", I64)] {
        carries(forms, t, operand);
    }
}

fn arithmetic(forms: &mut Vec<Form>, Type(t, operand): Type) {
    let width = operand.width();
    let (two, three) = ([operand; 2], [operand; 3]);
    for name in ["add", "sub", "min", "max", "mul.lo", "mul.hi"] {
        forms.push(Form::new(format!("{name}.{t}"), &two, &[width]).in_programs());
    }
    // The result of a division by zero depends on the device, so these are not used in random
    // programs.
    for name in ["div", "rem"] {
        forms.push(Form::new(format!("{name}.{t}"), &two, &[width]).blocks(6));
    }
    for name in ["mad.lo", "mad.hi", "sad"] {
        forms.push(Form::new(format!("{name}.{t}"), &three, &[width]).in_programs());
    }
    if t.starts_with('s') {
        for name in ["abs", "neg"] {
            forms.push(Form::new(format!("{name}.{t}"), &[operand], &[width]).in_programs());
        }
    }
    let (wide, wide_operand) = match width {
        B16 => (B32, I32),
        B32 => (B64, I64),
        _ => return,
    };
    forms.push(Form::new(format!("mul.wide.{t}"), &two, &[wide]).in_programs());
    let operands = [operand, operand, wide_operand];
    forms.push(Form::new(format!("mad.wide.{t}"), &operands, &[wide]).in_programs());
}

/// Adds carry chains, and forms in which `addc` reads the carry of an instruction.
fn carries(forms: &mut Vec<Form>, t: &str, operand: Operand) {
    let width = operand.width();
    let mut chain = |name: &str, operands: usize, results: &[Width], body: String| {
        let operands = vec![operand; operands];
        let form = Form::new(name.to_owned(), &operands, results).body(body);
        forms.push(form.in_programs());
    };
    let two = [width; 2];
    chain(
        &format!("add.cc.{t} addc.{t}"),
        4,
        &two,
        format!("add.cc.{t} %d0, %a0, %a1;\naddc.{t} %d1, %a2, %a3;"),
    );
    chain(
        &format!("sub.cc.{t} subc.{t}"),
        4,
        &two,
        format!("sub.cc.{t} %d0, %a0, %a1;\nsubc.{t} %d1, %a2, %a3;"),
    );
    chain(
        &format!("add.cc.{t} addc.cc.{t}"),
        4,
        &[width; 3],
        format!("add.cc.{t} %d0, %a0, %a1;\naddc.cc.{t} %d1, %a2, %a3;\naddc.{t} %d2, 0, 0;"),
    );
    chain(
        &format!("sub.cc.{t} subc.cc.{t}"),
        4,
        &[width; 3],
        format!("sub.cc.{t} %d0, %a0, %a1;\nsubc.cc.{t} %d1, %a2, %a3;\nsubc.{t} %d2, 0, 0;"),
    );
    for first in ["lo", "hi"] {
        chain(
            &format!("mad.{first}.cc.{t} addc.{t}"),
            3,
            &two,
            format!("mad.{first}.cc.{t} %d0, %a0, %a1, %a2;\naddc.{t} %d1, 0, 0;"),
        );
        chain(
            &format!("add.cc.{t} madc.{first}.{t}"),
            5,
            &two,
            format!("add.cc.{t} %d0, %a0, %a1;\nmadc.{first}.{t} %d1, %a2, %a3, %a4;"),
        );
        chain(
            &format!("add.cc.{t} madc.{first}.cc.{t}"),
            5,
            &[width; 3],
            format!(
                "add.cc.{t} %d0, %a0, %a1;\nmadc.{first}.cc.{t} %d1, %a2, %a3, %a4;\naddc.{t} %d2, 0, 0;"
            ),
        );
    }
}

/// Adds all combinations of an instruction that sets the carry and one that reads it.
pub fn mixed_carries(forms: &mut Vec<Form>) {
    for (t, operand) in [("u32", I32), ("s32", I32), ("u64", I64), ("s64", I64)] {
        // The instruction and its sources. If it reads the carry, another instruction sets it
        // first.
        let setters = [
            ("add.cc", 2),
            ("sub.cc", 2),
            ("mad.lo.cc", 3),
            ("mad.hi.cc", 3),
            ("addc.cc", 2),
            ("subc.cc", 2),
            ("madc.lo.cc", 3),
            ("madc.hi.cc", 3),
        ];
        let readers = [("addc", 2), ("subc", 2), ("madc.lo", 3), ("madc.hi", 3)];
        for (setter, first) in setters {
            for (reader, second) in readers {
                let sources = |from: usize, count: usize| {
                    let list: Vec<String> =
                        (from..from + count).map(|i| format!("%a{i}")).collect();
                    list.join(", ")
                };
                let before = if setter.starts_with("addc")
                    || setter.starts_with("subc")
                    || setter.starts_with("madc")
                {
                    format!("add.cc.{t} %d0, %a1, %a0;\n")
                } else {
                    String::new()
                };
                let name = format!("{setter}.{t} then {reader}.{t}");
                let form = Form::new(name, &vec![operand; first + second], &[operand.width(); 2]);
                forms.push(
                    form.body(format!(
                        "{before}{setter}.{t} %d0, {};\n{reader}.{t} %d1, {};",
                        sources(0, first),
                        sources(first, second)
                    ))
                    .blocks(2)
                    .in_programs(),
                );
            }
        }
    }
}
