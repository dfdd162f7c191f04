//! Operations of a warp together.

use super::function::{Lower, New, Result, Slot};
use super::modifiers::Modifiers;
use crate::engine::lanes::each;
use crate::engine::state::{Ctx, Flow, Op};
use crate::engine::sync::{ABS, ACTIVE, Kind, NAN, WIDE, pack, shuffle, together};
use crate::ptx::{Operand, Type};

impl<'a> Lower<'_, 'a> {
    pub(super) fn warp(
        &mut self,
        name: &str,
        m: &mut Modifiers<'a>,
        o: &[Operand<'a>],
    ) -> Result<bool> {
        match name {
            "shfl" => self.shuffle(m, o)?,
            "vote" => self.vote(m, o)?,
            "match" => {
                let all = m.take("all");
                m.take("any");
                m.take("sync");
                let ty = m.ty().ok_or_else(|| self.syntax("the type is missing"))?;
                let [d, a, member] = o else {
                    return Err(self.syntax("three operands are needed"));
                };
                let a = self.src(a, ty)?;
                let x = self.src(member, Type::B32)?;
                let (d, y) = self.result(d)?;
                let kind = if all { Kind::MatchAll } else { Kind::MatchAny };
                let imm = pack(kind, if ty.size() == 8 { WIDE } else { 0 });
                self.emit(New {
                    imm,
                    d,
                    a,
                    x,
                    y,
                    ..New::run(together)
                });
            }
            "redux" => {
                m.take("sync");
                let op = m.one_of(&["add", "min", "max", "and", "or", "xor"]);
                let (abs, nan) = (m.take("abs"), m.take("NaN"));
                let ty = m.ty().ok_or_else(|| self.syntax("the type is missing"))?;
                let kind = match (op, ty) {
                    (Some("add"), Type::U32 | Type::S32) => Kind::ReduceAdd,
                    (Some("min"), Type::U32) => Kind::ReduceMinU,
                    (Some("max"), Type::U32) => Kind::ReduceMaxU,
                    (Some("min"), Type::S32) => Kind::ReduceMinS,
                    (Some("max"), Type::S32) => Kind::ReduceMaxS,
                    (Some("min"), Type::F32) => Kind::ReduceMinF,
                    (Some("max"), Type::F32) => Kind::ReduceMaxF,
                    (Some("and"), Type::B32) => Kind::ReduceAnd,
                    (Some("or"), Type::B32) => Kind::ReduceOr,
                    (Some("xor"), Type::B32) => Kind::ReduceXor,
                    _ => return Err(self.syntax("no such form of this instruction")),
                };
                let [d, a, member] = o else {
                    return Err(self.syntax("three operands are needed"));
                };
                let a = self.src(a, ty)?;
                let x = self.src(member, Type::B32)?;
                let d = self.dst(d, ty)?;
                let imm = pack(kind, if abs { ABS } else { 0 } | if nan { NAN } else { 0 });
                self.emit(New {
                    imm,
                    d,
                    a,
                    x,
                    ..New::run(together)
                });
            }
            "activemask" => {
                m.take("b32");
                let [d] = o else {
                    return Err(self.syntax("one operand is needed"));
                };
                let d = self.dst(d, Type::B32)?;
                self.emit(New {
                    d,
                    ..New::run(active_mask)
                });
            }
            "elect" => {
                m.take("sync");
                let [d, member] = o else {
                    return Err(self.syntax("two operands are needed"));
                };
                let x = self.src(member, Type::B32)?;
                let (d, y) = self.result(d)?;
                self.emit(New {
                    imm: pack(Kind::Elect, 0),
                    d,
                    x,
                    y,
                    ..New::run(together)
                });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `d` or `d|p`: a 32-bit register and a predicate.
    fn result(&mut self, operand: &Operand<'a>) -> Result<(Slot, Slot)> {
        let (d, p) = match operand {
            Operand::Pair(d, p) => (*d, *p),
            Operand::Name(d) => (*d, "_"),
            Operand::Sink => ("_", "_"),
            _ => return Err(self.syntax("the destination must be a register")),
        };
        let d = if d == "_" {
            Slot::Def(self.temp(Type::B32)?)
        } else {
            self.dst(&Operand::Name(d), Type::B32)?
        };
        let p = if p == "_" {
            self.dump()?
        } else {
            self.dst(&Operand::Name(p), Type::Pred)?
        };
        Ok((d, p))
    }

    fn shuffle(&mut self, m: &mut Modifiers<'a>, o: &[Operand<'a>]) -> Result<()> {
        let sync = m.take("sync");
        let kind = match m.one_of(&["up", "down", "bfly", "idx"]) {
            Some("up") => Kind::ShuffleUp,
            Some("down") => Kind::ShuffleDown,
            Some("bfly") => Kind::ShuffleButterfly,
            Some(_) => Kind::ShuffleIndex,
            None => return Err(self.syntax("up, down, bfly or idx is missing")),
        };
        m.take("b32");
        let ([d, a, b, c], member) = match (sync, o) {
            (true, [d, a, b, c, member]) => ([d, a, b, c], Some(member)),
            (false, [d, a, b, c]) => ([d, a, b, c], None),
            _ => return Err(self.syntax("the number of operands is wrong")),
        };
        let (a, b, c) = (
            self.src(a, Type::B32)?,
            self.src(b, Type::B32)?,
            self.src(c, Type::B32)?,
        );
        let (x, variant) = match member {
            Some(member) => (self.src(member, Type::B32)?, 0),
            None => (Slot::None, ACTIVE),
        };
        let (d, y) = self.result(d)?;
        let run = if sync { shuffle(kind) } else { together };
        self.emit(New {
            imm: pack(kind, variant),
            d,
            a,
            b,
            c,
            x,
            y,
            ..New::run(run)
        });
        Ok(())
    }

    fn vote(&mut self, m: &mut Modifiers<'a>, o: &[Operand<'a>]) -> Result<()> {
        let sync = m.take("sync");
        let kind = match m.one_of(&["all", "any", "uni", "ballot"]) {
            Some("all") => Kind::VoteAll,
            Some("any") => Kind::VoteAny,
            Some("uni") => Kind::VoteUniform,
            Some(_) => Kind::VoteBallot,
            None => return Err(self.syntax("all, any, uni or ballot is missing")),
        };
        let ty = m.ty().ok_or_else(|| self.syntax("the type is missing"))?;
        if (ty == Type::Pred) == (kind == Kind::VoteBallot) {
            return Err(self.syntax("no such form of this instruction"));
        }
        let (d, a, member) = match (sync, o) {
            (true, [d, a, member]) => (d, a, Some(member)),
            (false, [d, a]) => (d, a, None),
            _ => return Err(self.syntax("the number of operands is wrong")),
        };
        let (a, flip) = self.predicate(a)?;
        let (x, variant) = match member {
            Some(member) => (self.src(member, Type::B32)?, 0),
            None => (Slot::None, ACTIVE),
        };
        let d = self.dst(d, ty)?;
        self.emit(New {
            imm: pack(kind, variant),
            d,
            a,
            b: Slot::Raw(flip),
            x,
            ..New::run(together)
        });
        Ok(())
    }

    /// `bar.warp.sync`
    pub(super) fn warp_barrier(&mut self, o: &[Operand<'a>]) -> Result<()> {
        let [member] = o else {
            return Err(self.syntax("one operand is needed"));
        };
        let x = self.src(member, Type::B32)?;
        self.emit(New {
            imm: pack(Kind::Barrier, 0),
            x,
            ..New::run(together)
        });
        Ok(())
    }
}

unsafe fn active_mask(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: `d` is a 32-bit register.
    unsafe {
        let d = ctx.at::<u32>(op.d);
        each(mask, |i| d.add(i).write(mask));
    }
    Flow::Next
}
