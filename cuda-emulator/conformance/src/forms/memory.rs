//! Loads and stores of all widths and qualifiers, initialized variables, state spaces.

use super::{list, types};
use crate::form::Form;
use crate::operand::{
    Operand::*,
    Width::{self, *},
};

pub fn add(forms: &mut Vec<Form>) {
    widths(forms);
    qualifiers(forms);
    spaces(forms);
    variables(forms);
}

/// Returns the size of a type in memory.
fn bytes(t: &str) -> u32 {
    t[1..].parse::<u32>().unwrap_or(0) / 8
}

/// Adds loads of each type from every valid offset within eight bytes, and stores of each type.
fn widths(forms: &mut Vec<Form>) {
    for t in "b8 u8 s8 b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64".split(' ') {
        let size = bytes(t);
        for (register, width) in [("b16", B16), ("b32", B32), ("b64", B64)] {
            if width.bits() < size * 8 || t.starts_with('f') && width.bits() != size * 8 {
                continue;
            }
            let at = 8 - size;
            let form = Form::new(format!("ld.{t} into {register}"), &[I64], &[width]);
            let body = format!("st.global.b64 [%m], %a0;\nld.global.{t} %d0, [%m+{at}];");
            forms.push(form.body(body).blocks(1));
            let operands: Vec<_> = types(register).map(|t| t.1).collect();
            let form = Form::new(
                format!("st.{t} from {register}"),
                &[I64, operands[0]],
                &[B64],
            );
            let body = format!(
                "st.global.b64 [%m], %a0;\nst.global.{t} [%m+{at}], %a1;\nld.global.b64 %d0, [%m];"
            );
            forms.push(form.body(body).blocks(1));
        }
    }
    for (t, n, width, operand) in [
        ("b32", 2, B32, I32),
        ("b32", 4, B32, I32),
        ("b64", 2, B64, I64),
        ("b16", 2, B16, I16),
        ("b16", 4, B16, I16),
        ("u8", 2, B16, I16),
        ("s8", 4, B16, I16),
        ("s16", 4, B32, I32),
    ] {
        let (from, to) = (list("%a", 0, n), list("%d", 0, n));
        let name = format!("st.v{n}.{t} ld.v{n}.{t}");
        let form = Form::new(name, &vec![operand; n], &vec![width; n]);
        let body =
            format!("st.global.v{n}.{t} [%m], {{{from}}};\nld.global.v{n}.{t} {{{to}}}, [%m];");
        forms.push(form.body(body).blocks(1));
    }
}

fn qualifiers(forms: &mut Vec<Form>) {
    let loads = "ld.global.ca ld.global.cg ld.global.cs ld.global.lu ld.global.cv \
        ld.volatile.global ld.weak.global ld.relaxed.cta.global ld.relaxed.gpu.global \
        ld.acquire.sys.global ld.acquire.gpu ld.mmio.relaxed.sys.global \
        ld.global.L1::evict_last ld.global.L1::no_allocate ld.global.L2::128B";
    for load in loads.split_whitespace() {
        let form = Form::new(format!("{load}.b32"), &[I32], &[B32]);
        let minor = if load.contains("mmio") { 2 } else { 0 };
        let body = format!("st.global.b32 [%m], %a0;\n{load}.b32 %d0, [%m];");
        forms.push(form.body(body).blocks(1).since(8, minor));
    }
    for load in ["ld.global.nc", "ld.global.nc.L1::evict_first", "ldu.global"] {
        let form = Form::new(format!("{load}.u32"), &[I64], &[B32]);
        forms.push(form.body(format!("{load}.u32 %d0, [%in];")).blocks(1));
    }
    let form = Form::new("ld.global.nc.v2.u32", &[I64], &[B32; 2]);
    let body = "ld.global.nc.v2.u32 {%d0, %d1}, [%in];";
    forms.push(form.body(body).blocks(1));
    let stores = "st.global.wb st.global.cg st.global.cs st.global.wt st.volatile.global \
        st.relaxed.gpu.global st.release.sys.global st.release.cta st.global.L1::no_allocate";
    for store in stores.split_whitespace() {
        let form = Form::new(format!("{store}.b64"), &[I64], &[B64]);
        let body = format!("{store}.b64 [%m], %a0;\nld.global.b64 %d0, [%m];");
        forms.push(form.body(body).blocks(1));
    }
    for (name, line) in [
        (
            "prefetch",
            "prefetch.global.L1 [%m];\nprefetch.global.L2 [%m];\nprefetchu.L1 [%m];",
        ),
        (
            "fence",
            "fence.acq_rel.gpu;\nfence.sc.cta;\nmembar.gl;\nmembar.cta;\nmembar.sys;",
        ),
    ] {
        let form = Form::new(name, &[I64], &[B64]);
        let body = format!("st.global.b64 [%m], %a0;\n{line}\nld.global.b64 %d0, [%m];");
        forms.push(form.body(body).blocks(1));
    }
    for size in [4, 8, 16] {
        let name = format!("cp.async.ca.shared.global {size}");
        let form = Form::new(name, &[I64, I64], &[B64; 2]);
        let body = format!(
            "{{\n.shared .align 16 .b8 slots[2048];\n.reg .b64 at;\nmov.u64 at, slots;\n\
             mad.wide.u32 at, %y, 16, at;\nst.global.v2.b64 [%m], {{%a0, %a1}};\n\
             st.shared.v2.b64 [at], {{%a1, %a0}};\n\
             cp.async.ca.shared.global [at], [%m], {size};\n\
             cp.async.commit_group;\ncp.async.wait_group 0;\n\
             ld.shared.v2.b64 {{%d0, %d1}}, [at];\n}}"
        );
        forms.push(form.body(body).blocks(1));
    }
    let form = Form::new(
        "cp.async.cg.shared.global 16, n",
        &[I64, I64, OneOf(&[0, 4, 8, 12, 16, 1, 15])],
        &[B64; 2],
    );
    let body = "{\n.shared .align 16 .b8 slots[2048];\n.reg .b64 at;\nmov.u64 at, slots;\n\
         mad.wide.u32 at, %y, 16, at;\nst.global.v2.b64 [%m], {%a0, %a1};\n\
         cp.async.cg.shared.global [at], [%m], 16, %a2;\n\
         cp.async.wait_all;\nld.shared.v2.b64 {%d0, %d1}, [at];\n}";
    forms.push(form.body(body).blocks(2));
}

