//! Single floating-point instructions, on edge values and many others, compared with independent
//! computations.

use crate::common::rows::{Random, apply, bits32, singles};

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Near,
    Zero,
    Down,
    Up,
}

/// Rounds `value + error` to a single. The error is much smaller than the value.
fn round32(value: f64, error: f64, mode: Mode) -> f32 {
    if !value.is_finite() {
        return value as f32;
    }
    if value == 0.0 && error == 0.0 {
        return value as f32;
    }
    // First to nearest, through an odd-rounded value, then one step to the required side.
    let odd = if error == 0.0 || value.to_bits() & 1 == 1 {
        value
    } else if value == 0.0 {
        f64::from_bits(1).copysign(error)
    } else if (error > 0.0) == (value > 0.0) {
        f64::from_bits(value.to_bits() | 1)
    } else {
        f64::from_bits(value.to_bits() - 1)
    };
    let near = odd as f32;
    let up = |x: f32| x.next_up();
    let down = |x: f32| x.next_down();
    let at_least = f64::from(near) >= odd;
    let at_most = f64::from(near) <= odd;
    match mode {
        Mode::Near => near,
        Mode::Down => {
            if at_most {
                near
            } else {
                down(near)
            }
        }
        Mode::Up => {
            if at_least {
                near
            } else {
                up(near)
            }
        }
        Mode::Zero if odd > 0.0 => {
            if at_most {
                near
            } else {
                down(near)
            }
        }
        Mode::Zero => {
            if at_least {
                near
            } else {
                up(near)
            }
        }
    }
}

/// Returns the sum of doubles and its error.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let t = s - a;
    (s, (a - (s - t)) + (b - t))
}

fn exact_zero(mode: Mode, a: f64, b: f64) -> f64 {
    if a == 0.0 && b == 0.0 && a.is_sign_negative() == b.is_sign_negative() {
        a
    } else if mode == Mode::Down {
        -0.0
    } else {
        0.0
    }
}

const MODES: [(&str, Mode); 4] = [
    ("rn", Mode::Near),
    ("rz", Mode::Zero),
    ("rm", Mode::Down),
    ("rp", Mode::Up),
];

fn check32(op: &str, rows: &[[u32; 3]], want: impl Fn(f32, f32, f32) -> f32) {
    let got = apply::<u32, u32>(op, "f32", "f32", rows);
    for (row, got) in rows.iter().zip(got) {
        let [a, b, c] = row.map(f32::from_bits);
        let want = bits32(want(a, b, c));
        assert_eq!(
            got,
            want,
            "{op} of {a:e} {b:e} {c:e} ({row:08x?}): {:e}, not {:e}",
            f32::from_bits(got),
            f32::from_bits(want)
        );
    }
}

#[test]
fn single_rounding() {
    let rows = singles();
    for (name, mode) in MODES {
        let sum = |a: f64, b: f64| {
            let (s, e) = two_sum(a, b);
            if s == 0.0 && e == 0.0 {
                exact_zero(mode, a, b) as f32
            } else {
                round32(s, if s.is_finite() { e } else { 0.0 }, mode)
            }
        };
        check32(&format!("add.{name}.f32 %d, %a, %b"), &rows, |a, b, _| {
            sum(a.into(), b.into())
        });
        check32(&format!("sub.{name}.f32 %d, %a, %b"), &rows, |a, b, _| {
            sum(a.into(), (-b).into())
        });
        check32(&format!("mul.{name}.f32 %d, %a, %b"), &rows, |a, b, _| {
            round32(f64::from(a) * f64::from(b), 0.0, mode)
        });
        check32(
            &format!("fma.{name}.f32 %d, %a, %b, %c"),
            &rows,
            |a, b, c| {
                let p = f64::from(a) * f64::from(b);
                if p.is_infinite() || p.is_nan() {
                    (p + f64::from(c)) as f32
                } else {
                    sum(p, c.into())
                }
            },
        );
        check32(&format!("div.{name}.f32 %d, %a, %b"), &rows, |a, b, _| {
            let (a, b) = (f64::from(a), f64::from(b));
            let q = a / b;
            if !q.is_finite() || b.is_infinite() || q == 0.0 {
                return q as f32;
            }
            let rest = (-q).mul_add(b, a);
            round32(q, rest / b, mode)
        });
        check32(&format!("rcp.{name}.f32 %d, %a"), &rows, |a, _, _| {
            let a = f64::from(a);
            let q = 1.0 / a;
            if !q.is_finite() || q == 0.0 {
                q as f32
            } else {
                round32(q, (-q).mul_add(a, 1.0) / a, mode)
            }
        });
        check32(&format!("sqrt.{name}.f32 %d, %a"), &rows, |a, _, _| {
            let a = f64::from(a);
            let r = a.sqrt();
            if !r.is_finite() || r == 0.0 {
                r as f32
            } else {
                round32(r, (-r).mul_add(r, a) / (2.0 * r), mode)
            }
        });
    }
}

