//! Warp-wide operations: shuffle, vote, match, reduction, warp barrier.
//!
//! Each lane names the lanes that take part. If all of them are in the running fragment, the
//! operation executes at once. Otherwise the fragment waits until the others have arrived at an
//! operation of the same kind, anywhere in the code.

use crate::boundary::FaultKind;
use crate::ir::Code;
use crate::state::context::Ctx;
use crate::state::op::each;
use crate::state::op::{FULL, Flow, LANES, Op};

/// The operation, in the top byte of `imm`. The low bits contain its variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs)]
pub(crate) enum Kind {
    Barrier,
    ShuffleUp,
    ShuffleDown,
    ShuffleButterfly,
    ShuffleIndex,
    VoteAll,
    VoteAny,
    VoteUniform,
    VoteBallot,
    MatchAny,
    MatchAll,
    ReduceAdd,
    ReduceMinU,
    ReduceMaxU,
    ReduceMinS,
    ReduceMaxS,
    ReduceAnd,
    ReduceOr,
    ReduceXor,
    ReduceMinF,
    ReduceMaxF,
    Elect,
}

const KINDS: [Kind; 22] = [
    Kind::Barrier,
    Kind::ShuffleUp,
    Kind::ShuffleDown,
    Kind::ShuffleButterfly,
    Kind::ShuffleIndex,
    Kind::VoteAll,
    Kind::VoteAny,
    Kind::VoteUniform,
    Kind::VoteBallot,
    Kind::MatchAny,
    Kind::MatchAll,
    Kind::ReduceAdd,
    Kind::ReduceMinU,
    Kind::ReduceMaxU,
    Kind::ReduceMinS,
    Kind::ReduceMaxS,
    Kind::ReduceAnd,
    Kind::ReduceOr,
    Kind::ReduceXor,
    Kind::ReduceMinF,
    Kind::ReduceMaxF,
    Kind::Elect,
];

/// `imm`: 64-bit values.
pub(crate) const WIDE: u64 = 1;
/// `imm`: no member mask. The lanes that execute it together take part.
pub(crate) const ACTIVE: u64 = 2;
/// `imm`: NaN has precedence in a floating-point minimum or maximum.
pub(crate) const NAN: u64 = 4;
/// `imm`: use the absolute value.
pub(crate) const ABS: u64 = 8;

/// `imm`: the member mask is an immediate.
pub(crate) const IMMEDIATE: u64 = 16;

/// Packs a kind and its variant.
pub(crate) const fn pack(kind: Kind, variant: u64) -> u64 {
    (kind as u64) << 56 | variant
}

/// Returns the kind in an instruction.
pub(crate) fn kind(op: &Op) -> Kind {
    KINDS[(op.imm >> 56) as usize % KINDS.len()]
}

/// The operands of the lanes, and their results.
pub(crate) struct Exchange {
    pub value: [u64; LANES],
    pub b: [u32; LANES],
    pub c: [u32; LANES],
    pub member: [u32; LANES],
    pub out: [u64; LANES],
    pub flag: u32,
}

impl Exchange {
    pub(crate) fn new() -> Exchange {
        Exchange {
            value: [0; LANES],
            b: [0; LANES],
            c: [0; LANES],
            member: [0; LANES],
            out: [0; LANES],
            flag: 0,
        }
    }

    /// Reads the operands of the lanes of `mask`.
    ///
    /// # Safety
    ///
    /// The caller must ensure that `op` is a warp-wide operation of the function whose frame is
    /// loaded.
    pub(crate) unsafe fn collect(&mut self, ctx: &Ctx<'_>, op: &Op, mask: u32) {
        let kind = kind(op);
        // SAFETY: guaranteed by the caller.
        unsafe {
            let vote = matches!(
                kind,
                Kind::VoteAll | Kind::VoteAny | Kind::VoteUniform | Kind::VoteBallot
            );
            let bits = if vote { *ctx.at::<u32>(op.a) ^ op.b } else { 0 };
            // With an immediate mask, an H200 accepts a lane that is not in it: the lanes that
            // execute the instruction together take part.
            let together = op.imm & ACTIVE != 0
                || op.imm & IMMEDIATE != 0 && mask & !*ctx.at::<u32>(op.x) != 0;
            each(mask, |i| {
                self.member[i] = if together {
                    mask
                } else {
                    *ctx.at::<u32>(op.x).add(i)
                };
                if vote {
                    self.value[i] = u64::from(bits >> i & 1);
                } else if kind != Kind::Barrier && kind != Kind::Elect {
                    self.value[i] = if op.imm & WIDE != 0 {
                        *ctx.at::<u64>(op.a).add(i)
                    } else {
                        u64::from(*ctx.at::<u32>(op.a).add(i))
                    };
                    if matches!(
                        kind,
                        Kind::ShuffleUp
                            | Kind::ShuffleDown
                            | Kind::ShuffleButterfly
                            | Kind::ShuffleIndex
                    ) {
                        self.b[i] = *ctx.at::<u32>(op.b).add(i);
                        self.c[i] = *ctx.at::<u32>(op.c).add(i);
                    }
                }
            });
        }
    }