fn spaces(forms: &mut Vec<Form>) {
    // Each kind of address: with its own state space, generically, and with a test of its space.
    for (space, setup) in [
        ("global", "mov.u64 at, %m;"),
        (
            "shared",
            ".shared .b64 slots[128];\nmov.u64 at, slots;\nmad.wide.u32 at, %y, 8, at;",
        ),
        ("local", ".local .b64 own[2];\nmov.u64 at, own;"),
    ] {
        let results = [B64, B64, Width::Pred, Width::Pred, Width::Pred, Width::Pred];
        let form = Form::new(format!("cvta.{space} isspacep"), &[I64], &results);
        let body = format!(
            "{{\n.reg .b64 at, generic, back;\n{setup}\ncvta.{space}.u64 generic, at;\n\
             cvta.to.{space}.u64 back, generic;\nst.{space}.u64 [at], %a0;\nld.u64 %d0, [generic];\n\
             st.u64 [generic], %d0;\nld.{space}.u64 %d1, [back];\nisspacep.global %d2, generic;\n\
             isspacep.shared %d3, generic;\nisspacep.local %d4, generic;\nisspacep.const %d5, generic;\n}}"
        );
        forms.push(form.body(body).blocks(1));
    }
    let form = Form::new("ld.param of a function", &[I32, I64], &[B64, B32]);
    let function = ".func (.param .b64 back) swap_sum(.param .b64 first, .param .b32 second)\n\
         {\n.reg .b64 %x<3>;\n.reg .b32 %w;\nld.param.b64 %x1, [first];\nld.param.b32 %w, [second];\n\
         cvt.u64.u32 %x2, %w;\nadd.u64 %x1, %x1, %x2;\nst.param.b64 [back], %x1;\nret;\n}";
    let body = "{\n.param .b64 p0;\n.param .b32 p1;\n.param .b64 r;\nst.param.b64 [p0], %a1;\n\
         st.param.b32 [p1], %a0;\ncall (r), swap_sum, (p0, p1);\nld.param.b64 %d0, [r];\n}\n\
         mov.b32 %d1, %a0;";
    forms.push(form.globals(function).body(body).blocks(1));
    let form = Form::new("brx.idx", &[OneOf(&[0, 1, 2, 3])], &[B32]);
    let body = "{\ntargets: .branchtargets zero, one, two, three;\nbrx.idx %a0, targets;\n\
         zero:\nmov.b32 %d0, 10;\nbra.uni done;\none:\nmov.b32 %d0, 21;\nbra.uni done;\n\
         two:\nmov.b32 %d0, 32;\nbra.uni done;\nthree:\nmov.b32 %d0, 43;\ndone:\n}";
    forms.push(form.body(body).blocks(1));
}

fn variables(forms: &mut Vec<Form>) {
    let slots: &[u32] = &[0, 1, 2, 3, 4, 5, 6, 7];
    for (space, name, values) in [
        (
            "const",
            "c_f32",
            "0f3F800000, 1.5, -2.25, 0f7F800000, 0f80000000, 1.0e-3, 3.0, 0.1",
        ),
        (
            "const",
            "c_f64",
            "0d3FF0000000000000, 1.5, -2.25, 1e300, 0.1, 0d0000000000000001, 3.0, -0.0",
        ),
        (
            "global",
            "g_u32",
            "1, 0x80000000, 0b101, 017, 4294967295, 1+2*3, 1<<5, 7U",
        ),
        (
            "global",
            "g_s32",
            "-1, -0x7fffffff, ~0, !0, 5 > 3 ? 10 : 20, -7 / 2, -7 % 3, 6 & 3",
        ),
        (
            "const",
            "c_u64",
            "1, 0xffffffffffffffff, 1<<40, 0x123456789abcdef, 7, 8, 9",
        ),
        ("global", "g_s16", "-1, 2, -32768, 32767, 0x7fff"),
        ("const", "c_u8", "1, 255, 0x7f, 3"),
    ] {
        let t = &name[2..];
        let size = bytes(t);
        let width = match size {
            1 | 2 => B16,
            4 => B32,
            _ => B64,
        };
        let form = Form::new(
            format!("ld.{space}.{t} of {name}"),
            &[OneOf(slots)],
            &[width],
        );
        let body = format!(
            "{{\n.reg .b64 at;\nmov.u64 at, {name};\nmad.wide.u32 at, %a0, {size}, at;\n\
             ld.{space}.{t} %d0, [at];\n}}"
        );
        let globals = format!(".{space} .align 8 .{t} {name}[8] = {{{values}}};");
        forms.push(form.globals(globals).body(body).blocks(1));
    }
}
