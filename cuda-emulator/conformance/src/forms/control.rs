//! Divergent control flow, calls, and immediate operands.

use crate::form::Form;
use crate::operand::{Operand::*, Width::*};

pub fn add(forms: &mut Vec<Form>) {
    flow(forms);
    calls(forms);
    immediates(forms);
}

fn flow(forms: &mut Vec<Form>) {
    let mut push = |name: &str, body: &str| {
        forms.push(Form::new(name, &[I32], &[B32]).body(body));
    };
    push(
        "loop of a number of rounds that each lane has for itself",
        "{\n.reg .pred stop, odd;\n.reg .b32 n;\nmov.b32 %d0, 0;\nand.b32 n, %a0, 0xffff;\nadd.u32 n, n, 1;\n\
         again:\nsetp.le.u32 stop, n, 1;\nsetp.ge.or.u32 stop, %d0, 200, stop;\n@stop bra done;\n\
         and.b32 %x, n, 1;\nsetp.eq.u32 odd, %x, 1;\n@odd mad.lo.u32 n, n, 3, 1;\n@!odd shr.u32 n, n, 1;\n\
         add.u32 %d0, %d0, 1;\nbra again;\ndone:\n}",
    );
    push(
        "nested loops with a way out of both",
        "{\n.reg .pred p;\n.reg .b32 i, j, n;\nand.b32 n, %a0, 31;\nmov.b32 %d0, 0;\nmov.b32 i, 0;\n\
         outer:\nsetp.gt.u32 p, i, n;\n@p bra out;\nmov.b32 j, 0;\n\
         inner:\nsetp.gt.u32 p, j, i;\n@p bra next;\nmad.lo.u32 %d0, i, j, %d0;\n\
         setp.gt.u32 p, %d0, 3000;\n@p bra out;\nadd.u32 j, j, 1;\nbra inner;\n\
         next:\nadd.u32 i, i, 1;\nbra outer;\nout:\nadd.u32 %d0, %d0, n;\n}",
    );
    push(
        "a loop with two ways in",
        "{\n.reg .pred p;\n.reg .b32 n;\nand.b32 n, %a0, 63;\nmov.b32 %d0, 1;\n\
         and.b32 %x, n, 1;\nsetp.eq.u32 p, %x, 0;\n@p bra middle;\n\
         top:\nmad.lo.u32 %d0, %d0, 5, n;\nmiddle:\nxor.b32 %d0, %d0, n;\n\
         setp.lt.u32 p, n, 2;\nsub.u32 n, n, 2;\n@!p bra top;\n}",
    );
    push(
        "threads that return early",
        "{\n.reg .pred p;\nmov.b32 %d0, 0xabc;\nand.b32 %x, %a0, 3;\nsetp.eq.u32 p, %x, 2;\n@p ret;\n\
         setp.eq.u32 p, %x, 1;\n@p exit;\nbar.sync 0;\n}",
    );
    push(
        "a ballot after branches have met again",
        "{\n.reg .pred p, q;\nand.b32 %x, %a0, 3;\nsetp.ne.u32 p, %x, 0;\nmov.b32 %d0, %a0;\n\
         @p bra join;\nmul.lo.u32 %d0, %d0, 77;\nadd.u32 %d0, %d0, 5;\njoin:\nbar.warp.sync 0xffffffff;\n\
         setp.gt.u32 q, %d0, 1000;\nvote.sync.ballot.b32 %d0, q, 0xffffffff;\n}",
    );
    push(
        "a lock taken by every thread of the block in turn",
        "{\n.reg .pred p;\n.reg .b32 old;\n.shared .b32 lock, counter;\nsetp.eq.u32 p, %y, 0;\n\
         @p st.shared.b32 [lock], 0;\n@p st.shared.b32 [counter], 0;\nbar.sync 0;\n\
         try:\natom.shared.cas.b32 old, [lock], 0, 1;\nsetp.ne.b32 p, old, 0;\n@p bra try;\n\
         membar.cta;\nld.volatile.shared.b32 old, [counter];\nand.b32 %x, %a0, 0xff;\nadd.u32 old, old, %x;\n\
         st.volatile.shared.b32 [counter], old;\nmembar.cta;\natom.shared.exch.b32 old, [lock], 0;\n\
         bar.sync 0;\nld.shared.b32 %d0, [counter];\n}",
    );
    push(
        "a local array at an index of each lane's own",
        "{\n.local .align 4 .b8 table[64];\n.reg .b64 base, at;\n.reg .b32 i;\n.reg .pred p;\nmov.u64 base, table;\n\
         mov.b32 i, 0;\nfill:\nmad.wide.u32 at, i, 4, base;\nmad.lo.u32 %x, i, 17, %a0;\nst.local.b32 [at], %x;\n\
         add.u32 i, i, 1;\nsetp.lt.u32 p, i, 16;\n@p bra fill;\nand.b32 i, %a0, 15;\n\
         mad.wide.u32 at, i, 4, base;\nld.local.b32 %d0, [at];\n}",
    );
    push(
        "predicated loads and stores",
        "{\n.reg .pred p;\nand.b32 %x, %a0, 1;\nsetp.eq.u32 p, %x, 1;\nst.global.b32 [%m], 5;\n\
         @p st.global.b32 [%m], %a0;\nmov.b32 %d0, 9;\n@!p ld.global.b32 %d0, [%m];\n@p ld.global.b32 %d0, [%m];\n}",
    );
}

