//! Converts functions of one lane to instructions of a warp.
//!
//! `binary(|a: f32, b: f32| a + b)` is a [`Code`] and a constant. The closure has no state, so its
//! type alone determines its effect. Each closure becomes a separate loop over 32 lanes, which the
//! compiler vectorizes. Every loop exists twice: for the baseline processor, and for one with AVX2
//! and FMA. The choice is made once, when a module is loaded. The closure's types determine how the
//! instruction uses its fields.

use crate::state::op::each;
use std::ptr::NonNull;

use crate::ir::{Code, Role};
use crate::ptx::Type;
use crate::state::context::Ctx;
use crate::state::op::{FULL, Flow, LANES, Op};

/// A value that a register's slot can hold.
pub(crate) trait Reg: Copy {
    /// The type stored in the slot: 4, 8 or 16 bytes.
    type Slot: Copy + Default;
    const TYPE: Type;
    fn get(slot: Self::Slot) -> Self;
    fn put(self) -> Self::Slot;
}

macro_rules! reg {
    ($($t:ty, $slot:ty, $ty:ident, |$s:ident| $get:expr, |$v:ident| $put:expr;)*) => {$(
        impl Reg for $t {
            type Slot = $slot;
            const TYPE: Type = Type::$ty;
            #[inline(always)]
            fn get($s: $slot) -> $t { $get }
            #[inline(always)]
            fn put(self) -> $slot { let $v = self; $put }
        }
    )*};
}

reg! {
    u8, u32, U8, |s| s as u8, |v| u32::from(v);
    i8, u32, S8, |s| s as i8, |v| v as u32;
    u16, u32, U16, |s| s as u16, |v| u32::from(v);
    i16, u32, S16, |s| s as i16, |v| u32::from(v as u16);
    u32, u32, U32, |s| s, |v| v;
    i32, u32, S32, |s| s as i32, |v| v as u32;
    f32, u32, F32, |s| f32::from_bits(s), |v| v.to_bits();
    u64, u64, U64, |s| s, |v| v;
    i64, u64, S64, |s| s as i64, |v| v as u64;
    f64, u64, F64, |s| f64::from_bits(s), |v| v.to_bits();
    u128, u128, B128, |s| s, |v| v;
}

/// Returns the only value of a zero-sized type, such as a closure without captures.
#[inline(always)]
pub(crate) fn summon<F: Copy>() -> F {
    const { assert!(size_of::<F>() == 0, "the closure must not capture") };
    // SAFETY: reading no bytes is valid at any aligned address. The type is Copy, and a value of it
    // was passed to the constructor below.
    unsafe { NonNull::<F>::dangling().read() }
}

