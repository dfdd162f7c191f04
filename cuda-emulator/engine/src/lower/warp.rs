//! The forms of warp-wide operations.

use super::emit::{New, Slot};
use super::function::{Lower, Result};
use crate::ir::{Code, Opcode, Role};
use crate::ptx::{Operand, Type};
use crate::warp::exchange::IMMEDIATE;

impl<'a> Lower<'_, 'a> {
    /// [`Form::Warp`](crate::ir::Form::Warp)
    pub(super) fn together(
        &mut self,
        opcode: &'static Opcode,
        imm: u64,
        o: &[Operand<'a>],
    ) -> Result<()> {
        let Code {
            d, y, a, b, c, x, ..
        } = opcode.code;
        let used = |role: Role| usize::from(matches!(role, Role::Read(_) | Role::Write(_)));
        self.counted(o, used(d) + used(a) + used(b) + used(c) + used(x))?;
        let mut new = New {
            imm,
            ..New::of(opcode)
        };
        let mut left = o.iter();
        let written = if d == Role::Unused { None } else { left.next() };
        let vote = a == Role::Read(Type::Pred);
        if vote && let Some(operand) = left.next() {
            let (value, flip) = self.predicate(operand)?;
            (new.a, new.b) = (value, Slot::Raw(flip));
        }
        for (role, slot) in [
            (a, &mut new.a),
            (b, &mut new.b),
            (c, &mut new.c),
            (x, &mut new.x),
        ] {
            let taken = vote && role == a;
            if matches!(role, Role::Read(_))
                && !taken
                && let Some(operand) = left.next()
            {
                *slot = self.source(role, operand)?;
            }
        }
        match written {
            Some(operand) if y != Role::Unused => {
                (new.d, new.y) = self.result_and_predicate(d, operand)?;
            }
            Some(operand) => new.d = self.destination(d, operand)?,
            None => {}
        }
        if x != Role::Unused && matches!(o.last(), Some(Operand::Int(_))) {
            new.imm |= IMMEDIATE;
        }
        self.emit(new);
        Ok(())
    }

    /// Lowers `d` or `d|p`: a register and a predicate.
    fn result_and_predicate(&mut self, d: Role, operand: &Operand<'a>) -> Result<(Slot, Slot)> {
        let (name, p) = match operand {
            Operand::Pair(name, p) => (*name, *p),
            Operand::Name(name) => (*name, "_"),
            Operand::Sink => ("_", "_"),
            _ => return Err(self.syntax("the destination must be a register")),
        };
        let operand = |name| match name {
            "_" => Operand::Sink,
            name => Operand::Name(name),
        };
        let d = self.destination(d, &operand(name))?;
        let p = match p {
            "_" => self.dump()?,
            p => self.dst(&operand(p), Type::Pred)?,
        };
        Ok((d, p))
    }
}
