//! Member masks of warp-wide operations: masks that do not contain the lane, different masks, and
//! ended lanes.
//!
//! The expected results were observed on an H200 (driver 580, CUDA 13.0). `vote`, `shfl`, `match`,
//! `redux`, `elect` and `bar.warp.sync` by a lane outside its own mask return
//! `CUDA_ERROR_ILLEGAL_INSTRUCTION` if the mask is in a register. An immediate mask is ignored.

use crate::common::{Loaded, load};
use cuda_emulator_engine::{Fault, FaultKind};

/// Every lane executes the operation with its own mask from memory. The lanes in `ended` end
/// before.
fn kernel(operation: &str) -> Loaded {
    load(&format!(
        r#"
.version 8.6
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 masks, .param .u32 ended) {{
    .reg .b32 %r<9>; .reg .b64 %rd<5>; .reg .pred %p<5>; .reg .f32 %f<3>;
    mov.u32 %r1, %laneid;
    ld.param.u32 %r2, [ended];
    shr.u32 %r2, %r2, %r1;
    and.b32 %r2, %r2, 1;
    setp.ne.u32 %p1, %r2, 0;
    @%p1 exit;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [masks];
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd1, %rd1, %rd3;
    add.s64 %rd2, %rd2, %rd3;
    ld.global.u32 %r3, [%rd2];
    setp.lt.u32 %p2, %r1, 20;
    mov.u64 %rd4, 5;
    mov.f32 %f1, 0f3f800000;
    mov.u32 %r5, 0;
    {operation}
    st.global.u32 [%rd1], %r5;
    ret;
}}
"#
    ))
}

const OPERATIONS: [(&str, &str); 20] = [
    ("bar.warp.sync %r3;", "bar.warp.sync (__syncwarp)"),
    (
        "shfl.sync.idx.b32 %r5|%p3, %r1, 1, 31, %r3;",
        "shfl.sync.idx (__shfl_sync)",
    ),
    (
        "shfl.sync.up.b32 %r5, %r1, 1, 0, %r3;",
        "shfl.sync.up (__shfl_up_sync)",
    ),
    (
        "shfl.sync.down.b32 %r5, %r1, 1, 31, %r3;",
        "shfl.sync.down (__shfl_down_sync)",
    ),
    (
        "shfl.sync.bfly.b32 %r5, %r1, 1, 31, %r3;",
        "shfl.sync.bfly (__shfl_xor_sync)",
    ),
    (
        "vote.sync.all.pred %p3, %p2, %r3;",
        "vote.sync.all (__all_sync)",
    ),
    (
        "vote.sync.any.pred %p3, %p2, %r3;",
        "vote.sync.any (__any_sync)",
    ),
    (
        "vote.sync.uni.pred %p3, %p2, %r3;",
        "vote.sync.uni (__uni_sync)",
    ),
    (
        "vote.sync.ballot.b32 %r5, %p2, %r3;",
        "vote.sync.ballot (__ballot_sync)",
    ),
    (
        "match.any.sync.b32 %r5, %r1, %r3;",
        "match.any.sync (__match_any_sync)",
    ),
    (
        "match.all.sync.b64 %r5|%p3, %rd4, %r3;",
        "match.all.sync (__match_all_sync)",
    ),
    (
        "redux.sync.add.u32 %r5, %r1, %r3;",
        "redux.sync.add (__reduce_add_sync)",
    ),
    (
        "redux.sync.min.s32 %r5, %r1, %r3;",
        "redux.sync.min (__reduce_min_sync)",
    ),
    (
        "redux.sync.max.u32 %r5, %r1, %r3;",
        "redux.sync.max (__reduce_max_sync)",
    ),
    (
        "redux.sync.and.b32 %r5, %r1, %r3;",
        "redux.sync.and (__reduce_and_sync)",
    ),
    (
        "redux.sync.or.b32 %r5, %r1, %r3;",
        "redux.sync.or (__reduce_or_sync)",
    ),
    (
        "redux.sync.xor.b32 %r5, %r1, %r3;",
        "redux.sync.xor (__reduce_xor_sync)",
    ),
    ("redux.sync.min.f32 %f2, %f1, %r3;", "redux.sync.min of f32"),
    (
        "redux.sync.max.NaN.f32 %f2, %f1, %r3;",
        "redux.sync.max of f32",
    ),
    ("elect.sync %r5|%p3, %r3;", "elect.sync"),
];

fn run(m: &Loaded, masks: &[u32; 32], ended: u32) -> Result<Vec<u32>, Fault> {
    let (out, masks) = (m.device.upload(&[0u32; 32]), m.device.upload(masks));
    m.try_run("k", [1; 3], [32, 1, 1], 0, false, args![out, masks, ended])?;
    Ok(m.device.download::<u32>(out, 32))
}

