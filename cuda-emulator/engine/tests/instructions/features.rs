//! Whole kernels, compared with results computed on the host.

use crate::common::features::{module, numbers};
use crate::common::{Arg, Loaded};
use cuda_emulator_engine::{FaultKind, Options};

#[test]
fn matmul() {
    let m = module();
    let n = 45;
    let a: Vec<f32> = numbers(n * n, 100)
        .iter()
        .map(|&v| v as f32 / 8.0)
        .collect();
    let b: Vec<f32> = numbers(n * n, 77).iter().map(|&v| v as f32 / 4.0).collect();
    let (da, db, dc) = (
        m.device.upload(&a),
        m.device.upload(&b),
        m.device.allocate((n * n * 4) as u64, true),
    );
    let args = args![dc, da, db, n as i32];
    m.run("matmul", [3, 3, 1], [16, 16, 1], args);
    let c = m.device.download::<f32>(dc, n * n);
    for y in 0..n {
        for x in 0..n {
            let want = (0..n).fold(0f32, |t, k| a[y * n + k].mul_add(b[k * n + x], t));
            assert_eq!(c[y * n + x], want);
        }
    }
}

#[test]
fn locks() {
    for kernel in ["locks", "locks_outside"] {
        let m = module();
        let counter = m.device.upload(&[0u32]);
        m.run(kernel, 6, 96, args![counter]);
        assert_eq!(m.device.download::<u32>(counter, 1), [576], "{kernel}");
    }
}

#[test]
fn grid_barriers() {
    let m = module();
    let out = m.device.allocate(4 * 3 * 40, true);
    m.run("grid_barrier", 40, 64, args![out]);
    let got = m.device.download::<u32>(out, 120);
    let want: Vec<u32> = (0..3)
        .flat_map(|r| (0..40).map(move |b| (b + r) % 40 + r))
        .collect();
    assert_eq!(got, want);
    let out = m.device.allocate(4 * 20 * 64, true);
    m.try_run("cooperative", [20, 1, 1], [64, 1, 1], 0, true, args![out])
        .unwrap();
    let got = m.device.download::<u32>(out, 1280);
    let want: Vec<u32> = (0..1280).map(|i| (i + 33) % 1280 * 2).collect();
    assert_eq!(got, want);
}

#[test]
fn calls() {
    let m = module();
    let out = m.device.allocate(4096, true);
    fn fibonacci(n: i32) -> i32 {
        if n < 2 {
            n
        } else {
            fibonacci(n - 1) + fibonacci(n - 2)
        }
    }
    m.run("recursion", 1, 64, args![out]);
    assert_eq!(
        m.device.download::<i32>(out, 64),
        (0..64).map(|i| fibonacci(i % 13)).collect::<Vec<_>>()
    );
    m.run("indirect", 1, 64, args![out]);
    let want: Vec<i32> = (0..64)
        .map(|i| [2 * i, i * i, -i][i as usize % 3])
        .collect();
    assert_eq!(m.device.download::<i32>(out, 64), want);
    m.run("virtuals", 1, 64, args![out]);
    let want: Vec<i32> = (0..64)
        .map(|i| if i % 2 == 1 { i * i } else { i * 3 })
        .collect();
    assert_eq!(m.device.download::<i32>(out, 64), want);
}

#[test]
fn structs() {
    let m = module();
    let out = m.device.allocate(512, true);
    let mut structure: Vec<u8> = [1i32, 2, 3, 4, 5, 0].map(i32::to_le_bytes).concat();
    structure.extend(1.5f64.to_le_bytes());
    m.run("structs", 1, 64, &[Arg(structure), out.into()]);
    let want: Vec<f64> = (0..64usize)
        .map(|t| {
            let mut a = [1, 2, 3, 4, 5];
            a[t % 5] += t;
            3.0 + (0..5)
                .map(|i| (a[(i + t) % 5] * (i + 1)) as f64)
                .sum::<f64>()
        })
        .collect();
    assert_eq!(m.device.download::<f64>(out, 64), want);
}

