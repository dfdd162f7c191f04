//! The forms of moves and conversions.

use super::emit::{New, Slot};
use super::function::{Lower, Result, Width};
use crate::instructions::{self, COPY, HALF_OF_128, JOIN, PART_OF_32, PART_OF_64, WORD_OF_128};
use crate::ir::{Opcode, Written};
use crate::number::convert::Convert;
use crate::ptx::{Operand, Type};

impl<'a> Lower<'_, 'a> {
    /// [`Form::Move`](crate::ir::Form::Move)
    pub(super) fn mov(
        &mut self,
        opcode: &'static Opcode,
        written: Written<'_>,
        o: &[Operand<'a>],
    ) -> Result<()> {
        let ty = self.type_at(written, 0)?;
        self.counted(o, 2)?;
        match (&o[0], &o[1]) {
            (Operand::Vector(parts), a) => return self.take_apart(ty, parts, a),
            (d, Operand::Vector(parts)) => return self.put_together(ty, d, parts),
            _ => {}
        }
        if ty == Type::Pred {
            let (a, flip) = self.predicate(&o[1])?;
            let d = self.dst(&o[0], ty)?;
            self.emit(New {
                d,
                a,
                b: a,
                x: Slot::Raw(flip),
                y: Slot::Raw(0),
                ..New::of(opcode)
            });
            return Ok(());
        }
        let a = self.src(&o[1], ty)?;
        let d = self.dst(&o[0], ty)?;
        self.emit(New {
            d,
            a,
            ..New::of(opcode)
        });
        Ok(())
    }

    /// Returns the element type of a value of type `ty` with this number of parts.
    fn element(&self, ty: Type, count: usize) -> Result<Type> {
        Ok(match (ty.size(), count) {
            (2, 2) | (4, 4) => Type::B8,
            (4, 2) | (8, 4) => Type::B16,
            (8, 2) | (16, 4) => Type::B32,
            (16, 2) => Type::B64,
            _ => return Err(self.syntax("the number of parts does not match the type")),
        })
    }

    /// `mov {parts}, a`
    fn take_apart(&mut self, ty: Type, parts: &[Operand<'a>], a: &Operand<'a>) -> Result<()> {
        let element = self.element(ty, parts.len())?;
        let mut a = self.src(a, ty)?;
        let bits = u64::from(element.size()) * 8;
        // A 32-bit element of a 128-bit value needs no mask.
        let (opcode, mask) = match (Width::of(ty), element) {
            (Width::W32, _) => (&PART_OF_32, bits << 8),
            (Width::W64, _) => (&PART_OF_64, bits << 8),
            (_, Type::B32) => (&WORD_OF_128, 0),
            _ => (&HALF_OF_128, 0),
        };
        if Width::of(ty) == Width::W32 {
            // A part may be the same register as the source.
            let copy = self.temp(ty)?;
            self.emit(New {
                d: Slot::Def(copy),
                a,
                ..New::of(&COPY)
            });
            a = Slot::Use(copy);
        }
        for (i, part) in parts.iter().enumerate() {
            if matches!(part, Operand::Sink) {
                continue;
            }
            let d = self.dst(part, element)?;
            self.emit(New {
                imm: mask | (i as u64 * bits),
                d,
                a,
                ..New::of(opcode)
            });
        }
        Ok(())
    }

    /// `mov d, {parts}`
    fn put_together(&mut self, ty: Type, d: &Operand<'a>, parts: &[Operand<'a>]) -> Result<()> {
        let element = self.element(ty, parts.len())?;
        let mut slots = Vec::new();
        for part in parts {
            slots.push(self.src(part, element)?);
        }
        let d = self.dst(d, ty)?;
        let join = &JOIN[element.size().ilog2() as usize..];
        if let [a, b] = slots[..] {
            self.join(&join[0], d, [a, b]);
            return Ok(());
        }
        let half = match element {
            Type::B8 => Type::B16,
            Type::B16 => Type::B32,
            _ => Type::B64,
        };
        let mut halves = [Slot::None; 2];
        for (joined, parts) in halves.iter_mut().zip(slots.chunks_exact(2)) {
            let register = self.temp(half)?;
            self.join(&join[0], Slot::Def(register), [parts[0], parts[1]]);
            *joined = Slot::Use(register);
        }
        self.join(&join[1], d, halves);
        Ok(())
    }

    fn join(&mut self, opcode: &'static Opcode, d: Slot, [a, b]: [Slot; 2]) {
        self.emit(New {
            d,
            a,
            b,
            ..New::of(opcode)
        });
    }

    /// [`Form::Convert`](crate::ir::Form::Convert)
    pub(super) fn cvt(
        &mut self,
        opcode: &'static Opcode,
        imm: u64,
        o: &[Operand<'a>],
    ) -> Result<()> {
        self.counted(o, 2)?;
        let Convert { to, from, .. } = Convert::unpack(imm);
        let to_type = self.held(&o[0], to)?;
        let from_type = self.held(&o[1], from)?;
        let a = self.src(&o[1], from_type)?;
        let d = self.dst(&o[0], to_type)?;
        let common = !opcode.code.imm && (to_type, from_type) == (to, from);
        if common {
            self.emit(New {
                d,
                a,
                ..New::of(opcode)
            });
            return Ok(());
        }
        let mut wide = [false; 2];
        for (wide, ty) in wide.iter_mut().zip([to_type, from_type]) {
            *wide = match Width::of(ty) {
                Width::W32 => false,
                Width::W64 => true,
                _ => return Err(self.unsupported("cvt needs registers of at most 64 bits")),
            };
        }
        self.emit(New {
            imm,
            d,
            a,
            ..New::of(instructions::general(wide[0], wide[1]))
        });
        Ok(())
    }

    /// Returns the type of an operand of `cvt`: its register's type if that has a different size.
    fn held(&mut self, operand: &Operand<'a>, ty: Type) -> Result<Type> {
        let register = self.type_of(operand)?;
        Ok(register
            .filter(|t| Width::of(*t) != Width::of(ty))
            .unwrap_or(ty))
    }
}
