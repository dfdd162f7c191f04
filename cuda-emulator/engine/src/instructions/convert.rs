//! Conversions.
//!
//! Common conversions have separate functions and are first in the list. A single function performs
//! all others, as encoded in `imm`. It also performs common ones whose registers are wider than
//! their types.

use super::r#move::{MOVE_32, MOVE_64};
use crate::ir::{Choice, Code, Form, Opcode};
use crate::lanes::arithmetic::{binary_imm_each, ternary_imm_each, unary, unary_imm_each};
use crate::number::convert::{Convert, from_eight, pack_saturated, to_eight};
use crate::number::math::{
    brain_to_single, flush, half_to_single, quiet, result64, single_to_brain, single_to_half,
};
use crate::number::soft::{self, Round};
use crate::ptx::Type;

pub(super) const LISTS: &[&[Opcode]] = &[INTEGERS, FROM_INTEGERS, FLOATS, ANY, PAIRS, EIGHT, PACK];

/// A conversion whose registers may be wider than its types.
const fn cvt(name: &'static str, code: Code) -> Opcode {
    Opcode::new(name, code).form(Form::Convert).encode(encode)
}

/// Encodes the modifiers. A conversion of a pair is two conversions to the type of its elements.
fn encode(chosen: &Choice<'_>) -> u64 {
    let whole = ["rni", "rzi", "rmi", "rpi"];
    let round = [
        (["rz", "rzi"], Round::Zero),
        (["rm", "rmi"], Round::Down),
        (["rp", "rpi"], Round::Up),
        (["rna", ""], Round::Away),
    ];
    let found = round.iter().find(|(n, _)| n.iter().any(|n| chosen.has(n)));
    let types = chosen.0.iter().filter_map(|m| Type::parse(m));
    let mut types = types.map(|ty| match ty {
        Type::F16x2 => Type::F16,
        Type::BF16x2 => Type::BF16,
        ty => ty,
    });
    let convert = Convert {
        to: types.next().unwrap_or(Type::U32),
        from: types.next().unwrap_or(Type::U32),
        round: found.map_or(Round::Nearest, |(_, round)| *round),
        whole: whole.iter().any(|n| chosen.has(n)),
        ftz: chosen.has("ftz"),
        sat: chosen.has("sat"),
        finite: chosen.has("satfinite"),
        relu: chosen.has("relu"),
    };
    convert.pack()
}

const ZERO_8: Code = unary(|a: u8| a);
const SIGN_8: Code = unary(|a: i8| a);
const ZERO_16: Code = unary(|a: u16| a);
const SIGN_16: Code = unary(|a: i16| i32::from(a));
const LOW_32: Code = unary(|a: u64| a as u32);

/// Integers to integers. A register that is wider than the result is extended, here within its 32
/// bits.
const INTEGERS: &[Opcode] = &[
    cvt("cvt.[u32|s32].[u32|s32]", MOVE_32),
    cvt("cvt.[u64|s64].[u64|s64]", MOVE_64),
    cvt("cvt.[u64|s64].u32", unary(|a: u32| u64::from(a))),
    cvt("cvt.[u64|s64].s32", unary(|a: i32| i64::from(a))),
    cvt("cvt.[u32|s32].[u64|s64]", LOW_32),
    cvt("cvt.[u16|u32|s32].u16", ZERO_16),
    cvt("cvt.u16.[s16|u32|s32]", ZERO_16),
    cvt("cvt.[s16|u32|s32].s16", SIGN_16),
    cvt("cvt.s16.[u16|u32|s32]", SIGN_16),
    cvt("cvt.[u8|u16|s16|u32|s32].u8", ZERO_8),
    cvt("cvt.u8.[s8|u16|s16|u32|s32]", ZERO_8),
    cvt("cvt.[s8|s16|u32|s32].s8", SIGN_8),
    cvt("cvt.s8.[u8|u16|s16|u32|s32]", SIGN_8),
    cvt("cvt.[u64|s64].u16", unary(|a: u16| u64::from(a))),
    cvt("cvt.[u64|s64].s16", unary(|a: i16| i64::from(a))),
    cvt("cvt.u16.[u64|s64]", unary(|a: u64| a as u16)),
];

