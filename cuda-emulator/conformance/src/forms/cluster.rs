//! Shared memory of another block: each thread accesses the memory of the corresponding thread in
//! the next block of a cluster of four.

use super::{Type, types};
use crate::form::Form;
use crate::operand::{
    Operand::*,
    Width::{self, *},
};

pub fn add(forms: &mut Vec<Form>) {
    addresses(forms);
    moves(forms);
    atomics(forms);
    asynchronous(forms);
}

/// Sixteen bytes for each thread, and two barriers.
const BOX: &str = ".shared .align 16 .b8 box[2080];";

const SYNC: &str = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";

/// Creates a form for a cluster of four blocks. In its body, `%o` is the address of the thread's
/// sixteen bytes in its own block, `%p` the one in the next block, and `%g` the latter as a generic
/// address. `%n` is the next block's rank, and `%q` the address of its barrier. The first eight
/// bytes are `%a0`, the others zero.
fn form(name: String, operands: &[crate::operand::Operand], results: &[Width], body: &str) -> Form {
    let first = match operands.first().map(|one| one.width()) {
        Some(B16) => "st.shared.b16 [%o], %a0;\n",
        Some(B32) => "st.shared.b32 [%o], %a0;\n",
        Some(B64) => "st.shared.b64 [%o], %a0;\n",
        _ => "",
    };
    let body = format!(
        "{{\n{BOX}\n.reg .b32 %o, %p, %n, %q, %t;\n.reg .b64 %g, %z;\n.reg .pred %w;\n\
         mov.u32 %t, %tid.x;\nmov.u32 %o, box;\nmad.lo.u32 %o, %t, 16, %o;\n\
         mov.u32 %n, %cluster_ctarank;\nadd.u32 %n, %n, 1;\nand.b32 %n, %n, 3;\n\
         mapa.shared::cluster.u32 %p, %o, %n;\nmov.u32 %q, box;\nadd.u32 %q, %q, 2048;\n\
         mapa.shared::cluster.u32 %q, %q, %n;\n\
         cvt.u64.u32 %g, %o;\ncvta.shared.u64 %g, %g;\nmapa.u64 %g, %g, %n;\n\
         mov.b64 %z, 0;\nst.shared.b64 [%o], %z;\nst.shared.b64 [%o+8], %z;\n{first}{SYNC}{body}\n{SYNC}}}"
    );
    Form::new(name, operands, results)
        .body(body)
        .clusters(4)
        .blocks(8)
        .awaited()
}

fn addresses(forms: &mut Vec<Form>) {
    for (name, body) in [
        (
            "getctarank.shared::cluster.u32",
            "getctarank.shared::cluster.u32 %d0, %p;",
        ),
        ("getctarank.u64", "getctarank.u64 %d0, %g;"),
        (
            "getctarank of its own",
            "getctarank.shared::cluster.u32 %d0, %o;",
        ),
        (
            "mapa to itself",
            "mov.u32 %t, %cluster_ctarank;\nmapa.shared::cluster.u32 %q, %p, %t;\nsub.u32 %d0, %q, %o;\nand.b32 %d0, %d0, 0xffff;",
        ),
    ] {
        forms.push(form(format!("{name} in a cluster"), &[], &[B32], body));
    }
    for space in "shared shared::cta shared::cluster global local".split(' ') {
        let body = format!("isspacep.{space} %d0, %g;");
        let name = format!("isspacep.{space} of another block");
        forms.push(form(name, &[], &[Pred], &body));
    }
    let names = "%cluster_ctarank %cluster_nctarank %cluster_ctaid.x %cluster_nctaid.y %clusterid.x \
        %nclusterid.x";
    for name in names.split_whitespace() {
        let body = format!("mov.u32 %d0, {name};");
        forms.push(form(format!("{name} in a cluster"), &[], &[B32], &body));
    }
    let body = "mov.pred %d0, %is_explicit_cluster;";
    let name = "%is_explicit_cluster in a cluster".to_string();
    forms.push(form(name, &[], &[Pred], body));
}

fn moves(forms: &mut Vec<Form>) {
    for Type(t, operand) in types("b16 u32 b64 f32 f64") {
        let width = operand.width();
        let body = format!("ld.shared::cluster.{t} %d0, [%p];");
        let name = format!("ld.shared::cluster.{t}");
        forms.push(form(name, &[operand], &[width], &body));
        let body = format!("ld.relaxed.cluster.{t} %d0, [%g];");
        let name = format!("ld.{t} of another block");
        forms.push(form(name, &[operand], &[width], &body));
        let body = format!("st.shared::cluster.{t} [%p+8], %a0;\n{SYNC}ld.shared.{t} %d0, [%o+8];");
        let name = format!("st.shared::cluster.{t}");
        forms.push(form(name, &[operand], &[width], &body));
    }
    let body = format!(
        "st.shared::cluster.v4.b32 [%p], {{%a0, %a1, %a1, %a0}};\n{SYNC}ld.shared::cluster.v2.b64 {{%d0, %d1}}, [%p];"
    );
    let name = "st.shared::cluster.v4 ld.shared::cluster.v2".to_string();
    forms.push(form(name, &[I32, I32], &[B64, B64], &body));
}

