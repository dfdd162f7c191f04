//! The forms of address instructions.

use super::emit::New;
use super::function::{Lower, Result};
use crate::ir::Opcode;
use crate::ptx::Operand;

impl<'a> Lower<'_, 'a> {
    /// [`Form::First`](crate::ir::Form::First)
    pub(super) fn first(&mut self, opcode: &'static Opcode, o: &[Operand<'a>]) -> Result<()> {
        let Some(d) = o.first() else {
            return Err(self.syntax("the destination is missing"));
        };
        let d = self.destination(opcode.code.d, d)?;
        self.emit(New {
            d,
            ..New::of(opcode)
        });
        Ok(())
    }

    /// [`Form::Alloca`](crate::ir::Form::Alloca)
    pub(super) fn alloca(&mut self, opcode: &'static Opcode, o: &[Operand<'a>]) -> Result<()> {
        self.summary.stack = true;
        let [d, size, rest @ ..] = o else {
            return Err(self.syntax("alloca needs a destination and a size"));
        };
        let a = self.source(opcode.code.a, size)?;
        let d = self.destination(opcode.code.d, d)?;
        let imm = match rest {
            [Operand::Int(align)] if align.is_power_of_two() && *align <= 1 << 16 => *align,
            [] => 8,
            _ => return Err(self.syntax("the alignment must be a power of two")),
        };
        self.emit(New {
            imm,
            d,
            a,
            ..New::of(opcode)
        });
        Ok(())
    }
}