fn flush(x: f32) -> f32 {
    if x.is_subnormal() {
        0f32.copysign(x)
    } else {
        x
    }
}

#[test]
fn single_variants() {
    let rows = singles();
    check32("add.ftz.f32 %d, %a, %b", &rows, |a, b, _| {
        flush(flush(a) + flush(b))
    });
    check32("mul.rz.ftz.f32 %d, %a, %b", &rows, |a, b, _| {
        flush(round32(
            f64::from(flush(a)) * f64::from(flush(b)),
            0.0,
            Mode::Zero,
        ))
    });
    check32("fma.rn.sat.f32 %d, %a, %b, %c", &rows, |a, b, c| {
        let r = a.mul_add(b, c);
        if r.is_nan() || r <= 0.0 {
            0.0
        } else {
            r.min(1.0)
        }
    });
    check32("neg.f32 %d, %a", &rows, |a, _, _| -a);
    check32("abs.ftz.f32 %d, %a", &rows, |a, _, _| flush(a.abs()));
    let numbers: Vec<_> = rows
        .iter()
        .copied()
        .filter(|r| !f32::from_bits(r[1]).is_nan())
        .collect();
    check32("copysign.f32 %d, %a, %b", &numbers, |a, b, _| b.copysign(a));
    let order = |a: f32, b: f32| a < b || a == b && a.is_sign_negative() && b.is_sign_positive();
    check32("min.f32 %d, %a, %b", &rows, |a, b, _| {
        if a.is_nan() {
            b
        } else if b.is_nan() || order(a, b) {
            a
        } else {
            b
        }
    });
    check32("max.f32 %d, %a, %b", &rows, |a, b, _| {
        if a.is_nan() {
            b
        } else if b.is_nan() || order(b, a) {
            a
        } else {
            b
        }
    });
    check32("min.NaN.f32 %d, %a, %b", &rows, |a, b, _| {
        if a.is_nan() || b.is_nan() {
            f32::NAN
        } else if order(a, b) {
            a
        } else {
            b
        }
    });
    check32("max.xorsign.abs.f32 %d, %a, %b", &rows, |a, b, _| {
        let sign = if a.is_sign_negative() != b.is_sign_negative() {
            -1.0
        } else {
            1.0
        };
        let (x, y) = (a.abs(), b.abs());
        let larger = if x.is_nan() {
            y
        } else if y.is_nan() {
            x
        } else {
            x.max(y)
        };
        larger.copysign(sign)
    });
    for (op, error, f) in [
        ("rcp.approx.f32", 1.0, (|x: f64| 1.0 / x) as fn(f64) -> f64),
        ("sqrt.approx.f32", 1.0, f64::sqrt),
        ("rsqrt.approx.f32", 2.0, |x| 1.0 / x.sqrt()),
    ] {
        let got = apply::<u32, u32>(&format!("{op} %d, %a"), "f32", "f32", &rows);
        for (row, got) in rows.iter().zip(got) {
            let (x, got) = (f32::from_bits(row[0]), f32::from_bits(got));
            let want = f(x.into());
            assert!(
                got.is_nan() && want.is_nan()
                    || f64::from(got) == f64::from(want as f32)
                    || (f64::from(got) - want).abs() <= error * want.abs() * 2f64.powi(-23),
                "{op} of {x:e} is {got:e}, not {want:e}"
            );
        }
    }
}

