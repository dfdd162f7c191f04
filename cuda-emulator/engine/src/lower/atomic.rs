//! The forms of atomic operations.

use super::emit::{New, Slot};
use super::function::{Lower, Result, Width};
use super::load_store::take_space;
use super::modifiers::Modifiers;
use super::scope::Base;
use crate::ir::{Form, Opcode, Role};
use crate::memory::reach::Reach;
use crate::ptx::Operand;

impl<'a> Lower<'_, 'a> {
    /// [`Form::Atomic`], [`Form::AtomicExchange`] and [`Form::AtomicCompare`]
    pub(super) fn atomic(
        &mut self,
        opcode: &'static Opcode,
        m: &mut Modifiers<'a>,
        o: &[Operand<'a>],
    ) -> Result<()> {
        let both = m.take("acq_rel");
        let (acquire, release) = (m.take("acquire") | both, m.take("release") | both);
        let space = take_space(m);
        let space = self.space_of(space);
        let hint = m.take("L2::cache_hint");
        let vector = match m.one_of(&["v2", "v4", "v8"]) {
            Some("v2") => 2,
            Some("v4") => 4,
            Some(_) => 8,
            None => 1,
        };
        let Role::Read(ty) = opcode.code.b else {
            return Err(self.syntax("the type is missing"));
        };
        let (d, rest) = if opcode.mnemonic() == "atom" {
            match o {
                [d, rest @ ..] => (Some(d), rest),
                [] => return Err(self.syntax("operands are missing")),
            }
        } else {
            (None, o)
        };
        let [address, rest @ ..] = rest else {
            return Err(self.syntax("the address is missing"));
        };
        let wanted = if opcode.form == Form::AtomicCompare {
            2
        } else {
            1
        };
        if rest.len() != wanted + usize::from(hint) {
            return Err(self.syntax("the number of operands is wrong"));
        }
        let (base, offset) = self.base(address)?;
        let Base::Address(a, width) = base else {
            return Err(self.syntax("atomics work on global and shared memory"));
        };
        let (a, width) = self.widened(a, width, space)?;
        let reach = Reach::new(space, width == Width::W32)
            .exchange(opcode.form == Form::AtomicExchange)
            .chosen();
        let split = |operand: &Operand<'a>| match operand {
            Operand::Vector(list) => list.clone(),
            other => vec![other.clone()],
        };
        let values = split(&rest[0]);
        let results = d.map(split);
        if values.len() != vector
            || results
                .as_ref()
                .is_some_and(|r| r.len() != vector && *r != [Operand::Sink])
        {
            return Err(self.syntax("the number of registers in braces doesn't match"));
        }
        if release {
            self.fence();
        }
        self.poll();
        for (n, value) in values.iter().enumerate() {
            let b = self.src(value, ty)?;
            let c = match rest.get(1) {
                Some(c) if wanted == 2 => self.src(c, ty)?,
                _ => b,
            };
            let d = match results.as_ref().and_then(|r| r.get(n)) {
                Some(d) => self.dst(d, ty)?,
                None => Slot::Def(self.temp(ty)?),
            };
            let y = self.cache();
            let imm = offset.wrapping_add(n as i64 * i64::from(ty.size())) as u64;
            self.emit(New {
                imm,
                d,
                a,
                b,
                c,
                x: Slot::Raw(reach.encode()),
                y,
                ..New::of(opcode)
            });
        }
        if acquire {
            self.fence();
        }
        Ok(())
    }
}
