//! Integer arithmetic and carry chains.

use super::{INTEGERS, Type, list, types};
use crate::form::Form;
use crate::operand::{
    Operand::{self, *},
    Width::*,
};

pub fn add(forms: &mut Vec<Form>) {
    for t in types(INTEGERS) {
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
    for Type(t, operand) in types("u32 s32 u64 s64") {
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
    // `end` reads the carry of the second instruction, if that sets it.
    let mut chain = |first: &str, second: &str, [a, b]: [usize; 2], end: &str| {
        let (left, right) = (list("%a", 0, a), list("%a", a, b));
        let right = if b == 0 { "0, 0" } else { &right };
        let last = match end {
            "" => String::new(),
            _ => format!("\n{end}.{t} %d2, 0, 0;"),
        };
        let results = vec![width; if end.is_empty() { 2 } else { 3 }];
        let form = Form::new(
            format!("{first}.{t} {second}.{t}"),
            &vec![operand; a + b],
            &results,
        );
        let body = format!("{first}.{t} %d0, {left};\n{second}.{t} %d1, {right};{last}");
        forms.push(form.body(body).in_programs());
    };
    chain("add.cc", "addc", [2, 2], "");
    chain("sub.cc", "subc", [2, 2], "");
    chain("add.cc", "addc.cc", [2, 2], "addc");
    chain("sub.cc", "subc.cc", [2, 2], "subc");
    for part in ["lo", "hi"] {
        chain(&format!("mad.{part}.cc"), "addc", [3, 0], "");
        chain("add.cc", &format!("madc.{part}"), [2, 3], "");
        chain("add.cc", &format!("madc.{part}.cc"), [2, 3], "addc");
    }
}

/// Adds all combinations of an instruction that sets the carry and one that reads it.
pub fn mixed_carries(forms: &mut Vec<Form>) {
    for Type(t, operand) in types("u32 s32 u64 s64") {
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
                let before = match ["addc", "subc", "madc"]
                    .iter()
                    .any(|name| setter.starts_with(name))
                {
                    true => format!("add.cc.{t} %d0, %a1, %a0;\n"),
                    false => String::new(),
                };
                let name = format!("{setter}.{t} then {reader}.{t}");
                let form = Form::new(name, &vec![operand; first + second], &[operand.width(); 2]);
                let [set, read] =
                    [(0, first), (first, second)].map(|(from, n)| list("%a", from, n));
                let body = format!("{before}{setter}.{t} %d0, {set};\n{reader}.{t} %d1, {read};");
                forms.push(form.body(body).blocks(2).in_programs());
            }
        }
    }
}