    /// Returns a lane of `mask` that is not in its own member mask.
    pub(crate) fn stranger(&self, mask: u32) -> Option<usize> {
        let mut own = 0;
        each(mask, |i| own |= self.member[i] & 1 << i);
        (own != mask).then(|| (mask & !own).trailing_zeros() as usize)
    }

    /// Returns the lanes of `waiting` whose partners have all arrived or ended.
    pub(crate) fn ready(&self, waiting: u32, live: u32) -> u32 {
        let mut out = 0;
        each(waiting, |i| {
            out |= u32::from(self.member[i] & live & !waiting == 0) << i
        });
        out
    }

    /// Executes the operation for the lanes of `lanes`.
    pub(crate) fn compute(&mut self, kind: Kind, variant: u64, lanes: u32) {
        match kind {
            Kind::Barrier => {}
            Kind::ShuffleUp | Kind::ShuffleDown | Kind::ShuffleButterfly | Kind::ShuffleIndex => {
                self.shuffle(kind, lanes)
            }
            _ => self.groups(kind, variant, lanes),
        }
    }

    fn shuffle(&mut self, kind: Kind, lanes: u32) {
        each(lanes, |i| {
            let lane = i as i32;
            let b = (self.b[i] & 31) as i32;
            let clamp = (self.c[i] & 31) as i32;
            let segment = (self.c[i] >> 8 & 31) as i32;
            let max = (lane & segment) | (clamp & !segment);
            let min = lane & segment;
            let (source, inside) = match kind {
                Kind::ShuffleUp => (lane - b, lane - b >= max),
                Kind::ShuffleDown => (lane + b, lane + b <= max),
                Kind::ShuffleButterfly => (lane ^ b, lane ^ b <= max),
                _ => {
                    let j = min | (b & !segment);
                    (j, j <= max)
                }
            };
            let from = if inside { source & 31 } else { lane } as usize;
            self.out[i] = self.value[from];
            self.flag = self.flag & !(1 << i) | u32::from(inside) << i;
        });
    }

    /// Executes an operation for each set of lanes with the same member mask.
    fn groups(&mut self, kind: Kind, variant: u64, lanes: u32) {
        let mut left = lanes;
        while left != 0 {
            let first = left.trailing_zeros() as usize;
            let member = self.member[first];
            let mut group = 0;
            each(left, |i| group |= u32::from(self.member[i] == member) << i);
            left &= !group;
            self.group(kind, variant, group);
        }
    }

