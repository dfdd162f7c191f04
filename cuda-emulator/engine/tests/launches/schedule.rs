//! Blocks that wait for blocks, warps that run concurrently, and endless loops.

use std::time::Duration;

use crate::common::{Loaded, load};
use cuda_emulator_engine::{FaultKind, Options};

/// Each block waits for the previous one and passes a sum on, as in a single-pass scan. With
/// `spin`, the waiting thread reads repeatedly, otherwise it uses an atomic.
const CHAIN: &str = r#"
.version 8.0
.target sm_80
.address_size 64
.visible .entry chain(.param .u64 sums, .param .u32 spin) {
    .reg .b32 %r<9>; .reg .b64 %rd<6>; .reg .pred %p<5>;
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra DONE;
    mov.u32 %r2, %ctaid.x;
    ld.param.u64 %rd1, [sums];
    ld.param.u32 %r3, [spin];
    setp.eq.u32 %p3, %r3, 0;
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd1, %rd1, %rd2;
    mov.u32 %r4, 1;
    setp.eq.u32 %p2, %r2, 0;
    @%p2 bra HAND;
WAIT:
    @%p3 atom.global.add.u32 %r5, [%rd1+-4], 0;
    @!%p3 ld.relaxed.gpu.global.u32 %r5, [%rd1+-4];
    setp.eq.u32 %p4, %r5, 0;
    @%p4 bra WAIT;
    add.u32 %r4, %r5, 1;
HAND:
    st.relaxed.gpu.global.u32 [%rd1], %r4;
DONE:
    ret;
}
"#;

#[test]
fn blocks_wait_for_lower_ones() {
    // ThreadSanitizer makes waiting many times slower.
    let most = if cfg!(cuda_emulator_tsan) { 130 } else { 500 };
    for blocks in [40u32, 64, 65, most] {
        for seed in [None, Some(0), Some(1), Some(7), Some(0xdead_beef)] {
            for threads in [1, 2, 5] {
                for (resident_blocks, spin) in [(64, 0), (64, 1), (3, 1), (1, 1)] {
                    let mut m = load(CHAIN);
                    m.options = Options {
                        seed,
                        threads,
                        resident_blocks,
                        time_limit: Some(Duration::from_secs(60)),
                        ..Options::default()
                    };
                    let sums = m.device.upload(&vec![0u32; blocks as usize]);
                    m.run("chain", blocks, 32, args![sums, spin]);
                    let want: Vec<u32> = (1..=blocks).collect();
                    assert_eq!(m.device.download::<u32>(sums, blocks as usize), want);
                }
            }
        }
    }
}

/// Returns a program with a missing barrier. In each round, there are `gap` instructions between
/// the read of a neighbor's word and the write of the thread's own word. The barrier after the read
/// is missing.
fn forgetful(gap: usize) -> Loaded {
    let work = "    add.u32 %r7, %r7, 1;\n".repeat(gap);
    load(&format!(
        r#"
.version 8.0
.target sm_80
.address_size 64
.visible .entry rounds(.param .u64 out) {{
    .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p<3>;
    .shared .align 4 .b8 s[1024];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, s;
    shl.b32 %r3, %r1, 2;
    add.u32 %r4, %r3, 128;
    and.b32 %r4, %r4, 1023;
    add.u32 %r3, %r2, %r3;
    add.u32 %r4, %r2, %r4;
    st.shared.u32 [%r3], %r1;
    mov.u32 %r6, 0;
L:
    bar.sync 0;
    ld.shared.u32 %r5, [%r4];
{work}    st.shared.u32 [%r3], %r5;
    add.u32 %r6, %r6, 1;
    setp.lt.u32 %p1, %r6, 5;
    @%p1 bra L;
    ld.param.u64 %rd1, [out];
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd1, %rd1, %rd2;
    st.global.u32 [%rd1], %r5;
    ret;
}}
"#
    ))
}

#[test]
fn warps_stay_close_after_a_barrier() {
    let want: Vec<u32> = (0..256).map(|t| (t + 5 * 32) % 256).collect();
    let run = |gap, options| {
        let mut m = forgetful(gap);
        m.options = options;
        let out = m.device.allocate(1024, true);
        m.try_run("rounds", [1; 3], [256, 1, 1], 0, false, args![out])?;
        Ok::<_, cuda_emulator_engine::Fault>(m.device.download::<u32>(out, 256))
    };
    // It works as on a GPU, although nothing guarantees that.
    for gap in [8, 20, 60] {
        assert_eq!(run(gap, Options::default()).unwrap(), want, "{gap}");
        // A seed exposes the mistake, and so does the check.
        let seeded = |seed| Options {
            seed: Some(seed),
            ..Options::default()
        };
        assert!((0..20).any(|seed| run(gap, seeded(seed)).unwrap() != want));
        let checked = Options {
            check_race: true,
            ..Options::default()
        };
        let fault = run(gap, checked).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Check, "{fault}");
        assert!(fault.report.contains("since the read"), "{fault}");
    }
}

#[test]
fn a_loop_around_a_barrier_ends_with_the_time_limit() {
    for body in ["bar.sync 0;", "@%p1 bar.sync 1, 32; @!%p1 bar.sync 2, 32; add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 1;
        add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 1;"] {
        for seed in [None, Some(1)] {
            let mut m = load(&format!(
                ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {{ .reg .b32 %r<3>; .reg .pred %p<2>;
                mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @%p1 add.u32 %r2, %r2, 1; L: {body} bra L; }}"
            ));
            m.options = Options {
                seed,
                time_limit: Some(Duration::from_millis(50)),
                ..Options::default()
            };
            let fault = m.fault("k", 1, 64, args![]);
            assert_eq!(fault.kind, FaultKind::Timeout, "{fault}");
            assert!(fault.report.contains("time limit"), "{fault}");
        }
    }
}
