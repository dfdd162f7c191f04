//! Logic, shifts and bit fields.

use crate::ir::{Choice, Code, Form, Opcode};
use crate::lanes::arithmetic::{
    binary, binary_imm, predicate, quaternary, ternary, ternary_each, ternary_imm, test, unary,
    unary_imm,
};

pub(super) const LISTS: &[&[Opcode]] = &[
    LOGIC, PREDICATES, LOGIC3, SHIFTS, FUNNEL, COUNTS, FIELDS, PERMUTE, MASKS,
];

const LOGIC: &[Opcode] = &[
    Opcode::new("and.[b16|b32]", binary(|a: u32, b: u32| a & b)),
    Opcode::new("and.b64", binary(|a: u64, b: u64| a & b)),
    Opcode::new("or.[b16|b32]", binary(|a: u32, b: u32| a | b)),
    Opcode::new("or.b64", binary(|a: u64, b: u64| a | b)),
    Opcode::new("xor.[b16|b32]", binary(|a: u32, b: u32| a ^ b)),
    Opcode::new("xor.b64", binary(|a: u64, b: u64| a ^ b)),
    Opcode::new("not.b16", unary(|a: u16| !a)),
    Opcode::new("not.b32", unary(|a: u32| !a)),
    Opcode::new("not.b64", unary(|a: u64| !a)),
    Opcode::new("cnot.b16", unary(|a: u16| u16::from(a == 0))),
    Opcode::new("cnot.b32", unary(|a: u32| u32::from(a == 0))),
    Opcode::new("cnot.b64", unary(|a: u64| u64::from(a == 0))),
];

const PREDICATES: &[Opcode] = &[
    Opcode::new("and.pred", predicate(|a, b| a & b)).form(Form::Predicates),
    Opcode::new("or.pred", predicate(|a, b| a | b)).form(Form::Predicates),
    Opcode::new("xor.pred", predicate(|a, b| a ^ b)).form(Form::Predicates),
    Opcode::new("not.pred", predicate(|a, _| !a)).form(Form::Predicates),
];

const LOGIC3: &[Opcode] = &[
    Opcode::new("lop3.b32", LOOK_UP).form(Form::Table),
    Opcode::new("lop3.[or|and].b32", LOOK_UP)
        .form(Form::Table)
        .encode(combination)
        .since(70),
];

/// The combination of the predicate result, encoded as for [`test`].
fn combination(chosen: &Choice<'_>) -> u64 {
    if chosen.has("or") { 2 } else { 1 }
}

/// The predicate result.
pub(crate) static NOT_ZERO: Opcode = Opcode::internal("not zero", test(|a: u32| a != 0));

/// Any function of three bits, given as a table in `imm`.
const LOOK_UP: Code = ternary_imm(|a: u32, b: u32, c: u32, table| {
    let term = |k: u64, x: u32| if table >> k & 1 != 0 { x } else { 0 };
    term(0, !a & !b & !c)
        | term(1, !a & !b & c)
        | term(2, !a & b & !c)
        | term(3, !a & b & c)
        | term(4, a & !b & !c)
        | term(5, a & !b & c)
        | term(6, a & b & !c)
        | term(7, a & b & c)
});

/// The most common tables.
pub(crate) static TABLES: [(u64, Opcode); 5] = [
    (
        0x96,
        Opcode::internal("xor3", ternary(|a: u32, b: u32, c: u32| a ^ b ^ c)),
    ),
    (
        0xe8,
        Opcode::internal(
            "majority3",
            ternary(|a: u32, b: u32, c: u32| a & b | a & c | b & c),
        ),
    ),
    (
        0xca,
        Opcode::internal("choose3", ternary(|a: u32, b: u32, c: u32| a & b | !a & c)),
    ),
    (
        0x80,
        Opcode::internal("and3", ternary(|a: u32, b: u32, c: u32| a & b & c)),
    ),
    (
        0xfe,
        Opcode::internal("or3", ternary(|a: u32, b: u32, c: u32| a | b | c)),
    ),
];

/// A shift. Counts of the width or more shift all bits out.
macro_rules! shifted {
    ($t:ty, $operator:tt) => {
        binary(|a: $t, b: u32| if b < <$t>::BITS { a $operator b } else { 0 })
    };
}

const SHIFTS: &[Opcode] = &[
    Opcode::new("shl.b16", shifted!(u16, <<)),
    Opcode::new("shl.b32", shifted!(u32, <<)),
    Opcode::new("shl.b64", shifted!(u64, <<)),
    Opcode::new("shr.[b16|u16]", shifted!(u16, >>)),
    Opcode::new("shr.[b32|u32]", shifted!(u32, >>)),
    Opcode::new("shr.[b64|u64]", shifted!(u64, >>)),
    Opcode::new("shr.s16", binary(|a: i16, b: u32| a >> b.min(15))),
    Opcode::new("shr.s32", binary(|a: i32, b: u32| a >> b.min(31))),
    Opcode::new("shr.s64", binary(|a: i64, b: u32| a >> b.min(63))),
];

