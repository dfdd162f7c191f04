//! Arithmetic instructions by name: to integers, floats or halves by type.

use super::function::{Lower, New, Result, Slot};
use super::modifiers::Modifiers;
use crate::engine::ir::Code;
use crate::engine::soft::Round;
use crate::ptx::{Operand, Type};

impl<'a> Lower<'_, 'a> {
    pub(super) fn arithmetic(
        &mut self,
        name: &str,
        m: &mut Modifiers<'a>,
        o: &[Operand<'a>],
    ) -> Result<bool> {
        let known = matches!(
            name,
            "add"
                | "sub"
                | "mul"
                | "mad"
                | "div"
                | "rem"
                | "abs"
                | "neg"
                | "min"
                | "max"
                | "fma"
                | "sqrt"
                | "rsqrt"
                | "rcp"
        ) || matches!(
            name,
            "sin"
                | "cos"
                | "lg2"
                | "ex2"
                | "tanh"
                | "sad"
                | "mul24"
                | "mad24"
                | "addc"
                | "subc"
                | "madc"
        ) || matches!(name, "dp4a" | "dp2a" | "copysign");
        if !known {
            return Ok(false);
        }
        let ty = m.ty().ok_or_else(|| self.syntax("the type is missing"))?;
        match ty {
            Type::F32 => self.float32(name, m, o)?,
            Type::F64 => self.float64(name, m, o)?,
            Type::F16 | Type::F16x2 | Type::BF16 | Type::BF16x2 => self.half(name, ty, m, o)?,
            Type::F32x2 => self.pair(name, m, o)?,
            _ => return Err(self.syntax("no such form of this instruction")),
        }
        Ok(true)
    }

    /// Removes a rounding modifier.
    pub(super) fn rounding(&self, m: &mut Modifiers<'_>) -> Option<Round> {
        Some(match m.one_of(&["rn", "rz", "rm", "rp"])? {
            "rn" => Round::Nearest,
            "rz" => Round::Zero,
            "rm" => Round::Down,
            _ => Round::Up,
        })
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
