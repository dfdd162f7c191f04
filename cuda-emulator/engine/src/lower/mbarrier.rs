//! The forms of `mbarrier`.

use super::emit::{New, Slot};
use super::function::{Lower, Result, Width};
use super::load_store::take_space;
use super::modifiers::Modifiers;
use super::scope::Base;
use crate::instructions;
use crate::ir::{Opcode, Role};
use crate::memory::mbarrier::Action;
use crate::memory::reach::Reach;
use crate::ptx::{Operand, Type};
use crate::state::touch::space;

impl<'a> Lower<'_, 'a> {
    fn change(
        &mut self,
        action: Action,
        address: &Operand<'a>,
        space: u8,
        number: Slot,
        d: Slot,
    ) -> Result<()> {
        let (a, c, offset) = self.word(address, space)?;
        let y = self.cache();
        self.emit(New {
            imm: offset as u64,
            d,
            a,
            b: number,
            c,
            x: Slot::Raw(action as u32),
            y,
            ..New::of(&instructions::MBARRIER_CHANGE)
        });
        Ok(())
    }

    /// Returns the address of a word: register, how the address is reached, offset.
    fn word(&mut self, address: &Operand<'a>, space: u8) -> Result<(Slot, Slot, i64)> {
        let (base, offset) = self.base(address)?;
        let Base::Address(a, width) = base else {
            return Err(self.syntax("an mbarrier must be in shared memory"));
        };
        let (a, width) = self.widened(a, width, space)?;
        let reach = Reach::new(space, width == Width::W32).chosen();
        Ok((a, Slot::Raw(reach.encode()), offset))
    }

    /// Counts the bytes of an asynchronous store as arrived.
    fn sent(&mut self, barrier: &Operand<'a>, bytes: u32) -> Result<()> {
        let number = self.fixed(u64::from(bytes), Type::B32);
        let unwanted = Slot::Def(self.temp(Type::B64)?);
        self.change(Action::Sent, barrier, space::SHARED, number, unwanted)
    }

    /// [`Form::StoreAsync`](crate::ir::Form::StoreAsync)
    pub(super) fn store_async(&mut self, m: &mut Modifiers<'a>, o: &[Operand<'a>]) -> Result<()> {
        let [address, value, barrier] = o else {
            return Err(self.syntax("an address, a value and an mbarrier are needed"));
        };
        m.take("async");
        m.take("mbarrier::complete_tx::bytes");
        let elements = match value {
            Operand::Vector(list) => list.len() as u32,
            _ => 1,
        };
        let ty = m.rest().iter().find_map(|name| Type::parse(name));
        let bytes = elements * ty.map_or(0, Type::size);
        // Without a state space, the address would be generic.
        if m.rest().contains(&"shared::cluster") {
            self.store(m, &[address.clone(), value.clone()])?;
        } else {
            return Err(
                self.unsupported("the emulator supports st.async only with `.shared::cluster`")
            );
        }
        self.sent(barrier, bytes)
    }

    /// [`Form::AtomicAsync`](crate::ir::Form::AtomicAsync)
    pub(super) fn atomic_async(
        &mut self,
        opcode: &'static Opcode,
        m: &mut Modifiers<'a>,
        o: &[Operand<'a>],
    ) -> Result<()> {
        let [address, value, barrier] = o else {
            return Err(self.syntax("an address, a value and an mbarrier are needed"));
        };
        if !m.rest().contains(&"shared::cluster") {
            return Err(
                self.unsupported("the emulator supports red.async only with `.shared::cluster`")
            );
        }
        let Role::Read(ty) = opcode.code.b else {
            return Err(self.syntax("the type is missing"));
        };
        self.atomic(opcode, m, &[address.clone(), value.clone()])?;
        self.sent(barrier, ty.size())
    }

    /// `mbarrier.…`. `cp.async.mbarrier.arrive` is handled as `arrive`.
    pub(super) fn mbarrier(&mut self, m: &mut Modifiers<'a>, o: &[Operand<'a>]) -> Result<()> {
        let what = m.next().unwrap_or("");
        let expect = m.take("expect_tx");
        m.take("noComplete");
        let parity = m.take("parity");
        for name in ["acquire", "release", "relaxed", "cta", "cluster"] {
            m.take(name);
        }
        let space = take_space(m);
        let space = self.space_of(space);
        m.take("b64");
        let one = self.fixed(1, Type::B32);
        let unwanted = Slot::Def(self.temp(Type::B64)?);
        match (what, o) {
            ("init", [address, count]) => {
                let count = self.src(count, Type::U32)?;
                self.change(Action::Init, address, space, count, unwanted)
            }
            ("inval", [address]) => self.change(Action::Nothing, address, space, one, unwanted),
            ("expect_tx", [address, count]) => {
                let count = self.src(count, Type::U32)?;
                self.change(Action::Bytes, address, space, count, unwanted)
            }
            ("complete_tx", [address, count]) => {
                let count = self.src(count, Type::U32)?;
                let minus = self.temp(Type::B32)?;
                self.emit(New {
                    d: Slot::Def(minus),
                    a: count,
                    ..New::of(&instructions::NEGATE)
                });
                self.change(Action::Bytes, address, space, Slot::Use(minus), unwanted)
            }
            ("arrive" | "arrive_drop", _) => {
                let (d, address, number) = match o {
                    [address @ Operand::Address(..)] => (unwanted, address, None),
                    [address @ Operand::Address(..), number] => (unwanted, address, Some(number)),
                    [d, address] => (self.dst(d, Type::B64)?, address, None),
                    [d, address, number] => (self.dst(d, Type::B64)?, address, Some(number)),
                    _ => return Err(self.syntax("the number of operands is wrong")),
                };
                let number = match number {
                    Some(number) => self.src(number, Type::U32)?,
                    None => one,
                };
                let count = if expect {
                    self.change(Action::Bytes, address, space, number, unwanted)?;
                    one
                } else {
                    number
                };
                self.fence();
                self.change(
                    if what == "arrive" {
                        Action::Arrive
                    } else {
                        Action::Drop
                    },
                    address,
                    space,
                    count,
                    d,
                )
            }
            // try_wait has a time limit as its last operand, which is only a hint.
            ("test_wait", [d, address, state])
            | ("try_wait", [d, address, state] | [d, address, state, _]) => {
                let (a, c, offset) = self.word(address, space)?;
                let d = self.dst(d, Type::Pred)?;
                let b = self.src(state, if parity { Type::U32 } else { Type::B64 })?;
                let y = self.cache();
                self.emit(New {
                    imm: offset as u64,
                    d,
                    a,
                    b,
                    c,
                    x: Slot::Raw(parity.into()),
                    y,
                    ..New::of(if parity {
                        &instructions::MBARRIER_WAIT_PARITY
                    } else {
                        &instructions::MBARRIER_WAIT
                    })
                });
                self.fence();
                Ok(())
            }
            _ => Err(self.unsupported("the emulator does not support this form of mbarrier")),
        }
    }
}
