//! Results that are narrower than their register, and registers as vectors of smaller ones. The
//! recorded results of `cuda-conformance` have registers of the result's size.

use crate::common::rows::{apply, singles};

/// The type of the sources, the instruction, and its result.
type Case = (&'static str, &'static str, fn(u32, u32) -> u32);

/// Narrow results are extended according to their type.
const CASES: [Case; 11] = [
    ("b32", "cvt.s16.u32 %d, %a", |a, _| a as i16 as u32),
    ("b32", "cvt.u16.s32 %d, %a", |a, _| (a as u16).into()),
    ("b32", "cvt.s16.u8 %d, %a", |a, _| (a as u8).into()),
    ("b32", "cvt.s16.s8 %d, %a", |a, _| a as i8 as u32),
    ("b32", "cvt.u16.s8 %d, %a", |a, _| (a as i8 as u16).into()),
    (
        "b32",
        "{.reg .b64 %w; mov.b64 %w, {%a, %b}; cvt.s16.u64 %d, %w;}",
        |a, _| a as i16 as u32,
    ),
    ("f32", "cvt.rzi.s16.f32 %d, %a", |a, _| {
        f32::from_bits(a) as i16 as u32
    }),
    ("f32", "cvt.rzi.u8.f32 %d, %a", |a, _| {
        (f32::from_bits(a) as u8).into()
    }),
    ("f32", "cvt.rzi.ftz.s32.f32 %d, %a", |a, _| {
        f32::from_bits(a) as i32 as u32
    }),
    (
        "b32",
        "{.reg .b8 %x<4>; mov.b32 {%x0, %x1, %x2, %x3}, %a; mov.b32 %d, {%x3, %x2, %x1, %x0};}",
        |a, _| a.swap_bytes(),
    ),
    (
        "b32",
        "{.reg .b128 %q; mov.b128 %q, {%a, %b, %c, %a}; mov.b128 {_, %d, _, _}, %q;}",
        |_, b| b,
    ),
];

#[test]
fn narrow_results_and_parts_of_registers() {
    let mut rows = singles();
    // Numbers around the sizes of the types.
    rows.extend([31, 32, 63, 127, 128, 255, 0x7fff, 0x8000, 0xffff, u32::MAX].map(|a| [a, !a, 0]));
    for (from, op, want) in CASES {
        for (row, got) in rows.iter().zip(apply::<u32, u32>(op, from, "b32", &rows)) {
            assert_eq!(got, want(row[0], row[1]), "{op} of {row:x?}");
        }
    }
}
