//! `atom` and `red`: the old value, and the memory's new value.

use super::{Type, list, types};
use crate::form::Form;
use crate::operand::{Operand::*, Width::*};

const ADDABLE: &str = "add.u32 add.s32 add.u64 add.f32 add.f64 add.noftz.f16 add.noftz.f16x2 \
    add.noftz.bf16 add.noftz.bf16x2";
const OTHERS: &str = "and.b32 or.b32 xor.b32 and.b64 or.b64 xor.b64 inc.u32 dec.u32 min.u32 \
    min.s32 max.u32 max.s32 min.u64 min.s64 max.u64 max.s64";

pub fn add(forms: &mut Vec<Form>) {
    for space in [".global", ".shared", ""] {
        for t in types(ADDABLE).chain(types(OTHERS)) {
            one(forms, &format!("atom{space}"), space, t, 1);
            one(forms, &format!("red{space}"), space, t, 1);
        }
        for t in types("exch.b32 exch.b64") {
            one(forms, &format!("atom{space}"), space, t, 1);
        }
        for t in types("cas.b16 cas.b32 cas.b64") {
            one(forms, &format!("atom{space}"), space, t, 2);
        }
    }
    let orders = ".relaxed .acquire .release .acq_rel .relaxed.cta .acq_rel.gpu .acquire.sys \
        .release.cluster";
    for order in orders.split_whitespace() {
        for (t, space, operands) in [("add.u32", ".global", 1), ("cas.b64", ".shared", 2)] {
            let t = Type::at_end(t);
            one(forms, &format!("atom{order}{space}"), space, t, operands);
        }
    }
    for order in [".relaxed", ".release", ".release.sys"] {
        let name = format!("red{order}.global");
        one(forms, &name, ".global", Type::at_end("add.f32"), 1);
    }
    let name = "atom.global.L2::cache_hint";
    one(forms, name, ".global", Type::at_end("add.u32"), 1);
    for t in types("add.u32 xor.b64 max.s32 min.u64") {
        contended(forms, t);
    }
    vectors(forms);
}

/// Adds a form in which memory contains `%a0`, and the other operands are passed to the
/// instruction. `start` is its name up to the operation in `t`.
fn one(forms: &mut Vec<Form>, start: &str, space: &str, t: Type, operands: usize) {
    let name = &format!("{start}.{}", t.0);
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
    let mut given = list("%a", 1, operands);
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

/// Adds forms in which all threads of a block access one address. Their results do not depend on
/// the order.
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

/// Adds operations wider than a register.
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
        let form = Form::new(
            name,
            &vec![operand; 2 * count],
            &vec![operand.width(); count],
        );
        let list = |prefix, from| format!("{{{}}}", list(prefix, from, count));
        let (memory, given, back) = (list("%a", 0), list("%a", count), list("%d", 0));
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
