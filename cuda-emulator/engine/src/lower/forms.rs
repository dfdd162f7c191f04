//! The forms: the mapping from PTX operands to the fields of an instruction.

use super::emit::{New, Slot};
use super::function::{Lower, Result};
use super::modifiers::Modifiers;
use crate::instructions;
use crate::ir::{Code, Form, Opcode, Role, Written};
use crate::ptx::{Operand, Type};

/// The modifiers of an instruction.
fn modifiers(written: Written<'_>) -> Modifiers<'_> {
    Modifiers::split(written.0).1
}

impl<'a> Lower<'_, 'a> {
    /// Lowers an instruction according to its entry in the list.
    pub(super) fn listed(
        &mut self,
        opcode: &'static Opcode,
        imm: u64,
        written: Written<'a>,
        o: &[Operand<'a>],
    ) -> Result<()> {
        match opcode.form {
            Form::Internal => Err(self.syntax("PTX does not have this instruction")),
            Form::Operands => self.operands(opcode, imm, o),
            Form::Predicates => self.predicates(opcode, o),
            Form::Table => self.table(opcode, imm, o),
            Form::Video => self.video(opcode, imm, o),
            Form::Fold => self.fold(opcode, imm, o),
            Form::Carry => self.carry_chain(opcode, imm != 0, o),
            Form::Warp => self.together(opcode, imm, o),
            Form::Branch => self.branch(opcode, o),
            Form::Switch => self.switch(opcode, o),
            Form::Call => self.call(opcode, o),
            Form::Return => self.leave(opcode, o),
            Form::Exit => self.exit(opcode, o),
            Form::Barrier => self.barrier(opcode, imm, o),
            Form::Load => self.load(&mut modifiers(written), o),
            Form::Store => self.store(&mut modifiers(written), o),
            Form::Atomic | Form::AtomicExchange | Form::AtomicCompare => {
                self.atomic(opcode, &mut modifiers(written), o)
            }
            Form::First => self.first(opcode, o),
            Form::Alloca => self.alloca(opcode, o),
            Form::Copy => self.open(written, o, Self::copy_async),
            Form::TensorMap => self.open(written, o, Self::tensor_map),
            Form::StoreAsync => self.store_async(&mut modifiers(written), o),
            Form::AtomicAsync => self.atomic_async(opcode, &mut modifiers(written), o),
            Form::Mbarrier => self.open(written, o, Self::mbarrier),
            Form::Bare => {
                self.emit(New::of(opcode));
                Ok(())
            }
            Form::Nothing => Ok(()),
            Form::Product => self.product(opcode, imm, o),
            Form::Group => self.group(opcode, imm, o),
            Form::Matrices => self.matrices(opcode, imm, o),
            Form::Fragment => self.fragment(opcode, imm, o),
            Form::Together => self.gathered(opcode, imm, o),
            Form::Compare => self.setp(opcode, imm, written, o),
            Form::Set => self.set(opcode, imm, written, o),
            Form::Test => self.testp(opcode, imm, o),
            Form::Select => self.selp(opcode, written, o),
            Form::SelectBySign => self.slct(opcode, imm, written, o),
            Form::Texture => self.texture(written, o),
            Form::TextureQuery => self.query(written, o, false),
            Form::SurfaceQuery => self.query(written, o, true),
            Form::Surface => self.surface(opcode.mnemonic(), written, o),
            Form::Move => self.mov(opcode, written, o),
            Form::Convert => self.cvt(opcode, imm, o),
        }
    }

    /// Lowers with a form that consumes the modifiers it supports. Remaining modifiers are an
    /// error.
    fn open(
        &mut self,
        written: Written<'a>,
        o: &[Operand<'a>],
        form: impl FnOnce(&mut Self, &mut Modifiers<'a>, &[Operand<'a>]) -> Result<()>,
    ) -> Result<()> {
        let mut modifiers = modifiers(written);
        form(self, &mut modifiers, o)?;
        match modifiers.rest().first() {
            None => Ok(()),
            Some(left) => Err(self.unsupported(format!(
                "the emulator does not support `.{left}` on this instruction"
            ))),
        }
    }

    /// Lowers a source operand for a field.
    pub(super) fn source(&mut self, role: Role, operand: &Operand<'a>) -> Result<Slot> {
        match role {
            Role::Read(ty) => self.src(operand, ty),
            _ => Err(self.syntax("there are too many operands")),
        }
    }

    /// Lowers a destination operand for a field.
    pub(super) fn destination(&mut self, role: Role, operand: &Operand<'a>) -> Result<Slot> {
        match role {
            Role::Write(ty) => self.dst(operand, ty),
            _ => Err(self.syntax("there are too many operands")),
        }
    }

    /// Returns the type at this position among the written types.
    pub(super) fn type_at(&self, written: Written<'_>, at: usize) -> Result<Type> {
        let ty = written.types().nth(at);
        ty.ok_or_else(|| self.syntax("the type is missing"))
    }

    pub(super) fn counted(&self, o: &[Operand<'a>], wanted: usize) -> Result<()> {
        if o.len() == wanted {
            return Ok(());
        }
        Err(self.syntax(format!("{wanted} operands are needed")))
    }

    /// [`Form::Operands`]
    pub(super) fn operands(
        &mut self,
        opcode: &'static Opcode,
        imm: u64,
        o: &[Operand<'a>],
    ) -> Result<()> {
        let Code { d, a, b, c, x, .. } = opcode.code;
        let used = [d, a, b, c, x]
            .iter()
            .filter(|r| **r != Role::Unused)
            .count();
        self.counted(o, used)?;
        let mut new = New {
            imm,
            ..New::of(opcode)
        };
        let mut left = o.iter();
        let written = if d == Role::Unused { None } else { left.next() };
        for (role, slot) in [
            (a, &mut new.a),
            (b, &mut new.b),
            (c, &mut new.c),
            (x, &mut new.x),
        ] {
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

    /// [`Form::Predicates`]
    fn predicates(&mut self, opcode: &'static Opcode, o: &[Operand<'a>]) -> Result<()> {
        let single = opcode.mnemonic() == "not";
        self.counted(o, if single { 2 } else { 3 })?;
        let (a, x) = self.predicate(&o[1])?;
        let (b, y) = match o.get(2) {
            Some(operand) => self.predicate(operand)?,
            None => (a, x),
        };
        let d = self.dst(&o[0], Type::Pred)?;
        self.emit(New {
            d,
            a,
            b,
            x: Slot::Raw(x),
            y: Slot::Raw(y),
            ..New::of(opcode)
        });
        Ok(())
    }

    /// [`Form::Table`]
    fn table(
        &mut self,
        opcode: &'static Opcode,
        combination: u64,
        o: &[Operand<'a>],
    ) -> Result<()> {
        let [d, a, b, c, Operand::Int(table), rest @ ..] = o else {
            return Err(self.syntax("lop3 needs a destination, three sources and a table"));
        };
        let table = *table & 0xff;
        let special = instructions::bits::TABLES.iter().find(|t| t.0 == table);
        let mut new = match special {
            Some((_, special)) => New::of(special),
            None => New {
                imm: table,
                ..New::of(opcode)
            },
        };
        new.a = self.src(a, Type::B32)?;
        new.b = self.src(b, Type::B32)?;
        new.c = self.src(c, Type::B32)?;
        if combination == 0 {
            self.counted(rest, 0)?;
            new.d = self.dst(d, Type::B32)?;
            self.emit(new);
            return Ok(());
        }
        // The predicate result is whether the result is not 0, combined with another predicate.
        let (Operand::Pair(d, p), [q]) = (d, rest) else {
            return Err(self.syntax("a register, a predicate and a predicate source are needed"));
        };
        let result = match *d {
            "_" => self.temp(Type::B32)?,
            name => self.named_register(name)?.0,
        };
        let (q, flip) = self.predicate(q)?;
        new.d = Slot::Def(result);
        self.emit(new);
        let p = self.dst(&Operand::Name(p), Type::Pred)?;
        let x = self.dump()?;
        self.emit(New {
            d: p,
            a: Slot::Use(result),
            c: q,
            x,
            y: Slot::Raw(flip),
            imm: combination,
            ..New::of(&instructions::bits::NOT_ZERO)
        });
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
            self.needs(100)?;
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
}
