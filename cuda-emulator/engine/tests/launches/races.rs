//! The race check finds missing barriers and reports both accesses. It reports no false races.

use crate::common::{Arg, Loaded, load};
use cuda_emulator_engine::{Fault, FaultKind, Options};

const SEEDS: [Option<u64>; 5] = [None, Some(1), Some(2), Some(3), Some(4)];

fn checked(ptx: &str, seed: Option<u64>) -> Loaded {
    let mut m = load(ptx);
    m.options.check_race = true;
    m.options.seed = seed;
    m
}

fn races(seed: Option<u64>) -> Loaded {
    checked(include_str!("../ptx/races.ptx"), seed)
}

fn groups(seed: Option<u64>) -> Loaded {
    checked(include_str!("../ptx/groups.ptx"), seed)
}

fn fault(m: &Loaded, kernel: &str, threads: u32, args: &[Arg]) -> Fault {
    let fault = m.fault(kernel, 1, threads, args);
    assert_eq!(fault.kind, FaultKind::Check, "{fault}");
    fault
}

/// Checks that the report contains two threads of different warps, and these two lines in either
/// order.
fn names(fault: &Fault, lines: [u32; 2]) {
    let text = &fault.report;
    let threads: Vec<u32> = text
        .split("thread (")
        .skip(1)
        .map(|rest| rest.split(',').next().unwrap().parse().unwrap())
        .collect();
    let [first, second, again, last] = threads[..] else {
        panic!("{text}")
    };
    assert_ne!(first / 32, second / 32, "{text}");
    assert_eq!((first, second), (last, again), "{text}");
    let mut found: Vec<u32> = text
        .split("source: races.cu:")
        .skip(1)
        .map(|rest| rest.lines().next().unwrap().parse().unwrap())
        .collect();
    found.sort_unstable();
    assert_eq!(found, lines, "{text}");
    assert_eq!(text.matches("PTX line").count(), 2, "{text}");
    assert!(text.contains("race on shared memory"), "{text}");
    assert!(text.contains("__syncthreads()"), "{text}");
}

/// All warps read a byte of warp 0, after a barrier except in one block. Bytes, and reads by several
/// warps, are recorded apart from words with one read.
const BYTES: &str = ".version 8.0\n.target sm_80\n.address_size 64\n\
    .visible .entry bytes(.param .u32 without) {\n.reg .pred %p;\n.reg .b16 %h;\n.reg .b32 %r<5>;\n\
    .shared .align 4 .b8 s[128];\nld.param.u32 %r0, [without];\nmov.u32 %r1, %tid.x;\n\
    mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, s;\nadd.u32 %r4, %r3, %r1;\ncvt.u16.u32 %h, %r1;\n\
    st.shared.u8 [%r4], %h;\nsetp.eq.u32 %p, %r0, %r2;\n@%p bra AFTER;\nbar.sync 0;\nAFTER:\n\
    ld.shared.u8 %h, [s];\nret;\n}\n";

#[test]
fn every_block_begins_without_accesses() {
    for seed in SEEDS {
        let mut m = checked(BYTES, seed);
        m.options.resident_blocks = 1;
        m.run("bytes", 5, 128, args![9u32]);
        for block in [0u32, 1, 4] {
            let fault = m.fault("bytes", 5, 128, args![block]);
            let place = format!("block ({block}, 0, 0)");
            assert!(fault.report.contains("race on shared memory"), "{fault}");
            assert!(fault.report.contains(&place), "{fault}");
        }
    }
}

#[test]
fn reverse_without_barrier_races() {
    for seed in SEEDS {
        let m = races(seed);
        let out = m.device.allocate(256, true);
        names(&fault(&m, "reverse", 64, args![out]), [5, 6]);
    }
}

#[test]
fn reduction_without_second_barrier_races() {
    for seed in SEEDS {
        let m = races(seed);
        let out = m.device.allocate(1024, true);
        names(&fault(&m, "reduction", 256, args![out]), [15, 15]);
    }
}

#[test]
fn two_buffers_need_one_barrier_and_one_needs_two() {
    for seed in SEEDS {
        let m = races(seed);
        let input = m.device.upload(&(0..512).collect::<Vec<i32>>());
        let out = m.device.allocate(256, true);
        m.run("buffers", 1, 64, args![out, input, 2]);
        let want = |t| (0..8).map(|i| i * 64 + 63 - t).sum::<i32>();
        assert_eq!(
            m.device.download::<i32>(out, 64),
            (0..64).map(want).collect::<Vec<_>>()
        );
        names(&fault(&m, "buffers", 64, args![out, input, 1]), [25, 27]);
    }
}

#[test]
fn barrier_of_two_warps_orders_only_these() {
    for seed in SEEDS {
        let m = races(seed);
        let out = m.device.allocate(512, true);
        m.run("pairs", 1, 128, args![out, 0]);
        names(&fault(&m, "pairs", 128, args![out, 1]), [35, 37]);
    }
}

