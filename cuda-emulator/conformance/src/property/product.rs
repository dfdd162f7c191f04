//! Matrix products by a whole warp.

use crate::form::Form;
use crate::forms;

/// Types of factors whose products are used in programs.
const TYPES: [&str; 6] = [".s8.", ".f16.f16.", ".bf16.", ".tf32.", ".e4m3.", ".e5m2."];

/// Adds the dense `mma.sync` of integers, halves and smaller floats. Any bits are valid matrices.
pub fn add(forms: &mut Vec<Form>) {
    let mut all = forms::all();
    all.retain(|form| {
        form.name.starts_with("mma.sync.aligned.")
            && !form.optional
            && !form.name.contains("m8n8k4")
            && TYPES.iter().any(|t| form.name.contains(t))
    });
    for mut form in all {
        // Lanes may have diverged before.
        form.body = format!("bar.warp.sync 0xffffffff;\n{}", form.body);
        form.given.clear();
        forms.push(form.whole_warp());
    }
}

/// Returns the product of 8-bit integers:
/// `mma.sync.aligned.mMn8kK.row.col[.satfinite].s32.A.B.s32`.
pub fn reference(name: &str, lanes: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    let rest = name.strip_prefix("mma.sync.aligned.m")?;
    let (shape, types) = rest.split_once(".row.col.")?;
    let (rows, depth) = shape.split_once("n8k")?;
    let (rows, depth): (usize, usize) = (rows.parse().ok()?, depth.parse().ok()?);
    let saturates = types.starts_with("satfinite.") || types.ends_with(".satfinite");
    let types = types.strip_prefix("satfinite.").unwrap_or(types);
    let mut types = types.strip_prefix("s32.")?.split('.');
    let (a, b) = (types.next()?, types.next()?);
    if ![a, b].iter().all(|t| ["s8", "u8"].contains(t)) {
        return None;
    }
    // A register has four 8-bit elements. There are 8 rows with 4 registers each.
    let element = |register: usize, lane: usize, byte: usize, t: &str| {
        let bits = (lanes[lane][register] >> (8 * byte)) as u8;
        if t == "s8" {
            i64::from(bits as i8)
        } else {
            i64::from(bits)
        }
    };
    let halves = rows / 8;
    let first_b = halves * depth / 16;
    let first_c = first_b + depth / 16;
    let left = |row: usize, k: usize| {
        let register = k / 16 * halves + row / 8;
        element(register, row % 8 * 4 + k % 16 / 4, k % 4, a)
    };
    let right =
        |k: usize, column: usize| element(first_b + k / 16, column * 4 + k % 16 / 4, k % 4, b);
    let lane = |lane: usize| {
        let result = |r: usize| {
            let (row, column) = (lane / 4 + 8 * (r / 2), lane % 4 * 2 + r % 2);
            let addend = i64::from(lanes[lane][first_c + r] as i32);
            let sum = (0..depth).fold(addend, |sum, k| sum + left(row, k) * right(k, column));
            let sum = match saturates {
                true => sum.clamp(i32::MIN.into(), i32::MAX.into()),
                false => sum,
            };
            u64::from(sum as u32)
        };
        (0..2 * halves).map(result).collect()
    };
    Some((0..32).map(lane).collect())
}
