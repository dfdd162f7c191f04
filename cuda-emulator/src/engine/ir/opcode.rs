//! What the list says of one instruction.

use crate::engine::state::Exec;
use crate::ptx::Type;

/// What an instruction does with one field of an [`Op`](crate::engine::state::Op).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum Role {
    /// Nothing.
    Unused,
    /// Reads, writes, or reads and writes a register of this type.
    Read(Type),
    Write(Type),
    Update(Type),
    /// A number, not a register.
    Number,
    /// Bytes of the frame.
    Frame,
}

/// What can go wrong in an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) struct Faults(u8);

impl Faults {
    pub(in crate::engine) const NONE: Faults = Faults(0);
    /// An address that isn't allowed, or isn't aligned.
    pub(in crate::engine) const ADDRESS: Faults = Faults(1);
    /// An operand that the hardware refuses.
    pub(in crate::engine) const ILLEGAL: Faults = Faults(2);
    /// Always: `trap` and its like.
    pub(in crate::engine) const TRAP: Faults = Faults(4);

    pub(in crate::engine) const fn and(self, other: Faults) -> Faults {
        Faults(self.0 | other.0)
    }

    pub(in crate::engine) const fn has(self, other: Faults) -> bool {
        self.0 & other.0 == other.0
    }
}

/// The function of an instruction, and what it does with each field.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Code {
    /// For any processor, and for one with AVX2 and its companions.
    pub plain: Exec,
    pub wide: Exec,
    pub d: Role,
    pub a: Role,
    pub b: Role,
    pub c: Role,
    pub x: Role,
    pub y: Role,
    /// `imm` means something.
    pub imm: bool,
    pub faults: Faults,
}

impl Code {
    /// A function for any processor.
    pub(in crate::engine) const fn new(exec: Exec) -> Code {
        Code::pair(exec, exec)
    }

    /// One function for any processor, another for one with AVX2.
    pub(in crate::engine) const fn pair(plain: Exec, wide: Exec) -> Code {
        Code {
            plain,
            wide,
            d: Role::Unused,
            a: Role::Unused,
            b: Role::Unused,
            c: Role::Unused,
            x: Role::Unused,
            y: Role::Unused,
            imm: false,
            faults: Faults::NONE,
        }
    }

    pub(in crate::engine) const fn faults(self, faults: Faults) -> Code {
        Code { faults, ..self }
    }

    /// The function for this processor.
    pub(in crate::engine) fn exec(&self) -> Exec {
        if crate::engine::lanes::wide() {
            self.wide
        } else {
            self.plain
        }
    }
}

/// How the operands of PTX become the fields of an instruction. Each has a function in `lower`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum Form {
    /// Not written in PTX: other instructions are lowered to it.
    Internal,
    /// In order: the destination to `d`, the sources to `a`, `b`, `c` and `x`.
    Operands,
    /// Predicates `d, a{, b}`; `x` and `y` flip the sources.
    Predicates,
    /// `d, a, b, c, table` or `d|p, a, b, c, table, q`: `lop3`, whose table is `imm`.
    Table,
    /// `d.part, a.part, b.part{, c}`: a video instruction, whose selectors go into `imm`.
    Video,
    /// `d, a, b{, c}`: a sum that leaves its carry in `x`, and takes it from there; with `imm` 0 the flag stays as it was.
    Carry,
}

/// The modifiers that were chosen where the notation leaves a choice.
pub(in crate::engine) struct Choice<'c>(pub &'c [&'c str]);

impl Choice<'_> {
    pub(in crate::engine) fn has(&self, name: &str) -> bool {
        self.0.contains(&name)
    }
}

/// An entry of the instruction list.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Opcode {
    /// As PTX writes it, see [`notation`](super::notation); or the name of an internal instruction.
    pub name: &'static str,
    pub form: Form,
    pub code: Code,
    /// What the chosen modifiers make of `imm`.
    pub encode: Option<fn(&Choice<'_>) -> u64>,
    /// The first compute capability that has it: 80 for 8.0.
    pub since: u32,
}

impl Opcode {
    /// An instruction of PTX with its operands in order.
    pub(in crate::engine) const fn new(name: &'static str, code: Code) -> Opcode {
        Opcode {
            name,
            form: Form::Operands,
            code,
            encode: None,
            since: 0,
        }
    }

    /// One that PTX doesn't have.
    pub(in crate::engine) const fn internal(name: &'static str, code: Code) -> Opcode {
        Opcode::new(name, code).form(Form::Internal)
    }

    pub(in crate::engine) const fn form(self, form: Form) -> Opcode {
        Opcode { form, ..self }
    }

    pub(in crate::engine) const fn encode(self, encode: fn(&Choice<'_>) -> u64) -> Opcode {
        Opcode {
            encode: Some(encode),
            ..self
        }
    }

    pub(in crate::engine) const fn since(self, capability: u32) -> Opcode {
        Opcode {
            since: capability,
            ..self
        }
    }

    /// The name before the first dot.
    pub(in crate::engine) fn mnemonic(&self) -> &'static str {
        let end = self.name.find(['.', '{', ' ']).unwrap_or(self.name.len());
        &self.name[..end]
    }
}
