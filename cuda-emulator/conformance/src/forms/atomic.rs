//! `atom` and `red`: the old value, and the memory's new value.

use super::Type;
use crate::form::Form;
use crate::operand::{Operand::*, Width::*};

const ADDABLE: [Type; 9] = [
    Type("add.u32", I32),
    Type("add.s32", I32),
    Type("add.u64", I64),
    Type("add.f32", F32),
    Type("add.f64", F64),
    Type("add.noftz.f16", F16),
    Type("add.noftz.f16x2", F16x2),
    Type("add.noftz.bf16", Bf16),
    Type("add.noftz.bf16x2", Bf16x2),
];
const OTHERS: [Type; 16] = [
    Type("and.b32", I32),
    Type("or.b32", I32),
    Type("xor.b32", I32),
    Type("and.b64", I64),
    Type("or.b64", I64),
    Type("xor.b64", I64),
    Type("inc.u32", I32),
    Type("dec.u32", I32),
    Type("min.u32", I32),
    Type("min.s32", I32),
    Type("max.u32", I32),
    Type("max.s32", I32),
    Type("min.u64", I64),
    Type("min.s64", I64),
    Type("max.u64", I64),
    Type("max.s64", I64),
];

pub fn add(forms: &mut Vec<Form>) {
    for space in [".global", ".shared", ""] {
        for t in ADDABLE.into_iter().chain(OTHERS) {
            one(forms, &format!("atom{space}.{}", t.0), space, t, 1);
            one(forms, &format!("red{space}.{}", t.0), space, t, 1);
        }
        for t in [Type("exch.b32", I32), Type("exch.b64", I64)] {
            one(forms, &format!("atom{space}.{}", t.0), space, t, 1);
        }
        for t in [
            Type("cas.b16", I16),
            Type("cas.b32", I32),
            Type("cas.b64", I64),
        ] {
            one(forms, &format!("atom{space}.{}", t.0), space, t, 2);
        }
    }
    for order in [
        ".relaxed",
        ".acquire",
        ".release",
        ".acq_rel",
        ".relaxed.cta",
        ".acq_rel.gpu",
        ".acquire.sys",
        ".release.cluster",
    ] {
        let t = Type("add.u32", I32);
        one(
            forms,
            &format!("atom{order}.global.add.u32"),
            ".global",
            t,
            1,
        );
        let t = Type("cas.b64", I64);
        one(
            forms,
            &format!("atom{order}.shared.cas.b64"),
            ".shared",
            t,
            2,
        );
    }
    for order in [".relaxed", ".release", ".release.sys"] {
        let t = Type("add.f32", F32);
        one(
            forms,
            &format!("red{order}.global.add.f32"),
            ".global",
            t,
            1,
        );
    }
    one(
        forms,
        "atom.global.L2::cache_hint.add.u32",
        ".global",
        Type("add.u32", I32),
        1,
    );
    for t in [
        Type("add.u32", I32),
        Type("xor.b64", I64),
        Type("max.s32", I32),
        Type("min.u64", I64),
    ] {
        contended(forms, t);
    }
    vectors(forms);
}

/// Adds a form for which memory holds `%a0`, and the instruction gets the other operands.
fn one(forms: &mut Vec<Form>, name: &str, space: &str, t: Type, operands: usize) {
    let width = t.width();
    let bits = width.bits();
    let size = bits / 8;
    let returns = name.starts_with("atom");
    let (address, window, place) = match space {
        ".shared" | "" => {
            let generic = if space.is_empty() {
                "cvta.shared.u64 at, at;\n"
            } else {
                ""
            };
            let window = if space.is_empty() { "" } else { ".shared" };
            let place = format!(
                ".shared .align 8 .b8 slots[{}];\nmov.u64 at, slots;\n\
                 mad.wide.u32 at, %y, {size}, at;\n{generic}",
                size as usize * crate::form::BLOCK
            );
            ("[at]", window, place)
        }
        _ => ("[%m]", ".global", String::new()),
    };
    let given: Vec<String> = (1..=operands).map(|i| format!("%a{i}")).collect();
    let mut given = given.join(", ");
    let mut hint = String::new();
    if name.contains("cache_hint") {
        hint =
            ".reg .b64 policy;\ncreatepolicy.fractional.L2::evict_last.b64 policy, 1.0;\n".into();
        given.push_str(", policy");
    }
    let (old, new) = if returns {
        ("%d0, ", "%d1")
    } else {
        ("", "%d0")
    };
    let body = format!(
        "{{\n.reg .b64 at;\n{place}{hint}st{window}.b{bits} {address}, %a0;\n\
         {name} {old}{address}, {given};\nld{window}.b{bits} {new}, {address};\n}}"
    );
    let results = vec![width; 1 + usize::from(returns)];
    let form = Form::new(name, &vec![t.1; operands + 1], &results).body(body);
    // Some combinations of floats rarely occur in shared memory. Two blocks are enough everywhere.
    forms.push(form.blocks(2));
}