/// Integers to floats and back.
const FROM_INTEGERS: &[Opcode] = &[
    cvt("cvt.rn{.ftz}.f32.u32", unary(|a: u32| a as f32)),
    cvt("cvt.rn{.ftz}.f32.s32", unary(|a: i32| a as f32)),
    cvt("cvt.rn{.ftz}.f32.u64", unary(|a: u64| a as f32)),
    cvt("cvt.rn{.ftz}.f32.s64", unary(|a: i64| a as f32)),
    cvt("cvt.[rn|rz|rm|rp].f64.u32", unary(|a: u32| f64::from(a))),
    cvt("cvt.[rn|rz|rm|rp].f64.s32", unary(|a: i32| f64::from(a))),
    cvt("cvt.rn.f64.u64", unary(|a: u64| a as f64)),
    cvt("cvt.rn.f64.s64", unary(|a: i64| a as f64)),
    // Rust's casts saturate and turn NaN into 0, as the GPU's 32-bit conversions do.
    cvt("cvt.rzi{.ftz}.s32.f32", unary(|a: f32| a as i32)),
    cvt("cvt.rzi{.ftz}.u32.f32", unary(|a: f32| a as u32)),
];

/// Floats to floats.
const FLOATS: &[Opcode] = &[
    cvt("cvt.f64.f32", unary(widen)),
    // Double precision keeps a NaN's sign and payload. Flushing converts it to the single-precision
    // NaN first.
    cvt("cvt.ftz.f64.f32", unary(|a: f32| widen(quiet(flush(a))))),
    cvt("cvt.rn.f32.f64", unary(narrow)),
    cvt("cvt.rn.ftz.f32.f64", unary(|a: f64| flush(narrow(a)))),
    cvt(
        "cvt{.ftz}.f32.f16",
        unary(|a: u16| quiet(half_to_single(a))),
    ),
    cvt("cvt.rn{.ftz}.f16.f32", unary(single_to_half)),
    cvt("cvt.f32.bf16", unary(brain_to_single)).since(80),
    cvt("cvt.rn.bf16.f32", unary(single_to_brain)).since(80),
    cvt(
        "cvt.rni.f32.f32",
        unary(|a: f32| quiet(a.round_ties_even())),
    ),
    cvt("cvt.rzi.f32.f32", unary(|a: f32| quiet(a.trunc()))),
    cvt("cvt.rmi.f32.f32", unary(|a: f32| quiet(a.floor()))),
    cvt("cvt.rpi.f32.f32", unary(|a: f32| quiet(a.ceil()))),
    cvt(
        "cvt.rni.f64.f64",
        unary(|a: f64| result64(a.round_ties_even(), [a])),
    ),
    cvt("cvt.rzi.f64.f64", unary(|a: f64| result64(a.trunc(), [a]))),
    cvt("cvt.rmi.f64.f64", unary(|a: f64| result64(a.floor(), [a]))),
    cvt("cvt.rpi.f64.f64", unary(|a: f64| result64(a.ceil(), [a]))),
];

#[inline(always)]
fn widen(a: f32) -> f64 {
    let bits = u64::from(a.to_bits());
    let nan = (bits >> 31) << 63 | 0x7ff8 << 48 | (bits & 0x007f_ffff) << 29;
    f64::from_bits(if a.is_nan() {
        nan
    } else {
        f64::from(a).to_bits()
    })
}

#[inline(always)]
fn narrow(a: f64) -> f32 {
    let bits = a.to_bits();
    let nan = (bits >> 63 << 31 | 0x7fc0 << 16 | bits >> 29 & 0x007f_ffff) as u32;
    f32::from_bits(if a.is_nan() {
        nan
    } else {
        (a as f32).to_bits()
    })
}

/// All integer types.
macro_rules! integers {
    () => {
        ".[u8|s8|u16|s16|u32|s32|u64|s64]"
    };
}

/// A rounding to an integer value.
macro_rules! whole {
    () => {
        ".[rni|rzi|rmi|rpi]"
    };
}

/// All other conversions. Their form gets the function for its registers' widths from [`general`].
const ANY: &[Opcode] = &[
    cvt(concat!("cvt{.sat}", integers!(), integers!()), ANY_32_32),
    cvt(
        concat!(
            "cvt",
            whole!(),
            "{.ftz}{.sat}",
            integers!(),
            ".[f16|f32|f64]"
        ),
        ANY_32_32,
    ),
    cvt(
        concat!("cvt", whole!(), "{.sat}", integers!(), ".bf16"),
        ANY_32_32,
    )
    .since(90),
    cvt(
        concat!("cvt.[rn|rz|rm|rp]{.ftz}{.sat}.[f16|f32|f64]", integers!()),
        ANY_32_32,
    ),
    cvt(
        concat!("cvt.[rn|rz|rm|rp]{.sat}.bf16", integers!()),
        ANY_32_32,
    )
    .since(90),
    cvt(concat!("cvt", whole!(), "{.ftz}{.sat}.f32.f32"), ANY_32_32),
    cvt(concat!("cvt", whole!(), "{.sat}.f16.f16"), ANY_32_32),
    cvt(concat!("cvt", whole!(), "{.sat}.f64.f64"), ANY_32_32),
    cvt(concat!("cvt", whole!(), "{.sat}.bf16.bf16"), ANY_32_32).since(90),
    cvt("cvt.[rn|rz]{.relu}{.satfinite}.[f16|bf16].f32", ANY_32_32).since(80),
    cvt(
        "cvt{.rn|.rz|.rm|.rp}{.ftz}{.sat}.[f16|f32|f64].[f16|f32|f64]",
        ANY_32_32,
    ),
    cvt(
        "cvt{.rn|.rz|.rm|.rp}{.ftz}{.sat}.bf16.[f16|bf16|f32|f64]",
        ANY_32_32,
    )
    .since(90),
    cvt(
        "cvt{.rn|.rz|.rm|.rp}{.ftz}{.sat}.[f16|f32|f64].bf16",
        ANY_32_32,
    )
    .since(90),
    cvt("cvt.rna.tf32.f32", ANY_32_32).since(80),
    cvt("cvt.[rn|rz]{.relu}.tf32.f32", ANY_32_32).since(90),
];

