//! The race check of global memory finds races between blocks and between warps in every order of
//! blocks, and reports both accesses. It reports nothing for correct kernels.

use crate::common::{Arg, Loaded, load};
use cuda_emulator_engine::{Fault, FaultKind, Options, Stats};

/// Options for different orders of blocks and warps.
fn ways() -> Vec<Options> {
    let checked = Options {
        check_race: true,
        time_limit: Some(std::time::Duration::from_secs(60)),
        ..Options::default()
    };
    let mut ways = vec![checked.clone()];
    for threads in [1, 4] {
        ways.extend([None, Some(1), Some(2), Some(3)].map(|seed| Options {
            threads,
            seed,
            resident_blocks: 1 + seed.unwrap_or(0) as usize * 20,
            ..checked.clone()
        }));
    }
    ways
}

fn module(options: &Options) -> Loaded {
    Loaded {
        options: options.clone(),
        ..load(include_str!("../ptx/grid_races.ptx"))
    }
}

fn launch(m: &Loaded, kernel: &str, grid: u32, block: u32, args: &[Arg]) -> Result<Stats, Fault> {
    let cooperative = kernel == "phases";
    m.try_run(kernel, [grid, 1, 1], [block, 1, 1], 0, cooperative, args)
}

fn passes(m: &Loaded, kernel: &str, grid: u32, block: u32, args: &[Arg]) {
    launch(m, kernel, grid, block, args).unwrap_or_else(|f| panic!("{kernel}: {f}"));
}

/// Checks that a launch races, and that the report contains these texts.
fn races(m: &Loaded, kernel: &str, grid: u32, block: u32, args: &[Arg], texts: &[&str]) -> Fault {
    let fault = launch(m, kernel, grid, block, args).expect_err(kernel);
    assert_eq!(fault.kind, FaultKind::Check, "{fault}");
    for text in ["race on global memory: "].iter().chain(texts) {
        assert!(fault.report.contains(text), "`{text}` isn't in:\n{fault}");
    }
    fault
}

/// Returns the numbers after `before` in a report, sorted.
fn numbers(fault: &Fault, before: &str) -> Vec<u32> {
    let rest = fault.report.split(before).skip(1);
    let digits = rest.map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next().unwrap());
    let mut found: Vec<u32> = digits.map(|digits| digits.parse().unwrap()).collect();
    found.sort_unstable();
    found
}

#[test]
fn increments_of_many_blocks_race_in_every_order() {
    for options in ways() {
        for (grid, block) in [(256, 1), (2, 1), (256, 64), (3, 1024)] {
            let m = module(&options);
            let x = m.device.upload(&[0i32]);
            races(&m, "increment", grid, block, args![x], &[]);
            let x = m.device.upload(&[0i32]);
            passes(&m, "increment_atomic", grid, block, args![x]);
            assert_eq!(m.device.download::<u32>(x, 1), [grid * block]);
            passes(&m, "increment", 1, 32, args![x]);
        }
    }
}

/// The complete report, for one worker, which runs block after block.
#[test]
fn report_of_a_race_between_blocks() {
    let m = module(&Options {
        threads: 1,
        ..ways().remove(0)
    });
    let x = m.device.upload(&[0i32]);
    let fault = races(&m, "increment", 256, 1, args![x], &[]);
    let lines: Vec<&str> = fault.report.lines().collect();
    let expected = [
        format!(
            "race on global memory: read of 4 bytes at 0x{x:x} by thread (0, 0, 0) of block (1, 0, 0), and nothing orders \
             the two blocks after the write by thread (0, 0, 0) of block (0, 0, 0)"
        ),
        format!("nearest allocation: 0x{x:x}, 4 bytes; 0 past its end"),
        "Fix: use an atomic such as atomicAdd for both, or let each block access its own elements (correct an \
         index that two blocks share), or use a second launch. A block that reads the results of another in the same launch needs __threadfence() before and an \
         atomic after the write"
            .into(),
        "  the write, by thread (0, 0, 0) of block (0, 0, 0):".into(),
        "    source: grid_races.cu:8".into(),
    ];
    assert_eq!(&lines[..5], expected, "{fault}");
    assert!(lines[5].starts_with("    PTX line "), "{fault}");
    let expected = [
        "  the read after it:",
        "  kernel increment, block (1, 0, 0), thread (0, 0, 0)",
        "  source: grid_races.cu:8",
    ];
    assert_eq!(&lines[6..9], expected, "{fault}");
    assert!(lines[9].starts_with("  PTX line "), "{fault}");
    assert_eq!((fault.block, fault.thread), ([1, 0, 0], [0; 3]));
}