fn calls(forms: &mut Vec<Form>) {
    let form = Form::new("call of a function that calls itself", &[I32], &[B32]);
    let function = ".func (.reg .b32 r) fibonacci(.reg .b32 n)\n{\n.reg .pred p;\n.reg .b32 a, b, m;\n\
         setp.lt.u32 p, n, 2;\n@p bra small;\nsub.u32 m, n, 1;\ncall (a), fibonacci, (m);\n\
         sub.u32 m, n, 2;\ncall (b), fibonacci, (m);\nadd.u32 r, a, b;\nret;\nsmall:\nmov.b32 r, n;\nret;\n}";
    let body = "and.b32 %x, %a0, 7;\ncall (%d0), fibonacci, (%x);";
    forms.push(form.globals(function).body(body).blocks(1));
    let form = Form::new("call through a table of functions", &[I32, I32], &[B32]);
    let function = ".func (.param .b32 r) twice(.param .b32 n)\n{\n.reg .b32 t;\nld.param.b32 t, [n];\n\
         add.u32 t, t, t;\nst.param.b32 [r], t;\nret;\n}\n\
         .func (.param .b32 r) squared(.param .b32 n)\n{\n.reg .b32 t;\nld.param.b32 t, [n];\n\
         mul.lo.u32 t, t, t;\nst.param.b32 [r], t;\nret;\n}\n\
         .global .align 8 .u64 table[2] = {twice, squared};";
    let body = "{\n.reg .b64 at;\nand.b32 %x, %a0, 1;\nmov.u64 at, table;\nmad.wide.u32 at, %x, 8, at;\n\
         ld.global.u64 at, [at];\n{\n.param .b32 p0;\n.param .b32 r0;\nst.param.b32 [p0], %a1;\n\
         shape: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (r0), at, (p0), shape;\n\
         ld.param.b32 %d0, [r0];\n}\n}";
    forms.push(form.globals(function).body(body).blocks(1));
    let form = Form::new("alloca", &[I32], &[B32]);
    let body = "{\n.reg .b64 at, size;\nand.b32 %x, %a0, 3;\nmad.lo.u32 %x, %x, 16, 16;\ncvt.u64.u32 size, %x;\n\
         alloca.u64 at, size, 16;\ncvta.local.u64 at, at;\nst.b32 [at+12], %a0;\nld.b32 %d0, [at+12];\n}";
    forms.push(form.body(body).blocks(1).optional());
}

fn immediates(forms: &mut Vec<Form>) {
    for (name, operand, line) in [
        ("add.s32 decimal", I32, "add.s32 %d0, %a0, -5;"),
        ("add.u32 hexadecimal", I32, "add.u32 %d0, %a0, 0xFFFFfffeU;"),
        ("xor.b32 octal", I32, "xor.b32 %d0, %a0, 0777;"),
        ("or.b32 binary", I32, "or.b32 %d0, %a0, 0b10101;"),
        (
            "and.b32 expression",
            I32,
            "and.b32 %d0, %a0, (1 << 20) - 1;",
        ),
        ("add.u16 negative", I16, "add.u16 %d0, %a0, -1;"),
        (
            "mul.lo.s64 wide",
            I64,
            "mul.lo.s64 %d0, %a0, -0x123456789ab;",
        ),
        ("and.b64 sign", I64, "and.b64 %d0, %a0, -256;"),
        ("sub.u64 first", I64, "sub.u64 %d0, 100, %a0;"),
        ("add.rn.f32 decimal", F32, "add.rn.f32 %d0, %a0, 0.1;"),
        ("mul.rn.f32 bits", F32, "mul.rn.f32 %d0, %a0, 0fC0490FDB;"),
        (
            "fma.rn.f32 negative",
            F32,
            "fma.rn.f32 %d0, %a0, -2.5, 1.0e-3;",
        ),
        ("add.rn.f64 decimal", F64, "add.rn.f64 %d0, %a0, 0.1;"),
        (
            "mul.rn.f64 bits",
            F64,
            "mul.rn.f64 %d0, %a0, 0dC00921FB54442D18;",
        ),
        ("mad.lo.s32 all", I32, "mad.lo.s32 %d0, %a0, 3, -7;"),
        (
            "selp.b32 both",
            I32,
            "{\n.reg .pred p;\nsetp.lt.s32 p, %a0, 100;\nselp.b32 %d0, -1, 7, p;\n}",
        ),
        ("sub.u32 WARP_SZ", I32, "sub.u32 %d0, %a0, WARP_SZ;"),
    ] {
        let form = Form::new(format!("{name} immediate"), &[operand], &[operand.width()]);
        forms.push(form.body(line).blocks(1));
    }
}
