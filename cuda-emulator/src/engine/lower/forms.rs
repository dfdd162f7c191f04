//! The forms: how the operands of PTX become the fields of an instruction.

use super::function::{Lower, New, Result, Slot};
use crate::engine::instructions;
use crate::engine::ir::{Code, Form, Opcode, Role};
use crate::ptx::{Operand, Type};

impl<'a> Lower<'_, 'a> {
    /// Lowers an instruction by its entry in the list.
    pub(super) fn listed(
        &mut self,
        opcode: &'static Opcode,
        imm: u64,
        o: &[Operand<'a>],
    ) -> Result<()> {
        match opcode.form {
            Form::Internal => Err(self.syntax("PTX doesn't have this instruction")),
            Form::Operands => self.operands(opcode, imm, o),
            Form::Fold => self.fold(opcode, imm, o),
            Form::Carry => self.carry_chain(opcode, imm != 0, o),
            Form::Warp => self.together(opcode, imm, o),
            Form::Branch => self.branch(opcode, o),
            Form::Switch => self.switch(opcode, o),
            Form::Call => self.call(opcode, o),
            Form::Return => self.leave(opcode, o),
            Form::Exit => self.exit(opcode, o),
            Form::Barrier => self.barrier(opcode, imm, o),
            Form::Bare => {
                self.emit(New::of(opcode));
                Ok(())
            }
            Form::Nothing => Ok(()),
        }
    }

    /// A source for a field.
    pub(super) fn source(&mut self, role: Role, operand: &Operand<'a>) -> Result<Slot> {
        match role {
            Role::Read(ty) => self.src(operand, ty),
            _ => Err(self.syntax("there are too many operands")),
        }
    }

    /// A destination for a field.
    pub(super) fn destination(&mut self, role: Role, operand: &Operand<'a>) -> Result<Slot> {
        match role {
            Role::Write(ty) => self.dst(operand, ty),
            _ => Err(self.syntax("there are too many operands")),
        }
    }

    pub(super) fn counted(&self, o: &[Operand<'a>], wanted: usize) -> Result<()> {
        if o.len() == wanted {
            return Ok(());
        }
        Err(self.syntax(format!("{wanted} operands are needed")))
    }

    /// [`Form::Operands`]
    fn operands(&mut self, opcode: &'static Opcode, imm: u64, o: &[Operand<'a>]) -> Result<()> {
        let Code { d, a, b, c, .. } = opcode.code;
        let used = [d, a, b, c].iter().filter(|r| **r != Role::Unused).count();
        self.counted(o, used)?;
        let mut new = New {
            imm,
            ..New::of(opcode)
        };
        let mut left = o.iter();
        let written = if d == Role::Unused { None } else { left.next() };
        for (role, slot) in [(a, &mut new.a), (b, &mut new.b), (c, &mut new.c)] {
            if role != Role::Unused
                && let Some(operand) = left.next()
            {
                *slot = self.source(role, operand)?;
            }
        }
        if let Some(operand) = written {
            new.d = self.destination(d, operand)?;
        }
        self.emit(new);
        Ok(())
    }

    /// [`Form::Fold`]
    fn fold(&mut self, opcode: &'static Opcode, imm: u64, o: &[Operand<'a>]) -> Result<()> {
        let (written, first, second, third) = match o {
            [d, a, b] => (d, a, b, None),
            [d, a, b, c] => (d, a, b, Some(c)),
            _ => return Err(self.syntax("3 or 4 operands are needed")),
        };
        let Code { d, a, b, .. } = opcode.code;
        let mut new = New {
            imm,
            a: self.source(a, first)?,
            b: self.source(b, second)?,
            ..New::of(opcode)
        };
        if let Some(operand) = third
            && let Role::Write(ty) = d
        {
            let third = self.source(b, operand)?;
            let middle = self.temp(ty)?;
            self.emit(New {
                d: Slot::Def(middle),
                ..new
            });
            new.a = Slot::Use(middle);
            new.b = third;
        }
        new.d = self.destination(d, written)?;
        self.emit(new);
        Ok(())
    }

    /// [`Form::Carry`]
    fn carry_chain(
        &mut self,
        opcode: &'static Opcode,
        sets_flag: bool,
        o: &[Operand<'a>],
    ) -> Result<()> {
        let Code { d, a, b, c, .. } = opcode.code;
        let product = opcode.mnemonic().starts_with("mad");
        self.counted(o, if product { 4 } else { 3 })?;
        let (a, b) = (self.source(a, &o[1])?, self.source(b, &o[2])?);
        let c = match o.get(3) {
            Some(operand) => self.source(c, operand)?,
            None => b,
        };
        let d = self.destination(d, &o[0])?;
        let flag = self.carry()?;
        let x = if sets_flag {
            flag
        } else {
            // The instruction works on a copy.
            let copy = self.temp(Type::Pred)?;
            self.copy_predicate(Slot::Def(copy), Slot::Use(flag));
            copy
        };
        self.emit(New {
            d,
            a,
            b,
            c,
            x: Slot::Both(x),
            ..New::of(opcode)
        });
        Ok(())
    }

    /// Copies a predicate.
    pub(super) fn copy_predicate(&mut self, d: Slot, a: Slot) {
        self.emit(New {
            d,
            a,
            b: a,
            x: Slot::Raw(0),
            y: Slot::Raw(0),
            ..New::of(&instructions::COPY_PREDICATE)
        });
    }

    /// Emits an instruction of `o.len() - 1` sources of one type.
    pub(super) fn simple(
        &mut self,
        run: Code,
        imm: u64,
        ty: Type,
        sources: usize,
        o: &[Operand<'a>],
    ) -> Result<()> {
        self.mixed(run, imm, ty, &[ty, ty, ty][..sources], o)
    }

    /// Emits an instruction with a destination and sources of these types.
    pub(super) fn mixed(
        &mut self,
        run: Code,
        imm: u64,
        d: Type,
        sources: &[Type],
        o: &[Operand<'a>],
    ) -> Result<()> {
        if o.len() != sources.len() + 1 {
            return Err(self.syntax(format!("{} operands are needed", sources.len() + 1)));
        }
        let mut slots = [Slot::None; 3];
        for ((slot, operand), ty) in slots.iter_mut().zip(&o[1..]).zip(sources) {
            *slot = self.src(operand, *ty)?;
        }
        let d = self.dst(&o[0], d)?;
        let [a, b, c] = slots;
        self.emit(New {
            imm,
            d,
            a,
            b,
            c,
            ..New::op(run)
        });
        Ok(())
    }
}