const ANY_32_32: Code = unary_imm_each(|a: u32, imm| Convert::lane(a.into(), imm) as u32);

static GENERAL: [[Opcode; 2]; 2] = [
    [
        Opcode::internal("convert.b32.b32", ANY_32_32),
        Opcode::internal(
            "convert.b32.b64",
            unary_imm_each(|a: u64, imm| Convert::lane(a, imm) as u32),
        ),
    ],
    [
        Opcode::internal(
            "convert.b64.b32",
            unary_imm_each(|a: u32, imm| Convert::lane(a.into(), imm)),
        ),
        Opcode::internal("convert.b64.b64", unary_imm_each(Convert::lane)),
    ],
];

/// Any conversion, as encoded in `imm`, to and from registers of 32 or 64 bits.
pub(crate) fn general(to_64: bool, from_64: bool) -> &'static Opcode {
    &GENERAL[usize::from(to_64)][usize::from(from_64)]
}

/// The lower word of a value.
pub(crate) static LOW_WORD: Opcode = Opcode::internal("low word", LOW_32);

/// Two singles. The first becomes the upper half.
const PAIRS: &[Opcode] = &[Opcode::new(
    "cvt.[rn|rz]{.relu}{.satfinite}.[f16x2|bf16x2].f32",
    binary_imm_each(|a: f32, b: f32, imm| {
        let one = |x: f32| Convert::lane(x.to_bits().into(), imm) as u32 & 0xffff;
        one(a) << 16 | one(b)
    }),
)
.encode(encode)
.since(80)];

/// Pairs of 8-bit floats.
const EIGHT: &[Opcode] = &[
    Opcode::new(
        "cvt.rn.satfinite{.relu}.[e4m3x2|e5m2x2].f32",
        binary_imm_each(|a: f32, b: f32, imm| {
            let one = |x: f32| u16::from(to_eight(x.to_bits().into(), soft::F32, imm));
            one(a) << 8 | one(b)
        }),
    )
    .encode(eight)
    .since(89),
    Opcode::new(
        "cvt.rn.satfinite{.relu}.[e4m3x2|e5m2x2].f16x2",
        unary_imm_each(|a: u32, imm| {
            let one = |x: u32| u16::from(to_eight((x & 0xffff).into(), soft::F16, imm));
            one(a >> 16) << 8 | one(a)
        }),
    )
    .encode(eight)
    .since(89),
    Opcode::new(
        "cvt.rn{.relu}.f16x2.[e4m3x2|e5m2x2]",
        unary_imm_each(|a: u16, imm| {
            let one = |x: u16| u32::from(from_eight(x as u8, imm));
            one(a >> 8) << 16 | one(a)
        }),
    )
    .encode(eight)
    .since(89),
];

fn eight(chosen: &Choice<'_>) -> u64 {
    u64::from(chosen.has("e5m2x2")) | u64::from(chosen.has("relu")) << 1
}

/// Two integers, saturated and packed.
const PACK: &[Opcode] = &[
    Opcode::new(
        "cvt.pack.sat.[u16|s16].s32",
        binary_imm_each(|a: i32, b: i32, imm| pack_saturated(a, b, 0, imm)),
    )
    .encode(packed)
    .since(72),
    Opcode::new("cvt.pack.sat.[u8|s8].s32.b32", PACK_MORE)
        .encode(packed)
        .since(72),
    Opcode::new("cvt.pack.sat.[u4|s4|u2|s2].s32.b32", PACK_MORE)
        .encode(packed)
        .since(75),
];

const PACK_MORE: Code = ternary_imm_each(pack_saturated);

/// Encodes the width of a result in bits, and whether it is signed.
fn packed(chosen: &Choice<'_>) -> u64 {
    let results = ["u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"];
    let at = results.iter().position(|n| chosen.has(n)).unwrap_or(0) as u64;
    16 >> (at / 2) | (at % 2) << 8
}