#[test]
fn divergence() {
    let m = module();
    let input: Vec<i32> = (0..64).map(|i| i % 9).collect();
    let din = m.device.upload(&input);
    let out = m.device.allocate(4096, true);
    m.run("switches", 1, 64, args![din, out]);
    let want: Vec<i32> = input
        .iter()
        .map(|&x: &i32| match x {
            0 => 5,
            1 => 7,
            2 => 1024,
            3 => 33,
            4 => (4 * 12345u32).count_ones() as i32,
            5 => 29,
            6 => 6 ^ 0x55,
            7 => -7,
            _ => -1,
        })
        .collect();
    assert_eq!(m.device.download::<i32>(out, 64), want);
    m.run("collatz", 4, 128, args![out]);
    let want: Vec<u32> = (1..=512u64)
        .map(|mut n| {
            let mut steps = 0;
            while n != 1 {
                n = if n % 2 == 1 { 3 * n + 1 } else { n / 2 };
                steps += 1;
            }
            steps
        })
        .collect();
    assert_eq!(m.device.download::<u32>(out, 512), want);
}

#[test]
fn block_primitives() {
    let m = module();
    let grid = 3usize;
    let input = numbers(grid * 128, 1000);
    let din = m.device.upload(&input);
    let out = m.device.allocate(4 * (grid + grid * 128 * 5) as u64, true);
    m.run("blocks", grid as u32, 128, args![out, din]);
    let got = m.device.download::<i32>(out, grid + grid * 128 * 5);
    for b in 0..grid {
        let part = &input[b * 128..][..128];
        assert_eq!(got[b], part.iter().sum::<i32>());
        let mut sum = 0;
        for (i, v) in part.iter().enumerate() {
            sum += v;
            assert_eq!(got[grid + b * 128 + i], sum);
        }
        let mut keys: Vec<i32> = (0..512)
            .map(|k| input[(b * 128 * 4 + k) % (grid * 128)].wrapping_mul(7919) % 1000)
            .collect();
        keys.sort();
        assert_eq!(got[grid + grid * 128 + b * 512..][..512], keys);
    }
    m.run("warps", 1, 128, args![out, din]);
    let got = m.device.download::<i32>(out, 132);
    for w in 0..4 {
        let part = &input[w * 32..][..32];
        assert_eq!(got[w], *part.iter().max().unwrap());
        let mut sum = 0;
        for (i, v) in part.iter().enumerate() {
            assert_eq!(got[4 + w * 32 + i], sum);
            sum += v;
        }
    }
}

#[test]
fn tiles() {
    let m = module();
    let input = numbers(64, 100);
    let din = m.device.upload(&input);
    let out = m.device.allocate(1024, true);
    m.run("tiles", 1, 64, args![out, din]);
    let got = m.device.download::<i32>(out, 256);
    for i in 0..64 {
        let tile = &input[i / 8 * 8..][..8];
        assert_eq!(got[i], tile.iter().sum::<i32>(), "reduce {i}");
        assert_eq!(got[64 + i], tile[..=i % 8].iter().sum::<i32>(), "scan {i}");
        let warp = &input[i / 32 * 32..][..32];
        let thirds: Vec<usize> = (0..32).filter(|&k| warp[k] % 3 == 0).collect();
        let want = match thirds.iter().position(|&k| k == i % 32) {
            Some(rank) => thirds.len() * 100 + rank,
            None => 32,
        };
        assert_eq!(got[128 + i], want as i32, "coalesced {i}");
        let same = warp.iter().filter(|v| *v % 4 == input[i] % 4).count();
        assert_eq!(got[192 + i], same as i32, "labeled {i}");
    }
}

#[test]
fn atomics() {
    let m = module();
    let (grid, block) = (5u32, 64u32);
    let n = grid * block;
    let mut start = [0u32; 16];
    start[2] = u32::MAX;
    start[5] = u32::MAX;
    let u = m.device.upload(&start);
    let s = m.device.upload(&[0i32; 2]);
    let f = m.device.upload(&[0f32]);
    let d = m.device.upload(&[0f64]);
    let l = m.device.upload(&[0u64; 2]);
    m.run("atomics", grid, block, args![u, s, f, d, l]);
    let got = m.device.download::<u32>(u, 11);
    let mut down = 0u32;
    for _ in 0..n {
        down = if down == 0 || down > 10 { 10 } else { down - 1 };
    }
    let xor = (0..n).fold(0, |a, b| a ^ b);
    let want = [
        n * (n - 1) / 2,
        n - 1,
        0,
        n % 11,
        down,
        0,
        0x7fff_ffff,
        xor,
        0u32.wrapping_sub(3 * n),
        2 * n,
        n,
    ];
    assert_eq!(got, want);
    assert_eq!(m.device.download::<i32>(s, 2), [n as i32 - 51, -50]);
    assert_eq!(m.device.download::<f32>(f, 1), [n as f32 * 0.5]);
    assert_eq!(m.device.download::<f64>(d, 1), [f64::from(n) * 0.25]);
    assert_eq!(
        m.device.download::<u64>(l, 2),
        [u64::from(n) << 33, u64::from(n - 1) << 32]
    );
}