#[test]
fn lane_outside_its_own_mask_faults() {
    for (operation, name) in OPERATIONS {
        let m = kernel(operation);
        for lane in [0, 7, 31] {
            for (mask, others) in [(!(1u32 << lane), u32::MAX), (0, !(1 << lane))] {
                let mut masks = [others; 32];
                masks[lane] = mask;
                let fault = run(&m, &masks, 0).expect_err(operation);
                assert_eq!(fault.kind, FaultKind::IllegalInstruction, "{fault}");
                assert_eq!(fault.thread, [lane as u32, 0, 0], "{fault}");
                for part in [
                    format!("{name} by lane {lane} with the member mask 0x{mask:08x}"),
                    format!("add bit {lane} (0x{:08x}) to the mask", 1u32 << lane),
                    operation.trim_end_matches(';').into(),
                ] {
                    assert!(fault.report.contains(&part), "`{part}` isn't in {fault}");
                }
            }
        }
    }
}

/// Lanes outside the mask that do not execute the operation cause no error.
#[test]
fn lanes_outside_the_mask_may_skip_the_operation() {
    for (operation, _) in OPERATIONS {
        let m = kernel(&format!("@%p2 {operation}"));
        run(&m, &[(1 << 20) - 1; 32], 0).unwrap_or_else(|f| panic!("{f}"));
    }
}

/// The mask may contain ended lanes.
#[test]
fn mask_may_contain_ended_lanes() {
    for (operation, _) in OPERATIONS {
        let m = kernel(operation);
        run(&m, &[u32::MAX; 32], 0xff00_0001).unwrap_or_else(|f| panic!("{f}"));
    }
}

/// As on an H200, lanes with the same mask form a group.
#[test]
fn equal_masks_form_groups() {
    let masks: [u32; 32] =
        std::array::from_fn(|i| if i % 3 == 0 { 0x4924_9249 } else { 0xb6db_6db6 });
    let of = |i: usize| (0..32).filter(move |j| masks[i] >> j & 1 != 0);
    let want = |f: &dyn Fn(usize) -> u32| (0..32).map(f).collect::<Vec<_>>();
    let ballot = kernel("vote.sync.ballot.b32 %r5, %p2, %r3;");
    assert_eq!(
        run(&ballot, &masks, 0).unwrap(),
        want(&|i| masks[i] & ((1 << 20) - 1))
    );
    let sum = kernel("redux.sync.add.u32 %r5, %r1, %r3;");
    assert_eq!(run(&sum, &masks, 0).unwrap(), want(&|i| of(i).sum()));
    let elected = kernel("elect.sync %r5|%p3, %r3;");
    assert_eq!(
        run(&elected, &masks, 0).unwrap(),
        want(&|i| of(i).min().unwrap_or(99))
    );
    let matching = kernel("shr.u32 %r4, %r1, 4; match.any.sync.b32 %r5, %r4, %r3;");
    assert_eq!(
        run(&matching, &masks, 0).unwrap(),
        want(&|i| of(i)
            .filter(|&j| j as usize / 16 == i / 16)
            .map(|j| 1 << j)
            .sum())
    );
}

/// An immediate mask without lane 7 has no effect.
#[test]
fn immediate_mask_is_ignored() {
    for (operation, want) in [
        ("vote.sync.ballot.b32 %r5, %p2, 0xffffff7f;", [0xf_ffff; 5]),
        (
            "vote.sync.all.pred %p3, %p2, 0xffffff7f; selp.u32 %r5, 1, 0, %p3;",
            [0; 5],
        ),
        ("redux.sync.add.u32 %r5, %r1, 0xffffff7f;", [0x1f0; 5]),
        ("redux.sync.or.b32 %r5, %r1, 0xffffff7f;", [0x1f; 5]),
        ("elect.sync %r5|%p3, 0xffffff7f;", [0; 5]),
        ("shfl.sync.idx.b32 %r5, %r1, 1, 31, 0xffffff7f;", [1; 5]),
        (
            "shfl.sync.bfly.b32 %r5, %r1, 1, 31, 0xffffff7f;",
            [1, 0, 6, 9, 0x1e],
        ),
        ("bar.warp.sync 0xffffff7f; mov.u32 %r5, 12345;", [12345; 5]),
    ] {
        let out = run(&kernel(operation), &[0; 32], 0).unwrap_or_else(|f| panic!("{f}"));
        assert_eq!([0, 1, 7, 8, 31].map(|lane| out[lane]), want, "{operation}");
    }
}
