//! Comparisons.
//!
//! One function serves several comparisons: `a > b` is `b < a`, and `a >= b` is the opposite of `a
//! < b`. For floats the latter is false because of NaNs, but it holds for `geu`. `imm` selects
//! whether the function's result is combined, negated, and whether the sources are swapped.

use crate::ir::{Choice, Code, Form, Opcode};
use crate::lanes::arithmetic::{compare, test, two_predicates, unary_imm};
use crate::number::math::{brain_to_single, flush, half_to_single};

/// Flag in `imm`: negates the result.
const OPPOSITE: u64 = 4;
/// Flag in the entry's `imm`: the form swaps the sources.
pub(crate) const SWAPPED: u64 = 8;

/// The entries of a comparison, for predicate results and values.
macro_rules! entries {
    ($names:literal, $types:literal, $code:ident, $encode:ident) => {
        &[
            entries!(@one "setp.", $names, $types, $code, $encode, Compare),
            entries!(@one "set.", $names, concat!(".[u32|s32|f32|f16]", $types), $code, $encode, Set),
            entries!(@one "set.", $names, concat!(".bf16", $types), $code, $encode, Set).since(90),
        ]
    };
    (@one $mnemonic:literal, $names:literal, $types:expr, $code:ident, $encode:ident, $form:ident) => {
        Opcode::new(concat!($mnemonic, $names, "{.and|.or|.xor}", $types), $code)
            .form(Form::$form)
            .encode($encode)
    };
}

/// The entries of a comparison of halves, which are converted to singles first.
macro_rules! halves {
    ($names:literal, $code:ident) => {
        &[
            halves!(@one "setp.", $names, "{.ftz}.[f16|f16x2]", $code, Compare).since(53),
            halves!(@one "setp.", $names, ".[bf16|bf16x2]", $code, Compare).since(90),
            halves!(@one "set.", $names, "{.ftz}.[u16|s16|u32|s32|f16|bf16].f16", $code, Set).since(53),
            halves!(@one "set.", $names, "{.ftz}.[u32|s32|f16x2].f16x2", $code, Set).since(53),
            halves!(@one "set.", $names, ".[u16|s16|u32|s32|f16|bf16].bf16", $code, Set).since(90),
            halves!(@one "set.", $names, ".[u32|s32|bf16x2].bf16x2", $code, Set).since(90),
        ]
    };
    (@one $mnemonic:literal, $names:literal, $types:literal, $code:ident, $form:ident) => {
        entries!(@one $mnemonic, $names, $types, $code, floats, $form)
    };
}

pub(super) const LISTS: &[&[Opcode]] = &[
    entries!("[eq|ne]", ".[b16|u16|s16]", EQ_16, integers),
    entries!("[eq|ne]", ".[b32|u32|s32]", EQ_32, integers),
    entries!("[eq|ne]", ".[b64|u64|s64]", EQ_64, integers),
    entries!("[lt|le|gt|ge|lo|ls|hi|hs]", ".[b16|u16]", LT_U16, integers),
    entries!("[lt|le|gt|ge|lo|ls|hi|hs]", ".[b32|u32]", LT_U32, integers),
    entries!("[lt|le|gt|ge|lo|ls|hi|hs]", ".[b64|u64]", LT_U64, integers),
    entries!("[lt|le|gt|ge|lo|ls|hi|hs]", ".s16", LT_S16, integers),
    entries!("[lt|le|gt|ge|lo|ls|hi|hs]", ".s32", LT_S32, integers),
    entries!("[lt|le|gt|ge|lo|ls|hi|hs]", ".s64", LT_S64, integers),
    entries!("[eq|neu]", ".f32", EQ_F32, floats),
    entries!("[ne|equ]", ".f32", NE_F32, floats),
    entries!("[lt|gt|leu|geu]", ".f32", LT_F32, floats),
    entries!("[le|ge|ltu|gtu]", ".f32", LE_F32, floats),
    entries!("[num|nan]", "{.ftz}.f32", NUM_F32, floats),
    entries!("[eq|neu]", ".ftz.f32", EQ_FTZ, floats),
    entries!("[ne|equ]", ".ftz.f32", NE_FTZ, floats),
    entries!("[lt|gt|leu|geu]", ".ftz.f32", LT_FTZ, floats),
    entries!("[le|ge|ltu|gtu]", ".ftz.f32", LE_FTZ, floats),
    entries!("[eq|neu]", ".f64", EQ_F64, floats),
    entries!("[ne|equ]", ".f64", NE_F64, floats),
    entries!("[lt|gt|leu|geu]", ".f64", LT_F64, floats),
    entries!("[le|ge|ltu|gtu]", ".f64", LE_F64, floats),
    entries!("[num|nan]", ".f64", NUM_F64, floats),
    halves!("[eq|neu]", EQ_F32),
    halves!("[ne|equ]", NE_F32),
    halves!("[lt|gt|leu|geu]", LT_F32),
    halves!("[le|ge|ltu|gtu]", LE_F32),
    halves!("[num|nan]", NUM_F32),
    PROPERTIES,
];

