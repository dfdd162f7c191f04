//! Loads, stores, addresses, special registers that change.

use super::function::{Base, Lower, New, Result, Slot, Width};
use super::modifiers::Modifiers;
use crate::engine::control::POLL_COST;
use crate::engine::lanes::{self, each, write};
use crate::engine::memory::{self as exec, space};
use crate::engine::state::{Ctx, Exec, Flow, LANES, Op};
use crate::engine::{FaultKind, LOCAL_WINDOW, SHARED_WINDOW};
use crate::ptx::{Operand, Type};

/// Picks the instance of a memory instruction for an address width, memory type, register width and space.
macro_rules! pick {
    ($name:ident, $address:expr, $ty:expr, $width:expr, $space:expr) => {
        match ($address, $space) {
            (Width::W32, space::SHARED) => pick!(@ty $name, u32, $ty, $width, { space::SHARED }),
            (Width::W32, space::LOCAL) => pick!(@ty $name, u32, $ty, $width, { space::LOCAL }),
            (_, space::SHARED) => pick!(@ty $name, u64, $ty, $width, { space::SHARED }),
            (_, space::LOCAL) => pick!(@ty $name, u64, $ty, $width, { space::LOCAL }),
            (_, space::GLOBAL) => pick!(@ty $name, u64, $ty, $width, { space::GLOBAL }),
            (_, space::PARAM) => pick!(@ty $name, u64, $ty, $width, { space::PARAM }),
            _ => pick!(@ty $name, u64, $ty, $width, { space::GENERIC }),
        }
    };
    (@ty $name:ident, $a:ty, $ty:expr, $width:expr, $s:block) => {
        match ($ty.size(), $ty.signed(), $width) {
            (1, false, Width::W32) => Some(exec::$name::<$a, u8, u32, $s>()),
            (2, false, Width::W32) => Some(exec::$name::<$a, u16, u32, $s>()),
            (4, _, Width::W32) => Some(exec::$name::<$a, u32, u32, $s>()),
            (1, false, Width::W64) => Some(exec::$name::<$a, u8, u64, $s>()),
            (2, false, Width::W64) => Some(exec::$name::<$a, u16, u64, $s>()),
            (4, false, Width::W64) => Some(exec::$name::<$a, u32, u64, $s>()),
            (8, _, Width::W64) => Some(exec::$name::<$a, u64, u64, $s>()),
            (16, _, Width::W128) => Some(exec::$name::<$a, u128, u128, $s>()),
            (1, true, w) => pick!(@signed $name, $a, i8, u8, w, $s),
            (2, true, w) => pick!(@signed $name, $a, i16, u16, w, $s),
            (4, true, Width::W64) => pick!(@signed64 $name, $a, i32, u32, $s),
            _ => None,
        }
    };
    (@signed load, $a:ty, $t:ty, $u:ty, $w:expr, $s:block) => {
        match $w {
            Width::W32 => Some(exec::load::<$a, $t, u32, $s>()),
            Width::W64 => Some(exec::load::<$a, $t, u64, $s>()),
            _ => None,
        }
    };
    (@signed load_vector, $a:ty, $t:ty, $u:ty, $w:expr, $s:block) => {
        match $w {
            Width::W32 => Some(exec::load_vector::<$a, $t, u32, $s>()),
            Width::W64 => Some(exec::load_vector::<$a, $t, u64, $s>()),
            _ => None,
        }
    };
    // Stores don't care for the sign.
    (@signed $name:ident, $a:ty, $t:ty, $u:ty, $w:expr, $s:block) => {
        match $w {
            Width::W32 => Some(exec::$name::<$a, $u, u32, $s>()),
            Width::W64 => Some(exec::$name::<$a, $u, u64, $s>()),
            _ => None,
        }
    };
    (@signed64 load, $a:ty, $t:ty, $u:ty, $s:block) => { Some(exec::load::<$a, $t, u64, $s>()) };
    (@signed64 load_vector, $a:ty, $t:ty, $u:ty, $s:block) => { Some(exec::load_vector::<$a, $t, u64, $s>()) };
    (@signed64 $name:ident, $a:ty, $t:ty, $u:ty, $s:block) => { Some(exec::$name::<$a, $u, u64, $s>()) };
}

