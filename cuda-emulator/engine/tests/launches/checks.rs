//! Kernels with mistakes, and the reports about them.

use std::time::Duration;

use crate::common::{Arg, Loaded, load};
use cuda_emulator_engine::{Fault, FaultKind, LoadErrorKind, Options, Program};

fn module() -> Loaded {
    load(include_str!("../ptx/checks.ptx"))
}

fn fault(m: &Loaded, kernel: &str, threads: u32, args: &[Arg]) -> Fault {
    m.fault(kernel, 2, threads, args)
}

/// Returns the fault of a single block of 64 threads.
fn alone(m: &Loaded, kernel: &str, args: &[Arg]) -> Fault {
    let result = m.try_run(kernel, [1; 3], [64, 1, 1], 0, false, args);
    result.expect_err(kernel)
}

fn expect(fault: &Fault, kind: FaultKind, texts: &[&str]) {
    assert_eq!(fault.kind, kind, "{fault}");
    for text in texts {
        assert!(fault.report.contains(text), "`{text}` isn't in:\n{fault}");
    }
}

#[test]
fn addresses() {
    let m = module();
    let p = m.device.allocate(400, true);
    let found = fault(&m, "past_end", 32, args![p, 90]);
    expect(
        &found,
        FaultKind::IllegalAddress,
        &[
            "write of 4 bytes",
            "checks.cu:3",
            "kernel past_end",
            "thread (10, 0, 0)",
        ],
    );
    expect(
        &fault(&m, "past_end", 32, args![0u64, 0]),
        FaultKind::IllegalAddress,
        &["write of 4 bytes at 0x0"],
    );
    expect(
        &fault(&m, "misaligned", 32, args![p]),
        FaultKind::MisalignedAddress,
        &["multiple of 4", "checks.cu:6"],
    );
    let fixed = m.device.allocate(400, false);
    m.run("read_only", 1, 100, args![fixed, p]);
    expect(
        &fault(&m, "read_only", 100, args![p, fixed]),
        FaultKind::IllegalAddress,
        &["read-only"],
    );
    expect(
        &fault(&m, "past_local", 1, args![p, 100_000]),
        FaultKind::IllegalAddress,
        &["local address", "in function"],
    );
    expect(
        &fault(&m, "wild_call", 1, args![p]),
        FaultKind::InvalidPc,
        &["indirect call of 0x"],
    );
}

#[test]
fn stack_overflow() {
    let m = module();
    let p = m.device.allocate(400, true);
    expect(
        &fault(&m, "overflow", 1, args![p]),
        FaultKind::StackOverflow,
        &["stack overflow"],
    );
}

#[test]
fn shared_races() {
    let mut m = module();
    m.options = Options {
        check_race: true,
        threads: 1,
        ..Options::default()
    };
    let out = m.device.allocate(400, true);
    m.run("no_race", 1, 64, args![out]);
    let found = alone(&m, "race", args![out]);
    expect(
        &found,
        FaultKind::Check,
        &[
            "race on shared memory",
            "no barrier since the",
            "checks.cu:1",
        ],
    );
}

#[test]
fn uninitialized_shared() {
    let mut m = module();
    m.options.check_uninit = true;
    let out = m.device.allocate(400, true);
    m.run("no_race", 2, 64, args![out]);
    let found = fault(&m, "unwritten", 64, args![out]);
    expect(
        &found,
        FaultKind::Check,
        &["which no thread has written", "thread (60, 0, 0)"],
    );
}

#[test]
fn barriers() {
    let mut m = module();
    let out = m.device.allocate(400, true);
    // Without the check, the kernels run, as on a GPU.
    m.run("divergent", 2, 64, args![out]);
    m.run("early", 2, 64, args![out]);
    m.options.check_barrier = true;
    m.run("no_race", 2, 64, args![out]);
    expect(
        &fault(&m, "divergent", 64, args![out]),
        FaultKind::Check,
        &[
            "divergent barrier: threads of the block wait at barrier 0 in two places\nFix: let all threads of the block \
             reach the same barrier. Move __syncthreads() out of the branch, and return only after the last one\n",
            "  one place, where 32 threads wait, the first of them thread (0, 0, 0):\n    source: checks.cu:26\n",
            "  the other place, where 32 threads wait, the first of them thread (32, 0, 0):\n  kernel divergent, block",
            "thread (32, 0, 0)\n  source: checks.cu:27\n",
        ],
    );
    let early = fault(&m, "early", 64, args![out]);
    expect(
        &early,
        FaultKind::Check,
        &[
            "divergent barrier: 32 of the block's 64 threads wait at barrier 0, 32 have ended without reaching it\nFix: let \
             all threads of the block reach the same barrier.",
            "  the end of thread (32, 0, 0):\n    source: checks.cu:",
            "  the barrier, where 32 threads wait, the first of them thread (0, 0, 0):\n  kernel early, block",
            "thread (0, 0, 0)\n  source: checks.cu:31\n",
        ],
    );
    assert_eq!(early.thread, [0; 3]);
}

