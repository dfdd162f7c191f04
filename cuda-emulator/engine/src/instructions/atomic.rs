//! Atomic operations: `atom`, and `red`, which has no result.

use crate::ir::{Code, Faults, Form, Opcode, Role};
use crate::lanes::arithmetic::Reg;
use crate::memory::atomic::{Memory, update};
use crate::number::math::{
    brain_to_single, flush, half_to_single, min_max_f32, quiet, result64, single_to_brain,
    single_to_half,
};

pub(super) const LISTS: &[&[Opcode]] = &[ATOM, REDUCE, EXCHANGE, ASYNC];

/// `d = [a + imm]; [a + imm] = f(d, b, c, shared)`. `x` selects the addressing. `shared`
/// is true for addresses in shared memory.
const fn atomic<T, F>(f: F) -> Code
where
    T: Memory + Reg + 'static,
    F: Fn(T, T, T, bool) -> T + Copy + 'static,
{
    Code {
        d: Role::Write(T::TYPE),
        a: Role::Address,
        b: Role::Read(T::TYPE),
        c: Role::Read(T::TYPE),
        x: Role::Reach,
        y: Role::Cache,
        imm: true,
        ..Code::new(update(f)).faults(Faults::ADDRESS)
    }
}

/// The modifiers between `atom` or `red` and the operation.
macro_rules! modifiers {
    ($name:literal) => {
        concat!(
            $name,
            "{.relaxed|.acquire|.release|.acq_rel}{.cta|.cluster|.gpu|.sys}",
            "{.global|.shared|.shared::cta|.shared::cluster}{.L2::cache_hint}"
        )
    };
}

/// The operations of both `atom` and `red`: the function, the name and the first capability.
macro_rules! operations {
    ($($name:ident: $text:literal, $since:literal = $f:expr;)*) => {
        $(const $name: Code = atomic($f);)*
        const ATOM: &[Opcode] = &[$(
            Opcode::new(concat!(modifiers!("atom"), $text), $name).form(Form::Atomic).since($since),
        )*];
        const REDUCE: &[Opcode] = &[$(
            Opcode::new(concat!(modifiers!("red"), $text), $name).form(Form::Atomic).since($since),
        )*];
    };
}

operations! {
    ADD_32: ".add.[u32|s32]", 0 = |a: u32, b, _, _| a.wrapping_add(b);
    ADD_64: ".add.[u64|s64]", 0 = |a: u64, b, _, _| a.wrapping_add(b);
    ADD_SINGLE: ".add{.v2|.v4}.f32", 0 = add_single;
    ADD_DOUBLE: ".add.f64", 60 = add_double;
    ADD_HALF: ".add.noftz{.v2|.v4|.v8}.f16", 70 = add_half;
    ADD_BRAIN: ".add.noftz{.v2|.v4|.v8}.bf16", 90 = add_brain;
    ADD_HALVES: ".add.noftz{.v2|.v4}.f16x2", 60 = |a, b, _, _| halves(a, b, |a, b| add_half(a, b, 0, false));
    ADD_BRAINS: ".add.noftz{.v2|.v4}.bf16x2", 90 = |a, b, _, _| halves(a, b, |a, b| add_brain(a, b, 0, false));
    MIN_HALF: ".min{.noftz}{.v2|.v4|.v8}.f16", 90 = |a, b, _, _| half_min_max(a, b, false);
    MAX_HALF: ".max{.noftz}{.v2|.v4|.v8}.f16", 90 = |a, b, _, _| half_min_max(a, b, true);
    MIN_BRAIN: ".min{.noftz}{.v2|.v4|.v8}.bf16", 90 = |a, b, _, _| brain_min_max(a, b, false);
    MAX_BRAIN: ".max{.noftz}{.v2|.v4|.v8}.bf16", 90 = |a, b, _, _| brain_min_max(a, b, true);
    MIN_HALVES: ".min{.noftz}{.v2|.v4}.f16x2", 90 = |a, b, _, _| halves(a, b, |a, b| half_min_max(a, b, false));
    MAX_HALVES: ".max{.noftz}{.v2|.v4}.f16x2", 90 = |a, b, _, _| halves(a, b, |a, b| half_min_max(a, b, true));
    MIN_BRAINS: ".min{.noftz}{.v2|.v4}.bf16x2", 90 = |a, b, _, _| halves(a, b, |a, b| brain_min_max(a, b, false));
    MAX_BRAINS: ".max{.noftz}{.v2|.v4}.bf16x2", 90 = |a, b, _, _| halves(a, b, |a, b| brain_min_max(a, b, true));
    MIN_U32: ".min.u32", 0 = |a: u32, b, _, _| a.min(b);
    MAX_U32: ".max.u32", 0 = |a: u32, b, _, _| a.max(b);
    MIN_S32: ".min.s32", 0 = |a: u32, b, _, _| (a as i32).min(b as i32) as u32;
    MAX_S32: ".max.s32", 0 = |a: u32, b, _, _| (a as i32).max(b as i32) as u32;
    MIN_U64: ".min.u64", 0 = |a: u64, b, _, _| a.min(b);
    MAX_U64: ".max.u64", 0 = |a: u64, b, _, _| a.max(b);
    MIN_S64: ".min.s64", 0 = |a: u64, b, _, _| (a as i64).min(b as i64) as u64;
    MAX_S64: ".max.s64", 0 = |a: u64, b, _, _| (a as i64).max(b as i64) as u64;
    INCREMENT: ".inc.u32", 0 = |a: u32, b, _, _| if a >= b { 0 } else { a + 1 };
    DECREMENT: ".dec.u32", 0 = |a: u32, b, _, _| if a == 0 || a > b { b } else { a - 1 };
    AND_32: ".and.[b32|u32|s32]", 0 = |a: u32, b, _, _| a & b;
    OR_32: ".or.[b32|u32|s32]", 0 = |a: u32, b, _, _| a | b;
    XOR_32: ".xor.[b32|u32|s32]", 0 = |a: u32, b, _, _| a ^ b;
    AND_64: ".and.[b64|u64|s64]", 0 = |a: u64, b, _, _| a & b;
    OR_64: ".or.[b64|u64|s64]", 0 = |a: u64, b, _, _| a | b;
    XOR_64: ".xor.[b64|u64|s64]", 0 = |a: u64, b, _, _| a ^ b;
}