/// Instances of [`exec::load_param`] and the like: memory type and register width only.
macro_rules! pick_plain {
    ($name:ident, $ty:expr, $width:expr, signed) => {
        match ($ty.size(), $ty.signed(), $width) {
            (1, true, Width::W32) => Some(exec::$name::<i8, u32, 0>()),
            (2, true, Width::W32) => Some(exec::$name::<i16, u32, 0>()),
            (1, true, Width::W64) => Some(exec::$name::<i8, u64, 0>()),
            (2, true, Width::W64) => Some(exec::$name::<i16, u64, 0>()),
            (4, true, Width::W64) => Some(exec::$name::<i32, u64, 0>()),
            _ => pick_plain!($name, $ty, $width),
        }
    };
    ($name:ident, $ty:expr, $width:expr) => {
        match ($ty.size(), $width) {
            (1, Width::W32) => Some(exec::$name::<u8, u32, 0>()),
            (2, Width::W32) => Some(exec::$name::<u16, u32, 0>()),
            (4, Width::W32) => Some(exec::$name::<u32, u32, 0>()),
            (1, Width::W64) => Some(exec::$name::<u8, u64, 0>()),
            (2, Width::W64) => Some(exec::$name::<u16, u64, 0>()),
            (4, Width::W64) => Some(exec::$name::<u32, u64, 0>()),
            (8, Width::W64) => Some(exec::$name::<u64, u64, 0>()),
            (16, Width::W128) => Some(exec::$name::<u128, u128, 0>()),
            _ => None,
        }
    };
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
    acquire: bool,
    release: bool,
    policy: bool,
}

