//! The forms of comparisons and selections.

use super::emit::{New, Slot};
use super::function::{Lower, Result};
use crate::instructions::{
    COPY_PREDICATES, SELECT, SELECT_UPPER, SWAPPED, WIDEN_BRAIN, WIDEN_HALF,
};
use crate::ir::{Form, Opcode, Written};
use crate::ptx::{Operand, Type};

/// A comparison whose destination is not known yet.
struct Comparison<'o, 'a> {
    opcode: &'static Opcode,
    imm: u64,
    ty: Type,
    ftz: bool,
    /// The sources, and the predicate to combine with.
    sources: [&'o Operand<'a>; 2],
    combined: Option<&'o Operand<'a>>,
}

impl Comparison<'_, '_> {
    fn packed(&self) -> bool {
        matches!(self.ty, Type::F16x2 | Type::BF16x2)
    }
}

impl<'a> Lower<'_, 'a> {
    /// [`Form::Compare`]
    pub(super) fn setp(
        &mut self,
        opcode: &'static Opcode,
        imm: u64,
        written: Written<'_>,
        o: &[Operand<'a>],
    ) -> Result<()> {
        let comparison = self.compared(opcode, imm, written, o)?;
        let (p, q) = match &o[0] {
            Operand::Pair(p, q) => (*p, *q),
            Operand::Name(p) => (*p, "_"),
            _ => return Err(self.syntax("the destination must be a predicate")),
        };
        let mut results = [Slot::None; 2];
        for (slot, name) in results.iter_mut().zip([p, q]) {
            *slot = match name {
                "_" => self.dump()?,
                name => self.dst(&Operand::Name(name), Type::Pred)?,
            };
        }
        if !comparison.packed() {
            return self.comparison(&comparison, false, results);
        }
        // The result of the lower halves goes to p, that of the upper halves to q. Both can be
        // combined with the same predicate.
        let [low, high] = self.both(&comparison)?;
        self.emit(New {
            d: results[0],
            a: low,
            b: high,
            x: results[1],
            ..New::of(&COPY_PREDICATES)
        });
        Ok(())
    }

    /// [`Form::Set`]
    pub(super) fn set(
        &mut self,
        opcode: &'static Opcode,
        imm: u64,
        written: Written<'_>,
        o: &[Operand<'a>],
    ) -> Result<()> {
        let result = self.type_at(written, 0)?;
        let comparison = self.compared(opcode, imm, written, o)?;
        let truth = match result {
            Type::F32 => 0x3f80_0000,
            Type::F16 | Type::F16x2 => 0x3c00,
            Type::BF16 | Type::BF16x2 => 0x3f80,
            Type::U16 | Type::S16 => 0xffff,
            _ if comparison.packed() => 0xffff,
            _ => 0xffff_ffff,
        };
        let (yes, no) = (self.fixed(truth, Type::B32), self.fixed(0, Type::B32));
        let select = |opcode, d, b, c| New {
            d,
            a: yes,
            b,
            c,
            y: Slot::Raw(0),
            ..New::of(opcode)
        };
        if !comparison.packed() {
            let holds = self.temp(Type::Pred)?;
            let dump = self.dump()?;
            self.comparison(&comparison, false, [Slot::Def(holds), dump])?;
            let d = self.dst(&o[0], result)?;
            self.emit(select(&SELECT, d, no, Slot::Use(holds)));
            return Ok(());
        }
        let [low, high] = self.both(&comparison)?;
        let lower = self.temp(Type::B32)?;
        self.emit(select(&SELECT, Slot::Def(lower), no, low));
        let d = self.dst(&o[0], result)?;
        self.emit(select(&SELECT_UPPER, d, Slot::Use(lower), high));
        Ok(())
    }

    /// [`Form::Test`]
    pub(super) fn testp(
        &mut self,
        opcode: &'static Opcode,
        imm: u64,
        o: &[Operand<'a>],
    ) -> Result<()> {
        self.counted(o, 2)?;
        let a = self.source(opcode.code.a, &o[1])?;
        let d = self.destination(opcode.code.d, &o[0])?;
        let (c, flip) = self.predicate(&Operand::Int(1))?;
        let x = self.dump()?;
        self.emit(New {
            imm,
            d,
            a,
            c,
            x,
            y: Slot::Raw(flip),
            ..New::of(opcode)
        });
        Ok(())
    }

    /// [`Form::Select`]
    pub(super) fn selp(
        &mut self,
        opcode: &'static Opcode,
        written: Written<'_>,
        o: &[Operand<'a>],
    ) -> Result<()> {
        let ty = self.type_at(written, 0)?;
        self.counted(o, 4)?;
        let (a, b) = (self.src(&o[1], ty)?, self.src(&o[2], ty)?);
        let (c, flip) = self.predicate(&o[3])?;
        let d = self.dst(&o[0], ty)?;
        self.emit(New {
            d,
            a,
            b,
            c,
            y: Slot::Raw(flip),
            ..New::of(opcode)
        });
        Ok(())
    }

    /// [`Form::SelectBySign`]
    pub(super) fn slct(
        &mut self,
        opcode: &'static Opcode,
        imm: u64,
        written: Written<'_>,
        o: &[Operand<'a>],
    ) -> Result<()> {
        let (ty, by) = (self.type_at(written, 0)?, self.type_at(written, 1)?);
        self.counted(o, 4)?;
        let (a, b) = (self.src(&o[1], ty)?, self.src(&o[2], ty)?);
        let c = self.src(&o[3], by)?;
        let d = self.dst(&o[0], ty)?;
        self.emit(New {
            imm,
            d,
            a,
            b,
            c,
            ..New::of(opcode)
        });
        Ok(())
    }

    /// Returns the comparison that an instruction performs.
    fn compared<'o>(
        &self,
        opcode: &'static Opcode,
        imm: u64,
        written: Written<'_>,
        o: &'o [Operand<'a>],
    ) -> Result<Comparison<'o, 'a>> {
        let ty = self.type_at(written, usize::from(opcode.form == Form::Set))?;
        let [_, a, b, combined @ ..] = o else {
            return Err(self.syntax("three operands are needed"));
        };
        if combined.len() != usize::from(imm & 3 != 0) {
            return Err(self.syntax("a combining operation needs a third source, and a third source needs a combining operation"));
        }
        Ok(Comparison {
            opcode,
            imm,
            ty,
            ftz: written.has("ftz"),
            sources: [a, b],
            combined: combined.first(),
        })
    }

    /// Returns the results of the lower and the upper halves.
    fn both(&mut self, comparison: &Comparison<'_, 'a>) -> Result<[Slot; 2]> {
        let dump = self.dump()?;
        let mut results = [Slot::None; 2];
        for (result, high) in results.iter_mut().zip([false, true]) {
            let register = self.temp(Type::Pred)?;
            self.comparison(comparison, high, [Slot::Def(register), dump])?;
            *result = Slot::Use(register);
        }
        Ok(results)
    }

    /// Emits a comparison, of the upper halves if `high`.
    fn comparison(
        &mut self,
        comparison: &Comparison<'_, 'a>,
        high: bool,
        [d, x]: [Slot; 2],
    ) -> Result<()> {
        let ty = comparison.ty;
        let mut sources = [Slot::None; 2];
        for (slot, operand) in sources.iter_mut().zip(comparison.sources) {
            *slot = self.src(operand, ty)?;
            let widen = match ty {
                Type::F16 | Type::F16x2 => &WIDEN_HALF,
                Type::BF16 | Type::BF16x2 => &WIDEN_BRAIN,
                _ => continue,
            };
            let single = self.temp(Type::F32)?;
            self.emit(New {
                imm: u64::from(high) << 4 | u64::from(comparison.ftz) << 5,
                d: Slot::Def(single),
                a: *slot,
                ..New::of(widen)
            });
            *slot = Slot::Use(single);
        }
        if comparison.imm & SWAPPED != 0 {
            sources.reverse();
        }
        let always = &Operand::Int(1);
        let (c, flip) = self.predicate(comparison.combined.unwrap_or(always))?;
        self.emit(New {
            imm: comparison.imm & !SWAPPED,
            d,
            a: sources[0],
            b: sources[1],
            c,
            x,
            y: Slot::Raw(flip),
            ..New::of(comparison.opcode)
        });
        Ok(())
    }
}
