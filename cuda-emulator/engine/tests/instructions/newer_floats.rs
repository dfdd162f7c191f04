//! Floating-point instructions of compute capability 10.0: pairs of singles, minimum and maximum of
//! three values.

use crate::common::rows::apply;

/// Edge values and mixtures of them, three per row.
fn rows() -> Vec<[u32; 3]> {
    let edges = [
        0.0,
        -0.0,
        1.0,
        -2.5,
        3.0e-39,
        -3.0e-39,
        f32::MAX,
        f32::INFINITY,
        f32::NAN,
    ]
    .map(f32::to_bits);
    let mut rows = Vec::new();
    for a in edges {
        for b in edges {
            rows.extend(edges.map(|c| [a, b, c]));
        }
    }
    rows
}

fn singles(op: &str, rows: &[[u32; 3]]) -> Vec<u32> {
    apply(op, "f32", "f32", rows)
}

#[test]
fn three_sources_are_two_steps() {
    let rows = rows();
    for op in ["min", "max"] {
        for modifiers in ["", ".ftz", ".NaN", ".ftz.NaN"] {
            let two = format!("{op}{modifiers}.f32 %d, %a, %b");
            let middle = singles(&two, &rows);
            let steps: Vec<_> = middle
                .iter()
                .zip(&rows)
                .map(|(m, row)| [*m, row[2], 0])
                .collect();
            let three = format!("{op}{modifiers}.f32 %d, %a, %b, %c");
            assert_eq!(singles(&three, &rows), singles(&two, &steps), "{three}");
            // The signs of the sources are ignored.
            let positive: Vec<_> = rows.iter().map(|r| r.map(|x| x & !(1 << 31))).collect();
            let absolute = format!("{op}{modifiers}.abs.f32 %d, %a, %b, %c");
            assert_eq!(
                singles(&absolute, &rows),
                singles(&three, &positive),
                "{absolute}"
            );
        }
    }
}

#[test]
fn pairs_are_two_singles() {
    let rows = rows();
    // The upper halves use the rows in reverse order.
    let pairs: Vec<[u64; 3]> = rows
        .iter()
        .zip(rows.iter().rev())
        .map(|(low, high)| std::array::from_fn(|i| u64::from(low[i]) | u64::from(high[i]) << 32))
        .collect();
    for (op, operands) in [
        ("add", "%d, %a, %b"),
        ("sub", "%d, %a, %b"),
        ("mul", "%d, %a, %b"),
        ("fma", "%d, %a, %b, %c"),
    ] {
        for modifiers in [".rn", ".rz", ".rm", ".rp", ".rn.ftz", ".rp.ftz"] {
            let single = singles(&format!("{op}{modifiers}.f32 {operands}"), &rows);
            let pair = format!("{op}{modifiers}.f32x2 {operands}");
            let got = apply::<u64, u64>(&pair, "b64", "b64", &pairs);
            let want: Vec<_> = single
                .iter()
                .zip(single.iter().rev())
                .map(|(low, high)| u64::from(*low) | u64::from(*high) << 32)
                .collect();
            assert_eq!(got, want, "{pair}");
        }
    }
}
