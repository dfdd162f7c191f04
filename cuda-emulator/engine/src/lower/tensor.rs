//! The forms of matrix products and fragments.

use super::emit::{New, Slot};
use super::function::{Lower, Result, Width};
use super::scope::Base;
use crate::instructions;
use crate::ir::Opcode;
use crate::number::tensor::element::Element;
use crate::number::tensor::product::Product;
use crate::ptx::{Operand, Type};
use crate::warp::fragment::TRANSPOSED;
use crate::warp::tensor::option;

impl<'a> Lower<'_, 'a> {
    /// Emits an instruction that waits for diverged lanes, before an instruction for the whole
    /// warp.
    pub(super) fn gather(&mut self) {
        let x = self.fixed(u32::MAX.into(), Type::U32);
        self.emit(New {
            imm: instructions::GATHER.imm,
            x,
            ..New::of(&instructions::GATHER)
        });
    }

    /// Returns the registers in braces. A single register may be written without braces.
    fn braces(&self, operand: &Operand<'a>, count: usize) -> Result<Vec<Operand<'a>>> {
        let list = match operand {
            Operand::Vector(list) => list.clone(),
            other => vec![other.clone()],
        };
        if list.len() == count {
            return Ok(list);
        }
        Err(self.syntax(format!(
            "{count} registers in braces are needed here, not {}",
            list.len()
        )))
    }

    fn sources(&mut self, operand: &Operand<'a>, count: usize, ty: Type) -> Result<Vec<Slot>> {
        self.braces(operand, count)?
            .iter()
            .map(|o| self.src(o, ty))
            .collect()
    }

    fn targets_of(&mut self, operand: &Operand<'a>, count: usize, ty: Type) -> Result<Vec<Slot>> {
        self.braces(operand, count)?
            .iter()
            .map(|o| self.dst(o, ty))
            .collect()
    }

    /// Returns a constant operand below `end`.
    fn number(&self, operand: &Operand<'a>, end: u64, what: &str) -> Result<u32> {
        match operand {
            Operand::Int(v) if *v < end => Ok(*v as u32),
            _ => Err(self.syntax(format!("{what} must be a constant below {end}"))),
        }
    }

    /// Returns the metadata of a sparse matrix and the selector of the lanes that provide it.
    fn metadata(&mut self, product: &Product, o: &[Operand<'a>]) -> Result<(Slot, u32)> {
        let [metadata, selector] = o else {
            return Err(self.syntax("a sparse matrix needs metadata and a selector"));
        };
        let groups = match product.a {
            Element::Tf32 => product.k / 2,
            Element::S4 | Element::U4 => product.k / 8,
            _ => product.k / 4,
        };
        let selector = self.number(selector, 16 / groups as u64, "the sparsity selector")?;
        Ok((self.src(metadata, Type::B32)?, selector))
    }

    /// [`Form::Product`](crate::ir::Form::Product)
    pub(super) fn product(
        &mut self,
        opcode: &'static Opcode,
        imm: u64,
        o: &[Operand<'a>],
    ) -> Result<()> {
        let product = Product::unpack(imm);
        let [a_count, b_count, c_count, d_count] = product.registers();
        let ty = if product.a == Element::F64 {
            Type::B64
        } else {
            Type::B32
        };
        let [d, a, b, c, rest @ ..] = o else {
            return Err(self.syntax("a result, two factors and an addend are needed"));
        };
        self.gather();
        let sources = [
            self.sources(a, a_count, ty)?,
            self.sources(b, b_count, ty)?,
            self.sources(c, c_count, ty)?,
        ];
        let mut selector = 0;
        let mut metadata = None;
        if product.sparse {
            let (slot, chosen) = self.metadata(&product, rest)?;
            (metadata, selector) = (Some(slot), chosen);
        } else if !rest.is_empty() {
            return Err(self.syntax("there are too many operands"));
        }
        let mut slots = self.targets_of(d, d_count, ty)?;
        slots.extend(sources.into_iter().flatten());
        slots.extend(metadata);
        let x = self.list(&slots);
        self.emit(New {
            imm,
            x: Slot::Raw(x),
            c: Slot::Raw(selector),
            ..New::of(opcode)
        });
        Ok(())
    }

    /// [`Form::Group`](crate::ir::Form::Group)
    pub(super) fn group(
        &mut self,
        opcode: &'static Opcode,
        imm: u64,
        o: &[Operand<'a>],
    ) -> Result<()> {
        let product = Product::unpack(imm);
        let [a_count, _, d_count, _] = product.registers();
        let [d, a, b, rest @ ..] = o else {
            return Err(self.syntax("an accumulator and two factors are needed"));
        };
        self.gather();
        let mut flags = 0;
        let in_registers = matches!(a, Operand::Vector(_));
        let (a, registers) = if in_registers {
            flags |= option::REGISTERS;
            let registers = self.sources(a, a_count, Type::B32)?;
            (self.fixed(0, Type::B64), registers)
        } else {
            (self.src(a, Type::B64)?, Vec::new())
        };
        let b = self.src(b, Type::B64)?;
        let (mut metadata, mut rest) = (None, rest);
        if product.sparse {
            if rest.len() < 2 {
                return Err(self.syntax("a sparse matrix needs metadata and a selector"));
            }
            let (slot, selector) = self.metadata(&product, &rest[..2])?;
            metadata = Some(slot);
            flags |= selector;
            rest = &rest[2..];
        }
        let [add, rest @ ..] = rest else {
            return Err(self.syntax("a predicate for the accumulator's use is needed"));
        };
        let (y, flip) = self.predicate(add)?;
        // Optional operands: the signs of floating-point factors, and whether 16-bit factors in
        // shared memory are transposed.
        let signs = if product.a.exponent() { 2 } else { 0 };
        let transposes = match product.a {
            Element::F16 | Element::Bf16 => 2 - usize::from(in_registers),
            _ => 0,
        };
        if rest.len() != signs + transposes {
            return Err(self.syntax(format!(
                "{} numbers are needed after the predicate",
                signs + transposes
            )));
        }
        let (signs, transposes) = rest.split_at(signs);
        for (sign, flag) in signs.iter().zip([option::MINUS_A, option::MINUS_B]) {
            match sign {
                Operand::Int(1) => {}
                Operand::Int(u64::MAX) => flags |= flag,
                _ => return Err(self.syntax("a factor's sign must be 1 or -1")),
            }
        }
        let which = [option::TRANSPOSED_A, option::TRANSPOSED_B];
        let which = if in_registers {
            &which[1..]
        } else {
            &which[..]
        };
        for (transpose, flag) in transposes.iter().zip(which) {
            flags |= self.number(transpose, 2, "a factor's transposition")? * flag;
        }
        let accumulator = self.braces(d, d_count)?;
        let mut slots = Vec::new();
        for operand in &accumulator {
            let Slot::Def(register) = self.dst(operand, Type::B32)? else {
                return Err(self.syntax("the accumulator must be registers"));
            };
            slots.push(Slot::Both(register));
        }
        slots.extend(registers);
        slots.extend(metadata);
        let x = self.list(&slots);
        self.emit(New {
            imm,
            a,
            b,
            c: Slot::Raw(flags),
            d: Slot::Raw(flip),
            x: Slot::Raw(x),
            y,
            ..New::of(opcode)
        });
        Ok(())
    }

    /// Returns an address as 64 bits, and its offset.
    fn place_of(&mut self, operand: &Operand<'a>) -> Result<(Slot, i64)> {
        let (base, offset) = self.base(operand)?;
        let Base::Address(a, width) = base else {
            return Err(self.syntax("a matrix cannot be in parameter memory"));
        };
        if width != Width::W32 {
            return Ok((a, offset));
        }
        let d = self.temp(Type::B64)?;
        self.emit(New {
            imm: offset as u64,
            d: Slot::Def(d),
            a,
            ..New::of(&instructions::ADDRESS_OF_32)
        });
        Ok((Slot::Use(d), 0))
    }

    /// [`Form::Matrices`](crate::ir::Form::Matrices)
    pub(super) fn matrices(
        &mut self,
        opcode: &'static Opcode,
        imm: u64,
        o: &[Operand<'a>],
    ) -> Result<()> {
        self.counted(o, 2)?;
        let count = imm as usize & (TRANSPOSED as usize - 1);
        self.gather();
        let load = matches!(o[1], Operand::Address(..));
        let (address, list) = if load { (&o[1], &o[0]) } else { (&o[0], &o[1]) };
        let (a, offset) = self.place_of(address)?;
        let slots = if load {
            self.targets_of(list, count, Type::B32)?
        } else {
            self.sources(list, count, Type::B32)?
        };
        let x = self.list(&slots);
        self.emit(New {
            imm: offset as u64,
            a,
            b: Slot::Raw(0),
            c: Slot::Raw(imm as u32),
            d: Slot::Raw(0),
            x: Slot::Raw(x),
            ..New::of(opcode)
        });
        Ok(())
    }

    /// [`Form::Fragment`](crate::ir::Form::Fragment)
    pub(super) fn fragment(
        &mut self,
        opcode: &'static Opcode,
        imm: u64,
        o: &[Operand<'a>],
    ) -> Result<()> {
        let fragment = crate::warp::fragment::Fragment::unpack(imm);
        let [first, second, rest @ ..] = o else {
            return Err(self.syntax("registers and an address are needed"));
        };
        let load = matches!(second, Operand::Address(..));
        let (address, list) = if load {
            (second, first)
        } else {
            (first, second)
        };
        self.gather();
        let stride = match rest {
            [] => self.fixed(fragment.line(), Type::U32),
            [stride] => self.src(stride, Type::U32)?,
            _ => return Err(self.syntax("there are too many operands")),
        };
        let (a, offset) = self.place_of(address)?;
        let ty = if fragment.wide() {
            Type::B64
        } else {
            Type::B32
        };
        let slots = if load {
            self.targets_of(list, fragment.registers(), ty)?
        } else {
            self.sources(list, fragment.registers(), ty)?
        };
        let x = self.list(&slots);
        self.emit(New {
            imm: offset as u64,
            a,
            b: Slot::Raw(imm as u32),
            c: Slot::Raw((imm >> 32) as u32),
            d: stride,
            x: Slot::Raw(x),
            ..New::of(opcode)
        });
        Ok(())
    }

    /// [`Form::Together`](crate::ir::Form::Together)
    pub(super) fn gathered(
        &mut self,
        opcode: &'static Opcode,
        imm: u64,
        o: &[Operand<'a>],
    ) -> Result<()> {
        self.gather();
        self.operands(opcode, imm, o)
    }
}
