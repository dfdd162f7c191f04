//! Whole kernels, compared with what the host computes.

mod common;

use common::{Loaded, load};
use cuda_emulator::engine::{FaultKind, Options};

fn module() -> Loaded {
    load(include_str!("ptx/features.ptx"))
}

fn numbers(n: usize, range: i32) -> Vec<i32> {
    let mut x = 99u32;
    (0..n)
        .map(|_| {
            x = x.wrapping_mul(1664525).wrapping_add(1013904223);
            (x >> 8) as i32 % range
        })
        .collect()
}

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
    m.try_run(
        "matmul",
        [3, 3, 1],
        [16, 16, 1],
        0,
        false,
        args![dc, da, db, n as i32],
    )
    .unwrap();
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
    assert!(
        got.iter()
            .enumerate()
            .all(|(i, &v)| v == (i as u32 + 33) % 1280 * 2)
    );
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
    let mut params = Vec::new();
    for v in [1i32, 2, 3, 4, 5, 0] {
        params.extend_from_slice(&v.to_le_bytes());
    }
    params.extend_from_slice(&1.5f64.to_le_bytes());
    params.extend_from_slice(&out.to_le_bytes());
    let kernel = m
        .image
        .program()
        .kernels()
        .iter()
        .position(|k| k.name == "structs")
        .unwrap();
    let launch = cuda_emulator::engine::Launch {
        image: &m.image,
        kernel,
        shape: cuda_emulator::engine::Shape {
            grid: [1; 3],
            block: [64, 1, 1],
            ..Default::default()
        },
        params: &params,
    };
    cuda_emulator::engine::run(&launch, &m.device, &m.options).unwrap();
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
    let fault = m
        .try_run("asserts", [1; 3], [32, 1, 1], 0, false, args![7])
        .unwrap_err();
    assert_eq!((fault.kind, fault.thread), (FaultKind::Assert, [7, 0, 0]));
    assert!(fault.report.contains("a message"), "{fault}");
    let fault = m
        .try_run("traps", [1; 3], [64, 1, 1], 0, false, args![40])
        .unwrap_err();
    assert_eq!((fault.kind, fault.thread), (FaultKind::Trap, [40, 0, 0]));
    let fault = m
        .try_run(
            "dynamic",
            [1; 3],
            [100, 1, 1],
            80,
            false,
            args![m.device.allocate(400, true)],
        )
        .unwrap_err();
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
    let fault = limited
        .try_run("forever", [4, 1, 1], [64, 1, 1], 0, false, args![flag])
        .unwrap_err();
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
        m.try_run(
            "matmul",
            [3, 3, 1],
            [16, 16, 1],
            0,
            false,
            args![c, a, a, n as i32],
        )
        .unwrap();
        assert!(
            m.device
                .download::<f32>(c, n * n)
                .iter()
                .all(|&v| v == n as f32)
        );
    }
}

/// Distance in units of the last place.
fn ulps32(a: f32, b: f32) -> u32 {
    if a == b || a.is_nan() && b.is_nan() {
        return 0;
    }
    let order = |x: f32| {
        let bits = x.to_bits() as i32;
        i64::from(if bits < 0 {
            i32::MIN.wrapping_sub(bits)
        } else {
            bits
        })
    };
    (order(a) - order(b)).unsigned_abs().min(u32::MAX.into()) as u32
}

fn ulps64(a: f64, b: f64) -> u64 {
    if a == b || a.is_nan() && b.is_nan() {
        return 0;
    }
    let order = |x: f64| {
        let bits = x.to_bits() as i64;
        i128::from(if bits < 0 {
            i64::MIN.wrapping_sub(bits)
        } else {
            bits
        })
    };
    (order(a) - order(b)).unsigned_abs().min(u64::MAX.into()) as u64
}

