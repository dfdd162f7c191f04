//! The properties of an access that the checks use: its ordering, and the bytes that matter.

use crate::common::{Loaded, load};
use cuda_emulator_engine::{FaultKind, LoadErrorKind, Program};

/// A kernel of two warps. The first writes 12 bytes of shared memory, or executes `first`. Then the
/// second executes `second`, after a barrier if `barrier` contains one.
fn kernel(first: &str, barrier: &str, second: &str) -> String {
    format!(
        r#"
.version 8.3
.target sm_90
.address_size 64
.visible .entry k() {{
    .reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .pred %p<4>;
    .shared .align 32 .b8 window[64];
    mov.u32 %r1, %tid.x;
    setp.ge.u32 %p1, %r1, 32;
    mov.u32 %r3, 0;
    mov.u32 %r4, 0;
    mov.u32 %r5, 0;
    @%p1 bra SECOND;
    {first}
SECOND:
    {barrier}
    @!%p1 bra END;
    {second}
END:
    ret;
}}
"#
    )
}

fn module(first: &str, barrier: &str, second: &str) -> Loaded {
    let mut m = load(&kernel(first, barrier, second));
    m.options.threads = 1;
    m
}

/// Returns the report of the check, if any.
fn found(m: &Loaded) -> Option<String> {
    match m.try_run("k", [1, 1, 1], [64, 1, 1], 0, false, &[]) {
        Ok(_) => None,
        Err(fault) => {
            assert_eq!(fault.kind, FaultKind::Check, "{fault}");
            Some(fault.report)
        }
    }
}

#[test]
fn strong_accesses_do_not_race() {
    const STRONG_WRITES: [&str; 7] = [
        "st.volatile.shared.u32 [window], %r3;",
        "st.relaxed.cta.shared.u32 [window], %r3;",
        "st.release.gpu.shared.u32 [window], %r3;",
        "atom.shared.add.u32 %r4, [window], 1;",
        "red.shared.max.u32 [window], 1;",
        "atom.shared.exch.b32 %r4, [window], 1;",
        "st.relaxed.cta.shared.v2.u32 [window], {%r3, %r3};",
    ];
    const STRONG_READS: [&str; 4] = [
        "ld.volatile.shared.u32 %r5, [window];",
        "ld.relaxed.cta.shared.u32 %r5, [window];",
        "ld.acquire.gpu.shared.u32 %r5, [window];",
        "ld.relaxed.cta.shared.v2.u32 {%r5, %r6}, [window];",
    ];
    const WEAK_WRITES: [&str; 2] = [
        "st.shared.u32 [window], %r3;",
        "st.weak.shared.v2.u32 [window], {%r3, %r3};",
    ];
    const WEAK_READS: [&str; 1] = ["ld.shared.u32 %r5, [window];"];
    let check = |first: &str, second: &str, races: bool| {
        let mut m = module(first, "", second);
        m.options.check_race = true;
        let report = found(&m);
        assert_eq!(report.is_some(), races, "{first} {second}: {report:?}");
        assert!(report.is_none_or(|r| r.contains("race on shared memory")));
        // A barrier orders all of them.
        let mut m = module(first, "bar.sync 0;", second);
        m.options.check_race = true;
        assert_eq!(found(&m), None, "{first} {second}");
    };
    let reads = |list: &[&'static str]| list.to_vec();
    let strong = [reads(&STRONG_WRITES), reads(&STRONG_READS)].concat();
    let weak = [reads(&WEAK_WRITES), reads(&WEAK_READS)].concat();
    for first in &strong {
        for second in &strong {
            check(first, second, false);
        }
    }
    for first in &weak {
        for second in &STRONG_WRITES {
            check(first, second, true);
            check(second, first, true);
        }
    }
    for first in &WEAK_WRITES {
        for second in &STRONG_READS {
            check(first, second, true);
            check(second, first, true);
        }
        for second in &weak {
            check(first, second, true);
            check(second, first, true);
        }
    }
    // A strong write does not hide the warp's earlier weak write.
    let both = format!("{} {}", WEAK_WRITES[0], STRONG_WRITES[0]);
    check(&both, STRONG_READS[0], true);
    // A strong read does not hide an earlier weak read.
    let both = format!("{} {}", WEAK_READS[0], STRONG_READS[0]);
    check(&both, STRONG_WRITES[0], true);
}

const WRITES: &str = "
    st.shared.u32 [window], %r3;
    st.shared.u32 [window+4], %r3;
    st.shared.u32 [window+8], %r3;";

#[test]
fn unused_bytes_may_be_uninitialized() {
    let whole = "ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [window];";
    let check = |second: &str, bad: Option<&str>| {
        let mut m = module(WRITES, "bar.sync 0;", second);
        m.options.check_uninit = true;
        match (found(&m), bad) {
            (None, None) => {}
            (Some(report), Some(text)) => {
                assert!(report.contains(text), "`{text}` isn't in:\n{report}");
            }
            (found, bad) => panic!("{second}: {found:?}, expected {bad:?}"),
        }
    };
    check(whole, Some("read of 16 bytes at shared address 0x0"));
    for mask in ["0xfff", "0x0FFF", "4095", "0xf0f", "0x0", "0xf"] {
        check(
            &format!(".pragma \"used_bytes_mask {mask}\"; {whole}"),
            None,
        );
    }
    check(
        &format!(".pragma \"used_bytes_mask 0xf00f\"; {whole}"),
        Some("read of 4 bytes at shared address 0xc"),
    );
    // The mask applies only to the next load.
    check(
        &format!(".pragma \"used_bytes_mask 0xfff\"; {whole} {whole}"),
        Some("read of 16 bytes"),
    );
    // It also works for a single value. Other pragmas have no effect.
    check(
        ".pragma \"used_bytes_mask 0xf\"; ld.shared.u64 %rd1, [window+8];",
        None,
    );
    check("ld.shared.u64 %rd1, [window+8];", Some("read of 8 bytes"));
    check(
        &format!(".pragma \"nounroll\"; {whole}"),
        Some("read of 16 bytes"),
    );
}

#[test]
fn invalid_masks_are_rejected() {
    for mask in ["", "0xg", "0x1ffffffff", "all"] {
        let text = format!(".pragma \"used_bytes_mask {mask}\";");
        let Err(error) = Program::load(&kernel("", "", &text)) else {
            panic!("{mask} was taken");
        };
        assert_eq!(error.kind, LoadErrorKind::Syntax, "{error}");
        assert!(error.to_string().contains("used_bytes_mask"), "{error}");
    }
}