/// The modifiers between `red.async` and the operation.
macro_rules! asynchronous {
    ($($name:ident: $text:literal;)*) => {
        /// On another block of the cluster, whose mbarrier counts the bytes. Executed when issued.
        const ASYNC: &[Opcode] = &[$(
            Opcode::new(
                concat!(
                    "red.async{.relaxed}{.cluster}{.shared::cluster}.mbarrier::complete_tx::bytes",
                    $text
                ),
                $name,
            )
            .form(Form::AtomicAsync)
            .since(90),
        )*];
    };
}

asynchronous! {
    ADD_32: ".add.[u32|s32]";
    ADD_64: ".add.u64";
    MIN_U32: ".min.u32";
    MAX_U32: ".max.u32";
    MIN_S32: ".min.s32";
    MAX_S32: ".max.s32";
    INCREMENT: ".inc.u32";
    DECREMENT: ".dec.u32";
    AND_32: ".and.b32";
    OR_32: ".or.b32";
    XOR_32: ".xor.b32";
}

/// Operations that only `atom` has. An exchange ignores the old value.
const EXCHANGE: &[Opcode] = &[
    exchange(
        concat!(modifiers!("atom"), ".exch.[b32|u32|s32|f32]"),
        atomic(|_, b: u32, _, _| b),
    ),
    exchange(
        concat!(modifiers!("atom"), ".exch.[b64|u64|s64|f64]"),
        atomic(|_, b: u64, _, _| b),
    ),
    exchange(
        concat!(modifiers!("atom"), ".exch.b128"),
        atomic(|_, b: u128, _, _| b),
    )
    .since(90),
    compare(
        concat!(modifiers!("atom"), ".cas.[b16|u16|s16]"),
        atomic(|a: u16, b, c, _| if a == b { c } else { a }),
    )
    .since(70),
    compare(
        concat!(modifiers!("atom"), ".cas.[b32|u32|s32|f32]"),
        atomic(|a: u32, b, c, _| if a == b { c } else { a }),
    ),
    compare(
        concat!(modifiers!("atom"), ".cas.[b64|u64|s64|f64]"),
        atomic(|a: u64, b, c, _| if a == b { c } else { a }),
    ),
    compare(
        concat!(modifiers!("atom"), ".cas.b128"),
        atomic(|a: u128, b, c, _| if a == b { c } else { a }),
    )
    .since(90),
];

const fn exchange(name: &'static str, code: Code) -> Opcode {
    Opcode::new(name, code).form(Form::AtomicExchange)
}

const fn compare(name: &'static str, code: Code) -> Opcode {
    Opcode::new(name, code).form(Form::AtomicCompare)
}

/// Global memory flushes subnormals, and shared memory does not.
fn add_single(a: u32, b: u32, _: u32, shared: bool) -> u32 {
    let (a, b) = (f32::from_bits(a), f32::from_bits(b));
    if shared {
        quiet(a + b).to_bits()
    } else {
        flush(quiet(flush(a) + flush(b))).to_bits()
    }
}

/// In global memory a NaN keeps its payload, and the operand's NaN takes precedence over the
/// memory's. Shared memory uses an ordinary addition.
fn add_double(a: u64, b: u64, _: u64, shared: bool) -> u64 {
    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
    match (x.is_nan(), y.is_nan()) {
        (_, true) if !shared => b,
        (true, _) if !shared => a,
        _ => result64(x + y, [x, y]).to_bits(),
    }
}

fn add_half(a: u16, b: u16, _: u16, _: bool) -> u16 {
    single_to_half(half_to_single(a) + half_to_single(b))
}

fn add_brain(a: u16, b: u16, _: u16, _: bool) -> u16 {
    single_to_brain(brain_to_single(a) + brain_to_single(b))
}

fn halves(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    u32::from(f(a as u16, b as u16)) | u32::from(f((a >> 16) as u16, (b >> 16) as u16)) << 16
}

fn half_min_max(a: u16, b: u16, max: bool) -> u16 {
    single_to_half(min_max_f32(
        half_to_single(a),
        half_to_single(b),
        max,
        false,
    ))
}

fn brain_min_max(a: u16, b: u16, max: bool) -> u16 {
    single_to_brain(min_max_f32(
        brain_to_single(a),
        brain_to_single(b),
        max,
        false,
    ))
}
