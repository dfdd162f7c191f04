//! The forms of loads and stores.

use super::emit::{New, Slot};
use super::function::{Lower, Result, Width};
use super::modifiers::Modifiers;
use super::scope::Base;
use crate::instructions::{self, Move};
use crate::ir::Opcode;
use crate::memory::reach::Reach;
use crate::program::Slice;
use crate::ptx::{Operand, Type};
use crate::state::touch::space;

/// Address-space modifiers, longest first.
pub(super) fn take_space(m: &mut Modifiers<'_>) -> Option<&'static str> {
    m.one_of(&[
        "shared::cluster",
        "shared::cta",
        "shared",
        "param::entry",
        "param::func",
        "param",
        "global",
        "local",
        "const",
    ])
}

/// The properties of a load or store besides moving data.
struct Order {
    poll: bool,
    /// Whether the access is at least relaxed, or volatile. Strong accesses do not race with each
    /// other.
    strong: bool,
    acquire: bool,
    release: bool,
    policy: bool,
}

/// Removes ordering, scope and cache modifiers.
fn order(m: &mut Modifiers<'_>) -> Order {
    let relaxed = m.take("relaxed") | m.take("mmio");
    let poll = m.take("volatile") | relaxed;
    let (acquire, release) = (m.take("acquire"), m.take("release"));
    for name in [
        "weak", "cta", "cluster", "gpu", "sys", "ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc",
        "unified",
    ] {
        m.take(name);
    }
    let policy = m.take("L2::cache_hint");
    m.drop_prefixed("L1::");
    m.drop_prefixed("L2::");
    Order {
        poll: poll | acquire,
        strong: poll | acquire | release,
        acquire,
        release,
        policy,
    }
}

impl<'a> Lower<'_, 'a> {
    /// Returns a new index in the workers' region caches.
    pub(super) fn cache(&mut self) -> Slot {
        self.linker.memory_instructions += 1;
        Slot::Raw(self.linker.memory_instructions - 1)
    }

    pub(super) fn poll(&mut self) {
        self.emit(New::of(&instructions::POLL));
    }

    pub(super) fn fence(&mut self) {
        self.emit(New::of(&instructions::FENCE));
    }

    fn vector(&mut self, m: &mut Modifiers<'_>, operand: &Operand<'a>) -> Result<Vec<Operand<'a>>> {
        let count = match m.one_of(&["v2", "v4", "v8"]) {
            Some("v2") => 2,
            Some("v4") => 4,
            Some(_) => 8,
            None => 1,
        };
        match operand {
            Operand::Vector(list) if list.len() == count && count > 1 => Ok(list.clone()),
            Operand::Vector(list) if list.len() == 1 && count == 1 => Ok(list.clone()),
            Operand::Vector(_) => {
                Err(self.syntax("the number of registers in braces doesn't match"))
            }
            other if count == 1 => Ok(vec![other.clone()]),
            _ => Err(self.syntax("registers in braces are needed here")),
        }
    }

    /// Returns the space of an access, which must agree with the base of the address.
    pub(super) fn space_of(&self, found: Option<&str>) -> u8 {
        match found {
            None => space::GENERIC,
            Some("shared" | "shared::cta" | "shared::cluster") => space::SHARED,
            Some("local") => space::LOCAL,
            Some("param" | "param::entry" | "param::func") => space::PARAM,
            _ => space::GLOBAL,
        }
    }

    /// Widens the address register if the space allows 32 bits.
    pub(super) fn widened(&mut self, a: Slot, width: Width, space: u8) -> Result<(Slot, Width)> {
        if width == Width::W32 && !matches!(space, space::SHARED | space::LOCAL) {
            return Err(self.syntax("the address must be a 64-bit register"));
        }
        Ok((a, width))
    }

    /// `.pragma "used_bytes_mask 0xff"`: only these bytes of the next load are checked. Others are
    /// ignored, as PTX specifies.
    pub(super) fn pragma(&mut self, text: &str) -> Result<()> {
        if let Some(mask) = text.trim().strip_prefix("used_bytes_mask") {
            let mask = mask.trim();
            let number = match mask.strip_prefix("0x").or(mask.strip_prefix("0X")) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => mask.parse(),
            };
            let bad = |_| self.syntax("used_bytes_mask needs a number of 32 bits, such as 0xff");
            self.used_bytes = Some(number.map_err(bad)?);
        }
        Ok(())
    }

    /// Returns the move between memory of a type and a register.
    fn moved(
        &self,
        moves: &'static [Move],
        memory: Type,
        register: Type,
    ) -> Result<&'static Opcode> {
        instructions::find_move(moves, memory, register)
            .ok_or_else(|| self.syntax("the register's size does not match the type"))
    }

    /// Returns how a load or store of `count` elements reaches memory.
    fn reach(
        &self,
        space: u8,
        address: Width,
        order: &Order,
        ty: Type,
        count: usize,
    ) -> Result<Slot> {
        if count > 1 && count as u32 * ty.size() > 32 {
            return Err(self.syntax("a vector has at most 32 bytes"));
        }
        let reach = Reach::new(space, address == Width::W32)
            .strong(order.strong)
            .elements(count as u32)
            .chosen();
        Ok(Slot::Raw(reach.encode()))
    }

    /// [`Form::Load`](crate::ir::Form::Load)
    pub(super) fn load(&mut self, m: &mut Modifiers<'a>, o: &[Operand<'a>]) -> Result<()> {
        let unused = !self.used_bytes.unwrap_or(u32::MAX);
        let order = order(m);
        let space = take_space(m);
        let space = self.space_of(space);
        let [d, address, rest @ ..] = o else {
            return Err(self.syntax("a load needs a destination and an address"));
        };
        if rest.len() > usize::from(order.policy) {
            return Err(self.unsupported("the emulator does not support this form of a load"));
        }
        let list = self.vector(m, d)?;
        let ty = m.ty().ok_or_else(|| self.syntax("the type is missing"))?;
        if ty == Type::Pred {
            return Err(self.syntax("predicates can't be loaded"));
        }
        let (base, offset) = self.base(address)?;
        if order.poll {
            self.poll();
        }
        let mut slots = Vec::new();
        let mut register = None;
        for d in &list {
            let found = self.type_of(d)?.unwrap_or(ty);
            if register.is_some_and(|other| Width::of(other) != Width::of(found)) {
                return Err(self.unsupported("registers of different sizes in one vector"));
            }
            register = Some(found);
            slots.push(self.dst(d, found)?);
        }
        let register = register.unwrap_or(ty);
        let size = i64::from(ty.size());
        let aligned = match &base {
            Base::KernelParam(info) => (i64::from(info.offset).wrapping_add(offset)) % size == 0,
            Base::Param(slice) => offset % size == 0 && i64::from(slice.stride) % size == 0,
            Base::Address(..) => true,
        };
        if !aligned {
            return Err(self.syntax("the access to the parameter isn't aligned to its size"));
        }
        match base {
            Base::KernelParam(info) => {
                let run = self.moved(instructions::LOAD_PARAM, ty, register)?;
                let start = i64::from(info.offset).saturating_add(offset);
                let end = start.saturating_add(size * slots.len() as i64);
                let (_, total) = super::link::layout(&self.function.params);
                if offset < 0 || end > i64::from(total) {
                    return Err(self.syntax("the offset is outside the parameter"));
                }
                for (n, d) in slots.into_iter().enumerate() {
                    let imm = (start + n as i64 * size) as u64;
                    self.emit(New {
                        imm,
                        d,
                        ..New::of(run)
                    });
                }
            }
            Base::Param(slice) => {
                let run = self.moved(instructions::LOAD_FRAME, ty, register)?;
                if offset < 0
                    || offset.saturating_add(size * slots.len() as i64) > i64::from(slice.size)
                {
                    return Err(self.syntax("the offset is outside the parameter"));
                }
                for (n, d) in slots.into_iter().enumerate() {
                    let imm = (offset + n as i64 * size) as u64;
                    self.emit(New {
                        imm,
                        d,
                        a: Slot::Param(slice.offset),
                        b: Slot::Raw(slice.stride),
                        ..New::of(run)
                    });
                }
            }
            Base::Address(a, address) => {
                let (a, address) = self.widened(a, address, space)?;
                let y = self.cache();
                let reach = self.reach(space, address, &order, ty, slots.len())?;
                let b = Slot::Raw(unused);
                if let [d] = slots[..] {
                    let run = self.moved(instructions::LOAD, ty, register)?;
                    self.emit(New {
                        imm: offset as u64,
                        d,
                        a,
                        b,
                        c: reach,
                        y,
                        ..New::of(run)
                    });
                } else {
                    let run = self.moved(instructions::LOAD_VECTOR, ty, register)?;
                    let x = Slot::Raw(self.list(&slots));
                    self.emit(New {
                        imm: offset as u64,
                        a,
                        b,
                        c: reach,
                        x,
                        y,
                        ..New::of(run)
                    });
                }
            }
        }
        if order.acquire {
            self.fence();
        }
        Ok(())
    }

    /// Loads a register from its slice of the frame.
    pub(super) fn load_slice(&mut self, slice: Slice, register: u32) -> Result<()> {
        let ty = self.types[register as usize];
        let run = self.moved(instructions::LOAD_FRAME, ty, ty)?;
        self.emit(New {
            d: Slot::Def(register),
            a: Slot::Param(slice.offset),
            b: Slot::Raw(slice.stride),
            ..New::of(run)
        });
        Ok(())
    }

    /// Stores a register to its slice of the frame.
    pub(super) fn store_slice(&mut self, slice: Slice, register: u32) -> Result<()> {
        let ty = self.types[register as usize];
        let run = self.moved(instructions::STORE_FRAME, ty, ty)?;
        self.emit(New {
            b: Slot::Use(register),
            a: Slot::Param(slice.offset),
            c: Slot::Raw(slice.stride),
            ..New::of(run)
        });
        Ok(())
    }

    /// [`Form::Store`](crate::ir::Form::Store)
    pub(super) fn store(&mut self, m: &mut Modifiers<'a>, o: &[Operand<'a>]) -> Result<()> {
        let order = order(m);
        let space = take_space(m);
        let space = self.space_of(space);
        let [address, value, rest @ ..] = o else {
            return Err(self.syntax("a store needs an address and a value"));
        };
        if rest.len() > usize::from(order.policy) {
            return Err(self.unsupported("the emulator does not support this form of a store"));
        }
        let list = self.vector(m, value)?;
        let ty = m.ty().ok_or_else(|| self.syntax("the type is missing"))?;
        if ty == Type::Pred {
            return Err(self.syntax("predicates can't be stored"));
        }
        let (base, offset) = self.base(address)?;
        let mut found = None;
        for value in &list {
            found = found.or(self.type_of(value)?);
        }
        let as_type = match found {
            Some(found) if Width::of(found) != Width::of(ty) => found,
            _ => ty,
        };
        let mut slots = Vec::new();
        for value in &list {
            slots.push(self.src(value, as_type)?);
        }
        if order.release {
            self.fence();
        }
        let size = i64::from(ty.size());
        let aligned = match &base {
            Base::KernelParam(info) => (i64::from(info.offset).wrapping_add(offset)) % size == 0,
            Base::Param(slice) => offset % size == 0 && i64::from(slice.stride) % size == 0,
            Base::Address(..) => true,
        };
        if !aligned {
            return Err(self.syntax("the access to the parameter isn't aligned to its size"));
        }
        match base {
            Base::KernelParam(_) => {
                return Err(self.syntax("a kernel's parameters can't be written"));
            }
            Base::Param(slice) => {
                let run = self.moved(instructions::STORE_FRAME, ty, as_type)?;
                if offset < 0
                    || offset.saturating_add(size * slots.len() as i64) > i64::from(slice.size)
                {
                    return Err(self.syntax("the offset is outside the parameter"));
                }
                for (n, b) in slots.into_iter().enumerate() {
                    let imm = (offset + n as i64 * size) as u64;
                    self.emit(New {
                        imm,
                        b,
                        a: Slot::Param(slice.offset),
                        c: Slot::Raw(slice.stride),
                        ..New::of(run)
                    });
                }
            }
            Base::Address(a, address) => {
                let (a, address) = self.widened(a, address, space)?;
                let y = self.cache();
                let reach = self.reach(space, address, &order, ty, slots.len())?;
                if let [b] = slots[..] {
                    let run = self.moved(instructions::STORE, ty, as_type)?;
                    self.emit(New {
                        imm: offset as u64,
                        a,
                        b,
                        c: reach,
                        y,
                        ..New::of(run)
                    });
                } else {
                    let run = self.moved(instructions::STORE_VECTOR, ty, as_type)?;
                    let x = Slot::Raw(self.list(&slots));
                    self.emit(New {
                        imm: offset as u64,
                        a,
                        c: reach,
                        x,
                        y,
                        ..New::of(run)
                    });
                }
            }
        }
        Ok(())
    }

    /// Returns a 64-bit register with base plus offset.
    pub(super) fn address(&mut self, operand: &Operand<'a>) -> Result<Slot> {
        let (base, offset) = self.base(operand)?;
        let Base::Address(a, width) = base else {
            return Err(self.unsupported("this instruction can't work on parameters"));
        };
        let d = self.temp(Type::B64)?;
        let run = if width == Width::W32 {
            &instructions::ADDRESS_OF_32
        } else {
            &instructions::ADDRESS
        };
        self.emit(New {
            imm: offset as u64,
            d: Slot::Def(d),
            a,
            ..New::of(run)
        });
        Ok(Slot::Use(d))
    }
}
