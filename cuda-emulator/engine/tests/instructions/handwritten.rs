//! PTX that people write and compilers do not emit: vector registers, sums as operands, persistent
//! variables in functions, invalid video instructions.

use crate::common::{load, place};
use cuda_emulator_engine::{LoadErrorKind, Program};

/// A kernel with `before` at module scope. `%out` is the address of its results.
fn text(before: &str, body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n{before}\n\
         .visible .entry k(.param .u64 p) {{\n\
         .reg .b64 %out; .reg .b32 %r<10>; .reg .b64 %d<10>; .reg .pred %p<4>;\n\
         ld.param.u64 %out, [p];\n{body}\nret;\n}}\n"
    )
}

/// Returns the first words that the kernel writes.
fn words<const N: usize>(before: &str, body: &str) -> [u32; N] {
    let m = load(&text(before, body));
    let out = m.device.upload(&[0xdead_beef_u32; N]);
    m.run("k", 1, 1, args![out]);
    m.device.download::<u32>(out, N).try_into().unwrap()
}

fn load_error(before: &str, body: &str) -> String {
    match Program::load(&text(before, body)) {
        Ok(_) => panic!("{body} loads"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn elements_of_arrays() {
    let before = ".global .align 16 .u32 a[4] = {5, 6, 7, 8}; .global .align 16 .v2 .u16 pairs[2] = {{1, 2}, {3, 4}};\n\
                  .global .u64 begins[2] = {a, pairs};";
    let got: [u32; 6] = words(
        before,
        ".shared .align 8 .b32 s[8];\n\
         ld.global.u32 %r1, a[3]; st.global.u32 [%out], %r1;\n\
         mov.u64 %d1, a[1+1]; ld.global.u32 %r1, [%d1]; st.global.u32 [%out+4], %r1;\n\
         cvta.global.u64 %d1, a[1]; ld.u32 %r1, [%d1]; st.global.u32 [%out+8], %r1;\n\
         ld.global.u16 %r1, pairs[2]; st.global.u32 [%out+12], %r1;\n\
         st.shared.u32 s[5], 9;\n\
         mov.u32 %r2, s[0]; ld.shared.u32 %r1, [%r2+20]; st.global.u32 [%out+16], %r1;\n\
         { .shared .b8 s[64]; st.shared.b32 s[4], 11; ld.shared.b32 %r1, [s+4]; }\n\
         ld.shared.u32 %r2, s[1+4]; add.u32 %r1, %r1, %r2; st.global.u32 [%out+20], %r1;",
    );
    assert_eq!(got, [8, 7, 6, 3, 9, 20]);

    let error = load_error("", "mov.u32 %r1, %r2[0];");
    assert!(error.contains("`%r2` is not an array"), "{error}");
    let error = load_error("", "{ .shared .b32 s[4]; } mov.u32 %r1, s[0];");
    assert!(error.contains("`s` is not an array"), "{error}");
    let error = load_error(before, "ld.global.u32 %r1, a[%r2];");
    assert!(error.contains("register as the index"), "{error}");
    let error = load_error(before, "prefetch.global.L1 a[1];");
    assert!(error.contains("only ld, st"), "{error}");
}

#[test]
fn vector_registers() {
    let got: [u32; 4] = words(
        "",
        ".reg .v4 .b32 v, w;\n\
         mov.v4.b32 v, {1, 2, 3, 4};\n\
         mov.v4.b32 w, {v.w, v.z, v.g, v.r};\n\
         mov.v4.b32 v, w;\n\
         add.u32 v.x, v.y, w.a;\n\
         st.global.v4.b32 [%out], v;",
    );
    assert_eq!(got, [4, 3, 2, 1]);
    let got: [u32; 6] = words(
        ".global .align 16 .u32 source[4] = {5, 6, 7, 8};",
        ".reg .v4 .u32 v<3>; .reg .v2 .b32 pair; .reg .v2 .b16 halves;\n\
         ld.global.v4.u32 v1, [source];\n\
         st.global.v2.u32 [%out], {v1.z, v1.w};\n\
         mov.b64 %d1, 0x900000008; mov.b64 pair, %d1;\n\
         st.global.v2.b32 [%out+8], pair;\n\
         mov.b32 halves, 0x00020001; st.global.v2.b16 [%out+16], halves;\n\
         mov.v2.b32 pair, {pair.y, pair.x}; mov.b64 %d2, pair; shr.u64 %d2, %d2, 32;\n\
         st.global.u32 [%out+20], %d2;",
    );
    assert_eq!(got, [7, 8, 8, 9, 0x20001, 8]);
    let got: [u32; 1] = words(
        "",
        ".reg .v4 .b32 v; mov.v4.u32 v, %ntid; st.global.u32 [%out], v.x;",
    );
    assert_eq!(got, [1]);
}

#[test]
fn counted_vector_registers_need_no_other_vector() {
    let got: [u32; 2] = words(
        "",
        ".reg .v2 .b16 y<4>;\n\
         mov.b32 y3, 0x00020001; st.global.v2.b16 [%out], y3;\n\
         mov.b16 y1.x, 3; mov.b16 y1.y, y3.x; st.global.v2.b16 [%out+4], {y1.x, y1.y};",
    );
    assert_eq!(got, [0x20001, 0x10003]);
    // The first use is an element.
    let got: [u32; 1] = words(
        "",
        ".reg .v4 .f32 v<2>; mov.f32 v1.w, 0f3f800000; st.global.f32 [%out], v1.a;",
    );
    assert_eq!(got, [0x3f80_0000]);
    let error = load_error("", ".reg .v2 .b16 y<4>; mov.b16 y4.x, 3;");
    assert!(error.contains("`y4.x` isn't declared"), "{error}");
}

#[test]
fn vector_registers_are_checked() {
    let vectors = ".reg .v2 .b32 v; .reg .v4 .b32 w;";
    for (wrong, why) in [
        ("mov.b32 %r1, v.z;", "has no element"),
        ("mov.v2.b32 v, %r1;", "must be a vector"),
        ("mov.v4.b32 w, v;", "different lengths"),
        ("mov.b32 %r1, v.q;", "`v.q` isn't declared"),
        ("ld.global.v4.b32 v, [%out];", "doesn't match"),
        ("mov.u64 %d1, v.x;", "B32 register"),
    ] {
        let error = load_error("", &format!("{vectors} {wrong}"));
        assert!(error.contains(why), "{wrong}: {error}");
    }
    for wrong in [".reg .v4 .b64 v;", ".reg .v2 .pred v;"] {
        assert!(
            load_error("", wrong).contains("at most 16 bytes"),
            "{wrong}"
        );
    }
}

#[test]
fn vectors_and_numbers_are_passed_to_functions() {
    let got: [u32; 3] = words(
        ".func (.reg .v2 .b32 q) swap(.reg .v4 .b32 a) {\n\
         mov.b32 q.x, a.y; mov.b32 q.y, a.w; ret;\n}\n\
         .func (.reg .b32 q) twice(.reg .b32 a) { add.u32 q, a, a; ret; }",
        ".reg .v4 .b32 a; .reg .v2 .b32 q;\n\
         mov.v4.b32 a, {1, 2, 3, 4};\n\
         call (q), swap, (a);\n\
         st.global.v2.b32 [%out], q;\n\
         call (%r1), twice, (21);\n\
         st.global.u32 [%out+8], %r1;",
    );
    assert_eq!(got, [2, 4, 42]);
}

#[test]
fn register_plus_number_is_an_operand() {
    let got: [u32; 5] = words(
        "",
        "mov.u32 %r1, 10;\n\
         st.global.u32 [%out], %r1+4;\n\
         mad.lo.u32 %r2, %r1+1, 2, %r1+-3; st.global.u32 [%out+4], %r2;\n\
         setp.eq.u32 %p1, %r1+2, 12; selp.u32 %r3, 1, 0, %p1; st.global.u32 [%out+8], %r3;\n\
         mov.u64 %d1, 0xffffffff; mov.u64 %d2, %d1+1; shr.u64 %d2, %d2, 32;\n\
         st.global.u32 [%out+12], %d2;\n\
         st.global.u32 [%out+16], %r1;",
    );
    assert_eq!(got, [14, 29, 1, 1, 10]);
    assert!(load_error("", "mov.pred %p1, %p2+1;").contains("predicate"));
}

#[test]
fn function_variables_are_persistent() {
    let source = text(
        ".func count(.param .u64 to) {\n\
         .global .u32 n = 5; .const .u32 steps[] = {1, 10, 100}; .global .u64 place[1] = {n};\n\
         .reg .b64 %to; .reg .b32 %s, %v;\n\
         ld.param.u64 %to, [to];\n\
         ld.const.u32 %s, [steps+4]; ld.global.u32 %v, [n]; add.u32 %v, %v, %s;\n\
         st.global.u32 [n], %v; st.global.u32 [%to], %v;\n\
         ret;\n}",
        ".param .b64 to; st.param.b64 [to], %out; call count, (to);",
    );
    let m = load(&source);
    let out = m.device.upload(&[0u32]);
    for expected in [15, 25, 35] {
        m.run("k", 1, 1, args![out]);
        assert_eq!(m.device.download::<u32>(out, 1), [expected]);
    }
    // An inner scope has a separate variable.
    let got: [u32; 2] = words(
        "",
        ".global .u32 g = 5; { .global .u32 g = 6; ld.global.u32 %r1, [g]; }\n\
         ld.global.u32 %r2, [g]; st.global.u32 [%out], %r1; st.global.u32 [%out+4], %r2;",
    );
    assert_eq!(got, [6, 5]);
}

#[test]
fn old_targets_and_pragmas() {
    for target in [
        "sm_10, map_f64_to_f32",
        "sm_20, texmode_independent",
        "sm_90, texmode_unified",
        "sm_90, debug",
    ] {
        let text = text(
            ".pragma \"nounroll\";",
            ".pragma \"a\", \"b\"; { .pragma \"nounroll\"; }",
        );
        let text = text.replace("sm_90", target);
        if let Err(error) = Program::load(&text) {
            panic!("{target}: {error}");
        }
    }
    let error = Program::load(&text("", "").replace("sm_90", "sm_90, other")).err();
    let error = error.expect("an error");
    assert_eq!(error.kind, LoadErrorKind::Unsupported);
    assert!(error.to_string().contains("other"), "{error}");
}

#[test]
fn invalid_video_instructions_are_explained() {
    for (wrong, why) in [
        ("vadd.u32.u32.u32 %r1.h0, %r2, %r3;", "third source"),
        ("vadd.u32.u32.u32.add %r1.h0, %r2, %r3, %r4;", "selector"),
        (
            "vadd.u32.u32.u32 %r1, %r2.b4, %r3;",
            "the selector `.b4` does not exist",
        ),
        ("vadd.u32.u32.u32 %r1, -%r2, %r3;", "doesn't negate"),
        ("vmad.s32.s32.s32 %r1, -%r2, %r3, -%r4;", "either"),
        (
            "vadd2.u32.u32.u32 %r1.h01, %r2, %r3, %r4;",
            "the mask `.h01` does not exist",
        ),
        (
            "vadd4.u32.u32.u32 %r1, %r2.b8000, %r3, %r4;",
            "does not exist",
        ),
        ("vadd2.u32.u32.u32.sat.add %r1, %r2, %r3, %r4;", "form"),
        ("vset4.u32.u32.lt %r1, %r2, %r3;", "third source"),
    ] {
        let error = load_error("", wrong);
        assert!(error.contains(why), "{wrong}: {error}");
    }
}

#[test]
fn declaration_must_match_its_definition() {
    let head = ".version 8.0\n.target sm_90\n.address_size 64\n";
    let caller = text(
        ".extern .func (.param .b32 q) f(.param .b32 a);",
        "{ .param .b32 a, q; st.param.b32 [a], 3; call (q), f, (a); }\n\
         st.global.u32 [%out], 7;",
    );
    for (definition, fits) in [
        ("(.param .b32 q) f(.param .b32 a)", true),
        ("f(.param .b32 a)", false),
        ("(.param .b32 q) f()", false),
        ("(.param .b32 q) f(.param .b32 a, .param .b32 b)", false),
        ("(.param .b32 q) f(.param .b64 a)", false),
        ("(.param .b64 q) f(.param .b32 a)", false),
    ] {
        let callee = format!("{head}.visible .func {definition} {{ ret; }}");
        let linked = Program::link(&[("one", &caller), ("two", &callee)]);
        let kind = linked.as_ref().err().map(|error| error.kind);
        assert_eq!(kind, (!fits).then_some(LoadErrorKind::Link), "{definition}");
        if let Ok(program) = linked {
            let m = place(program);
            let out = m.device.upload(&[0u32]);
            m.run("k", 1, 1, args![out]);
            assert_eq!(m.device.download::<u32>(out, 1), [7], "{definition}");
        }
    }
    // In a single text, the compiler sees both.
    let both = text(
        ".func f(.param .b32 a) { ret; }",
        ".param .b32 a, q; st.param.b32 [a], 3; call (q), f, (a);",
    );
    assert!(Program::load(&both).is_err());
}

#[test]
fn current_graph_is_zero_without_a_graph() {
    let body = "mov.u64 %d1, %current_graph_exec; st.global.u64 [%out], %d1;";
    assert_eq!(words("", body), [0, 0]);
}