#[test]
fn write_after_reads_of_other_blocks() {
    for options in ways() {
        let m = module(&options);
        let (x, out) = (m.device.upload(&[7i32]), m.device.allocate(16 * 256, true));
        passes(&m, "broadcast", 64, 16, args![x, out, 64]);
        for writer in [0, 5, 63] {
            let fault = races(&m, "broadcast", 64, 16, args![x, out, writer], &[]);
            assert_eq!(
                numbers(&fault, "source: grid_races.cu:"),
                [13, 14],
                "{fault}"
            );
        }
    }
}

#[test]
fn last_block_needs_a_fence_before_the_counter() {
    for options in ways() {
        let m = module(&options);
        let input = m.device.upload(&[1i32; 4096]);
        let (part, out) = (m.device.allocate(16384, true), m.device.allocate(256, true));
        let count = m.device.upload(&[0u32]);
        for _ in 0..2 {
            passes(&m, "last_block", 64, 64, args![input, part, count, out, 1]);
            assert_eq!(m.device.download::<i32>(out, 1), [4096]);
        }
        passes(&m, "last_block_of_all", 64, 64, args![part, count, out]);
        assert_eq!(m.device.download::<i32>(out, 2), [0, 64]);
        passes(&m, "count_and_reset", 64, 64, args![count]);
        assert_eq!(m.device.download::<i32>(count, 1), [0]);
        let arguments = args![input, part, count, out, 0];
        let fault = races(&m, "last_block", 64, 64, arguments, &["__threadfence()"]);
        assert_eq!(
            numbers(&fault, "source: grid_races.cu:"),
            [25, 32],
            "{fault}"
        );
    }
}

#[test]
fn blocks_that_wait_for_each_other_do_not_race() {
    for options in ways() {
        let m = module(&options);
        for how in [0, 1] {
            let (value, flag) = (m.device.allocate(256, true), m.device.upload(&[0i32; 64]));
            passes(&m, "chain", 64, 32, args![value, flag, how]);
            assert_eq!(m.device.download::<i32>(value + 252, 1), [64]);
        }
        let (x, word) = (m.device.upload(&[0i32]), m.device.upload(&[0i32]));
        passes(&m, "lock", 64, 32, args![x, word, 1]);
        assert_eq!(m.device.download::<i32>(x, 1), [64]);
        races(&m, "lock", 64, 32, args![x, word, 0], &[]);
    }
}

#[test]
fn barrier_of_the_grid_orders_blocks() {
    for options in ways() {
        let m = module(&options);
        let (a, b) = (m.device.allocate(2048, true), m.device.allocate(2048, true));
        passes(&m, "phases", 8, 64, args![a, b, 1]);
        races(
            &m,
            "phases",
            8,
            64,
            args![a, b, 0],
            &["nothing orders the two blocks"],
        );
    }
}

#[test]
fn cluster_barrier_orders_its_blocks() {
    for options in ways() {
        let m = module(&options);
        let (x, out) = (m.device.allocate(2048, true), m.device.allocate(2048, true));
        passes(&m, "pairs", 8, 64, args![x, out, 1]);
        races(&m, "pairs", 8, 64, args![x, out, 0], &[]);
    }
}

#[test]
fn neighboring_bytes_and_memory_of_the_heap_do_not_race() {
    for options in ways() {
        let m = module(&options);
        let bytes = m.device.upload(&[1u8; 4096]);
        passes(&m, "bytes", 4096, 1, args![bytes]);
        let out = m.device.allocate(1024, true);
        passes(&m, "heap", 256, 1, args![out]);
        assert_eq!(m.device.download::<i32>(out, 256), [63; 256]);
    }
}

#[test]
fn atomics_race_with_plain_writes_but_not_with_reads() {
    for options in ways() {
        let m = module(&options);
        let x = m.device.upload(&[0f64]);
        passes(&m, "add_by_cas", 64, 4, args![x]);
        assert_eq!(m.device.download::<f64>(x, 1), [256.0]);
        let note = "only one of the two is atomic, volatile or relaxed";
        let fault = races(&m, "reset", 64, 4, args![x], &["atomic", note]);
        assert_eq!(numbers(&fault, "source: grid_races.cu:"), [100, 101]);
    }
}

#[test]
fn warps_of_a_block_need_a_barrier() {
    for options in ways() {
        let m = module(&options);
        let (x, out) = (m.device.allocate(1024, true), m.device.allocate(1024, true));
        passes(&m, "warps", 4, 64, args![x, out, 1]);
        // Lanes of a warp never race.
        passes(&m, "warps", 4, 32, args![x, out, 0]);
        let texts = ["no barrier since the", "__syncthreads()"];
        let fault = races(&m, "warps", 4, 64, args![x, out, 0], &texts);
        let (blocks, threads) = (numbers(&fault, "block ("), numbers(&fault, "thread ("));
        assert!(blocks.iter().all(|block| *block == blocks[0]), "{fault}");
        assert_ne!(threads[0] / 32, threads[3] / 32, "{fault}");
    }
}
