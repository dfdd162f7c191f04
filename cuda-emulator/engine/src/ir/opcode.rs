//! What the list says of one instruction.

use crate::ptx::Type;
use crate::state::op::Exec;

/// What an instruction does with one field of an [`Op`](crate::state::op::Op).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Nothing.
    Unused,
    /// Reads, writes, or reads and writes a register of this type.
    Read(Type),
    Write(Type),
    Update(Type),
    /// A number, not a register.
    Number,
    /// Where control goes on; filled in when all labels are known.
    Target,
    /// Bytes of the frame.
    Frame,
    /// Reads a register with an address, of 32 or 64 bits.
    Address,
    /// How memory is reached: [`Reach`](crate::memory::reach::Reach).
    Reach,
    /// The instruction's place in the cache of regions.
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

/// What can go wrong in an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Faults(u8);

impl Faults {
    pub(crate) const NONE: Faults = Faults(0);
    /// An address that isn't allowed, or isn't aligned.
    pub(crate) const ADDRESS: Faults = Faults(1);
    /// An operand that the hardware refuses.
    pub(crate) const ILLEGAL: Faults = Faults(2);
    /// Always: `trap` and its like.
    pub(crate) const TRAP: Faults = Faults(4);

    pub(crate) const fn and(self, other: Faults) -> Faults {
        Faults(self.0 | other.0)
    }

    /// In words.
    pub(crate) fn names(self) -> impl Iterator<Item = &'static str> {
        [
            (Faults::ADDRESS, "an address"),
            (Faults::ILLEGAL, "an operand that the hardware refuses"),
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

/// The function of an instruction, and what it does with each field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code {
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
    pub(crate) const fn new(exec: Exec) -> Code {
        Code::pair(exec, exec)
    }

    /// One function for any processor, another for one with AVX2.
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

    /// The same function, whose registers are all of another type of the same size.
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

    /// The function for this processor.
    pub(crate) fn exec(&self) -> Exec {
        if crate::state::op::wide() {
            self.wide
        } else {
            self.plain
        }
    }
}

/// How the operands of PTX become the fields of an instruction. Each has a function in `lower`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
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
    /// `d, a, b{, c}`: of the first two sources, and of that and the third. Three sources are for 10.0 and newer.
    Fold,
    /// `d, a, b{, c}`: a sum that leaves its carry in `x`, and takes it from there; with `imm` 0 the flag stays as it was.
    Carry,
    /// `d{|y}, a, b, c, x`: an operation of the lanes that `x` names; fewer operands where the entry has fewer fields. A
    /// predicate in `a` is flipped by `b`.
    Warp,
    /// A label.
    Branch,
    /// An index and a list of labels.
    Switch,
    /// `(results), function, (arguments)`
    Call,
    Return,
    Exit,
    /// `ld`, `st`: by the type, the registers and what the address is based on.
    Load,
    Store,
    /// `{d,} [a], b{, policy}`; each element of a vector is an operation of its own.
    Atomic,
    /// The same, where the old value doesn't count.
    AtomicExchange,
    /// `d, [a], c, b{, policy}`, with `c` to compare with.
    AtomicCompare,
    /// The destination comes first, the rest isn't looked at.
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
    /// `{d,} {a, {b,}} {c}`: number and threads may be missing; a predicate in `c` is flipped by `y`.
    Barrier,
    /// The operands aren't looked at.
    Bare,
    /// A hint: no instruction is needed.
    Nothing,
    /// `p{|q}, a, b{, predicate c}`: a comparison; halves are widened first.
    Compare,
    /// `d, a, b{, predicate c}`: a comparison as a value.
    Set,
    /// `p, a`: a property of a value as a predicate.
    Test,
    /// `d, a, b, predicate c`.
    Select,
    /// `d, a, b, c`, where `d`, `a` and `b` have the first type, `c` the second.
    SelectBySign,
    /// `d, a`: registers, predicates, and values taken apart or put together.
    Move,
    /// `d, a`, whose registers may be wider than their types.
    Convert,
    /// As [`Form::Operands`], by the whole warp.
    Together,
    /// `{d}, {a}, {b}, {c}{, metadata, selector}`: a product of matrices by the whole warp.
    Product,
    /// `{d}, a, b{, metadata, selector}, p{, signs}{, transpositions}`: a product by a warpgroup.
    Group,
    /// `{d}, [a]` or `[a], {d}`: small matrices.
    Matrices,
    /// The same, and maybe a stride: a fragment of `wmma`.
    Fragment,
    /// `{d}{|p}, [texture, {at}]{, level}` or `{, {x}, {y}}`: `tex`, `tld4`.
    Texture,
    /// `d, [texture]{, level}`: `txq`, and `suq`.
    TextureQuery,
    SurfaceQuery,
    /// `{d}, [surface, {at}]` or `[surface, {at}], {b}`.
    Surface,
}

/// The modifiers that were chosen where the notation leaves a choice.
pub(crate) struct Choice<'c>(pub &'c [&'c str]);

impl Choice<'_> {
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains(&name)
    }
}

/// An instruction's name as a program has it, with its modifiers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Written<'w>(pub &'w str);

impl<'w> Written<'w> {
    fn modifiers(self) -> impl Iterator<Item = &'w str> {
        self.0.split('.').skip(1)
    }

    pub(crate) fn has(self, name: &str) -> bool {
        self.modifiers().any(|m| m == name)
    }

    /// The types among the modifiers, in order.
    pub(crate) fn types(self) -> impl Iterator<Item = Type> {
        self.modifiers().filter_map(Type::parse)
    }
}

/// Which of the targets from [`Opcode::since`] on have an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Targets {
    All,
    /// Those with a suffix, such as `sm_90a` or `sm_100f`.
    Specific,
    /// The first one with `a`, such as `sm_90a`, and no other.
    One,
}

/// An entry of the instruction list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opcode {
    /// As PTX writes it, see [`notation`](super::notation); or the name of an internal instruction.
    pub name: &'static str,
    pub form: Form,
    pub code: Code,
    /// The value of `imm`, apart from what the chosen modifiers make of it.
    pub imm: u64,
    /// What the chosen modifiers make of `imm`.
    pub encode: Option<fn(&Choice<'_>) -> u64>,
    /// The first compute capability that has it: 80 for 8.0.
    pub since: u32,
    pub targets: Targets,
    /// The first `.version` of PTX that has it, where that is newer than the target's own.
    pub version: (u32, u32),
}

impl Opcode {
    /// An instruction of PTX with its operands in order.
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

    /// One that PTX doesn't have.
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

    /// For targets with a suffix, from this capability on.
    pub(crate) const fn specific(self, capability: u32) -> Opcode {
        Opcode {
            targets: Targets::Specific,
            ..self.since(capability)
        }
    }

    /// For the target of this capability with `a` alone.
    pub(crate) const fn only(self, capability: u32) -> Opcode {
        Opcode {
            targets: Targets::One,
            ..self.since(capability)
        }
    }

    /// The name before the first dot.
    pub(crate) fn mnemonic(&self) -> &'static str {
        let end = self
            .name
            .find(['.', '{', ' ', '*'])
            .unwrap_or(self.name.len());
        &self.name[..end]
    }
}
