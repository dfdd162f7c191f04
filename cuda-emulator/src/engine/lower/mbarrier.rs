//! `mbarrier`: barriers that are words of shared memory.
//!
//! The word's layout is the engine's own: bits 0 to 19 arrivals still to come in this phase, 20 to 39 arrivals of a
//! phase, 40 to 61 bytes still to come (offset by 2^21), 63 the phase's parity.

use super::function::{Base, Lower, New, Result, Slot, Width};
use super::memory::take_space;
use super::modifiers::Modifiers;
use crate::engine::atomic::Memory;
use crate::engine::lanes::{Reg, each, unary};
use crate::engine::memory::{access, space};
use crate::engine::state::{Ctx, Exec, Flow, Op};
use crate::ptx::{Operand, Type};

const COUNT: u64 = (1 << 20) - 1;
const NO_BYTES: u64 = 1 << 61;
const PHASE: u64 = 1 << 63;

/// What an instruction does to the word, by the number in `b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Init,
    Arrive,
    /// Arrive and leave the later phases.
    Drop,
    /// Expect more bytes, or fewer when `b` is negative.
    Bytes,
    Nothing,
}

/// The word after a change: with nothing left to come the next phase begins.
fn settle(word: u64) -> u64 {
    if word & COUNT == 0 && word & !(PHASE | COUNT | COUNT << 20) == NO_BYTES {
        (word ^ PHASE) | (word >> 20 & COUNT)
    } else {
        word
    }
}

impl Action {
    fn apply(self, word: u64, number: u32) -> u64 {
        let number = u64::from(number);
        match self {
            Action::Init => number & COUNT | (number & COUNT) << 20 | NO_BYTES,
            Action::Arrive => settle(word & !COUNT | (word & COUNT).saturating_sub(number)),
            Action::Drop => {
                let expected = (word >> 20 & COUNT).saturating_sub(number);
                settle(
                    word & !(COUNT | COUNT << 20)
                        | (word & COUNT).saturating_sub(number)
                        | expected << 20,
                )
            }
            Action::Bytes => {
                let sum = (word & !PHASE).wrapping_add((number as u32 as i32 as i64 as u64) << 40)
                    & !PHASE;
                settle(word & PHASE | sum)
            }
            Action::Nothing => word,
        }
    }
}

const ACTIONS: [Action; 5] = [
    Action::Init,
    Action::Arrive,
    Action::Drop,
    Action::Bytes,
    Action::Nothing,
];

/// `d` = the word before; the word = the action `x` with the number `b`.
unsafe fn change<A: Reg, const S: u8>(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow
where
    A::Slot: Into<u64>,
{
    let action = ACTIONS[op.x as usize % ACTIONS.len()];
    // SAFETY: `a` is an address, `b` a 32-bit and `d` a 64-bit register; the access is checked.
    unsafe {
        let Some(access) = access::<A, S>(ctx, op, mask, 8, true) else {
            return Flow::Fault;
        };
        let (b, d) = (ctx.at::<u32>(op.b), ctx.at::<u64>(op.d));
        each(mask, |i| {
            let number = *b.add(i);
            *d.add(i) = <u64 as Memory>::update(access.hosts[i], |word| action.apply(word, number));
        });
    }
    Flow::Next
}

fn instruction(space: u8, narrow: bool) -> Exec {
    match (space, narrow) {
        (space::SHARED, true) => change::<u32, { space::SHARED }>,
        (space::SHARED, false) => change::<u64, { space::SHARED }>,
        _ => change::<u64, { space::GENERIC }>,
    }
}

impl<'a> Lower<'_, 'a> {
    fn change(
        &mut self,
        action: Action,
        address: &Operand<'a>,
        space: u8,
        number: Slot,
        d: Slot,
    ) -> Result<()> {
        let (base, offset) = self.base(address)?;
        let Base::Address(a, width) = base else {
            return Err(self.syntax("an mbarrier lies in shared memory"));
        };
        let (a, width) = self.widened(a, width, space)?;
        let y = self.cache();
        let x = Slot::Raw(ACTIONS.iter().position(|&a| a == action).unwrap_or(0) as u32);
        self.emit(New {
            imm: offset as u64,
            d,
            a,
            b: number,
            x,
            y,
            ..New::op(instruction(space, width == Width::W32))
        });
        Ok(())
    }

    /// `mbarrier.…`; `cp.async.mbarrier.arrive` comes here as `arrive`.
    pub(super) fn mbarrier(&mut self, m: &mut Modifiers<'a>, o: &[Operand<'a>]) -> Result<()> {
        let what = m.next().unwrap_or("");
        if what == "pending_count" {
            m.ty();
            let run = unary(|word: u64| (word & COUNT) as u32);
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
            ("test_wait" | "try_wait", [d, address, state, ..]) => {
                self.poll();
                let word = self.temp(Type::B64)?;
                self.change(Action::Nothing, address, space, one, Slot::Def(word))?;
                let d = self.dst(d, Type::Pred)?;
                let x = self.dump()?;
                if parity {
                    let b = self.src(state, Type::U32)?;
                    let run = crate::engine::lanes::compare(|word: u64, parity: u32| {
                        word >> 63 != u64::from(parity & 1)
                    });
                    self.emit(New {
                        d,
                        a: Slot::Use(word),
                        b,
                        x,
                        ..New::op(run)
                    });
                } else {
                    let b = self.src(state, Type::B64)?;
                    let run = crate::engine::lanes::compare(|word: u64, state: u64| {
                        word >> 63 != state >> 63
                    });
                    self.emit(New {
                        d,
                        a: Slot::Use(word),
                        b,
                        x,
                        ..New::op(run)
                    });
                }
                self.fence();
                Ok(())
            }
            _ => Err(self.unsupported("the emulator doesn't know this form of mbarrier")),
        }
    }
}
