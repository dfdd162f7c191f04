//! Loads, stores, addresses, special registers that change.

use super::function::{Base, Lower, New, Result, Slot, Width};
use super::modifiers::Modifiers;
use crate::engine::address as at;
use crate::engine::lanes;
use crate::engine::load_store::{self as exec, Pair, chosen};
use crate::engine::memory::space;
use crate::engine::program::Slice;
use crate::engine::reach::Reach;
use crate::engine::state::Exec;
use crate::engine::vector;
use crate::engine::{LOCAL_WINDOW, SHARED_WINDOW};
use crate::ptx::{Operand, Type};

/// Picks an instruction by memory type and register width. `signed`: one that extends what it loads.
macro_rules! pick {
    ($room:ident::$name:ident, $ty:ident, $width:ident $(, $signed:ident)?) => {
        match ($ty.size(), $width) {
            $(
                (1, Width::W32) if $ty.$signed() => Some($room::$name::<i8, u32>()),
                (2, Width::W32) if $ty.$signed() => Some($room::$name::<i16, u32>()),
                (1, Width::W64) if $ty.$signed() => Some($room::$name::<i8, u64>()),
                (2, Width::W64) if $ty.$signed() => Some($room::$name::<i16, u64>()),
                (4, Width::W64) if $ty.$signed() => Some($room::$name::<i32, u64>()),
            )?
            (1, Width::W32) => Some($room::$name::<u8, u32>()),
            (2, Width::W32) => Some($room::$name::<u16, u32>()),
            (4, Width::W32) => Some($room::$name::<u32, u32>()),
            (1, Width::W64) => Some($room::$name::<u8, u64>()),
            (2, Width::W64) => Some($room::$name::<u16, u64>()),
            (4, Width::W64) => Some($room::$name::<u32, u64>()),
            (8, Width::W64) => Some($room::$name::<u64, u64>()),
            _ => None,
        }
    };
}

/// As [`pick`], and of 16 bytes.
macro_rules! pick_any {
    ($room:ident::$name:ident, $ty:ident, $width:ident $(, $signed:ident)?) => {
        match $width {
            Width::W128 if $ty.size() == 16 => Some($room::$name::<u128, u128>()),
            _ => pick!($room::$name, $ty, $width $(, $signed)?),
        }
    };
}

fn load(ty: Type, width: Width) -> Option<Pair> {
    pick_any!(exec::load, ty, width, signed)
}

fn load_param(ty: Type, width: Width) -> Option<Pair> {
    pick_any!(exec::load_param, ty, width, signed)
}

fn load_frame(ty: Type, width: Width) -> Option<Pair> {
    pick_any!(exec::load_frame, ty, width, signed)
}

fn store(ty: Type, width: Width) -> Option<Pair> {
    pick_any!(exec::store, ty, width)
}

fn store_frame(ty: Type, width: Width) -> Option<Pair> {
    pick_any!(exec::store_frame, ty, width)
}

fn load_vector(ty: Type, width: Width) -> Option<Pair> {
    pick!(vector::load, ty, width, signed)
}

fn store_vector(ty: Type, width: Width) -> Option<Pair> {
    pick!(vector::store, ty, width)
}

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

/// What a load or store does beside moving data.
struct Order {
    poll: bool,
    /// A relaxed access or more: not a data race with its like.
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
        strong: relaxed | acquire | release,
        acquire,
        release,
        policy,
    }
}

