//! Instructions that depend on other lanes, and special registers with the same values in every
//! run.

use crate::form::Form;
use crate::operand::{
    Operand::*,
    Width::{self, *},
};

const ALL: &str = "0xffffffff";

pub fn add(forms: &mut Vec<Form>) {
    shuffles(forms);
    votes(forms);
    barriers(forms);
    special_registers(forms);
}

fn shuffles(forms: &mut Vec<Form>) {
    // Clamp values and segment masks: whole warp, segments of 16, 8, 4, and odd ones.
    let bounds: &[u32] = &[
        0x1f, 0x0, 0x101f, 0x1000, 0x181f, 0x1800, 0x1c1f, 0x1c03, 0x1e1f, 0x7, 0x10, 0x1f1f,
        0x0a05, !0,
    ];
    for mode in ["up", "down", "bfly", "idx"] {
        let name = format!("shfl.sync.{mode}.b32");
        let form = Form::new(&name, &[I32, Lane, OneOf(bounds)], &[B32, Width::Pred]);
        let body = format!("{name} %d0|%d1, %a0, %a1, %a2, {ALL};");
        forms.push(form.body(body).blocks(8));
        let form = Form::new(format!("{name} without predicate"), &[I32, Lane], &[B32]);
        let bound = if mode == "up" { "0" } else { "0x1f" };
        forms.push(form.body(format!("{name} %d0, %a0, %a1, {bound}, {ALL};")));
        // Only the lower half of the warp executes the shuffle, and the source lane is within it.
        let half = format!("{name} by half a warp");
        let form = Form::new(half, &[I32, Lane], &[B32, Width::Pred]);
        let bound = if mode == "up" { "0x1000" } else { "0x100f" };
        let body = format!(
            "mov.b32 %d0, 7;\nsetp.ne.b32 %d1, %d0, 7;\nmov.u32 %x, %laneid;\n\
             {{\n.reg .pred half;\nsetp.lt.u32 half, %x, 16;\n@!half bra skip;\n\
             {name} %d0|%d1, %a0, %a1, {bound}, 0xffff;\nskip:\n}}"
        );
        forms.push(form.body(body));
    }
}

fn votes(forms: &mut Vec<Form>) {
    for (mode, width) in [
        ("all.pred", Width::Pred),
        ("any.pred", Width::Pred),
        ("uni.pred", Width::Pred),
        ("ballot.b32", B32),
    ] {
        let name = format!("vote.sync.{mode}");
        // Mostly true, mostly false and mixed warps.
        for (what, test) in [
            ("rare", "and.b32 %x, %a0, 0x7f;\nsetp.eq.b32 p, %x, 0x7f;"),
            ("mixed", "and.b32 %x, %a0, 1;\nsetp.eq.b32 p, %x, 0;"),
            ("uniform", "setp.ne.b32 p, %m0, 1;"),
        ] {
            for not in ["", "!"] {
                let test = test.replace("%m0", "%x");
                let form = Form::new(format!("{name} {what} {not}p"), &[I32], &[width]);
                let body = format!(
                    "{{\n.reg .pred p;\nmov.b32 %x, 0;\n{test}\n{name} %d0, {not}p, {ALL};\n}}"
                );
                forms.push(form.body(body));
            }
        }
        let form = Form::new(format!("{name} in a branch"), &[Truth], &[width]);
        let nothing = match width {
            Width::Pred => "setp.ne.b32 %d0, 0, 0;",
            _ => "mov.b32 %d0, 0;",
        };
        let body = format!(
            "{nothing}\n{{\n.reg .pred third;\nmov.u32 %x, %laneid;\nrem.u32 %x, %x, 3;\n\
             setp.eq.u32 third, %x, 0;\n@!third bra skip;\n\
             {name} %d0, %a0, 0x49249249;\nskip:\n}}"
        );
        forms.push(form.body(body));
    }
    let values: &[u32] = &[0, 1, 0xffff_ffff, 7, 0x8000_0000];
    let form = Form::new("match.any.sync.b32", &[OneOf(values)], &[B32]);
    forms.push(form.body(format!("match.any.sync.b32 %d0, %a0, {ALL};")));
    let form = Form::new("match.any.sync.b64", &[OneOf(values); 2], &[B32]);
    forms.push(form.body(format!(
        "{{\n.reg .b64 wide;\nmov.b64 wide, {{%a0, %a1}};\nmatch.any.sync.b64 %d0, wide, {ALL};\n}}"
    )));
    for bits in ["b32", "b64"] {
        // Warps 0 and 2 of a block agree.
        let name = format!("match.all.sync.{bits}");
        let form = Form::new(name, &[I32], &[B32, Width::Pred]);
        let body = format!(
            "{{\n.reg .{bits} value;\nand.b32 %x, %i, 32;\nmin.u32 %x, %x, %a0;\n\
             cvt.u{0}.u32 value, %x;\nmatch.all.sync.{bits} %d0|%d1, value, {ALL};\n}}",
            &bits[1..]
        );
        forms.push(form.body(body));
    }
    let operations = "add.u32 add.s32 min.u32 min.s32 max.u32 max.s32 and.b32 or.b32 xor.b32";
    for operation in operations.split(' ') {
        let name = format!("redux.sync.{operation}");
        let form = Form::new(&name, &[I32], &[B32]);
        forms.push(form.body(format!("{name} %d0, %a0, {ALL};")).blocks(8));
        let form = Form::new(format!("{name} in a branch"), &[I32], &[B32]);
        let body = format!(
            "mov.b32 %d0, 0;\n{{\n.reg .pred odd;\nmov.u32 %x, %laneid;\nand.b32 %x, %x, 1;\n\
             setp.eq.u32 odd, %x, 1;\n@!odd bra skip;\n\
             {name} %d0, %a0, 0xaaaaaaaa;\nskip:\n}}"
        );
        forms.push(form.body(body));
    }
    let form = Form::new("activemask.b32", &[], &[B32]);
    forms.push(form);
    // On this device, the smallest lane of the mask is elected.
    for mask in ["0xffffffff", "0xfff0"] {
        let form = Form::new(format!("elect.sync {mask}"), &[], &[B32, Width::Pred]);
        let body = format!(
            "mov.b32 %d0, 99;\nsetp.ne.b32 %d1, 0, 0;\n{{\n.reg .pred within;\n.reg .b32 bit;\n\
             mov.u32 %x, %laneid;\nshr.u32 bit, {mask}, %x;\nand.b32 bit, bit, 1;\n\
             setp.eq.u32 within, bit, 1;\n@!within bra skip;\n\
             elect.sync %d0|%d1, {mask};\nskip:\n}}"
        );
        forms.push(form.body(body));
    }
}