/// All threads of a block access one address, if the order does not matter.
fn contended(forms: &mut Vec<Form>, t: Type) {
    let bits = t.width().bits();
    for kind in ["red", "atom"] {
        let name = format!("{kind}.shared.{}", t.0);
        let old = if kind == "atom" { "old, " } else { "" };
        let form = Form::new(format!("{name} by a block"), &[t.1], &[t.width()]);
        let body = format!(
            "{{\n.reg .b{bits} old;\n.reg .pred first;\n.shared .align 8 .b8 slot[8];\n\
             setp.eq.u32 first, %y, 0;\nmov.b{bits} old, 1;\n@first st.shared.b{bits} [slot], old;\n\
             bar.sync 0;\n{name} {old}[slot], %a0;\nbar.sync 0;\nld.shared.b{bits} %d0, [slot];\n}}"
        );
        forms.push(form.body(body));
    }
}

/// Operations wider than a register.
fn vectors(forms: &mut Vec<Form>) {
    let form = Form::new("atom.global.cas.b128", &[I64, I64, I64], &[B64; 4]);
    let body = "{\n.reg .b128 old, compare, new;\nst.global.v2.b64 [%m], {%a0, %a1};\n\
         mov.b128 compare, {%a0, %a2};\nmov.b128 new, {%a2, %a0};\n\
         atom.global.cas.b128 old, [%m], compare, new;\nmov.b128 {%d0, %d1}, old;\n\
         ld.global.v2.b64 {%d2, %d3}, [%m];\n}";
    forms.push(form.body(body).blocks(1).since(8, 3).optional());
    let form = Form::new("atom.global.exch.b128", &[I64, I64, I64], &[B64; 4]);
    let body = "{\n.reg .b128 old, new;\nst.global.v2.b64 [%m], {%a0, %a1};\n\
         mov.b128 new, {%a2, %a0};\n\
         atom.global.exch.b128 old, [%m], new;\nmov.b128 {%d0, %d1}, old;\n\
         ld.global.v2.b64 {%d2, %d3}, [%m];\n}";
    forms.push(form.body(body).blocks(1).since(8, 3).optional());
    for (name, t, count, operand) in [
        ("red.global.v2.f32.add", "b32", 2, F32),
        ("red.global.v4.f32.add", "b32", 4, F32),
        ("red.global.v2.f16x2.add.noftz", "b32", 2, F16x2),
        ("red.global.v4.f16.add.noftz", "b16", 4, F16),
    ] {
        let list = |prefix: &str, from: usize| {
            let names: Vec<String> = (from..from + count)
                .map(|i| format!("%{prefix}{i}"))
                .collect();
            format!("{{{}}}", names.join(", "))
        };
        let form = Form::new(
            name,
            &vec![operand; 2 * count],
            &vec![operand.width(); count],
        );
        let (memory, given, back) = (list("a", 0), list("a", count), list("d", 0));
        let body = format!(
            "st.global.v{count}.{t} [%m], {memory};\n{name} [%m], {given};\n\
             ld.global.v{count}.{t} {back}, [%m];"
        );
        forms.push(form.body(body).blocks(2).since(8, 1).optional());
    }
    let form = Form::new("atom.global.v2.f32.add", &[F32; 4], &[B32; 4]);
    let body = "{\nst.global.v2.b32 [%m], {%a0, %a1};\n\
         atom.global.v2.f32.add {%d0, %d1}, [%m], {%a2, %a3};\n\
         ld.global.v2.b32 {%d2, %d3}, [%m];\n}";
    forms.push(form.body(body).blocks(2).since(8, 1).optional());
}