#[inline(always)]
fn pair(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// The upper half of a pair shifted left.
#[inline(always)]
fn funnel_left(a: u32, b: u32, count: u32) -> u32 {
    ((pair(a, b) << count) >> 32) as u32
}

/// The lower half of a pair shifted right.
#[inline(always)]
fn funnel_right(a: u32, b: u32, count: u32) -> u32 {
    (pair(a, b) >> count) as u32
}

const FUNNEL: &[Opcode] = &[
    Opcode::new(
        "shf.l.wrap.b32",
        ternary(|a: u32, b: u32, c: u32| funnel_left(a, b, c & 31)),
    ),
    Opcode::new(
        "shf.l.clamp.b32",
        ternary(|a: u32, b: u32, c: u32| funnel_left(a, b, c.min(32))),
    ),
    Opcode::new(
        "shf.r.wrap.b32",
        ternary(|a: u32, b: u32, c: u32| funnel_right(a, b, c & 31)),
    ),
    Opcode::new(
        "shf.r.clamp.b32",
        ternary(|a: u32, b: u32, c: u32| funnel_right(a, b, c.min(32))),
    ),
];

const COUNTS: &[Opcode] = &[
    Opcode::new("popc.b32", unary(|a: u32| a.count_ones())),
    Opcode::new("popc.b64", unary(|a: u64| a.count_ones())),
    Opcode::new("clz.b32", unary(|a: u32| a.leading_zeros())),
    Opcode::new("clz.b64", unary(|a: u64| a.leading_zeros())),
    Opcode::new("brev.b32", unary(|a: u32| a.reverse_bits())),
    Opcode::new("brev.b64", unary(|a: u64| a.reverse_bits())),
    Opcode::new(
        "bfind{.shiftamt}.u32",
        unary_imm(|a: u32, imm| find(a.into(), 31, imm)),
    )
    .encode(distance),
    Opcode::new(
        "bfind{.shiftamt}.s32",
        unary_imm(|a: i32, imm| find((a ^ a >> 31) as u32 as u64, 31, imm)),
    )
    .encode(distance),
    Opcode::new(
        "bfind{.shiftamt}.u64",
        unary_imm(|a: u64, imm| find(a, 63, imm)),
    )
    .encode(distance),
    Opcode::new(
        "bfind{.shiftamt}.s64",
        unary_imm(|a: i64, imm| find((a ^ a >> 63) as u64, 63, imm)),
    )
    .encode(distance),
];

fn distance(chosen: &Choice<'_>) -> u64 {
    chosen.has("shiftamt").into()
}

/// `bfind`: the highest set bit, or with `shift` its distance from the top.
#[inline(always)]
fn find(a: u64, top: u32, shift: u64) -> u32 {
    if a == 0 {
        return u32::MAX;
    }
    let at = 63 - a.leading_zeros();
    if shift != 0 { top - at } else { at }
}

// 32-bit fields use the low eight bits of a position and a length, 64-bit fields all bits.
const FIELDS: &[Opcode] = &[
    Opcode::new(
        "bfe.u32",
        ternary(|a: u32, b: u32, c: u32| extract(a.into(), b & 0xff, c & 0xff, 31, false) as u32),
    ),
    Opcode::new(
        "bfe.s32",
        ternary(|a: i32, b: u32, c: u32| {
            extract(i64::from(a) as u64, b & 0xff, c & 0xff, 31, true) as u32
        }),
    ),
    Opcode::new(
        "bfe.u64",
        ternary(|a: u64, b: u32, c: u32| extract(a, b.min(0xff), c.min(0xff), 63, false)),
    ),
    Opcode::new(
        "bfe.s64",
        ternary(|a: u64, b: u32, c: u32| extract(a, b.min(0xff), c.min(0xff), 63, true)),
    ),
    Opcode::new(
        "bfi.b32",
        quaternary(|a: u32, b: u32, at: u32, length: u32| {
            insert(a.into(), b.into(), at & 0xff, length & 0xff, 32) as u32
        }),
    ),
    Opcode::new(
        "bfi.b64",
        quaternary(|a: u64, b: u64, at: u32, length: u32| insert(a, b, at, length, 64)),
    ),
];

/// Returns a mask of `count` ones.
#[inline(always)]
fn ones(count: u32) -> u64 {
    if count >= 64 {
        u64::MAX
    } else {
        (1 << count) - 1
    }
}

/// `bfe`
#[inline(always)]
fn extract(a: u64, at: u32, length: u32, top: u32, signed: bool) -> u64 {
    if length == 0 {
        return 0;
    }
    let last = (at + length - 1).min(top);
    let negative = signed && a >> last & 1 != 0;
    let (body, kept) = if at > top {
        (0, 0)
    } else {
        (a >> at, (top - at + 1).min(length))
    };
    body & ones(kept) | if negative { !ones(kept) } else { 0 }
}

/// `bfi`
#[inline(always)]
fn insert(a: u64, b: u64, at: u32, length: u32, width: u32) -> u64 {
    if at >= width {
        return b;
    }
    let field = ones(length) << at;
    b & !field | a << at & field
}

/// A permutation with one of four fixed selectors, chosen by the lowest bits of `c`.
macro_rules! permuted {
    ($first:literal, $second:literal, $third:literal, $fourth:literal) => {
        ternary(|a: u32, b: u32, c: u32| {
            permute(a, b, [$first, $second, $third, $fourth][c as usize & 3])
        })
    };
}

const PERMUTE: &[Opcode] = &[
    Opcode::new("prmt.b32", ternary(permute)),
    Opcode::new("prmt.b32.f4e", permuted!(0x3210, 0x4321, 0x5432, 0x6543)),
    Opcode::new("prmt.b32.b4e", permuted!(0x5670, 0x6701, 0x7012, 0x0123)),
    Opcode::new("prmt.b32.rc8", permuted!(0x0000, 0x1111, 0x2222, 0x3333)),
    Opcode::new("prmt.b32.ecl", permuted!(0x3210, 0x3211, 0x3222, 0x3333)),
    Opcode::new("prmt.b32.ecr", permuted!(0x0000, 0x1110, 0x2210, 0x3210)),
    Opcode::new("prmt.b32.rc16", permuted!(0x1010, 0x3232, 0x1010, 0x3232)),
];

/// `prmt`: four of eight bytes, each optionally replaced by copies of its sign.
#[inline(always)]
fn permute(a: u32, b: u32, c: u32) -> u32 {
    let all = pair(a, b);
    let byte = |n: u32| {
        let selector = c >> (4 * n);
        let value = (all >> (8 * (selector & 7))) as u8;
        let value = if selector & 8 != 0 {
            (value as i8 >> 7) as u8
        } else {
            value
        };
        u32::from(value) << (8 * n)
    };
    byte(0) | byte(1) | byte(2) | byte(3)
}

const MASKS: &[Opcode] = &[
    Opcode::new("fns.b32", ternary_each(nth_set)),
    Opcode::new("bmsk.clamp.b32", binary(mask)).since(70),
    Opcode::new(
        "bmsk.wrap.b32",
        binary(|a: u32, b: u32| mask(a & 31, b & 31)),
    )
    .since(70),
    Opcode::new("szext.[clamp|wrap].[u32|s32]", binary_imm(extend))
        .encode(extension)
        .since(70),
];

/// `fns`: the n-th set bit from a base.
fn nth_set(mask: u32, base: u32, offset: i32) -> u32 {
    let base = (base & 31) as i32;
    if offset == 0 {
        return if mask >> base & 1 != 0 {
            base as u32
        } else {
            u32::MAX
        };
    }
    let (step, mut left) = (offset.signum(), offset.unsigned_abs());
    let mut at = base;
    while (0..32).contains(&at) {
        if mask >> at & 1 != 0 {
            left -= 1;
            if left == 0 {
                return at as u32;
            }
        }
        at += step;
    }
    u32::MAX
}

/// `bmsk`: `count` ones from bit `at`.
#[inline(always)]
fn mask(at: u32, count: u32) -> u32 {
    let ones = if count >= 32 {
        u32::MAX
    } else {
        (1 << count) - 1
    };
    if at >= 32 { 0 } else { ones << at }
}

/// Encodes whether `szext` wraps its count, and whether it sign-extends.
fn extension(chosen: &Choice<'_>) -> u64 {
    u64::from(chosen.has("wrap")) | u64::from(chosen.has("s32")) << 1
}

/// `szext`
#[inline(always)]
fn extend(a: u32, b: u32, imm: u64) -> u32 {
    let width = if imm & 1 != 0 { b & 31 } else { b };
    match (width, imm & 2 != 0) {
        (32.., _) => a,
        (0, _) => 0,
        (n, true) => ((a << (32 - n)) as i32 >> (32 - n)) as u32,
        (n, false) => a << (32 - n) >> (32 - n),
    }
}
