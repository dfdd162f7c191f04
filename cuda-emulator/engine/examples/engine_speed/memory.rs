//! Kernels that mainly load and store.

use std::fmt::Write as _;
use std::time::Duration;

use super::common::{Loaded, load};
use super::{best, threads, wanted};
use crate::args;

/// The layout of the lanes' addresses in one kind of memory.
struct Form {
    name: &'static str,
    space: &'static str,
    /// The modifiers of the access: vector and type.
    access: &'static str,
    registers: &'static str,
    bytes: u32,
    /// The distance between lanes, in accesses.
    step: u32,
}

const fn form(
    name: &'static str,
    space: &'static str,
    access: &'static str,
    registers: &'static str,
    bytes: u32,
    step: u32,
) -> Form {
    Form {
        name,
        space,
        access,
        registers,
        bytes,
        step,
    }
}

const FORMS: [Form; 18] = [
    form("u32", "global", "u32", "%r10", 4, 1),
    form("u32_shared", "shared", "u32", "%r10", 4, 1),
    form("u32_local", "local", "u32", "%r10", 4, 0),
    form("u32_strided", "global", "u32", "%r10", 4, 3),
    form("u32_same", "global", "u32", "%r10", 4, 0),
    form("u8", "global", "u8", "%r10", 1, 1),
    form("s16", "global", "s16", "%r10", 2, 1),
    form("u64", "global", "u64", "%rd10", 8, 1),
    form("v2_u32", "global", "v2.u32", "{%r10, %r11}", 8, 1),
    form(
        "v4_u32",
        "global",
        "v4.u32",
        "{%r10, %r11, %r12, %r13}",
        16,
        1,
    ),
    form(
        "v4_u32_shared",
        "shared",
        "v4.u32",
        "{%r10, %r11, %r12, %r13}",
        16,
        1,
    ),
    form(
        "v4_u32_strided",
        "global",
        "v4.u32",
        "{%r10, %r11, %r12, %r13}",
        16,
        3,
    ),
    form(
        "v4_u32_same",
        "global",
        "v4.u32",
        "{%r10, %r11, %r12, %r13}",
        16,
        0,
    ),
    form(
        "v4_u32_local",
        "local",
        "v4.u32",
        "{%r10, %r11, %r12, %r13}",
        16,
        0,
    ),
    form("v2_u64", "global", "v2.u64", "{%rd10, %rd11}", 16, 1),
    form("v4_u8", "global", "v4.u8", "{%r10, %r11, %r12, %r13}", 4, 1),
    form(
        "v4_u16",
        "global",
        "v4.u16",
        "{%r10, %r11, %r12, %r13}",
        8,
        1,
    ),
    form("v2_u16", "global", "v2.u16", "{%r10, %r11}", 4, 1),
];

/// A round has eight loads and eight stores.
fn text(form: &Form, lanes: u32) -> String {
    let mut text = format!(
        "
.version 7.8
.target sm_90
.address_size 64
.visible .entry {name}(.param .u64 data, .param .u32 n) {{
    .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .pred %p<3>;
    .shared .align 16 .b8 window[16384];
    .local .align 16 .b8 own[64];
    mov.u32 %r1, %tid.x;
    setp.ge.u32 %p2, %r1, {lanes};
    @%p2 ret;
    ld.param.u32 %r3, [n];
    mov.u32 %r2, 0;
    mul.lo.u32 %r1, %r1, {step};
    mul.wide.u32 %rd2, %r1, 1;
",
        name = form.name,
        step = form.step * form.bytes,
    );
    let base = match form.space {
        "global" => "ld.param.u64 %rd1, [data];",
        "shared" => "mov.u64 %rd1, window;",
        _ => "mov.u64 %rd1, own;",
    };
    let (space, access, registers) = (form.space, form.access, form.registers);
    writeln!(text, "    {base}\n    add.u64 %rd1, %rd1, %rd2;\nL:").expect("text grows");
    for _ in 0..8 {
        writeln!(
            text,
            "    ld.{space}.{access} {registers}, [%rd1];\n    st.{space}.{access} [%rd1], {registers};"
        )
        .expect("text grows");
    }
    text + "
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, %r3;
    @%p1 bra L;
    ret;
}
"
}

/// Measures the nanoseconds of a warp's load and store.
pub fn measure() {
    for form in &FORMS {
        for lanes in [32, 20] {
            let line = format!("ld and st of {}, {lanes} lanes", form.name);
            if wanted(&line) {
                let mut m: Loaded = load(&text(form, lanes));
                m.options.time_limit = None;
                m.options.threads = threads()[0];
                let data = m.device.allocate(1 << 14, true);
                let rounds = 20_000;
                let time: Duration = best(5, || {
                    m.run(form.name, 1, 32, args![data, rounds]);
                });
                let each = time.as_nanos() as f64 / f64::from(8 * rounds);
                println!("{line}: {each:.1} ns");
            }
        }
    }
}
