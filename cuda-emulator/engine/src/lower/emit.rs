//! The construction of instructions.

use super::allocate::{End, Field, Mode, Ref};
use super::function::{Lower, Width};
use crate::ir::{Opcode, Role};
use crate::state::op::Op;

/// An operand of an instruction under construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    None,
    /// A register that is read, written, or both.
    Use(u32),
    Def(u32),
    Both(u32),
    /// Already encoded.
    Fixed(u32),
    /// An offset in the frame's parameter area.
    Param(u32),
    /// A number, not an operand.
    Raw(u32),
}

/// An instruction under construction. All operands default to none.
pub(super) struct New {
    pub opcode: &'static Opcode,
    pub imm: u64,
    pub d: Slot,
    pub a: Slot,
    pub b: Slot,
    pub c: Slot,
    pub x: Slot,
    pub y: Slot,
}

impl New {
    pub(super) fn of(opcode: &'static Opcode) -> New {
        New {
            opcode,
            imm: 0,
            d: Slot::None,
            a: Slot::None,
            b: Slot::None,
            c: Slot::None,
            x: Slot::None,
            y: Slot::None,
        }
    }
}

impl<'a> Lower<'_, 'a> {
    /// Returns whether the operands agree with the instruction's entry.
    pub(super) fn agrees(&self, new: &New) -> bool {
        let code = &new.opcode.code;
        let fits = |role: Role, slot: Slot| match (role, slot) {
            (Role::Unused | Role::Target, Slot::None) => true,
            (Role::Number | Role::Reach | Role::Cache | Role::List, Slot::Raw(_)) => true,
            (Role::Frame, Slot::Param(_)) => true,
            (Role::Read(_) | Role::Address, Slot::Fixed(_)) => true,
            (Role::Address, Slot::Use(r)) => {
                matches!(self.widths[r as usize], Width::W32 | Width::W64)
            }
            (Role::Read(ty), Slot::Use(r))
            | (Role::Write(ty), Slot::Def(r) | Slot::Both(r))
            | (Role::Update(ty), Slot::Both(r)) => self.widths[r as usize] == Width::of(ty),
            _ => false,
        };
        fits(code.d, new.d)
            && fits(code.a, new.a)
            && fits(code.b, new.b)
            && fits(code.c, new.c)
            && fits(code.x, new.x)
            && fits(code.y, new.y)
            && (code.imm || new.imm == 0)
    }

    /// Appends an instruction.
    pub(super) fn emit(&mut self, new: New) {
        debug_assert!(self.agrees(&new), "operands of {}", new.opcode.name);
        let at = self.code.len() as u32;
        let mut op = Op {
            exec: new.opcode.code.exec(),
            imm: new.imm,
            guard: 0,
            flip: self.guard.1,
            d: 0,
            a: 0,
            b: 0,
            c: 0,
            x: 0,
            y: 0,
        };
        let guarded = self.guarded;
        let mut put = |slot: Slot, field: Field, target: &mut u32| {
            let (register, mode) = match slot {
                Slot::None => return,
                Slot::Fixed(v) | Slot::Raw(v) => {
                    *target = v;
                    return;
                }
                Slot::Param(offset) => {
                    *target = offset;
                    self.refs.push(Ref {
                        op: at,
                        field,
                        register: u32::MAX,
                        mode: Mode::Param,
                    });
                    return;
                }
                Slot::Use(r) => (r, Mode::Use),
                Slot::Def(r) if guarded => (r, Mode::Both),
                Slot::Def(r) => (r, Mode::Def),
                Slot::Both(r) => (r, Mode::Both),
            };
            self.refs.push(Ref {
                op: at,
                field,
                register,
                mode,
            });
        };
        put(self.guard.0, Field::Guard, &mut op.guard);
        put(new.a, Field::A, &mut op.a);
        put(new.b, Field::B, &mut op.b);
        put(new.c, Field::C, &mut op.c);
        put(new.x, Field::X, &mut op.x);
        put(new.y, Field::Y, &mut op.y);
        put(new.d, Field::D, &mut op.d);
        self.code.push(op);
        self.opcodes.push(new.opcode);
        self.places.push(self.place);
    }

    /// Adds operands of a vector instruction, and returns the list's start. They belong to the
    /// instruction emitted next.
    pub(super) fn list(&mut self, slots: &[Slot]) -> u32 {
        let start = self.linker.lists.len() as u32;
        let op = self.code.len() as u32;
        for (i, slot) in slots.iter().enumerate() {
            let (register, mode) = match *slot {
                Slot::Fixed(v) => {
                    self.linker.lists.push(v);
                    continue;
                }
                Slot::Use(r) => (r, Mode::Use),
                Slot::Def(r) if self.guarded => (r, Mode::Both),
                Slot::Def(r) => (r, Mode::Def),
                Slot::Both(r) => (r, Mode::Both),
                _ => (0, Mode::Use),
            };
            self.linker.lists.push(0);
            self.refs.push(Ref {
                op,
                field: Field::List(start + i as u32),
                register,
                mode,
            });
        }
        start
    }

    /// Marks the last instruction as one that can transfer control elsewhere than to the next
    /// instruction.
    pub(super) fn end(&mut self, end: End) {
        self.ends.push((self.code.len() as u32 - 1, end));
    }
}