fn atomics(forms: &mut Vec<Form>) {
    for Type(operation, operand) in types(
        "add.u32 add.u64 add.f32 add.f64 add.noftz.f16x2 min.s32 max.u64 inc.u32 xor.b64 exch.b32",
    ) {
        let width = operand.width();
        let load = format!("ld.shared.b{} %d1, [%o];", width.bits());
        for (space, address) in [(".shared::cluster", "%p"), ("", "%g")] {
            let body = format!(
                "atom.relaxed.cluster{space}.{operation} %d0, [{address}], %a1;\n{SYNC}{load}"
            );
            let generic = if space.is_empty() {
                " of another block"
            } else {
                ""
            };
            let name = format!("atom{space}.{operation}{generic}");
            forms.push(form(name, &[operand, operand], &[width, width], &body));
        }
        if operation.starts_with("exch") {
            continue;
        }
        let body =
            format!("red.relaxed.cluster.shared::cluster.{operation} [%p], %a1;\n{SYNC}{load}");
        let body = body.replace("%d1", "%d0");
        let name = format!("red.shared::cluster.{operation}");
        forms.push(form(name, &[operand, operand], &[width], &body));
    }
    let body = format!(
        "atom.acq_rel.cluster.shared::cluster.cas.b32 %d0, [%p], %a1, %a2;\n{SYNC}ld.shared.b32 %d1, [%o];"
    );
    let name = "atom.shared::cluster.cas.b32".to_string();
    forms.push(form(name, &[I32, I32, I32], &[B32, B32], &body));
}

/// Signals the next block's barrier, and waits for its own, which counts the bytes that the
/// previous block sent.
fn counted(work: &str, bytes: u32, load: &str) -> String {
    let total = bytes * 128;
    format!(
        "setp.eq.u32 %w, %t, 0;\n@%w mbarrier.init.shared.b64 [box+2048], 1;\n\
         @%w mbarrier.arrive.expect_tx.shared.b64 _, [box+2048], {total};\n{SYNC}{work}\n\
         AGAIN:\nmbarrier.try_wait.parity.shared.b64 %w, [box+2048], 0;\n@!%w bra AGAIN;\n{load}"
    )
}

fn asynchronous(forms: &mut Vec<Form>) {
    let sent = "mbarrier::complete_tx::bytes";
    for Type(t, operand) in types("b32 b64 f32 s64") {
        let width = operand.width();
        let (bits, bytes) = (width.bits(), width.bits() / 8);
        let work = format!("st.async.weak.shared::cluster.{sent}.{t} [%p+8], %a0, [%q];");
        let body = counted(&work, bytes, &format!("ld.shared.b{bits} %d0, [%o+8];"));
        forms.push(form(format!("st.async.{t}"), &[operand], &[width], &body));
    }
    let work =
        format!("st.async.shared::cluster.{sent}.v4.u32 [%p], {{%a0, %a1, %a0, %a1}}, [%q];");
    let body = counted(&work, 16, "ld.shared.v2.b64 {%d0, %d1}, [%o];");
    let name = "st.async.v4.u32".to_string();
    forms.push(form(name, &[I32, I32], &[B64, B64], &body));
    let work = format!("st.async.shared::cluster.{sent}.v2.b64 [%p], {{%a0, %a1}}, [%q];");
    let body = counted(&work, 16, "ld.shared.v2.b64 {%d0, %d1}, [%o];");
    let name = "st.async.v2.b64".to_string();
    forms.push(form(name, &[I64, I64], &[B64, B64], &body));
    for Type(operation, operand) in
        types("add.u32 add.s32 add.u64 min.u32 max.s32 inc.u32 dec.u32 and.b32 or.b32 xor.b32")
    {
        let width = operand.width();
        let (bits, bytes) = (width.bits(), width.bits() / 8);
        let work = format!(
            "red.async.relaxed.cluster.shared::cluster.{sent}.{operation} [%p], %a1, [%q];"
        );
        let body = counted(&work, bytes, &format!("ld.shared.b{bits} %d0, [%o];"));
        let name = format!("red.async.{operation}");
        forms.push(form(name, &[operand, operand], &[width], &body));
    }
    let body = counted(
        &format!("cp.async.bulk.shared::cluster.global.{sent} [%p], [%m], 16, [%q];"),
        16,
        "ld.shared.v2.b64 {%d0, %d1}, [%o];",
    );
    let body = format!("st.global.v2.b64 [%m], {{%a0, %a1}};\nfence.proxy.async;\n{body}");
    let name = "cp.async.bulk to another block".to_string();
    forms.push(form(name, &[I64, I64], &[B64, B64], &body));
}