/// The first warp waits while most threads of the second run and one ends.
#[test]
fn barrier_reports_count_threads_on_their_way() {
    let mut m = module();
    m.options.check_barrier = true;
    let out = m.device.allocate(400, true);
    let result = m.try_run("early", [1, 1, 1], [96, 1, 1], 0, false, args![out]);
    let found = result.expect_err("early");
    let text = "32 of the block's 96 threads wait at barrier 0, 32 have ended without reaching it, and 32 have not reached it yet";
    expect(&found, FaultKind::Check, &[text]);
}

/// A read that comes before the write because a barrier is missing.
#[test]
fn missing_barrier_before_a_read() {
    for seed in [None, Some(1), Some(2), Some(3)] {
        for check_race in [true, false] {
            let mut m = module();
            m.options = Options {
                check_uninit: true,
                check_race,
                check_barrier: true,
                seed,
                ..m.options.clone()
            };
            let out = m.device.allocate(400, true);
            m.run("no_race", 1, 64, args![out]);
            let found = alone(&m, "race", args![out]);
            let lines = ["source: checks.cu:10\n", "source: checks.cu:11\n"];
            expect(&found, FaultKind::Check, &lines);
            let fix = "Fix: put a barrier between the two that both threads reach, such as __syncthreads()";
            expect(&found, FaultKind::Check, &[fix]);
            let text = &found.report;
            // The order of the warps decides which access is first.
            let written = text.contains("no barrier since the write by thread");
            let read = text.contains("no barrier since the read by thread")
                && text.contains("\nthe read came too early: no thread had written there\n");
            let later = text.contains(", which no thread has written\nthread (")
                && text.contains(") writes it later, before any barrier of the block\nFix");
            let expected = if check_race { written || read } else { later };
            assert!(expected, "{text}");
            // Bytes that no thread writes are still reported as such.
            let found = alone(&m, "unwritten", args![out]);
            let texts = [
                "which no thread has written\nFix: let the threads write it before the read, or correct the index\n  kernel unwritten",
                "thread (60, 0, 0)",
            ];
            expect(&found, FaultKind::Check, &texts);
        }
    }
}

#[test]
fn deadlock() {
    let m = module();
    let out = m.device.allocate(400, true);
    let found = fault(&m, "stuck", 32, args![out]);
    expect(
        &found,
        FaultKind::Timeout,
        &[
            "deadlock",
            "barrier 0, where 31 of 32 threads",
            "warp-wide operation",
        ],
    );
}

#[test]
fn time_limit() {
    let m = Loaded {
        options: Options {
            time_limit: Some(Duration::from_millis(30)),
            threads: 1,
            ..Options::default()
        },
        ..load(
            ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k() { .reg .b32 %r<2>; L: add.u32 %r1, %r1, 1; bra L; }",
        )
    };
    let found = fault(&m, "k", 32, args![]);
    expect(&found, FaultKind::Timeout, &["time limit", "PTX line 4"]);
}

#[test]
fn a_launch_that_takes_long_is_noted_once_with_its_place() {
    let mut m = load(
        ".version 7.0\n.target sm_75\n.address_size 64\n.file 1 \"loop.cu\"\n\
         .visible .entry k() { .reg .b32 %r<2>; .reg .pred %p<2>; mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0;\n\
         @%p1 bra W; L: .loc 1 7 1\n add.u32 %r1, %r1, 1; bra L; W: bar.sync 0; ret; }",
    );
    m.options = Options {
        notice_after: Some(Duration::from_millis(20)),
        time_limit: Some(Duration::from_millis(200)),
        threads: 2,
        ..Options::default()
    };
    fault(&m, "k", 32, args![]);
    let noted = m.device.long_runs.lock().unwrap();
    let [one] = noted.as_slice() else {
        panic!("{noted:?}")
    };
    // Thread 0 waits at the barrier. The notice names a thread that is running.
    let end = ", 0, 0), thread (1, 0, 0) is at loop.cu:7";
    assert!(one.starts_with("k: block (") && one.ends_with(end), "{one}");
}