#[test]
fn arrive_without_wait() {
    for seed in SEEDS {
        let m = races(seed);
        let out = m.device.allocate(256, true);
        m.run("arrivals", 1, 64, args![out]);
        let want: Vec<i32> = (0..32).map(|i| 28 * i).collect();
        assert_eq!(m.device.download::<i32>(out + 128, 32), want);
    }
}

#[test]
fn messages() {
    for seed in SEEDS {
        for threads in [64, 256] {
            for global in [false, true] {
                let m = races(seed);
                let out = m.device.allocate(128, true);
                let want: Vec<i32> = (1..=32).collect();
                for how in [0, 1, 3, 4] {
                    let flag = m.device.upload(&[0u32]);
                    let place = if global { flag } else { 0 };
                    m.run("message", 1, threads, args![out, how, place]);
                    assert_eq!(m.device.download::<i32>(out, 32), want);
                }
                // Relaxed accesses alone do not order anything.
                let flag = m.device.upload(&[0u32]);
                let place = if global { flag } else { 0 };
                let found = fault(&m, "message", threads, args![out, 2, place]);
                names(&found, [65, 80]);
            }
        }
    }
}

#[test]
fn a_lock() {
    for seed in SEEDS {
        let m = races(seed);
        let out = m.device.allocate(1024, true);
        m.run("lock", 1, 256, args![out]);
        assert_eq!(m.device.download::<i32>(out, 256), [32 * 28; 256]);
    }
}

#[test]
fn a_weak_access_races_with_atomics() {
    for seed in SEEDS {
        let m = races(seed);
        let out = m.device.allocate(256, true);
        let found = fault(&m, "mixed", 64, args![out]);
        names(&found, [102, 103]);
        assert!(found.report.contains("atomic"), "{found}");
    }
}

#[test]
fn a_barrier_with_a_completion_function() {
    let mut want: Vec<i32> = (0..128).collect();
    for i in 0..5 {
        let before = want.clone();
        for t in 0..128 {
            want[t] = before[(t + 33) % 128] + 2 * i + 1;
        }
    }
    for seed in SEEDS {
        let m = groups(seed);
        let out = m.device.allocate(512, true);
        m.run("completion", 1, 128, args![out]);
        assert_eq!(m.device.download::<i32>(out, 128), want);
    }
}

#[test]
fn tiles_of_four_warps() {
    let mut want: Vec<i32> = (0..256).collect();
    for _ in 0..4 {
        let before = want.clone();
        for (t, v) in want.iter_mut().enumerate() {
            *v = before[t / 128 * 128 + (t + 33) % 128];
        }
    }
    for half in [0, 128] {
        let tile = &mut want[half..half + 128];
        let total: i32 = tile.iter().sum();
        let mut scan = 0;
        for (t, v) in tile.iter_mut().enumerate() {
            scan += (half + t) as i32;
            *v += total + scan;
        }
        let fifth = tile[5];
        let any = if half == 128 { 1000 } else { 0 };
        tile.iter_mut().for_each(|v| *v += fifth + any);
    }
    for seed in SEEDS {
        let m = groups(seed);
        let out = m.device.allocate(1024, true);
        m.run("tiles", 1, 256, args![out]);
        assert_eq!(m.device.download::<i32>(out, 256), want);
    }
    // The tiles count their arrivals in one word, so the later one is ordered after the other by
    // chance.
    let across = |seed| {
        let m = groups(Some(seed));
        let out = m.device.allocate(1024, true);
        let found = m.try_run("tiles_across", [1; 3], [256, 1, 1], 0, false, args![out]);
        found.is_err_and(|fault| fault.report.contains("race on shared memory"))
    };
    assert!((0..20).any(across));
}

/// Nothing is reported for correct library code, in any order of warps.
#[test]
fn library_code_has_no_races() {
    for seed in SEEDS {
        let m = checked(include_str!("../ptx/barriers.ptx"), seed);
        let out = m.device.allocate(1024, true);
        let input = m.device.allocate(2048, true);
        m.run("barrier", 1, 64, args![out]);
        m.run("producer", 1, 64, args![out]);
        m.run("wide", 1, 256, args![out]);
        m.run("copies", 1, 128, args![out, input]);
        m.run("cluster", 1, 128, args![out]);
        let m = checked(include_str!("../ptx/features.ptx"), seed);
        let (out, input) = (
            m.device.allocate(16384, true),
            m.device.allocate(4096, true),
        );
        m.run("blocks", 2, 128, args![out, input]);
        m.run("warps", 1, 128, args![out, input]);
        m.run("tiles", 1, 128, args![out, input]);
        m.run("votes", 1, 32, args![out]);
        m.run("syncwarps", 1, 32, args![out]);
        let grid = m.try_run("cooperative", [4, 1, 1], [64, 1, 1], 0, true, args![out]);
        grid.unwrap_or_else(|f| panic!("{f}"));
    }
}

/// Options that the other tests do not use: all checks at once.
#[test]
fn with_the_other_checks() {
    for seed in SEEDS {
        let mut m = groups(seed);
        m.options = Options {
            check_uninit: true,
            check_barrier: true,
            ..m.options.clone()
        };
        let out = m.device.allocate(1024, true);
        m.run("completion", 1, 128, args![out]);
    }
}
