//! Bulk copies between global and shared memory, and the barriers that count their bytes.

use crate::common::{Loaded, load};
use cuda_emulator_engine::{FaultKind, LoadErrorKind, Options, Program};

fn module(options: Options) -> Loaded {
    Loaded {
        options: Options {
            time_limit: Some(std::time::Duration::from_secs(60)),
            ..options
        },
        ..load(include_str!("../ptx/bulk.ptx"))
    }
}

fn plain() -> Loaded {
    module(Options::default())
}

/// Options with every check, and with other orders.
fn ways() -> Vec<Options> {
    let mut ways = vec![Options::default()];
    ways.extend((0..8).map(|seed| Options {
        seed: Some(seed),
        check_race: seed % 2 == 0,
        check_uninit: seed % 2 == 0,
        ..Options::default()
    }));
    ways.push(Options {
        check_race: true,
        check_uninit: true,
        check_barrier: true,
        ..Options::default()
    });
    ways
}

#[test]
fn ring_of_stages() {
    for options in ways() {
        let m = module(options);
        let (blocks, tiles) = (3usize, 11usize);
        let n = blocks * tiles * 128;
        let input: Vec<i32> = (0..n as i32).map(|i| i * 7 - 9).collect();
        let (from, to) = (
            m.device.upload(&input),
            m.device.allocate(n as u64 * 4, true),
        );
        m.run("ring", blocks as u32, 160, args![to, from, tiles as i32]);
        let want: Vec<i32> = input.iter().map(|v| v * 2).collect();
        assert_eq!(m.device.download::<i32>(to, n), want);
    }
}

#[test]
fn groups() {
    for options in ways() {
        let m = module(options);
        let to = m.device.allocate(7 * 256, true);
        m.run("stores", 1, 64, args![to, 7]);
        let want: Vec<i32> = (0..7)
            .flat_map(|t| (0..64).map(move |i| t * 1000 + i))
            .collect();
        assert_eq!(m.device.download::<i32>(to, 7 * 64), want);
    }
}

#[test]
fn cuda_header_functions() {
    for options in ways() {
        let m = module(options);
        let input: Vec<i32> = (0..256).map(|i| i * i).collect();
        let (from, to) = (m.device.upload(&input), m.device.allocate(1024, true));
        m.run("headers", 1, 256, args![to, from]);
        let want: Vec<i32> = input.iter().map(|v| v + 7).collect();
        assert_eq!(m.device.download::<i32>(to, 256), want);
        let twice = m.device.allocate(2048, true);
        m.run("by_block", 1, 256 - 32, args![twice, from, 9]);
        let want = [&input[..224], &input[9..233]].concat();
        assert_eq!(m.device.download::<i32>(twice, 448), want);
        m.run("forms", 1, 64, args![to, from]);
        let want: Vec<i32> = input[..64].iter().map(|v| v * 2).collect();
        assert_eq!(m.device.download::<i32>(to, 64), want);
    }
}

#[test]
fn missing_wait_is_detected() {
    let m = plain();
    let from = m.device.upload(&[5i32; 32]);
    let to = m.device.allocate(128, true);
    m.run("hasty", 1, 32, args![to, from]);
    assert_eq!(m.device.download::<i32>(to, 32), [-1; 32]);
    m.run("early", 1, 32, args![to]);
    assert_eq!(m.device.download::<i32>(to, 32), [2; 32]);
    // A copy may also run at once, which some seeds show.
    let seen: std::collections::BTreeSet<i32> = (0..16)
        .map(|seed| {
            let m = module(Options {
                seed: Some(seed),
                ..Options::default()
            });
            let from = m.device.upload(&[5i32; 32]);
            let to = m.device.allocate(128, true);
            m.run("hasty", 1, 32, args![to, from]);
            m.device.download::<i32>(to, 1)[0]
        })
        .collect();
    assert_eq!(Vec::from_iter(seen), [-1, 5]);
}

#[test]
fn missing_empty_barrier_is_detected() {
    let input: Vec<i32> = (0..128).collect();
    let run = |m: &Loaded| {
        let to = m.device.allocate(512, true);
        let args = args![to, m.device.upload(&input)];
        m.try_run("unguarded", [1; 3], [64, 1, 1], 0, false, args)?;
        Ok::<_, cuda_emulator_engine::Fault>(m.device.download::<i32>(to, 128))
    };
    // Without a seed, the warps run concurrently, and the program may work, as on a GPU.
    let wrong = |seed| {
        let m = module(Options {
            seed: Some(seed),
            ..Options::default()
        });
        run(&m).unwrap() != input
    };
    assert!((0..32).any(wrong));
    // If the memory is read before it is filled again, the check sees the race.
    let found = (0..32).find_map(|seed| {
        run(&module(Options {
            seed: Some(seed),
            check_race: true,
            ..Options::default()
        }))
        .err()
    });
    let fault = found.expect("some order shows the race");
    assert_eq!(fault.kind, FaultKind::Check);
    assert!(fault.report.contains("race on shared memory"), "{fault}");
    assert!(fault.report.contains("cp.async.bulk"), "{fault}");
}

#[test]
fn faults() {
    let m = plain();
    let from = m.device.allocate(256, true);
    for (address, offset, bytes, kind, words) in [
        (
            from + 8,
            0,
            16u32,
            FaultKind::MisalignedAddress,
            &["misaligned bulk copy", "source 0x"][..],
        ),
        (
            from,
            8,
            16,
            FaultKind::MisalignedAddress,
            &["destination shared address 0x8 is not a multiple of 16"],
        ),
        (
            from,
            0,
            24,
            FaultKind::MisalignedAddress,
            &["size of 24 bytes is not a multiple of 16"],
        ),
        (
            from,
            0,
            272,
            FaultKind::IllegalAddress,
            &["read of 272 bytes at 0x", "nearest allocation"],
        ),
        (
            from,
            128,
            256,
            FaultKind::IllegalAddress,
            &["write of 256 bytes at shared address 0x80", "past the end"],
        ),
    ] {
        let fault = m.fault("one", 1, 32, args![address, offset, bytes]);
        assert_eq!(fault.kind, kind, "{fault}");
        for word in words.iter().chain(&["thread (0, 0, 0)", "cp.async.bulk"]) {
            assert!(fault.report.contains(word), "`{word}` isn't in: {fault}");
        }
    }
    // The largest copy that fits.
    m.run("one", 1, 32, args![from, 0, 256]);
    m.run("one", 1, 32, args![from, 0, 0]);
}

#[test]
fn unsupported_forms_are_rejected() {
    for (body, words) in [
        (
            "cp.async.bulk.tensor.3d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r1, %r1, %r1}], [%r2], {%rs1};",
            "compute capability 10.0",
        ),
        (
            "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1], [%r1], 16, %rs1;",
            "byte masks",
        ),
        (
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r1], 16;",
            "bulk reductions",
        ),
        (
            "st.async.weak.mbarrier::complete_tx::bytes.b32 [%rd1], %r2, [%rd2];",
            "st.async",
        ),
    ] {
        let ptx = format!(
            ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k() {{ .reg .b16 %rs<3>; .reg .b32 %r<3>; .reg .b64 %rd<3>;\n{body}\nret;\n}}"
        );
        let error = Program::load(&ptx).map(|_| ()).expect_err(body);
        assert_eq!((error.kind, error.line), (LoadErrorKind::Unsupported, 5));
        assert!(error.to_string().contains(words), "{error}");
    }
}
