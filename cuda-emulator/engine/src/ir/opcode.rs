//! The description of an instruction in the list.

use crate::ptx::Type;
use crate::state::op::Exec;

/// The role of a field of an [`Op`](crate::state::op::Op).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Unused.
    Unused,
    /// Reads, writes, or reads and writes a register of this type.
    Read(Type),
    Write(Type),
    Update(Type),
    /// A number, not a register.
    Number,
    /// A branch target, filled in when all labels are known.
    Target,
    /// A size in bytes in the frame.
    Frame,
    /// Reads a register with an address, of 32 or 64 bits.
    Address,
    /// How an address is computed: [`Reach`](crate::memory::reach::Reach).
    Reach,
    /// The instruction's index in the region cache.
    Cache,
    /// The start of a list of registers.
    List,
}

impl Role {
    const fn on(self, ty: Type) -> Role {
        match self {
            Role::Read(_) => Role::Read(ty),
            Role::Write(_) => Role::Write(ty),
            Role::Update(_) => Role::Update(ty),
            other => other,
        }
    }
}

/// The possible faults of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Faults(u8);

impl Faults {
    pub(crate) const NONE: Faults = Faults(0);
    /// An invalid or misaligned address.
    pub(crate) const ADDRESS: Faults = Faults(1);
    /// An operand that the hardware rejects.
    pub(crate) const ILLEGAL: Faults = Faults(2);
    /// Always a fault: `trap` and similar instructions.
    pub(crate) const TRAP: Faults = Faults(4);

    pub(crate) const fn and(self, other: Faults) -> Faults {
        Faults(self.0 | other.0)
    }

    /// Returns the names of the faults.
    pub(crate) fn names(self) -> impl Iterator<Item = &'static str> {
        [
            (Faults::ADDRESS, "an address"),
            (Faults::ILLEGAL, "an invalid operand"),
            (Faults::TRAP, "always"),
        ]
        .into_iter()
        .filter(move |(fault, _)| self.has(*fault))
        .map(|(_, name)| name)
    }

    pub(crate) const fn has(self, other: Faults) -> bool {
        self.0 & other.0 == other.0
    }
}

/// The function of an instruction, and its use of each field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code {
    /// The functions for any processor and for one with AVX2 and related extensions.
    pub plain: Exec,
    pub wide: Exec,
    pub d: Role,
    pub a: Role,
    pub b: Role,
    pub c: Role,
    pub x: Role,
    pub y: Role,
    /// Whether `imm` is used.
    pub imm: bool,
    pub faults: Faults,
}

impl Code {
    /// Creates code with one function for any processor.
    pub(crate) const fn new(exec: Exec) -> Code {
        Code::pair(exec, exec)
    }

    /// Creates code with one function for any processor and another for one with AVX2.
    pub(crate) const fn pair(plain: Exec, wide: Exec) -> Code {
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

    /// Returns the same function with registers of another type of the same size.
    pub(crate) const fn on(self, ty: Type) -> Code {
        Code {
            d: self.d.on(ty),
            a: self.a.on(ty),
            b: self.b.on(ty),
            c: self.c.on(ty),
            ..self
        }
    }

    pub(crate) const fn faults(self, faults: Faults) -> Code {
        Code { faults, ..self }
    }

    /// Returns the function for this processor.
    pub(crate) fn exec(&self) -> Exec {
        if crate::state::op::wide() {
            self.wide
        } else {
            self.plain
        }
    }
}

/// The mapping from PTX operands to the fields of an instruction. Each form has a function in
/// `lower`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Not written in PTX. Other instructions are lowered to it.
    Internal,
    /// In order: the destination to `d`, the sources to `a`, `b`, `c` and `x`.
    Operands,
    /// Predicates `d, a{, b}`; `x` and `y` flip the sources.
    Predicates,
    /// `d, a, b, c, table` or `d|p, a, b, c, table, q`: `lop3`. The table is in `imm`.
    Table,
    /// `d.part, a.part, b.part{, c}`: a video instruction. The selectors are in `imm`.
    Video,
    /// `d, a, b{, c}`: applied to the first two sources, then to the result and the third. Three
    /// sources need 10.0 or newer.
    Fold,
    /// `d, a, b{, c}`: a sum with carry in and out in `x`. With `imm` 0, the flag is not changed.
    Carry,
    /// `d{|y}, a, b, c, x`: an operation of the lanes in `x`. There are fewer operands if the entry
    /// has fewer fields. A predicate in `a` is flipped by `b`.
    Warp,
    /// A label.
    Branch,
    /// An index and a list of labels.
    Switch,
    /// `(results), function, (arguments)`
    Call,
    Return,
    Exit,
    /// `ld`, `st`: depends on the type, the registers and the base of the address.
    Load,
    Store,
    /// `{d,} [a], b{, policy}`. Each element of a vector is a separate operation.
    Atomic,
    /// The same, without the old value.
    AtomicExchange,
    /// `d, [a], c, b{, policy}`, where `c` is the value to compare with.
    AtomicCompare,
    /// The destination is the first operand. The others are ignored.
    First,
    /// `d, a{, alignment}`
    Alloca,
    /// `cp.async` and `cp.async.bulk`.
    Copy,
    /// `tensormap`.
    TensorMap,
    /// `[a], b, [mbarrier]`: `st.async`, `red.async`.
    StoreAsync,
    AtomicAsync,
    Mbarrier,
    /// `{d,} {a, {b,}} {c}`: the number and the thread count are optional. A predicate in `c` is
    /// flipped by `y`.
    Barrier,
    /// The operands are ignored.
    Bare,
    /// A hint, which needs no instruction.
    Nothing,
    /// `p{|q}, a, b{, predicate c}`: a comparison. Halves are widened first.
    Compare,
    /// `d, a, b{, predicate c}`: a comparison as a value.
    Set,
    /// `p, a`: a property of a value as a predicate.
    Test,
    /// `d, a, b, predicate c`.
    Select,
    /// `d, a, b, c`, where `d`, `a` and `b` have the first type, `c` the second.
    SelectBySign,
    /// `d, a`: registers, predicates, and vectors that are split or combined.
    Move,
    /// `d, a`, whose registers may be wider than their types.
    Convert,
    /// As [`Form::Operands`], for the whole warp.
    Together,
    /// `{d}, {a}, {b}, {c}{, metadata, selector}`: a matrix product by the whole warp.
    Product,
    /// `{d}, a, b{, metadata, selector}, p{, signs}{, transpositions}`: a matrix product by a
    /// warpgroup.
    Group,
    /// `{d}, [a]` or `[a], {d}`: small matrices.
    Matrices,
    /// The same with an optional stride: a fragment of `wmma`.
    Fragment,
    /// `{d}{|p}, [texture, {at}]{, level}` or `{, {x}, {y}}`: `tex`, `tld4`.
    Texture,
    /// `d, [texture]{, level}`: `txq`, and `suq`.
    TextureQuery,
    SurfaceQuery,
    /// `{d}, [surface, {at}]` or `[surface, {at}], {b}`.
    Surface,
}

