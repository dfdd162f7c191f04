//! Kernels of arithmetic and mathematical functions, compared with results computed on the host.

use crate::common::features::{module, numbers};

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
    // Halves have so few bits that a double holds their product and sum exactly here.
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