fn barriers(forms: &mut Vec<Form>) {
    for (name, width) in [
        ("barrier.red.popc.aligned.u32", B32),
        ("barrier.red.and.aligned.pred", Width::Pred),
        ("barrier.red.or.aligned.pred", Width::Pred),
        ("bar.red.popc.u32", B32),
        ("bar.red.and.pred", Width::Pred),
        ("bar.red.or.pred", Width::Pred),
        ("barrier.cta.red.popc.aligned.u32", B32),
    ] {
        let form = Form::new(name, &[I32], &[width]);
        let body = format!(
            "{{\n.reg .pred p;\nand.b32 %x, %a0, 0xf;\nsetp.ne.b32 p, %x, 3;\n\
             {name} %d0, 0, p;\n}}"
        );
        forms.push(form.body(body));
        let form = Form::new(format!("{name} all"), &[], &[width]);
        let body = format!("{{\n.reg .pred p;\nsetp.ge.u32 p, %i, 0;\n{name} %d0, 1, 128, !p;\n}}");
        forms.push(form.body(body));
    }
    // The value that thread 127 − t of the block wrote.
    for (name, wait) in [
        ("bar.sync", "bar.sync 0;"),
        ("bar.sync with a count", "bar.sync 3, 128;"),
        ("barrier.sync", "barrier.sync 2;"),
        ("barrier.cta.sync.aligned", "barrier.cta.sync.aligned 0;"),
    ] {
        exchange(forms, name, wait, "sub.u32 %x, 127, %y;");
    }
    exchange(
        forms,
        "bar.warp.sync",
        "bar.warp.sync 0xffffffff;",
        "xor.b32 %x, %y, 31;",
    );
}

fn exchange(forms: &mut Vec<Form>, name: &str, wait: &str, other: &str) {
    let form = Form::new(format!("{name} exchange"), &[I64], &[B64]);
    let body = format!(
        "{{\n.shared .b64 slots[128];\n.reg .b32 at;\nmov.u32 at, slots;\nmad.lo.u32 at, %y, 8, at;\n\
         st.shared.b64 [at], %a0;\n{wait}\n{other}\n\
         mov.u32 at, slots;\nmad.lo.u32 at, %x, 8, at;\nld.shared.b64 %d0, [at];\n}}"
    );
    forms.push(form.body(body));
}

fn special_registers(forms: &mut Vec<Form>) {
    let names = "%tid.x %tid.y %tid.z %ntid.x %ntid.y %ntid.z %ctaid.x %ctaid.y %ctaid.z \
        %nctaid.x %nctaid.y %nctaid.z %laneid %lanemask_eq %lanemask_le %lanemask_lt %lanemask_ge \
        %lanemask_gt %dynamic_smem_size %total_smem_size";
    let of_clusters = "%cluster_ctaid.x %cluster_nctaid.x %cluster_ctarank %cluster_nctarank \
        %clusterid.x %nclusterid.x";
    let form = |name: &str| {
        let form = Form::new(format!("mov.u32 {name}"), &[], &[B32]);
        form.body(format!("mov.u32 %d0, {name};")).blocks(3)
    };
    forms.extend(names.split_whitespace().map(form));
    forms.extend(
        of_clusters
            .split_whitespace()
            .map(|name| form(name).optional()),
    );
    let form = Form::new("mov.pred %is_explicit_cluster", &[], &[Width::Pred]);
    forms.push(form.body("mov.pred %d0, %is_explicit_cluster;").optional());
    let form = Form::new("mov.u32 WARP_SZ", &[], &[B32]);
    forms.push(form.body("mov.u32 %d0, WARP_SZ;"));
}
