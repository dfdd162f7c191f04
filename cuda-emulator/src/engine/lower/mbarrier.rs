//! `mbarrier`.

use super::function::{Base, Lower, New, Result, Slot, Width};
use super::memory::take_space;
use super::modifiers::Modifiers;
use crate::engine::lanes::unary;
use crate::engine::mbarrier::{self as exec, Action};
use crate::ptx::{Operand, Type};

impl<'a> Lower<'_, 'a> {
    fn change(
        &mut self,
        action: Action,
        address: &Operand<'a>,
        space: u8,
        number: Slot,
        d: Slot,
    ) -> Result<()> {
        let (a, narrow, offset) = self.word(address, space)?;
        let y = self.cache();
        self.emit(New {
            imm: offset as u64,
            d,
            a,
            b: number,
            x: Slot::Raw(action as u32),
            y,
            ..New::run(exec::changing(space, narrow))
        });
        Ok(())
    }

    /// The address of a word: register, whether it has 32 bits, offset.
    fn word(&mut self, address: &Operand<'a>, space: u8) -> Result<(Slot, bool, i64)> {
        let (base, offset) = self.base(address)?;
        let Base::Address(a, width) = base else {
            return Err(self.syntax("an mbarrier lies in shared memory"));
        };
        let (a, width) = self.widened(a, width, space)?;
        Ok((a, width == Width::W32, offset))
    }

    /// `mbarrier.…`; `cp.async.mbarrier.arrive` comes here as `arrive`.
    pub(super) fn mbarrier(&mut self, m: &mut Modifiers<'a>, o: &[Operand<'a>]) -> Result<()> {
        let what = m.next().unwrap_or("");
        if what == "pending_count" {
            m.ty();
            let run = unary(exec::pending);
            return self.mixed(run, 0, Type::B32, &[Type::B64], o);
        }
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
                    ..New::op(unary(|a: u32| a.wrapping_neg()))
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
            // The time that try_wait may take comes last; it is a hint.
            ("test_wait", [d, address, state])
            | ("try_wait", [d, address, state] | [d, address, state, _]) => {
                let (a, narrow, offset) = self.word(address, space)?;
                let d = self.dst(d, Type::Pred)?;
                let b = self.src(state, if parity { Type::U32 } else { Type::B64 })?;
                let y = self.cache();
                self.emit(New {
                    imm: offset as u64,
                    d,
                    a,
                    b,
                    x: Slot::Raw(parity.into()),
                    y,
                    ..New::run(exec::waiting(space, narrow))
                });
                self.fence();
                Ok(())
            }
            _ => Err(self.unsupported("the emulator doesn't know this form of mbarrier")),
        }
    }
}
