//! Vector registers: `.reg .v4 .f32 v`, with elements `v.x`, `v.y`, `v.z`, `v.w` or `v.r`, `v.g`,
//! `v.b`, `v.a`. Also other operands that ptxas accepts in handwritten PTX, although compilers do
//! not emit them.

use super::emit::{New, Slot};
use super::function::{Lower, Result};
use super::scope::Local;
use crate::instructions;
use crate::program::Slice;
use crate::ptx::{Operand, Type};

impl<'a> Lower<'_, 'a> {
    /// Creates the registers of a name: one, or the elements of a vector.
    pub(super) fn named(&mut self, ty: Type, vector: u32) -> Result<Local<'a>> {
        if vector == 1 {
            return Ok(Local::Register(self.register(ty)?));
        }
        self.vectors = true;
        let elements: Result<Vec<u32>> = (0..vector).map(|_| self.register(ty)).collect();
        Ok(Local::Vector(elements?))
    }

    /// Returns the vector element with a name such as `v.x`.
    pub(super) fn element_of(&mut self, name: &str) -> Result<Option<u32>> {
        let Some((vector, element)) = name.split_once('.') else {
            return Ok(None);
        };
        let index = match element {
            "x" | "r" => 0,
            "y" | "g" => 1,
            "z" | "b" => 2,
            "w" | "a" => 3,
            _ => return Ok(None),
        };
        let Some(Local::Vector(elements)) = self.lookup(vector)? else {
            return Ok(None);
        };
        match elements.get(index) {
            Some(&register) => Ok(Some(register)),
            None => Err(self.syntax(format!("`{vector}` has no element `{element}`"))),
        }
    }

    /// Returns operands with vectors expanded to lists of elements. A call's lists are not changed.
    pub(super) fn expanded(&mut self, o: &[Operand<'a>]) -> Result<Vec<Operand<'a>>> {
        let mut list = Vec::with_capacity(o.len());
        for operand in o {
            let vector = match operand {
                Operand::Name(name) => self.lookup(name)?,
                _ => None,
            };
            list.push(match vector {
                Some(Local::Vector(v)) => {
                    Operand::Vector(v.into_iter().map(Operand::Register).collect())
                }
                _ => operand.clone(),
            });
        }
        Ok(list)
    }

    /// `mov.v4.b32`, which moves each element separately.
    pub(super) fn vector_move(&mut self, written: &str, o: &[Operand<'a>]) -> Result<()> {
        let ty = written
            .strip_prefix("mov.v2.")
            .or_else(|| written.strip_prefix("mov.v4."))
            .and_then(Type::parse);
        let opcode = match ty.map(Type::size) {
            Some(2) => "mov.b16",
            Some(4) => "mov.b32",
            Some(8) => "mov.b64",
            _ => return Err(self.syntax("a vector cannot have this type")),
        };
        let [Operand::Vector(d), a] = o else {
            return Err(self.syntax("a vector register and a source are needed"));
        };
        let special = |names: [&'static str; 3]| {
            let names = names.into_iter().map(Operand::Name);
            names.chain([Operand::Int(0)]).collect()
        };
        let a: Vec<Operand<'a>> = match a {
            Operand::Vector(list) => list.clone(),
            Operand::Name("%tid") => special(["%tid.x", "%tid.y", "%tid.z"]),
            Operand::Name("%ntid") => special(["%ntid.x", "%ntid.y", "%ntid.z"]),
            Operand::Name("%ctaid") => special(["%ctaid.x", "%ctaid.y", "%ctaid.z"]),
            Operand::Name("%nctaid") => special(["%nctaid.x", "%nctaid.y", "%nctaid.z"]),
            _ => return Err(self.syntax("the source must be a vector")),
        };
        if a.len() < d.len() || a.len() > d.len() && a.len() != 4 {
            return Err(self.syntax("the vectors have different lengths"));
        }
        // An element may be both source and destination.
        let mut copies = Vec::new();
        for element in &a[..d.len()] {
            let ty = match opcode {
                "mov.b16" => Type::B16,
                "mov.b32" => Type::B32,
                _ => Type::B64,
            };
            let copy = Operand::Register(self.temp(ty)?);
            self.lowered(opcode, &[copy.clone(), element.clone()])?;
            copies.push(copy);
        }
        for (element, copy) in d.iter().zip(copies) {
            self.lowered(opcode, &[element.clone(), copy])?;
        }
        Ok(())
    }

    /// Returns the size of all elements in bytes.
    pub(super) fn total(&self, elements: &[u32]) -> u64 {
        let sizes = elements.iter().map(|&r| self.types[r as usize].size());
        sizes.map(u64::from).sum()
    }

    /// Returns the registers of a name, each with its part of the slice.
    pub(super) fn parts(&self, local: &Local<'a>, slice: Slice) -> Vec<(u32, Slice)> {
        let registers = match local {
            Local::Register(register) => std::slice::from_ref(register),
            Local::Vector(list) => list,
            _ => &[],
        };
        let mut at = slice.offset;
        let part = |&register: &u32| {
            let size = self.types[register as usize].size();
            let offset = at;
            at += size;
            let part = Slice {
                offset,
                size,
                ..slice
            };
            (register, part)
        };
        registers.iter().map(part).collect()
    }

    /// Lowers a number as a call's argument.
    pub(super) fn constant_argument(
        &mut self,
        operand: &Operand<'a>,
        size: Option<u64>,
    ) -> Result<(Slice, Vec<(u32, Slice)>)> {
        let float = !matches!(operand, Operand::Int(_));
        let ty = match (size, float) {
            (Some(2), false) => Type::B16,
            (Some(4), false) => Type::B32,
            (Some(8), false) => Type::B64,
            (Some(4), true) => Type::F32,
            (Some(8), true) => Type::F64,
            (None, _) => {
                return Err(self.unsupported(
                    "the called function's types are not known here. Fix: pass a register",
                ));
            }
            _ => return Err(self.syntax("a number cannot be passed for this parameter")),
        };
        let a = self.src(operand, ty)?;
        let register = self.sum(a, 0, ty)?;
        let slice = self.slice(ty.size().into(), ty.size().into())?;
        Ok((slice, vec![(register, slice)]))
    }

    /// Lowers `register + offset` as a source.
    pub(super) fn with_offset(
        &mut self,
        register: u32,
        offset: i64,
        name: &str,
        ty: Type,
    ) -> Result<Slot> {
        self.check_width(name, self.types[register as usize], ty)?;
        Ok(Slot::Use(self.sum(Slot::Use(register), offset, ty)?))
    }

    /// Creates a register with a sum.
    fn sum(&mut self, a: Slot, offset: i64, ty: Type) -> Result<u32> {
        let (modifier, number) = match ty.size() {
            2 => ("u16", Type::U16),
            4 => ("u32", Type::U32),
            8 => ("u64", Type::U64),
            _ => return Err(self.syntax("an offset can't be added to a register of this type")),
        };
        let found = instructions::entries("add").and_then(|e| instructions::find(e, &[modifier]));
        let Some((add, _)) = found else {
            return Err(self.unsupported("additions aren't known"));
        };
        let b = self
            .immediate(&Operand::Int(offset as u64), number)?
            .map_or(Slot::None, |bits| self.fixed(bits, number));
        let register = self.temp(ty)?;
        self.emit(New {
            d: Slot::Def(register),
            a,
            b,
            ..New::of(add)
        });
        Ok(register)
    }
}
