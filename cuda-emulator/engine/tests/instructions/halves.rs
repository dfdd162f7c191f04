//! Half precision and 8-bit floats: all numbers, and elements out of bounds.

use crate::common::rows::{Random, apply, bits32, singles};

#[test]
fn all_halves_become_singles() {
    let all: Vec<[u16; 3]> = (0..=u16::MAX).map(|h| [h, 0, 0]).collect();
    let got = apply::<u16, u32>("cvt.f32.f16 %d, %a", "b16", "f32", &all);
    for ([h, ..], got) in all.iter().zip(got) {
        assert_eq!(got, bits32(half::f16::from_bits(*h).to_f32()), "{h:04x}");
    }
}

/// Returns the relevant combinations of halves: edge values with each other, and random ones.
fn half_rows() -> Vec<[u16; 3]> {
    let edges = [
        0u16, 0x8000, 1, 0x3ff, 0x400, 0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00,
        0x3555,
    ];
    let mut random = Random(11);
    let mut rows = Vec::new();
    for a in edges {
        for b in edges {
            for c in edges {
                rows.push([a, b, c]);
            }
        }
    }
    rows.extend((0..20_000).map(|_| {
        let r = random.next();
        [r as u16, (r >> 16) as u16, (r >> 32) as u16]
    }));
    rows
}

/// On an H200 (driver 580), the result is +0 if a factor is 0x7ff7 or 0xfff7. For all other 16-bit
/// patterns in the factors, and for all patterns in the addend, it is the same as without `.oob`.
/// In pairs, this holds for each half separately.
#[test]
fn products_with_elements_out_of_bounds() {
    let mut rows = half_rows();
    let special = [0x7ff7, 0xfff7, 0xffff, 0x7fff, 0x7e00, 0x7c00, 0, 0xc000];
    for number in 0..512 {
        rows.push([number, number >> 3, number >> 6].map(|at| special[at & 7]));
    }
    // Every pattern in each operand.
    for number in 0..=u16::MAX {
        for place in 0..3 {
            let mut row = [0x3c00, 0xc000, 0x7c00];
            row[place] = number;
            rows.push(row);
        }
    }
    let outside = |row: &[u16; 3]| row[..2].iter().any(|one| [0x7ff7, 0xfff7].contains(one));
    let zeros = rows.iter().filter(|row| outside(row)).count();
    assert!(zeros >= 512 - 6 * 6 * 8 + 4, "{zeros}");
    // The lower half of a pair is a row, and the upper half is the next row.
    let after = |at: usize| (at + 1) % rows.len();
    let pairs: Vec<[u32; 3]> = (0..rows.len())
        .map(|at| [0, 1, 2].map(|i| u32::from(rows[at][i]) | u32::from(rows[after(at)][i]) << 16))
        .collect();
    for t in ["f16", "bf16"] {
        let modes: &[&str] = match t {
            "f16" => &["", ".relu", ".sat"],
            _ => &["", ".relu"],
        };
        for mode in modes {
            let one = |oob| format!("fma.rn{oob}{mode}.{t} %d, %a, %b, %c");
            let plain = apply::<u16, u16>(&one(""), "b16", "b16", &rows);
            let want: Vec<u16> = rows
                .iter()
                .zip(plain)
                .map(|(row, plain)| if outside(row) { 0 } else { plain })
                .collect();
            let got = apply::<u16, u16>(&one(".oob"), "b16", "b16", &rows);
            assert_eq!(got, want, "{t} {mode}");
            let op = format!("fma.rn.oob{mode}.{t}x2 %d, %a, %b, %c");
            let got = apply::<u32, u32>(&op, "b32", "b32", &pairs);
            for (at, got) in got.into_iter().enumerate() {
                let want = u32::from(want[at]) | u32::from(want[after(at)]) << 16;
                assert_eq!(got, want, "{op} of {:08x?}", pairs[at]);
            }
        }
    }
}

/// Returns the value of an 8-bit float. e4m3 has one NaN and no infinity.
fn eight(code: u8, e5m2: bool) -> f32 {
    let (mantissa_bits, bias) = if e5m2 { (2, 15) } else { (3, 7) };
    let exponent = i32::from(code >> mantissa_bits & if e5m2 { 31 } else { 15 });
    let mantissa = f32::from(code & ((1 << mantissa_bits) - 1));
    let scale = (1 << mantissa_bits) as f32;
    let magnitude = match (e5m2, exponent) {
        (false, 15) if mantissa == 7.0 => f32::NAN,
        (true, 31) if mantissa == 0.0 => f32::INFINITY,
        (true, 31) => f32::NAN,
        (_, 0) => mantissa / scale * 2f32.powi(1 - bias),
        _ => (1.0 + mantissa / scale) * 2f32.powi(exponent - bias),
    };
    if code & 0x80 != 0 {
        -magnitude
    } else {
        magnitude
    }
}