/// Removes ordering, scope and cache modifiers.
fn order(m: &mut Modifiers<'_>) -> Order {
    let poll = m.take("volatile") | m.take("relaxed") | m.take("mmio");
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
                    alloca::<u64>
                } else {
                    alloca::<u32>
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
                        stack_save::<u64>
                    } else {
                        stack_save::<u32>
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
                        stack_restore::<u64>
                    } else {
                        stack_restore::<u32>
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
        self.emit(New::op(poll));
    }

    pub(super) fn fence(&mut self) {
        self.emit(New::op(fence));
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

    fn load(&mut self, m: &mut Modifiers<'a>, o: &[Operand<'a>]) -> Result<()> {
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
        match base {
            Base::KernelParam(info) => {
                let run = pick_plain!(load_param, ty, width, signed).ok_or_else(bad)?;
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
                let run = pick_plain!(load_frame, ty, width, signed).ok_or_else(bad)?;
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
                if let [d] = slots[..] {
                    let run = pick!(load, address, ty, width, space)
                        .ok_or_else(|| self.syntax("the register's size doesn't fit the type"))?;
                    self.emit(New {
                        imm: offset as u64,
                        d,
                        a,
                        y,
                        ..New::op(run)
                    });
                } else {
                    let run = pick!(load_vector, address, ty, width, space)
                        .ok_or_else(|| self.syntax("the register's size doesn't fit the type"))?;
                    let c = Slot::Raw(slots.len() as u32);
                    let x = Slot::Raw(self.list(&slots));
                    self.emit(New {
                        imm: offset as u64,
                        a,
                        c,
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
        match base {
            Base::KernelParam(_) => {
                return Err(self.syntax("a kernel's parameters can't be written"));
            }
            Base::Param(slice) => {
                let run = pick_plain!(store_frame, ty, width)
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
                if let [b] = slots[..] {
                    let run = pick!(store, address, ty, width, space)
                        .ok_or_else(|| self.syntax("the register's size doesn't fit the type"))?;
                    self.emit(New {
                        imm: offset as u64,
                        a,
                        b,
                        y,
                        ..New::op(run)
                    });
                } else {
                    let run = pick!(store_vector, address, ty, width, space)
                        .ok_or_else(|| self.syntax("the register's size doesn't fit the type"))?;
                    let c = Slot::Raw(slots.len() as u32);
                    let x = Slot::Raw(self.list(&slots));
                    self.emit(New {
                        imm: offset as u64,
                        a,
                        c,
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
            Some("const") => is_constant,
            Some("global") => is_global,
            Some(_) => is_param,
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

    /// `cp.async`: done at once, so that waiting for it has nothing to wait for.
    fn copy_async(&mut self, m: &mut Modifiers<'a>, o: &[Operand<'a>]) -> Result<()> {
        let reduce = m.take("reduce");
        if !m.take("async") || reduce || m.take("bulk") || m.take("mbarrier") {
            return Err(self.unsupported("bulk copies and copies with an mbarrier aren't supported by the emulator; compile for compute_80 or use cp.async with groups"));
        }
        if m.take("commit_group") || m.take("wait_group") || m.take("wait_all") {
            return Ok(());
        }
        let policy = m.take("L2::cache_hint");
        m.drop_prefixed("L2::");
        for name in ["ca", "cg", "shared", "shared::cta", "global", "ignore-src"] {
            m.take(name);
        }
        let [to, from, Operand::Int(size @ (4 | 8 | 16)), rest @ ..] = o else {
            return Err(self.syntax("cp.async needs two addresses and a size of 4, 8 or 16"));
        };
        let rest = if policy {
            &rest[..rest.len().saturating_sub(1)]
        } else {
            rest
        };
        let a = self.address(to)?;
        let b = self.address(from)?;
        let (c, flip) = match rest {
            [] => (self.fixed(*size, Type::U32), None),
            [p @ (Operand::Name(_) | Operand::Not(_))]
                if matches!(self.type_of(p)?, Some(Type::Pred)) || matches!(p, Operand::Not(_)) =>
            {
                (self.fixed(*size, Type::U32), Some(self.predicate(p)?))
            }
            [n] => (self.src(n, Type::U32)?, None),
            _ => return Err(self.syntax("too many operands")),
        };
        let y = self.cache();
        // Without an ignore-src predicate, one that never holds.
        let (x, ignore) = flip.unwrap_or((Slot::Fixed(0x4000_0000), u32::MAX));
        self.emit(New {
            imm: size | u64::from(ignore) << 32,
            a,
            b,
            c,
            x,
            y,
            ..New::op(copy_async)
        });
        Ok(())
    }
}

/// `d` = address of a local variable.
pub(super) unsafe fn local_address(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let value = ctx.local_base.wrapping_add(op.imm);
    // SAFETY: `d` is a 64-bit register.
    unsafe { write(ctx.at::<u64>(op.d), mask, |_| value) };
    Flow::Next
}

/// `d` = address of a kernel's parameter.
pub(super) unsafe fn kernel_param_address(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let value = ctx.launch.params().0.wrapping_add(op.imm);
    // SAFETY: `d` is a 64-bit register.
    unsafe { write(ctx.at::<u64>(op.d), mask, |_| value) };
    Flow::Next
}

/// `d` = address of a function's parameter: `a` in the frame, `x` bytes a lane.
pub(super) unsafe fn param_address(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: `d` is a 64-bit register, `a` lies in the frame.
    unsafe {
        let base = (ctx.at::<u8>(op.a) as u64).wrapping_add(op.imm);
        write(ctx.at::<u64>(op.d), mask, |i| {
            base + i as u64 * u64::from(op.x)
        });
    }
    Flow::Next
}

unsafe fn poll(ctx: &mut Ctx<'_>, _: &Op, _: u32) -> Flow {
    ctx.polled = true;
    ctx.budget -= POLL_COST;
    Flow::Next
}

pub(super) unsafe fn fence(_: &mut Ctx<'_>, _: &Op, _: u32) -> Flow {
    std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
    Flow::Next
}

/// Bits of a predicate from a test of the address in `a`.
unsafe fn set(
    ctx: &mut Ctx<'_>,
    op: &Op,
    mask: u32,
    holds: impl Fn(&Ctx<'_>, u64) -> bool,
) -> Flow {
    // SAFETY: `a` is a 64-bit register, `d` a predicate.
    unsafe {
        let a = *ctx.at::<[u64; LANES]>(op.a);
        let mut bits = 0;
        each(mask, |i| bits |= u32::from(holds(ctx, a[i])) << i);
        let d = ctx.at::<u32>(op.d);
        *d = *d & !mask | bits;
    }
    Flow::Next
}

fn in_constants(ctx: &Ctx<'_>, address: u64) -> bool {
    ctx.launch
        .image
        .constant_ranges
        .iter()
        .any(|&(base, size)| address >= base && address - base < size)
}

fn in_params(ctx: &Ctx<'_>, address: u64) -> bool {
    let (base, size) = ctx.launch.params();
    address >= base && address - base < size
}

unsafe fn is_constant(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: as the caller promises.
    unsafe { set(ctx, op, mask, in_constants) }
}

unsafe fn is_param(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: as the caller promises.
    unsafe { set(ctx, op, mask, in_params) }
}

unsafe fn is_global(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: as the caller promises.
    unsafe {
        set(ctx, op, mask, |ctx, a| {
            a >> 60 == 0 && !in_constants(ctx, a) && !in_params(ctx, a)
        })
    }
}

unsafe fn alloca<T: Copy + Into<u64> + TryFrom<u64>>(
    ctx: &mut Ctx<'_>,
    op: &Op,
    mask: u32,
) -> Flow {
    // SAFETY: `a` and `d` are registers of this width.
    unsafe {
        let a = *ctx.at::<[T; LANES]>(op.a);
        let mut most = 0u64;
        each(mask, |i| most = most.max(a[i].into()));
        let base = ctx.local_top.next_multiple_of(op.imm.max(16));
        if most > ctx.local_stride || base + most > ctx.local_stride {
            let text = format!(
                "stack overflow: alloca of {most} bytes, {} of {} bytes are in use",
                ctx.local_top, ctx.local_stride
            );
            return ctx.fail(FaultKind::StackOverflow, mask.trailing_zeros(), text);
        }
        ctx.local_top = base + most;
        let d = ctx.at::<T>(op.d);
        each(mask, |i| {
            if let Ok(value) = T::try_from(base) {
                d.add(i).write(value);
            }
        });
    }
    Flow::Next
}

unsafe fn stack_save<T: Copy + TryFrom<u64>>(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: `d` is a register of this width.
    unsafe {
        let d = ctx.at::<T>(op.d);
        let top = ctx.local_top;
        each(mask, |i| {
            if let Ok(value) = T::try_from(top) {
                d.add(i).write(value);
            }
        });
    }
    Flow::Next
}

unsafe fn stack_restore<T: Copy + Into<u64>>(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: `a` is a register of this width.
    let top: u64 = unsafe { (*ctx.at::<T>(op.a).add(mask.trailing_zeros() as usize)).into() };
    // Other fragments may share the frame and still use what lies above; only growing back is checked.
    if top <= ctx.local_top && top >= ctx.local_base && mask == ctx.live {
        ctx.local_top = top;
    }
    Flow::Next
}

unsafe fn copy_async(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: `a` and `b` are 64-bit, `c` a 32-bit register, `x` a predicate; each access is checked.
    unsafe {
        let (to, from) = (*ctx.at::<[u64; LANES]>(op.a), *ctx.at::<[u64; LANES]>(op.b));
        let count = *ctx.at::<[u32; LANES]>(op.c);
        let ignore = *ctx.at::<u32>(op.x) ^ (op.imm >> 32) as u32;
        let size = op.imm & 0xff;
        let mut left = mask;
        while left != 0 {
            let i = left.trailing_zeros() as usize;
            left &= left - 1;
            let bytes = if ignore >> i & 1 != 0 {
                0
            } else {
                u64::from(count[i]).min(size)
            };
            let mut data = [0u8; 16];
            if bytes > 0 {
                let Some(host) =
                    exec::resolve(ctx, None, space::GENERIC, i as u32, from[i], size, false)
                else {
                    return Flow::Fault;
                };
                for (n, byte) in data[..bytes as usize].iter_mut().enumerate() {
                    *byte = exec::Mem::load(host + n as u64);
                }
            }
            let Some(host) = exec::resolve(ctx, None, space::SHARED, i as u32, to[i], size, true)
            else {
                return Flow::Fault;
            };
            for (n, &byte) in data[..size as usize].iter().enumerate() {
                exec::Mem::store(byte, host + n as u64);
            }
        }
    }
    Flow::Next
}

/// Special registers that change while a thread runs.
pub(super) fn varying_special(name: &str) -> Option<(Exec, Type)> {
    Some(match name {
        "%clock" => (clock::<u32>, Type::U32),
        "%clock_hi" => (clock_high, Type::U32),
        "%clock64" => (clock::<u64>, Type::U64),
        "%globaltimer" => (timer::<u64>, Type::U64),
        "%globaltimer_lo" => (timer::<u32>, Type::U32),
        "%globaltimer_hi" => (timer_high, Type::U32),
        _ => return None,
    })
}

/// Cycles since the launch, at the clock rate of the options, and never standing still.
fn cycles(ctx: &Ctx<'_>) -> u64 {
    let launch = ctx.launch;
    (launch.started.elapsed().as_nanos() as u64 / 1000)
        .wrapping_mul(u64::from(launch.options.clock_khz))
        / 1000
        + ctx.executed
}

fn nanoseconds() -> u64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |d| d.as_nanos() as u64)
}

unsafe fn put<T: Copy>(ctx: &mut Ctx<'_>, op: &Op, mask: u32, value: T) -> Flow {
    ctx.budget -= 1;
    // SAFETY: `d` is a register of this width.
    unsafe {
        let d = ctx.at::<T>(op.d);
        each(mask, |i| d.add(i).write(value));
    }
    Flow::Next
}

/// Takes the low bits of a 64-bit count.
trait Low: Copy {
    fn low(v: u64) -> Self;
}

impl Low for u32 {
    fn low(v: u64) -> u32 {
        v as u32
    }
}

impl Low for u64 {
    fn low(v: u64) -> u64 {
        v
    }
}

unsafe fn clock<T: Low>(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let value = T::low(cycles(ctx));
    // SAFETY: as the caller promises.
    unsafe { put(ctx, op, mask, value) }
}

unsafe fn clock_high(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let value = (cycles(ctx) >> 32) as u32;
    // SAFETY: as the caller promises.
    unsafe { put(ctx, op, mask, value) }
}

unsafe fn timer<T: Low>(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: as the caller promises.
    unsafe { put(ctx, op, mask, T::low(nanoseconds())) }
}

unsafe fn timer_high(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: as the caller promises.
    unsafe { put(ctx, op, mask, (nanoseconds() >> 32) as u32) }
}