const HEAD: &str = ".version 8.0\n.target sm_90\n.address_size 64\n";

#[test]
fn invalid_modules_are_rejected() {
    for (body, kind, text) in [
        (
            "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1}, {%r1}, {%r1}, {%f1};",
            LoadErrorKind::Syntax,
            "4 registers in braces",
        ),
        (
            "mma.sync.aligned.m16n8k8.row.row.f32.tf32.tf32.f32 {%f1, %f1, %f1, %f1}, {%r1, %r1, %r1, %r1}, {%r1, %r1}, {%f1, %f1, %f1, %f1};",
            LoadErrorKind::Unsupported,
            "The closest supported form is mma.sync.aligned.[m16n8k4|m16n8k8].row.col.f32.tf32",
        ),
        (
            "tex.2d.v4.f32.f32 {%f1, %f1, %f1, %f1}, [%r1, {%f1, %f1}];",
            LoadErrorKind::Syntax,
            "the instruction works on B64",
        ),
        (
            "barrier.cluster.sync;",
            LoadErrorKind::Unsupported,
            "barrier.cluster.wait{.acquire}{.aligned}",
        ),
        (
            "frobnicate.u32 %r1, %r2;",
            LoadErrorKind::Unsupported,
            "does not support this instruction",
        ),
        (
            "add.wrong.u32 %r1, %r1, %r1;",
            LoadErrorKind::Unsupported,
            "`.wrong`",
        ),
        (
            "add.u32 %r1, %q1, 1;",
            LoadErrorKind::Unresolved,
            "`%q1` isn't declared",
        ),
        ("add.u64 %r1, %r1, 1;", LoadErrorKind::Syntax, "register"),
        ("bra NOWHERE;", LoadErrorKind::Unresolved, "`NOWHERE`"),
        ("call missing, ();", LoadErrorKind::Unresolved, "`missing`"),
    ] {
        let ptx = format!(
            "{HEAD}.visible .entry k() {{\n.reg .b32 %r<9>; .reg .f32 %f<9>;\n{body}\nret;\n}}"
        );
        let error = Program::load(&ptx).map(|_| ()).expect_err(body);
        assert_eq!((error.kind, error.line), (kind, 6), "{error}");
        assert!(
            error.to_string().contains(text),
            "`{text}` isn't in: {error}"
        );
        assert!(!error.instruction.is_empty());
    }
    let newer = Program::load(".version 99.1\n.target sm_90\n")
        .map(|_| ())
        .expect_err("version");
    assert_eq!(newer.kind, LoadErrorKind::Version);
}

#[test]
fn linking() {
    let first = format!(
        "{HEAD}.extern .func (.param .b32 r) twice (.param .b32 x);\n.extern .global .u32 factor;\n.extern .shared .align 16 .b8 dyn[];\n
        .visible .entry k(.param .u64 out) {{ .reg .b32 %r<9>; .reg .b64 %rd<3>;
        mov.u32 %r1, %tid.x;
        {{ .param .b32 x; .param .b32 r; st.param.b32 [x], %r1; call.uni (r), twice, (x); ld.param.b32 %r2, [r]; }}
        ld.global.u32 %r3, [factor]; mul.lo.u32 %r2, %r2, %r3;
        ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r2; ret; }}"
    );
    let second = format!(
        "{HEAD}.visible .global .u32 factor = 5;\n.visible .global .u64 where = factor;\n
        .visible .func (.param .b32 r) twice (.param .b32 x) {{ .reg .b32 %r<3>; ld.param.b32 %r1, [x]; shl.b32 %r1, %r1, 1; st.param.b32 [r], %r1; ret; }}"
    );
    let error = Program::link(&[("first", &first)])
        .map(|_| ())
        .expect_err("unresolved");
    assert_eq!(error.kind, LoadErrorKind::Link, "{error}");
    let error = Program::link(&[("a", &second), ("b", &second)])
        .map(|_| ())
        .expect_err("twice");
    assert!(error.to_string().contains("defined twice"), "{error}");
    let m = crate::common::place(
        Program::link(&[("first", &first), ("second", &second)]).unwrap_or_else(|e| panic!("{e}")),
    );
    let out = m.device.allocate(128, true);
    m.run("k", 1, 32, args![out]);
    assert_eq!(
        m.device.download::<u32>(out, 32),
        (0..32).map(|i| i * 10).collect::<Vec<_>>()
    );
    assert_eq!(
        m.device.download::<u64>(m.variable("where"), 1),
        [m.variable("factor")]
    );
}