impl<'a> Lower<'_, 'a> {
    pub(super) fn memory(
        &mut self,
        name: &str,
        m: &mut Modifiers<'a>,
        o: &[Operand<'a>],
    ) -> Result<bool> {
        match name {
            "ld" | "ldu" => self.load(m, o)?,
            "st" => self.store(m, o)?,
            "cvta" => self.cvta(m, o)?,
            "isspacep" => self.isspacep(m, o)?,
            "prefetch" | "prefetchu" | "discard" | "applypriority" => {
                // A hint; the address isn't looked at, as a GPU ignores a bad one too.
                while m.next().is_some() {}
            }
            "createpolicy" => {
                while m.next().is_some() {}
                if let Some(d) = o.first() {
                    let d = self.dst(d, Type::B64)?;
                    let zero = self.fixed(0, Type::B64);
                    self.emit(New {
                        d,
                        a: zero,
                        ..New::op(lanes::unary(|a: u64| a))
                    });
                }
            }
            "cp" => self.copy_async(m, o)?,
            "mapa" | "getctarank" => return self.cluster(name, m, o),
            "alloca" => {
                self.summary.stack = true;
                let ty = m.ty().unwrap_or(Type::U64);
                let [d, size, rest @ ..] = o else {
                    return Err(self.syntax("alloca needs a destination and a size"));
                };
                let d = self.dst(d, ty)?;
                let a = self.src(size, ty)?;
                let align = match rest.first() {
                    Some(Operand::Int(align)) if align.is_power_of_two() && *align <= 1 << 16 => {
                        *align
                    }
                    None => 8,
                    _ => return Err(self.syntax("the alignment must be a power of two")),
                };
                let run: Exec = if Width::of(ty) == Width::W64 {
                    at::alloca::<u64>
                } else {
                    at::alloca::<u32>
                };
                self.emit(New {
                    imm: align,
                    d,
                    a,
                    ..New::op(run)
                });
            }
            "stacksave" => {
                let ty = m.ty().unwrap_or(Type::U64);
                let [d] = o else {
                    return Err(self.syntax("stacksave needs a destination"));
                };
                let d = self.dst(d, ty)?;
                self.emit(New {
                    d,
                    ..New::op(if Width::of(ty) == Width::W64 {
                        at::stack_save::<u64>
                    } else {
                        at::stack_save::<u32>
                    })
                });
            }
            "stackrestore" => {
                let ty = m.ty().unwrap_or(Type::U64);
                let [a] = o else {
                    return Err(self.syntax("stackrestore needs a source"));
                };
                let a = self.src(a, ty)?;
                self.emit(New {
                    a,
                    ..New::op(if Width::of(ty) == Width::W64 {
                        at::stack_restore::<u64>
                    } else {
                        at::stack_restore::<u32>
                    })
                });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A place in the workers' region caches.
    pub(super) fn cache(&mut self) -> Slot {
        self.linker.memory_instructions += 1;
        Slot::Raw(self.linker.memory_instructions - 1)
    }

    pub(super) fn poll(&mut self) {
        self.emit(New::op(at::poll));
    }

    pub(super) fn fence(&mut self) {
        self.emit(New::op(at::fence));
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

    /// Space of an access, checked against what the address is based on.
    pub(super) fn space_of(&self, found: Option<&str>) -> u8 {
        match found {
            None => space::GENERIC,
            Some("shared" | "shared::cta" | "shared::cluster") => space::SHARED,
            Some("local") => space::LOCAL,
            Some("param" | "param::entry" | "param::func") => space::PARAM,
            _ => space::GLOBAL,
        }
    }

    /// Checks the address register's width against the space.
    pub(super) fn widened(&mut self, a: Slot, width: Width, space: u8) -> Result<(Slot, Width)> {
        if width == Width::W32 && !matches!(space, space::SHARED | space::LOCAL) {
            return Err(self.syntax("the address must be a 64-bit register"));
        }
        Ok((a, width))
    }

    /// `.pragma "used_bytes_mask 0xff"`: of what the next load reads only these bytes are looked at. Others are ignored,
    /// as PTX wants it.
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

    /// How a load or store of `count` elements reaches memory.
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

    fn load(&mut self, m: &mut Modifiers<'a>, o: &[Operand<'a>]) -> Result<()> {
        let unused = !self.used_bytes.unwrap_or(u32::MAX);
        let order = order(m);
        let space = take_space(m);
        let space = self.space_of(space);
        let [d, address, rest @ ..] = o else {
            return Err(self.syntax("a load needs a destination and an address"));
        };
        if rest.len() > usize::from(order.policy) {
            return Err(self.unsupported("the emulator doesn't know this form of a load"));
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
        let mut width = None;
        for d in &list {
            let found = self.type_of(d)?.unwrap_or(ty);
            if width.is_some_and(|w| w != Width::of(found)) {
                return Err(self.unsupported("registers of different sizes in one vector"));
            }
            width = Some(Width::of(found));
            slots.push(self.dst(d, found)?);
        }
        let width = width.unwrap_or(Width::W32);
        let bad = || self.syntax("the register's size doesn't fit the type");
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
                let run = load_param(ty, width).map(chosen).ok_or_else(bad)?;
                let end = i64::from(info.offset) + offset + size * slots.len() as i64;
                let (_, total) = super::link::layout(&self.function.params);
                if i64::from(info.offset).wrapping_add(offset) < 0
                    || end > i64::from(total)
                    || offset < 0
                {
                    return Err(self.syntax("the offset lies outside the parameter"));
                }
                for (n, d) in slots.into_iter().enumerate() {
                    let imm = (i64::from(info.offset) + offset + n as i64 * size) as u64;
                    self.emit(New {
                        imm,
                        d,
                        ..New::op(run)
                    });
                }
            }
            Base::Param(slice) => {
                let run = load_frame(ty, width).map(chosen).ok_or_else(bad)?;
                if offset < 0
                    || offset.saturating_add(size * slots.len() as i64) > i64::from(slice.size)
                {
                    return Err(self.syntax("the offset lies outside the parameter"));
                }
                for (n, d) in slots.into_iter().enumerate() {
                    let imm = (offset + n as i64 * size) as u64;
                    self.emit(New {
                        imm,
                        d,
                        a: Slot::Param(slice.offset),
                        b: Slot::Raw(slice.stride),
                        ..New::op(run)
                    });
                }
            }
            Base::Address(a, address) => {
                let (a, address) = self.widened(a, address, space)?;
                let y = self.cache();
                let reach = self.reach(space, address, &order, ty, slots.len())?;
                let b = Slot::Raw(unused);
                if let [d] = slots[..] {
                    let run = load(ty, width)
                        .map(chosen)
                        .ok_or_else(|| self.syntax("the register's size doesn't fit the type"))?;
                    self.emit(New {
                        imm: offset as u64,
                        d,
                        a,
                        b,
                        c: reach,
                        y,
                        ..New::op(run)
                    });
                } else {
                    let run = load_vector(ty, width)
                        .map(chosen)
                        .ok_or_else(|| self.syntax("the register's size doesn't fit the type"))?;
                    let x = Slot::Raw(self.list(&slots));
                    self.emit(New {
                        imm: offset as u64,
                        a,
                        b,
                        c: reach,
                        x,
                        y,
                        ..New::op(run)
                    });
                }
            }
        }
        if order.acquire {
            self.fence();
        }
        Ok(())
    }

    /// A register from its place in the frame.
    pub(super) fn load_slice(&mut self, slice: Slice, register: u32) -> Result<()> {
        let ty = self.types[register as usize];
        let run = load_frame(ty, Width::of(ty))
            .map(chosen)
            .ok_or_else(|| self.unsupported("this type can't be a parameter in a register"))?;
        self.emit(New {
            d: Slot::Def(register),
            a: Slot::Param(slice.offset),
            b: Slot::Raw(slice.stride),
            ..New::op(run)
        });
        Ok(())
    }

    /// A register to its place in the frame.
    pub(super) fn store_slice(&mut self, slice: Slice, register: u32) -> Result<()> {
        let ty = self.types[register as usize];
        let run = store_frame(ty, Width::of(ty))
            .map(chosen)
            .ok_or_else(|| self.unsupported("this type can't be a parameter in a register"))?;
        self.emit(New {
            b: Slot::Use(register),
            a: Slot::Param(slice.offset),
            c: Slot::Raw(slice.stride),
            ..New::op(run)
        });
        Ok(())
    }

    fn store(&mut self, m: &mut Modifiers<'a>, o: &[Operand<'a>]) -> Result<()> {
        if m.take("async") || m.take("bulk") {
            return Err(
                self.unsupported("bulk and asynchronous stores aren't supported by the emulator")
            );
        }
        let order = order(m);
        let space = take_space(m);
        let space = self.space_of(space);
        let [address, value, rest @ ..] = o else {
            return Err(self.syntax("a store needs an address and a value"));
        };
        if rest.len() > usize::from(order.policy) {
            return Err(self.unsupported("the emulator doesn't know this form of a store"));
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
        let width = Width::of(as_type);
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
                let run = store_frame(ty, width)
                    .map(chosen)
                    .ok_or_else(|| self.syntax("the register's size doesn't fit the type"))?;
                if offset < 0
                    || offset.saturating_add(size * slots.len() as i64) > i64::from(slice.size)
                {
                    return Err(self.syntax("the offset lies outside the parameter"));
                }
                for (n, b) in slots.into_iter().enumerate() {
                    let imm = (offset + n as i64 * size) as u64;
                    self.emit(New {
                        imm,
                        b,
                        a: Slot::Param(slice.offset),
                        c: Slot::Raw(slice.stride),
                        ..New::op(run)
                    });
                }
            }
            Base::Address(a, address) => {
                let (a, address) = self.widened(a, address, space)?;
                let y = self.cache();
                let reach = self.reach(space, address, &order, ty, slots.len())?;
                if let [b] = slots[..] {
                    let run = store(ty, width)
                        .map(chosen)
                        .ok_or_else(|| self.syntax("the register's size doesn't fit the type"))?;
                    self.emit(New {
                        imm: offset as u64,
                        a,
                        b,
                        c: reach,
                        y,
                        ..New::op(run)
                    });
                } else {
                    let run = store_vector(ty, width)
                        .map(chosen)
                        .ok_or_else(|| self.syntax("the register's size doesn't fit the type"))?;
                    let x = Slot::Raw(self.list(&slots));
                    self.emit(New {
                        imm: offset as u64,
                        a,
                        c: reach,
                        x,
                        y,
                        ..New::op(run)
                    });
                }
            }
        }
        Ok(())
    }

    fn cvta(&mut self, m: &mut Modifiers<'a>, o: &[Operand<'a>]) -> Result<()> {
        let to = m.take("to");
        let space = take_space(m);
        let ty = m.ty().unwrap_or(Type::U64);
        if ty.size() != 8 {
            return Err(self.unsupported("generic addresses have 64 bits"));
        }
        let [d, a] = o else {
            return Err(self.syntax("cvta needs a destination and a source"));
        };
        let a = match a {
            Operand::Name(_) | Operand::NameOffset(..) => self.src(a, ty)?,
            _ => return Err(self.syntax("cvta needs a register or a variable")),
        };
        let d = self.dst(d, ty)?;
        let imm = match self.space_of(space) {
            space::SHARED => SHARED_WINDOW,
            space::LOCAL => LOCAL_WINDOW,
            _ => 0,
        };
        let imm = if to { imm.wrapping_neg() } else { imm };
        self.emit(New {
            imm,
            d,
            a,
            ..New::op(lanes::unary_imm(|a: u64, imm| a.wrapping_add(imm)))
        });
        Ok(())
    }

    fn isspacep(&mut self, m: &mut Modifiers<'a>, o: &[Operand<'a>]) -> Result<()> {
        let space = take_space(m);
        let [d, a] = o else {
            return Err(self.syntax("isspacep needs a destination and a source"));
        };
        let d = self.dst(d, Type::Pred)?;
        let a = self.src(a, Type::U64)?;
        let x = self.dump()?;
        let run = match space {
            Some("shared" | "shared::cta" | "shared::cluster") => {
                lanes::test(|a: u64| a >> 60 == SHARED_WINDOW >> 60)
            }
            Some("local") => lanes::test(|a: u64| a >> 60 == LOCAL_WINDOW >> 60),
            Some("const") => at::is_constant,
            Some("global") => at::is_global,
            Some(_) => at::is_param,
            None => return Err(self.syntax("the space is missing")),
        };
        self.emit(New {
            d,
            a,
            x,
            ..New::op(run)
        });
        Ok(())
    }

    /// A 64-bit register with base plus offset.
    pub(super) fn address(&mut self, operand: &Operand<'a>) -> Result<Slot> {
        let (base, offset) = self.base(operand)?;
        let Base::Address(a, width) = base else {
            return Err(self.unsupported("this instruction can't work on parameters"));
        };
        let d = self.temp(Type::B64)?;
        let run = if width == Width::W32 {
            lanes::unary_imm(|a: u32, imm| u64::from(a.wrapping_add(imm as u32)))
        } else {
            lanes::unary_imm(|a: u64, imm| a.wrapping_add(imm))
        };
        self.emit(New {
            imm: offset as u64,
            d: Slot::Def(d),
            a,
            ..New::op(run)
        });
        Ok(Slot::Use(d))
    }
}