/// Defines a constructor of instructions from a loop body, compiled for both kinds of processor,
/// and the use of the fields.
macro_rules! instruction {
    ($(#[$doc:meta])* $name:ident<$($g:ident),*>($f:ident: [$($closure:tt)*]) {$($field:ident: $role:expr),*} |$ctx:ident, $op:ident, $mask:ident| $body:block) => {
        $(#[$doc])*
        pub(crate) const fn $name<$($g: Reg,)* F>(_: F) -> Code
        where
            F: Copy + 'static + $($closure)*,
        {
            #[inline(always)]
            unsafe fn body<$($g: Reg,)* F>($ctx: &mut Ctx<'_>, $op: &Op, $mask: u32) -> Flow
            where
                F: Copy + 'static + $($closure)*,
            {
                let $f = summon::<F>();
                // SAFETY: operands were encoded by the lowering for slots of these types.
                unsafe { $body }
                Flow::Next
            }
            unsafe fn plain<$($g: Reg,)* F>(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow
            where
                F: Copy + 'static + $($closure)*,
            {
                // SAFETY: guaranteed by the caller.
                unsafe { body::<$($g,)* F>(ctx, op, mask) }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
            unsafe fn wide<$($g: Reg,)* F>(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow
            where
                F: Copy + 'static + $($closure)*,
            {
                // SAFETY: guaranteed by the caller.
                unsafe { body::<$($g,)* F>(ctx, op, mask) }
            }
            #[cfg(not(target_arch = "x86_64"))]
            use plain as wide;
            #[allow(clippy::needless_update, reason = "some instructions have all fields")]
            Code {
                $($field: $role,)*
                ..Code::pair(plain::<$($g,)* F>, wide::<$($g,)* F>)
            }
        }
    };
}

/// With this number of active lanes or more, all 32 are computed and the other results discarded. A
/// loop over 32 lanes takes about as long as seven single lanes if the compiler vectorized it, and
/// as long as 32 if not.
const DENSE: u32 = 16;

/// Writes `f(lane)` to the lanes of the mask. `f` may be called for other lanes too, and must have
/// no side effects. Eight lanes are read before they are written, so that `d` may be one of the
/// sources.
#[inline(always)]
pub(crate) unsafe fn write<S: Copy + Default>(d: *mut S, mask: u32, f: impl Fn(usize) -> S) {
    if mask != FULL && mask.count_ones() >= DENSE {
        for chunk in 0..LANES / 8 {
            // SAFETY: a slot has 32 lanes.
            let place = unsafe { d.add(chunk * 8).cast::<[S; 8]>() };
            // SAFETY: as above.
            let mut out = unsafe { place.read() };
            for (i, o) in out.iter_mut().enumerate() {
                let new = f(chunk * 8 + i);
                *o = if mask >> (chunk * 8 + i) & 1 != 0 {
                    new
                } else {
                    *o
                };
            }
            // SAFETY: as above.
            unsafe { place.write(out) };
        }
    } else {
        // SAFETY: guaranteed by the caller.
        unsafe { write_some(d, mask, f) }
    }
}

/// The same as [`write`], but `f` is only called for the lanes of the mask.
#[inline(always)]
pub(crate) unsafe fn write_some<S: Copy + Default>(d: *mut S, mask: u32, f: impl Fn(usize) -> S) {
    if mask == FULL {
        for chunk in 0..LANES / 8 {
            let mut out = [S::default(); 8];
            for (i, o) in out.iter_mut().enumerate() {
                *o = f(chunk * 8 + i);
            }
            // SAFETY: a slot has 32 lanes.
            unsafe { d.add(chunk * 8).cast::<[S; 8]>().write(out) };
        }
    } else {
        // SAFETY: a slot has 32 lanes.
        each(mask, |i| unsafe { d.add(i).write(f(i)) });
    }
}

/// Writes `f(lane)` to the lanes of the mask. All lanes are computed, so `f` must be cheap and have
/// no side effects. The compiler vectorizes both loops. Eight lanes are read before they are
/// written, so that `d` may be one of the sources.
#[inline(always)]
unsafe fn fill<S: Copy + Default>(d: *mut S, mask: u32, f: impl Fn(usize) -> S) {
    for chunk in 0..LANES / 8 {
        // SAFETY: a slot has 32 lanes.
        let place = unsafe { d.add(chunk * 8).cast::<[S; 8]>() };
        // Not with from_fn, whose closure would be compiled without wide registers.
        let mut out = [S::default(); 8];
        if mask == FULL {
            for (i, o) in out.iter_mut().enumerate() {
                *o = f(chunk * 8 + i);
            }
        } else {
            // SAFETY: as above.
            out = unsafe { place.read() };
            for (i, o) in out.iter_mut().enumerate() {
                let new = f(chunk * 8 + i);
                *o = if mask >> (chunk * 8 + i) & 1 != 0 {
                    new
                } else {
                    *o
                };
            }
        }
        // SAFETY: as above.
        unsafe { place.write(out) };
    }
}

/// Writes `f(lane)` to the lanes of the mask, one after another. For functions that are expensive
/// or that the compiler does not vectorize.
#[inline(always)]
unsafe fn fill_each<S: Copy>(d: *mut S, mask: u32, f: impl Fn(usize) -> S) {
    // SAFETY: a slot has 32 lanes.
    each(mask, |i| unsafe { d.add(i).write(f(i)) });
}

/// Returns the lanes of the mask for which `f` holds. All lanes are computed.
#[inline(always)]
fn holding(mask: u32, f: impl Fn(usize) -> bool) -> u32 {
    let mut lanes = [0u32; 8];
    for chunk in 0..LANES / 8 {
        for (i, l) in lanes.iter_mut().enumerate() {
            *l |= u32::from(f(chunk * 8 + i)) << (chunk * 8 + i);
        }
    }
    let mut bits = 0;
    for l in lanes {
        bits |= l;
    }
    bits & mask
}

/// Independent arithmetic per lane, as two constructors: one that computes all lanes at once, and
/// one that computes the lanes of the mask one after another.
macro_rules! arithmetic {
    ($($(#[$doc:meta])* $name:ident, $each:ident: Fn($($arg:ty),*) -> D, $($field:ident: $g:ident),* $(=> $imm:ident)?;)*) => {$(
        arithmetic!(@one [$(#[$doc])*] $name fill [Fn($($arg),*) -> D] $($field: $g),* $(=> $imm)?);
        arithmetic!(@one [$(#[$doc])*] $each fill_each [Fn($($arg),*) -> D] $($field: $g),* $(=> $imm)?);
    )*};
    (@one [$($doc:tt)*] $name:ident $fill:ident [$($closure:tt)*] $($field:ident: $g:ident),* $(=> $imm:ident)?) => {
        instruction! {
            $($doc)*
            $name<$($g,)* D>(f: [$($closure)*]) {
                d: Role::Write(D::TYPE) $(, $field: Role::Read($g::TYPE))* $(, $imm: true)?
            } |ctx, op, mask| {
                $(let $field = ctx.at::<$g::Slot>(op.$field);)*
                $(let $imm = op.$imm;)?
                $fill(ctx.at::<D::Slot>(op.d), mask, |i| {
                    f($($g::get(*$field.add(i))),* $(, $imm)?).put()
                });
            }
        }
    };
}

arithmetic! {
    /// `d = f(a)`
    unary, unary_each: Fn(A) -> D, a: A;
    /// `d = f(a, imm)`
    unary_imm, unary_imm_each: Fn(A, u64) -> D, a: A => imm;
    /// `d = f(a, b)`
    binary, binary_each: Fn(A, B) -> D, a: A, b: B;
    /// `d = f(a, b, imm)`
    binary_imm, binary_imm_each: Fn(A, B, u64) -> D, a: A, b: B => imm;
    /// `d = f(a, b, c)`
    ternary, ternary_each: Fn(A, B, C) -> D, a: A, b: B, c: C;
    /// `d = f(a, b, c, imm)`
    ternary_imm, ternary_imm_each: Fn(A, B, C, u64) -> D, a: A, b: B, c: C => imm;
}

arithmetic!(@one [
    /// `d = f(a, b, c, x)`
] quaternary fill [Fn(A, B, C, X) -> D] a: A, b: B, c: C, x: X);

instruction! {
    /// `(d, carry x) = f(a, b, c, carry x)`
    carry<A, B, C, D>(f: [Fn(A, B, C, bool) -> (D, bool)]) {
        d: Role::Write(D::TYPE),
        a: Role::Read(A::TYPE),
        b: Role::Read(B::TYPE),
        c: Role::Read(C::TYPE),
        x: Role::Update(Type::Pred)
    } |ctx, op, mask| {
        let a = ctx.at::<A::Slot>(op.a);
        let b = ctx.at::<B::Slot>(op.b);
        let c = ctx.at::<C::Slot>(op.c);
        let d = ctx.at::<D::Slot>(op.d);
        let flags = ctx.at::<u32>(op.x);
        let mut out = *flags;
        each(mask, |i| {
            let (value, flag) =
                f(A::get(*a.add(i)), B::get(*b.add(i)), C::get(*c.add(i)), out >> i & 1 != 0);
            *d.add(i) = value.put();
            out = out & !(1 << i) | u32::from(flag) << i;
        });
        *flags = out;
    }
}

instruction! {
    /// Predicates `d` and `x` from a comparison of `a` and `b`, combined with predicate `c`
    /// (flipped by `y`). `imm` selects the combination: 0 none, 1 and, 2 or, 3 xor. Adding 4
    /// negates the comparison.
    compare<A, B>(f: [Fn(A, B) -> bool]) {
        d: Role::Write(Type::Pred),
        a: Role::Read(A::TYPE),
        b: Role::Read(B::TYPE),
        c: Role::Read(Type::Pred),
        x: Role::Write(Type::Pred),
        y: Role::Number,
        imm: true
    } |ctx, op, mask| {
        let a = ctx.at::<A::Slot>(op.a);
        let b = ctx.at::<B::Slot>(op.b);
        let holds = holding(mask, |i| f(A::get(*a.add(i)), B::get(*b.add(i))));
        set_predicates(ctx, op, mask, holds);
    }
}

instruction! {
    /// The same as [`compare`] for `a` alone.
    test<A>(f: [Fn(A) -> bool]) {
        d: Role::Write(Type::Pred),
        a: Role::Read(A::TYPE),
        c: Role::Read(Type::Pred),
        x: Role::Write(Type::Pred),
        y: Role::Number,
        imm: true
    } |ctx, op, mask| {
        let a = ctx.at::<A::Slot>(op.a);
        let holds = holding(mask, |i| f(A::get(*a.add(i))));
        set_predicates(ctx, op, mask, holds);
    }
}

/// Combines and writes the predicates of a comparison.
#[inline(always)]
unsafe fn set_predicates(ctx: &mut Ctx<'_>, op: &Op, mask: u32, holds: u32) {
    // SAFETY: `d`, `x` and `c` are predicates, as lowered. Without a second destination, `x` is a
    // scratch slot.
    unsafe {
        let holds = if op.imm & 4 != 0 { !holds } else { holds };
        let (mut first, mut second) = (holds, !holds);
        if op.imm & 3 != 0 {
            let c = *ctx.at::<u32>(op.c) ^ op.y;
            (first, second) = match op.imm & 3 {
                1 => (first & c, second & c),
                2 => (first | c, second | c),
                _ => (first ^ c, second ^ c),
            };
        }
        let d = ctx.at::<u32>(op.d);
        *d = *d & !mask | first & mask;
        let x = ctx.at::<u32>(op.x);
        *x = *x & !mask | second & mask;
    }
}

instruction! {
    /// `d = f(a, b, predicate c flipped by y)`
    select<A, D>(f: [Fn(A, A, bool) -> D]) {
        d: Role::Write(D::TYPE),
        a: Role::Read(A::TYPE),
        b: Role::Read(A::TYPE),
        c: Role::Read(Type::Pred),
        y: Role::Number
    } |ctx, op, mask| {
        let a = ctx.at::<A::Slot>(op.a);
        let b = ctx.at::<A::Slot>(op.b);
        let c = *ctx.at::<u32>(op.c) ^ op.y;
        fill(ctx.at::<D::Slot>(op.d), mask, |i| f(A::get(*a.add(i)), A::get(*b.add(i)), c >> i & 1 != 0).put());
    }
}

/// Predicates `d` and `x` from predicates `a` and `b`.
pub(crate) const fn two_predicates() -> Code {
    unsafe fn body(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
        // SAFETY: the operands are predicates, as lowered.
        unsafe {
            let (a, b) = (*ctx.at::<u32>(op.a), *ctx.at::<u32>(op.b));
            let d = ctx.at::<u32>(op.d);
            *d = *d & !mask | a & mask;
            let x = ctx.at::<u32>(op.x);
            *x = *x & !mask | b & mask;
        }
        Flow::Next
    }
    Code {
        d: Role::Write(Type::Pred),
        a: Role::Read(Type::Pred),
        b: Role::Read(Type::Pred),
        x: Role::Write(Type::Pred),
        ..Code::new(body)
    }
}

/// `d = f(a, b)` of predicates `a` and `b`, flipped by `x` and `y`.
pub(crate) const fn predicate<F: Fn(u32, u32) -> u32 + Copy + 'static>(_: F) -> Code {
    unsafe fn body<F: Fn(u32, u32) -> u32 + Copy + 'static>(
        ctx: &mut Ctx<'_>,
        op: &Op,
        mask: u32,
    ) -> Flow {
        // SAFETY: the operands are predicates, as lowered.
        unsafe {
            let value = summon::<F>()(*ctx.at::<u32>(op.a) ^ op.x, *ctx.at::<u32>(op.b) ^ op.y);
            let d = ctx.at::<u32>(op.d);
            *d = *d & !mask | value & mask;
        }
        Flow::Next
    }
    Code {
        d: Role::Write(Type::Pred),
        a: Role::Read(Type::Pred),
        b: Role::Read(Type::Pred),
        x: Role::Number,
        y: Role::Number,
        ..Code::new(body::<F>)
    }
}