#[test]
fn double_rounding() {
    let mut random = Random(3);
    let edges = [
        0u64,
        1 << 63,
        1,
        0x000f_ffff_ffff_ffff,
        0x0010_0000_0000_0000,
        0x3ff0_0000_0000_0000,
        0x7fef_ffff_ffff_ffff,
        0x7ff0_0000_0000_0000,
    ];
    let mut rows: Vec<[u64; 3]> = Vec::new();
    for a in edges {
        for b in edges {
            rows.push([a, b, edges[random.next() as usize % 8]]);
        }
    }
    for _ in 0..1000 {
        // Exponents close to each other and far from the limits, so that error terms are exact.
        let mut one = || {
            let exponent = 0x3f0 + random.next() % 40;
            random.next() & 0x800f_ffff_ffff_ffff | exponent << 52
        };
        rows.push([one(), one(), one()]);
    }
    let directed = |value: f64, error: f64, mode: Mode| {
        let step = match mode {
            Mode::Near => 0,
            Mode::Down => -i32::from(error < 0.0),
            Mode::Up => i32::from(error > 0.0),
            Mode::Zero if value > 0.0 => -i32::from(error < 0.0),
            Mode::Zero => i32::from(error > 0.0),
        };
        match step {
            0 => value,
            1 => value.next_up(),
            _ => value.next_down(),
        }
    };
    for (name, mode) in MODES {
        for op in ["add", "mul", "div", "fma", "sqrt"] {
            let operands = match op {
                "fma" => "%a, %b, %c",
                "sqrt" => "%a",
                _ => "%a, %b",
            };
            let got = apply::<u64, u64>(
                &format!("{op}.{name}.f64 %d, {operands}"),
                "f64",
                "f64",
                &rows,
            );
            for (i, (row, got)) in rows.iter().zip(got).enumerate() {
                let [a, b, c] = row.map(f64::from_bits);
                let near = match op {
                    "add" => a + b,
                    "mul" => a * b,
                    "div" => a / b,
                    "fma" => a.mul_add(b, c),
                    _ => a.sqrt(),
                };
                let got = f64::from_bits(got);
                if mode == Mode::Near {
                    assert!(
                        got.to_bits() == near.to_bits() || got.is_nan() && near.is_nan(),
                        "{op}.{name} {a:e} {b:e} {c:e}: {got:e}"
                    );
                    continue;
                }
                if i < 64 || !near.is_finite() || near == 0.0 {
                    continue;
                }
                let error = match op {
                    "add" => two_sum(a, b).1,
                    "mul" => a.mul_add(b, -near),
                    "div" => (-near).mul_add(b, a) / b,
                    "sqrt" => (-near).mul_add(near, a),
                    _ => {
                        // a * b + c - near, accurate enough for its sign.
                        let p = a * b;
                        let e = a.mul_add(b, -p);
                        let (s, t) = two_sum(p, c);
                        (s - near) + (t + e)
                    }
                };
                let want = directed(near, error, mode);
                assert!(
                    got == want || near.is_nan() && got.is_nan(),
                    "{op}.{name} {a:e} {b:e} {c:e}: {got:e}, not {want:e}"
                );
            }
        }
    }
}

#[test]
fn conversions() {
    let rows = singles();
    let check = |op: &str, want: &dyn Fn(f32) -> u32| {
        let got = apply::<u32, u32>(op, "f32", "b32", &rows);
        for (row, got) in rows.iter().zip(got) {
            let a = f32::from_bits(row[0]);
            assert_eq!(got, want(a), "{op} of {a:e} ({:08x})", row[0]);
        }
    };
    check("cvt.rni.s32.f32 %d, %a", &|a| {
        a.round_ties_even() as i32 as u32
    });
    check("cvt.rmi.s32.f32 %d, %a", &|a| a.floor() as i32 as u32);
    check("cvt.rpi.u32.f32 %d, %a", &|a| a.ceil() as u32);
    check("cvt.rzi.u32.f32 %d, %a", &|a| a as u32);
    check("cvt.rzi.s16.f32 %d, %a", &|a| a as i16 as i32 as u32);
    check("cvt.rzi.u8.f32 %d, %a", &|a| (a as u8).into());
    check("cvt.rzi.ftz.s32.f32 %d, %a", &|a| a as i32 as u32);
    check("cvt.rmi.f32.f32 %d, %a", &|a| bits32(a.floor()));
    check("cvt.sat.f32.f32 %d, %a", &|a| {
        if a > 0.0 { a.min(1.0).to_bits() } else { 0 }
    });
    check("cvt.rna.tf32.f32 %d, %a", &|a| {
        if a.is_nan() {
            a.to_bits() & !0x1fff
        } else if a.is_infinite() {
            a.to_bits()
        } else {
            (a.to_bits() + 0x1000) & !0x1fff
        }
    });
}