/// Returns the nearest 8-bit float by trying all of them. Ties go to the even one, and values
/// beyond the largest give the largest.
fn to_eight(x: f32, e5m2: bool, relu: bool) -> u8 {
    if x.is_nan() {
        return 0x7f;
    }
    if relu && x <= 0.0 {
        return 0;
    }
    let sign = if x.is_sign_negative() { 0x80 } else { 0 };
    let finite = (0..0x80u8).filter(|&code| eight(code, e5m2).is_finite());
    let distance = |code: u8| (f64::from(eight(code, e5m2)) - f64::from(x.abs())).abs();
    let nearest = finite.min_by(|&a, &b| {
        let order = distance(a).total_cmp(&distance(b));
        order.then((a & 1).cmp(&(b & 1)))
    });
    let largest = if e5m2 { 0x7b } else { 0x7e };
    sign | if x.abs() > eight(largest, e5m2) {
        largest
    } else {
        nearest.unwrap()
    }
}

#[test]
fn eight_bit_floats() {
    let rows: Vec<[u32; 3]> = singles();
    let halves: Vec<[u32; 3]> = (0..=u16::MAX)
        .map(|h| [u32::from(h) | u32::from(!h) << 16, 0, 0])
        .collect();
    let pairs: Vec<[u16; 3]> = (0..=255u16).map(|c| [c | (255 - c) << 8, 0, 0]).collect();
    for (name, e5m2) in [("e4m3x2", false), ("e5m2x2", true)] {
        for (mode, relu) in [("", false), (".relu", true)] {
            let op = format!("cvt.rn.satfinite{mode}.{name}.f32 %d, %a, %b");
            for (row, got) in rows.iter().zip(apply::<u32, u16>(&op, "f32", "b16", &rows)) {
                let want = |bits: u32| u16::from(to_eight(f32::from_bits(bits), e5m2, relu));
                assert_eq!(got, want(row[0]) << 8 | want(row[1]), "{op} of {row:08x?}");
            }
            let op = format!("cvt.rn.satfinite{mode}.{name}.f16x2 %d, %a");
            for (row, got) in halves
                .iter()
                .zip(apply::<u32, u16>(&op, "b32", "b16", &halves))
            {
                let half = |bits: u32| half::f16::from_bits(bits as u16).to_f32();
                let want = |bits: u32| u16::from(to_eight(half(bits), e5m2, relu));
                assert_eq!(
                    got,
                    want(row[0] >> 16) << 8 | want(row[0]),
                    "{op} of {row:08x?}"
                );
            }
            let op = format!("cvt.rn{mode}.f16x2.{name} %d, %a");
            for (row, got) in pairs
                .iter()
                .zip(apply::<u16, u32>(&op, "b16", "b32", &pairs))
            {
                for (code, got) in [
                    (row[0] as u8, got as u16),
                    ((row[0] >> 8) as u8, (got >> 16) as u16),
                ] {
                    let (want, got) = (eight(code, e5m2), half::f16::from_bits(got).to_f32());
                    let want = if relu && want < 0.0 { 0.0 } else { want };
                    let zero = relu && want == 0.0 && got == 0.0;
                    let same = want.to_bits() == got.to_bits() || want.is_nan() && got.is_nan();
                    assert!(same || zero, "{op} of {code:#04x}: {got}, not {want}");
                }
            }
        }
    }
}

/// Both results of a comparison of pairs are written at once, because the guard may be one of them.
#[test]
fn pair_comparison_may_write_its_guard() {
    let mut random = Random(5);
    let rows: Vec<[u32; 3]> = (0..1000)
        .map(|_| [random.next() as u32, random.next() as u32, 0])
        .collect();
    let less = |a: u32, b: u32| half::f16::from_bits(a as u16) < half::f16::from_bits(b as u16);
    for guard in ["%p2", "%p3"] {
        let op = format!(
            "setp.ge.u32 {guard}, %a, 0; @{guard} setp.lt.f16x2 %p2|%p3, %a, %b; \
             selp.u32 %d, 1, 0, %p2; @%p3 add.u32 %d, %d, 2"
        );
        for (row, got) in rows.iter().zip(apply::<u32, u32>(&op, "b32", "b32", &rows)) {
            let [a, b, _] = *row;
            let want = u32::from(less(a, b)) + 2 * u32::from(less(a >> 16, b >> 16));
            assert_eq!(got, want, "{op} of {a:#010x} and {b:#010x}");
        }
    }
}
