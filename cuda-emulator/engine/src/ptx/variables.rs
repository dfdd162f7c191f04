//! Variables and parameters: types, extents, initial values.

use super::ast::{Init, Linkage, Operand, Relocation, StateSpace, Type, Variable};
use super::lexer::Kind;
use super::parser::{Parser, Result};

/// Maximum size of a variable.
const MAX_VARIABLE: u64 = 1 << 40;
/// Maximum size of an initializer. The text contains it, so this only limits an `[n]` that is
/// longer than its list.
const MAX_INIT: u64 = 1 << 30;

impl<'a> Parser<'a> {
    /// `(.param .u32 a, .reg .b32 b, …)`
    pub(super) fn params(&mut self) -> Result<Vec<Variable<'a>>> {
        self.expect(b'(')?;
        let mut out = Vec::new();
        if self.take(b')') {
            return Ok(out);
        }
        loop {
            let line = self.line();
            let space = match self.text() {
                ".param" => StateSpace::Param,
                ".reg" => StateSpace::Reg,
                _ => return Err(self.error("`.param` or `.reg` is needed here")),
            };
            self.advance();
            let (align, ty, vector) = self.shape()?;
            if space == StateSpace::Reg && ty == Type::Pred {
                return Err(self.unsupported(
                    "predicates are not supported as parameters, and NVIDIA's compiler rejects them, too. Fix: pass a number",
                ));
            }
            // `.param .u64 .ptr .global .align 4 name`
            if self.kind() == Kind::Dot && self.text() == ".ptr" {
                self.advance();
                while self.kind() == Kind::Dot {
                    let aligned = self.text() == ".align";
                    self.advance();
                    if aligned {
                        self.small()?;
                    }
                }
            }
            let name = self.word()?;
            if self.kind() == Kind::Punct(b'[') {
                self.arrays.push((name, ty.size()));
            }
            let (size, _) = self.extent(ty, vector)?;
            out.push(Variable {
                name,
                ty,
                vector: vector as u32,
                space,
                align: align.unwrap_or(u64::from(ty.size()) * vector).max(1),
                size,
                init: None,
                linkage: Linkage::Internal,
                managed: false,
                line,
            });
            if !self.take(b',') {
                break;
            }
        }
        self.expect(b')')?;
        Ok(out)
    }

    pub(super) fn data_type(&mut self) -> Result<Type> {
        let ty = (self.kind() == Kind::Dot)
            .then(|| Type::parse(&self.text()[1..]))
            .flatten();
        match ty {
            Some(ty) => {
                self.advance();
                Ok(ty)
            }
            None if matches!(self.text(), ".texref" | ".samplerref" | ".surfref") => {
                Err(self.unsupported("texture and surface references are not supported by the emulator. Fix: pass a texture or surface object to the kernel (CUtexObject or CUsurfObject, 64 bits)"))
            }
            None => Err(self.error("a type such as .u32 is needed here")),
        }
    }

    /// Parses `.align n .v4 .type` in any order. Returns alignment, type and vector length.
    pub(super) fn shape(&mut self) -> Result<(Option<u64>, Type, u64)> {
        let (mut align, mut vector) = (None, 1);
        loop {
            match self.text() {
                ".align" => {
                    self.advance();
                    let value = self.integer()?;
                    if !value.is_power_of_two() || value > 1 << 20 {
                        return Err(self.error("an alignment must be a power of two"));
                    }
                    align = Some(value);
                }
                ".v2" => {
                    self.advance();
                    vector = 2;
                }
                ".v4" => {
                    self.advance();
                    vector = 4;
                }
                _ => return Ok((align, self.data_type()?, vector)),
            }
        }
    }

    /// Parses `[n][m]` after a name. Returns the size in bytes, and whether the first extent is
    /// open (`[]`).
    pub(super) fn extent(&mut self, ty: Type, vector: u64) -> Result<(u64, bool)> {
        let mut size = u64::from(ty.size()) * vector;
        let mut open = false;
        while self.take(b'[') {
            if self.take(b']') {
                open = true;
                continue;
            }
            let count = self.integer()?;
            self.expect(b']')?;
            size = size
                .checked_mul(count)
                .filter(|&s| s <= MAX_VARIABLE)
                .ok_or_else(|| self.error("the array is too large"))?;
        }
        Ok((size, open))
    }

    /// Parses a declaration that begins with a state space. It may declare several names.
    pub(super) fn variables(
        &mut self,
        linkage: Linkage,
        out: &mut Vec<Variable<'a>>,
    ) -> Result<()> {
        let space = self
            .space()
            .ok_or_else(|| self.error("a state space is needed here"))?;
        self.advance();
        if self.kind() == Kind::Punct(b'[') {
            return Err(self.unsupported("constant banks are not supported. Fix: use plain .const"));
        }
        let managed = self.attributes()?;
        let (align, ty, vector) = self.shape()?;
        loop {
            let line = self.line();
            let name = self.word()?;
            if self.kind() == Kind::Punct(b'[') {
                self.arrays.push((name, ty.size()));
            }
            let (mut size, open) = self.extent(ty, vector)?;
            let mut init = None;
            if self.take(b'=') {
                let mut data = Init::default();
                self.initializer(ty, size, open, 0, &mut data)?;
                if open {
                    size = data.bytes.len() as u64;
                } else if data.bytes.len() as u64 > size {
                    return Err(self.error("the initializer is longer than the variable"));
                }
                init = Some(data);
            } else if open {
                size = 0;
            }
            let align = align.unwrap_or(u64::from(ty.size()) * vector).max(1);
            out.push(Variable {
                name,
                ty,
                vector: vector as u32,
                space,
                align,
                size,
                init,
                linkage,
                managed,
                line,
            });
            if !self.take(b',') {
                break;
            }
        }
        self.expect(b';')
    }

    pub(super) fn initializer(
        &mut self,
        ty: Type,
        size: u64,
        open: bool,
        depth: u32,
        out: &mut Init<'a>,
    ) -> Result<()> {
        if depth > 8 {
            return Err(self.error("the initializer is nested too deeply"));
        }
        if self.take(b'{') {
            // A row of a nested list is padded to the row's size. Compilers always write rows in
            // full, so elements are taken in order.
            if self.take(b'}') {
                return Ok(());
            }
            loop {
                self.initializer(ty, size, open, depth + 1, out)?;
                if !self.take(b',') {
                    break;
                }
            }
            return self.expect(b'}');
        }
        if out.bytes.len() as u64 >= MAX_INIT || (!open && out.bytes.len() as u64 >= size) {
            return Err(self.error("the initializer is longer than the variable"));
        }
        let width = ty.size() as usize;
        if self.kind() == Kind::Word && self.text() != "WARP_SZ" {
            return self.address(width, out);
        }
        // `0xFF(symbol)`: one byte of an address.
        if self.kind() == Kind::Number && self.kind_at(1) == Kind::Punct(b'(') {
            let mask = self.integer()?;
            self.expect(b'(')?;
            let before = out.bytes.len();
            self.address(8, out)?;
            self.expect(b')')?;
            out.bytes.truncate(before + width);
            let shift = mask.trailing_zeros();
            let byte = mask.checked_shr(shift) == Some(0xff) && width == 1;
            match out.relocations.last_mut() {
                Some(relocation) if byte => {
                    relocation.size = 1;
                    relocation.shift = shift as u8;
                }
                _ => return Err(self.unsupported("a masked address must select one byte")),
            }
            return Ok(());
        }
        let value = self.constant()?;
        let bits: u64 = match (value, ty) {
            (Operand::Int(v), Type::F32) => u64::from((v as i64 as f32).to_bits()),
            (Operand::Int(v), Type::F64) => (v as i64 as f64).to_bits(),
            (Operand::Int(v), _) => v,
            (Operand::Single(v), Type::F64) => f64::from(f32::from_bits(v)).to_bits(),
            (Operand::Single(v), _) => u64::from(v),
            (Operand::Double(v), Type::F32) => u64::from((f64::from_bits(v) as f32).to_bits()),
            (Operand::Double(v), _) => v,
            (Operand::Float(v), Type::F32) => u64::from((v as f32).to_bits()),
            (Operand::Float(v), Type::F64) => v.to_bits(),
            _ => return Err(self.error("this constant does not match the variable's type")),
        };
        out.bytes
            .extend_from_slice(&bits.to_le_bytes()[..width.min(8)]);
        out.bytes
            .extend(std::iter::repeat_n(0, width.saturating_sub(8)));
        Ok(())
    }

    /// `symbol`, `symbol+4`, `generic(symbol)+4`
    pub(super) fn address(&mut self, width: usize, out: &mut Init<'a>) -> Result<()> {
        let mut symbol = self.word()?;
        if symbol == "generic" && self.take(b'(') {
            symbol = self.word()?;
            self.expect(b')')?;
        }
        let addend = if matches!(self.kind(), Kind::Punct(b'+' | b'-')) {
            self.integer()? as i64
        } else {
            0
        };
        if width != 8 {
            return Err(self.unsupported("an address in an initializer needs a 64-bit element"));
        }
        out.relocations.push(Relocation {
            offset: out.bytes.len() as u64,
            symbol,
            addend,
            size: 8,
            shift: 0,
        });
        out.bytes.extend_from_slice(&[0; 8]);
        Ok(())
    }
}
