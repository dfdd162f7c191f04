//! Names and operands: their meanings, and their slots.

use super::declare::Symbol;
use super::emit::{New, Slot};
use super::function::{Lower, Result, Width};
use super::scope::{Base, Local};
use crate::instructions;
use crate::ir::Role;
use crate::program::{Slice, Target};
use crate::ptx::{LoadError, LoadErrorKind};
use crate::ptx::{Operand, Statement, Type};
use crate::state::op::Area;
use crate::state::special;

impl<'a> Lower<'_, 'a> {
    pub(super) fn lookup(&mut self, name: &str) -> Result<Option<Local<'a>>> {
        for scope in (0..self.scopes.len()).rev() {
            if let Some(local) = self.scopes[scope].get(name) {
                return Ok(Some(local.clone()));
            }
            // `%r12` of `%r<20>`. The prefix may itself end in digits.
            let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
            for length in (1..=digits.min(10)).rev() {
                let (prefix, number) = name.split_at(name.len() - length);
                let found = self.scopes[scope]
                    .get_key_value(prefix)
                    .map(|(k, v)| (*k, v.clone()));
                if let Some((_, Local::Range { ty, vector, count })) = found
                    && (length == 1 || !number.starts_with('0'))
                    && number.parse::<u32>().is_ok_and(|n| n < count)
                {
                    let local = self.named(ty, vector)?;
                    // The source's text lives long enough for a key, so find the name in it through
                    // the instruction's text.
                    if let Some(key) = self.own_text(name) {
                        self.scopes[scope].insert(key, local.clone());
                    }
                    return Ok(Some(local));
                }
            }
        }
        if self.vectors
            && let Some(element) = self.element_of(name)?
        {
            return Ok(Some(Local::Register(element)));
        }
        Ok(self.linker.find(self.input, name).map(Local::Symbol))
    }

    /// Returns the same text with the source's lifetime.
    fn own_text(&self, name: &str) -> Option<&'a str> {
        let source = self.linker.sources[self.input].1;
        let start = (name.as_ptr() as usize).checked_sub(source.as_ptr() as usize)?;
        source.get(start..start + name.len())
    }

    /// Returns the number and type of a named register.
    pub(super) fn named_register(&mut self, name: &str) -> Result<(u32, Type)> {
        match self.lookup(name)? {
            Some(Local::Register(register)) => Ok((register, self.types[register as usize])),
            Some(_) => Err(self.syntax(format!("`{name}` is not a register"))),
            None => Err(self.error(
                LoadErrorKind::Unresolved,
                format!("`{name}` isn't declared"),
            )),
        }
    }

    /// Returns the error for an undefined name.
    fn missing(&self, name: &str) -> LoadError {
        match self.linker.declares(self.input, name) {
            true => self.error(
                LoadErrorKind::Link,
                format!("no input defines `{name}`. Fix: link the module that defines it"),
            ),
            false => self.error(
                LoadErrorKind::Unresolved,
                format!("`{name}` isn't declared"),
            ),
        }
    }

    pub(super) fn check_width(&self, name: &str, found: Type, wanted: Type) -> Result<()> {
        let (have, need) = (Width::of(found), Width::of(wanted));
        if have == need {
            Ok(())
        } else {
            Err(self.syntax(format!(
                "`{name}` is a {found:?} register, but the instruction works on {wanted:?}"
            )))
        }
    }

    /// Returns a destination register of this type, or an unused register for `_`.
    pub(super) fn dst(&mut self, operand: &Operand<'a>, ty: Type) -> Result<Slot> {
        match operand {
            Operand::Name(name) => {
                let (register, found) = self.named_register(name)?;
                self.check_width(name, found, ty)?;
                Ok(Slot::Def(register))
            }
            Operand::Register(register) => {
                self.check_width("a vector's element", self.types[*register as usize], ty)?;
                Ok(Slot::Def(*register))
            }
            Operand::Sink => Ok(Slot::Def(self.register(ty)?)),
            _ => Err(self.syntax("the destination must be a register")),
        }
    }

    /// Returns a new register of this type.
    pub(super) fn temp(&mut self, ty: Type) -> Result<u32> {
        self.register(ty)
    }

    /// Returns a constant operand.
    pub(super) fn fixed(&mut self, bits: u64, ty: Type) -> Slot {
        let bytes = (Width::of(ty).bytes() / 32) as u8;
        Slot::Fixed(self.linker.constant(bits, bytes))
    }

    /// Returns the bits of an immediate of this type. None if the operand is not an immediate.
    pub(super) fn immediate(&self, operand: &Operand<'a>, ty: Type) -> Result<Option<u64>> {
        let size = ty.size();
        let bits = match (*operand).clone() {
            Operand::Int(v) if matches!(ty, Type::F32) => u64::from((v as i64 as f32).to_bits()),
            Operand::Int(v) if matches!(ty, Type::F64) => (v as i64 as f64).to_bits(),
            Operand::Int(v) => match size {
                1 => v & 0xff,
                2 => v & 0xffff,
                4 => v & 0xffff_ffff,
                _ => v,
            },
            Operand::Single(v) if ty == Type::F64 => f64::from(f32::from_bits(v)).to_bits(),
            Operand::Single(v) => u64::from(v),
            Operand::Double(v) if size == 4 => u64::from((f64::from_bits(v) as f32).to_bits()),
            Operand::Double(v) => v,
            Operand::Float(v) if size == 4 => u64::from((v as f32).to_bits()),
            Operand::Float(v) if size == 8 => v.to_bits(),
            Operand::Float(_) => {
                return Err(self.syntax("a floating-point constant does not match this type"));
            }
            _ => return Ok(None),
        };
        Ok(Some(bits))
    }

    /// Returns a source operand of this type: a register, special register, immediate or address of
    /// a symbol.
    pub(super) fn src(&mut self, operand: &Operand<'a>, ty: Type) -> Result<Slot> {
        if let Some(bits) = self.immediate(operand, ty)? {
            return Ok(self.fixed(bits, ty));
        }
        match operand {
            Operand::Name(name) => {
                if name.starts_with('%')
                    && let Some(slot) = self.special(name, ty)?
                {
                    return Ok(slot);
                }
                match self.lookup(name)? {
                    Some(Local::Register(register)) => {
                        let found = self.types[register as usize];
                        self.check_width(name, found, ty)?;
                        Ok(Slot::Use(register))
                    }
                    Some(local) => self.address_of(name, local, 0, ty),
                    None => Err(self.missing(name)),
                }
            }
            Operand::NameOffset(name, offset) => match self.lookup(name)? {
                Some(Local::Register(register)) => self.with_offset(register, *offset, name, ty),
                Some(local) => self.address_of(name, local, *offset, ty),
                None => Err(self.missing(name)),
            },
            Operand::Register(register) => {
                self.check_width("a vector's element", self.types[*register as usize], ty)?;
                Ok(Slot::Use(*register))
            }
            _ => Err(self.syntax("this operand must be a register or a constant")),
        }
    }

    /// Returns the address of a variable, parameter or function as a value.
    fn address_of(&mut self, name: &str, local: Local<'a>, offset: i64, ty: Type) -> Result<Slot> {
        let wide = Width::of(ty) == Width::W64;
        if !wide && Width::of(ty) != Width::W32 {
            return Err(self.syntax(format!("`{name}` is an address")));
        }
        let shared = |lower: &mut Self, at: u32| {
            Ok(lower.fixed(
                (i64::from(at).wrapping_add(offset)) as u64
                    & if wide { u64::MAX } else { 0xffff_ffff },
                ty,
            ))
        };
        match local {
            Local::Shared(at) => shared(self, at),
            Local::Symbol(Symbol::Shared(index)) => {
                let at = self.shared_symbol(index)?;
                shared(self, at)
            }
            Local::Symbol(Symbol::Dynamic) => {
                self.summary.dynamic_shared = true;
                let d = self.temp(Type::B64)?;
                self.emit(New {
                    imm: offset as u64,
                    d: Slot::Def(d),
                    a: Slot::Fixed(special::DYNAMIC_BASE),
                    ..New::of(&instructions::ADDRESS)
                });
                self.narrow(d, wide)
            }
            Local::Symbol(Symbol::Variable(index)) if wide => Ok(Slot::Fixed(
                self.linker.address(Target::Variable(index, offset)),
            )),
            Local::Symbol(Symbol::Function(index)) if wide && offset == 0 => {
                Ok(Slot::Fixed(self.linker.address(Target::Function(index))))
            }
            Local::Variable(at) => {
                let d = self.temp(Type::B64)?;
                let imm = i64::from(at).wrapping_add(offset) as u64;
                self.emit(New {
                    imm,
                    d: Slot::Def(d),
                    ..New::of(&instructions::ADDRESS_OF_LOCAL)
                });
                self.narrow(d, wide)
            }
            Local::KernelParam(info) if wide => {
                let d = self.temp(Type::B64)?;
                let imm = i64::from(info.offset).wrapping_add(offset) as u64;
                self.emit(New {
                    imm,
                    d: Slot::Def(d),
                    ..New::of(&instructions::ADDRESS_OF_PARAM)
                });
                Ok(Slot::Use(d))
            }
            Local::Param(slice) if wide => {
                let d = self.temp(Type::B64)?;
                self.emit(New {
                    imm: offset as u64,
                    d: Slot::Def(d),
                    a: Slot::Param(slice.offset),
                    x: Slot::Raw(slice.stride),
                    ..New::of(&instructions::ADDRESS_OF_ARGUMENT)
                });
                Ok(Slot::Use(d))
            }
            Local::Symbol(Symbol::Builtin(_)) => Err(self.unsupported(
                "the address of a system function cannot be taken. Fix: call it directly",
            )),
            _ => Err(self.syntax(format!("`{name}` can't be used as a {ty:?} value"))),
        }
    }

    fn narrow(&mut self, wide_register: u32, wide: bool) -> Result<Slot> {
        if wide {
            return Ok(Slot::Use(wide_register));
        }
        let d = self.temp(Type::B32)?;
        self.emit(New {
            d: Slot::Def(d),
            a: Slot::Use(wide_register),
            ..New::of(&instructions::LOW_WORD)
        });
        Ok(Slot::Use(d))
    }

    fn shared_symbol(&mut self, index: u32) -> Result<u32> {
        let variable = &self.linker.shared[index as usize];
        let (size, align, common) = (variable.size, variable.align, variable.common);
        if let Some(at) = common.or(self.shared_at.get(&index).copied()) {
            return Ok(at);
        }
        let at = self.place_shared(size, align)?;
        if self.function.entry {
            self.shared_at.insert(index, at);
        } else {
            self.linker.shared[index as usize].common = Some(at);
        }
        Ok(at)
    }

    /// Returns a special register as a source, if the name is one.
    fn special(&mut self, name: &str, ty: Type) -> Result<Option<Slot>> {
        let narrow = |lower: &Self| -> Result<()> {
            if Width::of(ty) == Width::W32 {
                Ok(())
            } else {
                Err(lower.syntax(format!("`{name}` is a 32-bit register")))
            }
        };
        if let Some(operand) = special::operand(name) {
            if ty.size() == 8 {
                // `mov.u64 %rd, %tid.x` is not valid PTX.
                narrow(self)?;
            }
            narrow(self)?;
            self.summary.reserved |= name.starts_with("%reserved");
            self.summary.clustered |= name.starts_with("%clusterid");
            return Ok(Some(Slot::Fixed(operand)));
        }
        let Some(opcode) = instructions::varying(name) else {
            if name.starts_with("%envreg") {
                return Ok(Some(self.fixed(0, ty)));
            }
            return Ok(match name {
                "%gridid" => Some(self.fixed(0, ty)),
                "%pm0" | "%pm1" | "%pm2" | "%pm3" | "%pm4" | "%pm5" | "%pm6" | "%pm7" => {
                    return Err(
                        self.unsupported("performance counters aren't supported by the emulator")
                    );
                }
                _ => None,
            });
        };
        let Role::Write(found) = opcode.code.d else {
            return Ok(None);
        };
        if Width::of(found) != Width::of(ty) {
            return Err(self.syntax(format!("`{name}` is a {found:?} register")));
        }
        let d = self.temp(found)?;
        self.emit(New {
            d: Slot::Def(d),
            ..New::of(opcode)
        });
        Ok(Some(Slot::Use(d)))
    }

    /// Returns a predicate operand: its slot, and the value that flips it.
    pub(super) fn predicate(&mut self, operand: &Operand<'a>) -> Result<(Slot, u32)> {
        let (name, flip) = match operand {
            Operand::Name(name) => (*name, 0),
            Operand::Not(name) => (*name, u32::MAX),
            Operand::Int(v) => {
                return Ok((
                    Slot::Fixed(Area::Constant.at(0)),
                    if *v != 0 { 0 } else { u32::MAX },
                ));
            }
            _ => return Err(self.syntax("this operand must be a predicate")),
        };
        if name == "%is_explicit_cluster" {
            return Ok((Slot::Fixed(special::EXPLICIT_CLUSTER), flip));
        }
        let (register, ty) = self.named_register(name)?;
        self.check_width(name, ty, Type::Pred)?;
        Ok((Slot::Use(register), flip))
    }

    /// Returns the type of a register operand, or None for others.
    pub(super) fn type_of(&mut self, operand: &Operand<'a>) -> Result<Option<Type>> {
        if let Operand::Register(register) = operand {
            return Ok(Some(self.types[*register as usize]));
        }
        let Operand::Name(name) = operand else {
            return Ok(None);
        };
        Ok(match self.lookup(name)? {
            Some(Local::Register(register)) => Some(self.types[register as usize]),
            _ => None,
        })
    }

    /// Returns the base and offset of a memory operand.
    pub(super) fn base(&mut self, operand: &Operand<'a>) -> Result<(Base, i64)> {
        let Operand::Address(name, offset) = operand else {
            return Err(self.syntax("this operand must be an address in brackets"));
        };
        let Some(name) = name else {
            return Ok((Base::Address(self.fixed(0, Type::B64), Width::W64), *offset));
        };
        Ok(match self.lookup(name)? {
            Some(Local::Register(register)) => {
                let width = self.widths[register as usize];
                if !matches!(width, Width::W32 | Width::W64) {
                    return Err(self.syntax(format!("`{name}` can't hold an address")));
                }
                (Base::Address(Slot::Use(register), width), *offset)
            }
            Some(Local::Param(slice)) => (Base::Param(slice), *offset),
            Some(Local::KernelParam(info)) => (Base::KernelParam(info), *offset),
            Some(local) => (
                Base::Address(self.address_of(name, local, 0, Type::B64)?, Width::W64),
                *offset,
            ),
            None => {
                return Err(self.missing(name));
            }
        })
    }

    /// Returns a function by name.
    pub(super) fn callee(&mut self, name: &str) -> Result<Option<Symbol>> {
        Ok(match self.lookup(name)? {
            Some(Local::Symbol(symbol @ (Symbol::Function(_) | Symbol::Builtin(_)))) => {
                Some(symbol)
            }
            _ => None,
        })
    }

    /// Lowers a call argument or result. Returns bytes in the frame, and the registers that
    /// correspond to parts of them. `size` is the callee's size, if known.
    pub(super) fn argument(
        &mut self,
        operand: &Operand<'a>,
        size: Option<u64>,
    ) -> Result<(Slice, Vec<(u32, Slice)>)> {
        let name = match operand {
            Operand::Name(name) => name,
            // The maximum size of a result.
            Operand::Sink => return Ok((self.slice(16, 16)?, Vec::new())),
            Operand::Int(_) | Operand::Float(_) | Operand::Single(_) | Operand::Double(_) => {
                return self.constant_argument(operand, size);
            }
            _ => {
                return Err(self
                    .unsupported("call arguments must be .param variables, registers or numbers"));
            }
        };
        match self.lookup(name)? {
            Some(Local::Param(slice)) => Ok((slice, Vec::new())),
            Some(local @ (Local::Register(_) | Local::Vector(_))) => {
                let size = match &local {
                    Local::Vector(list) => self.total(list),
                    Local::Register(register) => u64::from(self.types[*register as usize].size()),
                    _ => 0,
                };
                if size == 0 {
                    return Err(self.unsupported("predicates as call arguments aren't supported"));
                }
                let slice = self.slice(size, size)?;
                Ok((slice, self.parts(&local, slice)))
            }
            _ => Err(self.syntax(format!(
                "`{name}` is not a .param variable of this function"
            ))),
        }
    }

    /// Returns whether the name is a prototype or a list of targets.
    pub(super) fn is_prototype(&mut self, name: &str) -> Result<bool> {
        Ok(matches!(self.lookup(name)?, Some(Local::Prototype)))
    }

    /// Returns the labels of a `.branchtargets`, which may follow the instruction.
    pub(super) fn branch_targets(
        &mut self,
        name: &str,
        body: &'a [Statement<'a>],
    ) -> Result<Vec<&'a str>> {
        if let Some(Local::BranchTargets(list)) = self.lookup(name)? {
            return Ok(list);
        }
        let later = body.iter().find_map(|s| match s {
            Statement::BranchTargets(n, list) if *n == name => Some(list.clone()),
            _ => None,
        });
        later.ok_or_else(|| {
            self.error(
                LoadErrorKind::Unresolved,
                format!("`{name}` is not a .branchtargets list"),
            )
        })
    }

    /// Returns the number of a label that is visible from a scope.
    pub(super) fn label(&self, name: &str, mut scope: usize) -> Result<u32> {
        loop {
            if let Some(&label) = self.labels[scope].get(name) {
                return Ok(label);
            }
            if scope == 0 {
                return Err(self.error(
                    LoadErrorKind::Unresolved,
                    format!("there is no label `{name}` here"),
                ));
            }
            scope = self.label_scope[scope];
        }
    }
}