#[test]
fn math_single() {
    let m = module();
    let n = 256;
    let x: Vec<f32> = numbers(n, 100_000)
        .iter()
        .map(|&v| (v as f32 - 50_000.0) / 3000.0)
        .collect();
    let (dx, out) = (
        m.device.upload(&x),
        m.device.allocate((n * 26 * 4) as u64, true),
    );
    m.run("math32", 2, 128, args![out, dx, n as i32]);
    let got = m.device.download::<f32>(out, n * 26);
    type Case = (&'static str, fn(f64) -> f64, u32);
    let cases: [Case; 23] = [
        ("sin", f64::sin, 2),
        ("cos", f64::cos, 2),
        ("tan", f64::tan, 4),
        ("exp", f64::exp, 2),
        ("log", |v| v.abs().ln(), 2),
        ("pow", |v| v.abs().powf(f64::from(1.7f32)), 8),
        ("sqrt", |v| v.abs().sqrt(), 0),
        ("rsqrt", |v| 1.0 / v.abs().sqrt(), 2),
        ("cbrt", f64::cbrt, 1),
        ("atan", f64::atan, 2),
        ("asin", |v| (f64::from(v as f32 / 1000.0)).asin(), 3),
        ("tanh", f64::tanh, 2),
        ("", |v| v, 0),
        ("", |v| v, 0),
        ("fmod", |v| v % f64::from(0.7f32), 0),
        ("expm1", f64::exp_m1, 2),
        ("log1p", |v| v.abs().ln_1p(), 2),
        ("hypot", |v| v.hypot(3.0), 3),
        ("ldexp", |v| v * 8.0, 0),
        ("round", f64::round, 0),
        ("third", |v| v / 3.0, 0),
        ("floor", f64::floor, 0),
        ("atan2", |v| v.atan2(2.0), 3),
    ];
    for (k, (name, f, bound)) in cases.iter().enumerate() {
        if name.is_empty() {
            continue;
        }
        for i in 0..n {
            let (got, want) = (got[k * n + i], f(f64::from(x[i])) as f32);
            assert!(
                ulps32(got, want) <= *bound,
                "{name}({}) = {got}, not {want}",
                x[i]
            );
        }
    }
}

#[test]
fn math_double() {
    let m = module();
    let n = 256;
    let x: Vec<f64> = numbers(n, 100_000)
        .iter()
        .map(|&v| (f64::from(v) - 50_000.0) / 3000.0)
        .collect();
    let (dx, out) = (
        m.device.upload(&x),
        m.device.allocate((n * 24 * 8) as u64, true),
    );
    m.run("math64", 2, 128, args![out, dx, n as i32]);
    let got = m.device.download::<f64>(out, n * 24);
    type Case = (&'static str, fn(f64) -> f64, u64);
    let cases: [Case; 24] = [
        ("sin", f64::sin, 2),
        ("cos", f64::cos, 2),
        ("tan", f64::tan, 3),
        ("exp", f64::exp, 2),
        ("log", |v| v.abs().ln(), 2),
        ("pow", |v| v.abs().powf(1.7), 3),
        ("sqrt", |v| v.abs().sqrt(), 0),
        ("rsqrt", |v| 1.0 / v.abs().sqrt(), 2),
        ("cbrt", f64::cbrt, 2),
        ("atan", f64::atan, 3),
        ("asin", |v| (v / 1000.0).asin(), 3),
        ("tanh", f64::tanh, 3),
        ("", |v| v, 0),
        ("", |v| v, 0),
        ("fmod", |v| v % 0.7, 0),
        ("expm1", f64::exp_m1, 2),
        ("log1p", |v| v.abs().ln_1p(), 2),
        ("hypot", |v| v.hypot(3.0), 3),
        ("inverse", |v| 1.0 / v, 0),
        ("third", |v| v / 3.0, 0),
        ("rint", f64::round_ties_even, 0),
        ("floor", f64::floor, 0),
        ("atan2", |v| v.atan2(2.0), 3),
        ("sinh", |v| (v / 10.0).sinh(), 3),
    ];
    for (k, (name, f, bound)) in cases.iter().enumerate() {
        if name.is_empty() {
            continue;
        }
        for i in 0..n {
            let (got, want) = (got[k * n + i], f(x[i]));
            assert!(
                ulps64(got, want) <= *bound,
                "{name}({}) = {got}, not {want}",
                x[i]
            );
        }
    }
}

#[test]
fn integers() {
    let m = module();
    let mut x = numbers(64, 1 << 24);
    x.iter_mut()
        .enumerate()
        .for_each(|(i, v)| *v = v.wrapping_mul(if i % 3 == 0 { -301 } else { 77 }));
    x[5] = 0;
    x[9] = i32::MIN;
    x[10] = -1;
    let n = x.len();
    let (dx, out) = (
        m.device.upload(&x),
        m.device.allocate((n * 30 * 8) as u64, true),
    );
    m.run("integers", 1, 64, args![out, dx, n as i32]);
    let got = m.device.download::<i64>(out, n * 30);
    for i in 0..n {
        let (a, b) = (x[i], x[(i + 1) % n]);
        let (la, lb) = (
            i64::from(a).wrapping_mul(1_000_003) + i64::from(b),
            i64::from(b) * 77_777 - i64::from(a),
        );
        let (ua, ub) = (a as u32, b as u32);
        let each = |f: &dyn Fn(u32) -> u32| (0..4).fold(0u32, |s, k| s | f(k) << (8 * k));
        let byte = |v: u32, k: u32| v >> (8 * k) & 0xff;
        let want: [i64; 30] = [
            a.wrapping_add(b).into(),
            a.wrapping_mul(b).into(),
            if b == 0 { 0 } else { a.wrapping_div(b).into() },
            if b == 0 { 0 } else { a.wrapping_rem(b).into() },
            (ua >> (b & 31)).into(),
            (a >> (b & 31)).into(),
            if lb == 0 { 0 } else { la.wrapping_div(lb) },
            if lb == 0 { 0 } else { la.wrapping_rem(lb) },
            ((u128::from(la as u64) * u128::from(lb as u64)) >> 64) as i64,
            ((i64::from(a) * i64::from(b)) >> 32) as i32 as i64,
            ua.reverse_bits().into(),
            la.count_ones().into(),
            la.leading_zeros().into(),
            if a == 0 {
                0
            } else {
                (a.trailing_zeros() + 1).into()
            },
            (byte(ua, 0) | byte(ub, 0) << 8 | byte(ua, 1) << 16 | byte(ub, 1) << 24).into(),
            (((u64::from(ub) << 32 | u64::from(ua)) << 5 >> 32) as u32).into(),
            a.min(b).into(),
            la.max(lb),
            a.wrapping_abs().into(),
            a.abs_diff(b).wrapping_add(7).into(),
            (0..4)
                .fold(100i32, |s, k| {
                    s.wrapping_add((byte(ua, k) as i8 as i32) * (byte(ub, k) as i8 as i32))
                })
                .into(),
            ((la as i128 as u128).wrapping_mul(lb as i128 as u128) >> 40) as i64,
            (a as i16 as i32 * b as i16 as i32).into(),
            (ua & 0xff).into(),
            (ua.wrapping_add(ub) & 0xffff | (ua >> 16).wrapping_add(ub >> 16) << 16).into(),
            each(&|k| (byte(ua, k) as i8).max(byte(ub, k) as i8) as u8 as u32).into(),
            (a == b).into(),
            la as f32 as i64,
            la as f64 as i64,
            (a as f32 as i32).into(),
        ];
        for (k, want) in want.iter().enumerate() {
            assert_eq!(got[k * n + i], *want, "expression {k} of {a} and {b}");
        }
    }
}

#[test]
fn halves() {
    use half::{bf16, f16};
    let m = module();
    let n = 64;
    let x: Vec<f32> = numbers(n, 100_000)
        .iter()
        .map(|&v| (v as f32 - 50_000.0) / 7000.0)
        .collect();
    let (dx, h, b) = (
        m.device.upload(&x),
        m.device.allocate(1024, true),
        m.device.allocate(1024, true),
    );
    m.run("halves", 1, 64, args![h, b, dx, n as i32]);
    let h: Vec<f16> = m
        .device
        .download::<u16>(h, 6 * n)
        .into_iter()
        .map(f16::from_bits)
        .collect();
    let b: Vec<bf16> = m
        .device
        .download::<u16>(b, 2 * n)
        .into_iter()
        .map(bf16::from_bits)
        .collect();
    // Halves have so few bits that double holds product and sum exactly here.
    let fma = |a: f16, b: f16, c: f16| f16::from_f64(a.to_f64() * b.to_f64() + c.to_f64());
    for i in 0..n {
        let (a, c) = (f16::from_f32(x[i]), f16::from_f32(x[(i + 1) % n]));
        assert_eq!(
            h[i],
            fma(
                a,
                c,
                f16::from_f64(a.to_f64() + f16::from_f64(c.to_f64() * c.to_f64()).to_f64())
            ),
            "{a} {c}"
        );
        assert_eq!(h[n + i], f16::from_f64(a.to_f64().abs().sqrt()));
        assert_eq!(h[2 * n + i], if a > c { a } else { c });
        assert_eq!(h[3 * n + i], fma(a, a, a));
        assert_eq!(h[4 * n + i], fma(c, c, c));
        assert_eq!(h[5 * n + i], if a > c { a } else { -c });
        let (p, q) = (bf16::from_f32(x[i]), bf16::from_f32(x[(i + 1) % n]));
        let difference = bf16::from_f64(p.to_f64() - q.to_f64());
        assert_eq!(
            b[i],
            bf16::from_f64(p.to_f64() * q.to_f64() + difference.to_f64())
        );
        let want = bf16::from_f64(p.to_f64().exp()).to_f64();
        assert!(
            (b[n + i].to_f64() - want).abs() <= want * 0.008,
            "exp({p}) = {}, not {want}",
            b[n + i]
        );
    }
}