/// The modifiers that a program chose among the alternatives of the notation.
pub(crate) struct Choice<'c>(pub &'c [&'c str]);

impl Choice<'_> {
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains(&name)
    }
}

/// The full name of an instruction in a program, with its modifiers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Written<'w>(pub &'w str);

impl<'w> Written<'w> {
    fn modifiers(self) -> impl Iterator<Item = &'w str> {
        self.0.split('.').skip(1)
    }

    pub(crate) fn has(self, name: &str) -> bool {
        self.modifiers().any(|m| m == name)
    }

    /// Returns the types among the modifiers, in order.
    pub(crate) fn types(self) -> impl Iterator<Item = Type> {
        self.modifiers().filter_map(Type::parse)
    }
}

/// The targets from [`Opcode::since`] on that have an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Targets {
    All,
    /// Targets with a suffix, such as `sm_90a` or `sm_100f`.
    Specific,
    /// Only the first target with `a`, such as `sm_90a`.
    One,
}

/// An entry of the instruction list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opcode {
    /// The name in PTX (see [`notation`](super::notation)), or the name of an internal instruction.
    pub name: &'static str,
    pub form: Form,
    pub code: Code,
    /// The value of `imm`, without the part that depends on the chosen modifiers.
    pub imm: u64,
    /// Returns the part of `imm` that depends on the chosen modifiers.
    pub encode: Option<fn(&Choice<'_>) -> u64>,
    /// The first compute capability that has the instruction: 80 for 8.0.
    pub since: u32,
    pub targets: Targets,
    /// The first PTX `.version` that has the instruction, if newer than the target's own.
    pub version: (u32, u32),
}

impl Opcode {
    /// Creates an entry for a PTX instruction with its operands in order.
    pub(crate) const fn new(name: &'static str, code: Code) -> Opcode {
        Opcode {
            name,
            form: Form::Operands,
            code,
            imm: 0,
            encode: None,
            since: 0,
            targets: Targets::All,
            version: (0, 0),
        }
    }

    /// Creates an entry for an instruction that PTX does not have.
    pub(crate) const fn internal(name: &'static str, code: Code) -> Opcode {
        Opcode::new(name, code).form(Form::Internal)
    }

    pub(crate) const fn form(self, form: Form) -> Opcode {
        Opcode { form, ..self }
    }

    pub(crate) const fn imm(self, imm: u64) -> Opcode {
        Opcode { imm, ..self }
    }

    pub(crate) const fn encode(self, encode: fn(&Choice<'_>) -> u64) -> Opcode {
        Opcode {
            encode: Some(encode),
            ..self
        }
    }

    pub(crate) const fn since(self, capability: u32) -> Opcode {
        Opcode {
            since: capability,
            ..self
        }
    }

    pub(crate) const fn version(self, version: (u32, u32)) -> Opcode {
        Opcode { version, ..self }
    }

    /// Restricts the entry to targets with a suffix, from this capability on.
    pub(crate) const fn specific(self, capability: u32) -> Opcode {
        Opcode {
            targets: Targets::Specific,
            ..self.since(capability)
        }
    }

    /// Restricts the entry to this capability's target with `a`.
    pub(crate) const fn only(self, capability: u32) -> Opcode {
        Opcode {
            targets: Targets::One,
            ..self.since(capability)
        }
    }

    /// Returns the name before the first dot.
    pub(crate) fn mnemonic(&self) -> &'static str {
        let end = self
            .name
            .find(['.', '{', ' ', '*'])
            .unwrap_or(self.name.len());
        &self.name[..end]
    }
}