    fn group(&mut self, kind: Kind, variant: u64, group: u32) {
        let leader = group.trailing_zeros() as usize;
        let first = self.value[leader];
        let value = self.value;
        let mut set = 0;
        each(group, |i| set |= u32::from(value[i] != 0) << i);
        let fold = |f: &dyn Fn(u32, u32) -> u32| {
            let mut total = first as u32;
            each(group & !(1 << leader), |i| {
                total = f(total, value[i] as u32)
            });
            u64::from(total)
        };
        let float = |max: bool| {
            fold(&|a, b| {
                let absolute = |v: u32| {
                    f32::from_bits(if variant & ABS != 0 {
                        v & 0x7fff_ffff
                    } else {
                        v
                    })
                };
                crate::number::math::min_max_f32(absolute(a), absolute(b), max, variant & NAN != 0)
                    .to_bits()
            })
        };
        let result = match kind {
            Kind::VoteAll => u64::from(set == group),
            Kind::VoteAny => u64::from(set != 0),
            Kind::VoteUniform => u64::from(set == 0 || set == group),
            Kind::VoteBallot => u64::from(set),
            Kind::MatchAny => {
                each(group, |i| {
                    let mut same = 0;
                    each(group, |j| same |= u64::from(value[i] == value[j]) << j);
                    self.out[i] = same;
                });
                return;
            }
            Kind::MatchAll => {
                let mut same = true;
                each(group, |i| same &= value[i] == first);
                self.flag = self.flag & !group | if same { group } else { 0 };
                if same { u64::from(group) } else { 0 }
            }
            Kind::ReduceAdd => fold(&u32::wrapping_add),
            Kind::ReduceMinU => fold(&|a, b| a.min(b)),
            Kind::ReduceMaxU => fold(&|a, b| a.max(b)),
            Kind::ReduceMinS => fold(&|a, b| (a as i32).min(b as i32) as u32),
            Kind::ReduceMaxS => fold(&|a, b| (a as i32).max(b as i32) as u32),
            Kind::ReduceAnd => fold(&|a, b| a & b),
            Kind::ReduceOr => fold(&|a, b| a | b),
            Kind::ReduceXor => fold(&|a, b| a ^ b),
            Kind::ReduceMinF => float(false),
            Kind::ReduceMaxF => float(true),
            Kind::Elect => {
                self.flag = self.flag & !group | 1 << leader;
                leader as u64
            }
            _ => return,
        };
        each(group, |i| self.out[i] = result);
    }

    /// Writes the results of the lanes of `mask`.
    ///
    /// # Safety
    ///
    /// The caller must meet the conditions of [`collect`](Exchange::collect).
    pub(crate) unsafe fn deliver(&self, ctx: &mut Ctx<'_>, op: &Op, mask: u32) {
        let flag = self.flag;
        let put = |ctx: &mut Ctx<'_>, at: u32, bits: u32| {
            // SAFETY: this is a predicate, as lowered.
            unsafe {
                let p = ctx.at::<u32>(at);
                *p = *p & !mask | bits & mask;
            }
        };
        match kind(op) {
            Kind::Barrier => {}
            Kind::VoteAll | Kind::VoteAny | Kind::VoteUniform => {
                let mut bits = 0;
                each(mask, |i| bits |= (self.out[i] as u32 & 1) << i);
                put(ctx, op.d, bits);
            }
            kind => {
                // SAFETY: this is a 32-bit register, as lowered.
                unsafe {
                    let d = ctx.at::<u32>(op.d);
                    each(mask, |i| *d.add(i) = self.out[i] as u32);
                }
                let flagged = matches!(
                    kind,
                    Kind::MatchAll | Kind::Elect | Kind::ShuffleUp | Kind::ShuffleDown
                ) || matches!(kind, Kind::ShuffleButterfly | Kind::ShuffleIndex);
                if flagged {
                    put(ctx, op.y, flag);
                }
            }
        }
    }
}

/// Returns the name of an operation in PTX.
fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Barrier => "bar.warp.sync (__syncwarp)",
        Kind::ShuffleUp => "shfl.sync.up (__shfl_up_sync)",
        Kind::ShuffleDown => "shfl.sync.down (__shfl_down_sync)",
        Kind::ShuffleButterfly => "shfl.sync.bfly (__shfl_xor_sync)",
        Kind::ShuffleIndex => "shfl.sync.idx (__shfl_sync)",
        Kind::VoteAll => "vote.sync.all (__all_sync)",
        Kind::VoteAny => "vote.sync.any (__any_sync)",
        Kind::VoteUniform => "vote.sync.uni (__uni_sync)",
        Kind::VoteBallot => "vote.sync.ballot (__ballot_sync)",
        Kind::MatchAny => "match.any.sync (__match_any_sync)",
        Kind::MatchAll => "match.all.sync (__match_all_sync)",
        Kind::ReduceAdd => "redux.sync.add (__reduce_add_sync)",
        Kind::ReduceMinU | Kind::ReduceMinS => "redux.sync.min (__reduce_min_sync)",
        Kind::ReduceMaxU | Kind::ReduceMaxS => "redux.sync.max (__reduce_max_sync)",
        Kind::ReduceAnd => "redux.sync.and (__reduce_and_sync)",
        Kind::ReduceOr => "redux.sync.or (__reduce_or_sync)",
        Kind::ReduceXor => "redux.sync.xor (__reduce_xor_sync)",
        Kind::ReduceMinF => "redux.sync.min of f32",
        Kind::ReduceMaxF => "redux.sync.max of f32",
        Kind::Elect => "elect.sync",
    }
}