#[test]
fn votes() {
    let m = module();
    let out = m.device.allocate(1024, true);
    m.run("votes", 1, 32, args![out]);
    let got = m.device.download::<u32>(out, 256);
    for i in 0..32u32 {
        let at = |k: u32| got[(k * 32 + i) as usize];
        let mask = |f: &dyn Fn(u32) -> bool| (0..32).fold(0, |m, k| m | u32::from(f(k)) << k);
        assert_eq!(at(0), mask(&|k| k % 3 == 0));
        assert_eq!(at(1), 3);
        assert_eq!(at(2), mask(&|k| k % 5 == i % 5));
        assert_eq!(at(3), 0u32.wrapping_add(u32::MAX).wrapping_add(1));
        assert_eq!(
            at(4),
            if i % 2 == 1 {
                0xaaaa_aaaa
            } else {
                (0..32).step_by(2).sum()
            }
        );
        assert_eq!(at(5), (i ^ 5) * (i ^ 5));
        assert_eq!(at(6), if i % 8 >= 3 { (i - 3) * (i - 3) } else { i * i });
        assert_eq!(at(7), 11 + 100);
    }
    m.run("syncwarps", 1, 32, args![out]);
    let want: Vec<i32> = (0..32)
        .map(|i| if 31 - i < 16 { 31 - i } else { 2 * (31 - i) })
        .collect();
    assert_eq!(m.device.download::<i32>(out, 32), want);
}

#[test]
fn memory() {
    let m = module();
    let out = m.device.allocate(4096, true);
    m.try_run("dynamic", [2, 1, 1], [100, 1, 1], 400, false, args![out])
        .unwrap();
    let want: Vec<i32> = (0..100).map(|i| (99 - i) * 3 + i % 3).collect();
    assert_eq!(m.device.download::<i32>(out, 100), want);
    m.run("heap", 1, 64, args![out]);
    assert_eq!(
        m.device.download::<i32>(out, 64),
        (0..64).map(|i| i * 120).collect::<Vec<_>>()
    );
}

#[test]
fn faults() {
    let m = module();
    let fault = m.fault("asserts", 1, 32, args![7]);
    assert_eq!((fault.kind, fault.thread), (FaultKind::Assert, [7, 0, 0]));
    assert!(fault.report.contains("a message"), "{fault}");
    let fault = m.fault("traps", 1, 64, args![40]);
    assert_eq!((fault.kind, fault.thread), (FaultKind::Trap, [40, 0, 0]));
    let args = args![m.device.allocate(400, true)];
    let fault = m.try_run("dynamic", [1; 3], [100, 1, 1], 80, false, args);
    let fault = fault.unwrap_err();
    assert_eq!(fault.kind, FaultKind::IllegalAddress);
    assert!(fault.report.contains("shared"), "{fault}");
    let limited = Loaded {
        options: Options {
            time_limit: Some(std::time::Duration::from_millis(50)),
            ..Options::default()
        },
        ..m
    };
    let flag = limited.device.upload(&[0i32]);
    let fault = limited.fault("forever", 4, 64, args![flag]);
    assert_eq!(fault.kind, FaultKind::Timeout);
}

#[test]
fn standard_library() {
    let m = module();
    let out = m.device.allocate(512, true);
    m.run("standard", 1, 64, args![out]);
    let want: Vec<f64> = (0..64)
        .map(|t| {
            let t = f64::from(t);
            let a = [1.0, 2.0, 3.0, t];
            let (re, im) = (a[t as usize % 4], 1.0);
            (re * re - im * im) + 10.0 * (2.0 * re * im + t)
        })
        .collect();
    assert_eq!(m.device.download::<f64>(out, 64), want);
}

#[test]
fn seeds() {
    for seed in 0..5 {
        let mut m = module();
        m.options.seed = Some(seed);
        let counter = m.device.upload(&[0u32]);
        m.run("locks", 5, 64, args![counter]);
        assert_eq!(m.device.download::<u32>(counter, 1), [320]);
        let n = 33;
        let a = m.device.upload(&vec![1f32; n * n]);
        let c = m.device.allocate((n * n * 4) as u64, true);
        m.run("matmul", [3, 3, 1], [16, 16, 1], args![c, a, a, n as i32]);
        assert_eq!(m.device.download::<f32>(c, n * n), vec![n as f32; n * n]);
    }
}