/// Returns whether one of these names was chosen.
fn any(chosen: &Choice<'_>, names: &[&str]) -> bool {
    names.iter().any(|n| chosen.has(n))
}

fn encode(chosen: &Choice<'_>, opposite: bool, swapped: bool) -> u64 {
    let combination = ["and", "or", "xor"].iter().position(|n| chosen.has(n));
    combination.map_or(0, |at| at as u64 + 1)
        | if opposite { OPPOSITE } else { 0 }
        | if swapped { SWAPPED } else { 0 }
}

/// Integer comparisons, based on `==` and `<`.
fn integers(chosen: &Choice<'_>) -> u64 {
    let opposite = any(chosen, &["ne", "le", "ls", "ge", "hs"]);
    encode(chosen, opposite, any(chosen, &["gt", "hi", "le", "ls"]))
}

/// Float comparisons, based on the first comparison of each entry.
fn floats(chosen: &Choice<'_>) -> u64 {
    let opposite = any(
        chosen,
        &[
            "neu",
            "equ",
            "leu",
            "geu",
            "ltu",
            "gtu",
            "nan",
            "notanumber",
        ],
    );
    encode(chosen, opposite, any(chosen, &["gt", "leu", "ge", "ltu"]))
}

const EQ_16: Code = compare(|a: u16, b: u16| a == b);
const EQ_32: Code = compare(|a: u32, b: u32| a == b);
const EQ_64: Code = compare(|a: u64, b: u64| a == b);
const LT_U16: Code = compare(|a: u16, b: u16| a < b);
const LT_S16: Code = compare(|a: i16, b: i16| a < b);
const LT_U32: Code = compare(|a: u32, b: u32| a < b);
const LT_S32: Code = compare(|a: i32, b: i32| a < b);
const LT_U64: Code = compare(|a: u64, b: u64| a < b);
const LT_S64: Code = compare(|a: i64, b: i64| a < b);

const EQ_F32: Code = compare(|a: f32, b: f32| a == b);
#[allow(clippy::double_comparisons, reason = "`!=` holds for NaNs")]
const NE_F32: Code = compare(|a: f32, b: f32| a < b || a > b);
const LT_F32: Code = compare(|a: f32, b: f32| a < b);
const LE_F32: Code = compare(|a: f32, b: f32| a <= b);
const NUM_F32: Code = compare(|a: f32, b: f32| !a.is_nan() && !b.is_nan());
const EQ_FTZ: Code = compare(|a: f32, b: f32| flush(a) == flush(b));
const NE_FTZ: Code = compare(|a: f32, b: f32| flush(a) < flush(b) || flush(a) > flush(b));
const LT_FTZ: Code = compare(|a: f32, b: f32| flush(a) < flush(b));
const LE_FTZ: Code = compare(|a: f32, b: f32| flush(a) <= flush(b));
const EQ_F64: Code = compare(|a: f64, b: f64| a == b);
#[allow(clippy::double_comparisons, reason = "`!=` holds for NaNs")]
const NE_F64: Code = compare(|a: f64, b: f64| a < b || a > b);
const LT_F64: Code = compare(|a: f64, b: f64| a < b);
const LE_F64: Code = compare(|a: f64, b: f64| a <= b);
const NUM_F64: Code = compare(|a: f64, b: f64| !a.is_nan() && !b.is_nan());

/// A test of a float's property.
const fn property(name: &'static str, code: Code) -> Opcode {
    Opcode::new(name, code).form(Form::Test).encode(floats)
}

const PROPERTIES: &[Opcode] = &[
    property("testp.finite.f32", test(f32::is_finite)),
    property("testp.infinite.f32", test(f32::is_infinite)),
    property("testp.[number|notanumber].f32", test(|a: f32| !a.is_nan())),
    property("testp.normal.f32", test(|a: f32| a.is_normal() || a == 0.0)),
    property("testp.subnormal.f32", test(f32::is_subnormal)),
    property("testp.finite.f64", test(f64::is_finite)),
    property("testp.infinite.f64", test(f64::is_infinite)),
    property("testp.[number|notanumber].f64", test(|a: f64| !a.is_nan())),
    property("testp.normal.f64", test(|a: f64| a.is_normal() || a == 0.0)),
    property("testp.subnormal.f64", test(f64::is_subnormal)),
];

/// Converts half of a register to a single: from bit `imm & 31`, with subnormals flushed if `imm`
/// is 32 or more.
pub(crate) static WIDEN_HALF: Opcode = Opcode::internal(
    "widen half",
    unary_imm(|a: u32, imm| {
        let half = (a >> (imm & 31)) as u16;
        let flushed = imm >= 32 && half & 0x7c00 == 0;
        half_to_single(if flushed { half & 0x8000 } else { half })
    }),
);

/// The same as [`WIDEN_HALF`] for bfloat16.
pub(crate) static WIDEN_BRAIN: Opcode = Opcode::internal(
    "widen brain float",
    unary_imm(|a: u32, imm| brain_to_single((a >> (imm & 31)) as u16)),
);

/// Copies two predicates at once.
pub(crate) static COPY_PREDICATES: Opcode = Opcode::internal("copy predicates", two_predicates());