/// Reports the fault of a lane that executes a warp-wide operation with a member mask that does not
/// contain it.
#[cold]
fn refuse(ctx: &mut Ctx<'_>, op: &Op, lane: usize, member: u32) -> Flow {
    let text = format!(
        "{} by lane {lane} with the member mask 0x{member:08x}, which does not contain lane {lane}\n\
         each lane that executes it must be in its own mask: add bit {lane} (0x{:08x}) to the mask, or keep the lane \
         away by a branch; __activemask() only says which lanes happen to run together",
        name(kind(op)),
        1u32 << lane
    );
    ctx.fail(FaultKind::IllegalInstruction, lane as u32, text)
}

/// A warp-wide operation. `a` is the value (for votes a predicate, flipped by `b`), `b` and `c` are
/// operands of a shuffle, `x` is the member mask, `d` the result, and `y` the predicate result.
pub(crate) unsafe fn together(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let mut exchange = Exchange::new();
    // SAFETY: the lowering emits this only for warp-wide operations.
    unsafe {
        exchange.collect(ctx, op, mask);
        if let Some(lane) = exchange.stranger(mask) {
            return refuse(ctx, op, lane, exchange.member[lane]);
        }
        if exchange.ready(mask, ctx.live) != mask {
            ctx.event_mask = mask;
            return Flow::Sync;
        }
        exchange.compute(kind(op), op.imm, mask);
        exchange.deliver(ctx, op, mask);
    }
    Flow::Next
}

/// The same as [`together`] for a kind of shuffle (0 up, 1 down, 2 butterfly, 3 index). Fast if the
/// whole warp takes part.
pub(crate) const fn shuffle<const K: u8>() -> Code {
    #[cfg(not(target_arch = "x86_64"))]
    use shuffle_full as shuffle_wide;
    Code::pair(shuffle_full::<K>, shuffle_wide::<K>)
}

unsafe fn shuffle_full<const K: u8>(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: guaranteed by the caller.
    unsafe { exchange::<K>(ctx, op, mask) }
}

/// The same as [`shuffle_full`] for a processor with AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
unsafe fn shuffle_wide<const K: u8>(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: guaranteed by the caller.
    unsafe { exchange::<K>(ctx, op, mask) }
}

#[inline(always)]
unsafe fn exchange<const K: u8>(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: the lowering emits this only for shuffles.
    unsafe {
        let member = &*ctx.at::<[u32; LANES]>(op.x);
        let mut members = FULL;
        for m in member {
            members &= m;
        }
        if mask != FULL || members != FULL {
            return together(ctx, op, mask);
        }
        let value = *ctx.at::<[u32; LANES]>(op.a);
        let b = &*ctx.at::<[u32; LANES]>(op.b);
        let c = &*ctx.at::<[u32; LANES]>(op.c);
        // Separate steps, so that the compiler vectorizes all but the last.
        let mut sources = [0; LANES];
        let mut flags = [0; LANES];
        for i in 0..LANES {
            let lane = i as i32;
            let b = (b[i] & 31) as i32;
            let segment = (c[i] >> 8 & 31) as i32;
            let max = (lane & segment) | ((c[i] & 31) as i32 & !segment);
            let (source, inside) = match K {
                0 => (lane - b, lane - b >= max),
                1 => (lane + b, lane + b <= max),
                2 => (lane ^ b, lane ^ b <= max),
                _ => {
                    let j = lane & segment | b & !segment;
                    (j, j <= max)
                }
            };
            sources[i] = if inside { source & 31 } else { lane };
            flags[i] = u32::from(inside) << i;
        }
        let mut flag = 0;
        for f in flags {
            flag |= f;
        }
        let d = ctx.at::<u32>(op.d);
        for (i, &source) in sources.iter().enumerate() {
            *d.add(i) = value[source as usize & 31];
        }
        *ctx.at::<u32>(op.y) = flag;
    }
    Flow::Next
}

/// `activemask`
pub(crate) unsafe fn active_mask(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: `d` is a 32-bit register.
    unsafe {
        let d = ctx.at::<u32>(op.d);
        each(mask, |i| d.add(i).write(mask));
    }
    Flow::Next
}
